"""reporting.page: a report as one HTML page that needs nothing else, and its tables as CSV and LaTeX.

What is drawn stands in ``report.html.jinja`` beside this module, which escapes every name; here its numbers
are placed and written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metaeval.tables.labels import COEFFICIENT_LABELS, RANGE_LABELS, words
from metaeval.tables.wording import UNDEFINED, counted, from_to, percent, pvalue, settled, typeset

if TYPE_CHECKING:
    from metaeval.reporting.compare import Judged
    from metaeval.reporting.doctor import Diagnosis
    from metaeval.reporting.plan import Plan
    from metaeval.reporting.report import Report

MOST_PANELS = 9  # small pictures side by side; more metrics stand in the table
SHOWN, FOLDED = (
    12,
    120,
)  # rows of a table that is shown, and of one that is folded; a longer one is to be copied
COLUMNS_SHOWN = 7  # more have no room on a page
# columns that are left out first
ASIDE = (
    "n_undefined",
    "compared_value",
    "n_total",
    "n_tied_metric",
    "n_tied_human",
    "share_held",
    "n_values",
    "n_raters",
    "expected",
)
ENDS = (("value", "low", "high"), ("needed_difference", "needed_low", "needed_high"))  # that share a cell
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
# numbers on a scale of their own
GAINS = (
    "lower",
    "upper",
    "difference",
    "needed_difference",
    "needed_low",
    "needed_high",
    "smallest",
    "largest",
)
NO_GAIN = "no gain"  # is large enough
ON_OWN_SCALE = "difference"  # a table of such numbers
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes what begins so for a formula

HEADS = {
    "n_systems": "systems",
    "n_documents": "documents",
    "n_raters": "raters",
    "n_scores": "scores",
    "n_values": "different values",
    "missing": "share missing of all",
    "possible": "can be answered",
    "needs": "it lacks",
    "n_judgments": "judgments",
    "expected": "correlation to expect",
    "beyond": "extrapolated in",
    "metric": "metric",
    "verdict": "verdict",
    "compared_with": "held against",
    "value": "value",
    "low": "from",
    "high": "to",
    "n_undefined": "draws without a value",
    "n_scored": "summaries scored",
    "n_judged": "of those people scored",
    "needed": "it would take",
    "level": "level",
    "n_used": "units used",
    "n_total": "of",
    "effect": "due to",
    "share": "share of the variance",
    "tier": "tier",
    "best_rank": "best rank",
    "worst_rank": "worst rank",
    "n_pairs": "pairs",
    "n_concordant": "with people",
    "n_discordant": "against people",
    "n_tied_metric": "tied by it",
    "n_tied_human": "tied by people",
    "share_tied_metric": "summaries tied by it",
    "share_tied_human": "summaries tied by people",
    "accuracy": "accuracy on summaries, ties included",
    "k": "best systems",
    "from_percent": "from % of pairs",
    "to_percent": "to % of pairs",
    "measure": "measure",
    "lower": "from points",
    "upper": "to points",
    "share_held": "share of all pairs",
    "agreement": "people agree",
    "sentinel": "score that judges nothing",
    "difference": "difference",
    "leaning": "leaning",
    "needed_difference": "gain for 90 %",
    "needed_low": "gain from",
    "needed_high": "gain to",
    "quantity": "quantity",
    "against": "held against",
    "question": "question",
    "answer": "answer",
    "pvalue": "p",
    "given": "what the judge gives",
    "n_items": "items",
}
# what the values of a section are; of others it is the coefficient, or they are differences
_VALUES = {
    "accuracy": "share of pairs",
    "first": "share of choices",
    "documents": "share of documents",
    "calibration": "share that people pass",
    "difference": "difference",
    "differences": "share ranked as people do",
    "beside": "difference",
    "leanings": "value",
}


@cache
def _template():
    loader = PackageLoader("metaeval.reporting", ".")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html.jinja")


def page(title: str, body: str) -> str:
    """A whole page around what `fragment` or `compared` made."""
    return str(_template().module.page(title, Markup(body), "metaeval"))


# what is no text: styles, what is to be copied, and tags
_NO_TEXT = re.compile(r"(<style>.*?</style>|<textarea.*?</textarea>|<code>.*?</code>|<[^>]*>)", re.DOTALL)


def _printed(html: object) -> str:
    """A part of a page with the minus signs and spaces of print in its texts."""
    parts = _NO_TEXT.split(str(html))
    return "".join(part if i % 2 else typeset(part) for i, part in enumerate(parts))


def fragment(report: Report) -> str:
    """The report without the page around it, for a notebook."""
    brackets = f"{percent(report.settings.confidence_level, None)} intervals in brackets"
    shown = [
        {
            "title": one.title,
            "words": one.words,
            "figure": _FIGURES.get(one.key, lambda *_: None)(one.table, report),
            "table": _table(one.key, one.table, heads=_heads(one.key, report), brackets=brackets),
        }
        for one in report.sections
    ]
    verdict = [
        {
            "word": row["verdict"],
            "name": row["metric"],
            "said": said.removeprefix(f"{row['metric']}: {row['verdict']}. "),
        }
        for row, said in zip(
            report.verdicts.table.to_dict("records"), report.verdicts.sentences(), strict=True
        )
    ]
    verdicts = _table(
        VERDICTS, report.verdicts.table.drop(columns="compared_value", errors="ignore"),  # told in words
        caption="Verdicts and what they rest on",
        heads={"value": "difference", "n_systems": "systems scored"}, brackets=brackets,
    )  # fmt: skip
    return _printed(_template().module.report(report, verdict, verdicts, shown, list(_citations(report))))


def _heads(key: str, report: Report) -> dict[str, str]:
    """What the values of a section's table are called."""
    if key in ("correlations", "tiers", "topk", "windows", "sentinels", "items"):
        return {"value": COEFFICIENT_LABELS[report.settings.coefficient]}
    return {"value": _VALUES[key]} if key in _VALUES else {}


