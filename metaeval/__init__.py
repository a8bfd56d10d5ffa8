"""Meta-evaluation of summarization metrics: how far can a metric be trusted to rank systems as people would?

The names that a user needs, each loaded when it is first used (PEP 562): ``import metaeval`` costs nothing.
They are documented in `book/api.md`. The packages below are for readers and extenders of the library.
"""

from importlib import import_module

from metaeval.core.version import __version__

# name -> the module that defines it; also read as text, to find out which code a notebook uses
PUBLIC = {
    "Benchmark": "metaeval.tables.benchmark",
    "Comparison": "metaeval.stats.differences",
    "Correlation": "metaeval.stats.correlation",
    "Diagnosis": "metaeval.reporting.doctor",
    "Interval": "metaeval.stats.intervals",
    "JudgeComparison": "metaeval.reporting.compare",
    "Plan": "metaeval.reporting.plan",
    "Report": "metaeval.reporting.report",
    "adjust_pvalues": "metaeval.stats.differences",
    "as_benchmark": "metaeval.own.benchmark",
    "compare": "metaeval.api",
    "compare_judges": "metaeval.reporting.compare",
    "correlation": "metaeval.api",
    "correlations": "metaeval.api",
    "dataset_names": "metaeval.api",
    "doctor": "metaeval.reporting.doctor",
    "interval": "metaeval.api",
    "load": "metaeval.datasets",
    "margins": "metaeval.api",
    "pairwise": "metaeval.api",
    "plan": "metaeval.reporting.plan",
    "pyramid_score": "metaeval.metrics.pyramid.scores",
    "report": "metaeval.reporting.report",
    "rouge_scores": "metaeval.api",
    "sera_scores": "metaeval.api",
    "share_wrongly_ranked": "metaeval.stats.intervals",
    "top_k": "metaeval.api",
    "williams": "metaeval.stats.differences",
}
__all__ = [*PUBLIC, "__version__"]
# old name -> the public name that replaced it
RENAMED = {"Judged": "JudgeComparison", "adjusted": "adjust_pvalues", "bring": "as_benchmark"}


def __getattr__(name: str):
    """A public name, imported now."""
    if name in RENAMED:
        raise AttributeError(f"`{name}` is called `{RENAMED[name]}` now")
    if name not in PUBLIC:
        raise AttributeError(f"module 'metaeval' has no attribute {name!r}; public: {', '.join(PUBLIC)}")
    value = globals()[name] = getattr(import_module(PUBLIC[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*PUBLIC, "__version__", "__doc__", "__name__", "__path__"})
