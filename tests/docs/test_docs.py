"""The pages: their code runs, their output is real, and the reference has every public name."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rosenblatt as rb
from rosenblatt.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^ *(`{3,})(\{?)([a-z-]*)\}?[^\n]*\n(.*?)^ *\1 *$", re.M | re.S)
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = (*rb._MODULES, "lab")
# Plain values, which a page of their own would not explain better than the text that uses them.
VALUES = {"FORMATS", "STEPS", "Scalar", "__version__"}


def name_of(path):
    return str(path.relative_to(ROOT))


def blocks(page, language):
    """The fenced blocks of a page in a language, directives left aside."""
    found = BLOCK.findall(page.read_text("utf-8"))
    return [text for _, brace, name, text in found if not brace and name == language]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_of_a_page_is_run(page):
    for text in blocks(page, "python"):
        assert text.lstrip().startswith(">>>"), f"{page.name}: this block is not a doctest:\n{text}"
        assert text.endswith("\n\n"), f"{page.name}: end a doctest with an empty line:\n{text}"


INSTALLED = re.compile(r"pip install \"?([\w.,\[\]-]+)")
IMPORTED = re.compile(r"^ *(?:>>>|\.\.\.) +(?:from|import) (\w+)", re.M)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if INSTALLED.search(p.read_text("utf-8"))], ids=name_of
)
def test_what_a_page_says_to_install_is_what_its_code_imports(page):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = re.findall(r"[\w-]+", " ".join(INSTALLED.findall(page.read_text("utf-8"))))
    found = project["dependencies"] + names + [part for n in names for part in extras.get(n, ())]
    for module in {name for text in blocks(page, "python") for name in IMPORTED.findall(text)}:
        known = module in sys.stdlib_module_names or module in ("rosenblatt", "sklearn")
        assert known or module in " ".join(found), f"{page.name}: say how {module} is installed"


def shown_commands():
    """The console blocks that show what a command printed, page by page."""
    for page in PAGES:
        texts = [text for text in blocks(page, "console") if re.search(r"^(?!\$)\S", text, re.M)]
        if texts:
            yield pytest.param(texts, id=name_of(page))


@pytest.mark.parametrize("texts", list(shown_commands()))
def test_output_of_a_command_is_real(texts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "88")
    for text in texts:
        for shown in re.split(r"^\$ ", text, flags=re.M)[1:]:
            line, wanted = shown.split("\n", 1)
            program, *words = shlex.split(line, comments=True)
            if program != "rosenblatt":
                continue
            got = CliRunner().invoke(app, words, prog_name="rosenblatt").stdout
            assert not wanted or doctest.OutputChecker().check_output(wanted, got, LOOSE), (
                f"{line}\nprints\n{got}\nand the page shows\n{wanted}"
            )


def public():
    """Every public object, with the names by which it can be reached."""
    names = {}
    for name in rb._HOME:
        names.setdefault(id(getattr(rb, name)), []).append(f"rosenblatt.{name}")
    for module in MODULES:
        found = importlib.import_module(f"rosenblatt.{module}")
        for name in found.__all__:
            if name not in VALUES:
                key = id(inspect.unwrap(getattr(found, name)))
                names.setdefault(key, []).append(f"rosenblatt.{module}.{name}")
    return list(names.values())


def listed():
    """Every name that the pages of the reference list."""
    names = set()
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        for block in re.findall(r"```\{eval-rst\}\n(.*?)```", page.read_text("utf-8"), re.S):
            if "autosummary" in block:
                module = re.search(r"currentmodule:: (\S+)", block)[1]
                entries = block.split(":nosignatures:")[1].split()
                assert not names & {f"{module}.{entry}" for entry in entries}
                names |= {f"{module}.{entry}" for entry in entries}
    return names


def test_the_reference_has_every_public_name():
    names = listed()
    absent = [ways for ways in public() if not names.intersection(ways)]
    assert not absent, f"in no table of docs/reference: {absent}"


def test_the_reference_has_nothing_else():
    known = {way for ways in public() for way in ways}
    assert listed() <= known


@pytest.mark.parametrize("name", sorted(listed()))
def test_every_page_of_the_reference_has_an_example(name):
    found = rb
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert ">>>" in (inspect.getdoc(found) or "")
