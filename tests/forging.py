"""Certificates changed a little, in their JSON form: some still true, most not."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Content = dict[str, Any]


def forged(content: Content, y: list[int], n: int, rng: random.Random) -> Content:
    """The certificate after one to three changes."""
    changed = copy.deepcopy(content)
    own = WEIGHTED if "weights" in content else COMBINED
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        rng.choice((*own, *own, *ANY))(changed, n, rng)
    return changed


def _fraction(value: Any) -> Fraction:
    if isinstance(value, str):
        top, _, bottom = value.partition("/")
        return Fraction(int(top, 16), int(bottom, 16) if bottom else 1)
    return Fraction(value)


def _text(value: Fraction) -> str:
    return f"{value.numerator:#x}/{value.denominator:#x}"


def _changed_weight(value: Any, rng: random.Random) -> Any:
    if isinstance(value, str):
        exact = _fraction(value)
        return _text(rng.choice((exact + Fraction(1, 1 << 60), -exact, exact * 2, exact / 3)))
    nearby = (math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
    return rng.choice((*nearby, -value, value * 1.5, 0.0, 5e-324, value + 1e-9, 1e300))


def _vectors(content: Content) -> list[list[Any]]:
    weights = content["weights"]
    return weights if isinstance(weights[0], list) else [weights]


def _weight(content: Content, n: int, rng: random.Random) -> None:
    vector = rng.choice(_vectors(content))
    j = rng.randrange(len(vector))
    vector[j] = _changed_weight(vector[j], rng)
    _all_texts(content)


def _all_texts(content: Content) -> None:
    """Weights are all floats, or all fractions."""
    vectors = _vectors(content)
    if any(isinstance(w, str) for v in vectors for w in v):
        for v in vectors:
            v[:] = [_text(_fraction(w)) for w in v]


def _scale(content: Content, n: int, rng: random.Random) -> None:
    """Weights times a number: as true as before."""
    factor = rng.choice((Fraction(2), Fraction(1, 3), Fraction(2) ** 700, Fraction(2) ** -2000))
    for v in _vectors(content):
        v[:] = [_text(_fraction(w) * factor) for w in v]


def _margin(content: Content, n: int, rng: random.Random) -> None:
    if "margin" not in content:
        return
    lower, upper = content["margin"]
    top = math.inf if upper is None else upper
    choices = [0.0, 5e-324, lower * 1.5, lower / 2, top, math.nextafter(lower, 0.0)]
    near = lower
    for _ in range(rng.choice((1, 1, 2, 4, 8, 16, 40))):
        near = math.nextafter(near, math.inf)
    lower = rng.choice((*choices, near, near, near))
    lower = lower if math.isfinite(lower) else 1e308
    content["margin"] = [lower, None if upper is None else max(upper, lower)]


def _alpha(content: Content, n: int, rng: random.Random) -> None:
    alpha = content["alpha"]
    i = rng.randrange(len(alpha))
    exact = not content["epsilon"]
    value = _fraction(alpha[i])
    if exact:
        alpha[i] = hex(int(rng.choice((value + 1, value - 1, value * 2, value))))
    else:
        alpha[i] = float(value) * rng.choice((1.0, 1 + 2.0**-50, 2.0))


def _multiply(content: Content, n: int, rng: random.Random) -> None:
    if not content["epsilon"]:
        factor = rng.choice((2, 3, 1 << 70))
        content["alpha"] = [hex(int(_fraction(a)) * factor) for a in content["alpha"]]


def _row(content: Content, n: int, rng: random.Random) -> None:
    i = rng.randrange(len(content["rows"]))
    content["rows"][i] = rng.randrange(n + 1)
    if rng.random() < 0.5:
        content["codes"] = None


def _drop(content: Content, n: int, rng: random.Random) -> None:
    if len(content["rows"]) > 1:
        i = rng.randrange(len(content["rows"]))
        for name in ("rows", "alpha", "rivals", "codes"):
            if content[name] is not None:
                del content[name][i]


def _rival(content: Content, n: int, rng: random.Random) -> None:
    name = rng.choice(("rivals", "codes"))
    if content[name] is not None:
        i = rng.randrange(len(content[name]))
        content[name][i] = rng.randrange(len(content["classes"]))


def _epsilon(content: Content, n: int, rng: random.Random) -> None:
    """Claim less: no margin above epsilon."""
    alpha = [_fraction(a) for a in content["alpha"]]
    largest = max(alpha) or Fraction(1)
    content["alpha"] = [float(a / largest) or 5e-324 for a in alpha]
    content["epsilon"] = rng.choice((5e-324, 1e-300, 1e-17, 1e-9, 1.0, 1e300))


def _intercept(content: Content, n: int, rng: random.Random) -> None:
    content["fit_intercept"] = not content["fit_intercept"]


def _fingerprint(content: Content, n: int, rng: random.Random) -> None:
    content["fingerprint"] = rng.choice(("", "0" * 64, content["fingerprint"][::-1]))


def _classes(content: Content, n: int, rng: random.Random) -> None:
    classes = content["classes"]
    content["classes"] = rng.choice((classes[1:], [*classes, 9], [c + 1 for c in classes]))


Change = Callable[[Content, int, random.Random], None]
WEIGHTED: tuple[Change, ...] = (_weight, _weight, _scale, _margin, _margin, _margin)
COMBINED: tuple[Change, ...] = (_alpha, _alpha, _multiply, _row, _drop, _rival, _epsilon)
ANY: tuple[Change, ...] = (_intercept, _fingerprint, _classes)
