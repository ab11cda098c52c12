"""Functions of students: right ones pass, common slips are named, nothing is thrown."""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import exercises, risk
from rosenblatt.errors import InputError
from rosenblatt.teaching.exercises import _ALL

COMPARED = [name for name, exercise in _ALL.items() if exercise.holds is None]


def perceptron(X, y):
    """The chapter's algorithm, in plain lists."""
    w, b, clean = [0.0] * len(X[0]), 0.0, False
    while not clean:
        clean = True
        for x, label in zip(X, y, strict=True):
            if label * (sum(map(float.__mul__, w, map(float, x))) + b) <= 0:
                w, b, clean = [v + label * a for v, a in zip(w, x, strict=True)], b + label, False
    return w, b


def halving(A, x):
    low, high = 0, len(A)
    while low < high:
        middle = (low + high) // 2
        if A[middle] == x:
            return middle
        low, high = (middle + 1, high) if A[middle] < x else (low, middle)
    return -1


RIGHT = {name: _ALL[name].right for name in COMPARED} | {
    "perceptron": perceptron,
    "binary_search": halving,
    "risk": lambda w, X, y: risk.criterion(X, y, w),
    "gradient": lambda w, X, y: risk.gradient(X, y, w),
    "margin": lambda w, b, X, y: rb.margins.set_margin(X, y, [*w, b]),
}


@pytest.mark.parametrize("name", exercises.names())
def test_a_right_function_is_right(name):
    found = exercises.check(name, RIGHT[name])
    assert found, found.message
    assert found.message.startswith("Right, in ")


@pytest.mark.parametrize(
    ("name", "said", "slip"),
    [
        pytest.param(name, said, slip, id=f"{name}: {said}")
        for name in COMPARED
        for said, slip in _ALL[name].slips
    ],
)
def test_a_common_slip_is_named(name, said, slip):
    found = exercises.check(name, slip)
    assert not found
    assert said in found.message
    assert " should be " in found.message


@pytest.mark.parametrize("name", exercises.names())
def test_an_error_of_the_students_is_told_with_its_case(name):
    found = exercises.check(name, lambda *case: 1 / 0)
    assert not found
    assert found.message.startswith(f"{name}(")
    assert "raised ZeroDivisionError" in found.message


@pytest.mark.parametrize("answer", [None, "yes", (), [[]], object(), {}, np.nan, (1, 2, 3)])
@pytest.mark.parametrize("name", exercises.names())
def test_an_answer_of_another_kind_is_wrong_and_no_crash(name, answer):
    assert not exercises.check(name, lambda *case: answer)


def test_a_set_that_is_not_separated_is_shown():
    found = exercises.check("perceptron", lambda X, y: ([0.0] * len(X[0]), 0.0))
    assert "point [1, 1] with label 1 is on the line" in found.message
    once = exercises.check("perceptron", lambda X, y: (np.dot(y, X), float(sum(y))))
    assert "on its wrong side: go on until a whole pass makes no mistake" in once.message


@pytest.mark.parametrize(
    "slow",
    [
        lambda A, x: A.index(x) if x in A else -1,
        lambda A, x: next((k for k, a in enumerate(A) if a == x), -1),
        lambda A, x: next((k for k in range(len(A)) if A[k] == x), -1),
        lambda A, x: list(A[:]).index(x) if x in A[:] else -1,
    ],
)
def test_reading_the_whole_list_is_no_binary_search(slow):
    assert "throw away the half" in exercises.check("binary_search", slow).message


def test_a_search_that_misses_says_where_it_is():
    found = exercises.check("binary_search", lambda A, x: 1)
    assert "5 is at 0" in found.message
    found = exercises.check("binary_search", lambda A, x: halving(A, x) if x in (5, 2) else 0)
    assert "3 is not in the list: return −1" in found.message


def test_the_students_function_may_change_its_arguments():
    def update(w, b, x, y):
        if y * (np.dot(w, x) + b) <= 0:
            for k in range(len(w)):
                w[k] += y * x[k]
            b += y
        return w, b

    assert exercises.check("update", update)


def test_an_unknown_exercise_is_refused_with_a_hint():
    with pytest.raises(InputError, match=r"there is no exercise 'updat'.*update"):
        exercises.check("updat", len)
