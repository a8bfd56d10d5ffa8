"""What a pointer is told: a figure whose table has intervals tells them, and one whose rows rest on a count tells the count.

The figures are those of the built site, and the tables those that their pages offer; no browser is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helpers.figures.panels import label
from tests.browser.browsing import soup_of

pytestmark = pytest.mark.browser

INTERVAL = re.compile(r"\[[-−+]?[\d.]+%?, [-−+]?[\d.]+%?\]|[\d.]+ to [-−]?[\d.]+")
COUNTS = ("n_systems", "n_documents", "n_pairs", "n_separated", "n_used")


def figures(site: Path, page: str) -> Iterator[tuple[str, dict[str, Any], pd.DataFrame]]:
    """Name, figure and table of each figure of a page."""
    for box in soup_of(page).find_all("div", "figure-plotly"):
        link = box.select_one(".figure-data a")
        if link is None:
            continue
        here = (site / page).parent
        if box.get("data-script"):
            text = (here / box["data-script"].split("?")[0]).read_text(encoding="utf8")
            text = text.removeprefix("bookFigures.keep(").rstrip().removesuffix(");")
        else:
            text = box.find("script").string
        yield box.find_parent("figure")["id"], json.loads(text), pd.read_csv(here / link["href"])


def flat(values: Any) -> Iterator[str]:
    if isinstance(values, list):
        for value in values:
            yield from flat(value)
    elif values is not None:
        yield str(values)


def told(figure: dict[str, Any]) -> str:
    """All that the hovers of a figure may say, in every state."""
    parts = ("hovertemplate", "hovertext", "customdata", "text")
    return "\n".join(
        word for trace in figure["data"] if trace.get("hoverinfo") != "skip"
        for part in parts for word in flat(trace.get(part))
    )  # fmt: skip


def test_every_axis_says_what_it_shows(page: str, site: Path) -> None:
    """Its own title, one that panels share, or the name of the one row of a panel."""
    untitled = []
    for name, figure, _ in figures(site, page):
        layout = figure["layout"]
        shared = {note.get("name") for note in layout.get("annotations", [])}
        for letter in "xy":
            titles = [
                axis.get("title", {}).get("text")
                for key, axis in layout.items()
                if key.startswith(f"{letter}axis")
            ]
            rows = [trace[letter] for trace in figure["data"] if trace.get(letter)]
            of_one_row = all(len(set(row)) == 1 and isinstance(row[0], str) for row in rows)
            if not any(titles) and letter not in shared and not of_one_row:
                untitled.append(f"{name}: {letter}")
    assert not untitled


def test_hovers_tell_intervals_and_counts(page: str, site: Path) -> None:
    silent = []
    for name, figure, table in figures(site, page):
        said = told(figure)
        if {"low", "high"} <= set(table) and table["low"].notna().any() and not INTERVAL.search(said):
            silent.append(f"{name}: no interval")
        counts = [column for column in COUNTS if column in table]
        if counts and not any(label(column) in said or column[2:] in said for column in counts):
            silent.append(f"{name}: none of {', '.join(counts)}")
    assert not silent
