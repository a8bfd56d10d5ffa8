"""Biases of judges as tables: what is put in is found."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helpers.experiments import bias
from metaeval.core.errors import DataError
from metaeval.datasets.readers.faithbench import Marks
from metaeval.stats.annotator_test import annotator_test
from metaeval.tables.benchmark import CELL, Provenance, Texts, with_ids
from metaeval.tables.pairs import ORDERS, assemble_pairs
from tests.builders import benchmark
from tests.kit.figures import menus, seen, series

SYSTEMS, DOCUMENTS = [f"s{i}" for i in range(4)], [f"d{j}" for j in range(10)]
KIND = {"judges": ["long", "kind"], "dimensions": ["a"]}
RNG = np.random.default_rng(1)
LENGTHS = RNG.integers(3, 30, (4, 10))
TEXTS = Texts(
    xr.DataArray(
        np.array([["word " * n for n in row] for row in LENGTHS], dtype=object),
        dims=CELL,
        coords={"system": SYSTEMS, "document": DOCUMENTS},
    ),
    {},
    dict.fromkeys(DOCUMENTS, "word word word word"),
)


@pytest.fixture(scope="module")
def made():
    """Two judges: one adds a point for a standard deviation of length, one two points to system s2."""
    people = np.arange(1.0, 5.0)[:, None] + RNG.integers(0, 2, (3, 4, 10))
    mean = people.mean(axis=0)
    z = (LENGTHS - LENGTHS.mean()) / LENGTHS.std()
    favoured = mean + 2 * (np.arange(4) == 2)[:, None]
    made = benchmark(mean, {"long (a)": mean + z, "kind (a)": favoured})
    ids = {"system": SYSTEMS, "document": DOCUMENTS}
    given = with_ids(people, rater=["r0", "r1", "r2"], **ids)
    return replace(made, humans=with_ids(mean[None], judgment=["a"], **ids), ratings={"a": given})


def chosen(orders=ORDERS):
    """Two pairs of systems on three documents; a judge that always takes the first shown, and a sure one."""
    items, judges = {}, {}
    for k in range(6):
        named = {"first": "s0", "second": "s1" if k < 3 else "s2"}
        items[f"p{k}"] = {"set": "S", "dimension": "a", "document": f"d{k % 3}", **named}
        for order, places in zip(orders, ((1.0, 0.0), (0.0, 0.0)), strict=False):
            judges |= {("first", order, f"p{k}"): places[0], ("sure", order, f"p{k}"): places[1]}
    judges["sure", orders[0], "p5"] = np.nan
    people = {("gold", pair): 0.0 for pair in items}
    return assemble_pairs(
        name="llmbar", title="made", items=items, judges=judges, people=people,
        provenance=Provenance(files=(), licence="none", citation=()),
    )  # fmt: skip


def test_position_is_told_by_judge_and_pairs_without_answers_are_left_out(monkeypatch):
    monkeypatch.setattr(bias, "pairs", lambda name: chosen())
    rows = bias.position(["llmbar"]).set_index("judge")
    assert rows["value"].tolist() == [1.0, 0.5]
    assert rows["flip_rate"].tolist() == [1.0, 0.0]
    assert rows["n_pairs"].tolist() == [6, 5]
    assert rows["share_unreadable"].tolist() == pytest.approx([0, 1 / 12])
    assert rows.loc["sure", "flip_high"] > 0.5  # from two pairs of systems hardly anything is known


def test_one_order_says_nothing_of_position(monkeypatch):
    monkeypatch.setattr(bias, "pairs", lambda name: chosen(ORDERS[:1]))
    with pytest.raises(DataError, match="llmbar: no judge was shown a pair in both orders"):
        bias.position(["llmbar"])


def test_what_length_adds_is_found_beyond_people(made):
    rows = bias.length(made, TEXTS, **KIND).set_index("judge")
    assert rows.loc["long", ["value", "given"]].tolist() == pytest.approx([1, 1])
    z = (LENGTHS - LENGTHS.mean()) / LENGTHS.std()
    assert rows.loc["kind", "value"] == pytest.approx(
        np.polyfit(z.ravel(), np.repeat([0, 0, 2, 0], 10), 1)[0]
    )
    assert rows.loc["kind", "of_people"] == pytest.approx(
        np.polyfit(z.ravel(), made.human.to_numpy().ravel(), 1)[0]
    )


def test_texts_are_found_by_id(made):
    shuffled = replace(TEXTS, summaries=TEXTS.summaries.sel(system=SYSTEMS[::-1], document=DOCUMENTS[::-1]))
    pd.testing.assert_frame_equal(bias.length(made, shuffled, **KIND), bias.length(made, TEXTS, **KIND))
    fewer = replace(TEXTS, summaries=TEXTS.summaries.sel(system=SYSTEMS[1:]))
    with pytest.raises(DataError, match=r"there are no texts of made-up's: 's0'"):
        bias.length(made, fewer, **KIND)


def test_leniency_goes_to_where_it_was_put(made):
    lenient = bias.leniency(made, **KIND).set_index("judge")["value"]
    assert lenient.tolist() == pytest.approx([0, 0.5], abs=1e-12)


def test_use_of_the_scale_is_a_share_of_the_ratings(made):
    use = bias.scale_use(made, **KIND)
    assert use.groupby("judge")["value"].sum().tolist() == pytest.approx([1, 1, 1])
    people = use[use["judge"] == bias.PEOPLE].set_index("rating")
    assert people.loc[5.0, "value"] == pytest.approx(np.mean(made.ratings["a"].to_numpy() == 5))
    assert people.loc[5.0, "n_used"] == 120


def test_own_summaries_beside_people_and_beside_the_other_judges(made):
    plain = made.with_scores(made.scores.assign_coords(metric=["x", "y"]))
    own = {"y": ("s2", 0)}
    row = bias.self_preference(plain, judges=["x", "y"], own=own).iloc[0]
    assert (row["judge"], row["system"]) == ("y", "s2")
    assert (row["value"], row["own_value"] - row["human"]) == pytest.approx((2, 2))
    gap = (made.scores[1] - made.scores[0]).to_numpy().mean(axis=1)
    assert row["rival_value"] == pytest.approx(gap[2] - np.delete(gap, 2).mean())
    # a likeness names no system so: its place counts
    assert bias.self_preference(plain, judges=["x", "y"], own={"y": ("gone", -1)})["system"].tolist() == [
        "s3"
    ]
    with pytest.raises(ValueError, match=r"none of the judges 'x' and 'y' is among the judged: 'z'"):
        bias.self_preference(plain, judges=["x", "y"], own={"z": ("s2", 0)})
    with pytest.raises(ValueError, match=r"name at least two, got 'y'"):
        bias.self_preference(plain, judges=["y"], own=own)


def test_noise_that_is_put_in_is_found_in_repeats(monkeypatch):
    monkeypatch.setattr(bias, "load_present", lambda names, minimum: [])
    table = bias.repeats(noises=[0.0, 0.7], n_repeats=4, rng=1).set_index("judge")
    sure, noisy = table.loc["simulated, noise 0"], table.loc["simulated, noise 0.7"]
    assert (sure["value"], sure["flip_share"], sure["reliability"]) == (0, 0, 1)
    assert sure["one_run"] == sure["all_runs"] == sure["many_runs"] == pytest.approx(sure["true_runs"])
    assert noisy["low"] < noisy["true_value"] < noisy["high"]
    assert noisy["one_run"] < noisy["all_runs"] < noisy["many_runs"]
    assert noisy["many_runs"] == pytest.approx(noisy["true_runs"], abs=0.02)


def test_two_rounds_of_people_are_compared_on_what_both_have(made, monkeypatch):
    second = made.select(systems=["s3", "s1"])
    second = replace(second, humans=second.humans + np.array([1.0, -1.0])[None, :, None])
    monkeypatch.setattr(bias, "load_present", lambda names, minimum: [made, second])
    row = bias.repeats(noises=[], rng=1).iloc[0]
    assert (row["judge"], row["dimension"], row["n_used"]) == (bias.PEOPLE, "a", 20)
    # the systems' means move by one up and one down, that of all does not: half the squared gap
    assert row["value"] == pytest.approx(0.5)


def test_sentinels_are_entered_beside_judges(made):
    names, draws = ["length", "constant"], {"n_resamples": 30, "rng": 1}
    table = bias.sentinels(made, TEXTS, **KIND, names=names, levels=["system", "global"], **draws)
    assert table["measure"].unique().tolist() == ["system", "global", bias.ADVANTAGE]
    rows = table.set_index(["measure", "judge"])
    assert rows["is_sentinel"].groupby("judge").first().to_dict() == {
        "constant": True, "document mean": True, "kind": False, "length": True, "long": False,
    }  # fmt: skip
    assert np.isnan(rows.loc[("system", "constant"), "value"])
    assert np.isnan(rows.loc[("system", "document mean"), "value"])
    assert rows.loc[("global", "document mean"), "value"] > 0
    rated = made.rated("a").to_numpy().reshape(3, -1)
    test = annotator_test(made.metric("long (a)").to_numpy().ravel(), rated)
    found = rows.loc[(bias.ADVANTAGE, "long")]
    assert found["value"] == pytest.approx(test.advantage.mean())
    assert found["low"] < found["value"] < found["high"]
    passed = bias.passed(table).set_index("measure")
    system = rows.loc["system"]["value"]
    n_passed = (system[["long", "kind"]] <= system["length"]).sum()
    assert passed.loc["system", ["judge", "n_passed", "n_judges"]].tolist() == ["length", n_passed, 2]
    assert bias.passed(table[table["judge"] != "length"])["measure"].tolist() == ["global", bias.ADVANTAGE]


def test_llmbar_is_counted_as_its_release_counts(monkeypatch):
    monkeypatch.setattr(bias, "pairs", lambda name: chosen())
    monkeypatch.setattr(bias.datasets, "marks", lambda: Marks({}, {}))
    found = bias.quantities(["llmbar"], faithful()).set_index(["judge", "quantity"])["value"]
    # gold is the second; the sure one is right but for one answer that cannot be read
    sure = found["sure"]
    assert sure[["right as listed", "right swapped", "right in both", "equal"]].tolist() == [5, 6, 5, 5]
    assert sure[["accuracy", "agreement"]].tolist() == pytest.approx([100 * 11 / 12, 100 * 5 / 6])
    unread = bias.unread("llmbar", of="S", judge="sure").set_index(["reading", "quantity"])
    assert unread["value"].tolist() == pytest.approx(
        [100 * 11 / 12, 100 * 5 / 6, 100, 100, 100 * 11 / 12, 500 / 6]
    )
    assert unread["n_values"].tolist() == [1] * 6
    assert bias.unread("llmbar", of="S", judge="gone").empty


def faithful():
    """Three judgments of two systems on four documents, and a detector that misses one."""
    passes = np.array([[1.0, 1, 0, 0], [1, 0, 0, 0]])
    said = np.array([[1.0, 0.2, 0, 0], [np.nan, 0.1, 0.6, 0]])
    made = benchmark(passes, {"hhem": said}, name="faithbench")
    ids = {"system": ["s0", "s1"], "document": [f"d{j}" for j in range(4)]}
    judgments = ["faithful", "no unwanted span", "no labelled span"]
    return replace(made, humans=with_ids(np.stack([passes, passes, 0 * passes]), judgment=judgments, **ids))


def test_faithbench_is_counted_by_hand(monkeypatch):
    # by its mildest label only the last summary of the second system fails
    given = np.zeros((2, 8, 3), dtype=bool)
    given[:, -1, 2] = True
    cells = tuple((f"s{i}", f"d{j}") for i in range(2) for j in range(4))
    marks = Marks({"1": given}, {"1": np.array([True, True])}, {"1": cells})
    monkeypatch.setattr(bias.datasets, "marks", lambda: marks)
    rows = bias.quantities([], faithful())
    rates = rows[rows["system"] == "s0"].set_index("quantity")["value"]
    assert rates.to_dict() == {"U": 50, "UQ": 50, "UQB": 100}
    found = rows[rows["judge"] == "hhem"].set_index("quantity")["value"]
    # of three that pass one is found (one is missed, one not answered), of five that fail four
    assert found["BA, worst"] == pytest.approx(100 * (1 / 3 + 4 / 5) / 2)
    assert found["BA, best"] == pytest.approx(100 * (2 / 7 + 1) / 2)
    assert found["F1, worst"] == pytest.approx(100 * (2 / 5 + 8 / 11) / 2)
    assert found["r, worst"] == pytest.approx(
        np.corrcoef([1, 0, 0, 0, 0, 0, 1, 0], [1, 1, 0, 0, 1, 0, 0, 0])[0, 1]
    )


JUDGES = ["x", "y"]


def test_sets_are_points_in_the_row_of_their_judge_coloured_by_their_intervals():
    table = pd.DataFrame(
        {
            "set": ["Natural", "Natural", "SummEval"], "dimension": ["", "", "a"], "judge": ["x", "y", "x"],
            "value": [0.5, 0.55, 0.7], "low": [0.4, np.nan, 0.6], "high": [0.6, np.nan, 0.8],
            "flip_rate": [0.1, 0.2, 0.3], "n_pairs": 10, "share_unreadable": 0.0,
        }
    )  # fmt: skip
    traces = {trace.name: trace for trace in series(bias.position_dots(table))}
    points = {name: set(zip(trace.x, trace.y, strict=True)) for name, trace in traces.items()}
    assert points == {
        "left open": {(0.5, "x"), (0.55, "y")}, "a difference is shown": {(0.7, "x")}
    }  # fmt: skip
    assert "[0.600, 0.800]" in traces["a difference is shown"].customdata[0]
    assert not any("nan" in text for trace in traces.values() for text in trace.customdata)


def test_a_slope_is_coloured_by_its_interval_and_judges_are_sorted():
    table = pd.DataFrame(
        [
            {"dimension": d, "judge": j, "value": v, "low": v - 0.2, "high": v + 0.2, "given": 0.2,
             "of_people": 0.05, "n_used": 90}
            for d in "ab"
            for j, v in (("x", 0.3), ("y", 0.1))
        ]
    )  # fmt: skip
    figure = bias.length_dots(table)
    points = {(trace.name, y, x) for trace in series(figure) for x, y in zip(trace.x, trace.y, strict=True)}
    assert points == {("a difference is shown", "x", 0.3), ("left open", "y", 0.1)}
    assert figure.layout.yaxis.categoryarray == ("y", "x")
    assert all("used: 90" in text for trace in series(figure) for text in trace.customdata)


def test_shares_of_the_scores_are_stacked_by_dimension():
    table = pd.DataFrame(
        [
            {"dimension": d, "judge": j, "rating": r, "value": 0.2 * r, "n_used": 40}
            for d in "ab"
            for j in ("people", *JUDGES)
            for r in (2.0, 3.0)
        ]
    )
    figure = bias.use_bars(table)
    assert list(menus(figure)["Criterion"]) == ["a", "b"]
    assert [trace.name for trace in seen(figure, Criterion="b")] == ["score 2", "score 3"]
    assert figure.layout.barmode == "stack"
    assert [said for _, said in figure.data[1].customdata] == pytest.approx([60.0] * 3)
    assert {n for trace in figure.data for n, _ in trace.customdata} == {40}


def test_judges_and_what_judges_nothing_are_told_apart():
    table = pd.DataFrame(
        [
            {
                "dimension": d,
                "measure": m,
                "judge": j,
                "is_sentinel": j == "length",
                "value": 0.3,
                "low": 0.1,
                "high": 0.4,
            }
            for d in "ab"
            for m in ("system", "annotator test")
            for j in ("x", "length")
        ]
    )
    figure = bias.sentinel_dots(table)
    assert list(menus(figure)["Criterion"]) == ["a", "b"]
    names = [trace.name for trace in seen(figure, Criterion="a")]
    assert names.count("judges") == names.count("scores that judge nothing") == 2
