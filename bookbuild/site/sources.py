"""site.sources: links from tables and figures to the papers and releases behind them.

Addresses of papers are those of ``book/references.bib``, of releases those of the registry of pinned files.
Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path

from bookbuild.site.pages import listed_datasets, read_page
from metaeval import datasets
from metaeval.core.errors import UnknownNameError
from metaeval.datasets.bibliography import addresses, cited
from metaeval.datasets.registry import repositories, repository
from metaeval.tables.labels import words

GITHUB = "https://github.com"  # where all pinned repositories are


def link_out(html: str) -> str:
    """Add links to tables for keys of the bibliography and pinned commits in their cells.

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
    keys, names = ("|".join(map(re.escape, one)) for one in (addresses(), repositories()))
    return re.compile(rf"\b(?:(?P<key>{keys})|(?P<name>{names})@(?P<commit>[0-9a-f]{{7,40}}))\b")


def _link(match: re.Match) -> str:
    if key := match["key"]:
        return _anchor(addresses()[key], " ".join(cited(key)))
    return _anchor(f"{GITHUB}/{match['name']}/tree/{match['commit']}", match[0])


def _anchor(address: str, text: str) -> str:
    return f'<a class="reference external" href="{escape(address)}">{escape(text)}</a>'


def data_links(table: Path, notebook: Path) -> str:
    """Links to the releases behind a figure: one for each data set, in the order of the figure.

    Parameters
    ----------
    table : path of the figure's data as CSV
        If it names no data set, that of its page is used, if the page has only one.
    notebook : path of the executed notebook that shows it
    """
    named = tuple(dict.fromkeys(listed_datasets(table.read_text(encoding="utf8"))))
    if not named and len(page_datasets := read_page(notebook).datasets) == 1:
        named = page_datasets
    *others, last = dict.fromkeys(filter(None, map(_release, named))) or [""]
    # a comma stays with the link before it, where a phone breaks lines between links
    return " ".join([*(f'<span class="with-comma">{link},</span>' for link in others), last])


def _release(dataset: str) -> str:
    """A data set's name with a link to its repository; "" for simulated data and a reader's own."""
    try:
        described = datasets.describe(dataset)
    except UnknownNameError:
        return ""
    needed = [repository(file.repository) for file in described.needed_files]
    # judges are released apart from the summaries that they rated
    own = next(one for key in described.citation for one in needed if key in one.citation)
    return _anchor(f"{GITHUB}/{own.name}", words("dataset", dataset))
