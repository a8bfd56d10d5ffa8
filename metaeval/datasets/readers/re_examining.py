"""readers.re_examining: ROUGE, BERTScore, QAEval and the ground truth of Re-Examining (Deutsch et al. 2022).

``data/{realsumm,summeval}/{judged,all}/metrics.jsonl.gz``: one row per summary. The ground truth is a
LitePyramid recall (REALSumm) or a list of three expert relevance ratings (SummEval); rows of the
whole test set have none where nobody judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from metaeval.core.errors import listing
from metaeval.datasets.readers.stat_analysis import cell_of
from metaeval.datasets.readers.tables import Cells, Release, assemble, read_json_lines
from metaeval.tables.benchmark import Benchmark

METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore", "QAEval")
GROUND_TRUTH = "ground-truth"


def read_metrics(
    paths: Mapping[str, Path], about: Release, *, judgment: str, notes: Iterable[str], full: bool = False
) -> Benchmark:
    """Read one ``metrics.jsonl.gz``.

    Parameters
    ----------
    paths : ``"metrics"`` -> the file
    about : Release
    judgment : str
        What the ground truth is called.
    notes : the benchmark's notes
    full : bool
        Whether this is the whole test set, in which a summary may be without a ground truth.
    """
    scores: Cells = {name: {} for name in METRICS}
    truth: dict[tuple[str, str], float] = {}
    system_type: dict[str, str] = {}
    for row in read_json_lines(paths["metrics"]):
        cell, system_type[cell[0]] = cell_of(row)
        for name in METRICS:
            scores[name][cell] = row["metrics"][name]
        if GROUND_TRUTH in row["metrics"]:
            ratings = row["metrics"][GROUND_TRUTH]
            truth[cell] = math.fsum(ratings) / len(ratings) if isinstance(ratings, list) else ratings
    untyped = sorted(s for s, kind in system_type.items() if kind == "unknown")
    if untyped:
        notes = (*notes, f"Systems whose type is not known: {listing(untyped)}.")
    if full:
        judged, documents = ({document for _, document in plane} for plane in (truth, scores[METRICS[0]]))
        notes = (
            *notes,
            "This project had no such file when it wrote the reader: its format and columns are"
            " taken to be the judged file's.",
            f"{len(judged)} of {len(documents)} documents are judged.",
        )
    return assemble(
        about, scores=scores, humans={judgment: truth}, system_type=system_type, notes=notes,
        full=() if full else None, scale=dict.fromkeys(METRICS, 100.0),
    )  # fmt: skip
