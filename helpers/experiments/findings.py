"""experiments.findings: what a researcher can act on, in ten numbers of the last full run on real data.

Recorded tables of the other pages in, one tidy table and the words for its sentences out; called by the
notebook `findings`. A finding quotes what is typical: where several metrics could be quoted, the one whose
value, change or width is the median. Whether two correlations differ is read from an interval of their
difference over shared draws, never from two intervals that overlap; whether two rankings are more alike with
more documents, from the Monte-Carlo error of the two means.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from helpers import wording
from helpers.experiments import index_size, summaries
from helpers.experiments.columns import check
from helpers.experiments.systems import typical
from helpers.papers import recorded
from helpers.papers.recorded import FOLDER
from helpers.stats.intervals import normal_reach
from helpers.stats.monte_carlo import share_interval

LEVEL = 0.95  # of the intervals
_ESTIMATE = ["metric", "value", "low", "high"]
_COUNTS = ["n_used", "n_agree", "n_values"]
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
        the value rests on: systems, pairs, documents or trials), n_agree and n_values (of so many metrics or
        sets, those of which the same is said), pvalue and smallest_pvalue (where there is a test).

    Raises
    ------
    FileNotFoundError
        If a table was not recorded.
    ValueError
        If a recorded table has no rows of what is asked for.
    """

    def read(name: str, wanted: str) -> pd.DataFrame:
        found = recorded.read(f"fig-{name}", folder)
        if found is None:
            raise FileNotFoundError(f"no recorded table fig-{name}; `make record` keeps it")
        rows = found.query(wanted, local_dict={"k": k, "gain": gain, "kept": kept, "documents": documents})
        if rows.empty:
            raise ValueError(f"the recorded table fig-{name} has no rows with {wanted}")
        return rows

    system_r = "level == 'system' and coefficient == 'pearson'"
    of_systems = read("systems-correlations", system_r)
    on_all = of_systems.query("group == 'mix'")
    pearson = "coefficient == 'pearson'"
    extractive = f"group == 'ext' and {pearson}"
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
        "variance": _stability(
            read("variance-stability", "metric == 'people' and n_documents in @documents"), documents
        ),
        "summaries": _filtered(read("summaries-levels", extractive)),
        "annotators": _references(
            read("annotators", pearson),
            read("annotators-differences", f"{pearson} and n_references == 1"),
        ),
        "index_size": index_size.size_effect(read("index_size-slider", pearson), small=small).assign(
            quantity="effect"
        ),
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
    apart = (changes["low"] > 0) | (changes["high"] < 0)
    difference = changes.loc[[middle.name]].assign(
        quantity="difference", n_used=np.nan, n_agree=apart.sum(), n_values=len(changes)
    )
    return pd.concat([*rows, difference])


def _benchmark(dataset: str) -> str:
    return _BENCHMARKS.get(dataset, dataset.removeprefix("re-examining-"))


def _small_gain(gains: pd.DataFrame) -> pd.DataFrame:
    named = {"agreement": "value", "agreement_low": "low", "agreement_high": "high", "n_pairs": "n_used"}
    shares = gains[["dataset", "metric", *named]].rename(columns=named)
    return shares.assign(quantity=shares["dataset"].map(_benchmark))


def _typical_widths(bars: pd.DataFrame) -> pd.DataFrame:
    """Of each data set the metric whose interval has the median width; metrics that are copies count once."""
    distinct = bars.drop_duplicates(["dataset", "value", "low", "high"])
    rows = []
    for dataset, part in distinct.groupby("dataset", sort=False):
        middle = typical(part.assign(value=part["high"] - part["low"])).name
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
        said[name] = wording.with_interval(row.value, row.low, row.high, **as_percent)
        if row.n_used > 0:
            said[f"{name}-n"] = f"{row.n_used:,.0f}"
        if row.n_values > 0:
            said[f"{name}-values"] = f"{row.n_values:.0f}"
        if row.n_agree >= 0:
            said[f"{name}-of"] = f"{row.n_agree:.0f} of {row.n_values:.0f}"
        if row.metric:
            said[f"{name}-metric"] = row.metric
    rows = findings.set_index(["page", "quantity"])
    for name, words in _WORDS.items():
        page, _, quantity = name.partition("-")
        row = rows.loc[(page, quantity)]
        said[f"{name}-word"] = wording.against(row["low"], row["high"], words=words, at=_AT.get(page, 0.0))

    def lead(page: str, part: str, **target: float) -> str:
        mine = rows.loc[page]
        mine = mine[mine.index.str.startswith(f"{part}-")].rename(lambda name: name.removeprefix(f"{part}-"))
        errors = (mine["high"] - mine["low"]) / 2 / normal_reach(LEVEL)
        return wording.joined(wording.leaders(dict(mine["value"]), dict(errors), **target))

    for dataset in ("summeval", "realsumm"):
        row = rows.loc[("intervals", dataset)]
        said[f"intervals-{dataset}-word"] = wording.width(row["low"], row["high"])
        said[f"coverage-{dataset}-word"] = lead("coverage", dataset, target=confidence_level)
    for level in ("system", "summary"):
        said[f"power-{level}-word"] = lead("power", level)
    counts = rows.loc["summaries", "n_agree"]
    effect = rows.loc[("index_size", "effect")]
    return said | {
        "summaries-word": wording.changed(counts[summaries.ALL], counts[summaries.SIGNIFICANT]),
        "index_size-p": wording.pvalue(effect["pvalue"], name="p", smallest=effect["smallest_pvalue"]),
        "index_size-word": wording.beyond_chance(effect["pvalue"], smallest=effect["smallest_pvalue"]),
    }


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
