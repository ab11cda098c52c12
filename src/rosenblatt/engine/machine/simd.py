"""Sums of products of two rows of numbers, in registers of four.

LLVM would choose registers of eight. With these, every read of a row that is not aligned to cache
lines spans two lines, which costs 40 % of the memory's speed; and in a single sum each addition
waits for the one before. Sixteen sums in four registers of four keep up with memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rosenblatt.engine.machine.prefetch import entry_of, unpacked

LANES, REGISTERS = 4, 4
ROUND = LANES * REGISTERS
NUMBER, COUNT = ir.DoubleType(), ir.IntType(64)
REGISTER = ir.VectorType(NUMBER, LANES)
NOTHING = ir.Constant(REGISTER, [0.0] * LANES)
FAST = ("reassoc", "contract")


class Row:
    """Consecutive numbers in memory, from an entry of an array on."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any, entry: Any):
        self.builder = builder
        self.start = entry_of(context, builder, kind, array, entry)
        self.stored = ir.FloatType() if kind.dtype == types.float32 else NUMBER
        self.bytes = kind.dtype.bitwidth // 8

    def entry(self, at: Any, form: Any) -> Any:
        """Pointer to the number at that place, or to a register of numbers from it on."""
        lanes = isinstance(form, ir.VectorType)
        stored = ir.VectorType(self.stored, form.count) if lanes else self.stored
        return self.builder.bitcast(self.builder.gep(self.start, [at]), stored.as_pointer())

    def store(self, value: Any, at: Any) -> None:
        """Write the number, or several of them, to that place."""
        self.builder.store(value, self.entry(at, value.type), align=self.bytes)

    def load(self, at: Any, form: Any) -> Any:
        """The number at that place, or those from it on, as float64."""
        value = self.builder.load(self.entry(at, form), align=self.bytes)
        return value if value.type == form else self.builder.fpext(value, form)


