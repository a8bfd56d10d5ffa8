"""figures.thumbnails: small pictures of findings, for the cards that lead to their pages.

SVG that needs no script and no drawing library; axes, numbers and intervals stand on the page behind it.
Draws the tables of `helpers.experiments.findings.pictured`; called by the notebook findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
import pandas as pd

from helpers.kit.theme import BLUE, GREY, VERMILLION, metric_style, style_of

WIDTH, HEIGHT, EDGE = 240, 96, 6
_ALT = {
    "topk": "Lines: correlation of each metric with people, from the few best systems on the left to all.",
    "margins": "Cells: correlation within windows of score differences, blue above 0 and red below.",
    "coverage": "Bars: share of trials in which each method's interval held, and a line at its promise.",
    "index_size": "Lines: correlation of variants of SERA with people, by stories in the index.",
}


def small_pictures(tables: Mapping[str, pd.DataFrame], *, promise: float = 0.95) -> dict[str, str]:
    """A picture for each page.

    Parameters
    ----------
    tables : mapping, page -> DataFrame, as `helpers.experiments.findings.pictured` gives them
    promise : float
        Where the line lies that the bars of coverage should reach.

    Returns
    -------
    dict, page -> SVG
    """
    drawn = {
        "topk": _lines(tables["topk"], "k"),
        "margins": _cells(tables["margins"], "to_percent", "from_percent"),
        "coverage": _bars(tables["coverage"], "method", at=promise),
        "index_size": _lines(tables["index_size"].assign(stories=_logarithm), "stories"),
    }
    return {page: _picture(shapes, _ALT[page]) for page, shapes in drawn.items()}


def _picture(shapes: str, alt: str) -> str:
    return (
        f'<svg class="thumbnail" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(alt)}">'
        f"{shapes}</svg>"
    )


def _logarithm(table: pd.DataFrame) -> pd.Series:
    return np.log(table["stories"])


def _lines(table: pd.DataFrame, x: str) -> str:
    """A line for each metric, over a dotted one at no correlation."""
    across = _scaled(table[x], EDGE, WIDTH - EDGE)
    down = _scaled(pd.concat([table["value"], pd.Series([0.0])]), HEIGHT - EDGE, EDGE)
    zero = f'<path d="M0 {down.iloc[-1]:.1f}H{WIDTH}" stroke="{GREY}" stroke-dasharray="2 3"/>'
    placed = table.assign(across=across, down=down.iloc[:-1]).dropna(subset="value")
    drawn = []
    for metric, points in placed.groupby("metric", sort=False):
        path = "L".join(f"{i:.1f} {j:.1f}" for i, j in points[["across", "down"]].to_numpy())
        colour = metric_style(metric).colour
        drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5" opacity="0.85"/>')
    return zero + "".join(drawn)


def _cells(table: pd.DataFrame, across: str, down: str) -> str:
    """A cell for each window: the colour is the sign of its value, its strength the size."""
    columns, rows = np.unique(table[across]), np.unique(table[down])[::-1]
    wide, high = WIDTH / len(columns), HEIGHT / len(rows)
    drawn = []
    for row in table.dropna(subset="value").itertuples():
        i, j = np.searchsorted(columns, getattr(row, across)), list(rows).index(getattr(row, down))
        drawn.append(
            f'<rect x="{i * wide:.1f}" y="{j * high:.1f}" width="{wide - 1:.1f}" height="{high - 1:.1f}" '
            f'fill="{BLUE if row.value > 0 else VERMILLION}" opacity="{0.15 + 0.8 * abs(row.value):.2f}"/>'
        )
    return "".join(drawn)


def _bars(table: pd.DataFrame, by: str, *, at: float) -> str:
    """A bar from 0 to each value, which is a share, and a dotted line at another."""
    high = (HEIGHT - EDGE) / len(table)
    drawn = [
        f'<rect x="0" y="{EDGE + i * high:.1f}" width="{row.value * WIDTH:.1f}" height="{high - 6:.1f}" '
        f'fill="{style_of(by, getattr(row, by), i).colour}" opacity="0.85"/>'
        for i, row in enumerate(table.itertuples())
    ]
    rule = f'<path d="M{at * WIDTH:.1f} 0V{HEIGHT}" stroke="currentColor" stroke-dasharray="2 3"/>'
    return "".join(drawn) + rule


def _scaled(values: pd.Series, start: float, end: float) -> pd.Series:
    low, high = values.min(), values.max()
    return start + (end - start) * (values - low) / ((high - low) or 1)
