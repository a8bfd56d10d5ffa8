"""tables.benchmark: scores of metrics and of people for the same summaries, the input of every analysis.

A `Benchmark` holds labelled arrays. Rows are systems, columns are documents; a cell is one summary. A missing
score is NaN. `metaeval.datasets` reads files; nothing here computes statistics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError, listing
from metaeval.core.limits import check_list
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.ties import double, system_means

CELL = ("system", "document")


@dataclass(frozen=True)
class Provenance:
    """Source of a benchmark: the files it was read from and the terms they are published under."""

    files: tuple[str, ...]  # "OWNER/REPO@COMMIT:PATH"
    licence: str
    citation: tuple[str, ...]  # keys of book/references.bib
    notes: tuple[str, ...] = ()  # changes and findings of the reader that the release does not mention
    missing: tuple[str, ...] = ()  # pinned files with further data that are not available
    simulated: bool = False  # drawn from a model of this project, not released


@dataclass(frozen=True, eq=False)  # compared by identity, so that results can be cached by object
class Texts:
    """Texts of the cells, in memory only.

    Attributes
    ----------
    summaries : DataArray of str, dims (system, document)
    references : mapping, document -> tuple of reference summaries
    sources : mapping, document -> source text; empty where the release has none
    """

    summaries: xr.DataArray
    references: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if not isinstance(self.summaries, xr.DataArray) or set(self.summaries.dims) != set(CELL):
            raise DataError(
                f"`summaries` must be a DataArray with dims {CELL}, got {type(self.summaries).__name__}; of "
                "a DataFrame with a row per system: xr.DataArray(frame, dims=('system', 'document'))"
            )
        bare = [document for document, references in self.references.items() if isinstance(references, str)]
        if bare:
            raise DataError(
                f"references are tuples of texts, and a text alone would be read letter by letter: "
                f"{listing(bare)}; write (text,)"
            )


@dataclass(frozen=True)
class PyramidUnits:
    """Content units and their presence.

    Attributes
    ----------
    scus : mapping, document -> its Summary Content Units, written by people
    stus : mapping, document -> its Semantic Triplet Units, extracted by machine
    mixed : mapping, document -> the release's half SCUs, half STUs, chosen by its regressor
    labels : mapping, (system, document) -> array of 0 and 1, one per SCU: 1 if the summary has it
    """

    scus: Mapping[str, tuple[str, ...]]
    stus: Mapping[str, tuple[str, ...]]
    mixed: Mapping[str, tuple[str, ...]]
    labels: Mapping[tuple[str, str], np.ndarray]


@dataclass(frozen=True)
class Benchmark:
    """Scores of automatic metrics and of people for the same systems and documents.

    Attributes
    ----------
    name, title : str
    scores : DataArray of float, dims (metric, system, document); higher is better, NaN where missing
    humans : DataArray of float, dims (judgment, system, document); the first judgment is the gold standard
    system_type : mapping, system -> "abs", "ext", "reference" or "unknown"
    provenance : Provenance
    texts : Texts, or None where the release carries none
    scale : mapping, metric -> float
        The metric's own largest value (100 for ROUGE in points, 1 for shares), where it is known.
    listed : tuple of systems, in the order in which the release lists them; empty where that says nothing
    ratings : mapping, judgment -> DataArray of float, dims (rater, system, document)
        Scores of each rater, NaN where a rater did not judge; without judgments of which only the mean is
        released.
    """

    name: str
    title: str
    scores: xr.DataArray
    humans: xr.DataArray
    system_type: Mapping[str, str]
    provenance: Provenance
    texts: Texts | None = None
    scale: Mapping[str, float] = field(default_factory=dict)
    listed: tuple[str, ...] = ()
    ratings: Mapping[str, xr.DataArray] = field(default_factory=dict)

    def __post_init__(self):
        for label, leading in (("humans", "judgment"), ("scores", "metric")):
            array = getattr(self, label)
            if array.dtype != float:  # before joining or summing: see `metaeval.stats.ties.double`
                array = array.copy(data=double(label, array.to_numpy()))
                object.__setattr__(self, label, array)
            self._check_array(array, leading, f"`{label}`")
        for judgment, rated in self.ratings.items():
            self.judgment(judgment)
            self._check_array(rated, "rater", f"the ratings of {judgment!r}")
        untyped = set(self.systems) - set(self.system_type)
        if untyped:
            raise DataError(f"{self.name}: no system type for {listing(untyped)}")

    def _check_array(self, array: xr.DataArray, leading: str, label: str) -> None:
        """Raise unless an array holds floats, has unique ids, and lists the summaries as `humans` does."""
        name, dims = f"{self.name}: {label}", (leading, *CELL)
        if array.dims != dims or array.dtype != float:
            raise DataError(f"{name} must be floats with dims {dims}, got {array.dtype} {array.dims}")
        require_unique_ids(array, name)
        for dim in CELL:
            require_same_labels(self.humans, array, dim, names=("humans", label.strip("`")))
            if not array.indexes[dim].equals(self.humans.indexes[dim]):
                raise DataError(f"{name} and `humans` list their {dim}s in different orders")

    @property
    def systems(self) -> list[str]:
        return self.scores.indexes["system"].tolist()

    @property
    def documents(self) -> list[str]:
        return self.scores.indexes["document"].tolist()

    @property
    def metrics(self) -> list[str]:
        return self.scores.indexes["metric"].tolist()

    @property
    def judgments(self) -> list[str]:
        return self.humans.indexes["judgment"].tolist()

    @property
    def human(self) -> xr.DataArray:
        """The gold standard: the first judgment, dims (system, document).

        Raises
        ------
        SourceUnavailableError
            If the release's judgments could not be obtained.
        """
        if not self.judgments:
            needed = ", ".join(self.provenance.missing) or "a file with human judgments"
            raise SourceUnavailableError(f"{self.name} has no human judgments here: needs {needed}")
        return self.humans[0]

    def require_texts(self) -> Texts:
        """The texts.

        Raises
        ------
        DataError
            If there are none.
        """
        if self.texts is None:
            raise DataError(f"{self.name} has no texts, only scores")
        return self.texts

    def metric(self, name: str) -> xr.DataArray:
        """One metric's scores, dims (system, document)."""
        if name not in self.scores.indexes["metric"]:
            raise UnknownNameError(f"metric of {self.name}", name, self.metrics)
        return self.scores.sel(metric=name)

    def judgment(self, name: str) -> xr.DataArray:
        """One human judgment, dims (system, document)."""
        if name not in self.humans.indexes["judgment"]:
            raise UnknownNameError(f"judgment of {self.name}", name, self.judgments)
        return self.humans.sel(judgment=name)

    def rated(self, judgment: str) -> xr.DataArray:
        """Scores of each rater in one judgment, dims (rater, system, document); NaN where one did not judge.

        Raises
        ------
        UnknownNameError
            If there is no such judgment, or only its mean was released.
        """
        self.judgment(judgment)
        if judgment not in self.ratings:
            raise UnknownNameError(f"judgment of {self.name} with single raters", judgment, self.ratings)
        return self.ratings[judgment]

    def raters(self, judgment: str) -> list[str]:
        """Ids of the raters, from the release or invented; see `rated`."""
        return self.rated(judgment).indexes["rater"].tolist()

    def judges(self, judgment: str) -> list[str]:
        """Judges whose scores in one judgment are a metric, see `judge_of`; often none."""
        self.judgment(judgment)
        end = judge_of("", judgment)
        return [metric.removesuffix(end) for metric in self.metrics if metric.endswith(end)]

    def with_scores(self, scores: xr.DataArray, *, scale: Mapping[str, float] | None = None) -> Benchmark:
        """The same benchmark with other metrics in place of its own, aligned by id.

        Parameters
        ----------
        scores : DataArray, dims (metric, system, document)
            Must cover the benchmark's systems and documents.
        """
        for dim in CELL:
            require_same_labels(scores, self.humans, dim, names=("scores", self.name))
        ordered = scores.sel({dim: self.humans.indexes[dim] for dim in CELL})
        return replace(self, scores=ordered, scale=dict(scale or {}))

    def select(
        self,
        *,
        metrics: Sequence[str] | None = None,
        systems: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        system_type: str | None = None,
    ) -> Benchmark:
        """The benchmark restricted to some of its labels, in the order given; unknown labels are an error.

        `system_type` keeps the systems of one type; ``"mix"`` keeps abstractive and extractive ones, as the
        papers do.
        """
        scores, humans, ratings = self.scores, self.humans, dict(self.ratings)
        if system_type is not None:
            types = ("abs", "ext") if system_type == "mix" else (system_type,)
            systems = [s for s in (systems or self.systems) if self.system_type.get(s) in types]
            if not systems:
                types = {*self.system_type.values(), "mix"}
                raise UnknownNameError(f"system type of {self.name}", system_type, types)
        for dim, labels in {"metric": metrics, "system": systems, "document": documents}.items():
            if labels is None:
                continue
            check_list(f"{dim}s", labels)
            for label in labels:
                if label not in scores.indexes[dim]:
                    raise UnknownNameError(f"{dim} of {self.name}", label, scores.indexes[dim].astype(str))
            chosen = {dim: list(labels)}
            scores = scores.sel(chosen)
            if dim != "metric":
                humans = humans.sel(chosen)
                ratings = {name: rated.sel(chosen) for name, rated in ratings.items()}
        types = {s: self.system_type[s] for s in scores.indexes["system"]}
        return replace(self, scores=scores, humans=humans, system_type=types, ratings=ratings)

    def as_listed(self) -> Benchmark:
        """The benchmark with its systems in the order of the release, if known: the order of a pair."""
        place = {system: i for i, system in enumerate(self.listed)}
        order = sorted(self.systems, key=lambda system: place.get(system, len(place)))
        return self if order == self.systems else self.select(systems=order)

    def group(self, name: str) -> Benchmark:
        """The systems of a group: a system type, ``"mix"`` (abstractive and extractive) or ``"all"``."""
        return self if name == "all" else self.select(system_type=name)

    def judged(self) -> Benchmark:
        """The benchmark restricted to documents with at least one judged summary.

        Raises
        ------
        DataError
            If nobody judged any.
        """
        is_judged = self.human.notnull().any("system").to_numpy()
        if not is_judged.any():
            raise DataError(f"{self.name}: nobody judged any document")
        return self.select(documents=[d for d, keep in zip(self.documents, is_judged, strict=True) if keep])

    def judged_by(self, judgment: str) -> Benchmark:
        """The benchmark with one of its judgments as the only one, which makes it the gold standard."""
        self.judgment(judgment)
        ratings = {judgment: self.ratings[judgment]} if judgment in self.ratings else {}
        return replace(self, humans=self.humans.sel(judgment=[judgment]), ratings=ratings)

    def with_rater(self, judgment: str, rater: str) -> Benchmark:
        """A benchmark with one rater as its only metric and the mean of the others as gold standard.

        Raises
        ------
        UnknownNameError
            If there is no such judgment or rater, or single raters were not released.
        ValueError
            If there is no other rater.
        """
        rated = self.rated(judgment)
        if rater not in self.raters(judgment):
            raise UnknownNameError(f"rater of {self.name}, {judgment}", rater, self.raters(judgment))
        others = rated.drop_sel(rater=rater)
        if not others.sizes["rater"]:
            raise ValueError(f"no rater of {self.name}, {judgment} remains: at least one is required")
        humans = others.mean("rater").expand_dims(judgment=pd.Index([judgment], dtype=object))
        beside = replace(self.judged_by(judgment), humans=humans, ratings={judgment: others})
        return beside.with_scores(rated.sel(rater=[rater]).rename(rater="metric"))

    def parts(
        self, *, groups: Sequence[str] = ("all",), ks: Sequence[int | None] | None = (None,)
    ) -> Iterator[Part]:
        """Benchmarks of each group of systems and its *k* best systems, with their keys in a table.

        Parameters
        ----------
        groups : see `group`
        ks : numbers of systems; None in it keeps all of the group, and then there is no key ``k``
            A `k` larger than a group is skipped for that group; one that fits no group is an error. None:
            from 4 to all systems of each group (all of three systems).

        Raises
        ------
        UnknownNameError
            For a group without systems.
        ValueError
            If `groups` is empty, or a `k` is below 3 or fits no group.
        """
        if not groups:
            raise ValueError("`groups` is empty: name at least one, such as 'all'")
        by_group = {name: self.group(name) for name in groups}
        largest = max(len(part.systems) for part in by_group.values())
        for k in ks or ():
            if k is not None and not MIN_SYSTEMS <= k <= largest:
                raise ValueError(
                    f"`k` must be from {MIN_SYSTEMS} to the number of systems of the largest group "
                    f"({largest}), got {k}"
                )
        for name, part in by_group.items():
            keys = {"dataset": self.name, "group": name}
            n_systems = len(part.systems)
            ranked = None
            for k in range(min(MIN_SYSTEMS + 1, n_systems), n_systems + 1) if ks is None else ks:
                if k is None:
                    yield Part(keys, part)
                elif k <= n_systems:
                    ranked = ranked or best_systems(part.human, n_systems)
                    yield Part({**keys, "k": k}, part.select(systems=ranked[:k]))


