r"""stats.planning: how sure a comparison to come will be, from variance components of earlier judgments.

A design is a number of systems, documents and raters, every rater judging everything (or, with raters of one
document only, as many for each). Two means over the same documents and raters differ from their true
difference by an error of variance :math:`2 \sigma^2_\delta` (`Components.error_variance`); a *t*-test or an
interval over documents with :math:`n_d - 1` degrees of freedom is planned for. Of a metric's correlation with
people over systems, means of fewer documents and raters are noisier on both sides (Spearman 1904), and
Fisher's interval is that of this many systems. Normal distributions are assumed throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from helpers.errors import DataError, choose
from helpers.stats.components import Components, Count, components
from helpers.stats.intervals import fisher_bounds
from helpers.stats.limits import check_alpha, check_confidence_level, check_count
from helpers.stats.ties import double

_FAR = 60.0  # standard errors, at which even two documents give a power of 1
# of normally distributed scores, whose Pearson's r is given
_FROM_PEARSON: dict[str, Callable] = {
    "pearson": lambda r: r,
    "spearman": lambda r: 6 / np.pi * np.arcsin(r / 2),
    "kendall": lambda r: 2 / np.pi * np.arcsin(r),
}


def difference_error(people: Components, n_documents: Count, n_raters: Count = 1) -> np.ndarray:
    """Standard error of the difference of two systems' means over as many documents and raters.

    Parameters
    ----------
    people : Components
    n_documents, n_raters : int or array, see `Components.error_variance`
    """
    return np.sqrt(2 * people.error_variance(n_documents, n_raters))


def difference_width(
    people: Components, n_documents: Count, n_raters: Count = 1, *, confidence_level: float = 0.95
) -> np.ndarray:
    """Width of the interval of the difference of two systems' means.

    Parameters
    ----------
    people, n_raters : see `difference_error`
    n_documents : int or array, at least 2
    confidence_level : float in (0, 1)
    """
    check_confidence_level(confidence_level)
    check_count("n_documents", np.min(n_documents), at_least=2)
    reach = scipy.stats.t.ppf(0.5 + confidence_level / 2, np.asarray(n_documents) - 1)
    return 2 * reach * difference_error(people, n_documents, n_raters)


def difference_power(
    people: Components, difference: float, n_documents: Count, n_raters: Count = 1, *, alpha: float = 0.05
) -> np.ndarray:
    """How often a two-sided *t*-test over documents tells two systems apart whose true means differ by this.

    Parameters
    ----------
    people, n_documents, n_raters : see `difference_width`
    difference : float, above 0
        In units of the scale.
    alpha : float in (0, 1)

    Raises
    ------
    ValueError
        If the difference is not above 0.
    """
    check_alpha(alpha)
    check_count("n_documents", np.min(n_documents), at_least=2)
    check_difference(difference)
    freedom = np.asarray(n_documents) - 1
    error = difference_error(people, n_documents, n_raters)
    with np.errstate(divide="ignore"):
        away = np.minimum(difference / error, _FAR)
    reach = scipy.stats.t.ppf(1 - alpha / 2, freedom)
    # far from 0 SciPy has no number for the other tail, where nothing is left
    wrong_way = np.nan_to_num(scipy.stats.nct.cdf(-reach, freedom, away))
    return scipy.stats.nct.sf(reach, freedom, away) + wrong_way


def check_difference(difference: float) -> None:
    """Raise unless there is a difference to find."""
    if not difference > 0:
        raise ValueError(f"`difference` must be above 0, or there is nothing to find, got {difference:g}")


@dataclass(frozen=True)
class Together:
    """A metric and people on the same summaries: what varies in both.

    Attributes
    ----------
    people, metric : Components
        The metric's are without raters.
    by_system, by_summary : float
        Covariance of the systems' true means, and of what is left when systems and documents are taken off.
    """

    people: Components
    metric: Components
    by_system: float
    by_summary: float

    def correlation(
        self, n_documents: Count, n_raters: Count = 1, *, coefficient: str = "pearson"
    ) -> np.ndarray:
        """The system-level correlation to expect of means over as many documents and raters.

        Parameters
        ----------
        n_documents, n_raters : see `Components.error_variance`
        coefficient : {"pearson", "spearman", "kendall"}
            The rank correlations are those of normal distributions with that Pearson's r.

        Returns
        -------
        float array in [-1, 1]; NaN where systems do not differ in the metric or for people
        """
        documents = np.asarray(n_documents, dtype=float)
        of_people, of_metric = (max(side.variances["system"], 0.0) for side in (self.people, self.metric))
        spread = np.sqrt(
            (of_people + self.people.error_variance(n_documents, n_raters))
            * (of_metric + self.metric.error_variance(n_documents))
        )
        if not (of_people and of_metric):
            return np.full(spread.shape, np.nan)
        r = np.clip((self.by_system + self.by_summary / documents) / spread, -1, 1)
        return choose("coefficient", coefficient, _FROM_PEARSON)(r)

    def correlation_interval(
        self,
        n_systems: Count,
        n_documents: Count,
        n_raters: Count = 1,
        *,
        coefficient: str = "pearson",
        confidence_level: float = 0.95,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """That correlation, and the ends of Fisher's interval of it over as many systems; NaN of too few.

        Parameters
        ----------
        n_systems : int or array
        n_documents, n_raters, coefficient : see `correlation`
        confidence_level : float in (0, 1)
        """
        expected = self.correlation(n_documents, n_raters, coefficient=coefficient)
        ends = fisher_bounds(expected, n_systems, coefficient=coefficient, confidence_level=confidence_level)
        return expected, *ends


def together(people: np.ndarray, metric: np.ndarray, *, nested: bool = False) -> Together:
    """Variance components of people and of a metric, and what both share.

    Parameters
    ----------
    people : float array (n_systems, n_documents, n_raters) or (n_systems, n_documents)
        NaN where missing; see `helpers.stats.components.components`.
    metric : float array (n_systems, n_documents), NaN where missing
    nested : bool, see `components`

    Raises
    ------
    DataError
        If shapes do not fit, or `components` cannot be obtained.
    """
    people, metric = double("people", people), double("metric", metric)
    if people.shape[:2] != metric.shape:
        raise DataError(f"`people` and `metric` must cover the same, got {people.shape} and {metric.shape}")
    alone = components(people, nested=nested), components(metric)
    means = people
    if people.ndim == 3:
        given = ~np.isnan(people)
        with np.errstate(invalid="ignore"):
            means = np.where(given, people, 0.0).sum(axis=2) / given.sum(axis=2)
    # a sum's variance minus a difference's is 4 covariances; on one scale, so that no digits are lost
    scales = [np.nanstd(values) or 1.0 for values in (means, metric)]
    x, y = means / scales[0], metric / scales[1]
    added, taken = components(x + y).variances, components(x - y).variances
    shared = {name: (added[name] - taken[name]) / 4 * scales[0] * scales[1] for name in added}
    return Together(*alone, shared["system"], shared["residual"])


def fewest(
    enough: Callable[[np.ndarray], np.ndarray], shape: tuple[int, ...], *, least: int, most: int
) -> np.ndarray:
    """The smallest whole numbers from `least` to `most` that are enough, by halving.

    Parameters
    ----------
    enough : function of an int array of `shape` that gives a bool array
        Where a number is enough, all greater ones have to be.
    shape : tuple of int
    least, most : int

    Returns
    -------
    int array; 0 where even `most` is not enough

    Examples
    --------
    >>> fewest(lambda n: n**2 >= np.array([50, 4, 1e9]), (3,), least=2, most=1000).tolist()
    [8, 2, 0]
    """
    low, high = np.full(shape, least), np.full(shape, most)
    possible = enough(high)
    while (low < high).any():
        middle = (low + high) // 2
        reached = enough(middle)
        high = np.where(reached, middle, high)
        low = np.where(reached, low, np.minimum(middle + 1, high))
    return np.where(possible, high, 0)
