"""Checks of the parameters of `KernelPerceptron`, and the kernel made of them."""

from __future__ import annotations

import inspect
import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rosenblatt.data.lossless import place
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.fit.parameters import check_kinds

if TYPE_CHECKING:
    from rosenblatt.engine.kernels import Kernel

SOLUTIONS = ("auto", "last", "average", "vote")
TRACKED = ("vote",)
MULTICLASS = ("native", "ovr")
# Kernels that divide by x + z, so that rows must be counts, such as histograms.
OF_COUNTS = ("chi2", "additive_chi2")


def check_parameters(estimator: Any) -> None:
    """Refuse unknown names, and settings that exclude each other."""
    from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

    check_kinds(estimator)
    kernel, solution, budget = estimator.kernel, estimator.solution, estimator.budget
    names = [*sorted(PAIRWISE_KERNEL_FUNCTIONS), "precomputed"]
    if not callable(kernel) and kernel not in names:
        raise InputError(
            f"kernel must be a function of two rows or one of {', '.join(map(repr, names))}, "
            f"got {kernel!r}."
        )
    for name, allowed in (("solution", SOLUTIONS), ("multiclass", MULTICLASS)):
        if (value := getattr(estimator, name)) not in allowed:
            raise InputError(
                f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}."
            )
    if not all(name in TRACKED for name in estimator.keep):
        raise InputError(f"keep must be a tuple of names from {TRACKED}, got {estimator.keep!r}.")
    if budget is not None and not budget >= 1:
        raise InputError(f"budget must be at least 1 or None, got {budget!r}.")
    asked = next((name for name in (solution, *estimator.keep) if name in ("average", "vote")), "")
    if budget is not None and asked:
        raise InputError(
            f"solution={asked!r} needs every support vector there ever was, which a "
            f"budget of {budget} forgets; use 'last', or budget=None."
        )
    if budget is not None and estimator.early_stopping:
        raise InputError(
            "early_stopping=True goes back to earlier weights, whose support vectors a budget of "
            f"{budget} may have forgotten; use early_stopping=False, or budget=None."
        )
    for name, least in (("threshold", 0.0), ("cache_size", 0.0)):
        value = getattr(estimator, name)
        if not least <= value < math.inf:
            raise InputError(f"{name} must be a number of at least 0, got {value!r}.")
    gamma = estimator.gamma
    if gamma not in ("scale", "auto") and not _is_number(gamma, above=0.0):
        raise InputError(f"gamma must be 'scale', 'auto' or a positive number, got {gamma!r}.")
    _check_degree("degree", estimator.degree)
    _check_kernel_params(kernel, dict(estimator.kernel_params or {}))


def _check_kernel_params(kernel: Any, params: dict[str, Any]) -> None:
    """Refuse arguments that the kernel does not take, and values with which it is no kernel."""
    if callable(kernel):
        _check_signature(kernel, params)
        return
    from sklearn.metrics.pairwise import KERNEL_PARAMS

    known = sorted(KERNEL_PARAMS.get(kernel, ()))
    unknown = [name for name in params if name not in known]
    if unknown:
        takes = f"takes {', '.join(map(repr, known))}" if known else "takes none"
        raise InputError(
            f"kernel_params has {', '.join(map(repr, unknown))}, but kernel={kernel!r} {takes}. "
            "Leave out what it does not take, or correct the name."
        )
    gamma = params.get("gamma")
    if gamma is not None and not _is_number(gamma, above=0.0):
        raise InputError(f"kernel_params['gamma'] must be a positive number, got {gamma!r}.")
    if "degree" in params:
        _check_degree("kernel_params['degree']", params["degree"])


def _check_signature(kernel: Any, params: dict[str, Any]) -> None:
    try:
        inspect.signature(kernel).bind(None, None, **params)
    except ValueError:  # it has none to look at
        return
    except TypeError as error:
        given = "".join(f", {name}=…" for name in params)
        raise InputError(
            f"kernel is called as kernel(a, b{given}) with two rows and kernel_params, "
            f"which {kernel!r} does not take: {error}."
        ) from None


def _check_degree(name: str, degree: Any) -> None:
    if not (degree == 0 or _is_number(degree, above=0.0)):
        raise InputError(
            f"{name} must be a number of at least 0, got {degree!r}: powers below are no kernel."
        )


def _is_number(value: Any, above: float) -> bool:
    return isinstance(value, Real) and above < float(value) < math.inf


def check_counts(kernel: Any, X: Any, names: Any) -> None:
    """Refuse rows that a kernel of counts does not take, earlier than scikit-learn would.

    Examples
    --------
    >>> check_counts("chi2", np.array([[3.0, 0.0], [0.5, -1.0]]), None)
    Traceback (most recent call last):
    rosenblatt.errors.InputError: Negative values in data passed to kernel='chi2', which is of
    counts: X has -1 at row 1, column 1. Shift the columns, or choose another kernel, such as 'rbf'.
    """
    if not isinstance(kernel, str) or kernel not in OF_COUNTS:
        return
    if sparse.issparse(X):
        raise InputTypeError(
            f"kernel={kernel!r} takes no sparse rows: pass X.toarray(), or choose another kernel, "
            "such as 'rbf'."
        )
    negative = X < 0
    if negative.any():
        row, column = np.argwhere(negative)[0].tolist()
        raise InputError(
            f"Negative values in data passed to kernel={kernel!r}, which is of counts: X has "
            f"{X[row, column]:g} at {place(row, column, names)}. Shift the columns, or choose "
            "another kernel, such as 'rbf'."
        )


def kernel_of(estimator: Any, X: Any) -> Kernel:
    """The kernel with its parameters; γ may depend on the rows."""
    from rosenblatt.engine.kernels import Kernel

    params = dict(estimator.kernel_params or {})
    if not callable(estimator.kernel):
        params = {"degree": estimator.degree, "coef0": estimator.coef0, **params}
        params.setdefault("gamma", _gamma(estimator.gamma, X))
    return Kernel(estimator.kernel, params)


def _gamma(gamma: Any, X: Any) -> float:
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    if sparse.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var(dtype=np.float64)
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
