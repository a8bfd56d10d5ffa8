"""experiments.one_system: a judge passes or fails what one system writes; how many would people pass?

Benchmarks whose people pass (1) or fail (0) every summary in, tidy tables out: how a judge's verdicts go with
people's, and how far the share that people would pass can be told from few labels, with and without the
judge. Every system of the benchmark is the one system in turn, and what people said of all its summaries is
the truth. Called by the notebook `one_system` and its live block. Rogan and Gladen 1978; Lee et al. 2025.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.panels import diagonal
from helpers.kit.theme import GREY, Style, hollow
from helpers.kit.told import benchmark_told, value_told
from metaeval.core.errors import DataError
from metaeval.core.limits import check_count, check_spread
from metaeval.datasets import load
from metaeval.stats import detection
from metaeval.stats.detection import Corrected, auc, corrected, labels_worth, rates
from metaeval.stats.draws import unit_counts
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.prediction import MIN_LABELLED, predicted_mean
from metaeval.stats.reliability import mean_of
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

PASSED, SAID = "people pass", "the judge passes"
KAPPA = "Cohen's κ"
TPR, TNR = "TPR: passes what people pass", "TNR: fails what people fail"


def verdicts(
    benchmark: Benchmark, judge: str, *, judgment: str, threshold: float
) -> tuple[np.ndarray, np.ndarray]:
    """What a judge passes and what people pass, (n_systems, n_documents) of 0 and 1; NaN where missing.

    Raises
    ------
    DataError
        If people's judgments are not 0 and 1.
    """
    people, scores = benchmark.judgment(judgment).to_numpy(), benchmark.metric(judge).to_numpy()
    if not np.isin(people[~np.isnan(people)], (0, 1)).all():
        raise DataError(f"{benchmark.name}: {judgment!r} does not say which summaries pass (1) and fail (0)")
    return np.where(np.isnan(scores), np.nan, scores >= threshold), people


def check_threshold(benchmark: Benchmark, judges: Sequence[str], threshold: float) -> None:
    """Raise unless the threshold parts the scores of these judges, all together."""
    scores = benchmark.select(metrics=list(judges)).scores
    least, most = float(scores.min()), float(scores.max())
    if not least < threshold <= most:
        raise ValueError(
            f"`threshold` must part the judges' scores, from {least:g} to {most:g}, got {threshold:g}"
        )


def trust(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    judgment: str,
    threshold: float = 0.5,
    n_resamples: int,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """How every judge's verdicts go with people's, over the summaries of all systems.

    Parameters
    ----------
    benchmark : Benchmark
    judges : sequence of str
        Metrics of the benchmark, higher where a summary is better.
    judgment : str
    threshold : float
        Scores from it on pass.
    n_resamples, confidence_level, rng : of intervals that draw documents with all their summaries

    Returns
    -------
    DataFrame with columns dataset, judge, quantity, value, low, high, n_resamples
    """
    check_threshold(benchmark, judges, threshold)
    n_systems, n_documents = len(benchmark.systems), len(benchmark.documents)
    drawn = unit_counts(stream(seed_of(rng), benchmark.name, "documents"), n_resamples, n_documents)
    counts = np.tile(drawn, n_systems)
    rows = []
    for judge in judges:
        passes, people = (
            side.ravel() for side in verdicts(benchmark, judge, judgment=judgment, threshold=threshold)
        )
        scores = benchmark.metric(judge).to_numpy().ravel()
        once, again = rates(passes, people), rates(passes, people, counts=counts)
        found = {
            PASSED: (once.passed, again.passed),
            SAID: (once.said, again.said),
            TPR: (once.tpr, again.tpr),
            TNR: (once.tnr, again.tnr),
            KAPPA: (once.kappa, again.kappa),
            "AUC": (auc(scores, people), auc(scores, people, counts=counts)),
        }
        for quantity, (value, distribution) in found.items():
            low, high = percentile_bounds(distribution, confidence_level)
            rows.append(
                {
                    "dataset": benchmark.name, "judge": judge, "quantity": quantity, "value": float(value),
                    "low": float(low), "high": float(high), "n_resamples": n_resamples,
                }
            )  # fmt: skip
    return check(pd.DataFrame(rows), keys=["judge", "quantity"], values=["value", "low", "high"])


def calibration(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    judgment: str,
    n_bins: int,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Share that people pass, by what a judge that gives a share says; those that say 0 or 1 have two bins.

    Parameters
    ----------
    benchmark, judges, judgment : see `trust`
    n_bins : int
        With as many summaries each, but for equal scores, which stay together.
    confidence_level : float in (0, 1)
        Of Clopper and Pearson's intervals, which take summaries as independent.

    Returns
    -------
    DataFrame with columns dataset, judge, bin, predicted (mean score), value, low, high, n_summaries
    """
    people, frames = benchmark.judgment(judgment).to_numpy().ravel(), []
    for judge in judges:
        scores = benchmark.metric(judge).to_numpy().ravel()
        found = detection.calibration(scores, people, n_bins=n_bins, confidence_level=confidence_level)
        bins = pd.DataFrame(found._asdict()).rename(columns={"n": "n_summaries"})
        places = {"dataset": benchmark.name, "judge": judge, "bin": range(1, len(bins) + 1)}
        frames.append(pd.concat([pd.DataFrame(places), bins], axis=1))
    return check(pd.concat(frames, ignore_index=True), keys=["judge", "bin"], values=["predicted", "value"])


