"""Features make data separable: the product x₁x₂, by hand and in scikit-learn's pipelines."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_moons
from sklearn.feature_extraction import FeatureHasher
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import rosenblatt as rb


def main() -> None:
    """Ask before and after each map whether the classes are separable."""
    example = rb.datasets.quadrants()
    X, y = np.asarray(example.X, dtype=float), example.y
    print("Opposite quadrants as they are:  ", rb.decide(X, y).verdict)
    product = rb.datasets.with_product(X)
    decision = rb.decide(product, y)
    print("with x₁x₂ appended:              ", decision.verdict, "margin", decision.margin)
    assert decision.certificate.verify(product, y)

    polynomial = make_pipeline(PolynomialFeatures(2, include_bias=False), rb.Perceptron())
    polynomial.fit(X, y)
    print("PolynomialFeatures(2), learned:  ", polynomial[-1].stop_)

    moons, sides = make_moons(200, noise=0.1, random_state=0)
    print("Two moons as they are:           ", rb.decide(moons, sides).verdict)
    lifted = make_pipeline(Nystroem(gamma=2.0, n_components=60, random_state=0), rb.Perceptron())
    lifted.fit(moons, sides)
    print(
        "Nystroem (RBF), learned:         ", lifted[-1].stop_, f"{lifted.score(moons, sides):.1%}"
    )

    words = [{"free": 1, "prize": 2}, {"meeting": 1}, {"free": 1, "meeting": 1}, {"prize": 1}]
    spam = [True, False, False, True]
    hashed = make_pipeline(FeatureHasher(n_features=2**10), rb.Perceptron()).fit(words, spam)
    print("FeatureHasher, learned:          ", hashed[-1].stop_)


if __name__ == "__main__":
    main()
