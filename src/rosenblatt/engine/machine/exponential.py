"""exp(x) without a call or a branch, so that loops over it are vectorised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from rosenblatt.engine.exponentials import LEAST

# ln 2 in two parts; the first has so few digits that n·LN2 is exact for the n that occur.
LN2, LN2_REST = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
PER_LN2 = 1 / math.log(2)
# Bits of a double below its exponent, and the bias of the exponent.
DIGITS, EXPONENT = np.int64(52), np.int64(1023)
T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13 = (1 / math.factorial(k) for k in range(2, 14))


def _from_bits(_typing: Any, bits: Any) -> Any:
    """The number that has these bits."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


from_bits: Any = intrinsic(_from_bits)


@register_jitable(fastmath={"contract"}, forceinline=True)
def exponential(x):
    """exp(x) = 2ⁿ·exp(r) with |r| ≤ ln 2 / 2, for which 14 terms of the Taylor series suffice.

    The order of additions is fixed: else LLVM would join the two parts of ln 2.
    """
    held = LEAST if x < LEAST else x
    held = 0.0 if held > 0.0 else held
    n = np.rint(held * PER_LN2)
    r = (held - n * LN2) - n * LN2_REST
    r2 = r * r
    r4 = r2 * r2
    low = (T2 + T3 * r) + (T4 + T5 * r) * r2
    middle = (T6 + T7 * r) + (T8 + T9 * r) * r2
    high = (T10 + T11 * r) + (T12 + T13 * r) * r2
    power = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))
    scale = from_bits((np.int64(np.int32(n)) + EXPONENT) << DIGITS)
    return 0.0 if x < LEAST else power * scale