def judge_of(judge: str, judgment: str) -> str:
    """Name of the metric that holds a judge's scores in one of people's judgments.

    Examples
    --------
    >>> judge_of("gpt-4o", "fluency")
    'gpt-4o (fluency)'
    """
    return f"{judge} ({judgment})"


def best_systems(human: xr.DataArray, k: int) -> list[str]:
    """The `k` systems with the highest mean human score, best first (Bhandari et al. 2020, Eq. 3).

    Parameters
    ----------
    human : DataArray, dims (system, document)
    k : int, from 3 to the number of systems

    Returns
    -------
    list of str
        Ties are broken by id, so that the choice does not depend on the order of the rows.

    Raises
    ------
    ValueError
        If `k` is out of range.
    """
    systems = human.indexes["system"].tolist()
    if not MIN_SYSTEMS <= k <= len(systems):
        raise ValueError(f"`k` must be from {MIN_SYSTEMS} to the number of systems ({len(systems)}), got {k}")
    means = system_means(human.transpose(*CELL).to_numpy())
    order = sorted(range(len(systems)), key=lambda i: (-np.nan_to_num(means[i], nan=-np.inf), systems[i]))
    return [systems[i] for i in order[:k]]


@dataclass(frozen=True)
class Part:
    """A part of a benchmark, and the keys that name it in a table, such as data set, group and *k*."""

    keys: Mapping[str, object]
    benchmark: Benchmark


