"""Certificates checked against a file, chunk by chunk, in exact arithmetic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.arguments import Expected, checked
from rosenblatt.errors import InputError
from rosenblatt.places.file.place import fingerprint_of
from rosenblatt.places.file.rows import FileRows, opened, parsed_once, rows_of
from rosenblatt.proof.certificate import Certificate, Inseparability, Separation, Verification
from rosenblatt.proof.certificate.base import OTHER_DATA


@checked(certificate=Expected("a certificate", lambda value: isinstance(value, Certificate)))
def verify_stream(certificate: Certificate, reader: Any) -> Verification:
    r"""Check a certificate against a file, chunk by chunk, in exact arithmetic.

    Parameters
    ----------
    certificate : Separation or Inseparability
    reader : Reader, str or path
        From `rosenblatt.readers.open_reader`.

    Returns
    -------
    Verification
        True, or false with the reason.

    Examples
    --------
    >>> import pathlib, tempfile, rosenblatt as rb
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sizes.csv")
    >>> _ = path.write_text("length,size\n1,small\n2,small\n9,large\n")
    >>> reader = rb.readers.open_reader(path)
    >>> proof = rb.decide_stream(reader).certificate
    >>> print(rb.verify_stream(proof, reader).reason)
    all 3 rows are strictly on their class's side, with margin at least 0...
    """
    if not isinstance(certificate, Separation | Inseparability):
        raise InputError(
            f"of a file read in chunks only a separation or an inseparability is verified, not "
            f"a {certificate.kind}; read the file and use certificate.verify(X, y)"
        )
    reader = opened(reader)
    with parsed_once(reader):
        return _checked(certificate, rows_of(reader, certificate.fit_intercept))


def _checked(certificate: Separation | Inseparability, rows: FileRows) -> Verification:
    try:
        if certificate.fingerprint and fingerprint_of(rows) != certificate.fingerprint:
            return Verification(False, OTHER_DATA)
        # Each part is checked by the certificate's own code, which shares nothing with the solver.
        unbound = replace(certificate, fingerprint="")
        checked = _cancels if isinstance(unbound, Inseparability) else _separates
        outcome = checked(unbound, rows)  # type: ignore[arg-type]
    except InputError as error:
        return Verification(False, str(error))
    return replace(outcome, bound=bool(certificate.fingerprint))


def _separates(certificate: Separation, rows: FileRows) -> Verification:
    for piece in rows.pieces():
        outcome = certificate.verify(piece.X, rows.classes[piece.codes])
        if not outcome:
            where = f"counted from row {piece.ids[0]} of the file on"
            return Verification(False, f"{where}, {outcome.reason}")
    margin = f"{certificate.margin.lower:.6g}"
    return Verification(
        True,
        f"all {rows.n} rows are strictly on their class's side, with margin at least {margin}",
    )


def _cancels(certificate: Inseparability, rows: FileRows) -> Verification:
    ids, places = np.unique(certificate.rows, return_inverse=True)
    piece = rows.gather(ids)
    few = replace(certificate, rows=places)
    return few.verify(piece.X, rows.classes[piece.codes])
