"""Time BERTScore beside the package's own call, system by system: ``make bench`` writes
data/recorded/bench_bertscore.csv.

The texts are simulated (25 systems, one reference). The package's ``score`` loads the model at every call;
its ``BERTScorer`` loads it once: both are timed, and so is the growth with documents. The scores are
compared, to 1e-5. One thread; seconds are the process's own, so that other work on the machine counts as
little as it can.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import bert_score
import numpy as np
import pandas as pd
import torch

from metaeval.core.paths import DATA
from metaeval.datasets import load
from metaeval.metrics.embeddings import encoder, model_folder
from metaeval.metrics.vectors import NAMES, PARTS, vector_scores
from metaeval.tables.benchmark import Texts

SIZES = (5, 10, 20)  # documents
BERT = [f"BERTScore {part}" for part in PARTS]
TOLERANCE = 1e-5
MODEL = {"num_layers": 6, "device": "cpu"}


def made(n_documents: int) -> Texts:
    """Summaries of the first documents of the simulated benchmark, each with one reference."""
    texts = load("simulated-realsumm").texts
    summaries = texts.summaries[:, :n_documents]
    return Texts(summaries, {d: texts.references[d][:1] for d in summaries.indexes["document"]})


def by_system(texts: Texts, score: Callable) -> np.ndarray:
    """(3, n_systems, n_documents) by a call of the package for each system."""
    references = [texts.references[document][0] for document in texts.summaries.indexes["document"]]
    found = [score(row, references) for row in texts.summaries.to_numpy().tolist()]
    return np.array([[part.numpy() for part in row] for row in found]).swapaxes(0, 1)


def timed(call: Callable) -> tuple[np.ndarray, float]:
    """What a call gives, and the seconds that its process worked."""
    start = time.process_time()
    found = call()
    return np.asarray(found), time.process_time() - start


def measured(n_documents: int) -> dict[str, object]:
    """One row: seconds of the package and ours, without and with loading, and how many times ours go in."""
    texts, model = made(n_documents), str(model_folder())
    scorer = bert_score.BERTScorer(model_type=model, **MODEL)
    loading = lambda row, of: bert_score.score(row, of, model_type=model, **MODEL)  # noqa: E731
    loaded, plain = timed(lambda: by_system(texts, loading))
    warm, without = timed(lambda: by_system(texts, scorer.score))
    ours, spent = timed(lambda: vector_scores(texts, BERT))
    encoder.cache_clear()
    again, spent_loading = timed(lambda: vector_scores(texts, BERT))
    for other in (warm, ours, again):
        if np.abs(loaded - other).max() > TOLERANCE:
            raise SystemExit(f"scores differ by {np.abs(loaded - other).max():.2g}")
    _, all_metrics = timed(lambda: vector_scores(texts, NAMES))
    return {
        "systems": texts.summaries.sizes["system"],
        "documents": n_documents,
        "plain_seconds": without,
        "seconds": spent,
        "times": without / spent,
        "plain_loading_seconds": plain,
        "loading_seconds": spent_loading,
        "times_loading": plain / spent_loading,
        "largest_difference": np.abs(loaded - ours).max(),
        "all_metrics_seconds": all_metrics,
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DATA / "recorded" / "bench_bertscore.csv")
    parser.add_argument("--documents", type=int, nargs="+", default=SIZES)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    vector_scores(made(1), NAMES)  # everything is imported and loaded
    rows = []
    for n_documents in arguments.documents:
        rows.append(measured(n_documents))
        print(rows[-1], flush=True)
    pd.DataFrame(rows).to_csv(arguments.output, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
