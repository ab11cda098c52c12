"""Models in other programs: the same predictions in onnxruntime, and from plain JSON."""

from __future__ import annotations

import json
import sys

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from expected import OUT_OF_PASSES, SHORT_OF_RTOL
from rosenblatt import export
from rosenblatt.errors import InputError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron

X, Y = load_iris(return_X_y=True)
GRID = np.round(10 * X)  # whole numbers, so that every sum is exact in any order
SPECIES = np.array(["setosa", "versicolor", "virginica é"])
TWO = [
    Perceptron(max_iter=10),
    Perceptron(max_iter=10, solution="vote"),
    Perceptron(max_iter=10, fit_intercept=False),
    PassiveAggressive(max_iter=5),
    MaxMargin(rtol=1e-3),
    BatchPerceptron(max_iter=10),
]
THREE = [
    Perceptron(max_iter=10, solution="last"),
    Perceptron(max_iter=10, multiclass="ovr"),
    Perceptron(max_iter=10, multiclass="ovo", solution="last"),
    Perceptron(max_iter=5, solution="vote"),
    Perceptron(max_iter=5, solution="vote", multiclass="ovr"),
    Perceptron(max_iter=5, solution="vote", multiclass="ovo"),
    PassiveAggressive(max_iter=5),
    BatchPerceptron(max_iter=10),
]
CASES = [(model, Y == 0) for model in TWO] + [(model, SPECIES[Y]) for model in THREE]


def session(path):
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def by_json(content, rows):
    """The recipe of `to_json`, written anew."""
    score = lambda w, b: rows @ np.array(w).T + np.array(b)  # noqa: E731
    if content["voters"] is None:
        scores = score(content["weights"], content["bias"])
    else:
        columns = []
        for panel in content["voters"]:
            votes = np.array(panel["votes"])
            if np.ndim(panel["weights"]) == 2:
                sides = np.where(score(panel["weights"], panel["bias"]) >= 0, 1, -1)
                columns.append((sides @ votes / votes.sum())[:, None])
                continue
            shares = np.zeros((len(rows), len(content["classes"])))
            for w, b, v in zip(panel["weights"], panel["bias"], votes, strict=True):
                shares[np.arange(len(rows)), score(w, b).argmax(axis=1)] += v
            columns.append(shares)
        scores = np.hstack(columns)
    if content["decision"] == "sign":
        return [content["classes"][int(s[0] >= 0)] for s in scores]
    if content["decision"] == "pairs":
        votes = np.zeros((len(rows), len(content["classes"])))
        sums = votes.copy()
        for (first, second), column in zip(content["pairs"], scores.T, strict=True):
            votes[:, second] += column >= 0
            votes[:, first] += column < 0
            sums[:, second] += column
            sums[:, first] -= column
        scores = votes + sums / (3 * (np.abs(sums) + 1))
    return [content["classes"][k] for k in scores.argmax(axis=1)]


@OUT_OF_PASSES
@pytest.mark.parametrize(("model", "y"), CASES, ids=[repr(model) for model, _ in CASES])
def test_predictions_are_equal_everywhere(model, y, tmp_path):
    model.fit(GRID, y)
    export.to_onnx(model, tmp_path / "m.onnx")
    export.to_json(model, tmp_path / "m.json")
    label, scores = session(tmp_path / "m.onnx").run(None, {"X": GRID})
    expected = model.predict(GRID)
    assert label.tolist() == expected.tolist()
    np.testing.assert_allclose(scores, model.decision_function(GRID), rtol=1e-12, atol=1e-12)
    content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert by_json(content, GRID) == expected.tolist()


LABELS = [
    np.array([0, 1, 2], dtype=np.int8),
    np.array([-5, 0, 2**40]),
    np.array([-1.0, 1.0, 2.0]),
    np.array(["a", "b", "ü"], dtype=object),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(labels.dtype))
def test_labels_of_all_kinds(labels, tmp_path):
    for y in (labels[Y], labels[np.minimum(Y, 1)]):
        model = Perceptron(max_iter=5).fit(GRID, y)
        export.to_onnx(model, tmp_path / "m.onnx")
        (found,) = session(tmp_path / "m.onnx").run(["label"], {"X": GRID})
        assert found.tolist() == model.predict(GRID).tolist()


@OUT_OF_PASSES
@settings(max_examples=settings().max_examples // 4)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(2, 4),
    st.sampled_from(["native", "ovr", "ovo"]),
)
def test_boundaries_and_ties_are_the_same(tmp_path_factory, seed, d, k, multiclass):
    """Small whole numbers, so that many rows lie exactly on a boundary."""
    rng = np.random.default_rng(seed)
    rows, y = rng.integers(-2, 3, (12, d)).astype(float), np.resize(np.arange(k), 12)
    model = Perceptron(multiclass=multiclass, max_iter=2, solution="last", certify=False)
    model.fit(rows, y)
    path = tmp_path_factory.getbasetemp() / "m.onnx"
    export.to_onnx(model, path)
    everywhere = rng.integers(-3, 4, (200, d)).astype(float)
    everywhere[0] = 0
    (label,) = session(path).run(["label"], {"X": everywhere})
    np.testing.assert_array_equal(label, model.predict(everywhere))


