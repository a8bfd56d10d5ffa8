"""Each arrangement of bytes becomes the table that was written down by hand."""

import bz2
import datetime as dt
import gzip
import io
import json
import lzma
import os
import sys
import unicodedata
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest

from metaeval.core.errors import DataError
from metaeval.own.parsing import parse

HEAD = ["system", "document", "score", "human"]
ROWS = [
    ["M1", "d1", "0.5", "3"],
    ["M1", "d2", "0.25", "4"],
    ["M2", "d1", "-1e-3", "1"],
    ["M2", "d2", "", "2"],
]


def lines(rows, sign=","):
    return "".join(sign.join(row) + "\n" for row in rows)


PLAIN = lines([HEAD, *ROWS])
RECORDS = [
    {"system": "M1", "document": "d1", "human": 3},
    {"system": "M1", "document": "d2", "human": 4},
    {"system": "M2", "document": "d1", "human": 1},
]


def write(folder, content, name="mine.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(table):
    """Names of columns, and rows with None for what is missing."""
    frame = table.frame.astype(object)
    return [*frame], frame.where(frame.notna(), None).to_numpy().tolist()


def only(tables):
    (table,) = tables
    assert [*table.frame.index] == [*range(len(table.frame))]
    return table


DELIMITED = {
    "commas": (PLAIN, "comma"),
    "tabs": (lines([HEAD, *ROWS], "\t"), "tab"),
    "semicolons": (lines([HEAD, *ROWS], ";"), "semicolon"),
    "bars": (lines([HEAD, *ROWS], "|"), "bar"),
    "CRLF": (PLAIN.replace("\n", "\r\n"), "comma"),
    "CR": (PLAIN.replace("\n", "\r"), "comma"),
    "no line end at the end": (PLAIN.rstrip("\n"), "comma"),
    "blank lines": (PLAIN.replace("\n", "\n\n"), "comma"),
    "rows of separators": (PLAIN + ",,,\n,,,\n", "comma"),
    "blanks around names": (PLAIN.replace("document", "  document "), "comma"),
    "quotes": (PLAIN.replace("M1", '"M1"'), "comma"),
    "Ctrl-Z": (PLAIN + "\x1a", "comma"),
    "a mark": ("\ufeff" + PLAIN, "comma"),
    "UTF-16": (PLAIN.encode("utf-16"), "comma, UTF-16"),
    "UTF-16 without a mark": (PLAIN.encode("utf-16-le"), "comma, UTF-16-LE"),
    "UTF-16, big end first": (PLAIN.encode("utf-16-be"), "comma, UTF-16-BE"),
    "UTF-32": (PLAIN.encode("utf-32"), "comma, UTF-32"),
    "zero bytes": (PLAIN.encode() + b"\0" * 5, "comma, 5 zero bytes left out"),
    "a line for Excel": ("sep=;\n" + lines([HEAD, *ROWS], ";"), "semicolon, 1 line above the table left out"),
    "a title": ("Results of study 3\n\n" + PLAIN, "comma, 1 line above the table left out"),
    "a title with commas behind": ("Results,,,\nof study 3,,,\n" + PLAIN, "comma, 2 lines above the table left out"),
    "comments": ("# made in May, 2026\n# a, b, c, d\n" + PLAIN, "comma, 2 lines above the table left out"),
    "a comment as wide as the table": ("# a, b, c, d\n" + PLAIN, "comma, 1 line above the table left out"),
    "a heading marked as a comment": ("# " + PLAIN, "comma"),
    "a short row": (PLAIN.replace("M2,d2,,2", "M2,d2,,2\nM3"), "comma, 1 short row filled (line 6)"),
    "a comma more at the end": (PLAIN.replace("M2,d2,,2", "M2,d2,,2,"), "comma"),
    "a comma more at every end": (PLAIN.replace("\n", ",\n"), "comma"),
    "blanks after commas": (lines([HEAD, *ROWS], ", ").replace("M1", '"M1"').replace(", d1", ', "d1"'), "comma"),
}  # fmt: skip


@pytest.mark.parametrize("name", DELIMITED)
def test_lines_of_cells(tmp_path, name):
    content, notes = DELIMITED[name]
    table = only(parse(write(tmp_path, content)))
    rows = [*ROWS, ["M3", "", "", ""]] if name == "a short row" else ROWS
    assert cells(table) == (HEAD, rows)
    assert (table.name, table.path, ", ".join(table.notes)) == ("mine", tmp_path / "mine.csv", notes)


FULL = [row if row[2] else [*row[:2], "NA", row[3]] for row in ROWS]


@pytest.mark.parametrize(
    "content",
    [
        lines([HEAD, *FULL], " "),
        lines([HEAD, *FULL], "   "),
        lines([HEAD, *FULL], " \t "),
        lines([HEAD], " ") + lines(FULL, "\t"),
        lines([["  " + HEAD[0], *HEAD[1:-1], HEAD[-1] + "  "], *FULL], "\t  "),
    ],
)
def test_runs_of_blanks(tmp_path, content):
    table = only(parse(write(tmp_path, content)))
    names, rows = cells(table)
    assert (names, [[cell.strip() for cell in row] for row in rows]) == (HEAD, FULL)
    assert table.place(3) == "line 5"


def test_blanks_and_quotes(tmp_path):
    table = only(parse(write(tmp_path, 'system text score\nM1  "a  b" 0.5\nM2 "c ""d""" .25\n')))
    assert cells(table) == (["system", "text", "score"], [["M1", "a  b", "0.5"], ["M2", 'c "d"', ".25"]])


@pytest.mark.parametrize(
    ("content", "expected", "note"),
    [
        ("M1;0,5;0,75\nM2;1,5;0,25\n", (["c1", "c2", "c3"], [["M1", "0,5", "0,75"], ["M2", "1,5", "0,25"]]), "no heading: columns named c1, c2, ..."),
        ("a;b;c\nM1;0,5;0,75\n", (["a", "b", "c"], [["M1", "0,5", "0,75"]]), None),
        ("101 Q0 d1 1\n101 Q0 d2 0\n", (["c1", "c2", "c3", "c4"], [["101", "Q0", "d1", "1"], ["101", "Q0", "d2", "0"]]), "no heading: columns named c1, c2, ..."),
        ("M1 0.5\nM1 0.25\nM2 None\n", (["c1", "c2"], [["M1", "0.5"], ["M1", "0.25"], ["M2", "None"]]), "no heading: columns named c1, c2, ..."),
        (",score\nM1,1\nM2,2\n", (["c1", "score"], [["M1", "1"], ["M2", "2"]]), "no name above 'c1'"),
        (",0\nM1,1\nM2,2\n", (["c1", "0"], [["M1", "1"], ["M2", "2"]]), "no name above 'c1'"),
        ("rouge human\nM1 1 3\nM2 2 4\n", (["c1", "rouge", "human"], [["M1", "1", "3"], ["M2", "2", "4"]]), "no name above 'c1'"),
        ("system,1,2,3\nM1,4,3,5\nM2,1,2,3\n", (["system", "1", "2", "3"], [["M1", "4", "3", "5"], ["M2", "1", "2", "3"]]), None),
        ("system,0.1,0.2\nM1,0.3,0.4\n", (["system", "0.1", "0.2"], [["M1", "0.3", "0.4"]]), None),
        ("document,a;b,2\nx,1,3\n", (["document", "a;b", "2"], [["x", "1", "3"]]), None),
        ('document,"Tom, Dick",2\nx,1,3\n', (["document", "Tom, Dick", "2"], [["x", "1", "3"]]), None),
        ("system;rouge, 1, 2, 3\na;0.5\nb;1\n", (["system", "rouge, 1, 2, 3"], [["a", "0.5"], ["b", "1"]]), None),
        ('a,text\n1,"First;\nsecond;\nthird;"\n2,"| a |\n|---|"\n', (["a", "text"], [["1", "First;\nsecond;\nthird;"], ["2", "| a |\n|---|"]]), None),
        (f"{'9' * 5_000},{'9' * 5_000}\n1,2\n", (["c1", "c2"], [["9" * 5_000] * 2, ["1", "2"]]), "no heading: columns named c1, c2, ..."),
        ("a,b, \n1,2, \n", (["a", "b"], [["1", "2"]]), None),
        ("system,2024,2025\nM1,4,3\nM2,1,2\n", (["system", "2024", "2025"], [["M1", "4", "3"], ["M2", "1", "2"]]), None),
        ('"Elo\n [Feb]",b\n1,2\n', (["Elo [Feb]", "b"], [["1", "2"]]), None),
        ("a,b,,\n1,2,,3\n4,5,,\n", (["a", "b", "c4"], [["1", "2", "3"], ["4", "5", ""]]), "no name above 'c4'"),
        ("a,b,,\n1,2,,\n", (["a", "b"], [["1", "2"]]), None),
        ("text\nOne, and two.\nThree; four.\nFive six seven\n", (["text"], [["One, and two."], ["Three; four."], ["Five six seven"]]), None),
        ("The first of three sentences.\nAnother one.\nNone\n", (["c1"], [["The first of three sentences."], ["Another one."], ["None"]]), "no heading: columns named c1, c2, ..."),
        ("One, two, and three of these four, at least.\nThen, this.\nSo, in the end, five.\n", (["c1"], [["One, two, and three of these four, at least."], ["Then, this."], ["So, in the end, five."]]), "no heading: columns named c1, c2, ..."),
        ("score\n0.5\n0.25\n", (["score"], [["0.5"], ["0.25"]]), None),
        ("0.5\n0.25\n", (["c1"], [["0.5"], ["0.25"]]), "no heading: columns named c1, c2, ..."),
        ('a,b\n"x\ny","say ""hi"""\n"1,5",NA\n', (["a", "b"], [["x\ny", 'say "hi"'], ["1,5", "NA"]]), None),
        ('id\ttext\n1\t"Hello," she said\n2\tan inch"\n3\t"open\n', (["id", "text"], [["1", '"Hello," she said'], ["2", 'an inch"'], ["3", '"open']]), "quotation marks are part of the cells"),
        ('id\ttext\n1\t"open\n2\tclosed"\n', (["id", "text"], [["1", '"open'], ["2", 'closed"']]), "quotation marks are part of the cells"),
        ("Name,É\nx,1\n".encode("latin-1"), (["Name", "É"], [["x", "1"]]), "Latin-1"),
        ("a,b\n“x”,€\n".encode("cp1252"), (["a", "b"], [["“x”", "€"]]), "Latin-1"),
        (f"{unicodedata.normalize('NFD', 'é')},b\n1,2\n", (["é", "b"], [["1", "2"]]), None),
        ("a,b\n1,2\n3\n4,5\n\n6\n", (["a", "b"], [["1", "2"], ["3", ""], ["4", "5"], ["6", ""]]), "2 short rows filled (lines 3, 6)"),
    ],
)  # fmt: skip
def test_headings_quotes_and_encodings(tmp_path, content, expected, note):
    table = only(parse(write(tmp_path, content, "mine.txt")))
    assert cells(table) == expected
    assert [*table.notes[1:]] == [note] * (note is not None)


def test_places_are_lines(tmp_path):
    table = only(parse(write(tmp_path, '# made by hand\n\na,b\n"x\ny",1\n\n,\nz,2\n')))
    assert cells(table) == (["a", "b"], [["x\ny", "1"], ["z", "2"]])
    assert [table.place(0), table.place(1)] == ["line 4", "line 8"]


def test_a_cell_may_have_more_lines_than_are_looked_at(tmp_path):
    text = "\n".join("all; of it;" for _ in range(10_000))
    table = only(parse(write(tmp_path, f'system,text,m\na,"{text}",1\nb,"{text}",2\n')))
    assert cells(table) == (["system", "text", "m"], [["a", text, "1"], ["b", text, "2"]])
    assert table.place(1) == "line 10002"


def test_a_heading_may_be_of_any_length(tmp_path):
    documents = [f"document {i}" for i in range(6_000)]
    table = only(parse(write(tmp_path, f"system,{','.join(documents)}\nA{',1' * 6_000}\nB{',2' * 6_000}\n")))
    assert [*table.frame] == ["system", *documents]
    assert table.frame.iloc[1].tolist() == ["B"] + ["2"] * 6_000


@pytest.mark.parametrize("early", [{"m": 1}, {"m": None}, {}])
def test_late_rows_of_json_may_hold_what_early_ones_do_not(tmp_path, early):
    rows = [{"document": i} | (early if i < 120 else {"m": 2.75}) for i in range(130)]
    table = only(parse(write(tmp_path, "\n".join(map(json.dumps, rows)))))
    assert cells(table)[1] == [[i, early.get("m") if i < 120 else 2.75] for i in range(130)]


def test_cells_of_any_length(tmp_path):
    long = "x" * 200_000
    for content in (f"a,b\n{long},1\n", f'a,b\n"{long} ""y""",1\n'):
        table = only(parse(write(tmp_path, content)))
        assert table.frame["a"][0].startswith(long)
        assert table.place(0) == "line 2"


JSON = {
    "a list": (RECORDS, "JSON, list"),
    "one object": ({"model": "x", "results": RECORDS}, "JSON, list, at results"),
    "deep inside": ({"a": {"b": {"rows": RECORDS}, "c": 1}}, "JSON, list, at a.b.rows"),
    "columns of lists": ({key: [row[key] for row in RECORDS] for key in RECORDS[0]}, "JSON, columns"),
    "pandas' columns": ({k: {str(i): row[k] for i, row in enumerate(RECORDS)} for k in RECORDS[0]}, "JSON, columns"),
    "pandas' index": ({str(i): row for i, row in enumerate(RECORDS)}, "JSON, records by id"),
    "pandas' split": ({"columns": [*RECORDS[0]], "index": [0, 1, 2], "data": [[*row.values()] for row in RECORDS]}, "JSON, columns and data"),
    "pandas' values": ([[*RECORDS[0]], *([*row.values()] for row in RECORDS)], "JSON, list"),
    "a grid inside": ({"range": "A1:C4", "values": [[*RECORDS[0]], *([*row.values()] for row in RECORDS)]}, "JSON, list, at values"),
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", JSON)
def test_json(tmp_path, name, indent):
    content, note = JSON[name]
    table = only(parse(write(tmp_path, json.dumps(content, indent=indent), "mine.json")))
    assert cells(table) == ([*RECORDS[0]], [[*row.values()] for row in RECORDS])
    assert (table.name, *table.notes) == ("mine", note)


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, RECORDS)),
        "\n\n".join(map(json.dumps, RECORDS)) + "\r\n",
        "\n".join(json.dumps(row, indent=1) for row in RECORDS),
        " ".join(map(json.dumps, RECORDS)),
        "".join("\x1e" + json.dumps(row) + "\n" for row in RECORDS),
        json.dumps([*RECORDS[0]]) + "\n" + "\n".join(json.dumps([*row.values()]) for row in RECORDS),
    ],
)
def test_values_one_after_the_other(tmp_path, content):
    table = only(parse(write(tmp_path, content, "mine.jsonl")))
    assert cells(table) == ([*RECORDS[0]], [[*row.values()] for row in RECORDS])


