"""The page as a visitor meets it: opened from a disk, without a network."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe import violations
from playwright.sync_api import expect

import rosenblatt as rb
from rosenblatt.data.tables.reading import Choice, read_file
from rosenblatt.lab.lessons.lesson import read_lesson
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.report.findings import Question
from rosenblatt.lab.report.page import report_html
from rosenblatt.lab.web.page import figures_css, figures_js

FIVE = "#p=1,1,0;3,2,1;2,4,1;3,4,1;2,3,0&start=-1,0,0&max_passes=1"
XOR = "#p=0,0,0;0,1,1;1,0,1;1,1,0"
DOT = "data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 width=%279%27/%3E"
EXAMPLE = Path(__file__).parents[3] / "examples" / "lesson.md"


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def points(page):
    return page.get_by_role("button", name=re.compile(r"^Point \d"))


def more(page):
    press(page, "More settings")


def setting(page, name):
    """A setting among all of them, behind "More settings"."""
    return page.locator(".settings").get_by_label(name, exact=True)


def verdict(page):
    return page.get_by_role("status", name="Verdict")


def sentence(page):
    return page.locator(".run .step")


# --- the first ten seconds -------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_the_first_screen_has_a_wrong_line_one_main_button_and_three_settings(visit, width, height):
    page = visit(width=width, height=height)
    expect(page.locator(".xspace .plot .boundary")).to_have_count(1)
    expect(page.locator(".standing")).not_to_contain_text("0 of")
    main = page.locator("button.primary:visible")
    expect(main).to_have_text(["Play"])
    assert main.bounding_box()["y"] + main.bounding_box()["height"] <= height
    assert page.locator(".main-settings .field:visible label").all_inner_texts() == [
        "Order", "Step size η", "Bias",
    ]  # fmt: skip
    expect(page.locator(".grid > .side")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width > 400:  # the proof stands beside the plot, and can be read without scrolling
        assert page.locator(".three").bounding_box()["y"] < height / 2
    # Nothing gives the run away.
    to_come = page.locator(".path.future[d]")
    assert not any(to_come.evaluate_all("all => all.map(path => path.getTotalLength())"))
    assert page.locator(".scroller tbody tr").count() == 0


def test_one_run_plays_by_itself_where_motion_is_welcome(visit):
    page = visit(motion=True)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(sentence(page)).to_contain_text("Next: add it to w")  # nobody is told to press Step
    page.mouse.click(5, 300)  # the visitor takes over
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page = visit(motion=False)
    assert page.evaluate("() => new Promise(done => requestAnimationFrame(() => done(true)))")
    expect(page.locator(".place")).to_have_text("0 / 24")


def test_on_a_phone_fingers_have_room_and_the_run_is_at_hand(visit):
    page = visit(width=390, height=844, touch=True)
    for control in page.locator(".rb-lab :is(button, select, summary):visible").all():
        assert control.bounding_box()["height"] >= 44, control.inner_text()
    run = page.locator(".run")
    box = page.locator(".xspace .plot").bounding_box()
    page.touchscreen.tap(box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"])
    expect(points(page)).to_have_count(9)
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    assert run.bounding_box()["y"] + run.bounding_box()["height"] <= 845
    page.get_by_role("button", name="Step", exact=True).tap()
    expect(sentence(page)).to_contain_text("Step 1")
    page.get_by_role("button", name="Tour", exact=True).tap()
    tour = page.get_by_role("dialog", name="Guided tour")
    for _ in range(7):
        first = page.locator(".looked-at").first.bounding_box()
        assert first["y"] < tour.bounding_box()["y"] - 100
        places = tour.locator(".narrow-only button:visible", has_not_text="Fold")
        places.last.tap()
        there = page.locator(".looked-at").last.bounding_box()
        assert there["y"] < tour.bounding_box()["y"]
        page.get_by_role("button", name="Next station", exact=True).tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_is_wrong_is_marked_and_nothing_jumps_while_it_is_mended(visit):
    page = visit(width=1440)
    play = page.get_by_role("button", name="Play", exact=True)
    before = play.bounding_box()
    halos = page.locator(".xspace path.astray")
    expect(page.locator(".standing")).to_have_text("5 of 8 points on the wrong side, risk 27.")
    assert halos.get_attribute("d").count("M") == 5
    page.get_by_label("Step", exact=True).fill("24")
    expect(page.locator(".standing")).to_contain_text("0 of 8 points on the wrong side")
    assert halos.get_attribute("d") == ""
    assert play.bounding_box() == before


def test_weight_space_shows_no_more_than_the_run_so_far(visit):
    """Its axes are those of the start; they grow when the weights do."""
    page = visit("#p=3,3,1;2.5,3.25,1;1.5,1.25,1;-1,-0.25,0;-1,-3.25,0;-1.25,1.5,0&start=0,-1,0")
    ticks = page.locator(".wspace .tick")
    first = ticks.all_inner_texts()
    risk = page.locator(".risk .tick").all_inner_texts()
    for name in ("Next mistake", "Next mistake"):
        press(page, name)
    page.get_by_label("Step", exact=True).fill("500")
    page.get_by_label("Step", exact=True).fill("0")
    longer = visit("#p=3,3,1;2.5,3.25,1;1.5,1.25,1;-1,-0.25,0;-1,-3.25,0;-1.25,1.5,0&start=0,-1,0")
    assert longer.locator(".wspace .tick").all_inner_texts() == first
    # The same start and the same size of points, another run.
    other = visit("#p=3,3,1;2.5,3.25,1;1.5,1.25,0;-1,-0.25,1;-1,-3.25,0;-1.25,1.5,0&start=0,-1,0")
    assert other.locator(".wspace .tick").all_inner_texts() == first
    assert other.locator(".risk .tick").all_inner_texts() == risk


@pytest.mark.parametrize(
    ("width", "height", "lesson"),
    [
        (1440, 900, False),
        (1024, 768, False),
        (1440, 900, True),
        (1280, 720, True),
        (1024, 768, True),
    ],
)
def test_in_a_hall_the_plot_is_the_largest_and_the_run_is_below_it(
    visit, tab, tmp_path, width, height, lesson
):
    if lesson:
        path = tmp_path / "lesson.html"
        path.write_text(lesson_html(read_lesson([str(EXAMPLE)])), "utf-8")
        page = tab(path.as_uri(), width=width, height=height)
        page.goto(path.as_uri())
    else:
        page = visit(FIVE, width=width, height=height)
    press(page, "Projector")
    side = {name: page.locator(f".{name} svg.plot").bounding_box() for name in ("xspace", "wspace")}
    sizes = {name: min(box["width"], box["height"]) for name, box in side.items()}
    assert sizes["xspace"] > max(240, sizes["wspace"])
    run = page.locator(".run").bounding_box()
    assert run["y"] > side["xspace"]["y"] + side["xspace"]["height"] - 1
    assert run["y"] + run["height"] <= height
    buttons = [b.bounding_box() for b in page.locator(".run button:visible").all()]
    for k, one in enumerate(buttons):
        for other in buttons[:k]:
            apart = (
                one["x"] >= other["x"] + other["width"] - 1
                or one["y"] >= other["y"] + other["height"] - 1
            )
            assert apart
    nav = page.locator(".top").bounding_box()
    assert nav["height"] < 90
    page.keyboard.press(" ")
    expect(page.locator(".place")).to_contain_text("1 / ")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rb-lab.projector")).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible(visit, theme):
    page = visit(f"{FIVE}&at=1.5&show=numbers&ask=2,2", theme=theme)
    assert violations(page) == []
    more(page)
    page.reload()
    press(page, "Tour")
    assert violations(page) == []


# --- running ---------------------------------------------------------------------------------


def test_a_run_step_by_step_is_the_librarys_trace(visit):
    page = visit(FIVE)
    X, y = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]
    trace = rb.trace(X, y, init=[-1, 0, 0], max_passes=1)
    press(page, "Step")
    expect(sentence(page)).to_contain_text("right, so nothing changes")
    press(page, "Step")
    expect(sentence(page)).to_contain_text("Press Step to add it to w")
    press(page, "Step")
    expect(sentence(page)).to_contain_text("added and the line follows: (b, w) becomes [0, 3, 2]")
    page.get_by_label("Step", exact=True).fill("5")
    rows = page.locator(".scroller tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )
    written = [[cell.replace("-", "−") if j > 2 else cell for j, cell in enumerate(row)]
               for row in trace.cells()[1:-1]]  # fmt: skip
    for row in written:
        row[2] = {"-1": "−1", "1": "+1"}[row[2]]
    assert rows == written
    page.keyboard.press("Control+z")


def test_space_and_arrows_step_everywhere(visit):
    for link in (FIVE, f"{FIVE}&show=projector"):
        page = visit(link)
        if "projector" in link:
            press(page, "Projector")
            press(page, "Projector")
        page.keyboard.press(" ")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".place")).to_have_text("1 / 5")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".place")).to_have_text("1 / 5")  # back from the look at a mistake
        press(page, "Reset" if "projector" in link else "Back")
        page.keyboard.press(" ")  # steps, and does not press what was clicked
        expect(page.locator(".place")).to_have_text("1 / 5")
        assert ("projector" in page.locator(".rb-lab").get_attribute("class")) == (
            "projector" in link
        )


@pytest.mark.parametrize(
    "clicked",
    [
        ".main-settings select", ".main-settings [type=checkbox]", ".main-settings label >> nth=2",
        ".timeline", ".xspace .plot", ".xspace .mark >> nth=0", ".xspace .tip", ".menu > summary",
        ".preset >> nth=5", ".wspace .plot",
    ],
)  # fmt: skip
def test_what_a_pointer_has_taken_leaves_the_keys_alone(visit, clicked):
    page = visit()
    box = page.locator(clicked).first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    if "select" in clicked:
        page.keyboard.press("Escape")
    data = [mark.get_attribute("aria-label") for mark in points(page).all()]
    for key in (" ", "ArrowRight"):
        before = sentence(page).inner_text()
        page.keyboard.press(key)
        expect(sentence(page)).not_to_have_text(before)
    assert [mark.get_attribute("aria-label") for mark in points(page).all()] == data


def test_a_point_that_the_keyboard_has_come_to_has_the_arrows(visit):
    page = visit(FIVE)
    points(page).first.click()
    page.keyboard.press("n")
    page.keyboard.press("ArrowRight")
    expect(points(page).nth(1)).to_have_accessible_name(re.compile("at 3.25, 2"))
    page.keyboard.press(" ")
    expect(page.locator(".place")).to_have_text("1 / 5")


def test_the_start_follows_the_settings(visit):
    """Bias off, a feature on, a line dragged and then a feature: none of it is a dead end."""
    page = visit(FIVE)
    more(page)
    setting(page, "Bias").uncheck()
    expect(setting(page, "Start")).to_have_value("0, 0")
    setting(page, "Feature x₁x₂").check()
    expect(setting(page, "Start")).to_have_value("0, 0, 0")
    setting(page, "Bias").check()
    expect(setting(page, "Start")).to_have_value("0, 0, 0, 0")
    expect(verdict(page)).to_contain_text("eparable")
    press(page, "+ class")  # rows of weights would be needed
    expect(setting(page, "Start")).to_have_value("")
    expect(page.locator(".settings .field").filter(has_text="Rule")).to_be_hidden()
    expect(page.locator(".message")).to_be_hidden()
    for _ in range(5):
        page.keyboard.press("Control+z")
    expect(setting(page, "Start")).to_have_value("-1, 0, 0")


def test_choices_that_cannot_be_are_not_offered_and_words_are_the_pages(visit):
    page = visit("#p=1,1,1;-1,-1,0&rule=sgd&step_size=line_search")
    more(page)
    expect(setting(page, "Step sizes")).to_have_value("fixed")
    option = page.locator(".settings option[value=line_search]")
    assert option.evaluate("option => option.disabled")
    setting(page, "Rule").select_option("perceptron")
    tie = page.locator(".settings option[value=correct]")
    assert tie.evaluate("option => option.disabled")
    setting(page, "Start").fill("1, 2")
    setting(page, "Start").blur()
    expect(page.locator(".message")).to_contain_text("it takes 3 numbers, the bias first")
    setting(page, "Start").fill("1e300, 1, 1")
    setting(page, "Start").blur()
    expect(page.locator(".message")).to_contain_text("weights may have up to 1e+12. It stays empty")
    setting(page, "Start").fill("1, 2, 3")
    setting(page, "Start").blur()
    assert not tie.evaluate("option => option.disabled")


def test_points_and_drags_rest_on_quarters(visit):
    page = visit("#p=1,1,1;-1,-1,0")
    box = page.locator(".xspace .plot").bounding_box()
    page.mouse.click(box["x"] + 0.41 * box["width"], box["y"] + 0.33 * box["height"])
    expect(points(page)).to_have_count(3)
    mark = points(page).first.bounding_box()
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.mouse.down()
    page.mouse.move(mark["x"] + 61, mark["y"] - 37, steps=4)
    page.mouse.up()
    for mark in points(page).all():
        places = re.findall(r"[\d.]+", mark.get_attribute("aria-label").partition(" at ")[2])
        assert all((4 * float(x)).is_integer() for x in places)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(points(page)).to_have_count(2)


def test_an_unfinished_pass_is_not_a_clean_one(visit):
    page = visit(f"{XOR}&at=4")
    expect(page.locator(".bar")).to_have_count(1)
    expect(sentence(page)).to_contain_text("the point is subtracted: (b, w) becomes [0, 0, 0]")
    page = visit("#p=0,0,0;0,1,1;1,0,1;1,1,0;3,3,1;4,4,1&at=5000")
    ends = page.locator(".bar").evaluate_all("bars => bars.map(bar => bar.getAttribute('class'))")
    assert any("unfinished" in kind for kind in ends)
    assert not any("clean" in kind for kind in ends)


def test_the_sandwich_is_drawn_to_its_crossing(visit):
    page = visit("#p=-2,-2,0;-1,-1.25,0;0,-0.25,0;1,0.75,0;-2,-1.5,1;-1,-0.75,1;0,0.25,1&at=9")
    expect(page.locator(".crossing")).to_have_count(1)
    said = page.locator(".sandwich .number").text_content()
    bound = page.locator(".bound span").text_content()
    assert re.search(r"[\d.,]+$", said)[0].rstrip(".") in bound


def test_the_first_update_has_one_arrow_with_both_names(visit):
    """From w = 0, whatever the bias, the point and the new weights are the same arrow."""
    page = visit(f"{FIVE}&at=2")
    expect(page.locator(".xspace .vector-name")).to_have_text(["w′ = +x"])
    page = visit(f"{FIVE}&at=5")
    names = page.locator(".xspace .vector-name")
    expect(names).to_have_text(["w", "−x", "w′"])
    boxes = [name.bounding_box() for name in names.all()]
    assert len({(box["x"], box["y"]) for box in boxes}) == 3
    # No name is written across its arrow.
    apart = page.locator(".xspace .vector").evaluate_all(
        """(arrows, boxes) => arrows.map((arrow, k) => {
          const { x, y, width, height } = boxes[k];
          const to = arrow.getScreenCTM();
          const on = Array.from({ length: 101 }, (_, j) =>
            arrow.getPointAtLength((j / 100) * arrow.getTotalLength()).matrixTransform(to));
          const middle = y + height / 2;
          return on.every((p) => p.x < x || p.x > x + width || Math.abs(p.y - middle) > height / 4);
        })""",
        boxes,
    )
    assert apart == [True] * 3


def test_a_score_covers_no_other_point(visit):
    page = visit()
    for step in range(1, 25):
        page.get_by_label("Step", exact=True).fill(str(step))
        score = page.locator(".xspace .score").bounding_box()
        for point in page.locator(".xspace .point .mark").all():
            mark = point.bounding_box()
            x, y = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
            across = score["x"] < x < score["x"] + score["width"]
            assert not (across and score["y"] < y < score["y"] + score["height"]), step


def test_descent_says_the_risk_before_and_after_its_step(visit):
    page = visit("#p=1,1,1;-1,-1,0;2,0.25,1&rule=batch&eta=0.25&start=1,-2,2&at=1")
    found = re.search(
        r"wrong, risk ([\d.]+); moved to .* = \[(.*)\], risk ([\d.]+)\.",
        sentence(page).inner_text(),
    )
    assert found
    X, signs = [[1, 1], [-1, -1], [2, 0.25]], [1, -1, 1]
    path = rb.risk.descend(X, signs, epsilon=0.25, init=[-2, 2, 1], max_iter=1)
    assert [float(found[1]), float(found[3])] == pytest.approx(path.risk[:2].tolist(), rel=1e-3)


def test_every_number_has_a_symbol_of_its_own_and_a_sentence(visit):
    for link, w in ((XOR.replace("1,1,0", "3,3,1"), "ŵ"), ("#p=1,2,1;-1,1,0&bias=false", "w")):
        page = visit(f"{link}&at=99")
        terms = page.locator(".terms").inner_text()
        assert "γ = " in terms
        assert "R = " in terms
        assert ("ŵ = (b, w)" in terms) == (w == "ŵ")
        assert f"‖{w}‖" in page.locator(".three").inner_text()
        m, best = re.search(
            r"m = (\d+(?:\.\d+)?), at most m\* = (\d+(?:\.\d+)?)",
            page.locator(".standing").inner_text(),
        ).groups()
        assert float(m) <= float(best)
        assert best in verdict(page).inner_text()
        assert "R =" not in page.locator(".risk").inner_text()


def test_the_trace_of_three_classes_has_room_for_its_updates(visit):
    three = "#c=a&c=b&c=c&p=-3,2,0;-2,3,0;3,2,1;2,3,1;0,-3,2;1,-2,2"
    page = visit(f"{three}&at=99", width=1440)
    scroller = page.get_by_role("region", name="Trace table")
    assert scroller.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_several_classes_a_kernel_and_kept_weights(visit):
    three = "#c=a&c=b&c=c&p=-3,2,0;-2,3,0;3,2,1;2,3,1;0,-3,2;1,-2,2"
    page = visit(f"{three}&at=99&kernel=rbf&solution=vote")
    expect(page.locator(".region")).to_have_count(3)
    expect(page.locator(".plot .boundary.kernel")).to_have_count(1)
    expect(page.locator(".kept-errors")).to_contain_text("Kernel")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()


# --- sharing ---------------------------------------------------------------------------------


def test_a_link_reproduces_what_one_sees(visit, lab):
    page = visit(f"{XOR}&order=worst&at=3&show=numbers&ask=0.5,2")
    page.get_by_text("Share", exact=True).click()
    press(page, "Copy link")
    expect(page.locator(".told")).to_contain_text("Copied. It works on your machine")
    expect(page.locator(".told")).to_contain_text("For others: “Save as a page”")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(lab)
    for part in ("order=worst", "at=3", "show=numbers", "ask=0.5,2"):
        assert part in link
    press(page, "Copy as Python")
    expect(page.locator(".told")).to_contain_text("Script copied")
    script = page.evaluate("navigator.clipboard.readText()")
    assert "rb.trace" in script


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("#p=1e308,1e308,0;1,1,1&product=true&radius=true", "up to 1,000,000"),
        ("#p=NaN,1,0;1,1,1", "“NaN” is no number"),
        ("#p=Infinity,1,0;1,1,1", "“Infinity” is no number"),
        ("#p=1,1,0;2,2,1&t=1e300,1,0", "up to 1,000,000"),
        ("#p=1,1,0;2,2,1&start=1e308,0,0", "start=1e308,0,0"),
        ("#p=1,1,0;2,2,1;3,3,1,1.5", "no point of its classes"),
        ("#p=" + ";".join(f"{k},0,{k % 2}" for k in range(1000)), "500 points at most"),
        ("#p=1,1,0;2,2,1&show=__proto__,toString", "__proto__, toString"),
        ("#p=1,1,1;0,0,0&eta=abc&order=best", "order=best, eta=abc"),
        ("#p=1,1,1;0,0,0&zoom=2", "zoom"),
        ("#p=1,1,7;0,0,0", "no point of its classes"),
        ("#c=a&c=a&p=1,1,1", "one name"),
        ("#order=worst", "it holds no points"),
    ],
)
def test_a_link_that_is_partly_wrong_says_so(visit, link, said):
    expect(visit(link).locator(".message")).to_contain_text(said)


@pytest.mark.parametrize(
    "word",
    [
        "at=NaN", "at=soon", "ask=1e300,1", "ask=1", "tour=99", "tour=x", "start=1,2,3;4,5,6",
        "start=1,2", "eta=0", "batch=1.5", "seed=-1",
    ],
)  # fmt: skip
def test_a_word_of_a_link_that_cannot_be_is_named_and_the_rest_is_there(visit, word):
    page = visit(f"#p=1,1,0;2,2,1;0,3,1&order=worst&{word}")
    expect(page.locator(".message")).to_contain_text(f"The link asks for {word}")
    expect(points(page)).to_have_count(3)
    expect(page.locator(".main-settings").get_by_label("Order")).to_have_value("worst")


@pytest.mark.parametrize(
    "link",
    [
        "#p=1e-300,0,0;0,1e-300,1&at=9",
        "#p=1e6,-1e6,0;1,1,1;-1e6,1e6,1&squares=true&radius=true&product=true&at=9",
        "#p=1,1,1;2,2,1;3,1,1&at=9",
        "#c=a&c=b&c=c&p=1,1,2;2,2,2&at=9",
        "#p=0,0,0&at=1",
        "#p=0,0,0&bias=false",
        "#p=" + ";".join(f"{k},{k * k % 7},{k % 2}" for k in range(14)) + "&rule=batch&show=planes",
        "#p=1,1,0;2,2,1&start=1e12,1e12,-1e12&at=40",
        "#c=%3Cimg%20src=x%20onerror=alert(1)%3E&c=b&p=1,1,0;2,2,1&at=3",
        "#p=1,1,0;2,2,1;0,3,0&product=true&squares=true&radius=true&kernel=rbf&solution=vote&at=99"
        "&show=planes,surface,margins,slab",
    ],
)
def test_odd_experiments_are_drawn_in_numbers(visit, link):
    page = visit(link)
    page.keyboard.press("ArrowRight")
    press(page, "Back")
    assert "NaN" not in page.locator(".rb-lab").inner_html()
    assert "Infinity" not in page.locator(".rb-lab").inner_html()
    assert page.locator(".rb-lab img").count() == 0


def test_a_zero_has_no_sign(visit):
    page = visit("#p=1,0,0;0,2,1;3,0,0&rule=batch&at=1")
    shown = sentence(page).inner_text() + page.locator(".trace").inner_text()
    assert re.findall(r"−0(?![\d.])", shown) == []


def test_many_points_of_many_classes_are_decided_while_one_looks(visit):
    """A working set over whole numbers took a minute here, and the page stood still."""
    points = ";".join(
        f"{k * 7919 % 1000 / 137.1},{k * 104729 % 1000 / 91.7},{k % 5}" for k in range(500)
    )
    page = visit(f"#c=a&c=b&c=c&c=d&c=e&p={points}&product=true&squares=true&radius=true")
    expect(verdict(page)).to_contain_text("Inseparable")


@pytest.mark.parametrize(
    "content", ["{oops", "", "7", '{"pages":[]}', '{"pages":[{"title":"t","fragment":5}]}']
)
def test_a_lesson_damaged_by_hand_opens_as_the_lab_and_says_so(tab, tmp_path, content):
    text = lesson_html(read_lesson(["five_points"]))
    path = tmp_path / "damaged.html"
    begin = text.index(">", text.index('id="content"')) + 1
    path.write_text(text[:begin] + content + text[text.index("</script>", begin) :], "utf-8")
    page = tab(path.as_uri())
    page.goto(path.as_uri())
    expect(page.locator(".message")).to_contain_text("its list of pages is damaged")
    expect(points(page)).to_have_count(8)


def test_without_storage_all_but_the_memory_works(new_page, lab):
    page = new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(error))
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })"
    )
    page.goto(lab)
    press(page, "Dark")
    expect(page.locator(".rb-lab")).to_have_attribute("data-theme", "dark")
    press(page, "Step")
    assert problems == []
    page.context.close()


def test_the_keyboard_is_enough(visit):
    page = visit(FIVE)
    page.get_by_role("button", name="Play", exact=True).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".place")).to_have_text("1 / 5")
    points(page).first.focus()
    page.keyboard.press("n")
    expect(points(page).nth(1)).to_be_focused()
    page.keyboard.press("Shift+ArrowUp")
    expect(points(page).nth(1)).to_have_accessible_name(re.compile("at 3, 3"))
    page.keyboard.press("1")
    expect(points(page).nth(1)).to_have_accessible_name(re.compile("class −1"))
    page.keyboard.press("Delete")
    expect(points(page)).to_have_count(4)
    page.keyboard.press("Control+z")
    expect(points(page)).to_have_count(5)
    line = page.get_by_role("slider", name="The line")
    preset = page.get_by_role("button", name="Two points", exact=True)
    preset.focus()
    page.keyboard.press("Enter")
    expect(preset).to_have_attribute("aria-pressed", "true")
    for _ in range(3):  # after a step that is right the line's own arrow is there
        press(page, "Step")
    line.focus()
    turned = line.get_attribute("aria-valuenow")
    page.keyboard.press("ArrowLeft")
    expect(line).not_to_have_attribute("aria-valuenow", turned)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(preset).to_have_attribute("aria-pressed", "false")


def test_the_page_is_saved_as_one_file_that_can_be_edited(visit, tab, tmp_path):
    page = visit(f"{XOR}&at=2")
    page.get_by_text("Share", exact=True).click()
    with page.expect_download() as download:
        press(page, "Save as a page")
    path = tmp_path / "saved.html"
    download.value.save_as(path)
    assert len(gzip.compress(path.read_bytes())) < 100_000
    again = tab(path.as_uri(), offline=True)
    again.goto(path.as_uri())
    expect(again.locator(".place")).to_have_text("2 / 4")
    press(again, "Step")
    points(again).first.focus()
    again.keyboard.press("ArrowUp")
    expect(points(again).first).to_have_accessible_name(re.compile("0.25"))


def test_dark_is_remembered(visit):
    page = visit()
    press(page, "Dark")
    page.reload()
    expect(page.locator(".rb-lab")).to_have_attribute("data-theme", "dark")
    press(page, "Dark")
    page.evaluate("localStorage.clear()")


def test_a_table_is_pasted_and_comes_back(visit):
    page = visit()
    more(page)
    page.get_by_text("CSV: paste, drop, export").click()
    page.get_by_label("Paste CSV here").fill("x;y;kind\n1,5;2;a\n-2,25;4;b\n;4;b\n")
    expect(page.locator(".columns")).to_contain_text("decimal commas")
    expect(page.locator(".columns")).to_contain_text("1 row without a value")
    press(page, "Use 2 rows")
    expect(points(page)).to_have_count(2)
    with page.expect_download() as download:
        press(page, "Export CSV")
    assert download.value.path().read_text() == "x1,x2,label\n1.5,2,a\n-2.25,4,b\n"
    page.get_by_label("Paste CSV here").fill("one,two\nthree,four\n")
    expect(page.locator(".message")).to_contain_text("needs three columns")


def test_of_a_long_table_no_class_is_lost(visit, tmp_path):
    page = visit()
    more(page)
    page.get_by_text("CSV: paste, drop, export").click()
    table = tmp_path / "long.csv"
    table.write_text("\n".join(f"{k % 97},{k % 89},{'ab'[k % 2]}" for k in range(2000)))
    page.get_by_label("CSV file").set_input_files(table)
    expect(page.locator(".columns")).to_contain_text(
        "500 points: rows are drawn at random from 2,0"
    )
    press(page, "Use 500 rows")
    expect(points(page)).to_have_count(500)
    for name in "ab":
        drawn = page.get_by_role("button", name=re.compile(f"^Point .* class {name}"))
        assert 150 < drawn.count() < 350


def test_random_points_have_their_margin_and_noise(visit):
    page = visit()
    more(page)
    page.get_by_text("Random points, noise, test set").click()
    page.get_by_label("Test points").fill("10")
    press(page, "Draw random points")
    expect(points(page)).to_have_count(30)
    expect(page.locator(".layer-test .tested")).to_have_count(10)
    expect(verdict(page)).to_contain_text("Separable")
    margin = re.search(r"m\* = ([\d.]+)", verdict(page).text_content())[1]
    assert float(margin) >= 0.5


# --- the tour, the quiz, lessons -------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_every_station_has_its_cards_in_view_and_asks_for_a_prediction(visit, width, height):
    page = visit(f"{XOR}&at=1", width=width, height=height)
    press(page, "Tour")
    for station in range(8):
        tour = page.get_by_role("dialog", name="Guided tour")
        expect(tour).to_contain_text(f"Station {station + 1} of 8")
        for card in page.locator(".looked-at").all():
            box = card.bounding_box()
            seen = min(height, box["y"] + box["height"]) - box["y"]
            assert seen > box["height"] / 2, (station, card.get_attribute("class"))
        for choice in tour.locator(".row[role=group] button").all():
            choice.click()
        expect(tour.locator(".reply")).to_contain_text(re.compile("Right|Not so"))
        for attempt in tour.locator(".tries button").all():
            attempt.click()
        press(page, "Finish" if station == 7 else "Next station")
    expect(page.locator(".place")).to_have_text("1 / 4")  # the visitor's own
    order = page.locator(".beside > .card, .views > .card").evaluate_all(
        "cards => cards.map(card => card.className.split(' ')[1])"
    )
    assert order == ["proof", "sandwich", "wspace", "risk", "passes"]


def test_escape_twice_leaves_the_tour_once(visit):
    page = visit(f"{XOR}&at=1")
    press(page, "Tour")
    page.get_by_role("dialog", name="Guided tour").evaluate(
        """tour => {
          const press = () => new KeyboardEvent("keydown", { key: "Escape" });
          for (let k = 0; k < 2; k += 1) tour.dispatchEvent(press());
        }"""
    )
    expect(page.locator(".place")).to_have_text("1 / 4")
    page.keyboard.press("Control+z")
    expect(points(page)).to_have_count(4)


def test_the_steps_of_the_teachers_page_open_in_a_hall(visit):
    links = re.findall(r"\(lab:(#[^)]+)\)", (EXAMPLE.parents[1] / "docs/teaching.md").read_text())
    assert len(links) >= 9
    for link in links:
        page = visit(link, width=1280, height=720)
        expect(page.locator(".rb-lab.projector")).to_have_count(1)
        expect(page.locator(".message")).to_be_hidden()
        run = page.locator(".run").bounding_box()
        assert run["y"] + run["height"] <= 720
    # Of the widest slab: some points hold it, and some do not.
    assert 2 <= page.locator(".point.support").count() < points(page).count()


def test_the_quiz_tells_nothing_before_it_is_answered(visit):
    page = visit(FIVE)
    press(page, "Quiz")
    quiz = page.get_by_role("region", name="Quiz")
    press(page, "Nothing")
    expect(quiz).to_contain_text("Right.")
    press(page, "The point is subtracted")
    expect(quiz).to_contain_text("Not so.")
    expect(page.locator(".scroller tbody tr")).to_have_count(2)


def test_a_quiz_begun_before_a_large_set_is_answered_asks_about_it(visit):
    many = ";".join(f"{k * 37 % 101 / 8},{k * 53 % 97 / 8},{k % 2}" for k in range(500))
    page = visit(f"#p={many}&order=shuffled&kernel=rbf&at=9")
    page.evaluate(
        """() => {
          document.querySelector(".preset").click();
          const named = (name) => (one) => one.textContent === name;
          [...document.querySelectorAll("button")].find(named("Quiz")).click();
        }"""
    )
    expect(page.get_by_role("region", name="Quiz")).to_contain_text("Next is point 0 at (1, 1)")


def test_a_link_to_a_hall_is_the_page_of_a_phone_on_a_phone(visit):
    page = visit(f"{FIVE}&show=projector", width=390, height=844, touch=True)
    expect(page.locator(".rb-lab")).not_to_have_class(re.compile("projector"))
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator(".rb-lab")).to_have_class(re.compile("projector"))


def test_a_lesson_is_read_edited_and_linked(tab, tmp_path):
    for fixed in (False, True):
        path = tmp_path / f"{fixed}.html"
        path.write_text(lesson_html(read_lesson([str(EXAMPLE)]), fixed), "utf-8")
        page = tab(path.as_uri(), width=1280, height=900, offline=True)
        page.goto(path.as_uri())
        expect(page.locator(".text.card")).to_contain_text("A perceptron looks at one point")
        if not fixed:
            more(page)
        expect(page.get_by_role("button", name="Widest slab")).to_be_visible()
        expect(page.get_by_role("button", name="End", exact=True)).to_be_visible()
        # As large in a hall as in the lab.
        press(page, "Projector")
        plot = page.locator(".xspace .plot").bounding_box()
        assert min(plot["width"], plot["height"]) > 380
        press(page, "Projector")
        points(page).first.focus()
        page.keyboard.press("ArrowRight")
        moved = re.compile("at 1.25, 1")
        if fixed:
            expect(page.locator(".message")).to_contain_text("turned editing off")
            expect(points(page).first).not_to_have_accessible_name(moved)
        else:
            expect(points(page).first).to_have_accessible_name(moved)
        press(page, "Next page")
        expect(page.locator(".text.card")).to_contain_text("How many mistakes")
        expect(page.locator(".place")).to_contain_text("0 / ")


# --- figures and reports ---------------------------------------------------------------------


def test_live_figures_move_and_a_print_has_the_pictures(tab, browser, tmp_path):
    kinds = ["update", "spaces", "risk", "sandwich", "xor", "far"]
    places = "".join(
        f'<div class="rb-live live-{kind}"><p>?</p><img alt="" src="{DOT}"></div>' for kind in kinds
    )
    (tmp_path / "figures.css").write_text(figures_css())
    (tmp_path / "figures.js").write_text(figures_js())
    (tmp_path / "page.html").write_text(
        '<!doctype html><html data-theme="dark"><meta charset="utf-8">'
        f'<link rel="stylesheet" href="figures.css">{places}<script defer src="figures.js">'
        "</script></html>"
    )
    page = tab(tmp_path.as_uri())
    page.goto((tmp_path / "page.html").as_uri())
    expect(page.locator(".rb-lab.figure")).to_have_count(len(kinds))
    expect(page.locator(".rb-lab.figure").first).to_have_attribute("data-theme", "dark")
    first = page.locator(".live-update")
    first.get_by_role("button", name="Step", exact=True).click()
    expect(first.locator(".step")).to_contain_text("becomes [2, 0, 5/2]")
    page.locator(".live-xor").get_by_role("button", name="with x₁x₂", exact=True).click()
    expect(page.locator(".live-xor .verdict")).to_contain_text("Separable")
    pressed = page.locator(".live-risk [aria-pressed=true]", has_text=re.compile("ε|search"))
    expect(pressed).to_have_text(["ε = 1/4"])
    page.locator(".live-risk").get_by_role("button", name="line search").click()
    expect(pressed).to_have_text(["line search"])
    page.locator(".live-sandwich").get_by_label("The gap").fill("2")
    expect(page.locator(".live-sandwich .crossing")).to_have_count(1)
    page.emulate_media(media="print")
    expect(page.locator(".rb-live img").first).to_be_visible()
    expect(page.locator(".rb-lab.figure").first).to_be_hidden()
    page.emulate_media(media="screen")
    still = browser.new_context(java_script_enabled=False).new_page()
    still.goto((tmp_path / "page.html").as_uri())
    for place in still.locator(".rb-live").all():
        expect(place.locator("img")).to_be_visible()
    expect(still.locator(".rb-lab")).to_have_count(0)
    still.context.close()


def test_a_report_opens_offline_and_names_are_text(tab, tmp_path):
    name = "<img src=x onerror=alert(1)>"
    rows = "".join(f"{k},{k * k % 7},{[name, 'b', 'c'][k % 3]}\n" for k in range(30))
    data = tmp_path / "few.csv"
    data.write_text(f"p,q,kind\n{rows}")
    raw = read_file(str(data), Choice())
    path = tmp_path / "report.html"
    path.write_text(report_html(raw, Question(Choice(), 0.25), lambda words: None), "utf-8")
    assert urlsplit(path.as_uri()).scheme == "file"
    page = tab(path.as_uri(), offline=True)
    page.goto(path.as_uri())
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    expect(page.get_by_text(name, exact=True).first).to_be_attached()
    assert page.locator("main img").count() == 0
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the certificate: certificate.json").click()
    assert rb.certificate.from_json(download.value.path().read_text()) is not None


def test_a_margin_known_to_the_digits_shown_is_one_number(tab, tmp_path):
    data = tmp_path / "two.csv"
    data.write_text("p,q,kind\n1,1,yes\n-1,-1,no\n2,1,yes\n-2,0,no\n")
    path = tmp_path / "report.html"
    raw = read_file(str(data), Choice())
    path.write_text(report_html(raw, Question(Choice()), lambda words: None), "utf-8")
    page = tab(path.as_uri(), offline=True)
    page.goto(path.as_uri())
    best = rb.margin([[1, 1], [-1, -1], [2, 1], [-2, 0]], ["yes", "no", "yes", "no"])
    expect(page.locator(".stats").first).to_contain_text(f"{best.lower:.4g}")
    expect(page.locator(".stats").first).not_to_contain_text("between")
