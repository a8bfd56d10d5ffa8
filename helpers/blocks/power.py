"""blocks.power: the live block of the notebook `power`, over `experiments.power`."""

from __future__ import annotations

from helpers import figures
from helpers.experiments import power
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS
from metaeval.stats.differences import TESTS

_AT_A_TIME = 2  # trials between two figures


def _compute(*, dataset, seed, **settings):
    return power.table.growing(load(dataset), step=_AT_A_TIME, rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="power",
    question="How often does a test find that the better of two metrics is better?",
    controls=(
        One("dataset", "Data set", choices.datasets(("bartscore-summeval", "bartscore-realsumm"))),
        One("part", "Part of ROUGE", PARTS),
        Several("kept", "Tokens kept (%)", (10, 20, 30, 40, 50, 60, 70, 80, 90)),
        Several("methods", "Tests", tuple(TESTS)),
        Real("alpha", "Significant at p ≤", 0.01, 0.2, 0.01),
        Whole("n_trials", "Trials", 5, 100, 5),
        choices.draws("n_resamples", "Draws", 499),
    ),
    fixed=("n_references", "seed"),
    smaller={"n_trials": 10, "n_resamples": 199},
    remark="Starts with 10 trials of 199 draws; the notebook takes 1,000 of 499, for a minute.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.power_curves(power.with_intervals(table)),
    says=lambda table, _: power.in_words(table),
    grows="n_trials",
)
