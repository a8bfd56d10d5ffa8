"""datasets.fetch: get verified local copies of pinned files.

Places tried, in order: the folder named by ``DATA_MIRROR`` (laid out ``OWNER/REPO/COMMIT/PATH``), the user's
cache (`metaeval.core.paths.cache_folder`), the public address. Whatever the place, a file is used only
when its content has the pinned git blob id. ``DATA=simulated`` never touches the network.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError
from urllib3.util import Retry

from metaeval.core.errors import IntegrityError, SourceUnavailableError
from metaeval.core.mode import is_simulated
from metaeval.core.paths import atomic_write, cache_folder
from metaeval.datasets.registry import SourceFile

MIRROR = "DATA_MIRROR"
SILENT = "META_EVALUATION_SILENT"  # silent hosts of the parent process, each with the reason
TIMEOUT = 10.0  # seconds within which a source must answer; one that does not counts as absent
SLOWEST = 10_000  # bytes a second that a source must send, after those seconds, or else it counts as absent
_AT_ONCE = 8  # connections kept open
_CHUNK = 1 << 20  # bytes


class Fetcher:
    """Find pinned files; remember verified files and silent hosts.

    Threads share one; a file requested by several is downloaded once. Processes may fetch the same file at
    the same time: a file appears under its own name only when it is right.
    """

    def __init__(self) -> None:
        self._right: set[tuple] = set()  # (path, git blob, size, time of change) of files that were hashed
        self._silent: dict[str, str] = {}  # host -> why it counts as absent for the rest of the run
        self._locks: dict[SourceFile, threading.Lock] = {}
        self._session = requests.Session()
        # retry hosts that report overload, never hosts that do not answer
        again = Retry(
            total=3,
            connect=0,
            read=False,
            status_forcelist=(429, 502, 503, 504),
            backoff_factor=0.5,
            raise_on_status=False,
        )
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=_AT_ONCE, max_retries=again))

    def fetch(self, file: SourceFile) -> Path:
        """See `fetch`."""
        with self._locks.setdefault(file, threading.Lock()):
            return self._fetch(file)

    def locate(self, file: SourceFile) -> str | None:
        """See `locate`."""
        places = ("mirror", _find_in_mirror(file)[0]), ("cache", _find(cache_folder(), file)[0])
        # if the mirror's is wrong, `fetch` does not try other places
        place, path = next(((place, path) for place, path in places if path), (None, None))
        return None if path is None or self._mismatch(path, file) else place

    def silent_hosts(self) -> dict[str, str]:
        """See `silent_hosts`."""
        inherited = dict(line.split("\t", 1) for line in os.environ.get(SILENT, "").splitlines())
        return inherited | self._silent

    def _fetch(self, file: SourceFile) -> Path:
        mirrored, not_mirrored = _find_in_mirror(file)
        if mirrored is not None:
            if mismatch := self._mismatch(mirrored, file):
                raise IntegrityError(
                    f"{mirrored} ({MIRROR}) is not the pinned {file}: {mismatch}. It is not used; copy"
                    f" it again, or unset {MIRROR} to download it"
                )
            return mirrored
        cached, not_cached = _find(cache_folder(), file)
        if cached is not None:
            mismatch = self._mismatch(cached, file)
            if not mismatch:
                return cached
            warnings.warn(f"removing a damaged file from the cache, {cached}: {mismatch}", stacklevel=4)
            not_cached = f"{cached} was damaged and is removed"
        target = cache_folder() / file.relative
        try:
            not_downloaded = self._download(file, target)
        finally:
            if cached is not None and self._mismatch(cached, file):  # it could not be replaced
                cached.unlink(missing_ok=True)
        if not_downloaded is None:
            return target
        raise SourceUnavailableError(
            f"cannot get {file}. Tried {MIRROR}: {not_mirrored}; cache: {not_cached}; {file.url}: "
            f"{not_downloaded}. To have it, set {MIRROR} to a folder laid out OWNER/REPO/COMMIT/PATH that "
            "holds it, or connect to the network"
        )

    def _download(self, file: SourceFile, target: Path) -> str | None:
        """Download the file to `target`; returns None, or the reason why that was impossible."""
        if is_simulated():
            return "not tried, DATA=simulated never uses the network"
        host = _host(file.url)
        if host in self.silent_hosts():
            return self.silent_hosts()[host]
        try:
            response = _within(TIMEOUT, lambda: self._session.get(file.url, stream=True, timeout=TIMEOUT))
            with response:
                response.raise_for_status()
                with atomic_write(target) as partial:
                    _save(response, partial, file.n_bytes)
                    self._refuse_wrong(partial, file)
            self._right.add(_key(target, file))
        except requests.HTTPError as error:
            return f"answered {error.response.status_code} {error.response.reason}"
        except (requests.RequestException, HTTPError) as error:  # before and while something is sent
            return self._silent.setdefault(host, _why(error))
        except OSError as error:
            return (
                f"the cache {cache_folder()} cannot be written ({error.strerror}); set META_EVALUATION_CACHE"
            )
        return None

    def _refuse_wrong(self, partial: Path, file: SourceFile) -> None:
        mismatch = self._mismatch(partial, file)
        if not mismatch:
            return
        size, what = partial.stat().st_size, "a file that is not the pinned one"
        if file.n_bytes is not None and size < file.n_bytes:
            what = "a cut download"
        elif file.n_bytes is not None and size > file.n_bytes:
            mismatch = f"expected git blob {file.git_blob} ({file.n_bytes} bytes), got more and stopped there"
        raise IntegrityError(
            f"{file.url} gave {what}: {mismatch}. Nothing of it is kept; try again, and if it stays so, a "
            f"proxy or a login page may be answering instead, or set {MIRROR} to a folder that holds the file"
        )

    def _mismatch(self, path: Path, file: SourceFile) -> str:
        """Describe how a file differs from the pinned one, if at all; a right file is hashed only once."""
        try:
            key = _key(path, file)
            if key in self._right:
                return ""
            blob, size = git_blob_id(path)
        except FileNotFoundError:
            return "it was removed meanwhile"
        if blob == file.git_blob:
            self._right.add(key)
            return ""
        expected = f"{file.n_bytes} bytes" if file.n_bytes is not None else "size not recorded"
        return f"expected git blob {file.git_blob} ({expected}), got {blob} ({size} bytes)"


FETCHER = Fetcher()  # this process's


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
    A damaged file in the cache is removed with a warning and downloaded again. A host that does not
    answer within ten seconds, or sends less than 10 kB a second, is not tried again, by this process or
    its children.
    """
    return FETCHER.fetch(file)