def compared(judged: Judged) -> str:
    """A comparison of judges without the page around it."""
    answers = [
        {"word": row["answer"], "said": said, "good": row["answer"] == "yes"}
        for row, said in zip(judged.table.to_dict("records"), judged.said, strict=False)
    ]
    rest = judged.said[len(answers) :]
    table = _table("answers", judged.table, caption="Answers and what they rest on")
    return _printed(_template().module.compared(judged, answers, rest, table))


def planned(plan: Plan) -> str:
    """A plan without the page around it: of every number of raters the cheapest design, and the pilot."""
    tables = [
        _table("designs", plan.cheapest, caption="The cheapest design for each number of raters"),
        _table("variances", plan.variances, caption="What judgments differ by, in the pilot"),
    ]
    return _printed(_template().module.planned(plan, tables))


def diagnosed(diagnosis: Diagnosis) -> str:
    """What files hold and can answer, without the page around it."""
    captions = {"scores": "What was read", "answers": "What it can answer"}
    tables = [_table(name, table, caption=captions[name]) for name, table in diagnosis.tables.items()]
    return _printed(_template().module.diagnosed(diagnosis, tables))


def _citations(report: Report) -> Iterator[tuple[str, str]]:
    return ((name, where) for name, where in CITATIONS.items() if name in report.methods)


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


