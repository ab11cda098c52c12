"""What a notebook shows of a fitted estimator: scikit-learn's diagram, and the report below it."""

from __future__ import annotations

from typing import Any

from sklearn.utils import estimator_html_repr

from rosenblatt.data.labels import listed
from rosenblatt.data.notebook import table
from rosenblatt.fit.one_vs import why
from rosenblatt.fit.report import largest_weights, signed_weights
from rosenblatt.text import plural

SHOWN_WEIGHTS = 5  # weights


class Shown:
    """An estimator that reports on its fit in a notebook."""

    def _html_repr(self) -> str:  # what BaseEstimator shows, from scikit-learn 1.7 on
        diagram = estimator_html_repr(self)
        return diagram + table(facts(self)) if hasattr(self, "classes_") else diagram


def facts(model: Any) -> list[tuple[str, str]]:
    """What is known after a fit, line by line; an estimator has some of it."""
    classes = list(map(str, listed(model.classes_)))
    lines = [("classes", ", ".join(classes))]
    if len(classes) == 2:
        lines.append(("positive class", classes[1]))
    if hasattr(model, "stop_"):
        run = getattr(model, "run_", None)
        said = str(model.stop_) if run is None else why(getattr(model, "runs_", [run]), run)
        lines.append(("why it stopped", said))
    if hasattr(model, "verdict_"):
        lines.append(("verdict", str(model.verdict_)))
    if hasattr(model, "updates_"):
        passes = plural(model.n_iter_, "pass")
        bound = getattr(model, "mistake_bound_", float("inf"))
        at_most = f", at most {bound:,.6g} by the bound" if bound < float("inf") else ""
        lines.append(("updates", f"{model.updates_:,} in {passes}{at_most}"))
    if hasattr(model, "margin_"):
        lines.append(("margin", _margin(model.margin_)))
    if getattr(model, "certificate_", None) is not None:
        lines.append(("certificate", model.certificate_.explain()))
    weights = _weights(model)
    return [*lines, ("largest weights", weights)] if weights else lines


def _margin(margin: Any) -> str:
    if hasattr(margin, "lower"):
        return f"between {margin.lower:.6g} and {margin.upper:.6g}"
    values = margin.tolist() if hasattr(margin, "tolist") else margin
    return ", ".join(f"{v:.6g}" for v in (values if isinstance(values, list) else [values]))


def _weights(model: Any) -> str:
    """Those of the largest size, by the names of their columns."""
    if not hasattr(getattr(model, "coef_", None), "ndim") or hasattr(model.coef_, "indptr"):
        return ""
    names: list[str] = list(getattr(model, "feature_names_in_", []))
    classes = listed(model.classes_)
    found = signed_weights(
        {
            "classes": classes,
            "weights": largest_weights(model.coef_, names, classes)[:SHOWN_WEIGHTS],
        }
    )
    return "; ".join(
        f"{one['feature']} {abs(one['weight']):.4g} ({_towards(one['towards'])})" for one in found
    )


def _towards(side: Any) -> str:
    return str(side) if str(side).startswith("away from ") else f"towards {side}"
