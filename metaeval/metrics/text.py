"""metrics.text: words, stems, sentences, stop words and parts of speech, for all metrics.

Texts in, tuples of words out; knows no dataset. Metrics that are compared with a published tool need that
tool's words, so there are two ways to cut a text into words and stems:

- `words` and `stems` are ROUGE's: letters and digits, NLTK's own extension of Porter's stemmer, and words of
  up to three letters as they are. Pyramid's units are compared with them.
- `terms` are a search engine's: words with their apostrophes, without stop words and numbers, cut by the
  stemmer as Porter published it. GeSERA's Whoosh does the same but for its shorter list of stop words and for
  numbers, which it leaves in the documents and in raw queries (the paper's §2.1 removes them, as we do).

The two stemmers disagree on one word in forty of a news article ("always": *alway*, *alwai*).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np

from metaeval.core.errors import require_extra
from metaeval.metrics.cache import cached, code, content_key, versions

_EXTRA = "texts"

# --- sentences and their tags

_TAGGED = re.compile(r"<t>(.*?)</t>", flags=re.S)
_TAG = re.compile(r"</?t>")
# a full stop, question or exclamation mark with its closing quotes, then space, then anything that can begin
# a sentence
_SENTENCE_END = re.compile(r"(?<=[.!?])(?:\s*['\"”’]+)?\s+(?=[\w\"'“‘(`$£€])")
_TITLES = "mr. mrs. ms. dr. st. no. gen. sen. rep. gov. lt. col. sgt."
_ABBREVIATIONS = tuple(_TITLES.split())


def strip_tags(text: str) -> str:
    """A text without the tags ``<t>`` and ``</t>`` that CNN/DailyMail puts around its sentences."""
    return _TAG.sub(" ", text)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, without tags.

    Where sentences stand between ``<t>`` and ``</t>``, as in CNN/DailyMail, these are the sentences;
    otherwise the text is cut after full stops, question and exclamation marks that a new word follows.
    """
    tagged = [part.strip() for part in _TAGGED.findall(text)]
    if any(tagged):
        return tuple(part for part in tagged if part)
    parts: list[str] = []
    for part in _SENTENCE_END.split(strip_tags(text).strip()):
        part = part.strip()
        if parts and parts[-1].lower().endswith(_ABBREVIATIONS):
            parts[-1] = f"{parts[-1]} {part}"
        elif part:
            parts.append(part)
    return tuple(parts)


# --- words and stems as ROUGE's

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Words of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def stems(text: str) -> tuple[str, ...]:
    """Stems of the words of a text, in order, as ROUGE takes them."""
    return tuple(rouge_stem(word) for word in words(text))


@lru_cache(maxsize=200_000)
def rouge_stem(word: str) -> str:
    """A word's stem as ROUGE takes it."""
    return _nltk_stemmer().stem(word) if len(word) > 3 else word


@cache
def _nltk_stemmer():
    return require_extra("nltk.stem.porter", _EXTRA).PorterStemmer()


# --- stop words

# closed classes of English: articles, pronouns, prepositions, conjunctions, auxiliaries, a few adverbs
_COMMON_TEXT = """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have having
    he her here hers him his how i if in into is it its itself just me more most my no nor not of off on once
    only or other our out over own same she should so some such than that the their them then there these they
    this those through to too under until up very was we were what when where which while who whom why will
    with would you your
"""
# the rest of these classes, and contractions as a search engine's words have them
_FURTHER_TEXT = """
    another either every many much neither
    mine myself us ours ourselves yours yourself yourselves himself herself theirs themselves one ones
    whose whoever
    across along among around behind beneath beside besides beyond despite except inside like near onto
    outside per since throughout till toward towards upon via within without
    yet although though unless whereas whether
    done shall may might must ought
    ever never now
    isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't shan't shouldn't
    can't cannot couldn't mayn't mightn't mustn't n't 've 'll 're 'd 'm
    i'm i've i'll i'd you're you've you'll you'd he'll he'd she'll she'd it'll it'd we're we've we'll we'd
    they're they've they'll they'd
"""
_COMMON = frozenset(_COMMON_TEXT.split())
STOP_WORDS = _COMMON | frozenset(_FURTHER_TEXT.split())  # that an index leaves out
# of words that are cut at every apostrophe; "also" and the conditional verbs count as content
_PIECES = {piece for word in STOP_WORDS if "'" in word for piece in re.findall(r"\w+", word)}
_NO_PIECES = {"also", "could", "n", "would"}
STOP_PIECES = (_COMMON | _PIECES | {"s", "now", "himself", "herself", "myself", "yourself"}) - _NO_PIECES
# that do not count as content of a unit, among ROUGE's words, which are cut at an apostrophe
FUNCTION_WORDS = _COMMON | {"s", "t", "said"}

# --- a search engine's terms

_SEARCH_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_LETTER = re.compile(r"[^\W\d_]")


