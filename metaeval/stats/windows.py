r"""stats.windows: agreement of a metric with people on pairs of systems whose scores differ by l to u.

Arrays in, arrays out: windows of metric differences, the pairs of systems in them, their correlation and its
draws. Independent of data sets and tables: `metaeval.analysis.margins` makes the tables.

The paper uses Kendall's tau. The other coefficients are sums over pairs of systems as well (Daniels 1944):
with :math:`a_{ij}` and :math:`b_{ij}` the differences of two systems in scores (Pearson), in ranks among all
systems (Spearman), or the signs of these (Kendall), each is
:math:`\sum a_{ij} b_{ij} / \sqrt{\sum a_{ij}^2 \sum b_{ij}^2}`. In a window the sums go over its pairs; over
all pairs they give the usual coefficient.
Source: Deutsch, Dror and Roth 2022, §4.2 (:math:`r_{sys}\Delta(\ell, u)`) and appendix B.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from metaeval.core.errors import choose, listing
from metaeval.stats.correlation import COEFFICIENTS, MIN_SYSTEMS, average_ranks
from metaeval.stats.draws import blocks, drawn_means, unit_counts
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import WINDOW_TIE

BORDERS = ("once", "twice")


@dataclass(frozen=True)
class Windows:
    """Windows of metric differences, in points of the metric.

    Attributes
    ----------
    lower, upper : float arrays (n_windows,)
    lower_open : bool array (n_windows,)
        True if a pair exactly at `lower` is left out of the window. An upper end always belongs to it.
    """

    lower: np.ndarray
    upper: np.ndarray
    lower_open: np.ndarray

    def __post_init__(self):
        wrong = [
            f"{low:g} to {high:g}"
            for low, high in zip(self.lower, self.upper, strict=True)
            if not 0 <= low <= high  # also for NaN
        ]
        if wrong:
            raise ValueError(f"a window must satisfy 0 <= lower <= upper, got {listing(wrong)}")


@dataclass(frozen=True)
class PairCounts:
    """Pairs of systems in windows, by their order for metric and people: int arrays (..., n_windows)."""

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
    """Windows that include both ends, from (lower, upper) pairs in points of the metric."""
    try:
        ends = np.asarray(windows, dtype=float)
    except (TypeError, ValueError):  # strings, or lists of different lengths
        ends = np.empty(0)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise ValueError(
            "`windows` must hold at least one (lower, upper) pair, such as [[0, 0.5], [0.5, 1]]; "
            f"got {windows!r}"
        )
    lower, upper = ends.T
    return Windows(lower, upper, np.zeros(len(lower), dtype=bool))


def windows_between(edges: np.ndarray, *, borders: str = "once") -> Windows:
    """All windows from one edge to a later one, row by row: first those that start at the first edge.

    Parameters
    ----------
    edges : float array (n_edges,), rising from 0, such as from `edges_at`
    borders : {"once", "twice"}
        A pair exactly on an edge counts once, in the window below it, or twice, also in the window above it,
        as in the code that Deutsch et al. released.

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
    """Numbers of closest pairs that split `n_pairs` into growing windows: see `pairs_up_to`.

    Examples
    --------
    >>> window_sizes(276, 10)[:3]
    [28, 56, 84]
    """
    return [pairs_up_to(100 * i / n_windows, n_pairs, n_windows) for i in range(1, max(1, n_windows) + 1)]


