"""The whole idea on one screen: learn, decide, choose. Two classes, NumPy and one linear program.

Read it from top to bottom in ten minutes, then run it. The package has the same three stages
(``src/rosenblatt/fit/procedure.py``). It adds speed, exact proofs, many classes, sparse rows, other
rules, files and clusters. The course explains each line: docs/course.
"""

import numpy as np
from scipy.optimize import linprog

PATIENCE = 5  # passes without fewer mistakes before a proof is searched for
MEAN_OF = 10  # passes whose mean predicts


def signed(X, y):
    """Rows aᵢ = yᵢ(xᵢ, 1) over columns made alike: weights z = (w, b) separate where Az > 0."""
    scale = X.std(axis=0)
    alike = (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1)
    return np.where(y, 1, -1)[:, None] * np.column_stack([alike, np.ones(len(X))])


def one_pass(A, z, order, threshold=0.0):
    """Rosenblatt's rule, row by row: a mistake is added to the weights. Yields all weights met."""
    for i in order:
        if A[i] @ z <= threshold:
            z = z + A[i]
        yield z


def learn(A, seed=0):
    """Passes until all rows are right (the theorem: at most R²/γ² mistakes), or none helps."""
    rng, z, fewest, stale, passes = np.random.default_rng(seed), np.zeros(A.shape[1]), len(A), 0, 0
    while stale < PATIENCE:
        *_, z = one_pass(A, z, rng.permutation(len(A)))
        wrong = np.count_nonzero(A @ z <= 0)
        passes += 1
        if wrong == 0:
            return z, f"separated in {passes} passes"
        stale = 0 if wrong < fewest else stale + 1
        fewest = min(fewest, wrong)
    return None, f"no progress after {passes} passes"


def decide(A):
    """A z with Az > 0, or α ≥ 0 with Σα = 1 and Aᵀα = 0: by Gordan exactly one of them exists.

    One linear program knows both: the largest t with Az ≥ t for a z in the cube from −1 to 1. If
    t > 0, z separates. If t = 0, the multipliers of the rows are α: they balance each other, so
    that no weights can have all of these rows on their right sides.
    """
    n, d = A.shape
    best = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([-A, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * d + [(None, None)],
    )
    z, t, alpha = best.x[:d], best.x[d], -best.ineqlin.marginals
    return ("separable", z) if t > 1e-9 else ("inseparable", alpha)


def verify(A, verdict, proof):
    """Check a proof without a solver. The package does so in rational numbers, not in floats."""
    if verdict == "separable":
        return bool((A @ proof > 0).all())
    return bool((proof >= 0).all() and abs(proof @ A).max() < 1e-9 * proof.sum() * abs(A).max())


def choose(A, verdict, seed=1):
    """The weights that predict: the mean over ten passes, or the nearest point on its way to a
    separator, if ten more passes from the mean come to one.
    """
    rng, z, total = np.random.default_rng(seed), np.zeros(A.shape[1]), 0.0
    threshold = (A**2).sum(axis=1).mean()
    for _ in range(MEAN_OF):
        met = list(one_pass(A, z, rng.permutation(len(A)), threshold))
        z, total = met[-1], total + sum(met)
    mean = z = total / (MEAN_OF * len(A))
    for _ in range(MEAN_OF if verdict == "separable" else 0):
        *_, z = one_pass(A, z, rng.permutation(len(A)))
        here, there = A @ mean, A @ z
        if (there > 0).all():  # scores are linear on the way from the mean to the separator
            wrong = here <= 0
            share = max(-here[wrong] / (there[wrong] - here[wrong]), default=0.0)
            return mean + min(1.0, 1.01 * share) * (z - mean)
    return mean


def fit(X, y):
    """Learn, decide, choose: why it stopped, what is known, the proof, and the weights."""
    A = signed(X, y)
    z, why = learn(A)
    verdict, proof = ("separable", z) if z is not None else decide(A)
    return why, verdict, proof, choose(A, verdict), A


def main():
    """Fit some bundled sets, one class against the rest, and say why each fit stopped."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

    loaders = {"iris": load_iris, "wine": load_wine, "tumours": load_breast_cancer}
    for name, load, positive in [*((n, f, 1) for n, f in loaders.items()), ("8s", load_digits, 8)]:
        X, y = load(return_X_y=True)
        why, verdict, proof, z, A = fit(X, y == positive)
        held = "the proof holds" if verify(A, verdict, proof) else "NOT PROVED"
        rows = f" by {np.count_nonzero(proof)} rows" if verdict == "inseparable" else ""
        wrong = np.count_nonzero(A @ z <= 0)
        print(f"{name:8} {why}: {verdict}{rows}, {held}; {wrong} of {len(y)} training errors")


if __name__ == "__main__":
    main()
