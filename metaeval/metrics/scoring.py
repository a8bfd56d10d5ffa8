"""metrics.scoring: the metrics of the registry on texts of any size: in pieces that are kept, on many cores.

Texts are cut by documents, whose scores depend on nothing else. A piece that was scored before comes from the
user's cache, so that a run that was stopped goes on and a rerun costs nothing; the others are spread over
processes or a Dask cluster (`metaeval.core.workers`). How they are cut and spread changes no score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.core.workers import finished
from metaeval.metrics import registry
from metaeval.metrics.cache import code, content_key, keep, kept, versions
from metaeval.metrics.embeddings import UnfitModelError
from metaeval.metrics.registry import LABELS, REFERENCE, SOURCE, UNITS, Metric
from metaeval.tables.benchmark import CELL, Texts, with_ids

SUMMARIES = 500  # of a piece: seconds of a slow metric; every score kept is under a key of its whole piece
# what is wrong with the command, not with a text: nothing else can be scored either
_OF_ALL = (ImportError, OSError, UnfitModelError, UnknownNameError)


def _raise(error: Exception) -> None:
    raise error


def kept_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    jobs: int = 1,
    told: Callable[[int, int], object] = lambda done, total: None,
    lost: Callable[[Exception], object] = _raise,
    unkept: Callable[[OSError], object] = lambda error: None,
    **options: object,
) -> xr.DataArray:
    """`metaeval.metrics.registry.scores`, from the user's cache where a piece of the texts was scored before.

    Parameters
    ----------
    texts : Texts
        A summary that is None or NaN is missing.
    names : of `metaeval.metrics.registry.names`, or short forms
    jobs : int
        Processes, -1 for all cores; without effect where ``DASK_SCHEDULER_ADDRESS`` names a cluster.
    told : callable
        Called with how many summaries are done, of how many: at the start, and after each piece.
    lost : callable
        Called with the error of each document that cannot be scored; its scores are NaN, all others are
        there. By default the first is raised.
    unkept : callable
        Called with why the cache cannot be written, for each metric of a piece; the scores are the same.
    options
        Of the metrics, as `metaeval.metrics.registry.scores` takes them.

    Returns
    -------
    DataArray of float, dims (metric, system, document), metrics in the order asked for

    Raises
    ------
    UnknownNameError, MissingExtraError, UnfitModelError, OSError
        If a metric or option does not exist, or a package or a model is not there or of no use.
    """
    chosen = [registry.metric(name) for name in names]
    asked = list(dict.fromkeys(one.name for one in chosen))
    texts = Texts(texts.summaries.transpose(*CELL), texts.references, texts.sources)
    n_systems, n_documents = texts.summaries.shape
    places = list(_places(n_systems, n_documents))
    pieces = [_cut(texts, place) for place in places]
    origin = _of_options(options)
    values = np.full((len(asked), n_systems, n_documents), np.nan)
    open_: list[tuple[int, list[str], list[str]]] = []  # piece, names of its metrics to be computed, keys
    n_done = 0
    for i, (place, piece) in enumerate(zip(places, pieces, strict=True)):
        read = {needs: _of_texts(piece, needs) for needs in {one.needs for one in chosen}}
        keys = {one.name: _key(one, origin, read[one.needs]) for one in chosen}
        found = {name: kept(key, piece.summaries.shape, dtype=float) for name, key in keys.items()}
        for row, name in enumerate(asked):
            if found[name] is not None:
                values[row][:, place] = found[name]
        wanted = [name for name in asked if found[name] is None]
        if wanted:
            open_.append((i, wanted, [keys[name] for name in wanted]))
        else:
            n_done += piece.summaries.size
    told(n_done, texts.summaries.size)
    # asked where something is to be computed: it imports what computes it
    given = registry.options_by_metric(asked, options) if open_ else {}
    calls = [
        (pieces[i], wanted, {option: value for name in wanted for option, value in given[name].items()})
        for i, wanted, _ in open_
    ]
    for call, came, error in finished(_score_piece, calls, jobs=jobs, processes=True):
        i, wanted, keys = open_[call]
        if error is None:
            scored, errors = came
            for name, key, plane in zip(wanted, keys, scored, strict=True):
                values[asked.index(name)][:, places[i]] = plane
                if not errors:
                    try:
                        keep(key, plane)
                    except OSError as full:
                        unkept(full)
        elif isinstance(error, _OF_ALL):
            raise error
        else:  # a worker is gone
            documents = pieces[i].summaries.indexes["document"]
            errors = [DataError(f"document {document}: {error}") for document in documents]
        for one in errors:
            lost(one)
        n_done += pieces[i].summaries.size
        told(n_done, texts.summaries.size)
    titles = [registry.metric(name).title(options.get("model")) for name in asked]
    return with_ids(values, metric=titles, **{dim: texts.summaries.indexes[dim] for dim in CELL})


def _places(n_systems: int, n_documents: int) -> Iterator[slice]:
    step = max(1, SUMMARIES // max(1, n_systems))
    return (slice(start, start + step) for start in range(0, n_documents, step))


def _cut(texts: Texts, place: slice) -> Texts:
    summaries = texts.summaries.isel(document=place)
    documents = summaries.indexes["document"]
    return Texts(
        summaries,
        {document: texts.references[document] for document in documents if document in texts.references},
        {document: texts.sources[document] for document in documents if document in texts.sources},
    )


def _score_piece(
    texts: Texts, names: Sequence[str], options: Mapping[str, object]
) -> tuple[np.ndarray, list[DataError]]:
    """Scores (metric, system, document), and an error for each document that has none."""
    try:
        return registry.scores(texts, names, **options).to_numpy(), []
    except _OF_ALL:
        raise
    except Exception as error:  # of whatever kind: the other documents are scored
        if texts.summaries.sizes["document"] == 1:
            document = texts.summaries.indexes["document"][0]
            said = str(error) or type(error).__name__
            return np.full((len(names), *texts.summaries.shape), np.nan), [
                DataError(f"document {document}: {said}")
            ]
    parts = [
        _score_piece(_cut(texts, slice(j, j + 1)), names, options)
        for j in range(texts.summaries.sizes["document"])
    ]
    return np.concatenate([scores for scores, _ in parts], axis=-1), [
        e for _, errors in parts for e in errors
    ]


def _key(metric: Metric, origin: str, texts: str) -> str:
    """Of all that the metric's scores of a piece depend on."""
    return content_key([metric.name, code(), versions(metric.extra), origin, texts])


