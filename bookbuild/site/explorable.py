"""site.explorable: panels that a reader works on a page without a kernel.

A notebook's output holds, as JSON, what its run computed; the page gets it with a sentence for readers
without JavaScript, and the scripts of `book/_assets` put the panel in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from docutils import nodes

# in the order in which they need each other; plain scripts, since a page opened from the disk gets no modules
TOOLS = ("tools.js", "tables.js", "explorable_parts.js", "explorable_chart.js")
KINDS: Mapping[str, tuple[str, ...]] = {
    "topk": ("explorable_topk.js",),
    "margins": ("statistics.js", "explorable_margins.js"),
    "coverage": ("statistics.js", "explorable_likeness.js", "explorable_coverage.js"),
    "index_size": ("statistics.js", "explorable_index_size.js"),
    "your_file": (
        "statistics.js",
        "your_file_csv.js",
        "your_file_statistics.js",
        "explorable_your_file.js",
        "your_file.js",
    ),
}
# the place on a page for a reader's own file, from which `your_file.js` makes a panel of this kind
YOUR_FILE = 'class="your-file"'
LAST = "explorable.js"
STYLES = "explorable.css"
YOUR_FILE_STYLES = "your_file.css"


# In lower case as every docutils node: visitors are found by the class name.
class explorable(nodes.General, nodes.Element):
    """A panel's place on a page: `kind`, `json` (escaped for HTML) and `alt`, what it is in words."""


def scripts(kind: str) -> tuple[str, ...]:
    """The scripts of a page with a panel of some kind, in the order in which they need each other."""
    return (*TOOLS, *KINDS[kind], LAST)


def explorable_html(*, kind: str, json: str, alt: str) -> str:
    """A panel before its script runs.

    Parameters
    ----------
    kind : str
        Of `KINDS`.
    json : str
        What the run computed, already escaped by `bookbuild.site.mime.script_json`.
    alt : str
        What the panel is, for readers without JavaScript.
    """
    return (
        f'<div class="explorable" data-kind="{escape(kind)}">\n'
        f'<p class="explorable-still">{escape(alt)} It is worked by JavaScript, '
        "which is switched off; the figures below hold what was computed.</p>\n"
        f'<script type="application/json">{json}</script>\n'
        "</div>\n"
    )


def visit_html(translator: Any, node: explorable) -> None:
    """Write the panel's HTML."""
    translator.body.append(explorable_html(kind=node["kind"], json=node["json"], alt=node["alt"]))
    raise nodes.SkipNode
