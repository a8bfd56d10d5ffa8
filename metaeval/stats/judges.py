r"""stats.judges: a judge's correlation with people, its distance from a rater and from another judge, with
intervals.

A study draws systems, documents and raters; what is estimated is the mean over new studies of as many of
each, drawn from where these came from. Its variance is the sum of three parts:

- *systems*: over systems, each of which brings its own noise of documents and raters;
- *documents*: what documents do to all systems together, the variance over draws of documents that all
  systems share minus that over draws of each system's own, in which effects common to the systems average
  out;
- *raters*: the variance between the raters left out in turn, less its noise.

A jackknife over systems counts the noise of single pairs of systems twice. Kendall's tau is a mean over
pairs, whose variance has an unbiased estimate (Sen 1960), which is by itself too variable with few systems,
and too small where the estimate lies near 1. It is averaged with the variance of tau for normal scores
(Kendall and Gibbons 1990, §10), which weighs as much as `PRIOR` systems and is taken between the estimate
and the end of the interval, so that there is an interval at 1 too. Pearson's and Spearman's intervals are of
Fisher's z: the difference of two correlations holds a value unless they differ on that scale both after the
value is added to the second and after it is taken from the first.

Measured on simulated studies of 36 worlds (`benchmarks/verdicts.py`, shown on the page `truth`), 95 %
intervals cover, by Kendall's tau over systems, 94 to 99.9 % for one judge (mean 97), 94 to 100 % for judge
minus rater (97; 95 to 99.8 at a margin of 0.1) and 93 to 99 % for two judges (96); by Pearson's r 92 to 100 %
(96) and by Spearman's rho 91 to 100 % (97), but for 88 % of judge minus rater by rho in one world of six
systems. They are too short where half of all raters have tastes of their own and a study has two of them (90
to 95 % for judge minus rater, 82 to 95 % for one judge by tau, 77 % for a perfect one by r): in a quarter of
such studies neither rater has, and nothing in the data says that others do. They are longer than they need
be with six to eight systems (up to 99.8 % at the margin). Within documents (22 worlds of 200 studies) they
cover 90 to 100 % (mean 96), but 85 to 89 % for one judge on 16 to 30 skewed or heavy-tailed systems, as
bootstrap draws of systems and documents do, and 87 to 89 % for a useless judge minus a rater there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import chdtri, fdtrc, ndtri, stdtrit  # `scipy.stats` takes a second to import

from metaeval.core.errors import choose
from metaeval.core.limits import check_confidence_level
from metaeval.stats import kernels
from metaeval.stats.correlation import COEFFICIENTS, MIN_SYSTEMS, kendall_without_each
from metaeval.stats.draws import exact_product, unit_counts
from metaeval.stats.intervals import Ends
from metaeval.stats.reliability import check_judges, mean_of
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import FISHER_TIE, MEAN_TIE, SMALLEST_SCALE, double, signs

PARTS = ("systems", "documents", "raters")
PRIOR = 10.0  # systems that the variance for normal scores weighs
_CODES = {"pearson": kernels.PEARSON, "spearman": kernels.SPEARMAN, "kendall": kernels.KENDALL}
_TIES = (MEAN_TIE, SMALLEST_SCALE)
_HALVINGS = 36
_SCATTER = 0.55  # of estimates, in standard errors, as fitted to the numbers of systems that decide
_LARGEST = 1 - FISHER_TIE  # correlation on Fisher's scale


@dataclass(frozen=True, eq=False)
class Estimate:
    """Correlations, or differences of two, with what their intervals need; arrays (n_judges,).

    Attributes
    ----------
    value : float
        NaN where a correlation does not exist.
    judge, reference : float
        The two correlations whose difference is estimated; the reference of a single one is 0.
    sizes : dict, part -> int
        Of `PARTS`: systems and documents that were scored, raters who count (0 where they are not
        distinguished).
    level, coefficient : settings
    """

    value: np.ndarray
    judge: np.ndarray
    reference: np.ndarray
    sizes: dict[str, np.ndarray]
    level: str
    coefficient: str
    # part -> (n_judges, k, k): a variance (k = 1), or the covariance of judge and reference
    _squares: dict[str, np.ndarray] = field(repr=False)
    _documents_error: np.ndarray = field(repr=False)
    _raters_differ: np.ndarray = field(repr=False)  # by more than their noise
    _is_single: bool = field(repr=False)

    @property
    def variances(self) -> dict[str, np.ndarray]:
        """Contributions of `PARTS` to the variance of the value, which add up."""
        return self._variances(self.value, np.array([1.0, -1.0]))

    def needed_systems(
        self, at: float, *, confidence_level: float = 0.95, power: float = 0.8
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number of systems at which the interval leaves `at` out in a share of studies, if the value stays.

        Parameters
        ----------
        at : float
            Threshold of a decision.
        confidence_level : float in (0, 1)
        power : float in (0, 1)
            The share of studies.

        Returns
        -------
        number, low, high : float arrays
            With a range by the uncertainty of the variance; infinite where documents or raters alone keep the
            interval too long. Documents and raters stay as they are.

        Notes
        -----
        The variances that make up the interval, of which that due to systems falls with their number.
        """
        tail, lower = (1 - confidence_level) / 2, ndtri(power)
        _, df = satterthwaite(self.variances, self._freedom)
        spread = [np.sqrt(df / chdtri(df, q)) for q in (0.5, 0.1, 0.9)]

        def is_enough(n_systems, longer):
            study, slopes = self._resized(n_systems), np.array([1.0, -1.0])
            error, df = satterthwaite(study._variances(at + 0 * self.value, slopes), study._freedom)
            reach = -stdtrit(df, tail) * np.sqrt(error) + lower * _SCATTER * study.standard_error
            return np.abs(self.value - at) >= longer * reach

        return tuple(
            _fewest(lambda n, longer=longer: is_enough(n, longer), self.value.shape) for longer in spread
        )

    def _resized(self, n_systems: np.ndarray) -> Estimate:
        """Estimate as expected of another number of systems.

        What documents do to all systems together, and differences between raters, stay as they are if they
        exceed the noise of systems, which falls with these.
        """
        systems = self.variances["systems"]
        stays = {"documents": self.variances["documents"] > systems, "raters": self._raters_differ}
        falls = self.sizes["systems"] / n_systems
        squares = {
            part: square * np.where(stays.get(part, False), 1.0, falls)[:, None, None]
            for part, square in self._squares.items()
        }
        return replace(self, sizes=self.sizes | {"systems": n_systems}, _squares=squares)

    @property
    def standard_error(self) -> np.ndarray:
        """Root of the sum of the variances."""
        return np.sqrt(sum(self.variances.values()))

    def ends(self, confidence_level: float = 0.95) -> Ends:
        """Ends of the intervals; NaN where a value does not exist or rests on fewer than three systems.

        Notes
        -----
        An end is the farthest value that Student's *t* with Satterthwaite's degrees of freedom does not
        reject, with the variance that the statistic has between the estimate and that value.
        """
        check_confidence_level(confidence_level)
        tail = (1 - confidence_level) / 2
        ends = []
        for side in (-1.0, 1.0):
            far = side if self._is_single else 2 * side
            inside, outside = self.value, np.broadcast_to(far, self.value.shape)
            for _ in range(_HALVINGS):
                middle = (inside + outside) / 2
                rejected = self._is_rejected(middle, tail)
                inside, outside = np.where(rejected, inside, middle), np.where(rejected, middle, outside)
            ends.append(np.where(self.sizes["systems"] < MIN_SYSTEMS, np.nan, inside))
        total = sum(self.variances.values())
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(total > 0, self._documents_error / total, 0.0)
        return Ends(*ends, *(np.abs(end - self.value) * share / 2 for end in ends))

    @property
    def _is_fisher(self) -> bool:
        return self.level == "system" and self.coefficient != "kendall"

    def _is_rejected(self, at: np.ndarray, tail: float) -> np.ndarray:
        if not self._is_fisher:
            return self._is_far(at, self.value - at, np.array([1.0, -1.0]), tail)
        rejected = self._is_far_by_fisher(at, self.judge, self.reference + at, tail)
        if self._is_single:
            return rejected
        return rejected & self._is_far_by_fisher(at, self.judge - at, self.reference, tail)

    def _is_far_by_fisher(self, at, judge, reference, tail: float) -> np.ndarray:
        """Reject that two correlations are equal, one of them moved by a hypothesis, or beyond 1 by it."""
        with np.errstate(invalid="ignore"):
            beyond = np.maximum(np.abs(judge), np.abs(reference)) > 1
        judge, reference = (self._clip_correlation(r) for r in (judge, reference))
        slopes = np.stack([1 / (1 - judge**2), -1 / (1 - reference**2)], axis=-1)
        return beyond | self._is_far(at, np.arctanh(judge) - np.arctanh(reference), slopes, tail)

    def _is_far(self, at: np.ndarray, away: np.ndarray, slopes: np.ndarray, tail: float) -> np.ndarray:
        total, df = satterthwaite(self._variances(at, slopes), self._freedom)
        with np.errstate(invalid="ignore"):
            return away**2 > stdtrit(df, tail) ** 2 * total

    @property
    def _freedom(self) -> dict[str, np.ndarray]:
        """Degrees of freedom of each part's variance."""
        freedom = {part: np.maximum(size - 1.0, 1.0) for part, size in self.sizes.items()}
        return freedom | {"systems": freedom["systems"] + self._prior_weight}

    @property
    def _prior_weight(self) -> float:
        """Number of systems that the variance for normal scores weighs."""
        if self.level != "system" or (self._is_fisher and not self._is_single):
            return 0.0
        return PRIOR / 2 if self._is_fisher else PRIOR

    def _variances(self, at: np.ndarray, slopes: np.ndarray) -> dict[str, np.ndarray]:
        parts = {}
        for part, square in self._squares.items():
            along = np.broadcast_to(slopes, (len(square), 2))[:, : square.shape[-1]]
            parts[part] = np.maximum(np.einsum("ji,jik,jk->j", along, square, along), 0.0)
        if self._prior_weight:
            n = np.maximum(self.sizes["systems"] - 1.0, 1.0)
            prior = self._prior(at) * np.broadcast_to(slopes, (len(n), 2))[:, 0] ** 2
            unbiased = np.where(self.sizes["systems"] > 3, parts["systems"], prior)
            parts["systems"] = (self._prior_weight * prior + n * unbiased) / (self._prior_weight + n)
        return parts

    def _prior(self, at: np.ndarray) -> np.ndarray:
        """Variance due to systems for normal scores; of tau between the value and `at`.

        The factors are those of simulated judges. The error that a judge shares with its reference, that of
        the other raters, cancels in a difference, the more the better both agree with these.
        """
        n = self.sizes["systems"]
        if self._is_fisher:  # Bonett and Wright 2000
            ranks = (self.judge**2 / 2) * (self.coefficient == "spearman")
            return (1 + ranks) / np.maximum(n - 3.0, 1.0) * (1 - self._clip_correlation(self.judge) ** 2) ** 2
        if self._is_single:
            return 1.2 * normal_tau_variance((self.judge + 3 * at) / 4, n)
        sides = (self._moved(self.judge, at - self.value), self._moved(self.reference, self.value - at))
        tau = np.where(np.abs(sides[0]) < np.abs(sides[1]), *sides)
        return (1.25 - 0.45 * np.abs(tau)) * normal_tau_variance(tau, n)

    @staticmethod
    def _moved(tau: np.ndarray, by: np.ndarray) -> np.ndarray:
        """Tau half-way to a hypothesis; of a tau from 0.9 to 1, half-way to all the way.

        Near 1 the estimate is often 1, whose variance of 0 says little.
        """
        return tau + np.clip(0.5 + 5 * (tau - 0.9), 0.5, 1.0) * by

    def _clip_correlation(self, r: np.ndarray) -> np.ndarray:
        """Correlation within the range of Fisher's z; a rho of 1 is half a step of ranks below it."""
        n = self.sizes["systems"]
        limit = 1 - 6 / (n * (n**2 - 1.0)) if self.coefficient == "spearman" else _LARGEST
        return np.clip(r, -limit, limit)


