"""`Perceptron`: the perceptron over many machines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.dask.batches import batches_of
from rosenblatt.dask.lazy import LazyClassifier
from rosenblatt.dask.learned import FOUND, local_of
from rosenblatt.dask.settings import ELSEWHERE, budget_of, check_parameters, pace_of, without
from rosenblatt.data.checkpoint import check_place
from rosenblatt.data.labels import check_same_classes, classes_of_stream
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.run import Run
from rosenblatt.engine.solutions import Pocket
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.estimators.linear import warn_if_spent
from rosenblatt.estimators.perceptron import Perceptron as Local
from rosenblatt.fit.conclusion import Conclusion, FittedRun
from rosenblatt.fit.plan import Plan, Task, perceptron_rule
from rosenblatt.fit.procedure import fit
from rosenblatt.fit.settings import Settings
from rosenblatt.places.cluster.batches import Batches
from rosenblatt.places.cluster.checkpoint import ClusterStanding, Keeper
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.place import Cluster
from rosenblatt.places.cluster.rounds import MixingRound
from rosenblatt.places.place import Schedule
from rosenblatt.text import plural

# Rounds with mistakes before a proof that was asked for is searched for: most data that can be
# separated is by then, and a search asks every partition many times.
ROUNDS = 10
SPENT = (
    "All max_iter rounds are made and mistakes are still being made. Allow more rounds, or ask "
    "rosenblatt.dask.decide (or certify=True) whether the classes are separable before that."
)


class Perceptron(LazyClassifier):
    """A perceptron that learns where the data is, and says why it stopped.

    Each round, every partition makes one pass from the same weights, by the same machine code as
    on one machine, and the weights are mixed (McDonald, Hall and Mann 2010). Data stays where it
    is; only weights travel. The mistakes of the partitions, weighted as the weights are, number
    at most R²/γ² in all rounds together, which is checked after each (`Guarantee`); a round
    without a mistake is a separation, with its margin and certificate. The same partitions and
    seed give the same weights, to the bit, whatever the workers and the order they finish in.

    Parameters
    ----------
    client : Client, str or None
        A ``distributed.Client``, the address of a scheduler, or None: the current client, else a
        cluster of this machine's cores, for as long as the fit takes.
    mixing : {"uniform", "mistakes"}, default="uniform"
        The share of each partition in the mixed weights: equal, or in proportion to the mistakes
        it made. The second has the better bound, at most R²/γ² rounds with a mistake however many
        partitions there are, against as many times that; the first needed fewer rounds in all
        that was measured.
    persist : {"auto", True, False}, default="auto"
        Whether the workers keep the partitions in memory between rounds or read them again.
        "auto" keeps them if they take at most 40 % of the workers' memory.
    max_iter : int, default=1000
        The most rounds; those of ``solution="auto"`` come on top.
    max_updates : int, optional
        No round is begun after so many changes of the weights, on all partitions together.
    order : {"active", "cyclic", "shuffled"}, default="active"
        Which point a partition looks at next, within its pass.
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of each partition's rows, stop when their error no longer
        falls, keep the weights that were best on them. Measuring is a look of its own.
    solution : {"auto", "last", "average", "pocket"}, default="auto"
        The last mixed weights; the mean over all looks of all partitions; the mixed weights best
        on the training data, which costs a look at each point a round. With "auto" ten rounds of
        shuffled passes over scaled columns follow, and their mean predicts; if the classes were
        separated, at most ten more correct it until it separates them, too. Weights that
        validation data chose are kept.
    certify : bool, default=False
        Whether to decide separability by proof after ten rounds with mistakes.
    class_weight : dict or "balanced", optional
        Multiplies the step of each class; balanced by the rows of all partitions together.
    checkpoint : str or path, optional
        Where to keep all that it takes to go on: written after each round, or as often as a tenth
        of the time allows, and when the cluster fails. A file that is
        there and is no checkpoint is refused.
    fit_intercept, tol, n_iter_no_change, weight_tol, validation_fraction, eta0, threshold, ties, \
warm_start, random_state
        As for `rosenblatt.Perceptron`, with rounds for passes.
    verbose : int, default=0
        1 prints a line when the fit ends, 2 also one for each round.

    Attributes
    ----------
    coef_, intercept_, classes_, stop_, verdict_, certificate_, mistakes_, updates_, n_iter_, \
