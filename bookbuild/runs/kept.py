"""runs.kept: which executed notebooks of a folder are as their runs left them, and what those were made of.

What was cut, changed or lost since its run is not, so whoever asks runs it again and publishes nothing of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from metaeval.core.paths import written_whole

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
        notes = notes.items() if isinstance(notes, Mapping) else ()
        self._notes = {name: note for name, note in notes if _is_note(note)}

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
        """Remove what has no note, and what was cut or changed since its run; returns the names of these."""
        changed = [name for name, note in self._notes.items() if self._digest(name) not in ("", note[-1])]
        for path in self._folder.glob("[!.]*.ipynb"):  # hidden ones are being executed
            if path.stem in changed or path.stem not in self._notes:
                path.unlink()
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


def _is_note(note: object) -> bool:
    """Whether a note says what a notebook was made of, and what its run left."""
    return isinstance(note, list) and len(note) == 2 and all(isinstance(part, str) for part in note)
