"""The lab's page, in a file."""

from __future__ import annotations

import pytest

from rosenblatt.lab.web.page import lab_html

# Two files of one name: neither is to be collected for doctests, which would import it anew.
collect_ignore = ["conftest.py", "browser/conftest.py"]


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address of the page, as anyone opens it: from a disk, without a server."""
    path = tmp_path_factory.mktemp("lab") / "index.html"
    path.write_text(lab_html(), "utf-8")
    return path.as_uri()
