"""Online learning: examples come one by one, are predicted, then revealed, then learned from.

`Perceptron` takes dicts, arrays or sparse rows; features and classes may appear as they come.
`protocol` plays the first lecture's game and holds the count of mistakes against its bound.
"""

from rosenblatt.online.game import Round, protocol
from rosenblatt.online.learner import Perceptron

__all__ = ["Perceptron", "Round", "protocol"]
