"""reporting.draws: what commands take that draw: the coefficient, levels, number and seed of the draws."""

from __future__ import annotations

import argparse
import sys

from helpers.labels import COEFFICIENT_LABELS
from helpers.stats.kernels import compiled_before

SEED = 2021


def add_draws(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "--coefficient", choices=sorted(COEFFICIENT_LABELS), default="kendall", help="(%(default)s)"
    )
    parser.add_argument("--confidence-level", type=float, default=0.95, help="of intervals (%(default)s)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the tests (%(default)s)")
    parser.add_argument(
        "--draws", type=int, default=1_999, help="bootstrap draws and permutations (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="of the draws (%(default)s)")


def drawn(given: argparse.Namespace) -> dict[str, object]:
    """What was given, as functions take it."""
    return {
        "coefficient": given.coefficient,
        "confidence_level": given.confidence_level,
        "alpha": given.alpha,
        "n_resamples": given.draws,
        "rng": given.seed,
    }


def say_what_takes_long() -> None:
    """Say on standard error that loops are compiled, where they have not been before."""
    if not compiled_before():
        print("The first run compiles its loops (Numba), which takes some 15 s once.", file=sys.stderr)
