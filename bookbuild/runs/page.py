"""runs.page: the page of a sweep, which stands on its own: figures, tables, and a link to every run.

The swept parameter is on the axis, with a line for each metric and a panel for each group; readers choose the
rest.
The page is one self-contained file; its script and style are beside this module.
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

from bookbuild.runs.to_markdown import plain_text
from helpers.kit.recorded import FLOAT_KEYS
from helpers.kit.theme import style_of
from helpers.kit.titles import page_titles
from metaeval.core.paths import atomic_write
from metaeval.tables.columns import label

PARAM = "param_"  # in front of a parameter's name, as a column
_ENDS = (("low", "high"), ("lowest", "highest"), ("below", "above"), ("q2.5", "q97.5"))
_LINE_KEYS = (
    "metric",
    "method",
    "query",
    "presence",
    "quantity",
)  # what lines differ in: the first present
# numbers that are keys of a row where names do not suffice: shares, settings, windows in points; any other
# number is a result, such as the number of pairs in a window
_SHARES = tuple(sorted(FLOAT_KEYS))
_NUMBERS = (*_SHARES, "n_systems", "n_documents", "n_references", "lower", "upper")
_TEMPLATES = Environment(loader=PackageLoader("bookbuild.runs", "."), autoescape=True, trim_blocks=True)


def write_page(
    path: Path,
    notebook: Path,
    runs: pd.DataFrame,
    tables: Mapping[str, tuple[str, pd.DataFrame]],
    sentences: Sequence[str],
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
    sentences : sequence of str
        Findings of each run, in words.
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
        question=_strip_markup(plain_text(question[1], {})) if question else "",
        parameters=list(runs.columns[1:-2]),
        runs=[{**row, "said": words} for row, words in zip(runs.to_dict("records"), sentences, strict=True)],
        swept={name: list(dict.fromkeys(runs[name])) for name in swept},
        n_failed=int((runs["error"] != "").sum()),
        tables=files,
        has_results=bool(tables),
        data=json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
    )
    with atomic_write(path) as partial:
        partial.write_text(page, encoding="utf8")


def identifying(table: pd.DataFrame, run_keys: Sequence[str]) -> list[str]:
    """Columns that distinguish a table's rows within one run, without those that are constant in a run.

    Parameters
    ----------
    table : DataFrame
    run_keys : columns that distinguish the runs

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
    keys = [name for name in labels if _varies(table, name, run_keys)]
    for name in _NUMBERS:
        if name in table and table.duplicated([*run_keys, *keys]).any() and _varies(table, name, run_keys):
            keys.append(name)
    return keys


def _kinds(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split a table's rows by the shares of pairs that they have; rows of another kind lack these."""
    shares = [name for name in _SHARES if name in table and table[name].notna().any()]
    if not shares:
        return [("", table)] if len(table) else []
    lacking = table[shares].isna().apply(tuple, axis=1)
    kinds = []
    for absent, rows in table.groupby(lacking, sort=True):  # the rows that have them first
        words = ", ".join(_label(name) for name, gone in zip(shares, absent, strict=True) if gone)
        kinds.append((f", without {words}" if words else "", rows))
    return kinds


def _strip_markup(text: str) -> str:
    """Markdown as plain text: without emphasis and TeX, with Greek letters."""
    for name, letter in (("Delta", "Δ"), ("ell", "ℓ"), ("tau", "τ"), ("rho", "ρ")):
        text = text.replace(f"\\{name}", letter)
    return re.sub(r"[*$\\{}]", "", text)


def _varies(table: pd.DataFrame, name: str, run_keys: Sequence[str]) -> bool:
    """True if a column has several values within at least one run."""
    alike = (
        table.groupby(list(run_keys), dropna=False)[name]
        if run_keys
        else table.assign(_=0).groupby("_")[name]
    )
    return bool((alike.nunique(dropna=False) > 1).any())


def _drawn(caption: str, table: pd.DataFrame, swept: Sequence[str]) -> dict:
    """Rows of a table for the page's script: positions on the axes, value, ends of the interval."""
    run_keys = [f"{PARAM}{name}" for name in swept]
    keys = identifying(table, run_keys)
    if "yours" in table and table[table["yours"]].groupby(run_keys or "yours")["metric"].nunique().max() == 1:
        # one metric of the reader's own in each run, named like its file: draw one line
        table["metric"] = table["metric"].where(~table["yours"], "yours")
        keys = [key for key in keys if key != "yours"]
    lines = next((name for name in _LINE_KEYS if name in keys), None)
    ends = next((pair for pair in _ENDS if set(pair) <= set(table)), None)
    places, axes = [], []
    for key in [*run_keys, *keys]:
        texts = table[key].map(_text)
        values = list(dict.fromkeys(texts))
        axes.append({"name": key, "label": _label(key), "values": values})
        places.append(texts.map({value: i for i, value in enumerate(values)}).to_numpy())
    numbers = [table["value"], *(table[end] for end in ends or ())]
    if lines:
        axis = axes[[*run_keys, *keys].index(lines)]
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
