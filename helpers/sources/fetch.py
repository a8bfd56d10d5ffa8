"""From a pinned file to a verified file on this machine.

The places, in order: the folder named by ``DATA_MIRROR`` (laid out ``OWNER/REPO/COMMIT/PATH``), the
user's cache, the public address. Whatever the place, a file is used only when its content has the
pinned git blob id.

Environment
-----------
DATA_MIRROR
    A folder with the files, absolute.
META_EVALUATION_CACHE
    Where downloads are kept, instead of the user's cache folder.
DATA
    ``simulated`` never touches the network; ``real`` and ``auto`` (the default) may.
"""

from __future__ import annotations

import hashlib
import os
import queue
import tempfile
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pooch
import requests

from helpers.errors import IntegrityError, SourceUnavailableError, choose
from helpers.paths import cache_folder
from helpers.sources.registry import SourceFile

SILENT = "META_EVALUATION_SILENT"  # hosts found silent by the process that started this one, with the reason
TIMEOUT = 10.0  # seconds within which a source must answer; one that does not counts as absent
NETWORK_ALLOWED = {"real": True, "auto": True, "simulated": False}

# (path, git blob, size, time of change) of files that were hashed and found right
_verified: set[tuple] = set()
_silent: dict[str, str] = {}  # host -> why it counts as absent for the rest of the run
_answering: set[str] = set()  # hosts that have answered
_file_locks: dict[SourceFile, threading.Lock] = {}
_host_lock = threading.Lock()
_lock = threading.Lock()


def fetch(file: SourceFile) -> Path:
    """A verified local copy of a pinned file.

    Parameters
    ----------
    file : SourceFile

    Returns
    -------
    Path
        In the mirror or in the cache. Do not write to it.

    Raises
    ------
    IntegrityError
        If the mirror or the public address has a file that is not the pinned one, or a download is
        cut. Nothing of it is kept.
    SourceUnavailableError
        If no place has the file; the message lists the places and why each failed.

    Notes
    -----
    A damaged file in the cache is removed with a warning and downloaded anew. A host that does not
    answer within ten seconds is asked once a process, not once a file. Threads and processes may
    fetch the same file at the same time: each writes to its own temporary name, and a file appears
    under its own name only when it is right.
    """
    with _lock:
        lock = _file_locks.setdefault(file, threading.Lock())
    with lock:
        return _fetch(file)


def _fetch(file: SourceFile) -> Path:
    tried = []
    mirrored, reason = _in_mirror(file)
    if mirrored is not None:
        found = _mismatch(mirrored, file)
        if found:
            raise IntegrityError(
                f"{mirrored} (DATA_MIRROR) is not the pinned {file}: {found}. It is not used; copy"
                " it again, or unset DATA_MIRROR to download it"
            )
        return mirrored
    tried.append(f"DATA_MIRROR: {reason}")

    cached = cache_folder() / file.relative
    if cached.is_file():
        found = _mismatch(cached, file)
        if not found:
            return cached
        warnings.warn(f"removing a damaged file from the cache, {cached}: {found}", stacklevel=4)
        tried.append(f"cache: {cached} was damaged and is removed")
    else:
        tried.append(f"cache: not in {cache_folder()}")

    try:
        reason = _download(file, cached)
    finally:  # a damaged file is replaced in one step; where it could not be, it goes
        if cached.is_file() and _mismatch(cached, file):
            cached.unlink(missing_ok=True)
    if reason is None:
        return cached
    tried.append(f"{file.url}: {reason}")
    raise SourceUnavailableError(
        f"cannot get {file}. Tried "
        + "; ".join(tried)
        + ". To have it, set DATA_MIRROR to a folder laid out "
        "OWNER/REPO/COMMIT/PATH that holds it, or connect to the network"
    )


def locate(file: SourceFile) -> str | None:
    """Where a right copy lies on this machine: ``"mirror"``, ``"cache"`` or None."""
    places = {"mirror": _in_mirror(file)[0], "cache": cache_folder() / file.relative}
    for place, path in places.items():
        if path is not None and path.is_file():
            if not _mismatch(path, file):
                return place
            if place == "mirror":  # `fetch` refuses it too, and does not look further
                return None
    return None


def is_available(file: SourceFile, *, network: bool = False) -> bool:
    """Whether `fetch` would find the file here or, with `network`, at its public address."""
    if locate(file) is not None:
        return True
    mirrored, _ = _in_mirror(file)
    if mirrored is not None or not network or _refusal(file.url) is not None:
        return False
    try:
        return pooch.HTTPDownloader(timeout=TIMEOUT)(file.url, None, None, check_only=True)
    except requests.RequestException:
        return False


def git_blob_id(path: Path) -> tuple[str, int]:
    """The id that git gives a file's content, and the content's size in bytes."""
    size = path.stat().st_size
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as handle:
        while chunk := handle.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest(), size


