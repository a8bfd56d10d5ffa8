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
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers import stat_analysis
from metaeval.datasets.readers.tables import (
    Cells,
    add_cell,
    assemble,
    number,
    read_json_lines,
    require,
    text,
)
from metaeval.tables.benchmark import Benchmark, Provenance, judge_of
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs, assemble_pairs

REPOSITORY = "DAMO-NLP-SG/LLM_summeval"
GPT4, GPT35 = "gpt-4-0314", "gpt-3.5-turbo-0301"
# judge -> its folder and the prompt in the file's name
RATINGS = {
    "gpt-4": (GPT4, "rts"),
    "gpt-3.5": (GPT35, "rts"),
    "gpt-3.5, other prompt": (GPT35, "altrts"),
}
SYSTEMS = ("M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23")
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


def _answers(path: Path, documents: set[str]) -> dict[str, tuple[str, dict]]:
    """Map each document to (place, line); every document must come exactly once."""
    answers: dict[str, tuple[str, dict]] = {}
    for where, line in read_json_lines(path):
        document = text(require(line, "id", where), where, "id")
        if document in answers:
            raise DataError(f"{where}: document {document} comes twice")
        answers[document] = where, line
    odd = set(answers) ^ documents
    if odd:
        raise DataError(f"{path.name}: must have SummEval's documents; not in both: {listing(odd)}")
    return answers


def read_ratings(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``llm-summeval``: three judges as metrics, one for each dimension; NaN where an answer cannot be
    read."""
    base, ratings = stat_analysis.read_ratings([paths["relevance"]])
    documents, systems = set(base.documents), set(SYSTEMS)
    scores: Cells = {}
    for judge in RATINGS:
        for dimension in stat_analysis.DIMENSIONS:
            name = judge_of(judge, dimension)
            for system in SYSTEMS:
                for document, (where, line) in _answers(paths[f"{name} {system}"], documents).items():
                    answer = text(require(line, "resp", where), where, "resp")
                    add_cell(scores, name, (system, document), rating(answer), where)
    lost = {name: sum(map(math.isnan, plane.values())) for name, plane in scores.items()}
    total = len(SYSTEMS) * len(documents)
    notes = [f"{name}: no rating can be read from {n} of {total:,} answers." for name, n in lost.items() if n]

    def select_systems(cells: Cells) -> Cells:
        return {name: {c: v for c, v in plane.items() if c[0] in systems} for name, plane in cells.items()}

    return assemble(
        name="llm-summeval",
        title=DATASETS["llm-summeval"].title,
        scores=scores,
        humans=select_systems(base.humans),
        system_type={system: kind for system, kind in base.system_type.items() if system in systems},
        documents=documents,
        provenance=replace(provenance, notes=tuple(notes)),
        scale=dict.fromkeys(scores, 5.0),
        ratings={judgment: select_systems(cells) for judgment, cells in ratings.items()},
    )


def read_choices(paths: Mapping[str, Path], provenance: Provenance) -> Pairs:
    """``llm-summeval-pairs``: GPT-3.5's choices between neighbouring systems, each pair of summaries in
    both orders.

    People's choice is by the experts' means, which stand beside the answers.
    """
    base, _ = stat_analysis.read_ratings([paths["relevance"]])
    documents = set(base.documents)
    items, judges, people = {}, {}, {}
    for first, second in COMPARED:
        for dimension in stat_analysis.DIMENSIONS:
            for order in ORDERS:
                for document, (where, line) in _answers(
                    paths[_key(first, second, dimension, order)], documents
                ).items():
                    pair = f"{first}-{second}-{dimension}-{document}"
                    items[pair] = {
                        **{"set": "SummEval", "dimension": dimension, "document": document},
                        **{"first": first, "second": second},
                    }
                    chosen = choice(text(require(line, "resp", where), where, "resp"))
                    judges["gpt-3.5", order, pair] = chosen if order == ORDERS[0] else 1 - chosen
                    means = [base.humans[dimension][system, document] for system in (first, second)]
                    stated = [number(require(line, f"human_score_{i}", where), where) for i in (1, 2)]
                    if any(abs(a - b) > 1e-9 for a, b in zip(stated, means, strict=True)):
                        raise DataError(f"{where}: people's means must be SummEval's {means}, got {stated}")
                    people["experts", pair] = (1 + np.sign(means[0] - means[1])) / 2
    return assemble_pairs(
        name="llm-summeval-pairs",
        title=PAIRS["llm-summeval-pairs"].title,
        items=items,
        judges=judges,
        people=people,
        provenance=replace(provenance, notes=("People's choice is by the means of the three experts.",)),
    )


def _key(first: str, second: str, dimension: str, order: str) -> str:
    return f"{first}-{second} {dimension} {order}"


_RELEVANCE = {
    "relevance": Pin(stat_analysis.REPOSITORY, f"{stat_analysis.FOLDER}/fabbri2020/relevance.jsonl")
}
_PAPERS = ("shen2023large", "fabbri2021summeval", "deutsch2021statistical")
DATASETS = {
    "llm-summeval": Dataset(
        name="llm-summeval",
        title="GPT-4 and GPT-3.5 rate SummEval's abstractive systems",
        read=read_ratings,
        needed=_RELEVANCE
        | {
            f"{judge_of(judge, dimension)} {system}": Pin(
                REPOSITORY,
                f"eval_model_generations/{folder}/eval_{system}_generations/{dimension}_{prompt}.txt",
            )
            for judge, (folder, prompt) in RATINGS.items()
            for dimension in stat_analysis.DIMENSIONS
            for system in SYSTEMS
        },
        citation=_PAPERS,
        judged_in=2023,
    )
}
PAIRS = {
    "llm-summeval-pairs": Dataset(
        name="llm-summeval-pairs",
        title="GPT-3.5 chooses between SummEval's systems, in both orders",
        read=read_choices,
        needed=_RELEVANCE
        | {
            _key(a, b, dimension, order): Pin(REPOSITORY, f"comp_res/{GPT35}/{a}-{b}_{dimension}{end}.result")
            for a, b in COMPARED
            for dimension in stat_analysis.DIMENSIONS
            for order, end in zip(ORDERS, ("", "_toggle"), strict=True)
        },
        citation=_PAPERS,
        judged_in=2023,
    )
}
