# ruff: noqa: E402 (a missing package is named before anything needs it)
"""metrics.sera: SERA and GeSERA. Summaries are alike when a search engine finds the same documents."""

from helpers.errors import need_extras

need_extras("snowballstemmer")

from helpers.metrics.sera.index import IndexSettings
from helpers.metrics.sera.scores import Variants, sera_scores
from helpers.metrics.sera.stored import open_or_build

__all__ = ["IndexSettings", "Variants", "open_or_build", "sera_scores"]
