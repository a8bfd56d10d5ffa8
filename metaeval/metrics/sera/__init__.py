"""metrics.sera: SERA and GeSERA. Summaries are alike when a search engine finds the same documents."""

from metaeval.metrics.sera.index import IndexSettings
from metaeval.metrics.sera.scores import Variants, sera_scores

__all__ = ["IndexSettings", "Variants", "sera_scores"]
