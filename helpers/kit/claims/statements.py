"""claims.statements: tests of what a paper says in words, one for each kind of statement.

Tables of results in, (holds, measured as text, evidence) out; called by `checking` only. ``data/claims``
names the kind and the other settings of a test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from metaeval.core.errors import DataError
from metaeval.tables.labels import system_name, words
from metaeval.tables.wording import counted, number

Select = Mapping[str, object]
SIDES = ("select", "left", "right", "half_to", "against")  # of a test: which rows it speaks of
_QUANTIFIERS = {"any": "at least one", "most": "most", "all": "all"}
_ENOUGH = {"any": pd.Series.any, "most": lambda part: part.mean() > 0.5, "all": pd.Series.all}
_MAX_LISTED = 6  # groups that an evidence lists
Test = Mapping[str, object]
Outcome = tuple[bool, str, str]
_FEW = 8  # this many comparisons are listed; of more, those that turn out the other way


class Missing(LookupError):
    """The rows that a claim speaks of are not in the results."""


def select_rows(results: pd.DataFrame, select: Select) -> pd.DataFrame:
    """The rows that match `select`: equal to a value, one of a list, or within ``{"from": a, "to": b}``.

    Raises
    ------
    Missing
        Naming the first column, or value of it, that the results lack.
    """
    mask = pd.Series(True, index=results.index)
    for column, values in select.items():
        if column not in results:
            raise Missing(f"results by {column}")
        if isinstance(values, Mapping):
            mask &= results[column].between(values.get("from", -math.inf), values.get("to", math.inf))
        else:
            mask &= results[column].isin(as_list(values))
        if not mask.any():
            raise Missing(f"{column} = {values}")
    return results[mask]


def one_row(results: pd.DataFrame, select: Select) -> pd.Series:
    """The only row that matches `select`; more than one is a mistake in the claim, a DataError."""
    rows = select_rows(results, select)
    if len(rows) != 1:
        raise DataError(f"a claim must select one result, but {dict(select)} selects {len(rows)}")
    return rows.iloc[0]


def complete(rows: pd.DataFrame, test: Mapping) -> pd.DataFrame:
    """Rows with defined values; raises Missing without any, or without a metric that the test requires."""
    for name in as_list(test.get("requires", [])):
        if name not in set(rows["metric"]):
            raise Missing(f"scores of {name}")
    defined = rows.dropna(subset="value")
    if defined.empty:
        raise Missing("values that exist")
    return defined


def as_list(value: object) -> list:
    """The value itself if it is a list, else a list of it alone."""
    return value if isinstance(value, list) else [value]


def _quantifier(test: Test) -> str:
    """Number of cases that a test asks for, one of `_QUANTIFIERS`."""
    return next((one for one in ("any", "most") if test.get(one)), "all")


def _two(first: float, between: str, second: float) -> str:
    """Two numbers beside each other, with a third decimal where they would seem equal and are not."""
    alike = first != second and f"{first:.2f}" == f"{second:.2f}"
    return between.join(f"{value:.{3 if alike else 2}f}" for value in (first, second))


def _extreme(results: pd.DataFrame, test: Test, *, word: str, sign: int) -> Outcome:
    """`metric` (one of several) has the `word` value of the selected rows, in each `within` group."""
    rows = complete(select_rows(results, test["select"]), test)
    groups = rows.groupby(test["within"], sort=False) if "within" in test else [((), rows)]
    extremes = {key: group.loc[(sign * group["value"]).idxmax()] for key, group in groups}
    names = {key: " ".join(map(str, key if isinstance(key, tuple) else (key,))) for key in extremes}
    called = {key: system_name(row.get("dataset", ""), row["metric"]) for key, row in extremes.items()}
    measured = (f"{names[key]} {called[key]} {row['value']:.2f}".strip() for key, row in extremes.items())
    metrics = as_list(test["metric"])
    holds = all(row["metric"] in metrics for row in extremes.values())
    return holds, ", ".join(measured), f"{word} of those compared"


def _bounded(results: pd.DataFrame, test: Test) -> Outcome:
    """Every selected value, or what the column `of` holds, lies between `above` and `below`.

    With ``any: true`` at least one, with ``most: true`` more than half of them, in each `within` group.
    With ``printed``, a number or a range such as "0.6 to 0.8", the evidence says how far from it they are.
    """
    rows = complete(select_rows(results, test["select"]), test)
    low, high = test.get("above", -math.inf), test.get("below", math.inf)
    signed = rows[test.get("of", "value")]
    values = signed.abs() if test.get("absolute") else signed
    inside = (values > low) & (values < high)
    quantifier = _quantifier(test)
    groups = inside.groupby(rows[test["within"]], sort=False) if "within" in test else [("", inside)]
    counts = [
        f"{int(part.sum())} of {len(part)}" + (f" for {_called(test, key)}" if "within" in test else "")
        for key, part in groups
    ]
    bounds = _bounds(test, above="above", below="below")
    evidence = f"checked as: {bounds}"  # of one value the verdict says whether that is true
    if len(rows) > 1:
        evidence = f"checked as: {_QUANTIFIERS[quantifier]} {bounds}, true of {', '.join(counts)}"
    if "printed" in test:
        evidence += f"; {_off(values, test['printed'])}"
    are_counts = (values % 1 == 0).all() and values.abs().max() > 1
    low, high = (f"{end:,.0f}" if are_counts else number(end, 2) for end in (values.min(), values.max()))
    ends = low if low == high else f"at most {high}" if low == f"< {high}" else f"{low} to {high}"
    return all(_ENOUGH[quantifier](part) for _, part in groups), ends, evidence


def _bounds(test: Test, *, above: str, below: str) -> str:
    """Bounds of a test in words that tell whether they are included."""
    ends = ((above, test.get("above", -math.inf)), (below, test.get("below", math.inf)))
    return " and ".join(f"{word} {bound:,}" for word, bound in ends if math.isfinite(bound))


def _called(test: Test, key: object) -> str:
    """The name of a `within` group in the words of the book."""
    keys = key if isinstance(key, tuple) else [key]
    return " ".join(words(column, one) for column, one in zip(as_list(test["within"]), keys, strict=True))


def _off(values: pd.Series, printed: str) -> str:
    """Largest distance of values from a printed number or range, in words."""
    ends = [float(end) for end in printed.split(" to ")]
    distance = max(values.max() - ends[-1], ends[0] - values.min(), 0)
    many = len(ends) > 1
    if distance == 0:
        return f"inside the printed range {printed}" if many else f"equal to the printed {printed}"
    away = number(distance, 2)
    away = away if away.startswith("<") else f"at most {away}"
    return f"{away} outside the printed range {printed}" if many else f"{away} from the printed {printed}"


def _compared(results: pd.DataFrame, test: Test) -> Outcome:
    """Each value of `left`, or what its column `of` holds, is greater than each of `right`.

    In each `within` group; with ``most: true`` in more than half of them. With ``near: 0.95`` it is nearer
    to that number instead.
    """
    first, second = (complete(select_rows(results, test[side]), test) for side in ("left", "right"))
    first, second = (rows.assign(value=rows[test.get("of", "value")]) for rows in (first, second))
    if "near" in test:
        first, second = (rows.assign(value=-(rows["value"] - test["near"]).abs()) for rows in (first, second))
    within = as_list(test.get("within", []))
    by = within or (lambda _: "")
    low = first.groupby(by, sort=False)["value"].min()
    high = second.groupby(by)["value"].max().reindex(low.index)
    ahead = low > high
    holds = _ENOUGH[_quantifier(test)](ahead)
    names = [" ".join(map(str, as_list(list(key) if isinstance(key, tuple) else key))) for key in low.index]
    ends = (low.abs(), high.abs()) if "near" in test else (low, high)
    pairs = {
        name: f"{name} {_two(smallest, ' against ', largest)}".strip()
        for name, smallest, largest in zip(names, *ends, strict=True)
    }
    if len(pairs) > _FEW:  # only those for which it is not so
        pairs = {name: text for (name, text), leads in zip(pairs.items(), ahead, strict=True) if not leads}
    listed = ", ".join(pairs.values()) or "all"
    extremes = (
        "largest of the first against the smallest"
        if "near" in test
        else "lowest of the first against the highest"
    )
    remarks = [
        f"distances from {test['near']:g}" if "near" in test else "",
        "only the exceptions are listed" if len(low) > _FEW else "",
        # of one value on each side of each comparison there is no lowest and no highest
        f"the {extremes} of the second" if len(first) + len(second) > 2 * len(low) else "",
        f"true in {int(ahead.sum())} of {counted(len(ahead), 'case')}" if within else "",
    ]
    return bool(holds), listed, "; ".join(filter(None, remarks))


def _falling(results: pd.DataFrame, test: Test) -> Outcome:
    """Values of each metric fall as `along` falls: Kendall's tau between the two is above `above` (0).

    With ``rising: true`` they rise as it falls.
    """
    rows = complete(select_rows(results, test["select"]), test)
    sign = -1 if test.get("rising") else 1
    trends = {
        metric: sign * group["value"].corr(group[test["along"]], method="kendall")
        for metric, group in rows.groupby("metric", sort=False)
    }
    follow = [metric for metric, trend in trends.items() if trend > test.get("above", 0)]
    verb = "rises" if test.get("rising") else "falls"
    listed = ", ".join(f"{metric} τ {sign * trend:+.2f}" for metric, trend in trends.items())
    along = test["along"]
    evidence = (
        f"Kendall's τ between value and {along}: the value {verb} as {along} decreases for "
        f"{len(follow)} of {len(trends)}"
    )
    return len(follow) == len(trends), listed, evidence


def _lower(results: pd.DataFrame, test: Test) -> Outcome:
    """Every selected value of a metric is below the same metric's value in the one row of `against`.

    With ``by: 0.2`` it is lower by more than that.
    With ``most: true`` it is enough that this is so for more than half of the metrics that both have.
    """
    rows = complete(select_rows(results, test["select"]), test)
    against = select_rows(results, test["against"]).set_index("metric")["value"]
    highest = rows.groupby("metric", sort=False)["value"].max()
    if test.get("most"):
        highest = highest[highest.index.isin(against.index)]
    margin = test.get("by", 0)
    below = [metric for metric in highest.index if highest[metric] < against[metric] - margin]
    signs = {metric: " < " if highest[metric] < against[metric] else " ≥ " for metric in highest.index}
    listed = ", ".join(  # where it is so for none, how it is for all
        f"{metric} {_two(highest[metric], signs[metric], against[metric])}"
        for metric in below or highest.index
    )
    holds = 2 * len(below) > len(highest) if test.get("most") else len(below) == len(highest)
    much = f" by more than {margin:g}" if margin else ""
    sides = [
        f", {_against(column, one, test['against'][column])}"
        for column, one in test["select"].items()
        if isinstance(one, str) and isinstance(test["against"].get(column, None), str)
        and one != test["against"][column]
    ]  # fmt: skip
    return holds, listed, f"lower{much} for {len(below)} of {counted(len(highest), 'metric')}{''.join(sides)}"


def _against(column: str, one: str, other: str) -> str:
    """Two sides by name; data sets as a sentence names them, unless they are releases of one benchmark."""
    naming = "data" if column == "dataset" and words("data", one) != words("data", other) else column
    return f"{words(naming, one)} against {words(naming, other)}"


def _apart(results: pd.DataFrame, test: Test) -> Outcome:
    """Gap in each `within` group by which the only value of `left` lies above the greatest of `right`.

    The gap lies between `above` and `below`, both included, in all groups; with ``most: true`` in more than
    half of them, with ``any: true`` in one, with ``count: n`` in exactly n. With ``half_to``, a third,
    half of the gap between `left` and it is taken off it first.
    """
    sides = {side: complete(select_rows(results, test[side]), test) for side in ("left", "right")}
    if "half_to" in test:
        sides["half_to"] = complete(select_rows(results, test["half_to"]), test)
    best = {side: rows.groupby(test["within"], sort=False)["value"].max() for side, rows in sides.items()}
    table = pd.DataFrame(best).dropna()
    if table.empty:
        raise Missing("a group that has both sides")
    gap = table["left"] - table["right"]
    if "half_to" in test:
        gap = gap - (table["left"] - table["half_to"]) / 2
    slack = 1e-9  # differences of printed decimals
    inside = (gap >= test.get("above", -math.inf) - slack) & (gap <= test.get("below", math.inf) + slack)
    exactly = "count" in test
    holds = int(inside.sum()) == test["count"] if exactly else _ENOUGH[_quantifier(test)](inside)
    outside = [" ".join(key if isinstance(key, tuple) else (key,)) for key in table.index[~inside]]
    quota = f"exactly {test['count']}" if exactly else _QUANTIFIERS[_quantifier(test)]
    bounds = _bounds(test, above="at least", below="at most")
    evidence = f"checked as: a difference of {bounds} in {quota} of {len(table)}, true of {int(inside.sum())}"
    if 0 < len(outside) <= _MAX_LISTED:
        evidence += f", not {'; '.join(outside)}"
    return bool(holds), f"{gap.min():+.2f} to {gap.max():+.2f}", evidence


STATEMENTS: dict[str, Callable[[pd.DataFrame, Test], Outcome]] = {
    "highest": partial(_extreme, word="highest", sign=1),
    "lowest": partial(_extreme, word="lowest", sign=-1),
    "bounded": _bounded,
    "compared": _compared,
    "falling": _falling,
    "lower": _lower,
    "apart": _apart,
}
