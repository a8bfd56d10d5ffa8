"""figures.explorables: what the panels of published pages show without a kernel: tables in, plain JSON out.

A panel may hold what this book computed (means of systems, correlations, intervals, sizes) or parameters of
a simulation, never a release's scores of single summaries, its ratings or its texts. The scripts
`book/_assets/explorable_KIND.js` draw them; `start` says where controls stand first. Called by the notebooks
of the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from helpers.figures.index_size import QUERY_LABELS
from helpers.kit.theme import metric_style
from metaeval.core.mode import PREFIX
from metaeval.simulation.model import Likeness
from metaeval.tables.labels import COEFFICIENT_LABELS, GROUP_LABELS, system_name, words

DIGITS = 6  # that count: of what is only drawn or printed


def topk_explorable(
    results: Sequence[pd.DataFrame], means: pd.DataFrame, *, k: int, confidence_level: float
) -> dict[str, object]:
    """The panel of the *k* best systems.

    Parameters
    ----------
    results : DataFrames of `helpers.experiments.topk.table`, a data set each, the first one first
    means : DataFrame of `helpers.experiments.systems.means` of these data sets
    k : int
        Where the slider stands.
    confidence_level : float
        Of the intervals.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    table = pd.concat(results, ignore_index=True)
    first = table.iloc[0]
    group = table.loc[table["dataset"] == first["dataset"], "group"].iloc[-1]
    return {
        "kind": "topk",
        "alt": "A panel in which k, the metric, the systems, the coefficient and the data can be moved.",
        "start": {"k": k, "metric": first["metric"], "group": group},
        "confidence_level": confidence_level,
        "words": {
            "group": GROUP_LABELS,
            "coefficient": COEFFICIENT_LABELS,
            "dataset": _named(table, "dataset"),
            "system": _systems_named(means),
        },
        "colours": {metric: metric_style(metric).colour for metric in table["metric"].unique()},
        "tables": {
            "topk": _plain(
                table, ["dataset", "group", "k", "coefficient", "metric"], ["value", "low", "high"]
            ),
            # in full: what is tied on paper is tied in the page
            "means": _plain(means, ["dataset", "system", "system_type", "metric", "human", "value"]),
        },
    }


