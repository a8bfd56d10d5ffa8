"""experiments.findings: what should somebody do who chooses a metric or a judge?

Ten numbers of the last full run on real data, from the recorded tables of the other pages.

A finding quotes what is typical: where several metrics could be quoted, the one whose value, change or width
is the median; of an even number the middle one nearer to 0 (or wider). Whether two correlations differ is
read from an interval of their difference over shared draws, never from two intervals that overlap; whether
two rankings are more alike with more documents, from the Monte-Carlo error of the two means.
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
from helpers.kit.tidy import tidy
from helpers.kit.told import typical, value_told
from metaeval.stats.intervals import normal_reach
from metaeval.stats.monte_carlo import share_interval
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words

LEVEL = 0.95  # of the intervals
SAMPLED, AT_RANDOM = "other systems and documents", "other random draws from the same"  # of an interval
DIGITS = 2  # of printed ends, by which words are chosen
PERCENT_DIGITS = {"margins": 0, "coverage": 1, "power": 1}  # pages whose value is a share of pairs or trials
UNITS = {"topk": " systems", "variance": " documents", "summaries": " documents", "annotators": " references"}
RANDOM = ("variance", "index_size")  # pages whose differences are about random draws
ESTIMATE, COUNTS = ["metric", "value", "low", "high"], ["n_used", "n_agree", "n_values"]
PVALUES = ["pvalue", "smallest_pvalue"]
DATASETS = ("summeval", "realsumm")
# words for where an interval lies: below, around or above 0, or a half for shares of pairs
_CHANGE = (
    "so it is lower there",
    "so these data leave open whether it is lower there",
    "so it is higher there",
)
_COIN = ("less often than", "not told apart from", "more often than")
_MORE = ("less than", "not told apart from", "more than")
_GAIN = ("so fewer do better", "so no difference is shown", "so more do better")
WORDS = {
    ("topk", "difference"): _CHANGE,
    ("systems", "difference"): _CHANGE,
    **{("margins", dataset): _COIN for dataset in DATASETS},
    **{("variance", f"{dataset}-difference"): _MORE for dataset in DATASETS},
    **{("annotators", f"{level}-difference"): _GAIN for level in ("system", "summary")},
}


def table(*, k=10, gain=0.5, kept=50, documents=(50, 100), small=1000, folder=FOLDER) -> pd.DataFrame:
    """The numbers behind the findings, each with an interval of 95 %."""
    # n_used: systems, pairs, documents or trials; n_agree: those of n_values metrics or sets that are alike

    def read(name: str, condition: str) -> pd.DataFrame:
        settings = {"k": k, "gain": gain, "kept": kept, "documents": documents}
        rows = _recorded(name, folder).query(condition, local_dict=settings)
        if rows.empty:
            raise ValueError(f"the recorded table fig-{name} has no rows with {condition}")
        return rows

    pearson = "coefficient == 'pearson'"
    extractive = f"group == 'ext' and {pearson}"
    systems = read("systems-correlations", f"level == 'system' and {pearson}")
    mix = systems.query("group == 'mix'")
    people, indexes = read("variance-stability", "metric == 'people'"), read("index_size-slider", pearson)
    sizes = people["n_documents"].unique().tolist()
    if len(documents) != 2 or not {*documents} <= {*sizes}:
        raise ValueError(f"`documents` must be two of the sizes of a ranking, {sizes}, got {documents}")
    index_size.check_small(small, indexes.loc[~indexes["is_whole"], "stories"].unique().tolist())
    best = read("topk-differences", f"k == @k and {pearson} and quantity == 'part'")
    parts = {
        "topk": _changed(
            {"all": mix, "best": best},
            read("topk-differences", f"k == @k and {pearson} and quantity == 'difference'"),
        ),
        "systems": _changed(
            {"mix": mix, "ext": systems.query("group == 'ext'")},
            read("systems-differences", f"{extractive} and quantity == 'difference'"),
        ),
        "margins": _small_gain(
            read("margins-gains", "reading == 'up to' and gain == @gain and metric == 'ROUGE-1'")
        ),
        "intervals": _typical_widths(read("intervals-bars", "method == 'Boot-Both' and level == 'system'")),
        "coverage": _shares(read("coverage-shares", "level == 'system'"), "dataset"),
        "power": _shares(read("power-curves", "kept == @kept"), "level"),
        "variance": _stability(people, documents),
        "summaries": _filtered(read("summaries-levels", extractive)),
        "annotators": _references(
            read("annotators", pearson),
            read("annotators-differences", f"{pearson} and n_references == 1"),
        ),
        "index_size": index_size.size_effect(indexes, small=small).assign(quantity="effect"),
    }
    numbers = pd.concat([part.assign(page=page) for page, part in parts.items()], ignore_index=True)
    columns = ["page", "quantity", *ESTIMATE, *COUNTS, *PVALUES]
    return check(numbers.reindex(columns=columns).fillna({"metric": ""}), keys=["page", "quantity"])


def _recorded(name: str, folder: Path) -> pd.DataFrame:
    table = recorded.read(f"fig-{name}", folder)
    if table is None:
        raise FileNotFoundError(f"no recorded table fig-{name}; `make record` keeps it")
    return table


def _changed(sides: Mapping[str, pd.DataFrame], changes: pd.DataFrame) -> pd.DataFrame:
    """Two correlations of the metric whose change is the median, and their difference with its interval."""
    # of the difference `n_agree` counts the metrics, of `n_values`, whose interval leaves out 0
    middle = typical(changes)
    rows = [side[side["metric"] == middle["metric"]].assign(quantity=name) for name, side in sides.items()]
    where = wording.count_positions(changes["low"], changes["high"], digits=DIGITS)
    counts = {"n_used": np.nan, "n_agree": where["below"] + where["above"], "n_values": len(changes)}
    return pd.concat([*rows, changes.loc[[middle.name]].assign(quantity="difference", **counts)])


def _benchmark(dataset: str) -> str:
    # REALSumm as the resampling paper released it
    return {"bhandari2020": "realsumm"}.get(dataset, dataset.removeprefix("re-examining-"))


def _small_gain(gains: pd.DataFrame) -> pd.DataFrame:
    names = {"agreement": "value", "agreement_low": "low", "agreement_high": "high", "n_pairs": "n_used"}
    shares = gains[["metric", *names]].rename(columns=names)
    return shares.assign(quantity=gains["dataset"].map(_benchmark))


def _typical_widths(bars: pd.DataFrame) -> pd.DataFrame:
    """The metric of each data set whose interval has the middle width; metrics that are copies count once."""
    distinct = bars.drop_duplicates(["dataset", "value", "low", "high"])
    rows = []
    for dataset, part in distinct.groupby("dataset", sort=False):
        middle = typical(part.assign(value=part["high"] - part["low"]), larger=True).name
        rows.append(part.loc[[middle], ESTIMATE].assign(quantity=_benchmark(dataset), n_values=len(part)))
    return pd.concat(rows)


def _shares(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Shares of trials, each by itself: data sets and levels differ, so no mean over them is quoted."""
    trials = rows["n_trials"] - rows["n_undefined"]
    low, high = share_interval(rows["value"], trials, confidence_level=LEVEL)
    names = rows[by].map(_benchmark) + "-" + rows["method"]
    return rows[["value"]].assign(quantity=names, low=low, high=high, n_used=trials)


