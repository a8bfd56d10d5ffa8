"""parsing.delimited: lines of cells parted by commas, semicolons, tabs, bars or runs of blanks."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, first_line, listing
from metaeval.own.parsing.heading import read_heading
from metaeval.own.parsing.table import EmptyError, Table, column_names, require_rows

SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}  # where two fit equally, the first
_RULE = re.compile(r":?-{3,}:?")  # below a heading in Markdown
_NONE = "\x1f"  # parts nothing
_SAMPLE = 200, 1_000_000  # lines and bytes that tell what parts cells, and whether a line names the columns

csv.field_size_limit(2**31 - 1)  # texts of any length


@dataclass(frozen=True)
class Dialect:
    """Separator of cells, with whether they may stand in quotes, and a blank before these."""

    separator: str
    quoted: bool = True
    skips_blank: bool = False

    def records(self, text: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Number of its first line, from 1, and cells of each record; a blank line has none.

        Raises
        ------
        DataError
            If quotes are at odds with the cells, and it is strict.
        """
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=self.separator,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            skipinitialspace=self.skips_blank,
            strict=strict,
        )
        line = 1
        try:
            for cells in reader:
                yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(
                f"line {line}: is not CSV ({error}); put the whole cell into quotes, each mark in it twice"
            ) from None


def parse_delimited(data: bytes, name: str) -> Table:
    """A table of texts.

    Parameters
    ----------
    data : bytes
        In UTF-8.
    name : str
        The file's, with which errors begin.

    Raises
    ------
    DataError
        If there is no table, a line has too many cells, or a quote does not end.
    """
    if b"\n" not in data:  # of an old Macintosh
        data = data.replace(b"\r", b"\n")
    elif b'"' not in data and data.count(b"\r") != data.count(b"\r\n"):
        data = re.sub(rb"\r(?!\n)", b" ", data)
    dialect = choose_dialect(_sample(data))
    parted_by = {" ": "blanks", _NONE: "one column"}.get(dialect.separator) or SEPARATORS[dialect.separator]
    if dialect.separator == " ":
        data, dialect = _tabbed(data.decode()).encode(), Dialect("\t")
    dialect, widths, lines = _measure(data, dialect, name)
    sample = _sample(data)
    head = [(i, cells) for i, (_, cells) in enumerate(dialect.records(sample)) if any(map(str.strip, cells))]
    if len(sample.encode()) < len(data) and len(head) > 1:
        head.pop()  # it may be cut off
    if not head:
        raise EmptyError(f"{name} is empty; it needs a line that names its columns, and lines of values")
    if len(head) > 2 and _are_import_ids(head[2][1]):
        del head[1:3]
    heading = read_heading([cells for _, cells in head])
    width, n_rows = len(heading.names), heading.n_rows
    start = head[n_rows - 1][0] + 1 if n_rows else 0

    frame = _cells(data, dialect, max(width, int(widths.max())), name)
    if len(frame) != len(widths):
        raise DataError(
            f"{name} is no CSV ({parted_by}); put cells with line breaks or quotation marks into quotes"
        )
    frame, widths = frame.set_axis(lines, axis=0), pd.Series(widths, lines)
    full = (widths > 0) & ~(_are_all(frame, "") & (width > 1))
    frame = frame.iloc[start:][full.iloc[start:]]
    again = _headings(frame, head[n_rows - 1][1] if n_rows and width > 1 else [])
    if n_again := int(again.sum()):
        frame = frame[~again]
    require_rows(frame, name)
    long = ~_are_all(frame[frame.columns[width:]], "")
    if long.any():
        raise DataError(
            f"{name}, {_listed(frame.index[long])}: more cells than the {width} columns ({parted_by}); put "
            f"cells that hold a {parted_by} into quotes, or name all columns"
        )
    notes = [parted_by, *heading.notes]
    if not dialect.quoted:
        notes.append("quotation marks are part of the cells")
    if n_again:
        notes.append(f"{n_again} line{'s' * (n_again > 1)} with the heading again left out")
    lines = frame.index.to_numpy()
    short = lines[(widths[lines] < width) & (width > 1)]
    if len(short):
        notes.append(f"{len(short)} short row{'s' * (len(short) > 1)} filled ({_listed(short)})")
    frame, more = _named(frame[frame.columns[:width]], heading.names, name)
    return Table("", None, frame, notes=(*notes, *more), locate=lambda row: f"line {lines[row]}")


def _are_import_ids(cells: Iterable[object]) -> bool:
    """Check whether a row is the last of the three that are the heading of a survey of Qualtrics."""
    return all(str(cell).startswith('{"ImportId"') for cell in cells)


def _headings(frame: pd.DataFrame, names: list[str]) -> np.ndarray:
    """Find rows that repeat the heading, as in files put together, or rule it off, as in Markdown."""
    again = _are_all(frame[range(len(names))], names) if names else np.zeros(len(frame), dtype=bool)
    for i, cells in enumerate(frame.head(2).itertuples(index=False)):
        again[: i + 1] |= _are_import_ids(cells)
    if names and len(frame):
        cells = [str(cell).strip() for cell in frame.iloc[0] if str(cell).strip()]
        again[0] |= len(cells) > 1 and all(map(_RULE.fullmatch, cells))
    return again


def _are_all(frame: pd.DataFrame, cells: str | Sequence[str]) -> np.ndarray:
    """Find rows that hold nothing but a cell, or a cell in each column."""
    alike = np.ones(len(frame), dtype=bool)
    each = [cells] * frame.shape[1] if isinstance(cells, str) else cells
    for column, cell in zip(frame, each, strict=True):
        if alike.any():
            alike &= (frame[column] == cell).to_numpy()
    return alike


