"""`Perceptron`, for streams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arguments import FLAG, refuse_others
from rosenblatt.errors import InputError
from rosenblatt.online.checks import named_labels, refusal
from rosenblatt.online.learning import Learner, scores_of
from rosenblatt.online.predicting import (
    chances,
    columns_like,
    labels_like,
    largest_score,
    score_batch,
)
from rosenblatt.text import plural

if TYPE_CHECKING:
    from river.base import MiniBatchClassifier

    from rosenblatt.online.game import Round
else:
    try:
        from river.base import MiniBatchClassifier
    except ImportError:  # river is optional
        MiniBatchClassifier = object


class Perceptron(Learner, MiniBatchClassifier):
    """The perceptron of the first lecture, for streams.

    After a mistake (y·score ≤ δ) w ← w + y·x. Two classes share one weight vector, positive for
    the second of ``classes``. When a third appears, w becomes the vectors −w, w and 0, one a class,
    and the rule the multiclass one: reward the true class, punish its strongest rival. As the
    perceptron of two classes *is* the multiclass rule with −w and w, nothing is lost. Updates are
    at most (R² + 2δ)/γ² (Novikoff 1962), with more than two classes (2R² + 2δ)/γ²; examples of
    weights from s to η (`learn_one`) make at most η/s times (R² + 2δ/η)/γ².

    Parameters
    ----------
    classes : iterable, optional
        Labels known beforehand; others may still join. Booleans are always known to be two.
    average : bool
        Predict by the mean of the weights over all looks instead of the last.
    fit_intercept : bool
        Whether examples have the bias coordinate 1.
    threshold : float
        δ ≥ 0: an example is a mistake while y·score (with several classes, the lead of the true
        one) does not exceed it. More than 0 asks for a margin.

    Attributes
    ----------
    classes : list
        Labels, in order of appearance.
    looks, updates : int
        Examples learned from, and those that changed the weights.
    radius : float
        R of the latter.

    Notes
    -----
    An array's features have the names 0, 1, 2, …, and so have a sparse row's. A feature without a
    value is 0, and so is one never met before an example is predicted.

    What is learned is learned at once, but for the dicts that follow an example with the same
    features: they wait, and are learned from together when anything is asked of the learner or
    many wait. This is faster; if one of them is not finite, it is left out and that is told then.

    Where river is installed, this is one of its mini-batch classifiers: pipelines, ensembles,
    wrappers, metrics and evaluations take it as their own.

    Examples
    --------
    The first lecture's pass class: homework and exam marks.

    >>> learner = Perceptron(classes=["fail", "pass"])
    >>> learner.learn_one({"homework": 90, "exam": 80}, "pass")
    >>> learner.learn_one({"homework": 40, "exam": 30}, "fail")
    >>> learner.predict_one({"homework": 50, "exam": 60}), learner.updates
    ('pass', 2)
    >>> learner.weights
    {'homework': 50.0, 'exam': 50.0}

    A third class, and a new feature:

    >>> learner.learn_one({"homework": 90, "exam": 80, "prize": 1}, "honours")
    >>> learner.predict_one({"homework": 90, "exam": 80, "prize": 1})
    'honours'
    """

    def __init__(
        self,
        classes: Iterable[Any] | None = None,
        *,
        average: bool = False,
        fit_intercept: bool = True,
        threshold: float = 0.0,
    ):
        flags = {"average": average, "fit_intercept": fit_intercept}
        refuse_others(dict.fromkeys(flags, FLAG), flags.items())
        known = None if classes is None else named_labels(classes)
        if known is not None and len(set(known)) < max(2, len(known)):
            raise InputError(f"classes must be at least two different labels, got {known!r}.")
        self._start(
            known,
            average=bool(average),
            fit_intercept=bool(fit_intercept),
            threshold=threshold,
        )

    # What river asks of a classifier.

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"average", "threshold"}

    def _score_list(self, x: Any) -> list[float]:
        """The score of each weight vector."""
        self._catch_up()
        where, row = self._features.read(x)
        scores = scores_of(self._predicting(where), row)
        if not all(map(math.isfinite, scores)):
            raise refusal(x)
        return scores

    def score_one(self, x: Any) -> Any:
        """The score w·x + b, positive for ``classes[1]``; with K > 2 classes a dict of scores."""
        scores = self._score_list(x)
        return scores[0] if self._single else dict(zip(self.classes, scores, strict=True))

    def predict_one(self, x: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The label of one example: on the boundary the positive one; None before any is known."""
        scores = self._score_list(x)
        if not self._single:
            return self.classes[scores.index(max(scores))]
        if len(self.classes) < 2:
            return self.classes[0] if self.classes else None
        return self.classes[scores[0] >= 0]

    def predict_proba_one(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, x: Any
    ) -> dict[Any, float]:
        """How the learner leans between its classes, as numbers that sum to 1.

        The softmax of 2t, t being the scores as shares of the largest that is possible: on an
        example as long as R, a class's score is at most R times the length of the longest weight
        vector. With two classes that is the logistic function of 4t, t = score/(‖w‖R), the
        distance from the boundary in units of R: about ½ + t next to it.

        So examples are ranked as by their scores, whatever the units of the features, and
        comparably over time while weights grow, which ROC AUC and other rankings need. These are
        no frequencies, for a perceptron estimates none: calibrate where they are needed.

        Returns
        -------
        dict
            One number a label; equal ones before the first update, none before any class is known.

        Examples
        --------
        >>> learner = Perceptron()
        >>> learner.predict_proba_one({"a": 1.0})
        {}
        >>> learner.learn_one({"a": 3.0}, True)
        >>> {label: round(p, 3) for label, p in learner.predict_proba_one({"a": 3.0}).items()}
        {False: 0.018, True: 0.982}
        """
        scores = self._score_list(x)
        scores = [-scores[0], scores[0]][: len(self.classes)] if self._single else scores
        return dict(zip(self.classes, chances(scores, largest_score(self)), strict=True))

    def _predicting(self, where: Any) -> np.ndarray:
        """The weights that predict, of these columns: one vector, or one a class."""
        weights = self._weights[:, where]
        mean = self.average and self._looks
        return weights - self._drift[:, where] / self._looks if mean else weights

    def predict_many(self, X: Any) -> Any:
        """The labels of many examples, each as `predict_one` says.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), data frame, or iterable of examples
            A frame's columns name the features.

        Returns
        -------
        array of shape (n,), or Series
            Of a pandas frame a Series with its index.

        Examples
        --------
        >>> learner = Perceptron()
        >>> learner.learn_many([[1.0, 2.0], [3.0, -1.0]], ["up", "down"])
        >>> learner.predict_many([[0.0, 1.0], [2.0, 0.0]]).tolist()
        ['up', 'down']
        """
        scores = score_batch(self, X)
        if self._single:
            codes = (scores[:, 0] >= 0).astype(np.intp) * (len(self.classes) > 1)
        else:
            codes = scores.argmax(axis=1)
        return labels_like(X, self.classes or [None], codes)

    def predict_proba_many(self, X: Any) -> Any:
        """The probabilities of many examples, each as `predict_proba_one` says.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), data frame, or iterable of examples
            A frame's columns name the features.

        Returns
        -------
        array of shape (n, K), or frame
            In the order of ``classes``; of a pandas frame a frame whose columns are the classes.
        """
        scores = score_batch(self, X)
        scores = np.hstack([-scores, scores])[:, : len(self.classes)] if self._single else scores
        most = largest_score(self)
        found = [chances(row, most) for row in scores.tolist()]
        return columns_like(X, self.classes, np.array(found).reshape(scores.shape))

    def partial_fit(
        self,
        X: Any,
        y: Iterable[Any],
        classes: Iterable[Any] | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """`learn_many` under scikit-learn's name.

        Parameters
        ----------
        X, y
            Examples and their labels.
        classes : iterable, optional
            Labels, of which some may be still to come.
        sample_weight : iterable of n numbers, optional
            The weight of each example.
        """
        self._catch_up()
        for label in () if classes is None else named_labels(classes):
            if label not in self._codes:
                self._meet(label)
        self.learn_many(X, y, 1.0 if sample_weight is None else sample_weight)
        return self

    def protocol(self, stream: Iterable[tuple[Any, Any]], **options: Any) -> Iterator[Round]:
        """Play the online game over a stream: `rosenblatt.online.protocol`."""
        from rosenblatt.online.game import protocol

        return protocol(self, stream, **options)

    def __repr__(self) -> str:
        positive = f" ({self.classes[1]!r} positive)" if len(self.classes) == 2 else ""
        waiting = f", {plural(len(self._waiting), 'example')} waiting" if self._waiting else ""
        return (
            f"<online.Perceptron: {plural(len(self.classes), 'class')}{positive}, "
            f"{plural(len(self.features), 'feature')}, {plural(self._updates, 'update')} in "
            f"{plural(self._looks, 'look')}{waiting}>"
        )

    def __str__(self) -> str:
        return type(self).__name__
