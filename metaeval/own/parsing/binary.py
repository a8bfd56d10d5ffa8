"""parsing.binary: Parquet, Feather, Arrow and workbooks, which another process reads before this one does.

One changed byte may make a reader ask for more memory than any machine has, which ends its process and is no
error that could be caught. Of a damaged file only the other process dies, or is ended if it finds no end.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import polars as pl

from metaeval.core.errors import DataError, first_line, require_extra
from metaeval.core.paths import ROOT

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Feather", b"\xff\xff\xff\xff": "Arrow", b"\xd0\xcf\x11\xe0": "Excel"}
WAIT_S, WAIT_S_PER_MB = 60, 10  # for the other process: a wait only ends what hangs
_REFUSED = 1  # what the other process ends with if it could say why
STARTED = b"started\n"  # what it says first, or it never came to the file


def _open_workbook(content: io.BytesIO) -> Any:
    return require_extra("fastexcel", "excel").read_excel(content.getvalue())


READERS: dict[str, Callable[[io.BytesIO], Any]] = {
    "Parquet": pl.read_parquet,
    "Feather": pl.read_ipc,
    "Arrow": pl.read_ipc_stream,
    "Excel": _open_workbook,
}


def read_binary(kind: str, content: bytes, name: str) -> Any:
    """A polars DataFrame, or fastexcel's reader of a workbook, of a file that need not be whole.

    Parameters
    ----------
    kind : key of `READERS`
    content : bytes
    name : str
        What errors call it.

    Raises
    ------
    DataError
        If it cannot be read, whatever that does to its reader, or no other process can start.
    MissingExtraError
        For a workbook without the extra that reads it.
    """
    if kind == "Excel":
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise DataError(f"{name} is protected by a password; save it without one, or as CSV")
        require_extra("fastexcel", "excel")
    wait = WAIT_S + WAIT_S_PER_MB * len(content) / 1e6
    # without the folder of the shell, where any file may be called as a module is; this package may be there
    path = [*([] if str(ROOT) in sys.path else [str(ROOT)]), *filter(None, sys.path)]
    try:
        tried = subprocess.run(
            [sys.executable, "-P", __spec__.origin, kind],  # the file, whose package would import pandas
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path), "PYTHONUTF8": "1"},
            input=content,
            capture_output=True,
            timeout=wait,
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"{name} cannot be read: it takes more than {wait:,.0f} s, as if damaged; write it as CSV"
        ) from None
    except OSError as error:
        raise DataError(_unread(name, f"{sys.executable or 'Python'}: {error.strerror}")) from error
    if not tried.stdout.startswith(STARTED):
        *_, last = tried.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
        raise DataError(_unread(name, last or f"it ended with status {tried.returncode}"))
    if tried.returncode:
        message = tried.stdout.removeprefix(STARTED).decode("utf-8", "replace")
        refused = tried.returncode == _REFUSED and message
        why = message if refused else "it is damaged, or needs more memory than there is; write it anew"
        raise DataError(f"{name} cannot be read: {why}")
    return READERS[kind](io.BytesIO(content))


def _unread(name: str, why: str) -> str:
    reader = f"the other process that is to read it first could not start ({why})"
    return f"{name} was not read: {reader}; write it as CSV"


def _try(kind: str, data: bytes) -> None:
    """Read a file; where that goes wrong, say why in a line."""
    content = io.BytesIO(data)
    try:
        if zipfile.is_zipfile(content):  # a workbook's reader does not look at the sums of its parts
            with zipfile.ZipFile(content) as parts:
                if damaged := parts.testzip():
                    raise DataError(f"its part {damaged} is damaged; save it anew")
        content.seek(0)
        whole = READERS[kind](content)
        for sheet in whole.sheet_names if kind == "Excel" else ():
            whole.load_sheet(sheet, header_row=None)
    except BaseException as error:  # a panic is no Exception
        print(first_line(error), end="")
        sys.exit(_REFUSED)


if __name__ == "__main__":
    sys.stdout.buffer.write(STARTED)
    sys.stdout.flush()
    _try(sys.argv[1], sys.stdin.buffer.read())
