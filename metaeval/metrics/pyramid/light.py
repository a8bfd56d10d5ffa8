"""pyramid.light: a presence model without a download: boosted trees on overlap and similarity.

Our own, to stand in for the fine-tuned transformer of Zhang and Bansal (2021). Learns from people's labels;
``data/models/light.json`` holds trees that learned on all labels of REALSumm and PyrXSum, for texts that have
none (`LightModel.load`). The page `lite2` shows how well such trees do on texts that they did not see.

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

from metaeval.core.errors import DataError, SourceUnavailableError, choose, listing, require_extra
from metaeval.core.paths import DATA, atomic_write, read_once
from metaeval.metrics.cache import code, content_key, versions
from metaeval.metrics.pyramid import features
from metaeval.metrics.pyramid.extraction import extract
from metaeval.metrics.pyramid.features import FEATURES, LEXICAL, SEMANTIC, Background
from metaeval.metrics.pyramid.scores import lite_pyramid
from metaeval.metrics.text import words
from metaeval.own.units import OwnUnits, read_units
from metaeval.tables.benchmark import CELL, Texts, with_ids

SHIPPED = DATA / "models" / "light.json"
# read when a model is saved and again when it is loaded, to check that its features have not changed
_EXAMPLE = (
    [
        "The red cat sat on a mat.",
        "Two of 30 old men left the town of Bern on Monday.",
        "Men sat.",
    ],
    [
        "A red cat sat. It rained in May.",
        "On Monday, old men left Bern and did not come back. A cat sat. Nobody saw a mat.",
        "A cat, red and old, sat in Bern.",
    ],
)
_SAME = 0.002  # vectors differ in their last bits between machines, and features of them are rounded to 0.001

# More overlap never speaks against presence, more missing words never for it. Held to that, the trees carry
# over better from the units they learned on to others.
_FOR = frozenset(
    {name for name in FEATURES if name.endswith(("recall", "similarity"))}
    | {"best_f1", "best_subsequence", "soft_best", "soft_lowest"}
)
_AGAINST = frozenset(("missing_rarest", "missing_weight", "missing_words", "missing_name", "soft_missing"))


def _key(kind: str, background: Background) -> str:
    weights = [f"{stem} {weight:.12g}" for stem, weight in sorted(background.weights.items())]
    made_by = [code(*features.MADE_BY), versions("embeddings"), versions("texts")]
    return content_key([kind, *made_by, *weights, str(background.unseen)])


class Vectors:
    """Features that a light model adds with vectors; for reading only, not for judging."""

    n_values = len(SEMANTIC)

    def __init__(self, background: Background):
        self._background = background
        self.key = _key("vectors", background)

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        """Features (n_units, n_summaries, n_values), in the order of `features.SEMANTIC`."""
        return features.vector_features(units, summaries, background=self._background)


class LightModel:
    """Gradient-boosted trees on `metaeval.metrics.pyramid.features`, fitted on people's labels.

    Parameters
    ----------
    background : Background
        Word frequencies, from texts of the same kind as the references.
    semantic : bool
        Use sentence vectors too; without them everything is some twenty times faster.
    seed : int
        Of the rows and columns that each tree sees. The same seed gives the same model.
    """

    def __init__(self, background: Background, *, semantic: bool = True, seed: int = 0):
        self._background = background
        self._semantic = semantic
        self._seed = seed
        self._trees = None
        self.feature_names = FEATURES if semantic else LEXICAL
        self.n_values = len(self.feature_names)

    @property
    def key(self) -> str:
        """Key of everything its features depend on besides the texts, see `presence.PresenceModel`."""
        return _key("light" if self._semantic else "light without vectors", self._background)

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        """Features (n_units, n_summaries, n_values), in the order of `feature_names`."""
        return features.document_features(
            units, summaries, background=self._background, semantic=self._semantic
        )

    def fit(self, values: np.ndarray, labels: np.ndarray) -> LightModel:
        """Learn from features (n, n_values) and labels (n,) of 0 and 1."""
        if len(values) != len(labels):
            raise DataError(
                f"there must be one label per row of features, got {len(labels)} for {len(values)}"
            )
        if len(np.unique(labels)) < 2:
            raise DataError("to learn presence, labels must hold both 0 and 1; all are the same")
        signs = tuple(1 if name in _FOR else -1 if name in _AGAINST else 0 for name in self.feature_names)
        self._trees = (
            require_extra("xgboost", "pyramid")
            .XGBClassifier(
                max_depth=3,
                n_estimators=200,
                learning_rate=0.05,
                min_child_weight=20,
                subsample=0.7,
                colsample_bytree=0.5,
                monotone_constraints=signs,
                random_state=self._seed,
                n_jobs=1,
            )
            .fit(values, labels)
        )
        return self

    def presence(self, values: np.ndarray) -> np.ndarray:
        """Probability of presence, of the shape of `values` without its last axis."""
        rows = values.reshape(-1, values.shape[-1])
        return self._learned().predict_proba(rows)[:, 1].astype(float).reshape(values.shape[:-1])

    def save(self, path: Path, *, learned_on: Sequence[str]) -> None:
        """Write the trees as JSON; `load` reads it. Words and their rarity are not part of it.

        Parameters
        ----------
        path : Path
        learned_on : names of the data sets whose labels the trees saw

        Raises
        ------
        DataError
            If the model has learned nothing yet.
        """
        content = {
            "learned_on": list(learned_on),
            "feature_names": list(self.feature_names),
            "example": np.round(self._example_features().astype(float), 4).tolist(),
            "trees": json.loads(self._learned().get_booster().save_raw(raw_format="json")),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as part:
            part.write_bytes(json.dumps(content, separators=(",", ":")).encode("ascii"))

    @classmethod
    def load(cls, background: Background, path: Path = SHIPPED) -> LightModel:
        """Load a model that `save` wrote.

        Parameters
        ----------
        background : Background
            Of the texts at hand, such as the references or the sources.
        path : Path
            By default the trees that come with this project.

        Returns
        -------
        LightModel

        Raises
        ------
        DataError
            If the file is not one of `save`, of other features, or of features that were computed otherwise.
        """
        try:
            content = json.loads(path.read_text(encoding="ascii"))
            names, trees = content["feature_names"], content["trees"]
            example = np.array(content["example"], dtype=float)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path.name} holds no light model of today ({error!r}); "
                "train it again with `metaeval.metrics.pyramid.study.learned_light`"
            ) from None
        variants = {tuple(FEATURES): True, tuple(LEXICAL): False}
        if tuple(names) not in variants:
            odd = min((set(names) ^ set(one) for one in variants), key=len)
            raise DataError(
                f"{path.name} learned on other features ({listing(odd) if odd else 'in another order'}); "
                "train it again with `metaeval.metrics.pyramid.study.learned_light`"
            )
        model = cls(background, semantic=variants[tuple(names)])
        current = model._example_features()
        if example.shape != current.shape:
            raise DataError(f"{path.name} holds no light model (its example has the shape {example.shape})")
        otherwise = (np.abs(example - current) > _SAME).any(axis=(0, 1))
        if otherwise.any():
            odd = [name for name, one in zip(names, otherwise, strict=True) if one]
            raise DataError(
                f"{path.name} learned when features were computed otherwise ({listing(odd)}); "
                "train it again with `metaeval.metrics.pyramid.study.learned_light`"
            )
        model._trees = require_extra("xgboost", "pyramid").XGBClassifier()
        model._trees.load_model(bytearray(json.dumps(trees).encode("ascii")))
        return model

    def _example_features(self) -> np.ndarray:
        background = Background.of(_EXAMPLE[1])
        return features.document_features(*_EXAMPLE, background=background, semantic=self._semantic)

    def _learned(self):
        if self._trees is None:
            raise DataError("this model has learned nothing yet: call `fit` with features and labels first")
        return self._trees


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
    for name in names:
        choose("Pyramid metric", name, dict.fromkeys((GOLD_METRIC, SCU_METRIC, STU_METRIC)))
    own = _read(names, units)
    model = _model(names, background)
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
            presence = model.presence(model.read(of[document], column))
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


def _model(names: Sequence[str], background: Background | None) -> LightModel | None:
    if set(names) <= {GOLD_METRIC}:
        return None
    if background is None:
        raise SourceUnavailableError(
            "the light model weighs words by how rare they are: give it the option background, "
            "Background.of(sources) or of references, of the whole test set"
        )
    return LightModel.load(background)


def _labelled(own: OwnUnits, document: str, systems: Sequence[str]) -> list[float]:
    columns = [own.labels.get((system, document)) for system in systems]
    if all(labels is None for labels in columns):
        raise DataError(f"the file of units has no labels of document {document!r}")
    return [np.nan if labels is None else lite_pyramid(labels) for labels in columns]
