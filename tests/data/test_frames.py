"""Frames of pandas, Polars and Arrow, lazy ones too, as rows, labels and streams."""

from __future__ import annotations

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
import sklearn
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import cross_val_score

import rosenblatt as rb
from expected import OUT_OF_PASSES
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.estimators.validation import sparse_as_set

NAMES = ["a", "b", "c"]
X = np.random.default_rng(0).standard_normal((60, 3))
Y = np.where(X @ [1, 2, -1] > 0, "yes", "no")
COLUMNS = dict(zip(NAMES, X.T, strict=True))

FRAMES = {
    "pandas": pd.DataFrame,
    "pandas over arrow": lambda d: pd.DataFrame(d).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "a batch of arrow": pa.RecordBatch.from_pydict,
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@each_frame
def test_a_frame_is_learned_from_as_its_array_is(frame):
    rows, wanted = frame(COLUMNS), rb.Perceptron().fit(X, Y)
    model = rb.Perceptron().fit(rows, Y)
    np.testing.assert_array_equal(model.coef_, wanted.coef_)
    assert model.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(model.predict(rows), wanted.predict(X))
    assert rb.decide(rows, Y).certificate.verify(X, Y)
    assert rb.separation_kind(rows, Y).kind is rb.Kind.COMPLETE
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame({name: COLUMNS[name] for name in reversed(NAMES)}))


@each_frame
def test_estimators_of_every_kind_know_the_names(frame):
    rows = frame(COLUMNS)
    for estimator in (rb.MaxMargin(), rb.BatchPerceptron(), rb.KernelPerceptron()):
        assert estimator.fit(rows, Y).feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_split_by_scikit_learn(frame):
    assert (cross_val_score(rb.Perceptron(), frame(COLUMNS), Y, cv=3) > 0.9).all()


LABELS = {
    "pandas": lambda y: pd.DataFrame({"y": y}),
    "polars": lambda y: pl.DataFrame({"y": y}),
    "arrow": lambda y: pa.table({"y": y}),
}


@pytest.mark.parametrize("column", LABELS.values(), ids=LABELS)
def test_labels_may_be_a_frame_of_one_column(column):
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = rb.Perceptron().fit(X, column(Y))
    assert model.classes_.tolist() == ["no", "yes"]
    with pytest.warns(UserWarning, match="column-vector"):
        assert rb.decide(X, column(Y)).verdict is rb.Verdict.SEPARABLE


SERIES = {
    "pandas": pd.Series,
    "categories of pandas": lambda y: pd.Series(y, dtype="category"),
    "polars": pl.Series,
    "categories of polars": lambda y: pl.Series(y, dtype=pl.Categorical),
    "an enum of polars": lambda y: pl.Series(y, dtype=pl.Enum(["yes", "no"])),
    "arrow": pa.array,
    "chunks of arrow": lambda y: pa.chunked_array([y[:20], y[20:]]),
    "a dictionary of arrow": lambda y: pa.array(y).dictionary_encode(),
}


@pytest.mark.parametrize("series", SERIES.values(), ids=SERIES)
def test_labels_may_be_a_column_of_any_library(series):
    model = rb.Perceptron().fit(X, series(Y))
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, series(Y)) == 1


@each_frame
def test_text_and_missing_numbers_are_refused_by_name(frame):
    with pytest.raises(InputError, match="text at row 0, column 1 \\('b'\\)"):
        rb.Perceptron().fit(frame({"a": [1.0, 2.0], "b": ["x", "y"]}), [0, 1])
    with pytest.raises(InputError, match="NaN at row 1, column 0 \\('a'\\)"):
        rb.decide(frame({"a": [1.0, None], "b": [1.0, 2.0]}), [0, 1])


@pytest.mark.parametrize(("kind", "word"), [(pl.Datetime, "dates"), (pl.Duration, "durations")])
def test_dates_of_polars_are_no_numbers(kind, word):
    frame = pl.DataFrame({"x": [1, 2], "when": [1, 2]}).with_columns(pl.col("when").cast(kind))
    for ask in (rb.Perceptron().fit, rb.decide):
        with pytest.raises(InputTypeError, match=f"{word} .* in column 1 \\('when'\\)"):
            ask(frame, [0, 1])


def test_lazy_frames_are_refused_where_rows_are_needed_at_once():
    lazy = pl.LazyFrame(COLUMNS)
    with pytest.raises(InputTypeError, match=r"X is a lazy frame.*X\.collect\(\)"):
        rb.Perceptron().fit(lazy, Y)
    with pytest.raises(InputTypeError, match=r"y is a lazy frame.*y\.collect\(\)"):
        rb.decide(X, pl.LazyFrame({"y": Y}))


