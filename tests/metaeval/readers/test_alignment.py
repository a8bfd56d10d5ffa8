"""Documents are matched by what their references say, metrics joined by ids."""

import math
from dataclasses import replace

import pandas as pd
import pytest
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.datasets.readers.alignment import join_metrics, match_documents, normalised
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, cells_to_array


def benchmark(name, metrics, references, *, systems=("s", "t"), start=0):
    """Score of system i, document j of metric k: start + 100 k + 10 i + j."""
    documents = list(references)
    scores = {
        metric: {
            (s, d): float(start + 100 * k + 10 * i + j)
            for i, s in enumerate(systems)
            for j, d in enumerate(documents)
        }
        for k, metric in enumerate(metrics)
    }
    grid = {"systems": list(systems), "documents": documents}
    summaries = xr.DataArray(
        [[f"{s} on {d}" for d in documents] for s in systems],
        dims=("system", "document"),
        coords={"system": pd.Index(systems), "document": pd.Index(documents)},
    )
    return Benchmark(
        name=name,
        title=name,
        scores=cells_to_array(scores, leading="metric", **grid),
        humans=cells_to_array({"human": {}}, leading="judgment", **grid),
        system_type=dict.fromkeys(systems, "abs"),
        provenance=Provenance((f"{name}.pkl",), f"{name}'s terms", (name,)),
        texts=Texts(summaries, {d: (reference,) for d, reference in references.items()}),
        scale=dict.fromkeys(metrics, 1.0),
    )


BASE = benchmark("base", ["A"], {"1": "<t> It was cold . </t>", "2": "<t> It was warm . </t>"})
OTHER = benchmark(
    "other",
    ["B", "C"],
    {"cnndm7": "It rained.", "cnndm8": "It was WARM!", "cnndm9": "it was cold"},
    systems=("t", "u", "s"),
    start=1000,
)


@pytest.mark.parametrize(
    ("reference", "key"),
    [
        ("<t> The U.S. won 2-1 . </t> <t> Again . </t>", "theuswon21again"),
        ("Café_au lait", "caféaulait"),
        ("a < t > b", "atb"),
        ("Sam -LRB- 3 -rrb- ran <T> off", "sam3ranoff"),
    ],
)
def test_normalised(reference, key):
    assert normalised(reference) == key


def test_documents_are_matched_by_content():
    assert match_documents(BASE, OTHER) == {"1": "cnndm9", "2": "cnndm8"}


def strip_texts(benchmark):
    return replace(benchmark, texts=None)


def with_references(benchmark, references):
    return replace(benchmark, texts=replace(benchmark.texts, references=references))


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (OTHER, BASE, r"1 of 3 documents of other have no document .* in base: 'cnndm7'"),
        (strip_texts(BASE), OTHER, "base has no texts"),
        (BASE, strip_texts(OTHER), "other has no texts"),
        (
            with_references(BASE, {"1": ("Same.",), "2": ("same",)}),
            OTHER,
            r"base: documents with the same reference: '1' and '2'",
        ),
    ],
)
def test_documents_that_cannot_be_matched(a, b, text):
    with pytest.raises(DataError, match=text):
        match_documents(a, b)


def test_metrics_are_joined_by_ids():
    joined = join_metrics(BASE, OTHER, document_map=match_documents(BASE, OTHER), metrics=["B", "C"])
    assert joined.metrics == ["A", "B", "C"]
    assert joined.systems == BASE.systems
    assert joined.documents == BASE.documents
    assert joined.metric("A").values.tolist() == [[0.0, 1.0], [10.0, 11.0]]
    # other's rows are t, u, s and its columns 7, 8, 9; base wants s, t and 9, 8
    assert joined.metric("B").values.tolist() == [[1022.0, 1021.0], [1002.0, 1001.0]]
    assert joined.metric("C").values.tolist() == [[1122.0, 1121.0], [1102.0, 1101.0]]
    assert joined.texts is BASE.texts
    assert joined.scale == {"A": 1.0, "B": 1.0, "C": 1.0}
    assert joined.provenance.files == ("base.pkl", "other.pkl")
    assert joined.provenance.licence == "base's terms; other's terms"
    assert joined.provenance.citation == ("base", "other")
    assert BASE.metrics == ["A"]  # inputs are not changed


def test_some_metrics():
    ids = {"1": "cnndm9", "2": "cnndm8"}
    assert join_metrics(BASE, OTHER, document_map=ids, metrics=["C"]).metrics == ["A", "C"]
    with pytest.raises(UnknownNameError, match="metric of other"):
        join_metrics(BASE, OTHER, document_map=ids, metrics=["D"])


def test_missing_summaries_are_nan():
    joined = join_metrics(OTHER, BASE, document_map={"cnndm9": "1", "cnndm8": "2"}, metrics=["A"])
    nan = math.nan  # rows t, u, s; columns 7, 8, 9
    assert joined.metric("A").values.ravel() == pytest.approx(
        [nan, 11, 10, nan, nan, nan, nan, 1, 0], nan_ok=True
    )


def test_ids_that_differ_are_never_matched_by_position():
    assert join_metrics(BASE, OTHER, document_map={}, metrics=["B"]).metric("B").isnull().all()
