"""Scores of a sparse row for several classes, each kept in a lane of a register over all entries.

In memory, each score would be read and written at every entry; and LLVM, which does not know the
number of classes, takes sixteen of them at a time and the others one by one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rosenblatt.engine.machine.prefetch import LINE, ask_for, entry_of
from rosenblatt.engine.machine.simd import (
    COUNT,
    FAST,
    LANES,
    NUMBER,
    each,
    in_pairs,
    spread,
    variable,
)

# Registers for scores: half of those of a processor.
MOST_REGISTERS = 8
# The most classes whose scores all fit into registers.
CLASSES = LANES * MOST_REGISTERS
# Entries taken at a time, and the prefetch distance of their weights, in entries.
AT_ONCE, AHEAD = 4, 16
BYTES = 8
DATA, INDICES, WEIGHTS, OUT = range(4)


class _Entries:
    """The entries of sparse rows, their weights, and the array for the scores of one row."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arrays: Any):
        self.context, self.builder, self.kinds, self.given = context, builder, kinds, arrays
        given = zip(kinds, arrays, strict=True)
        self.arrays = [context.make_array(kind)(context, builder, array) for kind, array in given]

    def pointer(self, array: int, *index: Any) -> Any:
        """Pointer to an entry of an array."""
        return entry_of(self.context, self.builder, self.kinds[array], self.given[array], index)

    def length(self, array: int) -> Any:
        """The length of an array along its first dimension."""
        return self.builder.extract_value(self.arrays[array].shape, 0)

    def value(self, k: Any) -> Any:
        """The k-th number."""
        found = self.builder.load(self.pointer(DATA, k))
        return found if found.type == NUMBER else self.builder.fpext(found, NUMBER)

    def weights(self, k: Any) -> Any:
        """Pointer to the first weight of the column of the k-th number."""
        column = self.builder.load(self.pointer(INDICES, k))
        if column.type != COUNT:
            column = self.builder.zext(column, COUNT)
        return self.pointer(WEIGHTS, COUNT(0), column)


class _Sums:
    """Registers that together have at least one lane for each class.

    The last register overlaps with the one before: these classes are computed twice.
    """

    def __init__(self, builder: Any, lanes: int, registers: int, classes: Any):
        self.builder, self.form = builder, ir.VectorType(NUMBER, lanes)
        firsts = [COUNT(lanes * register) for register in range(registers - 1)]
        self.places = [*firsts, builder.sub(classes, COUNT(lanes))]
        self.sums = [variable(builder, ir.Constant(self.form, None)) for _ in self.places]

    def at(self, row: Any, place: Any) -> Any:
        """Pointer to a register of numbers, from that class on, in a row of one for each class."""
        return self.builder.bitcast(self.builder.gep(row, [place]), self.form.as_pointer())

    def _product(self, factor: Any, row: Any, place: Any) -> Any:
        numbers = self.builder.load(self.at(row, place), align=BYTES)
        return self.builder.fmul(factor, numbers, flags=FAST)

    def set(self, factor: Any, row: Any) -> None:
        """Set the sums to a multiple of a row."""
        for sum, place in zip(self.sums, self.places, strict=True):
            self.builder.store(
                self._product(spread(self.builder, factor, self.form), row, place), sum
            )

    def add(self, factors: list[Any], rows: list[Any]) -> None:
        """Add multiples of rows."""
        factors = [spread(self.builder, factor, self.form) for factor in factors]
        for sum, place in zip(self.sums, self.places, strict=True):
            products = [self._product(*pair, place) for pair in zip(factors, rows, strict=True)]
            added = in_pairs(self.builder, products)
            self.builder.store(self.builder.fadd(self.builder.load(sum), added, flags=FAST), sum)

    def ask_for(self, row: Any) -> None:
        """Prefetch a row."""
        for first in range(0, BYTES * self.form.count * len(self.sums), LINE):
            ask_for(self.builder, self.builder.gep(row, [COUNT(first // BYTES)]))

    def write(self, row: Any) -> None:
        """Write the sums to a row."""
        for sum, place in zip(self.sums, self.places, strict=True):
            self.builder.store(self.builder.load(sum), self.at(row, place), align=BYTES)


def _sparse_sums(
    _typing: Any,
    data: Any,
    indices: Any,
    weights: Any,
    out: Any,
    first: Any,
    end: Any,
    bias: Any,
    width: Any,
) -> Any:
    """out[c] ← bias·weights[c, width] + Σ data[k]·weights[c, indices[k]] over first ≤ k < end.

    There are CLASSES classes at most. The weights of a feature must lie side by side.
    """
    if not is_side_by_side(weights):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entries = _Entries(context, builder, signature.args[:4], arguments[:4])
        first, end, bias, width = arguments[4:]
        classes, stored = entries.length(OUT), entries.length(INDICES)

        def sum_up(lanes: int, registers: int) -> None:
            sums = _Sums(builder, lanes, registers, classes)
            sums.set(bias, entries.pointer(WEIGHTS, COUNT(0), width))
            rest = builder.and_(builder.sub(end, first), COUNT(AT_ONCE - 1))
            rounds = builder.sub(end, rest)
            with each(builder, first, rounds, AT_ONCE) as k:
                now, later = (
                    [builder.add(k, COUNT(by + q)) for q in range(AT_ONCE)] for by in (0, AHEAD)
                )
                with builder.if_then(builder.icmp_unsigned("<", later[-1], stored), likely=True):
                    for at in later:
                        sums.ask_for(entries.weights(at))
                sums.add([entries.value(at) for at in now], [entries.weights(at) for at in now])
            with each(builder, rounds, end, 1) as k:
                sums.add([entries.value(k)], [entries.weights(k)])
            sums.write(entries.pointer(OUT, COUNT(0)))

        shapes = [(1, few) for few in range(1, LANES)]
        shapes += [(LANES, registers) for registers in range(1, MOST_REGISTERS + 1)]
        done = builder.append_basic_block()
        for lanes, registers in shapes:
            fits = builder.icmp_unsigned("<=", classes, COUNT(lanes * registers))
            with builder.if_then(fits):
                sum_up(lanes, registers)
                builder.branch(done)
        builder.branch(done)
        builder.position_at_end(done)
        return context.get_dummy_value()

    count = types.uint64
    form = types.void(data, indices, weights, out, count, count, types.float64, count)
    return form, generate


def is_side_by_side(weights: Any) -> bool:
    """Whether the weights of a feature, one for each class, follow each other in memory."""
    return weights.layout == "F" and weights.dtype == types.float64


sparse_sums: Any = intrinsic(_sparse_sums)
