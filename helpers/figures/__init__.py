"""Results in, Plotly figures out; nothing is computed here but the places of things on the page."""

from helpers.figures.benchmarks import score_spread
from helpers.figures.margins import margin_curves
from helpers.figures.scorecard import verdict_counts
from helpers.figures.sera import (
    annotator_dots,
    index_size_curves,
    index_size_dots,
    interval_dots,
    speech_bars,
)
from helpers.figures.systems import correlation_dots, score_scatter
from helpers.figures.topk import top_k_curves, top_k_dots

__all__ = [
    "annotator_dots",
    "correlation_dots",
    "index_size_curves",
    "index_size_dots",
    "interval_dots",
    "margin_curves",
    "score_scatter",
    "score_spread",
    "speech_bars",
    "top_k_curves",
    "top_k_dots",
    "verdict_counts",
]
