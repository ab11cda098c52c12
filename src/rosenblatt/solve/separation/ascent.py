"""How far a direction rises in the cone C = {z : Az ≥ 0}, by one linear program that grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.solve.linear_program import ROUNDING, Solution
from rosenblatt.solve.working_set import NOBODY, Checked

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
        self.open = max(ROUNDING, 1000 * slack)
        self.working = cone.working_set(depth=0.0, floor=-slack)

    def add(self, points: np.ndarray) -> None:
        """Take in the rows that are new."""
        self.working.add(points, 1 - self.cone.constraints.codes[points])

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
        self.working.program.aim(aim / (np.abs(aim).max() or 1.0))
        weights, solution = self.working.search(self._check)
        if weights is not None:
            return weights, NOBODY, NOBODY
        heavy = solution.alpha > ROUNDING * solution.alpha.max(initial=0.0)
        first = self.working.fixed
        return None, self.working.points[heavy[first:]], self.face.rows[heavy[:first]]

    def _check(self, solution: Solution) -> Checked:
        """The weights, if they are in C; none where nothing rises."""
        if solution.height <= self.open:
            return Checked()
        weights = self.cone.frame.back(solution.z)
        margins, rivals = self.cone.constraints.look(weights)
        short = self.outside & (margins < -ROUNDING * self.cone.sizes(weights))
        short[self.working.points] = False
        worst = self.working.worst(margins, short)
        return Checked(None, worst, rivals[worst]) if len(worst) else Checked(weights)
