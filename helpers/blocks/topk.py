"""blocks.topk: the live block of the page on the *k* best systems."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import topk
from helpers.kit.live import choices
from helpers.kit.live.controls import Whole
from helpers.kit.live.experiment import Experiment
from metaeval import analysis
from metaeval.datasets import load


def _table(*, dataset, metrics, k, seed, **settings) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    return analysis.topk.table(benchmark, ks=[k], method="Boot-Inputs", rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="topk",
    question="How well do metrics agree with people on the k best systems?",
    controls=(
        choices.DATASET,
        Whole("k", "Best systems, k", 3, choices.n_systems),
        choices.GROUPS,
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 9999),
        choices.METRICS,
    ),
    fixed=("seed",),
    compute=_table,
    draw=lambda table, _: figures.top_k_dots(table),
    says=lambda table, settings: topk.in_words(table, groups=settings["groups"]),
)
