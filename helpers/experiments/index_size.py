"""experiments.index_size: do small indexes of stories make SERA agree better with people than large ones?

López Espejel et al. 2021, §4.1 and Fig. 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.draws import accumulate_trials, growing
from helpers.kit.explorables import labels_of, table_as_json
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import GREY, VIOLET, Style, correlation_axis, faint
from metaeval import datasets
from metaeval.analysis import systems
from metaeval.core.errors import DataError
from metaeval.core.limits import check_count
from metaeval.core.paths import DATA
from metaeval.datasets.readers.stories import Stories
from metaeval.metrics.sera.index import analysed, build_index
from metaeval.metrics.sera.scores import Variants, sera_scores
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS

_KIND = ["group", "level", "coefficient"]
_KEYS = ["dataset", "domain", "metric", "query", "overlap", "cutoff", *_KIND]
ALL = "all variants"
QUERY_LABELS = {
    "raw": "raw: all words",
    "np": "noun phrases",
    "kw": "n-grams",
    "gesera": "GeSERA: nouns, verbs, adjectives",
    "gesera-first": "GeSERA-FIRST",
    "gesera-all": "GeSERA-ALL",
}


@growing
def table(
    benchmark: Benchmark, collections: Sequence[Stories], variants: Variants, *, sizes, n_subsets=5,
    groups=("mix",), levels=("system",), coefficients=("pearson",), rng, step=None,
):  # fmt: skip
    """Correlations of SERA's variants for growing indexes, in several random orders of each collection."""
    # the whole collection is the last size, once; larger sizes are left out
    deepest = max(variants.cutoffs)
    check_count("n_subsets", n_subsets)
    too_small = [size for size in sizes if size < deepest]
    if too_small:
        raise ValueError(f"`sizes` must be at least the greatest cutoff ({deepest}), got {too_small}")
    seed = seed_of(rng)
    choices = {"groups": groups, "levels": levels, "coefficients": coefficients}

    def orders(collection: Stories) -> Callable[[int], list[pd.DataFrame]]:
        """Tables of one random order by its number, one for each size."""
        documents = analysed(collection)
        n = len(documents)
        if n < deepest:
            raise DataError(f"{collection.name} holds {n} documents; the greatest cutoff is {deepest}")
        below = [size for size in sorted(set(sizes)) if size < n]

        def correlations(subset: int) -> list[pd.DataFrame]:
            order = stream(seed, collection.name, subset).permutation(n)
            frames = []
            for size in [*below, n] if subset == 0 else below:
                scores = sera_scores(benchmark.texts, build_index(documents.subset(order[:size])), variants)
                rows = systems.table(benchmark.with_scores(scores), **choices)
                n_unscored = rows["metric"].map(scores.attrs["n_undefined"])
                index = {"domain": collection.name, "stories": size, "is_whole": size == n, "subset": subset}
                rows = rows[["dataset", "metric", *_KIND, "value"]]
                frames.append(rows.assign(**index, n_unscored=n_unscored))
            return frames

        return correlations

    for parts in accumulate_trials([*map(orders, collections)], n_subsets, step=step, n_threads=1):
        frames = [frame for collection in parts for order in collection for frame in order]
        rows = pd.concat(frames, ignore_index=True).merge(variants.table(), on="metric")
        yield check(rows, keys=[*_KEYS, "stories", "subset"])


def size_bands(results: pd.DataFrame) -> pd.DataFrame:
    """Mean, range and standard deviation of the correlation over the random orders, by size and variant."""
    keys = [column for column in results if column not in ("subset", "value", "n_unscored")]
    bands = results.groupby(keys, sort=False)["value"].agg(
        value="mean", lowest="min", highest="max", standard_deviation="std", n_subsets="size"
    )
    return check(bands.reset_index(), keys=keys)


def all_variants(results: pd.DataFrame) -> pd.DataFrame:
    """The mean correlation of all variants in each index, under the metric `ALL`."""
    keys = ["dataset", "domain", "stories", "is_whole", "subset", *_KIND]
    pooled = results.groupby(keys, sort=False)["value"].mean().reset_index()
    return check(pooled.assign(metric=ALL), keys=[*keys, "metric"])


