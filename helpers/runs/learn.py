"""runs.learn: ``python -m helpers learn`` makes the light model that comes with the project anew.

It learns on all presence labels of REALSumm and PyrXSum, and writes ``data/models/light.json``.
"""

from __future__ import annotations

import argparse

from helpers.errors import DataError
from helpers.metrics.pyramid.light import SHIPPED
from helpers.metrics.pyramid.study import learned_light, load_study
from helpers.mode import is_simulated

_LABELLED = ("lite-realsumm", "lite-pyrxsum")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(given: argparse.Namespace) -> int:
    """Learn, write the file and print its size; returns the exit status."""
    if is_simulated():
        raise DataError("the light model learns on people's labels; set DATA=real")
    learned_light([load_study(name) for name in _LABELLED]).save(SHIPPED, learned_on=_LABELLED)
    print(f"{SHIPPED.name}: {SHIPPED.stat().st_size:,} bytes")
    return 0
