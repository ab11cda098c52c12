"""A release as its users get it: built from a fresh clone, installed in an empty place, and tried.

What is committed is built, checked by twine, and looked through for what does not belong there. The
wheel goes into an empty environment, in which README's lines and commands run, from a folder
without the checkout. Last comes what an installation takes. `make release-check` runs it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
# What the archives hold beside the package itself.
SOURCE = {"src", "CHANGELOG.md", "CITATION.cff", "LICENSE", "PKG-INFO", "README.md"}
SOURCE |= {"pyproject.toml", ".gitignore"}  # of the second hatchling reads what to leave out
KINDS = {".css", ".csv", ".gz", ".html", ".js", ".json", ".md", ".py", ".svg", ".typed", ".woff2"}
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
# Exit codes that are answers: of `decide` and `separation`, of `errors` that is not proved.
ANSWERS = (0, 1, 3)


class Command(NamedTuple):
    """A line of a page that can be tried, and what it may end with."""

    line: str
    extra: str | None  # an extra that it asks for, where it is not installed


def commands(page: str) -> list[Command]:
    """The commands of a page that need nothing but the package.

    A page that waits for a visitor, and files of the reader's own, are left out.

    Examples
    --------
    >>> page = '''```console
    ... $ rosenblatt decide iris   # a comment
    ... $ rosenblatt plot regions iris -o regions.png
    ... $ rosenblatt lab
    ... $ make test
    ... ```
    ... '''
    >>> commands(page)
    [Command(line='rosenblatt decide iris', extra=None),
     Command(line='rosenblatt plot regions iris -o regions.png', extra='plot')]
    """
    found = []
    for block in CONSOLE.findall(page):
        for line in re.findall(r"^\$ (rosenblatt .*)$", block, re.M):
            words = shlex.split(line, comments=True)
            if words[1] == "lab" and "--export" not in words:
                continue
            found.append(
                Command(line.split("  #")[0].strip(), words[1] if words[1] == "plot" else None)
            )
    return found


def stray(names: list[str], wheel: bool) -> list[str]:
    """The files of an archive that nobody who installs the package needs.

    Examples
    --------
    >>> stray(["rosenblatt/errors.py", "rosenblatt/README.md", "rosenblatt-0.dist-info/METADATA"],
    ...       wheel=True)
    ['rosenblatt/README.md']
    >>> stray(["rosenblatt-0.1.0/README.md", "rosenblatt-0.1.0/docs/README.md"], wheel=False)
    ['rosenblatt-0.1.0/docs/README.md']
    >>> stray(["rosenblatt-0.1.0/tests/oracle.py"], wheel=False)  # which needs the checkout
    ['rosenblatt-0.1.0/tests/oracle.py']
    """
    odd = []
    for name in names:
        top, *path = name.split("/")
        if wheel and top.endswith(".dist-info"):
            continue
        known = top == "rosenblatt" if wheel else path[0] in SOURCE
        readme = path[-1].startswith("README") and (wheel or len(path) > 1)
        package = wheel or path[:2] == ["src", "rosenblatt"]
        if not known or readme or (package and Path(name).suffix not in KINDS):
            odd.append(name)
    return odd


def run(command: list[str | Path], where: Path, **how: object) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed, and show what it printed where it does not."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        **how,
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def build(folder: Path) -> Path:
    """Build what is committed and check the archives; returns the wheel."""
    clone, dist = folder / "clone", folder / "dist"
    run(["git", "clone", "--quiet", ROOT, clone], folder)
    run([sys.executable, "-m", "build", "--outdir", dist], clone)
    shutil.rmtree(clone)
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    print(run([sys.executable, "-m", "twine", "check", "--strict", wheel, source], folder).stdout)
    with zipfile.ZipFile(wheel) as archive:
        odd = stray(archive.namelist(), wheel=True)
    with tarfile.open(source) as archive:
        odd += stray(archive.getnames(), wheel=False)
    if odd:
        raise SystemExit("These files do not belong into a release:\n" + "\n".join(odd))
    return wheel


def installed(folder: Path, wheel: Path) -> Path:
    """An environment that holds the wheel and what it needs; returns its folder of programs."""
    home = folder / "environment"
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    constraints = ["--constraint", ROOT / "constraints.txt"]
    run([programs / "python", "-m", "pip", "install", "--quiet", *constraints, wheel], folder)
    run([programs / "python", "-m", "pip", "check"], folder)
    return programs


def try_pages(folder: Path, programs: Path) -> None:
    """Run README's lines and commands, and those with which the shell's page begins."""
    readme = (ROOT / "README.md").read_text("utf-8")
    shell = (ROOT / "docs" / "shell.md").read_text("utf-8").partition("\n## ")[0]
    empty = folder / "empty"
    empty.mkdir()
    (empty / "README.md").write_text(readme, "utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean["PATH"] = os.pathsep.join([str(programs), clean["PATH"]])
    flags = ["-o", "NORMALIZE_WHITESPACE", "-o", "ELLIPSIS"]
    run([programs / "python", "-m", "doctest", *flags, "README.md"], empty, env=clean)
    for line, extra in commands(readme) + commands(shell):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=empty, env=clean, capture_output=True, text=True, check=False,
        )  # fmt: skip
        fine = done.returncode in ANSWERS and not done.stderr.startswith("error")
        if extra is not None:
            fine = done.returncode == 2 and f"rosenblatt[{extra}]" in done.stderr
        if not fine:
            raise SystemExit(f"$ {line}\n{done.stdout}{done.stderr}exit code {done.returncode}")
        asked = f": asks for the extra {extra}" if extra else ""
        print(f"$ {line}\n  exit code {done.returncode}{asked}")


def tell_size(programs: Path) -> None:
    """Print what an installation takes, the largest first, without what was there before."""
    code = (
        "import importlib.metadata as m\n"
        "for d in m.distributions():\n"
        "    size = sum(f.locate().stat().st_size for f in d.files if f.locate().is_file())\n"
        "    print(size, d.name)\n"
    )
    lines = run([programs / "python", "-c", code], ROOT).stdout.splitlines()
    found = [(int(size), name) for size, name in map(str.split, lines)]
    sizes = [(size, name) for size, name in found if name not in ("pip", "setuptools")]
    for size, name in sorted(sizes, reverse=True):
        print(f"{size / 1e6:8.1f} MB  {name}")
    print(f"{sum(size for size, _ in sizes) / 1e6:8.1f} MB in {len(sizes)} packages")


def main() -> None:
    """Build, install and try a release."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        programs = installed(folder, wheel)
        try_pages(folder, programs)
        tell_size(programs)


if __name__ == "__main__":
    main()
