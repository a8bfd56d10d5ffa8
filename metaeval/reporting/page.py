"""reporting.page: one HTML page that needs nothing else, its figures, and its tables as CSV and LaTeX.

What is drawn stands in ``report.html.jinja`` beside this module, which escapes every name; here its numbers
are placed and written. It knows no report: each hands over what it shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metaeval.reporting.sections import Settings
from metaeval.tables.columns import label
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.readable import ERROR, readable
from metaeval.tables.wording import UNDEFINED, counted, percent, settled, typeset

MAX_PANELS = 9  # small pictures side by side; more metrics stand in the table
SHOWN, FOLDED = 12, 120  # rows of a table that is shown, and of one that is folded; longer ones are copied
# columns that are left out first
ASIDE = (
    *("n_undefined", "n_total", "n_tied_metric", "n_tied_human", "share_held"),
    *("n_values", "n_raters", "expected", "needed"),
)
CITATIONS = {
    "Deutsch, Dror and Roth 2021": "A Statistical Analysis of Summarization Evaluation Metrics Using "
    "Resampling Methods. TACL 9",
    "Deutsch, Dror and Roth 2022": "Re-Examining System-Level Correlations of Automatic Summarization "
    "Evaluation Metrics. NAACL",
    "Bhandari et al. 2020": "Re-evaluating Evaluation in Text Summarization. EMNLP",
    "Kocmi et al. 2024": "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies. ACL",
    "Westfall and Young 1993": "Resampling-Based Multiple Testing. Wiley",
    "Brennan 2001": "Generalizability Theory. Springer",
}
VERDICTS = "verdicts"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes what begins so for a formula


@cache
def _template():
    loader = PackageLoader("metaeval.reporting", ".")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html.jinja")


def page(title: str, body: str) -> str:
    """A whole page around what `render` made."""
    return str(_template().module.page(title, Markup(body), "metaeval"))


# what is no text: styles, what is to be copied, and tags
_NO_TEXT = re.compile(r"(<style>.*?</style>|<textarea.*?</textarea>|<code>.*?</code>|<[^>]*>)", re.DOTALL)


def _printed(html: object) -> str:
    """A part of a page with the minus signs and spaces of print in its texts."""
    parts = _NO_TEXT.split(str(html))
    return "".join(part if i % 2 else typeset(part) for i, part in enumerate(parts))


def render(macro: str, *parts: object) -> str:
    """A macro of the template filled with some parts, without the page around it."""
    return _printed(getattr(_template().module, macro)(*parts))


def figure_parts(
    key: str, table: pd.DataFrame, settings: Settings, best_first: Sequence[str]
) -> dict[str, object] | None:
    """The figure of a section as the template takes it, None of one that has none.

    Parameters
    ----------
    key : str
        Of the section.
    table : DataFrame
    settings : Settings
    best_first : metrics in the order of their values
    """
    return _FIGURES[key](table, settings, best_first) if key in _FIGURES else None


def records(table: pd.DataFrame) -> list[dict[str, object]]:
    """The rows of a table with plain values, None where there is none; what is infinite is text."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def plain(value):
    """A number as JSON has it: null where there is none; what is infinite is text."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def csv(table: pd.DataFrame) -> str:
    """A table as CSV that no spreadsheet takes for formulas."""
    guarded = table.map(
        lambda cell: f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
    )
    return guarded.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def latex(table: pd.DataFrame) -> str:
    """A table as LaTeX, every sign of a name escaped."""
    return table.to_latex(index=False, escape=True, float_format="%.3f", na_rep="--")


def as_it_stands(name: str, value: object) -> str:
    """A value of a column without the book's names, since names are a user's own; only levels in words."""
    return words(name, value) if name == "level" else str(value)


def table_parts(
    key: str,
    frame: pd.DataFrame,
    *,
    caption: str = "",
    labels: Mapping[str, str] | None = None,
    brackets: str = "intervals in brackets",
) -> dict[str, object] | None:
    """A table as the template takes it; what does not fit, or is empty, is in the copies alone."""
    if not len(frame.columns):
        return None
    filled = frame.notna() & frame.ne("")
    if "n_undefined" in frame:  # none is what anybody expects
        filled["n_undefined"] &= frame["n_undefined"] > 0
    if "n_judged" in frame:  # all is what anybody expects
        sizes = frame.columns.intersection(["n_systems", "n_raters", "n_scored", "n_judged"])
        filled[sizes] &= (frame["n_scored"] < frame["n_judged"]).any()
    used = frame.loc[:, filled.any()]
    listed = used if len(frame) <= FOLDED else used[:0]
    shown = readable(listed, table=key, labels=labels, words=as_it_stands, share=False, aside=ASIDE)
    n = shown.n_left_out
    more = f"{counted(n, 'more column')} in the copies below" if n else ""
    beside = brackets if "low" in used else ""
    caption = "; ".join(filter(None, [caption or counted(len(frame), "row"), beside, *shown.shared, more]))
    names = [name for name in used if not name.endswith(ERROR)]
    headings = {name: label(name, key) for name in names} | dict(labels or {})
    return {
        "key": key, "caption": caption[0].upper() + caption[1:], "shown": shown, "n": len(frame),
        "rows": shown.frame.to_numpy().tolist(), "folded": key == VERDICTS or len(shown.frame) > SHOWN,
        "csv": csv(frame), "latex": latex(used[names].rename(columns=headings)),
    }  # fmt: skip


def _dots(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object] | None:
    """Rows of estimates and intervals, one panel a level, the best metric first."""
    order = table[table["level"] == "system"].sort_values("value", ascending=False, kind="stable")["metric"]
    place = {metric: i for i, metric in enumerate(order)}
    panels = [
        (words("level", level), part.sort_values("metric", key=lambda names: names.map(place)))
        for level, part in table.groupby("level", sort=False)
    ]
    name = COEFFICIENT_LABELS[settings.coefficient]
    return _rows(panels, caption=f"{name} with people and its {_level(settings)} interval.")


def _level(settings: Settings) -> str:
    return percent(settings.confidence_level, None)


def _rows(panels, *, caption: str, name: str = "metric", least: float = -1.0, mark: float = 0.0):
    """Panels of estimates with intervals from `least` to 1, a line at `mark`, and an axis below."""

    def at(value: float) -> float:
        return round(100 * (value - least) / (1 - least), 2)

    drawn = [
        {
            "title": title,
            "rows": [
                {
                    "name": row[name],
                    "at": None if math.isnan(row["value"]) else at(row["value"]),
                    "ends": None if math.isnan(row["low"]) else (at(row["low"]), at(row["high"])),
                    "said": _with_ends(row),
                }
                for row in part.to_dict("records")
            ],
        }
        for title, part in panels
    ]
    axis = [{"at": at(end), "said": f"{end:g}"} for end in sorted({least, 0.0, mark, 1.0})]
    return {"kind": "dots", "panels": drawn, "mark": at(mark), "axis": axis, "caption": caption}


def _over_items(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
    name = COEFFICIENT_LABELS[settings.coefficient]
    caption = f"{name} with people over items, and its {_level(settings)} interval."
    return _rows([("", table)], caption=caption)


def _rates(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
    """A panel for each judge, a row for each quantity."""
    panels = [*table.groupby("metric", sort=False)]
    most = f" The first {MAX_PANELS} judges are drawn." if len(panels) > MAX_PANELS else ""
    least = -1.0 if (table[["value", "low"]] < 0).any(axis=None) else 0.0  # κ may be negative
    caption = f"Shares, κ and AUC with {_level(settings)} intervals.{most}"
    return _rows(panels[:MAX_PANELS], caption=caption, name="quantity", least=least, mark=0.5)


def _accuracies(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
    panels = [(f"as {against}", part) for against, part in table.groupby("against", sort=False)]
    caption = (
        "Share of pairs in which each chooses as the others do, of those that it judged, and its "
        f"{_level(settings)} interval."
    )
    return _rows(panels, caption=caption, least=0.0, mark=0.5)


def _halves(what: str) -> Callable:
    """A figure of shares that would be one half by chance."""

    def draw(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
        caption = f"{what}, and its {_level(settings)} interval; by chance it would be one half."
        return _rows([("", table)], caption=caption, least=0.0, mark=0.5)

    return draw


def _with_ends(row) -> str:
    if math.isnan(row["value"]):
        return UNDEFINED
    if math.isnan(row["low"]):
        return settled(row["value"], 0.0)
    low, high = (settled(row[end], row[f"{end}_mc_error"]) for end in ("low", "high"))
    return f"{settled(row['value'], 0.0)} [{low}, {high}]"


def _drawn(table: pd.DataFrame, best_first: Sequence[str]) -> tuple[list[str], str]:
    """The metrics that get a picture of their own, and a sentence where others do not."""
    known = set(table["metric"][table["value"].notna()])
    names = [metric for metric in best_first if metric in known]
    left = f" The {MAX_PANELS} best of {len(names)} metrics are drawn." if len(names) > MAX_PANELS else ""
    return names[:MAX_PANELS], left


WIDTH, HEIGHT = 190, 120  # of a panel's plot


def _curves(table: pd.DataFrame, settings: Settings, best_first: Sequence[str]) -> dict[str, object]:
    """A line of correlations over k for each metric, the others' in grey behind it."""
    names, left = _drawn(table, best_first)
    least, most = int(table["k"].min()), int(table["k"].max())
    bottom = min(0.0, math.floor(table["value"].min() * 2) / 2) if table["value"].notna().any() else 0.0

    def placed(row):
        x = WIDTH * (row["k"] - least) / max(1, most - least)
        return f"{x:.1f},{HEIGHT * (1 - row['value']) / (1 - bottom):.1f}"

    lines = {
        metric: " ".join(placed(row) for row in part.dropna(subset="value").to_dict("records"))
        for metric, part in table.groupby("metric", sort=False)
    }
    return {
        "kind": "curves",
        "panels": [
            {"name": name, "line": lines[name], "others": [lines[other] for other in names if other != name]}
            for name in names
        ],
        "zero": round(HEIGHT / (1 - bottom), 1),
        "ends": (least, most, f"{bottom:g}"),
        "size": (WIDTH, HEIGHT),
        "caption": f"{COEFFICIENT_LABELS[settings.coefficient]} with people on the best systems "
        "alone, from the few that people score highest to all; grey lines are the other metrics. These have "
        f"no intervals: they describe the systems that there are.{left}",
    }


