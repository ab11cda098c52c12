"""The tools that build and check the site."""

from __future__ import annotations

import importlib.util
import json
import zlib
from pathlib import Path

import rosenblatt as rb

ROOT = Path(__file__).parents[2]


def tool(path):
    """A script beside the pages, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_site = tool(ROOT / "docs" / "check_site.py")
root_pages = tool(ROOT / "docs" / "_ext" / "root_pages.py")
inventories = tool(ROOT / "docs" / "_ext" / "inventories.py")


def site(folder, page, words=check_site.WORDS):
    (folder / "index.html").write_text(page)
    (folder / "other.html").write_text('<h1 id="top">Other</h1>')
    terms = {check_site.WORDS[word]: 0 if word == "margin" else [0, 1] for word in words}
    index = {"terms": terms, "titleterms": {}, "docnames": ["index", "other"]}
    (folder / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})")
    return check_site.complaints(folder)


def test_a_sound_site_has_no_complaints(tmp_path):
    page = '<a href="other.html#top">x</a><a href="https://e.org/x">y</a>'
    page += '<img src="other.html" alt="z">'
    assert site(tmp_path, page) == []


def test_broken_links_and_silent_images_are_told(tmp_path):
    page = '<a href="gone.html">x</a><a href="other.html#gone">y</a><a href="#z">z</a>'
    page += '<img src="other.html">'
    told = site(tmp_path, page)
    assert len(told) == 4
    assert all("index.html" in line for line in told)


def test_a_word_that_the_search_does_not_know_is_told(tmp_path):
    assert len(site(tmp_path, "", words=["margin"])) == len(check_site.WORDS) - 1


def test_text_of_other_files_has_links_that_work():
    text = "# T\n\nSee [a](docs/start.md), [b](LICENSE), [c](https://e.org), ![d](x/y.png).\n"
    shown = root_pages.part(text, None, None, ROOT, 0)
    assert "[a](start.md), b (`LICENSE`), [c](https://e.org), ![d](../x/y.png)" in shown
    assert root_pages.part("# T\n## A\nx\n## B\ny\n", "A", "B", ROOT, 0).strip() == "## A\nx"


def test_inventories_are_read_by_sphinx(tmp_path):
    known = inventories.mapping(ROOT / "docs" / "inventories", tmp_path)
    assert {"numpy", "scipy", "sklearn", "pandas", "dask"} <= known.keys()
    packed = Path(known["numpy"][1]).read_bytes().split(b"\n", 4)[4]
    assert b"numpy.ndarray py:class 1 " in zlib.decompress(packed)


def test_the_version_to_cite_is_the_version():
    for name in ("CITATION.cff", "docs/citing.md"):
        assert rb.__version__ in (ROOT / name).read_text("utf-8")
