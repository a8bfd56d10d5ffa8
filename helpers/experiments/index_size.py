"""How SERA's correlation with people changes as the index that summaries are looked up in grows."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError
from helpers.metrics.sera.index import AnalysedDocuments, IndexSettings, build_index
from helpers.metrics.sera.overlap import OVERLAPS
from helpers.metrics.sera.scores import TextQueries, score_queries, variants
from helpers.stats.correlation import correlation_table

WHOLE = "all stories"


def index_size_table(
    benchmark: Benchmark,
    prepared: Mapping[str, TextQueries],
    collections: Mapping[str, AnalysedDocuments],
    *,
    sizes: Sequence[int],
    n_subsets: int = 5,
    n: Sequence[int] = (5, 10),
    overlaps: Sequence[str] = tuple(OVERLAPS),
    groups: Sequence[str] = ("mix",),
    levels: Sequence[str] = ("system",),
    coefficients: Sequence[str] = ("pearson",),
    repeats: bool = True,
    settings: IndexSettings | None = None,
    rng: int | np.random.Generator | None,
) -> pd.DataFrame:
    """Correlations of all variants of SERA for random indexes that grow, several for each size.

    Each of the `n_subsets` puts a collection in a random order and indexes the first 1,000, 2,000, ... of
    it, so a line of growing indexes is one index to which documents are added. The whole collection is the
    last size of each.

    Parameters
    ----------
    benchmark : Benchmark with human judgments; its scores are not used
    prepared : mapping, reformulation -> TextQueries, of `helpers.metrics.sera.scores.text_queries`
    collections : mapping, domain -> AnalysedDocuments
    sizes : ints; those at or above a collection's size are left out for it
    groups, levels, coefficients : see `helpers.stats.correlation.correlation_table`
    repeats : see `DocumentIndex.search`

    Returns
    -------
    DataFrame with columns dataset, domain, size, whole, subset, query, overlap, n, metric, group, level,
    coefficient, value, n_undefined (summaries without a score)
    """
    if n_subsets < 1:
        raise ValueError(f"`n_subsets` must be at least 1, got {n_subsets}")
    too_small = [size for size in sizes if size < max(n)]
    if too_small:
        raise ValueError(f"`sizes` must be at least the greatest `n` ({max(n)}), got {too_small}")
    seed = int(np.random.default_rng(rng).integers(2**32))
    described = variants(list(prepared), overlaps, n)
    frames = []
    for domain, documents in collections.items():
        if len(documents) < max(n):
            raise DataError(f"{domain} holds {len(documents)} documents; `n` asks for {max(n)}")
        for subset in range(n_subsets):
            order = np.random.default_rng([seed, zlib.crc32(domain.encode()), subset]).permutation(
                len(documents)
            )
            below = [size for size in sorted(set(sizes)) if size < len(documents)]
            for size in [*below, *[len(documents)] * (subset == 0)]:
                index = build_index(documents.subset(order[:size]), settings)
                scores = score_queries(prepared, index, n=n, overlaps=overlaps, repeats=repeats)
                table = correlation_table(
                    benchmark.with_scores(scores), groups=groups, levels=levels, coefficients=coefficients
                )
                frames.append(
                    table[["dataset", "metric", "group", "level", "coefficient", "value"]].assign(
                        domain=domain,
                        size=size,
                        whole=size == len(documents),
                        subset=subset,
                        n_undefined=table["metric"].map(scores.attrs["n_undefined"]),
                    )
                )
    return pd.concat(frames, ignore_index=True).merge(described, on="metric")


def size_bands(table: pd.DataFrame) -> pd.DataFrame:
    """Mean, scatter and range of the correlation over the subsets, one row a size and variant.

    Returns
    -------
    DataFrame with the columns of `index_size_table` but subset and n_undefined; `value` is the mean, and low,
    high, scatter (standard deviation, NaN for one subset) and subsets are added
    """
    keys = [column for column in table if column not in ("subset", "value", "n_undefined")]
    bands = table.groupby(keys, sort=False)["value"].agg(
        value="mean", low="min", high="max", scatter="std", subsets="size"
    )
    return bands.reset_index()


def all_variants(bands: pd.DataFrame) -> pd.DataFrame:
    """The mean correlation of all variants for each size, under the metric ``"all variants"``.

    Returns
    -------
    DataFrame with columns dataset, domain, size, whole, group, level, coefficient, metric, value
    """
    keys = ["dataset", "domain", "size", "whole", "group", "level", "coefficient"]
    pooled = bands.groupby(keys, sort=False)["value"].mean().reset_index()
    return pooled.assign(metric="all variants")


def size_trends(table: pd.DataFrame, *, small: int) -> pd.DataFrame:
    """Does a small index do better? Each variant's mean at one small size against the whole collection.

    Parameters
    ----------
    table : DataFrame of `index_size_table`
    small : int; one of its sizes

    Returns
    -------
    DataFrame with columns dataset, domain, metric, query, overlap, n, group, level, coefficient, small, whole
    (correlations), difference (small minus whole), better (share of the small indexes that beat the whole
    one)
    """
    keys = ["dataset", "domain", "metric", "query", "overlap", "n", "group", "level", "coefficient"]
    rows = []
    for key, part in table.groupby(keys, sort=False):
        at_small, at_whole = part[part["size"] == small], part[part["whole"]]
        if at_small.empty or at_whole.empty:
            continue
        whole = at_whole["value"].item()
        rows.append(
            dict(zip(keys, key, strict=True))
            | {
                "small": at_small["value"].mean(),
                "whole": whole,
                "difference": at_small["value"].mean() - whole,
                "better": (at_small["value"] > whole).mean(),
            }
        )
    return pd.DataFrame(rows)
