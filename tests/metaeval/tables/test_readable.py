"""Tables as people read them: small ones whose words are counted by hand."""

import numpy as np
import pandas as pd
import pytest

from helpers.kit.display import wide
from metaeval.tables.columns import label
from metaeval.tables.readable import MAX_COLUMNS, cell, readable


def read(frame, *, digits=2, **options):
    """What is shown, what is shared, and whether columns are left out."""
    table = readable(frame, digits=digits, **options)
    return table.frame, table.shared, table.n_left_out > 0


def cells(frame):
    return frame.to_numpy().tolist()


def test_names_are_words_counts_are_whole_and_nothing_is_a_dash():
    frame = pd.DataFrame(
        {
            "dataset": ["realsumm", "simulated-summeval"],
            "coefficient": ["kendall", "pearson"],
            "n_pairs": [4840.0, np.nan],
            "value": [0.456, np.nan],
            "agrees": [True, False],
            "pvalue": [0.0001, 0.5],
        }
    )
    shown, shared, is_cut = read(frame)
    assert list(shown) == ["data set", "coefficient", "pairs", "value", "agrees", "p-value"]
    assert cells(shown) == [
        ["REALSumm", "Kendall's τ", "4,840", "0.46", "yes", "< 0.001"],
        ["simulated SummEval", "Pearson's r", "–", "–", "no", "0.500"],
    ]
    assert (shared, is_cut) == ([], False)


def test_a_mean_of_counts_keeps_its_decimals():
    assert cells(read(pd.DataFrame({"n_pairs": [2.0, 2.5]}))[0]) == [["2"], ["2.50"]]


def test_a_value_and_its_ends_share_a_cell():
    frame = pd.DataFrame({"value": [0.5, 0.25, np.nan], "low": [0.4, np.nan, 0.1], "high": [0.6, 0.3, 0.2]})
    assert cells(read(frame)[0]) == [["0.50 [0.40, 0.60]"], ["0.25"], ["–"]]


def test_an_interval_that_leaves_out_its_value_is_marked_and_the_mark_explained():
    frame = pd.DataFrame({"value": [0.86, 0.5, np.nan], "low": [0.39, 0.5, 0.1], "high": [0.84, 0.6, 0.2]})
    shown, shared, _ = read(frame)
    assert cells(shown) == [["0.86 [0.39, 0.84]†"], ["0.50 [0.50, 0.60]"], ["–"]]
    assert shared == ["† the interval leaves the estimate out"]
    assert read(frame[1:])[1] == []


def test_a_data_set_has_its_short_name_where_no_two_releases_of_one_meet():
    apart = pd.DataFrame({"dataset": ["re-examining-summeval", "bhandari2020"], "value": [1, 2]})
    assert [row[0] for row in cells(read(apart)[0])] == ["SummEval", "REALSumm"]
    met = apart.assign(dataset=["realsumm", "bhandari2020"])
    assert [row[0] for row in cells(read(met)[0])] == ["REALSumm", "REALSumm (Statistical Analysis)"]
    crossed = wide(apart.assign(metric="m"), rows="metric", columns=["dataset"])
    assert list(read(crossed)[0]) == ["SummEval", "REALSumm"]


def test_large_numbers_have_four_digits_and_whole_ones_none_behind_the_point():
    frame = pd.DataFrame(
        {"low": [1866.4, 276.31, 0.125], "not_listed": [13.0, 9.0, np.nan], "share": [1.0, 0, 1]}
    )
    assert cells(read(frame, digits=3)[0]) == [
        ["1,866", "13", "1.000"],
        ["276.3", "9", "0.000"],
        ["0.125", "–", "1.000"],
    ]


def test_what_all_rows_share_is_said_once():
    frame = pd.DataFrame(
        {"dataset": ["tac2008"] * 2, "level": ["system"] * 2, "split": ["none"] * 2, "value": [1, 2]}
    )
    shown, shared, _ = read(frame)
    assert shared == ["TAC 2008", "system level", "split: none"]
    assert cells(shown) == [["1"], ["2"]]
    one = read(frame.head(1))  # of one row everything would be shared
    assert (list(one[0]), one[1]) == (["data set", "level", "split", "value"], [])


def test_outer_headings_of_a_wide_cross_table_become_rows():
    keys = [
        (k, g, c) for k in (4,) for g in ("abs", "ext", "mix") for c in ("pearson", "kendall", "spearman")
    ]
    long = pd.DataFrame(keys, columns=["k", "group", "coefficient"]).assign(metric="m", value=np.arange(9.0))
    shown, shared, is_cut = read(wide(long, rows="metric", columns=["k", "group", "coefficient"]), digits=0)
    assert shared == ["k: 4"]
    assert not is_cut
    assert shown.index.names == [label("group"), "metric"]
    assert shown.index.tolist() == [
        ("abstractive", "m"),
        ("extractive", "m"),
        ("abstractive and extractive", "m"),
    ]
    assert list(shown) == ["Pearson's r", "Kendall's τ", "Spearman's ρ"]
    assert cells(shown) == [["0", "1", "2"], ["3", "4", "5"], ["6", "7", "8"]]


