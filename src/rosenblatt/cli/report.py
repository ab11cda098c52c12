"""What the verbs tell, as tables for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosenblatt.cli.shell import in_flags
from rosenblatt.report import VERDICTS, signed_weights

SHOWN_CLASSES = 12


def rows_counted(held: bool = False) -> str:
    """How the rows of a proof are counted, in words."""
    part = "the rows learned from, those held out left aside" if held else "the rows read"
    return f"(Rows are counted from 0 among {part}; a header and rows dropped do not count.)"


def show_fit(console: Any, found: dict[str, Any]) -> None:
    """The report of a fit."""
    verdict = found["verdict"].upper()
    console.print(VERDICTS[verdict], style="bold")
    if found["certificate"]:
        console.print(found["certificate"]["explained"])
        console.print(rows_counted(held=bool(found["held_out"])), style="dim")
    console.print()
    low, high = found["margin"]
    bound, updates = found["mistake_bound"], found["updates"]
    against = f", bound {_count(bound)}" if bound < float("inf") else ", no bound known"
    if "weighted_mistakes" in found:  # of partitions, which are what the bound is about
        against = f" ({found['weighted_mistakes']:,.6g} as weighted in the mix{against})"
    margin = f"between {low:.6g} and {high:.6g}" if high else "none"
    cost = found["cost"]
    rows = [
        ("why it stopped", in_flags(found["stop_sentence"])),
        ("margin", f"{margin} (radius {found['radius']:.6g})"),
        ("updates", f"{updates:,}{against}"),
        ("mistakes", f"{found['mistakes']:,} in {found['passes']:,} passes"),
        ("cost", f"{cost['multiply_adds']:,} multiply-adds in {found['looks']:,} looks"),
        ("time", f"{found['seconds']:.3g} s"),
    ]
    training, held = found["training"], found["held_out"]
    measured = _accuracy_words(training) if training else "not measured (the rows are gone)"
    rows.append(("training accuracy", measured))
    how = (
        "`rosenblatt score` measures it"
        if found.keys() & {"stream", "partitions"}
        else "--test 0.25 holds a quarter out"
    )
    words = _accuracy_words(held) if held else f"not measured ({how})"
    rows.append(("held-out accuracy", words))
    if found["model"]:
        rows.append(("model", found["model"]))
    _show(console, "", ("", ""), rows)
    if held or training:
        show_confusion(console, held or training, "held-out" if held else "training")
    _show(
        console,
        "Largest weights",
        ("feature", "towards", "weight"),
        [(w["feature"], w["towards"], f"{abs(w['weight']):.6g}") for w in signed_weights(found)],
    )


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e9 else f"{number:.3g}"


def show_confusion(console: Any, scored: dict[str, Any], rows: str) -> None:
    """The confusion matrix, unless it is too large to read."""
    classes = list(map(str, scored["classes"]))
    if len(classes) > SHOWN_CLASSES:
        return
    lines = [
        (name, *(f"{count:,}" for count in line))
        for name, line in zip(classes, scored["confusion"], strict=True)
    ]
    _show(console, f"Confusion ({rows} rows)", ("true \\ predicted", *classes), lines)


def show_score(console: Any, scored: dict[str, Any]) -> None:
    """The report of a score."""
    console.print(f"accuracy {_accuracy_words(scored)}", style="bold")
    show_confusion(console, scored, "scored")


def _accuracy_words(scored: dict[str, Any]) -> str:
    low, high = scored["interval"]
    return (
        f"{scored['accuracy']:.4f}, 95 % interval {low:.4f} to {high:.4f} "
        f"({scored['right']:,} of {scored['rows']:,})"
    )


def show_table(console: Any, head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """A plain table."""
    _show(console, "", head, rows)


def _show(console: Any, title: str, head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=title or None,
        title_justify="left",
        box=box.SIMPLE_HEAD if any(head) else None,
        show_header=any(head),
    )
    for at, name in enumerate(head):
        table.add_column(Text(name), style="bold" if at == 0 else "", overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(table)
