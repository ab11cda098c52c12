"""Ask every question and write the answers: ``python benchmarks/run.py [script ...]``.

A script is a file here with a function ``main`` and a line ``QUESTION = "…"`` (or the question
given to ``heading`` itself). Each runs in a process of its own within a time limit; one that fails
or runs out of time is marked, keeps what it had printed, and the others go on. ``QUICK=1`` asks
small versions, one on each core, and writes RESULTS-quick.md: it shows that everything runs, and
measures nothing.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import NamedTuple

from harness import QUICK, core_count, machine, table
from peers import listing, versions

HERE = Path(__file__).parent
RESULTS = HERE / ("RESULTS-quick.md" if QUICK else "RESULTS.md")
# What all questions together may take, and one of them: seconds.
BUDGET = 115 if QUICK else 30 * 60
LIMIT = 30 if QUICK else 300
# The order of the answers; scripts that are not named here follow, by name.
FIRST = (
    "time_to_separator",
    "one_pass",
    "decide",
    "fit_cost",
    "max_margin",
    "multiclass",
    "one_vs_rest",
    "prediction",
    "kernel_perceptron",
    "all_cores",
    "averaging",
    "accuracy",
    "odd_data",
    "accuracy_per_second",
    "text_accuracy",
    "whole_process",
    "file_to_model",
    "read_svmlight",
    "learn_one",
    "start_up",
    "memory",
    "growth",
)
# Asked only by name: they are no races, and take minutes.
APART = ("dask_scaling", "ablation", "separation")


class Answer(NamedTuple):
    """What came of one question."""

    name: str
    question: str
    text: str
    seconds: float
    trouble: str = ""


def question_of(script: Path) -> str | None:
    """The script's question, read without running it; None if it is no question's script."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    if not any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
        return None
    for node in ast.walk(tree):
        named = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "QUESTION"
        printed = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "heading"
        said = node.value if named else node.args[0] if printed and node.args else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            return said.value
    return None


def scripts(folder: Path = HERE) -> dict[str, str]:
    """Every script's name and question, in the order of the answers."""
    found = {path.stem: question_of(path) for path in sorted(folder.glob("*.py"))}
    asked = {name: question for name, question in found.items() if question is not None}
    ranks = {name: rank for rank, name in enumerate(FIRST)}
    return {name: asked[name] for name in sorted(asked, key=lambda n: (ranks.get(n, 99), n))}


def ask(name: str, question: str, limit: float) -> Answer:
    """Run one script within so many seconds; what it printed survives whatever happens to it."""
    if limit < 1:
        return Answer(name, question, "", 0.0, "not asked: the time for all questions was spent")
    began, trouble = time.perf_counter(), ""
    environment = os.environ | {"BENCH_RUN": "1", "PYTHONUNBUFFERED": "1", "MPLBACKEND": "Agg"}
    process = subprocess.Popen(
        [sys.executable, str(HERE / f"{name}.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        start_new_session=True,
    )
    try:
        text, said = process.communicate(timeout=limit)
        if process.returncode:
            trouble = in_words((said.strip().splitlines() or ["without a word"])[-1])
    except subprocess.TimeoutExpired:
        _end(process)
        text, said = process.communicate()
        trouble = f"stopped after {limit:.0f} s; what it had found by then is shown"
    except KeyboardInterrupt:
        _end(process)
        raise
    return Answer(name, question, text, time.perf_counter() - began, trouble)


def in_words(last: str) -> str:
    """What became of a script whose last words are these."""
    missing = last.removeprefix("ModuleNotFoundError: ")
    return f"failed: {last}" if missing == last else f"is absent here: {missing}"


def _end(process: subprocess.Popen[str]) -> None:
    """End a script and the processes that it started, which are of its session."""
    import signal

    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def targets(answers: list[Answer]) -> list[str]:
    """What was asked and measured, collected from all answers."""
    lines = [line for a in answers for line in a.text.splitlines() if line.startswith("Asked: ")]
    return [f"- {line.removeprefix('Asked: ')}" for line in lines]


def section(answer: Answer) -> str:
    """One answer as it stands in the results."""
    text = answer.text.strip() or f"## {answer.question}\n\n`python benchmarks/{answer.name}.py`"
    mark = f"\n\n**This script {answer.trouble}.**" if answer.trouble else ""
    return f"{text}{mark}\n\n*{answer.seconds:.0f} s.*"


def report(answers: list[Answer], load: float) -> str:
    """The whole of the results."""
    lines = [
        "# Results",
        "",
        f"Written by `make bench{' QUICK=1' if QUICK else ''}` on {date.today()}: "
        f"{sum(a.seconds for a in answers):.0f} s. Medians [fastest, slowest] of "
        f"{'3' if QUICK else 'at least 5'} interleaved repeats, fewer where it says so; a ratio "
        "is theirs over ours. How to read them: [README](README.md).",
        "",
        *machine(),
        "- " + ", ".join(f"{name} {version}" for name, version in versions().items()),
        f"- load average when it began: {load:.1f}"
        + (" (**not quiet: the seconds are noise, the ratios less so**)" if load > 0.5 else ""),
        "",
        "## What was asked",
        "",
        *targets(answers),
        "",
        *(section(answer) + "\n" for answer in answers),
        "## Peers and their settings",
        "",
        rows_of(listing()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def rows_of(rows: list[dict[str, str]]) -> str:
    """A table as text."""
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        table(rows)
    return out.getvalue()


def write(text: str, path: Path = RESULTS) -> None:
    """Put the results in their place, all of them or none."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def main(chosen: list[str]) -> int:
    """Ask, print progress, write; the number of scripts that failed."""
    asked = scripts()
    unknown = [name for name in chosen if name not in asked]
    if unknown:
        sys.exit(f"No script is called {', '.join(unknown)}; there are {', '.join(asked)}.")
    wanted = chosen or [name for name in asked if name not in APART]
    asked = {name: asked[name] for name in asked if name in wanted}
    load, began = os.getloadavg()[0], time.perf_counter()

    def answer(name: str) -> Answer:
        left = BUDGET - (time.perf_counter() - began)
        found = ask(name, asked[name], min(LIMIT, left))
        outcome = found.trouble or "answered"
        print(f"{found.seconds:5.0f} s  {name}: {found.question}: {outcome}", flush=True)
        return found

    print(f"{len(asked)} questions, at most {BUDGET / 60:.0f} minutes", flush=True)
    with ThreadPoolExecutor(core_count() if QUICK else 1) as pool:
        answers = list(pool.map(answer, asked))
    text = report(answers, load)
    if chosen:
        print(text)
    else:
        write(text)
        print(f"{RESULTS.name} written after {time.perf_counter() - began:.0f} s.")
        print("\n".join(targets(answers)))
    return sum(answer.trouble.startswith("failed") for answer in answers)


if __name__ == "__main__":
    sys.exit(main([name.removesuffix(".py") for name in sys.argv[1:]]) > 0)
