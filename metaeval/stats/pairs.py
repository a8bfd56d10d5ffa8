r"""stats.pairs: pairs of summaries counted with their ties, accuracy with ties, and thresholds for a tie.

Of two summaries, people and a metric may agree on which is better (concordant), disagree (discordant), or
call them equal. Judges answer 1 to 5, so that ties are frequent; tau-b leaves them out, and pairwise accuracy
with ties counts a tie as right where people tie (Deutsch, Foster and Freitag 2023, "Ties Matter", §4):

.. math:: acc_{eq} = (C + T_{hm}) / (C + D + T_h + T_m + T_{hm})

A metric on a fine scale never ties. `calibrate` finds the threshold below which a difference of its scores is
best called a tie (§5). Fitted on the scored pairs, it is optimistic; `held_out_accuracy` fits it on other
documents.

Pairs are formed within groups, and the groups' values averaged: by ``"item"`` (the systems of a document), by
``"system"`` (the documents of a system), or ``"none"`` (all summaries). A pair with a score missing on either
side is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_count
from metaeval.stats.correlation import pearson, spearman
from metaeval.stats.draws import drawn_counts
from metaeval.stats.kernels import compiled
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import SCORE_TIE, double, signs

MAX_PAIRS = 10_000_000  # to be listed and sorted, some 300 MB; above it the threshold is chosen from a grid
_GRID = 100

GROUPINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "item": lambda scores: np.swapaxes(scores, -1, -2),
    "system": lambda scores: scores,
    "none": lambda scores: scores.reshape(*scores.shape[:-2], 1, -1),
}


@dataclass(frozen=True)
class PairCounts:
    """Numbers of pairs within each group; int arrays (..., n_groups).

    Attributes
    ----------
    concordant, discordant : pairs that neither side ties, in the same and in the opposite order
    tied_metric, tied_human : pairs that only the metric, only people tie
    tied_both : pairs that both tie
    """

    concordant: np.ndarray
    discordant: np.ndarray
    tied_metric: np.ndarray
    tied_human: np.ndarray
    tied_both: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """All pairs of each group."""
        return self.concordant + self.discordant + self.tied_metric + self.tied_human + self.tied_both

    @property
    def right(self) -> np.ndarray:
        """acc_eq of each group, in [0, 1]; NaN where a group has no pair."""
        return _ratio(self.concordant + self.tied_both, self.total)

    @property
    def untied(self) -> np.ndarray:
        """Geometric mean of the numbers of pairs that each side does not tie, of each group."""
        tied = self.tied_metric + self.tied_both, self.tied_human + self.tied_both
        return np.sqrt((self.total - tied[0]) * 1.0) * np.sqrt((self.total - tied[1]) * 1.0)

    def accuracy(self) -> np.ndarray:
        """acc_eq, in [0, 1], averaged over the groups that have a pair: (...); NaN where none has."""
        return mean_over_groups(self.concordant + self.tied_both, self.total)

    def tau_b(self) -> np.ndarray:
        """tau-b, in [-1, 1], averaged over the groups where neither side is constant."""
        return mean_over_groups(self.concordant - self.discordant, self.untied)


def group_coefficients(
    scores: np.ndarray, human: np.ndarray, *, grouping: str = "item"
) -> dict[str, np.ndarray]:
    r"""Six coefficients that treat ties differently, group by group.

    With *n* scores in a group, *C* and *D* as in `PairCounts`, and *m* the smaller number of different scores
    of the two sides:

    - ``"tau_a"``, :math:`(C - D) / (n (n - 1) / 2)`: a tie is no agreement and counts in the denominator;
    - ``"tau_b"``: see `metaeval.stats.correlation.kendall`; ties of either side reduce the denominator;
    - ``"tau_c"``, :math:`2 (C - D) / (n^2 (m - 1) / m)` (Stuart 1953): for scales of different lengths;
    - ``"pearson"`` and ``"spearman"`` of the scores and of their average ranks;
    - ``"accuracy"``, acc_eq: a tie is right where both sides tie.

    Parameters
    ----------
    scores, human, grouping : see `pair_counts`

    Returns
    -------
    dict
        Coefficient -> float array (..., n_groups). Where a side is constant in a group, tau_b, tau_c and the
        two correlations do not exist (NaN); tau_a is 0, and the accuracy counts the ties.
    """
    counts = pair_counts(scores, human, grouping=grouping)
    x, z = np.broadcast_arrays(*grouped(scores, human, grouping))
    present = ~np.isnan(x) & ~np.isnan(z)
    x, z = np.where(present, x, np.nan), np.where(present, z, np.nan)
    n, fewer = present.sum(axis=-1), np.minimum(_n_different(x), _n_different(z))
    ahead = counts.concordant - counts.discordant
    return {
        "tau_a": _ratio(ahead, counts.total),
        "tau_b": _ratio(ahead, counts.untied),
        "tau_c": _ratio(2 * ahead * fewer, n**2 * (fewer - 1.0)),
        "pearson": pearson(x, z),
        "spearman": spearman(x, z),
        "accuracy": counts.right,
    }


@dataclass(frozen=True)
class TieCalibration:
    """Threshold that gives a metric its highest accuracy with ties.

    Attributes
    ----------
    epsilon : float, in the metric's units
        Scores that differ by at most this much are called a tie; the smallest of the best thresholds.
    accuracy : float in [0, 1]
        acc_eq with it, on the pairs that it was fitted on.
    uncalibrated : float in [0, 1]
        acc_eq where only equal scores tie.
    exact : bool
        True if every threshold was tried; otherwise it is the best of a grid of quantiles, its accuracy
        exact.
    """

    epsilon: float
    accuracy: float
    uncalibrated: float
    exact: bool


def pair_counts(
    scores: np.ndarray, human: np.ndarray, *, grouping: str = "item", epsilon: float = 0.0
) -> PairCounts:
    """Count concordant, discordant and tied pairs of metrics with people.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    human : float array (n_systems, n_documents)
    grouping : {"item", "system", "none"}
    epsilon : float, at least 0
        Scores of a metric that differ by at most this much, allowing for rounding, are tied; at 0, and for
        people's scores, only equal scores are.

    Returns
    -------
    PairCounts
        Of arrays (..., n_groups).

    Raises
    ------
    ValueError
        If `epsilon` is negative or shapes differ.
    DataError, UnknownNameError
        For an infinite score, or another grouping.

    Examples
    --------
    >>> counts = pair_counts([[2.0], [1.0], [1.5], [5.0], [3.0]], [[1.0], [2.0], [2.0], [3.0], [4.0]])
    >>> float(counts.accuracy()), round(float(counts.tau_b()), 4)
    (0.6, 0.3162)
    """
    if not epsilon >= 0:
        raise ValueError(f"`epsilon` must be at least 0, got {epsilon}")
    metric, people = grouped(scores, human, grouping)
    planes = metric.reshape(-1, *metric.shape[-2:])
    people = np.ascontiguousarray(people)  # one layout, compiled once
    out = np.zeros((len(planes), metric.shape[-2], 5), dtype=np.int64)
    for plane, counts in zip(planes, out, strict=True):
        _count(np.ascontiguousarray(plane), people, epsilon + (epsilon > 0) * _rounding(plane), counts)
    out = out.reshape(*metric.shape[:-1], 5)
    return PairCounts(*np.moveaxis(out, -1, 0))


def calibrate(
    metric: np.ndarray, human: np.ndarray, *, grouping: str = "item", rng: RNGLike = 0
) -> TieCalibration:
    """Choose the tie threshold of one metric among all differences of its scores.

    Differences that differ only by rounding, such as .3 - .2 and .2 - .1, count as one.

    Parameters
    ----------
    metric, human : float arrays (n_systems, n_documents), NaN where missing
    grouping : {"item", "system", "none"}
    rng : seed, Generator or None
        For more than ten million pairs, from a sample of which the thresholds are taken.

    Returns
    -------
    TieCalibration

    Raises
    ------
    DataError
        If no group has a pair, or a score is infinite.
    """
    x, z = (np.ascontiguousarray(side) for side in grouped(metric, human, grouping))
    present = (~np.isnan(x) & ~np.isnan(z)).sum(axis=-1)
    n_pairs = int((present * (present - 1) // 2).sum())
    if not n_pairs:
        raise DataError(
            f"at least two summaries of a group (by {grouping!r}) need scores of both the metric and people"
        )
    uncalibrated = float(pair_counts(metric, human, grouping=grouping).accuracy())
    if n_pairs > MAX_PAIRS:
        return _calibrated_on_grid(metric, human, grouping, uncalibrated, stream(seed_of(rng), "thresholds"))
    distance, gain = np.empty(n_pairs), np.empty(n_pairs)
    # pairs that a threshold can make right or wrong
    n_open = _open_pairs(x, z, distance, gain)
    order = np.argsort(distance[:n_open])
    distance, gain = distance[order], gain[order]
    # a threshold ties all pairs of one distance together, so the last of them holds its accuracy
    last = np.flatnonzero(np.append(np.diff(distance) > _rounding(x), True)[:n_open])
    accuracies = np.append(uncalibrated, uncalibrated + np.cumsum(gain)[last])
    # sums of shares differ in their last bits with the order of the pairs
    best = int(np.argmax(accuracies >= accuracies.max() - SCORE_TIE))
    return TieCalibration(
        epsilon=float(np.append(0.0, distance[last])[best]),
        accuracy=float(accuracies[best]),
        uncalibrated=uncalibrated,
        exact=True,
    )


def held_out_accuracy(
    metric: np.ndarray, human: np.ndarray, *, grouping: str = "item", n_folds: int = 5, rng: RNGLike
) -> float:
    """Compute acc_eq with each document's ties called by a threshold fitted on other documents.

    Parameters
    ----------
    metric, human, grouping : see `calibrate`
    n_folds : int, at least 2 and at most the number of documents
    rng : seed, Generator or None
        Assigns documents to folds.

    Returns
    -------
    float in [0, 1]
        Averaged over documents: a fold's weight is its number of documents.

    Raises
    ------
    ValueError, DataError
        If there are fewer documents than folds; if a fold leaves no pair to fit on, or none to score.
    """
    metric, human = double("metric", metric), double("human", human)
    values, sizes = [], []
    for fold, counts in _held_out(metric, human, grouping, n_folds, rng):
        values.append(float(counts.accuracy()))
        # by item a fold's value is a mean over its documents that have a pair
        sizes.append((counts.total > 0).sum() if grouping == "item" else len(fold))
    values, sizes = np.array(values), np.array(sizes, dtype=float)
    defined = ~np.isnan(values)
    if not defined.any():
        raise DataError(
            f"at least one fold must have a pair to score (by {grouping!r}), got none with "
            f"{metric.shape[-1]} documents in {n_folds} folds; use fewer folds"
        )
    return float(values[defined] @ sizes[defined] / sizes[defined].sum())


def held_out_right(metric: np.ndarray, human: np.ndarray, *, n_folds: int = 5, rng: RNGLike) -> np.ndarray:
    """Compute acc_eq of each document, by item, with a threshold fitted on other documents.

    Parameters
    ----------
    metric, human, n_folds, rng : see `held_out_accuracy`, which is the mean of these values

    Returns
    -------
    float array (n_documents,), in [0, 1]
        NaN for a document without a pair.
    """
    metric, human = double("metric", metric), double("human", human)
    right = np.empty(metric.shape[-1])
    for fold, counts in _held_out(metric, human, "item", n_folds, rng):
        right[fold] = counts.right
    return right


def fitted_on_few(
    metric: np.ndarray, human: np.ndarray, *, n_fitted: int, n_draws: int, rng: RNGLike
) -> tuple[np.ndarray, np.ndarray]:
    """Compute acc_eq by item with a threshold fitted on some of the documents, on these and on all others.

    Every threshold is tried, so this is for scores with few distinct values, such as ratings.

    Parameters
    ----------
    metric, human : float arrays (n_systems, n_documents), NaN where missing
    n_fitted : int, from 1 to the number of documents with a pair, minus one
    n_draws : int
        Number of draws of the documents that are fitted on.
    rng : seed, Generator or None

    Returns
    -------
    same, others : float arrays (n_draws,), in [0, 1]
        The accuracy on the documents that the threshold was fitted on, and on those that it was not.
    """
    metric, human = double("metric", metric), double("human", human)
    has_pair = pair_counts(metric, human).total > 0
    metric, human = metric[:, has_pair], human[:, has_pair]
    n = metric.shape[-1]
    check_count("n_fitted", n_fitted, minimum=1, maximum=n - 1)
    first, second = np.triu_indices(len(metric), 1)
    thresholds = np.unique(np.abs(metric[first] - metric[second]))  # NaN comes last
    thresholds = np.union1d([0.0], thresholds[~np.isnan(thresholds)])
    right = np.stack([pair_counts(metric, human, epsilon=epsilon).right for epsilon in thresholds])
    chosen = stream(seed_of(rng), "fitted on").random((n_draws, n)).argsort(axis=-1) < n_fitted
    fitted = chosen @ right.T / n_fitted
    # the smallest of the best, as `calibrate` takes it
    best = (fitted >= fitted.max(axis=-1, keepdims=True) - SCORE_TIE).argmax(axis=-1)
    draws = np.arange(n_draws)
    return fitted[draws, best], (~chosen @ right.T)[draws, best] / (n - n_fitted)


def share_in_order(scores: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Share of the pairs of summaries of a document that a metric ranks alike, of those that people separate.

    Unlike a correlation of systems, it needs only two systems, and unlike tau-b within documents it counts
    every pair that people separate once, so that a document on which people tie all summaries has no weight.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), higher is better, NaN where missing
    human : float array (n_systems, n_documents)

    Returns
    -------
    float array (...)
        In [0, 1]; a pair that the metric ties counts half, so that 0.5 is chance. NaN without a pair that
        both score and people separate.
    """
    right, judged = _order_pairs(scores, human)
    with np.errstate(invalid="ignore"):
        return right.sum(axis=(-1, -2)) / judged.sum(axis=(-1, -2))


