"""readers.re_examining: ROUGE, BERTScore, QAEval and the ground truth of Re-Examining (Deutsch et al. 2022).

``data/{realsumm,summeval}/{judged,all}/metrics.jsonl.gz``: one row per summary. The ground truth is a
LitePyramid recall (REALSumm) or a list of three expert relevance ratings (SummEval); rows of the
whole test set have none where nobody judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers import realsumm, stat_analysis
from metaeval.datasets.readers.tables import (
    Cells,
    add_cell,
    assemble,
    json_rows,
    number,
    require_full,
    set_type,
)
from metaeval.tables.benchmark import Benchmark, Provenance

REPOSITORY = "CogComp/re-examining-correlations"
METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore", "QAEval")
SCALE = dict.fromkeys(METRICS, 100.0)
GROUND_TRUTH = "ground-truth"


def read_metrics(
    path: Path, *, judgment: str, identify: Callable[[str], tuple[str, str]], full: bool
) -> tuple[Cells, Cells, dict[str, str], list[str]]:
    """Read one ``metrics.jsonl.gz``.

    Parameters
    ----------
    path : Path
    judgment : str
        What the ground truth is called.
    identify : callable, upstream system -> (our id, type)
    full : bool
        Whether this is the whole test set, in which a summary may be without a ground truth.

    Returns
    -------
    scores, humans, system_type, documents

    Raises
    ------
    DataError
        If a row is malformed, a score comes twice or is missing, or a metric is unknown.
    """
    scores: Cells = {name: {} for name in METRICS}
    humans: Cells = {judgment: {}}
    system_type: dict[str, str] = {}
    documents: dict[str, None] = {}
    for row in json_rows(path):
        system, kind = identify(row.system)
        set_type(system_type, system, "reference" if row.system_type == "reference" else kind, row.where)
        documents[row.document] = None
        unknown = set(row.metrics) - set(METRICS) - {GROUND_TRUTH}
        if unknown:
            raise DataError(f"{row.where}: unknown metrics {listing(unknown)}; known: {', '.join(METRICS)}")
        cell = system, row.document
        for name in METRICS:
            if name not in row.metrics:
                raise DataError(f"{row.where}: {name} is missing, has {listing(row.metrics)}")
            add_cell(scores, name, cell, number(row.metrics[name], row.where, name), row.where)
        if GROUND_TRUTH in row.metrics:
            truth = _mean(row.metrics[GROUND_TRUTH], row.where)
            add_cell(humans, judgment, cell, truth, row.where)
        elif not full:
            raise DataError(f"{row.where}: {GROUND_TRUTH} is missing, has {listing(row.metrics)}")
    if not documents:
        raise DataError(f"{path.name}: holds no rows")
    peers = [system for system, kind in system_type.items() if kind != "reference"]
    checked = scores if full else {**scores, **humans}
    require_full(checked, peers, documents, path.name)
    return scores, humans, system_type, list(documents)


def _mean(value: object, where: str) -> float:
    """One rating, or the mean of several."""
    ratings = value if isinstance(value, list) else [value]
    if not ratings:
        raise DataError(f"{where}: {GROUND_TRUTH} is an empty list")
    return math.fsum(number(rating, where, GROUND_TRUTH) for rating in ratings) / len(ratings)


def _read(
    paths: Mapping[str, Path],
    provenance: Provenance,
    *,
    name: str,
    judgment: str,
    identify: Callable[[str], tuple[str, str]],
    full: bool,
    notes: tuple[str, ...],
) -> Benchmark:
    scores, humans, system_type, documents = read_metrics(
        paths["metrics"], judgment=judgment, identify=identify, full=full
    )
    untyped = sorted(s for s, kind in system_type.items() if kind == "unknown")
    if untyped:
        notes = (*notes, f"Systems whose type is not known: {listing(untyped)}.")
    if full:
        judged = {document for _, document in humans[judgment]}
        notes = (
            *notes,
            "This project had no such file when it wrote the reader: its format and columns are"
            " taken to be the judged file's.",
            f"{len(judged)} of {len(documents)} documents are judged.",
        )
    return assemble(
        name=name,
        title=DATASETS[name].title,
        scores=scores,
        humans=humans,
        system_type=system_type,
        documents=documents,
        provenance=replace(provenance, notes=notes),
        scale=SCALE,
    )


_COLLECTIONS = {
    "realsumm": {
        "judgment": realsumm.GOLD,
        "identify": realsumm.merged_id,
        "notes": (
            (
                "The ROUGE columns are recalls (the paper says F1): they agree with the recalls of"
                " REALSumm's pickles, not with their F1."
            ),
            realsumm.MERGED_NOTE,
        ),
    },
    "summeval": {
        "judgment": stat_analysis.SUMMEVAL_GOLD,
        "identify": stat_analysis.summeval_system,
        "notes": (
            "The ROUGE columns are F1.",
            "The ground truth is the mean of the three experts' relevance ratings.",
        ),
    },
}
_PAPERS = {"realsumm": "bhandari2020reevaluating", "summeval": "fabbri2021summeval"}
_TITLES = {"realsumm": "REALSumm", "summeval": "SummEval"}


def _dataset(collection: str, part: str) -> Dataset:
    full = part == "all"
    name = f"re-examining-{collection}{'-full' if full else ''}"
    which = "whole test set" if full else "judged summaries"
    return Dataset(
        name=name,
        title=f"{_TITLES[collection]} in Re-Examining, {which}",
        read=partial(_read, name=name, full=full, **_COLLECTIONS[collection]),
        needed={"metrics": Pin(REPOSITORY, f"data/{collection}/{part}/metrics.jsonl.gz")},
        citation=("deutsch2022reexamining", _PAPERS[collection]),
    )


DATASETS = {
    dataset.name: dataset
    for dataset in (_dataset(c, part) for part in ("judged", "all") for c in ("realsumm", "summeval"))
}
