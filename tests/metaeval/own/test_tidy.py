"""Columns are told by their names, every value is checked, and what was guessed is said."""

import datetime
import json

import polars as pl
import pytest

from metaeval.core.errors import DataError, OpenQuestion, UnknownNameError
from metaeval.own.joining import fill_systems
from metaeval.own.tidy import tidy


@pytest.fixture
def read(tmp_path):
    def read(*texts, **how):
        paths = []
        for i, text in enumerate(texts):
            name, text = text if isinstance(text, tuple) else (f"mine{i or ''}.csv", text)
            paths.append(tmp_path / name)
            paths[-1].write_text(text)
        return tidy(paths, **how)

    return read


def shown(found, *columns):
    texts = [pl.col(c).cast(pl.String) if c not in ("value", "person") else pl.col(c) for c in columns]
    return found.frame.sort("file", "row", maintain_order=True).select(texts).rows()


CELL = ("name", "system", "document", "value")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("metric,system,document,score\nm,a,1,0\nn,a,1,1\n", [("m", "a", "1", 0), ("n", "a", "1", 1)]),
        ("metric,system,1,2\nm,a,0,\nn,a,1,\n", [("m", "a", "1", 0), ("n", "a", "1", 1)]),
        ("Model,Prompt ID,Judge,Value\na,1,m,0\n", [("m", "a", "1", 0)]),
        ("system,document,m,n\na,1,0,1\n", [("m", "a", "1", 0), ("n", "a", "1", 1)]),
        ("document,x,y\n1,0,1\n", [("mine", "x", "1", 0), ("mine", "y", "1", 1)]),
        ("system,m,human\na,0,1\n", [("people", "a", "", 1), ("m", "a", "", 0)]),
        ("system,metric,score\na,m,0\n", [("m", "a", "", 0)]),
        ("item,m,human\n1,pass,fail\n", [("people", "", "1", 0), ("m", "", "1", 1)]),
        ("human,m\n1,0\n", [("people", "", "1", 1), ("m", "", "1", 0)]),
        ("item,judge,label\n1,0,1\n", [("people", "", "1", 1), ("judge", "", "1", 0)]),
        ("item,judge,label\n1,m,0.5\n", [("m", "", "1", 0.5)]),
        ("system,document,m,human_fluency\na,1,0,1\n", [("fluency", "a", "1", 1), ("m", "a", "1", 0)]),
        ("system,document,score,human\na,1,0,1\n", [("mine", "a", "1", 0), ("people", "a", "1", 1)]),
        ("system,document,m,notes\na,1,0,so so\n", [("m", "a", "1", 0)]),
    ],
)
def test_columns_are_told_by_their_names(read, text, rows):
    assert shown(read(text), *CELL) == rows


@pytest.mark.parametrize(
    "text",
    [
        "system,document,annotator,rating\na,1,x,1\na,1,y,2\n",
        "system,document,rater,metric,score\na,1,x,people,1\na,1,y,people,2\n",
    ],
)
def test_raters_are_people(read, text):
    assert shown(read(text), "name", "rater", "person", "value") == [("people", "x", True, 1), ("people", "y", True, 2)]  # fmt: skip


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "Unnamed: 0.1", "__index_level_0__", "index", "row"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_column_that_counts_the_rows_is_no_judge(read, name, first):
    for text, across in (
        ("{},system,m,human\n{},a,5,7\n\n{},b,6,8\n", {"m", "people"}),
        ("document,x,y,{}\n1,5,7,{}\n2,6,8,{}\n", {"x", "y"}),
    ):
        found = read(text.format(name, first, first + 1))
        assert {*found.names("name"), *found.names("system")} >= across
        assert found.frame.height == 4
        assert sum("(counts the rows)" in note for note in found.notes) == 1


def test_a_column_that_the_user_names_takes_the_place_of_one_with_a_usual_name(read):
    text = "system,document,m,human,gold mean,rater_1\na,x,1,2,3,4\nb,x,1,2,4,5\n"
    found = read(text, columns={"human": "gold mean"})
    assert ("people", "", True, 3) in shown(found, "name", "rater", "person", "value")
    assert ("people", "rater_1", True, 4) in shown(found, "name", "rater", "person", "value")
    assert found.notes == ("mine.csv: not used: 'human' (people's scores are another column).",)
    with pytest.raises(OpenQuestion, match="such contradiction"):
        read("system,document,score\na,x,1\nb,x,2\n", columns={"system": "document"})


