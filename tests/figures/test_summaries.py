import numpy as np

from helpers.experiments import summaries
from tests.figures.support import points, seen

GROUPS = ["abs", "mix"]


def test_level_dots_move_with_coefficient_and_documents(made):
    table = summaries.table(made, groups=GROUPS, alpha=0.2)
    figure = summaries.level_dots(table)
    (menu,) = figure.layout.updatemenus
    assert len(menu.buttons) == 4
    trace = seen(figure, Documents="Kendall's τ, significant")[3]
    rows = table.query(
        "coefficient == 'kendall' and documents == 'significant' and level == 'difference' and group == 'mix'"
    ).set_index("metric")
    for metric, said, (value, _, _) in zip(trace.y, trace.customdata, points(trace).values(), strict=True):
        assert value == rows.loc[metric, "value"] or np.isnan(value)
        assert said.endswith(f"used: {rows.loc[metric, 'n_used']}")


def test_a_hover_calls_a_difference_a_difference(made):
    figure = summaries.level_dots(summaries.table(made, groups=GROUPS))
    told = {trace.xaxis: trace.hovertemplate for trace in figure.data if trace.hovertemplate}
    assert "correlation with people: " in told["x"]
    assert "difference of correlations: " in told["x2"]
