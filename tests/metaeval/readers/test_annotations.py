"""REALSumm's rating CSVs: what is read, and what is refused."""

import csv
import io

import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers.votes import (
    ANSWERS,
    BLANK,
    N_SLOTS,
    STATEMENTS,
    ratings_from,
    read_ratings,
    read_units,
    system_id,
)

# The second document has a blank slot between its units.
UNITS = {"cnndm20": ("a is b.", "b is c."), "cnndm3": ("d is e.", BLANK, "e is f.")}
SLOTS = {document: (*texts, *[BLANK] * (N_SLOTS - len(texts))) for document, texts in UNITS.items()}


def as_csv(rows, columns):
    handle = io.StringIO()
    writer = csv.DictWriter(handle, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return handle.getvalue()


def rating(document="cnndm20", votes="pn", *, system="t5_out_base", **changes):
    votes = votes + "n" * (N_SLOTS - len(votes))
    return (
        {"Input.eventId": document, "Input.summaryId": system, "Input.summary_text": f"Of {document}."}
        | dict(zip(STATEMENTS, SLOTS[document], strict=True))
        | dict(zip(ANSWERS, votes, strict=True))
        | changes
    )


# as in the release: answers in the order of their names' letters, so S10 comes before S2
COLUMNS = ["Input.eventId", "Input.summaryId", "Input.summary_text", *STATEMENTS, *sorted(ANSWERS)]
RATINGS = [rating(), rating(votes="pp"), rating("cnndm3", "npp"), rating("cnndm3", "nnp")]


@pytest.fixture
def write(write_text):
    def write(rows, name="t5_out_base.csv", columns=COLUMNS):
        return write_text(name, as_csv(rows, columns))

    return write


@pytest.fixture
def units(write_text):
    rows = [{"eventId": d, "questionText": text} for d, texts in SLOTS.items() for text in texts]
    return write_text("SCUs_list.csv", as_csv(rows, ["eventId", "questionText"]))


def test_votes_follow_the_slots_not_the_columns(write):
    name, votes, summaries = read_ratings(write(RATINGS), SLOTS)
    assert name == "t5_out_base"
    assert summaries == {"cnndm20": "Of cnndm20.", "cnndm3": "Of cnndm3."}
    assert votes["cnndm20"][:, :3].tolist() == [[1, 0, 0], [1, 1, 0]]
    assert votes["cnndm3"][:, :4].tolist() == [[0, 1, 1, 0], [0, 0, 1, 0]]
    tenth = rating(**{"Answer.S10Answer": "p"})
    assert read_ratings(write([tenth, *RATINGS]), SLOTS)[1]["cnndm20"][0].nonzero()[0].tolist() == [0, 9]
    with pytest.raises(ValueError, match="read-only"):
        votes["cnndm3"][0, 0] = 1


def test_the_folder_tells_only_the_two_barts_apart(units, write):
    files = [
        (folder, write([r | {"Input.summaryId": name} for r in RATINGS], f"{folder}/{name}.csv"))
        for folder, name in (("abs", "bart_out"), ("ext", "bart_out"), ("abs", "neusumm_out"))
    ]
    ratings = ratings_from(units, files)
    assert ratings.folder == {"abs_bart_out": "abs", "ext_bart_out": "ext", "ext_neusumm_out": "abs"}
    assert ratings.slots == SLOTS
    assert ratings.documents == ["cnndm3", "cnndm20"]
    assert ratings.summaries["ext_bart_out", "cnndm3"] == "Of cnndm3."
    assert len(ratings.votes) == 6


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([*RATINGS, rating(**{"Answer.S2Answer": "maybe"})], r"t5_out_base.csv, row 5, Answer.S2Answer: a vote must be 'p' \(present\) or 'n' \(not present\), got 'maybe'"),
        ([rating(**{"Answer.S16Answer": ""}), *RATINGS], "row 1, Answer.S16Answer: a vote must be 'p' .* got ''"),
        ([*RATINGS, rating(**{"Input.statement_2": BLANK})], "row 5: cnndm20 has 1 units here, 2 for the worker before"),
        ([*RATINGS, rating(**{"Input.statement_3": "more"})], "row 5: cnndm20 has 3 units here, 2 for the worker before"),
        ([rating(**{"Input.statement_2": "b is d."}), *RATINGS[1:]], r"row 1: Input.statement_2 of cnndm20 must be 'b is c.', got 'b is d.'"),
        ([*RATINGS, rating(**{"Input.summary_text": "Other."})], "row 5: the summary of cnndm20 differs"),
        (RATINGS[:2], r"1 of 2 documents are not rated: 'cnndm3'"),
        ([], r"2 of 2 documents are not rated: 'cnndm20' and 'cnndm3'"),
        ([*RATINGS, rating(system="semsim_out")], "row 5: is about system 'semsim_out', the rows before it about 't5_out_base'"),
        ([*RATINGS, rating() | {"Input.eventId": "cnndm9"}], "row 5: document 'cnndm9' has no content units"),
    ],
)  # fmt: skip
def test_bad_ratings_are_refused(write, rows, text):
    with pytest.raises(DataError, match=text) as caught:
        read_ratings(write(rows), SLOTS)
    assert "t5_out_base.csv" in str(caught.value)


@pytest.mark.parametrize("column", ["Input.eventId", "Input.statement_16", "Answer.S9Answer"])
def test_a_missing_column_is_named(write, column):
    path = write(RATINGS, columns=[c for c in COLUMNS if c != column])
    with pytest.raises(DataError, match=rf"t5_out_base.csv: lacks columns: '{column}'"):
        read_ratings(path, SLOTS)


def test_a_cut_row_is_named(write_text):
    content = as_csv(RATINGS, COLUMNS)
    path = write_text("t5_out_base.csv", content[: content.rindex(",")])
    with pytest.raises(DataError, match=r"row 4: ends before the columns 'Answer.S9Answer'"):
        read_ratings(path, SLOTS)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("eventId\ncnndm3\n", r"SCUs_list.csv: lacks columns: 'questionText'"),
        ("eventId,questionText\ncnndm3,a\ncnndm3,b\n", r"must have 16 rows, one per slot; not so: 'cnndm3 \(2\)'"),
        ("eventId,questionText\ncnndm3,a\ncnndm3,\n", "SCUs_list.csv, row 2: questionText is empty"),
    ],
)  # fmt: skip
def test_bad_units_are_refused(write_text, content, text):
    with pytest.raises(DataError, match=text):
        read_units(write_text("SCUs_list.csv", content))


def test_one_system_in_two_files_is_refused(units, write):
    files = [("abs", write(RATINGS, "a.csv")), ("abs", write(RATINGS, "b.csv"))]
    with pytest.raises(DataError, match=r"b.csv: abs_t5_out_base is rated in another file already"):
        ratings_from(units, files)


def test_an_unknown_system_is_named():
    with pytest.raises(DataError, match="'hibert_out' is not a system of REALSumm"):
        system_id("hibert_out", "ext")
