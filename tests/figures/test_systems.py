import pytest

from helpers.experiments import systems
from metaeval import analysis
from metaeval.tables.labels import GROUP_LABELS
from tests.figures.support import MADE, menus, points, seen

GROUPS = ["abs", "mix"]


def test_intervals_of_correlations_move_with_the_coefficient_and_can_be_hidden():
    table = analysis.systems.table(
        MADE, groups=GROUPS, coefficients=["pearson", "kendall"], method="Boot-Both", n_resamples=9, rng=0
    )
    figure = systems.correlation_dots(table)
    assert all(trace.error_x.visible is not False for trace in seen(figure))
    assert not any(trace.error_x.visible for trace in seen(figure, Intervals="hidden"))
    traces = seen(figure, Coefficient="Kendall's τ")
    keys = [(level, group) for level in table["level"].unique() for group in GROUPS]
    assert len(traces) == len(keys)
    for trace in traces:
        level = table["level"].unique()[int(trace.xaxis.removeprefix("x") or 1) - 1]
        (group,) = (group for group in GROUPS if GROUP_LABELS[group] == trace.name)
        keys = ["coefficient", "level", "group", "metric"]
        rows = table.set_index(keys).sort_index().loc["kendall", level, group]
        for metric, (value, low, high) in points(trace).items():
            assert value == rows.loc[metric, "value"]
            assert low == pytest.approx(min(value, rows.loc[metric, "low"]), abs=1e-5)
            assert high == pytest.approx(max(value, rows.loc[metric, "high"]), abs=1e-5)
    assert len(menus(systems.correlation_dots(table.drop(columns=["low", "high"])))) == 1


def test_williams_heatmap_leaves_the_lower_correlation_empty(made):
    table = systems.comparisons(made, groups=GROUPS)
    cells = table.set_index(["group", "metric", "rival"])
    figure = systems.williams_heatmap(table)
    for group in GROUPS:
        (heat,) = seen(figure, Systems=GROUP_LABELS[group])
        for i, row in enumerate("abc"):
            for j, column in enumerate("abc"):
                if row == column:
                    assert heat.z[i][j] is None
                    continue
                cell = cells.loc[(group, row, column)]
                expected = None if cell["value"] < 0 else cell["pvalue"]
                assert heat.z[i][j] == expected


def test_differences_are_drawn_with_their_intervals_a_panel_for_each_part(made):
    table = analysis.systems.differences(
        made, groups=["abs", "ext"], coefficients=["pearson", "kendall"], n_resamples=20
    )
    traces = seen(systems.difference_dots(table), Coefficient="Kendall's τ")
    changes = table.query("quantity == 'difference' and coefficient == 'kendall'")
    drawn = [value for trace in traces for value, _, _ in points(trace).values()]
    assert sorted(drawn) == sorted(changes["value"])
    assert len({trace.xaxis for trace in traces}) == 2
    assert all("<br>difference of correlations (Kendall's τ): " in trace.hovertemplate for trace in traces)
