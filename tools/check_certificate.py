"""Check a certificate in exact arithmetic. Written from docs/certificates.md; shares no code."""
import argparse, csv, hashlib, json, math, re, struct, sys
from fractions import Fraction
HEX, DEC = r"-?0x[0-9a-f]+(/0x[0-9a-f]+|(\.[0-9a-f]*)?p[+-]?\d+)?", r"\s*[-+.\d]+(e[-+]?\d+)?\s*"
def need(condition, message):
    if not condition:
        raise ArithmeticError(message)
def number(v):
    if type(v) is str and re.fullmatch(HEX, v):
        v = float.fromhex(v) if "p" in v else Fraction(*(int(part, 16) for part in v.split("/")))
    need(type(v) in (int, float, Fraction), f"{v!r} is no number")
    return Fraction(v)
def integer(v):
    need(number(v) >= 0 and number(v).denominator == 1, f"{v!r} is no integer from 0")
    return int(number(v))
def items(value, read, length=None):
    need(type(value) is list and length in (None, len(value)), f"no list of {length or 'items'}")
    return [read(item) for item in value]
class Checker:
    def __init__(self, c, table, labels, d):
        known = items(c["classes"], lambda k: k if type(k) is str else Fraction(k))
        need(len(sorted({*known})) == len(known) and type(c["fit_intercept"]) is bool, "bad head")
        values = [t if type(known[0]) is str else Fraction(json.loads(t.lower())) for t in labels]
        need(values and set(values) <= set(known), "no rows, or a label is no class")
        codes, there = list(map(known.index, values)), sorted(set(values))
        self.c, self.n, self.d, self.codes, self.table = c, len(table), d, codes, table
        self.bias, self.K = [(d, 1)] * c["fit_intercept"], (K := len(known))
        self.of = lambda i: [(i, k) for k in ({*range(K)} - {codes[i]} if K > 2 else [None])]
        tokens = [f"{'text' if type(k) is str else 'number'} {k}" for k in there]
        whole = hashlib.sha256(json.dumps([[self.n, d], tokens]).encode())
        whole.update(struct.pack(f"<{self.n}i", *map(there.index, values)))
        columns, cells = [k for row in table for k in row], [row[k] for row in table for k in row]
        for form, part in ("q", list(map(len, table))), ("I", columns), ("d", cells):
            whole.update(hashlib.sha256(struct.pack(f"<{len(part)}{form}", *part)).digest())
        need(c["fingerprint"] in ("", whole.hexdigest()), "the data has another fingerprint")
    def a(self, i, k):  # what row i requires against rival k: {(block, column): value}
        y, x = self.codes[i], [(j, Fraction(v)) for j, v in self.table[i].items()] + self.bias
        need((i, k) in self.of(i), f"row {i} has no rival {k}")
        if self.K <= 2:
            return {(0, j): v if y == self.K - 1 else -v for j, v in x}
        return {(y, j): v for j, v in x} | {(k, j): -v for j, v in x}
    def leads(self, rows, free=False):  # {(row, rival): a·z} and ‖z‖²
        table = self.c["weights"] if self.K > 2 else [self.c["weights"]]
        z = items(table, lambda w: items(w, number, self.d + 1), self.K if self.K > 2 else 1)
        need(self.c["fit_intercept"] or not any(w[-1] for w in z), "a bias without an intercept")
        square = sum(v * v for w in z for v in w[: self.d + (not free)])
        terms = ((term, self.a(*term)) for i in rows for term in self.of(i))
        return {t: sum(v * z[b][j] for (b, j), v in a.items()) for t, a in terms}, square
    def right(self, rows, lower=0, free=False):
        leads, square = self.leads(rows, free)
        for (i, _), lead in leads.items():
            need(lead > 0, f"row {i} is on {'the wrong side' if lead else 'the boundary'}")
            need(lead**2 >= lower**2 * square, f"row {i} does not reach the margin {float(lower)}")
    def cancel(self, c, epsilon=0):  # ‖Aᵀα‖ ≤ epsilon·Σα
        rows, alpha = items(c["rows"], integer), items(c["alpha"], number if epsilon else integer)
        rivals = [None] * len(rows) if c["rivals"] is None else items(c["rivals"], integer)
        terms, total = list(zip(rows, rivals, strict=True)), {}
        need(0 < len(set(terms)) == len(terms) == len(alpha) and min(alpha) > 0, "bad rows, alpha")
        for term, a in zip(terms, alpha):
            for k, v in self.a(*term).items():
                total[k] = total.get(k, 0) + a * v
        need(sum(v * v for v in total.values()) <= (epsilon * sum(alpha))**2, "rows do not cancel")
        return set(rows)
    def check_separation(self):
        lower, upper = items(self.c["margin"], lambda v: math.inf if v is None else number(v), 2)
        need(0 <= lower <= upper and lower < math.inf, "the margin is no bracket")
        self.right(range(self.n), lower)
    def check_weak_separation(self):
        v = self.leads(range(self.n))[0].values()
        need(min(v) >= 0 < max(v), "a row is on the wrong side, or all are on the boundary")
    def check_inseparability(self):
        epsilon, codes = number(self.c["epsilon"]), self.c["codes"]
        self.cancel(self.c, epsilon)
        own = [self.codes[integer(i)] for i in self.c["rows"]]
        need(epsilon >= 0 and (codes is None or items(codes, integer) == own), "bad epsilon, codes")
    def rank(self, rows):
        basis = []
        for row in (self.a(i, None) for i in rows):
            for k, e in basis:
                row = {j: v for j in row | e if (v := row.get(j, 0) - row.get(k, 0) * e.get(j, 0))}
            basis += [(k, {j: v / row[k] for j, v in row.items()}) for k in sorted(row)[:1]]
        return len(basis)
    def check_overlap(self):
        self.check_inseparability()
        spans = self.rank(self.cancel(self.c)) == self.rank(range(self.n))
        need(spans and number(self.c["epsilon"]) == 0, "bad epsilon, or the rows do not span all")
    def check_maximum_margin(self):
        bias, (lower, upper) = self.c["bias"], items(self.c["margin"], number, 2)
        fits = self.c["fit_intercept"] == {"free": True, "padded": True, "none": False}.get(bias)
        need(fits and self.K == 2 and 0 <= lower <= upper, "bad bias, margin or classes")
        self.right(range(self.n), lower, free=bias == "free")
        rows, alpha = items(self.c["rows"], integer), items(self.c["alpha"], number)
        if bias == "free" and len(alpha) == len(rows):  # averages: factors of a class sum to 1
            sums = [sum(a for i, a in zip(rows, alpha) if self.codes[i] == k) for k in (0, 1)]
            alpha = [a / sums[self.codes[i]] for i, a in zip(rows, alpha) if min(*sums, *alpha) > 0]
        self.cancel({"rows": rows, "alpha": alpha, "rivals": None}, upper)
    def check_fewest_errors(self):
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
def read(path, label, d):
    comma, file = path.endswith(".csv"), open(path, newline="", encoding="utf-8")
    table = [*filter(None, csv.reader(file) if comma else (t.split("#")[0].split() for t in file))]
    at = (table[0].index(label) if label in table[0] else int(label or -1)) if comma else 0
    labels = [line.pop(at) for line in table]
    text = [comma and not all(re.fullmatch(DEC, v, re.I) for v in line) for line in table]
    need(not any(text[1:]) and (not comma or len(set(map(len, table))) == 1), "no table of numbers")
    cells = [enumerate(t, 1) if comma else (v.split(":") for v in t) for t in table[text[0] :]]
    rows = [{int(k) - 1: float(v) for k, v in line} for line in cells]
    d = d or (len(table[0]) if comma else 1 + max(k for row in rows for k in row))
    return [{k: row[k] for k in sorted(row) if row[k]} for row in rows], labels[text[0] :], d
def load():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("certificate", "data", "--label", "--positive", "--features"):
        parser.add_argument(name)
    given = parser.parse_args()
    c = json.load(open(given.certificate, encoding="utf-8"))
    rows, labels, d = read(given.data, given.label, int(given.features or 0))
    return c, rows, [t if given.positive is None else str(t == given.positive) for t in labels], d
def main(loaded=None):
    try:
        c, rows, *_ = loaded = load()
        need((c["format"], c["version"]) == ("rosenblatt-certificate", 1), "unknown format")
        getattr(Checker(*loaded), "check_" + c["kind"].replace("-", "_"))()
    except Exception as error:
        return print(f"{'not proved' if loaded else 'cannot read'}: {error}") or 2 - bool(loaded)
    return print(f"proved: {c['kind']} of {len(rows)} rows") or 0
if __name__ == "__main__":
    sys.exit(main())
