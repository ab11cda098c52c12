"""What `separation_kind` answers, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data.notebook import code, sentence, table
from rosenblatt.solve.separation.answer import ADVICE, REGRESSIONS, WHY_EITHER, Estimate, Kind
from rosenblatt.solve.separation.redundant import excess, nearly_dependent
from rosenblatt.words import plural

if TYPE_CHECKING:
    from rosenblatt.solve.separation.answer import SeparationKind

# Longer lists are cut in print.
SHOWN = 20


def said(result: SeparationKind, step: bool = True) -> str:
    """The answer, its coefficients, what is redundant, and the next step in Python unless not."""
    lines = [_headline(result)]
    diverging = result.diverging
    if diverging:
        lines += _listed(f"No finite estimate (coefficients of {result.about}):", diverging)
        if Estimate.EITHER in diverging.values():
            lines.append(WHY_EITHER)
    lines += _dependent(result)
    unsettled = sum(where is Estimate.UNSETTLED for where in result.coefficients.values())
    if unsettled and result.kind is not Kind.UNDECIDED:
        lines.append(f"Not settled in time: {plural(unsettled, 'coefficient')}. Raise time_limit.")
    if result.near_tie is not None:
        lines.append(str(result.near_tie))
    lines.append(_advice(result))
    return "\n".join([*lines, result.next_step if step else ""]).rstrip("\n")


def outlined(result: SeparationKind) -> str:
    """What is known of a large problem before its coefficients are settled, and how to ask."""
    near = [] if result.near_tie is None else [str(result.near_tie)]
    rest = [] if result.kind is Kind.UNDECIDED else [_to_settle(result)]
    return "\n".join([_headline(result), *near, _advice(result), *rest])


def shown(result: SeparationKind) -> str:
    """The same for a notebook, every coefficient in a table."""
    if not result._is_told:
        return "".join(map(sentence, outlined(result).split("\n")))
    coefficients = list(result.coefficients.items())
    rows = [(name, str(where)) for name, where in coefficients[:SHOWN]]
    if len(coefficients) > SHOWN:
        rows.append((f"… ({len(coefficients)} in all)", ""))
    head = (f"coefficient of {result.about}", "estimate")
    advice = _advice(result)
    notes = [*result.redundant, *([] if result.near_tie is None else [str(result.near_tie)])]
    parts = [table(rows, head, _headline(result)), *map(sentence, [*notes, advice])]
    step = result.next_step
    return "".join([*parts, code(step)] if step else parts)


def _advice(result: SeparationKind) -> str:
    return ADVICE[result.kind].format(model=REGRESSIONS[result.model])


def _to_settle(result: SeparationKind) -> str:
    return (
        f"Where the {len(result.names):,} coefficients go is settled when it is asked for, which "
        "may take long: result.coefficients, or print(result.report) for all in words."
    )


def _headline(result: SeparationKind) -> str:
    count, n = int(result.strict.sum()), len(result._design.present)
    binary = result.model == "logit"
    what = "a hyperplane has" if binary else f"coefficients of the {result.model} model have"
    others = "the others on itself" if binary else "no other on a wrong one, some in part on theirs"
    none = (
        "no hyperplane separates the classes, not even with rows on it"
        if binary
        else f"no coefficients of the {result.model} model separate the classes, not even in part"
    )
    return {
        Kind.COMPLETE: f"Complete separation: {what} all {n:,} rows strictly on their sides.",
        Kind.QUASI_COMPLETE: f"Quasi-complete separation: {what} {count:,} of {n:,} rows strictly "
        f"on their sides and {others}.",
        Kind.OVERLAP: f"Overlap: {none}.",
        Kind.UNDECIDED: f"Undecided for the {result.model} model of {n:,} rows.",
    }[result.kind]


def _dependent(result: SeparationKind) -> list[str]:
    lines = []
    unidentified = {
        name: where for name, where in result.coefficients.items() if where is Estimate.UNIDENTIFIED
    }
    if unidentified:
        title = "Not identified, as columns depend on each other:"
        many = excess(result._design)
        equations = result.redundant
        lines += _listed(title, unidentified)
        lines += [f"  {equation}" for equation in equations[:SHOWN]]
        if not equations and many:
            lines.append(f"  ({many:,} columns more than the rows can tell apart)")
        elif equations:
            lines.append("Leave one column out of each equation.")
    near = nearly_dependent(result._design)
    if near:
        lines.append(f"Up to rounding, these are combinations of other columns: {', '.join(near)}.")
    return lines


def limiting_step(result: SeparationKind) -> list[str]:
    """The limiting model, in two lines that run."""
    if result.kind is not Kind.QUASI_COMPLETE or result.model == "ordinal":
        return []
    rows, columns = result.limiting()
    if not columns or not np.array_equal(rows, ~result.strict):  # rows of weight 0 are neither
        return []
    features = list(result._design.features)
    named = all(name.startswith("x") and name[1:].isdigit() for name in columns)
    chosen = f"[{', '.join(name[1:] for name in columns)}]" if named else repr(columns)
    take = "X[rows][:, columns]" if named else "X.loc[rows, columns]"
    own = "intercept" in features
    return [
        "The limiting model, on the rows that are not strict (y as an array):",
        f"  rows, columns = ~result.strict, {chosen}",
        f"  LogisticRegression(C=np.inf, fit_intercept={own}).fit({take}, y[rows])",
    ]


def _listed(title: str, coefficients: dict[str, Estimate]) -> list[str]:
    shown = list(coefficients.items())[:SHOWN]
    wide = max(len(name) for name, _ in shown)
    lines = [title, *(f"  {name:{wide}}  {where}" for name, where in shown)]
    return lines if len(coefficients) <= SHOWN else [*lines, f"  … ({len(coefficients)} in all)"]
