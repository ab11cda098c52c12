"""What happens far from the training data: the distance to the boundary as a warning sign.

Two clusters are learned; a third, never seen, is classified all the same. A point's distance from
the hyperplane says how the training points compare with it, not whether it is one of them: far
beyond all training distances, a confident score is a reason for doubt.
"""

from __future__ import annotations

import numpy as np

import rosenblatt as rb
from rosenblatt.margins import point_margins


def main() -> None:
    """Learn two clusters, meet a third."""
    rng = np.random.default_rng(0)
    here = rng.normal([2.0, 0.0], 0.5, size=(100, 2))
    there = rng.normal([-2.0, 0.0], 0.5, size=(100, 2))
    X, y = np.vstack([here, there]), np.repeat([1, -1], 100)
    clf = rb.MaxMargin().fit(X, y)
    weights = np.append(clf.coef_, clf.intercept_)
    distances = point_margins(X, y, weights)
    print(f"Training points are {distances.min():.2f} to {distances.max():.2f} from the boundary.")

    strange = rng.normal([15.0, 10.0], 0.5, size=(5, 2))
    predicted = clf.predict(strange)
    far = point_margins(strange, predicted, weights)
    for point, label, distance in zip(strange, predicted, far, strict=True):
        verdict = "beyond all training points: do not trust" if distance > distances.max() else "ok"
        print(f"  {point.round(1)} -> {label:+d}, {distance:.1f} away: {verdict}")
    assert np.all(far > distances.max())


if __name__ == "__main__":
    main()
