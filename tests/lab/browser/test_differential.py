"""The page computes what the library computes: its modules in a browser against the public API."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
import random_experiments
from playwright.sync_api import Error

import rosenblatt as rb
from rosenblatt.lab.web.bundle import bundle

ASK = """(all) => JSON.stringify(all.map(([number, experiment]) => {
  const { compute } = modules["js/compute/compute.js"];
  const { run, verdict, proof, section, cost, kernel, python } = compute(experiment);
  const { row, text, ...columns } = run;
  const plain = kernel && { ...kernel, scoresAt: undefined,
    probes: experiment.points.map((p) => kernel.scoresAt(p)) };
  const rows = number % 3 ? null : run.looked.map((_, t) => row(t));
  return { run: { ...columns, rows, end: text(run.weights.length - 1) },
    verdict, proof, section, cost, kernel: plain, python };
}))"""
DRAW = """(all) => all.map(modules["js/compute/cloud.js"].cloud)"""
BATCH = 200
EXTRA = {"product": 1, "squares": 2, "radius": 1}


@pytest.fixture(scope="module")
def page(new_page):
    """An empty page with all modules of the lab."""
    page = new_page()
    page.add_script_tag(content=bundle("js/mount.js"))
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def compute(page):
    """Ask the page's modules about many experiments at once."""

    def ask(experiments):
        found = []
        for at in range(0, len(experiments), BATCH):
            some = list(enumerate(experiments))[at : at + BATCH]
            found += json.loads(page.evaluate(ASK, some))
        return found

    return ask


def features(experiment, rows):
    chosen = experiment["settings"]
    found = []
    for x1, x2, *_ in rows:
        row = [x1, x2]
        row += [x1 * x2] * chosen.get("product", False)
        row += [x1 * x1, x2 * x2] * chosen.get("squares", False)
        row += [x1 * x1 + x2 * x2] * chosen.get("radius", False)
        found.append(row)
    return found


def labels_of(experiment, rows):
    return [experiment["classes"][row[2]] for row in rows]


def trace_of(experiment, rows, init, exact, most):
    chosen = experiment["settings"]
    return rb.trace(
        features(experiment, rows),
        labels_of(experiment, rows),
        classes=experiment["classes"],
        init=init,
        exact=exact,
        threshold=chosen.get("delta", 0),
        eta=chosen.get("eta", 1),
        order=chosen.get("order", "cyclic"),
        ties=chosen.get("ties", "mistake"),
        fit_intercept=chosen["bias"],
        max_passes=most,
        random_state=chosen.get("seed", 0),
    )


