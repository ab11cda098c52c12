"""A running lab, one in a worker."""

from __future__ import annotations

import threading

import pytest

from rosenblatt.lab.experiment import compute
from rosenblatt.lab.presets import presets
from rosenblatt.lab.web.serving import bound, make_server

# Two files of one name: neither is to be collected for doctests, which would import it anew.
collect_ignore = ["conftest.py", "browser/conftest.py"]


@pytest.fixture(scope="session")
def lab():
    """The address of a running lab; all is compiled before a page waits for it."""
    for preset in presets():
        compute(preset["experiment"])
    listening = bound("127.0.0.1", 0)
    server = make_server("127.0.0.1", log_level="critical")
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)
    listening.close()
