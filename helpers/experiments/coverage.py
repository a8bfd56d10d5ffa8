"""experiments.coverage: do confidence intervals hold the correlation of new systems on new documents?

Deutsch et al. 2021, §5.1 and Table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from itertools import product
from math import isinf

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.claims.checking import printed_values
from helpers.kit.draws import accumulate_trials, growing
from helpers.kit.explorables import labels_of, table_as_json
from helpers.kit.live import choices
from helpers.kit.live.controls import Settings
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.papers import load_reported
from helpers.kit.theme import GREY, SYMBOLS
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import accepts_many_benchmarks, benchmark_list
from metaeval.core.errors import DataError
from metaeval.core.mode import PREFIX
from metaeval.simulation.model import Likeness
from metaeval.stats.correlation import MIN_SYSTEMS, correlate
from metaeval.stats.intervals import INTERVALS, fisher_bounds, interval, normal_reach
from metaeval.stats.judges import judge_correlation
from metaeval.stats.monte_carlo import share_error
from metaeval.stats.streams import seed_of, stream
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, words

REPORT = "metaeval report"  # the interval of `metaeval.stats.judges`
KEYS = ("dataset", "metric", "level", "coefficient", "method")


def exact_share(confidence_level: float) -> float:
    """Share of exact intervals for a true value that hold an estimate as noisy as their middle."""
    return float(2 * stats.norm.cdf(normal_reach(confidence_level) / np.sqrt(2)) - 1)


@growing
def table(
    benchmarks, *, metric: str, levels=("system", "summary"), coefficient="pearson", methods=tuple(INTERVALS),
    n_systems=None, n_documents=None, n_trials=1_000, n_resamples=1_000, confidence_level=0.95, rng,
    n_threads=None, step=None,
):  # fmt: skip
    """Share of random splits in which an interval from one half holds the other half's correlation."""
    # of more systems or documents than `n_systems` and `n_documents` each trial draws some
    seed, benchmarks = seed_of(rng), benchmark_list(benchmarks)
    cases = list(product(levels, methods))
    sizes = [_sizes(benchmark, n_systems, n_documents) for benchmark in benchmarks]
    settings = {
        "coefficient": coefficient, "n_resamples": n_resamples, "confidence_level": confidence_level
    }  # fmt: skip
    trials = [
        _trial(benchmark, metric, cases, *size, seed, settings)
        for benchmark, size in zip(benchmarks, sizes, strict=True)
    ]
    for outcomes in accumulate_trials(trials, n_trials, step=step, n_threads=n_threads):
        yield _shares(benchmarks, metric, cases, sizes, outcomes, coefficient)


def _sizes(benchmark: Benchmark, n_systems: int | None, n_documents: int | None) -> tuple[int, int]:
    """Numbers of systems and documents that are split."""
    n, m = (
        available if requested is None else min(requested, available)
        for requested, available in zip((n_systems, n_documents), benchmark.human.shape, strict=True)
    )
    if n // 2 < MIN_SYSTEMS or m < 2:
        raise DataError(
            f"{benchmark.name}: half of {n} systems and of {m} documents is too little; "
            f"at least {2 * MIN_SYSTEMS} and 2 are needed"
        )
    return n, m


def _trial(benchmark, metric, cases, n, m, seed, settings) -> Callable[[int], list[float]]:
    """A trial by its number: for each case 1 if the interval holds the other half's value, 0, or NaN."""
    scores, human = benchmark.metric(metric).to_numpy(), benchmark.human.to_numpy()
    n_resamples = {"n_resamples": settings["n_resamples"]}

    def trial(number: int) -> list[float]:
        first, second = _halves(benchmark, n, m, seed, number)
        draws = seed_of(stream(seed, benchmark.name, "resamples", number))
        held = []
        for level, method in cases:
            kind = {"level": level, "coefficient": settings["coefficient"]}
            held_out = float(correlate(scores[second], human[second], **kind)[0])
            sides = scores[first], human[first]
            if method == REPORT:
                bounds = judge_correlation(sides[0][None], sides[1], rng=draws, **kind, **n_resamples)
                bounds = bounds.ends(settings["confidence_level"])
            else:
                bounds = interval(*sides, level=level, method=method, rng=draws, n_threads=1, **settings)
            low, high = float(np.squeeze(bounds.low)), float(np.squeeze(bounds.high))
            held.append(np.nan if np.isnan([held_out, low, high]).any() else float(low <= held_out <= high))
        return held

    return trial


