"""experiments.tiers: which judges, and which systems, can the data tell apart, and how sure are their ranks?

Mogstad et al. 2024, §3; what Shen et al. 2023 say of judges and systems.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.draws import streamed
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, with_system_names
from helpers.kit.theme import PALETTE, Style
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import judges_as_metrics
from metaeval.datasets import load
from metaeval.datasets.readers.llm_summeval import COMPARED
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.differences import (
    compare_pairs,
    compare_systems,
    equality_pvalue,
    simultaneous_pvalues,
    tiers,
)
from metaeval.stats.intervals import interval
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import places_of, system_means
from metaeval.tables.columns import check

PEOPLE = "people"
_DIMENSIONS = {"dimensions apart": "Boot-Inputs", "dimensions apart, systems drawn": "Boot-Both"}
_CLOSE = {frozenset(pair) for pair in COMPARED}  # pairs of systems that the authors call close
_TESTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


# All pairs of a family are tested together, so that with probability 1 - alpha all its ranks hold at once; it
# is the judges of a dimension at a level, or the systems of a dimension by one judge. Nothing is corrected
# across families. `n_stable` counts the repetitions, of `n_seeds`, in which other draws give the same tiers.
@tidy("dimension", "level", "coefficient", "judge", values=["tier", "value"])
def judge_tiers(
    benchmark, *, judges, dimensions, levels=("system", "summary"), coefficient="kendall",
    method="Perm-Both", alpha=0.05, n_resamples=1_000, n_seeds=9, rng,
):  # fmt: skip
    """Judges in tiers, by their correlation with people."""
    pairs = _all_pairs(len(judges))
    for dimension, level in product(dimensions, levels):
        part = judges_as_metrics(benchmark, dimension, judges)
        scores, human = part.scores.to_numpy(), part.human.to_numpy()
        kind = {"level": level, "coefficient": coefficient}
        tested = compare_pairs(
            scores, human, pairs, method=method, n_resamples=n_resamples * (n_seeds + 1),
            rng=stream(rng, benchmark.name, dimension), **kind,
        )  # fmt: skip
        value = correlate(scores, human, **kind).value
        columns, _ = _family(value, tested.difference, tested.null, alpha, n_seeds)
        keys = {"dataset": benchmark.name, "dimension": dimension, **kind, "judge": list(judges)}
        yield {**keys, **columns}


def system_tiers(
    benchmark, *, judges, dimensions, alpha=0.05, n_resamples=1_000, n_seeds=9, rng
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Systems in tiers by people's and judges' mean ratings, and how many pairs of them each tells apart."""
    seed, frames, rows = seed_of(rng), [], []
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        planes = {PEOPLE: part.human.to_numpy()} | dict(zip(judges, part.scores.to_numpy(), strict=True))
        orders = {}
        for judge, plane in planes.items():
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            draws = stream(seed, benchmark.name, dimension)  # people and judges share them
            tested = compare_systems(plane, n_resamples=n_resamples * (n_seeds + 1), rng=draws)
            columns, order = _family(system_means(plane), *tested, alpha, n_seeds)
            frames.append(pd.DataFrame({**keys, "system": part.systems, **columns}))
            orders[judge], people = order, orders.get(PEOPLE, order)
            both = (order != 0) & (people != 0)
            rows.append({
                **keys, "n_pairs": len(people), "n_apart_judge": int((order != 0).sum()),
                "n_apart_human": int((people != 0).sum()), "n_apart_both": int(both.sum()),
                "n_against": int((both & (order != people)).sum()), "n_tiers": int(columns["tier"].max()),
                "n_stable": columns["n_stable"], "n_seeds": n_seeds,
            })  # fmt: skip
    systems = pd.concat(frames, ignore_index=True)
    return (
        check(systems, keys=["dimension", "judge", "system"], values=["tier", "value"]),
        check(pd.DataFrame(rows), keys=["dimension", "judge"], values=["n_apart_judge", "n_pairs"]),
    )


def pair_totals(pairs: pd.DataFrame) -> pd.DataFrame:
    """Counts of pairs of systems over all criteria, by people and by all judges together."""
    counts = ["n_pairs", "n_apart_judge", "n_apart_human", "n_apart_both", "n_against"]
    rated_by = pairs["judge"].where(pairs["judge"] == "people", "judges").rename("rated_by")
    totals = pairs.groupby(rated_by)[counts].sum().reset_index()
    totals["share_apart"] = totals["n_apart_judge"] / totals["n_pairs"]
    return check(totals, keys=["rated_by"], values=["share_apart"])


