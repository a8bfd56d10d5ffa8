r"""stats.planning: precision of a planned comparison, from variance components of earlier judgments.

A design is a number of systems, documents and raters, every rater judging everything (or, with separate
raters for each document, equally many for each). Two means over the same documents and raters differ from
their true difference by an error of variance :math:`2 \sigma^2_\delta` (`Components.error_variance`); the
plan is for a *t*-test or an interval over documents with :math:`n_d - 1` degrees of freedom. For a metric's
correlation with people over systems, means of fewer documents and raters are noisier on both sides (Spearman
1904), and Fisher's interval is that for this number of systems; that of Boot-Both is wider, since it draws
the noise of documents once more. Normal distributions are assumed throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_alpha, check_confidence_level, check_count
from metaeval.stats.components import Components, Count, components
from metaeval.stats.intervals import fisher_bounds, normal_reach
from metaeval.stats.ties import double

_FAR = 60.0  # standard errors, at which even two documents give a power of 1
_MAX_WIDTH = 2.0  # interval of a correlation, from -1 to 1
_N_CANDIDATES = 60  # numbers tried before a range is halved
MAX_CANDIDATES = 10_000  # numbers times designs in one call: more do not fit a processor's cache
_SPREAD = 0.5  # of a bootstrap interval's width, relative, times the root of the number of systems
# rank correlations of normally distributed scores, by their Pearson's r
_FROM_PEARSON: dict[str, Callable] = {
    "pearson": lambda r: r,
    "spearman": lambda r: 6 / np.pi * np.arcsin(r / 2),
    "kendall": lambda r: 2 / np.pi * np.arcsin(r),
}


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
    """Power of a two-sided *t*-test over documents to separate two systems whose true means differ by this.

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
    check_difference(difference)
    freedom = np.asarray(n_documents) - 1
    error = difference_error(people, n_documents, n_raters)
    with np.errstate(divide="ignore"):
        away = np.minimum(difference / error, _FAR)
    reach = scipy.stats.t.ppf(1 - alpha / 2, freedom)
    # far from 0 SciPy returns NaN for the other tail, whose probability is 0
    wrong_way = np.nan_to_num(scipy.stats.nct.cdf(-reach, freedom, away))
    return scipy.stats.nct.sf(reach, freedom, away) + wrong_way