def test_what_a_set_holds_is_taken_in_order(read):
    names = {f"part{i}" for i in range(9)}
    text = f"system,{','.join(sorted(names))},human\na,{'x,' * 9}1\nb,{'x,' * 9}2\n"
    found = read(text.replace("x", "y", 1), columns={"document": names})
    assert found.names("document") == ["/".join("x" * 9), "/".join("y" + "x" * 8)]


def test_other_numbers_are_scores_or_asked_about(read):
    """Also such as count some rows: pandas keeps their numbers where others are left out."""
    found = read("index,system,human\n2,a,7\n1,b,8\n")
    assert found.names("name") == ["people"]
    assert found.notes == ("mine.csv: not used: 'index' (an id).",)
    found = read("index,system,m\n0,a,7\n1,b,8\n", people=["index"])
    assert ("index", "b", "", 1) in shown(found, *CELL)
    for asked in ("judges", "lower_is_better", "higher_is_better"):  # a readability index, say
        found = read("index,system,human\n0,a,7\n1,b,8\n", **{asked: ["index"]})
        assert found.names("name") == ["index", "people"]
    for name in ("", "Unnamed: 0", "__index_level_0__"):
        for numbers in ((0, 2), (1, 0), (2, 3)):
            found = read("{},system,m,human\n{},a,5,7\n{},b,6,8\n".format(name, *numbers))
            assert found.names("name") == ["m", "people"]
        assert read(f"{name},system,document,m\nso so,a,1,5\n,b,1,6\n").frame.height == 2


def test_one_judge_is_not_better_both_ways(read):
    with pytest.raises(DataError, match=r"^'n' cannot be of people and of machines; say one of both"):
        read("system,document,m,n\na,1,0,1\n", raters=["n", "m"], machines=["n"])
    with pytest.raises(
        TypeError, match=r"^`columns` must be a mapping such as \{'human': 'gold'\}, got 'gold'"
    ):
        read("system,document,m,n\na,1,0,1\n", columns="gold")
    with pytest.raises(DataError, match=r"'m' cannot be better lower and higher; say one of both"):
        read("system,document,m,n\na,1,0,1\n", lower_is_better="m", higher_is_better=["n", "m"])


def test_one_name_is_given_as_it_is_and_none_is_none(read):
    text = "system,document,m,n\na,1,0,1\n"
    assert read(text, people="m").names("name", person=True) == ["m"]
    assert read(text, people=None, raters=None, machines=None).names("name") == ["m", "n"]
    with pytest.raises(UnknownNameError, match=r"said to be a machine, 'x'; known: m, n\."):
        read(text, machines="x")


@pytest.mark.parametrize("given", [[[1.0, 2.0]], pl.Series([1]), 5, {"m": [1]}, [None]])
def test_what_is_no_file_is_told(given):
    with pytest.raises(
        TypeError, match=r"files must be paths or data frames, got .*; of arrays `as_benchmark` makes a"
    ):
        tidy(given)


def test_raters_may_be_columns(read):
    found = shown(read("system,document,m,rater_1,rater_2\na,1,0,3,4\n"), "name", "rater", "person", "value")
    assert found == [("people", "rater_1", True, 3), ("people", "rater_2", True, 4), ("m", "", False, 0)]


def test_a_column_is_what_the_user_says(read):
    text = "name,text,gold,s\na,1,5,0\n"
    found = read(text, columns={"system": "name", "document": "text", "human": "gold"})
    assert shown(found, *CELL) == [("people", "a", "1", 5), ("s", "a", "1", 0)]
    with pytest.raises(
        UnknownNameError, match=r"unknown column, given for human, 'golf'; .* Did you mean 'gold'"
    ):
        read(text, columns={"human": "golf"})
    with pytest.raises(UnknownNameError, match=r"unknown role of a column 'humen'; .* Did you mean 'human'"):
        read(text, columns={"humen": "gold"})


def test_several_columns_may_make_a_document(read):
    text = "question_id,turn,model,m,score\n1,1,a,x,5\n1,2,a,x,4\n"
    assert [*read(text).readings] == [
        "--col item=question_id --col item=turn", "--by turn", "--ignore turn --mean",
    ]  # fmt: skip
    found = read(text, columns={"document": ["question_id", "turn"]})
    assert shown(found, "document", "value") == [("1/1", 5), ("1/2", 4)]


