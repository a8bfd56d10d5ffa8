"""reporting.answer: export of answers as text, tables, JSON, LaTeX and a self-contained HTML page.

`Answer` is the base class of reports, comparisons, plans and diagnoses. ``report.html.jinja`` beside this
module draws the page and escapes every name; its numbers are placed and formatted here.
"""

from __future__ import annotations

import json
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metaeval.core.errors import MissingExtraError, choose
from metaeval.own.files import written
from metaeval.reporting.sections import Settings
from metaeval.tables.columns import label
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.readable import ERROR, readable
from metaeval.tables.wording import UNDEFINED, counted, format_stable, percent, typeset

MAX_PANELS = 9  # small multiples; further metrics are in the table
MAX_OPEN, MAX_FOLDED = 12, 120  # rows of an open and of a folded table; longer ones are only in the copies
# the first columns to drop
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
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # first characters of a formula in a spreadsheet


@cache
def _template():
    loader = PackageLoader("metaeval.reporting", ".")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html.jinja")


def page(title: str, body: str) -> str:
    """A whole HTML page around the output of `render`."""
    return str(_template().module.page(title, Markup(body), "metaeval"))


# parts without text: styles, copies of tables, code, and tags
_NO_TEXT = re.compile(r"(<style>.*?</style>|<textarea.*?</textarea>|<code>.*?</code>|<[^>]*>)", re.DOTALL)


def _printed(html: object) -> str:
    """A part of a page with typeset minus signs and spaces in its texts."""
    parts = _NO_TEXT.split(str(html))
    return "".join(part if i % 2 else typeset(part) for i, part in enumerate(parts))


def render(macro: str, *parts: object) -> str:
    """A macro of the template filled with parts, without the page around it."""
    return _printed(getattr(_template().module, macro)(*parts))


def figure_parts(
    key: str, table: pd.DataFrame, settings: Settings, best_first: Sequence[str]
) -> dict[str, object] | None:
    """Input of the template for the figure of a section, None without a figure.

    Parameters
    ----------
    key : str
        Key of the section.
    table : DataFrame
    settings : Settings
    best_first : metrics by descending value
    """
    return _FIGURES[key](table, settings, best_first) if key in _FIGURES else None


def records(table: pd.DataFrame) -> list[dict[str, object]]:
    """Rows of a table with plain values: missing ones are None, infinite ones text."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def plain(value):
    """A value for JSON: a missing number is None, an infinite one text."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def csv(table: pd.DataFrame) -> str:
    """A table as CSV, with a guard against formulas in spreadsheets."""
    guarded = table.map(
        lambda cell: f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
    )
    return guarded.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def latex(table: pd.DataFrame) -> str:
    """A table as LaTeX with escaped names."""
    return table.to_latex(index=False, escape=True, float_format="%.3f", na_rep="--")


def as_it_stands(name: str, value: object) -> str:
    """A value of a column as text, without the book's names except for levels: names are the user's."""
    return words(name, value) if name == "level" else str(value)


def table_parts(
    key: str,
    frame: pd.DataFrame,
    *,
    caption: str = "",
    labels: Mapping[str, str] | None = None,
    brackets: str = "intervals in brackets",
) -> dict[str, object] | None:
    """Input of the template for a table; empty columns and those that do not fit are only in the copies."""
    if not len(frame.columns):
        return None
    filled = frame.notna() & frame.ne("")
    if "n_undefined" in frame:  # only if there are any
        filled["n_undefined"] &= frame["n_undefined"] > 0
    if "n_judged" in frame:  # only if some are missing
        sizes = frame.columns.intersection(["n_systems", "n_raters", "n_scored", "n_judged"])
        filled[sizes] &= (frame["n_scored"] < frame["n_judged"]).any()
    used = frame.loc[:, filled.any()]
    listed = used if len(frame) <= MAX_FOLDED else used[:0]
    text = readable(listed, table=key, labels=labels, words=as_it_stands, share=False, aside=ASIDE)
    n = text.n_left_out
    more = f"{counted(n, 'more column')} in the copies below" if n else ""
    beside = brackets if "low" in used else ""
    caption = "; ".join(filter(None, [caption or counted(len(frame), "row"), beside, *text.shared, more]))
    names = [name for name in used if not name.endswith(ERROR)]
    headings = {name: label(name, key) for name in names} | dict(labels or {})
    return {
        "key": key, "caption": caption[0].upper() + caption[1:], "text": text, "n": len(frame),
        "rows": text.frame.to_numpy().tolist(), "folded": key == VERDICTS or len(text.frame) > MAX_OPEN,
        "csv": csv(frame), "latex": latex(used[names].rename(columns=headings)),
    }  # fmt: skip


