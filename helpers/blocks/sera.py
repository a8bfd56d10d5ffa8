"""blocks.sera: the live block of the notebook `sera`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import sera
from helpers.kit.live import choices
from helpers.kit.live.choices import COLLECTIONS, QUERIES, TAGGING, WITH_TEXTS
from helpers.kit.live.controls import One, Real, Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval import datasets
from metaeval.metrics.sera import IndexSettings, Variants


def _compute(
    *, dataset, stories, queries, cutoffs, repeats, k1, b, others, coefficients, n_resamples, seed, tagger
) -> pd.DataFrame:
    return sera.table(
        datasets.load(dataset), datasets.stories(stories),
        Variants(queries=queries, cutoffs=cutoffs, repeats=repeats, tagger=tagger), IndexSettings(k1=k1, b=b),
        others=others, coefficients=coefficients, n_resamples=n_resamples, rng=seed,
    )  # fmt: skip


EXPERIMENT = Experiment(
    notebook="sera",
    question="How well does SERA order systems, by what it searches, how, and in which stories?",
    controls=(
        One("dataset", "Data set", WITH_TEXTS),
        One("stories", "Stories", COLLECTIONS),
        Several("queries", "Queries", QUERIES),
        Several("cutoffs", "Documents that count", (5, 10, 20)),
        One("repeats", "A repeated word counts each time", (False, True)),
        Real("k1", "BM25's k1", 0.1, 3.0, 0.1),
        Real("b", "BM25's b", 0.0, 1.0, 0.05),
        choices.COEFFICIENTS_SHOWN,
        choices.draws("n_resamples", "Draws", 499),
    ),
    fixed=("others", "tagger", "seed"),
    smaller={"queries": ("raw",), "n_resamples": 199},
    remark=f"Starts with raw queries and 199 draws. {TAGGING}",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.interval_dots(table, panel="group", sort_by="mix"),
)
