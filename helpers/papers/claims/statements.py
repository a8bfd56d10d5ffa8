"""What a paper says in words: one test a kind of statement.

Each takes (results, test) and returns (holds, measured as text, evidence).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from helpers.papers.claims.selection import as_list, complete, select_rows


def _highest(results, test):
    """`metric` (one of several) has the highest value among the selected rows, in each `within` group."""
    rows = complete(select_rows(results, test["select"]), test)
    groups = rows.groupby(test["within"], sort=False) if "within" in test else [((), rows)]
    winners = {key: group.loc[group["value"].idxmax()] for key, group in groups}
    wanted = as_list(test["metric"])
    measured = ", ".join(
        " ".join(
            [*map(str, key if isinstance(key, tuple) else (key,)), f"{best['metric']} {best['value']:.2f}"]
        )
        for key, best in winners.items()
    )
    return (
        all(best["metric"] in wanted for best in winners.values()),
        measured,
        "highest of the selected metrics",
    )


def _lowest(results, test):
    """`metric` (one of several) has the lowest value among the selected rows, in each `within` group."""
    rows = complete(select_rows(results, test["select"]), test)
    groups = rows.groupby(test["within"], sort=False) if "within" in test else [((), rows)]
    last = {key: group.loc[group["value"].idxmin()] for key, group in groups}
    measured = ", ".join(
        " ".join(
            [*map(str, key if isinstance(key, tuple) else (key,)), f"{row['metric']} {row['value']:.2f}"]
        )
        for key, row in last.items()
    )
    wanted = as_list(test["metric"])
    return all(row["metric"] in wanted for row in last.values()), measured, "lowest of the selected metrics"


def _bounded(results, test):
    """Every selected value lies between `above` and `below`.

    With ``any: true`` at least one, with ``most: true`` more than half of them.
    """
    rows = complete(select_rows(results, test["select"]), test)
    low, high = test.get("above", -math.inf), test.get("below", math.inf)
    values = rows["value"].abs() if test.get("absolute") else rows["value"]
    inside = (values > low) & (values < high)
    quantifier = next((word for word in ("any", "most") if test.get(word)), "all")
    holds = {"any": inside.any(), "most": inside.mean() > 0.5, "all": inside.all()}[quantifier]
    bounds = [f"> {low}"] * math.isfinite(low) + [f"< {high}"] * math.isfinite(high)
    quantifier = {"any": "at least one"}.get(quantifier, quantifier)
    return (
        bool(holds),
        f"{values.min():.2f} to {values.max():.2f}",
        (f"read as {quantifier} {' and '.join(bounds)}: {int(inside.sum())} of {len(rows)}"),
    )


def _compared(results, test):
    """Each value of `left` is greater than each of `right` on the same rows but for the metric."""
    left, right = (
        complete(select_rows(results, test["left"]), test),
        complete(select_rows(results, test["right"]), test),
    )
    low, high = left["value"].min(), right["value"].max()
    return bool(low > high), f"{low:.2f} against {high:.2f}", "smallest of the left, largest of the right"


def _falling(results, test):
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
    shown = ", ".join(f"{metric} {sign * trend:+.2f}" for metric, trend in trends.items())
    return (
        len(follow) == len(trends),
        shown,
        (
            f"Kendall's tau of value and {test['along']}: {verb} as {test['along']} falls "
            f"for {len(follow)} of {len(trends)}"
        ),
    )


def _lower(results, test):
    """Every selected value of a metric is below the same metric's value in the one row of `against`.

    With ``most: true`` it is enough that this is so for more than half of the metrics that both have.
    """
    rows = complete(select_rows(results, test["select"]), test)
    against = select_rows(results, test["against"]).set_index("metric")["value"]
    highest = rows.groupby("metric", sort=False)["value"].max()
    if test.get("most"):
        highest = highest[highest.index.isin(against.index)]
    below = [metric for metric in highest.index if highest[metric] < against[metric]]
    shown = ", ".join(f"{metric} {highest[metric]:.2f} < {against[metric]:.2f}" for metric in below)
    holds = 2 * len(below) > len(highest) if test.get("most") else len(below) == len(highest)
    return holds, shown, f"lower for {len(below)} of {len(highest)} metrics"


STATEMENTS: dict[str, Callable] = {
    "highest": _highest,
    "lowest": _lowest,
    "bounded": _bounded,
    "compared": _compared,
    "falling": _falling,
    "lower": _lower,
}
