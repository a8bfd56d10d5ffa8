"""tools.mix: ``python -m bookbuild mix PARSED lite-realsumm --regressors FOLDER -o MIXED`` writes units.

Half and half, for Lite2.5Pyramid by folds: sentences that the authors' regressors of these folds call easy
get STUs, the others keep people's SCUs. The notebook `leaderboard` takes the file as its parameter `mixed`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from metaeval.datasets.readers.lite_pyramid import write_units
from metaeval.metrics.pyramid.parsed import mixed_units, read_parsed, released_easiness
from metaeval.metrics.pyramid.study import load_study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "parsed",
        type=Path,
        help="the labelled references; for their format see metaeval.metrics.pyramid.parsed",
    )
    parser.add_argument("dataset", help="lite-realsumm or lite-pyrxsum")
    parser.add_argument(
        "--regressors", type=Path, required=True, help="the release's regressors/REALSumm, or one file"
    )
    parser.add_argument("--percentage", type=int, default=50, help="of the sentences that get STUs")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file for the units")


def main(args: argparse.Namespace) -> int:
    """Choose the sentences, write their units and print the file; returns the exit status."""
    study = load_study(args.dataset)
    parsed = read_parsed(args.parsed, study.units["SCU"])
    score = released_easiness(parsed, args.regressors, folds=study.folds["document"])
    units = mixed_units(parsed, score, percentage=args.percentage)
    write_units(args.output, units)
    print(args.output)
    return 0
