"""simulation.truth: true correlations of a likeness, over all systems and documents that it can generate.

A formula exists for the latent values only; scores are bent, bounded and rounded. The truth is therefore
computed from a very large draw, with its Monte-Carlo error over batches, and stored in
``data/simulation/NAME.truth.csv`` with a fingerprint of its parameters.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.simulation.model import FOLDER, Likeness, draw, path_of
from metaeval.stats.correlation import COEFFICIENTS, LEVELS, correlate, system_means
from metaeval.stats.streams import RNGLike, seed_of, stream

N_BATCHES = 8
N_SYSTEM_BATCHES = 32  # at system level, in the stored table: the rarest type has 130 systems per batch
N_SYSTEMS = 700  # per batch
COLUMNS = ["group", "level", "n_documents", "coefficient", "metric", "value", "mc_error"]


def groups_of(likeness: Likeness) -> list[str]:
    """Groups of systems whose correlations are computed: those of the papers where types are known."""
    kinds = list(likeness.types)
    if {"abs", "ext"} <= set(kinds):
        return ["abs", "ext", "mix"]
    return kinds if kinds != ["unknown"] else ["all"]


def compute(
    likeness: Likeness,
    *,
    metrics: Sequence[str] | None = None,
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
    groups: Sequence[str] | None = None,
    levels: Sequence[str] = tuple(LEVELS),
    n_documents: Sequence[int] | None = None,
    n_batches: int = N_BATCHES,
    n_systems: int = N_SYSTEMS,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Compute true correlations with the gold standard from a large draw.

    Parameters
    ----------
    likeness : Likeness
    metrics : by default all
    coefficients : of pearson, spearman, kendall
    groups : system types, ``"mix"`` or ``"all"``; by default those of `groups_of`
    levels : of system, summary, global
    n_documents : ints, by default the source's number
        Numbers of documents in the means that are correlated at system level, in addition to the expected
        scores. All come from one draw; the value for one number does not depend on the others.
    n_batches, n_systems : int
        Numbers of batches, each with its own systems and documents, and of systems in a batch.
    rng : int, Generator or None

    Returns
    -------
    DataFrame with columns group, level, n_documents, coefficient, metric, value, mc_error
        ``n_documents`` is infinite for the correlation of systems' expected scores, and a number of documents
        for that of means over that many; it is NaN at summary and global level, which use the source's
        number. `mc_error` is the standard deviation over the batches divided by the root of their number.
    """
    seed = seed_of(rng)
    own = likeness.n_documents
    means_over = [own] if n_documents is None else n_documents
    max_documents = max([own, *means_over])
    frames = []
    for batch in range(n_batches):
        sizes = {"n_systems": n_systems, "n_documents": max_documents}
        drawn = draw(likeness, **sizes, metrics=metrics, rng=stream(seed, "batch", batch))
        for group in groups or groups_of(likeness):
            benchmark = drawn.benchmark.group(group)
            x, z = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
            expected = drawn.expected.sel(system=benchmark.systems)
            limit = expected.sel(plane=benchmark.metrics).to_numpy(), expected[0].to_numpy()
            for coefficient in coefficients:
                function, estimates = COEFFICIENTS[coefficient], []
                for level in levels:
                    if level != "system":
                        value = correlate(x[..., :own], z[..., :own], level=level, coefficient=coefficient)[0]
                        estimates.append((level, math.nan, value))
                if "system" in levels:
                    estimates.append(("system", math.inf, function(*limit)))
                    for m in means_over:
                        value = function(system_means(x[..., :m]), system_means(z[..., :m]))
                        estimates.append(("system", m, value))
                for level, m, values in estimates:
                    row = {"group": group, "level": level, "n_documents": m, "coefficient": coefficient}
                    frames.append(pd.DataFrame(row | {"metric": benchmark.metrics, "value": values}))
    by_key = pd.concat(frames).groupby(COLUMNS[:-2], sort=False, dropna=False)["value"]
    table = by_key.mean().reset_index()
    table["mc_error"] = by_key.std().to_numpy() / math.sqrt(n_batches)
    return table[COLUMNS]


def population(likeness: Likeness, folder: Path = FOLDER) -> pd.DataFrame:
    """Read the stored table of true correlations of a fitted likeness; columns as from `compute`.

    Raises
    ------
    SourceUnavailableError
        If there is none.
    DataError
        If it belongs to other parameters.
    """
    path = folder / f"{likeness.name}.truth.csv"
    if not path.is_file():
        raise SourceUnavailableError(
            f"no true correlations of likeness {likeness.name!r} are stored; "
            "`metaeval.simulation.truth.compute` draws them"
        )
    head, _, body = path.read_text(encoding="utf8").partition("\n")
    if head != f"# {_fingerprint(likeness.name, folder)}":
        raise DataError(
            f"{path.name} belongs to other parameters; `metaeval.simulation.truth.write` renews it"
        )
    return pd.read_csv(io.StringIO(body))


def write(likeness: Likeness, folder: Path = FOLDER) -> Path:
    """Compute and store the true correlations of a likeness with stored parameters."""
    path = folder / f"{likeness.name}.truth.csv"
    parts = [(["system"], N_SYSTEM_BATCHES), (["summary", "global"], N_BATCHES)]
    tables = [compute(likeness, levels=levels, n_batches=n, rng=0) for levels, n in parts]
    table = pd.concat(tables, ignore_index=True).round({"value": 4, "mc_error": 5})
    body = table.to_csv(index=False, lineterminator="\n")
    path.write_text(f"# {_fingerprint(likeness.name, folder)}\n{body}", encoding="utf8")
    return path


def _fingerprint(name: str, folder: Path) -> str:
    """Fingerprint of the parameters, without the comments above them."""
    lines = path_of(name, folder).read_text(encoding="utf8").splitlines(keepends=True)
    parameters = "".join(line for line in lines if not line.startswith("#"))
    return "parameters " + hashlib.sha256(parameters.encode()).hexdigest()[:16]
