"""Online learners in model files: to the bit, and no file that does anything but load or fail."""

import json
import struct

import numpy as np
import pytest

import rosenblatt as rb
from commands import run
from rosenblatt import InputError, online
from rosenblatt.data.checkpoint import digest
from rosenblatt.data.model_file import ModelFileError, read, read_fitted

STREAMS = {
    "nothing": [],
    "one class": [({"a": 1.0}, "only")],
    "booleans": [({"a": k % 5 - 2, "b": 1.0}, k % 3 == 0) for k in range(20)],
    "classes of all kinds": [
        ({"a": k % 7 - 3, ("word", k % 2): 0.1, 3: k}, ["x", 2, 2.5, ("p", 1), True][k % 5])
        for k in range(40)
    ],
    "arrays": [([0.1 * k, 1 / (k + 1)], k % 2) for k in range(9)],
}
PARAMETERS = {
    "default": {},
    "all": {"average": True, "fit_intercept": False, "threshold": 1.5},
}


def learned(stream, **parameters):
    learner = online.Perceptron(**parameters)
    for x, y in stream:
        learner.learn_one(x, y)
    return learner


@pytest.mark.parametrize("parameters", PARAMETERS.values(), ids=PARAMETERS)
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_what_is_loaded_is_what_was_saved_and_goes_on_alike(stream, parameters, tmp_path):
    learner = learned(stream, **parameters)
    rb.save(learner, tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert type(again) is online.Perceptron
    assert again.to_dict() == learner.to_dict()
    assert [type(c) for c in again.classes] == [type(c) for c in learner.classes]
    for x, y in [*stream, ({"new": 2.0}, "another")]:
        assert again.score_one(x) == learner.score_one(x)
        again.learn_one(x, y)
        learner.learn_one(x, y)
    assert again.to_dict() == learner.to_dict()


def test_known_classes_are_parameters_of_the_one_that_is_loaded(tmp_path):
    learner = learned([({"a": 1.0}, "third")], classes=["no", "yes"])
    rb.save(learner, tmp_path / "m")
    assert rb.load(tmp_path / "m").clone().classes == ["no", "yes"]
    assert rb.load(tmp_path / "m").classes == ["no", "yes", "third"]


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    class Sub(online.Perceptron):
        pass

    for learner, message in [
        (Sub(), "online.Perceptron, not a .*Sub; pickle"),
        (learned([({"a": 1.0}, frozenset([1]))]), "only plain values"),
        (learned([({"a\x1b[2J": 1.0}, True)]), "control character"),
    ]:
        with pytest.raises(InputError, match=message):
            rb.save(learner, tmp_path / "m")
    with pytest.raises(InputError, match="columns are of no use"):
        rb.save(online.Perceptron(), tmp_path / "m", columns={})
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_says_why_it_cannot_use_it(tmp_path):
    rb.save(learned(STREAMS["arrays"]), tmp_path / "m")
    assert isinstance(read(tmp_path / "m").model, online.Perceptron)
    with pytest.raises(ModelFileError, match=r"online learner.*rosenblatt.load\("):
        read_fitted(tmp_path / "m")
    command = run("predict", tmp_path / "m", tmp_path / "m", code=2)
    assert "online learner" in command.stderr


# --- Files that somebody changed ----------------------------------------------------------------


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "m"
    rb.save(learned(STREAMS["classes of all kinds"]), path)
    return path.read_bytes()


def forged(content, change):
    """The file with another JSON text and its digest, as one who forges it would write it."""
    from safetensors.numpy import load, save

    (length,) = struct.unpack("<Q", content[:8])
    head = json.loads(content[8 : 8 + length])["__metadata__"]
    model, tensors = json.loads(head["model"]), load(content)
    change(model, tensors)
    text = json.dumps(model)
    return save(tensors, {**head, "model": text, "digest": digest(text, tensors)})


def fitted(**changes):
    return lambda model, _: model["fitted"].update(changes)


def params(**changes):
    return lambda model, _: model["params"].update(changes)


def without(name):
    return lambda model, _: model["fitted"].pop(name)


def a_nan(_, tensors):
    next(iter(tensors.values()))[0, 0] = np.nan


def too_wide(_, tensors):
    for name in tensors:
        tensors[name] = np.ones((5, 9))


FORGERIES = [
    (fitted(classes={"list": [1, 1, 2, 3, 4]}), "classes must be different"),
    (fitted(classes={"list": [None, 1, 2, 3, 4]}), "bad classes"),
    (fitted(classes={"list": [1, 2]}), "weights has shape"),
    (fitted(classes=3), "classes is a int"),
    (fitted(features={"list": ["a"]}), "weights has shape"),
    (fitted(features={"list": [{"list": []}, 1, 2, 3]}), "unhashable"),
    (fitted(looks=1), "contradict"),
    (fitted(looks=-1), "looks must not be negative"),
    (fitted(radius={"float": "inf"}), "contradict"),
    (fitted(updates=True), "updates is a bool"),
    (without("drift"), "drift is missing"),
    (params(threshold=-1), "threshold must be"),
    (params(average=3), "average must be True or False"),
    (params(evil=1), "evil"),
    (params(classes={"list": ["other", "labels"]}), "bad classes"),
    (lambda model, _: model.update(columns={}), "no columns"),
    (lambda model, _: model.update(kind="online.os"), "unknown kind"),
    (a_nan, "not finite"),
    (too_wide, "weights has shape"),
]


@pytest.mark.parametrize(("change", "message"), FORGERIES)
def test_forged_files_are_refused(change, message, good, tmp_path):
    (tmp_path / "m").write_bytes(forged(good, lambda *_: None))
    rb.load(tmp_path / "m")
    (tmp_path / "m").write_bytes(forged(good, change))
    with pytest.raises(ModelFileError, match=message):
        rb.load(tmp_path / "m")


def test_any_flipped_bit_is_found(good, tmp_path):
    for at in np.random.default_rng(0).integers(0, len(good), 100):
        content = bytearray(good)
        content[at] ^= 1 << int(at) % 8
        (tmp_path / "m").write_bytes(content)
        with pytest.raises(ModelFileError):
            rb.load(tmp_path / "m")
