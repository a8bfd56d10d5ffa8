"""tools.decide: ``python -m bookbuild decide`` prints ``real`` or ``simulated``, the data mode here.

The reason for ``simulated`` data that were not requested goes to standard error, so that ``DATA=$(...)`` in
the Makefile takes the answer alone.
"""

from __future__ import annotations

import argparse
import sys

from metaeval import datasets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Print the answer, and the reason on standard error; returns the exit status."""
    data_mode, reason = datasets.decide()
    if reason:
        print(reason, file=sys.stderr)
    print(data_mode)
    return 0
