"""Figures of the part Re-Examining: what a cell says, and that two controls never fight over an attribute."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from helpers import figures
from helpers.experiments import margins
from helpers.experiments.benchmarks import spread
from helpers.experiments.test_set import interval_table
from helpers.experiments.variance import ranking_stability, score_variance
from helpers.papers.survey import published_gains
from tests.builders import benchmark


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
        "stability": figures.stability_curves(ranking_stability(DATA, n_documents=[2, 4], n_draws=5, rng=0)),
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


def test_the_dropdown_of_the_metric_leaves_the_published_gains_alone():
    figure = FIGURES["gains"]
    dots = len(figure.data) - 1
    assert len(figure.data[dots].x) == len(published_gains())
    for menu in figure.layout.updatemenus:
        assert all(dots not in button["args"][1] for button in menu.buttons)


def test_bars_end_at_the_interval():
    table = interval_table(DATA[1:], resamples=["inputs"], n_resamples=20, rng=0)
    figure = figures.interval_pairs(table)
    row = table[(table["metric"] == "ROUGE-1") & (table["sample"] == "all documents")].iloc[0]
    (trace,) = [t for t in figure.data if "ROUGE-1 over 8 documents" in t.customdata[0]]
    np.testing.assert_allclose(trace.x, [row["low"], row["estimate"], row["high"]], atol=1e-4)
