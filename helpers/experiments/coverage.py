"""experiments.coverage: do confidence intervals hold the correlation of new systems on new documents?

Split-half simulation for the notebook `coverage`: systems and documents are split at random into halves; an
interval from one half of each is asked whether it contains the correlation in the other half of each.
Deutsch et al. 2021, §5.1 and Table 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.claims.loading import printed_values
from helpers.kit.explorables import labels_of, table_as_json
from helpers.kit.growing import growing, in_steps
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.theme import GREY, SYMBOLS
from helpers.kit.variants import load_reported
from metaeval.analysis.several import of_several, several
from metaeval.core.errors import DataError
from metaeval.core.mode import PREFIX
from metaeval.simulation.model import Likeness
from metaeval.stats.correlation import MIN_SYSTEMS, correlate
from metaeval.stats.intervals import INTERVALS, fisher_bounds, interval, normal_reach
from metaeval.stats.monte_carlo import share_error
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.wording import joined, leaders, percent

_HOW = {
    "Fisher": "Fisher",
    "Boot-Systems": "systems resampled",
    "Boot-Inputs": "documents resampled",
    "Boot-Both": "both resampled",
}


def exact_share(confidence_level: float) -> float:
    """How often an exact interval for the true value holds another estimate that is as noisy as its middle.

    Parameters
    ----------
    confidence_level : float in (0, 1)

    Returns
    -------
    float
        Of independent, normally distributed estimates.

    Examples
    --------
    >>> round(exact_share(0.95), 3)
    0.834
    """
    return float(2 * stats.norm.cdf(normal_reach(confidence_level) / np.sqrt(2)) - 1)


@growing
def table(
    benchmarks: Benchmark | Sequence[Benchmark],
    *,
    metric: str,
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
    methods: Sequence[str] = tuple(INTERVALS),
    n_systems: int | None = None,
    n_documents: int | None = None,
    n_trials: int = 1_000,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
    n_threads: int | None = None,
    step: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Share of trials in which an interval from one half contains the correlation in the other half.

    Parameters
    ----------
    benchmarks : Benchmark, or several; each with at least six systems
    metric : str
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficient : {"pearson", "spearman", "kendall"}
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_systems, n_documents : int, by default all
        At most this many, drawn anew for each trial and then split into halves.
    n_trials : int, at least 1
        Random splits.
    n_resamples : int, at least 1
        Bootstrap samples behind each interval.
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
    n_threads : int, by default one per processor; does not change the result

    Returns
    -------
    DataFrame with columns dataset, metric, level, coefficient, n_systems, n_documents (those that are split),
    is_whole (whether these are all), method, value (the share), mc_error (binomial), n_trials, n_undefined
        Trials in which the interval or the other half's correlation does not exist are left out and counted.
        Of an odd number of systems or documents the first half has one fewer.

    Raises
    ------
    DataError
        If half of the systems or of the documents is too little.
    UnknownNameError, ValueError
        For a metric, level, coefficient or method that does not exist, and for numbers out of range.
    """
    seed, benchmarks = seed_of(rng), several(benchmarks)
    cases = list(product(levels, methods))
    sizes = [_sizes(benchmark, n_systems, n_documents) for benchmark in benchmarks]
    settings = {
        "coefficient": coefficient, "n_resamples": n_resamples, "confidence_level": confidence_level
    }  # fmt: skip
    trials = [
        _trial(benchmark, metric, cases, *size, seed, settings)
        for benchmark, size in zip(benchmarks, sizes, strict=True)
    ]
    for found in in_steps(trials, n_trials, step=step, n_threads=n_threads):
        frames = []
        for benchmark, (n, m), held in zip(benchmarks, sizes, map(np.array, found), strict=True):
            n_defined = (~np.isnan(held)).sum(axis=0)
            share = np.nansum(held, axis=0) / np.where(n_defined > 0, n_defined, np.nan)
            columns = {
                "dataset": benchmark.name,
                "metric": metric,
                "level": [level for level, _ in cases],
                "coefficient": coefficient,
                "n_systems": n,
                "n_documents": m,
                "is_whole": (n, m) == benchmark.human.shape,
                "method": [method for _, method in cases],
                "value": share,
                "mc_error": share_error(share, n_defined),
                "n_trials": len(held),
                "n_undefined": len(held) - n_defined,
            }
            frames.append(pd.DataFrame(columns))
        keys = ["dataset", "metric", "level", "coefficient", "method"]
        yield check(pd.concat(frames, ignore_index=True), keys=keys)


