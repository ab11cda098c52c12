"""Many runs that make one classifier: one class against the rest, or against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from rosenblatt.engine.costs import RunCost
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.threads import in_pieces
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.run import Pass, Run, WideRun
from rosenblatt.engine.scoring import leads
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.errors import InputError
from rosenblatt.fit.conclusion import Conclusion
from rosenblatt.places.parts import REST, Part
from rosenblatt.text import plural

# Reasons to stop, the most important to the user first: several runs report the first they have.
PRESSING = (
    Stop.OVERFLOW,
    Stop.INTERRUPTED,
    Stop.CALLBACK,
    Stop.UPDATES,
    Stop.PASSES,
    Stop.BATCH,
    Stop.TRAINING_ERROR,
    Stop.VALIDATION_ERROR,
    Stop.SETTLED,
    Stop.COSTLY,
    Stop.CYCLES,
    Stop.INSEPARABLE,
    Stop.ROUNDING,
    Stop.SHORT,
    Stop.SEPARATED_IN_PLAY,
    Stop.SEPARATED_OVERFIT,
    Stop.SEPARATED,
)


# Reasons to stop by which a run may be clean, and its weights are not known to separate its rows.
UNPROVED = (Stop.BATCH, Stop.ROUNDING, Stop.SETTLED)

# Entries of a run's rows below which runs side by side take longer than one after the other: calls
# of machine code are so short that threads wait for each other's Python. Runs without proofs spend
# more of their time in Python.
FEW_ENTRIES, FEW_WITHOUT_PROOFS = 2**17, 2**19


def check_same_runs(earlier: Sequence[Any], multiclass: str, runs: int) -> None:
    """Refuse to go on with the runs of another ``multiclass``, which are more or fewer."""
    if len(earlier) != runs:
        raise InputError(
            f"multiclass={multiclass!r} needs {runs} runs, but there are {len(earlier)} to go on "
            "with: it was another when they were made."
        )


def worth_threads(parts: Sequence[Part | None], entries: int, classes: int, proofs: bool) -> bool:
    """Whether runs of these parts of the classes are long enough for threads.

    Parameters
    ----------
    parts : sequence of Part or None
        One for each run.
    entries : int
        Stored entries of all rows.
    classes : int
        How many share them.
    proofs : bool
        Whether a run may search for a proof.

    Examples
    --------
    >>> from rosenblatt.places.parts import parts_of
    >>> pairs, each = parts_of(10, "ovo"), parts_of(10, "ovr")
    >>> [worth_threads(parts, 2_000_000, 10, proofs=False) for parts in (pairs, each)]
    [False, True]
    """
    pairs = all(part is not None and part.negative != REST for part in parts)
    of_a_run = entries * 2 / classes if pairs else entries
    return of_a_run >= (FEW_ENTRIES if proofs else FEW_WITHOUT_PROOFS)


# Scores of pairs counted as votes in one piece: enough to be worth waking a thread.
SCORES_AT_ONCE = 2**18


def weights_of(solution: str, run: Run, kept: dict[str, Any], last: bool = False) -> np.ndarray:
    """The weights of a run for a solution; ``last`` if auto means the last weights."""
    if solution == "auto" and run.best is not None:
        return run.best
    if solution == "separator" and (not run.clean or run.stop in UNPROVED):
        raise InputError(
            f"solution='separator' needs classes that the fit has separated; it ended: {run.why}"
        )
    if solution == "separator":
        return run.separator
    if solution == "auto":
        solution = "last" if run.clean or last or run.recent.prefers_last else "average"
    if solution == "pocket":
        return kept["pocket"].weights
    return run.weights if solution == "last" else run.average


def together(runs: Sequence[Run]) -> Run:
    """Several runs as one record: weights stacked, counts and costs added up.

    Passes are those of the longest run. The history adds up pass by pass; a run that has ended
    stays as it was. Errors are each run's own (NaN here), and so is ``missed`` (0 here): the rows
    that one hyperplane has wrong are not those that all of them together predict wrong. `why`
    says what they add up to.
    """
    if len(runs) == 1:
        return runs[0]
    narrow, columns = narrowly(runs)
    if columns is not None:
        return together(narrow).widened(columns)
    stops = {run.stop for run in runs}
    longest = max(runs, key=lambda run: run.passes)
    return replace(
        longest,
        weights=np.vstack([run.weights for run in runs]),
        average=np.vstack([run.average for run in runs]),
        mistakes=sum(run.mistakes for run in runs),
        updates=sum(run.updates for run in runs),
        looks=sum(run.looks for run in runs),
        history=tuple(_at_pass(runs, at) for at in range(longest.passes)),
        stop=min(stops, key=PRESSING.index),
        clean=all(run.clean for run in runs),
        seconds=sum(run.seconds for run in runs),
        cost=reduce(RunCost.after, (run.cost for run in runs)),
        best=None,
        missed=0,
        averaged=longest.averaged,
        proof_seconds=sum(run.proof_seconds for run in runs),
    )


def why(runs: Sequence[Run], run: Run) -> str:
    """Why one or several runs ended, in the sentence of their stop, with its numbers.

    Parameters
    ----------
    runs : sequence of Run
        Those that make one classifier.
    run : Run
        All of them `together`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from sklearn.datasets import load_iris
    >>> fitted = rb.Perceptron(multiclass="ovr").fit(*load_iris(return_X_y=True)).fitted_
    >>> print(fitted.why[-69:])
    Each hyperplane that was decided has its own proof, in certificates_.
    """
    if len(runs) == 1:
        return run.why
    weights = {each.predicting for each in runs}
    named = weights.pop() if len(weights) == 1 else "the averaged or the least-squares weights"
    sentence, wrong = run.stop.told(0, run.proof_seconds, named), sum(each.missed for each in runs)
    if run.stop is Stop.INSEPARABLE:
        sentence += " Each hyperplane that was decided has its own proof, in certificates_."
    if wrong:
        rows = f"{plural(wrong, 'row')} {'is' if wrong == 1 else 'are'}"
        sentence += (
            f" Summed over {len(runs)} hyperplanes, {rows} on the wrong side; a row counts for "
            "each that has it wrong."
        )
    return sentence


def stops_as_predicted(
    stops: Sequence[Stop],
    parts: Sequence[Part | None],
    scores: np.ndarray,
    codes: np.ndarray,
    in_play: np.ndarray,
) -> list[Stop]:
    """Reasons why runs ended, where SEPARATED is corrected by what predictions say of the rows.

    Parameters
    ----------
    stops : sequence of Stop
        The loop's reasons.
    parts : sequence of Part or None
        What each run is about: all rows, one class against the rest or all classes at once.
    scores : ndarray of shape (n, 1) or (n, K)
        Of all training rows by the last weights, in the arithmetic of predictions.
    codes : ndarray of shape (n,)
        The classes of the rows.
    in_play : ndarray of int
        The rows that were learned from.

    Examples
    --------
    The last row, which is wrong, was held out, or else was right only by rounding:

    >>> scores, codes = np.array([[-1.0], [2.0], [-1.0]]), np.array([0, 1, 1])
    >>> for rows in ([0, 1], [0, 1, 2]):
    ...     stops_as_predicted([Stop.SEPARATED], [None], scores, codes, np.array(rows))
    [Stop.SEPARATED_IN_PLAY]
    [Stop.ROUNDING]
    """
    found = []
    for at, (stop, part) in enumerate(zip(stops, parts, strict=True)):
        own = codes if part is None else (part.signs(codes) > 0).astype(np.intp)
        right = leads(scores.T if len(stops) == 1 else scores.T[at : at + 1], own) > 0
        if stop is Stop.SEPARATED and not right.all():
            stop = Stop.SEPARATED_IN_PLAY if right[in_play].all() else Stop.ROUNDING
        found.append(stop)
    return found


def narrowly(runs: Sequence[Run]) -> tuple[Sequence[Run], UsedColumns | None]:
    """The runs on the columns in use, and these columns; None if runs do not share them."""
    wide = [run for run in runs if isinstance(run, WideRun)]
    if len(wide) < len(runs) or not all(run.columns.same(wide[0].columns) for run in wide):
        return runs, None
    return [run.narrow for run in wide], wide[0].columns


def _at_pass(runs: Sequence[Run], at: int) -> Pass:
    rows = [run.history[min(at, run.passes - 1)] for run in runs if run.passes]
    return Pass(
        mistakes=sum(run.history[at].mistakes for run in runs if at < run.passes),
        looks=sum(row.looks for row in rows),
        norm=math.hypot(*(row.norm for row in rows)),
        training_error=math.nan,
        validation_error=math.nan,
        seconds=sum(row.seconds for row in rows),
    )


def jointly(conclusions: Sequence[Conclusion]) -> Conclusion:
    """The conclusion from several runs: separable if all parts are, inseparable if one is.

    The margin is the least of the parts' margins, and the mistake bound is for all parts together.
    Certificates are those of the parts.
    """
    if len(conclusions) == 1:
        return conclusions[0]
    verdicts = {conclusion.verdict for conclusion in conclusions}
    if Verdict.INSEPARABLE in verdicts:
        verdict = Verdict.INSEPARABLE
    elif verdicts == {Verdict.SEPARABLE}:
        verdict = Verdict.SEPARABLE
    else:
        verdict = Verdict.UNDECIDED
    return Conclusion(
        Bracket(
            min(conclusion.margin.lower for conclusion in conclusions),
            min(conclusion.margin.upper for conclusion in conclusions),
        ),
        sum(conclusion.mistake_bound for conclusion in conclusions),
        verdict,
        parts=tuple(conclusions),
    )


def pair_scores(scores: np.ndarray, classes: int) -> np.ndarray:
    """Scores of classes from scores of pairs: votes, with ties broken by summed scores.

    As in scikit-learn: the sum of a class's scores is squeezed into (−1/3, 1/3), so that it
    decides between equal votes and never against a vote.

    Parameters
    ----------
    scores : ndarray of shape (n, K(K − 1)/2)
        Of the pairs (0, 1), (0, 2), … (1, 2), …; positive for the second class.
    classes : int
        K.

    Returns
    -------
    scores : ndarray of shape (n, K)

    Examples
    --------
    One vote each; the third class won by most:

    >>> pair_scores(np.array([[-1.0, 5.0, -2.0]]), 3).argmax(axis=1)
    array([2])
    """
    out, scores = np.zeros((len(scores), classes)), np.ascontiguousarray(scores)

    def count(piece: slice) -> None:
        sums = np.zeros((piece.stop - piece.start, classes))
        compiled(count_votes)(scores[piece], classes, sums, out[piece])

    in_pieces(count, len(scores), max(1, SCORES_AT_ONCE // scores.shape[1]))
    return out


def count_votes(scores: Any, classes: int, sums: Any, votes: Any) -> None:
    """Add the votes of pairs to each row's ``votes``, and what breaks ties; ``sums`` are zeros.

    Examples
    --------
    >>> votes = [[0, 0, 0]]
    >>> count_votes([[-1, 5, -2]], 3, [[0, 0, 0]], votes)
    >>> [round(vote, 2) for vote in votes[0]]
    [0.73, 1.17, 1.25]
    """
    for i in range(len(scores)):
        row, total, won = scores[i], sums[i], votes[i]
        pair = 0
        for negative in range(classes):
            for positive in range(negative + 1, classes):
                score = row[pair]
                pair += 1
                # A select, not a branch: the winner is unpredictable. With NaN neither wins.
                won[positive] += 1.0 if score >= 0 else 0.0
                won[negative] += 1.0 if score < 0 else 0.0
                total[positive] += score
                total[negative] -= score
        for k in range(classes):
            won[k] += total[k] / (3 * (abs(total[k]) + 1))
