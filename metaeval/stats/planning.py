r"""stats.planning: precision of a planned comparison, from variance components of earlier judgments.

A design is a number of systems, documents and raters, every rater judging everything (or, with separate
raters for each document, equally many for each). Two means over the same documents and raters differ from
their true difference by an error of variance :math:`2 \sigma^2_\delta` (`Components.error_variance`); the
plan is for a test or an interval with :math:`n_d - 1` degrees of freedom at least. For a metric's
correlation with people over systems, means of fewer documents and raters are noisier on both sides (Spearman
1904), and the interval is that of `metaeval.stats.judges` for this number of systems. Normal distributions
are assumed throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_alpha, check_confidence_level, check_count
from metaeval.stats.components import Components, Count, components
from metaeval.stats.intervals import fisher_bounds
from metaeval.stats.judges import normal_ends
from metaeval.stats.reliability import mean_of
from metaeval.stats.runs import NORMAL_COEFFICIENTS
from metaeval.stats.ties import double

_FAR = 60.0  # standard errors, at which even two documents give a power of 1
_MAX_WIDTH = 2.0  # interval of a correlation, from -1 to 1
_N_CANDIDATES = 60  # numbers tried before a range is halved
MAX_CANDIDATES = 10_000  # numbers times designs in one call: more do not fit a processor's cache
# relative scatter of an interval's width beside that of the correlation, times the root of the systems
_SPREAD = {"pearson": 1.0, "spearman": 1.4, "kendall": 0.9}


def difference_error(people: Components, n_documents: Count, n_raters: Count = 1) -> np.ndarray:
    """Standard error of the difference of two systems' means over these numbers of documents and raters.

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
    check_count("n_documents", np.min(n_documents), minimum=2)
    reach = scipy.stats.t.ppf(0.5 + confidence_level / 2, np.asarray(n_documents) - 1)
    return 2 * reach * difference_error(people, n_documents, n_raters)


def difference_power(
    people: Components, difference: float, n_documents: Count, n_raters: Count = 1, *, alpha: float = 0.05
) -> np.ndarray:
    """Power of a two-sided `difference_test` to separate two systems whose true means differ by this.

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
    check_count("n_documents", np.min(n_documents), minimum=2)
    if not difference > 0:
        raise ValueError(
            f"`difference` must be above 0, got {difference:g}: equal systems cannot be separated"
        )
    freedom = np.asarray(n_documents) - 1
    error = difference_error(people, n_documents, n_raters)
    with np.errstate(divide="ignore"):
        away = np.minimum(difference / error, _FAR)
    reach = scipy.stats.t.ppf(1 - alpha / 2, freedom)
    # far from 0 SciPy returns NaN for the other tail, whose probability is 0
    wrong_way = np.nan_to_num(scipy.stats.nct.cdf(-reach, freedom, away))
    return scipy.stats.nct.sf(reach, freedom, away) + wrong_way


class DifferenceTest(NamedTuple):
    """Test of two systems' means: difference, standard error, degrees of freedom, two-sided p-value."""

    difference: float
    standard_error: float
    df: float
    pvalue: float


def difference_test(judgments: np.ndarray, first: int, second: int) -> DifferenceTest:
    """Test whether two systems' true means differ, over documents and raters like these.

    Parameters
    ----------
    judgments : float array (n_systems, n_documents, n_raters), NaN where missing
        Of three systems or more, by raters who judge all of them.
    first, second : int, positions of the systems

    Notes
    -----
    The error is that of `difference_error`, from the variance components of all systems, and Satterthwaite's
    degrees of freedom are those of the interactions behind it. A *t*-test over documents of the raters' means
    takes the raters' own taste in systems for a difference: in simulated studies of 10 systems, 20 documents
    and three raters whose taste is 0.4 of a standard deviation of one judgment, it finds a difference between
    equal systems in half of all studies.
    """
    judgments = double("judgments", judgments)
    people = components(judgments)
    n_systems, n_documents, n_raters = judgments.shape
    means = [np.nanmean(judgments[system]) for system in (first, second)]
    parts = {
        "system:document": (n_documents, (n_systems - 1) * (n_documents - 1)),
        "system:rater": (n_raters, (n_systems - 1) * (n_raters - 1)),
        "residual": (n_documents * n_raters, (n_systems - 1) * (n_documents - 1) * (n_raters - 1)),
    }
    variances = {name: 2 * max(people.variances[name], 0.0) / n for name, (n, _) in parts.items()}
    total = sum(variances.values())
    below = sum(variances[name] ** 2 / freedom for name, (_, freedom) in parts.items())
    df, error = total**2 / below if below else np.inf, np.sqrt(total)
    difference = float(means[0] - means[1])
    pvalue = 2 * scipy.stats.t.sf(abs(difference) / error, df) if error else np.nan
    return DifferenceTest(difference, float(error), float(df), float(pvalue))


