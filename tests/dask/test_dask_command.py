"""``rosenblatt fit --dask``, and what is left when its scheduler goes."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

import rosenblatt as rb
from children import until
from mixing_here import here, simulate
from rosenblatt.cli.app import app
from rosenblatt.places.cluster.mixing import Pace

COMMAND = [sys.executable, "-m", "rosenblatt", "fit"]


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Three shards of integers that no hyperplane separates, and their parts."""
    folder = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(0)
    parts = []
    for k in range(3):
        X = rng.integers(-5, 6, size=(40, 4))
        y = (X[:, 0] + rng.integers(-2, 3, size=40) > 0).astype(int)
        lines = [
            f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x)
            for row, label in zip(X, y, strict=True)
        ]
        text = "\n".join(lines) + "\n"
        (folder / f"part-{k}.svm.gz").write_bytes(gzip.compress(text.encode()))
        parts.append((sparse.csr_array(X.astype(float)), y))
    return f"{folder}/part-*.svm.gz", parts


def scheduler_of(start, tmp_path):
    """A scheduler, beside one worker, each a process of its own; and its address."""
    where = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    how = ("--no-dashboard", "--scheduler-file", str(where))
    scheduler = start([*dask, "scheduler", "--port", "0", "--idle-timeout", "10m", *how], **quiet)

    def address():
        assert scheduler.process.poll() is None
        with suppress(FileNotFoundError, json.JSONDecodeError):  # not yet, or half written
            return json.loads(where.read_text())["address"]

    found = until(address, "the address of the scheduler")
    worker = ("--nthreads", "1", "--no-nanny", "--death-timeout", "60")
    start([*dask, "worker", *worker, *how], **quiet)
    return scheduler, found


def test_the_scheduler_goes_the_checkpoint_stays_and_resume_goes_on(shards, start, tmp_path):
    pattern, parts = shards
    checkpoint, model = tmp_path / "fit.checkpoint", tmp_path / "model.safetensors"
    scheduler, address = scheduler_of(start, tmp_path)
    environment = {
        **os.environ,
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s",
        "COLUMNS": "200",
    }
    how = [pattern, "--checkpoint", str(checkpoint), "-o", str(model)]
    command = [*COMMAND, "--dask", address, "--max-iter", "1000000", *how]
    fit = start(command, env=environment)
    line = fit.until("round 3:.*\n")[0]
    assert "mistakes, margin at most" in line
    assert "moved" in line
    scheduler.press(signal.SIGKILL)
    assert fit.code() == 2
    rest = fit.err
    assert "Traceback" not in rest
    assert "connection to the scheduler was lost" in rest
    assert f"are kept in {checkpoint}: --resume goes on" in rest
    assert not model.exists()
    done = int(rest.split("rounds are kept")[0].split()[-1].replace(",", ""))
    on = ["--dask", "local", "--workers", "1", "--max-iter", f"{done + 2}", "--resume", "--json"]
    on += ["--solution", "average"]
    again = subprocess.run(
        [*COMMAND, *on, *how],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert f"round {done + 1}:" in again.stderr
    assert "dashboard: http" in again.stderr
    found = json.loads(again.stdout)
    run, _ = simulate(here(parts, [0.0, 1.0]), Pace(order="active"), done + 2)
    assert found["mistakes"] == run.mistakes
    assert found["guarantee_holds"]
    assert sum(map(sum, found["training"]["confusion"])) == 120
    np.testing.assert_array_equal(rb.load(model).coef_[0], run.average[:-1])
    np.testing.assert_array_equal(rb.load(model).intercept_[0], run.average[-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dask", "nowhere"], "no address of a scheduler"),
        (["--dask", "local", "--scale"], "--scale is not offered with --dask"),
        (["--dask", "local", "--test", "0.5"], "--test is not offered with --dask"),
        (["--dask", "local", "--resume"], "--resume needs --checkpoint"),
        (["--dask", "local", "--workers", "0"], "--workers must be at least 1, got 0"),
        (["--dask", "local", "--order", "worst"], "use --order active"),
        (["--dask", "local", "--max-iter", "0"], "must be at least 1, got 0"),
        (["--dask", "local", "-o", "no/such/model"], "there is no folder no/such"),
        (["--dask", "htp://here:1"], "no scheduler answers there"),
        (["--dask", "tcp://127.0.0.1:port"], "no scheduler answers there"),
        (["--dask", "tcp://127.0.0.1:9", "--workers", "2"], "--workers belongs to --dask local"),
    ],
)
def test_bad_options_are_told_in_one_sentence(shards, options, message):
    outcome = CliRunner().invoke(app, ["fit", shards[0], *options])
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.stderr.split())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_disk_costs_the_model_not_the_report(shards):
    how = ["--dask", "local", "--workers", "1", "--max-iter", "2", "-o", "/dev/full", "--json"]
    outcome = CliRunner().invoke(app, ["fit", shards[0], *how])
    assert outcome.exit_code == 2, outcome.stderr
    found = json.loads(outcome.stdout)
    assert (found["model"], found["partitions"]) == (None, 3)
    assert found["error"] == "/dev/full: cannot be written (No space left on device)"


def test_a_missing_file_is_told_before_a_cluster_is_started(tmp_path):
    outcome = CliRunner().invoke(app, ["fit", "--dask", "local", f"{tmp_path}/part-*.svm"])
    assert outcome.exit_code == 2
    assert "no file matches" in outcome.stderr
