"""A step is two: look at the point, then update; and what x-space and w-space show of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from test_page import choose, place, points, press, settled
from test_page_data import pixel

from rosenblatt.lab.experiment import compute


@pytest.fixture
def five(page):
    choose(page, "five_points")
    expect(points(page)).to_have_count(5)
    return page


def line(page):
    return page.locator(".xspace .plot .boundary:not(.ghost)").get_attribute("d")


def test_look_then_update(five):
    page, step = five, five.locator(".step")
    press(page, "Step")
    expect(page.locator(".xspace .score.right")).to_have_text("score −1")
    press(page, "Step")
    expect(step).to_contain_text("Press Step to add it to w")
    expect(page.locator(".xspace .plot .current.wrong")).to_have_count(1)
    expect(page.locator(".xspace .score.wrong")).to_have_text("score −1")
    expect(page.locator(".xspace .vector")).to_have_count(0)
    expect(page.locator(".trace tr.here td").first).to_have_text("2")
    before = line(page)
    press(page, "Step")
    expect(place(page)).to_have_text("2 / 5")
    expect(page.locator(".xspace .score.wrong")).to_have_text("score −1 → 13")
    expect(page.locator(".xspace .vector-name")).to_have_text(["+x", "w′"])
    expect(page.locator(".wspace .vector-name")).to_have_text("+x")
    assert line(page) != before


def test_one_press_a_step(five):
    page = five
    page.get_by_label("Look first").uncheck()
    press(page, "Step")
    press(page, "Step")
    expect(page.locator(".step")).to_contain_text("so w becomes [0, 3, 2]")
    expect(place(page)).to_have_text("2 / 5")
    press(page, "Back")
    expect(place(page)).to_have_text("1 / 5")
    expect(page.locator(".step")).to_contain_text("point 0 (−1), score −1: right")


def test_a_link_leads_to_a_look(visit):
    page = visit("#p=1,1,0;3,2,1;2,4,1&start=-1,0,0&at=1.5")
    expect(page.locator(".step")).to_contain_text("Step 2: point 1 (+1), score −1: a mistake.")
    press(page, "Step")
    page.wait_for_url(re.compile("at=2$"))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("#p=1,1,1;-1,-1,0&at=99", "Separated after 1 mistake."),
        ("#p=0,0,0;0,1,1;1,0,1;1,1,0&at=99", "came back to those after step 0: a cycle."),
        ("#p=1,1,0;3,2,1;2,4,1;3,4,1;2,3,0&max_passes=1&at=99", "budget of passes is spent"),
        ("#p=1,4,1;-5,-3,0;3,-5,0&rule=batch", "Separated already: there is nothing to do."),
    ],
    ids=["separated", "cycle", "budget", "at once"],
)
def test_the_sentence_says_how_the_run_ended(visit, link, said):
    page = visit(link)
    expect(page.locator(".step")).to_contain_text(said)
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()
    expect(page.locator(".step")).not_to_contain_text("Press Step")


def test_the_update_is_seen_in_motion(visit):
    """The line and the dot of the weights are on their way for a while, in both spaces at once."""
    page = visit("#p=1,1,0;3,2,1;2,4,1;3,4,1;2,3,0&start=-1,-1,2&at=1.5", motion=True)
    page.evaluate(
        """() => {
          window.seen = [];
          // Thirty milliseconds a frame, however long the machine takes for one.
          let now = performance.now();
          const next = requestAnimationFrame;
          performance.now = () => now;
          window.requestAnimationFrame = (draw) => next(() => draw(now));
          const look = () => {
            window.seen.push([
              document.querySelector(".xspace .plot .boundary:not(.ghost)")?.getAttribute("d"),
              document.querySelector(".wspace .here").getAttribute("cx"),
            ]);
            now += 30;
            next(look);
          };
          look();
        }"""
    )
    press(page, "Step")
    for space in (0, 1):
        page.wait_for_function(
            "(k) => new Set(window.seen.map((one) => one[k])).size > 12", arg=space
        )


def test_a_legend_names_what_is_drawn(five):
    page, legend = five, five.locator(".xspace .legend")
    expect(legend).to_contain_text("−1")
    expect(legend).not_to_contain_text("before the update")
    press(page, "End")
    expect(legend).to_contain_text("a mistake")
    expect(legend).to_contain_text("before the update")
    choose(page, "xor")
    expect(legend).to_contain_text("these cancel")


def test_numbers_on_points(five):
    page = five
    labels = page.locator(".xspace .point .number")
    expect(labels.nth(2)).to_be_empty()
    points(page).nth(2).hover()
    expect(labels.nth(2)).to_have_text("2 (2, 4)")
    page.mouse.move(0, 0)
    press(page, "Numbers")
    expect(labels).to_have_text(["0", "1", "2", "3", "4"])


def test_coordinates_while_dragging(visit):
    page = visit("#c=no&c=yes&p=-2,0,0;2,0,1")
    page.mouse.move(*pixel(page, 2, 0))
    page.mouse.down()
    page.mouse.move(*pixel(page, 1, 1), steps=4)
    expect(page.locator(".xspace .point .number").nth(1)).to_have_text("1 (1, 1)")
    page.mouse.up()
    page.mouse.move(0, 0)
    expect(page.locator(".xspace .point .number").nth(1)).to_be_empty()


def test_many_points_leave_w_space_readable(page):
    choose(page, "separable")
    expect(points(page)).to_have_count(10)
    press(page, "End")
    expect(page.locator(".wspace .wedge")).to_have_count(1)
    assert 0 < page.locator(".wspace .sample").count() < 10
    expect(page.locator(".wspace .legend")).to_contain_text("edges of the wedge")
    choose(page, "five_points")
    expect(page.locator(".wspace .sample")).to_have_count(5)


def test_no_wedge_is_spoken_of_where_there_is_none(page):
    choose(page, "xor")
    expect(page.locator(".wspace .legend")).to_contain_text("Nowhere here are all points right.")
    expect(page.locator(".wspace .wedge")).to_have_count(0)


def test_the_line_is_dragged(visit):
    """It moves through the pointer, turns by the tip of w, and errors and risk follow."""
    page = visit("#c=no&c=yes&p=-2,0,0;2,0,1&start=0,1,0")
    stands = page.locator(".standing")
    expect(stands).to_have_text(re.compile("^0 of 2 not on their right side, risk 0, margin 2"))
    page.mouse.move(*pixel(page, 0, 1.5))
    page.mouse.down()
    page.mouse.move(*pixel(page, 3, 1.5), steps=5)
    expect(stands).to_contain_text("1 of 2 not on their right side, risk 1, margin −1")
    page.mouse.up()
    settled(page)
    page.wait_for_url(re.compile("start=-3,1,0"))
    expect(page.locator(".step")).to_contain_text("Start: w = [−3, 1, 0]")
    tip = page.get_by_role("slider", name="The line", exact=True)
    tip.focus()
    page.keyboard.press("ArrowLeft")
    settled(page)
    expect(page.locator(".step")).not_to_contain_text("[−3, 1, 0]")
    for _ in range(2):
        page.keyboard.press("Control+z")
    settled(page)
    expect(page.locator(".step")).to_contain_text("Start: w = [0, 1, 0]")


def test_the_proof_follows_a_start_by_hand(visit):
    page = visit("#p=-2,0,0;2,0,1&start=0,0,1&at=1")
    expect(page.locator(".bound")).to_contain_text("Bound from this start: k ≤ ")
    expect(page.locator(".three")).to_contain_text("≥ u·w₀ + kηγ = ")
    expect(page.locator(".three")).to_contain_text("= 6 ≤ ‖w₀‖² + k(ηR)² = 6")
    expect(page.locator(".sandwich .legend")).to_contain_text("‖w‖ ≤ √(‖w₀‖² + kR²)")


def test_several_classes_have_their_vectors_and_scores(page):
    """The lectures' update: class 1 is punished, class 2 rewarded."""
    choose(page, "one_point")
    expect(page.locator(".wspace .vector")).to_have_count(3)
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()
    scores = page.locator(".risk .number")
    expect(scores).to_have_text(["0: 11", "1: 13", "2: 8"])
    expect(page.locator(".risk .score-bar.own")).to_have_count(1)
    press(page, "End")
    expect(scores).to_have_text(["0: 11", "1: −1", "2: 22"])
    expect(page.locator(".wspace .vector.before")).to_have_count(2)
    expect(page.locator(".sandwich")).to_be_hidden()
    choose(page, "five_points")
    expect(page.get_by_role("heading", name="Risk R(w)")).to_be_visible()
    expect(page.locator(".sandwich")).to_be_visible()


