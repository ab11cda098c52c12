"""What the verbs tell, as tables for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosenblatt.cli.proofs import in_words
from rosenblatt.fit.report import VERDICTS, signed_weights
from rosenblatt.text import plural

SHOWN_CLASSES = 12
FEW_ROWS = 4  # of a proof, without --details
TELLING = 100.0  # a bound so many times what it bounds tells nothing
# Solutions that need not be the weights that a run ended with.
OTHERS = {
    "average": "the averaged weights",
    "pocket": "the weights of fewest training errors",
    "vote": "a vote of all weights",
}


def show_proof(
    console: Any, proof: dict[str, Any] | None, held: bool = False, most: int | None = None
) -> None:
    """A certificate in words, and its rows with their places in the data, so many at most."""
    if proof is None:
        return
    console.print(proof["explained"])
    rows = (proof.get("rows") or [])[:most]
    if not rows:
        return
    part = "learned from, without those held out" if held else "read"
    total = len(set(proof["content"]["rows"]))
    shown = f"The first {len(rows)} of {total:,} rows" if total > len(rows) else "The rows"
    console.print(
        f"({shown} of the proof, by their numbers from 0 in the rows {part}.)", style="dim"
    )
    lines = [(row["row"], row["place"], row["label"], in_words(row)) for row in rows]
    _show(console, "", ("row", "where", "label", "values"), lines)


def show_fit(console: Any, found: dict[str, Any], details: bool = False) -> None:
    """The report of a fit: how well it predicts, what is known of the data, the proof of it."""
    training, held = found["training"], found["held_out"]
    _show(console, "", ("", ""), _predictive(found))
    if held or training:
        show_confusion(console, held or training, "held-out" if held else "training")
    console.print(VERDICTS[found["verdict"].upper()], style="bold")
    _show(console, "", ("", ""), _learned(found, details))
    show_weights(console, found)
    most = None if details else FEW_ROWS
    show_proof(console, found["certificate"], held=bool(held), most=most)


def _predictive(found: dict[str, Any]) -> list[tuple[str, Any]]:
    """How often the model is right, and what that is to be compared with."""
    training, held = found["training"], found["held_out"]
    how = (
        "`rosenblatt score` measures it"
        if found.keys() & {"stream", "partitions"}
        else "--test 0.25 holds a quarter out"
    )
    unheld = f"not measured ({how})"
    if found.get("interrupted") and not found.keys() & {"stream", "partitions"}:
        unheld = "not measured: interrupted"
    rows = [
        ("held-out accuracy", _accuracy_words(held) if held else unheld),
        ("training accuracy", _accuracy_words(training) if training else _why_not(found)),
    ]
    if not held:
        rows.reverse()
    if held or training:
        largest = (held or training)["majority"]
        always = f"the answer {largest['class']!r} to everything is right on {largest['share']:.4f}"
        rows.insert(1, ("to compare with", always))
    if found["positive"] is not None:
        rows.append(("positive class", found["positive"]))
    return rows


def _learned(found: dict[str, Any], details: bool) -> list[tuple[str, Any]]:
    """What is known of the run and of the data."""
    low, high = found["margin"]
    bound, updates = found["mistake_bound"], found["updates"]
    against = ", no bound known" if details else ""
    if bound < (float("inf") if details else TELLING * max(updates, 1)):
        against = f", bound {_count(bound)}"
    if "weighted_mistakes" in found:  # of partitions, which are what the bound is about
        against = f" ({found['weighted_mistakes']:,.6g} as weighted in the mix{against})"
    rows = [("why it stopped", found["stop_sentence"])]
    if details or high <= TELLING * low != 0:
        margin = f"between {low:.6g} and {high:.6g}" if high else "none"
        rows.append(("margin", f"{margin} (radius {found['radius']:.6g})"))
    rows += [("updates", f"{updates:,}{against}"), ("mistakes", _mistakes(found))]
    if details:
        adds = f"{found['cost']['multiply_adds']:,} multiply-adds"
        rows.append(("cost", f"{adds} in {plural(found['looks'], 'look')}"))
        rows.append(("time", f"{found['seconds']:.3g} s"))
    other = OTHERS.get(found["parameters"]["solution"])
    if other is None and found["stop"] == "SEPARATED_OVERFIT":
        other = "other weights than the separator"
    if other is not None:
        about = "margin, updates and proof are about the last weights"
        rows.append(("what predicts", f"{other}; {about}"))
    if found.get("error_bound") and not found["held_out"]:
        rows.append(("error on new rows", found["error_bound"]))
    if found["model"]:
        rows.append(("model", found["model"]))
    return rows


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
    """The confusion matrix; where it is too large to read, the lowest recalls."""
    classes = list(map(str, scored["classes"]))
    if len(classes) > SHOWN_CLASSES:
        known = [(r, c) for r, c in zip(scored["recall"], classes, strict=True) if r == r]
        lines = [(name, f"{recall:.4f}") for recall, name in sorted(known)[:SHOWN_CLASSES]]
        _show(console, f"Lowest recall ({rows} rows)", ("class", "recall"), lines)
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
