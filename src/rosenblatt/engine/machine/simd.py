"""The sum of products of two rows of numbers, in registers of four.

LLVM's own choice, registers of eight, reads a row that does not begin with a cache line across two
lines each time, which costs 40 % of the memory's speed; and in a single sum each addition waits for
the one before. Sixteen sums in four registers of four keep up with memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES, REGISTERS = 4, 4
ROUND = LANES * REGISTERS
NUMBER, COUNT = ir.DoubleType(), ir.IntType(64)
REGISTER = ir.VectorType(NUMBER, LANES)
NOTHING = ir.Constant(REGISTER, [0.0] * LANES)
FAST = ("reassoc", "contract")


class _Row:
    """Numbers that follow each other in memory, from an entry of an array on."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any, first: Any):
        entry = cgutils.unpack_tuple(builder, first)
        there = context.make_array(kind)(context, builder, array)
        self.builder = builder
        self.start = cgutils.get_item_pointer(context, builder, kind, there, entry, False)
        self.stored = ir.FloatType() if kind.dtype == types.float32 else NUMBER
        self.bytes = kind.dtype.bitwidth // 8

    def load(self, at: Any, form: Any) -> Any:
        """The number at that place, or the four from it on, as float64."""
        entry = self.builder.gep(self.start, [at])
        lanes = isinstance(form, ir.VectorType)
        stored = ir.VectorType(self.stored, LANES) if lanes else self.stored
        value = self.builder.load(
            self.builder.bitcast(entry, stored.as_pointer()), align=self.bytes
        )
        return value if stored == form else self.builder.fpext(value, form)


def _sum_of_products(
    _typing: Any, values: Any, first: Any, weights: Any, begin: Any, count: Any
) -> Any:
    """Σ values[first + j]·weights[begin + j] over j < count; first and begin are tuples.

    Both arrays must hold float32 or float64, rows one after the other.
    """
    for kind in (values, weights):
        if kind.layout != "C" or kind.dtype not in (types.float32, types.float64):
            return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = _Row(context, builder, signature.args[0], *arguments[:2])
        other = _Row(context, builder, signature.args[2], *arguments[2:4])
        count = arguments[4]

        def add(sum: Any, at: Any, form: Any) -> None:
            product = builder.fmul(row.load(at, form), other.load(at, form), flags=FAST)
            builder.store(builder.fadd(builder.load(sum), product, flags=FAST), sum)

        def variable(value: Any) -> Any:
            place = cgutils.alloca_once(builder, value.type)
            builder.store(value, place)
            return place

        sums = [variable(NOTHING) for _ in range(REGISTERS)]
        rounds, fours = (builder.and_(count, COUNT(-size)) for size in (ROUND, LANES))
        with cgutils.for_range_slice(builder, COUNT(0), rounds, COUNT(ROUND)) as (j, _):
            for k, sum in enumerate(sums):
                add(sum, builder.add(j, COUNT(k * LANES)), REGISTER)
        with cgutils.for_range_slice(builder, rounds, fours, COUNT(LANES)) as (j, _):
            add(sums[0], j, REGISTER)
        lanes = _in_pairs(builder, [builder.load(sum) for sum in sums])
        total = variable(
            _in_pairs(builder, [builder.extract_element(lanes, COUNT(k)) for k in range(LANES)])
        )
        with cgutils.for_range_slice(builder, fours, count, COUNT(1)) as (j, _):
            add(total, j, NUMBER)
        return builder.load(total)

    return types.float64(values, first, weights, begin, types.uint64), generate


def _in_pairs(builder: Any, numbers: list[Any]) -> Any:
    """(a + b) + (c + d)."""
    while len(numbers) > 1:
        numbers = [builder.fadd(*numbers[k : k + 2], flags=FAST) for k in range(0, len(numbers), 2)]
    return numbers[0]


sum_of_products: Any = intrinsic(_sum_of_products)
