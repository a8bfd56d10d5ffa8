"""stats.kernels: compiled loops over resamples, for `metaeval.stats.resampling`; plain arrays in, plain
arrays out.

Representation of a resample: a bootstrap draw holds the counts of each system (`rows`) and each document
(`columns`); a permutation draw is 0 or 1 per summary (1: the two metrics' scores are exchanged). No resampled
matrix is built for the bootstrap: a unit drawn twice counts twice.

Every resample is computed on its own, in a fixed order of operations, so results do not depend on threads or
on how resamples are grouped. The inner loops run over documents (contiguous in memory), the outer ones over
systems or pairs of systems, each writing one array, so that the compiler can use vector instructions without
being allowed to reorder sums.

A coefficient is coded 0 (Pearson), 1 (Spearman), 2 (Kendall's tau-b). With :math:`s_{ik}` the sign of
:math:`x_i - x_k`, :math:`w_i` how often *i* was drawn and :math:`u_i = \\sum_k w_k s_{ik}`, twice the centred
average rank of *i* is :math:`u_i`, so that

- Spearman's rho is :math:`\\sum w_i u_i v_i / \\sqrt{\\sum w_i u_i^2 \\sum w_i v_i^2}`,
- tau-b is :math:`\\sum_{i<k} w_i w_k s_{ik} t_{ik} / \\sqrt{\\sum w_i w_k |s_{ik}| \\sum w_i w_k |t_{ik}|}`,

with :math:`v, t` the same for the other side: sums of whole numbers, hence exact.
"""

from __future__ import annotations

import math
from pathlib import Path

import numba
import numpy as np

PEARSON, SPEARMAN, KENDALL = 0, 1, 2
# a variance this small relative to the mean square, as a difference of sums, has lost too many digits
TIGHT = 1e-4
_MAX_STEPS = 60  # each halves the bracket where Newton's step leaves it
_RECOMPUTE = np.inf  # marks a correlation to be computed again, in two passes


def compiled(function):
    """Compile without the GIL and cache the machine code on disk, unless no folder is writable.

    Division by zero is as in NumPy: checking each division would rule out vector instructions. With
    `NUMBA_DISABLE_JIT=1` the loops run as plain Python, with NumPy's truths as whole numbers.
    """
    if numba.config.DISABLE_JIT:
        return np.errstate(all="ignore")(function)
    try:
        return numba.njit(function, nogil=True, cache=True, error_model="numpy")
    except RuntimeError:  # numba finds neither the source folder nor the user's cache writable
        return numba.njit(function, nogil=True, error_model="numpy")


def compiled_before() -> bool:
    """True if an earlier run left machine code on disk, or none is wanted (`NUMBA_DISABLE_JIT=1`).

    Otherwise the first call of each loop compiles it; after a change of a loop's module it does in any case.
    """
    if numba.config.DISABLE_JIT:
        return True
    folder = tally.stats.cache_path  # None where no folder can be written
    return folder is not None and any(Path(folder).glob("*.nbi"))


@compiled
def tally(draws, counts):
    """Add to `counts` (n_draws, n_items) how often each item occurs in each row of `draws`."""
    for b in range(draws.shape[0]):
        for i in range(draws.shape[1]):
            counts[b, draws[b, i]] += 1.0


@compiled
def swapped_sums(by_document, swaps, out):
    """Add to `out` (n_draws, k, n) each metric's sum over documents of the scores that are swapped.

    `by_document` is (m, k, n), `swaps` (n_draws, n, m).
    """
    m, k, n = by_document.shape
    mask = np.empty(n)
    for b in range(swaps.shape[0]):
        for j in range(m):
            for i in range(n):
                mask[i] = swaps[b, i, j]
            for metric in range(k):
                for i in range(n):
                    out[b, metric, i] += mask[i] * by_document[j, metric, i]


# ------------------------------------------------------------------------------------- one pair of vectors


@compiled
def _tolerance(ties, values, n):
    """Tolerance within which means are tied, relative to the largest mean. The scores are of size 1.

    `ties` holds `MEAN_TIE` and `SMALLEST_SCALE` of `metaeval.stats.ties`. They are arguments because numba
    recompiles a loop only when its own module changes, and would keep constants imported from another one.
    """
    tie, largest = ties
    for i in range(n):
        if abs(values[i]) > largest:  # false for NaN
            largest = abs(values[i])
    return tie * largest


