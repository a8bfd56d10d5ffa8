"""runs.kernels: kernels forked from one process that has imported what most notebooks import.

Imports cost each kernel two seconds of a processor; forked kernels share them. They are used for several
notebooks at a time and on Linux only: on other systems a process with libraries loaded is not safe to fork.
Called by `bookbuild.runs.execution`.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.spawn import get_preparation_data

import psutil
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

_LAUNCHER = "ipykernel_launcher"  # the arguments behind it are the kernel's
# named, not imported: fingerprints of notebooks do not depend on these modules
PRELOADED, PRELOADED_DATA = "bookbuild.runs.kernel_preload", "bookbuild.runs.kernel_preload_data"

# a child of `multiprocessing` imports the main module of its parent: a script without a guard would run again
_IS_SCRIPT = "init_main_from_path" in get_preparation_data("kernel")
CAN_FORK = sys.platform == "linux" and not _IS_SCRIPT
_SERVER = multiprocessing.get_context("forkserver" if CAN_FORK else None)
if CAN_FORK:
    _SERVER.set_forkserver_preload([PRELOADED])


def share_data() -> None:
    """Let kernels share data that many notebooks load: after `datasets.decide`, before the first kernel."""
    if CAN_FORK:
        _SERVER.set_forkserver_preload([PRELOADED, PRELOADED_DATA])


def ending() -> Callable[[], None]:
    """Return a function that terminates the kernels, and other child processes, started from now on."""
    others = set(psutil.Process().children(recursive=True))

    def end() -> None:
        for process in set(psutil.Process().children(recursive=True)) - others:
            with suppress(psutil.NoSuchProcess):
                process.terminate()

    return end


class Kernel(_SERVER.Process):
    """Kernel process of multiprocessing, with the `subprocess.Popen` interface that Jupyter expects."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: Sequence[str], environment: dict[str, str], folder: str) -> None:
        super().__init__()
        self._started_with = list(arguments), dict(environment), str(folder)

    def run(self) -> None:
        """Become the kernel in the new process, and end with it."""
        arguments, environment, folder = self._started_with
        gc.freeze()  # memory shared with other kernels stays shared: garbage collection does not write to it
        os.setsid()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        sys.argv = [_LAUNCHER, *arguments]
        try:
            IPKernelApp.launch_instance()
        finally:  # until Python 3.14 `multiprocessing` runs no exit handlers, so temporary folders would stay
            atexit._run_exitfuncs()

    def poll(self) -> int | None:
        """The exit status, None while it runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """The exit status, once it has ended."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


def _end_with_parent() -> None:
    """Exit with the parent: Jupyter's own watch is on the direct parent, which here is the fork server."""
    multiprocessing.parent_process().join()
    os._exit(1)


class _Provisioner(LocalProvisioner):
    """Provisioner that forks a kernel where Jupyter's own would start a new Python."""

    async def launch_kernel(self, cmd: list[str], **kwargs: object):
        arguments = cmd[cmd.index(_LAUNCHER) + 1 :]
        self.process = Kernel(arguments, kwargs["env"], kwargs.get("cwd") or os.getcwd())
        self.process.start()
        self.pid = self.pgid = self.process.pid  # leader of its own process group, as with Jupyter
        return self.connection_info


class ForkedKernels(AsyncKernelManager):
    """Kernel manager for nbclient that forks its kernels."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.kernel_id = str(uuid.uuid4())
        self.provisioner = _Provisioner(parent=self, kernel_id=self.kernel_id, kernel_spec=self.kernel_spec)
