"""Texts of users in every layout, and what is wrong with them said with its place."""

import json
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from metaeval.core.errors import DataError
from metaeval.own.texts import read_texts

SUMMARIES = [["a cat", "", "two cats"], ["a dog", "no dog", "x"]]


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


def lines(path, texts):
    return write(path, "".join(f"{text}\n" for text in texts))


def read(texts):
    systems, documents = (texts.summaries.indexes[dim] for dim in ("system", "document"))
    values = texts.summaries.to_numpy()
    return {
        (s, d): None if pd.isna(values[i, j]) else values[i, j]
        for i, s in enumerate(systems)
        for j, d in enumerate(documents)
    }


def test_lines_are_documents_and_files_systems(tmp_path):
    files = [
        lines(tmp_path / f"{name}.txt", texts) for name, texts in zip(("A", "B.1"), SUMMARIES, strict=True)
    ]
    refs = [lines(tmp_path / f"{name}.ref", [f"{name} {i}" for i in range(3)]) for name in "xy"]
    source = write(tmp_path / "src.txt", "one\r\ntwo\x0b\x85\nthree")
    found = read_texts(files, refs, source)
    assert found.summaries.indexes["system"].tolist() == ["A", "B.1"]
    assert found.summaries.to_numpy().tolist() == SUMMARIES
    assert found.references == {"1": ("x 0", "y 0"), "2": ("x 1", "y 1"), "3": ("x 2", "y 2")}
    assert found.sources == {"1": "one", "2": "two\x0b\x85", "3": "three"}
    folder = tmp_path / "outputs"
    for file in files:
        lines(folder / file.name, file.read_text().split("\n")[:-1])
    assert read_texts([folder], refs).summaries.identical(found.summaries)


def test_files_may_be_given_in_any_order(tmp_path):
    given = [lines(tmp_path / name, texts) for name, texts in zip(("b.txt", "a.txt"), SUMMARIES, strict=True)]
    assert read(read_texts(given))["b", "1"] == "a cat"
    assert read(read_texts(given)) == read(read_texts(given[::-1]))


def test_folders_are_systems_and_files_documents(tmp_path):
    for system, texts in zip("AB", SUMMARIES, strict=True):
        for i, text in enumerate(texts):
            write(tmp_path / "out" / system / f"doc{i}.txt", f"{text}\n")
    for i in range(3):
        write(tmp_path / "gold" / f"doc{i}.txt", f"first line\nof {i}\n")
    write(tmp_path / "out" / ".hidden", "")
    found = read_texts([tmp_path / "out"], [tmp_path / "gold"])
    assert read(found) == {
        (system, f"doc{i}"): text
        for system, row in zip("AB", SUMMARIES, strict=True)
        for i, text in enumerate(row)
    }
    assert found.references["doc2"] == ("first line\nof 2",)
    assert read(read_texts([tmp_path / "out" / "A"])) == {
        ("A", f"doc{i}"): text for i, text in enumerate(SUMMARIES[0])
    }


ROWS = [
    {"system": "A", "document": "d1", "summary": "a cat", "references": ["a", "b"], "source": "s"},
    {"system": "B", "document": "d1", "summary": "", "references": ["a", "b"], "source": "s"},
    {"system": "A", "document": "d2", "summary": None, "references": [], "source": "t"},
]


def test_columns_may_have_any_names(tmp_path):
    rows = [{"who": "A", "what": "d1", "said": "a cat", "one": "a", "other": "b", "read": "s"}]
    path = write(tmp_path / "t.jsonl", json.dumps(rows[0]))
    columns = {"system": ["who"], "document": ["what"], "summary": ["said"], "reference": ["one", "other"], "source": ["read"]}  # fmt: skip
    found = read_texts([path], columns=columns)
    assert (read(found), found.references, found.sources) == (
        {("A", "d1"): "a cat"},
        {"d1": ("a", "b")},
        {"d1": "s"},
    )
    with pytest.raises(DataError, match="one column of the summary"):
        read_texts([path], columns={**columns, "summary": ["said", "read"]})


