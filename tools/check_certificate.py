"""Check a certificate in exact arithmetic. Written from docs/certificates.md; shares no code."""

import argparse
import csv
import hashlib
import json
import math
import re
import struct
import sys
from fractions import Fraction

HEX = r"-?0x[0-9a-f]+(/0x[0-9a-f]+|(\.[0-9a-f]*)?p[+-]?\d+)?"
WHOLE, DECIMAL = r"[-+]?\d+", r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?"
PRIME = 2**31 - 1


def need(condition, message):
    """Refuse the certificate unless a condition holds."""
    if not condition:
        raise ArithmeticError(message)


def number(v):
    """A number of the certificate, as the rational that it is."""
    if type(v) is str and re.fullmatch(HEX, v):
        v = float.fromhex(v) if "p" in v else Fraction(*(int(part, 16) for part in v.split("/")))
    if type(v) not in (int, float, Fraction):  # which may have more digits than Python writes
        raise ArithmeticError(f"{v!r:.60} is no number")
    return Fraction(v)


def integer(v):
    """A number of the certificate that must be an integer from 0."""
    need(number(v) >= 0 and number(v).denominator == 1, "a number is no integer from 0")
    return int(number(v))


def items(value, read, length=None):
    """The items of a list, each read; the list may have to have a length."""
    need(type(value) is list and length in (None, len(value)), f"no list of {length or 'items'}")
    return [read(item) for item in value]


