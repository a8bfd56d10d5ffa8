"""experiments.judges: judges and single raters against people, and the alternative annotator test of judges.

A benchmark whose metrics are named ``JUDGE (DIMENSION)`` and whose judgments carry single raters in, tidy
tables out; called by the notebook `judges` and its live block. In `correlations` a judge is held against all
raters and a rater against the others; in `distances` both against the same raters. Calderon, Reichart and
Dror 2025; Deutsch et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import scipy  # loads its parts when they are first used: the statistics take a second
import xarray as xr

from helpers.kit.live import choices as live_choices
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.theme import correlation_axis
from helpers.kit.told import benchmark_told, typical, value_told
from metaeval.analysis.judges import _named, of_dimension
from metaeval.analysis.tabulate import end_columns, intervals, tabulate
from metaeval.core.errors import DataError, listing
from metaeval.datasets import load
from metaeval.stats.annotator_test import annotator_test, over_draws
from metaeval.stats.correlation import kendall, pearson
from metaeval.stats.reliability import against_raters, disattenuated, mean_pair_correlation, spearman_brown
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs

ALL = "all"  # dimensions pooled, as the authors of the test do it
PASSES = 0.5  # the winning rate from which a judge passes
HIGHEST = "share of the highest rating"
TWO_ORDERS = "tau of orders"  # of judges, by Pearson's r and by advantage
_MOST_ORDERED = 8  # judges of whom all orders are gone through, 40,320


def _parts(benchmark: Benchmark, judges: Sequence[str], dimensions: Sequence[str]) -> Iterator[Part]:
    _named("dimension", dimensions)
    for dimension in dimensions:
        keys = {"dataset": benchmark.name, "dimension": dimension}
        yield Part(keys, of_dimension(benchmark, dimension, judges))
        for rater in benchmark.raters(dimension):
            yield Part(keys, benchmark.with_rater(dimension, rater))


def correlations(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Judges against the mean of all raters, and every rater against the mean of the others.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics and single raters
    judges, dimensions : sequences of str
    levels, coefficients, n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`
        Systems and documents are drawn again, the same for all of a dimension.

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, level, coefficient, value, low, high, standard_error,
    n_used, n_total, n_resamples, n_undefined, n_systems

    Raises
    ------
    UnknownNameError
        For a judge or a dimension that does not exist, or raters that were not released one by one.
    """
    found = tabulate(
        _parts(benchmark, judges, dimensions), intervals, over={"level": levels, "coefficient": coefficients},
        method="Boot-Both", n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    ).rename(columns={"metric": "judge"})  # fmt: skip
    return check(found, keys=["dimension", "judge", "level", "coefficient"], values=["value", "low", "high"])


