"""reporting.answer: what every answer on a user's own files turns into: text, tables, JSON, HTML, LaTeX."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from metaeval.core.errors import MissingExtraError, choose
from metaeval.own.files import written
from metaeval.reporting.page import latex, page


def plotly():
    """Plotly's graph objects.

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
    """Values with their intervals as a Plotly figure, the first row on top; a colour for each of a series."""
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
    """An answer: tables, sentences, and the signature by which somebody else gets the same numbers.

    Attributes
    ----------
    title, signature : str
    tables : mapping, name -> DataFrame
        The first is the one that is meant where none is named.
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
        """Everything that `to_json` writes."""

    @abstractmethod
    def plot(self):
        """The answer as a Plotly figure, which the extra ``plots`` brings."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """The answer in HTML without the page around it, as a notebook shows it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}; tables {', '.join(self.tables)}; print(it.summary())>"

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """One table, by default the first; `tables` has their names."""
        return choose("table", next(iter(self.tables)) if table is None else table, dict(self.tables))

    def to_latex(self, table: str | None = None) -> str:
        """One table as LaTeX, by default the first."""
        return latex(self.to_frame(table))

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """Everything as JSON; numbers that do not exist are null. Written to `path` if one is given."""
        found = {"title": self.title, "signature": self.signature, **self.contents()}
        return _given(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)

    def to_html(self, path: str | os.PathLike | None = None) -> str:
        """One page that needs nothing else: no network, no script. Written to `path` if one is given."""
        return _given(page(self.title, self._repr_html_()), path)


def _given(text: str, path) -> str:
    if path is not None:
        with written(Path(path)) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return text
