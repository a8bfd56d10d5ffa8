"""experiments.disagreements: where do two releases, or a release and its paper, not say the same?

Every table counts the evidence for a section of the page, which names the paper.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from itertools import combinations, permutations
from operator import eq

import numpy as np
import pandas as pd
import xarray as xr

from helpers.experiments import annotations, lite3, pairs, protocols, summaries
from helpers.kit.claims import checking
from helpers.kit.tidy import tidy
from metaeval.core.errors import DataError, listing
from metaeval.core.paths import DATA, read_yaml
from metaeval.datasets.readers.alignment import match_documents
from metaeval.datasets.readers.votes import Ratings
from metaeval.metrics.pyramid.study import load_study
from metaeval.metrics.sera.scores import reformulate
from metaeval.stats.correlation import correlate, kendall
from metaeval.stats.differences import williams
from metaeval.stats.ties import equal_on_paper, prints_as
from metaeval.stats.windows import window_sizes
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

BASELINES = {"without baselines": ["1", "2", "3"]}  # systems of TAC 2009 that were no entries


@tidy("dataset", "first", "second", values=["n_same"])
def identical_systems(benchmark: Benchmark):
    """Pairs of systems with the same scores from every metric and every person on all documents."""
    cells = xr.concat([benchmark.scores.rename(metric="of"), benchmark.humans.rename(judgment="of")], "of")
    values = cells.transpose("system", "of", "document").to_numpy()
    texts = None if benchmark.texts is None else benchmark.texts.summaries.sel(system=benchmark.systems)
    same = [
        (i, j)
        for i, j in combinations(range(len(values)), 2)
        if np.array_equal(values[i], values[j], equal_nan=True)
    ]
    yield {
        "dataset": benchmark.name, "first": [benchmark.systems[i] for i, _ in same],
        "second": [benchmark.systems[j] for _, j in same], "n_documents": len(benchmark.documents),
        "n_same": [math.nan if texts is None else int((texts[i] == texts[j]).sum()) for i, j in same],
    }  # fmt: skip


@tidy("dataset", "quantity")
def distinct_systems(benchmarks: Sequence[Benchmark]):
    """Numbers of systems if identical ones count once."""
    for benchmark in benchmarks:
        n = len(benchmark.systems) - identical_systems(benchmark)["second"].nunique()
        yield {"dataset": benchmark.name, "quantity": "distinct systems", "value": n}


@tidy("source", "system", "quantity")
def worked_example(ratings: Ratings, benchmarks: Sequence[Benchmark], *, labelled: Benchmark, name: str):
    """Marks on one summary that a paper prints, beside the crowd's votes and the released scores."""
    example = read_yaml(DATA / "worked_examples" / f"{name}.yml")
    document, system, marks = example["document"], example["system"], np.array(example["marks"])
    if document not in ratings.slots:  # nobody rated it, as in a simulated run
        yield pd.DataFrame(columns=["source", "system", "quantity", "value"])
        return
    quantity, units = ["marks as printed", "recall"], annotations.unit_votes(ratings)
    cells = {"quantity": quantity, "value": [len(marks), marks.mean()]}
    yield {"source": "printed", "system": system, **cells}
    equal = map(eq, map(_digest, ratings.slots[document]), example["units"])
    yield {"source": "votes", "system": system, "quantity": ["units as printed"], "value": [sum(equal)]}
    for kind in ("abs", "ext"):  # both systems have the printed one's name
        voted = f"{kind}_{system.partition('_')[2]}"
        present = annotations.presence(units[voted, document])
        cells = {"quantity": quantity, "value": [(present == marks).sum(), present.mean()]}
        yield {"source": "votes", "system": voted, **cells}
    for benchmark in benchmarks:
        cell = {"system": system, "document": match_documents(labelled, benchmark)[document]}
        recall = {"quantity": ["recall"], "value": [benchmark.human.sel(cell).item()]}
        yield {"source": benchmark.name, "system": system, **recall}


