"""What the tests of the sources share besides fixtures."""

import hashlib
import threading
from dataclasses import dataclass, field

from metaeval.datasets import registry

REPOSITORY = "someone/data"
COMMIT = "c" * 40


def pin(content, path="folder/file.txt", *, n_bytes="right"):
    """A SourceFile for `content`, its blob id computed as git does."""
    blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    size = len(content) if n_bytes == "right" else n_bytes
    return registry.SourceFile(REPOSITORY, COMMIT, path, blob, size)


def files_in(folder):
    """Every file at any depth, hidden ones too."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


@dataclass
class Server:
    """Files of the local server by path, its misbehaviour, and the paths requested."""

    files: dict[str, bytes] = field(default_factory=dict)
    mode: str = "whole"
    requested: list[str] = field(default_factory=list)
    address: str = ""
    over: threading.Event = field(default_factory=threading.Event)  # when what is silent gives up


def serve_from(monkeypatch, address):
    """Let the registry know one repository, served at `address`."""
    pattern = address + "/{repository}/{commit}/{path}"
    repository = registry.Repository(REPOSITORY, "Data", "none stated", ("someone2020",), pattern, "")
    monkeypatch.setattr(registry, "repositories", lambda: {REPOSITORY: repository})
