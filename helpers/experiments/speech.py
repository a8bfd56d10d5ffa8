"""Shares of parts of speech in collections of texts (López Espejel et al. 2021, Fig. 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from helpers.errors import DataError
from helpers.metrics.text import ADJECTIVE, NOUN, PREPOSITION, PUNCTUATION, VERB, tag, without_tags

SHOWN = (NOUN, VERB, ADJECTIVE, PREPOSITION)
OTHERS = "others"


def speech_table(corpora: Mapping[str, Sequence[str]], *, tagger: str = "hanta") -> pd.DataFrame:
    """The share of nouns, verbs, adjectives, prepositions and everything else among the words.

    Parameters
    ----------
    corpora : mapping, name -> texts
    tagger : see `helpers.metrics.text.tag`

    Returns
    -------
    DataFrame with columns corpus, part, share (of the words, without punctuation), words
    """
    rows = []
    for corpus, texts in corpora.items():
        counted = Counter(kind for text in tag(map(without_tags, texts), tagger=tagger) for _, kind in text)
        counted.pop(PUNCTUATION, None)
        words = sum(counted.values())
        if not words:
            raise DataError(f"{corpus}: holds no word")
        shares = {part: counted.pop(part, 0) / words for part in SHOWN}
        shares[OTHERS] = sum(counted.values()) / words
        rows += [
            {"corpus": corpus, "part": part, "share": share, "words": words} for part, share in shares.items()
        ]
    return pd.DataFrame(rows)
