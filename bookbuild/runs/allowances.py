"""runs.allowances: the Monte-Carlo error of each recorded number, by which another seed may move it.

An error here is the standard error of one run's value. It comes from the table's own columns where there are
any (`mc_error`, `low_mc_error`, `high_mc_error`), from the column `n_resamples` for counts, p-values, ends of
intervals and quantiles, and otherwise from `MONTE_CARLO`, by table and column: the binomial error of a share;
the standard deviation of the draws over the root of their number for a mean; the error of a quantile for the
end of a percentile interval, for a normal distribution as wide as the longer side of the interval, with the
steps in which a rank correlation of few systems moves. All other columns involve no draws. Called by
`bookbuild.runs.reseed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist

import numpy as np
import pandas as pd

from metaeval.analysis.intervals import QUANTILES

Settings = Mapping[str, object]
Error = Callable[[pd.DataFrame, str, Settings], np.ndarray]

# two runs differ by more than this many standard errors of one run (five of their difference) less than once
# in a million values
ALLOWED = 5 * np.sqrt(2)
_FEW_PAIRS = 10  # in a window
_KURTOSIS_NEAR_ONE = 1_000


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


def extreme_of_few(*, errors_of: str = "") -> Error:
    """Error of the minimum or maximum of a handful of draws: at most their standard deviation.

    Parameters
    ----------
    errors_of : str
        Column or parameter with the number of draws, where a table has the standard error of their mean in
        place of their standard deviation.
    """

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        if not errors_of:
            return table["standard_deviation"].fillna(0.0)
        return table["mc_error"].fillna(0.0) * np.sqrt(_number(errors_of, table, settings))

    return error


def deviation_of(draws: str) -> Error:
    """Error of a standard deviation over `draws` draws; twice what it is for a normal distribution."""
    return lambda table, column, settings: table[column] * np.sqrt(2 / _number(draws, table, settings))


def deviation_near_one(draws: str) -> Error:
    """Error of a correlation's standard deviation, which near 1 rests on the few draws that lie far below.

    The error grows with the kurtosis: 3 of a normal distribution, 658 of 200,000 draws of Pearson's r at 0.99
    (an expert's consistency on SummEval).
    """

    def error(table: pd.DataFrame, column: str, settings: Settings) -> np.ndarray:
        n = _number(draws, table, settings)
        tailed = table[column] * np.sqrt((_KURTOSIS_NEAR_ONE - 1) / (4 * n))
        return np.where(table["value"].abs() > 0.95, tailed, deviation_of(draws)(table, column, settings))

    return error


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


_ENDS = {"low": quantile_of("n_resamples"), "high": quantile_of("n_resamples")}
_RATES = {"value": share_of("n_trials")}  # of shares of 0 and 1 too, whose own error is 0
_AGREEMENT = {"value": "agreement", "low": "agreement_low", "high": "agreement_high"}
_WINDOWS = {
    **dict.fromkeys(("low", "high"), end_over_few(quantile_of("n_resamples", step=2.0, per="n_pairs"))),
    **dict.fromkeys(
        ("agreement_low", "agreement_high"),
        end_over_few(
            quantile_of("n_resamples", step=1.0, per="n_pairs", **_AGREEMENT),
            low="agreement_low",
            high="agreement_high",
        ),
    ),
}
# Kendall's tau of 16 systems has 120 pairs; in the middle, where draws are dense, a step is more than chance
_MIDDLE = {f"q{round(100 * q)}": quantile_of("n_resamples", q=q, step=2 / 120) for q in QUANTILES}
# of n systems Kendall's tau moves in steps of 4 / (n (n - 1)): 0.04 of eleven, and at most 4 / (3 n)
_GROUPS = dict.fromkeys(("low", "high"), quantile_of("n_resamples", step=0.04))
_BEST = dict.fromkeys(("low", "high"), quantile_of("n_resamples", step=4 / 3, per="k"))
# a change is a difference of two, of which the other has as many systems at least
_CHANGES = dict.fromkeys(
    ("change_low", "change_high"),
    quantile_of("n_resamples", value="change", low="change_low", high="change_high", step=8 / 3, per="k"),
)
_INDEX = [
    *("dataset", "metric", "group", "level", "coefficient"),
    *("domain", "stories", "is_whole", "query", "overlap", "cutoff"),
]

# these verdicts change with the draws: a rank correlation of few sizes with their means over random indexes
UNSETTLED = {("espejel2021gesera", "size/small-better-bbc"), ("espejel2021gesera", "size/small-better-mixed")}

# their remarks are words on counts and bounds of the row, which are compared themselves
REMARKED = {
    *(f"fig-margins-{name}" for name in ("closest", "fine", "gains", "heatmap", "rouge")),
}

# table -> column -> its error
MONTE_CARLO: dict[str, dict[str, Error]] = {
    "fig-bias-sentinels": _GROUPS,
    "fig-coverage-shares": _RATES,
    "fig-index_size-curves": {"value": single_draw(number="subset", of=_INDEX), "n_unscored": rare_count},
    "fig-judge_ties-coefficients": {
        # a place among a few judges moves by a whole one
        end: quantile_of("n_resamples", value="judge_place", low="place_low", high="place_high", step=1.0)
        for end in ("place_low", "place_high")
    },
    "fig-judges-correlations": {"standard_error": deviation_near_one("n_resamples")},
    # the ends are an exact function of the share between them
    "fig-labels_needed-coverage": dict.fromkeys(
        ("value", "share_refused", "low", "high"), share_of("n_trials")
    ),
    # labels of one random choice of documents
    "fig-labels_needed-estimates": dict.fromkeys(("value", "low", "high"), interval_error),
    "fig-leaderboard-intervals": _ENDS,
    "fig-lite2x-curves": {
        "value": mean_of("n_random"),
        "q2.5": extreme_of_few(),
        "q97.5": extreme_of_few(),
        "standard_deviation": itself,
        "scus_left": share_of("n_random", where="standard_deviation"),
    },
    "fig-margins-closest": _WINDOWS,
    "fig-margins-fine": _WINDOWS,
    "fig-margins-gains": _WINDOWS,
    "fig-margins-heatmap": _WINDOWS,
    "fig-margins-rouge": _WINDOWS,
    # of 10 systems Kendall's tau moves in steps of 4 / (10 * 9)
    "fig-old_metrics-systems": {
        **dict.fromkeys(("low", "high"), quantile_of("n_resamples", step=4 / 90)),
        "standard_error": deviation_near_one("n_resamples"),
    },
    # systems share each sample's documents, so that there are no more draws than samples
    "fig-one_system-errors": {"share_undefined": share_of("n_samples")},
    "fig-pairs-f1": {
        "lowest": extreme_of_few(errors_of="n_seeds"),
        "highest": extreme_of_few(errors_of="n_seeds"),
    },
    "fig-power-curves": _RATES,
    "fig-power-references": _RATES,
    # of 12 systems Kendall's tau moves in steps of 4 / (12 * 11)
    "fig-protocols-correlations": {
        **dict.fromkeys(("low", "high"), quantile_of("n_resamples", step=4 / 132)),
        "standard_error": deviation_near_one("n_resamples"),
    },
    "fig-sampling-ratios": dict.fromkeys(("value", "low", "high"), interval_error),
    "fig-sera-speech": {"value": share_of("n_words"), "n_words": total_of("sample_size")},
    "fig-systems-correlations": _GROUPS,
    "fig-systems-differences": _GROUPS,
    "fig-tests-heatmap": {"adjusted_pvalue": share_of("n_resamples", times="rival")},
    "fig-test_set-judged": dict.fromkeys(("low", "high", "width"), quantile_of("n_resamples", step=0.04)),
    "fig-topk-curves": _BEST | _CHANGES,
    "fig-topk-differences": _BEST,
    "fig-topk-literal": _BEST | _CHANGES,
    "fig-variance-stability": {"standard_deviation": deviation_of("n_resamples")},
}


# the columns with a table's own errors, by the column that they are of
CARRIED = {"value": "mc_error", "low": "low_mc_error", "high": "high_mc_error"}
_OF_ANY_TABLE: dict[str, Error] = {
    **dict.fromkeys(CARRIED.values(), itself),
    "n_undefined": undefined,
    # each pair that other draws may decide otherwise moves an end by one, and a tier with it
    **dict.fromkeys(("best_rank", "worst_rank"), as_many_as("n_unsettled")),
    "tier": as_many_as("n_unsettled", over=["dataset", "level", "coefficient"]),
    "n_unsettled": rare_count,
    "pvalue": share_of("n_resamples"),
    "standard_error": deviation_of("n_resamples"),
    **_ENDS,
    **_MIDDLE,
}


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
    for column, error in _OF_ANY_TABLE.items():
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