def alt_test(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    epsilon: float = 0.2,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """The alternative annotator test of every judge, as published and clustered.

    Parameters
    ----------
    benchmark, judges, dimensions : see `correlations`
    epsilon : float in [0, 1]
        What the judge's lower cost is worth.
    alpha : float in (0, 1)
        The false discovery rate behind `winning_rate`.

    Returns
    -------
    DataFrame with columns dataset, dimension (`all`: pooled), judge, rater, winning_rate, advantage, t_iid,
    t_document, t_system, n_total (instances), document_rate and system_rate (winning rates when clustered)
        `winning_rate` is of the judge in the dimension, repeated on its rows. A negative *t* speaks for
        the judge.
    """
    _named("judge", judges)
    rated = _aligned(benchmark, dimensions)
    rows = []
    for judge in judges:
        planes = {d: of_dimension(benchmark, d, [judge]).scores.to_numpy() for d in dimensions}
        for pooled in (*((dimension,) for dimension in dimensions), dimensions):
            dimension = ALL if pooled is dimensions else pooled[0]
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            rows += _tested(keys, [planes[d] for d in pooled], [rated[d] for d in pooled], epsilon, alpha)
    order = {dimension: place for place, dimension in enumerate([*dimensions, ALL])}
    rows.sort(key=lambda row: order[row["dimension"]])
    return check(
        pd.DataFrame(rows), keys=["dimension", "judge", "rater"], values=["winning_rate", "advantage"]
    )


def _aligned(benchmark: Benchmark, dimensions: Sequence[str]) -> dict[str, xr.DataArray]:
    """What the raters gave in each dimension, in one order of the raters: dimensions are pooled by rater."""
    _named("dimension", dimensions)
    raters = benchmark.raters(dimensions[0])
    for dimension in dimensions[1:]:
        if odd := set(raters) ^ set(benchmark.raters(dimension)):
            raise DataError(
                f"dimensions are pooled by rater, and those of {benchmark.name} in {dimensions[0]} and in "
                f"{dimension} differ; not in both: {listing(odd)}"
            )
    return {dimension: benchmark.rated(dimension).sel(rater=raters) for dimension in dimensions}


def _tested(keys, planes, rated, epsilon, alpha):
    raters = rated[0].indexes["rater"]
    systems, documents = np.indices(planes[0].shape[1:]).reshape(2, -1)
    found = annotator_test(
        np.concatenate([plane.ravel() for plane in planes]),
        np.concatenate([_flat(one) for one in rated], axis=1),
        clusters={"document": np.tile(documents, len(planes)), "system": np.tile(systems, len(planes))},
        epsilon=epsilon,
    )
    rates = {by: found.winning_rate(by=by, level=alpha) for by in found.t}
    for k, place in enumerate(found.raters):
        yield {
            **keys,
            "rater": raters[place],
            "winning_rate": rates["iid"],
            "advantage": found.advantage[k],
            **{f"t_{by}": found.t[by][k] for by in found.t},
            "n_total": found.n_instances[k],
            "document_rate": rates["document"],
            "system_rate": rates["system"],
        }


def distances(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "kendall",
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """How far each judge is from what one more rater does: judge minus rater, both against the other raters.

    Parameters
    ----------
    benchmark, judges, dimensions, levels, n_resamples, confidence_level, rng : see `correlations`
        Raters are drawn again as well.
    coefficient : {"pearson", "spearman", "kendall"}
        Of all but reliability and correction, which are Pearson's.

    Returns
    -------
    DataFrame with columns dataset, dimension, level, coefficient, judge, value, low, high, low_mc_error,
    high_mc_error, n_undefined, n_resamples, at_ceiling (the correlation of one rater with the others, on
    average), reliability (of the raters' mean, by Spearman and Brown), corrected (the judge's Pearson's r
    with that mean, without the raters' noise)
    """
    _named("dimension", dimensions)
    seed, frames = seed_of(rng), []
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, judges)
        scores, rated = part.scores.to_numpy(), part.rated(dimension).to_numpy()
        for level in levels:
            kind = {"level": level, "coefficient": coefficient}
            found = against_raters(
                scores, rated, n_resamples=n_resamples, confidence_level=confidence_level,
                rng=stream(seed, benchmark.name, dimension), **kind,
            )  # fmt: skip
            # noise is taken out of Pearson's r, whatever else is asked for: the formulas rest on variances
            linear = {"level": level, "coefficient": "pearson"}
            reliability = spearman_brown(mean_pair_correlation(rated, **linear), len(rated))
            whole = intervals(scores, part.human.to_numpy(), method="Fisher", **linear)["value"]
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name, "dimension": dimension, **kind, "judge": judges,
                        "value": found.difference, **end_columns(found.distribution, confidence_level),
                        "at_ceiling": found.beside, "reliability": float(reliability),
                        "corrected": disattenuated(whole, reliability_y=reliability),
                    }
                )
            )  # fmt: skip
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=["dimension", "level", "coefficient", "judge"], values=["value", "low", "high"])


def advantages(
    tests: pd.DataFrame, correlations: pd.DataFrame, *, coefficient: str = "kendall"
) -> pd.DataFrame:
    """Each judge's advantage in the annotator test beside its correlation with people.

    Parameters
    ----------
    tests : DataFrame of `alt_test`
    correlations : DataFrame of `correlations`
    coefficient : str

    Returns
    -------
    DataFrame with columns dimension, judge, advantage (the mean over the raters), level, coefficient, value,
    low, high, n_resamples
    """
    kept = correlations.loc[correlations["coefficient"] == coefficient]
    kept = kept[["level", "dimension", "judge", "coefficient", "value", "low", "high", "n_resamples"]]
    means = tests.groupby(["dimension", "judge"], sort=False, as_index=False)["advantage"].mean()
    return check(means.merge(kept, on=["dimension", "judge"]), keys=["level", "dimension", "judge"])


