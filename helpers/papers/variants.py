"""papers.variants: which variant of each metric "A Statistical Analysis" reports, under its short names.

Deutsch et al. 2021, footnote 9: recall on TAC 2008 and REALSumm, F1 on SummEval. That does not say it for
every metric. The rest follows from Table 2 of the paper, whose normality tests come out for one variant each:
BERTScore's recall and S3's regression on responsiveness on both sets, BEwT-E by the same rule as ROUGE.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from helpers import datasets
from helpers.benchmark import Benchmark
from helpers.errors import choose

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
    """Data sets of the paper by name, each with the metrics that the paper reports (`reported_metrics`).

    Parameters
    ----------
    names : sequence of str
        See `helpers.datasets.load`.

    Returns
    -------
    list of Benchmark
    """
    return [reported_metrics(datasets.load(name)) for name in names]
