"""Figures say what is so, and can be read, on data of more than a handful of points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.sources import data_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.figures.wplane import LINES, drawn_lines, wedge, weight_plane
from rosenblatt.teaching.geometry import Box


def blobs(distance, n=120):
    """Two clouds of the plane."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], n // 2)
    return rng.standard_normal((n, 2)) + distance * y[:, None] * [0.9, 0.5], y


class Frame(np.ndarray):
    """An array with named columns, as a data frame has them."""

    columns = ("petal length (cm)", "petal width (cm)")


def framed(X):
    return np.asarray(X).view(Frame)


NEAR, CLOSE, FAR = blobs(3), blobs(6), blobs(8)


def words(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def samples(ax):
    """The lines of samples in w-space: from rim to rim, no axis."""
    return [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 1]


def test_step_sizes_call_none_good_that_separates_nothing():
    titles = [ax.get_title(loc="left") for ax in figures.step_sizes(*NEAR)]
    assert [title.split(": ")[1] for title in titles] == ["too small", "least risk", "too large"]


def test_pairs_show_the_best_margins():
    X, y = datasets.load("iris")[:2]
    ax = figures.pairs_matrix(X, y)
    shown = {text.get_text() for text in ax.texts}
    first = rb.margin(X[:100], y[:100])
    second = rb.margin(X[y != 1], y[y != 1])
    assert shown >= {f"{first.lower:.3g}", f"{second.lower:.3g}", "no"}
    assert len(shown) == 4
    assert "coordinate of 1 for the bias" in words(ax)
    assert ax.get_title(loc="left") == "Separable pairs, and their margins"


def test_decided_pairs_alone_have_no_margins():
    ax = figures.pairs_matrix(rb.pairs(*datasets.load("iris")[:2]))
    assert {text.get_text() for text in ax.texts} == {"yes", "no"}
    assert ax.get_title(loc="left") == "Separable pairs"
    with pytest.raises(InputError, match="not both"):
        figures.pairs_matrix(rb.pairs(*FAR), FAR[1])


@pytest.mark.parametrize(
    ("data", "flat", "solid"),
    [
        (datasets.xor()[:2], "no line", "a plane"),
        (FAR, "a line", "a plane"),
        (NEAR, "no line", "no plane either"),
    ],
)
def test_the_product_says_whether_there_is_a_line_and_a_plane(data, flat, solid):
    left, right = figures.picture("product", *data).axes
    assert left.get_title(loc="left") == f"two features: {flat}"
    assert right.get_title(loc="left") == f"with their product: {solid}"


def test_a_plane_that_is_nearly_vertical_is_drawn_among_the_points():
    """Its height over (x₁, x₂) is 10^16 and more; what is seen is where it passes."""
    X, y = datasets.six_points()[:2]
    _, right = figures.picture("product", X, y).axes
    low, high = right.get_zlim()
    assert -6 < low < -2
    assert 2 < high < 6


def test_weights_of_pairs_are_named_after_pairs():
    X, y = datasets.load("digits")[:2]
    few = y < 4
    axes = figures.weight_images(rb.Perceptron(multiclass="ovo").fit(X[few], y[few]))
    assert [ax.get_title(loc="center") for ax in axes][:2] == ["1 against 0", "2 against 0"]
    assert len(axes) == 6
    ones = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert axes[0].images[0].get_array().ravel() @ ones > 0


def test_few_features_are_no_image_and_have_bars():
    X, y = datasets.load("iris")[:2]
    model = rb.Perceptron().fit(X, y)
    no_image = "4 features are no square one of at least 5 × 5 pixels: draw {}"
    with pytest.raises(InputError, match=no_image.format("weight_bars")):
        figures.weight_images(model)
    with pytest.raises(InputError, match=no_image.format("pairs_matrix")):
        figures.contact_sheet(rb.decide(X, y), X, y)
    with pytest.raises(InputError, match=no_image.format("certificate")):
        figures.contact_sheet(rb.decide(X, y == 1), X, y == 1)
    axes = figures.weight_bars(model, names=["a", "b", "c", "d"], most=3)
    largest = np.argsort(-np.abs(model.coef_).max(axis=0))[:3]
    for ax, row in zip(axes, model.coef_, strict=True):
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], row[largest])
    ticks = [tick.get_text() for tick in axes[0].get_yticklabels()]
    assert ticks == ["abcd"[k] for k in largest]
    assert "the 3 largest of 4" in words(axes[0])


