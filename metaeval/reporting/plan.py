"""reporting.plan: how many systems, documents and raters a comparison to come needs, told from a pilot.

``metaeval plan FILE... --difference 0.3``, and Python, make the same `Plan`; the page `labels_needed` asks
the same engine, `metaeval.stats.planning`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval import datasets
from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_alpha, check_confidence_level, check_count, check_number, check_share
from metaeval.core.mode import PREFIX
from metaeval.own.tidy import listed
from metaeval.reporting.answer import Answer, plotly
from metaeval.reporting.arguments import add_files, settings
from metaeval.reporting.beside import require_sides
from metaeval.reporting.page import records, render, table_parts
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.verdict import FEW_SYSTEMS
from metaeval.stats.components import Components, components
from metaeval.stats.planning import Together, difference_power, difference_width, fewest, together
from metaeval.stats.signature import signature
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS, EFFECT_LABELS
from metaeval.tables.readable import readable
from metaeval.tables.wording import counted, joined, number, percent

MOST_DOCUMENTS, MOST_SYSTEMS = 10_000, 200
# what may be asked for: every number of raters is a design of its own
_AT_MOST = {"systems": 100_000, "most_documents": 1_000_000_000, "most_raters": 1_000}
_BEYOND = 2  # times a pilot's size, from which on a design is far from what was judged
_MOST_RATERS = 100  # that are asked about where a goal is out of reach
_SHOWN = 8  # designs in a summary
_NO_PILOT = {"one_system": "one system", "pairs": "choices between two outputs"}
_GRID = (10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000)
# a power, a reliability, and a width in its own units, are reached but for rounding
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Answer):
    """Designs that reach a goal, the cheapest first.

    Attributes
    ----------
    title : str
    goal : str
        What is to be reached, in a sentence.
    cautions : tuple of sentences
        Why the pilot tells too little for what follows; mostly none.
    designs : DataFrame
        n_systems, n_documents, n_raters, n_judgments, price, value (the power that is reached, or the width,
        of a correlation's interval that in as many studies as asked for),
        expected (the correlation to expect, NaN for other goals), beyond (what of it is more than twice the
        pilot's, in words); none where no design reaches the goal.
    grid : DataFrame
        n_systems, n_documents, n_raters, value: for contours, of the cheapest design's systems.
    variances : DataFrame
        effect, value, share: where differences between the pilot's judgments come from.
    notes : tuple of sentences
    signature : str
        All that is needed to get the same numbers again, in one line.
    """

    title: str
    goal: str
    cautions: tuple[str, ...]
    designs: pd.DataFrame
    grid: pd.DataFrame
    variances: pd.DataFrame
    notes: tuple[str, ...]
    signature: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"designs": self.designs, "grid": self.grid, "variances": self.variances}

    @property
    def cheapest(self) -> pd.DataFrame:
        """Of every number of raters the cheapest design, at most eight."""
        return self.designs.drop_duplicates("n_raters").head(_SHOWN)

    def summary(self) -> str:
        """The designs as plain text, with what to know of them, and the signature."""
        said = [self.title, f"Wanted: {self.goal}.", *self.cautions, ""]
        if self.designs.empty:
            said.append("No design within the limits reaches it.")
        else:
            columns = ["n_systems", "n_documents", "n_raters", "n_judgments", "price"]
            said += readable(self.cheapest[columns], table="designs", share=False).to_text()
        return "\n".join([*said, "", *self.notes, "", self.signature])

    def contents(self) -> dict[str, object]:
        """The goal, why to be careful, the tables, and the notes."""
        found = {name: records(table) for name, table in self.tables.items()}
        return {"goal": self.goal, "cautions": self.cautions, **found, "notes": self.notes}

    def _repr_html_(self) -> str:
        designs = table_parts(
            "designs", self.cheapest, caption="The cheapest design for each number of raters"
        )
        variances = table_parts("variances", self.variances, caption="What judgments differ by, in the pilot")
        return render("planned", self, [designs, variances])

    def plot(self):
        """Contours over documents and raters as a Plotly figure.

        Raises
        ------
        MissingExtraError
            If Plotly is not installed.
        """
        go = plotly()
        shown = self.grid.pivot(index="n_raters", columns="n_documents", values="value")
        lines = go.Contour(
            x=shown.columns, y=shown.index, z=shown.to_numpy(),
            contours={"coloring": "lines", "showlabels": True}, showscale=False,
        )  # fmt: skip
        return go.Figure(lines).update_layout(
            title=self.goal, xaxis={"title": "documents", "type": "log"}, yaxis={"title": "raters"}
        )


def plan(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    *,
    width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    metric: str | None = None,
    judgment: str | None = None,
    coefficient: str = "kendall",
    price: float = 1.0,
    systems: int | None = None,
    most_documents: int = MOST_DOCUMENTS,
    most_raters: int | None = None,
    reliability: float = 0.8,
    same_raters: bool = False,
    nested: bool = False,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
) -> Plan:
    """How many systems, documents and raters reach a goal, from how judgments vary in a pilot.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        With people's judgments; by rater where more or fewer raters are to be planned for.
    width : float
        Of an interval: of the correlation of `metric` with people as `compare` and `report` give it
        (Boot-Both), or without a metric of the difference of two systems' means, in units of the scale.
    difference : float
        Of two systems' true means, which a two-sided *t*-test over documents is to find; in place of `width`.
    power : float in (0, 1)
        How often it is to be found; of a correlation, in how many studies the interval is to be no wider,
        counted over what the pilot leaves open and over studies.
    metric, judgment : str
        By default no metric, and the first of people's judgments.
    coefficient : {"kendall", "spearman", "pearson"}
        Of the correlation.
    price : float above 0
        Of one judgment of one summary by one rater.
    systems : int
        By default as many as the pilot has, and for a correlation the number that makes it cheapest.
    most_documents : int
        At most a thousand million.
    most_raters : int
        By default twice the pilot's; at most 1,000.
    reliability : float in (0, 1)
        The least that people's means must have where a correlation is planned: one with noise says nothing.
    same_raters : bool
        Whether what is found shall hold for the pilot's raters, who judge again, and not for others like
        them; their own taste in systems then counts as no error.
    nested : bool
        Whether raters of one document are others than those of the next, though numbered alike.
    confidence_level, alpha : float in (0, 1)
        Of the interval, and of the test.

    Returns
    -------
    Plan

    Raises
    ------
    DataError
        If the pilot has no judgments by people, or too few of them to tell how they vary.
    ValueError
        If not exactly one of `width` and `difference` is given, or a number is out of range.

    Examples
    --------
    >>> from metaeval import bring
    >>> people = [[1, 2, 3], [2, 4, 3], [3, 4, 6], [5, 6, 6]]
    >>> found = plan(bring({"mine": people}, people), width=1.0, price=0.5)
    >>> found.to_frame()[["n_systems", "n_documents", "n_raters", "price"]].iloc[0].tolist()
    [4.0, 17.0, 1.0, 34.0]
    """
    check_confidence_level(confidence_level)
    check_alpha(alpha)
    check_share("power", power)
    check_share("reliability", reliability)
    _check_positive(width=width, difference=difference, price=price)
    if (width is None) == (difference is None):
        raise ValueError(
            "give one of `width` and `difference`: how wide an interval may be, or what to find, in points "
            "of people's scale, such as --width 0.3 or --difference 0.2"
        )
    if metric is not None and width is None:
        raise ValueError("a correlation is planned for by the `width` of its interval, not by `difference`")
    if metric is not None and same_raters:
        raise ValueError("`same_raters` is for differences of systems: a correlation is with people at large")
    if not isinstance(data, Benchmark | Reading):
        data = read(data, judges=listed(metric))
    benchmark = _pilot(data)
    judgment = judgment or benchmark.judgments[0]
    notes = list(data.notes) if isinstance(data, Reading) else []
    judged, n_raters = _judged(benchmark, judgment, notes)
    scale = np.nanmax(judged) - np.nanmin(judged)
    if not scale:
        raise DataError(
            f"people gave the same score everywhere in {judgment}, which does not tell how judgments vary, "
            "so that nothing can be planned; judge more documents, or more systems"
        )
    if width is not None:
        _check_width(width, None if metric is not None else scale)
    nested = nested and judged.ndim == 3
    both = None if metric is None else together(judged, benchmark.metric(metric).to_numpy(), nested=nested)
    people = components(judged, nested=nested) if both is None else both.people
    pilot = {"n_systems": len(benchmark.systems), "n_documents": judged.shape[1], "n_raters": n_raters}
    cautions = _cautions(people, both, tuple(pilot.values()), metric, coefficient, confidence_level)
    below = [EFFECT_LABELS[effect] for effect, variance in people.variances.items() if variance < 0]
    if below:
        notes.append(f"Estimated below 0 and counted as 0: the variance due to {joined(below)}.")
    shares = people.shares()
    variances = pd.DataFrame(
        {
            "effect": [EFFECT_LABELS[effect] for effect in shares],
            "value": [max(variance, 0.0) for variance in people.variances.values()],
            "share": list(shares.values()),
        }
    )
    if same_raters:
        if "system:rater" not in people.variances:
            raise DataError(f"{judgment} has no raters who judged several documents, who could judge again")
        people = replace(people, variances=people.variances | {"system:rater": 0.0})
        notes.append("What is found would hold for the pilot's raters, and need not for others.")
    if most_raters is None:
        most_raters = n_raters if same_raters or not people.has_raters else _BEYOND * n_raters
    for name, n in (("most_raters", most_raters), ("most_documents", most_documents)):
        check_count(name, n, at_least=2 if name == "most_documents" else 1, at_most=_AT_MOST[name])
    if not people.has_raters and most_raters > 1:
        raise DataError(
            f"{judgment} is not given by rater, so it does not tell what more raters would change"
        )
    if both is not None:
        numbers = list(range(FEW_SYSTEMS, MOST_SYSTEMS + 1)) if systems is None else [systems]
        goal = _of_correlation(
            both, width, coefficient, confidence_level, reliability, power, tuple(pilot.values())
        )
        of = f"{metric} with {judgment}"
    else:
        numbers = [pilot["n_systems"] if systems is None else systems]
        of = f"two systems' means in {judgment}"
        goal = (
            _of_width(people, width, confidence_level)
            if difference is None
            else _of_power(people, difference, power, alpha)
        )
    least = 2 if both is None else FEW_SYSTEMS
    check_count("systems", numbers[0], at_least=least, at_most=_AT_MOST["systems"])
    designs = _designs(goal, numbers, most_raters, most_documents, price)
    sizes = designs["n_documents"].to_numpy(), designs["n_raters"].to_numpy()
    expected = both is not None and len(designs) > 0
    designs["expected"] = both.correlation(*sizes, coefficient=coefficient) if expected else np.nan
    designs["beyond"] = [_beyond(row, pilot) for row in designs.to_dict("records")]
    if designs.empty:
        more = _MOST_RATERS if people.has_raters and not same_raters else most_raters
        named = ["system"] * (both is not None) + ["document"] + ["rater"] * people.has_raters
        raters = most_raters, max(more, most_raters)
        notes.append(_out_of_reach(goal, numbers, raters, most_documents, named))
    if expected:
        asked = {"coefficient": coefficient, "confidence_level": confidence_level}
        notes.insert(0, _if_it_is_lower(both, designs.iloc[0], tuple(pilot.values()), **asked))
    if both is None or len(designs):
        notes += _on_designs(designs, most_raters, most_documents, people)
    shown = int(designs["n_systems"].iloc[0]) if len(designs) else numbers[-1]
    said = signature(
        {"level": "system", "goal": "width" if difference is None else "power", "metric": metric},
        judgment=judgment, coef=None if metric is None else coefficient, width=width, difference=difference,
        power=power if difference or metric else None, confidence=confidence_level if width else None,
        alpha=None if width else alpha, price=price, reliability=reliability if metric else None,
        same_raters=same_raters or None, raters=n_raters if people.has_raters else None,
        shape=(pilot["n_systems"], pilot["n_documents"]),
    )  # fmt: skip
    return Plan(
        title=f"{_name(data)}: a plan from {_sizes(pilot, people)}",
        goal=goal.says.format(of=of),
        cautions=tuple(cautions),
        designs=designs,
        grid=_grid(goal, shown, most_raters),
        variances=variances,
        notes=tuple(notes),
        signature=said,
    )


def _check_positive(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None:
            check_number(name, value)
            if not 0 < value < np.inf:
                finite = "" if np.isfinite(value) else " and finite"
                raise ValueError(f"`{name}` must be above 0{finite}, got {value}")


def _check_width(width: float, scale: float | None) -> None:
    """Raise for an interval that holds every value there is: of a correlation, or on the pilot's scale."""
    if width >= 2 * (1 if scale is None else scale):
        every = (
            "a correlation, from -1 to 1"
            if scale is None
            else f"a difference of judgments, which in this pilot are {scale:g} apart at most"
        )
        most = f"{2 if scale is None else 2 * scale:g}"
        raise DataError(f"`width` must be below {most}, which holds every value of {every}, got {width:g}")


def _pilot(data: Benchmark | Reading) -> Benchmark:
    benchmark = data.benchmark if isinstance(data, Reading) else data
    if benchmark is None:
        raise DataError(
            "a plan needs judgments of the same documents for two systems or more, and these files hold "
            f"{_NO_PILOT.get(data.kind, data.kind)}; `metaeval doctor` says what can be asked of them"
        )
    require_sides(benchmark.metrics or ["whoever"], benchmark.judgments)
    judged = benchmark.judged()
    if len(judged.documents) < 2:
        raise DataError(
            "a plan needs judgments by document, and there is one per system; means alone do not tell how "
            "far more documents would steady them"
        )
    return judged


def _name(data: Benchmark | Reading) -> str:
    return joined(data.files) if isinstance(data, Reading) and data.files else _pilot(data).name


def _judged(benchmark: Benchmark, judgment: str, notes: list[str]) -> tuple[np.ndarray, int]:
    """The pilot's judgments, by rater where a summary has two of them; and how many raters there are."""
    if judgment in benchmark.ratings:
        rated = benchmark.rated(judgment).transpose("system", "document", "rater").to_numpy()
        per_summary = (~np.isnan(rated)).sum(axis=2)
        if per_summary.max() > 1:
            given = per_summary[per_summary > 0].mean()
            if per_summary[per_summary > 0].min() < rated.shape[2]:
                notes.append(
                    f"Not every rater judged every summary ({given:.1f} of {rated.shape[2]} on average); "
                    "what is missing is assumed not to depend on the judgments."
                )
            return rated, rated.shape[2]
    notes.append(
        f"No summary has two raters in {judgment}, so raters cannot be planned for: a judgment to come is "
        "made as those of the pilot were, and is priced as one."
    )
    return benchmark.judgment(judgment).to_numpy(), 1


def _cautions(
    people: Components,
    both: Together | None,
    pilot: tuple[int, int, int],
    metric: str | None,
    coefficient: str,
    confidence_level: float,
) -> list[str]:
    """Why the pilot tells too little."""
    said = []
    if pilot[0] < FEW_SYSTEMS:
        said.append(
            f"The pilot has {pilot[0]} systems; fewer than {FEW_SYSTEMS} hardly tell how systems differ."
        )
    if both is None:
        return said
    people_vary, metric_varies = (side.variances["system"] for side in (both.people, both.metric))
    if not min(people_vary, metric_varies) > 0:
        raise DataError(
            "the pilot's systems do not differ beyond what its documents and raters explain, in the metric "
            "or for people, so that no correlation can be expected; judge more documents, or more systems"
        )
    if both.by_system**2 > people_vary * metric_varies:
        said.append(
            "This cannot be told from this pilot, and the designs are too hopeful: without noise the metric "
            "would correlate beyond 1 with people in it, by chance; its systems are too few or too alike."
        )
    elif not both.lowered(0.5 + confidence_level / 2, pilot) > 0:
        said.append(
            f"Whether {metric} correlates with people at all cannot be told from this pilot, so the designs "
            "allow for its not doing so."
        )
    return said


def _if_it_is_lower(
    both: Together,
    design: pd.Series,
    pilot: tuple[int, int, int],
    *,
    coefficient: str,
    confidence_level: float,
) -> str:
    """How wide the interval is to be expected if the pilot is right, and if it is as wrong as may be."""
    sizes = tuple(int(design[name]) for name in ("n_systems", "n_documents", "n_raters"))
    asked = {"coefficient": coefficient, "confidence_level": confidence_level}
    least = float(both.lowered(0.5 + confidence_level / 2, pilot))
    usual, widest = (float(both.bootstrap_width(*sizes, times=times, **asked)) for times in (1.0, least))
    lower = replace(both, by_system=least * both.by_system, by_summary=least * both.by_summary)
    low = float(lower.correlation(*sizes[1:], coefficient=coefficient))
    return (
        f"In the cheapest design a correlation of {number(design['expected'], 2)} is to be expected from "
        f"the pilot, with an interval {number(usual, 2)} wide on average; its systems leave open whether "
        f"it is as low as {number(low, 2)} ({percent(confidence_level, None)} interval, Fisher's), and "
        f"then it would be {number(widest, 2)} wide."
    )


@dataclass(frozen=True)
class _Goal:
    """What is wanted: in words, what a design reaches, and whether that is enough."""

    says: str
    reach: Callable[..., np.ndarray]
    enough: Callable[..., np.ndarray]


def _of_width(people: Components, width: float, confidence_level: float) -> _Goal:
    def reach(n_systems, n_documents, n_raters):
        return difference_width(people, n_documents, n_raters, confidence_level=confidence_level)

    level = percent(confidence_level, None)
    says = f"a {level} interval of the difference of {{of}} no wider than {width:g}"
    return _Goal(says, reach, lambda *sizes: reach(*sizes) <= width * (1 + _ROUNDING))


def _of_power(people: Components, difference: float, power: float, alpha: float) -> _Goal:
    def reach(n_systems, n_documents, n_raters):
        return difference_power(people, difference, n_documents, n_raters, alpha=alpha)

    says = f"a power of {power:g} to find a difference of {difference:g} between {{of}} (level {alpha:g})"
    return _Goal(says, reach, lambda *sizes: reach(*sizes) >= power - _ROUNDING)


def _of_correlation(
    both: Together,
    width: float,
    coefficient: str,
    confidence_level: float,
    reliability: float,
    share: float,
    pilot: tuple[int, int, int],
) -> _Goal:
    named = choose("coefficient", coefficient, COEFFICIENT_LABELS)

    def reach(*sizes):
        return both.width_of_most(
            share, *sizes, pilot=pilot, coefficient=coefficient, confidence_level=confidence_level
        )

    def enough(*sizes):
        reliable = both.people.reliability(*sizes[1:]) >= reliability - _ROUNDING
        return reliable & (reach(*sizes) <= width * (1 + _ROUNDING))

    says = (
        f"a {percent(confidence_level, None)} interval (Boot-Both) of {named} of {{of}} no wider than "
        f"{width:g} in about {percent(share, None)} of studies, with a reliability of people's means of at "
        f"least {reliability:g}"
    )
    return _Goal(says, reach, enough)


def _designs(
    goal: _Goal, systems: list[int], most_raters: int, most_documents: int, price: float
) -> pd.DataFrame:
    """The fewest documents for every number of systems and raters, the cheapest first."""
    n_systems, n_raters = (
        axis.ravel() for axis in np.meshgrid(systems, np.arange(1, most_raters + 1), indexing="ij")
    )
    n_documents = fewest(
        lambda n: goal.enough(n_systems, n, n_raters), n_systems.shape, least=2, most=most_documents
    )
    sizes = n_systems, np.maximum(n_documents, 2), n_raters
    found = pd.DataFrame({"n_systems": n_systems, "n_documents": n_documents, "n_raters": n_raters})
    found["n_judgments"] = n_systems * n_documents * n_raters
    found["price"] = float(price) * found["n_judgments"]
    found["value"] = goal.reach(*sizes)
    found = found[found["n_documents"] > 0]
    return found.sort_values(["price", "n_documents"], kind="stable", ignore_index=True)


def _grid(goal: _Goal, n_systems: int, most_raters: int) -> pd.DataFrame:
    documents, raters = (
        axis.ravel() for axis in np.meshgrid(_GRID, np.arange(1, most_raters + 1), indexing="ij")
    )
    value = goal.reach(np.full(documents.shape, n_systems), documents, raters)
    return pd.DataFrame(
        {"n_systems": n_systems, "n_documents": documents, "n_raters": raters, "value": value}
    )


def _beyond(design: dict, pilot: dict[str, int]) -> str:
    names = [name for name, n in pilot.items() if design[name] > _BEYOND * n]
    return joined([name.removeprefix("n_") for name in names]) if names else ""


def _out_of_reach(
    goal: _Goal, systems: list[int], raters: tuple[int, int], most_documents: int, named: list[str]
) -> str:
    """What a goal beyond the limits would take, as far as the pilot tells: raters, or else systems, or both;
    `raters` are at most as many as were allowed, and at most as many as are asked about; only the sizes that
    are `named` are told.
    """
    further = range(systems[-1] + 1, MOST_SYSTEMS + 1) if "system" in named else range(0)
    n_systems = [*systems, *further]
    fewer, more_raters = raters
    tried = [(systems, more_raters, "rater")] * (more_raters > fewer)
    tried += [(n_systems, n, "system") for n in dict.fromkeys(raters) if further]
    for numbers, most_raters, grown in tried:
        if len(more := _designs(goal, numbers, most_raters, most_documents, 1.0)):
            least = more.loc[more[f"n_{grown}s"].idxmin()]
            sizes = {name: counted(int(least[f"n_{name}s"]), name) for name in named}
            at_least = sizes.pop(grown)
            return (
                f"It would take {at_least} at least (with {joined([*sizes.values()])}), if those to come are "
                "like the pilot's."
            )
    most = {"system": n_systems[-1], "rater": more_raters, "document": most_documents}
    said = [counted(n, name) for name, n in most.items() if name in named]
    return f"Not even {joined(said)} would reach it."


def _on_designs(
    designs: pd.DataFrame, most_raters: int, most_documents: int, people: Components
) -> list[str]:
    said = []
    missing = sorted(set(range(1, most_raters + 1)) - set(designs["n_raters"]))
    if missing and most_raters > 1:
        why = (
            "; each rater's own taste in systems remains however many documents there are"
            if people.variances.get("system:rater", 0.0) > 0
            else ""
        )
        raters = counted(1, "rater") if missing == [1] else f"{joined([str(n) for n in missing])} raters"
        if len(missing) > 1 and missing[-1] == len(missing):
            raters = f"up to {missing[-1]} raters"
        said.append(f"With {raters}, {counted(most_documents, 'document')} are not enough{why}.")
    if designs.empty:
        return said
    first = designs.iloc[0]
    if first["beyond"]:
        said.append(
            f"The cheapest design has more than {_BEYOND} times the pilot's {first['beyond']}: this is an "
            "extrapolation, and worth a second pilot."
        )
    said.append("All systems are judged on the same documents, by the same raters.")
    return said


def _sizes(pilot: dict[str, int], people: Components) -> str:
    sizes = f"{counted(pilot['n_systems'], 'system')} and {counted(pilot['n_documents'], 'document')}"
    return f"{sizes}, {counted(pilot['n_raters'], 'rater')}" if people.has_raters else sizes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments; a benchmark of the book may be named in place of files."""
    add_files(parser)
    parser.add_argument("--width", type=float, help="how wide an interval may be")
    parser.add_argument("--difference", type=float, help="of two systems' means, which a test is to find")
    parser.add_argument(
        "--power",
        type=float,
        default=0.8,
        help="how often it is to find it; with --metric, how many studies are to reach the width (0.8)",
    )
    parser.add_argument("--metric", help="plan the interval of its correlation with people")
    parser.add_argument("--judgment", help="which of people's judgments (the first)")
    parser.add_argument(
        "--coefficient", choices=sorted(COEFFICIENT_LABELS), default="kendall", help="(%(default)s)"
    )
    parser.add_argument("--price", type=float, default=1.0, help="of one judgment (1)")
    parser.add_argument("--systems", type=int, help="how many there will be")
    parser.add_argument(
        "--most-documents", type=int, default=MOST_DOCUMENTS, help=f"at most ({MOST_DOCUMENTS:,})"
    )
    parser.add_argument("--most-raters", type=int, help="at most (twice the pilot's)")
    parser.add_argument(
        "--reliability", type=float, default=0.8, help="the least of people's means, with --metric (0.8)"
    )
    parser.add_argument("--same-raters", action="store_true", help="speak of the pilot's raters only")
    parser.add_argument(
        "--nested", action="store_true", help="raters of one document are others than those of the next"
    )
    parser.add_argument("--confidence-level", type=float, default=0.95, help="of intervals (0.95)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the test (0.05)")
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")


def main(given: argparse.Namespace) -> int:
    """Plan; returns the exit status."""
    found = plan(
        _data(given), width=given.width, difference=given.difference, power=given.power, metric=given.metric,
        judgment=given.judgment, coefficient=given.coefficient, price=given.price, systems=given.systems,
        most_documents=given.most_documents, most_raters=given.most_raters,
        reliability=given.reliability, same_raters=given.same_raters, nested=given.nested,
        confidence_level=given.confidence_level, alpha=given.alpha,
    )  # fmt: skip
    print(found.to_json() if given.json else found.summary(), end="" if given.json else "\n")
    return 0


def _data(given: argparse.Namespace) -> Benchmark | Reading:
    """Files, or a benchmark of the book by its name where there is no such file."""
    first, *others = given.files
    if not others and not Path(first).exists() and first.removeprefix(PREFIX) in datasets.names():
        return datasets.load(first)
    return read(given.files, **settings(given), judges=listed(given.metric))
