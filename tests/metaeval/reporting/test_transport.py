"""A judge's answer over data sets: each one's as in its report, put together, and refused where it cannot be."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval import as_benchmark
from metaeval.__main__ import main as run
from metaeval.core.errors import DataError
from metaeval.reporting.reading import read
from metaeval.reporting.report import report
from metaeval.reporting.transport import transport_judges
from metaeval.stats.slices import transport

SMALL = {"n_resamples": 99, "rng": 1}
RNG = np.random.default_rng(6)


def labels(name: str, n_wrong: int, n: int = 60) -> pd.DataFrame:
    """Items that people pass and fail in turn, on some of which the judge errs."""
    human = np.arange(n) % 2
    judge = np.where(np.arange(n) < n_wrong, 1 - human, human)
    ids = [f"{name}{i}" for i in range(n)]
    return pd.DataFrame({"queue": name, "item": ids, "human": human, "the_llm": judge})


def test_differences_of_the_reports_are_put_together():
    frames = {name: labels(name, n) for name, n in {"api": 6, "login": 9, "refund": 18}.items()}
    result = transport_judges({name: read(frame) for name, frame in frames.items()}, **SMALL)
    own = [report(read(frame), **SMALL).verdicts.table.iloc[0] for frame in frames.values()]
    table = result.tables["datasets"]
    assert table["value"].tolist() == [one["value"] for one in own]
    # items whose judge errs on 6 of 60, half of each kind, have a kappa of 1 - 2 * 6 / 60
    assert table["value"].tolist() == pytest.approx([0.8, 0.7, 0.4])
    together = transport(*(table[name].to_numpy() for name in ("value", "low", "high")), **SMALL)
    row = result.verdicts.table.iloc[0]
    assert (row["mean"], row["spread"]) == (together.value, together.spread)
    another = together.another(0.95)
    assert (row["low"], row["high"]) == (max(another.low, -1), min(another.high, 1))
    assert row["verdict"] == "open"
    assert "a judge's own (3)" in result.summary()
    assert "+0.6" in result.summary()  # about (.8 + .7 + .4) / 3, signed
    assert "Hartung and Knapp" in result.methods


@pytest.mark.parametrize(("n_wrong", "word"), [(6, "yes"), (54, "no")])
def test_data_sets_that_agree_answer_for_another(n_wrong, word):
    # κ is .8, or -.8, on each of the four
    result = transport_judges({name: read(labels(name, n_wrong)) for name in "abcd"}, **SMALL)
    row = result.verdicts.table.iloc[0]
    assert (row["verdict"], row["spread"]) == (word, 0.0)
    assert row["mean"] == pytest.approx(0.8 if word == "yes" else -0.8)


def test_a_judge_without_scores_on_a_data_set_is_named():
    frames = {name: labels(name, 6).assign(other_llm=lambda table: table["the_llm"]) for name in "abcd"}
    frames["c"] = frames["c"].drop(columns="other_llm")
    result = transport_judges({name: read(frame) for name, frame in frames.items()}, **SMALL)
    assert result.verdicts.table.set_index("metric")["n_datasets"].to_dict() == {"the_llm": 4, "other_llm": 3}
    assert [one.check for one in result.left_out] == ["other_llm on c"]
    assert "a judge's own (3 or 4)" in result.summary()


def test_notes_and_methods_are_of_all_data_sets(tmp_path):
    frames = {name: labels(name, 6, n) for name, n in {"a": 60, "b": 80, "c": 70}.items()}
    frames["b"] = frames["b"].drop(columns="item").assign(human=lambda table: 1 - table["human"])
    result = transport_judges({name: read(frame) for name, frame in frames.items()}, **SMALL)
    assert next(note for note in result.notes if "without a column of items" in note).startswith("b: ")
    assert "60" not in result.methods + result.signature
    assert "systems:" not in result.signature
    two = {name: frame.assign(other_llm=frame["the_llm"]) for name, frame in frames.items()}
    lines = transport_judges({name: read(frame) for name, frame in two.items()}, **SMALL).verdicts.lines
    assert lines[0] == "2 judges were tested, each at 2.5 % one-sided (superiority)."


def test_the_methods_of_a_ranking_have_no_sizes():
    generator = np.random.default_rng(8)
    readings = {}
    for name, n in {"a": 21, "b": 23}.items():
        people = np.arange(7)[:, None] + generator.normal(size=(7, n))
        mine = people + generator.normal(size=(7, n))
        readings[name] = as_benchmark({"mine": mine}, people)
    result = transport_judges(readings, **SMALL)
    assert "over systems, of means over documents" in result.methods


def test_copies_are_refused_and_shared_items_named():
    frames = {name: labels(name, n) for name, n in {"a": 6, "b": 9, "c": 12}.items()}
    with pytest.raises(DataError, match="a and d have the same contents"):
        transport_judges(
            {name: read(frame) for name, frame in (frames | {"d": frames["a"]}).items()}, **SMALL
        )
    frames["b"] = pd.concat([frames["a"][:20], frames["b"][20:]]).assign(queue="b")  # 20 of the 60 items of a
    result = transport_judges({name: read(frame) for name, frame in frames.items()}, **SMALL)
    assert [line for line in result.verdicts.lines if "share" in line] == [
        "a and b share 20 items by name and people's scores: they are not independent, and the intervals over "
        "data sets are too short."
    ]
    # row numbers are shared by other items: people pass the even ones here, and the odd ones there
    turned = labels("", 6).assign(
        human=lambda table: 1 - table["human"], the_llm=lambda table: 1 - table["the_llm"]
    )
    result = transport_judges({"a": read(labels("", 6)), "b": read(turned)}, **SMALL)
    assert not any("share" in line for line in result.verdicts.lines)


def test_a_copy_under_other_names_is_refused():
    generator = np.random.default_rng(3)
    table = pd.DataFrame(
        {"item": np.arange(40), "human": generator.normal(size=40), "judge": generator.normal(size=40)}
    )
    copy = table.sample(frac=1, random_state=1).assign(item=lambda rows: "copy " + rows["item"].astype(str))
    other = table.assign(human=generator.normal(size=40))
    with pytest.raises(DataError, match="a and c have the same contents"):
        transport_judges({name: read(one) for name, one in zip("abc", (table, other, copy), strict=True)})
    # 54 labels that are right and 6 that are wrong, half of each kind, are the same by chance
    lines = transport_judges({name: read(labels(name, 6)) for name in "ab"}, **SMALL).verdicts.lines
    assert "a and b hold the same scores under other names; leave out a copy." in lines


def test_two_data_sets_leave_a_third_open():
    result = transport_judges({name: read(labels(name, 6)) for name in "ab"}, **SMALL)
    row = result.verdicts.table.iloc[0]
    assert row["verdict"] == "open"
    assert row["because"] == "2 data sets; it takes 3"
    assert np.isnan([row["low"], row["high"]]).all()
    assert "nothing of a third" in result.summary()


def test_data_sets_without_an_answer_are_named():
    parts = {name: read(labels(name, 6)) for name in "abc"} | {"few": read(labels("few", 1, n=8))}
    result = transport_judges(parts, **SMALL)
    assert result.verdicts.table["n_datasets"].tolist() == [3]
    assert [one.check for one in result.left_out] == ["the_llm on few"]
    with pytest.raises(DataError, match="the same judge; too few items"):
        transport_judges({"a": parts["a"], "few": parts["few"]}, **SMALL)


def test_data_sets_of_several_kinds_are_refused():
    scale = labels("b", 6).assign(human=RNG.integers(1, 6, 60), the_llm=RNG.integers(1, 6, 60))
    with pytest.raises(DataError, match=r"of several kinds are not put together: a: .* b: "):
        transport_judges({"a": read(labels("a", 6)), "b": read(scale)}, **SMALL)


def test_a_column_of_data_sets_and_a_file_each_say_the_same(tmp_path, capsys):
    frames = {name: labels(name, n) for name, n in {"api": 6, "login": 9, "refund": 18}.items()}
    whole, options = tmp_path / "all.csv", ["--draws", "99", "--json"]
    pd.concat(frames.values()).to_csv(whole, index=False)
    files = [tmp_path / f"{name}.csv" for name in frames]
    for file, frame in zip(files, frames.values(), strict=True):
        frame.drop(columns="queue").to_csv(file, index=False)
    assert run(["transport", str(whole), "--by", "queue", *options]) == 0
    one = json.loads(capsys.readouterr().out)["tables"]
    assert run(["transport", *map(str, files), *options]) == 0
    assert json.loads(capsys.readouterr().out)["tables"] == one
    assert [row["dataset"] for row in one["datasets"]] == ["api", "login", "refund"]
    assert run(["transport", str(files[0])]) == 3
    assert "it takes two data sets" in capsys.readouterr().err


def test_files_of_one_name_are_named_by_their_paths(tmp_path, capsys):
    files = [tmp_path / name for name in ("x/scores.csv", "y/scores.csv", "y/scores.tsv", "third.csv")]
    for file, n_wrong in zip(files, (6, 9, 12, 18), strict=True):
        file.parent.mkdir(exist_ok=True)
        frame = labels(file.suffix + str(n_wrong), n_wrong).drop(columns="queue")
        frame.to_csv(file, index=False, sep="\t" if file.suffix == ".tsv" else ",")
    assert run(["transport", *map(str, files), "--draws", "99", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["tables"]["datasets"]
    assert [row["dataset"] for row in table] == ["x/scores", "y/scores.csv", "y/scores.tsv", "third"]
    assert run(["transport", *map(str, files), str(files[3])]) == 3
    assert "given twice" in capsys.readouterr().err


def test_each_criterion_has_an_answer(tmp_path, capsys):
    frames = [labels(name, 6).rename(columns={"human": "human_tone"}) for name in "abc"]
    whole = pd.concat(frames).assign(human_facts=lambda table: table["human_tone"])
    whole = whole.rename(columns={"the_llm": "llm_tone"}).assign(llm_facts=lambda table: table["llm_tone"])
    whole.to_csv(tmp_path / "two.csv", index=False)
    assert run(["transport", str(tmp_path / "two.csv"), "--by", "queue", "--draws", "99"]) == 0
    out = capsys.readouterr().out
    assert "== facts ==" in out
    assert "== tone ==" in out


def test_differences_of_two_systems_are_refused():
    items = {"system": np.repeat(["x", "y"], 30), "item": [*range(30)] * 2}
    scores = {name: np.repeat([1.0, 2.0], 30) + RNG.normal(size=60) for name in ("human", "judge")}
    reading = read(pd.DataFrame(items | scores))
    with pytest.raises(DataError, match="it takes three systems, or one"):
        transport_judges({"a": reading, "b": reading}, **SMALL)
