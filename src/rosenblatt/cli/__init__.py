"""The command line: parse, call, print. Nothing here learns."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        # Ahead of all imports but this package's name: a shell prompt may ask for it.
        from rosenblatt import __version__

        print(f"rosenblatt {__version__}")
        return
    from rosenblatt.cli.app import app

    app(prog_name="rosenblatt")