def allowed(experiment):
    """The passes that the page records: those asked for, within 2,000 steps."""
    chosen, n = experiment["settings"], len(experiment["points"])
    looks = {"active": 5 * n, "worst": 1 + n // 20}.get(chosen.get("order"), n)
    return max(1, min(chosen.get("max_passes", 100), 2000 // looks))


def bias_last(weights, bias):
    weights = np.asarray(weights).astype(float)
    if bias:
        return np.roll(weights, -1, axis=-1)
    return np.concatenate([weights, np.zeros((*weights.shape[:-1], 1))], axis=-1)


def check_run(experiment, run, written=True):
    """The trace, leg by leg: looks, scores, weights, texts, cycle, stop, all without rounding."""
    points, bias = experiment["points"], experiment["settings"]["bias"]
    joined = [point[3] if len(point) > 3 else 0 for point in points]
    times = sorted(set(joined))
    init = experiment["settings"].get("start")
    most = allowed(experiment)
    looked, scores, cells, done, kept = [], [], [], 0, []
    for at, until in pairwise([*times, 10**9]):
        members = [p for p, when in zip(points, joined, strict=True) if when <= at]
        trace = trace_of(experiment, members, init, run["exact"], most)
        steps = min(until - done, len(trace))
        looked += [step.index for step in trace.steps[:steps]]
        scores += [np.ravel(step.score).astype(float).tolist() for step in trace.steps[:steps]]
        cells += [row[1:] for row in trace.cells()[1 : steps + 1]] if written else []
        marks = [0] * (not kept) + [s.number for s in trace.steps[:steps] if s.mistake]
        kept += bias_last(trace.exact_weights[marks], bias).tolist() if marks else []
        init, done = trace.exact_weights[steps], done + steps
    assert run["looked"] == looked
    assert [np.ravel(score).tolist() for score in run["score"]] == scores
    assert run["weights"] == kept
    assert not written or [row[1:] for row in run["rows"]] == cells
    assert run["stop"]["name"] == trace.stop.name
    if len(times) == 1:
        assert run["end"] == trace.cells()[-1][3]
        assert run["cycle"] == (None if trace.cycle is None else list(trace.cycle))
        history = [row.mistakes for row in trace.run.history]
        assert [made for _, made, whole in run["passes"] if whole] == history
    return trace


def check_script(answer):
    """What "Copy as Python" gives prints the rows of the page."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(answer["python"], {})
    *lines, stop = printed.getvalue().splitlines()
    assert stop == str(rb.Stop[answer["run"]["stop"]["name"]])
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    rows = [row[1:] for row in cells if row != answer["run"]["heading"] and any(row[1:3])]
    assert rows == [row[1:] for row in answer["run"]["rows"]]


def requirement(x, code, rival, classes):
    """The row that a certificate's entry stands for, as fractions."""
    x = [Fraction(value) for value in x]
    if rival is None:
        return x if code else [-value for value in x]
    row = [Fraction(0)] * (len(x) * classes)
    for j, value in enumerate(x):
        row[code * len(x) + j] += value
        row[rival * len(x) + j] -= value
    return row


def check_verdict(experiment, said):
    """The verdict is the library's; its certificate holds in fractions."""
    points = experiment["points"]
    bias = experiment["settings"]["bias"]
    present = sorted({point[2] for point in points})
    if len(present) < 2:
        assert said["verdict"] == "open"
        return
    X = np.array(features(experiment, points), dtype=float)
    y = np.array([present.index(point[2]) for point in points])
    assert said["verdict"] == rb.decide(X, y, fit_intercept=bias).verdict.value
    padded = np.column_stack([X, np.ones(len(X))]) if bias else X
    many = len(present) > 2
    if said["verdict"] == "inseparable":
        rivals = said["rivals"] or [None] * len(said["rows"])
        total = None
        for row, rival, share in zip(said["rows"], rivals, said["alpha"], strict=True):
            assert Fraction(share) > 0
            found = requirement(padded[row], int(y[row]), rival, len(present))
            part = [Fraction(share) * value for value in found]
            total = part if total is None else [a + b for a, b in zip(total, part, strict=True)]
        assert total is not None
        assert not any(total)
        return
    z = [Fraction(value) for value in said["separator"]]
    for x, code in zip(padded, y.tolist(), strict=True):
        rivals = [k for k in range(len(present)) if k != code] if many else [None]
        for rival in rivals:
            row = requirement(x, code, rival, len(present))
            assert sum(a * b for a, b in zip(z, row, strict=True)) > 0
    if not many:
        check_margin(X, y, bias, said)


def check_margin(X, y, bias, said):
    """γ of the bound and the widest slab, from both sides.

    Of points thousands of times as long as the margin, floats know it to some digits only.
    """
    best = rb.margin(X, y, fit_intercept=bias, rtol=1e-9)
    hard = max(np.abs(X).max(), bias) > 1e4 * best.upper
    lower, upper = said["best"]["lower"], said["best"]["upper"]
    assert lower <= best.upper * (1 + 1e-9)
    assert upper >= best.lower * (1 - 1e-9)
    assert upper - lower <= 2e-6 * upper
    model = rb.MaxMargin(bias="free" if bias else "none").fit(X, y)
    np.testing.assert_allclose(said["margin"], [model.margin_] * 2, rtol=1e-3 if hard else 3e-6)
    if hard:
        return
    weights = np.append(model.coef_[0], model.intercept_[0])
    size = np.abs(weights).max()
    np.testing.assert_allclose(np.array(said["slab"]) / size, weights / size, atol=3e-5)
    levels = (2 * y - 1) * (X @ np.array(said["slab"][:-1]) + said["slab"][-1])
    assert levels.min() > 1 - 1e-6
    np.testing.assert_allclose(levels[said["support"]], 1, rtol=1e-5)


def check_proof(experiment, trace, answer):
    """The lines of the proof are those of the trace with that separator."""
    told = answer["proof"]
    if told is None or told["gamma"] is None or not len(trace):
        return
    u = answer["verdict"]["best"]["weights"]
    separator = [u[-1], *u[:-1]] if trace.fit_intercept else u
    frame = trace.to_pandas(separator=separator)
    k = frame["k"].to_numpy()
    near = {"rtol": 1e-9, "atol": 1e-9 * max(told["norms"]) + 1e-300}
    np.testing.assert_allclose(np.array(told["norms"])[k], frame["norm"], **near)
    np.testing.assert_allclose(np.array(told["upper"])[k], frame["upper"], **near)
    np.testing.assert_allclose(np.array(told["along"])[k], frame["inner"], **near)
    # The γ of a trace is that of the points it has looked at.
    if {step.index for step in trace.steps} == set(range(len(experiment["points"]))):
        np.testing.assert_allclose(np.array(told["lower"])[k], frame["lower"], rtol=1e-7, atol=1e-9)
    assert told["norms"][0] or k[-1] <= told["bound"] * (1 + 1e-9)


def check_kept(experiment, answer, trace):
    """The average is the trace's; pocket and vote are those of an estimator's same passes."""
    chosen, run = experiment["settings"], answer["run"]
    points = experiment["points"]
    average = np.array(trace.run.average).astype(float)
    size = max(1e-9, np.abs(average).max())
    np.testing.assert_allclose(
        np.array(run["solutions"]["average"]) / size, average / size, atol=1e-12
    )
    if chosen.get("start") or chosen["order"] != "cyclic" or run["stop"]["name"] == "CYCLES":
        return
    if len({point[2] for point in points}) < len(experiment["classes"]):
        return
    X, y = features(experiment, points), [point[2] for point in points]
    how = {
        "order": chosen["order"], "threshold": chosen["delta"], "eta0": chosen["eta"],
        "ties": chosen["ties"], "fit_intercept": chosen["bias"], "certify": False,
        "max_iter": max(1, len(trace.run.history)), "random_state": chosen["seed"],
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = rb.Perceptron(solution="average", keep=("pocket", "vote"), **how).fit(X, y)
    for name in ("average", "pocket"):
        kept = model.with_solution(name)
        weights = np.column_stack([kept.coef_, kept.intercept_])
        mine = np.atleast_2d(run["solutions"][name])
        size = max(1e-9, np.abs(weights).max())
        np.testing.assert_allclose(mine / size, weights / size, atol=1e-12, err_msg=name)
    test = experiment.get("test", [])
    for name in ("last", "average", "pocket", "vote"):
        kept = model.with_solution(name)
        wrong = [int(np.sum(kept.predict(X) != np.array(y)))]
        if test:
            codes = np.array([point[2] for point in test])
            wrong.append(int(np.sum(kept.predict(features(experiment, test)) != codes)))
        assert run["errors"][name][: len(wrong)] == wrong, name


def check_descent(experiment, answer):
    """Entry by entry, until rounding could decide a point that lies on the line."""
    chosen, run = experiment["settings"], answer["run"]
    start = chosen.get("start")
    if start and chosen["bias"]:
        start = [*start[1:], start[0]]
    points = experiment["points"]
    path = rb.risk.descend(
        X := features(experiment, points),
        [2 * point[2] - 1 for point in points],
        epsilon=chosen["eta"],
        step=chosen["step_size"],
        batch_size=chosen["batch"] if chosen["rule"] == "sgd" else None,
        init=start,
        fit_intercept=chosen["bias"],
        max_iter=min(chosen["max_passes"], 100),
        random_state=chosen["seed"],
    )
    # Steps of short fractions are exact; of others a point may come to lie on the line to rounding,
    # and count as wrong here and not there. Then the rest is another run.
    padded = np.column_stack([X, np.full(len(X), float(chosen["bias"]))])
    for t, (w, mine) in enumerate(zip(path.weights, run["weights"], strict=False)):
        np.testing.assert_allclose(mine, w, atol=1e-9 * (np.abs(w).max() + 1e-9))
        if chosen["step_size"] != "fixed" and t:
            near = np.abs(padded @ w) < 1e-9 * (np.abs(padded) @ np.abs(w) + 1e-300)
            if near.any():
                return
    assert len(run["weights"]) == len(path.weights)
    assert run["mistakes"] == path.errors[: len(run["mistakes"])].tolist()
    np.testing.assert_allclose(run["score"], path.risk[: len(run["score"])], rtol=1e-9, atol=1e-9)
    assert run["stop"]["name"] == path.stop.name


def check_risk(experiment, answer):
    """R along the way is the library's criterion."""
    points, section = experiment["points"], answer["section"]
    if section is None:
        return
    X, signs = features(experiment, points), [2 * point[2] - 1 for point in points]
    at = len(section["path_risk"]) - 1
    weights = np.array(answer["run"]["weights"][at])
    found = rb.risk.criterion(X, signs, weights)
    assert section["path_risk"][at] == pytest.approx(found, rel=1e-9, abs=1e-9)


def check_kernel(experiment, answer):
    """The kernel perceptron of the same order makes the same mistakes and gives the same scores."""
    chosen, told = experiment["settings"], answer["kernel"]
    points = experiment["points"]
    if len({point[2] for point in points}) < 2:
        assert told is None
        return
    kernels = {
        "poly2": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
        "poly3": {"kernel": "poly", "degree": 3, "gamma": 1.0, "coef0": 1.0},
        "rbf": {"kernel": "rbf"},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = rb.KernelPerceptron(
            **kernels[chosen["kernel"]],
            order=chosen["order"],
            threshold=float(chosen["delta"]),
            fit_intercept=chosen["bias"],
            solution="last" if told["stop"] == "SEPARATED" else "average",
            max_iter=allowed(experiment),
            random_state=chosen["seed"],
        ).fit([point[:2] for point in points], [point[2] for point in points])
    scores = model.decision_function([point[:2] for point in points])
    probes = np.array(told["probes"])
    probes = probes[:, 0] if probes.shape[1] == 1 else probes
    size = np.abs(scores).max() + 1e-9
    if told["mistakes"] != model.mistakes_:
        # Points as far apart as others may tie, but for rounding: distances come about differently.
        apart = [(a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a, b in combinations(points, 2)]
        assert chosen["kernel"] == "rbf"
        assert len(set(apart)) < len(apart)
        return
    np.testing.assert_allclose(probes / size, scores / size, atol=1e-9)
    assert told["stop"] == model.stop_.name or told["stop"] == "PASSES"
    for some, wrong in zip((points, experiment.get("test", [])), told["errors"], strict=True):
        if some:
            predicted = model.predict([point[:2] for point in some])
            assert wrong == int(np.sum(predicted != [point[2] for point in some]))


def test_worked_examples_are_the_lectures_number_for_number(compute):
    named = dict(random_experiments.worked_examples())
    assert len(named) >= 8
    named |= {f"preset {name}": one for name, one in random_experiments.presets_of_the_page()}
    assert len(named) >= 8 + 15
    asked = [one for one in named.values() for _ in range(3)]  # rows come with every third
    for experiment, answer in zip(named.values(), compute(asked)[::3], strict=True):
        trace = check_run(experiment, answer["run"])
        check_verdict(experiment, answer["verdict"])
        check_proof(experiment, trace, answer)
        check_script(answer)


def test_page_and_library_agree_on_random_experiments(compute):
    all_of_them = list(random_experiments.experiments())
    assert len(all_of_them) >= 2000
    answers = compute([experiment for _, experiment in all_of_them])
    for number, ((kind, experiment), answer) in enumerate(zip(all_of_them, answers, strict=True)):
        try:
            if kind == "descent":
                check_descent(experiment, answer)
            else:
                trace = check_run(experiment, answer["run"], written=number % 3 == 0)
                if kind != "joining":
                    check_kept(experiment, answer, trace)
                if kind in ("grid", "apart"):
                    check_proof(experiment, trace, answer)
            check_verdict(experiment, answer["verdict"])
            check_risk(experiment, answer)
            if number % 6 == 0 and experiment["settings"].get("step_size", "fixed") == "fixed":
                check_script(answer)
            if kind == "kernel":
                check_kernel(experiment, answer)
        except AssertionError as error:
            error.add_note(f"{kind} {number}: {experiment}")
            raise


def test_hard_data_are_decided_exactly(compute):
    """Margins below the rounding of floats, sizes from a billionth to a million, many repeats."""
    tiny = 2.0**-40
    cases = [
        [[0, 0, 0], [tiny, 0, 1], [1e6, 1, 1]],
        [[1e-9, 1e-9, 0], [2e-9, 1e-9, 1], [1e-9, 2e-9, 1]],
        [[0.1, 0.1, 0], [0.2, 0.2, 1], [0.3, 0.3, 0]],
        [[0.1, 0.3, 0], [0.2, 0.6, 1], [0.3, 0.9, 0], [0.7, 0.2, 1]],
        [[k / 7, (k * k) / 11, k % 2] for k in range(60)],
        [[k / 3, k / 3 + (k % 2) * tiny, k % 2] for k in range(40)],
        [[1, 1, 0]] * 30 + [[1, 1, 1]] * 30,
        [[1e6, -1e6, 0], [1e6, -1e6 + tiny * 2**20, 1], [-1e6, 1e6, 0]],
    ]
    settings = {"bias": True}
    made = [{"classes": ["a", "b"], "points": points, "settings": settings} for points in cases]
    made += [one | {"settings": {"bias": False}} for one in made]
    for experiment, answer in zip(made, compute(made), strict=True):
        X = np.array([p[:2] for p in experiment["points"]], dtype=float)
        y = np.array([p[2] for p in experiment["points"]])
        verdict = rb.decide(X, y, fit_intercept=experiment["settings"]["bias"]).verdict.value
        assert answer["verdict"]["verdict"] == verdict, experiment


def test_random_points_keep_their_margin_and_as_many_labels_are_turned_as_asked(page, compute):
    """What the page draws, it computes as the library does, noise and test set included."""
    asked = [
        {"n": 4 + 3 * k, "margin": (0.1, 0.5, 2)[k % 3], "test": 5 * (k % 4), "seed": k}
        for k in range(24)
    ]
    clean = page.evaluate(DRAW, asked)
    noisy = page.evaluate(DRAW, [one | {"noise": 0.25} for one in asked])
    settings = {"bias": True, "order": "cyclic", "ties": "mistake", "delta": 0, "eta": 1}
    settings |= {"seed": 0, "max_passes": 12}
    made = [one | {"classes": ["a", "b"], "settings": settings} for one in (*clean, *noisy)]
    for experiment, answer in zip(made, compute(made), strict=True):
        trace = check_run(experiment, answer["run"], written=False)
        check_verdict(experiment, answer["verdict"])
        check_kept(experiment, answer, trace)
    turned = total = 0
    for how, plain, other in zip(asked, clean, noisy, strict=True):
        assert (len(plain["points"]), len(plain["test"])) == (how["n"], how["test"])
        both = plain["points"] + plain["test"]
        X, y = np.array([point[:2] for point in both]), [point[2] for point in both]
        assert rb.MaxMargin(bias="free").fit(X, y).margin_ >= how["margin"] - 1e-9
        again = np.array(other["points"] + other["test"])
        np.testing.assert_array_equal(again[:, :2], X)
        turned += int(np.sum(again[:, 2] != y))
        total += len(both)
    assert abs(turned - total / 4) < 4 * (total * 3 / 16) ** 0.5


@pytest.mark.parametrize("bias", [True, False])
def test_a_script_of_descent_goes_on_where_a_point_joins(compute, bias):
    points = [[1, 1, 1], [-1, -1, 0], [2, 0.25, 1], [-0.5, 2, 0, 2]]
    settings = {"rule": "batch", "eta": 0.25, "bias": bias, "max_passes": 20}
    settings["start"] = [1, -2, 2] if bias else [-2, 2]
    experiment = {"classes": ["a", "b"], "points": points, "settings": settings}
    (answer,) = compute([experiment])
    assert answer["run"]["joined"]
    check_script(answer)


def test_numbers_that_overflow_are_refused_and_do_not_hang(compute):
    settings = {"bias": True, "radius": True}
    with pytest.raises(Error, match="too far out to compute with"):
        compute(
            [{"classes": ["a", "b"], "points": [[1e200, 1, 0], [0, 0, 1]], "settings": settings}]
        )
