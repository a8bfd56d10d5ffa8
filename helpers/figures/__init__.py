"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.figures.benchmarks import score_spread
from helpers.figures.margins import gain_curves, margin_curves, margin_heatmap, score_strips
from helpers.figures.scorecard import verdict_counts
from helpers.figures.systems import correlation_dots, score_scatter
from helpers.figures.topk import top_k_curves, top_k_dots

__all__ = [
    "correlation_dots",
    "gain_curves",
    "margin_curves",
    "margin_heatmap",
    "score_scatter",
    "score_spread",
    "score_strips",
    "top_k_curves",
    "top_k_dots",
    "verdict_counts",
]