def test_people_are_who_the_user_says(read):
    text = "system,document,m,expert opinion\na,1,0,5\n"
    assert shown(read(text, people=["expert opinion"]), "name", "person") == [("opinion", True), ("m", False)]  # fmt: skip
    both = [
        text.replace(",expert opinion", "").replace(",5", ""),
        ("gut.csv", "system,document,score\na,1,5\n"),
    ]
    assert shown(read(*both, people=["gut"]), "name", "person") == [("m", False), ("gut", True)]
    with pytest.raises(UnknownNameError, match="unknown judge or file, said to be people, 'gutt'"):
        read(*both, people=["gutt"])


@pytest.mark.parametrize(
    "text",
    [
        "item,judge,human\n1,pass,fail\n2,fail,fail\n",
        "item,judge,score\n1,judge,1\n2,judge,0\n1,human,0\n2,human,0\n",
    ],
)
def test_a_file_called_after_labels_is_people_s_only_where_its_columns_do_not_say_whose_they_are(read, text):
    found = read(("labels.csv", text))
    assert sorted(shown(found, "name", "person", "value")) == [
        ("judge", False, 0.0), ("judge", False, 1.0), ("people", True, 0.0), ("people", True, 0.0),
    ]  # fmt: skip
    alone = read(("labels.csv", "item,score\n1,1\n2,0\n"))
    assert alone.frame.get_column("person").all()
    # a column called after a quality is theirs by the name of the file
    assert read(("human.csv", "system,document,coherence\na,1,3\n")).frame.get_column("person").all()


def test_a_mapping_of_judges_to_scores_is_columns(read):
    found = read(("x.jsonl", '{"id": 1, "scores": {"m": 1, "n": 2}, "human": 3, "tags": ["t"]}\n'))
    assert shown(found, "name", "value") == [("people", 3), ("m", 1), ("n", 2)]


def test_files_are_joined_by_their_ids(read):
    scores, people = (
        "system,document,m\na,1,0\nb,2,1\n",
        ("people.csv", "document,rater,score\n2,x,5\n1,x,4\n"),
    )
    found = read(scores, people)
    assert shown(found, "name", "system", "value") == [("m", "a", 0), ("m", "b", 1), ("people", "b", 5), ("people", "a", 4)]  # fmt: skip
    assert found.notes == ("people.csv: its systems are those that the other file has for its items.",)
    # two files of one system: columns are judges
    assert shown(read("item,m,n\n1,0,1\n", ("labels.csv", "item,label\n1,1\n")), "name", "system") == [("m", ""), ("n", ""), ("people", "")]  # fmt: skip


