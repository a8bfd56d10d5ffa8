"""Ten thousand malformed files, and as many arrays: each is read as what it says, by another reader, or refused in
words. `python -m pytest -m slow tests/metaeval/test_malformed.py` tries them all, in some minutes."""

import contextlib
import csv
import gzip
import io
import json
import random
import re
import subprocess
import sys
import threading
import unicodedata
import warnings
import zipfile
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import numpy as np
import polars as pl
import pytest

import metaeval
from metaeval import correlation
from metaeval.__main__ import PROGRAM
from metaeval.core.errors import DataError, MissingExtraError, UnknownNameError
from metaeval.own.parsing import binary
from metaeval.own.tidy import tidy
from metaeval.own.words import lexicon, people_of
from tests import oracles

REFUSALS = (DataError, UnknownNameError, MissingExtraError)  # not ValueError, which Python's own mistakes are
N_FILES = 10_000
SEED = 20211122


def table(*columns, rows):
    return [dict(zip(columns, row, strict=True)) for row in rows]


LONG = table(
    "system", "document", "judge", "score",
    rows=[(s, d, j, round(1 + 0.37 * i + 0.5 * k + (len(j) * k) % 3, 2)) for i, s in enumerate("abcd") for k, d in enumerate(("x", "y")) for j in ("m", "human")],
)  # fmt: skip
WIDE = table(
    "system", "document", "m", "TER", "rater_1", "rater_2",
    rows=[(s, d, 0.3 * i + k, 50 - i, i % 3, "" if i == k else i % 2) for i, s in enumerate("abcd") for k, d in enumerate(("x", "y"))],
)  # fmt: skip
LABELLED = table("item", "m", "human", rows=[(i, "pass" if i % 3 else "fail", "pass" if i % 2 else "fail") for i in range(8)])  # fmt: skip
PAIRS = table(
    "item", "model_a", "model_b", "judge", "winner",
    rows=[(i, "p", "q", j, ("p", "q", "tie")[(i + len(j)) % 3]) for i in range(6) for j in ("m", "human")],
)  # fmt: skip
LOG = {
    "version": 2, "status": "success", "eval": {"model": "a"},
    "samples": [{"id": i, "scores": {"match": {"value": "CIPN"[i % 4]}, "graded": {"value": i / 2}}} for i in range(1, 6)],
}  # fmt: skip


def delimited(rows, sign=","):
    return "".join(sign.join(map(str, cells)) + "\n" for cells in [rows[0], *(row.values() for row in rows)])


def parquet(rows):
    content = io.BytesIO()
    pl.DataFrame(rows).write_parquet(content)
    return content.getvalue()


def workbook(rows, sheet=None, *, how=zipfile.ZIP_DEFLATED):
    """An Excel file of one sheet with what an Excel file has at least; or one with another sheet."""
    form, of = "http://schemas.openxmlformats.org", "relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{form}/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{form}/package/2006/{of}"><Relationship Id="a" Type="{form}/officeDocument/2006/{of}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{form}/spreadsheetml/2006/main" xmlns:r="{form}/officeDocument/2006/{of}"><sheets><sheet name="s" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{form}/package/2006/{of}"><Relationship Id="a" Type="{form}/officeDocument/2006/{of}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": sheet_of(rows) if sheet is None else sheet,
    }  # fmt: skip
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", how) as written:
        for name, part in parts.items():
            written.writestr(zipfile.ZipInfo(name), part, how)  # without the time
    return content.getvalue()


