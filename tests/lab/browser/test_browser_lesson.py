"""A lesson from disk, offline: the file that the example of a lesson makes, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe import violations
from playwright.sync_api import expect

from rosenblatt import trace
from rosenblatt.lab.lessons.lesson import read_lesson
from rosenblatt.lab.lessons.lesson_file import lesson_html

EXAMPLE = Path(__file__).parents[3] / "examples" / "lesson.md"
NARROW = 3  # the page of the narrow gap


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("lesson") / "lesson.html"
    path.write_text(lesson_html(read_lesson([str(EXAMPLE)])), "utf-8")
    return path


@pytest.fixture
def read(tab, file):
    """Open a page of the lesson, offline: read(number, …), as of a tab."""

    def open_page(number=1, *, height=720, **options):
        page = tab(file.as_uri(), height=height, offline=True, **options)
        page.goto(f"{file.as_uri()}#{number}")
        page.locator(".lesson h1").first.wait_for()
        return page

    return open_page


def press(page, name):
    page.get_by_role("button", name=name, exact=True).first.click()


def place(page):
    return page.get_by_role("group", name="Run controls").locator("output")


def points(page):
    return page.get_by_role("group", name="Plot of the data").locator(".point")


def test_the_first_page_steps_and_its_table_is_the_trace(read):
    page = read()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Why the perceptron stops, and when it does not"
    )
    expect(page.get_by_role("region", name="Text")).to_contain_text("press Step and watch")
    run = trace(
        [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], ["−1", "+1", "+1", "+1", "−1"],
        classes=["−1", "+1"], init=[-1, 0, 0], max_passes=1,
    )  # fmt: skip
    rows = page.locator(".trace tbody tr").all()
    shown = [row.locator("td").all_inner_texts() for row in rows]
    assert [[text.replace("−", "-") for text in row] for row in shown] == [
        [text.replace("−", "-") for text in row] for row in run.cells()[1:-1]
    ]
    press(page, "Next mistake")
    expect(page.locator(".step")).to_contain_text("point 1 (+1), score −1: a mistake")
    points(page).nth(1).hover()
    expect(page.locator(".wspace .sample.lit")).to_have_count(1)
    press(page, "Surface")
    expect(page.get_by_role("img", name="The risk as a surface")).to_be_visible()


def test_the_menu_leads_through_the_lesson(read):
    page = read()
    menu = page.get_by_label("Page of the lesson")
    titles = menu.locator("option").all_inner_texts()
    assert titles == [
        "1. Five points, one pass", "2. A wide gap", "3. A narrow gap", "4. Exclusive or",
        "5. Try it yourself",
    ]  # fmt: skip
    expect(page.get_by_role("button", name="Previous page")).to_be_disabled()
    for count, step in ((10, "^0 /"), (10, "^0 /"), (4, "^4 /"), (0, "")):
        press(page, "Next page")
        expect(points(page)).to_have_count(count)
        if count:
            expect(place(page)).to_have_text(re.compile(step))
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()
    menu.select_option("3")
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Inseparable")
    page.go_back()
    expect(page.get_by_role("region", name="Text")).to_contain_text("Both need the lab itself")


def test_every_step_of_a_run_has_its_views(read):
    """Played to its end; the section of weight space follows the bias of each update."""
    page = read(NARROW)
    wedges = set()
    for _ in range(4):
        press(page, "Next mistake")
        wedges.add(page.locator(".wspace .legend").inner_text())
    assert len(wedges) > 1
    page.get_by_label("Speed").select_option("60")
    press(page, "Play")
    expect(page.locator(".stop")).to_contain_text("Separated")


@pytest.mark.parametrize("how", ["click", "drag", "key"])
def test_an_edit_is_refused_with_a_sentence(read, how):
    page = read(2)
    before = [node.get_attribute("transform") for node in points(page).all()]
    box = page.get_by_role("group", name="Plot of the data").bounding_box()
    if how == "click":
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.9)
    elif how == "drag":
        points(page).first.hover()
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        page.mouse.up()
    else:
        points(page).first.focus()
        page.keyboard.press("Delete")
    expect(page.locator(".lesson > .message")).to_contain_text("nothing in it can be edited")
    assert [node.get_attribute("transform") for node in points(page).all()] == before
    press(page, "End")
    expect(place(page)).to_have_text("20 / 20")


def test_it_says_how_to_get_a_lab_where_it_can_be_edited(read):
    page = read(4)
    card = page.get_by_role("region", name="A recorded run")
    expect(card).to_contain_text("pip install 'rosenblatt[lab]'")
    expect(card).to_contain_text('rosenblatt lab "http://127.0.0.1:1958/#c=even&c=odd&p=0,0,0;')
    expect(page.get_by_label("Preset")).to_be_hidden()
    expect(page.get_by_label("Rule")).to_be_hidden()


def test_the_tour_to_its_end_and_everything_tried(read):
    page = read(2)
    press(page, "Tour")
    tour = page.get_by_role("dialog", name="Guided tour")
    for number in range(1, 9):
        expect(tour.get_by_text(f"Station {number} of 8")).to_be_visible()
        for node in tour.locator(".tries").get_by_role("button").all():
            node.click()
            expect(page.locator(".xspace .point").first).to_be_visible()
            expect(page.locator(".message:not(.hidden)")).to_have_count(0)
        press(page, "Next station" if number < 8 else "Finish")
    expect(tour).to_be_hidden()


def test_the_quiz(read):
    page = read()
    press(page, "Quiz")
    quiz = page.get_by_role("region", name="Quiz")
    expect(quiz).to_contain_text("Next is point 0")
    press(page, "Nothing")
    expect(quiz).to_contain_text("1 of 1 right")


@pytest.mark.parametrize("number", [2, 5])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
def test_nothing_sticks_out_and_all_can_be_used(read, number, width, height):
    page = read(number, width=width, height=height, touch=width < 500)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []


def test_dark_is_kept_from_page_to_page(read):
    page = read()
    paper = "node => getComputedStyle(node).backgroundColor"
    press(page, "Dark")
    assert page.locator(".lesson").evaluate(paper) == "rgb(15, 19, 25)"
    press(page, "Next page")
    expect(points(page)).to_have_count(10)
    assert page.locator(".lesson .fixed").evaluate(paper) == "rgb(15, 19, 25)"
    assert page.locator(".lesson").first.evaluate(paper) == "rgb(15, 19, 25)"
