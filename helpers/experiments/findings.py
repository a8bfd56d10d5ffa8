"""experiments.findings: what a researcher can act on, in ten numbers of the last full run on real data.

Recorded tables of the other pages in, one tidy table and the words for its sentences out; called by the
notebook `findings`. A finding quotes what is typical: where several metrics could be quoted, the one whose
value, or change, is the median.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from helpers import wording
from helpers.experiments import index_size
from helpers.experiments.columns import check
from helpers.papers import recorded
from helpers.paths import DATA

RECORDED = DATA / "recorded"
_OF_NORMAL = 1.96  # standard errors to either side of an estimate that make an interval of 95 %
_ESTIMATE = ["metric", "value", "low", "high"]


def table(
    *,
    k: int = 10,
    gain: float = 0.5,
    kept: int = 50,
    documents: Sequence[int] = (50, 100),
    small: int = 1000,
    folder: Path = RECORDED,
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
        Columns: page, quantity, metric (empty where none is meant), value, low, high (of 95 %), n_used (pairs
        or documents behind it, where that is said), pvalue (where there is a test).

    Raises
    ------
    FileNotFoundError
        If a table was not recorded.
    """

    def read(name: str) -> pd.DataFrame:
        found = recorded.read(f"fig-{name}", folder)
        if found is None:
            raise FileNotFoundError(f"no recorded table fig-{name}; `make record` keeps it")
        return found

    parts = {
        "topk": _best_systems(read("topk-curves"), k),
        "systems": _kinds_of_systems(read("systems-correlations")),
        "margins": _small_gain(read("margins-gains"), gain),
        "intervals": _typical(read("intervals-bars").query("method == 'Boot-Both' and level == 'system'")),
        "coverage": _share(read("coverage-shares").query("level == 'system'"), by="method"),
        "power": _share(read("power-curves").query("level == 'system' and kept == @kept"), by="method"),
        "variance": _stability(read("variance-stability"), documents),
        "summaries": _filtered(read("summaries-levels")),
        "annotators": _references(read("annotators")),
        "index_size": _size(read("index_size-slider"), small),
    }
    found = pd.concat([part.assign(page=page) for page, part in parts.items()], ignore_index=True)
    columns = ["page", "quantity", "metric", "value", "low", "high", "n_used", "pvalue", "smallest_pvalue"]
    found = found.reindex(columns=columns).fillna({"metric": ""})
    return check(found, keys=["page", "quantity"])


