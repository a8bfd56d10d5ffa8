r"""stats.agreement: chance-corrected agreement of raters, for many draws of the units at once.

Ratings are an array (n_raters, n_units), NaN where a rater did not rate. Every coefficient is a function of
sums over units, so the draws of a bootstrap are one matrix product: a unit that is drawn twice counts twice.

- ``"percent"``: share of pairs of raters of a unit who agree, averaged over the units that two or more rated;
- ``"cohen"``: Cohen's kappa of two raters; chance by each rater's own use of the categories (Cohen 1960);
- ``"fleiss"``: Fleiss' kappa; chance by the use of the categories by all (Fleiss 1971; gaps: Gwet 2014);
- ``"krippendorff"``: Krippendorff's alpha (Krippendorff 2011);
- ``"gwet"``: AC1, with weights AC2 (Gwet 2008, 2014), which varies little with the prevalence of a category;
- ``"icc"``: intraclass correlations of ratings as numbers (Shrout and Fleiss 1979).

Agreement between categories is graded: ``"nominal"`` (equal or not), ``"linear"`` or ``"quadratic"`` in their
distance. Alpha takes ``"quadratic"`` for its interval level; its ordinal level is ``"ordinal"``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.core.errors import DataError, choose
from metaeval.stats.draws import drawn_counts, exact_product
from metaeval.stats.resampling import RESAMPLE, check_draws
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.stats.ties import CHANCE_TIE, MEAN_TIE, SQUARES_TIE, double

GRADES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "nominal": lambda distance: (distance == 0).astype(float),
    "linear": lambda distance: 1 - distance / (distance.max(initial=0) or 1),
    "quadratic": lambda distance: 1 - (distance / (distance.max(initial=0) or 1)) ** 2,
}
ORDINAL = "ordinal"  # of alpha only: distances depend on how often each category is used


def tallies(ratings: np.ndarray, categories: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Count the raters who put each unit into each category.

    Parameters
    ----------
    ratings : float array (n_raters, n_units), NaN where missing
    categories : float array, by default those that occur, in order
        A category that nobody used counts in AC1 and AC2, as their authors define them.

    Returns
    -------
    counts : float array (n_units, n_categories)
    categories : float array (n_categories,)

    Raises
    ------
    DataError
        If there is no rating, the shape differs, or a rating is none of the categories.
    """
    ratings = double("ratings", ratings)
    if ratings.ndim != 2:
        raise DataError(f"`ratings` must be (n_raters, n_units), got shape {ratings.shape}")
    used = np.unique(ratings[~np.isnan(ratings)])
    if not len(used):
        raise DataError("`ratings` holds no rating")
    categories = used if categories is None else np.unique(double("categories", categories))
    odd = used[~np.isin(used, categories)]
    if len(odd):
        raise DataError(f"ratings that are none of the categories {categories.tolist()}: {odd.tolist()}")
    return (ratings[:, :, None] == categories).sum(axis=0).astype(float), categories


def agreement(
    ratings: np.ndarray,
    *,
    coefficient: str,
    grade: str = "nominal",
    categories: np.ndarray | None = None,
    counts: np.ndarray | None = None,
) -> np.ndarray | float:
    """Coefficient of agreement, on the ratings as they are or in every draw of the units.

    Parameters
    ----------
    ratings : float array (n_raters, n_units), NaN where missing
    coefficient : {"percent", "cohen", "fleiss", "krippendorff", "gwet"}
    grade : {"nominal", "linear", "quadratic"}, of Krippendorff's alpha also "ordinal"
    categories : float array, by default those that occur
    counts : float array (n_draws, n_units), by default every unit once
        How often each unit is in each draw.

    Returns
    -------
    float, or float array (n_draws,)
        NaN where it does not exist: no unit with two ratings, or nothing but one category.

    Raises
    ------
    DataError
        As `tallies`; also if Cohen's kappa is requested for other than two raters.
    UnknownNameError
        For a coefficient or a grade that does not exist.

    Examples
    --------
    >>> ratings = [[1, 1, 2, 2, 2], [1, 1, 2, 2, 1]]
    >>> [round(agreement(ratings, coefficient=name), 3) for name in ("percent", "cohen", "gwet")]
    [0.8, 0.615, 0.6]
    """
    compute = choose("coefficient", coefficient, _COEFFICIENTS)
    if not (coefficient == "krippendorff" and grade == ORDINAL):
        choose("grade", grade, GRADES)
    doubles = double("ratings", ratings)
    tally, categories = tallies(doubles, categories)
    weights = np.ones((1, doubles.shape[1])) if counts is None else double("counts", counts)
    if weights.ndim != 2 or weights.shape[1] != doubles.shape[1]:
        raise DataError(f"`counts` must be (n_draws, {doubles.shape[1]}), got shape {weights.shape}")
    with np.errstate(invalid="ignore", divide="ignore"):
        values = compute(doubles, tally, categories, grade, weights)
    return float(values[0]) if counts is None else values


