"""tools.learn: ``python -m bookbuild learn`` retrains the light model that comes with the project.

The model learns on all presence labels of REALSumm and PyrXSum, and writes ``data/models/light.json``.
"""

from __future__ import annotations

import argparse

from metaeval.core.errors import DataError
from metaeval.core.mode import is_simulated
from metaeval.metrics.pyramid.light import SHIPPED
from metaeval.metrics.pyramid.study import learned_light, load_study

_LABELLED = ("lite-realsumm", "lite-pyrxsum")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Learn, write the file and print its size; returns the exit status."""
    if is_simulated():
        raise DataError("the light model learns on people's labels; set DATA=real")
    learned_light([load_study(name) for name in _LABELLED]).save(SHIPPED, learned_on=_LABELLED)
    print(f"{SHIPPED.name}: {SHIPPED.stat().st_size:,} bytes")
    return 0
