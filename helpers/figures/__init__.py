# ruff: noqa: E402 (a missing package is named before anything needs it)
"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.errors import need_extras

need_extras("plotly")


from helpers.figures.annotations import removal_dots, worker_agreement
from helpers.figures.annotators import annotator_dots
from helpers.figures.benchmarks import score_spread
from helpers.figures.coverage import coverage_dots
from helpers.figures.index_size import index_size_curves, index_size_dots
from helpers.figures.intervals import interval_bars
from helpers.figures.leaderboard import leaderboard_intervals, pairing_spread
from helpers.figures.likeness import likeness_curves, likeness_ratios, likeness_scatter
from helpers.figures.lite2 import presence_calibration, presence_dots
from helpers.figures.lite2x import easiness_scatter, replacement_curves
from helpers.figures.lite3 import unit_dots
from helpers.figures.margins import gain_curves, margin_curves, margin_heatmap, score_strips
from helpers.figures.pairs import confusion_heatmaps, f1_dots
from helpers.figures.power import power_curves
from helpers.figures.sampling import design_ratios
from helpers.figures.scorecard import verdict_counts
from helpers.figures.sera import interval_dots, speech_bars
from helpers.figures.speed import growth_curves, speed_bars
from helpers.figures.summaries import level_dots
from helpers.figures.systems import correlation_dots, score_scatter, williams_heatmap
from helpers.figures.test_set import interval_pairs
from helpers.figures.tests import difference_heatmap
from helpers.figures.topk import top_k_curves, top_k_dots
from helpers.figures.truth import rejection_curves, true_coverage_dots
from helpers.figures.variance import score_intervals, stability_curves

__all__ = [
    "annotator_dots",
    "confusion_heatmaps",
    "correlation_dots",
    "coverage_dots",
    "design_ratios",
    "difference_heatmap",
    "easiness_scatter",
    "f1_dots",
    "gain_curves",
    "growth_curves",
    "index_size_curves",
    "index_size_dots",
    "interval_bars",
    "interval_dots",
    "interval_pairs",
    "leaderboard_intervals",
    "level_dots",
    "likeness_curves",
    "likeness_ratios",
    "likeness_scatter",
    "margin_curves",
    "margin_heatmap",
    "pairing_spread",
    "power_curves",
    "presence_calibration",
    "presence_dots",
    "rejection_curves",
    "removal_dots",
    "replacement_curves",
    "score_intervals",
    "score_scatter",
    "score_spread",
    "score_strips",
    "speech_bars",
    "speed_bars",
    "stability_curves",
    "top_k_curves",
    "top_k_dots",
    "true_coverage_dots",
    "unit_dots",
    "verdict_counts",
    "williams_heatmap",
    "worker_agreement",
]
