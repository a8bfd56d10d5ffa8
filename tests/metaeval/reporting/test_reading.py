"""Every shape of a user's files becomes what the commands take."""

import numpy as np
import pandas as pd
import pytest

from metaeval.core.errors import DataError
from metaeval.reporting import reading
from metaeval.reporting.reading import read
from metaeval.reporting.report import report


def frame(text):
    head, *rows = [line.split(",") for line in text.strip().splitlines()]
    return pd.DataFrame(rows, columns=head)


LONG = frame("""system,document,judge,rater,score
b,1,m,,1
b,1,people,x,2
b,1,people,y,4
a,1,m,,3
a,1,people,x,5
c,1,m,,5
c,1,people,y,1
c,10,m,,6
c,2,m,,7
""")


def test_ratings_by_rater_and_their_means():
    found = read(LONG)
    made = found.benchmark
    assert found.kind == "ranking"
    assert (made.systems, made.documents) == (["a", "b", "c"], ["1", "2", "10"])
    assert made.metric("m").to_numpy()[:, 0].tolist() == [3, 1, 5]
    assert made.human.to_numpy()[:, 0].tolist() == [5, 3, 1]
    assert made.human.to_numpy()[:, 1:].shape == (3, 2)
    assert np.isnan(made.human.to_numpy()[:, 1:]).all()
    assert made.raters("people") == ["x", "y"]
    np.testing.assert_equal(
        made.rated("people").sel(document="1").to_numpy().tolist(), [[5, 2, np.nan], [np.nan, 4, 1]]
    )


def test_a_mean_that_is_given_stands_for_the_raters_beside_it():
    found = read(frame("system,document,m,human,rater_1,rater_2\na,1,1,4.5,4,4\nb,1,2,,1,2\nc,1,3,1,1,\n"))
    assert found.benchmark.human.to_numpy()[:, 0].tolist() == [4.5, 1.5, 1]
    assert found.benchmark.raters("people") == ["rater_1", "rater_2"]
    assert "it is taken for theirs together" in found.notes[0]


def test_systems_that_one_side_scores_are_left_out_and_said():
    found = read(LONG[~((LONG["system"] == "a") & (LONG["judge"] == "people"))])
    assert (found.kind, found.benchmark.systems) == ("two_systems", ["b", "c"])
    assert found.notes == ("Left out, since only judges or only people score them: 'a'.",)


def test_without_people_there_is_no_judgment():
    assert read(LONG[LONG["judge"] == "m"]).benchmark.judgments == []
    assert read(LONG[LONG["judge"] == "people"]).benchmark.metrics == []


def test_the_judgment_called_people_is_the_gold_standard():
    found = read(frame("system,document,m,human_coherence,human\na,1,1,2,3\nb,1,2,3,4\nc,1,3,3,3\n"))
    assert found.benchmark.judgments == ["people", "coherence"]
    assert found.notes[0].startswith(
        "People judge people and coherence; people is what judges are held against."
    )


def test_scores_of_systems_alone_have_one_document():
    found = read(frame("system,m,human\na,1,2\nb,2,3\nc,0,0\n"))
    assert (found.kind, found.benchmark.scores.shape) == ("systems_only", (1, 3, 1))


def test_one_system_is_labels():
    found = read(frame("item,m,rater_1,rater_2\n1,pass,fail,pass\n2,fail,,fail\n"))
    assert (found.kind, found.benchmark, found.pairs) == ("one_system", None, None)
    assert found.labels.to_numpy().tolist() == [
        ["1", "judge", "m", 1],
        ["2", "judge", "m", 0],
        ["1", "person", "rater_1", 0],
        ["1", "person", "rater_2", 1],
        ["2", "person", "rater_2", 0],
    ]
    assert found.labels.columns.tolist() == ["item", "role", "name", "value"]


PAIRS = frame("""item,model_a,model_b,judge,annotator,winner
1,x,y,m,,x
1,y,x,m,,y
1,x,y,people,k,tie
2,y,x,m,,x
2,y,x,people,k,y
2,x,y,people,k,x
""")


def test_the_order_of_lines_is_no_part_of_choices():
    found, other = (read(rows).pairs for rows in (PAIRS, PAIRS[::-1].reset_index(drop=True)))
    assert found.items.index.tolist() == other.items.index.tolist()
    np.testing.assert_equal(found.judges.to_numpy(), other.judges.to_numpy())
    np.testing.assert_equal(found.people.to_numpy(), other.people.to_numpy())


def test_pairs_are_in_both_orders():
    found = read(PAIRS)
    assert found.kind == "pairs"
    assert found.pairs.items[["first", "second"]].to_numpy().tolist() == [["x", "y"], ["y", "x"]]
    # of the first pair x is the first as listed: chosen once, and not when it was shown as the second
    np.testing.assert_equal(found.pairs.judges.to_numpy().tolist(), [[[1, 0], [0, np.nan]]])
    assert found.pairs.people.to_numpy().tolist() == [[0.5, 0.5]]
    assert found.notes == ("1 pair was shown to a person in both orders; opposite choices are a tie.",)