@pytest.fixture
def path(tmp_path):
    pl.DataFrame({**COLUMNS, "y": Y}).write_parquet(tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def in_pieces(path):
    whole = pl.read_parquet(path)
    return pl.concat([whole[:7], whole[7:]], rechunk=False)


STREAMS = {
    "lazy": pl.scan_parquet,
    "polars": pl.read_parquet,
    "polars in pieces": in_pieces,
    "pandas": pd.read_parquet,
    "arrow": pyarrow.parquet.read_table,
    "a data set of arrow": pyarrow.dataset.dataset,
}


@pytest.mark.parametrize("opened", STREAMS.values(), ids=STREAMS)
def test_a_frame_is_streamed_as_its_file_is(opened, path):
    rows, wanted = opened(path), rb.Perceptron().fit_stream(path)
    model = rb.Perceptron().fit_stream(rows)
    np.testing.assert_array_equal(model.coef_, wanted.coef_)
    assert model.feature_names_in_.tolist() == NAMES
    decision = rb.decide_stream(rows)
    assert rb.verify_stream(decision.certificate, rows)
    assert decision.certificate.verify(X, Y)


def test_a_lazy_frame_has_the_choices_of_a_file(path):
    lazy = pl.scan_parquet(path).select("y", "a", "b", "c", text=pl.lit("x", dtype=pl.Categorical))
    reader = rb.readers.open_reader(lazy, label="y", ignore=["a"], chunk_bytes=160)
    assert [chunk.X.shape[1] for chunk in reader.chunks()] == [2] * 12
    assert reader.describe() == "label: 'y', 2 classes; 2 numeric columns; 1 text column"
    with pytest.raises(InputError, match="the frame: no label column 'z'"):
        rb.readers.open_reader(lazy, label="z")
    with pytest.raises(InputError, match="the frame: column 'when' holds date"):
        rb.decide_stream(lazy.select("a", pl.date(2020, 1, 1).alias("when"), "y"))
    with pytest.raises(InputError, match="the frame, row 0: no value in column 'a'"):
        rb.decide_stream(lazy.select(pl.lit(None, pl.Float64).alias("a"), "b", "y"))
    with pytest.raises(InputError, match="the frame: no rows to read"):
        rb.decide_stream(lazy.filter(pl.col("a") > 99))


@OUT_OF_PASSES
def test_an_open_stream_is_read_once(path):
    table = pyarrow.parquet.read_table(path)
    with pytest.raises(InputError, match="the frame can be read only once"):
        rb.decide_stream(table.to_reader())
    rows = table.to_reader(max_chunksize=7)
    model = rb.Perceptron(max_iter=1).fit_stream(rows, classes=["yes", "no"])
    assert model.n_iter_ == 1


def test_a_stream_of_no_frame_is_refused():
    with pytest.raises(InputError, match=r"or a frame of pandas.*, got a Series \(polars"):
        rb.Perceptron().fit_stream(pl.Series([1, 2]))


def test_columns_of_a_frame_without_batches_are_no_names_of_files():
    frame = dask.dataframe.from_pandas(pd.DataFrame({"a": [1.0], "y": ["b"]}), npartitions=1)
    for ask in (rb.readers.open_reader, rb.decide_stream, rb.Perceptron().fit_stream):
        with pytest.raises(InputError, match=r"or a frame of pandas, Polars or Arrow, got "):
            ask(frame)


ARRAYS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


@pytest.mark.parametrize("interface", ["array", "matrix"])
def test_sparse_arrays_are_learned_from_as_sparse_matrices(interface):
    wanted = rb.Perceptron().fit(sparse.csr_array(X), Y)
    for name in ARRAYS:
        rows = getattr(sparse, f"{name}_{interface}")(X)
        model = rb.Perceptron().fit(rows, Y)
        np.testing.assert_array_equal(model.coef_, wanted.coef_)
        assert model.score(rows, Y) == 1


@pytest.mark.parametrize("interface", ["array", "matrix"])
def test_sparse_results_are_of_the_kind_that_scikit_learn_is_set_to(interface):
    if "sparse_interface" not in sklearn.get_config():  # a setting since scikit-learn 1.9
        assert sparse.isspmatrix(sparse_as_set(X))
        return
    kind = getattr(sparse, f"csr_{interface}")
    setting = {"array": "sparray", "matrix": "spmatrix"}[interface]
    with sklearn.config_context(sparse_interface=setting):
        linear = rb.Perceptron().fit(X, Y).sparsify()
        aggressive = rb.PassiveAggressive().fit(X, Y).sparsify()
        kernel = rb.KernelPerceptron().fit(sparse.csr_array(X), Y)
    assert isinstance(linear.coef_, kind)
    assert isinstance(aggressive.coef_, kind)
    assert isinstance(kernel.support_vectors_, kind)
    assert linear.score(X, Y) == aggressive.score(X, Y) == 1
    assert kernel.score(sparse.csr_matrix(X), Y) > 0.9
