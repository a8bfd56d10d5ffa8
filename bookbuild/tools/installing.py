"""tools.installing: pip with a line of progress, as `python -P bookbuild/tools/installing.py -r FILE`.

pip is told what follows and its exit status is this one's. Run as a file by `make`, when nothing of what the
house needs is installed, so that it imports nothing but Python.
"""

import re
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

_FOUND = re.compile(r"(?:Collecting|Processing|Requirement already satisfied:) (\S+)")
_LARGE = re.compile(r"\s+Downloading (\S+) \((\d{2,}[\d.]* MB|.* GB)\)")
_CHOSEN = "Installing collected packages: "
_TOLD = re.compile(r"\s*(?:WARNING|ERROR|DEPRECATION|error)\b")
_NO_PLACE = re.compile(
    r"Location .* is ignored|Url .* is ignored"
)  # of an index that lacks a package, for each
_LAST = 40  # lines of pip that are shown where it fails


def named(word: str) -> str:
    """A package as pip names it, or by its file.

    Examples
    --------
    >>> named("numpy==2.1.0"), named("https://there/files/sympy-1.14.0-py3-none-any.whl")
    ('numpy==2.1.0', 'sympy==1.14.0')
    """
    file = word.rpartition("/")[2]
    return "==".join(file.split("-")[:2]) if file.endswith((".whl", ".gz")) else file


class Steps:
    """How many of some packages are done: a line for each tenth, or for each where nobody knows how many.

    Parameters
    ----------
    doing : what is done
    total : int or None
    say : called with a line
    """

    def __init__(self, doing: str, total: int | None, say: Callable[[str], object]):
        self.doing, self.total, self.say = doing, total, say
        self.n, self.start = 0, time.monotonic()

    def reach(self, n: int, name: str) -> None:
        """Say that `n` are done, the last of which is `name`."""
        before, self.n = self.n, n
        if self.total is None:
            self.say(f"  {self.doing} [{n}] {name}")
        elif n * 10 // self.total > before * 10 // self.total:
            left = (time.monotonic() - self.start) / n * (self.total - n)
            self.say(
                f"  {self.doing} [{n}/{self.total}] {name}" + f", about {left:.0f} s left" * (n < self.total)
            )


def told(
    lines: Iterable[str],
    total: int | None,
    say: Callable[[str], object],
    chosen: Callable[[list[str]], object],
) -> list[str]:
    """Say how far pip is, by what it says; returns what else it said.

    Parameters
    ----------
    lines : what pip says, as it says it
    total : how many packages it will find, where that is known
    say : called with a line
    chosen : called with all packages that will be installed, when they are known
    """
    found, rest = Steps("found", total, say), []
    for line in lines:
        if one := _FOUND.match(line):
            found.reach(found.n + 1, named(one[1]))
        elif large := _LARGE.match(line):
            say(f"  downloading {named(large[1])}, {large[2]}")
        elif line.startswith(_CHOSEN):
            chosen(line.removeprefix(_CHOSEN).strip().split(", "))
        if not _NO_PLACE.search(line):
            rest.append(line.rstrip())
    return rest


def _installed() -> int:
    return len(list(Path(sysconfig.get_path("purelib")).glob("*.dist-info")))


def _watch(names: list[str], ended: threading.Event) -> None:
    """Say how many of the packages that pip now installs, of which it says nothing itself, are there."""
    before, steps, last = _installed(), Steps("installed", len(names), _say), False
    while not last:
        last = ended.wait(0.5)
        n = len(names) if last else min(_installed() - before, len(names) - 1)
        if n > steps.n:
            steps.reach(n, names[n - 1])


def _say(line: str) -> None:
    print(line, flush=True)


def main(words: list[str]) -> int:
    """Let pip install; returns its exit status."""
    files = [Path(file) for option, file in pairwise(words) if option == "-r"]
    total = None
    if "--no-deps" in words and files and all(file.is_file() for file in files):
        total = sum(len(re.findall(r"^[\w.-]+==", file.read_text("utf8"), re.MULTILINE)) for file in files)
    command = [sys.executable, "-u", "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
    ended, watches = threading.Event(), []

    def watch(names: list[str]) -> None:
        watches.append(threading.Thread(target=_watch, args=(names, ended), daemon=True))
        watches[-1].start()

    with subprocess.Popen(
        [*command, "--progress-bar", "off", *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf8", errors="replace",
    ) as pip:  # fmt: skip
        rest = told(pip.stdout, total, _say, watch)
    if not pip.returncode:
        ended.set()
        for one in watches:
            one.join()
    for line in rest[-_LAST:] if pip.returncode else filter(_TOLD.match, rest):
        print(line, file=sys.stderr)
    return pip.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
