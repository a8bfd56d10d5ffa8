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
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import choose, require_extra
from metaeval.metrics.ngrams import Vocabulary, grams, pairs
from metaeval.metrics.text import STOP_PIECES, strip_tags
from metaeval.stats.kernels import compiled
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
    of, vocabulary = pairs(texts), Vocabulary(stemmer.stem if stem else str.lower)
    texts_of_both = (map(strip_tags, side) for side in (of.summaries, of.references))
    sides = [vocabulary.cut(map(_WORD.findall, side)) for side in texts_of_both]
    left_out = _stop_words(stop_words)
    stopped = np.array([word in left_out for word in vocabulary.normal], dtype=bool)
    by_kind = {}
    for size in {size for _, size in choices}:
        summaries, models = (grams(side, size, without=stopped) for side in sides)
        for kind in ("JS", "KL"):
            by_kind[kind, size] = np.empty((len(of.references), of.shape[0]))
        _diverge(
            summaries.ids, summaries.starts, models.ids, models.starts, of.summary, _PSEUDO_COUNT, _SPREAD,
            by_kind["JS", size], by_kind["KL", size],
        )  # fmt: skip
    ids = {dim: texts.summaries.indexes[dim] for dim in CELL}
    return with_ids(
        np.stack([of.combined(by_kind[key], references, by=by_kind[key]) for key in choices]),
        metric=names,
        **ids,
    )


def _stop_words(choice: bool | str | Path) -> Collection[str]:
    if isinstance(choice, bool):
        return STOP_PIECES if choice else ()
    return frozenset(Path(choice).expanduser().read_text(encoding="utf8").split())


@compiled
def _counts(ids, a, end_a, model_ids, b, end_b):
    """Counts of the next n-gram in order in either text, from places `a` and `b` on."""
    gram = ids[a] if b == end_b or (a < end_a and ids[a] <= model_ids[b]) else model_ids[b]
    first_a, first_b = a, b
    while a < end_a and ids[a] == gram:
        a += 1
    while b < end_b and model_ids[b] == gram:
        b += 1
    return a - first_a, b - first_b


@compiled
def _diverge(ids, starts, model_ids, model_starts, places, pseudo, spread, js, kl):
    """To `js` and `kl` (n_references, n_systems): negative divergences; each text's n-grams in order."""
    for r in range(js.shape[0]):
        first_b, end_b = model_starts[r], model_starts[r + 1]
        length_b = end_b - first_b
        for i in range(js.shape[1]):
            first_a, end_a = starts[places[r, i]], starts[places[r, i] + 1]
            length_a = end_a - first_a
            a, b, different, total = first_a, first_b, 0, 0.0
            while a < end_a or b < end_b:
                count_a, count_b = _counts(ids, a, end_a, model_ids, b, end_b)
                a, b, different = a + count_a, b + count_b, different + 1
                q, p = count_a / length_a, count_b / length_b
                if count_a > 0:
                    total += q * math.log(2 * q / (p + q))
                if count_b > 0:
                    total += p * math.log(2 * p / (p + q))
            # rounding must not make equal texts better than the best
            js[r, i] = -max(total / 2, 0.0) if length_a > 0 and length_b > 0 else -math.log(2.0)
            below = spread * pseudo * different
            a, b, total = first_a, first_b, 0.0 if different > 0 else np.nan
            while a < end_a or b < end_b:
                count_a, count_b = _counts(ids, a, end_a, model_ids, b, end_b)
                a, b = a + count_a, b + count_b
                p, q = (count_b + pseudo) / (length_b + below), (count_a + pseudo) / (length_a + below)
                total += p * math.log(p / q)
            kl[r, i] = -total
