"""What `separation_kind` answers, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.data.notebook import code, sentence, table
from rosenblatt.solve.separation.answer import (
    ADVICE,
    CLASSIFY,
    INTERVALS,
    NOTHING,
    PENALISE,
    REDUNDANT,
    REGRESSIONS,
    WHY_EITHER,
    Estimate,
    Kind,
)
from rosenblatt.solve.separation.limit import why_none
from rosenblatt.solve.separation.models import BINARY, CONTESTS, LOG
from rosenblatt.solve.separation.redundant import excess, nearly_dependent
from rosenblatt.text import plural

if TYPE_CHECKING:
    from rosenblatt.solve.separation.answer import SeparationKind

# Longer lists are cut in print.
LINES = 20


def said(result: SeparationKind, step: bool = True, rows: list[int] | None = None) -> str:
    """The answer, its coefficients, what is redundant, and the next step in Python unless not.

    ``rows`` are other numbers of the separated rows, such as those in a file.
    """
    lines = [_headline(result)]
    diverging = result.diverging
    if diverging:
        rest = {n: where for n, where in result.coefficients.items() if n not in diverging}
        whole = result.coefficients if len(result.names) <= LINES else {**diverging, **rest}
        lines += _listed(f"Estimates (coefficients of {result.about}):", whole)
        if Estimate.EITHER in diverging.values():
            lines.append(WHY_EITHER)
    lines += [*_dependent(result), *_notes(result, rows)]
    unsettled = sum(where is Estimate.UNSETTLED for where in result.coefficients.values())
    if unsettled and result.kind is not Kind.UNDECIDED:
        lines.append(f"Not settled in time: {plural(unsettled, 'coefficient')}. Raise time_limit.")
    if result.near_tie is not None:
        lines.append(str(result.near_tie))
    lines += [_advice(result), *_intervals(result)]
    return "\n".join([*lines, *(_step(result) if step else ())])


def _step(result: SeparationKind) -> list[str]:
    """The next step in code, or why there is none, where the advice speaks of one."""
    if result.kind is not Kind.QUASI_COMPLETE:
        return []
    why = why_none(result) or "nothing is left to estimate on the rows that are not separated."
    return [result.next_step or f"No code for the limiting model: {why}"]


def _notes(result: SeparationKind, rows: list[int] | None = None) -> list[str]:
    """Levels that are separated, and the first of the rows that are."""
    named: list[Any] = result.separated.tolist() if rows is None else rows
    notes = _cells(result)
    if result.kind is Kind.QUASI_COMPLETE and named:
        more = ", … (result.separated has all)" if len(named) > LINES else ""
        notes.append(f"Separated rows ({len(named):,}): {', '.join(map(str, named[:LINES]))}{more}")
    return notes


def _intervals(result: SeparationKind) -> list[str]:
    return [INTERVALS] if result.diverging and result.kind is Kind.QUASI_COMPLETE else []


def _cells(result: SeparationKind) -> list[str]:
    """Levels that separate because all of their rows have one outcome."""
    if result.kind in (Kind.OVERLAP, Kind.UNDECIDED):
        return []
    alike = result.alike
    if result.model in CONTESTS:  # only where the level is at risk, or its group has a case
        places = result.coefficients
        alike = {n: what for n, what in alike.items() if places.get(n) is not Estimate.FINITE}
    if not alike:
        return []
    title = {
        "poisson": "Levels whose y are all 0",
        "log-binomial": "Levels whose y are all 0",
        "cox": "Levels without an event",
        "conditional": "Levels without a case",
    }.get(result.model)
    left_out = {f"{factor}[{level}]" for factor, level in result._design.references.items()}
    named = [
        name + f" ({what})" * (title is None) + ", the level left out" * (name in left_out)
        for name, what in alike.items()
    ]
    more = f"; … ({len(alike):,} in all: result.alike)" if len(alike) > LINES else ""
    return [f"{title or 'Levels with one outcome only'}: {'; '.join(named[:LINES])}{more}"]


def outlined(result: SeparationKind) -> str:
    """What is known of a large problem before its coefficients are settled, and how to ask."""
    near = [] if result.near_tie is None else [str(result.near_tie)]
    rest = [] if result.kind is Kind.UNDECIDED else [_to_settle(result)]
    notes = [] if result.model in CONTESTS else _notes(result)
    return "\n".join([_headline(result), *notes, *near, _advice(result), *rest])


def shown(result: SeparationKind) -> str:
    """The same for a notebook, every coefficient in a table."""
    if not result._is_told:
        return "".join(map(sentence, outlined(result).split("\n")))
    coefficients = list(result.coefficients.items())
    if len(coefficients) > LINES:
        coefficients.sort(key=lambda found: not found[1].diverges)
    rows = [(name, str(where)) for name, where in coefficients[:LINES]]
    if len(coefficients) > LINES:
        rows.append((f"… ({len(coefficients)} in all)", ""))
    head = (f"coefficient of {result.about}", "estimate")
    advice = _advice(result)
    notes = [
        *_notes(result),
        *result.redundant,
        *([] if result.near_tie is None else [str(result.near_tie)]),
    ]
    parts = [
        table(rows, head, _headline(result)),
        *map(sentence, [*notes, advice, *_intervals(result)]),
    ]
    return "".join([*parts, *map(code, _step(result))])


def _advice(result: SeparationKind) -> str:
    instead = CLASSIFY if result.model in (*BINARY, "multinomial") else PENALISE
    advice = ADVICE[result.kind]
    if not result.compares:
        advice = NOTHING
    elif result.kind is Kind.OVERLAP and result._is_told:
        unsure = Estimate.UNIDENTIFIED in result.coefficients.values()
        advice = REDUNDANT if unsure else advice
    return advice.format(model=REGRESSIONS[result.model], instead=instead)


def _to_settle(result: SeparationKind) -> str:
    return (
        f"Where the {len(result.names):,} coefficients go is settled when it is asked for, which "
        "may take long: result.coefficients, or print(result.report) for all in words."
    )


def _headline(result: SeparationKind) -> str:
    count, n = int(result.strict.sum()), len(result._design.present)
    if result.kind is Kind.UNDECIDED:
        return f"Undecided for the {result.model} model of {n:,} rows."
    name = {
        Kind.COMPLETE: "Complete separation",
        Kind.QUASI_COMPLETE: "Quasi-complete separation",
        Kind.OVERLAP: "Overlap",
    }[result.kind]
    return f"{name}: {_what(result)[result.kind].format(count=f'{count:,}', n=f'{n:,}')}"


def _what(result: SeparationKind) -> dict[Kind, str]:
    """What each kind says of rows, in words of the model."""
    if result.model in LOG:
        return {
            Kind.COMPLETE: "all {n} rows have y = 0, and their fitted means go to 0.",
            Kind.QUASI_COMPLETE: "the fitted means of {count} of {n} rows go to 0; y = 0 there.",
            Kind.OVERLAP: "no direction lowers a fitted mean where y = 0 and keeps those where "
            "y > 0.",
        }
    if not result.compares:
        why = "is at risk at the time of an event" if result.model == "cox" else "of a group"
        return dict.fromkeys(Kind, f"no row {why} of another.")
    if result.model in CONTESTS:
        cox = result.model == "cox"
        one, other = ("event", "row at risk") if cox else ("case", "control of its group")
        return {
            Kind.COMPLETE: f"some coefficients put each {one} before every {other} (a monotone "
            "likelihood).",
            Kind.QUASI_COMPLETE: f"some coefficients put no {one} behind any {other} (a monotone "
            "likelihood); {count} of {n} rows are separated.",
            Kind.OVERLAP: f"all coefficients put some {one} behind a {other}.",
        }
    binary = result.model in BINARY
    what = "a hyperplane has" if binary else f"coefficients of the {result.model} model have"
    others = "the others on itself" if binary else "no other on a wrong one, some in part on theirs"
    return {
        Kind.COMPLETE: f"{what} all {{n}} rows strictly on their sides.",
        Kind.QUASI_COMPLETE: f"{what} {{count}} of {{n}} rows strictly on their sides and "
        f"{others}.",
        Kind.OVERLAP: "no hyperplane separates the classes, not even with rows on it."
        if binary
        else f"no coefficients of the {result.model} model separate the classes, not even in part.",
    }


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
        lines += [f"  {equation}" for equation in equations[:LINES]]
        if not equations and many:
            lines.append(f"  ({many:,} columns more than the rows can tell apart)")
        elif equations:
            lines.append("Leave one column out of each equation.")
    near = nearly_dependent(result._design)
    if near:
        lines.append(
            f"Up to rounding, these are combinations of other columns: {', '.join(near)}. Numbers "
            "count as they are; if these are meant to be combinations, ask again without them."
        )
    return lines


def _listed(title: str, coefficients: dict[str, Estimate]) -> list[str]:
    shown = list(coefficients.items())[:LINES]
    wide = max(len(name) for name, _ in shown)
    lines = [title, *(f"  {name:{wide}}  {where}" for name, where in shown)]
    return lines if len(coefficients) <= LINES else [*lines, f"  … ({len(coefficients)} in all)"]
