"""The other libraries, each at the setting that serves it best, and why that is its best.

Every function here returns something to time, a function without arguments, or None where the
library is not installed. Contestants start from the same arrays in memory and end with a model,
validation and conversion included. Two exceptions favour the peers: Vowpal Wabbit, which has no way
in for arrays, starts from a cache file of parsed examples, and LIBLINEAR's solver alone, on data
converted beforehand, is timed beside the whole.
"""

from __future__ import annotations

import importlib
import math
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from harness import ABSENT, QUICK, version

# Seconds that one run of a peer may take while its best setting is looked for, at least and at
# most: in between, 25 times what ours takes. One that has not separated by then is timed there,
# and the ratio is a lower bound.
LEAST_PATIENCE, MOST_PATIENCE = 0.1, 0.1 if QUICK else 1.0


def patience(ours: float) -> float:
    """The seconds that a peer may take where ours takes so many."""
    return min(MOST_PATIENCE, max(LEAST_PATIENCE, 25 * ours))


EPOCHS = 1000  # scikit-learn's own default budget
GRID = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, EPOCHS)


class Peer(NamedTuple):
    """A library, the setting it gets, and why."""

    name: str
    package: str
    setting: str
    why: str


PEERS = (
    Peer(
        "scikit-learn Perceptron",
        "scikit-learn",
        "`tol=None`, `max_iter` as many epochs as it needs, `shuffle=False` or `True`, "
        "whichever is faster",
        "With `tol` it stops early, unseparated, or pays for epochs after the last mistake; how "
        "many it needs is found beforehand and not timed. Where no number up to its default "
        "budget of 1,000 epochs separates, it is timed for that budget, or for the first number of "
        "epochs that takes longer than 25 times ours (or 1 s).",
    ),
    Peer(
        "scikit-learn SGDClassifier, PassiveAggressiveClassifier, LinearSVC, SVC",
        "scikit-learn",
        '`loss="hinge"`; `loss="squared_hinge"`, `dual="auto"`; '
        '`SVC(kernel="linear", C=1e10, cache_size=2000)`',
        "Defaults where accuracy is compared; a C that forbids errors and a cache that holds the "
        "kernel where the margin is. Passive-aggressive only while scikit-learn has it.",
    ),
    Peer(
        "LIBLINEAR",
        "liblinear-official",
        "`-s` 1, 2 or 3, `-c` 1 to 10⁸, `-e` 0.1 to 10⁻⁶, `-B 1`: the fastest that separates",
        "The dual methods win on wide data, the primal one on tall data; no one setting does. "
        "Dense rows are given as CSR, which its Python interface converts twenty times faster. "
        "Files are read by its own program, `liblinear-train`, where that is installed.",
    ),
    Peer(
        "Vowpal Wabbit",
        "vowpalwabbit",
        "hinge or logistic loss, adaptive steps (its default), `--holdout_off`, as few passes as "
        "separate, from a binary cache",
        "Its default of holding out every tenth example would keep it from ever separating; its "
        "driver reads the cache in C++, without a call from Python for each example. More than two "
        "classes: `--oaa` with logistic loss, as its documentation advises.",
    ),
    Peer("river", "river", "`linear_model.Perceptron()`", "What it is for: one dict at a time."),
    Peer(
        "mlxtend",
        "mlxtend",
        "`Perceptron(eta=1.0, epochs=k, random_seed=0)`",
        "Its only solver: a Python loop over rows.",
    ),
    Peer(
        "HiGHS",
        "highspy",
        "the LP on all points, primal or dual form, simplex or interior point: the fastest",
        "Which one that is differs from problem to problem; each is tried once, untimed.",
    ),
    Peer(
        "Clarabel",
        "clarabel",
        "the maximum-margin program on all points, tolerances 10⁻⁸, sparse",
        "Its tolerances are set to reach the certified gap of 10⁻⁶, no further.",
    ),
    Peer("NumPy", "numpy", "`X @ W.T`, or a loop over rows", "What one would write by hand."),
    Peer(
        "C",
        "cc",
        "`cc -Ofast -march=native`",
        "A loop over the same arrays, compiled when the benchmark runs.",
    ),
)


