"""Live parts of the pages on SERA."""

from __future__ import annotations

from functools import cache

import pandas as pd
import xarray as xr

from helpers import figures
from helpers.datasets import load
from helpers.datasets import stories as load_stories
from helpers.experiments.annotators import annotator_table
from helpers.experiments.group_intervals import with_intervals
from helpers.experiments.index_size import index_size_table, size_bands
from helpers.experiments.sera import judged_by
from helpers.live.controls import One, Real, Settings, Several, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices
from helpers.metrics.sera.index import IndexSettings, analyse, build_index
from helpers.metrics.sera.scores import score_queries, text_queries
from helpers.stats.correlation import correlation_table

COLLECTIONS = ("reuters", "bbc", "reuters+bbc")
QUERIES = ("raw", "np", "kw", "gesera")
_TAGGING = "Noun phrases (np), key words (kw) and gesera tag all texts, which takes half a minute once."


@cache
def _analysed(stories: str):
    return analyse(load_stories(stories))


@cache
def _prepared(dataset: str, query: str, tagger: str):
    return text_queries(load(dataset).texts, [query], tagger=tagger)[query]


@cache
def _scores(dataset, stories, query, cutoffs, k1, b, tagger):
    index = build_index(_analysed(stories), IndexSettings(k1=k1, b=b))
    return score_queries({query: _prepared(dataset, query, tagger)}, index, n=cutoffs)


def _sera(
    *, dataset, stories, queries, cutoffs, k1, b, others, coefficients, n_resamples, seed, tagger
) -> pd.DataFrame:
    benchmark = load(dataset)
    scores = [_scores(dataset, stories, query, tuple(cutoffs), k1, b, tagger) for query in queries]
    scored = benchmark.with_scores(xr.concat([benchmark.scores.sel(metric=others), *scores], "metric"))
    correlated = correlation_table(scored, levels=["system"], coefficients=coefficients)
    return with_intervals(correlated, scored, n_resamples=n_resamples, rng=seed)


def _index_size(
    *, dataset, collections, sizes, n_subsets, queries, cutoffs, group, coefficient, level, tagger, seed
) -> pd.DataFrame:
    table = index_size_table(
        load(dataset),
        {query: _prepared(dataset, query, tagger) for query in queries},
        {name: _analysed(name) for name in collections},
        sizes=sizes,
        n_subsets=n_subsets,
        n=cutoffs,
        groups=[group],
        levels=[level],
        coefficients=[coefficient],
        rng=seed,
    )
    return size_bands(table)


def _annotators(
    *, dataset, judgment, sizes, coefficients, n_resamples, metric, n_references, seed
) -> pd.DataFrame:
    return annotator_table(
        judged_by(load(dataset), judgment),
        metric,
        n_references=n_references,
        sizes=sizes,
        coefficients=coefficients,
        n_resamples=n_resamples,
        rng=seed,
    )


def _judgments(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


def _reference_counts(settings: Settings) -> list[int]:
    return list(range(1, settings["n_references"] + 1))


def _with_texts(settings: Settings) -> list[str]:
    return choices.datasets(("realsumm",))(settings)


EXPERIMENTS = {
    part.notebook: part
    for part in (
        Experiment(
            notebook="sera",
            question="How well does SERA order systems, by what it searches, how, and in which stories?",
            controls=(
                One("dataset", "Data set", _with_texts),
                One("stories", "Stories", COLLECTIONS),
                Several("queries", "Queries", QUERIES),
                Several("cutoffs", "Documents that count", (5, 10, 20)),
                Real("k1", "BM25's k1", 0.1, 3.0, 0.1),
                Real("b", "BM25's b", 0.0, 1.0, 0.05),
                choices.COEFFICIENTS_SHOWN,
                choices.draws("n_resamples", "Draws", 499),
            ),
            fixed=("others", "tagger", "seed"),
            smaller={"queries": ("raw",), "n_resamples": 199},
            remark=f"Starts with raw queries and 199 draws. {_TAGGING}",
            settle_s=SETTLED_S,
            compute=_sera,
            draw=lambda table, _: figures.interval_dots(table, panel="group", sort_by="mix"),
        ),
        Experiment(
            notebook="index_size",
            question="How much does SERA depend on how many stories it searches?",
            controls=(
                One("dataset", "Data set", _with_texts),
                Several("collections", "Stories", COLLECTIONS),
                Several("sizes", "Sizes of the index", (500, 1000, 2000, 5000, 10000)),
                Whole("n_subsets", "Random orders", 2, 8),
                Several("queries", "Queries", QUERIES),
                Several("cutoffs", "Documents that count", (5, 10, 20)),
                One("group", "Systems", choices.groups),
                One("level", "Level", ("system", "summary")),
                choices.COEFFICIENT,
            ),
            fixed=("tagger", "seed"),
            smaller={"collections": ("bbc",), "n_subsets": 3, "queries": ("raw",)},
            remark=f"Starts with one collection, raw queries and 3 random orders. {_TAGGING}",
            settle_s=SETTLED_S,
            compute=_index_size,
            draw=lambda table, _: figures.index_size_curves(table),
        ),
        Experiment(
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
            compute=_annotators,
            draw=lambda table, _: figures.annotator_dots(table),
        ),
    )
}
