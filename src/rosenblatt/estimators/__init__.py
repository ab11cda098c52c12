"""scikit-learn's faces of the engine: validate, encode labels, call the engine, set attributes."""

from rosenblatt.estimators.perceptron import Perceptron

__all__ = ["Perceptron"]
