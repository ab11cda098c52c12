"""No verdict without its proof: reported problems, kept ones, and a little of `make soak`."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import adversarial
import oracle
import rosenblatt as rb
from adversarial import CHECKS, Problem, complaints
from expected import WITHOUT_NAMES
from rosenblatt import certificate as ct
from rosenblatt import margins
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import CertificateError
from rosenblatt.fit.conclusion import Conclusion
from rosenblatt.margins import Bracket
from rosenblatt.proof import exact
from rosenblatt.solve.decision import Decision


@pytest.mark.parametrize("path", sorted(adversarial.FOUND.glob("*.json")), ids=lambda p: p.stem)
def test_what_was_found(path):
    """Each file is a problem that was answered wrongly once, by the check it names."""
    problem = Problem(**json.loads(path.read_text())["problem"])
    for check in CHECKS:
        assert complaints(check, problem) == []


@pytest.mark.parametrize("seed", range(6))
def test_a_little_soaking(seed):
    rng = random.Random(seed)
    for _ in range(5):
        problem = adversarial.some_problem(rng)
        for check in CHECKS:
            assert complaints(check, problem) == [], problem


def test_wrong_answers_are_found_and_kept(monkeypatch, tmp_path):
    problem = Problem([[0.0], [1.0], [3.0]], [0, 0, 1], True, False)
    monkeypatch.setattr(ct.Certificate, "verify", lambda *_: ct.Verification(True, "trust me"))
    (said,) = adversarial.judge(
        problem,
        json.loads(problem.decision.certificate.to_json()) | {"margin": [9.0, 9.0]},
        problem.decision.certificate.fingerprint,
    )
    assert said.startswith("accepted though false")
    path = adversarial.keep("forged", problem, [said], tmp_path)
    assert Problem(**json.loads(path.read_text())["problem"]) == problem
    monkeypatch.setattr(rb, "decide", lambda *_, **__: 1 / 0)
    assert "ZeroDivisionError" in complaints("decide", replace(problem))[0]


def test_the_oracle_knows_worked_examples():
    X, xor = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    assert oracle.separates(oracle.signed_rows(X, xor, True, 2)) is None
    assert oracle.separates(oracle.signed_rows(X, [0, 1, 1, 1], True, 2)) is not None
    assert oracle.best_margin_square([[0.0], [2.0]], [0, 1], True) == oracle.fmpq(1, 2)
    assert oracle.slab_square([[0.0, 0.0], [3.0, 4.0]], [0, 1]) == oracle.fmpq(25, 4)


def weaker():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    return ct.Inseparability.of(X, y, [0, 1, 2], [1, 2, 1 + 2**-40])


def wide():
    return ct.Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0])


@pytest.mark.parametrize(
    ("verdict", "proof"),
    [
        (Verdict.SEPARABLE, None),
        (Verdict.INSEPARABLE, None),
        (Verdict.INSEPARABLE, weaker()),
        (Verdict.INSEPARABLE, wide()),
        (Verdict.SEPARABLE, weaker()),
    ],
)
def test_no_verdict_without_its_proof(verdict, proof):
    rest = {"margin": Bracket(0.0, 1.0), "weights": None, "errors": 0, "rounds": 0, "seconds": 0.0}
    with pytest.raises(CertificateError, match="needs a certificate that proves it exactly"):
        Decision(verdict=verdict, certificate=proof, **rest)
    with pytest.raises(CertificateError, match="needs a certificate that proves it exactly"):
        Conclusion(verdict=verdict, certificate=proof)
    parts = (Conclusion(verdict=Verdict.SEPARABLE, certificate=wide()), Conclusion())
    with pytest.raises(CertificateError):
        Conclusion(verdict=Verdict.SEPARABLE, parts=parts)
    assert Conclusion(verdict=Verdict.SEPARABLE, parts=parts[:1]).certificate is None


def test_rows_held_out_are_no_part_of_a_verdict():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    # The row of weight 0 is on the wrong side of every hyperplane that separates the others.
    clf = rb.Perceptron().fit(X, [0, 1, 0, 1], sample_weight=[1, 0, 1, 1])
    assert clf.verdict_ is Verdict.UNDECIDED
    assert clf.certificate_ is None
    y = [0, 0, 1, 1]
    clf = rb.Perceptron().fit(X, y, sample_weight=[0, 1, 1, 1])
    assert clf.certificate_.verify(X, y)


@pytest.mark.parametrize("multiclass", ["native", "ovr", "ovo"])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_a_separated_fit_predicts_its_rows(make, multiclass, tmp_path):
    ulp = 2.0**-52
    X, y = make([[1.0, 1.0], [1 + ulp, 1.0], [1.0, 1 + ulp], [1.0, 1.0]]), np.array([1, 0, 2, 1])
    clf = rb.Perceptron(multiclass=multiclass).fit(X, y)
    assert clf.stop_ in (Stop.SEPARATED, Stop.SEPARATED_OVERFIT)
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.with_solution("separator").score(X, y) == 1
    rb.save(clf, tmp_path / "model.safetensors")
    again = rb.load(tmp_path / "model.safetensors")
    assert again.with_solution("separator").score(X, y) == 1


@WITHOUT_NAMES
@pytest.mark.parametrize("rows", ["1,yes\n0.9999999999999999,no\n", "3.0000000000000004,1\n3,0\n"])
def test_a_streamed_fit_has_its_proof_at_gaps_of_one_ulp(tmp_path, rows):
    path = tmp_path / "gap.csv"
    path.write_text("x,y\n" + rows)
    clf = rb.Perceptron().fit_stream(path)
    assert clf.verdict_ is Verdict.SEPARABLE
    assert rb.verify_stream(clf.certificate_, path)
    data = rb.readers.open_reader(path).read()
    assert clf.with_solution("separator").score(data.X, data.y) == 1
    assert rb.verify_stream(rb.decide_stream(path).certificate, path)


def test_bounds_are_rounded_outward():
    rng = np.random.default_rng(0)
    for R, gamma in np.abs(rng.normal(size=(300, 2))):
        bound = margins.mistake_bound(R, gamma)
        assert Fraction(bound) >= Fraction(R) ** 2 / Fraction(gamma) ** 2
        assert Fraction(np.nextafter(bound, 0)) < Fraction(R) ** 2 / Fraction(gamma) ** 2
    for x in rng.normal(size=(200, 3)):
        stream = [(x, 1)]
        for made in rb.online.protocol(rb.online.Perceptron([0, 1]), stream):
            assert made.updates <= made.bound
            assert made.margin.lower <= made.margin.upper


def test_mistakes_stay_within_their_bound_where_products_underflow():
    rng = np.random.default_rng(0)
    for scale in (1e-162, 1e-200, 1e-288):
        X = rng.normal(size=(20, 2)) * scale
        y = (X[:, 0] > X[:, 1]).astype(int)
        clf = rb.Perceptron(fit_intercept=False).fit(X, y)
        assert clf.radius_ == pytest.approx(scale * np.linalg.norm(X / scale, axis=1).max())
        assert clf.mistakes_ <= clf.mistake_bound_
        assert clf.certificate_.verify(X, y)


def test_settled_scores_have_the_signs_and_order_of_exact_ones():
    rng = np.random.default_rng(1)
    for V in (1, 3):
        X = rng.integers(-3, 4, size=(200, 2)) + rng.integers(-2, 3, size=(200, 2)) * 2.0**-52
        W = rng.integers(-2, 3, size=(V, 3)).astype(float)
        settled = exact.settled_scores(X, W, X @ W[:, :-1].T + W[:, -1])
        for x, got in zip(X.tolist(), settled, strict=True):
            padded = [Fraction(v) for v in (*x, 1.0)]
            true = [
                sum(a * Fraction(b) for a, b in zip(padded, w.tolist(), strict=True)) for w in W
            ]
            assert [np.sign(g) for g in got] == [(t > 0) - (t < 0) for t in true]
            assert true[int(got.argmax())] == max(true)
