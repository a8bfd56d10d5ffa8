"""tools.installing: pip with a line of progress, as `python -P bookbuild/tools/installing.py -r FILE`.

All arguments are passed on to pip, and its exit status is returned. `make` runs this file when no package is
installed yet, so it imports the standard library only.
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

_PACKAGE = re.compile(r"(?:Collecting|Processing|Requirement already satisfied:) (\S+)")
_LARGE = re.compile(r"\s+Downloading (\S+) \((\d{2,}[\d.]* MB|.* GB)\)")
_INSTALLING = "Installing collected packages: "
_WARNINGS = re.compile(r"\s*(?:WARNING|ERROR|DEPRECATION|error)\b")
# printed for each package that an index lacks
_IGNORED = re.compile(r"Location .* is ignored|Url .* is ignored")
_LAST = 40  # lines of pip that are shown if it fails


def package_name(word: str) -> str:
    """Name of a package from pip's word for it or from its file.

    Examples
    --------
    >>> package_name("numpy==2.1.0"), package_name("https://there/files/sympy-1.14.0-py3-none-any.whl")
    ('numpy==2.1.0', 'sympy==1.14.0')
    """
    file = word.rpartition("/")[2]
    return "==".join(file.split("-")[:2]) if file.endswith((".whl", ".gz")) else file


class Steps:
    """Progress over packages: a line for each tenth of them, or for each one if their number is unknown.

    Parameters
    ----------
    doing : str, such as "installed"
    total : int or None
    report : called with a line
    """

    def __init__(self, doing: str, total: int | None, report: Callable[[str], object]):
        self.doing, self.total, self.report = doing, total, report
        self.n, self.start = 0, time.monotonic()

    def reach(self, n: int, name: str) -> None:
        """Report that `n` packages are done, the last of which is `name`."""
        before, self.n = self.n, n
        if self.total is None:
            self.report(f"  {self.doing} [{n}] {name}")
        elif n * 10 // self.total > before * 10 // self.total:
            remaining = (time.monotonic() - self.start) / n * (self.total - n)
            self.report(
                f"  {self.doing} [{n}/{self.total}] {name}"
                + f", about {remaining:.0f} s left" * (n < self.total)
            )


def report_progress(
    lines: Iterable[str],
    total: int | None,
    report: Callable[[str], object],
    chosen: Callable[[list[str]], object],
) -> list[str]:
    """Report the progress of pip from its output; returns the other lines.

    Parameters
    ----------
    lines : output of pip, as it is printed
    total : number of packages it will find, where known
    report : called with a line
    chosen : called with all packages that will be installed, when they are known
    """
    steps, rest = Steps("found", total, report), []
    for line in lines:
        if match := _PACKAGE.match(line):
            steps.reach(steps.n + 1, package_name(match[1]))
        elif large := _LARGE.match(line):
            report(f"  downloading {package_name(large[1])}, {large[2]}")
        elif line.startswith(_INSTALLING):
            chosen(line.removeprefix(_INSTALLING).strip().split(", "))
        if not _IGNORED.search(line):
            rest.append(line.rstrip())
    return rest


def _installed() -> int:
    return len(list(Path(sysconfig.get_path("purelib")).glob("*.dist-info")))


def _watch(names: list[str], ended: threading.Event) -> None:
    """Report the number of installed packages, of which pip prints nothing itself."""
    before, steps, last = _installed(), Steps("installed", len(names), _print_line), False
    while not last:
        last = ended.wait(0.5)
        n = len(names) if last else min(_installed() - before, len(names) - 1)
        if n > steps.n:
            steps.reach(n, names[n - 1])


def _print_line(line: str) -> None:
    print(line, flush=True)


def main(words: list[str]) -> int:
    """Run pip; returns its exit status."""
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
        rest = report_progress(pip.stdout, total, _print_line, watch)
    if not pip.returncode:
        ended.set()
        for one in watches:
            one.join()
    for line in rest[-_LAST:] if pip.returncode else filter(_WARNINGS.match, rest):
        print(line, file=sys.stderr)
    return pip.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