def test_files_are_read_whatever_their_order(tmp_path):
    paths = [tmp_path / name for name in ("scores.csv", "people.csv")]
    for path, is_people in zip(paths, (False, True), strict=True):
        LONG[(LONG["judge"] == "people") == is_people].to_csv(path, index=False)
    made = [read(given).benchmark for given in (paths, paths[::-1])]
    assert made[0].scores.identical(made[1].scores)
    assert made[0].humans.identical(made[1].humans)
    assert made[0].humans.identical(read(LONG).benchmark.humans)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,document,judge,score\na,1,m,1\nb,1,human,2\n", "judges and people have no system in common: judges score 'a', people 'b'; use the same names in both"),
        ("system,document,judge,score\na,1,m,1\nb,1,m,1\nc,1,m,2\na,1,human,2\n", "judges and people have 1 system in common: judges score 'a', 'b' and 'c', people 'a'"),
        ("system,document,judge,score\na,1,m,1\nb,1,m,1\na,2,human,2\nb,2,human,2\n", "no document in common: '1' and '2'; use the same names in both"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_said(text, message):
    with pytest.raises(DataError) as caught:
        read(frame(text))
    assert message in str(caught.value)


def test_too_many_systems_are_refused_with_the_reason(monkeypatch):
    monkeypatch.setattr(reading, "MAX_SYSTEMS", 2)
    with pytest.raises(DataError, match="3 systems are 3 pairs, and every pair is compared; keep at most 2"):
        read(LONG)


@pytest.mark.parametrize(
    ("head", "people"),
    [("ann1,ann2", ()), ("fluency_1,fluency_2", ("fluency_1", "fluency_2"))],
)
def test_raters_side_by_side_rate_one_thing(head, people):
    found = read(frame(f"system,article_id,m,{head}\na,x,1,2,4\nb,x,2,3,5\nc,x,3,1,1\n"), people=people)
    assert found.benchmark.metrics == ["m"]
    assert found.benchmark.raters("people") == head.split(",")
    assert found.benchmark.human.to_numpy()[:, 0].tolist() == [3, 4, 1]


def test_kinds_of_judgment_side_by_side_are_no_raters():
    text = "system,doc,m,fluency,coherence\na,x,1,2,4\nb,x,2,3,5\nc,x,3,1,1\n"
    found = read(frame(text), people=("fluency", "coherence"))
    assert found.benchmark.judgments == ["coherence", "fluency"]
    assert not found.benchmark.ratings


def test_a_judge_beside_a_row_for_each_rater_counts_once():
    rows = "a,1,x,2,7\na,1,y,4,7\nb,1,x,1,8\nb,1,y,3,8\nc,1,x,5,9\nc,1,y,5,9\n"
    found = read(frame(f"system,document,annotator,rating,gpt4\n{rows}")).benchmark
    assert found.metrics == ["gpt4"]
    assert found.metric("gpt4").to_numpy()[:, 0].tolist() == [7, 8, 9]
    assert found.raters("people") == ["x", "y"]


def test_a_judge_s_choices_beside_a_row_for_each_rater():
    rows = "1,a,b,x,a,tie\n1,a,b,y,b,tie\n2,b,a,x,a,b\n"
    found = read(frame(f"prompt,model_a,model_b,annotator,winner,gpt\n{rows}")).pairs
    assert found.judges.sel(judge="gpt", order="as listed").to_numpy().tolist() == [0.5, 1]
    np.testing.assert_equal(found.people.to_numpy(), [[1, 0], [0, np.nan]])


def test_columns_of_a_leaderboard_are_judges_once_one_is_people_s():
    found = read(frame("model,auto,elo\na,1,4\nb,2,5\nc,3,6\n"), people=["elo"])
    assert (found.kind, found.benchmark.metrics) == ("systems_only", ["auto"])
    assert found.benchmark.judgments == ["elo"]


def test_a_column_of_names_that_come_again_for_every_system_is_the_item():
    rows = "\n".join(f"{s},{d},{i + j},{i}" for i, s in enumerate("abc") for j, d in enumerate(("x", "z")))
    found = read(frame(f"system,passage,m,human\n{rows}"))
    assert (found.kind, found.benchmark.systems, found.benchmark.documents) == (
        "ranking",
        ["a", "b", "c"],
        ["x", "z"],
    )


@pytest.mark.parametrize("name", ["judge", "gpt", "rouge", "grader"])
def test_a_judge_that_always_passes_is_a_judge(name):
    table = pd.DataFrame({"item": range(20), "human": [1, 1, 1, 0] * 5, name: 1})
    (row,) = report(read(table), n_resamples=99).verdicts.table.itertuples()
    assert (row.metric, row.own) == (name, 0)  # Cohen's kappa: right by chance alone


def test_a_column_of_one_value_is_named_where_no_judge_is():
    table = pd.DataFrame({"item": range(20), "human": [1, 1, 1, 0] * 5, "safe": 1})
    with pytest.raises(DataError, match=r"'safe' left out, being the same in every row.* --col judge=safe"):
        report(table)
    assert read(table, columns={"judge": "safe"}).sides == (True, True)
