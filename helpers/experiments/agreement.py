"""experiments.agreement: how far raters give the same ratings, beside a rater who never looks.

A benchmark with single raters and judges, choices between pairs, and annotators' marks in, tidy tables out;
called by the notebook `agreement` and its live block. A group is taken together where a coefficient takes any
number of raters; what takes two is averaged over pairs: of a group all, of two groups one from each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, GREY, Style, faint
from helpers.kit.told import benchmark_told, typical, value_told
from metaeval.core.errors import DataError, UnknownNameError, choose
from metaeval.core.limits import check_confidence_level
from metaeval.datasets import load
from metaeval.datasets.readers.faithbench import SEVERITY, Marks
from metaeval.datasets.readers.summeval import CROWD
from metaeval.stats import agreement as agreeing
from metaeval.stats.agreement import agreement, drawn_units, icc, mean_over_pairs, n_drawn
from metaeval.stats.intervals import t_ends
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, judge_of
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.pairs import ORDERS, Pairs

EXPERTS, WORKERS, PEOPLE = "experts", "crowd", "people"
GROUPS = (EXPERTS, WORKERS)
COEFFICIENTS = (*agreeing.COEFFICIENTS, "icc")
GRADES = (*agreeing.GRADES, agreeing.ORDINAL)
# with which a coefficient exists: ordinal distances are alpha's, and an ICC is of squares
GRADES_OF = dict.fromkeys(COEFFICIENTS, agreeing.GRADES) | {"krippendorff": GRADES, "icc": ("quadratic",)}
ALWAYS = "always the same"  # the rater who never looks, where it has rows of its own
# FaithBench's labels as numbers: consistent, then those of `SEVERITY`; NaN is left out (Bao et al. 2025)
LABEL_MAPS = {
    "c-q-ub": (2, 0, 1, 0),
    "c-q+b-u": (2, 1, 1, 0),
    "c+b-q-u": (2, 2, 1, 0),
    "c-b-u": (2, 1, np.nan, 0),
    "c+b-q+u": (1, 1, 0, 0),
    "c-b+q+u": (1, 0, 0, 0),
    "c-u": (1, np.nan, np.nan, 0),
}
# what a coefficient can be at all
_LIMITS = {name: (0.0 if name == "percent" else -1.0, 1.0) for name in COEFFICIENTS}
_ODD = 0.5  # of a judge's ratings: with more that no person gives, its scale is another


@dataclass(frozen=True)
class _Compared:
    """Raters who are compared, and the people among them whom a constant rater is held against.

    Attributes
    ----------
    name : str
    ratings : float array (n_raters, n_units)
    pairs : sequence of pairs of places, or None for all together
    people : float array (n_people, n_units)
    """

    name: str
    ratings: np.ndarray
    pairs: Sequence[tuple[int, int]] | None
    people: np.ndarray

    @property
    def used(self) -> np.ndarray:
        """Whether the raters of a pair both rated a unit, bool array (n_units,)."""
        rated = ~np.isnan(self.ratings)
        pairs = self.pairs or list(combinations(range(len(rated)), 2))
        return np.any([rated[i] & rated[j] for i, j in pairs], axis=0)

    def within(self, kept: np.ndarray) -> _Compared:
        """The same on some of the units."""
        return replace(self, ratings=self.ratings[:, kept], people=self.people[:, kept])


def _with_each(name: str, people: np.ndarray, others: np.ndarray) -> _Compared:
    """Others, or one other, with each of the people, on what that person rated: chance is theirs there."""
    pairs = list(product(range(len(people)), range(len(others))))
    seen = [np.where(np.isnan(people[i]), np.nan, others[j]) for i, j in pairs]
    places = [(i, len(people) + place) for place, (i, _) in enumerate(pairs)]
    return _Compared(name, np.concatenate([people, seen]), places, people)


def _rater_groups(
    benchmark: Benchmark, dimension: str, judges: Sequence[str], people: Sequence[str]
) -> Iterator[_Compared]:
    experts = _flat(benchmark.rated(dimension).to_numpy())
    if len(experts) < 2:
        raise DataError(f"{benchmark.name}, {dimension}: agreement takes two raters or more, got 1")
    if EXPERTS in people:
        yield _Compared(EXPERTS, experts, None, experts)
        for pair in combinations(range(len(experts)), 2):
            names = [benchmark.raters(dimension)[place] for place in pair]
            two = experts[list(pair)]
            yield _Compared(" and ".join(names), two, None, two)
    if WORKERS in people and dimension + CROWD in benchmark.ratings:
        crowd = _flat(benchmark.rated(dimension + CROWD).to_numpy())
        yield _Compared(WORKERS, crowd, None, crowd)
        yield _with_each(f"{EXPERTS} and {WORKERS}", experts, crowd)
    yield from _judge_groups(benchmark, dimension, judges, experts)


def _judge_groups(benchmark, dimension, judges, experts) -> Iterator[_Compared]:
    known = benchmark.judges(dimension)
    for judge in judges:
        if judge not in known:
            raise UnknownNameError(f"judge of {benchmark.name}, {dimension}", judge, known)
        given = _flat(benchmark.metric(judge_of(judge, dimension)).to_numpy()[None])
        _check_scale(f"{benchmark.name}, {dimension}", judge, given, experts)
        yield _with_each(judge, experts, given)


def _check_scale(where: str, judge: str, given: np.ndarray, experts: np.ndarray) -> None:
    given, used = given[~np.isnan(given)], np.unique(experts[~np.isnan(experts)])
    if not len(given):
        raise DataError(f"{where}: {judge} rated nothing")
    odd = ~np.isin(given, used)
    if odd.mean() > _ODD:
        much = wording.typeset(wording.percent(odd.mean()))
        raise DataError(
            f"{where}: {much} of {judge}'s ratings are none that people give, such as {given[odd][0]:g}; "
            f"people give {', '.join(f'{value:g}' for value in used)}. Bring them to one scale"
        )


def _flat(planes: np.ndarray) -> np.ndarray:
    """Planes (n, n_systems, n_documents) as rows of units."""
    return planes.reshape(len(planes), -1)


def _categories(benchmark: Benchmark, dimension: str) -> np.ndarray:
    """Every rating that anybody gives in a dimension: no row depends on which judges are asked for."""
    given = [benchmark.rated(name) for name in (dimension, dimension + CROWD) if name in benchmark.ratings]
    given += [benchmark.metric(judge_of(judge, dimension)) for judge in benchmark.judges(dimension)]
    values = np.concatenate([one.to_numpy().ravel() for one in given])
    return np.unique(values[~np.isnan(values)])


def _kinds(coefficients: Sequence[str], grades: Sequence[str]) -> list[tuple[str, str]]:
    """The combinations that exist."""
    for what, names, known in (("coefficient", coefficients, COEFFICIENTS), ("grade", grades, GRADES)):
        if not names:
            raise ValueError(f"no {what} is named: name at least one")
        for name in names:
            choose(f"{what} of agreement", name, dict.fromkeys(known))
    kinds = [(name, grade) for grade in grades for name in coefficients if grade in GRADES_OF[name]]
    if not kinds:
        raise ValueError(
            f"none of {', '.join(coefficients)} exists with {', '.join(grades)}: ordinal distances are of "
            "krippendorff, and icc is of quadratic"
        )
    return kinds


def _computing(raters: _Compared, coefficient: str, grade: str, categories: np.ndarray) -> Callable:
    if coefficient == "icc":
        compute: Callable = partial(icc, kind="2,1")
    else:
        compute = partial(agreement, coefficient=coefficient, grade=grade, categories=categories)
    pairs = raters.pairs
    if pairs is None and coefficient == "cohen":
        pairs = list(combinations(range(len(raters.ratings)), 2))
    return compute if pairs is None else mean_over_pairs(compute, pairs)


def _constant(people: np.ndarray) -> tuple[_Compared, float]:
    """A rater who always gives people's commonest rating, with each of them, and how frequent that is."""
    values, counts = np.unique(people[~np.isnan(people)], return_counts=True)
    always = np.full((1, people.shape[1]), values[counts.argmax()])
    return _with_each(ALWAYS, people, always), counts.max() / counts.sum()


