"""The lab's answers without a browser: every number is what the library says."""

from __future__ import annotations

import contextlib
import io
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import datasets
from rosenblatt.cost import learning_cost
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.lab import experiment as memory
from rosenblatt.lab import views
from rosenblatt.lab.experiment import PARTS, compute, gif
from rosenblatt.lab.presets import presets
from rosenblatt.lab.request import read
from rosenblatt.lab.settings import STEPS

XOR = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
quarters = st.integers(-16, 16).map(lambda k: k / 4)


@st.composite
def experiments(draw, classes=2, joining=False):
    """Small data on a grid, contradictions and single classes included, and any settings."""
    point = st.tuples(quarters, quarters, st.integers(0, classes - 1)).map(list)
    points = draw(st.lists(point, min_size=1, max_size=9))
    if joining:
        later = draw(st.lists(st.tuples(point, st.integers(0, 30)), min_size=1, max_size=3))
        points += [[*p, at] for p, at in sorted(later, key=lambda pair: pair[1])]
    settings = {
        "order": draw(st.sampled_from(["cyclic", "shuffled", "active", "worst"])),
        "eta": draw(st.sampled_from([1, 0.5, 3])),
        "delta": draw(st.sampled_from([0, 1])),
        "bias": draw(st.booleans()),
        "product": draw(st.booleans()),
        "seed": draw(st.integers(0, 3)),
        "max_passes": draw(st.integers(1, 12)),
    }
    if classes == 2:
        settings["ties"] = draw(st.sampled_from(["mistake", "positive", "negative"]))
    names = ["no", "yes", "maybe"][:classes]
    return {
        "classes": names,
        "points": points,
        "settings": settings,
        "at": draw(st.integers(0, 40)),
    }


def traced(experiment, init=None, points=None, **more):
    """`rosenblatt.trace` of an experiment, asked for as a user would."""
    rows = experiment["points"] if points is None else points
    chosen = experiment["settings"]
    X = [[x1, x2, x1 * x2] if chosen.get("product") else [x1, x2] for x1, x2, *_ in rows]
    renamed = {"delta": "threshold", "bias": "fit_intercept", "seed": "random_state"}
    asked = {renamed.get(name, name): value for name, value in chosen.items() if name != "product"}
    labels = [experiment["classes"][row[2]] for row in rows]
    names = experiment["classes"]
    return rb.trace(X, labels, classes=names, init=init, exact=True, **(asked | more))


def padded_last(weights, bias):
    weights = np.asarray(weights).astype(float)
    if bias:
        return np.roll(weights, -1, axis=-1)
    return np.concatenate([weights, np.zeros((*weights.shape[:-1], 1))], axis=-1)


@given(st.one_of(experiments(), experiments(classes=3)))
def test_page_and_trace_agree(experiment):
    run = compute(experiment)["run"]
    trace = traced(experiment)
    assert run["looked"] == [step.index for step in trace.steps]
    assert run["mistakes"] == [int(step.mistake) for step in trace.steps]
    np.testing.assert_array_equal(
        np.array(run["score"]).reshape(len(trace), -1),
        np.array([np.ravel(step.score) for step in trace.steps]).astype(float),
    )
    kept = [0, *(step.number for step in trace.steps if step.mistake)]
    shown = padded_last(trace.weights[kept], experiment["settings"]["bias"])
    np.testing.assert_array_equal(run["weights"], shown)
    assert [run["heading"], *run["rows"]] == trace.cells()[:-1]
    assert run["text"][-1] == trace.cells()[-1][3]
    assert run["stop"]["name"] == trace.stop.name
    assert run["cycle"] == (None if trace.cycle is None else trace.cycle)


@given(st.one_of(experiments(), experiments(classes=3), experiments(joining=True)))
def test_an_answer_does_not_depend_on_what_was_asked_before(experiment):
    """A walk is remembered without its table where only a section was asked for."""
    memory._walks.clear()
    at_once = compute(experiment)
    memory._walks.clear()
    section = compute(experiment | {"want": ["section"]})
    assert section == {"section": at_once["section"]}
    assert compute(experiment) == at_once  # its table is written now
    assert compute(experiment) == at_once  # and now remembered


