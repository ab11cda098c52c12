"""The verbs and their options. What they need is imported when they run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typer import Argument, Exit, Option, Typer, echo

from rosenblatt.cli.inputs import FORMATS, with_choice, with_choice_of
from rosenblatt.cli.outputs import check_places
from rosenblatt.cli.shell import Verbs
from rosenblatt.cli.streams import (
    PANEL,
    Memory,
    Stream,
    Streaming,
    memory_of,
    refuse_with_dask,
    refuse_without_stream,
)
from rosenblatt.data.tables.reading import Choice
from rosenblatt.errors import InputError

ALWAYS = (
    "2 bad input, 70 internal error (please report it), 130 interrupted, 143 terminated, 129 hung "
    "up."
)
CODES = f"Exit codes: 0 done, {ALWAYS}"

app = Typer(
    cls=Verbs,
    help="The perceptron, with proofs: learn linear classifiers, and know why they stopped.",
    epilog="Example: rosenblatt decide breast_cancer   (each verb has its own --help)\n\n"
    f"{CODES} decide, verify and separation: 1 if the answer is no; decide, separation and errors: "
    "3 if it is undecided.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _sets(incomplete: str) -> list[str]:
    from rosenblatt.data.datasets import names

    return [name for name in names() if name.startswith(incomplete)]


def _kinds(incomplete: str) -> list[str]:
    from rosenblatt.figures import kinds

    return [kind for kind in [*kinds(), "animate"] if kind.startswith(incomplete)]


# As `figures.kinds` has them; importing it to print a help would take matplotlib.
KINDS = (
    "points, x_space, max_margin, margins, angles, w_space, xw_space, risk_surface, risk_contours, "
    "step_sizes, weight_planes, weight_section, sandwich, bracket, mistakes, online, activation, "
    "product, certificate, fewest_errors, contact_sheet, regions, weight_images, weight_bars, "
    "pairs, confusion"
)
Data = Annotated[
    str,
    Argument(
        metavar="DATA",
        help=f"A file ({FORMATS}; also compressed by gzip, bzip2, xz or zstd), a quoted glob, "
        "- for standard input, or a bundled set.",
        autocompletion=_sets,
    ),
]
Json = Annotated[bool, Option("--json", help="Print one JSON object; errors too.")]
Orders = Literal["active", "cyclic", "iid", "shuffled", "worst"]


def _version(asked: bool) -> None:
    if asked:
        from rosenblatt import __version__

        echo(f"rosenblatt {__version__}")
        raise Exit


@app.callback()
def root(
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, Option("--debug", help="Show where an error came from.")] = False,
) -> None:
    """Options of the command itself; ``--debug`` is taken by `Verbs`."""


@app.command(
    epilog="Example: rosenblatt decide tumours.csv --label diagnosis --certificate proof.json\n\n"
    f"Exit codes: 0 separable, 1 not separable, 3 undecided, {ALWAYS}"
)
@with_choice
def decide(
    data: Data,
    choice: Choice,
    time_limit: Annotated[
        float | None,
        Option(
            help="Give up after so many seconds; with --stream the time for reading counts, too."
        ),
    ] = None,
    certificate: Annotated[
        str | None, Option("--certificate", help="Write the proof to this JSON file.")
    ] = None,
    stream: Stream = False,
    memory: Memory = None,
    as_json: Json = False,
) -> None:
    """Decide whether the classes are linearly separable, and prove it.

    With --stream the file is read chunk by chunk and only a working set is held, besides some 50
    bytes a row.
    """
    from rosenblatt.cli.commands import verbs

    check_places(data, written={"--certificate": certificate})
    size = memory_of(stream, memory)
    raise Exit(verbs.decide(data, choice, time_limit, certificate, as_json, size))


@app.command(
    epilog="Example: rosenblatt errors tumours.csv --label diagnosis\n\n"
    f"Exit codes: 0 the number is exact, 3 the bracket is open, {ALWAYS}"
)
@with_choice
def errors(
    data: Data,
    choice: Choice,
    time_limit: Annotated[float, Option(help="Narrow the bracket for so many seconds.")] = 60.0,
    certificate: Annotated[
        str | None, Option("--certificate", help="Write the proof of both ends to this JSON file.")
    ] = None,
    figure: Annotated[
        str | None, Option("--figure", help="Draw the rows, of two classes, to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bracket the fewest training errors of any linear classifier, and list the rows to look at.

    Ctrl-C ends the search with the bracket so far.
    """
    from rosenblatt.cli.commands import errors as fewest

    check_places(data, written={"--certificate": certificate, "--figure": figure})
    raise Exit(fewest.errors(data, choice, time_limit, certificate, figure, as_json))


