"""experiments.one_system: how many of a system's outputs would people pass, by few labels and a judge?

Rogan and Gladen 1978; Lee et al. 2025.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import diagonal
from helpers.kit.tidy import tidy
from metaeval.core.errors import DataError
from metaeval.core.limits import check_count, check_spread
from metaeval.datasets import load
from metaeval.stats import detection
from metaeval.stats.detection import auc, corrected, rates
from metaeval.stats.draws import unit_counts
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.prediction import MIN_LABELLED, predicted_mean
from metaeval.stats.reliability import mean_of
from metaeval.stats.streams import seed_of, stream

PASSED, SAID = "people pass", "the judge passes"
KAPPA = "Cohen's κ"
TPR, TNR = "TPR: passes what people pass", "TNR: fails what people fail"
ONE, TWO = "share of one system", "difference of two systems"
PEOPLE_ONLY, HELPED, JUDGE_ONLY = "people alone", "people helped by the judge", "the judge as it says"
OWN_LABELS, OTHER_LABELS = "corrected, labels of the system", "corrected, labels of other systems"
_RATES = {PASSED: "passed", SAID: "judge_passes", TPR: "tpr", TNR: "tnr", KAPPA: "kappa"}


def verdicts(benchmark, judge, *, judgment, threshold) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts of a judge and of people, (n_systems, n_documents) of 0 and 1; NaN where missing."""
    people, scores = benchmark.judgment(judgment).to_numpy(), benchmark.metric(judge).to_numpy()
    if not np.isin(people[~np.isnan(people)], (0, 1)).all():
        raise DataError(f"{benchmark.name}: {judgment!r} does not say which summaries pass (1) and fail (0)")
    return np.where(np.isnan(scores), np.nan, scores >= threshold), people


def check_threshold(benchmark, judges, threshold) -> None:
    """Raise unless the threshold parts the scores of these judges, all together."""
    scores = benchmark.select(metrics=list(judges)).scores
    low, high = float(scores.min()), float(scores.max())
    if not low < threshold <= high:
        raise ValueError(
            f"`threshold` must part the judges' scores, from {low:g} to {high:g}, got {threshold:g}"
        )


@tidy("judge", "quantity", values=["value", "low", "high"])
def trust(benchmark, *, judges, judgment, threshold=0.5, n_resamples, confidence_level=0.95, rng):
    """Judges' verdicts against people's over the summaries of all systems; intervals draw documents."""
    check_threshold(benchmark, judges, threshold)
    generator = stream(rng, benchmark.name, "documents")
    drawn = unit_counts(generator, n_resamples, len(benchmark.documents))
    counts = np.tile(drawn, len(benchmark.systems))
    for judge in judges:
        both = verdicts(benchmark, judge, judgment=judgment, threshold=threshold)
        passes, people = (side.ravel() for side in both)
        scores = benchmark.metric(judge).to_numpy().ravel()
        once, again = rates(passes, people), rates(passes, people, counts=counts)
        values = {name: (getattr(once, rate), getattr(again, rate)) for name, rate in _RATES.items()}
        values["AUC"] = auc(scores, people), auc(scores, people, counts=counts)
        for quantity, (value, distribution) in values.items():
            low, high = percentile_bounds(distribution, confidence_level)
            yield {
                "dataset": benchmark.name, "judge": judge, "quantity": quantity, "value": float(value),
                "low": float(low), "high": float(high), "n_resamples": n_resamples,
            }  # fmt: skip


@tidy("judge", "bin", values=["predicted", "value"])
def calibration(benchmark, *, judges, judgment, **bins):
    """Share that people pass, by bins of a judge's scores; a judge that says 0 or 1 has two."""
    people = benchmark.judgment(judgment).to_numpy().ravel()
    for judge in judges:
        shares = detection.calibration(benchmark.metric(judge).to_numpy().ravel(), people, **bins)
        yield {
            "dataset": benchmark.name, "judge": judge, "bin": range(1, len(shares.n) + 1),
            "predicted": shares.predicted, "value": shares.value, "low": shares.low, "high": shares.high,
            "n_summaries": shares.n,
        }  # fmt: skip


