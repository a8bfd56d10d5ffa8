r"""stats.accuracy_curve: how large a metric's difference between two systems has to be for people to see it.

The log-odds that people rank two systems as a metric does grow in proportion to the metric's difference *d*,

.. math:: P(\text{people agree} \mid d) = 1 / (1 + e^{-\beta d}),

so that two equal systems are a coin toss. One number :math:`\beta`, fitted to all pairs, answers in both
directions: how often a difference is confirmed, and which difference is confirmed in 90 % of pairs. Kocmi et
al. 2024 ask the same of metrics of translation. Plain arrays; called by `experiments.measures`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logit

from metaeval.stats import kernels
from metaeval.stats.draws import drawn_means, unit_counts
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.pairs import alike
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.threads import in_threads
from metaeval.stats.ties import SETTLED, system_means


@dataclass(frozen=True)
class AccuracyCurve:
    """Share of pairs that people rank as metrics do, by the metrics' difference.

    Attributes
    ----------
    slope : float array (...)
        :math:`\\beta`, in 1 / the metric's unit: infinite where people confirm every pair, negative where
        they turn more round than they confirm, NaN where no pair differs.
    typical : float array (...)
        The median difference of two systems.
    distribution : float array (..., n_resamples)
        The share at the typical difference in each draw of systems and documents. Not printed.
    """

    slope: np.ndarray
    typical: np.ndarray
    distribution: np.ndarray = field(repr=False)

    def _slopes(self, confidence_level: float) -> np.ndarray:
        """Estimate and ends (3, ...), in the order of the share."""
        # percentiles are taken of shares, which are finite where a slope is not
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = logit(percentile_bounds(self.distribution, confidence_level)) / self.typical
        return np.concatenate([self.slope[None], ends])

    def accuracy(self, difference: np.ndarray, *, confidence_level: float = 0.95) -> np.ndarray:
        """Share of pairs that people rank as the metric does, with its interval.

        Parameters
        ----------
        difference : float array (k,) or (..., k), at least 0, in the metric's unit
        confidence_level : float in (0, 1)

        Returns
        -------
        float array (3, ..., k)
            Estimate, lower and upper end.
        """
        difference = np.asarray(difference, dtype=float)
        if not (difference >= 0).all():
            raise ValueError(f"`difference` must be at least 0, got {difference.min()}")
        slopes = self._slopes(confidence_level)[..., None]
        with np.errstate(invalid="ignore"):
            shares = expit(slopes * difference)
        return np.where((difference == 0) & ~np.isnan(slopes), 0.5, shares)  # also of infinite slopes

    def difference(self, accuracy: float, *, confidence_level: float = 0.95) -> np.ndarray:
        """The difference that people confirm in this share of pairs, with its interval.

        Parameters
        ----------
        accuracy : float in (1/2, 1)
        confidence_level : float in (0, 1)

        Returns
        -------
        float array (3, ...)
            Estimate, lower and upper end; infinite where no difference is confirmed so often.
        """
        check_accuracy(accuracy)
        estimate, low, high = self._slopes(confidence_level)
        slopes = np.stack([estimate, high, low])
        with np.errstate(divide="ignore"):
            needed = logit(accuracy) / slopes
        return np.where(slopes > 0, needed, np.where(np.isnan(slopes), np.nan, np.inf))


def accuracy_curve(
    scores: np.ndarray, human: np.ndarray, *, n_resamples: int = 1_000, rng: RNGLike
) -> AccuracyCurve:
    """Fit the curve of each metric to all pairs of systems, by mean scores, and to draws of both.

    A pair that people tie is half confirmed. In a draw a system stands as often as it was drawn, and a pair
    as often as both of it; the same draws serve all metrics.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    human : float array (n_systems, n_documents)
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    AccuracyCurve
    """
    check_draws(n_resamples)
    scores, human = alike(scores, human)
    n, m = human.shape
    first, second = np.triu_indices(n, 1)
    seed = seed_of(rng)
    systems = unit_counts(stream(seed, "systems"), n_resamples, n)
    documents = unit_counts(stream(seed, "documents"), n_resamples, m)
    weights = systems[:, first] * systems[:, second]

    def differences(means):
        return means[..., first] - means[..., second]

    of_people = differences(system_means(human)[None]), differences(drawn_means(human, documents))

    def of_metric(plane):
        observed = differences(system_means(plane)[None])
        (slope,) = _slope(observed, of_people[0], np.ones_like(observed))
        distances = np.abs(observed[observed != 0])
        middle = np.nanmedian(distances) if np.isfinite(distances).any() else np.nan
        drawn = _slope(differences(drawn_means(plane, documents)), of_people[1], weights)
        return slope, middle, expit(drawn * middle)

    slopes, typical, distributions = zip(*in_threads(of_metric, scores.reshape(-1, n, m)), strict=True)
    shape = scores.shape[:-2]
    return AccuracyCurve(
        slope=np.reshape(slopes, shape),
        typical=np.reshape(typical, shape),
        distribution=np.reshape(distributions, (*shape, n_resamples)),
    )


def check_accuracy(accuracy: float) -> None:
    """Raise unless a difference can be asked for that is confirmed in this share of pairs."""
    if not 0.5 < accuracy < 1:
        raise ValueError(f"`accuracy` must be in (0.5, 1), above a coin toss, got {accuracy}")


def confirmed(metric: np.ndarray, people: np.ndarray) -> np.ndarray:
    """1 where people order a pair as the metric does, 0 where the other way, 1/2 where they tie it.

    Parameters
    ----------
    metric, people : float arrays (...)
        Differences of two systems; NaN where either does not exist or the metric ties.
    """
    with np.errstate(invalid="ignore"):
        shared = (np.sign(metric) * np.sign(people) + 1) / 2
    return np.where(metric == 0, np.nan, shared)


def _slope(metric, people, weights):
    """The slope with the highest likelihood in each row (n_rows, n_pairs)."""
    share = confirmed(metric, people)
    counted = ~np.isnan(share) & (weights > 0)
    x = np.where(counted, np.abs(metric), 0.0)
    scale = x.max(axis=-1, keepdims=True)
    x = x / np.where(scale > 0, scale, 1.0)
    weight = np.where(counted, weights, 0.0) * x
    share = np.where(counted, share, 0.5)
    known = scale[:, 0] > 0
    all_right = known & ((share == 1) | ~counted).all(axis=-1)
    all_wrong = known & ((share == 0) | ~counted).all(axis=-1)
    slope = np.zeros(len(x))
    left = np.flatnonzero(known & ~all_right & ~all_wrong)
    slope[left] = kernels.logistic_slopes(x[left], share[left], weight[left], SETTLED)
    slope = np.where(all_right, np.inf, np.where(all_wrong, -np.inf, slope))
    return np.where(known, slope / np.where(known, scale[:, 0], 1.0), np.nan)
