"""simulation.fit: a likeness whose draws have the moments of a benchmark.

Arrays and Benchmarks in, `metaeval.simulation.model.Likeness` out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy import optimize, special, stats

from metaeval.core.errors import DataError, listing
from metaeval.simulation.model import (
    Copy,
    Factors,
    Likeness,
    Marginal,
    SystemType,
    document_effects,
    factored,
    system_effects,
)
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.tables.benchmark import Benchmark

MIN_OF_A_TYPE = 8  # systems for a separate covariance of a type
RANKS = {"system": 3, "document": 3, "residual": 4}
MIN_UNIQUE = 0.01  # minimum unique share of a plane's variance not explained by the gold standard
# shares of the error that a step of the fit corrects: a full correction would overshoot, since bounds and
# rounding distort the result
PACE, MEAN_PACE, SPREAD_PACE = 0.6, 0.7, 0.5
# size of the draw in each step: large, since peculiarities of its systems and documents are fitted as well
DRAWN_SYSTEMS, DRAWN_DOCUMENTS = 2_400, 300
SKEWNESS_WEIGHT = 0.3  # tolerance for a marginal's skewness is three times that for its mean and deviation
MAX_BEND = 0.4  # of the initial guess; the fit may go to 1
_NODES = special.ndtri((np.arange(400) + 0.5) / 400)


@dataclass(frozen=True)
class Moments:
    """Means and covariances across planes, at three levels.

    Attributes
    ----------
    mean, total : float arrays (n_planes,)
        Mean and variance of all scores.
    skewness : float array (n_planes,)
    offset : mapping, type -> float array (n_planes,), of the type's mean from `mean`
    system, residual : mapping, type -> covariance of the effects of its systems, of their single summaries
    document : covariance
    """

    mean: np.ndarray
    total: np.ndarray
    skewness: np.ndarray
    offset: Mapping[str, np.ndarray]
    system: Mapping[str, np.ndarray]
    document: np.ndarray
    residual: Mapping[str, np.ndarray]

    def each(self, change: Callable[..., np.ndarray], *others: Moments) -> Moments:
        """Apply a change to every array, type by type; `change` also receives the arrays of `others`."""

        def changed(name: str):
            ours, *theirs = (getattr(moments, name) for moments in (self, *others))
            if isinstance(ours, np.ndarray):
                return change(ours, *theirs)
            return {kind: change(ours[kind], *(their[kind] for their in theirs)) for kind in ours}

        return Moments(**{field.name: changed(field.name) for field in fields(self)})

    def scaled(self, deviation: np.ndarray) -> Moments:
        """Express offsets and covariances in units of the planes' deviations; the rest is unchanged."""
        square = np.outer(deviation, deviation)
        relative = self.each(lambda values: values / (square if values.ndim == 2 else deviation))
        return replace(relative, mean=self.mean, total=self.total, skewness=self.skewness)

    def stepped(self, target: Moments, got: Moments) -> Moments:
        """Correct the error of a draw from the target: offsets fully, covariances by the share `PACE`."""
        moved = self.each(
            lambda own, goal, drawn: own + (PACE if own.ndim == 2 else 1) * (goal - drawn), target, got
        )
        return replace(moved, mean=self.mean, total=self.total, skewness=self.skewness)


def moments(values: np.ndarray, types: Sequence[str]) -> Moments:
    """Compute three-level moments by analysis of variance (two ways, one summary per cell).

    Parameters
    ----------
    values : float array (n_planes, n_systems, n_documents), without NaN
    types : the type of each system
        Systems vary around their type's mean; a type with fewer than `MIN_OF_A_TYPE` systems uses the pooled
        within-type covariances of all systems.

    Notes
    -----
    With mean squares :math:`MS`, N systems and M documents: residual :math:`= MS_{res}`, within the type;
    documents :math:`= (MS_{doc} - MS_{res})/N`; systems :math:`= (MS_{sys} - MS_{res})/M`. Differences of
    estimates need not be covariances: see `metaeval.simulation.model.factored`.
    """
    types = np.array(types)
    n_systems, n_documents = values.shape[1:]
    mean = values.mean(axis=(1, 2))
    by_system, by_document = values.mean(axis=2), values.mean(axis=1)
    kinds = dict.fromkeys(types.tolist())
    offset = {kind: by_system[:, types == kind].mean(axis=1) - mean for kind in kinds}
    pooled_residual = _interaction(values)
    document = np.cov(by_document) - pooled_residual / n_systems
    centred = by_system - mean[:, None] - np.stack([offset[kind] for kind in types], axis=1)
    pooled = centred @ centred.T / (n_systems - len(offset))
    system, residual = {}, {}
    for kind in kinds:
        own = types == kind
        enough = own.sum() >= MIN_OF_A_TYPE
        residual[kind] = _interaction(values[:, own]) if enough else pooled_residual
        between = centred[:, own] @ centred[:, own].T / (own.sum() - 1) if enough else pooled
        system[kind] = between - residual[kind] / n_documents
    flat = values.reshape(len(values), -1)
    return Moments(
        mean=mean,
        total=flat.var(axis=1),
        skewness=stats.skew(flat, axis=1),
        offset=offset,
        system=system,
        document=np.atleast_2d(document),
        residual=residual,
    )