def test_records_by_id_and_columns_with_labels(tmp_path):
    table = only(
        parse(write(tmp_path, json.dumps({"d7": {"judge": 1, "text": "a"}, "d9": {"judge": 2, "text": "b"}})))
    )
    assert cells(table) == (["id", "judge", "text"], [["d7", 1, "a"], ["d9", 2, "b"]])
    assert table.notes == ("JSON, records by id", "ids are the column 'id'")
    assert table.place(1) == "record 'd9'"
    table = only(
        parse(write(tmp_path, json.dumps({"name": {"5": "a", "7": "b"}, "x": {"5": 0.5, "7": None}})))
    )
    assert cells(table) == (["id", "name", "x"], [["5", "a", 0.5], ["7", "b", None]])
    table = only(
        parse(write(tmp_path, json.dumps({"x": {"M1": 0.5, "M2": 1}, "name": {"M1": "a", "M2": "b"}})))
    )
    assert cells(table) == (["id", "x", "name"], [["M1", 0.5, "a"], ["M2", 1, "b"]])


def test_nested_values_keep_their_levels(tmp_path):
    rows = [
        {"id": 1, "rouge-1": {"precision": 0.5, "f1": 0.25}, "by": {"w1": {"q": 3}}, "votes": [1, 2]},
        {"id": 2, "rouge-1": {"precision": 1, "f1": None}, "by": {"w2": {"q": 4}}, "votes": [{"a": 1}]},
    ]
    table = only(parse(write(tmp_path, "\n".join(map(json.dumps, rows)))))
    assert cells(table) == (
        ["id", "rouge-1.precision", "rouge-1.f1", "by.w1.q", "by.w2.q", "votes"],
        [[1, 0.5, 0.25, 3, None, [1, 2]], [2, 1, None, None, 4, [{"a": 1}]]],
    )
    assert table.keys == {
        "rouge-1.precision": ("rouge-1", "precision"),
        "rouge-1.f1": ("rouge-1", "f1"),
        "by.w1.q": ("by", "w1", "q"),
        "by.w2.q": ("by", "w2", "q"),
    }


