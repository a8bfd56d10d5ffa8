"""runs.listing: which notebooks there are, and which parameters a notebook takes, for the shell.

Everything is read from the notebooks themselves: titles, and the `parameters` cell with its comments.
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from helpers.kit.parameters import declared_parameters, notebook_path, parameter_help
from helpers.kit.titles import page_titles
from metaeval.core.paths import NOTEBOOKS

_WIDTH = 100


class _Print(argparse.Action):
    """An option like ``--help``: it prints and ends, whatever else stands on the line."""

    def __init__(self, *args, says, **settings):
        super().__init__(*args, nargs=0, **settings)
        self.says = says

    def __call__(self, parser, given, values, option_string=None):
        try:
            print(self.says(given))
        except ValueError as error:
            parser.error(str(error))
        parser.exit()


def add_listings(parser: argparse.ArgumentParser) -> None:
    """Declare ``--list`` and, behind the name of a notebook, ``--parameters``."""
    parser.add_argument("--list", action=_Print, says=lambda given: notebooks(), help="name the notebooks")
    parser.add_argument(
        "--parameters",
        action=_Print,
        says=lambda given: parameters_of(given.notebook),
        help="say what NOTEBOOK takes, with defaults",
    )


def notebooks() -> str:
    """The notebooks' names and titles, a line each."""
    names = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
    width = max(map(len, names))
    return "\n".join(f"{name:{width}}  {page_titles()[name]}" for name in names)


def parameters_of(name: str | None) -> str:
    """What a notebook takes: name, type and meaning of each parameter, and its default below.

    Raises
    ------
    UnknownNameError
        If there is no such notebook.
    """
    if not name:
        raise ValueError("--parameters stands behind the name of a notebook, such as: run topk --parameters")
    notebook: Path = notebook_path(name)
    declared, meant = declared_parameters(notebook), parameter_help(notebook)
    width = max(map(len, declared))
    lines = []
    for parameter, (kind, default) in declared.items():
        lines.append(f"{parameter:{width}}  {kind:5}  {meant[parameter]}")
        indent = " " * (width + 9)
        lines += textwrap.wrap(
            f"default: {default}", _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  "
        )
    return "\n".join(lines)