def _interaction(values: np.ndarray) -> np.ndarray:
    """Covariance across planes of the residuals from the means of rows and columns."""
    rest = values - values.mean(axis=2, keepdims=True) - values.mean(axis=1, keepdims=True)
    rest += values.mean(axis=(1, 2), keepdims=True)
    rest = rest.reshape(len(values), -1)
    return rest @ rest.T / ((values.shape[1] - 1) * (values.shape[2] - 1))


def fit(
    benchmark: Benchmark,
    *,
    name: str,
    kinds: Mapping[str, Marginal],
    units: Mapping[int, float] | None = None,
    n_iterations: int = 12,
    rng: RNGLike = None,
) -> Likeness:
    """Fit the likeness of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        Judgments and metrics of all systems on all documents. A metric may lack some systems altogether; its
        covariances then come from the systems that have it.
    name : str
    kinds : mapping, judgment -> Marginal, of which kind and bounds are used
        Metrics are continuous, within the bounds that their scale implies.
    units : mapping, number of content units -> share of the documents, where a judgment counts units
    n_iterations : int
        The bends, bounds and steps change covariances a little. The latent ones are therefore corrected by
        the error of a large draw, this many times.
    rng : int, Generator or None

    Raises
    ------
    DataError
        If a plane lacks single summaries, not only whole systems.
    """
    values = np.concatenate([benchmark.humans.to_numpy(), benchmark.scores.to_numpy()])
    planes = [*benchmark.judgments, *benchmark.metrics]
    values, planes, copies = _drop_copies(values, planes, len(benchmark.judgments))
    types = [benchmark.system_type[system] for system in benchmark.systems]
    target = _moments_with_gaps(values, types, planes)
    deviation = np.sqrt(target.total)
    scaled = target.scaled(deviation)
    marginals = [
        _fit_marginal(
            kinds.get(plane) or bounds(benchmark.scale.get(plane), values[k]),
            target.mean[k],
            deviation[k],
            target.skewness[k],
        )
        for k, plane in enumerate(planes)
    ]
    seed = seed_of(rng)  # the same for all steps, so that they compare the same draw
    latent = scaled
    for step in range(n_iterations + 1):
        likeness = Likeness(
            name=name,
            source=benchmark.title,
            planes=tuple(planes),
            n_judgments=len(benchmark.judgments),
            n_documents=len(benchmark.documents),
            marginals=tuple(marginals),
            types={
                kind: SystemType(
                    n_systems=types.count(kind),
                    offset=latent.offset[kind],
                    system=_few_factors(latent.system[kind], "system"),
                    residual=_few_factors(latent.residual[kind], "residual", floor=MIN_UNIQUE),
                )
                for kind in scaled.offset
            },
            document=_few_factors(latent.document, "document"),
            units=units or {},
            copies=copies,
            scale=dict(benchmark.scale),
        )
        if step == n_iterations:
            break
        got = _drawn_moments(likeness, seed=seed)
        latent = latent.stepped(scaled, got.scaled(deviation))
        marginals = [
            replace(
                marginal,
                location=marginal.location + MEAN_PACE * (target.mean[k] - got.mean[k]),
                spread=marginal.spread * (deviation[k] / math.sqrt(got.total[k])) ** SPREAD_PACE,
            )
            for k, marginal in enumerate(marginals)
        ]
    return likeness