@dataclass(frozen=True)
class Approach:
    """Estimates by one approach with one judge, in every sample of labelled documents."""

    dataset: str
    judge: str
    approach: str
    systems: list[str]
    truth: np.ndarray  # (n_systems,), the share that people pass of all documents
    # (n_systems, n_samples); NaN where there is no estimate, and no width of what has no interval
    value: np.ndarray
    width: np.ndarray
    # (n_pairs, n_samples), the first of two systems minus the second
    differences: np.ndarray
    difference_widths: np.ndarray

    @property
    def keys(self) -> dict[str, object]:
        """Columns that name its rows."""
        named = {"dataset": self.dataset, "judge": self.judge, "approach": self.approach}
        return {**named, "n_samples": self.value.shape[-1]}


def estimate_shares(
    benchmark, *, judges, judgment, threshold=0.5, n_labelled, n_samples, confidence_level=0.95, rng
) -> list[Approach]:
    """The share that people pass of every system in turn, estimated from few labels by every approach."""
    check_spread("n_samples", n_samples)
    n_documents = len(benchmark.documents)
    check_count("n_labelled", n_labelled, minimum=MIN_LABELLED, maximum=n_documents - 1)
    # the same documents for all systems and judges
    generator = stream(seed_of(rng), benchmark.name, "labelled documents")
    chosen = np.argsort(generator.random((n_samples, n_documents)), axis=-1) < n_labelled
    approaches = []
    for judge in judges:
        passes, people = verdicts(benchmark, judge, judgment=judgment, threshold=threshold)
        truth, pairs = np.nanmean(people, axis=-1), np.triu_indices(len(people), 1)
        for approach, estimate in _ESTIMATES.items():
            arrays = estimate(passes, people, chosen, pairs, confidence_level)
            sampled = (np.broadcast_to(part, (len(part), n_samples)) for part in arrays)
            approaches.append(Approach(benchmark.name, judge, approach, benchmark.systems, truth, *sampled))
    return approaches


# The estimates by each approach: value, width, differences and their widths, as in `Approach`
def _judge_only(passes, people, chosen, pairs, confidence_level):
    share = np.nanmean(passes, axis=-1)[:, None]
    difference = share[pairs[0]] - share[pairs[1]]
    return share, np.full_like(share, np.nan), difference, np.full_like(difference, np.nan)


def _people_only(passes, people, chosen, pairs, confidence_level):
    """Shares with Clopper and Pearson's intervals, and differences source by source."""
    sampled = np.where(chosen, people[:, None], np.nan)
    n = (~np.isnan(sampled)).sum(axis=-1)
    share = np.nansum(sampled, axis=-1) / np.where(n > 0, n, np.nan)
    low, high = share_interval(share, n, confidence_level=confidence_level)
    _, apart = _predicted(people, people, chosen, pairs, confidence_level)
    return share, high - low, apart.labels_only, apart.labels_only_high - apart.labels_only_low


def _own_labels(passes, people, chosen, pairs, confidence_level):
    labels = np.where(chosen, people[:, None], np.nan)
    both = zip(passes, labels, strict=True)
    shares = [corrected(judge, own, confidence_level=confidence_level) for judge, own in both]
    return _paired(shares, pairs)


def _other_labels(passes, people, chosen, pairs, confidence_level):
    """All labels of the other systems and none of its own: nothing is drawn."""
    system, document = (places.ravel() for places in np.indices(people.shape))
    shares = [
        corrected(
            passes.ravel(), np.where(system == k, np.nan, people.ravel())[None], target=system == k,
            clusters=document, confidence_level=confidence_level,
        )
        for k in range(len(people))
    ]  # fmt: skip
    return _paired(shares, pairs)


def _paired(shares, pairs):
    value, low, high = (np.stack([getattr(one, name) for one in shares]) for name in ("value", "low", "high"))
    minus = [np.stack(shares[i].minus(shares[k])) for i, k in zip(*pairs, strict=True)]
    difference, below, above = np.stack(minus, axis=1)
    return value, high - low, difference, above - below


