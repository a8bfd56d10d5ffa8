"""Intervals from judged and from all documents: what they rest on, and by how much they differ."""

import math

import numpy as np
import pytest

from helpers.experiments import test_set
from helpers.experiments.test_set import (
    ALL,
    JUDGED,
    error_table,
    interval_bounds,
    interval_table,
    width_reduction,
)
from metaeval.core.errors import DataError
from tests import oracles
from tests.builders import benchmark
from tests.kit.figures import TWO, points, seen


def made(seed=0, n_systems=6, n_documents=20, n_judged=None):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n_systems, n_documents)) + np.arange(n_systems)[:, None]
    score = human + rng.normal(size=human.shape)
    if n_judged is not None:
        human[:, n_judged:] = np.nan
    return benchmark(human, {"a": score, "b": score**3})


def test_all_judged_gives_no_second_interval():
    found = interval_table([made(10)], methods=["Boot-Inputs"], n_resamples=50, rng=0)
    assert set(found["sample"]) == {JUDGED}
    assert width_reduction([made(10)], n_resamples=50, rng=0).empty


def test_scoring_more_documents_moves_the_estimate_to_theirs():
    data = made(11, n_documents=60, n_judged=6)
    found = interval_table([data], methods=["Boot-Inputs"], n_resamples=60, rng=0).set_index(
        ["metric", "sample"]
    )
    x, z = data.metric("a").to_numpy(), data.human.to_numpy()[:, :6]
    for sample, size in ((JUDGED, 6), (ALL, 60)):
        expected = oracles.coefficient(x[:, :size].mean(axis=1), z.mean(axis=1), "kendall")
        assert found.loc[("a", sample), "value"] == pytest.approx(expected)
        assert found.loc[("a", sample), "n_documents"] == size


def test_a_metric_without_noise_left_narrows_the_interval():
    # people's documents agree with each other; the metric's vary: over few documents all width is the metric's
    rng = np.random.default_rng(12)
    human = np.repeat(np.arange(8.0)[:, None], 400, axis=1)
    score = human + 8 * rng.normal(size=human.shape)
    human[:, 6:] = np.nan
    data = benchmark(human, {"m": score})
    found = width_reduction([data], methods=["Boot-Inputs"], n_resamples=300, n_repeats=3, rng=0)
    assert found["metric"].tolist() == ["m", "all metrics"]
    assert found["value"].iloc[0] == found["value"].iloc[1]
    assert found["value"].iloc[0] > 50
    assert (found["mc_error"] > 0).all()


def test_bounds_of_other_repeats_differ_by_their_monte_carlo_error():
    settings = {"methods": ["Boot-Inputs"], "n_resamples": 40, "n_repeats": 20}
    one, other = (interval_bounds([made(13)], rng=seed, **settings) for seed in (7, 8))
    assert one["bound"].tolist() == ["low", "low", "high", "high"]
    # mc_error is of a single repeat; the means rest on twenty
    assert (abs(one["value"] - other["value"]) <= 5 * one["mc_error"] * math.sqrt(2 / 20)).all()


def test_scoring_no_further_document_leaves_the_error_as_it_is():
    found = error_table(
        ["realsumm"], n_judged=8, n_documents=8, n_draws=3, metrics=["ROUGE-1 recall", "JS-2"], rng=0
    )
    judged, everything = (found[found["sample"] == sample] for sample in (JUDGED, ALL))
    np.testing.assert_array_equal(judged["value"], everything["value"])
    assert (found["value"] >= abs(found["mean_error"])).all()
    assert found["dataset"].unique().tolist() == ["simulated-realsumm"]


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (lambda: width_reduction([made()], n_repeats=1, rng=0), ValueError, "at least 2, to have a spread"),
        (
            lambda: interval_table([made()], methods=["documents"], rng=0),
            ValueError,
            "unknown interval method 'documents'",
        ),
        (lambda: interval_table([made(n_judged=0)], rng=0), DataError, "nobody judged any document"),
    ],
)
def test_mistakes_are_named(mistake, error, text):
    with pytest.raises(error) as caught:
        mistake()
    assert text in str(caught.value)


def test_bars_end_at_the_interval():
    table = interval_table(TWO, methods=["Boot-Inputs", "Boot-Both"], n_resamples=20, rng=0)
    figure = test_set.interval_pairs(table)
    for dataset, drawn_again, method in (
        ("one", "documents (Boot-Inputs)", "Boot-Inputs"),
        ("other", "both (Boot-Both)", "Boot-Both"),
    ):
        rows = table[(table["dataset"] == dataset) & (table["method"] == method)]
        rows = rows.set_index(["sample", "metric"])
        traces = seen(figure, **{"Data_set,_what_is_drawn_again": f"{dataset}, {drawn_again}"})
        assert len(traces) == rows.index.unique("sample").size
        for trace in traces:
            sample = trace.name.removeprefix("metric over ")
            for metric, ends in points(trace).items():
                row = rows.loc[(sample, metric)]
                low, high = min(row["low"], row["value"]), max(row["high"], row["value"])
                assert ends == pytest.approx((row["value"], low, high), abs=1e-5)
