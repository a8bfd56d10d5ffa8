"""metrics.registry: every metric that is computed from texts, with its needs and its scorer.

The metrics stand in ``data/metrics.yml``.

A scorer is a function ``f(texts, names, **options) -> DataArray (metric, system, document)``. It is imported
on first use, so that the list of metrics costs nothing. A document's scores depend on that document
alone, so that a caller may hand over the documents in pieces; what is learned from many documents, such as
idf or how rare words are, is an option. Every metric is signed so that more is better; `Metric.direction` is
``"neither"`` of those that judge nothing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError, explain_missing_extras, listing
from metaeval.core.paths import DATA, read_yaml
from metaeval.tables.benchmark import CELL, Texts, with_ids

TABLE = DATA / "metrics.yml"
REFERENCE, SOURCE, MODEL, POOL = "reference", "source", "model", "pool"
UNITS, LABELS = "units", "labels"
SMALL = "MiniLM"  # the model where none is named
# names of types that an option may have -> as they are called in errors
KINDS = {"bool": "yes or no", "int": "a whole number", "float": "a number", "str": "a text"}


@dataclass(frozen=True)
class Metric:
    """One metric that can be computed from texts.

    Attributes
    ----------
    name : str
        Such as ``"ROUGE-1 F1"``; `title` is what stands in tables of scores.
    family : str
    needs : of ``"reference"``, ``"source"``, ``"model"``, ``"pool"`` (of documents to look summaries up in),
        ``"units"`` (content units written by people), ``"labels"`` (what people said of each unit)
        Besides the summary.
    low, high : float
        Its smallest and largest value.
    direction : {"higher", "neither"}
        The better values.
    extra : str
        Of ``pyproject.toml``; empty where the light core is enough.
    citation : str
        Key in ``book/references.bib``, empty for what has no paper.
    scorer : str
        ``"module:function"``.
    also : other names that it goes by
        A name without its part means the F1, and capitals, spaces and hyphens do not matter: ``rouge1`` is
        ROUGE-1 F1.
    note : source of its needs, where that is not a column of texts
    """

    name: str
    family: str
    needs: tuple[str, ...]
    low: float
    high: float
    direction: str
    extra: str
    citation: str
    scorer: str
    also: tuple[str, ...] = ()
    note: str = ""

    def title(self, model: str | Path | None = None) -> str:
        """Its name in tables of scores; where a model makes them, the model's stands behind it."""
        return f"{self.name} ({Path(model).name if model else SMALL})" if MODEL in self.needs else self.name


def _read_metrics(path: Path) -> Iterator[Metric]:
    """The metrics of the table, by family; of a family they share the first fields."""
    for family, group in read_yaml(path).items():
        for name, own in group["metrics"].items():
            fields = group["shared"] | own
            lists = {"needs": tuple(fields["needs"]), "also": tuple(fields.get("also", ()))}
            yield Metric(name, family, **(fields | lists))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower())


_KNOWN = {metric.name: metric for metric in _read_metrics(TABLE)}
_BY_PLAIN_NAME = {_plain(name): metric for metric in _KNOWN.values() for name in (metric.name, *metric.also)}


def names() -> list[str]:
    """The names of all metrics, by family."""
    return list(_KNOWN)


def metric(name: str) -> Metric:
    """A metric by its name or a short form of it, such as ``rouge-1`` for ROUGE-1 F1.

    Raises
    ------
    UnknownNameError
        Naming the nearest one, and all there are.
    """
    match = _BY_PLAIN_NAME.get(_plain(name)) if isinstance(name, str) else None
    if match is None:
        raise UnknownNameError("metric", name, _KNOWN)
    return match


