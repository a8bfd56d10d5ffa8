r"""metrics.divergence: JS and KL divergence of a summary's and a reference's n-gram distributions.

Source: Lin et al. 2006. Both are given with a minus, as REALSumm releases its JS-2, so that 0 is best. With
:math:`p` the reference's shares, :math:`q` the summary's and :math:`m` their mean:

- JS-*n* is :math:`-\frac12 \sum p \log(p/m) - \frac12 \sum q \log(q/m)`, from -log 2 where the texts share
  nothing to 0;
- KL-*n* is :math:`-\sum p \log(p/q)`, both shares smoothed over the *V* different n-grams of the two texts,
  :math:`(count + \delta) / (total + 1.5\,\delta V)` with :math:`\delta = 0.0005` as Louis and Nenkova 2013
  have it, so that an n-gram of one text alone has a finite cost.

By default texts are cut as by REALSumm's scorer: runs of letters, digits and underscores, Snowball's English
stems, and no n-gram of which every stem is a stop word. That scorer's list is one of NLTK's, a download;
`STOP_PIECES` is made of this project's function words, cut at the apostrophe as the scorer cuts them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import xarray as xr
from scipy.special import rel_entr

from metaeval.core.errors import choose, require_extra
from metaeval.metrics.ngrams import pairs
from metaeval.metrics.text import STOP_PIECES, strip_tags
from metaeval.tables.benchmark import CELL, Texts, with_ids

_NAMES = {f"{kind}-{size}": (kind, size) for kind in ("JS", "KL") for size in (1, 2)}
_WORD = re.compile(r"\w+")
_PSEUDO_COUNT, _SPREAD = 0.0005, 1.5  # δ, and how many n-grams there could be for each that there is


def divergence_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    stem: bool = True,
    stop_words: bool | str | Path = True,
    references: str = "mean",
) -> xr.DataArray:
    """Every summary's divergence from its references, with a minus.

    Parameters
    ----------
    texts : Texts
    names : of ``"JS-1"``, ``"JS-2"``, ``"KL-1"``, ``"KL-2"``
    stem : bool
        Compare Snowball's English stems instead of words.
    stop_words : bool or file
        An n-gram of nothing but these is left out: `STOP_PIECES`, or none, or those of a file, separated by
        spaces or line breaks, such as NLTK's ``corpora/stopwords/english``.
    references : {"mean", "max"}
        Of several references: the mean over them, or the nearest.

    Returns
    -------
    DataArray, dims (metric, system, document)
        At most 0, which is best. Where a text has no n-gram, JS is -log 2; where neither has one, KL is NaN.

    Raises
    ------
    OSError
        If the file of stop words cannot be read.
    """
    choices = [choose("divergence", name, _NAMES) for name in names]
    stemmer = require_extra("nltk.stem.snowball", "texts").SnowballStemmer("english")
    normal, left_out = cache(stemmer.stem if stem else str.lower), _stop_words(stop_words)

    def cut(text: str) -> list[str]:
        return [normal(word) for word in _WORD.findall(strip_tags(text))]

    of, by_kind = pairs(texts), {}
    sides = [list(map(cut, side)) for side in (of.summaries, of.references)]
    for kind, size in choices:
        summaries, models = ([_grams(words, size, left_out) for words in side] for side in sides)
        values = [
            [_KINDS[kind](summaries[place], model) for place in places]
            for model, places in zip(models, of.summary.tolist(), strict=True)
        ]
        by_kind[kind, size] = np.reshape(values, of.summary.shape)
    ids = {dim: texts.summaries.indexes[dim] for dim in CELL}
    return with_ids(
        np.stack([of.combined(by_kind[key], references, by=by_kind[key]) for key in choices]),
        metric=names,
        **ids,
    )


def _stop_words(choice: bool | str | Path) -> frozenset[str]:
    if isinstance(choice, bool):
        return STOP_PIECES if choice else frozenset()
    return frozenset(Path(choice).expanduser().read_text(encoding="utf8").split())


def _grams(words: Sequence[str], size: int, left_out: frozenset[str]) -> Counter:
    every = zip(*(words[start:] for start in range(size)), strict=False)
    return Counter(gram for gram in every if not left_out.issuperset(gram))


def _counts(summary: Counter, reference: Counter) -> list[np.ndarray]:
    """Counts in either text of each n-gram of the two."""
    union = summary | reference
    return [np.array([side[gram] for gram in union], dtype=float) for side in (summary, reference)]


def _jensen_shannon(summary: Counter, reference: Counter) -> float:
    if not (summary and reference):
        return -math.log(2)
    q, p = (counts / counts.sum() for counts in _counts(summary, reference))
    total = rel_entr(q, (p + q) / 2).sum() + rel_entr(p, (p + q) / 2).sum()
    return -max(float(total) / 2, 0.0)  # rounding must not make equal texts better than the best


def _kullback_leibler(summary: Counter, reference: Counter) -> float:
    counts = _counts(summary, reference)
    below = _SPREAD * _PSEUDO_COUNT * len(counts[0])
    q, p = ((side + _PSEUDO_COUNT) / (side.sum() + below) for side in counts)
    return -float(rel_entr(p, q).sum()) if len(p) else math.nan


_KINDS = {"JS": _jensen_shannon, "KL": _kullback_leibler}