def test_several_lists_are_several_tables(tmp_path):
    content = {"version": 2, "eval": {"task": "t"}, "gpt": RECORDS, "tags": ["x", "y"], "llama": RECORDS[:1]}
    tables = parse(write(tmp_path, json.dumps(content), "log.json"))
    assert [(table.name, len(table.frame)) for table in tables] == [("log/gpt", 3), ("log/llama", 1)]
    assert tables[1].context == {"version": 2, "eval.task": "t", "tags": ["x", "y"], "path": "llama"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"bleu": 0.5, "n": {"a": 1}}', (["bleu", "n.a"], [[0.5, 1]])),
        ('[{"a": NaN, "b": Infinity, "c": -Infinity}]', (["a", "b", "c"], [[None, np.inf, -np.inf]])),
        ("[0.5, 2, null]", (["c1"], [[0.5], [2.0], [None]])),
        ('[{"a": 9007199254740993, "b": true, "c": 1}, {"a": null, "b": false, "c": 2}]', (["a", "b", "c"], [[9007199254740993, True, 1], [None, False, 2]])),
        ('[{"a": {}}, {"b": 1}]', (["b"], [[None], [1]])),
        ('{"file.txt": [{"src": "a", "COMET": 0.5}]}', (["src", "COMET"], [["a", 0.5]])),
        ('{"config": {"lr": 1}, "results": {"d1": {"s": 1}, "d2": {"s": 2}}}', (["id", "s"], [["d1", 1], ["d2", 2]])),
        ('{"d1": {"w1": {"q": 1}}, "d2": {"w2": {"q": 2}}}', (["id", "w1.q", "w2.q"], [["d1", 1, None], ["d2", None, 2]])),
        ('{"d1": {"text": "a", "raters": [{"q": 1}]}, "d2": {"text": "b", "raters": [{"q": 2}]}}', (["id", "text", "raters"], [["d1", "a", [{"q": 1}]], ["d2", "b", [{"q": 2}]]])),
        ('{"n": 2, "rows": [{"a": 1}, {}]}', (["a"], [[1], [None]])),
        ('{"d1": {"s": 1}, "d2": {}, "d3": {"s": 2}}', (["id", "s"], [["d1", 1], ["d2", None], ["d3", 2]])),
        ('[["M1", 0.5], ["M1", 0.25], ["M2"]]', (["c1", "c2"], [["M1", 0.5], ["M1", 0.25], ["M2", None]])),
    ],
)  # fmt: skip
def test_json_of_other_shapes(tmp_path, content, expected):
    assert cells(only(parse(write(tmp_path, content, "mine.json")))) == expected


