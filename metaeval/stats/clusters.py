r"""stats.clusters: items that hang together, such as turns of a conversation or questions on one source.

Errors of a judge cluster: it is right on one conversation and wrong on the next. An estimate from *n* items
with influences :math:`\psi_i` (the effect of each on the estimate) then varies by its design effect more,

.. math:: D = \frac{G / (G - 1) \sum_g (\sum_{i \in g} \psi_i)^2}{n / (n - 1) \sum_i \psi_i^2},

and *n* items in *G* clusters say as much as :math:`n / D` independent ones (Kish 1965; Miller 2024). Few
clusters say little of *D*: intervals are those of as many items as give Student's *t* of *G* - 1 degrees of
freedom its reach (Korn and Graubard 1998), and from draws of clusters *t* intervals, with fewer degrees of
freedom where few clusters decide (Carter, Schnepel and Steigerwald 2017).
"""

from __future__ import annotations

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.limits import check_confidence_level
from metaeval.stats.intervals import Ends, percentile_ends, t_ends
from metaeval.stats.ties import FISHER_TIE

_FEWEST = 3.0  # clusters behind an interval, since their number is estimated
_LARGEST = 1 - FISHER_TIE  # correlation whose inverse hyperbolic tangent is taken
MIN_CLUSTERS = 10  # below, intervals were measured to miss more than they promise (`benchmarks/verdicts.py`)


