"""What every metric must say of itself, and what every scorer may rely on."""

from importlib import import_module

import numpy as np
import pytest
import xarray as xr

from metaeval.core.errors import EXTRAS, DataError, UnknownNameError
from metaeval.datasets.bibliography import entries
from metaeval.metrics import registry
from metaeval.metrics.registry import metric, names, scores
from metaeval.tables.benchmark import CELL, Texts
from tests.builders import random_texts
from tests.each import each


def texts(summaries, references=("a b c",), source="a b c d"):
    array = xr.DataArray(
        np.array(summaries, dtype=object),
        dims=CELL,
        coords={
            "system": [f"s{i}" for i in range(len(summaries))],
            "document": [f"d{j}" for j in range(len(summaries[0]))],
        },
    )
    documents = array.indexes["document"]
    return Texts(array, dict.fromkeys(documents, references), dict.fromkeys(documents, source))


@each("name", names())
def test_a_metric_describes_itself(name):
    one = metric(name)
    assert one.name == name
    assert set(one.needs) <= {"reference", "source", "model", "pool", "units", "labels"}
    assert one.low <= one.high
    assert one.direction in ("higher", "neither")
    assert one.extra in {"", *EXTRAS.values()}
    assert one.citation in {"", *entries()}
    module, function = one.scorer.split(":")
    assert callable(getattr(import_module(module), function))


def test_names_are_read_as_people_write_them():
    for spelling in ("rouge-1", "ROUGE1", "rouge_1 f1", "ROUGE-1 F1"):
        assert metric(spelling).name == "ROUGE-1 F1"
    assert metric("rouge-lsum recall").name == "ROUGE-Lsum recall"
    for one in map(metric, names()):  # no two share a short form
        assert [metric(name.upper()) for name in (one.name, *one.also)] == [one] * (1 + len(one.also))


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown metric 'rogue-1 f1'.*Did you mean 'ROUGE-1 F1'\?"):
        metric("rogue-1 f1")
    with pytest.raises(UnknownNameError, match="unknown option of ROUGE-1 F1 'stems'"):
        scores(random_texts(2, 2), ["rouge-1"], stems=False)
    with pytest.raises(UnknownNameError, match="unknown metric None"):
        metric(None)


def test_an_option_is_of_its_kind():
    sample = random_texts(2, 2)
    for value in (7, "no", 1.0):
        with pytest.raises(TypeError, match=f"'stem' of ROUGE-1 F1 must be yes or no, got {value!r}"):
            scores(sample, ["rouge-1"], stem=value)
    with pytest.raises(TypeError, match="'references' of ROUGE-1 F1 must be a text, got True"):
        scores(sample, ["rouge-1"], references=True)
    for name in names():
        registry.options_by_metric([name], registry.defaults(name))  # of the kinds that stand beside them


def test_metrics_come_in_the_order_asked_for_and_one_by_one_the_same():
    sample = random_texts(3, 4)
    names = ["length", "rouge-2", "constant", "rouge-1 recall"]
    table = scores(sample, names, stem=False)
    assert table.dims == ("metric", *CELL)
    assert table.indexes["metric"].tolist() == ["length", "ROUGE-2 F1", "constant", "ROUGE-1 recall"]
    for name in names:
        options = {"stem": False} if "rouge" in name else {}
        xr.testing.assert_equal(scores(sample, [name], **options), table.sel(metric=[metric(name).name]))


def test_documents_in_pieces_give_the_same():
    sample = random_texts(3, 5)
    whole = scores(sample, ["rouge-lsum", "length"])
    pieces = [
        scores(Texts(sample.summaries[:, part], sample.references), ["rouge-lsum", "length"])
        for part in (slice(2), slice(2, 5))
    ]
    xr.testing.assert_equal(xr.concat(pieces, "document"), whole)


def test_each_scorer_is_called_once(monkeypatch):
    called = []

    def scorer(texts, names, *, level=1.0):
        called.append(names)
        return xr.DataArray(
            np.full((len(names), *texts.summaries.shape), level),
            {"metric": names, **texts.summaries.coords},
            ["metric", *CELL],
        )

    monkeypatch.setattr(registry, "resolve_name", lambda name: scorer)
    values = scores(random_texts(2, 2), ["rouge-1", "rouge-2 recall", "rouge-l"], level=0.5)
    assert called == [["ROUGE-1 F1", "ROUGE-2 recall", "ROUGE-L F1"]]
    assert (values == 0.5).all()


# what needs a model, a pool of documents or units is tested beside its scorer
COUNTED = [
    name for name in names() if set(metric(name).needs) <= {"reference", "source"} and not metric(name).note
]


@each("name", COUNTED)
def test_a_missing_summary_has_no_score_and_an_empty_one_breaks_nothing(name):
    values = scores(texts([["a b", None], [np.nan, ""], ["", "\x00 \u200b…"]]), [name])[0].to_numpy()
    assert np.isnan(values[[0, 1], [1, 0]]).all()
    assert not np.isnan(values[0, 0])
    there = values[~np.isnan(values)]
    assert (there >= metric(name).low).all()
    assert (there <= metric(name).high + 1e-9).all()  # sacrebleu rounds beyond 100


@pytest.mark.parametrize(
    ("sample", "names", "text"),
    [
        (
            texts([["a", 5]]),
            ["length"],
            r"a summary must be a text; it is not for: 's0, d1 \(int\)'",
        ),
        (texts([["a"]], ("b", None)), ["rouge-1"], r"a reference must be a text; .*'d0 \(NoneType\)'"),
        (texts([["a"]], source=b"a"), ["novelty"], r"a source must be a text; .*'d0 \(bytes\)'"),
        (
            texts([["a"]], ()),
            ["rouge-1"],
            r"ROUGE-1 F1 must have a reference of every document; none of: 'd0'",
        ),
        (
            texts([["a"]], source=None),
            ["novelty"],
            r"novelty must have a source of every document; none of: 'd0'",
        ),
        (
            texts([["a"]]),
            ["rouge-1", "ROUGE-1 F1"],
            r"each metric may be named once; these come twice: 'ROUGE-1 F1'",
        ),
        (texts([["a"]]), [], "at least one metric is required"),
    ],
)
def test_what_cannot_be_scored_is_named(sample, names, text):
    with pytest.raises(DataError, match=text):
        scores(sample, names)


def test_an_id_that_stands_twice_is_named():
    sample = texts([["a", "b"]])
    twice = Texts(sample.summaries.assign_coords(document=["d0", "d0"]), sample.references)
    with pytest.raises(DataError, match=r"a document stands twice in the summaries: 'd0'"):
        scores(twice, ["length"])
