"""blocks.old_metrics: the live block of the notebook, over `experiments.old_metrics`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import old_metrics
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.metrics import registry


def _compute(*, datasets, metrics, n_documents, judgments, seed, **settings) -> pd.DataFrame:
    benchmarks = [old_metrics.scored(name, metrics, n_documents=n_documents) for name in datasets]
    return old_metrics.orders(benchmarks, judgments=judgments, rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="old_metrics",
    question="How often do metrics from texts put two summaries in people's order?",
    controls=(
        Several("datasets", "Data sets", ("rose", "rose-llm", "faithbench", "lite-pyrxsum")),
        Several("metrics", "Metrics", registry.names()),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("n_documents", "judgments", "seed"),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000. Metrics on vectors take a minute at first.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.order_dots(old_metrics.marked(old_metrics.by_first_judgment(table), table)),
)
