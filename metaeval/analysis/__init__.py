"""Tables of correlations, tests and intervals over a Benchmark, shared by the library and the experiments."""

from metaeval.analysis import margins, systems, tests, topk

__all__ = ["margins", "systems", "tests", "topk"]
