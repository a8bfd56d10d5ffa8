r"""stats.prediction: a mean from few labels of people and many scores of a judge (prediction-powered
inference).

With people's values :math:`Y` on some documents and a judge's :math:`f` on all of them, the judge's mean over
the documents without labels is corrected by its error on those with labels (Angelopoulos et al. 2023, PPI++,
§6):

.. math:: \hat\theta = \lambda \bar f_{unlabelled} + \overline{(Y - \lambda f)}_{labelled}

The weight :math:`\lambda \in [0, 1]` minimises the variance; a judge unrelated to people gets 0, and the
estimate is people's alone. A document is one unit, within which values may be dependent: pass a system's
scores, or the differences of two systems' scores, one per document.

The estimate is valid only where the labelled documents were drawn at random; `selection_pvalue` detects some
of the cases where they were not. The maximum saving by a judge is the factor :math:`1 / (1 - r^2)`, with *r*
its correlation with people over documents, for an unlimited number of its answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level
from metaeval.stats.clusters import design_effect
from metaeval.stats.correlation import centred, pearson
from metaeval.stats.planning import fewest
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import double

MIN_LABELLED = 4  # one each for the mean and the weight, two for the error
_MAX_LABELS = 10_000_000  # of a plan
_AT_ONCE = 4_000_000  # normal numbers in memory
_N_PILOTS = 199  # draws of a pilot
# beside the labelled ones, spread over the corners of a bounded scale: of two values, and of more
_CASES, _FEW_CASES = 2.0, 1.0


@dataclass(frozen=True)
class Predicted:
    """Mean from labels and predictions, and the mean of the labels alone; arrays (...) or numbers.

    Attributes
    ----------
    value, standard_error, low, high : with the judge's help
    labels_only, labels_only_error, labels_only_low, labels_only_high : without it
    weight : float in [0, 1]
        Of the judge's predictions (lambda).
    n_labelled, n_unlabelled : int, documents
    """

    value: np.ndarray | float
    standard_error: np.ndarray | float
    low: np.ndarray | float
    high: np.ndarray | float
    labels_only: np.ndarray | float
    labels_only_error: np.ndarray | float
    labels_only_low: np.ndarray | float
    labels_only_high: np.ndarray | float
    weight: np.ndarray | float
    n_labelled: np.ndarray | int
    n_unlabelled: np.ndarray | int


def predicted_mean(
    labels: np.ndarray,
    predictions: np.ndarray,
    *,
    clusters: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    confidence_level: float = 0.95,
    simultaneous: bool = False,
    n_resamples: int = 1_999,
    rng: RNGLike = None,
) -> Predicted:
    """Mean of people's values over documents, of which they labelled only some.

    Parameters
    ----------
    labels : float array (..., n_documents)
        People's values, NaN where a document was not labelled; the labelled ones are drawn at random.
    predictions : float array (..., n_documents)
        The judge's values, on people's scale; a document without one is left out.
    clusters : int array (n_documents,), by default each document its own
        Documents with the same number, such as answers in one conversation, are dependent.
    limits : pair of floats, by default none
        Smallest and largest possible value of both, such as 0 and 1 of labels: widens the interval by two
        cases.
    confidence_level : float in (0, 1)
    simultaneous : bool
        True for (n_systems, n_documents): intervals that hold the means of all systems together.
    n_resamples, rng : of simultaneous intervals

    Returns
    -------
    Predicted
        Intervals are of Student's *t*, since the labels are few; the fitted weight costs a degree of freedom.

    Raises
    ------
    DataError
        If fewer than four documents have both values, or none of the others has a prediction; if fewer than
        four clusters have both; or if a value is infinite.
    ValueError
        If shapes differ, or the confidence level is out of range.

    Notes
    -----
    The variance is over clusters, each with the sum of its documents' influences, so that labelled and other
    documents of a cluster may depend on each other; the weight is that of independent documents, since one
    fitted to few clusters scatters more than it saves. Simultaneous intervals take the quantile of the
    largest *t* over draws of the clusters' influences with normal signs.

    Labels of 0 and 1 that are few and nearly all alike are far from normal. With `limits`, the interval is
    that with two more labelled documents, spread over the four corners of the scales, in the manner of
    Agresti and Coull; with one more where there are more values than two.
    `tests/metaeval/stats/test_prediction.py` measures: 95 % intervals of pass rates of .5 to .97 by 20 to 100
    labels cover 94 to 100 %, without the cases 37 to 96 %; of grades, mostly the highest, and of differences
    of pass rates 94 to 100 %, without them 61 to 96 %.

    Deviations from ppi_py 0.2.3: Student's *t* in place of the normal distribution, and variances divided by
    degrees of freedom in place of n; with twelve labels its intervals of 95 % hold the mean of people in
    89 % of samples, these in 95 %.

    Examples
    --------
    >>> people = [3.0, 5.0, 4.0, 1.0, float("nan"), float("nan")]
    >>> estimate = predicted_mean(people, [3.5, 5.0, 4.5, 1.5, 2.0, 4.0])
    >>> round(estimate.labels_only, 3), round(estimate.value, 3), round(estimate.weight, 3)
    (3.25, 2.968, 0.451)
    """
    check_confidence_level(confidence_level)
    labels, predictions = double("labels", labels), double("predictions", predictions)
    if labels.shape != predictions.shape:
        raise ValueError(f"`labels` {labels.shape} and `predictions` {predictions.shape} must have one shape")
    n, m = ((mask & ~np.isnan(predictions)).sum(axis=-1) for mask in (~np.isnan(labels), np.isnan(labels)))
    if np.min(n) < MIN_LABELLED or np.min(m) < 1:
        raise DataError(
            f"at least {MIN_LABELLED} documents need a label and a prediction, and at least 1 a prediction "
            f"only; found {np.min(n)} and {np.min(m)}"
        )
    value, error, *_ = helped = _fit(labels, predictions, clusters)
    alone, alone_error, *_ = labels_only = _fit(labels, predictions, clusters, weight=0.0)
    fits = [helped, labels_only]
    if limits is not None:
        fits = [_fit(labels, predictions, clusters, limits), _fit(labels, predictions, clusters, limits, 0.0)]
    ends = []
    for middle, fit in zip((value, alone), fits, strict=True):
        reach = scipy.stats.t.ppf(0.5 + confidence_level / 2, fit.freedom)
        if simultaneous:
            reach = _simultaneous_reach(fit, confidence_level, n_resamples, rng)
        low, high = fit.value - reach * fit.error, fit.value + reach * fit.error
        if limits is not None:
            low, high = (np.clip(end, *limits) for end in (np.fmin(low, middle), np.fmax(high, middle)))
        ends += [low, high]
    numbers = value, error, *ends[:2], alone, alone_error, *ends[2:], helped.weight, n, m
    return Predicted(*(part.item() if np.ndim(part) == 0 else part for part in map(np.asarray, numbers)))


class _Fit(NamedTuple):
    """Estimate by a judge's weight; arrays (...), and the influences of clusters (..., n_clusters)."""

    value: np.ndarray
    error: np.ndarray
    weight: np.ndarray
    freedom: np.ndarray
    influence: np.ndarray


