"""blocks.protocols: the live block of the notebook `protocols`, over `experiments.protocols`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import protocols
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS, VARIANTS


def _compute(*, dataset, rouge, parts, seed, **settings) -> pd.DataFrame:
    benchmark = protocols.with_rouge(load(dataset), rouge=rouge, parts=parts)
    return protocols.correlations(benchmark, rng=seed, **settings)


def _protocols(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


EXPERIMENT = Experiment(
    notebook="protocols",
    question="How do metrics, and protocols of human judgment, agree with each protocol?",
    controls=(
        One("dataset", "Data set", choices.datasets(("rose", "rose-llm"))),
        Several("protocols", "Protocols", _protocols),
        Several("rouge", "ROUGE", VARIANTS),
        Several("parts", "Parts", PARTS),
        choices.TWO_LEVELS,
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.protocol_dots(table),
)
