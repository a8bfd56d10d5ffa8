"""tools.install_lock: ``python -P bookbuild/tools/install_lock.py LOCK COMMAND ...``, one at a time.

A second command with the same lock waits until the first has ended, whether it succeeds or fails. `make` runs
this file before anything is installed, so it imports the standard library only.
"""

import fcntl
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn


def main(lock: str, *command: str) -> NoReturn:
    """Replace this process by the command, which holds the lock until all its processes have ended."""
    Path(lock).parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another installation of this checkout is running; waiting for it to end ...", flush=True)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.set_inheritable(descriptor, True)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and the command would too
    os.execvp(command[0], command)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