def _digest(text: str) -> str:
    """First digits of the SHA-256 of a text's letters and digits, which say nothing of its tokens."""
    letters = "".join(re.findall("[a-z0-9]", text.lower()))
    return hashlib.sha256(letters.encode()).hexdigest()[:8]


def _printed(*ids: str) -> list[str]:
    """Values that REALSumm's claims of these ids print."""
    tests = {claim.id: claim.test for claim in checking.paper_claims("bhandari2020reevaluating")}
    return [tests[id]["printed"] for id in ids]


def _printed_alike(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Numbers of values, and of those that come out as printed."""
    agrees = list(map(prints_as, table["value"], table["printed"]))
    counts = table.assign(agrees=agrees).groupby(by, sort=False)["agrees"]
    return counts.agg(n_values="size", n_agree="sum").reset_index()


def alphas_as_printed(readings) -> pd.DataFrame:
    """Numbers of groups for which a reading of alpha gives the printed value."""
    alphas = _printed("data/alpha", "data/alpha-abs", "data/alpha-ext")
    printed = readings["group"].map(dict(zip(("mix", "abs", "ext"), alphas, strict=True)))
    counts = _printed_alike(readings.assign(printed=printed), ["reading"])
    return check(counts, keys=["reading"], values=["n_agree"])


@tidy("quantity", "reading")
def leaving_out(ratings: Ratings, benchmark: Benchmark, *, alpha=0.05):
    """Numbers that REALSumm prints of its extractive systems, with all of them and without each in turn."""
    quantities = {
        "alpha, extractive": "data/alpha-ext",
        "MoverScore, systems": "exp4/mover-ext-system",
        "MoverScore, summaries of significant documents": "exp4/mover-ext-summary-significant",
    }
    printed = _printed(*quantities.values())
    votes = annotations.alphas(ratings).query("system_type == 'ext'").fillna({"alpha": 1.0})
    extractive = benchmark.select(system_type="ext", metrics=["MoverScore"])
    for left_out in ("", *extractive.systems):
        part = extractive.select(systems=[system for system in extractive.systems if system != left_out])
        levels = summaries.table(part, groups=["ext"], coefficients=["pearson"], alpha=alpha)
        r = levels.set_index(["documents", "level"])["value"]
        mean_alpha = votes.loc[votes["system"] != left_out, "alpha"].mean()
        values = [mean_alpha, r["all", "system"], r["significant", "summary"]]
        reading = f"without {left_out}" if left_out else "all systems"
        agrees = list(map(prints_as, map(abs, values), printed))  # the sign dropped
        named = {"quantity": list(quantities), "printed": printed, "reading": reading}
        yield {**named, "value": values, "agrees": agrees}


@tidy("metric")
def variants_shown(released: Benchmark, *, alpha=0.05):
    """Numbers of correlations in REALSumm's released notebook that each variant of the metrics gives."""
    printed = shown_metrics().set_index("metric")["printed"]
    printed = printed[printed.index.str.endswith(" recall")]
    for variant in ("recall", "precision", "F1"):
        names = {metric: metric.replace("recall", variant) for metric in printed.index}
        part = released.select(metrics=[name for name in names.values() if name in released.metrics])
        levels = summaries.table(part, groups=["mix"], coefficients=["kendall"], alpha=alpha)
        r = levels.query("level == 'summary' and documents == 'significant'").set_index("metric")["value"]
        n_agree = sum(prints_as(r.get(name, math.nan), printed[metric]) for metric, name in names.items())
        yield {"metric": variant, "quantity": "values as shown", "n_values": len(names), "value": n_agree}


@tidy("metric", "quantity")
def variants_of_bertscore(benchmark: Benchmark):
    """Shares of summaries on which a variant lies between the others, and correlations with ROUGE's."""
    names = [f"BERTScore {variant}" for variant in ("precision", "recall", "F1")]
    rouge = ["ROUGE-1 recall", "ROUGE-1 precision"]
    if not {*names, *rouge} <= set(benchmark.metrics):
        yield pd.DataFrame(columns=["metric", "quantity", "value"])
        return
    planes = {name: benchmark.metric(name).to_numpy().ravel() for name in (*names, *rouge)}
    for name in names:
        others = np.stack([planes[other] for other in names if other != name])
        between = (others.min(axis=0) <= planes[name]) & (planes[name] <= others.max(axis=0))
        yield {
            "metric": name,
            "quantity": ["lies between the others", *(f"with {other}" for other in rouge)],
            "value": [between.mean(), *(np.corrcoef(planes[name], planes[other])[0, 1] for other in rouge)],
        }


@tidy("first", "second", "system", values=["n_agree"])
def same_judgments(benchmarks: Sequence[Benchmark], labelled: Benchmark, *, systems: Sequence[str]):
    """Numbers of documents on which the gold standards of some benchmarks are another benchmark's."""
    for benchmark in benchmarks:
        matched = match_documents(benchmark, labelled)
        ours = benchmark.human.sel(system=list(systems), document=list(matched)).to_numpy()
        theirs = labelled.human.sel(system=list(systems), document=list(matched.values())).to_numpy()
        yield {
            "first": benchmark.name, "second": labelled.name, "system": list(systems),
            "n_documents": len(matched), "n_agree": equal_on_paper(ours, theirs).sum(axis=1),
        }  # fmt: skip


def shown_on_the_mix(releases: Sequence[Benchmark], *, metrics: Sequence[str], alpha=0.05) -> pd.DataFrame:
    """Kendall correlations that REALSumm's released notebook shows for the mix, beside those of releases."""
    parts = [release.select(metrics=metrics) for release in releases]
    levels = summaries.table(parts, groups=["mix"], coefficients=["kendall"], alpha=alpha)
    values = levels.query("level == 'summary'")[["metric", "dataset", "documents", "value"]]
    return check(shown_metrics().merge(values, on="metric"), keys=["metric", "dataset", "documents"])


def as_shown(table) -> pd.DataFrame:
    """Numbers of shown correlations that come out, by release and choice of documents."""
    keys = ["dataset", "documents"]
    return check(_printed_alike(table, keys), keys=keys, values=["n_agree"])


def shown_metrics() -> pd.DataFrame:
    """Values of REALSumm's released notebook at summary level, as text."""
    printed = checking.printed_values("bhandari2020reevaluating", "released/summary-level")
    return check(printed[["metric", "printed"]], keys=["metric"], values=["printed"])


@tidy("first", "second")
def same_scores(compared: Sequence[tuple[Benchmark, str, Benchmark, Sequence[str]]], *, tolerance: float):
    """Numbers of summaries on which a benchmark's metric equals each of several metrics of another."""
    for a, metric, b, candidates in compared:
        ours = a.metric(metric) / a.scale[metric]
        for candidate in candidates:
            x, y = xr.align(ours, b.metric(candidate) / b.scale[candidate], join="inner")
            agree = np.abs(x.to_numpy() - y.to_numpy()) <= tolerance
            yield {
                "first": f"{a.name}: {metric}", "second": f"{b.name}: {candidate}",
                "n_summaries": x.size, "n_agree": int(agree.sum()), "value": float(agree.mean()),
            }  # fmt: skip


@tidy("n_systems", values=["n_attainable"])
def attainable_values(printed, *, n_systems: Sequence[int], n_windows=10):
    """Numbers of printed correlations over the closest pairs that can come from so many systems."""
    # over n pairs without ties, tau is (n - 2 Q) / n with a whole number Q of discordant pairs
    for n in n_systems:
        n_pairs, n_attainable = math.comb(n, 2), 0
        sizes = window_sizes(n_pairs, n_windows)
        for percent, text in zip(printed["percent"], printed["printed"], strict=True):
            size, digits = sizes[round(percent * n_windows / 100) - 1], len(text.partition(".")[2])
            n_attainable += float(text) in {round((size - 2 * q) / size, digits) for q in range(size + 1)}
        counts = {"n_pairs": n_pairs, "n_values": len(printed), "n_attainable": n_attainable}
        yield {"n_systems": n, **counts}


@tidy("system_type", "listed", "released", values=())
def listed_systems(benchmark: Benchmark, name: str):
    """Systems that a paper lists beside those that its release holds."""
    lists = read_yaml(DATA / "listed_systems" / f"{name}.yml")["systems"]
    ids = {one for systems in lists.values() for released in systems.values() for one in released}
    unknown = ids - set(benchmark.systems)
    if unknown and unknown != ids:  # a simulated benchmark has none of them
        raise DataError(f"{name}.yml lists systems that {benchmark.name} does not have: {listing(unknown)}")
    for kind, systems in lists.items():
        for label, released in systems.items():
            here = [one for one in released if one not in unknown]
            yield {"system_type": kind, "listed": label, "released": ", ".join(here)}
    for system in benchmark.systems:
        if system not in ids:
            yield {"system_type": benchmark.system_type[system], "listed": "", "released": system}


def unlike(table) -> pd.DataFrame:
    """Systems that are only listed or only released."""
    rows = table[(table["listed"] == "") | (table["released"] == "")]
    keys = ["system_type", "listed", "released"]
    return check(rows.sort_values(["system_type", "released"]), keys=keys, values=())


@tidy("system_type", "quantity")
def counted_unlike(table):
    """Numbers of systems that are listed, only listed, and only released."""
    for kind, rows in table.groupby("system_type", sort=False):
        listed, released = rows["listed"] != "", rows["released"] != ""
        counts = {
            "names listed": listed.sum(),
            "listed and not released": (listed & ~released).sum(),
            "released and not listed": (released & ~listed).sum(),
        }
        yield {"system_type": kind, "quantity": list(counts), "value": list(counts.values())}


@tidy("dataset", "metric", "coefficient")
def summary_level_readings(benchmark: Benchmark, *, coefficient: str, alpha: float):
    """Three ways to average the correlations of the documents, which papers use without saying so."""
    single = summaries.document_correlations(benchmark, coefficient=coefficient)
    for metric in benchmark.metrics:
        r, p = (single[name].sel(metric=metric).to_numpy() for name in ("value", "pvalue"))
        defined, significant = ~np.isnan(r), p <= alpha
        yield {
            "dataset": benchmark.name, "metric": metric, "coefficient": coefficient,
            "n_used": int(defined.sum()), "n_total": len(benchmark.documents),
            "value": float(r[defined].mean()) if defined.any() else math.nan,
            "as_zero": float(np.where(defined, r, 0).mean()), "n_significant": int(significant.sum()),
            "significant_value": float(r[significant].mean()) if significant.any() else math.nan,
        }  # fmt: skip


def smallest_pvalues(tests, *, n: int) -> pd.DataFrame:
    """The `n` smallest one-sided p-values of `systems.comparisons`, and twice these."""
    smallest = tests.sort_values("pvalue").head(n)
    rounded = smallest["pvalue"].map("{:.2f}".format)
    table = smallest.assign(rounded=rounded, two_sided_pvalue=2 * smallest["pvalue"])
    columns = ["metric", "rival", "value", "pvalue", "rounded", "two_sided_pvalue"]
    return check(table[columns], keys=["metric", "rival"], values=["value", "pvalue"])


def released_units(dataset: str, *, naming: str, holding: str = "") -> pd.DataFrame:
    """Released units of the first reference that holds a name, or those of them that hold a word."""
    units = lite3.example(load_study(dataset), naming)
    rows = units.loc[[holding in unit for unit in units["unit"]]]
    return check(rows, keys=["units", "unit"], values=())


@tidy("query", values=())
def kept_words(sentence: str, *, queries: Sequence[str]):
    """Words of a sentence that several readings of a query keep, as they are looked up."""
    for query, (words,) in reformulate([sentence], queries).items():
        yield {"query": query, "n_words": len(words), "unit": " ".join(words)}


def pvalue_of(tests, *, metric: str, rival: str) -> str:
    """The p-value of a metric against a rival, as text."""
    pvalues = tests.loc[(tests["metric"] == metric) & (tests["rival"] == rival), "pvalue"]
    return wording.pvalue(pvalues.max(), name="p")


def williams_by_sign(benchmark: Benchmark, *, alpha: float) -> pd.DataFrame:
    """Pairs of metrics that are significant by Williams' test with signs and not without, or the reverse."""
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    kind = {"level": "system", "coefficient": "pearson"}
    r = correlate(scores, human, **kind).value
    first, second = np.array(list(permutations(range(len(scores)), 2))).T
    three = (r[first], r[second], correlate(scores[first], scores[second], **kind).value)
    n, names = len(benchmark.systems), np.array(benchmark.metrics, dtype=object)
    signed, unsigned = (williams(*rs, n, "greater")[1] for rs in (three, np.abs(three)))
    columns = {
        "metric": names[first], "rival": names[second], "first_value": r[first], "second_value": r[second],
        "pvalue": signed, "unsigned_pvalue": unsigned,
    }  # fmt: skip
    table = pd.DataFrame(columns)[(signed <= alpha) != (unsigned <= alpha)].reset_index(drop=True)
    return check(table, keys=["metric", "rival"], values=["pvalue", "unsigned_pvalue"])


def extractive_f1(benchmark: Benchmark, **draws) -> pd.DataFrame:
    """F1 of the labels of pairs of extractive systems, with its range over runs."""
    columns = ["metric", "average", "value", "lowest", "highest"]
    return check(pairs.table(benchmark, groups=["ext"], **draws)[columns], keys=columns[:2])


def doubled_pair(benchmark: Benchmark, doubled, **draws) -> pd.DataFrame:
    """Labels of pairs of identical systems where equal means count for the second system."""
    labels = pairs.label_table(benchmark, ties="second", **draws).merge(doubled[["first", "second"]])
    return check(labels, keys=["dataset", "metric", "first", "second"], values=["label"])


def ratings_as_printed(means) -> pd.DataFrame:
    """Mean ratings that RoSE's released notebook prints, beside two readings of the released ratings."""
    keys, tables = ["dataset", "judgment", "metric"], ("fine-tuned", "llm")
    printed = pd.concat([checking.printed_values("liu2023revisiting", table) for table in tables])
    # shares of content units are no ratings
    ratings = means[means["judgment"].isin(means.loc[means["reading"] == protocols.CUT, "judgment"])]
    table = printed[[*keys, "printed"]].merge(ratings[[*keys, "reading", "value"]], on=keys)
    agrees = list(map(prints_as, table["value"], table["printed"]))
    return check(table.assign(agrees=agrees), keys=[*keys, "reading"])


def ratings_by_reading(ratings) -> pd.DataFrame:
    """Numbers of printed ratings that each reading gives, and whether both put systems in one order."""
    rows = []  # none of simulated data
    for (dataset, judgment), part in ratings.groupby(["dataset", "judgment"], sort=False):
        means, agree = (part.pivot(index="metric", columns="reading", values=v) for v in ("value", "agrees"))
        released, cut = means[protocols.RELEASED], means[protocols.CUT]
        counts = (len(means), int(agree[protocols.RELEASED].sum()), int(agree[protocols.CUT].sum()))
        tau = float(kendall(released.to_numpy(), cut.to_numpy()))
        rows.append((dataset, judgment, *counts, tau, released.idxmax(), cut.idxmax()))
    columns = ["dataset", "judgment", "n_values", "n_released", "n_cut", "value", "first", "second"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])