def present(module: str) -> bool:
    """Whether a module can be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def versions() -> dict[str, str]:
    """What is installed, by package."""
    names = ["rosenblatt", "numpy", "scipy", "numba", "threadpoolctl"]
    names += [peer.package for peer in PEERS if peer.package != "cc"]
    return {name: version(name) for name in dict.fromkeys(names)}


def errors(X: Any, y: np.ndarray, weights: Any, bias: float) -> int:
    """How many points are not strictly on their right side."""
    return int(np.sum(~(y * (X @ np.ravel(weights) + bias) > 0)))


class Attempt(NamedTuple):
    """What a peer's best setting is, what runs it, whether that separates, how long it took once.

    ``whole`` runs it from arrays, where ``run`` starts from data that was converted beforehand.
    """

    run: Callable[[], Any]
    setting: str
    separates: bool
    seconds: float
    whole: Callable[[], Any] | None = None


def quietly(run: Callable[[], Any]) -> Callable[[], Any]:
    """The same without warnings: that a peer has not converged is our subject, not news."""

    def inner() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run()

    return inner


def fastest(attempts: Iterable[Attempt]) -> Attempt:
    """Of those that separate the fastest; if none does, the one that tried longest."""
    tried = list(attempts)
    good = [attempt for attempt in tried if attempt.separates]
    return min(good, key=_seconds) if good else max(tried, key=_seconds)


def _seconds(attempt: Attempt) -> float:
    return attempt.seconds


def sklearn_perceptron(X: Any, y: np.ndarray) -> Callable[[], Any]:
    """scikit-learn's perceptron as it comes: it stops when the loss no longer falls."""
    from sklearn.linear_model import Perceptron

    return lambda: Perceptron().fit(X, y)


def nothing_learned(X: Any, y: np.ndarray) -> Callable[[], Any]:
    """What every estimator of scikit-learn does before it learns: check rows and labels."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import validate_data

    class Nothing(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Nothing:
            rows, labels = validate_data(self, X, y, accept_sparse="csr")
            check_classification_targets(labels)
            self.classes_ = np.unique(labels)
            self.coef_, self.intercept_ = np.zeros((1, rows.shape[1])), np.zeros(1)
            return self

    return lambda: Nothing().fit(X, y)


def sklearn_separator(X: Any, y: np.ndarray, patience: float) -> Attempt:
    """scikit-learn's Perceptron for as many epochs as it needs, at most its budget."""
    return fastest(_sklearn_epochs(X, y, shuffle, patience) for shuffle in (False, True))


def _sklearn_epochs(X: Any, y: np.ndarray, shuffle: bool, patience: float) -> Attempt:
    from sklearn.linear_model import Perceptron

    epochs, separates, spent = EPOCHS, False, math.nan
    for epochs in GRID:
        run = quietly(
            lambda epochs=epochs: Perceptron(
                tol=None, max_iter=epochs, shuffle=shuffle, random_state=0
            ).fit(X, y)
        )
        began = time.perf_counter()
        model = run()
        spent = time.perf_counter() - began
        separates = errors(X, y, model.coef_, model.intercept_[0]) == 0
        if separates or spent > patience:
            break
    name = f"{epochs} epochs{', shuffled' if shuffle else ''}"
    return Attempt(run, name if separates else f"{name}, unseparated", separates, spent)


def liblinear_separator(X: Any, y: np.ndarray, patience: float) -> Attempt | None:
    """LIBLINEAR at the fastest of its settings that separates."""
    return fastest(_liblinear_attempts(X, y, patience)) if present("liblinear") else None


def _liblinear_attempts(X: Any, y: np.ndarray, patience: float) -> Iterable[Attempt]:
    from liblinear.liblinearutil import parameter, problem, train

    signs = y.astype(float)
    prepared = problem(signs, sparse.csr_matrix(X), 1)
    for solver in (1, 2, 3):
        for C, tolerance in ((1, 0.1), (100, 0.1), (1e4, 0.01), (1e6, 1e-3), (1e8, 1e-6)):
            setting = f"-s {solver} -c {C:g} -e {tolerance:g}"
            how = parameter(f"{setting} -B 1 -q")
            began = time.perf_counter()
            model = train(prepared, how)
            spent = time.perf_counter() - began
            weights, bias = model.get_decfun()
            sign = model.get_labels()[0]
            separates = errors(X, sign * y, weights, bias) == 0
            name = setting if separates else f"{setting}, unseparated"
            yield Attempt(
                lambda how=how: train(prepared, how),
                name,
                separates,
                spent,
                lambda setting=setting: train(signs, sparse.csr_matrix(X), f"{setting} -B 1 -q"),
            )
            if separates or spent > patience:
                break


def liblinear_fit(X: Any, y: np.ndarray, setting: str) -> Callable[[], Any] | None:
    """LIBLINEAR at that setting, on data converted beforehand; returns its model."""
    if not present("liblinear"):
        return None
    from liblinear.liblinearutil import parameter, problem, train

    prepared = problem(np.asarray(y, dtype=float), sparse.csr_matrix(X), 1)
    how = parameter(f"{setting} -B 1 -q")
    return lambda: train(prepared, how)


