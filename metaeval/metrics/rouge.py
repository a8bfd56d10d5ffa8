"""metrics.rouge: ROUGE as the package rouge-score defines it, and ROUGE-1 of random shares of a text's words.

Texts in, scores out. Each text is cut into stems once, and what two texts share is counted by compiled loops;
every number is the package's, bit for bit (tests check that). Random shares are for `experiments.power`,
since a power curve needs some ten million of them. Source: Lin 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from rouge_score.tokenize import tokenize

from metaeval.core.errors import choose
from metaeval.core.limits import check_count
from metaeval.metrics.ngrams import Cut, Pairs, Vocabulary, grams, pairs
from metaeval.metrics.text import rouge_stem, sentences, strip_tags
from metaeval.stats.kernels import compiled
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import CELL, Texts, with_ids

VARIANTS = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
PARTS = ("recall", "precision", "F1")
_RECALL, _PRECISION = 0, 1  # places in `PARTS`
_NAMES = {f"{variant} {part}": (variant, part) for variant in (*VARIANTS, "ROUGE-Lsum") for part in PARTS}
_SPLITS: dict[str, Callable[[str], Sequence[str]]] = {
    "sentences": sentences,
    "newlines": lambda text: strip_tags(text).split("\n"),
}


def rouge_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    stem: bool = True,
    references: str = "mean",
    split: str = "sentences",
) -> xr.DataArray:
    """ROUGE of every summary.

    Parameters
    ----------
    texts : Texts
    names : such as ``"ROUGE-1 recall"``
        ROUGE-1, ROUGE-2, ROUGE-L (the whole text is one sequence) and ROUGE-Lsum (sentence by sentence), each
        with recall, precision and F1.
    stem : bool
        Compare Porter stems instead of words.
    references : {"mean", "max"}
        Of several references: the mean over them, or the one of highest F1, as the package has it.
    split : {"sentences", "newlines"}
        The unit of ROUGE-Lsum: a sentence of `metrics.text.sentences`, by tags or full stops, or a line, as
        in the package.

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document)
        0 where a summary or a reference has no word, as in the package.
    """
    choices = [choose("ROUGE", name, _NAMES) for name in names]
    variants = {variant for variant, _ in choices}
    cut_sentences = choose("way to cut sentences", split, _SPLITS)
    of, vocabulary = pairs(texts), Vocabulary(rouge_stem if stem else str)
    by_variant = {}
    if whole := variants & {*VARIANTS}:
        sides = [vocabulary.cut(map(_tokens, side)) for side in (of.summaries, of.references)]
        by_variant = {variant: _parts(*_count(variant, *sides, of)) for variant in whole}
    if "ROUGE-Lsum" in variants:
        by_variant["ROUGE-Lsum"] = _parts(*_by_sentence(of, vocabulary, cut_sentences))
    values = {
        variant: of.combined(parts, references, by=parts[PARTS.index("F1")])
        for variant, parts in by_variant.items()
    }
    ids = {dim: texts.summaries.indexes[dim] for dim in CELL}
    return with_ids(np.stack([values[v][PARTS.index(part)] for v, part in choices]), metric=names, **ids)


def _tokens(text: str) -> list[str]:
    return tokenize(strip_tags(text), None)  # each word is stemmed once, by the vocabulary


def _parts(shared: np.ndarray, summary_sizes: np.ndarray, reference_sizes: np.ndarray) -> np.ndarray:
    """Recall, precision and F1 (3, n_references, n_systems) from counts of shared and of all units."""
    recall = shared / np.maximum(reference_sizes[:, None], 1)
    precision = shared / np.maximum(summary_sizes, 1)
    both = recall + precision
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.stack([recall, precision, f1])


def _count(variant: str, summaries: Cut, models: Cut, of: Pairs) -> tuple[np.ndarray, ...]:
    """Counts of shared and of all words, pairs of words, or words of the longest common subsequence."""
    if variant != "ROUGE-L":
        size = int(variant[-1])
        summaries, models = grams(summaries, size), grams(models, size)
    count = _longest if variant == "ROUGE-L" else _share
    shared = np.zeros((len(of.references), of.shape[0]))
    count(summaries.ids, summaries.starts, models.ids, models.starts, of.summary, shared)
    return shared, summaries.lengths[of.summary], models.lengths


def _by_sentence(
    of: Pairs, vocabulary: Vocabulary, cut_sentences: Callable[[str], Sequence[str]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sides, bounds = [], []
    for side in (of.summaries, of.references):
        cut_texts = [cut_sentences(text) for text in side]
        sides.append(vocabulary.cut(_tokens(sentence) for cut in cut_texts for sentence in cut))
        bounds.append(np.cumsum([0, *map(len, cut_texts)]))
    (summaries, models), (summary_bounds, model_bounds) = sides, bounds
    shared = np.zeros((len(of.references), of.shape[0]))
    maxima = (*(int(cut.lengths.max(initial=0)) for cut in sides), len(vocabulary))
    _union(
        summaries.ids, summaries.starts, summary_bounds, models.ids, models.starts, model_bounds, of.summary,
        maxima, shared,
    )  # fmt: skip
    sizes = [np.diff(cut.starts[bound]) for cut, bound in zip(sides, bounds, strict=True)]
    return shared, sizes[0][of.summary], sizes[1]


@compiled
def _share(ids, starts, model_ids, model_starts, places, out):
    """To `out` (n_references, n_systems): how many n-grams two texts share; each text's stand in order."""
    for r in range(out.shape[0]):
        for i in range(out.shape[1]):
            a, end_a = starts[places[r, i]], starts[places[r, i] + 1]
            b, end_b = model_starts[r], model_starts[r + 1]
            shared = 0
            while a < end_a and b < end_b:
                if ids[a] < model_ids[b]:
                    a += 1
                elif ids[a] > model_ids[b]:
                    b += 1
                else:
                    shared, a, b = shared + 1, a + 1, b + 1
            out[r, i] = shared


