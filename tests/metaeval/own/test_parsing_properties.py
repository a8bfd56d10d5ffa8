"""Whatever is written in one of the formats is read back, and no file ends in anything but an error in words."""

import bz2
import csv
import gzip
import io
import json
import lzma

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from metaeval.core.errors import DataError
from metaeval.own.parsing import parse
from tests.metaeval.own.test_parsing import PLAIN, RECORDS, zipped

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# no control characters, of which a text has none, nor half characters, which no encoding has
TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\r\t\",;| 0.5'#"), max_size=8
)
NUMBER = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers().map(str)
NAME = st.text(st.sampled_from("abcdeé ü"), max_size=6).map(lambda name: f"column {name}".strip())
PACK = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda data: zipped({"a": data}),
}


@st.composite
def tables(draw, cells=TEXT | NUMBER, least=2):
    """Names of columns, and rows with at least one cell that holds something."""
    n = draw(st.integers(least, 5))
    names = draw(st.lists(NAME, min_size=n, max_size=n, unique_by=lambda name: " ".join(name.split())))
    row = st.lists(cells, min_size=n, max_size=n).filter(
        lambda row: any(str(cell or "").strip() for cell in row)
    )
    return [" ".join(name.split()) for name in names], draw(st.lists(row, min_size=1, max_size=30))


def read(folder, content, name):
    path = folder / name
    path.write_bytes(content)
    (table,) = parse(path)
    return [*table.frame], table.frame.to_numpy(dtype=object).tolist()


@FEW
@given(
    tables(),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    st.sampled_from([*PACK]),
)
def test_what_is_written_as_csv_is_read(tmp_path, table, separator, end, quoting, encoding, pack):
    names, rows = table
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows([names, *rows])
    # Python's writer leaves such a cell without quotes
    assume(quoting == csv.QUOTE_ALL or not any("\r" in cell for row in rows for cell in row))
    # such a line is two rows as well, with a quotation mark each
    assume(separator != "\t" or not any("\t" in cell and "\n" in cell for row in rows for cell in row))
    content = PACK[pack](text.getvalue().encode(encoding))
    assert read(tmp_path, content, f"mine.csv{pack}") == (names, rows)


@FEW
@given(
    tables(st.text(st.characters(categories=["L", "N", "S"], exclude_characters='"#'), min_size=1)),
    st.sampled_from([" ", "   ", "\t ", " \t"]),
)
def test_what_blanks_part_is_read(tmp_path, table, blanks):
    names, rows = [name.replace(" ", "_") for name in table[0]], table[1]
    assume(not any(sign in cell for row in rows for cell in row for sign in ";,|"))
    content = "".join(blanks.join(row) + "\n" for row in [names, *rows]).encode()
    read_names, read_rows = read(tmp_path, content, "mine.txt")
    assert (read_names, [[cell.strip() for cell in row] for row in read_rows]) == (names, rows)


@FEW
@given(
    tables(st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | TEXT, 1),
    st.sampled_from([None, 1]),
    st.sampled_from(["list", "lines", "inside", "columns", "split"]),
)
def test_what_is_written_as_json_is_read(tmp_path, table, indent, arrangement):
    names, rows = table
    records = [dict(zip(names, row, strict=True)) for row in rows]
    content = {
        "list": records,
        "inside": {"version": 1, "deeper": {"rows": records, "none": []}},
        "columns": {name: {str(i): row[k] for i, row in enumerate(rows)} for k, name in enumerate(names)},
        "split": {"columns": names, "data": rows},
        "lines": None,
    }[arrangement]
    assume(arrangement not in ("columns", "split") or len(names) > 1)
    text = (
        json.dumps(content, indent=indent)
        if content
        else "\n".join(json.dumps(one, indent=indent) for one in records)
    )
    read_names, read_rows = read(
        tmp_path, text.encode(), f"mine.{'jsonl' if arrangement == 'lines' else 'json'}"
    )
    assert read_names == names
    assert [[None if cell != cell else cell for cell in row] for row in read_rows] == rows


def read_or_refuse(folder, content, name):
    path = folder / name
    path.write_bytes(content)
    try:
        tables, message = parse(path), f"{name}."
    except DataError as error:
        tables, message = [], str(error)
    for table in tables:
        assert table.place(0)
        assert table.frame.columns.is_unique
        assert len(table.frame)
    assert name in message
    assert "\n" not in message


SEEDS = [
    PLAIN.encode(),
    PLAIN.replace("M1", '"M ""1"""').encode("utf-16"),
    json.dumps(RECORDS, indent=1).encode(),
    "\n".join(map(json.dumps, RECORDS)).encode(),
    json.dumps({"a": 1, "rows": {"x": RECORDS[0], "y": RECORDS[1]}}).encode(),
    gzip.compress(PLAIN.encode(), mtime=0),
    zipped({"a.csv": PLAIN, "b/c.json": json.dumps(RECORDS)}),
]
TOKENS = [b"\0", b"\r", b"\n", b'"', b",", b";", b"\t", b"|", b" ", b"#", b"\xff", b"\xe9", b"[", b"]", b"{", b"}", b"NaN", b"null", b"1", b"\x1a", b"\xef\xbb\xbf"]  # fmt: skip


@FEW
@given(st.binary(max_size=200) | st.lists(st.sampled_from(TOKENS), max_size=40).map(b"".join))
def test_no_bytes_end_in_another_error(tmp_path, content):
    read_or_refuse(tmp_path, content, "mine.csv")


@FEW
@given(
    st.sampled_from(SEEDS),
    st.lists(
        st.tuples(st.integers(0, 400), st.integers(0, 3), st.sampled_from(TOKENS)), min_size=1, max_size=3
    ),
)
def test_no_damage_ends_in_another_error(tmp_path, content, changes):
    for place, length, token in changes:
        place %= len(content)
        content = content[:place] + token + content[place + length :]
    read_or_refuse(tmp_path, content, "mine.json")


@pytest.mark.slow
@settings(FEW, max_examples=10_000)
@given(st.sampled_from(SEEDS), st.data())
def test_no_damage_of_many_ends_in_another_error(tmp_path, content, data):
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content)))
        content = (
            content[:place]
            + data.draw(st.sampled_from(TOKENS) | st.binary(max_size=4))
            + content[place + data.draw(st.integers(0, 9)) :]
        )
    read_or_refuse(tmp_path, content, data.draw(st.sampled_from(["mine.csv", "mine.jsonl"])))
