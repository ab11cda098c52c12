"""Find a Chromium or Chrome to test the lab in, or install Debian's where that is allowed.

Run by ``make browser``. The tests themselves only look; without a browser they fail and say this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
NEXT = (
    "The lab's browser tests need Chromium or Chrome, and none was found. Install one (on Debian "
    "or Ubuntu: apt-get install chromium), or set CHROMIUM to its path."
)


def find() -> str | None:
    """The path of a browser, if there is one."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    found = filter(None, map(shutil.which, NAMES))
    return next(found, None) or next(filter(os.path.exists, PLACES), None)


def install() -> None:
    """Install Debian's, as root or where sudo asks nothing."""
    if not shutil.which("apt-get"):
        return
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if prefix and not shutil.which("sudo"):
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        if subprocess.run([*prefix, "apt-get", "-qq", *command], env=quiet).returncode:
            return


if __name__ == "__main__":
    if not find():
        install()
    if not find():
        print(NEXT, file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") else 0)
