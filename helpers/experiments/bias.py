"""experiments.bias: what is a judge partial to, and which measures notice one that reads nothing?

Zeng et al. 2024 (LLMBar), Bao et al. 2025 (FaithBench), Shen et al. 2023. Intervals allow for summaries of
one system and of one document that hang together (`metaeval.stats.bias`); those of correlations draw both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.live.experiment import live
from helpers.kit.marks import VERDICTS, add_verdict, dot_height, marks
from helpers.kit.panels import ENDS, Panels
from helpers.kit.theme import BLUE, GREY, ORANGE, SKY, VERMILLION, Style, share_axis
from helpers.kit.tidy import tidy
from metaeval import datasets
from metaeval.analysis.tabulate import intervals, judges_as_metrics, tabulate
from metaeval.core.errors import DataError, listing
from metaeval.datasets import load, load_present, pairs
from metaeval.datasets.readers.faithbench import Marks
from metaeval.metrics.sentinels import document_means, sentinel_scores
from metaeval.simulation.raters import Rater, rate
from metaeval.stats import bias
from metaeval.stats.agreement import agreement
from metaeval.stats.annotator_test import closer
from metaeval.stats.correlation import correlate
from metaeval.stats.measures import f1_scores
from metaeval.stats.reliability import mean_of
from metaeval.stats.runs import correlation_of_runs, flip_shares, run_reliability
from metaeval.stats.streams import stream
from metaeval.tables.benchmark import Benchmark, Part, Texts
from metaeval.tables.columns import check, label
from metaeval.tables.pairs import Pairs

PEOPLE = "people"
ADVERSARIAL = ("Neighbor", "GPTInst", "GPTOut", "Manual")  # LLMBar's; with Natural its average
# of the judges of a release, who summarizes too: the system, and its place in a likeness, which names none
OWN = {"gpt_4o": ("openai/gpt-4o", -1), "gpt-3.5-turbo": ("openai/GPT-3.5-Turbo", -2)}
ADVANTAGE = "annotator test"
_UNITS = "ACU"  # RoSE's protocols by content units, which were found once for both rounds
_RATES = {"no unwanted span": "U", "faithful": "UQ", "no labelled span": "UQB"}
_GIVEN = ("given", "given_low", "given_high")
_KINDS = {False: Style(BLUE), True: Style(ORANGE, symbol="diamond")}
# of a score, from the lowest: from the one hue to the other, told apart in grey too
_SCORES = (VERMILLION, ORANGE, GREY, SKY, BLUE)


def _ends(estimate: bias.Clustered, names=("value", *ENDS)) -> dict[str, np.ndarray]:
    """Estimates with their intervals as columns."""
    return dict(zip(names, map(np.ravel, (estimate.value, estimate.low, estimate.high)), strict=True))


def _by_dimension(
    benchmark: Benchmark, judges: Sequence[str], dimensions: Sequence[str]
) -> Iterator[tuple[dict[str, str], np.ndarray, np.ndarray]]:
    """Keys of each dimension, its judges (n_judges, n, m) and people's mean (n, m)."""
    if not dimensions:
        raise ValueError("no dimension is named: name at least one")
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        keys = {"dataset": benchmark.name, "dimension": dimension}
        yield keys, part.scores.to_numpy(), part.human.to_numpy()


# --- position


@tidy("dataset", "set", "dimension", "judge", values=["value", "flip_rate"])
def position(names: Sequence[str], **within):
    """Share of choices of the first shown, and of pairs whose choice turns with the order."""
    if not names:
        raise ValueError("no release of pairs is named: name at least one")
    for choices in map(pairs, names):
        rows = pd.concat(_position(choices, **within))
        if rows.empty:
            raise DataError(f"{choices.name}: no judge was shown a pair in both orders")
        yield rows


