"""readers.gesera: GeSERA's TAC 2009 files: Pyramid, ROUGE and SERA scores (Espejel et al. 2021).

``SCORES_TAC2009.txt`` names a summary ``D0901-A.1``: document, system.
``ordered_score_wiki_0-4840.txt`` names it ``D0901-A.M.100.A.1``: document, kind, length, assessor,
system. The two are joined by document and system.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin, fetch
from metaeval.datasets.readers.tables import Cells, add_cell, assemble, parsed, read_lines, require_full
from metaeval.datasets.registry import SourceFile, find
from metaeval.tables.benchmark import Benchmark, Provenance

REPOSITORY = "JessicaLopezEspejel/GeSERA"
FOLDER = "correlation/data_example"

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

_PYRAMID_ID = re.compile(r"(?P<document>D[0-9]+-[A-Z])\.(?P<system>[0-9]+)")
_SERA_ID = re.compile(r"(?P<document>D[0-9]+-[A-Z])\.M\.100\.[A-Z]\.(?P<system>[0-9]+)")
_LABELS = ("R:", "P:", "F:")


def read_scores(path: Path) -> tuple[Cells, Cells]:
    """Read ``SCORES_TAC2009.txt``.

    A line is an id, two Pyramid scores, and 21 ROUGE scores marked ``R:``, ``P:``, ``F:`` in turn.

    Returns
    -------
    scores, humans

    Raises
    ------
    DataError
        Naming the file, the line and the value, if a line is not so, or a summary comes twice.
    """
    scores: Cells = {name: {} for name in ROUGE}
    humans: Cells = {name: {} for name in JUDGMENTS}
    for where, cell, fields in _lines(path, _PYRAMID_ID, len(JUDGMENTS) + len(ROUGE)):
        for name, text in zip(JUDGMENTS, fields, strict=False):
            add_cell(humans, name, cell, parsed(text, where, name), where)
        for i, (name, text) in enumerate(zip(ROUGE, fields[len(JUDGMENTS) :], strict=True)):
            label = _LABELS[i % len(_LABELS)]
            if not text.startswith(label):
                raise DataError(f"{where}: {name} must be marked {label!r}, got {text!r}")
            add_cell(scores, name, cell, parsed(text[len(label) :], where, name), where)
    return scores, humans


def read_sera(path: Path) -> Cells:
    """Read ``ordered_score_wiki_0-4840.txt``: an id, four scores by reference, their mean.

    Raises
    ------
    DataError
        If a line is not so, the last column is not the mean of the others, or a summary comes
        twice.
    """
    scores: Cells = {name: {} for name in SERA}
    for where, cell, fields in _lines(path, _SERA_ID, len(SERA)):
        values = [parsed(field, where, name) for name, field in zip(SERA, fields, strict=True)]
        mean = math.fsum(values[:-1]) / N_REFERENCES
        if not math.isclose(values[-1], mean, abs_tol=1e-9):
            raise DataError(
                f"{where}: the last column must be the mean of the others, {mean}, got {values[-1]}"
            )
        for name, value in zip(SERA, values, strict=True):
            add_cell(scores, name, cell, value, where)
    return scores


def _lines(
    path: Path, pattern: re.Pattern, n_fields: int
) -> Iterator[tuple[str, tuple[str, str], list[str]]]:
    """(place, (system, document), fields) of each line."""
    for i, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path.name}, line {i}"
        label, *fields = line.split()
        match = pattern.fullmatch(label)
        if not match:
            raise DataError(f"{where}: {label!r} does not name a document and a system")
        if len(fields) != n_fields:
            raise DataError(f"{where}: {label} must have {n_fields} scores, got {len(fields)}")
        yield where, (match["system"], match["document"]), fields


def join(scores: Cells, sera: Cells) -> Cells:
    """ROUGE and SERA scores of the same summaries; one in only one of the files is an error."""
    rouge_cells, sera_cells = set(scores[ROUGE[0]]), set(sera[SERA[0]])
    if rouge_cells != sera_cells:
        parts = [
            f"missing from the file with {label}: {listing('/'.join(cell) for cell in absent)}"
            f" ({len(absent)} of {len(rouge_cells | sera_cells)})"
            for label, absent in (("ROUGE", sera_cells - rouge_cells), ("SERA", rouge_cells - sera_cells))
            if absent
        ]
        raise DataError(f"the two files must score the same summaries (system/document); {'; '.join(parts)}")
    return {**scores, **sera}


def read_tac2009(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``tac2009``: 55 systems on 88 document sets, Pyramid scores, ROUGE and SERA."""
    scores, humans = read_scores(paths["scores"])
    joined = join(scores, read_sera(paths["sera"]))
    systems = {system for plane in humans.values() for system, _ in plane}
    documents = {document for plane in humans.values() for _, document in plane}
    require_full({**joined, **humans}, systems, documents, "tac2009")
    weighted = [
        sum(joined[f"ROUGE-W-1.2 {variant}"].values()) / len(joined[f"ROUGE-W-1.2 {variant}"])
        for variant in ("recall", "precision")
    ]
    notes = (
        (
            "The release does not name its columns. They are read as two Pyramid scores, against"
            " four models and against three, and ROUGE-1, 2, 3, 4, L, W-1.2, SU4; the sixth"
            f" block's mean recall is {weighted[0]:.3f} and its precision {weighted[1]:.3f}, as"
            " only ROUGE-W's differ."
        ),
        ("The order of the four references within a document is the release's; it does not name them."),
    )
    return assemble(
        name="tac2009",
        title=DATASETS["tac2009"].title,
        scores=joined,
        humans=humans,
        system_type=dict.fromkeys(systems, "unknown"),
        documents=documents,
        provenance=replace(provenance, notes=notes),
        scale=dict.fromkeys(joined, 1.0),
    )


