"""A judge that was asked several times: files of any layout, and the report's section and line."""

import numpy as np
import pandas as pd
import pytest

from metaeval.core.errors import OpenQuestion
from metaeval.reporting.plan import plan
from metaeval.reporting.reading import ranking, read
from metaeval.reporting.report import report
from metaeval.reporting.runs import enough_lines, runs_section
from metaeval.reporting.sections import Section
from metaeval.stats.runs import flip_shares, stable_majority

SYSTEMS = [f"m{k}" for k in range(8)]
FAST = {"n_resamples": 99}


def ranked(n_runs=3, n_items=12, noise=0.8, seed=0):
    """One row for each run of a judge on 8 systems, long; its quality and people's score are the same."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(8, n_items)) + np.linspace(-1, 1, 8)[:, None]
    return pd.DataFrame(
        [
            {"system": system, "item": f"d{d}", "judge": "gpt", "run": run, "score": q + noise * rng.normal(),
             "human": q}
            for k, system in enumerate(SYSTEMS) for d, q in enumerate(quality[k]) for run in range(n_runs)
        ]
    )  # fmt: skip


def widened(long, values="score"):
    keys = [name for name in ("system", "item", "human") if name in long]
    wide = long.pivot(index=keys, columns="run", values=values)
    return wide.rename(columns=lambda run: f"gpt_run{run + 1}").reset_index()


def labelled(n_runs=5, n_items=120, seed=0):
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.5, 0.5, n_items)
    people = (rng.random(n_items) < chance) * 1
    runs = (rng.random((n_runs, n_items)) < chance) * 1
    return runs, people


def test_runs_of_a_long_and_of_a_wide_file_are_the_same():
    long = ranked()
    readings = [read(long), read(widened(long)), read(long.drop(columns="run"), mean=True)]
    expected = np.moveaxis(long["score"].to_numpy().reshape(8, 12, 3), 2, 0)
    for reading in readings:
        places = [reading.benchmark.systems.index(one) for one in SYSTEMS]
        documents = [reading.benchmark.documents.index(f"d{d}") for d in range(12)]
        np.testing.assert_allclose(reading.runs["gpt"][:, places][:, :, documents], expected)
        means = reading.benchmark.metric("gpt").to_numpy()[places][:, documents]
        np.testing.assert_allclose(means, expected.mean(axis=0))


@pytest.mark.parametrize("inner", ["run", "item"])
@pytest.mark.parametrize("names", [("memo",), ("answer",), ()])
def test_rows_of_one_item_are_told_by_what_comes_in_every_run(names, inner):
    runs, people = labelled(n_runs=3, n_items=30)
    frame = pd.DataFrame(
        [
            {"memo": f"m{i}", "answer": f"word {i} of a longer text", "attempt": run + 1,
             "auto": runs[run, i], "expert": people[i]}
            for i in range(30) for run in range(3)
        ]
    ).sort_values("attempt" if inner == "item" else "memo", kind="stable")  # fmt: skip
    reading = read(frame[[*names, "attempt", "auto", "expert"]])
    assert reading.labels["item"].nunique() == 30
    # rows are in the order of items in each run, by which the texts are sorted, too
    shares = np.sort(flip_shares(reading.runs["auto"].reshape(3, -1)))
    np.testing.assert_allclose(shares, np.sort(flip_shares(runs)))


def test_rows_of_which_people_say_different_things_are_items_of_their_own():
    runs, people = labelled(n_runs=2, n_items=30)
    frame = pd.DataFrame(
        {"seed": np.repeat([1, 2], 30), "auto": runs.ravel(), "expert": [*people, *1 - people]}
    )
    assert read(frame).labels["item"].nunique() == 60


def test_signs_that_are_turned_are_those_of_every_run():
    lower, higher = (read(ranked(), **how).runs["gpt"] for how in ({"lower_is_better": ["gpt"]}, {}))
    np.testing.assert_allclose(lower, -higher)


def test_runs_stay_a_question_where_people_scored_every_run():
    frame = ranked()
    with pytest.raises(OpenQuestion, match="contradictions"):
        read(frame.assign(human=frame["human"] + frame["run"]))


def test_where_a_run_repeats_itself_nothing_is_offered_that_would_fail():
    """Another score of some items in the same run: neither an answer for each run nor items by run work."""
    frame = ranked()
    again = frame[frame["run"] == 0].head(5)
    frame = pd.concat([frame, again.assign(score=again["score"] + 1)])
    with pytest.raises(OpenQuestion) as caught:
        read(frame)
    assert [*caught.value.readings] == ["--mean"]
    assert read(frame, mean=True).runs["gpt"].shape == (4, 8, 12)


def test_a_run_that_is_asked_about_is_a_judge():
    assert read(widened(ranked()), judges=["gpt_run1"]).benchmark.metrics == ["gpt", "gpt_run1"]


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_labels_of_several_runs_count_as_the_most_frequent(layout):
    runs, people = labelled()
    if layout == "wide":
        frame = pd.DataFrame({f"run{k}": run for k, run in enumerate(runs, 1)} | {"human": people})
    else:
        frame = pd.concat(
            pd.DataFrame({"judge": run, "human": people, "item": range(120), "run": k})
            for k, run in enumerate(runs)
        )
    result = report(frame, **FAST)
    row = result.tables["runs"].iloc[0]
    assert row["flip_share"] == pytest.approx(flip_shares(runs).mean())
    majority = runs.mean(axis=0) > 0.5
    assert row["all_runs"] == pytest.approx((majority == people).mean())
    assert row["one_run"] == pytest.approx((runs == people).mean())
    assert row["n_enough"] == stable_majority(runs, rng=result.settings.seed)
    assert row["flip_share_low"] < row["flip_share"] < row["flip_share_high"]
    heading, line = result.summary().split("How much do a judge's own runs differ?\n")[1].splitlines()[:2]
    assert "one run with people  all with people  enough runs" in heading
    assert line.split()[-3:] == [f"{row['one_run']:.2f}", f"{row['all_runs']:.2f}", f"{row['n_enough']:.0f}"]


@pytest.mark.parametrize("order", [("run1", "run2"), ("run2", "run1")])
def test_of_a_tie_of_runs_none_counts(order):
    runs = {"run1": [1, 0, 1, 0, 0], "run2": [0, 1, 1, 0, 0]}
    frame = pd.DataFrame({name: runs[name] for name in order} | {"human": [1, 1, 1, 0, 1]})
    reading = read(frame)
    labels = reading.labels[reading.labels["role"] == "judge"]
    assert labels["value"].tolist() == [1, 0, 0]
    assert "Of 2 judgments the runs tie, so that there is none." in reading.notes
    (section,) = runs_section(reading, coefficient="kendall", confidence_level=0.95, rng=0)
    row = section.table.iloc[0]
    assert row["flip_share"] == pytest.approx(2 / 5)  # ties are runs that differ
    # (1/2 + 1/2 + 1 + 1 + 0) / 5, of a tie one run counts
    assert (row["one_run"], row["all_runs"]) == pytest.approx((0.6, 0.6))


def test_choices_whose_runs_tie_are_none():
    rows = [("i0", 1, "a"), ("i0", 2, "b"), ("i1", 1, "b"), ("i1", 2, "b"), ("i2", 1, "a"), ("i2", 2, "a")]
    frame = pd.DataFrame(rows, columns=["item", "run", "judge"])
    reading = read(frame.assign(model_a="a", model_b="b", human="a"))
    assert reading.pairs.judges.sel(judge="judge", order="as listed").values.tolist() == pytest.approx(
        [np.nan, 0, 1], nan_ok=True
    )


def test_one_run_and_all_are_held_against_people_on_items_of_several_runs():
    runs = pd.DataFrame(
        {
            "run1": [1.5, 2.5, 4.5, 3.5, 9.5, 0.5], "run2": [2.5, 1.5, 3.5, 4.5, np.nan, np.nan],
            "run3": [1.6, 2.6, np.nan, np.nan, np.nan, np.nan], "human": [1.1, 2.1, 3.1, 4.1, 5.1, 6.1],
        }
    )  # fmt: skip
    (section,) = runs_section(read(runs), coefficient="kendall", confidence_level=0.95, rng=0)
    row = section.table.iloc[0]
    assert (row["n_runs_low"], row["n_runs"], row["n_items"], row["n_once"]) == (2, 3, 4, 2)
    # four items: in each of two runs one of six pairs is turned; means 5.6/3, 6.6/3, 4, 4 tie in one pair
    assert row["one_run"] == pytest.approx(4 / 6)
    assert row["all_runs"] == pytest.approx(5 / np.sqrt(5 * 6))
    printed = section.short_table.iloc[0]
    assert (printed["items with several"], printed["runs"]) == ("4", "2 to 3")
    assert (printed["one run with people"], printed["all with people"]) == ("0.67", "0.91")
    n_runs = 4 / (1 / 3 + 1 / 3 + 1 / 2 + 1 / 2)
    expected = n_runs * row["reliability"] / (1 + (n_runs - 1) * row["reliability"])
    assert row["reliability_all"] == pytest.approx(expected)


@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize("scores", [[0, 1, 1, 0, 1], [1.5, 2.5, 4.0, 3.0, 7.5]])
def test_runs_that_never_differ_are_runs(layout, scores):
    people = [0, 1, 0, 0, 1]
    if layout == "wide":
        frame = pd.DataFrame({"run1": scores, "run2": scores, "run3": scores, "human": people})
    else:
        parts = (
            pd.DataFrame({"item": range(5), "run": k, "judge": scores, "human": people}) for k in (1, 2, 3)
        )
        frame = pd.concat(parts)
    reading = read(frame)
    assert not any("repeat" in note for note in reading.notes)
    (section,) = runs_section(reading, coefficient="kendall", confidence_level=0.95, rng=0)
    row = section.table.iloc[0]
    assert (row["n_runs"], row["reliability"], row["n_enough"]) == (3, 1, 1)
    assert row["flip_share"] == 0
    assert row["one_run"] == pytest.approx(row["all_runs"])


def test_a_ranking_on_some_documents_has_their_runs():
    frame = ranked()
    frame.loc[frame["item"].isin(["d3", "d7"]), "human"] = np.nan
    reading = read(frame)
    kept = ranking(reading)
    assert len(kept.benchmark.documents) == 10
    expected = np.delete(reading.runs["gpt"], [3, 7], axis=2)
    assert reading.benchmark.documents[3] == "d3"
    np.testing.assert_array_equal(kept.runs["gpt"], expected)
    means = report(frame, **FAST).tables["runs"].iloc[1]
    assert means["sd_within"] == pytest.approx(np.sqrt(expected.mean(axis=2).var(axis=0, ddof=1).mean()))


def test_a_ranking_has_rows_of_items_and_of_means_and_plans_say_the_same():
    long = ranked(noise=1.5)
    result = report(long, **FAST)
    items, means = result.tables["runs"].to_dict("records")
    runs = read(long).runs["gpt"]
    assert items["sd_within"] == pytest.approx(np.sqrt(runs.var(axis=0, ddof=1).mean()))
    assert items["sd_within"] == pytest.approx(1.5, rel=0.1)
    assert means["sd_within"] == pytest.approx(np.sqrt(runs.mean(axis=2).var(axis=0, ddof=1).mean()))
    assert means["reliability"] > items["reliability"]
    assert means["many_runs"] >= means["all_runs"] >= means["one_run"]
    line = f"gpt: a mean with a reliability of 0.9 takes {means['n_enough']:.0f} runs."
    assert line in plan(read(long), width=0.5).notes
    assert "How much do a judge's own runs differ?" in result.summary()


def test_pairs_are_shown_again_in_both_orders():
    rows = []
    for item in range(30):
        for first, second in (("a", "b"), ("b", "a")):
            for run in range(3):
                # chooses the first shown in two runs of three
                rows.append((f"i{item}", first, second, run, first if run < 2 else second, "a"))
    frame = pd.DataFrame(rows, columns=["item", "model_a", "model_b", "run", "judge", "human"])
    reading = read(frame)
    assert reading.runs["judge"].shape == (3, 2, 30)
    row = report(frame, **FAST).tables["runs"].iloc[0]
    assert row["flip_share"] == pytest.approx(2 / 3)
    assert row["one_run"] == 0  # every run contradicts itself over the orders


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ((np.nan, "Kendall's τ"), "gpt: how many runs are enough cannot be told."),
        ((np.inf, "Kendall's τ"), "gpt: no number of runs that was tried is enough."),
        ((1.0, "Kendall's τ"), "gpt: a mean with a reliability of 0.9 takes 1 run."),
        ((7.0, "exact agreement"), "gpt: a majority that holds on 95 % of items takes 7 runs."),
    ],
)
def test_a_plan_says_how_many_runs_are_enough(row, line):
    table = pd.DataFrame([("gpt", *row)], columns=["metric", "n_enough", "measure"])
    assert enough_lines([Section("runs", "", table, "")]) == [line]
