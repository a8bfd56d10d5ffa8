"""experiments.power: can a test find the better metric? Power against a metric that sees part of a summary.

For the notebook `power`: ROUGE-1 of whole summaries is compared with ROUGE-1 of a random share of their
tokens (`metrics.rouge`), which is the worse metric by construction. Deutsch et al. 2021, §5.2 and Fig. 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.growing import growing, in_steps
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.told import value_told
from metaeval.core.limits import check_alpha
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS, Unigrams, degraded_rouge_1, unigrams
from metaeval.stats.correlation import correlate
from metaeval.stats.differences import TESTS, compare_pairs
from metaeval.stats.monte_carlo import share_error, share_interval
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.wording import joined, percent

_LEVELS = ("system", "summary")


@growing
def table(
    benchmark: Benchmark,
    *,
    kept: Sequence[float],
    part: str,
    n_references: int | None = None,
    levels: Sequence[str] = _LEVELS,
    coefficient: str = "pearson",
    methods: Sequence[str] = ("Perm-Both", "Boot-Both", "Williams"),
    alpha: float = 0.05,
    n_trials: int = 1_000,
    n_resamples: int = 1_000,
    rng: RNGLike,
    n_threads: int | None = None,
    step: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Share of trials in which a one-sided test finds ROUGE-1 better than its degraded self.

    Parameters
    ----------
    benchmark : Benchmark with texts
    kept : percentages of the tokens that the degraded metric sees
    part : {"F1", "recall", "precision"}
    n_references : int
        The first references of each document that count; by default all.
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficient : {"pearson", "spearman", "kendall"}
    methods : of `metaeval.stats.differences.TESTS`
    alpha : float in (0, 1)
        A test has found the difference where its p-value is at most this.
    n_trials : int, at least 1
        Random degradations.
    n_resamples : int, at least 1
    rng : seed, Generator or None
    n_threads : int, by default one per processor; does not change the result

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, kept, value (the share), mc_error
    (binomial), n_trials, n_undefined
        A test without a p-value has found nothing, and is counted.

    Raises
    ------
    UnknownNameError, ValueError
        For a part, level, coefficient or method that does not exist, numbers out of range, and a benchmark
        without texts.
    """
    seed = seed_of(rng)
    check_alpha(alpha)
    human = benchmark.human.to_numpy()
    counted, whole = _whole(benchmark, part, n_references)
    pairs = [[0, i + 1] for i in range(len(kept))]
    cases = list(product(levels, methods))

    def trial(number: int) -> np.ndarray:
        """p-values (n_cases, n_kept)."""
        tokens = stream(seed, benchmark.name, "tokens", number)
        scores = np.concatenate([whole, degraded_rouge_1(counted, kept=kept, part=part, rng=tokens)])
        draws = seed_of(stream(seed, benchmark.name, "resamples", number))
        return np.array(
            [
                compare_pairs(
                    scores, human, pairs, level=level, coefficient=coefficient, method=method,
                    alternative="greater", n_resamples=n_resamples, rng=draws, n_threads=1,
                ).pvalue
                for level, method in cases
            ]
        )  # fmt: skip

    rows = [(level, method, share) for level, method in cases for share in kept]
    named = pd.DataFrame(rows, columns=["level", "method", "kept"])
    named.insert(1, "coefficient", coefficient)
    named.insert(0, "dataset", benchmark.name)
    for (pvalues,) in map(np.array, in_steps([trial], n_trials, step=step, n_threads=n_threads)):
        share = (pvalues <= alpha).mean(axis=0).ravel()
        found = named.assign(
            value=share,
            mc_error=share_error(share, len(pvalues)),
            n_trials=len(pvalues),
            n_undefined=np.isnan(pvalues).sum(axis=0).ravel(),
        )
        yield check(found, keys=["dataset", "level", "coefficient", "method", "kept"])


def with_intervals(power: pd.DataFrame, *, confidence_level: float = 0.95) -> pd.DataFrame:
    """The table with a Monte-Carlo interval of each share, for a figure; it has a length at 0 and 1 too.

    Parameters
    ----------
    power : DataFrame of `table`
    confidence_level : float

    Returns
    -------
    DataFrame, the rows of `power` with the columns low and high
    """
    low, high = share_interval(power["value"], power["n_trials"], confidence_level=confidence_level)
    found = power.assign(low=low, high=high)
    return check(found, keys=["dataset", "level", "coefficient", "method", "kept"])


def in_words(power: pd.DataFrame) -> str:
    """Which tests find the difference most often, over all levels and shares of tokens.

    Parameters
    ----------
    power : DataFrame of `table`

    Returns
    -------
    str
    """
    mean = power.groupby("method", sort=False)["value"].mean()
    said = joined([f"{method} in {percent(share)}" for method, share in mean.items()])
    trials = f"After {power['n_trials'].max():,} trials"
    return f"{trials} the tests find the difference, on average over all points: {said}."


