"""How alike a likeness is: what real data show, beside a band of what draws show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from helpers import datasets
from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.experiments.closest import margin_table
from helpers.experiments.topk import top_k_table
from helpers.mode import is_simulated
from helpers.papers import recorded
from helpers.simulation import worlds
from helpers.simulation.draw import draw
from helpers.simulation.model import read
from helpers.simulation.truth import groups_of, population
from helpers.stats.correlation import correlation_table, system_means

BAND = (0.05, 0.95)


def moments_table(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    """Mean and spreads of every judgment and metric: of all scores, between systems, between documents.

    Returns
    -------
    DataFrame with columns dataset, score, statistic, value
        Spreads are standard deviations, of all summaries, of the systems' means and of the documents' means.
    """
    rows = []
    planes = [(name, benchmark.judgment(name)) for name in benchmark.judgments]
    planes += [(name, benchmark.metric(name)) for name in benchmark.metrics]
    for name, plane in planes:
        found = {
            "mean": float(plane.mean()),
            "spread of summaries": float(plane.std()),
            "spread of systems": float(plane.mean("document").std()),
            "spread of documents": float(plane.mean("system").std()),
        }
        rows += [
            {"dataset": benchmark.name, "score": name, "statistic": statistic, "value": value}
            for statistic, value in found.items()
        ]
    return pd.DataFrame(rows)


def ranks_table(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    """Mean human score of the best, second, ... system: how the field spreads, whoever holds the places.

    Returns
    -------
    DataFrame with columns dataset, place, value
    """
    means = np.sort(system_means(benchmark.human.to_numpy()))[::-1]
    return pd.DataFrame({"dataset": benchmark.name, "place": range(1, len(means) + 1), "value": means})


def _correlations(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    table = correlation_table(benchmark, groups=groups)
    return table[["dataset", "group", "level", "coefficient", "metric", "value"]]


def _top_k(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    table = top_k_table(benchmark, groups=groups, coefficients=["pearson"])
    return table[["dataset", "group", "k", "metric", "value"]]


def _margins(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    return margin_table(benchmark)[["dataset", "metric", "percent", "value"]]


MEASURES: dict[str, Callable[[Benchmark, Sequence[str]], pd.DataFrame]] = {
    "moments": moments_table,
    "ranks": ranks_table,
    "correlations": _correlations,
    "top-k": _top_k,
    "margins": _margins,
}


def compare(
    dataset: str, measure: str, *, metrics: Sequence[str], n_draws: int, figure: str, rng
) -> pd.DataFrame:
    """A measure of a real benchmark, and its band over draws of the likeness.

    Parameters
    ----------
    dataset : a dataset whose name is its likeness's
    measure : of `MEASURES`
    metrics : names; those that the dataset has are taken, all for an empty list
    n_draws : int
        Benchmarks of the real one's size.
    figure : str
        In a run on simulated data the real values are those recorded under this figure's name, where there
        are any.
    rng : seed or Generator

    Returns
    -------
    DataFrame
        The measure's columns and ``data``: ``"real"``; ``"simulated"``, the median over draws, with the band
        from `low` to `high` (5th, 95th percentile); ``"simulated, this book"``, the draw behind other pages.
    """
    rng = np.random.default_rng(rng)
    table = choose("measure", measure, MEASURES)
    likeness = read(dataset)
    book = worlds.load(dataset)
    wanted = [metric for metric in metrics if metric in book.metrics] or book.metrics
    groups = groups_of(likeness)
    drawn = pd.concat(
        table(draw(likeness, metrics=wanted, rng=rng).benchmark, groups) for _ in range(n_draws)
    )
    keys = [column for column in drawn if column != "value"]
    by_key = drawn.groupby(keys, sort=False)["value"]
    bands = by_key.quantile([BAND[0], 0.5, BAND[1]]).unstack().reset_index()
    bands.columns = [*keys, "low", "value", "high"]
    if is_simulated():
        last = recorded.read(figure)
        real = None if last is None else last[last["dataset"] == dataset].reindex(columns=[*keys, "value"])
    else:
        real = table(datasets.load(dataset).select(metrics=wanted), groups)
    parts = {
        "real": real,
        "simulated": bands,
        "simulated, this book": table(book.select(metrics=wanted), groups),
    }
    return pd.concat(
        [part.assign(data=name) for name, part in parts.items() if part is not None], ignore_index=True
    )


def compare_all(datasets: Sequence[str], measure: str, **settings) -> pd.DataFrame:
    """`compare` for several datasets."""
    return pd.concat([compare(name, measure, **settings) for name in datasets], ignore_index=True)


def inside(compared: pd.DataFrame, *, by: Sequence[str], data: str = "real") -> pd.DataFrame:
    """How many values lie in the band of the draws.

    Parameters
    ----------
    compared : DataFrame of `compare`
    by : columns to count within
    data : whose values, ``"real"`` or ``"simulated, this book"``

    Returns
    -------
    DataFrame with the columns `by`, values, inside, share
    """
    joined = beside(compared, data=data)
    held = (joined["value"] >= joined["low"]) & (joined["value"] <= joined["high"])
    counted = joined.assign(held=held).groupby(list(by), sort=False)["held"].agg(["size", "sum", "mean"])
    return counted.set_axis(["values", "inside", "share"], axis=1).reset_index()


def misses(compared: pd.DataFrame, *, at_most: int) -> pd.DataFrame:
    """The real values farthest outside the band, in widths of the band, worst first."""
    joined = beside(compared)
    over = np.maximum(joined["low"] - joined["value"], joined["value"] - joined["high"])
    joined["bands_off"] = over / (joined["high"] - joined["low"])
    worst = joined[joined["bands_off"] > 0].sort_values("bands_off", ascending=False, kind="stable")
    return worst.head(at_most)


def beside(compared: pd.DataFrame, *, data: str = "real") -> pd.DataFrame:
    """One row a value of `data` that a band exists for: its keys, value, and the band's low, median and
    high."""
    keys = [c for c in compared if c not in ("value", "low", "high", "data")]
    bands = compared[compared["data"] == "simulated"].rename(columns={"value": "median"}).drop(columns="data")
    values = compared[compared["data"] == data][[*keys, "value"]].dropna(subset="value")
    return values.merge(bands.dropna(subset="median"), on=keys)


def truth_of_this_book(datasets: Sequence[str], *, coefficient: str) -> pd.DataFrame:
    """True correlations of the likenesses beside those of the one draw that the book's other pages show.

    Returns
    -------
    DataFrame with columns dataset, group, metric, all_systems (true, over all systems that could be drawn),
    standard_error, these_systems (true, over the systems of the draw), observed
    """
    frames = []
    for name in datasets:
        likeness = read(name)
        true = population(likeness).query(
            f"level == 'system' and coefficient == '{coefficient}' and n_documents == inf"
        )
        drawn = worlds.world(name).drawn
        for group in groups_of(likeness):
            part = true[true["group"] == group].set_index("metric")
            observed = correlation_table(
                drawn.benchmark, groups=[group], levels=["system"], coefficients=[coefficient]
            ).set_index("metric")["value"]
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": name,
                        "group": group,
                        "all_systems": part["value"],
                        "standard_error": part["standard_error"],
                        "these_systems": drawn.truth.correlations(coefficient=coefficient, group=group),
                        "observed": observed,
                    }
                )
            )
    return pd.concat(frames).dropna(subset="all_systems").rename_axis("metric").reset_index()


def summary(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """`inside` of several measures, one row a dataset and measure.

    Returns
    -------
    DataFrame with columns measure, dataset, values, inside, share, share_of_this_book
    """
    rows = []
    for measure, compared in tables.items():
        real = inside(compared, by=["dataset"])
        book = inside(compared, by=["dataset"], data="simulated, this book").set_index("dataset")["share"]
        empty = {"values": 0, "inside": 0, "share": np.nan}
        for dataset in compared["dataset"].unique():
            found = real[real["dataset"] == dataset].to_dict("records")
            rows.append(
                {"measure": measure, "dataset": dataset, **empty, **(found[0] if found else {})}
                | {"share_of_this_book": book[dataset]}
            )
    return pd.DataFrame(rows)