def _halves(benchmark: Benchmark, n: int, m: int, seed: int, number: int) -> tuple[tuple, tuple]:
    """The cells of a trial's two halves; of an odd number the first has one fewer."""
    split = stream(seed, benchmark.name, "split", number)
    systems, documents = (
        split.permutation(n_available)[:size]
        for n_available, size in zip(benchmark.human.shape, (n, m), strict=True)
    )
    first = np.ix_(systems[: n // 2], documents[: m // 2])
    return first, np.ix_(systems[n // 2 :], documents[m // 2 :])


@tidy(*KEYS)
def _shares(benchmarks, metric, cases, sizes, outcomes, coefficient):
    levels, methods = zip(*cases, strict=True)
    for benchmark, (n, m), held in zip(benchmarks, sizes, map(np.array, outcomes), strict=True):
        n_defined = (~np.isnan(held)).sum(axis=0)
        share = np.nansum(held, axis=0) / np.where(n_defined > 0, n_defined, np.nan)
        yield {
            "dataset": benchmark.name, "metric": metric, "level": levels, "coefficient": coefficient,
            "n_systems": n, "n_documents": m, "is_whole": (n, m) == benchmark.human.shape, "method": methods,
            "value": share, "mc_error": share_error(share, n_defined), "n_trials": len(held),
            "n_undefined": len(held) - n_defined,
        }  # fmt: skip


@accepts_many_benchmarks
@tidy("dataset", "metric", "reading")
def fisher_widths(
    benchmark, *, metric: str, coefficient="pearson", n_trials=1_000, confidence_level=0.95, rng
):  # fmt: skip
    """Share held by Fisher's summary-level intervals as they are, and as wide as at system level."""
    # The paper: the share is high because the correlation is lower there, and the interval wider. So each
    # interval is also shrunk to the system level's width, around the same value. Halves as in `table`.
    n, m = _sizes(benchmark, None, None)
    scores, human = benchmark.metric(metric).to_numpy(), benchmark.human.to_numpy()
    rows = []
    for number in range(n_trials):
        first, second = _halves(benchmark, n, m, rng, number)
        own, own_means, held_out = (
            float(correlate(scores[half], human[half], level=level, coefficient=coefficient)[0])
            for half, level in ((first, "summary"), (first, "system"), (second, "summary"))
        )
        low, high = fisher_bounds(
            np.array([own, own_means]), n // 2, coefficient=coefficient, confidence_level=confidence_level
        )
        for level, width in zip(("summary", "system"), high - low, strict=True):
            part = width / (high[0] - low[0])
            inside = part * (low[0] - own) <= held_out - own <= part * (high[0] - own)
            rows.append((f"as wide as at {level} level", inside, width, held_out))
    trials = pd.DataFrame(rows, columns=["reading", "value", "width", "held_out"]).dropna()
    for reading, part in trials.groupby("reading", sort=False):
        share, n_kept = part["value"].mean(), len(part)
        yield {
            "dataset": benchmark.name, "metric": metric, "reading": reading, "value": share,
            "mc_error": share_error(share, n_kept), "width": part["width"].mean(),
            "standard_deviation": part["held_out"].std(), "n_trials": n_kept,
        }  # fmt: skip


def nearest(shares: pd.DataFrame, *, nominal: float, n_trials: int, reading: str) -> pd.DataFrame:
    """One-tailed z-tests of the share below 1 that is nearest to the promise against the others (Table 1)."""
    rows = []
    for keys, part in shares[shares["value"] < 1].groupby(["dataset", "level"], sort=False):
        ordered = part.iloc[(part["value"] - nominal).abs().argsort(kind="stable")]
        best, others = ordered.iloc[0], ordered.iloc[1:]
        for rival in others.itertuples():
            pooled = (best["value"] + rival.value) / 2
            error = np.sqrt(2 * pooled * (1 - pooled) / n_trials)
            p = float(stats.norm.sf(abs(best["value"] - rival.value) / error))
            rows.append((*keys, best["method"], rival.method, "p of the nearest", reading, p))
    columns = ["dataset", "level", "method", "rival", "quantity", "reading", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:-1])


def hardest(tests: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rival that is hardest to tell from the nearest, in each column of the paper's table."""
    keys = ["reading", "dataset", "level"]
    every = pd.concat(tests).rename(columns={"value": "pvalue"}).sort_values("pvalue", kind="stable")
    last = every.drop_duplicates(keys, keep="last").sort_index(kind="stable")
    return check(last[[*keys, "method", "rival", "pvalue"]], keys=keys, values=["pvalue"])


def with_printed_error(coverage: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """The table with ``mc_error`` of the difference from a share printed from so many trials."""
    own, share = _error(coverage)
    return check(coverage.assign(mc_error=np.hypot(own, share_error(share, n_printed))), keys=KEYS)


def _error(coverage: pd.DataFrame) -> tuple[np.ndarray, pd.Series]:
    """Errors of shares, of which those near 0 or 1 are taken as one trial from the end; and these shares."""
    n = coverage["n_trials"] - coverage["n_undefined"]
    share = coverage["value"].clip(1 / n, 1 - 1 / n)
    return share_error(share, n), share


def coverage_dots(coverage: pd.DataFrame, printed: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Share of held-out correlations that each method's intervals hold, printed ones hollow around them."""
    methods, datasets = coverage["method"].unique().tolist()[::-1], coverage["dataset"].unique().tolist()
    sheet = marks(
        coverage, x="value", y="method", panel="level", series="dataset", colour="method", order=methods,
        labels={"value": "share contained"}, hover=["n_trials"],
    )  # fmt: skip
    is_drawn = printed["level"].isin(sheet.names) & printed["method"].isin(methods)
    is_drawn &= printed["dataset"].isin(datasets)
    for (level, dataset), rows in printed[is_drawn].groupby(["level", "dataset"], sort=False):
        symbol = f"{SYMBOLS[datasets.index(dataset) % len(SYMBOLS)]}-open"
        name = words("dataset", dataset)
        trace = {
            "x": rows["value"].tolist(), "y": rows["method"].tolist(), "mode": "markers", "name": "printed",
            "offsetgroup": dataset, "orientation": "h",
            "marker": {"symbol": symbol, "size": 15, "color": GREY, "line": {"width": 2}},
            "hovertemplate": f"<b>%{{y}}, {name}</b><br>printed: %{{x:.2f}}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, level)
    sheet.x(range=[0.45, 1.03], dtick=0.1).rule(x=exact_share(confidence_level))
    sheet.rule(x=confidence_level, text="as promised")
    return sheet.figure(height=210 + 70 * len(methods))


def coverage_explorable(likenesses: Sequence[Likeness], truths: pd.DataFrame, *, metric: str) -> dict:
    """The panel that draws benchmarks with a known truth (`truth.true_correlations`) and intervals for it."""
    return {
        "kind": "coverage",
        "alt": "A panel that draws benchmarks from a simulated likeness, for a number of systems and "
        "documents that can be moved, and counts how often intervals contain the true correlation.",
        "words": {"coefficient": COEFFICIENT_LABELS, "dataset": labels_of(truths, "dataset")},
        "start": {"dataset": f"{PREFIX}{likenesses[0].name}", "metric": metric},
        "likenesses": [_parameters(likeness) for likeness in likenesses],
        "tables": {"truths": table_as_json(truths, ["dataset", "metric", "coefficient"], ["value"])},
    }


def _parameters(likeness: Likeness) -> dict[str, object]:
    plain = ("name", "source", "planes", "n_judgments", "marginals", "document")
    return {name: _plain(getattr(likeness, name)) for name in plain} | {
        "types": [_plain(kind) for kind in likeness.types.values()],
        "units": [[n, share] for n, share in sorted(likeness.units.items())],
    }


def _plain(value: object) -> object:
    """A part of a likeness as JSON holds it; an end of a scale that has none is None."""
    if is_dataclass(value):
        return {name: _plain(part) for name, part in vars(value).items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return None if isinstance(value, float) and isinf(value) else value


def _largest(part: str) -> Callable[[Settings], int]:
    """The number of systems or documents of the largest of the chosen data sets."""
    return lambda settings: max(len(getattr(one, part)) for one in load_reported(settings["datasets"]))


LIVE = live(
    "coverage",
    lambda *, datasets, seed, **settings: table.growing(
        load_reported(datasets), step=10, rng=seed, **settings
    ),
    lambda table, confidence_level: coverage_dots(
        table, printed_values("deutsch2021statistical", "table1"), confidence_level=confidence_level
    ),
    "datasets metric levels coefficient methods n_systems n_documents confidence_level n_trials n_resamples",
    question="How often does an interval from one half of the data hold the other's correlation?",
    offer={
        "metric": lambda settings: choices.shared_metrics(load_reported(settings["datasets"])),
        "n_systems": (6, _largest("systems")),
        "n_documents": (4, _largest("documents")),
    },
    initial={"n_trials": 60, "n_resamples": 200},
    progressive="n_trials",
    note="With fewer systems or documents than a data set has, each trial draws some of them.",
)
