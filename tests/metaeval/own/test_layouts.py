"""Layouts of public files, with made-up values: what each column is taken for, at once or after one option that is named."""

import csv
import io
import itertools
import json
import random
import shlex

import pytest

from metaeval.core.errors import DataError, OpenQuestion, UnknownNameError
from metaeval.own.sheets import Options
from metaeval.own.tidy import parts_of, tidy
from metaeval.reporting.reading import kind_of

SYSTEMS = ("bart", "pegasus", "t5-base", "lead-3")
ITEMS = tuple(f"q{i}" for i in range(1, 7))
rng = random.Random(7)


def number(low=1, high=5):
    return rng.randint(low, high)


def text(n=9):
    return " ".join(
        rng.choice(["the", "storm", "moved", "north", "on", "monday", "rain", "fell"]) for _ in range(n)
    )


def rows(head, *columns, systems=SYSTEMS, items=ITEMS):
    """CSV of a row for each system and item; a column is a value or a function."""
    lines = [head.split(",")]
    for i, (system, item) in enumerate(itertools.product(systems, items)):
        scope = {"system": system, "item": item, "i": i}
        lines.append([column(scope) if callable(column) else scope.get(column, column) for column in columns])
    return table(lines)


def table(lines, separator=","):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(lines)
    return out.getvalue()


def grade(_=None):
    return number()


def share(_=None):
    return round(rng.random(), 3)


def words(*choices):
    return lambda _: rng.choice(choices)


def labelled(head, *columns, n=24):
    lines = [head.split(",")]
    lines += [
        [column({"i": i, "item": f"q{i}"}) if callable(column) else column for column in columns]
        for i in range(n)
    ]
    return table(lines)


def counter(start=0):
    return lambda scope: scope["i"] + start


def item(scope):
    return scope["item"]


PEOPLE4 = "coherence, consistency, fluency, relevance"
CRITERIA = ("coherence", "consistency", "fluency", "relevance")

