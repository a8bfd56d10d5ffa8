"""experiments.truth: how often do intervals and tests err where the true correlation is known?

The same on real data is in `helpers.experiments.coverage`, after Deutsch et al. 2021, §5.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.draws import accumulate_trials, growing
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.recorded import FOLDER
from helpers.kit.theme import share_axis
from helpers.kit.tidy import tidy
from metaeval.core.limits import check_alpha, check_rate
from metaeval.core.mode import PREFIX
from metaeval.datasets import load
from metaeval.simulation import model, truth
from metaeval.simulation.model import Factors, Likeness, SystemType, draw
from metaeval.stats.differences import compare
from metaeval.stats.intervals import INTERVALS, interval
from metaeval.stats.monte_carlo import check_trials, map_threads, share_error
from metaeval.stats.streams import seed_of, stream
from metaeval.tables.columns import check
from metaeval.tables.labels import words

TWINS = ("A", "B")
ERRORS = "no difference"
POPULATION = "all systems, all documents"
THESE_SYSTEMS = "these systems, all documents"
AS_MANY = "all systems, as many documents"
TESTS = (
    "Williams",
    *(f"{family}-{what}" for family in ("Boot", "Perm") for what in ("Systems", "Inputs", "Both")),
)
KIND, SIZE = ("dataset", "metric", "level", "coefficient"), ("n_systems", "n_documents", "method")


def twins(likeness: Likeness, metric: str, *, degraded: float = 0.0, shared: float = 0.5) -> Likeness:
    """A likeness with two metrics, A and B, made after one; B lacks some of what it shares with people."""
    # `degraded` is the share that B lacks, at every level: its variance is as large, but noise in that part.
    # `shared` is the share of the variance that A and B have in common in what neither shares with people.
    check_rate("degraded", degraded)
    check_rate("shared", shared)
    one = likeness.select([metric])
    k = one.place(metric)

    def pair(factors: Factors) -> Factors:
        gold, row = math.sqrt(factors.variance[0]), factors.loadings[k]
        total = float(factors.variance[k])
        loadings, unique = [[gold, 0.0]], [0.0]
        for share in (1.0, 1.0 - degraded):
            own = max(0.0, total - (share * row[0]) ** 2)
            loadings.append([share * row[0], math.sqrt(shared * own)])
            unique.append((1 - shared) * own)
        return Factors(np.array(loadings), np.array(unique))

    def offsets(offset: np.ndarray) -> np.ndarray:
        return np.array([offset[0], offset[k], (1 - degraded) * offset[k]])

    types = {
        kind: SystemType(group.n_systems, offsets(group.offset), pair(group.system), pair(group.residual))
        for kind, group in one.types.items()
    }
    return replace(
        one, name=f"{likeness.name}: {metric}", planes=(one.planes[0], *TWINS), n_judgments=1,
        marginals=(one.marginals[0], one.marginals[k], one.marginals[k]), types=types,
        document=pair(one.document), copies={}, scale={},
    )  # fmt: skip


def fitted(names: Sequence[str]) -> list[Likeness]:
    """The likenesses of some data sets, as they are kept."""
    return [model.read(name) for name in names]


@tidy(*KIND)
def true_correlations(likenesses: Sequence[Likeness], *, coefficients: Sequence[str]):
    """The true system-level correlations that are kept of likenesses: all systems, all documents."""
    for likeness in likenesses:
        table = truth.population(likeness)
        is_chosen = (table["level"] == "system") & np.isinf(table["n_documents"])
        is_chosen &= table["group"].isin(["mix", "all", "unknown"]) & table["coefficient"].isin(coefficients)
        is_chosen &= table["metric"].isin(likeness.metrics)
        yield table[is_chosen].assign(dataset=PREFIX + likeness.name)[[*KIND, "value", "mc_error"]]


@lru_cache(maxsize=64)  # a reader who moves intervals asks for the same truth again
def true_values(
    likeness: Likeness, metrics: tuple[str, ...], levels: tuple[str, ...], coefficient: str,
    n_documents: tuple[int, ...], seed: int,
) -> pd.DataFrame:  # fmt: skip
    """True correlations over all systems at some levels, and of means over some numbers of documents."""
    values = truth.compute(
        likeness, metrics=metrics, coefficients=[coefficient], groups=["all"], levels=levels,
        n_documents=n_documents, rng=stream(seed, likeness.name, "truth"),
    )  # fmt: skip
    return check(values, keys=truth.COLUMNS[:-2])


@growing
def coverage(
    likeness: Likeness, *, metric: str, n_systems, n_documents, levels=("system", "summary"),
    coefficient="pearson", methods=tuple(INTERVALS), n_trials=200, n_resamples=500, confidence_level=0.95,
    rng=None, n_threads=None, step=None,
):  # fmt: skip
    """Share of intervals that hold the true correlation, by size, level, method and reading of the truth."""
    seed, small = seed_of(rng), likeness.select([metric])
    cases, sizes = list(product(levels, methods)), list(product(n_systems, n_documents))
    settings = {
        "coefficient": coefficient, "n_resamples": n_resamples, "confidence_level": confidence_level,
        "n_threads": 1,
    }  # fmt: skip

    def trial(n: int, m: int, i: int) -> tuple[list[tuple[float, float]], float]:
        name = (likeness.name, n, m, i)
        drawn = draw(small, n_systems=n, n_documents=m, rng=stream(seed, *name, "data"))
        x, z = drawn.benchmark.scores.to_numpy()[0], drawn.benchmark.human.to_numpy()
        own = float(drawn.correlations(coefficient=coefficient)[metric])
        bounds = [
            interval(x, z, level=level, method=method, rng=stream(seed, *name, level, method), **settings)
            for level, method in cases
        ]
        return [(one.low, one.high) for one in bounds], own

    true = true_values(likeness, (metric,), tuple(levels), coefficient, tuple(n_documents), seed)
    names = PREFIX + likeness.name, metric, coefficient
    trials = [partial(trial, n, m) for n, m in sizes]
    for outcomes in accumulate_trials(trials, n_trials, step=step, n_threads=n_threads):
        yield _covered(*names, sizes, cases, true, outcomes)


@tidy(*KIND, "target", *SIZE)
def _covered(dataset, metric, coefficient, sizes, cases, true: pd.DataFrame, outcomes):
    """Shares of intervals that hold each truth of some trials, with mean widths and truths."""
    is_mean = np.isfinite(true["n_documents"])  # which are lower, since such means are noisy
    goal = true[~is_mean].set_index("level")["value"]
    noisy = true[is_mean].set_index("n_documents")["value"]
    for (n, m), trials in zip(sizes, outcomes, strict=True):
        bounds, own = zip(*trials, strict=True)
        for (level, method), (low, high) in zip(cases, np.transpose(bounds, (1, 2, 0)), strict=True):
            targets = {POPULATION: goal[level]}
            if level == "system":
                targets |= {THESE_SYSTEMS: np.array(own), AS_MANY: noisy[m]}
            for target, value in targets.items():
                held = np.where(np.isnan(low + high + value), np.nan, (low <= value) & (value <= high))
                yield {
                    "dataset": dataset, "metric": metric, "level": level, "coefficient": coefficient,
                    "target": target, "n_systems": n, "n_documents": m, "method": method, **_share(held),
                    "width": _mean(high - low), "true_value": _mean(value),
                }  # fmt: skip


@tidy(*KIND, "degraded", *SIZE)
def rejections(
    likeness: Likeness, *, metric: str, degradations, n_systems, n_documents, level="system",
    coefficient="pearson", methods=TESTS, alpha=0.05, n_trials=200, n_resamples=500, rng=None, n_threads=None,
):  # fmt: skip
    """Share of tests that call twins of a metric different: errors where B lacks nothing, otherwise power."""
    check_alpha(alpha)
    check_trials(n_trials)
    kind = {"level": level, "coefficient": coefficient}

    def trial(both: Likeness, n: int, m: int, i: int) -> list[float]:
        name = (both.name, n, m, i)
        drawn = draw(both, n_systems=n, n_documents=m, metrics=TWINS, rng=stream(rng, *name, "data"))
        (a, b), human = drawn.benchmark.scores.to_numpy(), drawn.benchmark.human.to_numpy()
        settings = kind | {"n_resamples": n_resamples, "n_threads": 1}
        return [
            compare(a, b, human, method=method, rng=stream(rng, *name, method), **settings).pvalue
            for method in methods
        ]

    for degraded in degradations:
        both = twins(likeness, metric, degraded=degraded)
        difference = 0.0  # of twins, which change places without a difference
        if degraded:
            true = true_values(both, TWINS, (level,), coefficient, (), rng).set_index("metric")["value"]
            difference = float(true["A"] - true["B"])
        for n, m in product(n_systems, n_documents):
            pvalues = np.array(map_threads(partial(trial, both, n, m), range(n_trials), n_threads=n_threads))
            for method, column in zip(methods, pvalues.T, strict=True):
                yield {
                    "dataset": PREFIX + likeness.name, "metric": metric, **kind, "degraded": degraded,
                    "true_difference": difference, "n_systems": n, "n_documents": m, "method": method,
                    **_share(np.where(np.isnan(column), np.nan, column <= alpha)),
                }  # fmt: skip


def _share(held: np.ndarray) -> dict[str, float]:
    """Share of ones among zeros and ones, its binomial error, trials, and those without an answer (NaN)."""
    n_defined = int((~np.isnan(held)).sum())
    value = _mean(held)
    return {
        "value": value, "mc_error": float(share_error(value, n_defined)), "n_trials": len(held),
        "n_undefined": len(held) - n_defined,
    }  # fmt: skip


def _mean(values: np.ndarray | float) -> float:
    """Mean of the values that exist; NaN where none does."""
    defined = np.atleast_1d(values)
    defined = defined[~np.isnan(defined)]
    return float(defined.mean()) if len(defined) else math.nan


def true_coverage_dots(results: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Coverage by method, one panel per target, one mark per number of systems; a dropdown for the rest."""
    methods, targets = results["method"].unique().tolist(), results["target"].unique().tolist()
    rows = results.sort_values("n_documents", ascending=False, kind="stable")
    level = rows["level"].map(lambda name: words("level", name))
    rows = rows.assign(view=level + ", " + rows["n_documents"].astype(str) + " documents")
    systems = sorted(rows["n_systems"].unique())
    sheet = marks(
        rows, x="value", y="method", panel="target", series="n_systems", menu="view", order=methods,
        labels={"value": "coverage"}, hover=["n_trials"], digits=2, gap=0.03,
        name={n: f"{n} systems" for n in systems},
        titles=[target.replace(", ", ",<br>") for target in targets],
    )  # fmt: skip
    sheet.x(range=[-0.05, 1.05], dtick=0.5).rule(x=confidence_level, text="as promised")
    return sheet.menu("Benchmark", "view").figure(height=dot_height(methods, systems))


