"""Exercises whose answer is a function of the student's own, checked with a message that teaches.

`check` calls the function on small cases, the simplest first, and compares it with the definition.
A wrong answer is shown with its case; where it is what a common slip would give, the slip is named.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.errors import InputError, nearest

__all__ = ["Checked", "check", "names"]

Case = tuple[Any, ...]
CLOSE = 1e-9  # how far an answer may be from the right one, relatively


class Checked(NamedTuple):
    """Whether a function is right, and what to say about it; true or false like its `ok`.

    Examples
    --------
    >>> bool(Checked(False, "a score of 0 is a mistake"))
    False
    """

    ok: bool
    message: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return self.message


@dataclass(frozen=True)
class _Exercise:
    """What is asked, on which cases, what is right, and what common slips give instead."""

    asked: str
    names: tuple[str, ...]
    cases: Callable[[], Iterator[Case]]
    right: Callable[..., Any]
    slips: tuple[tuple[str, Callable[..., Any]], ...] = ()
    holds: Callable[..., str] | None = None  # what is wrong with an answer, where several are right


def _random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _one_example() -> Iterator[Case]:
    """Weights, a bias, a point and its label: never seen, right, wrong, on the line; then any."""
    yield [0, 0], 0, [1, 2], 1
    yield [1, 0], 0, [2, 1], 1
    yield [1, 0], 0, [2, 1], -1
    yield [1, -1], 0, [2, 2], -1
    yield [3, -1], 1, [-1, 2], 1
    rng = _random(0)
    for _ in range(50):
        w, x = rng.integers(-4, 5, size=(2, 3)).tolist()
        yield w, int(rng.integers(-3, 4)), x, int(rng.choice([-1, 1]))


def _update(w: Any, b: Any, x: Any, y: Any) -> Any:
    return _added(w, b, x, y, y * (np.dot(w, x) + b) <= 0)


def _added(w: Any, b: Any, x: Any, y: Any, wrong: Any) -> Any:
    return (np.add(w, y * np.array(x)), b + y) if wrong else (w, b)


def _scored() -> Iterator[Case]:
    on_the_line, *others = _one_example()
    for w, b, x, _ in (*others, on_the_line):  # a score of 0 does not tell a score from its sign
        yield w, b, x


def _sets() -> Iterator[Case]:
    """Separable sets, and their labels."""
    yield [[1, 1], [-1, -1]], [1, -1]
    yield [[1, 1], [-0.25, -0.25]], [1, -1]
    yield [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    yield [[4], [1]], [1, -1]
    rng = _random(1)
    for n in (5, 20, 60):
        X = rng.normal(size=(n, 2)).round(2)
        away = np.abs(X @ [1, 2] - 0.3) > 0.15
        yield X[away].tolist(), np.where(X[away] @ [1, 2] > 0.3, 1, -1).tolist()


def _unseparated(X: Any, y: Any, answer: Any) -> str:
    """What is wrong with weights that should separate."""
    w, b = answer
    scores = np.asarray(y) * (np.asarray(X) @ np.ravel(w) + b)
    if (scores > 0).all():
        return ""
    row = int(np.argmin(scores))
    where = "on the line" if scores[row] == 0 else "on its wrong side"
    told = f"point {X[row]} with label {y[row]} is {where}"
    return f"{told}: go on until a whole pass makes no mistake"


def _weights_and_sets() -> Iterator[Case]:
    yield [1.0, -5.0], [[1, 4], [-5, -3], [3, -5]], [1, -1, -1]
    yield [0.0, -1.0], [[1, 4], [-5, -3], [3, -5]], [1, -1, -1]
    yield [1.0, 3.5], [[1, 4], [-5, -3], [3, -5]], [1, -1, -1]
    rng = _random(2)
    for _ in range(20):
        X = rng.integers(-4, 5, size=(6, 2))
        yield rng.normal(size=2).round(2).tolist(), X.tolist(), rng.choice([-1, 1], 6).tolist()


def _risk(w: Any, X: Any, y: Any) -> float:
    return float(np.maximum(0, -np.asarray(y) * (np.asarray(X) @ w)).sum())


def _gradient(w: Any, X: Any, y: Any) -> Any:
    wrong = np.asarray(y) * (np.asarray(X) @ w) < 0
    return -(np.asarray(y) * wrong) @ np.asarray(X, dtype=float)


def _lines() -> Iterator[Case]:
    yield [1, 4], 0, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1]
    yield [3, 1], 0, [[1, 0], [-1, 2]], [1, -1]
    yield [1, 0], 0, [[1, 0], [2, 5]], [1, -1]
    rng = _random(3)
    for _ in range(20):
        X = rng.integers(-4, 5, size=(5, 2)).tolist()
        w = rng.integers(1, 5, size=2).tolist()
        yield w, int(rng.integers(-3, 4)), X, rng.choice([-1, 1], 5).tolist()


def _margin(w: Any, b: Any, X: Any, y: Any) -> float:
    return float((np.asarray(y) * (np.asarray(X) @ w + b)).min() / np.linalg.norm(w))


def _classes() -> Iterator[Case]:
    yield [[-2, 2, 1], [0, 3, 4], [1, 4, -2]], [-2, 3, 1], 2
    yield [[-2, 2, 1], [0, 3, 4], [1, 4, -2]], [-2, 3, 1], 1
    rng = _random(4)
    for _ in range(30):
        W, x = rng.integers(-4, 5, size=(3, 2)), rng.integers(-4, 5, size=2)
        if len(set((W @ x).tolist())) == 3:  # a tie for the largest is decided by taste
            yield W.tolist(), x.tolist(), int(rng.integers(3))


def _reward(W: Any, x: Any, label: int) -> Any:
    W, said = np.array(W), int(np.argmax(np.dot(W, x)))
    if said != label:
        W[label] += x
        W[said] -= x
    return W


def _bound(X: Any, y: Any, u: Any) -> float:
    u = np.asarray(u) / np.linalg.norm(u)
    gamma = (np.asarray(y) * (np.asarray(X) @ u)).min()
    return float(np.square(X).sum(axis=1).max() / gamma**2)


def _separators() -> Iterator[Case]:
    six = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    yield *six, [1, 0]
    yield *six, [2, 0]
    yield *six, [3, 1]
    yield [[3, 4], [5, 4]], [1, 1], [0, 1]
    yield [[1, 4], [-5, -3], [3, -5]], [1, -1, -1], [1, 4]


def _vectors() -> Iterator[Case]:
    yield [3, 4], [1, 0]
    yield [1, 0], [3, 4]
    yield [1, 2], [-2, 1]
    yield [-1, 2], [3, 1]
    rng = _random(5)
    for _ in range(20):
        yield rng.integers(-4, 5, size=3).tolist(), rng.integers(1, 5, size=3).tolist()


class _Watched(list[int]):
    """A list that counts how often its numbers are read."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        read = super().__getitem__(at)
        self.looks += len(read) if isinstance(at, slice) else 1
        return read

    def __iter__(self) -> Iterator[int]:
        for at in range(len(self)):
            yield self[at]

    def __contains__(self, x: object) -> bool:
        return any(number == x for number in self)

    def __deepcopy__(self, memo: Any) -> _Watched:
        return _Watched(self[:])

    def index(self, x: Any, *ends: Any) -> int:
        self.looks += len(self)
        return super().index(x, *ends)


