"""pyramid.easiness: sentences whose units a machine can write, and scores with both kinds of units.

Lite²·ˣPyramid (Zhang and Bansal 2021, §3.3): people write SCUs for the hard sentences of the references and a
machine cuts STUs out of the easy ones. How easy a sentence is, is learned from its form.
`experiments.lite2x` makes the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, choose, listing, require_extra
from metaeval.metrics.pyramid.extraction import frames_from_tags
from metaeval.metrics.pyramid.presence import Units
from metaeval.metrics.pyramid.scores import Presence, assign_to_sentences, require_units, rouge_1_f1
from metaeval.metrics.text import sentences, stems, tokenize, word_tags, words
from metaeval.tables.benchmark import with_ids

# tags of the British National Corpus (C5) that are counted; verbs, nouns and the words that join clauses
_TAGS = """
    AJ0 AJC AJS AT0 AV0 AVP AVQ CJC CJS CJT CRD DPS DT0 DTQ EX0 ITJ NN0 NN1 NN2 NP0 ORD PNI PNP PNQ
    PNX POS PRF PRP PUN TO0 UNC VBB VBD VBG VBI VBN VBZ VDB VDD VDG VDI VDN VDZ VHB VHD VHG VHI VHN
    VHZ VM0 VVB VVD VVG VVI VVN VVZ XX0
