"""runs.folder: the folder of one sweep, its own for as long as the same is asked for.

What is asked for is a notebook with the parameters of every run, the code and the data that its results
depend on, and what a reader's own files hold. The same request comes back to its folder, also after an
interruption, and finds there what succeeded; any other request gets a new one, so that no sweep takes
another's place.
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
from metaeval.core.paths import written_whole

LATEST = "latest"
_REQUEST = "sweep.json"


@dataclass(frozen=True)
class Request:
    """What a sweep is asked for.

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
        digest = hashlib.sha256(fingerprints([notebook.stem], notebook.parent)[notebook.stem].value.encode())
        for path in sorted(set(_files(runs))):
            digest.update(f"{path}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
        return cls(notebook.stem, [dict(parameters) for parameters in runs], digest.hexdigest())


@contextmanager
def own_folder(
    request: Request, sweeps: Path, folder: Path | None = None, *, wait: Callable[[str], object]
) -> Iterator[Path]:
    """The folder of a request, held so that no other process works in it.

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
        if folder:  # nobody waits for another sweep to end only to be refused then
            _refuse_another(request, folder)
        wait(f"The same sweep is running already; waiting for it to end: {place}")
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
    found = _request_in(folder)
    if found is None:
        ours = [
            *folder.glob(f"{request.notebook}-*.ipynb"),
            *folder.glob("results.csv"),
            *folder.glob("index.html"),
        ]
        if ours:
            raise ValueError(
                f"{folder} holds {ours[0].name}, which a sweep would replace; choose another folder"
            )
    elif found != asdict(request):
        raise ValueError(
            f"{folder} holds another sweep, or one by other code or data: {_REQUEST} in it says which; "
            "choose another folder"
        )


def _request_in(folder: Path) -> dict | None:
    try:
        return json.loads((folder / _REQUEST).read_text(encoding="utf8"))
    except (OSError, ValueError):
        return None


def _note(request: Request, folder: Path) -> None:
    with written_whole(folder / _REQUEST) as path:
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
        if path.is_dir() and "/" in place:  # a mere word may be the name of a folder by chance
            return [file for file in path.glob("**/*") if file.is_file()]
        return [path] if path.is_file() else []
    except OSError:  # such as a sentence, longer than a path may be
        return []