@compiled
def pearson_of(x, z, w, n, tie_x, tie_z):
    total = mean_x = mean_z = 0.0
    low_x = low_z = np.inf
    high_x = high_z = -np.inf
    for i in range(n):
        if w[i] == 0.0:
            continue
        total += w[i]
        mean_x += w[i] * x[i]
        mean_z += w[i] * z[i]
        low_x, high_x = min(low_x, x[i]), max(high_x, x[i])
        low_z, high_z = min(low_z, z[i]), max(high_z, z[i])
    if not (high_x - low_x > tie_x and high_z - low_z > tie_z):
        return np.nan
    mean_x, mean_z = mean_x / total, mean_z / total
    xx = zz = xz = 0.0
    for i in range(n):
        dx, dz = x[i] - mean_x, z[i] - mean_z
        xx += w[i] * dx * dx
        zz += w[i] * dz * dz
        xz += w[i] * dx * dz
    below = math.sqrt(xx) * math.sqrt(zz)
    return min(1.0, max(-1.0, xz / below)) if below > 0.0 else np.nan


@compiled
def pearson_two_pass(scores, z, present, pairs, words, tie, out):
    """Recompute infinite entries of `out` (n_draws, n_pairs), exchanging the scores one by one.

    `metaeval.stats.pooled_pearson.pooled_pearson_permutation` leaves them; `tie` is `STANDARD_TIE`.
    """
    n_cells = scores.shape[1]
    one, other = np.empty(n_cells), np.empty(n_cells)
    for b in range(len(out)):
        for p in range(len(pairs)):
            if out[b, p] != _RECOMPUTE:
                continue
            first, second = pairs[p]
            for e in range(n_cells):
                at = b * n_cells + e
                swapped = words[at >> 6] >> np.uint64(63 - (at & 63)) & np.uint64(1)
                one[e], other[e] = scores[first, e], scores[second, e]
                if swapped:
                    one[e], other[e] = other[e], one[e]
            out[b, p] = pearson_of(one, z, present, n_cells, tie, 0.0)
            out[b, p] -= pearson_of(other, z, present, n_cells, tie, 0.0)


@compiled
def _clipped(r):
    r = 1.0 if r > 1.0 else r
    return -1.0 if r < -1.0 else r


@compiled
def _centred_rank(x, i, w, n, tie):
    """Twice the centred average rank of unit *i*."""
    u = 0.0
    for k in range(n):
        u += w[k] * (int(x[i] - x[k] > tie) - int(x[k] - x[i] > tie))
    return u


@compiled
def _prepare(code, z, w, n, tie, ranks, signs):
    """Write what a rank correlation needs of one side: its centred ranks (Spearman), or the signs of its
    differences (Kendall), whose weighted number of untied pairs is returned.
    """
    untied = 0.0
    for i in range(n):
        if code == SPEARMAN:
            ranks[i] = _centred_rank(z, i, w, n, tie)
        elif code == KENDALL:
            for k in range(i):
                d = z[i] - z[k]
                signs[i, k] = (1.0 if d > tie else 0.0) - (1.0 if d < -tie else 0.0)
            total = 0.0
            for k in range(i):
                total += w[k] * abs(signs[i, k])
            untied += w[i] * total
    return untied


@compiled
def _correlate(code, x, z, w, n, tie_x, tie_z, ranks, signs, untied_z):
    """Coefficient of means, with ties by tolerance, given what `_prepare` wrote of `z`."""
    if code == PEARSON:
        return pearson_of(x, z, w, n, tie_x, tie_z)
    if code == SPEARMAN:
        uu = vv = uv = 0.0
        for i in range(n):
            u = _centred_rank(x, i, w, n, tie_x)
            uu += w[i] * u * u
            vv += w[i] * ranks[i] * ranks[i]
            uv += w[i] * u * ranks[i]
        return _clipped(uv / math.sqrt(uu * vv)) if uu > 0.0 and vv > 0.0 else np.nan
    above = untied_x = 0.0
    for i in range(n):
        a = u = 0.0
        for k in range(i):
            d = x[i] - x[k]
            s = (1.0 if d > tie_x else 0.0) - (1.0 if d < -tie_x else 0.0)
            a += w[k] * s * signs[i, k]
            u += w[k] * abs(s)
        above += w[i] * a
        untied_x += w[i] * u
    return above / math.sqrt(untied_x * untied_z) if untied_x > 0.0 and untied_z > 0.0 else np.nan


# ----------------------------------------------------------------------------------------------- system level


