"""Fitted linear classifiers for other programs: ONNX, and plain JSON.

Both hold all that predictions take, in double precision. Where only exact weights separate the
classes, they say that they are rounded.
"""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import __version__
from rosenblatt.data.export.graph import Graph, tensor_of
from rosenblatt.data.files import write
from rosenblatt.data.lossless import is_sparse
from rosenblatt.errors import InputError, users_line
from rosenblatt.fit.fitted import Fitted
from rosenblatt.places.parts import parts_of
from rosenblatt.proof.certificate.data import plain_label

__all__ = ["to_json", "to_onnx"]

FORMAT, VERSION = "rosenblatt-json", 1


def to_json(
    model: Any, path: str | os.PathLike[str], *, columns: Any = None, labels: Any = None
) -> None:
    r"""Write a fitted linear classifier as JSON that people can read and programs predict from.

    The object has ``format``, ``version``, ``library``, ``kind``, ``parameters``, ``classes``,
    ``feature_names`` (or null), ``columns`` (how raw columns become features, or null),
    ``weights`` (one list a hyperplane), ``bias`` (one number each), ``decision``, ``pairs``,
    ``voters``, ``stop``, ``verdict``, ``counts`` and ``certificate``.

    To predict, compute score = weights·x + bias for each hyperplane, where x holds a row's features
    as the model learned from them. Without ``columns`` these are the columns as they are. With
    them, x is made of the raw row in this order:

    - numbers first; those missing become the numbers of ``fill``, where it is not null;
    - then, of each text column in ``categories``, 1 for the value that the row has, 0 for others;
    - then x = (x − ``mean``)/``scale``, entry by entry; a mean of null is 0, a scale of null 1.

    Of svmlight text the first number is that of the index ``first_index``. With the ``decision``

    - ``sign``: the second class if the only score is ≥ 0, else the first;
    - ``argmax``: the class of the highest score, the first of equal ones;
    - ``pairs``: hyperplane k speaks of the classes at ``pairs[k]``, and gives a vote to the second
      if its score is ≥ 0, else to the first; a class's sum s is of its scores, those against it
      negated; the class of the highest votes + s/(3(\|s\| + 1)) wins.

    Where ``voters`` is not null, each of its panels of hyperplanes with ``votes`` stands for one
    score: the sum of the votes of those with score ≥ 0 less those of the others, over all votes;
    in a panel whose weights are lists of K lists, each gives its votes to the class of its highest
    score, and these shares are the scores.

    Parameters
    ----------
    model : Perceptron, PassiveAggressive, MaxMargin or BatchPerceptron
        Fitted, or what `Perceptron.fitted_` is.
    path : str or path
    columns : dict, optional
        As in `rosenblatt.save`.
    labels : array of one label for each class, optional
        What ``classes`` are instead of ``model.classes_``; ``parameters`` and ``certificate`` keep
        those of the model.

    Examples
    --------
    >>> import tempfile, rosenblatt as rb
    >>> model = rb.MaxMargin().fit([[0.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_json(model, f"{folder}/model.json")
    ...     content = json.load(open(f"{folder}/model.json"))
    >>> content["weights"], content["bias"], content["decision"], content["classes"]
    ([[1.0]], [-1.0], 'sign', ['no', 'yes'])
    """
    found = _linear(model)
    answers = _answers(found, labels)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "library": __version__,
        "kind": found.kind,
        "parameters": {k: _plain(v) for k, v in found.parameters.items()},
        "classes": [plain_label(label) for label in answers],
        "feature_names": found.names,
        "columns": columns,
        "weights": found.weights.tolist(),
        "bias": found.bias.tolist(),
        "decision": found.decision,
        "pairs": _pairs(found).tolist() if found.decision == "pairs" else None,
        "voters": _voters(found),
        "stop": _plain(found.stop),
        "verdict": _plain(found.verdict),
        "counts": found.counts,
        "certificate": None if found.certificate is None else found.certificate.to_dict(),
    }
    try:
        text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    except ValueError:
        raise InputError("the weights are not finite, so there is nothing to export") from None
    write(path, text + "\n")