def _sizes(benchmark: Benchmark, n_systems: int | None, n_documents: int | None) -> tuple[int, int]:
    """How many systems and documents are split."""
    n, m = (
        there if wanted is None else min(wanted, there)
        for wanted, there in zip((n_systems, n_documents), benchmark.human.shape, strict=True)
    )
    if n // 2 < MIN_SYSTEMS or m < 2:
        raise DataError(
            f"{benchmark.name}: half of {n} systems and of {m} documents is too little; "
            f"at least {2 * MIN_SYSTEMS} and 2 are needed"
        )
    return n, m


def _trial(benchmark, metric, cases, n, m, seed, settings) -> Callable[[int], list[float]]:
    """A trial by its number: for each case 1 if the interval contains the other half's value, 0, or NaN."""
    scores, human = benchmark.metric(metric).to_numpy(), benchmark.human.to_numpy()

    def trial(number: int) -> list[float]:
        first, second = _halves(benchmark, n, m, seed, number)
        draws = seed_of(stream(seed, benchmark.name, "resamples", number))
        found = []
        for level, method in cases:
            kind = {"level": level, "coefficient": settings["coefficient"]}
            held_out = float(correlate(scores[second], human[second], **kind)[0])
            bounds = interval(
                scores[first], human[first], level=level, method=method, rng=draws, n_threads=1, **settings
            )
            undefined = np.isnan([held_out, bounds.low, bounds.high]).any()
            found.append(np.nan if undefined else float(bounds.low <= held_out <= bounds.high))
        return found

    return trial


