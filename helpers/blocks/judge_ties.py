"""blocks.judge_ties: the live block of the notebook `judge_ties`, over `experiments.judge_ties`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import judge_ties
from helpers.kit.live import choices
from helpers.kit.live.controls import Settings, Several
from helpers.kit.live.experiment import Experiment
from metaeval.datasets import load

_JUDGED = ("summeval-judges", "llm-summeval")


def _compute(*, datasets, seed, **settings) -> pd.DataFrame:
    return judge_ties.coefficients([load(name) for name in datasets], rng=seed, **settings)


def _datasets(settings: Settings) -> list[str]:
    return choices.at_hand(list(dict.fromkeys([*_JUDGED, *settings["datasets"]])))


def _dimensions(settings: Settings) -> list[str]:
    first, *others = [load(name) for name in settings["datasets"]]
    shared = [name for name in first.judgments if all(name in one.judgments for one in others)]
    return [name for name in shared if all(one.judges(name) for one in (first, *others))]


EXPERIMENT = Experiment(
    notebook="judge_ties",
    question="Which judge comes first, by a coefficient that treats ties in its own way?",
    controls=(
        Several("datasets", "Data sets", _datasets),
        Several("dimensions", "Dimensions", _dimensions),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000.",
    compute=_compute,
    draw=lambda table, _: figures.place_lines(table),
)
