"""One pass is a pass, two are passes, wherever they are counted."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt.arguments import refuse_masked
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import PerceptronRule
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.errors import InputError

SOURCES = sorted(Path(rosenblatt.__file__).parent.rglob("*.py"))


def test_a_run_of_one_pass_says_so():
    points = make_points(np.array([[1.0]]), np.array([1.0]))
    one = learn(CompiledSweep(points, PerceptronRule()), order="cyclic", budget=Budget(1))
    assert "\n1 update in 1 pass (1 look), " in str(one)
    two = learn(CompiledSweep(points, PerceptronRule()), order="cyclic")
    assert "\n1 update in 2 passes (2 looks), " in str(two)


def test_what_a_run_counts_is_counted_by_the_one_helper():
    by_hand = r"\{[^{}]*:,\} (?:passes|updates|looks|mistakes|rounds)\b"
    found = {path.name: re.findall(by_hand, path.read_text("utf-8")) for path in SOURCES}
    assert found
    assert {name: words for name, words in found.items() if words} == {}


def test_one_masked_entry_is_an_entry():
    for masked, words in (([True, False], "1 masked entry,"), ([True, True], "2 masked entries,")):
        with pytest.raises(InputError, match=words):
            refuse_masked(np.ma.masked_array([1.0, 2.0], mask=masked), "X")
