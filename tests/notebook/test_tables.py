"""Tables as people read them: small ones whose words are counted by hand."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from helpers.experiments.columns import COLUMNS
from helpers.notebook import table_html, wide
from helpers.notebook.tables import MOST_COLUMNS, readable


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
    shown, shared, is_cut = readable(frame)
    assert list(shown) == ["data set", "coefficient", "pairs", "value", "agrees", "p-value"]
    assert cells(shown) == [
        ["REALSumm", "Kendall's τ", "4,840", "0.46", "yes", "< 0.001"],
        ["simulated SummEval", "Pearson's r", "–", "–", "no", "0.500"],
    ]
    assert (shared, is_cut) == ([], False)


def test_a_mean_of_counts_keeps_its_decimals():
    assert cells(readable(pd.DataFrame({"n_pairs": [2.0, 2.5]}))[0]) == [["2"], ["2.50"]]


def test_a_value_and_its_ends_share_a_cell():
    frame = pd.DataFrame({"value": [0.5, 0.25, np.nan], "low": [0.4, np.nan, 0.1], "high": [0.6, 0.3, 0.2]})
    assert cells(readable(frame)[0]) == [["0.50 [0.40, 0.60]"], ["0.25"], ["–"]]


def test_what_all_rows_share_is_said_once():
    frame = pd.DataFrame(
        {"dataset": ["tac2008"] * 2, "level": ["system"] * 2, "split": ["none"] * 2, "value": [1, 2]}
    )
    shown, shared, _ = readable(frame)
    assert shared == ["TAC 2008", "system level", "split: none"]
    assert cells(shown) == [["1"], ["2"]]
    one = readable(frame.head(1))  # of one row everything would be shared
    assert (list(one[0]), one[1]) == (["data set", "level", "split", "value"], [])


def test_outer_headings_of_a_wide_cross_table_become_rows():
    keys = [
        (k, g, c) for k in (4,) for g in ("abs", "ext", "mix") for c in ("pearson", "kendall", "spearman")
    ]
    long = pd.DataFrame(keys, columns=["k", "group", "coefficient"]).assign(metric="m", value=np.arange(9.0))
    shown, shared, is_cut = readable(
        wide(long, rows="metric", columns=["k", "group", "coefficient"]), digits=0
    )
    assert shared == [f"{COLUMNS['k'].label}: 4"]
    assert not is_cut
    assert shown.index.names == [COLUMNS["group"].label, "metric"]
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
    shown, _, _ = readable(wide(long, rows="metric", columns=["split", "group", "measure"]), digits=0)
    assert [row[:2] for row in shown.index] == [
        ("x", "abstractive"),
        ("x", "extractive"),
        ("y", "abstractive"),
        ("y", "extractive"),
    ]
    assert cells(shown)[2] == ["8", "9", "10", "11"]


def test_a_narrow_cross_table_stays():
    long = pd.DataFrame({"metric": ["m", "m"], "level": ["system", "summary"], "value": [1.0, 2.0]})
    shown, _, _ = readable(wide(long, rows="metric", columns=["level"]))
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
    shown, _, is_cut = readable(broad)
    assert is_cut
    assert list(shown) == [
        COLUMNS[name].label for name in ("dataset", "metric", "value", "n_pairs", "n_used", "agreement")
    ] + [COLUMNS["typical"].label]
    assert len(shown.columns) == MOST_COLUMNS
    assert readable(broad, may_cut=False)[0].shape == broad.shape


def test_a_cut_table_leads_to_the_whole_and_another_does_not(broad):
    caption = BeautifulSoup(
        table_html(broad, caption="A & B", whole='<a href="t.csv">all</a>'), "html.parser"
    ).caption
    assert caption.get_text() == "A & B; all"
    assert caption.a["href"] == "t.csv"
    assert "caption" not in table_html(broad)
    assert "t.csv" not in table_html(broad[["metric", "value"]], whole='<a href="t.csv">all</a>')
