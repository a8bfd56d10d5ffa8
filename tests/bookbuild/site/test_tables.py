import pandas as pd
from bs4 import BeautifulSoup

from bookbuild.site.tables import readable_table


def test_tables_scroll_and_headers_have_their_scope():
    html = '<table border="0" class="dataframe"><thead><tr><th></th><th>n</th><th>word</th></tr></thead>'
    html += "<tbody><tr><th>a</th><td>1.5</td><td>yes</td></tr></tbody></table>"
    soup = BeautifulSoup(readable_table(html), "html.parser")
    assert soup.find(class_="table-scroll").find("table")
    assert [th["scope"] for th in soup.find("tbody").find_all("th")] == ["row"]
    number, word = soup.find("tbody").find_all("td")
    assert "text" not in number.get("class", [])
    assert "text" in word.get("class", [])
    assert readable_table("<p>no table</p>") == "<p>no table</p>"
    assert soup.find(class_="table-scroll")["aria-label"] == "Table"
    captioned = html.replace("<thead>", "<caption>SummEval</caption><thead>")
    named = BeautifulSoup(readable_table(captioned, below="What came out"), "html.parser")
    assert named.find(class_="table-scroll")["aria-label"] == "What came out: SummEval"


def test_a_phone_has_all_names_of_a_row_in_one_column():
    head = "<tr><th></th><th></th><th>r</th></tr><tr><th>data</th><th>metric</th><th></th></tr>"
    rows = '<tr><th rowspan="2">SummEval</th><th>ROUGE-1</th><td>0.5</td></tr><tr><th>ROUGE-2</th><td>0.6</td></tr>'
    html = f'<table class="dataframe"><thead>{head}</thead><tbody>{rows}<tr><th>–</th><th>QAEval</th><td>–</td></tr></tbody></table>'
    table = BeautifulSoup(readable_table(html), "html.parser").table
    phone = [cell.get_text() for cell in table.select(".names")]
    assert phone == ["datametric", "SummEvalROUGE-1", "SummEvalROUGE-2", "QAEval"]
    for before in table.select(".before"):
        before.decompose()
    desk = [[cell.get_text() for cell in row.select("th, td")] for row in table.select("tr")]
    assert desk == [
        ["data", "metric", "r"],
        ["SummEval", "ROUGE-1", "0.5"],
        ["ROUGE-2", "0.6"],
        ["–", "QAEval", "–"],
    ]


def test_numbers_and_sentences_are_no_names_of_rows():
    head = "<tr><th>metric</th><th>window</th><th>what</th><th>r</th></tr>"
    row = "<tr><td>ROUGE-1</td><td>0 to 50</td><td>{}</td><td>0.5</td></tr>"
    html = f'<table class="dataframe"><thead>{head}</thead><tbody>{row.format("yes")}{row.format("no")}</tbody></table>'
    table = BeautifulSoup(readable_table(html), "html.parser").table
    assert [cell.get_text() for cell in table.select(".names")] == ["metric", "ROUGE-1", "ROUGE-1"]
    assert not table.select(".apart, .before")
    words = html.replace(
        "ROUGE-1",
        "a sentence that tells at length what there is, and goes on for more than one line of a phone",
    ).replace("0 to 50", "first")
    assert not BeautifulSoup(readable_table(words), "html.parser").select(".names")


def test_a_long_second_name_is_no_name_and_the_first_spans_its_rows():
    places = pd.MultiIndex.from_tuples([("a", "x " * 45), ("a", "b"), ("c", "d")])
    html = pd.DataFrame({"v": [1.0, 2.0, 3.0]}, index=places).to_html()
    table = BeautifulSoup(readable_table(html), "html.parser").table
    assert [cell.get_text() for cell in table.select("tbody .names")] == ["a", "c"]
