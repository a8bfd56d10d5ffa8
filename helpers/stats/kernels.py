"""stats.kernels: compiled loops over resamples, for `helpers.stats.resampling`; plain arrays in, plain
arrays out.

How a resample is written down: a bootstrap draw is how often each system (`rows`) and each document
(`columns`) was drawn; a permutation draw is 0 or 1 a summary (1: the two metrics' scores change places).
No resampled matrix is built for the bootstrap: a unit drawn twice counts twice.

Every resample is computed by itself, in a fixed order of operations, so results do not depend on threads or
on how resamples are grouped. Loops run over documents (contiguous in memory) inside and over systems or pairs
of systems outside, each with one array written, so that the compiler can use vector instructions without
being allowed to reorder sums.

A coefficient is coded 0 (Pearson), 1 (Spearman), 2 (Kendall's tau-b). With :math:`s_{ik}` the sign of
:math:`x_i - x_k`, :math:`w_i` how often *i* was drawn and :math:`u_i = \\sum_k w_k s_{ik}`, twice the centred
average rank of *i* is :math:`u_i`, so that

- Spearman's rho is :math:`\\sum w_i u_i v_i / \\sqrt{\\sum w_i u_i^2 \\sum w_i v_i^2}`,
- tau-b is :math:`\\sum_{i<k} w_i w_k s_{ik} t_{ik} / \\sqrt{\\sum w_i w_k |s_{ik}| \\sum w_i w_k |t_{ik}|}`,

with :math:`v, t` the same of the other side: sums of whole numbers, hence exact.
"""

from __future__ import annotations

import math

import numba
import numpy as np

PEARSON, SPEARMAN, KENDALL = 0, 1, 2


def compiled(function):
    """Compile without the GIL, keep the machine code on disk; do without the disk where none is writable."""
    try:
        return numba.njit(function, nogil=True, cache=True)
    except RuntimeError:  # numba finds neither the source folder nor the user's cache writable
        return numba.njit(function, nogil=True)


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
    """Means that differ by no more are equal on paper: `ties` of the largest mean. The scores are of size 1.

    `ties` holds `MEAN_TIE` and `SMALLEST_SCALE` of `helpers.stats.ties`, handed in so that no compiled copy
    of them outlives a change.
    """
    tie, largest = ties
    for i in range(n):
        largest = max(largest, abs(values[i]))
    return tie * largest


@compiled
def _pearson(x, z, w, n, tie_x, tie_z):
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
def _centred_rank(x, i, w, n, tie):
    """Twice the centred average rank of unit *i*."""
    u = 0.0
    for k in range(n):
        u += w[k] * ((x[i] - x[k] > tie) - (x[k] - x[i] > tie))
    return u


@compiled
def _spearman_with(x, v, w, n, tie_x):
    """As `_spearman`, with the other side's centred ranks."""
    uu = vv = uv = 0.0
    for i in range(n):
        u = _centred_rank(x, i, w, n, tie_x)
        uu += w[i] * u * u
        vv += w[i] * v[i] * v[i]
        uv += w[i] * u * v[i]
    return uv / math.sqrt(uu) / math.sqrt(vv) if uu > 0.0 and vv > 0.0 else np.nan


@compiled
def _spearman(x, z, w, n, tie_x, tie_z):
    v = np.empty(n)
    for i in range(n):
        v[i] = _centred_rank(z, i, w, n, tie_z)
    return _spearman_with(x, v, w, n, tie_x)


@compiled
def _kendall(x, z, w, n, tie_x, tie_z):
    above = untied_x = untied_z = 0.0
    for i in range(n):
        a = u = v = 0.0
        for k in range(i):
            s = (x[i] - x[k] > tie_x) - (x[k] - x[i] > tie_x)
            t = (z[i] - z[k] > tie_z) - (z[k] - z[i] > tie_z)
            a += w[k] * (s * t)
            u += w[k] * abs(s)
            v += w[k] * abs(t)
        above += w[i] * a
        untied_x += w[i] * u
        untied_z += w[i] * v
    return above / math.sqrt(untied_x * untied_z) if untied_x > 0.0 and untied_z > 0.0 else np.nan


@compiled
def _coefficient(code, ties, x, z, w, n):
    """Coefficient of means, with ties as on paper."""
    tie_x, tie_z = _tolerance(ties, x, n), _tolerance(ties, z, n)
    if code == PEARSON:
        return _pearson(x, z, w, n, tie_x, tie_z)
    if code == SPEARMAN:
        return _spearman(x, z, w, n, tie_x, tie_z)
    return _kendall(x, z, w, n, tie_x, tie_z)


