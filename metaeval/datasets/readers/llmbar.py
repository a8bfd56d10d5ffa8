"""readers.llmbar: choices of the answer that follows its instruction, in both orders (Zeng et al. 2024).

``Dataset/SET/evaluators/JUDGE/Vanilla_NoRules/result.json``: a list of pairs with the gold label, 1 or 2,
and the judge's winner in either order; of the exchanged order it is already mapped back to the given numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path

from metaeval.datasets.readers.tables import Release, read_json
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, Pairs, assemble_pairs

_WINNER = {1: FIRST, 2: SECOND, "1": FIRST, "2": SECOND, None: nan}
_FIELDS = dict(zip(ORDERS, ("swap = False", "swap = True"), strict=True))


def read_llmbar(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``llmbar``: gold labels and the judges' winners; NaN where an answer could not be read."""
    items, judges, gold = {}, {}, {}
    for key, path in paths.items():
        set_name, _, judge = key.partition(" ")
        for place, entry in enumerate(read_json(path)):
            pair = f"{set_name}-{place}"
            items[pair] = {"set": set_name, "dimension": "", "document": pair, "first": "", "second": ""}
            gold["gold", pair] = _WINNER[entry["label"]]
            for order, name in _FIELDS.items():
                judges[judge, order, pair] = _WINNER[entry["results"][-1][name]["winner"]]
    note = "The adversarial sets were chosen with judges by ChatGPT, which are at a disadvantage."
    return assemble_pairs(**about.noted(note), items=items, judges=judges, people=gold)