def test_headings_that_become_rows_keep_their_order():
    keys = [(q, g, c) for q in ("x", "y") for g in ("abs", "ext") for c in "pqrs"]
    long = pd.DataFrame(keys, columns=["split", "group", "measure"]).assign(metric="m", value=np.arange(16.0))
    shown, _, _ = read(wide(long, rows="metric", columns=["split", "group", "measure"]), digits=0)
    assert [row[:2] for row in shown.index] == [
        ("x", "abstractive"),
        ("x", "extractive"),
        ("y", "abstractive"),
        ("y", "extractive"),
    ]
    assert cells(shown)[2] == ["8", "9", "10", "11"]


def test_a_narrow_cross_table_stays():
    long = pd.DataFrame({"metric": ["m", "m"], "level": ["system", "summary"], "value": [1.0, 2.0]})
    shown, _, _ = read(wide(long, rows="metric", columns=["level"]))
    assert (shown.columns.name, list(shown)) == ("level", ["system level", "summary level"])


@pytest.fixture
def broad():
    names = [
        "dataset",
        "metric",
        "value",
        "mc_error",
        "n_pairs",
        "n_used",
        "agreement",
        "typical",
        "share_held",
    ]
    frame = pd.DataFrame([[0.5] * len(names)] * 2, columns=names)
    return frame.assign(dataset=["tac2008", "tac2009"], metric=["a", "b"])


def test_errors_and_the_last_numbers_leave_a_table_that_is_too_wide(broad):
    shown, _, is_cut = read(broad)
    assert is_cut
    assert list(shown) == [
        label(name) for name in ("dataset", "metric", "value", "n_pairs", "n_used", "agreement")
    ] + [label("typical")]
    assert len(shown.columns) == MAX_COLUMNS
    assert read(broad, may_cut=False)[0].shape == broad.shape


def test_the_last_columns_of_a_cross_table_that_is_too_wide_leave_it():
    long = pd.DataFrame({"metric": "m", "system": list("abcdefgh"), "value": np.arange(8.0)})
    crossed = wide(long, rows="metric", columns=["system"])
    shown, _, is_cut = read(crossed, digits=0)
    assert (is_cut, list(shown), cells(shown)) == (True, list("abcdef"), [list("012345")])
    assert read(crossed, may_cut=False)[0].shape == crossed.shape


def test_no_zero_has_a_sign_and_an_open_end_is_a_symbol():
    assert (cell(-0.0004, 3), cell(-0.0006, 3), cell(float("inf"), 2)) == ("0.000", "-0.001", "unbounded")


def test_headings_that_count_have_thousands_marked_and_others_do_not():
    frame = pd.DataFrame({"value": [0.5]}, index=pd.Index([19043], name="stories"))
    numbered = frame.set_axis(pd.Index([19043], name="k"))
    assert read(frame)[0].index.tolist() == ["19,043"]
    assert read(numbered)[0].index.tolist() == ["19043"]


def test_what_a_whole_table_is_of_is_named_as_in_a_sentence():
    frame = pd.DataFrame({"dataset": ["lite-realsumm"] * 2, "metric": ["a", "b"], "value": [0.1, 0.2]})
    assert read(frame)[1] == ["REALSumm"]


def test_a_column_of_words_without_any_is_left_out():
    frame = pd.DataFrame({"metric": ["a"], "remark": [""], "value": [0.5]})
    assert list(read(frame)[0]) == ["metric", "value"]
    assert "remark" in read(frame.assign(remark="few pairs"))[0]
    assert "remark" in read(frame[:0])[0]


def test_where_there_is_no_room_both_ends_of_a_range_share_a_cell_and_what_is_empty_goes_first():
    columns = {
        "metric": ["a", "b"],
        "lower": [0.0, 1.0],
        "upper": [1.0, np.nan],
        "value": [0.5, 0.25],
        "n_pairs": [3, 4],
        "n_used": [np.nan, np.nan],
        "agreement": [0.75, 0.5],
        "share_held": [0.5, 0.5],
        "remark": ["few pairs", ""],
    }
    frame = pd.DataFrame(columns)
    shown, _, is_cut = read(frame)
    assert cells(shown)[0] == ["a", "0.00 to 1.00", "0.50", "3", "0.75", "0.50", "few pairs"]
    assert cells(shown)[1][1] == "–"
    assert is_cut
    assert "lower" not in read(frame)[0]
    shares = {"from_percent": [0.0, 0.0], "to_percent": [50.0, 100.0]}
    assert cells(read(pd.DataFrame(shares))[0]) == [["0", "50"], ["0", "100"]]
    assert [*read(frame.iloc[:, :7])[0]][1:3] == ["from a difference of", "to a difference of"]


