"""experiments.disagreements: where two releases, or a release and its paper, do not say the same.

Benchmarks in, tidy tables out; called by the notebook `disagreements`. Each table counts the evidence for one
section of that page; what other pages compute is taken from their experiments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import xarray as xr

from helpers.experiments import annotations, lite3, pairs, protocols, summaries
from helpers.kit import claims
from metaeval.core.errors import DataError, listing
from metaeval.core.paths import DATA, read_yaml
from metaeval.datasets.readers.alignment import match_documents
from metaeval.datasets.readers.votes import Ratings
from metaeval.metrics.pyramid.study import load_study
from metaeval.metrics.sera.queries import reformulate
from metaeval.stats.correlation import correlate, kendall
from metaeval.stats.differences import williams
from metaeval.stats.streams import RNGLike
from metaeval.stats.ties import equal_on_paper, prints_as
from metaeval.stats.windows import window_sizes
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

BASELINES = {"without baselines": ["1", "2", "3"]}  # systems of TAC 2009 that were no entries


def identical_systems(benchmark: Benchmark) -> pd.DataFrame:
    """Pairs of systems that have the same scores from every metric and every person on all documents.

    Parameters
    ----------
    benchmark : Benchmark

    Returns
    -------
    DataFrame with one row per pair
        Columns: dataset, first, second, n_documents, n_same (documents with the same text; NaN where the
        benchmark carries no texts).
    """
    cells = xr.concat([benchmark.scores.rename(metric="of"), benchmark.humans.rename(judgment="of")], "of")
    values = cells.transpose("system", "of", "document").to_numpy()
    texts = None if benchmark.texts is None else benchmark.texts.summaries.sel(system=benchmark.systems)
    rows = [
        {
            "dataset": benchmark.name,
            "first": benchmark.systems[i],
            "second": benchmark.systems[j],
            "n_documents": len(benchmark.documents),
            "n_same": math.nan if texts is None else int((texts[i].values == texts[j].values).sum()),
        }
        for i, j in combinations(range(len(values)), 2)
        if np.array_equal(values[i], values[j], equal_nan=True)
    ]
    columns = ["dataset", "first", "second", "n_documents", "n_same"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["n_same"])


def answer(doubled: pd.DataFrame, named: pd.DataFrame, *, name: str) -> dict[str, str]:
    """The page's answer: how many claims it bears on, and what in released files changes most results.

    Parameters
    ----------
    doubled : DataFrame of `identical_systems`
    named : DataFrame of `same_scores`, scores that go by one name beside those of its variants
    name : what the scores are called, such as ``"ROUGE-2"``

    Returns
    -------
    dict
        ``disagreements-answer-short`` and ``disagreements-answer-sure``; every number is counted, the claims
        as those that name a section of this page as their explanation.
    """
    explained = [claim for claim in claims.load() if claim.explanation.startswith("disagreements#")]
    n_papers = len({claim.paper for claim in explained})
    n_summaries = f"{named['n_summaries'].max():,}"
    (first, *others) = [(row.second.rpartition(" ")[2], f"{row.n_agree:,}") for row in named.itertuples()]
    parts = [f"the {first[0]} in {first[1]} of {n_summaries} summaries"]
    parts += [f"the {part} in {n}" for part, n in others]
    return {
        "disagreements-answer-short": (
            f"An entry here explains {len(explained):,} of the {len(claims.load()):,} claims that this book "
            f"checks, from {n_papers} papers. For example, the released REALSumm file holds "
            f"{wording.counted(len(doubled), 'system')} under two names; what a later release calls {name} "
            f"F1 equals {wording.joined(parts)}."
        ),
        "disagreements-answer-sure": "Each entry shows its evidence.",
    }


def distinct_systems(benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """How many systems benchmarks hold if identical ones count once.

    Parameters
    ----------
    benchmarks : Benchmarks

    Returns
    -------
    DataFrame with columns dataset, quantity ("distinct systems"), value
    """
    copies = [set(identical_systems(benchmark)["second"]) for benchmark in benchmarks]
    rows = [
        (benchmark.name, "distinct systems", len(benchmark.systems) - len(of))
        for benchmark, of in zip(benchmarks, copies, strict=True)
    ]
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def worked_example(
    ratings: Ratings, benchmarks: Sequence[Benchmark], *, labelled: Benchmark, name: str
) -> pd.DataFrame:
    """The marks on one summary that a paper prints, beside the crowd's votes and the released scores.

    Parameters
    ----------
    ratings : Ratings
    benchmarks : Benchmarks whose gold standard is the share of units that a summary has
    labelled : Benchmark with the documents of `ratings`, by which the others' documents are found
    name : str
        Of the example in ``data/worked_examples``.

    Returns
    -------
    DataFrame with columns source, system, quantity ("marks as printed", "recall"), value
        Votes on the two systems that bear the printed one's name, and the score of that one in each
        benchmark. Empty where nobody rated the document, as in a simulated run.
    """
    example = read_yaml(DATA / "worked_examples" / f"{name}.yml")
    document, system, marks = example["document"], example["system"], np.array(example["marks"])
    rows = []
    if document in ratings.slots:
        units = annotations.unit_votes(ratings)
        upstream = system.partition("_")[2]
        found = {kind: annotations.presence(units[f"{kind}_{upstream}", document]) for kind in ("abs", "ext")}
        rows = [
            ("printed", system, "marks as printed", len(marks)),
            ("printed", system, "recall", marks.mean()),
        ]
        for kind, present in found.items():
            rows.append(("votes", f"{kind}_{upstream}", "marks as printed", (present == marks).sum()))
            rows.append(("votes", f"{kind}_{upstream}", "recall", present.mean()))
        for benchmark in benchmarks:
            there = {"system": system, "document": match_documents(labelled, benchmark)[document]}
            rows.append((benchmark.name, system, "recall", benchmark.human.sel(there).item()))
    columns = ["source", "system", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3])


def _printed(*ids: str) -> list[str]:
    """What REALSumm's claims of these ids print."""
    claimed = {claim.id: claim.test for claim in claims.of_paper("bhandari2020reevaluating")}
    return [claimed[id]["printed"] for id in ids]


