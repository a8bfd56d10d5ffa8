"""parsing.heading: which line of a table names its columns, if one does, by contents alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_NUMBER = re.compile(r"\s*[+\-−]?(\d[\d.,']*|[.,]\d+)(e[+\-]?\d+)?\s*%?\s*", re.IGNORECASE)
_MISSING = {"", "-", "–", "na", "n/a", "nan", "none", "null"}
_ABOVE = 20  # lines among which the one that names the columns is looked for
_MOSTLY = 0.8  # of a column's cells


class Heading(NamedTuple):
    """Names of columns, of which "" is none, the number of rows that are no data, and what is said of them."""

    names: list[str]
    n_rows: int
    notes: list[str]


def read_heading(rows: Sequence[Sequence[object]]) -> Heading:
    """Find names of columns among the first rows of a table.

    Parameters
    ----------
    rows : cells of the first rows, none of them blank
        Numbers may be numbers.
    """
    rows = [["" if cell is None else str(cell) for cell in row] for row in rows]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    start = _title_length(rows, width)
    notes = [
        f"{start} lines above the heading left out" if start > 1 else "a line above the heading left out"
    ]
    first, below = rows[start], rows[start + 1 :]
    if not _names_columns(first, below):
        return Heading(
            [""] * max(width, len(first)),
            start,
            [*notes[: bool(start)], "no heading: columns named c1, c2, ..."],
        )
    names = [re.sub(r"^\s*#+", "", first[0]), *first[1:]]
    # R writes no name above the names of rows; a cell at the end that is always empty is no column
    if (
        len(names) == width - 1
        and all(len(row) == width for row in below)
        and any(row[-1].strip() for row in below)
    ):
        names = ["", *names]
    return Heading(names + [""] * (width - len(names)), start + 1, notes[: bool(start)])


def _title_length(rows: list[list[str]], width: int) -> int:
    """Number of lines above the heading: comments, and titles, which fill few of the columns."""
    start = 0
    for i, row in enumerate(rows[:_ABOVE]):
        following = rows[i + 1] if i + 1 < len(rows) else None
        n_filled = sum(bool(cell.strip()) for cell in row)
        comment = row[0].lstrip().startswith("#") and (
            len(row) != width or (following is not None and following[0].lstrip().startswith("#"))
        )
        title = width > 1 and row[0].strip() and (n_filled == 1 or n_filled * 2 < width)
        if not (comment or title) or following is None:
            return start
        start = i + 1
    return 0


def _names_columns(first: list[str], below: list[list[str]]) -> bool:
    """Whether a row differs from those below it as names of columns do: words above numbers, and none that recurs."""
    for_names = for_data = 0
    numbers = []
    for i, cell in enumerate(map(str.strip, first)):
        cells = [row[i].strip() for row in below if i < len(row)]
        given = [cell for cell in cells if cell.lower() not in _MISSING]
        numeric = sum(map(is_number, given)) > _MOSTLY * len(given)
        if is_number(cell):
            numbers += [cell] * (numeric or not given)
        elif cell == "":
            for_names += i == 0 and bool(cells) and len(given) == len(below)
        elif cell.lower() not in _MISSING:
            for_names += bool(given) and numeric
            for_data += cell in given
    # documents or years: 1, 2, 3, ...
    if not (
        len(numbers) > 1
        and all(map(str.isdigit, numbers))
        and sorted(map(int, numbers)) == [*map(int, numbers)]
    ):
        for_data += len(numbers)
    return for_names >= for_data


def is_number(cell: str) -> bool:
    """Whether a cell is written as a number, of any language."""
    return _NUMBER.fullmatch(cell) is not None
