"""experiments.tiers: which judges, and which systems, the data can tell apart, and how sure their ranks are.

A benchmark whose metrics are named ``JUDGE (DIMENSION)`` in, tidy tables out; called by the notebook `tiers`
and its live block. All pairs of a family are tested together, so that all its ranks hold at once: a family is
the judges of a dimension at a level, or the systems of a dimension by one judge or by people's mean. Across
families nothing is corrected. `helpers.stats.tiers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers import wording
from helpers.benchmark import Benchmark
from helpers.experiments.columns import check
from helpers.experiments.judges import of_dimension
from helpers.labels import words
from helpers.stats.correlation import correlate
from helpers.stats.differences import compare_pairs, compare_systems
from helpers.stats.streams import RNGLike, seed_of, stream
from helpers.stats.tiers import Tiers, simultaneous_pvalues, tiers
from helpers.stats.ties import DIFFERENCE_TIE, system_means

PEOPLE = "people"


def of_judges(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "kendall",
    method: str = "Perm-Both",
    alpha: float = 0.05,
    n_resamples: int = 1_000,
    n_seeds: int = 9,
    rng: RNGLike,
) -> pd.DataFrame:
    """Judges in tiers, by their correlation with people.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics
    judges : sequence of str
    dimensions, levels : sequences of str
    coefficient, method : see `helpers.stats.differences.compare_pairs`
    alpha : float in (0, 1)
        Probability that any two judges of a family are wrongly told apart.
    n_resamples : int
        Draws behind the tiers.
    n_seeds : int
        How often the tiers are found again with so many other draws.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, dimension, level, coefficient, judge, value, place, tier, best_rank,
    worst_rank, n_stable (of the `n_seeds` repetitions, those in which all judges of the row's family are in
    the same tiers), n_seeds, n_draws

    Raises
    ------
    UnknownNameError
        For a judge or a dimension that does not exist.
    """
    seed, frames = seed_of(rng), []
    pairs = _all_pairs(len(judges))
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, judges)
        scores, human = part.scores.to_numpy(), part.human.to_numpy()
        for level in levels:
            kind = {"level": level, "coefficient": coefficient}
            found = compare_pairs(
                scores, human, pairs, method=method, n_resamples=n_resamples * (n_seeds + 1),
                rng=stream(seed, benchmark.name, dimension), **kind,
            )  # fmt: skip
            value = correlate(scores, human, **kind).value
            family = _Family.of(value, found.difference, found.null, alpha, n_seeds)
            keys = {"dataset": benchmark.name, "dimension": dimension, **kind, "judge": list(judges)}
            frames.append(_frame(keys, family, n_draws=n_resamples))
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=["dimension", "level", "coefficient", "judge"], values=["tier", "value"])


def of_systems(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    alpha: float = 0.05,
    n_resamples: int = 1_000,
    n_seeds: int = 9,
    rng: RNGLike,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Systems in tiers, by their mean rating: from people's mean and from each judge.

    Parameters
    ----------
    benchmark, judges, dimensions, alpha, n_resamples, n_seeds, rng : see `of_judges`
        For the test see `helpers.stats.differences.compare_systems`.

    Returns
    -------
    systems : DataFrame with columns dataset, dimension, judge (`people` for their mean), system, value,
        place, tier, best_rank, worst_rank, n_stable, n_seeds, n_draws
    judges : DataFrame with columns dataset, dimension, judge, n_pairs, n_apart_judge (pairs of systems that
        the judge tells apart), n_apart_human, n_apart_both, n_against (of the latter, those in the opposite
        order), n_tiers, n_stable, n_seeds
    """
    seed, frames, rows = seed_of(rng), [], []
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, judges)
        planes = {PEOPLE: part.human.to_numpy()} | dict(zip(judges, part.scores.to_numpy(), strict=True))
        families = {}
        for judge, plane in planes.items():
            draws = stream(seed, benchmark.name, dimension)  # people and judges share them
            difference, null = compare_systems(plane, n_resamples=n_resamples * (n_seeds + 1), rng=draws)
            family = _Family.of(system_means(plane), difference, null, alpha, n_seeds)
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge, "system": part.systems}
            frames.append(_frame(keys, family, n_draws=n_resamples))
            families[judge] = family
        people = families[PEOPLE].order
        for judge, family in families.items():
            both = (family.order != 0) & (people != 0)
            rows.append(
                {
                    "dataset": benchmark.name,
                    "dimension": dimension,
                    "judge": judge,
                    "n_pairs": len(people),
                    "n_apart_judge": int((family.order != 0).sum()),
                    "n_apart_human": int((people != 0).sum()),
                    "n_apart_both": int(both.sum()),
                    "n_against": int((both & (family.order != people)).sum()),
                    "n_tiers": int(family.found.tier.max()),
                    "n_stable": family.n_stable,
                    "n_seeds": n_seeds,
                }
            )
    systems = pd.concat(frames, ignore_index=True)
    return (
        check(systems, keys=["dimension", "judge", "system"], values=["tier", "value"]),
        check(pd.DataFrame(rows), keys=["dimension", "judge"], values=["n_apart_judge", "n_pairs"]),
    )


