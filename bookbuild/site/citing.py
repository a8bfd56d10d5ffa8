"""site.citing: how to cite a page, at its foot for people and in its head for programs.

The book's own entry comes from ``CITATION.cff``. Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html import escape

from metaeval.core.paths import ROOT, read_yaml

ADDRESS = "BOOK_URL"  # environment variable with the address of the published site


@cache
def book() -> Mapping:
    """The book's own entry."""
    return read_yaml(ROOT / "CITATION.cff")


def foot(title: str, bibliography: str) -> str:
    """Fold at the end of a page with its citation, as HTML.

    Parameters
    ----------
    title : str
        Of the page.
    bibliography : address of the page with the book's own entry
    """
    entry = book()
    authors = ", ".join(author["name"] for author in entry["authors"])
    year = str(entry["date-released"])[:4]
    stop = "" if title.endswith("?") else "."
    return (
        '<details class="cite-page"><summary>Cite this page</summary>\n'
        f"<p>{escape(authors)} ({year}). {escape(title)}{stop} In "
        f"<cite>{escape(entry['title'])}</cite> (version {escape(str(entry['version']))}). "
        f'<a class="reference internal" href="{escape(bibliography)}">The book and the papers behind it</a>'
        "</p></details>\n"
    )


def metatags(title: str) -> str:
    """Tags in the head of a page that reference managers read (Highwire's)."""
    entry = book()
    tags = [("title", title), *(("author", author["name"]) for author in entry["authors"])]
    tags += [("publication_date", str(entry["date-released"])), ("inbook_title", entry["title"])]
    return "".join(f'<meta name="citation_{name}" content="{escape(value)}">\n' for name, value in tags)
