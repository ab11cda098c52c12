"""`separation_kind`: ask how two classes lie to each other.

Imports ``decision``, ``certificate``, ``requirements`` and, of this package, ``answer``, ``cone``
and ``faces``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.certificate import Inseparability, Overlap, Separation, WeakSeparation
from rosenblatt.decision import Data, decide
from rosenblatt.errors import InputError
from rosenblatt.kinds.answer import Kind, SeparationKind
from rosenblatt.kinds.cone import Cone
from rosenblatt.kinds.faces import Ray
from rosenblatt.requirements import Requirements


def separation_kind(X: Any, y: Any, *, fit_intercept: bool = True) -> SeparationKind:
    """Tell complete separation, quasi-complete separation and overlap apart, and prove it.

    Parameters
    ----------
    X : array, DataFrame or sparse matrix of shape (n, d)
        The rows; every float counts as the rational number it is. A DataFrame names the
        coefficients.
    y : array of shape (n,)
        Labels of two classes; the coefficients are those of the second in sorted order.
    fit_intercept : bool
        Whether the regression has an intercept.

    Returns
    -------
    SeparationKind

    Examples
    --------
    Nobody over 40 took the drug and stayed ill:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [30, 50, 60, 35, 45, 55], "drug": [0, 0, 0, 0, 0, 1]})
    >>> result = separation_kind(table, ["ill", "well", "ill", "well", "ill", "well"])
    >>> print(result)
    Quasi-complete separation: a hyperplane has 1 of 6 rows strictly on their sides and the
    others on itself.
    No finite estimate:
      drug  +∞
    The likelihood has no maximum, although the classes are not separated. ...
    >>> result.coefficients["age"]
    Estimate.FINITE
    """
    data = Data.checked(X, y)
    if len(data.classes) != 2:
        raise InputError(
            f"separation_kind speaks of two classes; y has {len(data.classes)}. Ask it of each "
            "class against the rest: separation_kind(X, y == label)."
        )
    cone = Cone(Requirements(data.X, data.codes, 2, fit_intercept))
    proof = decide(data.X, data.y, fit_intercept=fit_intercept).certificate
    names = _names(X, data.X.shape[1], fit_intercept)
    if isinstance(proof, Separation):
        everyone = np.ones(len(data.codes), dtype=bool)
        ray = Ray(proof.weights, everyone)
        return SeparationKind(Kind.COMPLETE, proof, None, everyone, names, cone, ray)
    assert isinstance(proof, Inseparability)
    ray = cone.reduce(dict(zip(proof.rows.tolist(), map(int, proof.alpha), strict=True)))
    shared = {"fit_intercept": fit_intercept, "fingerprint": proof.fingerprint}
    if ray is None:
        overlap = Overlap.of(data.X, data.y, list(cone.alpha), list(cone.alpha.values()), **shared)
        nobody = np.zeros(len(data.codes), dtype=bool)
        return SeparationKind(Kind.OVERLAP, None, overlap, nobody, names, cone, None)
    weak = WeakSeparation.of(data.X, data.y, ray.weights, **shared)
    return SeparationKind(Kind.QUASI_COMPLETE, weak, proof, ray.strict, names, cone, ray)


def _names(X: Any, d: int, fit_intercept: bool) -> tuple[str, ...]:
    columns = getattr(X, "columns", None)
    names = [f"x{j}" for j in range(d)] if columns is None else [str(c) for c in columns]
    return (*names, "intercept") if fit_intercept else tuple(names)
