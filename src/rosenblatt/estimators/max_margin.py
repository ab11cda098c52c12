"""`MaxMargin`: scikit-learn's face of ``maxmargin``."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.checks import check_finite
from rosenblatt.data.labels import known_classes, listed
from rosenblatt.data.lossless import is_sparse
from rosenblatt.engine.machine.threads import side_by_side, threads_for
from rosenblatt.engine.pieces import length
from rosenblatt.engine.points import make_points
from rosenblatt.errors import CertificateError, InputError, NotSeparableError
from rosenblatt.estimators.linear import BoundsErrors, LinearClassifier
from rosenblatt.estimators.validation import check_labels, check_rows
from rosenblatt.fit import expected
from rosenblatt.fit.one_vs import pair_scores
from rosenblatt.fit.parameters import check_kinds
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import MarginBracket
from rosenblatt.proof.generalisation import ErrorBound
from rosenblatt.solve.margin_search import MarginResult
from rosenblatt.solve.max_margin import max_margin


class MaxMargin(BoundsErrors, LinearClassifier):
    """The maximum-margin classifier: a hard-margin support vector machine with a certified gap.

    Of all hyperplanes that separate the classes it finds the one whose nearest point is as far
    away as possible: minimise ‖w‖² subject to yᵢ(w·xᵢ + b) ≥ 1. Inseparable classes have none, and
    are refused with a proof.

    Parameters
    ----------
    bias : {"free", "padded", "none"}, default="free"
        Whether the bias is left out of the norm (the second lecture's quadratic program), counts
        as one more weight (the margin of the perceptron's mistake bound), or is 0.
    rtol : float, default=1e-6
        The relative gap to reach between the margin found and the best there can be.
    multiclass : {"ovr", "ovo"}, default="ovr"
        With more than two classes: each against the rest, the highest score wins; or each pair of
        classes, the most votes win. Pairs can be separable where one against the rest is not.
    max_rounds : int, default=200
        The most working sets to solve; fewer than ten are usual.
    n_jobs : int, optional
        Threads that share the problems of more than two classes.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        Shapes (1, d) and (1,) for two classes, else one row for each class or pair of classes, in
        the order (0, 1), (0, 2), …, (1, 2), …. Scaled so that the nearest point scores ±1.
    classes_ : ndarray
        The labels, sorted; of two, the second is the positive one, whatever it is called.
    margin_ : float, or ndarray with more than two classes
        Distance of the nearest point from the hyperplane: 1/‖w‖, or 1/‖(w, b)‖ with padded bias.
    slab_width_ : float or ndarray
        2/‖w‖, the width of the empty slab with the hyperplane in its middle.
    bracket_ : Bracket or list of Bracket
        lower ≤ best margin ≤ upper, both evaluated on all of the data.
    gap_ : float
        The relative width of the widest bracket.
    support_ : ndarray or list of ndarray
        The points that hold the hyperplane in its place.
    dual_coef_ : ndarray of shape (1, n_support) or list of them
        Their multipliers times their signs: ``coef_`` is ``dual_coef_ @ X[support_]`` up to the
        gap.
    n_iter_ : int
        Rounds of the problem that took most.

    References
    ----------
    Vapnik and Lerner 1963; Boser, Guyon and Vapnik 1992; Lawson and Hanson 1974, chapter 23.

    Examples
    --------
    >>> from rosenblatt import MaxMargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MaxMargin().fit(X, y == 0)
    >>> round(clf.margin_, 6), round(clf.slab_width_, 6), clf.support_.tolist()
    (0.817556, 1.635112, [23, 41, 98])
    >>> clf.gap_ <= 1e-6
    True
    """

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray

    def __init__(
        self,
        bias: str = "free",
        *,
        rtol: float = 1e-6,
        multiclass: str = "ovr",
        max_rounds: int = 200,
        n_jobs: int | None = None,
    ):
        self.bias = bias
        self.rtol = rtol
        self.multiclass = multiclass
        self.max_rounds = max_rounds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> MaxMargin:
        """Find the hyperplane, or one for each class or pair of classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels of any kind; two or more distinct ones.

        Returns
        -------
        self : MaxMargin
            The fitted estimator.

        Raises
        ------
        NotSeparableError
            Where no hyperplane exists; its ``certificate`` proves it.
        """
        check_kinds(self)
        X = check_rows(self, X, reset=True)
        classes, codes = check_labels(y, X.shape[0])
        check_finite(make_points(X, codes), getattr(self, "feature_names_in_", None))
        problems = self._problems(X, classes, codes)
        results = side_by_side(
            lambda problem: self._solve(*problem), problems, threads_for(self.n_jobs)
        )
        self.classes_ = classes
        self._n_rows = X.shape[0]
        self._keep(results)
        return self

    def certify(self, X: Any, y: Any) -> MarginBracket | list[MarginBracket]:
        """Prove ``bracket_`` in exact arithmetic, about the data that were fitted.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : array of shape (n,)
            Their labels.

        Returns
        -------
        MarginBracket or list of MarginBracket
            Its ends are rounded outwards: at most some units in the last place further apart than
            ``bracket_``. With more than two classes one certificate a problem, whose labels are
            `True` and `False` for a class against the rest, and whose rows are those of the two
            classes for a pair.

        Raises
        ------
        CertificateError
            Where ``dual_coef_`` is beyond the range of floats.

        Examples
        --------
        >>> from rosenblatt import MaxMargin
        >>> X, y = [[0.0, 0.0], [3.0, 4.0]], [-1, 1]
        >>> proof = MaxMargin().fit(X, y).certify(X, y)
        >>> print(proof.verify(X, y).reason)
        the maximum margin is in [2.5, 2.5]
        """
        X = check_rows(self, X)
        classes, codes = check_labels(y, X.shape[0])
        if not np.array_equal(classes, self.classes_):
            raise InputError(f"y must have the classes fitted, {listed(self.classes_)}.")
        exactly = self._exactly()
        weights = np.column_stack([self.coef_, self.intercept_]) if exactly is None else exactly
        two = len(classes) == 2
        supports: Any = [self.support_] if two else self.support_
        duals: Any = [self.dual_coef_] if two else self.dual_coef_
        if not all(np.isfinite(dual).all() for dual in duals):
            raise CertificateError(
                "dual_coef_, of the order of 1/margin², is beyond the range of floating-point "
                "numbers, so that nothing is proved by it. Rescale the columns, then fit and "
                "certify again."
            )
        problems = self._problems(X, classes, codes)
        proofs = [
            MarginBracket.of(
                part, labels, z, np.searchsorted(rows, support), np.abs(dual[0]), bias=self.bias
            )
            for (part, labels, rows, _), z, support, dual in zip(
                problems, weights, supports, duals, strict=True
            )
        ]
        return proofs[0] if two else proofs

    def _of_classes(self, scores: np.ndarray) -> np.ndarray:
        """The scores of classes, or their votes where there is a hyperplane for each pair."""
        if self.multiclass == "ovo" and scores.shape[1] > 1:
            return pair_scores(scores, len(self.classes_))
        return super()._of_classes(scores)

    def _scores(self, X: Any) -> np.ndarray:
        """One column for each hyperplane, with the signs of the exact weights where those count."""
        scores, exactly = super()._scores(X), self._exactly()
        return (
            scores if exactly is None else exact.settled_scores(self._checked(X), exactly, scores)
        )

    def _exactly(self) -> np.ndarray | None:
        """The exact weights; None where floats do, or where the weights were set to others."""
        exactly, (coef, intercept) = getattr(self, "_exact", None), self._planes()
        if exactly is None or is_sparse(coef):
            return None
        same = np.array_equal(exactly.astype(np.float64), np.column_stack([coef, intercept]))
        return exactly if same else None

    def _bound(self, confidence: float) -> ErrorBound:
        """The bound by the training set alone."""
        return expected.of_margin(self, confidence)

    def _problems(
        self, X: Any, classes: np.ndarray, codes: np.ndarray
    ) -> list[tuple[Any, np.ndarray, np.ndarray, str]]:
        """Rows, labels, the rows' places in X, and a name, of each two-class problem."""
        in_play, y = np.arange(len(codes)), classes[codes]
        if len(classes) == 2:
            return [(X, y, in_play, "")]
        if self.multiclass == "ovr":
            return [
                (X, codes == k, in_play, f"Class {label!r} against the rest: ")
                for k, label in enumerate(listed(classes))
            ]
        if self.multiclass != "ovo":
            raise InputError(f"multiclass must be 'ovr' or 'ovo', got {self.multiclass!r}.")
        pairs, labels = [], listed(classes)
        for j, k in combinations(range(len(classes)), 2):
            rows = np.flatnonzero((codes == j) | (codes == k))
            name = f"Class {labels[j]!r} against {labels[k]!r}: "
            pairs.append((X[rows], y[rows], rows, name))
        return pairs

    def _solve(self, X: Any, y: np.ndarray, rows: np.ndarray, name: str) -> MarginResult:
        """The margin of one problem, its support named by rows of the whole."""
        try:
            how = {"bias": self.bias, "rtol": self.rtol, "max_rounds": self.max_rounds}
            last = known_classes(y)[1]  # as scikit-learn has it, whatever it is called
            found = max_margin(X, y, **how, positive=last, category=ConvergenceWarning)
        except NotSeparableError as error:
            raise NotSeparableError(f"{name}{error}", error.certificate) from None
        return found._replace(support=rows[found.support])

    def _keep(self, results: list[MarginResult]) -> None:
        """Set what was learned: plain for two classes, one entry a problem for more."""
        weights = np.array([result.weights for result in results])
        self.coef_, self.intercept_ = weights[:, :-1].copy(), weights[:, -1].copy()
        exactly = [w if r.exact is None else r.exact for w, r in zip(weights, results, strict=True)]
        narrow = any(result.exact is not None for result in results)
        self._exact = np.vstack(exactly) if narrow else None
        margins = np.array([result.bracket.lower for result in results])
        slabs = 2 / np.array([length(w) for w in self.coef_])
        brackets = [result.bracket for result in results]
        supports = [result.support for result in results]
        duals = [result.dual[np.newaxis] for result in results]
        two = len(self.classes_) == 2
        self.margin_ = float(margins[0]) if two else margins
        self.slab_width_ = float(slabs[0]) if two else slabs
        self.bracket_ = brackets[0] if two else brackets
        self.support_ = supports[0] if two else supports
        self.dual_coef_ = duals[0] if two else duals
        self.gap_ = max(bracket.relative_gap for bracket in brackets)
        self.n_iter_ = max(result.rounds for result in results)
