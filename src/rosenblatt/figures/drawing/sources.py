"""What a figure is drawn from: weights, points and paths out of anything the package returns."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import refuse_masked
from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import as_table
from rosenblatt.data.labels import check_discrete
from rosenblatt.data.lossless import is_sparse
from rosenblatt.data.positive import positive_code
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.figures.drawing.words import feature_labels, named, names_of, on_an_axis
from rosenblatt.proof.certificate import classes_of
from rosenblatt.proof.certificate.data import plain_label

KINDS = "a fitted estimator, Run, Trace, Decision, certificate, or the weights with the bias last"
# Norms beyond it cannot be squared, nor can axes span them.
FARTHEST = 1e150


class DrawnData(NamedTuple):
    """Labelled points: rows, class codes, and the classes; of two, the second is positive.

    The names are the features', where they are known.
    """

    X: Any
    codes: np.ndarray
    classes: tuple[Any, ...]
    names: tuple[str, ...] = ()

    @property
    def labels(self) -> list[str]:
        """What the features are called on an axis."""
        return feature_labels(self.names, self.d)

    @property
    def weight_labels(self) -> list[str]:
        """What the features' weights are called on an axis."""
        if self.names:
            return [on_an_axis(f"weight of {name}") for name in self.names]
        return [f"$w_{{{k + 1}}}$" for k in range(self.d)]

    @property
    def signs(self) -> np.ndarray:
        """+1 for the last class and −1 for all others."""
        return np.where(self.codes == len(self.classes) - 1, 1.0, -1.0)

    @property
    def n(self) -> int:
        """Points."""
        return self.X.shape[0]

    @property
    def d(self) -> int:
        """Features."""
        return self.X.shape[1]

    def dense(self, rows: Any = slice(None)) -> np.ndarray:
        """Those rows as a dense float array."""
        part = self.X[rows]
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part, dtype=float)


class Hyperplane(NamedTuple):
    """w·x + b = 0."""

    normal: np.ndarray
    bias: float

    def unit(self) -> Hyperplane:
        """The same with ‖w‖ = 1, where scores are distances; w = 0 stays."""
        from rosenblatt.engine.pieces import length

        size = length(self.normal) or 1.0
        return Hyperplane(self.normal / size, self.bias / size)

    def scores(self, X: Any) -> np.ndarray:
        """w·x + b of every row."""
        return np.asarray(X @ self.normal).ravel() + self.bias


def is_trace(source: Any) -> bool:
    """Whether every step is there to be drawn."""
    return hasattr(source, "steps") and hasattr(source, "rows") and hasattr(source, "run")


def is_descent(source: Any) -> bool:
    """Whether it is the `rosenblatt.risk.Path` of a descent."""
    return hasattr(source, "epsilon") and hasattr(source, "risk") and hasattr(source, "weights")


def is_widest(source: Any) -> bool:
    """Whether a source is about the line of maximum margin, and not just about a line."""
    proved = getattr(source, "kind", "") == "maximum-margin"
    return proved or hasattr(source, "slab_width_") or hasattr(source, "dual")


def run_of(source: Any) -> Any:
    """The Run in a fitted estimator or a Trace, or the Run itself."""
    for run in (getattr(source, "run_", None), getattr(source, "run", None), source):
        if hasattr(run, "column") and hasattr(run, "updates"):
            return run
    raise InputError(
        f"this figure needs a run: pass a fitted Perceptron, a Run or a Trace, not a "
        f"{type(source).__name__}."
    )


def _rows(X: Any) -> Any:
    try:
        X = as_table(in_numpy(X, "X"))
    except RosenblattError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"X must be a table of numbers: {error}") from None
    size = float(np.abs(X.data if is_sparse(X) else X).max(initial=0.0))
    if not size <= FARTHEST:
        raise InputError(
            f"X holds {size}: points to be drawn must be finite and at most {FARTHEST:g}."
        )
    return X


