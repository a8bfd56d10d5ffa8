r"""simulation.model: three levels of covariance below bounded scales, their parameter files, and their draws.

With *p* a judgment or a metric (a *plane*), *i* a system of type *t(i)* and *j* a document,

.. math:: z_{pij} = o_{p,t(i)} + a_{pi} + d_{pj} + e_{pij}, \qquad x_{pij} = g_p(z_{pij}),

where the effects of systems *a*, of documents *d* and of single summaries *e* are Gaussian and correlated
across planes (*a* and *e* with a covariance for each type of systems), and :math:`g_p` bends, bounds and
rounds them as plane *p*'s scale does. Each covariance is :math:`\Lambda\Lambda' + \mathrm{diag}(\psi)`: few
numbers for many planes, and a covariance for any :math:`\Lambda` and any :math:`\psi \ge 0`. The first column
of :math:`\Lambda` is the covariance with the gold standard, so the covariances that matter in meta-evaluation
are separate free parameters.

Every effect of every judgment and metric has its own stream of random numbers, named after it. Therefore
fewer metrics, or more documents, do not change the common part of two draws: the first hundred documents of a
benchmark of 11,490 are the benchmark of a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
import yaml
from scipy import special

from metaeval.core.errors import DataError, SourceUnavailableError, choose
from metaeval.core.limits import check_count
from metaeval.core.paths import DATA, read_yaml
from metaeval.stats.correlation import COEFFICIENTS, MIN_SYSTEMS
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Benchmark, Provenance, read_only, with_ids

FOLDER = DATA / "simulation"
_NODES = 256  # of the integral over documents in a system's expected score
DIGITS = 5  # of a continuous score, relative to its spread; makes draws identical everywhere


@dataclass(frozen=True)
class Marginal:
    """Transformation of a plane's latent values to scores.

    Attributes
    ----------
    kind : {"continuous", "ratings", "units"}
        Rounded to `DIGITS` places after the first of `spread`; to multiples of `step` from `low`; or to whole
        numbers of content units present.
    location, spread, bend : float
        :math:`x = location + spread \\, (e^{bend \\, z} - 1) / bend`; a bend of 0 is a straight line.
    low, high : float, infinite where the scale has no end
    step : float, of ratings
    """

    kind: str
    location: float
    spread: float
    bend: float
    low: float = -math.inf
    high: float = math.inf
    step: float = 0.0

    def scores(self, z: np.ndarray, n_units: np.ndarray | float = 1.0) -> np.ndarray:
        """Transform latent values to scores, rounded to the scale; `n_units` broadcasts against `z`."""
        if abs(self.bend) < 1e-6:
            x = self.location + self.spread * z
        else:
            x = self.location + self.spread / self.bend * np.expm1(self.bend * z)
        x = np.clip(x, self.low, self.high)
        if self.kind == "units":
            return np.rint(x * n_units) / n_units
        if self.kind == "ratings":
            return np.clip(self.low + np.rint((x - self.low) / self.step) * self.step, self.low, self.high)
        places = DIGITS - 1 - math.floor(math.log10(self.spread))
        return np.round(x, places)


@dataclass(frozen=True)
class Factors:
    """A covariance across planes.

    Attributes
    ----------
    loadings : float array (n_planes, n_factors)
    unique : float array (n_planes,)
        Variance of each plane's own part, not negative.
    """

    loadings: np.ndarray
    unique: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        return self.loadings @ self.loadings.T + np.diag(self.unique)

    @property
    def variance(self) -> np.ndarray:
        return (self.loadings**2).sum(axis=1) + self.unique

    def rows(self, keep: Sequence[int]) -> Factors:
        return Factors(self.loadings[list(keep)], self.unique[list(keep)])


@dataclass(frozen=True)
class SystemType:
    """Systems of one type: number, offset from the average, and variation of systems and of summaries."""

    n_systems: int
    offset: np.ndarray  # (n_planes,)
    system: Factors
    residual: Factors


@dataclass(frozen=True)
class Copy:
    """A metric that equals another one times a factor plus a constant."""

    of: str
    times: float
    plus: float


@dataclass(frozen=True, eq=False)  # compared by identity, since comparisons of arrays have no truth value
class Likeness:
    """Parameters of a simulated benchmark.

    Attributes
    ----------
    name : str
    source : str
        The benchmark it was fitted to, or a description.
    planes : names, judgments first; the first judgment is the gold standard
    n_judgments : int
    n_documents : int
    marginals : one per plane
    types : mapping, system type -> SystemType
    document : Factors
    units : mapping, number of content units -> share of the documents
    copies : mapping, metric -> Copy
    scale : mapping, metric -> largest value, as in `metaeval.tables.benchmark.Benchmark`
    licence, citation : of the source
    """

    name: str
    source: str
    planes: tuple[str, ...]
    n_judgments: int
    n_documents: int
    marginals: tuple[Marginal, ...]
    types: Mapping[str, SystemType]
    document: Factors
    units: Mapping[int, float] = field(default_factory=dict)
    copies: Mapping[str, Copy] = field(default_factory=dict)
    scale: Mapping[str, float] = field(default_factory=dict)

    @property
    def judgments(self) -> tuple[str, ...]:
        return self.planes[: self.n_judgments]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics with parameters of their own, without copies."""
        return self.planes[self.n_judgments :]

    def place(self, plane: str) -> int:
        places = {plane: k for k, plane in enumerate(self.planes)}
        return choose(f"judgment or metric of likeness {self.name}", plane, places)

    def select(self, metrics: Sequence[str]) -> Likeness:
        """Select some of the metrics, and the originals of copies, with all judgments."""
        originals = dict.fromkeys(self.copies[m].of if m in self.copies else m for m in metrics)
        keep = [*range(self.n_judgments), *(self.place(metric) for metric in originals)]
        return replace(
            self,
            planes=tuple(self.planes[k] for k in keep),
            marginals=tuple(self.marginals[k] for k in keep),
            types={
                kind: SystemType(
                    group.n_systems, group.offset[keep], group.system.rows(keep), group.residual.rows(keep)
                )
                for kind, group in self.types.items()
            },
            document=self.document.rows(keep),
            copies={m: copy for m, copy in self.copies.items() if m in metrics},
            scale={m: largest for m, largest in self.scale.items() if m in metrics},
        )


