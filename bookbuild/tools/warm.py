"""tools.warm: ``python -m bookbuild warm`` compiles the engine's loops; their machine code is cached.

Otherwise every process compiles the loops that it is the first to need, and processes that start together
compile the same ones.
"""

from __future__ import annotations

import argparse
import time
from contextlib import suppress

import numpy as np
import xarray as xr

from metaeval.core.errors import MissingExtraError, explain_missing_extras
from metaeval.core.workers import add_jobs, run_parallel
from metaeval.stats import differences, intervals, measures, pairs
from metaeval.stats.correlation import COEFFICIENTS, LEVELS
from metaeval.stats.judges import judge_correlation
from metaeval.stats.measures import accuracy_curve
from metaeval.tables.benchmark import CELL, Texts

PAIRS, MANY, TEXTS = "pairs", "many systems", "texts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_jobs(parser, "processes")


def compile_part(part: str) -> float:
    """Call functions with loops on made-up data: a level, pairs, many systems, texts; returns the seconds."""
    start = time.perf_counter()
    if part == TEXTS:
        # without the `texts` extra there is nothing to compile
        with suppress(MissingExtraError), explain_missing_extras():
            _read()
        return time.perf_counter() - start
    scores = (7.0 * np.arange(3 * 6 * 8) % 11 % 5).reshape(3, 6, 8)
    if part == MANY:  # rank sums need wider integers, for which loops are compiled again
        options = {"level": "summary", "coefficient": "spearman", "n_resamples": 9, "rng": 0, "n_threads": 1}
        scores = np.tile(scores, (1, 5, 1))
        differences.compare_pairs(scores[1:], scores[0], [[0, 1]], method="Perm-Both", **options)
    elif part == PAIRS:
        pairs.pair_counts(scores[1:], scores[0])
        pairs.calibrate(scores[1], scores[0])
        measures.pairwise_pvalues(scores, n_resamples=9, rng=0)
        accuracy_curve(scores[1:], scores[0], n_resamples=9, rng=0)
        judge_correlation(scores[1:], scores[0], n_resamples=9, rng=0)
    else:
        for coefficient in COEFFICIENTS:
            options = {"level": part, "coefficient": coefficient, "n_resamples": 9, "rng": 0, "n_threads": 1}
            intervals.interval(scores[1:], scores[0], method="Boot-Both", **options)
            differences.compare_pairs(scores[1:], scores[0], [[0, 1]], method="Perm-Both", **options)
    return time.perf_counter() - start


def _read() -> None:
    """Score made-up texts with the metrics that have loops, and search in an index of two."""
    from metaeval.metrics.divergence import divergence_scores
    from metaeval.metrics.rouge import degraded_rouge_1, rouge_scores, unigrams
    from metaeval.metrics.sera.index import analyse, build_index

    summaries = xr.DataArray(np.array([["one two", "two"], ["two one", "one"]], dtype=object), dims=CELL)
    summaries = summaries.assign_coords(system=["a", "b"], document=["1", "2"])
    texts = Texts(summaries, {document: ("one two", "two three") for document in ("1", "2")})
    rouge_scores(texts, ["ROUGE-1 F1", "ROUGE-L F1", "ROUGE-Lsum F1"])
    divergence_scores(texts, ["JS-1"], stem=False)
    degraded_rouge_1(unigrams(texts), percentages=[50.0], part="recall", rng=0)
    build_index(analyse([("1", "rain fell"), ("2", "rates rose")])).search([["rain"]], 1)


def main(args: argparse.Namespace) -> int:
    """Compile, with a line of progress each; returns the exit status."""
    parts = [*LEVELS, PAIRS, MANY, TEXTS]
    outcomes = run_parallel(compile_part, [(part,) for part in parts], jobs=args.jobs, processes=True)
    for n, (place, seconds, error) in enumerate(outcomes, start=1):
        if error:
            raise error
        print(f"[{n}/{len(parts)}] loops, {parts[place]}: {seconds:.1f} s", flush=True)
    return 0
