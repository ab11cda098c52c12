"""The benchmarks' arithmetic is right, and every script can be asked. Nothing is timed here."""

from __future__ import annotations

import importlib
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

from children import until

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def load(name):
    """A benchmark's module, by its file."""
    module = importlib.import_module(name)
    assert Path(module.__file__).parent == FOLDER
    return module


NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_every_script_is_imported_without_running(name, capsys):
    load(name)
    assert capsys.readouterr().out == ""


def test_every_script_that_is_run_alone_has_its_question():
    questions = load("run").scripts(FOLDER)
    alone = {
        name
        for name in NAMES
        if 'if __name__ == "__main__"' in (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    }
    assert set(questions) == alone - {"run"}
    assert all(len(question) > 5 for question in questions.values())
    assert len(set(questions.values())) == len(questions)


def test_answers_stand_in_a_fixed_order_and_new_scripts_after_the_known(tmp_path):
    run = load("run")
    for name in ("zebra", "decide", "one_pass", "aardvark"):
        (tmp_path / f"{name}.py").write_text(f'QUESTION = "{name}?"\n\n\ndef main():\n    pass\n')
    (tmp_path / "aardvark.py").write_text("def main():\n    heading('aardvark?')\n")
    (tmp_path / "helper.py").write_text("def main():\n    pass\n")
    (tmp_path / "words.py").write_text('QUESTION = "but nothing that answers it"\n')
    assert list(run.scripts(tmp_path)) == ["one_pass", "decide", "aardvark", "zebra"]


def timing(*seconds):
    return load("harness").Timing.of(seconds)


def test_a_timing_is_the_median_with_its_spread():
    made = timing(0.003, 0.001, 0.002, 0.010, 0.004)
    assert (made.median, made.fastest, made.slowest, made.runs) == (0.003, 0.001, 0.010, 5)
    assert str(made) == "3 ms [1, 10]"
    assert str(timing(2.0)).endswith("(1 run)")


def test_a_ratio_is_theirs_over_ours_and_unknown_where_one_is_absent():
    harness = load("harness")
    times = {"ours": timing(1.0, 2.0, 9.0), "theirs": timing(5.0, 6.0, 7.0)}
    assert harness.ratio(times, "ours", "theirs") == 3.0
    assert math.isnan(harness.ratio(times, "ours", "nobody"))
    assert harness.factor(math.nan) == harness.cell(times, "nobody") == "absent"
    assert harness.factor(3.0) == "3.00"


def test_a_pass_is_what_more_passes_cost():
    harness = load("harness")
    times = {"1": timing(3.0, 4.0, 9.0), "11": timing(23.0, 14.0, 39.0)}
    made = harness.per_pass(times, "1", "11", 10)
    assert (made.median, made.fastest, made.slowest) == (2.0, 1.0, 3.0)
    assert str(harness.per_pass(times, "1", "nobody", 10)) == "absent"


def test_the_geometric_mean_leaves_out_what_is_unknown():
    harness = load("harness")
    assert harness.geometric_mean([2.0, 8.0, math.nan]) == pytest.approx(4.0)
    assert harness.geometric_mean([0.5, 2.0]) == pytest.approx(1.0)
    assert math.isnan(harness.geometric_mean([]))


def test_the_exponent_of_synthetic_timings_is_found():
    sizes = [100, 200, 400, 800]
    times = [timing(n**1.5 * 1e-6, n**1.5 * 2e-6, n**1.5 * 4e-6) for n in sizes]
    law = load("harness").growth(sizes, times)
    np.testing.assert_allclose([law.exponent, law.factor, law.r_squared], [1.5, 2e-6, 1.0])


def test_a_race_takes_turns_and_leaves_out_the_absent(monkeypatch):
    harness = load("harness")
    monkeypatch.setattr(harness, "TURN", 0.0)
    turns = []
    contestants = {"a": lambda: turns.append("a"), "b": lambda: turns.append("b"), "c": None}
    times = harness.race(contestants, repeats=5)
    assert set(times) == {"a", "b"}
    assert turns == ["a", "b"] * (1 + harness.REPEATS)
    assert times["a"].runs == harness.REPEATS


def test_a_turn_of_what_is_short_is_many_runs_after_one_that_is_not_timed(monkeypatch):
    harness = load("harness")
    seconds = iter([9.0, 0.004, 0.006])  # by the clock: the run that is not timed, then three
    monkeypatch.setattr(harness, "TURN", 0.01)
    monkeypatch.setattr(harness, "timed", lambda run: (next(seconds), run()))
    runs = []
    assert harness.turn(lambda: runs.append(1), likely=1.0) == 9.0
    np.testing.assert_allclose(harness.turn(lambda: runs.append(1), likely=0.001), 0.002)
    assert len(runs) == 1 + 1 + 3


def test_a_slow_contestant_has_fewer_turns_but_one(monkeypatch):
    harness = load("harness")
    monkeypatch.setattr(harness, "TURN", 0.0)
    turns = []
    contestants = {"slow": lambda: turns.append("slow"), "ours": lambda: turns.append("ours")}
    times = harness.race(contestants, limit=0.0, slow=("slow",))
    assert times["slow"].runs == times["ours"].runs == 1
    assert turns == ["slow", "ours", "ours"]  # what compiles at its first turn has another


def test_a_table_shows_absent_rows_and_every_column(capsys):
    load("harness").table([{"set": "x (absent)"}, {"set": "y", "ratio": "2.00"}])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["| set | ratio |", "|---|---|", "| x (absent) |  |", "| y | 2.00 |"]


def test_targets_are_judged_and_collected(capsys):
    harness, run = load("harness"), load("run")
    harness.target("speed", 2, 3.0)
    harness.target("speed", 4, 3.0)
    harness.target("cost", 4, 3.0, at_most=True)
    harness.target("peer", 4, math.nan)
    text = capsys.readouterr().out
    lines = run.targets([run.Answer("x", "X?", text, 1.0)])
    ends = [line.rsplit(": ", 1)[-1] for line in lines[:3]]
    assert ends == ["met.", "NOT met.", "met."]
    assert "not measured" in lines[3]


def test_no_more_is_asked_than_nearly_what_was_possible(capsys):
    harness = load("harness")
    for got, possible in ((1.0, 1.1), (0.98, 1.1), (1.75, 1.9), (1.6, 1.9), (1.6, math.nan)):
        harness.target("speed-up", 1.7, got, possible=possible, by="a loop in C")
    lines = capsys.readouterr().out.split("\n\n")[:5]
    ends = [line.rsplit(": ", 1)[-1] for line in lines]
    assert ends == ["met.", "NOT met.", "met.", "NOT met.", "NOT met."]
    assert (
        "≥ 1.7, or 90% of the 1.1 reached by a loop in C in the same run; measured 1:" in lines[0]
    )
    assert "C" not in lines[2]
    for took, possible in ((0.5, 0.46), (0.52, 0.46), (0.39, 0.2), (0.41, 0.2)):
        harness.target("ms", 0.4, took, at_most=True, possible=possible, by="nothing")
    lines = capsys.readouterr().out.split("\n\n")[:4]
    ends = [line.rsplit(": ", 1)[-1] for line in lines]
    assert ends == ["met.", "NOT met.", "met.", "NOT met."]
    assert "≤ 0.4, or 111% of the 0.46 taken by nothing in the same run" in lines[0]


def test_scores_and_text_in_c_are_those_of_numpy(tmp_path):
    c_loop, one_pass = load("c_loop"), load("one_pass")
    if c_loop.built(c_loop.SCORES.replace("LOOP", "")) is None:
        pytest.skip("there is no C compiler here")
    path = tmp_path / "numbers"
    path.write_text("\n".join(map(str, range(1000))) + "\n")
    assert c_loop.text_by(path, 1)().sum() == sum(range(1000))
    for X, _ in (one_pass.dense_rows(50, 7, "float64"), one_pass.sparse_rows(50, 30, 4, "float64")):
        weights = np.random.default_rng(0).standard_normal(X.shape[1])
        for threads in (1, 3):
            np.testing.assert_allclose(c_loop.scores_by(X, weights, threads)(), X @ weights)


def test_a_run_that_compiles_is_not_timed(monkeypatch):
    growth, made = load("growth"), []
    monkeypatch.setattr(growth, "compile_seconds", lambda: float(len(made) >= 1))
    monkeypatch.setattr(growth, "clocked", lambda run, _: (9.0 if run() == 1 else 1.0, None))

    def run():
        made.append(None)
        return len(made)

    assert growth.seconds_of(run, lambda: 0) == (1.0, 1.0)
    assert len(made) == 2


def test_what_leaves_the_cache_may_grow_as_reading_does():
    times = load("growth").Measured(must=1)
    times.sizes, times.seconds = [1_000, 10_000], [1.0, 10**1.5]
    times.per_byte = [1.0, 1.0]
    assert times.faster()
    times.per_byte = [1.0, 10**0.2]
    assert not times.faster()
    times.seconds = [1.0, 10**1.6]
    assert times.faster()
    times.per_byte = [1.0, 0.1]  # a fixed price of reading: nothing may grow slower for it
    assert times.reading() == 0


def test_a_script_that_fails_or_takes_too_long_is_marked_and_keeps_what_it_printed(
    tmp_path, monkeypatch
):
    run = load("run")
    monkeypatch.setattr(run, "HERE", tmp_path)
    (tmp_path / "bad.py").write_text("print('so far', flush=True)\nraise ValueError('no')\n")
    slow = (
        "import pathlib, time\nprint('so far', flush=True)\n"
        f"pathlib.Path({str(tmp_path / 'told')!r}).touch()\ntime.sleep(600)\n"
    )
    (tmp_path / "slow.py").write_text(slow)
    communicate = subprocess.Popen.communicate

    def late(process, input=None, timeout=None):
        """The time is up once the slow script has said something."""
        if timeout == 1:
            until(lambda: (tmp_path / "told").exists(), "the slow script has begun")
            timeout = 0.01
        return communicate(process, input, timeout)

    monkeypatch.setattr(subprocess.Popen, "communicate", late)
    bad, late = run.ask("bad", "Bad?", 30), run.ask("slow", "Slow?", 1)
    assert bad.text == late.text == "so far\n"
    assert bad.trouble == "failed: ValueError: no"
    assert late.trouble.startswith("stopped after 1 s")
    report = run.report([bad, late], load=0.0)
    assert "failed: ValueError: no" in report
    assert "stopped after 1 s" in report
    (tmp_path / "poor.py").write_text("import nothing_of_that_name\n")
    assert run.ask("poor", "Poor?", 30).trouble.startswith("is absent here: No module named")
    assert run.ask("slow", "Slow?", 0.5).trouble.startswith("not asked")


def test_results_are_replaced_whole(tmp_path):
    run = load("run")
    path = tmp_path / "RESULTS.md"
    path.write_text("old")
    run.write("new", path)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_work_done_elsewhere_comes_back_with_its_seconds():
    harness = load("harness")
    process = harness.Elsewhere(harness.reader_of, 800)
    seconds, result = process.turn()
    process.close()
    assert seconds > 0
    assert result == 100.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_c_loop_makes_the_mistakes_that_ours_makes(dtype):
    from rosenblatt.engine.loop import learn
    from rosenblatt.engine.points import make_points
    from rosenblatt.engine.rules import PerceptronRule
    from rosenblatt.engine.stopping import Budget
    from rosenblatt.engine.sweep import CompiledSweep

    X, y = load("one_pass").sparse_rows(60, 12, 4, dtype)
    X.data = np.round(3 * X.data)
    passes = load("c_loop").csr_passes(X, y)
    run = learn(
        CompiledSweep(make_points(X, y), PerceptronRule()), order="cyclic", budget=Budget(passes=3)
    )
    # Without a compiler the contestant is absent, which is what None says.
    assert passes is None or passes(3) == run.mistakes
