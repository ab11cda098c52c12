"""Write a certificate and its data as the integers that the proved checker reads.

    python proofs/export.py certificate.json data.csv [--label L] [--positive P] | proofs/check

The text is in proofs/README.md. Reading is that of ``tools/check_certificate.py``; what this file
adds is scaling to integers, and it checks nothing.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

TOOL = Path(__file__).parents[1] / "tools" / "check_certificate.py"
_spec = importlib.util.spec_from_file_location("check_certificate", TOOL)
assert _spec is not None
assert _spec.loader is not None
tool: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)
number, integer, items = tool.number, tool.integer, tool.items


def scaled(values: list[Fraction]) -> tuple[list[int], int]:
    """Integers in the same proportion, and the factor."""
    common = math.lcm(*(value.denominator for value in values))
    return [int(value * common) for value in values], common


def counted(parts: list[str]) -> str:
    """Parts after their number."""
    return " ".join([str(len(parts)), *parts])


def integers(values: list[int]) -> str:
    """Integers after their number; long ones in hexadecimal."""
    return counted([str(v) if abs(v) < 1 << 64 else hex(v) for v in values])


class Export:
    """One certificate as text.

    Parameters
    ----------
    c : dict
        The certificate.
    rows, labels, d
        The data as ``check_certificate.read`` returns them.
    """

    def __init__(self, c: dict[str, Any], rows: list[dict[int, float]], labels: list[str], d: int):
        known = (c["format"], c["version"]) == ("rosenblatt-certificate", 1)
        tool.need(known and type(c["fit_intercept"]) is bool, "unknown format")
        checker = tool.Checker(c, rows, labels, d)
        self.c, self.d, self.K, self.codes = c, d, checker.K, checker.codes
        self.table = rows
        # Other rows than those cited are no part of an inseparability.
        cited = c["kind"] == "inseparability"
        self.used = sorted(set(items(c["rows"], integer))) if cited else list(range(len(rows)))
        self.number = {row: at for at, row in enumerate(self.used, 1)}

    def text(self, name: str) -> str:
        """The problem and what is claimed of it."""
        costs = self.c["costs"] if self.c["kind"] == "fewest-errors" else None
        worth = [1] * len(self.table) if costs is None else items(costs, integer, len(self.table))
        cells = {v for i in self.used for v in self.table[i].values()}
        pad = math.lcm(*(Fraction(v).denominator for v in cells))
        rows = [
            f"{self.codes[i]} {worth[i]} "
            + integers([int(Fraction(self.table[i].get(k, 0.0)) * pad) for k in range(self.d)])
            for i in self.used
        ]
        bias = "yes" if self.c["fit_intercept"] else "no"
        claims = list(getattr(self, self.c["kind"].replace("-", "_"))())
        return "\n".join(
            [
                f"check {name}",
                f"classes {self.K} bias {bias} pad {pad}",
                f"rows {len(rows)}",
                *rows,
                f"claims {len(claims)}",
                *claims,
                "end\n",
            ]
        )

    def weights(self) -> str:
        """Bias and weights of each vector, scaled together."""
        table = self.c["weights"] if self.K > 2 else [self.c["weights"]]
        count = self.K if self.K > 2 else 1
        vectors = items(table, lambda w: items(w, number, self.d + 1), count)
        flat = scaled([v for w in vectors for v in w])[0]
        rows = [flat[i : i + self.d + 1] for i in range(0, len(flat), self.d + 1)]
        return counted([f"{w[-1]} {integers(w[:-1])}" for w in rows])

    def terms(self, rows: Any, alpha: list[Fraction], rivals: Any) -> str:
        """Rows, what they are compared with, and their factors."""
        against = [0] * len(alpha) if rivals is None else items(rivals, integer, len(alpha))
        tool.need(max(against) < self.K, "a rival is no class")
        triples = zip(items(rows, integer), against, scaled(alpha)[0], strict=True)
        return counted([f"{self.number[i]} {k} {hex(a)}" for i, k, a in triples])

    def cancel(self, part: dict[str, Any], read: Any = integer) -> str:
        """The terms of a certificate, or of a subset."""
        alpha = [Fraction(a) for a in items(part["alpha"], read)]
        return self.terms(part["rows"], alpha, part["rivals"])

    def separation(self) -> Iterator[str]:
        """Weights, and their margin."""
        lower = number(self.c["margin"][0])
        yield f"separation no {lower.numerator} {lower.denominator} {self.weights()}"

    def weak_separation(self) -> Iterator[str]:
        """Weights."""
        yield f"weak-separation {self.weights()}"

    def inseparability(self) -> Iterator[str]:
        """Terms that cancel, exactly or to within epsilon."""
        epsilon = number(self.c["epsilon"])
        if epsilon:
            ends = f"{epsilon.numerator} {epsilon.denominator}"
            yield f"margin-bound no {ends} {self.cancel(self.c, number)}"
        else:
            yield f"inseparability {self.cancel(self.c)}"

    def overlap(self) -> Iterator[str]:
        """Terms that cancel exactly."""
        tool.need(number(self.c["epsilon"]) == 0, "overlap is exact")
        yield f"overlap {self.cancel(self.c)}"

    def maximum_margin(self) -> Iterator[str]:
        """Both ends; with a free bias, factors of which both classes have the same sum."""
        biased = {"free": True, "padded": True, "none": False}[self.c["bias"]]
        tool.need(biased == self.c["fit_intercept"], "fit_intercept contradicts bias")
        free = "yes" if self.c["bias"] == "free" else "no"
        lower, upper = items(self.c["margin"], number, 2)
        yield f"separation {free} {lower.numerator} {lower.denominator} {self.weights()}"
        rows, alpha = items(self.c["rows"], integer), items(self.c["alpha"], number)
        if self.c["bias"] == "free":
            sums = [Fraction(0), Fraction(0)]
            for i, a in zip(rows, alpha, strict=True):
                sums[self.codes[i]] += a
            alpha = [a * sums[1 - self.codes[i]] for i, a in zip(rows, alpha, strict=True)]
        ends = f"{upper.numerator} {upper.denominator}"
        yield f"margin-bound {free} {ends} {self.terms(rows, alpha, None)}"

    def fewest_errors(self) -> Iterator[str]:
        """Both ends, the witnesses and the tree."""
        c = self.c
        gone = items(c["removed"], lambda i: self.number[integer(i)])
        shown = zip(gone, c["witnesses"], strict=True)
        witnesses = [f"{i} {integer(j) + 1}" for i, j in shown if j is not None]
        parts = [
            f"fewest-errors {integer(c['lower'])} {integer(c['upper'])}",
            counted([str(i) for i in gone]),
            self.weights(),
            counted(items(c["subsets"], self.cancel)),
            counted(witnesses),
            self.node(c["proof"]),
        ]
        yield "\n".join(parts)

    def node(self, node: dict[str, Any]) -> str:
        """A tree, its branches after it."""
        if "row" in node:
            row = self.number[integer(node["row"])]
            return f"branch {row}\n{self.node(node['removed'])}\n{self.node(node['kept'])}"
        if "impossible" in node:
            return f"impossible {integer(node['impossible']) + 1}"
        pairs = node["multipliers"]
        factors, common = scaled([number(m) for _, m in pairs])
        named = [f"{integer(j) + 1} {m}" for (j, _), m in zip(pairs, factors, strict=True)]
        return f"multipliers {common} {counted(named)}"


def main() -> None:
    """Read the files that are named, as ``tools/check_certificate.py`` does, and write the text."""
    sys.stdout.write(Export(*tool.load()).text("certificate"))


if __name__ == "__main__":
    main()