def test_rows_of_json_and_parquet(tmp_path):
    jsonl = write(tmp_path / "t.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))
    parquet = tmp_path / "t.parquet"
    pl.DataFrame(ROWS).write_parquet(parquet)
    for path in (jsonl, parquet):
        found = read_texts([path])
        assert read(found) == {("A", "d1"): "a cat", ("B", "d1"): "", ("A", "d2"): None, ("B", "d2"): None}
        assert found.references == {"d1": ("a", "b")}
        assert found.sources == {"d1": "s", "d2": "t"}


def test_rows_of_csv_with_names_of_others_and_references_beside(tmp_path):
    csv = write(tmp_path / "bart.csv", 'id,prediction,article,ref_1,ref_2\nd1,"a, cat",s,r,\nd2,,t,r,q\n')
    found = read_texts([csv])
    assert read(found) == {("bart", "d1"): "a, cat", ("bart", "d2"): ""}
    assert found.references == {"d1": ("r",), "d2": ("r", "q")}
    assert found.sources == {"d1": "s", "d2": "t"}
    gold = write(tmp_path / "gold.tsv", "doc_id\treference\nd1\tx\nd2\t\n")
    assert read_texts([csv], [gold]).references == {"d1": ("x",), "d2": ("",)}


CASES = {
    "lengths": (
        {"a.txt": "x\ny\n", "r.txt": "x\n"},
        "files of lines must have one line per document, all alike; they have: {a.txt} 2, {r.txt} 1",
    ),
    "system twice": (
        {"a.txt": "x\n", "b/a.txt": "y\n"},
        "the summary of system 'a', document '1' comes twice: {a.txt}, line 1, and {b/a.txt}, line 1; keep one",
    ),
    "summary twice": (
        {"a.csv": "system,document,summary\nA,1,x\nA,2,y\nA,1,z\n"},
        "the summary of system 'A', document '1' comes twice: a.csv, line 2, and a.csv, line 4",
    ),
    "two references": (
        {"a.csv": "system,document,summary,reference\nA,1,x,r\nB,1,y,q\n"},
        "a.csv: document '1' has two different texts in 'reference': a.csv, line 2, and a.csv, line 3",
    ),
    "no summaries": ({"a.csv": "system,document,sumary\nA,1,x\n"}, "a.csv: no column of summaries among"),
    "a number": (
        {"a.jsonl": '{"document": "1", "summary": null}\n{"document": "2", "summary": 3}\n'},
        "a.jsonl, line 2, column 'summary': must be a text, got int 3",
    ),
    "a number among texts": (
        {"a.jsonl": '{"document": "1", "summary": "x"}\n\n{"document": "2", "summary": 3}\n'},
        "a.jsonl, line 3, column 'summary': must be a text, got int 3",
    ),
    "a number among references": (
        {"a.jsonl": '{"summary": "x", "references": ["a", "b"]}\n{"summary": "y", "references": ["c", 5]}\n'},
        "a.jsonl, line 2, column 'references': must be a text, got int 5",
    ),
    "no name": (
        {"a.csv": "system,document,summary\nA,,x\n"},
        "a.csv, line 2, column 'document': the name of the document is empty; fill it in",
    ),
    "control character": (
        {"a.jsonl": '{"document": "d\\u0007", "summary": "x"}\n'},
        "a.jsonl, line 1, column 'document': the name of the document 'd\\x07' holds a control character",
    ),
    "bytes": ({"a.txt": "\udcff\n"}, "a.txt is not UTF-8: byte 0"),
    "documents apart": (
        {"a.csv": "document,summary\nd1,x\n", "r.txt": "x\n"},
        "no document has a reference: summaries are of 'd1', references of '1'; call documents alike",
    ),
    "an empty folder": ({"a.txt/.x": ""}, "is empty; it needs a text file per document"),
    "folders and files": ({"a/b/c.txt": "x", "a/d.txt": "x"}, "holds folders and files"),
    "too deep": ({"a/b/c/d.txt": "x"}, "is the folder of a system and holds a folder: 'c'"),
    "a document twice": ({"a/d.txt": "x", "a/d.md": "x"}, "document 'd' comes twice: "),
    "a mapping": (
        {"a.jsonl": '{"document": [1], "summary": "x"}\n'},
        "must be a name, got a list, a mapping or bytes",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said_with_its_place(case, tmp_path):
    files, said = CASES[case]
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf8", "surrogateescape"))
        said = said.replace(f"{{{name}}}", str(path))
    given = list(
        dict.fromkeys(tmp_path / (name if name.startswith("b/") else name.split("/")[0]) for name in files)
    )
    references = [path for path in given if path.name == "r.txt"]
    with pytest.raises(DataError, match=re.escape(said)):
        read_texts([path for path in given if path not in references], references)


def test_no_file_and_no_column_of_references(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder 'nowhere'"):
        read_texts([Path("nowhere")])
    table = write(tmp_path / "a.csv", "document,summary\nd1,x\n")
    with pytest.raises(DataError, match=r"a\.csv: no column of references among .*; call it reference"):
        read_texts([table], [table])
