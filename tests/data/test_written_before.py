"""Files that version 0.1.0 wrote before its modules moved are still read, to the bit."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from expected import OUT_OF_PASSES
from rosenblatt import certificate

pytestmark = OUT_OF_PASSES
WRITTEN = Path(__file__).with_name("written")
MODELS = sorted(path.stem for path in WRITTEN.glob("*.safetensors"))
LABELS = {
    "separation": "two",
    "inseparability": "noisy",
    "error_bracket": "noisy",
    "margin_bracket": "two",
}


@pytest.fixture(scope="module")
def data():
    with np.load(WRITTEN / "rows.npz") as found:
        return {name: found[name] for name in found.files}


def test_all_kinds_of_model_are_here():
    assert len(MODELS) == 11


@pytest.mark.parametrize("name", MODELS)
def test_models_score_and_predict_as_they_did(name, data):
    expected = json.loads((WRITTEN / "expected.json").read_text())[name]
    model = rb.load(WRITTEN / f"{name}.safetensors")
    scores = model.decision_function(data["X"])
    # How products of kernels are rounded is not promised.
    np.testing.assert_allclose(scores, expected["scores"], rtol=0, atol=1e-13 * ("kernel" in name))
    np.testing.assert_array_equal(model.predict(data["X"]), expected["predicted"])


@pytest.mark.parametrize("name", sorted(LABELS))
def test_certificates_are_verified(name, data):
    proof = certificate.load(WRITTEN / f"{name}.json")
    assert proof.verify(data["X"], data[LABELS[name]])


def test_a_certificate_of_three_classes_is_verified(data):
    X, y = data["X"], (data["three"] + (data["X"][:, 2] > 0)) % 3
    assert certificate.load(WRITTEN / "inseparability_of_three.json").verify(X, y)


def test_a_stream_goes_on_from_its_checkpoint(tmp_path):
    for name in ("rows.csv", "stream.checkpoint"):
        shutil.copy(WRITTEN / name, tmp_path / name)
    os.utime(tmp_path / "rows.csv", ns=(10**18, 10**18))
    clf = rb.Perceptron(order="cyclic", max_iter=12, certify=False)
    clf.fit_stream(
        str(tmp_path / "rows.csv"), checkpoint=tmp_path / "stream.checkpoint", resume=True
    )
    weights = np.append(clf.coef_, clf.intercept_)
    np.testing.assert_array_equal(weights, np.load(WRITTEN / "stream.npy"))


def test_a_cluster_goes_on_from_its_checkpoint(tmp_path, data):
    import dask.array as da
    from distributed import Client

    from rosenblatt.dask import Perceptron

    kept = tmp_path / "dask.checkpoint"
    shutil.copy(WRITTEN / "dask.checkpoint", kept)
    X, y = da.from_array(data["X"], chunks=(20, 3)), da.from_array(data["noisy"], chunks=20)
    with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        clf = Perceptron(client, max_iter=9, checkpoint=kept).fit(X, y, resume=True)
        whole = Perceptron(client, max_iter=9).fit(X, y)
    assert clf.n_iter_ == whole.n_iter_
    np.testing.assert_array_equal(clf.run_.weights, whole.run_.weights)
    np.testing.assert_array_equal(clf.coef_, whole.coef_)
    np.testing.assert_array_equal(clf.intercept_, whole.intercept_)