def _position(chosen: Pairs, **within) -> Iterator[pd.DataFrame]:
    judges = chosen.judges.indexes["judge"]
    unreadable = chosen.unreadable().set_index(["set", "dimension", "judge"])["value"]
    for (subset, dimension), choices in _planes(chosen):
        first = bias.clustered_mean(bias.first_shown(choices), **within)
        flips = bias.clustered_share(bias.flipped(choices), **within)
        rows = {
            "dataset": chosen.name, "set": subset, "dimension": dimension, "judge": judges, **_ends(first),
            **_ends(flips, ("flip_rate", "flip_low", "flip_high")), "n_pairs": flips.n_used,
            "share_unreadable": [unreadable.get((subset, dimension, judge), np.nan) for judge in judges],
        }  # fmt: skip
        yield pd.DataFrame(rows)[flips.n_used > 0]


def _planes(chosen: Pairs) -> Iterator[tuple[tuple[str, str], np.ndarray]]:
    """(set, dimension), and the choices (judge, order, pair of systems, document) in it."""
    for key, part in chosen.items.groupby(["set", "dimension"], sort=False):
        compared, _ = pd.factorize(part["first"] + "\n" + part["second"])
        documents, _ = pd.factorize(part["document"])
        choices = chosen.judges.sel(pair=part.index).to_numpy()
        planes = np.full((*choices.shape[:2], compared.max() + 1, documents.max() + 1), np.nan)
        planes[..., compared, documents] = choices
        yield key, planes


# --- length and use of the scale


def lengths(texts: Texts, benchmark: Benchmark) -> np.ndarray:
    """Words of the benchmark's summaries in standard deviations from their mean."""
    n_words = _sentinels(texts, benchmark, ["length"])[0].to_numpy()
    return (n_words - n_words.mean()) / n_words.std()


def _sentinels(texts: Texts, benchmark: Benchmark, names: Sequence[str]) -> xr.DataArray:
    ids = {"system": benchmark.systems, "document": benchmark.documents}
    absent = [label for dim in ids for label in ids[dim] if label not in texts.summaries.indexes[dim]]
    if absent:
        raise DataError(f"there are no texts of {benchmark.name}'s: {listing(absent)}")
    return sentinel_scores(texts, names).sel(ids)


@tidy("dimension", "judge")
def length(benchmark: Benchmark, texts: Texts, *, judges, dimensions, **within):
    """Slopes on length of judge minus people, of the judge with people's rating fixed, and of people."""
    on = lengths(texts, benchmark)
    for keys, scores, human in _by_dimension(benchmark, judges, dimensions):
        both = bias.clustered_slope(scores - human, on, **within)
        alone = bias.clustered_slope(scores - human, on, by=("document",), **within)
        fixed = bias.clustered_slope(scores, on, control=human, **within)
        yield {
            **keys, "judge": list(judges), **_ends(both), "document_low": alone.low,
            "document_high": alone.high, **_ends(fixed, _GIVEN),
            "of_people": float(bias.clustered_slope(human, on).value), "n_used": both.n_used,
        }  # fmt: skip


@tidy("dimension", "judge")
def leniency(benchmark: Benchmark, *, judges, dimensions, **within):
    """Mean of judge minus people."""
    for keys, scores, human in _by_dimension(benchmark, judges, dimensions):
        mean = bias.clustered_mean(scores - human, **within)
        yield {**keys, "judge": list(judges), **_ends(mean), "n_used": mean.n_used}


@tidy("dimension", "judge", "rating")
def scale_use(benchmark: Benchmark, *, judges, dimensions):
    """Share of each score among the ratings of a judge, and of single raters together."""
    for keys, scores, _ in _by_dimension(benchmark, judges, dimensions):
        people = benchmark.rated(keys["dimension"]).to_numpy()
        planes = {PEOPLE: people, **dict(zip(judges, scores, strict=True))}
        present = {judge: ratings[~np.isnan(ratings)] for judge, ratings in planes.items()}
        steps = np.unique(np.concatenate(list(present.values())))
        for judge, ratings in present.items():
            shares = [float(np.mean(ratings == step)) for step in steps]
            yield {**keys, "judge": judge, "rating": steps, "value": shares, "n_used": len(ratings)}


# --- a judge's own summaries


