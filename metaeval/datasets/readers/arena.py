"""readers.arena: votes on answers of language models by people and by judges.

Chatzi et al. 2024; Chen et al. 2026.

``data/VOTER.json`` of prediction-powered-ranking: a vote a line on the same pairs by people and three judges.
``data/judge_results/PAIRING_JUDGE.json`` of debias-llm-as-a-judge: people's votes between two models, and a
judge's.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path

from metaeval.datasets.readers.tables import Release, read_json, read_json_lines
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs, assemble_pairs

PEOPLE, BOTH_BAD = "people", "both bad"
_BAD = "tie (bothbad)"
_CHOICES = {"model_a": FIRST, "model_b": SECOND, "tie": TIE, _BAD: TIE, "A": FIRST, "B": SECOND, None: nan}
_ORDER = "Judges voted in one order only."


def read_votes(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``llm-votes``: votes on answers of 20 models; the set is `BOTH_BAD` where people call both bad."""
    votes = {voter: list(read_json_lines(path)) for voter, path in paths.items()}
    items = {
        f"{vote['num']}": {
            "set": BOTH_BAD if vote["winner"] == _BAD else "one answer or both good",
            **{"dimension": "", "document": vote["question_id"]},
            **{"first": vote["model_a"], "second": vote["model_b"]},
        }
        for vote in votes[PEOPLE]
    }
    choices = {(voter, f"{v['num']}"): _CHOICES[v["winner"]] for voter, own in votes.items() for v in own}
    note = "Ties of both good and of both bad answers are ties."
    return assemble_pairs(**about.noted(note, _ORDER), items=items, **votes_by_voter(choices))


def read_pairings(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``llm-pairings``: one model against each of three others, by people and by two judges."""
    items, choices = {}, {}
    for key, path in paths.items():
        pairing, _, judge = key.partition(" ")
        for vote in read_json(path):
            pair, first, second = (vote[name] for name in ("id", "model_a", "model_b"))
            items[pair] = {
                "set": pairing,
                "dimension": "",
                "document": pair,
                "first": first,
                "second": second,
            }
            choices[PEOPLE, pair] = _CHOICES[vote["human_winner"]]
            choices[judge, pair] = _CHOICES[vote["judge_pick"]]
    note = "One model is in every pair."
    return assemble_pairs(**about.noted(note, _ORDER), items=items, **votes_by_voter(choices))


def votes_by_voter(choices: Mapping[tuple[str, str], float]) -> dict[str, dict]:
    """Arguments of `assemble_pairs` from the choices of people and judges."""
    return {
        "judges": {(who, ORDERS[0], pair): vote for (who, pair), vote in choices.items() if who != PEOPLE},
        "people": {cell: vote for cell, vote in choices.items() if cell[0] == PEOPLE},
    }
