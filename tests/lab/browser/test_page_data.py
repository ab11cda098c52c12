"""Editing the data: mouse, touch, keyboard, files; undo; points that join while it runs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from test_page import choose, place, points, press, settled

from rosenblatt.lab.presets import presets

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
    finger.detach()
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
    expect(points(pair).nth(2)).not_to_have_attribute("aria-label", before)
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


def test_the_points_are_one_stop_of_the_tab_key(page):
    """N and P go from one to the next: Play is not fourteen stops away."""
    points(page).nth(0).focus()
    page.keyboard.press("n")
    expect(points(page).nth(1)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("p")
    expect(points(page).last).to_be_focused()
    assert page.locator(".xspace .point[tabindex='0']").count() == 1
    stops = 0
    play = page.get_by_role("button", name="Play", exact=True)
    while not play.evaluate("node => node === document.activeElement") and stops < 10:
        page.keyboard.press("Tab")
        stops += 1
    assert stops < 5


def test_points_join_while_it_runs(pair):
    press(pair, "Step")
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
    page.get_by_text("Random points, noise, test set").click()
    page.get_by_label("Points", exact=True).fill("25")
    page.get_by_label("Margin", exact=True).fill("1")
    press(page, "Draw random points")
    expect(points(page)).to_have_count(25)
    settled(page)
    expect(page.get_by_role("status", name="Verdict")).to_contain_text("Separable")


CSV = (
    "name,width,height,species\nfirst,1.5,2,oak\n"
    'second,-1,-2.25,"elm, wych"\nthird,2,1,oak\nfourth,-2,-1,"elm, wych"\n'
)


def test_paste_csv_and_choose_columns(page):
    page.get_by_text("CSV: paste, drop, export").click()
    page.get_by_label("Paste CSV here").fill(CSV)
    numbers = page.get_by_label("Column for x₁").locator("option")
    expect(numbers).to_have_text(["width", "height"])
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


PENGUINS = (
    "rowid,species,island,bill_length_mm,bill_depth_mm,sex,year\n"
    "1,Adelie,Torgersen,39.1,18.7,male,2007\n2,Adelie,Torgersen,39.5,17.4,female,2007\n"
    "3,Adelie,Torgersen,NA,NA,NA,2007\n4,Gentoo,Biscoe,46.1,13.2,female,2008\n"
    "5,Gentoo,Biscoe,50,16.3,male,2008\n6,Gentoo,Biscoe,,15.1,NA,2008\n"
)
# What is pasted; what the page says of it; the button; a point that must come of it.
TABLES = {
    "decimal commas": (
        "länge;breite;art\r\n1,5;-2,25;a\r\n3;4;b\r\n",
        "2 rows of 3 columns, named by the first line, with decimal commas.",
        "Use 2 rows",
        "Point 0, class a, at 1.5, −2.25",
    ),
    "decimal commas without a heading": (
        "1,5;-2,25;a\n3;4;b\n",
        "2 rows of 3 columns, without a heading, with decimal commas.",
        "Use 2 rows",
        "Point 0, class a, at 1.5, −2.25",
    ),
    "decimal commas in quotes": (
        'x1,x2,label\n"1,5","-2,25",a\n"3,0","4,0",b\n',
        "with decimal commas",
        "Use 2 rows",
        "Point 0, class a, at 1.5, −2.25",
    ),
    "penguins": (
        PENGUINS,
        "2 rows without a value in these columns left out.",
        "Use 4 rows",
        "Point 2, class female, at 46.1, 13.2",
    ),
    "a first row that lacks a value": (
        "NA,1,a\n2,3,b\n4,5,a\n",
        "3 rows of 3 columns, without a heading.",
        "Use 2 rows",
        "Point 0, class b, at 2, 3",
    ),
    "a mark of the byte order, and blank lines": (
        "\ufeffx1,x2,label\r\n\r\n1,2,+\r\n3,4,-\r\n\r\n",
        "2 rows of 3 columns, named by the first line.",
        "Use 2 rows",
        "Point 0, class +, at 1, 2",
    ),
    "carriage returns alone": (
        "x1\tx2\tlabel\r1\t2\ta b\r3\t4\tc\r",
        "2 rows of 3 columns, named by the first line.",
        "Use 2 rows",
        "Point 0, class a b, at 1, 2",
    ),
    "blanks": (
        "1 2 a\n−3.5 4 b\n",
        "without a heading",
        "Use 2 rows",
        "Point 1, class b, at −3.5, 4",
    ),
    "thousands of rows": (
        "x1,x2,label\n" + "".join(f"{k},{k % 13},{'ab'[k > 2500]}\n" for k in range(5000)),
        "The lab holds 500 points: rows are taken evenly from 5,000.",
        "Use 500 rows",
        "Point 499, class b, at 4990, 11",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_as_it_comes(page, name):
    text, said, button, point = TABLES[name]
    drop(page, text)
    expect(page.locator(".columns")).to_contain_text(said)
    expect(page.locator(".message")).to_be_hidden()
    press(page, button)
    expect(page.get_by_role("button", name=point, exact=True)).to_be_attached()
    settled(page)
    expect(page.locator(".message")).to_be_hidden()


def test_long_names_of_classes_stay_apart(page):
    name = "a name of forty letters and more, which is "
    drop(page, f"1,2,{name}one\n3,4,{name}two\n")
    press(page, "Use 2 rows")
    expect(points(page)).to_have_count(2)
    expect(page.get_by_role("radio")).to_have_count(2)
    settled(page)


def test_the_rows_left_out_follow_the_choice_of_columns(page):
    drop(page, PENGUINS)
    expect(page.get_by_label("Column for x₁")).to_have_value("3")
    page.get_by_label("Column for x₁").select_option("year")
    page.get_by_label("Column for the label").select_option("species")
    expect(page.get_by_role("button", name="Use 5 rows")).to_be_visible()
    page.get_by_label("Column for x₂").select_option("rowid")
    press(page, "Use 6 rows")
    expect(points(page)).to_have_count(6)


def test_drop_a_csv_file(page):
    drop(page, CSV)
    press(page, "Use 4 rows")
    expect(points(page)).to_have_count(4)
    press(page, "Undo")
    expect(points(page)).to_have_count(5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("just words", "three columns at least, two of numbers and a label; this has 1. Separate"),
        ("x\n1\n2\n", "this has 1. Separate them by commas, semicolons, tabs or bars."),
        ("a,b,c\n", "no rows below the heading. Paste the rows too."),
        ("a,b,c\n1 kg,2,x\n3 kg,4,y\n", "other text in a, c. Write numbers as 1234.5 or 1234,5"),
        ("a;b;c\n1.234,5;2;x\n2.345,5;4;y\n", "other text in a, c. Write numbers as 1234.5"),
        ("\0P\0A\0R", "no text in UTF-8. Save it as CSV in UTF-8"),
        ("1,2,a\n" * 400_000, "larger than 2 MB. Take fewer rows; the page My data reads"),
    ],
    ids=["words", "column", "heading", "units", "thousands", "binary", "large"],
)
def test_text_that_is_no_table_is_explained(page, text, message):
    drop(page, text)
    expect(page.get_by_text(message)).to_be_visible()
    expect(points(page)).to_have_count(5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x1,x2,label\n" + "".join(f"{k % 7},1,{k}\n" for k in range(9)),
            "2 to 5 values; label has 9. Choose another column for the label, or paste",
        ),
        ("x1,x2,label\n1,2,a\n3,4,a\n", "label has 1. Choose another column"),
        ("x1,x2,label\n1e7,2,a\n3,4,b\n", "x1 has 10000000; the lab draws numbers up to 1,000,000"),
    ],
    ids=["classes", "class", "size"],
)
def test_a_table_that_will_not_do_is_explained(page, text, message):
    drop(page, text)
    page.get_by_role("button", name=re.compile(r"^Use \d+ rows")).click()
    expect(page.get_by_text(message)).to_be_visible()
    expect(points(page)).to_have_count(5)


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
    for preset in presets():
        choose(page, preset["name"])
        expect(points(page)).to_have_count(len(preset["experiment"]["points"]))
        expect(page.locator(".message")).to_be_hidden()
    settled(page)
