"""The constants that decide when a proof is searched for, and which weights predict.

Read as ``constants.FLOOR``, so that `benchmarks/ablation.py`, which tells what each of them buys,
can change them here. What makes columns alike for the mean is in `engine.scaling`; what chooses
between weights batch by batch, in `engine.progress`.
"""

# What a search for a proof may cost in any case, in entries read: a twentieth of a second.
FLOOR = 50_000_000
# Passes that the mean is taken over, and as many that may correct it.
MEAN_PASSES = 10
# Multiple of the mean that corrections start at, so that their steps are short beside it.
HEAD_START = 8.0
# Share of the rest of the way to a separator made beyond the point where all rows are right.
BEYOND = 0.1
# Columns, or columns² a nonzero entry of a row, up to which least squares are asked for, so that
# they cost about what the passes do.
WIDEST = 300
# Ridge of least squares, relative to the mean of the squares of the columns.
RIDGE = 1e-3
