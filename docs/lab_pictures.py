"""The pictures of the lab's page. Writes ``docs/_static/lab/*.png``.

Opens the page in a Chromium of Playwright's (``playwright install chromium``, or the path of
another in ``CHROMIUM``), and needs pillow.
"""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from rosenblatt.data.tables.reading import Choice, read_file
from rosenblatt.lab.lessons.lesson import read_lesson
from rosenblatt.lab.lessons.lesson_file import lesson_html
from rosenblatt.lab.report.findings import Question
from rosenblatt.lab.report.page import report_html
from rosenblatt.lab.web.page import figures_css, figures_js, lab_html

TARGET = Path(__file__).parent / "_static" / "lab"
APART = (
    "3,3,1;2.5,3.25,1;-2.5,3.25,1;1.5,-3,0;2.5,1.5,1;1.5,1.25,1;-1,-0.25,0;-1,-3.25,0;4,-3,0;"
    "-1,-3.5,0;-1.25,0.5,0;0,2.25,1;3.75,-0.75,1;-0.25,2.5,1"
)
FIVE = "3,0.5,1;-1,3,1;1.5,2,1;0.5,-3,0;-3,2.5,0"
STATIONS = ("line", "mistake", "adding", "bias", "bound", "order", "inseparable", "margin")
FIGURES = ("update", "spaces", "risk", "sandwich", "xor", "far")
STILL = ".rb-lab.figure .controls, .rb-lab.figure .drag-hint { display: none; }"


def main() -> None:
    """Take and write them all."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        (Path(folder) / "index.html").write_text(lab_html(), "utf-8")
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"]
        )
        camera = Camera(browser, Path(folder))
        camera.take("light", "#at=9", settings=True)
        camera.take("dark", f"#p={APART}&at=99&show=planes,surface", theme="dark")
        camera.take("features", f"#p={APART};0.5,-0.5,1;-2,2,0&kernel=rbf&ask=-4,-2&at=99")
        camera.take("classes", "#c=a&c=b&c=c&p=-3,2,0;-2,3,0;3,2,1;2,3,1;0,-3,2;1,-2,2&at=2")
        camera.take("projector", f"#p={FIVE}&at=0.5&show=projector", size=(1280, 720))
        camera.take("quiz", f"#p={FIVE}&at=3&show=projector", presses=["Quiz"])
        camera.take("phone", f"#p={FIVE}&at=7", size=(390, 844))
        camera.take("phone-tour", presses=["Tour", "Next station"], size=(390, 844))
        for number, name in enumerate(STATIONS):
            camera.take(name, presses=["Tour", *["Next station"] * number])
        camera.report("report", size=(1400, 1300))
        camera.lesson("lesson", page=4, size=(1280, 900))
        camera.figures()
        browser.close()


class Camera:
    """Takes pictures of pages in a folder."""

    def __init__(self, browser: Any, folder: Path):
        self.browser, self.folder = browser, folder

    def take(
        self,
        name: str,
        link: str = "",
        *,
        presses: Any = (),
        theme: str = "light",
        size: tuple[int, int] = (1360, 900),
        settings: bool = False,
    ) -> None:
        """One picture, of a link, after some buttons are pressed."""
        page = self._page(size, theme)
        page.goto((self.folder / "index.html").as_uri() + ("" if settings else link))
        page.wait_for_selector(".rb-lab .point")
        if settings:  # the first screen, some steps on
            for _ in range(9):
                page.get_by_role("button", name="Step", exact=True).click()
        for button in presses:
            page.get_by_role("button", name=button, exact=True).click()
        self._save(name, page)

    def report(self, name: str, size: tuple[int, int]) -> None:
        """The report on the iris flowers."""
        from sklearn.datasets import load_iris

        X, y = load_iris(return_X_y=True)
        names = load_iris().target_names
        rows = "".join(
            ",".join([*map(str, row), names[code]]) + "\n" for row, code in zip(X, y, strict=True)
        )
        table = self.folder / "iris.csv"
        table.write_text(f"sepal length,sepal width,petal length,petal width,kind\n{rows}")
        text = report_html(read_file(str(table), Choice()), Question(Choice()), lambda words: None)
        self._open(name, text.replace(str(self.folder) + "/", ""), size)

    def lesson(self, name: str, page: int, size: tuple[int, int]) -> None:
        """A page of the example of a lesson, from the file."""
        source = Path(__file__).parents[1] / "examples" / "lesson.md"
        self._open(name, lesson_html(read_lesson([str(source)])), size, f"#{page}")

    def figures(self) -> None:
        """What stands in place of the live figures where nothing can move."""
        places = "".join(f'<div class="rb-live live-{name}"><p></p></div>' for name in FIGURES)
        file = self.folder / "figures.html"
        file.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{figures_css()}{STILL}</style>'
            f"<body>{places}<script>{figures_js()}</script>".replace("</div></script", "</script"),
            "utf-8",
        )
        page = self._page((760, 900))
        page.goto(file.as_uri())
        for name in FIGURES:
            place = page.locator(f".live-{name} .rb-lab")
            taken = Image.open(io.BytesIO(place.screenshot())).convert("RGB")
            self._write(f"live-{name}", taken)
        page.context.close()

    def _open(self, name: str, text: str, size: tuple[int, int], fragment: str = "") -> None:
        file = self.folder / f"{name}.html"
        file.write_text(text, "utf-8")
        page = self._page(size)
        page.goto(file.as_uri() + fragment)
        page.wait_for_selector(".rb-lab")
        self._save(name, page)

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
        self._write(name, Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        page.context.close()

    def _write(self, name: str, taken: Any) -> None:
        taken.quantize(256, dither=Image.Dither.NONE).save(TARGET / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
