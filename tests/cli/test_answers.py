"""What verbs print with --json is what docs/answers.schema.json says, and nothing else."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import jsonschema
import pytest
import typer.main
from typer.testing import CliRunner

from expected import OUT_OF_PASSES
from rosenblatt.cli.app import app
from rosenblatt.cli.commands import warming

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "answers.schema.json").read_text("utf-8"))
VERBS = SCHEMA["$defs"].keys() & typer.main.get_command(app).commands.keys()

TABLE = (
    "size,weight,colour,kind\n1,2,red,no\n2,1,blue,no\n5,4,red,yes\n6,7,blue,yes\n5.5,4,red,yes\n"
)
GAPS = "size,weight,colour,kind\n1,,red,no\n2,1,blue,yes\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with tables, a model of each kind and a certificate."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    Path("gaps.csv").write_text(GAPS)
    Path("shard.svm").write_text("1 1:1 2:2\n-1 1:3\n1 2:5\n")
    for words in (
        ["fit", "table.csv", "-o", "two.safetensors"],
        ["fit", "iris", "-o", "three.safetensors"],
        ["decide", "iris", "--positive", "2", "--certificate", "proof.json"],
    ):
        assert CliRunner().invoke(app, words).exit_code in (0, 1)
    return tmp_path


def of(verb):
    """The part of the schema about a verb."""
    return {**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{verb}"}]}


def test_the_schema_has_every_verb_with_json():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = typer.main.get_command(app).commands.items()
    able = {name for name, verb in found if any("--json" in p.opts for p in verb.params)}
    assert able == VERBS
    named = {part["$ref"].rpartition("/")[2] for part in SCHEMA["anyOf"]}
    assert named == able | {"error"}


ASKED = [
    "decide iris --positive 0",
    "decide iris",
    "decide table.csv --stream",
    "decide digits --time-limit 0.000001",
    "errors iris --positive 2",
    "separation iris --positive 2",
    "separation table.csv",
    'separation table.csv --formula "kind ~ size + colour"',
    "separation iris --positive 1 --model cloglog",
    "fit table.csv -o model.safetensors --test 0.4",
    "fit table.csv --one-hot --scale --class-weight balanced",
    "fit table.csv --stream",
    "fit iris --margin 0.5 --max-iter 20",
    "fit --dask local --workers 1 shard.svm",
    "predict two.safetensors table.csv",
    "predict two.safetensors table.csv --scores",
    "predict two.safetensors gaps.csv --scores --missing drop",
    "predict three.safetensors iris --scores",
    "score two.safetensors table.csv",
    "score three.safetensors iris",
    "verify proof.json iris --positive 2",
    "verify proof.json iris --positive 1",
    "trace table.csv",
    "trace three_classes",
    "trace xor",
    "trace iris --positive 2 --max-passes 2",
    "datasets",
]


@OUT_OF_PASSES
@pytest.mark.parametrize("line", ASKED)
def test_answers_are_of_the_schema(line, folder):
    verb, *words = shlex.split(line)
    outcome = CliRunner().invoke(app, [verb, *words, "--json"])
    assert outcome.exit_code in (0, 1, 2, 3), (outcome.stderr, outcome.exception)
    answer = json.loads(outcome.stdout, parse_constant=pytest.fail)
    jsonschema.validate(answer, of(verb), jsonschema.Draft202012Validator)
    assert ("error" in answer) == (outcome.exit_code == 2)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_an_answer_stays_one_where_a_file_cannot_be_written(folder):
    for line in (
        "decide table.csv --certificate /dev/full",
        "fit table.csv -o /dev/full",
        "predict two.safetensors table.csv -o /dev/full",
    ):
        verb, *words = line.split()
        outcome = CliRunner().invoke(app, [verb, *words, "--json"])
        assert outcome.exit_code == 2
        answer = json.loads(outcome.stdout)
        jsonschema.validate(answer, of(verb))
        assert "No space left" in answer["error"]


def test_warm_up_answers_too(monkeypatch):
    monkeypatch.setattr(warming, "_warmed", lambda: None)
    outcome = CliRunner().invoke(app, ["warm-up", "--json"])
    jsonschema.validate(json.loads(outcome.stdout), of("warm-up"))


def test_errors_are_of_the_schema(folder):
    for words in (["decide", "nowhere"], ["score", "table.csv", "iris"], ["verify", "x", "iris"]):
        outcome = CliRunner().invoke(app, [*words, "--json"])
        assert outcome.exit_code == 2
        jsonschema.validate(json.loads(outcome.stdout), of("error"))


def test_other_answers_are_not_of_the_schema():
    for verb in VERBS - {"datasets"}:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"found": True}, of(verb))
