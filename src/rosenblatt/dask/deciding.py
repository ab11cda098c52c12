"""`decide` and `verify` over many machines: what is done on one machine, the rows elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.dask.batches import batches_of
from rosenblatt.data.positive import positive_code
from rosenblatt.errors import InputError
from rosenblatt.places.cluster.asking import ClusterConstraints, checked
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.place import Cluster
from rosenblatt.proof.certificate import Certificate, Inseparability, Separation, Verification
from rosenblatt.solve.deadline import Deadline
from rosenblatt.solve.decision import Decision, decide_in
from rosenblatt.solve.search import SearchRound


def decide(
    X: Any,
    y: Any = None,
    *,
    client: Any = None,
    fit_intercept: bool = True,
    positive: Any = None,
    persist: Any = "auto",
    time_limit: float | None = None,
    progress: Callable[[SearchRound], None] | None = None,
) -> Decision:
    """Decide whether the classes are linearly separable, and prove it.

    Some rounds of mixing settle the easy cases. Then, round after round, the workers look at all
    points and send the most violated, and `rosenblatt.decide`'s own search solves the small
    problem here. Its certificates name rows by their number through all partitions, and
    `rosenblatt.dask.verify` checks them where the data is.

    Parameters
    ----------
    X, y
        As for `rosenblatt.dask.Perceptron.fit`.
    client, persist
        As for `rosenblatt.dask.Perceptron`.
    fit_intercept, positive, time_limit, progress
        As for `rosenblatt.decide`; more than two classes have one weight vector each.

    Returns
    -------
    Decision

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> from distributed import Client
    >>> from rosenblatt.dask import decide, verify
    >>> X = da.from_array(np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), chunks=(2, 2))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     decision = decide(X, np.array([0, 0, 1, 1]), client=client)
    ...     decision.verdict, bool(verify(decision.certificate, X, np.array([0, 0, 1, 1])))
    (Verdict.INSEPARABLE, True)
    """
    clock = Deadline(time_limit)
    with batches_of(client, X, y) as batches:
        data = Partitions(batches, persist=persist, fit_intercept=fit_intercept)
        place = Cluster(data)
        code = positive_code(place.classes, positive)
        return decide_in(place, clock, progress).facing(code)


def verify(
    certificate: Certificate, X: Any, y: Any = None, *, client: Any = None, persist: Any = False
) -> Verification:
    """Check a certificate against partitions, in exact arithmetic, where they are.

    A separation is checked on every partition; of an inseparability, only the rows that it names
    are sent. Neither is bound to the data by a fingerprint, which would need them in one place.

    Parameters
    ----------
    certificate : Separation or Inseparability
        Of `rosenblatt.dask.decide` or of a fit.
    X, y
        As for `rosenblatt.dask.Perceptron.fit`.
    client, persist
        As for `rosenblatt.dask.Perceptron`.

    Returns
    -------
    Verification

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from rosenblatt.certificate import Separation
    >>> X, y = da.from_array(np.array([[-1.0], [1.0]]), chunks=(1, 1)), np.array([0, 1])
    >>> proof = Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0], fingerprint="")
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     bool(verify(proof, X, y)), bool(verify(proof, X, 1 - y))
    (True, False)
    """
    if certificate is None:
        raise InputError(
            "there is no certificate: the fit left separability undecided. Fit with certify=True, "
            "or ask rosenblatt.dask.decide."
        )
    if not isinstance(certificate, (Separation, Inseparability)):
        raise InputError(
            "rosenblatt.dask.verify checks a Separation or an Inseparability, got a "
            f"{type(certificate).__name__}."
        )
    if certificate.fingerprint:
        raise InputError(
            "the certificate is bound to a data set in one place; verify it there, or use one of "
            "rosenblatt.dask.decide's."
        )
    with batches_of(client, X, y) as batches:
        try:
            data = Partitions(batches, persist=persist, fit_intercept=certificate.fit_intercept)
        except InputError as error:
            return Verification(False, str(error))
        if isinstance(certificate, Separation):
            return _verify_separation(certificate, data)
        return _verify_inseparability(certificate, data)


def _verify_separation(proof: Separation, data: Partitions) -> Verification:
    answers = data.ask(checked, None, proof, data.facts.classes)
    for survey, answer in zip(data.surveys, answers, strict=True):
        if answer is not None and not answer:
            return Verification(False, f"{survey.name}: {answer.reason}")
    return Verification(
        True,
        f"all {data.n:,} rows in {len(answers)} partitions are strictly on their class's side, "
        f"with margin at least {proof.margin.lower:.6g}",
        bound=False,
    )


def _verify_inseparability(proof: Inseparability, data: Partitions) -> Verification:
    wanted, places = np.unique(proof.rows, return_inverse=True)
    if wanted[-1] >= data.n:
        return Verification(False, f"row {wanted[-1]} is not in the data, of {data.n:,} rows")
    rows, codes = ClusterConstraints(data).points_of(wanted)
    return replace(proof, rows=places.ravel()).verify(rows, data.facts.classes[codes])