def aligned(*, shared: tuple[str, ...] = CELL, **arrays: xr.DataArray) -> list[np.ndarray]:
    """Plain arrays over the same summaries, from labelled arrays, in the order of the first one's ids.

    Parameters
    ----------
    shared : dims along which the arrays must have the same ids; along the others each keeps its own
    arrays : DataArrays by the name of the argument; dims (system, document), of the first also
        (..., system, document)

    Returns
    -------
    list of float arrays (..., n_systems, n_documents), in the order given

    Raises
    ------
    DataError
        If dims or ids differ, ids repeat, or an array holds an infinite score.
    TypeError
        If one is not a DataArray.
    """
    names = list(arrays)
    first = arrays[names[0]]
    out = []
    for name, array in arrays.items():
        if not isinstance(array, xr.DataArray):
            raise TypeError(f"`{name}` must be a DataArray with dims {CELL}, got {type(array).__name__}")
        leading = array.ndim - len(CELL) if name == names[0] else 0
        if array.dims[leading:] != CELL or array.ndim < len(CELL):
            raise DataError(f"`{name}` must have dims {CELL}, got {array.dims}")
        require_unique_ids(array, f"`{name}`")
        for dim in shared:
            require_same_labels(first, array, dim, names=(names[0], name))
        out.append(double(name, array.sel({dim: first.indexes[dim] for dim in shared}).to_numpy()))
    return out


