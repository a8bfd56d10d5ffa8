"""tables.labels: texts for the ids in tables: coefficients, levels, groups of systems.

Figures, menus, live blocks, statements and reports use them. Names of data sets, systems and judges are in
``data/names.yml``, read on first use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from metaeval.core.mode import PREFIX
from metaeval.core.paths import DATA, read_yaml

COEFFICIENT_LABELS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}
GROUP_LABELS = {
    "abs": "abstractive",
    "ext": "extractive",
    "mix": "abstractive and extractive",
    "all": "all systems",
}
# sources of variance of judgments, see `metaeval.stats.components`
EFFECT_LABELS = {
    "system": "systems",
    "document": "documents",
    "rater": "raters",
    "system:document": "systems × documents",
    "system:rater": "systems × raters",
    "document:rater": "documents × raters",
    "residual": "the rest",
}
_LEVELS = {level: f"{level} level" for level in ("system", "summary", "global")}
_MADE_UP = re.compile(r"(?:(abs|ext)_)?sim_(\d+)")  # ids of simulated systems
_WITH_IDS = ("first", "second", "source", "reading", "metric", "finding")  # columns of texts that hold ids


@cache
def _names() -> dict[str, Any]:
    return read_yaml(DATA / "names.yml")


@cache
def _values(column: str) -> Mapping[object, str]:
    """Texts for the values of a column."""
    names = _names()
    pair = {name: names["data"][name] for name in ("summeval", "realsumm")}
    labels = {
        "coefficient": COEFFICIENT_LABELS,
        "level": _LEVELS,
        "data": names["data"],
        "dataset": names["data"] | names["dataset"],
        "group": GROUP_LABELS,
        "learned_on": names["data"],
        "measure": _LEVELS,
        "simulated_units": names["values"]["units"],
        "quantity": COEFFICIENT_LABELS | pair | {name: GROUP_LABELS[name] for name in ("abs", "ext", "mix")},
        "where": {f"table{n}": f"Table {n}" for n in range(1, 10)},
        "system_type": GROUP_LABELS | {"": "systems"},
        # before the first hyphen of a quantity's id
        "quantity-": pair | {level: _LEVELS[level] for level in ("system", "summary")} | names["quantities"],
    }
    return labels.get(column, {}) | names["values"].get(column, {})


@cache
def _id() -> re.Pattern[str]:
    """Pattern of an id of a data set, a system or a judge in a text."""
    longest_first = map(re.escape, sorted([*_values("dataset"), *_names()["ids"]], key=len, reverse=True))
    return re.compile(rf"(?<![\w./-])(?:{PREFIX})?(?:{'|'.join(longest_first)})(?![\w/-]|\.\w)")


def words(column: str, value: object) -> str:
    """Text for a value of a column in the book, by default the value itself.

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
    if column in _WITH_IDS:
        return named(str(value))
    head, hyphen, tail = str(value).partition("-")
    if column == "quantity" and hyphen and (start := _values("quantity-").get(head)):
        return f"{start}, {tail.replace('_', ' ')}"
    return _values(column).get(value) or _names()["ids"].get(value, str(value))


def system_name(dataset: str, system: str) -> str:
    """Name of a benchmark's system in the book, by default its id.

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
    names = _names()["systems"].get(_names()["same_systems"].get(dataset, dataset), {})
    return re.sub(r"[\w./-]+", lambda match: names.get(match[0]) or words("system", match[0]), system)


def named(text: str, column: str = "dataset") -> str:
    """A text with the book's names in place of ids of data sets, judges and REALSumm's systems.

    Parameters
    ----------
    text : str
    column : {"dataset", "data"}
        Names that tell releases of one benchmark apart, or names for a sentence.

    Examples
    --------
    >>> named("6 metrics on simulated-realsumm, tac2009.csv")
    '6 metrics on simulated REALSumm, tac2009.csv'
    """
    return _id().sub(lambda match: words(column, match[0]), text)


@cache
def _short_names() -> tuple[re.Pattern[str], dict[str, str]]:
    """Pattern of short names in a text, and their meanings; not of ``mix``, which sentences use as a word."""
    groups = {name: GROUP_LABELS[name] for name in ("abs", "ext")}
    collections = {name: _values("domain")[name] for name in ("reuters", "bbc", "reuters+bbc")}
    names = groups | COEFFICIENT_LABELS | collections
    return re.compile(rf"(?<![\w./(-])(?:{'|'.join(map(re.escape, names))})(?![\w./)-])"), names


def spell_out_names(text: str) -> str:
    """A sentence with words in place of short names of groups of systems, coefficients and collections.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> spell_out_names("abs 0 of 6, ext 2 of 6, mix 0 of 6; PreSumm (abs)")
    'abstractive 0 of 6, extractive 2 of 6, mix 0 of 6; PreSumm (abs)'
    >>> spell_out_names("pearson A4 0.95, reuters adjective 0.08")
    "Pearson's r A4 0.95, Reuters adjective 0.08"
    """
    pattern, names = _short_names()
    return pattern.sub(lambda match: names[match[0]], text)


def ranks(best: int, worst: int) -> str:
    """Range of ranks: ``2`` or ``1–3``."""
    return f"{best}" if best == worst else f"{best}–{worst}"
