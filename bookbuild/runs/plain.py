"""runs.plain: the text of an executed notebook as plain Markdown, so that it can be read anywhere.

In the book MyST puts numbers from the results into the text (``{glue}``) and makes links of references. A
notebook that somebody opens in JupyterLab, or turns into HTML, has no book around it: here the numbers are
written in, and references become the titles of what they point to.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import nbformat

from helpers.kit.mime import GLUED
from helpers.kit.titles import page_titles
from metaeval.core.paths import BOOK, NOTEBOOKS
from metaeval.datasets.bibliography import cited

_ROLE = re.compile(r"\{([a-z:]+)\}`([^`]*)`")
_EXPLICIT = re.compile(r"(.*\S)\s*<([^<>]+)>", re.DOTALL)  # text <target>
_LABEL = re.compile(r"^\(([\w:-]+)\)=[ \t]*\n+", re.MULTILINE)
_FENCE = re.compile(r"^:::.*\n?", re.MULTILINE)


def glued(executed: Mapping) -> dict[str, str]:
    """What an executed notebook keeps for its text under names, as HTML."""
    found = {}
    for cell in executed["cells"]:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            kept = output.get("data", {})
            for kind, escape in (("text/html", str), ("text/plain", html.escape)):
                if name and f"{GLUED}{kind}" in kept:
                    found[name] = escape("".join(kept[f"{GLUED}{kind}"]))
                    break
    return found


def make_plain(executed: nbformat.NotebookNode) -> None:
    """Rewrite the text cells of an executed notebook, in place; nothing else of it changes."""
    values = glued(executed)
    for cell in executed.cells:
        if cell.cell_type == "markdown":
            cell.source = plain_text(cell.source, values)


def plain_text(text: str, values: Mapping[str, str]) -> str:
    """MyST Markdown without roles, labels and fences.

    Parameters
    ----------
    text : str
    values : mapping, name -> what stands for it
        Of ``{glue}``; for a name that is not there the text says that nothing was kept under it.
    """
    text = _FENCE.sub("", _LABEL.sub("", text))
    return _ROLE.sub(lambda role: _shown(role[1], role[2], values), text)


def _shown(role: str, content: str, values: Mapping[str, str]) -> str:
    explicit = _EXPLICIT.fullmatch(content)
    shown, target = (explicit[1], explicit[2]) if explicit else ("", content)
    kind = role.split(":")[0]
    if kind == "glue":
        return values.get(target, f"[no result `{target}`]")
    if kind == "cite":
        papers = [cited(key.strip()) for key in target.split(",")]
        if role == "cite:t":
            return ", ".join(f"{who} ({year})" for who, year in papers)
        return f"({'; '.join(f'{who}, {year}' for who, year in papers)})"
    if kind == "doc":
        return f"*{shown or page_titles().get(Path(target).name, target)}*"
    if kind == "ref":
        return f"*{shown or _labels().get(target, target.replace('-', ' '))}*"
    if kind == "numref":
        return f"the figure *{shown or _captions().get(target, target)}*"
    return shown or target


@cache
def _captions() -> dict[str, str]:
    """The first sentence of each figure's caption, by the figure's name, where it holds nothing of a run."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for call in _calls(cell.source) if "show_figure(" in cell.source else ():
                words = {word.arg: word.value for word in call.keywords}
                match words.get("name"), words.get("caption"):
                    case ast.Constant(str(name)), ast.Constant(str(caption)):
                        first = re.sub(r"[*$]", "", caption).split(". ")[0].rstrip(".")
                        if "{" not in first:
                            found[name] = first
    return found


def _calls(code: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]


@cache
def _labels() -> dict[str, str]:
    """What the book's labels stand above: a heading, or the words in bold that a paragraph begins with."""
    texts = [_notebook_text(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    texts += [path.read_text(encoding="utf8") for path in sorted(BOOK.glob("*.md"))]
    above = re.compile(_LABEL.pattern + r"(?:#+ (.+)|\*\*(.+?)\*\*)", re.MULTILINE)
    return {found[1]: (found[2] or found[3]).rstrip(".") for text in texts for found in above.finditer(text)}


def _notebook_text(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
