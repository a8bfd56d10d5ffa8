"""core.limits: checks of settings that many functions take.

The functions call them, and so does the check of settings before a notebook runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real

import numpy as np


def check_list(name: str, values: Sequence[object]) -> None:
    """Raise unless a setting is an ordered collection: no text, no iterator, no set."""
    if isinstance(values, str | Iterator | set | frozenset) or not isinstance(values, Iterable):
        raise TypeError(f"`{name}` must be a list, got {values!r}")


def check_members(name: str, values: Sequence[object]) -> None:
    """Raise unless a setting is a list of at least one member without repeats."""
    check_list(name, values)
    members = list(values)
    if not members:
        raise ValueError(f"`{name}` is empty: name at least one")
    twice = [member for member in members if members.count(member) > 1]
    if twice:
        raise ValueError(f"`{name}` holds {twice[0]!r} twice")


def check_count(name: str, n: int, *, minimum: int = 1, maximum: int | None = None) -> None:
    """Raise unless a number of draws, trials or documents is a whole number within its bounds."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise ValueError(f"`{name}` must be a whole number, got {n!r}")
    if n < minimum:
        raise ValueError(f"`{name}` must be at least {minimum}, got {n}")
    if maximum is not None and n > maximum:
        raise ValueError(f"`{name}` must be at most {maximum:,}, got {n:,}")


def check_number(name: str, value: object) -> None:
    """Raise unless a setting is a single number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"`{name}` must be a number, got {value!r}")


def check_share(name: str, value: float) -> None:
    """Raise unless a confidence level or a significance level lies in (0, 1)."""
    check_number(name, value)
    if not 0 < value < 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value < 100 else ""
        raise ValueError(f"`{name}` must be in (0, 1), got {value}{hint}")


def check_alpha(alpha: float) -> None:
    """Raise unless a significance level lies in (0, 1)."""
    check_share("alpha", alpha)


def check_confidence_level(confidence_level: float) -> None:
    """Raise unless a confidence level lies in (0, 1)."""
    check_share("confidence_level", confidence_level)


def check_rate(name: str, value: float) -> None:
    """Raise unless a share or a rate lies in [0, 1]."""
    check_number(name, value)
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be in [0, 1], got {value}")


def check_interval_draws(n: int, confidence_level: float) -> None:
    """Require enough draws for a percentile interval.

    With fewer, its ends are the extreme draws.
    """
    check_confidence_level(confidence_level)
    _check_draws(n, 2 / (1 - confidence_level), f"a {100 * confidence_level:g}\u00a0% interval")


def check_test_draws(n: int, alpha: float) -> None:
    """Require enough draws for a test to reach significance: p-values are at least 1 / (n + 1)."""
    check_alpha(alpha)
    _check_draws(n, 1 / alpha, f"a test at {alpha:g}")


def _check_draws(n: int, n_with_observed: float, purpose: str) -> None:
    minimum = math.ceil(round(n_with_observed, 6)) - 1
    if n < minimum:
        raise ValueError(f"`n_resamples` must be at least {minimum}, for {purpose}, got {n}")


def check_spread(name: str, n: int) -> None:
    """Require at least two draws."""
    check_count(name, n)
    if n < 2:
        raise ValueError(f"`{name}` must be at least 2, to have a spread, got {n}")
