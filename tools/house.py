"""What a default fit runs through: frames, files, functions, depth, constants and questions.

    python tools/house.py

A mirror, not a limit: the fewer concepts a fit needs, the easier it is to hold in mind.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "rosenblatt"
# Module whose constants decide when to prove and which weights predict.
DECIDING = ("fit/constants.py",)
# Module whose constants make columns alike, for the mean.
ALIKE = ("engine/scaling.py",)
FOLDERS = ("fit", "engine", "solve", "places")
# Tokens that a line without code may have.
NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


class Trace(NamedTuple):
    """What was called: files, functions, the deepest stack, and the stack at the first pass."""

    files: int
    functions: int
    deepest: int
    to_the_loop: int


def traced(work: Callable[[], Any], package: str) -> Trace:
    """Run some work, and count the functions of a package that it calls."""
    seen, stack, deepest, first = set(), [], 0, 0

    def watch(frame: Any, event: str, _: Any) -> None:
        nonlocal deepest, first
        code = frame.f_code
        if f"/{package}/" not in code.co_filename:
            return
        if event == "call":
            seen.add((code.co_filename, code.co_qualname))
            stack.append(code)
            deepest = max(deepest, len(stack))
            if not first and code.co_name in ("look", "_plain_sgd", "_fit_binary"):
                first = len(stack)
        elif event == "return" and stack:
            stack.pop()

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return Trace(len({file for file, _ in seen}), len(seen), deepest, first)


def constants(path: Path) -> list[str]:
    """The names of a module's numbers, in capitals."""
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            names = [
                n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
            ]
            numbers = [n for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
            if all(name.isupper() for name in names) and any(
                isinstance(n.value, (int, float)) for n in numbers
            ):
                found += names
    return found


def members(path: Path, name: str) -> tuple[int, int]:
    """The methods and the properties of a class."""
    tree = ast.parse(path.read_text())
    (found,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    functions = [n for n in found.body if isinstance(n, ast.FunctionDef)]
    facts = sum(bool(n.decorator_list) for n in functions)
    return len(functions) - facts, facts


def lines(folder: Path) -> tuple[int, int, int]:
    """Files of a folder, their lines, and those that are code: no comment, docstring or blank."""
    files = list(folder.rglob("*.py"))
    texts = [file.read_text() for file in files]
    return len(files), sum(map(count_lines, texts)), sum(map(count_code, texts))


def count_lines(text: str) -> int:
    """All lines."""
    return len(text.splitlines())


def count_code(text: str) -> int:
    """Lines with a token that is neither a comment nor a docstring.

    >>> count_code(chr(10).join(["'A docstring.'", "", "# Why.", "x = [", "    1,", "]"]))
    3
    """
    said = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            said.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - said)


def main() -> None:
    """Print the table."""
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.linear_model import Perceptron as Theirs

    from rosenblatt import Perceptron

    for title, (X, y) in {
        "separable (iris 0)": (lambda d: (d[0], d[1] == 0))(load_iris(return_X_y=True)),
        "inseparable (iris 2)": (lambda d: (d[0], d[1] == 2))(load_iris(return_X_y=True)),
        "breast cancer": load_breast_cancer(return_X_y=True),
    }.items():
        for who, model, package in (
            ("rosenblatt", Perceptron(), "rosenblatt"),
            ("scikit-learn", Theirs(), "sklearn"),
        ):
            model.fit(X, y)  # what is compiled and imported first is not asked about
            made = traced(lambda model=model, X=X, y=y: model.fit(X, y), package)
            print(
                f"{title:22} {who:13} files {made.files:3}  functions {made.functions:4}  "
                f"deepest stack {made.deepest:3}  frames to the loop {made.to_the_loop or '-':>3}"
            )
    for title, modules in (("decide when and which", DECIDING), ("make columns alike", ALIKE)):
        found = {name: constants(SOURCE / name) for name in modules}
        print(f"constants that {title}: {sum(map(len, found.values()))}", found)
    searching = {p.name: constants(p) for p in sorted((SOURCE / "solve").glob("*.py"))}
    print(f"constants of the search: {sum(map(len, searching.values()))}")
    methods, facts = members(SOURCE / "places" / "place.py", "Place")
    print(f"Place: {methods} questions, {facts} facts")
    of_a_place = re.compile(r"isinstance\([\w.]+, \(?(Memory|File|Cluster)\b")
    asked = sum(len(of_a_place.findall(path.read_text())) for path in SOURCE.rglob("*.py"))
    print(f"isinstance(place, …): {asked}")
    for folder in FOLDERS:
        print("{:10} {:3} files {:6,} lines {:6,} of code".format(folder, *lines(SOURCE / folder)))
    print("{:10} {:3} files {:6,} lines {:6,} of code".format("src", *lines(SOURCE)))


if __name__ == "__main__":
    main()
