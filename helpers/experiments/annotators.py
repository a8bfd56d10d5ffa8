"""experiments.annotators: a metric's correlation with people when only some of the references count.

Benchmarks with a metric's scores against each reference in, tidy tables out; called by the notebook
`annotators` and its live block. López Espejel et al. 2021, §4.3, Fig. 3 and Table 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import comb

import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import interval_panels
from metaeval import analysis
from metaeval.analysis import systems
from metaeval.analysis.tabulate import drawn_columns
from metaeval.core.errors import UnknownNameError, choose
from metaeval.datasets import load
from metaeval.stats.intervals import interval
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

MOST_SETS = 1_000
PATTERN = "{metric} (reference {i})"  # how a benchmark names a metric's score against one reference


def reference_sets(n_references: int, sizes: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The sets of this many of the references, by name.

    Parameters
    ----------
    n_references : int
    sizes : ints, from 1 to `n_references`

    Raises
    ------
    ValueError
        If a size is out of range, or there are too many sets.

    Examples
    --------
    >>> reference_sets(3, [1, 2])
    {'A1': (1,), 'A2': (2,), 'A3': (3,), 'A1 A2': (1, 2), 'A1 A3': (1, 3), 'A2 A3': (2, 3)}
    """
    for size in sizes:
        if not 1 <= size <= n_references:
            raise ValueError(
                f"`sizes` must be from 1 to the number of references ({n_references}), got {size}"
            )
    if sum(comb(n_references, size) for size in sizes) > MOST_SETS:
        raise ValueError(
            f"{n_references} references have more than {MOST_SETS:,} sets of these `sizes`, and each is "
            "judged; lower `n_references`, or name fewer sizes"
        )
    return {
        " ".join(f"A{i}" for i in chosen): chosen
        for size in sizes
        for chosen in combinations(range(1, n_references + 1), size)
    }


def with_reference_sets(
    benchmark: Benchmark, metric: str, sets: Mapping[str, Sequence[int]], *, pattern: str = PATTERN
) -> Benchmark:
    """A benchmark whose metrics are one metric's means over sets of references, named after the sets.

    Parameters
    ----------
    benchmark : Benchmark with the metric's scores against each reference
    metric : str
    sets : mapping, name -> numbers of references
    pattern : str

    Raises
    ------
    UnknownNameError
        If the benchmark lacks the scores against a reference.
    """
    planes = []
    for numbers in sets.values():
        names = [pattern.format(metric=metric, i=i) for i in numbers]
        for name in names:
            if name not in benchmark.metrics:
                raise UnknownNameError(f"metric of {benchmark.name}", name, benchmark.metrics)
        planes.append(benchmark.scores.sel(metric=names).mean("metric", skipna=False))
    scores = xr.concat(planes, dim=pd.Index(list(sets), dtype=object, name="metric"))
    return benchmark.with_scores(scores.transpose("metric", "system", "document"))


def table(
    benchmark: Benchmark,
    metric: str,
    *,
    n_references: int = 4,
    sizes: Sequence[int] = (1, 2, 3, 4),
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 999,
    rng: RNGLike,
) -> pd.DataFrame:
    """Correlation with people of one metric for every set of references, with bootstrap intervals.

    Parameters
    ----------
    benchmark : Benchmark with the metric's scores against each reference
    metric : str
    n_references : int
        References of each document.
    sizes : ints
        How many references count.
    levels, coefficients, n_resamples, rng : see `metaeval.analysis.systems.table`
        Systems and documents are drawn again.

    Returns
    -------
    DataFrame as `metaeval.analysis.systems.table` gives, the set of references under `metric`, with columns
    low, high, n_references (how many count) and of_metric
    """
    sets = reference_sets(n_references, sizes)
    found = systems.table(
        with_reference_sets(benchmark, metric, sets), groups=["all"], levels=levels,
        coefficients=coefficients, method="Boot-Both", n_resamples=n_resamples, rng=rng,
    )  # fmt: skip
    found = found.assign(n_references=found["metric"].map(lambda name: len(sets[name])), of_metric=metric)
    return check(found, keys=["dataset", "group", "level", "coefficient", "metric"])


def smaller(n_references: int, sizes: Sequence[int]) -> list[int]:
    """The sizes of sets that leave references out; raise unless there are any."""
    found = [size for size in sizes if size != n_references]
    if not found:
        raise ValueError(f"`sizes` must hold a number below that of all references ({n_references})")
    return found


