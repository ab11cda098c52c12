"""Scores of dense rows for many classes, on processors with sixteen registers of four numbers.

Eight rows are copied side by side, column by column: a panel. A weight is broadcast to a register
and multiplied with two registers of the panel, so that six classes have twelve sums in registers,
and eight reads serve twelve products. Sums along the rows, as in `blocks`, need no panel, but half
of the reads from rows of any width span two cache lines, which halves the speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.codegen import get_host_cpu_features
from numba.extending import intrinsic, register_jitable

from rosenblatt.engine.machine.simd import (
    COUNT,
    LANES,
    NOTHING,
    NUMBER,
    REGISTER,
    Row,
    each,
    is_readable,
    spread,
    variable,
)

# Rows of a panel, and the most classes whose sums for all these rows fit into registers.
ROWS, CLASSES = 2 * LANES, 6
# Columns of a panel: many, so that sums are seldom written, but few enough for the stack.
COLUMNS = 1024
# Bytes of a register.
BYTES = 8 * LANES
PAIR = ir.VectorType(NUMBER, 2)
FUSED = ("contract",)
ZERO, ONE, EIGHT, SIX, WIDEST = (np.uint64(size) for size in (0, 1, ROWS, CLASSES, COLUMNS))


def are_best() -> bool:
    """Whether the processor has sixteen registers of four numbers, and fused multiply-add."""
    features = (getattr(config, "CPU_FEATURES", None) or get_host_cpu_features()).split(",")
    return "+fma" in features and "+avx512f" not in features


@register_jitable
def scores_of(values, bias, chosen, weights, out):
    """``out[k, c]`` ← w_c·x + b_c·bias of the k-th chosen row."""
    rows, classes = np.uint64(len(chosen)), np.uint64(out.shape[1])
    d, panel = np.uint64(values.shape[1]), room()
    for k in range(ZERO, rows, EIGHT):
        for first in range(ZERO, max(d, ONE), WIDEST):
            count = min(WIDEST, d - first)
            lay(values, chosen, k, first, count, panel)
            c = ZERO
            while c < classes:
                # Parts as equal as possible, of six classes at most.
                parts = (classes - c + SIX - ONE) // SIX
                size = (classes - c + parts - ONE) // parts
                add_products(panel, bias, weights, c, size, first, count, out, k)
                c += size


def _room(_typing: Any) -> Any:
    """Allocate a panel on the stack."""

    def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        place = cgutils.alloca_once(builder, NUMBER, size=ROWS * COLUMNS)
        place.align = BYTES
        return place

    return types.CPointer(types.float64)(), generate


def _entry(builder: Any, panel: Any, j: Any, r: int, form: Any) -> Any:
    """Pointer to the number of row r in column j of a panel, or to a register from it on."""
    place = builder.gep(panel, [builder.add(builder.mul(j, COUNT(ROWS)), COUNT(r))])
    return builder.bitcast(place, form.as_pointer())


def _lay(_typing: Any, values: Any, chosen: Any, k: Any, first: Any, count: Any, panel: Any) -> Any:
    """Copy ``count`` columns, from ``first`` on, of eight rows, from the k-th chosen, into a panel.

    If there are fewer rows, the last one is repeated.
    """
    if not is_readable(values):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        order = context.make_array(signature.args[1])(context, builder, arguments[1])
        k, first, count, panel = arguments[2:]
        last = builder.sub(builder.extract_value(order.shape, 0), COUNT(1))

        def numbers_of(r: int) -> Row:
            place = builder.add(k, COUNT(r))
            place = builder.select(builder.icmp_unsigned("<", place, last), place, last)
            kind, own = signature.args[1], signature.args[0]
            entry = cgutils.get_item_pointer(context, builder, kind, order, [place], False)
            return Row(context, builder, own, arguments[0], [builder.load(entry), first])

        rows = [numbers_of(r) for r in range(ROWS)]
        pairs = builder.and_(count, COUNT(-2))
        with each(builder, COUNT(0), pairs, 2) as j:
            for r in range(0, ROWS, LANES):
                numbers = [row.load(j, PAIR) for row in rows[r : r + LANES]]
                for column, register in enumerate(_turned(builder, numbers)):
                    there = _entry(builder, panel, builder.add(j, COUNT(column)), r, REGISTER)
                    builder.store(register, there, align=BYTES)
        with each(builder, pairs, count, 1) as j:
            for r, row in enumerate(rows):
                builder.store(row.load(j, NUMBER), _entry(builder, panel, j, r, NUMBER))
        return context.get_dummy_value()

    whole = types.uint64
    return types.void(values, chosen, whole, whole, whole, panel), generate


def _turned(builder: Any, pairs: list[Any]) -> list[Any]:
    """Transpose pairs of numbers, one for each of four rows, into two columns."""
    even, odd = (_mixed(builder, pairs[r], pairs[r + 2], [0, 1, 2, 3]) for r in (0, 1))
    return [_mixed(builder, even, odd, which) for which in ([0, 4, 2, 6], [1, 5, 3, 7])]


def _mixed(builder: Any, one: Any, other: Any, which: list[int]) -> Any:
    """A shuffle of two registers; the numbers of the second count on from the first."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(which)), which)
    return builder.shuffle_vector(one, other, mask)


