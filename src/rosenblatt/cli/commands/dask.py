"""``fit --dask``: fit files on a cluster; returns the exit code."""

from __future__ import annotations

import logging
import re
import warnings
from typing import Any, NamedTuple

from rosenblatt.cli.commands.fitting import Wanted, begun, ended, save_model, tell
from rosenblatt.cli.outputs import code_after, failure_of, in_answer
from rosenblatt.cli.shell import console, say
from rosenblatt.data.tables.columns import FILLED, HASHED, Columns
from rosenblatt.data.tables.reading import Choice, column_of, columns_of
from rosenblatt.errors import InputError
from rosenblatt.fit.report import accuracy_of, findings_of
from rosenblatt.text import plural


class Where(NamedTuple):
    """Where to fit, and what to keep on the way.

    Attributes
    ----------
    scheduler : str
        An address, or ``local``.
    workers : int or None
        Processes of a local cluster.
    checkpoint : str or None
    resume : bool
    """

    scheduler: str
    workers: int | None
    checkpoint: str | None
    resume: bool


def fit(
    data: str,
    choice: Choice,
    parameters: dict[str, Any],
    wanted: Wanted,
    test: float,
    where: Where,
) -> int:
    """Fit a Perceptron on a cluster, save it, report."""
    margin = parameters.pop("margin")
    _check(choice, test, margin, where)
    from rosenblatt.dask import Perceptron, lazy
    from rosenblatt.dask.connection import connected, reported
    from rosenblatt.dask.perceptron import SPENT
    from rosenblatt.dask.settings import check_parameters
    from rosenblatt.places.cluster.shards import read_files

    _hush()
    certify = parameters["certify"] is not False
    model: Any = Perceptron(checkpoint=where.checkpoint, **{**parameters, "certify": certify})
    check_parameters(model)
    shards = read_files(
        data,
        label=None if choice.label is None else column_of(choice.label),
        columns=columns_of(choice.columns),
        ignore=columns_of(choice.ignore),
        missing=choice.missing,
    )
    say(f"{data}: {len(shards)} {shards.format} files, {_bytes(shards.nbytes)}", style="dim")
    resume = where.resume and begun(where.checkpoint)
    local = where.scheduler == "local"
    with connected(None if local else where.scheduler, where.workers if local else None) as client:
        say(f"dashboard: {client.dashboard_link}", style="dim")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", re.escape(SPENT))  # the report says why it stopped
            model.set_params(client=client).fit(shards, resume=resume, progress=_follow)
        columns = Columns(
            used=[list(column) for column in shards.columns],
            label=shards.label,
            width=model.n_features_in_,
            names=[column.name for column in shards.columns],
            categories={},
            first_index=model.to_local()._first if shards.format == "svmlight" else None,
            hashed=shards.format == HASHED,
        )
        # Before the cluster is asked anything more, which may fail.
        error, output = None, wanted.place(model.stop_)
        if output:
            error = failure_of(lambda: save_model(model.to_local(), output, columns))
        with reported(client):
            confusion = client.compute(lazy.confusion(model.to_local(), shards)).result()
    classes = model.classes_.tolist()
    found = {"source": data, "note": repr(shards), "rows": int(confusion.sum())}
    found |= {"features": model.n_features_in_, "partitions": len(shards)}
    found |= findings_of(model.to_local().fitted_, columns.names, classes)
    found |= {"model": None if error else output}
    found |= {
        "weighted_mistakes": model.guarantee_.weighted_mistakes,
        "guarantee_holds": model.guarantee_.holds,
        "rounds": [row._asdict() | {"guarantee": None} for row in model.rounds_],
        "training": accuracy_of(confusion.tolist(), classes, classes, int(confusion.sum())),
        "held_out": None,
    }
    tell(found | in_answer(error), wanted)
    if not wanted.as_json:
        console().print(f"Mixing theorem: {model.guarantee_}.")
    if error is not None:
        return code_after(0, error)
    return ended(model.stop_, f"after {plural(model.n_iter_, 'round')}", output, where.checkpoint)


def _hush() -> None:
    """Silence Dask's log: lost workers are replaced, and a lost scheduler is one error message."""
    for name in [*logging.root.manager.loggerDict, "distributed", "asyncio"]:
        if name.split(".")[0] in ("distributed", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _check(choice: Choice, test: float, margin: float, where: Where) -> None:
    """Refuse what needs all rows in one place."""
    asked = {
        "--one-hot": choice.one_hot,
        "--scale": choice.scale,
        "--positive": choice.positive is not None,
        "--text": bool(choice.text),
        f"--missing {choice.missing}": choice.missing in FILLED,
        "--skip-lines": choice.skip_lines is not None,
        "--header": choice.header is not None,
        "--delimiter": choice.delimiter is not None,
        "--format": choice.format is not None,
        "--bits": choice.bits is not None,
        "--test": test != 0,
        "--margin": margin != 0,
    }
    for option, given in asked.items():
        if given:
            raise InputError(
                f"{option} is not offered with --dask, which never has all rows at hand"
            )
    if where.resume and where.checkpoint is None:
        raise InputError("--resume needs --checkpoint FILE to go on from")
    if where.workers is not None and where.scheduler != "local":
        raise InputError("--workers belongs to --dask local; a scheduler has its own workers")


def _follow(made: Any) -> None:
    """One line for each round."""
    say(
        f"round {made.number}: {plural(made.mistakes, 'mistake')}, margin at most "
        f"{made.guarantee.upper:.4g}, {_bytes(made.moved)} moved, {made.seconds:.2g} s"
    )


def _bytes(n: int) -> str:
    size = float(n)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
