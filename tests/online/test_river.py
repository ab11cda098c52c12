"""The online learner as one of river's classifiers, by river's own checks and in its tools."""

import copy
import math
import pickle
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rosenblatt import InputError, online

pytest.importorskip("river")
from river import (
    active,
    base,
    checks,
    datasets,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    metrics,
    model_selection,
    multiclass,
    preprocessing,
    utils,
)

Perceptron = online.Perceptron


class Patient(Perceptron):
    """A subclass with a parameter and an attribute of its own."""

    def __init__(self, patience=2, **parameters):
        super().__init__(**parameters)
        self.patience = patience
        self.seen = []

    def learn_one(self, x, y, w=1.0):
        self.seen.append(y)
        super().learn_one(x, y, w)


@pytest.fixture(autouse=True)
def _the_same_shuffles_every_time():
    random.seed(0)


# --- River's own checks -------------------------------------------------------------------------

MODELS = {
    "default": Perceptron(),
    "all parameters": Perceptron(average=True, fit_intercept=False, threshold=1.0),
    "subclass": Patient(patience=3, average=True),
}
CHECKS = [
    pytest.param(name, check, id=f"{name}-{check.__name__}-{number}")
    for name, model in MODELS.items()
    for number, check in enumerate(checks.yield_checks(model))
]


@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_rivers_checks(name, check):
    check(MODELS[name].clone())


def test_no_check_is_skipped_by_the_learner_itself():
    assert Perceptron()._unit_test_skips() == set()
    assert isinstance(Perceptron(), base.MiniBatchClassifier)


WRAPPED = {
    "one against the rest": multiclass.OneVsRestClassifier(Perceptron()),
    "bagging": ensemble.BaggingClassifier(Perceptron(), n_models=2, seed=1),
    "bagging, ADWIN": ensemble.ADWINBaggingClassifier(Perceptron(), n_models=2, seed=1),
}
OTHERS = {
    "one against one": multiclass.OneVsOneClassifier(Perceptron()),
    "leveraging": ensemble.LeveragingBaggingClassifier(Perceptron(), n_models=2, seed=1),
    "boosting": ensemble.AdaBoostClassifier(Perceptron(), n_models=2, seed=1),
    "patches": ensemble.SRPClassifier(Perceptron(), n_models=2, seed=1),
    "voting": ensemble.VotingClassifier([Perceptron(), Perceptron(average=True)]),
    "retraining": drift.DriftRetrainingClassifier(Perceptron(), drift.binary.DDM()),
    "active": active.EntropySampler(Perceptron([False, True]), seed=1),
}


@pytest.mark.parametrize("model", WRAPPED.values(), ids=WRAPPED)
def test_rivers_checks_of_what_wraps_it(model):
    checks.check_estimator(model)


@pytest.mark.parametrize("model", OTHERS.values(), ids=OTHERS)
def test_it_learns_inside_others(model):
    assert score(model.clone(), metrics.Accuracy(), datasets.Phishing().take(300)) > 0.65


# --- River's tools ------------------------------------------------------------------------------


def score(model, metric, stream=None):
    return evaluate.progressive_val_score(stream or datasets.Phishing(), model, metric).get()


def scaled(**parameters):
    return preprocessing.StandardScaler() | Perceptron(**parameters)


def test_probabilities_rank_better_than_labels():
    hard = score(scaled(average=True), metrics.BalancedAccuracy())
    assert score(scaled(average=True), metrics.ROCAUC()) > hard + 0.04 > 0.9
    # A constant probability of one half has a loss of 0.69, the labels themselves one of 3.8.
    assert score(scaled(average=True), metrics.LogLoss()) < 0.45
    both = metrics.ROCAUC() + metrics.Accuracy()
    assert evaluate.progressive_val_score(datasets.Phishing(), scaled(), both)


def test_pipelines_are_cloned_with_other_parameters():
    model = scaled(threshold=2.0)
    model.learn_one({"a": 1.0}, True)
    twin = model.clone({"Perceptron": {"average": True}})["Perceptron"]
    assert (twin.average, twin.threshold, twin.looks) == (True, 2.0, 0)
    assert str(model) == "StandardScaler | Perceptron"
    assert "1 update in 1 look" in repr(model)
    assert "Perceptron" in model._repr_html_()


def test_a_wrapper_clones_its_learner_without_what_it_learned():
    wrapper = drift.DriftRetrainingClassifier(Perceptron(average=True), drift.binary.DDM())
    wrapper.learn_one({"a": 1.0}, True)
    assert wrapper.model.looks == 1
    assert wrapper.clone().model.looks == 0
    assert wrapper.clone().model.average


def test_parameters_are_searched():
    grid = {"Perceptron": {"average": [False, True], "threshold": [0.0, 1.0]}}
    models = utils.expand_param_grid(scaled(), grid)
    assert [m["Perceptron"].threshold for m in models] == [0.0, 1.0, 0.0, 1.0]
    halving = model_selection.SuccessiveHalvingClassifier(models, metrics.Accuracy(), budget=400)
    assert score(halving, metrics.Accuracy()) > 0.85


