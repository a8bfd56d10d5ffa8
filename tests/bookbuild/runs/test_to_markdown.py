"""A notebook that was run for a reader holds its numbers as text, wherever it is opened."""

import re

import nbformat
import pytest

from bookbuild.runs.execution import execute
from bookbuild.runs.run import findings, verdict, wrapped
from bookbuild.runs.to_markdown import glued, make_plain, plain_text
from helpers.experiments import your_metric
from metaeval.core.paths import NOTEBOOKS

pytestmark = pytest.mark.processes

RAW = re.compile(r"\{[a-z:]+\}`|^:::|^\([\w:-]+\)=", re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We find {glue}`n` of 5.", "We find 1 &lt; 2 of 5."),
        ("{glue}`gone`", "[no result `gone`]"),
        ("See {doc}`power`, {doc}`../rerun` and {doc}`there <power>`.", "See *Power of significance tests: does a test find a metric that is better?*, *Run it again: what changes with other k, margins or seeds?* and *there*."),
        ("As {cite:t}`zhang2021lite` and {cite:p}`lin2004rouge,espejel2021gesera` say", "As Zhang and Bansal (2021) and (Lin, 2004; López Espejel et al., 2021) say"),
        ("{ref}`no-such-label`, {ref}`why <human-ties>`", "*no such label*, *why*"),
        ("{numref}`fig-a`", "the figure *fig-a*"),
        ("As {numref}`fig-topk-curves`.", "As the figure *System-level correlation on the k best systems, for each group of systems*."),
        ("(a-label)=\n## Title\n\n:::{div} note\ninside\n:::\n", "## Title\n\ninside\n"),
        ("$\\{a\\}$ and `code`", "$\\{a\\}$ and `code`"),
    ],
)  # fmt: skip
def test_directives_become_text(text, expected):
    assert plain_text(text, {"n": "1 &lt; 2"}) == expected


def test_a_reference_becomes_the_heading_below_its_label():
    text = "\n\n".join(cell.source for cell in nbformat.read(NOTEBOOKS / "disagreements.ipynb", 4).cells)
    label, heading = re.search(r"^\(([\w-]+)\)=\n+#+ (.+)$", text, re.MULTILINE).groups()
    assert plain_text(f"{{ref}}`{label}`", {}) == f"*{heading}*"


def test_no_notebook_of_the_book_has_a_directive_that_stays():
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, 4)
        assert any(RAW.search(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        make_plain(notebook)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                assert not RAW.search(cell.source), path.stem
        assert [cell.source for cell in notebook.cells if cell.cell_type == "code"] == code


def visible(notebook):
    """The text that nbconvert's HTML shows of a notebook."""
    from bs4 import BeautifulSoup
    from nbconvert import HTMLExporter

    body, _ = HTMLExporter().from_notebook_node(notebook)
    page = BeautifulSoup(body, "html.parser")
    for unseen in page(["script", "style"]):
        unseen.decompose()
    return page.get_text(" ")


CELLS = """
from helpers.kit.display import glue_text, show_words
glue_text("share", 0.25)
show_words("It agrees < people.", kind="verdict-in-words")
"""


@pytest.mark.filterwarnings("ignore:Your element with mimetype")  # what programs read is not shown
def test_what_is_run_for_a_reader_shows_numbers_and_verdict(notebook, tmp_path):
    path = notebook(CELLS)
    source = nbformat.read(path, 4)
    source.cells.append(
        nbformat.v4.new_markdown_cell("(here)=\n## Of {doc}`power`\n\nA share of {glue}`share`.")
    )
    nbformat.write(source, path)
    execute(path, tmp_path / "copy.ipynb", plain=True)
    copy = nbformat.read(tmp_path / "copy.ipynb", 4)
    assert (
        copy.cells[-1].source
        == "## Of *Power of significance tests: does a test find a metric that is better?*\n\nA share of 0.25."
    )
    assert glued(copy) == {"share": "0.25"}
    assert verdict(copy) == "It agrees < people."
    assert wrapped(findings(copy)) == ["    It agrees < people."]
    text = visible(copy)
    assert "A share of 0.25." in text
    assert "It agrees < people." in text
    assert not RAW.search(text)


@pytest.mark.filterwarnings("ignore:Your element with mimetype")
@pytest.mark.slow  # the notebook on simulated data
@pytest.mark.parametrize("name", ["your_metric", "margins"])
def test_a_report_can_be_read_anywhere(name, tmp_path, monkeypatch):
    from bookbuild.runs.quick import quick_settings

    monkeypatch.setenv("DATA", "simulated")
    execute(NOTEBOOKS / f"{name}.ipynb", tmp_path / "out.ipynb", quick_settings()[name], plain=True)
    executed = nbformat.read(tmp_path / "out.ipynb", 4)
    prose = "\n".join(cell.source for cell in executed.cells if cell.cell_type == "markdown")
    assert not RAW.search(prose)
    assert glued(executed)
    text = visible(executed)
    assert "{glue}" not in text
    if name == "your_metric":
        assert f"{your_metric.EXAMPLE}: " in verdict(executed)
        assert " ".join(verdict(executed).split()) in " ".join(text.split())