def test_remembered_walks_are_few_and_hold_no_steps():
    for k in range(memory.REMEMBERED + 6):
        compute({"points": [[1, 1, 1], [-1, -k, 0]], "want": ["run" if k % 2 else "section"]})
    assert len(memory._walks) == memory.REMEMBERED
    newest = [asked.points[1].x2 for asked in memory._walks]
    assert newest == [-k for k in range(6, memory.REMEMBERED + 6)]
    assert all(leg.source is None for made in memory._walks.values() for leg in made.legs)


@given(st.one_of(experiments(), experiments(classes=3)))
def test_passes_are_those_of_the_run(experiment):
    made = compute(experiment)["run"]["passes"]
    history = traced(experiment).run.history
    assert [mistakes for _, mistakes in made][: len(history)] == [row.mistakes for row in history]
    assert len(made) - len(history) in (0, 1)  # a cycle ends in the middle of a pass


@given(experiments(joining=True))
def test_points_that_join_continue_the_run(experiment):
    """A leg with the points so far, from the weights so far, until the next ones join."""
    run = compute(experiment)["run"]
    joined = [point[3] if len(point) > 3 else 0 for point in experiment["points"]]
    times = sorted(set(joined))
    looked, weights, done = [], None, 0
    for at, until in zip(times, [*times[1:], math.inf], strict=True):
        members = [p for p, when in zip(experiment["points"], joined, strict=True) if when <= at]
        # As many passes as can matter: cutting a run short does not change how it begins.
        trace = traced(experiment, points=members, init=weights)
        steps = int(min(until - done, len(trace)))
        looked += [step.index for step in trace.steps[:steps]]
        weights, done = trace.weights[steps], done + steps
    assert run["looked"] == looked
    last = padded_last(weights, experiment["settings"]["bias"])
    np.testing.assert_array_equal(run["weights"][-1], last)


@given(st.one_of(experiments(), experiments(classes=3), experiments(joining=True)))
def test_the_script_prints_the_same_trace(experiment):
    answer = compute(experiment)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(answer["python"], {})
    *lines, stop = printed.getvalue().splitlines()
    assert stop == str(Stop[answer["run"]["stop"]["name"]])
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    steps = [row[1:] for row in cells if row != answer["run"]["heading"] and any(row[1:3])]
    assert steps == [row[1:] for row in answer["run"]["rows"]]


@given(experiments(joining=True), experiments(), st.data())
def test_the_script_of_a_descent_prints_the_rows_of_the_page(joining, plain, data):
    experiment = data.draw(st.sampled_from([joining, plain]))
    chosen = experiment["settings"]
    settings = {name: chosen[name] for name in ("eta", "bias", "product", "seed", "max_passes")}
    settings["rule"] = data.draw(st.sampled_from(["batch", "sgd"]))
    sizes = ["fixed", "decaying", *["line_search"] * (settings["rule"] == "batch")]
    settings["step_size"] = data.draw(st.sampled_from(sizes))
    settings["batch"] = data.draw(st.integers(1, 5))
    wide = 2 + settings["product"] + settings["bias"]
    start = st.lists(st.integers(-3, 3), min_size=wide, max_size=wide).filter(any)
    settings["start"] = data.draw(st.none() | start)
    experiment = {**experiment, "settings": settings}
    try:
        answer = compute(experiment)
    except InputError as error:
        assume("descent cannot start at weights of 0" not in str(error))
        raise
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(answer["python"], {})
    *lines, stop = printed.getvalue().splitlines()
    assert [line.split(" | ") for line in lines] == [
        answer["run"]["heading"],
        *answer["run"]["rows"],
    ]
    assert stop == str(Stop[answer["run"]["stop"]["name"]])


@given(experiments(), st.lists(st.integers(-3, 3), min_size=4, max_size=4))
def test_the_script_begins_where_the_page_does(experiment, numbers):
    settings = experiment["settings"]
    settings["start"] = numbers[: 2 + settings["product"] + settings["bias"]]
    settings["solution"] = "average"
    answer = compute(experiment)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(answer["python"], {})
    first = printed.getvalue().splitlines()[1].split(" | ")
    assert first[3].strip() == answer["run"]["rows"][0][3] == str(settings["start"])