@tidy("judge")
def self_preference(benchmark: Benchmark, *, judges, own: Mapping[str, tuple[str, int]] = OWN, **within):
    """Judge minus people, own summaries minus others; and the same with other judges in people's place."""
    if len(set(judges)) < 2:
        raise ValueError(f"judges are compared with each other: name at least two, got {listing(judges)}")
    if not set(judges) & set(own):
        raise ValueError(f"none of the judges {listing(judges)} is among the judged: {listing(own)}")
    people = benchmark.human.to_numpy()
    ratings = {judge: benchmark.metric(judge).to_numpy() for judge in judges}
    for judge in [judge for judge in judges if judge in own]:
        name, place = own[judge]
        place = benchmark.systems.index(name) if name in benchmark.systems else place % len(people)
        rivals = np.mean([plane for other, plane in ratings.items() if other != judge], axis=0)
        excess, rival_excess = (
            bias.clustered_mean(
                bias.own_less_others(ratings[judge], others, place), by=("document",), **within
            )
            for others in (people, rivals)
        )
        yield {
            "dataset": benchmark.name, "judge": judge, "system": benchmark.systems[place],
            **_ends(excess), **_ends(rival_excess, ("rival_value", "rival_low", "rival_high")),
            "own_value": ratings[judge][place].mean(), "human": people[place].mean(),
            "n_documents": int(excess.n_used),
        }  # fmt: skip


# --- repeats


@tidy("judge", "dimension")
def repeats(*, rounds=("rose", "rose-llm"), noises=(0.0, 0.3, 0.6, 1.0), n_repeats=5, rng, **within):
    """Variance of repeated answers: judges of known noise, with what one costs, and people in two rounds."""
    quality = 3 + stream(rng, "quality").standard_normal((16, 100))
    people = rate(quality, Rater(noise=0.5), rng=stream(rng, "people"))[0]
    for noise in noises:
        answers, many = (
            rate(quality, Rater(noise=noise), n_repeats=n, rng=stream(rng, name, noise))
            for n, name in ((n_repeats, "repeats"), (40, "truth"))
        )
        true = float(bias.repeat_variance(many).mean())
        cost = _cost(answers, people) | {"true_runs": _r(many.mean(axis=0), people)}
        yield _repeated(f"simulated, noise {noise:g}", "", answers, true, **within) | cost
    present = load_present(rounds, minimum=0)
    if len(present) < 2:
        return
    first, second = present
    systems = [system for system in first.systems if system in second.systems]
    for judgment in first.judgments:
        if not judgment.endswith(_UNITS):
            again = np.stack([one.judgment(judgment).sel(system=systems).to_numpy() for one in present])
            # of so few systems the interval speaks of these
            yield _repeated(PEOPLE, judgment, again, np.nan, by=("document",), **within)


def _repeated(judge: str, dimension: str, answers: np.ndarray, true: float, **how) -> dict[str, object]:
    mean = bias.clustered_mean(bias.repeat_variance(answers), **how)
    flat = answers.reshape(len(answers), -1)
    return {
        "judge": judge, "dimension": dimension, **_ends(mean), "true_value": true,
        "flip_share": float(np.nanmean(flip_shares(flat))), "reliability": run_reliability(flat),
        "n_used": int(mean.n_used),
    }  # fmt: skip


def _cost(answers: np.ndarray, people: np.ndarray) -> dict[str, float]:
    """Pearson's r with people, over summaries, of one answer, of their mean, and expected of many."""
    one, every = np.mean([_r(answer, people) for answer in answers]), _r(answers.mean(axis=0), people)
    reliability = run_reliability(answers.reshape(len(answers), -1))
    many = correlation_of_runs(every, len(answers), np.inf, reliability)
    return {"one_run": float(one), "all_runs": every, "many_runs": float(many)}


def _r(scores: np.ndarray, people: np.ndarray) -> float:
    return float(correlate(scores, people, level="global", coefficient="pearson").value)


# --- sentinels


