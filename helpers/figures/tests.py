"""figures.tests: which metric is significantly better than which.

Draws the table of `helpers.experiments.tests`; called by the notebook tests and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.experiments.tests import OUTCOMES
from helpers.kit.panels import Panels, grid, heatmap, label
from helpers.kit.theme import GREY, ORANGE, SKY
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue

_OF_OUTCOME = ("rgba(138,138,138,0.2)", SKY, ORANGE, GREY)
_N = len(_OF_OUTCOME)
_COLOURS = [[(n + side) / _N, colour] for n, colour in enumerate(_OF_OUTCOME) for side in (0, 1)]


def difference_heatmap(tests: pd.DataFrame) -> go.Figure:
    """Which metric (row) is significantly better than which (column), one panel per data set.

    Dropdowns pick the test and the level.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.tests.outcomes`
    """
    numbers = [
        [
            round(row.value, 5),
            pvalue(row.pvalue, name="p"),
            pvalue(row.adjusted_pvalue, smallest=row.least_pvalue),
            row.n_used,
        ]
        for row in tests.itertuples()
    ]
    shown = tests.assign(numbers=numbers, code=tests["outcome"].map(OUTCOMES.index))
    levels, datasets = shown["level"].unique().tolist(), shown["dataset"].unique().tolist()
    names = {dataset: rows["metric"].unique().tolist() for dataset, rows in shown.groupby("dataset")}
    sheet = Panels(datasets, column="dataset", gap=0.24, own_y=True)
    moving: dict[str, list[dict]] = {level: [] for level in levels}
    parts = dict(iter(shown.groupby(["method", "dataset", "level"], sort=False)))
    for method, dataset in dict.fromkeys((method, dataset) for method, dataset, _ in parts):
        own = names[dataset]
        for level in levels:
            rows = parts[method, dataset, level]
            cells = {
                key: grid(rows, "metric", "rival", own, own, column)
                for key, column in (("z", "code"), ("customdata", "numbers"))
            }
            moving[level].append(cells)
        hover = (
            "<b>%{y} better than %{x}?</b><br>difference %{customdata[0]:+.3f}, %{customdata[1]}, "
            f"corrected %{{customdata[2]}}<br>{label('n_used')}: %{{customdata[3]}}<extra>{method}</extra>"
        )
        trace = heatmap(own, own, colours=_COLOURS, high=_N - 1) | {
            "texttemplate": "",
            "hovertemplate": hover,
        }
        sheet.add(trace | moving[levels[0]][-1], dataset, of={"method": method})
    sheet.moved(moving, levels[0], range(len(sheet.data)))
    for outcome, colour in zip(OUTCOMES, _OF_OUTCOME, strict=True):
        marker = {"symbol": "square", "size": 12, "color": colour}
        sheet.add(
            {"x": [None], "y": [None], "mode": "markers", "name": outcome, "marker": marker}, datasets[0]
        )
    sheet.menu("Test", "method").moving_menu("Level", [words("level", level) for level in levels])
    sheet.x(title="than this metric", tickangle=-60, automargin=True, side="bottom", showgrid=False)
    sheet.y(title="this one is better", autorange="reversed", automargin=True, showgrid=False)
    figure = sheet.figure(height=250 + 26 * max(map(len, names.values())))
    return figure.update_layout(margin={"b": 170})
