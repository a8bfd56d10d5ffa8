"""reporting.plan: systems, documents and raters needed for a future comparison, estimated from a pilot.

``metaeval plan FILE... --difference 0.3`` and Python return the same `Plan`; the page `labels_needed` uses
the same engine, `metaeval.stats.planning`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_alpha, check_confidence_level, check_count, check_number, check_share
from metaeval.own.sheets import listed
from metaeval.reporting.answer import Answer, render, table_parts
from metaeval.reporting.arguments import SEED, add_files, add_output, print_answer, read_files
from metaeval.reporting.corrected import ALONE, HELPED
from metaeval.reporting.paired_labels import (
    ACCURACY,
    AUC,
    FEW_ITEMS,
    KAPPA,
    NAMES,
    is_binary,
    pair_answers,
    require_measure,
    require_sides,
)
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.runs import enough_lines, runs_section
from metaeval.reporting.verdict import FEW_SYSTEMS
from metaeval.stats.components import Components, components
from metaeval.stats.detection import needed_items
from metaeval.stats.planning import Together, difference_power, difference_width, fewest, together
from metaeval.stats.prediction import needed_labels
from metaeval.stats.streams import signature
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS, EFFECT_LABELS
from metaeval.tables.readable import readable
from metaeval.tables.wording import counted, joined, percent

MAX_DOCUMENTS, MAX_SYSTEMS = 10_000, 200
# every number of raters is a design of its own
_LIMITS = {"systems": 100_000, "max_documents": 1_000_000_000, "max_raters": 1_000}
_BEYOND = 2  # times a pilot's size, above which a design is an extrapolation
_MAX_SHOWN = 8  # designs in a summary
MEAN = "mean"  # of people's scores, or their pass rate
_WITHOUT_SYSTEMS = {"one_system": (KAPPA, ACCURACY, AUC, MEAN), "pairs": (ACCURACY, KAPPA)}
_PRINTED = (
    *("n_systems", "n_documents", "n_raters", "n_judgments"),
    *("quantity", "n_items", "n_items_low", "n_items_high", "expected", "beyond"),
)
CHEAPEST = "The cheapest design for each number of raters"
OUT_OF_REACH = (
    "No design within the limits reaches it: allow more raters (--max-raters), documents (--max-documents) "
    "or systems (--systems)."
)
VARIANCES = "What judgments differ by, in the pilot"
MISSING = "What raters did not judge is assumed not to depend on what they would have said."
ONE_RATER = "No summary has two raters, so the plan is in judgments like the pilot's, and not in raters."
RATERS_TEST = (
    "The test is `metaeval.stats.planning.difference_test`, over documents and raters: a t-test over "
    "documents alone takes raters' tastes for differences."
)
TOO_HOPEFUL = (
    "The pilot is too small to say: without noise the metric would correlate beyond 1 with people in it, so "
    "these designs are too hopeful."
)
EXTRAPOLATED = "Sizes of more than twice the pilot's are extrapolated: worth a second pilot."
# tolerance for rounding of a power, a reliability, and a relative width
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Answer):
    """Designs that reach a goal, the cheapest first.

    Attributes
    ----------
    title : str
    goal : str
        The goal in a phrase.
    cautions : tuple of sentences
        Limits of the pilot; mostly none.
    designs : DataFrame
        n_systems, n_documents, n_raters, n_judgments, value (the power or the width; of a
        correlation's interval the width in the requested share of studies), expected (the expected
        correlation, NaN for other goals), beyond (sizes above twice the pilot's, in words); empty if no
        design reaches the goal. Of labels and choices n_items, n_items_low and n_items_high.
    variances : DataFrame
        effect, value, share: sources of variance of the pilot's judgments.
    notes : tuple of sentences
    signature : str
        All that is needed to reproduce the numbers, in one line.
    """

    command = "plan"
    title: str
    goal: str
    cautions: tuple[str, ...]
    designs: pd.DataFrame
    variances: pd.DataFrame
    notes: tuple[str, ...]
    signature: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {name: getattr(self, name) for name in ("designs", "variances")}

    def printed(self) -> pd.DataFrame:
        """Designs for readers: the cheapest for every number of raters."""
        designs = self.designs[[name for name in _PRINTED if name in self.designs]].dropna(axis=1, how="all")
        return designs.drop_duplicates("n_raters").head(_MAX_SHOWN) if "n_raters" in designs else designs

    @property
    def lead(self) -> list[str]:
        """Sentences above the designs."""
        out_of_reach = [OUT_OF_REACH] if self.designs.empty else []
        return [f"Wanted: {self.goal}", *self.cautions, *out_of_reach]

    def summary(self, *, verbose: bool = False) -> str:
        """Designs as plain text; with the sources of variance and the signature if `verbose`."""
        lines = [self.title, "", *self.lead]
        if len(self.designs):
            lines += readable(self.printed(), table="designs", share=False).to_text()
        if verbose and len(self.variances):
            lines += ["", VARIANCES, *readable(self.variances, table="variances", share=False).to_text()]
        lines += ["", *self.notes]
        return "\n".join([*lines, "", self.signature] if verbose else lines)

    def contents(self) -> dict[str, object]:
        """Goal, cautions, and notes."""
        return {"goal": self.goal, "cautions": self.cautions, "notes": self.notes}

    def _repr_html_(self) -> str:
        designs = table_parts("designs", self.printed(), caption=CHEAPEST)
        tables = designs, table_parts("variances", self.variances, caption=VARIANCES)
        return render("answer", self, self.lead, tables, self.notes)


def plan(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    *,
    width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    metric: str | None = None,
    judgment: str | None = None,
    measure: str | None = None,
    coefficient: str = "kendall",
    systems: int | None = None,
    max_documents: int = MAX_DOCUMENTS,
    max_raters: int | None = None,
    reliability: float = 0.8,
    nested: bool = False,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
) -> Plan:
    """Plan the systems, documents and raters that reach a goal, by the variance of judgments in a pilot.

    For labels of one system, and for choices between two outputs, plan the number of items at which the
    interval of a judge's agreement with people, or of people's mean, is no wider than `width`.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        With people's judgments; by rater to plan for other numbers of raters.
    width : float
        Width of an interval: of the correlation of `metric` with people as in `compare` and `report`,
        or without a metric of the difference of two systems' means, in units of the scale.
    difference : float
        Difference of two systems' true means for a two-sided test over documents and raters; instead of
        `width`. See `metaeval.stats.planning.difference_test`.
    power : float in (0, 1)
        Probability of finding it; for a correlation, share of studies with an interval no wider than `width`,
        over the uncertainty of the pilot and over studies.
    metric, judgment : str
        By default no metric, and the first of people's judgments.
    measure : {"kappa", "accuracy", "auc", "mean"}
        Of labels, by default kappa, and of choices, by default the accuracy. ``"mean"`` plans labels for
        people's mean or pass rate, alone and with a judge; the only one on a scale.
    coefficient : {"kendall", "spearman", "pearson"}
        Coefficient of the correlation.
    systems : int
        By default as many as in the pilot, and for a correlation the cheapest number.
    max_documents : int
        At most a billion.
    max_raters : int
        By default twice the pilot's; at most 1,000.
    reliability : float in (0, 1)
        Minimum reliability of people's means for a correlation, since one with noise is uninformative.
    nested : bool
        True if documents have different raters, although with the same numbers.
    confidence_level, alpha : float in (0, 1)
        Level of the interval, and of the test.

    Returns
    -------
    Plan

    Raises
    ------
    DataError
        If the pilot has no judgments by people, or too few to estimate their variance.
    ValueError
        If not exactly one of `width` and `difference` is given, or a number is out of range.

    Examples
    --------
    >>> from metaeval import as_benchmark
    >>> people = [[1, 2, 3], [2, 4, 3], [3, 4, 6], [5, 6, 6]]
    >>> result = plan(as_benchmark({"mine": people}, people), width=1.0)
    >>> result.to_frame()[["n_systems", "n_documents", "n_raters", "n_judgments"]].iloc[0].tolist()
    [4, 17, 1, 68]
    """
    _check_request(metric, width, difference)
    for name, share in (("power", power), ("reliability", reliability)):
        check_share(name, share)
    check_confidence_level(confidence_level)
    check_alpha(alpha)
    choose("coefficient", coefficient, COEFFICIENT_LABELS)
    how = {"coefficient": coefficient, "confidence_level": confidence_level}
    if not isinstance(data, Benchmark | Reading):
        data = read(data, judges=listed(metric))
    if isinstance(data, Reading) and data.kind in _WITHOUT_SYSTEMS:
        return _item_plan(data, width, metric, measure, confidence_level)
    if measure is not None:
        raise ValueError("a `measure` is for labels and choices; a ranking is planned by its coefficient")
    benchmark = _pilot(data)
    judgment = judgment or benchmark.judgments[0]
    notes = list(data.notes) if isinstance(data, Reading) else []
    judged, n_raters = _judged(benchmark, judgment, notes)
    scale = np.nanmax(judged) - np.nanmin(judged)
    if not scale:
        raise DataError(
            f"people gave the same score everywhere in {judgment}, so the variance of judgments is unknown "
            "and nothing can be planned; judge more documents, or more systems"
        )
    if width is not None:
        _check_width(width, None if metric is not None else scale)
    nested = nested and judged.ndim == 3
    both = None if metric is None else together(judged, benchmark.metric(metric).to_numpy(), nested=nested)
    people = components(judged, nested=nested) if both is None else both.people
    pilot = {"n_systems": len(benchmark.systems), "n_documents": judged.shape[1], "n_raters": n_raters}
    sizes = tuple(pilot.values())
    cautions = _cautions(both, sizes, metric, confidence_level)
    effects = [EFFECT_LABELS[effect] for effect in people.variances]
    values = [max(variance, 0.0) for variance in people.variances.values()]
    shares = list(people.shares().values())
    variances = pd.DataFrame({"effect": effects, "value": values, "share": shares})
    if max_raters is None:
        max_raters = _BEYOND * n_raters if people.has_raters else n_raters
    for name, n in (("max_raters", max_raters), ("max_documents", max_documents)):
        check_count(name, n, minimum=2 if name == "max_documents" else 1, maximum=_LIMITS[name])
    if not people.has_raters and max_raters > 1:
        raise DataError(f"{judgment} has no single raters, so the effect of more raters is unknown")
    if both is not None:
        numbers, min_systems = list(range(FEW_SYSTEMS, MAX_SYSTEMS + 1)), FEW_SYSTEMS
        of = f"{metric} with {judgment}"
    else:
        numbers, min_systems = [pilot["n_systems"]], 2
        of = f"two systems' means in {judgment}"
    if difference is None:
        goal = _width_goal(width, people, both, reliability, power, sizes, how)
    else:
        goal = _power_goal(people, difference, power, alpha)
    numbers = numbers if systems is None else [systems]
    check_count("systems", numbers[0], minimum=min_systems, maximum=_LIMITS["systems"])
    designs = _designs(goal, numbers, max_raters, max_documents)
    designs["beyond"] = [_beyond(row, pilot) for row in designs.to_dict("records")]
    designs["expected"] = np.nan
    if both is not None and len(designs):
        design_sizes = designs["n_documents"].to_numpy(), designs["n_raters"].to_numpy()
        designs["expected"] = both.correlation(*design_sizes, coefficient=coefficient)
    if difference is not None and people.variances.get("system:rater", 0.0) > 0:
        notes.append(RATERS_TEST)
    if len(designs):
        if designs["n_raters"].nunique() < max_raters:
            notes.append(f"A number of raters without a line is not enough with {max_documents:,} documents.")
        if designs["beyond"][0]:
            notes.append(EXTRAPOLATED)
        notes.append("All systems are judged on the same documents, by the same raters.")
    if isinstance(data, Reading):
        notes += [*enough_lines(runs_section(data, rng=SEED, **how)), *data.unused_clusters]
    mark = signature(
        {"level": "system", "goal": "width" if difference is None else "power", "metric": metric},
        judgment=judgment, coef=None if metric is None else coefficient, width=width, difference=difference,
        power=power if difference or metric else None, confidence=confidence_level if width else None,
        alpha=None if width else alpha, reliability=reliability if metric else None,
        raters=n_raters if people.has_raters else None,
        shape=sizes[:2],
    )  # fmt: skip
    subject = f"a plan from {counted(sizes[0], 'system')} and {counted(sizes[1], 'document')}"
    if people.has_raters:
        subject += f", {counted(n_raters, 'rater')}"
    is_reading = isinstance(data, Reading)
    return Plan(
        title=data.title(subject) if is_reading else f"{benchmark.name}: {subject}",
        goal=goal.text.format(of=of), cautions=tuple(cautions), designs=designs,
        variances=variances, notes=tuple(notes), signature=mark,
    )  # fmt: skip


def _check_request(metric: str | None, width: float | None, difference: float | None) -> None:
    """Raise unless the goal is one, and its number is above 0."""
    if (width is None) == (difference is None):
        raise ValueError(
            "give one of `width` and `difference`: the width of an interval, or the difference to find, in "
            "points of people's scale, such as --width 0.3 or --difference 0.2"
        )
    if metric is not None and width is None:
        raise ValueError("a correlation is planned by the `width` of its interval, not by `difference`")
    name, value = ("width", width) if difference is None else ("difference", difference)
    check_number(name, value)
    if not 0 < value < np.inf:
        raise ValueError(f"`{name}` must be above 0 and finite, got {value}")


def _item_plan(
    reading: Reading, width: float | None, metric: str | None, measure: str | None, level: float
) -> Plan:
    """Plan of the number of labels or choices."""
    if width is None:
        raise ValueError(
            "labels and choices are planned by the `width` of an interval, such as --width 0.1 for an "
            "agreement within 0.05 to both sides"
        )
    possible = _WITHOUT_SYSTEMS[reading.kind]
    sides = pair_answers(reading)
    people, documents, what = sides.gold, sides.together, sides.units
    if not (sides.answers or (sides.binary and is_binary(np.stack([*sides.judges.values()])))):
        possible = (MEAN,)
    elif sides.answers and what == "item":
        possible = possible[:2]
    measure = require_measure(measure, possible, "these labels or choices")
    metric = metric or next(iter(sides.judges))
    judge = choose("judge", metric, sides.judges)
    n = int((~np.isnan(judge) & ~np.isnan(people)).sum())
    if n < FEW_ITEMS:
        raise DataError(f"{metric} and people share {counted(n, what)}, and a plan takes {FEW_ITEMS}")
    options, notes = {"confidence_level": level, "rng": SEED}, ()
    interval = f"a {percent(level, None)} interval of "
    if measure == MEAN:
        sizes = {
            key: needed_labels(people, judge, width, helped=key == HELPED, clusters=documents, **options)
            for key in (ALONE, HELPED)
        }
        interval += "people's mean on all items"
        notes = (f"With the judge: {metric} scores very many items, and people a part drawn at random.",)
    else:
        options |= {"measure": measure, "documents": documents}
        sizes = {"": needed_items(judge, people, width, **options)}
        interval += f"the {NAMES[measure]} of {metric} with people"
    rows = [(key, *(int(np.ceil(size)) for size in each)) for key, each in sizes.items()]
    designs = pd.DataFrame(rows, columns=["quantity", "n_items", "n_items_low", "n_items_high"])
    designs = designs if measure == MEAN else designs.drop(columns="quantity")
    runs = enough_lines(runs_section(reading, coefficient="kendall", confidence_level=level, rng=SEED))
    mark = signature(
        {"kind": reading.kind, "measure": measure}, judge=metric, width=width, confidence=level,
        seed=SEED, shape=(1, n),
    )  # fmt: skip
    return Plan(
        reading.title(f"a plan from {counted(n, what)}"),
        f"{interval} no wider than {width:g}",
        (), designs, pd.DataFrame(),
        (*notes, "The range is of 80 in 100 pilots like this one.", *runs), mark,
    )  # fmt: skip


def _check_width(width: float, scale: float | None) -> None:
    """Raise if an interval would contain every possible value: of a correlation, or on the pilot's scale."""
    limit, values = 2.0, "a correlation, from -1 to 1"
    if scale is not None:
        limit = 2 * scale
        values = f"a difference of judgments, which in this pilot are {scale:g} apart at most"
    if width >= limit:
        raise DataError(
            f"`width` must be below {limit:g}, which holds every value of {values}, got {width:g}"
        )


def _pilot(data: Benchmark | Reading) -> Benchmark:
    benchmark = data.benchmark if isinstance(data, Reading) else data
    if benchmark is None:
        raise DataError(
            "a plan needs judgments of the same documents for two systems or more, and these files hold "
            f"{data.kind}; `metaeval doctor` lists the analyses they support"
        )
    require_sides(benchmark.metrics or ["any metric"], benchmark.judgments)
    judged = benchmark.judged()
    if len(judged.documents) < 2:
        raise DataError(
            "a plan needs judgments by document, and there is one per system; means alone do not show how "
            "much more documents would help"
        )
    return judged


def _judged(benchmark: Benchmark, judgment: str, notes: list[str]) -> tuple[np.ndarray, int]:
    """The pilot's judgments, by rater if a summary has two of them, and the number of raters."""
    if judgment in benchmark.ratings:
        rated = benchmark.rated(judgment).transpose("system", "document", "rater").to_numpy()
        per_summary = (~np.isnan(rated)).sum(axis=2)
        if per_summary.max() > 1:
            if per_summary[per_summary > 0].min() < rated.shape[2]:
                notes.append(MISSING)
            return rated, rated.shape[2]
    notes.append(ONE_RATER)
    return benchmark.judgment(judgment).to_numpy(), 1


def _cautions(
    both: Together | None, pilot: tuple[int, int, int], metric: str | None, confidence_level: float
) -> list[str]:
    """Sentences on limits of the pilot."""
    cautions = []
    if pilot[0] < FEW_SYSTEMS:
        cautions.append(
            f"The pilot has {pilot[0]} systems; fewer than {FEW_SYSTEMS} hardly tell how systems differ."
        )
    if both is None:
        return cautions
    people_vary, metric_varies = (side.variances["system"] for side in (both.people, both.metric))
    if not min(people_vary, metric_varies) > 0:
        raise DataError(
            "the pilot's systems do not differ beyond what its documents and raters explain, in the metric "
            "or for people, so that no correlation can be expected; judge more documents, or more systems"
        )
    if both.by_system**2 > people_vary * metric_varies:
        cautions.append(TOO_HOPEFUL)
    elif not both.lowered(0.5 + confidence_level / 2, pilot) > 0:
        cautions.append(
            f"The pilot leaves open whether {metric} agrees with people at all; the designs allow for that."
        )
    return cautions


class _Goal(NamedTuple):
    """Goal: in words, the value that a design reaches, and a test whether it is enough."""

    text: str
    reach: Callable[..., np.ndarray]
    enough: Callable[..., np.ndarray]


def _power_goal(people: Components, difference: float, power: float, alpha: float) -> _Goal:
    text = f"a power of {power:g} to find a difference of {difference:g} between {{of}} (level {alpha:g})"

    def reach(_, *sizes):
        return difference_power(people, difference, *sizes, alpha=alpha)

    return _Goal(text, reach, lambda *sizes: reach(*sizes) >= power - _ROUNDING)


def _width_goal(
    width: float, people: Components, both: Together | None, reliability: float, share: float,
    pilot: tuple[int, int, int], how: Mapping[str, Any],
) -> _Goal:  # fmt: skip
    """Goal of an interval: of a difference, or with a metric of its correlation with people."""
    level = how["confidence_level"]
    text = f"a {percent(level, None)} interval of {{name}} of {{{{of}}}} no wider than {width:g}"

    def reach(*sizes):
        if both is None:
            return difference_width(people, *sizes[1:], confidence_level=level)
        return both.width_for_share(share, *sizes, pilot=pilot, **how)

    def enough(*sizes):
        is_reliable = both is None or people.reliability(*sizes[1:]) >= reliability - _ROUNDING
        return is_reliable & (reach(*sizes) <= width * (1 + _ROUNDING))

    if both is None:
        return _Goal(text.format(name="the difference"), reach, enough)
    text = text.format(name=COEFFICIENT_LABELS[how["coefficient"]])
    text += f" in about {percent(share, None)} of studies, with a reliability of people's means of at least "
    return _Goal(f"{text}{reliability:g}", reach, enough)


def _designs(goal: _Goal, systems: list[int], max_raters: int, max_documents: int) -> pd.DataFrame:
    """Minimum number of documents for every number of systems and raters, the cheapest design first."""
    both = np.meshgrid(systems, np.arange(1, max_raters + 1), indexing="ij")
    n_systems, n_raters = (axis.ravel() for axis in both)
    n_documents = fewest(
        lambda n: goal.enough(n_systems, n, n_raters), n_systems.shape, minimum=2, maximum=max_documents
    )
    sizes = n_systems, np.maximum(n_documents, 2), n_raters
    table = pd.DataFrame({"n_systems": n_systems, "n_documents": n_documents, "n_raters": n_raters})
    table["n_judgments"] = n_systems * n_documents * n_raters
    table["value"] = goal.reach(*sizes)
    table = table[table["n_documents"] > 0]
    return table.sort_values(["n_judgments", "n_documents"], kind="stable", ignore_index=True)


def _beyond(design: dict, pilot: dict[str, int]) -> str:
    names = [name for name, n in pilot.items() if design[name] > _BEYOND * n]
    return joined([name.removeprefix("n_") for name in names]) if names else ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_files(parser)
    add = parser.add_argument
    add("--width", type=float, help="the largest width of an interval")
    add("--difference", type=float, help="difference of two systems' means that a test should find")
    more = "with --metric, share of studies that reach the width"
    add("--power", type=float, default=0.8, help=f"probability of finding it; {more} (0.8)")
    add("--metric", help="plan the interval of its correlation with people")
    add("--measure", choices=(KAPPA, ACCURACY, AUC, MEAN), help="of labels (kappa) and choices (accuracy)")
    add("--judgment", help="one of people's judgments (the first)")
    add("--coefficient", choices=sorted(COEFFICIENT_LABELS), default="kendall", help="(%(default)s)")
    add("--systems", type=int, help="number of systems")
    documents = {"default": MAX_DOCUMENTS, "help": f"the largest number of documents ({MAX_DOCUMENTS:,})"}
    add("--max-documents", type=int, **documents)
    raters = "the largest number of raters (twice the pilot's)"
    add("--max-raters", type=int, help=raters)
    reliability = "minimum reliability of people's means, with --metric (0.8)"
    add("--reliability", type=float, default=0.8, help=reliability)
    add("--nested", action="store_true", help="documents have different raters")
    add("--confidence-level", type=float, default=0.95, help="of intervals (0.95)")
    add("--alpha", type=float, default=0.05, help="level of the test (0.05)")
    add_output(parser, "sources of variance and the signature")


def main(args: argparse.Namespace) -> int:
    """Print the plan; returns the exit status."""
    options = {name: getattr(args, name) for name in plan.__kwdefaults__}
    print_answer(plan(read_files(args, judges=listed(args.metric)), **options), args)
    return 0