def grades(categories: np.ndarray, grade: str) -> np.ndarray:
    """Degree of agreement of two categories, from 0 to 1, (n_categories, n_categories)."""
    return choose("grade", grade, GRADES)(np.abs(categories[:, None] - categories[None, :]))


def _beyond(observed, chance):
    return np.where(chance < 1 - CHANCE_TIE, (observed - chance) / (1 - chance), np.nan)


def _observed_and_use(tally, graded, weights):
    """Mean share of agreeing pairs of raters, over the units that two or more rated, (n_draws,); and the use
    of each category, over all units that anybody rated, (n_draws, n_categories)."""
    n = tally.sum(axis=1)
    several, rated = n >= 2, n > 0
    pairs = np.where(several, n * (n - 1), 1)
    shares = np.where(several, (tally * (tally @ graded - 1)).sum(axis=1) / pairs, 0.0)
    used = tally / np.where(rated, n, 1)[:, None]
    # a single product reads the draws, by far the largest array, only once
    sums = exact_product(weights, np.column_stack([shares, several, used, rated]))
    return sums[:, 0] / sums[:, 1], sums[:, 2:-1] / sums[:, -1:]


def _percent(ratings, tally, categories, grade, weights):
    return _observed_and_use(tally, grades(categories, grade), weights)[0]


def _fleiss(ratings, tally, categories, grade, weights):
    graded = grades(categories, grade)
    observed, use = _observed_and_use(tally, graded, weights)
    return _beyond(observed, ((use @ graded) * use).sum(axis=1))


def _gwet(ratings, tally, categories, grade, weights):
    graded, q = grades(categories, grade), len(categories)
    if q < 2:
        return np.full(len(weights), np.nan)
    observed, use = _observed_and_use(tally, graded, weights)
    return _beyond(observed, graded.sum() / (q * (q - 1)) * (use * (1 - use)).sum(axis=1))


def _cohen(ratings, tally, categories, grade, weights):
    if len(ratings) != 2:
        raise DataError(
            f"Cohen's kappa is of two raters, got {len(ratings)}; use pairs of them, or Fleiss' kappa"
        )
    graded = grades(categories, grade)
    table = weights @ confusion_tables(*ratings[:, None], categories).reshape(ratings.shape[1], -1)
    return kappa_of_tables(table.reshape(-1, *graded.shape), graded)[1]


