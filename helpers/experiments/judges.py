"""experiments.judges: does a language model agree with people as well as one more person would?

Calderon, Reichart and Dror 2025 (the alternative annotator test); Deutsch et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import scipy  # loads its parts when they are first used: the statistics take a second

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, GREY, VERMILLION, Style, correlation_axis, share_axis
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import end_columns, intervals, judges_as_metrics, require_names, tabulate
from metaeval.core.errors import DataError, listing
from metaeval.datasets import load
from metaeval.reporting.compare import compare_judges
from metaeval.reporting.paired_labels import measure_agreement
from metaeval.reporting.reading import as_reading
from metaeval.stats.annotator_test import annotator_test, annotator_test_draws
from metaeval.stats.correlation import kendall, pearson
from metaeval.stats.panels import effective_number, panel_minus_best, recovery
from metaeval.stats.reliability import (
    compare_with_raters,
    disattenuated,
    mean_pair_correlation,
    spearman_brown,
)
from metaeval.stats.slices import transport
from metaeval.stats.streams import stream
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs

ALL = "all"  # dimensions pooled, as the authors of the test do it
HIGHEST = "share of the highest rating"
TWO_ORDERS = "tau of orders"  # of judges, by Pearson's r and by advantage
ADVERSARIAL = ("Neighbor", "GPTInst", "GPTOut", "Manual")  # sets of LLMBar that were made to mislead judges
MEAN, ANOTHER = "mean of such sets", "another set"
MAX_ORDERED = 8  # judges of whom all orders are gone through, 40,320
TEST_KEYS = ("dataset", "judge", "quantity")
_COLUMNS = {"test": "advantage in the test", "system": "τ over systems", "summary": "τ over summaries"}
_PLACES = {"first in the test": Style(BLUE), "other judges": Style(GREY)}


def correlations(
    benchmark: Benchmark, *, judges, dimensions, levels=("system", "summary"),
    coefficients=("pearson", "spearman", "kendall"), **draws,
) -> pd.DataFrame:  # fmt: skip
    """Judges against the mean of all raters, and every rater against the mean of the others."""
    over = {"level": levels, "coefficient": coefficients}
    parts = _parts(benchmark, judges, dimensions)
    table = tabulate(parts, intervals, over=over, method="Boot-Both", **draws)
    keys = ["dimension", "judge", "level", "coefficient"]
    return check(table.rename(columns={"metric": "judge"}), keys=keys, values=["value", "low", "high"])


def _parts(benchmark: Benchmark, judges: Sequence[str], dimensions: Sequence[str]) -> Iterator[Part]:
    require_names("dimension", dimensions)
    for dimension in dimensions:
        keys = {"dataset": benchmark.name, "dimension": dimension}
        yield Part(keys, judges_as_metrics(benchmark, dimension, judges))
        for rater in benchmark.raters(dimension):
            yield Part(keys, benchmark.with_rater(dimension, rater))


@tidy("dimension", "judge", "rater", values=["winning_rate", "advantage"])
def alt_test(benchmark: Benchmark, *, judges, dimensions, epsilon=0.2, alpha=0.05):
    """The alternative annotator test by dimension and pooled, as published and clustered."""
    # `winning_rate` is the judge's, repeated on its rows; a negative t speaks for the judge
    require_names("judge", judges)
    ratings, raters = _ratings(benchmark, dimensions), benchmark.raters(dimensions[0])
    systems, documents = np.indices(benchmark.human.shape).reshape(2, -1)
    pools = {dimension: [dimension] for dimension in dimensions} | {ALL: dimensions}
    for (dimension, pool), judge in product(pools.items(), judges):
        clusters = {"document": np.tile(documents, len(pool)), "system": np.tile(systems, len(pool))}
        test = annotator_test(
            _answers(benchmark, judge, pool), np.concatenate([ratings[one] for one in pool], axis=1),
            clusters=clusters, epsilon=epsilon,
        )  # fmt: skip
        rates = {by: test.winning_rate(by=by, level=alpha) for by in test.t}
        yield {
            "dataset": benchmark.name, "dimension": dimension, "judge": judge,
            "rater": [raters[place] for place in test.raters], "winning_rate": rates["iid"],
            "advantage": test.advantage, **{f"t_{by}": t for by, t in test.t.items()},
            "n_total": test.n_instances, "document_rate": rates["document"], "system_rate": rates["system"],
        }  # fmt: skip


def _ratings(benchmark: Benchmark, dimensions: Sequence[str]) -> dict[str, np.ndarray]:
    """Ratings (n_raters, n_instances) of each dimension, raters in one order, by which they are pooled."""
    require_names("dimension", dimensions)
    raters = benchmark.raters(dimensions[0])
    for dimension in dimensions[1:]:
        if odd := set(raters) ^ set(benchmark.raters(dimension)):
            raise DataError(
                f"dimensions are pooled by rater, and those of {benchmark.name} in {dimensions[0]} and in "
                f"{dimension} differ; not in both: {listing(odd)}"
            )
    rated = {dimension: benchmark.rated(dimension).sel(rater=raters) for dimension in dimensions}
    return {dimension: one.to_numpy().reshape(len(raters), -1) for dimension, one in rated.items()}


def _answers(benchmark: Benchmark, judge: str, dimensions: Sequence[str]) -> np.ndarray:
    """A judge's scores of all instances, one dimension after the other."""
    planes = [judges_as_metrics(benchmark, dimension, [judge]).scores for dimension in dimensions]
    return np.concatenate([plane.to_numpy().ravel() for plane in planes])


