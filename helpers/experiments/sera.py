"""experiments.sera: SERA and GeSERA beside other metrics, what was released of them, and parts of speech.

Benchmarks and stories in, tidy tables out; called by the notebook `sera` and its live block, and by
`index_size`. López Espejel et al. 2021, §2.2 (Fig. 1), §3.1 and §4.2 (Tables 1 and 2).
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

from helpers.kit.live import choices
from helpers.kit.live.choices import COLLECTIONS, QUERIES, TAGGING, WITH_TEXTS
from helpers.kit.live.controls import One, Real, Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import interval_panels
from helpers.kit.panels import Panels
from helpers.kit.theme import style_of
from helpers.kit.told import value_told
from metaeval import datasets
from metaeval.analysis import systems, tests
from metaeval.core.errors import DataError
from metaeval.datasets.readers.gesera import N_REFERENCES, SERA, WorkedExample
from metaeval.datasets.readers.stories import Stories
from metaeval.metrics.sera.index import (
    NO_DOCUMENT,
    AnalysedDocuments,
    DocumentIndex,
    IndexSettings,
    analyse,
    build_index,
)
from metaeval.metrics.sera.overlap import sera, sera_dis
from metaeval.metrics.sera.queries import reformulate
from metaeval.metrics.sera.scores import Variants, score_queries, text_queries
from metaeval.metrics.sera.stored import open_or_build
from metaeval.metrics.text import (
    ADJECTIVE,
    NOUN,
    NOUNS,
    PREPOSITION,
    PUNCTUATION,
    VERB,
    VERBS,
    tag,
    without_tags,
)
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import SURE_DIGITS, prints_as, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Texts
from metaeval.tables.columns import check
from metaeval.tables.labels import words

_SHOWN = {NOUN: NOUNS, VERB: VERBS, ADJECTIVE: {ADJECTIVE}, PREPOSITION: {PREPOSITION}}  # name -> classes
OTHERS = "others"


# --- SERA from texts


def table(
    benchmark: Benchmark,
    stories: Stories,
    variants: Variants,
    settings: IndexSettings | None = None,
    *,
    others: Sequence[str] = (),
    groups: Sequence[str] = systems.GROUPS,
    levels: Sequence[str] = ("system",),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 499,
    rng: RNGLike,
) -> pd.DataFrame:
    """Correlation of SERA's variants and other metrics with people, with bootstrap intervals.

    Parameters
    ----------
    benchmark : Benchmark with texts
    stories : Stories
        What summaries are looked up in.
    variants : Variants
    settings : IndexSettings, by default k1 = 1.2, b = 0.75
    others : metrics to stand beside SERA, of which the benchmark may lack some
    groups, levels, coefficients, n_resamples, rng : see `metaeval.analysis.systems.table`
        Systems and documents are drawn again.

    Returns
    -------
    DataFrame as `metaeval.analysis.systems.table` gives, with columns low and high
    """
    found = scores(benchmark, stories, variants, settings)
    beside = benchmark.scores.sel(metric=[name for name in others if name in benchmark.metrics])
    scored = benchmark.with_scores(xr.concat([beside, found], "metric"))
    table = systems.table(
        scored, groups=groups, levels=levels, coefficients=coefficients,
        method="Boot-Both", n_resamples=n_resamples, rng=rng,
    ).assign(domain=stories.name)  # fmt: skip
    return check(table, keys=["dataset", "domain", "group", "level", "coefficient", "metric"])


def readings(
    benchmark: Benchmark,
    stories: Stories,
    variants: Variants,
    settings: IndexSettings | None = None,
    *,
    group: str = "mix",
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
) -> pd.DataFrame:
    """System-level correlation of SERA's variants where a query's word counts once, and as often as it comes.

    The paper's engine counts it once; the paper's words say neither.

    Parameters
    ----------
    benchmark, stories, settings : see `table`
    variants : Variants, whose `repeats` does not matter
    group, coefficients : see `metaeval.analysis.systems.table`

    Returns
    -------
    DataFrame as `metaeval.analysis.systems.table` gives, with domain and counting ("once", "each")
    """
    frames = [
        systems.table(
            benchmark.with_scores(scores(benchmark, stories, replace(variants, repeats=repeats), settings)),
            groups=[group], levels=["system"], coefficients=coefficients,
        ).assign(counting=counting)
        for counting, repeats in (("once", False), ("each", True))
    ]  # fmt: skip
    keys = ["dataset", "domain", "group", "level", "coefficient", "metric", "counting"]
    return check(pd.concat(frames, ignore_index=True).assign(domain=stories.name), keys=keys)


FAMILIES = {
    "SERA, all queries": r"SERA-",
    "GeSERA": r"GeSERA-(DIS-)?[0-9]",
    "BERTScore and JS-2": r"BERTScore recall|JS-2",
}


def spreads(results: pd.DataFrame) -> pd.DataFrame:
    """How far the correlations of a family of variants lie apart: the highest minus the lowest.

    Parameters
    ----------
    results : DataFrame of `table`

    Returns
    -------
    DataFrame with columns dataset, domain, group, level, coefficient, metric, value, n_metrics
        The metric is a name of `FAMILIES`; one of which fewer than two were computed is left out.
    """
    keys = ["dataset", "domain", "group", "level", "coefficient"]
    frames = []
    for family, pattern in FAMILIES.items():
        members = results[results["metric"].str.match(pattern)]
        spread = members.groupby(keys, sort=False)["value"].agg(
            value=lambda values: values.max() - values.min(), n_metrics="size"
        )
        frames.append(spread[spread["n_metrics"] > 1].reset_index().assign(metric=family))
    return check(
        pd.concat(frames, ignore_index=True).assign(quantity="range of correlations"), keys=[*keys, "metric"]
    )


def scores(
    benchmark: Benchmark, stories: Stories, variants: Variants, settings: IndexSettings | None = None
) -> xr.DataArray:
    """SERA of every summary of a benchmark; what was computed before is kept.

    Parameters
    ----------
    benchmark, stories, variants, settings : see `table`

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document), NaN where nothing could be looked up
    """
    settings = settings or IndexSettings()
    planes = [
        _scores(benchmark.texts, stories, replace(variants, queries=(query,)), settings)
        for query in variants.queries
    ]
    return xr.concat(planes, "metric", combine_attrs="drop")


@lru_cache(maxsize=4)
def analysed(stories: Stories) -> AnalysedDocuments:
    """Stories cut into terms; what was cut before is kept."""
    return analyse(stories)


# what a live block asks for again and again
@lru_cache(maxsize=64)
def _scores(texts: Texts, stories: Stories, variants: Variants, settings: IndexSettings) -> xr.DataArray:
    return score_queries(text_queries(texts, variants), _index(stories, settings), variants)


@lru_cache(maxsize=4)
def _index(stories: Stories, settings: IndexSettings) -> DocumentIndex:
    """The index; of the default settings it is kept on disk, of others built again in some seconds."""
    if settings == IndexSettings():
        return open_or_build(stories.name, stories, settings)
    return build_index(analysed(stories), settings)


def n_undefined(
    benchmark: Benchmark, stories: Stories, variants: Variants, settings: IndexSettings | None = None
) -> int:
    """How many scores do not exist, for want of a query or of documents, over all variants.

    Parameters
    ----------
    benchmark, stories, variants, settings : see `table`

    Returns
    -------
    int
    """
    return int(scores(benchmark, stories, variants, settings).isnull().sum())


def equal_cells(
    benchmark: Benchmark, stories: Stories, variants: Variants, settings: IndexSettings | None = None
) -> tuple[int, int]:
    """On how many summaries two variants give the same score, and how many summaries there are.

    Parameters
    ----------
    benchmark, stories, settings : see `table`
    variants : Variants
        Two of them.

    Returns
    -------
    equal, all : int
    """
    first, second = scores(benchmark, stories, variants, settings)
    return int((first.to_numpy() == second.to_numpy()).sum()), first.size


# --- what was released


def by_set(
    tac: Benchmark, *, coefficients: Sequence[str] = ("pearson", "spearman", "kendall")
) -> pd.DataFrame:
    """Correlations on TAC 2009's first summaries of a topic (set A), its updates (set B), and both.

    Parameters
    ----------
    tac : Benchmark
    coefficients : see `metaeval.analysis.systems.table`

    Returns
    -------
    DataFrame as `metaeval.analysis.systems.table` gives, at system level, with the column document_set
    """
    sets = {"A and B": tac.documents} | {
        name: [document for document in tac.documents if document.endswith(f"-{name}")] for name in ("A", "B")
    }
    frames = [
        systems.table(
            tac.select(documents=documents), groups=["all"], levels=["system"], coefficients=coefficients
        ).assign(document_set=name)
        for name, documents in sets.items()
        if documents
    ]
    return check(pd.concat(frames, ignore_index=True), keys=["document_set", "coefficient", "metric"])


def broken_ties(tac: Benchmark, *, metric: str = "SERA-5") -> pd.DataFrame:
    """Kendall's tau-b where systems' means are equal on paper: with these ties, and as sums of floats.

    The released script compares sums of floats, so systems that are equal on paper are ordered by rounding.

    Parameters
    ----------
    tac : Benchmark
    metric : str

    Returns
    -------
    DataFrame with columns quantity, n_distinct (different means), value
    """
    human = tac.human.mean("document").to_numpy()
    plain = tac.metric(metric).mean("document").to_numpy()
    exact = system_means(tac.metric(metric).to_numpy())
    rows = [
        {"quantity": name, "n_distinct": len(np.unique(means)), "value": kendalltau(means, human).statistic}
        for name, means in (("ties on paper", exact), ("as summed in floating point", plain))
    ]
    return check(pd.DataFrame(rows), keys=["quantity"])


def released(
    tac: Benchmark,
    *,
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 499,
    rng: RNGLike,
) -> pd.DataFrame:
    """Correlations on TAC of the released scores with every human judgment.

    Parameters
    ----------
    tac : Benchmark
    coefficients, n_resamples, rng : see `metaeval.analysis.systems.table`

    Returns
    -------
    DataFrame as `metaeval.analysis.systems.table` gives, with the columns domain ("released") and judgment
        Intervals (low, high) stand beside the correlations with the first judgment only.
    """
    frames = []
    for judgment in tac.judgments:
        method = "Boot-Both" if judgment == tac.judgments[0] else None
        found = systems.table(
            tac.judged_by(judgment), groups=["all"], coefficients=coefficients,
            method=method, n_resamples=n_resamples, rng=rng,
        )  # fmt: skip
        frames.append(found.assign(judgment=judgment))
    keys = ["dataset", "domain", "judgment", "group", "level", "coefficient", "metric"]
    return check(pd.concat(frames, ignore_index=True).assign(domain="released"), keys=keys)


def rivals(tac: Benchmark, *, metric: str = "SERA-5", n_resamples: int = 499, rng: RNGLike) -> pd.DataFrame:
    """Is a metric better or worse than each variant of ROUGE by Pearson's r with the first judgment?

    Parameters
    ----------
    tac : Benchmark
    metric : str
    n_resamples, rng : see `metaeval.analysis.tests.table`

    Returns
    -------
    DataFrame of `metaeval.analysis.tests.table`, two-sided and not corrected for the number of tests
    """
    rouge = [name for name in tac.metrics if name.startswith("ROUGE")]
    judged = tac.judged_by(tac.judgments[0])
    return tests.table(
        judged, metrics=[metric], rivals=rouge, methods=["Perm-Both", "Williams"], alternative="two-sided",
        correction="none", n_resamples=n_resamples, rng=rng,
    )  # fmt: skip


def answer(
    found: pd.DataFrame, results: pd.DataFrame, computed: pd.DataFrame, *, alpha: float = wording.ALPHA
) -> dict[str, str]:
    """The page's answer: a metric beside ROUGE where its scores were released, and all that is computed.

    Parameters
    ----------
    found : DataFrame of `rivals`
    results : DataFrame of `released`, with intervals
        Their first judgment and coefficient.
    computed : DataFrame of `table`, of one group and level
        Its first coefficient.
    alpha : float
        Of the tests.

    Returns
    -------
    dict
        ``sera-answer-short`` and ``sera-answer-sure``; every word is chosen from the numbers.
    """
    metric = found["metric"].iloc[0]
    first = results[results["judgment"] == results["judgment"].iloc[0]]
    first = first[(first["coefficient"] == first["coefficient"].iloc[0]) & (first["metric"] == metric)]
    clear = found[found["pvalue"] <= alpha]
    n = found["rival"].nunique()
    told = []
    for row in first.itertuples():
        of_level = clear[clear["level"] == row.level].groupby("method")["value"]
        above, below = of_level.agg(lambda v: (v > 0).sum()), of_level.agg(lambda v: (v < 0).sum())
        permuted, williams = ((above.get(by, 0), below.get(by, 0)) for by in ("Perm-Both", "Williams"))
        of = "" if told else f" of {n} variants of ROUGE"
        sides = f"beats {permuted[0]}{of} and loses to {permuted[1]} at {words('level', row.level)}"
        told.append(f"{sides} (Williams: {williams[0]}, {williams[1]}; {value_told(row)})")
    row = first.iloc[0]
    return {
        "sera-answer-short": (
            f"On {words('data', row['dataset'])}, {metric} {', '.join(told)} "
            f"({words('coefficient', row['coefficient'])}, uncorrected Perm-Both tests)."
        ),
        "sera-answer-sure": _ranges_told(
            computed[computed["coefficient"] == computed["coefficient"].iloc[0]]
        ),
    }


def _ranges_told(computed: pd.DataFrame) -> str:
    """The range of correlations of each family of metrics."""
    row, told = computed.iloc[0], []
    for family in ("SERA", "GeSERA", "ROUGE"):
        values = computed.loc[computed["metric"].str.startswith(family), "value"]
        if len(values):
            told.append(f"{family} {wording.extent(values)}")
    where = f"On {words('data', row['dataset'])}, {words('level', row['level'])}"
    return f"{where}: {', '.join(told)}."


def undefined_told(n: int) -> str:
    """Whether all scores exist.

    Parameters
    ----------
    n : int
        As `n_undefined` counts.

    Returns
    -------
    str
    """
    if not n:
        return "Every summary has every score."
    return f"Undefined, because the query or the list of results was empty: {wording.counted(n, 'score')}."


def worked_example_table(example: WorkedExample, *, n: int = 5) -> pd.DataFrame:
    """Our scores for the documents that the release retrieved, beside the scores that it printed.

    Parameters
    ----------
    example : WorkedExample
    n : int
        The cutoff that the printed scores are of.

    Returns
    -------
    DataFrame with columns candidate, metric ("SERA-5", "SERA-DIS-5"), reference (or "mean"), measured,
    printed (text, without the digits that floating point adds), agrees (equal at the printed digits)
    """
    ranked = [r for found, others in example.rankings.values() for r in (found, *others.values())]
    number = {name: i for i, name in enumerate(sorted({name for names in ranked for name in names}))}
    rows = []
    for candidate, (found, references) in example.rankings.items():
        left = np.array([number[name] for name in found])
        right = np.array([[number[name] for name in names] for names in references.values()])
        labels = [name.partition(".")[2] for name in references]
        for score, measure, printed in (
            ("SERA", sera, example.sera),
            ("SERA-DIS", sera_dis, example.sera_dis),
        ):
            if candidate not in printed:
                raise DataError(f"the worked example prints no {score} of {candidate}")
            values = measure(left, right, n=n)
            for reference, value, text in zip(
                [*labels, "mean"], [*values, values.mean()], printed[candidate], strict=True
            ):
                rows.append(
                    {
                        "candidate": candidate,
                        "metric": f"{score}-{n}",
                        "reference": reference,
                        "measured": value,
                        "printed": _without_noise(text),
                        "agrees": prints_as(value, text),
                    }
                )
    keys = ["candidate", "metric", "reference"]
    table = pd.DataFrame(rows, columns=[*keys, "measured", "printed", "agrees"])
    return check(table, keys=keys, values=["measured", "printed"])


def _without_noise(text: str) -> str:
    """A printed number without digits that only floating point adds: 0.7 for 0.7000000000000001."""
    return text if len(text) <= SURE_DIGITS else f"{float(text):.{SURE_DIGITS}g}"


def from_texts(
    example: WorkedExample, stories: Stories, settings: IndexSettings | None = None, *, n: int = 5
) -> pd.DataFrame:
    """How many printed scores of the worked example come out if its texts are searched for in our index.

    Parameters
    ----------
    example : WorkedExample
    stories : Stories
        Of the release's own articles of Wikipedia, to say anything of its engine.
    settings : IndexSettings, by default k1 = 1.2, b = 0.75
    n : int
        See `worked_example_table`.

    Returns
    -------
    DataFrame with columns dataset, domain (the stories), quantity, value; no rows without texts
    """
    rows = []
    if example.texts:
        index = _index(stories, settings or IndexSettings())
        queries = reformulate(example.texts.values(), ["raw"])["raw"]
        hits = index.search(queries, n).documents
        found = {
            name: tuple(index.ids[i] if i != NO_DOCUMENT else f"nothing for {name}" for i in documents)
            for name, documents in zip(example.texts, hits, strict=True)
        }
        rankings = {
            candidate: (found[candidate], {name: found[name] for name in references})
            for candidate, (_, references) in example.rankings.items()
        }
        agree = worked_example_table(replace(example, rankings=rankings), n=n)["agrees"].sum()
        rows = [("worked example", stories.name, "printed scores that come out from texts", float(agree))]
    columns = ["dataset", "domain", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3])


def same_as_released(example: WorkedExample, tac: Benchmark) -> tuple[int, int]:
    """How many scores of the worked example (raw queries) TAC 2009's file repeats, and how many there are.

    Parameters
    ----------
    example : WorkedExample
    tac : Benchmark of TAC 2009

    Returns
    -------
    same, all : int
    """
    found = [
        float(tac.scores.sel(metric=metric, system=system, document=document)) == float(text)
        for candidate, printed in example.sera.items()
        for document, _, system in [candidate.partition(".")]
        for metric, text in zip(SERA[:-1], printed, strict=False)
    ]
    return sum(found), len(found)


def size_table(tac: Benchmark, realsumm: Benchmark) -> pd.DataFrame:
    """How many systems, summaries and references the two benchmarks hold, as the paper counts them in §3.1.

    Parameters
    ----------
    tac, realsumm : Benchmark

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    kinds = list(realsumm.system_type.values())
    counted = [
        (tac.name, "systems", len(tac.systems)),
        (tac.name, "summaries", tac.human.size),
        (tac.name, "references", N_REFERENCES * len(tac.documents)),
        (realsumm.name, "references", len(realsumm.documents)),
        (realsumm.name, "systems", len(realsumm.systems)),
        (realsumm.name, "extractive systems", kinds.count("ext")),
        (realsumm.name, "abstractive systems", kinds.count("abs")),
    ]
    table = pd.DataFrame(counted, columns=["dataset", "quantity", "value"])
    return check(table, keys=["dataset", "quantity"])