def test_files_are_joined_by_the_column_that_all_have(read):
    people = "id,uid,human\n" + "".join(f"{k},{k * 3 % 10},{k % 2}\n" for k in range(10))
    judge = "id,judge\n" + "".join(f"{k},{k % 2}\n" for k in range(10))
    for files in ((people, ("b.csv", judge)), (judge, ("b.csv", people))):
        assert {*shown(read(*files), "document", "value")} == {(f"{k}", k % 2) for k in range(10)}
    # numbers of rows are no items of a file of items
    cells = [(k, k // 4, f"s{k % 4}", k % 2) for k in range(40)]
    rows = "id,doc_id,system,gpt\n" + "".join(f"{k},{of},{system},{v}\n" for k, of, system, v in cells)
    items = "id,system,human\n" + "".join(f"{of},{system},{v}\n" for _, of, system, v in cells)
    found = read(rows, ("b.csv", items))
    assert len({one for (one,) in shown(found, "document")}) == 10


def test_a_blank_line_is_no_row_however_few_the_columns(read):
    found = read("m,human\n1,2\n\n3,4\n")
    assert (sorted(shown(found, "value")), found.n_missing) == ([(1,), (2,), (3,), (4,)], 0)


@pytest.mark.processes
def test_files_may_be_many():
    many = [pl.DataFrame({"system": ["A"], "document": ["1"], f"m{i}": [i]}) for i in range(257)]
    assert tidy(many).names("name") == [f"m{i}" for i in range(257)]


def test_lower_is_better_is_said_or_guessed(read):
    text = "system,document,ter,m\na,1,3,4\n"
    found = read(text)
    assert dict(shown(found, "name", "value")) == {"m": 4, "ter": -3}
    assert "Lower is better for ter, by the name" in found.notes[0]
    assert dict(shown(read(text, higher_is_better=["ter"]), "name", "value")) == {"ter": 3, "m": 4}
    assert dict(shown(read(text, lower_is_better=["m"]), "name", "value")) == {"ter": -3, "m": -4}
    with pytest.raises(UnknownNameError, match="unknown judge 'n'"):
        read(text, lower_is_better=["n"])


def test_repeated_rows_count_once(read):
    found = read("system,document,score\na,1,2\na,1,2\na,1,\nb,1,3\n")
    assert (found.frame.height, found.n_repeated, found.n_missing) == (2, 1, 1)
    assert found.notes[0].startswith("1 score repeats another, with the same value")


def test_decimal_commas_between_semicolons_are_points_and_said(read):
    found = read("system;document;m;n;o\na;1;2,5; -,25;3\nb;1;4;1;\n")
    values = [("m", 2.5), ("m", 4), ("n", -0.25), ("n", 1), ("o", 3)]
    assert sorted(shown(found, "name", "value")) == values
    assert "mine.csv: the commas of m are decimal commas." in found.notes


def test_a_rater_without_a_judge_beside_is_a_person(read):
    lines = "a,1,,ann,3\na,1,,bo,4\na,1,gpt,,5\n"
    found = read("system,document,judge,rater,score\n" + lines)
    people = [("people", "ann", True, 3), ("people", "bo", True, 4)]
    assert shown(found, "name", "rater", "person", "value") == [*people, ("gpt", "", False, 5)]


def test_what_a_rater_rated_may_have_any_name(read):
    found = read("system,document,judge,rater,score\na,1,fluency,ann,3\na,1,fluency,bo,4\n")
    assert shown(found, "name", "rater", "person") == [("fluency", "ann", True), ("fluency", "bo", True)]


def test_a_rater_may_be_a_machine(read):
    lines = "i,x,y,ann,x\ni,x,y,gpt,y\n"
    text = "item,model_a,model_b,rater,winner\n" + lines
    for how in ({}, {"machines": ["gpt"]}):  # by its name, which is said, or by the user's word
        found = read(text, **how)
        assert shown(found, "name", "rater", "person") == [("people", "ann", True), ("gpt", "", False)]
        assert any("By its name 'gpt' is a judge" in note for note in found.notes) == (not how)
    found = read(text, raters=["gpt"])
    assert shown(found, "name", "rater", "person") == [("people", "ann", True), ("people", "gpt", True)]
    with pytest.raises(UnknownNameError, match="unknown rater, said to be a machine, 'gtp'; known: ann, gpt"):
        read(text, machines=["gtp"])


def test_a_first_name_is_no_rater_by_a_letter_at_its_end(read):
    found = read("system,document,anna,experts,raterA,ann1\na,1,1,2,3,4\n")
    assert found.names("name", person=False) == ["anna"]
    assert found.names("rater") == ["ann1", "ratera"]


@pytest.mark.parametrize(
    ("winners", "values"),
    [
        ("x y tie TIE", [1, 0, 0.5, 0.5]),
        ("model_a model_b neither A", [1, 0, 0.5, 1]),
        ("1 2 0 1", [1, 0, 0.5, 1]),
        ("1 0 0.5 1", [1, 0, 0.5, 1]),
    ],
)
def test_choices_are_read_in_their_usual_words(read, winners, values):
    lines = [f"{i},x,y,m,{winner}" for i, winner in enumerate(winners.split())]
    found = read("\n".join(["item,model_a,model_b,judge,winner", *lines]))
    assert found.pairs
    assert shown(found, "first", "second", "value") == [("x", "y", value) for value in values]


def test_a_choice_that_a_file_of_numbers_leaves_out_is_nobody_s(read):
    choices = [1.0, None, 2.0]
    lines = [
        json.dumps({"item": i, "model_a": "x", "model_b": "y", "winner": choice})
        for i, choice in enumerate(choices)
    ]
    found = read(("mine.jsonl", "\n".join(lines)))
    assert found.pairs
    assert shown(found, "document", "value") == [("0", 1.0), ("2", 0.0)]


@pytest.mark.parametrize(("names", "read_as"), [([1.0, 2.0], ["1", "2"]), ([1.0, 2.5], ["1.0", "2.5"])])
def test_names_that_are_numbers_are_whole_where_all_are(tmp_path, names, read_as):
    table = pl.DataFrame({"system": names, "document": ["x", "x"], "m": [1, 2]})
    table.write_parquet(tmp_path / "mine.parquet")
    assert tidy([tmp_path / "mine.parquet"]).names("system") == read_as


def test_a_column_of_days_under_the_name_of_judges_is_no_judge_s_scores(tmp_path):
    path = tmp_path / "mine.parquet"
    day = datetime.date(2026, 1, 1)
    table = pl.DataFrame({"system": ["a", "b"], "document": [1, 1], "judge": [day, day], "m": [1, 2]})
    table.write_parquet(path)
    assert shown(tidy([path]), *CELL) == [("m", "a", "1", 1), ("m", "b", "1", 2)]


def test_beside_choices_of_no_judge_other_columns_of_choices_are_judges(read):
    text = "item,model_a,model_b,judge,winner,gpt,note\n1,x,y,m,x,y,y\n2,x,y,m,y,x,so so\n"
    assert read(text).names("name") == ["m"]
    found = read(text.replace(",judge", "").replace(",m,", ","))
    assert shown(found, "name", "person", "value") == [
        ("people", True, 1), ("gpt", False, 0), ("people", True, 0), ("gpt", False, 1)
    ]  # fmt: skip


def test_of_two_columns_with_usual_names_of_one_thing_it_is_said_which_counts(read):
    found = read("system,model,document,score\na,x,1,2\nb,y,1,3\n")
    assert found.names("system") == ["a", "b"]
    assert "mine.csv: not used: 'model' ('system' is the system)." in found.notes


LONG = "system,document,score\n"


@pytest.mark.parametrize("mark", ["NA", "N/A", "<NA>", "nan", "None", "null", "-", " NA "])
def test_what_other_programs_write_where_there_is_no_score_is_none(read, mark):
    found = read(LONG + f"a,1,2\na,2,{mark}\nb,1,{mark}\nb,2,0.5\n")
    values = found.frame.get_column("value").drop_nulls()
    assert sorted(values) == [0.5, 2.0]
    assert f"mine.csv: {mark.strip()!r} in 2 cells: no score." in found.notes
    beside = read(LONG + f"a,1,yes\na,2,{mark}\nb,1,no\n")  # also beside words of labels
    assert sorted(beside.frame.get_column("value").drop_nulls()) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a,b\nx,z\n"], "no column of scores among 'a' and 'b'. Scores are numbers, labels such as pass and fail"),
        (["system,document,m\x1b[31m\na,1,2\n"], "the column 'm\\x1b[31m' holds a control character; take it out"),
        ([LONG + 'a,1,"1,500"\n'], "got '1,500'; write 1500 if the comma parts thousands, 1.500 if it is a decimal comma"),
        (["system;document;m\na;1;1,5\na;2;2.5\n"], "column 'm': a score must be a finite number, got '1,5'; write 1.5"),
        (["system;document;m\na;1;1,500\na;2;2\n"], "column 'm': a score must be a finite number, got '1,500'"),
        ([LONG + "a,1,85%\nb,1,86\n"], "got '85%'; write the number without the percent sign"),
        ([LONG + "a,1,inf\n"], "a score must be a finite number, got 'inf'"),
        ([LONG + "a,1,2\na,2,-1e301\n"], "mine.csv, line 3, column 'score': a score must be of at most 1e+300 in size, got '-1e301'"),
        ([LONG + "a,1,1e999\n"], "got '1e999'"),
        ([LONG + "a,1,1_000\n"], "got '1_000'"),
        ([LONG + "a,1,٣\n"], "got '٣'"),
        ([LONG + "a,1,3\na,2,pass\n"], "line 3, column 'score': a score must be a finite number, got 'pass'"),
        ([LONG + ",1,1\nb,1,1\n"], "line 2, column 'system': the name of the system is empty; fill it in"),
        ([LONG + "a,,1\na,2,1\n"], "column 'document': the name of the item is empty"),
        ([LONG + "a\x1b[2J,1,1\n"], "column 'system': 'a\\x1b[2J' holds a control character"),
        ([LONG + "a,1,\n"], "no column of scores among 'document', 'score' and 'system'"),
        ([LONG + "a,1,2\nb,1,2\na,1,3\n"], "mine.csv, line 4: 3 for system 'a', item '1', name 'mine', but 2 in mine.csv, line 2; 1 such contradiction. Its columns"),
        ([LONG + "a,1,2\na,1,3\nb,1,2\nb,1,3\n"], "line 3: 3 for system 'a', item '1', name 'mine', but 2 in mine.csv, line 2; 2 such contradictions."),
        (["system,rouge\na,1\na,2\n"], "line 3: 2 for system 'a', name 'rouge'"),
        (["system,m,score\na,1,2\n", LONG + "a,1,2\n"], "mine.csv has no column of items, and another file has one"),
        ([LONG + "a,1,2\n", "system,m,score\na,1,2\n", "system,n,score\na,1,3\n"], "mine1.csv has no column of items"),
        (["system,document,m\na,1,0\nb,1,1\n", "document,rater,score\n1,x,4\n", "document,rater,score\n1,y,4\n"], "mine1.csv has no column of systems, and the item '1' is of several systems"),
        (["system,document,m\na,1,0\nb,2,1\n", "document,rater,score\n3,x,4\n"], "mine1.csv: items that no other file has: '3'"),
        (["human,m\n1,0\n", "document,n\n1,0\n"], "'mine.csv': no column of items to join the files by"),
        (["item,first,second,winner\n1,x,y,x\n2,x,x,x\n"], "line 3, column 'winner': 'x' is the name of both, for upper and lower case are alike; write 1, 2 or tie"),
        (["item,first,second,winner\n1,x,X,x\n"], "line 2, column 'winner': 'x' is the name of both"),
        (["item,first,second,winner\n1,x,y,z\n"], "line 2, column 'winner': 'z' is no choice of two; write the better one's name, 1, 2 or tie"),
        (["item,first,second,m\n1,x,y,x\n2,x,y,z\n"], "line 3, column 'm': 'z' is no choice of two"),
        (["item,winner,judge\n1,1,m\n1,2,m\n"], "line 3: 0 for item '1', name 'm', first 'first', second 'second', but 1 in"),
        (["item,winner,judge\n1,1,m\n", LONG + "a,1,2\n"], "choices between two outputs in 'mine.csv', and scores in other files"),
        (["item,first,second,text\n1,x,y,abc\n"], "no column of choices among 'first', 'item', 'second' and 'text'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(read, texts, message):
    with pytest.raises(DataError) as caught:
        read(*texts)
    assert message in str(caught.value)


def test_markup_and_formulas_are_names_like_others(read):
    names = ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "{{ 7*7 }}"]
    found = read("system,document,score\n" + "".join(f"{name},1,1\n" for name in names))
    assert [name for (name,) in shown(found, "system")] == names


def test_a_word_close_to_a_wide_tables_name_is_no_slip(read):
    assert read("document,model1,model2\n1,0,1\n").names("system") == ["model1", "model2"]


def test_a_judge_called_like_a_label_is_a_judge_of_choices(read):
    text = "item,model_a,model_b,judge,winner\n1,x,y,good,x\n1,x,y,fine,y\n"
    assert read(text).names("name") == ["fine", "good"]


RATED = "system,document,m,alice,Bob B.\na,1,0,1,2\nb,1,1,2,3\n"


def test_peoples_columns_are_raters_where_only_a_number_tells_them_apart(read):
    text = "system,document,m,side1,side2\na,1,0,1,2\nb,1,1,2,3\n"
    found = read(text, columns={"human": ["side1", "side2"]})
    assert (found.names("rater"), found.names("name", person=True)) == (["side1", "side2"], ["people"])
    found = read(
        text.replace("side1", "clear").replace("side2", "true"), columns={"human": ["clear", "true"]}
    )
    assert (found.names("rater"), found.names("name", person=True)) == ([], ["clear", "true"])


def test_raters_have_whatever_names(read):
    found = read(RATED, raters=["alice", "Bob B."])
    assert sorted(found.names("rater")) == ["Bob B.", "alice"]
    assert found.names("name", person=True) == ["people"]
    assert found.names("name", person=False) == ["m"]
    alone = read(
        "system,document,score\na,1,1\n", ("alice.csv", "system,document,score\na,1,2\n"), raters=["alice"]
    )
    assert shown(alone, "name", "rater", "value") == [("mine", "", 1), ("people", "alice", 2)]
    with pytest.raises(UnknownNameError, match="Did you mean 'alice'"):
        read(RATED, raters=["alise"])


TOLD = "system,document,m,summary,article text,source\na,1,0,one two,x,s t\nb,1,1,5,x,s t\n"


def test_texts_beside_scores_are_kept(read):
    found = read(TOLD)
    assert found.texts.rows() == [("a", "1", "one two", "s t"), ("b", "1", "5", "s t")]
    assert found.names("name") == ["m"]
    assert any("'article text'" in note for note in found.notes)
    files = "system,document,m\na,1,0\n", ("texts.jsonl", '{"system": "a", "document": 1, "summary": "x"}')
    for apart in (read(*files), read(*files[::-1])):
        assert apart.texts.rows() == [("a", "1", "x")]
        assert apart.names("name") == ["m"]
    twice = read("system,document,metric,score,summary\na,1,m,0,x\na,1,n,0,y\n")
    assert twice.texts is None
    assert "Texts are not used: there are two for system 'a', document '1'." in twice.notes
    # of several such pairs the first in the file is named
    mixed = read("system,document,metric,score,summary\na,1,m,0,x\nb,1,m,0,x\na,1,n,0,y\nb,1,n,0,y\n")
    assert "Texts are not used: there are two for system 'a', document '1'." in mixed.notes
    long = read("system,document,metric,score,summary\na,1,m,0,x\na,1,n,0,x\n")
    assert long.texts.rows() == [("a", "1", "x")]
    # numbers in such a column are scores, and without systems there is nothing to join them by
    assert read("system,document,source\na,1,3\n").names("name") == ["source"]
    assert read("document,m,summary\n1,3,x\n").texts is None
    with pytest.raises(DataError, match="texts and no scores"):
        read(("texts.csv", "system,document,summary\na,1,x\n"))


def test_numbers_about_a_row_are_no_scores(read):
    row = '{"document": 1, "scores": {"m": 1}, "metadata": {"tokens": 512, "system": "a"}, "tags": [1]}'
    found = read(("log.jsonl", row))
    assert shown(found, "name", "system", "value") == [("m", "a", 1)]
    (note,) = found.notes
    assert "'tags' (holds lists or mappings)" in note


def test_what_a_word_counts_is_said_where_words_stand_for_scores(read):
    found = read("system,document,m\na,1,pass\na,2,FAIL\n")
    assert shown(found, "document", "value") == [("1", 1), ("2", 0)]
    assert found.notes == ("mine.csv: 'fail' counts 0, 'pass' counts 1.",)
    assert read("system,document,m\na,1,1\na,2,\n").notes == ()


def test_a_table_in_memory_is_named_by_its_place():
    bad = pl.DataFrame({"system": ["a"], "document": ["1"], "m": ["so so"]})
    with pytest.raises(DataError, match=r"^the table"):
        tidy(bad)
    with pytest.raises(DataError, match=r"^table 1"):
        tidy([bad, bad])


def test_scores_out_of_one_number_are_scores(read):
    found = read("system,document,gpt,people\na,1,3/5,4\na,2,4/5,4\nb,1,5/5,1\nb,2,1/5,1\n")
    assert sorted(value for name, value in shown(found, "name", "value") if name == "gpt") == [1, 3, 4, 5]
    assert "mine.csv: 'gpt' is out of 5." in found.notes
    with pytest.raises(DataError, match="no column of scores among"):  # and no names of judges
        read("system,document,judge\na,1,3/5\na,2,4/10\n")
    # a day is no score
    found = read("system,document,day,gpt,people\na,1,3/5,1,4\na,2,4/6,2,4\nb,1,5/5,3,1\nb,2,1/5,4,1\n")
    assert "not used: 'day'" in " ".join(found.notes)


def test_a_word_in_place_of_a_score_is_told_what_to_do(read):
    with pytest.raises(
        DataError, match="got 'refused'; if it means that there is none: --missing refused; if it is a label"
    ):
        read("system,document,judge,score\na,1,gpt,pass\na,2,gpt,refused\n")
    found = read("system,document,judge,score\na,1,gpt,pass\na,2,gpt,refused\n", missing=["refused"])
    assert shown(found, "document", "value") == [("1", 1)]
    found = read("system,document,judge,score\na,1,gpt,refused\na,2,gpt,answered\n", passes=["refused"])
    assert shown(found, "document", "value") == [("1", 1), ("2", 0)]


def test_the_model_of_a_judge_is_its_name(read):
    assert read("system,document,judge_model,score\na,1,gpt,1\na,2,gpt,2\n").names("name") == ["gpt"]


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        ([-1, 1, 3, 5], "the only value below 0"),
        ([-1, 0, 1, 1], "the only value below 0"),
        ([99, 2, 3, 5], "far above the others, 2 to 5"),
        ([0, 2, 3, 5], "below people's scale, 1 to 5"),
        ([-2, -1, 3, 4], ""),
        ([-1, 1, 2.5, 3], ""),
        ([99, 98, 60, 80], ""),
        ([0, 0.5, 3, 5], ""),
    ],
)
def test_a_code_that_may_mean_no_score_is_asked_about(read, scores, why):
    lines = "".join(
        f"a,{i},{score},{people}\n"
        for i, (score, people) in enumerate(zip(scores, [1, 2, 4, 5], strict=True))
    )
    notes = " ".join(read(f"system,document,gpt,human\n{lines}").notes)
    data = read(f"system,document,gpt,human\n{lines}")
    gone = scores[0] == 99 and bool(why)  # three grades beside -1 are too few
    assert (f"gpt: {scores[0]} in 1 of 4 scores, {why}, is" in notes) == bool(why)
    assert ("is read as a score" in notes, "is no grade and left out" in notes) == (
        bool(why) and not gone,
        gone,
    )
    assert sorted(data.frame.filter(name="gpt").get_column("value")) == sorted(scores[gone:])