def _calibrated(table: pd.DataFrame, settings: Settings, best_first: Sequence[str]) -> dict[str, object]:
    """For each judge the share that people pass, by what it gives."""
    names, left = _drawn(table, best_first)
    panels = []
    for name in names:
        part = table[table["metric"] == name]
        least, most = float(part["given"].min()), float(part["given"].max())
        if least >= 0 and most <= 1:
            least, most = 0.0, 1.0
        width = (most - least) or 1.0
        points = [
            {
                "x": round(WIDTH * (row["given"] - least) / width, 1),
                **{end: round(HEIGHT * (1 - row[end]), 1) for end in ("value", "low", "high")},
                "said": f"gives {row['given']:.3g}: people pass {_with_ends(row)} of {row['n_items']:,}",
            }
            for row in part.assign(low_mc_error=0.0, high_mc_error=0.0).to_dict("records")
        ]
        line = " ".join(f"{one['x']},{one['value']}" for one in points)
        ends = (f"{least:.3g}", f"{most:.3g}")
        panels.append(
            {"name": name, "points": points, "line": line, "ends": ends, "share": ends == ("0", "1")}
        )
    caption = (
        f"Across: what the judge gives; up: the share that people pass, with its {_level(settings)} interval."
    )
    if any(panel["share"] for panel in panels):
        caption += " On the grey diagonal people pass the share that the judge gives."
    return {"kind": "calibration", "panels": panels, "size": (WIDTH, HEIGHT), "caption": caption + left}


