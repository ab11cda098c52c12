"""What the verbs tell: as tables for people, as plain data for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Any

VERDICTS = {
    "SEPARABLE": "The classes are linearly separable.",
    "INSEPARABLE": "The classes are not linearly separable.",
    "UNDECIDED": "Whether the classes are linearly separable is undecided.",
}
SHOWN_WEIGHTS, SHOWN_CLASSES = 10, 12


def accuracy(model: Any, X: Any, y: Any, words: list[Any]) -> dict[str, Any]:
    """Share of right predictions with its 95 % interval (Wilson 1927), and the confusions.

    Parameters
    ----------
    model, X, y
    words : list
        What the classes are called.
    """
    predicted = model.predict(X)
    pairs = Counter(zip(y.tolist(), predicted.tolist(), strict=True))
    classes = model.classes_.tolist()
    confusion = [[pairs[true, said] for said in classes] for true in classes]
    return accuracy_of(confusion, words, len(y))


def accuracy_of(
    confusion: list[list[int]], words: list[Any], rows: int | None = None
) -> dict[str, Any]:
    """The same from a confusion matrix; of all ``rows``, some may be of no known class."""
    from scipy.stats import binomtest

    right = sum(confusion[k][k] for k in range(len(confusion)))
    rows = sum(map(sum, confusion)) if rows is None else rows
    interval = binomtest(right, rows).proportion_ci(method="wilson")
    return {
        "rows": rows,
        "right": right,
        "accuracy": right / rows,
        "interval": [interval.low, interval.high],
        "classes": words,
        "confusion": confusion,
    }


def largest_weights(model: Any, names: list[str], classes: list[Any]) -> list[dict[str, Any]]:
    """The largest weights in absolute value, with the feature and the side they speak for."""
    import numpy as np

    coef = np.asarray(model.coef_)
    flat = np.argsort(-np.abs(coef), axis=None, kind="stable")[:SHOWN_WEIGHTS]
    sides: list[Any] = classes if len(coef) == len(classes) else [classes[1]]
    if len(coef) > len(sides):
        sides = [f"{k} over {j}" for j, k in combinations(classes, 2)]
    return [
        {
            "feature": names[j] if names else f"x{j}",
            "towards": sides[row],
            "weight": float(coef[row, j]),
        }
        for row, j in zip(*np.unravel_index(flat, coef.shape), strict=True)
        if coef[row, j]
    ]


def certificate(proof: Any) -> dict[str, Any] | None:
    """A certificate in words and in full."""
    if proof is None:
        return None
    return {"kind": proof.kind, "explained": proof.explain(), "content": proof.to_dict()}


def fitted(model: Any, names: list[str], classes: list[Any]) -> dict[str, Any]:
    """All that a fit found out."""
    cost = model.run_.cost._asdict()
    return {
        "verdict": model.verdict_.value,
        "certificate": certificate(model.certificate_),
        "margin": list(model.margin_),
        "radius": model.radius_,
        "mistakes": model.mistakes_,
        "updates": model.updates_,
        "mistake_bound": model.mistake_bound_,
        "passes": model.n_iter_,
        "looks": model.looks_,
        "stop": model.stop_.name,
        "stop_sentence": str(model.stop_),
        "weights": largest_weights(model, names, classes),
        "intercept": model.intercept_,
        "cost": cost,
        "seconds": model.run_.seconds,
        "parameters": model.get_params(deep=False),
    }


def show_fit(console: Any, found: dict[str, Any]) -> None:
    """The report of a fit."""
    verdict = found["verdict"].upper()
    console.print(VERDICTS[verdict], style="bold")
    if found["certificate"]:
        console.print(found["certificate"]["explained"])
    console.print()
    low, high = found["margin"]
    bound, updates = found["mistake_bound"], found["updates"]
    against = f", bound {_count(bound)}" if bound < float("inf") else ", no bound known"
    margin = f"between {low:.6g} and {high:.6g}" if high else "none"
    cost = found["cost"]
    rows = [
        ("why it stopped", found["stop_sentence"]),
        ("margin", f"{margin} (radius {found['radius']:.6g})"),
        ("updates", f"{updates:,}{against}"),
        ("mistakes", f"{found['mistakes']:,} in {found['passes']:,} passes"),
        ("cost", f"{cost['multiply_adds']:,} multiply-adds in {found['looks']:,} looks"),
        ("time", f"{found['seconds']:.3g} s"),
        ("training accuracy", _accuracy_words(found["training"])),
    ]
    held = found["held_out"]
    words = _accuracy_words(held) if held else "not measured (--test 0.25 holds a quarter out)"
    rows.append(("held-out accuracy", words))
    if found["model"]:
        rows.append(("model", found["model"]))
    _show(console, "", ("", ""), rows)
    show_confusion(console, held or found["training"], "held-out" if held else "training")
    _show(
        console,
        "Largest weights",
        ("feature", "towards", "weight"),
        [(w["feature"], w["towards"], f"{abs(w['weight']):.6g}") for w in _signed(found)],
    )


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e9 else f"{number:.3g}"


def _signed(found: dict[str, Any]) -> list[dict[str, Any]]:
    """A negative weight of two classes speaks for the other; of many, against its own."""
    classes = found["training"]["classes"]
    shown = []
    for weight in found["weights"]:
        side = weight["towards"]
        if weight["weight"] < 0:
            side = classes[0] if len(classes) == 2 else f"away from {side}"
        shown.append({**weight, "towards": side})
    return shown


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
