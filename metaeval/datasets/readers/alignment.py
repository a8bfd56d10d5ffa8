"""readers.alignment: benchmarks of different releases joined by content and by id, never by position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    keys = pd.Series({d: normalised(references[d][0]) for d in benchmark.documents})
    ambiguous = keys.index[keys.duplicated(keep=False)]
    if len(ambiguous):
        raise DataError(f"{benchmark.name}: documents with the same reference: {listing(ambiguous)}")
    return {key: document for document, key in keys.items()}


def join_metrics(
    base: Benchmark, other: Benchmark, *, document_map: Mapping[str, str], metrics: Sequence[str]
) -> Benchmark:
    """`base` with metrics of `other` for the same summaries, NaN where `other` does not have one.

    Parameters
    ----------
    base, other : Benchmark
        With the same system ids.
    document_map : mapping, document of `base` -> document of `other`
        As from `match_documents`.
    metrics : names of metrics of `other`, none of them a metric of `base`

    Returns
    -------
    Benchmark
        `base`'s systems, documents, judgments and texts; its metrics, then `other`'s. Systems and
        documents that only `other` has are left out.
    """
    added = other.select(metrics=list(metrics))
    targets = pd.Index([document_map.get(document) for document in base.documents], dtype=object)
    aligned = added.scores.reindex(system=base.systems, document=targets)
    aligned = aligned.assign_coords({dim: base.scores.indexes[dim] for dim in CELL})
    scores = xr.concat([base.scores, aligned], "metric")
    scores.data.setflags(write=False)
    ours, theirs = base.provenance, other.provenance
    both = {
        name: tuple(dict.fromkeys((*getattr(ours, name), *getattr(theirs, name))))
        for name in ("files", "citation", "notes", "missing")
    }
    provenance = replace(ours, licence="; ".join(dict.fromkeys((ours.licence, theirs.licence))), **both)
    scale = base.scale | {name: largest for name, largest in other.scale.items() if name in added.metrics}
    return replace(base, scores=scores, provenance=provenance, scale=scale)