@tidy("dimension", "level", "coefficient", "judge", values=["value", "low", "high"])
def distances(
    benchmark: Benchmark, *, judges, dimensions, levels=("system", "summary"), coefficient="kendall",
    confidence_level=0.95, rng, **draws,
):  # fmt: skip
    """Judge minus one more rater, both against the other raters; systems, documents and raters are drawn."""
    require_names("dimension", dimensions)
    draws = draws | {"confidence_level": confidence_level}
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        scores, rated = part.scores.to_numpy(), part.rated(dimension).to_numpy()
        for level in levels:
            kind = {"level": level, "coefficient": coefficient}
            drawn = {"rng": stream(rng, benchmark.name, dimension), **draws}
            beside = compare_with_raters(scores, rated, **kind, **drawn)
            # noise is taken out of Pearson's r, whatever else is asked for: the formulas rest on variances
            linear = {"level": level, "coefficient": "pearson"}
            reliability = spearman_brown(mean_pair_correlation(rated, **linear), len(rated))
            whole = intervals(scores, part.human.to_numpy(), method="Fisher", **linear)["value"]
            yield {
                "dataset": benchmark.name, "dimension": dimension, **kind, "judge": judges,
                "value": beside.difference, **end_columns(beside.distribution, confidence_level),
                "at_ceiling": beside.own_ceiling, "reliability": float(reliability),
                "corrected": disattenuated(whole, reliability_y=reliability),
            }  # fmt: skip


def advantages(tests: pd.DataFrame, correlations: pd.DataFrame, *, coefficient="kendall") -> pd.DataFrame:
    """Each judge's advantage, the mean over the raters, beside its correlation with people."""
    chosen = correlations.loc[correlations["coefficient"] == coefficient]
    chosen = chosen[["level", "dimension", "judge", "coefficient", "value", "low", "high", "n_resamples"]]
    means = tests.groupby(["dimension", "judge"], sort=False, as_index=False)["advantage"].mean()
    return check(means.merge(chosen, on=["dimension", "judge"]), keys=["level", "dimension", "judge"])


@tidy("dimension", values=["value", "low", "high"])
def panels(benchmark: Benchmark, *, judges, dimensions, coefficient="kendall", rng, **draws):
    """Worth of the panel in judges, and its correlation over systems minus that of its best member."""
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        planes, ratings = part.scores.to_numpy(), part.rated(dimension).to_numpy()
        both = planes, ratings.mean(axis=0)
        gain = panel_minus_best(*both, coefficient=coefficient, rng=stream(rng, "panel", dimension), **draws)
        number = effective_number(planes.reshape(len(planes), -1), ratings.reshape(len(ratings), -1))
        yield {
            "dataset": benchmark.name, "dimension": dimension, "n_judges": len(planes), "effective": number,
            **gain._asdict(),
        }  # fmt: skip


@tidy("dimension", "judge", values=["value", "low", "high"])
def picks(benchmark: Benchmark, *, judges, dimensions, confidence_level=0.95):
    """Share of the gain of people's pick of each document's best summary that a judge's pick keeps."""
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        for judge, plane in zip(judges, part.scores.to_numpy(), strict=True):
            share = recovery(plane, part.human.to_numpy(), confidence_level=confidence_level)
            ends = dict(zip(("value", "low", "high"), share[:3], strict=True))
            yield {"dataset": benchmark.name, "dimension": dimension, "judge": judge, **ends}


