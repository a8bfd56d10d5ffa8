"""Tables of windows: their rows by hand, their units, and what they do not depend on."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import margins
from helpers.kit.papers import published_gains
from metaeval import analysis
from metaeval.core.errors import DataError, UnknownNameError
from tests import oracles
from tests.builders import benchmark, with_gaps
from tests.kit.figures import TWO, seen, series


def made(seed=0, n_systems=8, n_documents=12, *, scale=100.0, name="made-up"):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n_systems, n_documents))
    score = human + rng.normal(size=human.shape)
    result = benchmark(human, {"a": score, "b": -score + rng.normal(size=score.shape)}, name=name)
    return dataclasses.replace(result, scale={"a": scale, "b": scale})


def windows_of(data, *windows, **settings):
    return margins.window_table([data], windows=windows, **({"n_resamples": 5, "rng": 0} | settings))


def test_every_cell_equals_counting_its_pairs():
    data = made(1)
    metric, human = (a.mean("document").to_numpy() for a in (data.metric("a"), data.human))
    grid = analysis.margins.grid([data.select(metrics=["a"])], n_windows=4, n_resamples=0)
    assert len(grid) == 10
    for row in grid.to_dict("records"):
        first = row["from_percent"] == 0
        # a sliver wider than the edges, for rounding errors
        low, high = row["lower"] + (0 if first else 1e-9), row["upper"] + 1e-9
        tau, n_pairs = oracles.window(metric, human, low, high, lower_open=not first)
        assert row["n_pairs"] == n_pairs == 7 * round((row["to_percent"] - row["from_percent"]) / 25)
        assert row["value"] == pytest.approx(tau)


def test_the_curve_of_closest_pairs_carries_its_percents():
    data = made(10, n_systems=6)
    curve = analysis.margins.closest([data.select(metrics=["a"])], n_windows=5, n_resamples=0)
    assert curve["percent"].tolist() == [20, 40, 60, 80, 100]
    assert curve["n_pairs"].tolist() == [3, 6, 9, 12, 15]
    scores = data.metric("a").to_numpy()
    assert curve["value"].iloc[-1] == pytest.approx(
        oracles.system_level(scores, data.human.to_numpy(), "kendall")
    )
    assert curve[["low", "high"]].isna().all(axis=None)  # without draws there is no interval


@pytest.mark.parametrize("coefficient", ["kendall", "pearson", "spearman"])
def test_a_window_at_the_borders_of_the_grid_is_its_cell(coefficient):
    data, settings = made(3), {"n_windows": 4, "coefficient": coefficient, "n_resamples": 20, "rng": 2}
    grid = analysis.margins.grid(data, **settings)
    for lower, upper in ((0, 25), (25, 75), (0, 100)):
        cell = grid[(grid["from_percent"] == lower) & (grid["to_percent"] == upper)]
        found = analysis.margins.window(data, lower=lower, upper=upper, **settings)
        assert len(found) == len(cell) == 2
        shared = [column for column in cell if column != "remark"]
        pd.testing.assert_frame_equal(found[shared], cell[shared].reset_index(drop=True), rtol=1e-12)


def test_a_window_in_points_tells_its_shares():
    # differences 1 2 3 4 6 7: one below 2, four up to 4
    data = benchmark(np.array([[0.0], [1], [2], [3]]), {"m": np.array([[0.0], [1], [3], [7]])})
    row = analysis.margins.window(data, lower=2, upper=4, unit="points", n_resamples=0).iloc[0]
    assert (row["n_pairs"], row["share_held"]) == (3, 0.5)
    assert row[["from_percent", "to_percent"]].tolist() == pytest.approx([100 / 6, 400 / 6])
    assert row[["lower", "upper"]].tolist() == [2, 4]
    between = analysis.margins.window(data, lower=20, upper=60, n_windows=3, n_resamples=0).iloc[
        0
    ]  # 1.2 and 3.6 pairs
    assert between[["lower", "upper", "n_pairs"]].tolist() == [2, 4, 2]


def test_an_interval_that_leaves_out_its_estimate_is_said():
    data, settings = made(1, n_systems=8, n_documents=6), {"n_windows": 4, "n_resamples": 100, "rng": 1}
    grid = analysis.margins.grid(data, **settings)
    row = grid[analysis.margins.leaves_out_estimate(grid)].iloc[0]
    assert row["value"] == 1 > row["high"]  # which almost no draw keeps
    ends = {"lower": row["from_percent"], "upper": row["to_percent"]}
    one = analysis.margins.window(data.select(metrics=[row["metric"]]), **ends, **settings)
    assert one["remark"].item() == row["remark"]


@pytest.mark.parametrize("table", [analysis.margins.closest, analysis.margins.grid])
def test_every_row_whose_interval_leaves_out_its_estimate_says_so(table):
    found = table(made(11, n_systems=8, n_documents=6), n_windows=4, n_resamples=100, rng=1)
    outside = analysis.margins.leaves_out_estimate(found)
    assert outside.any()
    assert found["remark"].str.endswith(analysis.margins.OUTSIDE).tolist() == outside.tolist()


def test_few_pairs_make_windows_that_all_grow():
    curve = analysis.margins.closest(
        made(n_systems=7).select(metrics=["a"]), n_resamples=0
    )  # 21 pairs, ten windows
    assert curve["n_pairs"].tolist() == [3, 5, 7, 9, 11, 13, 15, 17, 19, 21]
    assert curve["share_held"].tolist() == [n / 21 for n in curve["n_pairs"]]


def test_both_ends_of_a_given_window_belong_to_it():
    data = benchmark(np.array([[0.0], [1], [2], [3]]), {"m": np.array([[0.0], [1], [3], [7]])})
    found = windows_of(data, (0, 1), (1, 3))
    assert found[["lower", "upper"]].to_numpy().tolist() == [[0, 1], [1, 3]]
    assert found["n_pairs"].tolist() == [1, 3]


def test_intervals_are_percentiles_of_the_draws():
    # two documents that order the systems in opposite ways: a quarter of the draws hold one of them only
    human = np.array([[0.0, 0], [1, 1], [2, 2]])
    data = benchmark(human, {"m": np.array([[0.0, 5], [1, 4], [2, 3]])})
    found = windows_of(data, (0, 99), n_resamples=400, confidence_level=0.9)
    assert found[["low", "high"]].to_numpy().tolist() == [[-1, 1]]


def test_agreement_counts_a_tie_half():
    # differences (metric, human): 01 (-1, 0), 02 (-2, -1), 12 (-1, -1): one human tie, two concordant
    data = benchmark(np.array([[1.0], [1], [2]]), {"m": np.array([[0.0], [1], [2]])})
    row = windows_of(data, (0, 2)).iloc[0]
    assert (row["n_concordant"], row["n_tied_human"], row["agreement"]) == (2, 1, pytest.approx(2.5 / 3))
    assert row["remark"] == "few pairs: one of 3 moves τ by 0.67"


def test_an_empty_window_says_why():
    row = windows_of(made(5), (50, 60)).iloc[0]
    assert row["n_pairs"] == 0
    assert row["remark"] == "empty: no pair differs by 50.00 to 60.00 points"
    assert row[["value", "low", "high", "agreement"]].isna().all()
    assert row["n_undefined"] == 5


def test_a_window_in_which_people_never_differ_is_undefined_not_zero():
    row = windows_of(benchmark(np.ones((4, 2)), {"m": np.arange(8.0).reshape(4, 2)}), (0, 99)).iloc[0]
    assert math.isnan(row["value"])
    assert row["remark"] == "undefined: one side ties on all 6 pairs"


@pytest.mark.parametrize("table", [analysis.margins.closest, analysis.margins.grid])
def test_no_row_depends_on_what_else_was_asked(table):
    settings = {"n_windows": 3, "n_resamples": 30}
    data, other = made(6), made(7, name="other")
    everything = table([other, data], **settings, rng=5)
    alone = table([data.select(metrics=["b"])], **settings, rng=5)
    columns = ["value", "low", "high"]
    same = everything[(everything["dataset"] == "made-up") & (everything["metric"] == "b")]
    np.testing.assert_array_equal(same[columns], alone[columns])
    assert not np.allclose(table([data], **settings, rng=6)["low"], table([data], **settings, rng=5)["low"])


def test_gains_are_in_points_whatever_the_scale():
    hundred, one = made(7), made(7, scale=1.0)
    np.testing.assert_allclose(margins.scale_to_points(one).scores, 100 * hundred.scores)
    settings = {"gains": [30, 60], "half_width": 20, "n_resamples": 5, "rng": 0}
    found = margins.agreement_by_gain([one], **settings)
    same = margins.agreement_by_gain([margins.scale_to_points(one)], **settings)
    np.testing.assert_allclose(found["value"], same["value"])
    around = found[(found["reading"] == "around") & (found["metric"] == "a")]
    assert around[["lower", "upper"]].to_numpy().tolist() == [[10, 50], [40, 80]]


def test_missing_systems_are_left_out_of_both_sides():
    rng = np.random.default_rng(8)
    human = rng.normal(size=(7, 6))
    score = with_gaps(rng, rng.normal(size=(7, 6)), 0.2)
    score[3] = np.nan
    curve = analysis.margins.closest([benchmark(human, {"m": score})], n_windows=3, n_resamples=10, rng=0)
    assert curve["n_pairs"].iloc[2] == 15  # six systems
    means = np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in score])
    expected = oracles.coefficient(means, human.mean(axis=1), "kendall")
    assert curve["value"].iloc[2] == pytest.approx(expected)


def test_facts_of_a_benchmark_by_hand():
    # means 0, 1, 3, 7: gaps 1, 2, 4; differences 1 2 3 4 6 7, two of six within 2
    data = benchmark(np.array([[0.0], [1], [2], [3]]), {"m": np.array([[0.0], [1], [3], [7]])})
    found = margins.facts([data], gain=2, n_windows=3).set_index(["quantity", "rank"])["value"]
    assert found["gap"].to_dict() == pytest.approx({1: 4, 2: 2, 3: 1})
    assert found["upper end"].round(9).tolist() == [2, 4, 7]
    assert found["percent of pairs within the gain"].iloc[0] == pytest.approx(100 / 3)
    assert found["systems"].iloc[0] == 4


def test_the_effect_of_counting_a_border_twice():
    # means 0, 1, 3, 7: differences 1 2 3 4 6 7; two shares of three pairs, border at 3
    data = benchmark(np.array([[0.0], [1], [2], [3]]), {"m": np.array([[0.0], [1], [3], [7]])})
    effect = margins.border_effect([data], n_windows=2).set_index("windows")
    assert effect["n_extra_pairs"].to_dict() == {"first": 0, "others": 1}


def call(**settings):
    return lambda: analysis.margins.grid(
        [made()], **({"n_windows": 3, "n_resamples": 3, "rng": 0} | settings)
    )


def one(**settings):
    return lambda: analysis.margins.window(made(), **settings, n_resamples=3, rng=0)


def gains(data=None, **settings):
    return lambda: margins.agreement_by_gain([data or made()], **settings, rng=0)


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (call(n_windows=29), DataError, "made-up, a: `n_windows` must be from 1 to the number of pairs (28)"),
        (call(n_resamples=-1), ValueError, "`n_resamples` must be at least 0, got -1"),
        (call(confidence_level=95), ValueError, "must be in (0, 1), got 95; did you mean 0.95?"),
        (call(borders="never"), UnknownNameError, "unknown borders 'never'; known: once, twice"),
        (call(coefficient="tau"), UnknownNameError, "unknown coefficient 'tau'"),
        (one(lower=40, upper=10), ValueError, "0 <= lower < upper <= 100, got 40 and 10"),
        (one(lower=0, upper=100.5), ValueError, "0 <= lower < upper <= 100, got 0 and 100.5"),
        (one(lower=5, upper=1, unit="points"), ValueError, "0 <= lower <= upper, got '5 to 1'"),
        (
            one(lower=0, upper=1, unit="pairs"),
            UnknownNameError,
            "unknown unit 'pairs'; known: percent, points",
        ),
        (gains(gains=[]), ValueError, "0 or more points, got []"),
        (gains(gains=[-1]), ValueError, "got [-1]"),
        (gains(gains=[1], half_width=0), ValueError, "above 0 points, got 0"),
        (
            gains(dataclasses.replace(made(), scale={"b": 1}), gains=[1]),
            DataError,
            "needs the metric's scale, and none is known for 'a'",
        ),
        (
            lambda: analysis.margins.closest(
                [benchmark(np.eye(4), {"m": np.full((4, 4), np.nan)})], n_windows=1
            ),
            DataError,
            "made-up, m: at least 3 systems must have both means, got 0 of 4",
        ),
    ],
)
def test_mistakes_are_named(mistake, error, text):
    with pytest.raises(error) as caught:
        mistake()
    assert text in str(caught.value)


def test_reported_gains_stand_below_the_curve_that_they_are_read_at():
    gains, _ = margins.survey()
    curve = margins.agreement_by_gain([made()], gains=[0.5], n_resamples=5, rng=0)
    found = margins.curve_and_gains(curve, gains)
    pd.testing.assert_frame_equal(
        found[: len(curve)][curve.columns], curve, check_dtype=False, check_index_type=False
    )
    published = found[found["reading"] == "published"]
    assert len(published) == len(gains) == len(found) - len(curve)
    assert published["gain"].tolist() == gains["gain"].tolist()
    assert published["paper"].tolist() == gains["paper"].tolist()
    assert published["n_pairs"].isna().all()
    # counts stay whole in the file that a reader copies
    assert found.to_csv(index=False).splitlines()[1].split(",")[7] == str(curve["n_pairs"][0])


def test_a_heatmap_cell_says_what_it_rests_on_or_why_it_is_empty():
    grid = analysis.margins.grid([TWO[0].select(metrics=["ROUGE-1"])], n_windows=3, n_resamples=4, rng=0)
    empty = grid.index[(grid["from_percent"] > 30) & (grid["to_percent"] < 70)]
    grid.loc[empty, ["value", "n_pairs", "remark"]] = [np.nan, 0, "empty: no pair differs by so much"]
    (trace,) = margins.margin_heatmap(grid).data
    assert trace.z[1][1] is None
    assert "0 pairs" in trace.hovertext[1][1]
    assert trace.hovertext[1][1].endswith("empty: no pair differs by so much")
    assert trace.z[1][0] is None
    assert trace.hovertext[1][0] == "ℓ > u"
    first = grid.iloc[0]  # ten pairs, four in the first share: too few to write a value
    assert ">n = 4<" in trace.text[0][0]
    assert f"τ = {first['value']:.2f} [{first['low']:.2f}, {first['high']:.2f}]" in trace.hovertext[0][0]
    assert ">" + f"{grid.iloc[2]['value']:.2f}".replace("0.", ".") + "<" in trace.text[0][2]


def test_a_cell_whose_interval_leaves_out_its_estimate_says_so():
    grid = analysis.margins.grid([TWO[0].select(metrics=["ROUGE-1"])], n_windows=3, n_resamples=4, rng=0)
    grid["remark"] = ["", "", analysis.margins.OUTSIDE, "", "", ""]
    (trace,) = margins.margin_heatmap(grid).data
    assert trace.hovertext[0][2].endswith(analysis.margins.OUTSIDE)
    assert analysis.margins.OUTSIDE not in trace.hovertext[1][2]


def test_a_window_is_framed_in_the_heatmap_and_stands_beside_the_curve():
    data, settings = TWO[0].select(metrics=["ROUGE-1"]), {"n_windows": 5, "n_resamples": 4, "rng": 0}
    grid = analysis.margins.grid(data, **settings)
    for lower, upper in ((20, 60), (25, 61)):
        chosen = analysis.margins.window(data, lower=lower, upper=upper, **settings)
        cells, frame, curve, one = series(margins.margin_window(chosen, grid))
        assert cells.z[1][2] == grid.query("from_percent == 20 and to_percent == 60")["value"].round(3).item()
        assert (np.mean(frame.x[:2]), np.mean(frame.y[1:3])) == (upper / 20 - 1, lower / 20)
        from_0 = grid[grid["from_percent"] == 0]
        np.testing.assert_allclose(curve.x, 100 * from_0["share_held"])
        np.testing.assert_array_equal(curve.y, from_0["value"])
        assert (one.x[0], one.y[0], one.name) == (upper, chosen["value"].item(), f"{lower} to {upper} %")


def test_the_published_gains_stand_whatever_is_chosen():
    table = margins.agreement_by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0)
    figure = margins.gain_curves(table, published_gains())
    for metric in ("ROUGE-1", "BERTScore"):
        chosen = f"{metric}, {table['reading'].iloc[0]} this many points"
        *lines, dots = seen(figure, Pairs_that_differ=chosen)
        assert len(dots.x) == len(published_gains())
        assert [line.name for line in lines] == ["one", "other"]
        # or the bars of one data set would hide those of the other
        assert len({trace.yaxis for trace in (*lines, dots)}) == 3


def test_papers_are_counted_and_shares_are_in_percent():
    table = margins.agreement_by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0)
    *shares, papers = margins.gain_curves(table, published_gains()).select_yaxes()
    assert {axis.ticktext for axis in shares} == {
        ("0\N{NO-BREAK SPACE}%", "50\N{NO-BREAK SPACE}%", "100\N{NO-BREAK SPACE}%")
    }
    assert papers.tickmode == "auto"


def test_curves_of_gains_move_with_the_metric_and_its_reading():
    table = margins.agreement_by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0)
    figure = margins.gain_curves(table, published_gains())
    for metric in ("ROUGE-1", "BERTScore"):
        for reading in table["reading"].unique():
            *lines, _ = seen(figure, Pairs_that_differ=f"{metric}, {reading} this many points")
            for line in lines:
                keys = ["dataset", "metric", "reading"]
                rows = table.set_index(keys).sort_index().loc[(line.name, metric, reading)]
                np.testing.assert_array_equal(line.x, rows["gain"])
                np.testing.assert_array_equal(line.y, rows["agreement"])
                known = rows["agreement"].notna().to_numpy()
                above = np.clip(rows["agreement_high"] - rows["agreement"], 0, None)[known]
                np.testing.assert_allclose(np.array(line.error_y.array)[known], above, atol=1e-5)


def test_printed_curves_stand_beside_the_measured():
    table = analysis.margins.closest(TWO, n_resamples=4, rng=0)
    printed = table.assign(value=0.5)[["dataset", "metric", "percent", "value"]]
    traces = series(margins.margin_curves(table, printed))
    measured, theirs = traces[: len(traces) // 2], traces[len(traces) // 2 :]
    assert [(t.xaxis, t.yaxis) for t in measured] == [(t.xaxis, t.yaxis) for t in theirs]
    assert {y for trace in theirs for y in trace.y} == {0.5}
    assert [trace.name for trace in traces if trace.showlegend] == [measured[0].name, theirs[0].name]
