"""What tests of all rooms share: real data, or a skip that says what is missing."""

import gc
import os
import sys

import pytest
import requests

from metaeval.core.errors import SourceUnavailableError
from metaeval.core.mode import is_simulated
from metaeval.core.paths import ROOT
from metaeval.core.workers import DASK
from metaeval.datasets import fetch, load

# Thousands of imported and collected things stay to the end: looking through them for garbage every 700 new ones, as
# Python does, took a fifth of the time of collecting and a fifteenth of that of the tests.
gc.set_threshold(20_000)
# What checks schemas of notebooks would import it for internationalised addresses, of which no notebook has any; it
# makes 38 grammars when it is imported, two seconds of every worker.
sys.modules.setdefault("rfc3987_syntax", None)

# plug-ins of packages that happen to be there, of which trio's looks through the whole process for garbage
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")
# profiles, histories and lists of fonts of what is started here are no concern of the user's home
for variable, folder in {"IPYTHONDIR": "ipython", "MPLCONFIGDIR": "matplotlib"}.items():
    os.environ.setdefault(variable, str(ROOT / "_build" / folder))

# what `metaeval.datasets.decide` settles for a whole process
SETTLED = ("DATA", fetch.SILENT)
# pinned, but in no mirror that is known: their absence is a skip in CI too
NEVER_MIRRORED = {"re-examining-realsumm-full", "re-examining-summeval-full"}


@pytest.fixture(autouse=True)
def settles_nothing_for_other_tests():
    """Put back what a build in this process decided about the data, and what a command hid from the collector.

    Hypothesis looks there for a generator of numbers, and ends a run of few tests with a warning where it finds none.
    """
    before = {name: os.environ.get(name) for name in SETTLED}
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    gc.unfreeze()


@pytest.fixture(scope="session")
def or_skip():
    """A function (name, call, *arguments) -> ``call(*arguments)``.

    Where files cannot be obtained the test is skipped by `name`; under ``CI=true`` it fails instead.
    """

    def attempt(name, call, *arguments):
        if is_simulated():
            pytest.skip(f"needs {name}, and DATA=simulated asks for no real data")
        try:
            return call(*arguments)
        except SourceUnavailableError:
            reason = f"needs {name}: set DATA_MIRROR or connect to the network"
        if os.environ.get("CI") == "true" and name not in NEVER_MIRRORED:
            pytest.fail(reason)
        pytest.skip(reason)

    return attempt


@pytest.fixture(scope="session")
def real(or_skip):
    """A function from a dataset's name to its Benchmark, skipping where it cannot be obtained."""
    return lambda name: or_skip(name, load, name)


@pytest.fixture
def nobody_answers(monkeypatch, tmp_path):
    """An empty cache, no mirror, and a network on which no host answers."""
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    monkeypatch.setattr(fetch, "FETCHER", fetch.Fetcher())

    def get(*_, **__):
        raise requests.Timeout

    monkeypatch.setattr(requests.Session, "get", get)


@pytest.fixture
def cluster(monkeypatch):
    """A Dask cluster of two processes, which every spread call goes to; it takes ten seconds to come up."""
    distributed = pytest.importorskip("distributed")
    # any free port: without an address it would be 8787, of which two clusters at once make a warning, an error here
    with distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
    ) as found:
        monkeypatch.setenv(DASK, found.scheduler_address)
        found.scale(2)  # the workers have the address too, as those that `dask worker` begins
        found.wait_for_workers(2)
        yield found
