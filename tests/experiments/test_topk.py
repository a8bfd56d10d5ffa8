import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import datasets, figures
from helpers.errors import UnknownNameError
from helpers.experiments import topk
from helpers.experiments.closest import (
    closest_pairs,
    margin_correlation,
    margin_table,
    window_sizes,
    window_table,
)
from tests import oracles
from tests.builders import benchmark

DRAWS = {"method": "Boot-Inputs", "n_resamples": 300, "confidence_level": 0.9, "rng": 5}


@pytest.mark.parametrize("k", [2, 9])
def test_a_table_of_k_that_fits_no_group_is_an_error(k):
    made = benchmark(np.eye(4), {"m": np.eye(4)})
    with pytest.raises(
        ValueError, match=rf"from 3 to the number of systems of the largest group \(4\), got {k}"
    ):
        topk.table(made, groups=["abs"], ks=[k])


@pytest.mark.parametrize("coefficient", oracles.COEFFICIENTS)
def test_top_k_equals_selecting_and_looping(coefficient):
    rng = np.random.default_rng(7)
    human, scores = rng.normal(size=(9, 6)), rng.normal(size=(2, 9, 6))
    made = benchmark(human, {"a": scores[0], "b": scores[1]})
    table = topk.table(made, groups=["all"], coefficients=[coefficient]).set_index(["k", "metric"])["value"]
    assert table.index.unique("k").tolist() == list(range(4, 10))
    order = np.argsort(-human.mean(axis=1))
    for k in range(4, 10):
        rows = order[:k]
        for i, metric in enumerate(["a", "b"]):
            expected = oracles.system_level(scores[i][rows], human[rows], coefficient)
            assert table[k, metric] == pytest.approx(expected, abs=1e-12)


def test_groups_stop_at_their_own_size():
    rng = np.random.default_rng(8)
    types = {f"s{i}": "abs" if i < 4 else "ext" for i in range(9)}
    made = benchmark(rng.normal(size=(9, 5)), {"m": rng.normal(size=(9, 5))}, types=types)
    table = topk.table(made, coefficients=["pearson"], ks=[4, 5, 8])
    assert table.groupby("group")["k"].apply(list).to_dict() == {"abs": [4], "ext": [4, 5], "mix": [4, 5, 8]}


def test_unknown_coefficient_and_group():
    made = benchmark(np.eye(4), {"m": np.eye(4)})
    with pytest.raises(UnknownNameError, match="unknown coefficient 'tau'"):
        topk.table(made, groups=["abs"], coefficients=["tau"])
    with pytest.raises(UnknownNameError, match="unknown system type of made-up 'extractive'"):
        topk.table(made, groups=["extractive"])


@pytest.fixture(scope="module")
def simulated():
    return datasets.load("simulated-realsumm").select(metrics=["ROUGE-1 recall", "MoverScore"])


def test_a_row_does_not_depend_on_what_else_is_asked_for(simulated):
    everything = topk.table(simulated, groups=["abs", "mix"], **DRAWS)
    alone = topk.table(
        simulated.select(metrics=["MoverScore"]), groups=["mix"], ks=[9], coefficients=["kendall"], **DRAWS
    )
    both = everything.merge(alone, on=["group", "k", "coefficient", "metric"], suffixes=("", "_alone"))
    assert len(both) == 1
    for column in ("value", "low", "high"):
        assert both[column].item() == both[f"{column}_alone"].item()


def test_the_fewer_systems_the_wider(simulated):
    table = topk.table(simulated, groups=["mix"], coefficients=["kendall"], **DRAWS)
    width = (table["high"] - table["low"]).groupby(table["k"]).mean()
    assert width.loc[:6].mean() > 2 * width.loc[20:].mean()


def test_the_best_systems_and_their_lead():
    human = np.array([[3.0, 3], [1, 2], [2, 2], [6, 6]])
    made = benchmark(human, {"m": human * 2})
    best = topk.best_systems([made], k=2)
    assert best.to_numpy().tolist() == [["made-up", 6, "s3", 12], ["made-up", 3, "s0", 6]]
    assert topk.lead(made) == 2


def test_the_slider_moves_values_and_bars_of_every_group(simulated):
    table = topk.table(simulated, groups=["abs", "mix"], **DRAWS)
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


