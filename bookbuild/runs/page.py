"""runs.page: the page of a sweep, which stands on its own: figures, tables, and a link to every run.

What was swept lies on the axis, a line for each metric, a panel for each group; the reader picks the rest.
The page is one file without anything from elsewhere; its script and style stand beside this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader

from bookbuild.runs.plain import plain_text
from bookbuild.runs.reseed import FLOAT_KEYS
from helpers.kit.theme import style_of
from helpers.kit.titles import page_titles
from metaeval.core.paths import written_whole
from metaeval.tables.columns import label

PARAM = "param_"  # in front of a parameter's name, as a column
_ENDS = (("low", "high"), ("lowest", "highest"), ("below", "above"), ("q2.5", "q97.5"))
_OF_LINES = (
    "metric",
    "method",
    "query",
    "presence",
    "quantity",
)  # what lines differ in, the first that there is
# numbers that say what a row is of, where names do not suffice: shares, what was asked for, windows in
# points; any other number is a result, such as how many pairs a window holds
_SHARES = tuple(sorted(FLOAT_KEYS))
_NUMBERS = (*_SHARES, "n_systems", "n_documents", "n_references", "lower", "upper")
_TEMPLATES = Environment(loader=PackageLoader("bookbuild.runs", "."), autoescape=True, trim_blocks=True)


def write_page(
    path: Path,
    notebook: Path,
    runs: pd.DataFrame,
    tables: Mapping[str, tuple[str, pd.DataFrame]],
    said: Sequence[str],
) -> None:
    """Write the page of a sweep.

    Parameters
    ----------
    path : Path
    notebook : Path
    runs : DataFrame
        One row per run: its number, its parameters as texts, its executed notebook, its error.
    tables : mapping, name -> caption and DataFrame
        Results with the parameters as columns `param_NAME`; those without a column ``value`` are left out.
    said : sequence of str
        Of each run, what it found in words.
    """
    swept = [name for name in runs.columns[1:-2] if runs[name].nunique() > 1]
    drawn, files = {}, []
    for name, (caption, table) in tables.items():
        for kind, rows in _kinds(table.dropna(subset="value")) if "value" in table else ():
            drawn[name + kind] = _drawn(caption, rows.reset_index(drop=True), swept)
            files += [name] if name not in files else []
    data = {"swept": [_axis(name, runs[name]) for name in swept], "tables": drawn}
    cells = nbformat.read(notebook, as_version=4).cells
    question = re.search(r"\*\*The question\.\*\*\s*(.+?)(?:\n\n|\Z)", cells[0].source, re.DOTALL)
    page = _TEMPLATES.get_template("page.html.jinja").render(
        name=notebook.stem,
        title=page_titles().get(notebook.stem, notebook.stem),
        question=_without_markup(plain_text(question[1], {})) if question else "",
        parameters=list(runs.columns[1:-2]),
        runs=[{**row, "said": words} for row, words in zip(runs.to_dict("records"), said, strict=True)],
        swept={name: list(dict.fromkeys(runs[name])) for name in swept},
        n_failed=int((runs["error"] != "").sum()),
        tables=files,
        has_results=bool(tables),
        data=json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
    )
    with written_whole(path) as partial:
        partial.write_text(page, encoding="utf8")


def identifying(table: pd.DataFrame, given: Sequence[str]) -> list[str]:
    """The columns that tell a table's rows apart within one run, those that a run has one value of left out.

    Parameters
    ----------
    table : DataFrame
    given : columns that tell the runs apart

    Returns
    -------
    list of str
        Names and other labels first; `_NUMBERS` only where these do not suffice.
    """
    labels = [
        name
        for name in table
        if not (name.startswith((PARAM, "n_")) or name in ("value", "remark") or name in _NUMBERS)
        and not pd.api.types.is_float_dtype(table[name])
    ]
    kept = [name for name in labels if _varies(table, name, given)]
    for name in _NUMBERS:
        if name in table and table.duplicated([*given, *kept]).any() and _varies(table, name, given):
            kept.append(name)
    return kept


def _kinds(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """A table's rows by the shares of pairs that they are of, which rows of another kind lack."""
    shares = [name for name in _SHARES if name in table and table[name].notna().any()]
    if not shares:
        return [("", table)] if len(table) else []
    lacking = table[shares].isna().apply(tuple, axis=1)
    found = []
    for absent, rows in table.groupby(lacking, sort=True):  # the rows that have them first
        words = ", ".join(_label(name) for name, gone in zip(shares, absent, strict=True) if gone)
        found.append((f", without {words}" if words else "", rows))
    return found


def _without_markup(text: str) -> str:
    """Markdown as a sentence: emphasis and the formulas' TeX left out, Greek letters as such."""
    for name, letter in (("Delta", "Δ"), ("ell", "ℓ"), ("tau", "τ"), ("rho", "ρ")):
        text = text.replace(f"\\{name}", letter)
    return re.sub(r"[*$\\{}]", "", text)


def _varies(table: pd.DataFrame, name: str, given: Sequence[str]) -> bool:
    """Whether a column has several values, also in some run by itself."""
    alike = table.groupby(list(given), dropna=False)[name] if given else table.assign(_=0).groupby("_")[name]
    return bool((alike.nunique(dropna=False) > 1).any())


def _drawn(caption: str, table: pd.DataFrame, swept: Sequence[str]) -> dict:
    """Rows of a table as the page's script takes them: places on the axes, value, ends of the interval."""
    given = [f"{PARAM}{name}" for name in swept]
    keys = identifying(table, given)
    if "yours" in table and table[table["yours"]].groupby(given or "yours")["metric"].nunique().max() == 1:
        # one metric of the reader's own in each run, called like its file: the same line
        table["metric"] = table["metric"].where(~table["yours"], "yours")
        keys = [key for key in keys if key != "yours"]
    lines = next((name for name in _OF_LINES if name in keys), None)
    ends = next((pair for pair in _ENDS if set(pair) <= set(table)), None)
    places, axes = [], []
    for key in [*given, *keys]:
        texts = table[key].map(_text)
        values = list(dict.fromkeys(texts))
        axes.append({"name": key, "label": _label(key), "values": values})
        places.append(texts.map({value: i for i, value in enumerate(values)}).to_numpy())
    numbers = [table["value"], *(table[end] for end in ends or ())]
    if lines:
        axis = axes[[*given, *keys].index(lines)]
        styles = [style_of(lines, value, i) for i, value in enumerate(axis["values"])]
        axis["styles"] = [{"colour": style.colour, "dash": style.dash} for style in styles]
    return {
        "caption": caption,
        "axes": axes,
        "lines": lines,
        "ends": [label(end) for end in ends or ()],
        "rows": [
            [*map(int, place), *(_number(value) for value in values)]
            for place, values in zip(zip(*places, strict=True), zip(*numbers, strict=True), strict=True)
        ]
        if places
        else [[_number(value) for value in values] for values in zip(*numbers, strict=True)],
    }


def _axis(name: str, values: pd.Series) -> dict:
    texts = list(dict.fromkeys(values.astype(str)))
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        numbers = None
    return {"name": f"{PARAM}{name}", "label": name, "values": texts, "numbers": numbers}


def _label(key: str) -> str:
    return key.removeprefix(PARAM) if key.startswith(PARAM) else label(key)


def _text(value: object) -> str:
    if isinstance(value, float):
        return "none" if np.isnan(value) else f"{value:g}"
    return str(value)


def _number(value: float) -> float | None:
    return None if not np.isfinite(value) else float(f"{value:.6g}")