def test_people_s_scale_reaches_as_far_as_any_of_them_went(read):
    lines = "a,1,0,1,2\na,2,2,1,3\na,3,5,5,4\na,4,3,2,4\n"
    notes = " ".join(read(f"system,document,gpt,human_ann,human_bob\n{lines}").notes)
    assert "gpt: 0 in 1 of 4 scores, below people's scale, 1 to 5, is read as a score" in notes


def test_numbers_under_a_name_close_to_judge_are_a_judge_s(read):
    assert read("system,document,judgeA,judgeB,human\na,1,1,2,3\nb,1,2,3,4\n").names(
        "name", person=False
    ) == [
        "judgeA",
        "judgeB",
    ]


def test_a_scale_around_0_holds_no_code(read):
    assert read("system,document,gpt,human\na,1,-1,-1\na,2,0,1\na,3,1,0\n").notes == ()


def test_rows_of_files_without_sides_are_kept_beside_files_with_sides():
    names = {"document": ["x", "u"], "first": [None, "a"], "second": [None, "b"]}
    frame = pl.DataFrame({"file": [0, 1], "value": [1.0, 0.0], **names})
    assert fill_systems(frame, [], []).equals(frame)


def test_grades_out_of_one_number_are_no_choices(read):
    grades = read("system,item,winner\na,1,3/5\na,2,4/5\nb,1,1/5\nb,2,2/5\n")
    assert sorted(grades.frame.get_column("value")) == [1, 2, 3, 4]