@compiled
def system_bootstrap(code, ties, means_x, means_z, rows, out):
    """`out` (n_draws, k): correlation of means (n_draws, k, n) with means (n_draws, 1 or k, n).

    A system without a mean (NaN) is left out.
    """
    n_draws, k, n = means_x.shape
    x, z, w, ranks, signs = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty((n, n))
    for b in range(n_draws):
        for metric in range(k):
            plane_z = metric if means_z.shape[1] > 1 else 0
            size = 0
            for i in range(n):
                a, mean_x, mean_z = rows[b, i], means_x[b, metric, i], means_z[b, plane_z, i]
                if a != 0.0 and mean_x == mean_x and mean_z == mean_z:
                    x[size], z[size], w[size] = mean_x, mean_z, a
                    size += 1
            tie_x, tie_z = _tolerance(ties, x, size), _tolerance(ties, z, size)
            untied = _prepare(code, z, w, size, tie_z, ranks, signs)
            out[b, metric] = _correlate(code, x, z, w, size, tie_x, tie_z, ranks, signs, untied)


@compiled
def plane_correlations(code, ties, x, z, partner, out):
    """`out` (n_draws, k): correlation of means `x` (n_draws, k, n) with those of the plane `partner` (k) of
    `z` (n_draws, q, n); fastest if the planes of a partner follow one another. A system without a mean (NaN)
    in one plane of a pair has none in the other.
    """
    n_draws, k, n = x.shape
    own, other, w, ranks, signs = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty((n, n))
    for b in range(n_draws):
        q, untied, tie_z = -1, 0.0, 0.0
        for p in range(k):
            if partner[p] != q:
                q = partner[p]
                for i in range(n):
                    w[i] = 1.0 if z[b, q, i] == z[b, q, i] else 0.0
                    other[i] = z[b, q, i] if w[i] != 0.0 else 0.0
                tie_z = _tolerance(ties, other, n)
                untied = _prepare(code, other, w, n, tie_z, ranks, signs)
            for i in range(n):
                own[i] = x[b, p, i] if w[i] != 0.0 else 0.0
            tie_x = _tolerance(ties, own, n)
            out[b, p] = _correlate(code, own, other, w, n, tie_x, tie_z, ranks, signs, untied)


@compiled
def system_permutation(code, ties, sums, swapped, n_present, z, pairs, out):
    """`out` (n_draws, n_pairs): difference of the two correlations after swapping.

    `sums` (k, n) are the metrics' sums over documents, `swapped` (n_draws, k, n) the part of them that is
    swapped, `z` (n) the human means. Systems without scores have been taken out.
    """
    n = z.shape[0]
    x, w, ranks, signs = np.empty(n), np.ones(n), np.empty(n), np.empty((n, n))
    tie_z = _tolerance(ties, z, n)
    untied = _prepare(code, z, w, n, tie_z, ranks, signs)
    for b in range(swapped.shape[0]):
        for p in range(pairs.shape[0]):
            out[b, p] = 0.0
            for side in range(2):
                own, other = pairs[p, side], pairs[p, 1 - side]
                for i in range(n):
                    x[i] = (sums[own, i] + (swapped[b, other, i] - swapped[b, own, i])) / n_present[i]
                tie_x = _tolerance(ties, x, n)
                r = _correlate(code, x, z, w, n, tie_x, tie_z, ranks, signs, untied)
                out[b, p] += r if side == 0 else -r


# ---------------------------------------------------------------------------------------------- summary level


@compiled
def _mean_defined(values, weights):
    """Weighted mean of the defined values."""
    total = used = 0.0
    for j in range(values.shape[0]):
        if weights[j] != 0.0 and values[j] == values[j]:
            total += weights[j] * values[j]
            used += weights[j]
    return total / used if used > 0.0 else np.nan


@compiled
def _add_products(out, weight, x, y):
    for j in range(out.shape[0]):
        out[j] += weight * x[j] * y[j]


@compiled
def _centre_columns(values, present, centred):
    """Write columns minus their means; return the columns' sizes, and 1 where they vary, else NaN."""
    n, m = values.shape
    size, varies = np.zeros(m), np.full(m, np.nan)
    for j in range(m):
        total, low, high = 0.0, np.inf, -np.inf
        for i in range(n):
            if present[i, j] != 0.0:
                size[j] += 1.0
                total += values[i, j]
                low, high = min(low, values[i, j]), max(high, values[i, j])
        for i in range(n):
            centred[i, j] = values[i, j] - total / size[j] if present[i, j] != 0.0 else 0.0
        if low < high:
            varies[j] = 1.0
    return size, varies


@compiled
def _sum_rows(values, weights, sums):
    """Write to `sums` (m) the weighted sum of the rows of `values` (n, m)."""
    sums[:] = 0.0
    for i in range(values.shape[0]):
        a = weights[i]
        if a != 0.0:
            for j in range(values.shape[1]):
                sums[j] += a * values[i, j]


