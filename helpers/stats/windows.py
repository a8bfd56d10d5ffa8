r"""stats.windows: do people order two systems as a metric does, if its scores differ by l to u?

Arrays in, arrays out: windows of metric differences, the pairs of systems in them, Kendall's tau and its
draws. Knows no dataset and no table: `helpers.experiments.margins` makes the tables.
Source: Deutsch, Dror and Roth 2022, §4.2 (:math:`r_{sys}\Delta(\ell, u)`) and appendix B.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from helpers.errors import choose, listing
from helpers.stats.correlation import MIN_SYSTEMS
from helpers.stats.draws import blocks, drawn_means, unit_counts
from helpers.stats.streams import RNGLike, seed_of, stream
from helpers.stats.ties import WINDOW_TIE

BORDERS = ("once", "twice")


@dataclass(frozen=True)
class Windows:
    """Windows of metric differences, in points of the metric: rows of equal length.

    Attributes
    ----------
    lower, upper : float arrays (n_windows,)
    lower_open : bool array (n_windows,)
        Whether a pair exactly at `lower` is left out of the window. An upper end always belongs to it.
    """

    lower: np.ndarray
    upper: np.ndarray
    lower_open: np.ndarray

    def __post_init__(self):
        wrong = [
            f"{low:g} to {high:g}"
            for low, high in zip(self.lower, self.upper, strict=True)
            if not 0 <= low <= high  # NaN is wrong too
        ]
        if wrong:
            raise ValueError(f"a window must satisfy 0 <= lower <= upper, got {listing(wrong)}")


@dataclass(frozen=True)
class PairCounts:
    """Pairs of systems in windows, by how metric and people order them: int arrays (..., n_windows)."""

    n_concordant: np.ndarray
    n_discordant: np.ndarray
    n_tied_metric: np.ndarray
    n_tied_human: np.ndarray
    n_tied_both: np.ndarray

    @property
    def n_pairs(self) -> np.ndarray:
        return sum(getattr(self, kind.name) for kind in fields(self))

    @property
    def tau(self) -> np.ndarray:
        """Kendall's tau-b; NaN where a window is empty or one side ties in all of its pairs."""
        ordered = (self.n_concordant + self.n_discordant).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.n_concordant - self.n_discordant) / np.sqrt(
                (ordered + self.n_tied_human) * (ordered + self.n_tied_metric)
            )

    @property
    def agreement(self) -> np.ndarray:
        """Share of the pairs that people order as the metric does, a tie counting half; NaN without pairs."""
        tied = self.n_tied_metric + self.n_tied_human + self.n_tied_both
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.n_concordant + tied / 2) / self.n_pairs


def closed_windows(windows: Sequence[tuple[float, float]]) -> Windows:
    """Windows both of whose ends belong to them, from (lower, upper) pairs in points of the metric."""
    if not len(windows):
        raise ValueError("`windows` must hold at least one (lower, upper) pair, got none")
    lower, upper = np.asarray(windows, dtype=float).T
    return Windows(lower, upper, np.zeros(len(lower), dtype=bool))


def windows_between(edges: np.ndarray, *, borders: str = "once") -> Windows:
    """All windows from one edge to a later one, row by row: first those that start at the first edge.

    Parameters
    ----------
    edges : float array (n_edges,), rising from 0, such as `share_edges` gives
    borders : {"once", "twice"}
        Whether the pair that lies exactly on an edge counts in the window below it only, or in the one above
        it as well, as in the code that Deutsch et al. released.

    Returns
    -------
    Windows
        In the order of ``np.triu_indices(n_edges - 1)``.
    """
    choose("borders", borders, dict.fromkeys(BORDERS))
    first, last = np.triu_indices(len(edges) - 1)
    once = np.full(len(first), borders == "once")
    return Windows(edges[first], edges[last + 1], once & (first > 0))


def window_sizes(n_pairs: int, n_windows: int) -> list[int]:
    """Numbers of closest pairs that split `n_pairs` into growing windows: multiples of the rounded-up share.

    These are the sizes behind the printed values of Deutsch et al. 2022, Fig. 6: of 276 pairs the first two
    deciles hold 28 and 56 (not 28 and 55, which rounding each would give); the last window holds all.

    Examples
    --------
    >>> window_sizes(276, 10)[:3]
    [28, 56, 84]
    """
    if not 1 <= n_windows <= n_pairs:
        raise ValueError(f"`n_windows` must be from 1 to the number of pairs ({n_pairs}), got {n_windows}")
    step = math.ceil(n_pairs / n_windows)
    return [min(n_pairs, step * i) for i in range(1, n_windows + 1)]


