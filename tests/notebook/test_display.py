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
