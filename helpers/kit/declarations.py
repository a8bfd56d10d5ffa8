"""kit.declarations: what a parameter of the notebooks may be and means, from ``data/parameters.yml``."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any

from metaeval.core.errors import choose
from metaeval.core.limits import check_members, check_share
from metaeval.core.paths import DATA, read_yaml

TABLE = DATA / "parameters.yml"
MAX_COUNT = 1_000_000  # of anything that is counted: more of it takes days, or does not fit into memory

# what the table calls by a name, since only code knows it; imported when it is asked for
KNOWN = {
    # names that may be given
    "coefficient": "metaeval.stats.correlation:COEFFICIENTS",
    "coefficient of agreement": "helpers.experiments.agreement:COEFFICIENTS",
    "data set of A Statistical Analysis": "helpers.kit.papers:REPORTED",
    "data set with units": "metaeval.datasets.readers.lite_pyramid:NAMES",
    "further metric": "helpers.experiments.rescored:OTHERS",
    "measure": "helpers.experiments.measures:MEASURES",
    "metric of ROUGE": "helpers.experiments.rescored:METRICS",
    "presence model": "metaeval.metrics.pyramid.study:JUDGES",
    "reading of texts": "helpers.experiments.rescored:READINGS",
    "release of pairs": "metaeval.datasets.catalogue:PAIRS",
    "test": "metaeval.stats.differences:TESTS",
    # functions that refuse a wrong value
    "data set": "helpers.kit.checks:check_dataset",
    "judged folds": "metaeval.metrics.pyramid.nli:load_presence",
    "interval method": "helpers.kit.checks:check_interval_method",
    "likeness": "metaeval.simulation.model:read",
    "metric of A Statistical Analysis": "helpers.kit.checks:check_reported_metric",
    "metric of texts": "metaeval.metrics.registry:metric",
    "model": "metaeval.metrics.embeddings:model_place",
    "paper": "helpers.kit.claims.checking:paper_claims",
    "rising numbers": "helpers.experiments.variance:check_rising",
    "release": "metaeval.datasets:describe",
    "scores": "metaeval.own.benchmark:read_array",
    "stories": "metaeval.datasets.readers.stories:split_names",
    "windows": "metaeval.stats.windows:closed_windows",
}

_HOLDS = {"at least": operator.ge, "above": operator.gt, "at most": operator.le, "below": operator.lt}


@dataclass(frozen=True)
class Declaration:
    """One parameter of a notebook: a row of the table, whose head says what the fields are."""

    name: str
    help: str
    min: float | None = None
    max: float | None = None
    above: float | None = None
    below: float | None = None
    choices: str | Sequence[Any] = ()
    check: str = ""
    check_list: str = ""
    among: str = ""
    enough_for: Sequence[str] = ()
    may_be_empty: bool = False
    may_repeat: bool = False
    label: str = ""
    slider: Sequence[float | str] = ()
    offer: str | Sequence[Any] = ()
    single: bool = False

    @property
    def values(self) -> tuple[Any, ...]:
        """The values that there are; none where no list has them all."""
        return tuple(resolve(self.choices) if isinstance(self.choices, str) else self.choices)

    def allowed(self, default: Any) -> str:
        """Values or bounds that may stand in place of the default; "" where neither says it."""
        if values := [str(value) for value in self.values]:
            mark = "; " if any("," in value for value in values) else ", "
            return f"{'of' if isinstance(default, list) else 'one of'}: {mark.join(values)}"
        ends = self._ends(_is_count(default)).items()
        return " and ".join(f"{word} {end:,}" for word, end in ends if end != math.inf)

    def check_value(self, value: Any, default: Any) -> None:
        """Raise unless a value, of the default's type, is one that the notebook can work with.

        Raises
        ------
        ValueError, TypeError, OSError or RuntimeError
            By what refuses it.
        """
        is_list = isinstance(value, list)
        if value in ("", []) and (self.may_be_empty or default in ("", [])):
            return
        if is_list and not (value and self.may_repeat):
            check_members(self.name, value)
        if self.check_list:
            resolve(self.check_list)(value)
        for member in value if is_list else [value]:
            self._check_member(member, _is_count(default))

    def check_among(self, settings: Mapping[str, Any]) -> None:
        """Raise unless each member is one of those that there are with the other settings."""
        there = dict.fromkeys(resolve(self.among)(settings))
        for member in settings[self.name]:
            choose(f"value of `{self.name}`, with these settings,", member, there)

    def _check_member(self, value: Any, is_count: bool) -> None:
        if self.check:
            resolve(self.check)(value)
        elif self.choices:
            what = self.choices if isinstance(self.choices, str) else f"value of `{self.name}`"
            choose(what, value, dict.fromkeys(self.values))
        elif value == "":
            raise ValueError(f"`{self.name}` must name something, got ''")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._check_number(value, self._ends(is_count))

    def _check_number(self, value: float, ends: Mapping[str, float]) -> None:
        if not math.isfinite(value):
            raise ValueError(f"`{self.name}` must be finite, got {value}")
        if (self.above, self.below) == (0, 1):
            check_share(self.name, value)
        for word, end in ends.items():
            if not _HOLDS[word](value, end):
                is_percent = all(_HOLDS[other](value / 100, bound) for other, bound in ends.items())
                hint = f"; did you mean {value / 100:g}?" if is_percent else ""
                raise ValueError(f"`{self.name}` must be {word} {end:,}, got {value:,}{hint}")

    def _ends(self, is_count: bool) -> dict[str, float]:
        """The bounds by the words for them; where the table gives a count none, the usual ones."""
        usual = {"at least": 1, "at most": MAX_COUNT} if is_count else {}
        ends = {"at least": self.min, "above": self.above, "at most": self.max, "below": self.below}
        return usual | {word: end for word, end in ends.items() if end is not None}


def declaration(notebook: str, name: str) -> Declaration | None:
    """Declaration of a notebook's parameter; None if there is none."""
    rows, own_name = table_rows(), f"{notebook}.{name}"
    if name not in rows and own_name not in rows:
        return None
    general, own = rows.get(name, {}), rows.get(own_name, {})
    if own.keys() & {"choices", "check"}:
        general = {key: value for key, value in general.items() if key not in ("choices", "check", "offer")}
    return Declaration(name, **(general | own))


@cache
def resolve(name: str) -> Any:
    """Object behind a name of `KNOWN`, or of `helpers.kit.live.choices`."""
    return resolve_name(KNOWN.get(name) or f"helpers.kit.live.choices:{name}")


@cache
def table_rows() -> dict[str, dict[str, Any]]:
    """The table by single names, of which several may share a row, and one have several."""
    rows: dict[str, dict[str, Any]] = {}
    for names, row in read_yaml(TABLE).items():
        for name in names.split(", "):
            rows[name] = rows.get(name, {}) | row
    return rows


def _is_count(default: Any) -> bool:
    """True if a parameter with this default is a whole number, or a list of them."""
    members = default if isinstance(default, list) else [default]
    return bool(members) and all(isinstance(one, int) and not isinstance(one, bool) for one in members)