def _fit(labels, predictions, clusters, limits=None, weight=None) -> _Fit:
    """Estimate with the weight that is best for independent documents, or with a given one.

    With limits, labelled cases lie at the corners of people's scale and of the judge's values.
    """
    n_documents, cases = labels.shape[-1], 0.0
    if limits is not None:
        low, high = np.nanmin(predictions, axis=-1), np.nanmax(predictions, axis=-1)
        cases = _CASES if np.isin(labels[~np.isnan(labels)], limits).all() else _FEW_CASES
        corners = np.broadcast_to([*limits, *limits], (*low.shape, 4))
        labels = np.concatenate([labels, corners], axis=-1)
        predictions = np.concatenate([predictions, np.stack([low, low, high, high], axis=-1)], axis=-1)
    size = np.where(np.arange(labels.shape[-1]) < n_documents, 1.0, cases / 4)
    numbers = None
    if clusters is not None:
        numbers = np.arange(labels.shape[-1]) + n_documents
        numbers[:n_documents] = np.unique(clusters, return_inverse=True)[1]
    has_label, scored = ~np.isnan(labels), ~np.isnan(predictions)
    both, others = has_label & scored, ~has_label & scored
    n, m = (both * size).sum(axis=-1), others.sum(axis=-1)
    # counted from the first, equal values have no deviations at all
    start = np.nanmin(np.where(both, labels, np.nan), axis=-1)
    y = np.where(both, labels - start[..., None], 0.0)
    f = np.where(scored, predictions - np.nanmin(predictions, axis=-1, keepdims=True), 0.0)
    people, own = ((both * size * side).sum(axis=-1) / n for side in (y, f))
    other = (others * f).sum(axis=-1) / m
    dy, df = (np.where(both, side - mean[..., None], 0.0) for side, mean in ((y, people), (f, own)))
    everyone = (f * size).sum(axis=-1) / (n + m)
    variance = (np.where(scored, f - everyone[..., None], 0.0) ** 2 * size).sum(axis=-1) / (n + m - 1)
    roots = np.sqrt(size)
    people_influence, own_influence = (
        _cluster_sums(roots * part / n[..., None], numbers) for part in (dy, df)
    )
    single = others * np.sqrt(variance)[..., None]  # one document does not vary
    do = np.where(m[..., None] > 1, np.where(others, f - other[..., None], 0.0), single)
    other_influence = _cluster_sums(do / m[..., None], numbers)
    if weight is None:
        with np.errstate(invalid="ignore", divide="ignore"):
            weight = (size * dy * df).sum(axis=-1) / (n - 1) / ((1 + n / m) * variance)
        # a judge that scores all documents alike adds nothing
        weight = np.where(variance > 0, np.clip(weight, 0.0, 1.0), 0.0)
    weight = np.broadcast_to(weight, n.shape)
    k, k_others = ((_cluster_sums(part * (size == 1.0), numbers) > 0).sum(axis=-1) for part in (both, others))
    freedom = k - 1 - (weight > 0)
    if np.min(freedom) < 1:
        raise DataError(f"labelled documents must be of {MIN_LABELLED} clusters or more, got {np.min(k)}")
    influence = np.sqrt(k / freedom)[..., None] * (people_influence - weight[..., None] * own_influence)
    influence = (
        influence + (weight * np.sqrt(k_others / np.maximum(k_others - 1, 1)))[..., None] * other_influence
    )
    value = start + people + weight * (other - own)
    return _Fit(value, np.sqrt((influence**2).sum(axis=-1)), weight, freedom, influence)