def both_bands(results: pd.DataFrame) -> pd.DataFrame:
    """`size_bands` of each variant and, below them, of their mean."""
    return pd.concat([size_bands(results), size_bands(all_variants(results))], ignore_index=True)


def size_trends(results: pd.DataFrame, *, small: int) -> pd.DataFrame:
    """Each variant's mean at a small size minus that of the whole."""
    check_small(small, results["stories"].unique().tolist())
    rows = []
    for key, part in results.groupby(_KEYS, sort=False):
        smalls, wholes = (part.loc[one, "value"] for one in (part["stories"] == small, part["is_whole"]))
        if len(smalls) and len(wholes):
            rows.append((*key, smalls.mean() - wholes.item()))
    return check(pd.DataFrame(rows, columns=[*_KEYS, "value"]), keys=_KEYS)


def check_small(small: int, sizes: Iterable[int]) -> None:
    """Raise unless the small size is one of those that there are indexes of."""
    sizes = list(sizes)
    if small not in sizes:
        raise ValueError(f"`small` must be one of the sizes of an index, {sizes}, got {small}")


def size_effect(results: pd.DataFrame, *, small: int, confidence_level=0.95) -> pd.DataFrame:
    """Mean of all variants at a small size minus the whole collections', with its interval and p-value."""
    # Variants see the same stories, summaries and judgments, so they are averaged and not counted. The
    # interval is over the random orders (Student's t): what other small indexes would give beside the same
    # wholes; NaN for one order. The p-value asks more: had the size not mattered, a whole collection would be
    # one more draw among the small ones, so each index of a collection stands for the whole, in all
    # combinations over the collections (two-sided). A collection that joins others holds their stories again
    # and is left out.
    keys = ["dataset", *_KIND]
    index = ["domain", "stories", "is_whole", "subset"]
    means, rows = results.groupby([*keys, *index], sort=False)["value"].mean().reset_index(), []
    for key, part in means.groupby(keys, sort=False):
        part = part[~part["domain"].isin(_joined(part["domain"].unique()))]
        wholes = part[part["is_whole"]].set_index("domain")["value"]
        drawn = part[(part["stories"] == small) & ~part["is_whole"]]
        smalls = drawn.pivot(index="domain", columns="subset", values="value")
        if smalls.empty:
            continue
        wholes = wholes[smalls.index]
        indexes = np.column_stack([wholes, smalls])  # the whole of each collection comes first
        less_others = (indexes.sum(axis=1, keepdims=True) - indexes) / smalls.shape[1] - indexes
        exchanged = np.abs(reduce(np.add.outer, less_others)).ravel() / len(smalls)
        orders = smalls.sub(wholes, axis=0).mean(axis=0)
        half = stats.t.ppf((1 + confidence_level) / 2, len(orders) - 1) * mean_error(orders.to_numpy())
        mean, n_above = orders.mean(), int(smalls.gt(wholes, axis=0).to_numpy().sum())
        pvalue, smallest = (exchanged >= exchanged[0] - DIFFERENCE_TIE).mean(), 1 / exchanged.size
        deviation = smalls.std(axis=1).mean()
        numbers = mean, mean - half, mean + half, wholes.mean(), deviation, pvalue, smallest
        rows.append((*key, *numbers, n_above, smalls.size))
    columns = [*keys, "value", "low", "high", "whole_mean", "standard_deviation", "pvalue", "smallest_pvalue"]
    return check(pd.DataFrame(rows, columns=[*columns, "n_above", "n_total"]), keys=keys)


def _joined(domains: Sequence[str]) -> list[str]:
    """Collections such as ``"reuters+bbc"`` of which every part is there by itself."""
    return [name for name in domains if "+" in name and set(name.split("+")) <= set(domains)]


