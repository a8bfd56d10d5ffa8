"""experiments.findings: what a researcher can act on, in ten numbers of the last full run on real data.

Recorded tables of the other pages in, one tidy table and the words for its sentences out; called by the
notebook `findings`. A finding quotes what is typical: where several metrics could be quoted, the one whose
value, change or width is the median; of an even number the middle one nearer to 0 (or wider). Whether two
correlations differ is read from an interval of their difference over shared draws, never from two intervals
that overlap; whether two rankings are more alike with more documents, from the Monte-Carlo error of the two
means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.experiments import coverage, index_size, judges, summaries
from helpers.kit import recorded
from helpers.kit.marks import marks
from helpers.kit.recorded import FOLDER
from helpers.kit.theme import BLUE, GREY, VERMILLION, metric_style, style_of
from helpers.kit.told import typical, value_told
from metaeval.stats.intervals import normal_reach
from metaeval.stats.monte_carlo import share_interval
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words

LEVEL = 0.95  # of the intervals
_ESTIMATE = ["metric", "value", "low", "high"]
# what the interval of a change is about
SAMPLED, AT_RANDOM = "other systems and documents", "other random draws from the same"
_COUNTS = ["n_used", "n_agree", "n_values"]
_DIGITS = 2  # of printed ends, by which words are chosen
_BENCHMARKS = {"bhandari2020": "realsumm"}  # REALSumm as the resampling paper released it


def table(
    *,
    k: int = 10,
    gain: float = 0.5,
    kept: int = 50,
    documents: Sequence[int] = (50, 100),
    small: int = 1000,
    folder: Path = FOLDER,
) -> pd.DataFrame:
    """The numbers behind the findings, each with an interval.

    Parameters
    ----------
    k : int
        The best systems that are compared with all.
    gain : float
        Points of ROUGE-1 by which two systems differ at most.
    kept : int
        Percent of the tokens that the degraded metric of the power simulation sees.
    documents : ints
        Judged documents behind a ranking, two sizes.
    small : int
        Stories in a small index.
    folder : Path
        Of the recorded tables.

    Returns
    -------
    DataFrame with one row per finding and quantity
        Columns: page, quantity, metric (empty where none is meant), value, low, high (of 95 %), n_used (what
        the value rests on: systems, pairs, documents or trials), n_agree and n_values (of this many metrics
        or sets, those of which the same is said), pvalue and smallest_pvalue (where there is a test).

    Raises
    ------
    FileNotFoundError
        If a table was not recorded.
    ValueError
        If a recorded table has no rows of what is asked for.
    """

    def read(name: str, wanted: str) -> pd.DataFrame:
        found = _recorded(name, folder)
        rows = found.query(wanted, local_dict={"k": k, "gain": gain, "kept": kept, "documents": documents})
        if rows.empty:
            raise ValueError(f"the recorded table fig-{name} has no rows with {wanted}")
        return rows

    system_r = "level == 'system' and coefficient == 'pearson'"
    of_systems = read("systems-correlations", system_r)
    on_all = of_systems.query("group == 'mix'")
    pearson = "coefficient == 'pearson'"
    extractive = f"group == 'ext' and {pearson}"
    of_people, indexes = (
        read("variance-stability", "metric == 'people'"),
        read("index_size-slider", pearson),
    )
    sizes = of_people["n_documents"].unique().tolist()
    if len(documents) != 2 or not {*documents} <= {*sizes}:
        raise ValueError(f"`documents` must be two of the sizes of a ranking, {sizes}, got {documents}")
    index_size.check_small(small, indexes.loc[~indexes["is_whole"], "stories"].unique().tolist())
    parts = {
        "topk": _changed(
            {
                "all": on_all,
                "best": read("topk-differences", f"k == @k and {pearson} and quantity == 'part'"),
            },
            read("topk-differences", f"k == @k and {pearson} and quantity == 'difference'"),
        ),
        "systems": _changed(
            {"mix": on_all, "ext": of_systems.query("group == 'ext'")},
            read("systems-differences", f"{extractive} and quantity == 'difference'"),
        ),
        "margins": _small_gain(
            read("margins-gains", "reading == 'up to' and gain == @gain and metric == 'ROUGE-1'")
        ),
        "intervals": _typical_widths(read("intervals-bars", "method == 'Boot-Both' and level == 'system'")),
        "coverage": _shares(read("coverage-shares", "level == 'system'"), "dataset"),
        "power": _shares(read("power-curves", "kept == @kept"), "level"),
        "variance": _stability(of_people, documents),
        "summaries": _filtered(read("summaries-levels", extractive)),
        "annotators": _references(
            read("annotators", pearson),
            read("annotators-differences", f"{pearson} and n_references == 1"),
        ),
        "index_size": index_size.size_effect(indexes, small=small).assign(quantity="effect"),
    }
    found = pd.concat([part.assign(page=page) for page, part in parts.items()], ignore_index=True)
    columns = ["page", "quantity", *_ESTIMATE, *_COUNTS, "pvalue", "smallest_pvalue"]
    return check(found.reindex(columns=columns).fillna({"metric": ""}), keys=["page", "quantity"])


def _changed(sides: dict[str, pd.DataFrame], changes: pd.DataFrame) -> pd.DataFrame:
    """Two correlations of the metric whose change is the median, and their difference with its own interval.

    Of the difference `n_agree` counts the metrics, of `n_values`, whose interval leaves out 0.
    """
    middle = typical(changes)
    rows = [
        of_side[of_side["metric"] == middle["metric"]].assign(quantity=name)
        for name, of_side in sides.items()
    ]
    where = wording.sides(changes["low"], changes["high"], digits=_DIGITS)
    n_apart = where["below"] + where["above"]
    difference = changes.loc[[middle.name]].assign(
        quantity="difference", n_used=np.nan, n_agree=n_apart, n_values=len(changes)
    )
    return pd.concat([*rows, difference])


def _benchmark(dataset: str) -> str:
    return _BENCHMARKS.get(dataset, dataset.removeprefix("re-examining-"))


def _small_gain(gains: pd.DataFrame) -> pd.DataFrame:
    named = {"agreement": "value", "agreement_low": "low", "agreement_high": "high", "n_pairs": "n_used"}
    shares = gains[["dataset", "metric", *named]].rename(columns=named)
    return shares.assign(quantity=shares["dataset"].map(_benchmark))


def _typical_widths(bars: pd.DataFrame) -> pd.DataFrame:
    """Of each data set the metric whose interval has the middle width; metrics that are copies count once."""
    distinct = bars.drop_duplicates(["dataset", "value", "low", "high"])
    rows = []
    for dataset, part in distinct.groupby("dataset", sort=False):
        middle = typical(part.assign(value=part["high"] - part["low"]), larger=True).name
        rows.append(part.loc[[middle], _ESTIMATE].assign(quantity=_benchmark(dataset), n_values=len(part)))
    return pd.concat(rows)


def _shares(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Shares of trials, each by itself: data sets and levels differ, so no mean over them is quoted."""
    trials = rows["n_trials"] - rows["n_undefined"]
    low, high = share_interval(rows["value"], trials, confidence_level=LEVEL)
    names = rows[by].map(_benchmark) + "-" + rows["method"]
    return pd.DataFrame(
        {"quantity": names, "value": rows["value"], "low": low, "high": high, "n_used": trials}
    )


