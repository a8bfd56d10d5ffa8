"""One test of many values that are held to one rule: what a test of each costs is paid once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a check of one value, its parameter `name`, as a test of all; every value that fails is named.

    Fixtures of the check are made once for all values.
    """
    listed = list(values)

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def test(**fixtures: Any) -> None:
            assert listed, f"no value of {name}"
            failures = []
            for value in listed:
                try:
                    check(**{name: value}, **fixtures)
                except Exception as failure:  # also what a check did not expect
                    failure.add_note(f"{name} = {value}")
                    failures.append(failure)
            if failures:
                raise failures[0] if len(failures) == 1 else ExceptionGroup("several values", failures)

        signature = inspect.signature(check)
        kept = [given for given in signature.parameters.values() if given.name != name]
        test.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return test

    return decorate
