"""Awkward cases of the page: odd links, large coordinates, long names, nothing at all."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from test_page import choose, points, press, settled


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "it names 1 of the 2 to 5 classes"),
        (list("abcdefghij"), "it names 10 of the 2 to 5 classes"),
        (["a", "a"], "two of its classes have one name"),
        (["a", "b" * 300], "a class's name has 1 to 40 letters"),
    ],
    ids=["one", "ten", "twins", "long"],
)
def test_a_link_of_odd_classes_is_explained(visit, names, said):
    page = visit(f"#{'&'.join(f'c={name}' for name in names)}&p=0,0,0;1,1,0")
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")


@pytest.mark.parametrize("size", [1, 1000, 123456, 1e6, 0.0001])
@pytest.mark.parametrize("width", [1440, 390])
def test_axis_labels_are_not_clipped(visit, size, width):
    corners = f"{-size},{-size},0;{size},{size},1;{size},{-size},1"
    page = visit(f"#p={corners}&at=99", width=width, height=900)
    outside = page.locator(".plot .tick").evaluate_all(
        """(nodes) => nodes.filter((node) => {
          const [box, all] = [node, node.ownerSVGElement].map((one) => one.getBoundingClientRect());
          return box.left < all.left - 0.5 || box.right > all.right + 0.5;
        }).map((node) => node.textContent)"""
    )
    assert outside == []
    box = page.locator(".xspace clipPath rect").evaluate(
        "node => [node.getAttribute('width'), node.getAttribute('height')].map(Number)"
    )
    assert box[0] == box[1]


@pytest.mark.parametrize("width", [1440, 1280, 390])
def test_nothing_of_the_data_panel_sticks_out(visit, width):
    page = visit(width=width, height=900)
    for name in ("Random points, noise, test set", "CSV: paste, drop, export"):
        page.get_by_text(name).click()
    page.get_by_label("Paste CSV here").fill(
        "name,width of the sepal in millimetres,height,species\n1,2,3,oak\n2,3,4,elm\n"
    )
    expect(page.get_by_role("button", name="Use 2 rows")).to_be_visible()
    assert page.locator(".side").evaluate_all(
        """([side]) => [...side.querySelectorAll("select, textarea, button, input")]
          .filter((node) => node.getBoundingClientRect().width > 1).filter((node) => {
            const [box, all] = [node, node.closest("fieldset")]
              .map((one) => one.getBoundingClientRect());
            return box.right > all.right || box.left < all.left;
          }).map((node) => node.outerHTML.slice(0, 60))"""
    ) == []  # fmt: skip


def test_the_longest_preset_can_be_read(page):
    """The name of the chosen one fits into its field."""
    choose(page, "outlier")
    fits = page.get_by_label("Preset").evaluate(
        """(node) => {
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = getComputedStyle(node).font;
          const names = [...node.options].map((one) => pen.measureText(one.text).width);
          return [Math.max(...names) + 32, node.getBoundingClientRect().width];
        }"""
    )
    assert fits[0] < fits[1]


def test_the_empty_lab_has_the_columns_of_its_rule(page):
    press(page, "Clear")
    settled(page)
    expect(points(page)).to_have_count(0)
    names = page.locator(".trace th")
    expect(names).to_have_text(["step", "index", "label", "weights", "score", "correct?", "update"])
    page.get_by_label("Rule").select_option("batch")
    expect(names).to_have_text(["step", "errors", "risk", "ε", "weights"])


def test_weights_that_cancel_are_short(visit):
    """Of floats that are no short fractions the exact proportions have dozens of digits."""
    page = visit("#p=0.1,0.2,0;1.1,1.3,0;0.17,1.23,1;1.01,0.13,1")
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("Inseparable")
    expect(verdict).to_contain_text("weighted about 0.")
    assert max(len(word) for word in verdict.inner_text().split()) < 20
