"""The page of tiers: a bar over the ranks of every candidate, in the colour of its tier."""

import pandas as pd

from helpers.experiments import tiers

RANKS = pd.DataFrame(
    {"place": [1, 2, 3], "tier": [1, 1, 2], "best_rank": [1, 1, 3], "worst_rank": [2, 2, 3], "value": 0.5}
)


def drawn(figure):
    """(candidate, low, high) of all bars, by tier."""
    found = {}
    for trace in figure.data:
        for y, x, minus, plus in zip(
            trace.y, trace.x, trace.error_x.arrayminus, trace.error_x.array, strict=True
        ):
            found.setdefault(trace.name, set()).add((y, x - minus, x + plus))
    return found


def test_judges_lie_over_their_ranks():
    table = pd.concat(
        RANKS.assign(judge=list("xyz"), dimension=dimension, level="system") for dimension in ("a", "b")
    )
    figure = tiers.judge_ranks(table)
    assert drawn(figure) == {"tier 1": {("x", 1, 2), ("y", 1, 2)}, "tier 2": {("z", 3, 3)}}
    assert figure.layout.yaxis.categoryarray == ("z", "y", "x")
    low, high = figure.layout.yaxis.range
    assert low < 0 < 2 < high


def test_systems_stand_in_peoples_order_under_every_judge():
    other = RANKS.assign(place=[3, 2, 1], tier=1)
    table = pd.concat(
        part.assign(dataset="mine", system=["m1", "m2", "m3"], dimension="a", judge=judge)
        for judge, part in (("people", RANKS), ("x", other))
    )
    figure = tiers.system_ranks(table)
    assert figure.layout.yaxis.categoryarray == ("m3", "m2", "m1")
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["people", "x"]


def test_a_point_for_each_system_by_one_coefficient_at_a_time():
    table = pd.DataFrame({"system": ["M22", "m2"], "mean": [3.0, 4.0], "value": [0.5, 0.2]})
    table = pd.concat(
        table.assign(
            dataset="summeval-judges",
            judge=judge,
            coefficient=coefficient,
            dimension="a",
            value=table["value"] + more,
        )
        for judge in ("x", "e0")
        for coefficient, more in (("pearson", 0.0), ("kendall", 0.25))
    )
    figure = tiers.candidate_scatter(table)
    who, how = figure.layout.updatemenus
    assert [button.label for button in who.buttons] == ["x", "e0"]
    assert [(list(trace.x), list(trace.y)) for trace in figure.data] == [([3.0, 4.0], [0.5, 0.2])] * 2
    assert [button.label for button in how.buttons] == ["Pearson's r", "Kendall's τ"]
    assert [list(y) for y in how.buttons[1].args[0]["y"]] == [[0.75, 0.45]] * 2
    assert list(figure.data[0].text) == ["BART", "m2"]
