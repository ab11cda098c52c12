"""How accurate on held-out rows after how many seconds of fitting: each contestant at its defaults
after 1, 3 and 10 passes (LinearSVC: iterations), a point for each. Ours is drawn once for each
solution it can predict by. Nothing is chosen by the held-out rows; "reaches" is the least time on
the curve at which a contestant is within half a point of the best of LinearSVC's curve.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import linear_model
from sklearn.svm import LinearSVC

import peers
import plots
from harness import LIMIT, QUICK, cell, heading, race, show, table
from problems import Split, adult, digits, news, sms
from rosenblatt import Perceptron

QUESTION = "Accuracy on held-out rows per second"

PASSES = (1, 3) if QUICK else (1, 3, 10)
YARDSTICK = "LinearSVC"
# Solutions that cost a call at each update are asked for fewer passes.
PATIENT = {"ours, pocket": 2, "ours, vote": 2}
COLUMNS = ("data", "contestant", "first point", "last point", "reaches")


SETS: dict[str, Callable[[], Split | None]] = {
    "digits": digits,
    "a9a": adult,
    "sms_spam": sms,
    "20news": news,
}


def ours(solution: str) -> Callable[[int], Any]:
    return lambda passes: Perceptron(
        order="shuffled", solution=solution, max_iter=passes, certify=False
    )


def contestants(classes: int) -> dict[str, Callable[[int], Any]]:
    """By name, a model that makes so many passes."""
    solutions = ("average", "last", "pocket", "vote") if classes == 2 else ("average", "last")
    how = {"tol": None, "random_state": 0}
    made: dict[str, Callable[[int], Any]] = {f"ours, {s}": ours(s) for s in solutions}
    made |= {
        "sklearn Perceptron": lambda passes: linear_model.Perceptron(max_iter=passes, **how),
        "sklearn SGD, hinge": lambda passes: linear_model.SGDClassifier(max_iter=passes, **how),
    }
    if peers.passive_aggressive() is not None:
        made["sklearn PA"] = lambda passes: peers.passive_aggressive(max_iter=passes, **how)
    return made | {YARDSTICK: lambda passes: LinearSVC(max_iter=passes, random_state=0)}


class Vowpal:
    """Vowpal Wabbit with the face of the others, from caches made beforehand."""

    def __init__(self, found: Split, folder: Path):
        self.codes, y = np.unique(found.y, return_inverse=True)
        several = len(self.codes) > 2
        self.several = several
        self.y_test = np.searchsorted(self.codes, found.y_test)
        for name in ("train", "test"):
            (folder / name).mkdir()
        labels = (lambda codes: codes + 1) if several else (lambda codes: 2 * codes - 1)
        self.train = peers.Vowpal(found.X, labels(y), folder / "train", len(self.codes))
        self.test = peers.Vowpal(
            found.X_test, labels(self.y_test), folder / "test", len(self.codes)
        )

    def fit(self, passes: int) -> None:
        """Learn; the accuracy is asked for apart."""
        self.train.fit(passes, "logistic" if self.several else "hinge")

    def accuracy(self) -> float:
        """Of the model learned last."""
        said = self.train.predict(self.test)
        codes = said - 1 if self.several else (said > 0)
        return float(np.mean(codes == self.y_test))


def curves(found: Split, folder: Path) -> tuple[dict[str, plots.Line], dict[str, list[str]]]:
    """A line of seconds and accuracies for each contestant, and its timings in words."""
    models = contestants(len(np.unique(found.y)))
    vowpal = Vowpal(found, folder) if peers.present("vowpalwabbit") else None
    lines: dict[str, plots.Line] = {}
    words: dict[str, list[str]] = {}
    for passes in PASSES:
        running: dict[str, Any] = {
            name: lambda make=make, passes=passes: make(passes).fit(found.X, found.y)
            for name, make in models.items()
            if passes <= PATIENT.get(name, passes)
        }
        running["Vowpal Wabbit"] = vowpal and (lambda passes=passes: vowpal.fit(passes))
        times = race(running, limit=LIMIT / 10, slow=("Vowpal Wabbit", YARDSTICK))
        for name, timing in times.items():
            line = lines.setdefault(name, plots.Line(name, [], []))
            if name == "Vowpal Wabbit":
                reached = vowpal.accuracy() if vowpal else math.nan
            else:
                reached = timing.result.score(found.X_test, found.y_test)
            line.x.append(timing.median)
            line.y.append(reached)
            words.setdefault(name, []).append(f"{reached:.4f} after {cell(times, name)}")
    return lines, words


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    panels: dict[str, list[plots.Line]] = {}

    def rows() -> Any:
        for name in ["digits"] if QUICK else SETS:
            found = SETS[name]()
            if found is None:
                yield {"data": f"{name} (absent)"}
                continue
            with tempfile.TemporaryDirectory() as folder:
                lines, words = curves(found, Path(folder))
            panels[name] = list(lines.values())
            enough = max(lines[YARDSTICK].y) - 0.005
            for contestant, line in lines.items():
                soon = [s for s, a in zip(line.x, line.y, strict=True) if a >= enough]
                yield {
                    "data": name,
                    "contestant": contestant,
                    "first point": words[contestant][0],
                    "last point": words[contestant][-1],
                    "reaches": f"{enough:.4f} in {show(min(soon))}" if soon else "never",
                }

    table(rows(), COLUMNS)
    plots.draw("accuracy_per_second", panels, x="time of fitting", y="held-out accuracy")


if __name__ == "__main__":
    main()
