"""The data that questions are asked of: generated, bundled with scikit-learn, and in ``DATA``.

A problem is a name and a function that loads it; what is in ``DATA`` may be absent, and loading it
then gives None. Dense columns of real data are standardised, which helps every contestant.
"""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from harness import DATA, QUICK


class Split(NamedTuple):
    """Rows to learn from and rows to be judged on."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


class Problem(NamedTuple):
    """Two classes: a name and what loads rows and labels −1 and +1, or None where absent."""

    name: str
    load: Callable[[], tuple[Any, np.ndarray] | None]


def signs(y: Any, positive: Any) -> np.ndarray:
    """+1 for that class, −1 for all others."""
    return np.where(np.asarray(y) == positive, 1, -1)


def standardised(X: Any) -> np.ndarray:
    """Columns of mean 0 and variance 1; constant ones become 0."""
    X = np.asarray(X, dtype=float)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def narrow(X: sparse.csr_matrix) -> sparse.csr_matrix:
    """The same with 32-bit indices, the only ones that scikit-learn's Perceptron takes."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def bundled(name: str, positive: int) -> tuple[np.ndarray, np.ndarray]:
    """A class of one of scikit-learn's sets against the rest."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return standardised(X), signs(y, positive)


def comma_separated(name: str, label: str | int, positive: str, **how: Any) -> Any:
    """A class of a CSV file against the rest; rows that lack a value are left out."""
    from rosenblatt.readers import open_reader

    if not (DATA / name).exists():
        return None
    chunk = open_reader(DATA / name, label=label, missing="drop", **how).read()
    return standardised(chunk.X), signs([str(value) for value in chunk.y], positive)


@functools.cache
def sparse_text(name: str, width: int | None = None) -> tuple[Any, np.ndarray] | None:
    """An svmlight or Vowpal Wabbit file, its larger label positive."""
    from rosenblatt.readers import open_reader

    if not (DATA / name).exists():
        return None
    chunk = open_reader(DATA / name, **({"width": width} if width else {})).read()
    return narrow(sparse.csr_matrix(chunk.X)), signs(chunk.y, np.max(chunk.y))


def read_idx(name: str) -> np.ndarray:
    """One of MNIST's files."""
    with gzip.open(DATA / "mnist" / name) as file:
        raw = file.read()
    shape = [int.from_bytes(raw[4 + 4 * i : 8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


@functools.cache
def mnist() -> Split | None:
    """60,000 and 10,000 images of digits, 784 pixels from 0 to 1."""
    if not (DATA / "mnist").exists():
        return None
    images = (read_idx(f"{part}-images-idx3-ubyte.gz") for part in ("train", "t10k"))
    train, test = (i.reshape(len(i), -1).astype(np.float64) / 255 for i in images)
    labels = (read_idx(f"{part}-labels-idx1-ubyte.gz") for part in ("train", "t10k"))
    return Split(train, next(labels), test, next(labels))


def digits() -> Split:
    """scikit-learn's 1,797 small images of digits."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
    return Split(X / 16, y, X_test / 16, y_test)


def images(most: int | None = None) -> tuple[str, Split]:
    """MNIST where it is present (not when quick), small digits otherwise; at most so many rows."""
    found = None if QUICK else mnist()
    name, (X, y, *test) = ("digits", digits()) if found is None else ("MNIST", found)
    return name, Split(X[:most], y[:most], *test)


def words_of(train: Any, y: Any, test: Any, y_test: Any) -> Split:
    """Texts as tf-idf rows."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(sublinear_tf=True)
    return Split(words.fit_transform(train), np.array(y), words.transform(test), np.array(y_test))


@functools.cache
def sms() -> Split | None:
    """Messages, spam or not."""
    from sklearn.model_selection import train_test_split

    if not (DATA / "sms_spam.tsv").exists():
        return None
    lines = (DATA / "sms_spam.tsv").read_text(encoding="utf-8").splitlines()
    y, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    train, test, y_train, y_test = train_test_split(
        texts, np.array(y), test_size=0.3, stratify=y, random_state=0
    )
    return words_of(train, y_train, test, y_test)


@functools.cache
def news() -> Split | None:
    """Posts to 20 newsgroups, split by date; shuffled once, as they come group by group."""
    if not (DATA / "20news-bydate-train.jsonl.gz").exists():
        return None

    def part(name: str) -> tuple[list[str], list[Any]]:
        with gzip.open(DATA / f"20news-bydate-{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return [row["text"] for row in rows], [row["label"] for row in rows]

    found = words_of(*part("train"), *part("test"))
    mixed = np.random.default_rng(0).permutation(len(found.y))
    return found._replace(X=found.X[mixed], y=found.y[mixed])


@functools.cache
def rcv1() -> Split | None:
    """A small part of Reuters' news."""
    train, test = sparse_text("rcv1_small.vw.gz"), sparse_text("rcv1_small_test.vw.gz")
    return None if train is None or test is None else Split(*train, *test)


@functools.cache
def adult() -> Split | None:
    """a9a: census records."""
    train, test = sparse_text("a9a.svm.gz", 123), sparse_text("a9a.t.svm.gz", 123)
    return None if train is None or test is None else Split(*train, *test)


def one_of(split: Callable[[], Split | None], positive: Any) -> tuple[Any, np.ndarray] | None:
    """A class of a set's training rows against the rest."""
    found = split()
    return None if found is None else (found.X, signs(found.y, positive))


def pair_of(split: Callable[[], Split | None], negative: int, positive: int) -> Any:
    """The training rows of two classes."""
    found = split()
    if found is None:
        return None
    rows = np.isin(found.y, (negative, positive))
    return found.X[rows], signs(found.y[rows], positive)


def cloud(n: int, d: int, margin: float, *, entries: int = 0, flips: int = 0) -> Problem:
    """A generated problem: Gaussian, or with so many entries a sparse row; some labels turned."""

    def load() -> tuple[Any, np.ndarray]:
        from rosenblatt import datasets

        if entries:
            made = datasets.separable(n, d, margin, sparse=True, nonzeros=entries)
            return narrow(sparse.csr_matrix(made.X)), made.y
        made = datasets.flipped(n, d, margin, flips=flips)
        return made.X, made.y

    kind = f", {entries} a row" if entries else ""
    turned = f", {flips} label{'s' * (flips > 1)} turned" if flips else ""
    return Problem(f"{n:,} × {d:,}{kind}, margin {margin}{turned}", load)


def separable_problems() -> list[Problem]:
    """Every problem known to be separable: generated, bundled, and in ``DATA``."""
    small = [
        Problem("breast cancer", lambda: bundled("breast_cancer", 1)),
        Problem("iris, setosa", lambda: bundled("iris", 0)),
        *(Problem(f"wine {k}", lambda k=k: bundled("wine", k)) for k in range(3)),
        *(Problem(f"digit {k} (8 × 8)", lambda k=k: bundled("digits", k)) for k in range(8)),
        Problem(
            "penguins, Gentoo",
            lambda: comma_separated("penguins.csv", "species", "Gentoo", ignore=["island", "sex"]),
        ),
        Problem("sonar", lambda: comma_separated("sonar.csv", -1, "M", header=False)),
        Problem("mushrooms", lambda: sparse_text("mushrooms.svm.gz")),
        Problem("rcv1_small", lambda: sparse_text("rcv1_small.vw.gz")),
        Problem("sms_spam", lambda: one_of(sms, "spam")),
    ]
    if QUICK:
        return [cloud(5_000, 20, 0.1), cloud(5_000, 1_000, 0.05, entries=20), *small[:3]]
    return [
        cloud(50_000, 20, 0.1),
        cloud(50_000, 20, 0.02),
        cloud(20_000, 100, 0.1),
        cloud(20_000, 100, 0.02),
        cloud(50_000, 50, 0.05),
        cloud(20_000, 10_000, 0.05, entries=50),
        cloud(20_000, 10_000, 0.01, entries=50),
        *small,
        Problem(
            "20news, first class", lambda: one_of(news, np.unique(news().y)[0] if news() else None)
        ),
        Problem("MNIST, 0 and 1", lambda: pair_of(mnist, 0, 1)),
    ]


def first_rows(problem: Problem, most: int) -> Problem:
    """The first rows of a problem."""

    def load() -> tuple[Any, np.ndarray] | None:
        found = problem.load()
        return None if found is None else (found[0][:most], found[1][:most])

    return Problem(f"{problem.name}, first {most} rows", load)


def by_label(problem: Problem) -> Problem:
    """A problem with one class after the other."""

    def load() -> tuple[Any, np.ndarray] | None:
        found = problem.load()
        order = None if found is None else np.argsort(found[1], kind="stable")
        return None if found is None else (found[0][order], found[1][order])

    return Problem(f"{problem.name}, sorted by label", load)


def polynomials() -> tuple[np.ndarray, np.ndarray]:
    """Iris's two classes that no line separates, in all polynomials of degree 4."""
    from sklearn.datasets import load_iris
    from sklearn.preprocessing import PolynomialFeatures

    X, y = load_iris(return_X_y=True)
    X = PolynomialFeatures(4, include_bias=False).fit_transform(X[y > 0])
    return standardised(X), signs(y[y > 0], 2)


def informative(n: int, d: int, seed: int) -> Problem:
    """scikit-learn's clusters on the corners of a cube, half of the columns without meaning."""

    def load() -> tuple[np.ndarray, np.ndarray]:
        from sklearn.datasets import make_classification

        X, y = make_classification(
            n, d, n_informative=d // 2, n_redundant=0, class_sep=1.5, flip_y=0, random_state=seed
        )
        return X, signs(y, 1)

    return Problem(f"make_classification({n}, {d}), seed {seed}", load)


def hard_problems() -> list[Problem]:
    """Small problems that are separable, but by little for their size."""
    sonar = Problem("sonar", lambda: comma_separated("sonar.csv", -1, "M", header=False))
    ions = Problem("ionosphere", lambda: comma_separated("ionosphere.csv", -1, "g", header=False))
    cancer = Problem("breast cancer", lambda: bundled("breast_cancer", 1))
    seeds = ((500, 60, 26), (300, 40, 31), (300, 60, 70), (500, 60, 71), (300, 60, 115))
    found = [
        sonar,
        by_label(sonar),
        first_rows(ions, 100),
        cancer,
        by_label(cancer),
        Problem("iris, polynomials of degree 4", polynomials),
        *(informative(*seed) for seed in seeds),
    ]
    return found[3:4] if QUICK else found


def inseparable_problems() -> list[Problem]:
    """Problems that no hyperplane solves."""
    small = [
        Problem("iris, versicolor", lambda: bundled("iris", 1)),
        Problem("digit 8 (8 × 8)", lambda: bundled("digits", 8)),
        Problem("banknote", lambda: comma_separated("banknote.csv", -1, "1", header=False)),
        Problem("ionosphere", lambda: comma_separated("ionosphere.csv", -1, "g", header=False)),
        Problem("spambase", lambda: comma_separated("spambase.csv", -1, "1")),
        Problem("a9a", lambda: sparse_text("a9a.svm.gz", 123)),
        Problem("w7a", lambda: sparse_text("w7a.svm.gz", 300)),
    ]
    if QUICK:
        return [cloud(2_000, 20, 0.02, flips=1), *small[:2]]
    clouds = [cloud(20_000, 100, 0.02, flips=100), cloud(20_000, 100, 0.02, flips=1)]
    return [*clouds, cloud(50_000, 20, 0.02, flips=1), *small]
