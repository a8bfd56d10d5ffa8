"""blocks.tiers: the live block of the notebook `tiers`, over `experiments.tiers`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.blocks import judges
from helpers.experiments import tiers
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return tiers.of_judges(load(dataset), rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="tiers",
    question="Which judges can be told apart?",
    controls=(
        *judges.EXPERIMENT.controls[:3],
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        One("method", "Test", ("Perm-Both", "Perm-Inputs", "Perm-Systems", "Boot-Both")),
        Real("alpha", "Level", 0.01, 0.2, 0.01),
        choices.draws("n_resamples", "Draws", 999),
    ),
    fixed=("n_seeds", "seed"),
    smaller={"n_resamples": 99},
    remark="Starts with 99 draws; the notebook takes 1,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.judge_ranks(table),
)