def near_words(power: pd.DataFrame, near: pd.DataFrame, *, alpha: float) -> str:
    """Whether power falls on close to all tokens, and to what a test finds of no difference.

    Parameters
    ----------
    power, near : DataFrames of `table`
        The shares of tokens of the figure, and those closer to all; the last of each is told.
    alpha : float
        Level of the tests.

    Returns
    -------
    str
    """
    keys, last, closest = ["level", "method"], power["kept"].max(), near["kept"].max()
    ends = power[power["kept"] == last].merge(near[near["kept"] == closest], on=keys, suffixes=("", "_near"))
    fall = ends["value"] - ends["value_near"]
    falls = fall > wording.ERRORS * np.hypot(ends["mc_error"], ends["mc_error_near"])
    above = ends["value_near"] > alpha + wording.ERRORS * share_error(alpha, ends["n_trials_near"])
    lines = [
        f"{row.method} at {words('level', row.level)} ({100 * row.value_near:.0f} ± "
        f"{100 * row.mc_error_near:.0f} %)"
        for row in ends[above].itertuples()
    ]
    return (
        f"From {last:g} to {closest:g} % of the tokens power falls, beyond simulation error, "
        f"{wording.in_cases(falls.sum(), len(ends))}. At {closest:g} % it lies above {100 * alpha:g} %, the "
        f"level of the tests, {wording.in_cases(above.sum(), len(ends))}"
        f"{': ' + joined(lines) if lines else ''}."
    )


def references_words(few: pd.DataFrame, more: pd.DataFrame, *, n_few: int, n_more: int) -> str:
    """What the test that finds least with few references finds with more, at most.

    Parameters
    ----------
    few, more : DataFrames of `table`
    n_few, n_more : their references

    Returns
    -------
    str
    """
    least = few.groupby("method", sort=False)["value"].mean().idxmin()
    tops = [rows[rows["method"] == least].nlargest(1, "value").iloc[0] for rows in (few, more)]
    found = [
        f"{100 * top['value']:.1f} ± {100 * top['mc_error']:.1f} % of {top['n_trials']:,} trials with "
        f"{wording.counted(n, 'reference')}"
        for top, n in zip(tops, (n_few, n_more), strict=True)
    ]
    gain = tops[1]["value"] - tops[0]["value"]
    error = wording.ERRORS * np.hypot(tops[0]["mc_error"], tops[1]["mc_error"])
    how = (
        "less, beyond simulation error",
        "not told apart within simulation error",
        "more, beyond simulation error",
    )
    return (
        f"With {few['kept'].min():g} to {few['kept'].max():g} % of the tokens kept, {least} finds the "
        f"difference in at most {found[0]} and {found[1]}: "
        f"{wording.against(gain - error, gain + error, words=how)}."
    )


