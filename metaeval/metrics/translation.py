"""metrics.translation: metrics of machine translation: BLEU and chrF by sacrebleu, METEOR by NLTK.

Each compares a summary with all references of its document at once, as its library has it: BLEU counts an
n-gram as often as the reference that has it most, chrF and METEOR take the nearest reference. Sources:
Papineni et al. 2002, Post 2018; Popović 2015, 2017; Banerjee and Lavie 2005.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from types import SimpleNamespace

import nltk
import numpy as np
import xarray as xr
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.stem.porter import PorterStemmer
from nltk.tokenize import NLTKWordTokenizer
from nltk.translate.meteor_score import meteor_score
from sacrebleu.metrics import BLEU, CHRF

from metaeval.core.errors import SourceUnavailableError, choose
from metaeval.metrics.text import sentences, strip_tags
from metaeval.tables.benchmark import CELL, Texts, with_ids

# effective_order leaves out n-gram orders without a match: a sentence without a common 4-gram is not 0
_SCORERS = {
    "BLEU": partial(BLEU, effective_order=True),
    "chrF": CHRF,
    "chrF++": partial(CHRF, word_order=2),
}
_WITHOUT_SYNONYMS = SimpleNamespace(synsets=lambda word: [])


def sacrebleu_scores(texts: Texts, names: Sequence[str]) -> xr.DataArray:
    """BLEU and chrF of every summary, each summary by itself.

    Parameters
    ----------
    texts : Texts
    names : of ``"BLEU"``, ``"chrF"``, ``"chrF++"``

    Returns
    -------
    DataArray in [0, 100], dims (metric, system, document)
        0 where a summary or all of its references are empty.
    """
    factories = [choose("metric of sacrebleu", name, _SCORERS) for name in names]

    def scorer(references: Sequence[str]) -> Callable[[str], list[float]]:
        # a scorer built with references counts their n-grams once, not once per system
        plain_references = [[strip_tags(reference)] for reference in references]
        scorers = [make(references=plain_references) for make in factories]
        return lambda summary: [by.corpus_score([strip_tags(summary)], None).score for by in scorers]

    return _scored(texts, names, scorer)


def meteor_scores(
    texts: Texts, names: Sequence[str] = ("METEOR",), *, wordnet: str | Path | None = None
) -> xr.DataArray:
    """METEOR of every summary: words that are equal, have one stem or, with WordNet, one meaning.

    Parameters
    ----------
    texts : Texts
    names : ``["METEOR"]``
    wordnet : folder with NLTK's data, such as ``nltk_data``, in which ``corpora/wordnet`` lies unpacked
        By default no synonyms are matched, and nothing is downloaded.

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document)
        0 where a summary or all of its references are empty.

    Raises
    ------
    SourceUnavailableError
        If WordNet is not in the folder.
    """
    words, stemmer = cache(NLTKWordTokenizer().tokenize), _stemmer()  # systems copy the same sentences
    synonyms = _WITHOUT_SYNONYMS if wordnet is None else _read(Path(wordnet).expanduser())

    def cut(text: str) -> list[str]:
        return [word for sentence in sentences(text) for word in words(sentence)]

    def scorer(references: Sequence[str]) -> Callable[[str], list[float]]:
        models = [cut(reference) for reference in references]
        return lambda summary: [meteor_score(models, cut(summary), stemmer=stemmer, wordnet=synonyms)]

    return _scored(texts, names, scorer)


@cache
def _stemmer() -> PorterStemmer:
    """A stemmer with a cache: half of METEOR's time is stemming repeated words."""
    stemmer = PorterStemmer()
    stemmer.stem = lru_cache(maxsize=200_000)(stemmer.stem)
    return stemmer


@cache  # texts come in pieces, and NLTK leaves files open in each reader
def _read(folder: Path) -> WordNetCorpusReader:
    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))  # NLTK reads only from its registered folders
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about further files for other languages
            return WordNetCorpusReader(nltk.data.find("corpora/wordnet", [str(folder)]), None)
    except (LookupError, OSError):
        raise SourceUnavailableError(
            f"{folder} does not hold corpora/wordnet; name a folder that NLTK downloaded WordNet to"
        ) from None


def _scored(
    texts: Texts, names: Sequence[str], scorer: Callable[[Sequence[str]], Callable[[str], list[float]]]
) -> xr.DataArray:
    """Score each document's summaries by a scorer built from its references."""
    systems, documents = (texts.summaries.indexes[dim] for dim in CELL)
    summaries = texts.summaries.transpose(*CELL).to_numpy()
    out = np.empty((len(names), len(systems), len(documents)))
    for j, document in enumerate(documents):
        score = scorer(texts.references[document])
        for i in range(len(systems)):
            out[:, i, j] = score(summaries[i, j])
    return with_ids(out, metric=names, system=systems, document=documents)
