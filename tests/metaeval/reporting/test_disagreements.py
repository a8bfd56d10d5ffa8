"""The items on which judges and people differ most, by hand."""

import csv
import json

import pandas as pd
import pytest

from metaeval.__main__ import main
from metaeval.reporting.disagreements import disagreement_table
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.report import report
from tests.builders import benchmark

LABELS = pd.DataFrame(
    {
        "id": [1, 2, 3, 4],
        "response": [
            "=SUM(A1) of all that they sold over the last long year",
            "It is fine, as far as anyone who was there knows today.",
            "Nobody knows who came to the house in that evening.",
            "As it was on the roof of the house under the sun.",
        ],
        "gpt": ["pass", "fail", "pass", "pass"],
        "ann1": ["pass", "pass", "fail", "pass"],
        "ann2": ["pass", "pass", "pass", "pass"],
        "ann3": ["pass", "pass", "fail", "pass"],
    }
)


def rows(table: pd.DataFrame, *columns: str) -> list[tuple]:
    return list(table[[*columns]].itertuples(index=False, name=None))


def test_a_label_is_held_against_the_share_of_people_who_pass():
    table, scale = disagreement_table(read(LABELS))
    # item 2: 0 beside 3 of 3; item 3: 1 beside 1 of 3
    assert rows(table, "item", "score", "people")[:2] == [("2", 0.0, 1.0), ("3", 1.0, pytest.approx(1 / 3))]
    assert table["difference"].tolist() == pytest.approx([-1.0, 2 / 3, 0.0, 0.0])
    assert table["response"].tolist()[2].startswith("=SUM(A1)")
    assert "share of people who pass" in scale
    assert "response" not in disagreement_table(read(LABELS), texts=False)[0]


def test_a_text_that_is_called_like_an_id_replaces_none():
    table, _ = disagreement_table(read(LABELS.rename(columns={"response": "document"})))
    assert rows(table, "item", "document (text)")[2] == ("1", LABELS["response"][0])


def test_labels_without_an_order_differ_by_the_share_that_chose_another():
    chosen = {
        "gpt": ("sport", "news", "art"),
        "a": ("sport", "art", "art"),
        "b": ("sport", "sport", "art"),
        "c": ("news", "sport", "art"),
    }
    rows_ = [
        (i + 1, "judge" if name == "gpt" else "person", name, word)
        for name, words in chosen.items()
        for i, word in enumerate(words)
    ]
    labels = pd.DataFrame(rows_, columns=["item", "role", "name", "value"])
    table, _ = disagreement_table(Reading("one_system", None, labels, None, (), ()))
    # 2: news beside art, sport, sport, of whom none says news; 1: sport beside sport, sport, news
    assert rows(table, "item", "score", "people") == [
        (2, "news", "sport"),
        (1, "sport", "sport"),
        (3, "art", "art"),
    ]
    assert table["difference"].tolist() == pytest.approx([1.0, 1 / 3, 0.0])


def test_a_choice_is_held_against_the_mean_of_peoples():
    pairs = pd.DataFrame(
        {
            "id": [1, 2, 3], "model_a": ["x", "x", "y"], "model_b": ["y", "z", "z"],
            "gpt": ["A", "B", "tie"], "human": ["A", "A", "B"],
        }
    )  # fmt: skip
    table, _ = disagreement_table(read(pairs))
    assert rows(table, "item", "first", "second", "score", "people", "difference") == [
        ("2", "x", "z", 0.0, 1.0, -1.0), ("3", "y", "z", 0.5, 0.0, 0.5), ("1", "x", "y", 1.0, 1.0, 0.0),
    ]  # fmt: skip


def test_scores_are_held_against_each_other_by_their_ranks():
    nan = float("nan")
    made = benchmark([[1.0, 2.0], [2.0, nan], [4.0, 3.0]], {"m": [[100.0, 20.0], [30.0, 99.0], [40.0, 20.0]]})
    result = report(made, n_resamples=49)
    table = result.to_frame("disagreements")
    # of five scored by both: ranks of m are 5, 1.5, 3, 4, 1.5, of people 1, 2.5, 2.5, 5, 4; a rank is 20 points
    assert rows(table, "system", "document", "difference") == [
        ("s0", "d0", 80.0), ("s2", "d1", -50.0), ("s0", "d1", -20.0), ("s2", "d0", -20.0), ("s1", "d0", 10.0),
    ]  # fmt: skip


def test_the_file_has_all_and_no_formula(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    LABELS.to_csv("a.csv", index=False)
    assert main(["report", "a.csv", "--draws", "49", "--disagreements", "d.csv", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["tables"]["disagreements"]
    lines = list(csv.DictReader((tmp_path / "d.csv").read_text(encoding="utf8").splitlines()))
    assert [line["item"] for line in lines] == [row["item"] for row in shown] == ["2", "3", "1", "4"]
    assert lines[2]["response"] == f"'{LABELS['response'][0]}"
    assert shown[2]["response"] == LABELS["response"][0]
    LABELS.rename(columns={"response": "=A1"}).to_csv("b.csv", index=False)
    assert main(["report", "b.csv", "--draws", "49", "--disagreements", "e.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["disagreements"][2]["=A1"] == LABELS["response"][0]
    assert (tmp_path / "e.csv").read_text().splitlines()[0] == "judge,item,score,people,difference,'=A1"
    assert main(["report", "a.csv", "--draws", "49", "--disagreements", "d.csv", "--json", "--no-texts"]) == 0
    assert "response" not in capsys.readouterr().out + (tmp_path / "d.csv").read_text(encoding="utf8")
    assert main(["report", "a.csv", "--disagreements", "a.csv"]) == 3
    assert "would be lost" in capsys.readouterr().err


def test_a_report_shows_itself_in_a_notebook_and_no_text_escapes():
    html = report(
        LABELS.replace(LABELS["response"][1], "<b>fine</b>, as far as all who were there know")
    )._repr_html_()
    assert "<!DOCTYPE" not in html
    assert "On which items do judge and people differ most?" in html
    assert "&lt;b&gt;fine&lt;/b&gt;" in html
    assert "<b>fine" not in html
