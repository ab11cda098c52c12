"""axe-core on both pages in both themes: no serious violation."""

from __future__ import annotations

import pytest
from axe import violations
from playwright.sync_api import expect


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_lab_is_accessible(visit, theme):
    page = visit(theme=theme)
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "link",
    [
        "#p=1,1,0;3,2,1;2,4,1&start=-1,1,0&at=1.5&show=numbers,projector&ask=2,2",
        "#p=1,1,0;3,2,1;2,4,1&at=2&show=slab,margins&kernel=poly2&t=0,0,0;4,4,1",
        "#c=a&c=b&c=c&p=1,1,0;3,2,1;2,4,2&at=2",
    ],
    ids=["a look in a hall", "an update with a kernel", "three classes"],
)
def test_what_a_link_shows_is_accessible(visit, link, theme):
    page = visit(link, theme=theme)
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")
    assert violations(page) == []


def test_the_lab_is_accessible_on_a_phone(visit):
    page = visit(width=390, height=844, touch=True)
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")
    assert violations(page) == []
    page.get_by_role("button", name="Quiz").click()
    assert violations(page) == []
    page.get_by_role("button", name="Tour", exact=True).click()
    expect(page.get_by_role("dialog", name="Guided tour")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_my_data_is_accessible(visit, theme):
    page = visit("mydata", theme=theme)
    assert violations(page) == []
    page.get_by_role("button", name="Take the iris flowers").click()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_text("Done.")).to_be_visible()
    page.get_by_role("button", name="setosa and virginica: separable").first.click()
    assert violations(page) == []


@pytest.mark.parametrize(("motion", "fades"), [(True, "0.15s"), (False, "0s")])
def test_plots_fade_only_where_motion_is_welcome(visit, motion, fades):
    grid = visit(motion=motion).locator(".grid").first
    assert grid.evaluate("grid => getComputedStyle(grid).transitionDuration") == fades