@compiled
def summary_pearson_bootstrap(x, z, present, rows, columns, out):
    """`out` (n_draws): mean over drawn documents of Pearson's r over drawn systems; `x`, `z` are (n, m).

    From sums of squares and products; a column in which these nearly cancel is computed in two passes, which
    lose no digits and detect constants.
    """
    n, m = x.shape
    dx, dz = np.empty((n, m)), np.empty((n, m))
    _, varies_x = _centre_columns(x, present, dx)
    _, varies_z = _centre_columns(z, present, dz)
    varies = varies_x * varies_z
    xx, zz, xz = dx * dx, dz * dz, dx * dz
    size, sum_x, sum_z = np.empty(m), np.empty(m), np.empty(m)
    sum_xx, sum_zz, sum_xz, values = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for b in range(rows.shape[0]):
        _sum_rows(present, rows[b], size)
        _sum_rows(dx, rows[b], sum_x)
        _sum_rows(dz, rows[b], sum_z)
        _sum_rows(xx, rows[b], sum_xx)
        _sum_rows(zz, rows[b], sum_zz)
        _sum_rows(xz, rows[b], sum_xz)
        for j in range(m):
            square_x = sum_xx[j] - sum_x[j] * sum_x[j] / size[j]
            square_z = sum_zz[j] - sum_z[j] * sum_z[j] / size[j]
            product = sum_xz[j] - sum_x[j] * sum_z[j] / size[j]
            sure = (square_x > TIGHT * sum_xx[j]) & (square_z > TIGHT * sum_zz[j]) | (varies[j] != 1.0)
            values[j] = (
                varies[j] * _clipped(product / (math.sqrt(square_x) * math.sqrt(square_z)))
                if sure
                else _RECOMPUTE
            )
        for j in range(m):
            if values[j] == _RECOMPUTE:
                values[j] = pearson_of(x[:, j], z[:, j], rows[b] * present[:, j], n, 0.0, 0.0)
        out[b] = _mean_defined(values, columns[b])


@compiled
def pair_signs(values, present, signs):
    """`signs` (n_pairs, m): sign of the difference of systems *i* > *k*; 0 for ties and gaps."""
    p = 0
    for i in range(values.shape[0]):
        for k in range(i):
            for j in range(values.shape[1]):
                if present[i, j] != 0.0 and present[k, j] != 0.0:
                    signs[p, j] = int(values[i, j] > values[k, j]) - int(values[i, j] < values[k, j])
                else:
                    signs[p, j] = 0
            p += 1


@compiled
def summary_kendall_bootstrap(signs_x, signs_z, rows, columns, out):
    """As `summary_pearson_bootstrap`, for tau-b, from `pair_signs` of both sides."""
    m = signs_x.shape[1]
    above = np.empty(m, np.float32)  # whole numbers below 2**24, hence exact
    untied_x, untied_z = np.empty(m, np.float32), np.empty(m, np.float32)
    values = np.empty(m)
    for b in range(rows.shape[0]):
        above[:] = 0
        untied_x[:] = 0
        untied_z[:] = 0
        p = 0
        for i in range(rows.shape[1]):
            if rows[b, i] == 0.0:
                p += i
                continue
            for k in range(i):
                weight = np.float32(rows[b, i] * rows[b, k])
                if weight != 0.0:
                    for j in range(m):
                        above[j] += weight * np.float32(signs_x[p, j] * signs_z[p, j])
                    for j in range(m):
                        untied_x[j] += weight * np.float32(abs(signs_x[p, j]))
                    for j in range(m):
                        untied_z[j] += weight * np.float32(abs(signs_z[p, j]))
                p += 1
        for j in range(m):
            below = np.float64(untied_x[j]) * np.float64(untied_z[j])
            values[j] = np.float64(above[j]) / math.sqrt(below) if below > 0.0 else np.nan
        out[b] = _mean_defined(values, columns[b])


@compiled
def _add_signs(u, signs, rows):
    """Write to `u` (n, m), for each drawn system, the weighted number of systems below minus that above."""
    n, m = u.shape
    u[:] = 0
    p = 0
    for i in range(n):
        for k in range(i):
            if rows[i] != 0.0 and rows[k] != 0.0:
                weight = np.float32(rows[k])
                for j in range(m):
                    u[i, j] += weight * np.float32(signs[p, j])
                weight = np.float32(rows[i])
                for j in range(m):
                    u[k, j] -= weight * np.float32(signs[p, j])
            p += 1


