"""`Fitted`, the result of a fit: weights, runs, verdict, certificates, and predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.data.checks import as_table, refuse_not_finite
from rosenblatt.data.lossless import is_sparse, names_of, refuse_other_names, sound
from rosenblatt.engine.margins import Bracket, mistake_bound
from rosenblatt.engine.run import Run
from rosenblatt.engine.scoring import all_finite, highest, is_large, linear_scores
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.fit.conclusion import FittedRun, exact_weights
from rosenblatt.fit.one_vs import (
    jointly,
    narrowly,
    pair_scores,
    together,
    weights_of,
    why,
)
from rosenblatt.fit.settings import KEPT, Settings, check_choices
from rosenblatt.lazy import cached_property
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability, Separation
from rosenblatt.text import plural

Proof = Separation | Inseparability | None
# More than the rounding of lengths.
NEARLY = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class Fitted:
    """A linear classifier, and all that is known of how it was found.

    Attributes
    ----------
    settings : Settings
        What was asked for.
    classes : ndarray
        The labels; of two, the second is the positive one.
    coef, intercept : ndarray
        The weights of ``settings.solution``: a row for two classes, K rows for K, or one a pair.
    runs : tuple of Run
        One, or one a class or pair.
    kept : tuple of dict
        For each run the solutions tracked.
    rules : tuple
        For each run the rule it went by, with its memory.
    certificates : tuple
        For each run the proof of its verdict, or None.
    margin : Bracket
    mistake_bound : float
    verdict : Verdict
    certificate : Separation, Inseparability or None
        Of the rows learned from.
    radius : float
        R, the largest norm of a row with its bias coordinate.
    validated : bool
        Whether validation rows had a say in the weights.
    names : ndarray of str or None
        Of the features.

    Examples
    --------
    >>> from rosenblatt.fit.learning import fit
    >>> fitted = fit([[0.0], [1.0], [3.0]], ["low", "low", "high"])
    >>> fitted.verdict.name, fitted.predict([[2.9], [0.1]]).tolist()
    ('SEPARABLE', ['high', 'low'])
    """

    settings: Settings
    classes: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    runs: tuple[Run, ...]
    kept: tuple[dict[str, Any], ...]
    rules: tuple[Any, ...]
    certificates: tuple[Proof, ...]
    margin: Bracket
    mistake_bound: float
    verdict: Verdict
    certificate: Proof
    radius: float
    validated: bool = False
    names: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        settings: Settings,
        classes: np.ndarray,
        radius: float,
        outcomes: Sequence[FittedRun],
        validated: bool = False,
        names: Any = None,
    ) -> Fitted:
        """The result of the runs that make one classifier.

        Parameters
        ----------
        settings : Settings
        classes : ndarray
        radius : float
        outcomes : sequence of FittedRun
            Of each run.
        validated : bool
            Whether validation rows had a say in the weights.
        names : array of str, optional
            Of the features.
        """
        runs, conclusions, kept, rules = zip(*outcomes, strict=True)
        known = jointly(conclusions)
        coef, intercept = chosen(settings, runs, kept, validated)
        return cls(
            settings=settings,
            classes=classes,
            coef=coef,
            intercept=intercept,
            runs=runs,
            kept=kept,
            rules=rules,
            certificates=tuple([conclusion.certificate for conclusion in conclusions]),
            margin=known.margin,
            mistake_bound=known.mistake_bound,
            verdict=known.verdict,
            certificate=known.certificate,
            radius=radius,
            validated=validated,
            names=names,
        )

    def with_solution(self, solution: str) -> Fitted:
        """The same runs, predicting with another of their solutions.

        Parameters
        ----------
        solution : {"auto", "last", "average", "separator", "pocket", "vote"}
            The separator is that of the certificate; the last two must have been tracked.
        """
        settings = replace(self.settings, solution=solution)
        check_choices(settings)
        coef, intercept = chosen(settings, self.runs, self.kept, self.validated)
        return replace(self, settings=settings, coef=coef, intercept=intercept)

    def interrupted(self) -> Fitted:
        """The same with INTERRUPTED as its stop, since Ctrl-C was pressed during the fit."""
        if self.run.stop is Stop.INTERRUPTED:
            return self
        return replace(self, runs=(*self.runs[:-1], self.runs[-1].but(stop=Stop.INTERRUPTED)))

    def named(self, names: Sequence[str]) -> Fitted:
        """The same with names for the features, if any are given."""
        return replace(self, names=np.array(names, dtype=object)) if len(names) else self

    @cached_property
    def run(self) -> Run:
        """All runs as one record."""
        return together(self.runs)

    @property
    def why(self) -> str:
        """Why the fit stopped, in a sentence with its numbers."""
        return why(self.runs, self.run)

    @property
    def features(self) -> int:
        """Number of features."""
        return self.coef.shape[1]

    @property
    def pairs(self) -> bool:
        """Whether there is a hyperplane for each pair of more than two classes."""
        return self.settings.multiclass == "ovo" and len(self.classes) > 2

    @property
    def voters(self) -> tuple[Any, ...] | None:
        """The panels that vote, where that is the solution."""
        voted = self.settings.solution == "vote"
        return tuple(kept["vote"] for kept in self.kept) if voted else None

    @cached_property
    def exact(self) -> np.ndarray | None:
        """The weights to score with in exact arithmetic, where floats would not separate."""
        if is_sparse(self.coef):
            return None
        return exact_weights(self.certificates, self.coef, self.intercept, self.radius)

    @property
    def cautions(self) -> list[str]:
        """Warnings about the fit, in sentences."""
        told, run, margin = [], self.run, self.settings.margin
        if run.stop in (Stop.OVERFLOW, Stop.SHORT):
            told.append(str(run.stop))
        if margin and run.stop in (Stop.PASSES, Stop.UPDATES):
            told.append(
                f"margin={margin:g} was not reached in {plural(run.passes, 'pass')}. "
                "rosenblatt.MaxMargin(bias='padded') finds the whole margin by working sets, "
                "usually in a fraction of the time."
            )
        return told

    def scores(self, X: Any) -> np.ndarray:
        """The scores w·x + b: one for each row, or one for each row and class.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d)

        Returns
        -------
        scores : ndarray of shape (n,) or (n, K)
            Of two classes, positive on the side of ``classes[1]``; shares of the vote where that
            is the solution.
        """
        return self.class_scores(self.scores_of(self._checked(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; on the boundary, the positive one.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d)
        """
        return self.classes[codes_of(self.scores(X))]

    def scores_of(self, rows: Any) -> np.ndarray:
        """Scores of checked rows, one column for each hyperplane or panel of voters.

        Parameters
        ----------
        rows : ndarray or CSR matrix of float32 or float64
        """
        if self.voters is not None:
            refuse_not_finite(rows, self.names)
            return np.column_stack([panel.scores(rows) for panel in self.voters])
        scores = plane_scores(rows, self.coef, self.intercept, self.names)
        if self.exact is None:
            return scores
        refuse_not_finite(rows, self.names)
        return exact.settled_scores(rows, self.exact, scores)

    def class_scores(self, scores: np.ndarray) -> np.ndarray:
        """The scores of hyperplanes as scores of classes."""
        if self.pairs:
            return pair_scores(scores, len(self.classes))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def narrowed(self, X: Any, y: Any, rtol: float = 1e-3) -> Fitted:
        """The same with ``margin`` and ``mistake_bound`` narrowed by the maximum margin.

        Parameters
        ----------
        X, y
            The rows learned from, of two classes: none that had weight 0. Of rows held out, which
            may be among them, only the lower end is learned.
        rtol : float
            The relative width to reach.
        """
        from rosenblatt.data.checks import check_finite
        from rosenblatt.engine.points import make_points
        from rosenblatt.solve.max_margin import margin

        if len(self.classes) != 2:
            raise InputError(f"a margin is between two classes, but there are {len(self.classes)}.")
        rows, intercept = self._checked(X), self.settings.fit_intercept
        found = margin(X, y, fit_intercept=intercept, rtol=rtol)
        points = make_points(rows, np.zeros(rows.shape[0], np.intp), fit_intercept=intercept)
        known, longer = self.margin, check_finite(points) > self.radius * NEARLY
        apart = found.upper * NEARLY < known.lower or found.lower > known.upper * NEARLY
        if longer or (apart and not self.validated):
            raise InputError(
                "X and y are not what was learned from: a row is longer than radius_="
                f"{self.radius:.6g}, or the margin of these rows, {found}, contradicts margin_, "
                f"{known}. Pass the rows of the fit as it saw them, transformed by what comes "
                "before it, and none of weight 0."
            )
        lower, upper = max(known.lower, found.lower), known.upper
        if not self.validated:
            upper = min(upper, found.upper)
        if not lower > 0:
            return self
        bound, settings = math.inf, self.settings
        if self.margin.lower > 0:
            # Every bound here is a constant over the square of the margin.
            ratio = self.margin.lower / lower
            bound = rounded_up(self.mistake_bound * ratio * ratio)
        elif not (settings.threshold or settings.margin or settings.class_weight):
            bound = rounded_up(mistake_bound(self.radius, lower))
        if self.run.updates > bound:  # by rounding, which the bound does not know
            bound = math.inf
        bracket = Bracket(lower, max(lower, upper))
        return replace(self, margin=bracket, mistake_bound=bound)

    def _checked(self, X: Any) -> Any:
        """Rows to predict, checked to have the number and the names of features of the fit."""
        rows = as_table(X)
        refuse_other_names(self.names, names_of(X))
        if rows.shape[1] != self.features:
            raise InputError(
                f"X has {rows.shape[1]} features, but the classifier is expecting {self.features}."
            )
        return rows


