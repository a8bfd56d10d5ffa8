import IPython.display
import myst_nb
import numpy as np
import pandas as pd
import plotly.graph_objects as go
from bs4 import BeautifulSoup
from myst_nb.ext import glue

from helpers.kit import display, mime
from helpers.kit.display import glue_html, glue_text, show_table


def test_what_is_kept_for_the_text_is_written_as_by_myst_nb(monkeypatch):
    written = []
    for module, name in ((display, "display"), (glue, "ipy_display")):
        monkeypatch.setattr(module, name, lambda bundle, **how: written.append((bundle, how)))
    for name, ours, html in (("a", glue_html, "<b>1</b> < 2"), ("b", glue_text, "x &lt; y")):
        ours(name, html.replace("&lt;", "<"))
        myst_nb.glue(name, IPython.display.HTML(html), display=False)
        assert written[-2] == written[-1]


def test_a_table_shows_no_p_value_as_zero(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle[mime.HTML]))
    tests = pd.DataFrame({"metric": ["a", "b"], "value": [0.0, 0.1], "pvalue": [0.0001, 0.0131]})
    show_table(tests, caption="Tests", digits=2, index=False)
    rows = BeautifulSoup(shown[0], "html.parser").select("tbody tr")
    cells = [[cell.get_text() for cell in row.find_all("td")] for row in rows]
    assert cells == [["a", "0.00", "< 0.001"], ["b", "0.10", "0.013"]]


def test_a_long_table_is_folded_below_its_words(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle[mime.HTML]))
    show_table(pd.DataFrame({"value": [1.0, 2.0]}), index=False, caption="Tests of A & B", folded=True)
    page = BeautifulSoup(shown[0], "html.parser")
    assert page.select_one("details:not([open]) > summary").get_text() == "Tests of A & B (2 rows)"
    assert len(page.select("details > table tbody tr")) == 2
    show_table(pd.DataFrame({"value": [1.0]}), index=False, caption="One", folded=True)
    assert "One (1 row)" in shown[1]


def test_the_columns_that_a_page_has_no_room_for_are_in_a_file(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle))
    show_table(pd.DataFrame({f"n_{name}": [1, 2] for name in "abcdefgh"}), caption="A", index=False)
    show_table(pd.DataFrame({"n_a": [1, 2]}), caption="B", index=False)
    link = BeautifulSoup(shown[0][mime.HTML], "html.parser").caption.a
    ((path, text),) = shown[0][mime.FILES].items()
    assert link["href"] == f"../../{path}"
    assert text.splitlines()[0] == "n_a,n_b,n_c,n_d,n_e,n_f,n_g,n_h"
    assert mime.FILES not in shown[1]


def test_figures_and_quoted_results_name_data_sets_as_the_book_does(monkeypatch):
    shown, kept = [], {}
    monkeypatch.setattr(display, "display", lambda bundle, metadata, **_: shown.append(metadata["figure"]))
    monkeypatch.setattr(display, "glue_html", lambda name, text: kept.update({name: text}))
    names = {"caption": "On tac2009.", "alt": "A dot for lite-realsumm, rose-llm."}
    display.show_figure(go.Figure(), name="fig-x", data=pd.DataFrame({"dataset": ["tac2009"]}), **names)
    assert shown[0]["caption"] == "On TAC 2009."
    assert shown[0]["alt"] == "A dot for REALSumm (Lite³Pyramid), RoSE (LLMs)."
    display.glue_text("where", "lite-realsumm & tac2009.csv")
    assert kept == {"where": "REALSumm &amp; tac2009.csv"}
    display.glue_text("share", "69 % of 29 pairs")
    assert kept["share"] == "69\N{NO-BREAK SPACE}% of 29 pairs"


def test_negative_numbers_bear_a_minus_sign_and_names_keep_their_hyphens(monkeypatch):
    kept, shown = {}, []
    monkeypatch.setattr(display, "glue_html", lambda name, text: kept.update({name: text}))
    display.glue_texts({"number": -0.45, "said": "ROUGE-2 by -0.45 [-0.58, -.28], 2023-05", "n": 11490})
    assert kept == {"number": "−0.45", "said": "ROUGE-2 by −0.45 [−0.58, −.28], 2023-05", "n": "11,490"}
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle[mime.HTML]))
    table = pd.DataFrame({"metric": ["ROUGE-1", "JS-2"], "value": [-0.5, 0.25]})
    show_table(table, caption="Beyond -1", index=False)
    display.show_words("It falls by -0.3.")
    texts = [" ".join(BeautifulSoup(part, "html.parser").stripped_strings) for part in shown]
    assert texts == ["Beyond −1 metric value ROUGE-1 −0.50 JS-2 0.25", "It falls by −0.3."]


def test_a_figure_names_systems_and_judges_as_the_book_does_and_its_csv_keeps_their_ids(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle))
    table = pd.DataFrame({"judge": ["gpt_4o", "abs_bart_out"], "value": [0.5, 0.25]})
    drawn = go.Figure({"data": [{"type": "scatter", "x": table["value"], "y": table["judge"]}]})
    display.show_figure(drawn, name="fig-x", caption="", alt="", data=table)
    assert shown[0][mime.PLOTLY]["data"][0]["y"] == ["GPT-4o", "BART (abstractive)"]
    assert shown[0][mime.CSV].splitlines()[1:] == ["gpt_4o,0.5", "abs_bart_out,0.25"]


def test_counts_are_whole_in_the_csv_where_some_rows_have_none(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle))
    table = pd.DataFrame({"n_pairs": [6.0, np.nan], "n_odd": [1.5, 2.0], "value": [1.0, 2.0]})
    display.show_figure(go.Figure(), name="fig-x", caption="", alt="", data=table)
    assert shown[0][mime.CSV].splitlines() == ["n_pairs,n_odd,value", "6,1.5,1.0", ",2.0,2.0"]


def test_a_name_in_a_figures_markup_is_the_books_too(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle[mime.PLOTLY]))
    figure = go.Figure(
        go.Bar(x=[1.0], y=["<b>tac2009</b>"], text=["at <br>rose-llm: -0.4"], customdata=[["tac2008"]])
    )
    display.show_figure(figure, name="fig-x", caption="A", alt="A", data=pd.DataFrame({"value": [1.0]}))
    (bar,) = shown[0]["data"]
    assert (bar["y"], bar["text"], bar["customdata"]) == (
        ["<b>TAC 2009</b>"],
        ["at <br>RoSE (LLMs): −0.4"],
        [["TAC 2008"]],
    )