@compiled
def _rank_correlations(u, v, rows, values):
    n, m = u.shape
    uu, vv, uv = np.zeros(m), np.zeros(m), np.zeros(m)
    for i in range(n):
        a = rows[i]
        if a == 0.0:
            continue
        _add_products(uu, a, u[i], u[i])
        _add_products(vv, a, v[i], v[i])
        _add_products(uv, a, u[i], v[i])
    for j in range(m):
        below = math.sqrt(uu[j] * vv[j])
        values[j] = _clipped(uv[j] / below) if below > 0.0 else np.nan


@compiled
def summary_spearman_bootstrap(signs_x, signs_z, rows, columns, out):
    """As `summary_pearson_bootstrap`, for Spearman's rho, from `pair_signs` of both sides."""
    n, m = rows.shape[1], signs_x.shape[1]
    u, v = np.empty((n, m), np.float32), np.empty((n, m), np.float32)
    values = np.empty(m)
    for b in range(rows.shape[0]):
        _add_signs(u, signs_x, rows[b])
        _add_signs(v, signs_z, rows[b])
        _rank_correlations(u, v, rows[b], values)
        out[b] = _mean_defined(values, columns[b])


@compiled
def _add_moments(sums, weights, x, dz):
    """Add a system's scores, their squares and their products with `dz` to `sums` (3, m)."""
    for j in range(x.shape[0]):
        sums[0, j] += weights[j] * x[j]
    for j in range(x.shape[0]):
        sums[1, j] += weights[j] * x[j] * x[j]
    for j in range(x.shape[0]):
        sums[2, j] += weights[j] * x[j] * dz[j]


@compiled
def _pearson_of_moments(whole, gone, come, size, scale, values):
    """Pearson's r of each column of a metric, after removing some scores and adding others."""
    for j in range(values.shape[0]):
        sum_x = whole[0, j] - gone[0, j] + come[0, j]
        sum_xx = whole[1, j] - gone[1, j] + come[1, j]
        sum_xz = whole[2, j] - gone[2, j] + come[2, j]
        variance = sum_xx - sum_x * sum_x / size[j]
        sure = (variance > TIGHT * sum_xx) | (scale[j] != scale[j])
        values[j] = _clipped(sum_xz * scale[j] / math.sqrt(variance)) if sure else _RECOMPUTE


@compiled
def summary_pearson_permutation(standard, snapped, z, present, pairs, swaps, out):
    """`out` (n_draws, n_pairs): difference of the two mean correlations after swapping.

    `standard` (k, n, m) are the metrics, `snapped` (n_pairs, 2, n, m) the two of each pair with ties made
    exact, for columns that are computed in two passes: see `summary_pearson_bootstrap`. The swapped part of a
    metric is summed once for all of its pairs.
    """
    k, n, m = standard.shape
    dz, mask, values, every, one = np.empty((n, m)), np.empty(m), np.empty(m), np.ones(m), np.empty(n)
    size, varies = _centre_columns(z, present, dz)
    scale = varies / np.sqrt((dz * dz).sum(axis=0))
    whole, part = np.zeros((k, 3, m)), np.empty((k, 3, m))
    for i in range(n):
        for metric in range(k):
            _add_moments(whole[metric], present[i], standard[metric, i], dz[i])
    for b in range(swaps.shape[0]):
        part[:] = 0.0
        for i in range(n):
            for j in range(m):
                mask[j] = swaps[b, i, j]
            for metric in range(k):
                _add_moments(part[metric], mask, standard[metric, i], dz[i])
        for p in range(pairs.shape[0]):
            out[b, p] = 0.0
            for side in range(2):
                own, other = pairs[p, side], pairs[p, 1 - side]
                _pearson_of_moments(whole[own], part[own], part[other], size, scale, values)
                for j in range(m):
                    if values[j] == _RECOMPUTE:
                        for i in range(n):
                            one[i] = snapped[p, side ^ swaps[b, i, j], i, j]
                        values[j] = pearson_of(one, z[:, j], present[:, j], n, 0.0, 0.0)
                r = _mean_defined(values, every)
                out[b, p] += r if side == 0 else -r


@compiled
def column_ranks(values, ranks):
    """Add to `ranks` (n, m) the number of values of the same column below each value."""
    for i in range(len(values)):
        for k in range(len(values)):
            for j in range(values.shape[1]):
                ranks[i, j] += values[k, j] < values[i, j]