@dataclass(frozen=True, eq=False)
class BesideRater:
    """Judges beside a rater; arrays (n_judges,).

    Attributes
    ----------
    difference : Estimate, of the judge's correlation with the other raters minus that of the rater left out
    judge, rater : Estimate of each
    n_raters : int array, raters left out for whom both correlations exist
    """

    difference: Estimate
    judge: Estimate
    rater: Estimate
    n_raters: np.ndarray


def _fewest(is_enough, shape, *, maximum: float = 1e6) -> np.ndarray:
    """Smallest numbers from three on that are enough; infinite beyond `maximum`."""
    low, high = np.full(shape, np.log(3.0)), np.full(shape, np.log(maximum))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = is_enough(np.exp(middle))
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(is_enough(np.full(shape, maximum)), np.exp(high), np.inf)


def normal_tau_variance(tau, n) -> np.ndarray:
    """Variance of Kendall's tau of `n` pairs of normal scores whose expected tau is `tau`.

    Parameters
    ----------
    tau : float array (...), in [-1, 1]
    n : int array (...), at least 2

    Notes
    -----
    Kendall and Gibbons 1990, §10.

    Examples
    --------
    >>> float(normal_tau_variance(0.0, 10).round(6)) == round(2 * 25 / (9 * 10 * 9), 6)
    True
    """
    tau, n = np.clip(tau, -1.0, 1.0), np.maximum(n, 2.0)
    # r is sin(pi tau / 2), and arcsin(r / 2) that of triples
    triples = 1 / 9 - 4 / np.pi**2 * np.arcsin(np.sin(np.pi * tau / 2) / 2) ** 2
    # at tau = 1 it is 0 but for rounding
    return np.maximum(2 / (n * (n - 1)) * (1 - tau**2 + 2 * (n - 2) * triples), 0.0)


