"""experiments.sera: does SERA, or GeSERA, agree with people as well as counting shared words does?

López Espejel et al. 2021, §2.2 (Fig. 1), §3.1 and §4.2 (Tables 1 and 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr
from scipy.stats import kendalltau

from helpers.kit.live.experiment import live
from helpers.kit.marks import interval_panels
from helpers.kit.panels import Panels
from helpers.kit.theme import style_of
from helpers.kit.tidy import tidy
from metaeval import datasets
from metaeval.analysis import systems, tests
from metaeval.core.errors import DataError
from metaeval.datasets.readers.gesera import N_REFERENCES, SERA, WorkedExample
from metaeval.datasets.readers.stories import Stories
from metaeval.metrics.sera.index import NO_DOCUMENT, DocumentIndex, IndexSettings, analysed, build_index
from metaeval.metrics.sera.scores import Variants, reformulate, sera, sera_dis, sera_scores
from metaeval.metrics.text import (
    ADJECTIVE,
    NOUN,
    NOUNS,
    PREPOSITION,
    PUNCTUATION,
    VERB,
    VERBS,
    strip_tags,
    tag,
)
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import SURE_DIGITS, prints_as, system_means
from metaeval.tables.benchmark import Benchmark, Texts
from metaeval.tables.columns import check
from metaeval.tables.labels import words

DEFAULTS = IndexSettings()
_SHOWN = {NOUN: NOUNS, VERB: VERBS, ADJECTIVE: {ADJECTIVE}, PREPOSITION: {PREPOSITION}}  # name -> classes
_KEYS = ["dataset", "domain", "group", "level", "coefficient", "metric"]
FAMILIES = {
    "SERA, all queries": r"SERA-",
    "GeSERA": r"GeSERA-(DIS-)?[0-9]",
    "BERTScore and JS-2": r"BERTScore recall|JS-2",
}


# --- SERA from texts


def scores(benchmark: Benchmark, stories: Stories, variants: Variants, settings=DEFAULTS) -> xr.DataArray:
    """SERA of every summary (metric, system, document), NaN where nothing could be looked up."""
    planes = [
        _scores(benchmark.texts, stories, replace(variants, queries=(query,)), settings)
        for query in variants.queries
    ]
    return xr.concat(planes, "metric", combine_attrs="drop")


# what a live block asks for again and again
@lru_cache(maxsize=64)
def _scores(texts: Texts, stories: Stories, variants: Variants, settings: IndexSettings) -> xr.DataArray:
    return sera_scores(texts, _index(stories, settings), variants)


@lru_cache(maxsize=4)
def _index(stories: Stories, settings: IndexSettings) -> DocumentIndex:
    """The index, built in some seconds."""
    return build_index(analysed(stories), settings)


def table(
    benchmark: Benchmark, stories: Stories, variants: Variants, settings=DEFAULTS, *, others=(),
    levels=("system",), **asked,
) -> pd.DataFrame:  # fmt: skip
    """Correlation with people of SERA's variants and of `others` that the benchmark has."""
    beside = benchmark.scores.sel(metric=[name for name in others if name in benchmark.metrics])
    computed = scores(benchmark, stories, variants, settings)
    scored = benchmark.with_scores(xr.concat([beside, computed], "metric"))
    rows = systems.table(scored, levels=levels, method="Boot-Both", **asked)
    return check(rows.assign(domain=stories.name), keys=_KEYS)


@tidy(*_KEYS, "counting")
def readings(
    benchmark: Benchmark, stories: Stories, variants: Variants, settings=DEFAULTS, *, group="mix", **asked
):  # fmt: skip
    """System-level correlation where a query's word counts once, as in the paper's engine, and each time."""
    for counting, repeats in (("once", False), ("each", True)):
        counted = scores(benchmark, stories, replace(variants, repeats=repeats), settings)
        rows = systems.table(benchmark.with_scores(counted), groups=[group], levels=["system"], **asked)
        yield rows.assign(counting=counting, domain=stories.name)


@tidy(*_KEYS)
def spreads(results: pd.DataFrame):
    """Highest minus lowest correlation of each family of at least two variants."""
    for family, pattern in FAMILIES.items():
        members = results[results["metric"].str.match(pattern)]
        spread = members.groupby(_KEYS[:-1], sort=False)["value"].agg(
            value=lambda values: values.max() - values.min(), n_metrics="size"
        )
        several = spread[spread["n_metrics"] > 1].reset_index()
        yield several.assign(metric=family, quantity="range of correlations")


