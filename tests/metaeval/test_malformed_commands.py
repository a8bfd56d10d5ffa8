"""Damaged texts and damaged command lines: each ends in scores of what is there, or in words of ours."""

import random
import traceback
from collections import Counter

import pytest

from metaeval.core.paths import ROOT
from metaeval.own.texts import read_texts
from tests.metaeval.test_malformed import (
    REFUSALS,
    SEED,
    WHOLE,
    NotWhole,
    command,
    delimited,
    key,
    lines,
    mutated,
    parquet,
    reader,
    slowly,
    table,
    workbook,
)

__all__ = ["reader"]  # a fixture
ROWS = table(
    "system", "document", "summary", "reference",
    rows=[(s, d, f"{s} cat, it {d} sat\u2028there", f"the cat {d} sat") for s in "ab" for d in ("x", "y")],
)  # fmt: skip
# name of a file of texts -> what it holds before anything happens to it
TEXTS = {
    "texts.csv": delimited([{name: f'"{cell}"' for name, cell in row.items()} for row in ROWS]).encode(),
    "texts.jsonl": lines(ROWS).encode(),
    "texts.parquet": parquet(ROWS),
    "texts.xlsx": workbook(ROWS),
    "a.txt": "a cat, it sat\u2028there\nsecond\n".encode(),
}
N_TEXTS, N_LINES = 1_500, 1_000


def summaries(rows):
    """What rows of a table say: (system, document) -> summary; None where columns are others."""
    found = {}
    for row in filter(None, rows):
        if {*row} - {*ROWS[0]}:
            return None
        of = row.get("system"), row.get("document")
        if of in found:
            raise NotWhole("a summary twice")
        found[tuple(map(key, of))] = row.get("summary")
    return found


def scored(folder, path, metrics):
    """What became of a file of texts, as `tests.metaeval.test_malformed.outcome` says it."""
    given = ["--summaries", path] + (["--references", path] if path.suffix == ".txt" else [])
    try:
        texts = read_texts([path], [path] if path.suffix == ".txt" else [])
        command("score", *metrics, *given, "-o", folder / "scores.csv")
    except REFUSALS as error:
        said = str(error)
        # a metric needs references, of whatever file
        assert path.name in said or "reference" in said, said
        return "refused"
    if path.suffix in (".parquet", ".xlsx", ".txt"):
        return "read"
    rows = summaries(slowly(path.read_bytes()))
    if rows is None:
        return "read"
    found = texts.summaries.to_series().to_dict()
    # `slowly` reads a carriage return alone as a space
    there = {
        tuple(map(key, of)): text.replace("\r", " ") for of, text in found.items() if isinstance(text, str)
    }
    assert there == {of: text for of, text in rows.items() if text is not None}
    return "equal"


def texts_faults(folder, n, seed, metrics=("length", "ROUGE-1 F1")):
    rng = random.Random(seed)
    counts, found = Counter(), []
    for _ in range(n):
        name = rng.choice([*TEXTS])
        content = mutated(TEXTS[name], rng)
        (folder / name).write_bytes(content)
        try:
            counts[scored(folder, folder / name, metrics)] += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | MemoryError):
                raise
            found.append((name, content, f"{type(error).__name__}: {error}"[:300]))
    return counts, found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, content in {**WHOLE, **TEXTS}.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("n", [10, pytest.param(N_TEXTS, marks=pytest.mark.slow)])
def test_damaged_texts_are_refused_in_words_or_scored_as_what_they_say(n, folder, reader):
    slow = n == N_TEXTS  # what counts words takes seconds to import
    counts, found = texts_faults(folder, n, SEED, ("length", "ROUGE-1 F1") if slow else ("length",))
    assert found == []
    assert counts.total() == n
    if slow:
        assert min(counts["refused"], 4 * counts["equal"], 4 * counts["read"]) > n // 20


