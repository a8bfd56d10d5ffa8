"""metrics.scoring: the registry's metrics on texts of any size, in cached pieces, on many cores.

Texts are cut by documents, whose scores depend on nothing else. A piece that was scored before comes from the
user's cache, so that an interrupted run resumes and a rerun costs nothing; the others are spread over
processes or a Dask cluster (`metaeval.core.workers`). Neither pieces nor distribution changes a score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.core.workers import run_parallel
from metaeval.metrics import registry
from metaeval.metrics.cache import code, content_key, load_array, save_array, versions
from metaeval.metrics.embeddings import UnfitModelError
from metaeval.metrics.registry import LABELS, REFERENCE, SOURCE, UNITS, Metric
from metaeval.tables.benchmark import CELL, Texts, with_ids

SUMMARIES = 500  # of a piece: seconds of a slow metric; every score kept is under a key of its whole piece
# errors of the command, not of a text: nothing else can be scored either
_FATAL = (ImportError, OSError, UnfitModelError, UnknownNameError)


def _raise(error: Exception) -> None:
    raise error


def kept_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    jobs: int = 1,
    progress: Callable[[int, int], object] = lambda n, total: None,
    lost: Callable[[Exception], object] = _raise,
    unkept: Callable[[OSError], object] = lambda error: None,
    **options: object,
) -> xr.DataArray:
    """`metaeval.metrics.registry.scores`, from the user's cache where a piece was scored before.

    Parameters
    ----------
    texts : Texts
        A summary that is None or NaN is missing.
    names : of `metaeval.metrics.registry.names`, or short forms
    jobs : int
        Processes, -1 for all cores; without effect where ``DASK_SCHEDULER_ADDRESS`` names a cluster.
    progress : callable
        Called with the number of summaries done and their total, at the start and after each piece.
    lost : callable
        Called with the error of each document that cannot be scored; its scores are NaN, all others are
        there. By default the first is raised.
    unkept : callable
        Called with the error where the cache cannot be written, for each metric of a piece; the scores are
        the same.
    options
        Of the metrics, as `metaeval.metrics.registry.scores` takes them.

    Returns
    -------
    DataArray of float, dims (metric, system, document), metrics in the order of `names`

    Raises
    ------
    UnknownNameError, MissingExtraError, UnfitModelError, OSError
        If a metric or option does not exist, or a package or a model is missing or unusable.
    """
    chosen = [registry.metric(name) for name in names]
    columns = list(dict.fromkeys(one.name for one in chosen))
    texts = Texts(texts.summaries.transpose(*CELL), texts.references, texts.sources)
    n_systems, n_documents = texts.summaries.shape
    places = list(_places(n_systems, n_documents))
    pieces = [_cut(texts, place) for place in places]
    origin = _describe_options(options)
    values = np.full((len(columns), n_systems, n_documents), np.nan)
    keys: list[dict[str, str]] = []  # of each piece: of its metrics that have to be computed
    for place, piece in zip(places, pieces, strict=True):
        read = {needs: _hash_texts(piece, needs) for needs in {one.needs for one in chosen}}
        keys.append({one.name: _key(one, origin, read[one.needs]) for one in chosen})
        for row, name in enumerate(columns):
            stored = load_array(keys[-1][name], piece.summaries.shape, dtype=float)
            if stored is not None:
                values[row][:, place] = stored
                del keys[-1][name]
    open_ = [i for i, absent in enumerate(keys) if absent]
    n_done = texts.summaries.size - sum(pieces[i].summaries.size for i in open_)
    progress(n_done, texts.summaries.size)
    # only where something has to be computed, since it imports the scorers
    by_metric = registry.options_by_metric(columns, options) if open_ else {}
    calls = [
        (pieces[i], [*keys[i]], {k: v for name in keys[i] for k, v in by_metric[name].items()}) for i in open_
    ]
    for call, came, error in run_parallel(_score_piece, calls, jobs=jobs, processes=True):
        i = open_[call]
        if error is None:
            scored, errors = came
            for (name, key), plane in zip(keys[i].items(), scored, strict=True):
                values[columns.index(name)][:, places[i]] = plane
                if not errors:
                    try:
                        save_array(key, plane)
                    except OSError as full:
                        unkept(full)
        elif isinstance(error, _FATAL):
            raise error
        else:  # a worker is gone
            documents = pieces[i].summaries.indexes["document"]
            errors = [DataError(f"document {document}: {error}") for document in documents]
        for one in errors:
            lost(one)
        n_done += pieces[i].summaries.size
        progress(n_done, texts.summaries.size)
    titles = [registry.metric(name).title(options.get("model")) for name in columns]
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
    except _FATAL:
        raise
    except Exception as error:  # of whatever kind: the other documents are scored
        documents = texts.summaries.indexes["document"]
        if len(documents) == 1:
            lost = DataError(f"document {documents[0]}: {str(error) or type(error).__name__}")
            return np.full((len(names), *texts.summaries.shape), np.nan), [lost]
    parts = [_score_piece(_cut(texts, slice(j, j + 1)), names, options) for j in range(len(documents))]
    return np.concatenate([scores for scores, _ in parts], axis=-1), [
        e for _, errors in parts for e in errors
    ]


def _key(metric: Metric, origin: str, texts: str) -> str:
    """Key of everything that the metric's scores of a piece depend on."""
    return content_key([metric.name, metric.scorer, code(), versions(metric.extra), origin, texts])


def _hash_texts(piece: Texts, needs: Collection[str]) -> str:
    """Hash of the texts that a metric with these needs reads; with ids only where it uses them."""
    systems, documents = (piece.summaries.indexes[dim].tolist() for dim in CELL)
    read: list[object] = [piece.summaries.to_numpy().tolist()]
    if REFERENCE in needs:
        read.append([piece.references.get(document, ()) for document in documents])
    if SOURCE in needs:
        read.append([piece.sources.get(document) for document in documents])
    if {UNITS, LABELS} & set(needs):  # people's units and labels are looked up by ids
        read.append([systems, documents])
    return content_key([json.dumps(read, default=repr)])


def _describe_options(options: Mapping[str, object]) -> str:
    """Options as a text, with size and time of files and of a model folder's files."""
    lines = [json.dumps(options, sort_keys=True, default=repr)]
    for path in (Path(value) for value in options.values() if isinstance(value, str | Path)):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        stats = {file: file.stat() for file in files if file.is_file()}
        lines += [f"{file} {stat.st_size} {stat.st_mtime_ns}" for file, stat in stats.items()]
    return "\n".join(lines)