@dataclass(frozen=True)
class Told:
    """What one approach tells of every system and pair of systems, in every sample of labelled documents.

    Attributes
    ----------
    dataset, judge, approach : str
    systems : list of str
    truth : float array (n_systems,)
        Share that people pass of all documents.
    value, width : float arrays (n_systems, n_samples)
        NaN where there is no estimate; no width of what has no interval.
    differences, difference_widths : float arrays (n_pairs, n_samples)
        Of two systems, the first minus the second.
    """

    dataset: str
    judge: str
    approach: str
    systems: list[str]
    truth: np.ndarray
    value: np.ndarray
    width: np.ndarray
    differences: np.ndarray
    difference_widths: np.ndarray

    @property
    def keys(self) -> dict[str, object]:
        """Columns that name its rows."""
        named = {"dataset": self.dataset, "judge": self.judge, "approach": self.approach}
        return {**named, "n_samples": self.value.shape[-1]}


def tell(
    benchmark: Benchmark,
    *,
    judges: Sequence[str],
    judgment: str,
    threshold: float = 0.5,
    n_labelled: int,
    n_samples: int,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> list[Told]:
    """The share that people pass of every system, by every judge and approach.

    Parameters
    ----------
    benchmark, judges, judgment, threshold, confidence_level : see `trust`
    n_labelled : int
        Documents of the one system that people label, drawn at random; of two systems the same.
    n_samples : int
        How often they are drawn.
    rng : seed, Generator or None
        The same documents for all systems and judges.

    Returns
    -------
    list of Told
        One of each judge and approach.
    """
    check_spread("n_samples", n_samples)
    n_documents = len(benchmark.documents)
    check_count("n_labelled", n_labelled, at_least=MIN_LABELLED, at_most=n_documents - 1)
    generator = stream(seed_of(rng), benchmark.name, "labelled documents")
    chosen = np.argsort(generator.random((n_samples, n_documents)), axis=-1) < n_labelled
    told = []
    for judge in judges:
        passes, people = verdicts(benchmark, judge, judgment=judgment, threshold=threshold)
        first, second = np.triu_indices(len(people), 1)
        for approach, estimate in _APPROACHES.items():
            found = estimate(passes, people, chosen, first, second, confidence_level)
            shape = (-1, n_samples)
            value, width, apart, widths = (
                np.broadcast_to(part, (len(part), n_samples)).reshape(shape) for part in found
            )
            told.append(
                Told(
                    benchmark.name, judge, approach, benchmark.systems, np.nanmean(people, axis=-1), value,
                    width, apart, widths,
                )
            )  # fmt: skip
    return told


def _said(passes, people, chosen, first, second, confidence_level):
    said = np.nanmean(passes, axis=-1)[:, None]
    apart = said[first] - said[second]
    return said, np.full_like(said, np.nan), apart, np.full_like(apart, np.nan)


def _alone(passes, people, chosen, first, second, confidence_level):
    """Labels are a judge without error, which sees what is labelled.

    Where all of a system's labels are alike they vary by nothing: its interval is Clopper and Pearson's, and
    two systems' intervals are put together as of independent shares.
    """
    given = [np.where(chosen, labels, np.nan) for labels in people]
    found = [corrected(labels, labels, confidence_level=confidence_level) for labels in given]
    value, width, apart, widths = _of_systems(found, first, second)
    n = (~np.isnan(given)).sum(axis=-1)
    share = np.nansum(given, axis=-1) / np.where(n > 0, n, np.nan)
    alike = (share == 0) | (share == 1)
    low, high = share_interval(share, n, confidence_level=confidence_level)
    value, width = np.where(alike, share, value), np.where(alike, high - low, width)
    either = alike[first] | alike[second]
    return (
        value, width, np.where(either, value[first] - value[second], apart),
        np.where(either, np.hypot(width[first], width[second]), widths),
    )  # fmt: skip


def _own(passes, people, chosen, first, second, confidence_level):
    given = [np.where(chosen, labels, np.nan) for labels in people]
    found = [
        corrected(judge, labels, confidence_level=confidence_level)
        for judge, labels in zip(passes, given, strict=True)
    ]
    return _of_systems(found, first, second)


def _others(passes, people, chosen, first, second, confidence_level):
    """All labels of the other systems and none of its own: nothing is drawn."""
    n_systems, n_documents = people.shape
    found = []
    for k in range(n_systems):
        own = np.repeat(np.arange(n_systems) == k, n_documents)
        found.append(
            corrected(
                passes.ravel(), np.where(own, np.nan, people.ravel())[None], target=own,
                clusters=np.tile(np.arange(n_documents), n_systems), confidence_level=confidence_level,
            )
        )  # fmt: skip
    return _of_systems(found, first, second)


def _of_systems(found: Sequence[Corrected], first, second):
    value, low, high = (np.stack([getattr(one, name) for one in found]) for name in ("value", "low", "high"))
    apart, below, above = np.stack(
        [np.stack(found[i].minus(found[k])) for i, k in zip(first, second, strict=True)], axis=1
    )
    return value, high - low, apart, above - below


def _helped(passes, people, chosen, first, second, confidence_level):
    def mean(labels, predictions):
        shape = (len(labels), *chosen.shape)
        found = predicted_mean(
            np.where(chosen, labels[:, None], np.nan), np.broadcast_to(predictions[:, None], shape),
            confidence_level=confidence_level,
        )  # fmt: skip
        return found.value, found.high - found.low

    apart = people[first] - people[second], passes[first] - passes[second]
    return (*mean(people, passes), *mean(*apart))


ALONE, HELPED, BY_ITSELF = "people alone", "people helped by the judge", "the judge as it says"
BY_OWN, BY_OTHERS = "corrected, labels of the system", "corrected, labels of other systems"
_APPROACHES = {ALONE: _alone, HELPED: _helped, BY_ITSELF: _said, BY_OWN: _own, BY_OTHERS: _others}


def estimates(told: Sequence[Told]) -> pd.DataFrame:
    """How far off the share that people pass is told, by every approach, judge and system.

    Parameters
    ----------
    told : such as `tell` gives

    Returns
    -------
    DataFrame with columns dataset, judge, approach, n_samples, system, true_value, mean (of the estimates
    that exist), value (root of the mean squared error), width (of the intervals that exist, on average),
    share_undefined (of the samples, those without an estimate)
    """
    rows = []
    for one in told:
        for k, system in enumerate(one.systems):
            error, _ = _root_mean_square(one.value[[k]] - one.truth[k])
            known = one.value[k][~np.isnan(one.value[k])]
            rows.append(
                {
                    **one.keys, "system": system, "true_value": one.truth[k],
                    "mean": known.mean() if len(known) else np.nan, "value": error,
                    "width": mean_of(one.width[k]), "share_undefined": 1 - len(known) / one.value.shape[-1],
                }
            )  # fmt: skip
    return check(pd.DataFrame(rows), keys=["judge", "approach", "system"])


ONE, TWO = "share of one system", "difference of two systems"


def errors(told: Sequence[Told]) -> pd.DataFrame:
    """The error of every approach over all systems, and over all pairs of them.

    Parameters
    ----------
    told : such as `tell` gives

    Returns
    -------
    DataFrame with columns dataset, judge, approach, n_samples, quantity (share or difference), value (root of
    the mean squared error), mc_error, width (of the intervals that exist, on average), share_undefined
    (without an estimate), share_right (of estimated differences, those of the true sign, none counting half)
    """
    rows = []
    for one in told:
        first, second = np.triu_indices(len(one.systems), 1)
        apart = (one.truth[first] - one.truth[second])[:, None]
        signs = (np.sign(one.differences) * np.sign(apart))[apart[:, 0] != 0]
        known = signs[~np.isnan(signs)]
        right = (known.mean() + 1) / 2 if len(known) else np.nan
        kinds = (
            (ONE, one.value, one.truth[:, None], one.width, np.nan),
            (TWO, one.differences, apart, one.difference_widths, right),
        )
        for quantity, value, truth, width, right in kinds:
            error, mc_error = _root_mean_square(value - truth)
            rows.append(
                {
                    **one.keys, "quantity": quantity, "value": error, "mc_error": mc_error,
                    "width": mean_of(width.ravel()), "share_undefined": np.isnan(value).mean(),
                    "share_right": right,
                }
            )  # fmt: skip
    return check(pd.DataFrame(rows), keys=["judge", "approach", "quantity"])


def _root_mean_square(off: np.ndarray) -> tuple[float, float]:
    """Root of the mean square of (n, n_samples) and its error over samples; NaN where nothing is known."""
    known = ~np.isnan(off)
    if not known.any():
        return np.nan, np.nan
    squares = np.where(known, off, 0.0) ** 2
    value = np.sqrt(squares.sum() / known.sum())
    if (off == off[:, :1]).all() or not value:
        return float(value), 0.0
    by_sample = squares.sum(axis=0) - value**2 * known.sum(axis=0)
    spread = np.sqrt((by_sample**2).sum()) / known.sum()
    return float(value), float(spread / (2 * value))


def worth(trusted: pd.DataFrame) -> pd.DataFrame:
    """What a label is worth with each judge's help, and with judges that are right equally often both ways.

    Parameters
    ----------
    trusted : DataFrame of `trust`

    Returns
    -------
    DataFrame with columns judge (empty: made up), balanced (mean of TPR and TNR), value (labels)
    """
    found = trusted.pivot_table(index="judge", columns="quantity", values="value", sort=False)
    share = found[PASSED].iloc[0]
    alike = np.linspace(0.5, 0.95, 46)
    made = pd.DataFrame({"judge": "", "balanced": alike, "value": labels_worth(share, alike, alike)})
    of_judges = pd.DataFrame(
        {
            "judge": found.index,
            "balanced": (found[TPR] + found[TNR]).to_numpy() / 2,
            "value": labels_worth(share, found[TPR].to_numpy(), found[TNR].to_numpy()),
        }
    )
    return check(pd.concat([made, of_judges], ignore_index=True), keys=["judge", "balanced"])


def answer(
    trusted: pd.DataFrame, off: pd.DataFrame, worths: pd.DataFrame, *, n_labelled: int, n_outputs: int
) -> dict[str, str]:
    """The page's answer; every word is chosen from the numbers.

    Parameters
    ----------
    trusted, off, worths : DataFrames of `trust`, `errors` and `worth`
    n_labelled, n_outputs : int
        Of so many outputs of a system, so many are labelled.

    Returns
    -------
    dict
        ``one_system-answer-short`` and ``-sure``, the answer and how far it goes; ``one_system-answer-said``,
        ``-one``, ``-two`` and ``-worth``.
    """
    value = trusted.pivot_table(index="judge", columns="quantity", values="value", sort=False)
    passes = wording.extent(100 * value[SAID], ".0f")
    above, sums = (value[SAID] > value[PASSED]).sum(), value[TPR] + value[TNR]
    people = trusted[trusted["quantity"] == PASSED].iloc[0]
    beyond = trusted[trusted["quantity"] == KAPPA]
    said = (
        f"People pass {value_told(people, digits=0, percent=True)} of the summaries of "
        f"{words('data', trusted['dataset'].iloc[0])}; "
        f"the judges pass {passes} %, and {above} of "
        f"{len(value)} pass more than people. TPR and TNR sum to {wording.extent(sums)}; a "
        f"judge that tells nothing apart has 1. Cohen's κ is shown to be above 0 for "
        f"{wording.sides(beyond['low'], beyond['high'])['above']} of {len(beyond)}."
    )
    made, of_judges = worths[worths["judge"] == ""], worths[worths["judge"] != ""]
    saving = made.loc[made["value"] >= 1, "balanced"]
    helps = (of_judges["value"] > 1).sum()
    needed = (
        f"Where this many pass, correcting by labels of the system saves labels if TPR and TNR are both "
        f"{saving.min():.2f} or more; {helps} of {len(of_judges)} judges save any, and a label that corrects "
        f"one of them is worth {wording.extent(of_judges['value'])} of a label "
        "that is counted by itself."
    )
    by, on = dict(list(off.groupby("quantity", sort=False))), benchmark_told(trusted["dataset"].iloc[0])
    return {
        "one_system-answer-short": (
            f"{_saving(int(helps), len(of_judges), on)} "
            f"{_share_told(by[ONE], n_labelled, n_outputs)}"
        ),
        "one_system-answer-sure": _leader_told(by[TWO]),
        "one_system-answer-said": said,
        "one_system-answer-one": _told(by[ONE], f"From {n_labelled} labels, the share of one system that "
            "people would pass is told with an error of") + _of_many_told(by[ONE], n_labelled, n_outputs),
        "one_system-answer-two": _told(by[TWO], f"The difference of two systems with {n_labelled} labels of "
            "each is told with an error of"),
        "one_system-answer-worth": needed,
    }  # fmt: skip


def _saving(helps: int, total: int, on: str) -> str:
    """With how many judges a correction saves labels."""
    if not helps:
        return f"No: on {on}, correcting saves labels with none of {total} judges."
    return f"On {on}, correcting saves labels with {helps} of {total} judges."


def _share_told(one: pd.DataFrame, n_labelled: int, n_outputs: int) -> str:
    """How far off the share of one system is, in percentage points, by every approach from its own labels."""
    of = {approach: 100 * part for approach, part in one.groupby("approach")["value"]}
    alone, helped, said, corrected_ = (
        wording.extent(of[name], ".0f") for name in (ALONE, HELPED, BY_ITSELF, BY_OWN)
    )
    return (
        f"From {n_labelled} of {n_outputs} labels the passing share is off by {alone} points, with a "
        f"judge's help {helped}; judges alone {said}, corrected by labels {corrected_}"
        f"{_undefined_told(one[one['approach'] == BY_OWN], ' (undefined in', ')')}."
    )


def _undefined_told(rows: pd.DataFrame, before: str, after: str) -> str:
    """In how many draws there is no estimate, from judge to judge; nothing where there always is one."""
    undefined = rows["share_undefined"]
    return f"{before} {wording.extent(undefined, '.0%')}{after}" if undefined.any() else ""


def _of_many_told(one: pd.DataFrame, n_labelled: int, n_outputs: int) -> str:
    """By how much labels alone would be off if they were a small part of the outputs."""
    alone = one.loc[one["approach"] == ALONE, "value"] / np.sqrt(1 - n_labelled / n_outputs)
    return (
        f" The labels are of {n_labelled} of {n_outputs} outputs, and only the others are guessed; of very "
        f"many outputs labels alone would be off by {wording.extent(alone)}."
    )


def _leader_told(two: pd.DataFrame) -> str:
    """How often labels, and judges, name the better of two systems."""
    of = two.groupby("approach")["share_right"]
    labels, judges = (wording.extent(of.get_group(name), ".0%") for name in (ALONE, BY_ITSELF))
    return f"Labels name the better system in {labels}, judges in {judges}."


def _told(table: pd.DataFrame, what: str) -> str:
    """The error of every approach from judge to judge, and which is least within the Monte-Carlo error."""
    parts = []
    for approach, part in table.groupby("approach", sort=False):
        low, high = part["value"].min(), part["value"].max()
        none = _undefined_told(part, "; no estimate in", " of draws")
        parts.append(
            f"{low:.2f}" + (f" to {high:.2f}" if high - low >= 0.005 else "") + f" ({approach}{none})"
        )
    return (
        f"{what} {wording.joined(parts)}. Each with the judge that suits it most, the least error is that of "
        f"{_least(table)}."
    )


def _least(table: pd.DataFrame) -> str:
    """The approaches with the least error, each with the judge that suits it most."""
    by = table.groupby("approach", sort=False)
    return wording.joined(wording.leaders(dict(-by["value"].min()), dict(by["mc_error"].max())))


_LINE = ""  # the judge of the rows that belong to none
_WORTH = 1.5  # of a label, up to which the curve is drawn at least


def rate_scatter(trusted: pd.DataFrame, *, tpr: str, tnr: str) -> go.Figure:
    """Of what people pass, the share that a judge passes, against that of what they fail; a point per judge.

    Parameters
    ----------
    trusted : DataFrame of `helpers.experiments.one_system.trust`
    tpr, tnr : the quantities' names
    """
    of = {name: trusted[trusted["quantity"] == name].set_index("judge") for name in (tpr, tnr)}
    wrong = {"wrong": "value", "wrong_low": "high", "wrong_high": "low"}
    passed = of[tpr][["value", "low", "high"]]
    shown = passed.assign(**{name: 1 - of[tnr][end] for name, end in wrong.items()}).reset_index()
    labels = {"wrong": "passes, of what people fail", "value": "passes, of what people pass"}
    sheet = marks(
        shown, x="wrong", y="value", series="judge", across=("wrong_low", "wrong_high"), labels=labels,
        size=10, style=hollow(shown["judge"]),
    )  # fmt: skip
    sheet.add(diagonal(0, 1), first=True)
    # no more than holds all intervals: near ones would lie on each other
    ends = [float(shown[["low", "wrong_low"]].min(axis=None)) - 0.03, 1.02]
    return sheet.x(range=ends).y(range=ends).figure(height=480)


def pass_curves(calibrated: pd.DataFrame) -> go.Figure:
    """Share that people pass, by what the judge says.

    Parameters
    ----------
    calibrated : DataFrame of `helpers.experiments.one_system.calibration`
    """
    labels = {"predicted": "what the judge says, on average", "value": "share that people pass"}
    sheet = marks(
        calibrated, x="predicted", y="value", mode="lines+markers", series="judge", labels=labels,
        hover=["n_summaries"], size=8,
    )  # fmt: skip
    sheet.add(diagonal(0, 1), first=True)
    return sheet.x(range=[-0.02, 1.02]).y(range=[-0.02, 1.02]).figure(height=440)


def error_dots(off: pd.DataFrame) -> go.Figure:
    """Error of every approach, a point for each judge; a dropdown for one system or two.

    Parameters
    ----------
    off : DataFrame of `helpers.experiments.one_system.errors`
    """
    order: Sequence[str] = off["approach"].unique().tolist()[::-1]
    judges = off["judge"].nunique()
    sheet = marks(
        off, x="value", y="approach", series="judge", menu="quantity", order=order, size=9,
        labels={"value": "root of the mean squared error"}, hover=["share_undefined"],
    )  # fmt: skip
    sheet.menu("Quantity", "quantity").x(rangemode="tozero")
    return sheet.figure(height=180 + len(order) * (24 + 13 * judges))


def worth_curve(worths: pd.DataFrame) -> go.Figure:
    """What a label is worth with a judge's help, by how often the judge is right; judges are points.

    Parameters
    ----------
    worths : DataFrame of `helpers.experiments.one_system.worth`
    """
    labels = {"value": "worth of a label", "balanced": "mean of TPR and TNR"}
    made, of_judges = (worths[(worths["judge"] == _LINE) == is_line] for is_line in (True, False))
    sheet = marks(made, x="balanced", y="value", mode="lines", labels=labels, style={(): Style(GREY)})
    sheet = marks(
        of_judges, x="balanced", y="value", series="judge", labels=labels, size=10, sheet=sheet,
        at={"panel": None, "row": None}, style=hollow(of_judges["judge"]),
    )  # fmt: skip
    # no more of the curve than shows where it crosses 1: the judges would lie on each other
    most = max(_WORTH, 1.1 * float(of_judges["value"].max()))
    right = float(made.loc[made["value"] <= most, "balanced"].max()) + 0.01
    sheet.x(range=[min(0.48, float(of_judges["balanced"].min()) - 0.02), right]).y(range=[-0.05, most])
    return sheet.rule(y=1).figure(height=420)


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return errors(tell(load(dataset), rng=seed, **settings))


def _judgments(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


def _most(settings: Settings) -> int:
    return len(load(settings["dataset"]).documents) - 1


LIVE = Live(
    notebook="one_system",
    question="How far off is the share that people would pass?",
    controls=(
        One("dataset", "Data set", choices.datasets(("faithbench",))),
        Several("judges", "Judges", choices.metrics),
        One("judgment", "What people pass", _judgments),
        Real("threshold", "A score from here on passes", 0.05, 0.95, 0.05),
        Whole("n_labelled", "Labels of the system", 4, _most),
        Whole("n_samples", "Samples of the labels", 10, 400, 10),
        choices.CONFIDENCE_LEVEL,
    ),
    fixed=("seed",),
    smaller={"n_samples": 50},
    remark="Starts with 50 samples; the notebook takes 200.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: error_dots(table),
)
