"""REALSumm's rating CSVs."""

import csv
import io

import pytest

from metaeval.datasets.readers.votes import ANSWERS, BLANK, N_SLOTS, read_ratings

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
        | dict(zip(ANSWERS, votes, strict=True))
        | changes
    )


# as in the release: answers in the order of their names' letters, so S10 comes before S2
COLUMNS = ["Input.eventId", "Input.summaryId", "Input.summary_text", *sorted(ANSWERS)]
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


def test_votes_follow_the_slots_not_the_columns(units, write):
    ratings = read_ratings(units, [("abs", write(RATINGS))])
    votes = {document: of for (system, document), of in ratings.votes.items() if system == "abs_t5_out_base"}
    assert votes["cnndm20"][:, :3].tolist() == [[1, 0, 0], [1, 1, 0]]
    assert votes["cnndm3"][:, :4].tolist() == [[0, 1, 1, 0], [0, 0, 1, 0]]
    tenth = read_ratings(units, [("abs", write([rating(**{"Answer.S10Answer": "p "}), *RATINGS]))])
    assert tenth.votes["abs_t5_out_base", "cnndm20"][0].nonzero()[0].tolist() == [0, 9]
    with pytest.raises(ValueError, match="read-only"):
        votes["cnndm3"][0, 0] = 1


def test_the_folder_tells_only_the_two_barts_apart(units, write):
    files = [
        (folder, write([r | {"Input.summaryId": name} for r in RATINGS], f"{folder}/{name}.csv"))
        for folder, name in (("abs", "bart_out"), ("ext", "bart_out"), ("abs", "neusumm_out"))
    ]
    ratings = read_ratings(units, files)
    assert ratings.folder == {"abs_bart_out": "abs", "ext_bart_out": "ext", "ext_neusumm_out": "abs"}
    assert ratings.slots == SLOTS
    assert ratings.documents == ["cnndm3", "cnndm20"]
    assert ratings.summaries["ext_bart_out", "cnndm3"] == "Of cnndm3."
    assert len(ratings.votes) == 6
