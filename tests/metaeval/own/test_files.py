"""Files of every format hold the same table, and what cannot be read is an error with its place."""

import datetime as dt
import gzip
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from metaeval.core.errors import DataError, MissingExtraError
from metaeval.own.files import read_table, require_written
from metaeval.own.tidy import tidy

CSV = "system,document,score\na,1,0.5\nb,1,-1e-3\nb,2,7\n"
ROWS = [("a", "1", 0.5), ("b", "1", -0.001), ("b", "2", 7.0)]
JSON = '{"system":"a","document":1,"score":0.5}\n{"system":"b","document":1,"score":-0.001}\n\n{"system":"b","document":2,"score":7}\n'


def parquet(frame):
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def rows(source):
    found = tidy(source).frame.sort("row").select(pl.col("system", "document").cast(pl.String), "value")
    return found.rows()


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        "\ufeff" + CSV,
        CSV.replace("\n", "\r\n"),
        "\n" + CSV + "\n\n",
        CSV.replace(",", "\t"),
        CSV.replace(",", ";"),
        CSV.replace(",", ", "),
        CSV.encode("utf-16"),
        gzip.compress(CSV.encode(), mtime=0),
        JSON,
        '[{"system":"a","document":1,"score":0.5},{"system":"b","document":1,"score":-0.001},{"system":"b","document":2,"score":"7"}]',
        parquet(pl.DataFrame({"system": list("abb"), "document": [1, 1, 2], "score": [0.5, -0.001, 7]})),
        parquet(pl.DataFrame({"system": list("abb"), "document": [1.0, 1.0, 2.0], "score": ["0.5", "-1e-3", "7"]})),
        "system,1,2\na,0.5,\nb,-1e-3,7\n",
        "document,a,b\n1,0.5,-1e-3\n2,,7\n",
    ],
)  # fmt: skip
def test_every_format_and_layout_holds_the_same_scores(tmp_path, content):
    path = tmp_path / "mine"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert sorted(rows(path)) == ROWS


@pytest.mark.parametrize("document", ["a;b", "a\tb", "a;b;c", "a\tb\tc", "[1]", "{d}", '"Tom, Dick"'])
def test_names_may_hold_signs_of_other_formats(tmp_path, document):
    (tmp_path / "mine.csv").write_text(f"system,{document},2\na,1,3\n")
    assert rows(tmp_path / "mine.csv")[0] == ("a", document.strip('"'), 1.0)


@pytest.mark.parametrize(
    ("sign", "text"),
    [
        (",", "- first;\n- second;\n- third;\n- last."),
        (",", "| a | b |\n|---|---|\n| 1 | 2 |"),
        (";", "First, one.\nThen, two.\nLast, three."),
        (",", 'He said: ""a;\nb;\nc;\nd;"" and went.'),
        (",", "\n".join("all; of it;" for _ in range(10_000))),  # the start of the file ends within
    ],
)
def test_a_cell_may_have_lines_with_signs_of_other_formats(tmp_path, sign, text):
    lines = [
        ("system", "document", "summary", "m"),
        ("a", "1", f'"{text}"', "1"),
        ("b", "1", f'"{text}"', "2"),
    ]
    (tmp_path / "mine.csv").write_text("".join(sign.join(cells) + "\n" for cells in lines))
    assert rows(tmp_path / "mine.csv") == [("a", "1", 1.0), ("b", "1", 2.0)]


def test_a_sign_that_the_first_line_lacks_parts_nothing(tmp_path):
    (tmp_path / "mine.csv").write_text("system,m\na; b,1,2\nc; d,1,2,3\n")
    with pytest.raises(DataError, match="line 2: 3 cells, but the first line has 2, with commas between"):
        read_table(tmp_path / "mine.csv")


def test_a_mapping_of_names_that_are_columns_stays_one(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"system": "a", "document": 1, "meta": {"system": "x"}, "judges": {"m": 0.5, "n": 1}}')
    assert read_table(path).frame.columns == ["system", "document", "meta", "m", "n"]


