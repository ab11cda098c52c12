"""Wrote the files beside it with version 0.1.0 as it was before its modules moved into folders.

They are read by ``tests/data/test_written_before.py``; do not write them again with newer code.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

import numpy as np

import rosenblatt as rb

here = Path(sys.argv[1] if len(sys.argv) > 1 else __file__).parent
rng = np.random.default_rng(0)
X = rng.integers(-5, 6, size=(40, 3)).astype(float)
two = (X @ [1.0, 2.0, -1.0] + 0.5 > 0).astype(int)
noisy = two.copy()
noisy[:3] = 1 - noisy[:3]
three = np.digitize(X[:, 0] + X[:, 1], [-2.5, 2.5])
np.savez(here / "rows.npz", X=X, two=two, noisy=noisy, three=three)

models = {
    "separated": (rb.Perceptron(), two),
    "inseparable": (rb.Perceptron(), noisy),
    "classes": (rb.Perceptron(), three),
    "pairs": (rb.Perceptron(multiclass="ovo"), three),
    "vote": (rb.Perceptron(solution="vote", keep=("pocket",), order="cyclic", max_iter=20), noisy),
    "penalty": (rb.Perceptron(penalty="l2", max_iter=20), noisy),
    "margin": (rb.Perceptron(margin=0.5), two),
    "max_margin": (rb.MaxMargin(), two),
    "kernel": (rb.KernelPerceptron(kernel="rbf"), noisy),
    "passive_aggressive": (rb.PassiveAggressive(), three),
    "batch": (rb.BatchPerceptron(), two),
}
expected = {}
for name, (model, y) in models.items():
    model.fit(X, y)
    rb.save(model, here / f"{name}.safetensors")
    expected[name] = {
        "scores": np.asarray(model.decision_function(X)).tolist(),
        "predicted": model.predict(X).tolist(),
    }
(here / "expected.json").write_text(json.dumps(expected))

best = rb.MaxMargin().fit(X, two)
proofs = {
    "separation": rb.decide(X, two).certificate,
    "inseparability": rb.decide(X, noisy).certificate,
    "inseparability_of_three": rb.decide(X, (three + (X[:, 2] > 0)) % 3).certificate,
    "error_bracket": rb.fewest_errors(X, noisy).certificate,
    "margin_bracket": best.certify(X, two),
}
for name, proof in proofs.items():
    proof.save(here / f"{name}.json")

csv = here / "rows.csv"
lines = [
    ",".join(map(str, [*row.astype(int).tolist(), label]))
    for row, label in zip(X, noisy, strict=True)
]
csv.write_text("a,b,c,y\n" + "\n".join(lines) + "\n")
os.utime(csv, ns=(10**18, 10**18))


class Enough(Exception):
    pass


def stop(progress):
    if progress.passes == 3:
        raise Enough


clf = rb.Perceptron(order="cyclic", max_iter=12, certify=False)
with contextlib.suppress(Enough):
    clf.fit_stream(str(csv), checkpoint=here / "stream.checkpoint", every=0.0, progress=stop)
whole = rb.Perceptron(order="cyclic", max_iter=12, certify=False).fit_stream(str(csv))
np.save(here / "stream.npy", np.append(whole.coef_, whole.intercept_))

import dask.array as da  # noqa: E402
from distributed import Client  # noqa: E402

from rosenblatt.dask import Perceptron  # noqa: E402

A, b = da.from_array(X, chunks=(20, 3)), da.from_array(noisy, chunks=20)
with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    Perceptron(client, max_iter=4, checkpoint=here / "dask.checkpoint").fit(A, b)
    whole = Perceptron(client, max_iter=9).fit(A, b)
    np.save(here / "dask.npy", np.append(whole.coef_, whole.intercept_))
