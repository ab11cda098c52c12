"""What ends up on the axes: lines through the right points, words that say what is left out."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.style import DARK, LIGHT, palette_of
from rosenblatt.risk import descend
from rosenblatt.solve.max_margin import max_margin

FIVE, THREE, XOR = datasets.five_points(), datasets.three_samples(), datasets.xor()


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def lines(ax, normal, offset):
    """The straight lines on the axes that lie on normal·p + offset = 0."""
    on = []
    for line in ax.lines:
        points = np.column_stack(line.get_data()).astype(float)
        if len(points) == 2 and np.allclose(points @ normal + offset, 0, atol=1e-6):
            on.append(points)
    return on


def test_the_decision_line_is_drawn_where_the_score_is_zero():
    model = rb.Perceptron().fit(FIVE.X, FIVE.y)
    ax = figures.x_space(model, FIVE.X, FIVE.y)
    assert len(lines(ax, model.coef_[0], model.intercept_[0])) == 1


def test_the_slab_runs_through_the_support_vectors():
    found = max_margin(THREE.X, THREE.y)
    ax = figures.x_space(found, THREE.X, THREE.y, slab=True)
    w, b = found.weights[:2], found.weights[2]
    for shift in (-1, 0, 1):
        assert len(lines(ax, w, b + shift)) == 1
    circled = ax.collections[-1].get_offsets()
    assert sorted(map(tuple, circled)) == sorted(map(tuple, THREE.X.astype(float)))


def test_perpendiculars_end_on_the_line():
    weights = np.array([1.0, -1.0, -1.0])
    ax = figures.x_space(weights, FIVE.X, FIVE.y, perpendiculars=[0, 3])
    segments = next(c for c in ax.collections if hasattr(c, "get_segments")).get_segments()
    assert len(segments) == 2
    for (point, foot), row in zip(segments, (0, 3), strict=True):
        assert np.allclose(point, FIVE.X[row])
        assert np.isclose(foot @ weights[:2] + weights[2], 0)


def test_mistakes_are_circled():
    weights = [1.0, -1.0, -1.0]
    wrong = np.flatnonzero((FIVE.X @ [1, -1] - 1 >= 0) != (FIVE.y > 0))
    ax = figures.x_space(weights, FIVE.X, FIVE.y)
    assert f"mistakes: {len(wrong)}" in ax.get_legend_handles_labels()[1]
    assert np.allclose(ax.collections[-1].get_offsets(), FIVE.X[wrong])


def test_each_sample_is_its_line_in_w_space_and_the_path_is_there():
    run = rb.trace(THREE.X, THREE.y, fit_intercept=False)
    ax = figures.w_space(run)
    for x in THREE.X:
        assert len(lines(ax, x, 0)) >= 1
    end = next(line for line in ax.lines if line.get_label() == "w")
    assert np.allclose(np.ravel(end.get_data()), run.weights[-1].astype(float))


def test_the_section_shows_its_lines_and_the_optimum():
    ax = figures.weight_section(None, THREE.X, THREE.y)
    for x, y in zip(THREE.X, THREE.y, strict=True):
        assert len(lines(ax, y * np.array([x[1], 1]), y * x[0] / 17 - 1)) == 1
    star = next(line for line in ax.lines if line.get_label() == "optimum")
    assert np.allclose(np.ravel(star.get_data()), [4 / 17, 0], atol=1e-6)


def test_hulls_join_the_guilty_rows_in_one_point():
    decision = rb.decide(XOR.X, XOR.y)
    ax = figures.hulls(decision, XOR.X, XOR.y)
    star = next(line for line in ax.lines if line.get_label() == "shared point")
    assert np.ravel(star.get_data()).tolist() == [0.5, 0.5]


def test_of_several_classes_the_bound_is_twice_that_of_two():
    X, y = datasets.load("iris")[:2]
    X = np.column_stack([X, np.eye(3)[np.unique(y, return_inverse=True)[1]]])
    model = rb.Perceptron().fit(X, y)
    gamma = model.margin_.lower
    bound = f"2R²/γ² = {2 * model.radius_**2 / gamma**2:,.4g}"
    ax = figures.sandwich(model)
    assert any(bound in text.get_text() for text in ax.texts)
    assert r"$\sqrt{2k}\,R$" in [line.get_label() for line in ax.lines]
    ax = figures.online_mistakes(model, gamma=gamma)
    assert f"bound {bound}" in [line.get_label() for line in ax.lines]


def test_the_sandwich_shows_the_bound():
    run = rb.trace(FIVE.X, FIVE.y)
    ax = figures.sandwich(run)
    growth = figures.proof.growth_of(run)
    assert f"{run.run.updates:,} updates ≤ R²/γ²" in words(ax)
    drawn = next(line for line in ax.lines if line.get_label() == r"$\|w\|$")
    assert np.array_equal(drawn.get_ydata(), growth.norms)
    assert np.isclose(ax.lines[-1].get_xdata()[0], growth.bound)


def test_more_than_two_features_are_projected_and_the_axes_say_so():
    X, y = datasets.load("breast_cancer")[:2]
    ax = figures.x_space(np.append(np.ones(30), -1.0), X, y)
    assert "30 features, projected onto w" in words(ax).replace("\n", " ")
    assert ax.get_xlabel() == "distance along w"
    ax = figures.x_space(np.append(np.ones(30), -1.0), X, y, view=(0, 1))
    said = words(ax).replace("\n", " ")
    assert "2 of 30 features shown" in said
    assert "no line in this view" in said
    assert not ax.lines


def test_many_points_are_sampled_and_the_axes_say_so():
    X = np.random.default_rng(0).standard_normal((100_000, 2))
    ax = figures.x_space([1.0, 2.0, 0.0], X, X[:, 0] > 0)
    ax.figure.canvas.draw()
    assert sum(len(c.get_offsets()) for c in ax.collections[:2]) <= 10_000
    assert "10,000 of 100,000 points shown" in words(ax)


def test_a_million_points_too():
    X = np.random.default_rng(0).standard_normal((1_000_000, 2)).astype(np.float32)
    ax = figures.x_space([1.0, 2.0, 0.0], X, X[:, 0] > 0)
    assert sum(len(c.get_offsets()) for c in ax.collections[:2]) <= 10_000


def test_themes_and_axes_of_the_user():
    with figures.theme("dark"):
        assert palette_of(figures.x_space(None, XOR.X, XOR.y)) is DARK
    assert palette_of(figures.x_space(None, XOR.X, XOR.y)) is LIGHT
    with plt.style.context("dark_background"):
        assert palette_of(figures.x_space(None, XOR.X, XOR.y)) is DARK
    _, ax = plt.subplots()
    assert figures.x_space(None, XOR.X, XOR.y, ax=ax) is ax
    with pytest.raises(InputError, match="light"):
        figures.theme("sepia")


def test_a_flat_axes_cannot_hold_a_solid_picture():
    _, ax = plt.subplots()
    with pytest.raises(InputError, match="3d"):
        figures.risk_surface(None, THREE.X, THREE.y, ax=ax)


def test_classes_differ_by_marker_and_by_colour():
    X, y = datasets.load("digits")[:2]
    ax = figures.regions(np.random.default_rng(0).standard_normal((10, 65)), X, y)
    drawn = ax.collections[:10]
    looks = {(tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes()) for c in drawn}
    assert len(looks) == 10
    assert len({look[1] for look in looks}) == 10


def test_the_descent_is_drawn_where_it_went():
    path = descend(THREE.X, THREE.y, init=[1, -5], epsilon=0.2, fit_intercept=False)
    ax = figures.risk_contours({"GD": path}, THREE.X, THREE.y)
    end = next(line for line in ax.lines if line.get_label() == f"GD: {path.steps} steps")
    assert np.allclose(np.ravel(end.get_data()), path.weights[-1, :2])


def test_descents_with_different_biases_share_no_section():
    one = descend(THREE.X, THREE.y, epsilon=0.2)
    two = descend(THREE.X, THREE.y, epsilon=0.7, init=1)
    with pytest.raises(InputError, match="fit_intercept"):
        figures.risk_contours({"a": one, "b": two}, THREE.X, THREE.y)


def test_every_estimator_can_be_drawn():
    from rosenblatt.estimators.batch import BatchPerceptron
    from rosenblatt.estimators.kernel import KernelPerceptron
    from rosenblatt.estimators.max_margin import MaxMargin

    X, y = THREE.X.astype(float), THREE.y
    ax = figures.x_space(MaxMargin().fit(X, y), X, y, slab=True)
    assert "margin 4.12" in ax.get_legend_handles_labels()[1]
    batch = BatchPerceptron(fit_intercept=False).fit(X, y)
    figures.risk_contours({"GD": batch}, X, y)
    curved = KernelPerceptron(kernel="rbf").fit(XOR.X, XOR.y)
    assert not figures.regions(curved, XOR.X, XOR.y).get_legend_handles_labels()[1][2:]
    with pytest.raises(InputError, match=r"figures\.regions"):
        figures.x_space(curved, XOR.X, XOR.y)
    with pytest.raises(InputError, match="two features"):
        figures.regions(KernelPerceptron().fit(np.eye(3), [0, 1, 1]), np.eye(3), [0, 1, 1])


def test_three_step_sizes():
    axes = figures.step_sizes(*datasets.gaussian(30, 2, 0.05)[:2])
    assert len(axes) == 3
    assert all("ε = " in ax.get_title(loc="left") for ax in axes)


def test_pairs_and_confusion_count_right():
    X, y = datasets.load("iris")[:2]
    ax = figures.pairs_matrix(X, y)
    assert [text.get_text() for text in ax.texts].count("no") == 2
    predicted = y.copy()
    predicted[:3] = 2
    ax = figures.confusion(predicted, X, y)
    assert {text.get_text() for text in ax.texts} == {"47", "50", "3"}


def test_weights_are_drawn_as_images_and_refused_where_they_are_none():
    weights = np.arange(50.0).reshape(2, 25)
    axes = figures.weight_images(np.column_stack([weights, np.zeros(2)]))
    assert np.array_equal(axes[1].images[0].get_array(), weights[1].reshape(5, 5))
    with pytest.raises(InputError, match="square"):
        figures.weight_images([1.0, 2.0, 3.0, 0.0])


def test_contact_sheet_shows_the_heaviest_first():
    X, y = datasets.load("digits")[:2]
    decision = rb.decide(X, y == 8)
    axes = figures.contact_sheet(decision, X, y == 8, most=5)
    heaviest = decision.certificate.rows[int(np.argmax(decision.certificate.alpha))]
    assert np.array_equal(axes[0].images[0].get_array().ravel(), X[heaviest])
    assert len(axes) == 5


def test_cost_has_the_fitted_exponent():
    sizes = np.array([10, 100, 1000])
    ax = figures.cost({"square": (sizes, 3 * sizes**2)}, size="n")
    assert ax.get_legend_handles_labels()[1] == ["square: n$^{2.00}$"]


@pytest.mark.parametrize("kind", figures.kinds())
def test_every_kind_draws_from_points_and_labels_alone(kind):
    X, y = (XOR if kind in ("product", "contact_sheet") else THREE)[:2]
    if kind in ("weight_images", "contact_sheet"):
        X = np.pad(X, ((0, 0), (0, 23)))
    assert figures.picture(kind, X, y).axes