def _of_texts(piece: Texts, needs: Collection[str]) -> str:
    """The hash of what a metric of these needs reads of a piece; names only where it goes by them."""
    by_id = {UNITS, LABELS} & set(needs)  # people's units and labels are found by names
    parts = [str(piece.summaries.shape)]
    for j, document in enumerate(piece.summaries.indexes["document"]):
        if REFERENCE in needs:
            references = piece.references.get(document, ())
            parts += [str(len(references)), *map(_marked, references)]
        if by_id:
            parts += [document, *piece.summaries.indexes["system"]]
        if SOURCE in needs:
            parts.append(_marked(piece.sources.get(document)))
        parts += map(_marked, piece.summaries.to_numpy()[:, j])
    return content_key(parts)


def _marked(text: object) -> str:
    """A text apart from what is none."""
    return f"={text}" if isinstance(text, str) else repr(text)


def _of_options(options: Mapping[str, object]) -> str:
    """Options as a text; of a file, or of a model's folder, also which files these are."""
    said = [json.dumps(options, sort_keys=True, default=repr)]
    for path in (Path(value) for value in options.values() if isinstance(value, str | Path)):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        stats = {file: file.stat() for file in files if file.is_file()}
        said += [f"{file} {stat.st_size} {stat.st_mtime_ns}" for file, stat in stats.items()]
    return "\n".join(said)
