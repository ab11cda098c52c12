"""Files are complete or not touched, whatever happens to whoever writes them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from children import until
from rosenblatt.certificate import Separation
from rosenblatt.data.files import replacing, write
from rosenblatt.data.model_file import load, save
from rosenblatt.errors import InputError
from rosenblatt.estimators.perceptron import Perceptron

X, Y = np.array([[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.0], [3.0, 1.0]]), [0, 0, 1, 1]


def fail(temporary):
    temporary.write_text("half")
    raise RuntimeError("in the middle")


def write_halfway(path):
    with replacing(path) as temporary:
        fail(temporary)


def test_the_old_file_stays_when_the_writer_fails(tmp_path):
    path = tmp_path / "file.txt"
    write(path, "old")
    with pytest.raises(RuntimeError, match="in the middle"):
        write_halfway(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]
    write(path, "new, längst")
    assert path.read_bytes() == "new, längst".encode()


def test_no_file_appears_when_the_first_write_fails(tmp_path):
    with pytest.raises(RuntimeError):
        write_halfway(tmp_path / "file.txt")
    assert os.listdir(tmp_path) == []


def test_the_temporary_name_has_the_ending_of_the_target(tmp_path):
    with replacing(tmp_path / ("n" * 240 + ".png")) as temporary:
        assert (temporary.parent, temporary.suffix) == (tmp_path, ".png")
        assert temporary.name.startswith(".")


def test_permissions_are_those_of_any_new_file(tmp_path):
    old = os.umask(0o027)
    try:
        write(tmp_path / "file", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_links_are_followed_and_devices_are_not_replaced(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link", "through")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "through"
    write(os.devnull, "nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_device_is_an_input_error():
    with pytest.raises(InputError, match="No space left"):
        write("/dev/full", b"x" * 100_000)


@pytest.mark.parametrize("name", ["no/folder/file", "file/under/a/file", ".", "nul\0byte"])
def test_places_that_cannot_be_written(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("file", "a file")
    with pytest.raises(InputError, match=r"cannot be written|is a folder|no file can"):
        write(name, "")
    assert os.listdir() == ["file"]


LIMITED = """
import resource, signal, sys
import numpy as np
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.data.model_file import save
from rosenblatt.certificate import Separation

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
model = Perceptron().fit(np.eye(300), np.arange(300) % 2)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for attempt in (lambda: save(model, "model"), lambda: model.certificate_.save("proof.json")):
    try:
        attempt()
        sys.exit("it was written")
    except ValueError as error:
        print(error)
"""


def test_a_full_disk_loses_nothing(tmp_path):
    """The disk is full after 1,000 bytes: a limit on the size of files stands in for it."""
    save(Perceptron().fit(X, Y), tmp_path / "model")
    Separation.of(X, Y, [1.0, 0.0, 0.0]).save(tmp_path / "proof.json")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot be written (File too large)") == 2
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


WRITER = """
import sys
import numpy as np
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.data.model_file import save

sign, X = float(sys.argv[1]), np.array([[-2.0, 1.0], [-1.0, 0.5], [1.0, 0.0], [3.0, 1.0]])
model = Perceptron().fit(np.tile(sign * X, (1, 500)), [0, 0, 1, 1])
print("ready", flush=True)
while True:
    save(model, "model")
"""


def test_two_processes_write_one_model(tmp_path, start):
    """Whoever loads it, at any moment, finds one of the two whole; and after kill -9 too."""
    writers = [start([sys.executable, "-c", WRITER, sign], cwd=tmp_path) for sign in ("1", "-1")]
    for writer in writers:
        writer.until("ready")
    path, found = tmp_path / "model", []

    def both():
        if path.exists():
            coef = load(path).coef_
            assert (coef[0, 1::2] == coef[0, 1]).all()
            found.append(float(np.sign(coef[0, 0])))
        return len(found) >= 200 and len(set(found)) == 2

    until(both, "200 models, of both writers", pause=0)
    assert all(writer.process.poll() is None for writer in writers)
    for writer in writers:
        writer.end()
    assert load(path).coef_.shape == (1, 1000)


def test_many_threads_write_one_file(tmp_path):
    path = tmp_path / "file"
    contents = [bytes([k]) * 50_000 for k in range(4)]
    threads = [
        threading.Thread(target=lambda c=c: [write(path, c) for _ in range(25)]) for c in contents
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            assert path.read_bytes() in contents
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["file"]
