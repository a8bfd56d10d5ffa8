"""Time ROUGE beside a plain loop over the package rouge-score: ``make bench`` writes
data/recorded/bench_scoring.csv.

The texts are made up: words drawn as unequally often as in English, with English endings, three sentences a
text. The plain loop takes all summaries of a few documents; before it is timed its numbers are compared with
ours, bit for bit. Both are then projected to the 11,490 documents of CNN/DailyMail's test set: the loop in
proportion, ours from the largest number of documents that was timed. Stems that an earlier call has found are
forgotten before each call.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from rouge_score.rouge_scorer import RougeScorer

from benchmarks.resampling import seconds
from metaeval.core.paths import DATA
from metaeval.metrics.rouge import PARTS, rouge_scores
from metaeval.metrics.text import rouge_stem
from metaeval.tables.benchmark import CELL, Texts

N_SYSTEMS, LOOPED, ALL = 25, 10, 11_490
DOCUMENTS = (250, 500, 1_000)
_THREE = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
VARIANTS = {"ROUGE-1, -2, -L": _THREE, "ROUGE-1, -2, -L, -Lsum": _THREE | {"ROUGE-Lsum": "rougeLsum"}}
LIMIT = 5.0  # that the loop must take as often as long
_LETTERS = np.array(list("bdfgklmnprstv"))
_VOWELS = np.array(list("aeiou"))
_ENDINGS = np.array(["", "", "s", "ed", "ing", "ation", "ly", "er"])


def made(n_documents: int, *, n_words: int = 20_000, length: int = 60) -> Texts:
    """Summaries of 25 systems and a reference for each document."""
    rng = np.random.default_rng(0)
    syllables = np.char.add(rng.choice(_LETTERS, (n_words, 3)), rng.choice(_VOWELS, (n_words, 3)))
    words = np.array(["".join(row) for row in syllables], dtype=object) + rng.choice(_ENDINGS, n_words)
    share = 1 / np.arange(1, n_words + 1)
    drawn = rng.choice(words, (N_SYSTEMS + 1, n_documents, 3, length // 3), p=share / share.sum())
    texts = np.array(
        [["\n".join(" ".join(sentence) for sentence in text) for text in row] for row in drawn], dtype=object
    )
    documents = [str(j) for j in range(n_documents)]
    summaries = xr.DataArray(texts[1:], {"system": np.arange(N_SYSTEMS), "document": documents}, CELL)
    return Texts(summaries, {document: (text,) for document, text in zip(documents, texts[0], strict=True)})


def plain(texts: Texts, kinds: dict[str, str]) -> np.ndarray:
    """The loop that everybody writes: (metric, system, document)."""
    scorer = RougeScorer([*kinds.values()], use_stemmer=True)
    rows = []
    for system in texts.summaries.system.values:
        for document in texts.summaries.document.values:
            summary = texts.summaries.sel(system=system, document=document).item()
            found = scorer.score(texts.references[document][0], summary)
            rows.append([(s.recall, s.precision, s.fmeasure) for s in found.values()])
    return np.moveaxis(np.array(rows).reshape(*texts.summaries.shape, -1), -1, 0)


def ours(texts: Texts, kinds: dict[str, str]) -> np.ndarray:
    """The same numbers from the texts cut once."""
    rouge_stem.cache_clear()
    names = [f"{variant} {part}" for variant in kinds for part in PARTS]
    return rouge_scores(texts, names, split="newlines").to_numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DATA / "recorded" / "bench_scoring.csv")
    arguments = parser.parse_args()
    few, rows = made(LOOPED), []
    for task, kinds in VARIANTS.items():
        if not np.array_equal(plain(few, kinds), ours(few, kinds)):
            raise SystemExit(f"{task}: ours and rouge-score's numbers differ")
        loop = seconds(lambda kinds=kinds: plain(few, kinds), at_least=1, repeats=3) / LOOPED
        for n in DOCUMENTS:
            texts = made(n)
            spent = seconds(lambda texts=texts, kinds=kinds: ours(texts, kinds), at_least=1, repeats=3)
            row = {"task": task, "n_systems": N_SYSTEMS, "n_documents": n, "seconds": spent}
            row |= {"plain_seconds": loop * n, "factor": loop * n / spent, "limit": LIMIT}
            row |= {"projected": spent / n * ALL, "plain_projected": loop * ALL}
            rows.append(row | {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)})
            print(rows[-1], flush=True)
    pd.DataFrame(rows).to_csv(arguments.output, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
