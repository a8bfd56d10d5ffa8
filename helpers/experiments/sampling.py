r"""experiments.sampling: which documents to have judged, stratified by difficulty or just any.

Benchmarks in, tidy tables out; called by the notebook `sampling`, its live block and `disagreements`.
Bhandari et al. 2020, §3.2 and §A.1 (Algorithm 1): for each metric, sort the documents by the mean score of
their summaries, cut into 5 bins, sort each bin by the spread of the scores, cut into 4, and draw one document
from each of the 20 cells. The union over 5 metrics is the sample.

As printed the algorithm takes slices by *i* where its loop counts *k* (and *l*); it is read as slices by the
loop's counter. The union is a set, so a document drawn for two metrics is in it once and the sample may hold
fewer than 100. How often it does follows from the sizes of the cells alone (`chances`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import sparse

from helpers.kit.live import choices
from helpers.kit.live.controls import Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import GREY, Style
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.simulation.fit import moments
from metaeval.stats.correlation import COEFFICIENTS
from metaeval.stats.intervals import normal_reach
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import MEAN_TIE, STANDARD_TIE, double, equalised, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

_CELLS_AT_ONCE = 4_000_000  # bounds the random numbers of one block of uniform samples


# ------------------------------------------------------------------------------------------ the algorithm


def strata(scores: np.ndarray, *, n_bins: int = 5, n_spread_bins: int = 4) -> list[np.ndarray]:
    """Cells of documents with similar mean and spread of one metric's scores over the systems.

    Parameters
    ----------
    scores : float array (n_systems, n_documents)
    n_bins : int
        Bins by mean.
    n_spread_bins : int
        Bins by standard deviation within each of those; 1 leaves the spread out of account.

    Returns
    -------
    list of int arrays
        Columns of the documents of each cell. Where sizes cannot be equal the first bins hold one more. Means
        or spreads that are equal on paper keep the order of the columns.

    Raises
    ------
    ValueError
        If there are more cells than documents.
    DataError
        If scores are missing.
    """
    scores = double("scores", scores)
    n_documents = scores.shape[1]
    if n_bins < 1 or n_spread_bins < 1 or n_bins * n_spread_bins > n_documents:
        raise ValueError(
            f"`n_bins` x `n_spread_bins` must be from 1 to the number of documents ({n_documents}), "
            f"got {n_bins} x {n_spread_bins}"
        )
    gaps = np.isnan(scores).any(axis=0)
    if gaps.any():
        raise DataError(f"strata need all scores; {int(gaps.sum())} documents lack some")
    mean, spread = system_means(np.transpose(scores)), scores.std(axis=0)
    spread = equalised(spread, MEAN_TIE * spread.max())
    by_mean = np.array_split(np.argsort(mean, kind="stable"), n_bins)
    return [
        cell
        for members in by_mean
        for cell in np.array_split(members[np.argsort(spread[members], kind="stable")], n_spread_bins)
    ]


def check_bins(metrics: Sequence[str], n_bins: int, n_spread_bins: int, n_documents: int) -> None:
    """Raise unless there are as many documents as the cells of all metrics draw."""
    size = len(metrics) * n_bins * n_spread_bins
    if not 1 <= size <= n_documents:
        raise ValueError(
            f"{len(metrics)} metrics with `n_bins` x `n_spread_bins` ({n_bins} x {n_spread_bins}) cells each "
            f"draw {size:,} documents, of {n_documents:,}"
        )


def stratified_samples(
    scores: np.ndarray,
    *,
    metrics: Sequence[str],
    n_bins: int = 5,
    n_spread_bins: int = 4,
    n_samples: int,
    rng: RNGLike = None,
) -> sparse.csr_array:
    """Samples of documents by Algorithm 1.

    Parameters
    ----------
    scores : float array (n_metrics, n_systems, n_documents)
    metrics : names of the metrics
        A metric draws the same documents whatever the others are.
    n_bins, n_spread_bins : see `strata`
    n_samples : int, at least 1
    rng : seed, Generator or None

    Returns
    -------
    sparse array (n_samples, n_documents) of 0 and 1
        At most ``n_metrics * n_bins * n_spread_bins`` ones per row: a document drawn twice is in a sample
        once.
    """
    seed = seed_of(rng)
    drawn = [
        cell[stream(seed, metric, c).integers(len(cell), size=n_samples)]
        for metric, plane in zip(metrics, scores, strict=True)
        for c, cell in enumerate(strata(plane, n_bins=n_bins, n_spread_bins=n_spread_bins))
    ]
    return _incidence(np.stack(drawn, axis=1), scores.shape[-1])


def uniform_samples(n_documents: int, *, size: int, n_samples: int, rng: RNGLike = None) -> sparse.csr_array:
    """Samples of `size` different documents, all equally likely.

    Parameters
    ----------
    n_documents : int
    size : int, from 1 to `n_documents`
    n_samples : int, at least 1
    rng : seed, Generator or None

    Returns
    -------
    sparse array (n_samples, n_documents) of 0 and 1

    Raises
    ------
    ValueError
        If `size` is out of range.
    """
    if not 1 <= size <= n_documents:
        raise ValueError(f"`size` must be from 1 to the number of documents ({n_documents}), got {size}")
    generator = stream(seed_of(rng), "documents")
    block = max(1, _CELLS_AT_ONCE // n_documents)
    drawn = [
        generator.random((min(block, n_samples - start), n_documents)).argpartition(size - 1)[:, :size]
        for start in range(0, n_samples, block)
    ]
    return _incidence(np.concatenate(drawn), n_documents)


def _incidence(drawn: np.ndarray, n_documents: int) -> sparse.csr_array:
    rows = np.repeat(np.arange(len(drawn)), drawn.shape[1])
    ones = np.ones(drawn.size)
    samples = sparse.csr_array((ones, (rows, drawn.ravel())), shape=(len(drawn), n_documents))
    samples.sum_duplicates()
    samples.data[:] = 1
    return samples


# ------------------------------------------------------------------------------------------ what it buys

TEST_SET = 11_490  # documents of CNN/DailyMail's test set


def table(
    benchmark: Benchmark,
    *,
    metrics: Sequence[str],
    n_bins: int = 5,
    n_spread_bins: int = 4,
    n_systems: int = 25,
    n_documents: int = TEST_SET,
    n_samples: int = 1_000,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """`compare_designs` on a simulated test set with the moments of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        With all scores of the metrics and of people.
    metrics : names of metrics; the strata are made by all of them
    n_bins, n_spread_bins : int
        Bins by mean score, and by spread within each of those.
    n_systems, n_documents : int
        Size of the simulated test set.
    n_samples : int
        Samples of each design.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with the columns of `compare_designs`
    """
    seed, size = seed_of(rng), {"n_systems": n_systems, "n_documents": n_documents}
    scores, human = simulated_scores(benchmark, metrics=metrics, rng=stream(seed, "scores"), **size)
    bins = {"n_bins": n_bins, "n_spread_bins": n_spread_bins}
    return compare_designs(scores, human, metrics=metrics, n_samples=n_samples, rng=seed, **bins)


def size_table(
    benchmark: Benchmark,
    *,
    metrics: Sequence[str],
    n_systems: int = 25,
    n_documents: int = TEST_SET,
    n_samples: int = 1_000,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """How many documents samples by Algorithm 1 hold, on the simulated test set of `table`.

    Parameters
    ----------
    benchmark, metrics, n_systems, n_documents, n_samples, rng : see `table`

    Returns
    -------
    DataFrame with columns n_documents, n_samples (how many have this size)
    """
    seed, size = seed_of(rng), {"n_systems": n_systems, "n_documents": n_documents}
    scores, _ = simulated_scores(benchmark, metrics=metrics, rng=stream(seed, "scores"), **size)
    samples = stratified_samples(
        scores, metrics=metrics, n_samples=n_samples, rng=stream(seed, "by mean and spread")
    )
    sizes, counts = np.unique(samples.sum(axis=1).astype(int), return_counts=True)
    table = pd.DataFrame({"n_documents": sizes, "n_samples": counts})
    return check(table, keys=["n_documents"], values=["n_samples"])


def averaged(results: pd.DataFrame) -> pd.DataFrame:
    """A table of `compare_designs` averaged over metrics.

    Parameters
    ----------
    results : DataFrame of `compare_designs`

    Returns
    -------
    DataFrame with columns quantity, design, whole, mean_drawn (over samples), standard_deviation (root of the
    mean variance), value
        Without an interval: the mean of the ends is no interval of a mean.
    """
    columns = ["whole", "mean", "variance", "value"]
    keys = ["quantity", "design"]
    means = results.groupby(keys, sort=False)[columns].mean().reset_index()
    means["variance"] = np.sqrt(means["variance"])
    named = means.rename(columns={"mean": "mean_drawn", "variance": "standard_deviation"})
    return check(named, keys=keys)


def chances(
    n_documents: int = TEST_SET, *, n_metrics: int = 5, n_bins: int = 5, n_spread_bins: int = 4
) -> pd.DataFrame:
    """How often Algorithm 1 draws no document twice, by arithmetic: no score enters.

    Every document lies in one cell of each metric and is drawn from it with the probability 1 over the size
    of the cell, whatever the scores are.

    Parameters
    ----------
    n_documents : int
        Of the test set.
    n_metrics : int, at least 1
        Each has strata of its own.
    n_bins, n_spread_bins : see `strata`

    Returns
    -------
    DataFrame with columns quantity, value
        Documents of a sample if none is drawn twice; coincidences of two metrics on one document, on average;
        the probability that there is none, at least (1 minus that average), and if one metric's cells say
        nothing of another's.
    """
    n_cells = n_bins * n_spread_bins
    share = n_cells / n_documents  # with which a metric draws a document
    coincidences = n_metrics * (n_metrics - 1) / 2 * n_documents * share**2
    drawn_before = n_cells * np.arange(n_metrics)
    values = {
        "documents if none is drawn twice": n_metrics * n_cells,
        "documents that two metrics draw, on average": coincidences,
        "probability that none is drawn twice, at least": max(0.0, 1 - coincidences),
        "probability that none is drawn twice, cells unrelated": float(np.prod((1 - share) ** drawn_before)),
    }
    return check(pd.DataFrame(values.items(), columns=["quantity", "value"]), keys=["quantity"])


def quoted(results: pd.DataFrame, *, design: str = "by mean and spread") -> dict[str, float | int]:
    """Numbers that the page quotes, of one design.

    Parameters
    ----------
    results : DataFrame of `table`
    design : str

    Returns
    -------
    mapping with ratio_mean, ratio_pearson (ratios of variances, averaged over metrics), size_mean, size_min
    (documents in a sample)
    """
    mine = results[results["design"] == design]
    ratios = mine.groupby("quantity")["value"].mean()
    return {
        "ratio_mean": float(ratios["mean score"]),
        "ratio_pearson": float(ratios["pearson"]),
        "size_mean": float(mine["n_documents"].iloc[0]),
        "size_min": int(mine["least_documents"].iloc[0]),
    }


def answer(results: pd.DataFrame, *, n_samples: int, design: str = "by mean and spread") -> dict[str, str]:
    """The page's answer: what choosing documents by strata does to the variance of correlations and means.

    Parameters
    ----------
    results : DataFrame of `table`
    n_samples : int; samples of each design
    design : str

    Returns
    -------
    dict
        ``sampling-answer-short`` and ``sampling-answer-sure``; every word is chosen from the numbers.
    """
    mine = results[results["design"] == design]
    coefficient = mine["quantity"].iloc[0]
    parts = {name: mine[mine["quantity"] == name] for name in (coefficient, "mean score")}
    ratios = {name: part["value"].mean() for name, part in parts.items()}
    below = {name: wording.sides(part["low"], part["high"], at=1)["below"] for name, part in parts.items()}
    n, symbol = mine["metric"].nunique(), words("coefficient", coefficient)
    verdict = {0: "Not shown", n: "Yes"}.get(below[coefficient], "For some metrics")
    return {
        "sampling-answer-short": (
            f"{verdict}: with documents chosen by strata, the variance of {symbol} with people is "
            f"{ratios[coefficient]:.2f} times that of uniform samples, that of a system's mean score "
            f"{ratios['mean score']:.2f} times (means over {n} metrics)."
        ),
        "sampling-answer-sure": (
            f"By intervals over {n_samples:,} samples, {symbol} is steadier for {below[coefficient]} of {n} "
            f"metrics, the mean score for {below['mean score']} of {n}. The scores are simulated."
        ),
    }


def sample_means(samples: sparse.csr_array, scores: np.ndarray) -> np.ndarray:
    """Every system's mean score over each sample, with means that are equal on paper made equal.

    Parameters
    ----------
    samples : sparse array (n_samples, n_documents)
    scores : float array (..., n_systems, n_documents)

    Returns
    -------
    float array (n_samples, ..., n_systems)
    """
    scores = double("scores", scores)
    sums = samples @ scores.reshape(-1, scores.shape[-1]).T
    means = (sums / samples.sum(axis=1)[:, None]).reshape(samples.shape[0], *scores.shape[:-1])
    return system_means(means[..., None])


def compare_designs(
    scores: np.ndarray,
    gold: np.ndarray,
    *,
    metrics: Sequence[str],
    coefficients: Sequence[str] = ("pearson", "kendall"),
    n_bins: int = 5,
    n_spread_bins: int = 4,
    n_samples: int = 1_000,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Spread of a metric's system-level correlation over samples of documents, by how they are drawn.

    Parameters
    ----------
    scores : float array (n_metrics, n_systems, n_documents)
        Stratified by all of them.
    gold : float array (n_systems, n_documents)
        What is correlated with: people's scores of all documents, or another metric's.
    metrics : names of the metrics
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    n_bins, n_spread_bins : see `strata`
    n_samples : int, at least 2
        Samples of each design.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns design ("uniform", "by mean", "by mean and spread"), quantity ("pearson", ..., or
    "mean score", of a system, averaged over systems), metric, whole (over all documents), mean, variance
    (over samples), value (ratio of the variance to the uniform design's; NaN where that is zero), low, high
    (95 % interval of the ratio), n_documents (in a sample, on average), least_documents
    """
    scores, gold = double("scores", scores), double("gold", gold)
    check_bins(metrics, n_bins, n_spread_bins, scores.shape[-1])
    seed, size = seed_of(rng), len(scores) * n_bins * n_spread_bins
    strata_of = partial(stratified_samples, scores, metrics=metrics)
    designs: dict[str, Callable] = {
        "uniform": partial(uniform_samples, scores.shape[-1], size=size),
        "by mean": partial(strata_of, n_bins=n_bins * n_spread_bins, n_spread_bins=1),
        "by mean and spread": partial(strata_of, n_bins=n_bins, n_spread_bins=n_spread_bins),
    }
    everything = sparse.csr_array(np.ones((1, scores.shape[-1])))
    whole = _quantities(everything, scores, gold, coefficients)
    rows, uniform, reach = [], None, normal_reach(0.95)
    for design, draw in designs.items():
        samples = draw(n_samples=n_samples, rng=stream(seed, design))
        values = _quantities(samples, scores, gold, coefficients)
        sizes = samples.sum(axis=1)
        if uniform is None:
            uniform = values
        for quantity, found in values.items():
            variance, noise = _variance(found)
            base, base_noise = _variance(uniform[quantity])
            # of the logarithm, so that the interval is one of a ratio
            error = 0 * noise if design == "uniform" else reach * np.sqrt(noise + base_noise)
            for i, metric in enumerate(metrics):
                value = variance[i] / base[i] if base[i] > 0 else np.nan
                spread = np.exp(error[i])
                rows.append(
                    {
                        "design": design,
                        "quantity": quantity,
                        "metric": metric,
                        "whole": float(whole[quantity][0, i].mean()),
                        "mean": float(found[:, i].mean()),
                        "variance": float(variance[i]),
                        "value": float(value),
                        "low": float(value / spread),
                        "high": float(value * spread),
                        "n_documents": float(sizes.mean()),
                        "least_documents": int(sizes.min()),
                    }
                )
    return check(pd.DataFrame(rows), keys=["design", "quantity", "metric"])


