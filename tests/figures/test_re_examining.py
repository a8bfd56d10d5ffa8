"""Figures of the part Re-Examining: what a cell says, and that two controls never fight over an attribute."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from helpers import figures
from helpers.experiments import margins
from helpers.experiments.benchmarks import spread
from helpers.experiments.test_set import interval_table
from helpers.experiments.variance import ranking_stability, score_variance, with_band
from helpers.papers.survey import published_gains
from tests.builders import benchmark
from tests.figures.support import points, seen


def made(name, *, n_judged=None):
    rng = np.random.default_rng(len(name))
    human = rng.normal(size=(5, 8))
    scores = {metric: human + rng.normal(size=(5, 8)) for metric in ("ROUGE-1", "BERTScore")}
    if n_judged:
        human[:, n_judged:] = np.nan
    data = benchmark(human, scores, name=name)
    return dataclasses.replace(data, scale=dict.fromkeys(scores, 100.0))


DATA = [made("one"), made("other", n_judged=4)]


def drawn():
    grid = margins.grid(DATA, n_windows=3, n_resamples=4, rng=0)
    return {
        "heatmap": figures.margin_heatmap(grid, show_values=True),
        "gains": figures.gain_curves(
            margins.by_gain(DATA, gains=[0.5, 1], n_resamples=4, rng=0), published_gains()
        ),
        "strips": figures.score_strips(pd.concat([spread(data) for data in DATA])),
        "scores": figures.score_intervals(score_variance(DATA[:1], n_test=30, n_resamples=9, rng=0)),
        "stability": figures.stability_curves(
            with_band(ranking_stability(DATA, n_documents=[2, 4], n_draws=5, rng=0))
        ),
        "intervals": figures.interval_pairs(interval_table(DATA, n_resamples=20, rng=0)),
    }


FIGURES = drawn()


def attributes(button):
    """What a choice sets: traces' attributes, or axes' for a relayout."""
    return {(button["method"], key) for key in button["args"][0]}


@pytest.mark.parametrize("name", FIGURES)
def test_two_controls_set_different_attributes(name):
    menus = FIGURES[name].layout.updatemenus
    assert menus
    touched = [set().union(*(attributes(button) for button in menu.buttons)) for menu in menus]
    for i, first in enumerate(touched):
        for second in touched[i + 1 :]:
            assert not first & second


@pytest.mark.parametrize("name", FIGURES)
def test_a_choice_has_a_value_for_every_trace_it_changes(name):
    figure = FIGURES[name]
    for menu in figure.layout.updatemenus:
        for button in menu.buttons:
            if button["method"] != "restyle":
                continue
            change, *traces = button["args"]
            n = len(traces[0]) if traces else len(figure.data)
            assert {key: len(values) for key, values in change.items()} == dict.fromkeys(change, n)


def test_a_heatmap_cell_says_what_it_rests_on_or_why_it_is_empty():
    grid = margins.grid([DATA[0].select(metrics=["ROUGE-1"])], n_windows=3, n_resamples=4, rng=0)
    empty = grid.index[(grid["from_percent"] > 30) & (grid["to_percent"] < 70)]
    grid.loc[empty, ["value", "n_pairs", "remark"]] = [np.nan, 0, "empty: no pair differs by so much"]
    (trace,) = figures.margin_heatmap(grid, show_values=True).data
    assert trace.z[1][1] is None
    assert "0 pairs" in trace.hovertext[1][1]
    assert trace.hovertext[1][1].endswith("empty: no pair differs by so much")
    assert trace.z[1][0] is None
    assert trace.hovertext[1][0] == "ℓ > u"
    first = grid.iloc[0]  # ten pairs, four in the first share: too few to write a value
    assert trace.text[0][0] == "n = 4"
    assert f"τ = {first['value']:.2f} [{first['low']:.2f}, {first['high']:.2f}]" in trace.hovertext[0][0]
    assert trace.text[0][2] == f"{grid.iloc[2]['value']:.2f}"


def test_the_published_gains_stand_whatever_is_chosen():
    figure = FIGURES["gains"]
    for metric in ("ROUGE-1", "BERTScore"):
        *lines, dots = seen(figure, Metric=metric)
        assert len(dots.x) == len(published_gains())
        assert [line.name for line in lines] == ["one", "other"]


def test_curves_of_gains_move_with_the_metric_and_its_reading():
    table = margins.by_gain(DATA, gains=[0.5, 1], n_resamples=4, rng=0)
    figure = figures.gain_curves(table, published_gains())
    for metric in ("ROUGE-1", "BERTScore"):
        for reading in table["reading"].unique():
            *lines, _ = seen(figure, Metric=metric, Pairs_that_differ=f"{reading} this many points")
            for line in lines:
                keys = ["dataset", "metric", "reading"]
                rows = table.set_index(keys).sort_index().loc[(line.name, metric, reading)]
                np.testing.assert_array_equal(line.x, rows["gain"])
                np.testing.assert_array_equal(line.y, rows["agreement"])
                known = rows["agreement"].notna().to_numpy()
                above = np.clip(rows["agreement_high"] - rows["agreement"], 0, None)[known]
                np.testing.assert_allclose(np.array(line.error_y.array)[known], above, atol=1e-5)


def test_bars_end_at_the_interval():
    table = interval_table(DATA, methods=["Boot-Inputs", "Boot-Both"], n_resamples=20, rng=0)
    figure = figures.interval_pairs(table)
    for dataset, drawn_again, method in (
        ("one", "documents (Boot-Inputs)", "Boot-Inputs"),
        ("other", "both (Boot-Both)", "Boot-Both"),
    ):
        rows = table[(table["dataset"] == dataset) & (table["method"] == method)]
        rows = rows.set_index(["sample", "metric"])
        traces = seen(figure, Data_set=dataset, Drawn_again=drawn_again)
        assert len(traces) == rows.index.unique("sample").size
        for trace in traces:
            sample = trace.name.removeprefix("metric over ")
            for metric, ends in points(trace).items():
                row = rows.loc[(sample, metric)]
                low, high = min(row["low"], row["value"]), max(row["high"], row["value"])
                assert ends == pytest.approx((row["value"], low, high), abs=1e-5)


def test_intervals_of_scores_follow_the_metric_and_the_kind():
    table = score_variance(DATA[:1], n_test=30, n_resamples=9, rng=0)
    figure = figures.score_intervals(table)
    for kind, low, high in (
        ("each system's own percentiles", "low", "high"),
        ("percentiles of all systems together (the release)", "drawn_low", "drawn_high"),
    ):
        traces = seen(figure, Metric="BERTScore", Interval_from=kind)
        rows = table[table["metric"] == "BERTScore"].set_index(["sample", "system"])
        assert len(traces) == rows.index.unique("sample").size
        for trace in traces:
            sample = "few" if trace.name.startswith("judged") else "many"
            assert list(trace.x) == sorted(trace.x)
            for system, mean, below, above in zip(
                trace.text, trace.y, trace.error_y.arrayminus, trace.error_y.array, strict=True
            ):
                row = rows.loc[(sample, system)]
                assert mean == row["mean"]
                assert below == pytest.approx(max(0, mean - row[low]), abs=1e-5)
                assert above == pytest.approx(max(0, row[high] - mean), abs=1e-5)


def test_bands_lie_below_the_curves_of_their_data_set():
    table = with_band(ranking_stability(DATA, n_documents=[2, 4], n_draws=5, rng=0))
    traces = seen(figures.stability_curves(table), Data_set="other")
    curves = [trace for trace in traces if trace.fill is None]
    assert [trace.fill for trace in traces] == ["toself"] * len(curves) + [None] * len(curves)
    for trace in curves:
        rows = table[(table["dataset"] == "other") & (table["metric"] == trace.name)]
        np.testing.assert_array_equal(trace.y, rows["value"])


def test_printed_curves_stand_beside_the_measured():
    table = margins.closest(DATA, n_resamples=4, rng=0)
    printed = table.assign(value=0.5)[["dataset", "metric", "percent", "value"]]
    traces = figures.margin_curves(table, printed).data
    measured, theirs = traces[: len(traces) // 2], traces[len(traces) // 2 :]
    assert [(t.xaxis, t.yaxis) for t in measured] == [(t.xaxis, t.yaxis) for t in theirs]
    assert {y for trace in theirs for y in trace.y} == {0.5}
    assert [trace.name for trace in traces if trace.showlegend] == [measured[0].name, theirs[0].name]
