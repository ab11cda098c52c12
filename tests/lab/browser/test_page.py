"""The lab's page in a real browser: every control by its role and name."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from rosenblatt import trace

XOR = "#c=no&c=yes&p=0,0,0;0,1,1;1,0,1;1,1,0"


def press(page, name, **options):
    page.get_by_role("button", name=name, exact=True, **options).first.click()


def points(page):
    return page.get_by_role("group", name="Plot of the data").get_by_role("button")


def place(page):
    return page.get_by_role("group", name="Run controls").locator("output")


def choose(page, preset):
    page.get_by_label("Preset").select_option(preset)
    settled(page)


def settled(page):
    """Wait until every answer is in."""
    expect(page.locator(".rb-lab")).to_have_attribute("aria-busy", "false")


@pytest.fixture
def five(page):
    """The third lecture's five points."""
    choose(page, "five_points")
    expect(points(page)).to_have_count(5)
    expect(place(page)).to_have_text("0 / 5")
    return page


def table(page):
    """The cells of the trace's table, a minus sign as a program writes it."""
    rows = page.locator(".trace tbody tr").all()
    return [
        [text.replace("−", "-") for text in row.locator("td").all_inner_texts()] for row in rows
    ]


def test_the_table_of_an_edited_run_is_that_of_the_trace(five):
    """Rows stay in the page from run to run; what they say and point at does not."""
    page = five
    at = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]]
    signs = ["−1", "+1", "+1", "+1", "−1"]

    def traced(**more):
        run = trace(at, signs, classes=["−1", "+1"], init=[-1, 0, 0], **more)
        return [[text.replace("−", "-") for text in row] for row in run.cells()[1:-1]]

    assert table(page) == traced(max_passes=1)
    page.get_by_label("Passes at most").fill("3")
    page.get_by_label("Passes at most").press("Enter")
    expect(place(page)).to_have_text("0 / 15")
    assert table(page) == traced(max_passes=3)
    page.get_by_label("Rule").select_option("batch")
    expect(page.locator(".trace th")).to_have_count(5)
    settled(page)
    assert {len(row) for row in table(page)} == {5}
    page.get_by_label("Rule").select_option("perceptron")
    expect(page.locator(".trace th")).to_have_count(7)
    settled(page)
    assert table(page) == traced(max_passes=3)
    page.locator(".trace tbody tr").nth(6).click()
    expect(place(page)).to_have_text("7 / 15")


