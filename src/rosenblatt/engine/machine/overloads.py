"""Faster bodies of the row primitives, for numba; their plain ones are in `engine.points`.

Nothing here is a second implementation of a rule: dense rows need vector registers, and CSR rows
unsigned indices (signed ones cost a check for wrap-around at every entry).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from rosenblatt.engine import exponentials
from rosenblatt.engine import points as plain
from rosenblatt.engine.machine import blocks, exponential, prefetch, simd, sparse_sums
from rosenblatt.engine.machine.jit import note_compiling
from rosenblatt.engine.rules import base

# The faster bodies of plain functions that have one.
FASTER: dict[Callable[..., Any], Callable[..., Any]] = {}
_KNOWN: set[Callable[..., Any]] = set()


def faster(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """``numba.extending.overload``, inlined by LLVM, of which `Called` knows."""

    def decorate(text: Any) -> Any:
        FASTER[function] = text
        overload(function, jit_options={"forceinline": True})(text)
        return text

    return decorate


def register(helper: Callable[..., Any], recursive: bool) -> None:
    """Have numba compile calls of a plain function, and LLVM inline it unless it calls itself."""
    if helper not in _KNOWN:
        _KNOWN.add(helper)
        options: Any = {"forceinline": not recursive}
        overload(helper, jit_options=options, strict=False)(_as_it_stands(helper))


def _as_it_stands(helper: Callable[..., Any]) -> Callable[..., Any]:
    def body(*_args: Any, **_named: Any) -> Any:
        note_compiling()
        return helper

    return body


def _is_dense(points: Any) -> bool:
    return points.types[0].instance_class is plain.DenseRows


def _is_chosen(points: Any) -> bool:
    return points.types[0].instance_class is plain.ChosenRows


@faster(plain.in_table)
def _in_table(points):
    return lambda points: plain.Points(points.rows.table, points.y, points.steps, points.bias)


@faster(plain.dot)
def _dot(points, i, weights):
    if _is_chosen(points):

        def chosen(points, i, weights):
            return plain.dot(plain.in_table(points), points.rows.numbers[np.uint64(i)], weights)

        return chosen

    if _is_dense(points):

        def dense(points, i, weights):
            values = points.rows.values
            d, zero = np.uint64(values.shape[1]), np.uint64(0)
            products = simd.sum_of_products(values, (np.uint64(i), zero), weights, (zero,), d)
            return products + points.bias * weights[d]

        return dense

    def sparse(points, i, weights):
        rows, i = points.rows, np.uint64(i)
        first, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + blocks.ONE])
        products = blocks.sparse_products(rows.data, rows.indices, first, end, weights)
        return products + points.bias * weights[rows.width]

    return sparse


@faster(plain.add)
def _add(points, i, amount, weights):
    if _is_chosen(points):

        def chosen(points, i, amount, weights):
            number = points.rows.numbers[np.uint64(i)]
            plain.add(plain.in_table(points), number, amount, weights)

        return chosen

    if _is_dense(points):

        def dense(points, i, amount, weights):
            values = points.rows.values
            d, zero = np.uint64(values.shape[1]), np.uint64(0)
            simd.add_multiple(values, (np.uint64(i), zero), amount, weights, (zero,), d)
            weights[d] += amount * points.bias

        return dense

    def sparse(points, i, amount, weights):
        rows = points.rows
        i = np.uint64(i)
        for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + blocks.ONE])):
            weights[np.uint64(rows.indices[k])] += amount * rows.data[k]
        weights[rows.width] += amount * points.bias

    return sparse


@faster(plain.scores)
def _scores(points, i, weights, out):
    if _is_chosen(points):

        def chosen(points, i, weights, out):
            plain.scores(plain.in_table(points), points.rows.numbers[i], weights, out)

        return chosen

    if _is_dense(points):

        def dense(points, i, weights, out):
            values = points.rows.values
            i, d = np.uint64(i), np.uint64(values.shape[1])
            first = (i, np.uint64(0))
            for c in range(np.uint64(out.shape[0])):
                products = simd.sum_of_products(values, first, weights, (c, np.uint64(0)), d)
                out[c] = products + points.bias * weights[c, d]

        return dense

    def sparse(points, i, weights, out):
        rows, i, bias = points.rows, np.uint64(i), points.bias
        first, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + blocks.ONE])
        blocks.sparse_scores(rows, first, end, bias, weights, out)

    def few_classes(points, i, weights, out):
        rows, i, bias = points.rows, np.uint64(i), points.bias
        first, end = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + blocks.ONE])
        if len(out) <= sparse_sums.CLASSES:
            width = np.uint64(rows.width)
            sparse_sums.sparse_sums(rows.data, rows.indices, weights, out, first, end, bias, width)
        else:
            blocks.sparse_scores(rows, first, end, bias, weights, out)

    return few_classes if sparse_sums.is_side_by_side(weights) else sparse


@faster(plain.scores_of)
def _scores_of(points, chosen, weights, out):
    if _is_dense(points):

        def dense(points, chosen, weights, out):
            blocks.scores_of(points.rows.values, points.bias, chosen, weights, out)

        return dense

    def sparse(points, chosen, weights, out):
        for k in range(len(chosen)):
            plain.scores(points, chosen[k], weights, out[k])

    return sparse


@faster(plain.products)
def _products(points, i, chosen, out):
    def dense(points, i, chosen, out):
        blocks.products(points.rows.values, points.bias, i, chosen, out)

    return dense if _is_dense(points) else None


@faster(plain.number)
def _number(order, at):
    return lambda order, at: np.uint64(order[np.uint64(at)]) if len(order) else np.uint64(at)


@faster(plain.fetch)
def _fetch(points, state, order, at):
    if _is_chosen(points):
        return _fetch_chosen(points.types[0].types[0])

    def text(points, state, order, at):
        # Consecutive rows are better left to the processor. But it does not predict lines that are
        # read once in eight rows, such as those of labels, and all rows would wait for these.
        if len(order) == 0:
            if at % prefetch.NUMBERS == 0:
                _fetch_numbers(points, state, np.uint64(at + 2 * prefetch.ROWS_AHEAD))
        else:
            later = min(at + prefetch.ROWS_AHEAD, len(order) - 1)
            i = np.uint64(order[later])
            if order[later] - order[at] != later - at:
                fetch_row(points.rows, i, np.uint64(per_line))
                _fetch_numbers(points, state, i)
            elif at % prefetch.NUMBERS == 0:
                _fetch_numbers(points, state, i + np.uint64(prefetch.ROWS_AHEAD))
            if at % prefetch.NUMBERS == 0:
                there = at + prefetch.NUMBERS * prefetch.ROWS_AHEAD
                prefetch.prefetch(order, (np.uint64(there),))

    fetch_row = _fetch_dense_row if _is_dense(points) else _fetch_sparse_row
    per_line = prefetch.LINE // (points.types[0].types[0].dtype.bitwidth // 8)
    return text


def _fetch_chosen(table: Any) -> Any:
    """`fetch` for rows in order of memory, with gaps: the processor predicts a row from its
    beginning.
    """

    def text(points, state, order, at):
        numbers = points.rows.numbers
        later = min(at + prefetch.ROWS_AHEAD, plain.lap_length(points, order) - 1)
        i = plain.number(order, later)
        if len(order) and order[later] - order[at] != later - at:
            fetch_row(points.rows.table, np.uint64(numbers[i]), np.uint64(per_line))
            _fetch_numbers(points, state, i)
        else:
            begin(points.rows.table, np.uint64(numbers[i]), np.uint64(per_line))
            if at % prefetch.NUMBERS == 0:
                _fetch_numbers(points, state, i + np.uint64(prefetch.ROWS_AHEAD))
                prefetch.prefetch(numbers, (i + np.uint64(3 * prefetch.ROWS_AHEAD),))

    dense = table.instance_class is plain.DenseRows
    begin = _begin_dense_row if dense else _fetch_sparse_row
    fetch_row = _fetch_dense_row if dense else _fetch_sparse_row
    per_line = prefetch.LINE // (table.types[0].dtype.bitwidth // 8)
    return text


@register_jitable(forceinline=True)
def _begin_dense_row(rows, i, per_line):
    lines = np.uint64(prefetch.BEGINNING)
    for j in range(np.uint64(0), min(np.uint64(rows.values.shape[1]), lines * per_line), per_line):
        prefetch.prefetch(rows.values, (i, j))


@register_jitable(forceinline=True)
def _fetch_dense_row(rows, i, per_line):
    for j in range(np.uint64(0), np.uint64(rows.values.shape[1]), per_line):
        prefetch.prefetch(rows.values, (i, j))


@register_jitable(forceinline=True)
def _fetch_sparse_row(rows, i, per_line):
    for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + blocks.ONE]), per_line):
        prefetch.prefetch(rows.data, (k,))
        prefetch.prefetch(rows.indices, (k,))


@register_jitable(forceinline=True)
def _fetch_numbers(points, state, i):
    """Prefetch the label, step, dual and late of point i; most are read only after a mistake."""
    prefetch.prefetch(points.y, (i,))
    prefetch.prefetch(points.steps, (i,))
    prefetch.prefetch(state.dual, (i,))
    prefetch.prefetch(state.pending, (i,))


@faster(plain.size)
def _size(points, i):
    if _is_chosen(points):
        return lambda points, i: plain.size(plain.in_table(points), points.rows.numbers[i])

    if _is_dense(points):
        return lambda points, i: points.rows.values.shape[1]

    def sparse(points, i):
        indptr, i = points.rows.indptr, np.uint64(i)
        return indptr[i + blocks.ONE] - indptr[i]

    return sparse


@faster(plain.column)
def _column(points, i, k):
    if _is_chosen(points):
        return lambda points, i, k: plain.column(plain.in_table(points), points.rows.numbers[i], k)

    if _is_dense(points):
        return lambda points, i, k: np.uint64(k)

    def sparse(points, i, k):
        rows = points.rows
        return np.uint64(rows.indices[np.uint64(rows.indptr[np.uint64(i)]) + np.uint64(k)])

    return sparse


@faster(plain.squared_norm)
def _squared_norm(points, i):
    if _is_chosen(points):
        return lambda points, i: plain.squared_norm(plain.in_table(points), points.rows.numbers[i])

    if _is_dense(points):

        def dense(points, i):
            values = points.rows.values
            i = np.uint64(i)
            total = points.bias * points.bias
            for j in range(np.uint64(values.shape[1])):
                x = np.float64(values[i, j])
                total += x * x
            return total

        return dense

    def sparse(points, i):
        rows = points.rows
        total = points.bias * points.bias
        i = np.uint64(i)
        for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + blocks.ONE])):
            x = np.float64(rows.data[k])
            total += x * x
        return total

    return sparse


@faster(exponentials.exponential)
def _exponential(x):
    return lambda x: exponential.exponential(x)


@faster(base.step)
def _step(rule, points, i, state):
    return rule.instance_class.step


@faster(base.margin)
def _margin(rule, points, i, state):
    return rule.instance_class.margin


@faster(base.foresee)
def _foresee(rule, points, order, at, state):
    return rule.instance_class.foresee