def test_a_single_line_of_json_lines_is_a_row(tmp_path):
    content = '{"id": 1, "scores": [1, 2, 3]}\n'
    assert cells(only(parse(write(tmp_path, content, "mine.jsonl")))) == (["id", "scores"], [[1, [1, 2, 3]]])
    assert cells(only(parse(write(tmp_path, content, "mine.json"))))[1] == [[1], [2], [3]]


def zipped(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.csv.gz", gzip.compress(PLAIN.encode(), mtime=0)),
        ("mine.csv.bz2", bz2.compress(PLAIN.encode())),
        ("mine.csv.xz", lzma.compress(PLAIN.encode())),
        ("mine.csv", gzip.compress(PLAIN.encode(), mtime=0)),
        ("mine.csv", zipped({"mine.csv": PLAIN, "__MACOSX/._mine.csv": b"\0\0"})),
        ("other.zip", zipped({"mine.csv": PLAIN})),
        ("other.zip", zipped({"mine.csv.gz": gzip.compress(PLAIN.encode(), mtime=0)})),
        ("other.zip", zipped({"inner.zip": zipped({"mine.csv": PLAIN})})),
    ],
)
def test_what_is_packed(tmp_path, name, content):
    table = only(parse(write(tmp_path, content, name)))
    assert (cells(table), table.name, table.path) == ((HEAD, ROWS), "mine", tmp_path / name)


