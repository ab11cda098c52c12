"""Rows that are compared: events with those at risk, cases with the controls of their group.

A partial likelihood is a product of contests, in each of which a winner is picked among rivals. It
rises for ever along z exactly if each winner scores at least as much as every rival, and one more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact


class Contests(NamedTuple):
    """Who wins, and against whom.

    Attributes
    ----------
    wins : ndarray of bool
        Rows with an event, or cases.
    strata : ndarray of int
        Only rows of one stratum, or group, are compared.
    time : ndarray, optional
        Of the event or of the last look: the rivals of an event are the rows of at least its time.
        Without, those of a case are the rows of its group that are none.
    entry : ndarray, optional
        When rows came under observation: rivals did so before the event.

    Examples
    --------
    >>> risk = Contests(np.array([True, False, True]), np.zeros(3, int), np.array([1.0, 2.0, 3.0]))
    >>> risk.rivals(0)
    array([1, 2])
    >>> risk.best(np.array([1, 0, 2]))
    array([2, 2])
    """

    wins: np.ndarray
    strata: np.ndarray
    time: np.ndarray | None = None
    entry: np.ndarray | None = None

    @property
    def winners(self) -> np.ndarray:
        """The rows that win a contest."""
        return np.flatnonzero(self.wins)

    def rivals(self, row: int) -> np.ndarray:
        """The rows that a winner is compared with."""
        if self.time is None:
            found = ~self.wins & (self.strata == self.strata[row])
        else:
            found = (self.time >= self.time[row]) & (self.strata == self.strata[row])
            if self.entry is not None:
                found &= self.entry < self.time[row]
            found[row] = False
        return np.flatnonzero(found)

    def compared(self, pairs: np.ndarray) -> np.ndarray:
        """Whether each pair of rows is a winner and a rival."""
        i, j = pairs.T
        fits = self.wins[i] & (self.strata[i] == self.strata[j])
        if self.time is None:
            return fits & ~self.wins[j]
        if self.entry is not None:
            fits &= self.entry[j] < self.time[i]
        return fits & (self.time[j] >= self.time[i]) & (i != j)

    def best(self, ranks: np.ndarray) -> np.ndarray:
        """For each winner a rival of the highest rank; or the winner, if none has more."""
        n, winners = len(ranks), self.winners
        if self.entry is not None:
            found = [self.rivals(i) for i in winners.tolist()]
            best = [
                r[ranks[r].argmax()] if len(r) else i for i, r in zip(winners, found, strict=True)
            ]
            return np.array(best, dtype=np.intp)
        # Strata one after the other, in each the latest times first: a running maximum.
        latest = np.zeros(n) if self.time is None else -self.time
        order = np.lexsort((latest, self.strata))
        _, strata = np.unique(self.strata, return_inverse=True)
        keys = np.where(self.wins & (self.time is None), -1, ranks)
        keys = (strata * (ranks.max(initial=0) + 2) + keys + 1) * n + np.arange(n)
        running = np.maximum.accumulate(keys[order]) % n
        moment = np.column_stack([self.strata[order], latest[order]])
        last = np.append((moment[1:] != moment[:-1]).any(axis=1), True)
        ends = np.flatnonzero(last)[np.cumsum(np.append(False, last[:-1]))]
        best = np.empty(n, dtype=np.intp)
        best[order] = running[ends]
        best = best[winners]
        # A group of cases alone has no rival.
        return np.where(self.wins[best], winners, best) if self.time is None else best

    def lost(self, scores: np.ndarray, then: np.ndarray) -> np.ndarray:
        """Pairs in which the rival has the higher score, or an equal one and then another.

        Parameters
        ----------
        scores, then : ndarray of int
            Exact, of all rows; ``then`` is what ties are broken by, either way.

        Returns
        -------
        ndarray of int, shape (m, 2)
            At most two pairs for each winner; none exactly if every winner scores at least as much
            as each rival, and the same by ``then`` where it ties.
        """
        winners, found = self.winners, []
        for sign in (1, -1):
            keys = list(zip(scores.tolist(), (sign * then).tolist(), strict=True))
            places = {key: rank for rank, key in enumerate(sorted(set(keys)))}
            ranks = np.array([places[key] for key in keys], dtype=np.int64)
            best = self.best(ranks)
            beaten = ranks[best] > ranks[winners]
            found.append(np.column_stack([winners, best])[beaten])
        return np.unique(np.concatenate(found), axis=0)

    def within(self, scores: np.ndarray) -> Contests:
        """The contests among rows of one stratum and one score: those that are tied.

        Examples
        --------
        >>> cases = Contests(np.array([True, False, False]), np.zeros(3, int))
        >>> cases.within(np.array([1, 1, 0])).strata
        array([0, 0, 1])
        """
        keys = list(zip(self.strata.tolist(), scores.tolist(), strict=True))
        places: dict[Any, int] = {}
        return self._replace(strata=np.array([places.setdefault(k, len(places)) for k in keys]))

    def taking_part(self) -> np.ndarray:
        """Which rows win over a rival, or are a rival.

        Examples
        --------
        >>> Contests(np.array([True, False, True]), np.array([0, 0, 1])).taking_part()
        array([ True,  True, False])
        """
        found = np.zeros(len(self.wins), dtype=bool)
        if self.entry is not None:
            for i in self.winners.tolist():
                rivals = self.rivals(i)
                found[rivals] = True
                found[i] |= len(rivals) > 0
            return found
        _, strata = np.unique(self.strata, return_inverse=True)
        count = int(strata.max(initial=-1)) + 1
        if self.time is None:
            cases = np.bincount(strata, self.wins, count)
            return ((cases > 0) & (cases < np.bincount(strata, minlength=count)))[strata]
        # From the first event of a stratum on, each row is at risk.
        first = np.full(count, np.inf)
        np.minimum.at(first, strata[self.wins], self.time[self.wins])
        there = self.time >= first[strata]
        return there & (np.bincount(strata, there, count) > 1)[strata]


def exact_scores(X: Any, vector: Any) -> np.ndarray:
    """Products of all rows with a vector of rationals, as integers of one common unit.

    Examples
    --------
    >>> exact_scores(np.array([[0.5, 1.0], [0.25, 0.0]]), [1, 3])
    array([14, 1], dtype=object)
    """
    factors = np.array(exact.primitive(list(vector)), dtype=object)
    if not any(factors):
        return np.zeros(X.shape[0], dtype=object)
    values = X.data if hasattr(X, "indptr") else X
    integers, _ = exact.scaled_integers(values)
    integers = integers.astype(object)
    if not hasattr(X, "indptr"):
        return integers @ factors
    products = integers * factors[X.indices]
    sums = np.concatenate([[0], np.cumsum(products)])
    return sums[X.indptr[1:]] - sums[X.indptr[:-1]]
