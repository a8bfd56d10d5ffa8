"""runs.run: ``python -m bookbuild run topk -p k 6 -o out.ipynb``, one notebook with other parameters.

Also the listings of notebooks and their parameters for the shell, and what can be read from the outputs of an
executed notebook: its tables, its verdict in words and its claims.
"""

from __future__ import annotations

import argparse
import io
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import nbformat
import pandas as pd

from bookbuild.runs.execution import execute
from bookbuild.runs.to_markdown import plain_text
from helpers.kit import mime
from helpers.kit.claims.claim import VERDICTS
from helpers.kit.declarations import declaration
from helpers.kit.parameters import (
    check_parameters,
    check_values,
    declared_parameters,
    default_parameters,
    notebook_path,
    parse_value,
)
from helpers.kit.titles import page_titles
from metaeval import datasets
from metaeval.core.mode import mode
from metaeval.core.paths import NOTEBOOKS

RESULTS = "results"  # the name of the recorded table among those of the figures
VERDICT = "verdict-in-words"  # of `helpers.kit.display.show_words`: the kind of a verdict
_WIDTH = 100
_HOW = 'give them as -p NAME VALUE (run), "NAME=VALUE" (sweep) or PARAMS="NAME=VALUE" (make rerun)'


class _Pair(argparse.Action):
    """One of several ``-p NAME VALUE``, each name once."""

    def __call__(self, parser, namespace, values, option_string=None):
        name, equals, value = values[0].partition("=")
        if len(values) == 1 and equals:
            parser.error(f"argument -p: name and value must be two words: -p {name} {value}")
        if len(values) != 2:
            parser.error(
                f"argument -p: expected a name and a value, got {' '.join(values)!r}; "
                "quote values that contain spaces"
            )
        if values[0] in dict(namespace.p):
            parser.error(f"argument -p: parameter {values[0]!r} is given twice; `sweep` runs several values")
        namespace.p = [*namespace.p, tuple(values)]


class _Print(argparse.Action):
    """An option like ``--help``: it prints and exits, whatever else is on the command line."""

    def __init__(self, *args, describe, **settings):
        super().__init__(*args, nargs=0, **settings)
        self.describe = describe

    def __call__(self, parser, namespace, values, option_string=None):
        try:
            print(self.describe(namespace))
        except ValueError as error:
            parser.error(str(error))
        parser.exit()


def add_listings(parser: argparse.ArgumentParser) -> None:
    """Declare ``--list`` and, behind the name of a notebook, ``--parameters``."""
    parser.add_argument("--list", action=_Print, describe=lambda _: notebooks(), help="name the notebooks")
    parser.add_argument(
        "--parameters",
        action=_Print,
        describe=lambda namespace: describe_parameters(namespace.notebook),
        help="list the parameters of NOTEBOOK, with defaults",
    )


def notebooks() -> str:
    """The notebooks' names and titles, a line each."""
    names = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
    width = max(map(len, names))
    return "\n".join(f"{name:{width}}  {page_titles()[name]}" for name in names)


def describe_parameters(name: str | None) -> str:
    """Parameters of a notebook, in lines: name, type, meaning, allowed values and default of each.

    Raises
    ------
    UnknownNameError
        If there is no such notebook.
    """
    if not name:
        raise ValueError("--parameters must follow the name of a notebook, such as: run topk --parameters")
    notebook: Path = notebook_path(name)
    declared, defaults = declared_parameters(notebook), default_parameters(notebook)
    width = max(map(len, declared))
    indent, lines = " " * (width + 9), []
    for parameter, (kind, default) in declared.items():
        row = declaration(notebook.stem, parameter)
        lines.append(f"{parameter:{width}}  {kind:5}  {row.help}")
        for text in (row.allowed(defaults[parameter]), f"default: {default}"):
            shape = {"initial_indent": indent, "subsequent_indent": f"{indent}  ", "break_on_hyphens": False}
            lines += textwrap.wrap(text, _WIDTH, **shape)
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("notebook", metavar="NOTEBOOK", help="name of a notebook in notebooks/")
    add_listings(parser)
    parser.add_argument(
        "-p", nargs="+", action=_Pair, default=[], metavar=("NAME", "VALUE"), help="a parameter; repeatable"
    )
    parser.add_argument("-o", "--output", type=Path, help="default: NOTEBOOK.executed.ipynb here")