def test_folders_and_archives(tmp_path):
    files = {
        "b.csv": PLAIN,
        "README.md": "# hello",
        "in/a.jsonl": "\n".join(map(json.dumps, RECORDS)),
        ".x.csv": "",
    }
    (tmp_path / "folder" / "in").mkdir(parents=True)
    for name, content in files.items():
        write(tmp_path / "folder", content, name)
    for path in (tmp_path / "folder", write(tmp_path, zipped(files), "folder.zip")):
        tables = parse(path)
        assert [(table.name, len(table.frame)) for table in tables] == [("b", 4), ("in/a", 3)]
        assert tables[0].notes[-1].endswith("'README.md'")


def test_names_of_tables(tmp_path):
    for name, stem in {
        "gpt-4.1.jsonl": "gpt-4.1",
        "a.CSV": "a",
        "en-de.mqm.seg.score": "en-de.mqm.seg",
        "notes": "notes",
        "people.qrels": "people",
        "gpt-4.1": "gpt-4.1",
        ".csv": ".csv",
    }.items():
        assert only(parse(write(tmp_path, PLAIN, name))).name == stem


def test_a_name_that_is_no_utf8(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    with open(path, "w") as file:
        file.write(PLAIN)
    table = only(parse(os.fsdecode(path)))
    assert (table.name, cells(table)) == ("café", (HEAD, ROWS))


NATIVE = {
    "id": [1, 2],
    "x": [0.1, 2.5],
    "name": ["a", None],
    "at": [[1, 2], [3]],
    "s": [{"f": 1.0}, {"f": 2.0}],
}
EXPECTED = (["id", "x", "name", "at", "s.f"], [[1, 0.1, "a", [1, 2], 1.0], [2, 2.5, None, [3], 2.0]])


@pytest.mark.parametrize(
    "write_frame", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc, pl.DataFrame.write_ipc_stream]
)
@pytest.mark.processes
def test_binary_files(tmp_path, write_frame):
    write_frame(pl.DataFrame(NATIVE), tmp_path / "mine.bin")
    table = only(parse(tmp_path / "mine.bin"))
    assert cells(table) == EXPECTED
    assert table.keys == {"s.f": ("s", "f")}
    assert table.frame["id"].dtype == np.int64


