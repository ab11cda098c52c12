"""Editing the data: mouse, touch, keyboard, files; undo; points that join while it runs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from test_page import choose, place, points, press, settled

SQUARE = "#c=no&c=yes&p=-2,0,0;2,0,1"


def pixel(page, x1, x2):
    """Where on the screen a point of the plane is."""
    return page.evaluate(
        """([x1, x2]) => {
          const plot = document.querySelector(".xspace .plot");
          const marks = [...plot.querySelectorAll(".point")].map((node) => [
            node.getAttribute("aria-label").match(/at (.*), (.*)$/).slice(1)
              .map((text) => Number(text.replace("−", "-"))),
            node.querySelector(".mark").getBoundingClientRect(),
          ]);
          const centre = (r) => [r.x + r.width / 2, r.y + r.height / 2];
          const [[a, ra], [b, rb]] = marks;
          const [pa, pb] = [centre(ra), centre(rb)];
          const scale = (pb[0] - pa[0]) / (b[0] - a[0]);
          return [pa[0] + scale * (x1 - a[0]), pa[1] - scale * (x2 - a[1])];
        }""",
        [x1, x2],
    )


@pytest.fixture
def pair(visit):
    page = visit(SQUARE)
    expect(points(page)).to_have_count(2)
    return page


def test_click_adds_a_point_of_the_chosen_class(pair):
    pair.mouse.click(*pixel(pair, 1, 1))
    expect(points(pair)).to_have_count(3)
    expect(points(pair).nth(2)).to_have_accessible_name("Point 2, class yes, at 1, 1")
    pair.locator("label.chip", has_text="no").click()
    expect(pair.get_by_role("radio", name="no")).to_be_checked()
    pair.mouse.click(*pixel(pair, -1, -0.5))
    expect(points(pair).nth(3)).to_have_accessible_name("Point 3, class no, at −1, −0.5")
    pair.wait_for_url(re.compile(r"p=-2,0,0;2,0,1;1,1,1;-1,-0.5,0"))


def test_drag_moves_a_point_and_one_undo_takes_it_back(pair):
    pair.mouse.move(*pixel(pair, 2, 0))
    pair.mouse.down()
    pair.mouse.move(*pixel(pair, 1.5, 0.5), steps=4)
    pair.mouse.move(*pixel(pair, 1, 1), steps=4)
    pair.mouse.up()
    expect(points(pair).nth(1)).to_have_accessible_name("Point 1, class yes, at 1, 1")
    press(pair, "Undo")
    expect(points(pair).nth(1)).to_have_accessible_name("Point 1, class yes, at 2, 0")
    press(pair, "Redo")
    expect(points(pair).nth(1)).to_have_accessible_name("Point 1, class yes, at 1, 1")
    expect(points(pair)).to_have_count(2)


def test_touch(visit):
    page = visit(SQUARE, width=390, height=844, touch=True)
    expect(points(page)).to_have_count(2)
    page.touchscreen.tap(*pixel(page, 0, 1))
    expect(points(page)).to_have_count(3)
    page.touchscreen.tap(*pixel(page, 2, 0))
    expect(points(page)).to_have_count(3)
    press(page, "Delete point")
    expect(points(page)).to_have_count(2)


def test_a_finger_drags_a_point(visit):
    page = visit(SQUARE, width=390, height=844, touch=True)
    expect(points(page)).to_have_count(2)
    finger = page.context.new_cdp_session(page)

    def touch(kind, *places):
        at = [{"x": x, "y": y} for x, y in places]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    way = [pixel(page, 2, share / 4) for share in range(9)]
    touch("touchStart", way[0])
    for step in way[1:]:
        touch("touchMove", step)
    touch("touchEnd")
    expect(points(page).nth(1)).to_have_accessible_name("Point 1, class yes, at 2, 2")
    assert page.evaluate("scrollY") == 0
    shapes = page.locator(".point *").evaluate_all(
        "nodes => nodes.map((node) => getComputedStyle(node).touchAction)"
    )
    assert set(shapes) == {"none"}


def test_undo_by_key_after_the_last_point_is_deleted_by_key(pair):
    points(pair).nth(1).focus()
    pair.keyboard.press("Delete")
    expect(points(pair)).to_have_count(1)
    expect(points(pair).nth(0)).to_be_focused()
    pair.keyboard.press("Delete")
    expect(points(pair)).to_have_count(0)
    pair.keyboard.press("Control+z")
    pair.keyboard.press("Control+z")
    expect(points(pair)).to_have_count(2)


def test_keyboard_only(pair):
    """Add, move, relabel, delete, undo, run: without a pointer."""
    add = pair.get_by_role("button", name="Add point")
    add.focus()
    pair.keyboard.press("Enter")
    expect(points(pair)).to_have_count(3)
    expect(points(pair).nth(2)).to_be_focused()
    before = points(pair).nth(2).get_attribute("aria-label")
    pair.keyboard.press("ArrowUp")
    pair.keyboard.press("Shift+ArrowRight")
    assert points(pair).nth(2).get_attribute("aria-label") != before
    pair.keyboard.press("1")
    expect(points(pair).nth(2)).to_have_accessible_name(re.compile("class no"))
    pair.keyboard.press("Delete")
    expect(points(pair)).to_have_count(2)
    pair.get_by_role("button", name="Undo").focus()
    pair.keyboard.press("Control+z")
    expect(points(pair)).to_have_count(3)
    pair.keyboard.press("Control+Shift+z")
    expect(points(pair)).to_have_count(2)
    settled(pair)
    step = pair.get_by_role("button", name="Step", exact=True)
    step.focus()
    pair.keyboard.press("Enter")
    expect(place(pair)).to_have_text(re.compile(r"^1 /"))


def test_every_control_is_reached_by_tab(pair):
    names = set()
    for _ in range(70):
        pair.keyboard.press("Tab")
        names.add(
            pair.evaluate(
                "() => { const n = document.activeElement;"
                " return n.getAttribute('aria-label') || n.labels?.[0]?.textContent"
                " || n.textContent; }"
            )
        )
    for name in ("Tour", "Quiz", "Share", "Play", "Step", "Preset", "Add point", "Rule", "Seed"):
        assert name in names
    assert any(name.startswith("Point 0") for name in names)


def test_points_join_while_it_runs(pair):
    press(pair, "Step")
    expect(place(pair)).to_have_text(re.compile(r"^1 /"))
    pair.mouse.click(*pixel(pair, 0, 1))
    pair.wait_for_url(re.compile(r"0,1,1,1&at=1"))
    expect(points(pair)).to_have_count(3)
    expect(place(pair)).to_have_text(re.compile(r"^1 /"))
    press(pair, "All from the start")
    pair.wait_for_url(re.compile(r"0,1,1$"))
    expect(pair.get_by_role("button", name="All from the start")).to_be_hidden()


def test_random_points_with_a_margin(page):
    page.get_by_text("Random points with a margin").click()
    page.get_by_label("Points", exact=True).fill("25")
    page.get_by_label("Margin", exact=True).fill("1")
    press(page, "Draw random points")
    expect(points(page)).to_have_count(25)
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")


CSV = (
    "name,width,height,species\nfirst,1.5,2,oak\n"
    'second,-1,-2.25,"elm, wych"\nthird,2,1,oak\nfourth,-2,-1,"elm, wych"\n'
)


def test_paste_csv_and_choose_columns(page):
    page.get_by_text("CSV: paste, drop, export").click()
    page.get_by_label("Paste CSV here").fill(CSV)
    assert page.get_by_label("Column for x₁").locator("option").all_inner_texts() == [
        "width",
        "height",
    ]
    page.get_by_label("Column for x₁").select_option("height")
    page.get_by_label("Column for x₂").select_option("width")
    press(page, "Use 4 rows")
    expect(points(page)).to_have_count(4)
    expect(points(page).nth(1)).to_have_accessible_name("Point 1, class elm, wych, at −2.25, −1")
    with page.expect_download() as download:
        press(page, "Export CSV")
    assert download.value.path().read_text() == (
        'x1,x2,label\n2,1.5,oak\n-2.25,-1,"elm, wych"\n1,2,oak\n-1,-2,"elm, wych"\n'
    )


def test_drop_a_csv_file(page):
    drop(page, CSV)
    press(page, "Use 4 rows")
    expect(points(page)).to_have_count(4)
    press(page, "Undo")
    expect(points(page)).to_have_count(14)


@pytest.mark.parametrize(
    ("text", "message"),
    [("just words", "three columns at least"), ("a,b,c\n", "no rows below the heading")],
)
def test_text_that_is_no_table_is_explained(page, text, message):
    drop(page, text)
    expect(page.get_by_text(message)).to_be_visible()
    expect(points(page)).to_have_count(14)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x1,x2,label\n" + "1,2,a\n3,4,b\n" * 300, "500 points at most"),
        ("x1,x2,label\n" + "".join(f"{k},1,{k}\n" for k in range(9)), "2 to 5 values"),
    ],
)
def test_a_table_that_will_not_do_is_explained(page, text, message):
    drop(page, text)
    page.get_by_role("button", name=re.compile(r"^Use \d+ rows")).click()
    expect(page.get_by_text(message)).to_be_visible()
    expect(points(page)).to_have_count(14)


def drop(page, text):
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "points.csv", { type: "text/csv" }));
          const target = document.querySelector(".xspace");
          for (const kind of ["dragover", "drop"]) {
            target.dispatchEvent(
              new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
          }
        }""",
        text,
    )


def test_presets_fill_the_plot(page):
    offered = (
        page.get_by_label("Preset")
        .locator("option")
        .evaluate_all("nodes => nodes.map((node) => node.value).filter(Boolean)")
    )
    assert len(offered) >= 13
    for name in offered:
        choose(page, name)
        expect(page.locator(".message")).to_be_hidden()
    settled(page)
