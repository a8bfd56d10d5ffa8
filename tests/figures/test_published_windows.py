from helpers.experiments import published_windows
from tests.experiments.test_published_windows import MADE, PRINTED


def test_a_cell_says_what_the_table_says():
    windows = published_windows.grid(PRINTED, n_systems={MADE.name: 16})
    figure = published_windows.rebuilt_heatmap(windows)
    row = windows.query("metric == 'a' and from_percent == 20 and to_percent == 50").iloc[0]
    heat = next(trace for trace in figure.data if trace.visible)
    i, j = list(heat.y).index("20"), list(heat.x).index("50")
    assert ">" + f"{row['value']:.2f}".replace("0.", ".") + "<" in heat.text[i][j]
    assert heat.z[i][j] == row["value"]
    assert f"{row['n_pairs']} pairs" in heat.hovertext[i][j]
    assert "in the released plot" in heat.hovertext[i][j]
    assert heat.z[j][i] is None
