"""Sharing and teaching: links, scripts, pictures, the tour, the quiz, themes and sizes."""

from __future__ import annotations

import contextlib
import io
import re
import time

import pytest
from playwright.sync_api import expect
from test_page import choose, place, points, press, settled

from rosenblatt.lab.experiment import compute

DEEP = "#c=no&c=yes&p=-2,0.5,0;2,0,1;1,1,0;0,-2,1&order=shuffled&eta=0.5&seed=4&at=6"


def share(page):
    page.locator("summary", has_text="Share").click()


def test_a_link_reproduces_everything(visit):
    page = visit(DEEP)
    expect(place(page)).to_have_text(re.compile(r"^6 /"))
    expect(page.get_by_label("Order", exact=True)).to_have_value("shuffled")
    table = page.locator(".trace table").inner_text()
    sentence = page.locator(".step").inner_text()
    share(page)
    press(page, "Copy link")
    expect(page.get_by_text("Link copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit(link.split("/", 3)[3])
    expect(place(other)).to_have_text(re.compile(r"^6 /"))
    assert other.locator(".trace table").inner_text() == table
    assert other.locator(".step").inner_text() == sentence
    other.evaluate("location.hash = 'c=a&c=b&p=1,1,0;2,2,1'")
    expect(points(other)).to_have_count(2)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("1,1,0;oops,2,1", "does not hold an experiment"),
        ("1,1,0;1,2,5", "is no point of its classes"),
        ("1,1,0;1,2", "is no point of its classes"),
        (";".join(["1,1,0"] * 501), "500 points at most"),
    ],
    ids=["word", "class", "short", "many"],
)
def test_a_broken_link_is_explained(visit, points, said):
    page = visit(f"#c=a&c=b&p={points}")
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.locator(".xspace .point")).to_have_count(5)


def test_the_address_follows_and_reload_keeps(page):
    choose(page, "xor")
    expect(place(page)).to_have_text("0 / 4")
    press(page, "End")
    page.wait_for_url(re.compile("at=4"))
    page.reload()
    settled(page)
    expect(place(page)).to_have_text("4 / 4")


def test_copy_as_python_prints_the_table_of_the_page(visit):
    page = visit(DEEP)
    share(page)
    press(page, "Copy as Python")
    expect(page.get_by_text("Script copied.")).to_be_visible()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(page.evaluate("navigator.clipboard.readText()"), {})
    shown = [row.split("\t") for row in page.locator(".trace tr").all_inner_texts()]
    lines = [re.split(r" +\| ", line) for line in printed.getvalue().splitlines()]
    script = [[cell.strip().replace("-", "−") for cell in line] for line in lines]
    assert [[cell.strip() for cell in row] for row in shown] == script[: len(shown)]


def test_pictures(page):
    choose(page, "xor")
    settled(page)
    share(page)
    for view in ("x-space", "w-space", "Risk", "Sandwich", "Mistakes in each pass"):
        page.get_by_label("Picture to save").select_option(view)
        with page.expect_download() as download:
            press(page, "Save SVG")
        text = download.value.path().read_text()
        assert text.startswith("<svg")
        assert "rgb(" in text
        assert "var(--" not in text
    with page.expect_download() as download:
        press(page, "Save PNG")
    assert download.value.path().read_bytes()[:4] == b"\x89PNG"
    with page.expect_download() as download:
        press(page, "Save GIF")
    assert download.value.path().read_bytes()[:4] == b"GIF8"


def test_the_tour_to_its_end(page):
    press(page, "Tour")
    tour = page.get_by_role("dialog", name="Guided tour")
    titles = []
    for number in range(1, 9):
        expect(tour.get_by_text(f"Station {number} of 8")).to_be_visible()
        titles.append(tour.get_by_role("heading").inner_text())
        settled(page)
        expect(page.locator(".looked-at")).not_to_have_count(0)
        for node in tour.locator(".tries").get_by_role("button").all():
            node.click()
            settled(page)
        press(page, "Next station" if number < 8 else "Finish")
    assert len(set(titles)) == 8
    expect(tour).to_be_hidden()
    expect(page.locator(".looked-at")).to_have_count(0)


