"""blocks.index_size: the live block of the notebook `index_size`."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from helpers import figures
from helpers.experiments import index_size
from helpers.kit.live import choices
from helpers.kit.live.choices import COLLECTIONS, QUERIES, TAGGING, WITH_TEXTS
from helpers.kit.live.controls import One, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval import datasets
from metaeval.metrics.sera import Variants


def _compute(
    *,
    dataset,
    collections,
    sizes,
    n_subsets,
    queries,
    cutoffs,
    repeats,
    group,
    coefficient,
    level,
    tagger,
    seed,
) -> Iterator[pd.DataFrame]:
    variants = Variants(queries=queries, cutoffs=cutoffs, repeats=repeats, tagger=tagger)
    tables = index_size.table.growing(
        datasets.load(dataset), [datasets.stories(name) for name in collections], variants, sizes=sizes,
        n_subsets=n_subsets, step=1, groups=[group], levels=[level], coefficients=[coefficient], rng=seed,
    )  # fmt: skip
    return map(index_size.size_bands, tables)


EXPERIMENT = Experiment(
    notebook="index_size",
    question="How much does SERA depend on how many stories it searches?",
    controls=(
        One("dataset", "Data set", WITH_TEXTS),
        Several("collections", "Stories", COLLECTIONS),
        Several("sizes", "Sizes of the index", (500, 1000, 2000, 5000, 10000)),
        Whole("n_subsets", "Random orders", 2, 8),
        Several("queries", "Queries", QUERIES),
        Several("cutoffs", "Documents that count", (5, 10, 20)),
        One("repeats", "A repeated word counts each time", (False, True)),
        One("group", "Systems", choices.groups),
        One("level", "Level", ("system", "summary")),
        choices.COEFFICIENT,
    ),
    fixed=("tagger", "seed"),
    smaller={"collections": ("bbc",), "n_subsets": 3, "queries": ("raw",)},
    remark=f"Starts with one collection, raw queries and 3 random orders. {TAGGING}",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.index_size_curves(table),
    says=lambda table, _: index_size.in_words(table),
    grows="n_subsets",
)
