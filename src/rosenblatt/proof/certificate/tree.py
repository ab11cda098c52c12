"""Proofs that errors cannot be few: multipliers of inseparable subsets, in a tree of cases.

Every subset needs an error on one of its rows. Multipliers λ ≥ 0 of the subsets that load no row
with more than its cost prove that errors cost at least Σλ (weak duality of the covering program).
A `Branch` splits by one row: either it is an error, or it is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from rosenblatt.errors import CertificateError
from rosenblatt.proof.certificate.fields import as_fraction, as_int, plain, require

# Cases within cases that a certificate may hold.
DEEPEST = 200


class Leaf(NamedTuple):
    """A case settled by multipliers: pairs of a subset's number and its λ."""

    multipliers: tuple[tuple[int, Fraction], ...]


class Impossible(NamedTuple):
    """A case without any weights: all rows of this subset would be right."""

    subset: int


class Branch(NamedTuple):
    """Two cases: the row is an error (removed), or it is right (kept)."""

    row: int
    removed: Node
    kept: Node


Node = Leaf | Impossible | Branch


class Cover(NamedTuple):
    """What a tree speaks of: the rows of each subset, and what an error on each row costs."""

    subsets: Sequence[frozenset[int]]
    costs: Any

    def bound(self, node: Node) -> int | None:
        """The least cost of errors that a tree proves; None where no weights belong to it.

        Raises
        ------
        CertificateError
            If a leaf does not prove what it must.

        Examples
        --------
        >>> cover = Cover([frozenset([0, 1]), frozenset([1, 2]), frozenset([0, 2])], [1, 1, 1])
        >>> cover.bound(Leaf(((0, Fraction(1, 2)), (1, Fraction(1, 2)), (2, Fraction(1, 2)))))
        2
        """
        return self._bound(node, (), ())

    def _bound(self, node: Node, removed: tuple[int, ...], kept: tuple[int, ...]) -> int | None:
        if isinstance(node, Branch):
            self._require_row(node.row)
            require(node.row not in (*removed, *kept), f"the proof splits twice by row {node.row}")
            cases = (
                self._bound(node.removed, (*removed, node.row), kept),
                self._bound(node.kept, removed, (*kept, node.row)),
            )
            return min((case for case in cases if case is not None), default=None)
        if isinstance(node, Impossible):
            rows = self._rows(node.subset)
            require(
                rows <= set(kept), f"subset {node.subset} has a row that the case does not keep"
            )
            return None
        return sum(int(self.costs[row]) for row in removed) + self._leaf(node, removed, kept)

    def _leaf(self, leaf: Leaf, removed: Sequence[int], kept: Sequence[int]) -> int:
        load: dict[int, Fraction] = {}
        seen: set[int] = set()
        for subset, multiplier in leaf.multipliers:
            rows = self._rows(subset)
            require(subset not in seen, f"subset {subset} has two multipliers")
            require(multiplier >= 0, "multipliers must not be negative")
            require(not multiplier or rows.isdisjoint(removed), "a removed row breaks no subset")
            seen.add(subset)
            for row in rows.difference(kept):
                load[row] = load.get(row, Fraction(0)) + multiplier
        for row, total in load.items():
            if total > int(self.costs[row]):
                raise CertificateError(f"row {row} carries {total}, more than its cost")
        return math.ceil(sum((m for _, m in leaf.multipliers), Fraction(0)))

    def _rows(self, subset: int) -> frozenset[int]:
        require(0 <= subset < len(self.subsets), f"there is no subset {subset}")
        return self.subsets[subset]

    def _require_row(self, row: int) -> None:
        require(0 <= row < len(self.costs), f"there is no row {row}")


def subsets_of(node: Node) -> set[int]:
    """The subsets that a tree uses.

    Examples
    --------
    >>> sorted(subsets_of(Branch(7, Leaf(()), Impossible(3))))
    [3]
    """
    if isinstance(node, Branch):
        return subsets_of(node.removed) | subsets_of(node.kept)
    if isinstance(node, Impossible):
        return {node.subset}
    return {subset for subset, _ in node.multipliers}


def renumbered(node: Node, number: dict[int, int]) -> Node:
    """The same tree, its subsets counted otherwise."""
    if isinstance(node, Branch):
        cases = (renumbered(case, number) for case in (node.removed, node.kept))
        return Branch(node.row, *cases)
    if isinstance(node, Impossible):
        return Impossible(number[node.subset])
    return Leaf(tuple((number[subset], m) for subset, m in node.multipliers))


def written(node: Node) -> dict[str, Any]:
    """A tree as JSON holds it.

    Examples
    --------
    >>> written(Leaf(((0, Fraction(1, 2)),)))
    {'multipliers': [[0, '0x1/0x2']]}
    """
    if isinstance(node, Branch):
        return {
            "row": node.row,
            "removed": written(node.removed),
            "kept": written(node.kept),
        }
    if isinstance(node, Impossible):
        return {"impossible": node.subset}
    return {"multipliers": plain([list(pair) for pair in node.multipliers])}


def read(data: Any, depth: int = 0) -> Node:
    """The tree that `written` wrote; raise CertificateError for anything else.

    Examples
    --------
    >>> read({"row": 4, "removed": {"multipliers": []}, "kept": {"impossible": 0}})
    Branch(row=4, removed=Leaf(multipliers=()), kept=Impossible(subset=0))
    """
    if isinstance(data, (Leaf, Impossible, Branch)):
        return data
    require(isinstance(data, dict), "a proof must be an object")
    require(depth <= DEEPEST, f"a proof has more than {DEEPEST} cases within cases")
    if data.keys() == {"row", "removed", "kept"}:
        cases = (read(data[name], depth + 1) for name in ("removed", "kept"))
        return Branch(as_int(data["row"], "row"), *cases)
    if data.keys() == {"impossible"}:
        return Impossible(as_int(data["impossible"], "impossible"))
    require(
        data.keys() == {"multipliers"}, "a proof must have multipliers, or a row with its cases"
    )
    pairs = data["multipliers"]
    listed = isinstance(pairs, (list, tuple)) and all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs
    )
    require(listed, "multipliers must be pairs")
    return Leaf(tuple((as_int(at, "subset"), as_fraction(m, "multipliers")) for at, m in pairs))