def vw_text(X: Any, y: np.ndarray, path: Path) -> None:
    """Write rows in Vowpal Wabbit's format, features named by their column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    X = sparse.csr_matrix(X)
    values = pa.array(X.data.astype(np.float32)).cast(pa.string())
    entries = pc.binary_join_element_wise(pa.array(X.indices).cast(pa.string()), values, ":")
    starts = pa.array(X.indptr.astype(np.int32))
    rows = pc.binary_join(pa.ListArray.from_arrays(starts, entries), " ")
    labels = pa.array(np.asarray(y).astype(int)).cast(pa.string())
    lines = pc.binary_join_element_wise(labels, rows, " | ")
    whole = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "\n")
    path.write_bytes(whole[0].as_buffer().to_pybytes() + b"\n")


def svm_and_vw(X: Any, y: np.ndarray, stem: Path) -> tuple[Path, Path]:
    """Write the same rows as svmlight and as Vowpal Wabbit text; LIBLINEAR takes no column 0."""
    svm, vw = stem.with_suffix(".svm"), stem.with_suffix(".vw")
    vw_text(X, y, vw)
    svm.write_bytes(vw.read_bytes().replace(b" | ", b" "))
    return svm, vw


class Vowpal:
    """Vowpal Wabbit on rows that it has parsed beforehand."""

    def __init__(self, X: Any, y: np.ndarray, folder: Path, classes: int = 2):
        self.cache, self.model = folder / "cache", folder / "model"
        self.predictions = folder / "predictions"
        # Room for every weight of every class, and as much again: with fewer bits they collide.
        vectors = classes if classes > 2 else 1
        bits = max(10, math.ceil(math.log2(vectors * (X.shape[1] + 2))) + 1)
        self.options = f"-b {bits}" + (f" --oaa {classes}" if classes > 2 else "")
        vw_text(X, y, folder / "text")
        self._call(f"-d {folder / 'text'} {self.options} --cache_file {self.cache} -k --noop")
        (folder / "text").unlink()

    def _call(self, words: str) -> None:
        from vowpalwabbit import Workspace

        Workspace(f"{words} --quiet").finish()

    def fit(self, passes: int, loss: str) -> None:
        """Learn from the cache and save the model."""
        self._call(
            f"--cache_file {self.cache} --passes {passes} --holdout_off --loss_function {loss} "
            f"{self.options} -f {self.model}"
        )

    def predict(self, other: Vowpal | None = None) -> np.ndarray:
        """What the saved model says of its own rows, or of another's."""
        rows = self.cache if other is None else other.cache
        self._call(f"--cache_file {rows} --passes 1 -t -i {self.model} -p {self.predictions}")
        return np.array(self.predictions.read_text().split(), dtype=float)


def vw_separator(X: Any, y: np.ndarray, folder: Path, patience: float) -> Attempt | None:
    """Vowpal Wabbit with the fewest passes that separate."""
    if not present("vowpalwabbit"):
        return None
    rows = Vowpal(X, y, folder)
    return fastest(_vw_passes(rows, y, loss, patience) for loss in ("hinge", "logistic"))


def _vw_passes(rows: Vowpal, y: np.ndarray, loss: str, patience: float) -> Attempt:
    separates, passes, spent = False, 1, math.nan
    for passes in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        began = time.perf_counter()
        rows.fit(passes, loss)
        spent = time.perf_counter() - began
        separates = bool(np.all(y * rows.predict() > 0))
        if separates or spent > patience:
            break
    name = f"{loss}, {passes} passes"
    said = name if separates else f"{name}, unseparated"
    return Attempt(lambda: rows.fit(passes, loss), said, separates, spent)


def passive_aggressive(**how: Any) -> Any:
    """scikit-learn's passive-aggressive classifier, or None once it is gone."""
    from sklearn import linear_model

    if not hasattr(linear_model, "PassiveAggressiveClassifier"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return linear_model.PassiveAggressiveClassifier(**how)


def listing() -> list[dict[str, str]]:
    """The peers as rows of a table."""
    return [
        {
            "peer": peer.name,
            "version": version(peer.package) if peer.package != "cc" else compiler(),
            "setting": peer.setting,
            "why": peer.why,
        }
        for peer in PEERS
    ]


def compiler() -> str:
    """The C compiler's version, or that it is absent."""
    import shutil
    import subprocess

    if shutil.which("cc") is None:
        return ABSENT
    answer = subprocess.run(["cc", "-dumpversion"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "of unknown version"
