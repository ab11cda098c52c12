"""Model files: exact round trips, and no file that does anything but load or be refused."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import re
import struct
import warnings
from contextlib import suppress
from pathlib import Path

import joblib
import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from expected import OUT_OF_PASSES, SHORT_OF_THE_MARGIN
from fuzzing import Mutator, limited
from rosenblatt import __version__
from rosenblatt.certificate import fingerprint
from rosenblatt.data.checkpoint import digest
from rosenblatt.data.model_file import ModelFileError, load, load_columns, read, save
from rosenblatt.data.model_file.container import VERSION
from rosenblatt.data.tables.columns import Columns
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron

pytestmark = [OUT_OF_PASSES, SHORT_OF_THE_MARGIN]

X, Y = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])
MODELS = [
    Perceptron(max_iter=50),
    Perceptron(certify=True, threshold=0.5, random_state=np.int64(3)),
    Perceptron(multiclass="ovo", max_iter=50),
    Perceptron(multiclass="ovr", solution="pocket", max_iter=20, keep=("vote",)),
    Perceptron(solution="vote", max_iter=20),
    Perceptron(solution="vote", multiclass="ovr", max_iter=20, max_voters=7),
    Perceptron(penalty="l2"),
    Perceptron(penalty="l1", tol=None, max_iter=8),
    PassiveAggressive(C=float("inf"), max_iter=20),
    MaxMargin(rtol=1e-3),
    BatchPerceptron(max_iter=20, init=np.ones(5)),
    KernelPerceptron(max_iter=20),
    KernelPerceptron(max_iter=5, kernel="poly", solution="vote", threshold=0.5),
    KernelPerceptron(max_iter=5, budget=20, kernel_params={"gamma": 0.5}),
    KernelPerceptron(max_iter=5, multiclass="ovr", solution="vote", class_weight="balanced"),
    KernelPerceptron(max_iter=20, early_stopping=True, n_iter_no_change=2, keep=("vote",)),
]
THREE = [model for model in MODELS if not isinstance(model, (MaxMargin, BatchPerceptron))]
LEARNERS = [
    Perceptron(),
    Perceptron(keep=("pocket", "vote"), solution="vote", max_voters=9),
    Perceptron(multiclass="ovo", solution="average", order="shuffled"),
    Perceptron(multiclass="ovr", solution="pocket"),
    Perceptron(margin=0.9),
    Perceptron(margin=0.5, multiclass="ovr"),
    Perceptron(penalty="elasticnet", alpha=0.01),
    Perceptron(penalty="l1", alpha=0.01, multiclass="ovr"),
    PassiveAggressive(),
    PassiveAggressive(average=40, loss="squared_hinge"),
    PassiveAggressive(multiclass="native"),
    KernelPerceptron(),
    KernelPerceptron(solution="vote", kernel="poly"),
    KernelPerceptron(budget=15, order="shuffled"),
    KernelPerceptron(multiclass="ovr", keep=("vote",), class_weight={"setosa": 2.0}),
]
# Rows that a run looked at are not kept, nor is how long it took to learn from them again.
ABSENT = ("run_", "runs_", "kept_", "_fitted", "_kept", "_run", "path_", "_kernel")
LABELS = {
    "bool": Y == 0,
    "int8": (Y == 0).astype(np.int8),
    "float": np.where(Y == 0, 2.0, -1.0),
    "text": np.where(Y == 0, "setosa", "other"),
    "object": np.where(Y == 0, "setosa", "other").astype(object),
}


def equal(a, b):
    if isinstance(a, Pass):  # files hold no seconds
        a, b = (tuple(row._replace(seconds=0.0)) for row in (a, b))
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and (a == b or (a != a and b != b))


def check_same(model, again):
    assert type(again) is type(model)
    for name, value in model.get_params().items():
        assert equal(value, again.get_params()[name]), name
    left_out = set(ABSENT) | set(model.get_params())
    for name in set(vars(model)) - left_out:
        assert equal(getattr(model, name), getattr(again, name)), name
    assert equal(model.decision_function(X), again.decision_function(X))
    assert equal(model.predict(X), again.predict(X))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_round_trip_of_two_classes(model, tmp_path):
    path = tmp_path / "model.safetensors"
    model.fit(X, Y == 0)
    save(model, path)
    check_same(model, load(path))


@pytest.mark.parametrize("model", THREE, ids=repr)
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
    columns = Columns([["é", "numeric"]], None, 4, list("abcd"), {}).to_dict()
    save(model, tmp_path / "m", columns=columns)
    stored = read(tmp_path / "m")
    assert stored.columns == columns
    assert stored.model.feature_names_in_.tolist() == list("abcd")
    assert (stored.model.predict(frame) == model.predict(frame)).all()
    assert (stored.model.coef_ != model.coef_).nnz == 0


def test_names_of_columns_are_those_of_the_features(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd"))
    columns = Columns([[name, "numeric"] for name in "abcd"], None, 4, list("abcd"), {})
    save(Perceptron(max_iter=20).fit(X, Y), tmp_path / "m", columns=columns.to_dict())
    with warnings.catch_warnings(action="error"):
        model = load(tmp_path / "m")
        assert equal(model.predict(frame), read(tmp_path / "m").model.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])
    save(model, tmp_path / "m")
    assert load(tmp_path / "m").feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ModelFileError, match="without columns"):
        load_columns(tmp_path / "m")
    with pytest.raises(InputError, match="not sound"):
        save(model, tmp_path / "m", columns={"used": ["é"]})


def test_features_of_a_frame_are_those_of_the_raw_columns(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"size": X[:, 2], "kind": SPECIES[Y], "id": range(len(Y))})
    hot = [f"kind={name}" for name in SPECIES]
    mean, scale = [1.5, 0.0, 0.0, 0.0], [2.0, 1.0, 1.0, 1.0]
    columns = Columns(
        [["kind", "text"], ["size", "numeric"]],
        *(None, 1, ["size", *hot], {"kind": SPECIES.tolist()}, mean, scale),
    )
    features = np.column_stack([(X[:, 2] - 1.5) / 2, np.eye(3)[Y]])
    model = Perceptron(max_iter=20).fit(features, Y)
    save(model, tmp_path / "m", columns=columns.to_dict())
    with pytest.warns(UserWarning, match=r"load_columns\(.*m'\)\.features_of\(frame\)"):
        again = load(tmp_path / "m")
    with warnings.catch_warnings(action="error"):
        made = load_columns(tmp_path / "m").features_of(frame)
        np.testing.assert_array_equal(made, features)
        assert equal(again.predict(made), model.predict(features))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame)
    with pytest.raises(InputError, match="no column 'size'"):
        columns.features_of(frame[["kind"]])
    many = frame.assign(kind=[f"{name:03}" for name in frame["id"] * 2])
    wide = dataclasses.replace(
        columns, categories={"kind": [f"{k:03}" for k in range(300)]}, mean=None, scale=None
    )
    wide = dataclasses.replace(wide, names=["size", *map(str, range(300))])
    sparse = wide.features_of(many)
    assert sparse.shape == (150, 301)
    np.testing.assert_array_equal(sparse.to_numpy()[:, 1:].argmax(axis=1), 2 * np.arange(150))
    unnamed = Columns([], None, 2, [], {}, scale=[1.0, 2.0])
    with pytest.raises(InputError, match="no names"):
        unnamed.features_of(frame)


def test_certificate_still_verifies(tmp_path):
    save(Perceptron(certify=True).fit(X, Y), tmp_path / "m")
    assert load(tmp_path / "m").certificate_.verify(X, Y)


def learned(model):
    """What a learner knows, the time it took aside."""
    names = ("coef_", "intercept_", "dual_coef_", "support_", "updates_", "looks_", "radius_")
    return [getattr(model, name) for name in names if hasattr(model, name)]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_learning_goes_on_as_if_nothing_had_happened(learner, classes, tmp_path):
    y = SPECIES[np.minimum(Y, classes - 1)]
    order = np.random.default_rng(0).permutation(len(y))
    batches = np.split(order, 3)
    ours = clone(learner).partial_fit(X[batches[0]], y[batches[0]], classes=np.unique(y))
    theirs = clone(learner).partial_fit(X[batches[0]], y[batches[0]], classes=np.unique(y))
    for batch in batches[1:]:
        save(theirs, tmp_path / "m")
        ours, theirs = ours.partial_fit(X[batch], y[batch]), load(tmp_path / "m")
        theirs.partial_fit(X[batch], y[batch])
        assert equal(learned(ours), learned(theirs))
        assert equal(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize(
    ("name", "model", "y"),
    [
        ("mean", KernelPerceptron(kernel="linear", max_iter=3), Y),
        ("vote", KernelPerceptron(kernel="poly", solution="vote", max_iter=3), Y == 1),
        ("budget", KernelPerceptron(budget=9, max_iter=3), Y),
    ],
)
def test_files_of_before_weights_and_classes_against_the_rest(name, model, y):
    """tests/saved holds what an earlier version wrote of them, fitted on every third row."""
    old = load(Path(__file__).parent / "saved" / f"kernel_{name}.safetensors")
    model.fit(X[::3], y[::3])
    np.testing.assert_allclose(old.decision_function(X), model.decision_function(X), rtol=1e-9)
    np.testing.assert_array_equal(old.predict(X), model.predict(X))
    for solution in ("auto", "last") if name == "budget" else ("auto", "last", "average"):
        ours, theirs = (clf.with_solution(solution) for clf in (model, old))
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_)
    ours, theirs = (clf.partial_fit(X, y) for clf in (model, old))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("learner", [Perceptron(max_iter=3), PassiveAggressive(max_iter=3)])
def test_a_warm_start_goes_on_from_a_file(learner, tmp_path):
    first = clone(learner).set_params(warm_start=True).fit(X, Y)
    save(first, tmp_path / "m")
    again = load(tmp_path / "m").fit(X, Y)
    assert equal(learned(first.fit(X, Y)), learned(again))
    assert not equal(learned(clone(learner).fit(X, Y)), learned(again))


def test_a_share_of_the_margin_goes_on_from_a_file(tmp_path):
    model = Perceptron(margin=0.9, warm_start=True, max_iter=2, certify=False).fit(X, Y == 0)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m").set_params(max_iter=1000).fit(X, Y == 0)
    whole = model.set_params(max_iter=1000).fit(X, Y == 0)
    assert equal(learned(whole), learned(again))
    assert again.stop_ is Stop.SEPARATED


def test_solutions_of_the_same_run_can_still_be_chosen(tmp_path):
    model = Perceptron(keep=("pocket", "vote"), max_iter=5).fit(X, Y)
    save(model, tmp_path / "m")
    for solution in ("last", "average", "pocket", "vote"):
        ours, theirs = (m.with_solution(solution) for m in (model, load(tmp_path / "m")))
        assert equal(ours.decision_function(X), theirs.decision_function(X))


def test_the_fingerprint_is_that_of_the_data(tmp_path):
    model = Perceptron(certify=False, max_iter=5).fit(X, Y)
    save(model, tmp_path / "m")
    assert read(tmp_path / "m").fingerprint == ""
    save(model, tmp_path / "m", fingerprint=fingerprint(X, Y))
    assert read(tmp_path / "m").fingerprint == fingerprint(X, Y)
    save(Perceptron(certify=True).fit(X, Y), tmp_path / "m")
    assert read(tmp_path / "m").fingerprint == fingerprint(X, Y)
    assert read(tmp_path / "m").library == __version__


def test_sparse_support_vectors_and_precomputed_kernels(tmp_path):
    model = KernelPerceptron(max_iter=5).fit(csr_matrix(X), Y)
    save(model, tmp_path / "m")
    assert equal(load(tmp_path / "m").decision_function(X), model.decision_function(X))
    gram = X @ X.T
    model = KernelPerceptron(kernel="precomputed", max_iter=5).fit(gram, Y)
    save(model, tmp_path / "m")
    assert equal(load(tmp_path / "m").decision_function(gram), model.decision_function(gram))


def test_names_with_control_characters_are_refused_at_once(tmp_path):
    for labels in (np.where(Y == 0, "a\x1b[2J", "b"), np.where(Y == 0, "a\0b", "b").astype(object)):
        with pytest.raises(InputError, match="control character"):
            save(Perceptron().fit(X, labels), tmp_path / "m")
    save(Perceptron().fit(X, np.where(Y == 0, "two\nlines\tand é ✓", "b")), tmp_path / "m")
    assert load(tmp_path / "m").classes_[1] == "two\nlines\tand é ✓"


def test_other_estimators_are_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="joblib"):
        save(LogisticRegression().fit(X, Y == 0), tmp_path / "m")
    with pytest.raises(InputError, match="joblib"):
        save(KernelPerceptron(kernel=np.dot).fit(X, Y == 0), tmp_path / "m")
    with pytest.raises(InputError, match="random_state"):
        save(Perceptron(random_state=np.random.RandomState(0)).fit(X, Y == 0), tmp_path / "m")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_joblib_pickle_and_skops_keep_working(model, tmp_path):
    model = clone(model).fit(X, Y == 0)
    joblib.dump(model, tmp_path / "m")
    check_same(model, joblib.load(tmp_path / "m"))
    check_same(model, pickle.loads(pickle.dumps(model)))
    kept = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=kept)
    assert all(name.startswith("rosenblatt.") for name in types)
    check_same(model, skops.io.loads(kept, trusted=types))


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
    return sealed(struct.pack("<Q", len(text)) + text + rest)


def sealed(content):
    """The file with the digest of what it holds now, as one who forges it would write it."""
    try:
        tensors = from_bytes(content)
        (length,) = struct.unpack("<Q", content[:8])
        metadata = json.loads(content[8 : 8 + length])["__metadata__"]
        new = digest(metadata["model"], tensors).encode()
    except Exception:
        return content
    return re.sub(b'("digest": ?")[0-9a-f]{64}"', b"\\g<1>" + new + b'"', content, count=1)


def test_any_flipped_bit_of_the_numbers_is_found(good, place):
    head, _, rest = taken_apart(good)
    start = len(good) - len(rest)
    place.write_bytes(sealed(good))
    load(place)
    for at in np.random.default_rng(0).integers(start, len(good), 50):
        content = bytearray(good)
        content[at] ^= 1 << int(at) % 8
        place.write_bytes(content)
        with pytest.raises(ModelFileError, match="m: the file is damaged"):
            load(place)
    for old, new in ((b"setosa", b"sitosa"), (head["__metadata__"]["digest"].encode(), b"0" * 64)):
        place.write_bytes(good.replace(old, new))
        with pytest.raises(ModelFileError, match="damaged"):
            load(place)


def test_files_without_a_digest_are_of_another_version(good, place):
    head, model, rest = taken_apart(good)
    head["__metadata__"].pop("digest")
    place.write_bytes(put_together(head, model, rest))
    with pytest.raises(ModelFileError, match="damaged"):
        load(place)
    head["__metadata__"]["version"] = "2"
    place.write_bytes(put_together(head, model, rest))
    with pytest.raises(ModelFileError, match="version '2' is unknown; this library reads 3 and 4"):
        load(place)


@settings(max_examples=3 * settings().max_examples)
@given(data=st.data())
def test_mutated_bytes(good, place, data):
    content = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(content), 12_000) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.none() | st.integers(0, len(content)))
    seal = data.draw(st.sampled_from([bytes, sealed]))
    refused_or_usable(place, seal(bytes(content[:cut])))


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
    learned = model["fitted"]
    places = [model, model["params"], learned, learned["coef_"], learned["classes_"]]
    where = data.draw(st.sampled_from(places))
    key = data.draw(st.sampled_from(sorted(where)))
    if data.draw(st.booleans()):
        where[key] = data.draw(PLAIN)
    else:
        del where[key]
    place.write_bytes(put_together(head, model, rest))
    with suppress(ModelFileError):
        load(place)


DEEP = "[" * 100_000
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
        {
            "format": "rosenblatt-model",
            "version": str(VERSION),
            "model": DEEP,
            "digest": digest(DEEP, {"w": np.ones(1)}),
        },
    ),
    "later version": to_bytes({}, {"format": "rosenblatt-model", "version": "9", "model": "{}"}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused(content, tmp_path):
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelFileError, match="m: "):
        load(tmp_path / "m")


def classes(**changes):
    return lambda m: m["fitted"]["classes_"].update(changes)


def fitted(**changes):
    return lambda m: m["fitted"].update(changes)


def swapped(name, other):
    return lambda m: m["fitted"].update({name: other(m["fitted"])})


UNSOUND = [
    (lambda m: m.update(kind="os.system"), "unknown kind"),
    (lambda m: m["params"].update(evil=1), "evil"),
    (lambda m: m["params"].update(max_iter="many"), "max_iter must be a whole number"),
    (lambda m: m["params"].update(multiclass="all"), "multiclass must be one of"),
    (classes(dtype="<U99999"), "type of text"),
    (classes(text=["a", "b"]), "3 weight vectors for 2 classes"),
    (classes(text=["a", "b", "\x1b[2J"]), "control"),
    (classes(text=["b", "a", "c"]), "sorted"),
    (classes(dtype="<U9000", text=["a"] * 90_000), "too much"),
    (lambda m: m.update(names=["a", "b\x07", "c", "d"]), "control"),
    (lambda m: m.update(names=["one"]), "name for each"),
    (lambda m: m.update(fingerprint="abc"), "64 hexadecimal"),
    (lambda m: m.update(columns=[]), "columns"),
    (swapped("coef_", lambda was: was["intercept_"]), "shape"),
    (swapped("coef_", lambda was: was["history_"]["history"]), "weight vectors"),
    (fitted(kept={"list": []}), "lacks"),
    (fitted(runs={"list": []}), "runs"),
    (fitted(n_iter_=True), "n_iter_"),
    (fitted(radius_=10**30), "radius_ is too large"),
    (fitted(radius_={"float": "1e5x"}), "1e5x"),
    (fitted(certificate_={"certificate": {}}), "certificate"),
    (fitted(stop_="SEPARATED"), "stop_"),
    (lambda m: m["fitted"].pop("coef_"), "coef_"),
]


@pytest.mark.parametrize(("change", "message"), UNSOUND, ids=[words for _, words in UNSOUND])
def test_unsound_models_are_refused(change, message, good, place):
    head, model, rest = taken_apart(good)
    change(model)
    place.write_bytes(put_together(head, model, rest))
    with pytest.raises(ModelFileError, match=message):
        load(place)


def test_weights_that_are_no_numbers_are_refused(good, place):
    head, model, rest = taken_apart(good)
    start, _ = head[model["fitted"]["coef_"]["tensor"]]["data_offsets"]
    for bad in (np.nan, np.inf):
        content = bytearray(rest)
        content[start : start + 8] = struct.pack("<d", bad)
        place.write_bytes(put_together(head, model, bytes(content)))
        with pytest.raises(ModelFileError, match="finite"):
            load(place)


def test_other_kinds_of_numbers_are_refused(good, place):
    head, model, rest = taken_apart(good)
    for dtype in ("I64", "U64", "F32"):
        changed = json.loads(json.dumps(head))
        entry = changed[model["fitted"]["coef_"]["tensor"]]
        entry["dtype"] = dtype
        if dtype == "F32":
            entry["shape"] = [entry["shape"][0], 2 * entry["shape"][1]]
        place.write_bytes(put_together(changed, model, rest))
        with pytest.raises(ModelFileError, match="float64"):
            load(place)


def test_names_that_occur_twice_are_refused(good, place):
    head, model, rest = taken_apart(good)
    inner = json.dumps(model)
    doubled = inner[:-1] + ', "kind": "MaxMargin"}'
    head["__metadata__"]["model"] = doubled
    text = json.dumps(head).encode()
    place.write_bytes(sealed(struct.pack("<Q", len(text)) + text + rest))
    with pytest.raises(ModelFileError, match="twice"):
        load(place)
    head["__metadata__"]["model"] = inner
    text = json.dumps(head).encode()
    text = text[:-1] + b', "__metadata__": {"format": "another"}}'
    place.write_bytes(struct.pack("<Q", len(text)) + text + rest)
    with pytest.raises(ModelFileError, match="twice"):
        load(place)


def test_huge_shapes_take_no_memory(good, place):
    head, model, rest = taken_apart(good)
    for shape in ([10**9, 10**9], [10**12], [-1, 5], [2**64, 2]):
        changed = json.loads(json.dumps(head))
        changed[model["fitted"]["coef_"]["tensor"]]["shape"] = shape
        place.write_bytes(put_together(changed, model, rest))
        with pytest.raises(ModelFileError):
            load(place)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_files_cut_short_are_refused(share, good, place):
    place.write_bytes(good[: int(share * len(good))])
    with pytest.raises(ModelFileError, match=r"cut short|damaged|not a model"):
        load(place)


SAVED = [
    Perceptron(solution="vote", keep=("pocket",), max_iter=3),
    Perceptron(penalty="l1", alpha=0.01, multiclass="ovr", max_iter=3),
    PassiveAggressive(max_iter=3),
    KernelPerceptron(max_iter=3, solution="vote"),
    KernelPerceptron(max_iter=3, budget=9),
    KernelPerceptron(max_iter=3, multiclass="ovr"),
]
TOKENS = [b"0", b"-1", b"null", b"true", b"[]", b"{}", b"1e999", b"NaN", b'\\"tensor\\": ', b'"']
TOKENS += [b"\\ud800", b"\\u0000", b"99999999999999999999", b"F32", b"I64", b"\xff" * 8, b"\0" * 8]


@pytest.mark.parametrize("name", ["model"])
def test_mutated_files_are_a_model_or_an_error(name, tmp_path):
    """``ROSENBLATT_FUZZ=100000`` gives it 100,000 files, ``ROSENBLATT_FUZZ_SEED`` other ones."""
    depth, seed = (int(os.environ.get(f"ROSENBLATT_FUZZ{k}", v)) for k, v in FUZZ.items())
    seeds = []
    for model in SAVED:
        save(clone(model).fit(X[::3], SPECIES[Y][::3]), tmp_path / "m")
        seeds.append((tmp_path / "m").read_bytes())
    mutate, read_again = Rewritten(seeds, TOKENS, seed), 0
    with limited() as restart, np.errstate(all="ignore"):
        for _ in range(depth):
            content = mutate()
            (tmp_path / "m").write_bytes(content)
            restart()
            try:
                model = load(tmp_path / "m")
            except ModelFileError:
                continue
            read_again += 1
            use(model)
    print(name, {"inputs": depth, "read": read_again})
    assert read_again > depth / 20


FUZZ = {"": "250", "_SEED": "0"}


class Rewritten(Mutator):
    """Files of which the header is changed, and its length put right; or the numbers; or any."""

    def __call__(self):
        whole = self.rng.choice(self.seeds)
        kind = self.rng.random()
        if kind < 0.2:
            return super().__call__()
        (length,) = struct.unpack("<Q", whole[:8])
        parts = [whole[8 : 8 + length], whole[8 + length :]]
        changed = int(kind > 0.7)
        parts[changed] = Mutator([parts[changed]], self.tokens, self.rng.random())()
        return sealed(struct.pack("<Q", len(parts[0])) + parts[0] + parts[1])


def use(model):
    """A model that was loaded predicts and learns on, or says what is wrong with it."""
    rows = X[:5, : model.n_features_in_]
    with suppress(ValueError, ArithmeticError):
        assert len(model.predict(rows)) == 5
    if hasattr(model, "partial_fit"):
        with suppress(ValueError, ArithmeticError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(rows, np.resize(model.classes_, 5))


def forged(model, path, **others):
    """A model's file that claims something else."""
    for name, value in others.items():
        object.__setattr__(model.fitted_, name, value)
    save(model, path)
    return path


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_a_verdict_without_its_proof_is_refused(tmp_path, multiclass):
    path = tmp_path / "model.safetensors"
    clf = Perceptron(multiclass=multiclass).fit(X, Y == 0 if multiclass == "native" else Y)
    path = forged(clf, path, verdict=Verdict.SEPARABLE, certificate=None, certificates=(None,) * 3)
    if multiclass == "native":
        forged(clf, path, certificates=(None,))
    with pytest.raises(ModelFileError, match="the verdict separable needs a certificate"):
        load(path)


def test_a_certificate_about_other_features_is_refused(tmp_path):
    clf = Perceptron().fit(X, Y == 0)
    other = Perceptron().fit(X[:, :2], Y == 0).certificate_
    path = forged(clf, tmp_path / "model.safetensors", certificate=other, certificates=(other,))
    with pytest.raises(ModelFileError, match="not about 4 features"):
        load(path)