def passing(tests: pd.DataFrame, correlations: pd.DataFrame, *, coefficient: str = "kendall") -> pd.DataFrame:
    """Whether the judges that do well in the annotator test are those that correlate with people.

    Parameters
    ----------
    tests : DataFrame of `alt_test`
    correlations : DataFrame of `correlations`
        Each of its levels is asked about.
    coefficient : str

    Returns
    -------
    DataFrame with columns level, dimension, coefficient, value (Kendall's tau of the judges' advantages and
    their correlations), pvalue, smallest_pvalue, judge (with the largest advantage), place (of that judge by
    correlation), n_judges
        The p-value is exact and two-sided: the share of all orders of the judges with a tau this far from 0.
    """
    kept = correlations[correlations["coefficient"] == coefficient]
    rows = []
    asked = [
        (level, dimension) for level in pd.unique(kept["level"]) for dimension in pd.unique(kept["dimension"])
    ]
    for level, dimension in asked:
        found = kept[(kept["level"] == level) & (kept["dimension"] == dimension)]
        part = tests[tests["dimension"] == dimension]
        advantage = part.groupby("judge", sort=False)["advantage"].mean()
        value = found.set_index("judge")["value"][advantage.index]
        best = advantage.idxmax()
        tau, pvalue, smallest = _orders(advantage.to_numpy(), value.to_numpy())
        rows.append(
            {
                "level": level,
                "dimension": dimension,
                "coefficient": coefficient,
                "value": tau,
                "pvalue": pvalue,
                "smallest_pvalue": smallest,
                "judge": best,
                "place": int((value > value[best]).sum()) + 1,
                "n_judges": len(advantage),
            }
        )
    return check(pd.DataFrame(rows), keys=["level", "dimension"], values=["value", "judge"])


