"""Examples of docstrings and pages may be short runs: what they warn of is not what they show."""

from __future__ import annotations

from pytest import DoctestItem, Item  # noqa: PT013

from expected import OUT_OF_PASSES, WITHOUT_NAMES


def pytest_collection_modifyitems(items: list[Item]) -> None:
    """Silence the warnings of runs that are short on purpose."""
    for item in items:
        if isinstance(item, DoctestItem):
            item.add_marker(OUT_OF_PASSES)
            item.add_marker(WITHOUT_NAMES)
