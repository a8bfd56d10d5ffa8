"""stats.intervals: confidence intervals of correlations; one function for every interval of the package.

Plain arrays in, an `Interval` out; independent of data sets and tables. Called by `api` and `experiments`.
Deutsch, Dror and Roth 2021, §3: Fisher's transformation and the bootstrap over systems, inputs (documents) or
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit  # `scipy.stats` takes a second to import

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_confidence_level
from metaeval.stats.correlation import COEFFICIENTS, MIN_SYSTEMS, correlate, system_means
from metaeval.stats.monte_carlo import mean_error, quantile_error, squared_deviations
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, signature
from metaeval.stats.ties import TAU_TIE, double

# the units that are resampled; Fisher's interval resamples none
INTERVALS: dict[str, str | None] = {
    "Fisher": None,
    "Boot-Systems": "systems",
    "Boot-Inputs": "inputs",
    "Boot-Both": "both",
}


@dataclass(frozen=True, eq=False)
class Interval:
    """Correlations of metrics with people, and their confidence intervals.

    Every number is an array over the metrics that were passed together, or a plain number for a single
    metric.

    Attributes
    ----------
    estimate : float in [-1, 1]
        The correlation on the observed data; NaN where it does not exist.
    low, high : float
        NaN where the interval does not exist.
    standard_error : float
        Of the estimate: the standard deviation of the bootstrap distribution, or Fisher's by the delta
        method.
    n_used, n_total : int
        Units behind the estimate, and their total: systems, documents or summaries, by the level.
    n_undefined : int
        Resamples (without resampling: intervals, so 0 or 1) in which the correlation does not exist.
    n_resamples : int, 0 without resampling
    confidence_level, level, coefficient, method : settings of the interval
    signature : str
        All that is needed to reproduce the numbers, in one line.
    distribution : float array (..., n_resamples), or None without resampling
        The correlation in each resample, NaN where it does not exist. Not printed.
    """

    estimate: np.ndarray | float
    low: np.ndarray | float
    high: np.ndarray | float
    standard_error: np.ndarray | float
    n_used: np.ndarray | int
    n_total: int
    n_undefined: np.ndarray | int
    n_resamples: int
    confidence_level: float
    level: str
    coefficient: str
    method: str
    signature: str
    distribution: np.ndarray | None = field(default=None, repr=False)
    _n_observations: np.ndarray | int = field(default=0, repr=False)

    def quantile(self, q: float) -> np.ndarray | float:
        """Quantile `q` of the bootstrap distribution; for Fisher's method, the corresponding interval end.

        Parameters
        ----------
        q : float in (0, 1)
        """
        if self.distribution is not None:
            return _plain(_percentiles(self.distribution, [q])[0])
        if q == 0.5:
            return self.estimate
        bounds = fisher_bounds(
            self.estimate, self._n_observations, coefficient=self.coefficient, confidence_level=abs(1 - 2 * q)
        )
        return _plain(bounds[int(q > 0.5)])

    @property
    def low_mc_error(self) -> np.ndarray | float:
        """Monte-Carlo standard error of `low`; NaN without resampling."""
        return self._mc_error((1 - self.confidence_level) / 2)

    @property
    def high_mc_error(self) -> np.ndarray | float:
        """Monte-Carlo standard error of `high`; NaN without resampling."""
        return self._mc_error((1 + self.confidence_level) / 2)

    def _mc_error(self, q):
        if self.distribution is None:
            return _plain(np.full(np.shape(self.low), np.nan))
        return _plain(quantile_error(self.distribution, q))


def interval(
    metric: np.ndarray,
    human: np.ndarray,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    method: str = "Boot-Both",
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    paired: bool = True,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> Interval:
    """Correlation of metrics with people, with a confidence interval.

    Parameters
    ----------
    metric : array (..., n_systems, n_documents)
        Scores of one or more metrics, higher is better, NaN where missing. All of them see the same draws.
    human : array (n_systems, n_documents)
        Scores by people. Summaries that lack either score are left out.
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}
    method : {"Boot-Both", "Boot-Systems", "Boot-Inputs", "Fisher"}, in any case
        The units that vary: the interval applies to systems and documents like these, to these documents
        only, or to these systems only; Fisher's assumes normally distributed scores.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    paired : bool
        False: metric and people may cover different documents, which are then resampled independently, and
        each side's means are over its own documents; bootstrap at system level only.
    rng : seed, Generator or None
    n_threads : int, by default one per processor; does not change the result

    Returns
    -------
    Interval

    Raises
    ------
    DataError
        If there are fewer than three systems, shapes differ, or a score is infinite.
    ValueError
        If a choice does not exist or a number is out of range.

    Notes
    -----
    Deutsch et al. 2021, §3.2, Algorithm 1; unpaired documents: Deutsch et al. 2022, §3. At summary level
    Fisher's interval treats the mean correlation as one correlation over the largest number of systems that
    any document has; the transformation was not designed for this (Deutsch et al. 2021, §3.1). Its variances
    for rank correlations are those of Bonett and Wright 2000.

    Examples
    --------
    >>> people = [[1.0, 2.0], [2.0, 4.0], [3.0, 3.0], [5.0, 4.0]]
    >>> metric = [[0.1, 0.2], [0.3, 0.3], [0.2, 0.6], [0.5, 0.6]]
    >>> result = interval(metric, people, coefficient="pearson", rng=0)
    >>> result.low < result.estimate < result.high
    True
    """
    method = resolve_name(method, INTERVALS, "interval method")
    check_confidence_level(confidence_level)
    metric, human = double("metric", metric), double("human", human)
    check_shapes(metric=metric, human=human, paired=paired)
    seed = seed_of(rng)
    kind = {"level": level, "coefficient": coefficient}
    estimate, n_used, n_total = _estimate(metric, human, paired=paired, **kind)
    if INTERVALS[method] is None:
        if not paired:
            raise ValueError(
                "Fisher's interval is for one sample of documents; use a bootstrap with paired=False"
            )
        distribution, n_resamples = None, 0
        n = n_observations(metric, human, level)
        low, high = fisher_bounds(estimate, n, coefficient=coefficient, confidence_level=confidence_level)
        n_undefined = np.isnan(low).astype(int)
        standard_error = _fisher_error(estimate, n, coefficient)
    else:
        distribution = bootstrap_distribution(
            metric, human, resample=INTERVALS[method], n_resamples=n_resamples, paired=paired, rng=seed,
            n_threads=n_threads, **kind,
        )  # fmt: skip
        n = 0
        low, high = percentile_bounds(distribution, confidence_level)
        n_undefined = np.isnan(distribution).sum(axis=-1)
        standard_error = _spread(distribution)
    unpaired = None if paired else f"{human.shape[-1]} documents of people"
    line = signature(
        kind, method=method, resamples=n_resamples, confidence=confidence_level, unpaired=unpaired,
        seed=None if distribution is None else seed, shape=metric.shape[-2:],
    )  # fmt: skip
    return Interval(
        *(_plain(value) for value in (estimate, low, high, standard_error, n_used)), n_total=n_total,
        n_undefined=_plain(n_undefined), n_resamples=n_resamples, confidence_level=confidence_level,
        method=method, signature=line, distribution=distribution, _n_observations=n, **kind,
    )  # fmt: skip


def percentile_bounds(distribution: np.ndarray, confidence_level: float) -> np.ndarray:
    """Percentiles (2, ...) of distributions (..., n_resamples) over the defined draws; NaN without any."""
    tail = (1 - confidence_level) / 2
    return _percentiles(distribution, [tail, 1 - tail])


class Ends(NamedTuple):
    """Ends of intervals, and their Monte-Carlo errors; float arrays (...)."""

    low: np.ndarray
    high: np.ndarray
    low_mc_error: np.ndarray
    high_mc_error: np.ndarray

    @classmethod
    def exact(cls, low: np.ndarray, high: np.ndarray) -> Ends:
        """Ends that no draws were needed for."""
        return cls(low, high, 0.0, 0.0)

    @classmethod
    def stacked(cls, each: Iterable[Ends]) -> Ends:
        """Ends of several intervals as arrays."""
        return cls(*map(np.array, zip(*each, strict=True)))

    def part(self, place: int | slice) -> Ends:
        """Ends of one interval, or of some."""
        return Ends(*(end[place] for end in self))

    def where(self, exists: np.ndarray) -> Ends:
        """Ends that are NaN where no interval exists."""
        return Ends(*(np.where(exists, end, np.nan) for end in self))

    def columns(self, prefix: str = "") -> dict[str, float]:
        """Ends of one interval as cells of a table, each name with the prefix."""
        return {f"{prefix}{name}": float(end) for name, end in self._asdict().items()}


NO_ENDS = Ends(np.nan, np.nan, np.nan, np.nan)


def percentile_ends(distribution: np.ndarray, confidence_level: float) -> Ends:
    """Percentiles of distributions (..., n_resamples) as in `percentile_bounds`, with their errors."""
    tail = (1 - confidence_level) / 2
    errors = (quantile_error(distribution, q) for q in (tail, 1 - tail))
    return Ends(*percentile_bounds(distribution, confidence_level), *errors)


def t_ends(
    value, distribution: np.ndarray, n_units, confidence_level: float, *, limits=(-np.inf, np.inf)
) -> Ends:
    """Student's *t* intervals from draws of few units, with their Monte-Carlo errors.

    Parameters
    ----------
    value : float array (...)
    distribution : float array (..., n_resamples)
        The value in each draw; NaN is left out.
    n_units : int array (...)
        Number of resampled units; of two kinds the smaller number. Fewer than two give no interval.
    confidence_level : float in (0, 1)
    limits : two floats
        Range of the value.

    Notes
    -----
    Percentiles of draws of few units are too close together, and shifted by the bootstrap's bias, which the
    draws have in addition to that of the value. Here the estimate of that bias is subtracted from the value
    (Efron and Tibshirani 1993, §10.2); a draw of *n* units has a variance too small by the factor
    :math:`(n - 1) / n`, which is corrected, and *t* has *n* - 1 degrees of freedom (Hesterberg 2015).

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal(0.5, 0.1, 999)
    >>> ends = t_ends(0.5, draws, 8, 0.95)
    >>> round(float(ends.low), 1), round(float(ends.high), 1)
    (0.3, 0.8)
    """
    check_confidence_level(confidence_level)
    spread, n_draws = _spread(distribution), (~np.isnan(distribution)).sum(axis=-1)
    n = np.asarray(n_units, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = -stdtrit(n - 1, (1 - confidence_level) / 2) * np.sqrt(n / (n - 1))
        mean = np.where(n_draws > 0, np.nansum(distribution, axis=-1) / n_draws, np.nan)
        away = distribution - mean[..., None]
        # influence of a draw on an end, through the draws' mean and spread
        wider = np.where(spread > 0, reach / (2 * spread), 0.0)[..., None] * (
            away**2 - spread[..., None] ** 2
        )
        errors = (mean_error(away + wider), mean_error(away - wider))
    ends = (2 * value - mean + side * reach * spread for side in (-1, 1))
    return Ends(*(np.clip(end, *limits) for end in ends), *errors)


def fisher_bounds(r, n, *, coefficient: str, confidence_level: float) -> np.ndarray:
    """Fisher's interval (2, ...) of correlations `r` of `n` observations; NaN where *n* is too small.

    Parameters
    ----------
    r : float array (...), in [-1, 1]
    n : int array (...)
        Three observations or fewer (Kendall: four) give no interval.
    coefficient : {"pearson", "spearman", "kendall"}
    confidence_level : float in (0, 1)
    """
    r, n = np.broadcast_arrays(np.asarray(r, dtype=float), np.asarray(n, dtype=float))
    c, root = _fisher_terms(r, n, coefficient)
    half = normal_reach(confidence_level) * c / root
    with np.errstate(divide="ignore"):
        return np.tanh(np.arctanh(r) + np.stack([-half, half]))


def normal_reach(confidence_level: float) -> float:
    """Half-width of the interval of a normally distributed estimate, in standard errors."""
    check_confidence_level(confidence_level)
    return float(-ndtri((1 - confidence_level) / 2))


def n_observations(x: np.ndarray, z: np.ndarray, level: str) -> np.ndarray:
    """Number of observations behind correlations of arrays (..., n, m), for formulas: see `interval`."""
    return choose("level", level, _N_OBSERVATIONS)(~np.isnan(x) & ~np.isnan(z))


def share_wrongly_ranked(tau) -> np.ndarray:
    """Share of the pairs of systems that a metric ranks against people, where nothing ties: (1 - tau) / 2.

    Parameters
    ----------
    tau : float or float array
        Kendall's tau of metric and people.

    Returns
    -------
    float or array, of the same shape

    Raises
    ------
    DataError, ValueError
        If there is anything but numbers in [-1, 1].
    """
    tau = double("tau", tau)
    outside = np.abs(tau) > 1 + TAU_TIE
    if outside.any():
        raise ValueError(f"`tau` must lie in [-1, 1], got {tau[outside].ravel()[0]:g}")
    return (1 - tau) / 2


def resolve_name(name: str, table: dict, what: str) -> str:
    """Name of a method as `table` spells it, for any case; an error for an unknown one lists them."""
    spellings = {spelling.casefold(): spelling for spelling in table}
    return spellings.get(str(name).casefold()) or choose(
        what, name, {spelling: spelling for spelling in table}
    )


def check_shapes(*, paired: bool = True, **arrays: np.ndarray) -> None:
    """Require arrays (..., n_systems, n_documents) to cover the same units and to have enough systems."""
    shapes = {name: array.shape for name, array in arrays.items()}
    first = next(iter(shapes))
    axes = slice(-2, None) if paired else slice(-2, -1)
    for name, shape in shapes.items():
        if len(shape) < 2 or (name != first and len(shape) != 2):
            raise DataError(
                f"`{name}` must have one row per system and one column per document, got shape {shape}"
            )
        if shape[axes] != shapes[first][axes]:
            raise DataError(
                f"`{first}` and `{name}` must cover the same systems{' and documents' if paired else ''}, "
                f"got shapes {shapes[first]} and {shape}"
            )
    if shapes[first][-2] < MIN_SYSTEMS:
        raise DataError(f"at least {MIN_SYSTEMS} systems are needed, got {shapes[first][-2]}")


def _estimate(x, z, *, level, coefficient, paired):
    if paired:
        return correlate(x, z, level=level, coefficient=coefficient)
    x, z = system_means(x), system_means(z)
    n_used = (~np.isnan(x) & ~np.isnan(z)).sum(axis=-1)
    return choose("coefficient", coefficient, COEFFICIENTS)(x, z), n_used, x.shape[-1]


def _percentiles(distribution, quantiles):
    undefined = np.isnan(distribution)
    if distribution.shape[-1] and not undefined.any():
        return np.quantile(distribution, quantiles, axis=-1)
    flat = distribution.reshape(int(np.prod(distribution.shape[:-1])), distribution.shape[-1])
    bounds = np.full((len(quantiles), len(flat)), np.nan)
    for i, (values, missing) in enumerate(zip(flat, np.isnan(flat), strict=True)):
        if not missing.all():
            bounds[:, i] = np.quantile(values[~missing], quantiles)
    return bounds.reshape(len(quantiles), *distribution.shape[:-1])


def _spread(distribution):
    """Standard deviation over the defined draws; NaN with fewer than two."""
    squares, n = squared_deviations(distribution)
    return np.sqrt(squares / np.where(n > 1, n - 1, np.nan))


# b and c of each coefficient: Bonett and Wright 2000, as in footnote 4 of Deutsch et al. 2021
_FISHER: dict[str, Callable] = {
    "pearson": lambda r: (3, 1.0),
    "spearman": lambda r: (3, np.sqrt(1 + r**2 / 2)),
    "kendall": lambda r: (4, np.sqrt(0.437)),
}
_N_OBSERVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "system": lambda present: present.any(axis=-1).sum(axis=-1),
    "summary": lambda present: present.sum(axis=-2).max(axis=-1, initial=0),
    "global": lambda present: present.sum(axis=(-2, -1)),
}


def _fisher_terms(r, n, coefficient):
    """Numerator and denominator of the standard error on Fisher's scale: c and sqrt(n - b)."""
    b, c = choose("coefficient", coefficient, _FISHER)(r)
    return c, np.sqrt(np.where(n > b, n - b, np.nan))


def _fisher_error(r, n, coefficient):
    """Standard error of r by the delta method: the derivative of tanh at arctanh(r) is 1 - r²."""
    r, n = np.broadcast_arrays(np.asarray(r, dtype=float), np.asarray(n, dtype=float))
    c, root = _fisher_terms(r, n, coefficient)
    return (1 - r**2) * c / root


def _plain(value):
    """Turn an array without axes into a plain number."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array
