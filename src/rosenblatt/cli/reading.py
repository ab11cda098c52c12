"""DATA on the command line: a file, a glob, ``-`` or the name of a bundled set."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from typer import Option

from rosenblatt.errors import InputError

PANEL = "How DATA is read"


@dataclass(frozen=True)
class Choice:
    """What the user says of DATA, instead of what would be guessed."""

    label: Annotated[
        str | None,
        Option(
            help="Label column: name, or position from 0. Default: the last.", rich_help_panel=PANEL
        ),
    ] = None
    positive: Annotated[
        str | None,
        Option(help="Tell this class from all others.", rich_help_panel=PANEL),
    ] = None
    columns: Annotated[
        list[str] | None,
        Option(help="Columns to use, separated by commas.", rich_help_panel=PANEL),
    ] = None
    ignore: Annotated[
        list[str] | None,
        Option(help="Columns to leave out, separated by commas.", rich_help_panel=PANEL),
    ] = None
    text: Annotated[
        list[str] | None,
        Option(
            help="Columns to read as text although they look like numbers.", rich_help_panel=PANEL
        ),
    ] = None
    missing: Annotated[
        Literal["error", "drop"],
        Option(help="Rows that lack a value: an error, or left out.", rich_help_panel=PANEL),
    ] = "error"
    one_hot: Annotated[
        bool,
        Option(
            "--one-hot",
            help="Make features of text columns, one for each value.",
            rich_help_panel=PANEL,
        ),
    ] = False
    scale: Annotated[
        bool,
        Option("--scale", help="Scale features to mean 0 and variance 1.", rich_help_panel=PANEL),
    ] = False


def with_choice(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options of `Choice`; it gets them as its argument ``choice``."""
    options = inspect.signature(Choice).parameters
    hints = get_type_hints(Choice, include_extras=True)
    own = inspect.signature(verb, eval_str=True)
    shared = [
        option.replace(annotation=hints[name], kind=option.KEYWORD_ONLY)
        for name, option in options.items()
    ]
    kept = [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for name, parameter in own.parameters.items()
        if name != "choice"
    ]

    @wraps(verb)
    def run(**values: Any) -> Any:
        choice = Choice(**{name: values.pop(name) for name in options})
        return verb(choice=choice, **values)

    run.__signature__ = own.replace(parameters=[*kept, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*kept, *shared]}
    del run.__wrapped__  # type: ignore[attr-defined]
    return run


class Raw(NamedTuple):
    """Rows as they were read.

    Attributes
    ----------
    X, y : array or CSR array, and array or None
    text : dict of str to ndarray
        Text columns, row by row beside X.
    names : list of str
        Of the columns of X; empty if they have none.
    used : list of [name, kind]
        The raw columns of a table.
    label : str or None
        The label column of a table.
    source, note : str
        Where they are from, and what was guessed and found, in one line.
    settings : dict
        How the source of a worked example runs the perceptron on it.
    """

    X: Any
    y: Any
    text: dict[str, Any]
    names: list[str]
    used: list[list[str]]
    label: str | None
    source: str
    note: str
    settings: dict[str, Any]

    def rows(self, which: Any) -> Raw:
        """Some of the rows."""
        text = {name: values[which] for name, values in self.text.items()}
        return self._replace(X=self.X[which], y=self.y[which], text=text)


def read(
    data: str,
    choice: Choice,
    *,
    columns: Sequence[Any] | None = None,
    width: int | None = None,
    labelled: bool = True,
) -> Raw:
    """Read DATA, and tell the user what was guessed.

    Parameters
    ----------
    data : str
    choice : Choice
    columns : sequence of Column, optional
        The columns of an earlier read, to read again.
    width : int, optional
        Features of the model, for formats whose files may show fewer.
    labelled : bool
        Whether there is a label to look for.
    """
    from rosenblatt.cli.shell import say

    raw = _bundled(data) if _is_bundled(data) else _file(data, choice, columns, width, labelled)
    if labelled and raw.y is None:
        raise InputError(f"{raw.source}: no labels; name the label column with --label")
    say(f"{raw.source}: {raw.note}", style="dim")
    return raw


def _is_bundled(data: str) -> bool:
    from rosenblatt import datasets
    from rosenblatt.readers.sources import nearest

    if data == "-" or os.path.exists(data):
        return False
    if data in datasets.EXAMPLES or data in datasets.BUNDLED:
        return True
    if re.fullmatch(r"[\w-]+", data):
        known = [*datasets.EXAMPLES, *datasets.BUNDLED]
        files = sorted(os.listdir())
        hint = nearest(data, known + files) or "; `rosenblatt datasets` lists the sets"
        raise InputError(f"{data}: no such file, and no bundled set of that name{hint}")
    return False


def _bundled(name: str) -> Raw:
    from rosenblatt import datasets

    example = datasets.load(name)
    names, settings = [], {}
    if name in datasets.BUNDLED:
        from sklearn import datasets as bundled

        names = list(map(str, getattr(bundled, f"load_{name}")().feature_names))
    else:
        settings = example.settings
    classes = len(set(example.y.tolist()))
    rows, width = example.X.shape
    note = f"bundled set, {classes} classes; {rows} rows, {width} numeric columns"
    return Raw(example.X, example.y, {}, names, [], None, name, note, settings)


def _file(
    data: str, choice: Choice, columns: Sequence[Any] | None, width: int | None, labelled: bool
) -> Raw:
    import numpy as np

    from rosenblatt.cli.shell import waiting
    from rosenblatt.readers import open_reader

    options: dict[str, Any] = {
        "label": None if labelled else False,
        "ignore": columns_of(choice.ignore),
        "text": columns_of(choice.text) or (),
        "missing": choice.missing,
        "width": width,
    }
    if labelled and choice.label is not None:
        options["label"] = column_of(choice.label)
    chosen = columns_of(choice.columns) if columns is None else columns
    reader: Any = open_reader(data, columns=chosen, **options)
    left_out = [] if choice.one_hot or columns else _of_kind(reader, "text")
    numeric = _of_kind(reader, "numeric")
    if left_out and numeric and not reader.source.once:
        # What is not used need not be complete.
        if chosen is not None:
            options["label"] = reader.label or False
        reader = open_reader(data, columns=numeric, **options)

    def progress() -> tuple[str, float | None]:
        size = reader.size
        read = f"{reader.position:,} bytes of {reader.source.label} read"
        return read, reader.position / size if size else None

    with waiting(progress):
        chunk = reader.read()
    note = reader.describe()
    if left_out:
        note += f"; text left out: {', '.join(left_out)} (--one-hot makes features of text)"
    text = {
        name: np.array(values.to_pylist(), object)
        for name, values in chunk.text.items()
        if name not in left_out
    }
    used = [list(column) for column in reader.columns_used if column.name not in left_out]
    names = list(reader.names or numeric)
    label = getattr(reader, "label", None)
    label = label if isinstance(label, str) and used else None
    return Raw(chunk.X, chunk.y, text, names, used, label, reader.source.label, note, {})


def _of_kind(reader: Any, kind: str) -> list[str]:
    return [column.name for column in reader.columns_used if column.kind == kind]


def column_of(name: str) -> str | int:
    """A column by name, or by position where it is a whole number."""
    return int(name) if re.fullmatch(r"-?\d+", name) else name


def columns_of(values: list[str] | None) -> list[str | int] | None:
    """Columns named in options, each a list with commas."""
    if not values:
        return None
    return [
        column_of(name.strip()) for value in values for name in value.split(",") if name.strip()
    ]
