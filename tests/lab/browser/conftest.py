"""A real browser for the lab's tests, one in a worker.

Whatever a test looks at, it fails if the page logs an error or asks another server for anything.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from find_chromium import NEXT, find
from playwright.sync_api import Browser, sync_playwright

PATIENCE = 120_000  # milliseconds: machines that test are busy


@pytest.fixture(scope="session")
def browser():
    path = find()
    if path is None:
        pytest.fail(NEXT, pytrace=False)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Browser, lab: str):
    """Open a page: visit(path, theme=…, width=…, height=…, touch=…, policy=…, motion=…)."""
    contexts, problems = [], []

    def watch(page):
        def said(message):
            if message.type == "error":
                problems.append(f"console: {message.text}")

        def asked(request):
            if urlsplit(request.url).scheme in ("data", "blob"):
                return
            if not request.url.startswith(f"{lab}/"):
                problems.append(f"request to {request.url}")

        page.on("console", said)
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("request", asked)

    def open_page(
        path="", *, theme="light", width=1280, height=900, touch=False, policy=True, motion=False
    ):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            has_touch=touch,
            bypass_csp=not policy,
            reduced_motion="no-preference" if motion else "reduce",
            accept_downloads=True,
        )
        context.set_default_timeout(PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab)
        contexts.append(context)
        page = context.new_page()
        watch(page)
        page.goto(f"{lab}/{path}")
        if page.locator("#lab").count():
            page.wait_for_selector('.rb-lab[aria-busy="false"]')
        else:
            page.wait_for_load_state("networkidle")
        return page

    open_page.problems = problems
    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(visit):
    """The lab's main page."""
    return visit()
