"""Deciding cheaply: budgets, some of the classes, nearly dependent columns, descent."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_classification

import rosenblatt as rb
from rosenblatt.errors import TakesLong
from rosenblatt.solve import attempts
from rosenblatt.solve.attempts import find_proof, prove
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame, refined
from rosenblatt.solve.deadline import OutOfTime
from rosenblatt.solve.effort import PER_SECOND, Meter, OutOfBudget, bits_of, exact_units
from rosenblatt.solve.hinge import Whitened, descend, newton, takes_newton
from rosenblatt.solve.linear_program import Program
from rosenblatt.solve.prices import likely_cost, program_cost
from rosenblatt.solve.search import Refutation, Search, Separator
from rosenblatt.solve.wolfe import min_norm_point


def noisy(classes=2, n=300, d=6, seed=0, redundant=0, noise=0.1):
    return make_classification(
        n,
        d,
        n_informative=d - redundant,
        n_redundant=redundant,
        n_classes=classes,
        n_clusters_per_class=1,
        flip_y=noise,
        random_state=seed,
    )


def searched(X, codes, budget=None):
    """A search from weights of 0, and what it found."""
    classes = int(codes.max()) + 1
    search = Search(Constraints(X, codes, classes), budget=budget)
    weights = np.zeros(search.constraints.dimension)
    return search, prove(search, weights, np.zeros(len(codes)))


def refuted(constraints, answer):
    """Whether Σ αᵢaᵢ = 0 over the constraints's own requirements, in fractions."""
    assert isinstance(answer, Refutation)
    assert min(answer.alpha) > 0
    rows = constraints.rows(answer.points, answer.rivals)
    return all(
        sum(a * Fraction(v) for a, v in zip(answer.alpha, column, strict=True)) == 0
        for column in rows.T.tolist()
    )


