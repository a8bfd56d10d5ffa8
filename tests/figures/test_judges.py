"""The page of judges: every row of its tables is a point."""

import pandas as pd

from helpers.experiments import judges
from helpers.experiments import judges as experiment

KEYS = [(d, j) for d in ("coherence", "fluency") for j in ("gpt", "expert 0")]


def results():
    rows = [
        {
            "dimension": d,
            "judge": j,
            "level": level,
            "coefficient": c,
            "value": 0.1 * k,
            "low": 0.0,
            "high": 0.5,
            "n_resamples": 9,
        }
        for k, (d, j) in enumerate(KEYS)
        for level in ("system", "summary")
        for c in ("pearson", "kendall")
    ]
    return pd.DataFrame(rows)


def of_tests():
    rows = [
        (d, "gpt", r, 1.0, 0.2 * k, -1.0, -0.5, -0.2)
        for k, d in enumerate(("coherence", "all"))
        for r in "ab"
    ]
    names = ["dimension", "judge", "rater", "winning_rate", "advantage", "t_iid", "t_document", "t_system"]
    return pd.DataFrame(rows, columns=names)


def n_points(figure):
    return sum(len(trace.x) for trace in figure.data if trace.x is not None and trace.x[0] is not None)


def test_every_correlation_is_a_point_and_coefficients_are_a_menu():
    figure = judges.judge_dots(results())
    assert n_points(figure) == len(results())
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["Pearson's r", "Kendall's τ"]


def test_differences_stand_around_zero_with_a_dot_for_each_level():
    table = results().query("coefficient == 'kendall'").assign(value=-0.3, low=-0.8, high=-0.1)
    figure = judges.judge_differences(table)
    assert n_points(figure) == len(table)
    low, high = figure.layout.xaxis.range
    assert low < -0.8
    assert high > 0
    assert figure.layout.xaxis.title.text == "Kendall's τ: judge minus rater"


def test_every_advantage_is_a_point_by_rater():
    figure = judges.advantage_dots(of_tests())
    assert n_points(figure) == 4
    assert {trace.name for trace in figure.data if trace.showlegend is not False} >= {"a", "b"}


def test_a_judge_is_where_its_advantage_and_its_correlation_are():
    figure = judges.passing_scatter(experiment.advantages(of_tests(), results()))
    at_levels = [t for t in figure.data if t.name == "gpt"]
    assert [(trace.x[0], trace.y[0]) for trace in at_levels] == [(0.0, 0.0)] * 2
    assert all(trace.error_y.array[0] > 0 for trace in at_levels)  # of its correlation
