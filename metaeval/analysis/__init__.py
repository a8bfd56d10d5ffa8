"""Tables of correlations, tests and intervals over a Benchmark, shared by the library and the experiments."""

from metaeval.analysis import intervals, margins, systems, tests, tiers, topk

__all__ = ["intervals", "margins", "systems", "tests", "tiers", "topk"]
