"""Find a Chromium or Chrome to test the lab in, or install Debian's where that is allowed.

Run by ``make browser``. The tests themselves only look: without a browser they are left out, and
the last line of ``make test`` says so; where ``CI`` is set that is an error.
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
    "The lab's page was not tested: that needs Chromium or Chrome, and none was found. Install one "
    "(on Debian or Ubuntu: apt-get install chromium), or set CHROMIUM to its path."
)
REQUIRED = bool(os.environ.get("CI"))


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
    told = "--tell" in sys.argv  # only what the tests have done
    if not (find() or told):
        install()
    if not find() and (told or REQUIRED):
        print(NEXT, file=sys.stderr)
        sys.exit(REQUIRED)
