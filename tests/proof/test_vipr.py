"""VIPR files say what the certificate says, read back by the rules of their specification."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import rosenblatt as rb
from certificates import NAMES, example_of, examples
from rosenblatt import certificate as ct
from rosenblatt.errors import CertificateError, InputError
from strategies import labelled

EXACT = [name for name in NAMES if name.startswith(("separation", "inseparability"))]


class Reader:
    """A file of VIPR 1.0: sections in their order, constraints as (sense, right side, terms)."""

    def __init__(self, text):
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        self.words = iter(" ".join(lines).split())
        self.expect("VER", "1.0", "VAR")
        self.variables = [next(self.words) for _ in range(int(next(self.words)))]
        self.expect("INT", "0", "OBJ", "min", "0", "CON")
        count, bounds = int(next(self.words)), int(next(self.words))
        assert bounds == 0
        self.constraints = [self.constraint() for _ in range(count)]
        self.expect("RTP")
        self.relation = next(self.words)
        if self.relation == "range":
            self.expect("0", "0")
        self.expect("SOL")
        self.solutions = []
        for _ in range(int(next(self.words))):
            next(self.words)
            self.solutions.append(self.terms())
        self.expect("DER", "1")

    def expect(self, *expected):
        for word in expected:
            assert next(self.words) == word

    def terms(self, count=None):
        count = int(next(self.words)) if count is None else count
        pairs = [(int(next(self.words)), Fraction(next(self.words))) for _ in range(count)]
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def constraint(self):
        next(self.words)  # its name
        sense, right = next(self.words), Fraction(next(self.words))
        word = next(self.words)
        return sense, right, {} if word == "OBJ" else self.terms(int(word))

    def proves(self):
        """Check the derivation, and the solutions if there are any."""
        sense, right, left = self.constraint()
        self.expect("{", "lin")
        factors = self.terms()
        self.expect("}", "-1")
        assert sense == "G"
        assert next(self.words, None) is None
        total, bound = {}, Fraction(0)
        for at, factor in factors.items():
            kind, value, terms = self.constraints[at]
            assert kind == "G"
            assert factor >= 0
            bound += factor * value
            for j, v in terms.items():
                total[j] = total.get(j, 0) + factor * v
        assert {j: v for j, v in total.items() if v} == left == {}
        assert bound >= right
        if self.relation == "infeas":
            return right > 0
        return right == 0 and any(map(self.satisfied, self.solutions))

    def satisfied(self, solution):
        return all(
            sum(v * solution.get(j, 0) for j, v in terms.items()) >= right
            for _, right, terms in self.constraints
        )


@pytest.mark.parametrize("example", EXACT, indirect=True)
def test_the_file_proves_the_same(example, tmp_path):
    path = tmp_path / "proof.vipr"
    example.proof.export(path, example.X, example.y)
    read = Reader(path.read_text())
    assert read.proves()
    assert read.relation == ("infeas" if example.proof.kind == "inseparability" else "range")
    width = example.X.shape[1] + 1
    classes = len(example.proof.classes)
    assert len(read.variables) == width * (1 if classes == 2 else classes)


@given(labelled(classes=2))
@settings(max_examples=30)
def test_what_is_decided_is_written(problem):
    X, y = problem
    proof = rb.decide(X, y).certificate
    assert Reader(proof._vipr(*proof._points(X, y))).proves()


def test_what_vipr_cannot_say_is_refused(tmp_path):
    for example in examples():
        if example.name in EXACT:
            continue
        with pytest.raises(CertificateError, match="cannot be said in VIPR"):
            example.proof.export(tmp_path / "none", example.X, example.y)
    assert list(tmp_path.iterdir()) == []


def test_other_data_and_formats_are_refused(tmp_path):
    example = example_of(EXACT[0])
    with pytest.raises(InputError, match="not the data certified"):
        example.proof.export(tmp_path / "none", example.X[::-1], example.y)
    with pytest.raises(InputError, match="format must be"):
        example.proof.export(tmp_path / "none", example.X, example.y, format="lean")
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_any_length_are_written(tmp_path):
    big = 3**20_000
    X, y = np.array([[0.0], [1.0]] * 2), [0, 1, 1, 0]
    proof = ct.Inseparability.of(X, y, [0, 1, 2, 3], [big, 1, big, 1])
    proof.export(tmp_path / "long.vipr", X, y)
    assert len((tmp_path / "long.vipr").read_text()) > 9_000
