"""Imports put off: what is not used is not loaded, what is used is the module itself."""

import importlib
import pickle
import subprocess
import sys

import pytest

from rosenblatt.lazy import LATE_FOR_SKLEARN, Later, without


@pytest.fixture
def unloaded(monkeypatch):
    """A package that nobody has imported yet."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "wsgiref"]:
        monkeypatch.delitem(sys.modules, name)
    yield "wsgiref"
    for name in [name for name in sys.modules if name.partition(".")[0] == "wsgiref"]:
        del sys.modules[name]


def test_what_is_not_used_is_not_imported(unloaded):
    with without(unloaded):
        import wsgiref
    assert isinstance(wsgiref, Later)
    assert unloaded not in sys.modules
    import wsgiref as after

    assert not isinstance(after, Later)


def test_what_is_used_meanwhile_is_imported_at_once(unloaded):
    with without("wsgiref.util"):
        from wsgiref.util import guess_scheme
    assert guess_scheme({}) == "http"
    assert not isinstance(sys.modules["wsgiref.util"], Later)


def test_submodules_of_what_is_put_off_can_be_imported(unloaded):
    with without(unloaded):
        import wsgiref.util
    assert wsgiref.util.guess_scheme({}) == "http"
    assert not isinstance(sys.modules[unloaded], Later)


def test_what_is_there_stays_and_an_error_leaves_no_trace(unloaded):
    import json

    with without("json", unloaded):
        assert sys.modules["json"] is json
    assert sys.modules["json"] is json
    with pytest.raises(ZeroDivisionError), without("json", unloaded):
        raise ZeroDivisionError
    assert sys.modules["json"] is json
    assert unloaded not in sys.modules


def test_what_is_not_installed_is_not_found():
    with without("no_such_module"), pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import no_such_module  # noqa: F401  # pyright: ignore[reportMissingImports]


FIT = f"""
import sys
import numpy as np
import rosenblatt as rb
rb.Perceptron().fit(np.eye(4), [0, 1, 0, 1]).predict(np.eye(4))
rb.datasets.load("iris")
print([name for name in {LATE_FOR_SKLEARN} if name in sys.modules])

from sklearn.utils.fixes import _mode
print(_mode(np.array([1, 2, 2])).mode.tolist())
import scipy.stats
print(round(float(scipy.stats.norm.cdf(0)), 3))

import pandas as pd
model = rb.Perceptron().fit(pd.DataFrame(np.eye(4), columns=list("abcd")), [0, 1, 0, 1])
print(model.feature_names_in_.tolist())
"""


def test_a_fit_needs_neither_statistics_nor_pandas_and_has_them_when_asked():
    done = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True)
    assert done.stdout == "[]\n[2]\n0.5\n['a', 'b', 'c', 'd']\n", done.stderr


def test_one_that_another_thread_has_kept_is_as_good_as_the_module(unloaded):
    with without(unloaded):
        import wsgiref as kept
    assert pickle.loads(pickle.dumps(kept)) is sys.modules[unloaded]
    assert kept.__file__ == sys.modules[unloaded].__file__
    assert importlib.reload(pickle.loads(pickle.dumps(kept))) is sys.modules[unloaded]