def pairs_up_to(percent: float, n_pairs: int, n_windows: int) -> int:
    """Number of closest pairs in a share: multiples of the rounded-up share of a window.

    These are the sizes behind the printed values of Deutsch et al. 2022, Fig. 6: of 276 pairs the first two
    deciles contain 28 and 56 (not 28 and 55, as from rounding each); the last window contains all. With so
    few pairs that the last windows would add none, each share is rounded up separately.

    Parameters
    ----------
    percent : float in [0, 100]
    n_pairs : int
    n_windows : int, from 1 to `n_pairs`
        Number of shares into which the pairs are split; `percent` may lie between two borders.
    """
    if not 1 <= n_windows <= n_pairs:
        raise ValueError(f"`n_windows` must be from 1 to the number of pairs ({n_pairs}), got {n_windows}")
    step = math.ceil(n_pairs / n_windows)
    if step * (n_windows - 1) >= n_pairs:
        step = n_pairs / n_windows
    sliver = WINDOW_TIE * n_pairs  # a share such as 100 / 3 is not exact
    return min(n_pairs, math.ceil(step * n_windows * percent / 100 - sliver))


def edges_at(
    metric_means: np.ndarray, human_means: np.ndarray, *, n_windows: int,
    percents: Sequence[float] | None = None,
) -> np.ndarray:  # fmt: skip
    """Largest metric difference among the given shares of the closest pairs; 0 for no pair.

    Parameters
    ----------
    metric_means, human_means : float arrays (n_systems,)
        Systems that lack one of the two are left out; the differences are the metric's.
    n_windows : int, from 1 to the number of pairs
        See `pairs_up_to`.
    percents : floats in [0, 100]
        By default 0, and the borders of `n_windows` equal shares.

    Returns
    -------
    float array (n_percents,)

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
    upper_ends = np.concatenate([[0.0], distance])
    if percents is None:
        percents = 100 * np.arange(n_windows + 1) / max(1, n_windows)
    return upper_ends[[pairs_up_to(percent, len(distance), n_windows) for percent in percents]]


def count_pairs(metric_means: np.ndarray, human_means: np.ndarray, windows: Windows) -> PairCounts:
    """Count the pairs of systems whose metric means differ by an amount in each window.

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
    return _window_sums(metric_means, human_means, windows, "kendall")[0]


def correlate_pairs(
    metric_means: np.ndarray, human_means: np.ndarray, windows: Windows, *, coefficient: str
) -> tuple[np.ndarray, PairCounts]:
    """Correlate metric and people over the pairs of each window, and count the pairs.

    Parameters
    ----------
    metric_means, human_means, windows : see `count_pairs`
    coefficient : {"pearson", "spearman", "kendall"}
        See the docstring of this module.

    Returns
    -------
    float array (..., n_windows), PairCounts
        NaN where a window is empty or one side ties in all of its pairs.
    """
    choose("coefficient", coefficient, COEFFICIENTS)
    pairs, sums = _window_sums(metric_means, human_means, windows, coefficient)
    if sums is None:
        return pairs.tau, pairs
    products, metric_squares, human_squares = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.clip(products / np.sqrt(metric_squares * human_squares), -1, 1), pairs


