"""runs.allowances: the Monte-Carlo error of each recorded number, by which another seed may move it.

An error here is the standard error of one run's value. It comes from the table's own columns where there are
any (`mc_error`, `low_mc_error`, `high_mc_error`), from the column `n_resamples` for counts, p-values, ends
of intervals and quantiles, and otherwise from ``data/allowances.yml``, by table and column: the binomial
error of a share; the standard deviation of the draws over the root of their number for a mean; the error of
a quantile for the end of a percentile interval, for a normal distribution as wide as the longer side of the
interval, with the steps in which a rank correlation of few systems moves. All other columns involve no
draws. Called by `bookbuild.runs.reseed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from metaeval.core.paths import DATA, read_yaml

Settings = Mapping[str, object]
Error = Callable[[pd.DataFrame, str, Settings], np.ndarray]

# two runs differ by more than this many standard errors of one run (five of their difference) less than once
# in a million values
ALLOWED = 5 * np.sqrt(2)
_FEW_PAIRS = 10  # in a window


def share_of(draws: str, *, times: str = "", where: str = "") -> Error:
    """Error of a share of some draws.

    Parameters
    ----------
    draws : str
        Their number: a column of the table, or a parameter of the notebook.
    times : str
        A column; the share was multiplied by up to as many as it has different values (Holm's correction).
    where : str
        A column; rows in which it is 0 involve no draws.
    """

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        binomial = _binomial(table[column], _number(draws, table, settings))
        binomial = binomial * table[times].nunique() if times else binomial
        return np.where(table[where] > 0, binomial, 0.0) if where else binomial

    return error


def count_of(draws: str) -> Error:
    """Error of the number of draws, among `draws`, that have some property."""

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        n = _number(draws, table, settings)
        return n * _binomial(table[column] / n, n)

    return error


def mean_of(draws: str) -> Error:
    """Error of a mean over `draws` draws; their standard deviation is a column, NaN for one draw."""

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        return table["standard_deviation"].fillna(0.0) / np.sqrt(_number(draws, table, settings))

    return error


def extreme_of_few(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
    """Error of the minimum or maximum of a handful of draws: at most their standard deviation."""
    return table["standard_deviation"].fillna(0.0)


def extreme_of(draws: str) -> Error:
    """Error as `extreme_of_few`, where a table has the standard error of the mean of so many draws."""
    return lambda table, column, settings: (
        table["mc_error"].fillna(0.0) * np.sqrt(_number(draws, table, settings))
    )


def deviation_of(draws: str) -> Error:
    """Error of a standard deviation over `draws` draws; twice what it is for a normal distribution."""
    return lambda table, column, settings: table[column] * np.sqrt(2 / _number(draws, table, settings))


def single_draw(*, number: str, of: Sequence[str]) -> Error:
    """Error of one draw: the standard deviation over the rows that differ in the draw's `number` only."""

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        alike = table.groupby(list(of), dropna=False)
        if alike[number].nunique().max() < 2:
            raise ValueError(f"no two draws with the same {', '.join(of)}: their error cannot be estimated")
        return alike[column].transform("std").fillna(0.0)

    return error


def quantile_of(
    draws: str,
    *,
    value: str = "value",
    low: str = "low",
    high: str = "high",
    q: float = 0.0,
    step: float = 0.0,
    per: str = "",
) -> Error:
    """Error of an interval's end, or of the quantile `q`, of the bootstrap distribution.

    Parameters
    ----------
    draws : str
        Column or parameter with the number of bootstrap samples.
    value, low, high : str
        Columns with the observed value and the ends of the interval.
    q : float
        By default that of the interval's ends, from the parameter ``confidence_level``, 0.95 without it.
    step : float
        A rank correlation of few systems moves in steps, and its quantiles with it: they may be one step off.
    per : str
        A column with a number that the step is divided by.
    """

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        end = (1 - float(settings.get("confidence_level", 0.95))) / 2
        normal, z = NormalDist(), -NormalDist().inv_cdf(end)
        wide = np.maximum(table[high] - table[value], table[value] - table[low]).clip(lower=0) / z
        # ends on one side of the value: the distribution is at least as wide as the interval
        wide = np.maximum(wide, (table[high] - table[low]) / (2 * z))
        share = q or end
        density = normal.pdf(normal.inv_cdf(share))
        n = _number(draws, table, settings)
        standard_error = np.sqrt(share * (1 - share) / n) / density * wide
        return standard_error + step / (table[per].clip(lower=1) if per else 1) / ALLOWED

    return error


def end_over_few(end: Error, *, low: str = "low", high: str = "high") -> Error:
    """Error of an interval's end over pairs in a window: of few, it may move as far as the interval is long.

    Such a bootstrap distribution has only a handful of steps, since all pairs that share a system enter or
    leave a sample together: an end falls on one step or the next, and the next may be the other end.
    """

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        end_error = np.asarray(end(table, column, settings), float)
        one_step = (table[high] - table[low]) / ALLOWED
        return np.where(table["n_pairs"] < _FEW_PAIRS, np.fmax(end_error, one_step), end_error)

    return error


def total_of(draws: str) -> Error:
    """Error of a total over `draws` texts drawn at random, whose lengths scatter as far as their mean."""
    return lambda table, column, settings: table[column] / np.sqrt(_number(draws, table, settings))


def itself(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
    """Error of an estimated error: as large as itself, since it is rough at best."""
    return table[column].fillna(0.0)


def as_many_as(count: str, *, over: Sequence[str] = ()) -> Error:
    """Error of a rank that moves by at most as many places as a column counts, or counts over a group."""

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        counts = table.groupby(list(over))[count].transform("sum") if over else table[count]
        return counts.to_numpy(float) / ALLOWED

    return error


def rare_count(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
    """Error of a count of rare cases: Poisson's, and not 0 where the count is 0."""
    return np.sqrt(table[column].to_numpy(float) + 1)


def interval_error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
    """Error of an estimate and of the ends of its 95 % interval, from the width of that interval."""
    return (table["high"] - table["low"]) / (2 * NormalDist().inv_cdf(0.975))


def undefined(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
    """Error of the number of draws (of trials, in tables that count these) without a value."""
    return count_of("n_trials" if "n_trials" in table else "n_resamples")(table, column, settings)


def _number(name: str, table: pd.DataFrame, settings: Settings) -> np.ndarray:
    n = (table[name] if name in table else pd.Series(settings[name], index=table.index)).to_numpy(float)
    return np.where(n > 0, n, np.nan)  # formulas involve no draws


def _binomial(share: pd.Series, n: np.ndarray) -> np.ndarray:
    """Agresti and Coull's, not 0 where all draws agree; beyond 0 and 1 that of the nearer end."""
    p = (share.to_numpy(float).clip(0, 1) * n + 2) / (n + 4)
    return np.sqrt(p * (1 - p) / n)


def _function(rule: str | Mapping[str, Any]) -> Error:
    """The function of a rule of the file: by its name alone, or made by one of arguments."""
    if isinstance(rule, str):
        return globals()[rule]
    ((name, arguments),) = rule.items()
    if not isinstance(arguments, Mapping):
        return globals()[name](arguments)
    return globals()[name](**{key: _function(of) if key == "end" else of for key, of in arguments.items()})


def _column_errors(rules: Mapping[str, Any]) -> dict[str, Error]:
    return {column: _function(rule) for names, rule in rules.items() for column in names.split(", ")}


RULES = read_yaml(DATA / "allowances.yml")
UNSETTLED = set(map(tuple, RULES["unsettled"]))
# table -> column -> its error
MONTE_CARLO = {name: _column_errors(rules) for name, rules in RULES["tables"].items()}
_ANY_TABLE = _column_errors(RULES["any"])
# the columns with a table's own errors, by the column that they are of
CARRIED = {"value": "mc_error", "low": "low_mc_error", "high": "high_mc_error"}


def errors(name: str, table: pd.DataFrame, settings: Settings) -> dict[str, np.ndarray]:
    """Standard errors of a table's columns that rest on draws, in its rows.

    Parameters
    ----------
    name : str
        The table's, such as ``fig-topk-curves``.
    table : DataFrame
    settings : mapping
        The notebook's parameters, for numbers of draws that the table does not hold.

    Returns
    -------
    dict
        Column -> array of errors; 0 for a value without draws, such as an end of Fisher's interval among
        others.
    """
    declared = {column: error for column, error in MONTE_CARLO.get(name, {}).items() if column in table}
    for column, error in _ANY_TABLE.items():
        drawn = "n_resamples" in table or (column == "n_undefined" and "n_resamples" in settings)
        if column in table and (drawn or error is itself):
            declared.setdefault(column, error)
    standard_errors = {
        name: np.nan_to_num(np.asarray(error(table, name, settings), float))
        for name, error in declared.items()
    }
    for column, carried in CARRIED.items():
        if column in table and carried in table:
            own = np.nan_to_num(table[carried].to_numpy(float))
            standard_errors[column] = np.fmax(standard_errors.get(column, 0.0), own)
    return standard_errors
