"""Values computed when they are first read: once for each object, whatever other threads do."""

from __future__ import annotations

import functools
import threading
from concurrent.futures import ThreadPoolExecutor

from children import PATIENCE
from rosenblatt.lazy import cached_property


class Meeting:
    """Whose value is computed while another's is."""

    def __init__(self, both: threading.Barrier):
        self.both, self.times = both, 0

    @cached_property
    def value(self) -> int:
        """What the barrier says, for which two must come at once."""
        self.times += 1
        return self.both.wait(timeout=PATIENCE)


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
