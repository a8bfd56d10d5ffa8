r"""pyramid.extraction: short sentences cut out of a reference (Semantic Triplet Units).

Zhang and Bansal 2021, §3.2, label semantic roles: each verb makes a frame; what stands before the verb and
the verb itself are kept, and each argument after the verb makes one unit,
:math:`(\mathrm{before}, V, \mathrm{after}_i)`. A negation, or a form of *be*, right before the verb is kept
with it.

`from_frames` makes units as the released code makes them, from frames as AllenNLP's labeller gives them: the
words of a sentence, and for each verb a tag a word such as ``B-ARG0``; module `parsed` does the rest of what
the paper does with a parser. AllenNLP's last release, 2.10.1, is of 2022 and asks for PyTorch below 1.13.
HanLP 2.1 is kept up; its model ``UD_ONTONOTES_TOK_POS_LEM_FEA_NER_SRL_DEP_SDP_CON_MMINILMV2L6`` labels spans
with the same roles, which are to be written as tags, and gives constituency trees in brackets.

Deviation of `extract`: frames are guessed from part-of-speech tags by rules, without any download; and
pronouns are left as they are, where the paper replaces them by the names that they stand for. The page
`lite3` measures how far this gets.
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


_MODALS = frozenset(("'", "will", "could", "can", "might", "should", "would"))
_RELEASED_BE = frozenset(("am", "are", "is", "was", "were", "been"))


def from_frames(sentence: Mapping) -> list[str]:
    """Units of one sentence by the rule of the released code.

    A frame gives what is labelled before its verb, the verb, and one argument after it, as often as there
    are arguments after it. It gives nothing without anything labelled before the verb, if the verb follows
    *to*, or if it is a modal alone. A form of *be* right before the verb is put to it (not *be* or *being*,
    though the paper has *being* brought back in its Fig. 1), and so is a negation that comes first after
    it. What is said twice counts once, and a sentence without any unit is one itself.

    Parameters
    ----------
    sentence : mapping
        ``words``, and ``verbs``: a mapping for each frame, with ``tags``, one per word: ``O``, or ``B-ROLE``
        where a role begins and ``I-ROLE`` inside it; the verb's own role is ``V``.

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If a frame does not have a tag a word, or a tag is of another form.

    Examples
    --------
    >>> tags = ["B-ARG2", "O", "B-V", "B-ARG1", "I-ARG1"]
    >>> from_frames({"words": "She was sold a car".split(), "verbs": [{"tags": tags}]})
    ['She was sold a car']
    """
    words = sentence["words"]
    units = [unit for frame in sentence["verbs"] for unit in _units_of_frame(words, frame["tags"])]
    return list(dict.fromkeys(units)) or [" ".join(words)]


def _units_of_frame(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    if len(tags) != len(words):
        raise DataError(f"there must be one tag per word: {len(words)} words, {len(tags)} tags")
    before: list[str] = []
    verb: list[str] = []
    previous = ""  # the word that the verb follows
    after: list[tuple[str, list[str]]] = []
    for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if tag == "O":
            continue
        position, _, role = tag.partition("-")
        if position not in ("B", "I") or not role:
            raise DataError(f"a tag must be O, B-ROLE or I-ROLE, got {tag!r}")
        if role == "V":
            verb.append(word)
            previous = words[i - 1] if i else ""
        elif not verb:
            before.append(word)
        elif position == "B" or not after:
            after.append((role, [word]))
        else:
            after[-1][1].append(word)
    if not before or not verb or previous == "to":
        return []
    if previous in _RELEASED_BE:
        verb.insert(0, previous)
    if " ".join(verb) in _MODALS:
        return []
    if after and after[0][0] == "ARGM-NEG":
        verb += after.pop(0)[1]
    return [" ".join((*before, *verb, *argument)) for _, argument in after]


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
        attributive = (
            t in ("VVN", "VVG") and i and tags[i - 1] in ("AT0", "DPS", "AJ0") and _is_nominal_at(tags, i + 1)
        )
        if not helps and not attributive:
            places.append(i)
    return places


def _is_nominal_at(tags, i) -> bool:
    return i < len(tags) and _is_nominal(tags[i])


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
