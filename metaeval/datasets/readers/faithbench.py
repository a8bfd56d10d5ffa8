"""readers.faithbench: people's marks of unfaithful spans in LLMs' summaries (Bao et al. 2025).

``data_for_release/batch_N.json``: ten summaries of each of five sources, the spans that annotators marked,
and eight detectors' verdicts. An annotator who found nothing wrong left no mark, so ratings of single raters
are unknown. The authors' agreement assumes that whoever left a mark anywhere in a batch read all of it
(`read_marks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError
from metaeval.datasets.fetch import Dataset, Pin, fetch
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
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, read_only

REPOSITORY = "vectara/FaithBench"
BATCHES = (*range(1, 13), 14, 15, 16)
DETECTORS = (
    *("gpt_4o", "gpt-4-turbo", "gpt-3.5-turbo"),
    *("hhemv1", "hhem-2.1", "hhem-2.1-english", "trueteacher", "true_nli"),
)
SEVERITY = {"Benign": 1, "Questionable": 2, "Unwanted": 3}
# judgment -> the least severe label that makes a summary fail; the first is the rule of the authors'
# evaluation of detectors
JUDGMENTS = {"faithful": "Questionable", "no unwanted span": "Unwanted", "no labelled span": "Benign"}
# Annotators used by the authors' agreement where more left marks in a batch, as named by their other
# repository in `assign/annotation_config.py`; here by the beginnings of the release's ids
CHOSEN = {
    "7": ("35440259", "694cd862"),
    "8": ("04e260cf", "4d772c36"),
    "11": ("3dbe982e", "5e3dc734"),
    "16": ("21ec503a", "060e8c28"),
}


@dataclass(frozen=True, eq=False)
class Marks:
    """Labels that each annotator gave each summary, by batch.

    Attributes
    ----------
    labels : mapping, batch -> bool array (n_annotators, n_summaries, 3)
        True where the annotator gave a span of the summary the label, in the order of `SEVERITY`. A sub-label
        such as ``Unwanted.Intrinsic`` counts only beside its label.
    chosen : mapping, batch -> bool array (n_annotators,)
        Annotators whose agreement the authors compute; as many read each summary.
    cells : mapping, batch -> (system, document) of each summary; empty where they are nobody's
    """

    labels: Mapping[str, np.ndarray]
    chosen: Mapping[str, np.ndarray]
    cells: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def passes(self) -> dict[tuple[str, str], float]:
        """(system, document) -> 1 where a summary passes by its mildest label, else 0.

        It passes where somebody who read it marked nothing, or marked something as benign.
        """
        verdicts: dict[tuple[str, str], float] = {}
        for batch, cells in self.cells.items():
            labels = self.labels[batch]
            unmarked = labels.any(axis=2).sum(axis=0) < self.chosen[batch].sum()
            mild = labels.any(axis=0)[:, list(SEVERITY).index("Benign")]
            verdicts |= dict(zip(cells, (unmarked | mild).astype(float).tolist(), strict=True))
        return verdicts


def read_marks(paths: Mapping[str, Path]) -> Marks:
    """Read every annotator's labels in every batch; an annotator without marks in a batch is not in it.

    Raises
    ------
    DataError
        If a sample lacks something or has an unknown label, nobody marked anything in a batch, or an
        annotator chosen by the authors did not.
    """
    labels, chosen, cells = {}, {}, {}
    for batch, path in paths.items():
        samples = entries(require(read_json(path), "samples", path.name), path.name)
        by_annotator: dict[str, np.ndarray] = {}
        ids: dict[str, str] = {}
        batch_cells = []
        for place, sample in enumerate(samples):
            where = f"{path.name}, sample {place}"
            batch_cells.append(_cell(sample, ids, batch, where))
            annotations = require(sample, "annotations", where)
            severity(annotations, where)  # raises for an unknown label
            for mark in annotations:
                who = text(require(mark, "annotator_id", where), where, "annotator_id")
                if mark_labels := set(mark["label"]):
                    blank = np.zeros((len(samples), len(SEVERITY)), dtype=bool)
                    by_annotator.setdefault(who, blank)[place] |= [label in mark_labels for label in SEVERITY]
        selection = CHOSEN.get(batch)
        picked = [selection is None or who.startswith(selection) for who in by_annotator]
        if selection and sum(picked) != len(selection):
            raise DataError(
                f"{path.name}: {len(selection)} annotators must be among those who marked it,"
                f" got {sum(picked)}"
            )
        if not by_annotator:
            raise DataError(f"{path.name}: nobody labelled a span, so the annotators are unknown")
        labels[batch] = read_only(np.stack(list(by_annotator.values())))
        chosen[batch] = read_only(np.array(picked))
        cells[batch] = tuple(batch_cells)
    return Marks(labels, chosen, cells)


def _cell(sample: object, ids: dict[str, str], batch: str, where: str) -> tuple[str, str]:
    """A sample's system and document; `ids` holds the sources of the batch so far, by their text."""
    source = text(require(sample, "source", where), where, "source")
    metadata = mapping(require(sample, "metadata", where), where)
    system = text(require(metadata, "summarizer", where), where, "summarizer")
    return system, ids.setdefault(source, f"{batch}-{len(ids) + 1}")