@pytest.mark.parametrize("rule", ["batch", "sgd"])
@pytest.mark.parametrize("bias", [True, False])
def test_descent_is_the_librarys(rule, bias):
    points = [[1, 2, 1], [3, -1, 0], [-1, -1, 0], [2, 2, 1], [-2, 1, 0]]
    settings = {"rule": rule, "eta": 0.25, "batch": 2, "bias": bias, "seed": 5}
    answer = compute({"points": points, "settings": settings})
    path = rb.risk.descend(
        [p[:2] for p in points],
        [2 * p[2] - 1 for p in points],
        epsilon=0.25,
        batch_size=2 if rule == "sgd" else None,
        fit_intercept=bias,
        max_iter=100,
        random_state=5,
    )
    np.testing.assert_array_equal(answer["run"]["weights"], path.weights)
    assert answer["run"]["mistakes"] == path.errors[:-1].tolist()
    assert answer["run"]["stop"]["name"] == path.stop.name


@pytest.mark.parametrize(("bias", "start"), [(True, [1, 2, 3]), (False, [2, 3])])
def test_descent_is_written_with_the_bias_first(bias, start):
    settings = {"rule": "batch", "bias": bias, "start": start}
    run = compute({"points": [[1, 1, 1], [-1, -1, 0], [1, -2, 1]], "settings": settings})["run"]
    assert run["rows"][0][-1] == run["text"][0] == str(start)
    shown = [float(w) for w in run["text"][-1].strip("[]").split(",")]
    *w, b = run["weights"][-1]
    assert shown == ([b, *w] if bias else w)


def test_the_recording_limit_is_told():
    xor = [[0, 0, 0], [0.3, 1, 1], [1, 0, 1], [1, 1, 0]]
    limited = {"order": "shuffled", "max_passes": 2000, "eta": 0.1}
    said = compute({"points": xor, "settings": limited})["run"]["stop"]["text"]
    assert said.startswith("The lab records at most 2,000 steps")
    said = compute({"points": xor, "settings": {"max_passes": 1}})["run"]["stop"]["text"]
    assert "Passes at most" in said


@pytest.mark.parametrize("size", [5e-324, 1e-300])
def test_coordinates_too_small_to_square_are_refused(size):
    with pytest.raises(InputError, match="must be 0 or at least 1e-100 in size"):
        compute({"points": [[size, size, 1], [-size, -size, 0]]})


@pytest.mark.filterwarnings("ignore:The margin is known")
@pytest.mark.parametrize("product", [False, True])
def test_the_smallest_coordinates_are_computed_with(product):
    points = [[1e-100, 1e-100, 1], [-1e-100, -1e-100, 0]]
    answer = compute({"points": points, "settings": {"product": product}})
    assert answer["verdict"]["margin"][0] > 0


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(InputError, match="text of Unicode"):
        compute({"classes": ["a", "\ud800"], "points": []})


def test_starts_are_written_with_the_bias_first():
    for rule in ("perceptron", "batch"):
        settings = {"rule": rule, "start": [-1, 2, 3]}
        run = compute({"points": [[1, 1, 1], [-1, 0, 0]], "settings": settings})["run"]
        assert run["weights"][0] == [2, 3, -1]


@given(experiments())
def test_verdict_is_decided_and_proved(experiment):
    said = compute(experiment)["verdict"]
    asked = read(experiment)
    if len(set(asked.labels)) < 2:
        assert said["verdict"] == "open"
        return
    decision = rb.decide(asked.X, asked.labels, fit_intercept=asked.settings.bias)
    assert said["verdict"] == str(decision.verdict)
    signs = asked.signs
    if said["verdict"] == "separable":
        w = np.array(said["slab"])
        scores = signs * (asked.X @ w[:-1] + w[-1])
        np.testing.assert_allclose(scores.min(), 1, rtol=1e-6)
        np.testing.assert_allclose(scores[said["support"]], 1, rtol=1e-4)
        np.testing.assert_allclose(said["margin"][0], 1 / np.linalg.norm(w[:-1]), rtol=1e-6)
    else:
        padded = np.column_stack([asked.X, np.ones(len(signs)) * asked.settings.bias])
        alpha = np.array([float(a) for a in said["alpha"]])
        assert (alpha > 0).all()
        rows = said["rows"]
        np.testing.assert_array_equal(alpha @ (signs[rows, None] * padded[rows]), 0)


