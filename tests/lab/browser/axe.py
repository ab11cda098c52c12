"""What axe-core finds wrong with a page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect


def violations(page):
    """Serious and critical ones, in a line each, of a page at rest: plots fade while it asks."""
    expect(page.locator('.rb-lab[aria-busy="true"]')).to_have_count(0)
    page.wait_for_function("document.getAnimations().length === 0")
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
