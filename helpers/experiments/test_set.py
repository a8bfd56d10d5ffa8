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
from helpers.errors import DataError, choose
from helpers.experiments.variance import judged_documents
from helpers.mode import PREFIX
from helpers.simulation import model
from helpers.simulation.draw import draw
from helpers.stats.resampling import RESAMPLE, bootstrap_distribution
from helpers.stats.significance import observed, percentile_bounds

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


def interval_bounds(benchmark: Benchmark, *, n_repeats: int = 5, rng, **settings) -> pd.DataFrame:
    """Lower and upper ends of the intervals of `interval_table` with their Monte-Carlo error, one row an end.

    Parameters
    ----------
    benchmark, n_repeats, rng, settings : see `width_reduction`

    Returns
    -------
    DataFrame with columns dataset, metric, resample, sample, bound ("low" or "high"), value (mean over the
    repeats), mc_error (as in `width_reduction`)
    """
    if n_repeats < 2:
        raise ValueError(f"`n_repeats` must be at least 2 for a Monte-Carlo error, got {n_repeats}")
    keys = ["dataset", "metric", "resample", "sample"]
    runs = [
        interval_table(benchmark, rng=stream, **settings).melt(
            id_vars=keys, value_vars=["low", "high"], var_name="bound"
        )
        for stream in np.random.default_rng(rng).spawn(n_repeats)
    ]
    groups = pd.concat(runs).groupby([*keys, "bound"], sort=False)["value"]
    table = groups.mean().reset_index()
    table["mc_error"] = groups.std().to_numpy() * math.sqrt(1 + 1 / n_repeats)
    return table


def error_table(
    name: str,
    *,
    n_judged: int,
    n_documents: int,
    n_draws: int,
    coefficient: str = "kendall",
    metrics: Sequence[str],
    rng,
) -> pd.DataFrame:
    """How far a correlation lies from the truth, with the metric over the judged documents and over all.

    Parameters
    ----------
    name : str
        A simulated likeness. Its truth is the correlation of the systems' expected scores.
    n_judged, n_documents : int
        Documents that people judge, and all that the metric scores.
    n_draws : int
        Benchmarks, each with systems and documents of its own.
    coefficient : {"pearson", "spearman", "kendall"}
    metrics : metrics of the likeness
    rng : seed or numpy Generator

    Returns
    -------
    DataFrame with columns dataset, metric, sample, n_documents, mean_error (correlation less truth), error
    (root mean square), error_se (standard error of that, over draws)
    """
    if n_draws < 2:
        raise ValueError(f"`n_draws` must be at least 2, got {n_draws}")
    likeness = model.read(name)
    samples = {JUDGED: n_judged, ALL: n_documents}
    errors = {sample: [] for sample in samples}
    for generator in np.random.default_rng(rng).spawn(n_draws):
        drawn = draw(
            likeness, n_documents=n_documents, n_judged=n_judged, metrics=list(metrics), rng=generator
        )
        truth = drawn.truth.correlations(coefficient=coefficient)[list(metrics)].to_numpy()
        scores, human = drawn.benchmark.scores.to_numpy(), drawn.benchmark.human.to_numpy()[:, :n_judged]
        for sample, size in samples.items():
            found = observed(
                scores[:, :, :size], human, level="system", coefficient=coefficient, paired=False
            )
            errors[sample].append(found - truth)
    frames = []
    for sample, rows in errors.items():
        error = np.array(rows)
        square = error**2
        root = np.sqrt(square.mean(axis=0))
        frames.append(
            pd.DataFrame(
                {
                    "dataset": f"{PREFIX}{name}",
                    "metric": list(metrics),
                    "sample": sample,
                    "n_documents": samples[sample],
                    "mean_error": error.mean(axis=0),
                    "error": root,
                    # of a root, by the delta method
                    "error_se": square.std(axis=0) / math.sqrt(n_draws) / (2 * root),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
