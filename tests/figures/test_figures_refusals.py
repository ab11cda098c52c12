"""Every parameter of every public figure: what cannot be drawn is refused, with a reason."""

from __future__ import annotations

import inspect
import warnings
from contextlib import suppress

import matplotlib.pyplot as plt
import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.errors import InputError, RosenblattError

X, Y = np.array([[-2.0, 1.0], [-1.0, -1.5], [1.0, 0.0], [3.0, 1.0]]), [0, 0, 1, 1]
XOR = dict(zip(("X", "y"), datasets.xor()[:2], strict=True))
DATA = {"X": X, "y": Y}
FITTED = {"source": rb.Perceptron().fit(X, Y), **DATA}
PROVED = {"source": rb.decide(X, Y), **DATA}
REFUTED = {"source": rb.decide(**XOR), **XOR}
OF_A_SOURCE = ("activation_bias", "activation_plane", "bracket", "confusion", "lifted_points")
OF_A_SOURCE += ("moved_bias", "online_mistakes", "regions", "risk_contours", "risk_surface")
OF_A_SOURCE += ("sandwich", "w_space", "weight_planes", "weight_section", "x_space", "xw_space")
# Calls that work; their parameters are then made odd one by one.
CALLS = {
    **dict.fromkeys(OF_A_SOURCE, FITTED),
    **dict.fromkeys(("ball", "with_product"), DATA),
    **dict.fromkeys(("certificate", "separation"), PROVED),
    "angles": {"source": [1.0, 0.0, 0.0], **DATA},
    "animate": {"trace": rb.trace(X, Y)},
    "contact_sheet": {**REFUTED, "shape": (1, 2)},
    "cost": {"source": ([1, 2, 4], [1, 4, 16])},
    "cost_scaling": {"points": [20, 40], "features": [2, 4], "margins": [0.5, 0.4]},
    "fewest_errors": {"source": rb.fewest_errors(**XOR), **XOR},
    "growth_classes": {},
    "hulls": REFUTED,
    "mistakes_per_pass": {"source": FITTED["source"]},
    "pairs_matrix": {"source": X, "y": Y},
    "picture": {"kind": "points", **DATA},
    "side_by_side": {"sets": {"mine": (X, Y)}},
    "step_sizes": {"epsilons": [1.0], **DATA},
    "theme": {"name": "dark"},
    "unit": {"weights": [1.0, 2.0, 3.0], "x": [1.0, 2.0]},
    "update_vectors": {"w": [3, -1], "x": [-1, 2]},
    "vector_projection": {"u": [3, 4], "v": [5, 0]},
    "weight_bars": {"source": FITTED["source"]},
    "weight_images": {"source": [1.0] * 26},
}
JUNK = [-1.5, "a", [1], {}, {"a": 1}, 10**400, [[1], [2, 3]], object(), rb.Perceptron(), rb.pairs]
JUNK += [rb.risk.study(X, [-1, -1, 1, 1], [0.1]), rb.pairs(X, Y), np]


def test_every_public_figure_is_called_here():
    assert {*CALLS, "kinds"} == set(figures.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_junk_is_drawn_or_refused_on_purpose(name):
    draw = getattr(figures, name)
    draw(**CALLS[name])
    for parameter in inspect.signature(draw).parameters:
        for junk in JUNK:
            with warnings.catch_warnings(), suppress(RosenblattError):
                warnings.simplefilter("ignore")
                draw(**{**CALLS[name], parameter: junk})
            plt.close("all")


def test_a_unit_has_the_weights_of_a_fitted_estimator():
    model = FITTED["source"]
    drawn = [text.get_text() for text in figures.unit(model).texts]
    weights = [*model.coef_[0], *model.intercept_]
    assert {f"{w:.4g}".replace("-", "−") for w in weights} <= {*drawn}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (X + 1j, "Complex data not supported"),
        (X.astype("datetime64[D]"), r"must hold numbers, got dates"),
        (X.astype("timedelta64[D]"), r"must hold numbers, got durations"),
    ],
)
def test_rows_that_are_no_real_numbers_are_refused_as_elsewhere(rows, said):
    with pytest.raises(InputError, match=said):
        figures.x_space(None, rows, Y)


def test_labels_with_a_fraction_are_refused_as_elsewhere():
    with pytest.raises(InputError, match="Unknown label type: continuous"):
        figures.x_space(None, X, [0.5, 1.5, 0.5, 1.5])
    figures.x_space(None, X, [1.0, 2.0, 1.0, 2.0])
