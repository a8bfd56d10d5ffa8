"""metrics.rouge: ROUGE of summaries against their references, by the rouge-score package.

Texts in, labelled scores out. Source: Lin 2004.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from joblib import Parallel, delayed
from rouge_score.rouge_scorer import RougeScorer

from helpers.benchmark import CELL, Texts
from helpers.errors import choose
from helpers.metrics.text import without_tags

VARIANTS = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
PARTS = {"recall": "recall", "precision": "precision", "F1": "fmeasure"}


def rouge_scores(
    texts: Texts,
    *,
    variants: Sequence[str] = tuple(VARIANTS),
    part: str = "recall",
    stem: bool = True,
    n_jobs: int = 1,
) -> xr.DataArray:
    """ROUGE of every summary, averaged over the document's references.

    Parameters
    ----------
    texts : Texts
    variants : of ``"ROUGE-1"``, ``"ROUGE-2"``, ``"ROUGE-L"``
        ROUGE-L takes the whole text as one sequence, without regard to sentences.
    part : {"recall", "precision", "F1"}
    stem : bool
        Compare Porter stems instead of words.
    n_jobs : int
        Processes, -1 for all cores; the scores do not depend on it. One by default: the book runs notebooks
        side by side, and workers outlive their kernel by seconds.

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document), metrics named such as ``"ROUGE-1 recall"``
    """
    kinds = [choose("ROUGE variant", variant, VARIANTS) for variant in variants]
    attribute = choose("part of ROUGE", part, PARTS)
    documents = texts.summaries.indexes["document"].tolist()
    columns = Parallel(n_jobs=n_jobs)(
        delayed(_score_document)(
            texts.references[document],
            texts.summaries.sel(document=document).to_numpy().tolist(),
            kinds,
            attribute,
            stem,
        )
        for document in documents
    )
    return xr.DataArray(
        np.stack(columns, axis=-1),
        dims=("metric", *CELL),
        coords={
            "metric": pd.Index([f"{variant} {part}" for variant in variants], dtype=object),
            "system": texts.summaries.indexes["system"],
            "document": texts.summaries.indexes["document"],
        },
    )


def _score_document(references, summaries, kinds, attribute, stem) -> np.ndarray:
    """(n_kinds, n_systems): one document's summaries against all its references."""
    scorer = RougeScorer(kinds, use_stemmer=stem)
    references = [without_tags(reference) for reference in references]
    scores = np.zeros((len(kinds), len(summaries)))
    for i, summary in enumerate(summaries):
        found = [scorer.score(reference, without_tags(summary)) for reference in references]
        scores[:, i] = [np.mean([getattr(scored[kind], attribute) for scored in found]) for kind in kinds]
    return scores