def _row(
    raters: _Compared,
    coefficient: str,
    grade: str,
    *,
    categories: np.ndarray,
    counts: np.ndarray,
    n_units: int,
    confidence_level: float,
) -> dict[str, object]:
    compute = _computing(raters, coefficient, grade, categories)
    constant, base_rate = _constant(raters.people)
    always = _computing(constant, coefficient, grade, categories)(constant.ratings)
    drawn = compute(raters.ratings, counts=counts)
    settings = {"n_units": n_units, "confidence_level": confidence_level, "limits": _LIMITS[coefficient]}
    return {
        "raters": raters.name,
        "coefficient": coefficient,
        "grade": grade,
        **_estimated(compute(raters.ratings), drawn, **settings),
        "constant": always,
        "base_rate": base_rate,
        "n_used": int(raters.used.sum()),
    }


def _estimated(value: float, drawn: np.ndarray, **settings) -> dict[str, object]:
    """Columns of a value and its interval, from the values in the draws."""
    return {
        "value": value,
        **t_ends(value, drawn, **settings)._asdict(),
        "n_resamples": len(drawn),
        "n_undefined": np.isnan(drawn).sum(),
    }


def _draws(benchmark: Benchmark, dimension: str, resample: str, n_resamples: int, seed: int) -> np.ndarray:
    """How often each summary is in each draw, the same for all that is asked of a dimension."""
    n_systems, n_documents = benchmark.human.shape
    return drawn_units(
        n_systems, n_documents, resample=resample, n_resamples=n_resamples,
        rng=stream(seed, benchmark.name, dimension),
    )  # fmt: skip


