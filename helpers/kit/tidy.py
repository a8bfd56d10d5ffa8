"""kit.tidy: tables of pages, row by row: a generator of rows becomes a checked DataFrame; draws with a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps

import pandas as pd

from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.columns import check

Rows = Iterable[pd.DataFrame | Mapping[str, object]]


def tidy(*keys: str, values: Iterable[str] = ("value",)) -> Callable[[Callable[..., Rows]], Callable[..., pd.DataFrame]]:
    """Make a generator of rows return one table, checked for unknown columns and rows that stand twice.

    Parameters
    ----------
    *keys : columns that name a row
    values : columns that must exist beside them

    Returns
    -------
    decorator
        Of a generator of frames, of mappings column -> values of several rows, or of mappings column -> value.
    """

    def decorate(rows: Callable[..., Rows]) -> Callable[..., pd.DataFrame]:
        @wraps(rows)
        def table(*args, **settings) -> pd.DataFrame:
            return check(_joined(rows(*args, **settings)), keys=list(keys), values=list(values))

        return table

    return decorate


def _joined(rows: Rows) -> pd.DataFrame:
    rows = list(rows)
    if all(isinstance(row, Mapping) and all(map(pd.api.types.is_scalar, row.values())) for row in rows):
        return pd.DataFrame(rows)
    return pd.concat([pd.DataFrame(row) for row in rows], ignore_index=True)


@dataclass(frozen=True)
class Draws:
    """How often something is drawn again, from which seed, and for intervals of which confidence.

    Attributes
    ----------
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
        Kept as a seed, so that all tables that take these draws see the same ones.
    """

    n_resamples: int = 999
    confidence_level: float = 0.95
    rng: RNGLike = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", seed_of(self.rng))

    def settings(self) -> dict[str, object]:
        """The arguments of table functions that draw by themselves."""
        return {"n_resamples": self.n_resamples, "confidence_level": self.confidence_level, "rng": self.rng}

    def stream(self, *names: object) -> dict[str, object]:
        """The arguments of `stats` functions, with the random stream of these names."""
        return self.settings() | {"rng": stream(self.rng, *names)}
