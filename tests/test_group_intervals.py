"""Intervals of groups and of the k best systems are those of the interval functions on that part of the data."""

import numpy as np
import pytest

from helpers import sources
from helpers.correlation import correlation_table
from helpers.group_intervals import group_intervals, top_k_intervals
from helpers.pairs import top_k_table, top_systems
from helpers.significance import bootstrap_interval

SETTINGS = {"n_resamples": 300, "confidence_level": 0.9}


@pytest.fixture(scope="module")
def benchmark():
    return sources.load("simulated-realsumm").select(metrics=["ROUGE-1 recall", "MoverScore"])


def test_a_group_has_the_interval_of_its_systems(benchmark):
    results = correlation_table(benchmark, groups=["mix", "ext"], coefficients=["kendall"])
    table = group_intervals(results, benchmark, rng=5, **SETTINGS)
    assert table.drop(columns=["low", "high"]).equals(results)
    part = benchmark.select(system_type="ext")
    seed = int(np.random.default_rng(5).integers(2**63))
    for level in ("system", "summary"):
        expected = bootstrap_interval(
            part.metric("MoverScore"), part.human, level=level, coefficient="kendall", rng=seed, **SETTINGS
        )
        row = table.query("group == 'ext' and metric == 'MoverScore' and level == @level").iloc[0]
        assert (row["low"], row["high"]) == (expected.low, expected.high)
        assert row["low"] <= row["value"] <= row["high"]


def test_the_k_best_stay_and_their_documents_are_drawn(benchmark):
    results = top_k_table(benchmark, groups=["abs"], coefficients=["pearson"], ks=[4, 9])
    table = top_k_intervals(results, benchmark, rng=5, **SETTINGS)
    assert table.drop(columns=["low", "high"]).equals(results)
    part = benchmark.select(system_type="abs")
    part = part.select(systems=top_systems(part.human, 9))
    seed = int(np.random.default_rng(5).integers(2**63))
    expected = bootstrap_interval(
        part.metric("ROUGE-1 recall"),
        part.human,
        level="system",
        coefficient="pearson",
        resample="inputs",
        rng=seed,
        **SETTINGS,
    )
    row = table.query("k == 9 and metric == 'ROUGE-1 recall'").iloc[0]
    assert (row["low"], row["high"]) == (expected.low, expected.high)


def test_the_fewer_systems_the_wider(benchmark):
    table = top_k_table(benchmark, groups=["mix"], coefficients=["kendall"])
    table = top_k_intervals(table, benchmark, rng=5, **SETTINGS)
    width = (table["high"] - table["low"]).groupby(table["k"]).mean()
    assert width.loc[:6].mean() > 2 * width.loc[20:].mean()
