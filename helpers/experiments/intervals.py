"""experiments.intervals: every metric's correlation with its confidence intervals, as tidy tables.

For the notebooks `intervals`, `leaderboard` and `your_metric`; Deutsch et al. 2021, §3, §6.1 and Fig. 4. All
rows of a benchmark see the same draws, so none depends on which others were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.copies import alike
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import ordered
from helpers.kit.panels import Panels, label
from helpers.kit.theme import correlation_axis, metric_style
from helpers.kit.told import value_told
from helpers.kit.variants import load_reported
from metaeval.analysis.several import of_several
from metaeval.analysis.tabulate import interval_columns, tabulate
from metaeval.stats.intervals import INTERVALS, interval, share_wrongly_ranked
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check
from metaeval.tables.labels import words

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
# what else could have been there, of each method; first those that ask most
_ON_OTHERS = {
    "Boot-Both": "systems and documents",
    "Boot-Systems": "systems",
    "Fisher": "systems",
    "Boot-Inputs": "documents",
}


@of_several
def table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    methods: Sequence[str] = tuple(INTERVALS),
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    rng: RNGLike,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Every metric's correlation with its confidence intervals, one row per metric and method.

    Parameters
    ----------
    benchmark : Benchmark, or several
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_resamples, confidence_level, n_threads : see `metaeval.stats.intervals.interval`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per dataset, level, coefficient, method and metric
        Columns: these, and value, low, high, standard_error, n_used, n_total (systems, documents or
        summaries, by the level), n_resamples (0 for Fisher's), n_undefined, q5 to q95 (of the bootstrap
        distribution; for Fisher the ends of its 90, 80 and 50 % intervals), low_mc_error, high_mc_error (NaN
        for Fisher's), n_systems.

    Raises
    ------
    UnknownNameError
        For a level, coefficient or method that does not exist.
    ValueError
        If `n_resamples` or `confidence_level` is out of range.
    """
    return tabulate(
        [Part({"dataset": benchmark.name}, benchmark)],
        _columns,
        over={"level": levels, "coefficient": coefficients, "method": methods},
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=seed_of(rng),
        n_threads=n_threads,
    )


def _columns(scores: np.ndarray, human: np.ndarray, **settings) -> dict[str, object]:
    found = interval(scores, human, **settings)
    return {
        **interval_columns(found),
        **{f"q{round(100 * q)}": found.quantile(q) for q in QUANTILES},
        "low_mc_error": found.low_mc_error,
        "high_mc_error": found.high_mc_error,
    }


