"""blocks.bias: the live block of the notebook `bias`, over `experiments.bias`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import bias
from helpers.kit.live import choices
from helpers.kit.live.controls import One
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


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
