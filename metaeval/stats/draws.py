"""stats.draws: representation of random draws, and sums and means over them; plain arrays.

A bootstrap draw holds the counts of systems and documents: counting instead of gathering turns the means of
all draws, systems and metrics into one matrix product. A permutation draw holds the summaries whose scores
are exchanged. Called by `stats.resampling`, `stats.windows` and `experiments`; Deutsch et al. 2021, §3.2 and
§4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from metaeval.stats import kernels
from metaeval.stats.streams import stream
from metaeval.stats.ties import double, system_means

COUNTS_AT_ONCE = 4_000_000  # bounds one block of counts to some 30 MB
_SERIAL_PRODUCT = 2**18  # multiplications; OpenBLAS uses one thread up to here
_TILE = 256


def drawn_means(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means of every system over each sample of documents; means that differ only by rounding are made equal.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents)
        NaN cells are left out of their system's mean.
    counts : float array (n_draws, n_documents)
        Such as from `unit_counts`.

    Returns
    -------
    float array (..., n_draws, n_systems)
        NaN for a system none of whose drawn documents has a score. A plane's means do not depend on the
        other planes.
    """
    scores = double("scores", scores)
    present = ~np.isnan(scores)
    lead, cells = scores.shape[:-2], scores.shape[-2:]
    # exact, since the last digits of a matrix product depend on the number of threads
    sums = ExactSums(np.where(present, scores, 0.0).reshape(np.prod(lead, dtype=int), *cells))(counts)
    sums = np.moveaxis(sums, 1, 0).reshape(*lead, len(counts), cells[0])
    if present.all():
        sizes = counts.sum(axis=-1)[:, None]
    else:
        sizes = counts @ np.swapaxes(present.astype(float), -1, -2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return system_means((sums / sizes)[..., None])


def blocks(n_draws: int, n_documents: int) -> Iterator[slice]:
    """Slice `n_draws` into pieces whose counts fit in memory."""
    step = max(1, COUNTS_AT_ONCE // max(1, n_documents))
    for start in range(0, n_draws, step):
        yield slice(start, min(n_draws, start + step))


def unit_counts(
    generator: np.random.Generator, n_draws: int, n_units: int, *, size: int | None = None
) -> np.ndarray:
    """Count each of `n_units` systems or documents in each draw of `size` of them, with replacement.

    Parameters
    ----------
    generator : Generator
    n_draws, n_units : int
    size : int, by default as many as there are

    Returns
    -------
    float array (n_draws, n_units)
        Every row sums to `size`.
    """
    counts = np.zeros((n_draws, n_units))
    # drawing short integers is twice as fast
    dtype = np.uint16 if n_units < 2**16 else np.uint32
    kernels.tally(generator.integers(n_units, size=(n_draws, size or n_units), dtype=dtype), counts)
    return counts


def drawn_counts(
    seed: int, n_resamples: int, n_systems: int, n_documents: int, resample: str = "both"
) -> tuple[np.ndarray, np.ndarray]:
    """Counts of systems (n_draws, n_systems) and of documents (n_draws, n_documents) in each draw.

    Parameters
    ----------
    seed : int
    n_resamples, n_systems, n_documents : int
    resample : {"systems", "inputs", "both"}
        The units that are drawn; of others each draw holds one.
    """
    units = {"systems": ("systems", n_systems), "documents": ("inputs", n_documents)}
    return tuple(
        unit_counts(stream(seed, name), n_resamples, n)
        if resample in (drawn, "both")
        else np.ones((n_resamples, n))
        for name, (drawn, n) in units.items()
    )


def map_draws(
    compute: Callable[[np.ndarray], np.ndarray], generator: np.random.Generator, n_draws: int, n_units: int
) -> np.ndarray:
    """Apply a function to draws of units, block by block, so that memory does not grow with their number.

    Parameters
    ----------
    compute : function
        From `unit_counts` of some draws to an array (..., number of these draws).
    generator, n_draws, n_units : see `unit_counts`

    Returns
    -------
    array (..., n_draws)
    """
    parts = blocks(n_draws, n_units)
    results = [compute(unit_counts(generator, part.stop - part.start, n_units)) for part in parts]
    return np.concatenate(results, axis=-1)


@dataclass(frozen=True)
class Swaps:
    """Exchanges of each draw: 0 or 1 for each system, document or summary; two exchanges undo each other.

    Attributes
    ----------
    size : int
        Number of draws.
    systems : uint8 array (size, n) or None
    documents : uint8 array (size, m) or None
    words : uint64 array or None
        One bit per summary, draw by draw from the leading bit of the first word, with at least one extra
        word.
    """

    size: int
    systems: np.ndarray | None = None
    documents: np.ndarray | None = None
    words: np.ndarray | None = None

    def first(self, size: int) -> Swaps:
        """The first `size` draws."""
        parts = (None if part is None else part[:size] for part in (self.systems, self.documents))
        return Swaps(size, *parts, self.words)

    def summary_swaps(self, n: int, m: int) -> np.ndarray:
        """Exchanges as 0 or 1 for each summary, uint8 array (size, n, m)."""
        if self.words is not None:
            bits = np.unpackbits(self.words.astype(">u8").view(np.uint8), count=self.size * n * m)
            return bits.reshape(self.size, n, m)
        swaps = np.zeros((self.size, n, m), np.uint8)
        if self.systems is not None:
            swaps ^= self.systems[:, :, None]
        if self.documents is not None:
            swaps ^= self.documents[:, None, :]
        return swaps

    def summary_words(self, n: int, m: int) -> np.ndarray:
        """Exchanges as `words`, whichever units are exchanged."""
        if self.words is not None:
            return self.words
        packed = np.packbits(self.summary_swaps(n, m))
        whole = np.zeros((len(packed) // 8 + 2) * 8, np.uint8)
        whole[: len(packed)] = packed
        return whole.view(">u8").astype(np.uint64)


def _bits(generator, *shape):
    n = int(np.prod(shape))
    return np.unpackbits(np.frombuffer(generator.bytes(-(-n // 8)), np.uint8), count=n).reshape(shape)


def drawn_swaps(generator: np.random.Generator, size: int, n: int, m: int, permute: str) -> Swaps:
    """Draw `size` sets of exchanges among `n` systems and `m` documents.

    Parameters
    ----------
    permute : {"systems", "inputs", "both", "systems-and-inputs"}
        See `metaeval.stats.resampling`.
    """
    if permute == "both":
        # same bits as `generator.bytes`, twice as fast
        words = generator.integers(2**64, size=size * n * m // 64 + 2, dtype=np.uint64)
        return Swaps(size, words=words.astype("<u8").view(">u8").astype(np.uint64))
    return Swaps(
        size,
        systems=None if permute == "inputs" else _bits(generator, size, n),
        documents=None if permute == "systems" else _bits(generator, size, m),
    )


class ExactSums:
    """Weighted sums over documents, exact for whole-number weights and hence independent of their order.

    Scores are split into a leading and a trailing half of 26 bits each, multiples of a power of two specific
    to each plane; products with small whole numbers and their sums then fit into a double's 53 bits.
    """

    def __init__(self, planes):
        """`planes` (k, n, m), no NaN."""
        self.shape = planes.shape[:2]
        by_document = np.ascontiguousarray(planes.reshape(np.prod(self.shape), planes.shape[-1]).T)
        # a common unit would round planes of small scores next to one of large scores
        largest = np.abs(planes).max(axis=(1, 2), initial=0)
        # 2**-1074, the last bit of a trailing half in this unit, is the smallest double
        unit = np.ldexp(1.0, np.maximum(np.frexp(largest)[1] - 26, -1048)).repeat(self.shape[1])
        self.leading = np.rint(by_document / unit) * unit
        trailing = np.rint((by_document - self.leading) / unit * 2.0**26) * 2.0**-26 * unit
        self.trailing = trailing if trailing.any() else None

    def __call__(self, weights):
        """`weights` (size, m) -> (size, k, n)."""
        sums = _product(weights, self.leading)
        if self.trailing is not None:
            sums += _product(weights, self.trailing)
        return sums.reshape(len(weights), *self.shape)


def exact_product(weights: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Compute ``weights @ matrix`` with the same digits for any number of threads.

    Parameters
    ----------
    weights : float array (n_draws, n), of whole numbers
    matrix : float array (n, k), no NaN

    Returns
    -------
    float array (n_draws, k)
    """
    return ExactSums(matrix.T[:, None])(weights)[:, :, 0]  # one plane per column: columns may differ in scale


def _product(weights, matrix):
    """Compute ``weights @ matrix`` in tiles too small for the linear algebra library to use several threads.

    Threads gain little here, and on a busy machine they cost a hundred times their gain. Tiling changes no
    digit, since the sums are exact.
    """
    size, (m, columns) = len(weights), matrix.shape
    inner, wide = max(1, min(m, _TILE)), max(1, min(columns, _TILE // 4))
    rows = max(1, _SERIAL_PRODUCT // (inner * wide))
    out = np.zeros((size, columns))
    for document in range(0, m, inner):
        for column in range(0, columns, wide):
            part = matrix[document : document + inner, column : column + wide]
            for row in range(0, size, rows):
                tile = weights[row : row + rows, document : document + inner]
                out[row : row + rows, column : column + wide] += tile @ part
    return out
