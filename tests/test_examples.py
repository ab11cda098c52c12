"""Every example runs as it stands and says something."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert len(capsys.readouterr().out) > 100


def test_the_demo_saves_a_picture_and_blames_a_row(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES[0].parent / "demo.py"), run_name="__main__")
    assert "the row to blame is 83" in capsys.readouterr().out
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_the_script_decides_what_it_is_given(capsys, tmp_path, monkeypatch):
    table = tmp_path / "table.tsv"
    table.write_text("x\tlabel\n1\tno\n2\tyes\n")
    monkeypatch.setattr("sys.argv", ["separable.py", str(table)])
    runpy.run_path(str(EXAMPLES[0].parent / "separable.py"), run_name="__main__")
    told = capsys.readouterr().out
    assert told.startswith(f"{table}: Separable, ")
    assert "species" not in told


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


def test_how_to_add_a_rule_is_the_example():
    folder = Path(__file__).parents[1]
    text = (folder / "examples" / "own_rule.py").read_text(encoding="utf-8")
    assert f"```python\n{text}```\n" in (folder / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 40
