"""Dropdowns of figures: what a choice draws is what the table holds, and two choices do not disturb each other."""

import numpy as np
import pandas as pd
import pytest

from helpers import figures
from helpers.experiments import intervals, systems, tests
from helpers.experiments.benchmarks import spread
from helpers.labels import GROUP_LABELS, words
from helpers.notebook import verdict_bars
from helpers.papers import claims
from helpers.stats.intervals import fisher_bounds
from tests.builders import benchmark
from tests.figures.support import points, seen

RNG = np.random.default_rng(5)
HUMAN = RNG.normal(size=(8, 9))
MADE = benchmark(
    HUMAN,
    {name: HUMAN + s * RNG.normal(size=(8, 9)) for name, s in (("a", 0.2), ("b", 2), ("c", 3))},
    types={f"s{i}": "abs" if i < 5 else "ext" for i in range(8)},
)
INTERVALS = intervals.table(
    MADE, coefficients=["kendall"], methods=["Boot-Both", "Fisher"], n_resamples=99, rng=0
)
TESTS = tests.table(MADE, methods=["Perm-Both", "Williams"], n_resamples=99, rng=0)
RESULTS = systems.table(
    MADE,
    groups=["abs", "mix"],
    coefficients=["pearson", "kendall"],
    method="Boot-Both",
    n_resamples=9,
    rng=0,
)


def menus(figure):
    return {
        menu.name: {button.label: button.args for button in menu.buttons}
        for menu in figure.layout.updatemenus
    }


@pytest.mark.parametrize(
    "figure",
    [
        figures.interval_bars(INTERVALS, confidence_level=0.95),
        figures.difference_heatmap(tests.outcomes(TESTS, alpha=0.05)),
        figures.correlation_dots(RESULTS),
    ],
)
def test_two_dropdowns_change_different_attributes_of_traces_that_exist(figure):
    changed = []
    for choices in menus(figure).values():
        keys = set()
        for change, *traces in choices.values():
            keys |= set(change)
            n_changed = len(traces[0]) if traces else len(figure.data)
            assert all(
                len(values) == n_changed for values in change.values() if isinstance(values, list | tuple)
            )
        changed.append(keys)
    assert len(changed) == 2
    assert not changed[0] & changed[1]


@pytest.mark.parametrize("method", ["Boot-Both", "Fisher"])
@pytest.mark.parametrize(("choice", "low", "high"), [("95 %", "low", "high"), ("80 %", "q10", "q90")])
def test_bars_lie_where_the_table_has_the_intervals(method, choice, low, high):
    figure = figures.interval_bars(INTERVALS, confidence_level=0.95)
    assert list(menus(figure)["Interval"]) == ["95 %", "90 %", "80 %"]
    names = INTERVALS[["level", "dataset"]].drop_duplicates().to_dict("records")
    bars = [trace for trace in seen(figure, Method=method, Interval=choice) if trace.type == "bar"]
    assert len(bars) == 2 * len(names)
    for trace in bars:
        panel = names[int(trace.xaxis.removeprefix("x") or 1) - 1]
        keys = ["method", "level", "dataset", "metric"]
        rows = INTERVALS.set_index(keys).sort_index().loc[method, panel["level"], panel["dataset"]]
        columns = (low, high) if trace.width == 0.25 else ("q25", "q75")
        for metric, start, width in zip(trace.y, trace.base, trace.x, strict=True):
            ends = rows.loc[metric, list(columns)].fillna(rows.loc[metric, columns[0]])
            np.testing.assert_allclose([start, start + width], ends)


def test_narrower_intervals_by_a_formula_are_those_of_the_formula():
    figure = figures.interval_bars(INTERVALS, confidence_level=0.95)
    thin = next(t for t in seen(figure, Method="Fisher", Interval="80 %") if t.width == 0.25)
    row = INTERVALS.query("method == 'Fisher' and metric == 'b'").iloc[0]
    at = list(thin.y).index("b")
    expected = fisher_bounds(row["value"], 8, coefficient="kendall", confidence_level=0.8)  # 8 systems
    assert (thin.base[at], thin.base[at] + thin.x[at]) == pytest.approx(expected)


