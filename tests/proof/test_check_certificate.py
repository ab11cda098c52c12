"""`tools/check_certificate.py` answers for every kind, from files; the schema and the numbers."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import jsonschema
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file, load_breast_cancer

import rosenblatt as rb
from certificates import NAMES, ROOT, Example, checked, example_of, examples, tool, verified
from commands import run as run_command
from rosenblatt import certificate as ct

SOURCE = ROOT / "tools" / "check_certificate.py"
SCHEMA = json.loads((ROOT / "docs" / "certificate.schema.json").read_text())


def run(*arguments):
    command = [sys.executable, SOURCE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_is_one_file_over_the_standard_library():
    text = SOURCE.read_text()
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("example", NAMES, indirect=True)
def test_every_kind_is_proved(example):
    content = example.proof.to_dict()
    assert checked(example, content)
    assert verified(example, content)
    # Bound to no data set, the proof alone is checked.
    assert checked(example, {**content, "fingerprint": ""})


def test_every_kind_is_among_the_examples():
    from rosenblatt.certificate.base import KINDS

    assert {example.proof.kind for example in examples()} == set(KINDS)


@pytest.mark.parametrize("name", ["separation-three", "inseparability", "fewest"])
def test_files_and_exit_codes(name, tmp_path):
    example = example_of(name)
    proof, data = example.write(tmp_path)
    proved = run(proof, data)
    assert (proved.returncode, proved.stderr) == (0, "")
    assert proved.stdout.startswith(f"proved: {example.proof.kind}")
    header, first, *rest = data.read_text().splitlines()
    data.write_text("\n".join([header, *rest, first]) + "\n")
    refused = run(proof, data)
    assert (refused.returncode, refused.stderr) == (1, "")
    assert refused.stdout == "not proved: the data has another fingerprint\n"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_no_certificate_cannot_be_read(text, tmp_path):
    proof, data = example_of("separation").write(tmp_path)
    proof.write_text(text)
    outcome = run(proof, data)
    assert (outcome.returncode, outcome.stderr) == (2, "")
    assert outcome.stdout.startswith("cannot read: ")


@pytest.mark.parametrize("text", ["", "x,label\n1,2,3\n1\n", "x,label\nfive,0\n"])
def test_what_is_no_data_cannot_be_read(text, tmp_path):
    proof, data = example_of("separation").write(tmp_path)
    data.write_text(text)
    outcome = run(proof, data)
    assert (outcome.returncode, outcome.stderr) == (2, "")


def test_a_file_that_is_not_there(tmp_path):
    outcome = run(tmp_path / "none.json", tmp_path / "none.csv")
    assert outcome.returncode == 2
    assert "No such file" in outcome.stdout


def test_the_first_thing_that_is_wrong_is_named(tmp_path):
    example = example_of("separation")
    content = {**example.proof.to_dict(), "weights": [0.0, 1.0, 0.0]}
    outcome = run(*example.write(tmp_path, content))
    assert outcome.stdout == "not proved: row 0 is on the wrong side\n"
    assert outcome.returncode == 1


def test_labels_by_name_by_number_and_without_a_header(tmp_path):
    X, y = np.array([[0.0, 5.0], [1.0, 5.5], [3.0, -1e-3]]), np.array([0, 0, 1])
    proof = tmp_path / "proof.json"
    rb.decide(X, y).certificate.save(proof)
    named, bare = tmp_path / "named.csv", tmp_path / "bare.csv"
    named.write_text("a,class,b\n0,0,5\n1,0,5.5\n3,1,-1e-3\n")
    bare.write_text("0,5,0\n1,5.5,0\n3,-0.001,1\n")
    assert run(proof, named, "--label", "class").returncode == 0
    assert run(proof, named, "--label", 1).returncode == 0
    assert run(proof, bare).returncode == 0
    assert run(proof, named, "--label", "a").returncode == 1


def test_svmlight_and_one_class_against_the_rest(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:80, :3], y[:80]
    X[np.median(X) > X] = 0
    data, proof = tmp_path / "data.svm", tmp_path / "proof.json"
    dump_svmlight_file(csr_array(X), y, str(data), zero_based=False, comment="three columns")
    rb.decide(X, y == 1).certificate.save(proof)
    outcome = run(proof, data, "--positive", 1, "--features", 3)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert run(proof, data, "--positive", 0, "--features", 3).returncode == 1


# --- Numbers ---


@pytest.mark.parametrize(
    ("written", "value"),
    [(3, 3), (0.1, 0.1), ("0x1f", 31), ("-0x1/0x4", -0.25), ("-0x1.8p-3", -0.1875), ("0x1p+1", 2)],
)
def test_every_notation_means_the_same_to_both(written, value):
    assert tool.number(written) == value
    common = {"classes": (0, 1), "fit_intercept": True, "fingerprint": ""}
    proof = ct.WeakSeparation(weights=[written, 1.0], **common)  # type: ignore[arg-type]
    assert proof.weights[0] == value
    assert ct.from_json(proof.to_json()) == proof


def test_no_integer_is_rounded():
    big = 2**53 + 1
    common = {"classes": (0, 1), "fit_intercept": True, "fingerprint": ""}
    kept = ct.from_dict({**ct.WeakSeparation(weights=np.ones(2), **common).to_dict(),
                         "weights": [big, 1]})  # fmt: skip
    assert kept.weights.tolist() == [big, 1]
    with pytest.raises(ct.base.CertificateError, match="integer between two"):
        ct.from_dict({**example_of("separation").proof.to_dict(), "margin": [big, None]})


# --- The schema ---


def valid(content):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(content)


@pytest.mark.parametrize("example", NAMES, indirect=True)
def test_the_schema_knows_what_is_written(example):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    content = json.loads(example.proof.to_json())
    assert valid(content)
    assert not valid({**content, "more": 1})
    assert not valid({**content, "version": 2})
    assert not valid({**content, "kind": "magic"})
    for key in content:
        assert not valid({k: v for k, v in content.items() if k != key})
        assert not valid({**content, key: {"a": 1}})


@pytest.mark.parametrize("bad", ["1/3", "0X1", "0x", "0x1/", "0x1/0xg", "0x1.8", "nan", "", " 0x1"])
def test_the_schema_and_both_readers_refuse_what_is_no_number(bad):
    example = example_of("separation")
    content = {**example.proof.to_dict(), "weights": [bad, 1.0, 0.0]}
    assert not valid(content)
    assert not checked(example, content)
    assert not verified(example, content)


# --- Files of before ---

BEFORE = [
    '{"format": "rosenblatt-certificate", "version": 1, "kind": "separation", "classes": [0, 1], '
    '"fit_intercept": true, "fingerprint": '
    '"%s", "weights": [1.0, -0.5], "margin": [0.25, null]}',
    '{"format": "rosenblatt-certificate", "version": 1, "kind": "weak-separation", "classes": '
    '[0, 1], "fit_intercept": true, "fingerprint": "%s", "weights": ["0x2/0x3", "-0x1/0x3"]}',
]
INSEPARABLE = (
    '{"format": "rosenblatt-certificate", "version": 1, "kind": "%s", "classes": [0, 1], '
    '"fit_intercept": true, "fingerprint": "%s", "rows": [0, 1, 2], "alpha": [1, 2, 1], '
    '"rivals": null, "codes": [0, 1, 0], "epsilon": 0.0}'
)


def test_files_written_before_are_still_read():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    mark = ct.fingerprint(X, y)
    for text in BEFORE:
        example = Example("", X, y, ct.load(text % mark))
        assert verified(example, json.loads(text % mark))
        assert checked(example, json.loads(text % mark))
        assert valid(json.loads(text % mark))
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    for kind in ("inseparability", "overlap"):
        text = INSEPARABLE % (kind, ct.fingerprint(X, y))
        example = Example("", X, y, ct.load(text))
        assert verified(example, json.loads(text))
        assert checked(example, json.loads(text))
        assert valid(json.loads(text))


def test_the_fingerprint_of_the_page():
    """Labels of every kind, and rows with zeros: the checker computes the same hash."""
    X = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 0.0], [-0.0, 2.0, 1e-300]])
    for labels in ([0, 1, 0], [0.5, 2.0, 0.5], [True, False, True], ["ä", "b", "ä"]):
        y = np.array(labels)
        proof = ct.WeakSeparation.of(X, y, [0.0, 1.0, 0.0, -0.1])
        example = Example("", X, y, proof)
        tool.Checker(proof.to_dict(), *example.table())
        with pytest.raises(ArithmeticError, match="fingerprint"):
            tool.Checker({**proof.to_dict(), "fingerprint": "0" * 64}, *example.table())


@pytest.mark.parametrize("first", ["5, 5,no", "5,\t5,no", "5 ,5,no"])
def test_a_row_written_with_blanks_is_no_header(first, tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / "data.csv"
    X, y = [[0, 0], [1, 1], [3, 3], [4, 4]], ["no", "no", "yes", "yes"]
    content = {**rb.decide(X, y).certificate.to_dict(), "fingerprint": ""}
    proof.write_text(json.dumps(content))
    data.write_text(f"{first}\n0, 0,no\n1, 1,no\n3, 3,yes\n4, 4,yes\n")
    outcome = run(proof, data)
    assert (outcome.returncode, outcome.stdout) == (1, "not proved: row 0 is on the wrong side\n")


@pytest.mark.parametrize("cell", ["1_0", "nan", "inf", "0x5", "five"])
def test_what_is_no_header_and_no_number_cannot_be_read(cell, tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / "data.csv"
    rb.decide([[0.0], [1.0]], [0, 1]).certificate.save(proof)
    data.write_text(f"0,0\n{cell},1\n")
    assert run(proof, data).returncode == 2


# --- Wide data ---


def written(folder, X, y, content):
    """A certificate and its data as files."""
    proof, data = folder / "proof.json", folder / "data.csv"
    proof.write_text(json.dumps(content))
    lines = [
        ",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y, strict=True)
    ]
    data.write_text("\n".join(lines) + "\n")
    return proof, data


def test_factors_of_thousands_of_digits_are_proved(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(360, 120)) ** 9  # of all magnitudes, so that few columns are enough
    y = np.arange(360) % 2
    proof = rb.decide(X, y).certificate
    assert max(proof.alpha) > 10**4300  # beyond what Python writes as text
    outcome = run(*written(tmp_path, X, y, proof.to_dict()))
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    forged = {**proof.to_dict(), "alpha": [hex(a + (i == 3)) for i, a in enumerate(proof.alpha)]}
    assert run(*written(tmp_path, X, y, forged)).stdout == "not proved: rows do not cancel\n"


def test_a_proof_of_small_margins_alone_says_so(tmp_path):
    """An epsilon beyond all margins makes a proof of any two rows, separable ones too."""
    content = json.loads(INSEPARABLE % ("inseparability", "")) | {"epsilon": 8.5}
    proof, data = written(tmp_path, np.array([[0.0], [1.0], [2.0]]), [0, 1, 1], content)
    content["codes"] = None
    proof.write_text(json.dumps(content))
    outcome = run(proof, data)
    assert outcome.stdout == "proved: inseparability of 3 rows: of margins above 8.5 only\n"
    proof.write_text(json.dumps(content | {"version": True}))
    assert run(proof, data).stdout == "not proved: True is no number\n"


@pytest.mark.parametrize("bias", ["free", "padded"])
def test_a_thousand_columns_of_floats_are_proved(bias, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 1000))
    y = np.arange(30) % 2
    for proof in (rb.decide(X, y).certificate, rb.MaxMargin(bias=bias).fit(X, y).certify(X, y)):
        outcome = run(*written(tmp_path, X, y, proof.to_dict()))
        assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout


def test_hundreds_of_columns_are_proved_to_overlap(tmp_path):
    """Each unit vector in both classes, with a column of floats beside: the rank is full."""
    d, factor = 200, 3**20_000
    half = np.eye(d) * np.random.default_rng(2).normal(size=d)
    X, y = np.vstack([half, half, np.zeros((2, d))]), np.arange(2 * d + 2) // d % 2
    y[-1] = 1
    content = {
        **{"format": "rosenblatt-certificate", "version": 1, "kind": "overlap", "classes": [0, 1]},
        **{"fit_intercept": True, "fingerprint": "", "rows": [*range(2 * d + 2)], "rivals": None},
        **{"alpha": [hex(factor)] * (2 * d + 2), "codes": None, "epsilon": 0.0},
    }
    outcome = run(*written(tmp_path, X, y.tolist(), content))
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    content["rows"], content["alpha"] = [0, d], [hex(factor)] * 2
    outcome = run(*written(tmp_path, X, y.tolist(), content))
    assert outcome.stdout == "not proved: the rows do not span all\n"


# --- What makes two labels one ---

COMMON = {"format": "rosenblatt-certificate", "version": 1, "fit_intercept": True}
UP = {**COMMON, "kind": "separation", "fingerprint": "", "weights": [1, -2], "margin": [0, None]}


@pytest.mark.parametrize(
    ("name", "text", "classes"),
    [
        ("d.csv", "1,x\n1, x\n3,z \n4,\u00a0z\n", ["x", "z"]),
        ("d.csv", '1,"x"\n1,"x "\n3," z"\n4,z\n', ["x", "z"]),
        ("d.csv", "\ufeff1,-1\n1,-1.0\n3,+1\n4, 01\n", [-1, 1]),
        ("d.svm", "-1 1:1\n-1.0 1:1\n+1 1:3 # three\n1e0 1:4\n", [-1, 1]),
    ],
)
def test_labels_are_one_by_the_rule_that_the_package_reads_by(name, text, classes, tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / name
    data.write_text(text, encoding="utf-8")
    for how in ([], ["--stream"]):
        run_command("decide", data, *how, "--certificate", proof)
        assert json.loads(proof.read_text())["classes"] == classes
        outcome = run(proof, data)
        assert (outcome.returncode, outcome.stdout) == (0, "proved: separation of 4 rows\n")
        told = run_command("verify", proof, data, *how).stdout
        assert "The certificate holds" in told


def test_capitals_make_classes_for_the_checker_too(tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / "data.csv"
    data.write_text("1,no\n1,No\n3,yes\n")
    proof.write_text(json.dumps({**UP, "classes": ["no", "yes"]}))
    assert run(proof, data).stdout == "not proved: a label is no class\n"


def test_one_class_against_the_rest_by_its_number(tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / "data.svm"
    data.write_text("-1 1:1\n0 1:1\n+1 1:3\n1.0 1:4\n")
    proof.write_text(json.dumps({**UP, "classes": [False, True]}))
    assert run(proof, data, "--positive", "1").returncode == 0
    assert run(proof, data, "--positive", "+1.0").returncode == 0
    data.write_text("- 1:1\n- 1:1\n+ 1:3\n+ 1:4\n")
    assert run(proof, data, "--positive", "+").returncode == 0
    assert run(proof, data, "--positive", "-").returncode == 1


@pytest.mark.parametrize("text", ["0 0:5\n1 1:3\n", "0 1:5 1:1\n1 1:3\n", "0 2:1 1:1\n1 1:9\n"])
def test_columns_that_do_not_rise_from_1_cannot_be_read(text, tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / "data.svm"
    data.write_text(text)
    proof.write_text(json.dumps({**UP, "classes": [0, 1]}))
    outcome = run(proof, data, "--features", 2)
    assert (outcome.returncode, outcome.stdout) == (
        2,
        "cannot read: columns do not rise from 1 on\n",
    )


def test_columns_beyond_those_of_the_certificate_are_no_bias(tmp_path):
    proof, data = tmp_path / "proof.json", tmp_path / "data.svm"
    data.write_text("0 1:1\n1 1:3 2:-9\n")
    proof.write_text(json.dumps({**UP, "classes": [0, 1]}))
    assert run(proof, data).stdout == "not proved: there are more than 1 columns\n"
    data.write_text("0 1:1\n1 1:3\n")
    proof.write_text(json.dumps({**UP, "classes": [0, 1], "weights": [1, 5, -2]}))
    assert run(proof, data).returncode == 0  # the second column is empty
