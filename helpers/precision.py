"""What scoring more documents buys: intervals of a correlation from the judged documents and from all.

The metric's means can rest on every document of a test set, people's only on the few that they judged. Then
the two are drawn apart.

Source: Deutsch et al. 2022, §3.2 and appendix A, Figs. 4, 7 and 8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.correlation import correlate
from helpers.errors import DataError, choose
from helpers.resampling import RESAMPLE, bootstrap_distribution
from helpers.significance import observed, percentile_bounds
from helpers.stability import judged_documents

JUDGED, ALL = "judged documents", "all documents"


def interval_table(
    benchmark: Benchmark,
    *,
    resamples: Sequence[str] = RESAMPLE,
    coefficient: str = "kendall",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """Intervals of every metric's system-level correlation, with its means over few documents and over all.

    Parameters
    ----------
    benchmark : Benchmark
        May hold documents that nobody judged. Where all are judged, only the rows for these come out.
    resamples : of "systems", "inputs", "both"
        What is drawn again, in this order.
    coefficient : {"pearson", "spearman", "kendall"}
    n_resamples, confidence_level, rng
        Percentile intervals. All metrics see the same draws.

    Returns
    -------
    DataFrame with columns dataset, metric, resample, sample ("judged documents": metric and people over the
    same documents, drawn together; "all documents": the metric over all, people over the judged ones, drawn
    apart), n_documents (of the metric), estimate, low, high, width, n_undefined
    """
    for resample in resamples:
        choose("resample", resample, dict.fromkeys(RESAMPLE))
    documents = judged_documents(benchmark)
    if not documents:
        raise DataError(f"{benchmark.name}: nobody judged any document")
    judged = benchmark.select(documents=documents)
    samples = {JUDGED: judged} | ({ALL: benchmark} if len(documents) < len(benchmark.documents) else {})
    seed = int(np.random.default_rng(rng).integers(2**63))
    human = judged.human.to_numpy()
    frames = []
    for resample in resamples:
        for sample, part in samples.items():
            scores, paired = part.scores.to_numpy(), sample == JUDGED
            draws = bootstrap_distribution(
                scores,
                human,
                level="system",
                coefficient=coefficient,
                resample=resample,
                n_resamples=n_resamples,
                paired=paired,
                rng=seed,
            )
            low, high = percentile_bounds(draws, confidence_level)
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name,
                        "metric": part.metrics,
                        "resample": resample,
                        "sample": sample,
                        "n_documents": len(part.documents),
                        "estimate": observed(
                            scores, human, level="system", coefficient=coefficient, paired=paired
                        ),
                        "low": low,
                        "high": high,
                        "width": high - low,
                        "n_undefined": np.isnan(draws).sum(axis=-1),
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


def width_reduction(benchmark: Benchmark, *, n_repeats: int = 5, rng, **settings) -> pd.DataFrame:
    """By how many percent intervals shrink when the metric is scored on all documents, for each bootstrap.

    Parameters
    ----------
    benchmark : Benchmark
    n_repeats : int, at least 2
        The whole calculation is repeated so many times with random streams of its own, to see how much of a
        difference is chance.
    settings : see `interval_table`

    Returns
    -------
    DataFrame with columns dataset, metric, resample, value (percent, mean over the repeats) and mc_error
    (standard deviation of the difference between a single run, such as one in print, and `value`)
        The rows "all metrics" hold the mean over metrics, as the paper prints it. Empty where all documents
        are judged.
    """
    if n_repeats < 2:
        raise ValueError(f"`n_repeats` must be at least 2 for a Monte-Carlo error, got {n_repeats}")
    columns = ["dataset", "metric", "resample", "value", "mc_error"]
    if len(judged_documents(benchmark)) == len(benchmark.documents):
        return pd.DataFrame(columns=columns)
    streams = np.random.default_rng(rng).spawn(n_repeats)
    runs = []
    for stream in streams:
        widths = interval_table(benchmark, rng=stream, **settings).pivot(
            index=["dataset", "metric", "resample"], columns="sample", values="width"
        )
        shrunk = (100 * (1 - widths[ALL] / widths[JUDGED])).rename("value").reset_index()
        mean = shrunk.groupby(["dataset", "resample"], sort=False)["value"].mean().reset_index()
        runs.append(pd.concat([shrunk, mean.assign(metric="all metrics")], ignore_index=True))
    groups = pd.concat(runs).groupby(["dataset", "metric", "resample"], sort=False)["value"]
    table = groups.mean().reset_index()
    table["mc_error"] = groups.std().to_numpy() * math.sqrt(1 + 1 / n_repeats)
    return table[columns]
