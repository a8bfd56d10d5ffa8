r"""stats.components: variance of judgments due to systems, documents and raters, and the reliability of means
over more or fewer of them.

A judgment of system *s* on document *d* by rater *r* is a sum of independent effects with variances
:math:`\sigma^2_s, \sigma^2_d, \sigma^2_r`, of their interactions, and of the interaction of all three, which
one judgment per cell cannot tell from noise (Brennan 2001, Generalizability Theory, §3 and §4):

.. math:: x_{sdr} = \mu + s + d + r + sd + sr + dr + sdr

Half the squared difference of two judgments that share the indices *A* and no other has the mean
:math:`\sum_{C \not\subseteq A} \sigma^2_C`, whatever :math:`\mu` is; the variances are differences of such
means over all pairs. With every cell judged these are the estimators of the analysis of variance, and they
stay unbiased with gaps. Judgments without raters, such as means over unknown raters, have only the effects of
system and document, and a residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metaeval.core.errors import DataError
from metaeval.core.limits import check_count
from metaeval.stats.ties import LARGEST, double

Count = int | np.ndarray  # a number of documents or raters, or many of them
_AXES = {"system": 0, "document": 1, "rater": 2}
CROSSED = ("system", "document", "rater", "system:document", "system:rater", "document:rater", "residual")
# each document has raters of its own, so that their leniency is part of the document's effect
NESTED = ("system", "document", "system:document", "document:rater", "residual")
UNRATED = ("system", "document", "residual")  # the last contains the raters' effects


@dataclass(frozen=True)
class Components:
    """Variances of the effects that make up a judgment, in squared units of the scale.

    Attributes
    ----------
    variances : dict, effect -> float
        Of `CROSSED`, `NESTED` or `UNRATED`. An estimate may fall below 0, which stands for 0.
    n_judgments : int
        Judgments that entered.
    """

    variances: dict[str, float]
    n_judgments: int

    @property
    def has_raters(self) -> bool:
        """True if raters are distinguished, so that the effect of more raters can be estimated."""
        return "document:rater" in self.variances

    def shares(self) -> dict[str, float]:
        """Share of each effect in the variance of one judgment, with negative estimates counted as 0."""
        positive = {effect: max(variance, 0.0) for effect, variance in self.variances.items()}
        total = sum(positive.values())
        return {effect: variance / total if total else np.nan for effect, variance in positive.items()}

    def error_variance(self, n_documents: Count, n_raters: Count = 1) -> np.ndarray:
        """Variance of a system's future mean over documents and raters, minus its true score, as far as it
        changes the order of systems: effects common to all systems cancel (the relative error).

        Parameters
        ----------
        n_documents, n_raters : int or array, at least 1
            1 without raters: future judgments are made as these were.

        Raises
        ------
        DataError
            If `n_raters` is above 1 and the judgments are without raters.
        """
        check_count("n_documents", np.min(n_documents))
        check_count("n_raters", np.min(n_raters))
        if not self.has_raters and np.max(n_raters) > 1:
            raise DataError("the effect of more raters cannot be estimated from judgments without raters")
        positive = {effect: max(variance, 0.0) for effect, variance in self.variances.items()}
        documents, raters = np.asarray(n_documents, dtype=float), np.asarray(n_raters, dtype=float)
        by_rater = positive.get("system:rater", 0.0) / raters
        by_document = positive.get("system:document", 0.0) / documents
        return by_document + by_rater + positive["residual"] / (documents * raters)

    def reliability(self, n_documents: Count, n_raters: Count = 1) -> np.ndarray:
        r"""Expected squared correlation of systems' means with their true scores, in [0, 1].

        :math:`E\rho^2 = \sigma^2_s / (\sigma^2_s + \sigma^2_\delta)` (Brennan 2001, §4), for means over as
        many documents and raters; NaN where systems do not differ and nothing else does either.

        Parameters
        ----------
        n_documents, n_raters : see `error_variance`
        """
        true = max(self.variances["system"], 0.0)
        observed = true + self.error_variance(n_documents, n_raters)
        with np.errstate(invalid="ignore"):
            return np.divide(true, observed)


def components(judgments: np.ndarray, *, nested: bool = False) -> Components:
    """Variance components of judgments.

    Parameters
    ----------
    judgments : float array (n_systems, n_documents, n_raters), or (n_systems, n_documents) without raters
        NaN where missing; what is missing must not depend on the judgments.
    nested : bool
        True where the third axis only numbers the judgments of a summary, so that rater 1 of one document is
        not rater 1 of another (crowd workers); the same rater judges all systems of a document.

    Returns
    -------
    Components

    Raises
    ------
    DataError
        If an effect cannot be estimated: fewer than two systems, documents or raters, or gaps that leave no
        two judgments with the required indices in common. Or if a judgment is infinite, or so large or small
        that its square overflows or vanishes.

    Examples
    --------
    >>> effects = np.array([0.0, 1.0, 2.0])[:, None, None] + np.array([0.0, 3.0])[:, None]
    >>> parts = components(effects + np.array([0.0, 0.5]))
    >>> {effect: round(variance, 3) for effect, variance in parts.variances.items() if abs(variance) > 1e-9}
    {'system': 1.0, 'document': 4.5, 'rater': 0.125}
    """
    judgments = double("judgments", judgments)
    if judgments.ndim not in (2, 3) or (nested and judgments.ndim == 2):
        raise DataError(
            f"`judgments` must have axes (system, document, rater), or without raters the first two, got an "
            f"array of shape {judgments.shape}"
        )
    axes = {name: axis for name, axis in _AXES.items() if axis < judgments.ndim}
    present = ~np.isnan(judgments)
    if not present.any():
        raise DataError("`judgments` holds no judgment")
    # far from 0, squares would lose digits
    values = np.where(present, judgments - judgments[present].mean(), 0.0)
    largest = np.abs(values).max()
    if largest and not LARGEST**-0.5 <= largest <= LARGEST**0.5:
        raise DataError(
            f"`judgments` lie {largest:g} from their mean, whose square is out of range; give them in "
            "another unit"
        )
    shared = [
        subset for subset in _subsets(axes) if not (nested and "rater" in subset and "document" not in subset)
    ]
    products = _exactly({subset: values * _sums_sharing(values, subset, axes) for subset in shared})
    partners = _exactly({subset: present * _sums_sharing(present, subset, axes) for subset in shared})
    apart = {}
    for subset in reversed(shared):
        number = partners[subset].sum()
        if number < 0.5:
            others = " and ".join(axis for axis in axes if axis not in subset)
            raise DataError(
                f"variance components need judgments that share {' and '.join(subset) or 'nothing'} and "
                f"differ in {others}; of {int(present.sum())} judgments of shape {judgments.shape} no two do"
            )
        apart[subset] = (values**2 * partners[subset] - products[subset]).sum() / number
    variances = {}
    for effect in NESTED if nested else CROSSED if "rater" in axes else UNRATED:
        subset = tuple(axes) if effect == "residual" else tuple(effect.split(":"))
        inside = [part for part in shared if set(part) <= set(subset)]
        # variances of smaller effects are subtracted, the smallest first
        smaller = sum(variances[":".join(part)] for part in inside if part and part != subset)
        variances[effect] = float(apart[()] - apart[subset] - smaller)
    return Components(variances, int(present.sum()))


def _subsets(axes: Iterable[str]) -> Iterator[tuple[str, ...]]:
    names = list(axes)
    for size in range(len(names) + 1):
        yield from combinations(names, size)


def _sums_sharing(values, subset, axes):
    """Sum, for each judgment, over all that share at least these indices with it, itself included."""
    return values.sum(axis=tuple(axis for name, axis in axes.items() if name not in subset), keepdims=True)


def _exactly(sums):
    """Turn sums over at least these indices into sums over exactly these indices."""
    exact: dict[tuple[str, ...], np.ndarray] = {}
    for subset in sorted(sums, key=len, reverse=True):
        exact[subset] = sums[subset] - sum(exact[more] for more in exact if set(subset) < set(more))
    return exact
