"""A real browser for the lab's tests, one in a worker.

Whatever a test looks at, it fails if the page logs an error or asks another server for anything.
"""

from __future__ import annotations

from collections import defaultdict
from urllib.parse import urlsplit

import pytest
from find_chromium import NEXT, REQUIRED, find
from playwright.sync_api import Browser, expect, sync_playwright

PATIENCE = 60_000  # milliseconds: machines that test are busy
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser():
    path = find()
    if path is None:
        (pytest.fail if REQUIRED else pytest.skip)(NEXT)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def new_page(browser: Browser):
    """Make an empty page in a context of its own."""

    def make(*, touch=False, offline=False):
        context = browser.new_context(
            has_touch=touch, offline=offline, permissions=["clipboard-read", "clipboard-write"]
        )
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    return make


@pytest.fixture(scope="session")
def idle():
    """Pages that no test uses now, by whether they have touch and whether they are offline.

    They are used again: a page that has shown the lab before shows it in a third of the time.
    """
    return defaultdict(list)


@pytest.fixture
def tab(new_page, idle):
    """Take a page: tab(home, …), where home begins the addresses that it may ask for.

    What one test does to a page the next does not find: it leaves for the address ``rest``.
    """
    taken, problems = [], []

    def take(
        home, *, rest="about:blank", theme="light", width=1280, height=900, touch=False,
        motion=False, offline=False,
    ):  # fmt: skip
        alike = idle[touch, offline]
        page = alike.pop() if alike else new_page(touch=touch, offline=offline)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme=theme, reduced_motion="no-preference" if motion else "reduce"
        )
        taken.append((page, alike, watch(page, home), rest))
        return page

    def watch(page, home):
        def said(message):
            if message.type == "error":
                problems.append(f"console: {message.text} ({message.location['url']})")

        def asked(request):
            of_page = urlsplit(request.url).scheme in ("data", "blob")
            if not (of_page or request.url.startswith(home)):
                problems.append(f"request to {request.url}")

        def failed(error):
            problems.append(f"error: {error}")

        heard = {"console": said, "request": asked, "pageerror": failed}
        for kind, listener in heard.items():
            page.on(kind, listener)
        return heard

    take.problems = problems
    yield take
    for page, alike, heard, rest in taken:
        page.unroute_all()
        page.mouse.up()
        page.mouse.move(0, 0)
        # What a page is still asking when it is left fails, and says so.
        for name, listener in heard.items():
            page.remove_listener(name, listener)
        page.goto(rest)
        alike.append(page)
    assert problems == []


@pytest.fixture
def visit(tab, lab: str):
    """Open the page: visit(fragment, theme=…, width=…, …) as of a tab. It needs no network."""

    def open_page(fragment="", **options):
        page = tab(lab, **options)
        page.goto(f"{lab}{fragment}")
        page.wait_for_selector(".rb-lab .point")
        return page

    open_page.problems = tab.problems
    return open_page
