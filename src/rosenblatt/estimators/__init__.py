"""scikit-learn's faces of the engine: validate, encode labels, call the engine, set attributes."""

from rosenblatt.lazy import LATE_FOR_SKLEARN, without

with without(*LATE_FOR_SKLEARN):
    import sklearn.base  # noqa: F401
