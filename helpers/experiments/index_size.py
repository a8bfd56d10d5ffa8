"""experiments.index_size: how SERA's correlation with people changes as the index of stories grows.

A benchmark and collections of stories in, tidy tables out; called by the notebook `index_size` and its live
block. López Espejel et al. 2021, §4.1 and Fig. 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.experiments.sera import analysed
from helpers.kit.explorables import labels_of, table_as_json
from helpers.kit.growing import growing, in_steps
from helpers.kit.live import choices
from helpers.kit.live.choices import COLLECTIONS, QUERIES, TAGGING, WITH_TEXTS
from helpers.kit.live.controls import One, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, GREEN, ORANGE, PURPLE, SKY, VIOLET, Style, correlation_axis
from helpers.kit.told import value_told
from metaeval import datasets
from metaeval.analysis import systems
from metaeval.core.errors import DataError
from metaeval.core.limits import check_count
from metaeval.core.paths import DATA
from metaeval.datasets.readers.stories import Stories
from metaeval.metrics.sera.index import build_index
from metaeval.metrics.sera.scores import Variants, score_queries, text_queries
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, words

_KEYS = ["dataset", "domain", "metric", "query", "overlap", "cutoff", "group", "level", "coefficient"]


@growing
def table(
    benchmark: Benchmark,
    collections: Sequence[Stories],
    variants: Variants,
    *,
    sizes: Sequence[int],
    n_subsets: int = 5,
    groups: Sequence[str] = ("mix",),
    levels: Sequence[str] = ("system",),
    coefficients: Sequence[str] = ("pearson",),
    rng: RNGLike,
    step: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Correlations of all variants of SERA for random indexes that grow, several for each size.

    Each of the `n_subsets` puts a collection in a random order and indexes the first 1,000, 2,000, ... of
    it, so a line of growing indexes is one index to which documents are added. The whole collection is the
    last size of each.

    Parameters
    ----------
    benchmark : Benchmark with texts and human judgments; its scores are not used
    collections : sequence of Stories
    variants : Variants
    sizes : ints
        Stories in an index; those at or above a collection's size are left out for it.
    n_subsets : int, at least 1
        Random orders of each collection.
    groups, levels, coefficients : see `metaeval.analysis.systems.table`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per collection, size, subset and metric
        Columns: dataset, domain (the collection), stories (how many the index holds), is_whole (whether these
        are all), subset, metric, query, overlap, cutoff, group, level, coefficient, value, n_unscored
        (summaries without a score).

    Raises
    ------
    ValueError
        If there are no subsets, or a size is below the greatest cutoff.
    DataError
        If a collection has fewer stories than the greatest cutoff.
    """
    deepest = max(variants.cutoffs)
    check_count("n_subsets", n_subsets)
    too_small = [size for size in sizes if size < deepest]
    if too_small:
        raise ValueError(f"`sizes` must be at least the greatest cutoff ({deepest}), got {too_small}")
    seed = seed_of(rng)
    prepared = text_queries(benchmark.texts, variants)

    def orders(collection: Stories) -> Callable[[int], list[pd.DataFrame]]:
        """Tables of one random order by its number, one for each size."""
        documents = analysed(collection)
        if len(documents) < deepest:
            raise DataError(
                f"{collection.name} holds {len(documents)} documents; the greatest cutoff is {deepest}"
            )
        below = [size for size in sorted(set(sizes)) if size < len(documents)]

        def correlations(subset: int) -> list[pd.DataFrame]:
            order = stream(seed, collection.name, subset).permutation(len(documents))
            frames = []
            for size in [*below, len(documents)] if subset == 0 else below:
                found = score_queries(prepared, build_index(documents.subset(order[:size])), variants)
                correlated = systems.table(
                    benchmark.with_scores(found), groups=groups, levels=levels, coefficients=coefficients
                )
                frames.append(
                    correlated[["dataset", "metric", "group", "level", "coefficient", "value"]].assign(
                        domain=collection.name,
                        stories=size,
                        is_whole=size == len(documents),
                        subset=subset,
                        n_unscored=correlated["metric"].map(found.attrs["n_undefined"]),
                    )
                )
            return frames

        return correlations

    for of_collections in in_steps([*map(orders, collections)], n_subsets, step=step, n_threads=1):
        frames = [frame for of_orders in of_collections for frames in of_orders for frame in frames]
        found = pd.concat(frames, ignore_index=True).merge(variants.described(), on="metric")
        yield check(found, keys=[*_KEYS, "stories", "subset"])


