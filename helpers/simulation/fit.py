"""Fitting a likeness: parameters whose draws have the moments of a real benchmark.

``python -m helpers fit`` fits the likenesses of this project to the released data, where they are
at hand, and writes ``data/simulation/NAME.yml``: parameters only, no score of anybody.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from scipy import optimize, special, stats

from helpers import datasets
from helpers.benchmark import Benchmark
from helpers.errors import DataError, listing
from helpers.simulation.draw import document_effects, system_effects
from helpers.simulation.model import Copy, Factors, Likeness, Marginal, SystemType, factored

MIN_OF_A_TYPE = 8  # systems from which a type has a covariance of its own
PACE = 0.6  # share of a miss that a step of the fit makes good
RANKS = {"system": 3, "document": 3, "residual": 4}
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


def moments(values: np.ndarray, types: Sequence[str]) -> Moments:
    """Three-level moments by analysis of variance (two ways, one summary a cell).

    Parameters
    ----------
    values : float array (n_planes, n_systems, n_documents), without NaN
    types : the type of each system
        Systems vary around their type's mean; a type with fewer than `MIN_OF_A_TYPE` systems takes the
        covariances of all systems within their types.

    Notes
    -----
    With mean squares :math:`MS`, N systems and M documents: residual :math:`= MS_{res}`, within the type;
    documents :math:`= (MS_{doc} - MS_{res})/N`; systems :math:`= (MS_{sys} - MS_{res})/M`. Differences of
    estimates need not be covariances: see `helpers.simulation.model.factored`.
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
        mean,
        flat.var(axis=1),
        stats.skew(flat, axis=1),
        offset,
        system,
        np.atleast_2d(document),
        residual,
    )


def _interaction(values: np.ndarray) -> np.ndarray:
    """Covariance across planes of what is left of a table without its rows' and columns' means."""
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
    rng,
) -> Likeness:
    """The likeness of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        Judgments and metrics of all systems on all documents. A metric may lack some systems altogether; its
        covariances then come from the systems that have it.
    name : str
    kinds : mapping, judgment -> Marginal, of which kind and bounds are kept
        Metrics are continuous, within the bounds that their scale implies.
    units : mapping, number of content units -> share of the documents, where a judgment counts units
    n_iterations : int
        The bends, bounds and steps change covariances a little. So the latent ones are moved by what a large
        draw misses, this many times.
    rng : seed or Generator
    """
    rng = np.random.default_rng(rng)
    values = np.concatenate([benchmark.humans.to_numpy(), benchmark.scores.to_numpy()])
    planes = [*benchmark.judgments, *benchmark.metrics]
    values, planes, copies = _without_copies(values, planes, len(benchmark.judgments))
    types = [benchmark.system_type[system] for system in benchmark.systems]
    target = _moments_with_gaps(values, types, planes)
    deviation = np.sqrt(target.total)
    scaled = replace(
        target,
        offset={kind: offset / deviation for kind, offset in target.offset.items()},
        system={kind: _scaled(matrix, deviation) for kind, matrix in target.system.items()},
        document=_scaled(target.document, deviation),
        residual={kind: _scaled(matrix, deviation) for kind, matrix in target.residual.items()},
    )
    marginals = [
        _fit_marginal(
            kinds.get(plane) or bounds(plane, benchmark.scale.get(plane), values[k]),
            target.mean[k],
            deviation[k],
            target.skewness[k],
            units or {},
        )
        for k, plane in enumerate(planes)
    ]
    latent = scaled
    counts = {kind: types.count(kind) for kind in scaled.offset}
    seed = int(rng.integers(2**62))  # one for all steps, so that they see the same draw move
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
                    counts[kind],
                    latent.offset[kind],
                    _rounded(factored(latent.system[kind], RANKS["system"], estimated=True)),
                    _rounded(factored(latent.residual[kind], RANKS["residual"], floor=0.01, estimated=True)),
                )
                for kind in counts
            },
            document=_rounded(factored(latent.document, RANKS["document"], estimated=True)),
            units=units or {},
            copies=copies,
            scale=dict(benchmark.scale),
        )
        if step == n_iterations:
            break
        got = _drawn_moments(likeness, deviation, seed=seed)
        latent = Moments(
            latent.mean,
            latent.total,
            latent.skewness,
            {k: latent.offset[k] + scaled.offset[k] - got.offset[k] for k in counts},
            {k: latent.system[k] + PACE * (scaled.system[k] - got.system[k]) for k in counts},
            latent.document + PACE * (scaled.document - got.document),
            {k: latent.residual[k] + PACE * (scaled.residual[k] - got.residual[k]) for k in counts},
        )
        marginals = [
            replace(
                marginal,
                location=marginal.location + 0.7 * (target.mean[k] - got.mean[k]),
                spread=marginal.spread * (deviation[k] / math.sqrt(got.total[k])) ** 0.5,
            )
            for k, marginal in enumerate(marginals)
        ]
    return likeness