def _stability(rows: pd.DataFrame, documents: Sequence[int]) -> pd.DataFrame:
    """Likeness of two rankings by people, from either number of documents, and the difference of the two."""
    # ends that 95 of 100 pairs of rankings give; of the difference by Monte-Carlo error, as if the draws of
    # the two means were independent
    reach, numbers = normal_reach(LEVEL), []
    for dataset, part in rows.groupby("dataset", sort=False):
        fewer, more = (part[part["n_documents"] == n].iloc[0] for n in documents)
        for name, row in (("fewer", fewer), ("more", more)):
            half = reach * row["standard_deviation"]
            ends = np.clip([row["value"] - half, row["value"] + half], -1, 1)
            numbers.append((f"{_benchmark(dataset)}-{name}", row["value"], *ends))
        change = more["value"] - fewer["value"]
        half = reach * np.hypot(more["mc_error"], fewer["mc_error"])
        numbers.append((f"{_benchmark(dataset)}-difference", change, change - half, change + half))
    return pd.DataFrame(numbers, columns=["quantity", "value", "low", "high"])


def _filtered(levels: pd.DataFrame) -> pd.DataFrame:
    """Means over all documents and over those that a filter keeps, of the metric with the median change."""
    # a mean of the correlations that pass a filter for their size is larger by construction, so the finding
    # is what else the filter turns: of `n_values` metrics, `n_agree` judge summaries better than systems
    rows = levels[levels["level"] == "summary"]
    half = stats.t.ppf((1 + LEVEL) / 2, rows["n_used"] - 1) * rows["standard_error"]
    rows = rows.assign(low=rows["value"] - half, high=rows["value"] + half, quantity=rows["documents"])
    values = rows.pivot(index="metric", columns="documents", values="value").loc[rows["metric"].unique()]
    change = (values[summaries.SIGNIFICANT] - values[summaries.ALL]).reset_index(name="value")
    better = summaries.better_at_summaries(levels).set_index("documents")["n_metrics"]
    middle = rows[rows["metric"] == typical(change)["metric"]]
    return middle.assign(n_agree=middle["documents"].map(better), n_values=len(change))


