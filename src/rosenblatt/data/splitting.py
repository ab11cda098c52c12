"""Rows set aside at random, in equal class proportions: scikit-learn's splits, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.randomness import check_random_state


def split_rows(
    n: int, held: int, random_state: Any, labels: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the rows to keep and of those to hold out, both sorted.

    They are the rows that scikit-learn's ``train_test_split`` draws by the same seed, and a
    generator is left as that leaves it.

    Parameters
    ----------
    n, held : int
        Rows in all, and rows to hold out: at least 1 and fewer than n.
    random_state : int, RandomState or None
    labels : array of shape (n,), optional
        Classes to hold out in equal proportions; each needs two rows, and each side a row a class.

    Examples
    --------
    >>> kept, held = split_rows(6, 2, 0, labels=["a", "a", "a", "b", "b", "b"])
    >>> kept.tolist(), held.tolist()
    ([1, 2, 3, 5], [0, 4])
    """
    rng = check_random_state(random_state)
    if labels is None:
        order = rng.permutation(n)
        return np.sort(order[held:]), np.sort(order[:held])
    _, codes, counts = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    kept_of = _shares(counts, n - held, rng)
    held_of = _shares(counts - kept_of, held, rng)
    kept, out = [], []
    for rows, a, b in zip(members, kept_of, held_of, strict=True):
        mixed = rows[rng.permutation(len(rows))]
        kept.append(mixed[:a])
        out.append(mixed[a : a + b])
    # Permuted and sorted again, to leave the generator in the state that scikit-learn leaves it in.
    return tuple(np.sort(rng.permutation(np.concatenate(part))) for part in (kept, out))  # type: ignore[return-value]


def _shares(counts: np.ndarray, draws: int, rng: np.random.RandomState) -> np.ndarray:
    """How many of so many draws go to each class: rounded down, the largest remainders first.

    Equal remainders are chosen from at random.
    """
    exact = counts / counts.sum() * draws
    shares = np.floor(exact)
    remainder, left = exact - shares, int(draws - shares.sum())
    for value in np.unique(remainder)[::-1]:
        if left <= 0:
            break
        (equal,) = np.where(remainder == value)
        chosen = rng.choice(equal, size=min(len(equal), left), replace=False)
        shares[chosen] += 1
        left -= len(chosen)
    return shares.astype(int)
