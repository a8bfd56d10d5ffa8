"""runs.folder: folders of executed notebooks: which runs in one are current, and a folder for each sweep.

`RunCache` notes the fingerprint of each executed notebook, so that one which was cut, changed or lost since
its run is executed again and nothing of it is published.

A sweep's request is a notebook with the parameters of every run, the code and the data that its results
depend on, and the content of a reader's own files. The same request comes back to its folder, also after an
interruption, and finds there the runs that succeeded; any other request gets a new folder, so that no sweep
replaces another.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bookbuild.runs.fingerprints import fingerprints
from metaeval.core.paths import atomic_write

LATEST = "latest"
_REQUEST = "sweep.json"
NOTES = "_state.json"


@dataclass(frozen=True)
class Request:
    """Notebook, parameters and inputs of a sweep.

    Attributes
    ----------
    notebook : str
    runs : list of dict
        The parameters of every run that are not default.
    depends_on : str
        One hash of the code and data that the results depend on, and of the files that parameters name.
    """

    notebook: str
    runs: list[dict[str, object]]
    depends_on: str

    @classmethod
    def of(cls, notebook: Path, runs: Sequence[Mapping[str, object]]) -> Request:
        """The request for a notebook and the parameters of its runs, as things are now."""
        settings = json.dumps(list(map(dict, runs)))  # may name data sets that the notebook does not
        fingerprint = fingerprints([notebook.stem], notebook.parent, settings=settings)[notebook.stem]
        digest = hashlib.sha256(fingerprint.value.encode())
        for path in sorted(set(_files(runs))):
            digest.update(f"{path}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
        return cls(notebook.stem, [dict(parameters) for parameters in runs], digest.hexdigest())


@contextmanager
def own_folder(
    request: Request, sweeps: Path, folder: Path | None = None, *, wait: Callable[[str], object]
) -> Iterator[Path]:
    """Folder of a request, locked so that no other process works in it.

    Parameters
    ----------
    request : Request
    sweeps : Path
        The folder of the notebook's sweeps, which are numbered.
    folder : Path, optional
        The one to take in place of a number.
    wait : callable
        Called with a sentence before waiting for another process.

    Raises
    ------
    ValueError
        If `folder` holds another sweep, or files that a sweep would replace.
    """
    place = folder or _numbered(request, sweeps)
    place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if folder:  # refuse at once, not after waiting for the other sweep
            _refuse_another(request, folder)
        wait(f"The same sweep is already running; waiting for it to end: {place}")
        lock.acquire()
    try:
        if folder:
            _refuse_another(request, folder)
            _note(request, folder)
        yield place
    finally:
        lock.release()


def point_to(folder: Path) -> None:
    """Let the link ``latest`` beside a numbered folder lead to it."""
    link = folder.parent / f".{uuid.uuid4().hex}"
    link.symlink_to(folder.name, target_is_directory=True)
    os.replace(link, folder.parent / LATEST)


def _numbered(request: Request, sweeps: Path) -> Path:
    """The numbered folder that holds the request already, or a new one."""
    sweeps.mkdir(parents=True, exist_ok=True)
    with FileLock(sweeps / ".lock"):
        numbers = sorted(int(path.name) for path in sweeps.iterdir() if re.fullmatch(r"\d+", path.name))
        for number in reversed(numbers):
            if _request_in(sweeps / str(number)) == asdict(request):
                return sweeps / str(number)
        folder = sweeps / str(numbers[-1] + 1 if numbers else 1)
        folder.mkdir()
        _note(request, folder)
    return folder


def _refuse_another(request: Request, folder: Path) -> None:
    other = _request_in(folder)
    if other is None:
        ours = [
            *folder.glob(f"{request.notebook}-*.ipynb"),
            *folder.glob("results.csv"),
            *folder.glob("index.html"),
        ]
        if ours:
            raise ValueError(
                f"{folder} holds {ours[0].name}, which a sweep would replace; choose another folder"
            )
    elif other != asdict(request):
        raise ValueError(
            f"{folder} holds another sweep, or one with other code or data (see its {_REQUEST}); "
            "choose another folder"
        )


def _request_in(folder: Path) -> dict | None:
    try:
        return json.loads((folder / _REQUEST).read_text(encoding="utf8"))
    except (OSError, ValueError):
        return None


def _note(request: Request, folder: Path) -> None:
    with atomic_write(folder / _REQUEST) as path:
        path.write_text(json.dumps(asdict(request), indent=1, ensure_ascii=False), encoding="utf8")


def _files(runs: Sequence[Mapping[str, object]]) -> Iterator[Path]:
    """Files that parameters name, such as a reader's scores, by themselves, or as FOLDER/ or NAME:FOLDER."""
    for parameters in runs:
        for value in parameters.values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    for place in filter(None, (text, text.partition(":")[2])):
                        yield from _files_at(place)


def _files_at(place: str) -> list[Path]:
    path = Path(place).expanduser().absolute()
    try:
        if path.is_dir() and "/" in place:  # a single word may be the name of a folder by chance
            return [file for file in path.glob("**/*") if file.is_file()]
        return [path] if path.is_file() else []
    except OSError:  # such as a sentence, longer than a path may be
        return []


class RunCache:
    """The executed notebooks of a folder, with a note of each in `NOTES` beside them.

    Parameters
    ----------
    folder : Path
        Unreadable notes are ignored, so that all run again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            notes = json.loads((folder / NOTES).read_text(encoding="utf8"))
        except (OSError, ValueError):
            notes = {}
        notes = notes.items() if isinstance(notes, Mapping) else ()
        self._notes = {name: note for name, note in notes if _is_note(note)}

    def is_current(self, name: str, fingerprint: str = "") -> bool:
        """True if the notebook is there as its run left it and had the same `fingerprint`."""
        return self._notes.get(name) == [fingerprint, self._digest(name)]

    def record(self, name: str, fingerprint: str = "") -> None:
        """Note a notebook as it is now, with the fingerprint of its run."""
        self._write({**self._notes, name: [fingerprint, self._digest(name)]})

    def invalidate(self, name: str) -> None:
        """Drop the note of a notebook, so that it runs again."""
        self._write({other: note for other, note in self._notes.items() if other != name})

    def remove_changed(self) -> list[str]:
        """Remove what has no note, and what was cut or changed since its run; returns the names of these."""
        changed = [name for name, note in self._notes.items() if self._digest(name) not in ("", note[-1])]
        for path in self._folder.glob("[!.]*.ipynb"):  # hidden ones are being executed
            if path.stem in changed or path.stem not in self._notes:
                path.unlink()
        return changed

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.ipynb"

    def _digest(self, name: str) -> str:
        """Hash of the file's bytes, "" where there is none."""
        path = self._path(name)
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    def _write(self, notes: dict[str, list[str]]) -> None:
        self._notes = notes
        with atomic_write(self._folder / NOTES) as partial:
            partial.write_text(json.dumps(notes, indent=1, sort_keys=True), encoding="utf8")


def _is_note(note: object) -> bool:
    """True if a note has its two parts: the fingerprint, and the digest of what the run left."""
    return isinstance(note, list) and len(note) == 2 and all(isinstance(part, str) for part in note)
