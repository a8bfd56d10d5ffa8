"""simulation.draw: a benchmark of any size from a likeness, and its true values.

Called by `simulation.worlds` for the book's own draws, and by the experiments on simulated data. Every effect
of every judgment and metric has its own stream of random numbers, named after it. Therefore fewer metrics, or
more documents, do not change the common part of two draws: the first hundred documents of a benchmark of
11,490 are the benchmark of a hundred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from metaeval.core.errors import choose
from metaeval.core.limits import check_count
from metaeval.simulation.model import Factors, Likeness
from metaeval.stats.correlation import COEFFICIENTS, MIN_SYSTEMS
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Benchmark, Provenance, read_only, with_ids

_NODES = 256  # of the integral over documents in a system's expected score


@dataclass(frozen=True)
class Simulated:
    """A simulated benchmark and its truth, which is independent of the observed scores.

    Attributes
    ----------
    benchmark : Benchmark
        `benchmark.provenance.simulated` holds; judgments are NaN beyond the judged documents.
    expected : DataArray, dims (plane, system)
        Each system's mean score over infinitely many documents, from every judgment and metric.
    n_units : int array (n_documents,)
        Content units of each document; 1 where nothing counts units.
    """

    benchmark: Benchmark
    expected: xr.DataArray
    n_units: np.ndarray

    def correlations(self, *, coefficient: str, group: str = "all") -> pd.Series:
        """True system-level correlation of each metric with the gold standard, over the systems of this draw.

        This is the target of an interval that resamples documents only. The correlation over all systems that
        could have been drawn is in `metaeval.simulation.truth.population`.

        Parameters
        ----------
        coefficient : {"pearson", "spearman", "kendall"}
        group : a system type, ``"mix"`` or ``"all"``
        """
        compute = choose("coefficient", coefficient, COEFFICIENTS)
        part = self.expected.sel(system=self.benchmark.group(group).systems)
        gold = self.benchmark.judgments[0]
        judged = [plane for plane in part.indexes["plane"] if plane != gold]
        values = compute(part.sel(plane=judged).to_numpy(), part.sel(plane=gold).to_numpy())
        return pd.Series(values, index=pd.Index(judged, name="metric"))


def draw(
    likeness: Likeness,
    *,
    n_systems: int | Mapping[str, int] | None = None,
    n_documents: int | None = None,
    n_judged: int | None = None,
    metrics: Sequence[str] | None = None,
    rng: RNGLike = None,
) -> Simulated:
    """Draw a benchmark.

    Parameters
    ----------
    likeness : Likeness
    n_systems : int, or mapping type -> int; by default those of the source
        A single number is split over the types in the source's proportions.
    n_documents : int; by default that of the source
    n_judged : int, at most `n_documents`; by default all
        People judge the first `n_judged` documents; metrics score all.
    metrics : by default all
    rng : int, Generator or None

    Raises
    ------
    ValueError
        For no documents, fewer than three systems, or more judged documents than documents.
    UnknownNameError
        For a metric or a system type that the likeness does not have.
    """
    n_documents = likeness.n_documents if n_documents is None else n_documents
    n_judged = n_documents if n_judged is None else n_judged
    check_count("n_documents", n_documents)
    if not 1 <= n_judged <= n_documents:
        raise ValueError(
            f"`n_judged` must be from 1 to the number of documents ({n_documents}), got {n_judged}: "
            "people can judge only documents of the test set"
        )
    counts = _counts(likeness, n_systems)
    selected = [*likeness.metrics, *likeness.copies] if metrics is None else list(metrics)
    likeness = likeness.select(selected)
    seed = seed_of(rng)
    system_type, latent = system_effects(likeness, counts, seed)
    n_units = _n_units(likeness, n_documents, seed)
    z = document_effects(likeness, counts, n_documents, seed)
    z += latent[:, :, None]
    scores = [
        marginal.scores(values, n_units) for marginal, values in zip(likeness.marginals, z, strict=True)
    ]
    expected = expected_scores(likeness, list(system_type.values()), latent)
    humans = np.stack(scores[: likeness.n_judgments])
    humans[:, :, n_judged:] = np.nan
    planes, means = _with_copies(likeness, selected, scores, expected)
    ids = {"system": list(system_type), "document": [str(j) for j in range(n_documents)]}
    benchmark = Benchmark(
        name=likeness.name,
        title=f"Simulated likeness of {likeness.source}",
        scores=with_ids(read_only(planes), metric=selected, **ids),
        humans=with_ids(read_only(humans), judgment=likeness.judgments, **ids),
        system_type=system_type,
        provenance=Provenance(
            files=(),
            licence="of this project",
            citation=(),
            notes=(f"Simulated: drawn from a model fitted to the moments of {likeness.source}.",),
            simulated=True,
        ),
        scale=dict(likeness.scale),
    )
    truth = with_ids(means, plane=[*likeness.judgments, *selected], system=system_type)
    return Simulated(benchmark, truth, n_units)


def system_effects(
    likeness: Likeness, counts: Mapping[str, int], seed: int
) -> tuple[dict[str, str], np.ndarray]:
    """Draw system ids with their types, and each system's latent position (n_planes, n_systems)."""
    system_type: dict[str, str] = {}
    parts = []
    for kind, n in counts.items():
        group = likeness.types[kind]
        stem = "sim" if kind == "unknown" else f"{kind}_sim"
        system_type |= {f"{stem}_{i:02d}": kind for i in range(1, n + 1)}
        effects = _correlated(group.system, likeness.planes, (n,), seed, "system", kind)
        parts.append(effects + group.offset[:, None])
    return system_type, np.concatenate(parts, axis=1)


