"""Why a run ends: the reasons, the budgets, and the stopping tests of the lectures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rosenblatt.arguments import TOLERANCE, WHOLE, optional, refuse_others
from rosenblatt.errors import InputError
from rosenblatt.text import duration


class _Said(Enum):
    """An enum whose values are texts for users: printed as text, shown by name."""

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        # What pickle does by default; skops needs it spelled out.
        return type(self), (self.value,)


# Said where a run has no numbers, or predicts as usual; `Stop.told` puts its own in their places.
SOME = "some of them"
WEIGHTS = "the averaged weights"
AVERAGED = (
    f"Predictions use {WEIGHTS}, which get {SOME} wrong and usually do better "
    "on new rows; with_solution('separator') predicts by the hyperplane."
)
LONGER = "longer than they did (run_.proof_seconds says about how long)"


class Stop(_Said):
    """Why a run ended; each value is the sentence its user reads.

    Examples
    --------
    >>> print(Stop.SEPARATED)
    Separated: every training point is on its right side.
    """

    SEPARATED = "Separated: every training point is on its right side."
    SEPARATED_OVERFIT = (
        "Separable: a hyperplane has every training row right, and is in the certificate. "
        f"{AVERAGED}"
    )
    SEPARATED_IN_PLAY = (
        "Separated what was learned from: a hyperplane has every point in play on its right side, "
        "but not every point that was held out or had weight 0 is known to be. Ask "
        "rosenblatt.decide about all."
    )
    SHORT = (
        "Separated, but not by the share of the best margin that was asked for, or not provably: "
        "rounding is in the way. Rescale the columns (for example with "
        "sklearn.preprocessing.StandardScaler), or find the margin by rosenblatt.MaxMargin."
    )
    ROUNDING = (
        "No mistakes are left, but only as floating point has it: a point is on the boundary, or "
        "so near that its side is not proved. For an exact answer ask rosenblatt.decide about the "
        "rows that count, or leave out rows of weight 0 and set certify=True, where an estimator "
        "has it."
    )
    INSEPARABLE = (
        "Inseparable: no hyperplane separates these classes, and the certificate proves it. "
        f"Add features, or keep {WEIGHTS}, which are the solution here."
    )
    COSTLY = (
        "Not separated, and undecided: the passes no longer make fewer mistakes, and a proof "
        f"either way would take {LONGER}. "
        f"Set certify=True to have it; {WEIGHTS} are the solution until then."
    )
    CYCLES = (
        "Cycles: the weights came back to an earlier state, so the run would repeat itself for "
        "ever: the classes are not separable. Add features, or take the averaged weights."
    )
    TRAINING_ERROR = (
        "The training error, or loss, no longer falls. Raise n_iter_no_change or lower tol to go "
        "on; rosenblatt.decide tells whether the classes are separable at all."
    )
    VALIDATION_ERROR = (
        "The validation error no longer falls; the weights that were best on the validation data "
        "are kept. Raise n_iter_no_change to be more patient."
    )
    PASSES = (
        "The budget of passes is spent and mistakes are still being made. Allow more passes "
        "(max_iter of an estimator, max_passes of a trace), or ask rosenblatt.decide whether the "
        "classes are separable before spending more."
    )
    UPDATES = (
        "The budget of updates is spent and mistakes are still being made. Raise max_updates, or "
        "ask rosenblatt.decide whether the classes are separable before spending more."
    )
    SETTLED = (
        "The weights hardly change from pass to pass, if at all, and mistakes are left. Lower "
        "weight_tol, where an estimator has it, to go on; average or pocket weights often predict "
        "better than these."
    )
    OVERFLOW = (
        "The weights left the range of floating-point numbers and are not usable. Rescale the "
        "columns (for example with sklearn.preprocessing.StandardScaler) or lower eta0."
    )
    BATCH = (
        "One pass over a batch is made; the next partial_fit goes on from here. What is known is "
        "about this batch: ask rosenblatt.decide about all rows that count."
    )
    CALLBACK = (
        "A callback asked to stop; what was learned until then is kept. Set warm_start=True, "
        "where an estimator has it, and call fit again to go on from here."
    )
    INTERRUPTED = (
        "Interrupted; what was learned until then is kept. Set warm_start=True, where an estimator "
        "has it, and call fit again to go on from here."
    )

    def told(self, wrong: int = 0, proof_seconds: float = 0.0, weights: str = WEIGHTS) -> str:
        """The sentence with a run's numbers: rows predicted wrong, seconds of a proof.

        Parameters
        ----------
        wrong : int
        proof_seconds : float
        weights : str
            What predicts, where the last weights do not.

        Examples
        --------
        >>> Stop.SEPARATED_OVERFIT.told(wrong=6)[81:156]
        'Predictions use the averaged weights, which get 6 of them wrong and usually'
        """
        sentence, rows = str(self), "of them"
        if wrong and self is Stop.SEPARATED_IN_PLAY:
            sentence, rows = f"{sentence} {AVERAGED}", "of the points in play"
        sentence = sentence.replace(WEIGHTS, weights)
        if wrong:
            sentence = sentence.replace(SOME, f"{wrong:,} {rows}")
        if proof_seconds:
            sentence = sentence.replace(LONGER, f"about {duration(proof_seconds)}")
        return sentence


# Reasons that end a run whatever it has learned.
CUT_SHORT = (Stop.INTERRUPTED, Stop.OVERFLOW, Stop.CALLBACK)


class Verdict(_Said):
    """What is known of the data.

    Examples
    --------
    >>> print(Verdict.SEPARABLE)
    separable
    """

    SEPARABLE = "separable"
    INSEPARABLE = "inseparable"
    UNDECIDED = "undecided"


BUDGET = {
    **dict.fromkeys(("passes", "updates"), optional(WHOLE)),
    **dict.fromkeys(("tol", "weight_tol"), optional(TOLERANCE)),
    "patience": WHOLE,
}


@dataclass(frozen=True)
class Budget:
    """When to give up, and when to call it settled. None switches a test off.

    Parameters
    ----------
    passes, updates : int, optional
        The most of each.
    tol : float, optional
        Stop when the training error has not fallen by more than this for ``patience`` passes.
    patience : int
        Passes without progress that are tolerated, of training and of validation error alike.
    weight_tol : float, optional
        Stop when a pass changes the weights by at most this fraction of their length.

    Examples
    --------
    >>> Budget(passes=0)
    Traceback (most recent call last):
    rosenblatt.errors.InputError: max_iter must be at least 1, got 0.
    """

    passes: int | None = None
    updates: int | None = None
    tol: float | None = None
    patience: int = 5
    weight_tol: float | None = None

    def __post_init__(self) -> None:
        refuse_others(BUDGET, vars(self).items())
        for name, least, value in (
            ("max_iter", 1, self.passes),
            ("max_updates", 1, self.updates),
            ("n_iter_no_change", 1, self.patience),
        ):
            if value is not None and value < least:
                raise InputError(f"{name} must be at least {least}, got {value}.")
        # NumPy's integers, as from a parameter grid, overflow, and would be compiled for anew.
        for name, value in (("passes", self.passes), ("updates", self.updates)):
            if value is not None:
                object.__setattr__(self, name, int(value))


def no_longer_falls(errors: Sequence[float], tol: float, patience: int) -> bool:
    """Whether the last ``patience`` values all failed to beat the best before them by over tol.

    Examples
    --------
    >>> no_longer_falls([0.5, 0.2, 0.2, 0.2], tol=0.0, patience=2)
    True
    >>> no_longer_falls([0.5, 0.2, 0.2, 0.1], tol=0.0, patience=2)
    False
    """
    best = math.inf
    stale = 0
    for error in errors:
        stale = 0 if error < best - tol else stale + 1
        best = min(best, error)
    return stale >= patience
