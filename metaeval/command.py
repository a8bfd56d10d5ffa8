"""command: a program of several commands, as ``metaeval`` is.

Each command is one module with `add_arguments(parser)` and `main(given) -> status`; only the one that is
asked for is imported. A mistake ends in one line on standard error and in an exit status.
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

from metaeval.core.errors import STOPPED, UnknownNameError, choose, first_line
from metaeval.core.version import __version__

STATUS_OF_A_CLOSED_PIPE = 141  # what a shell calls a program that the signal for it has ended


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    status: int

    def error(self, message: str) -> NoReturn:
        self.exit(self.status, f"error: {message}; `{self.prog} --help` lists what there is\n")


@dataclass(frozen=True)
class Program:
    """A program and its commands.

    Attributes
    ----------
    name : str
        As it is called in a shell.
    commands : mapping, command -> its module, and what it does
    status_of_mistakes : int
        The exit status of a mistake in the command itself.
    status_of_failure : int
        The exit status of a command that failed on what it works on.
    statuses : str
        What ``--help`` of a command says of them.
    """

    name: str
    commands: Mapping[str, tuple[str, str]]
    status_of_mistakes: int
    status_of_failure: int
    statuses: str

    def parser_of(self, command: str) -> argparse.ArgumentParser:
        """The parser of a command's arguments.

        Raises
        ------
        UnknownNameError
            If there is no such command.
        """
        name, says = choose("command", command, self.commands)
        parser = _Parser(
            prog=f"{self.name} {command}",
            description=f"{says[0].upper()}{says[1:]}.",
            epilog=f"The exit status is 0 when all is done, {self.statuses}, and {STOPPED} after Ctrl-C.",
            allow_abbrev=False,
        )
        parser.status = self.status_of_mistakes
        gc.disable()  # what is imported stays: looking among it for what may go took a third of importing
        try:
            module = import_module(name)
        finally:
            gc.freeze()
            gc.enable()
        module.add_arguments(parser)
        return parser

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Do what a command line asks for; returns the exit status.

        Parameters
        ----------
        arguments : words after the program's name; by default those of this process
        """
        if arguments is None:  # a process of its own stops in one way, whoever asks for it
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            atexit.register(gc.freeze)  # what it holds is not taken apart object by object at its end
        try:
            try:
                return self._answered([*(sys.argv[1:] if arguments is None else arguments)] or ["--help"])
            finally:
                sys.stdout.flush()  # at the end of Python nobody could say that the reader has left
        except BrokenPipeError:  # such as `head`, which has seen enough
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            return STATUS_OF_A_CLOSED_PIPE
        except KeyboardInterrupt:
            print("\nstopped", file=sys.stderr)
            return STOPPED

    def _answered(self, arguments: Sequence[str]) -> int:
        command, *rest = arguments
        if command in ("-V", "--version"):
            print("metaeval", __version__)
            return 0
        if command in ("-h", "--help"):
            width = max(map(len, self.commands))
            print(f"usage: {self.name} COMMAND ...\n")
            print("\n".join(f"  {name:{width}}  {says}" for name, (_, says) in self.commands.items()))
            print(f"\n`{self.name} COMMAND --help` lists what a command takes; --version says which this is.")
            return 0
        try:
            parser = self.parser_of(command)
        except UnknownNameError as error:
            print(f"error: {error}", file=sys.stderr)
            return self.status_of_mistakes
        given = parser.parse_args(rest)
        module = import_module(self.commands[command][0])
        try:
            status: int = module.main(given)
            return status
        except BrokenPipeError:
            raise
        except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
            message = str(error)
        except MemoryError as error:
            fewer = "take fewer systems, documents or draws"
            message = f"there is not enough memory ({first_line(error)}); {fewer}"
        except BaseException as error:
            # of polars, whose panics (pyo3) are no Exception; to import it for their names would take long
            if not type(error).__module__.startswith(("polars", "pyo3")):
                raise
            message = f"a table cannot be read or worked on ({first_line(error)}); write it anew, as CSV"
        print(f"error: {as_typed(message, parser)}", file=sys.stderr)
        return self.status_of_failure


def as_typed(said: str, parser: argparse.ArgumentParser) -> str:
    """What is said of parameters, said of the options that were typed: `dest` is what functions call them."""
    options = {
        f"`{one.dest}`": f"`{one.option_strings[-1]}`" for one in parser._actions if one.option_strings
    }
    return re.sub("`\\w+`", lambda name: options.get(name[0], name[0]), said)
