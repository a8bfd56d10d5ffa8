"""metrics.rouge: ROUGE by the rouge-score package, and ROUGE-1 of random shares of a summary's tokens.

Texts in, scores out. The second, for `experiments.power`, is compiled, since a power curve needs some ten
million of them; on whole summaries it equals the package's (a test holds it to that). Source: Lin 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import xarray as xr
from joblib import Parallel, delayed
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize
from rouge_score.tokenizers import Tokenizer

from helpers.benchmark import Texts, with_ids
from helpers.errors import choose
from helpers.metrics.cache import cached, content_key
from helpers.metrics.text import rouge_stem, without_tags
from helpers.stats.kernels import compiled
from helpers.stats.streams import RNGLike, seed_of, stream

VARIANTS = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
PARTS = {"recall": "recall", "precision": "precision", "F1": "fmeasure"}
_RECALL, _PRECISION = 0, 1  # places in `PARTS`


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
    names = [f"{variant} {part}" for variant in variants]
    systems = texts.summaries.indexes["system"]
    return with_ids(np.stack(columns, axis=-1), metric=names, system=systems, document=documents)


def rouge_kept(texts: Texts, *, part: str = "recall") -> xr.DataArray:
    """All of `VARIANTS` by `rouge_scores`, from the user's cache where they were computed before."""
    summaries = texts.summaries
    documents = summaries.indexes["document"].tolist()
    references = [reference for document in documents for reference in texts.references[document]]
    words = [*references, *summaries.to_numpy().ravel().tolist()]
    key = content_key([f"ROUGE {part}", version("rouge-score"), *words])
    values = cached(
        key,
        (len(VARIANTS), *summaries.shape),
        lambda: rouge_scores(texts, part=part).to_numpy(),
        dtype=float,
    )
    names = [f"{variant} {part}" for variant in VARIANTS]
    return with_ids(values, metric=names, system=summaries.indexes["system"].tolist(), document=documents)


def _score_document(references, summaries, kinds, attribute, stem) -> np.ndarray:
    """(n_kinds, n_systems): one document's summaries against all its references."""
    scorer = RougeScorer(kinds, tokenizer=_Words(stem))
    references = [without_tags(reference) for reference in references]
    scores = np.zeros((len(kinds), len(summaries)))
    for i, summary in enumerate(summaries):
        found = [scorer.score(reference, without_tags(summary)) for reference in references]
        scores[:, i] = [np.mean([getattr(scored[kind], attribute) for scored in found]) for kind in kinds]
    return scores


class _Words(Tokenizer):
    """The package's own words; each stem is computed once."""

    def __init__(self, stem: bool):
        self.stemmer = SimpleNamespace(stem=rouge_stem) if stem else None

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text, self.stemmer)


@dataclass(frozen=True)
class Unigrams:
    """Token ids of all summaries, and how often each reference has each token of its document.

    Attributes
    ----------
    tokens : int32 array; all summaries one after the other, system by system
    starts : int64 array (n_systems * n_documents + 1)
    n_systems, n_documents : int
    references : int16 array (n_documents, most references, most tokens)
    lengths : int64 array (n_documents, most references), 0 where a document has fewer references
    """

    tokens: np.ndarray
    starts: np.ndarray
    n_systems: int
    n_documents: int
    references: np.ndarray
    lengths: np.ndarray