def search_words(text: str) -> list[str]:
    """The lower-cased words of a text with their apostrophes, stop words and numbers included."""
    return _SEARCH_WORD.findall(text.lower())


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, repeats included: the analysis that documents and queries share.

    Lower-cased words without possessive, stop words, numbers and single letters, cut to their Porter stem.

    Examples
    --------
    >>> terms("The minister's 3 plans: planning 2,000 cars a day.")
    ['minist', 'plan', 'plan', 'car', 'dai']
    """
    return [term for word in search_words(text) if (term := _term(word))]


def terms_of_words(words: Iterable[str]) -> list[str]:
    """`terms` of words that are already cut."""
    return terms(" ".join(words))


@cache
def _term(word: str) -> str:
    """The stem of a word, or nothing for a word that is no term."""
    plain = _POSSESSIVE.sub("", word).replace("’", "'")
    if len(plain) < 2 or plain in STOP_WORDS or word.replace("’", "'") in STOP_WORDS:
        return ""
    return _porter_stemmer().stemWord(plain) if _LETTER.search(plain) else ""


@cache
def _porter_stemmer():
    return require_extra("snowballstemmer", _EXTRA).stemmer("porter")


# --- parts of speech

Tagged = tuple[tuple[str, str], ...]  # (word, coarse class)
NOUN, VERB, ADJECTIVE, PREPOSITION = "noun", "verb", "adjective", "preposition"
# kept apart from other nouns and verbs, because GeSERA's release leaves out one or the other (Penn NNP, VBP)
PROPER_NOUN, PLAIN_PRESENT = "proper noun", "plain present verb"
NOUNS, VERBS = frozenset({NOUN, PROPER_NOUN}), frozenset({VERB, PLAIN_PRESENT})
DETERMINER, NUMBER, OTHER, PUNCTUATION = "determiner", "number", "other", "punctuation"

_CLASSES = (
    *(NOUN, VERB, ADJECTIVE, PREPOSITION, PROPER_NOUN, PLAIN_PRESENT, DETERMINER, NUMBER, OTHER),
    PUNCTUATION,
)
_MANY = 100  # texts; from this number on their tags are cached, since the tagger takes seconds

# prefixes of the tags of the British National Corpus (HanTa's English model); modal verbs are no content
# words
_CLAWS = {
    "NN": NOUN, "NP": PROPER_NOUN, "VV": VERB, "VB": VERB, "VD": VERB, "VH": VERB, "AJ": ADJECTIVE,
    "VVB": PLAIN_PRESENT, "VBB": PLAIN_PRESENT, "VDB": PLAIN_PRESENT, "VHB": PLAIN_PRESENT,
    "PRP": PREPOSITION, "PRF": PREPOSITION, "AT": DETERMINER, "DP": DETERMINER, "DT": DETERMINER,
    "CRD": NUMBER, "ORD": NUMBER, "PU": PUNCTUATION,
}  # fmt: skip

# For units, which people read: numbers stay with their signs ("£3.5m"), negations with their verb ("didn't").
_TOKEN = re.compile(
    r"(?:\w\.){2,}|[£$€#]?\d+(?:[.,]\d+)*\w*%?|['’](?:s|re|ve|ll|d|m)\b|\w+?(?=['’]s\b)|\w+(?:[-’']\w+)*|[^\w\s]"
)
# For counting classes of words: negations apart from their verb, so that the tagger sees both.
_CLITIC = r"n't\b|['’](?:s|re|ve|ll|d|m)\b"
_PART = r"[^\W_]+(?:[-.][^\W_]+)*"
_FINE_TOKEN = re.compile(rf"{_CLITIC}|{_PART}(?=n't\b)|{_PART}|[^\w\s]", re.I)
_MARKS_OF_END = frozenset(".!?")


def tokenize(sentence: str) -> list[str]:
    """Words and punctuation marks of a sentence, as units are made of them."""
    return _TOKEN.findall(sentence)


def word_tags(tokens: Sequence[str]) -> list[str]:
    """Part-of-speech tags of the British National Corpus (C5), one per word of a sentence.

    Raises
    ------
    MissingExtraError
        If the tagger is not installed.
    """
    return [
        fine if any(c.isalnum() or c in "£$€%&" for c in token) else "PUN"
        for token, fine in zip(tokens, _hanta_tags(tuple(tokens)), strict=True)
    ]


def tag(texts: Sequence[str]) -> list[Tagged]:
    """The words of each text with their coarse class, `NOUN`, `VERB` and so on, punctuation included.

    From the user's cache where many texts were tagged before.

    Raises
    ------
    MissingExtraError
        If the tagger is not installed.
    """
    if len(texts) < _MANY:
        return [_tag_text(text) for text in texts]
    cut = [_FINE_TOKEN.findall(text) for text in texts]

    def compute() -> np.ndarray:
        return np.array([_CLASSES.index(kind) for text in texts for _, kind in _tag_text(text)], np.int8)

    key = content_key([code(), versions(_EXTRA), "classes", *texts])
    codes = iter(cached(key, (sum(map(len, cut)),), compute, dtype=np.int8).tolist())
    return [tuple((word, _CLASSES[next(codes)]) for word in words) for words in cut]


def _tag_text(text: str) -> Tagged:
    return tuple(
        (word, _coarse(fine))
        for sentence in _cut_at_marks(_FINE_TOKEN.findall(text))
        for word, fine in zip(sentence, _hanta_tags(sentence), strict=True)
    )


@cache
def _hanta_tags(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tags of a sentence; a reference is often tagged again, which takes longer than everything around it."""
    return tuple(_hanta().tag_sent(list(tokens), taglevel=0)) if tokens else ()  # tags alone, no lemmas


@cache
def _hanta():
    tagger = require_extra("HanTa.HanoverTagger", _EXTRA).HanoverTagger("morphmodel_en.pgz")
    tagger.analyze_forward = cache(tagger.analyze_forward)  # of a word that its model does not list
    return tagger


def _coarse(fine: str) -> str:
    fine = fine.partition("(")[0]
    return next((_CLAWS[fine[:n]] for n in (len(fine), 3, 2) if fine[:n] in _CLAWS), OTHER)


def _cut_at_marks(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    parts, start = [], 0
    for i, token in enumerate(tokens):
        if token in _MARKS_OF_END:
            parts.append(tuple(tokens[start : i + 1]))
            start = i + 1
    return [*parts, tuple(tokens[start:])] if start < len(tokens) else parts
