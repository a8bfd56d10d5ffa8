"""readers.stories: documents that summaries are looked up in.

Newswire, Wikipedia, a folder of the user's own: each is a `Stories`, ids and texts, nothing else.
`load_stories` knows the pinned ones by name, `read_folder` and `read_jsonl` read the user's.
"""

from __future__ import annotations

import html
import json
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, SourceUnavailableError, choose, listing
from metaeval.datasets.fetch import fetch
from metaeval.datasets.readers.tables import read_lines, read_utf8, utf8_or_latin1
from metaeval.datasets.registry import SourceFile, files_below
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.wording import natural

_AT_ONCE = 8  # downloads at a time


@dataclass(frozen=True)
class Stories:
    """A collection of documents.

    Attributes
    ----------
    name : str
    ids : tuple of str, unique
    texts : tuple of str
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]

    def __post_init__(self):
        if len(self.ids) != len(self.texts):
            raise DataError(f"{self.name}: {len(self.ids)} ids for {len(self.texts)} texts")
        twice = [story for story, n in Counter(self.ids).items() if n > 1]
        if twice:
            raise DataError(f"{self.name}: two documents have one id: {listing(twice)}")
        if not self.ids:
            raise DataError(f"{self.name}: holds no document")

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(zip(self.ids, self.texts, strict=True))

    def sample(self, n: int, *, rng: RNGLike) -> Stories:
        """`n` of the documents drawn without replacement, in the collection's order."""
        if not 1 <= n <= len(self):
            raise ValueError(f"`n` must be from 1 to the number of documents ({len(self)}), got {n}")
        chosen = np.sort(stream(seed_of(rng), self.name).choice(len(self), n, replace=False)).tolist()
        return Stories(
            f"{n} of {self.name}", tuple(self.ids[i] for i in chosen), tuple(self.texts[i] for i in chosen)
        )


def join_stories(parts: Sequence[Stories], *, name: str) -> Stories:
    """Several collections as one; an id that two of them have is an error."""
    return Stories(
        name,
        tuple(story for part in parts for story in part.ids),
        tuple(content for part in parts for content in part.texts),
    )


# --------------------------------------------------------------------------------------- pinned collections

_STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.S)
_NEW_ID = re.compile(r'\bNEWID="([0-9]+)"')
_BODY = re.compile(r"<BODY>(.*?)</BODY>", re.S)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_SIGN_OFF = re.compile(r"\s*reuters?\s*$", re.I)