# ----------------------------------------------------------------------------------------------- system level


@compiled
def system_bootstrap(code, ties, means_x, means_z, rows, out):
    """`out` (n_draws, k): correlation of means (n_draws, k, n) with means (n_draws, 1 or k, n).

    A system without a mean (NaN) is left out.
    """
    n_draws, k, n = means_x.shape
    x, z, w = np.empty(n), np.empty(n), np.empty(n)
    for b in range(n_draws):
        for metric in range(k):
            of_z = metric if means_z.shape[1] > 1 else 0
            size = 0
            for i in range(n):
                a, mean_x, mean_z = rows[b, i], means_x[b, metric, i], means_z[b, of_z, i]
                if a != 0.0 and mean_x == mean_x and mean_z == mean_z:
                    x[size], z[size], w[size] = mean_x, mean_z, a
                    size += 1
            out[b, metric] = _coefficient(code, ties, x, z, w, size)


@compiled
def system_permutation(code, ties, sums, swapped, n_present, z, pairs, out):
    """`out` (n_draws, n_pairs): difference of the two correlations after swapping.

    `sums` (k, n) are the metrics' sums over documents, `swapped` (n_draws, k, n) the part of them that is
    swapped, `z` (n) the human means. Systems without scores have been taken out.
    """
    n = z.shape[0]
    x, y, w, ranks = np.empty(n), np.empty(n), np.ones(n), np.empty(n)
    for i in range(n):
        ranks[i] = _centred_rank(z, i, w, n, _tolerance(ties, z, n))
    for b in range(swapped.shape[0]):
        for p in range(pairs.shape[0]):
            first, second = pairs[p, 0], pairs[p, 1]
            for i in range(n):
                moved = swapped[b, second, i] - swapped[b, first, i]
                x[i] = (sums[first, i] + moved) / n_present[i]
                y[i] = (sums[second, i] - moved) / n_present[i]
            if code == SPEARMAN:
                of_x = _spearman_with(x, ranks, w, n, _tolerance(ties, x, n))
                out[b, p] = of_x - _spearman_with(y, ranks, w, n, _tolerance(ties, y, n))
            else:
                out[b, p] = _coefficient(code, ties, x, z, w, n) - _coefficient(code, ties, y, z, w, n)


# ---------------------------------------------------------------------------------------------- summary level


@compiled
def _mean_defined(values, weights):
    """Weighted mean of the values that exist."""
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
def _pearson_columns(x, present, gaps, rows, mean, low, high):
    """Weighted mean, smallest and largest drawn value of every column; `x` is 0 where not `present`."""
    n, m = x.shape
    mean[:] = 0.0
    low[:] = np.inf
    high[:] = -np.inf
    total = np.zeros(m)
    for i in range(n):
        a = rows[i]
        if a == 0.0:
            continue
        for j in range(m):
            mean[j] += a * x[i, j]
        if gaps:
            for j in range(m):
                total[j] += a * present[i, j]
            for j in range(m):
                if present[i, j] != 0.0:
                    low[j], high[j] = min(low[j], x[i, j]), max(high[j], x[i, j])
        else:
            for j in range(m):
                low[j] = x[i, j] if x[i, j] < low[j] else low[j]
            for j in range(m):
                high[j] = x[i, j] if x[i, j] > high[j] else high[j]
    if gaps:
        for j in range(m):
            mean[j] = mean[j] / total[j] if total[j] > 0.0 else 0.0
    else:
        every = 1.0 / rows.sum()
        for j in range(m):
            mean[j] *= every


@compiled
def summary_pearson_bootstrap(x, z, present, gaps, rows, columns, out):
    """`out` (n_draws): mean over drawn documents of Pearson's r over drawn systems; `x`, `z` are (n, m)."""
    n, m = x.shape
    mean_x, low_x, high_x = np.empty(m), np.empty(m), np.empty(m)
    mean_z, low_z, high_z = np.empty(m), np.empty(m), np.empty(m)
    dx, dz, xx, zz, xz = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for b in range(rows.shape[0]):
        _pearson_columns(x, present, gaps, rows[b], mean_x, low_x, high_x)
        _pearson_columns(z, present, gaps, rows[b], mean_z, low_z, high_z)
        xx[:] = 0.0
        zz[:] = 0.0
        xz[:] = 0.0
        for i in range(n):
            a = rows[b, i]
            if a == 0.0:
                continue
            for j in range(m):
                dx[j] = x[i, j] - mean_x[j]
            for j in range(m):
                dz[j] = z[i, j] - mean_z[j]
            if gaps:
                for j in range(m):
                    dx[j] *= present[i, j]
                for j in range(m):
                    dz[j] *= present[i, j]
            _add_products(xx, a, dx, dx)
            _add_products(zz, a, dz, dz)
            _add_products(xz, a, dx, dz)
        for j in range(m):
            if low_x[j] < high_x[j] and low_z[j] < high_z[j]:
                below = math.sqrt(xx[j]) * math.sqrt(zz[j])
                xz[j] = min(1.0, max(-1.0, xz[j] / below)) if below > 0.0 else np.nan
            else:
                xz[j] = np.nan
        out[b] = _mean_defined(xz, columns[b])


