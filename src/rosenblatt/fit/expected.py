"""Bounds on a classifier's error on new rows, from its training set or from rows held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data.labels import read_labels
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.fit.fitted import Fitted
from rosenblatt.fit.settings import order_of
from rosenblatt.proof import generalisation
from rosenblatt.proof.certificate import Separation
from rosenblatt.proof.generalisation import ErrorBound

HOW = "hold rows out and pass them: error_bound(confidence, X, y)"


def measured(clf: Any, X: Any, y: Any, confidence: float) -> ErrorBound:
    """Bound by rows that the classifier has not learned from."""
    labels = read_labels(y)
    predicted = clf.predict(X)
    if len(predicted) != len(labels):
        raise InputError(f"X has {len(predicted)} rows but y has {len(labels)} labels.")
    return generalisation.held_out(int(np.sum(predicted != labels)), len(labels), confidence)


def of_margin(clf: Any, confidence: float) -> ErrorBound:
    """Bound by the support of a maximum margin, which alone would give the same hyperplanes."""
    generalisation.check_confidence(confidence)
    n = getattr(clf, "_n_rows", None)
    if n is None:
        return generalisation.nothing(
            f"the number of training rows is not known; {HOW}", confidence
        )
    supports = clf.support_ if isinstance(clf.support_, list) else [clf.support_]
    kept = len(np.unique(np.concatenate(supports)))
    return generalisation.sample_compression(n, kept, 0, confidence)


def of_fitted(fitted: Fitted, confidence: float = 0.95) -> ErrorBound:
    """The better of two bounds, each at half the allowed risk if both apply.

    By the rows that moved the weights (sample compression), or by the classes being separated.
    """
    generalisation.check_confidence(confidence)
    duals = [run.state.dual for run in fitted.runs]
    n = max((len(dual) for dual in duals), default=0)
    compressed = n > 0 and _is_compression(fitted)
    separated = n > 0 and fitted.certificate is not None and _separates(fitted)
    share = 1 - (1 - confidence) / max(1, compressed + separated)
    found = []
    if compressed:
        moved = np.unique(np.concatenate([np.flatnonzero(dual) for dual in duals]))
        found.append(generalisation.sample_compression(n, len(moved), 0, share))
    if separated:
        free = fitted.features + bool(fitted.settings.fit_intercept)
        found.append(generalisation.uniform(n, free, share))
    if not found:
        why = "none of the theorems applies to weights found in this way"
        return generalisation.nothing(f"{why}; {HOW}", confidence)
    return generalisation.best(found)._replace(confidence=confidence)


def _is_compression(fitted: Fitted) -> bool:
    """Whether the rows that moved the weights, run alone in the same order, give the same weights.

    So only mistakes may have influenced them: no decision by other means, no average over looks, no
    rows held out, no weights of classes, and no order that depends on the number of rows.
    """
    asked = fitted.settings
    return (
        asked.certify is False
        and order_of(asked) == "cyclic"
        and asked.solution == "last"
        and all(run.clean for run in fitted.runs)
        and asked.penalty is None
        and asked.class_weight is None
        and not (asked.warm_start or asked.margin or fitted.validated)
    )


def _separates(fitted: Fitted) -> bool:
    """Whether the weights that predict are known to separate two classes."""
    overfit = fitted.run.stop is Stop.SEPARATED_OVERFIT
    return (
        len(fitted.classes) == 2
        and isinstance(fitted.certificate, Separation)
        and fitted.settings.solution in ("last", "separator", *(() if overfit else ("auto",)))
        and not fitted.validated
    )
