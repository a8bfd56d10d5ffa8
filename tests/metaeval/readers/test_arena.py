"""Votes on answers of language models, in the forms of two releases; what is wrong in one is named."""

import json

import numpy as np

from metaeval.datasets.readers import arena

NAN = float("nan")


def votes(*winners, **other):
    systems = [("A", "B"), ("C", "A"), ("B", "C")]
    return [
        {"num": 2 * k, "model_a": a, "model_b": b, "winner": winner, "question_id": f"q{k // 2}"} | other
        for k, ((a, b), winner) in enumerate(zip(systems, winners, strict=False))
    ]


def test_votes(write_jsonl, about):
    paths = {
        "people": write_jsonl("human.json", votes("model_a", "tie (bothbad)", "tie")),
        "j": write_jsonl("j.json", votes("model_b", "model_a", "tie")),
    }
    pairs = arena.read_votes(paths, about)
    np.testing.assert_array_equal(pairs.people, [[1, 0.5, 0.5]])
    np.testing.assert_array_equal(pairs.judges, [[[0, 1, 0.5], [NAN] * 3]])
    assert pairs.items["set"].eq(arena.BOTH_BAD).tolist() == [False, True, False]
    assert pairs.items["document"].tolist() == ["q0", "q0", "q1"]
    assert pairs.items[["first", "second"]].to_numpy().tolist() == [["A", "B"], ["C", "A"], ["B", "C"]]


def pairing(tmp_path, name, *picks, people="model_a"):
    rows = [
        {
            "id": f"{name[0]}{k}",
            "model_a": "C",
            "model_b": name[0],
            "human_winner": people,
            "judge_pick": pick,
        }
        for k, pick in enumerate(picks)
    ]
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(rows))
    return path


def test_pairings(tmp_path, about):
    paths = {
        "G one": pairing(tmp_path, "G1", "A", None), "G two": pairing(tmp_path, "G2", "B", "B"),
        "Q one": pairing(tmp_path, "Q1", "B"), "Q two": pairing(tmp_path, "Q2", "A"),
    }  # fmt: skip
    pairs = arena.read_pairings(paths, about)
    assert pairs.items["set"].tolist() == ["G", "G", "Q"]
    np.testing.assert_array_equal(pairs.people, [[1, 1, 1]])
    np.testing.assert_array_equal(pairs.judges.sel(order="as listed"), [[1, NAN, 0], [0, 0, 1]])
