"""experiments.tests: is one metric better than another? Tests of metrics against each other, as tidy tables.

For the notebooks `tests`, `your_metric`, `sera`, `annotators` and `leaderboard`; Deutsch et al. 2021, §4,
§6.2, Figs. 5 and 6. All rows of a benchmark see the same draws, so none depends on
which others were asked for.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.copies import copies
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.panels import Panels, grid, heatmap, label
from helpers.kit.theme import GREY, ORANGE, SKY
from helpers.kit.variants import load_reported
from metaeval import analysis
from metaeval.analysis.tests import _PANEL, FAMILIES, corrected, least
from metaeval.core.limits import check_alpha
from metaeval.stats.differences import CORRECTIONS, TESTS
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue

OUTCOMES = (
    "not significant",
    "significant",
    "significant after correction",
    "significant; too few draws to correct",
)
_NAMED = 3  # metrics in the lead that a sentence names; of more it gives the number
_OF_THESE = ("Perm-Both", "Perm-Inputs", "Boot-Inputs")  # tests that take the systems as given
_OF_OTHERS = "Perm-Systems"  # exchanges whole systems, so that what it finds is about others too
_EACH = ", each name"  # ends a quantity in which a metric under two names counts twice


def outcomes(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """The table with a column outcome, one of `OUTCOMES`.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float
        A p-value up to it is significant.

    Returns
    -------
    DataFrame, the rows of `tests` with the column outcome
    """
    check_alpha(alpha)
    significant, corrected = tests["pvalue"] <= alpha, tests["adjusted_pvalue"] <= alpha
    nothing, plain, after_correction, beyond_reach = OUTCOMES
    cases = [significant & (tests["least_pvalue"] > alpha), significant & corrected, significant]
    found = np.select(cases, [beyond_reach, after_correction, plain], nothing)
    return check(tests.assign(outcome=found), keys=[*_PANEL, "metric", "rival"])


def answer(tests: pd.DataFrame, *, alpha: float, correction: str) -> dict[str, str]:
    """The page's answer: which metric is shown to beat most others, and how many pairs are told apart.

    Since pairs of all rows are counted together, all tests of a panel are corrected together.

    Parameters
    ----------
    tests : DataFrame of `table`
        By the first of its methods, beside one that takes the systems as given with the count of
        Perm-Systems; metrics that are one count once.
    alpha : float
    correction : see `corrected`

    Returns
    -------
    dict
        ``tests-answer-short`` and ``tests-answer-sure``, at system level where the table has it; every word
        is chosen from the numbers.
    """
    method = tests["method"].iloc[0]
    panel = {"family": "table", "correction": correction}
    whole = tests.assign(adjusted_pvalue=corrected(tests, **panel), least_pvalue=least(tests, **panel))
    found = outcomes(once(whole), alpha=alpha)
    found = found.assign(won=found["outcome"] == OUTCOMES[2])
    at = "system" if (found["level"] == "system").any() else found["level"].iloc[0]
    at_level = found[found["level"] == at]
    first = at_level[at_level["method"] == method]
    ahead = [_most_wins(words("data", name), part) for name, part in first.groupby("dataset", sort=False)]
    apart = [
        f"{part['won'].sum()} of {len(part) // 2} on {words('data', name)}"
        for name, part in first.groupby("dataset", sort=False)
    ]
    of_others = at_level[at_level["method"] == _OF_OTHERS].groupby("dataset", sort=False)["won"].sum()
    where, beyond = f"At {words('level', at)}", ""
    if method in _OF_THESE:
        where = f"On these systems, at {words('level', at)}"
        if len(of_others):
            beyond = f" For other systems, {_OF_OTHERS} tells apart {wording.joined([*map(str, of_others)])}."
    rest = " Other pairs may differ." if 2 * first["won"].sum() < len(first) else ""
    how = "without correction" if correction == "none" else f"{correction}'s correction for all pairs"
    return {
        "tests-answer-short": f"{where}, {wording.joined(ahead)} ({method}, {how}).",
        "tests-answer-sure": f"Pairs told apart: {wording.joined(apart)}.{beyond}{rest}",
    }


def _most_wins(dataset: str, tests: pd.DataFrame) -> str:
    """Which metrics beat most others on a data set, in words."""
    wins = tests.groupby("metric", sort=False)["won"].sum()
    first = wording.leaders(wins)
    if not wins.max():
        return f"no metric is shown to beat another on {dataset}"
    who = wording.joined(first) if len(first) <= _NAMED else f"each of {len(first)} metrics"
    beat = "each beat" if 1 < len(first) <= _NAMED else "beats"
    return f"{who} {beat} {wins.max()} of {len(wins) - 1} others on {dataset}"


def once(tests: pd.DataFrame) -> pd.DataFrame:
    """The tests without metrics that are an earlier one under another name.

    Parameters
    ----------
    tests : DataFrame of `table`

    Returns
    -------
    DataFrame, the rows of `tests` between metrics whose correlations differ somewhere
    """
    found = set()
    for dataset, part in tests.assign(value=tests["value"].abs()).groupby("dataset", sort=False):
        names = part["metric"].unique()
        apart = part.pivot_table(index="rival", columns="metric", values="value", aggfunc="max")
        found |= {(dataset, metric) for metric in copies(apart.reindex(index=names, columns=names))}
    named = (zip(tests["dataset"], tests[side], strict=True) for side in ("metric", "rival"))
    kept = [first not in found and second not in found for first, second in zip(*named, strict=True)]
    return check(tests[kept], keys=[*_PANEL, "metric", "rival"])


def quantities(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """What a paper says of tests, one row per number, whatever the table itself was corrected by.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, rival, quantity, value
        `quantity` is "pvalue", "Holm" or "Bonferroni" (corrected in its row), and, with an empty rival, what
        a metric is after Holm's correction: "share beaten" (of its rivals, those over which it is
        significantly better), "ROUGE beaten" (of its rivals among the ROUGE variants), "net beaten" (how
        many more it beats than beat it; metrics that are one count `once`) and "net beaten, each name".
    """
    check_alpha(alpha)
    keys = [*_PANEL, "metric"]
    plain = tests[[*keys, "rival", "pvalue"]].assign(
        Holm=corrected(tests, correction="Holm"), Bonferroni=corrected(tests, correction="Bonferroni")
    )
    beaten = tests[[*keys, "rival"]].assign(value=plain["Holm"] <= alpha)
    of_rouge = beaten["rival"].str.startswith("ROUGE") & ~beaten["metric"].str.startswith("ROUGE")
    groups = {"sort": False, "as_index": False}
    parts = [
        plain.melt([*keys, "rival"], var_name="quantity"),
        beaten.groupby(keys, **groups)["value"].mean().assign(quantity="share beaten", rival=""),
        beaten[of_rouge].groupby(keys, **groups)["value"].mean().assign(quantity="ROUGE beaten", rival=""),
        _net(beaten.loc[once(tests).index]).assign(quantity="net beaten", rival=""),
        _net(beaten).assign(quantity=f"net beaten{_EACH}", rival=""),
    ]
    found = pd.concat(parts, ignore_index=True).astype({"value": float})
    return check(found, keys=[*keys, "rival", "quantity"])


def _net(beaten: pd.DataFrame) -> pd.DataFrame:
    """How many more rivals a metric beats than beat it; columns of the panel, metric, value."""
    keys = [*_PANEL, "metric"]
    by_others = beaten.drop(columns="metric").rename(columns={"rival": "metric"})
    wins, losses = (
        rows.groupby(keys, sort=False, as_index=False)["value"].sum() for rows in (beaten, by_others)
    )
    both = wins.merge(losses, on=keys, suffixes=("", "_lost"))
    return both.assign(value=both["value"] - both["value_lost"])[[*keys, "value"]]


def counts(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """How many ordered pairs each test calls different, without and with each correction and family.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float
        A p-value up to it is significant.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, correction, quantity, value (a count),
    n_tests (of the families), n_resamples, n_needed (draws without which no p-value can be as small as
    `alpha`; 0 for Williams' test)
        `quantity` is "significant" (metrics that are one count `once`) or "significant, each name".
        `correction` is "none" or the correction and its family, such as "Holm, row". With too few draws the
        count is NaN: nothing was tested that could have been significant.
    """
    check_alpha(alpha)
    by = [tests[key] for key in _PANEL]
    counted = {"": tests.index.isin(once(tests).index), _EACH: True}
    choices = [("none", "row"), *((name, family) for family in FAMILIES for name in ("Holm", "Bonferroni"))]
    frames = []
    for correction, family in choices:
        settings = {"family": family, "correction": correction}
        pvalues, lowest = corrected(tests, **settings), least(tests, **settings)
        one = pd.DataFrame(
            {
                "n_tests": pvalues.groupby(by, sort=False).count(),
                "n_resamples": tests["n_resamples"].groupby(by, sort=False).first(),
                "least": lowest.groupby(by, sort=False).max(),
            }
        )
        # the most that a family's least p-value is, in draws
        needed = (
            np.ceil((one["least"] * (one["n_resamples"] + 1) / alpha).round(6)).clip(lower=1).astype(int) - 1
        )
        name = correction if correction == "none" else f"{correction}, {family}"
        for each, kept in counted.items():
            value = ((pvalues <= alpha) & kept).groupby(by, sort=False).sum().astype(float)
            found = one.assign(value=value.where(one["least"] <= alpha), n_needed=needed)
            frames.append(found.reset_index().assign(correction=name, quantity=f"significant{each}"))
    columns = [*_PANEL, "correction", "quantity", "value", "n_tests", "n_resamples", "n_needed"]
    return check(pd.concat(frames, ignore_index=True)[columns], keys=columns[:6])


def lost(counted: pd.DataFrame) -> pd.DataFrame:
    """Significant results that correction for a whole panel loses against correction row by row.

    Deutsch et al. 2021, appendix B: Fig. 6 against Fig. 5.

    Parameters
    ----------
    counted : DataFrame of `counts`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, correction ("Holm, pairs" as the released code
    has it, "Bonferroni, table" as printed, and the other two), quantity ("lost by correction", of metrics
    that count `once`, or "lost by correction, each name"), value
    """
    parted = counted["correction"].str.partition(", ")
    named = counted.assign(name=parted[0], family=parted[2])
    rows = named[named["family"] == "row"]
    wide = named[named["family"].isin(["pairs", "table"])]
    both = wide.merge(rows, on=[*_PANEL, "name", "quantity"], suffixes=("", "_row"))
    quantity = both["quantity"].str.replace("significant", "lost by correction")
    found = both.assign(quantity=quantity, value=both["value_row"] - both["value"])
    columns = [*_PANEL, "correction", "quantity", "value"]
    return check(found[columns], keys=columns[:-1])


def same_outcomes(tests: pd.DataFrame, others: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """How many cells of a figure stay what they are with other coefficients.

    Parameters
    ----------
    tests, others : DataFrame of `table`
        With one coefficient, and with others.
    alpha : float

    Returns
    -------
    DataFrame with columns dataset ("all" for all panels of a method together), level, coefficient, method,
    quantity, value (share of the cells), n_tests
        `quantity` is "same cells" (significant or not) of metrics that count `once`, "same cells, each name",
        or "same cells after correction" (Holm's, by row).
    """
    ids = ["dataset", "level", "method", "metric", "rival"]

    def significant(table: pd.DataFrame) -> pd.DataFrame:
        cells = table[[*ids, "coefficient"]]
        return cells.assign(plain=table["pvalue"] <= alpha, corrected=corrected(table) <= alpha)

    both = significant(others).merge(significant(tests).drop(columns="coefficient"), on=ids)
    distinct = both.merge(once(tests)[ids])
    frames = []
    for name, cells, column in (
        ("same cells", distinct, "plain"),
        (f"same cells{_EACH}", both, "plain"),
        ("same cells after correction", both, "corrected"),
    ):
        same = cells.assign(value=cells[f"{column}_x"] == cells[f"{column}_y"])
        for part in (same, same.assign(dataset="all", level="all")):
            counted = part.groupby(_PANEL, sort=False)["value"].agg(["mean", "size"]).reset_index()
            frames.append(counted.assign(quantity=name))
    found = pd.concat(frames, ignore_index=True).rename(columns={"mean": "value", "size": "n_tests"})
    return check(found, keys=[*_PANEL, "quantity"])


_OF_OUTCOME = ("rgba(138,138,138,0.2)", SKY, ORANGE, GREY)
_N = len(_OF_OUTCOME)
_COLOURS = [[(n + side) / _N, colour] for n, colour in enumerate(_OF_OUTCOME) for side in (0, 1)]


def difference_heatmap(tests: pd.DataFrame) -> go.Figure:
    """Which metric (row) is significantly better than which (column), one panel per data set.

    Dropdowns pick the test and the level.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.tests.outcomes`
    """
    numbers = [
        [
            round(row.value, 5),
            pvalue(row.pvalue, name="p"),
            pvalue(row.adjusted_pvalue, smallest=row.least_pvalue),
            row.n_used,
        ]
        for row in tests.itertuples()
    ]
    shown = tests.assign(numbers=numbers, code=tests["outcome"].map(OUTCOMES.index))
    levels, datasets = shown["level"].unique().tolist(), shown["dataset"].unique().tolist()
    names = {dataset: rows["metric"].unique().tolist() for dataset, rows in shown.groupby("dataset")}
    sheet = Panels(datasets, column="dataset", gap=0.24, own_y=True)
    moving: dict[str, list[dict]] = {level: [] for level in levels}
    parts = dict(iter(shown.groupby(["method", "dataset", "level"], sort=False)))
    for method, dataset in dict.fromkeys((method, dataset) for method, dataset, _ in parts):
        own = names[dataset]
        for level in levels:
            rows = parts[method, dataset, level]
            cells = {
                key: grid(rows, "metric", "rival", own, own, column)
                for key, column in (("z", "code"), ("customdata", "numbers"))
            }
            moving[level].append(cells)
        hover = (
            "<b>%{y} better than %{x}?</b><br>difference %{customdata[0]:+.3f}, %{customdata[1]}, "
            f"corrected %{{customdata[2]}}<br>{label('n_used')}: %{{customdata[3]}}<extra>{method}</extra>"
        )
        trace = heatmap(own, own, colours=_COLOURS, high=_N - 1) | {
            "texttemplate": "",
            "hovertemplate": hover,
        }
        sheet.add(trace | moving[levels[0]][-1], dataset, of={"method": method})
    sheet.moved(moving, levels[0], range(len(sheet.data)))
    for outcome, colour in zip(OUTCOMES, _OF_OUTCOME, strict=True):
        marker = {"symbol": "square", "size": 12, "color": colour}
        sheet.add(
            {"x": [None], "y": [None], "mode": "markers", "name": outcome, "marker": marker}, datasets[0]
        )
    sheet.menu("Test", "method").moving_menu("Level", [words("level", level) for level in levels])
    sheet.x(title="than this metric", tickangle=-60, automargin=True, side="bottom", showgrid=False)
    sheet.y(title="this one is better", autorange="reversed", automargin=True, showgrid=False)
    figure = sheet.figure(height=250 + 26 * max(map(len, names.values())))
    return figure.update_layout(margin={"b": 170})


def _compute(*, datasets, coefficient, method, seed, alpha, **settings):
    return analysis.tests.table(
        load_reported(datasets), coefficients=[coefficient], methods=[method], rng=seed, **settings
    )


LIVE = Live(
    notebook="tests",
    question="Which metric is significantly better than which?",
    controls=(
        choices.REPORTED_DATASETS,
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        One("method", "Test", tuple(TESTS)),
        Real("alpha", "Significant at p ≤", 0.01, 0.2, 0.01),
        One("correction", "Correction", tuple(CORRECTIONS)),
        One("family", "Corrected together", tuple(analysis.tests.FAMILIES)),
        choices.draws("n_resamples", "Draws", 9999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 499},
    remark="Starts with 499 draws, too few to correct for a whole table; the notebook takes 9,999.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, settings: difference_heatmap(outcomes(table, alpha=settings["alpha"])),
)
