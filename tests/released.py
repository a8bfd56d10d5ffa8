"""Whether files hold released cells: runs of consecutive scores, ratings or words of a release, in any of several spellings.

Numbers of a file are read in their order, also those that Plotly packs into base64; runs of them are compared with
rows and columns of a benchmark's matrices, as they are and rounded, as shares and as percentages, also where other
columns stand between them. A run is as long as chance needs to be ruled out.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

LENGTHS = (8, 16, 32)  # of runs of numbers
WORDS = 16  # of a run of words
STRIDES = range(1, 7)  # every number, every second, ...
CHANCE = 18  # a run by chance: once in ten to the power of this; runs are compared by the hundred million
DIGITS = (1, 2, 3, 4, 5, 6)  # after the point; more digits say the same six
SCALES = {True: (1.0, 100.0), False: (1.0, 0.01)}  # of shares, and of points
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
PACKED = re.compile(r'"dtype":\s*"([fiu][1248])",\s*"bdata":\s*"([^"]+)"')
WORD = re.compile(r"[^\W\d_]+")
TEXT_FILES = {
    ".html",
    ".htm",
    ".js",
    ".json",
    ".csv",
    ".tsv",
    ".txt",
    ".md",
    ".svg",
    ".ipynb",
    ".xml",
    ".css",
    ".yml",
}
_BITS = 26
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Found:
    """A run of released cells in a file."""

    file: str
    what: str


@dataclass
class Index:
    """Runs of released cells by their fingerprints."""

    runs: dict[str, list[np.ndarray]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def add_matrix(self, name: str, matrix: np.ndarray) -> None:
        """Rows and columns of a matrix (systems, documents), NaN where missing."""
        for scale in SCALES[np.nanmax(np.abs(matrix), initial=0) <= 1.5]:
            for digits in DIGITS:
                spelled = np.round(matrix * scale, digits)
                length = needed(spelled)
                if length is None:
                    continue
                for lines in (spelled, spelled.T):
                    whole = ~np.isnan(lines).any(axis=1)
                    parts = [line[None, ~np.isnan(line)] for line in lines[~whole]]
                    for part in [lines[whole], *parts]:
                        found = fingerprints(as_codes(part), length, 1)
                        self.runs.setdefault(name, []).append(found[varied(part, length)])

    def add_text(self, name: str, text: str) -> None:
        """Words of a text, whatever stands between them."""
        self.runs.setdefault(name, []).append(fingerprints(word_codes(text), WORDS, 1))

    def search(self, files: Iterable[Path], root: Path) -> list[Found]:
        """Which of the files hold a run, and of what."""
        names = list(self.runs)
        flat = [(np.concatenate(self.runs[name]), i) for i, name in enumerate(names)]
        prints = np.concatenate([found for found, _ in flat])
        owners = np.concatenate([np.full(len(found), i) for found, i in flat])
        order = np.argsort(prints)
        prints, owners = prints[order], owners[order]
        may_be = np.zeros(2**_BITS, dtype=bool)
        may_be[prints >> np.uint64(64 - _BITS)] = True
        found = []
        for path in files:
            hits: set[str] = set()
            for asked in file_fingerprints(path):
                some = asked[may_be[asked >> np.uint64(64 - _BITS)]]
                place = np.minimum(np.searchsorted(prints, some), len(prints) - 1)
                hits |= {names[i] for i in np.unique(owners[place[prints[place] == some]])}
            found += [Found(path.relative_to(root).as_posix(), name) for name in sorted(hits)]
        return found


def needed(values: np.ndarray) -> int | None:
    """How long a run has to be to say anything, None where no length that is searched does."""
    kept = values[~np.isnan(values)]
    if not len(kept):
        return None
    shares = np.unique(kept, return_counts=True)[1] / len(kept)
    digits_each = -(shares * np.log10(shares)).sum()
    return next((length for length in LENGTHS if length * digits_each >= CHANCE), None)


def varied(lines: np.ndarray, length: int) -> np.ndarray:
    """Which runs along the last axis are no counting and no constant: several values, that both rise and fall."""
    if lines.shape[-1] < length:
        return np.zeros((len(lines), 0), dtype=bool)
    runs = np.lib.stride_tricks.sliding_window_view(lines, length, axis=-1)
    steps = np.diff(runs, axis=-1)
    distinct = (np.diff(np.sort(runs, axis=-1), axis=-1) != 0).sum(axis=-1) + 1
    several = {8: 5, 16: 6, 32: 4}[length]
    return (distinct >= several) & (steps < 0).any(axis=-1) & (steps > 0).any(axis=-1)


def as_codes(values: np.ndarray) -> np.ndarray:
    """Numbers to six digits after the point, as whole numbers."""
    return np.rint(np.clip(values, -1e9, 1e9) * 1e6).astype(np.int64).view(np.uint64)


def word_codes(text: str) -> np.ndarray:
    """Words as numbers that are the same in every process."""
    return np.array([_code(word) for word in WORD.findall(text.lower())], dtype=np.uint64)


@cache
def _code(word: str) -> int:
    return int.from_bytes(word.encode()[:8].ljust(8), "little") ^ len(word)


def fingerprints(codes: np.ndarray, length: int, stride: int) -> np.ndarray:
    """Of every run of `length` codes along the last axis that are `stride` apart; `length` is a power of two."""
    if codes.shape[-1] <= (length - 1) * stride:
        return np.zeros((*codes.shape[:-1], 0), dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = codes * _ODD
        mixed ^= mixed >> np.uint64(29)
        total, weight, done = mixed * _ODD, _ODD, 1
        while done < length:  # a run is two of half its length
            total = total[..., : -done * stride] + weight * total[..., done * stride :]
            weight, done = weight * weight, 2 * done
        total ^= total >> np.uint64(32)
        return total * _ODD


def numbers_of(text: str) -> Iterator[np.ndarray]:
    """The numbers of a text in their order, and those of each packed array."""
    plain = PACKED.sub(" ", text)
    yield np.array([float(number) for number in NUMBER.findall(plain)])
    for kind, packed in PACKED.findall(text):
        yield np.frombuffer(base64.b64decode(packed), dtype=f"<{kind}").astype(float)


def file_fingerprints(path: Path) -> Iterator[np.ndarray]:
    """Fingerprints of all runs of numbers and of words in a file; none of what is no text."""
    if path.suffix.lower() not in TEXT_FILES:
        return
    text = path.read_text(encoding="utf8", errors="replace").replace('\\"', '"')
    for numbers in numbers_of(text):
        numbers = numbers[np.isfinite(numbers)]
        codes = as_codes(numbers)
        for stride in STRIDES:
            for length in LENGTHS:
                yield fingerprints(codes, length, stride)
    words = re.sub(r"<[^>]*>|\\[nrt]", " ", text) if path.suffix.lower() in {".html", ".htm"} else text
    yield fingerprints(word_codes(html.unescape(words)), WORDS, 1)
