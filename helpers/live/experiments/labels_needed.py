"""live.experiments.labels_needed: the live block of the notebook `labels_needed`, over its experiment."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import labels_needed
from helpers.live.controls import One, Real, Settings, Several, Whole
from helpers.live.experiment import Experiment
from helpers.live.experiments import choices


def _compute(*, dataset, **settings) -> pd.DataFrame:
    return labels_needed.outlook(load(dataset), **settings)


def _dimensions(settings: Settings) -> list[str]:
    benchmark = load(settings["dataset"])
    return [judgment for judgment in benchmark.judgments if benchmark.judges(judgment)]


def _judges(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judges(_dimensions(settings)[0])


EXPERIMENT = Experiment(
    notebook="labels_needed",
    question="What would this many systems, documents and raters give?",
    controls=(
        One("dataset", "Data set", choices.datasets(("summeval-judges", "llm-summeval"))),
        One("judge", "Judge", _judges),
        Several("dimensions", "Dimensions", _dimensions),
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