@compiled
def _longest(ids, starts, model_ids, model_starts, places, out):
    """To `out` (n_references, n_systems): the length of the longest common subsequence."""
    row = np.empty(np.max(np.diff(starts)) + 1, np.int64)
    for r in range(out.shape[0]):
        for i in range(out.shape[1]):
            first, n = starts[places[r, i]], starts[places[r, i] + 1] - starts[places[r, i]]
            row[: n + 1] = 0
            for b in range(model_starts[r], model_starts[r + 1]):
                corner = 0  # the row above, one to the left
                for a in range(n):
                    above = row[a + 1]
                    if ids[first + a] == model_ids[b]:
                        row[a + 1] = corner + 1
                    else:
                        row[a + 1] = max(above, row[a])
                    corner = above
            out[r, i] = row[n]


@compiled
def _union(ids, starts, texts, model_ids, model_starts, models, places, sizes, out):
    """To `out` (n_references, n_systems): how many words of a reference's sentences stand in a longest common
    subsequence with one of the summary's, none counted more often than either text has it.

    `texts` and `models` are where each text's sentences begin; `sizes` the most words of a summary's and of a
    reference's sentence, and of the vocabulary. Of several longest common subsequences the
    package's backtracking takes one; `came` (0: both, 1: from the left, 2: from above) retraces it.
    """
    n, m, size = sizes
    came = np.empty((m, n), np.uint8)
    row, used = np.zeros(n + 1, np.int64), np.empty(m, np.bool_)
    remaining, model_remaining = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for r in range(out.shape[0]):
        first, last = models[r], models[r + 1]
        for i in range(out.shape[1]):
            first_text, last_text = texts[places[r, i]], texts[places[r, i] + 1]
            for a in range(starts[first_text], starts[last_text]):
                remaining[ids[a]] += 1
            for b in range(model_starts[first], model_starts[last]):
                model_remaining[model_ids[b]] += 1
            hits = 0
            for sentence in range(first, last):
                begin, height = model_starts[sentence], model_starts[sentence + 1] - model_starts[sentence]
                used[:height] = False
                for other in range(first_text, last_text):
                    start, width = starts[other], starts[other + 1] - starts[other]
                    row[: width + 1] = 0
                    for b in range(height):
                        corner = 0
                        for a in range(width):
                            above = row[a + 1]
                            if ids[start + a] == model_ids[begin + b]:
                                row[a + 1], came[b, a] = corner + 1, 0
                            elif row[a] > above:
                                row[a + 1], came[b, a] = row[a], 1
                            else:
                                row[a + 1], came[b, a] = above, 2
                            corner = above
                    a, b = width - 1, height - 1
                    while a >= 0 and b >= 0:
                        step = came[b, a]
                        used[b] = used[b] or step == 0
                        a -= step != 2
                        b -= step != 1
                for b in range(height):
                    word = model_ids[begin + b]
                    if used[b] and remaining[word] > 0 and model_remaining[word] > 0:
                        hits += 1
                        remaining[word] -= 1
                        model_remaining[word] -= 1
            out[r, i] = hits
            for a in range(starts[first_text], starts[last_text]):
                remaining[ids[a]] = 0
            for b in range(model_starts[first], model_starts[last]):
                model_remaining[model_ids[b]] = 0