def _halves(benchmark: Benchmark, n: int, m: int, seed: int, number: int) -> tuple[tuple, tuple]:
    """The cells of a trial's two halves of systems and documents."""
    split = stream(seed, benchmark.name, "split", number)
    systems, documents = (
        split.permutation(there)[:kept] for there, kept in zip(benchmark.human.shape, (n, m), strict=True)
    )
    first = np.ix_(systems[: n // 2], documents[: m // 2])
    return first, np.ix_(systems[n // 2 :], documents[m // 2 :])


@of_several
def fisher_widths(
    benchmark: Benchmark,
    *,
    metric: str,
    coefficient: str = "pearson",
    n_trials: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Why does Fisher's interval always hold the other half's correlation at summary level?

    The paper: because the correlation is lower there, and the interval wider. So each interval is also shrunk
    to the width that the system level's correlation of the same half gives, around the same value.

    Parameters
    ----------
    benchmark : Benchmark, or several
    metric, coefficient, n_trials, confidence_level, rng : see `table`; the halves are the same

    Returns
    -------
    DataFrame with columns dataset, metric, reading ("as wide as at summary level" or "as wide as at system
    level"), value (share of the trials whose interval holds the other half's correlation), mc_error, width
    (mean), standard_deviation (of the other half's correlation over trials), n_trials
        Trials without either correlation are left out.
    """
    seed = seed_of(rng)
    n, m = _sizes(benchmark, None, None)
    scores, human = benchmark.metric(metric).to_numpy(), benchmark.human.to_numpy()
    rows = []
    for number in range(n_trials):
        first, second = _halves(benchmark, n, m, seed, number)
        kind = {"coefficient": coefficient}
        own, of_systems = (
            float(correlate(scores[first], human[first], level=level, **kind)[0])
            for level in ("summary", "system")
        )
        held_out = float(correlate(scores[second], human[second], level="summary", **kind)[0])
        ends = np.array([own, of_systems])
        low, high = fisher_bounds(ends, n // 2, coefficient=coefficient, confidence_level=confidence_level)
        for reading, width in zip(("summary", "system"), high - low, strict=True):
            part = width / (high[0] - low[0])  # of the summary level's own interval, around the same value
            inside = part * (low[0] - own) <= held_out - own <= part * (high[0] - own)
            rows.append((f"as wide as at {reading} level", inside, width, held_out))
    trials = pd.DataFrame(rows, columns=["reading", "value", "width", "held_out"]).dropna()
    found = trials.groupby("reading", sort=False).agg(
        value=("value", "mean"),
        width=("width", "mean"),
        standard_deviation=("held_out", "std"),
        n_trials=("value", "size"),
    )
    found = found.reset_index().assign(dataset=benchmark.name, metric=metric)
    found = found.assign(mc_error=share_error(found["value"], found["n_trials"]))
    columns = ["dataset", "metric", "reading", "value", "mc_error", "width", "standard_deviation", "n_trials"]
    return check(found[columns], keys=columns[:3])


def nearest(shares: pd.DataFrame, *, nominal: float, n_trials: int, reading: str) -> pd.DataFrame:
    """z-tests of proportions: is the share nearest to what is promised different from the others?

    Deutsch et al. 2021, Table 1: bold are values that are closest to the promise, less than 1, and
    significantly different in a one-tailed test.

    Parameters
    ----------
    shares : DataFrame with columns dataset, level, method, value
    nominal : float
        What the intervals promise.
    n_trials : int
        Behind each share.
    reading : str
        What the shares are, such as "printed".

    Returns
    -------
    DataFrame with columns dataset, level, method (the nearest), rival, quantity, reading, value (the p-value)
        Shares of 1 take no part.
    """
    rows = []
    for (dataset, level), part in shares[shares["value"] < 1].groupby(["dataset", "level"], sort=False):
        ordered = part.iloc[(part["value"] - nominal).abs().argsort(kind="stable")]
        best, others = ordered.iloc[0], ordered.iloc[1:]
        for other in others.itertuples():
            pooled = (best["value"] + other.value) / 2
            error = np.sqrt(2 * pooled * (1 - pooled) / n_trials)
            p = float(stats.norm.sf(abs(best["value"] - other.value) / error))
            rows.append((dataset, level, best["method"], other.method, "p of the nearest", reading, p))
    columns = ["dataset", "level", "method", "rival", "quantity", "reading", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:-1])


def hardest(tested: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The largest p-value of each column of the paper's table: the share that is hardest to tell apart.

    Parameters
    ----------
    tested : DataFrames of `nearest`

    Returns
    -------
    DataFrame with columns reading, dataset, level, method, rival, pvalue
    """
    keys = ["reading", "dataset", "level"]
    every = pd.concat(tested).rename(columns={"value": "pvalue"}).sort_values("pvalue", kind="stable")
    last = every.drop_duplicates(keys, keep="last").sort_index(kind="stable")
    return check(last[[*keys, "method", "rival", "pvalue"]], keys=keys, values=["pvalue"])


def in_words(coverage: pd.DataFrame, *, confidence_level: float) -> str:
    """Which methods come nearest to what intervals promise, and to exact ones, for each data set and level.

    Parameters
    ----------
    coverage : DataFrame of `table`
    confidence_level : float

    Returns
    -------
    str
    """
    n_trials = coverage["n_trials"].max()
    return (
        f"Nearest to the promised {100 * confidence_level:g} %, as far as {n_trials:,} trials can tell (± "
        f"one standard error): {_each_nearest(coverage, confidence_level)}. Nearest to the "
        f"{percent(exact_share(confidence_level))} that exact intervals would reach: "
        f"{_each_nearest(coverage, exact_share(confidence_level))}."
    )


def _each_nearest(coverage: pd.DataFrame, target: float) -> str:
    """The methods nearest to a share, with their own, for each data set and level."""
    said = []
    for (dataset, level), part in coverage.groupby(["dataset", "level"], sort=False):
        share, error = _by_method(part, part["value"]), _by_method(part, _error(part)[0])
        n, m = part[["n_systems", "n_documents"]].iloc[0]
        shares = [
            f"{name} ({100 * share[name]:.0f} ± {100 * error[name]:.1f} %)" for name in _nearest(part, target)
        ]
        where = f"{words('data', dataset)}, {words('level', level)}"
        said.append(f"{where}, {n} systems and {m} documents: {joined(shares)}")
    return "; ".join(said)


def answer(coverage: pd.DataFrame, *, confidence_level: float) -> dict[str, str]:
    """The page's answer: how often each method's interval contains the other half's correlation.

    Parameters
    ----------
    coverage : DataFrame of `table`
        On the first of its data sets at the first of its levels; the nearest to the promise on all.
    confidence_level : float

    Returns
    -------
    dict
        ``coverage-answer-short`` and ``coverage-answer-sure``, and ``coverage-exact``, how often an exact
        interval would; every word is chosen from the numbers.
    """
    panels = [part for _, part in coverage.groupby(["dataset", "level"], sort=False)]
    first = panels[0]
    row = first.iloc[0]
    shares = [f"{percent(one.value)} ({_HOW[one.method]})" for one in first.itertuples()]
    exact = exact_share(confidence_level)
    return {
        "coverage-exact": percent(exact),
        "coverage-answer-short": (
            f"On {words('data', row['dataset'])} ({words('level', row['level'])}), "
            f"{percent(confidence_level, None)} intervals contain estimates from other systems and documents "
            f"in {joined(shares)} of trials."
        ),
        "coverage-answer-sure": (
            f"Nearest to {percent(confidence_level, None)}, the paper's criterion: "
            f"{_leaders(panels, confidence_level)}; to the {percent(exact)} of exact intervals: "
            f"{_leaders(panels, exact)}."
        ),
    }


def _leaders(panels: Sequence[pd.DataFrame], target: float) -> str:
    """The methods that are nearest to a share most often, or not told apart from the nearest."""
    counts = Counter(name for part in panels for name in _nearest(part, target))
    if not counts:
        return "none, as no interval has a share"
    most = max(counts.values())
    first = [name for name in counts if counts[name] == most]
    of = f" ({'each ' * (len(first) > 1)}{most} of {len(panels)})" if len(panels) > 1 else ""
    return joined([_HOW[name] for name in first]) + of


def _by_method(coverage: pd.DataFrame, values: Iterable[float]) -> dict[str, float]:
    """Values of the rows of one data set and level, by their methods."""
    return dict(zip(coverage["method"], values, strict=True))


def _nearest(coverage: pd.DataFrame, target: float) -> list[str]:
    """The methods whose shares are nearest to one, for one data set and level."""
    share, error = _by_method(coverage, coverage["value"]), _by_method(coverage, _error(coverage)[0])
    return leaders(share, error, target=target)


def with_printed_error(coverage: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """The table with ``mc_error`` of the difference from a printed share, which is itself a simulation.

    Parameters
    ----------
    coverage : DataFrame of `table`
    n_printed : int
        Trials behind the printed share. A share near 0 or 1 is given the error it would have one trial from
        the end.

    Returns
    -------
    DataFrame, the rows of `coverage` with the column mc_error replaced
    """
    own, share = _error(coverage)
    found = coverage.assign(mc_error=np.hypot(own, share_error(share, n_printed)))
    return check(found, keys=["dataset", "metric", "level", "coefficient", "method"])


def _error(coverage: pd.DataFrame) -> tuple[np.ndarray, pd.Series]:
    """Errors of shares, of which those near 0 or 1 are taken as one trial from the end; and these shares."""
    n = coverage["n_trials"] - coverage["n_undefined"]
    share = coverage["value"].clip(1 / n, 1 - 1 / n)
    return share_error(share, n), share


def coverage_dots(coverage: pd.DataFrame, printed: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Share of held-out correlations that each method's intervals contain, one panel per level.

    Parameters
    ----------
    coverage : DataFrame of `helpers.experiments.coverage.table`, of one or more data sets
    printed : DataFrame with columns dataset, level, method, value
        Drawn hollow around the measured shares.
    confidence_level : float
        Drawn as a line.
    """
    methods, datasets = coverage["method"].unique().tolist()[::-1], coverage["dataset"].unique().tolist()
    sheet = marks(
        coverage,
        x="value",
        y="method",
        panel="level",
        series="dataset",
        colour="method",
        order=methods,
        labels={"value": "share contained"},
        hover=["n_trials"],
    )
    shown = printed[printed["level"].isin(sheet.names) & printed["method"].isin(methods)]
    for (level, dataset), rows in shown.groupby(["level", "dataset"], sort=False):
        if dataset not in datasets:
            continue
        called = words("dataset", dataset)
        symbol = f"{SYMBOLS[datasets.index(dataset) % len(SYMBOLS)]}-open"
        trace = {
            "x": rows["value"].tolist(),
            "y": rows["method"].tolist(),
            "mode": "markers",
            "name": "printed",
            "offsetgroup": dataset,
            "orientation": "h",
            "marker": {"symbol": symbol, "size": 15, "color": GREY, "line": {"width": 2}},
            "hovertemplate": f"<b>%{{y}}, {called}</b><br>printed: %{{x:.2f}}<extra></extra>",
        }
        sheet.add(trace, level)
    sheet.x(range=[0.45, 1.03], dtick=0.1).rule(x=confidence_level)
    return sheet.figure(height=210 + 70 * len(methods))


def coverage_explorable(
    likenesses: Sequence[Likeness], truths: pd.DataFrame, *, metric: str
) -> dict[str, object]:
    """The panel that draws benchmarks with a known truth and asks intervals for it.

    Parameters
    ----------
    likenesses : Likenesses
    truths : DataFrame of `helpers.experiments.truth.known`
    metric : str
        Which one stands there first, of the first likeness.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    return {
        "kind": "coverage",
        "alt": "A panel that draws benchmarks from a simulated likeness, for a number of systems and "
        "documents that can be moved, and counts how often intervals hold the correlation that is true.",
        "words": {"coefficient": COEFFICIENT_LABELS, "dataset": labels_of(truths, "dataset")},
        "start": {"dataset": f"{PREFIX}{likenesses[0].name}", "metric": metric},
        "likenesses": [_parameters(likeness) for likeness in likenesses],
        "tables": {"truths": table_as_json(truths, ["dataset", "metric", "coefficient"], ["value"])},
    }


def _parameters(likeness: Likeness) -> dict[str, object]:
    def factors(found):
        return {"loadings": found.loadings.tolist(), "unique": found.unique.tolist()}

    return {
        "name": likeness.name,
        "source": likeness.source,
        "planes": likeness.planes,
        "n_judgments": likeness.n_judgments,
        "marginals": [
            {
                name: value if np.isfinite(value) else None
                for name, value in asdict(marginal).items()
                if name != "kind"
            }
            | {"kind": marginal.kind}
            for marginal in likeness.marginals
        ],
        "types": [
            {
                "n_systems": group.n_systems,
                "offset": group.offset.tolist(),
                "system": factors(group.system),
                "residual": factors(group.residual),
            }
            for group in likeness.types.values()
        ],
        "document": factors(likeness.document),
        "units": [[n, share] for n, share in sorted(likeness.units.items())],
    }


_AT_A_TIME = 10  # trials between two figures


def _metrics(settings: Settings) -> list[str]:
    return choices.shared_metrics(load_reported(settings["datasets"]))


def _systems(settings: Settings) -> int:
    return max(len(benchmark.systems) for benchmark in load_reported(settings["datasets"]))


def _documents(settings: Settings) -> int:
    return max(len(benchmark.documents) for benchmark in load_reported(settings["datasets"]))


def _compute(*, datasets, seed, **settings):
    return table.growing(load_reported(datasets), step=_AT_A_TIME, rng=seed, **settings)


def _draw(table, settings):
    printed = printed_values("deutsch2021statistical", "table1")
    return coverage_dots(table, printed, confidence_level=settings["confidence_level"])


LIVE = Live(
    notebook="coverage",
    question="How often does an interval from one half of the data hold the other's correlation?",
    controls=(
        choices.REPORTED_DATASETS,
        One("metric", "Metric", _metrics),
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        Several("methods", "Methods", tuple(INTERVALS)),
        Whole("n_systems", "Systems, at most", 6, _systems),
        Whole("n_documents", "Documents, at most", 4, _documents),
        choices.CONFIDENCE_LEVEL,
        Whole("n_trials", "Trials", 20, 1000, 20),
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_trials": 60, "n_resamples": 200},
    remark="Starts with 60 trials of 200 draws; the notebook 1,000 of 1,000, for half a minute. With fewer "
    "systems or documents than a data set has, each trial draws some of them.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=_draw,
    says=lambda table, settings: in_words(table, confidence_level=settings["confidence_level"]),
    grows="n_trials",
)
