"""One thread of BLAS: as long as asked for, and no longer."""

import numpy as np
from threadpoolctl import ThreadpoolController

from rosenblatt.engine.machine.threads import one_blas_thread


def blas_threads():
    np.dot(np.eye(2), np.eye(2))  # NumPy brings BLAS along
    pools = ThreadpoolController().select(user_api="blas").info()
    return [pool["num_threads"] for pool in pools]


def test_one_within_another_ends_with_the_outer():
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            with one_blas_thread():
                assert set(blas_threads()) == {1}
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_those_of_two_threads_that_overlap_leave_nothing_behind():
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        second.__exit__(None, None, None)
        assert blas_threads() == before
