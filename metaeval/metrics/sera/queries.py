"""sera.queries: query reformulations, or what of a summary is looked up.

- ``raw``: every word but stop words and numbers;
- ``np``: the words of noun phrases;
- ``kw``: uni-, bi- and trigrams of neighbouring words in a sentence, each distinct one once;
- ``gesera``: common nouns, verbs and adjectives, as GeSERA's released code has it;
- ``gesera-first``: the same code before January 2021: all nouns, adjectives, and verbs but those in the
  present tense without an s (Penn tag VBP);
- ``gesera-all``: all nouns, verbs and adjectives, as the paper words it.

The first three are SERA's (Cohan and Goharian 2016), the others are readings of GeSERA's (López Espejel et
al. 2021, §2.2), which does not say what code its numbers come from. The index holds single words, so an
n-gram counts as its words: with ``kw`` a word is asked for as often as distinct n-grams hold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from metaeval.core.errors import choose
from metaeval.metrics.text import (
    ADJECTIVE,
    DETERMINER,
    NOUN,
    NOUNS,
    NUMBER,
    VERB,
    VERBS,
    Tagged,
    search_words,
    tag,
    terms,
    terms_of_words,
    without_tags,
)

LONGEST_NGRAM = 3
_RELEASED = {NOUN, ADJECTIVE} | VERBS
_FIRST_RELEASED = {VERB, ADJECTIVE} | NOUNS
_AS_WORDED = {ADJECTIVE} | NOUNS | VERBS
_BEFORE_NOUN = {DETERMINER, NUMBER, ADJECTIVE} | NOUNS
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)")


def keyword_terms(text: str) -> list[str]:
    """The terms of all distinct n-grams of one to three neighbouring words, within sentences.

    Examples
    --------
    >>> keyword_terms("cold rain")  # two words and one pair
    ['cold', 'rain', 'cold', 'rain']
    """
    ngrams: dict[tuple[str, ...], None] = {}
    for length in range(1, LONGEST_NGRAM + 1):
        for sentence in _SENTENCE.split(text):
            words = search_words(sentence)
            ngrams |= {tuple(words[i : i + length]): None for i in range(len(words) - length + 1)}
    return [term for ngram in ngrams for term in terms_of_words(ngram)]


def terms_of_classes(tagged: Tagged, *, classes: Collection[str]) -> list[str]:
    """The terms of the words of some classes."""
    return terms_of_words(word for word, kind in tagged if kind in classes)


def noun_phrase_terms(tagged: Tagged) -> list[str]:
    """The terms of noun phrases: runs of determiners, numbers, adjectives and nouns that end in a noun.

    Deviation from the released code, which takes spaCy's noun chunks, found by its parser.
    """
    found, run = [], []
    for word, kind in (*tagged, ("", "")):
        if kind in _BEFORE_NOUN:
            run.append((word, kind))
            continue
        while run and run[-1][1] not in NOUNS:
            run.pop()
        found += [inside for inside, _ in run]
        run = []
    return terms_of_words(found)


FROM_TEXT: dict[str, Callable[[str], list[str]]] = {"raw": terms, "kw": keyword_terms}
FROM_TAGS: dict[str, Callable[[Tagged], list[str]]] = {
    "np": noun_phrase_terms,
    "gesera": partial(terms_of_classes, classes=_RELEASED),
    "gesera-first": partial(terms_of_classes, classes=_FIRST_RELEASED),
    "gesera-all": partial(terms_of_classes, classes=_AS_WORDED),
}
REFORMULATIONS = ("raw", "np", "kw", "gesera")  # one of each kind: what is run unless more is asked for


def reformulate(
    texts: Iterable[str], queries: Sequence[str] = REFORMULATIONS, *, tagger: str = "hanta"
) -> dict[str, list[list[str]]]:
    """Every text as a query, in several reformulations; each text is tagged at most once.

    Parameters
    ----------
    texts : iterable of str
        Sentence tags ``<t>`` are removed.
    queries : of "raw", "np", "kw", "gesera", "gesera-first", "gesera-all"
    tagger : see `metaeval.metrics.text.tag`

    Returns
    -------
    dict, reformulation -> terms of each text; a list is empty where nothing is left of a text
    """
    known = FROM_TEXT | FROM_TAGS
    for query in queries:
        choose("query reformulation", query, known)
    texts = [without_tags(text) for text in texts]
    tagged = tag(texts, tagger=tagger) if any(query in FROM_TAGS for query in queries) else []
    return {
        query: [FROM_TEXT[query](text) for text in texts]
        if query in FROM_TEXT
        else [FROM_TAGS[query](words) for words in tagged]
        for query in queries
    }
