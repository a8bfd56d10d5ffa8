"""command: programs of several commands, such as ``metaeval``.

Each command is a module with `add_arguments(parser)` and `main(args) -> status`; only the module of the
requested command is imported. A mistake ends in one line on standard error and in an exit status.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NoReturn

from metaeval.core.errors import (
    STATUS_OF_A_QUESTION,
    STOPPED,
    OpenQuestion,
    UnknownNameError,
    choose,
    closest,
    first_line,
)
from metaeval.core.version import __version__

STATUS_OF_A_CLOSED_PIPE = 141  # in a shell, of a program ended by the signal for it


class _Parser(argparse.ArgumentParser):
    """Argument parser that reports a mistake in one line."""

    status: int
    program: Program

    def error(self, message: str) -> NoReturn:
        message = message.replace("invalid int value:", "must be a whole number, got")
        message = message.replace("invalid float value:", "must be a number, got")
        if option := re.match("unrecognized arguments: (--[a-z-]+)", message):
            options = {
                one: self.program.parser_of(one)._option_string_actions for one in self.program.commands
            }
            if owners := [one for one, names in options.items() if option[1] in names]:
                message += f"; {option[1]} is an option of {', '.join(owners)}"
            else:
                message += f";{closest(option[1], self._option_string_actions, cutoff=0.7)}".rstrip(";")
        elif message.endswith("required: FILE"):
            message += ", before options that take several names"
        self.exit(self.status, f"error: {message}; `{self.prog} --help` lists the arguments\n")


@dataclass(frozen=True)
class Program:
    """Program with its commands.

    Attributes
    ----------
    name : str
        How it is called in a shell.
    commands : mapping, command -> its module and its line of help
    status_of_mistakes : int
        Exit status of a mistake in the command line.
    status_of_failure : int
        Exit status of a command that failed on its files or data.
    statuses : str
        Explanation of both in the ``--help`` of a command.
    default : str
        Command that takes arguments which begin with the name of a file; "" for none.
    """

    name: str
    commands: Mapping[str, tuple[str, str]]
    status_of_mistakes: int
    status_of_failure: int
    statuses: str
    default: str = ""

    def parser_of(self, command: str) -> argparse.ArgumentParser:
        """Parser of a command's arguments.

        Raises
        ------
        UnknownNameError
            If there is no such command.
        """
        name, summary = choose("command", command, self.commands)
        parser = _Parser(
            prog=f"{self.name} {command}",
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"The exit status is 0 when all is done, {self.statuses}, and {STOPPED} after Ctrl-C.",
            allow_abbrev=False,
        )
        parser.status, parser.program = self.status_of_mistakes, self
        gc.disable()  # imported objects stay alive: collecting among them took a third of the import time
        try:
            module = import_module(name)
        finally:
            gc.freeze()
            gc.enable()
        module.add_arguments(parser)
        return parser

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Run a command line; returns the exit status.

        Parameters
        ----------
        arguments : words after the program's name, by default those of this process
        """
        if arguments is None:  # SIGTERM ends a process of its own like Ctrl-C
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            atexit.register(gc.freeze)  # skip the collection of every object at exit
            if "DASK_SCHEDULER_ADDRESS" not in os.environ:  # without a cluster xarray need not load Dask
                sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
            open_streams()
        try:
            try:
                return self._run([*(sys.argv[1:] if arguments is None else arguments)] or ["--help"])
            finally:
                sys.stdout.flush()  # at exit Python could no longer report a closed pipe
        except BrokenPipeError:  # such as `head`, once it has enough lines
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            return STATUS_OF_A_CLOSED_PIPE
        except KeyboardInterrupt:
            print("\nstopped", file=sys.stderr)
            return STOPPED

    def _run(self, arguments: Sequence[str]) -> int:
        command, *rest = arguments
        if self.default and command not in self.commands and (os.path.exists(command) or "." in command):
            command, rest = self.default, [*arguments]
        if command in ("-V", "--version"):
            print("metaeval", __version__)
            return 0
        if command in ("-h", "--help", "help"):
            width = max(map(len, self.commands))
            print(f"usage: {self.name} COMMAND ...{f' or {self.name} FILE ...' if self.default else ''}\n")
            print("\n".join(f"  {name:{width}}  {summary}" for name, (_, summary) in self.commands.items()))
            print(f"\n`{self.name} COMMAND --help` lists its arguments; --version prints the version.")
            return 0
        try:
            parser = self.parser_of(command)
        except UnknownNameError as error:
            print(f"error: {error}", file=sys.stderr)
            return self.status_of_mistakes
        except (ImportError, MemoryError) as error:  # of a package, or of what a limit of memory lets load
            print(
                f"error: {first_line(error)}; install what is missing, or allow more memory", file=sys.stderr
            )
            return self.status_of_failure
        args = parser.parse_args(rest)
        module = import_module(self.commands[command][0])
        try:
            if prepare := getattr(args, "prepare", None):
                prepare(args)
            each = getattr(args, "each", None)
            status: int = each(module.main, args) if each else module.main(args)
            return status
        except BrokenPipeError:
            raise
        except OpenQuestion as error:
            print(as_typed(str(error), parser))
            return self.status_of_failure if getattr(args, "has_verdict", False) else STATUS_OF_A_QUESTION
        except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
            message = str(error)
        except MemoryError as error:
            fewer = "take fewer systems, documents or draws"
            message = f"there is not enough memory ({first_line(error)}); {fewer}"
        except BaseException as error:
            # polars panics (pyo3) are no Exception; importing polars for their names would be slow
            if not type(error).__module__.startswith(("polars", "pyo3")):
                raise
            message = f"a table cannot be read or worked on ({first_line(error)}); write it anew, as CSV"
        print(f"error: {as_typed(message, parser)}", file=sys.stderr)
        return self.status_of_failure


def open_streams() -> None:
    """Let standard output and error take all letters, and exist where a shell closed them."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def as_typed(message: str, parser: argparse.ArgumentParser) -> str:
    """A message about parameters with the options as they are typed: `dest` is their name in functions."""
    options = {
        f"`{one.dest}`": f"`{one.option_strings[-1]}`" for one in parser._actions if one.option_strings
    }
    return re.sub("`\\w+`", lambda name: options.get(name[0], name[0]), message)
