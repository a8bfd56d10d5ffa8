"""own.tools: every made-up file is known by its content, and is read as what was counted by hand."""

import re

import numpy as np
import pytest

from bookbuild.tools import generated
from metaeval.__main__ import main
from metaeval.core.errors import DataError
from metaeval.core.paths import BOOK
from metaeval.own.parsing import parse
from metaeval.own.tidy import tidy
from metaeval.own.tools import Recognised, recognise, recognise_all, signatures
from metaeval.reporting.reading import read
from tests.metaeval.own.tools.made_up import CASES, lines, whole

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
    page = (BOOK / "tools_read.md").read_text(encoding="utf8")
    assert page == generated.tools_page(), "run: python -m bookbuild pages"


def test_weights_of_errors_can_be_set(tmp_path):
    table = parse(BY_NAME["mqm"].write(tmp_path))[0]
    known = recognise(table, weights={"major": 10, "minor": 1, "no-error": 0})
    # system a: major 10 + minor 1, and none; system b: a major of 10, and a minor (a source error counts nothing)
    assert list(known.table.frame["score"]) == [-11, 0, -10, -1]


def test_weights_of_errors_are_an_option(tmp_path):
    """By hand: system a has a major and a minor, and none; system b a major, and a minor beside a source error."""
    path = BY_NAME["mqm"].write(tmp_path)

    def scores(*weights):
        frame = tidy(path, mqm_weights=weights).frame.sort("system", "document")
        return frame.get_column("value").to_list()

    assert scores() == [-5.1, 0, -25, -1]  # a minor of punctuation 0.1, a major of no translation 25
    assert scores("minor=1", "major=5", "critical=10") == [-6, 0, -5, -1]
    assert scores("Minor=0.5", "major=3", "style/awkward/minor=2") == [-3.5, 0, -3, -2]
    with pytest.raises(DataError, match="such as minor=1 major=5 critical=10, got 'minor'"):
        tidy(path, mqm_weights=["minor"])
    with pytest.raises(DataError, match=r"no weight of severity 'major'; .*--mqm-weights"):
        tidy(path, mqm_weights=["minor=1"])


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


def test_files_of_wmt_are_matched_by_their_places(tmp_path):
    scores = {
        "BLEU-refA.seg.score": "A .1\nA .2\nB .3\nB .4\n",
        "en-de.mqm.seg.score": "A -1\nA None\nB -2\nB -3\n",
    }
    for name, text in scores.items():
        (tmp_path / name).write_text(text.replace(" ", "\t"))
    made = read([tmp_path / name for name in scores]).benchmark
    assert (made.metrics, made.judgments) == (["BLEU-refA"], ["mqm"])
    assert made.metric("BLEU-refA").to_numpy().tolist() == [[0.1, 0.2], [0.3, 0.4]]
    np.testing.assert_equal(made.human.to_numpy().tolist(), [[-1, np.nan], [-2, -3]])


def test_logs_of_inspect_are_joined_with_people(tmp_path):
    def log(model, *samples):
        text = [
            {"id": n, "epoch": epoch, "scores": {k: {"value": v} for k, v in scores.items()}}
            for n, epoch, scores in samples
        ]
        whole(
            tmp_path / f"{model}.json",
            {
                "version": 2,
                "status": "success",
                "eval": {"task": "t", "model": f"openai/{model}"},
                "samples": text,
            },
        )

    # of x the first sample has C and I, and once no score; the second P
    log(
        "x",
        (1, 1, {"match": "C", "fact": {"a": 1, "b": True}}),
        (1, 2, {"match": "I"}),
        (1, 3, {"match": None}),
        (2, 1, {"match": "P"}),
    )
    log("y", (1, 1, {"match": "N"}), (2, 1, {"match": 0.25}))
    log("z", (1, 1, {"match": None}), (2, 1, {"match": "C"}))
    (tmp_path / "people.csv").write_text("model,id,human\nopenai/x,1,1\nopenai/y,1,0\nopenai/z,2,1\n")
    made = read([tmp_path / name for name in ("x.json", "y.json", "z.json", "people.csv")]).benchmark
    assert (made.systems, made.metrics) == (
        ["openai/x", "openai/y", "openai/z"],
        ["fact/a", "fact/b", "match"],
    )
    np.testing.assert_equal(made.metric("match").to_numpy().tolist(), [[0.5, 0.5], [0, 0.25], [np.nan, 1]])


def test_predictions_of_pandalm_are_joined_with_its_test_set(tmp_path):
    files = [BY_NAME[name].write(tmp_path) for name in ("pandalm", "pandalm_predictions")]
    scores = tidy(files)
    assert (scores.names("rater"), scores.names("name", person=False)) == (
        ["annotator1", "annotator2", "annotator3"],
        ["gpt_result"],
    )
    # annotator 1 chose tie, first, second, and the judge first, second, tie; annotator 2 always the first
    values = {
        (row["document"], row["rater"] or row["name"]): row["value"]
        for row in scores.frame.iter_rows(named=True)
    }
    alike = {
        one: sum(values[n, one] == values[n, "gpt_result"] for n in "012")
        for one in ("annotator1", "annotator2")
    }
    assert alike == {"annotator1": 0, "annotator2": 1}