DATASETS = {
    "tac2009": Dataset(
        name="tac2009",
        title="TAC 2009 in GeSERA",
        read=read_tac2009,
        needed={
            "scores": Pin(REPOSITORY, f"{FOLDER}/SCORES_TAC2009.txt"),
            "sera": Pin(REPOSITORY, f"{FOLDER}/ordered_score_wiki_0-4840.txt"),
        },
        citation=("dang2009overview", "espejel2021gesera"),
    )
}


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
    """Read blocks separated by empty lines: a line per query (name, tab, documents), the candidate first.

    Raises
    ------
    DataError
        If a line is not so, a block has no reference, or a name comes twice.
    """
    rankings: dict = {}
    for block in "\n".join(read_lines(path)).strip().split("\n\n"):
        lines = []
        for line in block.split("\n"):
            name, tab, ranked = line.partition("\t")
            documents = tuple(_RANKED.findall(ranked))
            if not tab or not documents:
                raise DataError(
                    f"{path.name}: a query must have a name, a tab and documents, got {line[:60]!r}"
                )
            lines.append((_short(name), documents))
        (candidate, ranking), *references = lines
        if not references:
            raise DataError(f"{path.name}: {candidate} is compared with no reference")
        if candidate in rankings or len(dict(references)) < len(references):
            raise DataError(f"{path.name}: a name comes twice in or for {candidate}")
        rankings[candidate] = (ranking, dict(references))
    return rankings


def read_printed(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a line per candidate: name, tab, a score for each reference and their mean, as text."""
    table = {}
    for line in read_lines(path):
        name, tab, scores = line.partition("\t")
        if not tab or len(scores.split()) != N_REFERENCES + 1:
            raise DataError(
                f"{path.name}: must have a name, a tab and {N_REFERENCES + 1} scores, got {line[:60]!r}"
            )
        table[_short(name)] = tuple(scores.split())
    return table


def _short(name: str) -> str:
    """``D0901-A.M.100.A.1`` as ``D0901-A.1``: the files write either."""
    document, *_, writer = name.split(".")
    return f"{document}.{writer}"
