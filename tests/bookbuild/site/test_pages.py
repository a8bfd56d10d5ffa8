"""Pages in short, as their executed notebooks say them; descriptions, the map, a panel on another page."""

import json
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document
from PIL import Image

from bookbuild.site import citing, pages, sphinx_ext
from helpers.kit.mime import CSV, RESULTS

BOX = """:::{admonition} The answer
- {glue}`lead` on *r*, see {doc}`the other page <other>`. More of it.
- A second point.
:::
"""
TITLE = "# Top-*k*: a title\n\n**The question.** What is asked? This page re-runs {cite:t}`key`.\n"


def executed(path, *texts, glued=(), results=None, table="", code=""):
    outputs = [
        nbformat.v4.new_output(
            "display_data",
            {"application/papermill.record/text/html": text},
            metadata={"scrapbook": {"name": name}},
        )
        for name, text in glued
    ]
    if results:
        outputs.append(nbformat.v4.new_output("display_data", {RESULTS: results}))
    if table:
        outputs.append(nbformat.v4.new_output("display_data", {CSV: table}))
    cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
    nbformat.write(
        nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_code_cell(code, outputs=outputs)]), path
    )
    return path


def test_a_page_in_short_quotes_its_box_with_what_is_glued(tmp_path):
    path = executed(
        tmp_path / "a.ipynb", TITLE, BOX, glued=[("lead", "0.5 &lt; <b>0.6</b>")],
        results={"columns": ["dataset", "value"], "data": [["summeval", 1], ["simulated-realsumm", 2]]},
        table="dataset,n\nsummeval,1\nunheard,2\n",
    )  # fmt: skip
    page = pages.read_page(path)
    assert page.title == "Top-k: a title"
    assert page.question == "What is asked?"
    assert page.answer == page.description == "0.5 < 0.6 on r, see the other page. More of it."
    assert page.data == ("SummEval", "simulated REALSumm", "unheard")


def test_a_page_without_a_box_is_described_by_its_question(tmp_path):
    page = pages.read_page(executed(tmp_path / "a.ipynb", TITLE, "## Overview"))
    assert (page.answer, page.data, page.description) == ("", (), "What is asked?")


def test_a_page_that_ran_since_it_was_read_ahead_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "EXECUTED", tmp_path)
    (tmp_path / "cut.ipynb").write_text('{"cells": [')  # which comes first
    unchanged, ran = (executed(tmp_path / f"{name}.ipynb", f"# {name}") for name in ("kept", "ran"))
    pages.read_ahead()
    reads, read = [], pages.read_notebook
    monkeypatch.setattr(pages, "read_notebook", lambda path: reads.append(path) or read(path))
    executed(ran, "# ran since")
    assert [pages.read_page(path).title for path in (unchanged, ran)] == ["kept", "ran since"]
    assert reads == [ran]
    with pytest.raises(json.JSONDecodeError):  # where it is asked for, it is not passed over
        pages.read_page(tmp_path / "cut.ipynb")


def test_the_data_of_a_page_are_those_that_its_code_loads_too(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "datasets_present", lambda: dict.fromkeys(["realsumm", "summeval", "tac2009"]))
    code = 'dataset: str = "realsumm"\nothers = ["tac2009", "absent"]\nload("summeval")'
    results = {"columns": ["dataset"], "data": [["simulated-realsumm"]]}
    page = pages.read_page(executed(tmp_path / "a.ipynb", TITLE, code=code, results=results))
    assert page.data == ("simulated REALSumm", "TAC 2009", "SummEval")
    everything = pages.read_page(executed(tmp_path / "b.ipynb", TITLE, code="contents(datasets.names())"))
    assert everything.data == ("REALSumm", "SummEval", "TAC 2009")
    many = pages.Page(title="", question="", answer="", datasets=tuple("abcdefghi"))
    assert "<td>9 data sets</td>" in pages.map_html({"": {"x": many}})