@compiled
def pair_signs(values, present, signs):
    """`signs` (n_pairs, m): sign of the difference of systems *i* > *k*; 0 for ties and gaps."""
    p = 0
    for i in range(values.shape[0]):
        for k in range(i):
            for j in range(values.shape[1]):
                if present[i, j] != 0.0 and present[k, j] != 0.0:
                    signs[p, j] = (values[i, j] > values[k, j]) - (values[i, j] < values[k, j])
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
            values[j] = above[j] / math.sqrt(below) if below > 0.0 else np.nan
        out[b] = _mean_defined(values, columns[b])


@compiled
def _add_signs(u, signs, rows):
    """u (n, m): for each drawn system the weighted number of systems below it less that above it."""
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
        below = math.sqrt(uu[j]) * math.sqrt(vv[j])
        values[j] = uv[j] / below if below > 0.0 else np.nan


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
def swap(x, y, swaps, first, second):
    """Write the matrices after swapping to `first` and `second`."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            first[i, j] = y[i, j] if swaps[i, j] else x[i, j]
        for j in range(x.shape[1]):
            second[i, j] = x[i, j] if swaps[i, j] else y[i, j]


@compiled
def _pearson_with(x, dz, zz, present, gaps, everyone, mean, low, high, dx, xx, values):
    """Pearson's r of each column of `x` with a centred `dz` of sum of squares `zz` (0: undefined)."""
    n, m = x.shape
    _pearson_columns(x, present, gaps, everyone, mean, low, high)
    xx[:] = 0.0
    values[:] = 0.0
    for i in range(n):
        for j in range(m):
            dx[j] = x[i, j] - mean[j]
        if gaps:
            for j in range(m):
                dx[j] *= present[i, j]
        _add_products(xx, 1.0, dx, dx)
        _add_products(values, 1.0, dx, dz[i])
    for j in range(m):
        if low[j] < high[j] and zz[j] > 0.0:
            values[j] = min(1.0, max(-1.0, values[j] / (math.sqrt(xx[j]) * math.sqrt(zz[j]))))
        else:
            values[j] = np.nan


@compiled
def summary_pearson_permutation(x, y, z, present, gaps, swaps, out):
    """`out` (n_draws): difference of the two mean correlations after swapping; matrices are (n, m)."""
    n, m = x.shape
    everyone, every = np.ones(n), np.ones(m)
    mean, low, high = np.empty(m), np.empty(m), np.empty(m)
    dx, xx, values = np.empty(m), np.empty(m), np.empty(m)
    _pearson_columns(z, present, gaps, everyone, mean, low, high)
    dz, zz = np.zeros((n, m)), np.zeros(m)
    for i in range(n):
        for j in range(m):
            if low[j] < high[j] and present[i, j] != 0.0:
                dz[i, j] = z[i, j] - mean[j]
                zz[j] += dz[i, j] ** 2
    first, second = np.empty((n, m)), np.empty((n, m))
    for b in range(swaps.shape[0]):
        swap(x, y, swaps[b], first, second)
        _pearson_with(first, dz, zz, present, gaps, everyone, mean, low, high, dx, xx, values)
        r = _mean_defined(values, every)
        _pearson_with(second, dz, zz, present, gaps, everyone, mean, low, high, dx, xx, values)
        out[b] = r - _mean_defined(values, every)


@compiled
def _rank_signs(one, other, both, gaps, sign):
    for j in range(sign.shape[0]):
        sign[j] = min(max(one[j] - other[j], np.float32(-1)), np.float32(1))
    if gaps:
        for j in range(sign.shape[0]):
            sign[j] *= np.float32(both[j])