def _quantities(samples, scores, gold, coefficients) -> dict[str, np.ndarray]:
    """Quantity -> array (n_samples, n_metrics[, n_systems])."""
    means, people = sample_means(samples, scores), sample_means(samples, gold)
    found = {c: choose("coefficient", c, COEFFICIENTS)(means, people[:, None, :]) for c in coefficients}
    return found | {"mean score": means}


def _variance(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variance over samples, averaged over systems where there are any, and the variance of its logarithm."""
    deviations = values - values.mean(axis=0)
    squares = deviations**2
    if squares.ndim == 3:
        squares = squares.mean(axis=2)
    variance = squares.sum(axis=0) / (len(values) - 1)
    with np.errstate(invalid="ignore"):
        return variance, squares.var(axis=0) / len(values) / variance**2


def full_set_table(
    benchmarks: Sequence[Benchmark], *, gold: str, n_samples: int = 1_000, rng: RNGLike = None
) -> pd.DataFrame:
    """`compare_designs` on real test sets, where a metric takes the place of people's scores.

    Parameters
    ----------
    benchmarks : whole test sets; none gives an empty table
    gold : str
        The metric to correlate with.
    n_samples : int, at least 2
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with the columns of `compare_designs` and dataset
    """
    seed = seed_of(rng)
    tables = [pd.DataFrame(columns=["dataset", "design", "quantity", "metric", "variance", "value"])]
    for benchmark in benchmarks:
        metrics = [name for name in benchmark.metrics if name != gold]
        table = compare_designs(
            benchmark.select(metrics=metrics).scores.to_numpy(),
            benchmark.metric(gold).to_numpy(),
            metrics=metrics,
            n_samples=n_samples,
            rng=stream(seed, benchmark.name),
        )
        tables.append(table.assign(dataset=benchmark.name))
    found = pd.concat(tables[1:] or tables, ignore_index=True)
    return check(found, keys=["dataset", "design", "quantity", "metric"])


# ------------------------------------------------------------------------------------------ simulated scores


def simulated_scores(
    benchmark: Benchmark,
    *,
    metrics: Sequence[str],
    n_systems: int = 25,
    n_documents: int = TEST_SET,
    rng: RNGLike = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of metrics and people with a benchmark's moments, from a Gaussian on each of three levels.

    Unlike a draw from a likeness (`metaeval.simulation.draw`), the summaries of one document differ more among
    themselves than those of another, as in the benchmark: the strata by spread are about nothing but that.

    Parameters
    ----------
    benchmark : Benchmark
        With all scores.
    metrics : names
    n_systems, n_documents : int
    rng : seed, Generator or None

    Returns
    -------
    scores : float array (n_metrics, n_systems, n_documents)
    human : float array (n_systems, n_documents)
        Not cut to a range: a score may leave the one that its metric has.
    """
    seed, ordered = seed_of(rng), sorted(metrics)  # all are drawn together, in one order
    part = benchmark.select(metrics=ordered)
    values = np.concatenate([part.scores.to_numpy(), part.human.to_numpy()[None]])
    k, uneven = len(values), unevenness(values)
    found = moments(values, ["any"] * values.shape[1])

    def drawn_as(covariance: np.ndarray, what: str, *size: int) -> np.ndarray:
        return np.tensordot(_root(covariance), stream(seed, what).normal(size=(k, *size)), axes=1)

    of_system = drawn_as(found.system["any"], "systems", n_systems)
    of_document = drawn_as(found.document, "documents", n_documents)
    left = drawn_as(found.residual["any"], "summaries", n_systems, n_documents)
    left *= np.exp(
        uneven * stream(seed, "unevenness").normal(size=n_documents) - uneven**2
    )  # a factor with mean square 1
    drawn = found.mean[:, None, None] + of_system[:, :, None] + of_document[:, None, :] + left
    return drawn[[ordered.index(metric) for metric in metrics]], drawn[-1]


def unevenness(values: np.ndarray) -> float:
    """How much more the summaries of some documents differ among themselves than those of others.

    Parameters
    ----------
    values : float array (n_planes, n_systems, n_documents), the gold standard last

    Returns
    -------
    float, at least 0
        Standard deviation over documents of the logarithm of the spread that is left of a metric's scores
        without the systems' and the documents' means; over the documents in which each metric has any.
    """
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=2, keepdims=True)
    spread = left[:-1].std(axis=1, ddof=1)
    # a document whose scores are all alike has no logarithm
    uneven = (spread > STANDARD_TIE * spread.max(axis=1, keepdims=True)).all(axis=0)
    if uneven.sum() < 2:
        raise DataError(f"{int(uneven.sum())} documents have a spread of each metric's scores; 2 are needed")
    # the logarithm of a standard deviation of n values has a variance of about 1 / (2 (n - 1)) by itself
    extra = np.log(spread[:, uneven]).mean(axis=0).var(ddof=1) - 1 / (2 * (values.shape[1] - 1))
    return float(np.sqrt(max(0.0, extra)))