@dataclass(frozen=True)
class Unigrams:
    """Stems of all summaries and references, for `degraded_rouge_1`.

    Attributes
    ----------
    of : Pairs
    summaries, references : Cut
    n_stems : int, number of different ones
    """

    of: Pairs
    summaries: Cut
    references: Cut
    n_stems: int


def unigrams(texts: Texts, *, n_references: int | None = None) -> Unigrams:
    """Porter stems as the package rouge-score makes them.

    Parameters
    ----------
    texts : Texts
    n_references : int, at least 1
        The first references of each document that count; by default all.
    """
    if n_references is not None:
        check_count("n_references", n_references)
    references = {document: own[:n_references] for document, own in texts.references.items()}
    of, vocabulary = pairs(Texts(texts.summaries, references)), Vocabulary(rouge_stem)
    sides = [vocabulary.cut(map(_tokens, side)) for side in (of.summaries, of.references)]
    return Unigrams(of, *sides, len(vocabulary))


def degraded_rouge_1(
    counted: Unigrams, *, percentages: Sequence[float], part: str, rng: RNGLike
) -> np.ndarray:
    """ROUGE-1 of random shares of every summary's tokens, averaged over references.

    Parameters
    ----------
    counted : Unigrams
    percentages : of tokens kept, in (0, 100]; of n tokens the nearest whole number, at least one
        A larger share contains the smaller ones.
    part : {"recall", "precision", "F1"}
    rng : seed, Generator or None
        Of the tokens kept.

    Returns
    -------
    float array (len(percentages), n_systems, n_documents)
    """
    percentages = np.asarray(percentages, dtype=float)
    if not ((percentages > 0) & (percentages <= 100)).all():
        raise ValueError(f"`percentages` must be in (0, 100], got {percentages.tolist()}")
    choose("part of ROUGE", part, dict.fromkeys(PARTS))
    order = np.argsort(percentages)
    uniform = stream(seed_of(rng), "tokens").random(len(counted.summaries.ids))
    out = np.zeros((len(percentages), *counted.of.shape))
    _degrade(
        counted.summaries.ids, counted.summaries.starts, counted.references.ids, counted.references.starts,
        counted.of.rows, counted.n_stems, percentages[order] / 100, PARTS.index(part), uniform, out,
    )  # fmt: skip
    return out[np.argsort(order)]


@compiled
def _degrade(tokens, starts, model_tokens, model_starts, rows, n_stems, shares, part, uniform, out):
    """ROUGE-1 of the first tokens of a random order, for rising shares; see `degraded_rouge_1`.

    `uniform` holds a number in [0, 1) for every token; `out` is (n_shares, n_systems, n_documents).
    """
    n_shares, n_systems, n_documents = out.shape
    n_references = rows.shape[1]
    counts = np.zeros(n_stems, np.int16)
    available = np.zeros((n_references, n_stems), np.int16)  # by the document's references
    overlap = np.zeros(n_references, np.int64)
    order = np.empty(max(1, np.max(np.diff(starts))), np.int64)
    for j in range(n_documents):
        available[:] = 0
        for r in range(n_references):
            if rows[j, r] >= 0:
                for b in range(model_starts[rows[j, r]], model_starts[rows[j, r] + 1]):
                    available[r, model_tokens[b]] += 1
        for i in range(n_systems):
            cell = i * n_documents + j
            first, length = starts[cell], starts[cell + 1] - starts[cell]
            order[:length] = tokens[first : first + length]
            overlap[:] = 0
            t = 0
            for s in range(n_shares):
                n_kept = max(1, int(np.rint(shares[s] * length)))
                while t < min(n_kept, length):
                    other = t + int(uniform[first + t] * (length - t))
                    order[t], order[other] = order[other], order[t]
                    token = order[t]
                    counts[token] += 1
                    for r in range(n_references):
                        overlap[r] += counts[token] <= available[r, token]
                    t += 1
                total, used = 0.0, 0
                for r in range(n_references):
                    size = model_starts[rows[j, r] + 1] - model_starts[rows[j, r]] if rows[j, r] >= 0 else 0
                    if size > 0:
                        used += 1
                        recall = overlap[r] / size
                        precision = overlap[r] / t if t > 0 else 0.0
                        if part == _RECALL:
                            total += recall
                        elif part == _PRECISION:
                            total += precision
                        elif recall + precision > 0.0:
                            total += 2 * recall * precision / (recall + precision)
                out[s, i, j] = total / used if used > 0 else np.nan
            for k in range(t):
                counts[order[k]] = 0