class TestBudget:
    def test_the_same_units_every_time(self):
        for classes in (2, 4):
            X, codes = noisy(classes, redundant=2)
            spent = {searched(X, codes)[0].spent for _ in range(3)}
            assert len(spent) == 1

    @settings(max_examples=25, deadline=None)
    @given(st.floats(0, 1), st.integers(2, 4), st.booleans())
    def test_never_exceeded_and_the_same_end(self, share, classes, dependent):
        X, codes = noisy(classes, n=120, redundant=2 if dependent else 0)
        whole, answer = searched(X, codes)
        limit = share * whole.spent

        def attempt():
            meter = Meter(limit)
            try:
                return meter, searched(X, codes, meter)[1]
            except OutOfBudget as error:
                return meter, error

        (first, found), (second, again) = attempt(), attempt()
        assert first.spent == second.spent <= limit
        assert str(found) == str(again)
        if isinstance(found, OutOfBudget):
            assert found.spent == first.spent
            assert found.spent <= found.limit == limit
        else:
            assert str(found) == str(answer)

    def test_as_much_as_it_takes_is_enough(self):
        X, codes = noisy()
        whole, answer = searched(X, codes)
        assert str(searched(X, codes, whole.spent)[1]) == str(answer)
        with pytest.raises(OutOfBudget):
            searched(X, codes, whole.spent - 1)

    def test_best_weights_are_kept(self):
        X, codes = noisy()
        given = Constraints(X, codes, 2).worst(np.ones(7), 1).violated
        enough = searched(X, codes)[0].spent
        for budget, better in ((1e5, False), (enough - 1, True)):
            search = Search(Constraints(X, codes, 2), budget=budget)
            with pytest.raises(OutOfBudget):
                prove(search, np.ones(7), np.zeros(300))
            assert np.array_equal(search.best, np.ones(7)) != better
            violated = search.constraints.worst(search.best, 1).violated
            assert violated == search.fewest < given if better else violated == given

    def test_within_a_program(self):
        rng = np.random.default_rng(0)
        program = Program(20)
        program.add(rng.normal(size=(60, 20)))
        assert program.solve(iterations=3) is None
        assert program.iterations == 3
        assert program.solve() is not None

    def test_within_exact_arithmetic(self):
        rows = np.random.default_rng(0).normal(size=(40, 6))
        asked = []
        whole = min_norm_point(rows, pay=lambda *sizes: asked.append(sizes))
        assert len(asked) > 3
        assert all(1 <= unknowns <= 7 and bits >= 53 for unknowns, bits in asked)
        meter = Meter(sum(exact_units(k, k, bits) for k, bits in asked) / 2)
        with pytest.raises(OutOfBudget):
            min_norm_point(rows, pay=lambda k, bits: meter.pay(exact_units(k, k, bits)))
        assert meter.spent <= meter.limit
        assert min_norm_point(rows) == whole

    def test_time_ends_descent(self):
        X, codes = noisy()
        constraints = Constraints(X, codes, 2)
        with pytest.raises(OutOfTime):
            descend(Search(constraints, lambda: 0.0), constraints, 100)

    def test_bits(self):
        assert bits_of(np.zeros((2, 2))) == 1
        assert bits_of(np.array([[2.0**-1074, 1.0], [2.0**1000, 3.0]])) == 2075
        assert bits_of(np.array([[0.1]])) == 52

    def test_prices_grow(self):
        for smaller, larger in [
            ((1000, 20, 20, 2), (2000, 20, 20, 2)),
            ((1000, 20, 20, 2), (1000, 40, 40, 2)),
            ((1000, 20, 5, 3), (1000, 20, 20, 3)),
        ]:
            assert likely_cost(*smaller) < likely_cost(*larger)
        assert program_cost(21, 1000, 2, 21) < program_cost(21, 1000, 4, 21)

    @pytest.mark.parametrize(
        ("n", "d", "classes"),
        [(300, 6, 2), (2000, 60, 2), (600, 150, 2), (600, 20, 4), (1000, 150, 5), (700, 400, 2)],
    )
    def test_what_is_said_is_near_what_is_spent(self, n, d, classes):
        X, codes = noisy(classes, n, d, noise=0.3)
        spent = searched(X, codes)[0].spent
        assert spent / 5 < likely_cost(n, d, d, classes) < 5 * spent

    def test_of_hashed_text_no_program_is_priced_that_is_never_solved(self):
        # Dense 100 × 100,000; 1,000 × 1,000,000 of 50 a row; 20,000 texts of 20 words.
        for n, d, per_row in [(100, 10**5, 10**5), (1000, 48_794, 50), (20_000, 18_451, 20)]:
            said = likely_cost(n, d, per_row, 2)
            assert said / PER_SECOND < 1
            # Where descent was in vain, programs remain.
            assert likely_cost(n, d, per_row, 2, spent=said) > 10 * said
        assert likely_cost(2000, 20, 20, 3, spent=1e15) == 1e15


class TestSomeOfTheClasses:
    @pytest.mark.parametrize("classes", range(3, 9))
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_certificates_of_a_pair_are_native(self, classes, fit_intercept):
        X, y = noisy(classes, d=7, seed=classes)
        decision = rb.decide(X, y, fit_intercept=fit_intercept)
        assert decision.separable is False
        certificate = decision.certificate
        assert certificate.verify(X, y)
        assert len(certificate.rows) <= X.shape[1] + 2
        assert len(np.unique(y[certificate.rows])) == 2
        assert set(certificate.rivals) == set(y[certificate.rows])

    @settings(max_examples=40, deadline=None)
    @given(st.integers(0, 2**32 - 1), st.integers(3, 5))
    def test_agrees_with_all_classes_at_once(self, seed, classes):
        rng = np.random.default_rng(seed)
        X = rng.integers(-3, 4, size=(12, 2)).astype(float)
        codes = rng.integers(0, classes, size=12)
        codes[:classes] = np.arange(classes)
        search, answer = searched(X, codes)
        constraints = search.constraints
        points, rivals = np.repeat(np.arange(12), classes), np.tile(np.arange(classes), 12)
        every = constraints.rows(*(side[codes[points] != rivals] for side in (points, rivals)))
        assert isinstance(answer, Separator) == any(min_norm_point(every).point)
        if isinstance(answer, Refutation):
            assert refuted(constraints, answer)

    def test_larger_sets_of_classes(self):
        """Pairs are separable, some three classes are not, and three are enough for the proof."""
        rng = np.random.default_rng(2)
        n, d, classes = 480, 60, 6
        codes = np.arange(n) % classes
        X = rng.normal(size=(n, d)) + 0.2 * rng.normal(size=(classes, d))[codes]
        search, answer = searched(X, codes)
        assert np.all(rb.pairs(X, codes).separable[np.triu_indices(classes, 1)] == 1)
        assert refuted(search.constraints, answer)
        assert len(np.unique(codes[answer.points])) == 3


