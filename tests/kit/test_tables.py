"""Tables of the book: captions, what they lead to, and the book's names in them."""

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from helpers.kit.display import wide
from helpers.kit.tables import table_html


def table_of(frame, caption="c", **settings):
    return BeautifulSoup(table_html(frame, caption=caption, **settings), "html.parser")


def cells_of(frame, kind="td"):
    return [cell.get_text() for cell in table_of(frame, index="th" in kind).select(f"tbody {kind}")]


@pytest.fixture
def broad():
    names = ["metric", *(f"value_{name}" for name in "abcdefg")]
    return pd.DataFrame([["m", *[0.5] * 7], ["n", *[0.25] * 7]], columns=names)


def test_a_cut_table_leads_to_the_whole_and_another_does_not(broad):
    link = '<a href="t.csv">all</a>'
    caption = table_of(broad, caption="A & B", whole=link).caption
    assert caption.get_text() == "A & B; all"
    assert caption.a["href"] == "t.csv"
    assert table_of(broad[["metric", "value_a"]], "A & B", whole=link).caption.get_text() == "A & B"
    assert len(table_of(broad, index=False).select("thead th")) == 8  # without a link all stay


def test_a_caption_says_what_all_rows_share_and_names_data_sets():
    frame = pd.DataFrame({"level": ["system"] * 2, "value": [1, 2]})
    assert table_of(frame, "On tac2009").caption.get_text() == "On TAC 2009 (system level)"


def test_a_table_without_rows_is_a_sentence():
    sentence = table_of(pd.DataFrame({"value": []}), "Files & scores")
    assert (sentence.table, sentence.get_text()) == (None, "Files & scores: no rows.")
    assert table_of(pd.DataFrame({"value": []}), "Files", if_empty="not run").get_text() == "Files: not run."


def test_systems_have_the_names_that_they_have_on_their_benchmark():
    frame = pd.DataFrame(
        {"dataset": ["rose", "summeval"], "system": ["brio-ext", "M22"], "value": [1.0, 2.0], "n": [1, 1]}
    )
    assert cells_of(frame)[1::4] == ["BRIO-Ext", "BART"]
    crossed = wide(frame, rows=["dataset", "system"], columns=["n"])
    assert cells_of(crossed, "th") == ["RoSE", "BRIO-Ext", "SummEval", "BART"]
    quantities = pd.DataFrame(
        {"dataset": ["rose"] * 2, "quantity": ["bart, later", "bart less gpt3"], "value": [1.0, 2.0]}
    )
    assert cells_of(quantities)[::2] == ["BART, later", "BART less GPT-3"]
    assert table_of(quantities).caption.get_text() == "c (RoSE)"


def test_a_system_of_ones_own_keeps_its_id_and_a_page_has_its_title():
    frame = pd.DataFrame({"dataset": ["mine"] * 2, "system": ["M22", "gold"], "page": ["topk", "nowhere"]})
    assert cells_of(frame) == ["M22", "Top-k correlation", "gold", "nowhere"]