def test_the_tour_says_what_the_lab_shows(page):
    """The numbers in its texts are those of the trace."""
    press(page, "Tour")
    press(page, "Next station")
    expect(page.locator(".step")).to_contain_text("point 1 (+1), score −1: a mistake. Press")
    expect(page.locator(".xspace .score.wrong")).to_have_text("score −1")
    expect(page.locator(".xspace .plot .boundary.ghost")).to_have_count(0)
    press(page, "Next station")
    after = compute(
        {
            "points": [[1, 1, 0], [3, 2, 1], [2, 4, 1], [3, 4, 1], [2, 3, 0]],
            "settings": {"start": [-1, 0, 0]},
        }
    )["run"]["weights"][1]
    assert after[0] * 3 + after[1] * 2 + after[2] == 13
    expect(page.get_by_role("dialog")).to_contain_text("1² + 3² + 2² = 14, from −1 to 13")
    press(page, "Next station")
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("Inseparable")
    press(page, "With a bias")
    expect(verdict).to_contain_text("Separable")
    press(page, "Previous station")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("how", ["Close the tour", "Escape", "Finish"])
def test_the_tour_gives_the_visitors_data_back(visit, how):
    page = visit("#c=no&c=yes&p=-2,0,0;2,0,1&at=1")
    press(page, "Numbers")
    press(page, "Tour")
    settled(page)
    press(page, "Next station")
    settled(page)
    expect(points(page)).to_have_count(5)
    if how == "Finish":
        for _ in range(6):
            press(page, "Next station")
    page.keyboard.press("Escape") if how == "Escape" else press(page, how)
    settled(page)
    expect(points(page)).to_have_count(2)
    expect(place(page)).to_have_text(re.compile("^1 / "))
    expect(page.get_by_role("button", name="Tour", exact=True)).to_be_focused()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name="Numbers")).to_have_attribute("aria-pressed", "true")


def test_late_answers_to_earlier_stations_do_not_move_the_present_one(page):
    """The first question is still under way when the sixth station is there."""

    def late(route):
        time.sleep(0.3)
        route.continue_()

    page.route("**/api/experiment", late)
    press(page, "Tour")
    for _ in range(5):
        press(page, "Next station")
    settled(page)
    expect(page.locator(".cost")).to_contain_text("1,008 operations so far")


def test_the_tour_counts_operations_right(page):
    press(page, "Tour")
    for _ in range(5):
        press(page, "Next station")
    settled(page)
    said = page.get_by_role("dialog").inner_text()
    for choice, total in ((None, "1,008"), ("Active order", "350"), ("Worst first", "4,795")):
        if choice:
            press(page, choice)
        expect(page.locator(".cost")).to_contain_text(f"{total} operations so far")
        assert total in said


def test_quiz(page):
    choose(page, "five_points")
    expect(place(page)).to_have_text("0 / 5")
    press(page, "Quiz")
    quiz = page.get_by_role("region", name="Quiz")
    expect(quiz).to_contain_text("Next is point 0 at (1, 1), class −1")
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()
    expect(page.locator(".trace tbody tr").nth(0)).to_be_hidden()
    for choice, said in (
        ("Nothing", "Right. The score was −1·1 + 0·1 + 0·1 = −1, on its right side"),
        ("Nothing", "Not so."),
        ("Nothing", "Right."),
        ("The point is added", "Not so."),
        ("The point is subtracted", "Right."),
    ):
        quiz.get_by_role("button", name=choice).click()
        expect(quiz.get_by_role("status")).to_contain_text(said)
    expect(quiz).to_contain_text("3 of 5 right")
    expect(quiz).to_contain_text("The run is over.")
    press(page, "Begin again")
    expect(place(page)).to_have_text("0")
    press(page, "Quiz")
    expect(quiz).to_be_hidden()
    expect(place(page)).to_have_text("0 / 5")


def shown(page):
    """All that a visitor can see or be told, but for the quiz: texts, names, hints and shapes."""
    return page.evaluate(
        """() => {
          const unseen = (node) => node.closest(".quiz, .hidden, textarea")
            || getComputedStyle(node).visibility === "hidden" || !node.getClientRects().length;
          const drawn = ["d", "x", "y", "width", "height", "cx", "cy", "class", "transform"];
          const said = ["aria-label", "aria-valuetext", "title"];
          return [...document.querySelectorAll(".rb-lab *")].filter((node) => !unseen(node)).map(
            (node) => [
              node.tagName,
              node.children.length ? "" : node.textContent,
              ...[...said, ...(node.closest("svg.plot") ? drawn : [])]
                .map((name) => node.getAttribute(name) ?? ""),
              ...[...node.children].filter((inner) => inner.tagName === "title")
                .map((inner) => inner.textContent),
            ].join("|"));
        }"""
    )


