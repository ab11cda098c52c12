"""Separable or not, and verified, for files that need not fit into memory.

Imports ``decision``, ``certificate`` and the streamed parts of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.engine.loop import length
from rosenblatt.engine.margins import Bracket, outward
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.places.file.constraints import StreamRequirements
from rosenblatt.places.file.learning import Learned, learn_stream
from rosenblatt.places.file.rows import Rows, opened
from rosenblatt.places.file.sweep import Progress
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import (
    Certificate,
    Inseparability,
    Separation,
    Verification,
    classes_of,
)
from rosenblatt.proof.certificate.base import OTHER_DATA, UNBOUND
from rosenblatt.proof.certificate.data import Fingerprint, sides
from rosenblatt.solve.decision import (
    PASSES,
    PASSES_WIDE,
    Clock,
    Decision,
    concluded,
    settle,
)
from rosenblatt.solve.search import OutOfTime, Refutation, Round, Search, Separator


def decide_stream(
    reader: Any,
    *,
    fit_intercept: bool = True,
    memory: int = 1 << 29,
    time_limit: float | None = None,
    progress: Callable[[Round | Progress], None] | None = None,
) -> Decision:
    r"""Decide whether the classes in a file are linearly separable, and prove it.

    Like `rosenblatt.decide`, for two classes and more (one weight vector for each class), but the
    file is read chunk by chunk as often as needed, and only a working set of its rows is held.

    Parameters
    ----------
    reader : Reader, str or path
        From `rosenblatt.readers.open_reader`, or a file to open as it guesses; standard input can
        be read only once, which is not enough.
    fit_intercept : bool
        Whether a hyperplane may miss the origin.
    memory : int
        Bytes for rows during the perceptron's passes. The search for a proof needs some 50 bytes
        a row of the file besides, and what its working set takes.
    time_limit : float, optional
        Seconds, looked at before each chunk is read; without it there is always a verdict.
    progress : callable, optional
        Sees the `Progress` of the passes and each `Round` of working sets.

    Returns
    -------
    Decision
        Its certificate counts rows as they come in the file, from 0.

    Examples
    --------
    >>> import pathlib, tempfile, rosenblatt as rb
    >>> path = pathlib.Path(tempfile.mkdtemp(), "parity.csv")
    >>> _ = path.write_text("a,b,sum is\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n")
    >>> reader = rb.readers.open_reader(path)
    >>> decision = rb.decide_stream(reader)
    >>> decision.verdict, decision.certificate.rows.tolist()
    (Verdict.INSEPARABLE, [0, 1, 2, 3])
    >>> bool(rb.verify_stream(decision.certificate, reader))
    True
    """
    clock = Clock(time_limit)
    reader = opened(reader, memory)
    reader.watch, before = watch_of(clock), getattr(reader, "watch", None)
    try:
        return _decided(reader, fit_intercept, memory, clock, progress)
    except OutOfTime:
        return undecided(clock)
    finally:
        reader.watch = before or (lambda: None)


def watch_of(clock: Clock) -> Callable[[], None]:
    """For a reader: ends the reading when the time is over."""

    def watch() -> None:
        if clock.over():
            raise OutOfTime

    return watch


def undecided(clock: Clock) -> Decision:
    """The decision where the time ran out before any weights were tried on all rows."""
    return Decision(
        verdict=Verdict.UNDECIDED,
        certificate=None,
        margin=Bracket(0.0, math.inf),
        weights=None,
        errors=0,
        rounds=0,
        seconds=clock.spent(),
    )


def _decided(
    reader: Any,
    fit_intercept: bool,
    memory: int,
    clock: Clock,
    progress: Callable[[Round | Progress], None] | None,
) -> Decision:
    rows = _rows(reader, fit_intercept)

    def passes(budget: Budget) -> Learned:
        learned = learn_stream(
            rows,
            make_rule(len(rows.classes)),
            budget=budget,
            memory=memory,
            progress=progress,
            watch=lambda *_: Stop.INTERRUPTED if clock.over() else None,
        )
        if learned.run.stop is Stop.INTERRUPTED and not clock.over():
            raise KeyboardInterrupt
        return learned

    learned = passes(Budget(passes=PASSES))
    goal = StreamRequirements(rows)
    # With more columns than rows a separator is likely, passes are cheap and programs large.
    if goal.n <= goal.d and not learned.run.clean and goal.contradiction() is None:
        learned = passes(Budget(PASSES_WIDE, max(1000, 10 * goal.n)))
    run = learned.run
    search, proof = Search(goal, clock.left, progress), None
    upper = outward(length(run.weights) / run.updates, run.updates, 2 * rows.radius, rows.d)
    with suppress(OutOfTime):
        answer = settle(search, run.weights, moved_by(learned.kept, goal.n), separates=run.clean)
        proof = certificate_of(answer, rows, upper)
    return concluded(proof, search, upper, clock.spent())


def _rows(reader: Any, fit_intercept: bool = True) -> Rows:
    reader = opened(reader)
    if reader.source.once:
        raise InputError(
            f"{reader.source.label} can be read only once, and this takes several passes; save it "
            "to a file first"
        )
    return Rows(reader, fit_intercept=fit_intercept)


def moved_by(kept: np.ndarray, n: int) -> np.ndarray:
    """A stand-in for the dual form: 1 for the rows of the working set."""
    dual = np.zeros(n)
    dual[kept] = 1.0
    return dual


def certificate_of(
    answer: Separator | Refutation | None, rows: Rows, upper: float
) -> Separation | Inseparability | None:
    """What was found, as a certificate of the file."""
    if answer is None:
        return None
    if isinstance(answer, Separator):
        shape = (len(rows.classes), -1) if rows.vectors else (-1,)
        return separation_of(rows, answer.weights.reshape(shape), upper)
    return refutation_of(answer, rows)


def refutation_of(answer: Refutation, rows: Rows) -> Inseparability:
    """The certificate of rows that no weights meet together, bound to the file."""
    ids, back = np.unique(answer.points, return_inverse=True)
    piece = rows.gather(ids)
    claim = Inseparability(
        rows=back,
        alpha=tuple(answer.alpha),
        rivals=answer.rivals if rows.vectors else None,
        codes=piece.codes[back],
        classes=classes_of(rows.classes)[0],
        fit_intercept=rows.fit_intercept,
        fingerprint=fingerprint_of(rows),
    )
    proof = claim.checked(piece.X, piece.codes)
    return replace(proof, rows=ids[proof.rows])


def separation_of(rows: Rows, weights: np.ndarray, upper: float) -> Separation:
    """The certificate of weights that separate, bound to the file, with the margin they prove.

    Raises CertificateError where they do not separate, by exact arithmetic.
    """
    classes = classes_of(rows.classes)[0]
    lower = math.inf
    for piece in rows.pieces():
        own = sides(piece.codes, classes)
        lower = min(lower, exact.margin_floor(piece.X, own, weights))
    return Separation.reaching(
        lower, weights, classes, rows.fit_intercept, upper, fingerprint_of(rows)
    )


def fingerprint_of(rows: Rows) -> str:
    """The fingerprint that the same rows have in memory."""
    assert rows.n is not None
    growing = Fingerprint((rows.n, rows.d), classes_of(rows.classes)[0])
    for piece in rows.pieces():
        growing.add(piece.X, piece.codes)
    return growing.done()


def verify_stream(certificate: Certificate, reader: Any) -> Verification:
    r"""Check a certificate against a file, chunk by chunk, in exact arithmetic.

    Parameters
    ----------
    certificate : Separation or Inseparability
    reader : Reader, str or path
        From `rosenblatt.readers.open_reader`.

    Returns
    -------
    Verification
        True, or false with the reason.

    Examples
    --------
    >>> import pathlib, tempfile, rosenblatt as rb
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sizes.csv")
    >>> _ = path.write_text("length,size\n1,small\n2,small\n9,large\n")
    >>> reader = rb.readers.open_reader(path)
    >>> proof = rb.decide_stream(reader).certificate
    >>> print(rb.verify_stream(proof, reader).reason)
    all 3 rows are strictly on their class's side, with margin at least 0...
    """
    if not isinstance(certificate, Separation | Inseparability):
        raise InputError(
            f"of a file read in chunks only a separation or an inseparability is verified, not "
            f"a {certificate.kind}; read the file and use certificate.verify(X, y)"
        )
    rows = _rows(reader, certificate.fit_intercept)
    try:
        if certificate.fingerprint and fingerprint_of(rows) != certificate.fingerprint:
            return Verification(False, OTHER_DATA)
        # Each part is checked by the certificate's own code, which shares nothing with the solver.
        unbound = replace(certificate, fingerprint="")
        checked = _cancels if isinstance(unbound, Inseparability) else _separates
        outcome = checked(unbound, rows)  # type: ignore[arg-type]
    except InputError as error:
        return Verification(False, str(error))
    reason = outcome.reason.removesuffix(UNBOUND)
    return Verification(outcome.ok, reason if certificate.fingerprint else f"{reason}{UNBOUND}")


def _separates(certificate: Separation, rows: Rows) -> Verification:
    for piece in rows.pieces():
        outcome = certificate.verify(piece.X, rows.classes[piece.codes])
        if not outcome:
            reason = outcome.reason.removesuffix(UNBOUND)
            return Verification(False, f"counted from row {piece.ids[0]} of the file on, {reason}")
    margin = f"{certificate.margin.lower:.6g}"
    return Verification(
        True,
        f"all {rows.n} rows are strictly on their class's side, with margin at least {margin}",
    )


def _cancels(certificate: Inseparability, rows: Rows) -> Verification:
    ids, places = np.unique(certificate.rows, return_inverse=True)
    piece = rows.gather(ids)
    few = replace(certificate, rows=places)
    return few.verify(piece.X, rows.classes[piece.codes])