@pytest.mark.parametrize("draw", [figures.w_space, figures.risk_contours])
def test_many_samples_are_thinned_and_the_axes_say_so(draw):
    ax = draw(rb.trace(*NEAR, fit_intercept=False, max_passes=2), *NEAR)
    assert len(samples(ax)) <= LINES
    assert f"{LINES} of 120 lines drawn" in words(ax)


def test_only_feasible_weights_are_called_feasible():
    run = rb.trace(*NEAR, fit_intercept=False, max_passes=2)
    ax = figures.w_space(run, *NEAR)
    assert "feasible w" not in labels(ax)
    assert "no weights in the picture" in words(ax)
    X = NEAR[0] + 9 * np.where(NEAR[1], 1, -1)[:, None]
    ax = figures.w_space(rb.trace(X, NEAR[1], fit_intercept=False), X, NEAR[1])
    assert "feasible w" in labels(ax)


@given(st.integers(0, 200), st.floats(-2, 2))
def test_the_lines_drawn_bound_what_all_lines_bound(seed, bias):
    rng = np.random.default_rng(seed)
    X = rng.normal([6, 3], size=(60, 2))
    plane = weight_plane([1, 1, bias], data_of(None, X, np.sign(X @ [2, 1] - 14)))
    box = Box(-3, 3, -3, 3)
    rows, said = drawn_lines(plane, wedge(plane, box))
    assert len(set(rows)) == LINES
    fewer = plane._replace(rows=plane.rows[rows], offsets=plane.offsets[rows])
    if "bound" in said:
        corners = [np.sort(wedge(part, box) @ [1, 1j]) for part in (fewer, plane)]
        np.testing.assert_allclose(*corners, atol=1e-9)


def test_distances_are_those_of_the_nearest_points():
    X, y = FAR
    model = rb.Perceptron().fit(X, y)
    ax = figures.x_space(model, X, y, perpendiculars=True)
    (drawn,) = [c for c in ax.collections if c.get_label() == "distance"]
    ends = np.array([segment[0] for segment in drawn.get_segments()])
    distances = np.abs(model.decision_function(X))
    for code in (0, 1):
        nearest = X[y == code][np.argsort(distances[y == code])[:3]]
        assert all((ends == point).all(axis=1).any() for point in nearest)
    assert len(ends) == 6
    assert "nearest points only" in words(ax)


def test_a_bracket_of_many_decades_is_logarithmic():
    X = np.array([[1.0, 0.0], [1.0, 1e-3], [0.5, 0.0]])
    ax = figures.bracket(rb.trace(X, [0, 1, 0], max_passes=10_000, max_steps=100_000))
    assert ax.get_yscale() == "log"
    low, high = ax.get_ylim()
    gamma = rb.margin(X, [0, 1, 0]).lower
    assert 0 < low < gamma < high
    assert figures.bracket(rb.trace(*datasets.three_samples()[:2])).get_yscale() == "linear"


@pytest.mark.parametrize(
    "data", [load_breast_cancer(return_X_y=True), make_blobs(120, centers=2, random_state=3)]
)
def test_a_bracket_of_one_pass_shows_both_ends(data):
    """A pass without mistakes after it adds no point to what is known."""
    model = rb.Perceptron().fit(*data)
    ax = figures.bracket(model, *data)
    drawn = dict(zip(labels(ax), ax.lines, strict=False))
    for word, end in (("upper", None), ("lower", model.margin_.lower)):
        (line,) = [line for label, line in drawn.items() if word in label]
        seen = np.isfinite(line.get_ydata())
        assert len({*line.get_xdata()[seen]}) > 1 or line.get_marker() == "o"
        assert end is None or (line.get_ydata()[seen] == [end]).all()


def test_what_a_fit_reached_before_its_end_is_not_drawn():
    model = rb.Perceptron(order="cyclic").fit(*CLOSE)
    ax = figures.bracket(model, *CLOSE)
    (lower,) = [line for line in ax.lines if "lower" in str(line.get_label())]
    assert len(lower.get_xdata()) > 1
    assert np.isnan(lower.get_ydata()[:-1]).all()
    assert lower.get_ydata()[-1] == model.margin_.lower


@pytest.mark.parametrize("draw", [figures.weight_planes, figures.weight_section])
def test_only_the_least_weights_are_called_the_optimum(draw):
    widest = rb.MaxMargin().fit(*FAR)
    for source in (None, widest, np.append(widest.coef_, widest.intercept_)):
        ax = draw(source, *FAR)
        assert any(label.startswith("optimum") for label in labels(ax))
        assert "optimum" not in words(ax)
    best = np.linalg.norm(widest.coef_)
    ax = draw(rb.Perceptron().fit(*FAR), *FAR)
    assert not any(label.startswith("optimum") for label in labels(ax))
    assert any(label.split(" ")[0] == "w" for label in labels(ax))
    assert f"the optimum, the least of all, has {best:.3g}" in words(ax)