def margins_explorable(
    means: pd.DataFrame,
    grids: Mapping[int, pd.DataFrame],
    *,
    lower: float,
    upper: float,
    unit: str,
    coefficient: str,
    confidence_level: float,
) -> dict[str, object]:
    """The panel of windows of metric differences.

    Parameters
    ----------
    means : DataFrame of `helpers.experiments.systems.means`
    grids : mapping, number of windows -> DataFrame of `helpers.experiments.margins.grid`, for their intervals
    lower, upper, unit : see `helpers.experiments.margins.window`; where the sliders stand
    coefficient : {"kendall", "pearson", "spearman"}
    confidence_level : float
        Of the intervals.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    intervals = pd.concat([grid.assign(n_windows=n) for n, grid in grids.items()], ignore_index=True)
    keys = ["dataset", "metric", "coefficient", "n_windows", "from_percent", "to_percent"]
    starts = {"percent": [0, 50], "points": [0, 0.5]} | {unit: [lower, upper]}
    return {
        "kind": "margins",
        "alt": "A panel in which the ends of a window of differences, the metric, the coefficient, the "
        "number of windows and the data can be moved.",
        "start": {**starts, "unit": unit, "coefficient": coefficient, "n_windows": next(iter(grids))},
        "confidence_level": confidence_level,
        "words": {
            "coefficient": COEFFICIENT_LABELS,
            "dataset": _named(means, "dataset"),
            "system": _systems_named(means),
        },
        "tables": {
            # in full: what is tied on paper is tied in the page
            "means": _plain(means, ["dataset", "system", "metric", "human", "value"]),
            "intervals": _plain(intervals, keys, ["low", "high"]),
        },
    }


def index_size_explorable(results: pd.DataFrame) -> dict[str, object]:
    """The panel of growing indexes.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.index_size.table`

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    keys = ["dataset", "domain", "stories", "is_whole", "subset", "metric", "query", "overlap", "cutoff"]
    return {
        "kind": "index_size",
        "alt": "A panel in which the size of the index, the number of documents that count, the query, the "
        "collection and the coefficient can be moved.",
        "words": {
            "coefficient": COEFFICIENT_LABELS,
            "query": QUERY_LABELS,
            "dataset": _named(results, "dataset"),
            "domain": _named(results, "domain"),
        },
        "tables": {"index_size": _plain(results, [*keys, "coefficient"], ["value"])},
    }


def coverage_explorable(
    likenesses: Sequence[Likeness], truths: pd.DataFrame, *, metric: str
) -> dict[str, object]:
    """The panel that draws benchmarks with a known truth and asks intervals for it.

    Parameters
    ----------
    likenesses : Likenesses
    truths : DataFrame of `helpers.experiments.truth.known`
    metric : str
        Which one stands there first, of the first likeness.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    return {
        "kind": "coverage",
        "alt": "A panel that draws benchmarks from a simulated likeness, for a number of systems and "
        "documents that can be moved, and counts how often intervals hold the correlation that is true.",
        "words": {"coefficient": COEFFICIENT_LABELS, "dataset": _named(truths, "dataset")},
        "start": {"dataset": f"{PREFIX}{likenesses[0].name}", "metric": metric},
        "likenesses": [_parameters(likeness) for likeness in likenesses],
        "tables": {"truths": _plain(truths, ["dataset", "metric", "coefficient"], ["value"])},
    }


def _systems_named(table: pd.DataFrame) -> dict[str, str]:
    """Systems as the book names them; an id stands for one system, or for made-up ones of one name."""
    pairs = table[["dataset", "system"]].drop_duplicates()
    return {system: system_name(dataset, system) for dataset, system in pairs.itertuples(index=False)}


def _named(table: pd.DataFrame, column: str) -> dict[str, str]:
    """The values of a column as the book names them."""
    return {name: words(column, name) for name in table[column].unique()}


def _parameters(likeness: Likeness) -> dict[str, object]:
    def factors(found):
        return {"loadings": found.loadings.tolist(), "unique": found.unique.tolist()}

    return {
        "name": likeness.name,
        "source": likeness.source,
        "planes": likeness.planes,
        "n_judgments": likeness.n_judgments,
        "marginals": [
            {
                name: value if np.isfinite(value) else None
                for name, value in asdict(marginal).items()
                if name != "kind"
            }
            | {"kind": marginal.kind}
            for marginal in likeness.marginals
        ],
        "types": [
            {
                "n_systems": group.n_systems,
                "offset": group.offset.tolist(),
                "system": factors(group.system),
                "residual": factors(group.residual),
            }
            for group in likeness.types.values()
        ],
        "document": factors(likeness.document),
        "units": [[n, share] for n, share in sorted(likeness.units.items())],
    }


def _plain(table: pd.DataFrame, columns: Sequence[str], rounded: Sequence[str] = ()) -> dict[str, object]:
    """A table as JSON holds it: columns in full, by which a page may look up rows, and rounded ones.

    What does not exist is None. Words stand once, under `words`, and in the rows their places there.
    """
    names = [*columns, *rounded]
    said = {name: table[name].unique().tolist() for name in names if not is_numeric_dtype(table[name])}

    def plain(value, name):
        if pd.isna(value):
            return None
        if name in said:
            return said[name].index(value)
        value = value.item() if hasattr(value, "item") else value
        return float(f"{value:.{DIGITS}g}") if name in rounded else value

    rows = table[names].itertuples(index=False, name=None)
    return {
        "columns": names,
        "words": said,
        "rows": [[plain(value, name) for value, name in zip(row, names, strict=True)] for row in rows],
    }
