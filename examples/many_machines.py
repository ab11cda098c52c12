"""Past one machine: shards of a data set, a cluster, one model, one proof."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster

from rosenblatt.dask import Perceptron, decide, read_svmlight, verify
from rosenblatt.datasets import gaussian


def write_shards(folder: Path, shards: int = 4) -> str:
    """A separable cloud in svmlight files, as a cluster would find it on shared storage."""
    cloud = gaussian(2000, 10, 0.1, seed=0)
    for k, rows in enumerate(np.array_split(np.arange(len(cloud.y)), shards)):
        lines = (
            f"{cloud.y[i]} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(cloud.X[i].tolist()))
            for i in rows
        )
        (folder / f"part-{k}.svm").write_text("\n".join(lines) + "\n")
    return str(folder / "part-*.svm")


def main() -> None:
    """Fit, watch the rounds, prove, and come home with an ordinary model."""
    # Threads of this process stand in for machines; Client("tcp://scheduler:8786") is a real one.
    workers = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    )
    with tempfile.TemporaryDirectory() as folder, workers as cluster, Client(cluster) as client:
        shards = read_svmlight(write_shards(Path(folder)))
        print(shards)
        model = Perceptron(client).fit(
            shards,
            progress=lambda row: print(
                f"  round {row.number}: {row.mistakes} mistakes, margin at most "
                f"{row.guarantee.upper:.3f}, {row.moved:,} bytes moved"
            ),
        )
        print(model.stop_)
        print(f"Mixing theorem: {model.guarantee_}.")
        print(f"Checked where the data is: {verify(model.certificate_, shards).reason}.")
        print(f"Accuracy, lazily: {float(model.score(shards)):.1%}.")
        print(f"Decided on the cluster too: {decide(shards).verdict}.")
    local = model.to_local()
    print(f"An ordinary {type(local).__name__} of {local.n_features_in_} features came home.")


if __name__ == "__main__":
    main()
