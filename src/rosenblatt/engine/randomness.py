"""Random numbers by seed, drawn as scikit-learn draws them."""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np

from rosenblatt.errors import InputError


def check_random_state(seed: Any) -> np.random.RandomState:
    """The generator of a seed, a generator as it is, or NumPy's own for None.

    Examples
    --------
    >>> check_random_state(7).randint(100) == np.random.RandomState(7).randint(100)
    True
    """
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    if isinstance(seed, Integral):
        return np.random.RandomState(int(seed))
    if isinstance(seed, np.random.RandomState):
        return seed
    raise InputError(f"random_state must be a whole number, a RandomState or None, got {seed!r}.")


def random_seeds(random_state: Any, count: int) -> tuple[int, ...]:
    """The first ``count`` seeds that a generator draws; cached for whole numbers.

    Examples
    --------
    >>> source = np.random.RandomState(7)
    >>> random_seeds(7, 2) == (source.randint(2**31), source.randint(2**31))
    True
    """
    if isinstance(random_state, Integral):
        return _seeds(int(random_state), count)
    source = check_random_state(random_state)
    return tuple(source.randint(2**31) for _ in range(count))


@lru_cache(maxsize=64)
def _seeds(seed: int, count: int) -> tuple[int, ...]:
    """Those of a new generator, which takes a tenth of a small fit to make."""
    return random_seeds(check_random_state(seed), count)
