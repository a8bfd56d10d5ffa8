"""Files as people have them: read as what they hold, or refused with what to do."""

import json

import pandas as pd
import polars as pl
import pytest

from metaeval.core.errors import DataError
from metaeval.own.parsing import parse
from metaeval.own.tidy import tidy
from metaeval.own.unfolding import unfold
from tests.metaeval.test_malformed import workbook

HEAD = ("system", "document", "m", "human")
ROWS = [(s, d, i + d / 10, float(i + d % 2)) for i, s in enumerate("abc") for d in (1, 2)]


def cells(rows, sign=",", *, above=()):
    return "".join(sign.join(map(str, row)) + "\n" for row in [*above, *rows])


def sheet(rows):
    """XML of a worksheet; None is no cell."""
    said = "".join(
        f'<row r="{i}">'
        + "".join(
            f'<c r="{letter}{i}"><v>{cell}</v></c>'
            if isinstance(cell, int | float)
            else f'<c r="{letter}{i}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for letter, cell in zip("ABCDEFGH", row, strict=False)
            if cell is not None
        )
        + "</row>"
        for i, row in enumerate(rows, 1)
    )
    form = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return workbook(None, f'<worksheet xmlns="{form}"><sheetData>{said}</sheetData></worksheet>'.encode())


def read(tmp_path, content, name="mine.csv"):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tidy(tmp_path / name)


def values(found):
    return sorted(found.frame.get_column("value").to_list())


EXPECTED = sorted(value for row in ROWS for value in row[2:])


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (cells([HEAD, *ROWS], "|"), ""),
        # a semicolon between, and commas in the first line
        (cells([("system", "document", "rouge, 1, 2, 3", "human"), *ROWS], ";"), ""),
        (cells([(*HEAD, "", ""), *[(*row, "", " ") for row in ROWS], [""] * 6]), ""),
        ("\n".join(json.dumps({"system": s, "document": d, "m": {"score": m, "why": "x"}, "human": {"score": h}}) for s, d, m, h in ROWS), "not used: 'm_why'"),
        ("\n".join(json.dumps({"system": s, "document": d, "m": m, "human": {"score": h}}) for s, d, m, h in ROWS), ""),
    ],
)  # fmt: skip
def test_what_is_read(tmp_path, content, note):
    found = read(tmp_path, content)
    assert values(found) == EXPECTED
    assert found.names("name", person=True) == ["people"]
    assert found.names("name", person=False) in (["m"], ["rouge, 1, 2, 3"])
    assert len(found.notes) == bool(note)
    assert not note or note in found.notes[0]


@pytest.mark.parametrize(
    ("said", "columns"),
    [
        # raters of people's scores, and several scores in one mapping
        ({"human": {"rater": "ann", "score": 4}}, {"rater": "ann", "human": 4}),
        ({"human": {"worker_id": "w1", "score": 4}}, {"worker_id": "w1", "human": 4}),
        ({"human": {"rater": "ann", "score": 4}, "m": {"rater": "x", "score": 2}}, {"human_rater": "ann", "human": 4, "m_rater": "x", "m": 2}),
        ({"human": {"label": "good", "score": 4}}, {"human_label": "good", "human": 4}),
        # a judge
        ({"gpt": {"score": 0.5, "reason": "x"}, "human": 4}, {"gpt": 0.5, "gpt_reason": "x", "human": 4}),
        # records
        ({"scores": {"score": 0.5, "other": 1}}, {"score": 0.5, "other": 1}),
        ({"result": {"judge": "gpt", "score": 0.5}}, {"judge": "gpt", "score": 0.5}),
        ({"item": {"id": 3, "score": 0.5}}, {"id": 3, "score": 0.5}),
    ],
)  # fmt: skip
def test_fields_of_mappings_are_columns(tmp_path, said, columns):
    (tmp_path / "mine.jsonl").write_text(json.dumps(said))
    ((table, _),) = unfold(*parse(tmp_path / "mine.jsonl"))
    assert table.frame.iloc[0].to_dict() == columns


def test_people_in_mappings_may_be_several_raters(tmp_path):
    lines = [
        {"system": s, "document": d, "human": {"rater": f"r{i % 2}", "score": h}, "gpt": {"score": m}}
        for i, (s, d, m, h) in enumerate(ROWS)
    ]
    found = read(tmp_path, "\n".join(map(json.dumps, lines)))
    assert found.names("rater") == ["r0", "r1"]
    assert (found.names("name", person=True), found.names("name", person=False)) == (["people"], ["gpt"])
    assert values(found) == EXPECTED


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (cells([HEAD, *ROWS], " "), ""),
        (cells([HEAD, *ROWS], above=[["Results of study 3"]]), "mine.csv: 1 line above the table left out."),
        (cells([HEAD, *ROWS], ";", above=[["Results of study 3"]]), "mine.csv: 1 line above the table left out."),
        (cells([HEAD, *ROWS], above=[["Results", "", "", ""], [""] * 4]), "mine.csv: 1 line above the table left out."),
        (cells([HEAD, *ROWS]).replace("\n", "\r"), ""),
        (cells([("system", "story", *HEAD[2:]), *ROWS]), ""),
        (cells([HEAD, *ROWS], "|").replace(".", ","), "mine.csv: the commas of m are decimal commas."),
    ],
)  # fmt: skip
def test_what_was_refused_once_is_read(tmp_path, content, note):
    found = read(tmp_path, content)
    assert values(found) == EXPECTED
    assert (found.names("name"), len(found.names("system")), len(found.names("document"))) == (
        ["m", "people"],
        3,
        2,
    )
    assert not note or note in found.notes


