"""Nasty problems and forged certificates, checked against `oracle`: run it as long as you like.

``python tests/adversarial.py 600`` (or ``make soak SECONDS=600``) makes problems for 600 seconds,
prints what it counted, and keeps each problem with a wrong answer as a file in ``tests/found``,
which ``test_soak.py`` asks again from then on.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq
from scipy import sparse

import forging
import oracle
import rosenblatt as rb
from rosenblatt.engine.stopping import Stop, Verdict

FOUND = Path(__file__).parent / "found"
# Larger problems have too many supports to look at each.
MOST_ROWS_FOR_MARGIN, MOST_GAPS = 8, 12


@dataclass(frozen=True)
class Problem:
    """Labelled rows, how they are held, and whether there is a bias."""

    X: list[list[float]]
    y: list[int]
    fit_intercept: bool
    csr: bool

    @property
    def classes(self) -> int:
        return max(self.y) + 1

    @cached_property
    def rows(self) -> Any:
        dense = np.array(self.X)
        return sparse.csr_array(dense) if self.csr else dense

    @cached_property
    def signed(self) -> list[Any]:
        return oracle.signed_rows(self.X, self.y, self.fit_intercept, self.classes)

    @cached_property
    def separator(self) -> Any:
        return oracle.separates(self.signed)

    @cached_property
    def decision(self) -> Any:
        return rb.decide(self.rows, self.y, fit_intercept=self.fit_intercept)

    @property
    def separable(self) -> bool:
        return self.separator is not None

    @cached_property
    def margin_square(self) -> fmpq | None:
        """γ², where it is affordable."""
        if self.classes > 2 or len(self.y) > MOST_ROWS_FOR_MARGIN:
            return None
        return oracle.best_margin_square(self.X, self.y, self.fit_intercept)


def some_problem(rng: random.Random) -> Problem:
    """A small problem of one of the kinds that rounding has been wrong about."""
    d, k = rng.randint(1, 3), rng.choice((2, 2, 3, 4))
    n = rng.randint(k, 10)
    entry = rng.choice(KINDS)(rng, d)
    X = [[entry(j) for j in range(d)] for _ in range(n)]
    y = [i if i < k else rng.randrange(k) for i in range(n)]
    if rng.random() < 0.5:
        y = _labelled(X, k, rng) or y
    for _ in range(rng.choice((0, 0, 1, 3))):
        i = rng.randrange(len(X))
        X.append(list(X[i]))
        y.append(y[i] if rng.random() < 0.8 else rng.randrange(k))
    order = rng.sample(range(len(X)), len(X))
    return Problem(
        [X[i] for i in order], [y[i] for i in order], rng.random() < 0.5, rng.random() < 0.5
    )


def _labelled(X: list[list[float]], k: int, rng: random.Random) -> list[int] | None:
    """Labels that random weights give, so that many problems are separable, most of them barely."""
    sizes = [max((abs(x[j]) for x in X), default=0.0) or 1.0 for j in range(len(X[0]))]
    table = [
        [rng.randint(-3, 3) / size if size > 1e-300 else 0.0 for size in sizes] for _ in range(k)
    ]
    y = [max(range(k), key=lambda c: sum(map(float.__mul__, table[c], x))) for x in X]
    return y if len(set(y)) == k else None


def _anywhere(rng: random.Random, d: int) -> Callable[[int], float]:
    """Each entry of a scale of its own."""
    return lambda j: (
        rng.choice((-1, 0, 1, 1, 2, -3))
        * 10.0 ** rng.choice((0, 0, rng.randint(-20, 20), rng.randint(-300, 145)))
    )


def _columns(rng: random.Random, d: int) -> Callable[[int], float]:
    """Each column of a scale of its own."""
    scales = [
        10.0 ** rng.choice((0, rng.randint(-12, 12), rng.randint(-300, 140))) for _ in range(d)
    ]
    return lambda j: scales[j] * rng.choice((rng.randint(-3, 3), rng.gauss(0, 1)))


def _denormal(rng: random.Random, d: int) -> Callable[[int], float]:
    """Numbers at and below the least normal one, by themselves or beside others."""
    other = rng.choice((0.0, 1.0, 1e-160))
    return lambda j: rng.choice((rng.randint(-4, 4) * 2.0 ** rng.randint(-1074, -1020), other))


def _ulps(rng: random.Random, d: int) -> Callable[[int], float]:
    """Numbers a few roundings from each other."""
    at = [rng.choice((1.0, 3.0, 0.1, 1e10, 1e-10, 1e-300)) for _ in range(d)]
    return lambda j: at[j] + rng.randint(-2, 2) * float(np.spacing(at[j]))


def _integers(rng: random.Random, d: int) -> Callable[[int], float]:
    largest = rng.choice((1, 3, 50))
    return lambda j: float(rng.randint(-largest, largest))


def _normal(rng: random.Random, d: int) -> Callable[[int], float]:
    scale = 10.0 ** rng.choice((0, 0, 3, -8, -150, -162, -288, 100))
    return lambda j: scale * rng.gauss(0, 1)


KINDS = (_anywhere, _columns, _denormal, _ulps, _integers, _normal)


Complaints = Iterator[str]


def _holds(problem: Problem, certificate: Any, verdict: Verdict) -> Complaints:
    """A certificate is true, says so, survives JSON, and is of the verdict."""
    if certificate is None:
        yield f"{verdict} without a certificate"
        return
    wanted = "separation" if verdict is Verdict.SEPARABLE else "inseparability"
    if certificate.kind != wanted or (wanted != "separation" and certificate.epsilon):
        yield f"{verdict} beside {certificate!r}"
    content = json.loads(certificate.to_json())
    if not oracle.is_true(content, problem.X, problem.y, certificate.fingerprint):
        yield f"the certificate is false: {content}"
    for proof in (certificate, type(certificate).from_json(certificate.to_json())):
        outcome = proof.verify(problem.rows, problem.y)
        if not outcome:
            yield f"verify: {outcome.reason}"


def _brackets(bracket: Any, square: fmpq | None) -> Complaints:
    if square is None:
        return
    lower, upper = (oracle.rational(min(end, 1e300)) for end in bracket)
    if not lower**2 <= square:
        yield f"the margin is below {bracket!r}"
    if bracket.upper < 1e300 and not square <= upper**2:
        yield f"the margin is above {bracket!r}"


def check_decide(problem: Problem) -> Complaints:
    decision = problem.decision
    if decision.separable is not problem.separable:
        yield f"decide says {decision.verdict}"
    yield from _holds(problem, decision.certificate, decision.verdict)
    yield from _brackets(decision.margin, problem.margin_square)


def check_fit(problem: Problem) -> Complaints:
    clf = rb.Perceptron(fit_intercept=problem.fit_intercept).fit(problem.rows, problem.y)
    if clf.verdict_ is Verdict.UNDECIDED:
        if clf.stop_ in (Stop.SEPARATED, Stop.INSEPARABLE):
            yield f"undecided, yet {clf.stop_.name}"
    else:
        if (clf.verdict_ is Verdict.SEPARABLE) is not problem.separable:
            yield f"fit says {clf.verdict_}"
        yield from _holds(problem, clf.certificate_, clf.verdict_)
    yield from _brackets(clf.margin_, problem.margin_square)
    if clf.stop_ is Stop.SEPARATED_OVERFIT:  # the mean predicts
        clf = clf.with_solution("separator")
    score = clf.score(problem.rows, problem.y)
    if clf.verdict_ is Verdict.SEPARABLE and score < 1:
        yield f"separable, scores {score}"
    if clf.verdict_ is Verdict.SEPARABLE and clf.mistakes_ > clf.mistake_bound_:
        # After a decision the bound is on what a perceptron would make; it holds for any order.
        yield f"{clf.mistakes_} mistakes, bound {clf.mistake_bound_!r}"


def check_margin(problem: Problem) -> Complaints:
    if problem.margin_square is None:
        return
    bracket = rb.margin(problem.rows, problem.y, fit_intercept=problem.fit_intercept)
    yield from _brackets(bracket, problem.margin_square)
    if not problem.separable and bracket != (0.0, 0.0):
        yield f"inseparable, margin in {bracket!r}"


def check_max_margin(problem: Problem) -> Complaints:
    sizes = [problem.y.count(k) for k in (0, 1)]
    if problem.margin_square is None or sizes[0] * sizes[1] > MOST_GAPS:
        return
    bias = "free" if problem.fit_intercept else "none"
    try:
        clf = rb.MaxMargin(bias=bias).fit(problem.rows, problem.y)
    except rb.NotSeparableError as error:
        if problem.separable:
            yield "MaxMargin refuses separable data"
        yield from _holds(problem, error.certificate, Verdict.INSEPARABLE)
        return
    if not problem.separable:
        yield "MaxMargin separates inseparable data"
        return
    free = oracle.slab_square(problem.X, problem.y) if bias == "free" else problem.margin_square
    yield from _brackets(clf.bracket_, free)


def check_kind(problem: Problem) -> Complaints:
    if problem.classes > 2:
        return
    found = rb.separation_kind(problem.rows, problem.y, fit_intercept=problem.fit_intercept)
    if not found.verify(problem.rows, problem.y):
        yield f"verify: {found.verify(problem.rows, problem.y).reason}"
    strict = [oracle.cone_reaches(problem.signed, row) for row in problem.signed]
    kind = "complete" if problem.separable else "quasi-complete" if any(strict) else "overlap"
    if str(found.kind) != kind:
        yield f"kind {found.kind}, not {kind}"
    if found.strict.tolist() != strict:
        yield f"strict rows {found.strict.tolist()}, not {strict}"
    for j, estimate in enumerate(found.coefficients.values()):
        true = _estimate(problem, j)
        if str(estimate) != true:
            yield f"coefficient {j} is {estimate}, not {true}"


def _estimate(problem: Problem, j: int) -> str:
    rows = problem.signed
    unit = [fmpq(int(i == j)) for i in range(len(rows[0]))]
    if oracle.rank([*rows, unit]) > oracle.rank(rows):
        return "not identified"
    plus = oracle.cone_reaches(rows, unit)
    minus = oracle.cone_reaches(rows, [-v for v in unit])
    return {(True, True): "±∞", (True, False): "+∞", (False, True): "−∞"}.get(
        (plus, minus), "finite"
    )


def check_forged(problem: Problem) -> Complaints:
    """A mutated certificate is accepted exactly if what it says is still true."""
    proofs: list[Any] = [problem.decision.certificate]
    if problem.classes == 2 and not problem.separable:
        kind = rb.separation_kind(problem.rows, problem.y, fit_intercept=problem.fit_intercept)
        proofs += [p for p in (kind.separation, kind.inseparability) if p is not None]
    rng = random.Random(repr(problem))
    for proof in proofs:
        content = json.loads(proof.to_json())
        for _ in range(6):
            forged = forging.forged(content, problem.y, len(problem.X), rng)
            yield from judge(problem, forged, proof.fingerprint)


def judge(problem: Problem, forged: dict[str, Any], fingerprint: str) -> Complaints:
    """Compare `verify` with the oracle."""
    from rosenblatt.certificate import Certificate

    try:
        proof = Certificate.from_json(json.dumps(forged))
    except rb.CertificateError:
        COUNTS["forged certificates unreadable"] += 1
        return
    COUNTS["forged certificates"] += 1
    true = oracle.is_true(json.loads(proof.to_json()), problem.X, problem.y, fingerprint)
    COUNTS["forged certificates still true"] += true
    outcome = proof.verify(problem.rows, problem.y)
    if outcome.ok is not true:
        wrong = "refused though true" if true else "accepted though false"
        yield f"{wrong}: {forged}; {outcome.reason}"


CHECKS: dict[str, Callable[[Problem], Complaints]] = {
    "decide": check_decide,
    "fit": check_fit,
    "margin": check_margin,
    "max_margin": check_max_margin,
    "kind": check_kind,
    "forged": check_forged,
}
COUNTS: Counter[str] = Counter()


def complaints(name: str, problem: Problem) -> list[str]:
    """What a check finds wrong; an exception is wrong too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(CHECKS[name](problem))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        where = " > ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames)
        return [f"raised {type(error).__name__}: {error} ({where})"]