def _cluster_sums(parts: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
    """Sums (..., n_clusters) of parts (..., n_documents)."""
    if numbers is None:
        return parts
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    return np.add.reduceat(parts[..., order] * 1.0, starts, axis=-1)


def _simultaneous_reach(fit: _Fit, confidence_level: float, n_resamples: int, rng: RNGLike) -> float:
    """Quantile of the largest of all systems' *t*, with normal signs of the clusters' influences."""
    check_draws(n_resamples)
    generator = stream(seed_of(rng), "simultaneous")
    scaled = fit.influence / np.where(fit.error > 0, fit.error, np.inf)[:, None]
    freedom = np.min(fit.freedom)
    largest = []
    for part in np.array_split(np.arange(n_resamples), max(1, n_resamples * scaled.shape[1] // _AT_ONCE)):
        signs = generator.standard_normal((scaled.shape[1], len(part)))
        scale = np.sqrt(generator.chisquare(freedom, len(part)) / freedom)
        largest.append(np.abs(scaled @ signs).max(axis=0) / scale)
    return float(np.quantile(np.concatenate(largest), confidence_level))


def needed_labels(
    labels: np.ndarray,
    predictions: np.ndarray,
    width: float,
    *,
    helped: bool = True,
    clusters: np.ndarray | None = None,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> tuple[float, float, float]:
    """Number of labels at which the interval of people's mean has a width, with a range.

    Parameters
    ----------
    labels, predictions : float arrays (n_documents,), see `predicted_mean`
        Of a pilot; only documents with both count.
    width : float, above 0
    helped : bool
        True with the predictions on very many documents without labels, False for labels alone.
    clusters : int array (n_documents,), by default each document its own
        Multiplies the numbers by the pilot's design effect: of labels, or of what predictions leave of them.
    confidence_level : float in (0, 1)
    rng : seed, Generator or None

    Returns
    -------
    number, low, high : float
        By the pilot, and the quantiles 0.1 and 0.9 over draws of its documents.

    Raises
    ------
    DataError
        If the labels are all alike, or ten million are not enough.

    Examples
    --------
    >>> people = [1.0, 2.0, 3.0, 4.0, 5.0] * 8
    >>> judge = [1.0, 2.0, 4.0, 4.0, 4.0] * 8
    >>> [needed_labels(people, judge, 0.5, helped=helped, rng=0)[0] for helped in (False, True)]
    [129.0, 28.0]
    """
    both = ~np.isnan(labels) & ~np.isnan(predictions)
    pilot = np.stack([double("labels", labels)[both], double("predictions", predictions)[both]])
    drawn = stream(seed_of(rng), "needed").integers(pilot.shape[1], size=(_N_PILOTS, pilot.shape[1]))
    y, f = pilot[:, np.vstack([np.arange(pilot.shape[1]), drawn])]
    variance = y.var(axis=1, ddof=1)
    if helped:
        r = pearson(y, f)
        variance = variance * (1 - np.where(r > 0, r, 0.0) ** 2)

    def is_enough(n):
        freedom = n - 1 - helped
        return 2 * scipy.stats.t.ppf(0.5 + confidence_level / 2, freedom) * np.sqrt(variance / n) <= width

    if not y[0].max() > y[0].min():
        raise DataError("people's labels are all alike, so that their scatter is unknown; label more")
    numbers = fewest(is_enough, variance.shape, minimum=MIN_LABELLED, maximum=_MAX_LABELS)
    if not numbers[0]:
        raise DataError(
            f"{_MAX_LABELS:,} labels are not enough for a width of {width:g}; ask for a wider one"
        )
    numbers = np.array([numbers[0], *np.quantile(numbers[1:], [0.1, 0.9])])
    if clusters is not None:
        y, f = (side - side.mean() for side in pilot)
        slope = max(y @ f / (f @ f), 0.0) if helped and f.any() else 0.0
        numbers = numbers * design_effect(y - slope * f, clusters[both])
    return tuple(numbers.tolist())


def selection_pvalue(labels: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """Test whether the labelled documents differ, by the judge, from the others more than at random.

    Parameters
    ----------
    labels, predictions : float arrays (..., n_documents), see `predicted_mean`

    Returns
    -------
    float array (...)
        Two-sided p-values of Welch's *t*-test; 1 where the judge scores all documents alike. A high one does
        not prove that the documents were drawn at random.

    Notes
    -----
    Welch 1947; NaN where there are fewer than two documents with labels, or without.

    Examples
    --------
    >>> few = [float("nan")] * 4
    >>> float(selection_pvalue([1.0, 2.0, 1.0, 2.0, *few], [1, 2, 1, 2, 8, 9, 8, 9])) < 0.001
    True
    """
    labels, predictions = double("labels", labels), double("predictions", predictions)
    sides = []
    for chosen in (~np.isnan(labels), np.isnan(labels)):
        present = chosen & ~np.isnan(predictions)
        n = present.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(present, predictions, 0.0).sum(axis=-1) / n
            sides.append((mean, (centred(predictions, present) ** 2).sum(axis=-1) / (n - 1) / n, n))
    (first, first_error, n), (second, second_error, m) = sides
    with np.errstate(invalid="ignore", divide="ignore"):
        error = first_error + second_error
        freedom = error**2 / (first_error**2 / (n - 1) + second_error**2 / (m - 1))
        pvalue = 2 * scipy.stats.t.sf(np.abs(first - second) / np.sqrt(error), freedom)
    return np.where((error == 0) & (first == second), 1.0, np.where(error == 0, 0.0, pvalue))
