"""Animations: their frames, their files, and a page that needs nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

import rosenblatt as rb
from rosenblatt import datasets, figures
from rosenblatt.errors import InputError
from rosenblatt.figures.animation import _frames, _save_mp4, _shown, film_of, page

SIX = datasets.six_points()


@pytest.fixture(scope="module")
def run():
    return rb.trace(SIX.X, SIX.y, **SIX.settings)


def test_a_frame_for_the_start_and_each_update(run):
    film = film_of(run)
    assert film.weights[:, :2].tolist() == [[0, 0], [1, -2], [2, -1], [3, 1]]
    assert film.rows.tolist() == [-1, 0, 2, 4]
    assert film.updates.tolist() == [0, 1, 2, 3]


def test_long_runs_are_thinned_out_to_the_end():
    cloud = datasets.gaussian(50, 2, 0.01, seed=4)
    long = rb.trace(cloud.X, cloud.y)
    film = film_of(long, frames=5)
    assert len(film.updates) <= 5
    assert film.updates[-1] == long.run.updates


def test_a_gif_has_every_frame(run, tmp_path):
    path = figures.animate(run, tmp_path / "run.gif", dpi=30)
    with Image.open(path) as image:
        assert image.n_frames == 4
    assert [p.name for p in tmp_path.iterdir()] == ["run.gif"]


def test_a_film_is_laid_out_once_whatever_its_length(tmp_path, monkeypatch):
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    laid_out = []
    execute = ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine,
        "execute",
        lambda engine, page: laid_out.append(page) or execute(engine, page),
    )
    xor = datasets.xor()
    long = rb.trace(xor.X, xor.y, max_passes=20, exact=False)
    path = figures.animate(long, tmp_path / "run.gif", dpi=30, frames=40)
    with Image.open(path) as image:
        assert image.n_frames == 40
    assert len(laid_out) <= 2


def test_each_frame_is_the_page_as_it_is_drawn_in_full(run):
    film = film_of(run)
    frames = list(_frames(film, 50.0, None))
    pair, show = _shown(film, None)
    page = pair[0].figure
    page.set_dpi(50)
    page.draw_without_rendering()
    page.set_layout_engine("none")
    for k, frame in enumerate(frames):
        show(k)
        page.canvas.draw()
        whole = np.asarray(page.canvas.buffer_rgba()).astype(int)
        assert np.abs(frame - whole).max() <= 8  # of 255, where ticks meet the axis
    assert any((frames[0] != frame).any() for frame in frames)


def test_an_mp4_is_handed_every_frame(run, tmp_path, monkeypatch):
    from matplotlib import animation

    monkeypatch.setattr(animation, "FFMpegWriter", animation.PillowWriter)
    frames = list(_frames(film_of(run), 50.0, None))
    _save_mp4(iter(frames), tmp_path / "run.gif", 2)
    with Image.open(tmp_path / "run.gif") as image:
        assert image.n_frames == len(frames)
        assert image.size == frames[0].shape[1::-1]


def test_axes_given_to_a_film_are_left_as_they_were(run, tmp_path):
    import matplotlib.pyplot as plt

    page, axes = plt.subplots(1, 2)
    figures.animate(run, tmp_path / "run.gif", dpi=30, axes=axes)
    assert page.dpi == plt.rcParams["figure.dpi"]
    assert not any(part.get_animated() for ax in axes for part in ax.get_children())


def test_an_animation_on_the_screen(run):
    moving = figures.animate(run)
    assert moving._fig.axes


def test_the_page_carries_its_data_and_needs_no_network(run, tmp_path):
    text = figures.animate(run, tmp_path / "run.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=", text)
    assert text.count("http") == 1  # the name of SVG, which is never fetched
    data = json.loads(re.search(r"const film = (\{.*\});\n", text)[1])
    assert data["weights"][-1] == [3, 1, 0]
    assert data["classes"] == ["−1", "+1"]
    assert np.isclose(data["norms"][-1] ** 2, 10)


def test_a_class_name_cannot_break_out_of_the_page():
    name = "</script><b>"
    text = page(film_of(rb.trace(SIX.X, np.where(SIX.y > 0, name, "a"))))
    assert name not in text


# A document just large enough to run the page's script in: nodes that remember their attributes.
STUB = """
const made = {};
const node = kind => ({kind, attrs: {}, style: {}, children: [],
  setAttribute(k, v) { this.attrs[k] = +v; }, appendChild(c) { this.children.push(c); },
  replaceChildren(...c) { this.children = c; }});
for (const id of ["plane", "proof", "play", "back", "next", "at", "said"])
  made[id] = Object.assign(node(id), {id});
global.document = {getElementById: id => made[id], createElementNS: (_, kind) => node(kind),
  createElement: node};
"""
REPORT = """
for (let k = 0; k < 9; k++) made.next.onclick();
const inside = made.plane.children.find(c => c.kind === "g");
const {x1, x2, y1, y2} = inside.children.find(c => c.kind === "line").attrs;
console.log(JSON.stringify({slope: (y2 - y1) / (x2 - x1), words: made.said.children[1]}));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the script")
def test_the_page_steps_to_the_final_line(run, tmp_path):
    script = re.search(r"<script>(.*)</script>", page(film_of(run)), re.DOTALL)[1]
    script = script.replace('"use strict";', "")
    (tmp_path / "page.js").write_text(STUB + script + REPORT, encoding="utf-8")
    done = subprocess.run(
        ["node", str(tmp_path / "page.js")], check=True, capture_output=True, encoding="utf-8"
    )
    seen = json.loads(done.stdout)
    assert "w = (3, 1), b = 0" in seen["words"]
    assert np.isclose(seen["slope"], 3)  # 3x + y = 0 falls, but heights count downwards on a page


@pytest.mark.parametrize("name", ["run.txt", "run"])
def test_other_formats_are_refused(run, tmp_path, name):
    with pytest.raises(InputError, match=r"\.gif, \.mp4, \.html"):
        figures.animate(run, tmp_path / name)


def test_only_traces_of_the_plane_move():
    with pytest.raises(InputError, match="Trace"):
        figures.animate(rb.Perceptron().fit(SIX.X, SIX.y))
    with pytest.raises(InputError, match="3 features"):
        figures.animate(rb.trace(np.eye(3), [0, 1, 1]))


def test_a_film_from_any_start(tmp_path):
    data = datasets.five_points()
    run = rb.trace(data.X, data.y, init=[-1, 0, 0])
    film = film_of(run)
    assert film.weights[0].tolist() == [0, 0, -1]
    assert film.growth.norms[0] == 1
    text = figures.animate(run, tmp_path / "run.html").read_text()
    assert '"ahead": ' in text
    figures.animate(run)
