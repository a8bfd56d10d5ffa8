"""publish.search: words by which the search finds a page whose title does not say them.

The words stand in ``book/search.yml``; ``book/_assets/search_scorer.js`` orders what is found. Called by
`helpers.publish.sphinx_ext`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import yaml
from docutils import nodes
from sphinx import addnodes

from helpers.paths import BOOK

if TYPE_CHECKING:
    from sphinx.application import Sphinx


@cache
def searched() -> dict[str, list[str]]:
    """Words by page."""
    return yaml.safe_load((BOOK / "search.yml").read_text(encoding="utf8"))


def add_words(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Enter a page in the index of the search under its words; nothing is shown of it."""
    entries = [("single", word, "", "main", None) for word in searched().get(docname, ())]
    doctree += addnodes.index(entries=entries)