def normal_ends(
    value, n_systems, *, coefficient: str, confidence_level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends that a correlation's interval has for normal scores of so many systems; NaN for fewer than five.

    Parameters
    ----------
    value : float array (...), in [-1, 1]
    n_systems : int array (...)
    coefficient : {"kendall", "spearman", "pearson"}
    confidence_level : float in (0, 1)
    """
    check_confidence_level(confidence_level)
    value, n = np.broadcast_arrays(np.asarray(value, dtype=float), np.asarray(n_systems, dtype=float))
    n = np.where(n > 4, n, np.nan)
    weight = PRIOR if coefficient == "kendall" else PRIOR / 2
    sizes, places = np.unique(n, return_inverse=True)  # a grid of designs repeats few, and a quantile is slow
    reach = -stdtrit(sizes - 1 + weight, (1 - confidence_level) / 2)[places].reshape(n.shape)
    if coefficient != "kendall":
        spread = np.sqrt((1 + value**2 / 2 * (coefficient == "spearman")) / (n - 3))
        z = np.arctanh(np.clip(value, -_LARGEST, _LARGEST))
        return tuple(np.tanh(z + side * reach * spread) for side in (-1, 1))
    own, ends = normal_tau_variance(value, n), []
    for side in (-1, 1):
        end = value
        for _ in range(8):  # each end determines its variance
            prior = 1.2 * normal_tau_variance((value + 3 * end) / 4, n)
            spread = np.sqrt((weight * prior + (n - 1) * own) / (weight + n - 1))
            end = np.clip(value + side * reach * spread, -1.0, 1.0)
        ends.append(end)
    return tuple(ends)


def satterthwaite(variances, freedom) -> tuple[np.ndarray, np.ndarray]:
    """Sum of independent variances (part -> array) and its degrees of freedom, at least 1."""
    total = sum(variances.values())
    below = sum(variances[part] ** 2 / freedom[part] for part in variances)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total, np.where(below > 0, np.maximum(total**2 / below, 1.0), freedom["systems"])


def judge_minus_rater(
    judges: np.ndarray,
    ratings: np.ndarray,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    n_resamples: int = 1_999,
    rng: RNGLike = None,
) -> BesideRater:
    """Correlation of judges with all raters but one, minus that of the rater left out, over all raters.

    Parameters
    ----------
    judges : float array (n_judges, n_systems, n_documents), higher is better, NaN where missing
    ratings : float array (n_raters, n_systems, n_documents), of two raters or more, NaN where missing
        Judge and rater are compared on the summaries that both and another rater scored.
    level : {"system", "summary"}
    coefficient : {"kendall", "spearman", "pearson"}
    n_resamples : int
        Draws of documents, for their part of the variance.
    rng : seed, Generator or None

    Returns
    -------
    BesideRater
        Its estimates are means over the raters for whom both correlations exist.

    Raises
    ------
    DataError
        If there are fewer than two raters, or shapes differ.
    """
    judges, ratings = check_judges(judges, ratings, 2)
    planes = _Planes()
    places = np.empty((2, len(ratings), len(judges)), dtype=int)
    scored = np.zeros(judges.shape, dtype=bool)
    for rater, own in enumerate(ratings):
        others = mean_of(np.delete(ratings, rater, axis=0))
        for k, judge in enumerate(judges):
            places[:, rater, k] = planes.add((judge, own), others)
            scored[k] |= ~np.isnan(judge) & ~np.isnan(own) & ~np.isnan(others)
    sample = planes.sample(level, coefficient, n_resamples, rng)
    nothing = np.full_like(places[0], len(planes))
    each = {
        "difference": places,
        "judge": np.stack([places[0], nothing]),
        "rater": np.stack([places[1], nothing]),
    }
    exist = ~np.isnan(sample.value[places]).any(axis=0)
    settings = level, coefficient
    return BesideRater(
        **{name: _estimate(sample, sides, sides, exist, scored, *settings) for name, sides in each.items()},
        n_raters=exist.sum(axis=0),
    )


def judge_correlation(
    judges: np.ndarray,
    people: np.ndarray,
    *,
    minus: np.ndarray | None = None,
    level: str = "system",
    coefficient: str = "kendall",
    n_resamples: int = 1_999,
    rng: RNGLike = None,
) -> Estimate:
    """Correlation of judges with the mean of people, or its difference from that of other judges.

    Parameters
    ----------
    judges : float array (n_judges, n_systems, n_documents), higher is better, NaN where missing
    people : float array (n_systems, n_documents), or (n_raters, n_systems, n_documents) by rater
        By rater, the variance between raters counts, and the estimate is of raters like these.
    minus : float array (n_judges, n_systems, n_documents), optional
        The other judges, the first beside the first, on what both scored.
    level, coefficient, n_resamples, rng : see `judge_minus_rater`
    """
    people = double("people", people)
    judges, ratings = check_judges(judges, people if people.ndim == 3 else people[None], 1)
    others = judges if minus is None else check_judges(minus, ratings, 1)[0]
    planes, n_left_out = _Planes(), len(ratings) if len(ratings) > 1 else 0
    means = [mean_of(ratings), *(mean_of(np.delete(ratings, r, axis=0)) for r in range(n_left_out))]
    places = np.empty((2, len(means), len(judges)), dtype=int)  # with all raters, then without each
    for k, pair in enumerate(zip(judges, others, strict=True)):
        for number, mean in enumerate(means):
            places[:, number, k] = planes.add(pair, mean)
    if minus is None:
        places[1] = len(planes)
    sample = planes.sample(level, coefficient, n_resamples, rng)
    scored = ~np.isnan(judges) & ~np.isnan(others) & ~np.isnan(means[0])
    exist = ~np.isnan(sample.value[places[:, :1]]).any(axis=0)
    return _estimate(sample, places[:, :1], places[:, 1:], exist, scored, level, coefficient)


def _estimate(sample: _Sample, places, without, exist, scored, level, coefficient) -> Estimate:
    """Estimates of the pairs at `places` (2, n, n_judges), averaged where they `exist` (n, n_judges).

    `without` (2, n_raters, n_judges) holds the pairs without each rater, which are those of `places` where
    the estimate averages over raters.
    """
    counts = ~np.isnan(sample.value[without]).any(axis=0)
    n_raters = counts.sum(axis=0)
    is_fisher = level == "system" and coefficient != "kendall"

    def sides(values, places):
        """Judge and reference (2, n, n_judges, ...), or where only it counts their difference (1, ...)."""
        return values[places] if is_fisher else (values[places[0]] - values[places[1]])[None]

    def mean(values, mask):
        mask = mask.reshape(mask.shape + (1,) * (values.ndim - 3))
        return np.where(mask, values, 0.0).sum(axis=1) / mask.sum(axis=0)

    def average(values):
        return mean(values, exist)

    def centred(values):
        mask = counts.reshape(counts.shape + (1,) * (values.ndim - 3))
        return np.where(mask, values - mean(values, counts)[:, None], 0.0)

    n_systems, n_documents = scored.any(axis=2).sum(axis=1), scored.any(axis=1).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        judge, reference = average(sample.value[places])
        together = average(sides(sample.together, places))
        squares = {
            "systems": _squares(average(sides(sample.systems, places))),
            "documents": _squares(together) - _squares(average(sides(sample.apart, places))),
            "raters": _squares(np.moveaxis(centred(sides(sample.value, without)), 1, -1)),
        }
        between = centred(sides(sample.systems, without))  # (k, n_raters, n_judges, n_systems)
        noise = np.einsum("irjn,krjn->jik", between, between)
        if sample.pairs is not None:
            squares["systems"] = _pair_variance(average(sides(sample.pairs, places))[0], n_systems)
            noise = _pair_variance(centred(sides(sample.pairs, without))[0], n_systems).sum(axis=0)
        flat = np.array([1.0, -1.0])[: squares["raters"].shape[-1]]
        ratio = flat @ squares["raters"] @ flat / (flat @ noise @ flat)
        differ = fdtrc(np.maximum(n_raters - 1, 1), np.maximum(n_systems - 1, 1), ratio) < 0.01
        share = 1 / n_raters if places is without else (n_raters - 1) ** 2 / n_raters
        share = np.where(n_raters > 1, share / (n_raters - 1), 0.0)[:, None, None]
        squares["raters"] = np.where(share > 0, share * (squares["raters"] - noise), 0.0)
        fourth = (together[0] if len(together) == 1 else together[0] - together[1]) ** 4 * (level == "system")
    return Estimate(
        judge - reference, judge, reference,
        {"systems": n_systems, "documents": n_documents, "raters": np.where(n_raters > 1, n_raters, 0)},
        level, coefficient, squares, np.sqrt(fourth.sum(axis=-1)), differ & (n_raters > 1),
        bool((places[1] == len(sample.value) - 1).all()),
    )  # fmt: skip


def _squares(deviations: np.ndarray) -> np.ndarray:
    """Sums of products (n_judges, k, k) of deviations (k, n_judges, n)."""
    return np.einsum("ijn,kjn->jik", deviations, deviations)


def _pair_variance(products: np.ndarray, n) -> np.ndarray:
    """Unbiased variance (..., 1, 1) of means over pairs (..., n_pairs) of `n` systems; NaN below four.

    The square of the mean minus the mean product of two pairs without a system in common (Sen 1960).
    """
    size = round((1 + np.sqrt(1 + 8 * products.shape[-1])) / 2)
    first, second = np.triu_indices(size, 1)
    is_of = (first[:, None] == np.arange(size)) | (second[:, None] == np.arange(size))
    n = np.asarray(n, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        products = products * (n * (n - 1) / (size * (size - 1)))[:, None]  # zero for systems without scores
        total, own = 2 * products.sum(axis=-1), 2 * (products**2).sum(axis=-1)
        rows = ((products @ is_of) ** 2).sum(axis=-1)
        apart = (total**2 - 4 * (rows - own) - 2 * own) / np.where(
            n > 3, n * (n - 1) * (n - 2) * (n - 3), np.nan
        )
        return ((total / (n * (n - 1))) ** 2 - apart)[..., None, None]


@dataclass(frozen=True)
class _Sample:
    """Correlations of pairs of planes, and deviations whose squares add up to the parts of their variances.

    A linear combination of correlations has the same combination of deviations. The last pair is none: all 0.

    Attributes
    ----------
    value : float array (n_pairs + 1,)
    systems : float array (n_pairs + 1, n_systems), of the jackknife over systems
    together, apart : float arrays (n_pairs + 1, n), of documents that all systems share, and of each system's
    pairs : float array (n_pairs + 1, n_pairs_of_systems) or None
        For Kendall's tau at system level, which is their mean.
    """

    value: np.ndarray
    systems: np.ndarray
    together: np.ndarray
    apart: np.ndarray
    pairs: np.ndarray | None


class _Planes:
    """Planes beside partners, on what all scored that are added together; equal ones are kept once."""

    def __init__(self) -> None:
        self._planes: dict[tuple[int, bytes], np.ndarray] = {}
        self._partners: dict[bytes, tuple[int, np.ndarray]] = {}
        self._places: dict[tuple[int, bytes], int] = {}

    def __len__(self) -> int:
        return len(self._planes)

    def add(self, planes: Sequence[np.ndarray], partner: np.ndarray) -> list[int]:
        """Places of these planes beside this partner."""
        scored = ~np.isnan([*planes, partner]).any(axis=0)
        partner = np.where(scored, partner, np.nan)
        number, _ = self._partners.setdefault(partner.tobytes(), (len(self._partners), partner))
        places = []
        for plane in planes:
            plane = np.where(scored, plane, np.nan)
            key = number, plane.tobytes()
            self._planes.setdefault(key, plane)
            places.append(self._places.setdefault(key, len(self._places)))
        return places

    def sample(self, level: str, coefficient: str, n_resamples: int, rng: RNGLike) -> _Sample:
        """Sample of all pairs, with a last one of zeros."""
        check_draws(n_resamples)
        choose("coefficient", coefficient, _CODES)
        x, z = np.stack([*self._planes.values()]), np.stack([plane for _, plane in self._partners.values()])
        partner = np.array([number for number, _ in self._planes])
        parts = choose("level", level, _SAMPLES)(x, z, partner, coefficient, n_resamples, seed_of(rng))
        zero = (None if part is None else np.zeros((1, *part.shape[1:])) for part in parts)
        both = zip(parts, zero, strict=True)
        return _Sample(*(None if part is None else np.concatenate([part, none]) for part, none in both))


def _system_sample(x, z, partner, coefficient, n_resamples, seed):
    n_pairs, n_systems, n_documents = x.shape
    means, together, apart = _document_draws(np.concatenate([x, z]), n_resamples, seed)

    def correlations(means):
        out = np.empty((len(means), n_pairs))
        sides = np.ascontiguousarray(means[:, :n_pairs]), np.ascontiguousarray(means[:, n_pairs:])
        kernels.plane_correlations(_CODES[coefficient], _TIES, *sides, partner, out)
        return out.T

    without = np.where(np.eye(n_systems, dtype=bool)[:, None], np.nan, means)
    scale = n_documents / max(n_documents - 1, 1) / n_resamples
    return (
        correlations(means[None])[:, 0],
        _deviations(correlations(without), (n_systems - 1) / n_systems),
        _deviations(correlations(together), scale),
        _deviations(correlations(apart), scale),
        _sign_products(means[:n_pairs], means[n_pairs:][partner]) if coefficient == "kendall" else None,
    )


def _document_draws(planes, n_resamples, seed):
    """Means of planes (k, n_systems, n_documents) over documents (k, n_systems), and in draws of documents
    that all systems share and of each system's own (n_resamples, k, n_systems).

    In draws of its own documents a system's mean varies by the noise of its summaries, without the effect of
    a document, which is the same for all systems.
    """
    k, n_systems, n_documents = planes.shape
    scored = ~np.isnan(planes)
    largest = np.nanmax(np.abs(planes), axis=(1, 2), keepdims=True, initial=0)
    filled = np.ldexp(np.where(scored, planes, 0.0), -np.frexp(largest)[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        noise = filled - filled.sum(axis=1, keepdims=True) / scored.sum(axis=1, keepdims=True)
        noise = np.where(scored, noise, 0.0) * np.sqrt(n_systems / (n_systems - 1))
        counts = unit_counts(stream(seed, "documents"), n_resamples, n_documents)
        sums, noises = (
            exact_product(counts, part.reshape(-1, n_documents).T).reshape(-1, k, n_systems)
            for part in (filled, noise)
        )
        sizes, size = np.float64(n_documents), scored.sum(axis=-1)
        if not scored.all():
            sizes = exact_product(counts, scored.reshape(-1, n_documents).T * 1.0).reshape(-1, k, n_systems)
        means, noises = filled.sum(axis=-1) / size, noises / sizes - noise.sum(axis=-1) / size
        together = sums / sizes
    order = stream(seed, "documents of each system").random((n_resamples, 1, n_systems)).argsort(axis=0)
    return means, together, means + np.take_along_axis(noises, order, axis=0)


def _deviations(values, scale):
    """Deviations (k, n) from the mean of the defined values, times the root of `scale`; 0 where undefined."""
    defined = ~np.isnan(values)
    mean = np.where(defined, values, 0.0).sum(axis=-1, keepdims=True) / np.maximum(
        defined.sum(axis=-1, keepdims=True), 1
    )
    return np.where(defined, values - mean, 0.0) * np.sqrt(scale)


def _sign_products(x, z):
    """Products of the signs of differences between systems (k, n_pairs), whose mean is tau-b."""
    first, second = np.triu_indices(x.shape[-1], 1)

    def sign(side):
        with np.errstate(invalid="ignore"):
            tie = MEAN_TIE * np.nanmax(np.abs(side), axis=-1, keepdims=True, initial=SMALLEST_SCALE)
        return np.nan_to_num(signs(side[:, first] - side[:, second], tie))

    sx, sz = sign(x), sign(z)
    untied = np.sqrt((sx != 0).sum(axis=-1, keepdims=True) * (sz != 0).sum(axis=-1, keepdims=True) * 1.0)
    return sx * sz * len(first) / np.where(untied > 0, untied, 1.0)


def _summary_sample(x, z, partner, coefficient, n_resamples, seed):
    """Sample of means over documents; no draws, since the mean over documents is linear in them."""
    correlate = COEFFICIENTS[coefficient]
    n_systems = x.shape[1]
    x, z = np.swapaxes(x, -1, -2), np.swapaxes(z[partner], -1, -2)
    by_document = correlate(x, z)  # (n_pairs, n_documents)
    if coefficient == "kendall":
        flat = kendall_without_each(*(side.reshape(-1, n_systems) for side in (x, z)))
        without = flat.T.reshape(n_systems, *by_document.shape)
    else:
        others = (np.delete([x, z], system, axis=-1) for system in range(n_systems))
        without = np.stack([correlate(*sides) for sides in others])
    defined = ~np.isnan(by_document)
    n = defined.sum(axis=-1, keepdims=True)
    value, means = mean_of(by_document, axis=-1), mean_of(without, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        documents = np.where(defined, by_document - value[:, None], 0.0) / np.sqrt(n * np.maximum(n - 1, 1))
        both = np.where(np.isnan(without), 0.0, without - means[..., None])
        both = (both - both.mean(axis=0)) * np.sqrt((n_systems - 1) / n_systems / (n * np.maximum(n - 1, 1)))
    systems = _deviations(means.T, (n_systems - 1) / n_systems)
    return value, systems, documents, np.moveaxis(both, 0, 1).reshape(len(value), -1), None


_SAMPLES = {"system": _system_sample, "summary": _summary_sample}
