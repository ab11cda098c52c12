"""Values computed when they are first read: once for each object, whatever other threads do."""

from __future__ import annotations

import functools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt.engine.points import make_points
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import zero_state
from rosenblatt.fit.plan import Plan, Task
from rosenblatt.fit.predictor import MeanPasses
from rosenblatt.once import cached_property


class Meeting:
    """Whose value is computed while another's is."""

    def __init__(self, both: threading.Barrier):
        self.both, self.times = both, 0

    @cached_property
    def value(self) -> int:
        """What the barrier says, for which two must come at once."""
        self.times += 1
        return self.both.wait(timeout=20)


def test_threads_compute_the_values_of_their_own_objects_at_once():
    both = threading.Barrier(2)
    pair = [Meeting(both), Meeting(both)]
    with ThreadPoolExecutor(2) as threads:
        found = [*threads.map(lambda own: own.value, pair)]
    assert sorted(found) == [0, 1]
    assert [own.value for own in pair] == found
    assert [own.times for own in pair] == [1, 1]


def test_it_is_a_property_for_who_asks_the_class():
    assert isinstance(Meeting.value, functools.cached_property)
    assert Meeting.value.__doc__ == "What the barrier says, for which two must come at once."


def test_passes_of_two_runs_are_made_at_once():
    """Those that the mean is taken over are most of a run on classes that overlap."""
    both = threading.Barrier(2)

    class Place:
        """Where passes begin when those of another run have begun."""

        def mean_run(self, *given: object) -> np.ndarray:
            both.wait(timeout=20)
            return np.zeros(1)

        def start(self, earlier: object = None) -> object:
            return zero_state(make_points(np.zeros((1, 1)), np.ones(1)))

        vectors = 0

    plan = Plan("active", Budget(), 1.0, 0.0, "mistake", 0.0, None, 0.0, 0.0, "auto", "auto")
    runs = [MeanPasses(Place(), Task(None, None, 0, {}), plan) for _ in range(2)]
    with ThreadPoolExecutor(2) as threads:
        made = [*threads.map(lambda passes: passes.run, runs)]
    assert len(made) == 2