@compiled
def _add_signs_of_pair(
    first_i, second_i, first_k, second_k, weight, untied, constant, linear_i, linear_k, square
):
    """Add one pair of systems to the sums of `_spin_form`.

    Explicit conversions to `kind` keep the compiler from using integers four times as wide.
    """
    kind = constant.dtype.type
    low, high = kind(-1), kind(1)
    for j in range(constant.shape[0]):
        # names tell which of the two scores is from the second metric: of neither system, k only, i only,
        # both
        neither = min(max(kind(first_i[j] - first_k[j]), low), high)
        only_k = min(max(kind(first_i[j] - second_k[j]), low), high)
        only_i = min(max(kind(second_i[j] - first_k[j]), low), high)
        both = min(max(kind(second_i[j] - second_k[j]), low), high)
        if untied:
            neither, only_k = kind(neither * neither), kind(only_k * only_k)
            only_i, both = kind(only_i * only_i), kind(both * both)
        first, second = kind(neither + only_k), kind(only_i + both)
        constant[j] += weight[j] * kind(first + second)
        linear_i[j] += weight[j] * kind(first - second)
        first, second = kind(neither - only_k), kind(only_i - both)
        linear_k[j] += weight[j] * kind(first + second)
        square[j] = weight[j] * kind(first - second)


@compiled
def _spin_form(ranks, weights, untied, constant, linear, square):
    """Express four times a sum over pairs of systems as a function of the swaps.

    Systems *i* > *k* contribute the sign of their difference, or with `untied` 1 unless they tie, times a
    weight. Let the spin :math:`t_i` be -1 where the scores of *i* are swapped, and 1 elsewhere: four times
    the sum is `constant` plus the sums of `linear` times :math:`t_i` and of `square` times :math:`t_i t_k`.
    The two metrics after swapping have opposite spins, so that one form serves both, up to signs.
    """
    constant[:] = 0
    linear[:] = 0
    p = 0
    for i in range(len(linear)):
        for k in range(i):
            _add_signs_of_pair(
                ranks[0, i], ranks[1, i], ranks[0, k], ranks[1, k], weights[p], untied,
                constant, linear[i], linear[k], square[p],
            )  # fmt: skip
            p += 1


@compiled
def _add_product(out, x, y):
    for j in range(out.shape[0]):
        out[j] += x[j] * y[j]


@compiled
def _evaluate_spins(constant, linear, square, spins, part, even, odd):
    """Write the parts of `_spin_form` that stay, and that change signs, when all spins are reversed."""
    even[:] = constant
    odd[:] = 0
    p = 0
    for i in range(spins.shape[0]):
        part[:] = 0
        for k in range(i):
            _add_product(part, square[p], spins[k])
            p += 1
        _add_product(even, part, spins[i])
        _add_product(odd, linear[i], spins[i])


@compiled
def _tied_groups(ranks, present):
    """Twice the number of systems at each rank that three or more of a column may share, as in `_spin_form`.

    Returns `constant` (n_groups, m) and `linear` (n_groups, n, m); columns with fewer groups have empty ones.
    """
    n, m = present.shape
    systems, places = np.zeros((2 * n, m)), np.full((2 * n, m), -1)
    n_groups = 0
    for j in range(m):
        n_tied = 0
        for i in range(n):
            if present[i, j]:
                own, other = ranks[0, i, j], ranks[1, i, j]
                systems[own, j] += 1
                systems[other, j] += own != other
        for rank in range(2 * n):
            if systems[rank, j] > 2:
                places[rank, j] = n_tied
                n_tied += 1
        n_groups = max(n_groups, n_tied)
    constant, linear = np.zeros((n_groups, m), ranks.dtype), np.zeros((n_groups, n, m), ranks.dtype)
    for i in range(n):
        for j in range(m):
            for side in range(2):
                place = places[ranks[side, i, j], j]
                if present[i, j] and place >= 0:
                    constant[place, j] += 1
                    linear[place, i, j] += 1 - 2 * side
    return constant, linear


