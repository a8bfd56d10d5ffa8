"""reporting.draws: what commands take that draw: the coefficient, levels, number and seed of the draws."""

from __future__ import annotations

import argparse
import sys
from math import comb

from metaeval.core.limits import check_alpha, check_count, check_interval_draws
from metaeval.stats.kernels import compiled_before
from metaeval.stats.resampling import check_draws
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted

SEED = 2021
LONG = 2e10  # pairs of summaries that draws compare before somebody is told how long that takes
A_SECOND = 2e9  # of them in a second, at least, on one processor


def add_draws(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "--coefficient", choices=sorted(COEFFICIENT_LABELS), default="kendall", help="(%(default)s)"
    )
    parser.add_argument("--confidence-level", type=float, default=0.95, help="of intervals (%(default)s)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the tests (%(default)s)")
    parser.add_argument(
        "--draws", type=int, default=1_999, dest="n_resamples", metavar="DRAWS",
        help="bootstrap draws and permutations (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=SEED, help="of the draws (%(default)s)")


def drawn(given: argparse.Namespace) -> dict[str, object]:
    """What was given, within its bounds, as functions take it."""
    check_alpha(given.alpha)
    check_count("seed", given.seed, at_least=0)
    check_draws(given.n_resamples)
    check_interval_draws(given.n_resamples, given.confidence_level)
    return {
        "coefficient": given.coefficient,
        "confidence_level": given.confidence_level,
        "alpha": given.alpha,
        "n_resamples": given.n_resamples,
        "rng": given.seed,
    }


def say_how_long(benchmark: Benchmark, *, n_resamples: int, coefficient: str) -> None:
    """Say on standard error how much draws have to compare, and for how long, where that is much.

    Ranks are compared for every pair of systems on every document by every metric, in each draw.
    """
    n_pairs, n_documents = comb(len(benchmark.systems), 2), len(benchmark.documents)
    n_metrics = len(benchmark.metrics)
    work = n_pairs * n_documents * n_metrics * n_resamples
    if coefficient != "pearson" and work > LONG:
        print(
            f"Each of {n_resamples:,} draws compares {counted(n_pairs, 'pair')} of systems on "
            f"{counted(n_documents, 'document')} by {counted(n_metrics, 'metric')}, which takes up to "
            f"{work / A_SECOND:,.0f} s of computing; fewer systems, or --coefficient pearson, are quicker.",
            file=sys.stderr,
        )


def say_what_takes_long() -> None:
    """Say on standard error that loops are compiled, where they have not been before."""
    if not compiled_before():
        print("The first run compiles its loops (Numba), which takes about 15 s, once.", file=sys.stderr)