def _drawn_moments(likeness: Likeness, deviation: np.ndarray, *, seed: int) -> Moments:
    """Moments of a draw with many systems and documents, on the scale of the target's deviations."""
    n_systems, n_documents = 600, 300
    total = sum(group.n_systems for group in likeness.types.values())
    # as many of each type, so that each type's covariance is as well known; the mean weighs them as the
    # source does
    counts = {kind: n_systems // len(likeness.types) for kind in likeness.types}
    system_type, positions = system_effects(likeness, counts, seed)
    z = document_effects(likeness, counts, n_documents, seed) + positions[:, :, None]
    sizes = np.array(sorted(likeness.units)) if likeness.units else np.array([1])
    shares = np.array([likeness.units[n] for n in sizes]) if likeness.units else np.array([1.0])
    n_units = np.repeat(
        sizes, np.diff(np.rint(np.cumsum(shares / shares.sum()) * n_documents).astype(int), prepend=0)
    )
    values = np.stack([m.scores(x, n_units) for m, x in zip(likeness.marginals, z, strict=True)])
    kinds = np.array(list(system_type.values()))
    found = moments(values, kinds)
    weights = {kind: group.n_systems / total for kind, group in likeness.types.items()}
    means = {kind: values[:, kinds == kind].mean(axis=(1, 2)) for kind in weights}
    mean = sum(weights[kind] * means[kind] for kind in weights)
    square = sum(weights[kind] * (values[:, kinds == kind] ** 2).mean(axis=(1, 2)) for kind in weights)
    return Moments(
        mean,
        square - mean**2,
        found.skewness,
        {kind: (means[kind] - mean) / deviation for kind in weights},
        {kind: _scaled(matrix, deviation) for kind, matrix in found.system.items()},
        _scaled(found.document, deviation),
        {kind: _scaled(matrix, deviation) for kind, matrix in found.residual.items()},
    )


def _scaled(matrix: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    return matrix / np.outer(deviation, deviation)


def _rounded(factors: Factors) -> Factors:
    """As the parameter file will have it."""
    return Factors(np.round(factors.loadings, 4), np.round(factors.unique, 5))


def _moments_with_gaps(values: np.ndarray, types: Sequence[str], planes: Sequence[str]) -> Moments:
    """Moments where some planes lack whole systems: from the systems that all planes have, and, among the
    planes
    without gaps, from all systems."""
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
    part = moments(values[:, shared], types[shared].tolist())
    better = moments(values[whole], types.tolist())

    def over(old, new):
        old = old.copy()
        old[np.ix_(whole, whole) if old.ndim == 2 else whole] = new
        return old

    return Moments(
        *(over(getattr(part, key), getattr(better, key)) for key in ("mean", "total", "skewness")),
        {kind: over(part.offset[kind], better.offset[kind]) for kind in part.offset},
        {kind: over(part.system[kind], better.system[kind]) for kind in part.system},
        over(part.document, better.document),
        {kind: over(part.residual[kind], better.residual[kind]) for kind in part.residual},
    )


def _without_copies(values: np.ndarray, planes: list[str], n_judgments: int):
    """Leave out metrics that are another one on another scale, and say which."""
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


def bounds(metric: str, largest: float | None, values: np.ndarray) -> Marginal:
    """A metric's kind and bounds: shares lie from 0 to their largest value; negated distances below 0."""
    low = 0.0 if np.nanmin(values) >= 0 else -math.inf
    high = math.inf if largest is None or np.nanmax(values) > largest else float(largest)
    return Marginal("continuous", 0.0, 1.0, 0.0, low=low, high=high)


def _fit_marginal(
    kind: Marginal, mean: float, deviation: float, skewness: float, units: Mapping[int, float]
) -> Marginal:
    """Location, spread and bend such that scores of a standard normal have mean, deviation and skewness."""

    def made(parameters) -> Marginal:
        location, log_spread, bend = parameters
        return replace(kind, location=location, spread=math.exp(log_spread), bend=float(bend))

    def misses(parameters):
        marginal = replace(made(parameters), kind="continuous")  # steps would make the target jump
        x = np.concatenate([marginal.scores(_NODES)])
        m, s = x.mean(), x.std()
        skew = ((x - m) ** 3).mean() / max(s, 1e-12) ** 3
        return [(m - mean) / deviation, s / deviation - 1, 0.3 * (skew - skewness)]

    bend = float(np.clip(skewness / 3, -0.4, 0.4))
    best = optimize.least_squares(
        misses,
        [mean, math.log(deviation), bend],
        bounds=([-np.inf, -20, -1.0], [np.inf, 20, 1.0]),
        diff_step=1e-4,
    )
    return made(best.x)


# ---------------------------------------------------------------------------------- the project's likenesses


def _realsumm() -> Likeness:
    base = datasets.load("realsumm")
    other = datasets.load("bhandari2020")
    extra = [metric for metric in other.metrics if metric not in base.metrics]
    scores = xr.concat([base.scores, other.scores.sel(metric=extra).reindex(system=base.systems)], "metric")
    joined = base.with_scores(scores, scale={**other.scale, **base.scale})
    counts = Counter(len(scus) for scus in datasets.units("lite-realsumm").scus.values())
    return fit(joined, name="realsumm", kinds={"LitePyramid": UNITS}, units=_shares(counts), rng=0)


def _pyrxsum() -> Likeness:
    benchmark = datasets.load("lite-pyrxsum")
    counts = Counter(len(scus) for scus in datasets.units("lite-pyrxsum").scus.values())
    return fit(benchmark, name="pyrxsum", kinds={"LitePyramid": UNITS}, units=_shares(counts), rng=0)


def _summeval() -> Likeness:
    benchmark = datasets.load("summeval")
    steps = {judgment: 0.2 if "turkers" in judgment else 1 / 3 for judgment in benchmark.judgments}
    kinds = {j: Marginal("ratings", 3.0, 1.0, 0.0, low=1.0, high=5.0, step=step) for j, step in steps.items()}
    return fit(benchmark, name="summeval", kinds=kinds, rng=0)


def _tac2009() -> Likeness:
    benchmark = datasets.load("tac2009")
    kinds = {j: Marginal("continuous", 0.2, 0.1, 0.0, low=0.0) for j in benchmark.judgments}
    return fit(benchmark, name="tac2009", kinds=kinds, rng=0)


UNITS = Marginal("units", 0.4, 0.2, 0.0, low=0.0, high=1.0)
FITTERS: dict[str, Callable[[], Likeness]] = {
    "realsumm": _realsumm,
    "summeval": _summeval,
    "tac2009": _tac2009,
    "pyrxsum": _pyrxsum,
}


def _shares(counts: Mapping[int, int]) -> dict[int, float]:
    total = sum(counts.values())
    return {n: counts[n] / total for n in sorted(counts)}
