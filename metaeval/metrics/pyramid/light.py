"""pyramid.light: a presence model without a download: boosted trees on overlap and similarity.

Our own, to stand in for the fine-tuned transformer of Zhang and Bansal (2021). Learns from people's labels;
``data/models/light.json`` holds trees that learned on all labels of REALSumm and PyrXSum, for texts that have
none (`load`). The page `lite2` shows how well such trees do on texts that they did not see.

`named_scores` gives the Pyramid metrics by their names in the registry, with a file of units. The presence of
a unit comes from people (LitePyramid) or from the light model that comes with the project. That model learned
on people's labels of REALSumm and PyrXSum, so on these it has seen the answers; the pages `lite2` and `lite3`
judge it by folds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, SourceUnavailableError, listing, require_extra
from metaeval.core.paths import DATA, atomic_write, read_once
from metaeval.metrics.pyramid.extraction import extract
from metaeval.metrics.pyramid.features import FEATURES, Background, Features
from metaeval.metrics.pyramid.scores import lite_pyramid
from metaeval.metrics.text import words
from metaeval.own.units import OwnUnits, read_units
from metaeval.tables.benchmark import CELL, Texts, with_ids

_SEED = 0  # of the rows and columns that each tree sees
SHIPPED = DATA / "models" / "light.json"

# More overlap never speaks against presence, more missing words never for it. Held to that, the trees carry
# over better from the units they learned on to others.
_FOR = frozenset(
    {name for name in FEATURES if name.endswith(("recall", "similarity"))}
    | {"best_f1", "best_subsequence", "soft_best", "soft_lowest"}
)
_AGAINST = frozenset(("missing_rarest", "missing_weight", "missing_words", "missing_name", "soft_missing"))


class LightModel:
    """Gradient-boosted trees on features of `metaeval.metrics.pyramid.features`.

    Parameters
    ----------
    trees : xgboost.XGBClassifier, fitted
    """

    def __init__(self, trees):
        self._trees = trees

    def presence(self, values: np.ndarray) -> np.ndarray:
        """Probability of presence, of the shape of `values` without its last axis."""
        rows = values.reshape(-1, values.shape[-1])
        return self._trees.predict_proba(rows)[:, 1].astype(float).reshape(values.shape[:-1])

    def save(self, path: Path, *, learned_on: Sequence[str]) -> None:
        """Write the trees as JSON for `load`. Words and their rarity are not part of it.

        Parameters
        ----------
        path : Path
        learned_on : names of the data sets whose labels the trees saw
        """
        content = {
            "learned_on": list(learned_on),
            "feature_names": FEATURES,
            "trees": json.loads(self._trees.get_booster().save_raw(raw_format="json")),
        }
        with atomic_write(path) as part:
            part.write_bytes(json.dumps(content, separators=(",", ":")).encode("ascii"))


def fit(values: np.ndarray, labels: np.ndarray) -> LightModel:
    """Learn presence from people's labels.

    Parameters
    ----------
    values : float array (n, n_features), in the order of `FEATURES`, or the first of them: those of words
    labels : array (n,) of 0 and 1, both of them

    Returns
    -------
    LightModel
        The same for the same arrays.

    Raises
    ------
    DataError
        If all labels are the same.
    """
    if len(np.unique(labels)) < 2:
        raise DataError("to learn presence, labels must hold both 0 and 1; all are the same")
    names = FEATURES[: values.shape[-1]]
    trees = require_extra("xgboost", "pyramid").XGBClassifier(
        max_depth=3,
        n_estimators=200,
        learning_rate=0.05,
        min_child_weight=20,
        subsample=0.7,
        colsample_bytree=0.5,
        monotone_constraints=tuple(1 if n in _FOR else -1 if n in _AGAINST else 0 for n in names),
        random_state=_SEED,
        n_jobs=1,
    )
    return LightModel(trees.fit(values, labels))


def load(path: Path = SHIPPED) -> LightModel:
    """Load a model that `LightModel.save` wrote, by default the one that comes with this project.

    Raises
    ------
    DataError
        If the model learned on other features.
    """
    content = json.loads(path.read_text(encoding="ascii"))
    if content["feature_names"] != [*FEATURES]:
        raise DataError(
            f"{path.name} learned on other features; train it again with "
            "`metaeval.metrics.pyramid.study.learned_light`"
        )
    trees = require_extra("xgboost", "pyramid").XGBClassifier()
    trees.load_model(bytearray(json.dumps(content["trees"]).encode("ascii")))
    return LightModel(trees)


# --- the metrics by name

_own_units = read_once(read_units)  # shared by the pieces of a long run
GOLD_METRIC, SCU_METRIC, STU_METRIC = "LitePyramid", "Lite²Pyramid (light)", "Lite³Pyramid (light)"


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
    own = _read(names, units)
    if set(names) - {GOLD_METRIC}:
        if background is None:
            raise SourceUnavailableError(
                "the light model weighs words by how rare they are: give it the option background, "
                "Background.of(sources) or of references, of the whole test set"
            )
        model, features = load(), Features(FEATURES, background)
    summaries = texts.summaries.transpose(*CELL)
    systems, documents = (summaries.indexes[dim].tolist() for dim in CELL)
    values = np.empty((len(names), len(systems), len(documents)))
    for j, (document, column) in enumerate(zip(documents, summaries.to_numpy().T.tolist(), strict=True)):
        for row, name in enumerate(names):
            if name == GOLD_METRIC:
                values[row, :, j] = _labelled(own, document, systems)
                continue
            of = extract({document: texts.references[document]}) if name == STU_METRIC else own.units
            if document not in of:
                raise DataError(f"the file of units has none of document {document!r}")
            presence = model.presence(features.read(of[document], column))
            presence[:, [not words(summary) for summary in column]] = 0.0
            values[row, :, j] = presence.mean(axis=0)
    return with_ids(values, metric=names, system=systems, document=documents)


def _read(names: Sequence[str], units: str | Path | None) -> OwnUnits | None:
    needing = [name for name in names if name != STU_METRIC]
    if not needing:
        return None
    if units is None:
        raise SourceUnavailableError(
            f"{listing(needing)} count units that people wrote: name a file of them by the option units, as "
            "in --option units=FILE; `metaeval texts lite-realsumm -o texts.jsonl --units FILE` writes one"
        )
    path = Path(units).expanduser()
    own = _own_units(path) if path.is_file() else read_units(path)  # it raises the error for a missing file
    if GOLD_METRIC in names and not own.labels:
        raise SourceUnavailableError(
            f"{path.name} has no column labels: LitePyramid needs people's label of each summary and unit"
        )
    return own


def _labelled(own: OwnUnits, document: str, systems: Sequence[str]) -> list[float]:
    columns = [own.labels.get((system, document)) for system in systems]
    if all(labels is None for labels in columns):
        raise DataError(f"the file of units has no labels of document {document!r}")
    return [np.nan if labels is None else lite_pyramid(labels) for labels in columns]
