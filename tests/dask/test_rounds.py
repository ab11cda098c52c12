"""Rounds on other executors than Dask's: the same weights, to the bit."""

from __future__ import annotations

import importlib.util
import itertools
import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import dask
import numpy as np
import pytest
from distributed import Client
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from expected import OUT_OF_PASSES
from rosenblatt import rounds
from rosenblatt.dask import Perceptron
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.places.cluster.batches import ClusterError

pytestmark = OUT_OF_PASSES
CLASSES = np.array(["a", "b", "c"])


def batches(classes=3):
    """Seven batches, one of them empty, more than a sum takes at once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((420, 5))
    y = CLASSES[(X @ rng.standard_normal((5, classes))).argmax(axis=1)]
    y[::15] = "a"
    cuts = [0, 60, 60, 130, 200, 270, 340, 420]
    made = [(X[a:b], y[a:b]) for a, b in itertools.pairwise(cuts)]
    made[2] = (*made[2], rng.integers(0, 3, 70).astype(float))
    return made


def by_dask(given, **parameters):
    """What Dask's rounds learn, and each round's mistakes."""
    delayed = [dask.delayed(batch, traverse=False) for batch in given]
    with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        model = Perceptron(client, **parameters).fit(delayed)
    return model.to_local(), [row.mistakes for row in model.rounds_]


def assert_same(model, other):
    np.testing.assert_array_equal(model.coef_, other.coef_)
    np.testing.assert_array_equal(model.intercept_, other.intercept_)
    np.testing.assert_array_equal(model.run_.weights, other.run_.weights)
    np.testing.assert_array_equal(model.run_.average, other.run_.average)
    for name in ("stop_", "verdict_", "mistakes_", "updates_", "looks_", "n_iter_", "radius_"):
        assert getattr(model, name) == getattr(other, name), name
    assert model.mistake_bound_ == other.mistake_bound_


SETTINGS = [
    {"max_iter": 5},
    {"max_iter": 5, "order": "shuffled", "mixing": "mistakes", "solution": "pocket"},
    {"max_iter": 5, "early_stopping": True, "class_weight": "balanced"},
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_process_pool_makes_the_rounds_that_dask_makes():
    given = batches()
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:

        def each(function):
            return pool.map(function, given, range(len(given)))

        for parameters in SETTINGS:
            seen = []
            model = rounds.fit(each, progress=seen.append, **parameters)
            other, mistakes = by_dask(given, **parameters)
            assert_same(model, other)
            assert [made.mistakes for made in seen] == mistakes


@pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray has no wheel for this Python or system"
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ray_makes_the_rounds_that_dask_makes():
    import ray

    given = batches()
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        held = [ray.put(batch) for batch in given]
        run = ray.remote(lambda function, batch, index: function(batch, index))

        def each(function):
            return ray.get([run.remote(function, batch, k) for k, batch in enumerate(held)])

        for parameters in SETTINGS[1:]:
            assert_same(rounds.fit(each, **parameters), by_dask(given, **parameters)[0])
    finally:
        ray.shutdown()


def test_rounds_decide_and_go_on_from_a_checkpoint(tmp_path):
    X = sparse.csr_array(np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]))
    given = [(X[:2], ["a", "a"]), (X[2:], ["b", "b"])]

    def each(function):
        return map(function, given, range(2))

    with pytest.warns(UserWarning, match="Shuffle the rows across partitions"):
        model = rounds.fit(each, certify=True)
    assert model.verdict_ is Verdict.INSEPARABLE
    assert model.certificate_.verify(X, ["a", "a", "b", "b"])
    path, many = tmp_path / "fit.checkpoint", batches()

    def over_many(function):
        return map(function, many, range(len(many)))

    how = {"solution": "average", "checkpoint": path}
    with pytest.warns(ConvergenceWarning):
        rounds.fit(over_many, max_iter=2, **how)
    with pytest.warns(ConvergenceWarning):
        model = rounds.fit(over_many, max_iter=4, resume=True, **how)
    assert (model.n_iter_, model.stop_) == (4, Stop.PASSES)
    assert_same(model, by_dask(many, max_iter=4, solution="average")[0])


def test_bad_batches_and_parameters_are_told():
    with pytest.raises(InputError, match="partition 0 has 2 columns, partition 1 has 3"):
        rounds.fit(lambda f: map(f, [(np.eye(2), [0, 1]), (np.eye(3), [0, 1, 1])], range(2)))
    with pytest.raises(InputError, match="resume=True needs checkpoint"):
        rounds.fit(lambda f: [], resume=True)
    with pytest.raises(InputError, match="penalty='l2' is not offered"):
        rounds.fit(lambda f: [], penalty="l2")
    with pytest.raises(InputError, match="no batch"):
        rounds.fit(lambda f: [])


def test_an_executor_answers_once_for_each_batch_in_any_order():
    given = [([[0.0], [1.0]], ["a", "b"]), ([[0.2], [0.9]], ["a", "b"]), ([[0.1]], ["b"])]
    asked = []

    def fewer(function):
        asked.append(1)
        return map(function, given[: 3 if len(asked) < 3 else 2], range(3))

    def backwards(function):
        return list(map(function, given, range(3)))[::-1]

    def in_order(function):
        return map(function, given, range(3))

    with pytest.raises(ClusterError, match=r"from 0 to 2 in every round; got answers for \[0, 1\]"):
        rounds.fit(fewer, max_iter=5)
    with pytest.raises(ClusterError, match=r"got answers for \[0, 0, 0\]"):
        rounds.fit(lambda function: [function(batch, 0) for batch in given])
    with pytest.raises(InputError, match="must return the answers of all batches, got a NoneType"):
        rounds.fit(lambda function: None)
    with ThreadPoolExecutor(1) as pool, pytest.raises(InputError, match="got a Future: wait"):
        rounds.fit(lambda function: [pool.submit(function, given[0], 0)])
    with pytest.raises(InputError, match=r"must be a function .* got a list"):
        rounds.fit(given)
    assert_same(*(rounds.fit(each, max_iter=5) for each in (in_order, backwards)))


def test_rounds_need_no_dask():
    code = (
        "import sys\n"
        "for name in ('dask', 'distributed'): sys.modules[name] = None\n"
        "from rosenblatt import rounds\n"
        "batches = [([[0.0], [1.0]], [0, 1]), ([[0.2], [0.9]], [0, 1])]\n"
        "model = rounds.fit(lambda f: map(f, batches, range(2)))\n"
        "assert model.score([[0.1], [0.8]], [0, 1]) == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", [list, partial(np.array, dtype=object)])
def test_labels_that_differ_in_a_nul_at_their_end_are_not_merged(kind):
    """As in memory; NumPy's own text drops such NULs."""
    X, labels = np.array([[0.0], [1.0], [2.0]]), ["b", "a", "a\0"]
    for cut in (1, 2):
        given = [(X[:cut], kind(labels[:cut])), (X[cut:], kind(labels[cut:]))]
        model = rounds.fit(lambda function, given=given: map(function, given, range(2)))
        assert model.classes_.tolist() == ["a", "a\0", "b"]
        assert model.predict(X).tolist() == labels
