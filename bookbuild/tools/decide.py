"""tools.decide: ``python -m bookbuild decide`` prints ``real`` or ``simulated``: the data of a run here.

Why it is ``simulated`` where nothing asked for that goes to standard error, so that ``DATA=$(...)`` in the
Makefile takes the answer alone.
"""

from __future__ import annotations

import argparse
import sys

from metaeval import datasets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(given: argparse.Namespace) -> int:
    """Print the answer, and the reason beside it; returns the exit status."""
    settled, reason = datasets.decide()
    if reason:
        print(reason, file=sys.stderr)
    print(settled)
    return 0