def _references(sets: pd.DataFrame, changes: pd.DataFrame) -> pd.DataFrame:
    """One typical reference and all of them at each level, and their difference."""
    rows = []
    for level in ("system", "summary"):
        part, differences = sets[sets["level"] == level], changes[changes["level"] == level]
        single = part[part["metric"] == typical(differences)["metric"]]
        everything = part[part["n_references"] == part["n_references"].max()].assign(quantity="all")
        both = pd.concat([_changed({"1": single}, differences), everything])
        rows.append(both.assign(quantity=f"{level}-" + both["quantity"]))
    return pd.concat(rows)


def quotes(findings: pd.DataFrame, *, confidence_level=0.95) -> dict[str, str]:
    """Numbers with their intervals, by ``PAGE-QUANTITY``, and the words that they earn."""
    # -n: units behind a number, -values: metrics or sets, -of: how many of these are alike
    texts: dict[str, str] = {}
    for row in findings.itertuples():
        name, digits = f"{row.page}-{row.quantity}", PERCENT_DIGITS.get(row.page)
        texts[name] = value_told(row, **({} if digits is None else {"digits": digits, "percent": True}))
        if row.n_used > 0:
            texts[f"{name}-n"] = f"{row.n_used:,.0f}"
        if row.n_values > 0:
            texts[f"{name}-values"] = f"{row.n_values:.0f}"
        if row.n_agree >= 0:
            texts[f"{name}-of"] = f"{row.n_agree:.0f} of {row.n_values:.0f}"
        if row.metric:
            texts[f"{name}-metric"] = row.metric
    rows = findings.set_index(["page", "quantity"])
    for (page, quantity), choice in WORDS.items():
        low, high = rows.loc[(page, quantity), ["low", "high"]]
        at = 0.5 if page == "margins" else 0.0
        texts[f"{page}-{quantity}-word"] = wording.interval_position(
            low, high, words=choice, at=at, digits=DIGITS
        )

    def lead(page: str, part: str, **target: float) -> str:
        shares = rows.loc[page]
        shares = shares[shares.index.str.startswith(f"{part}-")].rename(lambda name: name[len(part) + 1 :])
        errors = (shares["high"] - shares["low"]) / 2 / normal_reach(LEVEL)
        return wording.joined(wording.leaders(dict(shares["value"]), dict(errors), **target))

    exact = coverage.exact_share(confidence_level)  # of trials, as the other half's estimate is noisy too
    for dataset in DATASETS:
        low, high = rows.loc[("intervals", dataset), ["low", "high"]]
        texts[f"intervals-{dataset}-word"] = wording.width(low, high)
        texts[f"coverage-{dataset}-word"] = lead("coverage", dataset, target=exact)
        texts[f"coverage-{dataset}-promise-word"] = lead("coverage", dataset, target=confidence_level)
    counts = rows.loc["summaries", "n_agree"]
    p, smallest = rows.loc[("index_size", "effect"), PVALUES]
    return texts | {
        "power-system-word": lead("power", "system"),
        "power-summary-word": lead("power", "summary"),
        "coverage-exact": wording.percent(exact),
        "summaries-word": wording.describe_change(counts[summaries.ALL], counts[summaries.SIGNIFICANT]),
        "index_size-p": wording.pvalue(p, name="p", smallest=smallest),
        "index_size-word": wording.significance_words(p, smallest=smallest),
    }


