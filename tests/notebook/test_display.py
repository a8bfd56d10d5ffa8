import pandas as pd
from bs4 import BeautifulSoup

from helpers.notebook import display, show_table


def test_a_table_shows_no_p_value_as_zero(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda html, **_: shown.append(html.data))
    tests = pd.DataFrame({"metric": ["a", "b"], "value": [0.0, 0.1], "pvalue": [0.0001, 0.0131]})
    show_table(tests, digits=2, index=False)
    rows = BeautifulSoup(shown[0], "html.parser").select("tbody tr")
    cells = [[cell.get_text() for cell in row.find_all("td")] for row in rows]
    assert cells == [["a", "0.00", "< 0.001"], ["b", "0.10", "0.013"]]


def test_a_long_table_is_folded_below_its_words(monkeypatch):
    shown = []
    monkeypatch.setattr(display, "display", lambda html, **_: shown.append(html.data))
    show_table(pd.DataFrame({"value": [1.0, 2.0]}), index=False, folded="Tests of A & B")
    page = BeautifulSoup(shown[0], "html.parser")
    assert page.select_one("details:not([open]) > summary").get_text() == "Tests of A & B (2 rows)"
    assert len(page.select("details > table tbody tr")) == 2
