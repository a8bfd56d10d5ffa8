"""Labelled arrays in, plain arrays over the same summaries out."""

from __future__ import annotations

import numpy as np
import xarray as xr

from helpers.benchmark import CELL, require_same_labels
from helpers.errors import DataError, listing
from helpers.stats.correlation import MIN_SYSTEMS


def aligned(
    *, min_systems: int = MIN_SYSTEMS, shared: tuple[str, ...] = CELL, **arrays: xr.DataArray
) -> list[np.ndarray]:
    """Several arrays in the order of the first one's ids.

    Parameters
    ----------
    min_systems : int
        Fewer are an error.
    shared : dims along which the arrays must carry the same ids; along the others each keeps its own
    arrays : DataArrays by the name of the argument; dims (system, document), of the first also
        (..., system, document)

    Returns
    -------
    list of float arrays (..., n_systems, n_documents), in the order given

    Raises
    ------
    DataError
        If dims are others, ids differ or come twice, there are too few systems, or an array holds an infinite
        score.
    """
    names = list(arrays)
    first = arrays[names[0]]
    out = []
    for name, array in arrays.items():
        if not isinstance(array, xr.DataArray):
            raise TypeError(f"`{name}` must be a DataArray with dims {CELL}, got {type(array).__name__}")
        leading = array.ndim - len(CELL) if name == names[0] else 0
        if array.dims[leading:] != CELL or array.ndim < len(CELL):
            raise DataError(f"`{name}` must have dims {CELL}, got {array.dims}")
        for dim in CELL:
            ids = array.indexes[dim]
            if ids.has_duplicates:
                raise DataError(f"`{name}` names a {dim} twice: {listing(ids[ids.duplicated()])}")
        for dim in shared:
            require_same_labels(first, array, dim, names=(names[0], name))
        values = array.sel({dim: first.indexes[dim] for dim in shared}).to_numpy().astype(float)
        if np.isinf(values).any():
            raise DataError(f"`{name}` holds {int(np.isinf(values).sum())} infinite scores; use NaN for none")
        out.append(values)
    if first.sizes["system"] < min_systems:
        raise DataError(
            f"at least {min_systems} systems are needed, got {first.sizes['system']}: "
            f"{first.indexes['system'].tolist()}"
        )
    return out


def require_same_gaps(metric_a: np.ndarray, metric_b: np.ndarray, human: np.ndarray) -> None:
    """Raise unless two metrics miss the same of the summaries that people judged.

    Two metrics are compared on the same summaries, and which ones these are is for the user to say.
    """
    judged = ~np.isnan(human)
    only_b, only_a = (
        judged & np.isnan(a) & ~np.isnan(b) for a, b in ((metric_a, metric_b), (metric_b, metric_a))
    )
    if only_a.any() or only_b.any():
        raise DataError(
            "`metric_a` and `metric_b` must score the same summaries; of "
            f"{int(judged.sum())} judged ones {int(only_b.sum())} are scored by `metric_b` only and "
            f"{int(only_a.sum())} by `metric_a` only; leave these out of both, such as "
            "metric_a.where(metric_b.notnull())"
        )
