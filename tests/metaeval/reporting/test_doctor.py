"""What files hold is counted, what they cannot answer says what would unblock it, and every example is read."""

import json

import pytest

from metaeval.__main__ import main
from metaeval.core.errors import DataError
from metaeval.own.tidy import tidy
from metaeval.reporting.doctor import diagnose, doctor
from metaeval.reporting.example import EXAMPLES, write_examples
from metaeval.reporting.reading import KINDS, read


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    return write_examples(tmp_path_factory.mktemp("made") / "examples", seed=1)


def diagnosed(tmp_path, text, **how):
    (tmp_path / "mine.csv").write_text(text)
    return diagnose(tidy(tmp_path / "mine.csv", **how))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_read_as_what_it_is(examples, name):
    kind = EXAMPLES[name][0]
    found = read(examples[name])
    assert found.kind == diagnose(tidy(examples[name])).kind == kind
    assert (found.labels is not None, found.pairs is not None) == (kind == "one_system", kind == "pairs")
    assert (found.benchmark is None) == (kind in ("one_system", "pairs"))


def test_examples_are_of_every_kind_and_of_their_seed(examples, tmp_path):
    assert {kind for kind, _ in EXAMPLES.values()} == set(KINDS)
    again, other = (write_examples(tmp_path / str(seed), seed=seed) for seed in (1, 2))
    for name in EXAMPLES:
        texts = [[path.read_bytes() for path in made[name]] for made in (examples, again, other)]
        assert texts[0] == texts[1] != texts[2]
    with pytest.raises(DataError, match="is not empty"):
        write_examples(tmp_path)


def test_what_is_there_is_counted(tmp_path):
    text = "system,document,m,flat,rater_1,rater_2\na,1,1,1,1,2\nb,1,2.5,1,3,\nc,2,3,1,5,\nc,2,3,1,5,\n"
    found = diagnosed(tmp_path, text)
    assert (found.n_systems, found.n_documents, found.n_missing, found.n_repeated) == (3, 2, 3, 3)
    # three of the six cells have a judge's score, and people's
    assert found.scores.drop(columns=["person", "remark"]).to_numpy().tolist() == [
        ["flat", 3, 0, 0.5, 1, 1, 1, "constant"],
        ["m", 3, 0, 0.5, 1, 3, 3, "continuous"],
        ["people", 4, 2, 0.5, 1, 5, 4, "ordinal"],
    ]
    assert found.scores["remark"][0] == "all alike, so nothing correlates with it"


RANKING = "system,document,m,human\n" + "".join(f"{s},{d},{i + d % 2},{i}\n" for i, s in enumerate("abcdef") for d in (1, 2))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "question", "needs"),
    [
        (RANKING, "how sure that is: an interval, and a verdict", ""),
        (RANKING, "which of two judges is better", "scores of a second judge"),
        ("\n".join(RANKING.splitlines()[:5]), "whether judges find the difference that people find", "18 more documents (20 in all); 18 more documents that people judged (20 in all)"),
        (RANKING, "whether a judge is as good as a person", "two people's scores of the same items (a column rater, or columns of theirs: --rater NAME NAME)"),
        (RANKING.replace("human", "n"), "how a judge ranks systems, beside people", "people's scores (a column human, or --people NAME)"),
        ("\n".join(RANKING.splitlines()[:9]), "how sure that is: an interval, and a verdict", "2 more systems (6 in all)"),
        ("\n".join(RANKING.splitlines()[:7]), "the best systems alone", "2 more systems (5 in all)"),
        ("\n".join(RANKING.splitlines()[:5]), "a ranking of systems", "1 more system (3 in all)"),
        ("\n".join(RANKING.splitlines()[::2]), "how a judge ranks the summaries of a document", "a column of documents, two or more"),
        ("item,m,human\n1,0,1\n2,1,0\n", "people's mean or pass rate on all items, from few labels and a judge", "items that a judge labels and no person does; 18 more items that people labelled (20 in all)"),
        ("item,m,human\n1,0,1\n2,0,0\n", "how far a judge agrees with people (TPR, TNR, κ, AUC)", "scores of a judge"),
        ("item,m,human\n1,0,1\n2,1,3\n3,1,\n", "how far a judge agrees with people (correlation)", ""),
        ("item,m,human\n1,0,1\n2,1,3\n3,1,\n", "people's mean or pass rate on all items, from few labels and a judge", "18 more items that people labelled (20 in all)"),
        ("item,m,human\n1,0.5,1\n2,1,0\n", "how far a judge agrees with people (AUC)", ""),
        ("item,m,human\n" + "".join(f"{k},{k % 3},{k % 2}\n" for k in range(20)) + "20,1,\n", "people's mean or pass rate on all items, from few labels and a judge", ""),
        ("item,model_a,model_b,m,human\n1,x,y,1,1\n2,x,y,2,2\n", "whether a judge prefers the first", "the same pairs with first and second exchanged"),
        ("item,model_a,model_b,m,human\n1,x,y,1,1\n1,y,x,1,1\n", "whether a judge prefers the first", ""),
    ],
)  # fmt: skip
def test_a_question_says_what_it_lacks(tmp_path, text, question, needs):
    answer = diagnosed(tmp_path, text).answers.set_index("question").loc[question]
    assert answer["possible"] == (not needs)
    assert answer["needs"].startswith(needs)


