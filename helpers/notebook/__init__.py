# ruff: noqa: E402 (a missing package is named before anything needs it)
"""notebook: what a cell of a notebook shows. Notebooks and live blocks import from here."""

from helpers.errors import need_extras

need_extras("plotly", "IPython")


from helpers.labels import words
from helpers.notebook.display import (
    as_simulated,
    glue_html,
    glue_text,
    glue_texts,
    record_results,
    rests_on_simulation,
    show_explorable,
    show_figure,
    show_html,
    show_table,
    show_words,
    wide,
)
from helpers.notebook.tables import table_html
from helpers.notebook.verdict_tables import (
    count_verdicts,
    show_scorecard,
    show_verdicts,
    verdict_bars,
    verdict_table,
    verdicts,
)
from helpers.wording import extent

__all__ = [
    "as_simulated",
    "count_verdicts",
    "extent",
    "glue_html",
    "glue_text",
    "glue_texts",
    "record_results",
    "rests_on_simulation",
    "show_explorable",
    "show_figure",
    "show_html",
    "show_scorecard",
    "show_table",
    "show_verdicts",
    "show_words",
    "table_html",
    "verdict_bars",
    "verdict_table",
    "verdicts",
    "wide",
    "words",
]