@dataclass(frozen=True)
class Together:
    """Variance components of a metric and of people on the same summaries, with their covariances.

    Attributes
    ----------
    people, metric : Components
        The metric's are without raters.
    by_system, by_summary : float
        Covariance of the systems' true means, and of the residuals from the effects of systems and documents.
    """

    people: Components
    metric: Components
    by_system: float
    by_summary: float

    def correlation(
        self, n_documents: Count, n_raters: Count = 1, *, coefficient: str = "pearson"
    ) -> np.ndarray:
        """Expected system-level correlation of means over these numbers of documents and raters.

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
        people_variance, metric_variance = (
            max(side.variances["system"], 0.0) for side in (self.people, self.metric)
        )
        spread = np.sqrt(
            (people_variance + self.people.error_variance(n_documents, n_raters))
            * (metric_variance + self.metric.error_variance(n_documents))
        )
        if not (people_variance and metric_variance):
            return np.full(spread.shape, np.nan)
        r = np.clip((self.by_system + self.by_summary / documents) / spread, -1, 1)
        return choose("coefficient", coefficient, NORMAL_COEFFICIENTS)[0](r)

    def correlation_interval(
        self,
        n_systems: Count,
        n_documents: Count,
        n_raters: Count = 1,
        *,
        coefficient: str = "pearson",
        confidence_level: float = 0.95,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected correlation and the ends of its Fisher interval over this many systems; NaN for too few.

        Parameters
        ----------
        n_systems : int or array
        n_documents, n_raters, coefficient : see `correlation`
        confidence_level : float in (0, 1)
        """
        expected = self.correlation(n_documents, n_raters, coefficient=coefficient)
        ends = fisher_bounds(expected, n_systems, coefficient=coefficient, confidence_level=confidence_level)
        return expected, *ends

    def lowered(self, share: float, judged: tuple[Count, Count, Count]) -> np.ndarray:
        r"""Factor on the covariances that gives the correlation that a share of studies exceeds.

        Parameters
        ----------
        share : float in (0, 1)
        judged : systems, documents and raters of each study

        Notes
        -----
        On Fisher's scale a study's correlation scatters with the variance :math:`1 / (n - 3)` of *n* systems.
        """
        n_systems, *sizes = judged
        r = np.abs(self.correlation(*sizes))
        far = scipy.stats.norm.ppf(share) / np.sqrt(np.maximum(np.asarray(n_systems) - 3, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(r > 0, np.tanh(np.maximum(np.arctanh(r) - far, 0)) / r, 0.0)

    def width_for_share(
        self,
        share: float,
        n_systems: Count,
        n_documents: Count,
        n_raters: Count = 1,
        *,
        pilot: tuple[int, int, int],
        coefficient: str = "pearson",
        confidence_level: float = 0.95,
    ) -> np.ndarray:
        """Width, at most 2, that the interval does not exceed in a share of studies, counted over
        studies and over the uncertainty of the pilot.

        Parameters
        ----------
        share : float in (0, 1)
        pilot : numbers of systems, documents and raters of the judgments behind the components
        n_systems, n_documents, n_raters, coefficient, confidence_level : see `interval_width`

        Notes
        -----
        The following sources of a wider interval are added as independent errors, each at the quantile of the
        share: a true correlation below the pilot's (see `lowered`); systems more alike than the pilot's, by
        the chi-squared distribution of their variance; a study's correlation below the truth; and other
        chance, which in simulations scatters widths by `_SPREAD` of their size over the root of the number of
        systems.
        """
        far, options = scipy.stats.norm.ppf(share), (coefficient, confidence_level)
        sizes = n_documents, n_raters
        alike = self._scale_systems(scipy.stats.chi2.isf(share, pilot[0] - 1) / (pilot[0] - 1))
        r = self.correlation(*sizes)
        lower = (
            r * self.lowered(share, pilot),
            alike.correlation(*sizes),
            r * self.lowered(share, (n_systems, *sizes)),
        )
        usual, *wider = (_width(one, n_systems, n_documents, *options) for one in (r, *lower))
        wider = [one - usual for one in wider] + [
            far * choose("coefficient", coefficient, _SPREAD) * usual / np.sqrt(n_systems)
        ]
        return np.minimum(usual + np.sign(far) * np.sqrt(sum(part**2 for part in wider)), _MAX_WIDTH)

    def _scale_systems(self, times: float) -> Together:
        """Multiply the true variance of the systems, at the same correlation."""
        people, metric = (
            replace(side, variances=side.variances | {"system": times * side.variances["system"]})
            for side in (self.people, self.metric)
        )
        return replace(self, people=people, metric=metric, by_system=times * self.by_system)

    def interval_width(
        self,
        n_systems: Count,
        n_documents: Count,
        n_raters: Count = 1,
        *,
        coefficient: str = "pearson",
        confidence_level: float = 0.95,
        times: float | np.ndarray = 1.0,
    ) -> np.ndarray:
        """Expected width of the interval of `metaeval.stats.judges.judge_correlation` over these numbers.

        Parameters
        ----------
        n_systems, n_documents, n_raters, coefficient, confidence_level : see `correlation_interval`
        times : float or array, at least 0
            Factor on the metric's covariances with people: below 1 for a lower correlation.

        Returns
        -------
        float array, at most 2, from -1 to 1; NaN as `correlation_interval`
        """
        r = np.clip(times * self.correlation(n_documents, n_raters), -1, 1)
        return _width(r, n_systems, n_documents, coefficient, confidence_level)


def _width(r, n_systems: Count, n_documents: Count, coefficient: str, confidence_level: float) -> np.ndarray:
    """Mean width of the intervals of studies of this many systems, whose Pearson's r scatter about `r`.

    Two points a standard error to either side on Fisher's scale have the scatter's mean and variance. The
    documents' part has noise, which lengthens an interval by about 1 in the number of documents, and ranks
    near 1 scatter by more than the formula of a rho has; both are fitted to simulated studies.
    """
    from_pearson, _ = choose("coefficient", coefficient, NORMAL_COEFFICIENTS)
    n = np.asarray(n_systems, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        scatter = np.where(n > 3, 1 / np.sqrt(n - 3), np.nan)
        z = np.arctanh(np.clip(r, -1, 1))
    widths = []
    for side in (-1, 1):
        expected = from_pearson(np.tanh(z + side * scatter))
        ends = normal_ends(expected, n, coefficient=coefficient, confidence_level=confidence_level)
        widths.append(ends[1] - ends[0])
    more = 1 + (0.4 if coefficient == "kendall" else 1.0) / np.asarray(n_documents)
    if coefficient == "spearman":
        more = more + np.abs(r) ** 16 * (0.25 + 120 / n**2)
    return np.minimum(more * (widths[0] + widths[1]) / 2, _MAX_WIDTH)


def together(people: np.ndarray, metric: np.ndarray, *, nested: bool = False) -> Together:
    """Variance components of people and of a metric, and their covariances.

    Parameters
    ----------
    people : float array (n_systems, n_documents, n_raters) or (n_systems, n_documents)
        NaN where missing; see `metaeval.stats.components.components`.
    metric : float array (n_systems, n_documents), NaN where missing
    nested : bool, see `components`

    Raises
    ------
    DataError
        If shapes do not fit, or `components` cannot be obtained.
    """
    people, metric = double("people", people), double("metric", metric)
    if people.shape[:2] != metric.shape:
        raise DataError(
            f"`people` and `metric` must cover the same summaries, got {people.shape} and {metric.shape}"
        )
    alone = components(people, nested=nested), components(metric)
    means = people
    if people.ndim == 3:
        means = mean_of(people, axis=2)
    # the variance of a sum minus that of a difference is 4 covariances; scaled so that no digits are lost
    scales = [np.nanstd(values) or 1.0 for values in (means, metric)]
    x, y = means / scales[0], metric / scales[1]
    added, subtracted = components(x + y).variances, components(x - y).variances
    shared = {name: (added[name] - subtracted[name]) / 4 * scales[0] * scales[1] for name in added}
    return Together(*alone, shared["system"], shared["residual"])


def fewest(
    enough: Callable[[np.ndarray], np.ndarray], shape: tuple[int, ...], *, minimum: int, maximum: int
) -> np.ndarray:
    """Find the smallest whole numbers up to `maximum` from which on all numbers are enough.

    A larger number is not always better: an interval may be narrower over two documents, of which draws hold
    half the noise, than over four. Therefore sixty numbers in geometric progression (the smallest one by one)
    are tried first, and the range is halved only above the last of them that is not enough.

    Parameters
    ----------
    enough : function from an int array (..., *shape) to a bool array
    shape : tuple of int
    minimum, maximum : int, at least 1

    Returns
    -------
    int array; 0 where even `maximum` is not enough

    Examples
    --------
    >>> fewest(lambda n: n**2 >= np.array([50, 4, 1e9]), (3,), minimum=2, maximum=1000).tolist()
    [8, 2, 0]
    >>> fewest(lambda n: (n < 3) | (n > 4), (1,), minimum=2, maximum=1000).tolist()
    [5]
    """
    numbers = np.unique(np.geomspace(minimum, maximum, _N_CANDIDATES).round().astype(int))
    low, high = np.full(shape, minimum), np.full(shape, maximum)
    batch = max(1, MAX_CANDIDATES // low.size)
    for first in range(0, len(numbers), batch):
        some = numbers[first : first + batch].reshape(-1, *(1 for _ in shape))
        tried = np.broadcast_to(some, (len(some), *shape))
        low = np.where(enough(tried), low, tried + 1).max(axis=0)
    possible = low <= maximum
    while (low < high).any():
        middle = (low + high) // 2
        reached = enough(middle)
        high = np.where(reached, middle, high)
        low = np.where(reached, low, np.minimum(middle + 1, high))
    return np.where(possible, high, 0)