def scaled(values):
    """Rationals as integers, all multiplied by the same positive number, and that number."""
    common = math.lcm(*(v.denominator for v in values))
    return [v.numerator * (common // v.denominator) for v in values], common


def label_number(text):
    """The number that a label in a file is."""
    if text.lower() in ("true", "false"):
        return Fraction(text.lower() == "true")
    need(re.fullmatch(DECIMAL, text, re.I), f"the label {text!r:.60} is no number, as classes are")
    return Fraction(int(text) if re.fullmatch(WHOLE, text) else float(text))


class Checker:
    """A certificate and its data: rows as {column: value, if not 0}, labels as text, d columns.

    Rows are multiplied by ``unit`` where they are used, which makes integers of them.
    """

    def __init__(self, c, table, labels, d):
        if c["kind"] == "recession":  # counts, events, cases: are they positive?
            labels = [str(label_number(text) > 0) for text in labels]
        known = items(c["classes"], lambda k: k if type(k) is str else Fraction(k))
        need(len(sorted({*known})) == len(known) and type(c["fit_intercept"]) is bool, "bad head")
        values = labels if type(known[0]) is str else [label_number(text) for text in labels]
        need(values, "there are no rows")
        need(set(values) <= set(known), "a label is no class")
        need(all(0 <= j < d for row in table for j in row), f"there are more than {d} columns")
        self.c, self.n, self.d, self.K, self.table = c, len(table), d, len(known), table
        place = {label: code for code, label in enumerate(known)}
        self.codes = [place[label] for label in values]
        cells = (v.as_integer_ratio()[1] for row in table for v in row.values())
        self.unit = max(cells, default=1)  # denominators of floats are powers of 2
        need(c["fingerprint"] in ("", self.fingerprint(values)), "the data has another fingerprint")

    def fingerprint(self, values):
        """SHA-256 of the data."""
        there = sorted(set(values))
        tokens = [f"{'text' if type(k) is str else 'number'} {k}" for k in there]
        place = {label: code for code, label in enumerate(there)}
        whole = hashlib.sha256(json.dumps([[self.n, self.d], tokens]).encode())
        whole.update(struct.pack(f"<{self.n}i", *map(place.__getitem__, values)))
        counts, columns = [len(row) for row in self.table], [j for row in self.table for j in row]
        cells = [v for row in self.table for v in row.values()]
        for form, part in ("q", counts), ("I", columns), ("d", cells):
            whole.update(hashlib.sha256(struct.pack(f"<{len(part)}{form}", *part)).digest())
        return whole.hexdigest()

    def rivals(self, i):
        """The classes that row i must beat; of one or two classes there is no such choice."""
        return [k for k in range(self.K) if k != self.codes[i]] if self.K > 2 else [None]

    def a(self, i, k):
        """What row i requires against rival k, times unit: {(block, column): integer}."""
        need(0 <= i < self.n and k in self.rivals(i), f"row {i} has no rival {k}, or is not there")
        x = {}
        for j, v in self.table[i].items():
            top, bottom = v.as_integer_ratio()
            x[j] = top * (self.unit // bottom)
        if self.c["fit_intercept"]:
            x[self.d] = self.unit
        y = self.codes[i]
        if self.K <= 2:
            return {(0, j): v if y == self.K - 1 else -v for j, v in x.items()}
        return {(y, j): v for j, v in x.items()} | {(k, j): -v for j, v in x.items()}

    def leads(self, rows, free=False):
        """{(row, rival): s·(a·z)} and s²·‖z‖², for some s > 0; a free bias is no part of ‖z‖."""
        table = self.c["weights"] if self.K > 2 else [self.c["weights"]]
        table = items(table, lambda w: items(w, number, self.d + 1), self.K if self.K > 2 else 1)
        need(self.c["fit_intercept"] or not any(w[-1] for w in table), "a bias without intercept")
        whole, _ = scaled([v for w in table for v in w])
        z = [whole[b * (self.d + 1) :][: self.d + 1] for b in range(len(table))]
        square = self.unit**2 * sum(v * v for w in z for v in w[: self.d + (not free)])
        terms = ((i, k) for i in rows for k in self.rivals(i))
        return {t: sum(v * z[b][j] for (b, j), v in self.a(*t).items()) for t in terms}, square

    def right(self, rows, lower=0, free=False):
        """The weights are right on some rows, by a margin."""
        leads, square = self.leads(rows, free)
        for (i, _), lead in leads.items():
            need(lead > 0, f"row {i} is on {'the wrong side' if lead else 'the boundary'}")
            need(lead**2 >= lower**2 * square, f"row {i} does not reach the margin")

    def cancel(self, c, epsilon=0):
        """‖Aᵀα‖ ≤ epsilon·Σα for the rows of c; returns which these are."""
        rows, alpha = items(c["rows"], integer), items(c["alpha"], number if epsilon else integer)
        rivals = [None] * len(rows) if c["rivals"] is None else items(c["rivals"], integer)
        terms, total = list(zip(rows, rivals, strict=True)), {}
        need(0 < len(set(terms)) == len(terms) == len(alpha) and min(alpha) > 0, "bad rows, alpha")
        alpha, _ = scaled(alpha)
        for term, factor in zip(terms, alpha, strict=True):
            for k, v in self.a(*term).items():
                total[k] = total.get(k, 0) + factor * v
        square = sum(v * v for v in total.values())
        need(square <= (epsilon * sum(alpha) * self.unit) ** 2, "rows do not cancel")
        return set(rows)

    def check_separation(self):
        """Weights that put every row strictly on its side."""
        lower, upper = items(self.c["margin"], lambda v: math.inf if v is None else number(v), 2)
        need(0 <= lower <= upper and lower < math.inf, "the margin is no bracket")
        self.right(range(self.n), lower)

    def check_weak_separation(self):
        """Weights that put no row on the wrong side, and not all on the boundary."""
        v = self.leads(range(self.n))[0].values()
        need(min(v) >= 0 < max(v), "a row is on the wrong side, or all are on the boundary")

    def check_inseparability(self):
        """Rows with positive factors that cancel."""
        epsilon, codes = number(self.c["epsilon"]), self.c["codes"]
        self.cancel(self.c, epsilon)
        own = [self.codes[integer(i)] for i in self.c["rows"]]
        need(epsilon >= 0 and (codes is None or items(codes, integer) == own), "bad epsilon, codes")

    def check_overlap(self):
        """Rows that cancel and span all others."""
        need(number(self.c["epsilon"]) == 0, "bad epsilon")
        self.check_inseparability()
        rows = self.cancel(self.c)
        columns = {(0, j) for row in self.table for j in row} | set(self.a(0, None))
        # The rank modulo a prime is at most the rank. So if it is full, nothing more is to be seen.
        full = self.rank_modulo_prime(rows, sorted(columns)) == len(columns)
        need(full or self.rank(rows) == self.rank(range(self.n)), "the rows do not span all")

    def rank(self, rows):
        """The rank of some rows."""
        basis = []
        for row in (self.a(i, None) for i in rows):
            for k, e in basis:
                row = {j: v for j in row | e if (v := row.get(j, 0) - row.get(k, 0) * e.get(j, 0))}
            basis += [(k, {j: Fraction(v, row[k]) for j, v in row.items()}) for k in [*row][:1]]
        return len(basis)

    def rank_modulo_prime(self, rows, columns):
        """The rank of some rows modulo a prime, by elimination."""
        left = [[a.get(j, 0) % PRIME for j in columns] for a in (self.a(i, None) for i in rows)]
        rank = 0
        for _ in columns:
            pivot = next((row for row in left if row[0]), None)
            if pivot is not None:
                left.remove(pivot)
                rank, inverse = rank + 1, pow(pivot[0], -1, PRIME)
                pivot = [v * inverse % PRIME for v in pivot]
            for at, row in enumerate(left):
                f = row[0]
                if f:
                    row = [(v - f * p) % PRIME for v, p in zip(row, pivot, strict=True)]
                left[at] = row[1:]
        return rank

    def beyond(self, row, basis):
        """What a row has that combinations of others have not."""
        for k, e in basis:
            row = {j: v for j in row | e if (v := row.get(j, 0) - row.get(k, 0) * e.get(j, 0))}
        return row

    def span(self, rows):
        """A basis of what the rows span."""
        basis = []
        for row in rows:
            row = self.beyond(row, basis)
            basis += [(k, {j: v / row[k] for j, v in row.items()}) for k in sorted(row)[:1]]
        return basis

    def compared(self, at):
        """Pairs of winners and rivals."""
        s, t, e = ([row.get(k, 0) for row in self.table] if k is not None else None for k in at)
        for i, j in ((i, j) for i in range(self.n) for j in range(self.n) if self.codes[i]):
            risk = t[j] >= t[i] and (e is None or e[j] < t[i]) if t else not self.codes[j]
            if risk and i != j and (s is None or s[i] == s[j]):
                yield i, j

    def minus(self, x, y):
        """x − y, of sparse rows."""
        return {j: v for j in x | y if (v := x.get(j, 0) - y.get(j, 0))}

    def check_recession(self):
        """Weights along which a likelihood never falls, and rows that no such weights move."""
        c, at = self.c, [self.c[k] for k in ("strata", "time", "entry")]
        at = [k if k is None else integer(k) for k in at]
        z, log = items(c["weights"], number, self.d + 1), c["model"] == "log"
        need(max(k or 0 for k in at) < self.d, "a column that is not there")
        need(not any(z[k] for k in at if k is not None), "weights of times or strata")
        fits = c["classes"] == [False, True] and (c["fit_intercept"] or not z[-1])
        need(fits, "bad classes, or a bias without an intercept")
        own = ({j: Fraction(v) for j, v in row.items() if j not in at} for row in self.table)
        bias = {self.d: Fraction(1)} if c["fit_intercept"] else {}
        X = [row | bias for row in own]
        score = [sum(v * z[j] for j, v in x.items()) for x in X]
        minus, rows = self.minus, items(c["rows"], integer)
        named = list(zip(rows, rows if log else items(c["rivals"], integer), strict=True))
        alpha, fixed = items(c["alpha"], integer, len(named)), []
        need(len(set(named)) == len(named) and min([1, *alpha]) > 0, "bad rows, alpha")
        if log:
            need(at == [None] * 3 and c["rivals"] is None, "a log link has no times and no rivals")
            fixed = [X[i] for i in range(self.n) if self.codes[i]]
            moved = (v for v, y in zip(score, self.codes, strict=True) if y)
            need(not any(moved), "a row with y > 0 moves")
            a = {(i, i): (minus({}, X[i]), -score[i]) for i in range(self.n) if not self.codes[i]}
        else:
            need(c["model"] in ("conditional", "cox") and not c["fit_intercept"], "unknown model")
            need((c["model"] == "cox") == (at[1] is not None), "time belongs to cox")
            pairs = self.compared(at)
            a = {(i, j): (minus(X[i], X[j]), score[i] - score[j]) for i, j in pairs}
        leads = [lead for _, lead in a.values()]
        need(min([0, *leads]) == 0, "a row becomes less likely along the weights")
        need(not any(z) or any(leads), "the weights change no row")
        need(all(pair in a and not a[pair][1] for pair in named), "a row is no part of a tie")
        total = {}
        for pair, factor in zip(named, alpha, strict=True):
            total = minus(total, {j: -factor * v for j, v in a[pair][0].items()})
        need(not self.beyond(total, self.span(fixed)), "rows do not cancel")
        basis = self.span([*fixed, *(a[pair][0] for pair in named)])
        tied = (row for row, lead in a.values() if not lead)
        need(not any(self.beyond(row, basis) for row in tied), "tied rows are not spanned")

    def check_maximum_margin(self):
        """Both ends of the best margin of two classes."""
        bias, (lower, upper) = self.c["bias"], items(self.c["margin"], number, 2)
        fits = self.c["fit_intercept"] == {"free": True, "padded": True, "none": False}.get(bias)
        need(fits and self.K == 2 and 0 <= lower <= upper, "bad bias, margin or classes")
        self.right(range(self.n), lower, free=bias == "free")
        rows, alpha = items(self.c["rows"], integer), items(self.c["alpha"], number)
        need(len(alpha) == len(rows) and min(alpha) > 0, "bad rows, alpha")
        if bias == "free":  # averages: the factors of each class sum to 1
            sums = [Fraction(0), Fraction(0)]
            for i, factor in zip(rows, alpha, strict=True):
                sums[self.codes[i]] += factor
            need(min(sums) > 0, "rows of one class only")
            alpha = [a / sums[self.codes[i]] for i, a in zip(rows, alpha, strict=True)]
        self.cancel({"rows": rows, "alpha": alpha, "rivals": None}, upper)

    def check_fewest_errors(self):
        """Both ends of the least cost of errors."""
        c, gone = self.c, items(self.c["removed"], integer)
        costs = [1] * self.n if c["costs"] is None else items(c["costs"], integer, self.n)
        need(len(set(gone)) == len(gone) and all(costs[i] for i in gone), "bad rows removed")
        self.right({i for i in range(self.n) if costs[i]} - set(gone))
        need(sum(costs[i] for i in gone) == integer(c["upper"]), "removed does not cost upper")
        sets = items(c["subsets"], self.cancel)
        for i, j in zip(gone, c["witnesses"], strict=True):
            need(j is None or sets[integer(j)] & set(gone) == {i}, f"row {i} may not be needed")
        lower, worth = integer(c["lower"]), self.worth(c["proof"], sets, costs, set(), set())
        need(lower <= worth and number(c["unit"]) > 0, f"only {worth} is proved, or a bad unit")

    def worth(self, node, sets, costs, D, K):
        """What a node of the proof is worth, if the rows of D are errors and those of K right."""
        if "row" in node:
            r = integer(node["row"])
            need(r not in D | K and r < self.n, f"row {r} is split twice, or is not there")
            kept = self.worth(node["kept"], sets, costs, D, K | {r})
            return min(kept, self.worth(node["removed"], sets, costs, D | {r}, K))
        if "impossible" in node:
            return math.inf if sets[integer(node["impossible"])] <= K else 0
        by = {integer(j): number(m) for j, m in node["multipliers"]}
        need(len(by) == len(node["multipliers"]) and min([0, *by.values()]) == 0, "bad multipliers")
        need(not any(m and sets[j] & D for j, m in by.items()), "a subset has a removed row")
        for r in set().union(*(sets[j] for j in by)) - K:
            need(sum(m for j, m in by.items() if r in sets[j]) <= costs[r], f"row {r}: overloaded")
        return sum(costs[r] for r in D) + math.ceil(sum(by.values()))


def read_csv(file, label):
    """Cells by column, and labels: blanks around either belong to the file."""
    table = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
    at = table[0].index(label) if label in table[0] else int(label or -1)
    labels = [line.pop(at) for line in table]
    text = [not all(re.fullmatch(DECIMAL, cell, re.I) for cell in line) for line in table]
    need(not any(text[1:]) and len(set(map(len, table))) == 1, "no table of numbers")
    start = int(text[0])  # what is no row of numbers is a header
    return [enumerate(line) for line in table[start:]], labels[start:], len(table[0])


def read_svmlight(file):
    """Cells by column, and labels."""
    table = [*filter(None, (line.split("#")[0].split() for line in file))]
    rows = [[(int(j) - 1, v) for j, v in (cell.split(":") for cell in line[1:])] for line in table]
    columns = [[-1, *(j for j, _ in row)] for row in rows]
    need(all(sorted(set(js)) == js for js in columns), "columns do not rise from 1 on")
    return rows, [line[0] for line in table], 1 + max(js[-1] for js in columns)


def read(path, label, d):
    """Rows as {column: value, if not 0}, labels as text, and how many columns there are.

    The last columns of svmlight text may be empty, so d may say how many there are.
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        if path.endswith(".csv"):
            cells, labels, d = read_csv(file, label)
        else:
            cells, labels, width = read_svmlight(file)
            d = d or width
    rows = [{j: v for j, v in ((j, float(text)) for j, text in row) if v} for row in cells]
    need(all(math.isfinite(v) for row in rows for v in row.values()), "a number is not finite")
    return rows, labels, d


def against_rest(labels, positive):
    """Whether each label is one of them, as labels; numbers are compared as numbers."""
    if all(re.fullmatch(DECIMAL, text, re.I) for text in [*labels, positive]):
        return [str(label_number(text) == label_number(positive)) for text in labels]
    return [str(text == positive) for text in labels]


def load():
    """The certificate and the data that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("certificate", "data", "--label", "--positive", "--features"):
        parser.add_argument(name)
    given = parser.parse_args()
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # integers may have as many digits as they need
    with open(given.certificate, encoding="utf-8") as file:
        c = json.load(file)
    weights = c.get("weights", [])
    d = given.features or len(weights[0] if weights and type(weights[0]) is list else weights) - 1
    rows, labels, d = read(given.data, given.label, max(int(d), 0))
    return c, rows, labels if given.positive is None else against_rest(labels, given.positive), d


def main(loaded=None):
    """Print what is found: 0 for proved, 1 for not proved, 2 for what cannot be read."""
    try:
        c, rows, *_ = loaded = load()
        head = c["format"], number(c["version"])
        need(head == ("rosenblatt-certificate", 1), "unknown format")
        getattr(Checker(*loaded), "check_" + c["kind"].replace("-", "_"))()
        within = f": of margins above {epsilon} only" if (epsilon := c.get("epsilon")) else ""
    except Exception as error:
        return print(f"{'not proved' if loaded else 'cannot read'}: {error}") or 2 - bool(loaded)
    return print(f"proved: {c['kind']} of {len(rows)} rows{within}") or 0


if __name__ == "__main__":
    sys.exit(main())
