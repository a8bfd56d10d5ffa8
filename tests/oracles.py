"""Slow, obvious versions of what `metaeval` computes, built on SciPy and nothing of the project's."""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from itertools import pairwise

import numpy as np
from scipy import stats


def pearson(x, y):
    """By its definition, NaN where either is constant; what SciPy lays around that takes ten times as long."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if (x == x[0]).all() or (y == y[0]).all():
        return math.nan
    x, y = ((side / np.abs(side).max()) for side in (x - x.mean(), y - y.mean()))
    return min(1.0, max(-1.0, (x @ y) / math.sqrt((x @ x) * (y @ y))))


def spearman(x, y):
    """Pearson's of ranks."""
    return pearson(stats.rankdata(x), stats.rankdata(y))


def kendall(x, y):
    """tau-b by SciPy, without what it lays around for several axes and for NaN."""
    return inspect.unwrap(stats.kendalltau)(x, y).statistic


COEFFICIENTS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def coefficient(x, y, name):
    """SciPy's coefficient of two sequences, without the pairs in which either is NaN."""
    pairs = tuple((a, b) for a, b in zip(x, y, strict=True) if not (math.isnan(a) or math.isnan(b)))
    return _of_pairs(pairs, name) if len(pairs) > 1 else math.nan


@functools.lru_cache(maxsize=50_000)  # draws of a few systems often come out alike
def _of_pairs(pairs, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns of constant input and returns NaN
        return float(COEFFICIENTS[name](*zip(*pairs, strict=True)))


def tied(values, tolerance):
    """Values that differ by rounding errors only made equal, one after the other in order of size."""
    flat = np.array(values, dtype=float).ravel()
    order = np.argsort(flat)
    for before, after in pairwise(order):
        if flat[after] - flat[before] <= tolerance:
            flat[after] = flat[before]
    return flat.reshape(np.shape(values))


def system_level(x, y, name):
    missing = np.isnan(x) | np.isnan(y)
    x, y = (row_means(np.where(missing, math.nan, side)) for side in (x, y))
    return coefficient(x, y, name)


def row_means(x):
    """Mean of each row's values that are not NaN; means that are equal on paper are equal."""
    present = [[a for a in row if not math.isnan(a)] for row in x]
    return tied([sum(row) / len(row) if row else math.nan for row in present], 1e-10).tolist()


def summary_level(x, y, name):
    values = [coefficient([row[j] for row in x], [row[j] for row in y], name) for j in range(len(x[0]))]
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def global_level(x, y, name):
    return coefficient([a for row in x for a in row], [a for row in y for a in row], name)


LEVELS = {"system": system_level, "summary": summary_level, "global": global_level}


def tau_b_of_pairs(pairs):
    """tau-b over (metric difference, human difference) pairs, counted one by one."""
    p = q = t = u = 0
    for dx, dz in pairs:
        if dx == 0 and dz == 0:
            continue
        if dx == 0:
            t += 1
        elif dz == 0:
            u += 1
        elif (dx > 0) == (dz > 0):
            p += 1
        else:
            q += 1
    if (p + q + t) == 0 or (p + q + u) == 0:
        return math.nan
    return (p - q) / math.sqrt((p + q + t) * (p + q + u))


def window(metric, human, lower, upper, *, lower_open=False):
    """tau-b and number of the pairs whose metric values differ by `lower` to `upper`, by a double loop."""
    pairs = []
    for i in range(len(metric)):
        for j in range(i + 1, len(metric)):
            distance = abs(metric[i] - metric[j])
            above = lower < distance if lower_open else lower <= distance
            if above and distance <= upper:
                pairs.append((metric[i] - metric[j], human[i] - human[j]))
    return tau_b_of_pairs(pairs), len(pairs)
