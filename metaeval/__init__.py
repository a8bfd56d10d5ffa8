"""Meta-evaluation of summarization metrics: how far can a metric be trusted to rank systems as people would?

The names that a user needs, each loaded when it is first used (PEP 562): ``import metaeval`` costs nothing.
Their documentation is the page `book/api.md`. The rooms below are for who reads or extends the library.
"""

from importlib import import_module

from metaeval.core.version import __version__

# name -> the module that has it; also read as text, by whoever asks which code a notebook uses
PUBLIC = {
    "Benchmark": "metaeval.tables.benchmark",
    "Comparison": "metaeval.stats.differences",
    "Correlation": "metaeval.stats.correlation",
    "Diagnosis": "metaeval.reporting.doctor",
    "Interval": "metaeval.stats.intervals",
    "Judged": "metaeval.reporting.compare",
    "Plan": "metaeval.reporting.plan",
    "Report": "metaeval.reporting.report",
    "adjusted": "metaeval.stats.differences",
    "bring": "metaeval.own.benchmark",
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
    "pyramid_score": "metaeval.api",
    "report": "metaeval.reporting.report",
    "rouge_scores": "metaeval.api",
    "sera_scores": "metaeval.api",
    "share_wrongly_ranked": "metaeval.stats.intervals",
    "top_k": "metaeval.api",
    "williams": "metaeval.stats.differences",
}
__all__ = [*PUBLIC, "__version__"]


def __getattr__(name: str):
    """A public name, imported now."""
    if name not in PUBLIC:
        raise AttributeError(f"module 'metaeval' has no attribute {name!r}; public: {', '.join(PUBLIC)}")
    found = globals()[name] = getattr(import_module(PUBLIC[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*PUBLIC, "__version__", "__doc__", "__name__", "__path__"})