def test_a_quiz_tells_nothing_of_what_is_to_come(visit):
    """Two runs that are alike so far look alike: one ends with its pass, the other has a cycle."""
    data = "#c=no&c=yes&p=1,1,0;2,1,1;-1,3,1;0,-2,1;1,-2,0&at=4"
    seen = []
    for passes in (1, 9):
        page = visit(f"{data}&max_passes={passes}")
        before = shown(page)
        press(page, "Quiz")
        settled(page)
        for bar in page.locator(".passes .bar").all():
            bar.click()
        expect(place(page)).to_have_text("4")
        expect(page.locator(".passes .legend")).to_have_text("4 mistakes in 1 pass so far.")
        seen.append((before, shown(page)))
    (one, quiz), (other, same) = seen
    assert one != other
    assert quiz == same


def test_a_picture_saved_in_a_quiz_tells_nothing_either(visit):
    page = visit(DEEP)
    press(page, "Quiz")
    share(page)
    page.get_by_label("Picture to save").select_option("w-space")
    with page.expect_download() as download:
        press(page, "Save SVG")
    assert 'visibility="hidden"' in download.value.path().read_text()


def test_the_tour_ends_a_quiz(page):
    press(page, "Quiz")
    quiz = page.get_by_role("region", name="Quiz")
    expect(quiz).to_be_visible()
    press(page, "Tour")
    expect(quiz).to_be_hidden()
    toggle = page.get_by_role("button", name="Quiz", exact=True)
    expect(toggle).to_have_attribute("aria-pressed", "false")


def test_quiz_on_several_classes_and_on_descent(page):
    choose(page, "three_classes")
    press(page, "Quiz")
    quiz = page.get_by_role("region", name="Quiz")
    quiz.get_by_role("button", name="a is rewarded").click()
    expect(quiz.get_by_role("status")).to_contain_text("Right.")
    choose(page, "xor")
    page.get_by_label("Rule").select_option("batch")
    expect(quiz).to_contain_text("asks about the perceptron's rule")
    press(page, "Leave the quiz")


def paper(page):
    return page.locator(".rb-lab").evaluate("node => getComputedStyle(node).backgroundColor")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(visit, theme):
    page = visit(theme=theme)
    first = paper(page)
    press(page, "Dark")
    second = paper(page)
    assert {first, second} == {"rgb(246, 247, 249)", "rgb(15, 19, 25)"}
    assert (first == "rgb(15, 19, 25)") == (theme == "dark")


def test_projector(page):
    size = "node => parseFloat(getComputedStyle(node).fontSize)"
    before = page.locator(".step").evaluate(size)
    press(page, "Projector")
    assert page.locator(".step").evaluate(size) > 1.25 * before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_projector_has_plot_run_and_sentence_always_in_view(visit, width, height):
    page = visit("#p=3,0.5,1;-1,3,1;1.5,2,1;0.5,-3,0&show=projector", width=width, height=height)
    for share_of_page in (0, 0.5, 1):
        page.evaluate("at => scrollTo(0, at * document.body.scrollHeight)", share_of_page)
        for part in (".xspace .plot", ".run .step", ".run .timeline", ".run .buttons"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
    assert page.locator(".xspace .plot").bounding_box()["height"] > 0.5 * height
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator(".wspace .plot")).to_be_in_viewport(ratio=0.99)
    outside = page.locator(".run *").evaluate_all(
        """(nodes) => nodes.filter((node) => node.getBoundingClientRect().right
          > node.closest(".run").getBoundingClientRect().right).length"""
    )
    assert outside == 0


