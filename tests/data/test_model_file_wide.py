"""Files of models of very many columns, most of them empty: small, and as exact as all others."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from safetensors.numpy import load as from_bytes
from scipy import sparse

import rosenblatt as rb
from rosenblatt.data.checkpoint import digest
from rosenblatt.data.model_file import ModelFileError
from rosenblatt.data.model_file.values import LARGEST_ARRAY, decoded, encoded
from rosenblatt.engine.run import WideRun
from rosenblatt.estimators.passive_aggressive import PassiveAggressive

WIDTH = 2**15
RNG = np.random.default_rng(5)
N, PER_ROW = 60, 5
X = sparse.csr_array(
    (RNG.normal(size=N * PER_ROW), RNG.integers(0, WIDTH, N * PER_ROW), np.arange(N + 1) * PER_ROW),
    shape=(N, WIDTH),
)
X.sum_duplicates()
Y = RNG.integers(0, 4, N)
MODELS = [
    rb.Perceptron(),
    rb.Perceptron(multiclass="ovr"),
    rb.Perceptron(multiclass="ovo"),
    rb.Perceptron(solution="vote", max_voters=20),
    rb.Perceptron(keep=("pocket",), max_iter=30),
    rb.Perceptron(penalty="l1", alpha=1e-4, max_iter=10),
    PassiveAggressive(max_iter=10),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.safetensors"


@pytest.mark.filterwarnings("ignore:The budget of passes")
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_small_file_of_a_wide_model_holds_all_of_it(model, classes, path):
    model.fit(X, Y % classes)
    rb.save(model, path)
    if getattr(model, "penalty", None) is None:  # what each weight owes is kept
        assert path.stat().st_size < model.coef_.nbytes  # each of many vectors took as much
    again = rb.load(path)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.coef_.flags.f_contiguous == model.coef_.flags.f_contiguous
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    for ours, theirs in zip(model.runs_, again.runs_, strict=True):
        for name in ("weights", "average", "best"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        np.testing.assert_array_equal(ours.state.drift, theirs.state.drift)
        np.testing.assert_array_equal(ours.column("norm"), theirs.column("norm"))
    for clf in (model, again):
        clf.partial_fit(X[:30], Y[:30] % classes)
    np.testing.assert_array_equal(again.coef_, model.coef_)


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_what_was_narrow_is_narrow_again(multiclass, path):
    model = rb.Perceptron(multiclass=multiclass, certify=True).fit(X, Y)
    rb.save(model, path)
    again = rb.load(path)
    assert all(isinstance(run, WideRun) for run in (*again.runs_, again.run_))
    assert not any("weights" in vars(proof) for proof in again.fitted_.certificates)
    for part, proof in enumerate(again.fitted_.certificates):
        assert proof == model.fitted_.certificates[part]
    if multiclass == "native":
        assert again.certificate_.verify(X, Y)


def test_rational_weights_of_columns_in_use(path):
    tiny = sparse.csr_array(
        ([1.0, np.nextafter(1.0, 0)], [WIDTH - 7, WIDTH - 7], [0, 1, 2]), shape=(2, WIDTH)
    )
    model = rb.Perceptron(certify=True).fit(tiny, [1, 0])
    assert model.certificate_.in_use.dtype == object
    rb.save(model, path)
    assert path.stat().st_size < WIDTH
    again = rb.load(path)
    assert again.certificate_.verify(tiny, [1, 0])
    separator = again.with_solution("separator")
    np.testing.assert_array_equal(separator.predict(tiny), [1, 0])


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_keep_every_bit(order):
    wide = np.zeros((3, 5000), order=order)
    wide[1, [7, 4000]] = -0.0, np.nan
    wide[2, 4999] = 5e-324
    tensors = {}
    value = json.loads(json.dumps(encoded(wide, tensors, "w")))
    assert sum(tensor.size for tensor in tensors.values()) < 20
    again = decoded(value, tensors)
    np.testing.assert_array_equal(again.view(np.uint64), wide.view(np.uint64))
    assert again.flags.f_contiguous == wide.flags.f_contiguous


def rewritten(content, change):
    """The file with its values changed, and a digest that says so."""
    (length,) = struct.unpack("<Q", content[:8])
    head = json.loads(content[8 : 8 + length])
    model = json.loads(head["__metadata__"]["model"])
    change(model["fitted"])
    text = head["__metadata__"]["model"] = json.dumps(model)
    head["__metadata__"]["digest"] = digest(text, from_bytes(content))
    start = json.dumps(head).encode()
    return struct.pack("<Q", len(start)) + start + content[8 + length :]


def first_run(fitted):
    return dict(fitted["runs"]["list"][0]["dict"])["columns"]


UNSOUND = [
    (lambda m: m["coef_"].update(width=5), "out of range"),
    (lambda m: m["coef_"].update(width=LARGEST_ARRAY + 1), "out of range"),
    (lambda m: m["coef_"].update(width=LARGEST_ARRAY), "too many columns"),
    (lambda m: m["coef_"].update(width=True), "bad columns"),
    (lambda m: m["coef_"].update(among=m["intercept_"]), "bad columns"),
    (lambda m: m["coef_"].update(columns=m["intercept_"]), "bad columns"),
    (lambda m: m["coef_"].update(width=WIDTH + 1), "of other columns"),
    (lambda m: m["coef_"].pop("width"), "width"),
    (lambda m: first_run(m).update(width=WIDTH + 1), "of other columns"),
    (lambda m: first_run(m).update(columns=None), "bad columns"),
    (lambda m: m["certificate_"]["columns"].update(width=WIDTH + 1), "not about 32768 features"),
    (lambda m: m["certificate_"].update(columns=None), "not about 32768 features"),
    (lambda m: m["certificate_"].update(columns=m["intercept_"]), "bad columns"),
    (lambda m: m["certificate_"].update(weights=m["coef_"]), "one weight for each column"),
    (lambda m: m["certificate_"].update(weights=[[1, 2]] * 4), "one weight for each column"),
    (lambda m: m["certificate_"].update(certificate=[]), "bad certificate"),
]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "m"
    rb.save(rb.Perceptron(certify=True).fit(X, Y), path)
    return path.read_bytes()


@pytest.mark.parametrize(("change", "message"), UNSOUND)
def test_columns_that_do_not_fit_are_refused(change, message, good, path):
    path.write_bytes(rewritten(good, change))
    with pytest.raises(ModelFileError, match=message):
        rb.load(path)


def test_columns_out_of_order_are_refused(good, path):
    tensors = from_bytes(good)
    (length,) = struct.unpack("<Q", good[:8])
    head = json.loads(good[8 : 8 + length])
    key = json.loads(head["__metadata__"]["model"])["fitted"]["coef_"]["columns"]["tensor"]
    start, end = head[key]["data_offsets"]
    backwards = tensors[key][::-1].tobytes()
    at = 8 + length
    path.write_bytes(
        rewritten(good[: at + start] + backwards + good[at + end :], lambda fitted: None)
    )
    with pytest.raises(ModelFileError, match="sorted and different"):
        rb.load(path)
