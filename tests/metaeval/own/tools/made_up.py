"""Made-up files of the tools that `metaeval.own.tools` knows, with what is in them, counted by hand.

One function a tool and version writes the file into a folder and returns its path. Nothing here is anybody's data:
names, texts and numbers are made up.
"""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A made-up file and what is in it.

    Attributes
    ----------
    write : function of a folder
    tool : start of the name that `recognise` gives
    systems, items, raters, judges, criteria : numbers of different names; 0 where the file names none
    mean : of all scores of ``owner`` (a judge, a rater, a column; "" all), of choices the share of the first
        side, worked out by hand
    """

    write: Callable[[Path], Path]
    tool: str
    systems: int = 0
    items: int = 0
    raters: int = 0
    judges: int = 0
    criteria: int = 0
    owner: str = ""
    mean: float = 0.0


CASES: list[Case] = []


def case(tool: str, **expected) -> Callable:
    def keep(write: Callable[[Path], Path]) -> Callable[[Path], Path]:
        CASES.append(Case(write, tool, **expected))
        return write

    return keep


def table(path: Path, heading: Sequence[str] | None, rows: Sequence[Sequence], sep: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=sep, lineterminator="\n")
        writer.writerows([*([heading] if heading else []), *rows])
    return path


def lines(path: Path, records: Sequence[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def whole(path: Path, value: object, indent: int | None = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    return path


TEXT = "A sentence about ships and harbours, of some length, that nobody else wrote, number {}."


# ------------------------------------------------------------------------- harnesses and dashboards
def _inspect(epochs: int) -> dict:
    words = ["C", "I", "P", "C"]
    return {
        "version": 2, "status": "success",
        "eval": {"task": "ships", "model": "made/up-1", "run_id": "r1", "dataset": {"name": "d", "samples": 4}},
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}]},
        "results": {"total_samples": 4, "scores": [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.6}}}]},
        "stats": {"started_at": "2026-01-01T00:00:00", "model_usage": {}},
        "samples": [
            {
                "id": f"ship-{i}", "epoch": epoch, "input": TEXT.format(i), "target": "yes", "messages": [{"role": "user", "content": "x"}],
                "scores": {"match": {"value": words[i], "answer": "yes", "explanation": "because"}, "graded": {"value": {"truth": i / 4, "style": 1}}},
            }
            for epoch in range(1, epochs + 1) for i in range(4)
        ],
    }  # fmt: skip


@case(
    "Inspect log", systems=1, items=4, judges=3, owner="match", mean=0.625
)  # C, I, P, C: (1 + 0 + .5 + 1) / 4
def inspect_json(folder: Path) -> Path:
    return whole(folder / "2026-01-01_ships.json", _inspect(1))


@case(
    "Inspect log", systems=1, items=4, judges=3, owner="graded/truth", mean=0.375
)  # (0 + 1 + 2 + 3) / 4 / 4
def inspect_epochs(folder: Path) -> Path:
    return whole(folder / "epochs.json", _inspect(3))


@case("Inspect log", systems=1, items=4, judges=3, owner="match", mean=0.625)
def inspect_eval(folder: Path) -> Path:
    log = _inspect(2)
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "_journal/start.json", json.dumps({"version": 2, "eval": log["eval"], "plan": log["plan"]})
        )
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr(
            "summaries.json",
            json.dumps([{"id": s["id"], "epoch": s["epoch"], "scores": s["scores"]} for s in log["samples"]]),
        )
        archive.writestr(
            "header.json", json.dumps({name: part for name, part in log.items() if name != "samples"})
        )
    return path


def _promptfoo(named: bool) -> list[dict]:
    return [
        {
            "provider": {"id": f"made:{name}", "label": ""}, "prompt": {"raw": "Say {{what}}", "label": "Say {{what}}"},
            "promptId": "p1", "promptIdx": place, "testIdx": i, "vars": {"what": f"word {i}"}, "success": (i + place) % 2 == 0,
            "score": 1 if (i + place) % 2 == 0 else 0, "latencyMs": 12, "cost": 0.001, "namedScores": {"tone": i / 4} if named else {},
            "response": {"output": TEXT.format(i)},
            "gradingResult": {
                "pass": True, "score": 1, "reason": "ok",
                "componentResults": [
                    {"pass": True, "score": (i + place) % 2, "reason": "r", "assertion": {"type": "llm-rubric", "value": "v"}},
                    {"pass": True, "score": place, "reason": "Manual", "assertion": {"type": "human"}},
                ],
            },
        }
        for i in range(5) for place, name in enumerate(("alpha", "beta"))
    ]  # fmt: skip


@case("promptfoo results", systems=2, items=5, judges=2, raters=1, owner="tone", mean=0.5)  # (0+1+2+3+4)/4/5
def promptfoo_3(folder: Path) -> Path:
    results = {
        "version": 3,
        "timestamp": "t",
        "prompts": [{"raw": "Say", "provider": "made:alpha"}],
        "results": _promptfoo(True),
        "stats": {"successes": 5, "failures": 5},
    }
    return whole(
        folder / "results.json",
        {
            "evalId": "eval-1",
            "results": results,
            "config": {"prompts": ["Say {{what}}"]},
            "shareableUrl": None,
        },
    )


@case(
    "promptfoo results", systems=2, items=5, judges=1, raters=1, owner="viewer", mean=0.5
)  # 0 for alpha, 1 for beta
def promptfoo_2(folder: Path) -> Path:
    inside = {"head": {"prompts": [], "vars": ["what"]}, "body": []}
    results = {
        "version": 2,
        "timestamp": "t",
        "results": _promptfoo(False),
        "table": inside,
        "stats": {"successes": 5},
    }
    return whole(folder / "old.json", {"results": results, "config": {}})


@case("promptfoo table", systems=2, items=3, judges=2, owner="tone", mean=0.5)  # .25, .5, .75 of each
def promptfoo_csv(folder: Path) -> Path:
    block = ["Status", "Score", "Named Scores", "Metric: tone", "Grader Reason", "Comment"]
    heading = ["what", "[made:alpha] Say {{what}}", *block, "[made:beta] Say {{what}}", *block]
    rows = []
    for i in range(3):
        cells = ["PASS", "1.00", json.dumps({"tone": (i + 1) / 4}), f"{(i + 1) / 4:.2f}", "good", ""]
        rows.append([f"word {i}", TEXT.format(i), *cells, TEXT.format(i + 9), *cells])
    return table(folder / "output.csv", heading, rows)


@case("promptfoo table (earlier", systems=2, items=4, judges=1, owner="pass", mean=0.75)  # 6 of 8
def promptfoo_csv_old(folder: Path) -> Path:
    rows = [
        [f"word {i}", f"[PASS] {TEXT.format(i)}", f"[{'PASS' if i % 2 else 'FAIL'}] {TEXT.format(i)}"]
        for i in range(4)
    ]
    return table(folder / "old.csv", ["what", "[made:alpha] Say {{what}}", "[made:beta] Say {{what}}"], rows)


def _deepeval(data: str, names: dict) -> list[dict]:
    return [
        {
            "name": f"test_case_{i}", "input": TEXT.format(i), names["output"]: "An answer.", "success": True, "order": i,
            data: [
                {"name": "Answer Relevancy", "threshold": 0.5, "success": i > 1, "score": i / 4, "reason": "r", names["model"]: "made-up"},
                {"name": "Faithfulness [GEval]", "threshold": 0.5, "success": True, "score": 1.0, "reason": "r", names["model"]: "made-up"},
            ],
        }
        for i in range(4)
    ]  # fmt: skip


@case(
    "DeepEval", systems=1, items=4, judges=2, owner="Answer Relevancy", mean=0.375
)  # (0 + 1 + 2 + 3) / 4 / 4
def deepeval_camel(folder: Path) -> Path:
    cases = _deepeval("metricsData", {"output": "actualOutput", "model": "evaluationModel"})
    scores = [
        {"metric": "Answer Relevancy", "scores": [0, 0.25, 0.5, 0.75], "passes": 2, "fails": 2, "errors": 0}
    ]
    run = {
        "testCases": cases,
        "conversationalTestCases": [],
        "metricsScores": scores,
        "hyperparameters": {"model": "made/up"},
        "testPassed": 4,
        "runDuration": 1.5,
    }
    return whole(folder / "20260101_120000.json", run)


@case("DeepEval", items=4, judges=2, owner="Faithfulness [GEval]", mean=1.0)
def deepeval_results(folder: Path) -> Path:
    cases = _deepeval("metrics_data", {"output": "actual_output", "model": "evaluation_model"})
    return whole(folder / "results.json", {"test_results": cases, "confident_link": None, "test_run_id": "x"})


def _harness(filters: Sequence[str], *, named: bool) -> list[dict]:
    return [
        {
            "doc_id": i, "doc": {"question": TEXT.format(i), "answer": "4"}, "target": "4", "arguments": {"gen_args_0": {"arg_0": "Q"}}, "resps": [["4"]],
            "filtered_resps": ["4"], **({"filter": one, "metrics": ["exact_match"]} if named else {}), "doc_hash": "a", "prompt_hash": "b", "target_hash": "c",
            "exact_match": float(i % 2 == 0 or one == "flexible-extract"),
        }
        for one in filters for i in range(6)
    ]  # fmt: skip


@case("lm-evaluation-harness", systems=1, items=6, judges=2, owner="exact_match (strict-match)", mean=0.5)
def harness_two_filters(folder: Path) -> Path:
    return lines(
        folder / "made__up-7b" / "samples_sums_2026-01-01T00-00-00.jsonl",
        _harness(["strict-match", "flexible-extract"], named=True),
    )


@case("lm-evaluation-harness", items=6, judges=1, owner="exact_match", mean=0.5)
def harness_old(folder: Path) -> Path:
    records = [{**record, "arguments": [["Q", {}]]} for record in _harness(["none"], named=False)]
    return lines(folder / "out" / "sums.jsonl", records)


@case("RAGAS results", judges=2, items=5, owner="faithfulness", mean=0.5)  # 0, .25, .5, .75, 1
def ragas_2(folder: Path) -> Path:
    heading = [
        "user_input",
        "retrieved_contexts",
        "response",
        "reference",
        "faithfulness",
        "answer_relevancy",
    ]
    rows = [
        [TEXT.format(i), f"['{TEXT.format(i + 50)}']", TEXT.format(i + 100), TEXT.format(i + 150), i / 4, 0.9]
        for i in range(5)
    ]
    return table(folder / "ragas.csv", heading, rows)


@case("RAGAS results (0.1)", judges=2, items=5, owner="context_recall", mean=0.5)
def ragas_1(folder: Path) -> Path:
    records = [
        {"question": TEXT.format(i), "answer": TEXT.format(i + 9), "contexts": [TEXT.format(i)], "ground_truth": TEXT.format(i + 20), "faithfulness": 1.0, "context_recall": i / 4}
        for i in range(5)
    ]  # fmt: skip
    return lines(folder / "ragas.jsonl", records)


def _langfuse(names: dict) -> tuple[list[str], list[list]]:
    heading = [
        names["id"],
        names["trace"],
        "timestamp",
        "source",
        "name",
        names["type"],
        "value",
        names["text"],
        "comment",
        names["user"],
    ]
    rows = []
    for i in range(4):
        rows.append(
            [f"s{i}", f"t{i}", "2026-01-01", "ANNOTATION", "helpful", "NUMERIC", i % 2, "", "", "anna"]
        )
        rows.append(
            [f"e{i}", f"t{i}", "2026-01-01", "EVAL", "helpful", "NUMERIC", 1 if i > 1 else 0, "", "why", ""]
        )
        rows.append([f"x{i}", f"t{i}", "2026-01-01", "API", "toxic", "NUMERIC", 0.25 * i, "", "", ""])
    return heading, rows


@case("Langfuse scores", items=4, raters=1, judges=2, criteria=2, owner="anna", mean=0.5)  # 0, 1, 0, 1
def langfuse_csv(folder: Path) -> Path:
    names = {
        "id": "id",
        "trace": "traceId",
        "type": "dataType",
        "text": "stringValue",
        "user": "authorUserName",
    }
    return table(folder / "scores.csv", *_langfuse(names))


@case(
    "Langfuse scores (blob", items=4, raters=1, judges=2, criteria=2, owner="API_toxic", mean=0.375
)  # 0, .25, .5, .75
def langfuse_blob(folder: Path) -> Path:
    names = {
        "id": "id",
        "trace": "trace_id",
        "type": "data_type",
        "text": "string_value",
        "user": "author_user_id",
    }
    heading, rows = _langfuse(names)
    return lines(
        folder / "scores.jsonl",
        [
            {name: cell if cell != "" else None for name, cell in zip(heading, row, strict=True)}
            for row in rows
        ],
    )


@case("MLflow traces", items=5, raters=1, judges=1, criteria=1, owner="anna@made.up", mean=0.6)  # 3 of 5 true
def mlflow_traces(folder: Path) -> Path:
    def one(value: bool, source: str, who: str) -> dict:
        return {
            "assessment_name": "correct",
            "feedback": {"value": value},
            "source": {"source_type": source, "source_id": who},
        }

    records = [
        {"trace_id": f"tr-{i}", "request": TEXT.format(i), "response": "An answer.", "state": "OK", "execution_duration": 12,
         "assessments": [one(i % 2 == 0, "HUMAN", "anna@made.up"), one(i > 2, "LLM_JUDGE", "made:/up")]}
        for i in range(5)
    ]  # fmt: skip
    return whole(folder / "traces.json", records)


@case("MLflow evaluation table", judges=2, items=5, owner="answer_similarity/v1/score", mean=3.0)  # 1 to 5
def mlflow_table(folder: Path) -> Path:
    columns = [
        "inputs",
        "outputs",
        "targets",
        "token_count",
        "answer_similarity/v1/score",
        "answer_similarity/v1/justification",
        "toxicity/v1/score",
    ]
    data = [
        [TEXT.format(i), TEXT.format(i + 9), TEXT.format(i + 20), 12, i + 1, "It is alike.", 0.01 * i]
        for i in range(5)
    ]
    return whole(folder / "eval_results_table.json", {"columns": columns, "data": data}, indent=None)


@case("Hugging Face evaluate", judges=2, systems=1, owner="rougeL", mean=0.25)
def evaluate_save(folder: Path) -> Path:
    saved = {
        "rouge1": 0.5,
        "rougeL": 0.25,
        "model": "made-up",
        "_timestamp": "2026-01-01T00:00:00",
        "_git_commit_hash": None,
        "_evaluate_version": "0.4.3",
        "_python_version": "3.11",
        "_interpreter_path": "/usr/bin/python",
    }
    return whole(folder / "result-2026_01_01-00_00_00.json", saved, indent=None)


# ------------------------------------------------------------------------------------- annotation
def _label_studio(indent: int | None) -> list[dict]:
    def annotation(number: int, who: object, rating: int) -> dict:
        result = [
            {
                "id": "a",
                "type": "rating",
                "from_name": "quality",
                "to_name": "text",
                "value": {"rating": rating},
            },
            {
                "id": "b",
                "type": "choices",
                "from_name": "verdict",
                "to_name": "text",
                "value": {"choices": ["good" if rating > 2 else "bad"]},
            },
            {
                "id": "c",
                "type": "textarea",
                "from_name": "why",
                "to_name": "text",
                "value": {"text": ["Because it is."]},
            },
        ]
        return {
            "id": number,
            "completed_by": who,
            "result": result,
            "was_cancelled": False,
            "lead_time": 12.3,
            "created_at": "2026-01-01",
        }

    return [
        {
            "id": 10 + i, "data": {"text": TEXT.format(i), "system": f"sys-{i % 2}", "doc_id": f"d{i // 2}"},
            "annotations": [annotation(2 * i, {"id": 1, "email": "anna@made.up"}, 1 + i), annotation(2 * i + 1, {"id": 2, "email": "ben@made.up"}, 5)],
            "predictions": [{"model_version": "judge-1", "score": 0.5, "result": [{"from_name": "quality", "type": "rating", "value": {"rating": 3}}]}],
            "created_at": "2026-01-01", "project": 3,
        }
        for i in range(4)
    ]  # fmt: skip


@case(
    "Label Studio (JSON)",
    systems=2,
    items=2,
    raters=2,
    judges=1,
    criteria=2,
    owner="judge-1_quality",
    mean=3.0,
)
def label_studio_json(folder: Path) -> Path:
    return whole(folder / "project-3.json", _label_studio(2))


def _label_studio_flat(rating: Callable) -> tuple[list[str], list[list]]:
    heading = [
        "annotation_id",
        "annotator",
        "created_at",
        "doc_id",
        "id",
        "lead_time",
        "quality",
        "system",
        "text",
        "updated_at",
        "verdict",
    ]
    rows = []
    for i in range(4):
        for who in (1, 2):
            score = 1 + i if who == 1 else 5
            rows.append(
                [
                    2 * i + who,
                    who,
                    "2026-01-01T00:00:00Z",
                    f"d{i // 2}",
                    10 + i,
                    12.3 + i,
                    rating(score),
                    f"sys-{i % 2}",
                    TEXT.format(i),
                    "2026-01-01T00:00:00Z",
                    "good" if score > 2 else "bad",
                ]
            )
    return heading, rows


@case(
    "Label Studio (CSV", systems=2, items=2, raters=2, owner="quality", mean=3.75
)  # (1 + 2 + 3 + 4 + 4 x 5) / 8
def label_studio_csv(folder: Path) -> Path:
    return table(folder / "project.csv", *_label_studio_flat(lambda score: json.dumps([{"rating": score}])))


@case("Label Studio (CSV", systems=2, items=2, raters=2, owner="quality", mean=3.75)
def label_studio_min(folder: Path) -> Path:
    heading, rows = _label_studio_flat(lambda score: [{"rating": score}])
    return whole(folder / "project-min.json", [dict(zip(heading, row, strict=True)) for row in rows])


@case("Label Studio (CSV", systems=2, items=2, raters=2, owner="quality", mean=3.75)
def label_studio_csv_numbers(folder: Path) -> Path:
    return table(folder / "numbers.csv", *_label_studio_flat(lambda score: score))


@case(
    "Argilla records (2, nested)", items=3, raters=2, judges=1, criteria=1, owner="made-up_quality", mean=3.0
)
def argilla_nested(folder: Path) -> Path:
    records = [
        {
            "id": f"r{i}", "fields": {"text": TEXT.format(i)}, "metadata": {}, "vectors": {}, "status": "completed",
            "suggestions": {"quality": {"value": 2 + i, "score": None, "agent": "made-up"}},
            "responses": {"quality": [{"value": 1 + i, "user_id": "u1"}, {"value": 4, "user_id": "u2"}]},
        }
        for i in range(3)
    ]  # fmt: skip
    return whole(folder / "records.json", records)


@case("Argilla records (2, flat)", items=3, raters=2, judges=1, criteria=1, owner="u1", mean=2.0)  # 1, 2, 3
def argilla_flat(folder: Path) -> Path:
    records = [
        {
            "id": f"r{i}", "status": "completed", "text": TEXT.format(i), "quality.responses": [1 + i, 4], "quality.responses.users": ["u1", "u2"],
            "quality.responses.status": ["submitted", "submitted"], "quality.suggestion": 2 + i, "quality.suggestion.agent": "made-up", "quality.suggestion.score": None,
        }
        for i in range(3)
    ]  # fmt: skip
    return lines(folder / "flat.jsonl", records)


@case("Argilla records (1)", items=3, raters=2, judges=1, criteria=1, owner="u2", mean=4.0)
def argilla_1(folder: Path) -> Path:
    records = [
        {
            "text": TEXT.format(i), "quality": [{"user_id": "u1", "value": 1 + i, "status": "submitted"}, {"user_id": "u2", "value": 4, "status": "submitted"}],
            "quality-suggestion": 2 + i, "quality-suggestion-metadata": {"agent": "made-up", "score": None, "type": None}, "external_id": f"x{i}", "metadata": "{}",
        }
        for i in range(3)
    ]  # fmt: skip
    return lines(folder / "feedback.jsonl", records)


@case(
    "Potato annotations", items=4, raters=2, criteria=2, owner="anna", mean=1.625
)  # 1 + 2 + 3 + 4, and no, yes, yes, yes: 13 / 8
def potato_csv(folder: Path) -> Path:
    heading = [
        "instance_id",
        "user_id",
        *[f"quality.scale_{n}" for n in range(1, 6)],
        "sound.yes",
        "sound.no",
    ]
    rows = []
    for who in ("anna", "ben"):
        for i in range(4):
            score = i + 1 if who == "anna" else 5
            rows.append(
                [
                    f"i{i}",
                    who,
                    *[str(n) if n == score else "" for n in range(1, 6)],
                    "true" if i else "",
                    "" if i else "true",
                ]
            )
    return table(folder / "annotations.csv", heading, rows)


@case("Potato annotations", items=4, raters=2, criteria=1, owner="ben", mean=5.0)
def potato_tsv(folder: Path) -> Path:
    rows = [
        [f"i{i}", who, *[str(n) if n == (i + 1 if who == "anna" else 5) else "" for n in range(1, 6)]]
        for who in ("anna", "ben")
        for i in range(4)
    ]
    return table(
        folder / "annotated_instances.tsv",
        ["instance_id", "user", *[f"quality:::{n}" for n in range(1, 6)]],
        rows,
        sep="\t",
    )


@case("Potato annotations (earlier)", items=4, raters=1, criteria=1, owner="anna", mean=2.5)
def potato_old(folder: Path) -> Path:
    records = [
        {
            "id": f"i{i}",
            "displayed_text": TEXT.format(i),
            "label_annotations": {"quality": {f"scale_{i + 1}": str(i + 1)}},
            "span_annotations": {},
            "behavioral_data": {"time_string": "12"},
        }
        for i in range(4)
    ]
    return lines(folder / "anna" / "annotated_instances.jsonl", records)


@case(
    "Prodigy annotations", systems=2, items=3, raters=2, criteria=1, owner="ships-anna", mean=0.4
)  # 2 of 5; 1 ignored
def prodigy_answers(folder: Path) -> Path:
    answers = {"anna": ["accept", "reject", "accept", "ignore", "reject", "reject"], "ben": ["accept"] * 6}
    records = [
        {"text": TEXT.format(i), "label": "FAITHFUL", "meta": {"doc_id": f"d{i // 2}", "system": f"sys-{i % 2}"}, "_input_hash": 100 + i, "_task_hash": 200 + i, "_view_id": "classification", "answer": answer, "_timestamp": 1700000000 + i, "_annotator_id": f"ships-{who}", "_session_id": f"ships-{who}"}
        for who, given in answers.items() for i, answer in enumerate(given)
    ]  # fmt: skip
    return lines(folder / "prodigy.jsonl", records)


@case("Prodigy choices", items=4, raters=2, owner="ships-ben", mean=2.5)  # 1, 2, 3, 4
def prodigy_choices(folder: Path) -> Path:
    options = [{"id": str(n), "text": f"{n} stars"} for n in range(1, 6)]
    records = [
        {"text": TEXT.format(i), "options": options, "accept": [str(i + 1 if who == "ben" else 5)], "config": {"choice_style": "single"}, "_input_hash": 100 + i, "_task_hash": 200 + i, "answer": "accept", "_session_id": f"ships-{who}"}
        for who in ("anna", "ben") for i in range(4)
    ]  # fmt: skip
    return lines(folder / "choices.jsonl", records)


@case("Google Form", items=4, raters=3, owner="anna@made.up", mean=2.5)  # 1, 2, 3, 4
def google_form(folder: Path) -> Path:
    heading = [
        "Timestamp",
        "Email Address",
        *[f"How good is summary {n}?" for n in range(1, 5)],
        "Anything else?",
    ]
    rows = [
        [
            f"2026/01/0{n} 10:00:0{n}",
            f"{who}@made.up",
            *[(i + n) % 5 + 1 for i in range(4)],
            f"Thank you for letting me take part, {who}; it was number {n}.",
        ]
        for n, who in enumerate(("anna", "ben", "cleo"))
    ]
    return table(folder / "Responses.csv", heading, rows)


@case("Google Form", items=3, raters=3, criteria=2, owner="response 1", mean=2.5)  # 1, 2, 3 and 2, 3, 4
def google_form_grid(folder: Path) -> Path:
    heading = [
        "Timestamp",
        *[f"How {what} is it? [Text {n}]" for what in ("fluent", "true") for n in range(1, 4)],
    ]
    rows = [
        [
            f"1/{n + 1}/2026 10:00:00",
            *[(i + n) % 5 + 1 for i in range(3)],
            *[(i + n + 1) % 5 + 1 for i in range(3)],
        ]
        for n in range(3)
    ]
    return table(folder / "grid.csv", heading, rows)


@case("Qualtrics export", items=2, raters=3, mean=3.0)  # 2 and 4, 3 and 3, 4 and 2
def qualtrics(folder: Path) -> Path:
    heading = ["StartDate", "EndDate", "Finished", "ResponseId", "Q1_1", "Q1_2"]
    questions = ["Start Date", "End Date", "Finished", "Response ID", "Is it true? - 1", "Is it true? - 2"]
    ids = [json.dumps({"ImportId": name}) for name in heading]
    day = "2026-01-01 10:00:00"
    rows = [[day, day, "True", f"R_{i}", 2 + i, 4 - i] for i in range(3)]
    return table(folder / "survey.csv", heading, [questions, ids, *rows])


# --------------------------------------------------------------------------------- judges and arenas
@case("HealthBench meta-evaluation", items=4, raters=2, judges=1, owner="dr-2", mean=0.5)  # yes, no, yes, no
def healthbench(folder: Path) -> Path:
    return lines(
        folder / "meta_eval.jsonl",
        [
            {"prompt_id": f"p{i}", "completion_id": f"c{i}", "category": "made-up", "prompt": [{"role": "user", "content": TEXT.format(i)}], "completion": "An answer.", "rubric": "Says when to go.", "binary_labels": [True, i % 2 == 0], "anonymized_physician_ids": ["dr-1", "dr-2"], "gpt-4": i % 2 == 0}
            for i in range(4)
        ],
    )  # fmt: skip


@case("GEM human evaluation", systems=2, items=3, raters=2, owner="annotator 1", mean=2.5)  # 1 2 3, and 2 3 4
def gem_human(folder: Path) -> Path:
    heading = ["example_id", "system_A_output", "system_B_output"]
    heading += ["annotator_1_A", "annotator_2_A", "annotator_1_B", "annotator_2_B"]
    rows = [[f"d{i}", TEXT.format(i), "Another.", i + 1, 5 - i, i + 2, 4 - i] for i in range(3)]
    return table(folder / "human.csv", heading, rows)


@case("HelpSteer3 preferences", items=3, raters=2, owner="annotator 1", mean=0.5)  # first, second, tie
def helpsteer_3(folder: Path) -> Path:
    return lines(
        folder / "preference.jsonl",
        [
            {"domain": "general", "language": "english", "context": [{"role": "user", "content": TEXT.format(i)}], "response1": "One answer.", "response2": "Another.", "overall_preference": score, "individual_preference": [{"score": one, "reasoning": "So.", "feedback1": "Good.", "feedback2": "Bad."} for one in (score, -1)]}
            for i, score in enumerate((-3, 2, 0))
        ],
    )  # fmt: skip


def _alpaca(preferences: Sequence) -> list[dict]:
    return [
        {"instruction": TEXT.format(i), "output_1": "One answer.", "generator_1": "base", "dataset": "made-up", "output_2": "Another.", "generator_2": f"model-{i % 2}", "annotator": "judge_fn", "preference": p, "raw_completion": "m", "time_per_example": 0.5, "price_per_example": 0.01}
        for i, p in enumerate(preferences)
    ]  # fmt: skip


@case(
    "AlpacaEval annotations", items=6, judges=1, owner="", mean=0.5
)  # 1 1 2 2 0 1.5: 2 first, 2 second, 2 ties
def alpaca_1(folder: Path) -> Path:
    return whole(folder / "annotations.json", _alpaca([1, 1, 2, 2, 0, 1.5]))


@case("AlpacaEval annotations", items=4, judges=1, owner="", mean=0.25)  # only the first is nearer to 1
def alpaca_2(folder: Path) -> Path:
    return whole(folder / "weighted.json", _alpaca([1.0000394, 1.9998, 1.7312, 1.51]))


@case("AlpacaEval leaderboard", systems=3, judges=3, owner="win_rate", mean=50.0)  # 20, 50, 80
def alpaca_leaderboard(folder: Path) -> Path:
    heading = [
        "",
        "win_rate",
        "standard_error",
        "n_wins",
        "n_wins_base",
        "n_draws",
        "n_total",
        "mode",
        "avg_length",
        "length_controlled_winrate",
        "lc_standard_error",
    ]
    rows = [
        [f"model-{n}", 20 + 30 * n, 1.1, 10, 790, 3, 803, "community", 1000 + n, 25 + 20 * n, 0.4]
        for n in range(3)
    ]
    return table(folder / "leaderboard.csv", heading, rows)


@case("AlpacaEval leaderboard", systems=3, judges=3, owner="length_controlled_winrate", mean=45.0)
def alpaca_docs(folder: Path) -> Path:
    rows = [
        [f"Model {n}", 25 + 20 * n, 20 + 30 * n, 1000 + n, "https://made.up/x", "", "verified"]
        for n in range(3)
    ]
    return table(
        folder / "docs.csv",
        ["name", "length_controlled_winrate", "win_rate", "avg_length", "link", "samples", "filter"],
        rows,
    )


@case(
    "MT-Bench judgments of single", systems=3, items=4, judges=1, owner="gpt-x", mean=6.0
)  # 5, 6, 7 by model; one -1 left out, at 6
def mt_bench_single(folder: Path) -> Path:
    records = [
        {"question_id": 80 + q, "model": f"m{n}", "judge": ["gpt-x", "single-v1"], "user_prompt": "p", "judgment": f"It is fine. Rating: [[{5 + n}]]", "score": -1 if (q, turn, n) == (0, 1, 1) else 5 + n, "turn": turn, "tstamp": 1.7e9}
        for q in range(2) for turn in (1, 2) for n in range(3)
    ]  # fmt: skip
    return lines(folder / "gpt-x_single.jsonl", records)


@case(
    "MT-Bench judgments of pairs", items=4, judges=1, owner="gpt-x", mean=5.5 / 7
)  # 1, 1, 1, error; of the exchanged games 0, 1, .5, 1 for the side shown first
def mt_bench_pair(folder: Path) -> Path:
    second = ["model_1", "model_2", "tie", "model_2"]
    records = [
        {"question_id": 80 + i, "model_1": "m1", "model_2": "m2", "g1_winner": "model_1", "g2_winner": second[i], "judge": ["gpt-x", "pair-v2"], "g1_user_prompt": "p", "g1_judgment": "[[A]]", "g2_user_prompt": "p", "g2_judgment": "[[B]]", "turn": 1, "tstamp": 1.7e9}
        for i in range(4)
    ]  # fmt: skip
    records[3] |= {"g1_winner": "error"}
    return lines(folder / "gpt-x_pair.jsonl", records)


@case(
    "MT-Bench judgments of people", items=6, judges=1, raters=2, owner="expert_1", mean=0.5
)  # first, second, tie, twice
def mt_bench_human(folder: Path) -> Path:
    winners = ["model_a", "model_b", "tie (inconsistent)"]
    records = [
        {"question_id": 80 + i, "model_a": "m1", "model_b": "m2", "winner": winners[(i + shift) % 3] if who != "author_0" else "model_a", "judge": who, "conversation_a": [{"role": "user", "content": "x"}], "conversation_b": [{"role": "user", "content": "y"}], "turn": 1 + i % 2}
        for shift, who in enumerate(("expert_1", "author_0", "gpt4_pair")) for i in range(6)
    ]  # fmt: skip
    return whole(folder / "human.json", records)


@case("MT-Bench judgments of people", items=4, judges=1, raters=1, owner="expert_2", mean=0.25)
def mt_bench_csv(folder: Path) -> Path:
    rows = [
        [80 + i, "m1", "m2", "model_a" if i == 0 or who == "gpt4_pair" else "model_b", who, 1]
        for who in ("expert_2", "gpt4_pair")
        for i in range(4)
    ]
    return table(folder / "votes.csv", ["question_id", "model_a", "model_b", "winner", "judge", "turn"], rows)


def _arena_hard(scores: Sequence[tuple], id_name: str, more: dict) -> list[dict]:
    return [
        {id_name: f"q{i}", "model": "m1", "judge": "judge-x", **more, "games": [{"user_prompt": "p", "judgment": "j", "score": score} for score in pair]}
        for i, pair in enumerate(scores)
    ]  # fmt: skip


@case("arena-hard judgments (0.1)", items=3, judges=1, owner="judge-x", mean=0.5)  # first: 1, 0, .5, 1, 0, .5
def arena_hard_0(folder: Path) -> Path:
    return lines(
        folder / "m1.jsonl",
        _arena_hard([("A>>B", "B>A"), ("A=B", "A>B"), ("B>>A", "A=B")], "question_id", {}),
    )


@case(
    "arena-hard judgments (2.0)", items=3, judges=1, owner="judge-x", mean=0.6
)  # 5 games of 6: 1, 0, .5, 1, .5
def arena_hard_2(folder: Path) -> Path:
    records = _arena_hard(
        [("A>>B", "B>A"), ("A=B", "A>B"), (None, "A=B")],
        "uid",
        {"category": "hard_prompt", "baseline": "o-base"},
    )
    return lines(folder / "m1.jsonl", records)


@case("arena-hard leaderboard", systems=3, judges=2, owner="score", mean=60.0)  # 40, 60, 80
def arena_hard_leaderboard(folder: Path) -> Path:
    rows = [
        [f"m{n}", 40 + 20 * n, 38 + 20 * n, 42 + 20 * n, "(-2.00, +2.00)", 600.0 + n, "2026-01-01"]
        for n in range(3)
    ]
    return table(
        folder / "arena_hard.csv",
        ["model", "score", "rating_q025", "rating_q975", "CI", "avg_tokens", "date"],
        rows,
    )


@case("Chatbot Arena votes", items=5, owner="", mean=0.5)  # 2 first, 2 second, 1 tie
def arena_one_hot(folder: Path) -> Path:
    heading = [
        "id",
        "model_a",
        "model_b",
        "prompt",
        "response_a",
        "response_b",
        "winner_model_a",
        "winner_model_b",
        "winner_tie",
    ]
    rows = [
        [
            100 + i,
            "m1",
            "m2",
            f'["{TEXT.format(i)}"]',
            '["a"]',
            '["b"]',
            int(i < 2),
            int(2 <= i < 4),
            int(i == 4),
        ]
        for i in range(5)
    ]
    return table(folder / "train.csv", heading, rows)


@case("Chatbot Arena battles", items=4, raters=2, owner="arena_user_1", mean=0.75)  # first, tie
def arena_battles(folder: Path) -> Path:
    records = [
        {"question_id": f"q{i}", "model_a": "m1", "model_b": f"m{2 + i % 2}", "winner": ["model_a", "tie (bothbad)", "model_b", "tie"][i], "judge": f"arena_user_{1 + i // 2}", "turn_count": 1, "anony": True, "language": "English", "tstamp": 1.7e9}
        for i in range(4)
    ]  # fmt: skip
    return whole(folder / "battles.json", records)


@case(
    "JudgeBench", items=4, raters=1, judges=1, owner="judge-x", mean=0.5
)  # given: 1 1 0 0; exchanged, turned: 1 0 1 0
def judge_bench(folder: Path) -> Path:
    given, exchanged = ["A>B", "A>B", "B>A", "B>A"], ["B>A", "A>B", "B>A", "A>B"]
    records = [
        {"pair_id": f"p{i}", "original_id": i, "source": "made-up", "question": TEXT.format(i), "response_model": "m", "response_A": "One.", "response_B": "Two.", "label": "A>B" if i % 2 else "B>A", "judge_name": "arena_hard", "judgments": [{"judgment": {"judge_model": "judge-x", "response": "r"}, "decision": one} for one in (given[i], exchanged[i])]}
        for i in range(4)
    ]  # fmt: skip
    return lines(folder / "judged.jsonl", records)


@case(
    "LLMBar", items=4, raters=1, judges=1, owner="GPT-X/CoT", mean=0.75
)  # given: 4 x first; exchanged: 1 1 0 0
def llmbar(folder: Path) -> Path:
    records = [
        {"input": TEXT.format(i), "output_1": "One.", "output_2": "Two.", "label": 1 + i % 2, "results": [{"swap = False": {"completion": ["a", "b"], "winner": "1"}, "swap = True": {"completion": ["a", "b"], "winner": "1" if i < 2 else "2"}}]}
        for i in range(4)
    ]  # fmt: skip
    return whole(folder / "Natural" / "evaluators" / "GPT-X" / "CoT" / "result.json", records)


@case("PandaLM test set", items=4, raters=3, owner="annotator1", mean=0.5)  # 0, 1, 2, 0: .5, 1, 0, .5
def pandalm(folder: Path) -> Path:
    records = [
        {"idx": i, "motivation_app": "made-up", "cmp_key": "a_b", "instruction": TEXT.format(i), "input": "", "response1": "Yes" if i == 1 else TEXT.format(i), "response2": "42", "annotator1": [0, 1, 2, 0][i], "annotator2": 1, "annotator3": 2}
        for i in range(4)
    ]  # fmt: skip
    return whole(folder / "testset-v1.json", records)


@case(
    "PandaLM predictions", items=3, judges=1, owner="gpt_result", mean=0.5
)  # 1, 2, Tie; garbage is left out
def pandalm_predictions(folder: Path) -> Path:
    records = [
        {
            "idx": i,
            "cmp_key": "a_b",
            "instruction": TEXT.format(i),
            "gpt_result": ["1", "2", "Tie", "garbage"][i],
            "gpt_reason": "Because.",
            "gpt_reference": TEXT.format(i),
        }
        for i in range(4)
    ]
    return whole(folder / "gpt-testset-v1.json", records)


# --------------------------------------------------------------------------------- machine translation
@case(
    "WMT metrics task, scores", systems=2, items=3, judges=1, owner="chrF-refA", mean=0.5
)  # .1 .3 .5 and .7 .9, one None
def wmt_segments(folder: Path) -> Path:
    rows = [["sys-a", 0.1], ["sys-a", 0.3], ["sys-a", 0.5], ["sys-b", 0.7], ["sys-b", 0.9], ["sys-b", "None"]]
    return table(folder / "chrF-refA.seg.score", None, rows, sep="\t")


@case("WMT metrics task, scores", systems=2, items=3, criteria=1, owner="mqm", mean=-2.5)  # 0 -1 -2 -3 -4 -5
def wmt_people(folder: Path) -> Path:
    return table(
        folder / "en-de.mqm.seg.score", None, [[f"sys-{'ab'[n // 3]}", -n] for n in range(6)], sep="\t"
    )


@case("WMT metrics task, scores", systems=3, judges=1, owner="BLEU", mean=20.0)
def wmt_systems(folder: Path) -> Path:
    return table(folder / "BLEU.sys.score", None, [["sys-a", 10], ["sys-b", 20], ["sys-c", 30]], sep="\t")


@case("WMT metrics task, submission", systems=2, items=3, judges=1, owner="chrF", mean=0.5)
def wmt_submission(folder: Path) -> Path:
    rows = [
        [
            "chrF",
            "en-de",
            "made2026",
            "news",
            "doc-1",
            "refA",
            f"sys-{s}",
            n,
            0.25 * n + 0.5 * (s == "b") - 0.0,
        ]
        for s in "ab"
        for n in (0, 1, 2)
    ]
    return table(folder / "chrF.seg.score", None, rows, sep="\t")


@case("WMT metrics task, submission", systems=2, items=3, judges=1, owner="chrF", mean=0.5)
def wmt_submission_old(folder: Path) -> Path:
    rows = [
        ["chrF", "en-de", "made2026", "doc-1", "refA", f"sys-{s}", n, 0.25 * n + 0.5 * (s == "b")]
        for s in "ab"
        for n in (0, 1, 2)
    ]
    return table(folder / "chrF.seg.score", None, rows, sep="\t")


@case("WMT metrics task, submission of systems", systems=3, judges=1, owner="chrF", mean=20.0)
def wmt_system_submission(folder: Path) -> Path:
    rows = [
        ["chrF", "en-de", "made2026", f"sys-{s}", score] for s, score in zip("abc", (10, 20, 30), strict=True)
    ]
    return table(folder / "chrF.sys.score", None, rows, sep="\t")


@case("WMT metrics task, submission of systems (2016", systems=3, judges=1, owner="chrF", mean=20.0)
def wmt_system_submission_old(folder: Path) -> Path:
    rows = [
        ["chrF", "en-de", "made2020", f"sys-{s}", score, "non-ensemble", "no"]
        for s, score in zip("abc", (10, 20, 30), strict=True)
    ]
    return table(folder / "chrF.sys.score", None, rows, sep="\t")


MQM_ROWS = [  # system, segment, rater, category, severity
    ["sys-a", 1, "r1", "Accuracy/Mistranslation", "Major"], ["sys-a", 1, "r1", "Fluency/Punctuation", "Minor"],
    ["sys-a", 2, "r1", "No-error", "No-error"], ["sys-b", 1, "r2", "Non-translation!", "Major"],
    ["sys-b", 2, "r2", "Style/Awkward", "Minor"], ["sys-b", 2, "r2", "Source error", "Major"],
]  # fmt: skip


@case("MQM, a row an error", systems=2, items=2, raters=2, owner="people", mean=-7.775)  # -5.1, 0, -25, -1
def mqm(folder: Path) -> Path:
    rows = [
        [s, "doc-1", 1, seg, r, TEXT.format(seg), f"Ein <v>Satz</v> {seg}", cat, sev]
        for s, seg, r, cat, sev in MQM_ROWS
    ]
    return table(
        folder / "mqm_made.tsv",
        ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"],
        rows,
        sep="\t",
    )


@case("MQM, a row an error", systems=2, items=2, raters=2, owner="people", mean=-7.775)
def mqm_marot(folder: Path) -> Path:
    rows = [
        [s, "doc-1", seg, seg, r, TEXT.format(seg), "Ein Satz", cat, sev.lower(), "{}"]
        for s, seg, r, cat, sev in MQM_ROWS
    ]
    return table(
        folder / "mqm_marot.tsv",
        [
            "system",
            "doc",
            "docSegId",
            "globalSegId",
            "rater",
            "source",
            "target",
            "category",
            "severity",
            "metadata",
        ],
        rows,
        sep="\t",
    )


@case("MQM, means of segments", systems=2, items=3, owner="people", mean=-2.0)  # 0 -1 -2 -2 -3 -4
def mqm_means(folder: Path) -> Path:
    path = folder / "mqm_made.avg_seg_scores.tsv"
    rows = [f"sys-{s}.1 {-(n - 1) - 2 * (s == 'b')}.000000 {n}" for s in "ab" for n in (1, 2, 3)]
    path.write_text("system mqm_avg_score seg_id\n" + "\n".join(rows) + "\n")
    return path


@case("ESA of WMT", systems=2, items=3, raters=2, owner="people", mean=65.0)  # 40 50 60 70 80 90 by both
def esa(folder: Path) -> Path:
    rows = [
        [who, f"sys-{s}", n, "TGT", "eng", "deu", 30 + 10 * n + 30 * (s == "b"), "news#1", "False", "[]", 1.7e9 + n, 1.7e9 + n + 9]
        for who in ("engdeu01", "engdeu02") for s in "ab" for n in (1, 2, 3)
    ]  # fmt: skip
    rows += [["engdeu01", "sys-a", 4, "BAD", "eng", "deu", 5, "news#1#bad", "False", "[]", 1.7e9, 1.7e9]]
    rows += [
        ["engdeu01", "tutorial", 1, "TGT", "eng", "deu", 5, "ende-tutorial1", "False", "[]", 1.7e9, 1.7e9]
    ]
    return table(folder / "esa_wave.csv", None, rows)


@case("DA of WMT (Appraise)", systems=2, items=3, raters=2, owner="people", mean=65.0)
def appraise(folder: Path) -> Path:
    rows = [
        [who, f"sys-{s}", n, "TGT", "eng", "deu", 30 + 10 * n + 30 * (s == "b"), "news#1", "False", 1.7e9 + n, 1.7e9 + n + 9]
        for who in ("engdeu01", "engdeu02") for s in "ab" for n in (1, 2, 3)
    ]  # fmt: skip
    rows += [
        ["engdeu01", "sys-a", 0, "TGT", "eng", "deu", 99, "news#1", "True", 1.7e9, 1.7e9],
        ["engdeu01", "sys-a", 4, "BAD", "eng", "deu", 5, "news#1", "False", 1.7e9, 1.7e9],
    ]
    return table(folder / "scores.csv", None, rows)


@case("DA of WMT, segments", systems=2, items=3, owner="people", mean=0.0)  # -.5 -.3 -.1 .1 .3 .5
def da_segments(folder: Path) -> Path:
    path = folder / "DA-seglevel.csv"
    rows = [
        f"cs-en made2026 sys-{s} {n} {-0.5 + 0.2 * (n - 1) + 0.6 * (s == 'b'):.1f}"
        for s in "ab"
        for n in (1, 2, 3)
    ]
    path.write_text("LP DATA SYSTEM SID HUMAN\n" + "\n".join(rows) + "\n")
    return path


@case("DA of WMT (Turkers)", systems=2, items=3, owner="people", mean=0.25)  # 0 0 0 .5 .5 .5
def da_turkers(folder: Path) -> Path:
    rows = [
        ["cs", "en", "news", "HIT", f"sys-{s}", n, 60 + n, 0.5 * (s == "b"), 15]
        for s in "ab"
        for n in (1, 2, 3)
    ]
    return table(
        folder / "seg-scores.csv", ["SRC", "TRG", "HIT", "TYPE", "SYS", "SID", "RAW.SCR", "Z.SCR", "N"], rows
    )


@case("COMET training data", items=5, owner="people", mean=0.0)  # -1, -.5, 0, .5, 1
def comet_data(folder: Path) -> Path:
    rows = [
        [
            "en-de",
            TEXT.format(i),
            f"Ein Satz {i}",
            f"Dieser Satz {i}",
            -1 + i / 2,
            50 + 10 * i,
            1 + i % 3,
            "news",
            2026,
        ]
        for i in range(5)
    ]
    return table(
        folder / "da.csv", ["lp", "src", "mt", "ref", "score", "raw", "annotators", "domain", "year"], rows
    )


@case("comet-score", systems=2, items=3, judges=1, owner="COMET", mean=0.75)  # .6 .7 .8 and .7 .8 .9
def comet_json(folder: Path) -> Path:
    segments = {
        f"hyp{k}.txt": [{"src": TEXT.format(n), "mt": f"Ein Satz {n}", "ref": f"Dieser Satz {n}", "COMET": 0.6 + 0.1 * n + 0.1 * (k == 2), "errors": []} for n in range(3)]
        for k in (1, 2)
    }  # fmt: skip
    return whole(folder / "comet.json", segments, indent=4)


# ------------------------------------------------------------------------------------ summaries and texts
@case("SacreROUGE", systems=3, items=4, judges=4, owner="rouge-1.f1", mean=0.5)  # .4 .5 .6 by system
def sacrerouge(folder: Path) -> Path:
    records = [
        {"instance_id": f"d{i}", "summarizer_id": f"{s}", "summarizer_type": "peer", "metrics": {"rouge-1": {"precision": 0.1, "recall": 0.9, "f1": 0.4 + 0.1 * s}, "overall_responsiveness": 1 + s, "num_words": 90 + i}}
        for i in range(4) for s in range(3)
    ]  # fmt: skip
    return lines(folder / "metrics.jsonl", records)


@case(
    "SummEval annotations", systems=2, items=2, raters=8, criteria=4, owner="expert 1", mean=3.0
)  # 2 3 3 4 over the criteria
def summeval(folder: Path) -> Path:
    def scores(base: int) -> dict:
        return {"coherence": base, "consistency": base + 1, "fluency": base + 1, "relevance": base + 2}

    records = [
        {"id": f"dm-{i}", "model_id": f"M{s}", "filepath": "x.story", "decoded": TEXT.format(i), "references": [TEXT.format(9)], "expert_annotations": [scores(2), scores(1), scores(3)], "turker_annotations": [scores(1)] * 5}
        for i in range(2) for s in range(2)
    ]  # fmt: skip
    return lines(folder / "model_annotations.aligned.jsonl", records)


@case("SummEval, means", systems=3, items=2, criteria=4, owner="", mean=3.0)  # 2, 3, 4 each
def summeval_means(folder: Path) -> Path:
    criteria = ("coherence", "consistency", "fluency", "relevance")
    records = [
        {
            "id": f"d{i}",
            "text": TEXT.format(i),
            "machine_summaries": ["A.", "B.", "C."],
            "human_summaries": ["H."],
            **{c: [2.0, 3.0, 4.0] for c in criteria},
        }
        for i in range(2)
    ]
    return lines(folder / "summeval.jsonl", records)


@case(
    "G-Eval", systems=2, items=3, judges=1, criteria=4, owner="G-Eval_coherence", mean=3.0
)  # mean of 2, 3, 4
def g_eval(folder: Path) -> Path:
    records = [
        {"doc_id": f"d{i}", "system_id": f"M{s}", "source": TEXT.format(i), "reference": "R.", "system_output": "S.", "prompt": "Rate it.", "all_responses": [" 2", "3 of 5", "4"], "scores": {"coherence": 1 + i, "consistency": 5, "fluency": 4, "relevance": 3, "overall": 3.5}}
        for i in range(3) for s in range(2)
    ]  # fmt: skip
    return whole(folder / "made_coh_detailed.json", records)


@case("SummEval scores with texts", systems=2, items=3, owner="coherence", mean=2.0)  # 1, 2, 3
def unieval_summeval(folder: Path) -> Path:
    records = [
        {
            "doc_id": f"d{i}",
            "system_id": f"M{s}",
            "source": TEXT.format(i),
            "reference": "R.",
            "system_output": "S.",
            "scores": {"coherence": 1 + i, "fluency": 4},
        }
        for i in range(3)
        for s in range(2)
    ]
    return whole(folder / "summeval.json", records)


@case("FRANK annotations", systems=2, items=3, owner="people", mean=0.5)  # 0, .5, 1
def frank(folder: Path) -> Path:
    records = [
        {
            "hash": f"h{i}",
            "model_name": f"M{s}",
            "split": "test",
            "Factuality": i / 2,
            "Semantic_Frame_Errors": 1,
            "Discourse_Errors": 0.5,
            "Flip_Other_Error": 1,
        }
        for i in range(3)
        for s in range(2)
    ]
    return whole(folder / "human_annotations.json", records)


@case(
    "FRANK annotations of sentences", systems=2, items=2, raters=2, owner="annotator_0", mean=0.5
)  # NoE, RelE
def frank_sentences(folder: Path) -> Path:
    marks = [
        {"annotator_0": ["NoE"], "annotator_1": ["NoE"]},
        {"annotator_0": ["RelE"], "annotator_1": ["NoE"]},
    ]
    records = [
        {
            "hash": f"h{i}",
            "model_name": f"M{s}",
            "split": "test",
            "summary": "A. B.",
            "summary_sentences": ["A.", "B."],
            "summary_sentences_annotations": marks,
        }
        for i in range(2)
        for s in range(2)
    ]
    return whole(folder / "human_annotations_sentence.json", records)


@case("FRANK metrics", systems=2, items=3, judges=2, owner="BertScore P Art", mean=0.5)  # .4 .5 .6
def frank_metrics(folder: Path) -> Path:
    records = [
        {
            "hash": f"h{i}",
            "model_name": f"M{s}",
            "split": "test",
            "dataset": "cnndm",
            "article": TEXT.format(i),
            "summary": "S.",
            "reference": "R.",
            "BertScore P Art": 0.4 + 0.1 * i,
            "FEQA": 0.3,
        }
        for i in range(3)
        for s in range(2)
    ]
    return whole(folder / "baseline_factuality_metrics_outputs.json", records)


@case("WebNLG 2020 human evaluation", systems=2, items=3, owner="Fluency", mean=80.0)  # 70, 80, 90
def webnlg(folder: Path) -> Path:
    records = [
        {
            "submission_id": f"Team_{s}",
            "sample_id": i,
            "size": 1 + i,
            "category": "Ship",
            "Correctness": 90.0,
            "DataCoverage": 91.0,
            "Fluency": 70.0 + 10 * i,
            "Relevance": 93.0,
            "TextStructure": 88.0,
        }
        for i in range(3)
        for s in "AB"
    ]
    return whole(folder / "english_humeval_data_all_teams.json", records)


@case(
    "WebNLG 2020 human evaluation, a team",
    systems=1,
    items=3,
    raters=2,
    criteria=2,
    owner="en_worker_1",
    mean=75.0,
)  # 60, 90
def webnlg_team(folder: Path) -> Path:
    ratings = {
        f"{100 + i}": {f"en_worker_{w}": {"Correctness": 60 * w, "Fluency": 90} for w in (1, 0)}
        for i in range(3)
    }
    return whole(folder / "Team_A" / "primary.json", ratings)


@case("HANNA annotations", systems=2, items=2, raters=3, owner="Relevance", mean=3.0)  # 2, 3, 4 by rater
def hanna(folder: Path) -> Path:
    heading = [
        "Story ID",
        "Prompt",
        "Human",
        "Story",
        "Model",
        "Relevance",
        "Coherence",
        "Empathy",
        "Surprise",
        "Engagement",
        "Complexity",
        "Worker ID",
        "Assignment ID",
        "Work time in seconds",
        "Name",
    ]
    rows = [
        [2 * s + i, TEXT.format(i), "H.", TEXT.format(10 + 2 * s + i), f"M{s}", 2 + w, 3, 2, 1, 4, 2, f"W{w}", f"A{s}{i}{w}", 100 + w, f"name {w}"]
        for s in range(2) for i in range(2) for w in range(3)
    ]  # fmt: skip
    return table(folder / "hanna_stories_annotations.csv", heading, rows)


@case("HANNA metrics", systems=2, items=3, judges=1, criteria=4, owner="BLEU", mean=0.2)  # .1 .2 .3
def hanna_metrics(folder: Path) -> Path:
    rows = [[f"M{s}", *["[1.0, 2.0, 3.0]"] * 4, "[0.1, 0.2, 0.3]"] for s in range(2)]
    return table(
        folder / "hanna_metric_scores.csv",
        ["Model", "Relevance", "Coherence", "Empathy", "Surprise", "BLEU"],
        rows,
    )


# -------------------------------------------------------------------------------------------- retrieval
@case("TREC qrels", items=4, judges=1, owner="qrels.made", mean=1.5)  # 0, 1, 2, 3
def qrels(folder: Path) -> Path:
    path = folder / "qrels.made.txt"
    path.write_text("".join(f"{401 + n // 2} 0 doc-{n} {n}\n" for n in range(4)))
    return path


@case("TREC qrels (with headings)", items=4, judges=1, owner="qrels", mean=1.5)
def qrels_headings(folder: Path) -> Path:
    return table(
        folder / "qrels.csv",
        ["qid", "iter", "docno", "rel"],
        [[401 + n // 2, 0, f"doc-{n}", n] for n in range(4)],
    )