def alphas_as_printed(readings: pd.DataFrame) -> pd.DataFrame:
    """Of how many groups each reading of alpha gives the printed value.

    Parameters
    ----------
    readings : DataFrame of `helpers.experiments.annotations.alpha_readings`

    Returns
    -------
    DataFrame with columns reading, n_values (groups), n_agree
    """
    printed = dict(
        zip(("mix", "abs", "ext"), _printed("data/alpha", "data/alpha-abs", "data/alpha-ext"), strict=True)
    )
    agrees = [prints_as(row.value, printed[row.group]) for row in readings.itertuples()]
    counted = readings.assign(agrees=agrees).groupby("reading", sort=False)["agrees"]
    found = counted.agg(n_values="size", n_agree="sum").reset_index()
    return check(found, keys=["reading"], values=["n_agree"])


def leaving_out(ratings: Ratings, benchmark: Benchmark, *, alpha: float = 0.05) -> pd.DataFrame:
    """Numbers that REALSumm prints of its extractive systems, with all of them and without each in turn.

    Parameters
    ----------
    ratings : Ratings
    benchmark : Benchmark
    alpha : float
        Documents with a p-value of at most this are "significant".

    Returns
    -------
    DataFrame with one row per number and reading ("all systems", "without ext_neusumm_out", ...)
        Columns: quantity, printed, reading, value, agrees (with print, the sign dropped).
    """
    quantities = [
        "alpha, extractive",
        "MoverScore, systems",
        "MoverScore, summaries of significant documents",
    ]
    printed = _printed("data/alpha-ext", "exp4/mover-ext-system", "exp4/mover-ext-summary-significant")
    votes = annotations.alphas(ratings).query("system_type == 'ext'").fillna({"alpha": 1.0})
    extractive = benchmark.select(system_type="ext", metrics=["MoverScore"])
    rows = []
    for left_out in ("", *extractive.systems):
        kept = [system for system in extractive.systems if system != left_out]
        part = extractive.select(systems=kept)
        levels = summaries.table(part, groups=["ext"], coefficients=["pearson"], alpha=alpha)
        of = levels.set_index(["documents", "level"])["value"]
        values = (
            votes.loc[votes["system"] != left_out, "alpha"].mean(),
            of["all", "system"],
            of["significant", "summary"],
        )
        reading = f"without {left_out}" if left_out else "all systems"
        for quantity, text, value in zip(quantities, printed, values, strict=True):
            rows.append((quantity, text, reading, value, prints_as(abs(value), text)))
    columns = ["quantity", "printed", "reading", "value", "agrees"]
    return check(pd.DataFrame(rows, columns=columns), keys=["quantity", "reading"])


