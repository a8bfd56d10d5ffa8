"""Names beside lines and points: where they stand, under which choice, and when a legend has them instead."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import isotonic_regression

from helpers.kit.direct import spread
from helpers.kit.marks import marks
from helpers.kit.panels import Panels


def _names(figure):
    return [trace for trace in figure.data if trace.mode == "text"]


def _plain(trace):
    return [text.split("</span> ")[1] for text in trace.text]


def _lines(ends, *, of="a"):
    """Two points for each end, the last at x = 2."""
    return pd.DataFrame(
        [
            {"at": x, "value": y, "judge": judge, "pick": of}
            for judge, end in ends.items()
            for x, y in ((1, 0.0), (2, end))
        ]
    )


def _drawn(table, **more):
    return marks(table, x="at", y="value", series="judge", mode="lines+markers", **more)


@pytest.mark.parametrize("seed", range(5))
def test_names_are_moved_as_little_as_keeps_them_apart(seed):
    values = np.random.default_rng(seed).integers(0, 6, size=8) / 2
    order, steps = np.argsort(values, kind="stable"), 0.7 * np.arange(8)
    expected = np.empty(8)
    expected[order] = isotonic_regression(values[order] - steps).x + steps
    assert spread(values, 0.7) == pytest.approx(expected)


def test_lines_are_named_at_their_last_points():
    figure = _drawn(_lines({"one": 0.2, "other": 1.0})).y(range=[0, 1]).figure(height=420)
    (names,) = _names(figure)
    assert _plain(names) == ["one", "other"]
    assert (list(names.x), list(names.y)) == ([2, 2], [0.2, 1.0])
    assert figure.layout.showlegend is False


def test_names_that_would_touch_are_16_pixels_apart():
    # 320 of 420 pixels for a range of 1: 16 pixels are 0.05, half of it on either side of 0.5
    (names,) = _names(_drawn(_lines({"one": 0.5, "other": 0.5})).y(range=[0, 1]).figure(height=420))
    assert list(names.y) == pytest.approx([0.475, 0.525])


def test_on_a_reversed_axis_the_right_end_is_the_lowest_x():
    (names,) = _names(_drawn(_lines({"one": 0.2, "other": 1.0})).x(range=[2, 1]).figure(height=420))
    assert list(names.x) == [1, 1]


@pytest.mark.parametrize(("n", "has_legend"), [(8, False), (9, True)])
def test_more_than_eight_lines_have_a_legend(n, has_legend):
    figure = _drawn(_lines({f"judge {k}": k / n for k in range(n)})).figure(height=420)
    assert bool(_names(figure)) is not has_legend
    assert (figure.layout.showlegend is not False) is has_legend


def test_a_choice_shows_the_names_of_its_own_lines():
    table = pd.concat([_lines({"one": 0, "other": 1}), _lines({"third": 0, "fourth": 1}, of="b")])
    figure = _drawn(table, menu="pick").menu("Pick", "pick").figure(height=420)
    first, second = (figure.data.index(names) for names in _names(figure))
    assert [_plain(names) for names in _names(figure)] == [["one", "other"], ["third", "fourth"]]
    assert (figure.data[first].visible, figure.data[second].visible) == (True, False)
    shown = [button.args[0]["visible"] for button in figure.layout.updatemenus[0].buttons]
    assert [(by[first], by[second]) for by in shown] == [(True, False), (False, True)]
    assert {len(by) for by in shown} == {len(figure.data)}


def test_points_are_named_right_of_their_bars_in_the_highest_row():
    rows = pd.DataFrame(
        {"value": [0.1, 0.2, 0.3], "low": [0.0, 0.1, 0.2], "high": [0.2, 0.4, 0.6], "row": ["a", "b", "b"]}
        | {"judge": ["one", "one", "other"]}
    )
    names = _names(marks(rows, x="value", y="row", series="judge", order=["a", "b"]).figure(height=300))
    assert [(_plain(one), *one.x, *one.y) for one in names] == [
        (["one"], pytest.approx(0.4), "b"),
        (["other"], pytest.approx(0.6), "b"),
    ]
    assert [one.offsetgroup for one in names] == ["one", "other"]


def test_three_panels_of_points_have_a_legend():
    rows = pd.DataFrame([{"value": 0, "row": "a", "judge": j, "of": p} for j in "xy" for p in "abc"])
    assert not _names(
        marks(rows, x="value", y="row", panel="of", series="judge", order=["a"]).figure(height=300)
    )


@pytest.mark.parametrize(("at", "axis", "place", "side"), [
    (0.1, {"range": [0, 1]}, 0.1, "left"),
    (0.9, {"range": [0, 1]}, 0.9, "right"),
    (0.01, {"type": "log"}, -2, "left"),
])  # fmt: skip
def test_a_vertical_rule_says_its_words_once_where_there_is_room(at, axis, place, side):
    sheet = Panels(["a", "b"]).x(**axis).rule(x=at, text="a coin")
    (note,) = [note for note in sheet.figure(height=300).layout.annotations if note.text == "a coin"]
    assert (note.x, note.xanchor, note.xref) == (pytest.approx(place), side, "x")


def test_words_of_a_vertical_rule_stand_below_the_titles_of_panels():
    title = next(
        iter(Panels(["a"]).x(range=[0, 1]).rule(x=0, text="a coin").figure(height=300).layout.annotations)
    )
    assert (title.text, title.yshift) == ("a", 18)
