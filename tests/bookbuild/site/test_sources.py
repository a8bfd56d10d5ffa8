"""Tables and figures lead to papers and releases, by the bibliography and the registry."""

import nbformat
import pytest
from bs4 import BeautifulSoup

from bookbuild.site import sources
from helpers.kit.mime import CSV
from metaeval import datasets
from metaeval.datasets.bibliography import addresses, entries
from metaeval.datasets.registry import repositories
from tests.each import each

COMMIT = "0123456"


def links(html):
    return [(link["href"], link.get_text()) for link in BeautifulSoup(html, "html.parser").find_all("a")]


def test_cells_lead_to_papers_and_pinned_commits_and_attributes_stay():
    cells = f'<td data-head="lin2004rouge">lin2004rouge, deutsch2021statistical</td><td>neulab/REALSumm@{COMMIT}</td>'
    linked = sources.link_out(f"<table><tr>{cells}</tr></table>")
    assert links(linked) == [
        ("https://aclanthology.org/W04-1013", "Lin 2004"),
        ("https://doi.org/10.1162/tacl_a_00417", "Deutsch et al. 2021"),
        (f"https://github.com/neulab/REALSumm/tree/{COMMIT}", f"neulab/REALSumm@{COMMIT}"),
    ]
    assert 'data-head="lin2004rouge"' in linked
    assert sources.link_out("<td>mylin2004rouge, a/b@0123456</td>") == "<td>mylin2004rouge, a/b@0123456</td>"


@pytest.mark.parametrize(
    ("csv", "repositories"),
    [
        ("dataset,value\nrealsumm,1\nrealsumm,2\nsimulated-realsumm,1\n", ["neulab/REALSumm"]),
        ("value\n1\n", ["nitaytech/AltTest"]),
        ("dataset,value\nmine,1\n", []),
    ],
)
def test_a_figure_leads_to_the_releases_of_its_data_or_else_to_the_one_of_its_page(
    tmp_path, csv, repositories
):
    table, notebook = tmp_path / "fig.csv", tmp_path / "page.ipynb"
    table.write_text(csv)
    output = nbformat.v4.new_output("display_data", {CSV: "dataset\nsummeval-judges\n"})
    cells = [nbformat.v4.new_markdown_cell("# A page"), nbformat.v4.new_code_cell("", outputs=[output])]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
    targets = [address for address, _ in links(sources.data_links(table, notebook))]
    assert targets == [f"https://github.com/{name}" for name in repositories]


def test_a_figure_that_names_no_data_is_not_credited_with_all_of_its_page(tmp_path):
    table, notebook = tmp_path / "fig.csv", tmp_path / "page.ipynb"
    table.write_text("value\n1\n")
    output = nbformat.v4.new_output("display_data", {CSV: "dataset\nrealsumm\nsummeval-judges\n"})
    cells = [nbformat.v4.new_markdown_cell("# A page"), nbformat.v4.new_code_cell("", outputs=[output])]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
    assert links(sources.data_links(table, notebook)) == []


@each("name", [*datasets.names(), *datasets.pair_names()])
def test_every_data_set_leads_to_a_release(tmp_path, name):
    table = tmp_path / "fig.csv"
    table.write_text(f"dataset\n{name}\n")
    assert len(links(sources.data_links(table, tmp_path))) == 1


def test_every_paper_has_an_address_and_every_release_is_where_its_link_leads():
    books = {"williams1959regression", "westfall1993resampling", "gwet2014handbook", "kish1965survey"}
    assert entries().keys() - addresses().keys() == books | {
        "kendall1990rank",
        "korn1998confidence",
        "hyyro2004bit",
    }
    assert all(address.startswith("http") for address in addresses().values())
    served = "https://raw.githubusercontent.com/{repository}/"
    assert all(repository.address.startswith(served) for repository in repositories().values())