def _table(
    key: str,
    table: pd.DataFrame,
    *,
    caption: str = "",
    heads: Mapping[str, str] | None = None,
    brackets: str = "intervals in brackets",
) -> dict[str, object] | None:
    """A table as the template takes it; what does not fit, or is empty, is in the copies alone."""
    if not len(table.columns):
        return None
    heads = HEADS | dict(heads or {})
    filled = table.notna() & table.astype(str).ne("")
    if "n_undefined" in table:  # none is what anybody expects
        filled["n_undefined"] &= table["n_undefined"] > 0
    if "n_judged" in table:  # all is what anybody expects
        sizes = table.columns.intersection(["n_systems", "n_raters", "n_scored", "n_judged"])
        filled[sizes] &= (table["n_scored"] < table["n_judged"]).any()
    names = [name for name in table if not name.endswith("_mc_error") and filled[name].any()]
    own_scale = key == ON_OWN_SCALE
    listed = table if len(table) <= FOLDED else table[:0]
    cells = {}
    for name in names:
        errors = listed.get(f"{name}_mc_error", pd.Series(0.0, listed.index))
        pairs = zip(listed[name], errors, strict=True)
        cells[name] = [_cell(name, value, error, own_scale=own_scale) for value, error in pairs]
    columns = _most_wanted(_ends_inside(cells))
    number = [name in table and _is_number(table[name]) for name in columns]
    rows = [
        [{"text": text, "number": is_number} for text, is_number in zip(row, number, strict=True)]
        for row in zip(*columns.values(), strict=True)
    ]
    shown = [
        {"text": heads.get(name, name), "number": is_number}
        for name, is_number in zip(columns, number, strict=True)
    ]
    n_cut = len(_ends_inside(cells)) - len(columns)
    more = f"{n_cut} more column{'s' if n_cut > 1 else ''} in the copies below" if n_cut else ""
    beside = brackets if any(set(ends) <= set(cells) for ends in ENDS) else ""
    said = "; ".join(filter(None, [caption or counted(len(table), "row"), beside, more]))
    return {
        "key": key, "caption": said[0].upper() + said[1:], "heads": shown, "rows": rows, "n": len(table),
        "folded": key == VERDICTS or len(rows) > SHOWN,
        "csv": csv(table), "latex": latex(table[names].rename(columns=HEADS)),
    }  # fmt: skip


def _ends_inside(cells: dict[str, list[str]]) -> dict[str, list[str]]:
    """Columns with the ends of an interval in the cell of its estimate, and those of a range in one."""
    ends = {value: (low, high) for value, low, high in ENDS if {value, low, high} <= set(cells)}
    there = {pair: heading for pair, heading in RANGE_LABELS.items() if set(pair) <= set(cells)}
    ranges = {low: (high, heading) for (low, high), heading in there.items()}
    inside = {end for pair in ends.values() for end in pair} | {high for high, _ in ranges.values()}
    shown = {}
    for name, column in cells.items():
        if name in ends:
            low, high = (cells[end] for end in ends[name])
            shown[name] = [_beside_ends(*cell) for cell in zip(column, low, high, strict=True)]
        elif name in ranges:
            high, heading = ranges[name]
            shown[heading] = [from_to(*cell) for cell in zip(column, cells[high], strict=True)]
        elif name not in inside:
            shown[name] = column
    return shown


def _beside_ends(value: str, low: str, high: str) -> str:
    return value if UNDEFINED in (value, low, high) else f"{value} [{low}, {high}]"


def _most_wanted(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """As many columns as fit, those that stand aside left out first, then the last."""
    to_go = [*(name for name in ASIDE if name in columns), *reversed(columns)]
    gone = list(dict.fromkeys(to_go))[: max(0, len(columns) - COLUMNS_SHOWN)]
    return {name: column for name, column in columns.items() if name not in gone}


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))


def _cell(name: str, value: object, error: float, *, own_scale: bool = False) -> str:
    if isinstance(value, float):
        if math.isnan(value):
            return UNDEFINED
        if math.isinf(value):
            return NO_GAIN
        if name == "pvalue":
            return pvalue(value)
        if name.endswith("_percent"):
            return f"{value:.0f}"
        return f"{value:.3g}" if own_scale or name in GAINS else settled(value, error)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return words("level", value) if name == "level" else str(value)


