"""sources.own_files: scores from a reader's CSV file in one of two layouts, checked line by line.

- long: one row per score, columns ``system``, ``document``, ``score``;
- wide: one row per system, a column ``system`` and one for each document.

Either may have a column ``metric`` for several metrics in one file; without it the metric is called like the
file. A long file may have a column ``rater``: the scores that several of them gave a summary are averaged. An
empty cell is a missing score. Nothing is repaired: what cannot be read is an error with its line.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from helpers.errors import DataError, listing
from helpers.sources.tables import Cells

LAYOUTS = (
    "a file has either one row per score (columns system, document, score) or one row per system (a column "
    "system, then one for each document); either may have a column metric, the first also a column rater"
)
_CSV = "only CSV is read, with commas between cells and in UTF-8: save it as that"
# what other formats begin with; no CSV has a quote in the middle of a cell, as JSON would
_BINARY = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"PK\x03\x04": "an Excel workbook or another zip archive",
    b"\x1f\x8b": "compressed with gzip",
}
_JSON = re.compile(r'\s*(\[\s*["\[{]|\{\s*["}])')
_SEPARATORS = {"tabs": "\t", "semicolons": ";"}
_LONG = ("document", "score")
_NO_DOCUMENT = ("metric", "system", "rater", *_LONG)


def read_scores(path: str | Path) -> Cells:
    """The scores of one or more metrics, or of people.

    Parameters
    ----------
    path : str or Path
        A relative one counts from the folder in which the command was started.

    Returns
    -------
    dict
        Name of the metric -> {(system, document): score, of several raters their mean}; NaN without any.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If the file is no CSV, the layout is neither of the two or could be either, a line is too long or too
        short, a name is empty, a score is no finite number, or a summary is scored twice by one metric (and
        rater).
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise FileNotFoundError(
            f"no file {str(path)!r} in {str(Path.cwd())!r}: a relative path counts from the folder in which "
            "the command was started"
        )
    lines = _lines(path)
    _, header = next(lines, (0, []))
    scores = _layout(path.name, header)(path.name, header, lines)
    given: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    twice: set[str] = set()
    for where, metric, system, document, rater, text in scores:
        for kind, label in (("metric", metric), ("system", system), ("document", document)):
            if not label:
                raise DataError(f"{where}: the name of the {kind} is empty; fill it in or leave the line out")
        by_rater = given.setdefault(metric, {}).setdefault((system, document), {})
        if rater in by_rater:
            twice.add("/".join(filter(None, (metric, rater, system, document))))
        by_rater[rater] = _score(text, where, system, document)
    if twice:
        raise DataError(
            f"{path.name}: {len(twice)} summaries are scored more than once by one metric: "
            f"{listing(twice)}; keep one score of each, or tell raters apart in a column rater"
        )
    if not given:
        raise DataError(f"{path.name} holds no scores; {LAYOUTS}")
    return {
        metric: {cell: _mean(by_rater.values()) for cell, by_rater in plane.items()}
        for metric, plane in given.items()
    }


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbered lines split into cells, without empty ones, all as long as the first."""
    content = path.read_bytes()
    for start, kind in _BINARY.items():
        if content.startswith(start):
            raise DataError(f"{path.name} is {kind}; {_CSV}; {LAYOUTS}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8: byte {error.start}; save it as UTF-8") from None
    _check_text(path.name, text)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    width = None
    try:
        for cells in filter(None, reader):
            width = width or len(cells)
            if len(cells) != width:
                raise DataError(
                    f"{path.name}, line {reader.line_num}: {len(cells)} cells, but the first line has "
                    f"{width}; put names with commas into quotes"
                )
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataError(f"{path.name}, line {reader.line_num}: is not CSV ({error})") from None


def _check_text(name: str, text: str) -> None:
    """Raise if a text is JSON, or has other signs than commas between the cells of its first line."""
    number, first = next(((i, line) for i, line in enumerate(text.splitlines(), 1) if line), (0, ""))
    if _JSON.match(text):
        kind = "JSON Lines" if first.startswith("{") and first.rstrip().endswith("}") else "JSON"
        raise DataError(f"{name} is {kind}; {_CSV}; {LAYOUTS}")
    cells = {sign: [cell.strip('"') for cell in first.split(sign)] for sign in (",", *_SEPARATORS.values())}
    for kind, sign in _SEPARATORS.items():
        alone = "," not in first and sign in first
        if "system" not in cells[","] and (alone or "system" in cells[sign]):
            raise DataError(
                f"{name}, line {number}: the cells are parted by {kind}; save the file with commas"
            )


def _layout(name: str, header: list[str]):
    """The reader of a file's layout, told by its columns."""
    repeated = [column for column, n in Counter(header).items() if n > 1]
    if repeated:
        raise DataError(f"{name}: columns come twice: {listing(repeated)}; keep one of each")
    if "system" not in header:
        raise DataError(f"{name}: no column 'system', found {listing(header)}; {LAYOUTS}")
    long = [column for column in (*_LONG, "rater") if column in header]
    documents = [column for column in header if column not in _NO_DOCUMENT]
    if not documents and set(_LONG) <= set(long):
        return _long
    if documents and not long:
        return _wide
    if documents:
        raise DataError(
            f"{name}: could be either layout: it has {listing(long)} and also {listing(documents)}; leave "
            f"out or rename columns so that {LAYOUTS}"
        )
    absent = [column for column in _LONG if column not in header]
    raise DataError(f"{name}: no column {listing(absent)} and none for documents; {LAYOUTS}")


def _long(name, header, lines):
    for number, cells in lines:
        row = dict(zip(header, cells, strict=True))
        metric, rater = row.get("metric", Path(name).stem), row.get("rater", "")
        yield f"{name}, line {number}", metric, row["system"], row["document"], rater, row["score"]


def _wide(name, header, lines):
    for number, cells in lines:
        row = dict(zip(header, cells, strict=True))
        system, metric = row.pop("system"), row.pop("metric", Path(name).stem)
        for document, text in row.items():
            yield f"{name}, line {number}", metric, system, document, "", text


def _mean(scores: Iterable[float]) -> float:
    """The mean of the scores that exist, NaN without any."""
    existing = [score for score in scores if not math.isnan(score)]
    return math.fsum(existing) / len(existing) if existing else math.nan


def _score(text: str, where: str, system: str, document: str) -> float:
    if not text.strip():
        return math.nan
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise DataError(
            f"{where}: the score of system {system!r}, document {document!r} must be a finite number, "
            f"got {text!r}; leave the cell empty where there is no score"
        )
    return score