@compiled
def _differences_of_pair(code, ranks, weights, both, size, below_z, present, spins, out):
    """Write to `out` (n_draws) the difference of the mean correlations of two metrics."""
    n, m = present.shape
    kind = ranks.dtype
    constant, linear = np.empty((2, m), kind), np.empty((2, n, m), kind)
    square, part = np.empty((2, len(both), m), kind), np.empty(m, kind)
    even, odd = np.empty((2, m), kind), np.empty((2, m), kind)
    below, values, every = np.empty((2, m)), np.empty((2, m)), np.ones(m)
    _spin_form(ranks, weights, False, constant[0], linear[0], square[0])
    _spin_form(ranks, both, True, constant[1], linear[1], square[1])
    as_many, members = np.zeros((0, m), kind), np.zeros((0, n, m), kind)
    if code == SPEARMAN:
        as_many, members = _tied_groups(ranks, present)
    odd_members = np.empty(as_many.shape, kind)
    # where no swap makes or breaks a tie, the denominator is the same in every draw
    ties_vary = linear[1].any() or square[1].any() or members.any()
    for b in range(spins.shape[0]):
        _evaluate_spins(constant[0], linear[0], square[0], spins[b], part, even[0], odd[0])
        if b == 0 or ties_vary:
            _evaluate_spins(constant[1], linear[1], square[1], spins[b], part, even[1], odd[1])
            if code == SPEARMAN:
                odd_members[:] = 0
                for group in range(len(members)):
                    for i in range(n):
                        _add_product(odd_members[group], members[group, i], spins[b, i])
            for side in range(2):
                turn = 1.0 - 2.0 * side
                for j in range(m):
                    untied = np.float64(even[1, j]) + turn * np.float64(odd[1, j])
                    below[side, j] = untied / 4
                if code == SPEARMAN:
                    for j in range(m):
                        tied = size[j] * (size[j] - 1) / 2 - below[side, j]
                        below[side, j] = (size[j] ** 3 - size[j]) / 3 - 2 * tied
                    for group in range(len(members)):
                        for j in range(m):
                            t = (np.float64(as_many[group, j]) + turn * np.float64(odd_members[group, j])) / 2
                            below[side, j] -= t * (t - 1) * (t - 2) / 3
                for j in range(m):
                    product = below[side, j] * below_z[j]
                    below[side, j] = 4 * math.sqrt(product) if product > 0.0 else np.nan
        for side in range(2):
            turn = 1.0 - 2.0 * side
            for j in range(m):
                values[side, j] = (np.float64(even[0, j]) + turn * np.float64(odd[0, j])) / below[side, j]
        out[b] = _mean_defined(values[0], every) - _mean_defined(values[1], every)


@compiled
def summary_rank_permutation(code, ranks, signs_z, present, swaps, out):
    """As `summary_pearson_permutation`, for tau-b and Spearman's rho.

    `ranks` (n_pairs, 2, n, m) are whole numbers, pooled over the two metrics of a pair within a document, in
    a type that holds every sum; `signs_z` are the `pair_signs` of people. Concordant minus discordant pairs
    are a sum over pairs of systems, and so is :math:`\\sum u_i v_i = \\sum_{i>k} s_{ik} (v_i - v_k)`; with
    groups of *t* equal ranks among *n* systems, :math:`\\sum u_i^2 = (n^3 - n - \\sum (t^3 - t)) / 3`. All
    are multiples of 1/4, hence exact.
    """
    n, m = present.shape
    kind = ranks.dtype
    weights, both = np.zeros(signs_z.shape, kind), np.zeros(signs_z.shape, kind)
    size, below_z, v = np.zeros(m), np.zeros(m), np.zeros((n, m), np.float32)
    if code == SPEARMAN:
        _add_signs(v, signs_z, np.ones(n))
    p = 0
    for i in range(n):
        for j in range(m):
            size[j] += present[i, j]
            below_z[j] += np.float64(v[i, j]) ** 2
        for k in range(i):
            for j in range(m):
                both[p, j] = present[i, j] * present[k, j]
                weights[p, j] = both[p, j] * (v[i, j] - v[k, j]) if code == SPEARMAN else signs_z[p, j]
                if code == KENDALL:
                    below_z[j] += abs(signs_z[p, j])
            p += 1
    spins = np.zeros((len(swaps), n, m), kind)
    for b in range(len(swaps)):
        for i in range(n):
            for j in range(swaps.shape[2]):
                spins[b, i, j] = 1 - 2 * np.int8(swaps[b, i, j])
    for one in range(len(ranks)):
        _differences_of_pair(code, ranks[one], weights, both, size, below_z, present, spins, out[:, one])


# ----------------------------------------------------------------------------------------------- global level


@compiled
def _entries(code, x, z, group_x, group_z, weights, count_x, count_z):
    """Coefficient over weighted entries, in the order of x; groups are dense ranks from 0."""
    if code == PEARSON:
        return pearson_of(x, z, weights, x.shape[0], 0.0, 0.0)
    count_x[:] = 0.0
    count_z[:] = 0.0
    total = 0.0
    for e in range(x.shape[0]):
        count_x[group_x[e]] += weights[e]
        count_z[group_z[e]] += weights[e]
        total += weights[e]
    if code == SPEARMAN:
        _centre_counts(count_x, total)
        _centre_counts(count_z, total)
        uu = vv = uv = 0.0
        for e in range(x.shape[0]):
            u, v = count_x[group_x[e]], count_z[group_z[e]]
            uu += weights[e] * u * u
            vv += weights[e] * v * v
            uv += weights[e] * u * v
        return _clipped(uv / math.sqrt(uu * vv)) if uu > 0.0 and vv > 0.0 else np.nan
    untied_x, untied_z = _untied(count_x, total), _untied(count_z, total)
    if untied_x <= 0.0 or untied_z <= 0.0:
        return np.nan
    return concordance(group_x, group_z, weights, count_z) / math.sqrt(untied_x * untied_z)


