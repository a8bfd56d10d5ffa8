"""experiments.bias: how judges are partial to position, length, scores or systems, and what sentinels reach.

Called by the notebook `bias` and its live block. Intervals allow for summaries of one system and of one
document that hang together (`metaeval.stats.bias`); those of `sentinels` draw both again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.experiments.pairs import f1_of_rows
from helpers.kit.live import choices as live_choices
from helpers.kit.live.controls import One
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import ENDS, Panels, grid, heatmap, in_cell, in_ink, label, with_system_names
from helpers.kit.theme import BLUE, GREY, ORANGE, SKY, VERMILLION, Style, faint, hollow, share_axis
from helpers.kit.told import value_told
from metaeval import datasets
from metaeval.analysis.judges import of_dimension
from metaeval.analysis.tabulate import intervals, tabulate
from metaeval.core.errors import DataError, listing
from metaeval.datasets import load, load_present, pairs
from metaeval.datasets.readers.faithbench import Marks
from metaeval.metrics.sentinels import document_means, sentinel_scores
from metaeval.simulation.raters import Rater, rate
from metaeval.stats import bias
from metaeval.stats.agreement import agreement
from metaeval.stats.annotator_test import closer
from metaeval.stats.reliability import mean_of
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Part, Texts
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.pairs import Pairs

PEOPLE = "people"
ADVERSARIAL = ("Neighbor", "GPTInst", "GPTOut", "Manual")  # LLMBar's; with Natural its average
# of the judges of a release, who summarizes too: the system, and its place in a likeness, which names none
OWN = {"gpt_4o": ("openai/gpt-4o", -1), "gpt-3.5-turbo": ("openai/GPT-3.5-Turbo", -2)}
ADVANTAGE = "annotator test"
_UNITS = "ACU"  # RoSE's protocols by content units, which were found once for both rounds


# ------------------------------------------------------------------------------------------------ position


def position(names: Sequence[str], *, confidence_level: float = 0.95) -> pd.DataFrame:
    """What judges choose that were shown each pair in both orders.

    Parameters
    ----------
    names : of `metaeval.datasets.pair_names`
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame with columns dataset, set, dimension, judge, value (share of times that the first shown is
    chosen, a tie counting half), low, high, flip_rate (share of pairs whose choice is another in the other
    order), flip_low, flip_high, n_pairs (with two readable answers), share_unreadable
    """
    frames = [_position(pairs(name), confidence_level) for name in names]
    if not frames:
        raise ValueError("no release of pairs is named: name at least one")
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=["dataset", "set", "dimension", "judge"], values=["value", "flip_rate"])


def _position(chosen: Pairs, confidence_level: float) -> pd.DataFrame:
    lost = chosen.unreadable().set_index(["set", "dimension", "judge"])["value"]
    rows = []
    for key, choices in _planes(chosen):
        settings = {"confidence_level": confidence_level}
        first = bias.clustered_mean(bias.first_shown(choices), **settings)
        flips = bias.clustered_share(bias.flipped(choices), **settings)
        for k, judge in enumerate(chosen.judges.indexes["judge"]):
            if flips.n_used[k]:
                rows.append(
                    {
                        "dataset": chosen.name, "set": key[0], "dimension": key[1], "judge": judge,
                        "value": first.value[k], "low": first.low[k], "high": first.high[k],
                        "flip_rate": flips.value[k], "flip_low": flips.low[k], "flip_high": flips.high[k],
                        "n_pairs": int(flips.n_used[k]), "share_unreadable": lost[(*key, judge)],
                    }
                )  # fmt: skip
    if not rows:
        raise DataError(f"{chosen.name}: no judge was shown a pair in both orders")
    return pd.DataFrame(rows)


def _planes(chosen: Pairs) -> Iterable[tuple[tuple[str, str], np.ndarray]]:
    """(set, dimension), and the choices (judge, order, pair of systems, document) in it."""
    for key, part in chosen.items.groupby(["set", "dimension"], sort=False):
        compared, _ = pd.factorize(part["first"] + "\n" + part["second"])
        documents, _ = pd.factorize(part["document"])
        given = chosen.judges.sel(pair=part.index).to_numpy()
        planes = np.full((*given.shape[:2], compared.max() + 1, documents.max() + 1), np.nan)
        planes[..., compared, documents] = given
        yield key, planes


# ------------------------------------------------------------------------------------------ length and use


def lengths(texts: Texts, benchmark: Benchmark) -> np.ndarray:
    """Words of every summary in standard deviations from their mean, as the benchmark has its summaries."""
    counted = _sentinels(texts, benchmark, ["length"])[0].to_numpy()
    return (counted - counted.mean()) / counted.std()


def _sentinels(texts: Texts, benchmark: Benchmark, names: Sequence[str]) -> xr.DataArray:
    ids = {"system": benchmark.systems, "document": benchmark.documents}
    absent = [label for dim in ids for label in ids[dim] if label not in texts.summaries.indexes[dim]]
    if absent:
        raise DataError(f"there are no texts of {benchmark.name}'s: {listing(absent)}")
    return sentinel_scores(texts, names).sel(ids)


def _pairs_of(benchmark: Benchmark, judges: Sequence[str], dimensions: Sequence[str]):
    """Dimension, its judges (n_judges, n, m) and people's mean (n, m)."""
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, judges)
        yield dimension, part.scores.to_numpy(), part.human.to_numpy()