def test_what_many_questions_lack_is_said_once(tmp_path):
    text = RANKING.replace("human", "n")
    found = diagnosed(tmp_path, text)
    assert found.answers["needs"].str.contains("people's scores (", regex=False).sum() == 8
    cannot = found.summary().partition("What it cannot answer, and what that takes\n")[2].splitlines()  # fmt: skip
    assert cannot[:3] == [
        "  people's scores (a column human, or --people NAME):",
        "    how a judge ranks systems, beside people",
        "    how sure that is: an interval, and a verdict",
    ]
    assert found.summary().count("people's scores (") == 1
    needs = found.answers["needs"].iloc[-1].split("; ")
    assert f"    whether a judge is as good as a person: also {needs[1]}" in cannot
    # what one question alone lacks stands beside it
    assert (
        "  which of two judges is better: scores of a second judge\n"
        in diagnosed(tmp_path, RANKING).summary()
    )


def test_a_judge_that_falls_as_people_rise_is_told(tmp_path):
    text = "system,document,m,human\n" + "".join(f"{s},1,{-i * i},{i}\n" for i, s in enumerate("abcd"))
    found = diagnosed(tmp_path, text)
    # of 0, -1, -4, -9 with 0, 1, 2, 3
    assert found.scores["remark"][0] == "falls as people's rise (r = -0.96): if lower is better, --lower 'm'"
    assert diagnosed(tmp_path, text, lower_is_better=["m"]).scores["remark"][0] == "lower is better"


def test_a_judge_of_whom_lower_is_better_is_told_on_its_own_scale(tmp_path):
    for rising, yet in ((-1, ""), (1, ", yet it rises with people's (r = 1.00): if not, --higher 'ter'")):
        rows = "".join(f"{s},1,{10 + rising * i},{i}\n" for i, s in enumerate("abcd"))
        ter = diagnosed(tmp_path, "system,document,ter,human\n" + rows).scores.iloc[0]
        assert [ter["smallest"], ter["largest"]] == sorted([10, 10 + 3 * rising])
        assert ter["remark"] == f"lower is better{yet}"


def test_a_plan_of_documents_takes_no_second_rater(tmp_path):
    answers = diagnosed(tmp_path, RANKING).answers.set_index("question")["possible"]
    assert answers["how many documents are enough"]
    assert not answers["how many raters are enough"]


def test_a_rater_who_is_called_after_a_model_is_told(tmp_path):
    text = "system,document,rater,score\na,1,ann,1\na,1,gpt-4 judge,2\nb,1,ann,2\nb,1,gpt-4 judge,1\n"
    (note,) = diagnosed(tmp_path, text).notes
    assert note == "By its name 'gpt-4 judge' is a judge and no person; if not: --rater 'gpt-4 judge'."
    assert diagnosed(tmp_path, text, machines=["gpt-4 judge"]).notes == ()
    assert diagnosed(tmp_path, text, raters=["gpt-4 judge"]).scores["name"].tolist() == ["people"]