def test_what_may_change_on_the_way():
    learner = Perceptron()
    learner.mutate({"average": True, "threshold": 2})
    assert (learner.average, learner.threshold) == (True, 2.0)
    with pytest.raises(ValueError, match="not a mutable attribute"):
        learner.mutate({"fit_intercept": False})
    with pytest.raises(InputError, match="threshold must be a number of at least 0"):
        learner.mutate({"threshold": -1})


def test_words_that_were_never_seen():
    model = feature_extraction.BagOfWords() | Perceptron()
    for text, kind in [("free prize", "spam"), ("noon meeting", "ham"), ("prize meeting", "spam")]:
        model.learn_one(text, kind)
    assert model.predict_one("a prize") == "spam"
    unknown = model.predict_proba_one("nothing known")
    assert unknown == model["Perceptron"].predict_proba_one({})
    assert set(unknown) == {"spam", "ham"}


def test_weights_of_a_stream_are_used():
    stream = [({"a": 1.0}, True, {"w": 3.0}), ({"a": 2.0}, False, {"w": 0.5})]
    learner = Perceptron()
    evaluate.progressive_val_score(stream, learner, metrics.Accuracy())
    assert learner.weights == {"a": 3.0 - 0.5 * 2.0}


def test_frames_go_through_a_pipeline_and_come_back_with_their_index():
    model = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(Perceptron())
    rows, labels = zip(*datasets.ImageSegments().take(300), strict=True)
    X, y = pd.DataFrame(rows), pd.Series(labels)
    for start in range(0, 300, 50):
        model.learn_many(X[start : start + 50], y[start : start + 50])
    assert (model.predict_many(X) == y).mean() > 0.7
    learner = Perceptron()
    learner.learn_many(X, y)
    odd = X[1::2]
    assert learner.predict_many(odd).index.equals(odd.index)
    assert learner.predict_proba_many(odd).columns.tolist() == learner.classes
    np.testing.assert_allclose(learner.predict_proba_many(odd).sum(axis=1), 1)


def test_memory_is_what_is_learned_and_a_buffer():
    assert Perceptron()._raw_memory_usage < 100_000
    wide = Perceptron()
    wide.learn_one(dict.fromkeys(range(10_000), 1.0), True)
    assert wide._raw_memory_usage > 2 * 8 * 10_000


# --- Copies -------------------------------------------------------------------------------------


def test_a_subclass_stays_one_however_it_is_copied():
    learner = Patient(patience=5, average=True, classes=["no", "yes"])
    learner.learn_one({"a": 1.0}, "yes")
    assert learner.clone()._get_params() == learner._get_params()
    assert type(learner.clone()) is Patient
    assert (learner.clone().looks, learner.clone().seen) == (0, [])
    for twin in (
        copy.deepcopy(learner),
        pickle.loads(pickle.dumps(learner)),
        learner.clone(include_attributes=True),
        learner.clone({"patience": 5}, True),
    ):
        assert type(twin) is Patient
        assert (twin.patience, twin.seen, twin.to_dict()) == (5, ["yes"], learner.to_dict())
        twin.learn_one({"a": 2.0}, "no")
        assert learner.seen == ["yes"]
    other = learner.clone({"patience": 7, "threshold": 3, "classes": ["yes", "no", "so"]}, True)
    assert (other.patience, other.threshold, other.looks) == (7, 3.0, 1)
    assert set(other.classes) == {"yes", "no", "so"}
    with pytest.raises(TypeError, match="averge"):
        Perceptron().clone({"averge": True})


def test_pickles_of_before_thresholds_are_read():
    learner = Perceptron()
    learner.learn_one({"a": 2.0}, True)
    state = learner.to_dict()
    del state["threshold"]
    old = Perceptron.__new__(Perceptron)
    old.__setstate__(state)
    assert old.to_dict() == learner.to_dict()


WITHOUT_RIVER = """
import sys
sys.modules["river"] = None
from rosenblatt import online
learner = online.Perceptron(threshold=1.0)
learner.learn_one({"a": 1.0}, True, w=2.0)
twin = learner.clone({"average": True}, include_attributes=True)
print(twin, twin.predict_one({"a": 1.0}), twin.predict_proba_many([[1.0]]).shape, learner.looks)
print([c.__module__ for c in online.Perceptron.__mro__ if "river" in c.__module__])
"""


def test_all_of_it_works_without_river():
    command = [sys.executable, "-c", WITHOUT_RIVER]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "Perceptron True (1, 2) 1\n[]\n"


def test_predictions_before_anything_is_learned():
    learner = Perceptron()
    assert (learner.predict_one({"a": 1}), learner.predict_proba_one({"a": 1})) == (None, {})
    assert learner.predict_many(pd.DataFrame({"a": [1.0]})).tolist() == [None]
    assert learner.predict_proba_many(pd.DataFrame({"a": [1.0]})).shape == (1, 0)
    learner.learn_one({"a": 1.0}, "only")
    assert learner.predict_proba_one({"a": -9.0}) == {"only": 1.0}
    assert learner.predict_many([{"a": -9.0}]).tolist() == ["only"]
    learner = Perceptron(classes=["no", "yes"])
    assert learner.predict_proba_one({"a": math.pi}) == {"no": 0.5, "yes": 0.5}
