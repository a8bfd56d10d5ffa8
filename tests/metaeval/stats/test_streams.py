"""A stream is named: the same for the same names, another for others, whatever else is asked for."""

import ast
import re
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest

import metaeval
from bookbuild.runs.fingerprints import STOREYS
from metaeval.core.paths import ROOT
from metaeval.stats.streams import block_seeds, block_stream, seed_of, signature, stream


def test_the_same_names_give_the_same_draws_in_any_order_of_asking():
    first = stream(5, "realsumm", "abs", 8).random(4)
    stream(5, "realsumm", "abs", 9).random(4)
    np.testing.assert_array_equal(stream(5, "realsumm", "abs", 8).random(4), first)


def test_other_names_and_other_seeds_give_other_draws():
    names = [(), ("a",), ("b",), ("a", "b"), ("ab",), ("b", "a"), (8,), ("8",), (8.0,), (True,), (None,)]
    drawn = {stream(seed, *name).random() for seed in (0, 1) for name in names}
    assert len(drawn) == 2 * len(names)


def test_numbers_of_numpy_are_the_numbers_they_hold():
    assert stream(1, np.int64(8), np.float64(0.5)).random() == stream(1, 8, 0.5).random()


def test_streams_of_neighbouring_seeds_are_uncorrelated():
    draws = np.array([stream(seed, "x").normal(size=2000) for seed in range(20)])
    off_diagonal = np.corrcoef(draws)[np.triu_indices(20, 1)]
    assert np.abs(off_diagonal).max() < 5 / np.sqrt(2000)


def test_hash_seeds_change_nothing():
    program = "from metaeval.stats.streams import stream; print(stream(3, 'realsumm', 4).random())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert outputs == {f"{stream(3, 'realsumm', 4).random()}\n"}


def test_what_stands_for_a_seed():
    assert seed_of(0) == 0
    assert seed_of(np.int64(7)) == 7
    assert seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    generator = np.random.default_rng(1)
    assert seed_of(generator) != seed_of(generator)
    assert seed_of(None) != seed_of(None)


def test_blocks_have_streams_of_their_own():
    seeds = block_seeds(3)
    drawn = [block_stream(seeds, number).random() for number in (0, 1, 2, 10)]
    assert len(set(drawn)) == 4
    assert block_stream(block_seeds(3), 2).random() == drawn[2]
    assert block_stream(block_seeds(4), 2).random() != drawn[2]
    generator = np.random.default_rng(3)
    np.testing.assert_array_equal(block_seeds(generator), seeds)
    assert (block_seeds(generator) != seeds).any()


# ------------------------------------------------------------------------------ nowhere else are draws begun

MAKERS = {
    *("default_rng", "SeedSequence", "RandomState", "PCG64", "Philox", "MT19937", "SFC64", "spawn", "jumped"),
    *("crc32", "adler32", "rvs"),
}
# without one of these words no code is looked through
WORDS = re.compile(rf"random|seed|{'|'.join(sorted(MAKERS))}", re.I)


def begun(code, file):
    """Every place where some code makes a generator, or a seed by arithmetic, as ``FILE:LINE: what``."""
    places = []
    for node in ast.walk(ast.parse(code)) if WORDS.search(code) else ():
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            names = [alias.name for alias in node.names]
            bad = module in ("random", "numpy.random") or "random" in names or MAKERS & set(names)
        elif isinstance(node, ast.Attribute):
            is_numpy = _last(node.value) == "random" and node.attr != "Generator"
            is_numpy = is_numpy and ast.unparse(node.value) in ("np.random", "numpy.random")
            bad = is_numpy or node.attr in MAKERS
        elif isinstance(node, ast.Call):
            # another library's own generator starts from a seed, as it is or from a named stream
            arguments = [*node.args] if _last(node.func).endswith("manual_seed") else []
            arguments += [k.value for k in node.keywords if k.arg == "random_state"]
            bad = not all(_is_seed(value) for value in arguments)
        elif isinstance(node, ast.BinOp):
            bad = any(_is_seed(side) for side in (node.left, node.right))
        else:
            bad = False
        if bad:
            places.append(f"{file}:{node.lineno}: {ast.unparse(node)}")
    return places


def _is_seed(node):
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "seed_of"
    return _last(node).lower().endswith("seed")


def _last(node):
    """The last of the dotted names that a node is, "" where it is something else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def test_no_other_module_begins_draws():
    own = ROOT / "metaeval" / "stats" / "streams.py"
    assert begun(own.read_text(encoding="utf8"), "streams.py")
    every = sorted(path for storey in STOREYS for path in (ROOT / storey).rglob("*.py"))
    others = [path for path in every if path != own]
    offences = [
        one for path in others for one in begun(path.read_text(encoding="utf8"), path.relative_to(ROOT))
    ]
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize(
    "code",
    [
        "rng = np.random.default_rng(rng)",
        "np.random.normal(size=3)",
        "from numpy.random import default_rng",
        "from numpy import random",
        "import random",
        "np.random.SeedSequence(3)",
        "rng.spawn(3)",
        "zlib.crc32(name.encode())",
        "stats.norm.rvs(size=3)",
        "torch.manual_seed(epoch)",
        "Trees(random_state=3)",
        "draw(rng=settings.seed * 2)",
        "f(seed + 1)",
        "f([1 + seed_of(rng)])",
    ],
)
def test_what_begins_draws_is_seen(code):
    assert begun(code, "x.py")


@pytest.mark.parametrize(
    "code",
    [
        "def f(generator: np.random.Generator): return generator.random(3)",
        "torch.manual_seed(seed_of(stream(settings.seed, 'order', epoch)))",
        "Trees(random_state=self._seed)",
        "f'of seed {seed}'",
        "zlib.error",
    ],
)
def test_what_only_uses_a_stream_is_not(code):
    assert not begun(code, "x.py")


@pytest.mark.parametrize(
    ("rng", "error", "text"),
    [
        (-1, ValueError, "at least 0, got -1"),
        (1.5, TypeError, "got float 1.5"),
        (True, TypeError, "got bool True"),
        ("1", TypeError, "got str '1'"),
    ],
)
def test_mistakes_are_named(rng, error, text):
    for begin in (seed_of, block_seeds):
        with pytest.raises(error, match=text):
            begin(rng)


def test_what_was_asked_for_comes_before_the_sizes_and_nothing_is_left_out():
    line = signature({"level": "system", "lowest": 0}, shape=(3, 7), method=None, alpha=0.05)
    version = metadata.version("metaeval")
    assert line == f"level:system|lowest:0|alpha:0.05|systems:3|documents:7|version:{version}"


def test_the_version_is_the_one_that_is_installed():
    assert metadata.version("metaeval") == metaeval.__version__
