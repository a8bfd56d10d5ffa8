"""own.words: names of columns, judges and files, and words in cells, as ``data/roles.yml`` lists them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import SimpleNamespace

from metaeval.core.paths import DATA, read_yaml

PEOPLE = "people"  # the judgment of people, where it has no other name
SYNONYMS = {"document": "item", "metric": "judge"}
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)")
_BRACKET = re.compile(r"[(\[][^)\]]*[)\]]")  # a scale, a unit or a date
_SYSTEM = re.compile(r"(system|model|sys)[\W_]*\w{0,3}", re.IGNORECASE)
_EXPERTS = {"expert", "experts"}
_CROWD = {"crowd", "turker", "turkers", "mturk", "amt", "worker", "workers", "crowdworker", "crowdworkers"}
_NOT_GIVEN = {"an id", "a count", "a time", "a cost", "about a judgment"}  # of people, and no score of theirs
_NUMBERED = ("system", "judge", "rater", "criterion")  # roles whose names may end with id or index
_WITH_INDEX = {"ann", "annot", "annotation"}  # a person's only with a number or letter behind


@dataclass(frozen=True)
class Of:
    """Owner of a column of values.

    Attributes
    ----------
    name : str
        The judge's; of people their criterion, or ``people``; "" where another column or the file names it.
    rater : str
    person : bool
    criterion : str
        What a judge's values are of, "" where nothing says it.
    kind : str
        Of people ``"expert"``, ``"crowd"``, ``"together"`` of what stands for all of them, or "".
    """

    name: str = ""
    rater: str = ""
    person: bool = False
    criterion: str = ""
    kind: str = ""


ANYBODY = Of(PEOPLE, person=True)


def by_rater(name: str) -> Of:
    """Owner of what one person gave."""
    return Of(PEOPLE, rater=name, person=True)


@lru_cache(maxsize=100_000)
def plain(name: str) -> str:
    """Name in lower case, with one underscore for all that is no letter or digit."""
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


@cache
def lexicon() -> SimpleNamespace:
    """Contents of ``data/roles.yml`` as sets and mappings."""
    raw = read_yaml(DATA / "roles.yml")
    sets = {key: frozenset(text.split()) for key, text in raw.items() if isinstance(text, str)}
    lists = {role: text.split() for role, text in raw["names"].items()}
    names = {role: {name: place for place, name in enumerate(of)} for role, of in lists.items()}
    labels = dict.fromkeys(sets["fails"], 0.0) | dict.fromkeys(sets["passes"], 1.0)
    sides = {"first": 1.0, "second": 0.0, "tie": 0.5}
    choices = {word: value for side, value in sides.items() for word in sets[side]}
    return SimpleNamespace(
        **{
            key: value
            for key, value in sets.items()
            if key not in ("first", "second", "tie", "missing", "sums")
        },
        names=names,
        reasons={word: reason for reason, text in raw["ignored"].items() for word in text.split()},
        labels=labels,
        choices=choices,
        scales=[[word.strip() for word in scale.split("<")] for scale in raw["scales"]],
        missing=frozenset(raw["missing"]),
        sums=sets["sums"] | {*raw["summary_rows"]},
        parts=raw["usual_parts"].split(),
    )


@lru_cache(maxsize=100_000)
def tokens(name: str) -> tuple[str, ...]:
    """Words and numbers of a name, in lower case."""
    return tuple(token.lower() for token in _TOKEN.findall(_CAMEL.sub(" ", name)))


def place_in(role: str, name: str) -> int | None:
    """Place of a name among the usual ones of a role; None if it is none of them.

    Examples
    --------
    >>> [place_in("system", name) is None for name in ("ModelName", "response_model_id", "judge_model_id")]
    [False, False, True]
    """
    names, words = lexicon().names[role], tokens(name)
    place = names.get(plain(name), names.get("_".join(words)))
    if place is None and role == "system" and len(words) > 2 and lexicon().other_models.isdisjoint(words):
        place = names.get("_".join(words[-2:]))
    if place is None and role in _NUMBERED and len(words) > 1 and words[-1] in lexicon().keys:
        place = names.get("_".join(words[:-1]), names.get(words[0]) if role == "rater" else None)
    return place


def is_usual(name: str, *roles: str) -> bool:
    """True for a usual name of one of some roles."""
    return any(place_in(role, name) is not None for role in roles)


def is_length(name: str) -> bool:
    """True for the name of a score that says how long a text is."""
    return plain(name) in lexicon().lengths


def is_machine(name: str) -> bool:
    """True for a name that speaks of a model, a program or a metric."""
    words = tokens(name)
    vocabulary = lexicon().machines | lexicon().metrics
    return (
        plain(name) in vocabulary
        or not vocabulary.isdisjoint(words)
        or any(len(pair) > 3 and pair in vocabulary for pair in map("".join, itertools.pairwise(words)))
    )


def is_model(name: str) -> bool:
    """True for the name of a language model, or such as system_a."""
    words = tokens(name)
    pairs = map("".join, itertools.pairwise(words))
    return _SYSTEM.fullmatch(name) is not None or not lexicon().model_names.isdisjoint((*words, *pairs))


def is_metric(name: str) -> bool:
    """True for the name of a metric."""
    words = tokens(name)
    return plain(name) in lexicon().metrics or not lexicon().metrics.isdisjoint(
        {*words, "_".join(words[:2]), "".join(words[:2])}
    )


def is_criterion(name: str) -> bool:
    """True for the bare name of what is judged, such as coherence."""
    words = [word for word in tokens(name) if word not in lexicon().value_words]
    return "_".join(words) in lexicon().criteria or plain(name) in lexicon().criteria


def falls_by_name(name: str) -> bool:
    """True for the name of a score of which lower is better, such as eval/loss; not of neg_loss."""
    words, names = tokens(name), lexicon().directions_down
    last = len(words) > 1 and words[-1] in names and lexicon().negations.isdisjoint(words)
    return "↓" in name or plain(name) in names or last


def why_ignored(name: str) -> str:
    """Reason for which numbers of a name are no scores; "" for none."""
    words = tokens(_BRACKET.sub("", name)) or tokens(name)
    reasons = lexicon().reasons
    scored = words[-1:] == ("chosen",) and words[0] in lexicon().value_words  # beside that of the rejected
    if not words or scored or is_length(name) or plain(name) in lexicon().directions_down:
        return ""
    if len(words) > 1 and words[0] in ("n", "num", "number", "nr", "count", "counts", "votes"):
        return "a count"
    if words[0] in ("is", "has", "was", "if") and words[-1] in reasons:
        return reasons[words[-1]]
    last = words[-2] if len(words) > 1 and (words[-1].isdigit() or words[-1] == "none") else words[-1]
    if last in lexicon().ambiguous and is_machine(name):
        return ""
    return reasons.get(plain(name)) or reasons.get("_".join(words[-2:])) or reasons.get(last, "")


def kind_of_person(name: str) -> str:
    """The word expert or crowd by the first word of a name; "" for any other."""
    first = {*tokens(name)[:1]}
    return "expert" if first & _EXPERTS else "crowd" if first & _CROWD else ""


def people_of(name: str) -> Of | None:
    """Owner of values by their name, where that is people's; else None.

    Examples
    --------
    >>> people_of("human_fluency").name, people_of("Annotator 2").rater, people_of("Human 1 RE").name
    ('fluency', 'annotator_2', 'RE')
    """
    if plain(name) in lexicon().names["human"]:
        return Of(PEOPLE, person=True, kind=kind_of_person(tokens(name)[0]))
    if why_ignored(name) in _NOT_GIVEN:
        return None
    bare = _BRACKET.sub("", name)
    inside = not tokens(bare) or not lexicon().people.isdisjoint({*tokens(name)} - {*tokens(bare)})
    spaced = _CAMEL.sub(" ", name if inside else bare)
    matches = [match for match in _TOKEN.finditer(spaced)]
    words = [match[0].lower() for match in matches]
    people = lexicon().people | _WITH_INDEX
    at = next((i for i, word in enumerate(words) if word in people), None)
    if at is None:
        return None
    after = words[at + 1] if at + 1 < len(words) else ""
    indexed = after.isdigit() or (len(after) == 1 and after.isalpha())
    if words[at] in _WITH_INDEX and not indexed:
        return None
    if not lexicon().machines.isdisjoint(words[:at]) or is_model(name) or "llm" in words:
        return None
    rater = (
        plain(name[: len(name)] if len(words) == at + 2 and at == 0 else f"{words[at]}_{after}")
        if indexed
        else ""
    )
    gone = {at, at + 1} if indexed else {at}
    rest = [
        match for i, match in enumerate(matches)
        if i not in gone and words[i] not in lexicon().averages | lexicon().value_words | lexicon().people
    ]  # fmt: skip
    if len(rest) == 1 and rest[0][0].isdigit() and not rater:
        return Of(PEOPLE, plain(name), person=True)
    rest = [match for match in rest if not match[0].isdigit()] if all(m[0].isdigit() for m in rest) else rest
    adjoining = rest and rest[-1].end() - rest[0].start() == sum(len(m[0]) for m in rest) + len(rest) - 1
    of = spaced[rest[0].start() : rest[-1].end()] if adjoining else "_".join(match[0] for match in rest)
    kind = kind_of_person(words[at])
    if not rater and not lexicon().together.isdisjoint(words):
        kind = "together"
    return Of(of or PEOPLE, rater=rater, person=True, kind=kind)


def are_raters(names: Collection[str]) -> bool:
    """True for several names that are alike but for a number or a letter at their end: x1, x2, x3."""
    stems = {re.fullmatch(r"(?P<what>.*?)(?:_?\d+|_[a-z])", plain(name)) for name in names}
    whats = {stem["what"] if stem else "" for stem in stems}
    return (
        len(names) > 1 and None not in stems and len(whats) == 1 and not is_usual(*whats, "item", "criterion")
    )


def split_owners(names: Iterable[str]) -> tuple[dict[str, Of], str]:
    """People among names of judges and raters in one column, and the rule in a sentence.

    All names with one word in front of a number are alike: experts 1 to 60, authors 0 to 6.
    """
    names = list(names)
    people = {name: of for name in names if (of := people_of(name)) is not None}
    if not people or len(people) == len(names):
        return people, ""
    words = sorted({tokens(name)[0] for name in people})
    others = [name for name in names if name not in people]
    return people, f"By their names people are {', '.join(words)}; judges are {', '.join(sorted(others)[:5])}"


def kinds_of(words: Iterable[str], *, all_known: bool = False) -> dict[str, bool]:
    """Words of a column of kinds, each true if of people; with `all_known` none if one says neither."""
    people, machines = (
        lexicon().people | lexicon().human_beside,
        lexicon().machines | lexicon().machine_beside,
    )
    kinds = {word: not people.isdisjoint(tokens(word)) for word in words}
    vocabulary = [word for word, person in kinds.items() if person or not machines.isdisjoint(tokens(word))]
    return kinds if not all_known or len(vocabulary) == len(kinds) else {}


def strip_criterion(name: str, criterion: str) -> str | None:
    """A judge's name without a criterion at an end of it; None where none is.

    Examples
    --------
    >>> strip_criterion("gpt4_coherence", "coherence"), strip_criterion("gpt4", "coherence")
    ('gpt4', None)
    """
    words, part = [word for word in re.split(r"[\W_]+", name) if word], plain(criterion).split("_")
    for start in (0, len(words) - len(part)):
        end = start + len(part)
        if start >= 0 and [word.lower() for word in words[start:end]] == part:
            return "_".join(words[:start] + words[end:])
    return None


def match_criteria(values: Mapping[str, Of], criteria: Iterable[str]) -> dict[str, Of]:
    """Owners of values, judges' criteria told by the names of people's: of gpt4_coherence coherence."""
    matched = dict(values)
    for column, of in values.items():
        if of.person or not of.name or of.criterion:
            continue
        bare = [word for word in plain(of.name).split("_") if word not in lexicon().value_words]
        name = "_".join(bare) or of.name
        for criterion in filter(plain, criteria):
            if strip_criterion(name, criterion) is not None:
                matched[column] = replace(of, criterion=criterion)
    return matched
