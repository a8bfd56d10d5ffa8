"""readers.arena: votes on answers of language models by people and by judges.

Chatzi et al. 2024; Chen et al. 2026.

``data/VOTER.json`` of prediction-powered-ranking: a vote a line on the same pairs by people and three judges.
``data/judge_results/PAIRING_JUDGE.json`` of debias-llm-as-a-judge: people's votes between two models, and a
judge's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import nan
from pathlib import Path

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers.tables import entries, read_json, read_json_lines, require, text
from metaeval.tables.benchmark import Provenance
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs, assemble_pairs

VOTES, PAIRINGS = "Networks-Learning/prediction-powered-ranking", "yiqunchen/debias-llm-as-a-judge"
PEOPLE, BOTH_BAD = "people", "both bad"
JUDGES = ("gpt-4-0125-preview", "claude-3-opus-20240229", "gpt-3.5-turbo")
PAIRED_WITH = ("gemini-2.5-flash", "gemini-2.5-pro", "qwen3-235b-a22b-no-thinking")
PAIRING_JUDGES = ("gpt-5.2", "gpt-4o-mini")
_BAD = "tie (bothbad)"
_WINNER = {"model_a": FIRST, "model_b": SECOND, "tie": TIE, _BAD: TIE}
_PICK = {"A": FIRST, "B": SECOND, None: nan}


def _choice(vote: object, key: str, choices: Mapping, where: str) -> float:
    answer = require(vote, key, where)
    if answer not in choices:
        raise DataError(f"{where}: {key} must be one of {listing(choices)}, got {answer!r}")
    return choices[answer]


def read_votes(paths: Mapping[str, Path], provenance: Provenance) -> Pairs:
    """``llm-votes``: votes on answers of 20 models; the set is `BOTH_BAD` where people call both answers bad.

    Raises
    ------
    DataError
        If judges and people did not vote on the same pairs, or a winner is none.
    """
    items: dict[str, dict[str, str]] = {}
    votes = {}
    for voter, path in paths.items():
        own = {}
        for where, vote in read_json_lines(path):
            pair = f"{require(vote, 'num', where)}"
            document, first, second = (
                text(require(vote, key, where), where) for key in ("question_id", "model_a", "model_b")
            )
            own[pair] = {"dimension": "", "document": document, "first": first, "second": second}
            votes[voter, pair] = _choice(vote, "winner", _WINNER, where)
            if voter == PEOPLE:
                own[pair]["set"] = BOTH_BAD if vote["winner"] == _BAD else "one answer or both good"
        if voter == PEOPLE:
            items = own
        _require_alike(items, own, path.name)
    return _assemble(
        "llm-votes", items, votes, provenance, "Ties of both good and of both bad answers are ties."
    )


def read_pairings(paths: Mapping[str, Path], provenance: Provenance) -> Pairs:
    """``llm-pairings``: one model against each of three others, by people and by two judges.

    Raises
    ------
    DataError
        As `read_votes`; also if people's votes differ between the files of two judges.
    """
    items: dict[str, dict[str, str]] = {}
    votes: dict[tuple[str, str], float] = {}
    for key, path in paths.items():
        pairing, _, judge = key.partition(" ")
        own = {}
        for place, vote in enumerate(entries(read_json(path), path.name)):
            where = f"{path.name}, vote {place}"
            pair, first, second = (
                text(require(vote, name, where), where) for name in ("id", "model_a", "model_b")
            )
            own[pair] = {"set": pairing, "dimension": "", "document": pair, "first": first, "second": second}
            people = _choice(vote, "human_winner", _WINNER, where)
            if votes.setdefault((PEOPLE, pair), people) != people:
                raise DataError(f"{where}: people's vote differs from that beside another judge")
            votes[judge, pair] = _choice(vote, "judge_pick", _PICK, where)
        before = {pair: item for pair, item in items.items() if item["set"] == pairing}
        _require_alike(before or own, own, path.name)
        items |= own
    return _assemble("llm-pairings", items, votes, provenance, "One model is in every pair.")


def _require_alike(items: Mapping[str, Mapping], own: Mapping[str, Mapping], name: str) -> None:
    compared = ("document", "first", "second")
    odd = {*items} ^ {*own} or {
        pair for pair in own if any(own[pair][key] != items[pair][key] for key in compared)
    }
    if odd:
        raise DataError(f"{name}: must have the same pairs as the other files; not: {listing(odd)}")


def _assemble(
    name: str, items, votes: Mapping[tuple[str, str], float], provenance: Provenance, *notes: str
) -> Pairs:
    return assemble_pairs(
        name=name, title=PAIRS[name].title, items=items,
        judges={(voter, ORDERS[0], pair): vote for (voter, pair), vote in votes.items() if voter != PEOPLE},
        people={(PEOPLE, pair): vote for (voter, pair), vote in votes.items() if voter == PEOPLE},
        provenance=replace(provenance, notes=(*notes, "Judges voted in one order only.")),
    )  # fmt: skip


def _pairings(models: Iterable[str], judges: Iterable[str]) -> dict[str, Pin]:
    file = "data/judge_results/claude-opus-4-20250514_vs_{}_{}.json"
    return {
        f"{model} {judge}": Pin(PAIRINGS, file.format(model, judge)) for model in models for judge in judges
    }


PAIRS = {
    "llm-votes": Dataset(
        name="llm-votes",
        title="Votes on answers of 20 language models, by people and three judges",
        read=read_votes,
        needed={PEOPLE: Pin(VOTES, "data/human.json")}
        | {judge: Pin(VOTES, f"data/{judge}.json") for judge in JUDGES},
        citation=("chatzi2024prediction", "zheng2023judging"),
        judged_in=2024,
    ),
    "llm-pairings": Dataset(
        name="llm-pairings",
        title="One language model of 2025 against three others, by people and two judges",
        read=read_pairings,
        needed=_pairings(PAIRED_WITH, PAIRING_JUDGES),
        citation=("chen2026efficient",),
        judged_in=2025,
    ),
}