def test_every_test_has_its_own_grid():
    for level in TESTS["level"].unique():
        figure = figures.difference_heatmap(tests.outcomes(TESTS, alpha=0.05))
        heat = seen(figure, Test="Williams", Level=words("level", level))[0]
        rows = TESTS[(TESTS["method"] == "Williams") & (TESTS["level"] == level)]
        cell = rows.set_index(["metric", "rival"]).loc["a", "c"]
        numbers = heat.customdata[list(heat.y).index("a")][list(heat.x).index("c")]
        assert list(numbers) == pytest.approx(
            [cell["value"], cell["pvalue"], cell["adjusted_pvalue"]], abs=1e-5
        )


def test_intervals_of_correlations_move_with_the_coefficient_and_can_be_hidden():
    figure = figures.correlation_dots(RESULTS)
    assert all(trace.error_x.visible is not False for trace in seen(figure))
    assert not any(trace.error_x.visible for trace in seen(figure, Intervals="hidden"))
    traces = seen(figure, Coefficient="Kendall's τ")
    keys = [(level, group) for level in RESULTS["level"].unique() for group in ("abs", "mix")]
    assert len(traces) == len(keys)
    for trace in traces:
        level = RESULTS["level"].unique()[int(trace.xaxis.removeprefix("x") or 1) - 1]
        (group,) = (group for group in ("abs", "mix") if GROUP_LABELS[group] == trace.name)
        keys = ["coefficient", "level", "group", "metric"]
        rows = RESULTS.set_index(keys).sort_index().loc["kendall", level, group]
        for metric, (value, low, high) in points(trace).items():
            assert value == rows.loc[metric, "value"]
            assert low == pytest.approx(min(value, rows.loc[metric, "low"]), abs=1e-5)
            assert high == pytest.approx(max(value, rows.loc[metric, "high"]), abs=1e-5)
    assert len(menus(figures.correlation_dots(RESULTS.drop(columns=["low", "high"])))) == 1


def test_the_metric_beside_people_can_be_picked():
    table = spread(MADE)
    figure = figures.score_spread(table)
    change, traces = menus(figure)["Metric"]["c"]
    systems = list(figure.data[traces[1]].y)  # in the order in which people rank them
    rows = table.query("metric == 'c' and system_type == 'ext'").set_index("system").loc[systems]
    assert [figure.data[i].name for i in traces] == ["abstractive", "extractive"]
    assert change["x"][1] == rows["mean"].tolist()
    assert change["error_x.array"][1] == pytest.approx(rows["upper_quartile"] - rows["mean"], abs=1e-5)
    people = [trace for i, trace in enumerate(figure.data) if i not in traces]
    expected = table.query("metric == 'human' and system_type == 'abs'")["mean"]
    assert sorted(people[0].x) == sorted(expected)


def test_curves_to_compare_have_one_axis():
    table = pd.DataFrame(
        {"group": "mix", "coefficient": "kendall", "metric": "a", "k": [4, 5], "value": [0.1, 0.2]}
    )
    low = table.assign(value=-0.9)
    alone, one, other = (
        figures.top_k_curves(results, beside=beside).layout.yaxis.range
        for results, beside in ((table, None), (table, low), (low, table))
    )
    assert one == other
    assert one != alone


VERDICTS = pd.DataFrame(
    {
        "paper": ["zhang2021lite"] * 20 + ["<b>"],
        "verdict": ["exact"] * 12 + ["differs"] * 7 + ["not run", "holds"],
    }
)


def test_bars_of_verdicts_count_what_the_scorecard_holds():
    figure = figures.verdict_counts(claims.counts(VERDICTS))
    counted = {trace.name: dict(zip(trace.y, trace.x, strict=True)) for trace in figure.data}
    assert counted["differs"] == {"Zhang and Bansal 2021": 7, "<b>": 0}
    assert list(menus(figure)["Bars"]) == ["numbers", "shares"]
    text = verdict_bars(VERDICTS)
    assert 'aria-label="12 exact, 7 differs, 1 not run"' in text
    assert "Zhang and Bansal 2021</span><span>20 claims" in text
    assert "&lt;b&gt;</span><span>1 claim</span>" in text
    # a segment for each verdict; one of 20 is too short for its number
    assert [f"flex-grow:{n};" in text for n in (12, 7, 1)] == [True] * 3
    assert ">7</span>" in text
    assert ">1</span>" in text.partition("&lt;b&gt;")[2]
    assert ">1</span>" not in text.partition("&lt;b&gt;")[0]
    assert "within" not in text