@tidy("dimension", "measure", "judge", values=["value", "is_sentinel"])
def sentinels(
    benchmark: Benchmark, texts: Texts, *, judges, dimensions, names, levels=("system", "summary", "global"),
    coefficient="kendall", confidence_level=0.95, rng, **draws,
):  # fmt: skip
    """Agreement with people, by level and by `ADVANTAGE`, of judges and of scores that judge nothing."""
    blind = _sentinels(texts, benchmark, names)
    columns = ["dataset", "dimension", "measure", "judge", "value", *ENDS, "n_undefined", "n_resamples"]
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, judges)
        entered = xr.concat([blind, document_means(part.human)], "metric")
        whole = part.with_scores(xr.concat([part.scores, entered], "metric"))
        keys = {"dataset": benchmark.name, "dimension": dimension}
        correlated = tabulate(
            [Part(keys, whole)], intervals, over={"level": levels}, coefficient=coefficient,
            method="Boot-Both", confidence_level=confidence_level, rng=rng, **draws,
        ).rename(columns={"level": "measure", "metric": "judge"})  # fmt: skip
        rated = benchmark.rated(dimension).to_numpy()
        # the test asks for people's scale
        scores = np.concatenate([part.scores.to_numpy(), bias.match_scale(entered.to_numpy(), rated)])
        advantage = bias.clustered_mean(_advantages(scores, rated), confidence_level=confidence_level)
        named = {**keys, "measure": ADVANTAGE, "judge": whole.metrics, "n_undefined": 0, "n_resamples": 0}
        for rows in (correlated, pd.DataFrame({**named, **_ends(advantage)})):
            yield rows[columns].assign(is_sentinel=~rows["judge"].isin(judges))


def _advantages(scores: np.ndarray, rated: np.ndarray) -> np.ndarray:
    """Share of each summary's raters to whose others a judge is at least as close as they are."""
    return np.stack(
        [
            mean_of(np.stack([closer(plane, rated, k, alignment="rmse")[0] for k in range(len(rated))]))
            for plane in scores
        ]
    )


@tidy("measure", "dimension")
def passed(sentinels: pd.DataFrame):
    """The best sentinel by each measure, if one has a value, and the judges that are no better."""
    for (measure, dimension), part in sentinels.groupby(["measure", "dimension"], sort=False):
        blind, judges = part[part["is_sentinel"]].dropna(subset="value"), part[~part["is_sentinel"]]
        if not blind.empty:
            best = blind.loc[blind["value"].idxmax()]
            yield {
                "measure": measure, "dimension": dimension, "judge": best["judge"], "value": best["value"],
                "n_passed": int((judges["value"] <= best["value"]).sum()), "n_judges": len(judges),
            }  # fmt: skip


# --- what papers print


def quantities(names: Sequence[str], benchmark: Benchmark) -> pd.DataFrame:
    """Numbers that Zeng et al. 2024 print of LLMBar, if it is named, and Bao et al. 2025 of FaithBench."""
    tables = [_llmbar_table(pairs("llmbar"))] if "llmbar" in names else []
    tables.append(_faithbench_table(benchmark, datasets.marks()))
    table = pd.concat(tables, ignore_index=True).fillna({"set": "", "judge": "", "system": ""})
    return check(table, keys=["dataset", "set", "judge", "system", "quantity"])


def _llmbar_table(chosen: Pairs) -> pd.DataFrame:
    rows = []
    for (subset, _), part in chosen.items.groupby(["set", "dimension"], sort=False):
        gold = chosen.people.sel(pair=part.index).to_numpy()[0]
        rows.append((subset, "", "pairs", len(gold)))
        for judge in chosen.judges.indexes["judge"]:
            cells = {"judge": judge, "pair": part.index}
            if chosen.answered.sel(cells).to_numpy().any():
                counts = _counted(chosen.judges.sel(cells).to_numpy(), gold)
                rows += [(subset, judge, quantity, value) for quantity, value in counts.items()]
    table = pd.DataFrame(rows, columns=["set", "judge", "quantity", "value"])
    return pd.concat([table, *_averages(table)], ignore_index=True).assign(dataset=chosen.name)


