"""blocks.annotations: the live block of the page on crowd votes."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import annotations
from helpers.kit.live import choices
from helpers.kit.live.controls import Real
from helpers.kit.live.experiment import SETTLED_S, Experiment


def _table(*, seed, **settings) -> pd.DataFrame:
    return annotations.removal_effect(rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="annotations",
    question="What does leaving out the noisiest of four simulated workers do?",
    controls=(
        Real("good_accuracy", "Careful worker", 0.5, 1.0, 0.01),
        Real("noisy_accuracy", "Noisy worker", 0.5, 1.0, 0.01),
        choices.draws("n_summaries", "Summaries", 2000, least=100),
    ),
    fixed=("seed",),
    settle_s=SETTLED_S,
    compute=_table,
    draw=lambda table, _: figures.removal_dots(table),
)
