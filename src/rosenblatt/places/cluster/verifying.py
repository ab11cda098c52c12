"""`verify`: a certificate checked in a distributed pass, by the code that checks it locally."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.errors import InputError
from rosenblatt.places.cluster.cluster import connected
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.work import PartitionBlock
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Certificate, Inseparability, Separation, Verification


def floor(block: PartitionBlock, index: int, weights: np.ndarray) -> float:
    """The margin that weights are proved to reach on a partition; infinite on an empty one."""
    if not len(block.train):
        return np.inf
    whole = len(block.train) == len(block.codes)
    X, codes = (block.X, block.codes) if whole else (block.X[block.train], block.codes[block.train])
    return exact.margin_floor(X, codes, weights)


def checked(
    block: PartitionBlock, index: int, _: Any, proof: Separation, labels: np.ndarray
) -> Verification | None:
    """What the certificate's own check says of a partition."""
    return proof.verify(block.X, labels[block.codes]) if len(block.codes) else None


def some_rows(
    block: PartitionBlock, index: int, _: Any, wanted: np.ndarray, offset: np.ndarray
) -> Any:
    """Those of the wanted rows that are in a partition, and their class codes."""
    here = (wanted >= offset[index]) & (wanted < offset[index + 1])
    local = wanted[here] - offset[index]
    return (block.X[local], block.codes[local]) if len(local) else None


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
    with connected(client) as client:
        try:
            data = Partitions(
                client, X, y, persist=persist, fit_intercept=certificate.fit_intercept
            )
        except InputError as error:
            return Verification(False, str(error))
        if isinstance(certificate, Separation):
            return _verify_separation(certificate, data)
        return _verify_inseparability(certificate, data)


def _verify_separation(proof: Separation, data: Partitions) -> Verification:
    answers = data.ask(checked, None, proof, data.facts.classes)
    for name, answer in zip(data.labels, answers, strict=True):
        if answer is not None and not answer:
            return Verification(False, f"{name}: {answer.reason}")
    return Verification(
        True,
        f"all {data.n:,} rows in {len(answers)} partitions are strictly on their class's side, "
        f"with margin at least {proof.margin.lower:.6g} (no fingerprint was compared)",
    )


def _verify_inseparability(proof: Inseparability, data: Partitions) -> Verification:
    wanted, places = np.unique(proof.rows, return_inverse=True)
    if wanted[-1] >= data.n:
        return Verification(False, f"row {wanted[-1]} is not in the data, of {data.n:,} rows")
    answers = data.ask(some_rows, None, wanted, data.offsets)
    found = [answer for answer in answers if answer is not None]
    X = [rows for rows, _ in found]
    codes = np.concatenate([codes for _, codes in found])
    few: Any = sparse.vstack(X, format="csr") if hasattr(X[0], "indptr") else np.vstack(X)
    return replace(proof, rows=places.ravel()).verify(few, data.facts.classes[codes])
