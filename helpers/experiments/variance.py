r"""How firmly documents fix a system's score and the order of the systems.

- `score_variance`: bootstrap variance of each system's mean over *M* documents.
- `ranking_stability`: Kendall's tau between two rankings from two draws of *M* documents each.

Source: Deutsch et al. 2022, §3.1, Figs. 2 and 3.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError
from helpers.stats.correlation import MIN_SYSTEMS, kendall, system_means
from helpers.stats.draws import blocks, document_counts, drawn_means

TEST_DOCUMENTS = 11_490  # of CNN/DailyMail
PEOPLE = "people"


def judged_documents(benchmark: Benchmark) -> list[str]:
    """The documents that people judged, for at least one system."""
    judged = benchmark.human.notnull().any("system").to_numpy()
    return [document for document, keep in zip(benchmark.documents, judged, strict=True) if keep]


def score_variance(
    benchmark: Benchmark,
    *,
    n_test: int = TEST_DOCUMENTS,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    r"""Variance of every system's score over few documents and over many, by bootstrap and by arithmetic.

    Few: as many draws as judged documents, from these. Many: as many draws as the benchmark has documents,
    from all of them; where it holds fewer than `n_test`, `n_test` draws from what it has, which says what the
    test set would give if its other documents were like these.

    Parameters
    ----------
    benchmark : Benchmark
    n_test : int
    n_resamples, confidence_level, rng
        Draws with replacement; every score has a random stream of its own.

    Returns
    -------
    DataFrame, one row a metric, sample and system
        dataset, metric, system, sample ("few" or "many"), n_documents, mean; variance (over the draws);
        expected (the variance of such a mean, :math:`s^2 / M` with the variance :math:`s^2` of the documents'
        scores: what the bootstrap tends to); low, high (percentile interval of the system's own draws);
        drawn_low, drawn_high (what the released code draws: from the least to the greatest of the system's
        draws that lie within the percentiles of the draws of *all* systems together; NaN where none does).
    """
    _check(n_resamples, confidence_level)
    judged = benchmark.select(documents=judged_documents(benchmark))
    samples = {
        "few": (judged, len(judged.documents)),
        "many": (benchmark, max(n_test, len(benchmark.documents))),
    }
    seed = _seed(rng)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    frames = []
    for metric in benchmark.metrics:
        generator = np.random.default_rng([seed, zlib.crc32(f"{benchmark.name}/{metric}".encode())])
        for sample, (part, size) in samples.items():
            scores = part.metric(metric).to_numpy()
            draws = np.empty((n_resamples, len(scores)))
            for rows in blocks(n_resamples, scores.shape[1]):
                counts = document_counts(generator, rows.stop - rows.start, scores.shape[1], size=size)
                draws[rows] = drawn_means(scores, counts)
            low, high = np.nanquantile(draws, tails, axis=0)
            pooled = np.nanquantile(draws, tails)
            inside = np.where((draws >= pooled[0]) & (draws <= pooled[1]), draws, np.nan)
            kept = ~np.isnan(inside).all(axis=0)
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name,
                        "metric": metric,
                        "system": part.systems,
                        "sample": sample,
                        "n_documents": size,
                        "mean": system_means(scores),
                        "variance": draws.var(axis=0),
                        "expected": np.nanvar(scores, axis=1) / (size * (~np.isnan(scores)).mean(axis=1)),
                        "low": low,
                        "high": high,
                        "drawn_low": _extreme(inside, kept, np.nanmin),
                        "drawn_high": _extreme(inside, kept, np.nanmax),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def variance_reduction(variances: pd.DataFrame) -> pd.DataFrame:
    """By how many percent many documents lessen the variance of a score, averaged over systems.

    Parameters
    ----------
    variances : DataFrame of `score_variance`

    Returns
    -------
    DataFrame with columns dataset, metric, few, many (mean variances), value (reduction in percent, by
    bootstrap) and expected (the same without any draws)
    """
    means = variances.groupby(["dataset", "metric", "sample"], sort=False)[["variance", "expected"]].mean()
    table = means.unstack("sample")
    result = pd.DataFrame(
        {
            "few": table["variance", "few"],
            "many": table["variance", "many"],
            "value": 100 * (1 - table["variance", "many"] / table["variance", "few"]),
            "expected": 100 * (1 - table["expected", "many"] / table["expected", "few"]),
        }
    )
    order = pd.MultiIndex.from_frame(variances[["dataset", "metric"]].drop_duplicates())
    return result.loc[order].reset_index()


def ranking_stability(
    benchmark: Benchmark,
    *,
    n_documents: Sequence[int],
    n_draws: int = 1_000,
    rng,
) -> pd.DataFrame:
    """Kendall's tau between the rankings that two draws of *M* documents give, for metrics and people.

    Both rankings come from documents drawn with replacement, so tau says how much a ranking would change if
    the study were run twice with *M* documents each. Metrics are drawn from all documents of the benchmark,
    people from the judged ones and only up to their number.

    Parameters
    ----------
    benchmark : Benchmark
    n_documents : sequence of int, rising
        The values of *M*; those above the number of documents of a score are left out for it.
    n_draws : int
        Pairs of draws. A draw of more documents holds the draw of fewer, which changes nothing at any one *M*
        and makes the curve smooth.
    rng : seed or numpy Generator
        All metrics see the same draws; people have a stream of their own.

    Returns
    -------
    DataFrame with columns dataset, metric (or "people"), n_documents, value (mean of tau), sd (standard
    deviation over draws), n_undefined
    """
    sizes = list(n_documents)
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"`n_documents` must be rising numbers of at least 1, got {sizes}")
    if n_draws < 1:
        raise ValueError(f"`n_draws` must be at least 1, got {n_draws}")
    if len(benchmark.systems) < MIN_SYSTEMS:
        raise DataError(
            f"{benchmark.name}: a ranking needs at least {MIN_SYSTEMS} systems, got {len(benchmark.systems)}"
        )
    seed = _seed(rng)
    human = benchmark.human.sel(document=judged_documents(benchmark)).to_numpy()
    if sizes[0] > len(benchmark.documents):
        raise ValueError(
            f"`n_documents` starts at {sizes[0]}, and {benchmark.name} has {len(benchmark.documents)} "
            "documents"
        )
    rows = []
    for names, planes in (([PEOPLE], human[None]), (benchmark.metrics, benchmark.scores.to_numpy())):
        fitting = [size for size in sizes if size <= planes.shape[-1]]
        if not fitting or not len(planes):
            continue
        generator = np.random.default_rng(
            [seed, zlib.crc32(f"{benchmark.name}/{names == [PEOPLE]}".encode())]
        )
        taus = _repeated_rankings(planes, fitting, n_draws, generator)
        for name, of_metric in zip(names, taus, strict=True):
            for size, values in zip(fitting, of_metric, strict=True):
                defined = values[~np.isnan(values)]
                rows.append(
                    {
                        "dataset": benchmark.name,
                        "metric": name,
                        "n_documents": size,
                        "value": float(defined.mean()) if len(defined) else math.nan,
                        "sd": float(defined.std()) if len(defined) else math.nan,
                        "n_undefined": len(values) - len(defined),
                    }
                )
    return pd.DataFrame(rows)


def sizes_up_to(largest: int, *, smallest: int = 5, a_decade: int = 12) -> list[int]:
    """Whole numbers from `smallest` to `largest`, about evenly spaced on a logarithmic axis."""
    if not 1 <= smallest <= largest:
        raise ValueError(f"`smallest` must be from 1 to `largest` ({largest}), got {smallest}")
    steps = max(2, round(a_decade * math.log10(largest / smallest)) + 1)
    return sorted({round(size) for size in np.geomspace(smallest, largest, steps)})


def _repeated_rankings(planes, sizes, n_draws, generator) -> np.ndarray:
    """tau of two draws, (n_planes, n_sizes, n_draws)."""
    taus = np.empty((len(planes), len(sizes), n_draws))
    steps = np.diff([0, *sizes])
    n_documents = planes.shape[-1]
    for rows in blocks(n_draws, 2 * len(sizes) * n_documents):
        n = rows.stop - rows.start
        # a step's documents join those of the steps before: (2, n_sizes, n, n_documents)
        counts = np.stack(
            [[document_counts(generator, n, n_documents, size=step) for step in steps] for _ in range(2)]
        ).cumsum(axis=1)
        means = drawn_means(planes, counts.reshape(-1, n_documents))
        first, second = np.moveaxis(means.reshape(len(planes), 2, len(sizes), n, -1), 1, 0)
        taus[:, :, rows] = kendall(first, second)
    return taus


def _extreme(values, kept, function):
    found = np.full(values.shape[1], np.nan)
    found[kept] = function(values[:, kept], axis=0)
    return found


def _check(n_resamples, confidence_level):
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2 for a variance, got {n_resamples}")
    if not 0 < confidence_level < 1:
        raise ValueError(f"`confidence_level` must be in (0, 1), got {confidence_level}")


def _seed(rng) -> int:
    return int(np.random.default_rng(rng).integers(2**63))


def pooled_effect(variances: pd.DataFrame) -> pd.DataFrame:
    """How intervals differ if their percentiles are those of all systems together, as in the release.

    Parameters
    ----------
    variances : DataFrame of `score_variance`

    Returns
    -------
    DataFrame with columns dataset, metric, sample, own_width and drawn_width (means over systems, in points),
    systems, missed (systems whose own mean lies outside what is drawn)
    """
    frame = variances.assign(
        own_width=variances["high"] - variances["low"],
        drawn_width=variances["drawn_high"] - variances["drawn_low"],
        missed=~variances["mean"].between(variances["drawn_low"], variances["drawn_high"]),
    )
    groups = frame.groupby(["dataset", "metric", "sample"], sort=False)
    return groups.agg(
        own_width=("own_width", "mean"),
        drawn_width=("drawn_width", "mean"),
        systems=("system", "size"),
        missed=("missed", "sum"),
    ).reset_index()


def gain_of_doubling(stability: pd.DataFrame) -> pd.DataFrame:
    """What twice as many documents add to the stability of a ranking.

    Parameters
    ----------
    stability : DataFrame of `ranking_stability`

    Returns
    -------
    DataFrame with columns dataset, metric, quantity ("gain of a doubling"), doubled (documents before),
    value
        One row for each number of documents whose double is there as well.
    """
    at = stability.set_index(["dataset", "metric", "n_documents"])["value"].to_dict()
    rows = [
        {
            "dataset": dataset,
            "metric": metric,
            "quantity": "gain of a doubling",
            "doubled": size,
            "value": at[dataset, metric, 2 * size] - value,
        }
        for (dataset, metric, size), value in at.items()
        if (dataset, metric, 2 * size) in at
    ]
    return pd.DataFrame(rows, columns=["dataset", "metric", "quantity", "doubled", "value"])


def reduction_by_arithmetic(*, n_few: int, n_many: int) -> float:
    """By how many percent the variance of a mean falls from `n_few` to `n_many` equally varied documents."""
    if not 1 <= n_few <= n_many:
        raise ValueError(f"`n_few` must be from 1 to `n_many` ({n_many}), got {n_few}")
    return 100 * (1 - n_few / n_many)
