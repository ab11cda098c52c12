"""A request of the lab draws on no plotting package."""

from __future__ import annotations

import subprocess
import sys

REQUESTS = """
import sys
sys.modules["matplotlib"] = None
from rosenblatt.lab.experiment import compute
from rosenblatt.lab.presets import presets
for preset in presets():
    assert compute(preset["experiment"])["run"]["rows"]
points = [[1, 1, 1], [-1, -1, 0], [2, -1, 0]]
assert compute({"points": points, "settings": {"rule": "batch"}})["run"]["rows"]
print(*(name for name in sys.modules if name.startswith("rosenblatt.figures")))
"""


def test_every_preset_is_answered_where_matplotlib_cannot_be_imported():
    done = subprocess.run([sys.executable, "-c", REQUESTS], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
