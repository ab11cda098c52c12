"""Fitting a file chunk by chunk against fitting the same rows in memory."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from sklearn.datasets import dump_svmlight_file, make_classification
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from expected import OUT_OF_PASSES
from rosenblatt.data.checkpoint import CheckpointFile
from rosenblatt.errors import InputError
from rosenblatt.places.file.block_orders import WorkingRows, mixed, of_pass
from rosenblatt.places.file.rows import FileRows
from rosenblatt.readers import open_reader

pytestmark = OUT_OF_PASSES

HERE = Path(__file__).parent
COUNTS = ("stop_", "mistakes_", "updates_", "looks_", "n_iter_", "verdict_")
# Seconds apart, all that a pass records.
RECORDED = slice(0, 5)


def integers(classes: int, n: int = 400, d: int = 6, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < 0.6)
    scores = X @ rng.integers(-4, 5, (d, classes)) + rng.integers(-1, 2, (n, classes))
    return X.astype(float), scores.argmax(axis=1)


def write(folder: Path, X: np.ndarray, y: np.ndarray, kind: str) -> Path:
    path = folder / f"rows.{kind}"
    if kind == "svm":
        dump_svmlight_file(X, y, str(path), zero_based=False)
    elif kind == "npz":
        np.savez(path, X=X, y=y)
    else:
        np.savetxt(path, np.column_stack([X, y]), fmt="%.17g", delimiter=",")
    return path


def assert_same(streamed: rb.Perceptron, whole: rb.Perceptron) -> None:
    for name in COUNTS:
        assert getattr(streamed, name) == getattr(whole, name), name
    if streamed.stop_ is rb.Stop.UPDATES:
        # Rows that the run did not come to have not been measured.
        assert 0 < streamed.radius_ <= whole.radius_
    else:
        assert streamed.radius_ == whole.radius_
    np.testing.assert_array_equal(streamed.run_.weights, whole.run_.weights)
    np.testing.assert_array_equal(streamed.run_.average, whole.run_.average)
    np.testing.assert_array_equal(streamed.coef_, whole.coef_)
    np.testing.assert_array_equal(streamed.intercept_, whole.intercept_)
    np.testing.assert_array_equal(streamed.classes_, whole.classes_)
    if streamed.stop_ is rb.Stop.UPDATES:  # and the room for rounding grows with the radius
        np.testing.assert_allclose(streamed.margin_, whole.margin_, rtol=1e-12)
    else:
        assert tuple(streamed.margin_) == tuple(whole.margin_)
    assert streamed.mistake_bound_ == whole.mistake_bound_
    recorded = [np.array([row[RECORDED] for row in m.history_]) for m in (streamed, whole)]
    np.testing.assert_array_equal(*recorded)
    assert streamed.run_.cost[:4] == whole.run_.cost[:4]


@pytest.mark.parametrize("kind", ["svm", "csv", "npz"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("chunk_bytes", [300, 2_500, 1 << 23])
def test_weights_are_those_of_memory(tmp_path, kind, classes, chunk_bytes):
    path = write(tmp_path, *integers(classes), kind)
    model = rb.Perceptron(order="cyclic", max_iter=7, certify=False)
    chunk = open_reader(path).read()
    streamed = rb.Perceptron(order="cyclic", max_iter=7, certify=False)
    streamed.fit_stream(open_reader(path, chunk_bytes=chunk_bytes))
    assert_same(streamed, model.fit(chunk.X, chunk.y))


@pytest.mark.parametrize("kind", ["svm", "csv", "npz"])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_active_order_does_not_depend_on_chunks(tmp_path, kind, classes):
    path = write(tmp_path, *integers(classes), kind)
    runs = [
        rb.Perceptron(max_iter=7, certify=False)
        .fit_stream(open_reader(path, chunk_bytes=chunk_bytes))
        .run_
        for chunk_bytes in (300, 2_500, 1 << 23)
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.weights, runs[0].weights)
        assert (run.updates, run.looks) == (runs[0].updates, runs[0].looks)


@given(
    data=st.integers(0, 10**6),
    classes=st.integers(2, 3),
    n=st.integers(8, 60),
    chunk_bytes=st.integers(20, 2000),
    settings_=st.fixed_dictionaries(
        {
            "fit_intercept": st.booleans(),
            "threshold": st.sampled_from([0.0, 2.0]),
            "tol": st.sampled_from([None, 0.01]),
            "weight_tol": st.sampled_from([None, 0.05]),
            "max_updates": st.sampled_from([None, 5]),
            "eta0": st.sampled_from([1.0, 0.5]),
            "class_weight": st.sampled_from([None, {0: 2.0}]),
            "order": st.sampled_from(["cyclic", "active"]),
        }
    ),
)
@settings(max_examples=25)
def test_every_setting_means_the_same(tmp_path_factory, data, classes, n, chunk_bytes, settings_):
    X, y = integers(classes, n=n, d=3, seed=data)
    y[:classes] = np.arange(classes)
    # Alternating labels, so that the order in memory is that of the file.
    y[classes:] = (np.arange(classes, n)) % classes
    path = write(tmp_path_factory.mktemp("rows"), X, y, "svm")
    chunk = open_reader(path, width=3).read()
    whole = rb.Perceptron(max_iter=9, certify=False, **settings_).fit(chunk.X, chunk.y)
    streamed = rb.Perceptron(max_iter=9, certify=False, **settings_)
    assert_same(streamed.fit_stream(open_reader(path, chunk_bytes=chunk_bytes, width=3)), whole)


def test_each_pass_is_printed_the_last_one_too(tmp_path, capsys):
    path = write(tmp_path, *integers(2), "csv")
    model = rb.Perceptron(max_iter=3, certify=False, solution="last", verbose=2).fit_stream(path)
    lines = [line for line in capsys.readouterr().out.splitlines() if "norm" in line]
    assert len(lines) == model.n_iter_ == len(model.history_) == 3


def test_separable_rows_end_with_a_certificate_bound_to_the_file(tmp_path):
    X, y = integers(2)
    y = (X @ np.array([3, -2, 1, 4, -1, 2]) > 0.5).astype(int)
    path = write(tmp_path, X, y, "csv")
    reader = open_reader(path, chunk_bytes=500)
    model = rb.Perceptron(certify=True).fit_stream(reader)
    assert model.stop_ is rb.Stop.SEPARATED
    assert model.verdict_ is rb.Verdict.SEPARABLE
    chunk = open_reader(path).read()
    assert model.certificate_.verify(chunk.X, chunk.y)
    assert model.score(chunk.X, chunk.y) == 1.0
    assert 0 < model.margin_.lower <= model.margin_.upper
    assert model.mistakes_ <= model.mistake_bound_
    assert model.n_features_in_ == 6


@pytest.mark.parametrize("certify", ["auto", True])
def test_inseparable_rows_end_with_a_proof(tmp_path, certify):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-2, 3, (300, 3)).astype(float), rng.integers(0, 3, 300)
    path = write(tmp_path, X, y, "csv")
    model = rb.Perceptron(certify=certify, max_iter=100_000)
    model.fit_stream(open_reader(path, chunk_bytes=400))
    assert model.stop_ is rb.Stop.INSEPARABLE
    chunk = open_reader(path).read()
    assert model.certificate_.verify(chunk.X, chunk.y)
    assert model.margin_ == (0.0, 0.0)


def test_rows_that_come_class_by_class_are_mixed(tmp_path):
    X, y = integers(2, n=600)
    y = (X @ np.array([3, -2, 1, 4, -1, 2]) > 0.5).astype(int)
    by_class = np.argsort(y, kind="stable")
    path = write(tmp_path, X[by_class], y[by_class], "csv")
    rows = FileRows(open_reader(path, chunk_bytes=500))
    assert rows.come_in_classes
    model = rb.Perceptron(max_iter=200).fit_stream(open_reader(path, chunk_bytes=500))
    assert model.stop_ is rb.Stop.SEPARATED


@pytest.mark.parametrize("kind", ["csv", "svm"])
def test_a_few_long_rows_do_not_decide_what_is_predicted(tmp_path, kind):
    X, y = make_classification(3000, 6, n_informative=4, class_sep=1.5, random_state=3)
    train, new, long = slice(0, 2000), slice(2000, None), X.copy()
    long[:2000:400] *= 1e4
    scores = []
    for rows in (X, long):
        path = write(tmp_path, rows[train], y[train], kind)
        clf = rb.Perceptron().fit_stream(open_reader(path, chunk_bytes=20_000))
        assert clf.verdict_ is rb.Verdict.INSEPARABLE
        scores.append(clf.score(X[new], y[new]))
    usual, with_long = scores
    assert with_long > usual - 0.03 > 0.85


@pytest.mark.parametrize("room", [1, 8_000, 1 << 30])
def test_a_mixed_way_meets_every_row_once(tmp_path, room):
    X, y = integers(3)
    rows = FileRows(open_reader(write(tmp_path, X, y, "csv"), chunk_bytes=700))

    def walk(number: int) -> list[int]:
        steps = list(mixed(rows, of_pass(1, number), room))
        for piece, order in steps:
            np.testing.assert_array_equal(piece.X[order], X[piece.ids[order]])
            np.testing.assert_array_equal(piece.codes[order], y[piece.ids[order]])
        return np.concatenate([piece.ids[order] for piece, order in steps]).tolist()

    first = walk(0)
    assert sorted(first) == list(range(400))
    assert first == walk(0)
    assert first != walk(1)
    if room == 8_000:
        assert 4_000 < max(piece.nbytes for piece, _ in mixed(rows, of_pass(1, 0), room)) <= room
        # Rows of one chunk come apart: the pool carries some of them past later chunks.
        chunk = len(next(iter(rows.pieces())).ids)
        places = [first.index(row) for row in range(chunk)]
        assert max(places) - min(places) >= 3 * chunk


def test_shuffled_fits_are_reproducible_and_follow_the_seed(tmp_path):
    path = write(tmp_path, *integers(2), "svm")

    def weights(seed: int) -> np.ndarray:
        model = rb.Perceptron(order="shuffled", max_iter=3, certify=False, random_state=seed)
        return model.fit_stream(open_reader(path, chunk_bytes=900)).run_.weights

    np.testing.assert_array_equal(weights(0), weights(0))
    assert (weights(0) != weights(1)).any()


def test_a_working_set_that_does_not_fit_stays_within_its_room(tmp_path):
    X, y = integers(2, n=20_000, d=10)
    y = np.random.default_rng(1).permutation(y)
    path = write(tmp_path, X, y, "npz")
    seen = []
    model = rb.Perceptron(max_iter=4, certify=False)
    reader = open_reader(path, chunk_bytes=50_000)
    model.fit_stream(reader, memory=1 << 20, progress=seen.append)
    assert seen[-1].full
    row_bytes = 10 * 8 + 16
    assert 0 < seen[-1].kept * row_bytes <= (1 << 20) / 4
    # Every row is still looked at in every pass.
    assert model.looks_ >= 4 * 20_000
    large = rb.Perceptron(max_iter=4, certify=False)
    large.fit_stream(open_reader(path, chunk_bytes=50_000), memory=1 << 26, progress=seen.append)
    assert not seen[-1].full
    assert seen[-1].kept * row_bytes > (1 << 20) / 4


def test_kept_rows_are_sorted_and_never_twice(tmp_path):
    X, y = integers(2, n=50)
    rows = FileRows(open_reader(write(tmp_path, X, y, "csv"), chunk_bytes=400))
    kept = WorkingRows(1 << 20)
    pieces = list(rows.pieces())
    kept.take(pieces[-1], np.array([0, 2]))
    kept.take(pieces[0], np.array([3]))
    kept.rows()
    kept.take(pieces[0], np.array([1, 3]))
    whole = kept.rows()
    last = int(pieces[-1].ids[0])
    assert whole.ids.tolist() == [1, 3, last, last + 2]
    np.testing.assert_array_equal(whole.X, X[whole.ids])
    again = WorkingRows(1 << 20)
    again.refill(rows, kept.numbers(), kept.nbytes, kept.full)
    np.testing.assert_array_equal(again.rows().X, whole.X)


def test_balanced_class_weights_count_the_file(tmp_path):
    X, y = integers(2)
    y[50:] = (np.arange(350) % 3 == 0).astype(int)
    path = write(tmp_path, X, y, "csv")
    options = {"order": "cyclic", "max_iter": 5, "certify": False, "class_weight": "balanced"}
    chunk = open_reader(path).read()
    streamed = rb.Perceptron(**options).fit_stream(open_reader(path, chunk_bytes=600))
    whole = rb.Perceptron(**options).fit(chunk.X, chunk.y)
    np.testing.assert_allclose(streamed.coef_, whole.coef_, rtol=1e-12)
    assert streamed.updates_ == whole.updates_


def test_warm_start_goes_on(tmp_path):
    path = write(tmp_path, *integers(2), "svm")
    model = rb.Perceptron(order="cyclic", max_iter=2, certify=False, warm_start=True)
    model.fit_stream(open_reader(path)).fit_stream(open_reader(path))
    whole = rb.Perceptron(order="cyclic", max_iter=4, certify=False).fit_stream(open_reader(path))
    np.testing.assert_array_equal(model.run_.weights, whole.run_.weights)


def test_standard_input_gives_one_pass(tmp_path, monkeypatch):
    path = write(tmp_path, *integers(2), "svm")

    class Pipe:
        buffer = io.BufferedReader(io.BytesIO(path.read_bytes()))  # type: ignore[arg-type]

    def reader(**options):
        Pipe.buffer = io.BufferedReader(io.BytesIO(path.read_bytes()))  # type: ignore[arg-type]
        monkeypatch.setattr(sys, "stdin", Pipe)
        return open_reader("-", chunk_bytes=700, **options)

    once = rb.Perceptron(order="cyclic", max_iter=1, certify=False)
    once.fit_stream(reader(width=6), classes=[0, 1])
    whole = rb.Perceptron(order="cyclic", max_iter=1, certify=False).fit_stream(open_reader(path))
    np.testing.assert_array_equal(once.coef_, whole.coef_)
    with pytest.raises(rb.InputError, match=r"read only once.*max_iter=1"):
        rb.Perceptron().fit_stream(reader(width=6), classes=[0, 1])
    with pytest.raises(rb.InputError, match="classes must be named"):
        once.fit_stream(reader(width=6))
    with pytest.raises(rb.InputError, match="not among the classes"):
        once.fit_stream(reader(width=6), classes=[1, 2])
    with pytest.raises(rb.InputError, match="nothing to resume"):
        once.fit_stream(reader(width=6), classes=[0, 1], checkpoint=tmp_path / "run")
    with pytest.raises(rb.InputError, match="only once"):
        rb.decide_stream(reader())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"penalty": "l2"}, "penalty='l2' needs all rows"),
        ({"early_stopping": True}, "early_stopping=True needs all rows"),
        ({"solution": "pocket"}, "solution='pocket' needs all rows"),
        ({"keep": ("vote",)}, "keep=.*needs all rows"),
        ({"order": "worst"}, "order must be one of"),
        ({"multiclass": "ovr"}, "multiclass='ovr' would take a pass"),
        ({"eta0": 0.0}, "eta0"),
        ({"class_weight": "heavy"}, "class_weight must be"),
    ],
)
def test_what_needs_all_rows_is_refused(tmp_path, options, words):
    path = write(tmp_path, *integers(3), "svm")
    with pytest.raises(rb.InputError, match=words):
        rb.Perceptron(**options).fit_stream(open_reader(path))


def test_labels_with_a_fraction_are_refused_as_in_memory(tmp_path):
    X, y = integers(2)
    path = write(tmp_path, X, y + 0.5, "svm")
    message = r"Unknown label type: continuous.* such as [01]\.5"
    chunk = open_reader(path).read()
    for refused in (
        lambda: rb.Perceptron().fit(chunk.X, chunk.y),
        lambda: rb.decide(chunk.X, chunk.y),
        lambda: rb.Perceptron().fit_stream(path),
        lambda: rb.decide_stream(path),
    ):
        with pytest.raises(InputError, match=message):
            refused()


def test_bad_arguments_are_refused(tmp_path):
    path = write(tmp_path, *integers(2), "svm")
    with pytest.raises(rb.InputError, match="the name of a file"):
        rb.Perceptron().fit_stream(5)
    with pytest.raises(rb.InputError, match="memory must be"):
        rb.Perceptron().fit_stream(open_reader(path), memory=10)
    with pytest.raises(rb.InputError, match="resume=True needs"):
        rb.Perceptron().fit_stream(open_reader(path), resume=True)
    (tmp_path / "text.csv").write_text("color,kind\nred,apple\nyellow,banana\n")
    with pytest.raises(rb.InputError, match="no numeric columns"):
        rb.Perceptron().fit_stream(open_reader(tmp_path / "text.csv"))
    with pytest.raises(rb.InputError, match="one class only"):
        rb.Perceptron().fit_stream(open_reader(write(tmp_path, np.eye(3), np.ones(3), "csv")))


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "active"])
def test_a_killed_run_resumes_to_the_same_end(tmp_path, order):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 15)).round(4)
    y = (X @ rng.normal(size=15) + rng.normal(size=6000) > 0).astype(int)
    path = write(tmp_path, X, y, "svm")
    script = [sys.executable, str(HERE / "kill_and_resume.py"), str(path), order, str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    killed, went_on = map(int, done.stdout.split())
    assert killed == 4
    assert went_on >= 1


class Halt(Exception):
    """Ends a fit from its progress callback, as a crash would."""


def halted(path: Path, checkpoint: Path, after: int, **options) -> None:
    steps = iter(range(after))

    def progress(_: object) -> None:
        if next(steps, None) is None:
            raise Halt

    model = rb.Perceptron(max_iter=3, certify=False, **options)
    reader = open_reader(path, chunk_bytes=900)
    with pytest.raises(Halt):
        model.fit_stream(reader, checkpoint=checkpoint, every=0.0, progress=progress)


def test_a_changed_file_or_setting_is_refused(tmp_path):
    X, y = integers(2)
    path, checkpoint = write(tmp_path, X, y, "svm"), tmp_path / "run.checkpoint"
    halted(path, checkpoint, 3, order="cyclic")

    def resume(path: Path = path, **options):
        options = {"order": "cyclic", "max_iter": 3, "certify": False} | options
        reader = open_reader(path, chunk_bytes=900)
        return rb.Perceptron(**options).fit_stream(reader, checkpoint=checkpoint, resume=True)

    with pytest.raises(rb.InputError, match="another order"):
        resume(order="active")
    with pytest.raises(rb.InputError, match="another threshold"):
        resume(threshold=1.0)
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other", -X, y, "svm")
    with pytest.raises(rb.InputError, match="another files"):
        resume(other)
    # More passes than the first run was allowed are no other run.
    longer = resume(max_iter=5)
    whole = rb.Perceptron(order="cyclic", max_iter=5, certify=False).fit_stream(open_reader(path))
    np.testing.assert_array_equal(longer.coef_, whole.coef_)
    assert not checkpoint.exists()
    with pytest.raises(rb.InputError, match="no such checkpoint"):
        resume()


def test_a_disk_that_fills_up_ends_no_fit(tmp_path, monkeypatch):
    path, checkpoint = write(tmp_path, *integers(2), "svm"), tmp_path / "run.checkpoint"

    def full(target: Path, content: bytes) -> None:
        raise InputError(f"{target}: cannot be written (No space left on device)")

    def fill(_: object) -> None:
        if checkpoint.exists():
            monkeypatch.setattr("rosenblatt.data.checkpoint.write", full)

    model = rb.Perceptron(order="cyclic", max_iter=3, certify=False)
    reader = open_reader(path, chunk_bytes=900)
    with (
        pytest.warns(UserWarning, match="it holds the run within pass 1, and the fit goes on"),
        pytest.warns(ConvergenceWarning),
    ):
        model.fit_stream(reader, checkpoint=checkpoint, every=0.0, progress=fill)
    whole = rb.Perceptron(order="cyclic", max_iter=3, certify=False).fit_stream(open_reader(path))
    np.testing.assert_array_equal(model.coef_, whole.coef_)


@pytest.mark.parametrize("damage", ["cut", "nothing", "text", "other"])
def test_a_damaged_checkpoint_is_refused(tmp_path, damage):
    path, checkpoint = write(tmp_path, *integers(2), "svm"), tmp_path / "run.checkpoint"
    halted(path, checkpoint, 2)
    whole = checkpoint.read_bytes()
    if damage == "other":
        from safetensors.numpy import save

        whole = save({"weights": np.zeros(3)}, metadata={"format": "else"})
    damaged = {"cut": whole[:-9], "nothing": b"", "text": b"not a checkpoint", "other": whole}
    checkpoint.write_bytes(damaged[damage])
    model = rb.Perceptron(max_iter=3, certify=False)
    reader = open_reader(path, chunk_bytes=900)
    with pytest.raises(rb.InputError, match=r"run\.checkpoint: not a"):
        model.fit_stream(reader, checkpoint=checkpoint, resume=True)
    assert checkpoint.read_bytes() == damaged[damage]


def test_values_that_no_run_has_are_refused(tmp_path):
    """Whoever knows the format can write a digest that fits, so values are checked too."""
    path, checkpoint = write(tmp_path, *integers(2), "svm"), tmp_path / "run.checkpoint"
    halted(path, checkpoint, 4)
    with safe_open(str(checkpoint), framework="numpy") as file:
        about = json.loads(file.metadata()["content"])["about"]
    sound = CheckpointFile(checkpoint, "stream", about)
    content, tensors = sound.read()
    standing = content["standing"]
    assert len(tensors["kept"]) > 1
    bad_tensors = {
        "drift of another shape": {"drift": tensors["drift"][:-1]},
        "weights that are not finite": {"weights": tensors["weights"] * np.nan},
        "an odd clock": {"clock": -1 - tensors["clock"]},
        "row numbers out of order": {"kept": tensors["kept"][::-1].copy()},
        "row numbers that are not there": {"kept": tensors["kept"] + about["rows"]},
    }
    bad_counts = {
        "counts below 0": {"total": [-1, *standing["total"][1:]]},
        "counts that have shrunk": {"begun": [10**9, *standing["begun"][1:]]},
        "lengths below 0": {"moved": -1.0},
        "a history of another length": {"place": [7, *standing["place"][1:]]},
    }
    cases = [(why, content, tensors | bad) for why, bad in bad_tensors.items()]
    cases += [  # sound JSON, of another kind than a number
        ("lengths below 0", {**content, "standing": {**standing, "moved": moved}}, tensors)
        for moved in ("1", [1.0], {}, None)
    ]
    passed = [len(content["history"]) + 1, *standing["place"][1:]]
    for at, why in ((5, "lengths below 0"), (3, "odd shares"), (4, "odd shares")):
        row = [1, 1, 1.0, 0.5, 0.5, 1.0]
        row[at] = [0.5]
        history = [*content["history"], row]
        changed = {"standing": {**standing, "place": passed}, "history": history}
        cases.append((why, changed, tensors))
    for why, bad in bad_counts.items():
        cases.append((why, {**content, "standing": {**standing, **bad}}, tensors))
    for why, changed, arrays in cases:
        sound.write(changed, arrays)
        model = rb.Perceptron(max_iter=3, certify=False)
        reader = open_reader(path, chunk_bytes=900)
        with pytest.raises(rb.InputError, match=f"not a sound checkpoint .{why}"):
            model.fit_stream(reader, checkpoint=checkpoint, resume=True)


@pytest.mark.parametrize("what", ["data", "text", "model", "link"])
def test_a_checkpoint_takes_the_place_of_no_other_file(tmp_path, what):
    path, place = write(tmp_path, *integers(2), "svm"), tmp_path / "precious"
    if what == "model":
        rb.save(rb.Perceptron().fit([[0.0], [1.0]], [0, 1]), place)
    elif what == "link":
        place.symlink_to(path)
    place = path if what == "data" else place
    if what == "text":
        place.write_text("twelve bytes")
    before = place.read_bytes()
    for resume in (False, True):
        with pytest.raises(rb.InputError, match="would be overwritten; name another file"):
            rb.Perceptron().fit_stream(open_reader(path), checkpoint=place, resume=resume)
        assert place.read_bytes() == before


def test_a_checkpoint_takes_the_place_of_an_empty_one_only(tmp_path):
    path, place = write(tmp_path, *integers(2), "svm"), tmp_path / "run.checkpoint"
    halted(path, place, 2)
    kept = place.read_bytes()
    with pytest.raises(rb.InputError, match="holds a run that was cut short"):
        rb.Perceptron(max_iter=2).fit_stream(open_reader(path), checkpoint=place)
    assert place.read_bytes() == kept
    place.write_bytes(b"")
    rb.Perceptron(max_iter=2).fit_stream(open_reader(path), checkpoint=place)
    assert not place.exists()


def test_a_run_that_waits_in_its_checkpoint_is_not_lost(tmp_path):
    path, place = write(tmp_path, *integers(2), "svm"), tmp_path / "run.checkpoint"

    def fit(max_iter: int, **how):
        model = rb.Perceptron(order="cyclic", max_iter=max_iter, certify=False)
        return model.fit_stream(open_reader(path, chunk_bytes=900), checkpoint=place, **how)

    def halt(made):
        if made.passes == 2 and made.position > made.size / 2:
            raise Halt

    with pytest.raises(Halt):
        fit(3, every=0.0, progress=halt)
    kept = place.read_bytes()
    with pytest.raises(rb.InputError, match=r"cut short; resume=True goes on"):
        fit(3)
    for passes in (1, 2):
        with pytest.raises(rb.InputError, match=f"fewer passes than max_iter={passes}, got .* 2;"):
            fit(passes, resume=True)
    assert place.read_bytes() == kept
    assert fit(3, resume=True).n_iter_ == 3
    assert not place.exists()


def test_ctrl_c_keeps_the_work_and_leaves_a_checkpoint(tmp_path):
    path, checkpoint = write(tmp_path, *integers(2), "svm"), tmp_path / "run.checkpoint"
    steps = iter(range(5))

    def press(_: object) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt

    options = {"order": "cyclic", "max_iter": 4, "certify": False}
    model = rb.Perceptron(**options).fit_stream(
        open_reader(path, chunk_bytes=900), checkpoint=checkpoint, progress=press
    )
    assert model.stop_ is rb.Stop.INTERRUPTED
    assert model.mistakes_ > 0
    reader = open_reader(path, chunk_bytes=900)
    resumed = rb.Perceptron(**options).fit_stream(reader, checkpoint=checkpoint, resume=True)
    whole = rb.Perceptron(**options).fit_stream(open_reader(path, chunk_bytes=900))
    np.testing.assert_array_equal(resumed.run_.weights, whole.run_.weights)
    assert resumed.looks_ == whole.looks_


def test_a_run_cut_short_in_its_averaging_passes_ends_with_the_same_bits(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-4, 5, (3000, 3)), rng.integers(2, size=3000)
    path, checkpoint = tmp_path / "rows.csv", tmp_path / "fit.checkpoint"
    np.savetxt(
        path, np.column_stack([X, y]), fmt="%d", delimiter=",", header="a,b,c,y", comments=""
    )
    straight = rb.Perceptron().fit_stream(path)
    assert straight.run_.averaged == 10
    search = straight.n_iter_

    def cut(made):
        if made.passes >= search + 4:
            raise KeyboardInterrupt

    short = rb.Perceptron().fit_stream(path, checkpoint=checkpoint, progress=cut)
    assert short.stop_ is rb.Stop.INTERRUPTED
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["fit.checkpoint", "fit.checkpoint.mean", "rows.csv"]
    resumed = rb.Perceptron().fit_stream(path, checkpoint=checkpoint, resume=True)
    np.testing.assert_array_equal(resumed.coef_, straight.coef_)
    assert (resumed.n_iter_, resumed.mistakes_) == (straight.n_iter_, straight.mistakes_)
    assert [file.name for file in tmp_path.iterdir()] == ["rows.csv"]


def test_a_checkpoint_with_one_bit_turned_is_refused(tmp_path):
    path, checkpoint = tmp_path / "points.csv", tmp_path / "run.checkpoint"
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(-9, 9, (300, 4)), rng.integers(0, 2, 300)])
    np.savetxt(path, rows, delimiter=",", fmt="%d")

    def fit(**how):
        model = rb.Perceptron(order="cyclic", max_iter=5, certify=False)
        return model.fit_stream(open_reader(path, chunk_bytes=500), checkpoint=checkpoint, **how)

    kept = []

    def keep(_):
        if checkpoint.exists():
            kept.append(checkpoint.read_bytes())

    fit(every=0.0, progress=keep)
    for back in (1, 20, 60):
        turned = bytearray(kept[-1])
        turned[-back] ^= 4
        checkpoint.write_bytes(turned)
        with pytest.raises(rb.InputError, match="remove the file"):
            fit(resume=True)
    checkpoint.write_bytes(kept[-1])
    np.testing.assert_array_equal(fit(resume=True).coef_, fit().coef_)


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", "null", "3", '{"about": 1, "content": {}}', '{"about": {}}', '{"content": {}}'],
)
def test_a_checkpoint_of_another_shape_is_refused(tmp_path, content):
    from safetensors.numpy import save

    from rosenblatt.data.checkpoint import FORMAT, VERSION, CheckpointError, CheckpointFile, digest

    path = tmp_path / "run.checkpoint"
    head = {"format": FORMAT, "version": VERSION, "kind": "stream", "content": content}
    path.write_bytes(save({}, metadata={**head, "digest": digest(content, {})}))
    with pytest.raises(CheckpointError, match="not a sound checkpoint"):
        CheckpointFile(path, "stream", {}).read()


def test_spent_passes_are_warned_of_unless_more_would_not_help(tmp_path):
    X, y = integers(2)
    path = str(write(tmp_path, X, y, "csv"))
    with pytest.warns(ConvergenceWarning, match="The budget of passes is spent"):
        spent = rb.Perceptron(max_iter=1, certify=False).fit_stream(path)
    assert spent.stop_ is rb.Stop.PASSES
    twice = str(write(tmp_path, np.vstack([X, X[:1]]), np.append(y, 1 - y[0]), "npz"))
    with warnings.catch_warnings(action="error", category=ConvergenceWarning):
        assert rb.Perceptron().fit_stream(path).verdict_ is rb.Verdict.SEPARABLE
        assert rb.Perceptron().fit_stream(twice).verdict_ is rb.Verdict.INSEPARABLE


def test_a_streamed_table_gives_its_names_to_the_model(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    frame["y"] = (frame.a - 2 * frame.b > 0).astype(int)
    frame.to_csv(tmp_path / "t.csv", index=False)
    clf = rb.Perceptron().fit_stream(tmp_path / "t.csv")
    assert clf.feature_names_in_.tolist() == ["a", "b", "c"]
    assert clf.score(frame[["a", "b", "c"]], frame.y) == 1
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[["c", "b", "a"]])


@pytest.mark.parametrize(
    "other",
    [{"columns": ["b", "c"]}, {"label": "z"}, {"columns": ["b", "a"]}, {"dtype": "float32"}],
)
def test_a_checkpoint_of_rows_read_otherwise_is_refused(tmp_path, other):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)).round(3), columns=list("abc"))
    frame["y"], frame["z"] = rng.integers(2, size=(2, 300))
    frame.to_csv(tmp_path / "t.csv", index=False)
    saved = tmp_path / "t.checkpoint"

    def fit(progress=None, **how):
        made = {"columns": ["a", "b"], "label": "y", **how}
        reader = rb.readers.open_reader(tmp_path / "t.csv", **made)
        clf = rb.Perceptron(order="cyclic", certify=False, max_iter=20)
        resume = progress is None
        return clf.fit_stream(reader, checkpoint=saved, every=0, resume=resume, progress=progress)

    def cut(now):
        if now.passes >= 3:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fit(cut).stop_ is rb.Stop.INTERRUPTED
        with pytest.raises(InputError, match="another reading"):
            fit(**other)
        assert fit().n_iter_ == 20


@pytest.mark.parametrize(
    "how", [{"memory": "50MB"}, {"every": "x"}, {"checkpoint": 3}, {"progress": 3}, {"resume": 1.5}]
)
def test_arguments_of_another_kind_are_refused_by_name(tmp_path, how):
    path = write(tmp_path, *integers(2), "csv")
    with pytest.raises(rb.InputError, match=f"{next(iter(how))} must be"):
        rb.Perceptron().fit_stream(path, **how)
