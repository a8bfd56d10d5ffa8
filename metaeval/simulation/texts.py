"""simulation.texts: made-up news, references, content units, and summaries that express chosen units.

`write_texts` writes texts for a given presence of units in summaries, so that scores, votes and texts of a
simulated benchmark are consistent. `index_documents` generates any number of documents by topic. Words and
phrases are in ``grammar.yml`` next to this module, written for this project; the file explains its slots and
is read on first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from metaeval.core.paths import parse_yaml
from metaeval.stats.streams import RNGLike, seed_of, stream

N_EXTRA = 6  # facts of a document that its reference leaves out
_POOL = 1500  # sentences per topic, from which index documents are composed
_BLOCK = 8192

Forms = tuple[str, str, str]  # three wordings of one fact, with slots


@cache
def grammar() -> dict[str, Any]:
    """The words of simulated news, by the names that head them in ``grammar.yml``.

    Events stand in three wordings: those of each topic in ``relations``, those of any topic in ``common``.
    """
    return parse_yaml((files("metaeval.simulation") / "grammar.yml").read_text(encoding="utf8"))


def topics() -> list[str]:
    """Topics of stories."""
    return list(grammar()["relations"])


@dataclass(frozen=True)
class Story:
    """Facts behind a document, its reference and its summaries.

    Attributes
    ----------
    facts : events, each in three wordings; first those of the content units, then those that the reference
        leaves out
    false_facts : like `facts`, one each, with a name, place or figure exchanged: not in the document
    n_units : int
    """

    facts: tuple[Forms, ...]
    false_facts: tuple[Forms, ...]
    n_units: int


@dataclass(frozen=True)
class SimulatedTexts:
    """Texts of a simulated benchmark.

    Attributes
    ----------
    sources, references : mapping, document -> text
    scus, stus : mapping, document -> units
        One per fact of the reference, as people would write them; and as a program would extract them, some
        of them missing and some split in two.
    summaries : mapping, (system, document) -> text
    """

    sources: Mapping[str, str]
    references: Mapping[str, str]
    scus: Mapping[str, tuple[str, ...]]
    stus: Mapping[str, tuple[str, ...]]
    summaries: Mapping[tuple[str, str], str]


def write_texts(
    present: np.ndarray,
    n_units: Sequence[int],
    *,
    systems: Mapping[str, str],
    documents: Sequence[str],
    rng: RNGLike = None,
) -> SimulatedTexts:
    """Write texts with exactly the units that are present.

    Parameters
    ----------
    present : bool array (n_systems, n_documents, largest n_units)
    n_units : int array (n_documents,)
    systems : mapping, system -> type
        ``"ext"`` systems copy sentences of the document; others paraphrase, merge and invent.
    documents : ids
    rng : int, Generator or None
    """
    seed = seed_of(rng)
    sources, references, scus, stus, summaries = {}, {}, {}, {}, {}
    for j, document in enumerate(documents):
        story = write_story(int(n_units[j]), rng=stream(seed, document, "story"))
        sentences, order = _document(story, stream(seed, document, "source"))
        sources[document] = " ".join(sentences[i] for i in order)
        references[document] = " ".join(fact[1] for fact in story.facts[: story.n_units])
        scus[document] = tuple(fact[0] for fact in story.facts[: story.n_units])
        stus[document] = _machine_units(scus[document], stream(seed, document, "machine units"))
        for i, (system, kind) in enumerate(systems.items()):
            units = np.flatnonzero(present[i, j, : story.n_units]).tolist()
            own = stream(seed, document, "summary", system)
            if kind == "ext":
                summaries[system, document] = _extract(story, sentences, order, units, own)
            else:
                summaries[system, document] = _abstract(story, units, own)
    return SimulatedTexts(sources, references, scus, stus, summaries)


def write_story(n_units: int, *, rng: RNGLike = None) -> Story:
    """Write a story with `n_units` facts for its reference and a few more."""
    rng = stream(seed_of(rng), "story")
    words = grammar()
    topic = topics()[rng.integers(len(topics()))]
    cast, other = _cast(topic, rng), _cast(topic, rng)
    relations = [*words["relations"][topic], *words["common"]]
    n_facts = n_units + N_EXTRA
    chosen = [relations[k] for k in rng.permutation(len(relations))]
    facts: dict[Forms, Forms] = {}
    k = 0
    while len(facts) < n_facts:  # relations repeat with other people and figures
        relation = chosen[k % len(chosen)]
        slots = {name: values[rng.integers(len(values))] for name, values in cast.items()}
        if slots["P"] == slots["Q"]:
            slots["Q"] = cast["P"][(cast["P"].index(slots["P"]) + 1) % len(cast["P"])]
        wrong = slots | {name: other[name][rng.integers(len(other[name]))] for name in ("P", "L", "F", "O")}
        fact = tuple(_sentence(form, slots) for form in relation)
        facts.setdefault(fact, tuple(_sentence(form, wrong) for form in relation))
        k += 1
    return Story(tuple(facts), tuple(facts.values()), n_units)


def _sentence(form: str, slots: Mapping[str, str]) -> str:
    text = form.format_map(slots)
    return text[0].upper() + text[1:]


def _cast(topic: str, rng: np.random.Generator) -> dict[str, list[str]]:
    """Draw the people, organisations, places, dates and figures of a story."""
    words = grammar()
    first, last = (rng.permutation(len(names))[:4] for names in (words["first_names"], words["last_names"]))
    people = [f"{words['first_names'][a]} {words['last_names'][b]}" for a, b in zip(first, last, strict=True)]
    places = [words["places"][k] for k in rng.permutation(len(words["places"]))[:3]]
    kinds = words["organisations"][topic]
    return {
        "P": people,
        "Q": people,
        "O": [kinds[k].format(place) for k, place in zip(rng.permutation(len(kinds)), places, strict=True)],
        "L": places,
        "D": [
            words["weekdays"][rng.integers(7)],
            *(
                f"{words['months'][rng.integers(len(words['months']))]} {rng.integers(1, 29)}"
                for _ in range(3)
            ),
        ],
        "F": [str(int(n)) for n in rng.integers(2, 99, size=6)],
    }


def _document(story: Story, rng: np.random.Generator) -> tuple[list[str], list[int]]:
    """Write a sentence for every fact, some with a tail, and fillers; and draw their order."""
    tails, fillers = grammar()["tails"], grammar()["fillers"]
    sentences = []
    for fact in story.facts:
        tail = tails[rng.integers(len(tails))] if rng.random() < 0.5 else ""
        sentences.append(fact[0][:-1] + tail + ".")
    between = [fillers[k] for k in rng.permutation(len(fillers))[:4]]
    # the facts of the reference tend to come first
    keys = np.concatenate([np.arange(len(sentences)) * 0.5, rng.uniform(2, len(sentences), len(between))])
    keys += rng.normal(0, 3, len(keys))
    return [*sentences, *between], np.argsort(keys, kind="stable").tolist()


def _machine_units(scus: Sequence[str], rng: np.random.Generator) -> tuple[str, ...]:
    units = []
    for scu in scus:
        words = scu.rstrip(".").split()
        luck = rng.random()
        if luck < 0.15 and (units or len(scus) > 1):
            continue
        if luck < 0.4 and len(words) > 5:
            units += [" ".join(words[: len(words) // 2 + 1]), " ".join(words[len(words) // 2 - 1 :])]
        else:
            units.append(" ".join(words))
    return tuple(units or [scus[0].rstrip(".")])


def _extract(
    story: Story,
    sentences: Sequence[str],
    order: Sequence[int],
    units: Sequence[int],
    rng: np.random.Generator,
) -> str:
    """Copy sentences of the document, in its order: those of the units, and some others."""
    rest = [*range(story.n_units, len(sentences))]
    extra = {rest[k] for k in rng.permutation(len(rest))[: rng.integers(1, 5)]}
    chosen = {*units, *extra}
    return " ".join(sentences[i] for i in order if i in chosen)


def _abstract(story: Story, units: Sequence[int], rng: np.random.Generator) -> str:
    """Paraphrase the units, sometimes two in one sentence, among untrue facts and facts missing from the
    reference."""
    sentences = [story.facts[i][rng.integers(3)] for i in units]
    for _ in range(int(rng.integers(0, 3)) + (0 if sentences else 1)):
        facts = story.facts if rng.random() < 0.5 else story.false_facts
        sentences.append(facts[rng.integers(story.n_units, len(facts))][rng.integers(3)])
    merged = []
    for sentence in sentences:
        if merged and not merged[-1].endswith(" too.") and rng.random() < 0.2:
            merged[-1] = f"{merged[-1][:-1]}, while {_lower(sentence)[:-1]} too."
        else:
            merged.append(sentence)
    return " ".join(merged)


_ARTICLES = re.compile(r"^(The|A|An|In|On|At|For|From|Near|No|Since|Until|With|There|It)\b")


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:] if _ARTICLES.match(sentence) else sentence


def index_documents(
    n_documents: int, *, among: Sequence[str] | None = None, n_sentences: int = 8, rng: RNGLike = None
) -> Iterator[tuple[str, str, str]]:
    """Generate documents by topic, fast.

    Parameters
    ----------
    n_documents : int
    among : topics of the grammar, by default all
    n_sentences : int, mean length; a document has from half to one and a half times as many
    rng : int, Generator or None

    Yields
    ------
    (id, topic, text)
        The first documents do not depend on their number.
    """
    seed = seed_of(rng)
    names = topics() if among is None else among
    pools = [_pool(topic, stream(seed, "sentences", topic)) for topic in names]
    longest = n_sentences + n_sentences // 2
    for start in range(0, n_documents, _BLOCK):
        own = stream(seed, "documents", start)
        topic = own.integers(len(names), size=_BLOCK).tolist()
        length = own.integers(max(1, n_sentences // 2), longest + 1, size=_BLOCK).tolist()
        sentences = own.integers(_POOL, size=(_BLOCK, longest)).tolist()
        for k in range(min(_BLOCK, n_documents - start)):
            pool = pools[topic[k]]
            text = " ".join([pool[s] for s in sentences[k][: length[k]]])
            yield f"sim-{start + k:07d}", names[topic[k]], text


def _pool(topic: str, rng: np.random.Generator) -> list[str]:
    pool: list[str] = []
    relations = [*grammar()["relations"][topic], *grammar()["common"]]
    while len(pool) < _POOL:
        cast = _cast(topic, rng)
        for _ in range(10):
            slots = {name: values[rng.integers(len(values))] for name, values in cast.items()}
            pool.append(_sentence(relations[rng.integers(len(relations))][rng.integers(3)], slots))
    return pool[:_POOL]
