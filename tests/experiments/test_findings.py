import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from helpers.experiments import findings
from helpers.kit.recorded import FOLDER
from tests.kit.figures import points, seen

TABLE = findings.table()


@pytest.fixture
def folder(tmp_path):
    """A copy of the recorded tables, to change."""
    for path in FOLDER.glob("fig-*.csv"):
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def recorded(name):
    return pd.read_csv(FOLDER / f"fig-{name}.csv")


def ends(page, choice):
    return TABLE.set_index(["page", "choice"]).loc[(page, choice), ["value", "low", "high"]].tolist()


@pytest.mark.parametrize(
    ("page", "below", "choice"),
    [
        ("topk", "k == 10", "the 10 best systems, not all"),
        ("systems", "group == 'ext'", "extractive systems, not all"),
    ],
)
def test_of_six_changes_the_one_in_the_middle_that_is_nearer_to_none_is_quoted(page, below, choice):
    changes = recorded(f"{page}-differences").query(
        f"{below} and quantity == 'difference' and coefficient == 'pearson'"
    )
    assert len(changes) == 6
    middle = changes.sort_values("value").iloc[2:4]
    nearer = middle.loc[middle["value"].abs().idxmin()]
    assert ends(page, choice) == pytest.approx(nearer[["value", "low", "high"]].tolist())


def test_of_an_odd_number_the_median_is_typical_and_missing_values_are_none():
    rows = pd.DataFrame({"value": [0.3, np.nan, -0.5, 0.1]})
    assert findings.typical(rows)["value"] == 0.1
    assert findings.typical(pd.DataFrame({"value": [-0.2, 0.1]}))["value"] == 0.1


def test_more_documents_are_set_against_fewer_with_monte_carlo_error():
    people = recorded("variance-stability").query("metric == 'people' and dataset == 're-examining-summeval'")
    fewer, more = (people[people["n_documents"] == n].iloc[0] for n in (50, 100))
    change = more["value"] - fewer["value"]
    half = 1.959964 * np.sqrt(more["mc_error"] ** 2 + fewer["mc_error"] ** 2)
    expected = [change, change - half, change + half]
    assert ends("variance", "100 documents, not 50 (SummEval)") == pytest.approx(expected)


def test_a_table_that_was_not_recorded_is_named(folder):
    (folder / "fig-topk-differences.csv").unlink()
    with pytest.raises(FileNotFoundError, match="fig-topk-differences"):
        findings.table(folder=folder)


def test_a_parameter_without_recorded_rows_is_named():
    with pytest.raises(ValueError, match="fig-topk-differences has no rows with k == @k"):
        findings.table(k=11)
    with pytest.raises(ValueError, match="two of the sizes"):
        findings.table(documents=[50, 51])
    with pytest.raises(ValueError, match="`small` must be one of the sizes"):
        findings.table(small=7)


def test_every_change_leads_from_before_to_after_and_is_blue_where_it_is_shown():
    drawn = {}
    for trace in seen(findings.change_dots(TABLE)):
        drawn |= {(trace.name, choice): numbers for choice, numbers in points(trace).items()}
    assert len(drawn) == 2 * len(TABLE) == 14
    for row in TABLE.itertuples():
        assert drawn["before", row.choice][0] == pytest.approx(row.before)
        name = "a difference is shown" if row.low > 0 or row.high < 0 else "left open"
        ends = [row.before + end for end in (row.value, row.low, row.high)]
        assert drawn[name, row.choice] == pytest.approx(ends, abs=1e-4)


def test_what_a_correlation_was_before_a_choice_is_recorded_elsewhere():
    before = TABLE.set_index(["page", "choice"])["before"]
    best = recorded("topk-curves").query("group == 'mix' and k == 25 and coefficient == 'pearson'")
    assert np.isclose(best["value"], before["topk", "the 10 best systems, not all"], atol=1e-5).sum() == 1
    one = recorded("annotators").query(
        "level == 'summary' and coefficient == 'pearson' and n_references == 1"
    )
    assert before["annotators", "all references, not one (summary level)"] in one["value"].tolist()
    wholes = recorded("index_size-curves").query(
        "coefficient == 'pearson' and is_whole and domain != 'reuters+bbc'"
    )
    assert before["index_size", "1,000 stories, not all"] == pytest.approx(wholes["value"].mean())


def pictures():
    tables = findings.pictured()
    return tables, {
        page: BeautifulSoup(text, "html.parser") for page, text in findings.pictures(tables).items()
    }


def test_a_dot_is_filled_where_the_whole_interval_lies_below_one_more_expert():
    tables, drawn = pictures()
    circles = drawn["judges"].find_all("circle")
    assert len(circles) == len(tables["judges"])
    filled = [circle for circle in circles if circle["fill"] != "none"]
    assert len(filled) == (tables["judges"]["high"] < 0).sum()
    (zero,) = (float(re.search(r"M([\d.]+) 18V", path["d"])[1]) for path in drawn["judges"].find_all("path"))
    assert all(float(circle["cx"]) < zero for circle in filled)


def test_a_question_has_both_metrics_on_the_right_side_of_a_coin():
    tables, drawn = pictures()
    coin = float(drawn["old_metrics"].find("path")["d"].split()[0][1:])
    right = [float(circle["cx"]) > coin for circle in drawn["old_metrics"].find_all("circle")]
    shares = tables["old_metrics"].set_index(["judgment", "metric"])["value"]
    pairs = [(judgment, metric) for judgment in findings.JUDGED for metric in ("ROUGE-1 F1", "length")]
    assert right == [shares[pair] > 0.5 for pair in pairs]


def test_pictures_are_described():
    _, drawn = pictures()
    assert all(svg.find("svg")["aria-label"] for svg in drawn.values())
    assert set(drawn) == set(findings.ALT)