def _stability(rows: pd.DataFrame, documents: Sequence[int]) -> pd.DataFrame:
    """How alike two rankings by people are, with what 95 of 100 pairs of rankings give; and the difference
    that documents make, with its Monte-Carlo error, as if the draws of the two means were independent.
    """
    reach = normal_reach(LEVEL)
    found = []
    for dataset, part in rows.groupby("dataset", sort=False):
        fewer, more = (part[part["n_documents"] == n].iloc[0] for n in documents)
        for name, row in (("fewer", fewer), ("more", more)):
            half = reach * row["standard_deviation"]
            ends = np.clip([row["value"] - half, row["value"] + half], -1, 1)
            found.append((f"{_benchmark(dataset)}-{name}", row["value"], *ends))
        change = more["value"] - fewer["value"]
        half = reach * np.hypot(more["mc_error"], fewer["mc_error"])
        found.append((f"{_benchmark(dataset)}-difference", change, change - half, change + half))
    return pd.DataFrame(found, columns=["quantity", "value", "low", "high"])


def _filtered(levels: pd.DataFrame) -> pd.DataFrame:
    """Means over all documents and over those that a filter keeps, of the metric whose change is the median.

    A mean of the correlations that pass a filter for their size is larger by construction, so the finding is
    what else the filter turns: of `n_values` metrics, `n_agree` judge summaries better than systems.
    """
    at_summaries = levels[levels["level"] == "summary"]
    half = stats.t.ppf((1 + LEVEL) / 2, at_summaries["n_used"] - 1) * at_summaries["standard_error"]
    at_summaries = at_summaries.assign(
        low=at_summaries["value"] - half, high=at_summaries["value"] + half
    ).set_index("metric")
    kept = at_summaries["documents"] == summaries.SIGNIFICANT
    change = (at_summaries.loc[kept, "value"] - at_summaries.loc[~kept, "value"]).reset_index()
    metric = typical(change)["metric"]
    better = summaries.better_at_summaries(levels).set_index("documents")["n_metrics"]
    return at_summaries.loc[[metric]].reset_index().assign(
        quantity=lambda rows: rows["documents"],
        n_agree=lambda rows: rows["documents"].map(better),
        n_values=len(change),
    )  # fmt: skip


