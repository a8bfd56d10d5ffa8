"""own.binary: Parquet files and Excel workbooks, which another process reads before this one does.

One changed byte may make a reader ask for more memory than any machine has, which ends its process and is no
error that could be caught. Of a damaged file only the other process dies, or is ended if it finds no end.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl

from metaeval.core.errors import DataError, first_line
from metaeval.core.paths import ROOT

READERS = {"Parquet": pl.read_parquet, "Excel": pl.read_excel}
WAIT_S, WAIT_S_PER_MB = 60, 10  # for the other process: a wait only ends what hangs
_REFUSED = 1  # what the other process ends with if it could say why
STARTED = b"started\n"  # what it says first, or it never came to the file


def read_binary(kind: str, content: bytes | Path, name: str) -> pl.DataFrame:
    """A table from a file that need not be whole.

    Parameters
    ----------
    kind : key of `READERS`
    content : bytes or Path
    name : str
        What errors call it.

    Raises
    ------
    DataError
        If it cannot be read, whatever that does to its reader, or no other process can start.
    """
    here = isinstance(content, bytes)
    size = len(content) if here else content.stat().st_size
    wait = WAIT_S + WAIT_S_PER_MB * size / 1e6
    # without the folder of the shell, where any file may be called as a module is; this package may be there
    path = [*([] if str(ROOT) in sys.path else [str(ROOT)]), *filter(None, sys.path)]
    try:
        tried = subprocess.run(
            [sys.executable, "-P", "-m", __name__, kind, *([] if here else [os.fspath(content)])],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path), "PYTHONUTF8": "1"},
            **({"input": content} if here else {"stdin": subprocess.DEVNULL}),
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
        said = tried.stdout.removeprefix(STARTED).decode("utf-8", "replace")
        refused = tried.returncode == _REFUSED and said
        why = said if refused else "it is damaged, or needs more memory than there is; write it anew"
        raise DataError(f"{name} cannot be read: {why}")
    return READERS[kind](content)


def _unread(name: str, why: str) -> str:
    reader = f"the other process that is to read it first could not start ({why})"
    return f"{name} was not read: {reader}; write it as CSV"


def _try(kind: str, path: str | None = None) -> None:
    """Read a file, or what comes in; where that goes wrong, say why in a line."""
    content = sys.stdin.buffer.read() if path is None else path
    try:
        if kind == "Excel":  # its reader does not look at the sums that tell whether a part is whole
            with zipfile.ZipFile(io.BytesIO(content) if path is None else path) as parts:
                if damaged := parts.testzip():
                    raise DataError(f"its part {damaged} is damaged; save it anew")
        READERS[kind](content)
    except BaseException as error:  # a panic is no Exception
        print(first_line(error), end="")
        sys.exit(_REFUSED)


if __name__ == "__main__":
    sys.stdout.buffer.write(STARTED)
    sys.stdout.flush()
    _try(*sys.argv[1:])
