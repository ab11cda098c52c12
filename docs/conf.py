"""Sphinx: MyST pages, the API from docstrings, and the gallery drawn by sphinx-gallery."""

from __future__ import annotations

import importlib.metadata
import os

os.environ.setdefault("MPLBACKEND", "Agg")

project = "rosenblatt"
author = copyright = "The rosenblatt developers"
release = version = importlib.metadata.version("rosenblatt")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_title = "rosenblatt"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
myst_enable_extensions = ["dollarmath", "colon_fence"]
autodoc_typehints = "none"
# Methods inherited from scikit-learn refer to labels of its own pages.
suppress_warnings = ["ref.ref"]
napoleon_google_docstring = False
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "subsection_order": [
        f"gallery/{name}"
        for name in ("lecture", "spaces", "proof", "certificates", "classes", "cost")
    ],
    "within_subsection_order": "FileNameSortKey",
    "matplotlib_animations": True,
    "remove_config_comments": True,
    "show_memory": False,
    "download_all_examples": False,
    "abort_on_example_error": True,
}
