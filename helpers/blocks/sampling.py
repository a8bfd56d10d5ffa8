"""blocks.sampling: the live block of the page on choosing the documents to judge."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import sampling
from helpers.kit.live import choices
from helpers.kit.live.controls import Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _table(*, dataset, seed, **settings) -> pd.DataFrame:
    return sampling.table(load(dataset), rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="sampling",
    question="How much steadier are stratified samples of documents than uniform ones?",
    controls=(
        choices.DATASET,
        Whole("n_bins", "Bins by mean", 1, 10),
        Whole("n_spread_bins", "Bins by spread", 1, 10),
        choices.draws("n_samples", "Samples", 3000, least=100),
        choices.METRICS,
    ),
    fixed=("n_systems", "n_documents", "seed"),
    smaller={"n_samples": 500},
    remark="Starts with 500 samples of each design; the notebook takes 3,000.",
    settle_s=SETTLED_S,
    compute=_table,
    draw=lambda table, _: figures.design_ratios(table),
)
