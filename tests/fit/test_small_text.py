"""Few rows that are mostly 0, of a rare class: the bias must not learn before any word does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron
from sklearn.metrics import balanced_accuracy_score

import rosenblatt as rb


def texts(seed, rows):
    """Rows of some thirty words of a thousand, as long as 1; a tenth of them have their own."""
    rng = np.random.default_rng(seed)
    rare = rng.random(rows) < 0.12
    common, own = rng.dirichlet(np.full(1000, 0.05)), rng.dirichlet(np.full(1000, 0.05))
    counts = [rng.multinomial(30, 0.5 * common + 0.5 * own if r else common) for r in rare]
    X = np.array(counts, dtype=float)
    return sparse.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), rare


@pytest.mark.parametrize("rows", [60, 120])
@pytest.mark.parametrize("dense", [False, True])
def test_a_rare_class_is_told(rows, dense):
    ours, theirs = [], []
    for seed in range(8):
        X, y = texts(seed, rows + 1000)
        X = X.toarray() if dense else X
        for scores, model in ((ours, rb.Perceptron()), (theirs, Perceptron())):
            model.fit(X[:rows], y[:rows])
            scores.append(balanced_accuracy_score(y[rows:], model.predict(X[rows:])))
    assert np.mean(ours) > np.mean(theirs) - 0.01
