"""Words and letters counted, in texts of all lengths: neither long texts nor usual letters rule."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron
from sklearn.metrics import roc_auc_score

import rosenblatt as rb


def words(seed, rows, classes):
    """Counts of two thousand words in texts of very different lengths, which repeat their own."""
    rng = np.random.default_rng(seed)
    common = 1 / np.arange(20, 2020)
    rare = rng.dirichlet(np.full(2000, 0.03), size=classes)
    topics = 0.75 * common / common.sum() + 0.25 * rare
    y = rng.integers(0, classes, rows)
    lengths = np.maximum(5, rng.lognormal(np.log(60), 1.4, rows)).astype(int)
    own = [rng.dirichlet(150 * topics[c] + 1e-9) for c in y]
    counts = [rng.multinomial(n, p) for n, p in zip(lengths, own, strict=True)]
    return sparse.csr_matrix(np.array(counts, dtype=float)), y


def letters(seed, rows):
    """Counts of a dozen letters, and of many rare groups of them, of which some tell a class."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.15
    y[:2] = False, True
    rates = np.append(np.full(12, 0.5), 0.001 * rng.exponential(size=8000))
    factors = np.append(np.ones(12), rng.choice([0.2, 1.0, 5.0], 8000, p=[0.1, 0.8, 0.1]))
    lengths = rng.lognormal(np.log(40), 0.6, (rows, 1))
    usual = np.column_stack([rng.gamma(4, 0.25, (rows, 12)), np.ones((rows, 8000))])
    counts = rng.poisson(np.where(y[:, None], factors, 1.0) * rates * lengths * usual)
    return sparse.csr_matrix(counts.astype(float)), y


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_long_texts_are_not_all_that_is_learned(multiclass):
    ours, theirs = [], []
    for seed in range(3):
        X, y = words(seed, 1600, 8)
        for scores, model in ((ours, rb.Perceptron(multiclass=multiclass)), (theirs, Perceptron())):
            scores.append(model.fit(X[:600], y[:600]).score(X[600:], y[600:]))
    # 0.91 and 0.88 against 0.83; without shorter steps and corrections of the mean 0.83.
    assert np.mean(ours) > np.mean(theirs) + 0.04


def test_usual_letters_do_not_drown_the_others():
    ours, theirs = [], []
    for seed in range(5):
        X, y = letters(seed, 660)
        for scores, model in ((ours, rb.Perceptron()), (theirs, Perceptron())):
            model.fit(X[:60], y[:60])
            scores.append(roc_auc_score(y[60:], model.decision_function(X[60:])))
    # 0.99 and 0.70; columns as they come: 0.67.
    assert np.mean(ours) > 0.98
    assert np.mean(ours) > np.mean(theirs)


def test_short_rows_are_not_drowned_by_the_bias():
    ours, theirs = [], []
    for seed in range(3):
        X, y = words(seed, 1300, 5)
        X = X.multiply(1 / X.sum(axis=1)).tocsr()
        for scores, model in ((ours, rb.Perceptron()), (theirs, Perceptron())):
            scores.append(model.fit(X[:300], y[:300]).score(X[300:], y[300:]))
    assert np.mean(ours) > np.mean(theirs)
