"""blocks.margins: a window of metric differences, moved by its ends, marked among all windows.

Computes by `metaeval.analysis.margins.window` and `metaeval.analysis.margins.grid`, as the notebook does.
Deutsch et al. 2022, §4.2.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

import pandas as pd

from helpers import figures
from helpers.experiments import margins
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Settings, Single, Whole
from helpers.kit.live.experiment import Experiment
from metaeval import analysis
from metaeval.core.mode import mode
from metaeval.datasets import load
from metaeval.tables.benchmark import Benchmark

_WINDOW = ("unit", "lower", "upper", "n_windows")
_CHOSEN, _ALL = "chosen", "all"  # in the column `windows`


def _benchmark(settings: Settings) -> Benchmark:
    return load(settings["datasets"][0]).select(metrics=settings["metrics"])


def _windows(*, datasets, metrics, lower, upper, unit, seed, **settings) -> pd.DataFrame:
    """The chosen window, and below it all windows of the heatmap."""
    benchmark = _benchmark({"datasets": datasets, "metrics": metrics})
    chosen = analysis.margins.window(benchmark, lower=lower, upper=upper, unit=unit, **settings, rng=seed)
    grid = _grid(datasets[0], metrics[0], mode(), rng=seed, **settings)
    return pd.concat([chosen.assign(windows=_CHOSEN), grid.assign(windows=_ALL)], ignore_index=True)


@lru_cache(maxsize=32)
def _grid(dataset: str, metric: str, mode: str, **settings) -> pd.DataFrame:
    """All windows of the heatmap, which stay as they are while the ends of the chosen one move."""
    return analysis.margins.grid(_benchmark({"datasets": [dataset], "metrics": [metric]}), **settings)


def _draw(table: pd.DataFrame, _: Settings):
    return figures.margin_window(*(table[table["windows"] == which] for which in (_CHOSEN, _ALL)))


def _says(table: pd.DataFrame, _: Settings) -> str:
    return margins.window_in_words(table[table["windows"] == _CHOSEN])


def _moved(before: Settings, now: Settings) -> Settings:
    """The same window where only the unit of its ends changes, up to a step of the sliders."""
    if before["unit"] == now["unit"]:
        return now
    window = {name: before[name] for name in _WINDOW}
    chosen = analysis.margins.window(_benchmark(now), **window, n_resamples=0)
    ends = ("from_percent", "to_percent") if now["unit"] == "percent" else ("lower", "upper")
    step = _step(now)
    lower, upper = (step * round(chosen[end].item() / step) for end in ends)
    return {**now, "lower": lower, "upper": upper}


def _step(settings: Settings) -> float:
    """A whole percent; in points a hundredth of the largest difference or less, with one digit."""
    if settings["unit"] == "percent":
        return 1.0
    return 10.0 ** math.floor(math.log10(_largest(settings) / 50))


def _most(settings: Settings) -> float:
    """All pairs: 100 percent, or the largest difference rounded up to a step."""
    if settings["unit"] == "percent":
        return 100.0
    return _step(settings) * math.ceil(_largest(settings) / _step(settings))


def _largest(settings: Settings) -> float:
    return _largest_of(settings["datasets"][0], settings["metrics"][0], mode())


@cache
def _largest_of(dataset: str, metric: str, mode: str) -> float:
    """The largest difference between two systems; asked for by every move of a slider in points."""
    benchmark = _benchmark({"datasets": [dataset], "metrics": [metric]})
    return analysis.margins.window(benchmark, lower=0, upper=100, n_windows=1, n_resamples=0)["upper"].item()


EXPERIMENT = Experiment(
    notebook="margins",
    question="How well does a metric agree with people on systems that it finds this far apart?",
    controls=(
        Single("datasets", "Data set", choices.judged),
        Single("metrics", "Metric", choices.metrics_of_all),
        One("unit", "Ends in", analysis.margins.UNITS),
        Real("lower", "Lower end, ℓ", 0.0, lambda above: _most(above) - _step(above), _step, ".4g"),
        Real("upper", "Upper end, u", lambda above: above["lower"] + _step(above), _most, _step, ".4g"),
        choices.COEFFICIENT,
        Whole("n_windows", "Windows", 2, 20),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 200},
    remark="Starts with 200 draws; the notebook takes 1,000.",
    compute=_windows,
    draw=_draw,
    says=_says,
    moved=_moved,
    shown=(
        *("from_percent", "to_percent", "lower", "upper", "n_pairs", "n_concordant", "n_discordant"),
        *("value", "low", "high", "agreement", "remark"),
    ),
)
