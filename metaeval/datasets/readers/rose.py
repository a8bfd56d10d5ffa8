"""readers.rose: RoSE's comparison of protocols of human judgment (Liu et al. 2023).

``docs/_data/protocol-comparison.json``: a document each, with twelve systems' summaries; ``-llm.json``:
the same documents with four systems, two of them the same, judged in another round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from metaeval.core.errors import DataError
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers.tables import (
    Cells,
    add_cell,
    assemble,
    entries,
    mapping,
    natural,
    number,
    read_json,
    require,
    require_full,
    summaries_array,
    text,
)
from metaeval.tables.benchmark import Benchmark, Provenance, Texts

REPOSITORY = "Yale-LILY/ROSE"
PROTOCOLS = {  # upstream -> ours, the one of the paper's own first
    "acu": "ACU",
    "normalized_acu": "normalised ACU",
    "prior": "prior",
    "ref_free": "reference-free",
    "ref_based": "reference-based",
}
REFERENCE = "reference"  # is judged too in the second file, by two of the protocols


def read_protocols(paths: Mapping[str, Path], provenance: Provenance, *, name: str) -> Benchmark:
    """One round: systems x documents, the protocols as judgments, with texts.

    Raises
    ------
    DataError
        If a judgment is missing or no number, a document comes twice, or a system lacks a summary.
    """
    path = paths["data"]
    humans: Cells = {}
    systems: dict[str, str] = {}
    texts: dict[tuple[str, str], str] = {}
    references: dict[str, tuple[str, ...]] = {}
    sources: dict[str, str] = {}
    n_references = 0
    for place, entry in enumerate(entries(read_json(path), path.name)):
        where = f"{path.name}, entry {place}"
        document = text(require(entry, "example_id", where), where, "example_id")
        if document in sources:
            raise DataError(f"{where}: document {document} comes twice")
        sources[document] = text(require(entry, "source", where), where, "source")
        references[document] = (text(require(entry, "reference", where), where, "reference"),)
        for system, ratings in mapping(require(entry, "annotations", where), where).items():
            if system == REFERENCE:
                n_references += 1
                continue
            systems[system] = "abs"
            for upstream, ours in PROTOCOLS.items():
                here = where, system, upstream
                add_cell(
                    humans, ours, (system, document), number(require(ratings, upstream, *here), *here), *here
                )
        for system, summary in mapping(require(entry, "system_outputs", where), where).items():
            texts[system, document] = text(summary, where, system)
    require_full(humans, systems, sources, path.name)
    ordered, documents = sorted(systems, key=natural), sorted(sources, key=natural)
    notes = ["Each score is a mean over annotators, who are not released one by one."]
    if n_references:
        notes.append(
            f"{n_references} judgments of the reference itself, by two of the protocols only, are left out."
        )
    return assemble(
        name=name,
        title=DATASETS[name].title,
        scores={},
        humans=humans,
        system_type=systems,
        documents=sources,
        provenance=replace(provenance, notes=tuple(notes)),
        texts=Texts(summaries_array(texts, ordered, documents, path.name), references, sources),
        listed=systems,
    )


def _dataset(name: str, file: str, title: str) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        read=partial(read_protocols, name=name),
        needed={"data": Pin(REPOSITORY, f"docs/_data/{file}.json")},
        citation=("liu2023revisiting",),
    )


DATASETS = {
    dataset.name: dataset
    for dataset in (
        _dataset("rose", "protocol-comparison", "RoSE's four protocols on fine-tuned systems"),
        _dataset("rose-llm", "protocol-comparison-llm", "RoSE's four protocols, the round with GPT-3"),
    )
}