def rejection_dots(results: pd.DataFrame, *, alpha: float) -> go.Figure:
    """Share of trials in which a test rejects, a row of panels per true difference, a column per size."""
    sizes = results[["n_systems", "n_documents"]].itertuples(index=False, name=None)
    sized = results.assign(size=[f"{n} systems, {m} documents" for n, m in sizes])
    sized = sized.sort_values(["true_difference", "n_systems", "n_documents"], ascending=[True, False, False])
    named = {value: f"difference {value:.2g}" for value in sized["true_difference"]} | {0: ERRORS}
    methods = sized.groupby("method")["value"].mean().sort_values().index.tolist()
    sheet = marks(
        sized.assign(truth=sized["true_difference"].map(named)), x="value", y="method", panel="size",
        row="truth", colour="method", order=methods, labels={"value": "trials that reject"}, digits=2,
        hover=["n_trials"], titles=[size.replace(", ", ",<br>") for size in sized["size"].unique()],
    )  # fmt: skip
    for row in sheet.x(**share_axis(-0.04, 1.04, step=1)).rows:
        sheet.categories(methods, row)
    if ERRORS in sheet.rows:
        sheet.rule(x=alpha, row=ERRORS, text="as promised")
    return sheet.figure(height=110 + (70 + 24 * len(methods)) * len(sheet.rows))


