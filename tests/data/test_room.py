"""Columns whose weights cannot fit into memory are refused before anything is allocated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb
from commands import run
from rosenblatt.data import room
from rosenblatt.errors import InputError

LAST = 2_000_000_000
FEWER = f"expected fewer columns than {LAST:,}"
REFUSED = f"{FEWER}, of which 3 are in use: .* 240 GB, .* left is 8.0 GB"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A machine of 8 GB, so that nobody's is filled where the refusal fails."""
    monkeypatch.setattr(room, "available", lambda: 8e9)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("".join(f"{i % 2} {1 + i % 2}:1 {LAST}:{i}\n" for i in range(1, 9)))
    return path


QUESTIONS = [
    lambda X, y: rb.Perceptron().fit(X, y),
    lambda X, y: rb.PassiveAggressive().fit(X, y),
    lambda X, y: rb.MaxMargin().fit(X, y),
    rb.decide,
    rb.fewest_errors,
    rb.margin,
]


@pytest.mark.parametrize("ask", QUESTIONS)
def test_it_is_refused_in_memory(path, ask):
    chunk = rb.readers.open_reader(path).read()
    assert chunk.X.shape == (8, LAST)
    with pytest.raises(InputError, match=REFUSED):
        ask(chunk.X, chunk.y)


def test_so_is_a_question_with_a_vector_for_each_class(path):
    chunk = rb.readers.open_reader(path).read()
    for ask in (rb.separation_kind, lambda X, y: rb.Perceptron().fit(X, np.arange(8) % 3)):
        with pytest.raises(InputError, match=FEWER):
            ask(chunk.X, chunk.y)


VERBS = ["fit", "fit --stream", "fit --scale", "decide", "decide --stream", "errors", "separation"]


@pytest.mark.parametrize("verb", VERBS)
def test_the_shell_says_so(path, verb):
    error = run(*verb.split(), path, code=2).stderr
    assert FEWER in error
    assert "--stream reads" not in error


def test_columns_that_fit_are_learned_from():
    X = sparse.csr_array(([1.0, -1.0], [3, 70_000], [0, 1, 2]), shape=(2, 10_000_000))
    assert rb.Perceptron().fit(X, [0, 1]).score(X, [0, 1]) == 1.0
    room.check_room(10**7, 3)
