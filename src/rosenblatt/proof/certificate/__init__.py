"""Certificates: small objects that prove a verdict and can be checked without trusting the solver.

`Separation` proves that a hyperplane separates the classes, `Inseparability` that none does
(Gordan: exactly one of Az > 0 and Aᵀα = 0, α ≥ 0, α ≠ 0 has a solution), `WeakSeparation` and
`Overlap` the two halves of what statisticians call quasi-complete separation and overlap,
`Recession` where a likelihood with a log link, a conditional or a partial one rises for ever,
`ErrorBracket` how few training errors weights can make, `MarginBracket` how wide the maximum margin
is.
"""

from rosenblatt.proof.certificate.base import Certificate, Verification, require_proof
from rosenblatt.proof.certificate.data import Scalar, classes_of, fingerprint
from rosenblatt.proof.certificate.error_bracket import ErrorBracket
from rosenblatt.proof.certificate.inseparability import Inseparability
from rosenblatt.proof.certificate.margin_bracket import MarginBracket
from rosenblatt.proof.certificate.overlap import Overlap
from rosenblatt.proof.certificate.recession import Recession
from rosenblatt.proof.certificate.separation import Separation, WeakSeparation

# Of whichever kind; from a kind itself, such as Separation.load, only of that.
from_dict = Certificate.from_dict
from_json = Certificate.from_json
load = Certificate.load

__all__ = [
    "Certificate",
    "ErrorBracket",
    "Inseparability",
    "MarginBracket",
    "Overlap",
    "Recession",
    "Scalar",
    "Separation",
    "Verification",
    "WeakSeparation",
    "classes_of",
    "fingerprint",
    "from_dict",
    "from_json",
    "load",
    "require_proof",
]