def equal_cells(
    benchmark: Benchmark, stories: Stories, variants: Variants, settings=DEFAULTS
) -> tuple[int, int]:  # fmt: skip
    """Number of summaries with the same score by two variants, and of all."""
    first, second = scores(benchmark, stories, variants, settings)
    return int((first.to_numpy() == second.to_numpy()).sum()), first.size


# --- what was released


@tidy("quantity")
def broken_ties(tac: Benchmark, *, metric="SERA-5"):
    """Kendall's tau-b where means are equal on paper, and where rounding orders them as in the script."""
    human, single = tac.human.mean("document").to_numpy(), tac.metric(metric)
    ways = {
        "ties on paper": system_means(single.to_numpy()),
        "as summed in floating point": single.mean("document").to_numpy(),
    }
    for name, means in ways.items():
        tau = kendalltau(means, human).statistic
        yield {"quantity": name, "n_distinct": len(np.unique(means)), "value": tau}


@tidy(*_KEYS, "judgment")
def released(tac: Benchmark, **asked):
    """Correlations of the released scores with every human judgment, with intervals for the first."""
    for judgment in tac.judgments:
        method = "Boot-Both" if judgment == tac.judgments[0] else None
        rows = systems.table(tac.judged_by(judgment), groups=["all"], method=method, **asked)
        yield rows.assign(judgment=judgment, domain="released")


def rivals(tac: Benchmark, *, metric="SERA-5", **draws) -> pd.DataFrame:
    """Two-sided tests, uncorrected, of a metric against each ROUGE by Pearson's r with the first judgment."""
    return tests.table(
        tac.judged_by(tac.judgments[0]), metrics=[metric],
        rivals=[name for name in tac.metrics if name.startswith("ROUGE")],
        methods=["Perm-Both", "Williams"], alternative="two-sided", correction="none", **draws,
    )  # fmt: skip


def worked_example_table(example: WorkedExample, *, n=5) -> pd.DataFrame:
    """Scores of the documents that the release retrieved, if any, by our formulas and as printed."""
    ranked = [r for own, others in example.rankings.values() for r in (own, *others.values())]
    number = {name: i for i, name in enumerate(sorted({name for names in ranked for name in names}))}
    rows = []
    for candidate, (own, references) in example.rankings.items():
        own_numbers = np.array([number[name] for name in own])
        right = np.array([[number[name] for name in names] for names in references.values()])
        labels = [*(name.partition(".")[2] for name in references), "mean"]
        for score, measure, printed in (
            ("SERA", sera, example.sera), ("SERA-DIS", sera_dis, example.sera_dis)
        ):  # fmt: skip
            if candidate not in printed:
                raise DataError(f"the worked example prints no {score} of {candidate}")
            values = measure(own_numbers, right, n=n)
            texts = zip(labels, [*values, values.mean()], printed[candidate], strict=True)
            rows += [
                (candidate, f"{score}-{n}", reference, value, _drop_noise(text), prints_as(value, text))
                for reference, value, text in texts
            ]
    columns = ["candidate", "metric", "reference", "measured", "printed", "agrees"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["measured", "printed"])


def _drop_noise(text: str) -> str:
    """A printed number without digits that only floating point adds: 0.7 for 0.7000000000000001."""
    return text if len(text) <= SURE_DIGITS else f"{float(text):.{SURE_DIGITS}g}"


def from_texts(example: WorkedExample, stories: Stories, settings=DEFAULTS, *, n=5) -> pd.DataFrame:
    """Printed scores of the example that come out if its texts, if any, are searched for in our index."""
    rows = []
    if example.texts:
        index = _index(stories, settings)
        queries = reformulate(example.texts.values(), ["raw"])["raw"]
        ids = {
            name: tuple(index.ids[i] if i != NO_DOCUMENT else f"nothing for {name}" for i in documents)
            for name, documents in zip(example.texts, index.search(queries, n).documents, strict=True)
        }
        rankings = {
            candidate: (ids[candidate], {name: ids[name] for name in references})
            for candidate, (_, references) in example.rankings.items()
        }
        agree = worked_example_table(replace(example, rankings=rankings), n=n)["agrees"].sum()
        rows = [("worked example", stories.name, "printed scores that come out from texts", float(agree))]
    columns = ["dataset", "domain", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3])


