"""experiments.agreement: how far do raters give the same ratings, beside a rater who reads nothing?

Calderon et al. 2025, Table 1, and Bao et al. 2025 print agreement of the annotations that are counted here.

A group is taken together where a coefficient takes any number of raters; what takes two is averaged over
pairs: of a group all, of two groups one from each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import VERDICTS, add_verdict, marks
from helpers.kit.panels import ENDS
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import judges_as_metrics, require_names
from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_confidence_level
from metaeval.datasets import load
from metaeval.datasets.readers.faithbench import SEVERITY, Marks
from metaeval.datasets.readers.stat_analysis import CROWD
from metaeval.stats import agreement as agreeing
from metaeval.stats.agreement import agreement, drawn_units, icc, mean_over_pairs, n_drawn
from metaeval.stats.intervals import t_ends
from metaeval.stats.streams import seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, judge_of
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.pairs import Pairs

EXPERTS, WORKERS, PEOPLE = "experts", "crowd", "people"
GROUPS = (EXPERTS, WORKERS)
BOTH = f"{EXPERTS} and {WORKERS}"
COEFFICIENTS = (*agreeing.COEFFICIENTS, "icc")
GRADES = (*agreeing.GRADES, agreeing.ORDINAL)
# with which a coefficient exists: ordinal distances are alpha's, and an ICC is of squares
GRADES_OF = dict.fromkeys(COEFFICIENTS, agreeing.GRADES) | {"krippendorff": GRADES, "icc": ("quadratic",)}
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
MAX_ODD = 0.5  # share of a judge's ratings: with more that no person gives, its scale is another


@dataclass(frozen=True)
class _Compared:
    """Raters who are compared, and the people among them whom a constant rater is held against."""

    name: str
    ratings: np.ndarray  # (n_raters, n_units)
    pairs: Sequence[tuple[int, int]] | None  # of places; None for all together
    people: np.ndarray  # (n_people, n_units)

    @property
    def used(self) -> np.ndarray:
        """True for each unit that the raters of a pair both rated."""
        rated = ~np.isnan(self.ratings)
        pairs = self.pairs or list(combinations(range(len(rated)), 2))
        return np.any([rated[i] & rated[j] for i, j in pairs], axis=0)

    def compute(self, coefficient: str, grade: str, categories: np.ndarray, counts=None):
        """A coefficient of the ratings as they are, or in every draw of the units."""
        one: Callable = partial(agreement, coefficient=coefficient, grade=grade, categories=categories)
        if coefficient == "icc":
            one = partial(icc, kind="2,1")
        pairs = self.pairs
        if pairs is None and coefficient == "cohen":
            pairs = list(combinations(range(len(self.ratings)), 2))
        return (one if pairs is None else mean_over_pairs(one, pairs))(self.ratings, counts=counts)


def _with_each(name: str, people: np.ndarray, others: np.ndarray) -> _Compared:
    """Others, or one other, with each of the people, on what that person rated: chance is theirs there."""
    pairs = list(product(range(len(people)), range(len(others))))
    ratings = [np.where(np.isnan(people[i]), np.nan, others[j]) for i, j in pairs]
    places = [(i, len(people) + place) for place, (i, _) in enumerate(pairs)]
    return _Compared(name, np.concatenate([people, ratings]), places, people)


def _rater_groups(benchmark: Benchmark, dimension: str, judges, people) -> Iterator[_Compared]:
    """The groups of people that are asked for, and each judge with the experts."""
    experts = _rated(benchmark, dimension)
    if len(experts) < 2:
        raise DataError(f"{benchmark.name}, {dimension}: agreement takes two raters or more, got 1")
    if EXPERTS in people:
        yield _Compared(EXPERTS, experts, None, experts)
        for pair in combinations(range(len(experts)), 2):
            two = experts[list(pair)]
            yield _Compared(" and ".join(benchmark.raters(dimension)[i] for i in pair), two, None, two)
    if WORKERS in people and dimension + CROWD in benchmark.ratings:
        crowd = _rated(benchmark, dimension + CROWD)
        yield _Compared(WORKERS, crowd, None, crowd)
        yield _with_each(BOTH, experts, crowd)
    planes = judges_as_metrics(benchmark, dimension, judges).scores.to_numpy() if judges else ()
    for judge, plane in zip(judges, planes, strict=True):
        _check_scale(f"{benchmark.name}, {dimension}", judge, plane, experts)
        yield _with_each(judge, experts, plane.reshape(1, -1))


def _check_scale(where: str, judge: str, ratings: np.ndarray, experts: np.ndarray) -> None:
    ratings, scale = ratings[~np.isnan(ratings)], np.unique(experts[~np.isnan(experts)])
    if not len(ratings):
        raise DataError(f"{where}: {judge} rated nothing")
    odd = ~np.isin(ratings, scale)
    if odd.mean() > MAX_ODD:
        share = wording.typeset(wording.percent(odd.mean()))
        raise DataError(
            f"{where}: {share} of {judge}'s ratings are none that people give, such as {ratings[odd][0]:g}; "
            f"people give {', '.join(f'{value:g}' for value in scale)}. Bring them to one scale"
        )


def _rated(benchmark: Benchmark, judgment: str) -> np.ndarray:
    """Single ratings (n_raters, n_units)."""
    ratings = benchmark.rated(judgment).to_numpy()
    return ratings.reshape(len(ratings), -1)


def _categories(benchmark: Benchmark, dimension: str) -> np.ndarray:
    """Every rating that anybody gives in a dimension: no row depends on which judges are asked for."""
    planes = [benchmark.rated(name) for name in (dimension, dimension + CROWD) if name in benchmark.ratings]
    planes += [benchmark.metric(judge_of(judge, dimension)) for judge in benchmark.judges(dimension)]
    values = np.concatenate([plane.to_numpy().ravel() for plane in planes])
    return np.unique(values[~np.isnan(values)])


def _kinds(coefficients, grades) -> list[tuple[str, str]]:
    """The combinations of a coefficient and a grade that exist."""
    for what, names, options in (("coefficient", coefficients, COEFFICIENTS), ("grade", grades, GRADES)):
        require_names(what, names)
        for name in names:
            choose(f"{what} of agreement", name, dict.fromkeys(options))
    kinds = [(name, grade) for grade in grades for name in coefficients if grade in GRADES_OF[name]]
    if not kinds:
        raise ValueError(
            f"none of {', '.join(coefficients)} exists with {', '.join(grades)}: ordinal distances are of "
            "krippendorff, and icc is of quadratic"
        )
    return kinds


def _row(raters: _Compared, coefficient, grade, *, categories, counts, n_units, confidence_level) -> dict:
    """A coefficient with its interval, and what a rater has who always gives people's commonest rating."""
    kind, people = (coefficient, grade, categories), raters.people
    values, frequencies = np.unique(people[~np.isnan(people)], return_counts=True)
    constant = _with_each("", people, np.full((1, people.shape[1]), values[frequencies.argmax()]))
    limits = (0.0 if coefficient == "percent" else -1.0, 1.0)  # what a coefficient can be at all
    settings = {"n_units": n_units, "confidence_level": confidence_level, "limits": limits}
    return {
        "raters": raters.name,
        "coefficient": coefficient,
        "grade": grade,
        **_estimated(raters.compute(*kind), raters.compute(*kind, counts), **settings),
        "constant": constant.compute(*kind),
        "base_rate": frequencies.max() / frequencies.sum(),
        "n_used": int(raters.used.sum()),
    }


