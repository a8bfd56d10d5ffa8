"""site.pages: question, data sets and answer of each page, read from its executed notebook.

They come from titles, findings and tables, so that the map of the book and the descriptions of its pages
agree with the pages. Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from bookbuild.site.findings import outcome
from helpers.kit.mime import CSV, GLUED, HTML, RESULTS, outputs, read_notebook
from helpers.kit.titles import page_titles, short_title
from metaeval.core.paths import EXECUTED, read_once

LONGEST = 300  # characters of an answer in a description: whole sentences, and at least one

_ROLE = re.compile(r"\{(?P<role>[\w:-]+)\}`(?P<text>[^`<]*?)\s*(?:<[^`>]*>)?`")
_QUESTION = re.compile(r"\*\*The question\.\*\*\s*(.*?)(?:\n\s*\n|\Z)", flags=re.S)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True)
class Page:
    """A page in short; all texts are plain.

    Attributes
    ----------
    title, question : str
    answer : str
        The first sentences of what was found, empty where no finding is claimed.
    datasets : tuple of str
        The data sets of its tables, as these name them.
    """

    title: str
    question: str
    answer: str
    datasets: tuple[str, ...]

    @property
    def description(self) -> str:
        """Description of the page in search results: its answer, or else its question."""
        return self.answer or first_sentences(self.question)


@read_once
def read_page(path: Path) -> Page:
    """The page of an executed notebook.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Page
    """
    notebook = read_notebook(path)
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    glued = dict(_glued(notebook))
    question = next(filter(None, map(_QUESTION.search, texts)), None)
    claimed = outcome(path.stem)
    # sentences with references make no sense outside the page
    sentences = [one for one in _SENTENCES.split(question[1]) if "{" not in one] if question else []
    return Page(
        title=claimed.title if claimed else plain(texts[0].lstrip("# ").splitlines()[0], glued),
        question=claimed.question if claimed else plain(" ".join(sentences), glued),
        answer=first_sentences(claimed.description) if claimed else "",
        datasets=tuple(dict.fromkeys(_datasets(notebook))),
    )


def read_ahead() -> None:
    """Read the pages of the last build, so that the next build reads only those that have run since.

    Titles that they quote are those of now; where one changes later, the build after the next has it.
    """
    for path in sorted(EXECUTED.glob("[!.]*.ipynb")):
        with suppress(Exception):  # a notebook that was cut or removed is read again after its run
            read_page(path)


def listed_datasets(table: str) -> Iterator[str]:
    """Yield the values of the column of data sets in a CSV table, if it has one."""
    rows = csv.DictReader(io.StringIO(table))
    if "dataset" in (rows.fieldnames or ()):
        yield from filter(None, (row["dataset"] for row in rows))


def plain(text: str, glued: Mapping[str, str]) -> str:
    """MyST text as plain words: roles replaced by their text, without marks of emphasis.

    Parameters
    ----------
    text : str
    glued : mapping, name -> what ``{glue}`` quotes

    Examples
    --------
    >>> plain("*r* is {glue}`a`, see {doc}`the page <topk>`.", {"a": "0.5"})
    'r is 0.5, see the page.'
    """
    text = _ROLE.sub(lambda role: _resolve_role(role, glued), text)
    return re.sub(r"\s+", " ", re.sub(r"\*+(\S[^*]*?)\*+", r"\1", text)).strip()


def _resolve_role(role: re.Match, glued: Mapping[str, str]) -> str:
    """Text of a role: the quoted result, the title of a page that it only names, or its own words."""
    text = role["text"]
    if role["role"] == "glue":
        return glued.get(text, text)
    page = text.rpartition("/")[2]
    return short_title(page) if role["role"] == "doc" and page in page_titles() else text


def keep_percents(text: str) -> str:
    """Keep a number and its percent sign on one line."""
    return re.sub(r"(?<=\d) %", "\u00a0%", text)


def first_sentences(text: str) -> str:
    """The first sentences of a text, as many as `LONGEST` allows and at least one.

    Examples
    --------
    >>> first_sentences("One. " + "Long " * 60 + "sentence.")
    'One.'
    """
    first, *others = _SENTENCES.split(text)
    for sentence in others:
        if len(first) + 1 + len(sentence) > LONGEST:
            break
        first = f"{first} {sentence}"
    return first


def _glued(notebook: Mapping) -> Iterator[tuple[str, str]]:
    for output in outputs(notebook, GLUED + HTML):
        text = "".join(output["data"][GLUED + HTML])
        yield output["metadata"]["scrapbook"]["name"], unescape(re.sub(r"<[^>]+>", "", text))


def _datasets(notebook: Mapping) -> Iterator[str]:
    """Names of data sets in the recorded results and in the data of figures, in their order."""
    for output in outputs(notebook, RESULTS):
        columns, rows = output["data"][RESULTS]["columns"], output["data"][RESULTS]["data"]
        if "dataset" in columns:
            yield from (str(name) for row in rows if (name := row[columns.index("dataset")]))
    for output in outputs(notebook, CSV):
        yield from listed_datasets("".join(output["data"][CSV]))
