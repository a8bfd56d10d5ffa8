"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.figures.benchmarks import score_spread
from helpers.figures.margins import margin_curves
from helpers.figures.resampling import (
    coverage_dots,
    difference_heatmap,
    growth_curves,
    interval_bars,
    power_curves,
    speed_bars,
)
from helpers.figures.scorecard import verdict_counts
from helpers.figures.systems import correlation_dots, score_scatter
from helpers.figures.topk import top_k_curves, top_k_dots

__all__ = [
    "correlation_dots",
    "coverage_dots",
    "difference_heatmap",
    "growth_curves",
    "interval_bars",
    "margin_curves",
    "power_curves",
    "score_scatter",
    "score_spread",
    "speed_bars",
    "top_k_curves",
    "top_k_dots",
    "verdict_counts",
]