def _references(sets: pd.DataFrame, changes: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for level in ("system", "summary"):
        at_level = sets[sets["level"] == level]
        everything = at_level[at_level["n_references"] == at_level["n_references"].max()]
        middle = changes[changes["level"] == level]
        single = at_level[at_level["metric"] == typical(middle)["metric"]]
        found = _changed({"1": single}, middle)
        found = pd.concat([found, everything.assign(quantity="all")])
        rows.append(found.assign(quantity=f"{level}-" + found["quantity"]))
    return pd.concat(rows)


def in_words(findings: pd.DataFrame, *, confidence_level: float = 0.95) -> dict[str, str]:
    """What the sentences quote: every number with its interval, and the words that these earn.

    Parameters
    ----------
    findings : DataFrame of `table`
    confidence_level : float
        What the intervals of the coverage simulation promise.

    Returns
    -------
    dict
        ``PAGE-QUANTITY`` (a number with its interval), ``PAGE-QUANTITY-n`` (what it rests on),
        ``PAGE-QUANTITY-metric``, ``PAGE-QUANTITY-of`` (of how many the same is said, ``2 of 6``),
        ``PAGE-QUANTITY-word`` or ``PAGE-word``.
    """
    digits = {"margins": 0, "coverage": 1, "power": 1}  # of percent
    said: dict[str, str] = {}
    for row in findings.itertuples():
        name = f"{row.page}-{row.quantity}"
        as_percent = {"digits": digits[row.page], "percent": True} if row.page in digits else {}
        said[name] = value_told(row, **as_percent)
        if row.n_used > 0:
            said[f"{name}-n"] = f"{row.n_used:,.0f}"
        if row.n_values > 0:
            said[f"{name}-values"] = f"{row.n_values:.0f}"
        if row.n_agree >= 0:
            said[f"{name}-of"] = f"{row.n_agree:.0f} of {row.n_values:.0f}"
        if row.metric:
            said[f"{name}-metric"] = row.metric
    rows = findings.set_index(["page", "quantity"])
    for name, choice in _WORDS.items():
        page, _, quantity = name.partition("-")
        row = rows.loc[(page, quantity)]
        said[f"{name}-word"] = wording.against(
            row["low"], row["high"], words=choice, at=_AT.get(page, 0.0), digits=_DIGITS
        )

    def lead(page: str, part: str, **target: float) -> str:
        mine = rows.loc[page]
        mine = mine[mine.index.str.startswith(f"{part}-")].rename(lambda name: name.removeprefix(f"{part}-"))
        errors = (mine["high"] - mine["low"]) / 2 / normal_reach(LEVEL)
        return wording.joined(wording.leaders(dict(mine["value"]), dict(errors), **target))

    exact = coverage.exact_share(confidence_level)  # of trials, as the other half's estimate is noisy too
    for dataset in ("summeval", "realsumm"):
        row = rows.loc[("intervals", dataset)]
        said[f"intervals-{dataset}-word"] = wording.width(row["low"], row["high"])
        said[f"coverage-{dataset}-word"] = lead("coverage", dataset, target=exact)
        said[f"coverage-{dataset}-promise-word"] = lead("coverage", dataset, target=confidence_level)
    for level in ("system", "summary"):
        said[f"power-{level}-word"] = lead("power", level)
    counts = rows.loc["summaries", "n_agree"]
    effect = rows.loc[("index_size", "effect")]
    return said | {
        "coverage-exact": wording.percent(exact),
        "summaries-word": wording.changed(counts[summaries.ALL], counts[summaries.SIGNIFICANT]),
        "index_size-p": wording.pvalue(effect["pvalue"], name="p", smallest=effect["smallest_pvalue"]),
        "index_size-word": wording.beyond_chance(effect["pvalue"], smallest=effect["smallest_pvalue"]),
    }


def by_meaning(findings: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The numbers behind the findings as tables to look at, apart by what a value and a count mean.

    Parameters
    ----------
    findings : DataFrame of `table`

    Returns
    -------
    dict
        ``correlations``; ``differences`` of two, with how many intervals, of this many metrics or sets, leave
        out 0; ``shares`` of pairs or trials; ``counts`` of metrics that judge summaries better than systems.
    """
    is_share = findings["page"].isin(_SHARES)
    is_change = findings["quantity"].isin(["difference", "effect"]) | findings["quantity"].str.endswith(
        "-difference"
    )
    of_what = findings["page"].map(_OF_WHAT).where(~is_change, "").fillna("")
    named = (findings["quantity"] + of_what).replace({"effect": "difference"})
    shown = findings.assign(quantity=named.str.replace(r"\b1 references", "1 reference", regex=True))
    estimate = ["page", "quantity", *_ESTIMATE]
    counts = ["n_agree", "n_values"]
    parts = {
        "correlations": shown.loc[~is_share & ~is_change, [*estimate, "n_used"]],
        "differences": shown.loc[is_change, [*estimate, *counts, "pvalue"]].rename(
            columns={"n_agree": "n_without_0"}
        ),
        "shares": shown.loc[is_share, [*estimate, "n_used"]],
        "counts": shown.loc[shown["page"] == "summaries", ["page", "quantity", *counts]].rename(
            columns={"n_agree": "n_better", "n_values": "n_metrics"}
        ),
    }
    return {name: check(part, keys=["page", "quantity"], values=()) for name, part in parts.items()}


def judges_by_meaning(chosen: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The numbers behind the advice on judges as tables to look at, apart by what a value and a count mean.

    Parameters
    ----------
    chosen : DataFrame of `choosing_a_judge`

    Returns
    -------
    dict
        ``correlations``, ``orders`` and ``passing``.
    """
    kinds = chosen["quantity"].str.partition("-")[0]
    of_orders = ["place", "n_judges", "value", "pvalue"]
    parts = {
        "correlations": chosen.loc[kinds.isin(["width", "first", "apart"]), ["quantity", *_ESTIMATE]].replace(
            {"quantity": {"width": "interval of middle width"}}
        ),
        "orders": chosen.loc[kinds == "order", ["quantity", "metric", *of_orders]].astype({"place": "Int64"}),
        "passing": chosen.loc[kinds == "passing", ["quantity", "n_agree", "n_values"]].rename(
            columns={"n_agree": "n_passing"}
        ),
    }
    return {name: check(part, keys=["quantity"], values=()) for name, part in parts.items()}


# what the quantities of a page speak of
_OF_WHAT = {
    "topk": " systems",
    "variance": " documents",
    "summaries": " documents",
    "annotators": " references",
}
_SHARES = ("margins", "coverage", "power")  # pages whose value is a share of pairs or trials
_CHANGE = (
    "so it is lower there",
    "so these data leave open whether it is lower there",
    "so it is higher there",
)
_COIN = ("less often than", "not told apart from", "more often than")
_MORE = ("less than", "not told apart from", "more than")
_GAIN = ("so fewer do better", "so no difference is shown", "so more do better")
_AT = {"margins": 0.5}
# findings whose word says where an interval lies: below, around or above 0, or the value of the page
_WORDS = {
    "topk-difference": _CHANGE,
    "systems-difference": _CHANGE,
    **{f"margins-{dataset}": _COIN for dataset in ("summeval", "realsumm")},
    **{f"variance-{dataset}-difference": _MORE for dataset in ("summeval", "realsumm")},
    **{f"annotators-{level}-difference": _GAIN for level in ("system", "summary")},
}


def changes(
    findings: pd.DataFrame, *, k: int = 10, documents: Sequence[int] = (50, 100), small: int = 1000
) -> pd.DataFrame:
    """What a choice changes, of the findings that are differences of one coefficient.

    Parameters
    ----------
    findings : DataFrame of `table`
    k, documents, small : as `table` was given them

    Returns
    -------
    DataFrame with columns page, choice (in words), coefficient, drawn (`SAMPLED` where the interval is about
    other systems and documents, `AT_RANDOM` where it is about other random draws from the same), value, low,
    high
    """
    fewer, more = documents
    told = {
        ("topk", "difference"): f"the {k} best systems, not all",
        ("systems", "difference"): "extractive systems, not all",
        ("annotators", "system-difference"): "all references, not one (systems)",
        ("annotators", "summary-difference"): "all references, not one (summaries)",
        ("variance", "summeval-difference"): f"{more} documents, not {fewer} (SummEval)",
        ("variance", "realsumm-difference"): f"{more} documents, not {fewer} (REALSumm)",
        ("index_size", "effect"): f"{small:,} stories, not all",
    }
    rows = findings.set_index(["page", "quantity"]).loc[list(told)].reset_index()
    found = rows.assign(
        choice=list(told.values()),
        coefficient=rows["page"].map({"variance": "kendall"}).fillna("pearson"),
        drawn=rows["page"].isin(["variance", "index_size"]).map({False: SAMPLED, True: AT_RANDOM}),
    )
    return check(
        found[["page", "choice", "coefficient", "drawn", "value", "low", "high"]], keys=["page", "choice"]
    )


def pictured(*, folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """What the small pictures of four pages show, of Pearson's r over systems where there is a choice.

    Parameters
    ----------
    folder : Path
        Of the recorded tables.

    Returns
    -------
    dict, page -> DataFrame
        With a column value and, of ``topk``, k and metric; of ``margins``, from_percent and to_percent; of
        ``coverage``, method; of ``index_size``, stories and metric.

    Raises
    ------
    FileNotFoundError
        If a table was not recorded.
    """
    rows = {
        "topk": ("topk-curves", "group == 'mix' and coefficient == 'pearson'", ["k", "metric"]),
        "margins": (
            "margins-heatmap",
            "dataset == 're-examining-summeval' and metric == 'ROUGE-1'",
            ["from_percent", "to_percent"],
        ),
        "coverage": ("coverage-shares", "dataset == 'summeval' and level == 'system'", ["method"]),
        "index_size": (
            "index_size-curves",
            "coefficient == 'pearson' and domain == 'reuters' and overlap == 'SERA'",
            ["stories", "metric"],
        ),
    }
    return {
        page: check(_recorded(name, folder).query(wanted), keys=keys)
        for page, (name, wanted, keys) in rows.items()
    }


def choosing_a_judge(*, coefficient: str = "kendall", folder: Path = FOLDER) -> pd.DataFrame:
    """The numbers behind what to do for whoever chooses a judge, of the recorded judges of summaries.

    Parameters
    ----------
    coefficient : {"pearson", "spearman", "kendall"}
    folder : Path
        Of the recorded tables.

    Returns
    -------
    DataFrame with one row per quantity
        ``width`` is the judge and dimension whose interval over systems is of middle width;
        ``first-DIMENSION`` the judge with the highest correlation over systems; ``order-DIMENSION`` Kendall's
        tau of the judges' orders by the annotator test and by that correlation, the first in the test and
        its place, of `n_judges`, by the correlation; ``apart-DIMENSION``, of the dimension in which that
        place is the last, that judge's correlation, and how many judges, of `n_values`, pass the test (0
        where that judge does not); ``passing-RULE`` how many pairs of a judge and a dimension, of `n_values`,
        pass it. Columns: quantity, metric (a judge), value, low, high, place,
        n_judges, n_agree, n_values, pvalue, smallest_pvalue.

    Raises
    ------
    FileNotFoundError
        If a table was not recorded.
    """
    tests = _recorded("judges-alt_test", folder)
    raters = tests["rater"].unique()
    found = _recorded("judges-correlations", folder)
    ranking = found[(found["level"] == "system") & (found["coefficient"] == coefficient)]
    ranking = ranking[~ranking["judge"].isin(raters)]
    named = ranking["judge"] + " in " + ranking["dimension"]
    widths = ranking.assign(metric=named, value=ranking["high"] - ranking["low"])
    middle = ranking.loc[typical(widths, larger=True).name]
    above = int((ranking["low"] > 0).sum())
    ends = ["value", "low", "high"]
    rows = [
        {
            "quantity": "width", "metric": named[middle.name], **middle[ends].to_dict(), "n_agree": above,
            "n_values": len(ranking),
        }
    ]  # fmt: skip
    for dimension, part in ranking.groupby("dimension", sort=False):
        best = part.loc[part["value"].idxmax()]
        rows.append({"quantity": f"first-{dimension}", "metric": best["judge"], **best[ends].to_dict()})
    orders = judges.passing(tests, ranking, coefficient=coefficient)
    for row in orders.itertuples():
        rows.append(
            {
                "quantity": f"order-{row.dimension}", "metric": row.judge, "value": row.value,
                "place": row.place, "n_judges": row.n_judges, "pvalue": row.pvalue,
                "smallest_pvalue": row.smallest_pvalue,
            }
        )  # fmt: skip
    each = tests[tests["dimension"] != judges.ALL].drop_duplicates(["dimension", "judge"])
    rows.append(_furthest(orders, ranking, each))
    for rule in ("winning_rate", "document_rate", "system_rate"):
        n_passing = int((each[rule] >= judges.PASSES).sum())
        rows.append({"quantity": f"passing-{rule}", "n_agree": n_passing, "n_values": len(each)})
    counts = ["place", "n_judges", "n_agree", "n_values"]
    columns = ["quantity", *_ESTIMATE, *counts, "pvalue", "smallest_pvalue"]
    return check(pd.DataFrame(rows).reindex(columns=columns).fillna({"metric": ""}), keys=["quantity"])


def _furthest(orders: pd.DataFrame, ranking: pd.DataFrame, each: pd.DataFrame) -> dict:
    """The row ``apart-DIMENSION`` of `choosing_a_judge`."""
    last = orders.loc[orders["place"].idxmax()]
    here = each[each["dimension"] == last["dimension"]].set_index("judge")["winning_rate"] >= judges.PASSES
    own = ranking.set_index(["dimension", "judge"]).loc[(last["dimension"], last["judge"])]
    return {
        "quantity": f"apart-{last['dimension']}", "metric": last["judge"],
        **own[["value", "low", "high"]].to_dict(), "place": last["place"], "n_judges": last["n_judges"],
        "n_agree": int(here.sum()) if here[last["judge"]] else 0, "n_values": len(here),
    }  # fmt: skip


def _recorded(name: str, folder: Path) -> pd.DataFrame:
    found = recorded.read(f"fig-{name}", folder)
    if found is None:
        raise FileNotFoundError(f"no recorded table fig-{name}; `make record` keeps it")
    return found


def of_judges_in_words(chosen: pd.DataFrame) -> dict[str, str]:
    """What the four sentences on judges quote; every word that concludes is chosen from the numbers.

    Parameters
    ----------
    chosen : DataFrame of `choosing_a_judge`

    Returns
    -------
    dict
        Keys begin with ``judges-``.
    """
    rows = chosen.set_index("quantity")
    width, orders = rows.loc["width"], rows[rows.index.str.startswith("order-")]
    firsts = rows[rows.index.str.startswith("first-")].rename(lambda name: name.removeprefix("first-"))
    by_judge = firsts.groupby("metric", sort=False).apply(lambda part: wording.joined([*part.index]))
    places = [
        f"{row.place:.0f} in {row.Index.removeprefix('order-')} ({row.metric})" for row in orders.itertuples()
    ]
    counts = rows[rows.index.str.startswith("passing-")]["n_agree"]
    published, document, system = (int(count) for count in counts)
    return {
        "judges-width": value_told(width),
        "judges-width-metric": width["metric"],
        "judges-width-word": wording.width(width["low"], width["high"]),
        "judges-width-of": f"{width['n_agree']:.0f} of {width['n_values']:.0f}",
        "judges-first": wording.joined([f"{judge} in {where}" for judge, where in by_judge.items()]),
        "judges-first-word": "one judge is first" if len(by_judge) == 1 else "no one judge is first",
        "judges-places": wording.joined(places),
        "judges-n": f"{orders['n_judges'].iloc[0]:.0f}",
        "judges-apart": _apart_told(rows[rows.index.str.startswith("apart-")].iloc[0]),
        "judges-passing": f"{published} of {rows.loc['passing-winning_rate', 'n_values']:.0f}",
        "judges-passing-document": str(document),
        "judges-passing-system": str(system),
        "judges-passing-document-word": wording.changed(published, document),
        "judges-passing-system-word": wording.changed(published, system),
    }


def _apart_told(row: pd.Series) -> str:
    """What the annotator test says of a judge beside its place among the judges by correlation."""
    n, n_passing = int(row["n_judges"]), int(row["n_agree"])
    passed = {0: "does best in", 1: "alone passes"}.get(n_passing, f"does best of the {n_passing} that pass")
    place = {n: "last", 1: "first"}.get(int(row["place"]), f"number {row['place']:.0f}")
    return (
        f"In {row.name.removeprefix('apart-')}, {row['metric']} {passed} the alternative annotator test, and "
        f"is {place} of {n} judges by system-level τ, {value_told(row)}."
    )


def answer(findings: pd.DataFrame, chosen: pd.DataFrame, *, gain: float = 0.5) -> dict[str, str]:
    """The findings in three sentences: on intervals, on small gains, and on judges.

    Parameters
    ----------
    findings : DataFrame of `table`
    chosen : DataFrame of `choosing_a_judge`
    gain : see `table`

    Returns
    -------
    dict
        ``findings-answer-intervals``, ``-gains`` and ``-judges``; every word that concludes is chosen from
        the numbers.
    """
    said, names = in_words(findings), ("summeval", "realsumm")
    widths: dict[str, list[str]] = {}  # by the word that they earned
    shares: dict[str, list[str]] = {}
    for name in names:
        where = words("data", name)
        interval, share, n_pairs = (
            said[key] for key in (f"intervals-{name}", f"margins-{name}", f"margins-{name}-n")
        )
        widths.setdefault(said[f"intervals-{name}-word"], []).append(f"{where} ({interval})")
        shares.setdefault(said[f"margins-{name}-word"], []).append(f"{share} of {n_pairs} pairs ({where})")
    wide = [f"{word} on {wording.joined(found)}" for word, found in widths.items()]
    ordered = [f"{wording.joined(found)}, {word} a coin toss" for word, found in shares.items()]
    return {
        "findings-answer-intervals": "Print intervals: that of a "
        "typical metric's system-level τ is "
        f"{wording.joined(wide)}.",
        "findings-answer-gains": f"Test a small gain: within {gain:g} ROUGE-1 points, people prefer the "
        f"higher-scoring system in {wording.joined(ordered)}.",
        "findings-answer-judges": of_judges_in_words(chosen)["judges-apart"],
    }


WIDTH, HEIGHT, EDGE = 240, 96, 6
_ALT = {
    "topk": "Lines: correlation of each metric with people, from the few best systems on the left to all.",
    "margins": "Cells: correlation within windows of score differences, blue above 0 and red below.",
    "coverage": "Bars: share of trials in which each method's interval held, and a line at its promise.",
    "index_size": "Lines: correlation of variants of SERA with people, by stories in the index.",
}


def small_pictures(tables: Mapping[str, pd.DataFrame], *, promise: float = 0.95) -> dict[str, str]:
    """A picture for each page.

    Parameters
    ----------
    tables : mapping, page -> DataFrame, as `helpers.experiments.findings.pictured` gives them
    promise : float
        Where the line lies that the bars of coverage should reach.

    Returns
    -------
    dict, page -> SVG
    """
    drawn = {
        "topk": _lines(tables["topk"], "k"),
        "margins": _cells(tables["margins"], "to_percent", "from_percent"),
        "coverage": _bars(tables["coverage"], "method", at=promise),
        "index_size": _lines(tables["index_size"].assign(stories=_logarithm), "stories"),
    }
    return {page: _picture(shapes, _ALT[page]) for page, shapes in drawn.items()}


def _picture(shapes: str, alt: str) -> str:
    return (
        f'<svg class="thumbnail" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(alt)}">'
        f"{shapes}</svg>"
    )


def _logarithm(table: pd.DataFrame) -> pd.Series:
    return np.log(table["stories"])


def _lines(table: pd.DataFrame, x: str) -> str:
    """A line for each metric, over a dotted one at no correlation."""
    across = _scaled(table[x], EDGE, WIDTH - EDGE)
    down = _scaled(pd.concat([table["value"], pd.Series([0.0])]), HEIGHT - EDGE, EDGE)
    zero = f'<path d="M0 {down.iloc[-1]:.1f}H{WIDTH}" stroke="{GREY}" stroke-dasharray="2 3"/>'
    placed = table.assign(across=across, down=down.iloc[:-1]).dropna(subset="value")
    drawn = []
    for metric, points in placed.groupby("metric", sort=False):
        path = "L".join(f"{i:.1f} {j:.1f}" for i, j in points[["across", "down"]].to_numpy())
        colour = metric_style(metric).colour
        drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5" opacity="0.85"/>')
    return zero + "".join(drawn)


def _cells(table: pd.DataFrame, across: str, down: str) -> str:
    """A cell for each window: the colour is the sign of its value, its strength the size."""
    columns, rows = np.unique(table[across]), np.unique(table[down])[::-1]
    wide, high = WIDTH / len(columns), HEIGHT / len(rows)
    drawn = []
    for row in table.dropna(subset="value").itertuples():
        i, j = np.searchsorted(columns, getattr(row, across)), list(rows).index(getattr(row, down))
        drawn.append(
            f'<rect x="{i * wide:.1f}" y="{j * high:.1f}" width="{wide - 1:.1f}" height="{high - 1:.1f}" '
            f'fill="{BLUE if row.value > 0 else VERMILLION}" opacity="{0.15 + 0.8 * abs(row.value):.2f}"/>'
        )
    return "".join(drawn)


def _bars(table: pd.DataFrame, by: str, *, at: float) -> str:
    """A bar from 0 to each value, which is a share, and a dotted line at another."""
    high = (HEIGHT - EDGE) / len(table)
    drawn = [
        f'<rect x="0" y="{EDGE + i * high:.1f}" width="{row.value * WIDTH:.1f}" height="{high - 6:.1f}" '
        f'fill="{style_of(by, getattr(row, by), i).colour}" opacity="0.85"/>'
        for i, row in enumerate(table.itertuples())
    ]
    rule = f'<path d="M{at * WIDTH:.1f} 0V{HEIGHT}" stroke="currentColor" stroke-dasharray="2 3"/>'
    return "".join(drawn) + rule


def _scaled(values: pd.Series, start: float, end: float) -> pd.Series:
    low, high = values.min(), values.max()
    return start + (end - start) * (values - low) / ((high - low) or 1)


def change_dots(changes: pd.DataFrame) -> go.Figure:
    """A row per choice: how far it moves a correlation, and the interval of that; apart by what it is about.

    Parameters
    ----------
    changes : DataFrame of `helpers.experiments.findings.changes`
    """
    sheet = marks(
        changes,
        x="value",
        y="choice",
        series="drawn",
        order=changes["choice"].tolist()[::-1],
        hover=["coefficient", "drawn"],
        labels={"value": "change of the correlation", "choice": "choice"},
        size=6,
    )
    for trace in sheet.data:
        trace["error_x"] |= {"width": 7}  # ends that show beside the point however near they are
    # a row has one point, so none has to make room for another
    return sheet.x(zeroline=True).figure(height=160 + 36 * len(changes), scattermode="overlay")
