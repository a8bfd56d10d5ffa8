"""pyramid.named: the Pyramid metrics by their names in the registry, with a file of units.

Whether a summary holds a unit, people say (LitePyramid) or the light model that comes with the project, which
learned on people's labels of REALSumm and PyrXSum: on these it has seen the answers, and the pages `lite2`
and `lite3` judge it by folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, SourceUnavailableError, choose, listing
from metaeval.core.paths import read_once
from metaeval.metrics.pyramid.extraction import extract
from metaeval.metrics.pyramid.features import Background
from metaeval.metrics.pyramid.light import LightModel
from metaeval.metrics.pyramid.scores import lite_pyramid
from metaeval.metrics.text import words
from metaeval.own.units import OwnUnits, read_units
from metaeval.tables.benchmark import CELL, Texts, with_ids

_own_units = read_once(read_units)  # the pieces of a long run count the same
GOLD, OF_SCUS, OF_STUS = "LitePyramid", "Lite²Pyramid (light)", "Lite³Pyramid (light)"


def named_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    units: str | Path | None = None,
    background: Background | None = None,
) -> xr.DataArray:
    """The share of units that every summary holds.

    Parameters
    ----------
    texts : Texts
    names : of ``"LitePyramid"`` (people's labels of people's units), ``"Lite²Pyramid (light)"`` (the light
        model on people's units) and ``"Lite³Pyramid (light)"`` (on units cut out of all references)
    units : file of `metaeval.own.units.read_units`
        People's units, for LitePyramid with labels. ``metaeval texts lite-realsumm --units FILE`` writes one.
    background : Background
        Of the light model: how rare words are, in all sources of a test set, or in all its references.

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document)
        The light model finds nothing in a summary without words; NaN where people gave a summary no labels.

    Raises
    ------
    SourceUnavailableError
        If a file or a background is needed and none is given.
    DataError
        Naming the document, if it has no units, or people labelled no summary of it.
    """
    for name in names:
        choose("Pyramid metric", name, dict.fromkeys((GOLD, OF_SCUS, OF_STUS)))
    own = _read(names, units)
    model = _model(names, background)
    summaries = texts.summaries.transpose(*CELL)
    systems, documents = (summaries.indexes[dim].tolist() for dim in CELL)
    values = np.empty((len(names), len(systems), len(documents)))
    for j, (document, column) in enumerate(zip(documents, summaries.to_numpy().T.tolist(), strict=True)):
        for row, name in enumerate(names):
            if name == GOLD:
                values[row, :, j] = _labelled(own, document, systems)
                continue
            of = extract({document: texts.references[document]}) if name == OF_STUS else own.units
            if document not in of:
                raise DataError(f"the file of units has none of document {document!r}")
            presence = model.presence(model.read(of[document], column))
            presence[:, [not words(summary) for summary in column]] = 0.0
            values[row, :, j] = presence.mean(axis=0)
    return with_ids(values, metric=names, system=systems, document=documents)


def _read(names: Sequence[str], units: str | Path | None) -> OwnUnits | None:
    needing = [name for name in names if name != OF_STUS]
    if not needing:
        return None
    if units is None:
        raise SourceUnavailableError(
            f"{listing(needing)} count units that people wrote: name a file of them by the option units, as "
            "in --option units=FILE; `metaeval texts lite-realsumm -o texts.jsonl --units FILE` writes one"
        )
    path = Path(units).expanduser()
    own = _own_units(path) if path.is_file() else read_units(path)  # which says what is missing
    if GOLD in names and not own.labels:
        raise SourceUnavailableError(
            f"{path.name} has no column labels: LitePyramid is what people said of each summary and unit"
        )
    return own


def _model(names: Sequence[str], background: Background | None) -> LightModel | None:
    if set(names) <= {GOLD}:
        return None
    if background is None:
        raise SourceUnavailableError(
            "the light model weighs words by how rare they are: give it the option background, "
            "Background.of(sources) or of references, of the whole test set"
        )
    return LightModel.load(background)


def _labelled(own: OwnUnits, document: str, systems: Sequence[str]) -> list[float]:
    found = [own.labels.get((system, document)) for system in systems]
    if all(labels is None for labels in found):
        raise DataError(f"the file of units has no labels of document {document!r}")
    return [np.nan if labels is None else lite_pyramid(labels) for labels in found]