def test_a_long_minus_is_a_minus(tmp_path):
    for content in (
        cells([HEAD, *ROWS]).replace("a,1,0.1", "a,1,−0.1"),
        cells([HEAD, *[(*row[:2], f"−{row[2]}", row[3]) for row in ROWS]]),
    ):
        found = read(tmp_path, content)
        assert found.frame.filter(name="m").get_column("value").min() == (
            -0.1 if "1,1.1" in content else -2.2
        )


@pytest.mark.parametrize(
    ("content", "messages"),
    [
        (cells([("system", "", "m", ""), *ROWS]), ["such contradictions", "--col item=c2   c2 is the item"]),
        (cells([("", *HEAD[1:]), *[(row[0] * (row[1] == 1), *row[1:]) for row in ROWS]]).replace(",doc", "system,doc", 1), ["line 3, column 'system': the name of the system is empty; fill it in, also where cells are merged"]),
        (cells([HEAD[1:], *[row[1:] for row in ROWS]]), ["mine.csv, line 4: ", "4 such contradictions", "no column says which system a row is of"]),
        (cells([HEAD, *[(*row[:2], "1'000", row[3]) for row in ROWS]]), ["""got "1'000"; """]),
        (cells([HEAD, *[(*row[:2], "1_000", row[3]) for row in ROWS]]), ["column 'm': a score must be a finite number, got '1_000'"]),
        (cells([HEAD, *[(*row[:2], f"'{row[2]}", row[3]) for row in ROWS]]), ["""column 'm': a score must be a finite number, got "'0.1"; """]),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_to_do(tmp_path, content, messages):
    with pytest.raises(DataError) as caught:
        read(tmp_path, content)
    for message in messages:
        assert message in str(caught.value)


def test_a_line_that_sums_up_others_or_names_nothing_is_told(tmp_path):
    found = read(tmp_path, cells([HEAD, *ROWS, ("Mean", "N/A", 1, 2)]))
    how = "if it sums up others, or means that there is none, leave its lines out."
    assert found.notes == (
        f"'Mean' is read as a system; {how}",
        f"'N/A' is read as a document; {how}",
    )


def test_ids_of_two_numbers_are_no_scores(tmp_path):
    found = read(tmp_path, cells([(*HEAD, "pair"), *[(*row, f"{row[1]}_{row[1]}") for row in ROWS]]))
    assert (values(found), found.notes) == (EXPECTED, ())


def test_both_bad_of_an_arena_is_a_tie(tmp_path):
    found = read(tmp_path, "item,model_a,model_b,winner\n1,x,y,tie (bothbad)\n2,x,y,model_a\n")
    assert values(found) == [0.5, 1]


def test_documents_that_are_whole_numbers_are_joined_however_they_are_written(tmp_path):
    (tmp_path / "m.csv").write_text(cells([HEAD[:3], *[(s, f"{d}.0", m) for s, d, m, _ in ROWS]]))
    (tmp_path / "people.csv").write_text(cells([("system", "document", "human"), *[(s, d, h) for s, d, _, h in ROWS]]))  # fmt: skip
    found = tidy([tmp_path / "m.csv", tmp_path / "people.csv"])
    assert found.names("document") == ["1", "2"]
    assert values(found) == EXPECTED


def test_documents_that_are_no_whole_numbers_in_one_file_keep_their_names_in_all(tmp_path):
    people = pl.DataFrame({"system": "a", "document": [1.0, 2.0], "human": [4.0, 5.0]})
    metric = pl.DataFrame({"system": "a", "document": [1.0, 1.1, 1.2, 2.0], "m": [0.1, 0.2, 0.3, 0.4]})
    people.write_csv(tmp_path / "people.csv")
    metric.write_csv(tmp_path / "m.csv")
    (tmp_path / "across.csv").write_text("system,1.0,1.1,1.2,2.0\na,0.1,0.2,0.3,0.4\n")
    for files in (
        [people, metric],
        [tmp_path / "people.csv", tmp_path / "m.csv"],
        [pd.DataFrame(people.to_dict(as_series=False)), tmp_path / "m.csv"],
        [tmp_path / "people.csv", tmp_path / "across.csv"],
    ):
        found = tidy(files)
        assert found.names("document") == ["1.0", "1.1", "1.2", "2.0"]
        of = found.frame.filter("person").get_column("document").cast(pl.String)
        assert of.to_list() == ["1.0", "2.0"]


def test_documents_across_are_joined_as_those_below_one_another_are(tmp_path):
    (tmp_path / "across.csv").write_text("system,1.0,2.0\na,0.1,0.2\n")
    (tmp_path / "people.csv").write_text("system,document,human\na,1.0,3\na,2.0,4\n")
    (tmp_path / "texts.csv").write_text("system,document,summary\na,1,one\na,2,two\n")
    found = tidy([tmp_path / name for name in ("across.csv", "people.csv", "texts.csv")])
    assert found.names("document") == found.texts.get_column("document").to_list() == ["1", "2"]


def test_large_whole_numbers_of_pandas_stay_apart():
    ids = [2**53, 2**53 + 1]
    frame = pd.DataFrame({"system": "a", "document": ids, "m": [0.1, 0.2]})
    for given in (frame, frame.convert_dtypes()):
        assert tidy(given).names("document") == [f"{one}" for one in ids]


def test_workbooks_with_titles_empty_columns_and_numbers_of_rows(tmp_path):
    pytest.importorskip("fastexcel")
    for rows in ([["Results of study 3"], [], HEAD, *ROWS], [HEAD, *ROWS, [None] * 5 + [" "]]):
        assert values(read(tmp_path, sheet(rows), "mine.xlsx")) == EXPECTED
    # as pandas writes it
    found = read(tmp_path, sheet([[None, *HEAD], *[(i, *row) for i, row in enumerate(ROWS)]]), "rows.xlsx")
    assert values(found) == EXPECTED