def test_what_stands_aside_goes_before_the_last_columns():
    frame = pd.DataFrame({f"value_{name}": [0.5, 0.25] for name in "abcdefgh"})
    assert "value h" in read(frame, aside=["value_b"])[0]
    assert "value b" not in read(frame, aside=["value_b"])[0]
    assert "value b" in read(frame.iloc[:, :7], aside=["value_b"])[0]


def test_of_many_headings_that_are_numbers_evenly_spaced_ones_stay():
    frame = pd.DataFrame([range(9)], columns=pd.Index([n / 10 for n in range(9)], name="epsilon"))
    assert [*read(frame)[0]] == ["0", "0.1", "0.3", "0.4", "0.5", "0.7", "0.8"]


def test_a_count_that_several_rows_share_is_said_once_and_one_that_two_share_stays():
    frame = pd.DataFrame(
        {"metric": ["a", "b", "c"], "value": [0.5, 0.5, 0.5], "n_documents": [1600, 1600, 1600]}
    )
    shown, shared, _ = read(frame)
    assert (list(shown), shared) == (["metric", "value"], ["documents: 1,600"])
    assert read(frame.assign(n_documents=12.5))[1] == ["documents: 12.50"]
    lists = frame.assign(groups=[["x"], ["y"], ["z"]]).drop(columns="n_documents")
    assert list(read(lists.set_axis(["metric", "value", "value"], axis=1))[0]) == [
        "metric",
        "value",
        "value",
    ]
    crossed = pd.DataFrame([[0.5, 0.5]]).set_axis(pd.MultiIndex.from_product([["all"], ["a", "b"]]), axis=1)
    assert read(crossed.rename_axis(columns=["n_documents", "metric"]))[1] == ["documents: all"]
    shown, shared, _ = read(frame[:2])
    assert (list(shown), shared) == (["metric", "value", "documents"], [])
    shown, shared, _ = read(frame.assign(n_documents=np.nan))
    assert (list(shown), shared) == (["metric", "value", "documents"], [])


def test_digits_are_those_that_another_seed_leaves_alone():
    """A Monte-Carlo error above 0.01 takes the second digit; percentages are whole, and errors are not shown."""
    frame = pd.DataFrame(
        {
            "value": [0.527, 0.527],
            "value_mc_error": [0.004, 0.02],
            "from_percent": [33.3, 66.7],
            "n_pairs": [1200, 3],
        }
    )
    table = readable(frame)
    assert list(table.frame) == ["value", "from (%)", "pairs"]
    assert cells(table.frame) == [["0.53", "33", "1,200"], ["0.5", "67", "3"]]
    assert table.are_numbers == [True, True, True]


def test_a_table_of_a_report_has_rows_of_its_own():
    frame = pd.DataFrame(
        {
            "name": ["a", "b"],
            "missing": [0.034, 0.0],
            "smallest": [-1234.5, 0.03333],
            "largest": [np.inf, 1.0],
        }
    )
    assert cells(readable(frame, table="scores").frame) == [
        ["a", "3 %", "-1,230", "unbounded"],
        ["b", "0 %", "0.0333", "1"],
    ]
    assert list(readable(frame, table="scores").frame)[1] == "missing of all"
    assert list(readable(frame).frame)[1] == "missing"
    assert "judge" in readable(frame, labels={"name": "judge"}).frame
    table = readable(pd.DataFrame({"sd_within": [1056.0, 0.5]})).frame
    assert table["sd within an item"].tolist() == ["1,056.00", "0.50"]


def test_names_of_ones_own_stay_as_they_are_and_what_is_shared_stays_where_it_is():
    frame = pd.DataFrame({"judge": ["gpt-4o"] * 2, "n_items": [2, 3], "remark": ["", ""]})
    assert readable(frame).shared == ["GPT-4o"]
    table = readable(frame, words=lambda name, value: value, share=False)
    assert (table.shared, cells(table.frame)) == ([], [["gpt-4o", "2"], ["gpt-4o", "3"]])


def test_what_has_no_time_is_a_dash():
    assert cells(readable(pd.DataFrame({"ours_ms": [0.0123, np.nan]}), digits=2).frame) == [["0.012"], ["–"]]


def test_as_text_words_stand_left_and_numbers_right():
    frame = pd.DataFrame(
        {"name": ["a\nb", "long name"], "n_scores": [1320, 7], "scale": ["binary", "continuous"]}
    )
    assert readable(frame).to_text() == [
        "name       scores  scale",
        "a b         1,320  binary",
        "long name       7  continuous",
    ]
