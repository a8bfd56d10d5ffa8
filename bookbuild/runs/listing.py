"""runs.listing: which notebooks there are, and which parameters a notebook takes, for the shell.

Titles, types and defaults are read from the notebooks, all else of a parameter from ``data/parameters.yml``.
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from helpers.kit.declarations import declaration
from helpers.kit.parameters import declared_parameters, default_parameters, notebook_path
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
    """What a notebook takes: name, type and meaning of each parameter, what it may be and its default.

    Raises
    ------
    UnknownNameError
        If there is no such notebook.
    """
    if not name:
        raise ValueError("--parameters stands behind the name of a notebook, such as: run topk --parameters")
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