# --- parts of speech


def samples(
    benchmark: Benchmark, stories: str, *, sample_size: int, rng: RNGLike
) -> dict[str, tuple[str, ...]]:
    """Some texts of each collection of stories, and all references of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark with texts
    stories : str
        Names of collections, joined by ``+``.
    sample_size : int
        Texts of each collection.
    rng : seed, Generator or None

    Returns
    -------
    dict, name of the collection -> texts
    """
    seed = seed_of(rng)
    collections = [datasets.stories(name) for name in stories.split("+")]
    drawn = {
        collection.name: collection.sample(sample_size, rng=stream(seed, collection.name)).texts
        for collection in collections
    }
    return drawn | {f"{benchmark.name} references": sum(benchmark.texts.references.values(), ())}


def speech_table(corpora: Mapping[str, Sequence[str]], *, tagger: str = "hanta") -> pd.DataFrame:
    """The share of nouns, verbs, adjectives, prepositions and everything else among the words.

    Parameters
    ----------
    corpora : mapping, name -> texts
    tagger : see `metaeval.metrics.text.tag`

    Returns
    -------
    DataFrame with columns domain (the collection), part_of_speech, value (share of the words, without
    punctuation), n_words

    Raises
    ------
    DataError
        If a collection holds no word.
    """
    rows = []
    for corpus, texts in corpora.items():
        counted = Counter(kind for text in tag(map(without_tags, texts), tagger=tagger) for _, kind in text)
        counted.pop(PUNCTUATION, None)
        words = sum(counted.values())
        if not words:
            raise DataError(f"{corpus}: holds no word")
        shares = {part: sum(counted.pop(kind, 0) for kind in kinds) / words for part, kinds in _SHOWN.items()}
        shares[OTHERS] = sum(counted.values()) / words
        rows += [
            {"domain": corpus, "part_of_speech": part, "value": share, "n_words": words}
            for part, share in shares.items()
        ]
    return check(pd.DataFrame(rows), keys=["domain", "part_of_speech"])