def test_a_clicker_steps_through_the_run(visit):
    page = visit("#p=1,1,0;3,2,1;2,4,1&start=-1,0,0&show=projector")
    step = page.locator(".step")
    page.keyboard.press("PageDown")
    expect(step).to_contain_text("Step 1: point 0 (−1), score −1: right")
    page.keyboard.press("PageDown")
    expect(step).to_contain_text("Press Step to add it to w")
    page.keyboard.press(" ")
    expect(step).to_contain_text("so w becomes [0, 3, 2]")
    page.keyboard.press("PageUp")
    expect(step).to_contain_text("Press Step to add it to w")
    press(page, "Projector")
    page.mouse.click(5, 300)
    page.keyboard.press("PageDown")
    expect(step).to_contain_text("Press Step to add it to w")


def test_what_one_sees_is_what_is_linked(visit):
    """Layers, numbers, the question mark, three dimensions, the projector and the look."""
    page = visit("#p=1,1,0;3,2,1;2,4,1&start=-1,0,0")
    for name in ("Widest slab", "Hulls", "Numbers", "Ask about a point", "3-D", "Surface"):
        press(page, name)
    page.get_by_label("Look first").uncheck()
    press(page, "Projector")
    page.wait_for_url(re.compile("show=slab,nohulls,numbers,planes,surface,once,projector&ask="))
    share(page)
    press(page, "Copy link")
    expect(page.get_by_text("Link copied.")).to_be_in_viewport(ratio=1)
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit(link.split("/", 3)[3])
    for name, on in (("Widest slab", True), ("Hulls", False), ("Numbers", True), ("3-D", True),
                     ("Surface", True), ("Projector", True), ("Margins", False)):  # fmt: skip
        button = other.get_by_role("button", name=name, exact=True)
        expect(button).to_have_attribute("aria-pressed", str(on).lower())
    expect(other.get_by_role("img", name="Constraint planes")).to_be_visible()
    expect(other.get_by_role("button", name=re.compile("^Question mark"))).to_be_visible()
    expect(other.get_by_label("Look first")).not_to_be_checked()
    assert other.url.split("#")[1] == link.split("#")[1]


def test_a_link_leads_to_a_station(visit):
    page = visit()
    press(page, "Tour")
    press(page, "Next station")
    settled(page)
    page.wait_for_url(re.compile("at=1.5&tour=2"))
    other = visit(page.url.split("/", 3)[3])
    tour = other.get_by_role("dialog", name="Guided tour")
    expect(tour).to_contain_text("Station 2 of 8")
    expect(other.locator(".step")).to_contain_text("score −1: a mistake. Press Step")
    press(other, "Close the tour")
    expect(points(other)).to_have_count(5)
    other.wait_for_url(lambda url: "tour" not in url)


@pytest.mark.parametrize("width", [360, 390, 768, 1280, 1920])
def test_nothing_sticks_out(visit, width):
    page = visit(DEEP, width=width, height=800)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    plot = page.get_by_role("group", name="Plot of the data").bounding_box()
    assert plot["width"] > 300
    assert plot["x"] >= 0


@pytest.mark.parametrize(
    ("link", "said", "step"),
    [
        ("#p=0,0,0;2,2,1&at=99999", "", r"^(\d+) / \1$"),
        ("#p=0,0,0;2,2,1&order=odd&colour=3", "colour, order=odd, which the lab", "^0 / "),
        ("#garbage", "The link could not be read", "^0 / "),
    ],
)
def test_a_link_that_is_partly_wrong(visit, link, said, step):
    page = visit(link)
    expect(place(page)).to_have_text(re.compile(step))
    message = page.locator(".message")
    expect(message).to_contain_text(said) if said else expect(message).to_be_hidden()
    expect(page.locator(".xspace .point").first).to_be_visible()


def test_a_small_laptop_has_the_data_beside_the_plot(visit):
    page = visit(width=1100, height=800)
    data = page.get_by_role("group", name="Data", exact=True).bounding_box()
    plot = page.get_by_role("group", name="Plot of the data").bounding_box()
    assert data["y"] < plot["y"] + plot["height"]
    assert data["x"] + data["width"] <= plot["x"]