@app.command(
    epilog='Example: rosenblatt separation trial.csv --formula "ill ~ dose + drug"\n\n'
    f"Exit codes: 0 estimates exist, 1 the classes are separated, 3 undecided, {ALWAYS}"
)
@with_choice
def separation(
    data: Data,
    choice: Choice,
    model: Annotated[
        Literal[
            "logit",
            "probit",
            "cloglog",
            "loglog",
            "cauchit",
            "log-binomial",
            "multinomial",
            "ordinal",
            "poisson",
            "cox",
            "conditional",
        ]
        | None,
        Option(help="The regression. Default: logit for two classes, multinomial for more."),
    ] = None,
    formula: Annotated[
        str | None,
        Option(help='The outcome and the terms: "y ~ a + b". Text becomes indicators.'),
    ] = None,
    event: Annotated[
        str | None, Option(help="With --formula, the column of events of a Cox model.")
    ] = None,
    entry: Annotated[
        str | None, Option(help="With --formula, when rows come under observation (cox).")
    ] = None,
    strata: Annotated[
        str | None, Option(help="With --formula, the column of strata of a Cox model.")
    ] = None,
    groups: Annotated[
        str | None, Option(help="With --formula, the column of groups (conditional).")
    ] = None,
    trials: Annotated[
        str | None, Option(help="With --formula, the trials of which the outcome is successes.")
    ] = None,
    weights: Annotated[
        str | None, Option(help="With --formula, the column of frequencies.")
    ] = None,
    order: Annotated[
        str | None, Option(help="Of ordinal classes: low,middle,high. Default: sorted.")
    ] = None,
    baseline: Annotated[
        str | None, Option(help="The class that multinomial coefficients compare with.")
    ] = None,
    time_limit: Annotated[float | None, Option(help="Give up after so many seconds.")] = None,
    as_json: Json = False,
) -> None:
    """Tell whether the maximum-likelihood estimates of a regression exist, and which diverge.

    --one-hot leaves the first value of each text column out: the others are compared with it.
    """
    from rosenblatt.cli.commands import separation as kinds

    asked = {"model": model, "order": order, "baseline": baseline, "time_limit": time_limit}
    columns = {"event": event, "entry": entry, "strata": strata, "groups": groups}
    columns |= {"trials": trials, "sample_weight": weights}
    raise Exit(kinds.separation(data, choice, formula, asked, columns, as_json))


