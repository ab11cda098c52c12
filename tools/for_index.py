"""Make README fit for a package index: `python tools/for_index.py https://host/owner/name v0.1.0`.

README links to files beside it, which an index does not have. Before a release is built, its links
become those of the repository's tag, and pyproject.toml names the repository. That the tag is the
version is checked first. The release workflow runs this in its own checkout; nothing is committed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELATIVE = r"(?!\w+:|#)(?=[^)]+\))"  # where the address of a file beside README begins


def absolute(readme: str, home: str, tag: str) -> str:
    """Markdown with links to files of the repository as it is under a tag.

    Examples
    --------
    >>> for text in ("[scores](shell.md#scores)", "[![a](b.png)](c.md)", "[pip](https://pip.dev)"):
    ...     print(absolute(text, "https://host/me/it", "v1"))
    [scores](https://host/me/it/blob/v1/shell.md#scores)
    [![a](https://host/me/it/raw/v1/b.png)](https://host/me/it/blob/v1/c.md)
    [pip](https://pip.dev)
    """
    readme = re.sub(rf"(!\[[^]]*\]\(){RELATIVE}", rf"\g<1>{home}/raw/{tag}/", readme)
    return re.sub(rf"(\]\(){RELATIVE}", rf"\g<1>{home}/blob/{tag}/", readme)


def with_home(project: str, home: str) -> str:
    """pyproject.toml that names the repository.

    Examples
    --------
    >>> print(with_home("[project.scripts]", "https://host/me/it"))
    [project.urls]
    Source = "https://host/me/it"
    Issues = "https://host/me/it/issues"
    Changelog = "https://host/me/it/blob/main/CHANGELOG.md"
    <BLANKLINE>
    [project.scripts]
    """
    urls = {"Source": "", "Issues": "/issues", "Changelog": "/blob/main/CHANGELOG.md"}
    lines = "".join(f'{name} = "{home}{path}"\n' for name, path in urls.items())
    return project.replace("[project.scripts]", f"[project.urls]\n{lines}\n[project.scripts]", 1)


def main(home: str, tag: str) -> None:
    """Check the tag, and rewrite README.md and pyproject.toml in place."""
    project, readme = ROOT / "pyproject.toml", ROOT / "README.md"
    text = project.read_text("utf-8")
    version = tomllib.loads(text)["project"]["version"]
    if tag != f"v{version}":
        raise SystemExit(f"the tag is {tag}, and pyproject.toml says version {version}")
    readme.write_text(absolute(readme.read_text("utf-8"), home, tag), "utf-8")
    project.write_text(with_home(text, home), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
