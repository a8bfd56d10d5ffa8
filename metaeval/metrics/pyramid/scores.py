"""pyramid.scores: content units of references, and the score of a summary from their presence.

A *unit* is one short sentence that states a fact of a reference: a Summary Content Unit (SCU) if a person
wrote it, a Semantic Triplet Unit (STU) if a machine cut it out (Zhang and Bansal 2021, §3).

- Pyramid: the weights of the units present over the best sum that as many units can reach
  (Nenkova and Passonneau 2004; Passonneau 2010; Zhang and Bansal 2021, Eq. 1).
- LitePyramid: the share of the units that are present (Shapira et al. 2019); here of all units, not of a
  sample.
- Lite²Pyramid: the same mean, of SCUs whose presence a model judges (Zhang and Bansal 2021, Eq. 2).
- Lite³Pyramid: of STUs (§3.2). Lite²·ˣPyramid: of SCUs for some sentences and STUs for the others (§3.3).

Presence is a number from 0 (absent) to 1 (present) for each unit of a summary: people's labels are 0 or 1, a
model's are labels or probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError
from metaeval.core.limits import check_count
from metaeval.metrics.text import stems
from metaeval.stats.ties import double
from metaeval.tables.benchmark import cells_to_array

Units = Mapping[str, Sequence[str]]  # document -> its units
# (system, document) -> presence of each of the document's units
Presence = Mapping[tuple[str, str], np.ndarray]


# --- units


def rouge_1_f1(a: Sequence[str], b: Sequence[str]) -> float:
    """F1 of the words that two texts share, counted with repetition; 0 where they share none.

    Parameters
    ----------
    a, b : stems or words, such as `metaeval.metrics.text.stems` gives
    """
    shared = (Counter(a) & Counter(b)).total()
    return 2 * shared / (len(a) + len(b)) if shared else 0.0


def assign_to_sentences(units: Sequence[str], reference: Sequence[str]) -> np.ndarray:
    """The sentence of the reference that each unit is about: the one that covers most of its words.

    Parameters
    ----------
    units : sequence of str
    reference : the reference's sentences, at least one

    Returns
    -------
    int array, one index into `reference` per unit; of equally good sentences the first
    """
    cut = [Counter(stems(sentence)) for sentence in reference]
    bags = [Counter(stems(unit)) for unit in units]
    return np.array([np.argmax([(bag & sentence).total() for sentence in cut]) for bag in bags], dtype=int)


# --- scores


def pyramid_score(present: Sequence[float], weights: Sequence[float], *, n_units: int | None = None) -> float:
    """Pyramid score of one summary: weight of its content units relative to the maximum possible.

    Parameters
    ----------
    present : sequence of 0 and 1, one per unit
        1 where the summary expresses the unit.
    weights : sequence of positive numbers, one per unit
        Number of references that express the unit.
    n_units : int, optional
        Number of units in the best possible summary; by default as many as in this one.

    Returns
    -------
    float
        In [0, 1]; NaN if nothing is present and `n_units` is None.

    Raises
    ------
    DataError
        If the two differ in length, or a value is out of range.

    Notes
    -----
    Zhang and Bansal 2021, Eq. 1; with the mean number of units of a reference Passonneau 2010.

    Examples
    --------
    >>> pyramid_score([1, 0, 1], [3, 2, 1])  # (3 + 1) / (3 + 2)
    0.8
    """
    present = double("present", present)
    weights = _checked_weights(weights, present)
    wrong = present[(present != 0) & (present != 1)]
    if wrong.size:
        raise DataError(f"a presence label must be 0 (absent) or 1 (present), got {wrong[0]:g}")
    if n_units is None:
        n_units = int(present.sum())
    check_count("n_units", n_units, minimum=0, maximum=len(weights))
    best = np.sort(weights)[::-1][:n_units].sum()
    return float(weights @ present / best) if best > 0 else float("nan")


def lite_pyramid(present: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Weighted mean presence: LitePyramid of labels, Lite²Pyramid or Lite³Pyramid of a model's predictions.

    Parameters
    ----------
    present : numbers in [0, 1], one per unit
    weights : positive numbers, one per unit; by default 1, as with a single reference
        Weighting a unit by *w* is the same as listing it *w* times.

    Examples
    --------
    >>> lite_pyramid([1, 0, 0.5], [2, 1, 1])
    0.625
    """
    present = np.asarray(present, dtype=float)
    if not len(present):
        raise DataError("a reference must have at least one unit")
    outside = present[~((present >= 0) & (present <= 1))]
    if outside.size:
        raise DataError(f"presence must be in [0, 1], got {outside[0]:g}")
    if weights is None:
        return float(present.mean())
    weights = _checked_weights(weights, present)
    return float(weights @ present / weights.sum())


def score_table(
    presence: Presence,
    *,
    weights: Mapping[str, Sequence[float]] | None = None,
    systems: Sequence[str],
    documents: Sequence[str],
) -> xr.DataArray:
    """`lite_pyramid` of every summary, dims (system, document).

    Parameters
    ----------
    presence : mapping, (system, document) -> presence of each of the document's units
    weights : mapping, document -> weight of each of its units
    systems, documents : the rows and columns; NaN where there is no presence

    Raises
    ------
    DataError
        If a document has no unit, or presence is outside [0, 1]; the message names the summary.
    """
    cells = {}
    for (system, document), present in presence.items():
        try:
            cells[system, document] = lite_pyramid(present, None if weights is None else weights[document])
        except DataError as error:
            raise DataError(f"{system} / {document}: {error}") from None
    table = cells_to_array({"": cells}, leading="metric", systems=systems, documents=documents)
    return table.isel(metric=0, drop=True)


def _checked_weights(weights: Sequence[float], present: np.ndarray) -> np.ndarray:
    """Positive numbers, as many as `present`."""
    weights = double("weights", weights)
    if weights.ndim != 1 or not len(weights) or weights.shape != present.shape:
        raise DataError(
            f"presence and weights must be one number per unit of a reference, at least one, got arrays of "
            f"shapes {present.shape} and {weights.shape}"
        )
    if not (weights > 0).all():
        raise DataError(f"weights must be positive, got {weights[~(weights > 0)][0]:g}")
    return weights
