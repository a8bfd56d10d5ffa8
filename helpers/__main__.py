"""The command line: ``metaeval COMMAND ...``, or ``python -m helpers COMMAND ...``.

Each command is one module with `add_arguments(parser)` and `main(given) -> status`; only the one that is
asked for is imported. A mistake ends in one line on standard error and in an exit status: 3 on a user's own
scores, where 0 to 2 may be answers, and where there is no such command; of the book's commands 2 if it is in
the command itself, 1 otherwise.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from helpers.errors import STOPPED, UnknownNameError, choose, first_line

# command -> its module, and what it does
OWN_SCORES = {
    "doctor": ("helpers.reporting.doctor", "say what files of scores hold, and what they can answer"),
    "report": (
        "helpers.reporting.report",
        "say how far metrics and judges can be trusted on your own scores",
    ),
    "compare": ("helpers.reporting.compare", "say whether one judge is better than another, by exit status"),
    "texts": ("helpers.reporting.texts", "write a benchmark's texts, for your own metric or judge"),
    "score": ("helpers.reporting.score", "compute metrics from texts, for a report on them"),
    "example": ("helpers.reporting.example", "write made-up files of every shape that is read"),
    "plan": (
        "helpers.reporting.plan",
        "say how many systems, documents and raters a comparison to come needs",
    ),
}
BOOK = {
    "run": ("helpers.runs.run", "execute one notebook with other parameters"),
    "sweep": ("helpers.runs.sweep", "execute one notebook for every combination of some parameters"),
    "quick": ("helpers.runs.quick", "execute every notebook with the small settings of data/quick.yml"),
    "build": ("helpers.publish.build", "execute what changed and render the site"),
    "record": ("helpers.runs.record", "keep the results of the last book on real data"),
    "reseed": ("helpers.runs.reseed", "ask whether a run with another seed confirms the recorded results"),
    "decide": ("helpers.runs.decide", "say whether a run here would be on real or on simulated data"),
    "fit": ("helpers.runs.fit", "fit the simulated likenesses to the released data"),
    "api": ("helpers.publish.api_page", "write book/api.md from the docstrings of the public names"),
    "judge": ("helpers.runs.judge", "judge the presence of units with one released model a fold"),
    "learn": ("helpers.runs.learn", "make the light model that comes with the project anew"),
    "mix": ("helpers.runs.mix", "write half-and-half units as the released regressors choose them"),
    "warm": ("helpers.runs.warm", "compile the loops of the engine, as an installation does at its end"),
    "rouge155": ("helpers.runs.rouge_155", "record what your copy of ROUGE-1.5.5 computes"),
    "train": ("helpers.runs.train", "fine-tune a model that judges the presence of units, fold by fold"),
}
# What checks schemas of notebooks would import it for internationalised addresses, which no notebook has; it
# makes 38 grammars when it is imported, over a second of every run.
sys.modules.setdefault("rfc3987_syntax", None)
STATUS_OF_MISTAKES = 3  # on a user's own scores, or with a command that does not exist
STATUS_OF_A_CLOSED_PIPE = 141  # what a shell calls a program that the signal for it has ended
# what --help says of the exit status, where a command says nothing else
MISTAKES = (
    "1 when something failed, 2 for a mistake in the command",
    f"{STATUS_OF_MISTAKES} for a mistake in the command or the files",
)
GROUPS = {"your own scores": OWN_SCORES, "the book": BOOK}
COMMANDS = OWN_SCORES | BOOK


def program() -> str:
    """What was called: the console script, or Python with this package."""
    return "metaeval" if Path(sys.argv[0]).stem == "metaeval" else "python -m helpers"


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    status: int

    def error(self, message: str) -> NoReturn:
        self.exit(self.status, f"error: {message}; `{self.prog} --help` lists what there is\n")


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command's arguments.

    Raises
    ------
    UnknownNameError
        If there is no such command.
    """
    name, says = choose("command", command, COMMANDS)
    parser = _Parser(
        prog=f"{program()} {command}",
        description=f"{says[0].upper()}{says[1:]}.",
        epilog=f"The exit status is 0 when all is done, {MISTAKES[command in OWN_SCORES]}, and {STOPPED} "
        "after Ctrl-C.",
        allow_abbrev=False,
    )
    parser.status = STATUS_OF_MISTAKES if command in OWN_SCORES else 2
    gc.disable()  # what is imported stays: looking among it for what may go took a third of importing
    try:
        module = import_module(name)
    finally:
        gc.freeze()
        gc.enable()
    module.add_arguments(parser)
    return parser


def as_typed(said: str, parser: argparse.ArgumentParser) -> str:
    """What is said of parameters, said of the options that were typed: `dest` is what functions call them."""
    options = {
        f"`{one.dest}`": f"`{one.option_strings[-1]}`" for one in parser._actions if one.option_strings
    }
    return re.sub("`\\w+`", lambda name: options.get(name[0], name[0]), said)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what a command line asks for; returns the exit status.

    Parameters
    ----------
    arguments : words after the program's name; by default those of this process
    """
    if arguments is None:  # a process of its own stops in one way, whoever asks for it
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        atexit.register(gc.freeze)  # what it holds is not taken apart object by object at its end
    try:
        try:
            return _answered([*(sys.argv[1:] if arguments is None else arguments)] or ["--help"])
        finally:
            sys.stdout.flush()  # here, since at the end of Python nobody could say that the reader has left
    except BrokenPipeError:  # such as `head`, which has seen enough
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return STATUS_OF_A_CLOSED_PIPE
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return STOPPED


def _answered(arguments: Sequence[str]) -> int:
    command, *rest = arguments
    if command in ("-V", "--version"):
        name = "metric-meta-evaluation"
        print(name, import_module("importlib.metadata").version(name))
        return 0
    if command in ("-h", "--help"):
        width = max(map(len, COMMANDS))
        print(f"usage: {program()} COMMAND ...")
        for title, commands in GROUPS.items():
            print(f"\n{title}:")
            print("\n".join(f"  {name:{width}}  {says}" for name, (_, says) in commands.items()))
        print(f"\n`{program()} COMMAND --help` lists what a command takes; --version says which this is.")
        return 0
    try:
        parser = parser_of(command)
    except UnknownNameError as error:
        print(f"error: {error}", file=sys.stderr)
        return STATUS_OF_MISTAKES
    given = parser.parse_args(rest)
    module = import_module(COMMANDS[command][0])
    try:
        return module.main(given)
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
        said = error
    except MemoryError as error:
        said = f"there is not enough memory ({first_line(error)}); take fewer systems, documents or draws"
    except BaseException as error:
        # of polars, whose panics (pyo3) are no Exception; to import it for their names would take long
        if not type(error).__module__.startswith(("polars", "pyo3")):
            raise
        said = f"a table cannot be read or worked on ({first_line(error)}); write it anew, as CSV"
    said = as_typed(str(said), parser) if command in OWN_SCORES else said
    print(f"error: {said}", file=sys.stderr)
    return STATUS_OF_MISTAKES if command in OWN_SCORES else 1


if __name__ == "__main__":
    sys.exit(main())
