"""Figures of Pyramid scores: what is drawn is what the tables hold."""

import numpy as np
import pandas as pd

from helpers import figures

PRESENCE = pd.DataFrame(
    {
        "metric": ["words", "light"] * 4,
        "level": np.repeat(["system", "summary"], 4),
        "coefficient": ["pearson", "pearson", "spearman", "spearman"] * 2,
        "value": np.linspace(0.1, 0.8, 8),
    }
)


def visible(figure):
    return [trace for trace in figure.data if trace.visible is not False]


def test_presence_dots_show_one_coefficient_and_all_models():
    figure = figures.presence_dots(PRESENCE)
    shown = visible(figure)
    assert {(t.xaxis, t.y[0], t.x[0]) for t in shown} == {
        (axis, row.metric, row.value)
        for axis, level in (("x", "system"), ("x2", "summary"))
        for row in PRESENCE.query("coefficient == 'pearson' and level == @level").itertuples()
    }
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "Pearson's r",
        "Spearman's ρ",
    ]


def test_units_are_series():
    table = pd.concat([PRESENCE.assign(units=kind) for kind in ("SCU", "STU")])
    names = {trace.name for trace in figures.unit_dots(table).data}
    assert names == {"SCUs, by people", "STUs, as released"}


def test_calibration_is_one_line_per_model():
    table = pd.DataFrame(
        {
            "presence": ["words", "words", "light"],
            "predicted": [0.1, 0.9, 0.5],
            "present": [0, 1, 0.4],
            "n_units": 3,
        }
    )
    diagonal, words, light = figures.presence_calibration(table).data
    assert (list(diagonal.x), list(words.y), list(light.x)) == ([0, 1], [0, 1], [0.5])


def test_random_orders_have_a_band_and_panels_their_own_axes():
    shares = [0, 0.5, 1]
    curve = pd.concat(
        pd.DataFrame(
            {"share": shares, "value": [1, 0.5, 0], "q2.5": [1, 0.4, 0], "q97.5": [1, 0.6, 0]}
        ).assign(order=order, level=level, dataset=dataset, coefficient="pearson")
        for dataset in ("lite-realsumm", "lite-pyrxsum")
        for level in ("system", "summary")
        for order in ("easiest first", "hardest first", "random")
    )
    figure = figures.replacement_curves(curve)
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert len(bands) == 4
    assert len(figure.data) == 4 + 12
    assert max(bands[0].y) == 1
    assert "matches" not in figure.layout.yaxis2.to_plotly_json()


def test_sentences_are_points_with_their_names():
    table = pd.DataFrame({"document": ["d"], "sentence": [0], "easiness": [0.4], "predicted": [0.6]})
    point = figures.easiness_scatter(table).data[-1]
    assert (point.x[0], point.y[0], point.text[0]) == (0.6, 0.4, "d, sentence 1")


def test_leaders_are_in_order_and_the_menu_tells_level_and_coefficient():
    table = pd.DataFrame(
        {
            "level": ["summary", "summary", "system", "system"],
            "coefficient": "pearson",
            "metric": ["a", "b", "b", "a"],
            "value": [0.4, 0.3, 0.2, 0.1],
            "low": 0.0,
            "high": 0.9,
        }
    )
    figure = figures.leaderboard_intervals(table)
    (shown,) = visible(figure)
    assert (list(shown.y), list(shown.x)) == (["b", "a"], [0.3, 0.4])  # from below
    assert figure.layout.yaxis.categoryorder == "total ascending"  # whatever the menu shows
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "Pearson's r, summary level",
        "Pearson's r, system level",
    ]


def test_pairings_are_boxes():
    table = pd.DataFrame(
        {"metric": ["a"], "level": ["system"], "lowest": [-0.2], "pairing_values": [np.array([-0.2, 1])]}
    )
    (box,) = figures.pairing_spread(table).data
    assert (box.type, list(box.x)) == ("box", [-0.2, 1])
