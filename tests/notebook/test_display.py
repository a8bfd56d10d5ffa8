import IPython.display
import myst_nb
import pandas as pd
import plotly.graph_objects as go
from bs4 import BeautifulSoup
from myst_nb.ext import glue

from helpers import mime
from helpers.notebook import display, glue_html, glue_text, show_table


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
    show_table(tests, digits=2, index=False)
    rows = BeautifulSoup(shown[0], "html.parser").select("tbody tr")
    cells = [[cell.get_text() for cell in row.find_all("td")] for row in rows]
    assert cells == [["a", "0.00", "< 0.001"], ["b", "0.10", "0.013"]]


def test_a_long_table_is_folded_below_its_words(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle[mime.HTML]))
    show_table(pd.DataFrame({"value": [1.0, 2.0]}), index=False, folded="Tests of A & B")
    page = BeautifulSoup(shown[0], "html.parser")
    assert page.select_one("details:not([open]) > summary").get_text() == "Tests of A & B (2 rows)"
    assert len(page.select("details > table tbody tr")) == 2


def test_the_columns_that_a_page_has_no_room_for_are_in_a_file(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda bundle, **_: shown.append(bundle))
    show_table(pd.DataFrame({f"n_{name}": [1, 2] for name in "abcdefgh"}), index=False)
    show_table(pd.DataFrame({"n_a": [1, 2]}), index=False)
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
