"""datasets.fetch: from a pinned file to a verified file on this machine.

The places, in order: the folder named by ``DATA_MIRROR`` (laid out ``OWNER/REPO/COMMIT/PATH``), the user's
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
from metaeval.core.paths import cache_folder, written_whole
from metaeval.datasets.registry import SourceFile

MIRROR = "DATA_MIRROR"
SILENT = "META_EVALUATION_SILENT"  # hosts found silent by the process that started this one, with the reason
TIMEOUT = 10.0  # seconds within which a source must answer; one that does not counts as absent
SLOWEST = (
    10_000  # bytes a second that a source must send, after those seconds; one that trickles counts as absent
)
_AT_ONCE = 8  # connections kept open
_CHUNK = 1 << 20  # bytes


class Fetcher:
    """Finds pinned files, and remembers which were right and which hosts do not answer.

    Threads share one; a file that several ask for is downloaded once. Processes may fetch the same file at
    the same time: a file appears under its own name only when it is right.
    """

    def __init__(self) -> None:
        self._right: set[tuple] = set()  # (path, git blob, size, time of change) of files that were hashed
        self._silent: dict[str, str] = {}  # host -> why it counts as absent for the rest of the run
        self._locks: dict[SourceFile, threading.Lock] = {}
        self._session = requests.Session()
        # what answers that it is overloaded is asked again; what does not answer is not
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
        mirrored, _ = _in_mirror(file)
        if mirrored is not None:  # `fetch` does not look further if this one is wrong
            return None if self._mismatch(mirrored, file) else "mirror"
        cached = cache_folder() / file.relative
        return "cache" if _readable(cached) and not self._mismatch(cached, file) else None

    def silent_hosts(self) -> dict[str, str]:
        """See `silent_hosts`."""
        inherited = dict(line.split("\t", 1) for line in os.environ.get(SILENT, "").splitlines())
        return inherited | self._silent

    def _fetch(self, file: SourceFile) -> Path:
        mirrored, reason = _in_mirror(file)
        if mirrored is not None:
            found = self._mismatch(mirrored, file)
            if found:
                raise IntegrityError(
                    f"{mirrored} ({MIRROR}) is not the pinned {file}: {found}. It is not used; copy"
                    f" it again, or unset {MIRROR} to download it"
                )
            return mirrored
        tried = [f"{MIRROR}: {reason}"]

        cached = cache_folder() / file.relative
        damaged = False
        if not os.path.isfile(cached):
            tried.append(f"cache: not in {cache_folder()}")
        elif not _readable(cached):
            tried.append(f"cache: {cached} cannot be read, it may be another user's")
        else:
            found = self._mismatch(cached, file)
            if not found:
                return cached
            damaged = True
            warnings.warn(f"removing a damaged file from the cache, {cached}: {found}", stacklevel=4)
            tried.append(f"cache: {cached} was damaged and is removed")

        try:
            reason = self._download(file, cached)
        finally:
            if damaged and self._mismatch(cached, file):  # where it could not be replaced, it goes
                cached.unlink(missing_ok=True)
        if reason is None:
            return cached
        tried.append(f"{file.url}: {reason}")
        raise SourceUnavailableError(
            f"cannot get {file}. Tried "
            + "; ".join(tried)
            + f". To have it, set {MIRROR} to a folder laid out"
            " OWNER/REPO/COMMIT/PATH that holds it, or connect to the network"
        )

    def _download(self, file: SourceFile, target: Path) -> str | None:
        """Bring the file from its public address to `target`: None, or why that was not possible."""
        if is_simulated():
            return "not asked, DATA=simulated never touches the network"
        host = _host(file.url)
        if host in self.silent_hosts():
            return self.silent_hosts()[host]
        try:
            response = _within(TIMEOUT, lambda: self._session.get(file.url, stream=True, timeout=TIMEOUT))
            with response:
                response.raise_for_status()
                with written_whole(target) as partial:
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
        found = self._mismatch(partial, file)
        if not found:
            return
        size = partial.stat().st_size
        cut = file.n_bytes is not None and size < file.n_bytes
        if file.n_bytes is not None and size > file.n_bytes:
            found = f"expected git blob {file.git_blob} ({file.n_bytes} bytes), got more and stopped there"
        raise IntegrityError(
            f"{file.url} gave {'a cut download' if cut else 'a file that is not the pinned one'}:"
            f" {found}. Nothing of it is kept; try again, and if it stays so, a proxy or a login page"
            f" may be answering instead, or set {MIRROR} to a folder that holds the file"
        )

    def _mismatch(self, path: Path, file: SourceFile) -> str:
        """What is wrong with a file's content, or nothing. A right file is hashed once per process."""
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
    A damaged file in the cache is removed with a warning and downloaded anew. A host that does not
    answer within ten seconds, or sends less than 10 kB a second, is not asked again, by this process or
    those that it starts.
    """
    return FETCHER.fetch(file)


def locate(file: SourceFile) -> str | None:
    """Where a right copy lies on this machine: ``"mirror"``, ``"cache"`` or None."""
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


def _in_mirror(file: SourceFile) -> tuple[Path | None, str]:
    """The file's path in the mirror, or None and why not."""
    mirror = os.environ.get(MIRROR)
    if not mirror:
        return None, "not set"
    if not os.path.isdir(mirror):  # what is no path at all, such as one that is too long, is none either
        return None, f"{mirror} is not a folder"
    path = Path(mirror) / file.relative
    if not os.path.isfile(path):
        return None, f"not in {mirror}"
    return (path, "") if _readable(path) else (None, f"{path} cannot be read, it may be another user's")


def _readable(path: Path) -> bool:
    return os.path.isfile(path) and os.access(path, os.R_OK)


class _TrickleError(requests.RequestException):
    """A transfer that goes on and comes to no end."""


def _save(response: requests.Response, path: Path, most: int | None) -> None:
    """What was sent, up to the first piece that goes beyond the most that the file may have.

    A transfer that ends too early leaves a file that is too short.
    """
    started, n_bytes = time.monotonic(), 0
    with path.open("wb") as handle, suppress(ProtocolError):
        # whatever is there, not whole chunks: one of a host that trickles would not be whole for days
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            n_bytes += handle.write(chunk)
            if time.monotonic() - started > TIMEOUT + n_bytes / SLOWEST:
                raise _TrickleError
            if most is not None and n_bytes > most:
                break


def _why(error: Exception) -> str:
    """Why a host counts as absent."""
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
    """``call()``, given up after some seconds: looking up a name and trying a host's many addresses one
    after another do not end at the time limit of a request.
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
