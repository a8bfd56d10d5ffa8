"""Damaged Parquet files and workbooks are errors in words, whatever they do to what reads them."""

import gzip
import io
import os
import runpy
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace

import pandas as pd
import pytest

from metaeval.core.errors import DataError
from metaeval.core.paths import ROOT
from metaeval.own.parsing import binary, parse
from tests.metaeval.test_malformed import LONG, WHOLE

ROWS = pd.DataFrame(LONG)


def read(path):
    (table,) = parse(path)
    return table.frame.astype(ROWS.dtypes)


def as_written(frame):
    return frame.equals(ROWS)


def one_byte_changed(content, place, byte):
    return content[:place] + bytes([byte]) + content[place + 1 :]


def deadly():
    """A file that asks for two billion gigabytes, which ends the process that reads it."""
    return one_byte_changed(WHOLE["long.parquet"], 301, 0x5B)


@pytest.mark.processes
def test_a_file_that_ends_its_reader_is_an_error(tmp_path):
    (tmp_path / "mine.parquet").write_bytes(deadly())
    reading = "import polars, sys; polars.read_parquet(sys.argv[1])"
    done = [
        subprocess.run([sys.executable, *words, tmp_path / "mine.parquet"], capture_output=True, text=True)
        for words in (("-c", reading), ("-m", "metaeval", "doctor"))
    ]
    assert done[0].returncode not in (0, 1)  # or this tests nothing: another polars may read it
    assert (done[1].returncode, done[1].stdout) == (3, "")
    assert done[1].stderr == (
        "error: mine.parquet cannot be read: it is damaged, or needs more memory than there is; write it anew\n"
    )


def test_it_may_be_compressed_as_well(tmp_path):
    for content, whole in ((deadly(), False), (WHOLE["long.parquet"], True)):
        (tmp_path / "mine.parquet.gz").write_bytes(gzip.compress(content))
        if whole:
            assert as_written(read(tmp_path / "mine.parquet.gz"))
            continue
        with pytest.raises(
            DataError, match="it is damaged, or needs more memory than there is; write it anew"
        ):
            parse(tmp_path / "mine.parquet.gz")


def test_a_file_that_is_read_without_end_is_an_error(tmp_path, monkeypatch):
    """Such as a workbook with a cell in column NONE, of a quarter of a million."""
    (tmp_path / "mine.parquet").write_bytes(WHOLE["long.parquet"])
    monkeypatch.setattr(binary, "WAIT_S", 0)
    with pytest.raises(DataError, match=r"takes more than 0 s, as if damaged; write it as CSV"):
        parse(tmp_path / "mine.parquet")


def test_no_file_of_the_shells_folder_takes_part(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    (tmp_path / "polars.py").write_text("raise SystemExit(1)")
    (tmp_path / "mine.parquet").write_bytes(WHOLE["long.parquet"])
    assert as_written(read("mine.parquet"))


def test_this_package_is_found_wherever_it_lies(tmp_path, monkeypatch):
    """As from a shell in its folder, which is no part of the other process's path."""
    (tmp_path / "mine.parquet").write_bytes(WHOLE["long.parquet"])
    run, seen = subprocess.run, []
    monkeypatch.setattr(sys, "path", ["", *(one for one in sys.path if one != str(ROOT))])
    monkeypatch.setattr(
        subprocess, "run", lambda *words, **how: seen.append(how["env"]) or run(*words, **how)
    )
    assert as_written(read(tmp_path / "mine.parquet"))
    assert seen[0]["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)


@pytest.mark.parametrize(
    ("python", "why"),
    [
        ("import sys; sys.exit('MemoryError')", "MemoryError"),
        ("import os; os.kill(os.getpid(), 9)", "it ended with status -9"),
        ("import sys; sys.exit(1)", "it ended with status 1"),
        (None, "No such file or directory"),
    ],
)
def test_a_reader_that_cannot_start_says_nothing_of_the_file(tmp_path, monkeypatch, python, why):
    (tmp_path / "mine.parquet").write_bytes(WHOLE["long.parquet"])
    if python:
        (tmp_path / "python").write_text(f"#!{sys.executable}\n{python}\n")
        (tmp_path / "python").chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(DataError) as caught:
        parse(tmp_path / "mine.parquet")
    assert "mine.parquet was not read: the other process" in str(caught.value)
    assert f"could not start ({'' if python else f'{sys.executable}: '}{why}); write it as CSV" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"PK\x03\x04\xff",
            "mine.xlsx cannot be unpacked (File is not a zip file); unpack it yourself, if it is whole",
        ),
        (
            b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600),
            "mine.xlsx is protected by a password; save it without one, or as CSV",
        ),
        (
            WHOLE["stored.xlsx"].replace(b"<v>2.5<", b"<v>3.5<"),
            "mine.xlsx cannot be read: its part xl/worksheets/sheet1.xml is damaged; save it anew",
        ),
    ],
    ids=["no zip", "a password", "a score changed"],
)
def test_a_damaged_workbook_is_an_error(tmp_path, content, message):
    (tmp_path / "mine.xlsx").write_bytes(content)
    with pytest.raises(DataError) as caught:
        parse(tmp_path / "mine.xlsx")
    assert str(caught.value) == message


def test_the_other_process_looks_at_a_workbooks_sums(monkeypatch, capsysbinary):
    """Here in this process."""

    def said(kind, content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        monkeypatch.setattr(sys, "argv", ["", kind])
        with suppress(SystemExit):
            runpy.run_path(binary.__file__, run_name="__main__")
        return capsysbinary.readouterr().out.removeprefix(binary.STARTED)

    assert said("Excel", WHOLE["stored.xlsx"]) == said("Parquet", WHOLE["long.parquet"]) == b""
    damaged = WHOLE["stored.xlsx"].replace(b"<v>2.5<", b"<v>3.5<")
    assert said("Excel", damaged) == b"its part xl/worksheets/sheet1.xml is damaged; save it anew"


def test_a_workbook_is_read(tmp_path):
    (tmp_path / "mine.xlsx").write_bytes(WHOLE["long.xlsx"])
    assert as_written(read(tmp_path / "mine.xlsx"))