def _named(dimensions: Sequence[str]) -> None:
    if not dimensions:
        raise ValueError("no dimension is named: name at least one")


def table(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    people: Sequence[str] = GROUPS,
    coefficients: Sequence[str],
    grades: Sequence[str] = ("nominal", "quadratic"),
    resample: str = "both",
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Coefficients of agreement of experts, crowd and judges, with intervals, beside a constant rater.

    Parameters
    ----------
    benchmark : Benchmark with single raters, and judges as metrics
    judges : sequence of str, may be empty
    dimensions : sequence of str
    people : of experts (and every two of them), crowd (among itself, and with each expert)
    coefficients : of percent, cohen, fleiss, krippendorff, gwet, icc
    grades : of nominal, linear, quadratic, ordinal
        Combinations that do not exist are left out: ordinal is of krippendorff, icc of quadratic.
    resample : {"systems", "inputs", "both"}
    n_resamples, confidence_level, rng : as everywhere
        Systems and documents are drawn again, the same for all of a dimension.

    Returns
    -------
    DataFrame with columns dataset, dimension, raters, coefficient, grade, value, low, high, low_mc_error,
    high_mc_error, n_resamples, n_undefined, constant, base_rate, n_used (summaries)
        A judge's row is with each expert, averaged; `constant` is of the people in the row.

    Raises
    ------
    UnknownNameError
        For a judge or a dimension that does not exist, or raters that were not released one by one.
    DataError
        If there is one rater, or a judge's scale is not people's.
    ValueError
        If nothing is asked for.
    """
    check_confidence_level(confidence_level)
    _named(dimensions)
    kinds, seed, rows = _kinds(coefficients, grades), seed_of(rng), []
    for dimension in dimensions:
        settings = {
            "categories": _categories(benchmark, dimension),
            "counts": _draws(benchmark, dimension, resample, n_resamples, seed),
            "confidence_level": confidence_level,
        }
        for raters in _rater_groups(benchmark, dimension, judges, people):
            n_units = n_drawn(raters.used.reshape(benchmark.human.shape), resample)
            of_raters = (_row(raters, *kind, n_units=n_units, **settings) for kind in kinds)
            rows += [{"dimension": dimension, **row} for row in of_raters]
    found = pd.DataFrame(rows)
    found.insert(0, "dataset", benchmark.name)
    return check(found, keys=["dimension", "raters", "coefficient", "grade"])


def differences(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    people: Sequence[str] = GROUPS,
    coefficient: str = "cohen",
    grade: str = "quadratic",
    resample: str = "both",
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Agreement of a judge, and of the crowd, with an expert, minus that of two experts.

    Parameters
    ----------
    benchmark, judges, dimensions, people, resample, n_resamples, confidence_level, rng : see `table`
    coefficient, grade : one of each
        Of two raters, averaged over the pairs on either side.

    Returns
    -------
    DataFrame with columns dataset, dimension, raters, coefficient, grade, value, low, high, low_mc_error,
    high_mc_error, n_resamples, n_undefined, among_people
    """
    check_confidence_level(confidence_level)
    _named(dimensions)
    ((coefficient, grade),) = _kinds([coefficient], [grade])
    seed, rows, shape = seed_of(rng), [], benchmark.human.shape
    for dimension in dimensions:
        categories = _categories(benchmark, dimension)
        counts = _draws(benchmark, dimension, resample, n_resamples, seed)
        experts = _flat(benchmark.rated(dimension).to_numpy())
        two = _Compared(EXPERTS, experts, list(combinations(range(len(experts)), 2)), experts)
        compute = _computing(two, coefficient, grade, categories)
        among, drawn = compute(experts), compute(experts, counts=counts)
        groups = _rater_groups(benchmark, dimension, judges, people)
        others = [raters for raters in groups if raters.pairs is not None]
        for raters in others:
            compute = _computing(raters, coefficient, grade, categories)
            value = compute(raters.ratings) - among
            less = compute(raters.ratings, counts=counts) - drawn
            n_units = min(n_drawn(one.used.reshape(shape), resample) for one in (raters, two))
            rows.append(
                {
                    "dataset": benchmark.name,
                    "dimension": dimension,
                    "raters": raters.name,
                    "coefficient": coefficient,
                    "grade": grade,
                    **_estimated(value, less, n_units=n_units, confidence_level=confidence_level),
                    "among_people": among,
                }
            )
    return check(pd.DataFrame(rows), keys=["dimension", "raters"])


def strata(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    people: Sequence[str] = GROUPS,
    coefficients: Sequence[str],
    grade: str = "nominal",
    resample: str = "both",
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Agreement with an expert where the experts give one rating, two different ones, or more.

    Parameters
    ----------
    benchmark, judges, dimensions, people, coefficients, resample : see `table`
    n_resamples, confidence_level, rng : as everywhere
    grade : one of those of `table`

    Returns
    -------
    DataFrame with columns dataset, dimension, n_ratings, raters (judges, and experts with the crowd),
    coefficient, grade, value, low, high, low_mc_error, high_mc_error, n_resamples, n_undefined, constant,
    base_rate, n_used
        `constant` always gives the commonest rating of its stratum. Summaries that not all experts rated
        are left out. How experts agree among themselves is what makes the strata, and no row.
    """
    check_confidence_level(confidence_level)
    _named(dimensions)
    kinds, seed, rows = _kinds(coefficients, [grade]), seed_of(rng), []
    for dimension in dimensions:
        categories = _categories(benchmark, dimension)
        counts = _draws(benchmark, dimension, resample, n_resamples, seed)
        experts = _flat(benchmark.rated(dimension).to_numpy())
        groups = [
            raters
            for raters in _rater_groups(benchmark, dimension, judges, people)
            if raters.pairs is not None
        ]
        distinct = _n_distinct(experts)
        for n_ratings in np.unique(distinct[distinct > 0]):
            kept = distinct == n_ratings
            settings = {
                "categories": categories,
                "counts": counts[:, kept],
                "confidence_level": confidence_level,
            }
            for raters in groups:
                n_units = n_drawn((raters.used & kept).reshape(benchmark.human.shape), resample)
                of_raters = (_row(raters.within(kept), *kind, n_units=n_units, **settings) for kind in kinds)
                rows += [{"dimension": dimension, "n_ratings": n_ratings, **row} for row in of_raters]
    found = pd.DataFrame(rows)
    found.insert(0, "dataset", benchmark.name)
    return check(found, keys=["dimension", "n_ratings", "raters", "coefficient"])


def _n_distinct(ratings: np.ndarray) -> np.ndarray:
    """How many different ratings each unit has; 0 where a rater is missing."""
    ordered = np.sort(ratings, axis=0)
    distinct = 1 + (np.diff(ordered, axis=0) > 0).sum(axis=0)
    return np.where(np.isnan(ratings).any(axis=0), 0, distinct)


def choices(
    pairs: Pairs,
    *,
    coefficients: Sequence[str],
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Agreement on which of two is the better: of people, and of every judge with each of them.

    Parameters
    ----------
    pairs : Pairs with several people
        Judges are taken as shown first, in the order as listed.
    coefficients, n_resamples, confidence_level, rng : see `table`
        What is drawn again are the documents, with all pairs of each.

    Returns
    -------
    DataFrame with columns dataset, raters, coefficient, grade, value, low, high, low_mc_error, high_mc_error,
    n_resamples, n_undefined, constant, base_rate, n_used (pairs)
    """
    check_confidence_level(confidence_level)
    people = pairs.people.to_numpy()
    if len(people) < 2:
        raise DataError(f"{pairs.name}: agreement takes two raters or more, got {len(people)}")
    judges = pairs.judges.sel(order=ORDERS[0])
    groups = [_Compared(PEOPLE, people, None, people)]
    for judge in judges.indexes["judge"]:
        groups.append(_with_each(judge, people, judges.sel(judge=judge).to_numpy()[None]))
    places, documents = pd.factorize(pairs.items["document"])
    counts = drawn_units(
        1, len(documents), resample="inputs", n_resamples=n_resamples, rng=stream(seed_of(rng), pairs.name)
    )
    given = np.concatenate([people.ravel(), judges.to_numpy().ravel()])
    settings = {
        "categories": np.unique(given[~np.isnan(given)]),
        "counts": counts[:, places],
        "confidence_level": confidence_level,
    }
    kinds, rows = _kinds(coefficients, ["nominal"]), []
    for group in groups:
        n_units = len(np.unique(places[group.used]))
        rows += [_row(group, *kind, n_units=n_units, **settings) for kind in kinds]
    found = pd.DataFrame(rows)
    found.insert(0, "dataset", pairs.name)
    return check(found, keys=["raters", "coefficient"])


def alphas(marks: Marks) -> pd.DataFrame:
    """Krippendorff's alpha of annotators' worst labels in each batch, by how labels become numbers.

    Parameters
    ----------
    marks : Marks
        Of a batch those whom the authors chose; one who marked nothing in a summary found it consistent.

    Returns
    -------
    DataFrame with columns dataset, batch, label_map, value, n_raters, n_total (summaries)
        Which label is the worst, `worst` says.
    """
    rows = []
    for batch, given in marks.labels.items():
        kept = given[marks.chosen[batch]]
        for name, values in LABEL_MAPS.items():
            value = agreement(worst(kept, values), coefficient="krippendorff", grade="quadratic")
            rows.append((batch, name, value, *kept.shape[:2]))
    names = ["batch", "label_map", "value", "n_raters", "n_total"]
    return check(pd.DataFrame(rows, columns=names).assign(dataset="faithbench"), keys=["batch", "label_map"])


def worst(given: np.ndarray, values: Sequence[float]) -> np.ndarray:
    """Numbers of annotators' worst labels: those with the lowest number, but unwanted before all.

    Parameters
    ----------
    given : bool array (n_raters, n_summaries, 3)
        See `Marks`.
    values : four floats
        One of `LABEL_MAPS`.

    Returns
    -------
    float array (n_raters, n_summaries)
        NaN for a label that is left out, which is worse than those that are not, but unwanted.
    """
    consistent, *of_label = values
    found = np.full(given.shape[:2], float(consistent))
    # from the best label to the worst, which then stands
    order = sorted(range(len(SEVERITY) - 1), key=lambda k: -np.nan_to_num(of_label[k], nan=-1.0))
    for k in (*order, len(SEVERITY) - 1):
        found[given[..., k]] = of_label[k]
    return found


def quantities(
    benchmarks: Sequence[Benchmark], pairs: Pairs, marks: Marks, alphas: pd.DataFrame
) -> pd.DataFrame:
    """What two releases print of their annotations: sizes and agreement.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
        Of ``summeval-judges`` the raters are counted, of ``faithbench`` the release; others say nothing.
    pairs : Pairs
    marks : Marks
    alphas : DataFrame of `alphas`

    Returns
    -------
    DataFrame with columns dataset, batch (empty for the whole), quantity, value
        Agreement and Fleiss' kappa of `pairs` are of two raters, averaged over the pairs of raters; an alpha
        bears the name of its map.
    """
    rows = [("faithbench", row.batch, row.label_map, row.value) for row in alphas.itertuples()]
    for benchmark in benchmarks:
        found = _RELEASES.get(benchmark.name, lambda _: {})(benchmark)
        rows += [(benchmark.name, "", quantity, value) for quantity, value in found.items()]
    n_raters = [int(chosen.sum()) for chosen in marks.chosen.values()]
    of_marks = {"fewest annotators": min(n_raters), "most annotators": max(n_raters)}
    rows += [("faithbench", "", quantity, value) for quantity, value in of_marks.items()]
    people = pairs.people.to_numpy()
    two = list(combinations(range(len(people)), 2))
    of_two = {
        name: mean_over_pairs(partial(agreement, coefficient=coefficient), two)(people)
        for name, coefficient in (("agreement", "percent"), ("Fleiss' kappa", "fleiss"))
    }
    rows += [(pairs.name, "", quantity, value) for quantity, value in (_sizes(people) | of_two).items()]
    found = pd.DataFrame(rows, columns=["dataset", "batch", "quantity", "value"])
    return check(found, keys=["dataset", "batch", "quantity"])


def _sizes(ratings: np.ndarray) -> dict[str, float]:
    rated = ~np.isnan(ratings)
    return {
        "raters": len(rated),
        "items": rated.any(axis=0).sum(),
        "items of a rater": rated.sum(axis=1).mean(),
        "raters of an item": rated.sum(axis=0)[rated.any(axis=0)].mean(),
    }


def _of_summeval(benchmark: Benchmark) -> dict[str, float]:
    """All dimensions pooled, as the authors of the annotator test count."""
    dimensions = [name for name in benchmark.ratings if not name.endswith(CROWD)]
    return _sizes(np.concatenate([_flat(benchmark.rated(name).to_numpy()) for name in dimensions], axis=1))


def _of_faithbench(benchmark: Benchmark) -> dict[str, float]:
    sources = pd.Series(benchmark.documents).str.partition("-")[0].value_counts()
    n_systems, without = len(benchmark.systems), benchmark.metric("true_nli").isnull()
    return {
        "files": len(sources),
        "summaries": benchmark.human.size,
        "summarizers": n_systems,
        "families": len({system.partition("/")[0].lower() for system in benchmark.systems}),
        "fewest sources": sources.min(),
        "most sources": sources.max(),
        "summaries of a source": n_systems,
        "summaries without true_nli": int(without.sum()),
        "sources without true_nli": int(without.any("system").sum()),
    }


_RELEASES: Mapping[str, Callable[[Benchmark], dict[str, float]]] = {
    "summeval-judges": _of_summeval,
    "faithbench": _of_faithbench,
}


def answer(table: pd.DataFrame, differences: pd.DataFrame, strata: pd.DataFrame) -> dict[str, str]:
    """The page's answer: what never looking is worth, and how near crowd and judges come to an expert.

    Parameters
    ----------
    table : DataFrame of `table`
    differences : DataFrame of `differences`
    strata : DataFrame of `strata`

    Returns
    -------
    dict
        ``agreement-answer-short`` and ``-sure``, the answer and how sure it is;
        ``agreement-answer-constant``, ``-judges`` and ``-strata``; every word is chosen from the numbers.
    """
    first = table[(table["raters"] == EXPERTS) & (table["grade"] == table["grade"].iloc[0])]
    by_coefficient = list(first.groupby("coefficient", sort=False))
    never = [
        f"{words('coefficient', name)} {wording.extent(part['constant'])}" for name, part in by_coefficient
    ]
    grade = words("grade", table["grade"].iloc[0])
    short = f"{benchmark_told(table['dataset'].iloc[0])}'s {_above_constant(by_coefficient)} ({grade})."
    return {
        "agreement-answer-short": short[0].upper() + short[1:],
        "agreement-answer-sure": _judges_below(differences),
        "agreement-answer-constant": (
            "A rater who always gives the experts' commonest rating and reads nothing has, with an "
            f"expert and by dimension (ratings: {grade}): {wording.joined(never)}."
        ),
        "agreement-answer-judges": _below_experts(differences),
        "agreement-answer-strata": _by_strata(strata),
    }


def _of_judges(differences: pd.DataFrame) -> pd.DataFrame:
    """The rows that are not the crowd's."""
    return differences[differences["raters"] != f"{EXPERTS} and {WORKERS}"]


def _above_constant(by_coefficient: list[tuple[str, pd.DataFrame]]) -> str:
    """By which coefficients the experts' intervals lie above the rater who reads nothing."""
    told: dict[int, list[str]] = {}
    for name, part in by_coefficient:
        where = wording.sides(part["low"], part["high"], at=part["constant"])
        told.setdefault(where["above"], []).append(words("coefficient", name))
    of = f" of {wording.counted(max(len(part) for _, part in by_coefficient), 'dimension')}"
    counts = [
        f"{n}{'' if k else of} by {wording.joined(names)}"
        for k, (n, names) in enumerate(sorted(told.items())[::-1])
    ]
    return (
        "experts are shown to agree more with each other than with one who reads nothing in "
        f"{wording.joined(counts)}"
    )


def _judges_below(differences: pd.DataFrame) -> str:
    """In how many cases a judge agrees with an expert less than two experts do, and the median case."""
    of_judges = _of_judges(differences)
    if of_judges["value"].isna().all():
        return "No difference of a judge from two experts' agreement exists."
    where, row = wording.sides(of_judges["low"], of_judges["high"]), typical(of_judges)
    kind = f"{words('coefficient', row['coefficient'])}, {words('grade', row['grade'])}"
    return (
        f"They agree less with judges by {where['below']} of {len(of_judges)} intervals (median difference "
        f"{value_told(row)}, {kind})."
    )


def _below_experts(differences: pd.DataFrame) -> str:
    """How many intervals of the differences leave out 0, of judges and of the crowd."""
    kind = f"{words('coefficient', differences['coefficient'].iloc[0])}, " + words(
        "grade", differences["grade"].iloc[0]
    )
    of_crowd = differences["raters"] == f"{EXPERTS} and {WORKERS}"
    said = []
    for who, part in (("judge", differences[~of_crowd]), ("crowd worker", differences[of_crowd])):
        if part.empty:
            continue
        where = wording.sides(part["low"], part["high"])
        counted = f"{where['below']} of {len(part)} intervals lie below 0"
        if where["above"]:
            counted += f" and {where['above']} above"
        values = wording.extent(part["value"])
        said.append(f"a {who} with an expert, minus two experts: {values}; {counted}")
    experts = wording.extent(differences["among_people"])
    return (
        f"Two experts agree at {experts} by dimension ({kind}). "
        + ". ".join(one[0].upper() + one[1:] for one in said)
        + "."
    )


def _by_strata(strata: pd.DataFrame) -> str:
    """Whether agreement falls from the stratum where experts agree to that where they differ."""
    name = strata["coefficient"].iloc[0]
    part = strata[strata["coefficient"] == name]
    ends = part["n_ratings"].min(), part["n_ratings"].max()
    if ends[0] == ends[1]:
        return f"The experts gave {ends[0]} different ratings to every summary, so that there are no strata."
    counted = {}
    for column in ("value", "constant"):
        by = part.pivot(index=["dimension", "raters"], columns="n_ratings", values=column)
        by = by.groupby(level="dimension").first() if column == "constant" else by
        change = by[ends[1]] - by[ends[0]]
        counted[column] = f"falls in {(change < 0).sum()} of {change.notna().sum()} cases"
    return (
        f"From summaries to which the experts give {ends[0]} rating to those with {ends[1]} different ones, "
        f"the {words('coefficient', name)} of a judge or the crowd with an expert {counted['value']} of a "
        f"rater and a dimension, and that of the rater who reads nothing {counted['constant']}."
    )


_NEVER = "a rater who reads nothing"
_LABELS = {"value": "agreement", "constant": _NEVER, "n_ratings": "different ratings by the experts"}


def _axis(lows: pd.Series) -> dict:
    """From the lowest value, or 0, to 1."""
    return {"range": [min(lows.min(), 0) - 0.05, 1.05], "dtick": 1, "tick0": 0, "zeroline": True}


def agreement_dots(results: pd.DataFrame) -> go.Figure:
    """Agreement with intervals, a row for each group, rater or judge; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.agreement.table`
        A grey tick stands where a rater is who always gives people's commonest rating.
    """
    raters = results["raters"].unique().tolist()[::-1]
    shared = {"panel": "dimension", "series": "grade", "menu": "coefficient", "order": raters}
    sheet = marks(results, x="value", y="raters", labels=_LABELS, hover=["base_rate"], size=8, **shared)
    grades, n_before = results["grade"].unique().tolist(), len(sheet.data)
    marks(
        results, x="constant", y="raters", bars=False, labels=_LABELS, size=11, sheet=sheet,
        style=dict.fromkeys(grades, Style(GREY, symbol="line-ns-open")),
        name=dict.fromkeys(grades, _NEVER), **shared,
    )  # fmt: skip
    for trace, beside in zip(
        sheet.data[n_before:], sheet.data, strict=False
    ):  # on the line of what it stands beside
        trace["offsetgroup"] = beside["name"]
    lows = results[["low", "value", "constant"]].min(axis=1)
    sheet.x(**_axis(lows), minor={"dtick": 0.5, "showgrid": True, "gridcolor": faint(GREY)}).menu(
        "Coefficient", "coefficient"
    )
    return sheet.figure(height=150 + 40 * len(raters))


def agreement_differences(differences: pd.DataFrame) -> go.Figure:
    """A judge, or the crowd, with an expert, minus two experts; one panel for each dimension.

    Parameters
    ----------
    differences : DataFrame of `helpers.experiments.agreement.differences`
    """
    raters = differences["raters"].unique().tolist()[::-1]
    coefficient = words("coefficient", differences["coefficient"].iloc[0])
    sheet = marks(
        differences, x="value", y="raters", panel="dimension", style={(): Style(BLUE)}, order=raters,
        labels={"value": f"difference of {coefficient}"}, hover=["among_people"], size=7,
    )  # fmt: skip
    ends = [differences["low"].min() - 0.05, max(differences["high"].max(), 0) + 0.1]
    return sheet.x(range=ends, dtick=0.5, zeroline=True).figure(height=130 + 30 * len(raters))


def strata_curves(results: pd.DataFrame) -> go.Figure:
    """Agreement with an expert by how many different ratings the experts gave; a dropdown for coefficients.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.agreement.strata`
    """
    shared = {"x": "n_ratings", "panel": "dimension", "menu": "coefficient", "mode": "lines+markers"}
    sheet = marks(
        results, y="value", series="raters", size=7, labels=_LABELS, hover=["constant", "n_used"], **shared
    )
    of_stratum = ["dimension", "coefficient", "n_ratings"]
    never = results.drop_duplicates(of_stratum)[[*of_stratum, "constant", "n_used"]].assign(never="x")
    marks(
        never, y="constant", series="never", bars=False, size=7, sheet=sheet, labels=_LABELS,
        style={"x": Style(GREY, "dash", "x")}, name={"x": _NEVER}, **shared,
    )  # fmt: skip
    sheet.side_by_side().x(dtick=1)
    sheet.y(**_axis(results[["low", "value", "constant"]].min(axis=1)) | {"dtick": 0.5})
    return sheet.menu("Coefficient", "coefficient").figure(height=460)


def alpha_strips(alphas: pd.DataFrame) -> go.Figure:
    """Krippendorff's alpha of every batch, a row for each way to count labels.

    Parameters
    ----------
    alphas : DataFrame of `helpers.experiments.agreement.alphas`
    """
    maps = alphas["label_map"].unique().tolist()[::-1]
    named = alphas.assign(batch="batch " + alphas["batch"])
    sheet = marks(
        named, x="value", y="label_map", order=maps, point="batch", hover=["n_raters"],
        labels={"value": "Krippendorff's α"}, size=8,
    )  # fmt: skip
    return sheet.x(**_axis(alphas["value"]) | {"dtick": 0.5}).figure(height=110 + 32 * len(maps))


def _grades(settings) -> list[str]:
    """Those with which at least one of the coefficients exists."""
    return [grade for grade in GRADES if any(grade in GRADES_OF[name] for name in settings["coefficients"])]


LIVE = live(
    "agreement",
    lambda *, dataset, seed, **settings: table(load(dataset), rng=seed, **settings),
    agreement_dots,
    "dataset people judges dimensions coefficients grades confidence_level n_resamples",
    question="How far do raters give the same ratings, and what would a rater reach who reads nothing?",
    offer={"grades": _grades},
    initial={"n_resamples": 99},
)