@pytest.mark.parametrize(("value", "text"), [("1_000", "1_000"), ("odd", "odd"), (10**400, "1000")])
def test_value_that_inspect_does_not_write_is_named(value, text, tmp_path):
    log = {
        "version": 2,
        "status": "success",
        "eval": {"model": "m"},
        "samples": [{"id": 1, "epoch": 1, "scores": {"s": {"value": value}}}],
    }
    with pytest.raises(
        DataError, match=f"row 1, column 'score': a score must be a finite number, got '{text}"
    ):
        tidy(whole(tmp_path / "log.json", log))


@pytest.mark.parametrize(
    "columns",
    [
        "prompt,model_a,model_b,annotator,winner,gpt",
        "Timestamp,Email Address,response_id,Overall quality,gpt4",
        "instance_id,user_id,quality.1,quality.2,judge",
        "src,mt,ref,judge,score",
    ],
)
def test_table_like_a_tool_s_is_none_of_it(columns, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(
        f"{columns}\n" + "".join(",".join(f"{10 + n}" for _ in columns.split(",")) + "\n" for n in range(3))
    )
    assert recognise(parse(path)[0]) is None


def test_a_metric_beside_training_data_of_comet_is_a_judge(tmp_path):
    path = tmp_path / "da.csv"
    row = "en-de,A ship number {0}.,Ein Schiff {0}.,Das Schiff {0}.,{1},{0},{2},news,2026,{1}\n"
    rows = "".join(row.format(n, 0.1 * n, 1 + n % 3) for n in range(6))
    path.write_text(f"lp,src,mt,ref,score,raw,annotators,domain,year,COMET\n{rows}")
    scores = tidy(path)
    assert (scores.names("name", person=True), scores.names("name", person=False)) == (["people"], ["COMET"])


def test_columns_that_people_add_are_judges(tmp_path):
    path = lines(tmp_path / "votes.jsonl", [
        {"question_id": n, "model_a": "x", "model_b": "y", "turn": 1, "winner": "model_a", "judge": "expert_1", "mine": "model_b", "set": "one"}
        for n in range(3)
    ])  # fmt: skip
    scores = tidy(path)
    assert (scores.names("rater"), scores.names("name", person=False)) == (["expert_1"], ["mine"])
    summaries = tmp_path / "summaries.jsonl"
    lines(
        summaries,
        [
            {"id": n, "model_id": "m", "rouge": 0.5, "expert_annotations": [{"fluency": 3}, {"fluency": 4}]}
            for n in range(2)
        ],
    )
    assert tidy(summaries).names("name", person=False) == ["rouge"]


@pytest.mark.parametrize("name", [*BY_NAME][::8])  # all are recognised above; how it is said is one place
def test_doctor_names_the_tool(name, tmp_path, capsys):
    case = BY_NAME[name]
    path = case.write(tmp_path)
    assert main(["doctor", str(path)]) == 0
    assert f"read as {case.tool}" in capsys.readouterr().out


REPORTED = {  # judge -> what a report tells of it, counted by hand: cells of a row
    # people pass t1 and t3, the judge t2 and t3: TPR, TNR and kappa
    "langfuse_csv": [r"EVAL_helpful +0\.00 \[.*0\.50 \[.*0\.50 \[.*0\.50 \["],
    # people pass 1, 3 and 5, the judge 4 and 5 of five: accuracy, TPR, TNR
    "mlflow_traces": [r"made:/up_correct .*0\.40 \[.*0\.33 \[.*0\.50 \["],
    # A, A / A, B / B, A / B, B in the two orders, and people B, A, B, A; shown first: 2 of 4 in either order
    "judge_bench": [
        r"judge-x +most people +0\.00 \[0\.00, 0\.60\] +4 ",
        r"judge-x +0\.50 \[0\.05, 0\.95\] +8",
    ],
    # 1, 1 / 1, 1 / 1, 2 / 1, 2, and people 1, 2, 1, 2; shown first: 4 of 4, and 2 of 4 where exchanged
    "llmbar": [
        r"GPT-X/CoT +most people +0\.25 \[0\.01, 0\.81\] +4 ",
        r"GPT-X/CoT +0\.75 \[0\.24, 0\.99\] +8",
    ],
}


@pytest.mark.parametrize("name", REPORTED)
def test_report_tells_what_was_counted(name, tmp_path, capsys):
    assert main(["report", str(BY_NAME[name].write(tmp_path)), "-v"]) == 0
    told = capsys.readouterr().out
    assert [row for row in REPORTED[name] if not re.search(row, told)] == []
