"""blocks.likeness: real beside simulated correlations, moved by data sets, metrics and draws.

Computes by `helpers.experiments.likeness.compare`, as the notebook does.
"""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import likeness
from helpers.kit.live import choices
from helpers.kit.live.controls import Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.core.mode import PREFIX
from metaeval.datasets import load


def _metrics(settings: Settings) -> list[str]:
    found = [load(PREFIX + name).metrics for name in settings["datasets"]]
    return list(dict.fromkeys(metric for metrics in found for metric in metrics))


def _correlations(*, datasets, seed, **settings) -> pd.DataFrame:
    return likeness.compare(datasets, ["correlations"], **settings, rng=seed)["correlations"]


EXPERIMENT = Experiment(
    notebook="likeness",
    question="How alike are the correlations of real and of simulated benchmarks?",
    controls=(
        Several("datasets", "Data sets", choices.FITTED),
        Whole("n_draws", "Draws", 5, 40, 5),
        Several("metrics", "Metrics", _metrics),
    ),
    fixed=("seed",),
    smaller={"n_draws": 10},
    remark="Starts with 10 draws; the notebook takes 40.",
    settle_s=SETTLED_S,
    compute=_correlations,
    draw=lambda table, _: figures.likeness_scatter(likeness.beside(table)),
)
