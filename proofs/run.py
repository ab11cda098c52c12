"""Ask the proved checker about real certificates, and about the tests' certificates and forgeries.

Forgeries: 200 of each certificate, or as many as ROSENBLATT_EXAMPLES says. The proved checker must
accept what ``tools/check_certificate.py`` accepts, and nothing that is false of the data.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from export import Export  # noqa: E402

from certificates import Example, Truth, checked, examples, forgery  # noqa: E402

FORGERIES = max(200, int(os.environ.get("ROSENBLATT_EXAMPLES", "200")))


def answers(texts: list[str]) -> list[bool]:
    """What the proved checker says of each problem."""
    ran = subprocess.run([HERE / "check"], input="".join(texts), capture_output=True, text=True)
    if ran.returncode == 2:
        raise SystemExit(ran.stderr)
    return [line.endswith(" proved") for line in ran.stdout.splitlines()]


def exported(example: Example, content: Any, name: str) -> str | None:
    """The text of a certificate; None where it cannot even be written."""
    try:
        return Export(content, *example.table()).text(name)
    except Exception:
        return None


def real() -> list[Example]:
    """Certificates about data that scikit-learn brings along."""
    from sklearn.datasets import load_breast_cancer, load_digits

    import rosenblatt as rb
    from rosenblatt.certificate import Certificate
    from rosenblatt.solve.fewest import fewest_errors

    def example(name: str, X: Any, y: Any, proof: Certificate | None) -> Example:
        assert proof is not None, name
        return Example(name, np.asarray(X, dtype=float), np.asarray(y), proof)

    cancer, benign = load_breast_cancer(return_X_y=True)
    digits, digit = load_digits(return_X_y=True)
    few = cancer[:, :4]
    eight, parity = digit == 8, digit % 2
    margin: Any = rb.MaxMargin().fit(cancer, benign).certify(cancer, benign)
    return [
        example("cancer-separation", cancer, benign, rb.decide(cancer, benign).certificate),
        example("cancer-4-inseparability", few, benign, rb.decide(few, benign).certificate),
        example("cancer-maximum-margin", cancer, benign, margin),
        example("digits-separation-10", digits, digit, rb.decide(digits, digit).certificate),
        example("digits-8", digits, eight, rb.decide(digits, eight).certificate),
        example("digits-parity", digits, parity, rb.decide(digits, parity).certificate),
        example(
            "cancer-4-fewest",
            few[:60],
            benign[:60],
            fewest_errors(few[:60], benign[:60]).certificate,
        ),
    ]


def check_real() -> None:
    """Every real certificate is proved, and a changed one is not."""
    for example in real():
        content = example.proof.to_dict()
        text = exported(example, content, example.name)
        if text is None:
            raise SystemExit(f"{example.name} cannot be exported")
        began = time.perf_counter()
        (proved,) = answers([text])
        seconds = time.perf_counter() - began
        print(f"{example.name}: {content['kind']}, {len(example.X)} rows, {seconds:.2f} s", end=" ")
        print("proved" if proved else "REFUSED")
        if not proved:
            raise SystemExit(1)


def check_forgeries() -> None:
    """The proved checker accepts what the other does, and nothing false."""
    for example in examples():
        content, rng = example.proof.to_dict(), random.Random(example.name)
        truth = Truth(example)
        forged = [content, *(forgery(content, rng) for _ in range(FORGERIES))]
        texts = [exported(example, c, f"{example.name}-{at}") for at, c in enumerate(forged)]
        said = iter(answers([text for text in texts if text is not None]))
        proved = [text is not None and next(said) for text in texts]
        if not proved[0]:
            raise SystemExit(f"{example.name} is refused")
        for c, mine in zip(forged, proved, strict=True):
            if not mine and checked(example, c):
                raise SystemExit(f"only the proved checker refuses {c}")
            if mine and not truth.allows(c):
                raise SystemExit(f"the proved checker accepts what is false: {c}")
        print(f"{example.name}: {FORGERIES} forgeries, {FORGERIES + 1 - sum(proved)} refused")


if __name__ == "__main__":
    check_forgeries()
    check_real()