def check_difference(difference: float) -> None:
    """Require a difference above 0."""
    if not difference > 0:
        raise ValueError(
            f"`difference` must be above 0, got {difference:g}: equal systems cannot be separated"
        )


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
        """Width, at most 2, that the interval Boot-Both does not exceed in a share of studies, counted over
        studies and over the uncertainty of the pilot.

        Parameters
        ----------
        share : float in (0, 1)
        pilot : numbers of systems, documents and raters of the judgments behind the components
        n_systems, n_documents, n_raters, coefficient, confidence_level : see `bootstrap_width`

        Notes
        -----
        The following sources of a wider interval are added as independent errors, each at the quantile of the
        share: a true correlation below the pilot's (see `lowered`); systems more alike than the pilot's, by
        the chi-squared distribution of their variance; a study's correlation below the truth; and other
        chance, which in simulations scatters widths by about half of their size over the root of the number
        of systems. Percentage of studies that reached the width, of 320 simulated studies each, of the
        cheapest designs for 80 % from 40 pilots of 16, 25 or 60 systems (30 documents, three raters):

        ================  ========  ========  ========  ========
        True correlation       0.8       0.9      0.95      0.97
        ================  ========  ========  ========  ========
        Pearson's r       86 to 89  87 to 91  86 to 89  81 to 85
        Spearman's rho    88 to 92  87 to 94  85 to 91  82 to 92
        Kendall's tau     88 to 92  88 to 89  87 to 92  89 to 90
        ================  ========  ========  ========  ========
        """
        far = scipy.stats.norm.ppf(share)
        r, *others = self._draw_moments(n_documents, n_raters, 1.0)
        usual = _width(r, *others, n_systems, coefficient, confidence_level)
        alike = self._scale_systems(scipy.stats.chi2.isf(share, pilot[0] - 1) / (pilot[0] - 1))
        lower = (
            self._draw_moments(n_documents, n_raters, self.lowered(share, pilot)),
            alike._draw_moments(n_documents, n_raters, 1.0),
            (r * self.lowered(share, (n_systems, n_documents, n_raters)), *others),
        )
        wider = [_width(*one, n_systems, coefficient, confidence_level) - usual for one in lower]
        wider.append(far * _SPREAD * usual / np.sqrt(n_systems))
        return np.minimum(usual + np.sign(far) * np.sqrt(sum(part**2 for part in wider)), _MAX_WIDTH)

    def _scale_systems(self, times: float) -> Together:
        """Multiply the true variance of the systems, at the same correlation."""
        people, metric = (
            replace(side, variances=side.variances | {"system": times * side.variances["system"]})
            for side in (self.people, self.metric)
        )
        return replace(self, people=people, metric=metric, by_system=times * self.by_system)

    def bootstrap_width(
        self,
        n_systems: Count,
        n_documents: Count,
        n_raters: Count = 1,
        *,
        coefficient: str = "pearson",
        confidence_level: float = 0.95,
        times: float | np.ndarray = 1.0,
    ) -> np.ndarray:
        r"""Expected width of the interval Boot-Both over these numbers of systems, documents and raters.

        Parameters
        ----------
        n_systems, n_documents, n_raters, coefficient, confidence_level : see `correlation_interval`
        times : float or array, at least 0
            Factor on the metric's covariances with people: below 1 for a lower correlation.

        Returns
        -------
        float array, at most 2, from -1 to 1; NaN as `correlation_interval`

        Notes
        -----
        Systems' means contain the noise of their documents, and draws of documents add it once more, so that
        the draws centre on the correlation :math:`r` under twice the noise. A system that is drawn twice has
        the same noise twice, which doubles the contribution of this noise to the variance: Fisher's variance
        at :math:`r` is multiplied by :math:`1 + v / (1 - r^2)^2`. The influence of two standard scores *x*
        and *y* on *r* is :math:`xy - r (x^2 + y^2) / 2`, of variance :math:`(1 - r^2)^2`, and *v* is its
        conditional variance given the means before the draw. In addition, draws differ in how often they
        repeat a few documents, in all systems: the noise of :math:`n_d` documents that they add, in units of
        their means', scatters with a variance of about :math:`2 / (n_d + 1)`, and moves *r* for any number of
        systems. Repeated systems tie, which lengthens an interval of Kendall's tau by about 3 in *n* (of *n*
        systems); in simulations one of Spearman's rho near 1 is longer by up to a third and about 3 in *n*.
        In these (true correlations of 0.5 to 0.97, 8 to 150 systems, 8 to 200 documents, 25 to 120 studies
        each) the mean width is mostly 0.9 to 1.05 times this, and 0.8 to 1.15 near 1
        (`tests/metaeval/stats/test_planning.py`).
        """
        moments = self._draw_moments(n_documents, n_raters, times)
        return _width(*moments, n_systems, coefficient, confidence_level)

    def _draw_moments(
        self, n_documents: Count, n_raters: Count, times
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centre of the draws of `bootstrap_width`, the root of the factor on Fisher's variance, and the
        standard deviation by which draws of documents move the correlation.
        """
        documents = np.asarray(n_documents, dtype=float)
        again = (documents - 1) / documents  # share of the noise that a draw adds; raters are not drawn
        drawn = replace(self.people, variances=self.people.variances | {"system:rater": 0.0})
        noise_x, noise_y = (
            again * drawn.error_variance(n_documents, n_raters),
            again * self.metric.error_variance(n_documents),
        )
        x, y = (
            max(side.variances["system"], 0.0) + side.error_variance(n_documents, raters)
            for side, raters in ((self.people, n_raters), (self.metric, 1))
        )
        spread, noise_spread = np.sqrt(x * y), np.sqrt(noise_x * noise_y)
        shared = np.clip(times * (self.by_system + self.by_summary / documents), -spread, spread)
        shared_noise = np.clip(times * again * self.by_summary / documents, -noise_spread, noise_spread)
        before = shared / spread
        r = (shared + shared_noise) / np.sqrt((x + noise_x) * (y + noise_y))
        share_x, share_y = x / (x + noise_x), y / (y + noise_y)  # of the variance of each side in a draw
        explained = (
            share_x * share_y * (1 + before**2 + r**2 * before**2)
            + r**2 * (share_x**2 + share_y**2) / 2
            - 2 * r * before * np.sqrt(share_x * share_y) * (share_x + share_y)
        )
        influence = (1 - r**2) ** 2
        more = np.divide(influence - explained, influence, out=np.zeros_like(r), where=influence > 0)
        # effect of one more unit of each noise, times the standard deviation of its number in a draw
        slope = r * (2 - share_x - share_y) / 2 - shared_noise / np.sqrt((x + noise_x) * (y + noise_y))
        return r, np.sqrt(1 + more), np.abs(slope) * np.sqrt(2 / (documents + 1))


def _width(r, more, moved, n_systems: Count, coefficient: str, confidence_level: float) -> np.ndarray:
    """Width of Fisher's interval of this many systems at Pearson's `r`, its standard error multiplied by
    `more`, where `r` itself scatters with the standard deviation `moved`; at most `_MAX_WIDTH`.
    """
    from_pearson = choose("coefficient", coefficient, _FROM_PEARSON)
    expected = from_pearson(r)
    if coefficient == "kendall":
        more = more * (1 + 3 / np.asarray(n_systems))
    elif coefficient == "spearman":  # Fisher's formula underestimates its scatter near 1
        more = more * (1 + np.abs(r) ** 16 * (0.35 + 3 / np.asarray(n_systems)))
    low, high = fisher_bounds(
        expected, n_systems, coefficient=coefficient, confidence_level=confidence_level, times=more
    )
    ends = (from_pearson(np.clip(r + side * moved, -1, 1)) for side in (1, -1))
    width = np.hypot(high - low, normal_reach(confidence_level) * np.subtract(*ends))
    return np.minimum(width, _MAX_WIDTH)


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
        present = ~np.isnan(people)
        with np.errstate(invalid="ignore"):
            means = np.where(present, people, 0.0).sum(axis=2) / present.sum(axis=2)
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