def share_range(speech: pd.DataFrame, part_of_speech: str) -> tuple[float, float]:
    """The least and the greatest share of a part of speech over the collections.

    Parameters
    ----------
    speech : DataFrame of `speech_table`
    part_of_speech : str

    Returns
    -------
    least, most : float in [0, 1]
    """
    shares = speech.loc[speech["part_of_speech"] == part_of_speech, "value"]
    return float(shares.min()), float(shares.max())


def speech_results(speech: pd.DataFrame) -> pd.DataFrame:
    """A table of tagged words as results that claims can be checked against.

    Parameters
    ----------
    speech : DataFrame of `speech_table`

    Returns
    -------
    DataFrame, the rows of `speech` with the column metric in place of part_of_speech, and the column dataset
    """
    results = speech.rename(columns={"part_of_speech": "metric"}).assign(dataset="speech")
    return check(results, keys=["domain", "metric"])


def interval_dots(results: pd.DataFrame, *, panel: str, sort_by: str) -> go.Figure:
    """One row per metric with its correlation and interval; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame with columns metric, coefficient, value, low, high and `panel`
    panel : {"level", "group"}
        The column with one panel per value.
    sort_by : the panel whose first coefficient orders the metrics, best on top
    """
    leading = results[
        (results[panel] == sort_by) & (results["coefficient"] == results["coefficient"].iloc[0])
    ]
    metrics = leading.sort_values("value", na_position="first")["metric"].tolist()
    return interval_panels(results, panel, metrics, colour="metric")