def _family(value, difference, null, alpha, n_seeds) -> tuple[dict[str, object], np.ndarray]:
    """Columns of candidates that are tested together, and the order of each pair: 1, -1, or 0 for none."""
    runs, pairs = np.split(null, n_seeds + 1, axis=1), _all_pairs(len(value))
    pvalues = [simultaneous_pvalues(difference, run) for run in runs]
    first, *others = (tiers(value, pairs, pvalue, alpha=alpha) for pvalue in pvalues)
    columns = {
        "value": value, "place": places_of(value), **vars(first),
        "n_stable": sum(np.array_equal(first.tier, other.tier) for other in others),
        "n_seeds": n_seeds, "n_draws": runs[0].shape[1],
    }  # fmt: skip
    return columns, np.where(pvalues[0] <= alpha, np.sign(difference), 0)


def _all_pairs(n: int) -> np.ndarray:
    return np.column_stack(np.triu_indices(n, 1))


@tidy("dimension", "judge", "coefficient", "system", values=["value", "mean"])
def candidates(benchmark, *, judges, dimensions, coefficients=tuple(COEFFICIENTS)):
    """Agreement on each system's summaries alone: of judges with people, of raters with the other raters."""
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        mean = system_means(part.human.to_numpy())
        sides = {judge: (plane, part.human) for judge, plane in zip(judges, part.scores, strict=True)}
        for rater in benchmark.raters(dimension):
            one = benchmark.with_rater(dimension, rater)
            sides[rater] = one.scores[0], one.human
        for (judge, (x, z)), coefficient in product(sides.items(), coefficients):
            yield {
                "dataset": benchmark.name, "dimension": dimension, "judge": judge, "coefficient": coefficient,
                "system": part.systems, "value": COEFFICIENTS[coefficient](x.to_numpy(), z.to_numpy()),
                "mean": mean,
            }  # fmt: skip


@tidy("dataset", "dimension", "judge", "coefficient", values=["value", "pvalue"])
def quality_correlations(candidates):
    """Correlation of systems' agreement with people's mean: does agreement fall as systems get better?"""
    keys = ["dataset", "dimension", "judge", "coefficient"]
    for key, part in candidates.groupby(keys, sort=False):
        defined = part.dropna(subset="value")
        value, pvalue = _TESTS[key[-1]](defined["value"], defined["mean"])
        named = dict(zip(keys, key, strict=True))
        yield {**named, "value": value, "pvalue": pvalue, "n_systems": len(defined)}


@tidy("dimension", "judge", "coefficient", "quantity")
def quantities(benchmark, automatic, quality, *, judges, dimensions, n_resamples=1_000, alpha=0.05, rng):
    """Numbers behind what Shen et al. 2023 say of judges and systems, a row each."""

    def row(quantity, value, **names):
        keys = {"dimension": "", "judge": "", "coefficient": "", **names, "quantity": quantity}
        return {**keys, "value": float(value), "dataset": benchmark.name}

    systems, draws = benchmark.systems, {"n_resamples": n_resamples, "rng": rng}
    pairs = _all_pairs(len(systems))
    close = np.array([frozenset((systems[i], systems[j])) in _CLOSE for i, j in pairs])
    yield row("systems", len(systems))
    yield row("summaries", len(systems) * len(benchmark.documents))
    yield row("close pairs", close.sum())
    parts = {dimension: judges_as_metrics(benchmark, dimension, judges) for dimension in dimensions}
    planes = {name: (part.scores.to_numpy(), part.human.to_numpy()) for name, part in parts.items()}
    for k, judge in enumerate(judges):
        for dimension, (scores, human) in planes.items():
            names = {"dimension": dimension, "judge": judge}
            right = _side(scores[k], pairs) == _side(human, pairs)
            yield row("right", right.sum(), **names)
            yield row("right, close", right[close].sum(), **names)
            for quantity, some in (("share of close", right[close]), ("share of others", right[~close])):
                yield row(quantity, some.mean() if some.size else np.nan, **names)
            drawn = _each_system(scores[k], human, **streamed(draws, judge, dimension))
            pvalue = equality_pvalue(*drawn, n=human.shape[-1])
            yield row("p of equal systems", pvalue, coefficient="spearman", **names)
        kind = {"level": "global", "coefficient": "spearman"}
        for quantity, method in _DIMENSIONS.items():
            # a fresh generator each time: all dimensions see the same draws
            drawn = [
                interval(scores[k], human, method=method, **kind, **streamed(draws, judge))
                for scores, human in planes.values()
            ]
            yield row(quantity, _n_apart(*_stacked(drawn), alpha), judge=judge, coefficient="spearman")
    for dimension, part in parts.items():
        others = automatic.select(systems=systems, documents=benchmark.documents).judged_by(dimension)
        for source, coefficient in product((part, others), COEFFICIENTS):
            kind = {"level": "global", "coefficient": coefficient}
            value = correlate(source.scores.to_numpy(), source.human.to_numpy(), **kind).value
            for judge, one in zip(source.metrics, value, strict=True):
                yield row("overall", one, dimension=dimension, judge=judge, coefficient=coefficient)
    for one in quality.itertuples():
        names = {"dimension": one.dimension, "judge": one.judge, "coefficient": one.coefficient}
        yield row("meta-correlation", one.value, **names)
        yield row("p of the meta-correlation", one.pvalue, **names)


