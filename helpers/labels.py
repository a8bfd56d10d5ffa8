"""labels: the words of the book for what tables write short: coefficients, levels, groups of systems.

Only words, so that every room may use them: figures, menus, live blocks, statements, reports.
"""

from __future__ import annotations

import re

from helpers.mode import PREFIX

COEFFICIENT_LABELS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}
# what the pages on ties ask for besides
_WITH_TIES = {"tau_a": "τ-a", "tau_b": "τ-b", "tau_c": "τ-c", "accuracy": "accuracy with ties"}
AGREEMENT_LABELS = {
    "percent": "percent agreement",
    "cohen": "Cohen's κ",
    "fleiss": "Fleiss' κ",
    "krippendorff": "Krippendorff's α",
    "gwet": "Gwet's AC",
    "icc": "ICC(2,1)",
}
GRADE_LABELS = {
    "nominal": "equal or not",
    "linear": "linear weights",
    "quadratic": "quadratic weights",
    "ordinal": "ordinal distances",
}
# as a sentence names a data set
DATA_LABELS = {
    "summeval": "SummEval",
    "realsumm": "REALSumm",
    "summeval-judges": "SummEval (judges of 2024)",
    "llm-summeval": "SummEval (judges of 2023)",
    "faithbench": "FaithBench",
    "bhandari2020": "REALSumm",
    "realsumm-released": "REALSumm as released",
    "re-examining-summeval": "SummEval",
    "re-examining-realsumm": "REALSumm",
    "re-examining-summeval-full": "SummEval's whole test set",
    "re-examining-realsumm-full": "REALSumm's whole test set",
    "bartscore-summeval": "SummEval",
    "lite-realsumm": "REALSumm",
    "lite-pyrxsum": "PyrXSum",
    "bartscore-realsumm": "REALSumm",
    "llm-summeval-pairs": "SummEval (pairs, judges of 2023)",
    "realsumm-earlier": "REALSumm (earlier release)",
    "llmbar": "LLMBar",
    "mt-bench": "MT-Bench",
    "rose": "RoSE",
    "rose-llm": "RoSE (LLMs)",
    "tac2008": "TAC 2008",
    "tac2009": "TAC 2009",
}
# as tables and menus do where it differs: there several releases of one benchmark stand beside each other
DATASET_LABELS = DATA_LABELS | {
    "bhandari2020": "REALSumm (Statistical Analysis)",
    "realsumm-released": "REALSumm (as released)",
    "re-examining-summeval": "SummEval (Re-Examining)",
    "re-examining-realsumm": "REALSumm (Re-Examining)",
    "re-examining-summeval-full": "SummEval (Re-Examining: full test set)",
    "re-examining-realsumm-full": "REALSumm (Re-Examining: full test set)",
    "bartscore-summeval": "SummEval (BARTScore)",
    "bartscore-realsumm": "REALSumm (BARTScore)",
    "lite-realsumm": "REALSumm (Lite³Pyramid)",
    "llm-summeval-pairs": "SummEval (pairs)",
}
GROUP_LABELS = {
    "abs": "abstractive",
    "ext": "extractive",
    "mix": "abstractive and extractive",
    "all": "all systems",
}
# what judgments differ by, see `helpers.stats.components`
EFFECT_LABELS = {
    "system": "systems",
    "document": "documents",
    "rater": "raters",
    "system:document": "systems by document",
    "system:rater": "systems by rater",
    "document:rater": "documents by rater",
    "residual": "the rest",
}
_WORDS = {
    "coefficient": COEFFICIENT_LABELS | _WITH_TIES | AGREEMENT_LABELS,
    "grade": GRADE_LABELS,
    "level": {level: f"{level} level" for level in ("system", "summary", "global")},
    "data": DATA_LABELS,
    "dataset": DATASET_LABELS,
    "asked": {"system": "when systems are ranked", "summary": "when summaries of a document are ranked"},
    "group": GROUP_LABELS,
    "system_type": GROUP_LABELS | {"": "systems"},
}


_ID = re.compile(
    rf"(?<![\w./-])(?:{PREFIX})?(?:{'|'.join(sorted(DATASET_LABELS, key=len, reverse=True))})(?![\w/-]|\.\w)"
)


def words(column: str, value: object) -> str:
    """How the book writes a value of a column, the value itself where it has no words for it.

    Parameters
    ----------
    column : name of a table's column, such as ``level``
    value : one value of that column

    Returns
    -------
    str

    Examples
    --------
    >>> words("level", "system"), words("coefficient", "kendall"), words("metric", "ROUGE-2")
    ('system level', "Kendall's τ", 'ROUGE-2')
    """
    if column in ("data", "dataset") and str(value).startswith(PREFIX):
        return f"simulated {words(column, str(value).removeprefix(PREFIX))}"
    return _WORDS.get(column, {}).get(value, str(value))


def named(text: str, column: str = "dataset") -> str:
    """A text with the book's names in place of data sets' ids.

    Parameters
    ----------
    text : str
    column : {"dataset", "data"}
        Whose names: where releases of one benchmark stand beside each other, or in a sentence.

    Examples
    --------
    >>> named("6 metrics on simulated-realsumm, tac2009.csv")
    '6 metrics on simulated REALSumm, tac2009.csv'
    """
    return _ID.sub(lambda found: words(column, found[0]), text)


def ranks(best: int, worst: int) -> str:
    """The ranks that one can have: ``2`` or ``1–3``."""
    return f"{best}" if best == worst else f"{best}–{worst}"