def tables():
    rng = np.random.default_rng(0)
    n = 400
    base = rng.normal(size=(n, 4))
    counts = rng.integers(0, 9, size=(n, 4)).astype(float)
    level = np.eye(5)[rng.integers(0, 5, n)]
    return {
        "sums": np.column_stack([base, base.sum(axis=1), base[:, 0] - base[:, 1]]),
        "means": np.column_stack([base, base.mean(axis=1), base[:, :2].mean(axis=1)]),
        "counts": np.column_stack([counts, counts.sum(axis=1), counts.mean(axis=1) / 3]),
        "levels": np.column_stack([base, level]),
        "duplicates": np.column_stack([base, base[:, 1], 3 * base[:, 2], np.full(n, 7.0)]),
        "far": np.column_stack([base + 1e6, (base + 1e6).sum(axis=1)]),
        "scales": np.column_stack([base * 1e-9, base @ rng.normal(size=(4, 3)) * 1e7]),
    }


class TestDependentColumns:
    @pytest.mark.parametrize("name", tables())
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_decided_without_exact_corrals(self, name, fit_intercept, monkeypatch):
        X = tables()[name]
        y = (X[:, 0] + X[:, 1] > np.median(X[:, 0] + X[:, 1])).astype(int)
        y[::10] = 1 - y[::10]

        def slow(*_, **__):
            raise AssertionError("fell back on exact corrals")

        monkeypatch.setattr("rosenblatt.solve.search.min_norm_point", slow)
        decision = rb.decide(X, y, fit_intercept=fit_intercept)
        assert decision.separable is False
        assert decision.certificate.verify(X, y)

    @pytest.mark.parametrize("classes", [2, 3, 8])
    def test_redundant_columns(self, classes, monkeypatch):
        monkeypatch.delattr("rosenblatt.solve.search.min_norm_point")
        X, y = noisy(classes, n=400, d=12, redundant=4, seed=4)
        decision = rb.decide(X, y)
        assert decision.separable is False
        assert decision.certificate.verify(X, y)

    def test_separable_in_the_last_place_only(self):
        """Residues of one unit in the last place are a column like any other."""
        rng = np.random.default_rng(3)
        x = rng.uniform(1.0, 1.9, size=(60, 2))
        y = rng.integers(0, 2, 60)
        third = x.sum(axis=1)
        third = np.where(y == 1, np.nextafter(third, 9), third)
        third -= np.where(y == 1, 0, np.spacing(third))
        X = np.column_stack([x, third])
        decision = rb.decide(X, y)
        # The oracle: the residues, exactly.
        residues = [
            Fraction(c) - Fraction(a) - Fraction(b) for (a, b), c in zip(x, third, strict=True)
        ]
        gap = min(r for r, k in zip(residues, y, strict=True) if k) - max(
            r for r, k in zip(residues, y, strict=True) if not k
        )
        assert gap > 0
        assert decision.separable
        assert decision.certificate.verify(X, y)

    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(2, 3))
    def test_refined_coordinates_are_the_same_scores(self, seed, bias, classes):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(20, 3)) + rng.normal() * 100
        X = np.column_stack([x, x.sum(axis=1), x @ rng.normal(size=3)])
        codes = np.arange(20) % classes
        constraints = Constraints(X, codes, classes, bias)
        rows = constraints.rows(np.arange(20), (codes + 1) % classes)
        own = rows.reshape(20, constraints.blocks, -1)[np.arange(20), codes if classes > 2 else 0]
        frame, _ = refined(Frame(constraints), own)
        assert len(frame.residues) == 2
        z = rng.normal(size=constraints.dimension)
        weights = frame.back(z)
        exactly = [
            float(sum(Fraction(a) * w for a, w in zip(row, weights, strict=True)))
            for row in rows.tolist()
        ]
        np.testing.assert_allclose(frame.into(rows) @ z, exactly, rtol=1e-9, atol=1e-9)


