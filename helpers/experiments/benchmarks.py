"""experiments.benchmarks: what each benchmark holds, under which terms, and what of it is on this machine.

Names of datasets in, tables to look at out; called by the notebook `benchmarks` and its live block.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.experiment import Live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels
from metaeval import datasets
from metaeval.analysis import systems
from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets import load
from metaeval.datasets.fetch import locate
from metaeval.tables.columns import check
from metaeval.tables.labels import words


def contents(names: Sequence[str]) -> pd.DataFrame:
    """What each release of a benchmark holds; counts are missing where its files are not here.

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.names`.

    Returns
    -------
    DataFrame with columns dataset, title, n_systems, n_documents, n_metrics, n_judgments, share_scored (of
    the cells of all metrics, those that hold a score), share_judged (the same of the gold standard), n_absent
        `n_absent` counts the files that are not here and without which there is no benchmark, or no gold
        standard.
    """
    rows = []
    for name in names:
        row: dict[str, object] = {"dataset": name, "title": datasets.describe(name).title}
        try:
            benchmark = datasets.load(name)
        except SourceUnavailableError:
            rows.append(row | {"n_absent": _absent(name)})
            continue
        rows.append(
            row
            | {
                "n_systems": len(benchmark.systems),
                "n_documents": len(benchmark.documents),
                "n_metrics": len(benchmark.metrics),
                "n_judgments": len(benchmark.judgments),
                "share_scored": float(benchmark.scores.notnull().mean()) if benchmark.metrics else None,
                "share_judged": float(benchmark.human.notnull().mean()) if benchmark.judgments else None,
                "n_absent": _absent(name),
            }
        )
    counts = ["n_systems", "n_documents", "n_metrics", "n_judgments"]
    columns = ["dataset", "title", *counts, "share_scored", "share_judged", "n_absent"]
    table = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(counts, "Int64"))
    return check(table, keys=["dataset"], values=["title"])


def answer(contents: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how many releases of benchmarks could be read here, and how large they are.

    Parameters
    ----------
    contents : DataFrame of `contents`

    Returns
    -------
    dict
        ``benchmarks-answer-short`` and ``benchmarks-answer-sure``, every number counted.
    """
    here = contents.dropna(subset="n_systems")
    # releases of one benchmark differ in what stands behind its name in parentheses
    n_benchmarks = len({words("dataset", name).partition(" (")[0] for name in contents["dataset"]})
    said = (
        f"{len(here)} of {len(contents)} releases of {n_benchmarks} benchmarks were read on the machine that "
        "built this page"
    )
    if len(here):
        said += (
            f", with {here['n_systems'].min()} to {here['n_systems'].max()} systems (human "
            f"summarizers included) and {here['n_documents'].min():,} to {here['n_documents'].max():,} "
            "documents"
        )
    absent = contents["n_absent"].sum()
    judged = (here["share_judged"] == 1).sum()
    return {
        "benchmarks-answer-short": f"{said}.",
        "benchmarks-answer-sure": (
            f"{judged} of those read have a human score for each summary; {absent} pinned files that a "
            "release needs are not here. Every file is verified when it is read."
        ),
    }


def terms(names: Sequence[str]) -> pd.DataFrame:
    """Title, licence, citation and pinned commits of each release, known without its files.

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.names` and `pair_names`.

    Returns
    -------
    DataFrame with columns dataset, title, licence, citation (keys of the bibliography), pinned
    """
    rows = []
    for name in names:
        description = datasets.describe(name)
        pins = dict.fromkeys(
            f"{file.repository}@{file.commit[:7]}" for file in (*description.needed, *description.optional)
        )
        rows.append(
            {
                "dataset": name,
                "title": description.title,
                "licence": description.licence,
                "citation": ", ".join(description.citation),
                "pinned": ", ".join(pins),
            }
        )
    return check(pd.DataFrame(rows), keys=["dataset"], values=["licence"])


def judges(names: Sequence[str]) -> pd.DataFrame:
    """Which judges answered where and when, and how many of their answers cannot be read.

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.names` and `pair_names`; only releases with judges count, and of these those
        whose files are here.

    Returns
    -------
    DataFrame with columns dataset, judge, dimension, year, n_answers, share_unreadable, licence
    """
    columns = ["dataset", "judge", "dimension", "year", "n_answers", "share_unreadable", "licence"]
    rows = []
    for name in names:
        described = datasets.describe(name)
        if described.judged_in is None:
            continue
        try:
            answers = _answers(name)
        except SourceUnavailableError:
            continue
        rows += [
            (name, judge, dimension, described.judged_in, n, share, described.licence)
            for judge, dimension, n, share in answers
        ]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["share_unreadable"])


def _answers(name: str) -> list[tuple[str, str, int, float]]:
    """Judge, dimension or set, number of answers and share of them that cannot be read."""
    if name in datasets.pair_names():
        found = datasets.pairs(name).unreadable()
        of = found["dimension"].where(found["dimension"] != "", found["set"])
        return list(zip(found["judge"], of, found["n_total"], found["value"], strict=True))
    benchmark = datasets.load(name)
    answers = []
    for metric in benchmark.metrics:
        judge, _, dimension = metric.removesuffix(")").partition(" (")
        scores = benchmark.metric(metric)
        answers.append((judge, dimension, scores.size, float(scores.isnull().mean())))
    return answers


def files() -> pd.DataFrame:
    """How many pinned files of each benchmark are here, and which are not.

    Returns
    -------
    DataFrame with columns dataset, n_files, n_here, absent (paths)
    """
    rows = []
    for dataset, part in datasets.availability().groupby("dataset", sort=False):
        absent = part[part["where"] == "absent"]
        rows.append(
            {
                "dataset": dataset,
                "n_files": len(part),
                "n_here": len(part) - len(absent),
                "absent": ", ".join(sorted(absent["file"])),
            }
        )
    return check(pd.DataFrame(rows), keys=["dataset"], values=["n_here"])


def notes(names: Sequence[str]) -> pd.DataFrame:
    """What the readers found in the files that their documentation does not say, one row per finding.

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.names` and `pair_names`; those whose files are not here are left out.

    Returns
    -------
    DataFrame with columns dataset, finding
    """
    rows = []
    for name in names:
        read = datasets.pairs if name in datasets.pair_names() else datasets.load
        try:
            provenance = read(name).provenance
        except SourceUnavailableError:
            continue
        rows += [{"dataset": name, "finding": note} for note in provenance.notes]
    return check(pd.DataFrame(rows, columns=["dataset", "finding"]), keys=["dataset", "finding"], values=())


def _absent(name: str) -> int:
    description = datasets.describe(name)
    wanted = (*description.needed, *description.optional)
    return sum(locate(file) is None for file in wanted)


def score_spread(spread: pd.DataFrame) -> go.Figure:
    """Two panels, people and a metric that a dropdown picks; one row per system.

    A point is a system's mean over documents, its bar the middle half of them.

    Parameters
    ----------
    spread : DataFrame of `metaeval.analysis.systems.spread`
    """
    people = spread["metric"].iloc[0]
    is_people = spread["metric"] == people
    order = spread[is_people].sort_values("mean")["system"].tolist()
    sheet = Panels([people, "metric"], titles=[f"people ({people})", "the metric"])
    shared = {"x": "mean", "y": "system", "series": "system_type", "order": order, "sheet": sheet}
    shared["ends"] = ("lower_quartile", "upper_quartile")
    marks(spread[is_people], at={"panel": people}, **shared)
    of_metrics = spread[~is_people]
    if len(of_metrics):
        marks(of_metrics, at={"panel": "metric"}, colour="metric", moved_by="metric", **shared)
        sheet.moving_menu("Metric")
    sheet.layout |= {"scattermode": "overlay"}  # a system is of one type, so nothing lies beside it
    return sheet.x(title="mean score").y(title="system").figure(height=150 + 20 * len(order))


def _compute(*, dataset, metrics) -> pd.DataFrame:
    return systems.spread(load(dataset).select(metrics=metrics))


LIVE = Live(
    notebook="benchmarks",
    question="How far do systems differ, and how far their documents?",
    controls=(choices.DATASET, choices.METRICS),
    compute=_compute,
    draw=lambda table, _: score_spread(table),
)