def in_words(bands: pd.DataFrame) -> str:
    """The correlation with the smallest index of each collection and with the whole of it, over all variants.

    Parameters
    ----------
    bands : DataFrame of `size_bands`, of one group, level and coefficient

    Returns
    -------
    str
    """
    said = []
    for domain, part in all_variants(bands).groupby("domain", sort=False):
        part = part.sort_values("stories")
        small, whole = part.iloc[0], part[part["is_whole"]].iloc[0]
        orders = bands.loc[bands["stories"] == small["stories"], "n_subsets"].max()
        smallest = f"{small['value']:.3f} with {small['stories']:,} stories ({orders} random orders)"
        of_all = f"{whole['value']:.3f} with all {whole['stories']:,}"
        said.append(f"{words('domain', domain)} {of_all if small['is_whole'] else f'{smallest}, {of_all}'}")
    n = bands["metric"].nunique()
    coefficient = words("coefficient", bands["coefficient"].iloc[0])
    return f"{coefficient} with people, mean over {n} variants of SERA: {'; '.join(said)}."


def answer(effect: pd.Series, trends: pd.DataFrame, *, small: int) -> dict[str, str]:
    """The page's answer: how much better small indexes do, and whether chance alone could give as much.

    Parameters
    ----------
    effect : the row of `size_effect`
    trends : DataFrame of `size_trends`
    small : int; the size that both are of

    Returns
    -------
    dict
        ``index_size-answer-short``, ``-sure`` and ``-more``; every word is chosen from the numbers.
    """
    ranks = ("worse", "no differently", "better")
    leads = (
        f"SERA with a small index agrees {wording.against(effect['low'], effect['high'], words=ranks)} "
        "with people",
        "SERA's agreement with people is not shown to depend on the size of its index",
        "So few random indexes cannot show whether SERA's agreement with people depends on their size",
    )
    chance = {"smallest": effect["smallest_pvalue"]}
    once = counted_once(trends)
    by_domain = trends.groupby("domain", sort=False)["value"].mean()
    differences = [f"{value:+.3f} ({words('domain', domain)})" for domain, value in by_domain.items()]
    return {
        "index_size-answer-short": (
            f"{wording.beyond_chance(effect['pvalue'], words=leads, **chance)}: with {small:,} stories "
            f"its mean {words('coefficient', effect['coefficient'])} minus that with whole "
            f"collections is {value_told(effect, digits=3)} over random orders alone. With a whole "
            f"collection counted as one draw too, {wording.pvalue(effect['pvalue'], name='p', **chance)}."
        ),
        "index_size-answer-sure": (
            f"On {words('data', effect['dataset'])} the small index is ahead in "
            f"{(once['value'] > 0).sum()} of {len(once)} combinations."
        ),
        "index_size-answer-more": (
            f"By collection the difference is {wording.joined(differences)}. The combinations share their "
            "data, and a whole collection is one index too; from one random index to another the mean over "
            f"the variants has a standard deviation of {effect['standard_deviation']:.2f}."
        ),
    }


