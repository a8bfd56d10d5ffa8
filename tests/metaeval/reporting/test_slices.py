"""Answers by slice: hand-counted shares, and how often a slice is called out by chance."""

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from metaeval.__main__ import main
from metaeval.reporting.disagreements import slice_parts
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.report import report
from metaeval.reporting.sections import LeftOut, Settings
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.streams import stream

SETTINGS = Settings("kendall", 0.95, 0.05, 0.1, 199, 3)


def choices(wrong: dict[str, int], n: int = 40) -> pd.DataFrame:
    """`n` pairs of each slice, on some of which the judge errs."""
    return pd.DataFrame(
        [
            (f"{name}{i}", name, "x", "y", "B" if i < n_wrong else "A", "A")
            for name, n_wrong in wrong.items()
            for i in range(n)
        ],
        columns=["id", "lang", "model_a", "model_b", "gpt", "human"],
    )


def test_a_slice_is_called_out_where_its_interval_lies_below_the_others():
    result = report(read(choices({"de": 20, "en": 2, "fr": 3}), by="lang"), n_resamples=199)
    table = result.to_frame("slices").set_index("slice")
    assert table["value"].to_dict() == {"de": 0.5, "en": 0.95, "fr": 0.925}
    # three intervals at 1 - 0.05 / 3; the others of de: (38 + 37) / 80
    low, high = share_interval(0.5, 40, confidence_level=1 - 0.05 / 3)
    assert tuple(table.loc["de", ["low", "high"]]) == pytest.approx((low, high))
    assert table.loc["de", "from_others"] == pytest.approx(0.5 - 75 / 80)
    assert table["answer"].to_dict() == {"de": "yes", "en": "not shown", "fr": "not shown"}
    shown = result.summary()
    assert "than elsewhere? (95 % intervals for all together)" in shown
    assert re.search(
        r"gpt +de +exact agreement +40 +0\.50 \[0\.31, 0\.69\] +-0\.44 \[-0\.63, -0\.22\]", shown
    )


def test_small_slices_have_no_interval_and_a_single_one_no_others():
    frame = pd.concat([choices({"de": 3, "en": 4}), choices({"fr": 9}, n=19)])
    (section,) = slice_parts(read(frame, by="lang"), SETTINGS)
    assert sorted(section.table["slice"]) == ["de", "en"]
    assert section.note.endswith("Without an interval: fr.")
    assert section.table["from_others"].tolist() == pytest.approx([-1 / 40, 1 / 40])
    (part,) = slice_parts(
        read(pd.concat([choices({"de": 3}), choices({"fr": 9}, n=19)]), by="lang"), SETTINGS
    )
    assert isinstance(part, LeftOut)
    assert [*slice_parts(read(choices({"de": 3})), SETTINGS)] == []


def test_split_items_are_not_counted():
    """Two people are split on 14 and 5 of 40 items, and the third slice has only 19 on which they are not."""
    rows = [
        (f"{lang}{i}", lang, i % 2, i % 2 if i >= n_split else 1 - i % 2, i % 2 if i < 38 else 1 - i % 2)
        for lang, n_split in (("de", 14), ("en", 5), ("fr", 21))
        for i in range(40)
    ]
    labels = pd.DataFrame(rows, columns=["item", "lang", "human_1", "human_2", "judge"])
    (section,) = slice_parts(read(labels, by="lang"), SETTINGS)
    table = section.table.set_index("slice")
    assert table["n_values"].to_dict() == {"de": 26, "en": 35}
    # half of de and 18 of 35 in en pass; two items are wrong, one of each kind
    assert table.loc["de", "value"] == pytest.approx((24 / 26 - 1 / 2) / (1 / 2))
    chance = (18**2 + 17**2) / 35**2
    assert table.loc["en", "value"] == pytest.approx((33 / 35 - chance) / (1 - chance))
    assert section.note.startswith("The intervals hold for all 2 values together")
    assert section.note.endswith("Without an interval: fr.")


