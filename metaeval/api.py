"""api: the functions of ``from metaeval import ...``: the book's analyses, for a benchmark or plain arrays.

A thin layer: `metaeval.own.benchmark` converts data to a benchmark, and `metaeval.stats`, `metaeval.analysis`
and `metaeval.metrics` compute. Their results are returned unchanged. The page `book/api.md` is generated from
these docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, explain_missing_extras
from metaeval.core.limits import check_count, check_members
from metaeval.own.benchmark import Scores, as_benchmark, is_labelled, labelled, require_alike, unlabelled
from metaeval.stats import correlation as correlating
from metaeval.stats import differences, intervals
from metaeval.stats.correlation import COEFFICIENTS, Correlation
from metaeval.stats.differences import Comparison
from metaeval.stats.intervals import Interval
from metaeval.stats.streams import RNGLike
from metaeval.tables.benchmark import CELL, Benchmark, Texts, aligned

if TYPE_CHECKING:
    from metaeval.datasets.readers.stories import Stories
    from metaeval.metrics.sera.index import DocumentIndex


def dataset_names() -> list[str]:
    """List the names of the data sets that `load` accepts.

    Returns
    -------
    list of str
        In the order in which the book introduces them.

    Examples
    --------
    >>> dataset_names()[0]
    'realsumm'
    """
    from metaeval import datasets

    return datasets.names()


def correlation(
    data: Benchmark | Scores, other: str | Scores, *, level: str = "system", coefficient: str = "kendall"
) -> Correlation:
    """Correlation of one metric with people.

    Parameters
    ----------
    data : Benchmark, or array (n_systems, n_documents)
        A benchmark; or a metric's scores: higher is better, NaN where missing. A DataArray with dims (system,
        document) or a DataFrame is aligned with `other` by its labels.
    other : str, or array (n_systems, n_documents)
        With a benchmark, the name of one of its metrics; with scores, those of people.
    level : {"system", "summary", "global"}
        Correlate the systems' means; or the systems' scores of each document, and average; or all summaries.
    coefficient : {"pearson", "spearman", "kendall"}
        Kendall's is tau-b.

    Returns
    -------
    Correlation
        ``value`` in [-1, 1], NaN where it does not exist, from ``n_used`` of ``n_total`` systems, documents
        or summaries (by the level).

    Raises
    ------
    DataError
        If there are fewer than three systems, ids or shapes differ, or a score is infinite.
    UnknownNameError
        For a metric, level or coefficient that does not exist.

    Notes
    -----
    Bhandari et al. 2020, §2.5, Eqs. 1 and 2; Deutsch et al. 2021, §2.

    Examples
    --------
    >>> people = [[0.1, 0.2], [0.3, 0.3], [0.2, 0.6]]
    >>> round(correlation([[1, 2], [2, 4], [3, 3]], people).value, 3)
    0.816
    """
    metric, human = _metric_and_human(data, other)
    intervals.check_shapes(metric=metric, human=human)
    value, n_used, n_total = correlating.correlate(metric, human, level=level, coefficient=coefficient)
    return Correlation(float(value), int(n_used), int(n_total))


def correlations(
    data: Benchmark | Scores | Mapping[str, Scores],
    human: Scores | None = None,
    *,
    groups: Sequence[str] = ("all",),
    levels: Sequence[str] = ("system", "summary", "global"),
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
) -> pd.DataFrame:
    """Table of the correlations of every metric with people, for groups of systems.

    Parameters
    ----------
    data : Benchmark, or array (n_systems, n_documents), or mapping, metric -> array
        Anything that `as_benchmark` accepts.
    human : array (n_systems, n_documents), optional
        People's scores, where `data` is no benchmark.
    groups : sequence of str
        System types, ``"mix"`` for abstractive and extractive systems together, or ``"all"``.
    levels, coefficients : sequences of str
        See `correlation`.

    Returns
    -------
    DataFrame
        One row per group, level, coefficient and metric: dataset, these, value (the correlation), n_used,
        n_total, n_systems.

    Raises
    ------
    DataError, TypeError
        See `as_benchmark`.
    UnknownNameError
        For a group without systems, or a level or coefficient that does not exist.

    Examples
    --------
    >>> people = [[0.1, 0.2], [0.3, 0.3], [0.2, 0.6]]
    >>> table = correlations({"length": [[1, 2], [2, 4], [3, 3]]}, people, levels=["system"])
    >>> table[["coefficient", "value"]].round(3).to_numpy().tolist()
    [['pearson', 0.918], ['spearman', 0.866], ['kendall', 0.816]]
    """
    from metaeval.analysis import systems

    for name, values in {"groups": groups, "levels": levels, "coefficients": coefficients}.items():
        check_members(name, values)
    return systems.table(_as_benchmark(data, human), groups=groups, levels=levels, coefficients=coefficients)


def interval(
    data: Benchmark | Scores,
    other: str | Scores,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    method: str = "Boot-Both",
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> Interval:
    """Correlation of one metric with people, with a confidence interval.

    Parameters
    ----------
    data : Benchmark, or array (n_systems, n_documents)
        See `correlation`.
    other : str, or array (n_systems, n_documents)
        With a benchmark, the name of one of its metrics; with scores, those of people.
    level, coefficient : str
        See `correlation`.
    method : {"Boot-Both", "Boot-Systems", "Boot-Inputs", "Fisher"}, in any case
        The units that vary: the interval applies to systems and documents like these, to these documents
        only, or to these systems only. Fisher's assumes normally distributed scores.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, numpy Generator or None
        The same seed gives the same numbers.
    n_threads : int, optional
        By default one per processor; does not change the result.

    Returns
    -------
    Interval
        ``estimate``, ``low``, ``high``, ``standard_error``, the numbers of units behind them, the bootstrap
        ``distribution``, and a ``signature`` with the settings that reproduce the numbers.

    Raises
    ------
    DataError
        If there are fewer than three systems, ids or shapes differ, or a score is infinite.
    ValueError
        If a choice does not exist or a number is out of range.

    Notes
    -----
    Deutsch et al. 2021, §3.2, Algorithm 1. See `metaeval.stats.intervals.interval`.

    Examples
    --------
    >>> people = [[1.0, 2.0], [2.0, 4.0], [3.0, 3.0], [5.0, 4.0]]
    >>> metric = [[0.1, 0.2], [0.3, 0.3], [0.2, 0.6], [0.5, 0.6]]
    >>> result = interval(metric, people, coefficient="pearson", rng=2021)
    >>> result.low < result.estimate < result.high
    True
    """
    metric, human = _metric_and_human(data, other)
    return intervals.interval(
        metric, human, level=level, coefficient=coefficient, method=method, n_resamples=n_resamples,
        confidence_level=confidence_level, rng=rng, n_threads=n_threads,
    )  # fmt: skip


def compare(
    data: Benchmark | Scores,
    first: str | Scores,
    second: str | Scores,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    method: str = "Perm-Both",
    alternative: str = "two-sided",
    n_resamples: int = 1_999,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> Comparison:
    """Test whether two metrics agree with people equally well: ``compare(benchmark, "A", "B")``.

    With arrays: ``compare(metric_a, metric_b, human)``.

    Parameters
    ----------
    data : Benchmark, or array (n_systems, n_documents)
        A benchmark; or the first metric's scores (see `correlation`).
    first : str, or array (n_systems, n_documents)
        With a benchmark, the name of the first metric; otherwise the second metric's scores.
    second : str, or array (n_systems, n_documents)
        With a benchmark, the name of the second metric; otherwise people's scores.
    level, coefficient : str
        See `correlation`.
    method : str, in any case
        ``"Perm-Both"``, ``"Perm-Systems"``, ``"Perm-Inputs"``, ``"Perm-Systems-and-Inputs"`` swap the two
        metrics' standardised scores; ``"Boot-Both"``, ``"Boot-Systems"``, ``"Boot-Inputs"`` resample;
        ``"Williams"`` assumes normally distributed scores.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first metric agrees better.
    n_resamples : int, at least 1
    rng : seed, numpy Generator or None
        The same seed gives the same numbers.
    n_threads : int, optional
        By default one per processor; does not change the result.

    Returns
    -------
    Comparison
        ``difference`` of the two correlations, ``pvalue``, ``statistic``, the distribution ``null`` under no
        difference, the numbers of summaries, and a ``signature``. The metrics are compared on the summaries
        that both of them and people score.

    Raises
    ------
    DataError
        If there are fewer than three systems (Williams' test: four), ids or shapes differ, or a score is
        infinite.
    ValueError
        If a choice does not exist or a number is out of range.

    Notes
    -----
    Deutsch et al. 2021, §4.2, Algorithm 2. See `metaeval.stats.differences.compare_pairs`.

    Examples
    --------
    >>> people = [[1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> good, poor = [[1.0], [2.0], [3.5], [3.0], [5.0]], [[2.0], [1.0], [1.0], [5.0], [2.0]]
    >>> test = compare(good, poor, people, coefficient="pearson", method="Williams", alternative="greater")
    >>> round(test.pvalue, 3)
    0.108
    """
    planes = (
        {"metric_a": _named(data, first), "metric_b": _named(data, second), "human": data.human}
        if isinstance(data, Benchmark)
        else {"metric_a": data, "metric_b": first, "human": second}
    )
    return differences.compare(
        *_plain(**planes), level=level, coefficient=coefficient, method=method,
        alternative=alternative, n_resamples=n_resamples, rng=rng, n_threads=n_threads,
    )  # fmt: skip


def pairwise(
    data: Benchmark | Mapping[str, Scores],
    human: Scores | None = None,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    method: str = "Perm-Both",
    correction: str = "Holm",
    n_resamples: int = 1_999,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Test each metric for better agreement with people than each other metric, corrected for many tests.

    Parameters
    ----------
    data : Benchmark, or mapping, metric -> array (n_systems, n_documents)
        Anything that `as_benchmark` accepts.
    human : array (n_systems, n_documents), optional
        People's scores, where `data` is no benchmark.
    level, coefficient, method : str
        See `compare`.
    correction : {"Holm", "Bonferroni", "none"}
        Applied to all tests of the same first metric.
    n_resamples : int, at least 1
    rng : seed, numpy Generator or None
        The same seed gives the same numbers.

    Returns
    -------
    DataFrame
        One row per ordered pair of metrics: the two metrics, value (the difference of their correlations),
        pvalue (one-sided) and adjusted p-value, and the numbers of summaries behind them.

    Raises
    ------
    DataError, TypeError
        See `as_benchmark`.
    ValueError
        If a choice does not exist or a number is out of range.

    Notes
    -----
    Deutsch et al. 2021, §6.2, Fig. 5.

    Examples
    --------
    >>> metrics = {"good": [[1], [2], [3], [4]], "poor": [[2], [1], [3], [1]]}
    >>> pairwise(metrics, [[1], [2], [4], [3]], method="Williams")["value"].round(3).tolist()
    [0.484, -0.484]
    """
    from metaeval.analysis import tests

    benchmark = _as_benchmark(data, human)
    if len(benchmark.metrics) < 2:
        raise DataError(f"at least two metrics are required to compare, got only {benchmark.metrics[0]!r}")
    return tests.table(
        benchmark, levels=[level], coefficients=[coefficient],
        methods=[intervals.resolve_name(method, differences.TESTS, "test")], correction=correction,
        n_resamples=n_resamples, rng=rng,
    )  # fmt: skip


def top_k(
    data: Benchmark | Scores | Mapping[str, Scores],
    human: Scores | None = None,
    *,
    k: int | Sequence[int] | None = None,
    groups: Sequence[str] = ("all",),
    coefficient: str = "kendall",
    method: str | None = None,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Correlation of every metric with people on the systems that people score highest.

    Parameters
    ----------
    data : Benchmark, or array (n_systems, n_documents), or mapping, metric -> array
        Anything that `as_benchmark` accepts.
    human : array (n_systems, n_documents), optional
        People's scores, where `data` is no benchmark.
    k : int, or several, from 3 to the number of systems, optional
        Number of best systems; by default every number from 4 on.
    groups : sequence of str
        See `correlations`.
    coefficient : {"pearson", "spearman", "kendall"}
    method : {"Boot-Inputs", "Boot-Systems", "Boot-Both"}, in any case, optional
        Method of the interval; no interval by default.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, numpy Generator or None
        The same seed gives the same numbers.

    Returns
    -------
    DataFrame
        One row per group, k and metric: dataset, these, value (the system-level correlation), n_used; with a
        `method` also low and high, the ends of its interval.

    Raises
    ------
    DataError, TypeError
        See `as_benchmark`.
    ValueError
        If `k` is out of range or a choice does not exist.

    Notes
    -----
    Bhandari et al. 2020, §4.2. The best systems are not selected again in a resample.

    Examples
    --------
    >>> people, metric = [[1], [2], [3], [4]], [[2], [1], [4], [5]]
    >>> top_k(metric, people, k=[3, 4])[["k", "value"]].round(2).to_numpy().tolist()
    [[3.0, 1.0], [4.0, 0.67]]
    """
    from metaeval.analysis import topk

    check_members("groups", groups)
    ks: Any = k if k is None or np.ndim(k) or isinstance(k, Iterator | Set) else [k]
    if ks is not None:
        check_members("k", ks)
        for n in ks:
            check_count("k", n)
    return topk.table(
        _as_benchmark(data, human), groups=groups, ks=ks, coefficients=[coefficient], method=method,
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip


def margins(
    data: Benchmark | Scores | Mapping[str, Scores],
    human: Scores | None = None,
    *,
    lower: float = 0.0,
    upper: float,
    unit: str = "points",
    coefficient: str = "kendall",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Agreement of every metric with people on pairs of systems whose scores differ by `lower` to `upper`.

    Parameters
    ----------
    data : Benchmark, or array (n_systems, n_documents), or mapping, metric -> array
        Anything that `as_benchmark` accepts.
    human : array (n_systems, n_documents), optional
        People's scores, where `data` is no benchmark.
    lower, upper : float, 0 <= lower <= upper
        Differences of two systems' mean scores, in each metric's own points; or shares of the closest pairs.
    unit : {"points", "percent"}
        Unit of `lower` and `upper`.
    coefficient : {"kendall", "pearson", "spearman"}
        Over the pairs in the window; the paper's is Kendall's tau-b.
    n_resamples : int, at least 0
        Draws of a bootstrap over documents; 0 for no intervals, which are then NaN.
    confidence_level : float in (0, 1)
    rng : seed, numpy Generator or None
        The same seed gives the same numbers.

    Returns
    -------
    DataFrame
        One row per metric: dataset, metric, coefficient, from_percent, to_percent, lower, upper (in points),
        n_pairs (pairs of systems in the window), share_held (of all pairs), value (the correlation over them,
        NaN where it does not exist), low, high, counts of the pairs by their order, agreement, and a remark
        on values that are missing, rest on few pairs or lie outside their interval.

    Raises
    ------
    DataError, TypeError
        See `as_benchmark`.
    ValueError
        If a number is out of range.

    Notes
    -----
    Deutsch, Dror and Roth 2022, §4.2, Δ(l, u).

    Examples
    --------
    >>> people, metric = [[1], [2], [3], [5]], [[1.0], [1.1], [1.3], [1.2]]
    >>> table = margins(metric, people, upper=0.15, n_resamples=0)
    >>> table[["n_pairs", "value"]].round(2).to_numpy().tolist()
    [[3.0, 0.33]]
    """
    from metaeval.analysis import margins as shared_margins

    return shared_margins.window(
        _as_benchmark(data, human), lower=lower, upper=upper, unit=unit, n_windows=1,
        coefficient=coefficient, n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip


def rouge_scores(
    texts: Benchmark | Texts,
    names: Sequence[str] = ("ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall"),
    *,
    stem: bool = True,
    references: str = "mean",
    split: str = "sentences",
) -> xr.DataArray:
    """Compute ROUGE of every summary, as the package rouge-score defines it.

    Parameters
    ----------
    texts : Benchmark with texts, or Texts
    names : sequence of str
        ``"ROUGE-1"``, ``"ROUGE-2"``, ``"ROUGE-L"`` (of the whole text as one sequence) or ``"ROUGE-Lsum"``
        (sentence by sentence), each with ``"recall"``, ``"precision"`` or ``"F1"``.
    stem : bool
        Compare Porter stems instead of words.
    references : {"mean", "max"}
        With several references: the mean over them, or the one with the highest F1, as in the package.
    split : {"sentences", "newlines"}
        The units of ROUGE-Lsum: sentences (between tags, or ending with a full stop), or lines, as in the
        package.

    Returns
    -------
    DataArray
        In [0, 1], dims (metric, system, document), suitable for `Benchmark.with_scores`. NaN where a summary
        is missing (None), 0 where it has no word.

    Raises
    ------
    DataError
        If the benchmark has no texts, or a document has no reference.
    MissingExtraError
        If the extra ``texts`` is not installed.
    UnknownNameError
        For a ROUGE that does not exist.

    Notes
    -----
    Lin 2004.

    Examples
    --------
    >>> labels = {"system": ["a", "b"], "document": ["1"]}
    >>> summaries = xr.DataArray([["the cat sat"], ["a dog"]], labels)
    >>> rouge_scores(Texts(summaries, {"1": ("the cat ran",)}), ["ROUGE-1 recall"]).round(2).values.tolist()
    [[[0.67], [0.0]]]
    """
    from metaeval.metrics import registry

    check_members("names", names)
    return registry.scores(_texts(texts), names, stem=stem, references=references, split=split)


def sera_scores(
    texts: Benchmark | Texts,
    stories: Stories | DocumentIndex,
    *,
    queries: Sequence[str] = ("raw",),
    cutoffs: Sequence[int] = (5, 10),
    overlaps: Sequence[str] = ("SERA", "SERA-DIS"),
    n_jobs: int = 1,
) -> xr.DataArray:
    """Compute SERA of every summary: overlap of its search results with those of the references.

    Parameters
    ----------
    texts : Benchmark with texts, or Texts
    stories : Stories, or DocumentIndex
        The documents to search, such as from `metaeval.datasets.stories` or
        `metaeval.datasets.readers.stories.read_folder`; or an index of them, built once for many calls.
    queries : sequence of str
        Conversion of a text to a query: ``"raw"``, ``"np"`` (noun phrases), ``"kw"`` (key words),
        ``"gesera"``.
    cutoffs : sequence of int
        Numbers of search results that are compared, from 1 to the number of documents in the index.
    overlaps : sequence of str
        Of ``"SERA"`` and ``"SERA-DIS"`` (discounted by rank).
    n_jobs : int
        Threads, -1 for all cores; the scores do not depend on it.

    Returns
    -------
    DataArray
        In [0, 1], dims (metric, system, document), metrics named such as ``"SERA-DIS-5"``; NaN where the
        query of a text is empty.

    Raises
    ------
    DataError
        If the benchmark has no texts.
    MissingExtraError
        If the extra ``texts`` is not installed.
    UnknownNameError
        For a query or overlap that does not exist.

    Notes
    -----
    Cohan and Goharian 2016; ``"gesera"``: Espejel et al. 2021.

    Examples
    --------
    >>> from metaeval.datasets.readers.stories import Stories
    >>> animals = Stories("animals", ("1", "2", "3"), ("cats sleep", "dogs bark", "birds sing"))
    >>> labels = {"system": ["a", "b"], "document": ["1"]}
    >>> texts = Texts(xr.DataArray([["sleeping cats"], ["a dog barks"]], labels), {"1": ("cats asleep",)})
    >>> sera_scores(texts, animals, cutoffs=[1], overlaps=["SERA"]).values.tolist()
    [[[1.0], [0.0]]]
    """
    if stories is None:
        raise TypeError("`stories` must be Stories or a DocumentIndex, got None")
    for name, values in {"queries": queries, "cutoffs": cutoffs, "overlaps": overlaps}.items():
        check_members(name, values)
    with explain_missing_extras():
        from metaeval.metrics.sera import index, scores
    if not isinstance(stories, index.DocumentIndex):
        stories = index.build_index(index.analyse(stories))
    variants = scores.Variants(tuple(queries), tuple(cutoffs), tuple(overlaps))
    return scores.sera_scores(_texts(texts), stories, variants, n_jobs=n_jobs)


def _as_benchmark(data: Any, human: Any) -> Benchmark:
    """Return a benchmark as it is, and convert anything else with people's scores to one."""
    if not isinstance(data, Benchmark):
        if human is None:
            raise TypeError("`human` is required unless the first argument is a Benchmark")
        return as_benchmark(data, human)
    if human is not None:
        raise TypeError("`human` is for scores; a Benchmark has its own (see `Benchmark.judged_by`)")
    return data


def _metric_and_human(data: Any, other: Any) -> list[np.ndarray]:
    if isinstance(data, Benchmark):
        return _plain(metric=_named(data, other), human=data.human)
    return _plain(metric=data, human=other)


def _named(data: Benchmark, metric: Any) -> xr.DataArray:
    if not isinstance(metric, str):
        got = type(metric).__name__
        raise TypeError(f"a Benchmark has metrics by name, such as {data.metrics[0]!r}; got {got}")
    return data.metric(metric)


def _plain(**planes: Any) -> list[np.ndarray]:
    """Convert planes to arrays over the same summaries, aligned by labels where all have labels."""
    require_alike(planes)
    if not all(map(is_labelled, planes.values())):
        return [unlabelled(plane, name) for name, plane in planes.items()]
    return aligned(shared=CELL, **{name: labelled(plane, name) for name, plane in planes.items()})


def _texts(source: Any) -> Texts:
    texts = source.require_texts() if isinstance(source, Benchmark) else source
    if not isinstance(texts, Texts):
        raise TypeError(f"`texts` must be a Benchmark or Texts, got {type(texts).__name__}")
    return texts