"""
TAGS = _TAGS.split()
_FORM = "words characters frames arguments longest_argument commas quotes depth words_a_frame"
FORM = _FORM.split()
# of the units that the machine cut from the sentence, which are free and informative
_CUT = "units mean_unit longest_unit shortest_unit words_covered words_repeated units_a_word commas_a_unit"
FEATURES = (*FORM, *TAGS, *_CUT.split())


@dataclass(frozen=True)
class Sentences:
    """The sentences of some references, with their units.

    Attributes
    ----------
    table : DataFrame, one row per sentence
        Columns document, sentence (index), text, n_scus, n_stus, and easiness, NaN for a sentence without
        SCUs.
    cut : tuple of tuples of str, the STUs of each sentence
    scus, stus : mapping, (document, sentence) -> indices of its units among the document's
    """

    table: pd.DataFrame
    cut: tuple[tuple[str, ...], ...]
    scus: Mapping[tuple[str, int], np.ndarray]
    stus: Mapping[tuple[str, int], np.ndarray]


def easiness(scus: Sequence[str], stus: Sequence[str]) -> float:
    """Mean over SCUs of the best ROUGE-1 F1 with any STU; 0 without STUs, NaN without SCUs."""
    if not len(scus):
        return float("nan")
    cut = [stems(unit) for unit in stus]
    return float(
        np.mean([max((rouge_1_f1(stems(unit), other) for other in cut), default=0.0) for unit in scus])
    )


def split_units(references: Mapping[str, Sequence[str]], scus: Units, stus: Units) -> Sentences:
    """Sentences of the references, with the units about them and the easiness of simulating SCUs by STUs.

    Parameters
    ----------
    references : mapping, document -> its reference summaries
    scus, stus : mapping, document -> units

    Notes
    -----
    The released files do not say which sentence a unit comes from: here it is the one that covers most of its
    words. The released code takes the one that shares most distinct words with it.
    """
    require_units(scus)
    require_units(stus)
    rows, unit_texts, scu_places, stu_places = [], [], {}, {}
    for document, facts in scus.items():
        texts = [sentence for reference in references[document] for sentence in sentences(reference)]
        if not texts:
            raise DataError(f"{document} has no reference with a sentence")
        by_scu, by_stu = assign_to_sentences(facts, texts), assign_to_sentences(stus[document], texts)
        for i, text in enumerate(texts):
            mine, own = np.flatnonzero(by_scu == i), np.flatnonzero(by_stu == i)
            scu_places[document, i], stu_places[document, i] = mine, own
            unit_texts.append(tuple(stus[document][j] for j in own))
            rows.append(
                {
                    "document": document,
                    "sentence": i,
                    "text": text,
                    "n_scus": len(mine),
                    "n_stus": len(own),
                    "easiness": easiness([facts[j] for j in mine], unit_texts[-1]),
                }
            )
    return Sentences(pd.DataFrame(rows), tuple(unit_texts), scu_places, stu_places)


def sentence_features(text: str, units: Sequence[str]) -> np.ndarray:
    """Form of a sentence and of the units cut from it, in the order of `FEATURES`.

    Parameters
    ----------
    text : str
    units : the STUs of the sentence

    Notes
    -----
    Deviation: the paper takes lengths, depth and labels of a constituency tree from a parser that has to be
    downloaded. Counts of tags in their place predict next to nothing here; what the units cover of the
    sentence does (page `lite2x`).
    """
    values = {**_form(text), **_cut(text, units)}
    return np.array([values[name] for name in FEATURES], dtype=np.float32)


def _form(text: str) -> dict[str, float]:
    tokens = tokenize(text)
    tags = word_tags(tokens)
    frames = frames_from_tags(tokens, tags)
    arguments = [argument for frame in frames for argument in frame.after]
    counts = Counter(tags)
    return {
        "words": len(tokens),
        "characters": len(text),
        "frames": len(frames),
        "arguments": len(arguments),
        "longest_argument": max(map(len, arguments), default=0),
        "commas": sum(token in (",", ";", ":", "-", "–", "—") for token in tokens),
        "quotes": sum(token in "\"'“”‘’" for token in tokens),
        "depth": _depth(tokens),
        "words_a_frame": len(tokens) / max(len(frames), 1),
        **{name: counts[name] for name in TAGS},
    }


def _depth(tokens: Sequence[str]) -> int:
    """Maximum number of brackets open at once; one that closes nothing does not count."""
    depth = deepest = 0
    for token in tokens:
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth = max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _cut(text: str, units: Sequence[str]) -> dict[str, float]:
    own, n_words = set(stems(text)), max(len(words(text)), 1)
    covered = own & {stem for unit in units for stem in stems(unit)}
    lengths = [len(words(unit)) for unit in units]
    return {
        "units": len(units),
        "mean_unit": np.mean(lengths) if lengths else 0,
        "longest_unit": max(lengths, default=0),
        "shortest_unit": min(lengths, default=0),
        "words_covered": len(covered) / max(len(own), 1),
        "words_repeated": sum(lengths) / n_words,
        "units_a_word": len(units) / n_words,
        "commas_a_unit": np.mean([unit.count(",") for unit in units]) if units else 0,
    }


def predict_easiness(
    parts: Sentences, *, folds: Sequence[Sequence[str]], features: Sequence[str] = FEATURES, seed: int = 0
) -> np.ndarray:
    """Easiness of every sentence by a regressor that learned on the other folds' documents.

    Boosted trees as in the paper: depth 3, learning rate 0.1, 40 rounds, squared error (§A.3).

    Parameters
    ----------
    parts : Sentences
    folds : of documents, every one in exactly one fold
    features : of `FEATURES`
    seed : int

    Returns
    -------
    float array (n_sentences,)

    Raises
    ------
    DataError
        If a document is in no fold.
    MissingExtraError
        If XGBoost is not installed.
    """
    place = {name: i for i, name in enumerate(FEATURES)}
    columns = [choose("feature of a sentence", name, place) for name in features]
    texts = zip(parts.table["text"], parts.cut, strict=True)
    x = np.array([sentence_features(text, cut) for text, cut in texts])[:, columns]
    table = parts.table
    regressor = require_extra("xgboost", "pyramid").XGBRegressor
    fold_of = {document: i for i, fold in enumerate(folds) for document in fold}
    missing = set(table["document"]) - set(fold_of)
    if missing:
        raise DataError(f"no fold holds the documents {listing(missing)} ({len(missing)} in all)")
    fold = table["document"].map(fold_of).to_numpy()
    labelled, true = table["easiness"].notna().to_numpy(), table["easiness"].to_numpy()
    predicted = np.full(len(table), np.nan)
    for i in range(len(folds)):
        held = fold == i
        trees = regressor(
            max_depth=3,
            learning_rate=0.1,
            n_estimators=40,
            objective="reg:squarederror",
            random_state=seed,
            n_jobs=1,
        )
        trees.fit(x[~held & labelled], true[~held & labelled])
        predicted[held] = trees.predict(x[held])
    return predicted


def select_sentences(score: Sequence[float], share: float) -> np.ndarray:
    """Select the sentences that get STUs: the share with the highest score; of equal ones the first.

    Parameters
    ----------
    score : one number per sentence
    share : float in [0, 1]

    Returns
    -------
    bool array
    """
    if not 0 <= share <= 1:
        raise ValueError(f"`share` must be in [0, 1], got {share}; did you mean {share / 100:g}?")
    score = np.asarray(score, dtype=float)
    chosen = np.zeros(len(score), dtype=bool)
    chosen[np.argsort(-score, kind="stable")[: round(share * len(score))]] = True
    return chosen


class Mixture:
    """Scores of summaries for any choice of sentences that get STUs.

    A sentence that is chosen counts with its STUs and any other with its SCUs; one that has none of the kind
    it should have counts with the other, so that no document ends without units.

    Parameters
    ----------
    parts : Sentences
    scus, stus : presence of the units, (system, document) -> array
    systems : the systems, in the order of the result
    """

    def __init__(self, parts: Sentences, scus: Presence, stus: Presence, *, systems: Sequence[str]):
        table = parts.table
        self.systems, self.documents = list(systems), table["document"].drop_duplicates().tolist()
        self._starts = np.flatnonzero(~table["document"].duplicated().to_numpy())
        cells = list(zip(table["document"], table["sentence"], strict=True))
        sums, counts = [], []
        for presence, members in ((scus, parts.scus), (stus, parts.stus)):
            stacked = {d: np.stack([presence[s, d] for s in self.systems]) for d in self.documents}
            sums.append(np.array([stacked[d][:, members[d, i]].sum(axis=1) for d, i in cells]))
            counts.append(np.array([len(members[d, i]) for d, i in cells]))
        self._sums = np.array(sums)  # (2, n_sentences, n_systems)
        self._counts = np.array(counts)  # (2, n_sentences)

    def scores(self, chosen: np.ndarray) -> xr.DataArray:
        """Lite²·ˣPyramid, dims (system, document), for a bool array with one entry per sentence."""
        chosen = np.asarray(chosen, dtype=bool)
        if chosen.shape != self._counts.shape[1:]:
            raise DataError(
                f"there must be one choice per sentence: {self._counts.shape[1]}, got {chosen.shape}"
            )
        kind = np.where(chosen, self._counts[1] > 0, self._counts[0] == 0).astype(int)
        row = np.arange(len(kind))
        sums = np.add.reduceat(self._sums[kind, row], self._starts)
        counts = np.add.reduceat(self._counts[kind, row], self._starts)
        return with_ids((sums / counts[:, None]).T, system=self.systems, document=self.documents)

    def scus_left(self, chosen: np.ndarray) -> float:
        """Share of the SCUs that people still have to write."""
        replaced = np.where(chosen, self._counts[1] > 0, False)
        return float(self._counts[0][~replaced].sum() / self._counts[0].sum())


def released_choice(parts: Sentences, scus: Units, stus: Units, mixed: Units) -> np.ndarray:
    """Sentences with STUs in the release's own half-and-half units; NaN where its units do not decide.

    Returns
    -------
    float array, 1 for STUs, 0 for SCUs
    """
    choices = []
    for document, i in zip(parts.table["document"], parts.table["sentence"], strict=True):
        there = set(mixed[document])
        mine = [scus[document][j] in there for j in parts.scus[document, i]]
        cut = [stus[document][j] in there for j in parts.stus[document, i]]
        as_scus, as_stus = bool(mine) and all(mine), bool(cut) and all(cut)
        choices.append(float(as_stus) if as_scus != as_stus else np.nan)
    return np.array(choices)