def _sum_of_products(
    _typing: Any, values: Any, first: Any, weights: Any, begin: Any, count: Any
) -> Any:
    """Σ values[first + j]·weights[begin + j] over j < count; first and begin are tuples.

    Both arrays must be C-contiguous and hold float32 or float64.
    """
    if not (is_readable(values) and is_readable(weights)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, begin = (unpacked(builder, arguments[at]) for at in (1, 3))
        row = Row(context, builder, signature.args[0], arguments[0], first)
        other = Row(context, builder, signature.args[2], arguments[2], begin)
        count = arguments[4]

        def add(sum: Any, value: Any, at: Any) -> None:
            product = builder.fmul(value, other.load(at, value.type), flags=FAST)
            builder.store(builder.fadd(builder.load(sum), product, flags=FAST), sum)

        sums = [variable(builder, NOTHING) for _ in range(REGISTERS)]
        rounds, fours = (builder.and_(count, COUNT(-size)) for size in (ROUND, LANES))
        with each(builder, COUNT(0), rounds, ROUND) as j:
            places = [builder.add(j, COUNT(k * LANES)) for k in range(REGISTERS)]
            # Loaded first, and in order of memory: LLVM would choose another order, which the
            # processor predicts less well.
            loaded = [row.load(at, REGISTER) for at in places]
            for sum, value, at in zip(sums, loaded, places, strict=True):
                add(sum, value, at)
        with each(builder, rounds, fours, LANES) as j:
            add(sums[0], row.load(j, REGISTER), j)
        lanes = in_pairs(builder, [builder.load(sum) for sum in sums])
        numbers = [builder.extract_element(lanes, COUNT(k)) for k in range(LANES)]
        total = variable(builder, in_pairs(builder, numbers))
        _for_the_rest(builder, fours, count, lambda j: add(total, row.load(j, NUMBER), j))
        return builder.load(total)

    return types.float64(values, first, weights, begin, types.uint64), generate


def _add_multiple(
    _typing: Any, values: Any, first: Any, factor: Any, weights: Any, begin: Any, count: Any
) -> Any:
    """weights[begin + j] += factor·values[first + j] for each j < count; as `_sum_of_products`."""
    if not (is_readable(values) and is_readable(weights) and weights.dtype == types.float64):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, begin = (unpacked(builder, arguments[at]) for at in (1, 4))
        row = Row(context, builder, signature.args[0], arguments[0], first)
        other = Row(context, builder, signature.args[3], arguments[3], begin)
        factor, count = arguments[2], arguments[5]
        factors = spread(builder, factor)

        def add(at: Any, factor: Any) -> None:
            product = builder.fmul(row.load(at, factor.type), factor, flags=FAST)
            other.store(builder.fadd(other.load(at, factor.type), product, flags=FAST), at)

        rounds, fours = (builder.and_(count, COUNT(-size)) for size in (ROUND, LANES))
        with each(builder, COUNT(0), rounds, ROUND) as j:
            for k in range(REGISTERS):
                add(builder.add(j, COUNT(k * LANES)), factors)
        with each(builder, rounds, fours, LANES) as j:
            add(j, factors)
        _for_the_rest(builder, fours, count, lambda j: add(j, factor))
        return context.get_dummy_value()

    form = types.void(values, first, types.float64, weights, begin, types.uint64)
    return form, generate


def variable(builder: Any, value: Any) -> Any:
    """A variable with this initial value; LLVM puts it into a register."""
    with builder.goto_entry_block():
        place = builder.alloca(value.type)
    builder.store(value, place)
    return place


def is_readable(kind: Any) -> bool:
    """Whether it is a C-contiguous array of float32 or float64."""
    return kind.layout == "C" and kind.dtype in (types.float32, types.float64)


@contextmanager
def each(builder: Any, first: Any, end: Any, step: int) -> Iterator[Any]:
    """A loop that LLVM does not unroll: unrolled, it is no faster and several times as long."""
    head, body, after = (builder.append_basic_block() for _ in range(3))
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    j = builder.phi(COUNT)
    j.add_incoming(first, before)
    builder.cbranch(builder.icmp_signed("<", j, end), body, after)
    builder.position_at_end(body)
    yield j
    last = builder.block
    j.add_incoming(builder.add(j, COUNT(step)), last)
    builder.branch(head)
    builder.position_at_end(after)
    words = builder.module.add_metadata(["llvm.loop.unroll.disable"])
    named = builder.module.add_metadata(["llvm.loop", words])
    named.operands = (named, words)  # LLVM identifies a loop by a node that refers to itself
    last.terminator.set_metadata("llvm.loop", named)


def _for_the_rest(builder: Any, first: Any, end: Any, do: Callable[[Any], None]) -> None:
    """Emit code for the last numbers, fewer than four: for two of them, and for one."""
    rest = builder.and_(end, COUNT(LANES - 1))
    with builder.if_then(_is_set(builder, rest, 2)):
        do(first)
        do(builder.add(first, COUNT(1)))
    with builder.if_then(_is_set(builder, rest, 1)):
        do(builder.sub(end, COUNT(1)))


def _is_set(builder: Any, number: Any, bit: int) -> Any:
    return builder.icmp_unsigned("!=", builder.and_(number, COUNT(bit)), COUNT(0))


def spread(builder: Any, number: Any, form: Any = REGISTER) -> Any:
    """A register that has the number in each lane."""
    made = ir.Constant(form, ir.Undefined)
    for lane in range(form.count):
        made = builder.insert_element(made, number, COUNT(lane))
    return made


def in_pairs(builder: Any, numbers: list[Any]) -> Any:
    """(a + b) + (c + d)."""
    while len(numbers) > 1:
        numbers = [builder.fadd(*numbers[k : k + 2], flags=FAST) for k in range(0, len(numbers), 2)]
    return numbers[0]


sum_of_products: Any = intrinsic(_sum_of_products)
add_multiple: Any = intrinsic(_add_multiple)
