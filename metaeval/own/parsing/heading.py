"""parsing.heading: which line of a table names its columns, if one does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from metaeval.own.words import lexicon, plain

_NUMBER = re.compile(r"[+\-−]?(\d[\d.,']*|[.,]\d+)(e[+\-]?\d+)?\s*%?", re.IGNORECASE)
_MISSING = {"", "-", "–", "na", "n/a", "nan", "none", "null"}
_COMMENT = re.compile(r"\s*(#|//)+")
_MAX_ABOVE = 20  # lines above the heading
_MOSTLY = 0.8  # of a column's cells
_MAX_WORDS = 4  # of the name of a table's only column


class Heading(NamedTuple):
    """Names of columns, "" where there is none; the number of rows that are no data; and notes on both."""

    names: list[str]
    n_rows: int
    notes: list[str]


def read_heading(rows: Sequence[Sequence[object]]) -> Heading:
    """Find the names of columns among the first rows of a table.

    Parameters
    ----------
    rows : list of lists of cells
        At least one, none of them blank.
    """
    rows = [["" if cell is None else str(cell).strip() for cell in row] for row in rows]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    start = next(
        i
        for i, row in enumerate(rows)
        if i == min(len(rows) - 1, _MAX_ABOVE) or not _is_above(row, rows[i + 1 :], width)
    )
    notes = [f"{start} line{'s' * (start > 1)} above the table left out"] * bool(start)
    names, below = rows[start], rows[start + 1 :]
    for_names, for_data = _votes(names, below)
    sentence = width == len(names) == 1 and len(names[0].split()) > _MAX_WORDS
    if for_names < for_data or sentence:
        return Heading([""] * width, start, [*notes, "no heading: columns named c1, c2, ..."])
    names[0] = _COMMENT.sub("", names[0])
    while len(names) > width and not names[-1]:
        names.pop()
    # R gives no name to the first column, the names of rows
    if len(names) == width - 1 and all(len(row) == width for row in below) and any(row[-1] for row in below):
        names.insert(0, "")
    return Heading([*names, *[""] * (width - len(names))], start + 1, notes)


def _is_above(row: list[str], below: list[list[str]], width: int) -> bool:
    """Check whether a row is a comment, or fills few columns, as titles do, above one that names them all."""
    if _COMMENT.match(row[0]) and width > 1:
        return (
            len(row) != width or _COMMENT.match(below[0][0]) is not None or _votes(below[0], below[1:])[0] > 0
        )
    if len(row) < width == len(below[0]) and all(below[0]):  # a title with commas
        for_names, for_data = _votes(below[0], below[1:])
        if for_names > max(for_data, *_votes(row, below)):
            return True
    n_filled = sum(map(bool, row))
    if width == 1 or (n_filled > 1 and n_filled * 2 >= width):
        return False
    full = (all(one) and len(one) == width and not any(map(is_number, one)) for one in below[:_MAX_ABOVE])
    return (bool(row[0]) and n_filled == 1) or any(full)


def _votes(names: list[str], below: list[list[str]]) -> tuple[int, int]:
    """Number of cells that speak for names of columns, and for data.

    A usual name is one, and so is a word above numbers or an empty cell above names of rows; what comes again
    below is none, nor a number above numbers, but for a row of them such as 1, 2, 3 or years.
    """
    usual = lexicon().names
    for_names = sum(any(plain(name) in ones for ones in usual.values()) for name in names)
    if plain(names[0]) in {*usual["system"], *usual["item"]}:  # scores of which may stand below numbers
        for_names = len(names)
    for_data = 0
    numbers = []
    for i, name in enumerate(names):
        values = [row[i] for row in below if i < len(row) and row[i].lower() not in _MISSING]
        numeric = sum(map(is_number, values)) > _MOSTLY * len(values)
        if is_number(name):
            numbers += [name] * (numeric or not values)
        elif name == "":
            for_names += i == 0 and len(values) == len(below) > 0
        elif name.lower() not in _MISSING:
            for_names += bool(values) and numeric
            for_data += name in values
    counted = len(numbers) > 1 and all(cell.isdecimal() and len(cell) < 10 for cell in numbers)
    if not (counted and [*map(int, numbers)] == sorted({*map(int, numbers)})):
        for_data += len(numbers)
    return for_names, for_data


def is_number(cell: str) -> bool:
    """Check whether a cell is written as a number."""
    return _NUMBER.fullmatch(cell) is not None