def _helped(passes, people, chosen, pairs, confidence_level):
    means = _predicted(passes, people, chosen, pairs, confidence_level)
    return [part for mean in means for part in (mean.value, mean.high - mean.low)]


def _predicted(passes, people, chosen, pairs, confidence_level):
    """Predicted shares, and differences of two systems."""
    differences = [side[pairs[0]] - side[pairs[1]] for side in (people, passes)]
    for smallest, (labels, scores) in ((0, (people, passes)), (-1, differences)):
        sampled = np.where(chosen, labels[:, None], np.nan)
        everywhere = np.broadcast_to(scores[:, None], sampled.shape)
        yield predicted_mean(sampled, everywhere, limits=(smallest, 1), confidence_level=confidence_level)


_ESTIMATES = {
    PEOPLE_ONLY: _people_only,
    HELPED: _helped,
    JUDGE_ONLY: _judge_only,
    OWN_LABELS: _own_labels,
    OTHER_LABELS: _other_labels,
}


@tidy("judge", "approach", "quantity")
def errors(approaches):
    """Error of every approach over all systems, and over all pairs of them with the share of right signs."""
    for one in approaches:
        first, second = np.triu_indices(len(one.systems), 1)
        apart = (one.truth[first] - one.truth[second])[:, None]
        signs = (np.sign(one.differences) * np.sign(apart))[apart[:, 0] != 0]
        defined = signs[~np.isnan(signs)]
        right = (defined.mean() + 1) / 2 if len(defined) else np.nan  # no difference counts half
        for quantity, value, truth, width, share_right in (
            (ONE, one.value, one.truth[:, None], one.width, np.nan),
            (TWO, one.differences, apart, one.difference_widths, right),
        ):
            error, mc_error = _root_mean_square(value - truth)
            yield {
                **one.keys, "quantity": quantity, "value": error, "mc_error": mc_error,
                "width": mean_of(width.ravel()), "share_undefined": np.isnan(value).mean(),
                "share_right": share_right,
            }  # fmt: skip


def _root_mean_square(off: np.ndarray) -> tuple[float, float]:
    """Root of the mean square of (n, n_samples) and its error over samples; NaN without a defined one."""
    defined = ~np.isnan(off)
    if not defined.any():
        return np.nan, np.nan
    squares = np.where(defined, off, 0.0) ** 2
    value = np.sqrt(squares.sum() / defined.sum())
    if (off == off[:, :1]).all() or not value:
        return float(value), 0.0
    excess = squares.sum(axis=0) - value**2 * defined.sum(axis=0)
    spread = np.sqrt((excess**2).sum()) / defined.sum()
    return float(value), float(spread / (2 * value))


def pass_curves(calibrated) -> go.Figure:
    """Share that people pass, by what the judge says."""
    labels = {"predicted": "what the judge says, on average", "value": "share that people pass"}
    sheet = marks(
        calibrated, x="predicted", y="value", mode="lines+markers", series="judge", labels=labels,
        hover=["n_summaries"], size=8,
    )  # fmt: skip
    sheet.add(diagonal(0, 1), first=True)
    return sheet.x(range=[-0.02, 1.02]).y(range=[-0.02, 1.02]).figure(height=440)


def error_dots(off) -> go.Figure:
    """Error of every approach, a point for each judge; a dropdown for one system or two."""
    order = off["approach"].unique().tolist()[::-1]
    sheet = marks(
        off, x="value", y="approach", series="judge", menu="quantity", order=order, size=9,
        labels={"value": "typical error, share of outputs"}, hover=["share_undefined"],
    )  # fmt: skip
    sheet.menu("Quantity", "quantity").x(rangemode="tozero")
    return sheet.figure(height=180 + len(order) * (24 + 13 * off["judge"].nunique()))


LIVE = live(
    "one_system",
    lambda *, dataset, seed, **settings: errors(estimate_shares(load(dataset), rng=seed, **settings)),
    error_dots,
    "dataset judges judgment threshold n_labelled n_samples confidence_level",
    question="How far off is the share that people would pass?",
    offer={"n_labelled": (4, lambda settings: len(load(settings["dataset"]).documents) - 1)},
    initial={"n_samples": 50},
)
