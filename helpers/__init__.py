"""Meta-evaluation of summarization metrics: how far can a metric be trusted to rank systems as people would?

The names that a user needs, each loaded when it is first used (PEP 562): ``import helpers`` costs nothing.
Their documentation is the page `book/api.md`. The rooms below are for who reads or extends the book.
"""

from importlib import import_module

# name -> the module that has it; also read as text, by whoever asks which code a notebook uses
PUBLIC = {
    "Benchmark": "helpers.benchmark",
    "Comparison": "helpers.stats.differences",
    "Correlation": "helpers.stats.correlation",
    "Diagnosis": "helpers.reporting.doctor",
    "Interval": "helpers.stats.intervals",
    "Judged": "helpers.reporting.compare",
    "Plan": "helpers.reporting.plan",
    "Report": "helpers.reporting.report",
    "adjusted": "helpers.stats.differences",
    "bring": "helpers.sources.own_data",
    "compare": "helpers.api",
    "compare_judges": "helpers.reporting.compare",
    "correlation": "helpers.api",
    "correlations": "helpers.api",
    "dataset_names": "helpers.api",
    "doctor": "helpers.reporting.doctor",
    "interval": "helpers.api",
    "load": "helpers.datasets",
    "margins": "helpers.api",
    "pairwise": "helpers.api",
    "plan": "helpers.reporting.plan",
    "pyramid_score": "helpers.api",
    "report": "helpers.reporting.report",
    "rouge_scores": "helpers.api",
    "sera_scores": "helpers.api",
    "share_wrongly_ranked": "helpers.stats.intervals",
    "top_k": "helpers.api",
    "williams": "helpers.stats.differences",
}
__all__ = list(PUBLIC)


def __getattr__(name: str):
    """A public name, imported now."""
    if name not in PUBLIC:
        raise AttributeError(f"module 'helpers' has no attribute {name!r}; public: {', '.join(PUBLIC)}")
    found = globals()[name] = getattr(import_module(PUBLIC[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*PUBLIC, "__doc__", "__name__", "__path__"})
