r"""pyramid.extraction: short sentences cut out of a reference (Semantic Triplet Units).

Zhang and Bansal 2021, §3.2, label semantic roles: each verb makes a frame; what stands before the verb and
the verb itself are kept, and each argument after the verb makes one unit,
:math:`(\mathrm{before}, V, \mathrm{after}_i)`. A negation, or a form of *be*, right before the verb is kept
with it.

Deviation: the paper's labeller is AllenNLP's, whose last release, 2.10.1, is of 2022 and asks for PyTorch
below 1.13. Here frames are guessed from part-of-speech tags by rules, without any download; and pronouns are
left as they are, where the paper replaces them by the names that they stand for. The page `lite3` measures
how far this gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metaeval.core.errors import DataError
from metaeval.metrics.text import sentences, tokenize, word_tags

_BE = frozenset(("be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"))
_NO_FRAME = frozenset(("according", "including", "following", "regarding", "concerning", "given", "based"))
_NOT_A_START = frozenset(("CJC", "CJS", "CJT", "PUN", "AV0"))


@dataclass(frozen=True)
class Frame:
    """A verb with its arguments, as words.

    Attributes
    ----------
    before : tuple of str, what stands before the verb in the unit
    verb : tuple of str, with a negation or form of *be* that stood right before it
    after : tuple of tuples of str, the arguments after the verb
    """

    before: tuple[str, ...]
    verb: tuple[str, ...]
    after: tuple[tuple[str, ...], ...]

    def units(self) -> list[str]:
        """One text per argument after the verb; the verb alone where only something stands before it."""
        head = (*self.before, *self.verb)
        if self.after:
            return [" ".join((*head, *argument)) for argument in self.after]
        return [" ".join(head)] if self.before else []


def frames_from_tags(tokens: Sequence[str], tags: Sequence[str]) -> list[Frame]:
    """Frames guessed from part-of-speech tags.

    A verb that another verb follows, adverbs aside, is its auxiliary. Before a verb stands the phrase back to
    the last clause boundary; where that is empty (*and left*, *to leave*) it is the previous verb's, and
    before a relative pronoun the noun phrase that it follows. After a verb, every preposition but *of*, *to*
    with a verb, and every conjunction or comma that begins a clause begins an argument.
    """
    if len(tokens) != len(tags):
        raise DataError(f"there must be one tag per word: {len(tokens)} words, {len(tags)} tags")
    frames: list[Frame] = []
    subject: tuple[str, ...] = ()
    previous_end = 0
    for v in _main_verbs(tokens, tags):
        group = v
        while group > previous_end and (
            tags[group - 1].startswith("V") or tags[group - 1] in ("AV0", "XX0", "TO0")
        ):
            group -= 1
        start = group
        while start > previous_end and not _is_boundary(tags[start - 1]):
            start -= 1
        before = _trimmed(tokens, tags, start, group)
        # "and left", "after leaving", "to leave" have no subject of their own
        led = tags[group - 1] if group else ""
        inherits = led in ("CJC", "PRP", "CJS") or "TO0" in tags[group:v]
        if inherits or not any(_is_nominal(tags[i]) for i in range(start, group)):
            relative = start > 0 and tags[start - 1] in ("PNQ", "DTQ")
            antecedent = _noun_phrase_before(tokens, tags, start - 1) if relative else ()
            before = antecedent or subject or _trimmed(tokens, tags, 0, group)
        subject = before
        first = v - 1 if v and (tags[v - 1] == "XX0" or tokens[v - 1].lower() in _BE) else v
        after = _arguments(tokens, tags, v + 1)
        previous_end = v + 1
        frames.append(Frame(before, tuple(tokens[first : v + 1]), after))
    return frames


def _main_verbs(tokens, tags) -> list[int]:
    places = []
    for i, t in enumerate(tags):
        if not t.startswith("V") or t == "VM0" or tokens[i].lower() in _NO_FRAME:
            continue
        following = i + 1
        while following < len(tags) and tags[following] in ("AV0", "XX0"):
            following += 1
        helps = t[:2] in ("VB", "VH", "VD") and following < len(tags) and tags[following].startswith("V")
        before_noun = i + 1 < len(tags) and _is_nominal(tags[i + 1])
        attributive = t in ("VVN", "VVG") and i and tags[i - 1] in ("AT0", "DPS", "AJ0") and before_noun
        if not helps and not attributive:
            places.append(i)
    return places


def _is_nominal(t: str) -> bool:
    return t.startswith("N") or t in ("PNP", "PNI", "PNX", "CRD", "DT0")


def _is_boundary(t: str) -> bool:
    return t in ("PUN", "CJS", "CJT", "PNQ", "DTQ", "AVQ") or t.startswith("V")


def _trimmed(tokens, tags, start, stop) -> tuple[str, ...]:
    while start < stop and tags[start] in _NOT_A_START:
        start += 1
    return tuple(tokens[i] for i in range(start, stop) if tags[i] != "PUN")


def _noun_phrase_before(tokens, tags, stop) -> tuple[str, ...]:
    while stop and tags[stop - 1] in ("PUN", "PRP"):
        stop -= 1
    start = stop
    while start and (_is_nominal(tags[start - 1]) or tags[start - 1] in ("AT0", "AJ0", "DPS", "POS", "ORD")):
        start -= 1
    return tuple(tokens[start:stop])


def _arguments(tokens, tags, start) -> tuple[tuple[str, ...], ...]:
    parts: list[list[str]] = [[]]
    clause_open = False  # a clause is an argument as a whole
    for i in range(start, len(tokens)):
        t = tags[i]
        if tokens[i] in (".", ";", ":", "?", "!"):
            break
        if not clause_open:
            begins = t in ("PRP", "TO0", "CJS", "CJT")
            if begins and parts[-1]:
                parts.append([])
            clause_open = t in ("TO0", "CJS", "CJT")
            if t in ("PNQ", "DTQ"):
                break  # a relative clause, with frames of its own
            if t.startswith("V") and t != "VVN":
                # "said she left", "after leaving" are arguments; anything else is the next frame
                if not (len(parts) == 1 or (t == "VVG" and len(parts[-1]) == 1)) or (
                    t == "VVG" and parts == [[]]
                ):
                    break
                clause_open = True
        if t != "PUN":
            parts[-1].append(tokens[i])
        elif not clause_open and parts[-1] and tokens[i] == ",":
            if i + 1 < len(tags) and tags[i + 1] in ("CJC", "CJS"):
                break
            parts.append([])
    return tuple(tuple(_drop_conjunction(part)) for part in parts if any(w[0].isalnum() for w in part))


def _drop_conjunction(part: Sequence[str]) -> Sequence[str]:
    return part[:-1] if len(part) > 1 and part[-1].lower() in ("and", "or", "but") else part


def _units_of(text: str) -> list[str]:
    units = []
    for sentence in sentences(text):
        tokens = tokenize(sentence)
        clauses = [unit for frame in frames_from_tags(tokens, word_tags(tokens)) for unit in frame.units()]
        # a sentence without a tagged verb is a unit as a whole
        units += clauses or [" ".join(token for token in tokens if any(c.isalnum() for c in token))]
    return list(dict.fromkeys(unit for unit in units if unit.strip()))


def extract(references: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Units of every document, from all its references.

    Parameters
    ----------
    references : mapping, document -> its reference summaries

    Returns
    -------
    dict, document -> its units

    Raises
    ------
    DataError
        If a document's references give no unit.
    MissingExtraError
        If the tagger is not installed.
    """
    extracted = {
        d: tuple(unit for text in texts for unit in _units_of(text)) for d, texts in references.items()
    }
    for document, units in extracted.items():
        if not units:
            raise DataError(f"the references of {document} give no unit: are they empty?")
    return extracted
