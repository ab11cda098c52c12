"""My data in a browser: from a file to the report, by mouse, by drop and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from sklearn.datasets import load_iris

from rosenblatt import fewest_errors, separation_kind
from rosenblatt.certificate import from_json
from rosenblatt.lab.mydata import desk

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names

SCRIPT, IMAGE = "<script>window.hurt=1</script>", "<img src=x onerror=window.hurt=1>"
HOSTILE = f"{SCRIPT},{IMAGE},<b>kind</b>\n" + "".join(
    f"{k},{k % 3},{SCRIPT}\n{-k},{k % 2},javascript:x\n" for k in range(1, 9)
)


def hand_in(page, content, name="mine.csv"):
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.get_by_label("Choose a file").set_input_files(file)
    page.get_by_role("button", name="Make the report").wait_for()


def make_report(page):
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_text("Done.")).to_be_visible()


def card(page, name):
    return page.get_by_role("region", name=name, exact=True)


def test_the_sample_gives_a_report_whose_certificate_holds(visit):
    page = visit("mydata")
    page.get_by_role("button", name="Take the iris flowers").click()
    page.get_by_role("button", name="Make the report").wait_for()
    assert page.get_by_label("Label", exact=True).input_value() == "4"
    make_report(page)
    verdict = card(page, "Verdict")
    expect(verdict).to_contain_text("The classes are not linearly separable.")
    with page.expect_download() as download:
        verdict.get_by_role("button", name="Download the certificate").click()
    proof = from_json(download.value.path().read_text())
    assert proof.verify(X, NAMES[Y])
    rows = verdict.get_by_role("table").get_by_role("row").all_inner_texts()
    assert rows[0].split("\t") == ["line of file", "row", "class", "against", "weight"]
    for told in rows[1:]:
        line, row, *_ = told.split("\t")
        assert int(line) == int(row) + 2  # a heading, and counted from 1
    expect(card(page, "The fit")).to_contain_text("Inseparable:")
    expect(card(page, "Largest weights")).to_contain_text("average of the weights over the whole")
    expect(card(page, "Confusion on held-out rows").get_by_role("row")).to_have_count(4)
    expect(card(page, "Largest weights").get_by_role("row")).to_have_count(11)
    drawn = card(page, "The points and the regions")
    assert drawn.locator(".plot .mark").count() == 112
    assert drawn.locator(".region").count() == 3
    pairs = card(page, "Which pairs are separable")
    pairs.get_by_role("button", name="setosa and virginica: separable").first.click()
    with page.expect_download() as download:
        pairs.get_by_role("button", name="Download the certificate").click()
    two = Y != 1
    assert from_json(download.value.path().read_text()).verify(X[two], NAMES[Y][two])
    commands = card(page, "The same on the command line")
    expect(commands).to_contain_text("rosenblatt fit iris.csv --label species --test 0.25")
    commands.get_by_role("button", name="Copy: rosenblatt fit").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "rosenblatt fit iris.csv --label species --test 0.25"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_report_is_scrolled_to_its_verdict(visit, width, height):
    page = visit("mydata", width=width, height=height)
    hand_in(page, HOSTILE.encode())
    make_report(page)
    box = card(page, "Verdict").locator(".sentence").bounding_box()
    assert 0 < box["y"] < height / 3


def test_rows_to_blame_and_estimates_are_tables(visit):
    """The panels say what `fewest_errors` and `separation_kind` say."""
    page = visit("mydata")
    names = [f"x{k}" for k in range(4)]
    table = "\n".join(
        [",".join([*names, "virginica"])]
        + [",".join([*map(str, x), str(y == 2)]) for x, y in zip(X.tolist(), Y, strict=True)]
    )
    hand_in(page, table.encode())
    make_report(page)
    found = fewest_errors(X, Y == 2)
    errors = card(page, "The rows to look at")
    rows = errors.get_by_role("table").get_by_role("row").all_inner_texts()
    assert rows[0].split("\t") == ["line of file", "row", "class"]
    assert [int(row.split("\t")[1]) for row in rows[1:]] == found.rows.tolist()
    expect(errors).to_contain_text("No other choice is smaller.")
    estimates = card(page, "Would a regression have estimates?")
    expect(estimates).to_contain_text("Overlap: no hyperplane separates")
    expect(estimates.get_by_role("table")).to_have_count(0)
    why = card(page, "Verdict")
    expect(why).to_contain_text("one point that would have to be on both sides")
    expect(why.get_by_text("cannot be on the right sides of any hyperplane")).to_be_hidden()
    why.get_by_text("In the certificate's words").click()
    expect(why.get_by_text("cannot be on the right sides of any hyperplane")).to_be_visible()


def test_coefficients_that_diverge_are_listed(visit):
    page = visit("mydata")
    hand_in(page, b"dose,cured\n" + b"".join(b"%d,%d\n" % (k, k > 3) for k in range(8)))
    make_report(page)
    estimates = card(page, "Would a regression have estimates?")
    expect(estimates).to_contain_text("Complete separation: a hyperplane has all 8 rows")
    rows = estimates.get_by_role("table").get_by_role("row").all_inner_texts()
    found = separation_kind([[k] for k in range(8)], [int(k > 3) for k in range(8)], names=["dose"])
    told = {name: where.value for name, where in found.diverging.items()}
    assert dict(row.split("\t") for row in rows[1:]) == told
    expect(card(page, "The rows to look at")).to_have_count(0)


@pytest.mark.parametrize("key", [None, "Enter"])
def test_one_report_is_asked_for_at_a_time(visit, key):
    page = visit("mydata")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    hand_in(page, HOSTILE.encode())
    button = page.get_by_role("button", name="Make the report")
    if key:
        button.press(key)
    else:
        button.click()
    expect(page.get_by_text("Done.")).to_be_visible()
    assert len([url for url in asked if "/api/data/report" in url]) == 1


def test_names_from_the_data_are_text(visit):
    page = visit("mydata")
    hand_in(page, HOSTILE.encode(), f"{IMAGE}.csv")
    make_report(page)
    expect(card(page, "The fit")).to_be_visible()
    assert page.evaluate("window.hurt") is None
    assert page.locator("img, .results script, b").count() == 0
    expect(card(page, "Largest weights")).to_contain_text(SCRIPT)
    expect(page.get_by_role("columnheader", name=IMAGE)).to_be_visible()
    expect(card(page, "Confusion on held-out rows")).to_contain_text(SCRIPT)


def test_a_file_can_be_dropped(visit):
    page = visit("mydata")
    transfer = page.evaluate_handle(
        """() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["a,b,kind\\n1,2,x\\n3,4,y\\n"], "dropped.csv"));
          return transfer;
        }"""
    )
    page.locator(".drop").dispatch_event("drop", {"dataTransfer": transfer})
    expect(page.get_by_role("heading", name="dropped.csv")).to_be_visible()
    expect(page.get_by_role("table")).to_contain_text("kind")


def test_the_form_says_how_to_read_the_file(visit):
    page = visit("mydata")
    rows = "".join(f"{k},{k * k},{'ab'[k % 2]},{'no' if k < 4 else 'yes'},\n" for k in range(8))
    hand_in(page, b"p,q,kind,big,gap\n" + rows.encode())
    page.get_by_label("Label", exact=True).select_option("big")
    page.get_by_label("Rows held out").select_option("none")
    page.get_by_label("One class against the rest").fill("yes")
    page.get_by_label("Scale the features").check()
    page.get_by_label("Text as features").check()
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("gap", exact=False).uncheck()
    make_report(page)
    expect(card(page, "Verdict")).to_contain_text("The classes are linearly separable.")
    expect(card(page, "Verdict")).to_contain_text("8 × 4")
    expect(card(page, "Verdict")).to_contain_text("Of all the rows")
    expect(card(page, "The fit")).to_contain_text("on the 8 rows it learned from")
    command = card(page, "The same on the command line")
    expect(command).to_contain_text("--label big --positive yes --ignore 4 --one-hot --scale")


def test_an_error_says_what_to_do(visit):
    page = visit("mydata")
    hand_in(page, b"p,kind\n1,a\n,b\n3,a\n")
    page.get_by_role("button", name="Make the report").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("“leave out rows that lack a value”")
    page.get_by_label("Leave out rows that lack a value").check()
    page.get_by_role("button", name="Make the report").click()
    expect(alert).to_contain_text("class")


def test_a_file_that_is_none_is_refused(visit):
    page = visit("mydata")
    file = {"name": "noise.csv", "mimeType": "text/csv", "buffer": b"\0\1\2" * 100}
    page.get_by_label("Choose a file").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("noise.csv: is binary")
    # The browser logs that the answer was a refusal; nothing else may go wrong.
    assert [p for p in visit.problems if "422" not in p] == []
    visit.problems.clear()


def test_a_report_can_be_cancelled(visit, monkeypatch):
    page = visit("mydata")
    hand_in(page, b"p,kind\n1,a\n2,b\n")
    sleep = 'import time; print(\'progress {"words": "asleep"}\', flush=True); time.sleep(62)'
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-c", sleep])
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_text("asleep …")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()


def test_the_keyboard_is_enough(visit):
    page = visit("mydata")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Take the iris flowers":
            break
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Make the report").wait_for()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Make the report":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_text("Done.")).to_be_visible()


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_nothing_sticks_out_of_the_window(visit, width):
    page = visit("mydata", width=width, height=800)
    hand_in(page, b"a long name of a column,b,c,d,e,f,g,h,kind\n" + b"1,2,3,4,5,6,7,8,x\n" * 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
