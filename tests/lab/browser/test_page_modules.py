"""The page's codecs, in the browser's own JavaScript: what goes out comes back."""

from __future__ import annotations

import json
import random

from playwright.sync_api import expect

NAMES = ["a", "−1", "+1", "no & yes", "a=b;c,d", "<b>", '"quoted"', "naïve ☃", "#", "%41"]


def experiments(count):
    """Experiments with awkward names, numbers and settings."""
    draw = random.Random(7)
    numbers = [0, -1, 0.5, -2.25, 1e-7, 123456.789, 0.1 + 0.2, 3]
    for _ in range(count):
        classes = draw.sample(NAMES, draw.randint(2, 5))
        points = [
            [draw.choice(numbers), draw.choice(numbers), draw.randrange(len(classes))]
            for _ in range(draw.randint(0, 6))
        ]
        points += [[*point, 7] for point in points[:1]]
        settings = {
            "rule": draw.choice(["perceptron", "batch", "sgd"]),
            "order": draw.choice(["shuffled", "worst"]),
            "eta": draw.choice([0.25, 1e-5]),
            "start": draw.choice([[1, -2.5, 0], [0, 0]]),
            "bias": draw.choice([False, True]),
            "product": draw.choice([False, True]),
            "seed": draw.randrange(2**32),
        }
        kept = {name: value for name, value in settings.items() if draw.random() < 0.6}
        yield {"classes": classes, "points": points, "settings": kept}, draw.randrange(50)


def test_an_address_holds_the_whole_experiment(page):
    given = list(experiments(60))
    returned = page.evaluate(
        """async (given) => {
          const { toFragment, fromFragment } = await import("/js/url.js");
          return given.map(([experiment, at]) => fromFragment(`#${toFragment(experiment, at)}`));
        }""",
        given,
    )
    defaults = page.evaluate("async () => (await import('/js/model.js')).DEFAULTS")
    for (experiment, at), back in zip(given, returned, strict=True):
        assert back["at"] == at
        for part in ("classes", "points"):
            assert back["experiment"][part] == experiment[part]
        both = [defaults | one["settings"] for one in (experiment, back["experiment"])]
        assert json.dumps(both[0], sort_keys=True) == json.dumps(both[1], sort_keys=True)


def test_a_csv_comes_back_as_it_went(page):
    given = [
        {"classes": sorted(one["classes"]), "points": [point[:3] for point in one["points"]]}
        for one, _ in experiments(60)
        if one["points"]
    ]
    returned = page.evaluate(
        """async (given) => {
          const csv = await import("/js/csv.js");
          return given.map((experiment) => {
            const table = csv.columnsOf(csv.parse(csv.toText(experiment)));
            const names = new Set(experiment.points.map((point) => experiment.classes[point[2]]));
            return names.size < 2 ? null : csv.toExperiment(table, { x1: 0, x2: 1, label: 2 });
          });
        }""",
        given,
    )
    read = [(one, back) for one, back in zip(given, returned, strict=True) if back]
    assert len(read) > 20
    for one, back in read:
        assert [[x1, x2, back["classes"][code]] for x1, x2, code in back["points"]] == [
            [x1, x2, one["classes"][code]] for x1, x2, code in one["points"]
        ]


def test_tables_of_every_dialect(page):
    texts = {
        "x1;x2;label\n1;2;a\n3;4;b\n": [["x1", "x2", "label"], ["1", "2", "a"], ["3", "4", "b"]],
        "1\t2\ta\r\n3\t4\tb": [["1", "2", "a"], ["3", "4", "b"]],
        '\ufeffa,b,"c ""d"",\ne"\n\n': [["a", "b", 'c "d",\ne']],
    }
    for text, rows in texts.items():
        parsed = page.evaluate("async (t) => (await import('/js/csv.js')).parse(t)", text)
        assert parsed == rows


def test_text_to_copy_is_shown_where_the_clipboard_is_closed(page):
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.locator("summary", has_text="Share").click()
    page.get_by_role("button", name="Copy as Python").click()
    text = page.get_by_role("textbox", name="Text", exact=True)
    expect(text).to_be_visible()
    assert text.input_value().startswith("import rosenblatt as rb")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(text).to_be_hidden()
    page.locator("summary", has_text="Share").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    page.get_by_role("heading", name="x-space").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_hidden()


def test_choose_a_csv_file(page):
    page.get_by_text("CSV: paste, drop, export").click()
    content = b"x1,x2,label\n1,2,a\n3,4,b\n"
    files = {"name": "points.csv", "mimeType": "text/csv", "buffer": content}
    page.get_by_label("CSV file").set_input_files(files)
    page.get_by_role("button", name="Use 2 rows").click()
    expect(page.locator(".xspace .point")).to_have_count(2)


def test_messages_are_dismissed(page):
    page.get_by_text("CSV: paste, drop, export").click()
    page.get_by_label("Paste CSV here").fill("nothing")
    dismiss = page.get_by_role("button", name="Dismiss")
    dismiss.click()
    expect(dismiss).to_be_hidden()
