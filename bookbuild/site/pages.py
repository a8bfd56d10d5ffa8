"""site.pages: description and data sets of each page, read from its executed notebook.

They come from findings and tables, so that what search engines show agrees with the pages. Called by
`bookbuild.site.sphinx_ext` and `sources`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bookbuild.site.findings import outcome
from helpers.kit.mime import CSV, RESULTS, outputs, read_notebook
from metaeval.core.paths import EXECUTED, read_once

LONGEST = 300  # characters of an answer in a description: whole sentences, and at least one

_QUESTION = re.compile(r"\*\*The question\.\*\*\s*(.*?)(?:\n\s*\n|\Z)", flags=re.S)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_EMPHASIS = re.compile(r"\*+(\S[^*]*?)\*+")


@dataclass(frozen=True)
class Page:
    """A page in short.

    Attributes
    ----------
    description : str
        The first sentences of what was found or, where no finding is claimed, of its question; plain text.
    datasets : tuple of str
        The data sets of its tables, as these name them.
    """

    description: str
    datasets: tuple[str, ...]


@read_once
def read_page(path: Path) -> Page:
    """The page of an executed notebook."""
    notebook = read_notebook(path)
    if claimed := outcome(path.stem):
        text = claimed.description or claimed.question
    else:
        cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
        question = next(filter(None, (_QUESTION.search("".join(cell["source"])) for cell in cells)), None)
        sentences = _SENTENCES.split(" ".join(question[1].split())) if question else []
        # sentences with references make no sense outside the page
        text = _EMPHASIS.sub(r"\1", " ".join(one for one in sentences if "{" not in one))
    return Page(first_sentences(text), tuple(dict.fromkeys(_datasets(notebook))))


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


def _datasets(notebook: Mapping) -> Iterator[str]:
    """Names of data sets in the recorded results and in the data of figures, in their order."""
    for output in outputs(notebook, RESULTS):
        columns, rows = output["data"][RESULTS]["columns"], output["data"][RESULTS]["data"]
        if "dataset" in columns:
            yield from (str(name) for row in rows if (name := row[columns.index("dataset")]))
    for output in outputs(notebook, CSV):
        yield from listed_datasets("".join(output["data"][CSV]))
