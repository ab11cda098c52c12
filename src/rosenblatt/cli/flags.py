"""The library's advice in the words of the shell: parameters are flags here."""

from __future__ import annotations

import re
import shlex

ONE_OF_MANY = "--positive CLASS tells one class from all others"
# What the library calls its parameters, and what they are called here.
FLAGS = {
    "one_hot=True": "--one-hot",
    "--missing keep reads numbers as NaN": "--missing mean fills numbers in",
    "(max_iter of an estimator, max_passes of a trace)": "(--max-iter; --max-passes of trace)",
    "rosenblatt.decide": "`rosenblatt decide`",
    "(for example with sklearn.preprocessing.StandardScaler)": "(--scale)",
    ", or find the margin by rosenblatt.MaxMargin": "",
    "rosenblatt.MaxMargin(bias='padded') finds the whole margin by working sets, usually in a "
    "fraction of the time": "Allow more passes with --max-iter, or ask for less",
    "the share of the best margin must": "--margin, a share of the best margin, must",
    "Pass classes=[negative, positive] to trace it": (
        "--positive CLASS traces it against a class of no rows; --label names another label"
    ),
    "hold rows out and pass them: error_bound(confidence, X, y)": (
        "`rosenblatt score` measures it on other rows"
    ),
    "aise time_limit": "aise --time-limit",
    "time_limit must": "--time-limit must",
    "max_passes must": "--max-passes must",
    "header=True": "--header",
    "skip_lines=": "--skip-lines ",
    "skip_lines must": "--skip-lines must",
    "model='multinomial'": "--model multinomial",
    "model='ordinal'": "--model ordinal",
    "Drop such rows or fill them in, for example with sklearn.impute.SimpleImputer": (
        "--missing drop leaves such rows out; a model of `rosenblatt fit --missing mean` fills them"
    ),
    " Set warm_start=True, where an estimator has it, and call fit again to go on from here.": "",
    "leave resume out": "leave --resume out",
    "resume=True": "--resume",
    "workers must be": "--workers must be",
    "max_iter=": "--max-iter ",
    "with_solution('separator') predicts": "--solution last and --certify yes predict",
    "certify=True, where an estimator has it": "--certify yes",
    "certify=True": "--certify yes",
    "checkpoint=PATH": "--checkpoint FILE",
    "columns= names": "--columns names",
    "name the label with label=": "name the label with --label",
    "name another label with label=": "name another label with --label",
    " (label=False if there is none)": "",
    "random_state must": "--seed must",
    "max_iter must": "--max-iter must",
    "make them text with y.astype(str)": "--text reads the label of a table as text",
    " or lower eta0": "",
    "(width)": "(--width)",
    "stream; read the file and use fit": "stream; leave --stream out",
    "delimiter must be": "--delimiter must be",
    "format must be": "--format must be",
    "bits must lie": "--bits must lie",
    " in fit_stream, or read the file and use fit": ", or leave --stream out",
    "Lower max_passes to see how it begins, raise max_steps to record more, or fit a "
    "rosenblatt.Perceptron, which": (
        "`rosenblatt trace --max-passes 10` shows how it begins; there is also `rosenblatt fit`, "
        "which"
    ),
    "the error's certificate proves it": "`rosenblatt decide` proves it",
    "use rosenblatt.Perceptron, whose": "use `rosenblatt fit`, whose",
    "use rosenblatt.MaxMargin or rosenblatt.pairs": f"{ONE_OF_MANY}, kind pairs shows all",
    "figures.pairs_matrix": "pairs",
    "draw pairs_matrix": "draw pairs",
    ", or pass shape=(height, width) if they are pixels": "",
    "choose two columns of X, and two classes": f"choose two columns with --columns; {ONE_OF_MANY}",
    "choose two columns of X": "choose two columns with --columns",
    "choose two columns, or": "choose two columns with --columns, or",
    "w-space is about two classes": f"w-space is about two classes; {ONE_OF_MANY}",
    "the bracket of a Trace is drawn for two classes": (
        f"the bracket is drawn for two classes; {ONE_OF_MANY}"
    ),
}
# What decides where a streamed run goes: the flags that say it, where the values are no flag's.
SAID_BY = {
    "chunk_bytes": "--memory",
    "memory": "--memory",
    "seed": "--seed",
    "settings": "choice of columns, --positive, --one-hot or --scale",
    "classes": "set of labels",
    "features": "number of columns",
    "files": "file, or it has changed since",
    "library": "version of rosenblatt",
}


def in_flags(sentence: str) -> str:
    """A message in which parameters are named as command-line flags.

    Examples
    --------
    >>> in_flags("missing='drop' leaves them out, one_hot=True makes features of text")
    '--missing drop leaves them out, --one-hot makes features of text'
    >>> in_flags("text=['column 1'] reads the column as text")
    "--text 'column 1' reads the column as text"
    """
    sentence = re.sub(r"\b(missing|ignore|text|order)=\[?'([^']*)'\]?", _flag, sentence)
    sentence = re.sub(r"\bfigures\.(contact_sheet|x_space|regions)\b", r"\1", sentence)
    sentence = re.sub(r"\banother (\w+) \((.*)\)(?=; go on)", _another, sentence)
    sentence = re.sub(r"\b(solution|margin|threshold)='?([\w.]+)'?", r"--\1 \2", sentence)
    sentence = re.sub(r"^(order|threshold|memory)(?= must)", r"--\1", sentence)
    for name, flag in FLAGS.items():
        sentence = sentence.replace(name, flag)
    return sentence


def _flag(found: re.Match[str]) -> str:
    """A flag with its value, as a shell takes it."""
    return f"--{found[1]} {shlex.quote(found[2])}"


def _another(found: re.Match[str]) -> str:
    """The settings in which a checkpoint differs from this run, as flags."""
    name, values = found.groups()
    return f"another {SAID_BY[name]}" if name in SAID_BY else f"another --{name} ({values})"
