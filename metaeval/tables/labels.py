"""tables.labels: the words of the book for what tables write short: coefficients, levels, groups of systems.

Only words, so that every room may use them: figures, menus, live blocks, statements, reports.
"""

from __future__ import annotations

import re

from metaeval.core.mode import PREFIX

COEFFICIENT_LABELS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}
# what the pages on ties ask for besides
_WITH_TIES = {"tau_a": "τ-a", "tau_b": "τ-b", "tau_c": "τ-c", "accuracy": "accuracy with ties"}
_PAIRS_WITH_TIES = {
    f"acc_eq, {of}": f"accuracy with ties, {of}"
    for of in (
        "summaries of a document",
        "summaries of a system",
        "all summaries",
        "calibrated on other documents",
    )
}
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
# what two columns are together, the ends of a range that share a cell where there is little room
RANGE_LABELS = {
    ("from_percent", "to_percent"): "closest pairs (%)",
    ("lower", "upper"): "difference (points)",
    ("lowest", "highest"): "range",
    ("smallest", "largest"): "least to greatest",
    ("q5", "q95"): "5 % to 95 % quantile",
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
    "re-examining-summeval-full": "SummEval (Re-Examining: whole test set)",
    "re-examining-realsumm-full": "REALSumm (Re-Examining: whole test set)",
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
# REALSumm's systems; some names are given to an abstractive and an extractive one
_SYSTEM_LABELS = {
    "abs_bart_out": "BART (abstractive)",
    "abs_bottom_up_out": "Bottom-Up",
    "abs_fast_abs_rl_out_rerank": "FastAbsRL, reranked",
    "abs_presumm_out_abs": "PreSumm (abs)",
    "abs_presumm_out_ext_abs": "PreSumm (ext-abs)",
    "abs_presumm_out_trans_abs": "PreSumm (trans-abs)",
    "abs_ptr_generator_out_pointer_gen_cov": "Pointer-Generator, coverage",
    "abs_semsim_out": "SemSim",
    "abs_t5_out_11B": "T5 (11B)",
    "abs_t5_out_base": "T5 (base)",
    "abs_t5_out_large": "T5 (large)",
    "abs_two_stage_rl_out": "Two-stage RL",
    "abs_unilm_out_v1": "UniLM v1",
    "abs_unilm_out_v2": "UniLM v2",
    "ext_banditsumm_out": "BanditSum",
    "ext_bart_out": "BART (extractive)",
    "ext_heter_graph_out": "HeterGraph",
    "ext_matchsumm_out": "MatchSum",
    "ext_neusumm_out": "NeuSum",
    "ext_pnbert_out_bert_lstm_pn": "PNBERT (BERT-LSTM-PN)",
    "ext_pnbert_out_bert_lstm_pn_rl": "PNBERT (BERT-LSTM-PN-RL)",
    "ext_pnbert_out_bert_tf_pn": "PNBERT (BERT-TF-PN)",
    "ext_pnbert_out_bert_tf_sl": "PNBERT (BERT-TF-SL)",
    "ext_pnbert_out_lstm_pn_rl": "PNBERT (LSTM-PN-RL)",
    "ext_refresh_out": "Refresh",
}
# FaithBench's, by the names of their models on the hub
_MODEL_LABELS = {
    "Anthropic/claude-3-5-sonnet-20240620": "Claude 3.5 Sonnet",
    "Qwen/Qwen2.5-7B-Instruct": "Qwen2.5 (7B)",
    "cohere/command-r-08-2024": "Command R",
    "google/gemini-1.5-flash-001": "Gemini 1.5 Flash",
    "meta-llama/Meta-Llama-3.1-8B-Instruct": "Llama 3.1 (8B)",
    "meta-llama/Meta-Llama-3.1-70B-Instruct": "Llama 3.1 (70B)",
    "microsoft/Phi-3-mini-4k-instruct": "Phi-3 mini",
    "mistralai/Mistral-7B-Instruct-v0.3": "Mistral v0.3 (7B)",
    "openai/GPT-3.5-Turbo": "GPT-3.5 Turbo",
    "openai/gpt-4o": "GPT-4o",
}
# systems whose ids mean something on one benchmark only; SummEval's as its README lists the papers
_SYSTEMS_OF = {
    "summeval": {
        "M0": "Lead-3",
        "M1": "NeuSum",
        "M2": "BanditSum",
        "M5": "RNES",
        "M8": "Pointer-Generator",
        "M9": "FastAbsRL",
        "M10": "Bottom-Up",
        "M11": "Improve-abs",
        "M12": "Unified-ext-abs",
        "M13": "ROUGESal",
        "M14": "Multi-task",
        "M15": "Closed-book decoder",
        "M17": "T5",
        "M20": "GPT-2",
        "M22": "BART",
        "M23": "PEGASUS",
    },
    "rose": {
        "bart": "BART",
        "brio": "BRIO",
        "brio-ext": "BRIO-Ext",
        "cliff": "CLIFF",
        "ctrlsum": "CTRLsum",
        "frost": "FROST",
        "glob": "GLOBAL",
        "gold": "GOLD",
        "gpt3": "GPT-3",
        "gsum": "GSum",
        "matchsum": "MatchSum",
        "pegasus": "PEGASUS",
        "simcls": "SimCLS",
        "t0": "T0",
    },
}
_RELEASES = {"rose-llm": "rose"} | dict.fromkeys(  # same systems
    (
        *("summeval-judges", "llm-summeval", "bartscore-summeval"),
        *("re-examining-summeval", "re-examining-summeval-full"),
    ),
    "summeval",
)
_JUDGE_LABELS = {
    "gemini_flash": "Gemini Flash",
    "gemini_pro": "Gemini Pro",
    "gpt_4o": "GPT-4o",
    "gpt-4o": "GPT-4o",
    "gpt-4o-mini": "GPT-4o mini",
    "gpt-4-turbo": "GPT-4 Turbo",
    "gpt-4": "GPT-4",
    "gpt-3.5-turbo": "GPT-3.5 Turbo",
    "gpt-3.5": "GPT-3.5",
    "gpt-3.5, other prompt": "GPT-3.5, other prompt",
    "llama-31": "Llama 3.1",
    "mistral-v03": "Mistral v0.3",
    "true_nli": "TRUE",
    "trueteacher": "TrueTeacher",
    "hhemv1": "HHEM-1",
    "hhem-2.1": "HHEM-2.1",
    "hhem-2.1-english": "HHEM-2.1 (English)",
}
_PYRAMID_LABELS = {
    "Lite2Pyramid": "Lite²Pyramid",
    "Lite2Pyramid-0": "Lite²Pyramid-0",
    "Lite2.5Pyramid": "Lite²·⁵Pyramid",
    "Lite3Pyramid": "Lite³Pyramid",
}
# they say what they are whatever column they stand in
_IDS = _SYSTEM_LABELS | _MODEL_LABELS | _JUDGE_LABELS | _PYRAMID_LABELS
_INDEX_LABELS = {"reuters": "Reuters", "bbc": "BBC", "reuters+bbc": "Reuters and BBC"}
_UNIT_LABELS = {"SCU": "SCUs, by people", "STU": "STUs, as released", "extracted": "STUs, by our extractor"}
_CROWD = {
    f"{name} (turkers)": f"{name} (crowd)" for name in ("relevance", "coherence", "consistency", "fluency")
}
# what judgments differ by, see `metaeval.stats.components`
EFFECT_LABELS = {
    "system": "systems",
    "document": "documents",
    "rater": "raters",
    "system:document": "systems × documents",
    "system:rater": "systems × raters",
    "document:rater": "documents × raters",
    "residual": "the rest",
}
_WORDS = {
    "coefficient": COEFFICIENT_LABELS | _WITH_TIES | AGREEMENT_LABELS,
    "grade": GRADE_LABELS,
    "level": {level: f"{level} level" for level in ("system", "summary", "global")},
    "data": DATA_LABELS,
    "dataset": DATASET_LABELS,
    "group": GROUP_LABELS,
    "judgment": _CROWD,
    "domain": _INDEX_LABELS | {"realsumm references": "REALSumm's references"},
    "learned_on": DATA_LABELS,
    "measure": {level: f"{level} level" for level in ("system", "summary", "global")} | _PAIRS_WITH_TIES,
    "units": _UNIT_LABELS,
    "simulated_units": _UNIT_LABELS,
    "query": {"gesera": "GeSERA", "gesera-first": "GeSERA-FIRST", "gesera-all": "GeSERA-ALL"},
    "quantity": COEFFICIENT_LABELS
    | {name: DATA_LABELS[name] for name in ("summeval", "realsumm")}
    | {name: GROUP_LABELS[name] for name in ("abs", "ext", "mix")},
    "where": {f"table{n}": f"Table {n}" for n in range(1, 10)},
    "system_type": GROUP_LABELS | {"": "systems"},
}
# what a quantity is of, before the first hyphen of its id
_OF = (
    {name: DATA_LABELS[name] for name in ("summeval", "realsumm")}
    | {level: _WORDS["level"][level] for level in ("system", "summary")}
    | {
        "first": "first by system-level τ",
        "apart": "best in the annotator test",
        "order": "two orders of judges",
        "passing": "passing the test",
    }
)


_MADE_UP = re.compile(r"(?:(abs|ext)_)?sim_(\d+)")  # ids of simulated systems
_LONGEST_FIRST = map(re.escape, sorted([*DATASET_LABELS, *_IDS], key=len, reverse=True))
_ID = re.compile(rf"(?<![\w./-])(?:{PREFIX})?(?:{'|'.join(_LONGEST_FIRST)})(?![\w/-]|\.\w)")


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
    >>> words("system", "abs_sim_02"), words("system", "sim_10")
    ('abstractive system 2', 'system 10')
    >>> words("quantity", "summeval-fewer"), words("quantity", "passing-winning_rate")
    ('SummEval, fewer', 'passing the test, winning rate')
    """
    if column in ("data", "dataset") and str(value).startswith(PREFIX):
        return f"simulated {words(column, str(value).removeprefix(PREFIX))}"
    if column == "system" and (made_up := _MADE_UP.fullmatch(str(value))):
        return f"{GROUP_LABELS.get(made_up[1], '')} system {int(made_up[2])}".strip()
    if column in ("first", "second", "source", "reading", "metric", "finding"):  # names within
        return named(str(value))
    head, hyphen, tail = str(value).partition("-")
    if column == "quantity" and hyphen and head in _OF:
        return f"{_OF[head]}, {tail.replace('_', ' ')}"
    return _WORDS.get(column, {}).get(value) or _IDS.get(value, str(value))


def system_name(dataset: str, system: str) -> str:
    """What the book calls a system of a benchmark, its id where it has no other name.

    Parameters
    ----------
    dataset, system : ids
        Or a text that holds ids of its systems.

    Examples
    --------
    >>> system_name("summeval-judges", "M22"), system_name("simulated-summeval", "M22")
    ('BART', 'M22')
    >>> system_name("rose", "bart minus brio-ext")
    'BART minus BRIO-Ext'
    """
    known = _SYSTEMS_OF.get(_RELEASES.get(dataset, dataset), {})
    return re.sub(r"[\w./-]+", lambda found: known.get(found[0]) or words("system", found[0]), system)


def named(text: str, column: str = "dataset") -> str:
    """A text with the book's names in place of ids of data sets, judges and REALSumm's systems.

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


# of groups only these two: the mix is called so in sentences too
_SHORT = {name: GROUP_LABELS[name] for name in ("abs", "ext")} | COEFFICIENT_LABELS | _INDEX_LABELS
_SHORT_ID = re.compile(rf"(?<![\w./(-])(?:{'|'.join(map(re.escape, _SHORT))})(?![\w./)-])")


def short_names_said(text: str) -> str:
    """A sentence with words in place of short names of groups of systems, coefficients and collections.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> short_names_said("abs 0 of 6, ext 2 of 6, mix 0 of 6; PreSumm (abs)")
    'abstractive 0 of 6, extractive 2 of 6, mix 0 of 6; PreSumm (abs)'
    >>> short_names_said("pearson A4 0.95, reuters adjective 0.08")
    "Pearson's r A4 0.95, Reuters adjective 0.08"
    """
    return _SHORT_ID.sub(lambda found: _SHORT[found[0]], text)


def ranks(best: int, worst: int) -> str:
    """The ranks that one can have: ``2`` or ``1–3``."""
    return f"{best}" if best == worst else f"{best}–{worst}"
