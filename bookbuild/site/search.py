"""site.search: words by which the search finds a page whose title does not say them.

The words stand in ``book/search.yml``; ``book/_assets/search_scorer.js`` orders what is found. Called by
`bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util.index_entries import split_index_msg

from metaeval.core.paths import BOOK, read_yaml

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_BEFORE, _AFTER = "Search.setIndex(", ")"  # the index in its file


@cache
def searched() -> dict[str, list[str]]:
    """Words by page."""
    return read_yaml(BOOK / "search.yml")


def enter_words(app: Sphinx, exception: Exception | None) -> None:
    """Enter all pages in the index of the search under their words; nothing is shown of it.

    Not as entries of Sphinx's own index, of which a build that writes some pages keeps those of these alone:
    the glossary's are entered here again.
    """
    file = Path(app.outdir, "searchindex.js")
    if exception or not file.is_file():
        return
    index = json.loads(file.read_text(encoding="utf8").removeprefix(_BEFORE).removesuffix(_AFTER))
    own = app.env.get_domain("index").entries
    for place, page in enumerate(index["docnames"]):
        entries = [[word, "", True] for word in searched().get(page, ())]
        for kind, value, target, main, _ in own.get(page, ()):
            entries += [[word, target, main == "main"] for word in split_index_msg(kind, value)]
        for word, target, is_main in entries:
            entered = index["indexentries"].setdefault(word.lower(), [])
            entered += [[place, target, is_main]] * ([place, target, is_main] not in entered)
            entered.sort()
    file.write_text(_BEFORE + json.dumps(index, sort_keys=True) + _AFTER, encoding="utf8")
