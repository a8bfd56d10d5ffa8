# The public names with their types; a test holds them to `PUBLIC` in `__init__.py`.
from metaeval.api import compare as compare
from metaeval.api import correlation as correlation
from metaeval.api import correlations as correlations
from metaeval.api import dataset_names as dataset_names
from metaeval.api import interval as interval
from metaeval.api import margins as margins
from metaeval.api import pairwise as pairwise
from metaeval.api import rouge_scores as rouge_scores
from metaeval.api import sera_scores as sera_scores
from metaeval.api import top_k as top_k
from metaeval.core.version import __version__ as __version__
from metaeval.datasets import load as load
from metaeval.metrics.pyramid.scores import pyramid_score as pyramid_score
from metaeval.own.benchmark import as_benchmark as as_benchmark
from metaeval.reporting.compare import JudgeComparison as JudgeComparison
from metaeval.reporting.compare import compare_judges as compare_judges
from metaeval.reporting.doctor import Diagnosis as Diagnosis
from metaeval.reporting.doctor import doctor as doctor
from metaeval.reporting.plan import Plan as Plan
from metaeval.reporting.plan import plan as plan
from metaeval.reporting.report import Report as Report
from metaeval.reporting.report import report as report
from metaeval.stats.correlation import Correlation as Correlation
from metaeval.stats.differences import Comparison as Comparison
from metaeval.stats.differences import adjust_pvalues as adjust_pvalues
from metaeval.stats.differences import williams as williams
from metaeval.stats.intervals import Interval as Interval
from metaeval.stats.intervals import share_wrongly_ranked as share_wrongly_ranked
from metaeval.tables.benchmark import Benchmark as Benchmark

PUBLIC: dict[str, str]