def test_mistakes_of_a_fit_are_drawn_where_they_are_known():
    X, y = load_iris(return_X_y=True)
    model = rb.Perceptron().fit(X, y)
    ax = figures.online_mistakes(model, X, y)
    line = ax.lines[0]
    assert line.get_drawstyle() == "default"  # no step that claims 0 until the pass is over
    assert line.get_marker() == "o"
    np.testing.assert_array_equal(line.get_xdata(), [0, *model.run_.column("looks")])
    assert line.get_ydata()[-1] == model.mistakes_
    assert "counted at the end of each pass" in words(ax)
    ax = figures.online_mistakes(rb.trace(X, y, max_passes=1, exact=False), X, y)
    assert ax.lines[0].get_drawstyle() == "steps-post"
    assert "pass" not in words(ax)


def test_pairs_of_which_none_is_separable_are_not_called_separable():
    X, y = load_iris(return_X_y=True)
    ax = figures.pairs_matrix(X, y == 2)
    assert ax.get_title(loc="left") == "No pair is separable"
    assert "margins" not in words(ax)
    assert figures.pairs_matrix(rb.pairs(X, y == 2)).get_title(loc="left") == "No pair is separable"


def test_the_proofs_of_a_separation_kind_are_drawn():
    assert figures.separation(rb.separation_kind(*FAR), *FAR).get_title(loc="left") == "Separable"
    xor = datasets.xor()[:2]
    for draw in (figures.hulls, figures.certificate):
        ax = draw(rb.separation_kind(*xor), *xor)
        assert ax.get_title(loc="left") == "Inseparable: the hulls meet"
    with pytest.raises(InputError, match=r"draw figures\.hulls"):
        figures.separation(rb.separation_kind(*xor), *xor)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=r"draw figures\.pairs_matrix\(X, y\)"):
        figures.certificate(rb.separation_kind(X, y), X, y)


def test_passes_and_mistakes_are_counted_in_whole_numbers():
    X, y = load_breast_cancer(return_X_y=True)
    model = rb.Perceptron().fit(X, y)
    X, y = load_iris(return_X_y=True)
    whole = rb.trace(X, y, max_passes=1, exact=False)
    for ax in (figures.mistakes_per_pass(model), figures.online_mistakes(whole, X, y)):
        ax.figure.canvas.draw()
        for axis in (ax.xaxis, ax.yaxis):
            ticks = axis.get_ticklocs()
            assert (ticks == np.round(ticks)).all()
    assert f" mistakes in {model.n_iter_} passes. " in words(figures.mistakes_per_pass(model))


@pytest.mark.parametrize("seed", range(6))
def test_a_section_shows_what_it_calls_feasible(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 60)
    X = 0.7 * rng.standard_normal((120, 2)) + np.where(y[:, None], [2, 1], [-2, 0])
    model = rb.MaxMargin() if seed % 2 else rb.Perceptron()
    ax = figures.weight_section(model.fit(X, y), X, y)
    if "feasible" not in labels(ax):
        assert "hardly any weights but those marked meet all constraints" in words(ax)
        return
    (region,) = ax.patches
    seen = np.ptp(region.get_xy(), axis=0) / np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    assert seen.max() > 0.3


def test_numbers_of_rows_are_not_written_over_each_other():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = 1.2 * rng.standard_normal((120, 2)) + np.where(y[:, None], [1, 1], [-1, 0])
    ax = figures.fewest_errors(rb.fewest_errors(X, y, time_limit=2), X, y)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text().isdigit()]
    assert len(boxes) > 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_bracket_of_inseparable_points_says_so():
    ax = figures.bracket(rb.trace(*NEAR, max_passes=5))
    assert "inseparable" in words(ax)
    assert not any("reached" in label for label in labels(ax))


@pytest.mark.parametrize(
    "kind", ["w_space", "risk_contours", "angles", "weight_section", "product"]
)
def test_features_names_are_on_every_axis(kind):
    X, y = FAR
    figure = figures.picture(kind, X, y, names=["height", "age"])
    said = " ".join(ax.get_xlabel() + ax.get_ylabel() for ax in figure.axes)
    assert "age" in said
    assert "$" not in said
    assert "height" in said + figure.axes[0].get_title(loc="left")


