"""Which certificates of a fit are bound to their data by a fingerprint."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb
from rosenblatt.certificate import fingerprint

CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR, AND = ["even", "even", "odd", "odd"], ["no", "yes", "no", "no"]
THREE = ["a", "a", "b", "c"]


@pytest.mark.parametrize("labels", [XOR, AND, THREE], ids=["xor", "and", "three"])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_only_who_asks_for_a_proof_has_it_bound(labels, as_rows):
    """The hash of all rows takes as long as many passes; both kinds of proofs are alike in that."""
    X = as_rows(CORNERS)
    plain, bound = (rb.Perceptron(certify=how).fit(X, labels) for how in ("auto", True))
    assert plain.verdict_ is bound.verdict_
    assert plain.certificate_.fingerprint == ""
    assert bound.certificate_.fingerprint == fingerprint(X, labels)
    for clf in (plain, bound):
        assert clf.certificate_.verify(X, labels)
        assert clf.certificate_.verdict is clf.verdict_


def test_rows_of_weight_0_are_counted_in_a_proof_about_the_others():
    X = np.vstack([[[5.0, 5.0]], CORNERS])
    weights = [0.0, 1.0, 1.0, 1.0, 1.0]
    clf = rb.Perceptron().fit(X, ["even", *XOR], sample_weight=weights)
    np.testing.assert_array_equal(np.sort(clf.certificate_.rows), [1, 2, 3, 4])
    assert clf.certificate_.verify(X, ["even", *XOR])


def test_a_proof_about_columns_in_use_is_about_all_columns():
    """Most of very many columns are empty, and learned without."""
    wide = sparse.csr_array(
        ([1.0, 1.0, 1.0, 1.0], [70, 9, 70, 9], [0, 0, 2, 3, 4]), shape=(4, 2**15)
    )
    clf = rb.Perceptron().fit(wide, XOR)
    assert clf.verdict_ is rb.Verdict.INSEPARABLE
    assert clf.certificate_.verify(wide, XOR)


def test_however_the_margin_of_a_default_fit_is_proved_it_is_not_bound():
    """By a look at rows that are not in play, or at columns of very different scales."""
    X, y = np.array([[0.0, 3.0], [1.0, 2.0], [4.0, 1.0], [5.0, 0.0]]), [0, 0, 1, 1]
    weights = np.array([0.0, 1.0, 1.0, 1.0])
    for rows, how in ((X, {"sample_weight": weights}), (X * [1e-100, 1e100], {})):
        plain, bound = (
            rb.Perceptron(certify=certify).fit(rows, y, **how).certificate_
            for certify in ("auto", True)
        )
        assert plain.fingerprint == ""
        assert bound.fingerprint == fingerprint(rows, y)
        assert plain.verify(rows, y)
        assert bound.verify(rows, y)
