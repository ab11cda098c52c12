"""No changed certificate is accepted unless what it says is still true.

Every certificate is changed at random, in any field: 10,000 times with ROSENBLATT_EXAMPLES=10000.
What is true is known without certificates; see ``certificates.Truth``.
"""

from __future__ import annotations

import os
import random

import pytest

from certificates import NAMES, Truth, checked, forgery, tool, verified

FORGERIES = int(os.environ.get("ROSENBLATT_EXAMPLES", "100"))
# A certificate may say less than it did, or the same in other words; most changes break it.
FEWEST_REFUSED = 0.5


@pytest.mark.parametrize("example", NAMES, indirect=True)
def test_a_forgery_is_refused_unless_it_still_proves_what_it_says(example):
    content, truth, rng = example.proof.to_dict(), Truth(example), random.Random(example.name)
    refused = 0
    for _ in range(FORGERIES):
        forged = forgery(content, rng)
        by_package, by_checker = verified(example, forged), checked(example, forged)
        assert by_checker or not by_package, forged
        if by_checker:
            assert truth.allows(forged), forged
        refused += not by_checker
    assert refused > FEWEST_REFUSED * FORGERIES


def false_claims(content):
    """Forgeries whose claim is false: each of them must be refused."""
    kind = content["kind"]
    if kind == "separation":
        yield {**content, "margin": [1e6, None]}
    if kind in ("separation", "weak-separation"):
        vectors = content["weights"]
        nested = isinstance(vectors[0], list)
        yield {**content, "weights": [[0.0] * len(v) for v in vectors] if nested else [0.0] * 3}
    if kind in ("inseparability", "overlap"):
        yield {**content, "alpha": [*content["alpha"][:-1], 10**9]}
    if kind == "inseparability" and content["epsilon"]:
        yield {**content, "epsilon": content["epsilon"] / 2}
    if kind == "recession":
        yield {**content, "weights": [1.0] + [0.0] * (len(content["weights"]) - 1)}
        if any(map(tool.number, content["weights"])):
            yield {**content, "weights": [0.0] * len(content["weights"])}
    if kind == "maximum-margin":
        lower, upper = content["margin"]
        yield {**content, "margin": [lower * 1.001, upper * 1.001]}
        yield {**content, "margin": [lower * 0.999, upper * 0.999]}
    if kind == "fewest-errors":
        yield {**content, "lower": content["upper"] + 1, "upper": content["upper"] + 1}
        yield {**content, "lower": 0, "upper": content["upper"] - 1}


@pytest.mark.parametrize("example", NAMES, indirect=True)
def test_a_false_claim_is_refused_by_both(example):
    claims = list(false_claims(example.proof.to_dict()))
    assert claims
    for forged in claims:
        assert not verified(example, forged), forged
        assert not checked(example, forged), forged


@pytest.mark.parametrize("example", NAMES, indirect=True)
def test_other_data_is_refused_by_both(example):
    content, rng = example.proof.to_dict(), random.Random(1)
    for _ in range(20):
        X, y = example.X.copy(), example.y.copy()
        i, j = rng.randrange(len(X)), rng.randrange(X.shape[1])
        if rng.random() < 0.5:
            X[i, j] += 0.25
        else:
            y[i] = next(label for label in example.y if label != y[i])
        other = example._replace(X=X, y=y)
        assert not verified(other, content)
        assert not checked(other, content)
