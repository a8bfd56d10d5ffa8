"""experiments.truth: what intervals and tests do when the truth is known: coverage, errors, power.

Every trial draws a new benchmark, systems and documents, from a likeness and asks a method of
`metaeval.stats`; the answer is held against the true correlation. With real data only a stand-in for it is
possible, such as the other half of the data (`helpers.experiments.coverage`, after Deutsch et al. 2021,
§5.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.growing import growing, in_steps
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from metaeval.core.limits import check_alpha, check_rate
from metaeval.core.mode import PREFIX
from metaeval.datasets import load
from metaeval.simulation import model, truth
from metaeval.simulation.draw import draw
from metaeval.simulation.model import Factors, Likeness, SystemType
from metaeval.stats.differences import compare
from metaeval.stats.intervals import INTERVALS, interval
from metaeval.stats.monte_carlo import check_trials, share_error
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.threads import in_threads
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.wording import ERRORS, joined, percent

TWINS = ("A", "B")
POPULATION = "all systems, all documents"
THESE_SYSTEMS = "these systems, all documents"
AS_MANY = "all systems, as many documents"
_COVERED = ["dataset", "metric", "level", "coefficient", "target", "n_systems", "n_documents", "method"]
TESTS = (
    "Williams",
    *(f"{family}-{what}" for family in ("Boot", "Perm") for what in ("Systems", "Inputs", "Both")),
)


def twins(likeness: Likeness, metric: str, *, degraded: float = 0.0, shared: float = 0.5) -> Likeness:
    """A likeness with two metrics, A and B, made after one.

    Parameters
    ----------
    likeness : Likeness
    metric : str
    degraded : float in [0, 1]
        The share of what it has in common with people that B lacks, at every level; its variance is as
        large, but noise in that part. At 0 the two change places without a difference: they agree with people
        equally well, by any coefficient, at any level.
    shared : float in [0, 1]
        Of what a metric does not have in common with people, the share of the variance that A and B have in
        common.
    """
    check_rate("degraded", degraded)
    check_rate("shared", shared)
    one = likeness.select([metric])
    k = one.place(metric)

    def pair(factors: Factors) -> Factors:
        gold, row = math.sqrt(factors.variance[0]), factors.loadings[k]
        total = float(factors.variance[k])
        loadings, unique = [[gold, 0.0]], [0.0]
        for kept in (1.0, 1.0 - degraded):
            own = max(0.0, total - (kept * row[0]) ** 2)
            loadings.append([kept * row[0], math.sqrt(shared * own)])
            unique.append((1 - shared) * own)
        return Factors(np.array(loadings), np.array(unique))

    def offsets(offset: np.ndarray) -> np.ndarray:
        return np.array([offset[0], offset[k], (1 - degraded) * offset[k]])

    return replace(
        one,
        name=f"{likeness.name}: {metric}",
        planes=(one.planes[0], *TWINS),
        n_judgments=1,
        marginals=(one.marginals[0], one.marginals[k], one.marginals[k]),
        types={
            kind: SystemType(group.n_systems, offsets(group.offset), pair(group.system), pair(group.residual))
            for kind, group in one.types.items()
        },
        document=pair(one.document),
        copies={},
        scale={},
    )


def fitted(names: Sequence[str]) -> list[Likeness]:
    """The likenesses of some data sets, as they are kept.

    Parameters
    ----------
    names : of data sets that a likeness was fitted to

    Returns
    -------
    list of Likeness
    """
    return [model.read(name) for name in names]


def known(likenesses: Sequence[Likeness], *, coefficients: Sequence[str]) -> pd.DataFrame:
    """The true system-level correlations that are kept of likenesses: all systems, all documents.

    Parameters
    ----------
    likenesses : Likenesses
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``

    Returns
    -------
    DataFrame with columns dataset, metric, level, coefficient, value, mc_error
    """
    frames = []
    for likeness in likenesses:
        table = truth.population(likeness)
        wanted = (table["level"] == "system") & np.isinf(table["n_documents"])
        wanted &= table["group"].isin(["mix", "all", "unknown"]) & table["coefficient"].isin(coefficients)
        wanted &= table["metric"].isin(likeness.metrics)
        frames.append(table[wanted].assign(dataset=f"simulated-{likeness.name}"))
    keys = ["dataset", "metric", "level", "coefficient"]
    return check(pd.concat(frames, ignore_index=True)[[*keys, "value", "mc_error"]], keys=keys)


def true_value(
    likeness: Likeness,
    *,
    metrics: Sequence[str],
    level: str,
    coefficient: str,
    n_documents: int | None = None,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """True correlations over all systems of the likeness, types in their usual shares.

    Parameters
    ----------
    likeness : Likeness
    metrics, level, coefficient : what is correlated with people
    n_documents : int, optional
        Asks for the system-level correlation of means over this many documents, not of expected scores.
    rng : int, Generator or None

    Returns
    -------
    DataFrame with columns metric, value, mc_error
    """
    sizes = [] if n_documents is None else [n_documents]
    table = _true_values(likeness, tuple(metrics), (level,), coefficient, tuple(sizes), seed_of(rng))
    kept = table[np.isfinite(table["n_documents"]) == (level == "system" and bool(sizes))]
    return check(kept[["metric", "value", "mc_error"]].reset_index(drop=True), keys=["metric"])


@lru_cache(maxsize=64)  # a reader who moves intervals asks for the same truth again
def _true_values(
    likeness: Likeness,
    metrics: tuple[str, ...],
    levels: tuple[str, ...],
    coefficient: str,
    n_documents: tuple[int, ...],
    seed: int,
) -> pd.DataFrame:
    """True correlations at some levels, and of means over some numbers of documents."""
    return truth.compute(
        likeness, metrics=metrics, coefficients=[coefficient], groups=["all"], levels=levels,
        n_documents=n_documents, rng=stream(seed, likeness.name, "truth"),
    )  # fmt: skip


@growing
def coverage(
    likeness: Likeness,
    *,
    metric: str,
    n_systems: Sequence[int],
    n_documents: Sequence[int],
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
    methods: Sequence[str] = tuple(INTERVALS),
    n_trials: int = 200,
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
    step: int | None = None,
) -> Iterator[pd.DataFrame]:
    """How often intervals contain the true correlation.

    Parameters
    ----------
    likeness : Likeness
    metric : str
    n_systems, n_documents : sizes of the benchmarks, every one with every other
    levels, coefficient, methods, confidence_level : see `metaeval.stats.intervals.interval`
    n_trials : int
        Simulated benchmarks of each size.
    n_resamples : int
        Draws of each bootstrap.
    rng : int, Generator or None
    n_threads : int, by default one per processor; does not change the result

    Returns
    -------
    DataFrame
        One row per size, level, method and target: dataset, metric, level, coefficient, target, n_systems,
        n_documents, method, value (share of the trials), mc_error (binomial), n_trials, n_undefined,
        width and true_value (means over the trials). `target` says what the true correlation is of. At system
        level: all systems that could be drawn, or those of the trial, with their expected scores; or all
        systems, with means over as many documents as the trial has, which is lower, since such means are
        noisy. At summary level only the first.
    """
    seed = seed_of(rng)
    small = likeness.select([metric])
    true = _true_values(likeness, (metric,), tuple(levels), coefficient, tuple(n_documents), seed)
    over_documents = np.isfinite(true["n_documents"])
    goal = true[~over_documents].set_index("level")["value"].to_dict()
    noisy = true[over_documents].set_index("n_documents")["value"].to_dict()
    asked = list(product(levels, methods))
    settings = {
        "coefficient": coefficient,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "n_threads": 1,
    }

    def trial(n: int, m: int, i: int) -> tuple[list[tuple[float, float]], float]:
        name = (likeness.name, n, m, i)
        drawn = draw(small, n_systems=n, n_documents=m, rng=stream(seed, *name, "data"))
        x, z = drawn.benchmark.scores.to_numpy()[0], drawn.benchmark.human.to_numpy()
        own = float(drawn.truth.correlations(coefficient=coefficient)[metric])
        found = [
            interval(x, z, level=level, method=method, rng=stream(seed, *name, level, method), **settings)
            for level, method in asked
        ]
        return [(bounds.low, bounds.high) for bounds in found], own

    sizes = list(product(n_systems, n_documents))
    trials = [partial(trial, n, m) for n, m in sizes]
    for found in in_steps(trials, n_trials, step=step, n_threads=n_threads):
        rows = []
        for (n, m), given in zip(sizes, found, strict=True):
            bounds, own = zip(*given, strict=True)
            for (level, method), (low, high) in zip(asked, np.transpose(bounds, (1, 2, 0)), strict=True):
                targets = {POPULATION: goal[level]}
                if level == "system":
                    targets |= {THESE_SYSTEMS: np.array(own), AS_MANY: noisy[m]}
                for target, true in targets.items():
                    held = np.where(np.isnan(low + high + true), np.nan, (low <= true) & (true <= high))
                    rows.append(
                        {
                            "dataset": f"simulated-{likeness.name}",
                            "metric": metric,
                            "level": level,
                            "coefficient": coefficient,
                            "target": target,
                            "n_systems": n,
                            "n_documents": m,
                            "method": method,
                            **_share(held),
                            "width": _mean(high - low),
                            "true_value": _mean(true),
                        }
                    )
        yield check(pd.DataFrame(rows), keys=_COVERED)


def coverage_in_words(table: pd.DataFrame, *, confidence_level: float) -> str:
    """How often each method holds what it promises, over all sizes, levels and readings of the truth.

    Parameters
    ----------
    table : DataFrame of `coverage`
    confidence_level : float

    Returns
    -------
    str
    """
    (first, n, of), *others = _kept(table, confidence_level).itertuples()
    trials = table["n_trials"].max()
    told = [f"{first} in {n} of {of} combinations of size, level and truth"]
    told += [f"{method} in {n}" for method, n, _ in others]
    return (
        f"A method that keeps its promise of {100 * confidence_level:g} % shows, in {trials:,} trials, a "
        f"share within {100 * ERRORS * share_error(confidence_level, trials):.0f} points of it ({ERRORS:g} "
        "standard errors of that share; the ± of the answer is 2, of the share there that is least sure). "
        f"Within that range lie {joined(told)}."
    )


def _kept(table: pd.DataFrame, confidence_level: float) -> pd.DataFrame:
    """In how many rows (sum, of size) each method holds its promise within the error of the trials."""
    error = share_error(confidence_level, table["n_trials"] - table["n_undefined"])  # if the promise is kept
    near = (table["value"] - confidence_level).abs() <= ERRORS * error
    return near.groupby(table["method"], sort=False).agg(["sum", "size"])


def readings_in_words(covered: pd.DataFrame) -> str:
    """How often intervals hold the truth in two readings, of many systems on few documents.

    Parameters
    ----------
    covered : DataFrame of `coverage`

    Returns
    -------
    str
        Of Boot-Both, or of the first method where that is none of them.
    """
    rows = covered[covered["level"] == "system"]
    if rows.empty:
        return "There are two readings of the truth at system level, which is not asked for here."
    methods = list(dict.fromkeys(rows["method"]))
    method = "Boot-Both" if "Boot-Both" in methods else methods[0]
    rows = rows[(rows["method"] == method) & (rows["n_systems"] == rows["n_systems"].max())]
    rows = rows[rows["n_documents"] == rows["n_documents"].min()].set_index("target")
    first = rows.iloc[0]
    return (
        f"With {first['n_systems']} systems and {first['n_documents']} documents, {method} contains the true "
        f"system-level correlation over all documents in {percent(rows.loc[POPULATION, 'value'])} of "
        f"{first['n_trials']} trials, and that of means over {first['n_documents']} documents in "
        f"{percent(rows.loc[AS_MANY, 'value'])}."
    )


def answer(
    covered: pd.DataFrame, rejected: pd.DataFrame, *, confidence_level: float, alpha: float
) -> dict[str, str]:
    """The page's answer: how often intervals contain the truth over all systems, and how often tests err.

    Parameters
    ----------
    covered, rejected : DataFrames of `coverage` and `rejections`
        The largest benchmark, the first level.
    confidence_level, alpha : float
        Of the intervals, and of the tests.

    Returns
    -------
    dict
        ``truth-answer-short`` and ``truth-answer-sure``; every word is chosen from the numbers.
    """
    first = covered[(covered["target"] == POPULATION) & (covered["level"] == covered["level"].iloc[0])]
    largest, tested = _largest(first), _largest(rejected)
    row = largest.iloc[0]
    size = f"{row['n_systems']} systems and {row['n_documents']} documents"
    shares = pd.concat([largest["value"], tested["value"]])
    off = 2 * share_error(shares, row["n_trials"]).max()
    return {
        "truth-answer-short": (
            f"With {size}, {percent(confidence_level, None)} intervals contain the true correlation over all "
            f"systems ({words('level', row['level'])}) in "
            f"{joined([f'{percent(one.value)} ({one.method})' for one in largest.itertuples()])} of "
            f"{row['n_trials']} trials (± {100 * off:.0f} points at most)."
        ),
        "truth-answer-sure": _errors_told(tested[tested["true_difference"] == 0], alpha),
    }


def _largest(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the most systems, and of the most documents among them."""
    most = table[table["n_systems"] == table["n_systems"].max()]
    return most[most["n_documents"] == most["n_documents"].max()]


