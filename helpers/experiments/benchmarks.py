"""experiments.benchmarks: what each benchmark holds, under which terms, and what of it is on this machine.

Names of datasets in, tables to look at out; called by the notebook `benchmarks` and its live block.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from helpers import datasets
from helpers.benchmark import Benchmark
from helpers.errors import SourceUnavailableError
from helpers.sources.fetch import locate


def contents(names: Sequence[str]) -> pd.DataFrame:
    """What each benchmark holds, one row each; counts are missing where its files are not here.

    Parameters
    ----------
    names : sequence of str
        See `helpers.datasets.names`.

    Returns
    -------
    DataFrame with columns dataset, title, systems, documents, metrics, judgments, scored (share of the cells
    of all metrics that hold a score), judged (the same of the gold standard), needs
        `needs` counts the files that are absent and without which there is no benchmark, or no gold standard.
    """
    rows = []
    for name in names:
        row: dict[str, object] = {"dataset": name, "title": datasets.describe(name).title}
        try:
            benchmark = datasets.load(name)
        except SourceUnavailableError:
            rows.append(row | {"needs": _absent(name)})
            continue
        rows.append(
            row
            | {
                "systems": len(benchmark.systems),
                "documents": len(benchmark.documents),
                "metrics": len(benchmark.metrics),
                "judgments": len(benchmark.judgments),
                "scored": float(benchmark.scores.notnull().mean()) if benchmark.metrics else None,
                "judged": float(benchmark.human.notnull().mean()) if benchmark.judgments else None,
                "needs": _absent(name),
            }
        )
    counts = ["systems", "documents", "metrics", "judgments"]
    columns = ["dataset", "title", *counts, "scored", "judged", "needs"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(counts, "Int64"))


def terms(names: Sequence[str]) -> pd.DataFrame:
    """Licence, citation and pinned commits of each benchmark, known without its files.

    Parameters
    ----------
    names : sequence of str
        See `helpers.datasets.names`.

    Returns
    -------
    DataFrame with columns dataset, licence, citation (keys of the bibliography), pinned
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
                "licence": description.licence,
                "citation": ", ".join(description.citation),
                "pinned": ", ".join(pins),
            }
        )
    return pd.DataFrame(rows)


def files() -> pd.DataFrame:
    """How many pinned files of each benchmark are here, and which are not.

    Returns
    -------
    DataFrame with columns dataset, pinned, here, absent (paths)
    """
    rows = []
    for dataset, part in datasets.availability().groupby("dataset", sort=False):
        absent = part[part["where"] == "absent"]
        rows.append(
            {
                "dataset": dataset,
                "pinned": len(part),
                "here": len(part) - len(absent),
                "absent": ", ".join(sorted(absent["file"])),
            }
        )
    return pd.DataFrame(rows)


def notes(names: Sequence[str]) -> pd.DataFrame:
    """What the readers found in the files that their documentation does not say, one row per finding.

    Parameters
    ----------
    names : sequence of str
        See `helpers.datasets.names`; those whose files are not here are left out.

    Returns
    -------
    DataFrame with columns dataset, finding
    """
    rows = []
    for name in names:
        try:
            provenance = datasets.load(name).provenance
        except SourceUnavailableError:
            continue
        rows += [{"dataset": name, "finding": note} for note in provenance.notes]
    return pd.DataFrame(rows, columns=["dataset", "finding"])


def _absent(name: str) -> int:
    description = datasets.describe(name)
    wanted = (*description.needed, *description.optional)
    return sum(locate(file) is None for file in wanted)


def spread(benchmark: Benchmark) -> pd.DataFrame:
    """Mean and quartiles over documents of every system's human and metric scores.

    Parameters
    ----------
    benchmark : Benchmark

    Returns
    -------
    DataFrame with columns dataset, metric (or judgment), system, system_type, mean,
    lower_quartile, upper_quartile
    """
    planes = [(benchmark.judgments[0], benchmark.human)]
    planes += [(metric, benchmark.metric(metric)) for metric in benchmark.metrics]
    frames = []
    for name, plane in planes:
        quartiles = plane.quantile([0.25, 0.75], dim="document").to_numpy()
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "metric": name,
                    "system": benchmark.systems,
                    "system_type": [benchmark.system_type[system] for system in benchmark.systems],
                    "mean": plane.mean("document").to_numpy(),
                    "lower_quartile": quartiles[0],
                    "upper_quartile": quartiles[1],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
