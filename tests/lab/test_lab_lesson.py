"""Lessons and links: what is read of files and Markdown, and what the one file holds."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rosenblatt import datasets
from rosenblatt.cli.app import app
from rosenblatt.errors import InputError
from rosenblatt.lab.lessons import lesson_file
from rosenblatt.lab.lessons.lesson import LAST, TITLE, of_markdown, read_lesson
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.lessons.links import find
from rosenblatt.lab.presets import presets
from rosenblatt.lab.web import serving
from rosenblatt.lab.web.page import lab_html

EXAMPLE = Path(__file__).parents[2] / "examples" / "lesson.md"
XOR = "https://example.org/lab/#c=no&c=yes&p=0,0,0;0,1,1;1,0,1;1,1,0&at=3"


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["lab", *map(str, arguments)], prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


def content_of(html):
    return json.loads(re.search(r'id="content">(.*?)</script>', html, re.S)[1])


def test_presets_are_the_examples_of_the_lectures():
    known = {one["name"]: one["experiment"] for one in presets() if one["group"] == "Lectures"}
    assert len(known) >= 9
    for name in set(known) & set(datasets.EXAMPLES):
        data, experiment = datasets.load(name), known[name]
        assert [point[:2] for point in experiment["points"]] == data.X.tolist()
        signs = [2 * point[2] - 1 for point in experiment["points"]]
        assert signs == data.y.tolist()
        settings = experiment["settings"]
        assert settings.get("bias", True) == data.fit_intercept
        assert settings.get("ties", "mistake") == data.ties
        assert settings.get("start") == (None if data.init is None else data.init.tolist())
        assert settings.get("max_passes") == data.passes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "as JSON"),
        ("[1]", '"points"'),
        ('{"points": [["a", 1, 1]]}', '"points"'),
        ('{"classes": ["a", "b"]}', '"points"'),
    ],
)
def test_a_file_that_is_no_experiment_is_a_sentence(tmp_path, content, words):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=words):
        find("x.json", tmp_path)


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
    assert pages[1].linked.fragment == "p=1,1,1;-1,-1,0"
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


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    path = tmp_path_factory.mktemp("lesson") / "lesson.html"
    said = run("--export", path, EXAMPLE).stderr
    assert "5 pages" in said
    return path.read_text("utf-8")


def test_the_file_is_small_and_asks_nobody(exported):
    for text in (exported, lab_html()):
        assert len(gzip.compress(text.encode())) < 100_000
        assert "default-src 'none'" in text
        named = re.findall(r"<(?:link|script|img)[^>]*(?:src|href)=\"([^\"]*)", text)
        assert all(address.startswith("data:") for address in named)


def test_a_lesson_is_editable_unless_its_author_says_otherwise(exported, tmp_path):
    assert content_of(exported)["fixed"] is False
    run("--export", tmp_path / "x.html", "--fixed", "xor")
    assert content_of((tmp_path / "x.html").read_text("utf-8"))["fixed"] is True


def test_names_cannot_leave_their_element():
    names = "c=%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E&c=b"
    html = lesson_html(read_lesson([f"#{names}&p=1,1,1;0,0,0"]))
    assert html.count("</script") == 2
    assert "<script>alert" not in html


def test_what_would_be_too_large_is_refused_and_nothing_written(tmp_path, monkeypatch):
    monkeypatch.setattr(lesson_file, "LARGEST_LESSON", 1000)
    said = run("--export", tmp_path / "x.html", "xor", code=2).stderr
    assert "1,000 at most" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--fixed",), "--fixed is about a lesson"),
        (("xor", "separable"), "opens one experiment"),
        (("lesson.md",), "opens one experiment"),
        (("--export", "no/such/folder.html", "xor"), "cannot be written"),
        (("--export", "page.txt"), "ending in .html"),
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
    monkeypatch.setattr(serving, "serve", lambda text, host, port, ready: ready("http://here/"))
    monkeypatch.setattr(serving, "open_browser", opened.append)
    run(XOR)
    run("two_points")
    assert opened == [f"http://here/#{find(one).fragment}" for one in (XOR, "two_points")]
    assert run("--no-browser").stdout.startswith("The lab is at http://here/")
    assert len(opened) == 2
