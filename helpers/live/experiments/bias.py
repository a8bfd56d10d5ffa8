"""live.experiments.bias: the live block of the notebook `bias`, over `experiments.bias`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import bias
from helpers.live.controls import One
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices


def _compute(*, dataset, texts, **settings) -> pd.DataFrame:
    return bias.length(load(dataset), load(texts).texts, **settings)


EXPERIMENT = Experiment(
    notebook="bias",
    question="What does a summary gain with a judge by being longer?",
    controls=(
        One("dataset", "Data set", choices.datasets(("summeval-judges", "llm-summeval"), likenesses=False)),
        choices.JUDGES,
        choices.DIMENSIONS,
        choices.CONFIDENCE_LEVEL,
    ),
    fixed=("texts",),
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.length_dots(table),
)