def unigrams(texts: Texts, *, stem: bool = True, n_references: int | None = None) -> Unigrams:
    """Tokens as the package rouge-score makes them.

    Parameters
    ----------
    texts : Texts
    stem : bool
        Porter stems instead of words.
    n_references : int, at least 1
        The first references of each document that count; by default all.
    """
    if n_references is not None and n_references < 1:
        raise ValueError(f"`n_references` must be at least 1, got {n_references}")
    tokenizer = _Words(stem)

    def ids(text, vocabulary: dict[str, int]) -> list[int]:
        words = tokenizer.tokenize(without_tags(str(text)))
        return [vocabulary.setdefault(word, len(vocabulary)) for word in words]

    systems, documents = (texts.summaries.indexes[dim].tolist() for dim in ("system", "document"))
    vocabularies: list[dict[str, int]] = [{} for _ in documents]
    counted = [
        [ids(text, vocabulary) for text in texts.references[document][:n_references]]
        for document, vocabulary in zip(documents, vocabularies, strict=True)
    ]
    lists = [
        ids(text, vocabulary)
        for row in texts.summaries.to_numpy()
        for text, vocabulary in zip(row, vocabularies, strict=True)
    ]
    most = max(len(found) for found in counted)
    references = np.zeros((len(documents), most, max(len(v) for v in vocabularies)), np.int16)
    lengths = np.zeros((len(documents), most), np.int64)
    for j, found in enumerate(counted):
        for r, tokens in enumerate(found):
            references[j, r] = np.bincount(tokens, minlength=references.shape[2])
            lengths[j, r] = len(tokens)
    return Unigrams(
        tokens=np.array([token for tokens in lists for token in tokens], np.int32),
        starts=np.cumsum([0, *map(len, lists)]),
        n_systems=len(systems),
        n_documents=len(documents),
        references=references,
        lengths=lengths,
    )


def check_kept(kept: Sequence[float]) -> None:
    """Raise unless the shares of tokens to keep are percentages above 0."""
    kept = np.asarray(kept, dtype=float)
    if not ((kept > 0) & (kept <= 100)).all():
        raise ValueError(f"`kept` must be percentages in (0, 100], got {kept.tolist()}")


def degraded_rouge_1(counted: Unigrams, *, kept: Sequence[float], part: str, rng: RNGLike) -> np.ndarray:
    """ROUGE-1 of random shares of every summary's tokens, averaged over references.

    Parameters
    ----------
    counted : Unigrams
    kept : shares in percent, in (0, 100]; of n tokens the nearest whole number is kept, at least one
        A larger share contains the smaller ones.
    part : {"recall", "precision", "F1"}
    rng : seed, Generator or None
        Of the tokens that are kept.

    Returns
    -------
    float array (len(kept), n_systems, n_documents)
    """
    kept = np.asarray(kept, dtype=float)
    check_kept(kept)
    choose("part of ROUGE", part, PARTS)
    out = np.zeros((len(kept), counted.n_systems, counted.n_documents))
    order = np.argsort(kept)
    sorted_out = np.zeros_like(out)
    uniform = stream(seed_of(rng), "tokens").random(len(counted.tokens))
    _degrade(
        counted.tokens, counted.starts, counted.references, counted.lengths, kept[order] / 100,
        list(PARTS).index(part), uniform, sorted_out,
    )  # fmt: skip
    out[order] = sorted_out
    return out


@compiled
def _degrade(tokens, starts, references, lengths, shares, part, uniform, out):
    """ROUGE-1 of the first tokens of a random order, for rising shares; see `degraded_rouge_1`.

    `uniform` holds a number in [0, 1) for every token; `out` is (n_shares, n_systems, n_documents).
    """
    n_shares, n_systems, n_documents = out.shape
    n_references = references.shape[1]
    seen = np.zeros(references.shape[2], np.int64)
    overlap = np.zeros(n_references, np.int64)
    order = np.empty(max(1, np.max(np.diff(starts))), np.int64)
    for cell in range(n_systems * n_documents):
        i, j = cell // n_documents, cell % n_documents
        first, length = starts[cell], starts[cell + 1] - starts[cell]
        for t in range(length):
            order[t] = tokens[first + t]
        overlap[:] = 0
        t = 0
        for s in range(n_shares):
            wanted = max(1, int(np.rint(shares[s] * length)))
            while t < min(wanted, length):
                other = t + int(uniform[first + t] * (length - t))
                order[t], order[other] = order[other], order[t]
                token = order[t]
                seen[token] += 1
                for r in range(n_references):
                    if seen[token] <= references[j, r, token]:
                        overlap[r] += 1
                t += 1
            total, used = 0.0, 0
            for r in range(n_references):
                if lengths[j, r] > 0:
                    used += 1
                    recall = overlap[r] / lengths[j, r]
                    precision = overlap[r] / t if t > 0 else 0.0
                    if part == _RECALL:
                        total += recall
                    elif part == _PRECISION:
                        total += precision
                    elif recall + precision > 0.0:
                        total += 2 * recall * precision / (recall + precision)
            out[s, i, j] = total / used if used > 0 else np.nan
        for k in range(t):
            seen[order[k]] = 0
