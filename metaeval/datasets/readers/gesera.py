"""readers.gesera: GeSERA's TAC 2009 files: Pyramid, ROUGE and SERA scores (Espejel et al. 2021).

``SCORES_TAC2009.txt`` names a summary ``D0901-A.1``: document, system.
``ordered_score_wiki_0-4840.txt`` names it ``D0901-A.M.100.A.1``: document, kind, length, assessor,
system. The two are joined by document and system.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from metaeval.datasets.fetch import fetch
from metaeval.datasets.readers.tables import Cells, Release, assemble, read_lines
from metaeval.datasets.registry import SourceFile, find
from metaeval.tables.benchmark import Benchmark

REPOSITORY = "JessicaLopezEspejel/GeSERA"

# TAC scores a summary against the models of all four human summarizers and, so that systems
# compare with these, against every three of them, averaged.
JUDGMENTS = ("Pyramid (4 models)", "Pyramid (3 models)")
# Blocks of R, P and F in the order in which ROUGE-1.5.5 prints them with -n 4 -w 1.2 -2 4 -u. W's
# recall is far below its precision, as a weighted subsequence's must be.
ROUGE = tuple(
    f"ROUGE-{n} {variant}"
    for n in ("1", "2", "3", "4", "L", "W-1.2", "SU4")
    for variant in ("recall", "precision", "F1")
)
N_REFERENCES = 4
SERA = (*(f"SERA-5 (reference {i})" for i in range(1, N_REFERENCES + 1)), "SERA-5")


def read_tac2009(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``tac2009``: 55 systems on 88 document sets, Pyramid scores, ROUGE and SERA.

    A line of the one file is an id, two Pyramid scores, and 21 ROUGE scores marked ``R:``, ``P:``, ``F:`` in
    turn; of the other an id, four scores by reference and their mean.
    """
    humans: Cells = {name: {} for name in JUDGMENTS}
    scores: Cells = {name: {} for name in (*ROUGE, *SERA)}
    for cell, fields in _lines(paths["scores"]):
        for name, value in zip((*JUDGMENTS, *ROUGE), fields, strict=True):
            (humans if name in humans else scores)[name][cell] = float(value.lstrip("RPF:"))
    for cell, fields in _lines(paths["sera"]):
        for name, value in zip(SERA, fields, strict=True):
            scores[name][cell] = float(value)
    recall, precision = (scores[f"ROUGE-W-1.2 {variant}"].values() for variant in ("recall", "precision"))
    notes = (
        (
            "The release does not name its columns. They are read as two Pyramid scores, against"
            " four models and against three, and ROUGE-1, 2, 3, 4, L, W-1.2, SU4; the sixth"
            f" block's mean recall is {sum(recall) / len(recall):.3f} and its precision"
            f" {sum(precision) / len(precision):.3f}, as only ROUGE-W's differ."
        ),
        ("The order of the four references within a document is the release's; it does not name them."),
    )
    systems = dict.fromkeys((system for system, _ in humans[JUDGMENTS[0]]), "unknown")
    scale = dict.fromkeys(scores, 1.0)
    return assemble(about, scores=scores, humans=humans, system_type=systems, notes=notes, scale=scale)


def _lines(path: Path) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """(system, document) and fields of each line."""
    for line in filter(str.strip, read_lines(path)):
        label, *fields = line.split()
        document, *_, system = label.split(".")
        yield (system, document), fields


# GeSERA's worked example: its search engine's rankings for eight summaries and four references of one
# document set, and its code's scores

EXAMPLE = "test/output"
_EXAMPLE_SET = "D0901-A.M.100.A"
_RANKED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class WorkedExample:
    """The released worked example.

    Attributes
    ----------
    rankings : mapping, candidate -> (its documents, best first; mapping, reference -> its documents)
    sera, sera_dis : mapping, candidate -> the printed scores by reference, then their printed mean, as text
    texts : mapping, candidate or reference -> its text
    """

    rankings: Mapping[str, tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]]
    sera: Mapping[str, tuple[str, ...]]
    sera_dis: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str] = field(default_factory=dict)


def example_files() -> list[SourceFile]:
    """Pinned files of the engine's rankings, the scores and the discounted scores."""
    names = (
        "test_reference_vectors_wikisera_raw.txt",
        "test_reference_scores_wikisera_raw.txt",
        "dis_score_test_reference_vectors_wikisera_raw.txt",
    )
    return [find(REPOSITORY, f"{EXAMPLE}/{name}") for name in names]


def example_texts() -> dict[str, SourceFile]:
    """The texts of the eight candidates and of the four references, by their short names."""
    written = [("candidates", "12345678"), ("references", "ACFH")]
    names = [(folder, f"{_EXAMPLE_SET}.{writer}") for folder, writers in written for writer in writers]
    return {_short(name): find(REPOSITORY, f"test/{folder}/{name}") for folder, name in names}


def load_worked_example() -> WorkedExample:
    """Fetch, verify and read the worked example; see `metaeval.datasets.fetch.fetch` for the errors."""
    rankings, plain, discounted = map(fetch, example_files())
    texts = {name: " ".join(read_lines(fetch(file))) for name, file in example_texts().items()}
    return WorkedExample(read_rankings(rankings), read_printed(plain), read_printed(discounted), texts)


def read_rankings(path: Path) -> dict[str, tuple[tuple[str, ...], dict[str, tuple[str, ...]]]]:
    """Read blocks separated by empty lines: a line per query (name, tab, documents), the candidate first."""
    rankings = {}
    for block in "\n".join(read_lines(path)).strip().split("\n\n"):
        lines = [line.partition("\t") for line in block.split("\n")]
        ranked = {_short(name): tuple(_RANKED.findall(documents)) for name, _, documents in lines}
        candidate = next(iter(ranked))
        rankings[candidate] = (ranked.pop(candidate), ranked)
    return rankings


def read_printed(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a line per candidate: name, tab, a score for each reference and their mean, as text."""
    lines = [line.partition("\t") for line in read_lines(path)]
    return {_short(name): tuple(scores.split()) for name, _, scores in lines}


def _short(name: str) -> str:
    """``D0901-A.M.100.A.1`` as ``D0901-A.1``: the files write either."""
    document, *_, writer = name.split(".")
    return f"{document}.{writer}"