def test_a_trace_of_a_frame_keeps_its_names():
    run = rb.trace(framed(FAR[0]), FAR[1])
    assert figures.x_space(run).get_xlabel() == "petal length (cm)"
    ax = figures.w_space(rb.trace(framed(FAR[0]), FAR[1], fit_intercept=False, max_passes=2))
    assert ax.get_xlabel() == "weight of petal length (cm)"
    moving = figures.animate(run)
    assert moving._fig.axes[0].get_ylabel() == "petal width (cm)"


def test_the_second_axis_is_no_second_discriminant_of_two_classes():
    X, y = datasets.load("iris")[:2]
    assert "leading component" in figures.x_space(None, X, y == 0).get_ylabel()
    assert figures.x_space(None, X, y).get_ylabel() == "discriminant 2"


def test_a_hyphen_of_a_name_is_no_minus():
    assert named(["Iris-setosa", "b"]) == ["Iris-setosa", "b"]
    assert named([-2, 3]) == ["−2", "3"]


def test_an_angle_near_a_right_one_is_not_called_a_right_one():
    ax = figures.angles([1.0, 0.0, 0.0], [[0.005, 1.0], [-1.0, 0.0]], [1, -1])
    assert "89.7°" in words(ax)


@pytest.mark.parametrize("draw", [figures.sandwich, figures.online_mistakes])
def test_a_margin_that_the_run_disproves_is_refused(draw):
    X, y = datasets.five_points()[:2]
    run = rb.trace(X, y)
    with pytest.raises(InputError, match=r"after 445 updates .*bias='padded'"):
        draw(run, gamma=5)
    with pytest.raises(InputError, match="not the margin of these points"):
        draw(rb.Perceptron().fit(X, y), gamma=5)
    with pytest.raises(InputError, match="gamma=0 says that the points are inseparable"):
        draw(run, gamma=0)
    padded = rb.MaxMargin(bias="padded").fit(X, y).margin_
    assert "R²/γ²" in words(draw(run, gamma=padded)) + " ".join(labels(draw(run, gamma=padded)))
    assert "the points are inseparable" in words(draw(rb.trace(*NEAR, max_passes=5), gamma=0))


def test_a_run_of_one_update_allows_the_margin_that_it_reached():
    run = rb.trace([[3.0, 4.0]], [1], fit_intercept=False)
    assert run.run.updates == 1
    figures.sandwich(run, gamma=5.0)


def test_powers_of_ten_are_not_crowded():
    X = np.array([[1.0, 0.0], [1.0, 1e-3], [0.5, 0.0]])
    run = rb.trace(X, [0, 1, 0], max_passes=10_000, max_steps=100_000)
    ticks = figures.online_mistakes(run, gamma=1e-9).get_yticks()
    assert len(ticks) <= 9


@pytest.mark.parametrize("kind", ["angles", "activation", "product"])
def test_what_needs_two_features_says_what_to_do(kind):
    X, y = datasets.load("iris")[:2]
    with pytest.raises(InputError, match="two features, not 4: choose two columns of X"):
        figures.picture(kind, X, y == 0)


def test_hulls_of_separable_classes_name_the_figure_to_draw():
    with pytest.raises(InputError, match=r"separable.*figures\.separation"):
        figures.hulls(rb.decide(*FAR), *FAR)


@pytest.mark.parametrize("name", ["three_samples", "six_points", "five_points"])
def test_the_slab_of_sets_side_by_side_is_the_widest(name):
    X, y = datasets.load(name)[:2]
    (ax,) = np.ravel(figures.side_by_side({name: (X, y)}))
    assert f"margin {rb.MaxMargin().fit(X, y).margin_:.3g}" in labels(ax)
    assert ax.get_title(loc="left") == f"{name}: separable"


def test_the_margin_of_any_other_line_is_called_this_lines():
    X, y = datasets.six_points()[:2]
    for source, name in [([3, 1, 0], "this line's margin 0.316"), (rb.MaxMargin().fit(X, y), None)]:
        ax = figures.x_space(source, X, y, slab=True)
        assert (name or "margin 1") in labels(ax)
    assert "this line's margin" in " ".join(labels(figures.certificate(rb.decide(X, y), X, y)))
    assert "margin 1" in labels(figures.with_product(X, y)[0])


def test_a_section_is_titled_by_the_fraction_that_it_is_at():
    X, y = datasets.three_samples()[:2]
    assert figures.weight_section(None, X, y).get_title(loc="left") == "Section at w₁ = 1/17"
