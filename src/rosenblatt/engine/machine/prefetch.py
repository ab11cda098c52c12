"""Prefetching: starting to read a row from memory before it is needed.

A processor predicts reads of consecutive rows, but not those of a permutation or of a working set,
each of which would wait for memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

# Bytes of a cache line.
LINE = 64
# Eight-byte numbers in a cache line.
NUMBERS = 8
# Prefetch distance, in rows: looks that take about as long as a read from memory.
ROWS_AHEAD = 8
# Cache lines of a row to prefetch before the processor predicts the others.
BEGINNING = 4
NAME = "llvm.prefetch.p0"
_READ, _KEEP, _DATA = 0, 3, 1


def _prefetch(_typing: Any, values: Any, index: Any) -> Any:
    """Start to read the cache line of ``values[index]``; the index is a tuple."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index = arguments
        there = unpacked(builder, index)
        ask_for(builder, entry_of(context, builder, signature.args[0], array, there))
        return context.get_dummy_value()

    return types.void(values, index), generate


def unpacked(builder: Any, several: Any) -> list[Any]:
    """The items of a tuple."""
    return [builder.extract_value(several, at) for at in range(len(several.type))]


def entry_of(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Pointer to an entry of an array, by an unsigned number for each axis."""
    there = context.make_array(kind)(context, builder, array)
    offset = ir.Constant(ir.IntType(64), 0)
    for axis in range(kind.ndim):
        stride = builder.extract_value(there.strides, axis)
        if axis == kind.ndim - 1 and kind.layout == "C":
            stride = stride.type(kind.dtype.bitwidth // 8)
        offset = builder.add(offset, builder.mul(index[axis], stride))
    start = builder.bitcast(there.data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(start, [offset]), there.data.type)


def ask_for(builder: Any, entry: Any) -> None:
    """Emit the instruction that prefetches the line of that address."""
    address = builder.bitcast(entry, ir.IntType(8).as_pointer())
    number = ir.IntType(32)
    form = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
    hint = builder.module.globals.get(NAME) or ir.Function(builder.module, form, NAME)
    builder.call(hint, [address, number(_READ), number(_KEEP), number(_DATA)])


prefetch: Any = intrinsic(_prefetch)