def group_items(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Values of items by place in the cluster and cluster, for methods that draw the last axis.

    Parameters
    ----------
    values : float array (..., n_items)
    clusters : int or str array (n_items,)

    Returns
    -------
    float array (..., n_places, n_clusters)
        NaN where a cluster has fewer items.

    Examples
    --------
    >>> group_items(np.array([1.0, 2.0, 3.0]), np.array(["b", "a", "b"])).tolist()
    [[2.0, 1.0], [nan, 3.0]]
    """
    _, number, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(number, kind="stable")
    place = np.empty(len(number), dtype=int)
    place[order] = np.arange(len(number)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    values = np.asarray(values, dtype=float)
    table = np.full((*values.shape[:-1], sizes.max(initial=1), len(sizes)), np.nan)
    table[..., place, number] = values
    return table


def design_effect(influence: np.ndarray, clusters: np.ndarray) -> float:
    """Variance of an estimate from clustered items over that from as many independent ones, at least 1.

    Parameters
    ----------
    influence : float array (n_items,)
        Effect of each item on the estimate, which sums to 0: of a mean each deviation from it. NaN where an
        item does not count.
    clusters : int or str array (n_items,)

    Returns
    -------
    float
        At most that of clusters whose items are all alike, which is taken where no item has an influence.

    Examples
    --------
    >>> design_effect(np.array([1.0, 1.0, -1.0, -1.0]), np.array([1, 1, 2, 2]))
    2.0
    >>> design_effect(np.array([1.0, -1.0, 1.0, -1.0]), np.array([1, 1, 2, 2]))
    1.0
    """
    sums, sizes = _sums_of_clusters(influence, clusters)
    n, n_clusters = sizes.sum(), len(sizes)
    if n_clusters < 2:
        return float(n)
    largest = max((sizes**2).sum() / n, 1.0)
    alone = (influence[~np.isnan(influence)] ** 2).sum() * n / (n - 1)
    if alone <= 0:
        return float(largest)
    together = (sums**2).sum() * n_clusters / (n_clusters - 1)
    return float(np.clip(together / alone, 1.0, largest))


def _sums_of_clusters(influence: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the influences of each cluster's items, and their numbers."""
    present = ~np.isnan(influence)
    _, number, sizes = np.unique(np.asarray(clusters)[present], return_inverse=True, return_counts=True)
    return np.bincount(number, influence[present], minlength=len(sizes)), sizes


def independent_share(
    influence: np.ndarray, clusters: np.ndarray, confidence_level: float, *, effective: bool = False
) -> float:
    """Number of independent items that give the interval of clustered ones, as a share of these.

    Parameters
    ----------
    influence, clusters : see `design_effect`
    confidence_level : float in (0, 1)
    effective : bool
        Whether degrees of freedom are of `effective_clusters`, for scores, whose sums over clusters differ
        more than those of labels.

    Examples
    --------
    >>> round(independent_share(np.array([1.0, 1.0, -1.0, -1.0] * 10), np.repeat(range(20), 2), 0.95), 3)
    0.467
    """
    check_confidence_level(confidence_level)
    _, sizes = _sums_of_clusters(influence, clusters)
    n, n_clusters = sizes.sum(), len(sizes)
    if n_clusters < 2:
        return np.nan
    tail = (1 - confidence_level) / 2
    units = max(effective_clusters(influence, clusters), _FEWEST) if effective else n_clusters
    reach = scipy.stats.t.ppf(tail, n - 1) / scipy.stats.t.ppf(tail, units - 1)
    return float(reach**2 / design_effect(influence, clusters))


def effective_clusters(influence: np.ndarray, clusters: np.ndarray) -> float:
    r"""Number of equally influential clusters that tell as much of an estimate's variance.

    .. math:: G^* = \Big(\sum_g S_g^2\Big)^2 \Big/ \sum_g S_g^4, \qquad S_g = \sum_{i \in g} \psi_i

    Parameters
    ----------
    influence, clusters : see `design_effect`

    Returns
    -------
    float
        All clusters where none has an influence.

    Notes
    -----
    Carter, Schnepel and Steigerwald 2017: G / (1 + squared coefficient of variation of the clusters' parts of
    the variance), here as observed, which for normal sums is a third of G. For degrees of freedom, see
    `cluster_ends`.

    Examples
    --------
    >>> effective_clusters(np.array([1.0, -1.0, 0.0, 0.0]), np.array([1, 2, 3, 4]))
    2.0
    """
    squares = _sums_of_clusters(influence, clusters)[0] ** 2
    return float(squares.sum() ** 2 / (squares**2).sum()) if (squares > 0).any() else float(len(squares))


def correlation_influence(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Influence of each item on Pearson's correlation of two sides (n_items,), times their number.

    NaN where either is missing; 0 where a side does not vary.

    Examples
    --------
    >>> correlation_influence(np.array([-1.0, -1.0, 1.0, 1.0]), np.array([-1.0, 1.0, -1.0, 1.0])).tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    missing = np.isnan(x) | np.isnan(z)
    x, z = (np.where(missing, np.nan, side) for side in (x, z))
    if missing.all():
        return x
    if any(np.nanmin(side) == np.nanmax(side) for side in (x, z)):
        return np.where(missing, np.nan, 0.0)
    x, z = ((side - np.nanmean(side)) / np.nanstd(side) for side in (x, z))
    return x * z - np.nanmean(x * z) * (x**2 + z**2) / 2


def cluster_ends(
    value: float,
    drawn: np.ndarray,
    scores: np.ndarray,
    people: np.ndarray,
    confidence_level: float,
    *,
    less: np.ndarray | None = None,
) -> Ends:
    """Interval of a correlation of items in clusters, or of a difference of two, from draws of the clusters.

    Percentiles where each item is its own cluster.

    Parameters
    ----------
    value : float
    drawn : float array (n_resamples,)
    scores, people : float arrays (n_places, n_clusters), see `group_items`
        Scores whose correlation with people is `value`, or from which another is subtracted.
    less : float array (n_places, n_clusters), optional
        The scores of that other correlation; people's own for that of several raters. Without it the interval
        is Fisher's, symmetric in the inverse hyperbolic tangent.
    confidence_level : float in (0, 1)

    Notes
    -----
    `metaeval.stats.intervals.t_ends` of `effective_clusters`. Percentiles of draws of 20 clusters, some hard,
    lie above the truth in 7 to 10 % of studies, and *t* intervals of all clusters in as many.
    """
    if len(people) == 1:
        return percentile_ends(drawn, confidence_level)
    missing = np.isnan(scores) | np.isnan(people)

    def influence(side: np.ndarray) -> np.ndarray:
        ranks = [
            scipy.stats.rankdata(np.where(missing, np.nan, one), nan_policy="omit") for one in (side, people)
        ]
        return correlation_influence(*(one.ravel() for one in ranks))

    units = np.broadcast_to(np.arange(people.shape[-1]), people.shape).ravel()
    n = effective_clusters(influence(scores) - (0.0 if less is None else influence(less)), units)
    n = max(n, _FEWEST)
    if less is None:
        value, drawn = (np.arctanh(np.clip(side, -_LARGEST, _LARGEST)) for side in (value, drawn))
        return Ends(*np.tanh(t_ends(value, drawn, n, confidence_level)))
    return t_ends(value, drawn, n, confidence_level)
