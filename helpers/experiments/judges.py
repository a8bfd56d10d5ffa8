"""experiments.judges: judges and single raters on one scale, and what the alternative annotator test says
of them.

A benchmark whose metrics are named ``JUDGE (DIMENSION)`` and whose judgments carry single raters in, tidy
tables
out; called by the notebook `judges` and its live block. Calderon, Reichart and Dror 2025; Deutsch et al.
2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from helpers import wording
from helpers.benchmark import Benchmark, Part, judge_of
from helpers.errors import UnknownNameError
from helpers.experiments._tabulate import intervals, tabulate
from helpers.experiments.columns import check
from helpers.labels import words
from helpers.stats.annotator_test import annotator_test
from helpers.stats.correlation import kendall, pearson
from helpers.stats.monte_carlo import quantile_error
from helpers.stats.reliability import against_raters, disattenuated, mean_pair_correlation, spearman_brown
from helpers.stats.streams import RNGLike, seed_of, stream

ALL = "all"  # dimensions pooled, as the authors of the test do it
GOES, AGAINST = (
    0.5,
    -0.5,
)  # Kendall's tau of two orders of the judges from which on one is said to go with the other


def of_dimension(benchmark: Benchmark, dimension: str, judges: Sequence[str]) -> Benchmark:
    """A benchmark whose metrics are the judges of one dimension and whose gold standard is people's mean
    in it.

    Raises
    ------
    UnknownNameError
        If there is no such judge or dimension.
    ValueError
        If no judge is named.
    """
    if not judges:
        raise ValueError("no judge is named: name at least one")
    known = benchmark.judges(dimension)
    for judge in judges:
        if judge not in known:
            raise UnknownNameError(f"judge of {benchmark.name}, {dimension}", judge, known)
    part = benchmark.judged_by(dimension).select(metrics=[judge_of(judge, dimension) for judge in judges])
    return part.with_scores(part.scores.assign_coords(metric=np.array(judges, dtype=object)))


def _parts(benchmark: Benchmark, judges: Sequence[str], dimensions: Sequence[str]) -> Iterator[Part]:
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
    levels, coefficients, n_resamples, confidence_level, rng : see `helpers.stats.intervals.interval`
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
    rows = []
    for judge in judges:
        planes, rated = [], []
        for dimension in dimensions:
            part = of_dimension(benchmark, dimension, [judge])
            planes.append(part.scores.to_numpy())
            rated.append(part.rated(dimension).to_numpy())
            raters = part.raters(dimension)
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            rows += _tested(keys, raters, planes[-1:], rated[-1:], epsilon, alpha)
        rows += _tested({**keys, "dimension": ALL}, raters, planes, rated, epsilon, alpha)
    order = {dimension: place for place, dimension in enumerate([*dimensions, ALL])}
    rows.sort(key=lambda row: order[row["dimension"]])
    return check(
        pd.DataFrame(rows), keys=["dimension", "judge", "rater"], values=["winning_rate", "advantage"]
    )


def _tested(keys, raters, planes, rated, epsilon, alpha):
    counts = {len(one) for one in rated}
    if len(counts) > 1:
        raise ValueError(f"dimensions are pooled, and have different numbers of raters: {sorted(counts)}")
    systems, documents = np.indices(planes[0].shape[1:]).reshape(2, -1)
    found = annotator_test(
        np.concatenate([plane.ravel() for plane in planes]),
        np.concatenate([one.reshape(len(one), -1) for one in rated], axis=1),
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
    """How far each judge is from what one more rater does: judge less rater, both against the other raters.

    Parameters
    ----------
    benchmark, judges, dimensions, levels, n_resamples, confidence_level, rng : see `correlations`
        Raters are drawn again as well.
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    DataFrame with columns dataset, dimension, level, coefficient, judge, value, low, high, low_mc_error,
    high_mc_error, n_undefined, n_resamples, at_ceiling (the correlation of one rater with the others, on
    average),
    reliability (of the raters' mean, by Spearman and Brown), corrected (the judge's correlation with that
    mean, without the raters' noise)
    """
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
            reliability = spearman_brown(mean_pair_correlation(rated, **kind), len(rated))
            whole = intervals(scores, part.human.to_numpy(), method="Fisher", **kind)["value"]
            tail = (1 - confidence_level) / 2
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name, "dimension": dimension, **kind, "judge": judges,
                        "value": found.difference, "low": found.low, "high": found.high,
                        "low_mc_error": quantile_error(found.distribution, tail),
                        "high_mc_error": quantile_error(found.distribution, 1 - tail),
                        "n_undefined": found.n_undefined, "n_resamples": n_resamples,
                        "at_ceiling": found.ceiling, "reliability": float(reliability),
                        "corrected": disattenuated(whole, reliability_y=reliability),
                    }
                )
            )  # fmt: skip
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=["dimension", "level", "coefficient", "judge"], values=["value", "low", "high"])


def passing(
    tests: pd.DataFrame, correlations: pd.DataFrame, *, level: str = "system", coefficient: str = "kendall"
) -> pd.DataFrame:
    """Whether the judges that do well in the annotator test are those that rank systems well.

    Parameters
    ----------
    tests : DataFrame of `alt_test`
    correlations : DataFrame of `correlations`
    level, coefficient : str

    Returns
    -------
    DataFrame with columns dimension, level, coefficient, value (Kendall's tau of the judges' advantages
    and their
    correlations), judge (with the largest advantage), place (of that judge by correlation), n_judges
    """
    kept = correlations.query("level == @level and coefficient == @coefficient")
    rows = []
    for dimension, part in tests[tests["dimension"] != ALL].groupby("dimension", sort=False):
        advantage = part.groupby("judge", sort=False)["advantage"].mean()
        value = kept[kept["dimension"] == dimension].set_index("judge")["value"][advantage.index]
        best = advantage.idxmax()
        rows.append(
            {
                "dimension": dimension,
                "level": level,
                "coefficient": coefficient,
                "value": float(kendall(advantage, value)),
                "judge": best,
                "place": int((value > value[best]).sum()) + 1,
                "n_judges": len(advantage),
            }
        )
    return check(pd.DataFrame(rows), keys=["dimension"], values=["value", "judge"])


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
        it and the mean absolute difference are of two raters, averaged over the pairs.
    """
    dimensions = [dimension for dimension in tests["dimension"].unique() if dimension != ALL]
    rated = {d: _flat(benchmark.rated(d)) for d in dimensions}
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
        }
        rows += [(dimension, judge, quantity, value) for quantity, value in found.items()]
    first, second = np.triu_indices(len(rated[ALL]), 1)
    for dimension, values in rated.items():
        apart = np.nanmean(np.abs(values[first] - values[second]))
        rows.append((dimension, "raters", "absolute difference", apart))
        rows.append((dimension, "raters", "Pearson's r", pearson(values[first], values[second]).mean()))
    table = pd.DataFrame(rows, columns=["dimension", "judge", "quantity", "value"])
    return check(table.assign(dataset=benchmark.name), keys=["dimension", "judge", "quantity"])


