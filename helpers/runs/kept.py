"""runs.kept: which executed notebooks of a folder are as their runs left them, and what those were made of.

What was cut, changed or lost since its run is not, so whoever asks runs it again and publishes nothing of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from helpers.paths import written_whole

NOTES = "_state.json"


class Kept:
    """The executed notebooks of a folder, with a note of each in `NOTES` beside them.

    Parameters
    ----------
    folder : Path
        Notes that cannot be read are none, so that all run again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            notes = json.loads((folder / NOTES).read_text(encoding="utf8"))
        except (OSError, ValueError):
            notes = {}
        self._notes = notes if isinstance(notes, Mapping) else {}

    def holds(self, name: str, made_of: str = "") -> bool:
        """Whether the notebook of this name is there as its run left it, and was `made_of` the same."""
        return self._notes.get(name) == [made_of, self._digest(name)]

    def note(self, name: str, made_of: str = "") -> None:
        """Note a notebook as it is now."""
        self._write({**self._notes, name: [made_of, self._digest(name)]})

    def forget(self, name: str) -> None:
        """Let a notebook run again, whatever is there."""
        self._write({other: note for other, note in self._notes.items() if other != name})

    def remove_changed(self) -> list[str]:
        """Remove what was cut or changed since its run; returns the names."""
        changed = [name for name, note in self._notes.items() if self._digest(name) not in ("", note[-1])]
        for name in changed:
            self._path(name).unlink()
        return changed

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.ipynb"

    def _digest(self, name: str) -> str:
        """Of the file's bytes, "" where there is none."""
        path = self._path(name)
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    def _write(self, notes: dict[str, list[str]]) -> None:
        self._notes = notes
        with written_whole(self._folder / NOTES) as partial:
            partial.write_text(json.dumps(notes, indent=1, sort_keys=True), encoding="utf8")
