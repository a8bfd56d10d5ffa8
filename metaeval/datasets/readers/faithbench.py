"""readers.faithbench: people's marks of unfaithful spans in LLMs' summaries (Bao et al. 2025).

``data_for_release/batch_N.json``: ten summaries of each of five sources, the spans that annotators marked,
and eight detectors' verdicts. An annotator who found nothing wrong left no mark, so ratings of single raters
are unknown. The authors' agreement assumes that whoever left a mark anywhere in a batch read all of it
(`read_marks`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from metaeval.datasets.readers.tables import Cells, Release, assemble, read_json
from metaeval.tables.benchmark import Benchmark, read_only

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
    """Read every annotator's labels in every batch; an annotator without marks in a batch is not in it."""
    labels, chosen, cells = {}, {}, {}
    for batch, path in paths.items():
        samples = list(_samples(batch, path))
        by_annotator: dict[str, np.ndarray] = {}
        for place, (_, sample) in enumerate(samples):
            for mark in sample["annotations"]:
                if mark_labels := set(mark["label"]):
                    blank = np.zeros((len(samples), len(SEVERITY)), dtype=bool)
                    own = by_annotator.setdefault(mark["annotator_id"], blank)
                    own[place] |= [label in mark_labels for label in SEVERITY]
        selection = CHOSEN.get(batch)
        picked = [selection is None or who.startswith(selection) for who in by_annotator]
        labels[batch] = read_only(np.stack(list(by_annotator.values())))
        chosen[batch] = read_only(np.array(picked))
        cells[batch] = tuple(cell for cell, _ in samples)
    return Marks(labels, chosen, cells)


def _samples(batch: str, path: Path) -> Iterator[tuple[tuple[str, str], dict]]:
    """Cell and contents of each sample; documents are numbered in a batch by their source text."""
    ids: dict[str, str] = {}
    for sample in read_json(path)["samples"]:
        document = ids.setdefault(sample["source"], f"{batch}-{len(ids) + 1}")
        yield (sample["metadata"]["summarizer"], document), sample


def severity(annotations: list) -> int:
    """The worst label of any span by anybody: 0 for none, 1 benign, 2 questionable, 3 unwanted.

    A sub-label such as ``Unwanted.Intrinsic`` counts as its label, also where it stands alone; a span
    without a label counts as no span.
    """
    labels = [label.partition(".")[0] for annotation in annotations for label in annotation["label"]]
    return max((SEVERITY[label] for label in labels), default=0)


def read_faithbench(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``faithbench``: detectors as metrics; of people 1 where a summary passes, by three rules."""
    scores: Cells = {detector: {} for detector in DETECTORS}
    humans: Cells = {judgment: {} for judgment in JUDGMENTS}
    summaries, sources = {}, {}
    n_unlabelled = n_spans = 0
    for batch, path in paths.items():
        for cell, sample in _samples(batch, path):
            sources[cell[1]], summaries[cell] = sample["source"], sample["summary"]
            marks = sample["annotations"]
            n_spans += len(marks)
            n_unlabelled += sum(not mark["label"] for mark in marks)
            worst = severity(marks)
            for judgment, threshold in JUDGMENTS.items():
                humans[judgment][cell] = float(worst < SEVERITY[threshold])
            for detector in DETECTORS:
                score = sample["metadata"][detector]
                scores[detector][cell] = math.nan if score is None else score
    holes = {detector: sum(map(math.isnan, cells.values())) for detector, cells in scores.items()}
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
    return assemble(
        about, scores=scores, humans=humans, system_type=dict.fromkeys((s for s, _ in summaries), "abs"),
        notes=notes, full=JUDGMENTS, scale=dict.fromkeys(DETECTORS, 1.0), summaries=summaries,
        sources=sources,
    )  # fmt: skip
