"""The pictures of the lab's page. Writes ``docs/_static/lab/*.png``.

Starts a lab of its own, opens it in a Chromium of Playwright's (``playwright install chromium``,
or the path of another in ``CHROMIUM``), and needs pillow.
"""

from __future__ import annotations

import io
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from rosenblatt.lab.lessons.lesson import read_lesson
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.web.serving import bound, make_server

TARGET = Path(__file__).parent / "_static" / "lab"
APART = (
    "3,3,1;2.5,3.25,1;-2.5,3.25,1;1.5,-3,0;2.5,1.5,1;1.5,1.25,1;-1,-0.25,0;-1,-3.25,0;4,-3,0;"
    "-1,-3.5,0;-1.25,0.5,0;0,2.25,1;3.75,-0.75,1;-0.25,2.5,1"
)
FIVE = "3,0.5,1;-1,3,1;1.5,2,1;0.5,-3,0;-3,2.5,0"
STATIONS = ("line", "mistake", "adding", "bias", "bound", "order", "inseparable", "margin")


def main() -> None:
    """Take and write them all."""
    listening = bound("127.0.0.1", 0)
    server = make_server("127.0.0.1", log_level="critical")
    threading.Thread(target=server.run, args=([listening],), daemon=True).start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"]
        )
        camera = Camera(browser, address)
        camera.take("light", f"#p={FIVE}&at=7")
        camera.take("dark", f"#p={APART}&at=99&show=planes,surface", theme="dark")
        camera.take("features", f"#p={APART};0.5,-0.5,1;-2,2,0&kernel=rbf&ask=-4,-2&at=99")
        camera.take("classes", "#c=a&c=b&c=c&p=-3,2,0;-2,3,0;3,2,1;2,3,1;0,-3,2;1,-2,2&at=2")
        camera.take("projector", f"#p={FIVE}&at=0.5&show=projector", size=(1280, 720))
        camera.take("quiz", f"#p={FIVE}&at=3&show=projector", presses=["Quiz"])
        camera.take("phone", f"#p={FIVE}&at=7", size=(390, 844))
        camera.take("phone-tour", presses=["Tour", "Next station"], size=(390, 844))
        for number, name in enumerate(STATIONS):
            camera.take(name, presses=["Tour", *["Next station"] * number])
        camera.report("mydata-light", size=(1400, 1300))
        camera.lesson("lesson", page=4, size=(1280, 900))
        browser.close()
    server.should_exit = True


class Camera:
    """Takes pictures of the lab at an address."""

    def __init__(self, browser: Any, address: str):
        self.browser, self.address = browser, address

    def take(
        self,
        name: str,
        link: str = "",
        *,
        presses: Any = (),
        theme: str = "light",
        size: tuple[int, int] = (1360, 900),
    ) -> None:
        """One picture, of a link, after some buttons are pressed."""
        page = self._page(size, theme)
        page.goto(self.address + link)
        settled = '.rb-lab[aria-busy="false"]'
        page.wait_for_selector(settled, timeout=120_000)
        for button in presses:
            page.get_by_role("button", name=button, exact=True).click()
            page.wait_for_selector(settled)
        self._save(name, page)

    def report(self, name: str, size: tuple[int, int]) -> None:
        """The report of My data on the iris flowers."""
        page = self._page(size)
        page.goto(f"{self.address}mydata")
        page.get_by_role("button", name="Take the iris flowers").click()
        page.get_by_role("button", name="Make the report").click()
        page.get_by_text("Done.").wait_for(timeout=120_000)
        page.evaluate("scrollTo(0, 0)")
        self._save(name, page)

    def lesson(self, name: str, page: int, size: tuple[int, int]) -> None:
        """A page of the example of a lesson, from the file."""
        source = Path(__file__).parents[1] / "examples" / "lesson.md"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "lesson.html"
            file.write_text(lesson_html(read_lesson([str(source)])), "utf-8")
            opened = self._page(size)
            opened.goto(f"{file.as_uri()}#{page}")
            opened.wait_for_selector(".lesson .fixed")
            self._save(name, opened)

    def _page(self, size: tuple[int, int], theme: str = "light") -> Any:
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,
            has_touch=size[0] < 500,
            reduced_motion="reduce",
        )
        return context.new_page()

    def _save(self, name: str, page: Any) -> None:
        page.wait_for_timeout(300)
        taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        taken.quantize(256, dither=Image.Dither.NONE).save(TARGET / f"{name}.png", optimize=True)
        page.context.close()


if __name__ == "__main__":
    main()