def sheet_of(rows):
    """XML of a worksheet, each cell with its place, as Excel writes it."""
    said = "".join(
        f'<row r="{i}">'
        + "".join(
            f'<c r="{letter}{i}"><v>{cell}</v></c>'
            if isinstance(cell, int | float)
            else f'<c r="{letter}{i}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for letter, cell in zip("ABCDEFGH", cells, strict=False)
        )
        + "</row>"
        for i, cells in enumerate([[*rows[0]], *(row.values() for row in rows)], 1)
    )
    form = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{form}"><sheetData>{said}</sheetData></worksheet>'.encode()


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# name of a file -> what it holds before anything happens to it
WHOLE = {
    "long.csv": delimited(LONG).encode(),
    "wide.tsv": delimited(WIDE, "\t").encode(),
    "wide;.csv": delimited(WIDE, ";").encode(),
    "labelled.csv": delimited(LABELLED).encode(),
    "pairs.csv": delimited(PAIRS).encode(),
    "quoted.csv": delimited(LONG).replace("a,", '"a, ""b""",').encode(),
    "utf16.csv": delimited(LONG).encode("utf-16"),
    "long.csv.gz": gzip.compress(delimited(LONG).encode(), mtime=0),
    "long.jsonl": lines(LONG).encode(),
    "wide.jsonl": lines(WIDE).encode(),
    "long.json": json.dumps(LONG).encode(),
    "long.parquet": parquet(LONG),
    "long.xlsx": workbook(LONG),
    "stored.xlsx": workbook(LONG, how=zipfile.ZIP_STORED),
    "en-de.mqm.seg.score": b"".join(f"{s} {i + k}\n".encode() for i, s in enumerate("abc") for k in range(3)),
    "log.json": json.dumps(LOG).encode(),
}
INSIDE = "inside.xlsx"  # damaged before it is packed
TOKENS = (
    "", " ", "\0", "\r", "\n", "\r\n", '"', "'", ",", ";", "\t", "\ufeff", "\u2028", "é", "٣", "３", "\x1b", "{", "}", "[", "]", ":",
    "nan", "NaN", "inf", "-Infinity", "1e400", "-1e-400", "1_000", "1,5", "1.000,5", "0x10", "1e5_0", "5%", "--", "N/A", "null", "None", "true",
    "false", "pass", "tie", "9" * 400, "9223372036854775808", "-0", "+1", ".5", "1.", "1e", "=1+1", "<script>", "system", "score", "human", "\\", "\\u0000", '""',
    "[" * 5_000, '{"a":' * 3_000, '"score": 2, ', '"value": 3, ', "[1]", "{}", '{"a": 1}',
)  # fmt: skip


def mutated(content, rng):
    """A file after one to three accidents."""
    for _ in range(rng.randint(1, 2)):
        i, j = sorted(rng.randrange(len(content) + 1) for _ in range(2))
        token = rng.choice(TOKENS).encode("utf-8", "surrogatepass")
        rows = content.split(b"\n")
        a, b = rng.randrange(len(rows)), rng.randrange(len(rows))
        sign = rng.choice([b",", b"\t", b";", b'"', b" "])
        cells = rows[a].split(sign)
        c = rng.randrange(len(cells))
        match rng.randrange(14):
            case 0:
                content = content[:i]
            case 1:
                content = content[:i] + content[j:]
            case 2:
                content = content[:i] + token + content[i:]
            case 3:
                content = content[:i] + token + content[min(i + 1, j) :]
            case 4 if content:
                i = min(i, len(content) - 1)
                content = content[:i] + bytes([content[i] ^ 1 << rng.randrange(8)]) + content[i + 1 :]
            case 5:
                content = content[:j] + content[i:]
            case 6:
                rows[a], rows[b] = rows[b], rows[a]
                content = b"\n".join(rows)
            case 7:
                content = b"\n".join([*rows[:a], rows[b], *rows[a:]])
            case 8:
                content = b"\n".join([*rows[:a], *rows[a + 1 :]])
            case 9 | 10 | 11:
                cells[c] = token
                content = b"\n".join([*rows[:a], sign.join(cells), *rows[a + 1 :]])
            case 12:
                content = content.replace(
                    *rng.sample([b"\n", b"\r\n", b"\r", b",", b";", b"\t", b'"', b"."], 2)
                )
            case _:
                content = content[:i] + rng.randbytes(rng.randint(1, 9)) + content[i:]
    return content


class NotWhole(ValueError):
    """What the slow reader refuses, and the fast one may mend."""


class Contradiction(Exception):
    """What nobody can mend."""


def unlike(pairs):
    if len(dict(pairs)) < len(pairs):
        raise NotWhole("a key twice")
    return dict(pairs)