def chosen(
    settings: Settings, runs: Sequence[Run], kept: Sequence[dict[str, Any]], validated: bool
) -> tuple[Any, np.ndarray]:
    """The coefficients and biases of the solution that is asked for."""
    solution = settings.solution
    if solution in KEPT and solution not in kept[0]:
        raise InputError(
            f"The {solution} was not tracked in this run. Fit with solution={solution!r} or "
            f"keep=({solution!r},)."
        )
    # A pocket has weights for all columns, used or not.
    runs, columns = (runs, None) if solution == "pocket" else narrowly(runs)
    weights = [weights_of(solution, *of, validated) for of in zip(runs, kept, strict=True)]
    coef, intercept = hyperplanes(weights[0] if len(weights) == 1 else np.vstack(weights))
    return coef if columns is None else columns.coefficients(coef), intercept


def hyperplanes(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights as coefficients and biases, a row for each hyperplane."""
    weights = weights if weights.ndim == 2 else weights[None]
    # As the run left them: class by class, or feature by feature where rows are sparse.
    return np.array(weights[:, :-1], order="K"), np.array(weights[:, -1])


def plane_scores(rows: Any, coef: Any, intercept: np.ndarray, names: Any = None) -> np.ndarray:
    """X·coefᵀ + intercept; refuses rows that are not finite.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n, d)
    coef : ndarray or sparse matrix of shape (K, d)
    intercept : ndarray of shape (K,)
    names : array of str, optional
        Of the features.
    """
    if is_sparse(coef) or not is_large(rows, coef.shape[0]):
        rows = sound(rows) if is_sparse(rows) else rows
        refuse_not_finite(rows, names)
        products = rows @ coef.T
        return np.asarray(products.toarray() if is_sparse(products) else products) + intercept
    scores = linear_scores(rows, coef, intercept)
    if scores is None:  # `sound` says what is wrong with the matrix
        return plane_scores(sound(rows), coef, intercept, names)
    if not all_finite(scores):
        refuse_not_finite(rows, names)  # unless it was the scores that grew too large
    return scores


def codes_of(scores: np.ndarray) -> np.ndarray:
    """Class codes by scores; on the boundary of two classes, the positive class.

    Examples
    --------
    >>> codes_of(np.array([-1.0, 0.0])), codes_of(np.array([[1.0, 3.0, 2.0]]))
    (array([0, 1]), array([1]))
    """
    return (scores >= 0).astype(np.intp) if scores.ndim == 1 else highest(scores)


def rounded_up(bound: float) -> float:
    """The bound, enlarged by more than the rounding of the products it was computed from."""
    return bound * (1 + 2.0**-49)