def to_onnx(
    model: Any,
    path: str | os.PathLike[str],
    *,
    labels: Any = None,
    mean: Any = None,
    scale: Any = None,
    fill: Any = None,
) -> None:
    """Write a fitted linear classifier as an ONNX graph from ``X`` to ``label`` and ``scores``.

    The graph computes in double precision what `predict` and `decision_function` do, boundary
    included: there the answer is the positive class. It is written with the extra ``onnx`` of this
    package, and run by others, such as onnxruntime, which is installed apart.

    Parameters
    ----------
    model : Perceptron, PassiveAggressive, MaxMargin or BatchPerceptron
        Fitted, with labels that are text, whole numbers, floats or bools.
    path : str or path
    labels : array of one label for each class, optional
        What to answer instead of ``model.classes_``.
    mean, scale : array of shape (d,), optional
        What to subtract from each row and then divide it by first.
    fill : array of shape (d,), optional
        What takes the place of a missing number (NaN) before that. Without it there must be none:
        the answer to a row that lacks one means nothing.

    Raises
    ------
    InputError
        Another kind of model, or the extra ``onnx`` is not installed.

    Examples
    --------
    >>> import tempfile, rosenblatt as rb
    >>> from onnxruntime import InferenceSession
    >>> model = rb.Perceptron().fit([[0.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_onnx(model, f"{folder}/model.onnx")
    ...     session = InferenceSession(f"{folder}/model.onnx")
    >>> session.run(["label"], {"X": np.array([[-1.0], [3.0]])})[0].tolist()
    ['no', 'yes']

    Where a number is missing, the column's mean may take its place:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_onnx(model, f"{folder}/model.onnx", fill=[1.5])
    ...     session = InferenceSession(f"{folder}/model.onnx")
    >>> session.run(["label"], {"X": np.array([[np.nan]])})[0].tolist()
    ['yes']
    """
    try:
        import onnx  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        raise InputError(
            'ONNX needs the package onnx: pip install "rosenblatt[onnx]"; a .json needs nothing'
        ) from None
    graph, found = Graph(), _linear(model)
    d = found.weights.shape[1]
    rows = "X"
    if fill is not None:
        rows = graph.add("Where", graph.add("IsNaN", rows), _row(fill, d, "fill"), rows)
    if mean is not None:
        rows = graph.add("Sub", rows, _row(mean, d, "mean"))
    if scale is not None:
        rows = graph.add("Div", rows, _row(scale, d, "scale"))
    scores = _scores(graph, found, rows)
    answers = _answers(found, labels)
    if found.decision == "sign":
        scores = graph.add("Squeeze", scores, np.array([1]), name="scores")
        codes = graph.add("Cast", graph.add("GreaterOrEqual", scores, np.array(0.0)), to="INT64")
    else:
        scores = graph.add("Identity", scores, name="scores")
        codes = graph.add("ArgMax", scores, axis=1, keepdims=0)
    graph.add("Gather", tensor_of(answers), codes, name="label")
    write(path, graph.serialised(d, answers, found.decision == "sign", found.names))


class _Linear(NamedTuple):
    """A linear classifier, whatever it came as."""

    kind: str
    parameters: dict[str, Any]
    classes: np.ndarray
    names: list[str] | None
    weights: np.ndarray
    bias: np.ndarray
    multiclass: str
    panels: Any
    stop: Any
    verdict: Any
    counts: dict[str, int]
    certificate: Any

    @property
    def decision(self) -> str:
        """How scores become classes."""
        if len(self.classes) == 2:
            return "sign"
        return "pairs" if self.multiclass == "ovo" else "argmax"


def _linear(model: Any) -> _Linear:
    if isinstance(model, Fitted):
        return _of_fitted(model)
    from rosenblatt.estimators.linear import LinearClassifier
    from rosenblatt.estimators.validation import check_is_fitted

    if not isinstance(model, LinearClassifier):
        raise InputError(
            f"only linear classifiers of rosenblatt are exported, not a {type(model).__name__}, "
            "which has no weights on the features; rosenblatt.save keeps it"
        )
    check_is_fitted(model)
    if hasattr(model, "fitted_"):
        parameters = model.get_params(deep=False)
        return _of_fitted(model.fitted_)._replace(parameters=parameters)  # type: ignore[attr-defined]
    counts = ("n_iter_", "mistakes_", "updates_", "looks_")
    coef, intercept = model._planes()  # type: ignore[attr-defined]
    if getattr(model, "_exactly", lambda: None)() is not None:
        _warn_of_rounding()
    return _Linear(
        kind=type(model).__name__,
        parameters=model.get_params(deep=False),
        classes=model.classes_,
        names=_texts(getattr(model, "feature_names_in_", None)),
        weights=_dense(coef),
        bias=intercept,
        multiclass=getattr(model, "multiclass", ""),
        panels=None,
        stop=getattr(model, "stop_", None),
        verdict=getattr(model, "verdict_", None),
        counts={k.strip("_"): getattr(model, k) for k in counts if hasattr(model, k)},
        certificate=getattr(model, "certificate_", None),
    )


def _answers(model: _Linear, labels: Any) -> np.ndarray:
    """What stands for each class: its label, or another."""
    answers = np.asarray(model.classes if labels is None else labels)
    if len(answers) != len(model.classes):
        raise InputError(f"labels must be {len(model.classes)}, one a class, got {len(answers)}.")
    if len(set(answers.tolist())) < len(answers):
        raise InputError(f"labels must be different for each class, got {answers.tolist()}.")
    return answers


def _warn_of_rounding() -> None:
    warnings.warn(
        "These classes are so near each other that only weights in exact arithmetic, those of the "
        "certificate, separate them. What is exported is rounded to double precision, and may "
        "answer otherwise next to the boundary than the model does: rosenblatt.save keeps all of "
        "it.",
        UserWarning,
        stacklevel=users_line(),
    )


