import numpy as np

from helpers.experiments import margins
from helpers.kit.survey import published_gains
from metaeval import analysis
from tests.figures.support import TWO, seen


def test_a_heatmap_cell_says_what_it_rests_on_or_why_it_is_empty():
    grid = analysis.margins.grid([TWO[0].select(metrics=["ROUGE-1"])], n_windows=3, n_resamples=4, rng=0)
    empty = grid.index[(grid["from_percent"] > 30) & (grid["to_percent"] < 70)]
    grid.loc[empty, ["value", "n_pairs", "remark"]] = [np.nan, 0, "empty: no pair differs by so much"]
    (trace,) = margins.margin_heatmap(grid, show_values=True).data
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
    (trace,) = margins.margin_heatmap(grid, show_values=False).data
    assert trace.hovertext[0][2].endswith(analysis.margins.OUTSIDE)
    assert analysis.margins.OUTSIDE not in trace.hovertext[1][2]


def test_a_window_is_framed_in_the_heatmap_and_stands_beside_the_curve():
    data, settings = TWO[0].select(metrics=["ROUGE-1"]), {"n_windows": 5, "n_resamples": 4, "rng": 0}
    grid = analysis.margins.grid(data, **settings)
    for lower, upper in ((20, 60), (25, 61)):
        chosen = analysis.margins.window(data, lower=lower, upper=upper, **settings)
        cells, frame, curve, one = margins.margin_window(chosen, grid).data
        assert cells.z[1][2] == grid.query("from_percent == 20 and to_percent == 60")["value"].round(3).item()
        assert (np.mean(frame.x[:2]), np.mean(frame.y[1:3])) == (upper / 20 - 1, lower / 20)
        from_0 = grid[grid["from_percent"] == 0]
        np.testing.assert_allclose(curve.x, 100 * from_0["share_held"])
        np.testing.assert_array_equal(curve.y, from_0["value"])
        assert (one.x[0], one.y[0], one.name) == (upper, chosen["value"].item(), f"{lower} to {upper} %")


def test_the_published_gains_stand_whatever_is_chosen():
    table = margins.by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0)
    figure = margins.gain_curves(table, published_gains())
    for metric in ("ROUGE-1", "BERTScore"):
        *lines, dots = seen(figure, Metric=metric)
        assert len(dots.x) == len(published_gains())
        assert [line.name for line in lines] == ["one", "other"]
        # or the bars of one data set would hide those of the other
        assert len({trace.yaxis for trace in (*lines, dots)}) == 3


def test_papers_are_counted_and_shares_are_in_percent():
    table = margins.by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0)
    *shares, papers = margins.gain_curves(table, published_gains()).select_yaxes()
    assert {axis.ticktext for axis in shares} == {
        ("0\N{NO-BREAK SPACE}%", "50\N{NO-BREAK SPACE}%", "100\N{NO-BREAK SPACE}%")
    }
    assert papers.tickmode == "auto"


def test_curves_of_gains_move_with_the_metric_and_its_reading():
    table = margins.by_gain(TWO, gains=[0.5, 1], n_resamples=4, rng=0)
    figure = margins.gain_curves(table, published_gains())
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


def test_printed_curves_stand_beside_the_measured():
    table = analysis.margins.closest(TWO, n_resamples=4, rng=0)
    printed = table.assign(value=0.5)[["dataset", "metric", "percent", "value"]]
    traces = margins.margin_curves(table, printed).data
    measured, theirs = traces[: len(traces) // 2], traces[len(traces) // 2 :]
    assert [(t.xaxis, t.yaxis) for t in measured] == [(t.xaxis, t.yaxis) for t in theirs]
    assert {y for trace in theirs for y in trace.y} == {0.5}
    assert [trace.name for trace in traces if trace.showlegend] == [measured[0].name, theirs[0].name]
