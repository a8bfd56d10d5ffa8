import pandas as pd

from helpers.experiments import leaderboard
from tests.figures.support import visible

LEADERS = pd.DataFrame(
    {
        "dataset": "lite-realsumm",
        "level": ["summary", "summary", "system", "system"],
        "coefficient": "pearson",
        "metric": ["ROUGE-1", "JS-2", "JS-2", "ROUGE-1"],
        "value": [0.4, 0.3, 0.2, 0.1],
        "low": 0.0,
        "high": 0.9,
    }
)


def drawn(figure):
    """What of a figure is no entry of the legend."""
    return [trace for trace in visible(figure) if not trace.showlegend]


def test_leaders_are_in_order_and_the_menu_tells_level_and_coefficient():
    figure = leaderboard.leaderboard_intervals(LEADERS)
    shown = {trace.name: (list(trace.y), list(trace.x)) for trace in drawn(figure)}
    assert shown == {"ROUGE": (["ROUGE-1"], [0.4]), "distributions and graphs": (["JS-2"], [0.3])}
    rows = [name.rstrip("\u200b") for name in figure.layout.yaxis.categoryarray]
    assert rows == ["JS-2", "ROUGE-1", " ", "ROUGE-1", "JS-2", "  "]  # from below, board by board
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "Pearson's r, summary level",
        "Pearson's r, system level",
    ]


def test_ranks_stand_behind_names_and_lower_tiers_are_hollow():
    ranked = LEADERS.assign(tier=[1, 2, 1, 1], best_rank=[1, 2, 1, 1], worst_rank=[1, 2, 2, 2], n_systems=9)
    other = ranked[ranked["metric"] == "ROUGE-1"].assign(dataset="lite-pyrxsum")  # a family less
    ranked = pd.concat([ranked, other])
    figure = leaderboard.leaderboard_intervals(ranked)
    names = {name for trace in visible(figure) for name in trace.y if name}
    assert {"ROUGE-1 (1)", "JS-2 (2)"} <= names
    symbols = {trace.name: trace.marker.symbol for trace in drawn(figure)}
    assert symbols == {"ROUGE": ("circle",), "distributions and graphs": ("circle-open",)}
    keys = [(trace.name, trace.marker.symbol) for trace in visible(figure) if trace.showlegend]
    assert keys == [
        ("ROUGE", None),
        ("distributions and graphs", None),
        ("first tier", None),
        ("other tiers", "circle-open"),
    ]
    (boards,) = figure.layout.updatemenus
    assert [button.label for button in boards.buttons] == [
        f"{data}, Pearson's r, {level} level"
        for data in ("REALSumm", "PyrXSum")
        for level in ("summary", "system")
    ]
    of_board = [
        trace for show, trace in zip(boards.buttons[3].args[0]["visible"], figure.data, strict=True) if show
    ]
    assert [name.rstrip("\u200b") for trace in of_board for name in trace.y if name] == ["ROUGE-1 (1–2)"]
    rows = [name for name in figure.layout.yaxis.categoryarray if name.strip()]
    assert len(set(rows)) == len(ranked)  # no board has another's rows


def test_pairings_are_boxes():
    table = pd.DataFrame(
        {
            "metric": "a",
            "level": "system",
            "lowest": -0.2,
            "q25": 0.1,
            "q50": 0.4,
            "q75": 0.7,
            "highest": 1.0,
        },
        index=[0],
    )
    (box,) = leaderboard.pairing_spread(table).data
    drawn = [box.lowerfence, box.q1, box.median, box.q3, box.upperfence]
    assert (box.type, [each[0] for each in drawn]) == ("box", [-0.2, 0.1, 0.4, 0.7, 1.0])
