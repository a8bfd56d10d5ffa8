"""Where a file comes from, and that a wrong one is never used nor kept."""

import itertools
import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
from types import SimpleNamespace

import pytest

from metaeval.core.errors import IntegrityError, SourceUnavailableError, UnknownNameError
from metaeval.datasets import fetch as fetching
from metaeval.datasets.fetch import fetch, git_blob_id, locate

from .support import files_in, pin, serve_from

CONTENT = b"twenty-five systems, one hundred documents\n" * 40
FILE = pin(CONTENT)


@pytest.mark.parametrize(
    ("content", "blob"),
    [
        # $ git hash-object /dev/null;  $ echo hello | git hash-object --stdin
        (b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a"),
    ],
)
def test_blob_id_is_gits(tmp_path, content, blob):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert git_blob_id(path) == (blob, len(content))


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A mirror that holds FILE; returns the path of its copy."""
    folder = tmp_path / "mirror"
    path = folder / FILE.relative
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("DATA_MIRROR", str(folder))
    return path


def url_path(file=FILE):
    return f"/{file.relative}"


def test_the_mirror_comes_first(places, server, mirror):
    cached = places / FILE.relative
    cached.parent.mkdir(parents=True)
    cached.write_bytes(CONTENT)
    assert fetch(FILE) == mirror
    assert server.requested == []


def test_the_cache_comes_before_the_network(places, server):
    cached = places / FILE.relative
    cached.parent.mkdir(parents=True)
    cached.write_bytes(CONTENT)
    assert fetch(FILE) == cached
    assert server.requested == []


def test_the_network_fills_the_cache(places, server):
    server.files[url_path()] = CONTENT
    path = fetch(FILE)
    assert path.read_bytes() == CONTENT
    assert files_in(places) == [str(FILE.relative)]
    assert fetch(FILE) == path
    assert server.requested == [url_path()]


def test_a_mirror_without_the_file_is_passed_over(places, server, mirror):
    other = pin(b"another file", "other.txt")
    server.files[url_path(other)] = b"another file"
    assert fetch(other).read_bytes() == b"another file"


def test_a_mirror_with_one_byte_changed_is_refused(places, server, mirror):
    server.files[url_path()] = CONTENT
    wrong = bytearray(CONTENT)
    wrong[7] ^= 1
    mirror.write_bytes(wrong)
    with pytest.raises(IntegrityError) as caught:
        fetch(FILE)
    message = str(caught.value)
    got, size = git_blob_id(mirror)
    for part in (str(mirror), FILE.git_blob, got, f"{size} bytes", "copy it again"):
        assert part in message
    assert locate(FILE) is None
    assert server.requested == []
    assert not places.exists()


def test_a_file_changed_after_it_was_verified_is_refused(places, mirror):
    fetch(FILE)
    mirror.write_bytes(b"x" + CONTENT[1:])
    os.utime(mirror, ns=(1, 1))
    with pytest.raises(IntegrityError):
        fetch(FILE)


def test_a_right_file_is_hashed_once(places, mirror, monkeypatch):
    fetch(FILE)
    monkeypatch.setattr(fetching, "git_blob_id", lambda path: pytest.fail("hashed again"))
    assert fetch(FILE) == mirror


def test_a_downloaded_file_is_hashed_once(places, server, monkeypatch):
    hashed = []

    def counting(path):
        hashed.append(path)
        return git_blob_id(path)

    monkeypatch.setattr(fetching, "git_blob_id", counting)
    server.files[url_path()] = CONTENT
    fetch(FILE)
    fetch(FILE)
    assert len(hashed) == 1


@pytest.mark.parametrize(
    ("mode", "served", "text"),
    [
        ("whole", b"<html>please log in</html>", "a cut download"),  # shorter than the pinned file
        ("whole", CONTENT + b"x", "not the pinned one"),
        ("cut", CONTENT, "a cut download"),
        ("cut and not announced", CONTENT, "a cut download"),
    ],
)
def test_a_wrong_download_is_refused_and_not_kept(places, server, mode, served, text):
    server.files[url_path()] = served
    server.mode = mode
    with pytest.raises(IntegrityError, match=text) as caught:
        fetch(FILE)
    assert f"expected git blob {FILE.git_blob} ({len(CONTENT)} bytes)" in str(caught.value)
    assert files_in(places) == []
    server.mode, server.files[url_path()] = "whole", CONTENT  # the host is still asked
    assert fetch(FILE).read_bytes() == CONTENT


@pytest.mark.parametrize("mode", ["whole", "packed"])
def test_a_download_beyond_the_pinned_size_is_stopped(places, server, monkeypatch, mode):
    sizes = []

    def sized(path):
        sizes.append(path.stat().st_size)
        return git_blob_id(path)

    monkeypatch.setattr(fetching, "git_blob_id", sized)
    server.files[url_path()] = CONTENT * 3000  # 5 MB
    server.mode = mode
    with pytest.raises(IntegrityError, match=rf"\({len(CONTENT)} bytes\), got more and stopped there"):
        fetch(FILE)
    assert len(sizes) == 1
    assert len(CONTENT) < sizes[0] <= len(CONTENT) + (1 << 20)  # one piece
    assert files_in(places) == []


def test_a_file_of_unknown_size_is_verified_too(places, server):
    file = pin(CONTENT, n_bytes=None)
    server.files[url_path(file)] = CONTENT[:-1]
    with pytest.raises(IntegrityError, match="size not recorded"):
        fetch(file)
    assert files_in(places) == []


def test_a_damaged_cache_is_replaced_with_a_warning(places, server):
    server.files[url_path()] = CONTENT
    cached = places / FILE.relative
    cached.parent.mkdir(parents=True)
    cached.write_bytes(CONTENT[:-3])
    with pytest.warns(UserWarning, match="damaged file from the cache"):
        assert fetch(FILE).read_bytes() == CONTENT
    assert files_in(places) == [str(FILE.relative)]


@pytest.mark.parametrize("served", [None, b"also wrong"])
def test_a_damaged_cache_goes_when_it_cannot_be_replaced(places, server, served):
    if served:
        server.files[url_path()] = served
    cached = places / FILE.relative
    cached.parent.mkdir(parents=True)
    cached.write_bytes(CONTENT[:-3])
    with (
        pytest.warns(UserWarning, match="damaged"),
        pytest.raises((SourceUnavailableError, IntegrityError)),
    ):
        fetch(FILE)
    assert files_in(places) == []


def test_a_missing_file_is_an_error_and_does_not_silence_the_host(places, server):
    with pytest.raises(SourceUnavailableError) as caught:
        fetch(FILE)
    message = str(caught.value)
    for part in (str(FILE), "DATA_MIRROR: not set", str(places), "answered 404", "connect"):
        assert part in message
    assert files_in(places) == []
    server.files[url_path()] = CONTENT
    assert fetch(FILE).is_file()


def test_a_mirror_that_is_no_folder_is_named(places, server, tmp_path, monkeypatch):
    monkeypatch.setenv("DATA_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(SourceUnavailableError, match="nowhere is not a folder"):
        fetch(FILE)


def test_a_mirror_whose_path_is_too_long_is_named(places, server, monkeypatch):
    server.files[url_path()] = CONTENT
    monkeypatch.setenv("DATA_MIRROR", "/m" * 5000)
    assert fetch(FILE).read_bytes() == CONTENT
    server.files.clear()
    with pytest.raises(SourceUnavailableError, match=r"DATA_MIRROR: (/m)+ is not a folder"):
        fetch(pin(b"another", "another.txt"))


def test_an_unreachable_address_is_tried_once(places, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve_from(monkeypatch, f"http://127.0.0.1:{port}")
    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        fetch(FILE)
    monkeypatch.setattr(fetching.requests.Session, "get", lambda *a, **k: pytest.fail("asked again"))
    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        fetch(pin(b"another", "another.txt"))
    assert not places.exists()


def test_a_silent_host_counts_as_absent(places, server, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.2)
    server.mode = "silent"
    server.files[url_path()] = CONTENT
    for _ in range(5):  # five files, one wait
        with pytest.raises(SourceUnavailableError, match=r"no answer within 0\.2 s"):
            fetch(FILE)
    assert server.requested == [url_path()]


def test_a_download_that_stalls_counts_as_absent_and_is_not_kept(places, server, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.2)
    server.mode = "stalls"
    server.files[url_path()] = CONTENT
    with pytest.raises(SourceUnavailableError, match=r"cannot be reached|no answer"):
        fetch(FILE)
    assert files_in(places) == []
    with pytest.raises(SourceUnavailableError):
        fetch(FILE)
    assert server.requested == [url_path()]


def fake_time(monkeypatch, *, step):
    """A clock that moves on by so many seconds whenever somebody looks at it."""
    seconds = itertools.count(0.0, step)
    monkeypatch.setattr(fetching, "time", SimpleNamespace(monotonic=lambda: next(seconds)))


def test_a_download_that_trickles_is_given_up_and_the_host_not_asked_again(places, server, monkeypatch):
    fake_time(monkeypatch, step=60.0)  # from one piece to the next
    server.mode = "trickles"
    server.files[url_path()] = CONTENT
    for _ in range(2):
        with pytest.raises(SourceUnavailableError, match="sends less than 10 kB a second"):
            fetch(FILE)
    assert files_in(places) == []
    assert server.requested == [url_path()]


def test_a_slow_download_that_comes_to_its_end_is_kept(places, server, monkeypatch):
    fake_time(monkeypatch, step=0.3)
    monkeypatch.setattr(fetching, "SLOWEST", 10)
    server.mode = "trickles"
    content = CONTENT[:40]  # 12 seconds of the 14 that 40 bytes may take
    file = pin(content)
    server.files[url_path(file)] = content
    assert fetch(file).read_bytes() == content


def test_simulated_never_touches_the_network(places, server, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    server.files[url_path()] = CONTENT
    with pytest.raises(SourceUnavailableError, match="DATA=simulated never uses the network"):
        fetch(FILE)
    assert server.requested == []
    assert not places.exists()


@pytest.mark.parametrize("mode", ["real", "auto", ""])
def test_other_modes_may(places, server, monkeypatch, mode):
    monkeypatch.setenv("DATA", mode)
    server.files[url_path()] = CONTENT
    assert fetch(FILE).is_file()


def test_an_unknown_mode_is_an_error(places, server, monkeypatch):
    monkeypatch.setenv("DATA", "reel")
    with pytest.raises(UnknownNameError, match="Did you mean 'real'"):
        fetch(FILE)


def test_a_cache_that_cannot_be_made_is_named(places, server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "file"))
    server.files[url_path()] = CONTENT
    with pytest.raises(SourceUnavailableError, match="set META_EVALUATION_CACHE"):
        fetch(FILE)


def test_where_a_file_lies(places, server, mirror, monkeypatch):
    assert locate(FILE) == "mirror"
    monkeypatch.delenv("DATA_MIRROR")
    server.files[url_path()] = CONTENT
    assert locate(FILE) is None
    assert server.requested == []
    fetch(FILE)
    assert locate(FILE) == "cache"


def test_a_busy_host_is_asked_again(places, server, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda _: None)
    server.mode = "busy"
    server.files[url_path()] = CONTENT
    assert fetch(FILE).read_bytes() == CONTENT
    assert server.requested == [url_path()] * 3


def test_a_download_can_be_read_by_whom_the_user_allows(places, server):
    server.files[url_path()] = CONTENT
    ordinary = places.parent / "ordinary"
    ordinary.touch()
    assert fetch(FILE).stat().st_mode == ordinary.stat().st_mode


@pytest.mark.parametrize("place", ["mirror", "cache"])
def test_a_file_that_may_not_be_read_is_named_and_passed_over(places, server, mirror, monkeypatch, place):
    """As in a cache that another user's downloads lie in; `chmod` would not stop a test that root runs."""
    closed = mirror if place == "mirror" else places / FILE.relative
    if place == "cache":
        monkeypatch.delenv("DATA_MIRROR")
        closed.parent.mkdir(parents=True)
        closed.write_bytes(CONTENT)
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and access(path, mode))
    assert locate(FILE) is None
    with pytest.raises(
        SourceUnavailableError, match=f"{closed.name} cannot be read, it may be another user's"
    ):
        fetch(FILE)
    assert closed.is_file()


def test_threads_may_fetch_the_same_file(places, server):
    server.files[url_path()] = CONTENT
    together = threading.Barrier(8)
    contents = []

    def work():
        together.wait()
        contents.append(fetch(FILE).read_bytes())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents == [CONTENT] * 8
    assert server.requested == [url_path()]
    assert files_in(places) == [str(FILE.relative)]


@pytest.mark.processes
def test_processes_may_fetch_the_same_file(places, server):
    server.files[url_path()] = CONTENT
    pinned = FILE.repository, FILE.commit, FILE.path, FILE.git_blob
    script = textwrap.dedent(
        f"""
        from metaeval.datasets import fetch, registry
        pattern = {server.address!r} + "/{{repository}}/{{commit}}/{{path}}"
        known = registry.Repository({FILE.repository!r}, "", "", (), pattern, "")
        registry.repositories = lambda: {{known.name: known}}
        file = registry.SourceFile(*{pinned!r}, None)
        print(len(fetch.fetch(file).read_bytes()))
        """
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [process.communicate()[0].strip() for process in running] == [str(len(CONTENT))] * 2
    assert files_in(places) == [str(FILE.relative)]