def _named(frame: pd.DataFrame, heading: list[str], name: str) -> tuple[pd.DataFrame, list[str]]:
    """Columns under their names, without those that have neither a name nor a value; and notes on both."""
    named = frame.set_axis(column_names(heading, name), axis=1).reset_index(drop=True)
    unnamed = [i for i, called in enumerate(heading) if not called]
    empty = [i for i in unnamed if len(heading) > 1 and not frame[i].str.strip().any()]
    called = [named.columns[i] for i in unnamed if i not in empty] if any(heading) else []
    named = named.drop(columns=named.columns[empty])
    return named, [f"no name above {listing(called)}"] if called else []


def choose_dialect(sample: str) -> Dialect:
    """Choose what parts most lines, the first too, into equally many cells; if no sign, blanks or nothing."""

    def fit(text: str, dialect: Dialect, min_share: float = 0.5) -> float:
        records = [cells for _, cells in dialect.records(text) if any(map(str.strip, cells))] or [[""]]
        first, *_ = widths = [*map(len, records)]
        width, times = Counter(widths).most_common(1)[0]
        share = times / (len(widths) - (first != width))
        # a sign in every line parts them, though some have too many cells; but not sentences
        parts = min_share < 0.9 and min(widths) > 1 and all(len(cell.split()) < 5 for cell in records[0])
        if width == 1 or (share < min_share and not parts):
            return 0
        return max(share + (first == width or first == width - 1 > 1), 1.1 * parts)

    fits = {}
    for sign in SEPARATORS:
        skippable = re.search(re.escape(sign) + ' +"[^"]', sample)
        for skips_blank in (True, False) if skippable else (False,):
            dialect = Dialect(sign, skips_blank=skips_blank)
            fits[dialect] = max(fit(sample, dialect), fit(sample, replace(dialect, quoted=False)))
    best = max(fits, key=fits.__getitem__)
    if fits[best] <= 1 < fit(_tabbed(sample), Dialect("\t"), 0.9):
        return Dialect(" ", skips_blank=True)
    return best if fits[best] else Dialect(_NONE)


def _sample(data: bytes) -> str:
    """The first lines."""
    end = -1
    for n in range(_SAMPLE[0]):
        following = data.find(b"\n", end + 1)
        if following < 0:
            return data.decode()
        if n > 2 and following > _SAMPLE[1]:
            break
        end = following
    return data[: end + 1].decode()


def _tabbed(text: str) -> str:
    """Lines whose runs of blanks, outside of quotes, are a tab each."""
    lines = text.split("\n")
    if '"' in text:
        rewritten = io.StringIO(newline="")
        writer = csv.writer(rewritten, delimiter="\t", lineterminator="\n")
        stripped = "\n".join(line.strip().replace("\t", " ") for line in lines)
        try:
            writer.writerows(
                cells for _, cells in Dialect(" ", skips_blank=True).records(stripped, strict=True)
            )
            return rewritten.getvalue()
        except DataError:
            pass
    return "\n".join("\t".join(line.split()) for line in lines)


def _measure(data: bytes, dialect: Dialect, name: str) -> tuple[Dialect, np.ndarray, np.ndarray]:
    """Number of cells and first line of each record, and whether quotation marks are quotes.

    They are none where lines have equally many cells only without them; nor, with tabs, of which texts have
    none, where one that opens in a line closes in a later one.
    """
    plain = _counts(data, dialect.separator)
    unquoted = replace(dialect, quoted=False), *plain
    if b'"' not in data:
        return dialect, *plain
    even = len(np.unique(plain[0][plain[0] > 0])) == 1
    widths, lines = array("l"), array("l")
    try:
        for line, cells in dialect.records(data.decode(), strict=True):
            widths.append(0 if len(cells) == 1 and cells[0].isspace() else len(cells))
            lines.append(line)
    except DataError as error:
        if not even:
            raise DataError(f"{name}, {error}") from None
        return unquoted
    if even and dialect.separator == "\t" and len(widths) < len(plain[0]):
        return unquoted
    return dialect, np.array(widths, dtype=int), np.array(lines, dtype=np.int32)


def _counts(data: bytes, separator: str) -> tuple[np.ndarray, np.ndarray]:
    """Number of cells of each line, 0 of a blank one, and its number, where no quotes stand around cells."""
    sign = separator.encode()
    counts = np.fromiter(
        (line.count(sign) + 1 if line.strip(b" \r\n") else 0 for line in io.BytesIO(data)), int
    )
    return counts, np.arange(1, len(counts) + 1, dtype=np.int32)


def _cells(data: bytes, dialect: Dialect, width: int, name: str) -> pd.DataFrame:
    """Every record as a row of texts, those that are short filled with empty ones."""
    try:
        return pd.read_csv(
            io.BytesIO(data),
            sep=dialect.separator,
            header=None,
            names=range(width),
            index_col=False,
            dtype=object,
            na_filter=False,
            skip_blank_lines=False,
            skipinitialspace=dialect.skips_blank,
            quoting=csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE,
            encoding="utf-8",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise DataError(f"{name} is not CSV: {first_line(error)}") from None


def _listed(lines: Sequence[int]) -> str:
    """Numbers of lines in words, cut at five."""
    first = ", ".join(map(str, lines[:5]))
    more = f" and {len(lines) - 5} more" if len(lines) > 5 else ""
    return f"line{'s' * (len(lines) > 1)} {first}{more}"