def factored(
    covariance: np.ndarray, n_factors: int, *, floor: float = 0.0, estimated: bool = False
) -> Factors:
    """Factor a covariance into loadings and unique variances, by principal axes.

    The first column of the loadings is exactly the covariance with the first plane, which has no other
    loadings and no unique part. The variances are reproduced exactly too, other covariances as well as
    `n_factors` allow.

    Parameters
    ----------
    covariance : float array (n, n), symmetric
    n_factors : int
        Columns of the loadings, the first included.
    floor : float
        Minimum unique share of a plane's variance that the first plane does not explain.
    estimated : bool
        True if the matrix is a difference of estimates: negative variances count as 0, and a covariance with
        the first plane is clipped to the bound from the variances.

    Raises
    ------
    DataError
        If the matrix is no covariance (without `estimated`), not symmetric or not finite.
    """
    covariance = np.asarray(covariance, float)
    n = len(covariance)
    if covariance.shape != (n, n) or not np.allclose(covariance, covariance.T, atol=1e-9):
        raise DataError(f"a covariance must be a symmetric matrix, got shape {covariance.shape}")
    if not np.isfinite(covariance).all():
        raise DataError("a covariance must be finite")
    lowest = float(np.linalg.eigvalsh(covariance)[0])
    if not estimated and lowest < -1e-8 * max(1.0, float(np.trace(covariance))):
        raise DataError(f"the matrix is no covariance: its smallest eigenvalue is {lowest:.3g}, below 0")
    total = np.maximum(np.diag(covariance), 0)
    loadings = np.zeros((n, n_factors))
    if total[0] > 0:
        bound = np.sqrt(total)
        loadings[:, 0] = np.clip(covariance[:, 0] / math.sqrt(total[0]), -bound, bound)
    rest = covariance - np.outer(loadings[:, 0], loadings[:, 0])
    free = np.maximum(total - loadings[:, 0] ** 2, 0)
    unique = 0.5 * free
    axes = np.zeros((n, n_factors - 1))
    for _ in range(200):  # re-estimate the unique variances until they converge
        np.fill_diagonal(rest, free - unique)
        values, vectors = np.linalg.eigh(rest)
        order = np.argsort(values)[::-1][: n_factors - 1]
        axes = vectors[:, order] * np.sqrt(np.maximum(values[order], 0))
        unique = np.clip(free - (axes**2).sum(axis=1), floor * free, free)
    explained = (axes**2).sum(axis=1)
    # scale down the axes of a plane that explain more than its variance
    axes *= np.sqrt(np.minimum(1, (free - unique) / np.where(explained > 0, explained, 1)))[:, None]
    axes *= np.where(axes.sum(axis=0) < 0, -1, 1)  # the sign of an axis is arbitrary
    loadings[:, 1:] = axes
    return Factors(loadings, np.maximum(total - (loadings**2).sum(axis=1), 0))


# --------------------------------------------------------------------------------------- to and from a file


