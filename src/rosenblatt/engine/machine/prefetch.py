"""Prefetching: starting to read a row from memory before it is needed.

A processor predicts reads of consecutive rows, but not those of a permutation or of a working set,
each of which would wait for memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

# Bytes of a cache line.
LINE = 64
# Eight-byte numbers in a cache line.
NUMBERS = 8
# Prefetch distance, in rows: looks that take about as long as a read from memory.
ROWS_AHEAD = 8
# Cache lines of a row to prefetch before the processor predicts the others.
BEGINNING = 4
_READ, _KEEP, _DATA = 0, 3, 1


def _prefetch(_typing: Any, values: Any, index: Any) -> Any:
    """Start to read the cache line of ``values[index]``; the index is a tuple."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, arguments[0])
        index = cgutils.unpack_tuple(builder, arguments[1])
        entry = cgutils.get_item_pointer(context, builder, kind, array, index, wraparound=False)
        ask_for(builder, entry)
        return context.get_dummy_value()

    return types.void(values, index), generate


def ask_for(builder: Any, entry: Any) -> None:
    """Emit the instruction that prefetches the line of that address."""
    address = builder.bitcast(entry, ir.IntType(8).as_pointer())
    number = ir.IntType(32)
    form = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
    hint = cgutils.get_or_insert_function(builder.module, form, "llvm.prefetch.p0")
    builder.call(hint, [address, number(_READ), number(_KEEP), number(_DATA)])


prefetch: Any = intrinsic(_prefetch)
