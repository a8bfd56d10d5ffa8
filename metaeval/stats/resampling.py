"""stats.resampling: bootstrap and permutation distributions of a correlation, or of the difference of two.

Units of the draws (Deutsch et al. 2021, §3.2 and §4.2):

- bootstrap: ``"systems"``, ``"inputs"`` (documents) or ``"both"``, with replacement, as many as observed;
- permutation: two metrics' standardised scores are exchanged with probability 1/2, for whole ``"systems"``,
  whole ``"inputs"``, or each summary separately (``"both"``). ``"systems-and-inputs"`` swaps whole systems
  and then whole documents, as the package nlpstats does under the name *both*.

Each block of draws has a random stream of its own, so the same seed gives the same bytes with any number of
threads, and the first draws of a longer run are the draws of a shorter one. All metrics see the same draws.
Memory is bounded by the block, not by the number of draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from metaeval.core.errors import choose
from metaeval.core.limits import check_count
from metaeval.stats import kernels
from metaeval.stats.correlation import COEFFICIENTS, LEVELS
from metaeval.stats.draws import ExactSums, Swaps, blocks, drawn_swaps, unit_counts
from metaeval.stats.monte_carlo import map_threads, n_processors
from metaeval.stats.pooled_pearson import pooled_pearson_permutation, sums_and_changes
from metaeval.stats.streams import RNGLike, block_seeds, block_stream
from metaeval.stats.ties import MEAN_TIE, SMALLEST_SCALE, STANDARD_TIE, double, equalised, system_means

RESAMPLE = ("systems", "inputs", "both")
PERMUTE = ("systems", "inputs", "both", "systems-and-inputs")

_CODES = {"pearson": kernels.PEARSON, "spearman": kernels.SPEARMAN, "kendall": kernels.KENDALL}
_LARGEST_BLOCK = 512
_BLOCK_CELLS = 1_000_000  # bounds the draws of one block to some MB
_FEW_BLOCKS = 8
_TIES = MEAN_TIE, SMALLEST_SCALE
_MAX_RESAMPLES = 10**7
GROUP_BYTES = 200_000_000  # bounds the metrics that are prepared together


def bootstrap_distribution(
    scores: np.ndarray,
    human: np.ndarray,
    *,
    level: str,
    coefficient: str,
    resample: str = "both",
    n_resamples: int = 9_999,
    paired: bool = True,
    own_means: bool = False,
    rng: RNGLike,
    n_threads: int | None = None,
) -> np.ndarray:
    """Compute correlations of metrics with people in bootstrap samples.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents)
        Higher is better; NaN where missing. All leading planes see the same draws.
    human : float array (n_systems, n_documents)
        With ``paired=False`` it may cover other documents.
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}
    resample : {"systems", "inputs", "both"}
    n_resamples : int
    paired : bool
        False: documents of the metric and of people are drawn independently, and each side's means are over
        its own documents (Deutsch et al. 2022, §3). System level only. For a given seed, the systems and
        people's documents are those of ``paired=True``.
    own_means : bool
        True: documents are drawn together, but each side's means are over all of its scores, including
        summaries that the other lacks. System level only.
    rng : seed, Generator or None
    n_threads : int, by default one per processor (for few draws at system level one); no effect on results

    Returns
    -------
    float array (..., n_resamples)
        NaN in draws where the correlation does not exist.
    """
    scores, human = double("scores", scores), double("human", human)
    _check(level, coefficient, n_resamples)
    choose("resample", resample, dict.fromkeys(RESAMPLE))
    if not paired and level != "system":
        raise ValueError(
            f"documents can be drawn independently (paired=False) at system level only, got level={level!r}"
        )
    if own_means and level != "system":
        raise ValueError(f"`own_means` are of systems, got level={level!r}")
    if scores.shape[-2] != human.shape[-2] or (paired and scores.shape[-1] != human.shape[-1]):
        raise ValueError(f"`scores` {scores.shape} and `human` {human.shape} must have the same last axes")
    planes = scores.reshape(-1, *scores.shape[-2:])
    out = np.empty((len(planes), n_resamples))
    n, m = planes.shape[-2:]
    seeds = block_seeds(rng)

    def counts(generator, size, n_units, drawn):
        return unit_counts(generator, size, n_units) if drawn else np.ones((size, n_units))

    for part in _groups(planes, level):
        compute = bootstrap_statistic(
            planes[part], human, level=level, coefficient=coefficient, paired=paired and not own_means
        )

        def block(generator, size, n_wanted, compute=compute):
            rows = counts(generator, size, n, resample != "inputs")[:n_wanted]
            # people's documents before the metric's, so that they do not depend on `paired`
            judged = counts(generator, size, human.shape[-1], resample != "systems")[:n_wanted]
            if paired:
                return compute(rows, judged, judged)
            parts = [
                compute(
                    rows[piece],
                    counts(generator, piece.stop - piece.start, m, resample != "systems"),
                    judged[piece],
                )
                for piece in blocks(n_wanted, m)
            ]
            return np.concatenate(parts)

        _fill(out[part], block, seeds, _block_size(human.shape[-1]), n_threads, light=level == "system")
    return out.reshape(*scores.shape[:-2], n_resamples)


def permutation_distribution(
    scores: np.ndarray,
    human: np.ndarray,
    *,
    pairs: np.ndarray,
    level: str,
    coefficient: str,
    permute: str = "both",
    n_resamples: int = 9_999,
    rng: RNGLike,
    n_threads: int | None = None,
) -> np.ndarray:
    """Compute differences of two metrics' correlations after random exchanges of their scores.

    Parameters
    ----------
    scores : float array (n_metrics, n_systems, n_documents)
        Standardised here. The two metrics of a pair must lack the same judged summaries.
    human : float array (n_systems, n_documents)
    pairs : int array (n_pairs, 2)
        Which metrics are compared, first minus second. All pairs see the same draws.
    level, coefficient : see `bootstrap_distribution`
    permute : {"systems", "inputs", "both", "systems-and-inputs"}
    n_resamples, rng, n_threads : see `bootstrap_distribution`

    Returns
    -------
    float array (n_pairs, n_resamples)
        NaN in draws where either correlation does not exist.
    """
    scores, human = double("scores", scores), double("human", human)
    pairs = check_pairs(pairs, len(scores))
    _check(level, coefficient, n_resamples)
    choose("permute", permute, dict.fromkeys(PERMUTE))
    out = np.empty((len(pairs), n_resamples))
    seeds = block_seeds(rng)
    n, m = human.shape
    scored = ~np.isnan(scores) & ~np.isnan(human)
    for first, second in pairs:
        if (scored[first] != scored[second]).any():
            raise ValueError(
                f"metrics {first} and {second} must score the same of the summaries that people judged"
            )
    for present, indices in group_by_gaps(scored, pairs):
        used = np.unique(pairs[indices])
        standard = np.stack([standardised(scores[metric], present) for metric in used])
        chosen = np.searchsorted(used, pairs[indices])
        compute = permutation_statistic(
            standard, human, present, chosen, level=level, coefficient=coefficient
        )

        def block(generator, size, n_wanted, compute=compute):
            return compute(drawn_swaps(generator, size, n, m, permute).first(n_wanted))

        part = np.empty((len(indices), n_resamples))
        light = level == "system" and permute != "both"
        _fill(part, block, seeds, _block_size(n * m), n_threads, light=light)
        out[indices] = part
    return out


def check_pairs(pairs: np.ndarray, n_metrics: int) -> np.ndarray:
    """Convert pairs of metrics to whole numbers (n_pairs, 2).

    Raises
    ------
    ValueError
        If they are not pairs of whole numbers, or number a metric that does not exist.
    """
    pairs = np.asarray(pairs)
    if not pairs.size and pairs.ndim < 3:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.dtype.kind not in "iu" or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(
            "`pairs` must hold two whole numbers for each pair of metrics, got an array of "
            f"{pairs.dtype} of shape {pairs.shape}"
        )
    beyond = pairs[(pairs < 0) | (pairs >= n_metrics)]
    if beyond.size:
        raise ValueError(f"`pairs` must number metrics from 0 to {n_metrics - 1}, got {beyond[0]}")
    return pairs.astype(np.int64)


def group_by_gaps(scored: np.ndarray, pairs: np.ndarray) -> Iterable[tuple[np.ndarray, list[int]]]:
    """Group pairs of metrics by the summaries that both of their metrics score.

    Parameters
    ----------
    scored : bool array (n_metrics, n_systems, n_documents)
    pairs : int array (n_pairs, 2)

    Returns
    -------
    iterable of bool array (n_systems, n_documents), and rows of `pairs`
    """
    groups: dict[bytes, tuple[np.ndarray, list[int]]] = {}
    for index, (first, second) in enumerate(pairs):
        both = scored[first] & scored[second]
        groups.setdefault(both.tobytes(), (both, []))[1].append(index)
    return groups.values()


def bootstrap_statistic(
    planes: np.ndarray, human: np.ndarray, *, level: str, coefficient: str, paired: bool = True
) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Build the function from draws to correlations behind `bootstrap_distribution`.

    Parameters
    ----------
    planes : float array (n_metrics, n_systems, n_documents)
    human, level, coefficient, paired : see `bootstrap_distribution`

    Returns
    -------
    function
        From the counts in each draw of systems (n_draws, n_systems), of the metrics' documents and of
        people's documents (n_draws, n_documents), to correlations (n_draws, n_metrics).
    """
    if not paired:  # at system level only
        return _system_bootstrap(planes, human, _CODES[coefficient], paired=False)
    return _BOOTSTRAP[level](planes, human, _CODES[coefficient])


