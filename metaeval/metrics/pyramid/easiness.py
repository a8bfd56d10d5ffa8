"""pyramid.easiness: sentences whose units a machine can write, and scores with both kinds of units.

Lite²·ˣPyramid (Zhang and Bansal 2021, §3.3): people write SCUs for the hard sentences of the references and a
machine cuts STUs out of the easy ones. How easy a sentence is, is learned from its form.
`experiments.lite2x` makes the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import require_extra
from metaeval.core.limits import check_rate
from metaeval.metrics.pyramid.extraction import frames_from_tags
from metaeval.metrics.pyramid.scores import Presence, Units, assign_to_sentences, rouge_1_f1
from metaeval.metrics.text import sentences, stems, tokenize, word_tags, words
from metaeval.tables.benchmark import with_ids

_SEED = 0  # of the rows and columns that each tree sees
# tags of the British National Corpus (C5) that are counted; verbs, nouns and the words that join clauses
_TAGS = """
    AJ0 AJC AJS AT0 AV0 AVP AVQ CJC CJS CJT CRD DPS DT0 DTQ EX0 ITJ NN0 NN1 NN2 NP0 ORD PNI PNP PNQ
    PNX POS PRF PRP PUN TO0 UNC VBB VBD VBG VBI VBN VBZ VDB VDD VDG VDI VDN VDZ VHB VHD VHG VHI VHN
    VHZ VM0 VVB VVD VVG VVI VVN VVZ XX0
