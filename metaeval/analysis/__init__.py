"""What library and experiments share: tables of correlations, tests and intervals over a Benchmark."""

from metaeval.analysis import intervals, margins, systems, tests, tiers, topk

__all__ = ["intervals", "margins", "systems", "tests", "tiers", "topk"]