def locate(file: SourceFile) -> str | None:
    """Place of a verified copy on this machine: ``"mirror"``, ``"cache"`` or None."""
    return FETCHER.locate(file)


def silent_hosts() -> dict[str, str]:
    """Hosts that count as absent for the rest of this run, each with the reason."""
    return FETCHER.silent_hosts()


def git_blob_id(path: Path) -> tuple[str, int]:
    """The id that git gives a file's content, and the content's size in bytes."""
    size = path.stat().st_size
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as handle:
        while chunk := handle.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest(), size


def _find_in_mirror(file: SourceFile) -> tuple[Path | None, str]:
    """The file's path in the mirror, or None and the reason."""
    mirror = os.environ.get(MIRROR)
    if not mirror:
        return None, "not set"
    if not os.path.isdir(mirror):  # also where it is no valid path, such as one that is too long
        return None, f"{mirror} is not a folder"
    return _find(Path(mirror), file)


def _find(folder: Path, file: SourceFile) -> tuple[Path | None, str]:
    """The file's path in a folder, or None and the reason."""
    path = folder / file.relative
    if not os.path.isfile(path):
        return None, f"not in {folder}"
    if not os.access(path, os.R_OK):
        return None, f"{path} cannot be read, it may be another user's"
    return path, ""


class _TrickleError(requests.RequestException):
    """A transfer too slow to end."""


def _save(response: requests.Response, path: Path, max_bytes: int | None) -> None:
    """Write the response to a file, stopping after the first chunk beyond `max_bytes`.

    A transfer that ends too early leaves a file that is too short.
    """
    started, n_bytes = time.monotonic(), 0
    with path.open("wb") as handle, suppress(ProtocolError):
        # take what has arrived: a slow host might need days for a whole chunk
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            n_bytes += handle.write(chunk)
            if time.monotonic() - started > TIMEOUT + n_bytes / SLOWEST:
                raise _TrickleError
            if max_bytes is not None and n_bytes > max_bytes:
                break


def _why(error: Exception) -> str:
    """Reason for which a host counts as absent."""
    if isinstance(error, _TrickleError):
        return f"sends less than {SLOWEST / 1000:g} kB a second"
    late = isinstance(error, requests.Timeout | ReadTimeoutError)
    return f"no answer within {TIMEOUT:g} s" if late else f"cannot be reached ({type(error).__name__})"


def _key(path: Path, file: SourceFile) -> tuple:
    status = path.stat()
    return str(path), file.git_blob, status.st_size, status.st_mtime_ns


def _host(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _within(seconds: float, call: Callable[[], requests.Response]) -> requests.Response:
    """``call()`` with a time limit in seconds; that of a request does not cover looking up a name and trying
    a host's addresses one after another.
    """
    answer: Future = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        raise requests.Timeout from None
