"""Pages in short, as their executed notebooks say them; descriptions, the map, a panel on another page."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import nbformat
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from bookbuild.site import chapters, citing, pages, sphinx_ext
from bookbuild.site.build import notebooks_in_order
from bookbuild.site.mime import figure_node, plotly_figure
from helpers.kit.findings import Outcome
from helpers.kit.mime import CSV, RESULTS
from metaeval.core.paths import BOOK

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


def claimed(is_claimed):
    heads = (
        {"What we found.": "*One* thing. More of it."} if is_claimed else {"": "No answer is claimed here."}
    )
    return Outcome(is_claimed, "A finding" if is_claimed else "Is it so?", "Is it so?", heads)


@pytest.mark.parametrize(
    ("outcome", "description"),
    [
        (claimed(True), "One thing. More of it."),
        (claimed(False), "Is it so?"),
        (None, "What is asked?"),
    ],
)
def test_a_page_in_short_says_its_finding_or_its_question(tmp_path, monkeypatch, outcome, description):
    monkeypatch.setattr(pages, "outcome", lambda page: outcome)
    results = {"columns": ["dataset", "value"], "data": [["summeval", 1], ["simulated-realsumm", 2]]}
    table = "dataset,n\nsummeval,1\nunheard,2\n"
    page = pages.read_page(executed(tmp_path / "a.ipynb", TITLE, results=results, table=table))
    assert page.description == description
    assert page.datasets == ("summeval", "simulated-realsumm", "unheard")


def test_a_page_that_ran_since_it_was_read_ahead_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "EXECUTED", tmp_path)
    (tmp_path / "cut.ipynb").write_text('{"cells": [')  # which comes first
    unchanged, ran = (
        executed(tmp_path / f"{name}.ipynb", f"**The question.** {name}?") for name in ("kept", "ran")
    )
    pages.read_ahead()
    reads, read = [], pages.read_notebook
    monkeypatch.setattr(pages, "read_notebook", lambda path: reads.append(path) or read(path))
    executed(ran, "**The question.** ran since?")
    assert [pages.read_page(path).description for path in (unchanged, ran)] == ["kept?", "ran since?"]
    assert reads == [ran]
    with pytest.raises(json.JSONDecodeError):  # where it is asked for, it is not passed over
        pages.read_page(tmp_path / "cut.ipynb")


def test_every_experiment_is_listed():
    text = (BOOK / "experiments.md").read_text(encoding="utf8")
    quoted = re.findall(r"\{advice\} (.*)|`executed/(\w+)`", text)
    assert sorted(" ".join(map("".join, quoted)).split()) == sorted(notebooks_in_order())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv(citing.ADDRESS, raising=False)
    monkeypatch.setattr(sphinx_ext, "EXECUTED", tmp_path)
    monkeypatch.setattr(chapters, "EXECUTED", tmp_path)
    heads = {"What we found.": 'A "quoted" <text>. More.'}
    monkeypatch.setattr(pages, "outcome", lambda page: Outcome(True, "A", "Why?", heads))
    executed(tmp_path / "a.ipynb", TITLE)
    return tmp_path


def described(name, text="", base="", figure=None):
    document = new_document("page")
    document += nodes.paragraph("", text)
    if figure is not None:
        document += figure
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
    assert tags["description"] == 'A "quoted" <text>. More.'
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


def test_a_page_offers_its_citation_to_reference_managers(monkeypatch):
    monkeypatch.setenv(citing.ADDRESS, "https://x.org/b/")
    links = BeautifulSoup(citing.foot("A & B?", "", "book/executed/a"), "html.parser").select("a.cite-file")
    assert [link["download"] for link in links] == ["a.bib", "a.ris"]
    bib, ris = (unquote(link["href"].partition(",")[2]) for link in links)
    assert bib.startswith("@incollection{a,\n")
    assert "  title = {{A & B?}},\n" in bib
    assert "  url = {https://x.org/b/book/executed/a.html},\n" in bib
    assert ris.splitlines()[0] == "TY  - CHAP"
    assert ris.splitlines()[-1] == "ER  - "
    assert "UR  - https://x.org/b/book/executed/a.html" in ris.splitlines()


def test_the_map_of_the_site_has_whole_addresses_in_order(monkeypatch):
    monkeypatch.setenv(citing.ADDRESS, "https://x.org")
    addresses = re.findall("<loc>(.*?)</loc>", citing.sitemap(["book/b", "book/a"]))
    assert addresses == ["https://x.org/book/a.html", "https://x.org/book/b.html"]


def test_a_page_has_the_picture_of_its_first_figure_under_the_address_of_its_site(folder):
    figure = {"data": [{"type": "bar", "x": [1], "y": ["a"]}], "layout": {}}
    first = plotly_figure(json=json.dumps(figure), alt="A bar", height=300, csv="tables/fig-a.csv")
    tags = described("book/executed/a", base="https://x.org/book/", figure=first)
    assert tags["og:image"] == "https://x.org/book/stills/fig-a.png"
    assert tags["og:image:alt"] == "A bar"
    assert (folder / "stills" / "fig-a.png").is_file()
    assert described("book/executed/a", figure=first)["og:image"] == "../../stills/fig-a.png"
    assert "og:image" not in described("book/executed/a")


def test_the_address_of_the_site_comes_from_its_publisher(monkeypatch):
    config = SimpleNamespace(html_baseurl="", html_theme_options={})
    sphinx_ext.set_address(None, config)
    assert config.html_theme_options == {"extra_footer": f"<p>Version {citing.book()['version']}</p>"}
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
        chapters.Panel.run(directive)
    notebook = json.loads((folder / "a.ipynb").read_text())
    panel = {"kind": "topk", "alt": "a panel", "tables": {}}
    notebook["cells"][-1]["outputs"].append(
        {"output_type": "display_data", "metadata": {}, "data": {chapters.EXPLORABLE: panel}}
    )
    (folder / "a.ipynb").write_text(json.dumps(notebook))
    (node,) = chapters.Panel.run(directive)
    assert (node["kind"], node["alt"], json.loads(node["json"])) == ("topk", "a panel", panel)


def test_a_figure_of_a_page_without_a_finding_has_its_own_title(tmp_path):
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": []}))
    layout = {"title": {"text": "Scores", "subtitle": {"text": "One dot a system"}}}
    described = {"name": "fig-a", "alt": "Dots", "csv": ""}
    node = figure_node({"data": [], "layout": layout}, described, tmp_path / "a.ipynb")
    assert (node["title"], node["subtitle"]) == ("Scores", "One dot a system")


def test_a_figure_on_a_chapter_looks_for_its_releases_in_its_own_notebook(monkeypatch, tmp_path):
    (tmp_path / "_extra" / "tables").mkdir(parents=True)
    (tmp_path / "_extra" / "tables" / "fig-a.csv").write_text("value\n1\n")
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": []}))
    described = {"name": "fig-a", "alt": "A bar", "csv": "tables/fig-a.csv"}
    node = figure_node({"data": [], "layout": {}}, described, tmp_path / "a.ipynb")
    asked, body = [], []
    monkeypatch.setattr(sphinx_ext, "EXECUTED", tmp_path)
    monkeypatch.setattr(
        sphinx_ext.sources, "data_links", lambda table, notebook: asked.append(notebook) or ""
    )
    builder = SimpleNamespace(
        get_target_uri=lambda _: "book/chapters/b.html", current_docname="", outdir=tmp_path
    )
    with pytest.raises(nodes.SkipNode):
        sphinx_ext.visit_html(SimpleNamespace(builder=builder, body=body, document=nodes.Element()), node)
    assert asked == [tmp_path / "a.ipynb"]
