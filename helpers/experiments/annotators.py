"""experiments.annotators: do more references, or another annotator's, make SERA agree better with people?

López Espejel et al. 2021, §4.3, Fig. 3 and Table 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations, product
from math import comb

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.draws import streamed
from helpers.kit.live.experiment import live
from helpers.kit.marks import VERDICTS, add_verdict, marks
from helpers.kit.panels import Panels
from helpers.kit.theme import BLUE, GREY, Style, correlation_axis
from helpers.kit.tidy import tidy
from metaeval import analysis
from metaeval.analysis.tabulate import drawn_columns
from metaeval.core.errors import UnknownNameError, choose
from metaeval.datasets import load
from metaeval.stats.correlation import COEFFICIENTS
from metaeval.stats.intervals import interval
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

MAX_SETS = 1_000
PATTERN = "{metric} (reference {i})"  # how a benchmark names a metric's score against one reference


def reference_sets(n_references: int, sizes: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Sets of this many of the references by name, such as ``{"A1 A2": (1, 2)}``."""
    wrong = [size for size in sizes if not 1 <= size <= n_references]
    if wrong:
        raise ValueError(
            f"`sizes` must be from 1 to the number of references ({n_references}), got {wrong[0]}"
        )
    if sum(comb(n_references, size) for size in sizes) > MAX_SETS:
        raise ValueError(
            f"{n_references} references have more than {MAX_SETS:,} sets of these `sizes`, and each is "
            "judged; lower `n_references`, or name fewer sizes"
        )
    chosen = chain.from_iterable(combinations(range(1, n_references + 1), size) for size in sizes)
    return {" ".join(f"A{i}" for i in numbers): numbers for numbers in chosen}


def with_reference_sets(
    benchmark: Benchmark, metric: str, sets: Mapping[str, Sequence[int]], *, pattern: str = PATTERN
) -> Benchmark:
    """A benchmark whose metrics are one metric's means over sets of references, named after the sets."""
    planes = []
    for numbers in sets.values():
        names = [pattern.format(metric=metric, i=i) for i in numbers]
        for name in names:
            if name not in benchmark.metrics:
                raise UnknownNameError(f"metric of {benchmark.name}", name, benchmark.metrics)
        planes.append(benchmark.scores.sel(metric=names).mean("metric", skipna=False))
    scores = xr.concat(planes, dim=pd.Index(list(sets), dtype=object, name="metric"))
    return benchmark.with_scores(scores.transpose("metric", "system", "document"))


def table(benchmark: Benchmark, metric: str, *, n_references=4, sizes=(1, 2, 3, 4), **asked) -> pd.DataFrame:
    """Correlation with people for every set of references; `asked` as `analysis.systems.table` takes it."""
    sets = reference_sets(n_references, sizes)
    scored = with_reference_sets(benchmark, metric, sets)
    rows = analysis.systems.table(scored, groups=["all"], method="Boot-Both", **asked)
    rows = rows.assign(n_references=rows["metric"].map(lambda name: len(sets[name])), of_metric=metric)
    return check(rows, keys=["dataset", "group", "level", "coefficient", "metric"])


def smaller(n_references: int, sizes: Sequence[int]) -> list[int]:
    """The sizes of sets that leave references out; raise unless there are any."""
    sizes = [size for size in sizes if size != n_references]
    if not sizes:
        raise ValueError(f"`sizes` must hold a number below that of all references ({n_references})")
    return sizes


