"""The hyperplane of maximum margin, by working sets, with a gap certified on all points.

The quadratic program of the second lecture is solved on a few hundred points at a time by scipy's
non-negative least squares; one look over all points then tells the gap, and which points to take
in.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.data.checks import check_finite, check_rows
from rosenblatt.data.labels import check_labels
from rosenblatt.data.positive import positive_code
from rosenblatt.data.room import check_room
from rosenblatt.engine.loop import learn
from rosenblatt.engine.machine.threads import one_blas_thread
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import PerceptronRule
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.errors import InputError, NotConverged, NotSeparableError, users_line
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Separation
from rosenblatt.solve.attempts import PASSES_TO_START
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.margin_search import MarginResult, MarginSearch

if TYPE_CHECKING:
    from rosenblatt.solve.decision import Decision

BIASES = ("free", "padded", "none")


def max_margin(
    X: Any,
    y: Any,
    *,
    bias: str = "free",
    rtol: float = 1e-6,
    max_rounds: int = 200,
    positive: Any = None,
    category: type[Warning] = NotConverged,
) -> MarginResult:
    """Find the separating hyperplane whose nearest point is as far away as possible.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array of shape (n,)
        Labels of two classes.
    bias : {"free", "padded", "none"}
        Minimise ‖w‖² subject to yᵢ(w·xᵢ + b) ≥ 1 (the lecture's program); minimise ‖(w, b)‖²
        subject to the same (the margin of the mistake bound); or b = 0.
    rtol : float
        Go on until (upper − lower)/upper is at most this.
    max_rounds : int
        The most working sets to solve.
    positive : label, optional
        Which class the weights score above 0; as for `rosenblatt.decide`.
    category : type
        Of the warning that rtol was not reached.

    Returns
    -------
    MarginResult

    Raises
    ------
    NotSeparableError
        With the certificate that proves it.

    Notes
    -----
    Lawson and Hanson, *Solving Least Squares Problems* (1974), chapter 23: least-distance
    programming is non-negative least squares. The dual of the padded program asks for the point z
    of least norm in the hull of the rows aᵢ = yᵢ(xᵢ, 1), that of the free one for the nearest
    points of the two classes' hulls.

    Examples
    --------
    >>> result = max_margin([[0.0, 0.0], [3.0, 4.0]], [-1, 1])
    >>> result.weights.round(6), round(result.bracket.lower, 6), result.bracket.upper
    (array([ 0.24,  0.32, -1.  ]), 2.5, 2.5)
    >>> result.support, result.dual.round(6)
    (array([0, 1]), array([-0.08,  0.08]))
    """
    check_settings(bias, rtol, max_rounds)
    began = time.perf_counter()
    X = check_rows(X)
    check_room(X.shape[1], X=X)
    classes, codes = check_labels(y, X.shape[0])
    if len(classes) > 2:
        raise InputError(
            f"a margin is between two classes, but y has {len(classes)}; "
            "use rosenblatt.MaxMargin or rosenblatt.pairs."
        )
    search = local_search(X, codes, bias)

    def separator() -> Separation:
        from rosenblatt.solve.decision import decide

        how = {"fit_intercept": bias != "none", "positive": classes[1]}
        return separating(decide(X, y, **how), bias)

    def floor(weights: np.ndarray) -> float:
        return exact.margin_floor(X, codes, weights)

    def balanced(weights: np.ndarray) -> np.ndarray:
        return exact.with_best_bias(X, codes, weights)

    code = positive_code(classes, positive)
    found = maximise(search, rtol, max_rounds, separator, floor, balanced, began, category)
    if code:
        return found
    exactly = None if found.exact is None else 0 - found.exact
    return found._replace(weights=0 - found.weights, dual=0 - found.dual, exact=exactly)


def check_settings(bias: str, rtol: float, max_rounds: int) -> None:
    """Refuse invalid settings."""
    if bias not in BIASES:
        raise InputError(f"bias must be one of {', '.join(map(repr, BIASES))}, got {bias!r}.")
    if not rtol > 0:
        raise InputError(f"rtol must be a positive number, got {rtol!r}.")
    if not max_rounds >= 1:
        raise InputError(f"max_rounds must be at least 1, got {max_rounds!r}.")


def maximise(
    search: MarginSearch,
    rtol: float,
    max_rounds: int,
    separator: Callable[[], Separation],
    floor: Callable[[np.ndarray], float],
    balanced: Callable[[np.ndarray], np.ndarray],
    began: float,
    category: type[Warning] = NotConverged,
) -> MarginResult:
    """Solve working sets until the gap is closed.

    Parameters
    ----------
    search : MarginSearch
        At its start.
    rtol, max_rounds
        As for `max_margin`.
    separator : callable
        The proof that some weights separate, for a margin that rounding hides; raises where there
        is none.
    floor : callable
        What weights are proved to reach: `exact.margin_floor` over all points.
    balanced : callable
        The weights with a free bias that no rounding moves: `exact.with_best_bias`.
    began : float
        When, by ``time.perf_counter``.
    category : type
        Of the warning that the gap was not closed.
    """
    # Near the ends of the floats' range squares overflow or vanish; the bracket says what is known.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        # Least squares adds a row at a time: many small products, for which threads do not pay.
        with one_blas_thread():
            while search.goes_on(rtol) and search.rounds < max_rounds:
                search.step()
        # What separates by rounding alone is found out when its margin is to be proved.
        if search.lower <= 0 or not search.round_outward(floor, balanced, None, rtol):
            known = separator()
            search.take(exact.normalised(known.weights).astype(np.float64))
            search.round_outward(floor, balanced, known, rtol)
        if search.bracket.relative_gap > rtol:
            _warn(search.bracket, rtol, category)
        return search.result(time.perf_counter() - began)


@checked()
def margin(X: Any, y: Any, *, fit_intercept: bool = True, rtol: float = 1e-6) -> Bracket:
    """Bracket the best margin γ of two classes, the one of the mistake bound R²/γ².

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array of shape (n,)
        Labels of two classes.
    fit_intercept : bool
        Whether the points carry the bias coordinate 1, which then counts for the norm.
    rtol : float
        The relative width of the bracket.

    Returns
    -------
    Bracket
        Of max over unit (w, b) of min yᵢ(w·xᵢ + b); zero on both sides for inseparable data.

    Examples
    --------
    >>> bracket = margin([[0.0], [2.0]], [-1, 1])
    >>> round(bracket.lower, 6), round(bracket.upper, 6)
    (0.707107, 0.707107)
    >>> margin([[0.0], [2.0], [1.0]], [0, 0, 1])
    Bracket(lower=0.0, upper=0.0)
    """
    try:
        return max_margin(X, y, bias="padded" if fit_intercept else "none", rtol=rtol).bracket
    except NotSeparableError:
        return Bracket(0.0, 0.0)


def local_search(X: Any, codes: np.ndarray, bias: str) -> MarginSearch:
    """The search over checked rows, from the averaged weights of a few passes."""
    constraints = Constraints(X, codes, 2, fit_intercept=bias != "none")
    points = make_points(X, 2.0 * codes - 1.0, fit_intercept=bias != "none")
    radius = check_finite(points)
    start = learn(CompiledSweep(points, PerceptronRule()), budget=Budget(passes=PASSES_TO_START))
    if start.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return MarginSearch(constraints, start.average, radius, bias)


def separating(decision: Decision, bias: str) -> Separation:
    """The separation that a decision found; refuses inseparable data with its proof."""
    if decision.verdict is Verdict.INSEPARABLE:
        where = "through the origin " if bias == "none" else ""
        raise NotSeparableError(
            f"No hyperplane {where}separates these classes, so there is no margin to maximise; "
            "the error's certificate proves it. Add features, or use rosenblatt.Perceptron, whose "
            "averaged weights need no separation.",
            decision.certificate,
        )
    assert isinstance(decision.certificate, Separation)
    return decision.certificate


def _warn(bracket: Bracket, rtol: float, category: type[Warning]) -> None:
    warnings.warn(
        f"The margin is known to be in {bracket}, a relative gap of {bracket.relative_gap:.2g}; "
        f"rtol={rtol:g} was not reached. Raise max_rounds, or rescale the columns: beyond that "
        "the margin is lost in the rounding of the data.",
        category,
        stacklevel=users_line(),
    )
