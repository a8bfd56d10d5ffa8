r"""experiments.sampling: does choosing documents by difficulty steady correlations and mean scores?

Bhandari et al. 2020, §3.2 and §A.1 (Algorithm 1): for each metric, sort the documents by the mean score of
their summaries, cut into 5 bins, sort each bin by the spread of the scores, cut into 4, and draw one document
from each of the 20 cells. The union over 5 metrics is the sample.

As printed the algorithm takes slices by *i* where its loop counts *k* (and *l*); it is read as slices by the
loop's counter. The union is a set, so a document drawn for two metrics is in it once and the sample may hold
fewer than 100. How often it does follows from the sizes of the cells alone (`chances`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import sparse

from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import GREY, Style
from helpers.kit.tidy import tidy
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.simulation.fit import moments
from metaeval.stats.correlation import COEFFICIENTS
from metaeval.stats.intervals import normal_reach
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import MEAN_TIE, STANDARD_TIE, double, equalised, system_means
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

TEST_SET = 11_490  # documents of CNN/DailyMail's test set
MAX_CELLS = 4_000_000  # of the random numbers of one block of uniform samples


def strata(scores: np.ndarray, *, n_bins=5, n_spread_bins=4) -> list[np.ndarray]:
    """Places of the documents in each cell of similar mean and spread of one metric's scores."""
    # where sizes cannot be equal the first bins hold one more; what is equal on paper keeps its order
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


def stratified_samples(scores: np.ndarray, *, metrics, n_samples: int, rng=None, **bins) -> sparse.csr_array:
    """Samples of documents by Algorithm 1, a row of 0 and 1 each."""
    seed = seed_of(rng)  # a metric draws the same documents whatever the others are
    drawn = [
        cell[stream(seed, metric, c).integers(len(cell), size=n_samples)]
        for metric, plane in zip(metrics, scores, strict=True)
        for c, cell in enumerate(strata(plane, **bins))
    ]
    return _incidence(np.stack(drawn, axis=1), scores.shape[-1])


