"""The chapters of the course have what a chapter must have; their code is run as doctests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.lab.presets import presets

COURSE = Path(__file__).parents[2] / "docs" / "course"
CHAPTERS = sorted(COURSE.glob("[1-9]_*.md"))
PICTURE = re.compile(r"^```\{picture\}\n(.*?)^```$", re.M | re.S)
ANSWER = re.compile(r"^:::\{dropdown\} Answer (\d+)\n(.*?)^:::$", re.M | re.S)


def test_there_are_five_chapters_and_the_index_lists_them():
    index = (COURSE / "index.md").read_text("utf-8")
    assert [page.stem for page in CHAPTERS] == re.findall(r"^(\d_\w+)$", index, re.M)
    assert len(CHAPTERS) == 5


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_chapter_is_complete(page):
    text = page.read_text("utf-8")
    assert "```{notebook}" in text
    lab = re.findall(r"^```\{lab\} (\w+)$", text, re.M)
    assert lab
    assert set(lab) <= {preset["name"] for preset in presets()}
    assert "**Theorem" in text
    assert ".table(" in text, "no worked example as a trace"
    assert len(PICTURE.findall(text)) >= 4


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_pictures_have_words_and_code(page):
    for body in PICTURE.findall(page.read_text("utf-8")):
        assert re.match(r"(:width: \S+\n)?:alt: \S.{20,}\n", body), body
        assert ">>> ax = " in body or ">>> axes = " in body
        assert body.endswith("\n\n"), "end a doctest with an empty line"


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_exercises_have_answers_that_are_run(page):
    text = page.read_text("utf-8").split("## Exercises")[1]
    asked = re.findall(r"^\*\*(\d+)\.\*\*", text, re.M)
    answers = ANSWER.findall(text)
    assert asked == [number for number, _ in answers] == [str(k + 1) for k in range(len(asked))]
    assert len([body for _, body in answers if ">>>" in body]) >= 8


def test_the_table_of_the_lectures_names_what_there_is():
    text = (COURSE / "where.md").read_text("utf-8")
    names = re.findall(r"<rosenblatt\.([\w.]+)>", text)
    assert len(set(names)) > 60
    for name in names:
        found = rosenblatt
        for part in name.split("."):
            found = getattr(found, part)
    assert set(re.findall(r"\((\d_\w+)\.md\)", text)) == {page.stem for page in CHAPTERS}