_likeness = cache(model.read)  # the same object, whose true correlations are kept


LIVE = live(
    "truth",
    lambda *, likeness, seed, **settings: coverage.growing(_likeness(likeness), step=2, rng=seed, **settings),
    true_coverage_dots,
    "likeness metric n_systems n_documents levels coefficient methods confidence_level n_trials n_resamples",
    question="How often does an interval hold the true correlation, which only a simulation knows?",
    offer={"metric": lambda settings: load(PREFIX + settings["likeness"]).metrics},
    initial={"n_trials": 20},
    progressive="n_trials",
)


@cache
def _recorded(name: str) -> pd.DataFrame:
    """A table of `benchmarks.verdicts`."""
    return pd.read_csv(FOLDER / f"{name}.csv")


def judge_intervals() -> pd.DataFrame:
    """Coverage and power of judge minus rater in simulated worlds, as `benchmarks.verdicts` recorded them."""
    table = _recorded("bench_verdicts").query(
        "level == 'system' and coefficient == 'kendall' and quantity == 'judge minus rater'"
    )
    by_judge = table.pivot(index="world", columns="judge", values=["coverage", "above", "yes", "no"])
    border = ["border", "twin"]
    shares = {
        "share_covered": by_judge["coverage"].mean(axis=1),
        "share_false_yes": by_judge["above"][border].mean(axis=1),
        "share_yes_equal": by_judge["yes"]["equal"],
        "share_yes_perfect": by_judge["yes"]["perfect"],
        "share_no_useless": by_judge["no"]["useless"],
    }
    rows = pd.DataFrame(shares).loc[table["world"].unique()].rename_axis("world").reset_index()
    sizes = rows["world"].str.extract(r"(.*) (\d+)x(\d+)x(\d+)$")
    rows["world"] = sizes[0]
    for place, name in enumerate(("n_systems", "n_documents", "n_raters"), start=1):
        rows.insert(place, name, sizes[place].astype(int))
    return check(rows, keys=["world", "n_systems", "n_documents", "n_raters"], values=tuple(shares))


