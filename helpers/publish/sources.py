"""publish.sources: links from tables and figures to the papers and releases behind them.

Addresses of papers are those of ``book/references.bib``, of releases those of the registry of pinned files.
Called by `helpers.publish.sphinx_ext`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path

from pybtex.database import Entry, parse_file

from helpers import datasets
from helpers.errors import UnknownNameError
from helpers.labels import words
from helpers.paths import BOOK
from helpers.publish.pages import datasets_of
from helpers.runs.plain import cited
from helpers.sources.registry import repositories, repository

GITHUB = "https://github.com"  # where all pinned repositories are
_WHERE = {"doi": "https://doi.org/{}", "url": "{}", "eprint": "https://arxiv.org/abs/{}"}


@cache
def papers() -> dict[str, str]:
    """Addresses by key of the bibliography; an old book has none."""
    found = parse_file(BOOK / "references.bib").entries
    return {key: address for key, entry in found.items() if (address := _address(entry))}


def _address(entry: Entry) -> str:
    return next(
        (where.format(entry.fields[kind]) for kind, where in _WHERE.items() if kind in entry.fields), ""
    )


def link_out(html: str) -> str:
    """Tables with links to what their cells name: keys of the bibliography, and pinned commits.

    Parameters
    ----------
    html : str

    Returns
    -------
    str
        A key is replaced by authors and year.
    """
    return re.sub(r"(?<=>)[^<>]+(?=</td>)", lambda cell: _named().sub(_link, cell[0]), html)


@cache
def _named() -> re.Pattern:
    keys, names = ("|".join(map(re.escape, one)) for one in (papers(), repositories()))
    return re.compile(rf"\b(?:(?P<key>{keys})|(?P<name>{names})@(?P<commit>[0-9a-f]{{7,40}}))\b")


def _link(found: re.Match) -> str:
    if key := found["key"]:
        return _anchor(papers()[key], " ".join(cited(key)))
    return _anchor(f"{GITHUB}/{found['name']}/tree/{found['commit']}", found[0])


def _anchor(address: str, shown: str) -> str:
    return f'<a class="reference external" href="{escape(address)}">{escape(shown)}</a>'


def data_links(table: Path, notebook: Path) -> str:
    """Where the data behind a figure come from: a link for each data set, in the order of the figure.

    Parameters
    ----------
    table : path of the figure's data as CSV
        If it names no data set, those of its page stand in for them.
    notebook : path of the executed notebook that shows it
    """
    return ", ".join(dict.fromkeys(filter(None, map(_release, _in_table(table) or datasets_of(notebook)))))


def _in_table(path: Path) -> Iterable[str]:
    with path.open(encoding="utf8", newline="") as handle:
        rows = csv.DictReader(handle)
        return dict.fromkeys(row["dataset"] for row in rows) if "dataset" in (rows.fieldnames or ()) else ()


def _release(dataset: str) -> str:
    """A data set's name with a link to its repository; nothing of a simulated one, or of a reader's own."""
    try:
        described = datasets.describe(dataset)
    except UnknownNameError:
        return ""
    needed = [repository(file.repository) for file in described.needed]
    # judges are released apart from the summaries that they rated
    own = next(one for key in described.citation for one in needed if key in one.citation)
    return _anchor(f"{GITHUB}/{own.name}", words("dataset", dataset))