def speech_bars(table: pd.DataFrame) -> go.Figure:
    """Shares of parts of speech, one bar per collection.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.sera.speech_table`
    """
    sheet = Panels()
    for place, (domain, rows) in enumerate(table.groupby("domain", sort=False)):
        corpus = words("domain", domain)
        sheet.add(
            {
                "type": "bar",
                "x": rows["part_of_speech"],
                "y": 100 * rows["value"],
                "name": corpus,
                "marker": {"color": style_of("domain", domain, place).colour},
                "hovertemplate": f"{corpus}<br>%{{x}}: %{{y:.1f}} % of the words<extra></extra>",
            }
        )
    sheet.x(title="part of speech").y(title="share of the words", ticksuffix=" %")
    return sheet.figure(height=400, barmode="group")


def _compute(
    *, dataset, stories, queries, cutoffs, repeats, k1, b, others, coefficients, n_resamples, seed, tagger
) -> pd.DataFrame:
    return table(
        datasets.load(dataset), datasets.stories(stories),
        Variants(queries=queries, cutoffs=cutoffs, repeats=repeats, tagger=tagger), IndexSettings(k1=k1, b=b),
        others=others, coefficients=coefficients, n_resamples=n_resamples, rng=seed,
    )  # fmt: skip


LIVE = Live(
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
    draw=lambda table, _: interval_dots(table, panel="group", sort_by="mix"),
)