def test_data_is_decided_as_it_was_compiled_for(monkeypatch):
    """Read-only arrays are another type to the compiler, whose time would be the decision's."""
    seen = []

    def spied(X, y, **settings):
        seen.append(np.asarray(X).flags.writeable)
        return rb.decide(X, y, **settings)

    monkeypatch.setattr(views, "decide", spied)
    views._known.cache_clear()
    compute({"points": [[1, 2, 0], [3, 5, 1]], "want": ["verdict"]})
    assert seen
    assert all(seen)


def test_xor_cycles_and_its_hulls_meet():
    answer = compute({"points": XOR})
    assert answer["run"]["cycle"] == (0, 4)
    assert answer["verdict"]["meeting"] == [0.5, 0.5]
    assert sorted(map(sorted, answer["verdict"]["hulls"])) == [
        [[0.0, 0.0], [1.0, 1.0]],
        [[0.0, 1.0], [1.0, 0.0]],
    ]
    assert compute({"points": XOR, "settings": {"product": True}})["verdict"]["slab"]


@given(experiments(), st.none() | st.lists(quarters, min_size=4, max_size=4))
def test_the_sandwich_holds_at_every_update(experiment, start):
    """u·w₀ + kηγ ≤ u·w ≤ ‖w‖ ≤ √(‖w₀‖² + kη²(R² + 2δ/η)), and k never exceeds the bound."""
    settings = experiment["settings"]
    if start is not None:
        settings["start"] = start[: 2 + settings["bias"] + settings["product"]]
    proof = compute(experiment)["proof"]
    norms, slack = np.array(proof["norms"]), 1e-9
    assert (norms <= np.array(proof["upper"]) * (1 + slack) + slack).all()
    brackets = np.array(proof["bracket"]).reshape(-1, 2)
    assert (brackets[:, 0] <= brackets[:, 1] * (1 + slack) + slack).all()
    if proof["gamma"] is None:
        return
    along, lower = np.array(proof["along"]), np.array(proof["lower"])
    assert (lower <= along + slack * (1 + norms)).all()
    assert (along <= norms * (1 + slack) + slack).all()
    assert len(norms) - 1 <= proof["bound"] * (1 + 1e-6) + 1e-6
    np.testing.assert_allclose(np.diff(along), proof["gain"], atol=1e-9)
    grown = np.array(proof["cross"]) + proof["square"]
    np.testing.assert_allclose(np.diff(norms**2), grown, atol=1e-8)
    delta, eta = proof["delta"], proof["eta"]
    assert (np.array(proof["cross"]) <= 2 * eta * delta + 1e-9).all()  # each was a mistake


def test_the_proof_is_silent_where_it_does_not_speak():
    points = [[1, 1, 1], [-1, -1, 0]]
    assert compute({"points": points, "settings": {"rule": "batch"}})["proof"] is None
    assert compute({"classes": ["a", "b", "c"], "points": points})["proof"] is None


@given(experiments())
def test_the_section_has_the_rows_and_the_risk_along_the_way(experiment):
    """What the page draws of them is in test_page_modules."""
    answer = compute(experiment)
    section, asked = answer["section"], read(experiment)
    bias = asked.settings.bias
    rows = np.column_stack([asked.X, np.full(len(asked.X), bias)]) * asked.signs[:, None]
    np.testing.assert_array_equal(section["rows"], rows)
    assert section["reach"] >= np.abs(np.array(answer["run"]["weights"])[:, :2]).max()
    for z, shown in zip(answer["run"]["weights"], section["path_risk"], strict=True):
        value = rb.risk.criterion(asked.X, asked.signs, z if bias else z[:-1])
        np.testing.assert_allclose(shown, value, rtol=1e-9, atol=1e-9)


@given(st.one_of(experiments(), experiments(classes=3)))
def test_cost_is_that_of_the_looks_and_updates(experiment):
    answer = compute(experiment)
    run = traced(experiment).run
    d = read(experiment).X.shape[1]
    assume(
        experiment["settings"]["order"] != "worst"
        or run.looks == len(run.history) * (len(experiment["points"]) + 1)
    )
    classes = 0 if len(experiment["classes"]) == 2 else 3
    cost = learning_cost(run.looks, run.looks * d, run.updates, run.updates * d, classes=classes)
    assert answer["cost"]["total"][-1] == cost.total


