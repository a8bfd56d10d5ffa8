"""site.findings: what pages claim, in headings and boxes of the site, read from the executed notebooks.

A page's heading is its headline where the finding is claimed and its question where it is not, so that links,
search and the buttons to the next page say the same. Called by `bookbuild.site.mime`, `chapters` and
`sphinx_ext`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from helpers.kit import findings
from helpers.kit.findings import Outcome
from helpers.kit.mime import CSV, FINDING, PLOTLY, outputs, read_notebook
from metaeval.core.paths import EXECUTED

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NOTEBOOK_PAGES = "book/executed/"  # in front of a notebook's name
_SHOWN = re.compile(r"^`{3,}\{finding\} +([\w-]+)", re.M)
_HEADING = re.compile(r"^# .*$", re.M)
_QUESTION = "**The question.**"


def outcome(page: str) -> Outcome | None:
    """Judge a notebook or a chapter by the last run; None where it has no finding."""
    claim = findings.finding(page)
    if claim is None:
        return None
    runs = {}
    for name in claim.sources or (page,):
        path = EXECUTED / f"{name}.ipynb"
        run = findings.run_of(read_notebook(path)) if path.is_file() else None
        if run is None:
            return None
        runs[name] = run
    return findings.judge(claim, runs)


def files(page: str) -> list[Path]:
    """Files that a page's finding rests on."""
    claim = findings.finding(page)
    own = [findings.FOLDER / f"{page}.yml"] if claim else []
    return [*own, *(EXECUTED / f"{name}.ipynb" for name in (claim.sources or (page,) if claim else ()))]


def figure_text(path: Path, name: str) -> tuple[str, str]:
    """Title and subtitle of a figure of an executed notebook."""
    notebook = read_notebook(path)
    for output in outputs(notebook, PLOTLY):
        if output["metadata"].get("figure", {}).get("name") == name:
            data = findings.read_table("".join(output["data"][CSV]))
            return findings.figure_text(name, data, findings.run_of(notebook))
    return "", ""


def titles() -> dict[str, str]:
    """Headings of all pages that have a finding: what other pages quote."""
    return {page: one.title for page in findings.pages() if (one := outcome(page))}


def set_heading(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write a page's heading, and put a notebook's finding and its first picture above its code."""
    if docname.startswith(NOTEBOOK_PAGES):
        page = docname.removeprefix(NOTEBOOK_PAGES)
        note(app.env, page)
        if one := outcome(page):
            source[0] = arrange(source[0], one.title)
    elif match := _SHOWN.search(source[0]):
        note(app.env, match[1])
        if one := outcome(match[1]):
            source[0] = _HEADING.sub(lambda _: f"# {one.title}", source[0], count=1)


def note(env: Any, page: str) -> None:
    """Let Sphinx read a page again where one that it quotes has changed."""
    for path in files(page):
        env.note_dependency(str(path))


def arrange(text: str, title: str) -> str:
    """A notebook as the site shows it: heading, finding, what follows up to the next text, then the rest.

    Parameters
    ----------
    text : an executed notebook, as JSON
    title : its heading
    """
    notebook = json.loads(text)
    head, *cells = notebook["cells"]
    place = next((i for i, cell in enumerate(cells) if _holds_finding(cell)), None)
    if place is None:
        return text
    end = next(
        (i for i, cell in enumerate(cells) if i > place and cell["cell_type"] == "markdown"), len(cells)
    )
    above, mark, below = _HEADING.sub(lambda _: f"# {title}", "".join(head["source"]), count=1).partition(
        _QUESTION
    )
    rest = (
        [{"cell_type": "markdown", "id": "about", "metadata": {}, "source": f"{mark}{below}"}] if mark else []
    )
    notebook["cells"] = [head | {"source": above}, *cells[place:end], *rest, *cells[:place], *cells[end:]]
    return json.dumps(notebook)


def _holds_finding(cell: dict[str, Any]) -> bool:
    return any(FINDING in output.get("data", {}) for output in cell.get("outputs", ()))


def block(one: Outcome, parse: Any, picture: Sequence[nodes.Node] = ()) -> nodes.container:
    """The box below a heading: the question, the paragraphs or, unclaimed, the numbers, and a picture.

    Parameters
    ----------
    one : Outcome
    parse : function of Markdown -> nodes
    picture : nodes
    """
    box = nodes.container(classes=["finding", "claimed" if one.claimed else "unclaimed"])
    if one.claimed:
        box += nodes.paragraph("", "", nodes.Text(one.question), classes=["finding-question"])
    box += parse(one.markdown)
    if not one.claimed:
        box += nodes.raw("", findings.numbers_html(one), format="html", classes=["text_html"])
    box += picture
    return box
