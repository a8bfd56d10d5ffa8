"""kit.variants: which variant of each metric, and which systems, "A Statistical Analysis" reports.

Deutsch et al. 2021, footnote 9: recall on TAC 2008 and REALSumm, F1 on SummEval. That does not say it for
every metric. The rest follows from Table 2 of the paper, whose normality tests come out for one variant each:
BERTScore's recall and S3's regression on responsiveness on both sets, BEwT-E by the same rule as ROUGE. Of
the 72 peers of TAC 2008 that the release scores they come out with the first 58 only, the number that the
paper names (`helpers.experiments.normality` counts both).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from metaeval import datasets
from metaeval.core.errors import choose
from metaeval.tables.benchmark import Benchmark

_SHARED = {
    "AutoSummENG": "AutoSummENG",
    "MeMoG": "MeMoG",
    "NPowER": "NPowER",
    "BERTScore": "BERTScore recall",
    "METEOR": "METEOR",
    "MoverScore": "MoverScore",
    "QAEval-F1": "QAEval F1",
    "S3": "S3 resp",
}
_BY_PART = ("BEwT-E", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4")
REPORTED = {
    "summeval": _SHARED | {name: f"{name} F1" for name in _BY_PART},
    "bhandari2020": _SHARED | {name: f"{name} recall" for name in _BY_PART},
    "tac2008": _SHARED | {name: f"{name} recall" for name in _BY_PART},
}
REPORTED_SYSTEMS = {"tac2008": tuple(map(str, range(58)))}  # of the others all


def reported(benchmark: Benchmark) -> Benchmark:
    """The benchmark as the paper takes it: `reported_metrics` of the systems that it reports.

    Parameters
    ----------
    benchmark : Benchmark
        One of the paper, with all systems and metrics of the release.

    Returns
    -------
    Benchmark
    """
    systems = REPORTED_SYSTEMS.get(benchmark.name)
    return reported_metrics(benchmark.select(systems=systems))


def reported_metrics(benchmark: Benchmark) -> Benchmark:
    """The benchmark with the metrics that the paper reports, in its order and under its names.

    A metric that the release lacks is left out.
    """
    variants = choose("data set of A Statistical Analysis", benchmark.name, REPORTED)
    names = sorted(name for name in variants if variants[name] in benchmark.metrics)
    chosen = benchmark.select(metrics=[variants[name] for name in names])
    scale = {n: benchmark.scale[variants[n]] for n in names if variants[n] in benchmark.scale}
    return chosen.with_scores(chosen.scores.assign_coords(metric=pd.Index(names, dtype=object)), scale=scale)


def load_reported(names: Sequence[str]) -> list[Benchmark]:
    """Data sets of the paper by name, each as the paper takes it (`reported`).

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.load`.

    Returns
    -------
    list of Benchmark
    """
    return [reported(datasets.load(name)) for name in names]
