"""site.citing: how to cite a page, at its foot for people and in its head for programs.

What the book is stands in ``CITATION.cff``; called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html import escape

from metaeval.core.paths import ROOT, read_yaml

ADDRESS = "BOOK_URL"  # of the environment: where the site will stand, where that is known


@cache
def book() -> Mapping:
    """The book's own entry."""
    return read_yaml(ROOT / "CITATION.cff")


def foot(title: str, bibliography: str) -> str:
    """A fold at the end of a page that says how to cite it, as HTML.

    Parameters
    ----------
    title : str
        Of the page.
    bibliography : address of the page with the book's own entry
    """
    cited = book()
    authors = ", ".join(author["name"] for author in cited["authors"])
    year = str(cited["date-released"])[:4]
    stop = "" if title.endswith("?") else "."
    return (
        '<details class="cite-page"><summary>Cite this page</summary>\n'
        f"<p>{escape(authors)} ({year}). {escape(title)}{stop} In "
        f"<cite>{escape(cited['title'])}</cite> (version {escape(str(cited['version']))}). "
        f'<a class="reference internal" href="{escape(bibliography)}">The book and the papers behind it</a>'
        "</p></details>\n"
    )


def metatags(title: str) -> str:
    """What programs that keep references read in the head of a page (Highwire's tags)."""
    cited = book()
    told = [("title", title), *(("author", author["name"]) for author in cited["authors"])]
    told += [("publication_date", str(cited["date-released"])), ("inbook_title", cited["title"])]
    return "".join(f'<meta name="citation_{name}" content="{escape(value)}">\n' for name, value in told)
