"""pyramid.parsed: references that a parser has labelled: units and easiness by the released rules.

For a reader who has run the three models that Zhang and Bansal (2021, §3.2, §3.3) take from AllenNLP, or ones
that give the same format (see `extraction`), and kept the result as lines of JSON, a document a line in the
order of the release::

    {"sentences": [{"words": ["She", "sat"], "verbs": [{"tags": ["B-ARG0", "B-V"]}],
                    "tree": "(S (NP (PRP She)) (VP (VBD sat)))"}],
     "coreference": {"words": ["Ann", "came", ".", "She", "sat"], "clusters": [[[0, 0], [3, 3]]]}}

``coreference`` is of the reference as it stands, and may be missing, as it is in the paper for all data but
REALSumm; the sentences are those of the text that `with_names` makes of it. `released_easiness` and
`mixed_units` choose half-and-half units from such a file and the released regressors.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, require_extra
from metaeval.datasets.readers.lite_pyramid import read_texts
from metaeval.metrics.pyramid.easiness import easiness
from metaeval.metrics.pyramid.extraction import from_frames
from metaeval.metrics.pyramid.presence import Units
from metaeval.metrics.text import tokenize

# labels of the trees in the order in which the released regressors count them
_LABELS = """
    WRB RBR ADVP VBG $ '' WHADVP -RRB- JJR NAC PRP NNS WP VBZ MD WDT NP ADJP PDT EX UH NN NFP SYM PRP$ RBS
    FRAG NX CONJP RP WHPP CC VBD LS . SBAR TO JJ IN VP -LRB- S QP SQ CD `` X POS XX PP PRT JJS HYPH ,
    RB VBN : VBP DT VB SINV UCP WHNP NNPS NNP
