import numpy as np
import pandas as pd

from helpers import figures
from tests.figures.support import visible


def test_leaders_are_in_order_and_the_menu_tells_level_and_coefficient():
    table = pd.DataFrame(
        {
            "level": ["summary", "summary", "system", "system"],
            "coefficient": "pearson",
            "metric": ["a", "b", "b", "a"],
            "value": [0.4, 0.3, 0.2, 0.1],
            "low": 0.0,
            "high": 0.9,
        }
    )
    figure = figures.leaderboard_intervals(table)
    (shown,) = visible(figure)
    assert (list(shown.y), list(shown.x)) == (["b", "a"], [0.3, 0.4])  # from below
    assert figure.layout.yaxis.categoryorder == "total ascending"  # whatever the menu shows
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "Pearson's r, summary level",
        "Pearson's r, system level",
    ]


def test_pairings_are_boxes():
    table = pd.DataFrame(
        {"metric": ["a"], "level": ["system"], "lowest": [-0.2], "pairing_values": [np.array([-0.2, 1])]}
    )
    (box,) = figures.pairing_spread(table).data
    assert (box.type, list(box.x)) == ("box", [-0.2, 1])
