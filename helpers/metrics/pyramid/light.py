"""metrics.pyramid.light: a presence model without a download: boosted trees on overlap and similarity.

Our own, to stand in for the fine-tuned transformer of Zhang and Bansal (2021). Learns from people's labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from helpers.errors import DataError, require_extra
from helpers.metrics.cache import content_key
from helpers.metrics.pyramid import embeddings, features
from helpers.metrics.pyramid.features import FEATURES, LEXICAL, Background

# More overlap never speaks against presence, more missing words never for it. Held to that, the trees carry
# over better from the units they learned on to others.
_FOR = frozenset(
    {name for name in FEATURES if name.endswith(("recall", "similarity"))}
    | {"best_f1", "best_subsequence", "soft_best", "soft_lowest"}
)
_AGAINST = frozenset(("missing_rarest", "missing_weight", "missing_words", "missing_name", "soft_missing"))


class LightModel:
    """Gradient-boosted trees on `helpers.metrics.pyramid.features`, fitted on people's labels.

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
        weights = [f"{stem} {weight:.12g}" for stem, weight in sorted(self._background.weights.items())]
        parts = [features.VERSION, embeddings.PACKAGE, *weights, str(self._background.unseen)]
        return content_key(["light" if self._semantic else "light without vectors", *parts])

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
        if self._trees is None:
            raise DataError("this model has learned nothing yet: call `fit` with features and labels first")
        rows = values.reshape(-1, values.shape[-1])
        return self._trees.predict_proba(rows)[:, 1].astype(float).reshape(values.shape[:-1])