def _estimated(value: float, drawn: np.ndarray, **settings) -> dict[str, object]:
    """Columns of a value and its interval, from the values in the draws."""
    sizes = {"n_resamples": len(drawn), "n_undefined": np.isnan(drawn).sum()}
    return {"value": value, **t_ends(value, drawn, **settings)._asdict(), **sizes}


def _by_dimension(
    benchmark: Benchmark, *, judges, dimensions, people=GROUPS, resample="both", n_resamples=500, rng
):
    """Groups of raters of each dimension, their categories and draws, and a function used -> n_units."""
    require_names("dimension", dimensions)
    seed, shape = seed_of(rng), benchmark.human.shape
    for dimension in dimensions:
        draws = {"n_resamples": n_resamples, "rng": stream(seed, benchmark.name, dimension)}
        shared = {
            "categories": _categories(benchmark, dimension),
            "counts": drawn_units(*shape, resample=resample, **draws),
        }
        groups = list(_rater_groups(benchmark, dimension, judges, people))
        yield dimension, groups, shared, lambda used: n_drawn(used.reshape(shape), resample)


@tidy("dimension", "raters", "coefficient", "grade")
def table(
    benchmark: Benchmark, *, coefficients, grades=("nominal", "quadratic"), confidence_level=0.95, **asked
):
    """Agreement of experts, crowd and judges, with intervals, beside a rater who reads nothing."""
    # a judge's row is with each expert, averaged; `constant` and `base_rate` are of the people in the row
    check_confidence_level(confidence_level)
    kinds = _kinds(coefficients, grades)
    for dimension, groups, shared, n_units in _by_dimension(benchmark, **asked):
        for raters, kind in product(groups, kinds):
            settings = {"n_units": n_units(raters.used), "confidence_level": confidence_level}
            row = _row(raters, *kind, **settings, **shared)
            yield {"dataset": benchmark.name, "dimension": dimension, **row}


