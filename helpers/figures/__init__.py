"""figures: results in, Plotly figures out; a module per notebook, found by the name of the function.

Nothing is computed here but the places of things on the page. A module is imported when a function of it is
asked for first, so that Plotly is loaded by those who draw; the build reads from the list which modules a
notebook uses.
"""

from __future__ import annotations

from importlib import import_module

_MODULES = {
    "removal_dots": "helpers.figures.annotations",
    "worker_agreement": "helpers.figures.annotations",
    "annotator_changes": "helpers.figures.annotators",
    "annotator_dots": "helpers.figures.annotators",
    "score_spread": "helpers.figures.benchmarks",
    "change_dots": "helpers.figures.findings",
    "favour_heatmap": "helpers.figures.bias",
    "length_dots": "helpers.figures.bias",
    "position_scatter": "helpers.figures.bias",
    "sentinel_dots": "helpers.figures.bias",
    "use_bars": "helpers.figures.bias",
    "coverage_dots": "helpers.figures.coverage",
    "coverage_explorable": "helpers.figures.explorables",
    "index_size_explorable": "helpers.figures.explorables",
    "margins_explorable": "helpers.figures.explorables",
    "topk_explorable": "helpers.figures.explorables",
    "index_size_curves": "helpers.figures.index_size",
    "index_size_dots": "helpers.figures.index_size",
    "interval_bars": "helpers.figures.intervals",
    "component_bars": "helpers.figures.labels_needed",
    "estimate_dots": "helpers.figures.labels_needed",
    "labelling_dots": "helpers.figures.labels_needed",
    "outlook_dots": "helpers.figures.labels_needed",
    "reliability_contours": "helpers.figures.labels_needed",
    "saving_dots": "helpers.figures.labels_needed",
    "leaderboard_intervals": "helpers.figures.leaderboard",
    "pairing_spread": "helpers.figures.leaderboard",
    "likeness_curves": "helpers.figures.likeness",
    "likeness_ratios": "helpers.figures.likeness",
    "likeness_scatter": "helpers.figures.likeness",
    "presence_calibration": "helpers.figures.lite2",
    "presence_dots": "helpers.figures.lite2",
    "advantage_dots": "helpers.figures.judges",
    "agreement_differences": "helpers.figures.agreement",
    "agreement_dots": "helpers.figures.agreement",
    "alpha_strips": "helpers.figures.agreement",
    "strata_curves": "helpers.figures.agreement",
    "judge_differences": "helpers.figures.judges",
    "judge_dots": "helpers.figures.judges",
    "passing_scatter": "helpers.figures.judges",
    "calibration_dots": "helpers.figures.judge_ties",
    "flattery_lines": "helpers.figures.judge_ties",
    "place_lines": "helpers.figures.judge_ties",
    "easiness_scatter": "helpers.figures.lite2x",
    "replacement_curves": "helpers.figures.lite2x",
    "unit_dots": "helpers.figures.lite3",
    "gain_curves": "helpers.figures.margins",
    "normality_dots": "helpers.figures.normality",
    "margin_curves": "helpers.figures.margins",
    "margin_heatmap": "helpers.figures.margins",
    "margin_window": "helpers.figures.margins",
    "score_strips": "helpers.figures.margins",
    "accuracy_curves": "helpers.figures.measures",
    "half_dots": "helpers.figures.measures",
    "place_heatmap": "helpers.figures.measures",
    "rank_intervals": "helpers.figures.measures",
    "judgment_dots": "helpers.figures.old_metrics",
    "order_dots": "helpers.figures.old_metrics",
    "system_dots": "helpers.figures.old_metrics",
    "confusion_heatmaps": "helpers.figures.pairs",
    "f1_dots": "helpers.figures.pairs",
    "power_curves": "helpers.figures.power",
    "protocol_dots": "helpers.figures.protocols",
    "protocol_ranks": "helpers.figures.protocols",
    "retest_dots": "helpers.figures.protocols",
    "moved_dots": "helpers.figures.rescored",
    "program_dots": "helpers.figures.rescored",
    "reach_curves": "helpers.figures.rescored",
    "rebuilt_heatmap": "helpers.figures.published_windows",
    "error_dots": "helpers.figures.one_system",
    "pass_curves": "helpers.figures.one_system",
    "rate_scatter": "helpers.figures.one_system",
    "worth_curve": "helpers.figures.one_system",
    "design_ratios": "helpers.figures.sampling",
    "verdict_counts": "helpers.figures.scorecard",
    "interval_dots": "helpers.figures.sera",
    "speech_bars": "helpers.figures.sera",
    "growth_curves": "helpers.figures.speed",
    "speed_dots": "helpers.figures.speed",
    "level_dots": "helpers.figures.summaries",
    "correlation_dots": "helpers.figures.systems",
    "difference_dots": "helpers.figures.systems",
    "score_scatter": "helpers.figures.systems",
    "williams_heatmap": "helpers.figures.systems",
    "small_pictures": "helpers.figures.thumbnails",
    "candidate_scatter": "helpers.figures.tiers",
    "judge_ranks": "helpers.figures.tiers",
    "system_ranks": "helpers.figures.tiers",
    "interval_pairs": "helpers.figures.test_set",
    "difference_heatmap": "helpers.figures.tests",
    "top_k_curves": "helpers.figures.topk",
    "top_k_dots": "helpers.figures.topk",
    "rejection_curves": "helpers.figures.truth",
    "true_coverage_dots": "helpers.figures.truth",
    "score_intervals": "helpers.figures.variance",
    "stability_curves": "helpers.figures.variance",
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    """The function of this name, from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
