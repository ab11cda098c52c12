"""A real cluster of separate processes: its results, and what it does when things go wrong."""

from __future__ import annotations

import gc
import gzip
import itertools
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import tracemalloc
import warnings
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from children import PATIENCE, until
from expected import OUT_OF_PASSES
from mixing_here import here, simulate
from rosenblatt.dask import (
    MaxMargin,
    Perceptron,
    batches,
    decide,
    read_files,
    read_parquet,
    read_svmlight,
    verify,
)
from rosenblatt.dask.batches import DaskBatches
from rosenblatt.dask.connection import connected
from rosenblatt.data.checkpoint import CheckpointFile
from rosenblatt.datasets import gaussian
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError, NotSeparableError
from rosenblatt.places.cluster import mixing, work
from rosenblatt.places.cluster.asking import floor, worst_of
from rosenblatt.places.cluster.checkpoint import Keeper
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.partitions import Partitions

pytestmark = OUT_OF_PASSES


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=60
    ) as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster):
    with Client(cluster, set_as_default=False) as connection:
        yield connection


def integers(n=300, d=4, classes=2, seed=0):
    """Small integers, a few of them mislabelled."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, size=(n, d)).astype(float)
    y = (X @ rng.integers(-3, 4, size=(d, classes)) + rng.integers(0, 2, (n, classes))).argmax(1)
    return X, y


@pytest.mark.parametrize("classes", [2, 3])
def test_the_default_predicts_by_the_mean_over_shuffled_rounds(client, classes):
    rng = np.random.default_rng(0)
    X, y = integers(900, 4, classes)
    noisy = rng.random(900) < 0.2
    y[noisy] = rng.integers(classes, size=noisy.sum())
    X[:, 1] *= 1024
    A, b = da.from_array(X, chunks=(300, 4)), da.from_array(y, chunks=300)
    clf = Perceptron(client, max_iter=5).fit(A, b)
    assert (clf.stop_, clf.run_.averaged, clf.n_iter_) == (Stop.PASSES, 5, 5)
    assert clf.n_iter_ == clf.to_local().n_iter_
    assert len(clf.history_) == 5
    local = clf.to_local()
    assert local.score(X, y) > local.with_solution("last").score(X, y) - 0.02
    assert local.score(X, y) > rb.Perceptron().fit(X, y).score(X, y) - 0.05
    proved = Perceptron(client, certify=True).fit(A, b)
    assert proved.verdict_ is Verdict.INSEPARABLE
    assert proved.run_.averaged == 10
    textbook = Perceptron(client, max_iter=5, solution="average").fit(A, b)
    assert (textbook.n_iter_, textbook.run_.averaged) == (5, 0)


def pieces(X, y, cuts):
    edges = [0, *cuts, X.shape[0]]
    return [(X[a:b], y[a:b]) for a, b in itertools.pairwise(edges)]


def delayed_of(parts):
    return [dask.delayed(part, traverse=False) for part in parts]


def simulated(parts, classes, rounds, **pace):
    run, _ = simulate(here(parts, classes), Pace(order="active", **pace), rounds)
    return run


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_cluster_does_what_the_simulation_does_to_the_bit(client, classes, make):
    X, y = integers(classes=classes)
    # One partition is empty, one of a single class, and there are more than a sum takes at once.
    first = np.flatnonzero(y == 0)[:20]
    order = np.concatenate([first, np.setdiff1d(np.arange(len(y)), first)])
    X, y = X[order], y[order]
    parts = pieces(make(X), y, [20, 20, 50, 60, 90, 120, 150, 180, 210])
    clf = Perceptron(client, max_iter=6, mixing="mistakes", solution="average").fit(
        delayed_of(parts)
    )
    run = simulated(parts, np.unique(y), 6, mixing="mistakes")
    np.testing.assert_array_equal(clf.run_.weights, run.weights)
    np.testing.assert_array_equal(clf.run_.average, run.average)
    assert (clf.mistakes_, clf.looks_) == (run.mistakes, run.looks)
    assert clf.guarantee_.holds


def test_arrays_dense_and_sparse_and_the_local_model(client, tmp_path):
    data = gaussian(600, 5, 0.2, seed=1)
    X, y = da.from_array(data.X, chunks=(200, 3)), da.from_array(data.y, chunks=150)
    clf = Perceptron(client).fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.guarantee_.weighted_mistakes <= clf.mistake_bound_
    assert clf.certificate_.verify(data.X, data.y)
    assert verify(clf.certificate_, X, data.y, client=client)
    assert not verify(clf.certificate_, X, -data.y, client=client)
    local = clf.to_local()
    rb.save(local, tmp_path / "model.safetensors")
    again = rb.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict(data.X), data.y)
    np.testing.assert_array_equal(clf.predict(X).compute(), data.y)
    np.testing.assert_allclose(clf.decision_function(X).compute(), local.decision_function(data.X))
    assert float(clf.score(X, y)) == 1.0
    csr = X.rechunk({1: -1}).map_blocks(sparse.csr_matrix)
    np.testing.assert_allclose(Perceptron(client).fit(csr, y).coef_, clf.coef_, rtol=1e-9)


def test_data_frames_by_the_name_of_their_label(client):
    X, y = integers(120, 3, classes=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=np.array(["u", "v", "w"])[y])
    frames = dd.from_pandas(frame, npartitions=3)
    clf = Perceptron(client, max_iter=5).fit(frames, "kind")
    assert clf.classes_.tolist() == ["u", "v", "w"]
    assert clf.to_local().feature_names_in_.tolist() == ["a", "b", "c"]
    rows = frames[["a", "b", "c"]]
    predicted = clf.predict(rows).compute()
    np.testing.assert_array_equal(predicted, clf.to_local().predict(frame[["a", "b", "c"]]))
    assert clf.decision_function(rows).compute().shape == (120, 3)
    assert float(clf.score(frames, "kind")) == pytest.approx((predicted == frame["kind"]).mean())
    with pytest.raises(InputError, match="no column 'colour'"):
        clf.fit(frames, "colour")
    with pytest.raises(InputError, match="column 'kind' is not numeric"):
        Perceptron(client).fit(frames, frames["a"] > 0)


def svmlight(folder, parts, first=1):
    """Shards of svmlight text; the last line of each is its last row."""
    for k, (X, y) in enumerate(parts):
        lines = [
            f"{label} " + " ".join(f"{j + first}:{x:g}" for j, x in enumerate(row) if x)
            for row, label in zip(X, y, strict=True)
        ]
        text = "".join(line + "\n" for line in lines)
        (folder / f"part-{k}.svm.gz").write_bytes(gzip.compress(text.encode()))
    return str(folder / "part-*.svm.gz")


@pytest.mark.parametrize("persist", [True, False])
@pytest.mark.parametrize("first", [0, 1])
def test_shards_of_svmlight_kept_or_read_again(client, tmp_path, persist, first):
    X, y = integers(200, 5)
    parts = pieces(X, y, [60, 60, 130])
    # Only one shard uses the first column, another misses the last: together they tell.
    X[60:, 0], X[:60, -1] = 0, 0
    X[0, 0] = 1
    shards = read_svmlight(svmlight(tmp_path, parts, first))
    clf = Perceptron(client, persist=persist, max_iter=4, solution="average").fit(shards)
    run = simulated([(sparse.csr_array(A), b) for A, b in parts], [0, 1], 4)
    np.testing.assert_array_equal(clf.run_.weights, run.weights)
    assert float(clf.score(shards)) == clf.to_local().score(X, y)
    np.testing.assert_array_equal(clf.predict(shards).compute(), clf.to_local().predict(X))


def test_shards_of_parquet(client, tmp_path):
    X, y = integers(100, 3)
    for k, (A, b) in enumerate(pieces(X, y, [40, 40])):
        frame = pd.DataFrame(A, columns=["a", "b", "c"]).assign(kind=b)
        frame.to_parquet(tmp_path / f"part-{k}.parquet")
    shards = read_parquet(tmp_path / "part-*.parquet", "kind")
    clf = Perceptron(client, max_iter=4, solution="average").fit(shards)
    run = simulated(pieces(X, y, [40, 40]), [0, 1], 4)
    np.testing.assert_array_equal(clf.run_.weights, run.weights)


def test_a_corrupt_shard_is_named(client, tmp_path):
    pattern = svmlight(tmp_path, pieces(*integers(90), [30, 60]))
    whole = (tmp_path / "part-1.svm.gz").read_bytes()
    (tmp_path / "part-1.svm.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"part-1\.svm\.gz.*damaged or cut short"):
        Perceptron(client).fit(read_svmlight(pattern))
    (tmp_path / "part-1.svm.gz").write_bytes(gzip.compress(b"1 1:2\n1 one:2\n"))
    with pytest.raises(InputError, match=r"part-1\.svm\.gz, line 2: expected index:value"):
        Perceptron(client).fit(read_svmlight(pattern))


def test_bad_partitions_are_refused_by_name(client):
    X, y = integers(90)
    X[70, 2] = np.nan
    with pytest.raises(InputError, match=r"partition 2: .*NaN at row 10, column 2"):
        Perceptron(client).fit(da.from_array(X, chunks=(30, 4)), y)
    parts = [(np.ones((3, 2)), [0, 1, 1]), (np.ones((3, 3)), [0, 1, 1])]
    with pytest.raises(InputError, match="columns"):
        Perceptron(client).fit(delayed_of(parts))
    with pytest.raises(InputError, match="one class, 1"):
        Perceptron(client).fit(delayed_of([(np.ones((3, 2)), [1, 1, 1])]))
    with pytest.raises(InputError, match=r"partition 0: .*got a int"):
        Perceptron(client).fit([dask.delayed(7)])
    with pytest.raises(InputError, match="must be a dask array"):
        Perceptron(client).fit(X, y)


def failing(part):
    raise ZeroDivisionError("the disk is on fire")


@pytest.mark.parametrize("persist", [True, False])
def test_a_partition_that_cannot_be_computed_is_named(client, persist):
    good, bad = (dask.delayed((np.ones((3, 2)), [0, 1, 1]), traverse=False) for _ in range(2))
    with pytest.raises(InputError, match=r"partition 1: .*ZeroDivisionError: the disk is on fire"):
        Perceptron(client, persist=persist).fit([good, dask.delayed(failing)(bad)])


def test_workers_keep_nothing_after_a_fit(client):
    X, y = integers(200)
    rows = da.from_array(X, chunks=(50, 4))
    known = set(client.futures)

    def held():
        client.submit(int).result()  # after it, the client has handled all that was released
        return {key for key in set(client.futures) - known if not key.startswith("int")}

    gc.disable()  # what refers to itself would be forgotten some time later
    try:
        fitted = Perceptron(client, persist=True, max_iter=3).fit(rows, y)
        assert not held()
        decision = decide(rows, y, client=client, persist=True)
        assert not held()
    finally:
        gc.enable()
    assert fitted.n_iter_
    assert decision.verdict


def by_label(n=1500, partitions=6):
    """Noisy rows, sorted by label and shuffled, in partitions; and rows to score."""
    X, y = make_classification(2 * n, 8, n_informative=5, class_sep=1.5, random_state=1)
    ordered = [np.argsort(y[:n], kind="stable"), np.random.default_rng(0).permutation(n)]
    parts = [[(X[k], y[k]) for k in np.array_split(order, partitions)] for order in ordered]
    return *parts, (X[n:], y[n:])


def test_rows_sorted_by_label_are_dealt_out_anew_where_there_is_room(client):
    by_class, mixed, new = by_label()
    how = {"max_iter": 10, "certify": False}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        for solution in ("auto", "average"):
            scores = [
                Perceptron(client, solution=solution, **how)
                .fit(delayed_of(parts))
                .to_local()
                .score(*new)
                for parts in (by_class, mixed)
            ]
            assert scores[0] > scores[1] - 0.02 > 0.8
        again = [Perceptron(client, **how).fit(delayed_of(by_class)).coef_ for _ in range(2)]
    np.testing.assert_array_equal(*again)


def test_rows_sorted_by_label_are_told_where_there_is_no_room(client, tmp_path):
    by_class, mixed, _ = by_label()
    path = tmp_path / "fit.checkpoint"
    how = {"max_iter": 3, "persist": False, "checkpoint": path}
    with (
        pytest.warns(UserWarning, match=r"sorted by label.*classes 0\.\d+ times.*Shuffle the rows"),
        pytest.warns(ConvergenceWarning),
    ):
        Perceptron(client, **how).fit(delayed_of(by_class))
    with pytest.raises(InputError, match="made with another dealing of rows"):
        Perceptron(client, **how | {"persist": True}).fit(delayed_of(by_class), resume=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        Perceptron(client, **how).fit(delayed_of(mixed))


def told(part, begun):
    """The partition, once it is written down that it is being read."""
    with open(begun, "a") as file:
        file.write("read\n")
    return part


@pytest.mark.parametrize("persist", [True, False])
def test_a_worker_killed_by_force_changes_nothing(client, persist, tmp_path):
    """Kept partitions are lost with it, and recomputed; those being read are read elsewhere."""
    X, y = integers(160)
    if persist:  # weights so wide that they are sent to the workers, and lost with one
        X = sparse.csr_array((X.ravel(), np.tile(np.arange(4) * 5000, 160), np.arange(161) * 4))
    parts = pieces(X, y, [40, 80, 120])
    begun = tmp_path / "begun"
    lazily = [dask.delayed(told)(part, str(begun)) for part in parts]
    before = set(client.run(os.getpid).values())
    victim, killers = min(before), []

    def progress(made):
        if made.number != 2:
            return
        if persist:
            os.kill(victim, signal.SIGKILL)
            return
        read = begun.stat().st_size  # without kept partitions, each round reads them again

        def kill():
            until(lambda: begun.stat().st_size > read, "the third round reads a partition")
            os.kill(victim, signal.SIGKILL)

        killers.append(threading.Thread(target=kill))
        killers[0].start()

    clf = Perceptron(client, persist=persist, max_iter=4, solution="average")
    clf.fit(lazily, progress=progress)
    for killer in killers:
        killer.join()
    np.testing.assert_array_equal(clf.run_.weights, simulated(parts, [0, 1], 4).weights)

    def others():
        left = set(client.run(os.getpid, on_error="ignore").values()) - {victim}
        return len(left) == 2 and left

    assert until(others, "another worker in the place of the one killed") != before


def test_a_worker_that_joins_late_changes_nothing(cluster, client):
    parts = pieces(*integers(160), [40, 80, 120])

    def progress(made):
        if made.number == 2:
            cluster.scale(3)
            client.wait_for_workers(3, timeout=PATIENCE)

    clf = Perceptron(client, max_iter=8).fit(delayed_of(parts), progress=progress)
    np.testing.assert_array_equal(clf.run_.weights, simulated(parts, [0, 1], 8).weights)
    cluster.scale(2)


@pytest.mark.parametrize("kind", ["npz", "parquet", "svm"])
def test_no_more_than_two_copies_of_a_partition_are_held(tmp_path, kind):
    rng = np.random.default_rng(0)
    X = rng.integers(1, 10, (10_000, 100)).astype(float)
    y = (X[:, 0] > 5).astype(int)
    path = tmp_path / f"part.{kind}"
    if kind == "npz":
        np.savez(path, X=X, y=y)
    elif kind == "parquet":
        pd.DataFrame(X, columns=[f"c{j}" for j in range(100)]).assign(y=y).to_parquet(path)
    else:
        rows = (" ".join(f"{j + 1}:{x:g}" for j, x in enumerate(row)) for row in X)
        path.write_text("".join(f"{k} {row}\n" for k, row in zip(y, rows, strict=True)))
    (shard,) = read_files(path).shards
    facts = work.PartitionFacts(100, int(kind == "svm"), np.array([0, 1]))
    for function, args in (
        (mixing.one_pass, (Pace(), 1)),
        (mixing.wrong, ("train", None)),
        (worst_of, (50,)),
        (floor, ()),
        (None, ()),
    ):

        def look(function=function, args=args):
            how = {"question": function, "args": args, "positive": None}
            work.on_block(shard, 0, np.ones(101), facts=facts, **how)

        if function is None:
            look = partial(work.survey, shard, 0)
        look()  # what is compiled or imported is not counted
        tracemalloc.start()
        look()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        block = work.prepare(shard, 0, facts=facts)
        stored = (block.X.data, block.X.indices) if kind == "svm" else (block.X,)
        # A quarter of a copy pays for labels, codes and scores.
        assert peak <= 2.25 * sum(a.nbytes for a in (*stored, y, block.codes, block.train))


def test_data_stays_where_it_is(client):
    X, y = integers(400, 50)
    batches = DaskBatches(client, da.from_array(X, chunks=(50, 50)), y)
    data = Partitions(batches, persist=True)
    for number in range(1, 6):
        data.mix(np.zeros(51), Pace(), number)
    holders = client.who_has(batches.kept)
    assert max(map(len, holders.values())) <= 2
    assert len(holders) == 8


def test_wide_weights_are_sent_once_and_come_back(client):
    rng = np.random.default_rng(0)
    X = sparse.random_array((40, 50_000), density=0.0004, rng=rng, format="csr")
    y = np.arange(40) % 2
    parts = [(X[:20], y[:20]), (X[20:], y[20:])]
    clf = Perceptron(client, max_iter=5).fit(delayed_of(parts))
    np.testing.assert_array_equal(clf.run_.weights, simulated(parts, [0, 1], 5).weights)
    assert clf.rounds_[0].moved >= 50_001 * 8 * 4


def test_decisions_and_margins_are_those_of_one_machine(client):
    data = gaussian(300, 3, 0.1, seed=3)
    X = da.from_array(data.X, chunks=(70, 3))
    decision = decide(X, data.y, client=client)
    assert decision.verdict is Verdict.SEPARABLE
    assert decision.certificate.verify(data.X, data.y)
    here, there = rb.MaxMargin().fit(data.X, data.y), MaxMargin(client).fit(X, data.y)
    assert there.margin_ == pytest.approx(here.margin_, rel=1e-6)
    np.testing.assert_array_equal(there.support_, here.support_)
    assert rb.margin(data.X, data.y).upper >= decision.margin.lower
    flipped = data.y.copy()
    flipped[[10, 200]] *= -1
    decision = decide(X, flipped, client=client)
    assert decision.verdict is Verdict.INSEPARABLE
    assert decision.certificate.verify(data.X, flipped)
    assert verify(decision.certificate, X, flipped, client=client)
    assert not verify(decision.certificate, X, data.y, client=client)
    with pytest.raises(NotSeparableError) as refused:
        MaxMargin(client).fit(X, flipped)
    assert refused.value.certificate.verify(data.X, flipped)
    clf = Perceptron(client, certify=True).fit(X, flipped)
    assert clf.stop_ is Stop.INSEPARABLE
    assert clf.certificate_.verify(data.X, flipped)


def test_the_positive_class_is_the_one_meant_or_said(client):
    rows, y = np.array([[1.0, 1.0], [3.0, 2.0], [2.0, 4.0], [3.0, 4.0]]), np.array(list("-+++"))
    X = da.from_array(rows, chunks=(2, 2))
    for how, classes in (({}, ("-", "+")), ({"positive": "-"}, ("+", "-"))):
        decision = decide(X, y, client=client, **how)
        assert decision.classes == decision.certificate.classes == classes
        scores = rows @ decision.weights[:2] + decision.weights[2]
        np.testing.assert_array_equal(scores > 0, y == classes[1])
        assert verify(decision.certificate, X, y, client=client)
    assert Perceptron(client=client).fit(X, y).classes_.tolist() == ["+", "-"]
    for bad in (None, np.nan):
        labels = np.array(["-", "+", bad, "+"], dtype=object)
        with pytest.raises(InputError, match=r"partition 1: y lacks a label in 1 row \(0\)"):
            decide(X, labels, client=client)


def test_three_classes_are_decided_where_they_are(client):
    X, y = integers(200, 3, classes=3)
    chunks = da.from_array(X, chunks=(60, 3))
    decision, here = decide(chunks, y, client=client), rb.decide(X, y)
    assert decision.verdict is here.verdict is Verdict.INSEPARABLE
    assert decision.certificate.verify(X, y)
    assert verify(decision.certificate, chunks, y, client=client)


def test_validation_stops_and_keeps_the_best(client):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 10))
    y = (X[:, 0] + rng.standard_normal(600) > 0).astype(int)
    rows = da.from_array(X, chunks=(200, 10))
    clf = Perceptron(client, early_stopping=True, n_iter_no_change=3).fit(rows, y)
    assert clf.stop_ is Stop.VALIDATION_ERROR
    errors = clf.run_.column("validation_error")
    assert errors[-4:].min() >= errors.min()
    assert clf.certificate_ is None
    own = Perceptron(client, n_iter_no_change=3).fit(
        rows, y, eval_set=(da.from_array(X, chunks=(300, 10)), y)
    )
    assert own.stop_ is Stop.VALIDATION_ERROR
    wrong = 1 - own.to_local().score(X, y)
    assert wrong == pytest.approx(own.run_.column("validation_error").min())


def test_budgets_pocket_and_going_on(client, tmp_path):
    X, y = integers(200)
    rows = da.from_array(X, chunks=(50, 4))
    clf = Perceptron(client, solution="pocket", max_iter=6).fit(rows, y)
    assert clf.stop_ is Stop.PASSES
    assert 1 - clf.to_local().score(X, y) == pytest.approx(clf.to_local().kept_[0]["pocket"].error)
    few = Perceptron(client, max_updates=10, solution="average").fit(rows, y)
    assert few.stop_ is Stop.UPDATES
    assert few.n_iter_ == 1
    path = tmp_path / "fit.checkpoint"
    Perceptron(client, max_iter=3, checkpoint=path).fit(rows, y)
    resumed = Perceptron(client, max_iter=6, checkpoint=path).fit(rows, y, resume=True)
    straight = Perceptron(client, max_iter=6).fit(rows, y)
    np.testing.assert_array_equal(resumed.run_.weights, straight.run_.weights)
    np.testing.assert_array_equal(resumed.run_.average, straight.run_.average)
    assert (resumed.n_iter_, resumed.mistakes_) == (straight.n_iter_, straight.mistakes_)
    assert resumed.guarantee_ == straight.guarantee_
    with pytest.raises(InputError, match="made with another order"):
        Perceptron(client, order="cyclic", checkpoint=path).fit(rows, y, resume=True)
    path.write_bytes(b"nothing of the kind")
    for resume in (False, True):
        with pytest.raises(InputError, match="not a sound checkpoint, and it would be overwritten"):
            Perceptron(client, checkpoint=path).fit(rows, y, resume=resume)
    assert path.read_bytes() == b"nothing of the kind"


def test_values_that_no_fit_has_are_refused(tmp_path):
    """Whoever knows the format can write a digest that fits, so values are checked too."""
    content = {"classes": 0, "seconds": 1.0, "cost": [1, 1, 1, 1, 1, "O(nd)"], "pocket": [0.5, 3]}
    content |= {"mistakes": 1, "updates": 1, "passes": 1, "looks": 1}
    tensors = {"weights": np.ones(5), "drift": np.ones(5), "dual": np.zeros(2)}
    tensors |= {"clock": np.ones(1, int), "history": np.ones((1, 6)), "pocket": np.ones(5)}
    keeper = Keeper(tmp_path / "fit", {"columns": 4})
    keeper.file.write(content, tensors)
    assert keeper.load().run.passes == 1
    odd = ["x", -1, 1.5, None, [], {}, [1], math.inf, 10**30, "1"]
    cases = [({**content, name: value}, tensors) for name in content for value in odd]
    cases += [(content | {"cost": [value, *content["cost"][1:]]}, tensors) for value in odd[:-2]]
    cases += [(content | {"pocket": [value, value]}, tensors) for value in odd[:-2]]
    for name, array in tensors.items():
        arrays = (array[:-1], np.append(array, array), array.astype(np.int8), array[None] * np.nan)
        cases += [(content, tensors | {name: other}) for other in arrays]
        cases += [(content, {k: v for k, v in tensors.items() if k != name})]
    for changed, arrays in cases:
        keeper.file.write(changed, arrays)
        try:
            standing = keeper.load()
        except InputError as error:
            assert "not a sound checkpoint" in str(error)  # noqa: PT017
        else:
            assert standing.run.state.weights.shape == (5,)


@pytest.mark.parametrize("back", [1, 30, 200])
def test_a_checkpoint_with_a_bit_turned_or_of_other_data_is_refused(client, tmp_path, back):
    X, y = integers(200)
    rows = da.from_array(X, chunks=(50, 4))
    path = tmp_path / "fit.checkpoint"
    clf = Perceptron(client, max_iter=3, checkpoint=path).fit(rows, y)
    whole = path.read_bytes()
    turned = bytearray(whole)
    turned[-back] ^= 4
    path.write_bytes(turned)
    with pytest.raises(InputError, match="the checkpoint is damaged; remove the file"):
        clf.fit(rows, y, resume=True)
    path.write_bytes(whole)
    with pytest.raises(InputError, match="made with another data set"):
        clf.fit(da.from_array(X[::-1].copy(), chunks=(50, 4)), y, resume=True)
    with pytest.raises(InputError, match="made with another class_weights"):
        Perceptron(client, class_weight="balanced", checkpoint=path).fit(rows, y, resume=True)
    with pytest.raises(InputError, match="a checkpoint of another kind of fit"):
        CheckpointFile(path, "stream", {}).read()
    assert path.read_bytes() == whole


def test_a_disk_that_fills_up_ends_no_fit(client, tmp_path):
    rows, y = integers(200)
    rows = da.from_array(rows, chunks=(50, 4))
    with pytest.raises(InputError, match="there is no folder"):
        Perceptron(client, checkpoint=tmp_path / "none" / "fit").fit(rows, y)
    folder = tmp_path / "disk"
    folder.mkdir()

    def fill(made):
        if made.number == 2:
            (folder / "fit").unlink()
            (folder / "fit").mkdir()

    clf = Perceptron(client, max_iter=4, checkpoint=folder / "fit", solution="average")
    with pytest.warns(UserWarning, match="it holds round 1, and the fit goes on"):
        clf.fit(rows, y, progress=fill)
    assert clf.n_iter_ == 4


def test_a_fit_that_spends_its_rounds_warns(client):
    X, y = integers(200)
    rows = da.from_array(X, chunks=(50, 4))
    with pytest.warns(ConvergenceWarning, match=r"max_iter rounds.*rosenblatt\.dask\.decide"):
        Perceptron(client, max_iter=3).fit(rows, y)
    data = gaussian(100, 3, 0.3, seed=0)
    with warnings.catch_warnings(action="error"):
        Perceptron(client).fit(da.from_array(data.X, chunks=(40, 3)), data.y)
        proved = Perceptron(client, max_iter=20, certify=True).fit(rows, y)
        assert proved.verdict_ is Verdict.SEPARABLE


def test_labels_in_one_piece_need_chunks_of_known_length(client):
    X, y = integers(90)
    rows = da.from_array(X, chunks=(30, 4))
    unknown = rows[rows[:, 0] > -9]
    with pytest.raises(InputError, match=r"chunks of unknown length.*compute_chunk_sizes\(\)"):
        Perceptron(client).fit(unknown, y)
    labels = da.from_array(y, chunks=30)
    clf = Perceptron(client, max_iter=3).fit(unknown, labels[rows[:, 0] > -9])
    np.testing.assert_array_equal(clf.coef_, Perceptron(client, max_iter=3).fit(rows, y).coef_)


def test_labels_with_a_fraction_are_refused_as_they_are_locally(client):
    X, y = integers(60)
    with pytest.raises(InputError, match=r"Unknown label type: continuous.* such as 0\.5"):
        Perceptron(client).fit(delayed_of(pieces(X, y + 0.5, [20])))


def test_weights_of_classes_and_points(client):
    X, y = integers(300)
    weights = np.random.default_rng(0).integers(0, 4, 300).astype(float)
    edges = [0, 100, 150, 300]
    parts = [(X[a:b], y[a:b], weights[a:b]) for a, b in itertools.pairwise(edges)]
    rows = da.from_array(X, chunks=((100, 50, 150), 4))
    clf = Perceptron(client, max_iter=5, class_weight={1: 3}).fit(rows, y, sample_weight=weights)
    pace = {"class_weights": (1.0, 3.0), "spread": (1.0, 9.0)}
    run = simulated(parts, [0, 1], 5, **pace)
    np.testing.assert_array_equal(clf.run_.weights, run.weights)
    assert clf.guarantee_.holds
    listed = Perceptron(client, max_iter=5, class_weight={1: 3}).fit(delayed_of(parts))
    np.testing.assert_array_equal(listed.coef_, clf.coef_)
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(X, columns=names).assign(kind=y, much=weights)
    # One partition is the perceptron of one machine, by which balanced is checked too.
    frames = dd.from_pandas(frame, npartitions=1)
    how = {"order": "cyclic", "max_iter": 5, "class_weight": "balanced", "solution": "pocket"}
    there = Perceptron(client, **how).fit(frames, "kind", sample_weight="much")
    here = rb.Perceptron(certify=False, **how).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(there.run_.weights, here.run_.weights, rtol=1e-12)
    kept = there.to_local().kept_[0]["pocket"]
    wrong = (2 * y - 1) * (X @ kept.weights[:-1] + kept.weights[-1]) <= 0
    busy = weights > 0
    steps = weights * (busy.sum() / 2 / np.bincount(y[busy]))[y]
    assert kept.error == pytest.approx(steps[wrong].sum() / steps.sum())
    score = float(there.score(frames, "kind", sample_weight="much"))
    assert score == pytest.approx(there.to_local().score(frame[names], y, sample_weight=weights))
    # A certificate would speak of rows that were never looked at.
    data = gaussian(100, 3, 0.3, seed=0)
    some = (np.arange(100) % 5 > 0).astype(float)
    rows = da.from_array(data.X, chunks=(40, 3))
    clf = Perceptron(client).fit(rows, data.y, sample_weight=some)
    assert clf.stop_ is Stop.SEPARATED_IN_PLAY
    assert clf.certificate_ is None
    with pytest.raises(InputError, match="Fit with certify=True"):
        verify(clf.certificate_, rows, data.y, client=client)
    with pytest.raises(InputError, match=r"partition 1: .*negative, got -1.0 at row 2"):
        clf.fit(rows, data.y, sample_weight=np.where(np.arange(100) == 42, -1.0, 1.0))
    with pytest.raises(InputError, match="class_weight"):
        Perceptron(client, class_weight={7: 2.0}).fit(rows, data.y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": "l2"}, "penalty='l2' is not offered on a cluster: .*early_stopping"),
        ({"multiclass": "ovr"}, "multiclass='ovr' is not offered"),
        ({"margin": 0.5}, r"rosenblatt\.dask\.MaxMargin"),
        ({"n_jobs": 2}, "the workers of the cluster are the jobs"),
        ({"solution": "vote"}, "got 'vote': every hyperplane"),
        ({"order": "worst"}, "use order='active'"),
        ({"ties": "correct"}, "use ties='mistake'"),
        ({"certify": "auto"}, "use certify=True"),
        ({"eta0": 0.0}, "eta0 must be a positive"),
        ({"tol": "a"}, "tol must be a number of at least 0, 'auto' or None, got 'a'"),
        ({"random_state": -1}, "random_state must be"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "validation_fraction must be"),
    ],
)
def test_what_is_not_offered_says_why_and_what_is(parameters, message):
    with pytest.raises(InputError, match=message):
        Perceptron(client="nowhere", **parameters).fit([])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_few_long_rows_do_not_decide_what_is_predicted(client, kind):
    X, y = make_classification(3000, 6, n_informative=4, class_sep=1.5, random_state=3)
    train, new, long = slice(0, 2000), slice(2000, None), X.copy()
    long[:2000:400] *= 1e4
    scores = []
    for rows in (X, long):
        parts = [(kind(rows[at : at + 500]), y[at : at + 500]) for at in range(0, 2000, 500)]
        clf = Perceptron(client, max_iter=20).fit([dask.delayed(part) for part in parts])
        scores.append(clf.to_local().score(X[new], y[new]))
    usual, with_long = scores
    assert with_long > usual - 0.03 > 0.85
    assert usual > rb.Perceptron().fit(X[train], y[train]).score(X[new], y[new]) - 0.03


def test_rows_of_weight_0_have_no_part_in_the_scale_of_columns(client):
    X, y = integers(200)
    y[::7] = 1 - y[::7]
    weights, other = np.ones(200), X.copy()
    weights[::4] = 0.0
    other[::4] *= [1e6, 1.0, 1e-3, 50.0]
    found = []
    for rows in (X, other):
        given = da.from_array(rows, chunks=(50, 4))
        clf = Perceptron(client, max_iter=5).fit(given, y, sample_weight=weights)
        found.append(clf.coef_)
    np.testing.assert_array_equal(*found)


def test_a_model_is_cloned_and_pickled_without_its_client(client):
    data = gaussian(60, 3, 0.3, seed=0)
    rows = da.from_array(data.X, chunks=(30, 3))
    clf = Perceptron(client, max_iter=7).fit(rows, data.y)
    other = clone(clf)
    assert other.client is client
    assert (other.max_iter, hasattr(other, "coef_")) == (7, False)
    again = pickle.loads(pickle.dumps(clf))
    assert again.client == client.scheduler.address
    np.testing.assert_array_equal(again.predict(rows).compute(), data.y)
    np.testing.assert_array_equal(again.fit(rows, data.y).coef_, clf.coef_)
    assert pickle.loads(pickle.dumps(Perceptron("tcp://here:1"))).client == "tcp://here:1"
    assert pickle.loads(pickle.dumps(Perceptron())).client is None


def test_parameters_at_their_defaults_of_one_machine_ask_for_nothing():
    clf = Perceptron(penalty=None, multiclass="native", n_jobs=None, max_iter=7)
    assert clf.get_params()["max_iter"] == 7
    assert "penalty" not in clf.get_params()
    assert clone(clf).max_iter == 7
    with pytest.raises(InputError, match="fit on their rows alone"):
        MaxMargin(multiclass="ovo")


def test_many_classes_have_a_margin_each(client):
    X, y = load_iris(return_X_y=True)
    X[:, 0] += 20.0 * (y == 1)
    X[:, 1] += 20.0 * (y == 2)
    y = np.array(["u", "v", "w"])[y]
    rows = da.from_array(X, chunks=(40, 4))
    here, there = rb.MaxMargin().fit(X, y), MaxMargin(client).fit(rows, y)
    np.testing.assert_allclose(there.margin_, here.margin_, rtol=1e-6)
    for one, other in zip(there.support_, here.support_, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(there.predict(rows).compute(), y)
    np.testing.assert_array_equal(there.to_local().predict(X), y)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotSeparableError, match="Class 1 against the rest: ") as refused:
        MaxMargin(client).fit(da.from_array(X, chunks=(40, 4)), y)
    assert refused.value.certificate.verify(X, y == 1)


def test_batches_of_partitions_go_on_from_each_other(client):
    X, y = integers(200)
    clf = Perceptron(client, order="cyclic")
    with pytest.raises(InputError, match="classes must be passed"):
        clf.partial_fit(da.from_array(X, chunks=(50, 4)), y)
    for batch in (slice(0, 100), slice(100, 200)):
        rows = da.from_array(X[batch], chunks=(100, 4))
        clf.partial_fit(rows, y[batch], classes=[0, 1])
    alone = rb.Perceptron(order="cyclic")
    for batch in (slice(0, 100), slice(100, 200)):
        alone.partial_fit(X[batch], y[batch], classes=[0, 1])
    np.testing.assert_array_equal(clf.run_.weights, alone.run_.weights)
    assert clf.n_iter_ == 2
    assert clf.guarantee_.weighted_mistakes == clf.mistakes_
    with pytest.raises(InputError, match="not the same as on the last call"):
        clf.partial_fit(rows, y[batch], classes=[0, 1, 2])


def test_an_interruption_keeps_what_was_learned(client, tmp_path):
    parts = pieces(*integers(160), [40, 80, 120])

    def progress(made):
        if made.number == 3:
            raise KeyboardInterrupt

    path = tmp_path / "fit.checkpoint"
    how = {"order": "shuffled", "checkpoint": path}
    clf = Perceptron(client, **how).fit(delayed_of(parts), progress=progress)
    assert clf.stop_ is Stop.INTERRUPTED
    # The round that was made counts, although telling of it was cut short.
    run, _ = simulate(here(parts, [0, 1]), Pace(order="shuffled"), 3)
    np.testing.assert_array_equal(clf.run_.weights, run.weights)
    assert (clf.n_iter_, len(clf.history_), clf.mistakes_) == (3, 3, run.mistakes)
    on = Perceptron(client, max_iter=5, **how).fit(delayed_of(parts), resume=True)
    run, _ = simulate(here(parts, [0, 1]), Pace(order="shuffled"), 5)
    np.testing.assert_array_equal(on.run_.weights, run.weights)
    assert (on.n_iter_, on.mistakes_) == (5, run.mistakes)
    with pytest.raises(InputError, match="holds 5 rounds already, and max_iter=5 allows no more"):
        on.fit(delayed_of(parts), resume=True)


def test_a_validated_fit_goes_on_from_its_last_round_not_its_best(client, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 10))
    y = (X[:, 0] + rng.standard_normal(300) > 0).astype(int)
    rows = da.from_array(X, chunks=(100, 10))
    how = {"early_stopping": True, "n_iter_no_change": 100, "validation_fraction": 0.3}
    path = tmp_path / "fit.checkpoint"
    Perceptron(client, max_iter=4, checkpoint=path, **how).fit(rows, y)
    on = Perceptron(client, max_iter=8, checkpoint=path, **how).fit(rows, y, resume=True)
    straight = Perceptron(client, max_iter=8, **how).fit(rows, y)
    assert [row.norm for row in on.history_] == [row.norm for row in straight.history_]


def test_ctrl_c_in_a_terminal_does_not_reach_the_workers():
    with connected(workers=1) as own:
        (pid,) = own.run(os.getpid).values()
        os.kill(pid, signal.SIGINT)
        assert own.submit(os.getpid, pure=False).result(timeout=PATIENCE) == pid


def test_a_cluster_of_its_own_is_closed():
    with connected(workers=1) as own:
        assert own.submit(sum, [1, 2]).result() == 3
    assert own.status == "closed"
    with pytest.raises(rb.RosenblattError, match="no address of a scheduler"), connected("here"):
        pass


def test_without_dask_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "import rosenblatt as rb\n"
        "try:\n    rb.dask.Perceptron\n"
        "except (ImportError, rb.RosenblattError) as error:\n"
        "    assert isinstance(error, ImportError) and isinstance(error, rb.RosenblattError)\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "rosenblatt[dask]"' in done.stdout


def test_lazy_answers_where_dask_ml_names_estimators_by_their_parameters():
    """Importing dask_ml has Dask name an estimator by get_params and by what ends in ``_``."""
    code = """
