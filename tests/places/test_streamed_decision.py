"""Decisions and verifications of files, against those of the same rows in memory."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

import rosenblatt as rb
from rosenblatt.certificate import WeakSeparation, fingerprint
from rosenblatt.errors import TakesLong
from rosenblatt.places.file.constraints import FileConstraints, FileTable
from rosenblatt.places.file.place import fingerprint_of
from rosenblatt.places.file.rows import FileRows, rows_of
from rosenblatt.readers import open_reader
from strategies import labelled, separable


def written(folder, X, y, kind="svm"):
    path = folder / f"rows.{kind}"
    if kind == "svm":
        dump_svmlight_file(X, y, str(path), zero_based=False)
    else:
        np.savetxt(path, np.column_stack([X, y]), fmt="%.17g", delimiter=",")
    return path


def opened(path, d, chunk_bytes):
    return open_reader(path, chunk_bytes=chunk_bytes, width=d if path.suffix == ".svm" else None)


@given(
    problem=st.one_of(labelled(n=(3, 25)), labelled(classes=3, n=(5, 25)), separable(n=(3, 25))),
    kind=st.sampled_from(["svm", "csv"]),
    chunk_bytes=st.integers(5, 400),
    fit_intercept=st.booleans(),
)
@settings(max_examples=25)
def test_decisions_are_those_of_memory(tmp_path_factory, problem, kind, chunk_bytes, fit_intercept):
    X, y = problem
    X[0, 0] = X[0, 0] or 1.0  # svmlight text without a single entry is refused
    path = written(tmp_path_factory.mktemp("rows"), X, y, kind)
    reader = opened(path, X.shape[1], chunk_bytes)
    streamed = rb.decide_stream(reader, fit_intercept=fit_intercept)
    whole = rb.decide(X, y, fit_intercept=fit_intercept)
    assert streamed.verdict is whole.verdict
    assert streamed.certificate.verify(X, y)
    assert streamed.certificate.fingerprint == whole.certificate.fingerprint
    assert rb.verify_stream(streamed.certificate, reader)
    assert rb.verify_stream(whole.certificate, reader)


def test_a_larger_file_is_decided_both_ways(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12))
    y = (X @ rng.normal(size=12) > 0.3).astype(int)
    path = written(tmp_path, X, y, "csv")
    reader = open_reader(path, chunk_bytes=20_000)
    rounds = []
    separable = rb.decide_stream(reader, progress=rounds.append)
    assert separable.verdict is rb.Verdict.SEPARABLE
    assert separable.errors == 0
    assert rounds
    assert rb.verify_stream(separable.certificate, reader)
    y[1234] = 1 - y[1234]
    (tmp_path / "flipped").mkdir()
    flipped = open_reader(written(tmp_path / "flipped", X, y, "csv"), chunk_bytes=20_000)
    inseparable = rb.decide_stream(flipped)
    assert inseparable.verdict is rb.Verdict.INSEPARABLE
    assert 1234 in inseparable.certificate.rows
    assert inseparable.certificate.verify(X, y)
    assert rb.verify_stream(inseparable.certificate, flipped)
    # Each proof holds for its own data only.
    assert "fingerprint" in rb.verify_stream(separable.certificate, flipped).reason
    unbound = replace(separable.certificate, fingerprint="")
    wrong = rb.verify_stream(unbound, flipped)
    assert not wrong
    assert "counted from row" in wrong.reason
    assert not rb.verify_stream(replace(inseparable.certificate, fingerprint=""), reader)


def test_no_time_leaves_it_undecided(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 5)), rng.integers(0, 2, 500)
    reader = open_reader(written(tmp_path, X, y, "csv"), chunk_bytes=5000)
    decision = rb.decide_stream(reader, time_limit=1e-9)
    assert decision.verdict is rb.Verdict.UNDECIDED
    assert decision.certificate is None


def test_a_certificate_of_other_rows_or_kind_is_refused(tmp_path):
    X, y = np.array([[1.0], [2.0], [4.0]]), np.array([0, 0, 1])
    reader = open_reader(written(tmp_path, X, y, "csv"))
    with pytest.raises(rb.InputError, match="weak-separation"):
        rb.verify_stream(WeakSeparation.of(X, y, [1.0, -3.0]), reader)
    beyond = rb.decide([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]).certificate
    outcome = rb.verify_stream(replace(beyond, fingerprint=""), reader)
    assert not outcome
    assert "row 3" in outcome.reason


@pytest.mark.parametrize("kind", ["svm", "csv"])
def test_rows_are_found_by_their_numbers(tmp_path, kind):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (60, 4)).astype(float), np.arange(60) % 3
    rows = FileRows(opened(written(tmp_path, X, y, kind), 4, 150))
    table = FileTable(rows)
    which = np.array([50, 3, 3, 17])
    found = table[which]
    found = found.toarray() if hasattr(found, "toarray") else found
    np.testing.assert_array_equal(found, X[which])
    again = table[np.array([59, 17])]
    again = again.toarray() if hasattr(again, "toarray") else again
    np.testing.assert_array_equal(again, X[[59, 17]])
    np.testing.assert_array_equal(table.codes, y)
    np.testing.assert_array_equal(table.min(0), X.min(axis=0))
    np.testing.assert_array_equal(table.max(0), X.max(axis=0))
    assert fingerprint_of(rows) == fingerprint(X, y)
    with pytest.raises(rb.InputError, match="expected a row 60"):
        rows.gather(np.array([60]))


def test_a_file_may_be_named_instead_of_opened(tmp_path):
    path = tmp_path / "parity.csv"
    path.write_text("a,b,y\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n")
    decision = rb.decide_stream(path)
    assert decision.verdict is rb.Verdict.INSEPARABLE
    assert rb.verify_stream(decision.certificate, str(path))
    assert rb.Perceptron().fit_stream(str(path)).verdict_ is rb.Verdict.INSEPARABLE
    for use in (rb.decide_stream, rb.Perceptron().fit_stream):
        with pytest.raises(rb.InputError, match="or a frame of pandas, Polars or Arrow, got a int"):
            use(5)


def hashed(path, n, words, a_row, noise):
    """Texts of so many words in the format of Vowpal Wabbit, which hashes them to 2^18 columns."""
    rng = np.random.default_rng(0)
    weights, texts = rng.normal(size=words), rng.integers(words, size=(n, a_row))
    signs = np.where((weights[texts].sum(axis=1) > 0) ^ (rng.random(n) < noise), 1, -1)
    lines = [
        f"{sign} | " + " ".join(f"w{word}" for word in text)
        for sign, text in zip(signs, texts.tolist(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return open_reader(path)


def test_programs_of_hashed_text_are_those_of_the_columns_in_use(tmp_path):
    reader = hashed(tmp_path / "texts.vw", 2000, 40, 8, 0.1)
    constraints = FileConstraints(rows_of(reader, True))
    assert (constraints.columns.width, constraints.d) == (2**18, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TakesLong)
        decision = rb.decide_stream(reader)
    assert decision.verdict is rb.Verdict.INSEPARABLE
    assert decision.weights.shape == (2**18 + 1,)
    assert rb.verify_stream(decision.certificate, reader)


def test_hashed_text_of_many_words_is_separated(tmp_path):
    reader = hashed(tmp_path / "texts.vw", 400, 300, 8, 0.3)
    decision = rb.decide_stream(reader)
    assert decision.verdict is rb.Verdict.SEPARABLE
    assert rb.verify_stream(decision.certificate, reader)