def data_of(source: Any, X: Any = None, y: Any = None, names: Any = None) -> DrawnData:
    """The points to draw: those given, or those of a Trace.

    The classes are in the order of the source; without one, the positive of two is the last, as
    for `rosenblatt.decide`. Features have the names given, or those of the data frame that was
    drawn, traced or fitted.

    Examples
    --------
    >>> data = data_of(None, [[0, 1], [2, 3]], ["no", "yes"], names=["height", "age"])
    >>> data.classes, data.signs, data.labels
    (('no', 'yes'), array([-1.,  1.]), ['height', 'age'])
    """
    if X is None and y is None and is_trace(source):
        data = _traced(source)
    elif X is None or y is None:
        raise InputError("this figure draws the points: pass X and y.")
    else:
        data = _labelled(source, X, y)
    return data._replace(names=names_of(source, data.d, names, X))


def _labelled(source: Any, X: Any, y: Any) -> DrawnData:
    X = _rows(X)
    found, codes = classes_of(y)
    check_discrete(np.asarray(found))
    if len(codes) != X.shape[0]:
        raise InputError(f"X has {X.shape[0]} rows but y has {len(codes)} labels.")
    known = _classes(source)
    if known is None:
        known = (-1, 1) if len(found) == 1 and found[0] in (-1, 1) else found
        known = known if positive_code(known) else known[::-1]
    place = {label: k for k, label in enumerate(known)}
    missing = [label for label in found if label not in place]
    if missing:
        raise InputError(f"y has the label {missing[0]!r}, which is not among {list(known)}.")
    return DrawnData(X, np.array([place[label] for label in found])[codes], tuple(known))


def _classes(source: Any) -> tuple[Any, ...] | None:
    for holder in (source, getattr(source, "certificate", None)):
        for name in ("classes_", "classes"):
            if holder is not None and hasattr(holder, name):
                found = tuple(map(plain_label, getattr(holder, name)))
                # A descent on signs knows no labels, and a decision out of time has seen none.
                return None if not found or (is_descent(holder) and found == (-1, 1)) else found
    return None


def _traced(trace: Any) -> DrawnData:
    rows = np.asarray(trace.rows).astype(float)
    if trace.fit_intercept:
        rows = np.delete(rows, 0 if trace.bias == "first" else -1, axis=1)
    codes = np.full(len(rows), -1)
    place = {label: k for k, label in enumerate(trace.classes)}
    for step in trace.steps:
        codes[step.index] = place[step.label]
    if (codes < 0).any():
        raise InputError(
            f"the trace never looked at row {int(np.argmin(codes))}, so it does not know its "
            "label: pass X and y."
        )
    return DrawnData(_rows(rows), codes, tuple(trace.classes))


def weights_of(source: Any) -> np.ndarray:
    """The weights, bias last: of shape (d + 1,), or (K, d + 1) for K > 2 classes.

    Examples
    --------
    >>> weights_of([1, 2, 3])
    array([1., 2., 3.])
    """
    if hasattr(source, "coef_"):
        table = np.column_stack([np.atleast_2d(source.coef_), np.ravel(source.intercept_)])
        return table[0] if len(table) == 1 else table
    if is_trace(source) or is_descent(source):
        return path_of(source)[-1]
    weights = getattr(source, "weights", source)
    if hasattr(source, "classes_"):
        raise InputError(
            f"a {type(source).__name__} has no weights w of the features: figures.regions draws "
            "any classifier of two features."
        )
    if weights is None or hasattr(source, "fit"):
        raise InputError(f"there are no weights to draw: pass {KINDS}.")
    weights = _floats(weights)
    classes = _classes(source)
    if weights.ndim == 1 and classes is not None and len(classes) > 2:
        weights = weights.reshape(len(classes), -1)
    return weights


def predictions_of(model: Any, X: Any) -> np.ndarray:
    """What any classifier predicts, or why it does not."""
    try:
        return np.asarray(model.predict(X))
    except RosenblattError:
        raise
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(
            f"this {type(model).__name__} does not predict these rows: {error} Pass an estimator "
            "that was fitted to such rows."
        ) from error