def _side(ratings: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The system of each pair that is preferred on more documents: 1 the first, -1 the second, 0 neither."""
    apart = np.sign(ratings[pairs[:, 0]] - ratings[pairs[:, 1]])
    return np.sign(np.nansum(apart, axis=1))


def _each_system(x: np.ndarray, z: np.ndarray, **draws) -> tuple[np.ndarray, np.ndarray]:
    """Spearman's rho over each system's documents (n,), and in draws that systems share (n, n_resamples)."""
    draws["rng"] = seed_of(draws["rng"])
    kind = {"level": "system", "coefficient": "spearman", "method": "Boot-Systems"}
    # each document in the place of a system
    return _stacked(interval(a[:, None], b[:, None], **kind, **draws) for a, b in zip(x, z, strict=True))


def _stacked(intervals) -> tuple[np.ndarray, np.ndarray]:
    """Estimates (n,) and distributions (n, n_resamples) of several intervals."""
    estimates, distributions = zip(*((one.estimate, one.distribution) for one in intervals), strict=True)
    return np.array(estimates), np.array(distributions)


def _n_apart(value: np.ndarray, drawn: np.ndarray, alpha: float) -> int:
    """The number of pairs of correlations that simultaneous bootstrap tests tell apart."""
    first, second = _all_pairs(len(value)).T
    difference = value[first] - value[second]
    null = drawn[first] - drawn[second] - difference[:, None]
    return int((simultaneous_pvalues(difference, null) <= alpha).sum())


def judge_ranks(results) -> go.Figure:
    """Ranks of the judges that the tests leave open, by dimension and level; colours are tiers."""
    order = _order(results, "judge")
    sheet = _ranks(results, y="judge", order=order, panel="level", row="dimension", row_gap=0.04)
    height = 140 + (40 + 24 * len(order)) * results["dimension"].nunique()
    return sheet.figure(height=height, scattermode="overlay")


def system_ranks(results) -> go.Figure:
    """Ranks of the systems that the tests leave open, by dimension; a menu picks people or a judge."""
    results = with_system_names(results)
    order = _order(results[results["judge"] == results["judge"].iloc[0]], "system")
    sheet = _ranks(results, y="system", order=order, panel="dimension", menu="judge")
    return sheet.menu("Ratings by", "judge").figure(height=170 + 26 * len(order), scattermode="overlay")


def _order(results: pd.DataFrame, column: str) -> list[str]:
    """Candidates by their mean place, the best on top."""
    return results.groupby(column, sort=False)["place"].mean().sort_values(ascending=False).index.tolist()


def _ranks(results: pd.DataFrame, *, y: str, order: list[str], **panels) -> Panels:
    """Bars from the best rank to the worst, with the place as a point."""
    numbers = range(1, int(results["tier"].max()) + 1)
    sheet = marks(
        results, x="place", y=y, series="tier", order=order, ends=("best_rank", "worst_rank"),
        hover=["value"], size=11, digits=2, labels={"value": "value", "place": "rank (1 the best)"},
        style={tier: Style(PALETTE[(tier - 1) % len(PALETTE)]) for tier in numbers},
        name={tier: f"tier {tier}" for tier in numbers}, **panels,
    )  # fmt: skip
    for trace in sheet.data:
        trace["error_x"] |= {"thickness": 5}
    n = len(order)
    step = 1 if n <= 8 else 5
    # Plotly finds the range of categories in the first traces, and no tier holds all candidates
    sheet.y(range=[-0.6, n - 0.4])
    return sheet.x(range=[0.2, n + 0.8], dtick=step, tick0=step, zeroline=False)


LIVE = live(
    "tiers",
    lambda *, dataset, seed, **settings: judge_tiers(load(dataset), rng=seed, **settings),
    judge_ranks,
    "dataset judges dimensions levels coefficient method alpha n_resamples",
    question="Which judges can be told apart?",
    constants="n_seeds seed",
    initial={"n_resamples": 99},
)
