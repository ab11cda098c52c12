"""What a release is made of: bounds, archives, workflows, the words of the index."""

from __future__ import annotations

import doctest
import re
import runpy
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import rosenblatt as rb

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# The extras that change what the package can do; the others are tools of its making.
OFFERED = ("plot", "lab", "dask", "onnx", "formula")


def lower_bounds():
    """Each requirement's name, and the version from which on it is allowed."""
    extras = PROJECT["optional-dependencies"]
    frames = [line for line in extras["dev"] if line.startswith("polars")]  # of the tests of frames
    for line in [*PROJECT["dependencies"], *(p for name in OFFERED for p in extras[name]), *frames]:
        needed = Requirement(line)
        (bound,) = needed.specifier
        assert bound.operator == ">=", line
        yield f"{needed.name}=={bound.version}"


def test_the_oldest_versions_are_the_lower_bounds():
    lines = (ROOT / "constraints-oldest.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == list(lower_bounds())


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text("utf-8")
    run = recipe.partition("\n  run:\n")[2].partition("\n\n")[0]
    wanted = map(Requirement, PROJECT["dependencies"])
    needed = [f"{one.name} {one.specifier}" for one in wanted]
    assert re.findall(r"- (.*)", run) == ["python >=${{ python_min }}", *needed]
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in recipe


@pytest.mark.parametrize("tool", ["for_index", "release_check"])
def test_examples_of_a_tool(tool):
    names = runpy.run_path(str(ROOT / "tools" / f"{tool}.py"))
    tests = doctest.DocTestFinder().find(object(), tool, globs=names) or []
    tests += [
        test
        for name, value in names.items()
        if getattr(value, "__module__", "") == "<run_path>" and callable(value)
        for test in doctest.DocTestFinder().find(value, name, globs=names)
    ]
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    results = [runner.run(test) for test in tests if test.examples]
    assert len(results) == 2
    assert not any(result.failed for result in results)


def test_the_readme_of_an_index_has_no_link_that_leads_nowhere():
    names = runpy.run_path(str(ROOT / "tools" / "for_index.py"))
    text = names["absolute"]((ROOT / "README.md").read_text("utf-8"), "https://host/a/b", "v1")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10
    assert all(link.startswith("https://") for link in links)
    project = names["with_home"]((ROOT / "pyproject.toml").read_text("utf-8"), "https://host/a/b")
    assert tomllib.loads(project)["project"]["urls"]["Source"] == "https://host/a/b"


def test_workflows_try_every_python_that_is_named():
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "3." in line]
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    (listed,) = re.findall(r"python: \[(.*)\]", text)
    assert re.findall(r"[\d.]+", listed) == named


def test_messages_name_extras_that_there_are_as_every_shell_takes_them():
    """In double quotes: the command line of Windows has no others."""
    code = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = [name for text in code for name in re.findall(r"(.{13}rosenblatt\[\w+\].)", text)]
    assert {name[24:-2] for name in named} == {*OFFERED}
    assert {name[:24] + name[-1] for name in named} == {'pip install "rosenblatt["'}


@pytest.mark.parametrize("name", ["AGENTS.md", "llms.txt", ".github/README.md", "CONTRIBUTING.md"])
def test_what_a_text_names_is_there(name):
    page = ROOT / name
    text = page.read_text("utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / link).exists(), link
    targets = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"`make ([\w./-]+)", text):
        assert re.search(rf"^{re.escape(target)}:", targets, re.M), target
    for public in re.findall(r"`rb\.(\w+)", text):
        assert hasattr(rb, public), public


def test_the_version_is_the_same_everywhere():
    version = PROJECT["version"]
    for name, pattern in {
        "src/rosenblatt/__init__.py": r'^__version__ = "(.*)"$',
        "CITATION.cff": r"^version: (\S+)$",
        "docs/citing.md": r"version = \{(.*)\}",
        "recipe/recipe.yaml": r'version: "(.*)"',
        "CHANGELOG.md": r"^## (\S+)",
    }.items():
        found = re.findall(pattern, (ROOT / name).read_text("utf-8"), re.M)
        assert found[:1] == [version], name
        assert f"`{name}`" in (ROOT / ".github" / "README.md").read_text("utf-8")
