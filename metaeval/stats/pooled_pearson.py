"""stats.pooled_pearson: differences of two Pearson correlations over all summaries, after exchanges.

An exchange of two metrics' scores changes three sums of the first (of its scores, of their squares, of their
products with people's scores) and those of the second by the same amounts with opposite signs. A draw is thus
three sums over the summaries that it exchanges. They are computed for each metric relative to the first: a
pair needs the difference of two of them, and all pairs of many metrics cost hardly more than the metrics.

Four consecutive summaries can be exchanged in only sixteen ways: the sums of each way are tabulated once for
all draws of a block, and a draw looks up one row for every four summaries (the *method of the four
Russians*). Sums are of whole numbers, hence independent of their order and of the other metrics.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from metaeval.stats.kernels import compiled

_WORD = 64  # summaries whose bits are read at once
_LANES = 4  # numbers in a row: three sums, and padding to the length of a vector
_ROWS = 4 * _WORD  # the sixteen ways of exchange for each four of a word's summaries


def _add_rows(out, at, one, i, table, places):
    """Set ``out[at] = one[i] + sum of table[places]``, all of them rows of four whole numbers."""
    out[at] = one[i] + table[list(places)].sum(axis=0)


@intrinsic
def _add_vectors(context, out, at, one, i, table, places):
    def generate(context, builder, signature, arguments):
        row = ir.VectorType(ir.IntType(64), _LANES).as_pointer()

        def address(argument, place):
            array = context.make_array(signature.args[argument])(context, builder, arguments[argument])
            start = builder.mul(place, ir.Constant(place.type, _LANES))
            return builder.bitcast(builder.gep(array.data, [start]), row)

        total = builder.load(address(2, arguments[3]), align=8)
        for k in range(signature.args[5].count):
            place = builder.extract_value(arguments[5], k)
            total = builder.add(total, builder.load(address(4, place), align=8))
        builder.store(total, address(0, arguments[1]), align=8)
        return context.get_dummy_value()

    places = types.UniTuple(types.intp, len(places))
    return types.void(out, types.intp, one, types.intp, table, places), generate


@overload(_add_rows, inline="always")
def _added_at_once(out, at, one, i, table, places):
    # the compiler adds the numbers of a row one by one unless they are declared a vector
    return lambda out, at, one, i, table, places: _add_vectors(out, at, one, i, table, places)


@compiled
def _steps(largest):
    """Number of steps per unit for which sums of at most `largest` fit into 62 bits."""
    return 2.0 ** math.floor(61.0 - math.log2(largest)) if largest > 0.0 else 1.0


@compiled
def sums_and_changes(scores, z, present):
    """Prepare the draws: sums over all summaries, and the steps by which each exchange changes three of them.

    Parameters
    ----------
    scores : float array (n_metrics, n_cells)
        Of mean 0 and variance 1, or all 0; 0 for summaries that do not count.
    z, present : float arrays (n_cells,)
        `z` is centred, and 0 for summaries that do not count; `present` is 1 for those that do, else 0.

    Returns
    -------
    n, zz : float
        Summaries that count, and the sum of the squares of `z`.
    sums : float array (n_metrics, 3)
        Of each metric's scores, their squares and their products with `z`.
    steps : float array (3,)
        Number of steps per unit, for each of the three.
    changes : int array (n_metrics - 1, n_cells rounded up to whole words, 4)
        Changes when each metric but the first replaces the first.
    """
    n_metrics, n_cells = scores.shape
    n = zz = 0.0
    sums = np.zeros((n_metrics, 3))
    for e in range(n_cells):
        n += present[e]
        zz += z[e] * z[e]
    for k in range(n_metrics):
        for e in range(n_cells):
            sums[k, 0] += scores[k, e]
            sums[k, 1] += scores[k, e] * scores[k, e]
            sums[k, 2] += scores[k, e] * z[e]
    # the squares of standardised scores sum to n, which bounds all partial sums (Cauchy-Schwarz)
    steps = np.array([_steps(2 * n), _steps(n), _steps(2 * math.sqrt(n * zz))])
    changes = np.zeros((n_metrics - 1, -(-n_cells // _WORD) * _WORD, _LANES), np.int64)
    for k in range(n_metrics - 1):
        for e in range(n_cells):
            one, other = scores[0, e], scores[k + 1, e]
            # each rounded separately, so that the first metric cancels in a pair of two others
            changes[k, e, 0] = np.int64(np.rint(other * steps[0])) - np.int64(np.rint(one * steps[0]))
            changes[k, e, 1] = np.int64(np.rint(other**2 * steps[1])) - np.int64(np.rint(one**2 * steps[1]))
            changes[k, e, 2] = np.int64(np.rint(other * z[e] * steps[2])) - np.int64(
                np.rint(one * z[e] * steps[2])
            )
    return n, zz, sums, steps, changes


@compiled
def _changed(changes, words, n_cells, n_draws):
    """Sum the changes of all summaries that a draw exchanges, (n_draws, 4)."""
    table = np.zeros((_ROWS, _LANES), np.int64)
    exchanged = np.zeros((n_draws, _LANES), np.int64)
    for start in range(0, n_cells, _WORD):
        for four in range(_WORD // 4):
            for bit in range(4):
                e = start + 4 * four + 3 - bit
                for way in range(16 * four, 16 * four + (1 << bit)):
                    _add_rows(table, way + (1 << bit), table, way, changes, (e,))
        for b in range(n_draws):
            at = b * n_cells + start
            offset = np.uint64(at & 63)
            word = words[at >> 6] << offset | words[(at >> 6) + 1] >> np.uint64(1) >> np.uint64(63) - offset
            for row in range(0, _ROWS, 64):
                ways = (
                    row + np.int64(word >> np.uint64(60)),
                    row + np.int64(word >> np.uint64(56) & np.uint64(15)) + 16,
                    row + np.int64(word >> np.uint64(52) & np.uint64(15)) + 32,
                    row + np.int64(word >> np.uint64(48) & np.uint64(15)) + 48,
                )
                _add_rows(exchanged, b, exchanged, b, table, ways)
                word <<= np.uint64(16)
    return exchanged


@compiled
def pooled_pearson_permutation(scores, z, present, n, zz, sums, steps, changes, pairs, words, tight, out):
    """Write to `out` (n_draws, n_pairs) differences of Pearson correlations over all present summaries.

    See `sums_and_changes` for the scores. `words` (uint64) hold one bit per summary, draw by draw from the
    leading bit of the first, with one extra word. Where a variance, as a difference of sums, has lost too
    many digits, below `tight` of its scores' squares, the difference is infinite, and
    `metaeval.stats.kernels.pearson_two_pass` computes it: numba keeps machine code until the module of a loop
    changes, so a loop must not use one of another module.
    """
    n_metrics, n_cells = scores.shape
    exchanged = np.zeros((n_metrics, len(out), _LANES), np.int64)
    for k in range(1, n_metrics):
        exchanged[k] = _changed(changes[k - 1], words, n_cells, len(out))
    for b in range(len(out)):
        for p in range(len(pairs)):
            first, second = pairs[p]
            more = (exchanged[second, b, 0] - exchanged[first, b, 0]) / steps[0]
            squares = (exchanged[second, b, 1] - exchanged[first, b, 1]) / steps[1]
            products = (exchanged[second, b, 2] - exchanged[first, b, 2]) / steps[2]
            variance_1 = sums[first, 1] + squares - (sums[first, 0] + more) ** 2 / n
            variance_2 = sums[second, 1] - squares - (sums[second, 0] - more) ** 2 / n
            if not (min(variance_1, variance_2) > tight * n and zz > 0.0):
                out[b, p] = np.inf
                continue
            r_1 = (sums[first, 2] + products) / math.sqrt(variance_1 * zz)
            r_2 = (sums[second, 2] - products) / math.sqrt(variance_2 * zz)
            out[b, p] = min(1.0, max(-1.0, r_1)) - min(1.0, max(-1.0, r_2))