def permutation_statistic(
    standard: np.ndarray,
    human: np.ndarray,
    present: np.ndarray,
    pairs: np.ndarray,
    *,
    level: str,
    coefficient: str,
) -> Callable[[Swaps], np.ndarray]:
    """Build the function from `Swaps` to differences (n_draws, n_pairs) behind `permutation_distribution`.

    Parameters
    ----------
    standard : float array (n_metrics, n_systems, n_documents)
        Such as from `standardised`.
    present : bool array (n_systems, n_documents)
        The summaries that count.
    human, pairs, level, coefficient : see `permutation_distribution`
    """
    return _PERMUTATION[level](standard, human, present, pairs, _CODES[coefficient])


# ------------------------------------------------------------------------------------------------------ draws


def check_draws(n_resamples: int) -> None:
    """Require a number of draws that fits in memory."""
    check_count("n_resamples", n_resamples, maximum=_MAX_RESAMPLES)


def _check(level, coefficient, n_resamples):
    choose("level", level, LEVELS)
    choose("coefficient", coefficient, COEFFICIENTS)
    check_draws(n_resamples)


def _block_size(n_numbers: int) -> int:
    """Number of draws in a block, from the data's shape alone, since it decides the stream of each draw."""
    return max(1, min(_LARGEST_BLOCK, _BLOCK_CELLS // n_numbers))


def _fill(
    out: np.ndarray, block: Callable, seeds: np.ndarray, size: int, n_threads: int | None, *, light: bool
) -> None:
    """Fill `out` (k, n_resamples) block by block; each block has its own random stream.

    `light` blocks take little more time than starting a thread, so a few of them run in one thread.
    """
    n_resamples = out.shape[1]
    starts = range(0, n_resamples, size)
    if n_threads is None:
        n_threads = 1 if light and len(starts) < _FEW_BLOCKS else n_processors()

    def run(number):
        start = starts[number]
        stop = min(start + size, n_resamples)
        # always draw a full block, so that a shorter run equals the beginning of a longer one
        out[:, start:stop] = block(block_stream(seeds, number), size, stop - start).T

    map_threads(run, range(len(starts)), n_threads=n_threads)


# ------------------------------------------------------------------------------------ preparation for kernels


def _groups(planes, level) -> Iterator[slice]:
    """Slice the metrics into groups that are prepared together."""
    n, m = planes.shape[-2:]
    each = n * (n - 1) * m if level == "summary" else 16 * n * m
    size = max(1, GROUP_BYTES // max(1, each))
    for start in range(0, len(planes), size):
        yield slice(start, start + size)


def _scale_to_unit(values):
    """Scale planes by powers of two to a maximum near 1: squares stay in range and no digit changes."""
    largest = np.nanmax(np.abs(values), axis=(-2, -1), keepdims=True, initial=0)
    return np.ldexp(values, -np.frexp(largest)[1])


def standardised(values: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Standardise scores (n_systems, n_documents) over the present ones; 0 elsewhere."""
    values = _scale_to_unit(np.where(present, values, np.nan))
    counted = values[present]
    if not len(counted) or counted.min() == counted.max():
        return np.zeros(values.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        standard = (values - counted.mean()) / counted.std()
    return np.where(present & np.isfinite(standard), standard, 0.0)


def _means_over_documents(planes, present):
    """Build a function from counts (size, m) to means (size, k, n), NaN where nothing was drawn."""
    sums = ExactSums(np.where(present, _scale_to_unit(planes), 0.0))
    if present.all():
        # every draw has the same number of documents
        return lambda counts: sums(counts) / counts[0].sum()
    n_present = ExactSums(present.astype(float))

    def means(counts):
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums(counts) / n_present(counts)

    return means


def _system_bootstrap(planes, human, code, paired=True):
    present_x, present_z = ~np.isnan(planes), ~np.isnan(human)[None]
    if paired:
        present_x = present_z = present_x & present_z
        if (present_x == present_x[:1]).all():
            present_z = present_z[:1]
    means_x = _means_over_documents(planes, present_x)
    means_z = _means_over_documents(np.broadcast_to(human, present_z.shape), present_z)

    def compute(rows, columns_x, columns_z):
        out = np.empty((len(rows), len(planes)))
        kernels.system_bootstrap(code, _TIES, means_x(columns_x), means_z(columns_z), rows, out)
        return out

    return compute


def _run_each(kernel, ready, n_draws, *draws):
    """Run a kernel on draws for each of several prepared arguments, (n_draws, n_ready); NaN if empty."""
    out = np.full((n_draws, len(ready)), np.nan)
    one = np.empty(len(out))
    for k, arguments in enumerate(ready):
        if arguments:
            kernel(*arguments, *draws, one)
            out[:, k] = one
    return out


_SUMMARY_BOOTSTRAP = {
    kernels.PEARSON: kernels.summary_pearson_bootstrap,
    kernels.SPEARMAN: kernels.summary_spearman_bootstrap,
    kernels.KENDALL: kernels.summary_kendall_bootstrap,
}


def _summary_bootstrap(planes, human, code):
    ready = [_summary_ready(plane, human, code) for plane in planes]
    return lambda rows, columns, _: _run_each(_SUMMARY_BOOTSTRAP[code], ready, len(rows), rows, columns)


def _summary_ready(plane, human, code):
    plane, human = np.ascontiguousarray(plane), np.ascontiguousarray(human)  # one layout, compiled once
    present = ~np.isnan(plane) & ~np.isnan(human)
    x, z = (np.where(present, _scale_to_unit(values), 0.0) for values in (plane, human))
    weights = present.astype(float)
    if code == kernels.PEARSON:
        return x, z, weights
    return _signs(x, weights), _signs(z, weights)


def _signs(values, present):
    n, m = values.shape
    signs = np.empty((n * (n - 1) // 2, m), np.int8)
    kernels.pair_signs(values, present, signs)
    return signs


def _global_bootstrap(planes, human, code):
    judged = [np.where(np.isnan(human), np.nan, _scale_to_unit(plane))[None] for plane in planes]
    ready = [_entries(plane, human, code)[:-1] for plane in judged]
    return lambda rows, columns, _: _run_each(kernels.global_bootstrap, ready, len(rows), rows, columns)


def _entries(planes, human, code):
    """List the summaries that have both scores, in the order of x, with dense ranks of x and z.

    The arguments of a kernel, of which `global_bootstrap` takes all but the last; empty without such
    summaries.
    """
    source, row, column = np.nonzero(~np.isnan(planes))
    if not len(source):
        return ()
    x, z = planes[source, row, column], _scale_to_unit(human)[row, column]
    order = np.argsort(x, kind="stable")
    x, z, source, row, column = (a[order] for a in (x, z, source, row, column))
    group_x, group_z = (np.unique(a, return_inverse=True)[1] for a in (x, z))
    return code, x, z, group_x, group_z, row, column, source


_BOOTSTRAP = {"system": _system_bootstrap, "summary": _summary_bootstrap, "global": _global_bootstrap}


def _system_permutation(standard, human, present, pairs, code):
    rows = present.any(axis=1)
    z = system_means(_scale_to_unit(np.where(present, human, np.nan)))[rows]
    n_present = present.sum(axis=1)[rows].astype(float)
    sums = ExactSums(standard)
    total = sums(np.ones((1, human.shape[1])))
    by_document = np.ascontiguousarray(standard.transpose(2, 0, 1))  # (m, k, n)

    def compute(swaps):
        if swaps.words is not None:
            swapped = np.zeros((swaps.size, *standard.shape[:2]))
            kernels.swapped_sums(by_document, swaps.summary_swaps(*human.shape), swapped)
        elif swaps.documents is None:
            swapped = np.where(swaps.systems[:, None, :], total, 0.0)
        else:
            swapped = sums(swaps.documents.astype(float))
            if swaps.systems is not None:
                swapped = np.where(swaps.systems[:, None, :], total - swapped, swapped)
        out = np.empty((len(swapped), len(pairs)))
        swapped = np.ascontiguousarray(swapped[:, :, rows])
        kernels.system_permutation(code, _TIES, total[0][:, rows], swapped, n_present, z, pairs, out)
        return out

    return compute


def _summary_permutation(standard, human, present, pairs, code):
    # scaled so that squares of tiny or huge scores neither vanish nor overflow
    z = np.where(present, _scale_to_unit(np.where(present, human, np.nan)), 0.0)
    weights = present.astype(float)
    snapped = (_snapped(standard[pair]) for pair in pairs)
    if code == kernels.PEARSON:
        kernel = kernels.summary_pearson_permutation
        arguments = standard, np.array([*snapped]), z, weights, pairs
    else:
        kernel = kernels.summary_rank_permutation
        arguments = code, np.array([_pooled_ranks(two) for two in snapped]), _signs(z, weights), weights

    def compute(swaps):
        swaps = swaps.summary_swaps(*human.shape)
        out = np.empty((len(swaps), len(pairs)))
        kernel(*arguments, swaps, out)
        return out

    return compute


def _snapped(standard):
    """Make standardised scores, of either metric, equal where they differ only by rounding."""
    return equalised(standard.ravel(), STANDARD_TIE).reshape(standard.shape)


def _pooled_ranks(two):
    """Ranks (2, n, m) within each document, pooled over the two metrics; equal scores share one."""
    n = two.shape[1]
    kind = np.result_type(np.int16, np.min_scalar_type(-4 * (n**3 - n) // 3))  # holds the kernel's sums
    ranks = np.zeros((2 * n, two.shape[2]), kind)
    kernels.column_ranks(two.reshape(ranks.shape), ranks)
    return ranks.reshape(two.shape)


def _global_permutation(standard, human, present, pairs, code):
    if code == kernels.PEARSON:
        z, weights = np.zeros(present.size), present.ravel().astype(float)
        judged = _scale_to_unit(human)[present]
        if len(judged) and judged.min() < judged.max():
            z[present.ravel()] = judged - judged.mean()
        ready = (standard * present).reshape(len(standard), -1), z, weights
        ready += sums_and_changes(*ready)

        def compute(swaps):
            out, words = np.empty((swaps.size, len(pairs))), swaps.summary_words(*human.shape)
            pooled_pearson_permutation(*ready, pairs, words, kernels.TIGHT, out)
            kernels.pearson_two_pass(*ready[:3], pairs, words, STANDARD_TIE, out)
            return out

        return compute
    ready = [_entries(np.where(present, _snapped(standard[pair]), np.nan), human, code) for pair in pairs]
    return lambda swaps: _run_each(
        kernels.global_permutation, ready, swaps.size, swaps.summary_swaps(*human.shape)
    )


_PERMUTATION = {"system": _system_permutation, "summary": _summary_permutation, "global": _global_permutation}