def _errors_told(equal: pd.DataFrame, alpha: float) -> str:
    """How often tests call two equally good metrics different, from the test that does so least."""
    if equal.empty:
        return "No two metrics here are equally good."
    known = equal.dropna(subset="value").sort_values("value", kind="stable")
    if known.empty:
        return "No test gives a value for two equally good metrics."
    ends = known.iloc[[0, -1]]
    shares = " to ".join(f"{percent(one.value)} ({one.method})" for one in ends.itertuples())
    if ends["value"].map(percent).nunique() == 1:
        shares = f"{percent(known['value'].iloc[0])} ({joined(known['method'])})"
    return (
        f"Tests that promise {percent(alpha, None)} errors call two equally good metrics different in "
        f"{shares}."
    )


def rejections(
    likeness: Likeness,
    *,
    metric: str,
    degradations: Sequence[float],
    n_systems: Sequence[int],
    n_documents: Sequence[int],
    level: str = "system",
    coefficient: str = "pearson",
    methods: Sequence[str] = TESTS,
    alpha: float = 0.05,
    n_trials: int = 200,
    n_resamples: int = 500,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """How often tests say that one of two metrics agrees better with people.

    Parameters
    ----------
    likeness, metric : A is made after this metric, B is A degraded: see `twins`
    degradations : at 0 every rejection is an error of the first kind; beyond, it is power
    n_systems, n_documents, n_trials, n_resamples, rng, n_threads : see `coverage`
    level, coefficient : see `metaeval.stats.differences.compare`
    methods : of `metaeval.stats.differences.TESTS`
    alpha : float in (0, 1)
        A two-sided p-value at most this rejects.

    Returns
    -------
    DataFrame
        One row per degradation, size and method: dataset, metric, level, coefficient, degraded,
        true_difference (of A and B), n_systems, n_documents, method, value (share of trials that reject),
        mc_error (binomial), n_trials, n_undefined
    """
    seed = seed_of(rng)
    check_alpha(alpha)
    check_trials(n_trials)
    settings = {"level": level, "coefficient": coefficient, "n_resamples": n_resamples, "n_threads": 1}

    def trial(both: Likeness, n: int, m: int, i: int) -> list[float]:
        name = (both.name, n, m, i)
        drawn = draw(both, n_systems=n, n_documents=m, metrics=TWINS, rng=stream(seed, *name, "data"))
        (a, b), human = drawn.benchmark.scores.to_numpy(), drawn.benchmark.human.to_numpy()
        return [
            compare(a, b, human, method=method, rng=stream(seed, *name, method), **settings).pvalue
            for method in methods
        ]

    rows = []
    for degraded in degradations:
        both = twins(likeness, metric, degraded=degraded)
        difference = 0.0  # of twins, which change places without a difference
        if degraded:
            true = true_value(both, metrics=TWINS, level=level, coefficient=coefficient, rng=seed)
            difference = float(np.subtract(*true.set_index("metric").loc[list(TWINS), "value"]))
        for n, m in product(n_systems, n_documents):
            pvalues = np.array(in_threads(partial(trial, both, n, m), range(n_trials), n_threads=n_threads))
            for method, column in zip(methods, pvalues.T, strict=True):
                rows.append(
                    {
                        "dataset": f"simulated-{likeness.name}",
                        "metric": metric,
                        "level": level,
                        "coefficient": coefficient,
                        "degraded": degraded,
                        "true_difference": difference,
                        "n_systems": n,
                        "n_documents": m,
                        "method": method,
                        **_share(np.where(np.isnan(column), np.nan, column <= alpha)),
                    }
                )
    keys = ["dataset", "metric", "level", "coefficient", "degraded", "n_systems", "n_documents", "method"]
    return check(pd.DataFrame(rows), keys=keys)


def _share(held: np.ndarray) -> dict[str, float]:
    """Share of ones among zeros and ones, its binomial error, trials, and those without an answer (NaN)."""
    n_defined = int((~np.isnan(held)).sum())
    value = float(np.nanmean(held)) if n_defined else math.nan
    return {
        "value": value,
        "mc_error": float(share_error(value, n_defined)),
        "n_trials": len(held),
        "n_undefined": len(held) - n_defined,
    }


def _mean(values: np.ndarray | float) -> float:
    """Mean of the values that exist; NaN where none does."""
    defined = np.atleast_1d(values)
    defined = defined[~np.isnan(defined)]
    return float(defined.mean()) if len(defined) else math.nan


def true_coverage_dots(results: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Coverage by method, one panel per target, one mark per size; a dropdown picks the level.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.truth.coverage`
    confidence_level : float
        Drawn as a line.
    """
    methods, targets = results["method"].unique().tolist(), results["target"].unique().tolist()
    shown = _with_size(results)
    sheet = marks(
        shown,
        x="value",
        y="method",
        panel="target",
        series="size",
        menu="level",
        order=methods,
        labels={"value": "coverage"},
        hover=["n_trials"],
        digits=2,
        titles=[target.replace(", ", ",<br>") for target in targets],
        gap=0.03,
    )
    sheet.x(range=[-0.05, 1.05], dtick=0.5).rule(x=confidence_level).menu("Level", "level")
    return sheet.figure(height=dot_height(methods, shown["size"].unique()))


def rejection_curves(results: pd.DataFrame, *, alpha: float) -> go.Figure:
    """Share of trials in which a test rejects against the true difference, one panel per size.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.truth.rejections`
    alpha : float
        Drawn as a line.
    """
    shown = _with_size(results).sort_values("true_difference", kind="stable")
    sheet = marks(
        shown,
        x="true_difference",
        y="value",
        mode="lines+markers",
        panel="size",
        series="method",
        labels={"true_difference": "true difference", "value": "share that rejects"},
        hover=["n_trials"],
        digits=2,
        size=7,
        titles=[size.replace(", ", ",<br>") for size in shown["size"].unique()],
        gap=0.03,
    )
    sheet.side_by_side().layout |= {"scattergap": 0.7}  # beside each other, yet near the difference
    differences = sorted(shown["true_difference"].unique().tolist())
    sheet.x(tickvals=differences, ticktext=[f"{difference:.2g}" for difference in differences])
    return sheet.y(range=[-0.03, 1.03]).rule(y=alpha).figure(height=480)


def _with_size(results: pd.DataFrame) -> pd.DataFrame:
    sizes = results[["n_systems", "n_documents"]].itertuples(index=False, name=None)
    return results.assign(size=[f"{n} systems, {m} documents" for n, m in sizes])


_AT_A_TIME = 2  # trials of each size between two figures
_likeness = cache(model.read)  # the same object, whose true correlations are kept


def _metrics(settings: Settings) -> list[str]:
    return load(PREFIX + settings["likeness"]).metrics


def _coverage(*, likeness, seed, **settings) -> Iterator[pd.DataFrame]:
    return coverage.growing(_likeness(likeness), **settings, step=_AT_A_TIME, rng=seed)


LIVE = Live(
    notebook="truth",
    question="How often does an interval hold the true correlation, which only a simulation knows?",
    controls=(
        One("likeness", "Likeness of", choices.FITTED),
        One("metric", "Metric", _metrics),
        Several("n_systems", "Systems", (8, 12, 25, 50)),
        Several("n_documents", "Documents", (10, 25, 50, 100)),
        Several("levels", "Levels", choices.LEVELS),
        choices.COEFFICIENT,
        Several("methods", "Methods", tuple(INTERVALS)),
        choices.CONFIDENCE_LEVEL,
        Whole("n_trials", "Trials", 10, 200, 10),
        choices.draws("n_resamples", "Draws", 500, least=100),
    ),
    fixed=("seed",),
    smaller={"n_trials": 20},
    remark="Starts with 20 trials; the notebook takes 60.",
    settle_s=SETTLED_S,
    compute=_coverage,
    draw=lambda table, settings: true_coverage_dots(table, confidence_level=settings["confidence_level"]),
    says=lambda table, settings: coverage_in_words(table, confidence_level=settings["confidence_level"]),
    grows="n_trials",
)
