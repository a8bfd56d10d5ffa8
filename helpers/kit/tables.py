"""kit.tables: tables of the book, written by `metaeval.tables.readable` with the book's names in them."""

from __future__ import annotations

import html
from collections.abc import Hashable, Sequence

import pandas as pd

from helpers.kit.panels import with_system_names
from helpers.kit.titles import short_title
from metaeval.tables.labels import named, words
from metaeval.tables.readable import readable
from metaeval.tables.wording import typeset


def table_html(
    frame: pd.DataFrame,
    *,
    caption: str,
    digits: int = 2,
    index: bool = True,
    whole: str = "",
    aside: Sequence[Hashable] = (),
    if_empty: str = "no rows",
) -> str:
    """A table as HTML, as `readable` writes it; one without rows as a sentence.

    Parameters
    ----------
    frame : DataFrame
    digits : int
        Decimals of the floats; of times the significant digits.
    index : bool
        Show the index; leave it out where it only numbers the rows.
    caption : str
        What the table holds; what all rows share stands behind it.
    whole : str
        HTML that leads to the whole table, shown where columns are left out; without it none are.
    aside : sequence of columns
        As in `readable`.
    if_empty : str
        What stands behind the caption of a table without rows.
    """
    if frame.empty:
        sentence = html.escape(typeset(f"{named(caption)}: {if_empty}."))
        return f'<div class="remark"><p>{sentence}</p></div>'
    frame = _with_system_names(frame)
    table = readable(frame, digits=digits, words=_words, may_cut=bool(whole), aside=aside)
    return table.to_html(caption=named(caption), index=index, more=whole if table.n_left_out else "")


def _with_system_names(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the names of systems that their benchmarks have, where it tells which these are."""
    if "dataset" in frame:
        return with_system_names(frame)
    if frame.index.nlevels > 1 and "dataset" in frame.index.names:
        index = with_system_names(frame.index.to_frame(index=False))
        return frame.set_axis(pd.MultiIndex.from_frame(index))
    return frame


def _words(column: str, value: str) -> str:
    """A value as the book writes it; a page by its title."""
    return short_title(value) if column == "page" else words(column, value)
