"""readers.llmbar: choices of the answer that follows its instruction, in both orders (Zeng et al. 2024).

``Dataset/SET/evaluators/JUDGE/Vanilla_NoRules/result.json``: a list of pairs with the gold label, 1 or 2,
and the judge's winner in either order; of the exchanged order it is already mapped back to the given numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from math import nan
from pathlib import Path

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers.tables import entries, read_json, require
from metaeval.tables.benchmark import Provenance
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, Pairs, assemble_pairs

REPOSITORY = "princeton-nlp/LLMBar"
JUDGES = ("GPT-4", "ChatGPT", "ChatGPT-0301", "LLaMA2", "PaLM2", "Falcon")
SETS = {  # ours -> folder, judges whose answers are pinned
    "Natural": ("LLMBar/Natural", JUDGES),
    **{name: (f"LLMBar/Adversarial/{name}", JUDGES) for name in ("Neighbor", "GPTInst", "GPTOut", "Manual")},
    "MT-Bench": ("Processed/MT-Bench", ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2")),
}
_WINNER = {1: FIRST, 2: SECOND, "1": FIRST, "2": SECOND, None: nan}
_FIELDS = dict(zip(ORDERS, ("swap = False", "swap = True"), strict=True))


def read_llmbar(paths: Mapping[str, Path], provenance: Provenance) -> Pairs:
    """``llmbar``: gold labels and the judges' winners; NaN where an answer could not be read.

    Raises
    ------
    DataError
        If a winner is none of 1, 2 and nothing, or two judges' files are not about the same pairs.
    """
    items, judges, gold = {}, {}, {}
    contents: dict[str, tuple] = {}  # texts and label of a pair
    sizes: dict[str, set[int]] = defaultdict(set)  # of each set, by its judges' files
    for key, path in paths.items():
        set_name, _, judge = key.partition(" ")
        pairs = entries(read_json(path), path.name)
        for place, entry in enumerate(pairs):
            where = f"{key}, pair {place}"
            pair = f"{set_name}-{place}"
            content = tuple(
                require(entry, name, where) for name in ("input", "output_1", "output_2", "label")
            )
            if contents.setdefault(pair, content) != content:
                raise DataError(f"{where}: differs from the pair of that number that another judge saw")
            items[pair] = {"set": set_name, "dimension": "", "document": pair, "first": "", "second": ""}
            if content[-1] not in (1, 2):
                raise DataError(f"{where}: label must be 1 or 2, got {content[-1]!r}")
            gold["gold", pair] = _WINNER[content[-1]]
            answered = entries(require(entry, "results", where), where)[-1]
            for order, name in _FIELDS.items():
                winner = require(require(answered, name, where), "winner", where, name)
                if isinstance(winner, bool) or winner not in [*_WINNER]:
                    raise DataError(f"{where}, {name}: winner must be '1', '2' or nothing, got {winner!r}")
                judges[judge, order, pair] = _WINNER[winner]
        sizes[set_name].add(len(pairs))
    uneven = [set_name for set_name, counts in sizes.items() if len(counts) > 1]
    if uneven:
        raise DataError(f"judges have different numbers of pairs in: {listing(uneven)}")
    return assemble_pairs(
        name="llmbar", title=PAIRS["llmbar"].title, items=items, judges=judges, people=gold,
        provenance=replace(
            provenance,
            notes=("The adversarial sets were chosen with judges by ChatGPT, which are at a disadvantage.",),
        ),
    )  # fmt: skip


PAIRS = {
    "llmbar": Dataset(
        name="llmbar",
        title="LLMBar: which answer follows the instruction",
        read=read_llmbar,
        needed={
            f"{name} {judge}": Pin(
                REPOSITORY, f"Dataset/{folder}/evaluators/{judge}/Vanilla_NoRules/result.json"
            )
            for name, (folder, judges) in SETS.items()
            for judge in judges
        },
        citation=("zeng2024evaluating",),
        judged_in=2023,
    )
}
