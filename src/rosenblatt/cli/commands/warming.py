"""Compile what verbs and estimators need beforehand, by a small run of each kind."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from rosenblatt.cli.shell import emit, say
from rosenblatt.cli.signals import ending_at_once

ROWS = 60
ORDERS = ("active", "cyclic", "shuffled", "worst")
LEFT = (
    "rarer kinds of work (a margin, a penalty, PassiveAggressive(multiclass='native'), tables "
    "separated by blanks, many columns of categories) compile at their first use"
)


def warm_up(as_json: bool) -> int:
    """Run each kind of work once, and say what, and how long compiling took; the exit code.

    Of a run that is cut short, what was compiled is kept.
    """
    from rosenblatt.engine.machine.jit import compile_seconds, has_numba

    if not has_numba():
        say("There is nothing to compile without numba.")
        if as_json:
            emit({"compiling": 0.0, "seconds": 0.0})
        return 0
    began = time.perf_counter()
    with ending_at_once():
        _warmed()
    seconds = {"compiling": compile_seconds(), "seconds": time.perf_counter() - began}
    if as_json:
        emit(seconds)
    elif seconds["compiling"]:
        say(f"Compiled in {seconds['compiling']:.1f} s, for every later process; {LEFT}.")
    else:
        say(f"All of it had been compiled before; {LEFT}.")
    return 0


def _warmed() -> None:
    """Run each kind of work once, and say which."""
    say("files (CSV, svmlight, Vowpal Wabbit): read, fit, decide, verify, --stream", style="dim")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("rows.csv", "rows.svm", "rows.vw"):
            for classes in (2, 3):
                path = Path(folder, f"{classes}{name}")
                path.write_text(_text(name, classes), "utf-8")
                _used(str(path))
    say("arrays (dense, sparse; single, double precision): Perceptron", style="dim")
    _fitted()
    say("the same arrays: many classes, and predictions of many rows", style="dim")
    _many()
    say("the same arrays: KernelPerceptron, PassiveAggressive", style="dim")
    _estimated()


def _fitted() -> None:
    """Fits of arrays: single precision, more columns than rows, one class against one."""
    import numpy as np
    from scipy import sparse

    from rosenblatt.fit.learning import fit
    from rosenblatt.fit.settings import Settings

    rng = np.random.default_rng(0)
    for dtype, columns in (("float32", 3), ("float32", 200), ("float64", 200)):
        X = rng.normal(size=(ROWS, columns)).astype(dtype)
        for rows in (X, sparse.csr_matrix(X)):
            # Two and three classes, inseparable and separable.
            separable = X[:, 0] > 0, X[:, :3].argmax(axis=1)
            for labels in (np.arange(ROWS) % 2, np.arange(ROWS) % 3, *separable):
                fit(rows, labels).predict(rows)
            pairs = Settings(multiclass="ovo", max_iter=20)
            fit(rows, np.arange(ROWS) % 3, pairs).predict(rows)
    wide = sparse.csr_matrix((np.ones(ROWS), np.arange(ROWS), np.arange(ROWS + 1)), (ROWS, 2**16))
    fit(wide, np.arange(ROWS) % 2)


def _many() -> None:
    """Fits with so many weights that the loop prefetches rows, and predictions of many rows."""
    import numpy as np
    from scipy import sparse

    from rosenblatt.fit.learning import fit
    from rosenblatt.fit.settings import Settings

    rng, labels = np.random.default_rng(0), np.arange(10 * ROWS)
    for dtype in ("float32", "float64"):
        X = rng.normal(size=(10 * ROWS, 300)).astype(dtype)
        many = np.tile(X, (7, 1))
        for classes in (2, 20):
            fitted = fit(X, labels % classes, Settings(max_iter=2))
            fitted.predict(many)
            fitted.predict(sparse.csr_matrix(many))


def _estimated() -> None:
    """Fits of the estimators that no verb uses."""
    import numpy as np
    from scipy import sparse

    from rosenblatt.estimators.kernel import KernelPerceptron
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive

    rng, y = np.random.default_rng(0), np.arange(ROWS) % 2
    for dtype in ("float32", "float64"):
        X = rng.normal(size=(ROWS, 3)).astype(dtype)
        for rows in (X, sparse.csr_matrix(X)):
            for solution in ("auto", "vote"):
                KernelPerceptron(solution=solution, max_iter=1000).fit(rows, y).predict(rows)
            PassiveAggressive(max_iter=3, tol=None).fit(rows, y).predict(rows)


def _text(name: str, classes: int) -> str:
    """Inseparable rows as text; labels of CSV are quoted, since quotes take another parser."""
    import numpy as np

    rng = np.random.default_rng(0)
    lines = ['"a","b","k"'] if name.endswith("csv") else []
    for i in range(ROWS):
        a, b = rng.normal(size=2).round(3)
        if name.endswith("csv"):
            lines.append(f'{a},{b},"{i % classes}"')
        elif name.endswith("svm"):
            lines.append(f"{i % classes} 1:{a} 2:{b}")
        else:
            lines.append(f"{i % classes} | a:{a} b:{b}")
    return "\n".join([*lines, ""])


def _used(path: str) -> None:
    """Use a file in every way that the verbs do."""
    import numpy as np

    from rosenblatt.data.readers import open_reader
    from rosenblatt.fit.learning import fit, fit_file
    from rosenblatt.fit.settings import Settings
    from rosenblatt.places.file.verifying import verify_stream
    from rosenblatt.solve.decision import decide, decide_stream

    open_reader(path, bits=4, dtype="float32").read()
    X, y = open_reader(path, bits=4).read()[:2]
    proof: Any = decide(X, y).certificate
    proof.verify(X, y)
    for order in ORDERS:
        for solution in ("auto", "average", "vote", "pocket"):
            asked = Settings(order=order, solution=solution, max_iter=3, certify=False)
            fit(X, y, asked).predict(X)
    fit(X, y, Settings(certify=True))
    side = np.asarray(X.sum(axis=1)).ravel() > 0  # separable labels
    fit(X, side)
    decide(X, side)
    fit_file(open_reader(path, bits=4), Settings(max_iter=3)).predict(X)
    proof = decide_stream(open_reader(path, bits=4)).certificate
    verify_stream(proof, open_reader(path, bits=4))
