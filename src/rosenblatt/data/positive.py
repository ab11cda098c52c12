"""Which of two classes is the positive one, on whose rows scores are to be positive.

It is the one that the user says (``positive=``, or the second of ``classes=``). Otherwise, of two
labels whose names say it, the one that means yes: '+' against '-', '+1' against '-1', 'Yes' against
'no', 'HER2+' against 'HER2-', 'case' against 'control' and the other pairs of `MEANT`, and a word
against the same with a negation before it ('disease' against 'no disease', 'infected' against
'uninfected'), in capitals or not, with any dash. Otherwise the last of the sorted classes: 1 of 0
and 1, `True`, 'spam'. On the command line, which counts the rows, the rarer one of two words that
do not say it comes before the last: 'fraud' of 'fraud' and 'ok' (`rarer`).

scikit-learn's estimators have a contract of their own, kept by those here: ``classes_`` is sorted
and ``coef_`` speaks for ``classes_[1]``, whatever it is called. Reports on them, those of the
command line and of the lab, speak for the positive class by the rule above (`positive_last`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.labels import is_plain_enum, listed
from rosenblatt.errors import InputError

T = TypeVar("T")

# Negative and positive; only small letters, and "-" for every dash. Beside these, words that differ
# by a sign ("her2-" and "her2+") or by a negation. The last lines are in their order anyway, and
# here so that no count of rows turns them round.
MEANT = {
    ("-1", "1"), ("minus", "plus"),
    ("no", "yes"), ("n", "y"), ("no", "y"), ("n", "yes"), ("off", "on"),
    ("false", "true"), ("f", "t"), ("false", "t"), ("f", "true"),
    ("neg", "pos"), ("negative", "positive"), ("absent", "present"),
    ("inactive", "active"), ("nein", "ja"), ("normal", "abnormal"),
    ("control", "case"), ("controls", "cases"), ("control", "cases"), ("controls", "case"),
    ("wrong", "right"), ("incorrect", "correct"), ("disagree", "agree"), ("miss", "hit"),
    ("reject", "accept"), ("rejected", "accepted"), ("reject", "approve"), ("rejected", "approved"),
    ("denied", "approved"), ("declined", "approved"), ("declined", "accepted"),
    ("low", "high"), ("lower", "higher"), ("lo", "hi"), ("✗", "✓"),
    ("ham", "spam"), ("benign", "malignant"), ("healthy", "ill"), ("healthy", "sick"),
    ("fail", "pass"), ("failed", "passed"), ("bad", "good"), ("loss", "win"), ("lost", "won"),
}  # fmt: skip
# "in-" and "dis-" are none: 'inpatient' is no negation of 'patient'.
NEGATIONS = ("no", "non", "not", "un", "without")
SHORTEST = 4  # letters that are negated without a space: 'union' is no negation of 'ion'
MARKS = str.maketrans("＋⁺⊕✔✅✘❌", "+++✓✓✗✗", "\ufe0f")  # and no request for a coloured picture
MINUS = "−⁻⊖"


def positive_code(classes: Sequence[Any] | np.ndarray, positive: Any = None) -> int:
    """Which of two classes, 0 or 1, is the positive one; of more, the last.

    Parameters
    ----------
    classes : sequence
        Sorted.
    positive : label, optional
        The one that the user says; refused where there are not two classes, and this among them.

    Examples
    --------
    >>> positive_code(["+", "-"]), positive_code(["Yes", "no"]), positive_code(["ham", "spam"])
    (0, 0, 1)
    >>> positive_code(["disease", "no disease"])
    0
    >>> positive_code(["ham", "spam"], positive="ham")
    0
    >>> positive_code(["a", "b", "c"], positive="a")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: positive='a' is about two classes, and y has 3. To tell that class
    from all others, pass y == 'a' as the labels.
    """
    labels = listed(classes)
    if positive is None:
        return 0 if len(labels) == 2 and _is_meant(*map(_word, labels)) else len(labels) - 1
    if len(labels) != 2:
        raise InputError(
            f"positive={positive!r} is about two classes, and y has {len(labels)}. To tell that "
            f"class from all others, pass y == {positive!r} as the labels."
        )
    same = [k for k, label in enumerate(labels) if _equal(label, positive)]
    if not same:
        raise InputError(f"positive={positive!r} is not among the classes of y, {labels}.")
    return same[0]


def rarer(classes: Sequence[Any] | np.ndarray, counts: Sequence[int] | np.ndarray) -> Any:
    """Of two words that do not say which class is positive, that of fewer rows; else None.

    Examples
    --------
    >>> rarer(["fraud", "ok"], [7, 993]), rarer(["ok", "weird"], [993, 7])
    ('fraud', 'weird')
    >>> rarer(["no", "yes"], [7, 993]), rarer([0, 1], [7, 993]), rarer(["a", "b"], [5, 5])
    (None, None, None)
    """
    labels = listed(classes)
    words = [_word(label) for label in labels]
    if len(words) != 2 or not all(words) or any(map(_is_number, words)) or counts[0] == counts[1]:
        return None
    told = _is_meant(*words) or _is_meant(*words[::-1])
    return None if told else labels[int(counts[1] < counts[0])]


def positive_last(
    classes: Sequence[Any] | np.ndarray, told: Sequence[T], positive: Any = None
) -> list[T]:
    """What is told of each of the sorted classes, with the positive one of two last.

    Examples
    --------
    >>> positive_last(["+", "-"], [3, 2]), positive_last(["a", "b", "c"], [1, 2, 3])
    ([2, 3], [1, 2, 3])
    """
    return [*told] if positive_code(classes, positive) else [*reversed(told)]


def _is_meant(positive: str, negative: str) -> bool:
    signed = "-" in negative and negative.replace("-", "+") == positive
    return signed or (negative, positive) in MEANT or _is_negation(negative, positive)


def _is_negation(word: str, other: str) -> bool:
    """Whether a word is another with a negation before it: 'no disease', 'non-event', 'untreated'.

    Examples
    --------
    >>> _is_negation("not detected", "detected"), _is_negation("no", "yes")
    (True, False)
    >>> _is_negation("unhealthy", "healthy"), _is_negation("unit", "it")
    (True, False)
    """
    joined = word.removesuffix(other)
    before = joined.rstrip(" _-")
    if not other or joined == word:
        return False
    long_enough = before != joined or len(other) >= SHORTEST
    return before in NEGATIONS and long_enough


def _word(label: Any) -> str:
    """A label as `MEANT` writes it; empty for what is neither text nor a member of an enum."""
    name = label.name if is_plain_enum(label) else label
    if not isinstance(name, str):
        return ""
    letters = name.strip().lower().translate(MARKS)
    dashes = {c for c in letters if c in MINUS or unicodedata.category(c) == "Pd"}
    return "".join("-" if c in dashes else c for c in letters)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _equal(label: Any, other: Any) -> bool:
    """Whether two labels are one, text never being a number."""
    if isinstance(label, str) != isinstance(other, str):
        return False
    same = label == other
    return isinstance(same, (bool, np.bool_)) and bool(same)