def by_meaning(findings: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The numbers behind the findings as tables to look at, apart by what a value and a count mean."""
    page, quantity = findings["page"], findings["quantity"]
    is_share = page.isin(list(PERCENT_DIGITS))
    is_change = quantity.isin(["difference", "effect"]) | quantity.str.endswith("-difference")
    named = (quantity + page.map(UNITS).where(~is_change, "").fillna("")).replace({"effect": "difference"})
    numbers = findings.assign(quantity=named.str.replace(r"\b1 references", "1 reference", regex=True))
    names, counts = ["page", "quantity"], ["n_agree", "n_values"]
    differences = numbers.loc[is_change, [*names, *ESTIMATE, *counts, "pvalue"]]
    better = numbers.loc[page == "summaries", [*names, *counts]]
    parts = {
        "correlations": numbers.loc[~is_share & ~is_change, [*names, *ESTIMATE, "n_used"]],
        "differences": differences.rename(columns={"n_agree": "n_without_0"}),
        "shares": numbers.loc[is_share, [*names, *ESTIMATE, "n_used"]],
        "counts": better.rename(columns={"n_agree": "n_better", "n_values": "n_metrics"}),
    }
    return {name: check(part, keys=names, values=()) for name, part in parts.items()}


def judges_by_meaning(chosen: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The numbers behind the advice on judges as tables to look at, apart by what they mean."""
    kinds = chosen["quantity"].str.partition("-")[0]
    orders = chosen.loc[kinds == "order", ["quantity", "metric", "place", "n_judges", "value", "pvalue"]]
    passing = chosen.loc[kinds == "passing", ["quantity", "n_agree", "n_values"]]
    correlations = chosen.loc[kinds.isin(["width", "first", "apart"]), ["quantity", *ESTIMATE]]
    parts = {
        "correlations": correlations.replace({"quantity": {"width": "interval of middle width"}}),
        "orders": orders.astype({"place": "Int64"}),
        "passing": passing.rename(columns={"n_agree": "n_passing"}),
    }
    return {name: check(part, keys=["quantity"], values=()) for name, part in parts.items()}


def changes(findings: pd.DataFrame, *, k=10, documents=(50, 100), small=1000) -> pd.DataFrame:
    """Changes by a choice, of the findings that are differences of one coefficient."""
    fewer, more = documents
    choices = {
        ("topk", "difference"): f"the {k} best systems, not all",
        ("systems", "difference"): "extractive systems, not all",
        ("annotators", "system-difference"): "all references, not one (systems)",
        ("annotators", "summary-difference"): "all references, not one (summaries)",
        ("variance", "summeval-difference"): f"{more} documents, not {fewer} (SummEval)",
        ("variance", "realsumm-difference"): f"{more} documents, not {fewer} (REALSumm)",
        ("index_size", "effect"): f"{small:,} stories, not all",
    }
    rows = findings.set_index(["page", "quantity"]).loc[list(choices)].reset_index()
    rows = rows.assign(
        choice=list(choices.values()),
        coefficient=rows["page"].map({"variance": "kendall"}).fillna("pearson"),
        drawn=rows["page"].isin(RANDOM).map({False: SAMPLED, True: AT_RANDOM}),
    )
    columns = ["page", "choice", "coefficient", "drawn", "value", "low", "high"]
    return check(rows[columns], keys=columns[:2])


def pictured(*, folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """Tables of the small pictures of four pages, of Pearson's r over systems where there is a choice."""
    tables = {
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
        page: check(_recorded(name, folder).query(condition), keys=keys)
        for page, (name, condition, keys) in tables.items()
    }


def choosing_a_judge(*, coefficient="kendall", folder: Path = FOLDER) -> pd.DataFrame:
    """The numbers behind the advice on judges of summaries, one quantity a row."""
    tests, table = _recorded("judges-alt_test", folder), _recorded("judges-correlations", folder)
    ranking = table[(table["level"] == "system") & (table["coefficient"] == coefficient)]
    ranking = ranking[~ranking["judge"].isin(tests["rater"].unique())]
    counts = ["place", "n_judges", "n_agree", "n_values"]
    rows = _judge_rows(tests, ranking, coefficient).reindex(
        columns=["quantity", *ESTIMATE, *counts, *PVALUES]
    )
    return check(rows.fillna({"metric": ""}), keys=["quantity"], values=())


@tidy("quantity", values=())
def _judge_rows(tests: pd.DataFrame, ranking: pd.DataFrame, coefficient: str):
    ends = ["value", "low", "high"]
    # the judge and dimension whose interval over systems is of middle width
    width = typical(ranking.assign(value=ranking["high"] - ranking["low"]), larger=True).name
    yield {
        "quantity": "width", "metric": ranking["judge"][width] + " in " + ranking["dimension"][width],
        **ranking.loc[width, ends], "n_agree": (ranking["low"] > 0).sum(), "n_values": len(ranking),
    }  # fmt: skip
    # the judge with the highest correlation over systems
    for dimension, part in ranking.groupby("dimension", sort=False):
        best = part.loc[part["value"].idxmax()]
        yield {"quantity": f"first-{dimension}", "metric": best["judge"], **best[ends]}
    # Kendall's tau of the judges' orders by the test and by that correlation; the test's first, and its place
    orders = judges.passing(tests, ranking, coefficient=coefficient)
    for row in orders.itertuples():
        yield {
            "quantity": f"order-{row.dimension}", "metric": row.judge, "value": row.value,
            "place": row.place, "n_judges": row.n_judges, "pvalue": row.pvalue,
            "smallest_pvalue": row.smallest_pvalue,
        }  # fmt: skip
    # where that place is last: the correlation, and how many judges pass the test, 0 where that one does not
    each = tests[tests["dimension"] != judges.ALL].drop_duplicates(["dimension", "judge"])
    last = orders.loc[orders["place"].idxmax()]
    passes = each[each["dimension"] == last["dimension"]].set_index("judge")["winning_rate"] >= judges.PASSES
    own = ranking.set_index(["dimension", "judge"]).loc[(last["dimension"], last["judge"])]
    yield {
        "quantity": f"apart-{last['dimension']}", "metric": last["judge"], **own[ends],
        "place": last["place"], "n_judges": last["n_judges"],
        "n_agree": passes.sum() if passes[last["judge"]] else 0, "n_values": len(passes),
    }  # fmt: skip
    # pairs of a judge and a dimension that pass the test by each rule
    for rule in ("winning_rate", "document_rate", "system_rate"):
        n_passing = (each[rule] >= judges.PASSES).sum()
        yield {"quantity": f"passing-{rule}", "n_agree": n_passing, "n_values": len(each)}


def judge_quotes(chosen: pd.DataFrame) -> dict[str, str]:
    """Numbers and words of the four sentences on judges, by ``judges-...``."""
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
        "judges-apart": _apart(rows[rows.index.str.startswith("apart-")].iloc[0]),
        "judges-passing": f"{published} of {rows.loc['passing-winning_rate', 'n_values']:.0f}",
        "judges-passing-document": str(document),
        "judges-passing-system": str(system),
        "judges-passing-document-word": wording.describe_change(published, document),
        "judges-passing-system-word": wording.describe_change(published, system),
    }


def _apart(row: pd.Series) -> str:
    """A judge's result in the annotator test beside its place among the judges by correlation."""
    n, n_passing = int(row["n_judges"]), int(row["n_agree"])
    result = {0: "does best in", 1: "alone passes"}.get(n_passing, f"does best of the {n_passing} that pass")
    place = {n: "last", 1: "first"}.get(int(row["place"]), f"number {row['place']:.0f}")
    return (
        f"In {row.name.removeprefix('apart-')}, {row['metric']} {result} the alternative annotator test, and "
        f"is {place} of {n} judges by system-level τ, {value_told(row)}."
    )


def answer(findings: pd.DataFrame, chosen: pd.DataFrame, *, gain=0.5) -> dict[str, str]:
    """The findings in three sentences: on intervals, on small gains, and on judges."""
    texts = quotes(findings)
    widths: dict[str, list[str]] = {}  # by the word that they earned
    shares: dict[str, list[str]] = {}
    for name in DATASETS:
        data, share = words("data", name), f"{texts[f'margins-{name}']} of {texts[f'margins-{name}-n']} pairs"
        widths.setdefault(texts[f"intervals-{name}-word"], []).append(
            f"{data} ({texts[f'intervals-{name}']})"
        )
        shares.setdefault(texts[f"margins-{name}-word"], []).append(f"{share} ({data})")
    wide = [f"{word} on {wording.joined(parts)}" for word, parts in widths.items()]
    ordered = [f"{wording.joined(parts)}, {word} a coin toss" for word, parts in shares.items()]
    return {
        "findings-answer-intervals": (
            f"Print intervals: that of a typical metric's system-level τ is {wording.joined(wide)}."
        ),
        "findings-answer-gains": (
            f"Test a small gain: within {gain:g} ROUGE-1 points, people prefer the higher-scoring system in "
            f"{wording.joined(ordered)}."
        ),
        "findings-answer-judges": judge_quotes(chosen)["judges-apart"],
    }


WIDTH, HEIGHT, EDGE = 240, 96, 6
ALT = {
    "topk": "Lines: correlation of each metric with people, from the few best systems on the left to all.",
    "margins": "Cells: correlation within windows of score differences, blue above 0 and red below.",
    "coverage": "Bars: share of trials in which each method's interval held, and a line at its promise.",
    "index_size": "Lines: correlation of variants of SERA with people, by stories in the index.",
}


def small_pictures(tables: Mapping[str, pd.DataFrame], *, promise=0.95) -> dict[str, str]:
    """An SVG picture for each page of `pictured`; `promise` is where the bars of coverage should reach."""
    shapes = {
        "topk": _lines(tables["topk"], "k"),
        "margins": _cells(tables["margins"], "to_percent", "from_percent"),
        "coverage": _bars(tables["coverage"], "method", at=promise),
        "index_size": _lines(tables["index_size"].assign(stories=lambda t: np.log(t["stories"])), "stories"),
    }
    return {
        page: f'<svg class="thumbnail" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(ALT[page])}">{drawn}</svg>'
        for page, drawn in shapes.items()
    }


def _lines(table: pd.DataFrame, x: str) -> str:
    """A line for each metric, over a dotted one at no correlation."""
    across = _scaled(table[x], EDGE, WIDTH - EDGE)
    down = _scaled(pd.concat([table["value"], pd.Series([0.0])]), HEIGHT - EDGE, EDGE)
    lines = [f'<path d="M0 {down.iloc[-1]:.1f}H{WIDTH}" stroke="{GREY}" stroke-dasharray="2 3"/>']
    placed = table.assign(across=across, down=down.iloc[:-1]).dropna(subset="value")
    for metric, points in placed.groupby("metric", sort=False):
        path = "L".join(f"{i:.1f} {j:.1f}" for i, j in points[["across", "down"]].to_numpy())
        colour = metric_style(metric).colour
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5" opacity="0.85"/>')
    return "".join(lines)


def _cells(table: pd.DataFrame, across: str, down: str) -> str:
    """A cell for each window: the colour is the sign of its value, its strength the size."""
    columns, rows = np.unique(table[across]), np.unique(table[down])[::-1]
    wide, high = WIDTH / len(columns), HEIGHT / len(rows)
    cells = []
    for row in table.dropna(subset="value").itertuples():
        i, j = np.searchsorted(columns, getattr(row, across)), list(rows).index(getattr(row, down))
        cells.append(
            f'<rect x="{i * wide:.1f}" y="{j * high:.1f}" width="{wide - 1:.1f}" height="{high - 1:.1f}" '
            f'fill="{BLUE if row.value > 0 else VERMILLION}" opacity="{0.15 + 0.8 * abs(row.value):.2f}"/>'
        )
    return "".join(cells)


def _bars(table: pd.DataFrame, by: str, *, at: float) -> str:
    """A bar from 0 to each value, which is a share, and a dotted line at another."""
    high = (HEIGHT - EDGE) / len(table)
    bars = [
        f'<rect x="0" y="{EDGE + i * high:.1f}" width="{row.value * WIDTH:.1f}" height="{high - 6:.1f}" '
        f'fill="{style_of(by, getattr(row, by), i).colour}" opacity="0.85"/>'
        for i, row in enumerate(table.itertuples())
    ]
    rule = f'<path d="M{at * WIDTH:.1f} 0V{HEIGHT}" stroke="currentColor" stroke-dasharray="2 3"/>'
    return "".join(bars) + rule


def _scaled(values: pd.Series, start: float, end: float) -> pd.Series:
    low, high = values.min(), values.max()
    return start + (end - start) * (values - low) / ((high - low) or 1)


def change_dots(changes: pd.DataFrame) -> go.Figure:
    """Change of a correlation by each choice with its interval, apart by what that is about."""
    sheet = marks(
        changes, x="value", y="choice", series="drawn", order=changes["choice"].tolist()[::-1],
        hover=["coefficient", "drawn"], labels={"value": "change of the correlation", "choice": "choice"},
        size=6,
    )  # fmt: skip
    for trace in sheet.data:
        trace["error_x"] |= {"width": 7}  # ends that show beside the point however near they are
    # a row has one point, so none has to make room for another
    return sheet.x(zeroline=True).figure(height=160 + 36 * len(changes), scattermode="overlay")