@pytest.mark.parametrize("sign", ["\n", ","])
@pytest.mark.parametrize("early", [{"m": 1}, {"m": None}, {}])
def test_late_rows_of_json_may_hold_what_early_ones_do_not(tmp_path, sign, early):
    late = {"m": 2.75}
    lines = sign.join(json.dumps({"document": i} | (early if i < 120 else late)) for i in range(130))
    (tmp_path / "mine").write_text(lines if sign == "\n" else f"[{lines}]")
    found = read_table(tmp_path / "mine").frame.get_column("m")
    assert found.to_list() == [early.get("m")] * 120 + [2.75] * 10


def test_a_first_line_may_be_of_any_length(tmp_path):
    documents = [f"document {i}" for i in range(6_000)]
    path = tmp_path / "wide.csv"
    path.write_text(f"system,{','.join(documents)}\nA{',1' * 6_000}\nB{',2' * 6_000}\n")
    assert read_table(path).frame.columns == ["system", *documents]


def test_a_data_frame_is_read_as_a_file():
    frame = pd.DataFrame({"system": ["a", "b", "b"], "document": [1, 1, 2], "score": [0.5, -0.001, 7]})
    assert rows(frame) == rows(pl.DataFrame(frame.to_dict("list"))) == ROWS
    assert rows(frame.assign(score=[0.5, np.nan, 7])) == [ROWS[0], ROWS[2]]
    assert read_table(frame).frame.get_column("score").dtype == pl.Float64  # not as text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "mine.csv has no rows"),
        ("system,d\n", "mine.csv has no rows"),
        ("system,d,d\na,1,1\n", "columns come twice: 'd'"),
        ("system,d,e\na,1\n", "mine.csv, line 2: 2 cells, but the first line has 3, with commas between; fill the line in, or leave it out"),
        ("system,d,e\na,1,2\nb,1,2,3\n", "mine.csv, line 3: 4 cells, but the first line has 3, with commas between; if this line names the columns, leave out those above it; else put names with commas into quotes"),
        ('system,d,e\n"a,b",1,2\nb,1\n', "mine.csv, line 3: 2 cells, but the first line has 3"),
        ('system,d\n"a,1\n', "line 2: is not CSV"),
        ("system,d\na,1\nb,é\n".encode("latin-1"), "mine.csv, line 3: is not UTF-8 (byte 15, b'\\xe9'); save the whole"),
        ("system,d\na,1\x00\n", "has a zero byte"),
        ("sep=;\nsystem;d\na;1\n", "mine.csv: the first line is 'sep=;', which Excel alone reads; remove it"),
        ('"SEP=,"\r\nsystem,d\r\na,1\r\n', """mine.csv: the first line is '"SEP=,"', which Excel alone reads"""),
        (JSON + "x", "mine.csv, line 5: is not JSON"),
        (JSON + "[1]", "mine.csv, line 5: must be a mapping, got list"),
        (JSON.replace("\n", "", 1), "mine.csv, line 1: is not JSON"),  # two mappings
        (JSON.replace("7", "NaN"), "mine.csv, line 4: NaN is no JSON; write null"),
        ('[{"a": 1}', "mine.csv cannot be read"),
        (JSON.replace('"a",', '"a","score":9,'), "mine.csv, line 1: keys come twice in one mapping: 'score'; keep one of each"),
        (JSON.replace('"document":2,', '"system":"c",'), "mine.csv, line 4: keys come twice in one mapping: 'system'"),
        (JSON.replace("7", '{"a":1,"a":2}'), "mine.csv, line 4: keys come twice in one mapping: 'a'"),
        ('[{"system":"a","a":1,"a":2}]', "mine.csv: keys come twice in one mapping: 'a'"),
        (JSON.replace("7", "[" * 5_000), "mine.csv, line 4: lists are nested too deeply"),
        (JSON.replace("7", "7" * 5_000), "mine.csv, line 4: lists are nested too deeply, or a number is too long"),
        (b"system,a\x1e\xc6\x96\xf8,b\na,1,2\n", "mine.csv, line 1: is not UTF-8"),
        (b'system,"d,e"\na,1\n"b""",\xae\n', "mine.csv, line 3: is not UTF-8"),
        ('system,""d,e\na,1,2\n', "mine.csv, first line: is not CSV (',' expected after '\"')"),
        ('system,document,score\n"a, "b""",1,2\n', "mine.csv, line 2: is not CSV (',' expected after '\"')"),
        (b"PAR1\x15\xff", "mine.csv cannot be read"),
        (b"\x1f\x8b\x15\xff", "mine.csv is not a whole gzip file"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_an_error_with_its_place(tmp_path, content, message):
    path = tmp_path / "mine.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as caught:
        tidy(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "mine.parquet",
            "hello\n",
            "mine.parquet is no Parquet file, as its name says: it begins with 'hello'",
        ),
        ("mine.parquet", "", "mine.parquet is no Parquet file, as its name says: it is empty"),
        (
            "mine.xlsx",
            "<html>\n",
            "mine.xlsx is no Excel workbook, as its name says: it begins with '<html>'",
        ),
    ],
)
def test_a_name_that_promises_another_format_is_told(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=re.escape(message)):
        read_table(tmp_path / name)
    (tmp_path / name).write_text(CSV)  # the content decides where it can be read
    assert rows(tmp_path / name) == ROWS


