"""tools.fit: ``python -m bookbuild fit [NAME ...]`` fits the simulated likenesses to the released data.

Writes ``data/simulation/NAME.yml`` (parameters only, no score of anybody) and the table of true correlations.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import xarray as xr

from metaeval.core.errors import choose
from metaeval.datasets import load, units
from metaeval.simulation import truth
from metaeval.simulation.fit import fit
from metaeval.simulation.model import Likeness, Marginal, read, write

UNITS = Marginal("units", 0.4, 0.2, 0.0, low=0.0, high=1.0)


def _realsumm() -> Likeness:
    base = load("realsumm")
    other = load("bhandari2020")
    extra = [metric for metric in other.metrics if metric not in base.metrics]
    scores = xr.concat([base.scores, other.scores.sel(metric=extra).reindex(system=base.systems)], "metric")
    joined = base.with_scores(scores, scale={**other.scale, **base.scale})
    kinds, shares = {"LitePyramid": UNITS}, _shares_of_units("lite-realsumm")
    return fit(joined, name="realsumm", kinds=kinds, units=shares, rng=0)


def _pyrxsum() -> Likeness:
    kinds, shares = {"LitePyramid": UNITS}, _shares_of_units("lite-pyrxsum")
    return fit(load("lite-pyrxsum"), name="pyrxsum", kinds=kinds, units=shares, rng=0)


def _summeval() -> Likeness:
    benchmark = load("summeval")
    steps = {judgment: 0.2 if "turkers" in judgment else 1 / 3 for judgment in benchmark.judgments}
    kinds = {j: Marginal("ratings", 3.0, 1.0, 0.0, low=1.0, high=5.0, step=step) for j, step in steps.items()}
    return fit(benchmark, name="summeval", kinds=kinds, rng=0)


def _tac2009() -> Likeness:
    benchmark = load("tac2009")
    kinds = {j: Marginal("continuous", 0.2, 0.1, 0.0, low=0.0) for j in benchmark.judgments}
    return fit(benchmark, name="tac2009", kinds=kinds, rng=0)


def _rose() -> Likeness:
    benchmark = load("rose")
    share = Marginal("continuous", 0.4, 0.2, 0.0, low=0.0, high=1.0)
    rated = Marginal("ratings", 3.0, 1.0, 0.0, low=1.0, high=5.0, step=1 / 3)
    kinds = {j: share if j.endswith("ACU") else rated for j in benchmark.judgments}
    return fit(benchmark, name="rose", kinds=kinds, rng=0)


def _faithbench() -> Likeness:
    benchmark = load("faithbench")
    whole = benchmark.scores.notnull().all(("metric", "system")).to_numpy()
    documents = [d for d, keep in zip(benchmark.documents, whole, strict=True) if keep]
    verdict = Marginal("ratings", 0.5, 1.0, 0.0, low=0.0, high=1.0, step=1.0)
    judged = benchmark.select(documents=documents)
    verdicts = [metric for metric in judged.metrics if np.isin(judged.metric(metric), (0, 1)).all()]
    kinds = dict.fromkeys((*judged.judgments, *verdicts), verdict)
    likeness = fit(judged, name="faithbench", kinds=kinds, rng=0)
    return replace(likeness, n_documents=len(benchmark.documents))


RECIPES: dict[str, Callable[[], Likeness]] = {
    "realsumm": _realsumm,
    "summeval": _summeval,
    "tac2009": _tac2009,
    "pyrxsum": _pyrxsum,
    "rose": _rose,
    "faithbench": _faithbench,
}


def _shares_of_units(name: str) -> dict[int, float]:
    """Number of content units -> share of a dataset's documents that have it."""
    counts = Counter(len(scus) for scus in units(name).scus.values())
    return {n: counts[n] / counts.total() for n in sorted(counts)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)}; all by default")
    parser.add_argument(
        "--no-truth", action="store_true", help="leave the table of true correlations as it is"
    )


def main(args: argparse.Namespace) -> int:
    """Fit, write and print where; returns the exit status."""
    for name in args.names or RECIPES:
        path = write(choose("likeness to fit", name, RECIPES)())
        print(path, flush=True)
        if not args.no_truth and read(name).metrics:
            print(truth.write(read(name)), flush=True)
    return 0
