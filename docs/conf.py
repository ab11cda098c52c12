"""Sphinx: MyST pages, the reference from docstrings, and the gallery drawn by sphinx-gallery."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "Agg")

import inventories  # noqa: E402  (beside this file, in _ext)

project = "rosenblatt"
author = copyright = "The rosenblatt developers"
release = version = importlib.metadata.version("rosenblatt")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "blocks",
    "lab_links",
    "mathml",
    "measured",
    "notebooks",
    "pictures",
    "public_names",
    "root_pages",
    "said",
    "verbs",
]
exclude_patterns = ["_build", "_ext", "gallery/**", "inventories"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "rosenblatt"
html_copy_source = False
html_theme_options = {
    "logo": {"text": "rosenblatt"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navigation_with_keys": False,
    # Chapters of the course have a menu of all chapters, and need the rest of the width for traces.
    "secondary_sidebar_items": {
        "course/[1-9]*": [],
        **{pages: ["page-toc"] for pages in ("course/[!1-9]*", "c[!o]*", "[!c]*")},
    },
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"*": []}  # pages without others below them
html_math_renderer = "mathml"
smartquotes = False  # --stream has two hyphens

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3
# Links to the lab begin so (lab_links); where it lies, from the top of the site or with https://.
myst_url_schemes = ["http", "https", "mailto", "ftp", "lab"]
lab_address = "lab/index.html"

# Names in single backticks of a docstring are links where the reference has them (public_names).
default_role = "py:obj"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
# File systems that do not tell Trace from trace keep both pages.
autosummary_filename_map = {"rosenblatt.trace": "rosenblatt.trace_function"}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# What other sites have is listed in docs/inventories, so that a build needs no network.
intersphinx_mapping = inventories.mapping(HERE / "inventories", HERE / "_build" / "inventories")

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "subsection_order": [
        f"gallery/{name}"
        for name in ("lecture", "spaces", "proof", "certificates", "classes", "cost")
    ],
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "reference/generated/backreferences",
    "doc_module": ("rosenblatt",),
    "reference_url": {"rosenblatt": None},
    "capture_repr": ("_repr_html_",),  # what a notebook would draw, and no array of axes
    "image_scrapers": ("both_themes.scraper",),
    "matplotlib_animations": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "abort_on_example_error": True,
}