def test_the_map_has_a_row_for_each_page_and_escapes_what_it_quotes():
    page = pages.Page(title="<T>", question="", answer="1 < 2", datasets=("A", "B"))
    open_ = pages.Page(title="U", question="Why?", answer="", datasets=())
    soup = BeautifulSoup(
        pages.map_html({"Part": {"x.html": page}, "Other": {"y.html": open_}}), "html.parser"
    )
    assert [link["href"] for link in soup.find_all("a")] == ["x.html", "y.html"]
    assert [cell.text for cell in soup.find_all("td")] == ["A, B", "1 < 2", "", "Asked: Why?"]
    assert [row.text for row in soup.select(".part")] == ["Part", "Other"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv(citing.ADDRESS, raising=False)
    monkeypatch.setattr(sphinx_ext, "EXECUTED", tmp_path)
    executed(tmp_path / "a.ipynb", TITLE, BOX, glued=[("lead", 'a "quoted" &lt;text&gt;')])
    return tmp_path


def described(name, text="", base=""):
    document = new_document("page")
    document += nodes.paragraph("", text)
    context = {"title": "A &amp; <em>B</em>", "metatags": "", "body": ""}
    builder = SimpleNamespace(get_relative_uri=lambda _, to: f"../{Path(to).name}.html")
    config = SimpleNamespace(project="The book", html_baseurl=base)
    app = SimpleNamespace(config=config, builder=builder, outdir=sphinx_ext.EXECUTED)
    sphinx_ext.describe(app, name, "", context, document)
    soup = BeautifulSoup(context["metatags"], "html.parser")
    tags = {meta.get("name", meta.get("property")): meta["content"] for meta in soup.find_all("meta")}
    return tags | {"body": context["body"]}


def test_a_notebooks_page_is_described_by_its_answer(folder):
    tags = described("book/executed/a", "not this")
    assert tags["description"] == tags["og:description"]
    assert tags["description"] == 'a "quoted" <text> on r, see the other page. More of it.'
    assert tags["og:title"] == "A & B"


def test_a_page_of_text_is_described_by_its_first_words(folder):
    assert described("book/how_to_read", "First\nwords. Others.")["description"] == "First words. Others."
    assert "description" not in described("genindex")


def test_a_page_has_its_citation_for_people_and_for_programs(folder):
    tags = described("book/executed/a")
    assert tags["citation_title"] == "A & B"
    foot = BeautifulSoup(tags["body"], "html.parser")
    assert (
        f"({tags['citation_publication_date'][:4]}). A & B. In {tags['citation_inbook_title']}"
        in foot.get_text()
    )
    assert foot.a["href"] == "../bibliography.html#cite-this-book"
    assert BeautifulSoup(citing.foot("Why?", ""), "html.parser").p.get_text().count("Why? In") == 1


def test_a_page_has_a_picture_under_the_address_of_its_site(folder):
    tags = described("book/executed/a", base="https://x.org/book/")
    assert tags["og:image"] == "https://x.org/book/previews/a.png"
    assert tags["twitter:card"] == "summary_large_image"
    assert tags["og:image:alt"].startswith('A & B \N{EN DASH} a "quoted" <text>')
    with Image.open(folder / "previews" / "a.png") as picture:
        assert tuple(map(str, picture.size)) == (tags["og:image:width"], tags["og:image:height"])
    assert described("book/executed/a")["og:image"] == "../../previews/a.png"


def test_the_address_of_the_site_comes_from_its_publisher(monkeypatch):
    config = SimpleNamespace(html_baseurl="")
    sphinx_ext.set_address(None, config)
    assert config.html_baseurl == ""
    monkeypatch.setenv(citing.ADDRESS, "https://x.org/")
    sphinx_ext.set_address(None, config)
    assert config.html_baseurl == "https://x.org/"


def test_a_panel_that_is_not_there_is_named(folder):
    def error(text):
        return LookupError(text)

    env = SimpleNamespace(note_dependency=lambda path: None)
    directive = SimpleNamespace(arguments=["a"], env=env, error=error)
    with pytest.raises(LookupError, match=r"a\.ipynb holds no panel"):
        sphinx_ext.Panel.run(directive)
    notebook = json.loads((folder / "a.ipynb").read_text())
    panel = {"kind": "topk", "alt": "a panel", "tables": {}}
    notebook["cells"][-1]["outputs"].append(
        {"output_type": "display_data", "metadata": {}, "data": {sphinx_ext.EXPLORABLE: panel}}
    )
    (folder / "a.ipynb").write_text(json.dumps(notebook))
    (node,) = sphinx_ext.Panel.run(directive)
    assert (node["kind"], node["alt"], json.loads(node["json"])) == ("topk", "a panel", panel)
