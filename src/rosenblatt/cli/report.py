"""What the verbs tell, as tables for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosenblatt.cli.proofs import in_words
from rosenblatt.fit.report import VERDICTS, signed_weights
from rosenblatt.words import plural

SHOWN_CLASSES = 12
# Solutions that need not be the weights that a run ended with.
OTHERS = {
    "average": "the averaged weights",
    "pocket": "the weights of fewest training errors",
    "vote": "a vote of all weights",
}


def show_proof(console: Any, proof: dict[str, Any] | None, held: bool = False) -> None:
    """A certificate in words, and its rows as the user has them."""
    if proof is None:
        return
    console.print(proof["explained"])
    rows = proof.get("rows")
    if not rows:
        return
    part = "the rows learned from, those held out left aside" if held else "the rows read"
    total = len(set(proof["content"]["rows"]))
    first = f"the first {len(rows)} of {total:,} rows" if total > len(rows) else "the rows"
    console.print(f"(Here are {first} of the proof; it counts from 0 among {part}.)", style="dim")
    lines = [(row["row"], row["place"], row["label"], in_words(row)) for row in rows]
    _show(console, "", ("row", "where", "label", "values"), lines)


def show_fit(console: Any, found: dict[str, Any]) -> None:
    """The report of a fit."""
    verdict = found["verdict"].upper()
    console.print(VERDICTS[verdict], style="bold")
    show_proof(console, found["certificate"], held=bool(found["held_out"]))
    console.print()
    low, high = found["margin"]
    bound, updates = found["mistake_bound"], found["updates"]
    against = f", bound {_count(bound)}" if bound < float("inf") else ", no bound known"
    if "weighted_mistakes" in found:  # of partitions, which are what the bound is about
        against = f" ({found['weighted_mistakes']:,.6g} as weighted in the mix{against})"
    margin = f"between {low:.6g} and {high:.6g}" if high else "none"
    cost = found["cost"]
    rows = [] if found["positive"] is None else [("positive class", found["positive"])]
    rows += [
        ("why it stopped", found["stop_sentence"]),
        ("margin", f"{margin} (radius {found['radius']:.6g})"),
        ("updates", f"{updates:,}{against}"),
        ("mistakes", _mistakes(found)),
        ("cost", f"{cost['multiply_adds']:,} multiply-adds in {plural(found['looks'], 'look')}"),
        ("time", f"{found['seconds']:.3g} s"),
    ]
    training, held = found["training"], found["held_out"]
    other = OTHERS.get(found["parameters"]["solution"])
    if other is None and found["stop"] == "SEPARATED_OVERFIT":
        other = "the mean over shuffled passes"
    if other is not None:
        rows.append(("what predicts", f"{other}; all above is about the last weights"))
    rows.append(("training accuracy", _accuracy_words(training) if training else _why_not(found)))
    how = (
        "`rosenblatt score` measures it"
        if found.keys() & {"stream", "partitions"}
        else "--test 0.25 holds a quarter out"
    )
    words = _accuracy_words(held) if held else f"not measured ({how})"
    if found.get("interrupted") and not found.keys() & {"stream", "partitions"}:
        words = "not measured: interrupted"
    rows.append(("held-out accuracy", words))
    if held or training:
        largest = (held or training)["majority"]
        always = f"the answer {largest['class']!r} to everything is right on {largest['share']:.4f}"
        rows.append(("to compare with", always))
    if found.get("error_bound") and not held:
        rows.append(("error on new rows", found["error_bound"]))
    if found["model"]:
        rows.append(("model", found["model"]))
    _show(console, "", ("", ""), rows)
    if held or training:
        show_confusion(console, held or training, "held-out" if held else "training")
    show_weights(console, found)


def show_weights(console: Any, found: dict[str, Any]) -> None:
    """The weights of most effect."""
    weights = signed_weights(found)
    head, by_effect = ("feature", "towards", "weight"), weights and weights[0]["effect"] is not None
    lines = [(w["feature"], w["towards"], f"{abs(w['weight']):.6g}") for w in weights]
    if by_effect:
        head = (*head, "× spread of the column")
        pairs = zip(lines, weights, strict=True)
        lines = [(*line, f"{weight['effect']:.6g}") for line, weight in pairs]
    _show(console, "Largest weights", head, lines)


def _mistakes(found: dict[str, Any]) -> str:
    """The count, and why it may exceed passes × rows."""
    rows, passes = found["rows"], found["passes"]
    text = f"{found['mistakes']:,} in {plural(passes, 'pass')}"
    active = found["parameters"].get("order") == "active"
    if active and rows and found["mistakes"] > passes * rows:
        text += ", which look again and again at the rows that were mistaken (--order active)"
    return text


def _why_not(found: dict[str, Any]) -> str:
    """Why the training accuracy was not measured."""
    if found.get("once"):
        return f"not measured ({found['source']} can be read only once)"
    return "not measured: interrupted"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e9 else f"{number:.3g}"


def show_confusion(console: Any, scored: dict[str, Any], rows: str) -> None:
    """The confusion matrix, unless it is too large to read."""
    classes = list(map(str, scored["classes"]))
    if len(classes) > SHOWN_CLASSES:
        return
    lines = [
        (name, *(f"{count:,}" for count in line), f"{recall:.4f}" if recall == recall else "")
        for name, line, recall in zip(classes, scored["confusion"], scored["recall"], strict=True)
    ]
    _show(console, f"Confusion ({rows} rows)", ("true \\ predicted", *classes, "recall"), lines)


def show_score(console: Any, scored: dict[str, Any]) -> None:
    """The report of a score."""
    console.print(f"accuracy {_accuracy_words(scored)}", style="bold")
    largest = scored["majority"]
    console.print(f"The answer {largest['class']!r} to everything reaches {largest['share']:.4f}.")
    if scored["positive"] is not None:
        console.print(f"Positive class: {scored['positive']!r}.")
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