"""
LABELS = tuple(_LABELS.split())
N_FEATURES = 4 + len(LABELS)
_WORDS = "it he she they this i you her him their them his its my your"
_PRONOUNS = frozenset(_WORDS.split())


@dataclass(frozen=True)
class Sentence:
    """A sentence of a reference with its units, aligned as the released code aligns them.

    Attributes
    ----------
    words : tuple of str
    tree : str, in brackets
    scus, stus : tuples of str
    """

    words: tuple[str, ...]
    tree: str
    scus: tuple[str, ...]
    stus: tuple[str, ...]


def read_parsed(path: Path, scus: Units) -> dict[str, tuple[Sentence, ...]]:
    """The labelled sentences of every document.

    Parameters
    ----------
    path : Path
    scus : mapping, document -> people's units, in the order of the file's lines

    Raises
    ------
    DataError
        Naming the line, if one is not of the form above; or the number of lines.
    """
    by_document = {}
    for i, (document, line) in enumerate(read_texts(path, [*scus]).items(), start=1):
        try:
            by_document[document] = _aligned(json.loads(line), scus[document])
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(f"{path.name}, line {i} ({document}): {error!r}") from None
    return by_document


def with_names(words: Sequence[str], clusters: Sequence[Sequence[tuple[int, int]]]) -> tuple[str, list[str]]:
    """A text in which mentions give way to names, and units that say which names are one.

    Of every cluster the first mention that is no pronoun is the name; all that come after it, and all
    pronouns, are replaced by it. A mention that says something new of it, with fewer than half of its words
    in the name and not holding the name, gives a unit *name is mention*, once.

    Parameters
    ----------
    words : the words of the text
    clusters : of mentions of one thing, each the places of its first and last word

    Returns
    -------
    text : str
    units : list of str
    """
    replaced: dict[int, tuple[int, str]] = {}
    units = []
    for cluster in clusters:
        spans = [(first, last, " ".join(words[first : last + 1]).strip()) for first, last in cluster]
        named = [span for span in spans if span[2].lower() not in _PRONOUNS]
        if not named:
            continue
        name, earlier = named[0][2], set()
        for first, last, mention in named[1:]:
            low = mention.lower()
            own = set(low.split(" "))
            shared = len(own & set(name.lower().split(" "))) / len(own)
            if low not in earlier and name.lower() not in low and shared < 0.5:
                units.append(f"{name} is {mention}")
                earlier.add(low)
            replaced[first] = (last, name)
        replaced |= {first: (last, name) for first, last, mention in spans if mention.lower() in _PRONOUNS}
    text, i = [], 0
    while i < len(words):
        last, word = replaced.get(i, (i, words[i]))
        text.append(word)
        i = last + 1
    return " ".join(text), units


def _aligned(document: Mapping, scus: Sequence[str]) -> tuple[Sentence, ...]:
    """The sentences with the units that share most distinct words with them, of equal ones the first."""
    sentences = document["sentences"]
    sentence_words = [{word.lower() for word in sentence["words"]} for sentence in sentences]
    by_scu: list[list[str]] = [[] for _ in sentences]
    by_stu: list[list[str]] = [[] for _ in sentences]
    for unit in scus:
        by_scu[_closest_sentence(unit.lower().replace(",", " ").replace(".", " "), sentence_words)].append(
            unit
        )
    if "coreference" in document:
        coreference = document["coreference"]
        for unit in with_names(coreference["words"], coreference["clusters"])[1]:
            # the released code cuts at the letters "is" wherever they stand, and looks at the second piece
            by_stu[_closest_sentence(unit.lower().split("is")[1], sentence_words)].append(unit)
    for units, sentence in zip(by_stu, sentences, strict=True):
        units += from_frames(sentence)
    return tuple(
        Sentence(tuple(sentence["words"]), sentence["tree"], tuple(mine), tuple(cut))
        for sentence, mine, cut in zip(sentences, by_scu, by_stu, strict=True)
    )


def _closest_sentence(unit: str, sentences: Sequence[set[str]]) -> int:
    own = set(tokenize(unit))
    return int(np.argmax([len(own & words) for words in sentences]))


def tree_features(n_words: int, tree: str) -> np.ndarray:
    """The paper's 69 features of a sentence: four sizes, and counts of the labels in its tree (§3.3, §A.3).

    The sizes are words, characters of the tree, depth, and words over depth, as in §3.3 and the released
    code; §A.3 has the last upside down.

    Parameters
    ----------
    n_words : int
    tree : str, such as ``"(S (NP (PRP She)) (VP (VBD sat)))"``

    Examples
    --------
    >>> tree_features(2, "(S (NP (PRP She)) (VP (VBD sat)))")[:4].tolist()
    [2.0, 33.0, 3.0, 0.6666666865348816]
    """
    open_now = np.cumsum([(c == "(") - (c == ")") for c in tree])
    depth = int(open_now.max(initial=0))
    if depth < 1:
        raise DataError(f"a constituency tree must be in brackets, got {tree!r}")
    counts = Counter(piece.partition(" ")[0] for piece in tree.split("(") if " " in piece)
    sizes = [n_words, len(tree), depth, n_words / depth]
    return np.array([*sizes, *(counts[label] for label in LABELS)], dtype=np.float32)


def features_of(parsed: Mapping[str, Sequence[Sentence]]) -> np.ndarray:
    """`tree_features` of all sentences, in order: (n_sentences, 69)."""
    return np.array([tree_features(len(s.words), s.tree) for sentences in parsed.values() for s in sentences])


def parsed_table(parsed: Mapping[str, Sequence[Sentence]]) -> pd.DataFrame:
    """The sentences with their true easiness, NaN without SCUs: columns document, sentence, easiness."""
    rows = [
        (document, i, easiness(sentence.scus, sentence.stus))
        for document, sentences in parsed.items()
        for i, sentence in enumerate(sentences)
    ]
    return pd.DataFrame(rows, columns=["document", "sentence", "easiness"])


def released_easiness(
    parsed: Mapping[str, Sequence[Sentence]], regressors: Path, *, folds: Sequence[Sequence[str]]
) -> np.ndarray:
    """Easiness of every sentence as the authors' own regressors have it.

    Parameters
    ----------
    parsed : mapping of `read_parsed`
    regressors : Path
        A folder with ``fold0_xgb.json`` and so on, one for each of `folds`, such as the release's
        ``regressors/REALSumm``; or one file for all documents, such as its ``regressors/TAC08/all_xgb.json``.
    folds : of documents

    Raises
    ------
    DataError
        If a regressor is not there, or not one of these features.
    """
    xgboost = require_extra("xgboost", "pyramid")
    paths = [regressors / f"fold{i}_xgb.json" for i in range(len(folds))] if regressors.is_dir() else []
    fold_of = {document: i for i, fold in enumerate(folds) for document in fold}
    rows = np.array(
        [fold_of[document] if paths else 0 for document, sentences in parsed.items() for _ in sentences]
    )
    values, predicted = features_of(parsed), np.full(len(rows), np.nan)
    for i, path in enumerate(paths or [regressors]):
        if not path.is_file():
            raise DataError(f"{path} is not there; the release has it in its folder regressors")
        booster = xgboost.Booster({"nthread": 1})
        try:
            booster.load_model(path)
        except xgboost.core.XGBoostError:
            raise DataError(f"{path.name} holds no regressor of XGBoost") from None
        if booster.num_features() != N_FEATURES:
            raise DataError(f"{path.name} must be of {N_FEATURES} features, is of {booster.num_features()}")
        predicted[rows == i] = booster.predict(xgboost.DMatrix(values[rows == i]))
    return predicted


def mixed_units(
    parsed: Mapping[str, Sequence[Sentence]], score: Sequence[float], *, percentage: int = 50
) -> dict[str, tuple[str, ...]]:
    """STUs of the easiest sentences and SCUs of the others, chosen as the released code chooses.

    A sentence gets STUs if its score is above that of the last one of the share, so this one has SCUs. One
    that no SCU speaks of gives nothing.

    Parameters
    ----------
    parsed : mapping of `read_parsed`
    score : one number per sentence
    percentage : of the sentences, in (0, 100]
    """
    n_easy = int(len(score) * percentage / 100)
    if not 0 < n_easy <= len(score):
        raise ValueError(f"`percentage` must give one sentence or more of {len(score)}, got {percentage}")
    threshold = np.sort(np.asarray(score))[-n_easy]
    above = iter(np.asarray(score) > threshold)
    chosen = {d: [(s, next(above)) for s in sentences] for d, sentences in parsed.items()}
    return {
        document: tuple(unit for s, easy in sentences if s.scus for unit in (s.stus if easy else s.scus))
        for document, sentences in chosen.items()
    }