def quantities(intervals: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """What a paper prints of intervals, one row per number: estimate, low, high, width and ranking errors.

    Parameters
    ----------
    intervals : DataFrame of `table`
    n_printed : int
        Resamples behind printed bounds, whose Monte-Carlo error is counted beside ours.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, quantity, value, mc_error
        `quantity` is "estimate", "low", "high", "width", "middle" (between the ends), "middle half %" (of the
        width, what holds the middle half of the bootstrap distribution), or "least wrong %" and "most wrong
        %", the share of pairs of systems ranked against people that Kendall's upper and lower bound stand
        for.
    """
    keys = ["dataset", "level", "coefficient", "method", "metric"]
    inflate = np.sqrt(1 + intervals["n_resamples"] / n_printed)
    low_error, high_error = intervals["low_mc_error"] * inflate, intervals["high_mc_error"] * inflate
    kendall = intervals["coefficient"] == "kendall"
    found = {
        "estimate": (intervals["value"], 0.0),
        "low": (intervals["low"], low_error),
        "high": (intervals["high"], high_error),
        "width": (intervals["high"] - intervals["low"], np.hypot(low_error, high_error)),
        "middle": (intervals[["low", "high"]].mean(axis=1), np.hypot(low_error, high_error) / 2),
        "middle half %": (
            100 * (intervals["q75"] - intervals["q25"]) / (intervals["high"] - intervals["low"]),
            np.nan,
        ),
        "least wrong %": (100 * share_wrongly_ranked(intervals["high"].where(kendall)), 50 * high_error),
        "most wrong %": (100 * share_wrongly_ranked(intervals["low"].where(kendall)), 50 * low_error),
    }
    frames = [
        intervals[keys].assign(quantity=quantity, value=value, mc_error=error)
        for quantity, (value, error) in found.items()
    ]
    return check(pd.concat(frames, ignore_index=True), keys=[*keys, "quantity"])


def answer(intervals: pd.DataFrame, *, metric: str) -> dict[str, str]:
    """The page's answer: how far one correlation could be off, and how many intervals are wide.

    Parameters
    ----------
    intervals : DataFrame of `table`
        At the system level if it is there, by the first of its coefficients and the method that draws most;
        `metric` on the first data set. Metrics that are one count `once`.
    metric : of `intervals`

    Returns
    -------
    dict
        ``intervals-answer-short`` and ``intervals-answer-sure``; every word is chosen from the numbers.
    """
    level = "system" if (intervals["level"] == "system").any() else intervals["level"].iloc[0]
    coefficient = intervals["coefficient"].iloc[0]
    method = next(name for name in _ON_OTHERS if (intervals["method"] == name).any())
    kind = [level, coefficient, method]
    part, distinct = (
        rows[(rows[["level", "coefficient", "method"]] == kind).all(axis=1)]
        for rows in (intervals, once(intervals))
    )
    one = part[part["metric"] == metric].iloc[0]
    size = wording.width(one["low"], one["high"])
    said = (
        f"On {words('data', one['dataset'])}'s {one['n_systems']} systems, {metric} has "
        f"{words('coefficient', coefficient)} = "
        f"{value_told(one)} with people, a {size} interval"
    )
    if coefficient == "kendall":
        least, most = 100 * share_wrongly_ranked(one[["high", "low"]].astype(float))
        said += (
            f": on other {_ON_OTHERS[method]} it could rank {least:.0f} to {most:.0f} % of the pairs "
            "against people"
        )
    widths = distinct["high"] - distinct["low"]
    ends = zip(distinct["low"], distinct["high"], strict=True)
    n_wide = sum(wording.width(*pair) == "wide" for pair in ends)
    how_many = f"All {len(widths)}" if n_wide == len(widths) else f"{n_wide} of {len(widths)}"
    means = "Each is by Fisher's formula" if method == "Fisher" else f"Each draws {_ON_OTHERS[method]} again"
    return {
        "intervals-answer-short": f"{said}.",
        "intervals-answer-sure": (
            f"{how_many} distinct metrics' intervals at {words('level', level)} are at least "
            f"{wording.WIDE:g} wide (median {widths.median():.2f}; scale: −1 to 1). {means} ({method})."
        ),
    }


def once(intervals: pd.DataFrame) -> pd.DataFrame:
    """The intervals without metrics that are an earlier one under another name.

    Parameters
    ----------
    intervals : DataFrame of `table`

    Returns
    -------
    DataFrame, the rows of `intervals` of metrics whose intervals differ somewhere
    """
    found = []
    for dataset, part in intervals.groupby("dataset", sort=False):
        kind = ["level", "coefficient", "method"]
        by_metric = part.pivot(index="metric", columns=kind, values=["value", "low", "high"])
        found += [(dataset, metric) for metric in alike(by_metric.reindex(part["metric"].unique()))]
    kept = intervals[~pd.MultiIndex.from_frame(intervals[["dataset", "metric"]]).isin(found)]
    return check(kept, keys=["dataset", "level", "coefficient", "method", "metric"])


def overlaps(intervals: pd.DataFrame) -> pd.DataFrame:
    """How many pairs of metrics have intervals that overlap.

    Parameters
    ----------
    intervals : DataFrame of `table`

    Returns
    -------
    DataFrame with columns dataset, level ("all" in both for all together), coefficient, method, quantity
    ("overlapping pairs %" of metrics that count `once`, or "overlapping pairs %, each name"), value (percent
    of the pairs), n_pairs
    """
    keys = ["dataset", "level", "coefficient", "method"]
    frames = []
    for quantity, counted in (("", once(intervals)), (", each name", intervals)):
        rows = []
        for key, part in counted.groupby(keys, sort=False):
            low, high = part["low"].to_numpy(), part["high"].to_numpy()
            first, second = np.triu_indices(len(part), 1)
            shared = np.maximum(low[first], low[second]) <= np.minimum(high[first], high[second])
            rows.append((*key, int(shared.sum()), len(first)))
        each = pd.DataFrame(rows, columns=[*keys, "n_agree", "n_pairs"])
        summed = each.assign(dataset="all", level="all").groupby(keys, sort=False).sum().reset_index()
        frames.append(pd.concat([each, summed]).assign(quantity=f"overlapping pairs %{quantity}"))
    found = pd.concat(frames, ignore_index=True)
    found = found.assign(value=100 * found["n_agree"] / found["n_pairs"])
    return check(found[[*keys, "quantity", "value", "n_pairs"]], keys=[*keys, "quantity"])


_NARROWER = {0.9: ("q5", "q95"), 0.8: ("q10", "q90")}  # columns with the ends of narrower intervals
_MIDDLE = ("q25", "q75")


def interval_bars(intervals: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Intervals of all metrics, a panel per level and data set; dropdowns for the method and the confidence.

    Parameters
    ----------
    intervals : DataFrame of `helpers.experiments.intervals.table`
        Of one coefficient, for one or more data sets.
    confidence_level : float
        Of its columns low and high.
    """
    names = list(intervals[["level", "dataset"]].drop_duplicates().itertuples(index=False, name=None))
    names.sort(key=lambda name: name[0] != "system")  # the level that the page's answer speaks of comes first
    first = intervals[(intervals["level"] == names[0][0]) & (intervals["dataset"] == names[0][1])]
    methods, metrics = intervals["method"].unique().tolist(), ordered(first)
    metrics = [*sorted(set(intervals["metric"]) - set(metrics), reverse=True), *metrics]
    parts = {
        key: rows.set_index("metric")
        .filter(regex="value|low$|high$|q[0-9]+|n_used")
        .reindex(metrics)
        .to_dict("list")
        for key, rows in intervals.groupby(["method", "level", "dataset"], sort=False)
    }
    ends = {confidence_level: ("low", "high")}
    ends |= {level: columns for level, columns in _NARROWER.items() if level < confidence_level}
    colours = [metric_style(metric).colour for metric in metrics]
    titles = [f"{words('data', dataset)} ({words('level', level)})" for level, dataset in names]
    titles = [title.replace(" (", "<br>(") for title in titles]  # panels are narrow
    sheet = Panels(names, titles=titles, gap=0.02)
    moving: dict[str, list[dict]] = {method: [] for method in methods}
    for name in names:
        for level, columns in [*ends.items(), (None, _MIDDLE)]:
            for method in methods:
                moving[method].append(_bar(parts[(method, *name)], *columns))
            said = "interval" if level else "middle half"
            trace = {
                "type": "bar",
                "y": metrics,
                "orientation": "h",
                "width": 0.25 if level else 0.6,
                "marker": {"color": colours, "opacity": 0.55},
                "hovertemplate": f"<b>%{{y}}</b><br>{said}: %{{customdata}}<extra></extra>",
                "showlegend": False,
            }
            sheet.add(trace | moving[methods[0]][-1], name, of={"level": level} if level else None)
    sheet.moved(moving, methods[0], range(len(sheet.data)))  # estimates are the same for every method
    used = label("n_used")
    for name in names:
        trace = {
            "x": parts[(methods[0], *name)]["value"],
            "y": metrics,
            "mode": "text",  # in the colour of the page's text, as no marker is
            "text": ["|"] * len(metrics),
            "textfont": {"size": 16},
            "customdata": [None if isnan(n) else int(n) for n in parts[(methods[0], *name)]["n_used"]],
            "hovertemplate": f"<b>%{{y}}</b>: %{{x:.3f}}<br>{used}: %{{customdata}}<extra></extra>",
            "showlegend": False,
        }
        sheet.add(trace, name)
    axis = correlation_axis(intervals["low"]) | {"tickmode": "array", "tickvals": [0, 0.5, 1]}
    sheet.x(title=f"{words('coefficient', intervals['coefficient'].iloc[0])} with people", **axis)
    sheet.y(title="metric", automargin=True).moving_menu("Method")
    sheet.menu("Interval", "level", [f"{100 * level:g} %" for level in ends])
    return sheet.figure(height=190 + 30 * len(metrics), barmode="overlay")


def _bar(part: dict[str, list[float]], low: str, high: str) -> dict[str, list]:
    """Start, width and hover of each metric's bar; no width where a method has no such interval."""
    ends = list(zip(part[low], part[high], strict=True))
    return {
        "base": part[low],
        "x": [0 if isnan(end - start) else end - start for start, end in ends],
        "customdata": [f"{start:.3f} to {end:.3f}" for start, end in ends],
    }


def _compute(*, datasets, coefficient, seed, **settings):
    return table(load_reported(datasets), coefficients=[coefficient], rng=seed, **settings)


LIVE = Live(
    notebook="intervals",
    question="How far may the correlation of a metric be from what was measured?",
    controls=(
        choices.REPORTED_DATASETS,
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        Several("methods", "Intervals", tuple(INTERVALS)),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 9999, least=99),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 999},
    remark="Starts with 999 draws; the notebook takes 9,999.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, settings: interval_bars(table, confidence_level=settings["confidence_level"]),
)
