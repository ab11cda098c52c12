"""Certificates: proofs hold, round-trip exactly, and every tampering is refused with a reason."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import certificate as ct
from rosenblatt.errors import CertificateError, InputError
from rosenblatt.margins import Bracket
from rosenblatt.proof.exact import numbers

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_Y = np.array(["even", "even", "odd", "odd"])


def separable(seed, n=12, d=3, fit_intercept=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-5, 5)
    X[-1] = -X[0]  # so that both classes occur
    w = np.append(rng.normal(size=d), 0.0)
    w[-1] = fit_intercept * 0.1 * abs(X[0] @ w[:-1])
    y = np.where(X @ w[:-1] + w[-1] > 0, "yes", "no")
    return X, y, w


def three_classes(seed, n=15):
    rng = np.random.default_rng(seed)
    X, W = rng.normal(size=(n, 2)), np.array([[5.0, 0, 0], [0, 5, 0], [-5, -5, 1]])
    X[:3] = [[1, 0], [0, 1], [-1, -1]]
    y = (X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)
    return X, y, W


def xor():
    return ct.Inseparability.of(XOR, XOR_Y, [0, 1, 2, 3], [1, 1, 1, 1])


def weak():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    return X, y, ct.WeakSeparation.of(X, y, [1.0, -1.0])


def every_kind():
    X, y, w = separable(0)
    X3, y3, W3 = three_classes(0)
    rational = np.array([Fraction(v) / 3 for v in w.tolist()], dtype=object)
    same = np.array([[1.0], [1.0], [2.0]])
    return [
        (X, y, ct.Separation.of(X, y, w)),
        (X, y, ct.Separation.of(X, y, rational, upper=1e9)),
        (X3, y3, ct.Separation.of(X3, y3, W3)),
        (XOR, XOR_Y, xor()),
        weak(),
        (same, [0, 1, 2], ct.Inseparability.of(same, [0, 1, 2], [0, 1], [1, 1], rivals=[1, 0])),
        (XOR, XOR_Y, ct.Inseparability.of(XOR, XOR_Y, [0, 1, 2, 3], [1.0, 1.0, 1.0, 1.0 + 2**-40])),
        (XOR, XOR_Y, ct.Overlap.of(XOR, XOR_Y, [0, 1, 2, 3], [1, 1, 1, 1])),
    ]


KINDS = every_kind()


@pytest.mark.parametrize(("X", "y", "proof"), KINDS)
def test_it_verifies_whatever_holds_the_data(X, y, proof):
    for matrix in (X, sp.csr_array(X), sp.coo_array(X), np.asfortranarray(X), X.tolist()):
        outcome = proof.verify(matrix, y)
        assert outcome, outcome.reason
    assert proof.verify(X, list(y))
    assert proof.explain()
    assert type(proof).__name__ in repr(proof)


@pytest.mark.parametrize(("X", "y", "proof"), KINDS)
def test_json_round_trip(X, y, proof, tmp_path):
    assert ct.from_json(proof.to_json()) == proof
    assert type(proof).from_json(proof.to_json().encode()) == proof
    assert ct.load(proof.to_json()) == proof
    proof.save(tmp_path / "proof.json")
    assert [p.name for p in tmp_path.iterdir()] == ["proof.json"]
    again = ct.load(tmp_path / "proof.json")
    assert again == proof
    assert hash(again) == hash(proof)
    assert again.verify(X, y)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
@settings(deadline=None)
def test_floats_round_trip_exactly(weights):
    proof = ct.Separation(
        weights=np.array(weights),
        classes=(0, 1),
        fit_intercept=True,
        margin=Bracket(0.1, math.inf),
        fingerprint="0" * 64,
    )
    again = ct.Separation.from_json(proof.to_json())
    assert again.weights.tobytes() == proof.weights.tobytes()
    assert again.margin == proof.margin


def test_integers_of_any_length_round_trip():
    big = 3**20_000  # beyond the digits Python converts
    proof = replace(xor(), alpha=(big, 1, 2**60, 7))
    assert ct.Inseparability.from_json(proof.to_json()).alpha == proof.alpha
    nines = json.dumps({**proof.to_dict(), "alpha": [9]}).replace("[9]", f"[{'9' * 5000}, 1, 2, 7]")
    assert ct.load(nines).alpha == (10**5000 - 1, 1, 2, 7)  # in decimal, as others may write them


# --- Refusals ---


@pytest.mark.parametrize(("X", "y", "proof"), KINDS)
def test_other_data_is_refused(X, y, proof):
    changed = X.copy()
    changed[0, 0] = np.nextafter(changed[0, 0], np.inf)
    flipped = np.array(y)
    flipped[0] = flipped[-1]
    assert "not the data certified" in proof.verify(changed, y).reason
    assert "not the data certified" in proof.verify(X, flipped).reason
    assert "not the data certified" in proof.verify(X[::-1], y).reason
    assert not proof.verify(X[:, :-1], y)
    assert not proof.verify(X[:-1], y)
    assert not proof.verify(X, y[:-1])
    assert not proof.verify(X[0], y)
    assert "not among the classes" in proof.verify(X, ["who"] * len(X)).reason
    assert "nan" in proof.verify(np.full(X.shape, np.nan), y).reason
    assert not proof.verify(np.full(X.shape, "a"), y)
    assert not proof.verify(X, [None] * len(X))


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=50, deadline=None)
def test_one_flipped_label_breaks_the_separation_itself(seed, fit_intercept):
    X, y, w = separable(seed, fit_intercept=fit_intercept)
    proof = ct.Separation.of(X, y, w, fit_intercept=fit_intercept)
    assert proof.verify(X, y)
    row = seed % len(y)
    flipped = y.copy()
    flipped[row] = "no" if y[row] == "yes" else "yes"
    forged = replace(proof, fingerprint=ct.fingerprint(X, flipped))
    assert (
        forged.verify(X, flipped).reason
        == f"row {row} (class '{flipped[row]}') is on the wrong side"
    )
    swapped = np.where(y == "yes", "no", "yes")
    assert not replace(proof, fingerprint=ct.fingerprint(X, swapped)).verify(X, swapped)


def test_an_inflated_margin_is_refused():
    X, y, w = separable(1)
    proof = ct.Separation.of(X, y, w)
    forged = replace(proof, margin=Bracket(proof.margin.lower * 1.0001, math.inf))
    assert "not with the margin" in forged.verify(X, y).reason


def test_a_boundary_row_is_not_separated():
    X, y, proof = weak()
    with pytest.raises(CertificateError, match="do not separate"):
        ct.Separation.of(X, y, proof.weights)
    shared = {"classes": proof.classes, "fit_intercept": True, "fingerprint": ""}
    forged = ct.Separation(weights=proof.weights, margin=Bracket(0.0, 1.0), **shared)
    assert forged.verify(X, y).reason.startswith("row 1 (class 0) is on the boundary")
    nothing = replace(proof, weights=np.zeros(2))
    assert "separate nothing" in nothing.verify(X, y).reason
    assert "wrong side" in replace(proof, weights=-proof.weights).verify(X, y).reason


@given(st.integers(0, 3), st.integers(2, 10**20))
@settings(deadline=None)
def test_a_changed_alpha_is_refused(i, value):
    alpha = [1, 1, 1, 1]
    alpha[i] = value
    assert "do not cancel in" in replace(xor(), alpha=tuple(alpha)).verify(XOR, XOR_Y).reason


def test_changed_rows_and_codes_are_refused():
    proof = xor()
    assert (
        "do not cancel"
        in replace(proof, rows=proof.rows[:2], alpha=(1, 1), codes=None).verify(XOR, XOR_Y).reason
    )
    assert (
        "not of the class" in replace(proof, codes=np.array([0, 0, 1, 0])).verify(XOR, XOR_Y).reason
    )
    assert (
        "not in the data" in replace(proof, rows=np.array([0, 1, 2, 9])).verify(XOR, XOR_Y).reason
    )
    same = np.array([[1.0], [1.0], [2.0]])
    multi = ct.Inseparability.of(same, [0, 1, 2], [0, 1], [1, 1], rivals=[1, 0])
    assert not replace(multi, rivals=np.array([2, 0])).verify(same, [0, 1, 2])
    assert "own class" in replace(multi, rivals=np.array([0, 0])).verify(same, [0, 1, 2]).reason


def test_epsilon_is_proved_and_not_less():
    proof = ct.Inseparability.of(XOR, XOR_Y, [0, 1, 2, 3], [1.0, 1.0, 1.0, 1.0 + 1e-9])
    assert not proof.exact
    assert 0 < proof.epsilon < 1e-9
    assert "margin above" in proof.verify(XOR, XOR_Y).reason
    assert not replace(proof, epsilon=proof.epsilon * (1 - 1e-12)).verify(XOR, XOR_Y)


def test_margins_far_below_rounding():
    X, y = np.array([[1.0], [1.0 + 2**-52]]), [0, 1]
    w = np.array([Fraction(2**53), Fraction(-(2**53) - 1)])
    proof = ct.Separation.of(X, y, w)
    assert "2 by rational" in proof.verify(X, y).reason
    touching = replace(proof, weights=w + np.array([0, 1]))
    assert "boundary" in touching.verify(X, y).reason


def test_overlap_needs_the_rank_of_the_data():
    # Rows 0 to 3 overlap in the first two features; the last row leaves their span.
    X = np.vstack([np.column_stack([XOR, np.zeros(4)]), [0.0, 0.0, 1.0]])
    y = [*XOR_Y, "odd"]
    proof = ct.Overlap.of(X, y, [0, 1, 2, 3], [1, 1, 1, 1])
    assert "do not span" in proof.verify(X, y).reason
    flat = np.column_stack([XOR, np.zeros(4), XOR.sum(axis=1)])
    for matrix in (flat, sp.csr_array(flat)):
        outcome = ct.Overlap.of(matrix, XOR_Y, [0, 1, 2, 3], [1, 1, 1, 1]).verify(matrix, XOR_Y)
        assert outcome, outcome.reason
        assert "rank of the data, 3" in outcome.reason
    centred = XOR - 0.5
    plain = ct.Overlap.of(centred, XOR_Y, [0, 1], [1, 1], fit_intercept=False)
    assert "do not span" in plain.verify(centred, XOR_Y).reason


def test_one_class_and_no_intercept():
    X, y = np.array([[1.0], [2.0]]), ["only", "only"]
    assert ct.Separation.of(X, y, [1.0, 0.0], fit_intercept=False).verify(X, y)
    opposite = np.array([[1.0], [-1.0]])
    proof = ct.Inseparability.of(opposite, y, [0, 1], [1, 1], fit_intercept=False)
    assert proof.exact
    assert proof.verify(opposite, y)
    assert "sum to zero" in proof.explain()
    with pytest.raises(CertificateError, match="bias"):
        ct.Separation.of(X, y, [1.0, 1.0], fit_intercept=False)


# --- Bound to no data set ---


@pytest.mark.parametrize(("X", "y", "proof"), KINDS)
def test_without_a_fingerprint_the_proof_alone_is_checked(X, y, proof):
    free = replace(proof, fingerprint="")
    outcome = free.verify(X, y)
    assert outcome
    assert not outcome.bound
    assert proof.verify(X, y).bound
    assert outcome.reason == proof.verify(X, y).reason
    assert ct.from_json(free.to_json()) == free != proof
    assert "not among the classes" in free.verify(X, ["who"] * len(X)).reason
    assert not free.verify(X[:-1], y)


def test_an_unbound_separation_holds_of_any_data_it_separates():
    X, y, w = separable(0)
    free = ct.Separation.of(X, y, w, fingerprint="")
    assert free.fingerprint == ""
    assert free.margin == ct.Separation.of(X, y, w).margin
    assert free.verify(X[::-1], y[::-1])
    assert free.verify(X[:5], y[:5])
    flipped = np.append("yes" if y[0] == "no" else "no", y[1:])
    outcome = free.verify(X, flipped)
    assert not outcome
    assert outcome.reason.startswith("row 0 ")
    assert "wrong side" in outcome.reason
    assert not outcome.bound
    assert "features" in free.verify(X[:, :-1], y).reason


def test_hashing_is_left_out_for_an_unbound_certificate(monkeypatch):
    X, y, w = separable(0)
    monkeypatch.setattr("rosenblatt.certificate.data.hashlib.sha256", None)
    assert ct.Separation.of(X, y, w, fingerprint="").verify(X, y)


def test_weights_in_any_form_are_kept_exactly():
    big = 2**60 + 1
    common = {"classes": (0, 1), "fit_intercept": True, "fingerprint": ""}
    objects = ct.WeakSeparation(weights=np.array([big, 1.5], dtype=object), **common)
    listed = ct.WeakSeparation(weights=[Fraction(big), 1.5], **common)  # type: ignore[arg-type]
    assert objects == listed
    assert objects.weights.tolist() == [big, Fraction(3, 2)]
    assert ct.load(objects.to_json()) == objects
    text = objects.to_json().replace(f'"{big:#x}/0x1"', str(big))
    assert ct.load(text) == objects


# --- Hostile text ---


def mutations():
    yield from ("", "{", "[]", "null", "{}", "[" * 100_000, '{"format": "rosenblatt-certificate"}')
    for change in (
        {"alpha": [1, 1, 1, -1]},
        {"alpha": [1, 1, 1, 0]},
        {"alpha": [1, 1, 1]},
        {"alpha": [1, 1, 1, 1.5]},
        {"alpha": [1, 1, 1, True]},
        {"alpha": [1, 1, 1, "0xzz"]},
        {"alpha": [1, 1, 1, [[]]]},
        {"alpha": "1111"},
        {"alpha": None},
        {"rows": [0, 1, 2, 2]},
        {"rows": [0, 1, 2, -1]},
        {"rows": [0, 1, 2, 2.0]},
        {"rows": [0, 1, 2, 2**70]},
        {"rows": [0, 1, 2, -(2**70)]},
        {"rows": [0, 1, 2, True]},
        {"rows": [[0], [1], [2], [3]]},
        {"rows": [0, 1, 2, "3"]},
        {"rows": [], "alpha": [], "codes": []},
        {"rows": {}},
        {"rivals": [0, 0, 0, 0]},
        {"rivals": 0},
        {"codes": [0, 0, 1, 2]},
        {"codes": [0]},
        {"epsilon": -1.0},
        {"epsilon": None},
        {"epsilon": 10**400},
        {"classes": []},
        {"classes": ["a", "a"]},
        {"classes": ["a", 1]},
        {"classes": [None, "a"]},
        {"classes": [[], {}]},
        {"classes": "ab"},
        {"fit_intercept": 1},
        {"fingerprint": "abc"},
        {"fingerprint": 5},
        {"version": 2},
        {"version": True},
        {"version": None},
        {"kind": "magic"},
        {"kind": ["inseparability"]},
        {"kind": "separation"},
        {"format": "else"},
        {"more": 1},
    ):
        yield json.dumps({**xor().to_dict(), **change})
    X, y, w = separable(0)
    good = ct.Separation.of(X, y, w).to_dict()
    for change in (
        {"weights": []},
        {"weights": [[]]},
        {"weights": [[1.0, 2.0]]},
        {"weights": [1.0, "x"]},
        {"weights": [1.0, "0x1/0x0"]},
        {"weights": [1.0, None]},
        {"weights": [1.0, [2.0]]},
        {"weights": [float("nan"), 1.0]},
        {"weights": [float("inf"), 1.0]},
        {"weights": {"a": 1}},
        {"margin": [1.0]},
        {"margin": [2.0, 1.0]},
        {"margin": [-1.0, 1.0]},
        {"margin": [None, None]},
        {"margin": "ab"},
        {"margin": ["0", "1"]},
        {"margin": [0.0, True]},
        {"margin": {"a": 0, "b": 1}},
        {"weights": [True, "0x1/0x2", 1.0, 0.0]},
    ):
        yield json.dumps({**good, **change})
    yield json.dumps(good).replace('"margin": [', '"margin": [1e999, ')
    yield json.dumps(good).replace('"margin": [', '"margin": [' + "9" * 5000 + ", ")


@pytest.mark.parametrize("text", list(mutations()), ids=lambda text: text[-40:])
def test_malformed_text_is_refused(text):
    with pytest.raises(CertificateError) as caught:
        ct.from_json(text)
    assert str(caught.value)


@pytest.mark.parametrize(("X", "y", "proof"), KINDS)
def test_truncated_text_is_refused(X, y, proof):
    text = proof.to_json()
    for stop in range(0, len(text) - 1, 7):
        with pytest.raises(CertificateError):
            ct.from_json(text[:stop])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.sampled_from(range(len(KINDS))), st.data(), json_values)
@settings(max_examples=300, deadline=None)
def test_any_field_may_be_anything(which, data, value):
    X, y, proof = KINDS[which]
    content = proof.to_dict()
    content[data.draw(st.sampled_from(sorted(content)))] = value
    try:
        changed = ct.from_json(json.dumps(content))
    except CertificateError:
        return
    assert isinstance(bool(changed.verify(X, y)), bool)
    assert changed.explain()


def test_files_that_are_none(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00{")
    for path in (tmp_path / "binary", tmp_path / "missing", tmp_path, "no\0name"):
        with pytest.raises(CertificateError):
            ct.load(path)


def test_the_wrong_kind_is_refused():
    for read in (ct.Separation.from_json, ct.Separation.load):
        with pytest.raises(CertificateError, match="expected a certificate of separation"):
            read(xor().to_json())


# --- Fingerprints and labels ---


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_fingerprint_is_of_the_numbers(seed):
    rng = np.random.default_rng(seed)
    X = (rng.integers(-4, 5, (9, 4)) * (rng.random((9, 4)) < 0.6)).astype(np.float64)
    y = np.append([0, 1], rng.integers(0, 2, 7))
    rows, columns = np.nonzero(np.ones_like(X))  # explicit zeros, and every entry in two halves
    halves = np.tile(X.ravel() / 2, 2)
    messy = sp.coo_array((halves, (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape)
    unsorted = sp.csr_array((X[:, ::-1].ravel(), np.tile([3, 2, 1, 0], 9), np.arange(0, 37, 4)))
    copies = [X.astype(np.float32), X.astype(np.int8), np.asfortranarray(X), X + 0.0]
    copies += [np.where(X == 0, -0.0, X), sp.csr_array(X), sp.csc_matrix(X), messy, unsorted]
    for copy in copies:
        assert ct.fingerprint(copy, y) == ct.fingerprint(X, y)
    for labels in (
        y.tolist(),
        y.astype(float),
        y.astype(bool),
        y.astype(object),
        y.astype(np.int8),
    ):
        assert ct.fingerprint(X, labels) == ct.fingerprint(X, y)
    assert ct.fingerprint(X, y.astype(str)) != ct.fingerprint(X, y)
    assert ct.fingerprint(X, y + 1) != ct.fingerprint(X, y)
    assert ct.fingerprint(np.column_stack([X, np.zeros(9)]), y) != ct.fingerprint(X, y)


def test_fingerprint_does_not_depend_on_chunks(monkeypatch):
    X, y, _ = separable(2, n=50)
    whole = ct.fingerprint(X, y)
    monkeypatch.setattr(numbers, "CHUNK", 7)
    assert ct.fingerprint(X, y) == ct.fingerprint(sp.csr_array(X), y) == whole


def test_chunked_verification(monkeypatch):
    monkeypatch.setattr(numbers, "CHUNK", 7)
    for X, y, proof in KINDS:
        assert proof.verify(X, y)
        assert proof.verify(sp.csr_array(X), y)


@pytest.mark.parametrize("y", [[], [math.nan, 1.0], [None, "a"], [b"a", b"b"], [[1, 2], [2, 1]]])
def test_what_is_no_label_is_refused(y):
    with pytest.raises(InputError):
        ct.classes_of(y)


def test_explanations_are_short():
    n = 60
    X = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) % 2
    alpha = np.ones(n, dtype=int)
    alpha[[0, 59]] = 2
    alpha[[1, 58]] = 2
    proof = ct.Inseparability.of(np.ones((n, 12)), y, range(n), alpha.tolist())
    assert proof.exact
    text = proof.explain(np.ones((n, 12)))
    assert "(30 in all)" in text
    assert "That point is (1, 1, 1, 1, 1, 1, 1, 1, …)." in text
    assert len(text) < 600
    assert not ct.Inseparability.of(X, y, [0, 1], [1, 1]).exact


@pytest.mark.parametrize("K", [2, 3])
def test_a_decision_proves_inseparability_by_rows_of_which_none_can_be_left_out(K):
    from rosenblatt.solve.decision import decide

    rng = np.random.default_rng(K)
    for _ in range(20):
        X, y = rng.integers(-2, 3, (12, 2)).astype(float), rng.integers(0, K, 12)
        if len(set(y.tolist())) < K or (proof := decide(X, y).certificate).kind == "separation":
            continue
        outcome = proof.irreducible(X, y)
        assert outcome, outcome.reason
        if K == 2 and len(proof.rows) > 2:
            for row in proof.rows:
                rest = np.setdiff1d(proof.rows, [row])
                assert len(set(y[rest].tolist())) == 1 or decide(X[rest], y[rest]).separable


def test_rows_that_can_be_left_out_are_told():
    X, y = np.array([[0.0], [1.0], [2.0], [0.0], [2.0]]), [0, 1, 0, 0, 0]
    from rosenblatt.certificate import Inseparability

    loose = Inseparability.of(X, y, [0, 1, 2, 3, 4], [1, 4, 1, 1, 1])
    assert loose.verify(X, y)
    assert not loose.irreducible(X, y)
    assert not loose.irreducible(X + 1, y)


def test_what_is_said_to_be_proved_leaves_the_upper_end_out():
    # It is the author's word: the same weights hold of rows whose best margin is far larger.
    near = ct.Separation.of([[0.0], [1.0]], [0, 1], [2.0, -1.0], upper=0.4473, fingerprint="")
    assert near.verify([[-100.0], [100.0]], [0, 1])
    assert "0.4473" not in near.explain()
