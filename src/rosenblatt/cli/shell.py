"""Manners of a command: where it writes, how it waits, how it fails."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from rosenblatt.cli.flags import in_flags
from rosenblatt.cli.signals import terminable
from rosenblatt.data.tables.reading import Progress
from rosenblatt.errors import RosenblattError
from rosenblatt.fit.report import plain

BAD_INPUT, BUG, INTERRUPTED = 2, 70, 130
SIGNALLED = 128  # plus the number of the signal: the exit code of a command that one ended
NOTHING_WRITTEN = "Interrupted; nothing was written."
PATIENCE = 2.0  # seconds before a progress bar appears


class Verbs(TyperGroup):
    """The verbs, with errors in one sentence and ``--debug`` anywhere on the line."""

    debug = as_json = False

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of the command itself."""
        return _without_type(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A verb by its name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _without_type(command.get_params(ctx))
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remove ``--debug``, wherever it stands before ``--``, and look for ``--json``."""
        end = args.index("--") if "--" in args else len(args)
        self.debug, self.as_json = "--debug" in args[:end], "--json" in args[:end]
        kept = [arg for at, arg in enumerate(args) if at >= end or arg != "--debug"]
        return super().parse_args(ctx, kept)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; errors in the input are printed in one sentence, without a traceback."""
        with warnings.catch_warnings(), told(), terminable() as came:
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                code = self._complain(NOTHING_WRITTEN, INTERRUPTED)
            except (RosenblattError, OSError, ImportError, ValueError, MemoryError) as error:
                code = self._explained(error)
            except typer.Exit as done:
                code = done.exit_code
            except TyperException as error:
                error.message = _with_pattern_quoted(error.message)
                self._emit_error(error.format_message())
                raise
            except typer.Abort:
                raise
            except Exception as error:
                # Python's own exit code would be 1, which is an answer of decide and verify.
                words = f"{type(error).__name__}: {_one_line(str(error))}"
                sentence = f"internal error: {words} (--debug shows where)"
                cut = _was_cut(error)
                code = INTERRUPTED if cut else BUG
                self._complain(NOTHING_WRITTEN if cut else sentence, code)
        # If Ctrl-C interrupted an exec of text (as dataclasses make), CPython ends the process by
        # that signal on exit although it was handled, unless another exec comes after it.
        exec("")
        raise typer.Exit(SIGNALLED + came[0] if came and code == INTERRUPTED else code)

    def _explained(self, error: BaseException) -> int:
        if _was_cut(error):
            return self._complain(NOTHING_WRITTEN, INTERRUPTED)
        return self._complain(_sentence(error), BAD_INPUT, "error: ")

    def _complain(self, sentence: str, code: int, what: str = "") -> int:
        if self.debug and code != INTERRUPTED:
            say(traceback.format_exc().rstrip())
        say(f"{what}{sentence}", style="bold yellow" if code == INTERRUPTED else "bold red")
        self._emit_error(sentence)
        return code

    def _emit_error(self, sentence: str) -> None:
        """Print an error as JSON with ``--json``; failures to write it are ignored."""
        if self.as_json:
            with suppress(Unwritten):
                emit({"error": sentence})


class Unwritten(RosenblattError):
    """Standard output cannot be written, so a result was not printed."""

    def __init__(self, error: OSError):
        super().__init__(
            f"standard output cannot be written ({error.strerror or error}); direct it to another "
            "place"
        )


def _with_pattern_quoted(message: str) -> str:
    """A refusal of more arguments, and what to do where they are files that a pattern named."""
    found = re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message)
    if found is None or not any(map(os.path.isfile, found[1].split())):
        return message
    return f"{message}. To read several files as one, quote the pattern, as in 'part-*.csv'"


def _without_type(options: list[Any]) -> list[Any]:
    """The help of flags without the type <bool>."""
    for option in options:
        if getattr(option, "is_flag", False) and option.metavar is None:
            option.metavar = ""
    return options


@contextmanager
def told() -> Iterator[None]:
    """What the package logs, as lines for the user."""
    log, handler = logging.getLogger("rosenblatt"), _Lines()
    log.addHandler(handler)
    before = log.level
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(handler)


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage(), style="dim")


def _was_cut(error: BaseException | None) -> bool:
    """Whether an error was caused by Ctrl-C, as in the middle of an import."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _one_line(text: str) -> str:
    """A text without line ends."""
    return " ".join(text.split())


def _sentence(error: BaseException) -> str:
    if isinstance(error, RosenblattError):
        return in_flags(_one_line(str(error)))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, ModuleNotFoundError) and error.name == "matplotlib":
        return 'figures need matplotlib: pip install "rosenblatt[plot]"'
    if isinstance(error, MemoryError):
        what = _one_line(str(error))
        return f"not enough memory{f' ({what})' if what else ''}; --stream reads a file in chunks"
    return _one_line(str(error)) or type(error).__name__


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    say(f"warning: {in_flags(str(message))}", style="yellow")


def console(stderr: bool = False) -> Any:
    """Standard output or error as it is now."""
    from rich.console import Console

    class Steady(Console):
        """A console that does not exit with 1 when its pipe closes: 1 is an answer of decide."""

        def on_broken_pipe(self) -> None:
            discard(self.file)

        def print(self, *what: Any, **how: Any) -> None:
            with _written(self.file):
                super().print(*what, **how)

    return Steady(stderr=stderr, highlight=False, markup=False, emoji=False)


def put(text: str) -> None:
    """Write a result to standard output as it is."""
    with _written(sys.stdout):
        sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def _written(stream: Any) -> Iterator[None]:
    """Raise `Unwritten` if a write within fails, unless the reader has closed the pipe."""
    try:
        yield
    except OSError as error:
        discard(stream)
        if not isinstance(error, BrokenPipeError):
            raise Unwritten(error) from error


def discard(stream: Any) -> None:
    """Discard unwritten output, so that Python does not fail at it again on exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def say(sentence: str, style: str = "") -> None:
    """Print a message on standard error; failures to write it are ignored."""
    with suppress(Unwritten):
        console(stderr=True).print(sentence, style=style, soft_wrap=True)


def unwritten(error: OSError) -> int:
    """Report that typer could not write, for example a help text; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
            continue
        discard(stream)
    if isinstance(error, BrokenPipeError):
        return 0
    say(f"error: {Unwritten(error)}", style="bold red")
    return BAD_INPUT


def emit(result: Any) -> None:
    """Print one JSON object on standard output."""
    put(json.dumps(plain(result), allow_nan=False, ensure_ascii=False) + "\n")


@contextmanager
def waiting(progress: Progress) -> Iterator[None]:
    """Show a live bar on a terminal once the work takes longer than two seconds.

    Parameters
    ----------
    progress : callable
        What is going on in words, and which fraction of it is done, if that is known.
    """
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show_bar, args=(progress, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show_bar(progress: Progress, done: threading.Event) -> None:
    began = time.perf_counter()
    if done.wait(PATIENCE):
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    from rosenblatt.engine.machine.jit import compiling

    columns = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        while True:
            words, fraction = ("compiling (once)", None) if compiling() else progress()
            seconds = time.perf_counter() - began
            bar.update(
                task,
                description=f"{seconds:.0f} s  {words}",
                completed=fraction or 0.0,
                total=None if fraction is None else 1.0,
            )
            if done.wait(0.1):
                return