def n_separated(scores: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Count the pairs behind `share_in_order`: int array (...)."""
    return _order_pairs(scores, human)[1].sum(axis=(-1, -2)).astype(int)


def drawn_shares(
    scores: np.ndarray, human: np.ndarray, *, resample: str = "both", n_resamples: int = 1_999, rng: RNGLike
) -> np.ndarray:
    """Compute `share_in_order` in bootstrap samples of systems and documents, the same for all metrics.

    Parameters
    ----------
    scores, human : as in `share_in_order`
    resample : {"both", "inputs"}
        The units drawn: systems and documents, or documents only. A pair counts as often as its two systems
        and its document are drawn; a system forms no pair with itself.
    n_resamples : int
    rng : seed or Generator

    Returns
    -------
    float array (..., n_resamples)
        NaN where no pair that people separate was drawn.
    """
    check_draws(n_resamples)
    right, judged = _order_pairs(scores, human)
    systems, documents = drawn_counts(seed_of(rng), n_resamples, *np.shape(human), resample)
    first, second = _system_pairs(systems.shape[1])
    weights = systems[:, first] * systems[:, second]
    above, below = (((weights @ counted) * documents).sum(axis=-1) for counted in (right, judged))
    with np.errstate(invalid="ignore"):
        return above / below


def alike(scores: np.ndarray, human: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Convert both sides to doubles; the metrics' shape must end in people's (n_systems, n_documents)."""
    scores, human = double("scores", scores), double("human", human)
    if human.ndim != 2 or scores.shape[-2:] != human.shape:
        raise ValueError(
            f"`scores` {scores.shape} must end in the shape (n_systems, n_documents) of `human` {human.shape}"
        )
    return scores, human


def grouped(scores: np.ndarray, human: np.ndarray, grouping: str) -> tuple[np.ndarray, np.ndarray]:
    """Arrange metrics (..., n_groups, size) and people (n_groups, size) in the groups of a grouping."""
    arrange = choose("grouping", grouping, GROUPINGS)
    scores, human = alike(scores, human)
    return arrange(scores), arrange(human)


def mean_over_groups(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Mean of ``above / below`` (..., n_groups) over groups where `below` is positive; NaN without any."""
    defined = below > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, above / below, 0.0).sum(axis=-1) / defined.sum(axis=-1)


def _held_out(metric, human, grouping, n_folds, rng):
    """Yield each fold of documents and its pairs, tied by a threshold fitted on the other folds."""
    check_count("n_folds", n_folds, minimum=2, maximum=metric.shape[-1])
    shuffled = stream(seed_of(rng), "folds").permutation(metric.shape[-1])
    for fold in np.array_split(shuffled, n_folds):
        others = np.setdiff1d(shuffled, fold)
        fitted = calibrate(metric[:, others], human[:, others], grouping=grouping, rng=rng)
        yield fold, pair_counts(metric[:, fold], human[:, fold], grouping=grouping, epsilon=fitted.epsilon)


def _rounding(scores: np.ndarray) -> float:
    """Tolerance within which differences of these scores are equal."""
    return SCORE_TIE * float(np.nanmax(np.abs(scores), initial=0.0))


def _ratio(above, below):
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)


def _n_different(values):
    """Number of distinct values along the last axis, without NaN."""
    ordered = np.sort(values, axis=-1)  # NaN comes last, and no difference to it is above 0
    return (np.diff(ordered, axis=-1) > 0).sum(axis=-1) + ~np.isnan(ordered[..., 0])


def _calibrated_on_grid(metric, human, grouping, uncalibrated, generator):
    """Calibrate on some quantiles of the distances, where there are too many pairs to sort."""
    x, _ = grouped(metric, human, grouping)
    group = generator.integers(x.shape[0], size=100 * _GRID)
    one, other = generator.integers(x.shape[1], size=(2, 100 * _GRID))
    distances = np.abs(x[group, one] - x[group, other])
    grid = np.unique(np.nanquantile(distances[one != other], np.linspace(0, 1, _GRID)))
    accuracies = [
        float(pair_counts(metric, human, grouping=grouping, epsilon=epsilon).accuracy()) for epsilon in grid
    ]
    best = int(np.argmax(accuracies))
    if accuracies[best] <= uncalibrated:
        return TieCalibration(0.0, uncalibrated, uncalibrated, exact=False)
    return TieCalibration(float(grid[best]), accuracies[best], uncalibrated, exact=False)


def _order_pairs(scores, human):
    """Score pairs by their order (1, ½ or 0), and mark those that count, (..., n_pairs, n_documents) each."""
    scores, human = alike(scores, human)
    first, second = _system_pairs(len(human))
    by_metric, by_people = (signs(x[..., first, :] - x[..., second, :], SCORE_TIE) for x in (scores, human))
    judged = ~np.isnan(by_metric) & ~np.isnan(by_people) & (by_people != 0)
    return np.where(judged, (1 + by_metric * by_people) / 2, 0.0), judged.astype(float)


def _system_pairs(n_systems):
    return np.array(list(combinations(range(n_systems), 2)), dtype=int).reshape(-1, 2).T


@compiled
def _present(x, z, x_present, z_present):
    """Copy the entries that both sides have; returns their number."""
    n = 0
    for i in range(x.shape[0]):
        if not (np.isnan(x[i]) or np.isnan(z[i])):
            x_present[n], z_present[n] = x[i], z[i]
            n += 1
    return n


@compiled
def _count(x, z, epsilon, out):
    """`out` (n_groups, 5): concordant, discordant, tied by x, by z, by both, within each row of x and z.

    Entries go by x; a Fenwick tree holds, by the rank of z, those whose x lies more than `epsilon` below.
    """
    size = x.shape[1]
    row_x, row_z = np.empty(size), np.empty(size)
    rank, tree, equal = np.empty(size, np.int64), np.empty(size + 1, np.int64), np.empty(size, np.int64)
    for g in range(x.shape[0]):
        n = _present(x[g], z[g], row_x, row_z)
        order = np.argsort(row_z[:n])
        n_ranks = 0
        tied_z = 0
        run = 0
        for e in range(n):
            if e > 0 and row_z[order[e]] > row_z[order[e - 1]]:
                n_ranks += 1
                run = 0
            tied_z += run
            run += 1
            rank[order[e]] = n_ranks
        tree[: n_ranks + 2] = 0
        equal[: n_ranks + 1] = 0
        order = np.argsort(row_x[:n])
        concordant, discordant, apart_tied_z, entered = 0, 0, 0, 0
        for e in range(n):
            here = row_x[order[e]]
            while here - row_x[order[entered]] > epsilon:
                r = rank[order[entered]]
                equal[r] += 1
                r += 1
                while r <= n_ranks + 1:
                    tree[r] += 1
                    r += r & -r
                entered += 1
            r = rank[order[e]]
            below = 0
            at = r
            while at > 0:
                below += tree[at]
                at -= at & -at
            concordant += below
            apart_tied_z += equal[r]
            discordant += entered - below - equal[r]
        out[g, 0], out[g, 1], out[g, 3] = concordant, discordant, apart_tied_z
        out[g, 4] = tied_z - apart_tied_z
        out[g, 2] = n * (n - 1) // 2 - concordant - discordant - tied_z


@compiled
def _open_pairs(x, z, distance, gain):
    """List the pairs that x separates and that z ties or orders alike: their distance in x, and the change of
    the average accuracy when they are called tied. Returns their number.
    """
    size = x.shape[1]
    row_x, row_z = np.empty(size), np.empty(size)
    n_groups = 0
    for g in range(x.shape[0]):
        n_groups += _present(x[g], z[g], row_x, row_z) > 1
    n_open = 0
    for g in range(x.shape[0]):
        n = _present(x[g], z[g], row_x, row_z)
        if n < 2:
            continue
        share = 1.0 / (n * (n - 1) / 2.0) / n_groups
        for i in range(n):
            for k in range(i):
                dx, dz = row_x[i] - row_x[k], row_z[i] - row_z[k]
                if dx != 0.0 and (dz == 0.0 or (dx > 0.0) == (dz > 0.0)):
                    distance[n_open] = abs(dx)
                    gain[n_open] = share if dz == 0.0 else -share
                    n_open += 1
    return n_open
