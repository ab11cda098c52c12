"""Ctrl-C held back: never lost, never in the middle, and heard by whoever heard it before."""

import os
import signal
import threading
from contextlib import nullcontext

import pytest

from children import PATIENCE
from rosenblatt.engine.machine.interrupts import Listening, Uninterrupted


@pytest.fixture(autouse=True)
def _as_before():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before
    assert Listening.now is None


def press():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("shared", [False, True])
def test_it_comes_after_the_block(shared):
    done = []

    def work():
        with Uninterrupted():
            press()
            done.append("first")
            with Uninterrupted():
                done.append("second")
            done.append("third")
        done.append("never")

    with pytest.raises(KeyboardInterrupt), Listening() if shared else nullcontext():
        work()
    assert done == ["first", "second", "third"]


def test_between_blocks_it_comes_at_once():
    done = []

    def work():
        with Uninterrupted():
            done.append("held")
        press()
        done.append("never")

    with pytest.raises(KeyboardInterrupt), Listening():
        work()
    assert done == ["held"]


def test_one_press_is_delivered_once():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *how: heard.append(how[0]))
    try:
        with Listening():
            for _ in range(3):
                with Uninterrupted():
                    pass
            with Uninterrupted():
                press()
                assert not heard
            assert heard == [signal.SIGINT]
        press()
        assert len(heard) == 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_set_meanwhile_stays():
    before = signal.getsignal(signal.SIGINT)

    def own(*how):
        pass

    try:
        with Listening():
            signal.signal(signal.SIGINT, own)
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("listening", [False, True])
def test_other_threads_hold_nothing_back(listening):
    done = []

    def work():
        with Uninterrupted():
            inside.set()
            go_on.wait(PATIENCE)
        with Listening(), Uninterrupted():
            done.append("worked")

    def beside():
        thread.start()
        inside.wait(PATIENCE)
        press()

    inside, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    try:
        with pytest.raises(KeyboardInterrupt), Listening() if listening else nullcontext():
            beside()
    finally:
        go_on.set()
        thread.join()
    assert done == ["worked"]
