"""Certificates to check."""

from __future__ import annotations

import pytest

from certificates import example_of


@pytest.fixture
def example(request):
    """Made when a test first wants it, and not for each process that collects the tests."""
    return example_of(request.param)
