"""tools.fit: ``python -m bookbuild fit [NAME ...]`` fits the simulated likenesses to the released data.

Writes ``data/simulation/NAME.yml`` (parameters only, no score of anybody) and the table of true correlations.
"""

from __future__ import annotations

import argparse

from metaeval.core.errors import choose
from metaeval.datasets.fitting import RECIPES
from metaeval.simulation import truth
from metaeval.simulation.model import read, write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)}; all by default")
    parser.add_argument(
        "--no-truth", action="store_true", help="leave the table of true correlations as it is"
    )


def main(args: argparse.Namespace) -> int:
    """Fit, write and print where; returns the exit status."""
    for name in args.names or RECIPES:
        path = write(choose("likeness to fit", name, RECIPES)())
        print(path, flush=True)
        if not args.no_truth and read(name).metrics:
            print(truth.write(read(name)), flush=True)
    return 0
