"""Divergences are counted by hand, by SciPy and, with REALSumm's texts, by its authors."""

from collections import Counter
from math import log

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.distance import jensenshannon

from metaeval.core.errors import UnknownNameError
from metaeval.metrics.divergence import divergence_scores
from metaeval.tables.benchmark import CELL, Texts
from tests.builders import random_texts

NAMES = ["JS-1", "JS-2", "KL-1", "KL-2"]
PLAIN = {"stem": False, "stop_words": False}


def score(summary, *references, names=NAMES, **options):
    array = xr.DataArray([[summary]], dims=CELL, coords={"system": ["s"], "document": ["d"]})
    return divergence_scores(Texts(array, {"d": references}), names, **options).to_numpy().ravel().tolist()


def test_counted_by_hand():
    # half of either text is the other's, no pair of words is
    js_1, js_2, kl_1, _ = score("x y", "x z", **PLAIN)
    assert js_1 == pytest.approx(-log(2) / 2)
    assert js_2 == pytest.approx(-log(2))
    # of x, y and z the reference has 1, 0, 1; 4.5 pseudo-counts in all
    small = 0.0005
    shares = [(1 + small, 1 + small), (small, 1 + small), (1 + small, small)]
    assert kl_1 == pytest.approx(-sum(p * log(p / q) for p, q in shares) / (2 + 4.5 * small))
    # equal texts, words in another case, with tags
    assert score("a b a c", "<t> A b a </t> <t> C </t>", **PLAIN) == pytest.approx([0] * 4)


def test_scipy_gives_the_same():
    sample = random_texts(3, 4)
    scores = divergence_scores(sample, NAMES, **PLAIN)
    for document, references in sample.references.items():
        for system in sample.summaries.system.values:
            words = [
                text.split()
                for text in (*references, sample.summaries.sel(system=system, document=document).item())
            ]
            for size in (1, 2):
                *models, of = (Counter(zip(*(cut[k:] for k in range(size)), strict=False)) for cut in words)
                js, kl = [], []
                for model in models:
                    grams = sorted(model.keys() | of.keys())
                    p, q = (np.array([counts[gram] for gram in grams], float) for counts in (model, of))
                    js.append(-(jensenshannon(p, q) ** 2) if of else -log(2))
                    smooth = [(c + 0.0005) / (c.sum() + 1.5 * 0.0005 * len(grams)) for c in (p, q)]
                    kl.append(-np.sum(smooth[0] * np.log(smooth[0] / smooth[1])))
                at = {"system": system, "document": document}
                assert scores.sel(metric=f"JS-{size}", **at).item() == pytest.approx(np.mean(js))
                assert scores.sel(metric=f"KL-{size}", **at).item() == pytest.approx(np.mean(kl))


def test_stems_and_stop_words():
    assert score("running nations", "run nation", names=["JS-2"]) == [0]
    assert score("running nations", "run nation", names=["JS-2"], stem=False) == pytest.approx([-log(2)])
    # "of the" says nothing, "the cat" does; a single stop word neither
    assert score("of the cat", "in the cat", names=["JS-1", "JS-2"]) == [0, 0]
    assert score("of the cat", "in the cat", names=["JS-2"], stop_words=False) == pytest.approx([-log(2) / 2])


def test_stop_words_of_ones_own(tmp_path):
    (tmp_path / "mine.txt").write_text("red\nblue\n")
    for mine in (tmp_path / "mine.txt", str(tmp_path / "mine.txt")):
        assert score("red cat", "blue cat", names=["JS-1"], stop_words=mine) == [0]
    with pytest.raises(FileNotFoundError, match=r"theirs\.txt"):
        score("a", "b", stop_words=tmp_path / "theirs.txt")


def test_what_is_empty_shares_nothing():
    for summary, reference in (("", "cats"), ("cats", ""), ("", "")):
        assert score(summary, reference, names=["JS-1"]) == [-log(2)]
    assert score("cats", "dogs", names=["JS-2"]) == [-log(2)]  # no pair of words on either side
    assert np.isnan(score("...", "", names=["KL-1"])).all()
    # a text without words is as likely to say one word as any other
    assert score("", "cats dogs", names=["KL-1"]) == pytest.approx(score("", "birds horses", names=["KL-1"]))


def test_several_references():
    near, far = (score("old red cat", reference)[0] for reference in ("old red cat", "new dog"))
    assert score("old red cat", "new dog", "old red cat", references="max")[0] == near
    assert score("old red cat", "new dog", "old red cat")[0] == pytest.approx((near + far) / 2)
    with pytest.raises(UnknownNameError, match="unknown way to combine references 'min'"):
        score("a", "b", references="min")
    with pytest.raises(UnknownNameError, match="unknown divergence 'JS-3'"):
        score("a", "b", names=["JS-3"])


@pytest.mark.real_data
def test_js_2_is_the_released_one_where_the_reference_is(real):
    """Nine summaries in ten to the last digits; the rest were scored against another file's reference."""
    released = real("realsumm-released")
    ours = divergence_scores(released.texts, ["JS-2"])[0].sel(
        system=released.systems, document=released.documents
    )
    apart = abs(ours.to_numpy() - released.metric("JS-2").to_numpy())
    assert (apart < 1e-9).mean() == pytest.approx(0.8936)
    assert apart.max() < 0.08
