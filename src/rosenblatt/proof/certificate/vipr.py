"""Proofs as VIPR files (Cheung, Gleixner and Steffy 2017, version 1.0 of the format).

VIPR speaks of linear constraints that are not strict. What a row requires, a·z > 0, is written as
a·z ≥ 1: weights that satisfy the one satisfy the other when multiplied by a positive number, so
that the constraints written have a solution exactly if the classes are separable.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.proof import exact
from rosenblatt.proof.certificate.data import sides

if TYPE_CHECKING:
    from rosenblatt.proof.certificate.base import Certificate
    from rosenblatt.proof.certificate.inseparability import Inseparability
    from rosenblatt.proof.certificate.separation import Separation

Vector = dict[int, Fraction]  # variable → coefficient


def infeasible(proof: Inseparability, matrix: Any, codes: np.ndarray) -> str:
    """Write that the constraints of the rows cited add up to 0 ≥ Σα > 0."""
    rivals = [0] * len(proof.rows) if proof.rivals is None else proof.rivals.tolist()
    wanted = zip(proof.rows.tolist(), rivals, strict=True)
    constraints = [_required(proof, matrix, codes, i, k) for i, k in wanted]
    factors = " ".join(f"{at} {_number(a)}" for at, a in enumerate(proof.alpha))
    derived = f"absurd G {_number(sum(proof.alpha))} 0 {{ lin {len(rivals)} {factors} }} -1"
    return _file(proof, matrix, constraints, "infeas", [], derived)


def feasible(proof: Separation, matrix: Any, codes: np.ndarray) -> str:
    """Write that the weights, made long enough, satisfy the constraints of all rows."""
    rows = range(matrix.shape[0])
    wanted = [(i, k) for i in rows for k in _rivals(proof, int(codes[i]))]
    constraints = [_required(proof, matrix, codes, i, k) for i, k in wanted]
    weights = [exact.as_fraction(w) for w in proof.weights.ravel().tolist()]
    least = min(sum(v * weights[j] for j, v in row.items()) for row in constraints)
    if least <= 0:
        raise CertificateError("the weights do not separate the rows")
    solution = {j: w / least for j, w in enumerate(weights) if w}
    solutions = [f"weights {_terms(solution)}"]
    return _file(proof, matrix, constraints, "range 0 0", solutions, "bound G 0 OBJ { lin 0 } -1")


def _rivals(proof: Certificate, code: int) -> list[int]:
    return [0] if proof.binary else [k for k in range(len(proof.classes)) if k != code]


def _required(proof: Certificate, matrix: Any, codes: np.ndarray, i: int, rival: int) -> Vector:
    """The coefficients of what row i requires to be positive."""
    width = matrix.shape[1] + 1
    x = exact.combination(matrix, [i], [1])
    if proof.fit_intercept:
        x[width - 1] = Fraction(1)
    own = int(sides(codes[[i]], proof.classes)[0])
    if proof.binary:
        return {j: v if own else -v for j, v in x.items()}
    mine = {own * width + j: v for j, v in x.items()}
    return mine | {rival * width + j: -v for j, v in x.items()}


def _file(
    proof: Certificate,
    matrix: Any,
    constraints: list[Vector],
    relation: str,
    solutions: list[str],
    derived: str,
) -> str:
    names = list(_names(proof, matrix.shape[1]))
    lines = [
        f"% {proof.kind} of classes {list(proof.classes)!r}, fingerprint {proof.fingerprint}",
        "VER 1.0",
        f"VAR {len(names)}",
        " ".join(names),
        "INT 0",
        "OBJ min",
        "0",
        f"CON {len(constraints)} 0",
        *(f"row{at} G 1 {_terms(row)}" for at, row in enumerate(constraints)),
        f"RTP {relation}",
        f"SOL {len(solutions)}",
        *solutions,
        "DER 1",
        derived,
    ]
    return "\n".join(lines) + "\n"


def _names(proof: Certificate, d: int) -> Iterator[str]:
    for k in range(1 if proof.binary else len(proof.classes)):
        mark = "" if proof.binary else f"{k}_"
        yield from (f"w{mark}{j}" for j in range(d))
        yield f"b{mark}".rstrip("_")


def _terms(vector: Vector) -> str:
    parts = [f"{j} {_number(v)}" for j, v in sorted(vector.items())]
    return " ".join([str(len(parts)), *parts])


def _number(value: Fraction | float) -> str:
    """A rational in decimal digits, however many: Python's own conversion refuses long ones."""
    fraction = Fraction(value)
    from flint import fmpz

    top, bottom = (str(fmpz(part)) for part in (fraction.numerator, fraction.denominator))
    return top if bottom == "1" else f"{top}/{bottom}"
