"""blocks.labels_needed: the live block of the notebook `labels_needed`, over its experiment."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import labels_needed
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Whole
from helpers.kit.live.experiment import Experiment
from metaeval.datasets import load


def _compute(*, dataset, **settings) -> pd.DataFrame:
    return labels_needed.outlook(load(dataset), **settings)


EXPERIMENT = Experiment(
    notebook="labels_needed",
    question="What would this many systems, documents and raters give?",
    controls=(
        One("dataset", "Data set", choices.datasets(("summeval-judges", "llm-summeval"))),
        One("judge", "Judge", choices.judges),
        choices.DIMENSIONS,
        Whole("n_systems", "Systems", 5, 60),
        Whole("n_documents", "Documents", 10, 1000, 10),
        Whole("n_raters", "Raters", 1, 10),
        Real("share_labelled", "Share labelled", 0.05, 0.95, 0.05),
        Real("difference", "Difference", 0.05, 1.0, 0.05),
        choices.COEFFICIENT,
        choices.CONFIDENCE_LEVEL,
    ),
    fixed=("alpha",),
    compute=_compute,
    draw=lambda table, _: figures.outlook_dots(table),
)
