"""site.explorer: the directive ``{resampling-explorer}``: matrices that a reader draws samples of.

The page gets the matrices as JSON and, for readers without JavaScript, a still picture of one sample;
`book/_assets/explorer.js` puts the explorer in its place. Scripts and styles are added to pages with the
directive only (`bookbuild.site.sphinx_ext`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

# in the order in which they need each other; plain scripts, since a page opened from the disk gets no modules
SCRIPTS = (
    "tools.js",
    "statistics.js",
    "explorer_draws.js",
    "explorer_words.js",
    "explorer_study.js",
    "explorer_matrices.js",
    "explorer_panel.js",
    "explorer_histogram.js",
    "explorer.js",
)
STYLES = "explorer.css"

# Invented: rounded draws from a model in which systems differ in quality, documents in difficulty, and metric
# A sees more of the quality than metric B. Rows are systems, columns documents; higher is better. Halves and
# whole numbers, so that means are exact and equal means are equal.
METRIC_A = (
    (25, 42, 41, 40, 28, 42, 23, 31),
    (37, 52, 49, 43, 45, 57, 47, 56),
    (42, 65, 58, 43, 52, 61, 27, 33),
    (27, 56, 44, 37, 48, 39, 23, 48),
    (45, 35, 53, 37, 37, 30, 32, 36),
    (31, 59, 45, 39, 43, 41, 29, 44),
)
METRIC_B = (
    (25, 50, 28, 26, 41, 25, 33, 30),
    (27, 46, 46, 45, 50, 54, 34, 48),
    (31, 58, 43, 27, 56, 41, 21, 34),
    (32, 32, 35, 35, 47, 30, 22, 32),
    (48, 43, 43, 33, 34, 36, 19, 49),
    (31, 43, 49, 25, 49, 50, 21, 46),
)
PEOPLE = (
    (2, 3.5, 3.5, 2, 3.5, 3.5, 1.5, 2.5),
    (2, 3.5, 4.5, 4, 4.5, 3.5, 2.5, 3.5),
    (3, 5, 4.5, 4, 4.5, 4.5, 2.5, 3.5),
    (2, 3.5, 3, 3, 3, 3, 2, 4),
    (2.5, 2.5, 2.5, 2, 2.5, 2, 1.5, 2),
    (2, 4, 3.5, 3.5, 3.5, 3.5, 2, 3.5),
)

# The sample of the still picture, as Algorithm 1 of Deutsch et al. 2021 draws it: rows, then columns.
STILL_SYSTEMS = (1, 2, 2, 3, 5, 1)
STILL_DOCUMENTS = (0, 2, 2, 3, 4, 4, 4, 7)

_CELL, _GAP, _LEFT, _TOP, _BETWEEN = 30, 2, 64, 58, 40


# In lower case as every docutils node: visitors are found by the class name.
class resampling_explorer(nodes.General, nodes.Element):
    """The explorer's place on a page; `alt` describes the still picture."""


class ResamplingExplorer(SphinxDirective):
    """``{resampling-explorer}``, without arguments, options or content."""

    def run(self) -> list[nodes.Node]:
        """One node; what it becomes depends on the builder."""
        node = resampling_explorer(alt=still_text())
        self.set_source_info(node)
        return [node]


def explorer_html() -> str:
    """The explorer before its script runs: data, a still picture and a sentence.

    Returns
    -------
    str
        HTML that is complete without JavaScript and asks for no other file.
    """
    data = json.dumps({"a": METRIC_A, "b": METRIC_B, "people": PEOPLE}, separators=(",", ":"))
    return (
        '<div class="explorer">\n'
        f'<figure class="explorer-still">{still_svg()}<figcaption>{escape(still_text())} '
        "With JavaScript this picture is live: draw samples yourself and see the interval form."
        "</figcaption></figure>\n"
        f'<script type="application/json">{data}</script>\n'
        "</div>\n"
    )


def still_text() -> str:
    """The still picture in words, with every multiplicity that it shows."""
    systems = _format_counts("S", STILL_SYSTEMS, len(PEOPLE))
    documents = _format_counts("D", STILL_DOCUMENTS, len(PEOPLE[0]))
    return f"One Boot-Both sample. Systems: {systems}. Documents: {documents}."


def still_svg() -> str:
    """Metric A and people with the rows and columns of one sample lit, in the page's own colours."""
    rows, columns = Counter(STILL_SYSTEMS), Counter(STILL_DOCUMENTS)
    width_of_one = len(PEOPLE[0]) * (_CELL + _GAP)
    width = 2 * (_LEFT + width_of_one) + _BETWEEN
    height = _TOP + len(PEOPLE) * (_CELL + _GAP)
    parts = []
    for place, (name, matrix) in enumerate((("Metric A", METRIC_A), ("People", PEOPLE))):
        parts += _still_matrix(name, matrix, place * (_LEFT + width_of_one + _BETWEEN), rows, columns)
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(still_text())}">'
        + "".join(parts)
        + "</svg>"
    )


def _still_matrix(
    name: str, matrix: Sequence[Sequence[float]], offset: int, rows: Counter[int], columns: Counter[int]
) -> list[str]:
    cells = [cell for row in matrix for cell in row]
    low, high = min(cells), max(cells)
    hue = {"Metric A": "a", "People": "people"}[name]
    parts = [f'<text class="name" x="{offset + _LEFT}" y="16">{name}</text>']
    for j in range(len(matrix[0])):
        x = offset + _LEFT + j * (_CELL + _GAP) + _CELL // 2
        parts += [
            f'<text class="label" x="{x}" y="35">D{j + 1}</text>',
            f'<text class="times" x="{x}" y="50">×{columns[j]}</text>',
        ]
    for i, row in enumerate(matrix):
        y = _TOP + i * (_CELL + _GAP)
        middle = y + _CELL // 2 + 4
        parts += [
            f'<text class="label" x="{offset + 16}" y="{middle}">S{i + 1}</text>',
            f'<text class="times" x="{offset + 44}" y="{middle}">×{rows[i]}</text>',
        ]
        for j, cell in enumerate(row):
            drawn = "" if rows[i] and columns[j] else " out"
            share = (cell - low) / (high - low)
            x = offset + _LEFT + j * (_CELL + _GAP)
            parts.append(
                f'<rect class="cell hue-{hue}{drawn}" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" rx="3"'
                f' fill-opacity="{0.1 + 0.7 * share:.2f}"/>'
            )
    return parts


def _format_counts(letter: str, drawn: Sequence[int], n: int) -> str:
    counts = Counter(drawn)
    return ", ".join(f"{letter}{i + 1} ×{counts[i]}" for i in range(n))


def visit_html(translator: Any, node: resampling_explorer) -> None:
    """Write the explorer's HTML."""
    translator.body.append(explorer_html())
    raise nodes.SkipNode
