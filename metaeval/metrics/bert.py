"""metrics.bert: BERTScore, the greedy matching of two texts' word pieces, by the package bert-score.

The package matches, weighs and counts. It would read a reference again for every system; `metrics.embeddings`
reads it once. Source: Zhang et al. 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from metaeval.core.errors import DataError, require_extra
from metaeval.metrics.embeddings import Embedded, Encoder, batches

PARTS = ("precision", "recall", "F1")
_EXTRA = "embeddings"
_PIECES_AT_ONCE = 16_384  # of each side of a batch of pairs, padding included
_PAD = 2.0  # any vector but 0, whose length the package divides by


@dataclass(frozen=True)
class Idf:
    """Inverse document frequency of word pieces over some texts, from `inverse_frequencies`.

    Attributes
    ----------
    model : str
        Whose pieces they are.
    weights : mapping, id of a piece -> log((n + 1) / (number of texts with it + 1))
    unseen : float, the weight of a piece in none of the texts
    """

    model: str
    weights: Mapping[int, float]
    unseen: float


def inverse_frequencies(texts: Sequence[str], encoder: Encoder) -> Idf:
    """The weights of word pieces, from all references of a test set, as the package counts them.

    Parameters
    ----------
    texts : sequence of str
        Each counts, also where one stands twice.
    encoder : Encoder
    """
    if isinstance(texts, str) or not len(texts):
        raise DataError("idf is counted over texts: give all references of the test set as a list")
    tools = require_extra("bert_score.utils", _EXTRA)
    counted = tools.get_idf_dict([one.ids for one in encoder.pieces(texts)], None, nthreads=0)
    return Idf(encoder.name, dict(sorted(counted.items())), log(len(texts) + 1))


def piece_weights(encoder: Encoder, idf: Idf | None) -> Callable[[np.ndarray], np.ndarray]:
    """Weights of a text's pieces: equal, with 0 for the model's marks, or by idf."""
    marks = [encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id]
    if idf is None:
        return lambda pieces: (~np.isin(pieces, [mark for mark in marks if mark is not None])).astype(float)
    if idf.model != encoder.name:
        raise DataError(f"`idf` counts the word pieces of {idf.model}, those here are of {encoder.name}")
    return lambda pieces: np.array([idf.weights.get(piece, idf.unseen) for piece in pieces.tolist()])


def bert_scores(
    pairs: Sequence[tuple[Embedded, Embedded]], weights: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """BERTScore of (summary, reference) pairs.

    Parameters
    ----------
    pairs : sequence of pairs of Embedded
    weights : from `piece_weights`

    Returns
    -------
    float array (n_pairs, 3): precision, recall, F1
        0 where a text of the pair is empty, as in the package.
    """
    torch, tools = require_extra("torch", _EXTRA), require_extra("bert_score.utils", _EXTRA)
    out = np.zeros((len(pairs), len(PARTS)))
    sizes = np.array([[len(one.pieces) for one in pair] for pair in pairs]).reshape(-1, 2)
    full = [i for i, pair in enumerate(pairs) if not any(one.empty for one in pair)]
    order = sorted(full, key=lambda i: (sizes[i].max(), *sizes[i]))
    pad = torch.nn.utils.rnn.pad_sequence
    texts = {id(one): one for pair in pairs for one in pair}
    weighed = {key: torch.from_numpy(weights(one.pieces)).float() for key, one in texts.items()}

    def side(batch: Sequence[Embedded]):
        vectors = pad([torch.from_numpy(one.vectors) for one in batch], batch_first=True, padding_value=_PAD)
        mask = pad([torch.ones(len(one.pieces)) for one in batch], batch_first=True)
        return vectors, mask, pad([weighed[id(one)] for one in batch], batch_first=True)

    for batch in batches(order, sizes.max(axis=1), _PIECES_AT_ONCE):
        summaries, references = zip(*(pairs[i] for i in batch), strict=True)
        out[batch] = torch.stack(tools.greedy_cos_idf(*side(references), *side(summaries)), dim=-1).numpy()
    return out
