"""Parts of speech, by a tagger that carries its model or by one that the user has installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module

from helpers.errors import SourceUnavailableError, UnknownNameError

Tagged = tuple[tuple[str, str], ...]  # (word, coarse class)
NOUN, VERB, ADJECTIVE, PREPOSITION = "noun", "verb", "adjective", "preposition"
DETERMINER, NUMBER, OTHER, PUNCTUATION = "determiner", "number", "other", "punctuation"
CLASSES = (NOUN, VERB, ADJECTIVE, PREPOSITION, DETERMINER, NUMBER, OTHER, PUNCTUATION)

# prefixes of the tags of the British National Corpus (HanTa's English model); modal verbs are no content
# words
_CLAWS = {
    "NN": NOUN, "NP": NOUN, "VV": VERB, "VB": VERB, "VD": VERB, "VH": VERB, "AJ": ADJECTIVE,
    "PRP": PREPOSITION, "PRF": PREPOSITION, "AT": DETERMINER, "DP": DETERMINER, "DT": DETERMINER,
    "CRD": NUMBER, "ORD": NUMBER, "PU": PUNCTUATION,
}  # fmt: skip
_UNIVERSAL = {
    "NOUN": NOUN, "PROPN": NOUN, "VERB": VERB, "AUX": VERB, "ADJ": ADJECTIVE, "ADP": PREPOSITION,
    "DET": DETERMINER, "NUM": NUMBER, "PUNCT": PUNCTUATION, "SYM": PUNCTUATION, "SPACE": PUNCTUATION,
}  # fmt: skip

_CLITIC = r"n't\b|['’](?:s|re|ve|ll|d|m)\b"
_PART = r"[^\W_]+(?:[-.][^\W_]+)*"
_TOKEN = re.compile(rf"{_CLITIC}|{_PART}(?=n't\b)|{_PART}|[^\w\s]", re.I)
_SENTENCE_END = frozenset(".!?")


def tag(texts: Iterable[str], *, tagger: str = "hanta") -> list[Tagged]:
    """The words of each text with their coarse class, punctuation included.

    Parameters
    ----------
    texts : iterable of str
    tagger : str
        ``"hanta"`` carries its model. ``"spacy:MODEL"``, such as ``"spacy:en_core_web_sm"``, needs spaCy
        and a model that the user has installed.

    Raises
    ------
    UnknownNameError
        For a tagger that does not exist.
    SourceUnavailableError
        If spaCy or its model is not installed.
    """
    apply = _tagger(tagger)
    return [apply(text) for text in texts]


@cache
def _tagger(name: str) -> Callable[[str], Tagged]:
    kind, _, model = name.partition(":")
    if kind == "hanta" and not model:
        return _hanta()
    if kind == "spacy" and model:
        return _spacy(model)
    raise UnknownNameError("tagger", name, ("hanta", "spacy:MODEL"))


def _hanta() -> Callable[[str], Tagged]:
    from HanTa.HanoverTagger import HanoverTagger

    model = HanoverTagger("morphmodel_en.pgz")

    @cache
    def of_sentence(words: tuple[str, ...]) -> Tagged:
        found = model.tag_sent(list(words))
        return tuple((word, _coarse(fine, _CLAWS)) for word, (_, _, fine) in zip(words, found, strict=True))

    def apply(text: str) -> Tagged:
        return tuple(pair for sentence in _sentences(_TOKEN.findall(text)) for pair in of_sentence(sentence))

    return apply


def _spacy(model: str) -> Callable[[str], Tagged]:
    try:
        pipeline = import_module("spacy").load(model)
    except (ImportError, OSError) as error:
        raise SourceUnavailableError(
            f"tagger 'spacy:{model}' needs spaCy and its model: pip install spacy, then "
            f"python -m spacy download {model} ({type(error).__name__}). The default 'hanta' needs neither"
        ) from None
    return lambda text: tuple((token.text, _coarse(token.pos_, _UNIVERSAL)) for token in pipeline(text))


def _coarse(fine: str, table: dict[str, str]) -> str:
    fine = fine.partition("(")[0]
    for length in (len(fine), 3, 2):
        if fine[:length] in table:
            return table[fine[:length]]
    return OTHER


def _sentences(words: Sequence[str]) -> list[tuple[str, ...]]:
    found, start = [], 0
    for i, word in enumerate(words):
        if word in _SENTENCE_END:
            found.append(tuple(words[start : i + 1]))
            start = i + 1
    return [*found, tuple(words[start:])] if start < len(words) else found
