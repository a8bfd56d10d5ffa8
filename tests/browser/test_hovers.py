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

from metaeval.tables.columns import label
from tests.browser.browsing import soup_of

pytestmark = pytest.mark.browser

INTERVAL = re.compile(r"\[[-−+]?[\d.]+%?, [-−+]?[\d.]+%?\]|[\d.]+ to [-−]?[\d.]+")
COUNTS = ("n_systems", "n_documents", "n_pairs", "n_separated", "n_used")
NUMBER = re.compile(r"[−-]?[\d.,]+ ?%?")  # in words, it takes a title as any number does


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
        name = (box.find_parent("figure") or {}).get("id", "the chapter's picture")
        yield name, json.loads(text), pd.read_csv(here / link["href"])


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


def untitled_axes(figure: dict[str, Any]) -> list[str]:
    """The axes with labels that nothing names: no title of theirs or of another panel of their row or column, none that
    all panels share, and no names of rows, which say themselves what they are."""
    layout = figure["layout"]
    shared = {note.get("name") for note in layout.get("annotations", [])}
    found = []
    for letter in "xy":
        on: dict[str, set[Any]] = {}  # axis -> what its panel first shows there
        for trace in (trace for trace in figure["data"] if trace.get("visible", True) is True):
            key = trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis")
            on.setdefault(key, set()).update(trace.get(letter) or ())
        axes = {key: axis for key, axis in layout.items() if key.startswith(f"{letter}axis")}
        titled = {
            tuple(axis.get("domain", (0, 1))) for axis in axes.values() if axis.get("title", {}).get("text")
        }
        for key, axis in axes.items():
            shown = axis.get("visible", True) and axis.get("showticklabels", True)
            values = axis.get("ticktext") or [value for value in on.get(key, ()) if value is not None]
            of_names = bool(values) and all(
                isinstance(value, str) and not NUMBER.fullmatch(value) for value in values
            )
            named = letter in shared or tuple(axis.get("domain", (0, 1))) in titled
            if shown and not (named or of_names):
                found.append(key)
    return found


def test_every_axis_says_what_it_shows(page: str, site: Path) -> None:
    untitled = {name: untitled_axes(figure) for name, figure, _ in figures(site, page)}
    assert not {name: axes for name, axes in untitled.items() if axes}


def test_an_axis_without_a_name_is_found() -> None:
    """Numbers take a title; names of rows take none."""
    named = [{"x": [k], "y": [name]} for k, name in enumerate(("one", "two"))]
    assert untitled_axes({"data": named, "layout": {"xaxis": {}, "yaxis": {}}}) == ["xaxis"]
    written = [{"x": [k], "y": [word]} for k, word in enumerate(("0.5", "1,000"))]
    assert untitled_axes({"data": written, "layout": {"xaxis": {}, "yaxis": {}}}) == ["xaxis", "yaxis"]
    rows = [{"x": [k], "y": [2 + k]} for k in range(2)]
    beside = [named[0], {**named[1], "xaxis": "x2", "yaxis": "y2"}]
    title = {"title": {"text": "score"}}
    assert untitled_axes({"data": rows, "layout": {"xaxis": title, "yaxis": {}}}) == ["yaxis"]
    left, right = {"domain": [0, 0.4]}, {"domain": [0.6, 1]}
    layout = {"xaxis": left | title, "xaxis2": right, "yaxis": {}, "yaxis2": {}}
    assert untitled_axes({"data": beside, "layout": layout}) == ["xaxis2"]
    assert untitled_axes({"data": beside, "layout": layout | {"annotations": [{"name": "x"}]}}) == []
    above = layout | {"xaxis": right | title, "yaxis": left, "yaxis2": right}
    assert untitled_axes({"data": beside, "layout": above}) == []
    hidden = layout | {"xaxis2": right | {"showticklabels": False}}
    assert untitled_axes({"data": beside, "layout": hidden}) == []


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
