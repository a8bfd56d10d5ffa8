"""Real values beside the band of draws: what a band is, what lies in it, what is far outside."""

import pandas as pd
import pytest

from helpers.experiments import likeness
from metaeval.simulation import worlds
from metaeval.simulation.model import draw, read
from metaeval.simulation.truth import groups_of
from metaeval.stats.streams import stream

# one metric in two data sets: real 0.5 in the band, 0.9 two widths above it
COMPARED = pd.DataFrame(
    [
        ("a", "m", 0.5, None, None, "real"),
        ("a", "m", 0.4, 0.3, 0.6, "simulated"),
        ("a", "m", 0.7, None, None, "simulated, this book"),
        ("b", "m", 0.9, None, None, "real"),
        ("b", "m", 0.2, 0.1, 0.3667, "simulated"),
        ("b", "m", 0.2, None, None, "simulated, this book"),
    ],
    columns=["dataset", "metric", "value", "q5", "q95", "data"],
)


def test_values_are_counted_within_their_band():
    found = likeness.inside(COMPARED, by=["dataset"])
    assert found.to_numpy().tolist() == [["a", 1, 1, 1.0], ["b", 1, 0, 0.0]]
    book = likeness.inside(COMPARED, by=["dataset"], data="simulated, this book")
    assert book["n_inside"].tolist() == [0, 1]


def test_the_farthest_outside_come_first_in_widths_of_the_band():
    (row,) = likeness.misses(COMPARED, max_rows=5).to_dict("records")
    assert row["dataset"] == "b"
    assert row["bands_off"] == pytest.approx((0.9 - 0.3667) / (0.3667 - 0.1))
    assert "q50" not in row


def test_a_summary_has_a_row_per_measure_and_data_set():
    found = likeness.summary({"topk": COMPARED, "ranks": COMPARED[COMPARED["dataset"] == "a"]})
    assert found[["measure", "dataset", "share_inside", "share_of_this_book"]].to_numpy().tolist() == [
        ["top-k", "a", 1, 0],
        ["top-k", "b", 0, 1],
        ["ranked systems", "a", 1, 0],
    ]


def test_a_data_set_does_not_depend_on_which_others_are_asked_for(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    settings = {"metrics": ["ROUGE-1 recall"], "n_draws": 3, "rng": 1}
    both, alone = (likeness.compare(names, **settings) for names in (["tac2009", "summeval"], ["summeval"]))
    among = both["ranks"].query("dataset == 'summeval'").reset_index(drop=True)
    pd.testing.assert_frame_equal(among, alone["ranks"])
    assert both["topk"]["dataset"].unique().tolist() == ["tac2009"]


def test_a_share_is_a_point_in_the_panel_of_its_data_set():
    summary = pd.DataFrame(
        {
            "measure": "ranks",
            "dataset": ["a", "b"],
            "n_values": 4,
            "n_inside": [2, 4],
            "share_inside": [0.5, 1],
        }
    )
    figure = likeness.share_dots(likeness.shares(summary))
    assert [(trace.xaxis, *trace.x, *trace.y) for trace in figure.data] == [
        ("x", 0.5, "ranks"), ("x2", 1, "ranks")
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["realsumm", "summeval", "tac2009"])
def test_the_draw_of_the_book_is_the_most_usual_one(name):
    model = read(name)
    table, groups = likeness.MEASURES["correlations"], groups_of(model)
    drawn = [draw(model, rng=stream(0, name, "band", i)).benchmark for i in range(40)]
    bands = likeness.spread_of_draws(pd.concat(table(benchmark, groups) for benchmark in drawn))
    book, n_inside = likeness.THIS_BOOK, []
    for number in range(8):
        candidate = table(worlds.numbered(name, number).benchmark, groups).assign(data=book)
        compared = pd.concat([bands.assign(data=likeness.DRAWS), candidate])
        (row,) = likeness.inside(compared, by=["dataset"], data=book).to_dict("records")
        n_inside.append(row["n_inside"])
    assert n_inside.index(max(n_inside)) == worlds.NUMBERS[name]  # the first of equals