class TestExtremes:
    @pytest.mark.parametrize(
        ("X", "codes", "bias"),
        [
            (
                [
                    [0, 0],
                    [-1e71, -1e-297],
                    [1e-11, 0],
                    [1e17, 0],
                    [1, 1e10],
                    [1e-296, -1e59],
                    [-1000, -1e-18],
                ],
                [2, 1, 1, 0, 2, 0, 1],
                True,
            ),
            (
                [
                    [1e-06, 2e142, -200],
                    [-3e-50, 1e80, 0],
                    [1e14, -3.0000000000000003e-46, -3.0000000000000003e136],
                    [-2, 2e-222, -1e13],
                    [0, 0, -3e-234],
                    [1e-28, 3, -1e-93],
                    [2e61, 2e-08, 1e24],
                    [-3e-50, 1e80, 0],
                    [-2, 2e-222, -1e13],
                ],
                [1, 1, 0, 1, 1, 1, 2, 1, 1],
                False,
            ),
            ([[1e12], [-2e88], [-1e-285], [3e-12]], [1, 0, 0, 2], False),
            ([[0], [-1e-86], [1e148], [-1e-211], [1], [-1], [1]], [2, 2, 1, 0, 2, 0, 2], True),
        ],
    )
    def test_scaling_loses_nothing(self, X, codes, bias):
        """Numbers next to 0 do not vanish in columns of huge ones."""
        X, codes = np.array(X, dtype=float), np.array(codes)
        constraints = Constraints(X, codes, 3, bias)
        answer = find_proof(constraints, np.zeros(constraints.dimension), np.zeros(len(X)))
        if isinstance(answer, Refutation):
            assert refuted(constraints, answer)
        else:
            weights = [Fraction(w) for w in answer.weights]
            for k in range(3):
                points = np.flatnonzero(codes != k)
                for row in constraints.rows(points, np.full(len(points), k)).tolist():
                    assert sum(Fraction(a) * w for a, w in zip(row, weights, strict=True)) > 0


