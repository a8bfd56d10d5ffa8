"""simulation.grammar: words and phrases from which simulated news is made, as `simulation.texts` takes them.

They stand beside this module in ``grammar.yml``, written for this project, with what its slots mean; the file
is read when they are asked for first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from metaeval.core.paths import parse_yaml

Forms = tuple[str, str, str]  # three ways of saying one thing, with slots


@dataclass(frozen=True)
class Grammar:
    """The words of simulated news.

    Attributes
    ----------
    first_names, last_names, places, weekdays, months : tuple of str
    organisations : mapping, topic -> kinds of organisation, each with a slot for a place
    relations : mapping, topic -> what happens there
    common : what happens under any topic
    tails, fillers : ends of sentences and whole sentences that tell no fact
    """

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    places: tuple[str, ...]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    organisations: dict[str, tuple[str, ...]]
    relations: dict[str, tuple[Forms, ...]]
    common: tuple[Forms, ...]
    tails: tuple[str, ...]
    fillers: tuple[str, ...]

    @property
    def topics(self) -> tuple[str, ...]:
        """What a story may be about."""
        return tuple(self.relations)


@cache
def grammar() -> Grammar:
    """The grammar of the file."""
    text = (files("metaeval.simulation") / "grammar.yml").read_text(encoding="utf8")
    return Grammar(**{name: _fixed(words) for name, words in parse_yaml(text).items()})


def _fixed(value):
    """Lists as tuples, at any depth."""
    if isinstance(value, dict):
        return {name: _fixed(inner) for name, inner in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value