def _dots(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object] | None:
    """Estimates with intervals, a panel for each level, the best metric first."""
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


def _rows(panels, *, caption: str, name: str = "metric", minimum: float = -1.0, mark: float = 0.0):
    """Panels of estimates with intervals from `minimum` to 1, a line at `mark`, and an axis below."""

    def at(value: float) -> float:
        return round(100 * (value - minimum) / (1 - minimum), 2)

    panel_rows = [
        {
            "title": title,
            "rows": [
                {
                    "name": row[name],
                    "at": None if math.isnan(row["value"]) else at(row["value"]),
                    "ends": None if math.isnan(row["low"]) else (at(row["low"]), at(row["high"])),
                    "label": _format_ends(row),
                }
                for row in part.to_dict("records")
            ],
        }
        for title, part in panels
    ]
    axis = [{"at": at(end), "label": f"{end:g}"} for end in sorted({minimum, 0.0, mark, 1.0})]
    return {"kind": "dots", "panels": panel_rows, "mark": at(mark), "axis": axis, "caption": caption}


def _over_items(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
    name = COEFFICIENT_LABELS[settings.coefficient]
    caption = f"{name} with people over items, and its {_level(settings)} interval."
    return _rows([("", table)], caption=caption)


def _rates(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
    """Panels of rates: one for each judge, a row for each quantity."""
    panels = [*table.groupby("metric", sort=False)]
    note = f" The first {MAX_PANELS} judges are drawn." if len(panels) > MAX_PANELS else ""
    minimum = -1.0 if (table[["value", "low"]] < 0).any(axis=None) else 0.0  # κ may be negative
    caption = f"Shares, κ and AUC with {_level(settings)} intervals.{note}"
    return _rows(panels[:MAX_PANELS], caption=caption, name="quantity", minimum=minimum, mark=0.5)


def _accuracies(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
    panels = [(f"as {against}", part) for against, part in table.groupby("against", sort=False)]
    caption = (
        "Share of pairs in which each chooses as the others do, of those that it judged, and its "
        f"{_level(settings)} interval."
    )
    return _rows(panels, caption=caption, minimum=0.0, mark=0.5)


def _halves(what: str) -> Callable:
    """Figure of shares with a chance level of one half."""

    def draw(table: pd.DataFrame, settings: Settings, _: Sequence[str]) -> dict[str, object]:
        caption = f"{what}, and its {_level(settings)} interval; by chance it would be one half."
        return _rows([("", table)], caption=caption, minimum=0.0, mark=0.5)

    return draw


def _format_ends(row) -> str:
    if math.isnan(row["value"]):
        return UNDEFINED
    if math.isnan(row["low"]):
        return format_stable(row["value"], 0.0)
    low, high = (format_stable(row[end], row[f"{end}_mc_error"]) for end in ("low", "high"))
    return f"{format_stable(row['value'], 0.0)} [{low}, {high}]"


def _metrics_drawn(table: pd.DataFrame, best_first: Sequence[str]) -> tuple[list[str], str]:
    """Metrics with a panel of their own, and a sentence if there are others."""
    defined = set(table["metric"][table["value"].notna()])
    names = [metric for metric in best_first if metric in defined]
    note = f" The {MAX_PANELS} best of {len(names)} metrics are drawn." if len(names) > MAX_PANELS else ""
    return names[:MAX_PANELS], note


WIDTH, HEIGHT = 190, 120  # of a panel's plot


def _curves(table: pd.DataFrame, settings: Settings, best_first: Sequence[str]) -> dict[str, object]:
    """Correlations over k: a line for each metric, with the others' in grey behind it."""
    names, note = _metrics_drawn(table, best_first)
    first, last = int(table["k"].min()), int(table["k"].max())
    bottom = min(0.0, math.floor(table["value"].min() * 2) / 2) if table["value"].notna().any() else 0.0

    def placed(row):
        x = WIDTH * (row["k"] - first) / max(1, last - first)
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
        "ends": (first, last, f"{bottom:g}"),
        "size": (WIDTH, HEIGHT),
        "caption": f"{COEFFICIENT_LABELS[settings.coefficient]} with people on the best systems "
        "alone, from the few that people score highest to all; grey lines are the other metrics. These have "
        f"no intervals: they describe the systems that there are.{note}",
    }


def _calibrated(table: pd.DataFrame, settings: Settings, best_first: Sequence[str]) -> dict[str, object]:
    """Share that people pass by the judge's score, a panel for each judge."""
    names, note = _metrics_drawn(table, best_first)
    panels = []
    for name in names:
        part = table[table["metric"] == name]
        first, last = float(part["given"].min()), float(part["given"].max())
        if first >= 0 and last <= 1:
            first, last = 0.0, 1.0
        width = (last - first) or 1.0
        points = [
            {
                "x": round(WIDTH * (row["given"] - first) / width, 1),
                **{end: round(HEIGHT * (1 - row[end]), 1) for end in ("value", "low", "high")},
                "label": f"gives {row['given']:.3g}: people pass {_format_ends(row)} of {row['n_items']:,}",
            }
            for row in part.assign(low_mc_error=0.0, high_mc_error=0.0).to_dict("records")
        ]
        line = " ".join(f"{one['x']},{one['value']}" for one in points)
        ends = (f"{first:.3g}", f"{last:.3g}")
        panels.append(
            {"name": name, "points": points, "line": line, "ends": ends, "share": ends == ("0", "1")}
        )
    caption = (
        f"Across: what the judge gives; up: the share that people pass, with its {_level(settings)} interval."
    )
    if any(panel["share"] for panel in panels):
        caption += " On the grey diagonal people pass the share that the judge gives."
    return {"kind": "calibration", "panels": panels, "size": (WIDTH, HEIGHT), "caption": caption + note}


DEEP = 0.55  # strength of a cell's colour from which on its number has the colour of the page


def _short(value: float) -> str:
    """A correlation in two characters."""
    if math.isnan(value):
        return ""
    tenths = round(10 * abs(value))
    return ("-" if value < 0 and tenths else "") + (f".{tenths}" if 0 < tenths < 10 else str(tenths // 10))


def _heatmap(table: pd.DataFrame, settings: Settings, best_first: Sequence[str]) -> dict[str, object]:
    """Triangles of windows coloured by correlation."""
    names, note = _metrics_drawn(table, best_first)
    panels = []
    for name in names:
        part = table[table["metric"] == name]
        cells = [
            {
                "x": round(WIDTH * row["from_percent"] / 100, 1),
                "y": round(WIDTH * (1 - row["to_percent"] / 100), 1),
                "strength": 0 if math.isnan(row["value"]) else round(abs(row["value"]), 2),
                "sign": "against" if row["value"] < 0 else "with",
                "label": f"{row['from_percent']:.0f} to {row['to_percent']:.0f} %: "
                f"{format_stable(row['value'], 0.0)}, {counted(row['n_pairs'], 'pair')}, "
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
        f"with this share. Blue where people agree, orange where they disagree.{note}",
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


def plotly():
    """Import Plotly's graph objects.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        from plotly import graph_objects
    except ModuleNotFoundError as error:
        raise MissingExtraError("plotly", "plots", error) from error
    return graph_objects


def dots(table: pd.DataFrame, *, y: str, title: str, series: str | None = None):
    """Plotly figure of values with intervals, the first row on top, a colour for each series."""
    figure = plotly().Figure()
    for name, part in [("", table)] if series is None else table.groupby(series, sort=False):
        figure.add_scatter(
            x=part["value"], y=part[y], mode="markers", name=name, showlegend=series is not None,
            error_x={
                "type": "data", "symmetric": False,
                "array": part["high"] - part["value"], "arrayminus": part["value"] - part["low"],
            },
        )  # fmt: skip
    return figure.update_layout(xaxis_title=title, yaxis_autorange="reversed")


class Answer(ABC):
    """Answer of tables, sentences, and a signature with which others get the same numbers.

    Attributes
    ----------
    title, signature : str
    tables : mapping, name -> DataFrame
        The first one is the default.
    """

    title: str
    signature: str

    @property
    @abstractmethod
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """Every table of the answer, by name."""

    @abstractmethod
    def summary(self) -> str:
        """The answer as plain text."""

    @abstractmethod
    def contents(self) -> dict[str, object]:
        """Contents of `to_json`."""

    @abstractmethod
    def plot(self):
        """The answer as a Plotly figure; needs the extra ``plots``."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """The answer as HTML for a notebook, without the page around it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}; tables {', '.join(self.tables)}; print(it.summary())>"

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """One table, by default the first; `tables` has their names."""
        return choose("table", next(iter(self.tables)) if table is None else table, dict(self.tables))

    def to_latex(self, table: str | None = None) -> str:
        """One table as LaTeX, by default the first."""
        return latex(self.to_frame(table))

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """Everything as JSON; missing numbers are null. Written to `path` if given."""
        contents = {"title": self.title, "signature": self.signature, **self.contents()}
        return _write_text(json.dumps(contents, ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)

    def to_html(self, path: str | os.PathLike | None = None) -> str:
        """Self-contained page without network or scripts. Written to `path` if given."""
        return _write_text(page(self.title, self._repr_html_()), path)


def _write_text(text: str, path) -> str:
    if path is not None:
        with written(Path(path)) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return text
