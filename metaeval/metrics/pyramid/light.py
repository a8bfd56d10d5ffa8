"""pyramid.light: a presence model without a download: boosted trees on overlap and similarity.

Our own, to stand in for the fine-tuned transformer of Zhang and Bansal (2021). Learns from people's labels;
``data/models/light.json`` holds trees that learned on all labels of REALSumm and PyrXSum, for texts that have
none (`LightModel.load`). The page `lite2` shows how well such trees do on texts that they did not see.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, listing, require_extra
from metaeval.core.paths import DATA, written_whole
from metaeval.metrics.cache import code, content_key, versions
from metaeval.metrics.pyramid import features
from metaeval.metrics.pyramid.features import FEATURES, LEXICAL, SEMANTIC, Background

SHIPPED = DATA / "models" / "light.json"
# read by a model that is kept, and again when it is loaded: does a feature of this name still mean the same?
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
    """What a light model sees beyond what it sees without vectors; to be read, not to judge."""

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
        How rare words are, from texts of the same kind as the references.
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
        """What its features depend on besides the texts, as `presence.PresenceModel` asks for."""
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
            "example": np.round(self._of_example().astype(float), 4).tolist(),
            "trees": json.loads(self._learned().get_booster().save_raw(raw_format="json")),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as part:
            part.write_bytes(json.dumps(content, separators=(",", ":")).encode("ascii"))

    @classmethod
    def load(cls, background: Background, path: Path = SHIPPED) -> LightModel:
        """A model whose trees were kept by `save`.

        Parameters
        ----------
        background : Background
            Of texts of the reader's own, such as the references or what is summarized.
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
                "make it anew with `metaeval.metrics.pyramid.study.learned_light`"
            ) from None
        known = {tuple(FEATURES): True, tuple(LEXICAL): False}
        if tuple(names) not in known:
            odd = min((set(names) ^ set(one) for one in known), key=len)
            raise DataError(
                f"{path.name} learned on other features ({listing(odd) if odd else 'in another order'}); "
                "make it anew with `metaeval.metrics.pyramid.study.learned_light`"
            )
        model = cls(background, semantic=known[tuple(names)])
        found = model._of_example()
        if example.shape != found.shape:
            raise DataError(f"{path.name} holds no light model (its example has the shape {example.shape})")
        otherwise = (np.abs(example - found) > _SAME).any(axis=(0, 1))
        if otherwise.any():
            odd = [name for name, one in zip(names, otherwise, strict=True) if one]
            raise DataError(
                f"{path.name} learned when features were computed otherwise ({listing(odd)}); "
                "make it anew with `metaeval.metrics.pyramid.study.learned_light`"
            )
        model._trees = require_extra("xgboost", "pyramid").XGBClassifier()
        model._trees.load_model(bytearray(json.dumps(trees).encode("ascii")))
        return model

    def _of_example(self) -> np.ndarray:
        known = Background.of(_EXAMPLE[1])
        return features.document_features(*_EXAMPLE, background=known, semantic=self._semantic)

    def _learned(self):
        if self._trees is None:
            raise DataError("this model has learned nothing yet: call `fit` with features and labels first")
        return self._trees