def scores(texts: Texts, names: Sequence[str], **options) -> xr.DataArray:
    """Scores of every summary by some metrics; each scorer cuts or embeds the texts once for all of its own.

    Parameters
    ----------
    texts : Texts
        A summary that is None or NaN is missing.
    names : of `names`, or short forms
    options
        Of the scorers, such as ``stem=False``; each scorer gets those that it knows.

    Returns
    -------
    DataArray of float, dims (metric, system, document), metrics in the order of `names`
        NaN where a summary is missing. The metric defines the score of an empty one.

    Raises
    ------
    UnknownNameError
        For a metric that does not exist, or an option that no requested scorer has.
    TypeError
        For an option of another kind.
    DataError
        If a metric is named twice, something is no text, an id stands twice, or a document lacks the
        references or the source that a metric needs.
    MissingExtraError
        If a package is missing that a metric needs.
    """
    chosen = [metric(name) for name in names]
    metric_names = [one.name for one in chosen]
    twice = {name for name in metric_names if metric_names.count(name) > 1}
    if twice:
        raise DataError(f"each metric may be named once; these come twice: {listing(twice)}")
    if not chosen:
        raise DataError("at least one metric is required")
    metric_options = options_by_metric(metric_names, options)
    whole, missing = _checked(texts, chosen)
    by_name = {}
    for scorer in dict.fromkeys(one.scorer for one in chosen):
        of = [one.name for one in chosen if one.scorer == scorer]
        values = _function(scorer)(whole, of, **metric_options[of[0]])
        by_name |= {name: values.sel(metric=name).transpose(*CELL).to_numpy() for name in of}
    values = np.stack([np.where(missing, np.nan, by_name[name]) for name in metric_names])
    titles = [one.title(options.get("model")) for one in chosen]
    return with_ids(values, metric=titles, **{dim: whole.summaries.indexes[dim] for dim in CELL})


def options_by_metric(names: Sequence[str], options: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Select for each metric the options that it takes.

    Raises
    ------
    UnknownNameError
        For a metric that does not exist, or an option that none of them has.
    TypeError
        For a number, a text, or yes or no, where an option is of another kind.
    MissingExtraError
        If a package is missing that a metric needs.
    """
    accepted = {name: kinds(name) for name in names}
    options_known = {option for of in accepted.values() for option in of}
    for option in options:
        if option not in options_known:
            raise UnknownNameError(f"option of {', '.join(names)}", option, options_known)
    for name, of in accepted.items():
        for option in of.keys() & options.keys():
            value, may_be = options[option], of[option]
            if may_be and type(value).__name__ in KINDS and type(value).__name__ not in may_be:
                words = " or ".join([KINDS[kind] for kind in may_be if kind in KINDS] or may_be)
                raise TypeError(f"the option {option!r} of {name} must be {words}, got {value!r}")
    return {name: {one: options[one] for one in of if one in options} for name, of in accepted.items()}


def _function(scorer: str) -> Callable[..., xr.DataArray]:
    with explain_missing_extras():
        return resolve_name(scorer)


def defaults(name: str) -> dict[str, object]:
    """The options that a metric takes, with their defaults."""
    return {one.name: one.default for one in _options(name)}


def kinds(name: str) -> dict[str, list[str]]:
    """The options that a metric takes, with the names of their permitted types, empty where not annotated."""
    return {o.name: [] if o.annotation is o.empty else o.annotation.split(" | ") for o in _options(name)}


def _options(name: str) -> list[inspect.Parameter]:
    parameters = inspect.signature(_function(metric(name).scorer)).parameters.values()
    return [one for one in parameters if one.kind is one.KEYWORD_ONLY]


def _checked(texts: Texts, chosen: Sequence[Metric]) -> tuple[Texts, np.ndarray]:
    """The texts with missing summaries replaced by empty ones, and the mask of these (system, document)."""
    summaries = texts.summaries.transpose(*CELL)
    for dim in CELL:
        ids = summaries.indexes[dim]
        if ids.has_duplicates:
            raise DataError(
                f"a {dim} stands twice in the summaries: {listing(ids[ids.duplicated()].unique())}"
            )
    documents = summaries.indexes["document"].tolist()
    values = summaries.to_numpy().astype(object)
    missing = pd.isna(values)
    cells = zip(product(summaries.indexes["system"], documents), values.ravel(), strict=True)
    _require_texts("summary", ((f"{s}, {d}", text) for (s, d), text in cells if not pd.isna(text)))
    for need, by_document in ((REFERENCE, texts.references), (SOURCE, texts.sources)):
        needing = [one.name for one in chosen if need in one.needs]
        without = [document for document in documents if by_document.get(document) in (None, (), [])]
        if needing and without:
            which = ", ".join(needing)
            raise DataError(f"{which} must have a {need} of every document; none of: {listing(without)}")
        if needing:
            own = {d: by_document[d] if need == REFERENCE else [by_document[d]] for d in documents}
            _require_texts(need, ((document, text) for document in documents for text in own[document]))
    clean = np.where(missing, "", values)
    return Texts(summaries.copy(data=clean), texts.references, texts.sources), missing


def _require_texts(what: str, named: Iterable[tuple[str, object]]) -> None:
    wrong = [f"{name} ({type(text).__name__})" for name, text in named if not isinstance(text, str)]
    if wrong:
        raise DataError(f"a {what} must be a text; it is not for: {listing(wrong)}")