import dask.array as da, numpy as np
from dask.base import normalize_token
from distributed import Client
from sklearn.base import BaseEstimator
from rosenblatt.dask import MaxMargin, Perceptron
from rosenblatt.datasets import gaussian

@normalize_token.register(BaseEstimator)
def normalize_estimator(est):
    attributes = [x for x in dir(est) if x.endswith("_") and not x.startswith("_")]
    values = [getattr(est, name, None) for name in attributes]
    return type(est).__name__, normalize_token(est.get_params()), *values

data = gaussian(60, 3, 0.3, seed=0)
X, y = da.from_array(data.X, chunks=(20, 3)), da.from_array(data.y, chunks=20)
with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    names = []
    for clf in (Perceptron(client).fit(X, y), MaxMargin(client).fit(X, y)):
        assert np.array_equal(clf.predict(X).compute(), data.y)
        scores = clf.to_local().decision_function(data.X)
        assert np.array_equal(clf.decision_function(X).compute(), scores)
        assert float(clf.score(X, y)) == 1
        assert clf.predict(X).name == clf.predict(X).name
        names.append(clf.predict(X).name)
assert names[0] != names[1]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_rows_of_another_width_or_none_are_told(client):
    data = gaussian(60, 3, 0.3, seed=0)
    rows = da.from_array(data.X, chunks=(30, 3))
    clf = Perceptron(client).fit(rows, data.y)
    with pytest.raises(InputError, match="X has 2 features, but the model is expecting 3"):
        clf.predict(rows[:, :2]).compute()
    assert clf.predict(rows[:0]).compute().shape == (0,)
    empty = [dask.delayed((np.zeros((0, 3)), np.zeros(0)), traverse=False)]
    assert clf.decision_function(empty).compute().shape == (0,)


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
def test_columns_of_another_order_are_refused_where_rows_are_predicted(client, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    frame["y"] = (frame.a - 2 * frame.b > 0).astype(int)
    rows = dd.from_pandas(frame, npartitions=2)
    clf = kind(client).fit(rows, "y")
    assert float(clf.score(rows, "y")) > 0.95
    with warnings.catch_warnings(action="error"):
        assert np.mean(clf.predict(frame[["a", "b", "c"]]) == frame.y) > 0.95
    for turned in (rows[["c", "b", "a"]], frame[["c", "b", "a"]]):
        with pytest.raises(InputError, match="in their order: a, b, c; got c, b, a"):
            clf.predict(turned)
    with pytest.raises(InputError, match="in their order: a, b, c; got c, b, a"):
        float(clf.score(rows[["c", "b", "a", "y"]], "y"))


def test_a_cluster_without_workers_is_told_and_one_whose_workers_just_start_is_not(
    client, monkeypatch
):
    X, y = da.from_array(np.array([[0.0], [1.0]]), chunks=(1, 1)), np.array([0, 1])
    monkeypatch.setattr(batches, "STARTING", 0.01)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0", processes=False) as empty,
        Client(empty, set_as_default=False) as alone,
        pytest.warns(UserWarning, match="no workers yet: the fit waits for some"),
    ):
        DaskBatches(alone, X, y)
    # None is there when it is asked first, and one when it is waited for.
    monkeypatch.setattr(batches, "workers_of", lambda _: {})
    monkeypatch.setattr(batches, "STARTING", 60)
    DaskBatches(client, X, y)
