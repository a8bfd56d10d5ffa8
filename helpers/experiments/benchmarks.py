"""experiments.benchmarks: what does each benchmark hold, under which terms, and what of it is here?

The releases that `metaeval.datasets` names, by their descriptions and their files.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.tidy import tidy
from metaeval import datasets
from metaeval.core.errors import SourceUnavailableError
from metaeval.tables.columns import check


@tidy("dataset", values=["licence"])
def terms(names):
    """Title, licence, citation and pinned commits of each release, known without its files."""
    for name in names:
        release = datasets.describe(name)
        pins = [
            f"{file.repository}@{file.commit[:7]}"
            for file in (*release.needed_files, *release.optional_files)
        ]
        yield {
            "dataset": name, "title": release.title, "licence": release.licence,
            "citation": ", ".join(release.citation), "pinned": ", ".join(dict.fromkeys(pins)),
        }  # fmt: skip


def judges(names) -> pd.DataFrame:
    """Judges of the releases that are here, with the share of their answers that cannot be read."""
    columns = ["dataset", "judge", "dimension", "year", "n_answers", "share_unreadable", "licence"]
    rows = [
        (name, judge, dimension, release.judged_in, n, share, release.licence)
        for name in names
        if (release := datasets.describe(name)).judged_in is not None
        for judge, dimension, n, share in _answers(name)
    ]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["share_unreadable"])


def _answers(name: str):
    """Judge, dimension or set, number of answers and share of them that cannot be read."""
    data = _read(name)
    if data is None:
        return
    if name in datasets.pair_names():
        table = data.unreadable()
        dimension = table["dimension"].where(table["dimension"] != "", table["set"])
        yield from zip(table["judge"], dimension, table["n_total"], table["value"], strict=True)
        return
    for metric in data.metrics:
        judge, _, dimension = metric.removesuffix(")").partition(" (")
        scores = data.metric(metric)
        yield judge, dimension, scores.size, float(scores.isnull().mean())


def _read(name: str):
    """A benchmark, or choices between pairs; None where its files are not here."""
    try:
        return (datasets.pairs if name in datasets.pair_names() else datasets.load)(name)
    except SourceUnavailableError:
        return None


@tidy("dataset", values=["n_here"])
def files():
    """Numbers of pinned files of each benchmark and of those that are here, with the paths of the others."""
    for dataset, part in datasets.availability().groupby("dataset", sort=False):
        absent = sorted(part.loc[part["where"] == "absent", "file"])
        counts = {"n_files": len(part), "n_here": len(part) - len(absent)}
        yield {"dataset": dataset, **counts, "absent": ", ".join(absent)}


def notes(names) -> pd.DataFrame:
    """Facts about the files that their documentation does not mention, one a row."""
    releases = [(name, data) for name in names if (data := _read(name)) is not None]
    rows = [(name, note) for name, data in releases for note in data.provenance.notes]
    return check(pd.DataFrame(rows, columns=["dataset", "finding"]), keys=["dataset", "finding"], values=())


def size_dots(contents: pd.DataFrame) -> go.Figure:
    """Systems and judged documents of each release, a panel for either."""
    ranked = contents.sort_values(["n_documents", "n_systems"])
    sizes = ranked.melt("dataset", ["n_systems", "n_documents"], "size").astype({"value": float})
    order = ranked["dataset"].tolist()
    sheet = marks(
        sizes, x="value", y="dataset", panel="size", order=order, size=10, digits=0,
        titles=["systems", "judged documents"], labels={"value": "systems or documents"},
    )  # fmt: skip
    return sheet.x(rangemode="tozero").figure(height=dot_height(order))
