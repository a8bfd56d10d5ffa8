"""core.limits: what settings may be that many functions take.

Called by those functions, and by what checks settings before a notebook is run at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real

import numpy as np


def check_list(name: str, values: Sequence[object]) -> None:
    """Raise unless it holds members in an order.

    A text, of letters, is no list, nor is what can be gone through once, nor a set, whose order is any.
    """
    if isinstance(values, str | Iterator | set | frozenset) or not isinstance(values, Iterable):
        raise TypeError(f"`{name}` must be a list, got {values!r}")


def check_members(name: str, values: Sequence[object]) -> None:
    """Raise unless it is a list with a member or more, each of them once."""
    check_list(name, values)
    members = list(values)
    if not members:
        raise ValueError(f"`{name}` is empty: name at least one")
    twice = [member for member in members if members.count(member) > 1]
    if twice:
        raise ValueError(f"`{name}` holds {twice[0]!r} twice")


def check_count(name: str, n: int, *, at_least: int = 1, at_most: int | None = None) -> None:
    """Raise unless a number of draws, trials or documents is a whole number within its bounds."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise ValueError(f"`{name}` must be a whole number, got {n!r}")
    if n < at_least:
        raise ValueError(f"`{name}` must be at least {at_least}, got {n}")
    if at_most is not None and n > at_most:
        raise ValueError(f"`{name}` must be at most {at_most:,}, got {n:,}")


def check_number(name: str, value: object) -> None:
    """Raise unless a setting is one number.

    Raises
    ------
    ValueError
        What it is.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"`{name}` must be a number, got {value!r}")


def check_share(name: str, value: float) -> None:
    """Raise unless a confidence level or a level of significance lies in (0, 1)."""
    check_number(name, value)
    if not 0 < value < 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value < 100 else ""
        raise ValueError(f"`{name}` must be in (0, 1), got {value}{hint}")


def check_alpha(alpha: float) -> None:
    """Raise unless a level of significance lies in (0, 1)."""
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
    """Raise unless there are draws enough for a percentile interval.

    Of fewer it has no ends of its own, and what it shows hangs on one or two draws.
    """
    check_confidence_level(confidence_level)
    least = math.ceil(round(2 / (1 - confidence_level), 6)) - 1
    if n < least:
        raise ValueError(
            f"`n_resamples` must be at least {least}, for a {100 * confidence_level:g}\u00a0% interval, "
            f"got {n}"
        )


def check_test_draws(n: int, alpha: float) -> None:
    """Raise unless a test has draws enough to find anything: p-values are at least 1 / (n + 1)."""
    check_alpha(alpha)
    least = math.ceil(round(1 / alpha, 6)) - 1
    if n < least:
        raise ValueError(f"`n_resamples` must be at least {least}, for a test at {alpha:g}, got {n}")


def check_spread(name: str, n: int) -> None:
    """Raise unless there are draws enough to have a spread."""
    check_count(name, n)
    if n < 2:
        raise ValueError(f"`{name}` must be at least 2, to have a spread, got {n}")
