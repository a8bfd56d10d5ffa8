"""Where two releases, or a release and its paper, say the same: counts to rest a disagreement on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr
import yaml

from helpers.benchmark import Benchmark
from helpers.errors import DataError, listing
from helpers.experiments.closest import window_sizes
from helpers.experiments.summaries import document_correlations
from helpers.paths import DATA
from helpers.stats.correlation import correlations


def identical_systems(benchmark: Benchmark) -> pd.DataFrame:
    """Pairs of systems that have the same scores from every metric and every person on all documents.

    Returns
    -------
    DataFrame with columns dataset, first, second, documents, same_texts
        `same_texts` is NaN where the benchmark carries no texts.
    """
    cells = xr.concat([benchmark.scores.rename(metric="of"), benchmark.humans.rename(judgment="of")], "of")
    values = cells.transpose("system", "of", "document").to_numpy()
    texts = None if benchmark.texts is None else benchmark.texts.summaries.sel(system=benchmark.systems)
    rows = [
        {
            "dataset": benchmark.name,
            "first": benchmark.systems[i],
            "second": benchmark.systems[j],
            "documents": len(benchmark.documents),
            "same_texts": math.nan if texts is None else int((texts[i].values == texts[j].values).sum()),
        }
        for i, j in combinations(range(len(values)), 2)
        if np.array_equal(values[i], values[j], equal_nan=True)
    ]
    return pd.DataFrame(rows, columns=["dataset", "first", "second", "documents", "same_texts"])


def same_judgments(
    a: Benchmark, b: Benchmark, *, document_map: Mapping[str, str], systems: Sequence[str]
) -> pd.DataFrame:
    """On how many documents two benchmarks' gold standards agree, for each of some systems.

    Parameters
    ----------
    document_map : mapping, document of `a` -> document of `b`
        Such as `helpers.sources.alignment.match_documents` gives.
    """
    documents = list(document_map)
    left = a.human.sel(system=list(systems), document=documents).to_numpy()
    right = b.human.sel(system=list(systems), document=[document_map[d] for d in documents]).to_numpy()
    agree = np.isclose(left, right, rtol=0, atol=1e-6, equal_nan=True).sum(axis=1)
    return pd.DataFrame(
        {
            "first": a.name,
            "second": b.name,
            "system": list(systems),
            "documents": len(documents),
            "agree": agree,
        }
    )


def same_scores(
    a: Benchmark, metric: str, b: Benchmark, candidates: Sequence[str], *, tolerance: float
) -> pd.DataFrame:
    """On how many summaries one benchmark's metric equals each of several metrics of another.

    Both are brought to the scale of 0 to 1 by `Benchmark.scale` first; `tolerance` is on that scale. Only
    summaries that both benchmarks have are compared.
    """
    ours = a.metric(metric) / a.scale[metric]
    rows = []
    for candidate in candidates:
        left, right = xr.align(ours, b.metric(candidate) / b.scale[candidate], join="inner")
        agree = np.abs(left.to_numpy() - right.to_numpy()) <= tolerance
        rows.append(
            {
                "first": f"{a.name}: {metric}",
                "second": f"{b.name}: {candidate}",
                "summaries": left.size,
                "agree": int(agree.sum()),
            }
        )
    return pd.DataFrame(rows)


def attainable_values(
    printed: pd.DataFrame, *, n_systems: Sequence[int], n_windows: int = 10
) -> pd.DataFrame:
    """How many printed correlations over shares of the closest pairs can come from so many systems.

    Over *n* pairs without ties, tau is (n - 2 Q) / n with a whole number Q of discordant pairs, so most
    printed decimals rule most numbers of systems out.

    Parameters
    ----------
    printed : DataFrame with columns percent, printed (text)
    n_systems : candidates
    n_windows : int
        The windows that the printed percentages stand for: see `helpers.experiments.closest.window_sizes`.

    Returns
    -------
    DataFrame with columns n_systems, n_pairs, values, attainable
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
        rows.append({"n_systems": n, "n_pairs": n_pairs, "values": len(printed), "attainable": attainable})
    return pd.DataFrame(rows)


def leave_one_out(benchmark: Benchmark, *, coefficient: str) -> pd.DataFrame:
    """System-level correlation of every metric without each of the systems in turn.

    Returns
    -------
    DataFrame with columns metric, without, value; sorted by value
    """
    rows = []
    for system in benchmark.systems:
        rest = benchmark.select(systems=[other for other in benchmark.systems if other != system])
        values = correlations(rest.scores, rest.human, level="system", coefficient=coefficient).value
        rows += [(metric, system, float(values.sel(metric=metric))) for metric in rest.metrics]
    return pd.DataFrame(rows, columns=["metric", "without", "value"]).sort_values(["metric", "value"])


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
    listed = yaml.safe_load((DATA / "listed_systems" / f"{name}.yml").read_text(encoding="utf8"))["systems"]
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
    return pd.DataFrame(rows, columns=["system_type", "listed", "released"])


def unlike(table: pd.DataFrame) -> pd.DataFrame:
    """Of a table of `listed_systems` the rows with one side only."""
    return table[(table["listed"] == "") | (table["released"] == "")]


def summary_level_readings(benchmark: Benchmark, *, coefficient: str, alpha: float) -> pd.DataFrame:
    """Three ways to average the correlations of the documents, which papers use without saying so.

    Returns
    -------
    DataFrame with columns dataset, metric, coefficient, documents, defined, mean_of_defined,
    undefined_as_zero, significant, mean_of_significant
        `defined`: documents on which the coefficient exists; `significant`: those with a two-sided p <=
        `alpha`.
    """
    n = len(benchmark.documents)
    single = document_correlations(benchmark, coefficient=coefficient)
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
                "documents": n,
                "defined": int(defined.sum()),
                "mean_of_defined": float(r[defined].mean()) if defined.any() else math.nan,
                "undefined_as_zero": float(np.where(defined, r, 0).mean()),
                "significant": int(significant.sum()),
                "mean_of_significant": float(r[significant].mean()) if significant.any() else math.nan,
            }
        )
    return pd.DataFrame(rows)
