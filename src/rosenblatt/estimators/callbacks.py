"""scikit-learn's callbacks (new in 1.9), one task for each pass; absent, they cost nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop

try:
    from sklearn import callback as _callback
except ImportError:  # scikit-learn before 1.9
    _callback = None


class _NoCallbacks:
    """Stands in where scikit-learn has no callbacks."""


def _unchanged(method: Callable[..., Any]) -> Callable[..., Any]:
    return method


CallbackSupportMixin: Any = _callback.CallbackSupportMixin if _callback else _NoCallbacks
with_callbacks: Any = _callback.with_callbacks if _callback else _unchanged


class Announcer:
    """Tells an estimator's callbacks of its fit and of each pass.

    Parameters
    ----------
    estimator : estimator
        Whose callbacks to tell.
    data : dict
        What hooks may ask for: X, y and metadata.
    """

    def __init__(self, estimator: Any, data: dict[str, Any]):
        self.told = {"estimator": estimator, **data}
        self.fitted: Callable[[], dict[str, Any]] = dict
        self.context = None
        if getattr(estimator, "_skl_callbacks", None):
            self.context = estimator._init_callback_context(max_subtasks=None)
            self.context.call_on_fit_task_begin(**self.told)

    def watch(self, fitted: Callable[[], dict[str, Any]]) -> Callable[[Pass], Stop | None]:
        """What announces each pass of a run.

        Parameters
        ----------
        fitted : callable
            The attributes that make a fitted estimator of the state after the pass.
        """
        self.fitted = fitted
        return self.after_pass

    def after_pass(self, _: Pass) -> Stop | None:
        """Announce a finished pass; a callback may ask to stop."""
        if self.context is None:
            return None
        task = self.context.subcontext(task_name="pass")
        task.call_on_fit_task_begin(**self.told)
        asked = task.call_on_fit_task_end(**self.told, reconstruction_attributes=self.fitted)
        return Stop.CALLBACK if asked else None

    def end(self, fitted: Callable[[], dict[str, Any]]) -> None:
        """Announce the end of the fit, and the attributes that it has set."""
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.told, reconstruction_attributes=fitted)