DEEP = 0.55  # from here on the colour of a cell is so strong that its number is written in the page's


def _short(value: float) -> str:
    """A correlation in two signs."""
    if math.isnan(value):
        return ""
    tenths = round(10 * abs(value))
    return ("-" if value < 0 and tenths else "") + (f".{tenths}" if 0 < tenths < 10 else str(tenths // 10))


def _heatmap(table: pd.DataFrame, settings: Settings, best_first: Sequence[str]) -> dict[str, object]:
    """Triangles of windows, each window coloured by its correlation."""
    names, left = _drawn(table, best_first)
    panels = []
    for name in names:
        part = table[table["metric"] == name]
        cells = [
            {
                "x": round(WIDTH * row["from_percent"] / 100, 1),
                "y": round(WIDTH * (1 - row["to_percent"] / 100), 1),
                "strength": 0 if math.isnan(row["value"]) else round(abs(row["value"]), 2),
                "sign": "against" if row["value"] < 0 else "with",
                "said": f"{row['from_percent']:.0f} to {row['to_percent']:.0f} %: "
                f"{settled(row['value'], 0.0)}, {counted(row['n_pairs'], 'pair')}, "
                f"{percent(row['share_held'])} of all",
                "text": _short(row["value"]),
                "deep": " deep" if abs(row["value"]) > DEEP else "",
            }
            for row in part.to_dict("records")
        ]
        panels.append({"name": name, "cells": cells})
    n_windows = table["from_percent"].nunique()
    return {
        "kind": "heatmap", "panels": panels, "size": round(WIDTH / n_windows, 2), "width": WIDTH,
        "caption": "Across: the window begins after this share of the closest pairs of systems; up: it ends "
        f"with this share. Blue where people agree, orange where they disagree.{left}",
    }  # fmt: skip


_FIGURES: dict[str, Callable] = {
    "correlations": _dots,
    "topk": _curves,
    "windows": _heatmap,
    "rates": _rates,
    "calibration": _calibrated,
    "items": _over_items,
    "accuracy": _accuracies,
    "first": _halves("Share of choices for what is shown first"),
    "documents": _halves("Share of documents on which both favour the same system"),
}