@given(experiments(), st.sampled_from(["average", "pocket", "vote"]))
def test_kept_solutions(experiment, solution):
    """By their definitions, over the weights that each step was taken with."""
    trace = traced(experiment)
    experiment["settings"]["solution"] = solution
    kept = compute(experiment)["run"]["kept"]
    asked = read(experiment)
    after = padded_last(trace.weights, asked.settings.bias)
    padded = np.column_stack([asked.X, np.ones(len(asked.X))])
    if solution == "average":
        np.testing.assert_allclose(kept["weights"], after[1:].mean(axis=0), atol=1e-9)
    elif solution == "pocket":
        errors = np.sum(asked.signs * (after @ padded.T) <= 0, axis=1)
        mine = np.sum(asked.signs * (padded @ kept["weights"]) <= 0)
        assert any(np.array_equal(kept["weights"], w) for w in after)
        assert mine <= errors[-1]
    else:
        left, right, bottom, top = kept["box"]
        for i, x1 in ((0, left), (48, right)):
            for j, x2 in ((0, bottom), (48, top)):
                row = [x1, x2, x1 * x2, 1] if asked.settings.product else [x1, x2, 1]
                outcome = np.where(after[1:] @ row >= 0, 1, -1).sum()
                assert kept["votes"][j][i] == (outcome >= 0)


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset["name"])
def test_presets_run(preset):
    answer = compute(preset["experiment"])
    assert json.loads(json.dumps(answer, allow_nan=False)).keys() == PARTS.keys()
    assert answer["run"]["rows"]
    assert preset["title"]
    assert preset["text"]


@pytest.mark.parametrize("name", ["five_points", "six_points", "two_points_moved", "xor"])
def test_lectures_end_where_they_do(name):
    experiment = next(p["experiment"] for p in presets() if p["name"] == name)
    data = datasets.load(name)
    trace = rb.trace(data.X, data.y, **data.settings)
    assert compute(experiment)["run"]["text"][-1] == trace.cells()[-1][3]


def test_random_points_keep_their_margin():
    for margin in (0.1, 0.5, 2):
        asked = {"random": {"n": 60, "margin": margin, "seed": 3}, "settings": {"bias": False}}
        answer = compute(asked)
        assert len(answer["points"]) == 60
        assert answer["verdict"]["margin"][0] >= margin
        assert answer["run"]["exact"]


def test_only_what_is_wanted():
    assert compute({"points": XOR, "want": ["section"]}).keys() == {"section"}
    assert compute({"points": []})["run"]["weights"] == [[0, 0, 0]]


def test_the_multiclass_example_starts_at_its_matrix():
    """Scores 11, 13 and 8 of the lecture, which writes the bias last."""
    one = next(preset for preset in presets() if preset["name"] == "one_point")["experiment"]
    answer = compute(one)
    assert answer["run"]["score"] == [[11, 13, 8]]
    assert answer["run"]["weights"][1] == [[-2, 2, 1], [2, 0, 3], [-1, 7, -1]]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(answer["python"], {})
    assert answer["run"]["text"][0] in printed.getvalue()
    nobody = compute({**one, "points": []})["run"]
    assert nobody["weights"] == answer["run"]["weights"][:1]


def test_errors_of_each_solution_are_those_of_the_estimator():
    """Noise, a test set, and what the four solutions get wrong there."""
    drawn = {"n": 40, "margin": 0.5, "noise": 0.2, "test": 50, "seed": 5}
    settings = {"max_passes": 7, "order": "cyclic"}
    answer = compute({"random": drawn, "settings": settings, "want": ["points", "test", "run"]})
    points, test = np.array(answer["points"]), np.array(answer["test"])
    assert (len(points), len(test)) == (40, 50)
    for solution, (training, testing) in answer["run"]["errors"].items():
        clf = rb.Perceptron(
            solution=solution, max_iter=7, order="cyclic", tol=None, certify=False
        ).fit(points[:, :2], points[:, 2])
        wrong = [np.count_nonzero(clf.predict(a[:, :2]) != a[:, 2]) for a in (points, test)]
        assert [training, testing] == wrong, solution
    clean = compute({"random": drawn | {"noise": 0}, "want": ["points", "test"]})
    assert [p[:2] for p in clean["test"]] == [p[:2] for p in answer["test"]]
    assert [p[2] for p in clean["test"]] != [p[2] for p in answer["test"]]


