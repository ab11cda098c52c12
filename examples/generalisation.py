"""How well it predicts the unseen: a score, a learning curve, calibrated probabilities."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import learning_curve, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb


def main() -> None:
    """Eights against the rest of the digits."""
    X, y = load_digits(return_X_y=True)
    eight = (y == 8).astype(int)
    train, test, y_train, y_test = train_test_split(X, eight, random_state=0, stratify=eight)
    model = make_pipeline(StandardScaler(), rb.Perceptron(solution="average", max_iter=50))
    print(f"Held-out accuracy: {model.fit(train, y_train).score(test, y_test):.1%}")

    sizes, _, scores = learning_curve(
        model, X, eight, train_sizes=[100, 300, 900], cv=3, shuffle=True, random_state=0
    )
    for size, score in zip(sizes, scores.mean(axis=1), strict=True):
        print(f"  trained on {size:>4} rows: {score:.1%}")

    calibrated = CalibratedClassifierCV(model, cv=3).fit(train, y_train)
    probability = calibrated.predict_proba(test)[:, 1]
    base = np.full(len(y_test), y_train.mean())
    print(
        f"Brier score {brier_score_loss(y_test, probability):.4f}, "
        f"against {brier_score_loss(y_test, base):.4f} for always saying the base rate."
    )


if __name__ == "__main__":
    main()
