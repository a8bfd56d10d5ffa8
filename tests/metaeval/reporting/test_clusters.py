"""Items that hang together: files that say so, intervals that are wider, and words."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.core.errors import DataError
from metaeval.reporting.compare import compare_judges
from metaeval.reporting.corrected import ALONE, HELPED
from metaeval.reporting.paired_labels import Sides
from metaeval.reporting.plan import plan
from metaeval.reporting.reading import read
from metaeval.reporting.report import report
from metaeval.reporting.unranked import cluster_lines
from metaeval.stats.clusters import MIN_CLUSTERS

FAST = {"n_resamples": 199}
CLUSTER = {"columns": {"cluster": "conversation_id"}}


def conversations(n=25, size=8, seed=0, scale=False):
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(n), size)
    right = rng.choice([0.95, 0.6], n)[of]
    people = (rng.random(n * size) < 0.6) * 1
    frame = {"item": [f"i{k}" for k in range(n * size)], "conversation_id": [f"c{k}" for k in of]}
    for name in ("gpt", "llama"):
        frame[name] = np.where(rng.random(n * size) < right, people, 1 - people)
    if scale:
        quality = rng.normal(size=n * size) + rng.normal(size=n)[of]
        people = np.clip(np.rint(quality + 3), 1, 5)
        turn = rng.normal(size=n)[of]
        frame |= {name: quality + turn + 0.5 * rng.normal(size=n * size) for name in ("gpt", "llama")}
    return pd.DataFrame(frame | {"human": people})


def lines_on(judges, people, of, *, answers=("fail", "pass"), units="item"):
    return cluster_lines(
        Sides(judges, ["human"], people[None], people, of, units, answers=dict(enumerate(answers)))
    )


def widths(result, key="own"):
    table = result.verdicts.table.set_index("metric")
    return (table[f"{key}_high"] - table[f"{key}_low"])[["gpt", "llama"]].to_numpy()


@pytest.mark.parametrize("scale", [False, True], ids=["labels", "scores"])
@pytest.mark.parametrize("raters", [False, True], ids=["people", "raters"])
def test_intervals_are_wider_where_errors_cluster(scale, raters):
    frame = conversations(scale=scale)
    if raters:
        rng = np.random.default_rng(1)
        other = frame["human"] if scale else 1 - frame["human"]
        noisy = np.clip(other + rng.integers(-1, 2, len(frame)), 1, 5) if scale else other
        frame["human_2"] = np.where(rng.random(len(frame)) < 0.15, noisy, frame["human"])
        frame = frame.rename(columns={"human": "human_1"})
    alone, together = (report(read(frame, **how), **FAST) for how in ({}, CLUSTER))
    np.testing.assert_allclose(alone.verdicts.table["own"], together.verdicts.table["own"])
    assert (widths(together) > 1.15 * widths(alone)).all()
    line = next(one for one in together.verdicts.lines if "hang together in 25 clusters" in one)
    assert "design effect of the agreement" in line
    assert "gpt " in line


def test_a_design_effect_is_of_the_items_that_a_judge_and_people_labelled():
    people, of = np.array([1.0, 1, 1, 1, *[np.nan] * 4]), np.repeat(range(4), 2)
    judge, part = np.array([1.0, 1, 0, 0, 1, 0, 1, 0]), np.array([1.0, 1, 0, *[np.nan] * 5])
    # right on one cluster and wrong on the other: the largest effect, (4 + 4) / 4, and of 3 items (4 + 1) / 3
    (line,) = lines_on({"judge": judge}, people, of)
    assert line.startswith("4 items hang together in 2 clusters")
    assert "judge 2.0 (2 items)" in line
    (line,) = lines_on({"part": part}, people, of, units="pair")
    assert line.startswith("3 pairs hang together in 2 clusters")
    assert "independent pairs that say as much: part 1.7 (2 pairs)" in line
    both = lines_on({"judge": judge, "part": part}, people, of)
    assert [line.rsplit(": ", 1)[1].split()[0] for line in both] == ["judge", "part"]
    apart = np.where(np.isin(np.arange(8), (0, 2)), 1.0, np.nan)  # one item of each cluster
    assert not lines_on({"apart": apart, "silent": np.full(8, np.nan)}, people, of)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("answers", "other"), [("", 0.0), ("abc", 2.0)], ids=["passes", "words"])
def test_people_who_pass_everything_agree_with_a_judge_or_not(answers, other):
    """Right on one item of each cluster: no effect, and 2 by the correlation, which is not defined."""
    judge = {"judge": np.tile([1.0, other], 10)}
    (line,) = lines_on(judge, np.ones(20), np.repeat(range(10), 2), answers=answers)
    assert line.startswith("20 items hang together in 10 clusters")
    assert "judge 1.0 (20 items)" in line


def test_the_mean_difference_of_two_systems_is_over_clusters():
    rng = np.random.default_rng(3)
    gaps = rng.normal(size=20)  # of conversations, 12 of them labelled, with two documents each
    people = np.where(np.arange(20) < 12, gaps, np.nan)
    first = pd.DataFrame(
        {"system": "a", "document": [f"d{k}" for k in range(40)],
         "conversation_id": [f"c{k}" for k in np.repeat(range(20), 2)],
         "judge": np.repeat(gaps, 2) + rng.normal(size=40), "human": np.repeat(people, 2)}
    )  # fmt: skip
    second = first.assign(system="b", judge=0.0, human=first["human"] * 0)
    result = report(read(pd.concat([first, second]), **CLUSTER), **FAST)
    expected = stats.t.interval(0.95, 11, gaps[:12].mean(), stats.sem(gaps[:12]))
    for table, key in (("difference", "metric"), ("corrected", "quantity")):
        rows = result.to_frame(table).set_index(key)
        row = rows.loc["people" if table == "difference" else ALONE]
        assert row[["low", "high"]].tolist() == pytest.approx(expected)


def test_labels_of_a_plan_are_multiplied_by_their_design_effect():
    """Judge 3 or -3 in a cluster, people 1 above it and 1 below: the judge explains what is common."""
    judge = np.repeat(np.tile([3.0, -3.0], 20), 2)
    people = judge + np.tile([1.0, -1.0], 40)
    frame = pd.DataFrame({"conversation_id": [f"c{k}" for k in np.repeat(range(40), 2)], "judge": judge})
    frame = frame.assign(human=people, item=range(80))
    alone, together = (
        plan(read(frame, **how), width=0.1, measure="mean").designs.set_index("quantity")["n_items"]
        for how in ({}, CLUSTER)
    )
    # (40 / 39 x 40 x 6 x 6) / (80 / 79 x 40 x 20)
    assert together[ALONE] == np.ceil(alone[ALONE] * 0.9 * 79 / 39)
    assert together[HELPED] == alone[HELPED]


def test_a_cluster_may_be_a_part_of_the_items_name():
    frame = conversations().drop(columns="item")
    frame["turn"] = np.tile(range(8), 25)
    how = {"columns": {"item": ["conversation_id", "turn"], "cluster": "conversation_id"}}
    clusters = read(frame, **how).clusters
    assert len(clusters) == 200
    assert {item.split("/")[0] == cluster for item, cluster in clusters.items()} == {True}


def test_a_column_that_looks_like_clusters_is_offered():
    notes = read(conversations()).notes
    assert "If items of one conversation hang together: --col cluster=conversation_id." in notes
    assert not any("cluster" in note for note in read(conversations(), **CLUSTER).notes)
    assert not any("'conversation_id'" in note for note in read(conversations(), **CLUSTER).notes)


def test_people_in_another_file_have_the_clusters_of_the_judges():
    frame = conversations()
    together = read([frame.drop(columns="human"), frame[["item", "human"]]], **CLUSTER)
    assert together.clusters == read(frame, **CLUSTER).clusters


def test_few_clusters_have_no_interval_and_say_so():
    frame = conversations(n=MIN_CLUSTERS - 1, size=30)
    result = report(read(frame, **CLUSTER), **FAST)
    assert result.verdicts.table["own_low"].isna().all()
    assert (result.verdicts.table["verdict"] == "open").all()
    assert f"and an answer takes {MIN_CLUSTERS}" in " ".join(result.verdicts.lines)
    assert f"in {MIN_CLUSTERS} clusters" in result.verdicts.table["because"].iloc[0]


def test_numbers_of_clusters_are_no_judge():
    frame = conversations().drop(columns="llama")
    frame["talk"] = frame["conversation"] = frame.pop("conversation_id").str[1:].astype(int)
    given = read(frame.drop(columns="conversation"), columns={"cluster": "talk"})
    assert (given.rows.names("name", person=False), len({*given.clusters.values()})) == (["gpt"], 25)
    alone = read(frame.drop(columns="talk"))
    assert alone.rows.names("name", person=False) == ["gpt"]
    assert "If items of one conversation hang together: --col cluster=conversation." in alone.notes
    assert read(frame.drop(columns="conversation"), by="talk").rows.names("name", person=False) == ["gpt"]


@pytest.mark.parametrize("nothing", ["", " ", "NA", None])
def test_items_without_a_cluster_are_alone(nothing):
    frame = conversations()
    frame.loc[[0, 1, 8], "conversation_id"] = nothing
    reading = read(frame, **CLUSTER)
    assert reading.clusters == {f"i{k}": f"c{k // 8}" for k in range(200) if k not in (0, 1, 8)}
    assert "3 of 200 items have no cluster; each of them is alone." in reading.notes


@pytest.mark.parametrize("role", ["cluster", "by"])
def test_names_that_end_like_numbers_are_kept_and_numbers_are_one(role):
    frame = pd.DataFrame({"item": ["a", "b", "c"], "gpt": [0, 1, 0], "human": [0, 1, 1]})
    for names, groups in (
        (["v1", "v1.0", "v1.1"], ["v1", "v1.0", "v1.1"]),
        (["1", "1.0", "1.1"], ["1", "1.0", "1.1"]),
        (["1", "1.0", "2"], ["1", "1", "2"]),
        ([1.0, None, 2.0], ["1", None, "2"]),
    ):
        how = {"by": "part"} if role == "by" else {"columns": {"cluster": "part"}}
        rows = read(frame.assign(part=names), **how).rows.frame.filter("person")
        known = dict(rows.select("document", "group" if role == "by" else "cluster").iter_rows())
        expected = dict(zip("abc", groups, strict=True))
        assert known == {key: of for key, of in expected.items() if role == "cluster" or of}


def test_an_item_in_two_clusters_is_named():
    frame = conversations()
    again = pd.concat([frame, frame.iloc[:1].assign(conversation_id="c9")])
    with pytest.raises(DataError, match="item 'i0' is in several clusters, 'c0' and 'c9'"):
        read(again, **CLUSTER)


@pytest.mark.parametrize("measure", ["kappa", "auc", "accuracy"])
def test_two_judges_are_compared_over_clusters(measure):
    frame = conversations()
    frame["llama"] = np.where(frame["conversation_id"] < "c17", frame["gpt"], 1 - frame["gpt"])
    rows = [
        compare_judges(read(frame, **how), ["gpt", "llama"], measure=measure, **FAST).table.iloc[0]
        for how in ({}, CLUSTER)
    ]
    alone, together = (row["high"] - row["low"] for row in rows)
    assert together > 1.2 * alone


def test_pairs_are_drawn_by_their_cluster():
    rng = np.random.default_rng(0)
    of = np.repeat(range(20), 6)
    right = rng.choice([0.98, 0.5], 20)[of]
    people = rng.choice(["a", "b"], 120)
    judge = np.where(rng.random(120) < right, people, np.where(people == "a", "b", "a"))
    frame = pd.DataFrame(
        {"item": range(120), "conversation_id": [f"c{k}" for k in of], "model_a": "a", "model_b": "b",
         "judge": judge, "human": people}
    )  # fmt: skip
    own = [report(read(frame, **how), **FAST).verdicts.table.iloc[0] for how in ({}, CLUSTER)]
    alone, together = (row["own_high"] - row["own_low"] for row in own)
    assert together > 1.2 * alone


def test_a_ranking_says_that_clusters_are_not_used():
    frame = conversations(n=6, size=10).assign(system=np.tile([f"m{k}" for k in range(5)], 12))
    frame["item"] = np.repeat([f"d{k}" for k in range(12)], 5)
    frame["conversation_id"] = frame["item"].str[:2]
    frame["gpt"] = np.random.default_rng(0).normal(size=60)
    result = report(read(frame[["system", "item", "conversation_id", "gpt", "human"]], **CLUSTER), **FAST)
    assert any("Clusters are not used" in line for line in result.verdicts.lines)
    frame = frame[["system", "item", "conversation_id", "human"]]
    for how, is_said in (({}, False), (CLUSTER, True)):
        notes = plan(read(frame, **how), width=1).notes
        assert any("Clusters are not used" in note for note in notes) == is_said


def test_items_named_by_two_columns_may_hang_together_or_be_picked_from():
    frame = conversations(n=10, size=3)
    turns = frame.rename(columns={"item": "turn_id"})  # a name for each row
    hint = "If items of one conversation hang together: --col cluster=conversation_id."
    picked = "If one of them is to be picked: --col system=sample_idx."
    notes = read(turns).notes
    assert hint in notes
    assert not any("picked" in note for note in notes)
    assert read(frame.drop(columns="item").assign(sample_idx=[0, 1, 2] * 10)).notes[-2:] == (hint, picked)