def test_window_counted_by_hand():
    # metric 0, 1, 3, 3; human 0, 2, 1, 1. Differences by pair (metric, human):
    # 01 (-1,-2) 02 (-3,-1) 03 (-3,-1) 12 (-2,+1) 13 (-2,+1) 23 (0,0)
    metric, human = [0, 1, 3, 3], [0, 2, 1, 1]
    window = margin_correlation(metric, human, lower=0, upper=2)
    assert (window.n_pairs, window.n_concordant, window.n_discordant, window.n_tied_both) == (4, 1, 2, 1)
    assert window.value == pytest.approx((1 - 2) / 3)
    assert margin_correlation(metric, human, lower=3, upper=9).value == 1
    assert margin_correlation(metric, human, lower=1, upper=1).n_pairs == 1  # both ends belong to the window


def test_an_empty_window_has_no_value():
    window = margin_correlation([0, 5, 9], [1, 2, 3], lower=6, upper=8)
    assert window.n_pairs == 0
    assert math.isnan(window.value)


@given(
    scores=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=3, max_size=9),
    bounds=st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted),
)
@settings(max_examples=200, deadline=None)
def test_windows_equal_counting_pairs_one_by_one(scores, bounds):
    lower, upper = bounds
    metric, human = zip(*scores, strict=True)
    pairs = [
        (metric[i] - metric[j], human[i] - human[j])
        for i in range(len(metric))
        for j in range(i + 1, len(metric))
        if lower <= abs(metric[i] - metric[j]) <= upper
    ]
    window = margin_correlation(metric, human, lower=lower, upper=upper)
    np.testing.assert_allclose(window.value, oracles.tau_b_of_pairs(pairs), atol=1e-12)
    assert window.n_pairs == len(pairs)


def test_all_pairs_give_kendalls_tau():
    rng = np.random.default_rng(9)
    metric, human = rng.integers(0, 9, 12).astype(float), rng.integers(0, 9, 12).astype(float)
    window = closest_pairs(metric, human, n_closest=66)
    assert window.value == pytest.approx(oracles.coefficient(metric, human, "kendall"))


def test_ties_with_the_last_pair_are_taken_in():
    window = closest_pairs([0, 1, 2, 3], [0, 1, 2, 3], n_closest=1)
    assert (window.n_pairs, window.upper) == (3, 1.0)


def test_rounding_errors_do_not_move_a_pair_out_of_its_window():
    # 0.3 - 0.1 and 0.5 - 0.3 are both 0.2 on paper, 0.19999999999999998 and 0.2 in floating point
    window = margin_correlation([0.1, 0.3, 0.5], [1, 2, 3], lower=0.2, upper=0.2)
    assert window.n_pairs == 2


@pytest.mark.parametrize(
    ("n_pairs", "n_windows", "sizes"),
    [
        (120, 10, [12, 24, 36, 48, 60, 72, 84, 96, 108, 120]),
        (276, 10, [28, 56, 84, 112, 140, 168, 196, 224, 252, 276]),
        (3, 3, [1, 2, 3]),
        (5, 4, [2, 4, 5, 5]),
    ],
)
def test_window_sizes(n_pairs, n_windows, sizes):
    assert window_sizes(n_pairs, n_windows) == sizes


def test_tables_trace_every_row():
    rng = np.random.default_rng(10)
    human, a = rng.normal(size=(2, 6, 8))
    made = benchmark(human, {"a": a})
    table = margin_table(made, n_windows=5)
    assert table["percent"].tolist() == [20, 40, 60, 80, 100]
    assert table["n_pairs"].tolist() == [3, 6, 9, 12, 15]
    assert table["value"].iloc[-1] == pytest.approx(oracles.system_level(a, human, "kendall"))
    window = window_table(made, windows=[(0, 0.1)]).iloc[0]
    assert (window["lower"], window["upper"]) == (0, 0.1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: margin_correlation([1, 2, 3], [1, 2, 3], lower=2, upper=1),
            "0 <= lower <= upper, got 2 and 1",
        ),
        (lambda: margin_correlation([1, 2, 3], [1, 2, 3], lower=-1, upper=1), "got -1 and 1"),
        (lambda: margin_correlation([1, 2, 3], [1, 2], lower=0, upper=1), "got shapes (3,) and (2,)"),
        (lambda: margin_correlation([1, math.nan, 3], [1, 2, 3], lower=0, upper=1), "got 2 of 3"),
        (
            lambda: closest_pairs([1, 2, 3], [1, 2, 3], n_closest=4),
            "from 1 to the number of pairs (3), got 4",
        ),
        (lambda: window_sizes(3, 10), "from 1 to the number of pairs (3), got 10"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        call()
    assert text in str(caught.value)