@tidy("judge", "set", values=["value", "low", "high"])
def carried(pairs: Pairs, *, confidence_level=0.95, rng, **draws):
    """Share of pairs on which a judge chooses as people do in both orders, by set, and on another set."""
    for judge in pairs.judges.indexes["judge"]:
        shares = []
        for name in pairs.items["set"].unique():
            part = as_reading(pairs.select((pairs.items["set"] == name).to_numpy()))
            one = measure_agreement(part, [judge], coefficient="kendall", n_resamples=1, rng=0)
            if one.n:
                low, high = one.ends(0, confidence_level)[:2]
                shares.append((name, float(one.value[0]), float(low), float(high), one.n))
        keys = {"dataset": pairs.name, "judge": judge}
        names, *columns, n_total = zip(*shares, strict=True)
        ends = dict(zip(("value", "low", "high"), columns, strict=True))
        yield pd.DataFrame({**keys, "set": names, **ends, "n_total": n_total})
        if len(names) < 2:
            continue
        options = {"rng": stream(rng, "carried", judge), "confidence_level": confidence_level, **draws}
        both = transport(*map(np.array, columns), **options)
        low, high, *errors = (np.clip(end, 0, 1) for end in both.another(confidence_level))
        # a share lies between 0 and 1
        yield {
            **keys, "set": [MEAN, ANOTHER], "value": both.value, "low": [max(both.low, 0.0), low],
            "high": [min(both.high, 1.0), high], "spread": both.spread, "low_mc_error": [0.0, errors[0]],
            "high_mc_error": [0.0, errors[1]],
        }  # fmt: skip


@tidy("set", "quantity", values=["value", "low", "high"])
def drift(pairs: Pairs, *, versions, confidence_level=0.95, **draws):
    """Two versions of a judge beside people and each other, on plain and on adversarial pairs."""
    kinds = pairs.items["set"].map(lambda name: "adversarial" if name in ADVERSARIAL else name)
    both = [judge for judge in versions if judge in pairs.judges.indexes["judge"]]
    both = both if len(both) == 2 else [*pairs.judges.indexes["judge"][:2]]
    answered = ~np.isnan(pairs.judges.sel(judge=both).to_numpy()).all(axis=1).any(axis=0)
    for kind in kinds[answered].unique():
        part = pairs.select((kinds == kind).to_numpy() & answered)
        compared = compare_judges(part, both, confidence_level=confidence_level, **draws)
        ends = ["value", "low", "high"]
        apart = compared.table[ends].assign(quantity=f"{both[0]} minus {both[1]}", n_total=len(part.items))
        rows = pd.concat([compared.changes, apart], ignore_index=True)
        yield rows.assign(dataset=pairs.name, set=kind)


@tidy("level", "dimension", values=["value", "judge"])
def passing(tests: pd.DataFrame, correlations: pd.DataFrame, *, coefficient="kendall"):
    """Kendall's tau of the judges' orders by advantage and by correlation, and the first by the one."""
    chosen = correlations[correlations["coefficient"] == coefficient]
    for level, dimension in product(chosen["level"].unique(), chosen["dimension"].unique()):
        advantage = tests[tests["dimension"] == dimension].groupby("judge", sort=False)["advantage"].mean()
        here = chosen[(chosen["level"] == level) & (chosen["dimension"] == dimension)]
        value, best = here.set_index("judge")["value"][advantage.index], advantage.idxmax()
        tau, pvalue, smallest = _orders(advantage.to_numpy(), value.to_numpy())
        yield {
            "level": level, "dimension": dimension, "coefficient": coefficient, "value": tau,
            "pvalue": pvalue, "smallest_pvalue": smallest, "judge": best,
            "place": int((value > value[best]).sum()) + 1, "n_judges": len(advantage),
        }  # fmt: skip


