"""What each verb does; each returns its exit code."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import report
from rosenblatt.cli.flags import ONE_OF_MANY, in_flags
from rosenblatt.cli.inputs import read
from rosenblatt.cli.outputs import code_after, failure_of, in_answer
from rosenblatt.cli.proofs import proof_rows, streamed_proof_rows
from rosenblatt.cli.shell import console, emit, put, say, waiting
from rosenblatt.cli.signals import interrupted
from rosenblatt.data.files import replacing
from rosenblatt.data.positive import rarer
from rosenblatt.data.tables.columns import Columns, learn_columns
from rosenblatt.data.tables.reading import Choice, Progress, RawTable
from rosenblatt.errors import InputError, nearest
from rosenblatt.fit.report import certificate as described
from rosenblatt.fit.report import facing_positive
from rosenblatt.text import plural

if TYPE_CHECKING:
    from rosenblatt.cli.streams import StreamFeatures

DECIDED = {"SEPARABLE": 0, "INSEPARABLE": 1, "UNDECIDED": 3}
SHORTEST = 1e-6  # seconds, in place of none or a negative number
STILLS = (".png", ".svg", ".pdf", ".gif", ".html")
MOVING = (".gif", ".mp4", ".html")
PAGE = (
    "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n<title>{kind}</title>\n"
    "{svg}</html>\n"
)


def _points(data: str, choice: Choice) -> tuple[Any, Any, RawTable, Columns]:
    """X and y of all rows, the raw table, and how they were made of it."""
    raw = read(data, choice)
    columns = learn_columns(raw, choice)
    if columns.fill is not None:
        say_filled(raw, choice)
    return columns.features(raw), columns.labels(raw.y), raw, columns


def say_filled(raw: RawTable, choice: Choice) -> None:
    """Say how many missing numbers were filled in, because the answer depends on them."""
    import numpy as np

    gaps = int(np.isnan(raw.X).sum())
    filled = f"{plural(gaps, 'missing number')}, filled in by the {choice.missing} of the column"
    say(filled, style="dim")


def decide(
    data: str,
    choice: Choice,
    time_limit: float | None,
    certificate: str | None,
    as_json: bool,
    memory: int | None = None,
) -> int:
    """Decide separability; with ``memory``, of a file read chunk by chunk."""
    import numpy as np

    from rosenblatt.proof.certificate import Inseparability
    from rosenblatt.solve.answer import HINT

    words = "deciding"

    def note(found: Any) -> None:
        nonlocal words
        if not hasattr(found, "violated"):
            words = f"deciding: pass {found.passes + 1}, {plural(found.mistakes, 'mistake')}"
            return
        words = (
            f"deciding: round {found.number}, {plural(found.size, 'point')} in the working set, "
            f"{found.violated:,} violated, at best {plural(found.fewest, 'error')}"
        )

    limits: dict[str, Any] = {"time_limit": time_limit, "progress": note}
    X = y = None
    if memory is None:
        from rosenblatt.solve.decision import decide as decided

        X, y, raw, columns = _points(data, choice)
        source, shape = raw.source, X.shape
        with waiting(lambda: (words, None)):
            decision = decided(X, y, positive=rarer_of(y), **limits)
        rows = proof_rows(decision.certificate, raw)
    else:
        decision, made = _decide_stream(data, choice, limits, memory, lambda: (words, None))
        source, shape, columns, rows = data, (None, None), None, []
        if made is not None:
            facts, source, columns = made.opened.reader.facts, made.source.label, made.columns
            shape = (facts.rows, made.width)
            rows = streamed_proof_rows(decision.certificate, made.opened)
    proof, classes = None, list(decision.classes)
    if columns is not None and classes:
        classes = columns.words(np.asarray(classes)).tolist()
    positive = classes[1] if len(classes) == 2 else None
    if columns is not None and decision.certificate is not None:
        named = columns.words(np.asarray(decision.certificate.classes)).tolist()
        proof = {**(described(decision.certificate, named) or {}), "rows": rows}
    error = None
    if certificate and decision.certificate is not None:
        error = save_certificate(decision.certificate, certificate)
    elif certificate:
        say(f"undecided, so there is no certificate; {certificate} was not written")
    if as_json:
        emit(
            {
                "source": source,
                "rows": shape[0],
                "features": shape[1],
                "verdict": decision.verdict.value,
                "separable": decision.separable,
                "classes": classes,
                "positive": positive,
                "certificate": proof,
                "margin": list(decision.margin),
                "errors": None if decision.weights is None else decision.errors,
                "rounds": decision.rounds,
                "seconds": decision.seconds,
                **in_answer(error),
            }
        )
    else:
        console().print(in_flags(decision.sentence))
        report.show_proof(console(), proof)
        if decision.margin_sentence:
            console().print(decision.margin_sentence)
        if positive is not None and not decision.separable:
            console().print(f"Positive class: {positive!r}.")
        if memory is None and isinstance(decision.certificate, Inseparability):
            outcome = decision.certificate.irreducible(X, y)
            console().print(f"None can be left out: {outcome.reason}." if outcome else "")
        if decision.separable is False:
            console().print(HINT.replace("rosenblatt.fewest_errors", "`rosenblatt errors`"))
    return code_after(DECIDED[decision.verdict.name], error)


def rarer_of(y: Any) -> Any:
    """The positive class of two words that do not say which it is; None of all other labels."""
    import numpy as np

    return rarer(*np.unique(y, return_counts=True))


def save_certificate(proof: Any, path: str) -> str | None:
    """Write a certificate, and say so; return the error if it cannot be written."""
    error = failure_of(lambda: proof.save(path))
    if error is None:
        say(f"certificate written to {path}")
    return error


def _decide_stream(
    data: str, choice: Choice, limits: dict[str, Any], memory: int, words: Progress
) -> tuple[Any, StreamFeatures | None]:
    """Decide a file read chunk by chunk, within a time that counts from the first byte on."""
    from rosenblatt.cli.streams import features
    from rosenblatt.solve.deadline import Deadline, OutOfTime
    from rosenblatt.solve.decision import decide_stream, undecided, watch_of

    clock = Deadline(limits.pop("time_limit"))
    try:
        made = features(data, choice, memory, watch=watch_of(clock))
    except OutOfTime:
        return undecided(clock), None
    left = clock.left()
    limit = None if left is None else max(left, SHORTEST)
    facts, faces = made.opened.reader.facts, {}
    if made.columns.positive is None and facts is not None and facts.counts is not None:
        faces["positive"] = rarer(facts.classes, facts.counts)
    with waiting(words):
        decision = decide_stream(made, memory=memory, time_limit=limit, **faces, **limits)
    return replace(decision, seconds=clock.spent()), made


def verify(
    certificate: str, data: str, choice: Choice, as_json: bool, memory: int | None = None
) -> int:
    """Check a certificate, or that of a model, against data; with ``memory``, of a stream."""
    import numpy as np

    from rosenblatt.proof.certificate import load

    if memory is not None:
        from rosenblatt.cli.streams import features
        from rosenblatt.places.file.verifying import verify_stream

        if _is_model(certificate):
            raise InputError("--stream: verify takes a certificate, not a model; leave it out")
        proof, made = load(Path(certificate)), features(data, choice, memory)
        outcome, source, columns = verify_stream(proof, made), made.source.label, made.columns
    else:
        if _is_model(certificate):
            proof, X, y, raw, columns = _of_model(certificate, data, choice)
        else:
            proof = load(Path(certificate))
            X, y, raw, columns = _points(data, choice)
        outcome, source = proof.verify(X, y), raw.source
    if as_json:
        emit(
            {
                "source": source,
                "holds": outcome.ok,
                "reason": outcome.reason,
                "bound": outcome.bound,
                "kind": proof.kind,
            }
        )
    else:
        holds = "The certificate holds" if outcome else "The certificate does not hold"
        console().print(f"{holds}: {outcome.reason}", soft_wrap=True)
        if outcome:
            named = columns.words(np.asarray(proof.classes)).tolist()
            report.show_proof(console(), described(proof, named))
    return 0 if outcome else 1


def _is_model(path: str) -> bool:
    """Whether a file is a model's: its header starts after eight bytes, a certificate's at once."""
    try:
        with open(path, "rb") as file:
            return file.read(9)[8:] == b"{"
    except OSError:
        return False


def _of_model(path: str, data: str, choice: Choice) -> tuple[Any, Any, Any, RawTable, Columns]:
    """The certificate of a model, and the rows that it is about, read as the model reads them."""
    from rosenblatt.cli.commands.models import learned_from, raw_rows, stored_model

    stored, columns = stored_model(path)
    proof = stored.model.certificate
    if proof is None:
        raise InputError(f"{path}: the model holds no certificate; `rosenblatt decide` makes one")
    raw, columns = raw_rows(data, choice, stored.model, columns, labelled=True)
    known = learned_from(stored, columns, raw)
    if known is not None and known is not raw:
        say(
            f"The certificate is about the {len(known.y):,} rows that the model learned from; the "
            f"{len(raw.y) - len(known.y):,} that fit held out are left aside."
        )
    elif known is None and stored.fingerprint:
        say("These are not the rows that the model learned from; all of them are checked.")
    raw = known or raw
    proof = facing_positive(proof, columns.rarer)
    return proof, columns.features(raw), columns.labels(raw.y), raw, columns


def trace(data: str, choice: Choice, given: dict[str, Any], rows: int, as_json: bool) -> int:
    """Run the perceptron step by step."""
    import numpy as np
    from scipy import sparse

    from rosenblatt.teaching.tracing import trace as traced

    X, y, raw, columns = _points(data, choice)
    X = X.toarray() if sparse.issparse(X) else X
    if (np.rint(X) == X).all() and np.abs(X).max(initial=0) < 2**53:
        X = X.astype(np.int64)
    settings = raw.settings
    if choice.positive is not None:  # the settings of a worked example are about its own classes
        settings = {"classes": columns.words([False, True]).tolist()}
    steps = traced(X, columns.words(y), **{**settings, **given})
    classes = list(steps.classes)
    if as_json:
        names = ("number", "index", "label", "score", "mistake", "before", "update", "after")
        emit(
            {
                "source": raw.source,
                "stop": steps.stop.name,
                "stop_sentence": str(steps.stop),
                "classes": classes,
                "positive": classes[1] if len(classes) == 2 else None,
                "exact": steps.exact,
                "cycle": steps.cycle,
                "steps": [{name: getattr(s, name) for name in names} for s in steps],
                "weights": steps.exact_weights[-1],
            }
        )
    else:
        about = f"positive class: {classes[1]}\n" if len(classes) == 2 else ""
        put(f"{steps.table(max_rows=rows)}\n{about}{in_flags(str(steps.stop))}\n")
    return 0


def plot(kind: str, data: str, choice: Choice, output: str) -> int:
    """Draw a figure."""
    import matplotlib as mpl

    mpl.use("Agg")
    from rosenblatt import figures

    known = [*figures.kinds(), "animate"]
    if kind not in known:
        hint = nearest(kind, known) or f"; there are {', '.join(known)}"
        raise InputError(f"there is no figure {kind!r}{hint}")
    check_ending(kind, output)
    X, y, raw, columns = _points(data, choice)
    if kind == "fewest_errors":
        refuse_many(y, raw.source)
    with replacing(output) as temporary, waiting(lambda: (f"drawing {kind}", None)):
        if kind == "animate":
            from rosenblatt.teaching.tracing import trace as traced

            names, ordered = columns.names or None, {}
            if columns.positive is not None:
                ordered = {"classes": columns.words([False, True]).tolist()}
            run = traced(X, columns.words(y), exact=False, **ordered)
            figures.animate(run, temporary, names=names)
        else:
            drawn = figures.picture(kind, X, y, names=columns.names or None)
            write_still(in_the_labels(drawn, columns), temporary, kind, output)
        if interrupted():  # a fit catches Ctrl-C and returns
            raise KeyboardInterrupt
    say(f"{kind} of {raw.source} written to {output}")
    return 0


def check_ending(kind: str, output: str) -> None:
    """Refuse a file that a figure cannot be written to, by its ending."""
    allowed = MOVING if kind == "animate" else STILLS
    if Path(output).suffix.lower() not in allowed:
        raise InputError(f"{output}: {kind} is written to a file ending in {', '.join(allowed)}")


def in_the_labels(figure: Any, columns: Columns) -> Any:
    """Write the names of the classes into a figure that was drawn of True and False.

    Drawn of the names themselves, it could have the classes the other way round: they would be
    sorted.
    """
    if columns.positive is None:
        return figure
    from matplotlib.text import Text

    negative, positive = columns.words([False, True]).tolist()
    words: dict[str, str] = {"False": negative, "True": positive}

    def named(text: str) -> str:
        # "smoker=True" is the name of a feature, not a label.
        return re.sub(r"(?<![\w=])(True|False)(?!\w)", lambda found: words[found[1]], text)

    for text in figure.findobj(Text):
        text.set_text(named(text.get_text()))
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        if set(labels) & set(words):  # set_text does not last: ticks format their labels
            axis.set_ticks(axis.get_ticklocs(), labels=list(map(named, labels)))
    return figure


def refuse_many(y: Any, source: str) -> None:
    """Refuse to draw the fewest errors of more than two classes, before they are searched for."""
    import numpy as np

    count = len(np.unique(y))
    if count > 2:
        raise InputError(
            f"{source}: the fewest errors are drawn for two classes, and there are {count}; "
            f"{ONE_OF_MANY}"
        )


def write_still(figure: Any, path: Path, kind: str, named: str) -> None:
    """Save a still picture in the format that ``named`` ends with; ``path`` may end otherwise."""
    suffix = Path(named).suffix.lower()
    if suffix == ".html":
        text = io.StringIO()
        figure.savefig(text, format="svg")
        svg = text.getvalue()
        path.write_text(PAGE.format(kind=kind, svg=svg[svg.index("<svg") :]), "utf-8")
    elif suffix == ".gif":
        from PIL import Image

        pixels = io.BytesIO()
        figure.savefig(pixels, format="png")
        Image.open(pixels).convert("RGB").quantize().save(path, "gif")
    else:
        with path.open("wb") as file:  # given the path, matplotlib would add an ending
            figure.savefig(file, format=suffix[1:])


def datasets(as_json: bool) -> int:
    """List the bundled sets."""
    from rosenblatt.data.datasets import names

    if as_json:
        emit(names())
    else:
        report.show_table(console(), ("name", "what it is"), names().items())
    return 0
