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

from metaeval.core.errors import DataError, listing
from metaeval.core.limits import check_count
from metaeval.metrics.text import stems
from metaeval.stats.ties import double
from metaeval.tables.benchmark import cells_to_array

# (system, document) -> presence of each of the document's units
Presence = Mapping[tuple[str, str], np.ndarray]


# --- units


def rouge_1_f1(a: Sequence[str], b: Sequence[str]) -> float:
    """F1 of the words that two texts share, counted with repetition; 0 where they share none.

    Parameters
    ----------
    a, b : stems or words, such as `metaeval.metrics.text.stems` gives
    """
    shared = _shared(a, b)
    return 2 * shared / (len(a) + len(b)) if shared else 0.0


def rouge_1_recall(of: Sequence[str], by: Sequence[str]) -> float:
    """Share of the words of `of` that `by` covers, counted with repetition; 0 for no words."""
    return _shared(of, by) / len(of) if of else 0.0


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    return (Counter(a) & Counter(b)).total()


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
    if not reference:
        raise DataError("a reference without sentences cannot be matched with units")
    cut = [stems(sentence) for sentence in reference]
    return np.array(
        [int(np.argmax([rouge_1_recall(stems(unit), sentence) for sentence in cut])) for unit in units],
        dtype=int,
    )


def require_units(units: Mapping[str, Sequence[str]]) -> None:
    """Require at least one unit for every document, and no empty unit.

    Raises
    ------
    DataError
    """
    empty = [document for document, texts in units.items() if not len(texts)]
    if empty:
        raise DataError(
            f"every reference must have at least one unit; without any: {listing(empty)} "
            f"({len(empty)} of {len(units)}); leave these documents out, or extract units for them"
        )
    blank = [document for document, texts in units.items() if not all(unit.strip() for unit in texts)]
    if blank:
        raise DataError(f"a unit must hold words; an empty unit in {listing(blank)}")


# --- scores


def best_possible(weights: Sequence[float], n_units: int) -> float:
    """The highest sum of weights that `n_units` units can have.

    Parameters
    ----------
    weights : positive numbers, one per unit: in how many references it stands
    n_units : int, from 0 to the number of units
    """
    weights = _weights(weights)
    check_count("n_units", n_units, minimum=0)
    if not 0 <= n_units <= len(weights):
        raise ValueError(f"`n_units` must be from 0 to the number of units ({len(weights)}), got {n_units}")
    return float(np.sort(weights)[::-1][:n_units].sum())


def pyramid_score(present: Sequence[float], weights: Sequence[float], *, n_units: int | None = None) -> float:
    """Pyramid score of one summary (Zhang and Bansal 2021, Eq. 1).

    Parameters
    ----------
    present : 0 or 1 for each unit
    weights : positive numbers, one per unit
    n_units : int, optional
        How many units the best possible summary has. By default as many as this one has, as the paper words
        it; Passonneau (2010) also takes the mean number of units of a reference, which makes the score a
        recall.

    Returns
    -------
    float, NaN if nothing is present and `n_units` is not given: 0 of 0

    Examples
    --------
    >>> pyramid_score([1, 0, 1], [3, 2, 1])  # (3 + 1) / (3 + 2)
    0.8
    """
    present, weights = np.atleast_1d(double("present", present)), _weights(weights)
    _require_same_length(present, weights, "labels", "weights")
    require_labels(present)
    best = best_possible(weights, int(present.sum()) if n_units is None else n_units)
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
    weights = _weights(weights)
    _require_same_length(present, weights, "presence values", "weights")
    return float(weights @ present / weights.sum())


def score_table(
    presence: Presence,
    units: Mapping[str, Sequence[str]],
    *,
    weights: Mapping[str, Sequence[float]] | None = None,
    systems: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
) -> xr.DataArray:
    """`lite_pyramid` of every summary, dims (system, document).

    Parameters
    ----------
    presence : mapping, (system, document) -> presence of each of the document's units
    units : mapping, document -> its units
    weights : mapping, document -> weight of each of its units
    systems, documents : the rows and columns; by default all in `presence` and `units`, in the order met

    Raises
    ------
    DataError
        If a document has no unit, or a summary does not have one value in [0, 1] per unit; the message names
        the summary.
    """
    require_units(units)
    cells = {}
    for (system, document), present in presence.items():
        if document not in units:
            raise DataError(f"presence is given for documents without units: {listing([document])}")
        if len(present) != len(units[document]):
            raise DataError(
                f"{system} / {document}: {len(units[document])} units, but {len(present)} presence values; "
                "there must be one per unit, in the order of the units"
            )
        try:
            cells[system, document] = lite_pyramid(present, None if weights is None else weights[document])
        except DataError as error:
            raise DataError(f"{system} / {document}: {error}") from None
    systems = list(dict.fromkeys(system for system, _ in cells)) if systems is None else list(systems)
    documents = list(units) if documents is None else list(documents)
    return cells_to_array({"": cells}, leading="metric", systems=systems, documents=documents).isel(
        metric=0, drop=True
    )


def require_labels(labels: Sequence[float]) -> None:
    """Require labels of 0 or 1."""
    labels = np.asarray(labels, dtype=float)
    wrong = labels[(labels != 0) & (labels != 1)]
    if wrong.size:
        raise DataError(f"a presence label must be 0 (absent) or 1 (present), got {wrong[0]:g}")


def _weights(weights: Sequence[float]) -> np.ndarray:
    weights = double("weights", weights)
    if weights.ndim != 1:
        raise DataError(f"weights must be numbers, one per unit, got {weights}")
    if not len(weights):
        raise DataError("a reference must have at least one unit")
    if not (weights > 0).all():
        raise DataError(f"weights must be positive, got {weights[~(weights > 0)][0]:g}")
    return weights


def _require_same_length(a, b, name_a: str, name_b: str) -> None:
    if np.ndim(a) != 1:
        raise DataError(f"{name_a} must be as many as {name_b}, got {a}")
    if len(a) != len(b):
        raise DataError(f"there must be as many {name_a} as {name_b}, got {len(a)} and {len(b)}")
