import numpy as np
import pandas as pd

from helpers.experiments import lite2
from tests.figures.support import visible

PRESENCE = pd.DataFrame(
    {
        "metric": ["words", "light"] * 4,
        "level": np.repeat(["system", "summary"], 4),
        "coefficient": ["pearson", "pearson", "spearman", "spearman"] * 2,
        "value": np.linspace(0.1, 0.8, 8),
        "lowest": np.linspace(0.05, 0.7, 8),
        "highest": np.linspace(0.2, 0.9, 8),
    }
)


def test_presence_dots_show_one_coefficient_and_all_models():
    figure = lite2.presence_dots(PRESENCE)
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


def test_calibration_is_one_line_per_model():
    table = pd.DataFrame(
        {
            "presence": ["words", "words", "light"],
            "predicted": [0.1, 0.9, 0.5],
            "present": [0, 1, 0.4],
            "n_labels": 3,
        }
    )
    diagonal, words, light = lite2.presence_calibration(table).data
    assert (list(diagonal.x), list(words.y), list(light.x)) == ([0, 1], [0, 1], [0.5])