def test_it_is_an_answer_like_the_others(tmp_path):
    path = tmp_path / "<b>.csv"
    path.write_text(RANKING)
    found = doctor(path)
    assert repr(found).startswith("<Diagnosis: <b>.csv: a ranking of 6 systems on 2 documents;")
    assert found.summary().endswith(found.signature)
    assert found.signature.startswith("kind:ranking|systems:6|documents:2|")
    assert found.to_frame()["name"].tolist() == ["m", "people"]
    assert found.to_frame("answers")["possible"].any()
    assert json.loads(found.to_json())["n_documents"] == 2
    page = found.to_html()
    assert "&lt;b&gt;.csv: a ranking" in page
    assert ">yes</td>" in page
    assert "<b>.csv" not in page


def test_its_page_shows_every_remark_below_captions_that_say_what_stands_there(tmp_path):
    found = diagnosed(
        tmp_path, "system,document,m,human\n" + "".join(f"{s},1,1,{i}\n" for i, s in enumerate("abcd"))
    )
    remarks = [remark for remark in found.scores["remark"] if remark]
    assert remarks
    page = found.to_html()
    assert all(remark in page for remark in remarks)
    assert "<caption>What it can answer</caption>" in page


def test_what_is_all_alike_is_no_score_of_anybody(tmp_path):
    found = diagnosed(tmp_path, "system,document,m,human\n" + "".join(f"{s},1,1,1\n" for s in "abcd"))
    assert not found.answers["possible"].any()
    assert (
        found.answers["needs"][0]
        == "scores of a judge that are not all alike; people's scores that are not all alike"
    )


def test_only_systems_of_both_sides_count(tmp_path):
    found = diagnosed(tmp_path, "system,document,m,human\na,1,1,2\nb,1,2,2\nc,1,3,\n")
    assert (found.kind, found.n_systems) == ("two_systems", 2)
    assert found.notes == ("Left out, since only judges or only people score them: 'c'.",)


def test_names_that_look_alike_are_told(tmp_path):
    found = diagnosed(tmp_path, "system,document,m\nGPT-4,1,1\ngpt 4,1,2\nBART,1,3\n")
    assert found.notes == ("Are these one and the same? 'GPT-4' and 'gpt 4'",)


def test_the_command_prints_text_and_json_and_writes_whole_files(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["example", "made", "--seed", "3"]) == 0
    assert "made/pairs.csv: choices between two outputs" in capsys.readouterr().out
    assert main(["example", "made again", "--seed", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == ["made again/pairs.csv"]
    assert main(["doctor", "made/long.csv"]) == 0
    assert "a ranking of 8 systems on 40 documents" in capsys.readouterr().out
    assert main(["doctor", "made/long.csv", "--json", "--people", "lenient judge"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["tables"]["scores"] if one["person"]] == ["lenient judge", "people"]
    assert main(["doctor", "made/long.csv", "--col", "human=golf", "--save-roles", "not.yml"]) == 3
    assert "unknown column, given for human, 'golf'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "made/long.csv", "--col", "human"])
    assert ended.value.code == 3
    assert "must be ROLE=NAME, such as human=gold, got 'human'" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "made again"]


def test_several_people_who_may_be_raters_are_told_how_to_say_so(tmp_path, capsys):
    text = "system,document,m,alice,Bob B.\n" + "".join(
        f"s{i},{d},{i},{i},{d}\n" for i in range(3) for d in range(2)
    )
    said = diagnosed(tmp_path, text, people=["alice", "Bob B."])
    assert "People judge Bob B. and alice. If these are people and not what they judge: --rater 'Bob B.' alice." \
        in said.notes  # fmt: skip
    assert main(["doctor", str(tmp_path / "mine.csv"), "--rater", "alice", "Bob B."]) == 0
    shown = capsys.readouterr().out
    assert "--rater" not in shown
    row = next(line for line in shown.splitlines() if line.startswith("people"))
    assert row.split()[3] == "2"  # raters
    found = read(tmp_path / "mine.csv", raters=["alice", "Bob B."])
    assert found.benchmark.ratings["people"].sizes["rater"] == 2
