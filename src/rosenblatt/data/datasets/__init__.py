"""Data: the lectures' worked examples, clouds of known margin or Bayes error, bundled data.

Nothing here learns: hand an `Example` to `rosenblatt.trace` with ``trace(data.X, data.y,
**data.settings)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt.arguments import checked
from rosenblatt.data.datasets.clouds import Cloud, flipped, gaussian, separable, touching
from rosenblatt.data.datasets.lectures import (
    Example,
    five_points,
    one_update,
    pass_the_class,
    quadrants,
    six_points,
    three_classes,
    three_samples,
    two_points,
    two_points_moved,
    with_product,
    xor,
)
from rosenblatt.data.datasets.mixtures import Mixture, mixture
from rosenblatt.errors import InputError, nearest
from rosenblatt.lazy import LATE_FOR_SKLEARN, without

__all__ = [
    "Cloud",
    "Example",
    "Mixture",
    "five_points",
    "flipped",
    "gaussian",
    "load",
    "mixture",
    "names",
    "one_update",
    "pass_the_class",
    "quadrants",
    "separable",
    "six_points",
    "three_classes",
    "three_samples",
    "touching",
    "two_points",
    "two_points_moved",
    "with_product",
    "xor",
]

EXAMPLES: dict[str, Callable[[], Example]] = {
    maker.__name__: maker
    for maker in (
        five_points,
        six_points,
        two_points,
        two_points_moved,
        three_classes,
        one_update,
        pass_the_class,
        xor,
        quadrants,
        three_samples,
    )
}

BUNDLED = {
    "breast_cancer": "Wisconsin breast cancer: 569 tumours, 30 measures; 0 malignant, 1 benign.",
    "digits": "Handwritten digits: 1797 images of 8 x 8 pixels, 10 classes.",
    "iris": "Fisher's irises: 150 flowers, 4 measurements, 3 species.",
    "wine": "Italian wines: 178 samples, 13 measurements, 3 growers.",
}


def names() -> dict[str, str]:
    """Every name that `load` knows, and what it stands for.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> names()["xor"]
    'Exclusive or: not separable; the perceptron comes back to where it was.'
    """
    return {name: maker().description for name, maker in EXAMPLES.items()} | BUNDLED


@checked()
def load(name: str) -> Example:
    """The data set of that name: an example of the lectures, or one that scikit-learn bundles.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Example

    Examples
    --------
    >>> load("breast_cancer").X.shape
    (569, 30)
    >>> load("iriss")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: there is no data set 'iriss'; did you mean 'iris'?
    """
    if name in EXAMPLES:
        return EXAMPLES[name]()
    if name not in BUNDLED:
        known = names()
        hint = nearest(str(name).lower(), known) or f"; there are {', '.join(sorted(known))}"
        raise InputError(f"there is no data set {name!r}{hint}")
    bunch = _bundled(name)
    return Example(bunch.data, bunch.target, BUNDLED[name], "scikit-learn")


def feature_names(name: str) -> list[str]:
    """What the columns of a set of scikit-learn's are called.

    Examples
    --------
    >>> feature_names("iris")[0]
    'sepal length (cm)'
    """
    return list(map(str, _bundled(name).feature_names))


def _bundled(name: str) -> Any:
    with without(*LATE_FOR_SKLEARN):
        from sklearn import datasets

    return getattr(datasets, f"load_{name}")()