"""


def easiness(scus: Sequence[str], stus: Sequence[str]) -> float:
    """Mean over SCUs of the best ROUGE-1 F1 with any STU; 0 without STUs, NaN without SCUs."""
    if not len(scus):
        return float("nan")
    cut = [stems(unit) for unit in stus]
    return float(
        np.mean([max((rouge_1_f1(stems(unit), other) for other in cut), default=0.0) for unit in scus])
    )


def split_units(references: Mapping[str, Sequence[str]], scus: Units, stus: Units) -> pd.DataFrame:
    """Sentences of the references, with the units about them and the easiness of simulating SCUs by STUs.

    Parameters
    ----------
    references : mapping, document -> its reference summaries
    scus, stus : mapping, document -> units

    Returns
    -------
    DataFrame
        One row per sentence: document, sentence (index), text, n_scus, n_stus, easiness (NaN without SCUs),
        scus and stus (arrays: indices of its units among the document's), cut (texts of its STUs).

    Notes
    -----
    The released files do not say which sentence a unit comes from: here it is the one that covers most of its
    words. The released code takes the one that shares most distinct words with it.
    """
    rows = []
    for document, facts in scus.items():
        texts = [sentence for reference in references[document] for sentence in sentences(reference)]
        by_scu, by_stu = assign_to_sentences(facts, texts), assign_to_sentences(stus[document], texts)
        for i, text in enumerate(texts):
            mine, own = np.flatnonzero(by_scu == i), np.flatnonzero(by_stu == i)
            cut = tuple(stus[document][j] for j in own)
            rows.append(
                {
                    **{"document": document, "sentence": i, "text": text},
                    **{"n_scus": len(mine), "n_stus": len(own)},
                    "easiness": easiness([facts[j] for j in mine], cut),
                    **{"scus": mine, "stus": own, "cut": cut},
                }
            )
    return pd.DataFrame(rows)


def sentence_form(text: str) -> dict[str, float]:
    """Form of a sentence.

    Notes
    -----
    Deviation: the paper takes lengths, depth and labels of a constituency tree from a parser that has to be
    downloaded. Counts of tags in their place predict next to nothing here; what the units cover of the
    sentence does (page `lite2x`).
    """
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
        **{name: counts[name] for name in _TAGS.split()},
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


def unit_form(text: str, units: Sequence[str]) -> dict[str, float]:
    """Form of the units that the machine cut from a sentence, which are free and informative."""
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
    parts: pd.DataFrame, *, folds: Sequence[Sequence[str]], with_units: bool = True
) -> np.ndarray:
    """Easiness of every sentence by a regressor that learned on the other folds' documents.

    Boosted trees as in the paper: depth 3, learning rate 0.1, 40 rounds, squared error (§A.3).

    Parameters
    ----------
    parts : DataFrame of `split_units`
    folds : of documents, every one in exactly one fold
    with_units : bool
        Learn from `unit_form` too, besides `sentence_form`.

    Returns
    -------
    float array (n_sentences,), NaN for a document in no fold

    Raises
    ------
    MissingExtraError
        If XGBoost is not installed.
    """
    rows = [
        sentence_form(text) | (unit_form(text, cut) if with_units else {})
        for text, cut in zip(parts["text"], parts["cut"], strict=True)
    ]
    x, true = pd.DataFrame(rows).to_numpy(np.float32), parts["easiness"].to_numpy()
    regressor = require_extra("xgboost", "pyramid").XGBRegressor
    predicted = np.full(len(parts), np.nan)
    for fold in folds:
        held = parts["document"].isin(fold).to_numpy()
        learned = ~held & ~np.isnan(true)
        trees = regressor(
            max_depth=3,
            learning_rate=0.1,
            n_estimators=40,
            objective="reg:squarederror",
            random_state=_SEED,
            n_jobs=1,
        )
        predicted[held] = trees.fit(x[learned], true[learned]).predict(x[held])
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
    check_rate("share", share)
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
    parts : DataFrame of `split_units`
    scus, stus : presence of the units, (system, document) -> array
    systems : the systems, in the order of the result
    """

    def __init__(self, parts: pd.DataFrame, scus: Presence, stus: Presence, *, systems: Sequence[str]):
        documents = parts["document"]
        self.systems, self.documents = list(systems), documents.drop_duplicates().tolist()
        self._starts = np.flatnonzero(~documents.duplicated().to_numpy())
        sums = []
        for presence, places in ((scus, parts["scus"]), (stus, parts["stus"])):
            stacked = {d: np.stack([presence[s, d] for s in self.systems]) for d in self.documents}
            sums.append([stacked[d][:, of].sum(axis=1) for d, of in zip(documents, places, strict=True)])
        self._sums = np.array(sums)  # (2, n_sentences, n_systems)
        self._counts = parts[["n_scus", "n_stus"]].to_numpy().T  # (2, n_sentences)

    def scores(self, chosen: np.ndarray) -> xr.DataArray:
        """Lite²·ˣPyramid, dims (system, document), for a bool array with one entry per sentence."""
        chosen = np.asarray(chosen, dtype=bool)
        kind = np.where(chosen, self._counts[1] > 0, self._counts[0] == 0).astype(int)
        row = np.arange(len(kind))
        sums = np.add.reduceat(self._sums[kind, row], self._starts)
        counts = np.add.reduceat(self._counts[kind, row], self._starts)
        return with_ids((sums / counts[:, None]).T, system=self.systems, document=self.documents)

    def scus_left(self, chosen: np.ndarray) -> float:
        """Share of the SCUs that people still have to write."""
        replaced = np.where(chosen, self._counts[1] > 0, False)
        return float(self._counts[0][~replaced].sum() / self._counts[0].sum())


def released_choice(parts: pd.DataFrame, scus: Units, mixed: Units) -> np.ndarray:
    """Sentences with STUs in the release's own half-and-half units; NaN where its units do not decide.

    Returns
    -------
    float array, 1 for STUs, 0 for SCUs
    """
    choices = []
    for document, mine, cut in zip(parts["document"], parts["scus"], parts["cut"], strict=True):
        there = set(mixed[document])
        as_scus = len(mine) > 0 and there.issuperset(scus[document][j] for j in mine)
        as_stus = len(cut) > 0 and there.issuperset(cut)
        choices.append(float(as_stus) if as_scus != as_stus else np.nan)
    return np.array(choices)