@compiled
def _kendall_with(ranks, signs_z, untied_z, both, gaps, above, untied, sign, values):
    """tau-b of each column of `ranks` (n, m), whole numbers, with the other side's signs."""
    n, m = ranks.shape
    above[:] = 0
    untied[:] = 0
    p = 0
    for i in range(n):
        for k in range(i):
            _rank_signs(ranks[i], ranks[k], both[p], gaps, sign)
            for j in range(m):
                above[j] += sign[j] * np.float32(signs_z[p, j])
            for j in range(m):
                untied[j] += abs(sign[j])
            p += 1
    for j in range(m):
        below = np.float64(untied[j]) * untied_z[j]
        values[j] = above[j] / math.sqrt(below) if below > 0.0 else np.nan


@compiled
def summary_kendall_permutation(x, y, signs_z, both, gaps, swaps, out):
    """As `summary_pearson_permutation`, for tau-b.

    `x`, `y` (n, m) float32 hold ranks, pooled over both metrics within a document; `both` (n_pairs, m) is 1
    where both systems of a pair are present.
    """
    n, m = x.shape
    every, values, untied_z = np.ones(m), np.empty(m), np.zeros(m)
    for p in range(signs_z.shape[0]):
        for j in range(m):
            untied_z[j] += abs(signs_z[p, j])
    above, untied, sign = np.empty(m, np.float32), np.empty(m, np.float32), np.empty(m, np.float32)
    first, second = np.empty((n, m), np.float32), np.empty((n, m), np.float32)
    for b in range(swaps.shape[0]):
        swap(x, y, swaps[b], first, second)
        _kendall_with(first, signs_z, untied_z, both, gaps, above, untied, sign, values)
        tau = _mean_defined(values, every)
        _kendall_with(second, signs_z, untied_z, both, gaps, above, untied, sign, values)
        out[b] = tau - _mean_defined(values, every)


@compiled
def _centred_ranks(ranks, both, gaps, sign, u):
    n, m = ranks.shape
    u[:] = 0
    p = 0
    for i in range(n):
        for k in range(i):
            _rank_signs(ranks[i], ranks[k], both[p], gaps, sign)
            for j in range(m):
                u[i, j] += sign[j]
            for j in range(m):
                u[k, j] -= sign[j]
            p += 1


@compiled
def summary_spearman_permutation(x, y, signs_z, both, gaps, swaps, out):
    """As `summary_kendall_permutation`, for Spearman's rho."""
    n, m = x.shape
    everyone, every, values = np.ones(n), np.ones(m), np.empty(m)
    sign = np.empty(m, np.float32)
    u, v = np.empty((n, m), np.float32), np.empty((n, m), np.float32)
    _add_signs(v, signs_z, everyone)
    first, second = np.empty((n, m), np.float32), np.empty((n, m), np.float32)
    for b in range(swaps.shape[0]):
        swap(x, y, swaps[b], first, second)
        _centred_ranks(first, both, gaps, sign, u)
        _rank_correlations(u, v, everyone, values)
        rho = _mean_defined(values, every)
        _centred_ranks(second, both, gaps, sign, u)
        _rank_correlations(u, v, everyone, values)
        out[b] = rho - _mean_defined(values, every)


# ----------------------------------------------------------------------------------------------- global level


@compiled
def _entries(code, x, z, group_x, group_z, weights, count_x, count_z):
    """Coefficient over weighted entries in the order of x; groups are dense ranks from 0."""
    if code == PEARSON:
        return _pearson(x, z, weights, x.shape[0], 0.0, 0.0)
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
        return uv / math.sqrt(uu) / math.sqrt(vv) if uu > 0.0 and vv > 0.0 else np.nan
    untied_x, untied_z = _untied(count_x, total), _untied(count_z, total)
    if untied_x <= 0.0 or untied_z <= 0.0:
        return np.nan
    return _concordance(group_x, group_z, weights, count_z) / math.sqrt(untied_x) / math.sqrt(untied_z)


@compiled
def _centre_counts(counts, total):
    """Numbers in groups become, for each group, the number below less the number above."""
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
def _concordance(group_x, group_z, weights, tree):
    """Concordant less discordant pairs; `tree` is a Fenwick tree of the weights seen so far, by z."""
    n, size = group_x.shape[0], tree.shape[0]
    tree[:] = 0.0
    seen = above = 0.0
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
                above += weights[e] * (below - (seen - up_to))
        for e in range(start, stop):
            if weights[e] != 0.0:
                seen += weights[e]
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

    The entries are both metrics' scores in one list, in the order of x; `from_second` is 1 for the second's.
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