def test_zero_weights_answer_the_positive_class(tmp_path):
    model = Perceptron(max_iter=5).fit(GRID, Y == 0)
    model.coef_, model.intercept_ = np.zeros((1, 4)), np.zeros(1)
    export.to_onnx(model, tmp_path / "m.onnx")
    assert session(tmp_path / "m.onnx").run(["label"], {"X": GRID})[0].all()


def test_scaling_labels_and_names(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(GRID, columns=list("abcd"))
    model = Perceptron(max_iter=20).fit((frame - 8) / 4, Y == 0)
    export.to_onnx(
        model, tmp_path / "m.onnx", labels=["other", "setosa"], mean=[8.0] * 4, scale=[4.0] * 4
    )
    made = session(tmp_path / "m.onnx")
    assert made.run(["label"], {"X": GRID})[0][:1].tolist() == ["setosa"]
    names = made.get_modelmeta().custom_metadata_map["feature_names"]
    assert json.loads(names) == list("abcd")
    with pytest.raises(InputError, match="one a feature"):
        export.to_onnx(model, tmp_path / "m.onnx", scale=[1.0])
    with pytest.raises(InputError, match="one a class"):
        export.to_onnx(model, tmp_path / "m.onnx", labels=["only"])


def test_json_takes_other_labels(tmp_path):
    model = Perceptron(max_iter=20).fit(GRID, Y == 0)
    export.to_json(model, tmp_path / "m.json", labels=["other", "setosa"])
    content = json.loads((tmp_path / "m.json").read_text())
    assert content["classes"] == ["other", "setosa"]
    assert by_json(content, GRID[:1]) == ["setosa"]
    with pytest.raises(InputError, match="one a class"):
        export.to_json(model, tmp_path / "m.json", labels=["only"])


def test_a_mean_alone_is_subtracted(tmp_path):
    model = Perceptron(max_iter=20).fit(GRID - 8, Y == 0)
    export.to_onnx(model, tmp_path / "m.onnx", mean=[8.0] * 4)
    (scores,) = session(tmp_path / "m.onnx").run(["scores"], {"X": GRID})
    np.testing.assert_allclose(scores, model.decision_function(GRID - 8), rtol=1e-12)


def test_one_scaled_feature_keeps_its_precision(tmp_path):
    rows = np.random.default_rng(0).normal(size=(50, 1))
    model = Perceptron().fit((rows - 0.1) / 3.0, rows[:, 0] > 0.3)
    export.to_onnx(model, tmp_path / "m.onnx", mean=[0.1], scale=[3.0])
    (scores,) = session(tmp_path / "m.onnx").run(["scores"], {"X": rows})
    np.testing.assert_array_equal(scores, model.decision_function((rows - 0.1) / 3.0))


@pytest.mark.filterwarnings("ignore:lbfgs failed to converge:sklearn.exceptions.ConvergenceWarning")
@OUT_OF_PASSES
@pytest.mark.parametrize("write", [export.to_onnx, export.to_json])
def test_other_models_are_refused(write, tmp_path):
    with pytest.raises(InputError, match=r"rosenblatt\.save keeps it"):
        write(KernelPerceptron(max_iter=5).fit(X, Y), tmp_path / "m")
    with pytest.raises(InputError, match="LogisticRegression"):
        write(LogisticRegression().fit(X, Y), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_onnx_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"rosenblatt\[onnx\]"):
        export.to_onnx(Perceptron().fit(X, Y == 0), tmp_path / "m.onnx")


def test_json_says_what_is_known(tmp_path):
    model = Perceptron(certify=True)
    export.to_json(model.fit(X, Y == 0), tmp_path / "m.json", columns={"label": "species"})
    content = json.loads((tmp_path / "m.json").read_text())
    assert (content["format"], content["kind"]) == ("rosenblatt-json", "Perceptron")
    assert content["certificate"] == model.certificate_.to_dict()
    assert content["counts"]["updates"] == model.updates_
    assert (content["stop"], content["verdict"]) == ("SEPARATED", "SEPARABLE")
    assert content["columns"] == {"label": "species"}


@SHORT_OF_RTOL
@pytest.mark.parametrize("model", [Perceptron(solution="last", certify=True), MaxMargin()])
def test_weights_that_only_exact_arithmetic_has_are_exported_with_a_warning(tmp_path, model):
    clf = model.fit([[1.0], [0.9999999999999999], [0.9999999999999998]], [1, 1, 0])
    with pytest.warns(UserWarning, match="rounded to double precision"):
        export.to_json(clf, tmp_path / "model.json")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"scale": [0, 1]}, "other than 0, got 0 at feature 0"),
        ({"mean": [1, np.nan]}, "finite numbers, got nan at feature 1"),
        ({"mean": ["a", "b"]}, "mean must have 2 numbers"),
        ({"labels": ["same", "same"]}, "different for each class"),
    ],
)
def test_what_would_make_nonsense_of_an_export_is_refused(tmp_path, how, said):
    clf = Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(InputError, match=said):
        export.to_onnx(clf, tmp_path / "m.onnx", **how)
    assert not (tmp_path / "m.onnx").exists()