def test_a_gif_of_the_run():
    points = [[1, 1, 1], [-1, -1, 0], [2, 0, 1], [0, -2, 0, 3]]
    assert gif({"points": points}).startswith(b"GIF89a")
    assert gif({"points": points, "settings": {"start": [1, -2, 0]}}).startswith(b"GIF89a")
    with pytest.raises(rb.InputError, match="no further feature"):
        gif({"points": points, "settings": {"product": True}})
    with pytest.raises(rb.InputError, match="both classes"):
        gif({"points": []})


def test_the_largest_experiment_is_bounded():
    rng = np.random.default_rng(0)
    points = [[*rng.uniform(-5, 5, 2).tolist(), int(k % 2)] for k in range(500)]
    for order in ("cyclic", "active", "worst"):
        run = compute({"points": points, "settings": {"order": order, "max_passes": 2000}})["run"]
        assert len(run["looked"]) <= STEPS + 500
        assert not run["exact"]


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        ([], "must be an object"),
        ({"hack": 1}, "has no 'hack'"),
        ({"points": {}}, "must be a list"),
        ({"points": [[1, 2]]}, r"points\[0\] must be"),
        ({"points": [[1, 2, 5]]}, r"points\[0\]\[2\]"),
        ({"points": [[math.nan, 2, 1]]}, r"points\[0\]\[0\]"),
        ({"points": [[math.inf, 2, 1]]}, r"points\[0\]\[0\]"),
        ({"points": [[1e300, 2, 1]]}, r"points\[0\]\[0\]"),
        ({"points": [["1", 2, 1]]}, r"points\[0\]\[0\]"),
        ({"points": [[True, 2, 1]]}, r"points\[0\]\[0\]"),
        ({"points": [[1, 2, 1]] * 501}, "500 points at most"),
        ({"points": [[1, 2, 1, 5], [1, 2, 1]]}, "must come later"),
        ({"points": [[1, 2, 1, k] for k in range(30)]}, "20 different steps"),
        ({"classes": ["a"]}, "2 to 5 names"),
        ({"classes": ["a", "a"]}, "different names"),
        ({"classes": ["a", "b" * 50]}, "1 to 40 letters"),
        ({"settings": {"order": "random"}}, "order must be one of"),
        ({"settings": {"order": ["cyclic"]}}, "order must be one of"),
        ({"settings": {"eta": 0}}, "eta must be a number"),
        ({"settings": {"delta": -1}}, "delta must be"),
        ({"settings": {"bias": 1}}, "true or false"),
        ({"settings": {"max_passes": 10**9}}, "max_passes"),
        ({"settings": {"start": [1]}}, "start must be 3 numbers, the bias first"),
        ({"settings": {"start": [[1, 2, 3], [1, 2, 3]]}}, "start must be 3 numbers.*got 2 rows"),
        ({"settings": {"start": [1, [2], 3]}}, r"start\[1\] must be a number"),
        ({"classes": ["a", "b", "c"], "settings": {"start": [1, 2, 3]}}, "3 rows of 3.*one row"),
        (
            {"classes": ["a", "b", "c"], "settings": {"start": [[1, 2, 3], [1, 2], [0, 0, 0]]}},
            "such as 0, 0, 0; 0, 0, 0; 0, 0, 0; got rows of 3, 2, 3",
        ),
        ({"settings": {"nonsense": 1}}, "settings has no 'nonsense'"),
        ({"settings": {"rule": "sgd", "step_size": "line_search"}}, "line search"),
        ({"classes": ["a", "b", "c"], "settings": {"rule": "batch"}}, "two classes"),
        ({"points": [[1, 1, 1]], "settings": {"ties": "correct"}}, "start other than 0"),
        ({"at": -1}, "at must be"),
        ({"want": "run"}, "want must be"),
        ({"want": ["secrets"]}, "no part 'secrets'"),
        ({"random": {"n": 10**9}}, "random.n"),
        ({"random": {"margin": 9}}, "random.margin"),
    ],
)
def test_what_is_no_experiment_is_refused(experiment, message):
    with pytest.raises(rb.InputError, match=message):
        compute(experiment)