def _dots(table: pd.DataFrame, report: Report) -> dict[str, object] | None:
    """Rows of estimates and intervals, one panel a level, the best metric first."""
    order = table[table["level"] == "system"].sort_values("value", ascending=False, kind="stable")["metric"]
    place = {metric: i for i, metric in enumerate(order)}
    panels = [
        (words("level", level), part.sort_values("metric", key=lambda names: names.map(place)))
        for level, part in table.groupby("level", sort=False)
    ]
    name = COEFFICIENT_LABELS[report.settings.coefficient]
    return _rows(panels, caption=f"{name} with people and its {_level(report)} interval.")


def _level(report: Report) -> str:
    return percent(report.settings.confidence_level, None)


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


def _over_items(table: pd.DataFrame, report: Report) -> dict[str, object]:
    name = COEFFICIENT_LABELS[report.settings.coefficient]
    caption = f"{name} with people over items, and its {_level(report)} interval."
    return _rows([("", table)], caption=caption)


def _rates(table: pd.DataFrame, report: Report) -> dict[str, object]:
    """A panel for each judge, a row for each quantity."""
    panels = [*table.groupby("metric", sort=False)]
    most = f" The first {MOST_PANELS} judges are drawn." if len(panels) > MOST_PANELS else ""
    least = -1.0 if (table[["value", "low"]] < 0).any(axis=None) else 0.0  # κ may be negative
    caption = f"Shares, κ and AUC with {_level(report)} intervals.{most}"
    return _rows(panels[:MOST_PANELS], caption=caption, name="quantity", least=least, mark=0.5)


def _accuracies(table: pd.DataFrame, report: Report) -> dict[str, object]:
    panels = [(f"as {against}", part) for against, part in table.groupby("against", sort=False)]
    caption = (
        "Share of pairs in which each chooses as the others do, of those that it judged, and its "
        f"{_level(report)} interval."
    )
    return _rows(panels, caption=caption, least=0.0, mark=0.5)


def _halves(what: str) -> Callable:
    """A figure of shares that would be one half by chance."""

    def figure(table: pd.DataFrame, report: Report) -> dict[str, object]:
        caption = f"{what}, and its {_level(report)} interval; by chance it would be one half."
        return _rows([("", table)], caption=caption, least=0.0, mark=0.5)

    return figure


def _with_ends(row) -> str:
    if math.isnan(row["value"]):
        return UNDEFINED
    if math.isnan(row["low"]):
        return settled(row["value"], 0.0)
    low, high = (settled(row[end], row[f"{end}_mc_error"]) for end in ("low", "high"))
    return f"{settled(row['value'], 0.0)} [{low}, {high}]"


def _shown(table: pd.DataFrame, report: Report) -> tuple[list[str], str]:
    """The metrics that get a picture of their own, and a sentence where others do not."""
    order = report.verdicts.table.sort_values("value", ascending=False, kind="stable")["metric"]
    known = set(table["metric"][table["value"].notna()])
    shown = [metric for metric in order if metric in known]
    left = len(shown) - MOST_PANELS
    return shown[
        :MOST_PANELS
    ], f" The {MOST_PANELS} best of {len(shown)} metrics are drawn." if left > 0 else ""


WIDTH, HEIGHT = 190, 120  # of a panel's plot


def _curves(table: pd.DataFrame, report: Report) -> dict[str, object]:
    """A line of correlations over k for each metric, the others' in grey behind it."""
    names, left = _shown(table, report)
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
        "caption": f"{COEFFICIENT_LABELS[report.settings.coefficient]} with people on the best systems "
        "alone, from the few that people score highest to all; grey lines are the other metrics. These have "
        f"no intervals: they describe the systems that there are.{left}",
    }


def _calibrated(table: pd.DataFrame, report: Report) -> dict[str, object]:
    """For each judge the share that people pass, by what it gives."""
    names, left = _shown(table, report)
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
        f"Across: what the judge gives; up: the share that people pass, with its {_level(report)} interval."
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


def _heatmap(table: pd.DataFrame, report: Report) -> dict[str, object]:
    """Triangles of windows, each window coloured by its correlation."""
    names, left = _shown(table, report)
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
                f"{_cell('value', row['value'], 0.0)}, {counted(row['n_pairs'], 'pair')}, "
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
