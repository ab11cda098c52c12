"""Model files: exact round trips, and no file that does anything but load or be refused."""

from __future__ import annotations

import json
import os
import struct
from contextlib import suppress

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as to_bytes
from sklearn.datasets import load_iris

from rosenblatt.errors import InputError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.model_file import ATTRIBUTES, ModelFileError, load, read, save

X, Y = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])
MODELS = [
    Perceptron(max_iter=50),
    Perceptron(certify=True, threshold=0.5, random_state=np.int64(3)),
    Perceptron(multiclass="ovo", max_iter=50),
    Perceptron(multiclass="ovr", solution="pocket", max_iter=20, keep=("vote",)),
    Perceptron(solution="vote", max_iter=20),
    Perceptron(solution="vote", multiclass="ovr", max_iter=20, max_voters=7),
    PassiveAggressive(C=float("inf"), max_iter=20),
    MaxMargin(rtol=1e-3),
    BatchPerceptron(max_iter=20, init=np.ones(5)),
]
LABELS = {
    "bool": Y == 0,
    "int8": (Y == 0).astype(np.int8),
    "float": np.where(Y == 0, 2.0, -1.0),
    "text": np.where(Y == 0, "setosa", "other"),
    "object": np.where(Y == 0, "setosa", "other").astype(object),
}


def equal(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and (a == b or (a != a and b != b))


def check_same(model, again):
    assert type(again) is type(model)
    for name, value in model.get_params().items():
        assert equal(value, again.get_params()[name]), name
    for name in (
        "coef_",
        "intercept_",
        "classes_",
        "n_features_in_",
        *ATTRIBUTES[type(model).__name__],
    ):
        assert equal(getattr(model, name), getattr(again, name)), name
    assert equal(model.decision_function(X), again.decision_function(X))
    assert equal(model.predict(X), again.predict(X))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_round_trip_of_two_classes(model, tmp_path):
    path = tmp_path / "model.safetensors"
    model.fit(X, Y == 0)
    save(model, path)
    check_same(model, load(path))


@pytest.mark.parametrize("model", MODELS[:7], ids=repr)
def test_round_trip_of_three_classes(model, tmp_path):
    path = tmp_path / "model.safetensors"
    model.fit(X, SPECIES[Y])
    save(model, path)
    check_same(model, load(path))


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_classes_keep_their_type(labels, tmp_path):
    model = Perceptron().fit(X, labels)
    save(model, tmp_path / "m")
    check_same(model, load(tmp_path / "m"))


def test_feature_names_columns_and_sparse_weights(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd"))
    model = Perceptron().fit(frame, Y == 0).sparsify()
    save(model, tmp_path / "m", columns={"used": ["é"]})
    stored = read(tmp_path / "m")
    assert stored.columns == {"used": ["é"]}
    assert stored.model.feature_names_in_.tolist() == list("abcd")
    assert (stored.model.predict(frame) == model.predict(frame)).all()
    assert (stored.model.coef_ != model.coef_).nnz == 0


def test_certificate_still_verifies(tmp_path):
    save(Perceptron(certify=True).fit(X, Y), tmp_path / "m")
    assert load(tmp_path / "m").certificate_.verify(X, Y)


def test_other_estimators_are_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="joblib"):
        save(KernelPerceptron().fit(X, Y == 0), tmp_path / "m")
    with pytest.raises(InputError, match="random_state"):
        save(Perceptron(random_state=np.random.RandomState(0)).fit(X, Y == 0), tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_joblib_keeps_working(tmp_path):
    model = Perceptron().fit(X, Y == 0)
    joblib.dump(model, tmp_path / "m")
    check_same(model, joblib.load(tmp_path / "m"))


def test_failed_save_leaves_the_old_model(tmp_path, monkeypatch):
    path = tmp_path / "m"
    model = Perceptron().fit(X, Y == 0)
    save(model, path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        save(model, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(ModelFileError, match="no such file"):
        load(tmp_path / "m")
    with pytest.raises(ModelFileError, match="folder"):
        load(tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        save(Perceptron().fit(X, Y == 0), tmp_path / "no" / "m")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "m"
    save(Perceptron(solution="vote", max_iter=5).fit(X, SPECIES[Y]), path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("bad") / "m"


def refused_or_usable(place, content):
    """A damaged file is refused, or its damage is in numbers that are as good as any."""
    place.write_bytes(content)
    try:
        model = load(place)
    except ModelFileError:
        return
    with np.errstate(all="ignore"):
        assert len(model.predict(X[:3])) == 3


def taken_apart(content):
    (length,) = struct.unpack("<Q", content[:8])
    head = json.loads(content[8 : 8 + length])
    return head, json.loads(head["__metadata__"]["model"]), content[8 + length :]


def put_together(head, model, rest):
    head = {**head, "__metadata__": {**head["__metadata__"], "model": json.dumps(model)}}
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + rest


@settings(max_examples=3 * settings().max_examples)
@given(data=st.data())
def test_mutated_bytes(good, place, data):
    content = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(content), 12_000) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.none() | st.integers(0, len(content)))
    refused_or_usable(place, bytes(content[:cut]))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tensor", "scalar", "text", "dict", "tuple", "Stop", "float", "bracket"]
            ),
            inner,
            max_size=2,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=3 * settings().max_examples)
@given(data=st.data())
def test_mutated_values(good, place, data):
    head, model, rest = taken_apart(good)
    where = data.draw(st.sampled_from([model, model["params"], model["attributes"], model["coef"]]))
    key = data.draw(st.sampled_from(sorted(where)))
    if data.draw(st.booleans()):
        where[key] = data.draw(PLAIN)
    else:
        del where[key]
    place.write_bytes(put_together(head, model, rest))
    with suppress(ModelFileError):
        load(place)


HOSTILE = {
    "empty": b"",
    "short": b"\x00" * 7,
    "text": b"weights,classes\n1,2\n",
    "pickle": b"\x80\x04\x95\x1e\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94.",
    "header larger than the file": struct.pack("<Q", 1 << 40) + b"{}",
    "header of no JSON": struct.pack("<Q", 4) + b"nope",
    "another library's": to_bytes({"w": np.ones(3)}),
    "deep": to_bytes(
        {"w": np.ones(1)},
        {"format": "rosenblatt-model", "version": "1", "model": "[" * 100_000},
    ),
    "later version": to_bytes({}, {"format": "rosenblatt-model", "version": "9", "model": "{}"}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused(content, tmp_path):
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelFileError, match="m: "):
        load(tmp_path / "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(kind="os.system"), "unknown kind"),
        (lambda m: m["params"].update(evil=1), "evil"),
        (lambda m: m.update(classes={"text": ["a"], "dtype": "<U99999", "scalar": False}), "text"),
        (lambda m: m.update(classes={"text": ["a", "b"], "dtype": "<U1", "scalar": False}), "2"),
        (lambda m: m.update(voters=[]), "voters"),
        (lambda m: m["attributes"].update(certificate_={"certificate": {}}), "certificate"),
        (lambda m: m["attributes"].update(stop_="SEPARATED"), "stop_"),
        (lambda m: m.update(names=["one"]), "name for each"),
        (lambda m: m.pop("coef"), "coef"),
    ],
)
def test_unsound_models_are_refused(change, message, good, place):
    head, model, rest = taken_apart(good)
    change(model)
    place.write_bytes(put_together(head, model, rest))
    with pytest.raises(ModelFileError, match=message):
        load(place)