# shares that a study of 95 % intervals, each side at 2.5 %, has to keep; named before it was measured
MIN_COVERED, MAX_COVERED, MAX_COVERED_ABOVE = 0.93, 0.98, 0.998
MAX_FALSE, MAX_MEAN_FALSE = 0.035, 0.03
POWER = {
    ("normal 16x100x3", "equal", "yes"): 0.24, ("normal 30x100x3", "equal", "yes"): 0.58,
    ("normal 16x100x3", "perfect", "yes"): 0.84, ("normal 16x100x3", "useless", "no"): 0.9,
}  # fmt: skip
BARS = {
    "covers": "every interval covers at least 93 %",
    "not too long": "not above 98 %, for good judges 99.8 %",
    "false yes": "false yes at the margin at most 3.5 %",
    "false no": "false no at the margin at most 3.5 %",
    "mean false yes": "false yes, mean over worlds, at most 3 %",
    "decides": "says what is so, 16 and 30 systems",
    "gate covers": "intervals of labels and choices cover 93 %",
    "gate": "false yes of a gate at most 3.5 %",
    "plan": "a pilot's number of systems within a factor of 2 in 80 %",
    "plan by seed": "the same within 20 % for five seeds",
}


def bar_rows(judges: pd.DataFrame, gates: pd.DataFrame, plans: pd.DataFrame) -> pd.DataFrame:
    """Recorded rows beside `BARS`: bar, world, quantity, judge, value, threshold, is_held."""
    judges = judges.assign(
        quantity=judges["quantity"]
        + ", "
        + judges["coefficient"]
        + judges["level"].map({"system": "", "summary": " over summaries"}),
        slack=2 * share_error(MIN_COVERED, judges["n_studies"]),
    )
    minus = judges[judges["quantity"] == "judge minus rater, kendall"]
    border = minus[minus["judge"].isin(["border", "twin"])].groupby("world", sort=False)
    false = border.agg({"above": "mean", "below": "mean", "n_studies": "sum"}).reset_index()
    false = false.assign(quantity="judge minus rater, kendall", judge="border, twin")
    slack = 2 * share_error(MAX_FALSE, false["n_studies"])
    is_good = minus["judge"].isin(["equal", "perfect"])
    power = [
        {"world": world, "judge": judge, "quantity": side, "threshold": bound,
         "value": minus.set_index(["world", "judge"]).loc[(world, judge), side]}
        for (world, judge, side), bound in POWER.items()
    ]  # fmt: skip
    mean = {
        "world": "all",
        "judge": "border, twin",
        "value": false["above"].mean(),
        "threshold": MAX_MEAN_FALSE,
    }
    gate_slack = 2 * share_error(MIN_COVERED, gates["n_studies"])
    parts = {
        "covers": judges.assign(value=judges["coverage"], threshold=MIN_COVERED - judges["slack"]),
        "not too long": minus.assign(
            value=minus["coverage"], threshold=np.where(is_good, MAX_COVERED_ABOVE, MAX_COVERED)
        ),
        "false yes": false.assign(value=false["above"], threshold=MAX_FALSE + slack),
        "false no": false.assign(value=false["below"], threshold=MAX_FALSE + slack),
        "mean false yes": pd.DataFrame([mean | {"quantity": "judge minus rater, kendall"}]),
        "decides": pd.DataFrame(power),
        "gate covers": gates.assign(judge="", value=gates["coverage"], threshold=MIN_COVERED - gate_slack),
        "gate": gates.assign(judge="", value=gates["above"], threshold=MAX_FALSE),
        "plan": plans.assign(quantity="systems", value=plans["share_within_twice"], threshold=0.8),
        "plan by seed": plans.assign(quantity="systems", value=plans["largest_by_seed"], threshold=1.2),
    }
    rows = pd.concat([part.assign(bar=bar) for bar, part in parts.items()], ignore_index=True)
    is_minimum = rows["bar"].isin(["covers", "decides", "gate covers", "plan"])
    rows["is_held"] = np.where(
        is_minimum, rows["value"] >= rows["threshold"], rows["value"] <= rows["threshold"]
    )
    columns = ["bar", "world", "quantity", "judge", "value", "threshold", "is_held"]
    return check(rows[columns], keys=columns[:4], values=["value"])


def _recorded_bars() -> pd.DataFrame:
    return bar_rows(*map(_recorded, ("bench_verdicts", "bench_verdict_gates", "bench_verdict_plans")))


def judge_bars() -> pd.DataFrame:
    """Each bar with the numbers of its recorded rows, and of those that miss it."""
    rows = _recorded_bars()
    grouped = rows.groupby("bar", sort=False)
    table = pd.DataFrame(
        {
            "n_rows": grouped.size(), "n_missed": (~rows["is_held"]).groupby(rows["bar"], sort=False).sum(),
            "lowest": grouped["value"].min(), "highest": grouped["value"].max(),
        }
    ).reset_index()  # fmt: skip
    return check(table.assign(bar=table["bar"].map(BARS)), keys=["bar"], values=["lowest", "highest"])


def judge_misses() -> pd.DataFrame:
    """The recorded rows that miss a bar."""
    rows = _recorded_bars()
    rows = rows[~rows["is_held"]].drop(columns="is_held").reset_index(drop=True)
    return check(rows.assign(bar=rows["bar"].map(BARS)), keys=["bar", "world", "quantity", "judge"])
