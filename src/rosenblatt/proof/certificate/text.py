"""Certificates in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.text import plural

if TYPE_CHECKING:
    from rosenblatt.proof.certificate.error_bracket import ErrorBracket
    from rosenblatt.proof.certificate.inseparability import Inseparability
    from rosenblatt.proof.certificate.separation import Separation

SHOWN_ENTRIES = 8  # rows or coordinates an explanation lists
SOON = 25  # rows whose weights are solved for in a moment


def listing(items: Iterable[Any], separator: str = ", ") -> str:
    """List items, only the first of many.

    Examples
    --------
    >>> listing(range(30))
    '0, 1, 2, 3, 4, 5, 6, 7, … (30 in all)'
    """
    every = list(items)
    more = f", … ({len(every)} in all)" if len(every) > SHOWN_ENTRIES else ""
    return separator.join(map(str, every[:SHOWN_ENTRIES])) + more


def classes_named(classes: Sequence[Any]) -> str:
    """Name classes.

    Examples
    --------
    >>> classes_named(["a", "b"])
    "classes 'a', 'b'"
    """
    return f"class{'' if len(classes) == 1 else 'es'} {listing(map(repr, classes))}"


def settled(n: int, n_rational: int) -> str:
    """Say how the signs of n rows were found."""
    filtered = f"{plural(n - n_rational, 'row')} settled by floating point with an error bound"
    return f"{filtered}, {n_rational} by rational arithmetic" if n_rational else filtered


def separation(proof: Separation) -> str:
    """Say what a separation proves."""
    score = "w·x + b" if proof.fit_intercept else "w·x"
    named = classes_named(proof.classes)
    if not proof.binary:
        text = (
            f"One weight vector per class separates {named}: on every row the score {score} of "
            "its own class is larger than that of any other."
        )
    elif len(proof.classes) == 2:
        negative, positive = proof.classes
        text = (
            f"One hyperplane separates {named}: {score} is positive on every row of class "
            f"{positive!r} and negative on every row of class {negative!r}."
        )
    else:
        text = f"There is one class only, and {score} is positive on every row."
    # The upper end of the bracket is its author's word: nothing here proves it.
    reached = f"{proof.margin.lower:.6g}"
    return f"{text} They reach the margin {reached} (per unit of weight, bias included)."


def error_bracket(proof: ErrorBracket) -> str:
    """Say what a bracket of the fewest errors proves."""
    if not len(proof.removed):
        return "No training error is needed: the weights are right on every row."
    many = len(proof.removed) > 1
    text = (
        f"Without row{'s' if many else ''} {listing(proof.removed.tolist())} the classes are "
        "separable"
    )
    if proof.irreducible:
        text += f"; putting {'any one of them' if many else 'it'} back makes them inseparable"
    if not proof.lower:
        return f"{text}."
    what = "number of" if proof.costs is None else "weight of"
    low, high = (f"{float(end * proof.unit):,.6g}" for end in (proof.lower, proof.upper))
    least = "that is the least there can be" if proof.exact else f"the least is at least {low}"
    one = len(proof.subsets) == 1
    return (
        f"{text}. The {what} these errors is {high}, and {least}: "
        f"{plural(len(proof.subsets), 'subset')} of rows that no weights have right together "
        f"prove{'s' if one else ''} it."
    )


def inseparability(proof: Inseparability, X: Any = None) -> str:
    """Say what an inseparability proves; with the data, show the point that the classes share."""
    if not proof.exact:
        return (
            f"No unit weight vector, bias included, separates {len(proof.classes)} classes with a "
            f"margin above {proof.epsilon:.3g}: {len(proof.rows)} weighted rows cancel to within "
            "that. Whether a smaller margin is possible is not proved."
        )
    if proof.rivals is not None:
        own = ["its own class"] * len(proof.rows)
        if proof.codes is not None:
            own = [f"class {proof.classes[code]!r}" for code in proof.codes]
        claims = (
            f"row {row} score higher for {mine} than for class {proof.classes[rival]!r}"
            for row, mine, rival in zip(proof.rows, own, proof.rivals, strict=True)
        )
        return (
            f"No weights, one vector per class, make {listing(claims, '; ')}: multiplied by "
            f"the factors {_weights(proof)} these differences of scores add up to 0 for any "
            "weights, so they cannot all be positive."
        )
    if proof.codes is None or len(np.unique(proof.codes)) == 1:
        rows = f"Row{'' if len(proof.rows) == 1 else 's'} {listing(proof.rows.tolist())}"
        return (
            f"{rows} cannot be on the right sides of any hyperplane: multiplied by their signs "
            f"and the weights {_weights(proof)}, they sum to zero."
        )
    if proof.fit_intercept and len(proof.rows) == 2:
        return _twins(proof)
    return _two_sides(proof) + ("" if X is None else _shared_point(proof, X))


def _twins(proof: Inseparability) -> str:
    """Two rows of different classes whose averages are the same are the same."""
    codes = np.asarray(proof.codes)
    first, second = proof.rows[np.argsort(codes)]
    one, other = (proof.classes[code] for code in np.sort(codes))
    return (
        f"Rows {first} and {second} have equal features but different classes, {one!r} and "
        f"{other!r}, so no hyperplane has both on their right sides."
    )


def _two_sides(proof: Inseparability) -> str:
    rows, weights = [], []
    for code in (0, 1):
        side = np.flatnonzero(proof.codes == code)
        rows.append(f"{listing(proof.rows[side].tolist())} (class {proof.classes[code]!r})")
        weights.append(_weights(proof, side))
    kind, through = ("average", "") if proof.fit_intercept else ("sum", " through the origin")
    return (
        f"Rows {rows[0]} and {rows[1]} cannot be on the right sides of any hyperplane{through}: a "
        f"weighted {kind} of the first (weights {weights[0]}) equals a weighted {kind} of the "
        f"second (weights {weights[1]}), so one point would have to be on both sides."
    )


def _shared_point(proof: Inseparability, X: Any) -> str:
    matrix = exact.as_matrix(X)
    side = np.flatnonzero(proof.codes == 0)
    weights = [proof.alpha[i] for i in side]
    scale = Fraction(sum(weights)) if proof.fit_intercept else Fraction(1)
    sums = exact.combination(matrix, proof.rows[side], weights)
    d = matrix.shape[1]
    point = [f"{float(sums.get(j, 0) / scale):.6g}" for j in range(min(SHOWN_ENTRIES, d))]
    return f" That point is ({', '.join(point)}{', …' if d > SHOWN_ENTRIES else ''})."


def _weights(proof: Inseparability, chosen: Any = np.s_[:]) -> str:
    """Weights of chosen rows in words: themselves where short, else as parts of their largest."""
    known = proof.solved or len(proof.rows) <= SOON
    weights = np.array(proof.alpha if known else proof.shares, dtype=object)[chosen].tolist()
    largest = max(weights)
    if known and largest < 10**6:
        return listing(weights)
    # Whole numbers of many digits: only those that are shown are divided.
    parts = [f"{float(Fraction(a) / Fraction(largest)):.3g}" for a in weights[:SHOWN_ENTRIES]]
    return f"in proportion {listing([*parts, *weights[SHOWN_ENTRIES:]])}"