class TestDescent:
    def test_huge_numbers(self):
        """Where differences of rows overflow, descent ends."""
        X, codes = noisy(3, n=60, d=20)
        X = X / np.abs(X).max() * 1.7e308
        constraints = Constraints(X, codes, 3)
        with np.errstate(all="ignore"):
            best = descend(Search(constraints), constraints, 50)
        assert best is None or np.isfinite(best.weights).all()

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("bias", [True, False])
    def test_slopes(self, classes, bias):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(40, 3)) * [1.0, 10.0, 0.1] + bias * 5
        constraints = Constraints(X, np.arange(40) % classes, classes, bias)
        for frame in (Frame(constraints), Whitened(Frame(constraints), X)):
            z = 0.1 * rng.normal(size=constraints.dimension)
            slope = frame.slope(constraints.hinge(frame.back(z))[1])
            step = 1e-6
            for k, direction in enumerate(np.eye(constraints.dimension)):
                ahead, behind = (
                    constraints.hinge(frame.back(z + s * direction))[0] for s in (step, -step)
                )
                np.testing.assert_allclose((ahead - behind) / (2 * step), slope[k], atol=1e-4)

    def test_sparse_and_dense_losses_agree(self):
        from scipy import sparse

        X, codes = noisy(3)
        w = np.random.default_rng(0).normal(size=21)
        dense, thin = Constraints(X, codes, 3), Constraints(sparse.csr_array(X), codes, 3)
        for a, b in zip(dense.hinge(w), thin.hinge(w), strict=True):
            np.testing.assert_allclose(a, b)

    def test_meets_what_can_be_met(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 60)) @ rng.normal(size=(60, 60))
        codes = (X @ rng.normal(size=(60, 5))).argmax(axis=1)
        search, answer = searched(X, codes)
        assert isinstance(answer, Separator)
        assert search.rounds == 0
        assert not len(search.constraints.violated_exactly(answer.weights, 1)[0])

    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize(("n", "d"), [(300, 40), (60, 400), (30, 30)])
    def test_newton_separates(self, n, d, fit_intercept):
        """Tall and wide, dense and sparse, whatever the units and the place of the columns."""
        from scipy import sparse

        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, d)) + 3 * fit_intercept
        codes = (X @ rng.normal(size=d) > 3 * fit_intercept).astype(int)
        X = X * 2.0 ** rng.integers(-20, 20, size=d)
        for rows in (X, sparse.csr_array(X)):
            constraints = Constraints(rows, codes, 2, fit_intercept)
            assert takes_newton(constraints.n, constraints.d, constraints.sparse)
            found = newton(Search(constraints), constraints).weights
            assert not len(constraints.violated_exactly(found, 1)[0])

    @pytest.mark.parametrize("seed", range(4))
    def test_newton_gets_as_far_as_gradients(self, seed):
        X, codes = noisy(n=200, d=5, noise=0.3, seed=seed)
        constraints = Constraints(X, codes, 2)
        found, slowly = (
            newton(Search(constraints), constraints),
            descend(Search(constraints), constraints, 500),
        )
        violated, at_most = (constraints.worst(end.weights, 1).violated for end in (found, slowly))
        assert 0 < violated <= at_most + 3

    def test_newton_on_huge_numbers(self):
        X, codes = noisy(n=60, d=5)
        constraints = Constraints(X / np.abs(X).max() * 1.7e308, codes, 2)
        best = newton(Search(constraints), constraints)
        assert best is None or np.isfinite(best.weights).all()

    @given(st.integers(0, 10**6))
    @settings(max_examples=30, deadline=None)
    def test_sets_that_passes_leave_open(self, seed):
        """Nearly as many columns as half the rows, where separable and not are equally likely."""
        rng = np.random.default_rng(seed)
        X, codes = rng.normal(size=(24, 11)).round(1), rng.integers(2, size=24)
        codes[:2] = 0, 1
        search, answer = searched(X, codes)
        if isinstance(answer, Separator):
            assert not len(search.constraints.violated_exactly(answer.weights, 1)[0])
        else:
            assert refuted(search.constraints, answer)


class TestAnnouncement:
    def test_long_work_is_announced(self, monkeypatch):
        X, codes = noisy(n=400, d=20)
        monkeypatch.setattr(attempts, "LONG_SECONDS", 1e-5)
        with pytest.warns(TakesLong, match=r"up to 21 unknowns .* about [\d.]+ seconds"):
            searched(X, codes)

    def test_neither_short_work_nor_work_within_a_budget(self, monkeypatch):
        X, codes = noisy(n=400, d=20)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            searched(X, codes)
            monkeypatch.setattr(attempts, "LONG_SECONDS", 0.0)
            searched(X, codes, budget=10**9)

    def test_no_days_for_what_descent_separates(self):
        """Few rows a column: said to take hours before descent took a moment."""
        rng = np.random.default_rng(0)
        X = sparse.random_array((3000, 4000), density=0.01, format="csr", rng=rng)
        with warnings.catch_warnings():
            warnings.simplefilter("error", TakesLong)
            _, answer = searched(X, rng.integers(2, size=3000))
        assert isinstance(answer, Separator)