def variants_shown(released: Benchmark, *, alpha: float = 0.05) -> pd.DataFrame:
    """Which variant of the metrics gives the correlations that REALSumm's released notebook shows.

    Parameters
    ----------
    released : Benchmark
        The literal release.
    alpha : float
        Documents with a p-value of at most this are "significant".

    Returns
    -------
    DataFrame with one row per variant ("recall", "precision", "F1")
        Columns: metric (the variant), quantity ("values as shown"), n_values (shown of metrics with such
        variants), value (of these, how many come out).
    """
    shown = shown_metrics()
    shown = shown[shown["metric"].str.endswith(" recall")].set_index("metric")["printed"]
    rows = []
    for variant in ("recall", "precision", "F1"):
        names = {metric: metric.replace("recall", variant) for metric in shown.index}
        present = [name for name in names.values() if name in released.metrics]
        found = (
            summaries.table(
                released.select(metrics=present), groups=["mix"], coefficients=["kendall"], alpha=alpha
            )
            .query("level == 'summary' and documents == 'significant'")
            .set_index("metric")["value"]
        )
        agree = sum(prints_as(found.get(name, math.nan), shown[metric]) for metric, name in names.items())
        rows.append((variant, "values as shown", len(names), agree))
    columns = ["metric", "quantity", "n_values", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=["metric"])