def uniform_samples(n_documents: int, *, size: int, n_samples: int, rng=None) -> sparse.csr_array:
    """Samples of `size` different documents, all equally likely, a row of 0 and 1 each."""
    if not 1 <= size <= n_documents:
        raise ValueError(f"`size` must be from 1 to the number of documents ({n_documents}), got {size}")
    generator = stream(seed_of(rng), "documents")
    block = max(1, MAX_CELLS // n_documents)
    drawn = [
        generator.random((min(block, n_samples - start), n_documents)).argpartition(size - 1)[:, :size]
        for start in range(0, n_samples, block)
    ]
    return _incidence(np.concatenate(drawn), n_documents)


def _incidence(drawn: np.ndarray, n_documents: int) -> sparse.csr_array:
    """Rows of 0 and 1 of drawn places; a document that is drawn twice is in a sample once."""
    rows = np.repeat(np.arange(len(drawn)), drawn.shape[1])
    ones = np.ones(drawn.size)
    samples = sparse.csr_array((ones, (rows, drawn.ravel())), shape=(len(drawn), n_documents))
    samples.sum_duplicates()
    samples.data[:] = 1
    return samples


def table(
    benchmark: Benchmark, *, metrics, n_systems=25, n_documents=TEST_SET, rng=None, **asked
) -> pd.DataFrame:
    """`compare_designs` on a simulated test set with the moments of a benchmark."""
    seed, size = seed_of(rng), {"n_systems": n_systems, "n_documents": n_documents}
    scores, human = simulated_scores(benchmark, metrics=metrics, rng=stream(seed, "scores"), **size)
    return compare_designs(scores, human, metrics=metrics, rng=seed, **asked)


def size_table(
    benchmark: Benchmark, *, metrics, n_systems=25, n_documents=TEST_SET, rng=None, **asked
) -> pd.DataFrame:
    """Numbers of samples by Algorithm 1, on the test set of `table`, by how many documents they hold."""
    seed, size = seed_of(rng), {"n_systems": n_systems, "n_documents": n_documents}
    scores, _ = simulated_scores(benchmark, metrics=metrics, rng=stream(seed, "scores"), **size)
    samples = stratified_samples(scores, metrics=metrics, rng=stream(seed, "by mean and spread"), **asked)
    sizes, counts = np.unique(samples.sum(axis=1).astype(int), return_counts=True)
    table = pd.DataFrame({"n_documents": sizes, "n_samples": counts})
    return check(table, keys=["n_documents"], values=["n_samples"])


def averaged(results: pd.DataFrame) -> pd.DataFrame:
    """A table of `compare_designs` averaged over metrics, without intervals."""
    keys = ["quantity", "design"]
    means = results.groupby(keys, sort=False)[["whole", "mean", "variance", "value"]].mean().reset_index()
    means["variance"] = np.sqrt(means["variance"])
    named = means.rename(columns={"mean": "mean_drawn", "variance": "standard_deviation"})
    return check(named, keys=keys)


def chances(n_documents=TEST_SET, *, n_metrics=5, n_bins=5, n_spread_bins=4) -> pd.DataFrame:
    """Probabilities that Algorithm 1 draws no document twice, by arithmetic: no score enters."""
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


def sample_means(samples, scores) -> np.ndarray:
    """Every system's mean score over each sample, with means that are equal on paper made equal."""
    scores = double("scores", scores)
    sums = samples @ scores.reshape(-1, scores.shape[-1]).T
    means = (sums / samples.sum(axis=1)[:, None]).reshape(samples.shape[0], *scores.shape[:-1])
    return system_means(means[..., None])


@tidy("design", "quantity", "metric")
def compare_designs(
    scores, gold, *, metrics: Sequence[str], coefficients=("pearson", "kendall"), n_bins=5, n_spread_bins=4,
    n_samples=1_000, rng=None,
):  # fmt: skip
    """Variance of correlations and of mean scores over samples of documents, relative to uniform ones."""
    scores, gold = double("scores", scores), double("gold", gold)
    places, n_documents, size = range(len(scores)), scores.shape[-1], len(scores) * n_bins * n_spread_bins
    if not 1 <= size <= n_documents:
        raise ValueError(
            f"{len(scores)} metrics with `n_bins` x `n_spread_bins` ({n_bins} x {n_spread_bins}) cells each "
            f"draw {size:,} documents, of {n_documents:,}"
        )
    by_strata = partial(stratified_samples, scores, metrics=metrics)
    designs = {
        "uniform": partial(uniform_samples, n_documents, size=size),
        "by mean": partial(by_strata, n_bins=n_bins * n_spread_bins, n_spread_bins=1),
        "by mean and spread": partial(by_strata, n_bins=n_bins, n_spread_bins=n_spread_bins),
    }
    whole = _quantities(sparse.csr_array(np.ones((1, n_documents))), scores, gold, coefficients)
    uniform, reach = {}, normal_reach(0.95)
    for design, draw in designs.items():
        samples = draw(n_samples=n_samples, rng=stream(rng, design))
        sizes = samples.sum(axis=1)
        for quantity, values in _quantities(samples, scores, gold, coefficients).items():
            variance, noise = _variance(values)
            base, base_noise = uniform.setdefault(quantity, (variance, noise))
            # of the logarithm, so that the interval is one of a ratio
            spread = np.exp(0 * noise if design == "uniform" else reach * np.sqrt(noise + base_noise))
            ratio = variance / np.where(base > 0, base, np.nan)
            yield {
                "design": design,
                "quantity": quantity,
                "metric": list(metrics),
                "whole": [whole[quantity][0, i].mean() for i in places],
                "mean": [values[:, i].mean() for i in places],
                "variance": variance,
                "value": ratio,
                "low": ratio / spread,
                "high": ratio * spread,
                "n_documents": float(sizes.mean()),
                "least_documents": int(sizes.min()),
            }


def _quantities(samples, scores, gold, coefficients) -> dict[str, np.ndarray]:
    """Quantity -> array (n_samples, n_metrics[, n_systems])."""
    means, people = sample_means(samples, scores), sample_means(samples, gold)
    values = {c: choose("coefficient", c, COEFFICIENTS)(means, people[:, None, :]) for c in coefficients}
    return values | {"mean score": means}


def _variance(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variance over samples, averaged over systems where there are any, and the variance of its logarithm."""
    squares = (values - values.mean(axis=0)) ** 2
    if squares.ndim == 3:
        squares = squares.mean(axis=2)
    variance = squares.sum(axis=0) / (len(values) - 1)
    with np.errstate(invalid="ignore"):
        return variance, squares.var(axis=0) / len(values) / variance**2


def simulated_scores(
    benchmark: Benchmark, *, metrics, n_systems=25, n_documents=TEST_SET, rng=None
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of metrics and people with a benchmark's moments, from a Gaussian on each of three levels."""
    # unlike draws from a likeness, the summaries of one document differ more among themselves than those of
    # another, as in the benchmark: the strata by spread are about nothing but that
    seed, ordered = seed_of(rng), sorted(metrics)  # all are drawn together, in one order
    part = benchmark.select(metrics=ordered)
    values = np.concatenate([part.scores.to_numpy(), part.human.to_numpy()[None]])
    uneven, fitted = unevenness(values), moments(values, ["any"] * values.shape[1])

    def draw(covariance, name, *size):
        return np.tensordot(_root(covariance), stream(seed, name).normal(size=(len(values), *size)), axes=1)

    systems = draw(fitted.system["any"], "systems", n_systems)
    documents = draw(fitted.document, "documents", n_documents)
    summaries = draw(fitted.residual["any"], "summaries", n_systems, n_documents)
    normal = stream(seed, "unevenness").normal(size=n_documents)
    summaries *= np.exp(uneven * normal - uneven**2)  # a factor with mean square 1
    drawn = fitted.mean[:, None, None] + systems[:, :, None] + documents[:, None, :] + summaries
    return drawn[[ordered.index(metric) for metric in metrics]], drawn[-1]


def unevenness(values: np.ndarray) -> float:
    """Standard deviation over documents of the logarithm of the spread of their summaries' scores."""
    # without the systems' and the documents' means; the gold standard stands last and does not count
    residual = values - values.mean(axis=1, keepdims=True) - values.mean(axis=2, keepdims=True)
    spread = residual[:-1].std(axis=1, ddof=1)
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


def design_ratios(results: pd.DataFrame) -> go.Figure:
    """Variance of each quantity over samples of documents, relative to uniform samples."""
    styles = {"by mean": Style(GREY, symbol="diamond"), "by mean and spread": Style(GREY, symbol="square")}
    ratios = results[results["design"] != "uniform"]
    metrics = ratios["metric"].unique().tolist()[::-1]
    titles = [
        "a system's mean score" if quantity == "mean score" else words("coefficient", quantity)
        for quantity in ratios["quantity"].unique()
    ]
    sheet = marks(
        ratios, x="value", y="metric", panel="quantity", series="design", colour="metric", order=metrics,
        style=styles, name={design: f"strata {design}" for design in styles},
        labels={"value": "variance, uniform = 1"}, digits=2, size=10, titles=titles, gap=0.03,
    )  # fmt: skip
    sheet.x(range=[0, 1.5], tickvals=[0, 0.5, 1]).rule(x=1, text="as drawn at random")
    return sheet.figure(height=dot_height(metrics, styles))


LIVE = live(
    "sampling",
    lambda *, dataset, seed, **settings: table(load(dataset), rng=seed, **settings),
    design_ratios,
    "dataset n_bins n_spread_bins n_samples metrics",
    question="How much steadier are stratified samples of documents than uniform ones?",
    constants="n_systems n_documents seed",
    initial={"n_samples": 500},
)
