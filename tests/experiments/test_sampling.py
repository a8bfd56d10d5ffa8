import numpy as np
import pandas as pd
import pytest

from helpers.experiments import sampling
from helpers.experiments.sampling import (
    chances,
    compare_designs,
    sample_means,
    simulated_scores,
    size_table,
    strata,
    stratified_samples,
    unevenness,
    uniform_samples,
)
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.simulation.fit import moments
from tests.builders import benchmark
from tests.kit.figures import points, seen

# two systems, eight documents: means 0 to 7, spreads 3 2 1 0 3 2 1 0
MEANS, SPREADS = np.arange(8.0), np.array([3, 2, 1, 0, 3, 2, 1, 0], dtype=float)
SCORES = np.stack([MEANS - SPREADS, MEANS + SPREADS])


def test_strata_by_hand():
    # two bins by mean, documents 0-3 and 4-7; each cut in two by spread, the smaller spreads first
    cells = strata(SCORES, n_bins=2, n_spread_bins=2)
    assert [sorted(cell.tolist()) for cell in cells] == [[2, 3], [0, 1], [6, 7], [4, 5]]
    assert [cell.tolist() for cell in strata(SCORES, n_bins=4, n_spread_bins=1)] == [
        [1, 0],
        [3, 2],
        [5, 4],
        [7, 6],
    ]
    assert [len(cell) for cell in strata(SCORES, n_bins=3, n_spread_bins=1)] == [3, 3, 2]


def test_a_stratified_sample_has_one_of_every_cell_and_none_twice():
    twice = np.stack([SCORES, SCORES])  # two metrics with the same cells: some documents are drawn for both
    samples = stratified_samples(
        twice, metrics=["a", "b"], n_bins=2, n_spread_bins=2, n_samples=500, rng=1
    ).toarray()
    assert set(np.unique(samples)) == {0, 1}
    for cell in strata(SCORES, n_bins=2, n_spread_bins=2):
        assert samples[:, cell].sum(axis=1).min() >= 1
    sizes = samples.sum(axis=1)
    assert sizes.min() < sizes.max() <= 8
    # each of 4 cells of two: both metrics draw the same document with chance 1/2, so 6 on average; 3 standard
    # errors are 3 * 1 / sqrt(500)
    assert abs(sizes.mean() - 6) < 0.14
    # every document as likely as the other of its cell
    assert np.abs(samples.mean(axis=0) - 0.75).max() < 0.06


def test_sizes_are_counted():
    human, m, n = np.random.default_rng(12).normal(size=(3, 5, 30))
    made = benchmark(human, {"m": m, "n": n})
    table = size_table(made, metrics=["m", "n"], n_systems=4, n_documents=20, n_samples=300, rng=13)
    # 20 documents in 20 cells: both metrics draw all of them
    assert table.to_numpy().tolist() == [[20, 300]]


def test_chances_are_those_of_the_algorithm():
    # 2 metrics, 4 cells of 2 documents each: by hand 8 * (1/2)^2 = 2 coincidences
    by_hand = chances(8, n_metrics=2, n_bins=2, n_spread_bins=2).set_index("quantity")["value"]
    assert by_hand.tolist() == [8, 2, 0, pytest.approx(0.5**4)]
    # cells of one metric that say nothing of the other's: drawn samples that hold no document twice
    scores = np.random.default_rng(3).normal(size=(3, 4, 600))
    samples = stratified_samples(scores, metrics=list("abc"), n_samples=4_000, rng=4)
    held = samples.sum(axis=1)
    expected = chances(600, n_metrics=3).set_index("quantity")["value"]
    assert held.max() == expected["documents if none is drawn twice"] == 60
    drawn_twice = expected["documents that two metrics draw, on average"]
    assert abs(60 - held.mean() - drawn_twice) < 4 * held.std() / np.sqrt(4_000) + 0.07  # thrice counts twice
    unrelated = expected["probability that none is drawn twice, cells unrelated"]
    assert abs((held == 60).mean() - unrelated) < 0.04
    assert (held == 60).mean() >= expected["probability that none is drawn twice, at least"]


