"""own.tools: every made-up file is known by its content, and is read as what was counted by hand."""

import pytest

from bookbuild.tools import tools_page
from metaeval.core.errors import DataError
from metaeval.own.parsing import parse
from metaeval.own.tidy import tidy
from metaeval.own.tools import Recognised, recognise, recognise_all, signatures
from tests.metaeval.own.tools.made_up import CASES

BY_NAME = {case.write.__name__: case for case in CASES}


@pytest.mark.parametrize("name", BY_NAME)
def test_made_up_file_is_known_and_counted(name, tmp_path):
    case = BY_NAME[name]
    path = case.write(tmp_path)
    tools = {known.tool for known in recognise_all(parse(path)) if isinstance(known, Recognised)}
    assert [tool.startswith(case.tool) for tool in tools] == [True]
    scores = tidy(path)
    names = {
        "systems": () if scores.pairs else scores.names("system"), "items": scores.names("document"),
        "raters": scores.names("rater", person=True), "judges": scores.names("name", person=False),
    }  # fmt: skip
    assert {role: len(listed) for role, listed in names.items()} == {
        "systems": case.systems, "items": case.items, "raters": case.raters, "judges": case.judges,
    }, names  # fmt: skip
    rows = scores.frame
    if case.owner:
        rows = rows.filter(
            (rows["name"] == case.owner) | (rows["rater"] == case.owner) | (rows["criterion"] == case.owner)
        )
    assert rows["value"].mean() == pytest.approx(case.mean)


def test_every_tool_has_a_made_up_file():
    assert not [
        entry["tool"]
        for entry in signatures()
        if not any(entry["tool"].startswith(case.tool) for case in CASES)
    ]


def test_page_lists_the_tools():
    assert tools_page.PAGE.read_text(encoding="utf8") == tools_page.page(), "run: python -m bookbuild tools"


def test_weights_of_errors_can_be_set(tmp_path):
    table = parse(BY_NAME["mqm"].write(tmp_path))[0]
    known = recognise(table, weights={"major": 10, "minor": 1, "no-error": 0})
    # system a: major 10 + minor 1, and none; system b: a major of 10, and a minor (a source error counts nothing)
    assert list(known.table.frame["score"]) == [-11, 0, -10, -1]


def test_error_names_a_severity_without_a_weight(tmp_path):
    path = tmp_path / "errors.csv"
    path.write_text("system,doc,seg_id,rater,category,severity\na,d,1,r1,Style,Awful\nb,d,1,r1,Style,Minor\n")
    with pytest.raises(DataError, match="no weight of severity 'awful'"):
        recognise(parse(path)[0])


def test_error_names_a_vote_for_both(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("id,winner_model_a,winner_model_b,winner_tie\n1,1,0,0\n2,1,1,0\n")
    with pytest.raises(DataError, match="line 3: more than one of"):
        recognise(parse(path)[0])


def test_error_names_a_system_with_fewer_segments(tmp_path):
    path = tmp_path / "chrF.seg.score"
    path.write_text("a\t.1\na\t.2\nb\t.3\n")
    with pytest.raises(DataError, match="fewer scores than of the other systems: 'b'"):
        recognise(parse(path)[0])


def test_table_of_no_tool_is_left_alone(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,document,judge,score\na,1,j,2\nb,1,j,3\n")
    tables = parse(path)
    assert recognise_all(tables) == tables
