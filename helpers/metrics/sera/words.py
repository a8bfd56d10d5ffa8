"""From text to index terms: the one analysis that documents and queries share.

Lower-cased words without possessive, stop words, numbers and single letters, cut to their Porter stem. GeSERA
analyses both sides with Whoosh's stemming analyzer, which does the same but for its shorter list of stop
words and the numbers that it leaves in the documents (queries lose them).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import snowballstemmer

NAME = "porter-1"  # changes whenever the terms of any text change; an index is refused under another name

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_LETTER = re.compile(r"[^\W\d_]")

# closed classes of English: articles, pronouns, prepositions, conjunctions, auxiliaries, a few adverbs
STOP_WORDS = frozenset(
    """
    a an the this that these those each every either neither some any no all both few many much more most
    other another such own same
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
    hers herself it its itself they them their theirs themselves one ones who whom whose which what whoever
    about above across after against along among around as at before behind below beneath beside besides
    between beyond by despite down during except for from in inside into like near of off on onto out outside
    over per since than through throughout till to toward towards under until up upon via with within without
    and but or nor so yet if because although though unless whereas whether while
    am is are was were be been being have has had having do does did doing done will would shall should can
    could may might must ought
    not only too very just also again further then once here there when where why how now ever never
    isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't shan't shouldn't
    can't cannot couldn't mayn't mightn't mustn't n't 've 'll 're 'd 'm
    i'm i've i'll i'd you're you've you'll you'd he'll he'd she'll she'd it'll it'd we're we've we'll we'd
    they're they've they'll they'd
    """.split()  # noqa: SIM905
)

_stemmer = snowballstemmer.stemmer("porter")
_term_of: dict[str, str] = {}  # word -> stem, or "" for a word that is no term


def split(text: str) -> list[str]:
    """The lower-cased words of a text, stop words and numbers included."""
    return _WORD.findall(text.lower())


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, repeats included.

    Examples
    --------
    >>> terms("The minister's 3 plans: planning 2,000 cars a day.")
    ['minist', 'plan', 'plan', 'car', 'dai']
    """
    return [term for word in split(text) if (term := _term(word))]


def terms_of_words(words: Iterable[str]) -> list[str]:
    """`terms` of words that something else has cut out of a text."""
    return [term for word in words for term in terms(word)]


def _term(word: str) -> str:
    term = _term_of.get(word)
    if term is None:
        term = _term_of[word] = _analyse(word)
    return term


def _analyse(word: str) -> str:
    plain = _POSSESSIVE.sub("", word).replace("’", "'")
    if len(plain) < 2 or plain in STOP_WORDS or word.replace("’", "'") in STOP_WORDS:
        return ""
    if not _LETTER.search(plain):
        return ""
    return _stemmer.stemWord(plain)