def _of_fitted(fitted: Fitted) -> _Linear:
    if fitted.exact is not None:
        _warn_of_rounding()
    run = fitted.run
    counts = {"n_iter": run.passes, "mistakes": run.mistakes, "updates": run.updates}
    return _Linear(
        kind="Perceptron",
        parameters=fitted.settings.asdict(),
        classes=fitted.classes,
        names=_texts(fitted.names),
        weights=_dense(fitted.coef),
        bias=fitted.intercept,
        multiclass=fitted.settings.multiclass,
        panels=fitted.voters,
        stop=run.stop,
        verdict=fitted.verdict,
        counts={**counts, "looks": run.looks},
        certificate=fitted.certificate,
    )


def _dense(coef: Any) -> np.ndarray:
    return coef.toarray() if is_sparse(coef) else coef


def _texts(names: Any) -> list[str] | None:
    return None if names is None else list(map(str, names))


def _scores(graph: Graph, model: _Linear, rows: str) -> str:
    """One score a hyperplane, panel of voters or class, as the model's `decision_function`."""
    panels = model.panels
    if panels is None:
        scores = _hyperplanes(graph, rows, model.weights, model.bias)
    else:
        columns = [_voted(graph, rows, panel.weights, panel.votes) for panel in panels]
        scores = columns[0] if len(columns) == 1 else graph.add("Concat", *columns, axis=1)
    if model.decision != "pairs":
        return scores
    # Each pair gives a vote; sums are squeezed so that they only decide between equal votes.
    pairs, classes = _pairs(model), len(model.classes)
    second = np.eye(classes)[pairs[:, 1]]
    first = np.eye(classes)[pairs[:, 0]]
    won = _won(graph, scores)
    votes = graph.add("Add", graph.add("MatMul", won, second - first), first.sum(axis=0))
    sums = graph.add("MatMul", scores, second - first)
    size = graph.add("Add", graph.add("Abs", sums), np.array(1.0))
    squeezed = graph.add("Div", sums, graph.add("Mul", size, np.array(3.0)))
    return graph.add("Add", votes, squeezed)


def _hyperplanes(graph: Graph, rows: str, weights: np.ndarray, bias: np.ndarray) -> str:
    # onnxruntime fuses a product of matrices with a single scale before it, in float32; with one
    # feature the elementwise product is the same and is left alone.
    product = "Mul" if weights.shape[1] == 1 else "MatMul"
    return graph.add("Add", graph.add(product, rows, weights.T), bias)


def _won(graph: Graph, scores: str) -> str:
    """1 where a score is at least 0, else 0."""
    return graph.add("Cast", graph.add("GreaterOrEqual", scores, np.array(0.0)), to="DOUBLE")


def _voted(graph: Graph, rows: str, weights: np.ndarray, votes: np.ndarray) -> str:
    """The shares of the vote: one column of two classes, K columns of K.

    No product of matrices counts them: onnxruntime would fuse the division into it, in float32.
    """
    if weights.ndim == 2:
        scores = _hyperplanes(graph, rows, weights[:, :-1], weights[:, -1])
        signs = graph.add(
            "Sub", graph.add("Mul", _won(graph, scores), np.array(2.0)), np.array(1.0)
        )
        weighted = graph.add("Mul", signs, votes.astype(np.float64))
        counted = graph.add("ReduceSum", weighted, np.array([1]), keepdims=1)
        return graph.add("Div", counted, np.array(float(votes.sum())))
    panel, k, d = weights.shape
    flat = weights.reshape(panel * k, d)
    scores = _hyperplanes(graph, rows, flat[:, :-1], flat[:, -1])
    scores = graph.add("Reshape", scores, np.array([-1, panel, k]))
    chosen = graph.add("ArgMax", scores, axis=2, keepdims=1)
    ballots = graph.add("Cast", graph.add("Equal", chosen, np.arange(k)), to="DOUBLE")
    weighted = graph.add("Mul", ballots, votes.astype(np.float64)[:, np.newaxis])
    counted = graph.add("ReduceSum", weighted, np.array([1]), keepdims=0)
    return graph.add("Div", counted, np.array(float(votes.sum())))


def _pairs(model: _Linear) -> np.ndarray:
    parts: list[Any] = parts_of(len(model.classes), "ovo")
    return np.array([(part.negative, part.positive) for part in parts])


def _voters(model: _Linear) -> list[dict[str, Any]] | None:
    if model.panels is None:
        return None
    return [
        {
            "weights": panel.weights[..., :-1].tolist(),
            "bias": panel.weights[..., -1].tolist(),
            "votes": panel.votes.tolist(),
        }
        for panel in model.panels
    ]


def _row(numbers: Any, d: int, name: str) -> np.ndarray:
    try:
        row = np.asarray(numbers, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must have {d} numbers, one a feature: {error}") from error
    if len(row) != d:
        raise InputError(f"{name} must have {d} numbers, one a feature, got {len(row)}.")
    wrong = ~np.isfinite(row) | (row == 0 if name == "scale" else False)
    if wrong.any():
        at = int(np.argmax(wrong))
        needed = "finite numbers" + (" other than 0" if name == "scale" else "")
        raise InputError(f"{name} must have {needed}, got {row[at]:g} at feature {at}.")
    return row


def _plain(value: Any) -> Any:
    """A parameter or outcome as JSON holds it."""
    if hasattr(value, "name") and hasattr(value, "value"):
        return value.name
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
