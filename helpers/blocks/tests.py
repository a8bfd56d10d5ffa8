"""blocks.tests: the live block of the notebook `tests`, over `experiments.tests`."""

from __future__ import annotations

from helpers import figures
from helpers.experiments import tests
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real
from helpers.kit.live.experiment import SETTLED_S, Experiment
from helpers.kit.variants import load_reported
from metaeval import analysis
from metaeval.stats.differences import CORRECTIONS, TESTS


def _compute(*, datasets, coefficient, method, seed, alpha, **settings):
    return analysis.tests.table(
        load_reported(datasets), coefficients=[coefficient], methods=[method], rng=seed, **settings
    )


EXPERIMENT = Experiment(
    notebook="tests",
    question="Which metric is significantly better than which?",
    controls=(
        choices.REPORTED_DATASETS,
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        One("method", "Test", tuple(TESTS)),
        Real("alpha", "Significant at p ≤", 0.01, 0.2, 0.01),
        One("correction", "Correction", tuple(CORRECTIONS)),
        One("family", "Corrected together", tuple(analysis.tests.FAMILIES)),
        choices.draws("n_resamples", "Draws", 9999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 499},
    remark="Starts with 499 draws, too few to correct for a whole table; the notebook takes 9,999.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, settings: figures.difference_heatmap(tests.outcomes(table, alpha=settings["alpha"])),
)
