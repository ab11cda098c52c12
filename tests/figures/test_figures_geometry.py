"""The geometry that figures are drawn from, as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.engine.rules.margin_share import dynamic_margin_bound
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.projection import View, leading_component, view_of
from rosenblatt.figures.drawing.sources import DrawnData, Hyperplane, data_of, path_of, weights_of
from rosenblatt.figures.growth import bracket_of, growth_of
from rosenblatt.figures.multiclass import region
from rosenblatt.figures.spaces import support_rows
from rosenblatt.figures.weights3d import constraints_of, patch, section
from rosenblatt.figures.wplane import Plane, wedge, weight_plane
from rosenblatt.risk import criterion
from rosenblatt.solve.max_margin import max_margin
from rosenblatt.teaching import geometry
from rosenblatt.teaching.geometry import Box, meeting, risk_at

numbers = st.integers(-20, 20).map(lambda k: k / 4)
BOX = Box(-2.0, 3.0, -1.0, 4.0)


@given(numbers, numbers, numbers)
def test_a_clipped_line_is_on_the_line_and_ends_on_the_boxs_rim(a, b, c):
    ends = geometry.clip_line([a, b], c, BOX)
    corners = BOX.corners() @ [a, b] + c
    if ends is None:
        assert (a == b == 0) or corners.min() * corners.max() > -1e-9
        return
    assert np.allclose(ends @ [a, b] + c, 0, atol=1e-9)
    rim = [
        min(abs(x - BOX.left), abs(x - BOX.right), abs(y - BOX.bottom), abs(y - BOX.top))
        for x, y in ends
    ]
    assert max(rim) < 1e-9


@given(st.lists(st.tuples(numbers, numbers, numbers), max_size=8))
def test_clipped_half_planes_hold_exactly_the_points_that_satisfy_them(rows):
    rows = np.array(rows).reshape(-1, 3)
    polygon = geometry.clip_halfplanes(BOX, rows[:, :2], rows[:, 2])
    if len(polygon):
        assert (rows[:, :2] @ polygon.T + rows[:, 2:] >= -1e-7).all()
    probe = np.random.default_rng(0).uniform([-2, -1], [3, 4], (200, 2))
    allowed = (rows[:, :2] @ probe.T + rows[:, 2:] > 1e-6).all(axis=0)
    if allowed.any():
        path = pytest.importorskip("matplotlib.path").Path(np.vstack([polygon, polygon[:1]]))
        assert (
            path.contains_points(probe[allowed], radius=1e-6).all()
            or path.contains_points(probe[allowed], radius=-1e-6).all()
        )


def test_a_vertical_and_a_horizontal_line():
    assert geometry.clip_line([2, 0], -2, BOX).tolist() == [[1, -1], [1, 4]]
    assert np.allclose(sorted(geometry.clip_line([0, 1], -1, BOX)[:, 0]), [-2, 3])


@given(st.lists(st.tuples(numbers, numbers), min_size=4, max_size=30, unique=True))
def test_the_hull_is_qhulls(points):
    points = np.array(points)
    if np.linalg.matrix_rank(points - points[0]) < 2:
        assert len(geometry.convex_hull(points)) == 2
        return
    ours = {tuple(p) for p in geometry.convex_hull(points)}
    assert ours == {tuple(p) for p in points[ConvexHull(points).vertices]}


def test_the_hull_of_many_points_is_qhulls():
    points = np.random.default_rng(0).standard_normal((200_000, 2))
    ours = {tuple(p) for p in geometry.convex_hull(points)}
    assert ours == {tuple(p) for p in points[ConvexHull(points).vertices]}


def test_feet_are_perpendicular_and_on_the_line():
    normal, points = np.array([3.0, 4.0]), np.array([[1.0, 7], [-2, 0], [5, 5]])
    feet = geometry.foot(normal, -5.0, points)
    assert np.allclose(feet @ normal, 5)
    assert np.allclose((points - feet) @ [-4, 3], 0)


@pytest.mark.parametrize(
    "points",
    [
        [[5, 5]],
        [[1e12, 1e12]] * 2,
        [[0, 1], [0, 2]],
        [[0, 0], [1e100, 1]],
        [[1, 1], [1 + 1e-16, 1]],
    ],
)
def test_a_frame_has_room_on_all_sides_whatever_the_points(points):
    box, _ = geometry.frame(points)
    for x, y in points:
        assert box.left < x < box.right
        assert box.bottom < y < box.top


def test_the_wedge_of_the_three_samples_has_its_corner_at_the_origin():
    data = datasets.three_samples()
    plane = weight_plane(None, data_of(None, data.X, data.y))
    corners = wedge(plane, Box(-1, 1, -1, 1))
    # x² and x³ bound it: along (3, −5)⊥ = (1, 3/5) and (−5, −3)⊥ = (−3/5, 1).
    expected = {(0.0, 0.0), (1.0, 0.6), (1.0, 1.0), (-0.6, 1.0)}
    assert {tuple(np.round(corner, 9) + 0.0) for corner in corners} == expected


def test_weights_in_the_wedge_separate_and_outside_do_not():
    data = datasets.six_points()
    plane = weight_plane(None, data_of(None, data.X, data.y))
    inside = wedge(plane, Box(-1, 1, -1, 1)).mean(axis=0)
    assert (data.y * (data.X @ inside) > 0).all()
    assert (data.y * (data.X @ -inside) < 0).any()


def test_w_space_of_one_feature_with_a_bias_is_exact():
    plane = weight_plane(rb.trace([[2], [-1]], [1, -1]), data_of(None, [[2], [-1]], [1, -1]))
    assert plane.rows.tolist() == [[2, 1], [1, -1]]
    assert plane.path.tolist() == [[0, 0], [2, 1]]
    assert plane.labels == ("$w$", "$b$")


def test_w_space_with_a_bias_says_that_it_is_a_section():
    data = datasets.five_points()
    plane = weight_plane([1.0, 2.0, -3.0], data_of(None, data.X, data.y))
    assert "b = -3" in plane.note
    assert plane.offsets.tolist() == (-3.0 * data.y).tolist()


def test_the_risk_drawn_is_the_risk_of_the_engine():
    cloud = datasets.gaussian(300, 2, 0.1)
    plane = weight_plane(None, data_of(None, cloud.X, cloud.y))
    for w in ([1.0, 2.0], [-3.0, 0.5], [0.0, 0.0]):
        assert np.isclose(risk_at(plane.rows, plane.offsets, w), criterion(cloud.X, cloud.y, w))


def test_the_planes_of_the_three_samples_meet_at_the_optimum():
    data = datasets.three_samples()
    system = constraints_of(None, data_of(None, data.X, data.y))
    assert np.allclose(system.point, [1 / 17, 4 / 17, 0], atol=1e-6)
    assert np.allclose(system.rows, [[1, 4, 1], [5, 3, -1], [-3, 5, -1]])
    assert np.allclose(system.rows @ system.point, 1, atol=1e-6)
    for row in range(3):
        corners = patch(system, row, Box(-1, 1, -1, 1), 5.0)
        assert np.allclose(corners @ system.rows[row], 1)
    normals, offsets = section(system)
    assert np.allclose(normals @ system.point[1:] + offsets, 0, atol=1e-6)


def test_separating_weights_of_any_length_are_put_on_their_constraints():
    data = datasets.three_samples()
    system = constraints_of([100.0, 400.0, 3.0], data_of(None, data.X, data.y))
    assert np.isclose((system.rows @ system.point).min(), 1)


def test_the_support_of_the_maximum_margin():
    cloud = datasets.gaussian(60, 2, 0.2, seed=1)
    found = max_margin(cloud.X, cloud.y)
    data = data_of(None, cloud.X, cloud.y)
    plane = Hyperplane(found.weights[:-1], found.weights[-1])
    rows, margin = support_rows(plane, data)
    assert np.isclose(margin, found.bracket.lower)
    assert set(found.support) <= set(np.flatnonzero(data.signs * plane.scores(cloud.X) < 1 + 1e-4))
    assert set(rows) <= set(found.support)


@pytest.mark.parametrize("name", ["xor", "quadrants"])
def test_hulls_meet_where_both_combinations_are(name):
    data = datasets.load(name)
    proof = rb.decide(data.X, data.y).certificate
    positive, negative = meeting(proof, data.X, data.y)
    assert np.allclose(positive, negative)
    for sign, point in ((1, positive), (-1, negative)):
        mine = data.X[data.y == sign]
        if len(mine) > 2:
            sides = ConvexHull(mine).equations
            assert (sides[:, :2] @ point + sides[:, 2] <= 1e-9).all()
        else:
            assert np.isclose(np.linalg.norm(mine - point, axis=1).sum(), np.sqrt(2))


def test_a_meeting_point_survives_projection():
    X, y = datasets.load("iris")[:2]
    proof = rb.decide(X, y == 1).certificate
    data = data_of(None, X, y == 1)
    positive, negative = meeting(proof, X, data.signs)
    view = view_of(data)
    assert np.allclose(view.points(positive[None]), view.points(negative[None]))


def test_the_view_along_w_has_the_hyperplane_as_a_line_and_keeps_distances():
    X, y = datasets.load("breast_cancer")[:2]
    rng = np.random.default_rng(0)
    plane = Hyperplane(rng.standard_normal(30), 2.0)
    view = view_of(data_of(None, X, y), plane)
    assert np.allclose(view.axes @ view.axes.T, np.eye(2))
    normal, offset = view.line(plane)
    assert np.allclose(view.points(X) @ normal + offset, plane.scores(X))
    assert "30 features" in view.note
    assert np.isclose(normal[1], 0)


def test_the_component_beside_w_is_the_leading_one():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5)) * [5, 4, 1, 1, 1]
    data = DrawnData(X, np.zeros(400, int), (0,))
    beside = np.eye(5)[0]
    found = leading_component(data, beside)
    rest = (X - X.mean(axis=0))[:, 1:]
    assert np.isclose(abs(found[1:] @ np.linalg.svd(rest)[2][0]), 1, atol=1e-6)
    assert abs(found[0]) < 1e-9


def test_the_component_of_many_sparse_features_is_that_of_the_dense_ones(monkeypatch):
    cloud = datasets.separable(300, 60, 0.1, sparse=True)
    data = DrawnData(cloud.X, np.zeros(300, int), (0,))
    dense = leading_component(data, cloud.normal)
    monkeypatch.setattr("rosenblatt.figures.drawing.projection.DENSE", 10)
    assert np.isclose(abs(leading_component(data, cloud.normal) @ dense), 1, atol=1e-6)


def test_a_hyperplane_that_is_no_line_of_the_view_is_not_drawn_as_one():
    view = View(np.eye(3)[[0, 2]], ("a", "b"))
    assert view.line(Hyperplane(np.array([1.0, 0.5, 0.0]), 0.0)) is None
    assert view.line(Hyperplane(np.array([1.0, 0.0, 2.0]), 1.0))[0].tolist() == [1, 2]


def test_regions_cover_the_box_and_obey_the_scores():
    weights = np.random.default_rng(0).standard_normal((4, 3))
    area = 0.0
    for k in range(4):
        corners = region(weights, k, BOX)
        if len(corners):
            middle = corners.mean(axis=0)
            assert (weights[:, :2] @ middle + weights[:, 2]).argmax() == k
            x, y = corners.T
            area += 0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1))
    assert np.isclose(area, 25)


@pytest.mark.parametrize("options", [{}, {"eta": 0.5}, {"fit_intercept": False}])
def test_the_sandwich_holds_at_every_update(options):
    cloud = datasets.gaussian(80, 3, 0.1, seed=2)
    run = rb.trace(cloud.X, cloud.y, **options)
    growth = growth_of(run)
    k = growth.updates
    assert (k * growth.gamma <= growth.norms + 1e-9).all()
    assert (growth.norms <= np.sqrt(k) * growth.radius + 1e-9).all()
    assert k[-1] == run.run.updates <= growth.bound
    k, lower, upper = bracket_of(run, growth)
    assert (lower <= growth.gamma * (1 + 1e-6)).all()
    assert (upper >= growth.gamma * (1 - 1e-6)).all()


def test_an_estimators_sandwich_is_that_of_its_passes():
    cloud = datasets.gaussian(200, 4, 0.05)
    model = rb.Perceptron(eta0=0.25, order="cyclic", certify=False).fit(cloud.X, cloud.y)
    growth = growth_of(model)
    assert growth.updates[-1] == model.updates_
    assert np.isclose(growth.norms[-1], np.linalg.norm(model.run_.weights) / 0.25)
    assert (growth.norms <= np.sqrt(growth.updates) * growth.radius + 1e-9).all()


@pytest.mark.parametrize("share", [0.3, 0.5, 0.75, 0.9])
def test_the_sandwich_of_a_margin_is_that_of_its_rule(share):
    cloud = datasets.gaussian(80, 2, 0.1, seed=2)
    model = rb.Perceptron(margin=share, certify=False).fit(cloud.X, cloud.y)
    growth = growth_of(model, cloud.X, cloud.y)
    k = growth.updates
    assert k[-1] == model.updates_ <= growth.bound
    assert growth.bound == dynamic_margin_bound(model.radius_, growth.gamma, share)
    assert (k * growth.gamma <= growth.norms + 1e-9).all()
    assert (growth.norms <= growth.upper(k) + 1e-9).all()
    np.testing.assert_allclose(growth.upper(growth.bound), growth.lower(growth.bound))
    (said,) = [text.get_text() for text in figures.sandwich(model, cloud.X, cloud.y).texts]
    assert said.endswith(f"the bound for margin={share:g}")
    assert "R²/γ²" not in said


def test_weights_and_paths_have_the_bias_last():
    data = datasets.five_points()
    first = rb.trace(data.X, data.y, init=[-1, 0, 0], max_passes=1)
    last = rb.trace(data.X, data.y, init=[0, 0, -1], max_passes=1, bias="last")
    assert weights_of(first).tolist() == weights_of(last).tolist() == [1, -1, -1]
    assert np.array_equal(path_of(first), path_of(last))
    none = rb.trace(data.X, data.y, fit_intercept=False, max_passes=3)
    assert not path_of(none)[:, -1].any()


def test_every_kind_of_source_has_the_same_weights():
    data = datasets.three_samples()
    model = rb.Perceptron(certify=True, solution="last").fit(data.X, data.y)
    sources = [
        model,
        model.run_,
        model.certificate_,
        model.run_.weights,
        model.run_.weights.tolist(),
    ]
    for source in sources:
        assert np.allclose(weights_of(source), model.run_.weights)
    assert weights_of(rb.decide(data.X, data.y)).shape == (3,)


def test_labels_are_read_by_the_sources_classes():
    data = datasets.three_samples()
    model = rb.Perceptron().fit(data.X, ["yes", "no", "no"])
    assert data_of(model, data.X[:1], ["yes"]).signs.tolist() == [1]
    with pytest.raises(InputError, match="maybe"):
        data_of(model, data.X[:1], ["maybe"])
    assert Plane._fields[:2] == ("rows", "offsets")


@settings(max_examples=settings().max_examples // 4)  # each is a run over fractions
@given(st.lists(st.integers(-6, 6), min_size=3, max_size=3))
def test_the_sandwich_holds_from_any_start(start):
    data = datasets.five_points()
    growth = growth_of(rb.trace(data.X, data.y, init=start, bias="last", exact=True))
    k = growth.updates
    assert (growth.lower(k) <= growth.norms + 1e-6).all()
    assert (growth.norms <= growth.upper(k) + 1e-6).all()
    assert k[-1] <= growth.bound + 1e-6
    np.testing.assert_allclose(growth.lower(growth.bound), growth.upper(growth.bound))


@given(
    st.lists(st.sampled_from([0.0, 1.0, -2.0, 0.3, 1e-16, -1e-9, 5.0]), min_size=3, max_size=3),
    st.floats(-4, 4),
)
def test_a_plane_in_a_box_of_space(normal, offset):
    normal, low, high = np.array(normal), np.array([-1.0, 0.0, -2.0]), np.array([1.0, 3.0, 2.0])
    if np.abs(normal).max() < 0.1:
        return
    corners = geometry.clip_plane(normal, offset, low, high)
    np.testing.assert_allclose(corners @ normal + offset, 0.0, atol=1e-9)
    assert (corners >= low - 1e-9).all()
    assert (corners <= high + 1e-9).all()
    # It misses the box exactly if all eight corners of the box are on one side.
    eight = np.array(np.meshgrid(*np.column_stack([low, high]))).reshape(3, -1).T @ normal + offset
    if eight.min() > 1e-6 or eight.max() < -1e-6:
        assert not len(corners)
    elif eight.min() < -1e-6 and eight.max() > 1e-6:
        assert len(corners) >= 3