def variants_of_bertscore(benchmark: Benchmark) -> pd.DataFrame:
    """Whether the variants of BERTScore bear their own names: F1 lies between the two others, and recall goes
    with ROUGE's recall.

    Parameters
    ----------
    benchmark : Benchmark

    Returns
    -------
    DataFrame with one row per variant and quantity
        Columns: metric, quantity ("lies between the others", as a share of the summaries; "with ROUGE-1
        recall", "with ROUGE-1 precision", Pearson's r over all summaries), value. Empty where a variant is
        missing.
    """
    variants = ("precision", "recall", "F1")
    names = [f"BERTScore {variant}" for variant in variants]
    rouge = ["ROUGE-1 recall", "ROUGE-1 precision"]
    rows = []
    if {*names, *rouge} <= set(benchmark.metrics):
        planes = {name: benchmark.metric(name).to_numpy().ravel() for name in (*names, *rouge)}
        for name in names:
            others = np.stack([planes[other] for other in names if other != name])
            between = (others.min(axis=0) <= planes[name]) & (planes[name] <= others.max(axis=0))
            rows.append((name, "lies between the others", between.mean()))
            rows += [(name, f"with {of}", np.corrcoef(planes[name], planes[of])[0, 1]) for of in rouge]
    columns = ["metric", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def same_judgments(
    benchmarks: Sequence[Benchmark], labelled: Benchmark, *, systems: Sequence[str]
) -> pd.DataFrame:
    """On how many documents the gold standards of some benchmarks are another benchmark's.

    Parameters
    ----------
    benchmarks : Benchmarks with texts
    labelled : Benchmark with texts
        What they are compared with; documents are matched by their references.
    systems : ids

    Returns
    -------
    DataFrame with one row per benchmark and system
        Columns: first, second (names of the benchmarks), system, n_documents, n_agree.
    """
    rows = []
    for benchmark in benchmarks:
        matched = match_documents(benchmark, labelled)
        left = benchmark.human.sel(system=list(systems), document=list(matched)).to_numpy()
        right = labelled.human.sel(system=list(systems), document=list(matched.values())).to_numpy()
        agree = equal_on_paper(left, right).sum(axis=1)
        names = (benchmark.name, labelled.name)
        rows += [(*names, system, len(matched), n) for system, n in zip(systems, agree, strict=True)]
    columns = ["first", "second", "system", "n_documents", "n_agree"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["n_agree"])


def shown_on_the_mix(
    releases: Sequence[Benchmark], *, metrics: Sequence[str], alpha: float = 0.05
) -> pd.DataFrame:
    """Kendall correlations that REALSumm's released notebook shows for the mix, beside those of releases.

    Parameters
    ----------
    releases : Benchmarks
    metrics : names
    alpha : float
        Documents with a p-value of at most this are "significant".

    Returns
    -------
    DataFrame with one row per metric, release and choice of documents
        Columns: metric, printed, dataset, documents, value.
    """
    found = summaries.table(
        [release.select(metrics=metrics) for release in releases],
        groups=["mix"],
        coefficients=["kendall"],
        alpha=alpha,
    ).query("level == 'summary'")
    shown = shown_metrics().merge(found[["metric", "dataset", "documents", "value"]], on="metric")
    return check(shown, keys=["metric", "dataset", "documents"])


def as_shown(shown: pd.DataFrame) -> pd.DataFrame:
    """How many of the shown correlations come out, by release and choice of documents.

    Parameters
    ----------
    shown : DataFrame of `shown_on_the_mix`

    Returns
    -------
    DataFrame with columns dataset, documents, n_values, n_agree
    """
    agrees = [prints_as(row.value, row.printed) for row in shown.itertuples()]
    counted = shown.assign(agrees=agrees).groupby(["dataset", "documents"], sort=False)["agrees"]
    found = counted.agg(n_values="size", n_agree="sum").reset_index()
    return check(found, keys=["dataset", "documents"], values=["n_agree"])


def shown_metrics() -> pd.DataFrame:
    """What REALSumm's released notebook shows at summary level.

    Returns
    -------
    DataFrame with columns metric, printed (text)
    """
    printed = claims.printed_values("bhandari2020reevaluating", "released/summary-level")
    return check(printed[["metric", "printed"]], keys=["metric"], values=["printed"])


def same_scores(
    compared: Sequence[tuple[Benchmark, str, Benchmark, Sequence[str]]], *, tolerance: float
) -> pd.DataFrame:
    """On how many summaries one benchmark's metric equals each of several metrics of another.

    Parameters
    ----------
    compared : sequence of (benchmark, its metric, other benchmark, candidates among the other's metrics)
    tolerance : float
        On a scale of 0 to 1, to which both are brought by `Benchmark.scale`.

    Returns
    -------
    DataFrame with one row per candidate
        Columns: first, second ("benchmark: metric"), n_summaries (that both benchmarks have), n_agree, value
        (their share).
    """
    rows = []
    for a, metric, b, candidates in compared:
        ours = a.metric(metric) / a.scale[metric]
        for candidate in candidates:
            left, right = xr.align(ours, b.metric(candidate) / b.scale[candidate], join="inner")
            agree = np.abs(left.to_numpy() - right.to_numpy()) <= tolerance
            names = (f"{a.name}: {metric}", f"{b.name}: {candidate}")
            rows.append((*names, left.size, int(agree.sum()), float(agree.mean())))
    columns = ["first", "second", "n_summaries", "n_agree", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def attainable_values(
    printed: pd.DataFrame, *, n_systems: Sequence[int], n_windows: int = 10
) -> pd.DataFrame:
    """How many printed correlations over shares of the closest pairs can come from this many systems.

    Over *n* pairs without ties, tau is (n - 2 Q) / n with a whole number Q of discordant pairs, so most
    printed decimals rule most numbers of systems out.

    Parameters
    ----------
    printed : DataFrame with columns percent, printed (text)
    n_systems : candidates
    n_windows : int
        The windows that the printed percentages stand for: see `metaeval.stats.windows.window_sizes`.

    Returns
    -------
    DataFrame with one row per number of systems
        Columns: n_systems, n_pairs, n_values (printed), n_attainable.
    """
    rows = []
    for n in n_systems:
        n_pairs = math.comb(n, 2)
        attainable = 0
        sizes = window_sizes(n_pairs, n_windows)
        for percent, text in zip(printed["percent"], printed["printed"], strict=True):
            pairs = sizes[round(percent * n_windows / 100) - 1]
            digits = len(text.partition(".")[2])
            possible = {round((pairs - 2 * q) / pairs, digits) for q in range(pairs + 1)}
            attainable += float(text) in possible
        rows.append((n, n_pairs, len(printed), attainable))
    columns = ["n_systems", "n_pairs", "n_values", "n_attainable"]
    return check(pd.DataFrame(rows, columns=columns), keys=["n_systems"], values=["n_attainable"])


def listed_systems(benchmark: Benchmark, name: str) -> pd.DataFrame:
    """Systems that a paper lists beside those that its release holds.

    Parameters
    ----------
    benchmark : Benchmark
    name : str
        Of the list in ``data/listed_systems``.

    Returns
    -------
    DataFrame with columns system_type, listed (name in the paper, empty where it has none), released (systems
    of the benchmark, joined; empty where there is none)

    Raises
    ------
    DataError
        If the list names a system that the benchmark does not have. A benchmark that has none of them, such
        as a simulated one, released nothing of the list.
    """
    listed = read_yaml(DATA / "listed_systems" / f"{name}.yml")["systems"]
    here = set(benchmark.systems)
    rows = [
        (kind, label, ", ".join(s for s in released if s in here))
        for kind, systems in listed.items()
        for label, released in systems.items()
    ]
    named = {s for systems in listed.values() for released in systems.values() for s in released}
    unknown = named - here
    if unknown and unknown != named:
        raise DataError(f"{name}.yml lists systems that {benchmark.name} does not have: {listing(unknown)}")
    rows += [(benchmark.system_type[s], "", s) for s in benchmark.systems if s not in named]
    columns = ["system_type", "listed", "released"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns, values=())


def unlike(table: pd.DataFrame) -> pd.DataFrame:
    """The systems that are only listed or only released.

    Parameters
    ----------
    table : DataFrame of `listed_systems`

    Returns
    -------
    DataFrame with the same columns, sorted by type and release
    """
    rows = table[(table["listed"] == "") | (table["released"] == "")]
    keys = ["system_type", "listed", "released"]
    return check(rows.sort_values(["system_type", "released"]), keys=keys, values=())


def counted_unlike(table: pd.DataFrame) -> pd.DataFrame:
    """How many systems are listed and how many of these were released.

    Parameters
    ----------
    table : DataFrame of `listed_systems`

    Returns
    -------
    DataFrame with columns system_type, quantity ("names listed", "listed and not released", "released and
    not listed"), value
    """
    rows = []
    for kind, mine in table.groupby("system_type", sort=False):
        named, there = mine["listed"] != "", mine["released"] != ""
        rows.append((kind, "names listed", int(named.sum())))
        rows.append((kind, "listed and not released", int((named & ~there).sum())))
        rows.append((kind, "released and not listed", int((there & ~named).sum())))
    columns = ["system_type", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def summary_level_readings(benchmark: Benchmark, *, coefficient: str, alpha: float) -> pd.DataFrame:
    """Three ways to average the correlations of the documents, which papers use without saying so.

    Parameters
    ----------
    benchmark : Benchmark
        With all scores.
    coefficient : {"pearson", "spearman", "kendall"}
    alpha : float
        Documents with a two-sided p-value of at most this are "significant".

    Returns
    -------
    DataFrame with one row per metric
        Columns: dataset, metric, coefficient, n_used (documents on which the coefficient exists), n_total,
        value (mean over these), as_zero, n_significant, significant_value (mean over the significant ones).
    """
    n = len(benchmark.documents)
    single = summaries.document_correlations(benchmark, coefficient=coefficient)
    rows = []
    for metric in benchmark.metrics:
        r, p = (single[name].sel(metric=metric).to_numpy() for name in ("value", "pvalue"))
        defined = ~np.isnan(r)
        significant = p <= alpha
        rows.append(
            {
                "dataset": benchmark.name,
                "metric": metric,
                "coefficient": coefficient,
                "n_used": int(defined.sum()),
                "n_total": n,
                "value": float(r[defined].mean()) if defined.any() else math.nan,
                "as_zero": float(np.where(defined, r, 0).mean()),
                "n_significant": int(significant.sum()),
                "significant_value": float(r[significant].mean()) if significant.any() else math.nan,
            }
        )
    return check(pd.DataFrame(rows), keys=["dataset", "metric", "coefficient"])


def smallest_pvalues(tests: pd.DataFrame, *, n: int) -> pd.DataFrame:
    """The `n` smallest one-sided p-values of `helpers.experiments.systems.comparisons`, and twice these.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.systems.comparisons`
    n : int

    Returns
    -------
    DataFrame with columns metric, rival, value (difference of correlations), pvalue, rounded (to two digits,
    as text), two_sided_pvalue
    """
    smallest = tests.sort_values("pvalue").head(n)
    columns = ["metric", "rival", "value", "pvalue", "rounded", "two_sided_pvalue"]
    rounded = smallest["pvalue"].map("{:.2f}".format)
    table = smallest.assign(rounded=rounded, two_sided_pvalue=2 * smallest["pvalue"])[columns]
    return check(table, keys=["metric", "rival"], values=["value", "pvalue"])


def released_units(dataset: str, *, naming: str, holding: str = "") -> pd.DataFrame:
    """The released units of the first reference that holds a name, or those of them that hold a word.

    Parameters
    ----------
    dataset : str
        Such as "lite-realsumm".
    naming, holding : str

    Returns
    -------
    DataFrame of `helpers.experiments.lite3.example`
    """
    units = lite3.example(load_study(dataset), naming)
    kept = units.loc[[holding in unit for unit in units["unit"]]]
    return check(kept, keys=["units", "unit"], values=())


def kept_words(sentence: str, *, queries: Sequence[str], tagger: str = "hanta") -> pd.DataFrame:
    """What several readings of a query keep of a sentence, word by word.

    Parameters
    ----------
    sentence : str
    queries, tagger : see `metaeval.metrics.sera.queries.reformulate`

    Returns
    -------
    DataFrame with one row per reading
        Columns: query, n_words (kept), unit (the words as they are looked up, in a row).
    """
    kept = reformulate([sentence], queries, tagger=tagger)
    rows = [(query, len(words), " ".join(words)) for query, (words,) in kept.items()]
    return check(pd.DataFrame(rows, columns=["query", "n_words", "unit"]), keys=["query"], values=())


def pvalue_of(tests: pd.DataFrame, *, metric: str, rival: str) -> str:
    """The p-value of a metric against a rival, in words.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.systems.comparisons` for one group and coefficient
    metric, rival : str

    Returns
    -------
    str
    """
    found = tests.loc[(tests["metric"] == metric) & (tests["rival"] == rival), "pvalue"]
    return wording.pvalue(found.max(), name="p")


def williams_by_sign(benchmark: Benchmark, *, alpha: float) -> pd.DataFrame:
    """Williams' test with the correlations' signs and without: pairs of metrics for which it matters.

    Parameters
    ----------
    benchmark : Benchmark
    alpha : float
        A p-value up to it is significant.

    Returns
    -------
    DataFrame with columns metric, rival (is the first better?), first_value, second_value (their Pearson
    correlations at system level), pvalue (with signs), unsigned_pvalue (of absolute values)
        Those that only one of the two calls significant.
    """
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    kind = {"level": "system", "coefficient": "pearson"}
    of_people = correlate(scores, human, **kind).value
    first, second = np.array(list(permutations(range(len(scores)), 2))).T
    between = correlate(scores[first], scores[second], **kind).value
    three = (of_people[first], of_people[second], between)
    n = len(benchmark.systems)
    signed, unsigned = (williams(*found, n, "greater")[1] for found in (three, [np.abs(r) for r in three]))
    table = pd.DataFrame(
        {
            "metric": np.array(benchmark.metrics, dtype=object)[first],
            "rival": np.array(benchmark.metrics, dtype=object)[second],
            "first_value": of_people[first],
            "second_value": of_people[second],
            "pvalue": signed,
            "unsigned_pvalue": unsigned,
        }
    )
    unlike = table[(signed <= alpha) != (unsigned <= alpha)].reset_index(drop=True)
    return check(unlike, keys=["metric", "rival"], values=["pvalue", "unsigned_pvalue"])


def most_reliable(benchmark: Benchmark, *, n_seeds: int, rng: RNGLike = None) -> pd.DataFrame:
    """F1 of the labels of pairs of extractive systems, with its range over runs.

    Parameters
    ----------
    benchmark, n_seeds, rng : see `helpers.experiments.pairs.table`

    Returns
    -------
    DataFrame with columns metric, average, value (mean over runs), lowest, highest
    """
    results = pairs.table(benchmark, groups=["ext"], n_seeds=n_seeds, rng=rng)
    return check(results[["metric", "average", "value", "lowest", "highest"]], keys=["metric", "average"])


def doubled_pair(benchmark: Benchmark, doubled: pd.DataFrame, *, rng: RNGLike = None) -> pd.DataFrame:
    """The labels of pairs of identical systems where equal means count for the second system.

    Parameters
    ----------
    benchmark : Benchmark
    doubled : DataFrame of `identical_systems`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with the columns of `helpers.experiments.pairs.label_table`
    """
    labels = pairs.label_table(benchmark, ties="second", rng=rng).merge(doubled[["first", "second"]])
    return check(labels, keys=["dataset", "metric", "first", "second"], values=["label"])


def ratings_as_printed(means: pd.DataFrame) -> pd.DataFrame:
    """Mean ratings that RoSE's released notebook prints, beside two readings of the released ratings.

    Parameters
    ----------
    means : DataFrame of `helpers.experiments.protocols.quantities`

    Returns
    -------
    DataFrame with columns dataset, judgment, metric (the system), printed, reading, value, agrees
        Without the shares of content units, which are no ratings.
    """
    printed = pd.concat(
        [claims.printed_values("liu2023revisiting", table) for table in ("fine-tuned", "llm")]
    )
    keys = ["dataset", "judgment", "metric"]
    ratings = means[means["judgment"].isin(means.loc[means["reading"] == protocols.CUT, "judgment"])]
    found = printed[[*keys, "printed"]].merge(ratings[[*keys, "reading", "value"]], on=keys)
    agrees = [prints_as(row.value, row.printed) for row in found.itertuples()]
    return check(found.assign(agrees=agrees), keys=[*keys, "reading"])


def ratings_by_reading(ratings: pd.DataFrame) -> pd.DataFrame:
    """How many printed ratings each reading gives, and whether both put systems in one order.

    Parameters
    ----------
    ratings : DataFrame of `ratings_as_printed`

    Returns
    -------
    DataFrame with columns dataset, judgment, n_values, n_released and n_cut (of them as printed), value
    (Kendall's tau of the systems' means by the two readings), first and second (the system with the highest
    mean as released and as cut)
    """
    rows = []
    for (dataset, judgment), part in ratings.groupby(["dataset", "judgment"], sort=False):
        means, agree = (part.pivot(index="metric", columns="reading", values=v) for v in ("value", "agrees"))
        released, cut = means[protocols.RELEASED], means[protocols.CUT]
        rows.append(
            {
                "dataset": dataset,
                "judgment": judgment,
                "n_values": len(means),
                "n_released": int(agree[protocols.RELEASED].sum()),
                "n_cut": int(agree[protocols.CUT].sum()),
                "value": float(kendall(released.to_numpy(), cut.to_numpy())),
                "first": released.idxmax(),
                "second": cut.idxmax(),
            }
        )
    keys = ["dataset", "judgment"]
    columns = [*keys, "n_values", "n_released", "n_cut", "value", "first", "second"]
    return check(pd.DataFrame(rows, columns=columns), keys=keys)