def _typical(rows: pd.DataFrame, quantity: str = "typical") -> pd.DataFrame:
    """The row of the median value, the lower one of two."""
    middle = rows.sort_values("value", kind="stable").iloc[(len(rows) - 1) // 2 :].head(1)
    return middle[_ESTIMATE].assign(quantity=quantity)


def _before_and_after(before: pd.DataFrame, after: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The two rows of the metric whose change is the median."""
    change = after.set_index("metric")["value"] - before.set_index("metric")["value"]
    metric = change.sort_values(kind="stable").index[(len(change) - 1) // 2]
    rows = [
        rows[rows["metric"] == metric].assign(quantity=name)
        for rows, name in zip((before, after), names, strict=True)
    ]
    return pd.concat(rows)


def _best_systems(curves: pd.DataFrame, k: int) -> pd.DataFrame:
    rows = curves.query("group == 'mix' and coefficient == 'pearson'")
    return _before_and_after(rows[rows["k"] == rows["k"].max()], rows[rows["k"] == k], ("all", "best"))


def _kinds_of_systems(correlations: pd.DataFrame) -> pd.DataFrame:
    rows = correlations.query("level == 'system' and coefficient == 'pearson'")
    return _before_and_after(rows[rows["group"] == "mix"], rows[rows["group"] == "ext"], ("mix", "ext"))


def _small_gain(gains: pd.DataFrame, gain: float) -> pd.DataFrame:
    rows = gains[(gains["reading"] == "up to") & (gains["gain"] == gain) & (gains["metric"] == "ROUGE-1")]
    named = {"agreement": "value", "agreement_low": "low", "agreement_high": "high", "n_pairs": "n_used"}
    shares = rows[["dataset", "metric", *named]].rename(columns=named)
    return shares.assign(quantity=shares["dataset"].str.removeprefix("re-examining-"))


def _share(rows: pd.DataFrame, *, by: str) -> pd.DataFrame:
    """The mean share of each label, and what the trials' number leaves open about it."""
    found = rows.groupby(by, sort=False).agg(
        value=("value", "mean"), squares=("mc_error", lambda errors: (errors**2).sum()), n=("value", "size")
    )
    half = _OF_NORMAL * found["squares"] ** 0.5 / found["n"]
    return (
        found.assign(low=(found["value"] - half).clip(0), high=(found["value"] + half).clip(upper=1))
        .rename_axis("quantity")
        .reset_index()
    )


def _stability(stability: pd.DataFrame, documents: Sequence[int]) -> pd.DataFrame:
    """Of people's ranking, mean over the data sets."""
    rows = stability[(stability["metric"] == "people") & stability["n_documents"].isin(documents)]
    return _share(rows.assign(n_documents=rows["n_documents"].astype(str)), by="n_documents").replace(
        {"quantity": {str(n): name for n, name in zip(documents, ("fewer", "more"), strict=True)}}
    )


def _filtered(levels: pd.DataFrame) -> pd.DataFrame:
    rows = levels.query("group == 'ext' and coefficient == 'pearson' and level == 'summary'")
    half = _OF_NORMAL * rows["standard_error"]
    rows = rows.assign(low=rows["value"] - half, high=rows["value"] + half)
    chosen = [rows[rows["documents"] == name] for name in ("all", "significant")]
    return _before_and_after(*chosen, ("all", "significant"))


def _references(sets: pd.DataFrame) -> pd.DataFrame:
    rows = sets[sets["coefficient"] == "pearson"]
    return pd.concat(
        [
            _typical(rows[(rows["level"] == level) & (rows["n_references"] == n)], f"{level}-{n}")
            for level in ("system", "summary")
            for n in (1, rows["n_references"].max())
        ]
    )


def _size(slider: pd.DataFrame, small: int) -> pd.DataFrame:
    effect = index_size.size_effect(slider[slider["coefficient"] == "pearson"], small=small)
    return effect.assign(quantity="effect", metric="")


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
        ``PAGE-metric``, ``PAGE-word``.
    """
    percent = {"margins", "coverage", "power"}
    said: dict[str, str] = {}
    for row in findings.itertuples():
        as_percent = {"digits": 0, "percent": True} if row.page in percent else {}
        said[f"{row.page}-{row.quantity}"] = wording.with_interval(row.value, row.low, row.high, **as_percent)
        if row.n_used > 0:
            said[f"{row.page}-{row.quantity}-n"] = f"{row.n_used:.0f}"
        if row.metric:
            said[f"{row.page}-metric"] = row.metric
    rows = findings.set_index(["page", "quantity"])

    def apart(page: str, first: str, second: str) -> str:
        ends = rows.loc[[(page, first), (page, second)], ["low", "high"]].to_numpy().tolist()
        return wording.overlap(*map(tuple, ends))

    def lead(page: str, **target: float) -> str:
        errors = (rows.loc[page, "high"] - rows.loc[page, "value"]) / _OF_NORMAL
        return wording.joined(wording.leaders(dict(rows.loc[page, "value"]), dict(errors), **target))

    coin = ("less often than", "not told apart from", "more often than")
    effect = rows.loc[("index_size", "effect")]
    typical = rows.loc[("intervals", "typical")]
    words = {
        "topk-word": apart("topk", "all", "best"),
        "systems-word": apart("systems", "mix", "ext"),
        "intervals-word": wording.width(typical["low"], typical["high"]),
        "coverage-word": lead("coverage", target=confidence_level),
        "power-word": lead("power"),
        "summaries-word": apart("summaries", "all", "significant"),
        "annotators-system-word": apart("annotators", "system-1", "system-4"),
        "annotators-summary-word": apart("annotators", "summary-1", "summary-4"),
        "index_size-p": wording.pvalue(effect["pvalue"], name="p", smallest=effect["smallest_pvalue"]),
        "index_size-word": wording.beyond_chance(effect["pvalue"], smallest=effect["smallest_pvalue"]),
    }
    said |= words | {
        f"margins-{quantity}-word": wording.against(row["low"], row["high"], at=0.5, words=coin)
        for quantity, row in rows.loc["margins"].iterrows()
    }
    return said
