"""sources.faithbench: people's marks of unfaithful spans in LLMs' summaries (Bao et al. 2025).

``data_for_release/batch_N.json``: ten summaries of each of five sources, the spans that annotators marked,
and eight detectors' verdicts. An annotator who found nothing wrong left no mark, so raters cannot be told one
by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from helpers.benchmark import Benchmark, Provenance, Texts
from helpers.errors import DataError
from helpers.sources.dataset import Dataset, Pin
from helpers.sources.tables import (
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
        ids: dict[str, str] = {}  # source text -> its number in the batch
        for place, sample in enumerate(entries(require(read_json(path), "samples", path.name), path.name)):
            where = f"{path.name}, sample {place}"
            source = text(require(sample, "source", where), where, "source")
            document = ids.setdefault(source, f"{batch}-{len(ids) + 1}")
            sources[document] = source
            given = mapping(require(sample, "metadata", where), where)
            system = text(require(given, "summarizer", where), where, "summarizer")
            systems[system], cell = "abs", (system, document)
            summaries[cell] = text(require(sample, "summary", where), where, "summary")
            marks = require(sample, "annotations", where)
            worst = severity(marks, where)
            n_spans += len(marks)
            n_unlabelled += sum(not mark["label"] for mark in marks)
            for judgment, least in JUDGMENTS.items():
                add_cell(humans, judgment, cell, float(worst < SEVERITY[least]), where)
            for detector in DETECTORS:
                score = number(require(given, detector, where), where, detector)
                add_cell(scores, detector, cell, score, where)
    require_full(humans, systems, sources, "FaithBench")
    holes = {detector: sum(score != score for score in cells.values()) for detector, cells in scores.items()}
    notes = (
        "A summary passes by `faithful` if nobody marked a span as unwanted or questionable; whoever found "
        "nothing left no mark, so raters cannot be told one by one.",
        f"{n_unlabelled} of {n_spans:,} spans carry no label and count as none.",
        "The summaries were chosen because detectors disagree on them: no league table of detectors.",
        *(f"{detector} is missing for {n} summaries." for detector, n in holes.items() if n),
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
