"""Intervals of groups and of the k best systems are those of the interval functions on that part of the data."""

import zlib
from itertools import product

import numpy as np
import pytest

from helpers import datasets, figures
from helpers.experiments.group_intervals import with_intervals
from helpers.experiments.topk import top_k_table, top_systems
from helpers.stats.correlation import correlation_table
from helpers.stats.significance import bootstrap_interval

SETTINGS = {"n_resamples": 300, "confidence_level": 0.9}


@pytest.fixture(scope="module")
def benchmark():
    return datasets.load("simulated-realsumm").select(metrics=["ROUGE-1 recall", "MoverScore"])


def stream(name):
    return [int(np.random.default_rng(5).integers(2**32)), zlib.crc32(name.encode())]


def test_a_group_has_the_interval_of_its_systems(benchmark):
    results = correlation_table(benchmark, groups=["mix", "ext"], coefficients=["kendall"])
    table = with_intervals(results, benchmark, rng=5, **SETTINGS)
    assert table.drop(columns=["low", "high"]).equals(results)
    part = benchmark.select(system_type="ext")
    for level in ("system", "summary"):
        expected = bootstrap_interval(
            part.metric("MoverScore"),
            part.human,
            level=level,
            coefficient="kendall",
            rng=stream(f"ext|{level}|kendall"),
            **SETTINGS,
        )
        row = table.query("group == 'ext' and metric == 'MoverScore' and level == @level").iloc[0]
        assert (row["low"], row["high"]) == (expected.low, expected.high)
        assert row["low"] <= row["value"] <= row["high"]


def test_the_k_best_stay_and_their_documents_are_drawn(benchmark):
    results = top_k_table(benchmark, groups=["abs"], coefficients=["pearson"], ks=[4, 9])
    table = with_intervals(results, benchmark, resample="inputs", rng=5, **SETTINGS)
    assert table.drop(columns=["low", "high"]).equals(results)
    part = benchmark.select(system_type="abs")
    part = part.select(systems=top_systems(part.human, 9))
    expected = bootstrap_interval(
        part.metric("ROUGE-1 recall"),
        part.human,
        level="system",
        coefficient="pearson",
        resample="inputs",
        rng=stream("abs|pearson|9"),
        **SETTINGS,
    )
    row = table.query("k == 9 and metric == 'ROUGE-1 recall'").iloc[0]
    assert (row["low"], row["high"]) == (expected.low, expected.high)


def test_the_fewer_systems_the_wider(benchmark):
    table = top_k_table(benchmark, groups=["mix"], coefficients=["kendall"])
    table = with_intervals(table, benchmark, resample="inputs", rng=5, **SETTINGS)
    width = (table["high"] - table["low"]).groupby(table["k"]).mean()
    assert width.loc[:6].mean() > 2 * width.loc[20:].mean()


def test_the_slider_moves_values_and_bars_of_every_group(benchmark):
    table = top_k_table(benchmark, groups=["abs", "mix"], coefficients=["pearson", "kendall"])
    table = with_intervals(table, benchmark, resample="inputs", rng=5, **SETTINGS)
    figure = figures.top_k_dots(table)
    (slider,) = figure.layout.sliders
    (step,) = (step for step in slider.steps if step.label == "20")
    (change,) = step.args
    at_20 = table[table["k"] == 20]
    for i, (coefficient, group) in enumerate(product(["pearson", "kendall"], ["abs", "mix"])):
        rows = at_20[(at_20["coefficient"] == coefficient) & (at_20["group"] == group)].set_index("metric")
        if group == "abs":  # 14 systems
            assert np.isnan(change["x"][i]).all()
            continue
        rows = rows.loc[list(figure.data[i].y)]
        np.testing.assert_array_equal(change["x"][i], rows["value"])
        above = np.maximum(rows["high"] - rows["value"], 0)
        np.testing.assert_allclose(change["error_x.array"][i], above, rtol=0, atol=1e-5)