def same_as_released(example: WorkedExample, tac: Benchmark) -> tuple[int, int]:
    """Number of the example's scores (raw queries) that TAC 2009's file repeats, and of all."""
    same = [
        float(tac.scores.sel(metric=metric, system=system, document=document)) == float(text)
        for candidate, printed in example.sera.items()
        for document, _, system in [candidate.partition(".")]
        for metric, text in zip(SERA[:-1], printed, strict=False)
    ]
    return sum(same), len(same)


@tidy("dataset", "quantity")
def size_table(tac: Benchmark, realsumm: Benchmark):
    """Systems, summaries and references of the two benchmarks, as the paper counts them in §3.1."""
    kinds = list(realsumm.system_type.values())
    counts = {
        (tac.name, "systems"): len(tac.systems),
        (tac.name, "summaries"): tac.human.size,
        (tac.name, "references"): N_REFERENCES * len(tac.documents),
        (realsumm.name, "references"): len(realsumm.documents),
        (realsumm.name, "systems"): len(realsumm.systems),
        (realsumm.name, "extractive systems"): kinds.count("ext"),
        (realsumm.name, "abstractive systems"): kinds.count("abs"),
    }
    for (dataset, quantity), value in counts.items():
        yield {"dataset": dataset, "quantity": quantity, "value": value}


# --- parts of speech


def samples(benchmark: Benchmark, stories: str, *, sample_size: int, rng) -> dict[str, tuple[str, ...]]:
    """Texts drawn from each collection of stories, joined by ``+``, and all references of a benchmark."""
    seed, collections = seed_of(rng), map(datasets.stories, stories.split("+"))
    drawn = {one.name: one.sample(sample_size, rng=stream(seed, one.name)).texts for one in collections}
    return drawn | {f"{benchmark.name} references": sum(benchmark.texts.references.values(), ())}


@tidy("domain", "part_of_speech")
def speech_table(corpora: Mapping[str, Sequence[str]]):
    """Shares of parts of speech among the words of texts, without punctuation."""
    for corpus, texts in corpora.items():
        counts = Counter(kind for text in tag([*map(strip_tags, texts)]) for _, kind in text)
        counts.pop(PUNCTUATION, None)
        n = sum(counts.values())
        if not n:
            raise DataError(f"{corpus}: holds no word")
        shares = {part: sum(counts.pop(kind, 0) for kind in kinds) / n for part, kinds in _SHOWN.items()}
        shares["others"] = sum(counts.values()) / n
        for part, share in shares.items():
            yield {"domain": corpus, "part_of_speech": part, "value": share, "n_words": n}


def interval_dots(results: pd.DataFrame, *, panel: str, sort_by: str) -> go.Figure:
    """Metrics in rows, the best of the panel `sort_by` on top; a dropdown picks the coefficient."""
    leading = results[
        (results[panel] == sort_by) & (results["coefficient"] == results["coefficient"].iloc[0])
    ]
    metrics = leading.sort_values("value", na_position="first")["metric"].tolist()
    return interval_panels(results, panel, metrics, colour="metric")


def speech_bars(table: pd.DataFrame) -> go.Figure:
    """Shares of parts of speech, a bar for each collection."""
    sheet = Panels()
    for place, (domain, rows) in enumerate(table.groupby("domain", sort=False)):
        corpus = words("domain", domain)
        trace = {
            "type": "bar", "x": rows["part_of_speech"], "y": 100 * rows["value"], "name": corpus,
            "marker": {"color": style_of("domain", domain, place).colour},
            "hovertemplate": f"{corpus}<br>%{{x}}: %{{y:.1f}} % of the words<extra></extra>",
        }  # fmt: skip
        sheet.add(trace)
    sheet.x(title="part of speech").y(title="share of the words", ticksuffix=" %")
    return sheet.figure(height=400, barmode="group")


def _compute(*, dataset, stories, queries, cutoffs, repeats, k1, b, seed, **settings) -> pd.DataFrame:
    variants = Variants(queries=queries, cutoffs=cutoffs, repeats=repeats)
    index = IndexSettings(k1=k1, b=b)
    return table(datasets.load(dataset), datasets.stories(stories), variants, index, rng=seed, **settings)


LIVE = live(
    "sera",
    _compute,
    lambda table: interval_dots(table, panel="group", sort_by="mix"),
    "dataset stories queries cutoffs repeats k1 b coefficients n_resamples",
    question="How well does SERA order systems, by what it searches, how, and in which stories?",
    constants="others seed",
    initial={"queries": ("raw",), "n_resamples": 199},
    note="Raw queries are there at first. "
    "Noun phrases (np) and gesera tag all texts, which takes half a minute once.",
)