@app.command(
    epilog="Example: rosenblatt fit flowers.csv --label species --test 0.25 -o "
    f"flowers.safetensors\n\n{CODES}"
)
@with_choice
def fit(
    data: Data,
    choice: Choice,
    output: Annotated[
        str | None,
        Option(
            "-o",
            "--output",
            metavar="MODEL",
            help="Write the model here; if the fit is interrupted, to MODEL.interrupted.",
        ),
    ] = None,
    partial: Annotated[
        bool, Option("--partial", help="Write the model to MODEL even if the fit is interrupted.")
    ] = False,
    test: Annotated[float, Option(help="Fraction of the rows to hold out and score.")] = 0.0,
    seed: Annotated[
        int, Option(help="Random seed of the split and of shuffled orders.", min=0, max=2**32 - 1)
    ] = 0,
    order: Annotated[Orders, Option(help="Which point is looked at next.")] = "active",
    threshold: Annotated[float, Option(help="δ: a mistake is y·score ≤ δ.")] = 0.0,
    margin: Annotated[
        float, Option(help="The share of the best margin to reach, from 0 to less than 1.")
    ] = 0.0,
    solution: Annotated[
        Literal["auto", "last", "average", "pocket", "vote"],
        Option(help="Which weights of the run predict."),
    ] = "auto",
    max_iter: Annotated[int, Option(help="The most passes over the data.")] = 1000,
    class_weight: Annotated[
        str | None,
        Option(
            metavar="WEIGHTS",
            help="How much a mistake on each class counts: balanced, or yes=3,no=1.",
        ),
    ] = None,
    certify: Annotated[
        Literal["auto", "yes", "no"],
        Option(help="Prove whether the classes are separable; auto: if that is cheap."),
    ] = "auto",
    stream: Stream = False,
    memory: Memory = None,
    checkpoint: Annotated[
        str | None,
        Option(
            help="Save the run here each minute, on Ctrl-C, SIGTERM and SIGHUP. Default: "
            "MODEL.checkpoint.",
            metavar="FILE",
            rich_help_panel=PANEL,
        ),
    ] = None,
    resume: Annotated[
        bool,
        Option(
            "--resume",
            help="Go on from the checkpoint of an interrupted run, if there is one.",
            rich_help_panel=PANEL,
        ),
    ] = False,
    classes: Annotated[
        str | None,
        Option(help="The labels, in any order, if DATA is - : no,yes.", rich_help_panel=PANEL),
    ] = None,
    width: Annotated[
        int | None,
        Option(help="Number of columns of svmlight text, if DATA is - .", rich_help_panel=PANEL),
    ] = None,
    dask: Annotated[
        str | None,
        Option(
            metavar="SCHEDULER|local",
            help="Fit on a Dask cluster, one file a partition.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    workers: Annotated[
        int | None, Option(help="Processes of --dask local.", rich_help_panel=PANEL)
    ] = None,
    details: Annotated[
        bool, Option("--details", help="Report bounds, costs and more rows of the proof too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn a linear classifier, and report what is known of it and of the data.

    With --stream the file is read chunk by chunk, pass after pass, and may be larger than memory;
    a run that is cut short goes on with --resume and ends as if it never had been. Standard input
    gives one pass.
    """
    from rosenblatt.cli.commands import fitting

    check_places(data, written={"-o": output}, checkpoint=checkpoint)
    parameters: dict[str, Any] = {
        "order": order,
        "threshold": threshold,
        "margin": margin,
        "solution": solution,
        "max_iter": max_iter,
        "certify": {"auto": "auto", "yes": True, "no": False}[certify],
        "random_state": seed,
        "class_weight": class_weight,
    }
    wanted = fitting.Wanted(output, partial, as_json, details)
    if dask is not None:
        from rosenblatt.cli.commands import dask as many

        refuse_with_dask(
            {
                "stream": stream,
                "memory": memory,
                "classes": classes,
                "width": width,
                "class-weight": class_weight,
            }
        )
        where = many.Where(dask, workers, checkpoint, resume)
        raise Exit(many.fit(data, choice, parameters, wanted, test, where))
    if workers is not None:
        raise InputError("--workers needs --dask")
    size = memory_of(stream, memory)
    if size is None:
        refuse_without_stream(
            {"checkpoint": checkpoint, "resume": resume, "classes": classes, "width": width}
        )
        raise Exit(fitting.fit(data, choice, parameters, wanted, test))
    if test:
        raise InputError(
            "--test needs all rows in memory; with --stream, keep rows in a file of their own and "
            "use `rosenblatt score`"
        )
    how = Streaming(size, checkpoint, resume, classes, width)
    raise Exit(fitting.fit_stream(data, choice, parameters, wanted, how))


Model = Annotated[str, Argument(metavar="MODEL", help="A model file written by fit.")]
# How a file is written; the rest is known to the model.
AS_WRITTEN = ("missing", "skip_lines", "header", "delimiter", "format")


@app.command(
    epilog=f"Example: rosenblatt predict flowers.safetensors new.csv -o answers.txt\n\n{CODES}"
)
@with_choice_of(*AS_WRITTEN)
def predict(
    model: Model,
    data: Data,
    choice: Choice,
    output: Annotated[
        str | None, Option("-o", "--output", help="Write the labels here instead.")
    ] = None,
    scores: Annotated[
        bool,
        Option(
            "--scores",
            help="After each label, a tab and the score: above 0 for the second of two classes; "
            "of more, one score for each class, in their order.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the predicted label of each row, one a line.

    A row that --missing drop leaves out gets an empty line (null with --json). A label that spans
    lines, or starts with a quotation mark, is printed quoted as JSON.
    """
    from rosenblatt.cli.commands import models

    check_places(model, data, written={"-o": output})
    raise Exit(models.predict(model, data, choice, output, scores, as_json))


@app.command(epilog=f"Example: rosenblatt export flowers.safetensors -o flowers.onnx\n\n{CODES}")
def export(
    model: Model,
    output: Annotated[str, Option("-o", "--output", help="The .onnx or .json file to write.")],
) -> None:
    """Write a model for other programs: an ONNX graph, or JSON that says how to predict."""
    from rosenblatt.cli.commands import models

    check_places(model, written={"-o": output})
    raise Exit(models.export(model, output))


@app.command(epilog=f"Example: rosenblatt score flowers.safetensors held_out.csv\n\n{CODES}")
@with_choice_of("label", *AS_WRITTEN)
def score(
    model: Model,
    data: Data,
    choice: Choice,
    as_json: Json = False,
) -> None:
    """Measure how often a model is right on labelled rows."""
    from rosenblatt.cli.commands import models

    raise Exit(models.score(model, data, choice, as_json))


@app.command(
    epilog="Example: rosenblatt verify proof.json tumours.csv --label diagnosis\n\n"
    f"Exit codes: 0 the certificate holds, 1 it does not, {ALWAYS}"
)
@with_choice
def verify(
    certificate: Annotated[
        str,
        Argument(
            metavar="CERTIFICATE", help="A file of decide's, or a model file with a certificate."
        ),
    ],
    data: Data,
    choice: Choice,
    stream: Stream = False,
    memory: Memory = None,
    as_json: Json = False,
) -> None:
    """Check a certificate against the data in exact arithmetic, without trusting its author.

    Read the data with the options that were given to decide.
    """
    from rosenblatt.cli.commands import verbs

    size = memory_of(stream, memory)
    raise Exit(verbs.verify(certificate, data, choice, as_json, size))


@app.command(epilog=f"Example: rosenblatt trace five_points\n\n{CODES}")
@with_choice
def trace(
    data: Data,
    choice: Choice,
    order: Annotated[Orders | None, Option(help="Which point is looked at next.")] = None,
    threshold: Annotated[float | None, Option(help="δ: a mistake is y·score ≤ δ.")] = None,
    max_passes: Annotated[int | None, Option(help="Stop after so many passes.")] = None,
    rows: Annotated[int, Option(help="Show about so many steps at most.")] = 60,
    as_json: Json = False,
) -> None:
    """Run the perceptron and show every step.

    Whole numbers are computed with exactly; the lectures' examples start as their source does.
    """
    from rosenblatt.cli.commands import verbs

    chosen = {"order": order, "threshold": threshold, "max_passes": max_passes}
    given = {name: value for name, value in chosen.items() if value is not None}
    raise Exit(verbs.trace(data, choice, given, rows, as_json))


@app.command(
    epilog="Example: rosenblatt plot sandwich iris --positive 0 -o sandwich.png\n\n"
    f"Kinds: {KINDS}, animate.\n\n"
    "KIND animate makes a .gif, .mp4 or .html, every other kind a .png, .svg, .pdf, .gif or "
    f".html.\n\n{CODES}"
)
@with_choice
def plot(
    kind: Annotated[
        str,
        Argument(metavar="KIND", help="What to draw: one of those below.", autocompletion=_kinds),
    ],
    data: Data,
    choice: Choice,
    output: Annotated[str, Option("-o", "--output", help="The file to write.")],
) -> None:
    """Draw a figure of the data and of what is learned from it."""
    from rosenblatt.cli.commands import verbs

    check_places(data, written={"-o": output})
    raise Exit(verbs.plot(kind, data, choice, output))


@app.command("warm-up", epilog=f"Example: rosenblatt warm-up\n\n{CODES}")
def warm_up(as_json: Json = False) -> None:
    """Compile what verbs and estimators need, once, so that none of them waits for it later.

    Machine code is kept beside the package, else in your cache folder, or in NUMBA_CACHE_DIR.
    """
    from rosenblatt.cli.commands import warming

    raise Exit(warming.warm_up(as_json))


@app.command(epilog=f"Example: rosenblatt datasets\n\n{CODES}")
def datasets(as_json: Json = False) -> None:
    """List the bundled data sets."""
    from rosenblatt.cli.commands import verbs

    raise Exit(verbs.datasets(as_json))


@app.command(epilog=f"Example: rosenblatt report flowers.csv -o report.html\n\n{CODES}")
@with_choice
def report(
    data: Data,
    choice: Choice,
    output: Annotated[str, Option("--output", "-o", help="The HTML file to write.")],
    test: Annotated[float, Option(help="Fraction of the rows to hold out and score.")] = 0.0,
    time_limit: Annotated[
        float, Option(help="Seconds for the decision, the fit and each further panel.")
    ] = 60.0,
) -> None:
    """Write a page about a table: the verdict with its proof, a fit, pictures, the rows to blame.

    One HTML file that opens in any browser, offline. Nothing is sent anywhere.
    """
    from rosenblatt.cli.commands import report as reporting

    raise Exit(reporting.report(data, choice, output, test, time_limit))


@app.command(
    epilog="Example: rosenblatt lab --export lesson.html lesson.md\n\n"
    "Exit codes: 0 stopped (Ctrl-C is how) or exported, 2 bad input."
)
def lab(
    experiments: Annotated[
        list[str] | None,
        Argument(
            metavar="LINK-OR-FILE",
            help="What to open: a link copied in the lab, a JSON file or a preset such as xor; "
            "with --export several of them, and lessons in Markdown.",
        ),
    ] = None,
    export: Annotated[
        str | None,
        Option(help="Write one HTML file that opens in any browser: the lab, or a lesson."),
    ] = None,
    fixed: Annotated[
        bool, Option("--fixed", help="With --export: readers step and play, but cannot edit.")
    ] = False,
    port: Annotated[
        int, Option(help="The port to listen on: the next one if it is taken, any free one if 0.")
    ] = 1958,
    host: Annotated[
        str, Option(help="The address to listen on; others can reach any that is not loopback.")
    ] = "127.0.0.1",
    browser: Annotated[bool, Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open the lab: a page on which the perceptron can be watched and touched."""
    from rosenblatt.cli.commands import lab as laboratory

    raise Exit(laboratory.lab(experiments or [], export, fixed, host, port, browser))
