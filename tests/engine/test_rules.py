"""Rules: their base, the code that they are compiled from, and that no stale code is ever run."""

import os
import pickle
import runpy
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine import rules
from rosenblatt.engine.loop import learn
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.points import exact_points, make_points
from rosenblatt.engine.rules import Multiclass, PerceptronRule, Rule, State
from rosenblatt.engine.rules.passive_aggressive import make_passive_aggressive
from rosenblatt.engine.stopping import Stop
from rosenblatt.engine.sweep import CompiledSweep, zero_state

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_rule.py"


@pytest.fixture(scope="module")
def relaxation():
    """The rule of the example."""
    return runpy.run_path(str(EXAMPLE))["Relaxation"]


def test_a_rule_is_a_named_tuple_with_defaults():
    rule = PerceptronRule(2.0)
    assert rule == (2.0, True, True)
    assert repr(rule) == "PerceptronRule(threshold=2.0, tie_negative=True, tie_positive=True)"
    assert rule._replace(threshold=1.0).threshold == 1.0
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert type(pickle.loads(pickle.dumps(rule))) is PerceptronRule
    assert (rule.per_class, rule.share, rule.owes_penalty) == (False, 0.0, False)
    assert np.isnan(rule.least_margin)
    assert rule.with_least_margin().least_margin == np.inf
    plain = make_passive_aggressive(2)
    assert (plain.threshold, plain.is_plain, plain.with_least_margin()) == (0.0, False, plain)
    assert PerceptronRule().is_plain
    assert Multiclass().is_plain
    assert not rule.is_plain


def test_a_rule_that_is_none_says_so():
    class Idle(Rule):
        speed: float

    with pytest.raises(NotImplementedError, match=r"Idle has no step\(rule, points, i, state\)"):
        rules.step(Idle(1.0), None, 0, None)
    with pytest.raises(TypeError, match="speed"):
        Idle()
    with pytest.raises(TypeError, match="Slow derives from Idle: make that a parameter"):

        class Slow(Idle):
            pass

    with pytest.raises(TypeError, match="default"):

        class Bad(Rule):
            first: float = 1.0
            second: float


integers = st.integers(-5, 5)


@given(
    st.lists(st.lists(integers, min_size=2, max_size=2), min_size=2, max_size=8, unique_by=tuple),
    st.tuples(integers, integers, integers),
    st.sampled_from([0.5, 1.0, 1.75]),
)
def test_the_rule_of_the_example_keeps_its_promise(relaxation, rows, normal, factor):
    """‖w − u‖² starts at ‖u‖², and each update takes λ(2 − λ)/R² off it."""
    padded = np.column_stack([np.array(rows, float), np.ones(len(rows))])
    scores = padded @ np.array(normal, float)
    padded, scores = padded[scores != 0], scores[scores != 0]
    if not len(scores):
        return
    y = np.sign(scores)
    u = np.array(normal) / np.abs(scores).min()
    run = learn(CompiledSweep(make_points(padded[:, :2], y), relaxation(factor)))
    radius = np.square(padded).sum(axis=1).max()
    assert run.stop is Stop.SEPARATED
    assert run.updates <= radius * (u @ u) / (factor * (2 - factor)) * (1 + 1e-9)


def test_the_rule_of_the_example_runs_in_plain_python_over_fractions(relaxation):
    X, y = [[2, 1], [1, 3], [-1, -2], [0, -1]], [1, 1, -1, -1]
    points = exact_points(X, y)
    zeros = [[Fraction(0)] * 3, [Fraction(0)] * 3, [Fraction(0)] * 4, [Fraction(0)] * 4]
    exact = State(*zeros, [0], [])
    tally = rules.cycle(relaxation(Fraction(1, 2)), points, range(4), 20, 100, exact)
    fast = learn(
        CompiledSweep(make_points(np.array(X, float), np.array(y, float)), relaxation(0.5)),
        order="cyclic",
    )
    assert tally.last == 0
    assert tally.updates == fast.updates
    np.testing.assert_allclose(fast.weights, np.array(exact.weights, dtype=float))


SCRIPT = """
import numpy as np
from package.rule import Doubled
from rosenblatt.engine import rules
from rosenblatt.engine.sweep import zero_state
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.points import make_points
points = make_points(np.array([[3.0]]), np.array([1.0]))
for cycle in (dispatcher(rules.cycle), rules.cycle):
    state = zero_state(points)
    cycle(Doubled(1.0), points, np.arange(1), 1, 1, state)
    print(state.weights[0])
print(dispatcher(rules.cycle).made)
"""
RULE = """
from package import helpers
from rosenblatt.engine.rules import Rule, move
class Doubled(Rule):
    scale: float
    def step(rule, points, i, state):
        move(points, i, rule.scale * helpers.length(1.0), state)
        return 1.0
"""
HELPERS = "def length(x):\n    return inner(x)\ndef inner(x):\n    return 2.0 * x\n"


def test_an_edited_rule_or_helper_is_compiled_anew(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    files = {"__init__": "", "rule": RULE, "helpers": HELPERS}
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        # Python's own cache takes an edit of the same length within a second for none.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(tmp_path),
    }

    def said(**edited):
        for name, text in edited.items():
            (package / f"{name}.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return [float(word) for word in done.stdout.split()]

    assert said(**files) == [6.0, 6.0, 1]
    assert said() == [6.0, 6.0, 0]
    assert said(helpers=HELPERS.replace("2.0", "3.0")) == [9.0, 9.0, 1]
    assert said(rule=RULE.replace("rule.scale *", "rule.scale +")) == [12.0, 12.0, 1]


# Cells of a notebook, and which of them are run again; each time the rule moves by another number.
CELLS = {
    "inner": "def inner(x):\n    return 2.0 * x",
    "length": "def length(x):\n    return inner(x)",
    "rule": """
from rosenblatt.engine.rules import Rule, move
class Doubled(Rule):
    scale: float
    def step(rule, points, i, state):
        move(points, i, rule.scale * length(1.0), state)
        return 1.0
""",
}


@pytest.mark.parametrize(
    "again", [("inner",), ("inner", "rule"), ("inner", "length"), ("inner", "length", "rule")]
)
def test_a_cell_that_is_run_again_counts_at_once(again):
    """numba would go on with the functions that it has compiled."""
    space = {"__name__": "notebook"}

    def moved():
        points = make_points(np.array([[3.0]]), np.array([1.0]))
        state = zero_state(points)
        dispatcher(rules.cycle)(space["Doubled"](1.0), points, np.arange(1), 1, 1, state)
        return state.weights[0]

    for cell in CELLS.values():
        exec(cell, space)
    assert moved() == 6.0
    for name in again:
        exec(CELLS[name].replace("2.0", "5.0"), space)
    if again == ("inner", "length", "rule"):  # all of it is new, and compiled
        assert moved() == 15.0
    else:
        with pytest.warns(RuntimeWarning, match=r"changed after it had been compiled"):
            assert moved() == 15.0
    exec(CELLS["inner"].replace("2.0", "7.0"), space)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        assert moved() == 21.0
