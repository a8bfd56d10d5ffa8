"""readers.llm_summeval: GPT-4 and GPT-3.5 on SummEval's abstractive systems (Shen et al. 2023).

``eval_model_generations/JUDGE/eval_SYSTEM_generations/DIMENSION_PROMPT.txt``: free text that ends in a
rating, one
JSON line a document; ``comp_res/JUDGE/M1-M2_DIMENSION[_toggle].result``: choices between two systems, in
both orders.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from metaeval.datasets.readers import stat_analysis
from metaeval.datasets.readers.tables import Cells, Release, assemble, read_json_lines
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs, assemble_pairs, pair_item

# neighbours in quality, as the release has them
_CHAIN = ("M22", "M23", "M17", "M12", "M13", "M15", "M14", "M8", "M9", "M10", "M20", "M11")
COMPARED = tuple(pairwise(_CHAIN))
_CHOICES = {"a": FIRST, "b": SECOND, "c": TIE}

_WORDS = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}
_DIGIT, _WORD = r"([1-5](?:\.\d+)?)(?!\d)", rf"\b({'|'.join(_WORDS)})\b"
# The first that fits gives the rating, as in the authors' reading of the answers.
_RULES = [
    re.compile(pattern)
    for pattern in (
        rf"score:\s*{_DIGIT}",
        rf"score:\s*{_WORD}",
        rf"scor(?:e|ing)\b[^.!?\n]*?{_DIGIT}",
        rf"scor(?:e|ing)\b[^.!?\n]*?{_WORD}",
        r"(?s).*([1-5])",
    )
]


def rating(answer: str) -> float:
    """The rating that a free text ends in, from 1 to 5; NaN where none can be read.

    Examples
    --------
    >>> rating("It wanders. Final score: 2.5"), rating("resulting in a score of four out of five.")
    (2.5, 4.0)
    >>> rating("As a language model I cannot say.")
    nan
    """
    for rule in _RULES:
        match = rule.search(answer.lower())
        if match:
            value = _WORDS.get(match[1]) or float(match[1])
            return value if value <= 5 else math.nan
    return math.nan


def choice(answer: str) -> float:
    """Read the better summary off an answer: 1 for A, 0 for B, 0.5 for C (neither), NaN for any other.

    Examples
    --------
    >>> choice("A"), choice("B: Summary #2 is more coherent."), choice("C: Both"), choice("Summary 1")
    (1.0, 0.0, 0.5, nan)
    """
    match = re.match(r"\s*([abc])\b", answer.lower())
    return _CHOICES[match[1]] if match else math.nan


def read_ratings(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``llm-summeval``: three judges as metrics, one for each dimension; NaN where an answer cannot be
    read."""
    base, humans, ratings = stat_analysis.read_ratings([paths["relevance"]])
    scores: Cells = {}
    for key, path in paths.items():
        name, _, system = key.rpartition(" ")
        for line in read_json_lines(path) if name else ():
            scores.setdefault(name, {})[system, line["id"]] = rating(line["resp"])
    lost = {name: (sum(map(math.isnan, plane.values())), len(plane)) for name, plane in scores.items()}
    notes = [
        f"{name}: no rating can be read from {n} of {of:,} answers." for name, (n, of) in lost.items() if n
    ]
    systems = set(_CHAIN)

    def select_systems(cells: Cells) -> Cells:
        return {name: {c: v for c, v in plane.items() if c[0] in systems} for name, plane in cells.items()}

    return assemble(
        about, scores=scores, humans=select_systems(humans), notes=notes, full=humans,
        system_type={system: kind for system, kind in base.system_type.items() if system in systems},
        scale=dict.fromkeys(scores, 5.0),
        ratings={judgment: select_systems(cells) for judgment, cells in ratings.items()},
    )  # fmt: skip


def read_choices(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``llm-summeval-pairs``: GPT-3.5's choices between neighbouring systems, each pair of summaries in
    both orders.

    People's choice is by the experts' means, which stand beside the answers.
    """
    _, humans, _ = stat_analysis.read_ratings([paths["relevance"]])
    items, judges, people = {}, {}, {}
    for key, path in paths.items():
        compared, _, question = key.partition(" ")
        dimension, _, is_swapped = question.partition("_")
        for line in read_json_lines(path) if question else ():
            (first, second), document = compared.split("-"), line["id"]
            pair = f"{compared}-{dimension}-{document}"
            named = {"first": first, "second": second}
            items[pair] = pair_item(set="SummEval", dimension=dimension, document=document, **named)
            chosen = choice(line["resp"])
            judges["gpt-3.5", ORDERS[bool(is_swapped)], pair] = 1 - chosen if is_swapped else chosen
            means = [humans[dimension][system, document] for system in (first, second)]
            people["experts", pair] = (1 + np.sign(means[0] - means[1])) / 2
    note = "People's choice is by the means of the three experts."
    return assemble_pairs(**about.noted(note), items=items, judges=judges, people=people)