def size_bands(results: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation and range of the correlation over the subsets, one row per size and variant.

    Parameters
    ----------
    results : DataFrame of `table`

    Returns
    -------
    DataFrame with the columns of `table` but subset and n_unscored
        `value` is the mean; lowest, highest, standard_deviation (NaN for one subset) and n_subsets are added.
    """
    keys = [column for column in results if column not in ("subset", "value", "n_unscored")]
    bands = results.groupby(keys, sort=False)["value"].agg(
        value="mean", lowest="min", highest="max", standard_deviation="std", n_subsets="size"
    )
    return check(bands.reset_index(), keys=keys)


def all_variants(bands: pd.DataFrame) -> pd.DataFrame:
    """The mean correlation of all variants for each size, under the metric ``"all variants"``.

    Parameters
    ----------
    bands : DataFrame of `size_bands`

    Returns
    -------
    DataFrame with columns dataset, domain, stories, is_whole, group, level, coefficient, metric, value
    """
    keys = ["dataset", "domain", "stories", "is_whole", "group", "level", "coefficient"]
    pooled = bands.groupby(keys, sort=False)["value"].mean().reset_index()
    return check(pooled.assign(metric="all variants"), keys=[*keys, "metric"])


def size_trends(results: pd.DataFrame, *, small: int) -> pd.DataFrame:
    """Does a small index do better? Each variant's mean at one small size against the whole collection.

    Parameters
    ----------
    results : DataFrame of `table`
    small : int; one of its sizes

    Returns
    -------
    DataFrame with columns dataset, domain, metric, query, overlap, cutoff, group, level, coefficient, value
    (mean at the small size minus the correlation with the whole collection), share_better (of the
    small indexes, those that beat the whole one)

    Raises
    ------
    ValueError
        If no index has the small size.
    """
    check_small(small, results["stories"].unique().tolist())
    rows = []
    for key, part in results.groupby(_KEYS, sort=False):
        at_small, at_whole = part[part["stories"] == small], part[part["is_whole"]]
        if at_small.empty or at_whole.empty:
            continue
        whole = at_whole["value"].item()
        rows.append(
            dict(zip(_KEYS, key, strict=True))
            | {
                "value": at_small["value"].mean() - whole,
                "share_better": (at_small["value"] > whole).mean(),
            }
        )
    return check(pd.DataFrame(rows, columns=[*_KEYS, "value", "share_better"]), keys=_KEYS)


def counted_once(trends: pd.DataFrame) -> pd.DataFrame:
    """The trends without those of a query that another one repeats digit by digit, as KW repeats SERA.

    Parameters
    ----------
    trends : DataFrame of `size_trends`, or with its columns domain, overlap, cutoff, value and share_better

    Returns
    -------
    DataFrame with the columns of `trends`
    """
    same = ["domain", "overlap", "cutoff", "value", "share_better"]
    return check(trends.drop_duplicates(same), keys=same)


def check_small(small: int, sizes: Iterable[int]) -> None:
    """Raise unless the small size is one of those that there are indexes of."""
    sizes = list(sizes)
    if small not in sizes:
        raise ValueError(f"`small` must be one of the sizes of an index, {sizes}, got {small}")


def size_effect(results: pd.DataFrame, *, small: int, confidence_level: float = 0.95) -> pd.DataFrame:
    """Do small indexes do better, all variants and collections together?

    Variants see the same stories, summaries and judgments, so they are averaged and not counted. The interval
    is over the random orders (Student's t): what other small indexes of these collections would give beside
    the same wholes. The p-value asks more. A whole collection is one index; had its size not mattered, it
    would be one more draw among the small ones, so the test lets each index of a collection stand for the
    whole, in all combinations over the collections (two-sided). A collection that joins others holds their
    stories again and is left out.

    Parameters
    ----------
    results : DataFrame of `table`
    small : int; one of its sizes
    confidence_level : float

    Returns
    -------
    DataFrame with columns dataset, group, level, coefficient, value (mean at the small size minus the
    correlation with the whole collection), low, high (NaN for one order), standard_deviation (of a single
    small index, mean over collections), pvalue, smallest_pvalue (what the test could have given),
    n_above (of the single small indexes, those above their whole), n_total (single small indexes)
    """
    keys = ["dataset", "group", "level", "coefficient"]
    by_index = results.groupby([*keys, "domain", "stories", "is_whole", "subset"], sort=False)["value"].mean()
    rows = []
    for key, part in by_index.reset_index().groupby(keys, sort=False):
        part = part[~part["domain"].isin(_joined(part["domain"].unique()))]
        wholes = part[part["is_whole"]].set_index("domain")["value"]
        drawn = part[(part["stories"] == small) & ~part["is_whole"]]
        smalls = drawn.pivot(index="domain", columns="subset", values="value")
        if smalls.empty:
            continue
        indexes = np.column_stack([wholes[smalls.index], smalls])  # the whole of each collection comes first
        less_others = (indexes.sum(axis=1, keepdims=True) - indexes) / smalls.shape[1] - indexes
        exchanged = np.abs(reduce(np.add.outer, less_others)).ravel() / len(smalls)
        of_orders = (smalls.sub(wholes[smalls.index], axis=0)).mean(axis=0)
        half = stats.t.ppf((1 + confidence_level) / 2, len(of_orders) - 1) * mean_error(of_orders.to_numpy())
        rows.append(
            dict(zip(keys, key, strict=True))
            | {
                "value": of_orders.mean(),
                "low": of_orders.mean() - half,
                "high": of_orders.mean() + half,
                "standard_deviation": smalls.std(axis=1).mean(),
                "pvalue": (exchanged >= exchanged[0] - DIFFERENCE_TIE).mean(),
                "smallest_pvalue": 1 / exchanged.size,
                "n_above": int((smalls.gt(wholes[smalls.index], axis=0)).to_numpy().sum()),
                "n_total": smalls.size,
            }
        )
    columns = [
        "value",
        "low",
        "high",
        "standard_deviation",
        "pvalue",
        "smallest_pvalue",
        "n_above",
        "n_total",
    ]
    return check(pd.DataFrame(rows, columns=[*keys, *columns]), keys=keys)


def _joined(domains: Sequence[str]) -> list[str]:
    """Collections such as ``"reuters+bbc"`` of which every part is there by itself."""
    return [name for name in domains if "+" in name and set(name.split("+")) <= set(domains)]


def statements(results: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """For how many indexes of each size the paper's statements on CNN/DM (§4.2, Table 2) hold.

    Parameters
    ----------
    results : DataFrame of `table`, with one group, level and coefficient
    benchmark : Benchmark
        The same, whose other metrics SERA is compared with.

    Returns
    -------
    DataFrame with columns dataset, domain, stories, statement, value (share of the random indexes for which
    it holds), n_subsets
        Statements on variants or metrics that are not there are left out.

    Raises
    ------
    DataError
        If there are several groups, levels or coefficients.
    """
    alone = results[["group", "level", "coefficient"]].drop_duplicates()
    if len(alone) != 1:
        raise DataError(f"one group, level and coefficient at a time, got {len(alone)} combinations")
    beside = systems.table(
        benchmark, groups=[*alone["group"]], levels=[*alone["level"]], coefficients=[*alone["coefficient"]]
    ).set_index("metric")["value"]  # fmt: skip
    keys = ["dataset", "domain", "stories", "subset"]
    rows = []
    for key, index in results.groupby(keys, sort=False):
        values = pd.concat([beside, index.set_index("metric")["value"]])
        for statement, holds in _STATEMENTS.items():
            with suppress(KeyError):
                row = dict(zip(keys, key, strict=True))
                rows.append({**row, "statement": statement, "value": float(holds(values))})
    keys = ["dataset", "domain", "stories", "statement"]
    found = pd.DataFrame(rows, columns=[*keys, "value"]).groupby(keys, sort=False)["value"]
    return check(found.agg(value="mean", n_subsets="size").reset_index(), keys=keys)


def _of_sera(values: pd.Series) -> pd.Series:
    return values[values.index.str.startswith("SERA-")]


_COMPARED = ["BERTScore recall", "JS-2", "MoverScore"]
_STATEMENTS: dict[str, Callable[[pd.Series], bool]] = {
    "GeSERA-10 above every variant of SERA": lambda values: values["GeSERA-10"] > _of_sera(values).max(),
    "SERA-KW-10 not below any variant of SERA": lambda values: values["SERA-KW-10"] >= _of_sera(values).max(),
    "every variant of SERA above BERTScore, JS-2 and MoverScore": (
        lambda values: _of_sera(values).min() > values[_COMPARED].max()
    ),
}


def timings() -> tuple[pd.DataFrame, pd.DataFrame]:
    """What ``python -m benchmarks.bench_sera`` measured: against Whoosh, and up to the paper's sizes.

    Returns
    -------
    DataFrame with columns quantity, ours, whoosh, times; DataFrame with columns n_documents, quantity, value
    """
    against, growth = (
        pd.read_csv(DATA / "recorded" / f"bench_sera_{part}.csv") for part in ("whoosh", "growth")
    )
    against = against.rename(columns={"what": "quantity"})
    against["times"] = against["times"].round().astype("Int64")
    growth = growth.rename(columns={"documents": "n_documents"}).melt("n_documents", var_name="quantity")
    return (
        check(against, keys=["quantity"], values=["ours", "whoosh"]),
        check(growth, keys=["n_documents", "quantity"]),
    )


QUERY_LABELS = {
    "raw": "raw: all words",
    "np": "noun phrases",
    "kw": "n-grams",
    "gesera": "GeSERA: nouns, verbs, adjectives",
    "gesera-first": "GeSERA-FIRST",
    "gesera-all": "GeSERA-ALL",
}
# SERA's own colour is one metric's; here four of its queries stand side by side
_STYLES = {
    "raw": Style(VIOLET, "solid", "circle"),
    "np": Style(ORANGE, "dash", "diamond"),
    "kw": Style(SKY, "dot", "square"),
    "gesera": Style(PURPLE, "dashdot", "cross"),
    "gesera-first": Style(GREEN, "dash", "triangle-up"),
    "gesera-all": Style(BLUE, "dot", "x"),
}


def index_size_curves(bands: pd.DataFrame) -> go.Figure:
    """One panel per collection, one line per query over the size of the index, a bar over random indexes.

    A dropdown picks the variant: SERA or SERA-DIS, cut at n, by each coefficient.

    Parameters
    ----------
    bands : DataFrame of `helpers.experiments.index_size.size_bands` for one group and level
    """
    # sizes about double from one to the next; as categories they leave room for queries beside each other
    thousand = [f"{stories / 1000:.3g}" for stories in bands["stories"]]
    bands = _with_family(bands).assign(thousand=thousand).sort_values("stories", kind="stable")
    sheet = marks(
        bands,
        x="thousand",
        y="value",
        mode="lines+markers",
        panel="domain",
        series="query",
        menu="family",
        style=_STYLES,
        name=QUERY_LABELS,
        hover=["n_subsets"],
        ends=("lowest", "highest"),
        digits=2,
        size=7,
        gap=0.03,
    )
    sheet.side_by_side().x(title="thousand stories in the index", type="category")
    return sheet.y(**correlation_axis(bands["lowest"])).menu("Variant", "family").figure(height=480)


def index_size_dots(table: pd.DataFrame) -> go.Figure:
    """Every random index of one size, which a slider moves; a dropdown picks variant and coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.index_size.table` for one group and level
    """
    table = _with_family(table).assign(
        step=np.where(table["is_whole"], np.inf, table["stories"]), asked=table["query"].map(QUERY_LABELS)
    )
    sizes = sorted(table["step"].unique())
    sheet = marks(
        table,
        x="value",
        y="asked",
        series="domain",
        menu="family",
        moved_by="step",
        order=table["asked"].unique().tolist()[::-1],
        labels={"asked": "query"},
        digits=2,
        size=11,
    )
    sheet.x(**correlation_axis([*table["value"], *table.get("low", [])])).menu("Variant", "family")
    labels = ["all" if np.isinf(size) else f"{int(size):,}" for size in sizes]
    return sheet.slider("step", labels=labels, about="Stories in the index: ").figure(height=420)


def _with_family(table: pd.DataFrame) -> pd.DataFrame:
    """With a column family: variant and, where there are several, coefficient."""
    family = table["overlap"] + "-" + table["cutoff"].astype(str)
    if table["coefficient"].nunique() > 1:
        family += ", " + table["coefficient"].map(lambda name: words("coefficient", name))
    return table.assign(family=family)


def index_size_explorable(results: pd.DataFrame) -> dict[str, object]:
    """The panel of growing indexes.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.index_size.table`

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    keys = ["dataset", "domain", "stories", "is_whole", "subset", "metric", "query", "overlap", "cutoff"]
    return {
        "kind": "index_size",
        "alt": "A panel in which the size of the index, the number of documents that count, the query, the "
        "collection and the coefficient can be moved.",
        "words": {
            "coefficient": COEFFICIENT_LABELS,
            "query": QUERY_LABELS,
            "dataset": labels_of(results, "dataset"),
            "domain": labels_of(results, "domain"),
        },
        "tables": {"index_size": table_as_json(results, [*keys, "coefficient"], ["value"])},
    }


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
    tables = table.growing(
        datasets.load(dataset), [datasets.stories(name) for name in collections], variants, sizes=sizes,
        n_subsets=n_subsets, step=1, groups=[group], levels=[level], coefficients=[coefficient], rng=seed,
    )  # fmt: skip
    return map(size_bands, tables)


LIVE = Live(
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
    draw=lambda table, _: index_size_curves(table),
    says=lambda table, _: in_words(table),
    grows="n_subsets",
)
