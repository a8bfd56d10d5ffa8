"""What a typed program sees of `metaeval`: checked by mypy in `make check`, never run."""

from typing import assert_type

import pandas as pd
import xarray as xr

import metaeval
from metaeval import Benchmark, Comparison, Correlation, Diagnosis, Interval, JudgeComparison, Plan, Report

people = [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]
benchmark = metaeval.load("realsumm")

assert_type(benchmark, Benchmark)
assert_type(metaeval.as_benchmark({"good": people}, people), Benchmark)
assert_type(metaeval.dataset_names(), list[str])
assert_type(metaeval.correlation(people, people), Correlation)
assert_type(metaeval.correlations(benchmark), pd.DataFrame)
assert_type(metaeval.interval(benchmark, "ROUGE-2 recall", rng=1), Interval)
assert_type(metaeval.compare(people, people, people, rng=1), Comparison)
assert_type(metaeval.pairwise(benchmark, rng=1), pd.DataFrame)
assert_type(metaeval.top_k(benchmark, k=[4, 6]), pd.DataFrame)
assert_type(metaeval.margins(benchmark, upper=1.0, rng=1), pd.DataFrame)
assert_type(metaeval.pyramid_score([1, 0], [2, 1]), float)
assert_type(metaeval.rouge_scores(benchmark), xr.DataArray)
assert_type(metaeval.doctor("scores.csv"), Diagnosis)
assert_type(metaeval.report("scores.csv"), Report)
assert_type(metaeval.compare_judges("scores.csv", ["a", "b"]), JudgeComparison)
assert_type(metaeval.plan("scores.csv", width=0.3), Plan)
assert_type(metaeval.__version__, str)