def test_phone_shares(visit):
    page = visit(width=390, height=844, touch=True)
    page.locator("summary", has_text="Share").click()
    sheet = page.locator(".sheet").bounding_box()
    assert sheet["x"] >= 0
    assert sheet["x"] + sheet["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_phone(visit):
    page = visit(width=390, height=844, touch=True)
    press(page, "Step")
    press(page, "Step")
    expect(place(page)).to_have_text(re.compile(r"^1 /"))
    tops = [
        page.locator(part).bounding_box()["y"]
        for part in (".xspace", ".data", ".settings", ".proof", ".wspace", ".trace")
    ]
    assert tops == sorted(tops)
    assert page.get_by_label("Rule").is_hidden()
    page.get_by_text("Rule, order, step size").click()
    expect(page.get_by_label("Rule")).to_be_visible()


def test_phone_has_the_run_always_at_hand(visit):
    page = visit(width=390, height=844, touch=True)
    for share_of_page in (0, 0.5, 1):
        page.evaluate("at => scrollTo(0, at * document.body.scrollHeight)", share_of_page)
        for name in ("Back", "Play", "Step", "Next mistake"):
            button = page.get_by_role("button", name=name, exact=True)
            expect(button).to_be_in_viewport(ratio=1)
    press(page, "Step")
    expect(page.locator(".run .step")).to_be_in_viewport(ratio=1)
    press(page, "Quiz")
    page.evaluate("scrollTo(0, 0)")
    expect(page.get_by_role("group", name="Plot of the data")).to_be_in_viewport(ratio=0.95)
    expect(page.get_by_role("button", name="Nothing")).to_be_in_viewport(ratio=1)


SMALL = """([...nodes]) => nodes.map((node) => {
  const all = [node, ...(node.labels ?? [])].map((one) => one.getBoundingClientRect());
  return [node.outerHTML.slice(0, 80), Math.max(...all.map((box) => box.height)),
    Math.max(...all.map((box) => box.width))];
}).filter(([, height, width]) => height && width > 1 && (height < 44 || width < 44))"""
TOUCHED = ".rb-lab :is(button, select, input, textarea, summary, nav a, [role=button])"


@pytest.mark.parametrize("path", ["", "mydata"])
def test_what_a_finger_touches_is_large_enough(visit, path):
    page = visit(path + ("#p=-2,0,0;2,0,1" if not path else ""), width=390, height=844, touch=True)
    for summary in page.locator("summary").all():
        summary.click()
    if path:
        page.get_by_role("button", name="Take the iris flowers").click()
        page.get_by_role("button", name="Make the report").wait_for()
    small = page.locator(TOUCHED).evaluate_all(SMALL)
    assert small == []


def test_targets_of_near_points_do_not_overlap(visit):
    page = visit("#p=0,0,0;0.5,0,1;4,4,1", width=390, height=844, touch=True)
    radii = [float(r) for r in page.locator(".point .target").evaluate_all(
        "nodes => nodes.map((node) => node.getAttribute('r'))")]  # fmt: skip
    box = page.locator(".xspace .plot").bounding_box()
    assert radii[2] * 2 * box["width"] / 520 == pytest.approx(44)
    assert radii[0] == radii[1] < radii[2]


@pytest.mark.parametrize("height", [667, 844])
def test_phone_tour_does_not_cover_what_it_speaks_of(visit, height):
    page = visit(width=390, height=height, touch=True)
    press(page, "Tour")
    tour = page.get_by_role("dialog", name="Guided tour")
    for number in range(1, 9):
        settled(page)
        expect(tour.get_by_text(f"Station {number} of 8")).to_be_visible()
        card = tour.bounding_box()
        looked = page.locator(".looked-at .plot").first.bounding_box()
        assert looked["y"] >= 0
        assert looked["y"] + looked["height"] <= card["y"] + 1
        button = "Next station" if number < 8 else "Finish"
        expect(page.get_by_role("button", name=button)).to_be_in_viewport(ratio=1)
        if number == 2:
            press(page, "The trace, as in the lectures")
            expect(page.locator(".trace h2")).to_be_in_viewport()
            press(page, "Fold")
            expect(tour.get_by_role("heading")).to_be_hidden()
            press(page, "Step")
            expect(page.locator(".run .step")).to_contain_text("Step 2: point 1")
            press(page, "Unfold")
        press(page, button)
    expect(tour).to_be_hidden()


def test_the_page_is_small():
    """Under 100 KB gzipped before the three-dimensional views."""
    from rosenblatt.lab.web.assets import assets

    first = [
        asset
        for path, asset in assets().items()
        if (path.startswith("js/") or path in ("index.html", "lab.css", "icon.svg"))
        and path != "js/views/scenes.js"
    ]
    assert sum(len(asset.compressed) for asset in first) < 100_000