def test_a_ranking_is_sliced_within_documents():
    scores = [
        (f"s{i}", f"{lang}{d}", lang, i if lang == "en" or d % 2 else -i, i)
        for i in range(4)
        for lang in ("de", "en")
        for d in range(20)
    ]
    frame = pd.DataFrame(scores, columns=["system", "document", "lang", "m", "human"])
    (section,) = slice_parts(read(frame, by="lang"), SETTINGS)
    # of German documents half are in order and half in reverse: mean 0, jackknife error sqrt(1 / 19)
    table = section.table.set_index("slice")
    assert table["value"].to_dict() == {"de": 0.0, "en": 1.0}
    assert table.loc["de", "high"] == pytest.approx(
        2.433440 / 19**0.5, abs=1e-5
    )  # t of 19 at 0.0125, printed 2.43344
    assert table["answer"].to_dict() == {"de": "yes", "en": "not shown"}


@dataclass(frozen=True, eq=False)
class Sliced(Reading):
    """Labels of one system with their slices."""

    parts: dict[str, Reading] = field(default_factory=dict)

    def slices(self):
        return self.parts


def labels(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """People pass 70 % of `n` items, and the judge errs in 10 %."""
    people = rng.random(n) < 0.7
    judge = people ^ (rng.random(n) < 0.1)
    sides = {"judge": ("gpt", judge), "person": ("people", people)}
    return pd.concat(
        pd.DataFrame({"item": np.arange(n), "role": role, "name": name, "value": values * 1.0})
        for role, (name, values) in sides.items()
    )


@pytest.mark.slow
def test_no_slice_is_called_out_by_chance():
    """Of studies whose slices are alike, at most 2.5 % name one (3.5 % are allowed, and two standard errors)."""
    rng, n_studies, n_false = stream(5, "slices"), 200, 0
    for _ in range(n_studies):
        parts = {}
        for k, n in enumerate((30, 40, 60, 80, 150)):
            frame = labels(rng, n)
            parts[f"{k}"] = Reading(
                "one_system", None, frame.assign(item=frame["item"] + 1_000 * k), None, (), ()
            )
        whole = pd.concat([one.labels for one in parts.values()])
        (section,) = slice_parts(Sliced("one_system", None, whole, None, (), (), parts=parts), SETTINGS)
        n_false += (section.table["answer"] == "yes").any()
    assert n_false / n_studies <= 0.035 + 2 * (0.035 * 0.965 / n_studies) ** 0.5


def test_a_judge_that_is_in_some_slices_alone_is_left_out_of_the_others(tmp_path, capsys):
    """Another judge has rows of two of three languages, and each slice answers for those that it has."""
    frame = choices({"de": 3, "en": 4, "fr": 20}).drop(columns="gpt").assign(rater="human", winner="A")
    rows = [frame.drop(columns="human")]
    for judge, languages in (("gpt", ["de", "en", "fr"]), ("llama", ["de", "en"])):
        own = choices({"de": 3, "en": 4, "fr": 20})
        own = own[own["lang"].isin(languages)].drop(columns="human")
        rows.append(own.rename(columns={"gpt": "winner"}).assign(rater=judge))
    path = tmp_path / "votes.csv"
    pd.concat(rows).to_csv(path, index=False)
    (section,) = slice_parts(read(path, by="lang", machines=["gpt", "llama"]), SETTINGS)
    assert section.table.groupby("metric")["slice"].apply(set).to_dict() == {
        "gpt": {"de", "en", "fr"},
        "llama": {"de", "en"},
    }
    assert section.note.endswith("Without an interval: llama in fr.")
    words = ["compare", str(path), "--by", "lang", "--machine", "gpt", "llama", "--draws", "99"]
    assert main([*words, "--judges", "gpt", "llama"]) == 3
    shown = capsys.readouterr().out
    assert "lang fr: unknown judge 'llama'; known: gpt." in shown
    assert shown.count("Is gpt better than llama?") == 3  # of two languages, and of all
