r"""sera.overlap: how far two queries find the same documents.

With :math:`R_C` and :math:`R_G` the ranked documents of a candidate and of a reference, cut at *n*:

- SERA-*n*: :math:`|R_C \cap R_G| / |R_C|`;
- SERA-DIS-*n*: the sum of :math:`1 / \log(|j - k| + 2)` over the documents that stand at rank *j* in
  :math:`R_C` and *k* in :math:`R_G`, divided by the largest sum there can be,
  :math:`D_{max} = |R_C| / \log 2`, so that the base of the logarithm does not matter.

A summary's score is the mean over its references.

Source: Cohan and Goharian 2016; López Espejel et al. 2021, Eqs. 1-2. The released worked example follows
these formulas to every digit it prints.

Deviation from the released code: it divides SERA-*n* by *n* also where a query found fewer documents.
"""

from __future__ import annotations

import numpy as np

from metaeval.metrics.sera.index import NO_DOCUMENT


def sera(candidate: np.ndarray, reference: np.ndarray, *, n: int) -> np.ndarray:
    """The share of a candidate's best `n` documents that the reference finds too.

    Parameters
    ----------
    candidate, reference : int arrays (..., m), m >= n
        Documents, best first, -1 where there are no more; leading axes broadcast.
    n : int

    Returns
    -------
    float array (...), in [0, 1]
        NaN where either side found no document: nothing was compared.
    """
    same, n_found, defined = _compare(candidate, reference, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, same.any(axis=-1).sum(axis=-1) / n_found, np.nan)


def sera_dis(candidate: np.ndarray, reference: np.ndarray, *, n: int) -> np.ndarray:
    """As `sera`, each shared document discounted by how far its two ranks are apart."""
    same, n_found, defined = _compare(candidate, reference, n)
    ranks = np.arange(n)
    gain = np.log(2) / np.log(np.abs(ranks[:, None] - ranks) + 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, (same * gain).sum(axis=(-2, -1)) / n_found, np.nan)


OVERLAPS = {"SERA": sera, "SERA-DIS": sera_dis}


def _compare(candidate, reference, n):
    """(..., n, n) equality of the two lists, documents of the candidate, and whether both sides have any."""
    candidate, reference = np.asarray(candidate), np.asarray(reference)
    for name, ranking in (("candidate", candidate), ("reference", reference)):
        if not 1 <= n <= ranking.shape[-1]:
            raise ValueError(
                f"`n` must be from 1 to the number of documents looked up, "
                f"{ranking.shape[-1]} in `{name}`, got {n}"
            )
    candidate, reference = candidate[..., :n], reference[..., :n]
    present = candidate != NO_DOCUMENT
    same = (candidate[..., :, None] == reference[..., None, :]) & present[..., None]
    n_found = present.sum(axis=-1)
    return same, n_found, (n_found > 0) & (reference != NO_DOCUMENT).any(axis=-1)