def test_the_weights_are_dragged_in_w_space(visit):
    page = visit("#c=no&c=yes&p=-2,0,0;2,0,1&start=0,1,0")
    here = page.locator(".wspace .here").bounding_box()
    x, y = here["x"] + here["width"] / 2, here["y"] + here["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y - 60, steps=4)
    expect(page.locator(".xspace .plot .boundary:not(.ghost)")).to_have_count(1)
    page.mouse.up()
    settled(page)
    moved = re.search(r"w = \[(.*?), (.*?), (.*?)\]", page.locator(".step").inner_text())
    assert moved
    bias, first, second = moved.groups()
    assert bias == "0"
    assert first != "1"
    assert not second.startswith(("0", "−")) or "/" in second


def test_a_question_mark_is_classified_as_the_weights_change(visit):
    page = visit("#c=no&c=yes&p=-2,0,0;2,0,1&start=0,1,0")
    press(page, "Ask about a point")
    mark = page.get_by_role("button", name=re.compile("^Question mark"))
    expect(mark).to_have_accessible_name(re.compile("class yes, score"))
    start = page.get_by_label("Start", exact=True)
    start.fill("0, -1, 0")
    start.press("Enter")
    expect(mark).to_have_accessible_name(re.compile("class no, score −"))
    mark.focus()
    before = mark.get_attribute("aria-label")
    page.keyboard.press("ArrowLeft")
    expect(mark).not_to_have_attribute("aria-label", before)
    page.keyboard.press("Delete")
    expect(mark).to_be_hidden()


def test_noise_and_a_test_set(page):
    """Four ways to keep weights, side by side, on points learned from and on others."""
    page.get_by_text("Random points, noise, test set").click()
    page.get_by_label("Points", exact=True).fill("60")
    page.get_by_label("Noise", exact=True).fill("0.1")
    page.get_by_label("Test points", exact=True).fill("100")
    press(page, "Draw random points")
    expect(points(page)).to_have_count(60)
    expect(page.locator(".xspace .plot .tested")).to_have_count(100)
    settled(page)
    table = page.get_by_role("table", name=re.compile("^Wrong at the end"))
    expect(table.get_by_role("columnheader")).to_have_text(["Last", "Average", "Vote", "Pocket"])
    asked = {"random": {"n": 60, "margin": 0.5, "noise": 0.1, "test": 100, "seed": 1}}
    errors = compute({**asked, "want": ["run"]})["run"]["errors"]
    for name, k in (("of 60 points", 0), ("of 100 test points", 1)):
        row = table.get_by_role("row", name=re.compile(name))
        expect(row.get_by_role("cell")).to_have_text([str(pair[k]) for pair in errors.values()])
    press(page, "End")
    wrong = errors["last"][1]
    expect(page.locator(".standing")).to_contain_text(f"{wrong} of 100 test points wrong")
    before = page.locator(".xspace .plot .tested").count()
    page.wait_for_url(re.compile("&t="))
    page.reload()
    expect(page.locator(".xspace .plot .tested")).to_have_count(before)


@pytest.mark.parametrize(
    ("feature", "said"),
    [("Feature x₁x₂", "x₁x₂"), ("Squares", "x₁², x₂²"), ("Radius", "r²")],
)
def test_features_bend_the_line(visit, feature, said):
    """A ring around a middle: no line separates it, squares and the radius do."""
    ring = "0,0,0;1,0,0;0,1,0;3,0,1;0,3,1;-3,0,1;0,-3,1;2,2,1;-2,-2,1"
    page = visit(f"#p={ring}")
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("Inseparable")
    page.get_by_label(feature, exact=True).check()
    if feature == "Feature x₁x₂":
        settled(page)
        expect(verdict).to_contain_text("Inseparable")
        return
    expect(verdict).to_contain_text("Separable")
    expect(verdict).to_contain_text(f"in the space of x₁, x₂, {said}")
    press(page, "End")
    expect(page.locator(".standing")).to_have_text(re.compile("^0 of 9 not on their right side"))
    expect(page.locator(".xspace .plot .region")).to_have_count(2)


@pytest.mark.parametrize("kernel", ["poly2", "poly3", "rbf"])
def test_a_kernel_draws_its_boundary(page, kernel):
    choose(page, "xor")
    expect(page.locator(".xspace .plot .boundary.kernel")).to_have_count(0)
    page.get_by_label("Kernel", exact=True).select_option(kernel)
    line = page.locator(".xspace .plot .boundary.kernel")
    expect(line).to_have_count(1)
    assert len(line.get_attribute("d")) > 500
    table = page.get_by_role("table", name=re.compile("^Wrong at the end"))
    expect(table.get_by_role("cell").last).to_have_text("0")
    expect(page.locator(".xspace .legend")).to_contain_text("the kernel's boundary")