def _add_products(
    _typing: Any,
    panel: Any,
    bias: Any,
    weights: Any,
    c: Any,
    size: Any,
    first: Any,
    count: Any,
    out: Any,
    k: Any,
) -> Any:
    """out[k + r, c + q] += Σ x_r[j]·weights[c + q, first + j] over j < count, x_r in the panel.

    For ``size`` classes, six at most, and for as many rows of the panel as ``out`` has.
    """
    if not (is_readable(weights) and out.layout == "C" and out.dtype == types.float64):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        panel, bias, weights, c, size, first, count, out, k = arguments
        kind, own = signature.args[2], signature.args[7]
        length, width = (
            builder.extract_value(context.make_array(kind)(context, builder, array).shape, axis)
            for axis, (kind, array) in enumerate(((own, out), (kind, weights)))
        )
        is_first = builder.icmp_unsigned("==", first, COUNT(0))

        def factors(q: int, column: Any) -> Row:
            return Row(context, builder, kind, weights, [builder.add(c, COUNT(q)), column])

        def begin(q: int) -> Any:
            weight = factors(q, builder.sub(width, COUNT(1))).load(COUNT(0), NUMBER)
            return builder.select(is_first, builder.fmul(bias, weight), NUMBER(0))

        def write(r: int, sums: list[Any]) -> None:
            row = Row(context, builder, own, out, [builder.add(k, COUNT(r)), c])
            for q, found in zip(range(0, CLASSES, LANES), sums, strict=False):
                more = builder.fadd(row.load(COUNT(q), found.type), found)
                row.store(builder.select(is_first, found, more), COUNT(q))

        for classes in range(1, CLASSES + 1):
            with builder.if_then(builder.icmp_unsigned("==", size, COUNT(classes))):
                rows = [factors(q, first) for q in range(classes)]
                begins = [begin(q) for q in range(classes)]
                sums = _sums(builder, panel, rows, begins, count)
                for r, found in enumerate(_by_rows(builder, sums)):
                    is_there = builder.icmp_unsigned("<", builder.add(k, COUNT(r)), length)
                    with builder.if_then(is_there):
                        write(r, found)
        return context.get_dummy_value()

    whole = types.uint64
    form = types.void(panel, types.float64, weights, whole, whole, whole, whole, out, whole)
    return form, generate


def _sums(
    builder: Any, panel: Any, factors: list[Row], begins: list[Any], count: Any
) -> list[list[Any]]:
    """For each half of the eight rows, the sums of products with each class in a register."""
    # Additions to one sum wait for each other, so few classes get several sums, used in turn.
    turns, halves = CLASSES // len(factors), range(0, ROWS, LANES)
    starts = [spread(builder, number) for number in begins]
    sums = [
        [[variable(builder, NOTHING if turn else start) for start in starts] for _ in halves]
        for turn in range(turns)
    ]

    def add(j: Any, turn: int) -> None:
        column = [builder.load(_entry(builder, panel, j, r, REGISTER), align=BYTES) for r in halves]
        for q, row in enumerate(factors):
            weight = spread(builder, row.load(j, NUMBER))
            for half, numbers in enumerate(column):
                product, sum = builder.fmul(numbers, weight, flags=FUSED), sums[turn][half][q]
                builder.store(builder.fadd(builder.load(sum), product, flags=FUSED), sum)

    def total(half: int, q: int) -> Any:
        return reduce(builder.fadd, (builder.load(own[half][q]) for own in sums))

    rounds = builder.sub(count, builder.urem(count, COUNT(turns)))
    with each(builder, COUNT(0), rounds, turns) as j:
        for turn in range(turns):
            add(builder.add(j, COUNT(turn)), turn)
    with each(builder, rounds, count, 1) as j:
        add(j, 0)
    return [[total(half, q) for q in range(len(factors))] for half in range(len(halves))]


def _by_rows(builder: Any, sums: list[list[Any]]) -> Iterator[list[Any]]:
    """For each row its sums for the first four classes, and for the others."""
    for half in sums:
        fours = [half[q : q + LANES] for q in range(0, len(half), LANES)]
        for lane in (0, 2):
            turned = [_some_turned(builder, four, lane) for four in fours]
            yield from map(list, zip(*turned, strict=True))


def _some_turned(builder: Any, registers: list[Any], lane: int) -> list[Any]:
    """The numbers of a lane and of the next, of four registers at most."""
    nothing = ir.Constant(REGISTER, ir.Undefined)
    filled = registers + [nothing] * (LANES - len(registers))
    pairs = [_mixed(builder, register, nothing, [lane, lane + 1]) for register in filled]
    there = list(range(len(registers)))
    return [_mixed(builder, row, nothing, there) for row in _turned(builder, pairs)]


room: Any = intrinsic(_room)
lay: Any = intrinsic(_lay)
add_products: Any = intrinsic(_add_products)
