"""Lessons: what is read of links, files and Markdown, and what the one file holds."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from rosenblatt.cli.app import app
from rosenblatt.cli.commands import lab as verb
from rosenblatt.errors import InputError
from rosenblatt.lab.experiment import compute
from rosenblatt.lab.lessons import lesson_file
from rosenblatt.lab.lessons.lesson import LAST, TITLE, of_markdown, read_lesson
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.lessons.links import find, fragment_of
from rosenblatt.lab.presets import presets
from rosenblatt.lab.web import serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "lesson.md"
XOR = "http://127.0.0.1:1958/#c=no&c=yes&p=0,0,0;0,1,1;1,0,1;1,1,0&at=3"


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["lab", *map(str, arguments)], prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


def part(html, name):
    return re.search(rf'id="{name}">(.*?)</script>', html, re.S)[1]


def answers_of(html):
    return json.loads(gzip.decompress(base64.b64decode(part(html, "answers"))))


# --- links -----------------------------------------------------------------------------------


def test_a_link_holds_the_experiment():
    found = find(f"{XOR}&start=1,-2.5,0&bias=true&eta=0.5&order=worst&zoom=2")
    assert found.experiment == {
        "classes": ["no", "yes"],
        "points": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]],
        "settings": {"start": [1, -2.5, 0], "bias": True, "eta": 0.5, "order": "worst"},
    }
    assert found.fragment.endswith("&zoom=2")  # the page knows of views what this does not


@pytest.mark.parametrize("name", [preset["name"] for preset in presets()])
def test_a_preset_comes_back_from_its_link(name):
    preset = find(name)
    again = find(f"#{preset.fragment}")
    assert again.experiment == preset.experiment
    assert compute(again.experiment)["run"]["rows"]


numbers = st.floats(-1e6, 1e6).map(lambda v: 0.0 if abs(v) < 1e-9 else v)


@given(
    st.lists(st.tuples(numbers, numbers, st.integers(0, 1)).map(list), min_size=1, max_size=6),
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), min_size=2, max_size=2,
             unique=True).filter(lambda names: all(name.strip() for name in names)),
    st.sampled_from([{}, {"start": [1, 0.5, -3]}, {"bias": False, "seed": 7}, {"eta": 0.1}]),
)  # fmt: skip
def test_a_fragment_comes_back(points, classes, settings):
    given = {"classes": classes, "points": points, "settings": settings}
    try:
        compute({**given, "want": []})
    except InputError:
        return  # a name that the lab refuses
    assert find(f"#{fragment_of(given)}").experiment == given


def test_a_start_for_several_classes():
    given = {
        "classes": ["a", "b", "c"],
        "points": [[1, 0, 0], [0, 1, 1], [-1, -1, 2]],
        "settings": {"start": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]},
    }
    assert find(f"#{fragment_of(given)}").experiment == given


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("#p=1,2", "must be"),
        ("#p=1,x,1", "points"),
        ("#p=1,1,1&order=odd", "order must be one of"),
        ("nothing", "expected a link of the lab"),
        ("missing.json", "cannot be read"),
    ],
)
def test_what_is_no_experiment_is_a_sentence(source, words):
    with pytest.raises(InputError, match=words):
        read_lesson([source])


def test_the_step_looked_at_is_the_pages(tmp_path):
    assert find("#p=0,0,0;2,2,1&at=1.5").fragment == "p=0,0,0;2,2,1&at=1.5"
    (tmp_path / "mine.json").write_text('{"points": [[1, 1, 1]], "at": 3}')
    assert find("mine.json", tmp_path).fragment == "c=no&c=yes&p=1,1,1&at=3"


# --- Markdown --------------------------------------------------------------------------------


def test_texts_go_with_the_experiment_below_them(tmp_path):
    (tmp_path / "mine.json").write_text('{"points": [[1, 1, 1], [-1, -1, 0]]}')
    (tmp_path / "dot.png").write_bytes(b"\x89PNG")
    text = (
        "# *All* of it\n\nFirst, and [a page](https://example.org/).\n\n"
        f"[Exclusive **or**]({XOR})\n\n## Then\n\n![a dot](dot.png)\n\n[](mine.json)\n\n"
        "[elsewhere](https://example.org/)\n\n- the end"
    )
    title, pages = of_markdown(text, tmp_path)
    assert title == "All of it"
    assert [page.title for page in pages] == ["Exclusive or", "mine", LAST]
    assert pages[0].linked.fragment.endswith("&at=3")
    assert "First, and <a" in pages[0].html
    assert "<h2>Then</h2>" in pages[1].html
    assert "data:image/png;base64,iVBORw==" in pages[1].html
    assert pages[1].linked.experiment["points"] == [[1, 1, 1], [-1, -1, 0]]
    assert pages[2].linked is None
    assert "elsewhere" in pages[2].html


def test_html_in_a_text_is_text():
    text = "<script>alert(1)</script>\n\n[x](javascript:alert(2))\n\n[Exclusive or](xor)"
    html = of_markdown(text).pages[0].html
    assert "<script" not in html
    assert "href" not in html


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No link.", "holds no experiment"),
        ("See [this](xor) first.", "holds no experiment"),
        ("[x](nothing)", "expected a link of the lab"),
        ("![x](https://example.org/x.png)\n\n[x](xor)", "beside the lesson"),
        ("![x](missing.png)\n\n[x](xor)", "cannot be read"),
    ],
)
def test_a_text_that_is_no_lesson_is_a_sentence(text, words):
    with pytest.raises(InputError, match=words):
        of_markdown(text)


def test_several_sources_are_one_lesson(tmp_path):
    (tmp_path / "one.md").write_text("# One\n\n[Exclusive or](xor)")
    lesson = read_lesson(["separable", str(tmp_path / "one.md")])
    assert (lesson.title, [page.title for page in lesson.pages]) == (
        "One", ["Separable", "Exclusive or"],
    )  # fmt: skip
    assert read_lesson(["separable", "xor"]).title == TITLE


# --- the file --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    path = tmp_path_factory.mktemp("lesson") / "lesson.html"
    said = run("--export", path, EXAMPLE).stderr
    assert "5 pages" in said
    return path.read_text("utf-8")


def test_the_file_is_small_and_asks_nobody(exported):
    assert len(exported.encode()) < 1_000_000
    assert "default-src 'none'" in exported
    styles_and_scripts = re.findall(r"<(?:link|script|img)[^>]*(?:src|href)=\"([^\"]*)", exported)
    assert all(address.startswith("data:") for address in styles_and_scripts)


def test_its_answers_are_the_librarys(exported):
    pages = json.loads(part(exported, "pages"))["pages"]
    answers = {json.dumps(one["points"]): (one, answer) for one, answer in answers_of(exported)}
    for page in pages[:-1]:
        one, answer = answers[json.dumps(page["experiment"]["points"])]
        assert answer == json.loads(json.dumps(compute(one)))
    assert "experiment" not in pages[-1]


def test_names_cannot_leave_their_element():
    names = "c=%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E&c=b"
    html = lesson_html(read_lesson([f"#{names}&p=1,1,1;0,0,0"]))
    assert html.count("<script") == 3
    assert html.count("</script") == 3


def test_what_would_be_too_large_is_refused_and_nothing_written(tmp_path, monkeypatch):
    monkeypatch.setattr(lesson_file, "LARGEST", 1000)
    said = run("--export", tmp_path / "x.html", "xor", code=2).stderr
    assert "1,000 at most" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--export", "x.html"), "--export needs an experiment"),
        (("xor", "separable"), "opens one experiment"),
        (("lesson.md",), "opens one experiment"),
        (("--export", "no/such/folder.html", "xor"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in " ".join(run(*arguments, code=2).stderr.split())


def test_the_source_is_not_overwritten(tmp_path):
    path = tmp_path / "lesson.md"
    path.write_text("[Exclusive or](xor)")
    assert "would overwrite" in " ".join(run("--export", path, path, code=2).stderr.split())


def test_the_lab_opens_at_a_link(monkeypatch):
    opened = []
    monkeypatch.setattr(serving, "serve", lambda host, port, ready: ready("http://here/"))
    monkeypatch.setattr(serving, "open_browser", opened.append)
    run(XOR)
    run("two_points")
    fragment = XOR.partition("#")[2]
    assert opened[0] == f"http://here/#{fragment}"
    assert find(opened[1]).experiment == find("two_points").experiment


def test_a_lesson_needs_no_server(tmp_path, monkeypatch):
    monkeypatch.setattr(verb, "find_spec", lambda _: None)
    run("--export", tmp_path / "x.html", "xor")
