"""runs.warm: ``python -m helpers warm`` compiles the engine's loops; their machine code stays on disk.

Else every process compiles what it is the first to need, and those that begin together compile the same.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from helpers.stats import differences, intervals, measures, pairs
from helpers.stats.accuracy_curve import accuracy_curve
from helpers.stats.correlation import COEFFICIENTS, LEVELS
from helpers.workers import finished

PAIRS = "pairs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--jobs", type=int, default=-1, help="processes at a time; all cores by default")


def use(part: str) -> float:
    """Call on a few made-up scores what has its own loops, of a level or of pairs; returns the seconds."""
    start = time.perf_counter()
    scores = (7.0 * np.arange(3 * 6 * 8) % 11 % 5).reshape(3, 6, 8)
    if part == PAIRS:
        pairs.pair_counts(scores[1:], scores[0])
        pairs.calibrate(scores[1], scores[0])
        measures.pairwise_pvalues(scores, n_resamples=9, rng=0)
        accuracy_curve(scores[1:], scores[0], n_resamples=9, rng=0)
    else:
        for coefficient in COEFFICIENTS:
            asked = {"level": part, "coefficient": coefficient, "n_resamples": 9, "rng": 0, "n_threads": 1}
            intervals.interval(scores[1:], scores[0], method="Boot-Both", **asked)
            differences.compare_pairs(scores[1:], scores[0], [[0, 1]], method="Perm-Both", **asked)
    return time.perf_counter() - start


def main(given: argparse.Namespace) -> int:
    """Compile, with a line of progress each; returns the exit status."""
    parts = [*LEVELS, PAIRS]
    done = finished(use, [(part,) for part in parts], jobs=given.jobs, processes=True)
    for n, (place, seconds, error) in enumerate(done, start=1):
        if error:
            raise error
        print(f"[{n}/{len(parts)}] loops over resamples, {parts[place]}: {seconds:.1f} s", flush=True)
    return 0