def test_a_name_in_a_column_of_judges_may_be_given_as_a_rater(read):
    found = read("system,item,judge,score\na,1,gpt,1\na,1,alice,2\na,1,bob,3\n", raters=["alice"])
    assert shown(found, "name", "rater", "person", "value") == [
        ("gpt", "", False, 1), ("people", "alice", True, 2), ("bob", "", False, 3),
    ]  # fmt: skip


def test_people_of_two_files_are_raters_only_where_their_scores_differ(read):
    first = ("v1.csv", "item,human,judge\n1,0,0\n2,1,1\n3,1,0\n")
    found = read(first, ("v2.csv", "item,human,judge\n1,0,0\n2,1,0\n3,1,1\n"))
    assert shown(found, "rater") == [("",)] * 9
    assert found.names("name", person=False) == ["v1", "v2"]
    found = read(first, ("v2.csv", "item,human\n3,1\n1,0\n"), ("v3.csv", "item,human\n1,1\n2,1\n"))
    assert found.names("rater", person=True) == ["v1", "v3"]


def test_judges_of_files_of_one_name_are_called_after_their_folders(tmp_path):
    texts = {"a/p": "1,0,0\n2,1,1\n", "a/q": "1,0,1\n2,1,1\n", "b/q": "1,0,1\n2,1,0\n"}
    for folder, rows in texts.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "out.csv").write_text(f"item,human,judge\n{rows}")
    found = tidy([tmp_path / folder / "out.csv" for folder in ("a/p", "a/q")])
    assert found.names("name", person=False) == ["p/out", "q/out"]
    assert "'p/out' and 'q/out'" in " ".join(found.notes)
    found = tidy([tmp_path / folder / "out.csv" for folder in texts])
    assert found.names("name", person=False) == ["a/q/out", "b/q/out", "p/out"]


def test_consensus_that_contradicts_people_beside_it_is_asked_about(read):
    text = "item,human,judge,consensus\n1,0,0,1\n2,1,1,1\n3,1,0,\n"
    with pytest.raises(OpenQuestion) as asked:
        read(text)
    assert [*asked.value.readings] == ["--col human=human", "--col human=consensus"]
    one = read(text, columns={"human": "consensus"})
    assert [value for value, person in shown(one, "value", "person") if person] == [1, 1]
    assert read(text.replace("1,0,0,1", "1,0,0,0")).names("name", person=True) == ["people"]
