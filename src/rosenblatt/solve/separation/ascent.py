"""How far a direction rises in the cone C = {z : Az ≥ 0}, by one linear program that grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.solve.search import NEGLIGIBLE, OPEN, OutOfTime

if TYPE_CHECKING:
    from rosenblatt.solve.separation.cone import Cone


class Ascent:
    """maximise aim·z over z in C and the unit box, for one aim after another.

    Only the objective differs between aims, so that each begins at the last one's solution. Rows
    are taken into the program as they are violated. Floating point: its answers are candidates.

    Parameters
    ----------
    cone : Cone
        Whose face z is in.
    outside : ndarray of bool
        The rows that are not in the face.
    slack : float
        How far z may be out of C: a little, where rounding is to be forgiven.
    """

    def __init__(self, cone: Cone, outside: np.ndarray, slack: float = 0.0):
        self.cone, self.face, self.outside = cone, cone.face, outside
        # Data that overlaps by more rises by some hundred times the slack at most.
        self.slack, self.open = slack, max(OPEN, 1000 * slack)
        self.program = cone.program()
        self.working = np.zeros(0, dtype=np.intp)

    def add(self, points: np.ndarray) -> None:
        """Take in the rows that are new."""
        new = points[~np.isin(points, self.working)]
        if len(new):
            goal, self.working = self.cone.goal, np.concatenate([self.working, new])
            rows = goal.rows(new, 1 - goal.codes[new])
            self.program.add(self.cone.frame.into(rows), depth=0.0, slack=self.slack)

    def climb(self, aim: np.ndarray) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        """Weights in C, as far as floats tell, with aim·z > 0; or None and what forbids it.

        Parameters
        ----------
        aim : ndarray
            In the coordinates of the cone's frame.

        Returns
        -------
        weights : ndarray or None
        free, held : ndarray of int
            Rows, off the face and of it, that combine with the aim to 0 where there are none.
        """
        goal = self.cone.goal
        none = np.zeros(0, dtype=np.intp)
        self.program.aim(aim / (np.abs(aim).max() or 1.0))
        while True:
            solved = self.program.solve(self.cone.timer.left())
            if solved is None:
                raise OutOfTime
            height, z, multipliers = solved
            if height <= self.open:
                heavy = multipliers > NEGLIGIBLE * multipliers.max(initial=0.0)
                first = len(self.face.rows)
                return None, self.working[heavy[first:]], self.face.rows[heavy[:first]]
            weights = self.cone.frame.back(z)
            margins, _ = goal.look(weights)
            short = self.outside & (margins < -OPEN * self.cone.sizes(weights))
            short[self.working] = False
            worst = np.flatnonzero(short)
            if not len(worst):
                return weights, none, none
            most = max(50, goal.dimension)
            self.add(worst[np.argsort(margins[worst], kind="stable")[:most]])
