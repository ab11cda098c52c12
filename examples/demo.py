"""`make demo`: two data sets, scikit-learn's default perceptron beside ours, and what each says."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.model_selection import train_test_split

import rosenblatt as rb
from rosenblatt import figures

PICTURE = Path("demo.png")


def theirs(X: Any, y: Any) -> tuple[Any, str]:
    """scikit-learn's default fit, and what it says when it stops."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = Perceptron().fit(X, y)
    return model, "\n".join(str(warning.message) for warning in said) or "(it says nothing)"


def wrong(model: Any, X: Any, y: Any) -> str:
    """How many rows a model gets wrong."""
    return f"{np.count_nonzero(model.predict(X) != y)} of {len(y)}"


def holds(proof: Any) -> str:
    """What checking a certificate said."""
    return "holds, in exact arithmetic" if proof else str(proof)


def beside(title: str, rows: list[tuple[str, str, str]]) -> Table:
    """A table with a column for each of the two."""
    table = Table(title=title, title_style="bold", title_justify="left", width=88)
    table.add_column()
    table.add_column("scikit-learn", ratio=2)
    table.add_column("rosenblatt", ratio=3)
    for row in rows:
        table.add_row(*row)
    return table


def separable() -> Table:
    """Three kinds of wine, which weights tell apart."""
    X, y = load_wine(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    other, said = theirs(X, y)
    ours = rb.Perceptron().fit(X, y)
    proof = ours.certificate_.verify(X, y)
    return beside(
        "178 wines, 13 measurements, 3 growers",
        [
            ("why it stopped", said, str(ours.stop_)),
            ("training rows wrong", wrong(other, X, y), wrong(ours, X, y)),
            ("new rows wrong", wrong(other, X_new, y_new), wrong(ours, X_new, y_new)),
            ("proof", "none", holds(proof)),
        ],
    )


def inseparable() -> Table:
    """One kind of iris against the others, which no weights tell apart; draws the proof."""
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 2, "virginica", "other")
    other, said = theirs(X, y)
    ours = rb.Perceptron().fit(X, y)
    proof = ours.certificate_.verify(X, y)
    rows = ", ".join(map(str, ours.certificate_.rows))
    least = rb.fewest_errors(X, y)
    blamed = ", ".join(map(str, least.rows))
    names = ("sepal length", "sepal width", "petal length", "petal width")
    title = f"Without row {blamed} a hyperplane would do"
    ax = figures.fewest_errors(least, X, y, names=names, title=title)
    ax.figure.savefig(PICTURE, dpi=110)
    return beside(
        "150 irises, 4 measurements: virginica or not?",
        [
            ("why it stopped", said, str(ours.stop_)),
            ("training rows wrong", wrong(other, X, y), wrong(ours, X, y)),
            ("proof", "none", f"{holds(proof)}: rows {rows} contradict each other"),
            ("fewest possible", "unknown", f"{least.upper}, proved; the row to blame is {blamed}"),
        ],
    )


def main() -> None:
    """Print both tables, save a picture, and say what to do next."""
    mpl.use("Agg")
    console = Console(width=90)
    console.print(separable())
    console.print("With scaled columns both predict alike; reason and proof remain.\n")
    console.print(inseparable())
    console.print(f"The picture is in {PICTURE}. Next: your own data,\n")
    console.print("  .venv/bin/rosenblatt decide FILE.csv", highlight=False)
    console.print("  .venv/bin/rosenblatt report FILE.csv -o report.html", highlight=False)


if __name__ == "__main__":
    main()
