import numpy as np
import pytest

from helpers.experiments import variance
from helpers.experiments.variance import ranking_stability, score_variance, with_band
from tests.figures.support import TWO, seen


def test_intervals_of_scores_follow_the_metric_and_the_kind():
    table = score_variance(TWO[:1], n_test=30, n_resamples=9, rng=0)
    figure = variance.score_intervals(table)
    for kind, low, high in (
        ("each system's own percentiles", "low", "high"),
        ("percentiles of all systems together (the release)", "drawn_low", "drawn_high"),
    ):
        traces = seen(figure, Metric="BERTScore", Interval_from=kind)
        rows = table[table["metric"] == "BERTScore"].set_index(["sample", "system"])
        assert len(traces) == rows.index.unique("sample").size
        for trace in traces:
            sample = "few" if trace.name.startswith("as many documents as were judged (") else "many"
            assert list(trace.x) == sorted(trace.x)
            for system, mean, below, above in zip(
                trace.text, trace.y, trace.error_y.arrayminus, trace.error_y.array, strict=True
            ):
                row = rows.loc[(sample, system)]
                assert mean == row["mean"]
                assert below == pytest.approx(max(0, mean - row[low]), abs=1e-5)
                assert above == pytest.approx(max(0, row[high] - mean), abs=1e-5)


def test_bands_lie_below_the_curves_of_their_data_set():
    table = with_band(ranking_stability(TWO, n_documents=[2, 4], n_draws=5, rng=0))
    traces = seen(variance.stability_curves(table), Data_set="other")
    curves = [trace for trace in traces if trace.fill is None]
    assert [trace.fill for trace in traces] == ["toself"] * len(curves) + [None] * len(curves)
    for trace in curves:
        rows = table[(table["dataset"] == "other") & (table["metric"] == trace.name)]
        np.testing.assert_array_equal(trace.y, rows["value"])