def test_uniform_samples_have_their_size_and_no_preference():
    samples = uniform_samples(12, size=5, n_samples=3_000, rng=2).toarray()
    assert np.unique(samples.sum(axis=1)).tolist() == [5]
    # chance 5/12 each, standard error 0.009
    assert np.abs(samples.mean(axis=0) - 5 / 12).max() < 0.036
    assert (samples != uniform_samples(12, size=5, n_samples=3_000, rng=3).toarray()).any()
    np.testing.assert_array_equal(samples, uniform_samples(12, size=5, n_samples=3_000, rng=2).toarray())


def test_means_equal_a_loop():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(2, 3, 10))
    samples = uniform_samples(10, size=4, n_samples=6, rng=5)
    ours = sample_means(samples, scores)
    assert ours.shape == (6, 2, 3)
    for k, row in enumerate(samples.toarray()):
        inside = np.flatnonzero(row)
        np.testing.assert_allclose(ours[k], scores[:, :, inside].mean(axis=2))


def scores_with(rng, *, n_systems, n_documents, uneven=0.3):
    """A metric and people whose variances of systems, documents and single summaries are known."""
    roots = [np.linalg.cholesky(np.array(c)) for c in (
        [[0.02, 0.015], [0.015, 0.03]], [[0.05, 0.04], [0.04, 0.06]], [[0.03, 0.01], [0.01, 0.04]]
    )]  # fmt: skip
    system, document = (
        root @ rng.normal(size=(2, n)) for root, n in zip(roots, (n_systems, n_documents), strict=False)
    )
    left = np.tensordot(roots[2], rng.normal(size=(2, n_systems, n_documents)), axes=1)
    left *= np.exp(uneven * rng.normal(size=n_documents) - uneven**2)
    return np.array([0.5, 0.4])[:, None, None] + system[:, :, None] + document[:, None, :] + left


def test_simulated_scores_have_the_moments_of_the_benchmark():
    m, human = scores_with(np.random.default_rng(6), n_systems=60, n_documents=400)
    made = benchmark(human, {"m": m})
    scores, people = simulated_scores(made, metrics=["m"], n_systems=60, n_documents=400, rng=7)
    theirs, ours = (moments(np.stack(pair), ["any"] * 60) for pair in ((m, human), (scores[0], people)))
    # relative standard errors of each: sqrt(2 / 59) = 0.18 for systems, 0.07 for documents
    np.testing.assert_allclose(ours.system["any"], theirs.system["any"], rtol=0.8)
    np.testing.assert_allclose(ours.document, theirs.document, rtol=0.35)
    np.testing.assert_allclose(ours.residual["any"], theirs.residual["any"], rtol=0.15)
    np.testing.assert_allclose(ours.mean, theirs.mean, atol=0.15)


def test_documents_that_differ_in_their_spread_are_noticed():
    uneven, even = (
        scores_with(np.random.default_rng(8), n_systems=60, n_documents=400, uneven=u) for u in (0.3, 0)
    )
    assert abs(unevenness(uneven) - 0.3) < 0.06
    assert unevenness(even) < 0.08


def test_a_document_that_a_metric_scores_alike_has_no_spread_to_speak_of():
    m, human = scores_with(np.random.default_rng(8), n_systems=60, n_documents=400)
    systems = m.mean(axis=1, keepdims=True)
    flat = (
        np.concatenate([m, systems + np.array([0.1, 0.7])], axis=1) * 0.1
    )  # two more documents: only the systems' means
    both = np.concatenate([human, human[:, :2]], axis=1)
    assert abs(unevenness(np.stack([flat, both])) - 0.3) < 0.06


@pytest.fixture(scope="module")
def compared():
    m, human = scores_with(np.random.default_rng(8), n_systems=12, n_documents=2_000)
    return compare_designs(m[None], human, metrics=["m"], n_samples=600, rng=9).set_index(
        ["design", "quantity"]
    )


def test_strata_steady_mean_scores(compared):
    # half of a mean score's variance is the document's (0.05 of 0.05 + 0.03): strata by mean take most of it
    row = compared.loc[("by mean", "mean score")]
    assert row["high"] < 0.8
    assert row["low"] < row["value"] < row["high"]
    assert compared.loc[("uniform", "mean score"), "value"] == 1
    # sampling 20 of 2,000 without replacement: (0.05 + 0.03) / 20, within three standard errors
    variance = compared.loc[("uniform", "mean score"), "variance"]
    assert abs(variance / (0.08 / 20) - 1) < 0.35