@compiled
def _centre_counts(counts, total):
    """Turn the counts of groups into, for each group, the number below minus the number above."""
    below = 0.0
    for g in range(counts.shape[0]):
        size = counts[g]
        counts[g] = 2.0 * below + size - total
        below += size


@compiled
def _untied(counts, total):
    tied = 0.0
    for g in range(counts.shape[0]):
        tied += counts[g] * counts[g]
    return (total * total - tied) / 2.0


@compiled
def concordance(group_x, group_z, weights, tree):
    """Concordant minus discordant pairs; `tree` is a Fenwick tree, by z, of the weights entered so far."""
    n, size = group_x.shape[0], tree.shape[0]
    tree[:] = 0.0
    entered = above = 0.0
    start = 0
    while start < n:
        stop = start
        while stop < n and group_x[stop] == group_x[start]:
            stop += 1
        for e in range(start, stop):
            if weights[e] != 0.0:
                up_to = below = 0.0
                g = group_z[e] + 1
                while g > 0:
                    up_to += tree[g - 1]
                    g -= g & -g
                g = group_z[e]
                while g > 0:
                    below += tree[g - 1]
                    g -= g & -g
                above += weights[e] * (below - (entered - up_to))
        for e in range(start, stop):
            if weights[e] != 0.0:
                entered += weights[e]
                g = group_z[e] + 1
                while g <= size:
                    tree[g - 1] += weights[e]
                    g += g & -g
        start = stop
    return above


@compiled
def global_bootstrap(code, x, z, group_x, group_z, row, column, rows, columns, out):
    """`out` (n_draws): one correlation over all drawn summaries, listed in the order of x."""
    weights = np.empty(x.shape[0])
    count_x, count_z = np.empty(group_x.max() + 1), np.empty(group_z.max() + 1)
    for b in range(rows.shape[0]):
        for e in range(x.shape[0]):
            weights[e] = rows[b, row[e]] * columns[b, column[e]]
        out[b] = _entries(code, x, z, group_x, group_z, weights, count_x, count_z)


@compiled
def global_permutation(code, x, z, group_x, group_z, row, column, from_second, swaps, out):
    """`out` (n_draws): difference of two correlations over all summaries.

    The entries are both metrics' scores in one list, in the order of x; `from_second` is 1 for the second
    metric's.
    """
    weights = np.empty(x.shape[0])
    count_x, count_z = np.empty(group_x.max() + 1), np.empty(group_z.max() + 1)
    for b in range(swaps.shape[0]):
        for e in range(x.shape[0]):
            weights[e] = swaps[b, row[e], column[e]] == from_second[e]
        r = _entries(code, x, z, group_x, group_z, weights, count_x, count_z)
        for e in range(x.shape[0]):
            weights[e] = 1.0 - weights[e]
        out[b] = r - _entries(code, x, z, group_x, group_z, weights, count_x, count_z)


# --------------------------------------------------------------------------------------------- accuracy curve


@compiled
def logistic_slopes(x, share, weight, tolerance):
    """Slope of each row (n_rows, n) where `weight` times (`share` - 1 / (1 + e^(-slope x))) sums to 0.

    `weight` includes the factor `x`, so that the sum is a likelihood's derivative and decreases with the
    slope: Newton's steps inside a bracket, which is halved on the scale s / (1 + |s|), whose ends are the
    infinite slopes, until a step is `tolerance` times the slope.
    """
    slopes = np.zeros(len(x))
    for b in range(len(x)):
        slope, low, high = 0.0, -1.0, 1.0
        for _ in range(_MAX_STEPS):
            rising = bend = 0.0
            for j in range(x.shape[1]):
                if weight[b, j] != 0.0:
                    fitted = 1.0 / (1.0 + math.exp(-slope * x[b, j]))
                    rising += weight[b, j] * (share[b, j] - fitted)
                    bend += weight[b, j] * x[b, j] * fitted * (1.0 - fitted)
            at = slope / (1.0 + abs(slope))
            if rising > 0.0:
                low = at
            elif rising < 0.0:
                high = at
            else:
                break
            before, slope = slope, slope + rising / bend
            if not low < slope / (1.0 + abs(slope)) < high:
                halved = (low + high) / 2.0
                slope = halved / (1.0 - abs(halved))
            if abs(slope - before) <= tolerance * (1.0 + abs(before)):
                break
        slopes[b] = slope
    return slopes
