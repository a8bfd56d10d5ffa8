"""readers.alignment: benchmarks of different releases joined by content and by id, never by position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, listing
from metaeval.tables.benchmark import CELL, Benchmark

# Sentence tags, and the names that the Penn Treebank's tokenizer gives to brackets.
_TOKENS = re.compile(r"</?t>|-[lr][rsc]b-")
_MARKS = re.compile(r"[\W_]+")


def normalised(reference: str) -> str:
    """A text in lower case without tags, punctuation and spaces, which differ between releases."""
    return _MARKS.sub("", _TOKENS.sub(" ", reference.lower()))


def match_documents(a: Benchmark, b: Benchmark) -> dict[str, str]:
    """Match the documents of `a` with those of `b` by their first reference summaries.

    Parameters
    ----------
    a, b : Benchmark
        With texts. `b` may have more documents than `a`.

    Returns
    -------
    dict
        Document of `a` -> document of `b`, in `a`'s order; no two have the same value.

    Raises
    ------
    DataError
        If a benchmark has no texts, two documents of one have the same reference, or a document of
        `a` has no counterpart.
    """
    keys_a, keys_b = (_by_reference(benchmark) for benchmark in (a, b))
    unmatched = [document for key, document in keys_a.items() if key not in keys_b]
    if unmatched:
        raise DataError(
            f"{len(unmatched)} of {len(keys_a)} documents of {a.name} have no document with the"
            f" same reference in {b.name}: {listing(unmatched)}"
        )
    return {document: keys_b[key] for key, document in keys_a.items()}


def _by_reference(benchmark: Benchmark) -> dict[str, str]:
    references = benchmark.require_texts().references
    without = [d for d in benchmark.documents if not references.get(d)]
    if without:
        raise DataError(f"{benchmark.name}: documents without a reference: {listing(without)}")
    by_key: dict[str, list[str]] = {}
    for document in benchmark.documents:
        key = normalised(references[document][0])
        by_key.setdefault(key, []).append(document)
    ambiguous = [document for documents in by_key.values() if len(documents) > 1 for document in documents]
    if ambiguous:
        raise DataError(f"{benchmark.name}: documents with the same reference: {listing(ambiguous)}")
    empty = by_key.get("")
    if empty:
        raise DataError(f"{benchmark.name}: a reference without letters or digits: {listing(empty)}")
    return {key: documents[0] for key, documents in by_key.items()}


def join_metrics(
    base: Benchmark,
    other: Benchmark,
    *,
    document_map: Mapping[str, str] | None = None,
    metrics: Iterable[str] | None = None,
    allow_missing: bool = False,
) -> Benchmark:
    """`base` with the metrics of `other` for the same summaries.

    Parameters
    ----------
    base, other : Benchmark
        With the same system ids.
    document_map : mapping, document of `base` -> document of `other`, optional
        As from `match_documents`; without it the ids are the same.
    metrics : names, optional
        Metrics to take from `other`, by default all.
    allow_missing : bool
        Give NaN to summaries that `other` does not have; otherwise they are an error.

    Returns
    -------
    Benchmark
        `base`'s systems, documents, judgments and texts; its metrics, then `other`'s. Systems and
        documents that only `other` has are left out.

    Raises
    ------
    DataError
        If `base` and `other` have a metric of the same name, or systems or documents are missing
        from `other` and `allow_missing` is false, or `document_map` is not one to one.
    """
    added = other if metrics is None else other.select(metrics=list(metrics))
    clashes = set(base.metrics) & set(added.metrics)
    if clashes:
        raise DataError(
            f"{base.name} and {other.name} share metrics: {listing(clashes)}; choose among "
            f"{other.name}'s with `metrics`"
        )
    mapping = {d: d for d in base.documents} if document_map is None else dict(document_map)
    targets = [mapping.get(document) for document in base.documents]
    twice = {t for t in targets if t is not None and targets.count(t) > 1}
    if twice:
        raise DataError(f"`document_map` names documents of {other.name} more than once: {listing(twice)}")
    gaps = {
        "systems": [s for s in base.systems if s not in added.scores.indexes["system"]],
        "documents": [d for d in base.documents if mapping.get(d) not in added.scores.indexes["document"]],
    }
    if any(gaps.values()) and not allow_missing:
        total = {"systems": len(base.systems), "documents": len(base.documents)}
        parts = [f"{kind} {listing(ids)} ({len(ids)} of {total[kind]})" for kind, ids in gaps.items() if ids]
        raise DataError(
            f"{other.name} lacks {' and '.join(parts)} of {base.name}; pass allow_missing=True to"
            " have NaN there"
        )
    aligned = added.scores.reindex(system=base.systems, document=pd.Index(targets, dtype=object))
    aligned = aligned.assign_coords({dim: base.scores.indexes[dim] for dim in CELL})
    scores = xr.concat([base.scores, aligned], "metric")
    scores.data.setflags(write=False)
    ours, theirs = base.provenance, other.provenance
    both = {
        name: tuple(dict.fromkeys((*getattr(ours, name), *getattr(theirs, name))))
        for name in ("files", "citation", "notes", "missing")
    }
    provenance = replace(ours, licence="; ".join(dict.fromkeys((ours.licence, theirs.licence))), **both)
    scale = {**base.scale, **{m: largest for m, largest in other.scale.items() if m in added.metrics}}
    return replace(base, scores=scores, provenance=provenance, scale=scale)
