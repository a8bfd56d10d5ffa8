"""Small files in the published formats, all invented here, and a server that serves or fails."""

import gzip
import json
import pickle
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from metaeval.datasets import fetch as fetching
from metaeval.datasets.readers.tables import Release
from metaeval.tables.benchmark import Provenance

from .support import Server, serve_from


@pytest.fixture
def about():
    source = Provenance(files=("someone/data@c:f",), licence="none stated", citation=("someone2020",))
    return Release("made-up", "Made up", source)


@pytest.fixture
def write_pickle(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(pickle.dumps(content, protocol=3))
        return path

    return write


@pytest.fixture
def write_jsonl(tmp_path):
    """Rows as dictionaries or raw lines; a name that ends with .gz is compressed."""

    def write(name, rows):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        content = "".join(f"{line}\n" for line in lines).encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def write_text(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        return path

    return write


@pytest.fixture
def places(tmp_path, monkeypatch):
    """An empty cache, no mirror, nothing remembered."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("META_EVALUATION_CACHE", str(cache))
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    monkeypatch.delenv("DATA", raising=False)
    monkeypatch.setattr(fetching, "FETCHER", fetching.Fetcher())
    return cache


@pytest.fixture
def server(monkeypatch):
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.requested.append(self.path)
            if state.mode == "silent":
                state.over.wait()
            if state.mode == "busy" and len(state.requested) < 3:
                self.send_error(503)
                return
            content = state.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            if state.mode == "packed":
                content = gzip.compress(content)
            announced = len(content)
            if state.mode in ("cut", "cut and not announced"):
                content = content[: len(content) // 2]
            if state.mode == "cut and not announced":
                announced = len(content)
            if state.mode == "stalls":
                content = content[:1]
            self.send_response(200)
            self.send_header("Content-Length", str(announced))
            if state.mode == "packed":
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            if state.mode == "trickles":
                with suppress(OSError):  # the other side has gone
                    for byte in content:
                        self.wfile.write(bytes([byte]))
                        time.sleep(0.02)  # so that a reader has some of it before the rest
                return
            with suppress(OSError):
                self.wfile.write(content)
                self.wfile.flush()
            if state.mode == "stalls":
                state.over.wait()

        def log_message(self, *arguments):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{running.server_port}"
    serve_from(monkeypatch, state.address)
    yield state
    state.over.set()
    running.shutdown()
    running.server_close()
    thread.join()
