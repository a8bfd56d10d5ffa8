"""experiments.tiers: which judges, and which systems, the data can tell apart, and how sure their ranks are.

A benchmark whose metrics are named ``JUDGE (DIMENSION)`` in, tidy tables out; called by the notebook `tiers`
and its live block. All pairs of a family are tested together, so that all its ranks hold at once: a family is
the judges of a dimension at a level, or the systems of a dimension by one judge or by people's mean. Across
families nothing is corrected. `metaeval.stats.tiers`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, with_system_names
from helpers.kit.theme import BLUE, PALETTE, Style, correlation_axis
from helpers.kit.told import benchmark_told
from metaeval.analysis.judges import of_dimension
from metaeval.datasets import load
from metaeval.datasets.readers.llm_summeval import COMPARED
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.differences import compare_pairs, compare_systems, equality_pvalue
from metaeval.stats.intervals import interval
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.tiers import Tiers, simultaneous_pvalues, tiers
from metaeval.stats.ties import places_of, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

PEOPLE = "people"
_OF_DIMENSIONS = {"dimensions apart": "Boot-Inputs", "dimensions apart, systems drawn": "Boot-Both"}
_CLOSE = {frozenset(pair) for pair in COMPARED}  # pairs of systems that the authors call close


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
    coefficient, method : see `metaeval.stats.differences.compare_pairs`
    alpha : float in (0, 1)
        Probability that any two judges of a family are wrongly told apart.
    n_resamples : int
        Draws behind the tiers.
    n_seeds : int
        How often the tiers are found again with this many other draws.
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
        For the test see `metaeval.stats.differences.compare_systems`.

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


def candidates(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
) -> pd.DataFrame:
    """How judges, and single raters, agree with people on each system's summaries alone.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics and single raters
    judges, dimensions, coefficients : sequences of str

    Returns
    -------
    DataFrame with columns dataset, dimension, judge (a rater too, against the mean of the others),
    coefficient, system, value (over the system's documents; NaN where either side is constant), mean
    (people's, of the system)

    Raises
    ------
    UnknownNameError
        For a judge or a dimension that does not exist, or raters that were not released one by one.
    """
    frames = []
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, judges)
        mean = system_means(part.human.to_numpy())
        sides = {judge: (plane, part.human) for judge, plane in zip(judges, part.scores, strict=True)}
        for rater in benchmark.raters(dimension):
            one = benchmark.with_rater(dimension, rater)
            sides[rater] = one.scores[0], one.human
        for (judge, (x, z)), coefficient in product(sides.items(), coefficients):
            value = COEFFICIENTS[coefficient](x.to_numpy(), z.to_numpy())
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            keys |= {"coefficient": coefficient, "system": part.systems}
            frames.append(pd.DataFrame({**keys, "value": value, "mean": mean}))
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=["dimension", "judge", "coefficient", "system"], values=["value", "mean"])


def by_quality(candidates: pd.DataFrame) -> pd.DataFrame:
    """Whether agreement falls as systems get better: their correlation with people's mean, over systems.

    Parameters
    ----------
    candidates : DataFrame of `candidates`

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, coefficient, value (the same coefficient, of the
    systems' values with their means), pvalue, n_systems
        A system whose correlation does not exist is left out.
    """
    rows = []
    keys = ["dataset", "dimension", "judge", "coefficient"]
    for key, part in candidates.groupby(keys, sort=False):
        kept = part.dropna(subset="value")
        found = _TESTS[key[-1]](kept["value"], kept["mean"])
        rows.append((*key, found.statistic, found.pvalue, len(kept)))
    table = pd.DataFrame(rows, columns=[*keys, "value", "pvalue", "n_systems"])
    return check(table, keys=keys, values=["value", "pvalue"])


_TESTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def quantities(
    benchmark: Benchmark,
    automatic: Benchmark,
    by_quality: pd.DataFrame,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    n_resamples: int = 1_000,
    alpha: float = 0.05,
    rng: RNGLike,
) -> pd.DataFrame:
    """What Shen et al. 2023 say of judges and systems, in numbers.

    Parameters
    ----------
    benchmark : the release's Benchmark
    automatic : Benchmark with automatic metrics of the same summaries
    by_quality : DataFrame of `by_quality`
    judges, dimensions : sequences of str
    n_resamples, alpha, rng : of the tests
        Systems are compared by draws of documents, dimensions by these and by draws of both.

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, coefficient, quantity, value
        Quantities are ``systems``, ``summaries`` and ``close pairs``; by judge and dimension ``overall``
        (over all summaries, of automatic metrics too), ``meta-correlation`` and its ``p`` (of raters too),
        ``p of equal systems`` (that the judge's correlations are the same on all systems),
        ``right`` and ``right, close`` (pairs of systems on whose side the judge is with people), ``share of
        close`` and ``share of others`` (the same of the close pairs and of the others); by judge ``dimensions
        apart`` (where documents are drawn) and ``dimensions apart, systems drawn``.
    """
    seed, systems, rows = seed_of(rng), benchmark.systems, []
    pairs = _all_pairs(len(systems))
    close = np.array([frozenset((systems[i], systems[j])) in _CLOSE for i, j in pairs])
    n_summaries = len(systems) * len(benchmark.documents)
    sizes = {"systems": len(systems), "summaries": n_summaries, "close pairs": close.sum()}
    rows += [("", "", "", quantity, n) for quantity, n in sizes.items()]
    parts = {dimension: of_dimension(benchmark, dimension, judges) for dimension in dimensions}
    planes = {name: (part.scores.to_numpy(), part.human.to_numpy()) for name, part in parts.items()}
    for k, judge in enumerate(judges):
        for dimension, (scores, human) in planes.items():
            right = _side(scores[k], pairs) == _side(human, pairs)
            counts = {"right": right.sum(), "right, close": right[close].sum()}
            sides = {"share of close": right[close], "share of others": right[~close]}
            counts |= {quantity: of.mean() if of.size else np.nan for quantity, of in sides.items()}
            rows += [(dimension, judge, "", quantity, n) for quantity, n in counts.items()]
            draws = {"n_resamples": n_resamples, "rng": stream(seed, judge, dimension)}
            found = _of_each_system(scores[k], human, **draws)
            pvalue = equality_pvalue(*found, n=human.shape[-1])
            rows.append((dimension, judge, "spearman", "p of equal systems", pvalue))
        for quantity, method in _OF_DIMENSIONS.items():
            # a fresh generator each time: all dimensions see the same draws
            found = [
                interval(
                    scores[k], human, level="global", coefficient="spearman", method=method,
                    n_resamples=n_resamples, rng=stream(seed, judge),
                )
                for scores, human in planes.values()
            ]  # fmt: skip
            value, drawn = (
                np.array([getattr(one, of) for one in found]) for of in ("estimate", "distribution")
            )
            rows.append(("", judge, "spearman", quantity, _n_apart(value, drawn, alpha)))
    for dimension, part in parts.items():
        others = automatic.select(systems=systems, documents=benchmark.documents).judged_by(dimension)
        for source, coefficient in product((part, others), COEFFICIENTS):
            kind = {"level": "global", "coefficient": coefficient}
            value = correlate(source.scores.to_numpy(), source.human.to_numpy(), **kind).value
            named = zip(source.metrics, value, strict=True)
            rows += [(dimension, name, coefficient, "overall", v) for name, v in named]
    for row in by_quality.itertuples():
        key = (row.dimension, row.judge, row.coefficient)
        rows += [(*key, "meta-correlation", row.value), (*key, "p of the meta-correlation", row.pvalue)]
    table = pd.DataFrame(rows, columns=["dimension", "judge", "coefficient", "quantity", "value"])
    table["value"] = table["value"].astype(float)
    table = table.assign(dataset=benchmark.name)
    return check(table, keys=["dimension", "judge", "coefficient", "quantity"])


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
    return pd.DataFrame(
        {
            **keys, "value": value, "place": places_of(value), **vars(family.found),
            "n_stable": family.n_stable, "n_seeds": family.n_seeds, "n_draws": n_draws,
        }
    )  # fmt: skip


def _all_pairs(n: int) -> np.ndarray:
    return np.column_stack(np.triu_indices(n, 1))


def _side(ratings: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Which system of a pair is preferred on more documents: 1 the first, -1 the second, 0 neither."""
    apart = np.sign(ratings[pairs[:, 0]] - ratings[pairs[:, 1]])
    return np.sign(np.nansum(apart, axis=1))


def _of_each_system(x: np.ndarray, z: np.ndarray, *, n_resamples: int, rng: RNGLike):
    """Spearman's rho over each system's documents (n,), and in draws that systems share (n, n_resamples)."""
    seed = seed_of(rng)
    kind = {"level": "system", "coefficient": "spearman", "method": "Boot-Systems"}
    # each document in the place of a system
    found = [
        interval(a[:, None], b[:, None], n_resamples=n_resamples, rng=seed, **kind)
        for a, b in zip(x, z, strict=True)
    ]
    return np.array([one.estimate for one in found]), np.array([one.distribution for one in found])


def _n_apart(value: np.ndarray, drawn: np.ndarray, alpha: float) -> int:
    """How many pairs of correlations simultaneous bootstrap tests tell apart."""
    first, second = _all_pairs(len(value)).T
    difference = value[first] - value[second]
    null = drawn[first] - drawn[second] - difference[:, None]
    return int((simultaneous_pvalues(difference, null) <= alpha).sum())


def answer(judges: pd.DataFrame, systems: pd.DataFrame, told: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how many judges share the first tier, how many pairs of systems are told apart.

    Parameters
    ----------
    judges : DataFrame of `of_judges`
    systems, told : DataFrames of `of_systems`

    Returns
    -------
    dict
        ``tiers-answer-short``, the answer in a sentence; ``tiers-answer-judges``, ``-systems``, ``-against``
        and ``-stable``; every word is chosen from the numbers.
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
        "tiers-answer-short": _in_short(judges, told),
        "tiers-answer-judges": " ".join(levels),
        "tiers-answer-systems": _apart_told(told),
        "tiers-answer-against": _against_told(told),
        "tiers-answer-stable": (
            f"With other draws all tiers of a family come out the same in {stable} of {seeds} repetitions, "
            f"and not each time in {wrong[0]} of {len(families[0])} families of judges and {wrong[1]} of "
            f"{len(families[1])} of systems."
        ),
    }


def _in_short(judges: pd.DataFrame, told: pd.DataFrame) -> str:
    """How many pairs of judges, and of systems, are told apart."""
    of_judges = []
    for level, part in judges.groupby("level", sort=False):
        sizes = part.groupby("dimension", sort=False).size()
        # a candidate's best rank is one below all that are better
        apart, pairs = int((part["best_rank"] - 1).sum()), int((sizes * (sizes - 1) // 2).sum())
        of_judges.append(
            f"{apart}{'' if of_judges else f' of {pairs} pairs of judges'} at {words('level', level)}"
        )
    people, others = (told[of] for of in (told["judge"] == PEOPLE, told["judge"] != PEOPLE))
    shares = [
        wording.percent(part["n_apart_judge"].sum() / part["n_pairs"].sum()) for part in (people, others)
    ]
    of_people, both, against = (
        int(others[name].sum()) for name in ("n_apart_human", "n_apart_both", "n_against")
    )
    alike, opposite, neither = (
        wording.percent(n / of_people if of_people else math.nan)
        for n in (both - against, against, of_people - both)
    )
    n_pairs = of_people // others["judge"].nunique()
    return (
        f"On {benchmark_told(told['dataset'].iloc[0])}'s systems, tests of all pairs together tell "
        f"apart {wording.joined(of_judges)}. People's mean tells apart {shares[0]} of pairs of systems, a "
        f"judge {shares[1]}. Of {n_pairs:,} that people tell apart, a judge orders {alike} alike, "
        f"{opposite} the other way, and leaves {neither} open."
    )


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


def answer_quality(
    by_quality: pd.DataFrame, quantities: pd.DataFrame, *, judges: Sequence[str]
) -> dict[str, str]:
    """Whether agreement falls with a system's quality, of judges and of single raters, and pairs in order.

    Parameters
    ----------
    by_quality, quantities : DataFrames of the functions of these names
    judges : sequence of str
        All others of `by_quality` are raters.

    Returns
    -------
    dict
        ``tiers-answer-quality`` and ``tiers-right``.
    """
    kept = by_quality[by_quality["coefficient"] == "spearman"].dropna(subset="value")
    is_judge = kept["judge"].isin(judges)
    of_judges, of_raters = (_below_told(part["value"]) for part in (kept[is_judge], kept[~is_judge]))
    mean = quantities.groupby(["quantity", "judge"], sort=False)["value"].mean()
    close, n = int(mean["close pairs", ""]), int(mean["systems", ""])
    told = [f"{judge} {mean['right', judge]:.1f} of {n * (n - 1) // 2}" for judge in judges]
    if close:
        told = [
            f"{so_far}, of the {close} close ones {mean['right, close', judge]:.1f} "
            f"({wording.percent(mean['share of close', judge], 1)})"
            for so_far, judge in zip(told, judges, strict=True)
        ]
    return {
        "tiers-answer-quality": (
            f"On {words('data', by_quality['dataset'].iloc[0])} agreement with people on one system's "
            "summaries goes down as the system's quality goes up (Spearman's ρ over systems is below 0) for "
            f"judges {of_judges}, and for single experts with the others {of_raters}."
        ),
        "tiers-right": f"{'; '.join(told)}.",
    }


def _below_told(value: pd.Series) -> str:
    return f"in {(value < 0).sum()} of {len(value)} cases ({wording.extent(value)})"


_RANKS = ("best_rank", "worst_rank")


def judge_ranks(results: pd.DataFrame) -> go.Figure:
    """Ranks of the judges that the tests leave open, by dimension and level; colours are tiers.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.tiers.of_judges`
    """
    order = _order(results, "judge")
    sheet = _ranks(results, y="judge", order=order, panel="level", row="dimension", row_gap=0.04)
    return sheet.figure(
        height=140 + (40 + 24 * len(order)) * results["dimension"].nunique(), scattermode="overlay"
    )


def system_ranks(results: pd.DataFrame) -> go.Figure:
    """Ranks of the systems that the tests leave open, by dimension; a menu picks people or a judge.

    Parameters
    ----------
    results : DataFrame, the first of `helpers.experiments.tiers.of_systems`
        Systems stand in the order of the first of its judges.
    """
    results = with_system_names(results)
    order = _order(results[results["judge"] == results["judge"].iloc[0]], "system")
    sheet = _ranks(results, y="system", order=order, panel="dimension", menu="judge")
    return sheet.menu("Ratings by", "judge").figure(height=170 + 26 * len(order), scattermode="overlay")


def candidate_scatter(results: pd.DataFrame) -> go.Figure:
    """Agreement with people on each system's summaries against the system's quality; menus for who and how.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.tiers.candidates`
    """
    results = with_system_names(results)
    sheet = marks(
        results, x="mean", y="value", panel="dimension", menu="judge", moved_by="coefficient", point="system",
        labels={"mean": "people's mean", "value": "correlation with people"}, size=10, own_x=True,
        style={(): Style(BLUE, symbol="circle-open")},
    )  # fmt: skip
    sheet.y(**correlation_axis(results["value"])).menu("Who", "judge")
    coefficients = [words("coefficient", name) for name in results["coefficient"].unique()]
    return sheet.moving_menu("Coefficient", coefficients).figure(height=380)


def _ranks(results: pd.DataFrame, *, y: str, order: list[str], **panels) -> Panels:
    tiers = range(1, int(results["tier"].max()) + 1)
    sheet = marks(
        results, x="place", y=y, series="tier", order=order, ends=_RANKS, hover=["value"], size=11, digits=2,
        style={tier: Style(PALETTE[(tier - 1) % len(PALETTE)]) for tier in tiers},
        name={tier: f"tier {tier}" for tier in tiers},
        labels={"value": "value", "place": "rank (1 the best)"}, **panels,
    )  # fmt: skip
    for trace in sheet.data:
        trace["error_x"] |= {"thickness": 5}
    n = len(order)
    step = 1 if n <= 8 else 5
    # Plotly finds the range of categories in the first traces, and no tier holds all candidates
    sheet.y(range=[-0.6, n - 0.4])
    return sheet.x(range=[0.2, n + 0.8], dtick=step, tick0=step, zeroline=False)


def _order(results: pd.DataFrame, column: str) -> list[str]:
    """Candidates by their mean place, the best on top."""
    return results.groupby(column, sort=False)["place"].mean().sort_values(ascending=False).index.tolist()


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return of_judges(load(dataset), rng=seed, **settings)


LIVE = Live(
    notebook="tiers",
    question="Which judges can be told apart?",
    controls=(
        *choices.JUDGED_CONTROLS,
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        One("method", "Test", ("Perm-Both", "Perm-Inputs", "Perm-Systems", "Boot-Both")),
        Real("alpha", "Level", 0.01, 0.2, 0.01),
        choices.draws("n_resamples", "Draws", 999),
    ),
    fixed=("n_seeds", "seed"),
    smaller={"n_resamples": 99},
    remark="Starts with 99 draws; the notebook takes 1,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: judge_ranks(table),
)
