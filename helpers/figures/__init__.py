"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.figures.benchmarks import score_spread
from helpers.figures.margins import margin_curves
from helpers.figures.pyramid import (
    easiness_scatter,
    leaderboard_intervals,
    pairing_spread,
    presence_calibration,
    presence_dots,
    replacement_curves,
    unit_dots,
)
from helpers.figures.scorecard import verdict_counts
from helpers.figures.systems import correlation_dots, score_scatter
from helpers.figures.topk import top_k_curves, top_k_dots

__all__ = [
    "correlation_dots",
    "easiness_scatter",
    "leaderboard_intervals",
    "margin_curves",
    "pairing_spread",
    "presence_calibration",
    "presence_dots",
    "replacement_curves",
    "score_scatter",
    "score_spread",
    "top_k_curves",
    "top_k_dots",
    "unit_dots",
    "verdict_counts",
]