def _orders(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """Kendall's tau of two orders, its exact p-value and the smallest that this could have been."""
    if len(first) > MAX_ORDERED:
        test = scipy.stats.kendalltau(first, second)
        return float(test.statistic), float(test.pvalue), 0.0
    taus = kendall(np.array(list(permutations(first))), second)  # the order as it is comes first
    if np.isnan(taus[0]):
        return np.nan, np.nan, np.nan
    far = np.abs(taus)
    pvalue, smallest = ((far >= bound - DIFFERENCE_TIE).mean() for bound in (far[0], far.max()))
    return float(taus[0]), float(pvalue), float(smallest)


@tidy("dimension", "judge", "quantity")
def quantities(benchmark: Benchmark, tests: pd.DataFrame):
    """Winning rates, advantages and agreement of judges and raters, as Calderon et al. print them."""
    # Pearson's r is of all instances, a judge's the mean over raters, the raters' over pairs of them
    dimensions = [dimension for dimension in tests["dimension"].unique() if dimension != ALL]
    ratings = _ratings(benchmark, dimensions)
    ratings[ALL] = np.concatenate(list(ratings.values()), axis=1)
    highest = np.nanmax(ratings[ALL])
    for dimension, tested in tests.groupby("dimension", sort=False):
        rated, numbers = ratings[dimension], {}
        for judge, part in tested.groupby("judge", sort=False):
            scores = _answers(benchmark, judge, dimensions if dimension == ALL else [dimension])
            numbers[judge] = {
                "winning rate": part["winning_rate"].iloc[0], "advantage": part["advantage"].mean(),
                "Pearson's r": pearson(rated, scores).mean(),
                HIGHEST: np.mean(scores[~np.isnan(scores)] == highest),
            }  # fmt: skip
        sides = [np.array([one[name] for one in numbers.values()]) for name in ("Pearson's r", "advantage")]
        first, second = (rated[places] for places in np.triu_indices(len(rated), 1))
        n_rated = (~np.isnan(rated)).sum(axis=0)
        majority = 2 * (rated == highest).sum(axis=0) > n_rated
        numbers["raters"] = {
            "absolute difference": np.nanmean(np.abs(first - second)),
            "Pearson's r": pearson(first, second).mean(), HIGHEST: majority[n_rated > 0].mean(),
        }  # fmt: skip
        numbers["judges"] = {TWO_ORDERS: float(kendall(*sides))}
        for judge, values in numbers.items():
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            yield keys | {"quantity": list(values), "value": list(values.values())}


@tidy(*TEST_KEYS, "dimension")
def rating_shares(benchmark: Benchmark, *, judges, dimensions, n_drawn=100):
    """Shares of each rating among a judge's and among the raters' majorities, with the error of so few."""
    ratings = _ratings(benchmark, dimensions)
    scale = np.unique(np.concatenate(list(ratings.values()), axis=None))
    scale = scale[~np.isnan(scale)]
    for dimension, rated in ratings.items():
        for who in [*judges, "raters"]:
            answers = rated if who == "raters" else _answers(benchmark, who, [dimension])[None]
            votes = (answers == scale[:, None, None]).sum(axis=1)
            # chance of each rating to be the majority of an instance; ties are broken at random
            modes = ((votes == votes.max(axis=0)) & (votes > 0))[:, votes.any(axis=0)]
            chances, n = modes / modes.sum(axis=0), modes.shape[1]
            drawn = chances.var(axis=1, ddof=1) * max(0, 1 - n_drawn / n)
            broken = (chances * (1 - chances)).mean(axis=1)
            yield {
                "dataset": benchmark.name, "dimension": dimension, "judge": who,
                "quantity": [f"share of {score:g}" for score in scale], "value": chances.mean(axis=1),
                "mc_error": np.sqrt((drawn + broken) / min(n_drawn, n)),
            }  # fmt: skip


@tidy("judge", values=["winning_rate", "advantage"])
def choices(pairs: Pairs, *, epsilon=0.2, alpha=0.05):
    """The annotator test as published on choices between two outputs, and accuracy against the majority."""
    people = pairs.people.to_numpy()
    for judge, answers in _choices(pairs).items():
        test = annotator_test(answers, people, epsilon=epsilon, alignment="accuracy")
        right, decided = _as_majority(answers, people)
        yield {
            "dataset": pairs.name, "judge": judge, "winning_rate": test.winning_rate(level=alpha),
            "advantage": test.advantage.mean(), "accuracy": np.nanmean(right),
            "mc_error": np.sqrt(np.nansum(right * (1 - right))) / (~np.isnan(right)).sum(),
            "decided": np.nanmean(right[decided]), "n_raters": len(test.raters), "n_total": len(answers),
        }  # fmt: skip


def _choices(pairs: Pairs) -> dict[str, np.ndarray]:
    """Judge -> choices, in the order as listed."""
    listed = pairs.judges.sel(order=ORDERS[0])
    return dict(zip(listed.indexes["judge"], listed.to_numpy(), strict=True))


def _as_majority(answers: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probability that each answer is the raters' majority, ties at random; and if there is one."""
    votes = np.stack([(people == choice).sum(axis=0) for choice in (SECOND, TIE, FIRST)])
    modes = (votes == votes.max(axis=0)) & (votes.max(axis=0) > 0)
    with np.errstate(invalid="ignore"):
        place = np.nan_to_num(2 * answers).astype(int)
        shares = modes[place, np.arange(len(answers))] / modes.sum(axis=0)
    return np.where(np.isnan(answers), np.nan, shares), modes.sum(axis=0) == 1


@tidy("dataset", "judge", "epsilon")
def winning_rates(benchmark: Benchmark, pairs: Pairs, *, judges, dimensions, epsilons, alpha=0.05):
    """Winning rates by what a judge's lower cost is said to be worth, of ratings pooled and of choices."""
    for dataset, judge, answers, people, alignment in _instances(benchmark, pairs, judges, dimensions):
        for epsilon in epsilons:
            test = annotator_test(answers, people, epsilon=epsilon, alignment=alignment)
            rate = test.winning_rate(level=alpha)
            yield {"dataset": dataset, "judge": judge, "epsilon": epsilon, "value": rate}


def _instances(benchmark: Benchmark, pairs: Pairs, judges: Sequence[str], dimensions: Sequence[str]):
    """Data set, judge, its answers, people's and their alignment, of ratings pooled and of choices."""
    dimensions = sorted(dimensions)  # draws are of instances by their places
    people = np.concatenate(list(_ratings(benchmark, dimensions).values()), axis=1)
    for judge in judges:
        yield benchmark.name, judge, _answers(benchmark, judge, dimensions), people, "rmse"
    for judge, answers in _choices(pairs).items():
        yield pairs.name, judge, answers, pairs.people.to_numpy(), "accuracy"


@tidy(*TEST_KEYS)
def subsample_test(
    benchmark: Benchmark, pairs: Pairs, *, judges, dimensions, n_instances=100, n_draws=10_000,
    mean_draws=100, pool=300, epsilon=0.2, alpha=0.05, rng,
):  # fmt: skip
    """The annotator test on a few instances, a mean over draws of them that all judges share."""
    # a printed mean is over `mean_draws` draws from a `pool`: what both leave to chance is in `mc_error`
    places = {}
    for dataset, judge, answers, people, alignment in _instances(benchmark, pairs, judges, dimensions):
        n = len(answers)
        if dataset not in places:
            uniform = stream(rng, dataset).random((n_draws, n), dtype=np.float32)
            last = min(n_instances, n - 1)
            places[dataset] = uniform.argpartition(last, axis=1)[:, :n_instances]
        draws = places[dataset]
        rule = {"epsilon": epsilon, "alignment": alignment, "level": alpha}
        rates, advantages = annotator_test_draws(answers, people, draws, **rule)
        if alignment == "rmse":
            close = pearson(people[:, draws], answers[draws]).mean(axis=0)
        else:
            right, decided = _as_majority(answers, people)
            close = np.nanmean(np.where(decided, right, np.nan)[draws], axis=1)
        # variances of means of so many without replacement: of all, of the pool, of the pool from all
        whole, part = 1 / n_instances - 1 / n, 1 / n_instances - 1 / min(pool, n)
        chance = 0.0  # where every draw is of all instances
        if n > n_instances:
            chance = 1 / n_draws + (part / mean_draws + 1 / min(pool, n) - 1 / n) / whole
        for quantity, values in (("winning rate", rates), ("advantage", advantages), ("alignment", close)):
            yield {
                "dataset": dataset, "judge": judge, "quantity": f"few: {quantity}", "value": values.mean(),
                "mc_error": values.std(ddof=1) * np.sqrt(chance),
            }  # fmt: skip


@tidy(*TEST_KEYS)
def choice_quantities(pairs: Pairs, tests: pd.DataFrame):
    """The table of `choices`, and how few raters and pairs there are, as claims name them."""
    names = {"winning_rate": "winning rate", "advantage": "advantage", "accuracy": "accuracy"}
    for column, quantity in (names | {"decided": "accuracy, decided pairs"}).items():
        error = tests["mc_error"] if column == "accuracy" else 0.0
        yield tests[["dataset", "judge"]].assign(quantity=quantity, value=tests[column], mc_error=error)
    chosen = pairs.people.notnull()
    sizes = {"raters of a pair": chosen.sum("rater"), "pairs of a rater": chosen.sum("pair")}
    for quantity, counts in sizes.items():
        keys = {"dataset": pairs.name, "judge": "raters", "quantity": f"{quantity}, least"}
        yield pd.DataFrame([keys | {"value": float(counts.min()), "mc_error": 0.0}])


def judge_differences(distances: pd.DataFrame) -> go.Figure:
    """A judge's correlation with the other raters minus a rater's; left of zero a judge agrees less."""
    judges = distances.groupby("judge")["value"].mean().sort_values().index.tolist()
    coefficient = words("coefficient", distances["coefficient"].iloc[0])
    sheet = marks(
        distances, x="value", y="judge", panel="dimension", series="level", order=judges, size=9,
        labels={"value": f"{coefficient}: judge minus rater"},
    )  # fmt: skip
    ends = [distances["low"].min() - 0.05, max(distances["high"].max(), 0) + 0.05]
    sheet.x(range=ends, dtick=0.5, zeroline=True).rule(x=0, text="as good as one more expert")
    return sheet.figure(height=190 + 34 * len(judges))


def panel_dots(panels: pd.DataFrame) -> go.Figure:
    """Correlation of the panel minus that of its best member by dimension."""
    order = panels["dimension"].unique().tolist()[::-1]
    sheet = marks(
        panels, x="value", y="dimension", order=order, hover=["effective", "n_judges"],
        labels={"value": "Kendall's τ: the panel minus its best member"},
    )  # fmt: skip
    return sheet.rule(x=0, text="no better than its best member").figure(height=150 + 40 * len(order))


def set_dots(carried: pd.DataFrame) -> go.Figure:
    """Share of pairs on which a judge chooses as people do, by set, their mean and another set."""
    order = carried["set"].unique().tolist()
    order = [ANOTHER, MEAN, *(name for name in order[::-1] if name not in (ANOTHER, MEAN))]
    kind = carried["set"].where(carried["set"].isin([ANOTHER, MEAN]), "one set")
    sheet = marks(
        carried.assign(kind=kind), x="value", y="set", panel="judge", series="kind", order=order,
        hover=["n_total", "spread"],
        style={"one set": Style(GREY), MEAN: Style(BLUE), ANOTHER: Style(VERMILLION)},
        labels={"value": "pairs on which it chooses as people do"},
    )  # fmt: skip
    return sheet.x(range=[-0.03, 1.03], dtick=0.5).figure(height=170 + 34 * len(order))


def passing_dots(advantages: pd.DataFrame) -> go.Figure:
    """Judges by their advantage in the test, the first in blue, beside their correlations with people."""
    test = advantages.drop_duplicates(["dimension", "judge"]).assign(level="test", low=np.nan, high=np.nan)
    both = pd.concat([test.assign(value=test["advantage"]), advantages])
    best = both.groupby("dimension")["advantage"].transform("max") == both["advantage"]
    both["place"] = np.where(best, *_PLACES)
    sheet = marks(
        both, x="value", y="judge", panel="level", row="dimension", series="place", style=_PLACES, size=10,
        order=test["judge"].unique().tolist(), titles=[*map(_COLUMNS.get, both["level"].unique())],
        gap=0.07, row_gap=0.06,
    )  # fmt: skip
    sheet.x(title="", **correlation_axis(both["low"]))
    for dimension, judges in test.sort_values("advantage").groupby("dimension")["judge"]:
        sheet.categories(judges.tolist(), dimension).axis("x", "test", dimension, **share_axis())
    for level in both["level"].unique():
        sheet.axis("x", level, sheet.rows[-1], title=_COLUMNS[level])
    return sheet.figure(height=110 + 190 * len(sheet.rows), scattermode="overlay", showlegend=False)


LIVE = live(
    "judges",
    lambda *, dataset, seed, **settings: distances(load(dataset), rng=seed, **settings),
    judge_differences,
    "dataset judges dimensions levels coefficient confidence_level n_resamples",
    question="Does a judge agree with the other raters as well as one more rater does?",
    initial={"n_resamples": 199},
)
