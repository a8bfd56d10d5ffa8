"""kit.papers: what papers report and release: gains of models, variants of metrics, sizes of benchmarks.

The variants and systems that "A Statistical Analysis" reports (Deutsch et al. 2021): footnote 9 names recall
on TAC 2008 and REALSumm, F1 on SummEval, but not for every metric. The rest follows from Table 2 of the
paper, whose normality tests come out for one variant each: BERTScore's recall and S3's regression on
responsiveness on both sets, BEwT-E by the same rule as ROUGE. Of the 72 peers of TAC 2008 that the release
scores they come out with the first 58 only, the number that the paper names
(`helpers.experiments.normality` counts both).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.kit.claims.checking import paper_claims
from metaeval import datasets
from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError, choose, listing
from metaeval.core.paths import DATA, read_yaml
from metaeval.datasets.fetch import locate
from metaeval.stats.ties import COPY_TIE
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

_FIELDS = ("paper", "year", "first", "first_score", "second", "second_score", "difference")


def published_gains(name: str = "gains", *, folder: Path = DATA / "surveys") -> pd.DataFrame:
    """One survey, one row per paper.

    Parameters
    ----------
    name : str
        File in `folder` without its ending.

    Returns
    -------
    DataFrame
        metric, paper, year, first and second (models), first_score, second_score (points), printed (the
        difference as the survey prints it) and gain (the difference of the two printed scores), with as many
        decimals as printed.

    Raises
    ------
    UnknownNameError, DataError
        If there is no such survey, or a row lacks a field or names a paper twice.
    """
    names = sorted(path.stem for path in folder.glob("*.yml"))
    if name not in names:
        raise UnknownNameError("survey", name, names)
    content = read_yaml(folder / f"{name}.yml")
    for row in content["papers"]:
        missing = set(_FIELDS) - set(row)
        if missing:
            raise DataError(f"{name}.yml: {row.get('paper')!r} lacks {listing(missing)}")
    frame = pd.DataFrame(content["papers"]).rename(columns={"difference": "printed"})
    twice = frame["paper"][frame["paper"].duplicated()]
    if len(twice):
        raise DataError(f"{name}.yml: names a paper twice: {listing(twice)}")
    frame.insert(0, "metric", content["metric"])
    scores = frame[["first_score", "second_score", "printed"]].astype(float)
    frame = frame.assign(**scores)
    # scores have two decimals on paper; so has their difference
    frame["gain"] = (frame["first_score"] - frame["second_score"]).round(2)
    return frame


def printed_half_point() -> dict[str, str]:
    """Kendall's τ that "Re-Examining" prints for pairs up to half a ROUGE-1 point apart (§4.2), by benchmark.

    It rests on metric means over the whole test set, which is another quantity than over judged documents.

    Returns
    -------
    dict
        ``summeval`` and ``realsumm``, as printed.
    """
    printed = {claim.id: claim.test.get("printed") for claim in paper_claims("deutsch2022reexamining")}
    return {name: str(printed[f"text/half-a-point-{name}"]) for name in ("summeval", "realsumm")}


def survey_results(gains: pd.DataFrame) -> pd.DataFrame:
    """A survey as results that claims can be checked against: each paper's gain, and the averages.

    Returns
    -------
    DataFrame with columns survey, paper, quantity, value
        `quantity` is "gain" for the difference of the two printed scores, and, for the row "all papers",
        "mean of printed differences" and "mean of gains".
    """
    each = pd.DataFrame(
        {"survey": "gains", "paper": gains["paper"], "quantity": "gain", "value": gains["gain"]}
    )
    means = pd.DataFrame(
        {
            "survey": "gains",
            "paper": "all papers",
            "quantity": ["mean of printed differences", "mean of gains"],
            "value": [gains["printed"].mean(), gains["gain"].mean()],
        }
    )
    return pd.concat([each, means], ignore_index=True)


# ---- A Statistical Analysis ----

_SHARED = {
    "AutoSummENG": "AutoSummENG",
    "MeMoG": "MeMoG",
    "NPowER": "NPowER",
    "BERTScore": "BERTScore recall",
    "METEOR": "METEOR",
    "MoverScore": "MoverScore",
    "QAEval-F1": "QAEval F1",
    "S3": "S3 resp",
}
_BY_PART = ("BEwT-E", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-SU4")
REPORTED = {
    "summeval": _SHARED | {name: f"{name} F1" for name in _BY_PART},
    "bhandari2020": _SHARED | {name: f"{name} recall" for name in _BY_PART},
    "tac2008": _SHARED | {name: f"{name} recall" for name in _BY_PART},
}
REPORTED_SYSTEMS = {"tac2008": tuple(map(str, range(58)))}  # of the others all


def reported(benchmark: Benchmark) -> Benchmark:
    """The benchmark as the paper takes it: `reported_metrics` of the systems that it reports.

    Parameters
    ----------
    benchmark : Benchmark
        One of the paper, with all systems and metrics of the release.

    Returns
    -------
    Benchmark
    """
    systems = REPORTED_SYSTEMS.get(benchmark.name)
    return reported_metrics(benchmark.select(systems=systems))


def reported_metrics(benchmark: Benchmark) -> Benchmark:
    """The benchmark with the metrics that the paper reports, in its order and under its names.

    A metric that the release lacks is left out.
    """
    variants = choose("data set of A Statistical Analysis", benchmark.name, REPORTED)
    names = sorted(name for name in variants if variants[name] in benchmark.metrics)
    chosen = benchmark.select(metrics=[variants[name] for name in names])
    scale = {n: benchmark.scale[variants[n]] for n in names if variants[n] in benchmark.scale}
    return chosen.with_scores(chosen.scores.assign_coords(metric=pd.Index(names, dtype=object)), scale=scale)


def load_reported(names: Sequence[str]) -> list[Benchmark]:
    """Data sets of the paper by name, each as the paper takes it (`reported`).

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.load`.

    Returns
    -------
    list of Benchmark
    """
    return [reported(datasets.load(name)) for name in names]


# AutoSummENG, MeMoG and NPowER are one metric where there is one reference, and would count three times
def copies(apart: pd.DataFrame) -> list[str]:
    """The metrics whose numbers are nowhere apart from those of an earlier one.

    Parameters
    ----------
    apart : DataFrame, metrics x the same metrics in the same order
        The largest difference between their numbers; NaN where one does not exist, which makes no copy.
    """
    return apart.index[np.tril(apart.to_numpy() <= COPY_TIE, -1).any(axis=1)].tolist()


def alike(numbers: pd.DataFrame) -> list[str]:
    """The metrics all whose numbers are those of an earlier one.

    Parameters
    ----------
    numbers : DataFrame, metrics x whatever was measured of them
    """
    apart = np.abs(numbers.to_numpy()[:, None] - numbers.to_numpy()).max(axis=2)
    return copies(pd.DataFrame(apart, numbers.index, numbers.index))


# ---- releases ----

_COUNTS = ("n_systems", "n_documents", "n_metrics", "n_judgments")
_COLUMNS = ("dataset", "title", *_COUNTS, "share_scored", "share_judged", "n_absent")


def release_contents(names: Sequence[str]) -> pd.DataFrame:
    """Sizes of releases; a release whose files are not here has none.

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.names`.

    Returns
    -------
    DataFrame with columns dataset, title, n_systems, n_documents, n_metrics, n_judgments, share_scored (cells
    of all metrics that hold a score), share_judged (the same of the gold standard), n_absent (files that are
    not here and without which there is no benchmark, or no gold standard)
    """
    rows = [_row(name) for name in names]
    table = pd.DataFrame(rows, columns=_COLUMNS).astype(dict.fromkeys(_COUNTS, "Int64"))
    return check(table, keys=["dataset"], values=["title"])


def _row(name: str) -> dict[str, object]:
    description = datasets.describe(name)
    files = (*description.needed_files, *description.optional_files)
    row = {
        "dataset": name,
        "title": description.title,
        "n_absent": sum(locate(file) is None for file in files),
    }
    try:
        benchmark = datasets.load(name)
    except SourceUnavailableError:
        return row
    return row | {
        "n_systems": len(benchmark.systems),
        "n_documents": len(benchmark.documents),
        "n_metrics": len(benchmark.metrics),
        "n_judgments": len(benchmark.judgments),
        "share_scored": float(benchmark.scores.notnull().mean()) if benchmark.metrics else None,
        "share_judged": float(benchmark.human.notnull().mean()) if benchmark.judgments else None,
    }
