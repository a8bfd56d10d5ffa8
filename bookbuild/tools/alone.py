"""tools.alone: ``python -P bookbuild/tools/alone.py LOCK COMMAND ...``: a command, one at a time.

Another with the same lock waits until the first has ended, however that comes. Run as a file by `make` before
anything is installed, as `bookbuild.tools.installing` is, so that it imports nothing but Python.
"""

import fcntl
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn


def main(lock: str, *command: str) -> NoReturn:
    """Become the command, which holds the lock until it and all that it started have ended."""
    Path(lock).parent.mkdir(parents=True, exist_ok=True)
    held = os.open(lock, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another installation of this checkout is running; waiting for it to end ...", flush=True)
        fcntl.flock(held, fcntl.LOCK_EX)
    os.set_inheritable(held, True)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and the command would too
    os.execvp(command[0], command)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
