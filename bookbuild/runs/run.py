"""runs.run: ``python -m bookbuild run topk -p k 6 -o out.ipynb``, one notebook with other parameters."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import nbformat

from bookbuild.runs.executed import findings, wrapped
from bookbuild.runs.execution import execute
from bookbuild.runs.listing import add_listings
from helpers.kit.parameters import check_parameters, check_values, notebook_path, parse_value
from metaeval import datasets
from metaeval.core.mode import mode

_HOW = 'give them as -p NAME VALUE (run), "NAME=VALUE" (sweep) or PARAMS="NAME=VALUE" (make rerun)'


class _Pair(argparse.Action):
    """One of several ``-p NAME VALUE``, each name once."""

    def __call__(self, parser, given, values, option_string=None):
        name, equals, value = values[0].partition("=")
        if len(values) == 1 and equals:
            parser.error(f"argument -p: a name and a value, apart: -p {name} {value}")
        if len(values) != 2:
            parser.error(
                f"argument -p: a name and a value, got {' '.join(values)!r}; quote what holds a space"
            )
        if values[0] in dict(given.p):
            parser.error(f"argument -p: parameter {values[0]!r} is given twice; `sweep` runs several values")
        given.p = [*given.p, tuple(values)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("notebook", metavar="NOTEBOOK", help="name of a notebook in notebooks/")
    add_listings(parser)
    parser.add_argument(
        "-p", nargs="+", action=_Pair, default=[], metavar=("NAME", "VALUE"), help="a parameter; repeatable"
    )
    parser.add_argument("-o", "--output", type=Path, help="default: NOTEBOOK.executed.ipynb here")


def settle_data() -> tuple[str, str]:
    """Whether the data are real or simulated, decided before the first kernel where nobody has; and why."""
    return datasets.decide() if mode() == "auto" else (mode(), "")


def beginning(runs: Sequence[Mapping[str, object]], settled: str, reason: str) -> str:
    """What is said before the first run: of how many runs, on which data, and why if they are not real."""
    times = "once" if len(runs) == 1 else f"{len(runs):,} times"
    defaults = "" if any(runs) else f", with the defaults, since no parameters are given; {_HOW}"
    return "\n".join(filter(None, [reason, f"Running {times} on {settled} data{defaults}."]))


def main(given: argparse.Namespace) -> int:
    """Execute the notebook, print what it found and where the executed copy is; returns the exit status."""
    notebook = notebook_path(given.notebook)
    parameters = {name: parse_value(notebook, name, text) for name, text in given.p}
    check_parameters(notebook, parameters)
    settled, reason = settle_data()
    check_values(notebook, [parameters])
    print(beginning([parameters], settled, reason), flush=True)
    output = given.output or Path(f"{notebook.stem}.executed.ipynb")
    execute(notebook, output, parameters, plain=True)
    print("\n".join([str(output), *wrapped(findings(nbformat.read(output, as_version=4)))]))
    return 0