def _counted(choices: np.ndarray, gold: np.ndarray) -> dict[str, float]:
    """A judge's choices (order, pair) against the gold labels, as the authors' release counts them."""
    right = choices == gold
    # two answers that cannot be read are equal
    equal = (choices[0] == choices[1]) | np.isnan(choices).all(axis=0)
    # their kappas know the first output's wins and nothing else, beside labels 1 and 2
    wins, labels = (choices == 1).astype(float), np.where(gold == 1, 1.0, 2.0)
    kappas = [agreement(np.stack([one, labels]), coefficient="cohen") for one in wins]
    return {
        "right as listed": right[0].sum(),
        "right swapped": right[1].sum(),
        "right in both": right.all(axis=0).sum(),
        "equal": equal.sum(),
        "accuracy": 100 * right.mean(),
        "agreement": 100 * equal.mean(),
        "kappa as listed": kappas[0],
        "kappa swapped": kappas[1],
        "mean kappa": np.mean(kappas),
        "kappa of the orders": agreement(wins, coefficient="cohen"),
    }


def _averages(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Plain means over LLMBar's subsets, its numbers of pairs, and the range of the judges in each set."""
    rates = table[table["quantity"].isin(["accuracy", "agreement"])]
    for name, sets in (("Adversarial", ADVERSARIAL), ("Average", ("Natural", *ADVERSARIAL))):
        groups = rates[rates["set"].isin(sets)].groupby(["judge", "quantity"], sort=False)["value"]
        mean = groups.mean()[groups.size() == len(sets)].reset_index().assign(set=name)
        rates = pd.concat([rates, mean], ignore_index=True)
        yield mean
        count = table[(table["quantity"] == "pairs") & table["set"].isin(sets)]["value"].sum()
        yield pd.DataFrame({"set": [name], "judge": "", "quantity": "pairs", "value": count})
    by_set = rates[rates["quantity"] == "accuracy"].groupby("set", sort=False)["value"]
    ranges = (by_set.max() - by_set.min()).reset_index()
    yield ranges.assign(judge="", quantity="range of accuracies")


def unread(name: str, *, of: str, judge: str) -> pd.DataFrame:
    """Accuracy and agreement of a judge, if it is there, with its unreadable answers read in one way."""
    chosen, rows = pairs(name), []
    part = chosen.items.index[chosen.items["set"] == of]
    if len(part) and judge in chosen.judges.indexes["judge"]:
        choices = chosen.judges.sel(judge=judge, pair=part).to_numpy()
        gold, lost = chosen.people.sel(pair=part).to_numpy()[0], np.isnan(choices)
        for reading, filler in {"as released": np.nan, "right": gold, "wrong": 1 - gold}.items():
            counts = _counted(np.where(lost, filler, choices), gold)
            rows += [
                (of, judge, reading, quantity, counts[quantity], int(lost.sum()))
                for quantity in ("accuracy", "agreement")
            ]
    columns = ["set", "judge", "reading", "quantity", "value", "n_values"]
    return check(pd.DataFrame(rows, columns=columns), keys=["reading", "quantity"])


def _faithbench_table(benchmark: Benchmark, labelled: Marks) -> pd.DataFrame:
    rows = []
    for judgment, quantity in _RATES.items():
        failed = 100 * (1 - benchmark.judgment(judgment).to_numpy().mean(axis=1))
        rows += [("", system, quantity, v) for system, v in zip(benchmark.systems, failed, strict=True)]
    truths = {"worst": benchmark.judgment("faithful").to_numpy()}
    if passes := labelled.passes():  # a likeness's marks are of no summaries
        truths["best"] = np.array([[passes[s, d] for d in benchmark.documents] for s in benchmark.systems])
    for pooling, truth in truths.items():
        for judge in benchmark.metrics:
            rates = _detected(benchmark.metric(judge).to_numpy().ravel(), truth.ravel())
            rows += [(judge, "", f"{quantity}, {pooling}", value) for quantity, value in rates.items()]
    table = pd.DataFrame(rows, columns=["judge", "system", "quantity", "value"])
    return table.assign(dataset=benchmark.name, set="")


def _detected(score: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """A detector's balanced accuracy and macro F1 in percent, and Pearson's r of verdicts and truth."""
    # one that does not answer is wrong
    verdicts = np.where(np.isnan(score), 1 - truth, score >= 0.5).astype(int)
    hit = verdicts == truth
    return {
        "BA": 50 * (hit[truth == 1].mean() + hit[truth == 0].mean()),
        "F1": 100 * f1_scores(truth[None].astype(int), verdicts[None])["macro"][0],
        "r": np.corrcoef(verdicts, truth)[0, 1],
    }


# --- figures


def position_dots(results: pd.DataFrame) -> go.Figure:
    """Share of choices of the first shown, a row for each judge and a point for each set."""
    judges = results.groupby("judge")["value"].mean().sort_values().index.tolist()
    sheet = marks(
        add_verdict(results, 0.5), x="value", y="judge", series="verdict", order=judges, style=VERDICTS,
        bars=False, hover=["set", "dimension", "flip_rate", "n_pairs", "share_unreadable"],
        labels={"value": "share of choices of the first shown"},
    )  # fmt: skip
    reach = results["value"]
    sheet.x(**share_axis(min(0.38, reach.min() - 0.03), reach.max() + 0.03, step=0.1))
    sheet.rule(x=0.5, text="no position preferred")
    return sheet.figure(height=dot_height(judges), named=False, scattermode="overlay")


def length_dots(results: pd.DataFrame) -> go.Figure:
    """Slopes of judge minus people on length, a row for each judge and a panel for each dimension."""
    judges = results.groupby("judge")["value"].mean().sort_values().index.tolist()
    sheet = marks(
        add_verdict(results), x="value", y="judge", panel="dimension", series="verdict", order=judges,
        style=VERDICTS, hover=["given", "of_people"],
        labels={"value": "points for one standard deviation of length"},
    )  # fmt: skip
    far = max(results["high"].max(), -results["low"].min())
    # on a phone there is room for three ticks
    sheet.x(range=[-1.05 * far, 1.05 * far], dtick=max(round(far / 1.5, 1), 0.1), tick0=0, tickangle=0)
    sheet.rule(x=0, text="length adds nothing")
    return sheet.figure(height=dot_height(judges), scattermode="overlay")


def use_bars(results: pd.DataFrame) -> go.Figure:
    """Shares of the scores, a bar for each judge and people; a dropdown picks the dimension."""
    sheet, ratings = Panels(), sorted(results["rating"].unique())
    for (dimension, rating), rows in results.groupby(["dimension", "rating"], sort=False):
        colour = _SCORES[round(ratings.index(rating) / max(len(ratings) - 1, 1) * (len(_SCORES) - 1))]
        trace = {
            "type": "bar", "orientation": "h", "x": rows["value"], "y": rows["judge"],
            "name": f"score {rating:g}", "legendgroup": f"{rating:g}", "marker": {"color": colour},
            "customdata": list(zip(rows["n_used"].tolist(), (100 * rows["value"]).tolist(), strict=True)),
            "hovertemplate": f"<b>%{{y}}</b><br>score {rating:g}: %{{customdata[1]:.1f}} %<br>"
            f"{label('n_used')}: %{{customdata[0]}}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, of={"dimension": dimension})
    judges = results["judge"].unique().tolist()[::-1]
    sheet.y(title="judge", automargin=True, categoryorder="array", categoryarray=judges)
    # beyond the end there is room for the label of the last tick
    sheet.x(title="share of the ratings", **share_axis(high=1.04)).menu("Criterion", "dimension")
    return sheet.figure(height=170 + 34 * len(judges), barmode="stack")


def sentinel_dots(results: pd.DataFrame) -> go.Figure:
    """Judges and scores that judge nothing under each measure; a dropdown picks the dimension."""
    rows = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", panel="measure", series="is_sentinel", menu="dimension", order=rows,
        style=_KINDS, name={False: "judges", True: "scores that judge nothing"}, size=11,
        labels={"value": "agreement with people"},
    )  # fmt: skip
    sheet.layout |= {"scattermode": "overlay"}
    sheet.rule(x=0, text="no better than chance").x(nticks=4, tickangle=0).menu("Criterion", "dimension")
    return sheet.figure(height=dot_height(rows))


LIVE = live(
    "bias",
    lambda *, dataset, texts, **settings: length(load(dataset), load(texts).texts, **settings),
    length_dots,
    "dataset judges dimensions confidence_level",
    question="What does a summary gain with a judge by being longer?",
    constants="texts",
)