def timings() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Timings by ``python -m benchmarks.bench_sera``: against Whoosh, and up to the paper's sizes."""
    whoosh, growth = (
        pd.read_csv(DATA / "recorded" / f"bench_sera_{part}.csv") for part in ("whoosh", "growth")
    )
    whoosh = whoosh.rename(columns={"what": "quantity"})
    whoosh["times"] = whoosh["times"].round().astype("Int64")
    growth = growth.rename(columns={"documents": "n_documents"}).melt("n_documents", var_name="quantity")
    whoosh = check(whoosh, keys=["quantity"], values=["ours", "whoosh"])
    return whoosh, check(growth, keys=["n_documents", "quantity"])


def merged_labels(table: pd.DataFrame) -> dict[str, str]:
    """Labels of the queries with numbers of their own; KW can repeat SERA digit by digit."""
    values = {query: part["value"].to_numpy() for query, part in table.groupby("query", sort=False)}
    labels: dict[str, str] = {}
    for query, numbers in values.items():
        same = [name for name in labels if np.array_equal(values[name], numbers, equal_nan=True)]
        first = same[0] if same else query
        labels[first] = f"{labels[first]}, or {QUERY_LABELS[query]}" if same else QUERY_LABELS[query]
    return labels


def index_size_curves(bands: pd.DataFrame) -> go.Figure:
    """Mean of all variants over the index's size with its range, and each variant in grey behind it."""
    # sizes about double from one to the next
    thousand = [f"{stories / 1000:.3g}" for stories in bands["stories"]]
    bands = bands.assign(thousand=thousand).sort_values("stories", kind="stable")
    shared = {"x": "thousand", "y": "value", "mode": "lines", "panel": "domain", "menu": "coefficient"}
    shared |= {"hover": ["n_subsets"], "ends": ("lowest", "highest"), "digits": 2}
    variants, mean = bands[bands["metric"] != ALL], bands[bands["metric"] == ALL]
    faded = dict.fromkeys(variants["metric"].unique(), Style(faint(GREY, 0.45)))
    sheet = marks(variants, series="metric", style=faded, bars=False, gap=0.03, **shared)
    for trace in sheet.data:
        trace["showlegend"] = False
    shared["mode"] = "lines+markers"
    marks(mean, series="metric", style={ALL: Style(VIOLET)}, sheet=sheet, **shared)
    sheet.x(title="thousand stories", type="category").y(**correlation_axis(variants["value"]))
    return sheet.menu("Coefficient", "coefficient").figure(height=420, showlegend=False)


def index_size_explorable(results: pd.DataFrame) -> dict[str, object]:
    """The panel of growing indexes."""
    keys = ["dataset", "domain", "stories", "is_whole", "subset", "metric", "query", "overlap", "cutoff"]
    queries = merged_labels(results)
    results = results[results["query"].isin(queries.keys())]
    named = {column: labels_of(results, column) for column in ("dataset", "domain")}
    return {
        "kind": "index_size",
        "alt": "A panel in which the size of the index, the number of documents that count, the query, the "
        "collection and the coefficient can be moved.",
        "words": {"coefficient": COEFFICIENT_LABELS, "query": queries, **named},
        "tables": {"index_size": table_as_json(results, [*keys, "coefficient"], ["value"])},
    }


def _compute(
    *, dataset, collections, queries, cutoffs, repeats, group, coefficient, level, seed, **settings
) -> Iterator[pd.DataFrame]:
    variants = Variants(queries=queries, cutoffs=cutoffs, repeats=repeats)
    tables = table.growing(
        datasets.load(dataset), [datasets.stories(name) for name in collections], variants, step=1,
        groups=[group], levels=[level], coefficients=[coefficient], rng=seed, **settings,
    )  # fmt: skip
    return map(both_bands, tables)


LIVE = live(
    "index_size",
    _compute,
    index_size_curves,
    "dataset collections sizes n_subsets queries cutoffs repeats group level coefficient",
    question="How much does SERA depend on how many stories it searches?",
    constants="seed",
    initial={"collections": ("bbc",), "n_subsets": 3, "queries": ("raw",)},
    progressive="n_subsets",
    note="One collection and raw queries are there at first. "
    "Noun phrases (np) and gesera tag all texts, which takes half a minute once.",
)
