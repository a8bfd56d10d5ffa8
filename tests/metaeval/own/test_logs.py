"""Files of other tools, made by hand after their documentation, are read as tables are."""

import json

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.reporting.reading import read

BLEU = {"A": (0.1, 0.2), "B": (0.3, 0.4), "refB": (0.5, 0.6)}
MQM = {"A": (-1, None), "B": (-2, -3), "refB": (0, -1)}


def wmt(folder, name, scores):
    path = folder / name
    path.write_text("".join(f"{system}\t{score}\n" for system, row in scores.items() for score in row))
    return path


def test_scores_of_wmt_are_matched_by_their_places(tmp_path):
    paths = [wmt(tmp_path, "BLEU-refA.seg.score", BLEU), wmt(tmp_path, "en-de.mqm.seg.score", MQM)]
    found = read(paths)
    made = found.benchmark
    assert (found.kind, made.metrics, made.judgments) == ("ranking", ["BLEU-refA"], ["mqm"])
    assert made.metric("BLEU-refA").to_numpy().tolist() == [list(row) for row in BLEU.values()]
    np.testing.assert_equal(made.human.to_numpy().tolist(), [[-1, np.nan], [-2, -3], [0, -1]])


def test_scores_of_wmt_may_be_of_systems(tmp_path):
    means = {system: (sum(row),) for system, row in BLEU.items()}
    paths = [wmt(tmp_path, "BLEU-refA.sys.score", means), wmt(tmp_path, "en-de.wmt-z.sys.score", means)]
    found = read(paths)
    assert (found.kind, found.benchmark.judgments) == ("systems_only", ["wmt-z"])


def inspect(folder, model, samples, **more):
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": model},
        "samples": samples,
        **more,
    }
    path = folder / f"{model.replace('/', '_')}.json"
    path.write_text(json.dumps(log, indent=2))
    return path


def sample(number, epoch, **scores):
    return {"id": number, "epoch": epoch, "input": "?", "target": "!", "scores": {k: {"value": v} for k, v in scores.items()}}  # fmt: skip


def test_logs_of_inspect_are_systems_scored_by_scorers(tmp_path):
    one = [
        sample(1, 1, match="C", fact={"a": 1, "b": True}),
        sample(1, 2, match="I"),
        sample(1, 3, match=np.nan),
        sample(2, 1, match="P"),
    ]
    paths = [
        inspect(tmp_path, "openai/x", one),
        inspect(tmp_path, "openai/y", [sample(1, 1, match="N"), sample(2, 1, match=0.25)]),
        inspect(tmp_path, "z", [sample(1, 1, match=None), sample(2, 1, match="C")]),
    ]
    (tmp_path / "people.csv").write_text("model,id,human\nopenai/x,1,1\nopenai/y,1,0\nz,2,1\n")
    made = read([*paths, tmp_path / "people.csv"]).benchmark
    assert made.systems == ["openai/x", "openai/y", "z"]
    assert made.metrics == ["fact/a", "fact/b", "match"]
    np.testing.assert_equal(made.metric("match").to_numpy().tolist(), [[0.5, 0.5], [0, 0.25], [np.nan, 1]])
    assert made.metric("fact/b").to_numpy()[0, 0] == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m-refA.seg.score", "A 1\nB\n", "m-refA.seg.score, line 2: must be a system and a score, got 1 words"),
        ("m-refA.seg.score", "A 1\nA 2\nB 1\n", "fewer scores than of the other systems: 'B'; "),
        ("m-refA.seg.score", "A 1\n\nA x\n", "m-refA.seg.score, line 3, column 'score': a score must be a finite number, got 'x'"),
        ("m-refA.domain.score", "news A 1\n", "scores by domain are not read"),
        ("m-refA.seg.score", "", "has no rows"),
        ("log.json", '{"version": 2, "status": "started", "eval": {}}', "a log of Inspect without a model or samples"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1}]}', "no sample of this log of Inspect has a score"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": {"value": "good"}}}]}', "log.json, sample 1, scorer 's': a score must be a number, C, I, P or N, got 'good'"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": [1]}]}', "log.json, sample 1: scores must be a mapping of scorers to mappings with a value"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": 1}}]}', "log.json, sample 1: scores must be a mapping of scorers to mappings with a value"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": {"value": "1_000"}}}]}', "must be a number, C, I, P or N, got '1_000'"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": {"value": [1]}}}]}', "must be a number, C, I, P or N, got [1]"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": {"value": 1, "value": 2}}}]}', "log.json: keys come twice in one mapping: 'value'"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"s": {"value": 1' + "0" * 400 + "}}}]}", "must be a number, C, I, P or N, got 1000"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": {"m": 1}}, "samples": []}', "a log of Inspect without a model or samples"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": 5}', "a log of Inspect without a model or samples"),
        ("log.json", '{"version": 2, "status": "success", "eval": {"model": "m"', "log.json: is not JSON"),
        ("log.json", '{"version": 2, "status": "success", "samples": ' + "[" * 100_000, "log.json: lists are nested too deeply"),
        ("log.eval", "PK\x03\x04", "is a log of Inspect; `inspect log dump log.eval` prints what is read"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_them_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError) as caught:
        read(tmp_path / name)
    assert message in str(caught.value)


def test_a_sample_of_inspect_without_an_id_is_named(tmp_path):
    nameless = {key: value for key, value in sample(1, 1, match="C").items() if key != "id"}
    path = inspect(tmp_path, "x", [sample(1, 1, match="C"), nameless])
    with pytest.raises(DataError, match=r"x\.json: sample 2 of this log of Inspect has no id"):
        read(path)
