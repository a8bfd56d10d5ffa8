"""runs.to_markdown: Markdown of executed notebooks: references resolved, and banners on simulated data.

In the book, MyST puts numbers from the results into the text (``{glue}``) and makes links of references. A
notebook that somebody opens in JupyterLab, or turns into HTML, has no book around it: `make_plain` writes the
numbers into its text and replaces references by the titles of what they point to.

A page that rests on simulated data has a banner below its title. Notebooks get theirs when they are executed,
pages of text that quote their numbers from the Sphinx extension, `bookbuild.site.sphinx_ext`.
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
from metaeval.core.mode import is_simulated
from metaeval.core.paths import BOOK, NOTEBOOKS
from metaeval.datasets.bibliography import cited

_ROLE = re.compile(r"\{([a-z:]+)\}`([^`]*)`")
_EXPLICIT = re.compile(r"(.*\S)\s*<([^<>]+)>", re.DOTALL)  # text <target>
_LABEL = re.compile(r"^\(([\w:-]+)\)=[ \t]*\n+", re.MULTILINE)
_FENCE = re.compile(r"^:::.*\n?", re.MULTILINE)

NOT_AVAILABLE = "When this page was built the released data were not available."  # as its HTML has it, too
_NO_DATA = f"**Simulated data.** {NOT_AVAILABLE}"
SIMULATED, DESIGNED, MIXED, QUOTING = "simulated", "designed", "mixed", "quoting"
BANNERS = {
    SIMULATED: f"{_NO_DATA} Its numbers, figures and CSV files come from simulated likenesses of them, and "
    "the text around them was written for the real ones. No claim of a paper gets a verdict from simulated "
    "data. Results of the last full run on real data stand beside or below the simulated ones. {doc}`How "
    "alike the two are <likeness>`.",
    DESIGNED: "**Simulated by design.** The figures of this page rest on simulated benchmarks, whose truth "
    "is known; their CSV files say which numbers do. {doc}`How alike they are to the real ones <likeness>`.",
    MIXED: "**Partly simulated data**, of benchmarks whose truth is known: tables, figures and CSV files say "
    "which; {doc}`how alike they are to the real ones <likeness>`.",
    QUOTING: f"{_NO_DATA} The numbers that it quotes come from simulated likenesses of them; no claim gets a "
    "verdict from those. {doc}`How alike the two are <executed/likeness>`.",
}


def glued(executed: Mapping) -> dict[str, str]:
    """Values that an executed notebook keeps under names for its text, as HTML."""
    texts = {}
    for cell in executed["cells"]:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            data = output.get("data", {})
            for kind, escape in (("text/html", str), ("text/plain", html.escape)):
                if name and f"{GLUED}{kind}" in data:
                    texts[name] = escape("".join(data[f"{GLUED}{kind}"]))
                    break
    return texts


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
    values : mapping, name -> its text
        Of ``{glue}``; a name without a value is reported in the text.
    """
    text = _FENCE.sub("", _LABEL.sub("", text))
    return _ROLE.sub(lambda role: _resolve_role(role[1], role[2], values), text)


def _resolve_role(role: str, content: str, values: Mapping[str, str]) -> str:
    explicit = _EXPLICIT.fullmatch(content)
    title, target = (explicit[1], explicit[2]) if explicit else ("", content)
    kind = role.split(":")[0]
    if kind == "glue":
        return values.get(target, f"[no result `{target}`]")
    if kind == "cite":
        papers = [cited(key.strip()) for key in target.split(",")]
        if role == "cite:t":
            return ", ".join(f"{who} ({year})" for who, year in papers)
        return f"({'; '.join(f'{who}, {year}' for who, year in papers)})"
    if kind == "doc":
        return f"*{title or page_titles().get(Path(target).name, target)}*"
    if kind == "ref":
        return f"*{title or _labels().get(target, target.replace('-', ' '))}*"
    if kind == "numref":
        return f"the figure *{title or _captions().get(target, target)}*"
    return title or target


@cache
def _captions() -> dict[str, str]:
    """The first sentence of each figure's caption, by the figure's name, where it holds nothing of a run."""
    captions = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for call in _calls(cell.source) if "show_figure(" in cell.source else ():
                words = {word.arg: word.value for word in call.keywords}
                match words.get("name"), words.get("caption"):
                    case ast.Constant(str(name)), ast.Constant(str(caption)):
                        first = re.sub(r"[*$]", "", caption).split(". ")[0].rstrip(".")
                        if "{" not in first:
                            captions[name] = first
    return captions


def _calls(code: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]


@cache
def _labels() -> dict[str, str]:
    """Titles of the book's labels: the heading below each, or the bold words at the start of a paragraph."""
    texts = [_notebook_text(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    texts += [path.read_text(encoding="utf8") for path in sorted(BOOK.glob("*.md"))]
    above = re.compile(_LABEL.pattern + r"(?:#+ (.+)|\*\*(.+?)\*\*)", re.MULTILINE)
    return {match[1]: (match[2] or match[3]).rstrip(".") for text in texts for match in above.finditer(text)}


def _notebook_text(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def below_title(text: str, kind: str) -> str:
    """A page's MyST text with the banner of that kind after its first line."""
    title, _, rest = text.partition("\n")
    return f"{title}\n\n:::{{div}} banner-simulated\n{BANNERS[kind]}\n:::\n{rest}"


def mark_simulated(notebook: nbformat.NotebookNode) -> None:
    """Mark an executed notebook that rests on simulated data, below its title and in its metadata.

    Parameters
    ----------
    notebook : NotebookNode, changed in place where any of its results are simulated
    """
    metadata = [output.get("metadata", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    drawn = [one["simulated"] for one in metadata if "figure" in one]
    if is_simulated():
        # a report on a reader's own files is real
        kind = SIMULATED if any(drawn) or not drawn else None
    else:
        some = MIXED if any(one.get("simulated") for one in metadata) else None
        kind = DESIGNED if drawn and all(drawn) else some
    if kind is not None:
        notebook.metadata["data"] = kind
        notebook.cells[0].source = below_title(notebook.cells[0].source, kind)