def recorded_results(executed: Mapping) -> pd.DataFrame:
    """The table that a notebook recorded (`helpers.kit.display.record_results`); empty if none."""
    for output in mime.outputs(executed, mime.RESULTS):
        return pd.DataFrame(**output["data"][mime.RESULTS])
    return pd.DataFrame()


def all_tables(executed: Mapping) -> dict[str, tuple[str, pd.DataFrame]]:
    """Every table of a notebook that can be read again, with a caption: the recorded one, its figures'."""
    tables = {}
    results = recorded_results(executed)
    if len(results):
        tables[RESULTS] = ("The notebook's main table.", results)
    for output in mime.outputs(executed, mime.CSV):
        figure = output.get("metadata", {}).get("figure")
        if figure:
            table = pd.read_csv(io.StringIO(output["data"][mime.CSV]))
            tables[figure["name"]] = (re.sub(r"[*$]", "", plain_text(figure["caption"], {})), table)
    return tables


def verdict(executed: Mapping) -> str:
    """Lines with which a notebook sums up its numbers; "" if it has none."""
    texts = [
        "".join(output["data"]["text/plain"])
        for output in mime.outputs(executed, "text/plain")
        if output.get("metadata", {}).get("words") == VERDICT
    ]
    return "\n".join(texts)


def claims_checked(executed: Mapping) -> str:
    """Verdicts on the papers' claims that a notebook checked, such as ``12 exact, 3 differs``; or ""."""
    records = [
        record for output in mime.outputs(executed, mime.VERDICTS) for record in output["data"][mime.VERDICTS]
    ]
    counts = pd.Series([record["verdict"] for record in records], dtype=object).value_counts()
    return ", ".join(f"{counts[word]} {word}" for word in VERDICTS if word in counts)


def findings(executed: Mapping) -> list[str]:
    """Summary of an executed notebook: its verdicts as lines, its results and its claims in numbers."""
    results, checked = recorded_results(executed), claims_checked(executed)
    lines = verdict(executed).splitlines()
    if len(results):
        values = results["value"].dropna() if "value" in results else []
        between = f", values {min(values):.2f} to {max(values):.2f}" if len(values) else ""
        lines.append(f"{len(results)} results{between}")
    if checked:
        lines.append(f"claims: {checked}")
    return lines


def wrapped(lines: Iterable[str]) -> list[str]:
    """Lines for a terminal, indented below what they belong to."""
    indent = "    "
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, _WIDTH, initial_indent=indent, subsequent_indent=indent)
    ]


def settle_data() -> tuple[str, str]:
    """Decide before the first kernel whether data are real or simulated; returns the mode and the reason."""
    return datasets.decide() if mode() == "auto" else (mode(), "")


def describe_start(runs: Sequence[Mapping[str, object]], data_mode: str, reason: str) -> str:
    """Sentence printed before the first run: the number of runs, the data, and the reason if not real."""
    times = "once" if len(runs) == 1 else f"{len(runs):,} times"
    defaults = "" if any(runs) else f", with the defaults, since no parameters are given; {_HOW}"
    return "\n".join(filter(None, [reason, f"Running {times} on {data_mode} data{defaults}."]))


def main(args: argparse.Namespace) -> int:
    """Execute the notebook, print its findings and the path of the executed copy; returns the exit status."""
    notebook = notebook_path(args.notebook)
    parameters = {name: parse_value(notebook, name, text) for name, text in args.p}
    check_parameters(notebook, parameters)
    data_mode, reason = settle_data()
    check_values(notebook, [parameters])
    print(describe_start([parameters], data_mode, reason), flush=True)
    output = args.output or Path(f"{notebook.stem}.executed.ipynb")
    execute(notebook, output, parameters, plain=True)
    print("\n".join([str(output), *wrapped(findings(nbformat.read(output, as_version=4)))]))
    return 0