def forget() -> None:
    """Forget what this process has verified and which hosts were silent."""
    _verified.clear()
    _silent.clear()
    _answering.clear()


def silent_hosts() -> dict[str, str]:
    """Hosts that count as absent for the rest of this run, each with the reason."""
    inherited = dict(line.split("\t", 1) for line in os.environ.get(SILENT, "").splitlines())
    return inherited | _silent


def _in_mirror(file: SourceFile) -> tuple[Path | None, str]:
    """The file's path in the mirror, or None and why not."""
    mirror = os.environ.get("DATA_MIRROR")
    if not mirror:
        return None, "not set"
    if not Path(mirror).is_dir():
        return None, f"{mirror} is not a folder"
    path = Path(mirror) / file.relative
    return (path, "") if path.is_file() else (None, f"not in {mirror}")


def _mismatch(path: Path, file: SourceFile) -> str:
    """What is wrong with a file's content, or nothing. A right file is hashed once a process."""
    try:
        key = _key(path, file)
        if key in _verified:
            return ""
        blob, size = git_blob_id(path)
    except FileNotFoundError:
        return "it was removed meanwhile"
    if blob == file.git_blob:
        _verified.add(key)
        return ""
    expected = f"{file.n_bytes} bytes" if file.n_bytes is not None else "size not recorded"
    return f"expected git blob {file.git_blob} ({expected}), got {blob} ({size} bytes)"


def _key(path: Path, file: SourceFile) -> tuple:
    status = path.stat()
    return str(path), file.git_blob, status.st_size, status.st_mtime_ns


def _download(file: SourceFile, target: Path) -> str | None:
    """Bring the file from its public address to `target`: None, or why it could not be had."""
    refusal = _refusal(file.url)
    if refusal is not None:
        return refusal
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".download-", dir=cache_folder())
    except OSError as error:
        return _unwritable(error)
    os.close(handle)
    partial = Path(name)
    try:
        with suppress(requests.exceptions.ChunkedEncodingError):  # cut: the next line says how
            pooch.HTTPDownloader(timeout=TIMEOUT)(file.url, name, None)
        _refuse_wrong(partial, file)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(partial, target)
        _verified.add(_key(target, file))
    except requests.HTTPError as error:
        return f"answered {error.response.status_code} {error.response.reason}"
    except requests.RequestException as error:
        return _count_as_absent(file.url, error)
    except OSError as error:
        return _unwritable(error)
    finally:
        partial.unlink(missing_ok=True)
    return None


def _unwritable(error: OSError) -> str:
    return f"the cache {cache_folder()} cannot be written ({error.strerror}); set META_EVALUATION_CACHE"


def _refuse_wrong(partial: Path, file: SourceFile) -> None:
    found = _mismatch(partial, file)
    if not found:
        return
    size = partial.stat().st_size
    cut = file.n_bytes is not None and size < file.n_bytes
    raise IntegrityError(
        f"{file.url} gave {'a cut download' if cut else 'a file that is not the pinned one'}:"
        f" {found}. Nothing of it is kept; try again, and if it stays so, a proxy or a login page"
        " may be answering instead, or set DATA_MIRROR to a folder that holds the file"
    )


def _refusal(url: str) -> str | None:
    """Why the network is not to be asked for this address, or None."""
    mode = os.environ.get("DATA") or "auto"
    if not choose("value of DATA", mode, NETWORK_ALLOWED):
        return "not asked, DATA=simulated never touches the network"
    host = _host(url)
    inherited = dict(line.split("\t", 1) for line in os.environ.get(SILENT, "").splitlines())
    if host in inherited:
        return inherited[host]
    with _host_lock:  # whoever comes while a host is being asked waits for the one answer
        if host not in _silent and host not in _answering:
            _ask(host)
    return _silent.get(host)


def _host(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _ask(host: str) -> None:
    """Note whether a host answers at all within the time limit.

    In a thread of its own, because looking up a name and trying a host's many addresses one after
    another do not end at the time limit of a request.
    """
    answers: queue.SimpleQueue = queue.SimpleQueue()

    def head():
        try:
            requests.head(host + "/", timeout=TIMEOUT, allow_redirects=False).close()
            answers.put(None)
        except requests.RequestException as error:
            answers.put(error)

    threading.Thread(target=head, daemon=True).start()
    try:
        error = answers.get(timeout=TIMEOUT)
    except queue.Empty:
        error = requests.Timeout()
    if error is None:
        _answering.add(host)
    else:
        _count_as_absent(host, error)


def _count_as_absent(url: str, error: requests.RequestException) -> str:
    host = _host(url)
    if isinstance(error, requests.Timeout):
        _silent[host] = f"no answer within {TIMEOUT:g} s"
    else:
        _silent[host] = f"cannot be reached ({type(error).__name__})"
    return _silent[host]