def _window_sums(
    metric_means: np.ndarray, human_means: np.ndarray, windows: Windows, coefficient: str
) -> tuple[PairCounts, np.ndarray | None]:
    """Count the pairs in each window; except for Kendall's tau, also sum products and squares."""
    dx, dz = _differences(metric_means), _differences(human_means)
    shape, n_kinds = dx.shape[:-1], len(fields(PairCounts))
    dx, dz = dx.reshape(-1, dx.shape[-1]), dz.reshape(-1, dz.shape[-1])
    distance = np.abs(dx)
    slack = WINDOW_TIE * float(np.nanmax(distance, initial=0))
    # pairs up to and including a bound are counted, so a closed lower end needs the next smaller number
    closed = np.nextafter(windows.lower - slack, -np.inf)
    below = np.where(windows.lower_open, windows.lower + slack, closed)
    bounds, place = np.unique(np.concatenate([below, windows.upper + slack]), return_inverse=True)
    missing = np.isnan(dx) | np.isnan(dz)
    n_bins = len(bounds) + 1
    bin_of = np.where(missing, len(bounds), np.searchsorted(bounds, distance, side="left"))
    bin_of += np.arange(len(dx))[:, None] * n_bins
    sign = np.sign(dx) * np.sign(dz)
    kind = np.select([sign > 0, sign < 0, (dx == 0) & (dz != 0), (dx != 0) & (dz == 0)], [0, 1, 2, 3], 4)
    counted = np.bincount((bin_of * n_kinds + kind).ravel(), minlength=len(dx) * n_bins * n_kinds)
    up_to = counted.reshape(len(dx), n_bins, n_kinds).cumsum(axis=1)
    n = len(windows.lower)
    inside = up_to[:, place[n:]] - up_to[:, place[:n]]
    pairs = PairCounts(*np.moveaxis(inside.reshape(*shape, n, n_kinds), -1, 0))
    if coefficient == "kendall":
        return pairs, None
    if coefficient == "spearman":
        valid = ~np.isnan(metric_means) & ~np.isnan(human_means)
        ranks = (average_ranks(means, valid) for means in (metric_means, human_means))
        dx, dz = (_differences(one).reshape(dx.shape) for one in ranks)
    # relative to the largest difference, so that squares of tiny scores stay in range; no sum is a difference
    # of sums, so that one in which all pairs tie is exactly 0
    dx, dz = (_scale_by_largest(np.where(missing, 0, differences)) for differences in (dx, dz))
    window_bins = np.arange(n_bins)[:, None] > place[:n]
    window_bins &= np.arange(n_bins)[:, None] <= place[n:]
    binned = (
        np.bincount(bin_of.ravel(), weights=products.ravel(), minlength=len(dx) * n_bins)
        for products in (dx * dz, dx * dx, dz * dz)
    )
    sums = [(sums.reshape(-1, n_bins) @ window_bins).reshape(*shape, n) for sums in binned]
    return pairs, np.array(sums)


def _scale_by_largest(differences: np.ndarray) -> np.ndarray:
    largest = np.abs(differences).max(axis=-1, keepdims=True, initial=0)
    return differences / np.where(largest > 0, largest, 1)


def draw_windows(
    scores: np.ndarray,
    human: np.ndarray,
    windows: Windows,
    *,
    coefficient: str = "kendall",
    n_resamples: int,
    rng: RNGLike,
) -> tuple[np.ndarray, np.ndarray]:
    """Correlation and agreement in each window over bootstrap draws of documents (Boot-Inputs).

    The systems are fixed, their means change, and pairs enter and leave a window, whose ends are fixed in
    points of the metric. Where the metric scores documents that nobody judged, its documents and the judged
    ones are drawn independently (Deutsch et al. 2022, §3).

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents); NaN where missing
    windows : Windows
    coefficient : {"pearson", "spearman", "kendall"}
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    value, agreement : float arrays (n_resamples, n_windows)
        As in `correlate_pairs` and `PairCounts`; NaN in the draws in which a window has no value.
    """
    judged = ~np.isnan(human).all(axis=0)
    scored = ~np.isnan(scores).all(axis=0)
    together = np.array_equal(judged, scored)
    scores, human = scores[:, scored], human[:, judged]
    value, agreement = np.empty((2, n_resamples, len(windows.lower)))
    seed = seed_of(rng)
    scored_stream, judged_stream = (stream(seed, f"{which} documents") for which in ("scored", "judged"))
    for rows in blocks(n_resamples, scores.shape[1]):
        n_drawn = rows.stop - rows.start
        counts = unit_counts(scored_stream, n_drawn, scores.shape[1])
        human_counts = counts if together else unit_counts(judged_stream, n_drawn, human.shape[1])
        means = drawn_means(scores, counts), drawn_means(human, human_counts)
        value[rows], pairs = correlate_pairs(*means, windows, coefficient=coefficient)
        agreement[rows] = pairs.agreement
    return value, agreement


def _differences(means: np.ndarray) -> np.ndarray:
    """First minus second mean of every pair of systems, (..., n_pairs)."""
    first, second = np.triu_indices(means.shape[-1], 1)
    return means[..., first] - means[..., second]
