"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.figures.benchmarks import score_spread
from helpers.figures.likeness import likeness_curves, likeness_scatter
from helpers.figures.margins import gain_curves, margin_curves, margin_heatmap, score_strips
from helpers.figures.precision import interval_pairs
from helpers.figures.scorecard import verdict_counts
from helpers.figures.stability import score_intervals, stability_curves
from helpers.figures.systems import correlation_dots, score_scatter
from helpers.figures.topk import top_k_curves, top_k_dots

__all__ = [
    "correlation_dots",
    "gain_curves",
    "interval_pairs",
    "likeness_curves",
    "likeness_scatter",
    "margin_curves",
    "margin_heatmap",
    "score_intervals",
    "score_scatter",
    "score_spread",
    "score_strips",
    "stability_curves",
    "top_k_curves",
    "top_k_dots",
    "verdict_counts",
]