def length(
    benchmark: Benchmark,
    texts: Texts,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """What a summary gains with a judge, beyond what people give it, by being longer.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics
    texts : Texts of the same summaries
    judges, dimensions : sequences of str
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, value (slope of judge minus people, in rating points a
    standard deviation of length), low, high, document_low, document_high (clustered by document only), given
    (slope of the judge's rating among summaries that people rate alike), given_low, given_high, of_people
    (slope of people's own rating), n_used
    """
    on, frames = lengths(texts, benchmark), []
    for dimension, scores, human in _pairs_of(benchmark, judges, dimensions):
        settings = {"confidence_level": confidence_level}
        both = bias.clustered_slope(scores - human, on, **settings)
        alone = bias.clustered_slope(scores - human, on, by=("document",), **settings)
        given = bias.clustered_slope(scores, on, given=human, **settings)
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name, "dimension": dimension, "judge": list(judges),
                    "value": both.value, "low": both.low, "high": both.high,
                    "document_low": alone.low, "document_high": alone.high,
                    "given": given.value, "given_low": given.low, "given_high": given.high,
                    "of_people": float(bias.clustered_slope(human, on).value), "n_used": both.n_used,
                }
            )
        )  # fmt: skip
    return check(_together(frames), keys=["dimension", "judge"])


def _together(frames: list[pd.DataFrame]) -> pd.DataFrame:
    if not frames:
        raise ValueError("no dimension is named: name at least one")
    return pd.concat(frames, ignore_index=True)