def test_a_reader_that_panics_is_an_error_of_the_file(tmp_path, monkeypatch):
    def panic(content, **how):
        raise pl.exceptions.PanicException("assertion failed: offset + length <= self.length")

    monkeypatch.setattr(pl, "read_json", panic)
    (tmp_path / "mine.json").write_text('[{"a": 1}]')
    with pytest.raises(DataError, match=r"mine\.json cannot be read: assertion failed"):
        read_table(tmp_path / "mine.json")


def test_bytes_and_times_of_other_programs_are_texts_where_they_can_be():
    frame = pl.DataFrame(
        {
            "system": [b"a", "é".encode()],
            "document": [1, 1],
            "took": [dt.timedelta(seconds=1), dt.timedelta(minutes=2)],
            "m": [b"0.5", b"1"],
            "vector": [b"\xff", b"\xfe"],
        }
    )
    found = tidy(frame)
    assert found.frame.get_column("value").to_list() == [0.5, 1]
    assert found.names("system") == ["a", "é"]
    assert found.notes == (
        "the table: not used: 'vector', which holds bytes that are no text in UTF-8.",
        "the table: not used: 'took'.",
    )
    with pytest.raises(DataError, match="column 'took': a score must be a finite number, got 'PT1S'"):
        tidy(frame, columns={"score": "took"})
    with pytest.raises(DataError, match="the column 'vector', given for system, holds bytes that"):
        tidy(frame, columns={"system": "vector"})


def test_objects_are_called_what_they_are():
    odd = pl.Series("odd", [object(), object()], dtype=pl.Object)
    frame = pl.DataFrame({"system": ["a", "b"], "document": 1, "m": [0.5, 1.0]}).with_columns(odd)
    said = "holds Python objects, neither numbers nor texts"
    assert tidy(frame).notes == (f"the table: not used: 'odd', which {said}.",)
    with pytest.raises(DataError, match=f"the column 'odd', given for score, {said}"):
        tidy(frame, columns={"score": "odd"})


def test_a_workbook_names_the_extra_that_reads_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    (tmp_path / "mine.xlsx").write_bytes(b"PK\x03\x04\xff")
    with pytest.raises(MissingExtraError, match="excel"):
        read_table(tmp_path / "mine.xlsx")


def test_a_missing_file_is_looked_for_in_the_shells_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no file 'mine.csv' in '.*': a relative path counts from"):
        read_table("mine.csv")
    (tmp_path / "mine.csv").write_text(CSV)
    assert read_table("mine.csv").frame.height == 3


@pytest.mark.parametrize(
    ("text", "row", "place"),
    [
        (CSV, 1, "line 3"),
        ("\n\n" + CSV, 1, "line 5"),
        (CSV.replace("\na", '\n"a\nA"'), 1, "line 4"),
        (JSON, 2, "line 4"),
    ],
)
def test_a_row_is_told_by_its_line(tmp_path, text, row, place):
    (tmp_path / "mine.csv").write_text(text)
    assert read_table(tmp_path / "mine.csv").place(row) == f"mine.csv, {place}"


@pytest.mark.parametrize(
    ("lists", "said"),
    [(False, "must end in .csv, .tsv, .jsonl or .parquet"), (True, "must end in .jsonl or .parquet")],
)
def test_the_formats_that_are_written_are_named(lists, said):
    with pytest.raises(DataError) as caught:
        require_written(Path("mine.txt"), lists=lists)
    assert str(caught.value) == f"'mine.txt' {said}"
    require_written(Path("mine.jsonl"), lists=lists)
