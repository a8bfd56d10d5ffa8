"""runs.rouge_155: ``python -m helpers rouge155`` keeps in ``data/recorded`` what ROUGE-1.5.5 correlates.

Needs the real data, and the script's folder in the environment variable ``ROUGE_155``. Nothing of the script
and no score of a summary is kept.
"""

from __future__ import annotations

import argparse

from helpers.errors import DataError
from helpers.experiments import leaderboard
from helpers.metrics.rouge_155 import VARIABLE, rouge_155_folder
from helpers.mode import is_simulated
from helpers.papers.recorded import FOLDER

_DIGITS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(given: argparse.Namespace) -> int:
    """Compute and write the table; returns the exit status."""
    if rouge_155_folder() is None:
        raise DataError(f"{VARIABLE} names no folder; set it to the one that holds ROUGE-1.5.5.pl")
    if is_simulated():
        raise DataError("only results on real data are recorded; set DATA=real")
    path = FOLDER / "rouge_155.csv"
    table = leaderboard.of_the_script().round(_DIGITS)
    table.to_csv(path, index=False, lineterminator="\n")
    print(f"{len(table)} rows in {path.name}")
    return 0