@tidy("dimension", "raters")
def differences(
    benchmark: Benchmark, *, coefficient="cohen", grade="quadratic", confidence_level=0.95, **asked
):
    """Agreement of a judge, and of the crowd, with an expert, minus that of two experts."""
    check_confidence_level(confidence_level)
    ((coefficient, grade),) = _kinds([coefficient], [grade])
    for dimension, groups, shared, n_units in _by_dimension(benchmark, **asked):
        kind = coefficient, grade, shared["categories"]
        experts = _rated(benchmark, dimension)
        two = _Compared(EXPERTS, experts, list(combinations(range(len(experts)), 2)), experts)
        baseline, baseline_drawn = two.compute(*kind), two.compute(*kind, shared["counts"])
        for raters in groups:
            if raters.pairs is not None:
                value = raters.compute(*kind) - baseline
                drawn = raters.compute(*kind, shared["counts"]) - baseline_drawn
                n = min(n_units(one.used) for one in (raters, two))
                yield {
                    "dataset": benchmark.name, "dimension": dimension, "raters": raters.name,
                    "coefficient": coefficient, "grade": grade,
                    **_estimated(value, drawn, n_units=n, confidence_level=confidence_level),
                    "among_people": baseline,
                }  # fmt: skip


@tidy("batch", "label_map")
def alphas(marks: Marks):
    """Krippendorff's alpha of annotators' worst labels in each batch, by how labels become numbers."""
    # of a batch those whom the authors chose; one who marked nothing in a summary found it consistent
    for batch, labels in marks.labels.items():
        labels = labels[marks.chosen[batch]]
        n_raters, n_total = labels.shape[:2]
        for name, numbers in LABEL_MAPS.items():
            value = agreement(worst(labels, numbers), coefficient="krippendorff", grade="quadratic")
            sizes = {"n_raters": n_raters, "n_total": n_total, "dataset": "faithbench"}
            yield {"batch": batch, "label_map": name, "value": value, **sizes}


def worst(labels: np.ndarray, numbers: Sequence[float]) -> np.ndarray:
    """Numbers of annotators' worst labels, the lowest but unwanted before all; NaN where it is left out."""
    consistent, *labelled = numbers  # of labels (n_raters, n_summaries, 3), see `Marks`
    values = np.full(labels.shape[:2], float(consistent))
    # from the best label to the worst, which then stands
    order = sorted(range(len(SEVERITY) - 1), key=lambda k: -np.nan_to_num(labelled[k], nan=-1.0))
    for k in (*order, len(SEVERITY) - 1):
        values[labels[..., k]] = labelled[k]
    return values


@tidy("dataset", "batch", "quantity")
def quantities(benchmarks, pairs: Pairs, marks: Marks, alphas: pd.DataFrame):
    """Sizes and agreement that two releases print of their annotations."""
    # an alpha bears the name of its map; the coefficients of `pairs` are averaged over pairs of raters
    named = alphas.rename(columns={"label_map": "quantity"})
    yield named[["dataset", "batch", "quantity", "value"]]
    counts = {"summeval-judges": _summeval_counts, "faithbench": _faithbench_counts}
    facts = [(one.name, counts[one.name](one)) for one in benchmarks if one.name in counts]
    n_raters = [int(chosen.sum()) for chosen in marks.chosen.values()]
    facts.append(("faithbench", {"fewest annotators": min(n_raters), "most annotators": max(n_raters)}))
    people = pairs.people.to_numpy()
    two = list(combinations(range(len(people)), 2))
    coefficients = {"agreement": "percent", "Fleiss' kappa": "fleiss"}
    averages = {
        name: mean_over_pairs(partial(agreement, coefficient=coefficient), two)(people)
        for name, coefficient in coefficients.items()
    }
    facts.append((pairs.name, _sizes(people) | averages))
    for dataset, values in facts:
        quantity, value = list(values), [*map(float, values.values())]
        yield {"dataset": dataset, "batch": "", "quantity": quantity, "value": value}


