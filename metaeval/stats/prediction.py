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

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level
from metaeval.stats.correlation import centred
from metaeval.stats.ties import double

MIN_LABELLED = 4  # one each for the mean and the weight, two for the error


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
    labels: np.ndarray, predictions: np.ndarray, *, confidence_level: float = 0.95
) -> Predicted:
    """Mean of people's values over documents, of which they labelled only some.

    Parameters
    ----------
    labels : float array (..., n_documents)
        People's values, NaN where a document was not labelled; the labelled ones are drawn at random.
    predictions : float array (..., n_documents)
        The judge's values; a document without one is left out.
    confidence_level : float in (0, 1)

    Returns
    -------
    Predicted
        Intervals are of Student's *t*, since the labels are few; the fitted weight costs a degree of freedom.

    Raises
    ------
    DataError
        If fewer than four documents have both values, or none of the others has a prediction; or if a value
        is infinite.
    ValueError
        If shapes differ, or the confidence level is out of range.

    Notes
    -----
    Deviation from ppi_py 0.2.3: Student's *t* in place of the normal distribution, and variances divided by
    degrees of freedom in place of n. With twelve labels its intervals of 95 % hold the mean of people in
    89 % of samples, these in 95 %; `tests/metaeval/stats/test_prediction.py` measures both. Labels of 0 and 1
    that are few and nearly all alike are far from normal: their intervals are too short, and without length
    where all labels are equal; use `metaeval.stats.monte_carlo.share_interval` of the labels alone.

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
    labelled = ~np.isnan(labels) & ~np.isnan(predictions)
    unlabelled = np.isnan(labels) & ~np.isnan(predictions)
    n, m = labelled.sum(axis=-1), unlabelled.sum(axis=-1)
    if np.min(n) < MIN_LABELLED or np.min(m) < 1:
        raise DataError(
            f"at least {MIN_LABELLED} documents need a label and a prediction, and at least 1 a prediction "
            f"only; found {np.min(n)} and {np.min(m)}"
        )
    scored = labelled | unlabelled
    y, f = np.where(labelled, labels, 0.0), np.where(scored, predictions, 0.0)
    dy, df = centred(y, labelled), centred(f, labelled)
    around_all = centred(f, scored)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (around_all**2).sum(axis=-1) / (n + m - 1)
        weight = (dy * df).sum(axis=-1) / (n - 1) / ((1 + n / m) * variance)
    # a judge that scores all documents alike adds nothing
    weight = np.where(variance > 0, np.clip(weight, 0.0, 1.0), 0.0)
    others = centred(f, unlabelled)
    rest = dy - weight[..., None] * df
    value = y.sum(axis=-1) / n + weight * (
        np.where(unlabelled, f, 0).sum(axis=-1) / m - np.where(labelled, f, 0).sum(axis=-1) / n
    )
    others_variance = np.where(m > 1, (others**2).sum(axis=-1) / np.maximum(m - 1, 1), variance)
    freedom = n - 1 - (weight > 0)
    error = np.sqrt((rest**2).sum(axis=-1) / freedom / n + weight**2 * others_variance / m)
    alone, alone_error = y.sum(axis=-1) / n, np.sqrt((dy**2).sum(axis=-1) / (n - 1) / n)
    reach, alone_reach = (scipy.stats.t.ppf(0.5 + confidence_level / 2, df) for df in (freedom, n - 1))
    ends = reach * error, alone_reach * alone_error
    numbers = (
        value, error, value - ends[0], value + ends[0],
        alone, alone_error, alone - ends[1], alone + ends[1], weight, n, m,
    )  # fmt: skip
    return Predicted(*(part.item() if np.ndim(part) == 0 else part for part in map(np.asarray, numbers)))


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