def keep(name: str, problem: Problem, said: list[str], folder: Path = FOUND) -> Path:
    """Write a problem with a wrong answer to a file, which is a test from then on."""
    folder.mkdir(exist_ok=True)
    content = {"check": name, "problem": asdict(problem), "said": said}
    digest = hashlib.sha256(repr(problem).encode()).hexdigest()[:10]
    path = folder / f"{name}-{digest}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path


def soak(seconds: float, seed: int, report: Callable[[str], None] = print) -> int:
    """Make problems for so long; how many had a wrong answer."""
    rng, end = random.Random(seed), time.monotonic() + seconds
    wrong, told = 0, time.monotonic()
    while time.monotonic() < end:
        problem = some_problem(rng)
        COUNTS["problems"] += 1
        COUNTS["separable"] += problem.separable
        for name in CHECKS:
            said = complaints(name, problem)
            COUNTS[f"asked {name}"] += 1
            if said:
                wrong += 1
                COUNTS[f"wrong {name}"] += 1
                report(f"{keep(name, problem, said)}: {said[0]}")
        if time.monotonic() > told + 60:
            told = time.monotonic()
            report(f"{COUNTS['problems']:,} problems, {wrong} wrong")
    for name, count in COUNTS.items():
        report(f"{name:32} {count:10,}")
    return wrong


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    print(f"seed {first}", flush=True)
    sys.exit(bool(soak(length, first, lambda line: print(line, flush=True))))
