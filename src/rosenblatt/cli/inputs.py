"""DATA on the command line: a file, a glob, ``-`` or the name of a bundled set."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Annotated, Any, get_type_hints

from typer import Option

from rosenblatt.data.tables.columns import Columns, numeric
from rosenblatt.data.tables.reading import Choice, RawTable, columns_of, read_file
from rosenblatt.errors import InputError, nearest

PANEL = "How DATA is read"
FORMATS = "csv, tsv, parquet, arrow, svmlight, vw, npy or npz"  # importing the readers takes numpy
METAVARS = {
    **dict.fromkeys(("columns", "ignore", "text"), "NAMES"),
    **{"label": "NAME", "positive": "CLASS", "format": "FORMAT"},
}
OPTIONS: dict[str, Any] = {
    name: Option(*flags, help=words, rich_help_panel=PANEL, metavar=METAVARS.get(name))
    for name, words, *flags in (
        ("label", "Label column: name, or position from 0. Default: the last."),
        ("positive", "Tell this class from all others."),
        ("columns", "Columns to learn from, by commas; the last one of all only with --label."),
        ("ignore", "Columns to leave out, separated by commas."),
        ("text", "Columns to read as text although they look like numbers."),
        ("missing", "What lacks a value: an error, rows left out, or numbers filled in."),
        ("one_hot", "Make features of text columns, one for each value.", "--one-hot"),
        ("scale", "Scale features to mean 0 and variance 1.", "--scale"),
        ("skip_lines", "Lines before the table to leave out, such as a title.", "--skip-lines"),
        ("header", "Whether the first line names the columns. Default: guessed."),
        ("delimiter", "Between values: a character, or tab, space, … Default: guessed."),
        ("format", f"{FORMATS}. Default: by content and ending."),
        ("bits", "Hash Vowpal Wabbit names into 2^bits columns. Default: 18."),
    )
}


def with_choice(verb: Callable[..., Any], names: Sequence[str] | None = None) -> Any:
    """Give a verb the options of `Choice`, or some; it gets them as its argument ``choice``."""
    options = _options()
    options = {name: options[name] for name in names or options}
    own = inspect.signature(verb, eval_str=True)
    shared = list(options.values())
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


@cache
def _options() -> dict[str, inspect.Parameter]:
    """The options of `Choice`, as verbs declare them."""
    hints = get_type_hints(Choice)
    return {
        name: option.replace(
            annotation=Annotated[hints[name], OPTIONS[name]], kind=option.KEYWORD_ONLY
        )
        for name, option in inspect.signature(Choice).parameters.items()
    }


def with_choice_of(*names: str) -> Callable[[Callable[..., Any]], Any]:
    """`with_choice` of those options only."""
    return lambda verb: with_choice(verb, names)


def read(
    data: str,
    choice: Choice,
    *,
    learned: Columns | None = None,
    width: int | None = None,
    labelled: bool = True,
) -> RawTable:
    """Read DATA, and tell the user what was guessed.

    Parameters
    ----------
    data : str
    choice : Choice
    learned : Columns, optional
        The columns of a model: the data is read as its training data was.
    width : int, optional
        Features of the model, for formats whose files may show fewer.
    labelled : bool
        Whether there is a label to look for.
    """
    from rosenblatt.cli.flags import in_flags
    from rosenblatt.cli.shell import say, waiting

    if is_bundled(data):
        raw = _chosen(_bundled(data), choice, learned)
    else:
        again: dict[str, Any] = {"learned": learned, "width": width, "labelled": labelled}
        raw = read_file(data, choice, **again, waiting=waiting)
        raw = raw._replace(note=in_flags(raw.note))
    if labelled and raw.y is None:
        raise InputError(f"{raw.source}: no labels; name the label column with --label")
    if learned is not None:
        learned.refuse_without_text(raw)
    say(f"{raw.source}: {raw.note}", style="dim")
    return raw


def is_bundled(data: str) -> bool:
    """Whether DATA is the name of a bundled set; an error if it is no file either."""
    if data == "-" or os.path.exists(data):
        return False
    from rosenblatt.data import datasets

    if data in datasets.EXAMPLES or data in datasets.BUNDLED:
        return True
    if re.fullmatch(r"[\w-]+", data):
        known = [*datasets.EXAMPLES, *datasets.BUNDLED]
        files = sorted(os.listdir())
        hint = nearest(data, known + files) or "; `rosenblatt datasets` lists the sets"
        raise InputError(f"{data}: no such file, and no bundled set of that name{hint}")
    return False


def _bundled(name: str) -> RawTable:
    from rosenblatt.data import datasets

    example = datasets.load(name)
    names, settings = [], {}
    if name in datasets.BUNDLED:
        names = datasets.feature_names(name)
    else:
        settings = example.settings
    classes = len(set(example.y.tolist()))
    rows, width = example.X.shape
    note = f"bundled set, {classes} classes; {rows} rows, {width} numeric columns"
    raw = RawTable(example.X, example.y, {}, names, numeric(names), None, name, note, settings)
    return raw._replace(places=lambda rows: [f"row {row}" for row in rows])


def _chosen(raw: RawTable, choice: Choice, learned: Columns | None) -> RawTable:
    """The columns of a bundled set that the user asks for, or those of a model.

    Where the set or the model has no names for them, all there are, in their order.
    """
    from rosenblatt.data.readers.table import find_column

    names = raw.names or [f"x{j}" for j in range(raw.X.shape[1])]
    if learned is None or not learned.used:
        for name in ("label", "text", "skip_lines", "header", "delimiter", "format", "bits"):
            option = f"--{name.replace('_', '-')}"
            if getattr(choice, name) is not None:
                raise InputError(
                    f"{raw.source}: a bundled set has its labels, and numbers only; leave {option} "
                    "out"
                )
        wanted, left_out = (
            [find_column(names, name, raw.source) for name in columns_of(given) or ()]
            for given in (choice.columns, choice.ignore)
        )
    else:
        wanted, left_out = [], []
        if raw.names and learned.named:
            wanted = [find_column(names, name, raw.source) for name, _ in learned.used]
    used = [name for name in wanted or names if name not in left_out]
    if used == names:
        return raw
    if not used:
        raise InputError(f"{raw.source}: no columns left besides the label")
    which = [names.index(name) for name in used]
    note = f"{raw.note}, {len(used)} of them used"
    settings: dict[str, Any] = {}  # those of a worked example are about all of its columns
    chosen = raw._replace(X=raw.X[:, which], names=used, used=numeric(used))
    return chosen._replace(note=note, settings=settings)
