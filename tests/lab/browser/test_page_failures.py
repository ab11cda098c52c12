"""A question that fails: no old verdict beside new points, and the page recovers by itself."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from test_page import choose, place, points, press, settled


class Outage:
    """A server that is not there: requests fail as they do when it was stopped."""

    def __init__(self, page):
        self.page = page

    def begin(self):
        self.page.route("**/api/**", lambda route: route.abort("connectionrefused"))

    def end(self):
        self.page.unroute("**/api/**")


@pytest.fixture
def outage(visit):
    page = visit()
    yield Outage(page)
    # The browser itself logs each request that failed; nothing else may be logged.
    assert all("Failed to load resource" in problem for problem in visit.problems)
    visit.problems.clear()


def test_nothing_old_stands_beside_new_points_when_the_server_is_gone(outage):
    page = outage.page
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("Separable")
    outage.begin()
    choose(page, "xor")
    expect(points(page)).to_have_count(4)
    expect(verdict).to_have_text("Not computed")
    expect(page.get_by_text("Not computed. The lab's server does not answer.")).to_be_visible()
    expect(page.locator(".step")).to_have_text("The run of these points is not computed.")
    expect(page.locator(".xspace .plot .boundary")).to_have_count(0)
    expect(page.locator(".trace tbody tr")).to_have_count(0)
    expect(page.locator(".bound")).to_be_empty()
    for name in ("Step", "Play", "Next mistake", "End", "Back", "Reset"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    # While nobody answers: afterwards it may have asked by itself, and the button be gone.
    with page.expect_request("**/api/**"):
        press(page, "Try now")
    expect(verdict).to_have_text("Not computed")
    outage.end()
    expect(verdict).to_contain_text("Inseparable")
    expect(page.locator(".message")).to_be_hidden()


def test_it_recovers_by_itself_and_keeps_the_step(outage):
    page = outage.page
    choose(page, "xor")
    press(page, "End")
    expect(place(page)).to_have_text("4 / 4")
    outage.begin()
    points(page).nth(0).focus()
    page.keyboard.press("Shift+ArrowLeft")
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_have_text("Not computed")
    outage.end()
    expect(verdict).to_contain_text("eparable")
    expect(place(page)).to_have_text(re.compile("^4 / "))
    expect(page.locator(".message")).to_be_hidden()


def test_a_page_opened_without_a_server_fills_itself_later(visit):
    page = visit()
    page.route("**/api/**", lambda route: route.abort("connectionrefused"))
    page.reload()
    expect(page.get_by_role("status", name="Verdict")).to_have_text("Not computed")
    page.unroute("**/api/**")
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")
    expect(page.get_by_label("Preset").locator("option[value=xor]")).to_have_count(1)
    assert all("Failed to load resource" in problem for problem in visit.problems)
    visit.problems.clear()


def test_a_refused_setting_leaves_no_verdict_and_is_undone(visit):
    page = visit()
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("Separable")
    start = page.get_by_label("Start", exact=True)
    start.fill("1, 2")
    start.press("Enter")
    expect(page.get_by_text("Not computed: start must be 3 numbers")).to_be_visible()
    expect(verdict).to_have_text("Not computed")
    page.locator(".message").get_by_role("button", name="Undo").click()
    expect(verdict).to_contain_text("Separable")
    expect(start).to_have_value("")
    settled(page)
    assert all("status of 422" in problem for problem in visit.problems)
    visit.problems.clear()


def test_an_answer_that_takes_long_takes_the_old_one_away(visit):
    page = visit()
    verdict = page.get_by_role("status", name="Verdict")
    held = []
    page.route("**/api/experiment", lambda route: held.append(route))
    page.get_by_label("Preset").select_option("xor")
    expect(verdict).to_have_text("Computing…")
    page.unroute("**/api/experiment")  # lets go on what was held
    expect(verdict).to_contain_text("Inseparable")