def _sorted_lists() -> Iterator[Case]:
    yield _Watched([5]), 5
    yield _Watched([2, 5]), 2
    yield _Watched([2, 5]), 5
    yield _Watched([2, 5]), 3
    for n in (3, 15, 100, 1000):
        numbers = [3 * k for k in range(n)]
        for wanted in (0, numbers[-1], numbers[n // 3], 4, -1, 3 * n):
            yield _Watched(numbers), wanted


def _found(A: Any, x: Any, answer: Any) -> str:
    looks, most = A.looks, int(np.log2(len(A))) + 1
    right = next((at for at, number in enumerate(A) if number == x), -1)
    if answer != right:
        return f"{x} is {f'at {right}' if right >= 0 else 'not in the list: return −1'}"
    if looks > 2 * most:  # to ask < and == of one number is to read it twice, in plain Python
        return (
            f"that is right, but it read {looks} numbers of {len(A)}; ⌊log₂ n⌋ + 1 = {most} are "
            "enough (twice that, to ask for = and <): throw away the half where x cannot be"
        )
    return ""


_ALL = {
    "predict": _Exercise(
        "+1 where w·x + b > 0, else −1",
        ("w", "b", "x"),
        _scored,
        lambda w, b, x: 1 if np.dot(w, x) + b > 0 else -1,
        (
            ("On the line, here, the answer is −1.",
             lambda w, b, x: 1 if np.dot(w, x) + b >= 0 else -1),
            ("The bias is missing: the sign is that of w·x + b.",
             lambda w, b, x: 1 if np.dot(w, x) > 0 else -1),
            ("np.sign(0) is 0; on the line, here, the answer is −1.",
             lambda w, b, x: np.sign(np.dot(w, x) + b)),
            ("That is the score; its sign is asked for.", lambda w, b, x: np.dot(w, x) + b),
        ),
    ),
    "update": _Exercise(
        "(w, b) after the perceptron has looked at one example",
        ("w", "b", "x", "y"),
        _one_example,
        _update,
        (
            ("A score of 0 is a mistake, too: compare y·(w·x + b) with ≤ 0.",
             lambda w, b, x, y: _added(w, b, x, y, y * (np.dot(w, x) + b) < 0)),
            ("Updates are lazy: where the prediction is right, nothing changes.",
             lambda w, b, x, y: _added(w, b, x, y, True)),
            ("The bias learns, too: b ← b + y.", lambda w, b, x, y: (_update(w, b, x, y)[0], b)),
            ("Add y·x, not x: a negative point is subtracted.",
             lambda w, b, x, y: _added(w, b, x, 1, y * (np.dot(w, x) + b) <= 0)),
            ("A mistake adds y·x and y: you have subtracted them.",
             lambda w, b, x, y: _added(w, b, x, -y, y * (np.dot(w, x) + b) <= 0)),
            ("A mistake is y·(w·x + b) ≤ 0, with the bias.",
             lambda w, b, x, y: _added(w, b, x, y, y * np.dot(w, x) <= 0)),
        ),
    ),
    "perceptron": _Exercise(
        "(w, b) with y(w·x + b) > 0 for every point of a separable set",
        ("X", "y"),
        _sets,
        lambda X, y: None,
        holds=_unseparated,
    ),
    "risk": _Exercise(
        "R(w), the sum of −y·(w·x) over the points on their wrong side",
        ("w", "X", "y"),
        _weights_and_sets,
        _risk,
        (
            ("Points on their right side count 0, not less: sum over the wrong ones alone.",
             lambda w, X, y: -(np.asarray(y) * (np.asarray(X) @ w)).sum()),
            ("That is the number of wrong points; the risk says how far they are wrong.",
             lambda w, X, y: (np.asarray(y) * (np.asarray(X) @ w) < 0).sum()),
            ("The sign is turned: the risk is never negative.", lambda w, X, y: -_risk(w, X, y)),
        ),
    ),
    "gradient": _Exercise(
        "the gradient of R at w: minus the sum of y·x over the points on their wrong side",
        ("w", "X", "y"),
        _weights_and_sets,
        _gradient,
        (
            ("That points downhill: the gradient is where R rises, so it has a minus sign.",
             lambda w, X, y: -_gradient(w, X, y)),
            ("Sum over the points on their wrong side alone.",
             lambda w, X, y: -np.asarray(y) @ np.asarray(X)),
        ),
    ),
    "margin": _Exercise(
        "the least of the distances y(w·x + b)/‖w‖",
        ("w", "b", "X", "y"),
        _lines,
        _margin,
        (
            ("A score is no distance yet: divide by ‖w‖.",
             lambda w, b, X, y: _margin(w, b, X, y) * np.linalg.norm(w)),
            ("Divide by ‖w‖, the root of the sum of squares, not by its square.",
             lambda w, b, X, y: _margin(w, b, X, y) / np.linalg.norm(w)),
            ("A point on its wrong side has a negative distance: multiply by y, and take no |…|.",
             lambda w, b, X, y: np.abs(np.asarray(X) @ w + b).min() / np.linalg.norm(w)),
        ),
    ),
    "multiclass_update": _Exercise(
        "W, a row a class, after a look at x with its label",
        ("W", "x", "label"),
        _classes,
        _reward,
        (
            ("Punish as well: x is subtracted from the row of the class that won wrongly.",
             lambda W, x, label: _half(W, x, label, True)),
            ("Reward as well: x is added to the row of the right class.",
             lambda W, x, label: _half(W, x, label, False)),
            ("Leave the others alone: only the class that won is punished.",
             lambda W, x, label: _all_punished(W, x, label)),
        ),
    ),
    "bound": _Exercise(
        "R²/γ² for the margin γ that the direction u has on the set",
        ("X", "y", "u"),
        _separators,
        _bound,
        (
            ("u need not have length 1: divide by ‖u‖ before you measure γ.",
             lambda X, y, u: np.square(X).sum(axis=1).max()
             / (np.asarray(y) * (np.asarray(X) @ u)).min() ** 2),
            ("That is R/γ: square it.", lambda X, y, u: np.sqrt(_bound(X, y, u))),
            ("R is the largest length about the origin, not about the middle of the points.",
             lambda X, y, u: _bound(X, y, u) / np.square(X).sum(axis=1).max()
             * np.square(np.subtract(X, np.mean(X, axis=0))).sum(axis=1).max()),
        ),
    ),
    "projection": _Exercise(
        "the part of u along v, a vector",
        ("u", "v"),
        _vectors,
        lambda u, v: np.dot(u, v) / np.dot(v, v) * np.array(v),
        (
            ("That is the signed length; the projection is a vector along v.",
             lambda u, v: np.dot(u, v) / np.linalg.norm(v)),
            ("Divide by ‖v‖², once for the length and once for the direction.",
             lambda u, v: np.dot(u, v) / np.linalg.norm(v) * np.array(v)),
            ("That is the projection of v on u.",
             lambda u, v: np.dot(u, v) / max(np.dot(u, u), 1) * np.array(u)),
        ),
    ),
    "binary_search": _Exercise(
        "where x is in the sorted list A, or −1, after few looks",
        ("A", "x"),
        _sorted_lists,
        lambda A, x: None,
        holds=_found,
    ),
}  # fmt: skip


def _half(W: Any, x: Any, label: int, reward: bool) -> Any:
    W, said = np.array(W), int(np.argmax(np.dot(W, x)))
    if said != label:
        row, sign = (label, 1) if reward else (said, -1)
        W[row] += sign * np.array(x)
    return W


def _all_punished(W: Any, x: Any, label: int) -> Any:
    W, said = np.array(W), int(np.argmax(np.dot(W, x)))
    if said != label:
        W -= np.array(x)
        W[label] += 2 * np.array(x)
    return W


def names() -> list[str]:
    """The exercises that `check` knows.

    Examples
    --------
    >>> from rosenblatt import exercises
    >>> exercises.names()[:3]
    ['predict', 'update', 'perceptron']
    """
    return list(_ALL)


@checked()
def check(name: str, function: Callable[..., Any]) -> Checked:
    """Check a function of your own against the definition.

    Parameters
    ----------
    name : str
        One of `names`.
    function : callable
        Yours, with the parameters that the exercise names, in that order. It may take and return
        lists or arrays.

    Returns
    -------
    Checked
        True, or false with the first case that went wrong, what was expected, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import exercises
    >>> def update(w, b, x, y):
    ...     if y * (np.dot(w, x) + b) < 0:
    ...         w, b = np.add(w, np.multiply(y, x)), b + y
    ...     return w, b
    >>> exercises.check("update", update)
    update(w=[0, 0], b=0, x=[1, 2], y=1) should be ([1, 2], 1), and yours is ([0, 0], 0).
    A score of 0 is a mistake, too: compare y·(w·x + b) with ≤ 0.
    """
    if name not in _ALL:
        hint = nearest(name, _ALL) or f"; there are {', '.join(_ALL)}"
        raise InputError(f"there is no exercise {name!r}{hint}")
    exercise, cases = _ALL[name], 0
    slips = list(exercise.slips)  # those that would have given all answers so far
    for case in exercise.cases():
        cases += 1
        call = f"{name}({', '.join(f'{n}={v}' for n, v in zip(exercise.names, case, strict=True))})"
        given = copy.deepcopy(case)
        try:
            answer = function(*given)
        except Exception as error:
            return Checked(False, f"{call} raised {type(error).__name__}: {error}")
        slips = [(said, slip) for said, slip in slips if _same(answer, slip(*case))]
        wrong = _wrong(exercise, given, case, answer, [said for said, _ in slips])
        if wrong:
            return Checked(False, _short(call) + wrong)
    return Checked(True, f"Right, in {cases} cases: {exercise.asked}.")


def _short(call: str) -> str:
    return call if len(call) < 200 else f"{call[:160]} …)"


def _wrong(exercise: _Exercise, given: Case, case: Case, answer: Any, slips: list[str]) -> str:
    """What to say of an answer, or nothing; the first of the slips that explain it, if any does."""
    if exercise.holds is not None:
        try:
            said = exercise.holds(*given, answer)
        except (TypeError, ValueError, IndexError) as error:
            said = f"that is not {exercise.asked} ({error})"
        return f" gave {_text(answer)}: {said}." if said else ""
    expected = exercise.right(*case)
    if _same(answer, expected):
        return ""
    hint = slips[0] if slips else f"Asked for is {exercise.asked}."
    return f" should be {_text(expected)}, and yours is {_text(answer)}.\n{hint}"


def _same(one: Any, other: Any) -> bool:
    """Whether two answers agree, part by part, up to rounding."""
    if isinstance(other, tuple):
        try:
            parts = list(one)
        except TypeError:
            return False
        return len(parts) == len(other) and all(map(_same, parts, other))
    try:
        one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    except (TypeError, ValueError):
        return False
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=CLOSE, atol=CLOSE))


def _text(value: Any) -> str:
    """A value as its author would write it: lists and plain numbers, rounded."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    return str(value)
