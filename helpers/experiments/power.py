"""Can a test find the better metric? Power against a metric that sees only part of a summary.

Deutsch et al. 2021, §5.2 and Fig. 3: ROUGE-1 of whole summaries is compared with ROUGE-1 of a random share of
their tokens, which is the worse metric by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from rouge_score.tokenizers import DefaultTokenizer

from helpers.benchmark import Benchmark, Texts
from helpers.errors import choose
from helpers.experiments.tests import TEST_METHODS
from helpers.stats import kernels
from helpers.stats.cells import aligned
from helpers.stats.correlation import correlate
from helpers.stats.resampling import n_processors

PARTS = {"recall": 0, "precision": 1, "F1": 2}


@dataclass(frozen=True)
class Unigrams:
    """Token ids of all summaries, and how often each reference has each token of its document.

    Attributes
    ----------
    tokens : int32 array; all summaries one after the other, system by system
    starts : int64 array (n_systems * n_documents + 1)
    n_systems, n_documents : int
    references : int16 array (n_documents, most references, most tokens)
    lengths : int64 array (n_documents, most references), 0 where a document has fewer references
    """

    tokens: np.ndarray
    starts: np.ndarray
    n_systems: int
    n_documents: int
    references: np.ndarray
    lengths: np.ndarray


def unigrams(texts: Texts, *, stem: bool = True) -> Unigrams:
    """Tokens as the package rouge-score makes them."""
    tokenizer = DefaultTokenizer(use_stemmer=stem)
    systems, documents = (texts.summaries.indexes[dim].tolist() for dim in ("system", "document"))
    vocabularies: list[dict[str, int]] = []
    counted = []
    for document in documents:
        vocabulary: dict[str, int] = {}
        counted.append(
            [
                np.array([vocabulary.setdefault(t, len(vocabulary)) for t in tokenizer.tokenize(text)], int)
                for text in texts.references[document]
            ]
        )
        vocabularies.append(vocabulary)
    lists = [
        [vocabularies[j].setdefault(token, len(vocabularies[j])) for token in tokenizer.tokenize(str(text))]
        for i in range(len(systems))
        for j, text in enumerate(texts.summaries[i].to_numpy())
    ]
    most = max(len(found) for found in counted)
    references = np.zeros((len(documents), most, max(len(v) for v in vocabularies)), np.int16)
    lengths = np.zeros((len(documents), most), np.int64)
    for j, found in enumerate(counted):
        for r, ids in enumerate(found):
            np.add.at(references[j, r], ids, 1)
            lengths[j, r] = len(ids)
    return Unigrams(
        tokens=np.array([token for ids in lists for token in ids], np.int32),
        starts=np.cumsum([0, *map(len, lists)]),
        n_systems=len(systems),
        n_documents=len(documents),
        references=references,
        lengths=lengths,
    )


def with_references(benchmark: Benchmark, *, at_most: int) -> Benchmark:
    """The benchmark with the first references of every document only.

    The scores that Deutsch et al. 2021 released are against the first, CNN/DailyMail's own; SummEval has ten
    more.
    """
    if benchmark.texts is None:
        raise ValueError(f"{benchmark.name} has no texts")
    if at_most < 1:
        raise ValueError(f"`at_most` must be at least 1, got {at_most}")
    kept = {document: texts[:at_most] for document, texts in benchmark.texts.references.items()}
    return replace(benchmark, texts=replace(benchmark.texts, references=kept))


def degraded_rouge_1(counted: Unigrams, *, kept: Sequence[float], part: str, rng) -> np.ndarray:
    """ROUGE-1 of random shares of every summary's tokens, averaged over references.

    Parameters
    ----------
    counted : Unigrams
    kept : shares in percent, in (0, 100]; of n tokens the nearest whole number is kept, at least one
        A larger share contains the smaller ones.
    part : {"recall", "precision", "F1"}
    rng : seed or numpy Generator

    Returns
    -------
    float array (len(kept), n_systems, n_documents)
    """
    rng = np.random.default_rng(rng)
    kept = np.asarray(kept, dtype=float)
    if not ((kept > 0) & (kept <= 100)).all():
        raise ValueError(f"`kept` must be percentages in (0, 100], got {kept.tolist()}")
    code = choose("part of ROUGE", part, PARTS)
    out = np.zeros((len(kept), counted.n_systems, counted.n_documents))
    order = np.argsort(kept)
    sorted_out = np.zeros_like(out)
    uniform = rng.random(len(counted.tokens))
    kernels.degraded_rouge_1(
        counted.tokens,
        counted.starts,
        counted.references,
        counted.lengths,
        kept[order] / 100,
        code,
        uniform,
        sorted_out,
    )
    out[order] = sorted_out
    return out


def power_table(
    benchmark: Benchmark,
    *,
    kept: Sequence[float],
    part: str,
    n_references: int | None = None,
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
    methods: Sequence[str] = ("Perm-Both", "Boot-Both", "Williams"),
    alpha: float = 0.05,
    n_trials: int = 1_000,
    n_resamples: int = 1_000,
    rng,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Share of trials in which a one-sided test finds ROUGE-1 better than its degraded self.

    Parameters
    ----------
    benchmark : Benchmark with texts
    kept : percentages of the tokens that the degraded metric sees
    part : {"F1", "recall", "precision"}
    n_references : int, the first references of each document that count; by default all
    levels, coefficient : see `helpers.stats.significance.permutation_test`
    methods : see `helpers.experiments.tests.difference_table`
    alpha : float in (0, 1)
    n_trials, n_resamples : int, at least 1
    rng : seed or numpy Generator
    n_threads : int, by default one a processor; does not change the result

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, kept, value, standard_error (binomial),
    n_trials, n_undefined
        A test without a p-value has found nothing, and is counted.
    """
    rng = np.random.default_rng(rng)
    if benchmark.texts is None:
        raise ValueError(f"{benchmark.name} has no texts")
    if n_references is not None:
        benchmark = with_references(benchmark, at_most=n_references)
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha}")
    for name, number in (("n_trials", n_trials), ("n_resamples", n_resamples)):
        if number < 1:
            raise ValueError(f"`{name}` must be at least 1, got {number}")
    tests = [choose("test", method, TEST_METHODS) for method in methods]
    (human,) = aligned(human=benchmark.human)
    counted = unigrams(benchmark.texts)
    whole = degraded_rouge_1(counted, kept=[100], part=part, rng=0)
    pairs = np.array([[0, i + 1] for i in range(len(kept))])

    def trial(seed) -> np.ndarray:
        """p-values (n_levels, n_methods, n_kept)."""
        generator = np.random.default_rng(seed)
        scores = np.concatenate([whole, degraded_rouge_1(counted, kept=kept, part=part, rng=generator)])
        draws = int(generator.integers(2**63))
        pvalues = np.empty((len(levels), len(methods), len(kept)))
        for i, level in enumerate(levels):
            kind = {"level": level, "coefficient": coefficient}
            value = correlate(scores, human, **kind)[0]
            kind |= {"n_resamples": n_resamples, "rng": draws, "n_threads": 1}
            for j, test in enumerate(tests):
                pvalues[i, j] = test(scores, human, pairs, value[0] - value[1:], "greater", **kind)[0]
        return pvalues

    seeds = np.random.SeedSequence(rng.integers(2**32, size=4)).spawn(n_trials)
    with ThreadPoolExecutor(n_threads or n_processors()) as pool:
        pvalues = np.array(list(pool.map(trial, seeds)))
    rows = []
    for i, level in enumerate(levels):
        for j, method in enumerate(methods):
            for k, share in enumerate(kept):
                value = float((pvalues[:, i, j, k] <= alpha).mean())
                rows.append(
                    {
                        "dataset": benchmark.name,
                        "level": level,
                        "coefficient": coefficient,
                        "method": method,
                        "kept": share,
                        "value": value,
                        "standard_error": np.sqrt(value * (1 - value) / n_trials),
                        "n_trials": n_trials,
                        "n_undefined": int(np.isnan(pvalues[:, i, j, k]).sum()),
                    }
                )
    return pd.DataFrame(rows)


