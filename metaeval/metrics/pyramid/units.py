"""pyramid.units: content units of references, and which sentence of a reference a unit speaks of.

A *unit* is one short sentence that states a fact of a reference: a Summary Content Unit (SCU) if a person
wrote it, a Semantic Triplet Unit (STU) if a machine cut it out (Zhang and Bansal 2021, §3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.core.errors import DataError, listing
from metaeval.metrics.text import stems


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
    """The sentence of the reference that each unit speaks of: the one that covers most of its words.

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
    """Raise, naming the documents, unless every document has at least one unit and no unit is empty.

    Raises
    ------
    DataError
    """
    empty = [document for document, found in units.items() if not len(found)]
    if empty:
        raise DataError(
            f"every reference must have at least one unit; without any: {listing(empty)} "
            f"({len(empty)} of {len(units)}); leave these documents out, or extract units for them"
        )
    blank = [document for document, found in units.items() if not all(unit.strip() for unit in found)]
    if blank:
        raise DataError(f"a unit must hold words; an empty unit in {listing(blank)}")