def _orders(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """Kendall's tau of two orders, its exact p-value and the least that this could have been; ties may be.

    Of more than `_MOST_ORDERED` judges the p-value is SciPy's, and the least that it could have been 0.
    """
    if len(first) > _MOST_ORDERED:
        found = scipy.stats.kendalltau(first, second)
        return float(found.statistic), float(found.pvalue), 0.0
    taus = kendall(np.array(list(permutations(first))), second)  # the order as it is comes first
    if np.isnan(taus[0]):
        return np.nan, np.nan, np.nan
    far = np.abs(taus)
    pvalue, smallest = ((far >= least - DIFFERENCE_TIE).mean() for least in (far[0], far.max()))
    return float(taus[0]), float(pvalue), float(smallest)


def quantities(benchmark: Benchmark, tests: pd.DataFrame) -> pd.DataFrame:
    """What Calderon et al. 2025 print of judges and raters: winning rates, advantages, agreement.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics and single raters
    tests : DataFrame of `alt_test`

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, quantity, value
        Pearson's r is of all instances, a judge's with each rater, averaged over the raters; of ``raters``
        it and the mean absolute difference are of two raters, averaged over the pairs. The share of the
        highest rating that anybody gave is a judge's, or of the instances where most raters gave it. Of
        ``judges`` it is Kendall's tau of their orders by Pearson's r and by advantage.
    """
    dimensions = [dimension for dimension in tests["dimension"].unique() if dimension != ALL]
    rated = {d: _flat(one) for d, one in _aligned(benchmark, dimensions).items()}
    rated[ALL] = np.concatenate(list(rated.values()), axis=1)
    rows = []
    for (dimension, judge), part in tests.groupby(["dimension", "judge"], sort=False):
        given = [
            of_dimension(benchmark, d, [judge]).scores
            for d in (dimensions if dimension == ALL else [dimension])
        ]
        plane = np.concatenate([_flat(one)[0] for one in given])
        found = {
            "winning rate": part["winning_rate"].iloc[0],
            "advantage": part["advantage"].mean(),
            "Pearson's r": pearson(rated[dimension], plane).mean(),
            HIGHEST: np.mean(plane[~np.isnan(plane)] == np.nanmax(rated[ALL])),
        }
        rows += [(dimension, judge, quantity, value) for quantity, value in found.items()]
    first, second = np.triu_indices(len(rated[ALL]), 1)
    for dimension, values in rated.items():
        apart = np.nanmean(np.abs(values[first] - values[second]))
        rows.append((dimension, "raters", "absolute difference", apart))
        rows.append((dimension, "raters", "Pearson's r", pearson(values[first], values[second]).mean()))
        n_rated = (~np.isnan(values)).sum(axis=0)
        most = 2 * (values == np.nanmax(rated[ALL])).sum(axis=0) > n_rated
        rows.append((dimension, "raters", HIGHEST, most[n_rated > 0].mean()))
        by = {(judge, quantity): value for where, judge, quantity, value in rows if where == dimension}
        judges = [judge for judge, quantity in by if quantity == "advantage"]
        sides = (
            np.array([by[judge, quantity] for judge in judges]) for quantity in ("Pearson's r", "advantage")
        )
        rows.append((dimension, "judges", TWO_ORDERS, kendall(*sides)))
    table = pd.DataFrame(rows, columns=["dimension", "judge", "quantity", "value"])
    return check(table.assign(dataset=benchmark.name), keys=["dimension", "judge", "quantity"])


def choices(pairs: Pairs, *, epsilon: float = 0.2, alpha: float = 0.05) -> pd.DataFrame:
    """The alternative annotator test, as published, where judges and raters choose between two outputs.

    Parameters
    ----------
    pairs : Pairs
        Answers are taken in the order as listed.
    epsilon, alpha : see `alt_test`

    Returns
    -------
    DataFrame with columns dataset, judge, winning_rate, advantage (mean over the raters), accuracy (against
    the raters' majority, a tie of theirs broken at random), mc_error (of one random breaking), decided
    (accuracy where there is a majority), n_raters, n_total (pairs)
    """
    rows = []
    people = pairs.people.to_numpy()
    for judge, given in _chosen(pairs).items():
        found = annotator_test(given, people, epsilon=epsilon, alignment="accuracy")
        right, decided = _as_majority(given, people)
        rows.append(
            {
                "dataset": pairs.name,
                "judge": judge,
                "winning_rate": found.winning_rate(level=alpha),
                "advantage": found.advantage.mean(),
                "accuracy": np.nanmean(right),
                "mc_error": np.sqrt(np.nansum(right * (1 - right))) / (~np.isnan(right)).sum(),
                "decided": np.nanmean(right[decided]),
                "n_raters": len(found.raters),
                "n_total": len(given),
            }
        )
    return check(pd.DataFrame(rows), keys=["judge"], values=["winning_rate", "advantage"])


def _chosen(pairs: Pairs) -> dict[str, np.ndarray]:
    """Judge -> choices, in the order as listed."""
    given = pairs.judges.sel(order=ORDERS[0])
    return dict(zip(given.indexes["judge"], given.to_numpy(), strict=True))


def _as_majority(given: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How likely a judge's choices (n,) are those of a majority of raters (n_raters, n) whose ties fall at
    random, NaN where nobody or the judge did not choose; and whether there is a majority without that."""
    votes = np.stack([(people == choice).sum(axis=0) for choice in (SECOND, TIE, FIRST)])
    modes = (votes == votes.max(axis=0)) & (votes.max(axis=0) > 0)
    with np.errstate(invalid="ignore"):
        place = np.nan_to_num(2 * given).astype(int)
        shares = modes[place, np.arange(len(given))] / modes.sum(axis=0)
    return np.where(np.isnan(given), np.nan, shares), modes.sum(axis=0) == 1


def by_epsilon(
    benchmark: Benchmark,
    pairs: Pairs,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    epsilons: Sequence[float],
    alpha: float = 0.05,
) -> pd.DataFrame:
    """How a judge's winning rate depends on what its lower cost is said to be worth.

    Parameters
    ----------
    benchmark, judges, dimensions, alpha : see `alt_test`; dimensions are pooled
    pairs : Pairs, of which all judges are tested
    epsilons : floats in [0, 1]

    Returns
    -------
    DataFrame with columns dataset, judge, epsilon, value (the winning rate)
    """
    rows = []
    for dataset, judge, given, people, alignment in _instances(benchmark, pairs, judges, dimensions):
        for epsilon in epsilons:
            found = annotator_test(given, people, epsilon=epsilon, alignment=alignment)
            rows.append((dataset, judge, epsilon, found.winning_rate(level=alpha)))
    return check(
        pd.DataFrame(rows, columns=["dataset", "judge", "epsilon", "value"]),
        keys=["dataset", "judge", "epsilon"],
    )


def _instances(benchmark: Benchmark, pairs: Pairs, judges: Sequence[str], dimensions: Sequence[str]):
    """Of ratings, dimensions pooled, and of choices: data set, judge, its answers, people's, alignment."""
    dimensions = sorted(dimensions)  # draws are of instances by their places
    people = np.concatenate([_flat(one) for one in _aligned(benchmark, dimensions).values()], axis=1)
    for judge in judges:
        given = [_flat(of_dimension(benchmark, d, [judge]).scores)[0] for d in dimensions]
        yield benchmark.name, judge, np.concatenate(given), people, "rmse"
    for judge, given in _chosen(pairs).items():
        yield pairs.name, judge, given, pairs.people.to_numpy(), "accuracy"


def of_few(
    benchmark: Benchmark,
    pairs: Pairs,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    n_instances: int = 100,
    n_draws: int = 10_000,
    of_draws: int = 100,
    pool: int = 300,
    epsilon: float = 0.2,
    alpha: float = 0.05,
    rng: RNGLike,
) -> pd.DataFrame:
    """The alternative annotator test on a few instances, on average over random draws of them.

    Parameters
    ----------
    benchmark, pairs, judges, dimensions, epsilon, alpha : see `by_epsilon`
    n_instances : int
        Drawn without replacement; all raters are kept. Where there are no more, every draw is of all.
    n_draws : int
    of_draws, pool : int
        Draws behind a printed mean, and how many instances these were drawn from at most: what both leave to
        chance is in `mc_error`.
    rng : seed, Generator or None
        All judges of a data set see the same draws.

    Returns
    -------
    DataFrame with columns dataset, judge, quantity ("few: winning rate", "few: advantage", "few: alignment"),
    value, mc_error
        Alignment is Pearson's r, averaged over the raters, or accuracy against a majority as in `choices`.
    """
    seed, rows, drawn = seed_of(rng), [], {}
    for dataset, judge, given, people, alignment in _instances(benchmark, pairs, judges, dimensions):
        n = len(given)
        if dataset not in drawn:
            uniform = stream(seed, dataset).random((n_draws, n), dtype=np.float32)
            last = min(n_instances, n - 1)
            drawn[dataset] = uniform.argpartition(last, axis=1)[:, :n_instances]
        draws = drawn[dataset]
        rates, advantages = over_draws(
            given, people, draws, epsilon=epsilon, alignment=alignment, level=alpha
        )
        if alignment == "rmse":
            close = pearson(people[:, draws], given[draws]).mean(axis=0)
        else:
            close = np.nanmean(_as_majority(given, people)[0][draws], axis=1)
        # variances of means of so many without replacement: of all, of the pool, of the pool from all
        of_all, of_pool = 1 / n_instances - 1 / n, 1 / n_instances - 1 / min(pool, n)
        chance = 0.0  # where every draw is of all instances
        if n > n_instances:
            chance = 1 / n_draws + (of_pool / of_draws + 1 / min(pool, n) - 1 / n) / of_all
        for quantity, values in (("winning rate", rates), ("advantage", advantages), ("alignment", close)):
            error = values.std(ddof=1) * np.sqrt(chance)
            rows.append((dataset, judge, f"few: {quantity}", values.mean(), error))
    table = pd.DataFrame(rows, columns=["dataset", "judge", "quantity", "value", "mc_error"])
    return check(table, keys=["dataset", "judge", "quantity"])


def of_choices(pairs: Pairs, tests: pd.DataFrame) -> pd.DataFrame:
    """What Calderon et al. 2025 print of choices between two outputs, as rows to check claims against.

    Parameters
    ----------
    pairs : Pairs
    tests : DataFrame of `choices`

    Returns
    -------
    DataFrame with columns dataset, judge (``raters`` of sizes), quantity, value, mc_error
    """
    named = {"winning_rate": "winning rate", "advantage": "advantage", "accuracy": "accuracy"}
    named["decided"] = "accuracy, decided pairs"
    found = tests.rename(columns=named).melt(
        ["dataset", "judge"], list(named.values()), var_name="quantity", ignore_index=False
    )
    of_accuracy = found["quantity"] == "accuracy"
    found["mc_error"] = tests["mc_error"].reindex(found.index).where(of_accuracy, 0.0)
    given = pairs.people.notnull()
    sizes = {
        "raters of a pair, least": int(given.sum("rater").min()),
        "pairs of a rater, least": int(given.sum("pair").min()),
    }
    rows = [(pairs.name, "raters", quantity, float(value), 0.0) for quantity, value in sizes.items()]
    table = pd.concat([found, pd.DataFrame(rows, columns=found.columns)], ignore_index=True)
    return check(table, keys=["dataset", "judge", "quantity"])


def _flat(planes: xr.DataArray) -> np.ndarray:
    """Planes (n, n_systems, n_documents) as rows of instances."""
    return planes.to_numpy().reshape(len(planes), -1)


def answer(
    distances: pd.DataFrame, tests: pd.DataFrame, passing: pd.DataFrame, *, epsilon: float
) -> dict[str, str]:
    """The page's answer: how far judges are from a rater, and what the annotator test says beside it.

    Parameters
    ----------
    distances : DataFrame of `distances`
    tests : DataFrame of `alt_test`
    passing : DataFrame of `passing`
    epsilon : float
        Of `tests`.

    Returns
    -------
    dict
        ``judges-answer-short`` and ``-sure``, the answer and how sure it is; ``judges-answer-raters`` and
        ``judges-answer-orders``, with a sentence for each level of the tables, and ``judges-answer-test``;
        every word is chosen from the numbers.
    """
    coefficient = words("coefficient", distances["coefficient"].iloc[0])
    compared = (
        f"What is compared is a judge's {coefficient} minus a rater's, both with the other raters' mean."
    )
    of_levels = [_falls_short(level, part) for level, part in distances.groupby("level", sort=False)]
    orders = [_orders_told(level, part) for level, part in passing.groupby("level", sort=False)]
    each = tests.drop_duplicates(["dimension", "judge"])
    pooled = each.loc[each["dimension"] == ALL, "winning_rate"] >= PASSES
    each = each[each["dimension"] != ALL]
    counts = (each[["winning_rate", "document_rate", "system_rate"]] >= PASSES).sum().tolist()
    passed = (
        f"Of {len(each)} pairs of a judge and a dimension {counts[0]} pass the alternative annotator test "
        f"as published, {counts[1]} when instances of one document, and {counts[2]} when instances of one "
        "system count as dependent (one of the two at a time)."
    )
    return {
        "judges-answer-short": (
            f"{_in_short(distances)} {counts[0]} of {len(each)} pass the annotator test (ε {epsilon:g}); "
            f"pooled, {pooled.sum()} of {len(pooled)}."
        ),
        "judges-answer-sure": _typical_told(distances),
        "judges-answer-raters": " ".join([compared, *of_levels]),
        "judges-answer-orders": " ".join(orders),
        "judges-answer-test": passed,
    }


def _in_short(distances: pd.DataFrame) -> str:
    """Whether any judge is shown to do better than a rater, and how many are shown to do less well."""
    n_above = wording.sides(distances["low"], distances["high"])["above"]
    lead = f"a judge is shown to agree with people more than a rater in {n_above} of {len(distances)}"
    if not n_above:
        lead = "no judge is shown to agree with people more than a rater"
    below = []
    for level, part in distances.groupby("level", sort=False):
        where = wording.sides(part["low"], part["high"])
        of = f"{where['below']}{'' if below else f' of {len(part)} cases (judge, dimension)'}"
        below.append(f"{of} at {words('level', level)}")
    on = benchmark_told(distances["dataset"].iloc[0])
    return f"On {on}, {lead}; worse in {wording.joined(below)}."


def _typical_told(distances: pd.DataFrame) -> str:
    """The difference of judge and rater in the median case of each level, with that case's interval."""
    levels = distances.groupby("level", sort=False)
    at_levels = [f"{value_told(typical(part))} at {words('level', level)}" for level, part in levels]
    coefficient = words("coefficient", distances["coefficient"].iloc[0])
    return f"Median difference, {coefficient}: {wording.joined(at_levels)}."


def _falls_short(level: str, distances: pd.DataFrame) -> str:
    """The signs of the differences at a level, which intervals leave out 0, and what others leave open."""
    below = []
    for dimension, part in distances.groupby("dimension", sort=False):
        n_below = wording.sides(part["low"], part["high"])["below"]
        below.append(f"{n_below} of {len(part)} in {dimension}")
    said = (
        f"At {words('level', level)} {(distances['value'] < 0).sum()} of {len(distances)} differences are "
        f"below 0; judges with their whole interval below 0: {wording.joined(below)}"
    )
    if n_above := wording.sides(distances["low"], distances["high"])["above"]:
        said += f"; above 0: {n_above} of {len(distances)}"
    around = distances[(distances["low"] <= DIFFERENCE_TIE) & (distances["high"] >= -DIFFERENCE_TIE)]
    if len(around):
        low, high = around["low"].min(), around["high"].max()
        said += f"; the intervals that contain 0 leave open differences from {low:.2f} to {high:.2f}"
    return f"{said}."


_UNTOLD = (
    "not told apart from unrelated orders",
    "of too few judges to be told apart from unrelated orders",
)


def _orders_told(level: str, passing: pd.DataFrame) -> str:
    """Whether the judges' orders by the annotator test and by correlation are related, by exact p-values."""
    told: dict[str, list[tuple[str, str]]] = {}
    for row in passing.itertuples():
        related = f"more {'alike' if row.value > 0 else 'opposed'} than unrelated orders"
        word = wording.beyond_chance(row.pvalue, smallest=row.smallest_pvalue, words=(related, *_UNTOLD))
        told.setdefault(word, []).append((row.dimension, wording.pvalue(row.pvalue)))
    parts = []
    for word, of in told.items():
        dimensions, pvalues = zip(*of, strict=True)
        parts.append(f"{word} in {wording.joined(dimensions)} (p: {wording.joined(pvalues)})")
    places = [f"{row.place} in {row.dimension}" for row in passing.itertuples()]
    return (
        f"At {words('level', level)} the judges' order in the alternative annotator test and their order by "
        f"correlation with people are {wording.joined(parts)}; of {passing['n_judges'].iloc[0]} judges the "
        f"first in the test has, by correlation, place {wording.joined(places)}."
    )


def judge_differences(distances: pd.DataFrame) -> go.Figure:
    """A judge's correlation with the other raters minus a rater's; left of zero a judge agrees less.

    Parameters
    ----------
    distances : DataFrame of `helpers.experiments.judges.distances`
    """
    judges = distances["judge"].unique().tolist()[::-1]
    coefficient = words("coefficient", distances["coefficient"].iloc[0])
    sheet = marks(
        distances, x="value", y="judge", panel="dimension", series="level", order=judges, size=9,
        labels={"value": f"{coefficient}: judge minus rater"},
    )  # fmt: skip
    ends = [distances["low"].min() - 0.05, max(distances["high"].max(), 0) + 0.05]
    return sheet.x(range=ends, dtick=0.5, zeroline=True).figure(height=170 + 34 * len(judges))


def judge_dots(results: pd.DataFrame) -> go.Figure:
    """Correlations with intervals, a row for each judge and rater; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judges.correlations`
    """
    judges = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", row="dimension", panel="level", colour="judge", menu="coefficient",
        order=judges, size=10, row_gap=0.05,
    )  # fmt: skip
    sheet.x(**correlation_axis(results["low"])).menu("Coefficient", "coefficient")
    # Plotly finds no range for names on axes that match both ways
    sheet.y(range=[-0.6, len(judges) - 0.4])
    return sheet.figure(height=130 + (60 + 20 * len(judges)) * results["dimension"].nunique())


def advantage_dots(tests: pd.DataFrame) -> go.Figure:
    """Share of instances where a judge is at least as close to the others as the rater left out.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.judges.alt_test`
    """
    judges = tests["judge"].unique().tolist()[::-1]
    sheet = marks(
        tests, x="advantage", y="judge", panel="dimension", series="rater", order=judges,
        hover=["winning_rate", "t_iid", "t_document", "t_system"],
    )  # fmt: skip
    return sheet.x(range=[-0.03, 1.03]).figure(height=170 + 34 * len(judges))


def passing_scatter(advantages: pd.DataFrame) -> go.Figure:
    """A judge's advantage in the annotator test against its correlation with people, by level and dimension.

    Parameters
    ----------
    advantages : DataFrame of `helpers.experiments.judges.advantages`
    """
    sheet = marks(
        advantages, x="advantage", y="value", panel="dimension", row="level", series="judge",
        size=11,
    )  # fmt: skip
    sheet.y(**correlation_axis([*advantages["low"], *advantages["value"]]))
    return sheet.figure(height=130 + 270 * advantages["level"].nunique())


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return correlations(load(dataset), rng=seed, **settings)


LIVE = Live(
    notebook="judges",
    question="How do judges, and single raters, agree with the other raters?",
    controls=(
        *live_choices.JUDGED_CONTROLS,
        live_choices.TWO_LEVELS,
        live_choices.COEFFICIENTS_SHOWN,
        live_choices.CONFIDENCE_LEVEL,
        live_choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: judge_dots(table),
)