def _root(covariance: np.ndarray) -> np.ndarray:
    """A matrix whose product with its transpose is the covariance, without what is negative in it."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return vectors * np.sqrt(values.clip(0))


_DESIGNS = {"by mean": Style(GREY, symbol="diamond"), "by mean and spread": Style(GREY, symbol="square")}


def design_ratios(results: pd.DataFrame) -> go.Figure:
    """A panel per quantity: its variance over samples of documents, relative to uniform samples.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.sampling.table`
    """
    shown = results[results["design"] != "uniform"]
    quantities, metrics = shown["quantity"].unique(), shown["metric"].unique().tolist()[::-1]
    sheet = marks(
        shown,
        x="value",
        y="metric",
        panel="quantity",
        series="design",
        colour="metric",
        order=metrics,
        style=_DESIGNS,
        name={design: f"strata {design}" for design in _DESIGNS},
        labels={"value": "variance, uniform = 1"},
        digits=2,
        size=10,
        titles=[
            "a system's mean score" if q == "mean score" else words("coefficient", q) for q in quantities
        ],
        gap=0.03,
    )
    sheet.x(range=[0, 1.5], tickvals=[0, 0.5, 1]).rule(x=1)
    return sheet.figure(height=dot_height(metrics, _DESIGNS))


def _table(*, dataset, seed, **settings) -> pd.DataFrame:
    return table(load(dataset), rng=seed, **settings)


LIVE = Live(
    notebook="sampling",
    question="How much steadier are stratified samples of documents than uniform ones?",
    controls=(
        choices.DATASET,
        Whole("n_bins", "Bins by mean", 1, 10),
        Whole("n_spread_bins", "Bins by spread", 1, 10),
        choices.draws("n_samples", "Samples", 3000, least=100),
        choices.METRICS,
    ),
    fixed=("n_systems", "n_documents", "seed"),
    smaller={"n_samples": 500},
    remark="Starts with 500 samples of each design; the notebook takes 3,000.",
    settle_s=SETTLED_S,
    compute=_table,
    draw=lambda table, _: design_ratios(table),
)
