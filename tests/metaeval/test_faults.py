"""What can happen to a machine, really done: full and read-only disks, kill -9, two at once, another user.

Each ends in a clear message or in the right result, leaves nothing half-written, and is healed by the next run.
"""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import psutil
import pytest

from bookbuild.runs.execution import NotebookError, execute
from metaeval.__main__ import main
from metaeval.core.errors import STOPPED, SourceUnavailableError
from metaeval.core.paths import ROOT
from metaeval.datasets import fetch as fetching
from metaeval.datasets.registry import SourceFile
from metaeval.metrics import cache
from tests.metaeval.readers.support import files_in, pin, serve_from

pytestmark = pytest.mark.slow
N_KILLS = 10
STATES = {"no room": "size=4k", "no inode": "size=8m,nr_inodes=2", "read-only": "size=8m"}
WHY = {"no room": "No space left", "no inode": "No space left", "read-only": "Read-only file system"}
OTHER = 65534  # a user who is not this one
# this user without the right to read and write what others own
WITHOUT_RIGHTS = "-dac_override,-dac_read_search,-fowner"


def really(*command):
    """Do what needs rights that a test may not have; without them skip, or fail where `AS_ROOT` says they are
    there."""
    without = pytest.fail if os.environ.get("AS_ROOT") else pytest.skip
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    except FileNotFoundError as error:
        without(f"needs {command[0]}: {error}")
    if done.returncode:
        without(f"not permitted here: {' '.join(map(str, command))}: {done.stderr.strip()}")


class Disk:
    """A disk of its own on which nothing more can be written, until it is healed."""

    def __init__(self, folder, state):
        self.folder, self.why = folder, WHY[state]
        folder.mkdir()
        really("mount", "-t", "tmpfs", "-o", STATES[state], "tmpfs", folder)
        (folder / "there.txt").write_bytes(b"x" * 4096)
        if state == "read-only":
            really("mount", "-o", "remount,ro", folder)

    def heal(self):
        really("mount", "-o", "remount,rw,size=64m,nr_inodes=9999", self.folder)

    def files(self):
        return [name for name in files_in(self.folder) if not name.endswith("lock")]


@pytest.fixture(params=STATES)
def disk(request, tmp_path):
    folder = tmp_path / "disk"
    try:
        yield Disk(folder, request.param)
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DATA", "simulated")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_texts(path, n_documents=4):
    rows = [
        {"system": f"s{i}", "document": f"d{j:03}", "summary": f"{'so ' * (i + j % 7)}it is", "source": "it is so"}
        for i in range(5)
        for j in range(n_documents)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


SCORE = ["score", "length", "novelty", "--summaries", "texts.jsonl", "-o"]
WRITES = {
    "report": ["report", "scores.csv", "--draws", "50", "-o", "disk/report.html"],
    "doctor": ["doctor", "scores.csv", "--save-roles", "disk/roles.yml"],
    **{f"score {ending}": [*SCORE, f"disk/scores.{ending}"] for ending in ("csv", "jsonl", "parquet")},
}


@pytest.mark.parametrize("command", WRITES)
def test_what_a_command_cannot_write_is_named_and_nothing_is_left(disk, command, capsys):
    words, target = WRITES[command], WRITES[command][-1]
    write_texts(Path("texts.jsonl"), n_documents=200)
    assert main([*SCORE, "scores.csv"]) == 0
    with Path("scores.csv").open("a") as handle:  # people's, so that there is something to report
        handle.writelines(f"s{i},d{j:03},human,{i + j % 3}\n" for i in range(5) for j in range(200))
    capsys.readouterr()
    assert main(words) == 3
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"error: {target} cannot be written ({disk.why}")
    assert "nothing of it is kept; make room" in said
    assert disk.files() == ["there.txt"]
    disk.heal()
    assert main(words) == 0
    assert disk.files() == sorted([Path(target).name, "there.txt"])


def test_examples_that_cannot_be_written_leave_no_folder(disk, capsys):
    assert main(["example", "disk/some/made"]) == 3
    assert disk.why in capsys.readouterr().err
    assert [path.name for path in disk.folder.iterdir()] == ["there.txt"]
    disk.heal()
    assert main(["example", "disk/some/made"]) == 0