def document_effects(
    likeness: Likeness, counts: Mapping[str, int], n_documents: int, seed: int
) -> np.ndarray:
    """Draw the effects of documents and of single summaries, (n_planes, n_systems, n_documents)."""
    document = _correlated(likeness.document, likeness.planes, (n_documents,), seed, "document")
    values = np.empty((len(likeness.planes), sum(counts.values()), n_documents))
    start = 0
    for kind, n in counts.items():
        # documents are the first axis, so that more of them continue the same stream
        part = _correlated(
            likeness.types[kind].residual, likeness.planes, (n_documents, n), seed, "summary", kind
        )
        np.add(part.transpose(0, 2, 1), document[:, None, :], out=values[:, start : start + n])
        start += n
    return values


def expected_scores(likeness: Likeness, types: Sequence[str], latent: np.ndarray) -> np.ndarray:
    """Mean score over infinitely many documents of systems at the latent positions (n_planes, n_systems)."""
    nodes = special.ndtri((np.arange(_NODES) + 0.5) / _NODES)
    variance = np.stack(
        [likeness.document.variance + likeness.types[kind].residual.variance for kind in types]
    )
    expected = np.empty_like(latent)
    for k, marginal in enumerate(likeness.marginals):
        z = latent[k][:, None] + np.sqrt(variance[:, k])[:, None] * nodes
        if marginal.kind == "units":
            shares = likeness.units.items()
            expected[k] = sum(share * marginal.scores(z, n).mean(axis=1) for n, share in shares)
        else:
            expected[k] = marginal.scores(z).mean(axis=1)
    return expected


def _correlated(
    factors: Factors, planes: Sequence[str], shape: tuple[int, ...], seed: int, *level: str
) -> np.ndarray:
    """Draw Gaussian values (n_planes, *shape) with a covariance across planes.

    Explicit sums replace a matrix product, whose order of additions depends on the library: the draws must be
    the same everywhere.
    """
    values = np.empty((len(planes), *shape))
    for k, plane in enumerate(planes):
        np.multiply(
            stream(seed, *level, "plane", plane).standard_normal(shape),
            np.sqrt(factors.unique[k]),
            out=values[k],
        )
    for f in range(factors.loadings.shape[1]):
        shared = stream(seed, *level, "factor", f).standard_normal(shape)
        for k in range(len(planes)):
            values[k] += factors.loadings[k, f] * shared
    return values


def _n_units(likeness: Likeness, n_documents: int, seed: int) -> np.ndarray:
    if not likeness.units:
        return np.ones(n_documents, dtype=int)
    sizes = np.array(sorted(likeness.units))
    shares = np.cumsum([likeness.units[n] for n in sizes])
    place = np.searchsorted(shares / shares[-1], stream(seed, "units").random(n_documents), side="right")
    return sizes[place]


def _counts(likeness: Likeness, n_systems: int | Mapping[str, int] | None) -> dict[str, int]:
    usual = {kind: group.n_systems for kind, group in likeness.types.items()}
    if n_systems is None:
        counts = usual
    elif isinstance(n_systems, Mapping):
        for kind in n_systems:
            choose(f"system type of likeness {likeness.name}", kind, likeness.types)
        counts = n_systems
    else:
        shares = np.cumsum(list(usual.values())) / sum(usual.values())
        ends = np.rint(shares * n_systems).astype(int)
        counts = dict(zip(usual, np.diff(ends, prepend=0).tolist(), strict=True))
    if any(n < 0 for n in counts.values()) or sum(counts.values()) < MIN_SYSTEMS:
        raise ValueError(f"`n_systems` must come to at least {MIN_SYSTEMS}, got {n_systems}")
    return {kind: n for kind, n in counts.items() if n}


def _with_copies(
    likeness: Likeness, selected: Sequence[str], scores: list[np.ndarray], expected: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Metric planes in the selected order; expected means of the judgments, then of these metrics."""
    planes, means = [], list(expected[: likeness.n_judgments])
    for metric in selected:
        copy = likeness.copies.get(metric)
        k = likeness.place(copy.of if copy else metric)
        times, plus = (copy.times, copy.plus) if copy else (1.0, 0.0)
        planes.append(scores[k] * times + plus if copy else scores[k])
        means.append(expected[k] * times + plus)
    shape = scores[0].shape
    return (np.stack(planes) if planes else np.empty((0, *shape))), np.stack(means)
