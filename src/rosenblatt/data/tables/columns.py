"""How the raw columns of a file become features and labels: learned by fit, kept in the model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import InputError, nearest
from rosenblatt.text import plural

if TYPE_CHECKING:
    from rosenblatt.data.tables.reading import Choice, RawTable

FILLED = ("mean", "median")
HASHED = "vw"
SPARSE_TEXT = ("svmlight", HASHED)
TEXTS = {  # what columns are, in words
    HASHED: "Vowpal Wabbit text (columns are hashes of names)",
    "svmlight": "svmlight text (columns are numbered)",
    "table": "a table (columns have names)",
    "array": "an array (columns are numbered)",
}
NUMBERED = re.compile(r"column \d+")  # what columns are called where no header names them
DENSE = 200  # one-hot columns beyond which they are kept sparse


@dataclass(frozen=True)
class Columns:
    """The way from raw columns to features.

    Attributes
    ----------
    used : list of [name, kind]
        The raw columns of a table, ``numeric`` or ``text``; empty for other formats.
    label : str or None
        The label column.
    width : int
        Numeric columns.
    names : list of str
        The features' names; empty if they have none.
    categories : dict of str to list of str
        The values of each text column that is one-hot encoded.
    mean, scale : list of float or None
        What is subtracted from the features, and what divides them then.
    positive, negative : str or None
        The class that is told from all others, and the name of the others.
    held_out : float
        The fraction of the rows that were not learned from; `split` by the model's seed finds them.
    fill : list of float or None
        What takes the place of a missing number, for each numeric column.
    first_index : 0, 1 or None
        The index of the first column in svmlight text; None for other formats.
    hashed : bool or None
        Whether columns are hashes of the names in Vowpal Wabbit text; None if nobody said.
    text_label : bool or None
        Whether the label is text, also where it looks like numbers; None if nobody said.
    rarer : str or None
        The positive class of two words that do not say which it is.
    """

    used: list[list[str]]
    label: str | None
    width: int
    names: list[str]
    categories: dict[str, list[str]]
    mean: list[float] | None = None
    scale: list[float] | None = None
    positive: str | None = None
    negative: str | None = None
    held_out: float = 0.0
    fill: list[float] | None = None
    first_index: int | None = None
    hashed: bool | None = None
    text_label: bool | None = None
    rarer: str | None = None

    @property
    def zero_based(self) -> bool | None:
        """Whether the indices of svmlight text start at 0; None if that is to be guessed."""
        return None if self.first_index is None else self.first_index == 0

    def refuse_other_text(self, format: str, source: str) -> None:
        """Refuse sparse text whose columns are others: some have numbers, some are hashed."""
        if self.hashed is None or format not in SPARSE_TEXT or self.hashed == (format == HASHED):
            return
        learned = "svmlight" if self.first_index is not None else "table" if self.used else "array"
        learned = HASHED if self.hashed else learned
        raise InputError(
            f"{source}: expected columns as the model has them, which learned from "
            f"{TEXTS[learned]}, got {TEXTS[format]}; write the rows as that was written, or fit a "
            "model to rows written as these"
        )

    @property
    def named(self) -> bool:
        """Whether the raw columns have names of their own, not those of their positions."""
        return not all(NUMBERED.fullmatch(name) for name, _ in self.used)

    def refuse_without_text(self, raw: RawTable) -> None:
        """Refuse rows that lack a text column of which features are made."""
        from rosenblatt.data.readers.table import listed

        absent = [name for name in self.categories if name not in raw.text]
        if absent:
            there = raw.names or [f"x{j}" for j in range(raw.X.shape[1])]
            raise InputError(
                f"{raw.source}: no column {absent[0]!r} of text, which the model learned from; "
                f"there are {listed(there)}, which are numbers"
            )

    def features(self, raw: RawTable) -> Any:
        """X of raw rows."""
        given = raw.X.shape[1]
        if given != self.width:
            # An array without names is read as features alone, the label that it may hold too.
            more = "; leave the label out" if given == self.width + 1 else ""
            raise InputError(
                f"{raw.source}: expected {plural(self.width, 'numeric column')}, those that the "
                f"model learned from, got {given}{more}"
            )
        X = self._encoded(raw._replace(X=self._filled(raw.X)))
        if self.scale is None:
            return X
        if self.mean is None:
            return (X / _row(self.scale)).tocsr()
        return (X - _row(self.mean)) / _row(self.scale)

    def _filled(self, X: Any) -> Any:
        import numpy as np

        if self.fill is None or hasattr(X, "indptr"):
            return X
        return np.where(np.isnan(X), _row(self.fill), X)

    @property
    def changed(self) -> bool:
        """Whether the features are others than the numeric columns as they were read."""
        return bool(self.categories) or self.scale is not None or self.fill is not None

    def features_of(self, frame: Any) -> Any:
        """X of a pandas frame with the raw columns, in any order and beside others.

        Returns
        -------
        DataFrame
            The features under their names, with the index of ``frame``.

        Examples
        --------
        >>> import pandas as pd
        >>> used = [["weight", "numeric"], ["color", "text"]]
        >>> names, colors = ["weight", "color=green", "color=red"], {"color": ["green", "red"]}
        >>> columns = Columns(used, None, 1, names, colors, [100.0, 0.5, 0.5], [50.0, 0.5, 0.5])
        >>> columns.features_of(pd.DataFrame({"color": ["red", "green"], "weight": [150, 50]}))
           weight  color=green  color=red
        0     1.0         -1.0        1.0
        1    -1.0          1.0       -1.0
        """
        import pandas as pd
        from scipy import sparse

        from rosenblatt.data.checks import check_rows
        from rosenblatt.data.tables.reading import RawTable

        numeric = self.names[: self.width]
        if not self.names:
            raise InputError("the model's columns have no names to find in a frame; pass it arrays")
        absent = [name for name in [*numeric, *self.categories] if name not in frame.columns]
        if absent:
            raise InputError(f"the frame has no column {absent[0]!r}{nearest(absent[0], frame)}")
        if self.fill is not None:
            frame = frame.fillna(dict(zip(numeric, self.fill, strict=True)))
        X = check_rows(frame[numeric]) if numeric else frame[[]].to_numpy(float)
        text = {n: frame[n].astype(str).str.strip().to_numpy(object) for n in self.categories}
        X = self.features(RawTable(X, None, text, [], self.used, None, "the frame", "", {}))
        names: Any = self.names
        if sparse.issparse(X):
            return pd.DataFrame.sparse.from_spmatrix(X, index=frame.index, columns=names)
        return pd.DataFrame(X, index=frame.index, columns=names)

    def labels(self, y: Any) -> Any:
        """Labels of raw rows as the model knows them: True and False with a positive class."""
        return y if self.positive is None else _is_class(y, self.positive)

    def words(self, classes: Any) -> Any:
        """Classes in the words of the raw labels; whole numbers are written as such."""
        import numpy as np

        if self.positive is not None:
            return np.where(classes, self.positive, self.negative or f"not {self.positive}")
        from rosenblatt.data.lossless import LARGEST_WHOLE

        classes = np.asarray(classes)
        whole = classes.dtype.kind == "f" and (np.abs(classes) < LARGEST_WHOLE).all()
        if whole and (classes == np.rint(classes)).all():
            return classes.astype(np.int64)
        return classes

    def unseen(self, raw: RawTable) -> dict[str, int]:
        """For each text column, how many rows have a value that no row had when it was learned."""
        import numpy as np

        found = {
            name: int((~np.isin(raw.text[name], [*known, ""])).sum())
            for name, known in self.categories.items()
        }
        return {name: count for name, count in found.items() if count}

    def _encoded(self, raw: RawTable) -> Any:
        if not self.categories:
            return raw.X
        import numpy as np
        from scipy import sparse

        from rosenblatt.data.tables.encoding import one_hot

        known = list(self.categories.values())
        hot = one_hot([raw.text[name] for name in self.categories], known)
        if sum(map(len, known)) > DENSE or sparse.issparse(raw.X):
            return sparse.csr_array(sparse.hstack([sparse.csr_array(raw.X), hot]))
        return np.hstack([raw.X, hot.toarray()])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Columns:
        """The columns that `to_dict` wrote; anything else is an InputError."""
        try:
            columns = cls(**data)
        except TypeError as error:
            raise InputError(f"the model's columns are not sound ({error})") from None
        if not columns._sound():
            raise InputError("the model's columns are not sound")
        if columns.names and not columns.used and not columns.categories:
            # Models of bundled sets were written so before their columns were found by name.
            return replace(columns, used=numeric(columns.names))
        return columns

    @classmethod
    def of_names(cls, names: Iterable[str]) -> Columns:
        """Numeric columns that are features as they are."""
        pairs = numeric(names)
        return cls(pairs, None, len(pairs), [name for name, _ in pairs], {})

    def _sound(self) -> bool:
        features = self.width if isinstance(self.width, int) else -1
        if isinstance(self.categories, dict) and all(map(_words, self.categories.values())):
            features += sum(map(len, self.categories.values()))
        else:
            return False
        pairs = isinstance(self.used, list) and all(
            _words(pair) and len(pair) == 2 and pair[1] in ("numeric", "text") for pair in self.used
        )
        texts, flags = (
            (self.label, self.positive, self.negative, self.rarer),
            (self.hashed, self.text_label),
        )
        return (
            pairs
            and _words(self.names)
            and len(self.names) in (0, features)
            and all(text is None or isinstance(text, str) for text in texts)
            and all(_numbers(numbers, features) for numbers in (self.mean, self.scale))
            and _numbers(self.fill, self.width)
            and (self.scale is None or 0.0 not in self.scale)
            and isinstance(self.held_out, float)
            and 0 <= self.held_out < 1
            and (self.first_index is None or type(self.first_index) is int)
            and self.first_index in (None, 0, 1)
            and all(flag is None or isinstance(flag, bool) for flag in flags)
        )


def is_text(labels: Any) -> bool:
    """Whether labels are text rather than numbers."""
    return labels.dtype.kind in "UO"


def numeric(names: Iterable[str]) -> list[list[str]]:
    """Raw columns of numbers, as `Columns` keeps them."""
    return [[str(name), "numeric"] for name in names]


def learn_columns(raw: RawTable, choice: Choice) -> Columns:
    """Find out from raw rows how they become features."""
    return learn_columns_of(lambda: [raw], choice)


def learn_columns_of(parts: Callable[[], Iterable[RawTable]], choice: Choice) -> Columns:
    """The same from rows that come in parts; each call of ``parts`` makes them come again."""
    import numpy as np

    first, labels = None, np.zeros(0)
    texts: dict[str, set[str]] = {}
    for raw in parts():
        first = first or raw
        for name, values in raw.text.items():
            texts.setdefault(name, set()).update(values.tolist())
        if choice.positive is not None:
            labels = np.unique(raw.y) if not len(labels) else np.union1d(labels, raw.y)
        elif not choice.one_hot:
            break
    assert first is not None
    if first.X.shape[1] == 0 and not choice.one_hot:
        raise InputError(f"{first.source}: no numeric columns; one_hot=True makes features of text")
    categories = {name: sorted(values - {""}) for name, values in texts.items() if choice.one_hot}
    hot = [f"{name}={value}" for name, values in categories.items() for value in values]
    base = first.names or ([f"x{j}" for j in range(first.X.shape[1])] if hot else [])
    columns = Columns(first.used, first.label, first.X.shape[1], [*base, *hot], categories)
    found: dict[str, Any] = {"positive": choice.positive}
    found |= {"first_index": first.first_index, "hashed": first.format == HASHED}
    found["text_label"] = None if first.y is None else is_text(first.y)
    if choice.positive is not None:
        found["negative"] = _others(choice.positive, labels, first.source)
    if choice.missing in FILLED:
        found["fill"] = _fill(choice.missing, parts(), [*map(str, base)])
        columns = replace(columns, fill=found["fill"])
    if choice.scale:
        found |= _scale(columns, parts())
    return Columns(**{**columns.to_dict(), **found})


def _others(positive: str, labels: Any, source: str) -> str:
    """The name of the classes that are not the positive one, which must be among the labels."""
    from rosenblatt.data.labels import remark_alike

    remark_alike(labels)
    same = _is_class(labels, positive)
    others = list(map(str, labels[~same].tolist()))
    if not same.any():
        hint = nearest(positive, others[:20]) or f"; there are {', '.join(others[:20])}"
        raise InputError(f"{source}: no label is {positive!r}{hint}")
    return others[0] if len(others) == 1 else f"not {positive}"


def _fill(how: str, parts: Iterable[RawTable], names: list[str]) -> list[float] | None:
    """The mean or median of each numeric column over the rows that have it; None if sparse."""
    import numpy as np

    total, count = np.zeros(0), np.zeros(0)
    held, source = [], ""
    for raw in parts:
        if hasattr(raw.X, "indptr"):
            return None
        source = raw.source
        there = ~np.isnan(raw.X)
        sums, counts = np.where(there, raw.X, 0.0).sum(axis=0), there.sum(axis=0)
        total, count = (total + sums, count + counts) if len(total) else (sums, counts)
        if how == "median":
            held.append(raw.X)
    empty = np.flatnonzero(count == 0)
    if len(empty):
        name = names[empty[0]] if names else f"x{empty[0]}"
        raise InputError(
            f"{source}: no row has a value in column {name!r}; ignore=[{name!r}] leaves it out"
        )
    if how == "mean":
        return (total / count).tolist()
    if len(held) > 1:
        raise InputError("missing='median' needs all rows in memory; missing='mean' does not")
    return np.nanmedian(held[0], axis=0).tolist()


def _scale(columns: Columns, parts: Iterable[RawTable]) -> dict[str, Any]:
    """Mean and scale of the features; sparse ones keep their zeros."""
    import numpy as np

    from rosenblatt.data.room import check_room
    from rosenblatt.data.tables.encoding import Moments

    check_room(columns.width)
    moments, centred = Moments(), True
    with np.errstate(over="ignore", invalid="ignore"):
        for raw in parts:
            X = columns.features(raw)
            centred = not hasattr(X, "indptr")
            moments.add(X)
        scale = moments.scale
    large = np.flatnonzero(~np.isfinite(scale))
    if len(large):
        name = columns.names[large[0]] if columns.names else f"x{large[0]}"
        raise InputError(
            f"column {name!r} cannot be scaled: the squares of its numbers are beyond the range of "
            "double precision. Write it in larger units, or leave it out."
        )
    mean = moments.mean.tolist() if centred else None
    return {"scale": scale.tolist(), "mean": mean}


def _is_class(y: Any, wanted: str) -> Any:
    """Which labels are that class; numbers are compared as numbers."""
    import numpy as np

    if y.dtype.kind not in "iuf":
        return y.astype(str) == wanted
    try:
        return y == float(wanted)
    except ValueError:
        return np.zeros(len(y), bool)


def _row(numbers: list[float]) -> Any:
    import numpy as np

    return np.array(numbers)[np.newaxis]


def _words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _numbers(value: Any, count: int) -> bool:
    return value is None or (
        isinstance(value, list)
        and len(value) == count
        and all(isinstance(number, float) and math.isfinite(number) for number in value)
    )
