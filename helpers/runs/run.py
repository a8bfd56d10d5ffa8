"""runs.run: ``python -m helpers run topk -p k 6 -o out.ipynb``, one notebook with other parameters."""

from __future__ import annotations

import argparse
from pathlib import Path

from helpers.runs.execution import execute
from helpers.runs.parameters import notebook_path, parse_value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("notebook", metavar="NOTEBOOK", help="name of a notebook in notebooks/")
    parser.add_argument(
        "-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="a parameter; repeatable"
    )
    parser.add_argument("-o", "--output", type=Path, help="default: NOTEBOOK.executed.ipynb here")


def main(given: argparse.Namespace) -> int:
    """Execute the notebook and print where the executed copy is; returns the exit status."""
    notebook = notebook_path(given.notebook)
    parameters = {name: parse_value(notebook, name, text) for name, text in given.p}
    output = given.output or Path(f"{notebook.stem}.executed.ipynb")
    execute(notebook, output, parameters)
    print(output)
    return 0