@cache
def load_marks() -> Marks:
    """`read_marks` of the release, read once per process."""
    return read_marks({batch: fetch(pin.file) for batch, pin in DATASETS["faithbench"].needed.items()})


def severity(annotations: object, *where: object) -> int:
    """The worst label of any span by anybody: 0 for none, 1 benign, 2 questionable, 3 unwanted.

    A sub-label such as ``Unwanted.Intrinsic`` counts as its label, also where it stands alone; a span
    without a label counts as no span.
    """
    if not isinstance(annotations, list):
        raise DataError(f"{where[0]}: annotations must be a list, got {type(annotations).__name__}")
    worst = 0
    for annotation in annotations:
        labels = require(annotation, "label", *where)
        if not isinstance(labels, list):
            raise DataError(f"{where[0]}: label must be a list, got {labels!r}")
        for label in labels:
            kind = text(label, *where, "label").partition(".")[0]
            if kind not in SEVERITY:
                raise DataError(f"{where[0]}: unknown label {label!r}; known: {', '.join(SEVERITY)}")
            worst = max(worst, SEVERITY[kind])
    return worst


def read_faithbench(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``faithbench``: detectors as metrics; of people 1 where a summary passes, by three rules.

    Raises
    ------
    DataError
        If a sample lacks something, has an unknown label, or a source lacks a system.
    """
    scores: Cells = {detector: {} for detector in DETECTORS}
    humans: Cells = {judgment: {} for judgment in JUDGMENTS}
    systems: dict[str, str] = {}
    summaries: dict[tuple[str, str], str] = {}
    sources: dict[str, str] = {}
    n_unlabelled = n_spans = 0
    for batch, path in paths.items():
        ids: dict[str, str] = {}  # source text -> number in the batch
        for place, sample in enumerate(entries(require(read_json(path), "samples", path.name), path.name)):
            where = f"{path.name}, sample {place}"
            cell = system, document = _cell(sample, ids, batch, where)
            systems[system], sources[document] = "abs", sample["source"]
            metadata = sample["metadata"]
            summaries[cell] = text(require(sample, "summary", where), where, "summary")
            marks = require(sample, "annotations", where)
            worst = severity(marks, where)
            n_spans += len(marks)
            n_unlabelled += sum(not mark["label"] for mark in marks)
            for judgment, threshold in JUDGMENTS.items():
                add_cell(humans, judgment, cell, float(worst < SEVERITY[threshold]), where)
            for detector in DETECTORS:
                score = number(require(metadata, detector, where), where, detector)
                add_cell(scores, detector, cell, score, where)
    require_full(humans, systems, sources, "FaithBench")
    holes = {detector: sum(score != score for score in cells.values()) for detector, cells in scores.items()}
    notes = (
        "A summary passes by `faithful` if nobody marked a span as unwanted or questionable; whoever found "
        "nothing left no mark, so raters cannot be told one by one.",
        f"{n_unlabelled} of {n_spans:,} spans carry no label and count as none.",
        "The summaries were chosen because detectors disagree on them: no league table of detectors.",
        *(
            f"{detector} has no score for {n} of {len(scores[detector]):,} summaries."
            for detector, n in holes.items()
            if n
        ),
    )
    ordered, documents = sorted(systems, key=natural), sorted(sources, key=natural)
    return assemble(
        name="faithbench",
        title=DATASETS["faithbench"].title,
        scores=scores,
        humans=humans,
        system_type=systems,
        documents=sources,
        provenance=replace(provenance, notes=notes),
        scale=dict.fromkeys(DETECTORS, 1.0),
        texts=Texts(summaries_array(summaries, ordered, documents, "FaithBench"), {}, sources),
    )


DATASETS = {
    "faithbench": Dataset(
        name="faithbench",
        title="FaithBench: unfaithful spans in summaries by language models",
        read=read_faithbench,
        needed={str(n): Pin(REPOSITORY, f"data_for_release/batch_{n}.json") for n in BATCHES},
        citation=("bao2025faithbench",),
        judged_in=2024,
    )
}