def _flat(planes: xr.DataArray) -> np.ndarray:
    """Planes (n, n_systems, n_documents) as rows of instances."""
    return planes.to_numpy().reshape(len(planes), -1)


def answer(
    distances: pd.DataFrame, tests: pd.DataFrame, passing: pd.DataFrame, *, level: str = "system"
) -> str:
    """The page's answer: how many judges fall short of a rater, and what the annotator test says beside it.

    Parameters
    ----------
    distances : DataFrame of `distances`
    tests : DataFrame of `alt_test`
    passing : DataFrame of `passing`
    level : of the distances

    Returns
    -------
    str
        Markdown; every word is chosen from the numbers.
    """
    kept = distances[distances["level"] == level]
    coefficient = words("coefficient", kept["coefficient"].iloc[0])
    parts = []
    for dimension, part in kept.groupby("dimension", sort=False):
        where = [
            wording.against(low, high, words=("short", "level", "above"))
            for low, high in zip(part["low"], part["high"], strict=True)
        ]
        parts.append(f"in {dimension} {where.count('short')} of {len(part)}")
    said = [
        f"Judges whose {coefficient} with the raters' mean lies measurably below that of one more rater "
        f"({words('level', level)}; the interval of the difference is below 0): {wording.joined(parts)}."
    ]
    orders: dict[str, list[str]] = {}
    for row in passing.itertuples():
        orders.setdefault(order_word(row.value), []).append(row.dimension)
    told = [f"{word} ranking systems well in {wording.joined(of)}" for word, of in orders.items()]
    said.append(f"Doing well in the alternative annotator test {wording.joined(told)}.")
    first = [
        f"{row.judge} in {row.dimension} (place {row.place} of {row.n_judges})"
        for row in passing.itertuples()
    ]
    said.append(
        f"The judges that do best in it, and their places by ranking systems: {wording.joined(first)}."
    )
    each = tests.drop_duplicates(["dimension", "judge"])
    each = each[each["dimension"] != ALL]
    rates = each[["winning_rate", "document_rate", "system_rate"]]
    counts = (rates >= 0.5).sum().tolist()
    said.append(
        f"Of {len(each)} pairs of a judge and a dimension {counts[0]} pass that test as published, "
        f"{counts[1]} when instances of one document, and {counts[2]} when instances of one system count as "
        "dependent."
    )
    return " ".join(said)


def order_word(tau: float) -> str:
    """Whether one order of the judges goes with another, by Kendall's tau.

    Examples
    --------
    >>> order_word(0.6), order_word(-0.5), order_word(0.2)
    ('goes with', 'goes against', 'says little of')
    """
    return "goes with" if tau >= GOES else "goes against" if tau <= AGAINST else "says little of"