def require_unique_ids(array: xr.DataArray, label: str) -> None:
    """Raise unless ids of systems, documents and raters are unique; `label` begins the message."""
    for dim in (dim for dim in (*CELL, "rater") if dim in array.indexes):
        ids = array.indexes[dim]
        if ids.has_duplicates:
            raise DataError(f"{label} names a {dim} twice: {listing(ids[ids.duplicated()].unique())}")


def require_same_labels(a: xr.DataArray, b: xr.DataArray, dim: str, *, names: tuple[str, str]) -> None:
    """Raise unless two arrays have the same set of labels along `dim`; the message names the others."""
    first_labels, second_labels = set(a.indexes[dim]), set(b.indexes[dim])
    if first_labels == second_labels:
        return
    parts = [
        f"missing from `{name}`: {listing(absent)} ({len(absent)} of {len(first_labels | second_labels)})"
        for name, absent in (
            (names[0], second_labels - first_labels),
            (names[1], first_labels - second_labels),
        )
        if absent
    ]
    raise DataError(f"`{names[0]}` and `{names[1]}` must cover the same {dim}s; {'; '.join(parts)}")


def read_only(values: np.ndarray) -> np.ndarray:
    """The array itself, made read-only so that it can be shared."""
    values.setflags(write=False)
    return values


def cells_to_array(
    cells: Mapping[str, Mapping[tuple[str, str], float]],
    *,
    leading: str,
    systems: Sequence[str],
    documents: Sequence[str],
) -> xr.DataArray:
    """Dictionaries name -> {(system, document): score} as one array (`leading`, system, document).

    Missing cells are NaN; cells outside `systems` x `documents` are an error.
    """
    row = {s: i for i, s in enumerate(systems)}
    column = {d: j for j, d in enumerate(documents)}
    values = np.full((len(cells), len(systems), len(documents)), np.nan)
    for plane, (name, scores) in zip(values, cells.items(), strict=True):
        outside = [f"{s}/{d}" for s, d in scores if s not in row or d not in column]
        if outside:
            raise DataError(f"{leading} {name!r} scores summaries that do not exist: {listing(outside)}")
        for (system, document), score in scores.items():
            plane[row[system], column[document]] = score
    return with_ids(values, **{leading: cells}, system=systems, document=documents)


def with_ids(values: np.ndarray, **ids: Iterable[str]) -> xr.DataArray:
    """An array with the names of its dims and the ids along each, in the order of its axes."""
    return xr.DataArray(
        values, {dim: pd.Index(list(names), dtype=object) for dim, names in ids.items()}, [*ids]
    )
