"""papers: what the papers say, what the last real run found, and how the two compare.

Printed numbers, published gains, recorded timings and the metrics that a paper reports are passed on here;
claims and their verdicts are `helpers.papers.claims`.
"""

from helpers.papers.claims import printed_values
from helpers.papers.survey import published_gains, survey_results
from helpers.papers.timings import bench, bench_description, bench_measures
from helpers.papers.variants import load_reported, reported, reported_metrics

__all__ = [
    "bench",
    "bench_description",
    "bench_measures",
    "load_reported",
    "printed_values",
    "published_gains",
    "reported",
    "reported_metrics",
    "survey_results",
]