def names_of_weights(source: Any, count: int) -> list[str]:
    """What each of so many weight vectors speaks for: a class, or one class against another."""
    words = named(_classes(source) or range(count))
    if count == 1:
        return [f"{words[-1]} against {words[0]}"] if len(words) > 1 else words
    if getattr(source, "multiclass", "") == "ovo" and len(words) > 2:
        return [f"{words[k]} against {words[j]}" for j, k in combinations(range(len(words)), 2)]
    return words


def _floats(weights: Any) -> np.ndarray:
    refuse_masked(weights, "weights")
    try:
        array = np.asarray(weights)
    except ValueError:  # sequences of different lengths
        raise InputError(f"cannot draw a {type(weights).__name__}: pass {KINDS}.") from None
    if array.dtype == object and array.size and isinstance(array.flat[0], Fraction):
        # A certificate's fractions may be longer than floats; only their direction is drawn.
        largest = max(map(abs, array.flat))
        if largest > FARTHEST:
            array = np.vectorize(lambda w: w / largest, otypes=[object])(array)
    try:
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"cannot draw a {type(weights).__name__}: pass {KINDS}.") from None
    if array.ndim not in (1, 2) or not array.size or array.shape[-1] < 2:
        raise InputError(
            f"weights must be one vector, or one a class, of a number a feature and the bias last; "
            f"got shape {array.shape}. Pass {KINDS}."
        )
    if not np.isfinite(array).all():
        raise InputError("the weights are not finite, so there is nothing to draw.")
    return array


def hyperplane_of(source: Any, data: DrawnData) -> Hyperplane | None:
    """The hyperplane of a source for two classes; None without a source."""
    if source is None:
        return None
    weights = weights_of(source)
    if weights.ndim == 2:
        raise InputError(
            f"there are {len(weights)} classes, and no single hyperplane: figures.regions draws "
            "any number of classes."
        )
    if len(weights) != data.d + 1:
        raise InputError(
            f"X has {data.d} features, so weights must be {data.d + 1} with the bias last; "
            f"got {len(weights)}."
        )
    return Hyperplane(weights[:-1], float(weights[-1]))


def path_of(trace: Any, updates_only: bool = True) -> np.ndarray:
    """The weights of a Trace, bias last: the start, then after every update (or every step).

    Of a descent, those of every pass.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> path_of(trace([[2], [-1]], [1, -1]))
    array([[0., 0.],
           [2., 1.]])
    """
    if is_descent(trace):
        return np.asarray(trace.weights).astype(float)
    weights = trace.path
    if not updates_only:
        return weights
    changed = [step.number for step in trace.steps if step.mistake]
    return weights[[0, *changed]]


def has_bias(source: Any) -> bool:
    """Whether there is a bias at all; the weights speak where nothing else does."""
    for holder in (source, getattr(source, "certificate", None)):
        if holder is not None and hasattr(holder, "fit_intercept"):
            return bool(holder.fit_intercept)
    weights = weights_of(source)
    return bool(np.any(weights[..., -1]))


def certificate_of(source: Any) -> Any:
    """The certificate of a Decision, a SeparationKind or an estimator, or what is one itself."""
    found = [getattr(source, name, None) for name in ("certificate_", "certificate")]
    if hasattr(source, "separation") and hasattr(source, "inseparability"):
        found += _of_regression(source)
    for proof in (*found, source):
        if hasattr(proof, "fingerprint") and hasattr(proof, "kind"):
            return proof
    raise InputError(
        f"there is no certificate to draw in a {type(source).__name__}: ask rosenblatt.decide(X, "
        "y), or fit with certify=True."
    )


def _of_regression(result: Any) -> list[Any]:
    """What proves that classes are separated, or else that they are not, of a SeparationKind."""
    if result.model != "logit":
        raise InputError(
            f"the proofs of a {result.model} model are about more rows than its points: draw "
            "figures.pairs_matrix(X, y), or figures.certificate(rosenblatt.decide(X, y), X, y)."
        )
    whole = result.separation is not None and result.separation.kind == "separation"
    return [result.separation if whole else result.inseparability]
