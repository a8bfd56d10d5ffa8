"""site.citing: how to cite a page, at its foot for people and in its head for programs.

The book's own entry comes from ``CITATION.cff``. Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from urllib.parse import quote

from metaeval.core.paths import ROOT, read_yaml

ADDRESS = "BOOK_URL"  # environment variable with the address of the published site


@cache
def book() -> Mapping:
    """The book's own entry."""
    return read_yaml(ROOT / "CITATION.cff")


def foot(title: str, bibliography: str, page: str = "") -> str:
    """Fold at the end of a page with its citation, and files of it for reference managers, as HTML.

    Parameters
    ----------
    title : str
        Of the page.
    bibliography : address of the page with the book's own entry
    page : str
        Name of the page, from which the files take theirs, and its address where the site has one.
    """
    entry = book()
    authors = ", ".join(author["name"] for author in entry["authors"])
    year = str(entry["date-released"])[:4]
    stop = "" if title.endswith("?") else "."
    return (
        '<details class="cite-page"><summary>Cite this page</summary>\n'
        f"<p>{escape(authors)} ({year}). {escape(title)}{stop} In "
        f"<cite>{escape(entry['title'])}</cite> (version {escape(str(entry['version']))}). "
        f'<a class="reference internal" href="{escape(bibliography)}">The book and its sources</a></p>\n'
        f"<p>{_file(page, 'bib', 'BibTeX', bibtex(title, page))} "
        f"{_file(page, 'ris', 'RIS', ris(title, page))}</p></details>\n"
    )


def _file(page: str, ending: str, label: str, text: str) -> str:
    """A link to a file that the page carries itself, so that it works from a disk too."""
    name = f"{page.rpartition('/')[2] or 'book'}.{ending}"
    source = f"data:text/plain;charset=utf-8,{quote(text)}"
    return f'<a class="cite-file" download="{escape(name)}" href="{source}">{label}</a>'


def bibtex(title: str, page: str) -> str:
    """A page's entry for BibTeX; braces keep its capitals."""
    entry = book()
    fields = {
        "author": " and ".join(f"{{{author['name']}}}" for author in entry["authors"]),
        "title": f"{{{title}}}",
        "booktitle": f"{{{entry['title']}}}",
        "year": str(entry["date-released"])[:4],
        "note": f"Version {entry['version']}",
        "url": address(page),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@incollection{{{page.rpartition('/')[2] or 'book'},\n{lines}}}\n"


def ris(title: str, page: str) -> str:
    """A page's entry in the format of Reference Manager, which Zotero and EndNote read."""
    entry = book()
    rows = [("TY", "CHAP"), *(("AU", author["name"]) for author in entry["authors"]), ("TI", title)]
    rows += [("T2", entry["title"]), ("PY", str(entry["date-released"])[:4]), ("ET", str(entry["version"]))]
    rows += [("UR", address(page)), ("ER", "")]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in rows if value or tag == "ER")


def address(page: str) -> str:
    """The address of a page of the published site; "" where the site has none."""
    base = os.environ.get(ADDRESS, "").rstrip("/")
    return f"{base}/{page}.html" if base and page else base


def metatags(title: str) -> str:
    """Tags in the head of a page that reference managers read (Highwire's)."""
    entry = book()
    tags = [("title", title), *(("author", author["name"]) for author in entry["authors"])]
    tags += [("publication_date", str(entry["date-released"])), ("inbook_title", entry["title"])]
    return "".join(f'<meta name="citation_{name}" content="{escape(value)}">\n' for name, value in tags)


def sitemap(pages: Iterable[str]) -> str:
    """The map of the site for search engines, which want whole addresses."""
    rows = "".join(f"<url><loc>{escape(address(page))}</loc></url>\n" for page in sorted(pages))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{rows}</urlset>\n"
