"""The command line and the lab in processes where scikit-learn cannot be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

BLOCKER = """
import sys


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "joblib"):
            raise ImportError(f"{name} is blocked")


sys.meta_path.insert(0, Blocker())
"""
ROWS = "".join(f"{a},{b},{'yes' if a + b > 6 else 'no'}\n" for a in range(5) for b in range(5))
TABLE = f"a,b,k\n{ROWS}"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCKER)
    (tmp_path / "t.csv").write_text(TABLE)
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    how = {"cwd": tmp_path, "env": env, "text": True}

    def run(*words):
        return subprocess.run([sys.executable, *words], capture_output=True, **how)

    run.how = how
    return run


def test_the_blocker_blocks(run):
    assert "sklearn is blocked" in run("-c", "import sklearn").stderr


def test_the_verbs_that_learn_decide_and_predict_need_no_scikit_learn(run, tmp_path):
    verbs = {
        "fit": "fit t.csv -o m.safetensors --test 0.2 --scale --json",
        "predict": "predict m.safetensors t.csv",
        "score": "score m.safetensors t.csv --json",
        "decide": "decide t.csv --certificate proof.json --json",
        "verify": "verify proof.json t.csv",
        "verify of a model": "verify m.safetensors t.csv",
        "export": "export m.safetensors -o m.json",
        "a streamed fit": "fit t.csv --stream -o s.safetensors --class-weight balanced --json",
        "a streamed decision": "decide t.csv --stream",
    }
    said = {}
    for name, words in verbs.items():
        done = run("-m", "rosenblatt", *words.split())
        assert done.returncode == 0, (name, done.stderr)
        said[name] = done.stdout
    assert json.loads(said["fit"])["verdict"] == "separable"
    assert json.loads(said["decide"])["separable"] is True
    labels = [line.split(",")[-1] for line in TABLE.split()[1:]]
    right = sum(a == b for a, b in zip(said["predict"].split(), labels, strict=True))
    assert json.loads(said["score"])["right"] == right > 0.9 * len(labels)
    assert "holds" in said["verify"]
    assert (tmp_path / "m.json").exists()


def test_a_report_needs_no_scikit_learn(run, tmp_path):
    done = run("-m", "rosenblatt", "report", "t.csv", "-o", "r.html")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "r.html").read_text("utf-8")
    events = dict(json.loads(text.partition('id="content">')[2].partition("</script>")[0]))
    assert events["fit"]["training"]["accuracy"] == 1
    assert events["picture"]["regions"]