def _read_reuters(files: Sequence[SourceFile], paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The stories with a body, as (``reuters/NEWID``, body)."""
    for path in paths:
        content = path.read_bytes().decode("latin-1")  # one byte in all files is not ASCII
        for attributes, inside in _STORY.findall(content):
            if body := _BODY.search(inside):
                plain = _CONTROL.sub(" ", html.unescape(body[1]))
                yield f"reuters/{_NEW_ID.search(attributes)[1]}", _SIGN_OFF.sub("", plain)


def _read_bbc(files: Sequence[SourceFile], paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for file, path in zip(files, paths, strict=True):
        yield file.path.removesuffix(".txt"), utf8_or_latin1(path)  # one is not UTF-8


def _read_archive(files: Sequence[SourceFile], paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The ``.txt`` files of GeSERA's Wikipedia sets, read without unpacking."""
    with tarfile.open(paths[0], "r:gz") as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(".txt"):
                yield Path(member.name).stem, archive.extractfile(member).read().decode()


@dataclass(frozen=True)
class Collection:
    """A pinned collection: the files of a repository below a folder, with an ending, and their reader."""

    repository: str
    folder: str
    ending: str
    read: Callable[[Sequence[SourceFile], Sequence[Path]], Iterator[tuple[str, str]]]

    def files(self) -> list[SourceFile]:
        """The pinned files, in natural order."""
        pinned = [f for f in files_below(self.repository, self.folder) if f.path.endswith(self.ending)]
        return sorted(pinned, key=lambda file: natural(file.path))


COLLECTIONS = {
    # Reuters-21578, financial newswire of 1987; BBC news of 2004 and 2005; GeSERA's articles of Wikipedia
    "reuters": Collection("colibri17/TextCategorization", "reuters21578/", ".sgm", _read_reuters),
    "bbc": Collection("dejanbatanjac/bbc-article-classify-bert", "bbc/", ".txt", _read_bbc),
    **{
        f"wiki{size}": Collection("JessicaLopezEspejel/GeSERA", f"data/wiki{size}", ".tar.gz", _read_archive)
        for size in (10_000, 30_000)
    },
}
# collections that the paper searches and that may not be redistributed
LICENSED = {
    "aquaint2": "AQUAINT-2 is licensed by the Linguistic Data Consortium (LDC2008T25)",
    "pubmed": "the PubMed articles of Cohan et al. 2018 are under their publishers' terms",
    "wikipedia": "the paper's 1,778,742 articles of Wikipedia were not released",
}


def split_names(name: str) -> list[str]:
    """The collections that a name such as ``"reuters+bbc"`` or ``"bbc+aquaint2:FOLDER"`` joins.

    Raises
    ------
    UnknownNameError
        If there is no such collection.
    SourceUnavailableError
        If a collection is licensed, or there is no such folder or file of the user's own.
    """
    names = name.split("+")
    for one in names:
        if one in LICENSED:
            raise SourceUnavailableError(
                f"{one}: {LICENSED[one]}. If you have it, give its place: {one}:FOLDER or {one}:FILE.jsonl"
            )
        if ":" in one:
            _place(one)
        else:
            choose("collection of stories", one, COLLECTIONS)
    return names


@cache
def load_stories(name: str) -> Stories:
    """One pinned collection by name, read once per process.

    Raises
    ------
    UnknownNameError
        If there is no such collection.
    SourceUnavailableError, IntegrityError, DataError
        If a file cannot be fetched, is not the pinned one, or does not hold what its format promises.
    """
    collection = choose("collection of stories", name, COLLECTIONS)
    files = collection.files()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        paths = list(pool.map(fetch, files))
    return Stories(name, *map(tuple, zip(*collection.read(files, paths), strict=True)))


# ------------------------------------------------------------------------------------------- the user's own


@cache
def load_own(name: str) -> Stories:
    """A reader's own: ``"NAME:FOLDER"`` (of ``.txt`` files) or ``"NAME:FILE.jsonl"``, under that name.

    Raises
    ------
    SourceUnavailableError
        If there is no such folder or file.
    DataError
        As `read_folder` and `read_jsonl`.
    """
    path = _place(name)
    stories = read_folder(path) if path.is_dir() else read_jsonl(path)
    return replace(stories, name=name.partition(":")[0])


def _place(name: str) -> Path:
    """Path of a reader's own stories."""
    path = Path(name.partition(":")[2]).expanduser()
    if not path.exists():
        raise SourceUnavailableError(f"stories {name!r}: there is no {path}")
    return path


def read_folder(folder: Path, *, ending: str = ".txt") -> Stories:
    """Every text file below a folder, UTF-8; the id is its path below the folder, without the ending.

    Raises
    ------
    SourceUnavailableError
        If there is no such folder.
    DataError
        If no file in it has the ending, or one is not UTF-8.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise SourceUnavailableError(f"{folder} is not a folder")
    paths = sorted(path for path in folder.rglob(f"*{ending}") if path.is_file())
    if not paths:
        raise DataError(f"{folder}: holds no file that ends in {ending!r}")
    ids = tuple(path.relative_to(folder).as_posix().removesuffix(ending) for path in paths)
    return Stories(folder.name, ids, tuple(map(read_utf8, paths)))


def read_jsonl(path: Path) -> Stories:
    """A file of JSON lines, each with an id and a text.

    Raises
    ------
    DataError
        Naming the line, if it is not JSON or lacks one of them, or if two have one id.
    """
    ids, texts = [], []
    for i, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                entry = json.loads(line)
                ids.append(str(entry["id"]))
                texts.append(entry["text"])
            except (ValueError, TypeError, KeyError) as error:
                raise DataError(f"{path.name}, line {i}: must be JSON with id and text ({error!r})") from None
            if not isinstance(texts[-1], str):
                raise DataError(f"{path.name}, line {i}: text must be a text, got {entry['text']!r}")
    return Stories(path.stem, tuple(ids), tuple(texts))