@dataclass(frozen=True)
class _Family:
    """Candidates that are tested together."""

    value: np.ndarray
    found: Tiers
    order: np.ndarray  # of each pair: 1 where the first is significantly higher, -1 lower, 0 not told apart
    n_stable: int
    n_seeds: int

    @classmethod
    def of(cls, value, difference, null, alpha: float, n_seeds: int) -> _Family:
        """From the draws of `n_seeds + 1` runs, the first of which is shown."""
        pairs = _all_pairs(len(value))
        runs = np.split(null, n_seeds + 1, axis=1)
        pvalues = [simultaneous_pvalues(difference, run) for run in runs]
        found, *others = (tiers(value, pairs, pvalue, alpha=alpha) for pvalue in pvalues)
        n_stable = sum(np.array_equal(found.tier, other.tier) for other in others)
        order = np.where(pvalues[0] <= alpha, np.sign(difference), 0)
        return cls(value, found, order, n_stable, n_seeds)


def _frame(keys: dict, family: _Family, *, n_draws: int) -> pd.DataFrame:
    value = family.value
    place = 1 + (value[:, None] < value - DIFFERENCE_TIE).sum(axis=-1)
    return pd.DataFrame(
        {
            **keys, "value": value, "place": place, **vars(family.found), "n_stable": family.n_stable,
            "n_seeds": family.n_seeds, "n_draws": n_draws,
        }
    )  # fmt: skip


def _all_pairs(n: int) -> np.ndarray:
    return np.column_stack(np.triu_indices(n, 1))


def answer(judges: pd.DataFrame, systems: pd.DataFrame, told: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how many judges share the first tier, how many pairs of systems are told apart.

    Parameters
    ----------
    judges : DataFrame of `of_judges`
    systems, told : DataFrames of `of_systems`

    Returns
    -------
    dict
        ``tiers-answer-judges``, ``-systems``, ``-against`` and ``-stable``; every word is chosen from the
        numbers.
    """
    levels = [_first_told(level, part) for level, part in judges.groupby("level", sort=False)]
    kept = ["n_stable", "n_seeds"]
    families = [
        judges.drop_duplicates(["level", "dimension"])[kept],
        systems.drop_duplicates(["dimension", "judge"])[kept],
    ]
    stable, seeds = (int(pd.concat(families)[column].sum()) for column in kept)
    wrong = [int((part["n_stable"] < part["n_seeds"]).sum()) for part in families]
    return {
        "tiers-answer-judges": " ".join(levels),
        "tiers-answer-systems": _apart_told(told),
        "tiers-answer-against": _against_told(told),
        "tiers-answer-stable": (
            f"With other draws all tiers of a family come out the same in {stable} of {seeds} repetitions, "
            f"and not each time in {wrong[0]} of {len(families[0])} families of judges and {wrong[1]} of "
            f"{len(families[1])} of systems."
        ),
    }


def _first_told(level: str, judges: pd.DataFrame) -> str:
    parts = []
    for dimension, part in judges.groupby("dimension", sort=False):
        below = part.loc[part["tier"] > 1, "judge"].tolist()
        n_first = len(part) - len(below)
        without = f" (all but {wording.joined(below)})" if 0 < len(below) <= 2 else ""
        parts.append(f"{n_first} of {len(part)} judges in {dimension}{without}")
    width = (judges["worst_rank"] - judges["best_rank"] + 1).mean()
    return (
        f"At {words('level', level)} the first tier holds {wording.joined(parts)}; a judge's rank is one of "
        f"{width:.1f} on average."
    )


def _apart_told(told: pd.DataFrame) -> str:
    parts = []
    for dimension, part in told.groupby("dimension", sort=False):
        people = part["n_apart_human"].iloc[0]
        others = part[part["judge"] != PEOPLE]["n_apart_judge"]
        parts.append(f"{people} in {dimension} (judges {others.min()} to {others.max()})")
    return (
        f"Of {told['n_pairs'].iloc[0]} pairs of systems, all tested together, people's mean tells apart "
        f"{wording.joined(parts)}."
    )


def _against_told(told: pd.DataFrame) -> str:
    part = told[told["judge"] != PEOPLE]
    both, against = int(part["n_apart_both"].sum()), part.groupby("judge", sort=False)["n_against"].sum()
    where = [f"{n} by {judge}" for judge, n in against.items() if n]
    return (
        f"Of {both:,} times that a judge and people both tell a pair apart, {against.sum()} are in the "
        "opposite order" + (f": {wording.joined(where)}." if where else ".")
    )
