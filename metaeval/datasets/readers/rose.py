"""readers.rose: RoSE's comparison of protocols of human judgment (Liu et al. 2023).

``docs/_data/protocol-comparison.json``: a document each, with twelve systems' summaries; ``-llm.json``:
the same documents with four systems, two of them the same, judged in another round.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from metaeval.datasets.readers.tables import Cells, Release, assemble, read_json
from metaeval.tables.benchmark import Benchmark

PROTOCOLS = {  # upstream -> ours, the one of the paper's own first
    "acu": "ACU",
    "normalized_acu": "normalised ACU",
    "prior": "prior",
    "ref_free": "reference-free",
    "ref_based": "reference-based",
}
REFERENCE = "reference"  # is judged too in the second file, by two of the protocols


def read_protocols(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """One round: systems x documents, the protocols as judgments, with texts."""
    humans: Cells = {ours: {} for ours in PROTOCOLS.values()}
    systems: dict[str, str] = {}
    texts, references, sources = {}, {}, {}
    n_references = 0
    for entry in read_json(paths["data"]):
        document = entry["example_id"]
        sources[document], references[document] = entry["source"], (entry["reference"],)
        texts |= {(system, document): text for system, text in entry["system_outputs"].items()}
        for system, ratings in entry["annotations"].items():
            if system == REFERENCE:
                n_references += 1
                continue
            systems[system] = "abs"
            for upstream, ours in PROTOCOLS.items():
                humans[ours][system, document] = ratings[upstream]
    notes = ["Each score is a mean over annotators, who are not released one by one."]
    if n_references:
        notes.append(
            f"{n_references} judgments of the reference itself, by two of the protocols only, are left out."
        )
    return assemble(
        about, scores={}, humans=humans, system_type=systems, notes=notes, summaries=texts,
        references=references, sources=sources, listed=systems,
    )  # fmt: skip