def slowly(content):
    """Rows of texts by column, a mapping each, as Python's own readers see them; None for a blank line."""
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = content.decode("utf-16" if marked else "utf-8-sig").replace("\0", "")
    start = text.lstrip()
    if re.match(r'\[\s*\{|\{\s*["}]', start):
        values, decoder = [], json.JSONDecoder(object_pairs_hook=unlike)
        while start:
            value, end = decoder.raw_decode(start)
            values.append(value)
            start = start[end:].lstrip()
        (rows,) = values if isinstance(values[0], list) and len(values) == 1 else [values]
        if len(rows) < 2 or not all(isinstance(row, dict) for row in rows):
            raise NotWhole("one object, which may hold rows")
        return rows
    if "\n" not in text:  # of an old Macintosh
        text = text.replace("\r", "\n")
    text = re.sub("\r(?!\n)", " ", text.lstrip("\r\n"))  # elsewhere, alone, it ends no line
    first = text.splitlines()[0]
    while '"' in first[first.find('"') + 1 :]:
        first = first[: first.find('"')] + first[first.find('"', first.find('"') + 1) + 1 :]
    sign = max(",\t;", key=first.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    header, *found = lines if sign in first else map(str.split, text.split("\n"))
    found = [cells if any(map(str.strip, cells)) else [] for cells in found]
    header = [name.strip() for name in header]
    while header and not header[-1] and all(len(cells) < len(header) for cells in found):
        header.pop()
    found = [cells[: len(header)] if not any(cells[len(header) :]) else cells for cells in found]
    if len(header) == 1:
        raise NotWhole("a title, perhaps")
    if (
        not any(found)
        or any(len(cells) not in (0, len(header)) for cells in found)
        or len({*header}) < len(header)
    ):
        raise NotWhole("cells")
    rows = [dict(zip(header, cells, strict=True)) if cells else None for cells in found]
    if sign == ";":  # decimal commas of numbers; a column of both is refused
        for row in filter(None, rows):
            for name in {*header} - {"system", "document"}:
                row[name] = re.sub(r"^(\s*[+-]?\d*),(\d+)\s*$", r"\1.\2", row[name])
    return rows


NO_SCORE = ("na", "n/a", "<na>", "nan", "null", "none", "nil", "-", "--", "?", "missing", "#n/a")


def number(cell):
    """What a cell of a score says; None for nothing."""
    if isinstance(cell, str):
        text = cell.strip()
        if text.lower() in {"", *NO_SCORE}:
            return None
        return lexicon().labels[text.lower()] if text.lower() in lexicon().labels else float(text)
    return None if cell is None else float(cell)


def key(cell):
    return "" if cell is None else unicodedata.normalize("NFC", str(cell).strip())


def judge(row):
    """The judge's name; of people what it says of them."""
    name = key(row["judge"])
    of = people_of(name)
    return name if of is None else of.rater or {"people": "human"}.get(of.name, of.name)


def says_something(cell):
    try:
        return number(cell) is not None
    except ValueError:
        return False


def expected(rows, base):
    """The scores of a file whose columns are still those of `base`: what each is of -> value."""
    found = {}
    for row in filter(None, rows):
        if {*row} - {*base}:
            return None
        row = dict.fromkeys(base) | row
        if "winner" in base:
            said = key(row["winner"]).lower()
            sides = [key(row[side]).lower() for side in ("model_a", "model_b")]
            value = 1 - sides.index(said) if said in sides else lexicon().choices.get(said.removeprefix("+"))
            if said in ("0", "0.0", "2"):
                return None
            values = {judge(row): value}
            of = key(row["item"]), key(row["model_a"]), key(row["model_b"])
        elif "score" in base:
            of, values = (key(row["system"]), key(row["document"])), {judge(row): number(row["score"])}
        else:
            names = [one for one in base if one not in ("system", "document", "item")]
            # a column without any score is a note
            names = [one for one in names if any(says_something(row.get(one)) for row in filter(None, rows))]
            of = tuple(key(row[one]) for one in ("system", "document", "item") if one in base)
            values = {one: number(row[one]) for one in names}
        for name, value in values.items():
            if value is None:
                continue
            if name == "TER":
                value = -value
            if found.setdefault((*of, name), value) != value:
                raise Contradiction("two scores of one thing")
    return found


def said(frame):
    """The scores of a tidy table, as `expected` has them."""
    pairs = "first" in frame.columns
    of = ["document", "first", "second"] if pairs else ["system", "document"]
    shown = frame.with_columns(pl.col(*of, "name", "rater").cast(pl.String))
    if not pairs and not any(shown.get_column("system")):
        of = ["document"]
    found = {}
    for row in shown.iter_rows(named=True):
        people = "human" if row["person"] else ""  # a judge without a name is called people too
        name = row["rater"] or {"people": people}.get(row["name"], row["name"])
        found[(*(row[one].replace("\r", " ") for one in of), name)] = row["value"]
    return found


def command(*words):
    """What a command prints; its errors come as they are, since main makes one line of those of Python too."""
    given = PROGRAM.parser_of(words[0]).parse_args([str(word) for word in words[1:]])
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        import_module(PROGRAM.commands[words[0]][0]).main(given)
    return out.getvalue()


class OneReader:
    """The process that `binary` starts for every file, kept: it starts anew only where it died of one."""

    SERVES = """
import contextlib, io, json, sys
from metaeval.own.parsing.binary import _try
import pyarrow.parquet
for line in sys.stdin:
    kind, path = line.rstrip("\\n").split("\\t")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            if kind == "other":
                print(json.dumps(pyarrow.parquet.read_table(path, use_threads=False).to_pylist()), end="")
            else:
                _try(kind, open(path, "rb").read())
            status = 0
        except SystemExit as ended:
            status = ended.code
        except BaseException:
            status = 1
    print(json.dumps([status, said.getvalue()]), flush=True)
"""
    DEVNULL, TimeoutExpired = subprocess.DEVNULL, subprocess.TimeoutExpired
    WAIT_S = 20  # only ends what hangs

    def __init__(self):
        self.process = None

    def ask(self, kind, path):
        """Its status and what it says; where it dies, a status that no other end has."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-c", self.SERVES], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        print(f"{kind}\t{path}", file=self.process.stdin, flush=True)
        waited = threading.Timer(self.WAIT_S, self.process.kill)
        waited.start()
        answer = self.process.stdout.readline()
        waited.cancel()
        if answer:
            return json.loads(answer)
        self.end()
        return [-6, ""]

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
        self.process = None

    def run(self, words, **how):
        """As `subprocess.run` for `binary`."""
        with NamedTemporaryFile() as file:
            file.write(how["input"])
            file.flush()
            status, text = self.ask(words[-1], file.name)
        return subprocess.CompletedProcess(words, status, binary.STARTED + text.encode(), b"")


@pytest.fixture(scope="module")
def reader():
    found = OneReader()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(binary, "subprocess", found)
        yield found
    found.end()


# what is asked of some of the files that are read; compare and plan as whoever automates them asks
QUESTIONS = {
    "report": ("--json", "--draws", "50"),
    "compare": ("--json", "--draws", "50", "--judges", "m", "--fail-under", "0"),
    "plan": ("--json", "--width", "1"),
}


def answer(name, path):
    """What a command answers, without what it says of how a file is written; "" where it refuses."""
    try:
        found = json.loads(command(name, path, *QUESTIONS[name]))
    except REFUSALS:
        return ""
    return {key: value for key, value in found.items() if key not in ("notes", "said")}


@cache
def whole(name, asked=""):
    """The scores of a file to which nothing happened, or what a command answers to it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(WHOLE[name])
        return answer(asked, path) if asked else said(tidy(path).frame)


def outcome(path, base, *, asked="", other=None):
    """What became of a file: "refused", "read", or, where another reader could say what it holds, "equal"."""
    try:
        found = tidy(path)
        assert "What it can" in command("doctor", path)
        refusal = ""
    except REFUSALS as error:
        refusal = str(error)
    if refusal:
        assert path.name in refusal or "judges and people have" in refusal, refusal
        return "refused"
    if asked:
        answered = answer(asked, path)
        # the same scores have the same answer, however they are written
        assert said(found.frame) != whole(path.name) or answered == whole(path.name, asked), asked
    if (
        path.suffix == ".xlsx" and path.name in WHOLE and path.read_bytes().startswith(b"PK")
    ):  # sums tell of any change
        assert said(found.frame) == whole(path.name)
        return "equal"
    if base is None:
        return "read"
    if path.suffix == ".parquet":
        status, text = other.ask("other", path)
        if status:
            return "read"
        rows = json.loads(text)
    else:
        rows = None
    try:
        scores = expected(slowly(path.read_bytes()) if rows is None else rows, [*base[0]])
        mended = None
    except (ValueError, csv.Error) as error:  # of cells, quotes, JSON, UTF-8 or numbers
        scores, mended = None, error
    if mended:
        assert found.notes, mended  # nothing is without a word
    if scores is None:
        return "read"
    assert said(found.frame) == scores
    return "equal"


BASES = {
    name: {
        "long": LONG,
        "wide": WIDE,
        "labelled": LABELLED,
        "pairs": PAIRS,
        "utf16": LONG,
        "quoted": LONG,
    }.get(name.partition(".")[0].strip(";"))
    for name in WHOLE
}


def faults(folder, n, seed, reader, *, every=4):
    """How files fared, and those that were read wrong or ended otherwise than in words; asked about are some."""
    rng = random.Random(seed)
    counts, found = Counter(), []
    for i in range(n):
        name = rng.choice([*WHOLE, INSIDE])
        if name == INSIDE:  # a whole workbook of a damaged sheet
            content = workbook(LONG, mutated(sheet_of(LONG), rng))
        else:
            content = mutated(WHOLE[name], rng)
        (folder / name).write_bytes(content)
        asked = rng.choice([*QUESTIONS]) if i % every == every - 1 and name != INSIDE else ""
        try:
            counts[outcome(folder / name, BASES.get(name), asked=asked, other=reader)] += 1
        except BaseException as error:  # a panic of a reader in another language is no Exception
            if isinstance(error, KeyboardInterrupt | MemoryError):
                raise
            found.append((name, content, f"{type(error).__name__}: {error}"[:300]))
    return counts, found


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_file_is_read_as_what_it_says(name, tmp_path, reader):
    (tmp_path / name).write_bytes(WHOLE[name])
    told = BASES[name] or name.endswith(".xlsx")
    assert outcome(tmp_path / name, BASES[name], other=reader) == ("equal" if told else "read")


def test_the_slow_reader_sees_a_difference(tmp_path, monkeypatch):
    """So that a file that is read wrong would be found."""
    path = tmp_path / "long.csv"
    path.write_bytes(WHOLE["long.csv"].replace(b"1.37", b"1.38", 1))
    monkeypatch.setitem(globals(), "slowly", lambda content: LONG)
    with pytest.raises(AssertionError):
        outcome(path, LONG)


def test_malformed_files_are_refused_in_words_or_read_as_what_they_say(tmp_path, reader):
    _, found = faults(tmp_path, 20, SEED, reader, every=100)  # a report loads what is compiled
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_malformed_files(part, tmp_path, reader):
    counts, found = faults(tmp_path, N_FILES // 4, SEED + 1 + part, reader)
    assert found == []
    # most are refused, and many are not, so that both sides are tried
    assert counts.total() == N_FILES // 4
    assert min(counts["refused"], 4 * counts["equal"], 20 * counts["read"]) > N_FILES // 20


def odd(values, rng):
    """The same numbers in another dress, or in one that no score wears."""
    with np.errstate(over="ignore"):
        return rng.choice(
            [
                lambda: values,
                lambda: values.tolist(),
                lambda: np.asfortranarray(values),
                lambda: np.repeat(np.repeat(values, 2, axis=0), 2, axis=1)[::2, ::2],
                lambda: values[::-1].copy()[::-1],
                lambda: values.astype(np.float32).astype(float),
                lambda: np.ma.masked_invalid(values),
                lambda: np.ma.masked_array(values, values == 2),
                lambda: values > 1,
                lambda: values.astype(object),
                lambda: values.astype(str),
                lambda: values.astype(complex),
                lambda: values.ravel(),
                lambda: values[None],
                lambda: [*values.tolist(), [1.0]],
                lambda: np.where(values == 3, np.inf, values),
            ]
        )()


DRAWN = {"n_resamples": 39, "rng": 1}
ASKED = {
    "correlations": lambda x, y: metaeval.correlations(x, y, levels=["system"]),
    "interval": lambda x, y: metaeval.interval(x, y, **DRAWN),
    "compare": lambda x, y: metaeval.compare(x, y, y, **DRAWN),
    "pairwise": lambda x, y: metaeval.pairwise({"a": x, "b": y}, y, **DRAWN),
    "top_k": lambda x, y: metaeval.top_k(x, y, k=3),
    "margins": lambda x, y: metaeval.margins(x, y, upper=1, **DRAWN),
    "report": lambda x, y: metaeval.report(metaeval.as_benchmark({"a": x}, y), **DRAWN).summary(),
    "compare_judges": lambda x, y: metaeval.compare_judges(metaeval.as_benchmark({"a": x, "b": y}, y), ["a", "b"], **DRAWN).summary(),
    "plan": lambda x, y: metaeval.plan(metaeval.as_benchmark({"a": x}, y), width=0.5).summary(),
}  # fmt: skip


@pytest.mark.parametrize("n", [20, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ASKED)
def test_malformed_arrays_are_answered_or_refused_in_words_whatever_is_asked(name, n):
    rng = random.Random(SEED)
    counts = Counter()
    for _ in range(n):
        shape = rng.randint(1, 6), rng.randint(1, 5)
        values = rng.choice([[0, 1, 2, 3], [0.1, 0.2, 0.3, 3], [1, 2, np.nan], [2], [np.nan]])
        planes = [
            np.array(rng.choices(values, k=shape[0] * shape[1]), dtype=float).reshape(shape) for _ in range(2)
        ]
        planes = [odd(plane, rng) for plane in planes]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                ASKED[name](*planes)
            counts["answered"] += 1
        except REFUSALS as error:
            assert len(str(error).split()) > 4, planes  # noqa: PT017
            counts["refused"] += 1
        except ValueError as error:
            assert name == "top_k", planes
            assert str(error).startswith("`k` must be from 3 to the number of systems"), planes  # noqa: PT017
            counts["refused"] += 1
    assert len(counts) == 2


def as_floats(plane):
    """Floats of which none is above 1, since the slow loop's tolerance is one for all magnitudes."""
    values = np.ma.filled(np.ma.asarray(plane).astype(float), np.nan)
    largest = np.max(np.abs(values), initial=0, where=~np.isnan(values))
    return values / (largest or 1)


@pytest.mark.parametrize("n", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_malformed_arrays_are_refused_in_words_or_correlated_as_a_slow_loop_does(n):
    rng = random.Random(SEED)
    counts = Counter()
    for _ in range(n):
        shape = rng.randint(0, 6), rng.randint(0, 5)
        values = rng.choice(
            [[0, 1, 2, 3], [0.1, 0.2, 0.3, 3], [1, 2, np.nan], [2], [np.nan], [0, 1, 2, 3, np.nan]]
        )
        scales = [rng.choice([1, 1, 1e-300, 1e299]) for _ in range(2)]
        planes = [np.array([rng.choice(values) * by for _ in range(shape[0] * shape[1])], dtype=float).reshape(shape) for by in scales]  # fmt: skip
        if not rng.randrange(8):
            planes[1] = planes[1][: rng.randint(0, 6), : rng.randint(0, 5)]
        planes = [odd(plane, rng) if rng.randrange(2) else plane for plane in planes]
        level, coefficient = rng.choice([*oracles.LEVELS]), rng.choice([*oracles.COEFFICIENTS])
        try:
            value = correlation(*planes, level=level, coefficient=coefficient).value
            refusal = ""
        except REFUSALS as error:
            refusal = str(error)
        if refusal:
            assert re.match(r"`(metric|human|x|y)` |at least 3 systems", refusal), refusal
            counts["refused"] += 1
            continue
        x, z = map(as_floats, planes)
        expected = oracles.LEVELS[level](x, z, coefficient)
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True), (planes, level, coefficient)
        counts["nan" if np.isnan(value) else "equal"] += 1
    assert min(counts.values()) > n // 50
    assert len(counts) == 3
