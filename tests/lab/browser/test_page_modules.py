"""The page's codecs, in the browser's own JavaScript: what goes out comes back."""

from __future__ import annotations

import json
import random

import numpy as np
from playwright.sync_api import expect

from rosenblatt.teaching.geometry import Box, clip_halfplanes, convex_hull, risk_at

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


def test_the_section_drawn_is_the_librarys_wedge_and_risk(page):
    """Against `rosenblatt.teaching.geometry`, with a bias, without one, and with x₁x₂."""
    draw = random.Random(2)
    cases = []
    for k in range(40):
        width = 2 + k % 3
        rows = [[draw.randrange(-16, 17) / 4 for _ in range(width)] for _ in range(1 + k % 9)]
        weights = [draw.randrange(-16, 17) / 4 for _ in range(width)]
        cases.append({"rows": rows, "reach": 1 + k % 5, "weights": weights})
    found = page.evaluate(
        """async (cases) => {
          const { sectionOf } = await import("/js/section.js");
          const { wedgeOf } = await import("/js/geometry.js");
          return cases.map((one) => {
            const section = sectionOf(one, one.weights);
            const box = [-one.reach, one.reach, -one.reach, one.reach];
            return { ...section, wedge: wedgeOf(one.rows, section.offsets, box).polygon };
          });
        }""",
        cases,
    )
    wedges = 0
    for case, drawn in zip(cases, found, strict=True):
        rows, reach = np.array(case["rows"]), case["reach"]
        offsets = rows[:, 2:] @ np.array(case["weights"][2:])
        side = np.linspace(-reach, reach, 41)
        risk = risk_at(rows[:, :2], offsets, np.stack(np.meshgrid(side, side), axis=-1))
        np.testing.assert_allclose(drawn["risk"], risk, atol=1e-9)
        assert drawn["top"] == np.max(drawn["risk"])
        box = Box(-reach, reach, -reach, reach)
        wedge = clip_halfplanes(box, rows[:, :2], offsets)
        if len(wedge) and np.ptp(wedge, axis=0).min() > 1e-6:
            wedges += 1
            corners = np.array(drawn["wedge"])
            np.testing.assert_allclose(_hull(corners), _hull(wedge), atol=1e-6)
        else:
            assert drawn["wedge"] == []
    assert 5 < wedges < 35


def _hull(corners):
    """Corners without those that lie on a side, which either may name."""
    return convex_hull(np.round(corners, 9) + 0.0)


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


def test_marks_are_those_of_the_figures(page):
    """A cross for the first class and a circle for the second, on the page as in a GIF."""
    from rosenblatt.figures.drawing.style import MARKERS

    drawn = page.evaluate(
        """async () => {
          const { shape } = await import("/js/views/plot.js");
          return [0, 1, 2, 3, 4].map((code) => {
            if (shape(code).includes("A")) return "o";
            if (shape(code).includes("V")) return "s";
            return { 12: "X", 3: "^", 4: "D" }[shape(code).match(/[MLH]/g).length];
          });
        }"""
    )
    assert drawn == list(MARKERS[:5])


def test_in_the_wedge_all_points_are_right(page):
    draw = random.Random(3)
    met = 0
    for _ in range(60):
        rows = [[draw.uniform(-1, 1) for _ in range(2)] for _ in range(draw.randint(1, 6))]
        offsets = [draw.choice([0, draw.uniform(-1, 1)]) for _ in rows]
        found = page.evaluate(
            """async ([rows, offsets]) => {
              const { wedgeOf } = await import("/js/geometry.js");
              const { polygon, edges } = wedgeOf(rows, offsets, [-2, 2, -2, 2]);
              return [polygon, [...edges]];
            }""",
            [rows, offsets],
        )
        heights = [
            [a * x + b * y + c for x, y in found[0]]
            for (a, b), c in zip(rows, offsets, strict=True)
        ]
        assert all(height >= -1e-9 for row in heights for height in row)
        for k in found[1]:
            assert sum(abs(height) < 1e-6 for height in heights[k]) >= 2
        met += bool(found[0])
    assert met > 10