def answer(power: pd.DataFrame, more: pd.DataFrame, *, n_more: int) -> dict[str, str]:
    """The page's answer: how often each test finds the difference where half of the tokens are left.

    Parameters
    ----------
    power : DataFrame of `table`
        At the first of its levels and the share of tokens in the middle.
    more : DataFrame of `table`, with more references
    n_more : int
        How many.

    Returns
    -------
    dict
        ``power-answer-short`` and ``power-answer-sure``; every word is chosen from the numbers.
    """
    level = power["level"].iloc[0]
    shares = sorted(power["kept"].unique())
    middle = shares[len(shares) // 2]
    at = with_intervals(power[(power["level"] == level) & (power["kept"] == middle)])
    told = {row.method: value_told(row, digits=1, percent=True) for row in at.itertuples()}
    first, *rest = told
    others = f"; {joined([f'{method} in {told[method]}' for method in rest])}" if rest else ""
    mean = power.groupby("method", sort=False)["value"].mean()
    least = mean.idxmin()
    top = more[more["method"] == least].nlargest(1, "value").iloc[0]
    return {
        "power-answer-short": (
            f"{first} finds that whole ROUGE-1 is better than ROUGE-1 on {middle:g} % of tokens in "
            f"{told[first]} of {at['n_trials'].max():,} trials ({words('level', level)}){others}."
        ),
        "power-answer-sure": (
            f"Over all levels and shares {least} finds least. With {n_more} references it finds at most "
            f"{percent(top['value'])}, of {top['n_trials']:,} trials."
        ),
    }


def _whole(benchmark, part, n_references) -> tuple[Unigrams, np.ndarray]:
    """The texts' tokens, and ROUGE-1 of whole summaries (1, n_systems, n_documents)."""
    counted = unigrams(benchmark.require_texts(), n_references=n_references)
    return counted, degraded_rouge_1(counted, kept=[100], part=part, rng=0)


def quantities(
    power: Sequence[pd.DataFrame],
    benchmark: Benchmark,
    *,
    part: str,
    n_references: int | None = None,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """What the paper says of the simulation, one row per number.

    Parameters
    ----------
    power : DataFrames of `table`, with other shares of tokens each; the first is that of the figure
    benchmark, part, n_references, alpha : what it was made of

    Returns
    -------
    DataFrame with columns level, method, metric (the level again), kept, quantity, value, dataset
        `quantity` is "power", "lead" (of a method over the best of the others at the same share), "power
        left" (beyond the figure: the share that is left of the power at its last point; none where it is no
        more than `alpha` and three Monte-Carlo errors of it), or "correlation" (of whole ROUGE-1, under the
        method "ROUGE-1").
    """
    figure, *beyond = power
    left = [_left(figure, closer, alpha) for closer in beyond]
    power = pd.concat(power, ignore_index=True)
    by = power.pivot(index=["level", "kept"], columns="method", values="value")
    leads = [
        (by[method] - by.drop(columns=method).max(axis=1)).rename("value").reset_index().assign(method=method)
        for method in by.columns
        if by.shape[1] > 1
    ]
    _, whole = _whole(benchmark, part, n_references)
    human = benchmark.human.to_numpy()
    levels = power["level"].unique()
    correlations = [correlate(whole[0], human, level=level, coefficient="pearson")[0] for level in levels]
    parts = [
        power.assign(quantity="power", metric=power["level"]),
        *(lead.assign(quantity="lead") for lead in leads),
        *left,
        pd.DataFrame(
            {"level": levels, "method": "ROUGE-1", "value": np.array(correlations, dtype=float)}
        ).assign(quantity="correlation"),
    ]
    columns = ["level", "method", "metric", "kept", "quantity", "value"]
    found = pd.concat(parts, ignore_index=True).reindex(columns=columns).assign(dataset=benchmark.name)
    return check(found, keys=["quantity", "level", "method", "kept"])


def _left(figure: pd.DataFrame, closer: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Which share of the power at the figure's last point is left closer to all tokens."""
    last = figure[figure["kept"] == figure["kept"].max()].set_index(["level", "method"])["value"]
    then = last.loc[pd.MultiIndex.from_frame(closer[["level", "method"]])].to_numpy()
    none = closer["value"] <= alpha + 3 * share_error(alpha, closer["n_trials"])
    share = (closer["value"] / np.where(then > 0, then, np.nan)).fillna(np.inf)
    return closer.assign(quantity="power left", metric=closer["level"], value=share.mask(none, 0.0))


def power_curves(power: pd.DataFrame) -> go.Figure:
    """Share of trials in which a test finds the better metric, over the share of tokens kept.

    Parameters
    ----------
    power : DataFrame of `helpers.experiments.power.with_intervals`
    """
    sheet = marks(
        power,
        x="kept",
        y="value",
        mode="lines+markers",
        panel="level",
        series="method",
        labels={"kept": "share of tokens kept (%)", "value": "power"},
        hover=["n_trials"],
        size=7,
    )
    # curves at 0 and at 1 would hide each other; the gap keeps them close to the share that they are of
    return sheet.side_by_side().y(range=[-0.03, 1.03]).figure(height=420, scattergap=0.6)


_AT_A_TIME = 2  # trials between two figures


def _compute(*, dataset, seed, **settings):
    return table.growing(load(dataset), step=_AT_A_TIME, rng=seed, **settings)


LIVE = Live(
    notebook="power",
    question="How often does a test find that the better of two metrics is better?",
    controls=(
        One("dataset", "Data set", choices.datasets(("bartscore-summeval", "bartscore-realsumm"))),
        One("part", "Part of ROUGE", PARTS),
        Several("kept", "Tokens kept (%)", (10, 20, 30, 40, 50, 60, 70, 80, 90)),
        Several("methods", "Tests", tuple(TESTS)),
        Real("alpha", "Significant at p ≤", 0.01, 0.2, 0.01),
        Whole("n_trials", "Trials", 5, 100, 5),
        choices.draws("n_resamples", "Draws", 499),
    ),
    fixed=("n_references", "seed"),
    smaller={"n_trials": 10, "n_resamples": 199},
    remark="Starts with 10 trials of 199 draws; the notebook takes 1,000 of 499, for a minute.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: power_curves(with_intervals(table)),
    says=lambda table, _: in_words(table),
    grows="n_trials",
)
