"""The modules of the page as one script, for places that load just one: a file, a notebook.

Each module becomes a function that is called once and returns its exports, those it imports first.
"""

from __future__ import annotations

import posixpath
import re

from rosenblatt.lab.web.assets import assets

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[^"]+)";\n', re.MULTILINE)
LATER = re.compile(r'await import\("(\.{1,2}/[^"]+)"\)')
EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) (\w+)", re.MULTILINE)
AGAIN = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
REMARK = re.compile(r"^ *//.*\n", re.MULTILINE)


def bundle(entry: str) -> str:
    """JavaScript that runs a module and all that it imports, and names its exports ``main``.

    Parameters
    ----------
    entry : str
        Its path below ``static``.

    Examples
    --------
    >>> script = bundle("js/format.js")
    >>> script.startswith("const modules = {};"), "export" in script
    (True, False)
    """
    ordered: dict[str, str] = {}
    _gather(entry, assets(), ordered, ())
    parts = [f'modules["{path}"] = (() => {{\n{text}}})();\n' for path, text in ordered.items()]
    return f'const modules = {{}};\n{"".join(parts)}const main = modules["{entry}"];\n'


def _gather(
    path: str, found: dict[str, str], ordered: dict[str, str], above: tuple[str, ...]
) -> None:
    """Add a module after all that it imports."""
    if path in ordered:
        return
    if path in above:
        raise ValueError(f"modules import each other: {' → '.join((*above, path))}")

    def module(other: str) -> str:
        at = posixpath.normpath(posixpath.join(posixpath.dirname(path), other))
        _gather(at, found, ordered, (*above, path))
        return f'modules["{at}"]'

    text = IMPORT.sub(lambda m: f"const {{{_renamed(m[1])}}} = {module(m[2])};\n", found[path])
    text = LATER.sub(lambda m: module(m[1]), text)
    names = [m[2] for m in EXPORT.finditer(text)]
    names += [name.strip() for m in AGAIN.finditer(text) for name in m[1].split(",")]
    text = REMARK.sub("", AGAIN.sub("", EXPORT.sub(r"\1 \2", text)))
    ordered[path] = f"{text}return {{ {', '.join(names)} }};\n"


def _renamed(names: str) -> str:
    """Imported names as a pattern: ``a as b`` becomes ``a: b``."""
    return re.sub(r"(\w+) as (\w+)", r"\1: \2", names)