def _sizes(ratings: np.ndarray) -> dict[str, float]:
    rated = ~np.isnan(ratings)
    return {
        "raters": len(rated),
        "items": rated.any(axis=0).sum(),
        "items of a rater": rated.sum(axis=1).mean(),
        "raters of an item": rated.sum(axis=0)[rated.any(axis=0)].mean(),
    }


def _summeval_counts(benchmark: Benchmark) -> dict[str, float]:
    """All dimensions pooled, as the authors of the annotator test count."""
    dimensions = [name for name in benchmark.ratings if not name.endswith(CROWD)]
    return _sizes(np.concatenate([_rated(benchmark, name) for name in dimensions], axis=1))


def _faithbench_counts(benchmark: Benchmark) -> dict[str, float]:
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


def beyond(results: pd.DataFrame) -> pd.DataFrame:
    """Agreement minus that of a rater who always gives people's commonest rating."""
    ends = ["value", *ENDS]
    less = results.assign(**results[ends].sub(results["constant"], axis=0))
    return check(less, keys=["dimension", "raters", "coefficient", "grade"])


def agreement_dots(beyond: pd.DataFrame) -> go.Figure:
    """Agreement beyond a rater who reads nothing, by every coefficient; a dropdown picks the raters."""
    kinds = zip(beyond["coefficient"], beyond["grade"], strict=True)
    kind = [f"{words('coefficient', name)}, {words('grade', grade)}" for name, grade in kinds]
    rows = add_verdict(beyond.assign(kind=kind))
    order = rows.groupby("kind")["value"].mean().sort_values().index.tolist()
    sheet = marks(
        rows, x="value", y="kind", panel="dimension", series="verdict", menu="raters", style=VERDICTS,
        order=order, hover=["base_rate"], labels={"value": "agreement beyond a rater who reads nothing"},
        name={"left open": "no difference shown"},
    )  # fmt: skip
    low, high = float(rows["low"].min()), float(rows["high"].max())
    sheet.x(range=[low - 0.1, high + 0.1], tickvals=[-0.5, 0, 0.5]).rule(x=0, text="reads nothing")
    return sheet.menu("Raters", "raters").figure(height=170 + 26 * len(order), scattermode="overlay")


def agreement_differences(differences: pd.DataFrame) -> go.Figure:
    """A judge, or the crowd, with an expert, minus two experts; one panel for each dimension."""
    raters = differences.groupby("raters")["value"].mean().sort_values().index.tolist()
    coefficient = words("coefficient", differences["coefficient"].iloc[0])
    sheet = marks(
        add_verdict(differences), x="value", y="raters", panel="dimension", series="verdict", style=VERDICTS,
        order=raters, labels={"value": f"difference of {coefficient}"}, hover=["among_people"], size=7,
    )  # fmt: skip
    ends = [differences["low"].min() - 0.05, max(differences["high"].max(), 0) + 0.1]
    sheet.x(range=ends, dtick=0.5).rule(x=0, text="as another expert")
    return sheet.figure(height=150 + 30 * len(raters), scattermode="overlay", showlegend=False)


def _grades(settings) -> list[str]:
    """Those with which at least one of the coefficients exists."""
    return [grade for grade in GRADES if any(grade in GRADES_OF[name] for name in settings["coefficients"])]


LIVE = live(
    "agreement",
    lambda *, dataset, seed, **settings: table(load(dataset), rng=seed, **settings),
    lambda table: agreement_dots(beyond(table)),
    "dataset people judges dimensions coefficients grades confidence_level n_resamples",
    question="How far do raters give the same ratings, and what would a rater reach who reads nothing?",
    offer={"grades": _grades},
    initial={"n_resamples": 99},
)
