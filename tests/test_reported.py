"""What newcomers ran into, kept from coming back."""

import re

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb
from rosenblatt.margins import mistake_bound
from rosenblatt.readers import open_reader


def test_a_bound_beyond_floats_is_infinite():
    assert mistake_bound(1e300, 1e-300) == np.inf
    assert mistake_bound(1.0, 5e-324) == np.inf
    clf = rb.Perceptron().fit([[1e100], [-1e100], [1e-100]], [0, 1, 0])
    assert clf.mistake_bound_ == np.inf


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_a_prediction_says_which_value_is_not_finite(make, value, word):
    clf = rb.Perceptron().fit(np.eye(2), [0, 1])
    rows = make(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, value]]))
    with pytest.raises(rb.InputError, match=f"{word} at row 2, column 1"):
        clf.predict(rows)


def test_lines_are_numbered_as_an_editor_does(tmp_path):
    path = tmp_path / "table.csv"
    wide = b"0.125," * 50
    names = b",".join(b"c%d" % j for j in range(50))
    lines = [b"a," + names + b",y", *(b"%d," % i + wide + b"%d" % (i % 2) for i in range(5000))]
    for end in (b"\n", b"\r\n", b"\r\r\n"):
        lines[3999] = b"oops," + wide + b"1"
        path.write_bytes(end.join(lines) + end)
        with pytest.raises(rb.InputError, match="line 4000: expected a number"):
            open_reader(path).read()


def test_a_reader_knows_its_format(tmp_path):
    for name, content in (("t.csv", "a,y\n1,0\n2,1\n"), ("t.tsv", "a\ty\n1\t0\n2\t1\n")):
        path = tmp_path / name
        path.write_text(content)
        reader = open_reader(path)
        assert reader.format == path.suffix[1:]
        again = open_reader(path, format=reader.format)
        np.testing.assert_array_equal(again.read().X, reader.read().X)


def test_a_file_may_be_named_instead_of_opened(tmp_path):
    path = tmp_path / "parity.csv"
    path.write_text("a,b,y\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n")
    decision = rb.decide_stream(path)
    assert decision.verdict is rb.Verdict.INSEPARABLE
    assert rb.verify_stream(decision.certificate, str(path))
    assert rb.Perceptron().fit_stream(str(path)).verdict_ is rb.Verdict.INSEPARABLE
    for use in (rb.decide_stream, rb.Perceptron().fit_stream):
        with pytest.raises(rb.InputError, match=re.escape("the name of a file, got a int")):
            use(5)


def test_a_checkpoint_with_one_bit_turned_is_refused(tmp_path):
    path, checkpoint = tmp_path / "points.csv", tmp_path / "run.checkpoint"
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(-9, 9, (300, 4)), rng.integers(0, 2, 300)])
    np.savetxt(path, rows, delimiter=",", fmt="%d")

    def fit(**how):
        model = rb.Perceptron(order="cyclic", max_iter=5, certify=False)
        return model.fit_stream(open_reader(path, chunk_bytes=500), checkpoint=checkpoint, **how)

    kept = []

    def keep(_):
        if checkpoint.exists():
            kept.append(checkpoint.read_bytes())

    fit(every=0.0, progress=keep)
    for back in (1, 20, 60):
        turned = bytearray(kept[-1])
        turned[-back] ^= 4
        checkpoint.write_bytes(turned)
        with pytest.raises(rb.InputError, match="leave resume out"):
            fit(resume=True)
    checkpoint.write_bytes(kept[-1])
    np.testing.assert_array_equal(fit(resume=True).coef_, fit().coef_)
