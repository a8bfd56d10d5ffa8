"""blocks.annotators: the live block of the notebook `annotators`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import annotators
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _compute(
    *, dataset, judgment, sizes, coefficients, n_resamples, metric, n_references, seed
) -> pd.DataFrame:
    return annotators.table(
        load(dataset).judged_by(judgment), metric, n_references=n_references, sizes=sizes,
        coefficients=coefficients, n_resamples=n_resamples, rng=seed,
    )  # fmt: skip


def _judgments(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


def _reference_counts(settings: Settings) -> list[int]:
    return list(range(1, settings["n_references"] + 1))


EXPERIMENT = Experiment(
    notebook="annotators",
    question="How much does a metric depend on whose references, and how many, it sees?",
    controls=(
        One("judgment", "Human score", _judgments),
        Several("sizes", "References", _reference_counts),
        choices.COEFFICIENTS_SHOWN,
        choices.draws("n_resamples", "Draws", 999),
    ),
    fixed=("dataset", "metric", "n_references", "seed"),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 999.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.annotator_dots(table),
)