# name -> files (name -> text), what is read: kind; judges; people's judgments; raters; systems x items
READ = {
    "criteria and systems by their words": (
        {"s.csv": table([["summary_of", "article_id", "generated_with", "asked", "value"], *([f"{s}{i}", i, s, c, number()] for s in ("gpt-4", "claude-3", "llama-2") for i in ITEMS for c in ("fluent", "informative"))])},
        "ranking; s_fluent, s_informative; ; 0; 3 x 6",
    ),
    "German names": (
        {"s.csv": table([["System", "Satz_ID", "Bewerter", "Bewertung", "BLEU"], *([s, i, b, number(), k] for k, (s, i) in enumerate(itertools.product(SYSTEMS, ITEMS)) for b in ("B1", "B2"))])},
        "ranking; BLEU; people; 2; 4 x 6",
    ),
    "criteria in brackets behind items, a row for each who answered": (
        {"s.csv": table([["id. Response ID", "startlanguage. Start language", *(f"S{k}[{c}]. How {c} is {k}?" for k in (1, 2, 3) for c in ("fluent", "true"))], *([w, "en", *(number() for _ in range(6))] for w in range(7))])},
        "one_system; ; fluent, true; 7; - x 3; parts fluent, true",
    ),
    "ranks of systems in columns": (
        {"s.csv": table([["worker", "item", "rank_A", "rank_B", "rank_C"], *([f"w{w}", i, *rng.sample((1, 2, 3), 3)] for i in ITEMS for w in range(3))])},
        "ranking; ; people; 3; 3 x 6",
    ),
    "spans of errors in lists": (
        {"s.jsonl": "".join(json.dumps({"source_id": i, "model": s, "labels": [{"start": 1, "end": 4, "text": "abc"}] * (k % 3), "response": text()}) + "\n" for k, (s, i) in enumerate(itertools.product(SYSTEMS, ITEMS)))},
        "ranking; ; people; 0; 4 x 6",
    ),
    "scores of raters and their mean beside remarks": (
        {"s.csv": labelled("question,review_1,review_2,score_1,score_2,human_score,llm_judge_score", lambda s: f"{text()} {s['i']}", words("good work", "so so"), words("good work", "so so"), lambda s: s["i"] % 4 + 1, lambda s: s["i"] % 3 + 1, lambda s: (s["i"] % 4 + s["i"] % 3 + 2) / 2, grade)},
        "one_system; llm_judge_score; people; 2; - x 24",
    ),
    "choices of two files by what both say of the outputs": (
        {
            "votes.json": json.dumps([{"instruction": f"{i} north", "output_1": f"{i} storm", "output_2": f"{i} rain", "preference": 1 + (i + a) % 2, "annotator_index": a} for i in range(12) for a in range(3)]),
            "gpt4.json": json.dumps([{"instruction": f"{i} north", "output_1": f"{i} storm", "output_2": f"{i} rain", "preference": 1 + i % 2, "annotator": "gpt4"} for i in range(12)]),
        },
        "pairs; gpt4; people; 3; 12",
    ),
    "pass of one file and yes of another": (
        {"human_gold.csv": labelled("id,label,gpt", counter(), lambda s: ("pass", "fail")[s["i"] % 2], words("pass", "fail")), "humans.csv": labelled("id,label", counter(), lambda s: ("yes", "no")[s["i"] % 2])},
        "one_system; gpt; people; 0; - x 24",
    ),
    "ranks by a judge alone": (
        {"s.jsonl": "".join(json.dumps({"prompt": f"{text()} {i}", "answers": [{"answer": text(), "model": s, "rank": r} for s, r in zip(SYSTEMS, rng.sample((1, 2, 3, 4), 4), strict=True)]}) + "\n" for i in range(6))},
        "ranking; rank; ; 0; 4 x 6",
    ),
    "criteria of people beside metrics of one prefix": (
        {"s.csv": rows("model,doc_id,rouge_1,gpt4_coherence,gpt4_fluency,human_coherence,human_fluency", "system", "item", share, grade, grade, grade, grade)},
        "ranking; gpt4_coherence, gpt4_fluency, rouge_1; coherence, fluency; 0; 4 x 6; parts coherence, fluency",
    ),
    "expert columns with criteria": (
        {"s.csv": rows("model_id,id,bleu,expert_1_coherence,expert_2_coherence,expert_3_coherence", "system", "item", share, grade, grade, grade)},
        "ranking; bleu; coherence; 3; 4 x 6",
    ),
    "raters by criteria in one wide table": (
        {"s.csv": rows("Model,Story ID,Human 1 RE,Human 2 RE,Human 1 CH,Human 2 CH,BERTScore", "system", "item", grade, grade, grade, grade, share)},
        "ranking; BERTScore; CH, RE; 2; 4 x 6; parts CH, RE",
    ),
    "raters as rows, criteria as columns": (
        {"s.csv": table([["worker_id", "system", "input_id", "fluency", "adequacy"], *([f"w{w}", s, i, number(), number()] for w in range(3) for s in SYSTEMS for i in ITEMS)])},
        "ranking; ; adequacy, fluency; 3; 4 x 6; parts adequacy, fluency",
    ),
    "criterion as rows, raters as rows": (
        {"s.csv": table([["annotator", "model", "doc_id", "dimension", "score"], *([f"a{a}", s, i, c, number()] for a in range(2) for s in SYSTEMS for i in ITEMS for c in CRITERIA[:2])])},
        "ranking; ; coherence, consistency; 2; 4 x 6; parts coherence, consistency",
    ),
    "criterion as rows, judge and people as columns": (
        {"s.csv": table([["model", "doc_id", "aspect", "gpt-4o", "human"], *([s, i, c, number(), number()] for s in SYSTEMS for i in ITEMS for c in CRITERIA[:2])])},
        "ranking; gpt-4o_coherence, gpt-4o_consistency; coherence, consistency; 0; 4 x 6; parts coherence, consistency",
    ),
    "flags, costs, times and texts beside labels": (
        {"s.csv": labelled("idx,question,answer,human_label,gpt_label,latency_ms,cost_usd,truncated,created_at,n_tokens_prompt", counter(), lambda _: text(), lambda _: rng.choice([text(), "42", "Yes"]), words(0, 1), words(0, 1), lambda _: number(100, 900), share, words("True", "False"), "2025-01-03T10:00:00Z", lambda _: number(10, 99))},
        "one_system; gpt_label; people; 0; - x 24",
    ),
    "ground truth and prediction": (
        {"s.csv": labelled("text,ground_truth,prediction", lambda _: text(), words("safe", "unsafe"), words("safe", "unsafe"))},
        "one_system; prediction; people; 0; - x 24",
    ),
    "words of an order": (
        {"s.csv": labelled("id,human,llm", counter(1), words("Not relevant", "Somewhat relevant", "Relevant", "Highly relevant"), words("Not relevant", "Relevant"))},
        "one_system; llm; people; 0; - x 24",
    ),
    "names of ids without a usual name for the item": (
        {"s.csv": labelled("record_id,conversation_id,label,gpt4,claude", counter(100), counter(7), words("pass", "fail"), words("pass", "fail"), words("pass", "fail"))},
        "one_system; claude, gpt4; people; 0; - x 24",
    ),
    "a judge and its reason": (
        {"s.csv": labelled("trace_id,judge_label,judge_reason,annotator_label,confidence", item, words("yes", "no"), lambda _: text(14), words("yes", "no"), share)},
        "one_system; judge_label; people; 0; - x 24",
    ),
    "a file for each rater and one of the judge": (
        {f"{name}.csv": labelled("item_id,label", item, words("pass", "fail")) for name in ("annotator_1", "annotator_2", "gpt4_judge")},
        "one_system; gpt4_judge; people; 2; - x 24",
    ),
    "a file for each rater by name": (
        {f"{name}.csv": labelled("item_id,label", item, words("pass", "fail")) for name in ("anna", "ben", "gpt-4o")},
        "one_system; gpt-4o; people; 2; - x 24",
    ),
    "criteria in a file of people and in one of the judge": (
        {"human.csv": labelled("id,empathy,clarity", counter(), grade, grade), "gpt4.csv": labelled("id,empathy,clarity", counter(), grade, grade)},
        "one_system; gpt4_clarity, gpt4_empathy; clarity, empathy; 0; - x 24; parts clarity, empathy",
    ),
    "runs of a judge in a list beside one score of people": (
        {"s.jsonl": "".join(json.dumps({"id": i, "response_model_name": s, "human_score": k % 5, "gpt4_score": k % 3, "prometheus_8x7b_score": [k, k + 1, k + 5]}) + "\n" for k, (s, i) in enumerate(itertools.product(SYSTEMS, ITEMS)))},
        "ranking; gpt4_score, prometheus_8x7b_score; people; 0; 4 x 6",
    ),
    "raters in lists of grades by criterion": (
        {"s.json": json.dumps([{"context": f"{i} {text()}", "responses": [{"response": text(), "model": s, "Natural": [1, 2, 3], "Engaging": [2, 2, number()], "Overall": [number(), 3, 4]} for s in SYSTEMS]} for i in ITEMS])},
        "ranking; ; Engaging, Natural, Overall; 3; 4 x 6; parts Engaging, Natural, Overall",
    ),
    "names that end with name and index": (
        {"s.csv": table([["sent_id", "sys_name", "annotator_index", "fluency"], *([i, s, a, number()] for s in SYSTEMS for i in ITEMS for a in (0, 1))])},
        "ranking; ; people; 2; 4 x 6",
    ),
    "scores again in standard units": (
        {"s.csv": rows("model,doc_id,human,human_zscore,bleu,z_bleu", "system", "item", grade, share, share, share)},
        "ranking; bleu; people; 0; 4 x 6",
    ),
    "a criterion of raters with a metric's name": (
        {"s.jsonl": "".join(json.dumps({"info": {"id": i}, "summary": {"policy": s, "axes": {"overall": number(), "accuracy": 1 + w, "compatible": None}}, "worker": f"w{w}"}) + "\n" for s in SYSTEMS for i in ITEMS for w in (0, 1))},
        "ranking; ; accuracy, overall; 2; 4 x 6; parts accuracy, overall",
    ),
    "sentences of an article, each by several workers": (
        {"s.jsonl": "".join(json.dumps({"article": f"{i} {text(30)}", "summary_sentences": [{"sentence": f"{k} {text()}", "responses": [{"worker_id": w, "response": rng.choice(["yes", "no"])} for w in (0, 1, 2)]} for k in (0, 1)]}) + "\n" for i in ITEMS)},
        "one_system; ; people; 3; - x 12",
    ),
    "a mean and a majority beside raters in a list": (
        {"s.json": json.dumps({"annotations": [{"metric": "Fluency", "worst": 1, "best": 5, "prompt": text()}], "instances": [{"id": k, "instance": text(), "annotations": {"Fluency": {"mean_human": 2 + k % 2, "majority_human": 1, "individual_human_scores": [1, 1, 4 + 3 * (k % 2)]}}} for k in range(24)]})},
        "one_system; ; people; 3; - x 24",
    ),
    "two scores by one model, beside its reviewer's number": (
        {"s.jsonl": "".join(json.dumps({"question_id": k, "answer1_id": f"x{k}", "answer2_id": f"y{k}", "reviewer_id": 1 + k % 2, "metadata": {"model": "gpt-4"}, "text": text(), "score": [8.0, 7.0 + k % 3]}) + "\n" for k in range(24))},
        "pairs; gpt-4; ; 0; 24",
    ),
    "columns of outputs, and of their scores": (
        {"s.csv": labelled("Question,bart,t5-base,bart GPT-judge acc,bart BLEU max,t5-base GPT-judge acc,t5-base BLEU max", lambda s: f"{text()} {s['i']}?", lambda _: text(), lambda _: text(), words(0, 1), share, words(0, 1), share)},
        "two_systems; bleu_max, gpt_judge_acc; ; 0; 2 x 24",
    ),
    "lists of records by id": (
        {"s.json": json.dumps({"eval": {f"HumanEval/{k}": [{"task_id": f"HumanEval/{k}", "solution": text(), "base_status": rng.choice(["pass", "fail"]), "plus_status": rng.choice(["pass", "fail"]), "base_fail_tests": []}] for k in range(24)}})},
        "one_system; base_status, plus_status; ; 0; - x 24",
    ),
    "a gold that is the same for all raters of an item": (
        {"s.csv": table([["rater_id", "rater_age", "item_id", "safety_gold", "Q2_harmful_overall", "Q_overall"], *([w, "gen z", i, "No", *(rng.choice(["Yes", "No"]) for _ in range(2))] for w in range(3) for i in range(12))])},
        "one_system; ; Q2_harmful_overall, Q_overall; 3; - x 12; parts Q2_harmful_overall, Q_overall",
    ),
    "a vote of one voter and of a judge in each row": (
        {"s.csv": table([["id", "prompt_id", "model_left", "model_right", "voter_id", "vote", "llm_judge_vote"], *([k, k % 6, "m1", "m2", f"v{k % 4}", rng.choice(["left", "right", "bothbad"]), ("left", "right", "tie")[k // 6 % 3]] for k in range(24))])},
        "pairs; llm_judge_vote; people; 4; 24",
    ),
    "inputs, outputs and the assignment in names": (
        {"s.tsv": table([["INPUT:doc_id", "INPUT:system", "OUTPUT:fluency", "OUTPUT:relevance", "GOLDEN:fluency", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"], *([i, s, number(), number(), "", w, "APPROVED"] for s in SYSTEMS for i in ITEMS for w in ("w1", "w2"))], "\t")},
        "ranking; ; fluency, relevance; 2; 4 x 6; parts fluency, relevance",
    ),
    "flags and standard errors of a leaderboard": (
        {"s.csv": table([["Model", "MMLU", "MMLU stderr", "acc_stderr,none", "Chat Template", "Hub likes"], *([f"m{k}", 40 + k, 0.1 * k, 0.2 * k, k % 2 == 0, 3 * k] for k in range(12))])},
        "systems_only; MMLU; ; 0; 12",
    ),
    "a rater's trust and agreement beside a rating": (
        {"s.csv": table([["_unit_id", "_trust", "_worker_id", "system", "naturalness", "agreement"], *([i, 0.5 + 0.1 * w, w, s, number(), w == 1] for s in SYSTEMS for i in ITEMS for w in (1, 2))])},
        "ranking; ; people; 2; 4 x 6",
    ),
    "a sum and a mean of raters beside a judge": (
        {"s.csv": labelled("essay_id,essay_set,rater1_score,rater2_score,domain1_score,gpt4_score", counter(), lambda s: s["i"] % 2, lambda s: s["i"] % 5, lambda s: s["i"] % 3, lambda s: s["i"] % 5 + s["i"] % 3, grade)},
        "one_system; gpt4_score; people; 2; - x 24",
    ),
    "raters in a list beside a metric of an image": (
        {"s.jsonl": "".join(json.dumps({"image": f"img{k}.jpg", "caption": text(), "human_ratings": [1, number(), 4], "clipscore": k / 24}) + "\n" for k in range(24))},
        "one_system; clipscore; people; 3; - x 24",
    ),
    "a leaderboard with ranks beside its scores": (
        {"s.csv": table([["Rank", "Model", "MMLU", "95% CI", "Coding"], *([k + 1, f"m{k}", 90 - k, "+4/-5", 80 - k * k] for k in range(12))])},
        "systems_only; Coding, MMLU; ; 0; 12",
    ),
    "numbered ratings and their mean beside metrics": (
        {"s.tsv": labelled("id,hypothesis,rating_1,rating_2,avg_rating,comet", counter(), lambda _: text(), lambda s: s["i"] % 4, lambda s: s["i"] % 6, lambda s: (s["i"] % 4 + s["i"] % 6) / 2, share).replace(",", "\t")},
        "one_system; comet; people; 2; - x 24",
    ),
    "words of harm beside a guard's": (
        {"s.csv": labelled("id,prompt,human_label,guard_a", counter(), lambda _: text(), words("harmful", "unharmful"), words("harmful", "unharmful"))},
        "one_system; guard_a; people; 0; - x 24",
    ),
    "rankings of people and of a judge": (
        {"s.csv": rows("system,id,human_ranking,gpt4_rank", "system", "item", lambda _: number(1, 4), lambda _: number(1, 4))},
        "ranking; gpt4_rank; ranking; 0; 4 x 6",
    ),
    "grades of five raters in lists, some of them none": (
        {"s.json": json.dumps([{"context": f"{k} {text()}", "response": text(), "annotations": {"Interesting": [1, "N/A", k % 3], "Fluent": [2, 1, 0], "Backstory": [1, 2, k % 2]}} for k in range(24)])},
        "one_system; ; annotations_Backstory, annotations_Fluent, annotations_Interesting; 3; - x 24; parts annotations_Backstory, annotations_Fluent, annotations_Interesting",
    ),
    "labels of people beside those of guards": (
        {"s.csv": labelled("prompt,adversarial,response_harm_agreement,response_harm_label,wildguard_response_harm", lambda s: f"{s['i']} {text()}", words(True, False), words(0.67, 1), words("harmful", "unharmful"), words("harmful", "unharmful"))},
        "one_system; wildguard_response_harm; people; 0; - x 24",
    ),
    "lists of sentences of texts without an id": (
        {"s.json": json.dumps([{"gpt3_text": text(), "annotation": [rng.choice(["correct", "incorrect"]) for _ in range(3)], "selfcheck_nli": [rng.random() for _ in range(3)]} for _ in range(8)])},
        "one_system; selfcheck_nli; people; 0; - x 24",
    ),
    "systems as keys, below each an output and its scores": (
        {"s.json": json.dumps({str(k): {"prompt": f"{k} {text()}", "gen": {s: {"text": text(), "score": [1, 2, number()], "metric": {"bleu": rng.random()}} for s in SYSTEMS}} for k in range(6)})},
        "ranking; bleu, s; ; 0; 4 x 6",
    ),
    "counts of votes beside a gold": (
        {"s.tsv": labelled("item_id,text,votes_yes,votes_no,gold,llama3_label", item, lambda _: text(), lambda s: s["i"] % 6, lambda s: 5 - s["i"] % 6, words("yes", "no"), words("yes", "no")).replace(",", "\t")},
        "one_system; llama3_label; people; 0; - x 24",
    ),
    "A, B, and C for a tie of two named models": (
        {"s.csv": labelled("id,model_1,model_2,human,gpt-4v,llava", counter(), "m1", "m2", lambda s: "ABC"[s["i"] % 3], lambda s: "AABC"[s["i"] % 4], lambda s: "AB"[s["i"] % 2])},
        "pairs; gpt-4v, llava; people; 0; 24",
    ),
    "columns of people and of a model by a bracket": (
        {"s.csv": labelled("Ticket ID,Resolved? (human),Resolved? (GPT-4o),Tone OK (human),Tone OK (GPT-4o)", counter(), *[words("Y", "N")] * 4)},
        "one_system; Resolved? (GPT-4o), Tone OK (GPT-4o); Resolved, Tone OK; 0; - x 24; parts Resolved, Tone OK",
    ),
    "a mean and its error in one cell": (
        {"s.csv": table([["System", "Human preference (%)", "BLEU"], *([f"m{k}", f"{70 - 3 * k}.5 ± 2.1", 40 - k] for k in range(12))])},
        "systems_only; BLEU; people; 0; 12",
    ),
    "pairs with sides of texts": (
        {"s.csv": labelled("instruction,response_a,response_b,human_preference,judge_preference", lambda _: text(12), lambda _: text(20), lambda _: text(20), words("A", "B", "tie"), words("A", "B", "tie"))},
        "pairs; judge_preference; people; 0; 24",
    ),
    "pairs with outputs 1 and 2 and a label": (
        {"s.csv": labelled("input,output_1,output_2,label,gpt4", lambda _: text(12), lambda _: text(20), lambda _: text(20), words(1, 2), words(1, 2))},
        "pairs; gpt4; people; 0; 24",
    ),
    "pairs with names of models": (
        {"s.csv": labelled("question_id,model_a,model_b,winner,judge", counter(80), words("vicuna-13b"), words("alpaca-7b"), words("model_a", "model_b", "tie (bothbad)"), lambda scope: "gpt4_pair" if scope["i"] % 2 else "expert_3")},
        "pairs; gpt4_pair; people; 1; 24",
    ),
    "one-hot winners": (
        {"s.csv": table([["id", "model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie", "gpt-4"], *([i, "x1", "x2", *one, rng.choice(["x1", "x2", "tie"])] for i in range(20) for one in [rng.choice([(1, 0, 0), (0, 1, 0), (0, 0, 1)])])])},
        "pairs; gpt-4; people; 0; 20",
    ),
    "a judge's choices in another file": (
        {"human.csv": labelled("pair_id,model_a,model_b,winner", counter(), "x1", "x2", words("model_a", "model_b", "tie")), "judge.jsonl": "".join(json.dumps({"pair_id": i, "gpt4": rng.choice(["A", "B", "C"[:0] or "tie"])}) + "\n" for i in range(24))},
        "pairs; gpt4; people; 0; 24",
    ),
    "a leaderboard with text columns": (
        {"s.csv": table([["Model", "Organization", "License", "Human Rating", "Bench A", "Votes"], *([f"model {i}", rng.choice(["acme", "beta"]), "mit", 1000 + 7 * i, round(40 + i + rng.random(), 1), number(100, 999)] for i in range(12))])},
        "systems_only; Bench A; people; 0; 12",
    ),
    "nested scores with levels": (
        {"s.jsonl": "".join(json.dumps({"system_id": s, "instance_id": i, "metrics": {"rouge-1": {"precision": share(), "recall": share(), "f1": share()}, "rouge-2": {"precision": share(), "recall": share(), "f1": share()}, "supert": share()}}) + "\n" for s in SYSTEMS for i in ITEMS)},
        "ranking; rouge-1, rouge-2, supert; ; 0; 4 x 6",
    ),
    "lists of raters' mappings": (
        {"s.jsonl": "".join(json.dumps({"model_id": s, "id": i, "rouge": share(), "expert_ratings": [{"coherence": number(), "fluency": number()} for _ in range(3)]}) + "\n" for s in SYSTEMS for i in ITEMS)},
        "ranking; rouge; coherence, fluency; 3; 4 x 6; parts coherence, fluency",
    ),
    "lists of scores of raters beside a judge": (
        {"s.jsonl": "".join(json.dumps({"system": s, "doc_id": i, "gpt4": number(), "human_scores": [number() for _ in range(3)]}) + "\n" for s in SYSTEMS for i in ITEMS)},
        "ranking; gpt4; people; 3; 4 x 6",
    ),
    "document and segment": (
        {"s.csv": table([["system", "doc", "seg_id", "metricx", "mqm"], *([s, d, k, share(), -number()] for s in SYSTEMS for d in ("a", "b") for k in (1, 2, 3))])},
        "ranking; metricx; people; 0; 4 x 6",
    ),
    "language pairs whose systems share nothing": (
        {"s.csv": table([["lp", "system", "seg", "metricx", "human"], *([lp, f"{lp}-{s}", k, share(), number()] for lp in ("de-en", "ru-en") for s in SYSTEMS for k in range(5))])},
        "ranking; metricx; people; 0; 8 x 10; parts lp de-en, lp ru-en",
    ),
    "email addresses are raters": (
        {"s.csv": table([["Submitted", "Email Address", "response_id", "Overall quality", "gpt4"], *([f"2025-03-0{k} 10:00", f"p{k}@example.org", f"r{i}", number(), 2 + i % 3] for k in (1, 2, 3) for i in range(8))])},
        "one_system; gpt4; people; 3; - x 8",
    ),
    "kinds of raters in a column": (
        {"s.csv": table([["item", "rater_type", "rater", "label"], *([f"i{i}", kind, who, rng.choice(["good", "bad"])] for i in range(12) for kind, who in (("human", "ann"), ("human", "bob"), ("llm", "gpt-4o")))])},
        "one_system; gpt-4o; people; 2; - x 12",
    ),
    "people and machines in a column without a usual name": (
        {"s.csv": table([["item", "source_of_label", "label"], *([f"i{i}", who, number(0, 1)] for i in range(12) for who in ("human", "gpt-4", "claude-3"))])},
        "one_system; claude-3, gpt-4; people; 0; - x 12",
    ),
    "majority beside raters": (
        {"s.csv": labelled("item_id,annotator_1,annotator_2,annotator_3,llm_judge", item, *[words("Yes", "No")] * 4)},
        "one_system; llm_judge; people; 3; - x 24",
    ),
    "models as columns of two files": (
        {f"{name}.csv": table([["doc", "bart", "lead3", "pointer"], *([d, number(), number(), number()] for d in ITEMS)]) for name in ("human", "rouge")},
        "ranking; rouge; people; 0; 3 x 6",
    ),
    "choices of minus one, nought and one": (
        {"s.csv": labelled("prompt_id,response_1,response_2,human,judge", counter(), lambda _: text(), lambda _: text(), words(-1, 0, 1), words(-1, 0, 1))},
        "pairs; judge; people; 0; 24",
    ),
    "scores of both sides": (
        {"s.csv": labelled("id,model_1,model_2,human_score_1,human_score_2,judge_score_1,judge_score_2", counter(), "x", "z", *[grade] * 4)},
        "pairs; judge_score; people; 0; 24",
    ),
    "a metric's column of criteria beside judge and people": (
        {"s.csv": table([["sample_id", "metric", "human_value", "judge_value"], *([i, c, number(), number()] for i in range(8) for c in ("tone", "style"))])},
        "one_system; judge_value_style, judge_value_tone; style, tone; 0; - x 8; parts style, tone",
    ),
    "people's criteria as rows, a judge's as columns of its file": (
        {"p.csv": table([["doc_id", "system", "annotator", "criterion", "rating"], *([i, s, a, c, number()] for i in ITEMS for s in SYSTEMS for a in ("a1", "a2") for c in CRITERIA[:2])]), "gpt.csv": rows("doc_id,system,coherence,consistency", "item", "system", grade, grade)},
        "ranking; gpt_coherence, gpt_consistency; coherence, consistency; 2; 4 x 6; parts coherence, consistency",
    ),
    "scales and units in brackets": (
        {"s.csv": table([["Model", "Human Rating (1-5)", "GPT-4 Rating (1-5)", "Cost ($/1M)", "Size (B)"], *([f"m{i}", number(), number(), share(), number(1, 70)] for i in range(9))])},
        "systems_only; GPT-4 Rating (1-5); people; 0; 9",
    ),
    "ids as keys of a mapping of systems": (
        {"s.json": json.dumps({"systems": {s: {"scores": {"bleu": share(), "human": number()}} for s in SYSTEMS}})},
        "systems_only; bleu; people; 0; 4",
    ),
    "votes that are numbered": (
        {"s.csv": labelled("id,model_a,model_b,human_vote_1,human_vote_2,llm_vote", counter(), "x1", "x2", *[words("x1", "x2")] * 3)},
        "pairs; llm_vote; people; 2; 24",
    ),
    "judgments in a list beside people's label": (
        {"s.jsonl": "".join(json.dumps({"pair": i, "label": rng.choice(["A>B", "B>A"]), "judgments": [{"judge": "o1-mini", "decision": rng.choice(["A>B", "B>A"])}]}) + "\n" for i in range(24))},
        "pairs; o1-mini; people; 0; 24",
    ),
    "people's ranks": (
        {"s.csv": rows("system,doc,human_rank,chrf", "system", "item", lambda s: 1 + SYSTEMS.index(s["system"]), share)},
        "ranking; chrf; rank; 0; 4 x 6",
    ),
    "answers to one question without a column of systems": (
        {"s.csv": table([["question", "answer", "human", "judge"], *([f"who was it, {i // 3}?", text(), i % 2, (i + i // 3) % 2] for i in range(24))])},
        "one_system; judge; people; 0; - x 24",
    ),
    "a model among annotators": (
        {"s.csv": labelled("item_id,annotator_1,annotator_2,annotator_gpt4", item, *[words("yes", "no")] * 3)},
        "one_system; annotator_gpt4; people; 2; - x 24",
    ),
    "thumbs": (
        {"s.csv": labelled("run_id,user_feedback,auto_eval", item, words("👍", "👎"), words("up", "down"))},
        "one_system; auto_eval; people; 0; - x 24",
    ),
    "percent and out of five": (
        {"s.csv": rows("system,item,human,auto", "system", "item", lambda _: f"{number()}/5", lambda _: f"{number(10, 99)}%")},
        "ranking; auto; people; 0; 4 x 6",
    ),
    "models as columns": (
        {"s.csv": table([["question", "gpt-4o", "claude-3", "llama-3"], *([text(6) + f" {i}?", number(), number(), number()] for i in range(8))])},
        "ranking; s; ; 0; 3 x 8",
    ),
    "questions as columns with the mail of the rater": (
        {"s.csv": table([["system", "doc", "annotator_id", "grammar", "focus", "coherence"], *([s, d, f"a{k}", number(), number(), number()] for s in SYSTEMS for d in ITEMS for k in range(2))])},
        "ranking; ; coherence, focus, grammar; 2; 4 x 6; parts coherence, focus, grammar",
    ),
}  # fmt: skip


# name -> files, what of an option is pasted, and what is read then
def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


READ |= {
    "names behind prefixes, as of crowd workers": (
        {"s.csv": table([["HITId", "WorkerId", "Reward", "MaxAssignments", "AssignmentStatus", "Input.doc_id", "Input.system", "Answer.fluency", "Answer.relevance"], *([f"3{s}{i}", f"W{w}", "$0.10", 3, "Approved", i, s, number(), number()] for s in SYSTEMS for i in ITEMS for w in range(2))])},
        "ranking; ; fluency, relevance; 2; 4 x 6; parts fluency, relevance",
    ),
    "a model behind a prefix, and an id of each answer": (
        {"s.csv": rows("id,input,metadata.model,scores.Factuality,scores.Human review,metrics.start", counter(100), "item", "system", share, share, 1.7e9)},
        "ranking; Factuality; people; 0; 4 x 6",
    ),
    "a model's name behind whose it is": (
        {"s.csv": rows("id,task,response_model_name,human_score,gpt4_score", "item", "t1", "system", grade, grade)},
        "ranking; gpt4_score; people; 0; 4 x 6",
    ),
    "a label and a score of one evaluation, beside an annotation": (
        {"s.csv": labelled("span_id,eval.Truth.label,eval.Truth.score,annotation.truth.label,annotation.truth.score", item, lambda scope: ("hallucinated", "factual")[scope["i"] % 2], lambda scope: 1 - scope["i"] % 2, lambda scope: ("incorrect", "correct")[scope["i"] % 2], lambda scope: scope["i"] % 2)},
        "one_system; Truth; people; 0; - x 24",
    ),
    "statistics by name in lists": (
        {"s.json": json.dumps([{"instance_id": i, "stats": [{"name": {"name": m, "split": "test"}, "count": 1, "sum": v, "min": v, "max": v, "mean": v, "stddev": 0.0} for m, v in (("exact_match", k % 2), ("rouge_l", k / 10))]} for k, i in enumerate(ITEMS)])},
        "one_system; exact_match, rouge_l; ; 0; - x 6",
    ),
    "systems that share no item": (
        {"s.csv": labelled("id,model_name,label,dae_score", item, lambda scope: SYSTEMS[scope["i"] % 4], words(0, 1), share)},
        "one_system; dae_score; people; 0; - x 24",
    ),
    "raters in a list beside their label": (
        {"s.json": json.dumps([{"id": i, "label": k % 2, "annotations": [k % 2, 1, 0], "summac": k / 10} for k, i in enumerate(ITEMS)])},
        "one_system; summac; people; 3; - x 6",
    ),
    "labels in lists of one": (
        {f"{name}.jsonl": lines({"id": i, "text": text(), "label": [rng.choice(["faithful", "unfaithful"])]} for i in ITEMS) for name in ("anna", "mary")},
        "one_system; ; people; 2; - x 6",
    ),
    "epochs of a judge": (
        {"s.csv": table([["system", "item", "epoch", "gpt", "human"], *([s, i, e, share(), k] for k, (s, i) in enumerate(itertools.product(SYSTEMS, ITEMS)) for e in (1, 2))])},
        "ranking; gpt; people; 0; 4 x 6",
    ),
    "runs of a judge in columns": (
        {"s.csv": rows("system,doc_id,gpt_run1,gpt_run2,gpt_run3,human", "system", "item", share, share, share, grade)},
        "ranking; gpt; people; 0; 4 x 6",
    ),
    "runs without a name in columns": (
        {"s.csv": labelled("item_id,run 1,run 2,human_label", item, words(0, 1), words(0, 1), words(0, 1))},
        "one_system; judge; people; 0; - x 24",
    ),
    "records of another kind, and a sum below": (
        {"s.jsonl": lines([{"spec": {"name": "x"}}, *({"system": s, "item": i, "gpt": number(), "human": number()} for s in SYSTEMS for i in ITEMS), {"system": "Mean", "item": "", "gpt": 3, "human": 3}])},
        "ranking; gpt; people; 0; 4 x 6",
    ),
    "a rubric, a result in words and a constant beside scores": (
        {"s.csv": labelled("item_id,rubric,result,limit_score,human_score,llm_score", item, "Is it true? Score 1: no. Score 5: yes.", words("done", "failed: timeout"), 100, grade, grade)},
        "one_system; llm_score; people; 0; - x 24",
    ),
    "chosen and rejected outputs with scores": (
        {"s.csv": labelled("id,prompt,chosen,rejected,chosen_model,rejected_model,score_chosen,score_rejected,results", item, lambda _: text(), lambda _: text(12), lambda _: text(12), "m1", "m2", grade, grade, words(0, 1))},
        "pairs; score (by scores); people; 0; 24",
    ),
    "two scores of two outputs in a list": (
        {"s.jsonl": lines({"question_id": i, "answer1_body": text(12), "answer2_body": text(12), "answer1_model_id": "m1", "answer2_model_id": "m2", "score": [number(), number()]} for i in ITEMS)},
        "pairs; score; ; 0; 6",
    ),
    "two outputs in a list, and the place of the better": (
        {"s.jsonl": lines({"info": {"id": i}, "summaries": [{"text": text(12), "policy": "sup"}, {"text": text(12), "policy": "ppo"}], "choice": k % 2, "worker": f"w{k}"} for k, i in enumerate(ITEMS))},
        "pairs; ; people; 6; 6",
    ),
    "models as columns beside a metric": (
        {"s.csv": table([["dataset", "metric", "made-7b", "made-13b", "made-70b"], *([f"ds{i}", "accuracy", share(), share(), share()] for i in range(8))])},
        "ranking; accuracy; ; 0; 3 x 8",
    ),
    "raters' records inside records of sentences": (
        {"s.jsonl": lines({"article": text(12), "summary_sentences": [{"sentence": text(), "responses": [{"worker_id": w, "response": rng.choice(["yes", "no"])} for w in range(3)]} for _ in range(2)]} for _ in ITEMS)},
        "one_system; ; people; 3; - x 12",
    ),
    "raters' names in a list beside lists of grades": (
        {"s.json": json.dumps([{"context": f"{i} {text(12)}", "annotators": ["a", "b", "c"], "responses": [{"response": text(), "model": s, "Natural": [number(), number(), number()]} for s in SYSTEMS]} for i in ITEMS])},
        "ranking; ; people; 3; 4 x 6",
    ),
    "names behind a colon, and a participant's id": (
        {"s.csv": table([["Event Index", "Participant Private ID", "Spreadsheet: item", "Spreadsheet: model", "Response", "Reaction Time"], *([k, w, i, s, number(), 1500.5 + k] for k, (w, s, i) in enumerate(itertools.product((9001, 9002), SYSTEMS, ITEMS)))])},
        "ranking; ; people; 2; 4 x 6",
    ),
    "winners and losers": (
        {"s.csv": labelled("vote_id,winner_model,loser_model,gpt4_winner", item, "m1", "m2", words("m1", "m2"))},
        "pairs; gpt4_winner; people; 0; 24",
    ),
    "annotators by number beside their final label, which all are of words": (
        {"s.csv": labelled("id,annotation_1,annotation_2,final_label,gpt4_label", item, words("yes", "no"), words("yes", "no"), words("yes", "no"), words("yes", "no"))},
        "one_system; gpt4_label; people; 2; - x 24",
    ),
    "people's scores by a bracket, and numbers of annotators": (
        {"s.csv": rows("system,doc,Likert (human),human_annotator_count,bleu", "system", "item", grade, 3, share)},
        "ranking; bleu; Likert; 0; 4 x 6",
    ),
    "an id of one word": (
        {"s.csv": table([["bbcid", "system", "is_factual", "worker_id"], *([1000 + k, s, rng.choice(["yes", "no"]), f"w{w}"] for k in range(13) for s in SYSTEMS for w in range(2))])},
        "ranking; ; people; 2; 4 x 13",
    ),
}  # fmt: skip

ASKED = {
    "two columns that together tell rows apart": (
        {"s.csv": table([["doc", "part_of", "side", "human"], *([d, p, t, number()] for d in range(5) for p in ("x", "y") for t in ("u", "v", "w"))])},
        {
            "--col rater=part_of --col item=doc --col item=side": "one_system; ; people; 2; - x 15",
            "--col item=doc --col item=part_of --col item=side": "one_system; ; people; 0; - x 30",
            "--mean": "one_system; ; people; 0; - x 5",
        },
    ),
    "words of raters that no list knows": (
        {"s.csv": labelled("id,labels_0,labels_1,labels_2", counter(), *[words("Safe", "Hate", "Guns and Weapons")] * 3)},
        {
            "--rater labels_0 labels_1 labels_2 --pass Safe": "one_system; ; people; 3; - x 24",
        },
    ),
    "marks of a judge beside what is chosen": (
        {"s.jsonl": "".join(json.dumps({"chosen": f"{text()} {i}", "rejected": f"{text()} {i}", "GPT4 label": (1, 0, -1, 1)[i % 4], "chosen_score": i, "rejected_score": i % 5 + 4}) + "\n" for i in range(12))},
        {
            "--missing -1": "pairs; GPT4 label (agrees), score (by scores); people; 0; 12",
            "--ignore 'GPT4 label'": "pairs; score (by scores); people; 0; 12",
        },
    ),
    "0, 1 and 2 of two outputs": (
        {"s.csv": labelled("id,response 1,response 2,label,pred_label", item, lambda _: text(12), lambda _: text(12), lambda scope: scope["i"] % 3, words(0, 1, 2))},
        {"--tie 0": "pairs; pred_label; people; 0; 24", "--tie 2": "pairs; pred_label; people; 0; 24"},
    ),
    "two choices of nobody": (
        {"s.csv": labelled("id,response_0,response_1,better_response_id,safer_response_id", item, lambda _: text(12), lambda _: text(12), words(0, 1), words(0, 1))},
        {f"--col choice={a}_response_id --ignore {b}_response_id": "pairs; ; people; 0; 24" for a, b in (("better", "safer"), ("safer", "better"))},
    ),
    "1 and 2 without sides": (
        {"s.csv": labelled("item_id,human,gpt", item, words(1, 2), words(1, 2))},
        {"--col choice=human": "pairs; gpt; people; 0; 24", "--col human=human": "one_system; gpt; people; 0; - x 24"},
    ),
    "a turn beside a question": (
        {"s.csv": table([["question_id", "turn", "model", "judge", "score"], *([q, t, s, j, number(1, 10)] for q in range(4) for t in (1, 2) for s in SYSTEMS for j in ("gpt-4", "human"))])},
        {"--col item=question_id --col item=turn": "ranking; gpt-4; people; 0; 4 x 8", "--by turn": "ranking; gpt-4; people; 0; 4 x 8", "--ignore turn --mean": "ranking; gpt-4; people; 0; 4 x 4"},
    ),
    "epochs with outputs of their own": (
        {"s.csv": table([["system", "item", "epoch", "gpt", "human"], *([s, i, e, share(), k + e / 4] for k, (s, i) in enumerate(itertools.product(SYSTEMS, ITEMS)) for e in (1, 2))])},
        {"--mean": "ranking; gpt; people; 0; 4 x 6", "--by epoch": "ranking; gpt; people; 0; 4 x 6", "--col item=item --col item=epoch": "ranking; gpt; people; 0; 4 x 12"},
    ),
    "experts beside crowd": (
        {"s.csv": rows("system,doc_id,rouge,expert_score,crowd_score", "system", "item", share, grade, grade)},
        {"--col human=expert_score --ignore crowd_score": "ranking; rouge; people; 0; 4 x 6", "--col human=crowd_score --ignore expert_score": "ranking; rouge; people; 0; 4 x 6", "--col human=expert_score --col judge=crowd_score": "ranking; crowd_score, rouge; people; 0; 4 x 6"},
    ),
    "a leaderboard without people": (
        {"s.csv": table([["model", "arena_elo", "mmlu", "length"], *([f"m{i}", 1000 + 5 * i, share(), number(100, 200)] for i in range(9))])},
        {"--people arena_elo": "systems_only; length, mmlu; arena_elo; 0; 9"},
    ),
    "words without an order": (
        {"s.csv": labelled("item_id,human_label,judge_label", item, words("FULL", "PARTIAL", "REFUSED"), words("FULL", "PARTIAL", "REFUSED"))},
        {f"--pass {word}": "one_system; judge_label; people; 0; - x 24" for word in ("FULL", "PARTIAL", "REFUSED")},
    ),
    "bare criteria beside metrics": (
        {"s.csv": rows("system,doc_id,rouge,coherence,fluency", "system", "item", share, grade, grade)},
        {"--col human=coherence --col human=fluency": "ranking; rouge; coherence, fluency; 0; 4 x 6; parts coherence, fluency", "--people coherence --ignore fluency": "ranking; rouge; coherence; 0; 4 x 6", "--people fluency --ignore coherence": "ranking; rouge; fluency; 0; 4 x 6"},
    ),
    "two levels of ids": (
        {"s.json": json.dumps({s: {i: {"rouge": share(), "human": number()} for i in ITEMS} for s in ("alpha", "beta", "gamma", "delta")})},
        {"--col system=id --col item=inner_id": "ranking; rouge; people; 0; 4 x 6", "--col system=inner_id --col item=id": "ranking; rouge; people; 0; 6 x 4"},
    ),
    "a model that may be the judge": (
        {"s.csv": table([["item_id", "model", "score", "human"], *([i, m, number(), 1 + i % 5] for i in range(9) for m in ("gpt-4", "claude", "llama"))])},
        {"--col judge=model": "one_system; claude, gpt-4, llama; people; 0; - x 9", "--col system=model": "ranking; s; people; 0; 3 x 9"},
    ),
    "files with the same criteria": (
        {f"{name}.csv": labelled("id,empathy,clarity", counter(), grade, grade) for name in ("first_round", "second_round")},
        {"--people first_round": "one_system; second_round_clarity, second_round_empathy; clarity, empathy; 0; - x 24; parts clarity, empathy", "--people second_round": "one_system; first_round_clarity, first_round_empathy; clarity, empathy; 0; - x 24; parts clarity, empathy"},
    ),
    "a judge's columns beside columns of the same name": (
        {"s.csv": labelled("trace,mode_1,mode_2,judge_mode_1,judge_mode_2", item, *[words(0, 1)] * 4)},
        {"--col human=mode_1 --col human=mode_2": "one_system; judge_mode_1, judge_mode_2; mode_1, mode_2; 0; - x 24; parts mode_1, mode_2", "--people mode_1 --ignore mode_2": "one_system; judge_mode_1, judge_mode_2; mode_1; 0; - x 24", "--people mode_2 --ignore mode_1": "one_system; judge_mode_1, judge_mode_2; mode_2; 0; - x 24"},
    ),
    "two columns of people": (
        {"s.csv": labelled("id,gold,human,gpt4", counter(), words(0, 1), words(0, 1), words(0, 1))},
        {"--col human=gold": "one_system; gpt4; people; 0; - x 24", "--col human=human": "one_system; gpt4; people; 0; - x 24"},
    ),
    "columns that may be systems or judges": (
        {"s.csv": table([["item", "alpha", "beta", "gamma"], *([i, number(), number(), number()] for i in range(9))])},
        {"--across systems": "ranking; s; ; 0; 3 x 9", "--across raters": "one_system; ; people; 3; - x 9", "--across judges": "one_system; alpha, beta, gamma; ; 0; - x 9"},
    ),
    "people by name beside a judge": (
        {"s.csv": labelled("Question,Alice,Bob,GPT-4 judge", lambda s: f"{text()} {s['i']}", *[words("Good", "Bad")] * 3)},
        {"--rater Alice Bob": "one_system; GPT-4 judge; people; 2; - x 24", "--people Alice --col judge=Bob": "one_system; Bob, GPT-4 judge; Alice; 0; - x 24", "--people Bob --col judge=Alice": "one_system; Alice, GPT-4 judge; Bob; 0; - x 24"},
    ),
    "people by name beside a judge, in numbers": (
        {"s.csv": labelled("item,Alice,Bob,gpt-4", item, grade, grade, grade)},
        {"--across systems": "ranking; s; ; 0; 3 x 24", "--rater Alice Bob": "one_system; gpt-4; people; 2; - x 24", "--across judges": "one_system; Alice, Bob, gpt-4; ; 0; - x 24"},
    ),
    "a flag of people beside marks of nobody": (
        {"s.csv": labelled("conv_id,user_input,human_annotation,toxicity,jailbreaking", item, lambda _: text(), words(True, False), words(0, 1), words(0, 1))},
        {
            "--col human=toxicity --col human=jailbreaking --ignore human_annotation": "one_system; ; jailbreaking, toxicity; 0; - x 24; parts jailbreaking, toxicity",
            "--col human=toxicity --ignore human_annotation --ignore jailbreaking": "one_system; ; people; 0; - x 24",
            "--col human=human_annotation --col judge=toxicity --col judge=jailbreaking": "one_system; jailbreaking, toxicity; people; 0; - x 24",
        },
    ),
    "columns without names of three raters": (
        {"s.txt": table([[f"i{k // 2}.jpg", f"c{k}#{k % 2}", *sorted(number(1, 4) for _ in range(3))] for k in range(24)])},
        {
            "--col item=c1 --col item=c2 --rater c3 c4 c5": "one_system; ; people; 3; - x 24",
            "--col item=c1 --col item=c2 --col human=c3 --col judge=c4 --col judge=c5": "one_system; c4, c5; people; 0; - x 24",
            "--col item=c1 --col item=c2 --col human=c4 --col judge=c3 --col judge=c5": "one_system; c3, c5; people; 0; - x 24",
        },
    ),
    "a leaderboard with a rating by votes": (
        {"s.csv": table([["Model", "Arena Elo rating", "MMLU", "License"], *([f"m{k}", 900 + 3 * k, 10 + k * k, "MIT"] for k in range(12))])},
        {
            "--people 'Arena Elo rating'": "systems_only; MMLU; Arena Elo rating; 0; 12",
        },
    ),
    "a leaderboard with several votes": (
        {"s.csv": table([["model", "wb_elo", "arena_hard", "lmsys_elo"], *([f"m{k}", 900 + 3 * k, 10 + k * k, 1000 + 7 * k] for k in range(12))])},
        {
            "--col human=wb_elo --col human=lmsys_elo": "systems_only; arena_hard; lmsys_elo, wb_elo; 0; 12; parts lmsys_elo, wb_elo",
            "--people wb_elo --ignore lmsys_elo": "systems_only; arena_hard; wb_elo; 0; 12",
            "--people lmsys_elo --ignore wb_elo": "systems_only; arena_hard; lmsys_elo; 0; 12",
        },
    ),
    "marks of hallucination beside a detector": (
        {"s.jsonl": "".join(json.dumps({"id": k, "quality": "good", "hallucinated": k % 2, "detector_pred": k % 3 % 2, "detector_score": k / 24}) + "\n" for k in range(24))},
        {
            "--people hallucinated": "one_system; detector_pred, detector_score; hallucinated; 0; - x 24",
        },
    ),
    "columns without names": (
        {"s.txt": table([[s, f"{s}-{i}.wav", number(), 0, f"L{w}"] for s in SYSTEMS for i in ITEMS[:4] for w in range(5)])},
        {
            "--col system=c1 --col rater=c5 --col item=c2 --col human=c3": "one_system; ; people; 5; - x 16",
            "--col system=c1 --col judge=c5 --col item=c2 --col score=c3": "one_system; L0, L1, L2, L3, L4; ; 0; - x 16",
        },
    ),
    "words of no list": (
        {"s.csv": labelled("id,annotation,llm_verdict", counter(), words("toxic", "benign"), words("toxic", "benign"))},
        {f"--pass {word}": "one_system; llm_verdict; people; 0; - x 24" for word in ("benign", "toxic")},
    ),
}  # fmt: skip

OPTIONS = {"--people": "people", "--ignore": "ignore", "--pass": "passes", "--missing": "missing"}


def keywords(line):
    """Options as a user pastes them, as keyword arguments."""
    how = {}
    given = iter(shlex.split(line))
    last = ""
    for word in given:
        option = word if word.startswith("--") else last
        if option == "--rater":
            how.setdefault("raters", []).extend([word] if word != option else [])
            last = option
            continue
        last = ""
        if option == "--col":
            role, _, name = next(given).partition("=")
            how.setdefault("columns", {}).setdefault(role, []).append(name)
        elif option in OPTIONS:
            how.setdefault(OPTIONS[option], []).append(next(given))
        elif option in ("--mean", "--pool"):
            how[option[2:]] = True
        else:
            how[option[2:]] = next(given)
    return how


def summary(data, by=""):
    """What `READ` says of each layout."""
    n_items = len(data.names("document"))
    sizes = "" if data.pairs else f"{len(data.names('system')) or '-'}"
    sizes += f" x {n_items}" if n_items and sizes else f"{n_items or ''}"
    cells = [
        kind_of(data),
        ", ".join(data.names("name", person=False)),
        ", ".join(data.names("name", person=True)),
        f"{len(data.names('rater'))}",
        sizes,
    ]
    labels = [part.label for part in parts_of(data, Options(by=by))] if not by else []
    return "; ".join(cells) + (f"; parts {', '.join(labels)}" if any(labels) else "")


def written(folder, files):
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf8")
    return [folder / name for name in files]


@pytest.mark.parametrize("name", READ)
def test_a_layout_is_read_at_once_and_by_the_roles_in_options_the_same(name, tmp_path):
    files, expected = READ[name]
    paths = written(tmp_path, files)
    data = tidy(paths)
    assert (summary(data), data.readings) == (expected, {})
    again = tidy(paths, **keywords(data.format_options()))
    assert summary(again).partition("; parts")[0] == expected.partition("; parts")[0]
    assert again.frame.get_column("value").sum() == pytest.approx(data.frame.get_column("value").sum())


@pytest.mark.parametrize("name", ASKED)
def test_a_layout_that_is_ambiguous_names_options_that_work(name, tmp_path):
    files, answers = ASKED[name]
    paths = written(tmp_path, files)
    try:
        data = tidy(paths)
        readings = data.readings or data.side_options
    except OpenQuestion as question:
        readings = question.readings
    assert {*readings} == {*answers}
    for line, expected in answers.items():
        how = keywords(line)
        data = tidy(paths, **how)
        assert data.readings == {}
        assert summary(data, how.get("by", "")) == expected


LIKE_PEOPLES = {  # heading and cells, options, and the columns that may be of the same people
    "the same words": ("id,prompt_harm_label,response_harm_label", ("harmful", "unharmful"), "--people prompt_harm_label", "response_harm_label"),
    "the same last word": ("id,Quality TrueSkill,Naturalness TrueSkill", (0.25, 0.5, 0.75), "--people 'Quality TrueSkill'", "Naturalness TrueSkill"),
    "numbers behind one letter": ("id,M1,M2,M3", (0.25, 0.5, 0.75), "--people M1", "M2,M3"),
    "criteria": ("id,helpfulness,correctness,verbosity", (1, 2, 3), "--people helpfulness", "correctness,verbosity"),
    "criteria, and repeated judgments": ("id,helpfulness,correctness,bleu", (1, 2, 3), "--people helpfulness --mean", "correctness"),
    "marks of one kind": ("id,toxicity,jailbreaking", (0, 1), "--people toxicity", "jailbreaking"),
    "one of several raters left": ("id,S,H,S3", (0, 1), "--rater S H", "S3"),
    "a weak name of people": ("id,rating,harshness", (1, 2, 3), "", "harshness"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIKE_PEOPLES)
def test_what_is_like_people_s_is_a_judge_s_only_where_it_is_said(name, tmp_path):
    head, cells, line, expected = LIKE_PEOPLES[name]
    names = head.split(",")
    lines = [[i, *(cells[i * (k + 2) // 3 % len(cells)] for k in range(len(names) - 1))] for i in range(18)]
    (path,) = written(tmp_path, {"s.csv": table([names, *lines])})
    alike = expected.split(",")
    role = "rater" if "--rater" in line else "human"
    ways = {
        way: " ".join(f"{way}{shlex.quote(one)}" for one in alike)
        for way in (f"--col {role}=", "--col judge=", "--ignore ")
    }
    assert {*tidy(path, **keywords(line)).readings} == {*ways.values()}
    for way, option in ways.items():
        data = tidy(path, **keywords(f"{line} {option}"))
        judges = [] if way != "--col judge=" else alike
        assert data.readings == {}
        assert [one for one in data.names("name", person=False) if one != "bleu"] == sorted(judges)


def test_one_file_keeps_its_columns_where_an_option_names_another_s(tmp_path):
    files = {
        "m.csv": rows("system,document,chrf", "system", "item", share),
        "p.csv": rows("SYS,KEY,HUMAN", "system", "item", grade),
    }
    paths = written(tmp_path, files)
    for how in ({}, {"columns": {"item": "KEY"}}, {"columns": {"document": ["KEY", "document"]}}):
        assert summary(tidy(paths, **how)) == "ranking; chrf; people; 0; 4 x 6"
    with pytest.raises(UnknownNameError, match="column, given for item"):
        tidy(paths, columns={"item": "NO"})


def test_values_of_layouts_are_those_of_the_cells(tmp_path):
    """Each value as counted by hand from the rows in `READ` and `ASKED`."""

    def values(name, person, **how):
        files, _ = (READ | ASKED)[name]
        frame = tidy(written(tmp_path, files), **how).frame.sort("document", "rater")
        return frame.filter(frame.get_column("person") == person).get_column("value").to_list()

    labels = [k % 2 for k in range(24)]
    for person in (False, True):  # hallucinated fails, though its score is 1
        scores_by_name = dict(zip((f"q{i}" for i in range(24)), labels, strict=True))
        expected = [scores_by_name[i] for i in sorted(scores_by_name, key=lambda i: int(i[1:]))]
        assert values("a label and a score of one evaluation, beside an annotation", person) == expected
    assert values("raters in a list beside their label", False) == [k / 10 for k in range(6)]
    stated = [one for k in range(6) for one in (k % 2, k % 2, 1, 0)]  # together, and by each of three
    assert values("raters in a list beside their label", True) == stated
    runs = values("runs of a judge in a list beside one score of people", False)
    assert sorted(runs) == sorted([k % 3 for k in range(24)] + [k + 2 for k in range(24)])
    assert values("a mean and its error in one cell", True) == [70.5 - 3 * k for k in range(12)]
    letters = values("A, B, and C for a tie of two named models", True)
    assert sorted(letters) == [0] * 8 + [0.5] * 8 + [1] * 8
    stated = values("a mean and a majority beside raters in a list", True)  # 2 or 3, the mean of 1, 1, 4 or 7
    assert sorted(stated) == sorted(
        [1] * 48 + [2 + k % 2 for k in range(24)] + [4 + 3 * (k % 2) for k in range(24)]
    )
    assert values("statistics by name in lists", False) == [one for k in range(6) for one in (k % 2, k / 10)]
    # the place 0 is the first output's
    assert values("two outputs in a list, and the place of the better", True) == [1 - k % 2 for k in range(6)]
    assert values("0, 1 and 2 of two outputs", True, tie="0") == [(0.5, 1, 0)[k % 3] for k in range(24)]
    assert values("0, 1 and 2 of two outputs", True, tie="2") == [(1, 0, 0.5)[k % 3] for k in range(24)]


def test_people_choose_what_is_chosen_and_a_judge_what_it_scores_higher(tmp_path):
    head = "id,chosen,rejected,score_chosen,score_rejected\n"
    cells = [(3, 1), (1, 3), (2, 2), (5, 4)]
    text = head + "".join(f"q{k},a b c,d e f,{a},{b}\n" for k, (a, b) in enumerate(cells))
    frame = tidy(written(tmp_path, {"s.csv": text})).frame.sort("document")
    people = frame.filter(frame.get_column("person")).get_column("value").to_list()
    judge = frame.filter(~frame.get_column("person")).get_column("value").to_list()
    assert people == [1, 0, 1, 0]  # the rejected stands first in every second row
    assert judge == [1, 1, 0.5, 0]  # right, wrong, a tie, right


def test_systems_that_share_no_item_are_ranked_when_asked(tmp_path):
    files, _ = READ["systems that share no item"]
    paths = written(tmp_path, files)
    data = tidy(paths)
    assert any(note.startswith("None of 24 items have several of the 4 systems") for note in data.notes)
    assert kind_of(tidy(paths, pool=True)) == "ranking"
    assert kind_of(tidy(paths, by="model_name")) == "one_system"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,judge,score\n1,gpt,2\n1,,3\n2,gpt,1\n", "line 3, column 'judge': the name of the judge is empty; .* people"),
        ("id,human,gpt\n1,yes,no\n2,no,no\n3,yes,perhaps\n4,no,yes\n5,no,yes\n", "got 'perhaps'; .*--missing perhaps"),
    ],
)  # fmt: skip
def test_no_cell_is_taken_for_another_in_silence(tmp_path, text, message):
    paths = written(tmp_path, {"s.csv": text})
    with pytest.raises(DataError, match=message):
        tidy(paths)
    if "perhaps" in text:  # beside a word that fails another is unknown, also where one is said to pass
        with pytest.raises(DataError, match=message):
            tidy(paths, passes=["yes"])
        frame = tidy(paths, missing=["perhaps"]).frame
        assert frame.filter(~frame.get_column("person")).get_column("value").to_list() == [0, 0, 1, 1]


def test_the_sides_of_two_outputs_are_their_models(tmp_path):
    files, _ = READ["two scores of two outputs in a list"]
    data = tidy(written(tmp_path, files))
    assert (data.names("first"), data.names("second")) == (["m1"], ["m2"])


def test_judges_of_what_is_bad_are_turned_where_people_say_what_is_good(tmp_path):
    lines = [
        ["id", "human_label", "guard_flagged"],
        *([i, ("safe", "unsafe")[i % 3 == 0], i % 3 == 0] for i in range(12)),
    ]
    (path,) = written(tmp_path, {"s.csv": table(lines)})
    data = tidy(path)
    assert data.turned == ("guard_flagged",)
    values = {
        name: data.frame.filter(name=name).sort("document").get_column("value")
        for name in ("people", "guard_flagged")
    }
    assert values["guard_flagged"].equals(values["people"] - 1)
    assert tidy(path, higher_is_better=["guard_flagged"]).turned == ()


@pytest.mark.parametrize(
    ("name", "is_turned"),
    [
        ("judge_no_hallucination", False),
        ("judge_not_toxic", False),
        ("without_hallucination", False),
        ("hallucination_free", False),
        ("judge_hallucination", True),
    ],
)
def test_a_judge_of_what_is_bad_is_not_turned_where_its_name_denies_it(name, is_turned, tmp_path):
    lines = [["id", "human_faithful", name], *([i, i % 2, (i % 3) // 2] for i in range(12))]
    data = tidy(written(tmp_path, {"s.csv": table(lines)}))
    assert data.turned == ((name,) if is_turned else ())
    (values,) = scores_by_name(data, person=False).values()
    assert values == [(-1 if is_turned else 1) * ((i % 3) // 2) for i in range(12)]


@pytest.mark.parametrize("words", [{0: 0, 1: 1}, {0: "pass", 1: "fail"}])
@pytest.mark.parametrize(("people", "n_items"), [((0, 1, 0, 1), 4), ((0, 0, 1, 1), 8), ((1, 1, 0, 0), 8)])
def test_places_in_runs_are_items_only_where_people_s_scores_do_not_sort_them(
    people, n_items, words, tmp_path
):
    lines = [["run", "human", "judge"]]
    lines += [[run, words[one], words[(run + k) % 2]] for run in (1, 2) for k, one in enumerate(people)]
    data = tidy(written(tmp_path, {"s.csv": table(lines)}))
    assert len(data.names("document") or range(data.frame.filter(person=False).height)) == n_items


def test_probabilities_of_three_outcomes_choose_the_likeliest(tmp_path):
    head = "winner_model_a,winner_model_b,winner_tie"
    votes = f"id,model_a,model_b,{head}\n1,x,y,1,0,0\n2,y,x,0,1,0\n3,x,y,0,0,1\n"
    shares = f"id,{head}\n1,0.5,0.3,0.2\n2,0.6,0.1,0.3\n3,0.2,0.3,0.5\n"
    data = tidy(written(tmp_path, {"train.csv": votes, "submission.csv": shares}))
    values = {
        name: data.frame.filter(name=name).sort("document").get_column("value").to_list()
        for name in ("people", "submission")
    }
    assert values == {"people": [1, 0, 0.5], "submission": [1, 1, 0.5]}


def scores_by_name(data, *, person, column="name"):
    """Values of each judge, or of people, in the order of systems and documents."""
    keys = [key for key in ("system", "document", "first", "rater") if key in data.frame.columns]
    frame = data.frame.filter(data.frame.get_column("person") == person).sort(keys)
    return {name: frame.filter(frame.get_column(column) == name).get_column("value").to_list() for name in frame.get_column(column).unique().cast(str)}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "sign"),
    [("FID ↓", -1), ("fid", -1), ("HPSv2 ↓", -1), ("eval/loss", -1), ("HPSv2 ↑", 1), ("neg_loss", 1)],
)
def test_a_judge_of_which_lower_is_better_is_turned_by_its_name(name, sign, tmp_path):
    lines = [["Model", "Human preference (%)", name], *([f"m{k}", 9 - k, k + 0.5] for k in range(9))]
    data = tidy(written(tmp_path, {"s.csv": table(lines)}))
    assert scores_by_name(data, person=False)[name] == [sign * (k + 0.5) for k in range(9)]
    assert data.turned == ((name,) if sign < 0 else ())


def test_a_judge_s_word_in_its_file_is_no_person_beside_people_s_score(tmp_path):
    """Six answers: people's score is 0 1 0 1 0 1, the judge's 0 1 1 1 0 1, which `judgment` says in words."""
    people = [{"question_id": k, "model_id": "m", "human_score": k % 2} for k in range(6)]
    judge = [{"question_id": k, "model": "m", "judgment": str(max(k % 2, int(k == 2))), "score": max(k % 2, int(k == 2))} for k in range(6)]  # fmt: skip
    files = {"human.jsonl": people, "ft-mistral.jsonl": judge}
    data = tidy(written(tmp_path, {name: "".join(json.dumps(one) + "\n" for one in rows) for name, rows in files.items()}))  # fmt: skip
    assert scores_by_name(data, person=True) == {"people": [0, 1, 0, 1, 0, 1]}
    assert data.names("rater") == []
    judges = scores_by_name(data, person=False)
    assert judges == {name: [0, 1, 1, 1, 0, 1] for name in ("ft-mistral", "ft-mistral_judgment")}


def test_a_file_without_scores_beside_one_with_scores_is_not_used_and_said(tmp_path):
    scores = table([["id", "human", "gpt4"], *([k, k % 3, k % 2] for k in range(6))])
    texts = table([["id", "question"], *([k, f"{text()} {k}"] for k in range(6))])
    data = tidy(written(tmp_path, {"scores.csv": scores, "texts.csv": texts}))
    assert scores_by_name(data, person=True) == {"people": [0, 1, 2, 0, 1, 2]}
    assert any("texts.csv: no scores in it; not used." in note for note in data.notes)


def test_scores_of_chosen_and_rejected_are_choices_without_their_texts(tmp_path):
    """As RewardBench has them, columns as lists: the judge is right twice, wrong once, and undecided once."""
    record = {"model": "rm", "id": [1, 2, 3, 4], "subset": ["easy", "hard"] * 2, "results": [1, 0, 0.5, 1]}
    record |= {"scores_chosen": [2.0, 1.5, 0.5, 3.0], "scores_rejected": [1.0, 2.5, 0.5, -1.0]}
    data = tidy(written(tmp_path, {"rm.json": json.dumps(record)}))
    people, (judge,) = (
        scores_by_name(data, person=True)["people"],
        scores_by_name(data, person=False).values(),
    )
    agrees = [
        0.5 if score == 0.5 else float(score == choice) for choice, score in zip(people, judge, strict=True)
    ]
    assert sorted(agrees) == [0, 0.5, 1, 1]
    del record["scores_chosen"], record["scores_rejected"]
    texts = {side: [f"{text(12)} {side} {i}" for i in range(4)] for side in ("chosen", "rejected")}
    data = tidy(written(tmp_path, {"rm.json": json.dumps(record | texts)}))
    people, (judge,) = (
        scores_by_name(data, person=True)["people"],
        scores_by_name(data, person=False).values(),
    )
    agrees = [
        0.5 if score == 0.5 else float(score == choice) for choice, score in zip(people, judge, strict=True)
    ]
    assert agrees == [1, 0, 0.5, 1]


def marked(tmp_path, **columns):
    """Judges of four pairs of texts, the chosen and the rejected, and how often each is right by its marks."""
    lines = [["prompt", "chosen", "rejected", *columns]]
    lines += [[f"{i} {text()}", f"{text(12)} {i}", f"{text(12)} {i}", *marks] for i, marks in enumerate(zip(*columns.values(), strict=True))]  # fmt: skip
    data = tidy(written(tmp_path, {"s.csv": table(lines)}))
    people, judges = scores_by_name(data, person=True)["people"], scores_by_name(data, person=False)
    agrees = {name: [float(one == other) for one, other in zip(values, people, strict=True)] for name, values in judges.items()}  # fmt: skip
    return agrees, " ".join(data.notes)


def test_each_of_several_marks_beside_chosen_and_rejected_is_a_judge(tmp_path):
    agrees, notes = marked(tmp_path, gpt4=[1, 0, 1, 1], claude=[0, 0, 1, 0])
    assert agrees == {"gpt4 (agrees)": [1, 0, 1, 1], "claude (agrees)": [0, 0, 1, 0]}
    assert "not used: 'claude'" not in notes


def test_a_number_beside_chosen_and_rejected_is_a_judge_s_by_its_name_or_as_the_user_says(tmp_path):
    agrees, notes = marked(tmp_path, multi_turn=[1, 1, 0, 0], gpt4_correct=[1, 0, 1, 1])
    assert agrees == {"gpt4_correct (agrees)": [1, 0, 1, 1]}
    assert "not used: 'multi_turn' (nothing says that a judge chose as people did)" in notes
    data = tidy(tmp_path / "s.csv", columns={"judge": ["multi_turn"]}, ignore=["gpt4_correct"])
    people, (judge,) = (
        scores_by_name(data, person=True)["people"],
        scores_by_name(data, person=False).values(),
    )
    assert [one == other for one, other in zip(people, judge, strict=True)] == [True, True, False, False]


def test_a_column_called_judge_that_names_one_of_two_systems_in_each_row_is_its_choice(tmp_path):
    pairs = [("x", "y", "x"), ("y", "x", "x"), ("x", "z", "x"), ("z", "y", "z"), ("y", "z", "z"), ("z", "x", "z")]  # fmt: skip
    lines = [["id", "winner", "loser", "judge"], *([f"p{k}", *names] for k, names in enumerate(pairs))]
    data = tidy(written(tmp_path, {"s.csv": table(lines)}))
    values = {
        name: data.frame.filter(name=name).sort("document").get_column("value").to_list()
        for name in ("people", "judge")
    }
    assert values["people"] == [1, 0] * 3  # the loser stands first in every second row
    agrees = [one == other for one, other in zip(values["judge"], values["people"], strict=True)]
    assert agrees == [True, False, True, True, False, True]


def test_summeval_s_reference_sets_are_metrics_apart_and_experts_no_turkers(tmp_path):
    def record(system, item):
        grades = [{"coherence": item + k} for k in (1, 2, 3)]
        metrics = {
            f"metric_scores_{n}": {"rouge": {"rouge_1_f_score": n / 20 + item / 100}} for n in (1, 6, 11)
        }
        crowd = [{"coherence": 1}] * 5
        return {"id": f"d{item}", "model_id": system, "expert_annotations": grades, "turker_annotations": crowd, **metrics}  # fmt: skip

    lines = "".join(json.dumps(record(s, i)) + "\n" for s in ("M1", "M2") for i in (0, 1))
    data = tidy(written(tmp_path, {"model_annotations.aligned.scored.jsonl": lines}))
    metrics = scores_by_name(data, person=False)
    assert metrics["rouge_1_f_score (1 reference)"] == pytest.approx([0.05, 0.06] * 2)
    assert metrics["rouge_1_f_score (6 references)"] == pytest.approx([0.3, 0.31] * 2)
    assert metrics["rouge_1_f_score"] == pytest.approx([0.55, 0.56] * 2)
    people = scores_by_name(data, person=True)
    assert people == {"coherence": [1, 2, 3, 2, 3, 4] * 2, "crowd coherence": [1] * 20}
    assert [part.label for part in parts_of(data, Options())] == ["coherence", "crowd coherence"]


def test_systems_as_keys_within_items_as_keys_have_several_raters(tmp_path):
    """As OpenMEVA's MANS has them: of two stories three systems' texts, each with the grades of five people."""
    record = {str(i): {"prompt": f"{text()} {i}", "gen": {s: {"text": text(), "score": [i + 1, k + 1, 2, 3, 4]} for k, s in enumerate(SYSTEMS[:3])}} for i in range(2)}  # fmt: skip
    paths = written(tmp_path, {"mans.json": json.dumps(record)})
    assert all(option.startswith("--people score") for option in tidy(paths).side_options)
    data = tidy(paths, people=["score"], columns={"rater": "segment"})
    assert (len(data.names("system")), len(data.names("document")), len(data.names("rater"))) == (3, 2, 5)
    assert data.names("name", person=False) == []
    assert scores_by_name(data, person=True)["score"] == [
        g for k in range(3) for i in range(2) for g in (i + 1, k + 1, 2, 3, 4)
    ]


def test_codes_are_left_out_kept_or_asked_about(tmp_path):
    """99 and -1 beside grades are left out, unless they are said to be none; -1 beside 0 and 1 is asked."""
    grades = table([["id", "human", "gpt4"], *([k, (1, 2, 3, 99)[k % 4], (1, 2, 3, 4, -1, 5)[k % 6]] for k in range(12))])  # fmt: skip
    (path,) = written(tmp_path, {"grades.csv": grades})
    left, kept = tidy(path), tidy(path, missing=["none"])
    assert len(scores_by_name(left, person=True)["people"]) == 9
    assert len(scores_by_name(left, person=False)["gpt4"]) == 10
    assert sum("--missing none keeps it" in note for note in left.notes) == 2
    assert scores_by_name(kept, person=True)["people"].count(99) == 3
    assert scores_by_name(kept, person=False)["gpt4"].count(-1) == 2
    marks = table([["id", "human", "gpt4"], *([k, (1, 0, -1)[k % 3], k / 12] for k in range(12))])
    (path,) = written(tmp_path, {"marks.csv": marks})
    assert {*tidy(path).readings} == {"--missing -1", "--missing none"}
    assert scores_by_name(tidy(path, missing=["-1"]), person=True)["people"].count(0) == 4
    assert len(scores_by_name(tidy(path, missing=["-1"]), person=True)["people"]) == 8
    assert scores_by_name(tidy(path, missing=["none"]), person=True)["people"].count(-1) == 4


@pytest.mark.parametrize(
    ("grades", "n_gone"),
    [
        ([-1, 1, 2, 3], 0),  # a scale without 0
        ([-1, 2, 3, 4, 5], 0),
        ([-1, 1, 2, 3, 4], 1),
        ([-1, -1, 1, 2, 3, 4, 1, 2], 2),
        ([-1, -1, 1, 2, 3, 4, 1], 0),  # more than one in four
    ],
)
def test_below_0_is_a_code_only_beside_four_grades_from_1_on(grades, n_gone, tmp_path):
    lines = [["id", "human", "gpt4"], *([k, 1 + k % 4, grade] for k, grade in enumerate(grades))]
    data = tidy(written(tmp_path, {"s.csv": table(lines)}))
    assert scores_by_name(data, person=False)["gpt4"] == (grades[n_gone:] if n_gone else grades)
    assert sum("the only value below 0" in note for note in data.notes) == 1


def test_a_word_for_no_score_leaves_codes_as_they_are_told(tmp_path):
    grades = (-1, 1, 2, 3, 4, 5, "skip", 5)
    lines = [["id", "human", "gpt4"], *([k, 1 + k % 4, grade] for k, grade in enumerate(grades))]
    (path,) = written(tmp_path, {"s.csv": table(lines)})
    for missing, kept, is_told in (
        (["skip"], [1, 2, 3, 4, 5, 5], True),
        (["skip", "none"], [-1, 1, 2, 3, 4, 5, 5], False),
        (["skip", "-1"], [1, 2, 3, 4, 5, 5], False),
    ):
        data = tidy(path, missing=missing)
        assert scores_by_name(data, person=False)["gpt4"] == kept
        assert any("is no grade and left out" in note for note in data.notes) == is_told


def test_large_numbers_called_id_are_items_and_labels_by_name_are_criteria(tmp_path):
    lines = [["bbcid", "system", "summary", "is_factual", "worker_id"]]
    lines += [[30_000_000 + i, s, f"{text()} {s} {i}", ("yes", "no")[(i + w) % 2], f"w{w}"] for i in range(3) for s in SYSTEMS for w in (0, 1)]  # fmt: skip
    data = tidy(written(tmp_path, {"x.csv": table(lines)}))
    assert (data.names("document"), data.names("name", person=False)) == (
        [f"{30_000_000 + i}" for i in range(3)],
        [],
    )
    records = [{"message_id": f"m{i}", "toxicity": i / 9, "labels": {"name": ["spam", "quality"], "value": [0.1 * i, 0.5], "count": [3, 3]}} for i in range(6)]  # fmt: skip
    data = tidy(written(tmp_path, {"y.jsonl": "".join(json.dumps(one) + "\n" for one in records)}))
    people = scores_by_name(data, person=True)
    assert people == {"spam": pytest.approx([0.1 * i for i in range(6)]), "quality": [0.5] * 6}


def test_a_dot_is_a_mark_for_no_score_and_no_number(tmp_path):
    lines = [["id", "human", "gpt4"], *([k, 1 + k % 4, "." if k == 3 else k] for k in range(9))]
    data = tidy(written(tmp_path, {"s.csv": table(lines)}), missing=["."])
    assert scores_by_name(data, person=False)["gpt4"] == [k for k in range(9) if k != 3]
