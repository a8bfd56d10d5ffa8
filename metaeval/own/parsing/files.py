"""parsing.files: from a file, a folder, an archive or a data frame to tables; the format is told by the content."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import zlib
from pathlib import Path

import pandas as pd

from metaeval.core.errors import DataError
from metaeval.own.parsing.delimited import parse_delimited
from metaeval.own.parsing.structured import parse_json
from metaeval.own.parsing.table import Table, frame_of

_PACKED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
_JSON = re.compile(rb'\s*(\[\s*([\[{"\d\-\]]|NaN|null|true|false)|\{\s*["}])')
_BY_LINES = (".jsonl", ".ndjson", ".jsonlines")


def parse(source: str | os.PathLike | pd.DataFrame, name: str = "table") -> list[Table]:
    """The tables in a file, whatever its format, or in a data frame.

    Parameters
    ----------
    source : path or DataFrame
        A relative path counts from the folder in which the command was started.
    name : str
        What a data frame is called.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If no table can be read: the line, and what to do.
    """
    if isinstance(source, pd.DataFrame):
        frame, keys = frame_of({str(c): source[c] for c in source}, name)
        return [Table(name, None, frame, keys)]
    path = Path(source).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"no file {str(path)!r} in {str(Path.cwd())!r}")
    return _parse_bytes(path.read_bytes(), path.stem, path)


def _parse_bytes(data: bytes, name: str, path: Path) -> list[Table]:
    for mark, unpack in _PACKED.items():
        if data.startswith(mark):
            data = unpack(data)
    if _JSON.match(data):
        return parse_json(data.decode("utf-8-sig"), name, path, [], by_lines=path.name.endswith(_BY_LINES))
    return [parse_delimited(data, name, path, [])]
