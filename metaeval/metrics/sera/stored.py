"""sera.stored: indexes on disk, a folder of plain arrays each, memory-mapped when opened.

Each file has a checksum, since the compiled search trusts its input: a damaged index would rank other
documents, or read beyond its arrays. `open_or_build` rebuilds an index that does not match.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import numpy as np
from filelock import FileLock

from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.core.paths import atomic_write, cache_folder
from metaeval.metrics.cache import checksum, content_key
from metaeval.metrics.sera.index import ARRAYS, DocumentIndex, IndexSettings, analyse, build_index
from metaeval.metrics.text import ANALYSIS

FORMAT = 2
_ABOUT = {"format", "settings", "checksums"}
_REBUILD = "remove the folder and build the index again"


def open_or_build(
    name: str,
    documents: Iterable[tuple[str, str]],
    settings: IndexSettings | None = None,
    *,
    folder: Path | None = None,
) -> DocumentIndex:
    """The index of some documents, built and saved the first time, or when the saved one is damaged.

    Parameters
    ----------
    name : str
        Part of the name that the index gets in the folder.
    documents : iterable of (id, text) that can be gone through twice, such as `Stories`
    settings : IndexSettings, by default k1 = 1.2, b = 0.75
    folder : Path
        Folder of the indexes, by default in the user's cache. Where it cannot be written, nothing is saved
        and the index is the same. Two processes that need one index build it once: the second waits.
    """
    settings = settings or IndexSettings()
    folder = cache_folder() / "indexes" if folder is None else Path(folder)
    content = content_key(part for document in documents for part in document)
    parts = [name, content[:12], f"k1={settings.k1:g}", f"b={settings.b:g}", settings.analysis]
    place = folder / "-".join(parts)
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(folder / ".lock"))
        except OSError:  # the folder cannot be written; what is in it can be read
            pass
        try:
            return open_index(place, settings)
        except (SourceUnavailableError, DataError):
            index = build_index(analyse(documents), settings)
        try:
            shutil.rmtree(place, ignore_errors=True)
            save_index(index, place)
        except OSError:
            pass
        return index


def save_index(index: DocumentIndex, folder: Path) -> None:
    """Write an index to a folder of its own; the folder appears when everything is in it.

    Raises
    ------
    FileExistsError
        If the folder is there already.
    """
    folder = Path(folder)
    if folder.exists():
        raise FileExistsError(f"{folder} exists; open it, or remove it to save another index there")
    with atomic_write(folder, prefix=".saving-", folder=True) as temporary:
        for name in ARRAYS:
            np.save(temporary / f"{name}.npy", getattr(index, name), allow_pickle=False)
        _write_json(temporary / "ids.json", index.ids)
        _write_json(temporary / "vocabulary.json", index.vocabulary)
        checksums = {path.name: checksum(path.read_bytes()) for path in sorted(temporary.iterdir())}
        about = {"format": FORMAT, "settings": asdict(index.settings), "checksums": checksums}
        _write_json(temporary / "index.json", about)


def open_index(folder: Path, settings: IndexSettings | None = None) -> DocumentIndex:
    """A saved index, its arrays memory-mapped.

    Parameters
    ----------
    folder : Path
    settings : IndexSettings, optional
        Settings that the index must have been built with.

    Raises
    ------
    SourceUnavailableError
        If there is no such index.
    DataError
        If it was built with other settings, or a file of it is missing, damaged or of another format.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise SourceUnavailableError(
            f"there is no index at {folder}; build one with `build_index` and save it"
        )
    about = _read_json(folder / "index.json")
    if not isinstance(about, dict) or set(about) != _ABOUT or about["format"] != FORMAT:
        raise DataError(f"{folder}: is not an index of format {FORMAT}; {_REBUILD}")
    built = about["settings"]
    requested = asdict(settings) if settings else built | {"analysis": ANALYSIS}
    if built != requested:
        differences = ", ".join(
            f"{name} = {built.get(name)} instead of {now}"
            for name, now in requested.items()
            if built.get(name) != now
        )
        raise DataError(
            f"{folder}: the index was built with {differences}; {_REBUILD}, or request its settings"
        )
    for name, expected in about["checksums"].items():
        if checksum(_read(folder / name)) != expected:
            raise DataError(f"{folder}: the index is damaged, {name} is not as it was saved; {_REBUILD}")
    arrays = {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in ARRAYS}
    for name, array in arrays.items():
        if array.dtype != ARRAYS[name] or array.ndim != 1:
            raise DataError(
                f"{folder}: {name}.npy holds {array.dtype}, not {np.dtype(ARRAYS[name])}; {_REBUILD}"
            )
    return DocumentIndex(
        settings=IndexSettings(**requested),
        ids=tuple(_read_json(folder / "ids.json")),
        vocabulary=_read_json(folder / "vocabulary.json"),
        **arrays,
    )


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf8")


def _read_json(path: Path):
    try:
        return json.loads(_read(path))
    except ValueError as error:  # not JSON, or not UTF-8
        raise DataError(f"{path.parent}: the index is damaged, {path.name}: {error}; {_REBUILD}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path.parent}: the index is damaged, {path.name} is missing; {_REBUILD}") from None