@tidy("dataset", "level", "coefficient", "metric", "quantity")
def differences(
    benchmark: Benchmark, metric: str, *, n_references=4, sizes=(1, 2, 3), levels=("system", "summary"),
    coefficients=tuple(COEFFICIENTS), confidence_level=0.95, **draws,
):  # fmt: skip
    """Correlation with all references minus that with each smaller set, over shared draws."""
    sets = reference_sets(n_references, [*smaller(n_references, sizes), n_references])
    scored = with_reference_sets(benchmark, metric, sets)
    scores, human, names = scored.scores.to_numpy(), scored.human.to_numpy(), list(sets)[:-1]
    for level, coefficient in product(levels, coefficients):
        kind = {"level": level, "coefficient": coefficient}
        drawn = streamed(draws, benchmark.name)
        all_sets = interval(
            scores, human, method="Boot-Both", confidence_level=confidence_level, **kind, **drawn
        )
        yield {
            "dataset": benchmark.name,
            **kind,
            "metric": names,
            "quantity": "difference",
            **drawn_columns(
                all_sets.estimate[-1] - all_sets.estimate[:-1],
                all_sets.distribution[-1] - all_sets.distribution[:-1],
                n_used=all_sets.n_used[:-1],
                confidence_level=confidence_level,
            ),
            "n_references": [len(sets[name]) for name in names],
            "of_metric": metric,
        }


def comparisons(
    benchmark: Benchmark, metric: str, chosen: str, rivals: Sequence[str] = (), *, n_references=4,
    coefficients=("pearson", "kendall"), **draws,
) -> pd.DataFrame:  # fmt: skip
    """Two-sided tests, uncorrected, of a set of references against all of them, or against `rivals`."""
    by_name = reference_sets(n_references, range(1, n_references + 1))
    rivals = rivals or [list(by_name)[-1]]
    sets = {name: choose("set of references", name, by_name) for name in [chosen, *rivals]}
    tests = analysis.tests.table(
        with_reference_sets(benchmark, metric, sets), metrics=[chosen], rivals=rivals,
        coefficients=coefficients, methods=["Perm-Both", "Williams"], alternative="two-sided",
        correction="none", **draws,
    )  # fmt: skip
    # Williams' test is made for Pearson's r only
    tests = tests.query("method != 'Williams' or coefficient == 'pearson'").reset_index(drop=True)
    return check(tests, keys=["level", "coefficient", "method", "metric", "rival"])


def annotator_dots(results: pd.DataFrame) -> go.Figure:
    """Sets of references in rows, all of them in colour; a dropdown picks the coefficient."""
    is_whole = results["n_references"] == results["n_references"].max()
    looks = {"all references": Style(BLUE), "fewer": Style(GREY)}
    sheet = _dots(results.assign(which=np.where(is_whole, *looks)), "which", looks)
    return sheet.x(**correlation_axis(results["low"])).figure(height=_height(results))


def annotator_changes(changes: pd.DataFrame) -> go.Figure:
    """Gains of all references over each set."""
    labels = {"value": "all references minus these: difference of correlations"}
    sheet = _dots(add_verdict(changes), "verdict", VERDICTS, **labels)
    return sheet.rule(x=0, text="no gain").figure(height=_height(changes))


def _dots(table: pd.DataFrame, series: str, style: Mapping[str, Style], **labels: str) -> Panels:
    sets = table.groupby("metric").agg(size=("n_references", "first"), value=("value", "mean"))
    sheet = marks(
        table, x="value", y="metric", panel="level", series=series, style=style, menu="coefficient", size=10,
        order=sets.sort_values(["size", "value"]).index.tolist(), labels={"metric": "references", **labels},
    )  # fmt: skip
    sheet.layout |= {"scattermode": "overlay"}
    return sheet.menu("Coefficient", "coefficient")


def _height(table: pd.DataFrame) -> float:
    return 170 + 24 * table["metric"].nunique()


def _compute(*, dataset, judgment, metric, seed, **settings) -> pd.DataFrame:
    return table(load(dataset).judged_by(judgment), metric, rng=seed, **settings)


LIVE = live(
    "annotators",
    _compute,
    annotator_dots,
    "judgment sizes coefficients n_resamples",
    question="How much does a metric depend on whose references, and how many, it sees?",
    constants="dataset metric n_references seed",
    offer={"sizes": lambda settings: range(1, settings["n_references"] + 1)},
    initial={"n_resamples": 199},
)