def workbook(sheets):
    """A workbook of sheets; numbers are numbers, None is no cell."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    of = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    ids = range(1, len(sheets) + 1)

    def cell(place, value):
        if value is None:
            return ""
        if isinstance(value, int | float):
            return f'<c r="{place}"><v>{value}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'

    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Type="{of}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{of}"><sheets>'
        + "".join(
            f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in zip(ids, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(
            f'<Relationship Id="r{i}" Type="{of}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in ids
        )
        + "</Relationships>",
    }
    for i, rows in zip(ids, sheets.values(), strict=True):
        body = "".join(
            f'<row r="{n}">'
            + "".join(cell(f"{'ABCDEFGH'[k]}{n}", value) for k, value in enumerate(row))
            + "</row>"
            for n, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/sheet{i}.xml"] = f"<worksheet {main}><sheetData>{body}</sheetData></worksheet>"
    return zipped(parts)


@pytest.mark.processes
def test_workbooks(tmp_path):
    pytest.importorskip("fastexcel")
    head = ["system", "text", "score", None]
    content = workbook(
        {
            "May": [
                ["Results of study 3"],
                [],
                head,
                ["M1", "007", 1],
                [],
                ["M2", None, 2],
                ["M3", "x", None, None],
            ],
            "June": [["system", "score"], ["M1", 0.1], ["M2", 1e-17], ["M3", 3]],
            "empty": [],
        }
    )
    may, june = parse(write(tmp_path, content, "mine.xlsx"))
    assert (may.name, june.name) == ("mine/May", "mine/June")
    assert cells(may) == (["system", "text", "score"], [["M1", "007", 1], ["M2", None, 2], ["M3", "x", None]])
    assert may.notes == ("Excel", "1 line above the table left out")
    assert [may.place(row) for row in range(3)] == ["row 4", "row 6", "row 7"]
    assert cells(june) == (["system", "score"], [["M1", 0.1], ["M2", 1e-17], ["M3", 3.0]])


def test_frames_of_pandas():
    frame = pd.DataFrame(
        {
            "x": [0.5, np.nan],
            "n": pd.array([1, None], dtype="Int64"),
            "who": pd.Categorical(["a", "b"]),
            7: ["s", None],
        }
    )
    before = frame.copy()
    table = only(parse(frame, "scores"))
    assert cells(table) == (["x", "n", "who", "7"], [[0.5, 1, "a", "s"], [None, None, "b", None]])
    assert (table.name, table.path, table.place(1)) == ("scores", None, "row 2")
    pd.testing.assert_frame_equal(frame, before)


def test_named_levels_of_an_index_are_columns():
    long = pd.DataFrame({"system": ["A", "A", "B"], "document": [1, 2, 1], "score": [0.5, 1.0, 0.25]})
    expected = (["system", "document", "score"], [["A", 1, 0.5], ["A", 2, 1.0], ["B", 1, 0.25]])
    assert cells(only(parse(long.set_index(["system", "document"])))) == expected
    assert cells(only(parse(long[long.index >= 0]))) == expected
    unnamed = pd.DataFrame({"score": [0.5, 1.0]}, index=["A", "B"])
    assert cells(only(parse(unnamed))) == (["c1", "score"], [["A", 0.5], ["B", 1.0]])
    wide = long.pivot(index="system", columns="document", values="score")
    assert cells(only(parse(wide))) == (["system", "1", "2"], [["A", 0.5, 1.0], ["B", 0.25, None]])
    two = pd.concat({"human": wide, "judge": wide}, axis=1)
    table = only(parse(two))
    assert [*table.frame] == ["system", "human.1", "human.2", "judge.1", "judge.2"]
    assert table.keys["judge.2"] == ("judge", "2")


def test_frames_of_polars():
    assert cells(only(parse(pl.DataFrame(NATIVE)))) == EXPECTED
    took, odd = [dt.timedelta(seconds=1), dt.timedelta(minutes=2)], [object(), object()]
    frame = pl.DataFrame(
        {
            "texts": [b"a", "é".encode()],
            "bytes": [b"\xff", b"a"],
            "took": took,
            "x": pl.Series([0.5, None], dtype=pl.Float32),
        }
    ).with_columns(pl.Series("odd", odd, dtype=pl.Object))
    expected = [["a", b"\xff", took[0], 0.5, odd[0]], ["é", b"a", took[1], None, odd[1]]]
    assert cells(only(parse(frame))) == (["texts", "bytes", "took", "x", "odd"], expected)


ERRORS = [
    ("mine.csv", "", "mine.csv is empty; it needs a line that names its columns, and lines of values"),
    ("mine.csv", "\n\n", "mine.csv is empty; it needs a line that names its columns, and lines of values"),
    ("mine.csv", "a,b\n", "mine.csv has no rows; it needs a line that names its columns, and lines of values"),
    ("mine.csv", "a,b\n1,2\n3,4,5\n6,7\n8,9,1,2\n", "mine.csv, lines 3, 5: more cells than the 2 columns (comma); put cells that hold a comma into quotes, or name all columns"),
    ("mine.csv", "system,m\na; b,1,2\nc; d,1,2,3\n", "mine.csv, lines 2, 3: more cells than the 2 columns (comma); put cells that hold a comma into quotes, or name all columns"),
    ("mine.csv", 'a,b\n1,"x\n2,y,z\n', "mine.csv, line 2: is not CSV (unexpected end of data); put the whole cell into quotes, each mark in it twice"),
    ("mine.csv", "a,b,a\n1,2,3\n", "mine.csv: columns 1 and 3 are called 'a' and 'a'; are these one and the same? Rename one of them, or leave it out"),
    ("mine.csv", "Score,b,score \n1,2,3\n", "mine.csv: columns 1 and 3 are called 'Score' and 'score'; are these one and the same? Rename one of them, or leave it out"),
    ("mine.csv", "é,b,e\u0301\n1,2,3\n", "mine.csv: columns 1 and 3 are called 'é' and 'é'; are these one and the same? Rename one of them, or leave it out"),
    ("mine.csv", "a,b\né,ü\n".encode() + b"\xe9,1\n", "mine.csv, line 3: is not UTF-8, though other lines are; save the whole file as UTF-8"),
    ("mine.json", '{"a": 1', "mine.json, line 1: is not JSON (Expecting ',' delimiter, character 8)"),
    ("mine.jsonl", '{"a": 1}\n{"a": oops}\n', "mine.jsonl, line 2: is not JSON (Expecting value, character 7)"),
    ("mine.jsonl", '{"a": 1}\n[1]\n', "mine.jsonl, line 2: is a list, where the first row is a mapping; rows must be alike"),
    ("mine.json", '{"rows": [{"a": 1}, null]}', "mine.json, row 2: is a single value, where the first row is a mapping; rows must be alike"),
    ("mine.jsonl", "{'a': 1}\n{'a': 2}\n", "mine.jsonl is Python's way to print a mapping; write it with json.dumps"),
    ("mine.json", '[{"a": 1}, 3]', "mine.json, row 2: is a single value, where the first row is a mapping; rows must be alike"),
    ("mine.jsonl", '{"a": 1}\n{"a": 1, "a": 2}\n', "mine.jsonl, line 2: a mapping has keys twice: 'a'; keep one of each"),
    ("mine.json", "[" * 100_000 + "1", "mine.json, line 1: is nested too deeply; write it as CSV"),
    ("mine.json", '{"a":' * 100_000, "mine.json, line 1: is nested too deeply; write it as CSV"),
    ("mine.jsonl", '{"a": 1}\n{"a": ' + "7" * 5_000 + "}", "mine.jsonl, line 2: a number has too many digits; put it into quotes"),
    ("mine.json", "{}", "mine.json has no rows; it needs a line that names its columns, and lines of values"),
    ("mine.csv", "<!DOCTYPE html><html>", "mine.csv is a web page; download the file itself"),
    ("mine.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "mine.csv is a pointer to a file in Git LFS; `git lfs pull` fetches it"),
    ("mine.csv", bytes(range(256)) * 9, "mine.csv is no text, and no Parquet, Feather or Excel file; save it as CSV or JSON"),
    ("mine.csv.gz", gzip.compress(PLAIN.encode(), mtime=0)[:-9], "mine.csv.gz cannot be unpacked (Compressed file ended before the end-of-stream marker was reached); unpack it yourself, if it is whole"),
    ("mine.zip", zipped({"mine.csv": PLAIN})[:-9], "mine.zip cannot be unpacked (File is not a zip file); unpack it yourself, if it is whole"),
    ("mine.zip", zipped({}), "mine.zip is no text, and no Parquet, Feather or Excel file; save it as CSV or JSON"),
    ("mine.zip", zipped({"in/mine.csv": "a,b\n"}), "mine.zip/in/mine.csv has no rows; it needs a line that names its columns, and lines of values"),
]  # fmt: skip


def test_lists_one_after_the_other_are_one_table(tmp_path):
    pages = write(tmp_path, '[{"a": 1, "b": "x"},\n {"a": 2, "b": "y"}]\n[{"a": 3, "b": "z"}]', "pages.json")
    (table,) = parse(pages)
    assert table.frame.to_numpy().tolist() == [[1, "x"], [2, "y"], [3, "z"]]


@pytest.mark.parametrize(("name", "content", "message"), ERRORS)
def test_errors(tmp_path, name, content, message):
    with pytest.raises(DataError) as error:
        parse(write(tmp_path, content, name))
    assert str(error.value) == message


def test_errors_of_paths(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^no file or folder 'nowhere\.csv' in "):
        parse("nowhere.csv")
    write(tmp_path, "a\n1\n", "wide.csv")
    with pytest.raises(FileNotFoundError, match=r" Did you mean 'wide\.csv'\?$"):
        parse(tmp_path / "wide.cvs")
    (tmp_path / "wide.csv").unlink()
    with pytest.raises(DataError, match="holds no files with tables"):
        parse(tmp_path)
    with pytest.raises(DataError, match=r"is a pipe or a device; write what comes from it to a file"):
        parse(os.devnull)
    for frame in (pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame()):
        with pytest.raises(DataError, match=r"^table has no rows"):
            parse(frame)
    frame = pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="a"))
    with pytest.raises(DataError, match=r"two columns, or levels of the index, are called 'a'"):
        parse(frame)


def test_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ImportError, match=r"pip install 'metaeval\[excel\]'"):
        parse(write(tmp_path, workbook({"s": [["a"], [1]]}), "mine.xlsx"))


LEFT_OUT = [
    ("events.jsonl", '{"spec": 1}\n{"id": 1, "m": 2}\n{"id": 2, "m": 4}\n{"id": 3}\n{"acc": 0.5}\n', [[1, 2], [2, 4], [3, None]], "2 rows of another kind left out"),
    ("end.jsonl", '{"id": 1, "m": 2}\n{"id": 2, "m": 4}\n"end"\n', [[1, 2], [2, 4]], "1 row of another kind left out"),
    ("hole.json", '[{"id": 1, "m": 2}, {"id": 2, "m": 4}, null]', [[1, 2], [2, 4]], "1 row of another kind left out"),
    ("twice.csv", "id,m\n1,2\nid,m\n2,4\n", [["1", "2"], ["2", "4"]], "1 line with the heading again left out"),
    ("mark.md", "|id|m|\n|---|:---:|\n|1|2|\n|2|4|\n", [["1", "2"], ["2", "4"]], "1 line with the heading again left out"),
    ("title.csv", "Our results, of May\nsystem,item,m\na,b,2\nc,d,4\n", [["a", "b", "2"], ["c", "d", "4"]], "1 line above the table left out"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "rows", "note"), LEFT_OUT)
def test_rows_that_are_no_data_are_left_out_and_counted(tmp_path, name, content, rows, note):
    table = only(parse(write(tmp_path, content, name)))
    assert cells(table)[1] == rows
    assert note in table.notes


def test_a_row_keeps_its_line_where_others_are_left_out(tmp_path):
    events = only(parse(write(tmp_path, LEFT_OUT[0][1], "events.jsonl")))
    twice = only(parse(write(tmp_path, LEFT_OUT[3][1], "twice.csv")))
    assert (events.locate(0), events.locate(2), twice.locate(1)) == ("line 2", "line 4", "line 4")


def test_an_empty_file_in_a_folder_is_left_out_and_named(tmp_path):
    for name, content in (("a.csv", PLAIN), ("b.csv", ""), ("c.csv", "system,score\n")):
        write(tmp_path, content, name)
    table = only(parse(tmp_path))
    assert len(table.frame) == 4
    assert any(
        note.startswith("left out of") and "'b.csv'" in note and "'c.csv'" in note for note in table.notes
    )
