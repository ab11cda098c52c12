"""Separable or not, with proof: against the full linear program."""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import linprog
from sklearn import linear_model

import rosenblatt as rb
from harness import DATA, QUICK, gaussian, heading, show, table

LIMIT = 60 if QUICK else 300


def full_program(X: np.ndarray, signs: np.ndarray) -> tuple[bool, float]:
    """max t subject to aᵢ·z ≥ t, |z| ≤ 1, on all points at once."""
    n, d = X.shape
    rows = np.hstack([-signs[:, None] * X, -signs[:, None], np.ones((n, 1))])
    began = time.perf_counter()
    solution = linprog(
        np.r_[np.zeros(d + 1), -1.0],
        A_ub=rows,
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * (d + 2),
        method="highs",
        options={"time_limit": LIMIT},
    )
    return bool(solution.status == 0), time.perf_counter() - began


def flipped(n: int, d: int, flips: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = gaussian(n, d, 0.02)
    y = np.array(y)
    at = np.random.default_rng(1).choice(n, flips, replace=False)
    low, high = np.unique(y)
    y[at] = np.where(y[at] == low, high, low)
    return X, y


def main() -> None:
    heading("A proof of inseparability")
    rows = []
    rb.decide(*flipped(1000, 10, 1))
    for flips in (1, 100):
        X, y = flipped(20_000 if QUICK else 100_000, 100, flips)
        seconds = []
        for _ in range(3):
            began = time.perf_counter()
            decision = rb.decide(X, y)
            check = decision.certificate.verify(X, y)
            seconds.append(time.perf_counter() - began)
        assert check
        assert decision.separable is False
        finished, slow = full_program(X, np.where(y == np.unique(y)[1], 1.0, -1.0))
        rows.append(
            {
                "problem": f"{X.shape[0]:,} × 100, {flips} labels flipped",
                "decide + verify": show(float(np.median(seconds))),
                "rows that prove it": str(len(decision.certificate.rows)),
                "full LP (HiGHS)": show(slow) if finished else f"> {show(slow)}",
                "ratio": f"{'' if finished else '> '}{slow / np.median(seconds):.1f}",
            }
        )
    table(rows)
    verification()
    if (DATA / "mnist").exists() and not QUICK:
        mnist()


def verification() -> None:
    X, y = gaussian(100_000, 100, 0.05)
    certificate = rb.decide(X, y).certificate
    began = time.perf_counter()
    assert certificate.verify(X, y)
    verify = time.perf_counter() - began
    epochs = []
    for passes in (1, 6):
        began = time.perf_counter()
        linear_model.Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)
        epochs.append(time.perf_counter() - began)
    epoch = (epochs[1] - epochs[0]) / 5
    print(
        f"\nVerifying a separation of 100,000 × 100: {show(verify)}, "
        f"{verify / epoch:.1f} scikit-learn epochs."
    )


def mnist() -> None:
    from multiclass import data

    _, (X, _, y, _) = data()
    began = time.perf_counter()
    decision = rb.decide(X, y == 0)
    seconds = time.perf_counter() - began
    assert decision.certificate.verify(X, y == 0)
    print(
        f"\nMNIST, 0 against the rest: {decision.verdict} in {show(seconds)}, "
        f"by {len(decision.certificate.rows)} images."
    )


if __name__ == "__main__":
    main()
