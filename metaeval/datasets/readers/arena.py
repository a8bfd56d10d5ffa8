"""readers.arena: choices between answers of language models by people and by judges.

Chatzi et al. 2024; Chen et al. 2026; Zeng et al. 2024.

``data/VOTER.json`` of prediction-powered-ranking: a vote a line on the same pairs by people and three judges.
``data/judge_results/PAIRING_JUDGE.json`` of debias-llm-as-a-judge: people's votes between two models, and a
judge's.
``Dataset/SET/evaluators/JUDGE/Vanilla_NoRules/result.json`` of LLMBar: a list of pairs with the gold label, 1
or 2, of the answer that follows its instruction, and the judge's winner in either order; of the exchanged
order it is already mapped back to the given numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path

from metaeval.datasets.readers.tables import Release, read_json, read_json_lines
from metaeval.tables.pairs import (
    FIRST,
    ORDERS,
    PEOPLE,
    SECOND,
    TIE,
    Pairs,
    assemble_pairs,
    pair_item,
    votes_by_voter,
)

BOTH_BAD = "both bad"
_BAD = "tie (bothbad)"
_CHOICES = {"model_a": FIRST, "model_b": SECOND, "tie": TIE, _BAD: TIE, "A": FIRST, "B": SECOND, None: nan}
_ORDER = "Judges voted in one order only."


def read_votes(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``llm-votes``: votes on answers of 20 models; the set is `BOTH_BAD` where people call both bad."""
    votes = {voter: list(read_json_lines(path)) for voter, path in paths.items()}
    items = {
        f"{vote['num']}": pair_item(
            set=BOTH_BAD if vote["winner"] == _BAD else "one answer or both good",
            document=vote["question_id"],
            first=vote["model_a"],
            second=vote["model_b"],
        )
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
            items[pair] = pair_item(set=pairing, document=pair, first=first, second=second)
            choices[PEOPLE, pair] = _CHOICES[vote["human_winner"]]
            choices[judge, pair] = _CHOICES[vote["judge_pick"]]
    note = "One model is in every pair."
    return assemble_pairs(**about.noted(note, _ORDER), items=items, **votes_by_voter(choices))


_WINNER = {1: FIRST, 2: SECOND, "1": FIRST, "2": SECOND, None: nan}
_FIELDS = dict(zip(ORDERS, ("swap = False", "swap = True"), strict=True))


def read_llmbar(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``llmbar``: gold labels and the judges' winners; NaN where an answer could not be read."""
    items, judges, gold = {}, {}, {}
    for key, path in paths.items():
        set_name, _, judge = key.partition(" ")
        for place, entry in enumerate(read_json(path)):
            pair = f"{set_name}-{place}"
            items[pair] = pair_item(set=set_name, document=pair)
            gold["gold", pair] = _WINNER[entry["label"]]
            for order, name in _FIELDS.items():
                judges[judge, order, pair] = _WINNER[entry["results"][-1][name]["winner"]]
    note = "The adversarial sets were chosen with judges by ChatGPT, which are at a disadvantage."
    return assemble_pairs(**about.noted(note), items=items, judges=judges, people=gold)