def _drawn_moments(likeness: Likeness, *, seed: int) -> Moments:
    """Moments of a draw with many systems and documents.

    Each type has equally many systems, so that their covariances are equally precise; mean and total weight
    the types as in the source.
    """
    counts = {kind: DRAWN_SYSTEMS // len(likeness.types) for kind in likeness.types}
    system_type, positions = system_effects(likeness, counts, seed)
    z = document_effects(likeness, counts, DRAWN_DOCUMENTS, seed) + positions[:, :, None]
    n_units = _spread_out(likeness.units or {1: 1.0}, DRAWN_DOCUMENTS)
    values = np.stack([m.scores(x, n_units) for m, x in zip(likeness.marginals, z, strict=True)])
    kinds = np.array(list(system_type.values()))
    total = sum(group.n_systems for group in likeness.types.values())
    weights = {kind: group.n_systems / total for kind, group in likeness.types.items()}
    means = {kind: values[:, kinds == kind].mean(axis=(1, 2)) for kind in weights}
    mean = sum(weights[kind] * means[kind] for kind in weights)
    square = sum(weights[kind] * (values[:, kinds == kind] ** 2).mean(axis=(1, 2)) for kind in weights)
    return replace(
        moments(values, kinds),
        mean=mean,
        total=square - mean**2,
        offset={kind: means[kind] - mean for kind in weights},
    )


def _spread_out(shares: Mapping[int, float], n: int) -> np.ndarray:
    """List `n` whole numbers, each in proportion to its share, in rising order."""
    numbers = np.array(sorted(shares))
    ends = np.cumsum([shares[number] for number in numbers])
    return np.repeat(numbers, np.diff(np.rint(ends / ends[-1] * n).astype(int), prepend=0))


def _few_factors(covariance: np.ndarray, level: str, *, floor: float = 0.0) -> Factors:
    """Approximate an estimated covariance by the factors of its level, rounded as in the parameter file."""
    factors = factored(covariance, RANKS[level], floor=floor, estimated=True)
    return Factors(np.round(factors.loadings, 4), np.round(factors.unique, 5))


def _moments_with_gaps(values: np.ndarray, types: Sequence[str], planes: Sequence[str]) -> Moments:
    """Compute moments where some planes lack whole systems.

    From the systems that all planes have; among the planes without gaps, from all systems.
    """
    missing = np.isnan(values)
    whole = ~missing.any(axis=(1, 2))
    if not missing.any():
        return moments(values, types)
    lacking = missing.all(axis=2)
    if (missing.any(axis=2) & ~lacking).any():
        scattered = [planes[k] for k in np.flatnonzero((missing.any(axis=2) & ~lacking).any(axis=1))]
        raise DataError(
            f"scores may be missing for whole systems only, not for single summaries: {listing(scattered)}"
        )
    shared = ~lacking.any(axis=0)
    types = np.array(types)

    def patched(some: np.ndarray, everything: np.ndarray) -> np.ndarray:
        some = some.copy()
        some[np.ix_(whole, whole) if some.ndim == 2 else whole] = everything
        return some

    part, better = moments(values[:, shared], types[shared].tolist()), moments(values[whole], types.tolist())
    return part.each(patched, better)


def _drop_copies(values: np.ndarray, planes: list[str], n_judgments: int):
    """Leave out metrics that equal another one on a different scale, and list them as copies."""
    keep, copies = list(range(n_judgments)), {}
    for k in range(n_judgments, len(planes)):
        for other in keep[n_judgments:]:
            both = ~np.isnan(values[k]) & ~np.isnan(values[other])
            x, y = values[other][both], values[k][both]
            slope, constant = np.polyfit(x, y, 1)
            if np.abs(slope * x + constant - y).max() < 1e-5 * y.std():
                copies[planes[k]] = Copy(planes[other], float(slope), float(constant))
                break
        else:
            keep.append(k)
    return values[keep], [planes[k] for k in keep], copies


def bounds(largest: float | None, values: np.ndarray) -> Marginal:
    """Derive a metric's kind and bounds: shares lie from 0 to their largest value; negated distances below 0.

    Parameters
    ----------
    largest : float, the largest value of the metric's scale, if known
    values : float array, the metric's scores
    """
    low = 0.0 if np.nanmin(values) >= 0 else -math.inf
    high = math.inf if largest is None or np.nanmax(values) > largest else float(largest)
    return Marginal("continuous", 0.0, 1.0, 0.0, low=low, high=high)


def _fit_marginal(kind: Marginal, mean: float, deviation: float, skewness: float) -> Marginal:
    """Fit location, spread and bend to the mean, deviation and skewness of scores of a standard normal."""

    def build(parameters) -> Marginal:
        location, log_spread, bend = parameters
        return replace(kind, location=location, spread=math.exp(log_spread), bend=float(bend))

    def misses(parameters):
        marginal = replace(build(parameters), kind="continuous")  # steps would make the target discontinuous
        x = marginal.scores(_NODES)
        m, s = x.mean(), x.std()
        skew = ((x - m) ** 3).mean() / max(s, 1e-12) ** 3
        return [(m - mean) / deviation, s / deviation - 1, SKEWNESS_WEIGHT * (skew - skewness)]

    bend = float(np.clip(skewness / 3, -MAX_BEND, MAX_BEND))
    best = optimize.least_squares(
        misses,
        [mean, math.log(deviation), bend],
        bounds=([-np.inf, -20, -1.0], [np.inf, 20, 1.0]),
        diff_step=1e-4,
    )
    return build(best.x)
