"""`make demo`: the bundled breast-cancer data, fitted, reported and proved."""

from __future__ import annotations

import time

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb


def main() -> None:
    """Fit, report, verify."""
    data = load_breast_cancer()
    scaled = StandardScaler().fit_transform(data.data)
    train, test, y_train, y_test = train_test_split(scaled, data.target, random_state=0)

    began = time.perf_counter()
    clf = rb.Perceptron().fit(train, y_train)
    seconds = time.perf_counter() - began
    check = clf.certificate_.verify(train, y_train)

    report = Table(title="Breast cancer, 30 measurements of 569 tumours", show_header=False)
    report.add_column(style="bold")
    report.add_column()
    report.add_row(
        "accuracy",
        f"{clf.score(train, y_train):.1%} on training rows, "
        f"{clf.score(test, y_test):.1%} on {len(y_test)} held-out rows",
    )
    often = np.bincount(y_test).max() / len(y_test)
    report.add_row("to compare with", f"the commonest answer to everything is right on {often:.1%}")
    found = recall_score(y_test, clf.predict(test), average=None)
    recall = (f"{x:.1%} of {name}" for name, x in zip(data.target_names, found, strict=True))
    report.add_row("recall", ", ".join(recall))
    report.add_row("verdict", str(clf.verdict_))
    report.add_row("why it stopped", str(clf.stop_))
    report.add_row("mistakes", f"{clf.mistakes_:,} of at most {clf.mistake_bound_:,.0f} (R²/γ²)")
    report.add_row(
        "margin", f"{clf.margin_.lower:.3g} ≤ γ ≤ {clf.margin_.upper:.3g}, R = {clf.radius_:.3g}"
    )
    report.add_row("passes, looks", f"{clf.n_iter_:,} passes, {clf.looks_:,} rows looked at")
    report.add_row("seconds", f"{seconds:.2f} (the first fit on a machine also compiles)")
    report.add_row("certificate", check.reason)
    Console().print(report)


if __name__ == "__main__":
    main()
