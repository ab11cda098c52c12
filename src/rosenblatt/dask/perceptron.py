"""`Perceptron`: the perceptron over many machines. Imports ``mixing`` and the estimators."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.cost import run_cost
from rosenblatt.dask import lazy
from rosenblatt.dask.checkpoint import Checkpoint, Keeper, load
from rosenblatt.dask.cluster import ClusterError, connected
from rosenblatt.dask.deciding import answered, conclude
from rosenblatt.dask.mixing import (
    MIXINGS,
    ORDERS,
    MixingSweep,
    Pace,
    Round,
    guarantee,
    started,
)
from rosenblatt.dask.partitions import Partitions
from rosenblatt.errors import InputError
from rosenblatt.estimators.conclusion import Conclusion
from rosenblatt.estimators.one_vs import Outcome
from rosenblatt.estimators.perceptron import Perceptron as Local
from rosenblatt.estimators.problem import Problem
from rosenblatt.learn import learn
from rosenblatt.rules import make_rule
from rosenblatt.run import Pass, Run
from rosenblatt.solutions import Pocket
from rosenblatt.stopping import Budget, Stop

SOLUTIONS = ("auto", "last", "average", "pocket")
# Parameters that mean the same on one machine.
SHARED = (
    *("fit_intercept", "max_iter", "max_updates", "tol", "n_iter_no_change", "weight_tol"),
    *("early_stopping", "validation_fraction", "eta0", "threshold", "order", "ties", "solution"),
    *("certify", "warm_start", "random_state"),
)
# What a fit finds out, as on one machine.
FOUND = (
    *("classes_", "coef_", "intercept_", "stop_", "verdict_", "certificate_", "margin_"),
    *("mistakes_", "updates_", "n_iter_", "looks_", "radius_", "mistake_bound_", "history_"),
    *("run_", "n_features_in_"),
)
# Rounds with mistakes after which certify=True decides.
ROUNDS = 10


class Perceptron(ClassifierMixin, BaseEstimator):
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
        The most rounds.
    max_updates : int, optional
        No round is begun after so many changes of the weights, on all partitions together.
    order : {"active", "cyclic", "shuffled"}, default="active"
        Which point a partition looks at next, within its pass.
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of each partition's rows, stop when their error no longer
        falls, keep the weights that were best on them. Measuring is a look of its own.
    solution : {"auto", "last", "average", "pocket"}, default="auto"
        The last mixed weights; the mean over all looks of all partitions; the mixed weights best
        on the training data, which costs a look at each point a round; or (auto) the last if they
        separate or were chosen by validation, else the mean.
    certify : bool, default=False
        Whether to decide separability by proof after ten rounds with mistakes.
    checkpoint : str or path, optional
        Where to keep all that it takes to go on: written after each round, or as often as a tenth
        of the time allows, and when the cluster fails.
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
    coef_: np.ndarray
    intercept_: np.ndarray
    run_: Run
    radius_: float

    def __init__(
        self,
        client: Any = None,
        *,
        mixing: str = "uniform",
        persist: Any = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        max_updates: int | None = None,
        tol: float | None = None,
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
        self.checkpoint = checkpoint
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        eval_set: Any = None,
        resume: bool = False,
        progress: Callable[[Round], None] | None = None,
    ) -> Perceptron:
        """Learn until there is reason to stop.

        Parameters
        ----------
        X : dask array, dask data frame, list of delayed, or Shards
            Rows, chunked by rows, dense or sparse; a list holds delayed pairs (X, y); shards are
            files (`rosenblatt.dask.read_svmlight`, `read_parquet`, `read_files`).
        y : dask array, dask series, array, or str
            Labels in the same partitions, or the name of the label column of a data frame. None
            for a list or shards, which bring their labels.
        eval_set : tuple (X, y), optional
            Validation data of your own, of the same kinds.
        resume : bool
            Whether to go on from ``checkpoint``.
        progress : callable, optional
            Sees each `Round`.

        Returns
        -------
        self : Perceptron
            The fitted estimator.

        Raises
        ------
        ClusterError
            Where the cluster failed; ``checkpoint`` then holds the last round.
        """
        pace = self._pace()
        held_out = self.validation_fraction if self.early_stopping and eval_set is None else 0.0
        if not 0 <= held_out < 1:
            raise InputError(f"validation_fraction must be below 1, got {held_out!r}.")
        with connected(self.client) as client:
            data = self._partitions(client, X, y, held_out=held_out)
            validation = None
            if eval_set is not None:
                validation = self._partitions(client, *eval_set, like=data.facts)
            elif held_out:
                validation = data.held()
            earlier = self._earlier(data, pace, resume)
            done = earlier.run.passes if earlier is not None and resume else 0
            budget = self._budget(max(1, self.max_iter - done))
            run, pocket, answer = self._run(data, pace, budget, validation, earlier, progress)
            conclusion = conclude(data, run, answer, self._upper(validation), pace)
            self._keep(data, pace, run, conclusion, pocket, validation is not None)
        return self

    def partial_fit(self, X: Any, y: Any = None, *, classes: Any = None) -> Perceptron:
        """Make one round over a batch of partitions, from where the last call ended.

        The mixing theorem holds over all batches together.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array, optional
            Every label there will ever be; needed in the first call.

        Returns
        -------
        self : Perceptron
            The estimator, learning on.
        """
        pace = self._pace()
        first = not hasattr(self, "run_")
        if first and classes is None:
            raise InputError(
                "classes must be passed on the first call to partial_fit: every label there will "
                "ever be, for example classes=[0, 1]."
            )
        known = None if first else self._facts
        with connected(self.client) as client:
            data = self._partitions(client, X, y, classes=classes, like=known)
            earlier = None
            if not first:
                earlier = Checkpoint(self.run_, self._local.kept_[0].get("pocket"), {})
                data.radius = max(data.radius, self.radius_)
            run, pocket, _ = self._run(data, pace, self._budget(1), None, earlier, None)
            self._keep(data, pace, run, Conclusion(), pocket, False)
        return self

    def to_local(self) -> Local:
        """The same model as an ordinary `rosenblatt.Perceptron`, which saves as one.

        Returns
        -------
        rosenblatt.Perceptron
        """
        check_is_fitted(self)
        return copy.copy(self._local)

    def decision_function(self, X: Any) -> Any:
        """The scores w·x + b, lazily: a collection like X, or a dask array.

        Parameters
        ----------
        X : dask array, dask data frame, list of delayed, Shards, or array
            Rows; of a list or shards, the labels are left aside.
        """
        check_is_fitted(self)
        return lazy.decision_function(self._local, X)

    def predict(self, X: Any) -> Any:
        """The class of each row, lazily: a collection like X, or a dask array.

        Parameters
        ----------
        X
            As for `decision_function`.
        """
        check_is_fitted(self)
        return lazy.predict(self._local, X)

    def score(self, X: Any, y: Any = None, sample_weight: None = None) -> Any:
        """The share of rows predicted right, lazily: ``float(clf.score(X, y))`` computes it.

        Parameters
        ----------
        X, y
            As for `fit`.
        sample_weight : None
            Rows all count alike.
        """
        check_is_fitted(self)
        return lazy.score(self._local, X, y)

    def _pace(self) -> Pace:
        """The checked parameters of a pass."""
        for name, allowed in (
            ("mixing", MIXINGS),
            ("order", ORDERS),
            ("solution", SOLUTIONS),
            ("ties", ("mistake", "positive", "negative")),
            ("certify", (True, False)),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"{name} must be one of {', '.join(map(repr, allowed))}, "
                    f"got {getattr(self, name)!r}."
                )
        if not (self.eta0 > 0 and math.isfinite(self.eta0)):
            raise InputError(f"eta0 must be a positive finite number, got {self.eta0!r}.")
        if isinstance(self.random_state, bool) or not isinstance(
            self.random_state, (int, np.integer)
        ):
            raise InputError(f"random_state must be a whole number, got {self.random_state!r}.")
        return Pace(
            threshold=float(self.threshold),
            ties=self.ties,
            eta=float(self.eta0),
            order=self.order,
            mixing=self.mixing,
            seed=int(self.random_state),
            averages=self.solution in ("auto", "average"),
        )

    def _partitions(self, client: Any, X: Any, y: Any = None, **how: Any) -> Partitions:
        return Partitions(
            client,
            X,
            y,
            persist=self.persist,
            fit_intercept=self.fit_intercept,
            seed=int(self.random_state),
            **how,
        )

    def _earlier(self, data: Partitions, pace: Pace, resume: bool) -> Checkpoint | None:
        """Where to go on: from a checkpoint, from an earlier fit, or not at all."""
        if resume:
            if self.checkpoint is None:
                raise InputError("resume=True needs checkpoint=PATH to go on from.")
            return load(self.checkpoint, identity(data, pace))
        if not (self.warm_start and hasattr(self, "run_")):
            return None
        if not np.array_equal(self.classes_, data.facts.classes):
            raise InputError(
                f"the classes {data.facts.classes.tolist()} are not those of the last fit, "
                f"{self.classes_.tolist()}."
            )
        return Checkpoint(self.run_, self._local.kept_[0].get("pocket"), {})

    def _budget(self, rounds: int) -> Budget:
        return Budget(
            passes=rounds,
            updates=self.max_updates,
            tol=self.tol,
            patience=self.n_iter_no_change,
            weight_tol=self.weight_tol,
        )

    def _run(
        self,
        data: Partitions,
        pace: Pace,
        budget: Budget,
        validation: Partitions | None,
        earlier: Checkpoint | None,
        progress: Callable[[Round], None] | None,
    ) -> tuple[Run, Pocket | None, Any]:
        """The rounds: ``learn`` with partitions for points, and mixing for its sweep."""
        recorder = Recorder(self, data, pace, earlier, progress)
        try:
            run = learn(
                data,  # type: ignore[arg-type]
                make_rule(len(data.facts.classes), pace.threshold, pace.ties),
                order="cyclic",
                state=recorder.state,
                everyone=np.arange(len(data.sources)),
                budget=budget,
                validation=None if validation is None else (validation, None),  # type: ignore
                sweeper=recorder.sweeper,
                watch=recorder.after_round,
            )
        except ClusterError as error:
            raise recorder.lost(error) from None
        self.rounds_ = tuple(recorder.rounds)
        run = recorder.whole(run)
        recorder.keeper.write(Checkpoint(run, recorder.pocket, identity(data, pace)))
        if recorder.separator is not None:
            run.state.weights[...] = recorder.separator
            run = replace(run, weights=run.state.weights, clean=True)
        return run, recorder.pocket, recorder.answer

    def _upper(self, validation: Any) -> float:
        """γ ≤ ‖w‖/(ηK); weights put back to those best on validation data are no such sum."""
        known = self.rounds_ and validation is None
        return self.rounds_[-1].guarantee.upper if known else math.inf

    def _keep(
        self,
        data: Partitions,
        pace: Pace,
        run: Run,
        conclusion: Conclusion,
        pocket: Pocket | None,
        validated: bool,
    ) -> None:
        """Set what was learned, through the estimator of one machine."""
        local: Any = Local(**{name: getattr(self, name) for name in SHARED})
        local.n_features_in_ = data.d
        if data.names:
            local.feature_names_in_ = np.array(data.names, dtype=object)
            self.feature_names_in_ = local.feature_names_in_
        rule = make_rule(len(data.facts.classes), pace.threshold, pace.ties)
        problem = Problem(
            *(None, data.facts.classes, np.zeros(0, np.intp), data, rule),  # type: ignore[arg-type]
            *(np.zeros(0, np.intp), data.radius, pace.eta),
        )
        kept = {} if pocket is None else {"pocket": pocket}
        local._keep(problem, [Outcome(run, conclusion, kept, rule)], validated)
        self._local, self._facts = local, data.facts
        for name in FOUND:
            setattr(self, name, getattr(local, name))
        local._first = data.facts.first
        self.guarantee_ = guarantee(run.state, pace, data.reach, conclusion.margin.lower)
        if self.rounds_:
            # By the mixed weights, whichever are kept.
            self.guarantee_ = self.rounds_[-1].guarantee._replace(bound=self.guarantee_.bound)
        if self.verbose:
            print(f"{run}\n{self.guarantee_}")


def identity(data: Partitions, pace: Pace) -> dict[str, Any]:
    """What a fit must share with its checkpoint to go on as if nothing had happened."""
    return {
        "classes": [str(label) for label in data.facts.classes.tolist()],
        "columns": data.d,
        "rows of each partition": [int(s.rows) for s in data.surveys],
        "fit_intercept": data.facts.fit_intercept,
        **pace._asdict(),
    }


class Recorder:
    """What a fit keeps while it runs: its state, rounds, pocket and checkpoint."""

    def __init__(
        self,
        estimator: Perceptron,
        data: Partitions,
        pace: Pace,
        earlier: Checkpoint | None,
        progress: Callable[[Round], None] | None,
    ):
        self.estimator, self.data, self.pace = estimator, data, pace
        self.earlier, self.progress = earlier, progress
        self.state = started(data, None if earlier is None else earlier.run.state)
        self.pocket = None
        if estimator.solution == "pocket":
            self.pocket = Pocket()
            if earlier is not None and earlier.pocket is not None:
                self.pocket = earlier.pocket.copy()
        self.keeper = Keeper(estimator.checkpoint)
        self.rounds: list[Round] = []
        self.history: list[Pass] = []
        self.answer: Any = None
        self.separator: np.ndarray | None = None

    def sweeper(self, *args: Any) -> MixingSweep:
        """The sweep of this fit."""
        done = 0 if self.earlier is None else self.earlier.run.passes
        self.sweep = MixingSweep(self.pace, self.tell, *args, done=done, pocket=self.pocket)
        return self.sweep

    def tell(self, made: Round) -> None:
        """Pass a round on to whoever watches."""
        self.rounds.append(made)
        if self.estimator.verbose >= 2:
            print(f"round {made.number}: {made.mistakes:,} mistakes, {made.guarantee}")
        if self.progress is not None:
            self.progress(made)

    def after_round(self, row: Pass) -> Stop | None:
        """Keep what is learned, and decide where that is due."""
        self.history.append(row)
        self.keeper.offer(self.checkpoint())
        if self.estimator.certify and len(self.history) >= ROUNDS:
            self.answer, self.separator, stop = answered(self.data, self.state)
            return stop
        return None

    def whole(self, run: Run) -> Run:
        """The run with what came before it."""
        return run if self.earlier is None else run.after(self.earlier.run)

    def checkpoint(self) -> Checkpoint:
        """Where the fit stands after its last round."""
        made = sum(row.mistakes for row in self.history)
        run = Run(
            weights=self.state.weights,
            average=self.state.weights,
            state=self.state,
            mistakes=made,
            updates=made,
            passes=len(self.history),
            looks=self.history[-1].looks if self.history else 0,
            history=tuple(self.history),
            stop=Stop.INTERRUPTED,
            clean=False,
            seconds=self.history[-1].seconds if self.history else 0.0,
            cost=run_cost(self.data, self.sweep.total, classes=len(self.state.buffer)),  # type: ignore
        )
        return Checkpoint(self.whole(run), self.pocket, identity(self.data, self.pace))

    def lost(self, error: ClusterError) -> ClusterError:
        """Keep what there is; the error with what is left and how to go on."""
        kept = self.checkpoint()
        self.keeper.write(kept)
        rounds = f"{kept.run.passes:,} round{'' if kept.run.passes == 1 else 's'}"
        if self.keeper.path is None:
            return ClusterError(f"{error} {rounds} are lost: checkpoint=PATH keeps them.")
        return ClusterError(f"{error} {rounds} are kept in {self.keeper.path}: resume to go on.")