looks_, radius_, margin_, history_, run_
        As for `rosenblatt.Perceptron`; mistakes, updates and looks of all partitions together.
        ``n_iter_`` and ``history_`` leave the rounds of the mean out (``run_.averaged``).
    mistake_bound_ : float
        The most weighted mistakes that any run from 0 can make.
    guarantee_ : Guarantee
        The mixing theorem with this run's numbers in it.
    rounds_ : tuple of Round
        Mistakes, guarantee, seconds and bytes moved, round by round.

    References
    ----------
    McDonald, Hall and Mann 2010.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from rosenblatt.datasets import gaussian
    >>> from rosenblatt.dask import Perceptron
    >>> data = gaussian(1000, 5, 0.1, seed=0)
    >>> X, y = da.from_array(data.X, chunks=(250, 5)), da.from_array(data.y, chunks=250)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     clf = Perceptron(client).fit(X, y)
    ...     clf.stop_, float(clf.score(X, y)), clf.guarantee_.holds
    (Stop.SEPARATED, 1.0, True)
    >>> type(clf.to_local()).__module__
    'rosenblatt.estimators.perceptron'
    """

    classes_: np.ndarray
    run_: Run
    radius_: float
    stop_: Stop
    verdict_: Verdict

    @without(Local, ELSEWHERE)
    def __init__(
        self,
        client: Any = None,
        *,
        mixing: str = "uniform",
        persist: Any = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        max_updates: int | None = None,
        tol: float | str | None = "auto",
        n_iter_no_change: int = 5,
        weight_tol: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        eta0: float = 1.0,
        threshold: float = 0.0,
        order: str = "active",
        ties: str = "mistake",
        solution: str = "auto",
        certify: bool = False,
        class_weight: Any = None,
        checkpoint: Any = None,
        warm_start: bool = False,
        random_state: int = 0,
        verbose: int = 0,
    ):
        self.client = client
        self.mixing = mixing
        self.persist = persist
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.weight_tol = weight_tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eta0 = eta0
        self.threshold = threshold
        self.order = order
        self.ties = ties
        self.solution = solution
        self.certify = certify
        self.class_weight = class_weight
        self.checkpoint = checkpoint
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        eval_set: Any = None,
        resume: bool = False,
        progress: Callable[[MixingRound], None] | None = None,
    ) -> Perceptron:
        """Learn until there is reason to stop.

        Parameters
        ----------
        X : dask array, dask data frame, list of delayed, or Shards
            Rows, chunked by rows, dense or sparse; a list holds delayed pairs (X, y) or triples
            (X, y, sample_weight); shards are files (`rosenblatt.dask.read_svmlight`,
            `read_parquet`, `read_files`).
        y : dask array, dask series, array, or str
            Labels in the same partitions, or the name of the label column of a data frame. None
            for a list or shards, which bring their labels.
        sample_weight : like y, optional
            Multiplies each point's step; points of weight 0 are never looked at.
        eval_set : tuple (X, y), optional
            Validation data of your own, of the same kinds.
        resume : bool
            Whether to go on from ``checkpoint``.
        progress : callable, optional
            Sees each `MixingRound`.

        Returns
        -------
        self : Perceptron
            The fitted estimator.

        Raises
        ------
        ClusterError
            Where the cluster failed; ``checkpoint`` then holds the last round.
        """
        self._check(resume)
        with ExitStack() as stack:
            batches = stack.enter_context(batches_of(self.client, X, y, sample_weight))
            own = None
            if eval_set is not None:
                own = stack.enter_context(batches_of(batches.client, *eval_set))
            self._learn(batches, own, resume=resume, progress=progress)
        return self

    def _check(self, resume: bool) -> None:
        """Refuse parameters that cannot be met, before anything is read."""
        check_parameters(self)
        if resume and self.checkpoint is None:
            raise InputError("resume=True needs checkpoint=PATH to go on from.")
        if self.checkpoint is not None:
            check_place(self.checkpoint)

    def _learn(
        self,
        batches: Batches,
        eval_batches: Batches | None = None,
        *,
        resume: bool = False,
        progress: Callable[[MixingRound], None] | None = None,
    ) -> None:
        """Learn from batches, whatever executor reaches them."""
        self._check(resume)
        own = self.early_stopping and eval_batches is None
        held_out = self.validation_fraction if own else 0.0
        data = self._partitions(batches, held_out=held_out)
        validation = data.held() if held_out else None
        if eval_batches is not None:
            validation = self._partitions(eval_batches, like=data.facts)
        data.mix_rows()
        pace = pace_of(self, data)
        keeper = Keeper(self.checkpoint, identity(data, pace))
        earlier = keeper.load() if resume else self._earlier(data)
        budget_of(self, self.max_iter - keeper.kept)
        place = Cluster(data, pace, keeper, earlier, self._teller(progress))
        task = self._task(earlier)
        plan = self._plan(validation is not None)
        outcome = fit(place, task, plan, held_out=validation)
        self._keep(place, outcome, validation is not None)
        warn_if_spent(self.stop_, self.verdict_, SPENT)

    def partial_fit(
        self, X: Any, y: Any = None, *, classes: Any = None, sample_weight: Any = None
    ) -> Perceptron:
        """Make one round over a batch of partitions, from where the last call ended.

        The mixing theorem holds over all batches together.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes : array, optional
            Every label there will ever be; needed in the first call.

        Returns
        -------
        self : Perceptron
            The estimator, learning on.
        """
        check_parameters(self)
        first = not hasattr(self, "run_")
        known = classes_of_stream(classes, None if first else self.classes_)
        how = {"classes": known, "like": None if first else self._facts}
        with batches_of(self.client, X, y, sample_weight) as batches:
            data = self._partitions(batches, **how)
            data.mix_rows()
            earlier = None
            pace = pace_of(self, data)
            if not first:
                earlier = ClusterStanding(self.run_, self._local.kept_[0].get("pocket"))
                data.radius = max(data.radius, self.radius_)
                pace = pace.with_spread_of(self._spread)
            place = Cluster(data, pace, None, earlier, self._teller())
            task, rule = (
                self._task(earlier),
                make_rule(len(place.classes), pace.threshold, pace.ties),
            )
            schedule = Schedule(budget=budget_of(self, 1), kept=task.kept)
            run = place.passes(rule, place.start(task.start), schedule).all()
            self._keep(place, FittedRun(run, Conclusion(), task.kept, rule), False)
        return self

    def _partitions(self, batches: Batches, **how: Any) -> Partitions:
        how |= {"fit_intercept": self.fit_intercept, "seed": int(self.random_state)}
        return Partitions(batches, persist=self.persist, **how)

    def _earlier(self, data: Partitions) -> ClusterStanding | None:
        """Where an earlier fit was left, if this one goes on from there."""
        if not (self.warm_start and hasattr(self, "run_")):
            return None
        check_same_classes(data.facts.classes, self.classes_)
        return ClusterStanding(self.run_, self._local.kept_[0].get("pocket"))

    def _task(self, earlier: ClusterStanding | None) -> Task:
        """The run to make; it goes on from an earlier one, pocket included."""
        kept = {}
        if self.solution == "pocket":
            known = None if earlier is None else earlier.pocket
            kept["pocket"] = Pocket() if known is None else known.copy()
        start = None if earlier is None else earlier.run.state
        return Task(None, start, int(self.random_state), kept)

    def _plan(self, validated: bool) -> Plan:
        """What is asked for; weights that validation data chose are kept as they are."""
        solution = "last" if validated and self.solution == "auto" else self.solution
        return Plan(
            order=self.order,
            budget=budget_of(self, self.max_iter),
            rule=partial(perceptron_rule, Settings.of(self)),
            certify=bool(self.certify),
            solution=solution,
            averages=solution == "auto" and self.order == "active",
            decide_after=ROUNDS,
        )

    def _teller(self, progress: Any = None) -> Callable[[MixingRound], None]:
        def tell(made: MixingRound) -> None:
            if self.verbose >= 2:
                print(f"round {made.number}: {plural(made.mistakes, 'mistake')}, {made.guarantee}")
            if progress is not None:
                progress(made)

        return tell

    def _keep(self, place: Cluster, outcome: FittedRun, validated: bool) -> None:
        """Set what was learned, through the estimator of one machine."""
        self._local: Any = local_of(self, place, outcome, validated)
        self._facts, self._spread = place.data.facts, place.pace.spread
        for name in (name for name in FOUND if hasattr(self._local, name)):
            setattr(self, name, getattr(self._local, name))
        self.rounds_ = tuple(place.rounds)
        self.guarantee_ = place.guarantee(outcome.run, outcome.conclusion.margin.lower)
        if self.verbose:
            print(f"{outcome.run}\n{self.guarantee_}")


def identity(data: Partitions, pace: Pace) -> dict[str, Any]:
    """What a fit must share with its checkpoint to go on as if nothing had happened."""
    return {
        "classes": [str(label) for label in data.facts.classes.tolist()],
        "columns": data.d,
        "rows of each partition": [int(s.rows) for s in data.surveys],
        "data set": [int(s.checksum) for s in data.surveys],
        "fit_intercept": data.facts.fit_intercept,
        "held_out": data.facts.held_out,
        "dealing of rows": data.dealt,
        **pace._asdict(),
    }