def differences(
    benchmark: Benchmark,
    metric: str,
    *,
    n_references: int = 4,
    sizes: Sequence[int] = (1, 2, 3),
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """How much higher the correlation is when all references count than with a set of them, in shared draws.

    Parameters
    ----------
    benchmark, metric, n_references, levels, coefficients, n_resamples, rng : see `table`
    sizes : ints from 1 to `n_references`, in any order
        How many references count in a set.
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame with one row per dataset, level, coefficient and set of references under `metric`
        Columns: these, and quantity ("difference": all references minus the set), value, low, high, n_used,
        n_resamples, n_undefined, n_references (of the set), of_metric.
    """
    sets = reference_sets(n_references, [*smaller(n_references, sizes), n_references])
    scored = with_reference_sets(benchmark, metric, sets)
    scores, human = scored.scores.to_numpy(), scored.human.to_numpy()
    seed, names = seed_of(rng), list(sets)[:-1]
    frames = []
    for level, coefficient in product(levels, coefficients):
        found = interval(
            scores, human, level=level, coefficient=coefficient, method="Boot-Both", n_resamples=n_resamples,
            confidence_level=confidence_level, rng=stream(seed, benchmark.name),
        )  # fmt: skip
        distribution = found.distribution[-1] - found.distribution[:-1]
        of_sets = drawn_columns(
            found.estimate[-1] - found.estimate[:-1], distribution, n_used=found.n_used[:-1],
            confidence_level=confidence_level,
        )  # fmt: skip
        columns = {
            "dataset": benchmark.name,
            "level": level,
            "coefficient": coefficient,
            "metric": names,
            "quantity": "difference",
            **of_sets,
            "n_references": [len(sets[name]) for name in names],
            "of_metric": metric,
        }
        frames.append(pd.DataFrame(columns))
    return check(
        pd.concat(frames, ignore_index=True), keys=["dataset", "level", "coefficient", "metric", "quantity"]
    )


def answer(
    results: pd.DataFrame, changes: pd.DataFrame, singles: pd.DataFrame, *, alpha: float = wording.ALPHA
) -> dict[str, str]:
    """The page's answer: what all references gain over fewer, and whether single ones can be told apart.

    Parameters
    ----------
    results : DataFrame of `table`
    changes : DataFrame of `differences`
        Both by the first of the coefficients.
    singles : DataFrame of `comparisons`
        Of a single reference with others; the permutation test.
    alpha : float

    Returns
    -------
    dict
        ``annotators-answer-short`` and ``annotators-answer-sure``; every word is chosen from the numbers.
    """
    coefficient = results["coefficient"].iloc[0]
    first = results[results["coefficient"] == coefficient]
    of_sizes = first.groupby(["level", "n_references"], sort=False)["value"].median()
    least, most = first["n_references"].min(), first["n_references"].max()
    told = []
    for level in first["level"].unique():
        part = changes[(changes["coefficient"] == coefficient) & (changes["level"] == level)]
        ahead = wording.sides(part["low"], part["high"])["above"]
        fewest, all_ = (f"{of_sizes[level, n]:.2f}" for n in (least, most))
        medians = f"{fewest} and {all_}"
        if not told:  # the first says what they are
            name, r = changes["of_metric"].iloc[0], words("coefficient", coefficient)
            sizes = f"{fewest} with {wording.counted(least, 'reference')}, {all_} with all {most}"
            medians = f"{name}'s median {r} with people: {sizes}"
        told.append(
            f"{ahead} of {len(part)}{'' if told else ' smaller sets'} at {words('level', level)} ({medians})"
        )
    tested = singles[singles["method"] == "Perm-Both"]
    apart = (tested["pvalue"] <= alpha).sum()
    return {
        "annotators-answer-short": (
            f"On {words('data', results['dataset'].iloc[0])} all {most} references are shown to beat "
            f"{wording.joined(told)}."
        ),
        "annotators-answer-sure": (
            f"Uncorrected tests tell the first reference from another in {apart} of {len(tested)} cases."
        ),
    }


def tests_told(tests: pd.DataFrame) -> str:
    """What each test says of the chosen set against all references, at the first level and coefficient.

    Parameters
    ----------
    tests : DataFrame of `comparisons`

    Returns
    -------
    str
    """
    keys = ["level", "coefficient"]
    rows = tests[(tests[keys] == tests[keys].iloc[0]).all(axis=1)]
    said = {}
    for row in rows.to_dict("records"):
        limits = {"smallest": 1 / (row["n_resamples"] + 1)} if row["n_resamples"] else {}
        p = wording.pvalue(row["pvalue"], name="p", **limits)
        said[f"{p} by {row['method']}"] = wording.beyond_chance(row["pvalue"], **limits)
    one = len(set(said.values())) == 1
    told = ", ".join(said) if one else "; ".join(f"{p}, {word}" for p, word in said.items())
    return (
        f"Counting {rows['metric'].iloc[0]} alone in place of all references changes "
        f"{words('coefficient', rows['coefficient'].iloc[0])} at {words('level', rows['level'].iloc[0])} by "
        f"{rows['value'].iloc[0]:z.3f}: {told}{f', {next(iter(said.values()))}' if one else ''}."
    )


def comparisons(
    benchmark: Benchmark,
    metric: str,
    chosen: str,
    rivals: Sequence[str] = (),
    *,
    n_references: int = 4,
    coefficients: Sequence[str] = ("pearson", "kendall"),
    n_resamples: int = 999,
    rng: RNGLike,
) -> pd.DataFrame:
    """Two-sided tests of the metric against one set of references and against others.

    Parameters
    ----------
    benchmark, metric, n_references : see `table`
    chosen : str
        A set as `reference_sets` names it, such as ``"A1 A2 A4"``.
    rivals : sequence of str, by default the set of all references
    coefficients, n_resamples, rng : see `metaeval.analysis.tests.table`

    Returns
    -------
    DataFrame of `metaeval.analysis.tests.table`, sets under `metric` and `rival`
        Not corrected for the number of tests. Williams' test is made for Pearson's r only.

    Raises
    ------
    UnknownNameError
        If there is no such set.
    """
    known = reference_sets(n_references, range(1, n_references + 1))
    rivals = rivals or [list(known)[-1]]
    sets = {name: choose("set of references", name, known) for name in [chosen, *rivals]}
    scored = with_reference_sets(benchmark, metric, sets)
    found = analysis.tests.table(
        scored, metrics=[chosen], rivals=rivals, coefficients=coefficients,
        methods=["Perm-Both", "Williams"], alternative="two-sided", correction="none",
        n_resamples=n_resamples, rng=rng,
    )  # fmt: skip
    found = found.query("method != 'Williams' or coefficient == 'pearson'").reset_index(drop=True)
    return check(found, keys=["level", "coefficient", "method", "metric", "rival"])


def annotator_dots(results: pd.DataFrame) -> go.Figure:
    """One row per set of references, a colour for each size; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.annotators.table`
    """
    return _dots(results)


def annotator_changes(changes: pd.DataFrame) -> go.Figure:
    """What all references add to each set: rows, colours and dropdown as in `annotator_dots`.

    Parameters
    ----------
    changes : DataFrame of `helpers.experiments.annotators.differences`
    """
    return _dots(changes, value="all references minus these: difference of correlations")


def _dots(table: pd.DataFrame, **labels: str) -> go.Figure:
    rows = table["metric"].unique().tolist()[::-1]
    return interval_panels(table, "level", rows, colour="n_references", metric="references", **labels)


def _compute(
    *, dataset, judgment, sizes, coefficients, n_resamples, metric, n_references, seed
) -> pd.DataFrame:
    return table(
        load(dataset).judged_by(judgment), metric, n_references=n_references, sizes=sizes,
        coefficients=coefficients, n_resamples=n_resamples, rng=seed,
    )  # fmt: skip


def _judgments(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


def _reference_counts(settings: Settings) -> list[int]:
    return list(range(1, settings["n_references"] + 1))


LIVE = Live(
    notebook="annotators",
    question="How much does a metric depend on whose references, and how many, it sees?",
    controls=(
        One("judgment", "Human score", _judgments),
        Several("sizes", "References", _reference_counts),
        choices.COEFFICIENTS_SHOWN,
        choices.draws("n_resamples", "Draws", 999),
    ),
    fixed=("dataset", "metric", "n_references", "seed"),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 999.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: annotator_dots(table),
)