def confusion_tables(first: np.ndarray, second: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """Counts of the pairs of categories that two raters give to each document, (n_documents, q, q).

    Parameters
    ----------
    first, second : float arrays (n_systems, n_documents), NaN where missing
    categories : float array (q,), sorted

    Examples
    --------
    >>> confusion_tables(np.array([[1, 2]]), np.array([[1, 1]]), np.array([1, 2])).tolist()
    [[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]]
    """
    first, second = np.asarray(first), np.asarray(second)
    q = len(categories)
    both = np.isin(first, categories) & np.isin(second, categories)
    places = [np.searchsorted(categories, np.where(both, side, categories[0])) for side in (first, second)]
    cells = np.arange(first.shape[1]) * q * q + places[0] * q + places[1]
    counts = np.bincount(cells[both], minlength=first.shape[1] * q * q)
    return counts.astype(float).reshape(-1, q, q)


def kappa_of_tables(tables: np.ndarray, graded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Observed agreement and Cohen's kappa, arrays (...).

    Parameters
    ----------
    tables : float array (..., q, q)
        Counts of the categories of two raters.
    graded : float array (q, q)
        Degree of agreement of two categories, see `grades`; the identity for exact agreement.

    Examples
    --------
    >>> [round(float(value), 3) for value in kappa_of_tables(np.array([[20, 5], [10, 15]]), np.eye(2))]
    [0.7, 0.4]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = tables / tables.sum(axis=(-2, -1), keepdims=True)
        chance = np.einsum("...k,kl,...l->...", shares.sum(axis=-1), graded, shares.sum(axis=-2))
        observed = (shares * graded).sum(axis=(-2, -1))
        return observed, _beyond(observed, chance)


def _krippendorff(ratings, tally, categories, grade, weights):
    n = tally.sum(axis=1)
    several, q = n >= 2, len(categories)
    pairs = tally[:, :, None] * tally[:, None, :] - tally[:, :, None] * np.eye(q)
    pairs = np.where(several[:, None, None], pairs / np.where(several, n - 1, 1)[:, None, None], 0.0)
    coincide = exact_product(weights, pairs.reshape(len(n), -1)).reshape(-1, q, q)
    totals = coincide.sum(axis=2)
    total = totals.sum(axis=1)
    if grade == ORDINAL:
        within = np.cumsum(totals, axis=1)
        low, high = np.minimum.outer(range(q), range(q)), np.maximum.outer(range(q), range(q))
        distance = (within[:, high] - within[:, low] + (totals[:, low] - totals[:, high]) / 2) ** 2
    else:
        distance = np.broadcast_to(1 - grades(categories, grade), coincide.shape)
    observed = (coincide * distance).sum(axis=(1, 2)) / total
    expected = np.einsum("dk,dkl,dl->d", totals, distance, totals) / (total * (total - 1))
    return np.where(expected > 0, 1 - observed / expected, np.nan)


_COEFFICIENTS: dict[str, Callable] = {
    "percent": _percent,
    "cohen": _cohen,
    "fleiss": _fleiss,
    "krippendorff": _krippendorff,
    "gwet": _gwet,
}
COEFFICIENTS = tuple(_COEFFICIENTS)

# Shrout and Fleiss 1979 -> McGraw and Wong 1996: single raters or their mean; separate raters for each unit,
# a sample of raters (absolute agreement), these raters only (consistency)
ICC = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


def icc(ratings: np.ndarray, *, kind: str = "2,1", counts: np.ndarray | None = None) -> np.ndarray | float:
    """Intraclass correlation of ratings as numbers.

    Parameters
    ----------
    ratings : float array (n_raters, n_units)
        Units that a rater did not rate are left out.
    kind : {"1,1", "2,1", "3,1", "1,k", "2,k", "3,k"}
        1: each unit has raters of its own; 2: all units have the same raters, a sample of raters; 3: these
        raters only, whose leniency does not count. ``k``: of the raters' mean.
    counts : float array (n_draws, n_units), by default every unit once

    Returns
    -------
    float, or float array (n_draws,)
        NaN with fewer than two units or where all ratings are equal.

    Raises
    ------
    DataError
        If there are fewer than two raters.
    UnknownNameError
        For a kind that does not exist.

    Notes
    -----
    Shrout and Fleiss 1979, by the mean squares of a two-way table without repeated ratings.
    """
    choose("kind of ICC", kind, dict.fromkeys(ICC))
    ratings = double("ratings", ratings)
    if ratings.ndim != 2 or len(ratings) < 2:
        raise DataError(f"`ratings` must be (n_raters, n_units) of two raters or more, got {ratings.shape}")
    weights = np.ones((1, ratings.shape[1])) if counts is None else double("counts", counts)
    whole = ~np.isnan(ratings).any(axis=0)
    x, k = ratings[:, whole], len(ratings)
    weights = weights if whole.all() else weights[:, whole]  # copying takes longer than everything below
    largest = np.abs(x).max(initial=0)
    x = x - x.mean() if x.size else x  # keeps the squares small
    # spread of equal ratings due to rounding, and the rounding error of their squares
    nothing = max((MEAN_TIE * largest) ** 2, SQUARES_TIE * np.abs(x).max(initial=0) ** 2)
    n = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = exact_product(weights, np.vstack([x, (x**2).sum(axis=0), x.mean(axis=0) ** 2]).T)
        rater_means = sums[:, :k] / n[:, None]
        grand = rater_means.mean(axis=1)
        total = sums[:, k] - n * k * grand**2
        between = k * (sums[:, k + 1] - n * grand**2)
        columns = n * ((rater_means - grand[:, None]) ** 2).sum(axis=1)
        rows_ms = between / (n - 1)
        within_ms = (total - between) / (n * (k - 1))
        columns_ms = columns / (k - 1)
        error_ms = (total - between - columns) / ((n - 1) * (k - 1))
        values = {
            "1,1": (rows_ms - within_ms) / (rows_ms + (k - 1) * within_ms),
            "2,1": (rows_ms - error_ms) / (rows_ms + (k - 1) * error_ms + k * (columns_ms - error_ms) / n),
            "3,1": (rows_ms - error_ms) / (rows_ms + (k - 1) * error_ms),
            "1,k": (rows_ms - within_ms) / rows_ms,
            "2,k": (rows_ms - error_ms) / (rows_ms + (columns_ms - error_ms) / n),
            "3,k": (rows_ms - error_ms) / rows_ms,
        }[kind]
    values = np.where((n >= 2) & (total > nothing * n), values, np.nan)
    return float(values[0]) if counts is None else values


def mean_over_pairs(
    compute: Callable[..., np.ndarray | float], pairs: Sequence[tuple[int, int]]
) -> Callable[..., np.ndarray | float]:
    """Average a coefficient of two raters over pairs of raters.

    Parameters
    ----------
    compute : function of (ratings (2, n_units), counts=...)
        Such as `agreement` or `icc` with their options bound.
    pairs : sequence of two places in the ratings
        All pairs of a group, or one of each of two groups.

    Returns
    -------
    function of (ratings (n_raters, n_units), counts=...)
        NaN where the coefficient of any pair does not exist.

    Raises
    ------
    DataError
        If there is no pair.

    Examples
    --------
    >>> ratings = np.array([[1, 1, 2, 2], [1, 1, 2, 1], [2, 1, 2, 1]])
    >>> percent = lambda two, counts=None: agreement(two, coefficient="percent", counts=counts)
    >>> mean_over_pairs(percent, [(0, 1), (0, 2)])(ratings)
    0.625
    """
    if not len(pairs):
        raise DataError("at least one pair of raters is required")

    def averaged(ratings: np.ndarray, *, counts: np.ndarray | None = None) -> np.ndarray | float:
        mean = np.mean([compute(ratings[list(pair)], counts=counts) for pair in pairs], axis=0)
        return float(mean) if counts is None else mean

    return averaged


def drawn_units(
    n_systems: int, n_documents: int, *, resample: str, n_resamples: int, rng: RNGLike
) -> np.ndarray:
    """Count each summary in each draw of systems and documents, (n_draws, n_systems * n_documents).

    Parameters
    ----------
    resample : {"systems", "inputs", "both"}
    """
    check_draws(n_resamples)
    choose("resample", resample, dict.fromkeys(RESAMPLE))
    rows, columns = drawn_counts(seed_of(rng), n_resamples, n_systems, n_documents, resample)
    return (rows[:, :, None] * columns[:, None, :]).reshape(n_resamples, -1)


def n_drawn(present: np.ndarray, resample: str) -> int:
    """Number of units in a draw, for `metaeval.stats.intervals.t_ends`: the smaller of systems and documents.

    Parameters
    ----------
    present : bool array (n_systems, n_documents)
        The summaries that count.
    resample : {"systems", "inputs", "both"}

    Returns
    -------
    int
        A single system, or document, carries no information on others and is left out; 1 where none remains.

    Examples
    --------
    >>> n_drawn(np.ones((16, 100), dtype=bool), "both"), n_drawn(np.ones((1, 100), dtype=bool), "both")
    (16, 100)
    """
    choose("resample", resample, dict.fromkeys(RESAMPLE))
    sizes = {"systems": present.any(axis=1).sum(), "inputs": present.any(axis=0).sum()}
    return min((int(n) for name, n in sizes.items() if resample in (name, "both") and n > 1), default=1)