def share_edges(metric_means: np.ndarray, human_means: np.ndarray, *, n_windows: int) -> np.ndarray:
    """Edges of windows: 0, then the largest difference among the closest 1/n, 2/n, ... of the pairs.

    Parameters
    ----------
    metric_means, human_means : float arrays (n_systems,)
        Systems that lack one of the two are left out; the differences are the metric's.
    n_windows : int, from 1 to the number of pairs

    Returns
    -------
    float array (n_windows + 1,)

    Raises
    ------
    ValueError
        If fewer than three systems have both means, or there are more windows than pairs.
    """
    present = ~np.isnan(metric_means) & ~np.isnan(human_means)
    if present.sum() < MIN_SYSTEMS:
        raise ValueError(
            f"at least {MIN_SYSTEMS} systems must have both means, got {present.sum()} of {len(present)}"
        )
    distance = np.sort(np.abs(_differences(metric_means[present])))
    return np.concatenate([[0.0], distance[np.array(window_sizes(len(distance), n_windows)) - 1]])


def count_pairs(metric_means: np.ndarray, human_means: np.ndarray, windows: Windows) -> PairCounts:
    """The pairs of systems whose metric means differ by as much as each window says.

    Parameters
    ----------
    metric_means, human_means : float arrays (..., n_systems)
        The two may come from different documents. A pair with a NaN is in no window.
    windows : Windows

    Returns
    -------
    PairCounts
        Arrays (..., n_windows).
    """
    dx, dz = _differences(metric_means), _differences(human_means)
    shape, n_kinds = dx.shape[:-1], len(fields(PairCounts))
    dx, dz = dx.reshape(-1, dx.shape[-1]), dz.reshape(-1, dz.shape[-1])
    distance = np.abs(dx)
    slack = WINDOW_TIE * float(np.nanmax(distance, initial=0))
    # pairs up to a bound are counted, so a closed end needs the next smaller number
    closed = np.nextafter(windows.lower - slack, -np.inf)
    below = np.where(windows.lower_open, windows.lower + slack, closed)
    bounds, place = np.unique(np.concatenate([below, windows.upper + slack]), return_inverse=True)
    sign = np.sign(dx) * np.sign(dz)
    kind = np.select([sign > 0, sign < 0, (dx == 0) & (dz != 0), (dx != 0) & (dz == 0)], [0, 1, 2, 3], 4)
    missing = np.isnan(dx) | np.isnan(dz)
    bin_of = np.where(missing, len(bounds), np.searchsorted(bounds, distance, side="left"))
    n_bins = len(bounds) + 1
    flat = (np.arange(len(dx))[:, None] * n_bins + bin_of) * n_kinds + kind
    counted = np.bincount(flat.ravel(), minlength=len(dx) * n_bins * n_kinds)
    up_to = counted.reshape(len(dx), n_bins, n_kinds).cumsum(axis=1)
    n = len(windows.lower)
    inside = up_to[:, place[n:]] - up_to[:, place[:n]]
    return PairCounts(*np.moveaxis(inside.reshape(*shape, n, n_kinds), -1, 0))


def draw_windows(
    scores: np.ndarray, human: np.ndarray, windows: Windows, *, n_resamples: int, rng: RNGLike
) -> tuple[np.ndarray, np.ndarray]:
    """Kendall's tau and agreement in each window over bootstrap draws of documents (Boot-Inputs).

    The systems stay, their means change, and pairs enter and leave a window, whose ends stay where they are
    in points of the metric. Where the metric scores documents that nobody judged, its documents and the
    judged ones are drawn apart (Deutsch et al. 2022, §3).

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents); NaN where missing
    windows : Windows
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    tau, agreement : float arrays (n_resamples, n_windows)
        As `PairCounts` has them; NaN in the draws in which a window has no value.
    """
    judged = ~np.isnan(human).all(axis=0)
    scored = ~np.isnan(scores).all(axis=0)
    together = np.array_equal(judged, scored)
    scores, human = scores[:, scored], human[:, judged]
    tau, agreement = np.empty((2, n_resamples, len(windows.lower)))
    seed = seed_of(rng)
    scored_stream, judged_stream = (stream(seed, f"{which} documents") for which in ("scored", "judged"))
    for rows in blocks(n_resamples, scores.shape[1]):
        counts = _drawn_documents(scored_stream, rows, scores)
        human_counts = counts if together else _drawn_documents(judged_stream, rows, human)
        pairs = count_pairs(drawn_means(scores, counts), drawn_means(human, human_counts), windows)
        tau[rows], agreement[rows] = pairs.tau, pairs.agreement
    return tau, agreement


def _drawn_documents(generator: np.random.Generator, rows: slice, scores: np.ndarray) -> np.ndarray:
    n_documents = scores.shape[1]
    return unit_counts(generator, rows.stop - rows.start, n_documents, size=n_documents)


def _differences(means: np.ndarray) -> np.ndarray:
    """First less second mean of every pair of systems, (..., n_pairs)."""
    first, second = np.triu_indices(means.shape[-1], 1)
    return means[..., first] - means[..., second]