def test_run_controls(five):
    page, step = five, five.locator(".step")
    expect(step).to_contain_text("Start: w = [−1, 0, 0]")
    for name in ("Reset", "Back"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    press(page, "Step")
    expect(step).to_contain_text("point 0 (−1), score −1: right")
    press(page, "Next mistake")
    expect(step).to_have_text(
        "Step 2: point 1 (+1), score −1: a mistake. Press Step to add it to w."
    )
    expect(place(page)).to_have_text("1 / 5")
    press(page, "Next mistake")
    expect(step).to_contain_text("point 1 (+1), score −1: a mistake, so w becomes [0, 3, 2]")
    press(page, "Back")
    expect(place(page)).to_have_text("1 / 5")
    expect(step).to_contain_text("Press Step to add it")
    press(page, "Back")
    expect(step).to_contain_text("point 0 (−1), score −1: right")
    press(page, "End")
    expect(step).to_contain_text("w becomes [−1, 1, −1]")
    expect(page.locator(".stop")).to_contain_text("budget of passes is spent")
    press(page, "Reset")
    expect(place(page)).to_have_text("0 / 5")
    page.get_by_label("Speed").select_option("60")
    press(page, "Play")
    expect(place(page)).to_have_text("5 / 5")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()


def test_timeline_and_table_go_to_a_step(five):
    timeline = five.get_by_role("slider", name="Step")
    timeline.focus()
    timeline.press("ArrowRight")
    timeline.press("ArrowRight")
    expect(place(five)).to_have_text("2 / 5")
    row = five.get_by_role("row", name=re.compile(r"^5 4 −1 \[0, 3, 2\]"))
    row.click()
    expect(place(five)).to_have_text("5 / 5")
    expect(row).to_have_class(re.compile("here"))
    five.get_by_role("group", name="Chart of mistakes").locator(".bar").first.click()
    expect(place(five)).to_have_text("5 / 5")


def test_the_table_is_the_lectures(five):
    rows = five.locator(".trace tr").all_inner_texts()
    assert [re.split(r"\s*\t\s*", row) for row in rows[:3]] == [
        ["step", "index", "label", "weights", "score", "correct?", "update"],
        ["1", "0", "−1", "[−1, 0, 0]", "−1·1 + 0·1 + 0·1 = −1", "yes", "none"],
        ["2", "1", "+1", "[−1, 0, 0]", "−1·1 + 0·3 + 0·2 = −1", "no", "+ [1, 3, 2]"],
    ]
    press(five, "Step")
    expect(five.locator(".cost")).to_contain_text("7 operations so far")


SETTINGS = {
    "Rule": ("batch", "rule=batch"),
    "Order": ("worst", "order=worst"),
    "Step size η": ("0.5", "eta=0.5"),
    "Threshold δ": ("1", "delta=1"),
    "Start": ("1, 2, 3", "start=1,2,3"),
    "Bias": (False, "bias=false"),
    "Feature x₁x₂": (True, "product=true"),
    "A score of 0": ("positive", "ties=positive"),
    "Squares": (True, "squares=true"),
    "Radius": (True, "radius=true"),
    "Kernel": ("rbf", "kernel=rbf"),
    "Keep": ("pocket", "solution=pocket"),
    "Passes at most": ("7", "max_passes=7"),
    "Seed": ("3", "seed=3"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_changes_the_run_and_says_what_it_does(page, name):
    value, in_address = SETTINGS[name]
    control = page.get_by_label(name, exact=True)
    hint = page.locator(f"#{control.get_attribute('aria-describedby')}")
    assert len(hint.inner_text()) > 15
    if isinstance(value, bool):
        control.set_checked(value)
    elif control.evaluate("node => node.tagName") == "SELECT":
        control.select_option(value)
    else:
        control.fill(value)
        control.press("Enter")
    page.wait_for_url(lambda url: in_address in url)
    settled(page)
    expect(page.get_by_role("status").filter(has_text="Dismiss")).to_have_count(0)
    expect(page.locator(".trace table")).to_be_visible()


def test_descent_has_its_own_settings(page):
    expect(page.get_by_label("Batch size")).to_be_hidden()
    page.get_by_label("Rule").select_option("sgd")
    page.get_by_label("Batch size").fill("3")
    page.get_by_label("Batch size").press("Enter")
    page.get_by_label("Step sizes").select_option("decaying")
    page.wait_for_url(re.compile("step_size=decaying"))
    expect(page.get_by_label("Order", exact=True)).to_be_hidden()
    expect(page.locator(".trace th").nth(1)).to_have_text("errors")


def test_a_refused_setting_is_explained(visit):
    page = visit()
    page.get_by_label("Start", exact=True).fill("1, 2")
    page.get_by_label("Start", exact=True).press("Enter")
    expect(page.get_by_text("start must be 3 numbers, the bias first, got 2.")).to_be_visible()
    page.get_by_label("Start", exact=True).fill("")
    page.get_by_label("Start", exact=True).press("Enter")
    expect(page.get_by_text("start must be 3 numbers")).to_be_hidden()
    # The browser itself logs that an answer was a refusal; nothing else may be logged.
    assert all("status of 422" in problem for problem in visit.problems)
    visit.problems.clear()


def test_a_start_that_is_no_number_changes_nothing(page):
    start = page.get_by_label("Start", exact=True)
    start.fill("1, two, 3")
    start.press("Enter")
    expect(page.get_by_text("Start: “two” is no number. It stays empty.")).to_be_visible()
    expect(start).to_have_value("")
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    assert "NaN" not in page.url


def test_a_matrix_to_start_with(page):
    """The multiclass worked example of the lectures: scores 11, 13 and 8."""
    choose(page, "three_classes")
    start = page.get_by_label("Start", exact=True)
    start.fill("[[1, −2, 2], [4, 0, 3], [-2, 1, 4]]")
    start.press("Enter")
    page.wait_for_url(re.compile("start=1,-2,2;4,0,3;-2,1,4"))
    settled(page)
    expect(page.locator(".step")).to_contain_text("Start: w = [[1, −2, 2], [4, 0, 3], [−2, 1, 4]]")
    page.reload()
    settled(page)
    expect(start).to_have_value("1, -2, 2; 4, 0, 3; -2, 1, 4")
    choose(page, "one_point")
    press(page, "End")
    expect(page.locator(".step")).to_contain_text("scores 11, 13, 8: a mistake")


def test_the_sandwich_names_its_bounds_with_a_threshold(visit):
    page = visit("#p=1,2,0;2,1,1;3,3,1&bias=false&delta=2&at=1")
    legend = page.locator(".sandwich .legend")
    expect(legend).to_contain_text("kγ ≤ ‖w‖ ≤ √k·√(R² + 2δ)")
    expect(legend).to_contain_text("R = 4.243")
    expect(page.locator(".three")).to_contain_text("the point's score did not exceed δ")
    expect(page.locator(".three")).to_contain_text("≤ k(η²R² + 2ηδ) = 22")
    expect(page.locator(".three")).not_to_contain_text("wrong side")
    page.get_by_label("Step size η").fill("0.5")
    page.get_by_label("Step size η").press("Enter")
    expect(legend).to_contain_text("kηγ ≤ ‖w‖ ≤ √k·η·√(R² + 2δ/η)")


@pytest.mark.parametrize(
    ("name", "value", "old"),
    [
        ("Step size η", "0", "1"),
        ("Step size η", "1e9", "1"),
        ("Threshold δ", "-1", "0"),
        ("Passes at most", "0", "100"),
        ("Seed", "-1", "0"),
    ],
)
def test_a_number_out_of_range_is_refused_and_the_old_one_stays(page, name, value, old):
    control = page.get_by_label(name, exact=True)
    control.fill(value)
    control.press("Enter")
    expect(page.get_by_text(f"It stays {old}.")).to_be_visible()
    expect(control).to_have_value(old)
    control.fill("2")
    control.press("Enter")
    expect(page.get_by_text("It stays")).to_be_hidden()
    settled(page)


def test_risk_of_zero_is_light_and_its_section_is_named(visit):
    page = visit("#p=1,1,1;-1,-1,1;1,-1,0;-1,1,0&product=true")
    press(page, "End")
    settled(page)
    expect(page.locator(".risk .legend")).to_contain_text("w₃ = 4")
    expect(page.locator(".risk .band-risk")).to_have_count(0)
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("away from the boundary")


@pytest.mark.parametrize("layer", ["Margins", "Widest slab", "Hulls"])
def test_layers(page, layer):
    choose(page, "xor" if layer == "Hulls" else "three_samples")
    press(page, "End")
    settled(page)
    name = {"Margins": ".margin", "Widest slab": ".slab.edge", "Hulls": ".hull"}[layer]
    drawn = page.locator(f".xspace .plot {name}")
    node = page.get_by_role("button", name=layer, exact=True)
    for on in (layer == "Hulls", layer != "Hulls"):
        expect(node).to_have_attribute("aria-pressed", str(on).lower())
        expect(drawn).not_to_have_count(0) if on else expect(drawn).to_have_count(0)
        node.click()


def test_verdicts(page):
    verdict = page.get_by_role("status", name="Verdict")
    choose(page, "three_samples")
    expect(verdict).to_contain_text("Separable")
    expect(verdict).to_contain_text("4.123 away from the line; points 0, 1, 2 hold it")
    choose(page, "xor")
    expect(verdict).to_contain_text("Inseparable")
    expect(verdict).to_contain_text("the two hulls share the point (0.5, 0.5)")
    press(page, "End")
    expect(page.locator(".stop")).to_contain_text(
        "after step 4 everything is as it was after step 0"
    )
    expect(page.locator("tr.cycle")).to_have_count(4)
    expect(page.locator(".point.guilty")).to_have_count(4)
    press(page, "Clear")
    expect(verdict).to_contain_text("Nothing to decide yet")


def test_the_proof_has_numbers(page):
    choose(page, "six_points")
    expect(place(page)).to_have_text("0 / 12")
    press(page, "Next mistake")
    press(page, "Step")
    expect(page.locator(".three li")).to_have_count(3)
    expect(page.locator(".three")).to_contain_text("‖w‖² = 0 + 0 + 5 = 5 ≤ k(ηR)² = 5")
    expect(page.locator(".bound")).to_contain_text("k ≤ R²/γ² = 5. Used: 1, 20 %.")
    assert page.get_by_role("progressbar").evaluate("node => node.value") == pytest.approx(0.2)
    expect(page.locator(".bracket")).to_contain_text("≤ γ ≤")


def test_hovering_a_point_lights_its_line_and_rows(five):
    points(five).nth(1).hover()
    expect(five.locator(".wspace .sample.lit")).to_have_count(1)
    expect(five.get_by_role("row", name=re.compile("^2 1 "))).to_have_class(re.compile("lit"))
    five.get_by_role("row", name=re.compile("^4 3 ")).hover()
    expect(points(five).nth(3)).to_have_class(re.compile("lit"))


def test_three_dimensional_views(five):
    press(five, "3-D")
    planes = five.get_by_role("img", name="Constraint planes")
    expect(planes).to_be_visible()
    expect(five.locator(".wspace .legend")).to_contain_text("Each point is a plane")
    painted = "node => node.toDataURL()"
    before = planes.evaluate(painted)
    planes.press("ArrowRight")
    turned = planes.evaluate(painted)
    assert turned != before
    points(five).nth(1).hover()
    assert planes.evaluate(painted) != turned  # its plane is lit
    five.mouse.move(0, 0)
    assert planes.evaluate(painted) == turned
    press(five, "End")
    assert planes.evaluate(painted) != turned
    press(five, "Section")
    expect(planes).to_be_hidden()
    press(five, "Surface")
    surface = five.get_by_role("img", name="The risk as a surface")
    expect(surface).to_be_visible()
    box = surface.bounding_box()
    before = surface.evaluate(painted)
    five.mouse.move(box["x"] + 80, box["y"] + 80)
    five.mouse.down()
    five.mouse.move(box["x"] + 140, box["y"] + 100, steps=3)
    five.mouse.up()
    assert surface.evaluate(painted) != before
    press(five, "Contours")
    expect(surface).to_be_hidden()


def test_several_classes(page):
    choose(page, "three_classes")
    expect(page.get_by_role("radio")).to_have_count(3)
    press(page, "End")
    expect(page.locator(".xspace .region")).to_have_count(3)
    expect(page.locator(".sandwich")).to_be_hidden()
    page.get_by_label("Feature x₁x₂").check()
    page.get_by_label("Keep").select_option("average")
    settled(page)
    press(page, "Reset")
    expect(page.locator(".plot .boundary.kept")).to_have_count(0)
    press(page, "End")
    expect(page.locator(".plot .boundary.kept")).to_have_count(1)
    expect(page.locator(".xspace .region")).to_have_count(3)
    press(page, "+ class")
    expect(page.get_by_role("radio")).to_have_count(4)
    press(page, "− class")
    expect(page.get_by_role("radio")).to_have_count(3)


@pytest.mark.parametrize("solution", ["average", "pocket", "vote"])
def test_kept_solutions_are_drawn_at_the_end(visit, solution):
    page = visit(f"{XOR}&solution={solution}&product=false")
    expect(page.locator(".plot .boundary.kept")).to_have_count(0)
    press(page, "End")
    expect(page.locator(".plot .boundary.kept")).to_have_count(1)


def test_a_class_is_text(visit):
    name = "<img src=x onerror=alert(1)>"
    page = visit("#c=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&c=b&p=0,0,0;1,1,1")
    expect(page.get_by_text(name, exact=True).first).to_be_visible()
    assert page.locator("img").count() == 0