def leniency(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """How much more a judge gives than people, on average.

    Parameters
    ----------
    benchmark, judges, dimensions, confidence_level : see `length`

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, value (mean of judge minus people), low, high, n_used
    """
    frames = []
    for dimension, scores, human in _pairs_of(benchmark, judges, dimensions):
        found = bias.clustered_mean(scores - human, confidence_level=confidence_level)
        named = {"dataset": benchmark.name, "dimension": dimension, "judge": list(judges)}
        ends = {"value": found.value, "low": found.low, "high": found.high, "n_used": found.n_used}
        frames.append(pd.DataFrame(named | ends))
    return check(_together(frames), keys=["dimension", "judge"])


def scale_use(benchmark: Benchmark, *, judges: Sequence[str], dimensions: Sequence[str]) -> pd.DataFrame:
    """How often judges, and single raters together, give each score.

    Parameters
    ----------
    benchmark, judges, dimensions : see `length`

    Returns
    -------
    DataFrame with columns dataset, dimension, judge (`PEOPLE` for the raters), rating, value (share of the
    ratings), n_used
    """
    frames = []
    for dimension, scores, _ in _pairs_of(benchmark, judges, dimensions):
        given = {PEOPLE: benchmark.rated(dimension).to_numpy(), **dict(zip(judges, scores, strict=True))}
        flat = {who: ratings[~np.isnan(ratings)] for who, ratings in given.items()}
        steps = np.unique(np.concatenate(list(flat.values())))
        rows = [
            (benchmark.name, dimension, who, rating, float(np.mean(ratings == rating)), len(ratings))
            for who, ratings in flat.items()
            for rating in steps
        ]
        columns = ["dataset", "dimension", "judge", "rating", "value", "n_used"]
        frames.append(pd.DataFrame(rows, columns=columns))
    return check(_together(frames), keys=["dimension", "judge", "rating"])


# -------------------------------------------------------------------------------------- systems, and its own


def favour(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """What a judge gives each system beyond its line on people's means; documents are clusters.

    Parameters
    ----------
    benchmark, judges, dimensions, confidence_level : see `length`

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, system, value (rating points), low, high, n_used
    """
    frames = []
    for dimension, scores, human in _pairs_of(benchmark, judges, dimensions):
        left = bias.beyond_line(scores, human)[:, :, None]
        found = bias.clustered_mean(left, by=("document",), confidence_level=confidence_level)
        for k, judge in enumerate(judges):
            named = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            ends = {"value": found.value[k], "low": found.low[k], "high": found.high[k]}
            frames.append(
                pd.DataFrame({**named, "system": benchmark.systems, **ends, "n_used": found.n_used[k]})
            )
    return check(_together(frames), keys=["dimension", "judge", "system"])


def self_preference(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    own: Mapping[str, tuple[str, int]] = OWN,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """What judges give their own summaries beyond those of others, beside people and beside other judges.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics, on people's scale
    judges : sequence of str
        Language models; those of `own` are asked about, all are compared with.
    own : mapping, judge -> its system, and the system's place where the benchmark names none so
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame with columns dataset, judge, system, value (difference in differences: judge minus people, own
    minus others), low, high, rival_value, rival_low, rival_high (the same with the other judges' mean in
    people's place), own_value (mean that the judge gives its own), human (that people give them), n_documents
    """
    if len(set(judges)) < 2:
        raise ValueError(f"judges are compared with each other: name at least two, got {listing(judges)}")
    people, rows = benchmark.human.to_numpy(), []
    given = {judge: benchmark.metric(judge).to_numpy() for judge in judges}
    for judge in judges:
        if judge not in own:
            continue
        name, place = own[judge]
        place = benchmark.systems.index(name) if name in benchmark.systems else place % len(people)
        rivals = np.mean([plane for other, plane in given.items() if other != judge], axis=0)
        differences = [bias.own_less_others(given[judge], others, place) for others in (people, rivals)]
        settings = {"by": ("document",), "confidence_level": confidence_level}
        found, beside = (bias.clustered_mean(difference, **settings) for difference in differences)
        rows.append(
            {
                "dataset": benchmark.name, "judge": judge, "system": benchmark.systems[place],
                "value": float(found.value), "low": float(found.low), "high": float(found.high),
                "rival_value": float(beside.value), "rival_low": float(beside.low),
                "rival_high": float(beside.high), "own_value": given[judge][place].mean(),
                "human": people[place].mean(), "n_documents": int(found.n_used),
            }
        )  # fmt: skip
    if not rows:
        raise ValueError(f"none of the judges {listing(judges)} is among the judged: {listing(own)}")
    return check(pd.DataFrame(rows), keys=["judge"])


# -------------------------------------------------------------------------------------------------- repeats


def repeats(
    *,
    rounds: Sequence[str] = ("rose", "rose-llm"),
    noises: Sequence[float] = (0.0, 0.3, 0.6, 1.0),
    n_repeats: int = 5,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """How much answers to one summary vary: of judges whose noise is known, and of people a round later.

    Parameters
    ----------
    rounds : two datasets with the same systems and documents in part
        Two rounds of judgment; left out where a file is missing.
    noises : sequence of float
        Of simulated judges, asked for ratings from 1 to 5.
    n_repeats : int, at least 2
        How often they are asked.
    confidence_level : float in (0, 1)
    rng : seed
        Of the simulated judges' answers.

    Returns
    -------
    DataFrame with columns judge, dimension, value (variance of repeated answers), low, high, true_value (that
    the noise and the rounding of answers make, by many more answers; NaN for people), agreement (share of
    pairs of answers that are equal), n_used
    """
    seed, rows = seed_of(rng), []
    quality = 3 + stream(seed, "quality").standard_normal((16, 100))
    for noise in noises:
        rater = Rater(noise=noise)
        answers = rate(quality, rater, n_repeats=n_repeats, rng=stream(seed, "repeats", noise))
        many = rate(quality, rater, n_repeats=40, rng=stream(seed, "truth", noise))
        true = float(bias.repeat_variance(many).mean())
        rows.append(_repeated(f"simulated, noise {noise:g}", "", answers, true, bias.BOTH, confidence_level))
    found = load_present(rounds, at_least=0)
    if len(found) == 2:
        first, second = found
        systems = [system for system in first.systems if system in second.systems]
        for judgment in first.judgments:
            if judgment.endswith(_UNITS):
                continue
            again = np.stack([one.judgment(judgment).sel(system=systems).to_numpy() for one in found])
            # of so few systems the interval speaks of these
            rows.append(_repeated(PEOPLE, judgment, again, np.nan, ("document",), confidence_level))
    return check(pd.DataFrame(rows), keys=["judge", "dimension"])


def _repeated(who, dimension, answers, true, by, confidence_level) -> dict[str, object]:
    found = bias.clustered_mean(bias.repeat_variance(answers), by=by, confidence_level=confidence_level)
    same = agreement(answers.reshape(len(answers), -1), coefficient="percent")
    return {
        "judge": who, "dimension": dimension, "value": float(found.value), "low": float(found.low),
        "high": float(found.high), "true_value": true, "agreement": same, "n_used": int(found.n_used),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ sentinels


def sentinels(
    benchmark: Benchmark,
    texts: Texts,
    *,
    judges: Sequence[str],
    dimensions: Sequence[str],
    names: Sequence[str],
    levels: Sequence[str] = ("system", "summary", "global"),
    coefficient: str = "kendall",
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Scores that judge nothing entered as judges, under several measures of agreement with people.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics and single raters
    texts : Texts of the same summaries
    judges, dimensions : sequences of str
    names : of `metaeval.metrics.sentinels`
        People's mean of the document is entered too. For the annotator test all are put on people's scale.
    levels : of the correlations
    coefficient : {"pearson", "spearman", "kendall"}
    n_resamples, confidence_level, rng : of the correlations' intervals
        Systems and documents are drawn again; the advantage's are clustered by both.

    Returns
    -------
    DataFrame with columns dataset, dimension, measure (a level, or `ADVANTAGE`), judge, is_sentinel, value,
    low, high, n_undefined, n_resamples (0 where nothing is drawn)
        A correlation does not exist (NaN) for one that is constant in what it ranks.
    """
    counted, frames, seed = _sentinels(texts, benchmark, names), [], seed_of(rng)
    kept = ["dataset", "dimension", "measure", "judge", "value", "low", "high", "n_undefined", "n_resamples"]
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, judges)
        blind = xr.concat([counted, document_means(part.human)], "metric")
        whole = part.with_scores(xr.concat([part.scores, blind], "metric"))
        keys = {"dataset": benchmark.name, "dimension": dimension}
        found = tabulate(
            [Part(keys, whole)], intervals, over={"level": levels}, coefficient=coefficient,
            method="Boot-Both", n_resamples=n_resamples, confidence_level=confidence_level, rng=seed,
        )  # fmt: skip
        frames.append(found.rename(columns={"level": "measure", "metric": "judge"})[kept])
        rated = benchmark.rated(dimension).to_numpy()
        scores = np.concatenate([part.scores.to_numpy(), bias.on_scale_of(blind.to_numpy(), rated)])
        advantage = bias.clustered_mean(_advantages(scores, rated), confidence_level=confidence_level)
        ends = {"value": advantage.value, "low": advantage.low, "high": advantage.high}
        named = {**keys, "measure": ADVANTAGE, "judge": whole.metrics, "n_undefined": 0, "n_resamples": 0}
        frames.append(pd.DataFrame({**named, **ends})[kept])
    table = pd.concat(frames, ignore_index=True)
    table["is_sentinel"] = ~table["judge"].isin(judges)
    return check(table, keys=["dimension", "measure", "judge"], values=["value", "is_sentinel"])


def _advantages(scores: np.ndarray, rated: np.ndarray) -> np.ndarray:
    """Of each summary's raters, the share to whose others a judge is at least as close as they are."""
    return np.stack(
        [
            mean_of(np.stack([closer(plane, rated, k, alignment="rmse")[0] for k in range(len(rated))]))
            for plane in scores
        ]
    )


def passed(sentinels: pd.DataFrame) -> pd.DataFrame:
    """Under each measure, the sentinel that does best and how many judges it is level with or ahead of.

    Parameters
    ----------
    sentinels : DataFrame of `sentinels`
        A measure by which no sentinel has a value, such as a constant's correlation, is left out.

    Returns
    -------
    DataFrame with columns measure, dimension, judge (the sentinel), value (its), n_passed, n_judges
    """
    rows = []
    for (measure, dimension), part in sentinels.groupby(["measure", "dimension"], sort=False):
        blind, real = part[part["is_sentinel"]].dropna(subset="value"), part[~part["is_sentinel"]]
        if blind.empty:
            continue
        best = blind.loc[blind["value"].idxmax()]
        rows.append(
            {
                "measure": measure,
                "dimension": dimension,
                "judge": best["judge"],
                "value": best["value"],
                "n_passed": int((real["value"] <= best["value"]).sum()),
                "n_judges": len(real),
            }
        )
    return check(pd.DataFrame(rows), keys=["measure", "dimension"])


# ------------------------------------------------------------------------------------- what papers print


def quantities(names: Sequence[str], benchmark: Benchmark) -> pd.DataFrame:
    """What Zeng et al. 2024 print of LLMBar's judges and Bao et al. 2025 of FaithBench.

    Parameters
    ----------
    names : of `metaeval.datasets.pair_names`
        LLMBar counts, if it is among them.
    benchmark : FaithBench

    Returns
    -------
    DataFrame with columns dataset, set, judge, system, quantity, value
        Rates in percent.
    """
    tables = [_of_faithbench(benchmark, datasets.marks())]
    if "llmbar" in names:
        tables.insert(0, _of_llmbar(pairs("llmbar")))
    table = pd.concat(tables, ignore_index=True).fillna({"set": "", "judge": "", "system": ""})
    return check(table, keys=["dataset", "set", "judge", "system", "quantity"])


def _of_llmbar(chosen: Pairs) -> pd.DataFrame:
    rows = []
    for (of, _), part in chosen.items.groupby(["set", "dimension"], sort=False):
        gold = chosen.people.sel(pair=part.index).to_numpy()[0]
        rows.append((of, "", "pairs", len(gold)))
        for judge in chosen.judges.indexes["judge"]:
            kept = {"judge": judge, "pair": part.index}
            if chosen.asked.sel(kept).to_numpy().any():
                given = chosen.judges.sel(kept).to_numpy()
                rows += [(of, judge, quantity, value) for quantity, value in _counted(given, gold).items()]
    table = pd.DataFrame(rows, columns=["set", "judge", "quantity", "value"])
    return pd.concat([table, *_averages(table)], ignore_index=True).assign(dataset=chosen.name)


def _counted(given: np.ndarray, gold: np.ndarray) -> dict[str, float]:
    """A judge's choices (order, pair) against the gold labels, as the authors' release counts them."""
    right = given == gold
    # two answers that cannot be read are equal
    equal = (given[0] == given[1]) | np.isnan(given).all(axis=0)
    # their kappas know the first output's wins and nothing else, beside labels 1 and 2
    wins, labels = (given == 1).astype(float), np.where(gold == 1, 1.0, 2.0)
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


def _averages(table: pd.DataFrame) -> Iterable[pd.DataFrame]:
    """Plain means over LLMBar's subsets, its numbers of pairs, and the range of the judges in each set."""
    rates = table[table["quantity"].isin(["accuracy", "agreement"])]
    for name, sets in (("Adversarial", ADVERSARIAL), ("Average", ("Natural", *ADVERSARIAL))):
        groups = rates[rates["set"].isin(sets)].groupby(["judge", "quantity"], sort=False)["value"]
        mean = groups.mean()[groups.size() == len(sets)].reset_index().assign(set=name)
        rates = pd.concat([rates, mean], ignore_index=True)
        yield mean
        count = table[(table["quantity"] == "pairs") & table["set"].isin(sets)]["value"].sum()
        yield pd.DataFrame({"set": [name], "judge": "", "quantity": "pairs", "value": count})
    of_set = rates[rates["quantity"] == "accuracy"].groupby("set", sort=False)["value"]
    ranges = (of_set.max() - of_set.min()).reset_index()
    yield ranges.assign(judge="", quantity="range of accuracies")


def unread(name: str, *, of: str, judge: str) -> pd.DataFrame:
    """What a judge's accuracy and agreement would be if its unreadable answers were all read in one way.

    Parameters
    ----------
    name : of `metaeval.datasets.pair_names`
    of, judge : str
        A set of it, and a judge.

    Returns
    -------
    DataFrame with columns set, judge, reading, quantity (accuracy or agreement), value (in percent), n_values
    (answers so read)
        Empty where there is no such set or judge.
    """
    chosen, rows = pairs(name), []
    part = chosen.items.index[chosen.items["set"] == of]
    if len(part) and judge in chosen.judges.indexes["judge"]:
        given = chosen.judges.sel(judge=judge, pair=part).to_numpy()
        gold, lost = chosen.people.sel(pair=part).to_numpy()[0], np.isnan(given)
        readings = {"as released": np.nan, "right": gold, "wrong": 1 - gold}
        for reading, said in readings.items():
            found = _counted(np.where(lost, said, given), gold)
            rows += [
                (of, judge, reading, quantity, found[quantity], int(lost.sum()))
                for quantity in ("accuracy", "agreement")
            ]
    names = ["set", "judge", "reading", "quantity", "value", "n_values"]
    return check(pd.DataFrame(rows, columns=names), keys=["reading", "quantity"])


_RATES = {"no unwanted span": "U", "faithful": "UQ", "no labelled span": "UQB"}


def _of_faithbench(benchmark: Benchmark, given: Marks) -> pd.DataFrame:
    rows = []
    for judgment, quantity in _RATES.items():
        failed = 100 * (1 - benchmark.judgment(judgment).to_numpy().mean(axis=1))
        rows += [("", system, quantity, v) for system, v in zip(benchmark.systems, failed, strict=True)]
    truths = {"worst": benchmark.judgment("faithful").to_numpy()}
    if passes := given.passes():  # a likeness's marks are of no summaries
        truths["best"] = np.array([[passes[s, d] for d in benchmark.documents] for s in benchmark.systems])
    for pooling, truth in truths.items():
        for judge in benchmark.metrics:
            found = _detected(benchmark.metric(judge).to_numpy().ravel(), truth.ravel())
            rows += [(judge, "", f"{quantity}, {pooling}", value) for quantity, value in found.items()]
    table = pd.DataFrame(rows, columns=["judge", "system", "quantity", "value"])
    return table.assign(dataset=benchmark.name, set="")


def _detected(score: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """A detector's balanced accuracy and macro F1 in percent, and Pearson's r of verdicts and truth."""
    # one that does not answer is wrong
    said = np.where(np.isnan(score), 1 - truth, score >= 0.5).astype(int)
    hit = said == truth
    return {
        "BA": 50 * (hit[truth == 1].mean() + hit[truth == 0].mean()),
        "F1": 100 * f1_of_rows(truth[None].astype(int), said[None])["macro"][0],
        "r": np.corrcoef(said, truth)[0, 1],
    }


# ---------------------------------------------------------------------------------------------- the answer


def answer(
    position: pd.DataFrame,
    length: pd.DataFrame,
    leniency: pd.DataFrame,
    favour: pd.DataFrame,
    own: pd.DataFrame,
    passed: pd.DataFrame,
) -> dict[str, str]:
    """The page's answer, every word of it chosen from the tables.

    Parameters
    ----------
    position, length, leniency, favour, own, passed : DataFrames of the functions of these names, and of
        `self_preference`

    Returns
    -------
    dict
        ``bias-answer-short`` and ``-sure``, the answer and how far it goes; ``bias-answer-position``,
        ``-length``, ``-leniency``, ``-favour``, ``-own`` and ``-sentinels``.
    """
    flips = 100 * position["flip_rate"]
    changes = f"{wording.extent(flips, '.0f')} %"
    where = wording.sides(position["low"], position["high"], at=0.5)
    in_sets = f"{len(position)} cases of a judge and a set of pairs"
    told = (
        f"Of {in_sets}, {where['above']} choose the output shown first more often than the other, "
        f"{where['below']} the one shown second, and in {where['around']} the interval contains one half; "
        f"the other order changes {changes} of the choices (median {flips.median():.0f} %)."
    )
    longer = (
        f"Beyond what people give, {_over(length, 'length')}; slopes are "
        f"{wording.extent(length['value'])} points for one standard deviation of length."
    )
    kinder = (
        f"Judges are {_over(leniency, 'leniency')}; means are "
        f"{wording.extent(leniency['value'], '+z.2f')} points."
    )
    return {
        "bias-answer-short": _in_short(position, length, leniency, own),
        "bias-answer-sure": f"Swaps change {changes} of choices.",
        "bias-answer-position": told,
        "bias-answer-length": longer,
        "bias-answer-leniency": kinder,
        "bias-answer-favour": f"{_over(favour, 'favour').capitalize()}.",
        "bias-answer-own": " ".join(_own_told(row) for row in own.itertuples()),
        "bias-answer-sentinels": _passed_told(passed),
    }


def _in_short(position: pd.DataFrame, length: pd.DataFrame, leniency: pd.DataFrame, own: pd.DataFrame) -> str:
    """Of each bias, in how many cases the intervals show it."""
    first, longer, mild, itself = (
        wording.sides(table["low"], table["high"], at=at)
        for table, at in ((position, 0.5), (length, 0), (leniency, 0), (own, 0))
    )
    end, kind = ("below", "stricter") if mild["below"] > mild["above"] else ("above", "more lenient")
    return (
        f"By intervals, judges favour what comes first in {first['above']} of {len(position)} cases (all: "
        f"chosen {wording.extent(position['value'], '.0%')}), longer summaries more than people do in "
        f"{longer['above']} of {len(length)} (all: {wording.extent(length['value'])}), their own in "
        f"{itself['above']} of {len(own)}, and are {kind} than people in {mild[end]} of {len(leniency)} "
        f"(all: {wording.extent(leniency['value'])} points)."
    )


_OF = "{n} pairs of a judge and a dimension"
_OVER = {  # how the counts above and below 0, and of intervals around it, are told
    "length": f"a longer summary gains with {{above}} of {_OF} and loses with {{below}}",
    "leniency": f"more lenient than people in {{above}} of {_OF} and stricter in {{below}}",
    "favour": (
        "of {n} judge–system differences, as departures from a straight line, {above} are above 0 and "
        "{below} below it by their own intervals"
    ),
}


def _over(table: pd.DataFrame, what: str) -> str:
    return _OVER[what].format(n=len(table), **wording.sides(table["low"], table["high"]))


_FAVOURS = (
    "favours its own summaries less than people do",
    "is not shown to favour or disfavour its own summaries",
    "favours its own summaries more than people do",
)


def _own_told(row) -> str:
    said = wording.against(row.low, row.high, words=_FAVOURS)
    value = value_told(row)
    beside = wording.with_interval(row.rival_value, row.rival_low, row.rival_high)
    return f"{row.judge} {said}: {value} compared with people, {beside} compared with the other judges."


def _passed_told(passed: pd.DataFrame) -> str:
    """Under each measure, in each dimension: how many judges the best sentinel passes, and which it is."""
    told = []
    for measure, part in passed.groupby("measure", sort=False):
        by = "in the annotator test" if measure == ADVANTAGE else f"at {words('level', measure)}"
        counts = wording.joined([str(n) for n in part["n_passed"]])
        told.append(f"{by} {counts} ({wording.joined(list(part['judge'].unique()))})")
    n, dimensions = passed["n_judges"].iloc[0], wording.joined(list(passed["dimension"].unique()))
    return (
        f"How many of {n} judges do no better than the best of the scores that judge nothing, by the numbers "
        f"alone, in {dimensions}: {'; '.join(told)}."
    )


_LENGTH = {"value": "judge minus people", "given": "judge, people's rating fixed"}
_KINDS = {False: Style(BLUE), True: Style(ORANGE, symbol="diamond")}
# of a score, from the lowest: from the one hue to the other, told apart in grey too
_SCORES = (VERMILLION, ORANGE, GREY, SKY, BLUE)
_FAVOUR_COLOURS = [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]]


def position_scatter(results: pd.DataFrame) -> go.Figure:
    """How often the first shown is chosen against how often the other order changes a choice.

    Whoever always changes to the same position lies on a dotted line; without ties none lies below them.
    Points are hollow and bars faint, so that what lies below others is seen.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.position`
    """
    ends = zip(results["low"], results["high"], strict=True)
    of_first = ["" if isnan(low) else f"[{low:.2f}, {high:.2f}]" for low, high in ends]
    where = zip(results["judge"], results["set"], results["dimension"], strict=True)
    shown = results.assign(
        place=[", ".join(filter(None, names)) for names in where],
        of_first=of_first,
    )
    sheet = marks(
        shown, x="value", y="flip_rate", series="judge", point="place", style=hollow(results["judge"]),
        ends=("flip_low", "flip_high"), across=ENDS, digits=2,
        hover=["of_first", "n_pairs", "share_unreadable"],
        labels={"value": "chosen when shown first", "flip_rate": "changed by the order",
                "of_first": "interval of the first"},
    )  # fmt: skip
    for trace in sheet.data:
        for bar in ("error_x", "error_y"):
            trace[bar] |= {"color": faint(trace["marker"]["color"], 0.4), "thickness": 1}
    most = results["flip_rate"].max()
    for side in (-0.5, 0.5):
        line = {"x": [0.5, 0.5 + side * most], "y": [0, most], "mode": "lines", "hoverinfo": "skip"}
        look = {"line": {"color": GREY, "dash": "dot", "width": 1.5}, "showlegend": False}
        sheet.add(line | look, first=True)
    reach = results[["low", "high", "value"]]
    sheet.x(range=[min(0.48, reach.min(axis=None) - 0.02), max(0.52, reach.max(axis=None) + 0.02)])
    return sheet.rule(x=0.5).y(rangemode="tozero").figure(height=560)


def _long(table: pd.DataFrame, names: Mapping[str, str], ends: Mapping, keys: list[str]) -> pd.DataFrame:
    """Several columns with their ends below each other, as value, low and high of a quantity."""
    parts = []
    for column, name in names.items():
        low, high = ends[column]
        part = table[[*keys, column, low, high]].set_axis([*keys, "value", "low", "high"], axis=1)
        parts.append(part.assign(quantity=name))
    return pd.concat(parts, ignore_index=True)


def length_dots(results: pd.DataFrame) -> go.Figure:
    """Slopes of ratings on length, a row for each judge and a panel for each dimension.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.length`
    """
    ends = {"value": ("low", "high"), "given": ("given_low", "given_high")}
    long = _long(results, _LENGTH, ends, ["dimension", "judge", "of_people", "n_used"])
    judges = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        long, x="value", y="judge", panel="dimension", series="quantity", order=judges, hover=["of_people"],
        labels={"value": "points for one standard deviation of length"},
    )  # fmt: skip
    far = max(long["high"].max(), -long["low"].min())
    # on a phone there is room for three ticks
    sheet.x(range=[-1.05 * far, 1.05 * far], dtick=max(round(far / 1.5, 1), 0.1), tick0=0, tickangle=0)
    return sheet.rule(x=0).figure(height=dot_height(judges, list(_LENGTH)))


def use_bars(results: pd.DataFrame) -> go.Figure:
    """How often judges and people give each score, a bar for each; a dropdown picks the dimension.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.scale_use`
    """
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
    sheet.x(title="share of the ratings", **share_axis(high=1.04)).menu("Dimension", "dimension")
    return sheet.figure(height=170 + 34 * len(judges), barmode="stack")


def favour_heatmap(results: pd.DataFrame) -> go.Figure:
    """What judges give systems beyond their line; numbers where the interval leaves out 0.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.favour`
    """
    results = with_system_names(results)
    apart = (results["low"] > 0) | (results["high"] < 0)
    found = zip(results["low"], results["high"], results["n_used"], strict=True)
    most = results["value"].abs().max()
    texts = results["value"].map("{:+.2f}".format).map(in_cell).where(apart, "")
    shown = results.assign(
        text=[
            in_ink(text, value, _FAVOUR_COLOURS, low=-most, high=most)
            for text, value in zip(texts, results["value"], strict=True)
        ],
        rests_on=[f"[{low:+.2f}, {high:+.2f}]<br>{label('n_used')}: {n}" for low, high, n in found],
    )
    judges, systems = (results[column].unique().tolist() for column in ("judge", "system"))
    sheet = Panels()
    for dimension, rows in shown.groupby("dimension", sort=False):
        cells = {
            key: grid(rows, "system", "judge", systems, judges, column, "" if key == "text" else None)
            for key, column in (("z", "value"), ("text", "text"), ("customdata", "rests_on"))
        }
        hover = "<b>%{x}, %{y}</b><br>favour: %{z:+.3f} %{customdata}<extra></extra>"
        trace = heatmap(judges, systems, colours=_FAVOUR_COLOURS, low=-most, high=most) | {
            "hovertemplate": hover
        }
        sheet.add(trace | cells, of={"dimension": dimension})
    sheet.x(title="judge", tickangle=-45, automargin=True, showgrid=False)
    sheet.y(title="system", autorange="reversed", automargin=True, showgrid=False)
    return sheet.menu("Dimension", "dimension").figure(height=190 + 24 * len(systems))


def sentinel_dots(results: pd.DataFrame) -> go.Figure:
    """Judges and scores that judge nothing under each measure; a dropdown picks the dimension.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.sentinels`
    """
    rows = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", panel="measure", series="is_sentinel", menu="dimension", order=rows,
        style=_KINDS, name={False: "judges", True: "scores that judge nothing"}, size=11,
        labels={"value": "agreement with people"},
    )  # fmt: skip
    sheet.layout |= {"scattermode": "overlay"}
    sheet.rule(x=0).x(nticks=4, tickangle=0).menu("Dimension", "dimension")
    return sheet.figure(height=dot_height(rows))


def _compute(*, dataset, texts, **settings) -> pd.DataFrame:
    return length(load(dataset), load(texts).texts, **settings)


LIVE = Live(
    notebook="bias",
    question="What does a summary gain with a judge by being longer?",
    controls=(
        One(
            "dataset",
            "Data set",
            live_choices.datasets(("summeval-judges", "llm-summeval"), likenesses=False),
        ),
        live_choices.JUDGES,
        live_choices.DIMENSIONS,
        live_choices.CONFIDENCE_LEVEL,
    ),
    fixed=("texts",),
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: length_dots(table),
)
