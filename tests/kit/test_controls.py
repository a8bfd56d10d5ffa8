"""Dropdowns of figures: two choices never change the same attribute, and a choice has a value for every trace."""

from functools import cache

import pandas as pd
import pytest

from helpers.experiments import intervals, margins, test_set, tests, variance
from helpers.experiments import systems as systems_page
from helpers.experiments.test_set import interval_table
from helpers.experiments.variance import ranking_stability, score_variance, with_band
from helpers.kit.papers import published_gains
from metaeval import analysis
from metaeval.analysis import systems
from metaeval.analysis.systems import spread
from tests.kit.figures import MADE, TWO

SETTINGS = {"coefficients": ["kendall"], "n_resamples": 9, "rng": 0}
DRAW = {
    "bars": lambda: intervals.interval_bars(
        intervals.table(MADE, methods=["Boot-Both", "Fisher"], **SETTINGS), confidence_level=0.95
    ),
    "tests": lambda: tests.difference_heatmap(
        tests.outcomes(analysis.tests.table(MADE, methods=["Perm-Both", "Williams"], **SETTINGS), alpha=0.05)
    ),
    "dots": lambda: systems_page.correlation_dots(
        systems.table(
            MADE,
            groups=["abs", "mix"],
            coefficients=["pearson", "kendall"],
            method="Boot-Both",
            n_resamples=9,
            rng=0,
        )
    ),
    "heatmap": lambda: margins.margin_heatmap(analysis.margins.grid(TWO, n_windows=3, n_resamples=4, rng=0)),
    "gains": lambda: margins.gain_curves(
        margins.agreement_by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0), published_gains()
    ),
    "strips": lambda: margins.score_strips(pd.concat([spread(data) for data in TWO])),
    "scores": lambda: variance.score_intervals(score_variance(TWO[:1], n_test=30, n_resamples=9, rng=0)),
    "stability": lambda: variance.stability_curves(
        with_band(ranking_stability(TWO, n_documents=[2, 4], n_draws=5, rng=0))
    ),
    "intervals": lambda: test_set.interval_pairs(interval_table(TWO, n_resamples=20, rng=0)),
}


@cache
def drawn(name):
    return DRAW[name]()


def attributes(button):
    """What a choice sets: traces' attributes, or axes' for a relayout."""
    return {(button["method"], key) for key in button["args"][0]}


@pytest.mark.parametrize("name", DRAW)
def test_two_controls_set_different_attributes(name):
    menus = drawn(name).layout.updatemenus
    assert menus
    touched = [set().union(*(attributes(button) for button in menu.buttons)) for menu in menus]
    for i, first in enumerate(touched):
        for second in touched[i + 1 :]:
            assert not first & second


@pytest.mark.parametrize("name", DRAW)
def test_a_choice_has_a_value_for_every_trace_it_changes(name):
    figure = drawn(name)
    buttons = [button for menu in figure.layout.updatemenus for button in menu.buttons]
    found = []
    for button in buttons:
        change, *traces = button["args"]
        if button["method"] == "restyle":
            n = len(traces[0]) if traces else len(figure.data)
            # a plain value, such as whether all intervals are hidden, is for all traces
            found += [len(values) == n for values in change.values() if isinstance(values, list | tuple)]
    assert found
    assert all(found)
