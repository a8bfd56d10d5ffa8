"""experiments.test_set: is a correlation surer if the metric scores more documents than people judged?

Deutsch, Dror and Roth 2022, §3.2 and appendix A, Figs. 4, 7 and 8.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import GREY, Style, correlation_axis
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import choose
from metaeval.core.limits import check_spread
from metaeval.core.mode import PREFIX
from metaeval.datasets import load
from metaeval.simulation import model
from metaeval.simulation.model import draw
from metaeval.stats.correlation import COEFFICIENTS, system_means
from metaeval.stats.intervals import interval
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import seed_of, stream
from metaeval.tables.columns import check
from metaeval.tables.labels import words

JUDGED, ALL = "judged documents", "all documents"
ALL_METRICS = "all metrics"
METHODS = ("Boot-Inputs", "Boot-Systems", "Boot-Both")
_KEYS = ["dataset", "metric", "method"]
_RESAMPLED = {
    "Boot-Inputs": "documents (Boot-Inputs)",
    "Boot-Systems": "systems (Boot-Systems)",
    "Boot-Both": "both (Boot-Both)",
}
_SAMPLES = {ALL: Style(GREY), JUDGED: Style(GREY, symbol="circle-open")}


@accepts_many_benchmarks
@tidy(*_KEYS, "sample")
def interval_table(benchmark, *, methods=METHODS, coefficient="kendall", rng=None, **draws):
    """Intervals of metrics' system-level correlation, with means over the judged documents and over all."""
    judged = benchmark.judged()
    partly = len(judged.documents) < len(benchmark.documents)
    samples = {JUDGED: judged} | ({ALL: benchmark} if partly else {})
    for method, (sample, part) in product(methods, samples.items()):
        # both samples see the same systems and judged documents
        drawn = interval(
            part.scores.to_numpy(), judged.human.to_numpy(), level="system", coefficient=coefficient,
            method=method, paired=sample == JUDGED, rng=stream(rng, benchmark.name, method), **draws,
        )  # fmt: skip
        yield {
            "dataset": benchmark.name, "metric": part.metrics, "method": method, "sample": sample,
            "n_documents": len(part.documents), "value": drawn.estimate, "low": drawn.low,
            "high": drawn.high, "width": drawn.high - drawn.low, "n_undefined": drawn.n_undefined,
        }  # fmt: skip


@accepts_many_benchmarks
def width_reduction(benchmark, *, n_repeats=5, **settings) -> pd.DataFrame:
    """Percent by which intervals shrink with all documents scored; no row where all documents are judged."""
    check_spread("n_repeats", n_repeats)
    if len(benchmark.judged().documents) == len(benchmark.documents):
        return check(pd.DataFrame(columns=[*_KEYS, "value", "mc_error"]), keys=_KEYS)
    return check(_repeated(benchmark, _shrunk, _KEYS, n_repeats, **settings), keys=_KEYS)


def _shrunk(table: pd.DataFrame) -> pd.DataFrame:
    widths = table.pivot(index=_KEYS, columns="sample", values="width")
    each = (100 * (1 - widths[ALL] / widths[JUDGED])).rename("value").reset_index()
    mean = each.groupby(["dataset", "method"], sort=False)["value"].mean().reset_index()
    return pd.concat([each, mean.assign(metric=ALL_METRICS)], ignore_index=True)


@accepts_many_benchmarks
def interval_bounds(benchmark, *, n_repeats=5, **settings) -> pd.DataFrame:
    """Both ends of the intervals of `interval_table`, a row each, with their Monte-Carlo errors."""
    check_spread("n_repeats", n_repeats)
    keys = [*_KEYS, "sample", "bound"]
    return check(_repeated(benchmark, _ends, keys, n_repeats, **settings), keys=keys)


def _ends(table: pd.DataFrame) -> pd.DataFrame:
    table = table.drop(columns="value")
    return table.melt(id_vars=[*_KEYS, "sample"], value_vars=["low", "high"], var_name="bound")


def _repeated(benchmark, values_of, keys, n_repeats, rng=None, **settings) -> pd.DataFrame:
    """Mean over repeats of the interval table's values, and the error of one run, such as one in print."""
    seed = seed_of(rng)
    repeats = [stream(seed, "repeat", i) for i in range(n_repeats)]
    runs = [values_of(interval_table(benchmark, rng=repeat, **settings)) for repeat in repeats]
    values = pd.concat(runs).groupby(keys, sort=False)["value"]
    error = values.std().to_numpy() * math.sqrt(1 + 1 / n_repeats)
    return values.mean().reset_index().assign(mc_error=error)


@tidy("dataset", "metric", "sample")
def error_table(names, *, n_judged, n_documents, n_draws, coefficient="kendall", metrics, rng=None):
    """Distance of correlations from the truth of likenesses, with the metric over either sample."""
    check_spread("n_draws", n_draws)
    correlation = choose("coefficient", coefficient, COEFFICIENTS)
    metrics, samples = list(metrics), {JUDGED: n_judged, ALL: n_documents}
    for name in names:
        likeness, errors = model.read(name), {sample: [] for sample in samples}
        for i in range(n_draws):
            drawn = draw(
                likeness, metrics=metrics, n_documents=n_documents, n_judged=n_judged,
                rng=stream(rng, name, i),
            )  # fmt: skip
            # the truth is the correlation of the systems' expected scores
            truth = drawn.correlations(coefficient=coefficient)[metrics].to_numpy()
            scores = drawn.benchmark.scores.to_numpy()
            human = system_means(drawn.benchmark.human.to_numpy())
            for sample, size in samples.items():
                errors[sample].append(correlation(system_means(scores[:, :, :size]), human) - truth)
        for sample, size in samples.items():
            off = np.array(errors[sample])
            root = np.sqrt((off**2).mean(axis=0))
            yield {
                "dataset": f"{PREFIX}{name}", "metric": metrics, "sample": sample, "n_documents": size,
                "mean_error": off.mean(axis=0), "value": root,
                "mc_error": mean_error((off**2).T) / (2 * root),  # of a root, by the delta method
            }  # fmt: skip


def interval_pairs(intervals) -> go.Figure:
    """One row per metric with two intervals; a dropdown for the data set and what is resampled."""
    metrics = intervals["metric"].unique().tolist()[::-1]
    view = intervals["dataset"].map(lambda name: words("dataset", name)) + ", "
    sheet = marks(
        intervals.assign(view=view + intervals["method"].replace(_RESAMPLED)), x="value", y="metric",
        series="sample", colour="metric", style=_SAMPLES, menu="view", order=metrics,
        name={sample: f"metric over {sample}" for sample in _SAMPLES},
        labels={"value": "Kendall's τ with people, system level"}, hover=["n_documents", "width"], digits=2,
        size=11,
    )  # fmt: skip
    sheet.x(**correlation_axis([*intervals["low"], *intervals["high"]])).menu(
        "Data set, what is drawn again", "view"
    )
    return sheet.figure(height=150 + 62 * len(metrics))


def _compute(*, datasets, metrics, seed, **settings) -> pd.DataFrame:
    benchmarks = [load(name).select(metrics=metrics) for name in datasets]
    return interval_table(benchmarks, rng=seed, **settings)


LIVE = live(
    "test_set",
    _compute,
    interval_pairs,
    "datasets metrics coefficient methods confidence_level n_resamples",
    question="How wide are the intervals of a metric's correlation, drawn from the judged documents?",
)
