"""kit.titles: what the pages of the book are called. Their headings are the one place where titles stand."""

from __future__ import annotations

import json
import re
from functools import cache

from metaeval.core.paths import BOOK, NOTEBOOKS

_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


@cache
def page_titles() -> dict[str, str]:
    """Titles of the book's pages by their file names; none where no book lies."""
    texts = {path.stem: path.read_text(encoding="utf8") for path in BOOK.glob("*.md")}
    for path in NOTEBOOKS.glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf8"))["cells"]
        texts[path.stem] = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    headings = {name: _HEADING.search(text) for name, text in texts.items()}
    return {name: heading[1] for name, heading in headings.items() if heading}


def short_title(page: str) -> str:
    """A page's title up to its colon; the name itself of what is no page.

    Parameters
    ----------
    page : str
        Name of a notebook, such as ``topk``.

    Examples
    --------
    >>> short_title("topk"), short_title("nowhere")
    ('Top-k correlation', 'nowhere')
    """
    return page_titles().get(page, page).partition(":")[0].replace("*", "").rstrip("?")
