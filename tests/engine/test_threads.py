"""Pieces on every core: each called once, whatever else goes on in the process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from children import PATIENCE
from rosenblatt.engine.machine import threads
from rosenblatt.engine.machine.threads import in_pieces, side_by_side


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 3)


def all_pieces(n=40):
    """The pieces that were called, in order."""
    called = []
    in_pieces(lambda piece: called.append((piece.start, piece.stop)), n, 3)
    return sorted(called)


EVERY = [(at, min(40, at + 3)) for at in range(0, 40, 3)]


def test_every_piece_is_called_once():
    for _ in range(50):
        assert all_pieces() == EVERY


def test_helpers_stay_and_take_part():
    seen = []
    for _ in range(3):
        together = threading.Barrier(3)  # broken, with an error, unless three threads meet

        def meet(_, together=together):
            seen.append(threading.get_ident())
            together.wait(timeout=PATIENCE)

        in_pieces(meet, 3, 1)
    assert len(set(seen)) == 3


def test_an_error_in_a_piece_reaches_the_caller():
    begun = []

    def fail(piece):
        begun.append(piece.start)
        raise RuntimeError(f"piece {piece.start}")

    with pytest.raises(RuntimeError, match="piece"):
        in_pieces(fail, 300, 3)
    assert len(begun) <= 3  # no thread begins another one
    assert all_pieces() == EVERY


def test_an_error_of_a_helper_alone_reaches_the_caller():
    caller, others = threading.get_ident(), threading.Event()

    def fail_elsewhere(_):
        if threading.get_ident() != caller:
            others.set()
            raise KeyError("a helper")
        assert others.wait(timeout=PATIENCE)

    with pytest.raises(KeyError, match="a helper"):
        in_pieces(fail_elsewhere, 3, 1)


def test_the_caller_waits_for_pieces_that_helpers_have_begun():
    caller, begun, done = threading.get_ident(), threading.Event(), []

    def slow_elsewhere(piece):
        if threading.get_ident() == caller:
            assert begun.wait(timeout=PATIENCE)
        else:
            begun.set()
            threading.Event().wait(0.05)
        done.append(piece.start)

    in_pieces(slow_elsewhere, 3, 1)
    assert sorted(done) == [0, 1, 2]


def test_the_caller_does_not_wait_for_helpers_that_are_busy():
    release, busy = threading.Event(), threading.Semaphore(0)

    def hold(_):
        busy.release()
        assert release.wait(timeout=PATIENCE)

    holding = threading.Thread(target=in_pieces, args=(hold, 3, 1))
    holding.start()
    for _ in range(3):
        assert busy.acquire(timeout=PATIENCE)
    assert all_pieces() == EVERY
    release.set()
    holding.join(timeout=PATIENCE)
    assert not holding.is_alive()


def test_pieces_within_pieces():
    inner = []
    in_pieces(lambda _: inner.append(all_pieces()), 12, 1)
    assert inner == [EVERY] * 12


def test_many_callers_at_once():
    found = []
    callers = [threading.Thread(target=lambda: found.append(all_pieces())) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(timeout=PATIENCE)
    assert found == [EVERY] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_helpers_of_its_own():
    test_helpers_stay_and_take_part()
    child = multiprocessing.get_context("fork").Process(target=test_helpers_stay_and_take_part)
    child.start()
    child.join(timeout=PATIENCE)
    assert child.exitcode == 0


def test_without_threads_the_caller_does_it_all(monkeypatch):
    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "cores", lambda: 5)  # of so many there are no helpers yet
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert all_pieces() == EVERY


def test_ctrl_c_drops_the_pieces_not_yet_begun():
    begun, pressed = [], threading.Event()

    def press(piece):
        begun.append(piece.start)
        if threading.current_thread() is threading.main_thread():
            pressed.set()
            raise KeyboardInterrupt
        assert pressed.wait(PATIENCE)
        threading.Event().wait(0.05)  # all pieces would take two helpers more than a minute

    with pytest.raises(KeyboardInterrupt):
        in_pieces(press, 3000, 1)
    assert len(begun) < 100
    assert all_pieces() == EVERY


def test_the_interpreter_ends_with_idle_helpers_and_works_to_the_last():
    script = """
    import atexit
    from rosenblatt.engine.machine import threads

    threads.cores = lambda: 3
    done = []
    atexit.register(lambda: (threads.in_pieces(done.append, 9, 3), print(len(done))))
    threads.in_pieces(done.append, 9, 3)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "6", "")


def press_ctrl_c():
    """To the main thread: another one that hears of it would not wake it."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_the_first_ctrl_c_is_told_to_calls_that_end_by_themselves():
    begun, interrupted = threading.Event(), threading.Event()

    def call(item):
        begun.set()
        assert interrupted.wait(PATIENCE)
        return -item

    def press():
        assert begun.wait(PATIENCE)
        press_ctrl_c()

    pressing = threading.Thread(target=press)
    pressing.start()
    assert side_by_side(call, [1, 2, 3], 2, interrupted) == [-1, -2, -3]
    pressing.join()


def test_the_second_ctrl_c_ends_the_waiting():
    begun, interrupted, go_on = (threading.Event() for _ in range(3))

    def call(_):
        begun.set()
        go_on.wait(PATIENCE)

    def press():
        assert begun.wait(PATIENCE)
        press_ctrl_c()
        assert interrupted.wait(PATIENCE)
        press_ctrl_c()
        # Python may begin to wait for a lock between a signal's coming and its being heard.
        while not go_on.wait(2):
            press_ctrl_c()

    pressing = threading.Thread(target=press)
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        side_by_side(call, [1, 2], 2, interrupted)
    go_on.set()
    pressing.join()


LATE = """
import threading
import numpy as np
import rosenblatt as rb
from rosenblatt.engine.machine.threads import side_by_side
from rosenblatt.readers import open_reader

rng = np.random.default_rng(0)
X, y = rng.normal(size=(60_000, 10)), rng.integers(0, 3, 60_000)
for name, line in (("rows.svm", "{} 1:{}\\n"), ("rows.csv", "{},{}\\n")):
    with open(name, "w") as file:
        file.writelines(map(line.format, y[:300], X[:300, 0]))
how = dict(multiclass="ovr", n_jobs=2, max_iter=2, certify=False)
before = rb.Perceptron(**how).fit(X, y)

def late():
    threading.main_thread().join()
    print(side_by_side(abs, [-1, 2, -3], 2))
    print(np.array_equal(rb.Perceptron(**how).fit(X, y).coef_, before.coef_))
    print([len(open_reader(name).read().y) for name in ("rows.svm", "rows.csv")])

threading.Thread(target=late).start()
"""


@pytest.mark.filterwarnings("ignore:The budget")
def test_after_the_main_thread_has_ended_all_is_done_without_threads(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", LATE]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path)
    assert ended.stdout.split("\n")[:3] == ["[1, 2, 3]", "True", "[300, 300]"], ended.stderr


def test_where_no_thread_can_be_started_the_caller_makes_all_calls(monkeypatch):
    def no_more(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    assert side_by_side(abs, [-1, 2, -3], 2) == [1, 2, 3]


def test_an_error_drops_what_is_not_yet_begun():
    begun = []

    def fail(item):
        begun.append(item)
        raise ZeroDivisionError(item)

    with pytest.raises(ZeroDivisionError):
        side_by_side(fail, range(100), 2)
    assert len(begun) <= 2
