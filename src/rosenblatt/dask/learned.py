"""What a fit learned, as the estimator of one machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.fit.conclusion import FittedRun
from rosenblatt.fit.fitted import Fitted
from rosenblatt.fit.settings import Settings
from rosenblatt.places.cluster.place import Cluster

# Parameters that mean the same on one machine.
SHARED = (
    *("fit_intercept", "max_iter", "max_updates", "tol", "n_iter_no_change", "weight_tol"),
    *("early_stopping", "validation_fraction", "eta0", "threshold", "order", "ties", "solution"),
    *("certify", "class_weight", "warm_start", "random_state"),
)
# What a fit finds out, as on one machine.
FOUND = (
    *("classes_", "coef_", "intercept_", "stop_", "verdict_", "certificate_", "margin_"),
    *("mistakes_", "updates_", "n_iter_", "looks_", "radius_", "mistake_bound_", "history_"),
    *("run_", "n_features_in_", "feature_names_in_"),
)


def local_of(estimator: Any, place: Cluster, outcome: FittedRun, validated: bool) -> Perceptron:
    """An ordinary `rosenblatt.Perceptron` that learned what the fit did."""
    data = place.data
    local: Any = Perceptron(**{name: getattr(estimator, name) for name in SHARED})
    local.n_features_in_ = data.d
    if data.names:
        local.feature_names_in_ = np.array(data.names, dtype=object)
    settings = Settings.of(local)
    local._keep(Fitted.of(settings, place.classes, data.radius, [outcome], validated))
    # The rounds of the mean come on top of max_iter.
    # Where the columns of svmlight files start, for those that are read to predict.
    local._first = data.facts.first
    return local
