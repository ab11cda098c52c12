"""Statements counted: how often each line of plain code runs, and what kinds of work it does."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rosenblatt.errors import InputError

Steps = Counter[tuple[int, int]]  # how often a line ran right after another, 0 for the call
KINDS = ("arithmetic", "logical", "comparison", "access", "assignment", "call", "control")


@dataclass(frozen=True)
class Statements:
    """How often each line of a function ran, and how many operations of each kind that makes.

    Attributes
    ----------
    lines : tuple of (str, int)
        The lines with something to execute, in order, and how often each ran.
    kinds : dict of str to int
        Arithmetic (``+``, ``*``), logical (``and``, ``or``, ``not``), comparison (``<``, ``==``),
        access (``A[i]``), assignment (``=``, ``+=``, and the variable of a loop), call, and
        control (``if``, ``for``, ``while``, ``return``).

    Examples
    --------
    >>> from rosenblatt.cost import search
    >>> statements(search, 7, [1, 2, 3]).kinds["comparison"]
    3
    """

    lines: tuple[tuple[str, int], ...]
    kinds: dict[str, int]

    @property
    def total(self) -> int:
        """Statements executed."""
        return sum(times for _, times in self.lines)

    def __str__(self) -> str:
        rows = [f"{times:>8,}  {text}" for text, times in self.lines]
        work = ", ".join(f"{count:,} {kind}" for kind, count in self.kinds.items() if count)
        return "\n".join(["   times  statement", *rows, f"{self.total:>8,}  in all: {work}"])


def statements(function: Callable[..., Any], *arguments: Any) -> Statements:
    """Run plain code and count how often each of its statements is executed.

    Lines of the function itself are counted, not those of what it calls: a call is one operation
    however long it takes, as long as it does not grow with the input. A ``for`` line runs once
    for each item and once more to find that there is none left. Write one statement a line;
    an ``and`` that stops early counts in full.

    Parameters
    ----------
    function : callable
        Written in Python, in a file or a notebook cell.
    *arguments
        Handed to it.

    Returns
    -------
    Statements

    Examples
    --------
    >>> from rosenblatt.cost import search
    >>> print(statements(search, 8, [5, 7, 9]))
       times  statement
           4  for i in range(len(A)):
           3  if A[i] == x:
           0  return i
           1  return -1
           8  in all: 3 comparison, 3 access, 3 assignment, 2 call, 8 control
    """
    try:
        source, first = inspect.getsourcelines(function)
        code = function.__code__
    except (AttributeError, OSError, TypeError):
        raise InputError(
            f"statements are counted in the source of a Python function, and {function!r} has none."
        ) from None
    text = textwrap.dedent("".join(source))
    steps: Steps = Counter()

    def enter(frame: Any, event: str, _: Any) -> Any:
        return _follow(steps, first - 1) if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return _table(ast.parse(text).body[0], text.splitlines(), steps)


def _follow(steps: Steps, offset: int) -> Callable[..., Any]:
    """A trace function of one frame that counts which line came after which."""
    last = 0

    def watch(frame: Any, event: str, _: Any) -> Any:
        nonlocal last
        if event == "line":
            line = frame.f_lineno - offset
            steps[last, line] += 1
            last = line
        return watch

    return watch


def _table(tree: Any, source: list[str], steps: Steps) -> Statements:
    lines: list[tuple[str, int]] = []
    kinds: dict[str, int] = dict.fromkeys(KINDS, 0)
    for node in _statements_of(tree):
        ran = sum(count for (_, line), count in steps.items() if line == node.lineno)
        lines.append((source[node.lineno - 1].strip(), ran))
        for kind, count in _work(node, ran, steps).items():
            kinds[kind] += count
    return Statements(tuple(lines), kinds)


def _statements_of(tree: Any) -> list[ast.stmt]:
    """The statements inside a function, in order, without its docstring."""
    inside = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node is not tree]
    told = [node for node in inside if not _is_text(node)]
    return sorted(told, key=lambda node: node.lineno)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _work(node: ast.stmt, ran: int, steps: Steps) -> Counter[str]:
    """The operations of a statement that ran so often.

    What a ``for`` goes over is found when it is come to from outside; its variable is assigned
    when its body comes next.
    """
    work: Counter[str] = Counter()
    if isinstance(node, ast.For):
        last = node.body[-1].end_lineno or node.lineno
        come = sum(
            count
            for (before, line), count in steps.items()
            if line == node.lineno and not node.lineno < before <= last
        )
        work["assignment"] += steps[node.lineno, node.body[0].lineno]
        for kind, count in _expressions(node.iter).items():
            work[kind] += count * come
    else:
        parts = [node.test] if isinstance(node, ast.If | ast.While) else [node]
        for part in parts:
            for kind, count in _expressions(part).items():
                work[kind] += count * ran
    if isinstance(node, ast.If | ast.For | ast.While | ast.Return | ast.Break | ast.Continue):
        work["control"] += ran
    return work


def _expressions(tree: ast.AST) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.BinOp() | ast.UnaryOp(op=ast.USub(), operand=ast.Name() | ast.Subscript()):
                found["arithmetic"] += 1
            case ast.AugAssign():
                found["arithmetic"] += 1
                found["assignment"] += 1
            case ast.Assign():
                found["assignment"] += len(node.targets)
            case ast.BoolOp():
                found["logical"] += len(node.values) - 1
            case ast.UnaryOp(op=ast.Not()):
                found["logical"] += 1
            case ast.Compare():
                found["comparison"] += len(node.ops)
            case ast.Subscript():
                found["access"] += 1
            case ast.Call():
                found["call"] += 1
    return found