def power_quantities(
    power: pd.DataFrame, benchmark: Benchmark, *, part: str, n_references: int | None = None
) -> pd.DataFrame:
    """What the paper says of the simulation, one row per number.

    Returns
    -------
    DataFrame with columns dataset, level, method, metric (the level again), kept, quantity, value
        `quantity` is "power", "lead" (of a method over the best of the others at the same share), or
        "correlation" (of whole ROUGE-1, under the method "ROUGE-1").
    """
    rows = power.assign(quantity="power", metric=power["level"])
    by = power.pivot(index=["level", "kept"], columns="method", values="value")
    leads = []
    for method in by.columns:
        others = by.drop(columns=method)
        if others.shape[1]:
            lead = (by[method] - others.max(axis=1)).rename("value").reset_index()
            leads.append(lead.assign(method=method, quantity="lead"))
    if n_references is not None:
        benchmark = with_references(benchmark, at_most=n_references)
    (human,) = aligned(human=benchmark.human)
    whole = degraded_rouge_1(unigrams(benchmark.texts), kept=[100], part=part, rng=0)[0]
    correlations = pd.DataFrame(
        [
            {
                "level": level,
                "method": "ROUGE-1",
                "quantity": "correlation",
                "value": float(correlate(whole, human, level=level, coefficient="pearson")[0]),
            }
            for level in power["level"].unique()
        ]
    )
    columns = ["level", "method", "metric", "kept", "quantity", "value"]
    table = pd.concat([rows, *leads, correlations], ignore_index=True).reindex(columns=columns)
    return table.assign(dataset=benchmark.name)