def test_designs_agree_on_what_they_measure(compared):
    for quantity in ("pearson", "kendall", "mean score"):
        means = compared.xs(quantity, level="quantity")["mean"]
        spread = np.sqrt(compared.xs(quantity, level="quantity")["variance"].max() / 600)
        assert means.max() - means.min() < 8 * spread
    assert compared.loc[("by mean", "pearson"), "n_documents"] == 20
    assert compared["least_documents"].eq(20).all()


def test_a_correlation_that_never_varies_has_no_ratio():
    scores = np.random.default_rng(14).normal(size=(1, 4, 40))
    table = compare_designs(scores, scores[0], metrics=["m"], coefficients=["kendall"], n_samples=20, rng=15)
    ratios = table.set_index(["design", "quantity"])["value"]
    assert np.isnan(ratios["by mean", "kendall"])
    assert ratios["by mean", "mean score"] > 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: strata(SCORES), ValueError, "must be from 1 to the number of documents (8), got 5 x 4"),
        (lambda: strata(SCORES, n_bins=0), ValueError, "got 0 x 4"),
        (lambda: strata(np.where(SCORES == -3, np.nan, SCORES), n_bins=2, n_spread_bins=1), DataError, "1 documents lack some"),
        (lambda: uniform_samples(3, size=4, n_samples=1, rng=0), ValueError, "`size` must be from 1 to the number of documents (3), got 4"),
        (lambda: compare_designs(SCORES[None], SCORES, metrics=["m"], coefficients=["tau"], n_bins=2, rng=0), UnknownNameError, "unknown coefficient 'tau'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_short_floats_tie_and_a_metric_draws_alike_whatever_stands_beside_it():
    decimals = np.tile([[0.1, 0.3], [0.3, 0.1], [0.2, 0.2]], (1, 20))[None]
    scores = np.concatenate([decimals, np.random.default_rng(1).normal(size=(1, 3, 40))])
    settings = {"n_bins": 2, "n_spread_bins": 1, "n_samples": 30}
    own = stratified_samples(scores[:1], metrics=["a"], rng=3, **settings)
    both = stratified_samples(scores[::-1], metrics=["b", "a"], rng=3, **settings)
    assert ((own - both.multiply(own)) != 0).nnz == 0  # what "a" draws alone, it draws beside "b"
    everything = np.ones((1, 40))
    assert len(np.unique(sample_means(everything, decimals[0].astype(np.float32)))) == 1


def test_metrics_are_drawn_alike_in_whatever_order_they_are_named():
    rng = np.random.default_rng(4)
    systems = rng.normal(size=(8, 1))
    human, *planes = (systems + rng.normal(size=(8, 30)) for _ in range(4))
    made = benchmark(human, dict(zip("abc", planes, strict=True)))
    given = {"n_bins": 2, "n_spread_bins": 2, "n_systems": 6, "n_documents": 40, "n_samples": 20, "rng": 1}
    keys = ["design", "quantity", "metric"]
    one, other = (
        sampling.table(made, metrics=[*names], **given).set_index(keys).sort_index()
        for names in ("abc", "cab")
    )
    pd.testing.assert_frame_equal(one, other, rtol=1e-9)


def test_design_ratios_have_a_panel_per_quantity():
    scores = np.random.default_rng(4).normal(size=(3, 5, 60))
    table = compare_designs(scores[:2], scores[2], metrics=["a", "b"], n_samples=40, rng=5)
    traces = seen(sampling.design_ratios(table))
    named = [(trace.xaxis, trace.name) for trace in traces]
    panels = dict(zip(table["quantity"].unique(), ("x", "x2", "x3"), strict=True))
    assert sorted(named) == sorted(
        (axis, f"strata {design}") for axis in panels.values() for design in ("by mean", "by mean and spread")
    )
    shown = points(traces[named.index((panels["pearson"], "strata by mean"))])
    rows = table.query("design == 'by mean' and quantity == 'pearson'").set_index("metric")
    assert {metric: value for metric, (value, _, _) in shown.items()} == rows["value"].to_dict()
