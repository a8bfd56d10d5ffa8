"""reporting.answer: export of answers as text, tables, JSON and a self-contained HTML page.

`Answer` is the base class of reports, comparisons, plans and diagnoses. ``report.html.jinja`` beside this
module lays out the page and escapes every name; its tables are formatted here.
"""

from __future__ import annotations

import json
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metaeval.core.errors import choose
from metaeval.own.writing import written
from metaeval.tables.labels import words
from metaeval.tables.readable import Readable, readable
from metaeval.tables.wording import counted, typeset

MAX_OPEN, MAX_FOLDED = 12, 120  # rows of an open and of a folded table; longer ones are only in the copies
# the first columns to drop
ASIDE = (
    *("n_undefined", "n_total", "n_tied_metric", "n_tied_human", "share_held"),
    *("n_values", "n_raters", "expected", "share_tied_metric", "share_tied_human"),
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
VERSION = 3  # of the layout of `to_json`, which ``data/answer.schema.json`` tells
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

    def guard(cell):
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell

    return (
        table.map(guard).rename(columns=guard).to_csv(index=False, float_format="%.6g", lineterminator="\n")
    )


def as_it_stands(name: str, value: object) -> str:
    """A value of a column as text, without the book's names except for levels: names are the user's."""
    return words(name, value) if name == "level" else str(value)


def table_text(printed: pd.DataFrame) -> list[str]:
    """Lines of a printed table: names and answers on the left, numbers on the right."""
    return _readable_answers(printed).to_text()


def _readable_answers(printed: pd.DataFrame) -> Readable:
    return Readable(printed, [place > 0 and name != "answer" for place, name in enumerate(printed)], [], 0)


def answer_parts(
    key: str, printed: pd.DataFrame, table: pd.DataFrame, words: Sequence[str], estimand: str
) -> dict[str, object]:
    """Input of the template for a table of answers: as printed, with the whole table to copy.

    Parameters
    ----------
    key : str
        Name of the table.
    printed : DataFrame of str
    table : DataFrame
    words : answers of the rows
    estimand : str
        The caption.
    """
    colours = {"yes": "good", "no": "bad"}
    return table_parts(key, table) | {
        "caption": estimand, "text": _readable_answers(printed), "rows": printed.to_numpy().tolist(),
        "folded": False,
        "colours": [colours.get(word, "") for word in words],
    }  # fmt: skip


def table_parts(
    key: str,
    frame: pd.DataFrame,
    *,
    caption: str = "",
    labels: Mapping[str, str] | None = None,
    brackets: str = "intervals in brackets",
) -> dict[str, object]:
    """Input of the template for a table; empty columns and those that do not fit are only in the copies."""
    filled = frame.notna() & frame.ne("")
    if "n_undefined" in frame:  # only if there are any
        filled["n_undefined"] &= frame["n_undefined"] > 0
    used = frame.loc[:, filled.any()]
    listed = used if len(frame) <= MAX_FOLDED else used[:0]
    text = readable(listed, table=key, labels=labels, words=as_it_stands, share=False, aside=ASIDE)
    n = text.n_left_out
    more = f"{counted(n, 'more column')} in the copies below" if n else ""
    beside = brackets if "low" in used else ""
    caption = "; ".join(filter(None, [caption or counted(len(frame), "row"), beside, *text.shared, more]))
    return {
        "key": key, "caption": caption[0].upper() + caption[1:], "text": text, "n": len(frame),
        "rows": text.frame.to_numpy().tolist(), "folded": len(text.frame) > MAX_OPEN, "colours": None,
        "csv": csv(frame),
    }  # fmt: skip


class Answer(ABC):
    """Answer of tables, sentences, and a signature with which others get the same numbers.

    Attributes
    ----------
    command : str
        The command that prints it.
    title, signature : str
    tables : mapping, name -> DataFrame
        The first one is the default.
    """

    command: ClassVar[str]
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
        """Contents of `to_json` beside title, tables and signature."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """The answer as HTML for a notebook, without the page around it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}; tables {', '.join(self.tables)}; print(it.summary())>"

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """One table, by default the first; `tables` has their names."""
        return choose("table", next(iter(self.tables)) if table is None else table, dict(self.tables))

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """Everything as JSON, laid out as in ``data/answer.schema.json``; missing numbers are null.

        Written to `path` if given.
        """
        tables = {name: records(table) for name, table in self.tables.items()}
        contents = {
            "version": VERSION, "command": self.command, "title": self.title, **self.contents(),
            "tables": tables, "signature": self.signature,
        }  # fmt: skip
        return _write_text(json.dumps(contents, ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)

    def to_html(self, path: str | os.PathLike | None = None) -> str:
        """Self-contained page without network or scripts. Written to `path` if given."""
        return _write_text(page(self.title, self._repr_html_()), path)


def _write_text(text: str, path) -> str:
    if path is not None:
        with written(Path(path)) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return text
