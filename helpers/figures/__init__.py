"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.figures.benchmarks import score_spread
from helpers.figures.likeness import likeness_curves, likeness_ratios, likeness_scatter
from helpers.figures.margins import margin_curves
from helpers.figures.realsumm import (
    confusion_heatmaps,
    design_ratios,
    f1_dots,
    level_dots,
    williams_heatmap,
    worker_agreement,
)
from helpers.figures.scorecard import verdict_counts
from helpers.figures.systems import correlation_dots, score_scatter
from helpers.figures.topk import top_k_curves, top_k_dots
from helpers.figures.truth import coverage_dots, rejection_curves

__all__ = [
    "confusion_heatmaps",
    "correlation_dots",
    "coverage_dots",
    "design_ratios",
    "f1_dots",
    "level_dots",
    "likeness_curves",
    "likeness_ratios",
    "likeness_scatter",
    "margin_curves",
    "rejection_curves",
    "score_scatter",
    "score_spread",
    "top_k_curves",
    "top_k_dots",
    "verdict_counts",
    "williams_heatmap",
    "worker_agreement",
]
