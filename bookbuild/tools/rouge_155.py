"""tools.rouge_155: ``python -m bookbuild rouge155`` records results of ROUGE-1.5.5.

Needs the real data, and the script's folder in the environment variable ``ROUGE_155``. Its correlations with
people and its distances from released scores go to ``data/recorded``, but nothing of the script and no single
score.
"""

from __future__ import annotations

import argparse

from helpers.experiments import leaderboard, rescored
from helpers.kit.recorded import FOLDER
from metaeval.core.errors import DataError
from metaeval.core.mode import is_simulated
from metaeval.metrics.rouge_155 import VARIABLE, rouge_155_folder

_DIGITS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Compute and write the tables; returns the exit status."""
    if rouge_155_folder() is None:
        raise DataError(f"{VARIABLE} names no folder; set it to the one that holds ROUGE-1.5.5.pl")
    if is_simulated():
        raise DataError("only results on real data are recorded; set DATA=real")
    for name, table in (
        ("rouge_155", leaderboard.script_readings()),
        ("rescored_155", rescored.by_the_script(rescored.rescore(rescored.releases(), readings=()))),
    ):
        path = FOLDER / f"{name}.csv"
        table.round(_DIGITS).to_csv(path, index=False, lineterminator="\n")
        print(f"{len(table)} rows in {path.name}")
    return 0