def path_of(name: str, folder: Path = FOLDER) -> Path:
    """Path of the parameter file of a likeness.

    Raises
    ------
    SourceUnavailableError
        If none was fitted; the message lists those that were.
    """
    path = folder / f"{name}.yml"
    if not folder.is_dir():
        raise SourceUnavailableError(
            f"no simulated {name!r} here: the likenesses are part of the project's checkout; install it "
            "from there (`pip install -e .`)"
        )
    if not path.is_file():
        fitted = sorted(file.stem for file in folder.glob("*.yml"))
        raise SourceUnavailableError(
            f"no likeness of {name!r} was ever fitted; fitted: {', '.join(fitted) or 'none'}"
        )
    return path


def read(name: str, folder: Path = FOLDER) -> Likeness:
    """Read a likeness from its parameter file.

    Parameters
    ----------
    name : str
        The data set that it was fitted to.
    folder : Path
        Folder of the parameter files.

    Returns
    -------
    Likeness

    Raises
    ------
    SourceUnavailableError
        If it was not fitted.
    """
    content = read_yaml(path_of(name, folder))
    planes = {**content["judgments"], **content["metrics"]}
    kinds = list(content["types"])
    return Likeness(
        name=name,
        source=content["source"],
        planes=tuple(planes),
        n_judgments=len(content["judgments"]),
        n_documents=int(content["documents"]),
        marginals=tuple(_marginal(**entry["scale"]) for entry in planes.values()),
        types={
            kind: SystemType(
                int(content["types"][kind]),
                np.array([entry["offset"][k] for entry in planes.values()], float),
                _factors([entry["systems"][k] for entry in planes.values()]),
                _factors([entry["summaries"][k] for entry in planes.values()]),
            )
            for k, kind in enumerate(kinds)
        },
        document=_factors([entry["documents"] for entry in planes.values()]),
        units={int(n): float(share) for n, share in content.get("units", {}).items()},
        copies={metric: Copy(*copy) for metric, copy in content.get("copies", {}).items()},
        scale=content.get("largest", {}),
    )


def _marginal(kind: str, **numbers: float) -> Marginal:
    return Marginal(kind, **{name: float(number) for name, number in numbers.items()})


def _factors(rows: list[list[float]]) -> Factors:
    """Parse rows of loadings, each ending in its unique variance."""
    table = np.array(rows, float)
    return Factors(table[:, :-1], table[:, -1])


def write(likeness: Likeness, folder: Path = FOLDER) -> Path:
    """Write a likeness's parameters to ``NAME.yml``, with four digits each."""
    entries = {}
    for k, (plane, marginal) in enumerate(zip(likeness.planes, likeness.marginals, strict=True)):
        has = vars(marginal)
        scale = {"kind": marginal.kind} | {key: _short(has[key]) for key in ("location", "spread", "bend")}
        scale |= {key: has[key] for key in ("low", "high") if math.isfinite(has[key])}
        scale |= {"step": marginal.step} if marginal.kind == "ratings" else {}
        entries[plane] = {
            "scale": scale,
            "offset": [_short(group.offset[k]) for group in likeness.types.values()],
            "systems": [_row(group.system, k) for group in likeness.types.values()],
            "documents": _row(likeness.document, k),
            "summaries": [_row(group.residual, k) for group in likeness.types.values()],
        }
    content = {
        "source": likeness.source,
        "documents": likeness.n_documents,
        "types": {kind: group.n_systems for kind, group in likeness.types.items()},
        "units": {int(n): round(float(share), 4) for n, share in likeness.units.items()},
        "judgments": {plane: entries[plane] for plane in likeness.judgments},
        "metrics": {plane: entries[plane] for plane in likeness.metrics},
        "copies": {m: [c.of, _short(c.times), _short(c.plus)] for m, c in likeness.copies.items()},
        "largest": {metric: float(value) for metric, value in likeness.scale.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{likeness.name}.yml"
    head = (
        "# Parameters of a simulated benchmark, measured by this project: see metaeval/simulation/model.py.\n"
        "# Written by `metaeval.simulation.model.write`; a row of a covariance is its loadings, then the "
        "unique\n# variance.\n"
    )
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=4096, allow_unicode=True)
    path.write_text(head + text, encoding="utf8")
    return path


def _row(factors: Factors, k: int) -> list[float]:
    # the unique variance is rounded up to a grid of its own and never to below 0
    return [*(_short(value) for value in factors.loadings[k]), _short(factors.unique[k])]


def _short(value: float) -> float:
    return float(f"{float(value):.4g}") + 0.0  # no negative zero


# ----------------------------------------------------------------------------------------------------- draws


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
