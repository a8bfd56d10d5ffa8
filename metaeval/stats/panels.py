"""stats.panels: how many judges a panel is worth, whether it beats its best member, and what picks keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import percentile_ends
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import double

_AT_ONCE = 10_000_000  # numbers in memory


class Bounded(NamedTuple):
    """Value and its interval, with their Monte-Carlo errors where they are drawn."""

    value: float
    low: float
    high: float
    mc_error: float = 0.0
    low_mc_error: float = 0.0
    high_mc_error: float = 0.0


def effective_number(judges: np.ndarray, ratings: np.ndarray) -> float:
    r"""Number of independent judges that a panel is worth, :math:`k / (1 + (k - 1) \bar r)`.

    Parameters
    ----------
    judges : float array (k, n_units)
        Scores on people's scale.
    ratings : float array (n_raters, n_units)

    Returns
    -------
    float
        From 1, for judges that all err alike; above *k* where their errors make up for each other. NaN where
        people's own error is so large, or the units are so few, that no error of the judges can be told.

    Notes
    -----
    The mean correlation of errors :math:`\bar r` is in Kish's design effect (Kohli 2026). Two judges that are
    held against one rater share its error, so a judge's error against one rater is taken with the other
    judge's against another. A single rater's error counts as shared, and the number is too small.

    Examples
    --------
    >>> people = [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]
    >>> round(float(effective_number([[2.0, 1.0, 4.0, 3.0], [2.0, 1.0, 4.0, 3.0]], people)), 3)
    1.0
    """
    judges, ratings = double("judges", judges), double("ratings", ratings)
    if len(judges) < 2:
        raise DataError("a panel takes two judges or more")
    k, n_raters = len(judges), len(ratings)
    rated = ~np.isnan(judges).any(axis=0) & ~np.isnan(ratings).any(axis=0)
    covariance = np.cov(np.concatenate([judges, ratings])[:, rated])
    people = covariance[k:, k:]
    between = people[~np.eye(n_raters, dtype=bool)].mean() if n_raters > 1 else people[0, 0]
    own = covariance[:k, k:].mean(axis=1)
    errors = covariance[:k, :k] - own[:, None] - own + between
    if not (np.diag(errors) > 0).all():
        return np.nan
    spread = np.sqrt(np.diag(errors))
    correlations = errors / spread[:, None] / spread
    shared = 1 + (k - 1) * correlations[~np.eye(k, dtype=bool)].mean()
    return k / shared if shared > 0 else np.nan


def panel_minus_best(
    judges: np.ndarray,
    people: np.ndarray,
    *,
    coefficient: str = "kendall",
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> Bounded:
    """Correlation over systems of the judges' mean with people, minus that of the best judge.

    Parameters
    ----------
    judges : float array (k, n_systems, n_documents)
        On one scale.
    people : float array (n_systems, n_documents)
    coefficient, n_resamples, confidence_level, rng

    Returns
    -------
    Bounded
        NaN where no draw has a value.

    Notes
    -----
    Each draw of systems chooses the best judge by one half of the documents, and measures both by the other:
    whoever is chosen by the data on which he is measured is flattered by their noise. Halves scatter around
    all documents as samples of as many do around the truth. The value is the mean over draws. The interval
    errs to the safe side: 95 % ones hold the truth in all of 200 studies in each of four simulated worlds (8
    to 25 systems, 40 to 100 documents, 3 to 5 judges).
    """
    check_confidence_level(confidence_level)
    check_draws(n_resamples)
    judges, people = double("judges", judges), double("people", people)
    planes = np.concatenate([judges, judges.mean(axis=0, keepdims=True)])
    generator, kind = stream(seed_of(rng), "halves"), {"level": "system", "coefficient": coefficient}
    n_systems, n_documents = people.shape
    values = []
    for part in np.array_split(np.arange(n_resamples), max(1, n_resamples * planes.size // _AT_ONCE)):
        systems = generator.integers(n_systems, size=(len(part), n_systems))[:, :, None]
        order = generator.permuted(np.tile(np.arange(n_documents), (len(part), 1)), axis=1)
        halves = (half[:, None, :] for half in np.array_split(order, 2, axis=1))
        choice, check = (
            correlate(planes[:, systems, half], people[systems, half], **kind).value for half in halves
        )
        best = np.where(np.isnan(choice[:-1]), -np.inf, choice[:-1]).argmax(axis=0)
        gains = check[-1] - np.take_along_axis(check, best[None], axis=0)[0]
        values.append(np.where(np.isnan(choice[:-1]).all(axis=0), np.nan, gains))
    values = np.concatenate(values)
    ends = percentile_ends(values, confidence_level)
    error = mean_error(values[~np.isnan(values)])
    return Bounded(
        float(np.nanmean(values)), float(ends.low), float(ends.high), float(error), *map(float, ends[2:])
    )


def recovery(judge: np.ndarray, people: np.ndarray, *, confidence_level: float = 0.95) -> Bounded:
    r"""Share of the gain of people's own pick that a judge's pick of the best output keeps (best of *n*).

    Parameters
    ----------
    judge, people : float arrays (n_outputs, n_documents), NaN where missing
        An output that either did not score is not to be picked; of those that a judge scores alike each is
        picked as often.
    confidence_level : float in (0, 1)

    Returns
    -------
    Bounded
        :math:`\sum_d (y_{picked} - \bar y) / \sum_d (y_{max} - \bar y)`: 1 for people's own picks, 0 for
        picks by chance, NaN where people score all outputs of a document alike. The interval is Student's
        *t* by the jackknife over documents.

    Notes
    -----
    A judge of a high correlation over all outputs may pick poorly among those of a document
    (Landesberg 2026).

    Examples
    --------
    >>> people = [[1.0, 4.0, 2.0], [3.0, 2.0, 2.0]]
    >>> recovery([[1.0, 1.0, 5.0], [2.0, 3.0, 1.0]], people).value  # gains of 1, -1 and 0 of 1, 1 and 0
    0.0
    """
    judge, people = double("judge", judge), double("people", people)
    scored = ~np.isnan(judge) & ~np.isnan(people)
    judge, people, scored = (side[:, scored.any(axis=0)] for side in (judge, people, scored))
    offered = np.where(scored, judge, -np.inf)
    picked = scored & (offered == offered.max(axis=0))
    values = np.where(scored, people, 0.0)
    mean = values.sum(axis=0) / scored.sum(axis=0)
    gain = (values * picked).sum(axis=0) / picked.sum(axis=0) - mean
    largest = np.where(scored, people, -np.inf).max(axis=0) - mean
    n, total = len(gain), largest.sum()
    if n < 2 or not total > 0:
        return Bounded(*3 * [np.nan])
    value = gain.sum() / total
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (gain.sum() - gain) / (total - largest)
    reach = scipy.stats.t.isf((1 - confidence_level) / 2, n - 1)
    reach *= np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return Bounded(*map(float, (value, value - reach, min(value + reach, 1.0))))
