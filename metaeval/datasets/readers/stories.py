"""readers.stories: documents that summaries are looked up in.

Newswire, Wikipedia, a folder of the user's own: each is a `Stories`, ids and texts, nothing else.
`load_stories` knows the pinned ones by name, `read_folder` and `read_jsonl` read the user's.
"""

from __future__ import annotations

import html
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
from metaeval.datasets.readers.tables import (
    parsed_json,
    read_lines,
    require,
    text,
    utf8_or_latin1,
)
from metaeval.datasets.registry import SourceFile, files_below, find
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.wording import natural

REUTERS = "colibri17/TextCategorization"
BBC = "dejanbatanjac/bbc-article-classify-bert"
GESERA = "JessicaLopezEspejel/GeSERA"
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


def read_reuters(path: Path) -> list[tuple[str, str]]:
    """The stories with a body of one Reuters-21578 file, as (``reuters/NEWID``, body)."""
    content = path.read_bytes().decode("latin-1")  # one byte in all files is not ASCII
    articles = []
    for attributes, inside in _STORY.findall(content):
        if body := _BODY.search(inside):
            plain = _CONTROL.sub(" ", html.unescape(body[1]))
            articles.append((f"reuters/{_NEW_ID.search(attributes)[1]}", _SIGN_OFF.sub("", plain)))
    return articles


def read_archive(path: Path, *, name: str) -> Stories:
    """The ``.txt`` files of a ``.tar.gz`` archive, such as GeSERA's Wikipedia sets, read without unpacking.

    Returns
    -------
    Stories, ids the file names without their ending

    Raises
    ------
    DataError
        If it holds no text file, or two members of one name.
    """
    with tarfile.open(path, "r:gz") as archive:
        members = [member for member in archive if member.isfile() and member.name.endswith(".txt")]
        texts = tuple(archive.extractfile(member).read().decode() for member in members)
    return Stories(name, tuple(Path(member.name).stem for member in members), texts)


def _reuters() -> Stories:
    stories = [story for path in _fetch_many(_reuters_files()) for story in read_reuters(path)]
    return Stories("reuters", *map(tuple, zip(*stories, strict=True)))


def _reuters_files() -> list[SourceFile]:
    return [file for file in files_below(REUTERS, "reuters21578/") if file.path.endswith(".sgm")]


def _bbc() -> Stories:
    pinned = _bbc_files()
    ids = tuple(file.path.removesuffix(".txt") for file in pinned)
    return Stories("bbc", ids, tuple(map(utf8_or_latin1, _fetch_many(pinned))))  # one is not UTF-8


def _bbc_files() -> list[SourceFile]:
    pinned = [file for file in files_below(BBC, "bbc/") if file.path.endswith(".txt")]
    return sorted(pinned, key=lambda file: natural(file.path))


def _wikipedia(size: int) -> Collection:
    def files() -> list[SourceFile]:
        return [find(GESERA, f"data/wiki{size}.tar.gz")]

    return Collection(
        f"GeSERA's {size:,} articles of Wikipedia",
        GESERA,
        files,
        lambda: read_archive(fetch(files()[0]), name=f"wiki{size}"),
    )


def _fetch_many(pinned: Sequence[SourceFile]) -> list[Path]:
    """Local paths of many files, downloaded in parallel where necessary."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(fetch, pinned))


@dataclass(frozen=True)
class Collection:
    """A pinned collection: title, repository, files and reader."""

    title: str
    repository: str
    files: Callable[[], Sequence[SourceFile]]
    read: Callable[[], Stories]


COLLECTIONS: dict[str, Collection] = {
    "reuters": Collection("Reuters-21578, financial newswire of 1987", REUTERS, _reuters_files, _reuters),
    "bbc": Collection("BBC news of 2004 and 2005", BBC, _bbc_files, _bbc),
    "wiki10000": _wikipedia(10_000),
    "wiki30000": _wikipedia(30_000),
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
    return choose("collection of stories", name, COLLECTIONS).read()


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
    texts = []
    for path in paths:
        try:
            texts.append(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise DataError(f"{path.relative_to(folder)} is not UTF-8: byte {error.start}") from None
    ids = (path.relative_to(folder).as_posix().removesuffix(ending) for path in paths)
    return Stories(folder.name, tuple(ids), tuple(texts))


def read_jsonl(path: Path, *, id_key: str = "id", text_key: str = "text") -> Stories:
    """A file of JSON lines, each with an id and a text.

    Raises
    ------
    DataError
        Naming the line, if one is not JSON or lacks a key, or if two have one id.
    """
    path = Path(path)
    ids, texts = [], []
    for i, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{path.name}, line {i}"
        entry = parsed_json(line, where)
        ids.append(str(require(entry, id_key, where)))
        texts.append(text(require(entry, text_key, where), where, text_key))
    return Stories(path.stem, tuple(ids), tuple(texts))