def test_scores_are_the_same_though_they_cannot_be_kept(disk, monkeypatch, capsys):
    write_texts(Path("texts.jsonl"), n_documents=200)
    assert main([*SCORE, "expected.csv"]) == 0
    monkeypatch.setenv("META_EVALUATION_CACHE", str(disk.folder / "cache"))
    for name in ("first.csv", "second.csv", "third.csv"):
        capsys.readouterr()
        assert main([*SCORE, name]) == 0
        assert Path(name).read_bytes() == Path("expected.csv").read_bytes()
        if name == "first.csv":
            assert f"cannot be written ({disk.why}" in capsys.readouterr().err
            assert disk.files() == ["there.txt"]
            disk.heal()
    assert "1,000 of 1,000 summaries scored before" in capsys.readouterr().err


def test_a_download_that_cannot_be_kept_names_the_cache(disk, monkeypatch):
    content = b"twenty-five systems\n" * 1000
    file = pin(content)
    monkeypatch.setenv("META_EVALUATION_CACHE", str(disk.folder / "cache"))
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    monkeypatch.setenv("DATA", "real")
    with serving(monkeypatch, lambda connection: connection.sendall(response(content))):
        with pytest.raises(
            SourceUnavailableError, match=rf"cannot be written \({disk.why}.*META_EVALUATION_CACHE"
        ):
            fetching.Fetcher().fetch(file)  # fmt: skip
        assert disk.files() == ["there.txt"]
        disk.heal()
        assert fetching.Fetcher().fetch(file).read_bytes() == content
    assert disk.files() == [f"cache/{file.relative}", "there.txt"]


def test_a_notebook_that_cannot_be_written_is_named(disk, notebook):
    output = disk.folder / "made.ipynb"
    with pytest.raises(NotebookError, match=rf"made\.ipynb with its defaults failed: .*{disk.why}"):
        execute(notebook, output)
    assert disk.files() == ["there.txt"]
    disk.heal()
    execute(notebook, output)
    assert nbformat.read(output, 4).cells[-1].outputs[0].text == "made of 10\n"


@pytest.fixture
def notebook(tmp_path):
    path = tmp_path / "notebooks" / "made.ipynb"
    path.parent.mkdir()
    write_notebook(path)
    return path