# command lines that are whole
LINES = tuple(
    line.split()
    for line in (
        "doctor long.csv --json",
        "doctor wide.tsv --people m --higher TER --save-roles out.yml",
        "compare long.csv --judges m --fail-under 0.5 --draws 50 --seed 3 --level summary",
        "compare wide.tsv --judges m TER --draws 50 --alpha 0.1 --confidence-level 0.9 --coefficient pearson",
        "compare labelled.csv --judges m --fail-under 0.5 --measure kappa --draws 50 --json",
        "compare pairs.csv --judges m --fail-under 0.5 --draws 50",
        "plan long.csv --width 1 --systems 6 --max-documents 50 --reliability 0.5",
        "plan wide.tsv --difference 0.5 --power 0.7 --max-raters 3 --nested --alpha 0.1",
        "plan wide.tsv --width 1 --metric m --judgment human",
        "score length constant --summaries texts.csv --references texts.jsonl --col summary=summary -o s.csv --jobs 1",
        "score rouge-1 --summaries a.txt --references a.txt --option stem=no -o s.parquet",
        "score --list",
        "texts nothing -o t.jsonl --people p.csv --units u.jsonl",
        "example made --seed 3 --json",
    )
)
WORDS = (
    *(
        "",
        " ",
        "-",
        "--",
        "-1",
        "0",
        "1",
        "2",
        "1e400",
        "-1e-400",
        "nan",
        "inf",
        "1e30",
        str(10**30),
        "0x10",
        "٣",
    ),
    *(
        "m",
        "human",
        "people",
        "TER",
        "long.csv",
        "wide.tsv",
        "pairs.csv",
        "texts.csv",
        "nothing.csv",
        ".",
        "/",
    ),
    *(
        "/dev/null",
        "made",
        "x.xlsx",
        "x.parquet",
        "no/x.csv",
        "long.csv/x",
        "a=b",
        "human=m",
        "score=",
        "=",
    ),
    *(
        "--json",
        "--people",
        "--lower",
        "--higher",
        "--rater",
        "--machine",
        "--col",
        "--help",
        "é",
        "system",
    ),
    *("realsumm-", "simulated-", "tac2008:", "rouge-1", "stem=7", "units=x", "9" * 400),
)


def damaged(words, rng):
    """A command line after an accident: mostly another value of an option, so that commands get to it."""
    words = list(words)
    values = [
        i for i, word in enumerate(words) if words[i - 1].startswith("--") and not word.startswith("--")
    ]
    i = rng.randrange(1, len(words))
    match rng.randrange(8):
        case 0:
            words.insert(i, rng.choice(WORDS))
        case 1 if len(words) > 2:
            del words[i]
        case 2:
            words[i] = rng.choice(WORDS)
        case 3:
            words.insert(
                2,
                f"--{rng.choice(('people', 'lower', 'higher', 'rater', 'machine', 'col'))}={rng.choice(WORDS)}",
            )
        case _ if values:
            words[rng.choice(values)] = rng.choice(WORDS[:16] if rng.randrange(2) else WORDS)
    return words


def line_faults(n, seed):
    """Command lines that end otherwise than in an answer or in words that this project raised."""
    rng = random.Random(seed)
    counts, found = Counter(), []
    for _ in range(n):
        words = damaged(rng.choice(LINES), rng)
        try:
            command(*words)
            counts["done"] += 1
        except SystemExit as ended:
            counts["refused"] += 1
            if ended.code not in (0, 3):
                found.append((words, f"status {ended.code}"))
        except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
            counts["refused"] += 1
            raised = traceback.extract_tb(error.__traceback__)[-1]
            ours = raised.filename.startswith(str(ROOT / "metaeval")) and isinstance(error.args[0], str)
            if not ours and getattr(error, "filename", None) is None:  # the system names the file
                found.append((words, f"{type(error).__name__}: {error} ({raised.filename}:{raised.lineno})"))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            found.append((words, f"{type(error).__name__}: {error}"[:300]))
    return counts, found


@pytest.mark.parametrize("n", [20, pytest.param(N_LINES, marks=pytest.mark.slow)])
def test_damaged_command_lines_end_in_an_answer_or_in_words_of_ours(n, folder):
    counts, found = line_faults(n, SEED)
    assert found == []
    assert counts.total() == n
    if n == N_LINES:
        assert min(counts["done"], counts["refused"]) > n // 100
