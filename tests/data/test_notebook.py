"""What notebooks show: true, escaped, and with the columns' own names."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import rosenblatt as rb

NASTY = ["<b>", "a & b"]  # labels that HTML would swallow
XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])


class Shown(HTMLParser):
    """The text of a piece of HTML, which must be well-formed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.text += " "
        if tag not in ("input", "br", "meta", "path", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("input", "br", "meta", "path", "img"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def shown(thing):
    return " ".join(Shown(thing._repr_html_()).text.split())


def labels(*codes):
    return [NASTY[code] for code in codes]


@pytest.mark.parametrize(
    "make",
    [
        rb.decide,
        lambda X, y: rb.decide(X, y).certificate,
        rb.separation_kind,
        rb.Perceptron().fit,
        rb.trace,
    ],
    ids=["decision", "certificate", "separation", "model", "trace"],
)
@pytest.mark.parametrize(
    ("X", "y"),
    [([[0.0], [1.0]], labels(0, 1)), (XOR, labels(0, 0, 1, 1))],
    ids=["separable", "inseparable"],
)
def test_labels_are_escaped(make, X, y):
    thing = make(X, y)
    ours = thing._repr_html_().rpartition("<table>")[2]  # scikit-learn's own diagram is above it
    assert "<b>" not in ours
    assert "<b>" in shown(thing)


def test_labels_of_pairs_are_escaped():
    pairs = rb.pairs([[0.0], [1.0]], labels(0, 1))
    assert "<b>" not in pairs._repr_html_()
    assert "<b>" in shown(pairs)


def test_a_decision_shows_its_proof():
    decision = rb.decide(XOR, [0, 0, 1, 1])
    assert decision.sentence in shown(decision)
    assert decision.certificate.explain() in shown(decision)


def test_parts_of_a_decision_are_shown():
    decision = rb.decide(np.vstack([XOR, [[9.0, 9]]]), [0, 0, 1, 1, 2], multiclass="ovr")
    for part in decision.parts.values():
        assert part.sentence in shown(decision)


def test_pairs_are_a_table():
    pairs = rb.pairs(np.vstack([XOR, [[9.0, 9]]]), list("aabbc"))
    assert shown(pairs).endswith("a b c a - no yes b no - yes c yes yes -")


def test_a_separation_shows_coefficients_and_next_step():
    frame = pd.DataFrame({"age": [30, 50, 60, 35, 45, 55], "<drug>": [0, 0, 0, 0, 0, 1]})
    result = rb.separation_kind(frame, [0, 1, 0, 1, 0, 1])
    assert "<drug> +∞" in shown(result)
    assert "sm.Logit(limit.endog, limit.exog)" in shown(result)


def test_growth_is_a_sentence():
    growth = rb.cost.growth_exponent([1, 2, 4], [3, 12, 48])
    assert shown(growth) == str(growth)


@pytest.mark.parametrize(
    "model",
    [
        rb.Perceptron(),
        rb.Perceptron(multiclass="ovo"),
        rb.MaxMargin(),
        rb.PassiveAggressive(),
        rb.BatchPerceptron(),
        rb.KernelPerceptron(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_fitted_estimators_report(model, classes):
    model = clone(model)
    assert "low, mid" not in shown(model)
    X = pd.DataFrame({"length": [0.0, 5.0, 10.0], "width": [0.0, 1.0, -3.0]})[:classes]
    fitted = model.fit(X, ["low", "mid", "top"][:classes])
    text = shown(fitted)
    assert "low, mid" in text
    assert hasattr(fitted, "stop_") == ("why it stopped" in text)
    assert hasattr(fitted, "coef_") == ("length" in text.partition("largest weights")[2])
    bundle = fitted._repr_mimebundle_()["text/html"]
    assert "low, mid" in bundle


def test_columns_of_a_frame_name_the_axes():
    pytest.importorskip("matplotlib").use("Agg")
    X = pd.DataFrame({"length": [0.0, 1.0], "price in $": [0.0, 1.0]})
    ax = rb.figures.x_space(rb.Perceptron().fit(X, [0, 1]), X, [0, 1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", r"price in \$")
    ax = rb.figures.x_space(None, X, [0, 1], names=["a", "b"])
    assert ax.get_xlabel() == "a"
    ax = rb.figures.x_space(None, X.to_numpy(), [0, 1])
    assert ax.get_xlabel() == "$x_{1}$"