def write_notebook(path, sleep=0.3):
    cells = [
        nbformat.v4.new_markdown_cell(f"# {path.stem}"),
        nbformat.v4.new_code_cell("k: int = 10  # how many", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(f"import time\ntime.sleep({sleep})"),
        nbformat.v4.new_code_cell("print(f'made of {k}')"),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)


# the build of a book of two notebooks; its own folders, as arguments of a process
BUILD = """
import sys
from pathlib import Path
from bookbuild.site import build
from bookbuild.runs.fingerprints import Fingerprint

root = Path(sys.argv[1])
build.ROOT, build.NOTEBOOKS = root, root / "notebooks"
build.EXECUTED = root / "book" / "executed"
build.EXTRA = build.EXECUTED / "_extra"
build.BUILD = root / "_build"
build.SITE, build.STAGING = build.BUILD / "site", build.BUILD / "staging"
build.fingerprints = lambda names, folder, project: {name: Fingerprint(sys.argv[2], False) for name in names}
try:
    with build.only_build():
        sys.exit(build.build(jobs=2))
except (OSError, RuntimeError) as error:  # as the command line does
    sys.exit(f"error: {error}")
"""
CHAPTERS = ("one", "likeness")  # which the note on simulated data leads to
CONFIG = """
title: made
execute: {execute_notebooks: "off"}
only_build_toc_files: true
exclude_patterns: [_build]
"""


@pytest.fixture
def house(tmp_path):
    """A book of a page and two notebooks, and its site, which is there."""
    root = tmp_path / "house"
    for folder in ("notebooks", "book/executed", "_build/site"):
        (root / folder).mkdir(parents=True)
    for name in CHAPTERS:
        write_notebook(root / "notebooks" / f"{name}.ipynb")
    (root / "book" / "intro.md").write_text("# Made\n\nA page.\n")
    (root / "_config.yml").write_text(CONFIG)
    chapters = "".join(f"\n      - file: book/executed/{name}" for name in CHAPTERS)
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: book/intro\nparts:\n  - chapters:{chapters}\n")
    (root / "requirements.txt").write_text("")
    (root / "_build" / "site" / "index.html").write_text("the site before")
    return root


def building(house, version="1"):
    return python(BUILD, house, version)


def pages_of(house):
    """The text of both notebooks' pages; None before the first build of ours, whole or not at all."""
    site = house / "_build" / "site"
    if (site / "index.html").read_text() == "the site before":
        return None
    return [(site / "book" / "executed" / f"{name}.html").read_text() for name in CHAPTERS]


def assert_built(house):
    assert all("made of 10" in page for page in pages_of(house))
    state = json.loads((house / "book" / "executed" / "_state.json").read_text())
    assert len({made_of for made_of, _ in state.values()}) == 1


@pytest.mark.parametrize("place", ["book/executed", "_build"])
def test_a_build_that_cannot_write_says_so_and_the_next_one_builds(disk, house, place):
    shutil.rmtree(house / place)
    (house / place).symlink_to(disk.folder, target_is_directory=True)
    ran = building(house)
    said = ran.communicate(timeout=600)[1]
    assert ran.returncode == 1
    assert disk.why in said
    assert "Traceback" not in said.partition("Jupyter Book failed")[0]
    assert disk.files() == ["there.txt"]
    disk.heal()
    ran = building(house)
    assert ran.communicate(timeout=600)[1] == ""
    assert_built(house)


def killed(start, seconds):
    """The status of a process that is killed after this long, unless it is done before."""
    process = start()
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    return process.returncode


def moments(seconds):
    """Random moments of a work that takes so long, one for each kill; the seed is fixed."""
    rng = random.Random(1)
    return [rng.uniform(0.1, 1.0) * seconds for _ in range(N_KILLS)]


def python(code, *words):
    """A process of Python in this folder."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own, as of a terminal
    )


def whole(start):
    """How long a process takes that nobody kills."""
    started = time.monotonic()
    process = start()
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 0, said
    return time.monotonic() - started


SCORING = "import sys; from metaeval.__main__ import main; sys.exit(main(sys.argv[1:]))"


def whole_arrays():
    """How many arrays the cache holds that agree with their checksums; one that does not fails."""
    checksums = list((cache.cache_folder() / "features").glob("[!.]*.blake2b"))
    for path in checksums:
        assert cache.checksum(path.with_suffix(".npy").read_bytes()) == path.read_text()
    return len(checksums)


def test_scoring_that_is_killed_at_any_moment_goes_on():
    write_texts(Path("texts.jsonl"), n_documents=3000)
    words = ["score", "length", "novelty", "copied share", "density", "--summaries", "texts.jsonl", "-o"]
    took = whole(lambda: python(SCORING, *words, "expected.csv"))
    shutil.rmtree(cache.cache_folder())
    statuses, kept = [], []
    for seconds in moments(took):
        statuses.append(killed(lambda: python(SCORING, *words, "scores.csv"), seconds))
        kept.append(whole_arrays())
        if Path("scores.csv").exists():
            assert Path("scores.csv").read_bytes() == Path("expected.csv").read_bytes()
    assert -signal.SIGKILL in statuses
    assert kept == sorted(kept)
    whole(lambda: python(SCORING, *words, "scores.csv"))
    assert Path("scores.csv").read_bytes() == Path("expected.csv").read_bytes()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_scoring_in_processes_that_is_stopped_leaves_none_and_goes_on(sent):
    write_texts(Path("texts.jsonl"), n_documents=3000)
    metrics = ["length", "novelty", "copied share", "density"]
    words = ["score", *metrics, "--summaries", "texts.jsonl", "--jobs", "2", "-o", "scores.csv"]
    process = python(SCORING, *words)
    try:
        deadline = time.monotonic() + 120
        while whole_arrays() < len(metrics) and time.monotonic() < deadline:  # a piece of the texts
            time.sleep(0.01)
        below = family(process)
        process.send_signal(sent)
        _, said = process.communicate(timeout=60)
    finally:
        for one in [*family(process), process]:
            one.kill()
    assert len(below) >= 2
    assert psutil.wait_procs(below, timeout=20)[1] == []
    if sent == signal.SIGINT:
        assert process.returncode == STOPPED
        assert said.endswith("; the same command continues from there\n")
    assert whole_arrays() >= len(metrics)
    assert not Path("scores.csv").exists()
    again = python(SCORING, *words)
    assert "scored before" in again.communicate(timeout=600)[1]
    assert again.returncode == 0


def test_what_is_cut_or_changed_in_the_cache_is_scored_again():
    write_texts(Path("texts.jsonl"), n_documents=200)
    assert main([*SCORE, "expected.csv"]) == 0
    rng = random.Random(1)
    kept = sorted((cache.cache_folder() / "features").glob("*.*"))
    assert {path.suffix for path in kept} == {".npy", ".blake2b"}
    for path in kept:
        content = path.read_bytes()
        place = rng.randrange(len(content))
        for damaged in (
            content[:place],
            content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :],
        ):
            path.write_bytes(damaged)
            assert main([*SCORE, "scores.csv"]) == 0
            assert Path("scores.csv").read_bytes() == Path("expected.csv").read_bytes()
            assert path.read_bytes() == content


SWEEP = """
import sys
from pathlib import Path
from bookbuild.runs import folder
from bookbuild.runs.fingerprints import Fingerprint
from bookbuild.runs.sweep import sweep

folder.fingerprints = lambda names, notebooks: {"made": Fingerprint("of the code", False)}
sweep(Path(sys.argv[1]), [{"k": 1}, {"k": 2}, {"k": 3}], reruns=Path("reruns"), jobs=2)
"""


def test_a_sweep_that_is_killed_at_any_moment_goes_on(notebook):
    took = whole(lambda: python(SWEEP, notebook))
    statuses, folder = [], Path("reruns") / "made" / "1"
    for i, seconds in enumerate(moments(took)):
        if i % 3 == 0:  # what is there is not run again, so that later ones would have little to do
            shutil.rmtree("reruns", ignore_errors=True)
        statuses.append(killed(lambda: python(SWEEP, notebook), seconds))
        for path in folder.glob("made-*.ipynb"):
            assert nbformat.read(path, 4).cells[-1].outputs[0].text == f"made of {path.stem[-1]}\n"
    assert -signal.SIGKILL in statuses
    whole(lambda: python(SWEEP, notebook))
    assert sorted(path.name for path in folder.glob("[!.]*.ipynb")) == [f"made-{k}.ipynb" for k in (1, 2, 3)]
    assert [path.name for path in folder.parent.iterdir() if path.name.isdigit()] == ["1"]


STOPPABLE = (
    SWEEP.replace(
        "sweep(Path",
        """
from metaeval.core.errors import STOPPED
try:
    sweep(Path""",
    ).rstrip()
    + """
except KeyboardInterrupt:
    sys.exit(STOPPED)
"""
)


def family(process):
    """The processes below one: what counts resources, what forks kernels, and these."""
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


@pytest.mark.parametrize("send", [os.killpg, os.kill])
@pytest.mark.parametrize("n_begun", [2, 4], ids=["importing", "computing"])
def test_a_sweep_that_is_stopped_ends_at_once_and_goes_on(notebook, send, n_begun):
    write_notebook(notebook, sleep=120)
    process = python(STOPPABLE, notebook)
    try:
        folder = Path("reruns") / "made" / "1"
        deadline = time.monotonic() + 120
        while len(family(process)) < n_begun and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        below = family(process)
        assert len(below) >= n_begun
        send(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)  # a cell alone takes twice as long
    finally:
        for one in [*family(process), process]:
            one.kill()
    assert process.returncode == STOPPED
    assert said == ""
    assert psutil.wait_procs(below, timeout=20)[1] == []
    assert list(folder.glob("*.ipynb")) == []  # and nothing hidden
    write_notebook(notebook, sleep=0)
    whole(lambda: python(SWEEP, notebook))
    assert sorted(path.name for path in folder.glob("*.ipynb")) == [f"made-{k}.ipynb" for k in (1, 2, 3)]


def test_a_build_that_is_killed_at_any_moment_is_healed_by_the_next(house):
    took = whole(lambda: building(house))
    statuses = []
    for i, seconds in enumerate(moments(took)):
        statuses.append(killed(lambda i=i: building(house, f"changed {i}"), seconds))
        assert all("made of 10" in page for page in pages_of(house))  # the site before, or the new one
    assert -signal.SIGKILL in statuses
    whole(lambda: building(house, "at last"))
    assert_built(house)


def test_two_builds_at_once_are_one_after_the_other(house):
    both = [building(house), building(house)]
    said = [process.communicate(timeout=600) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [error for _, error in said] == ["", ""]
    waited = sorted("Another build of this checkout is running; waiting" in text for text, _ in said)
    assert waited == [False, True]
    assert_built(house)


def test_only_who_asks_for_it_gets_a_simulated_site_in_the_place_of_a_real_one(house, monkeypatch):
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nobody listens
    for version, data, status in (("1", "auto", 1), ("2", "simulated", 0), ("3", "auto", 0)):
        monkeypatch.setenv("DATA", data)
        ran = building(house, version)
        said = ran.communicate(timeout=600)[1]
        assert (ran.returncode, said == "") == (status, status == 0)
        if status:
            assert said.startswith(f"error: {house / '_build' / 'site'} was built from real data")
            assert "cannot be reached" in said
            assert files_in(house / "book" / "executed") == []
            assert pages_of(house) is None
        else:
            assert_built(house)


def limited(code, *words):
    """The same as another user would: without the right to read or write what this one does not own."""
    rights = ("setpriv", "--bounding-set", WITHOUT_RIGHTS, "--inh-caps", WITHOUT_RIGHTS)
    really(*rights, "true")
    command = [*rights, sys.executable, "-c", code, *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("readable", [True, False])
def test_scores_in_another_users_cache_are_read_or_computed_again(readable):
    write_texts(Path("texts.jsonl"), n_documents=200)
    assert main([*SCORE, "expected.csv"]) == 0
    theirs = cache.cache_folder()
    before = contents(theirs)
    if not readable:
        really("chmod", "-R", "go-rwx", theirs)
    really("chown", "-R", f"{OTHER}:{OTHER}", theirs)
    done = limited(SCORING, *SCORE, "scores.csv")
    assert done.returncode == 0, done.stderr
    assert Path("scores.csv").read_bytes() == Path("expected.csv").read_bytes()
    assert ("1,000 of 1,000 summaries scored before" in done.stderr) == readable
    assert contents(theirs) == before


DOWNLOAD = """
import sys
from metaeval.datasets.fetch import Fetcher
from metaeval.datasets.registry import SourceFile
try:
    print(Fetcher().fetch(SourceFile(*sys.argv[1:5], None)))
except OSError as error:
    sys.exit(f"error: {error}")
"""


@pytest.mark.parametrize("readable", [True, False])
def test_a_file_in_another_users_cache_is_read_or_named(readable, monkeypatch):
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    file = SourceFile("neulab/REALSumm", "c" * 40, "file.txt", pin(b"one more file").git_blob, None)
    path = cache.cache_folder() / file.relative
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one more file")
    path.chmod(0o644 if readable else 0o600)
    really("chown", "-R", f"{OTHER}:{OTHER}", cache.cache_folder())
    done = limited(DOWNLOAD, file.repository, file.commit, file.path, file.git_blob)
    if readable:
        assert (done.returncode, done.stdout.strip()) == (0, str(path)), done.stderr
    else:
        assert done.returncode == 1
        assert f"cache: {path} cannot be read, it may be another user's" in done.stderr


@contextmanager
def serving(monkeypatch, answer):
    """A host that answers as told and then says no more; what it was asked."""
    over, asked = threading.Event(), []

    def serve(connection):
        with connection, suppress(OSError):
            asked.append(connection.recv(4096))
            answer(connection)
            over.wait()

    def accept():
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=[listening.accept()[0]], daemon=True).start()

    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, daemon=True).start()
    serve_from(monkeypatch, f"http://127.0.0.1:{listening.getsockname()[1]}")
    try:
        yield asked
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def response(content):
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 200 OK\r\n", response(b"all of it")[:-3]], ids=["nothing", "a line", "a part"]
)
def test_a_host_that_hangs_is_given_up_named_and_not_asked_again(said, monkeypatch):
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    monkeypatch.setenv("DATA", "real")
    monkeypatch.setattr(fetching, "TIMEOUT", 1.0)
    fetcher = fetching.Fetcher()
    with serving(monkeypatch, lambda connection: connection.sendall(said)) as asked:
        for name in ("a.txt", "b.txt"):
            with pytest.raises(
                SourceUnavailableError, match=r"http://127\.0\.0\.1:\d+/.*: no answer within 1 s"
            ):
                fetcher.fetch(pin(b"all of it", name))
    assert len(asked) == 1
    assert files_in(Path.cwd()) == []
