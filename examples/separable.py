# /// script
# requires-python = ">=3.11"
# dependencies = ["rosenblatt"]
#
# [tool.uv.sources]
# rosenblatt = { path = ".." }
# ///
"""Is a table linearly separable? `uv run examples/separable.py table.csv` installs what it needs.

The label is the last column. Without a table it asks about irises. In a script of your own, leave
the lines of `tool.uv.sources` out: they take the package from this checkout.
"""

import sys

from sklearn.datasets import load_iris

import rosenblatt as rb


def main(paths: list[str]) -> None:
    """Decide each table, and print the proof in words."""
    for path in paths:
        decision = rb.decide_stream(path)
        print(f"{path}: {decision.sentence}\n{decision.certificate.explain()}")
    if not paths:
        X, y = load_iris(return_X_y=True)
        for label in range(3):
            decision = rb.decide(X, y == label)
            print(f"species {label}: {decision.sentence}\n{decision.certificate.explain()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
