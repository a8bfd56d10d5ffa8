"""What the data page says of judges."""

import pytest

from helpers.experiments import benchmarks
from metaeval import datasets


@pytest.fixture(autouse=True)
def simulated(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")


def test_judges_of_benchmarks_and_of_pairs():
    found = benchmarks.judges(["rose", "tac2008", "faithbench", "llm-summeval", "mt-bench"])
    assert found["dataset"].unique().tolist() == ["faithbench", "llm-summeval", "mt-bench"]
    row = found.set_index(["judge", "dimension"]).loc[("gpt-3.5, other prompt", "fluency")]
    assert row[["year", "n_answers", "share_unreadable", "licence"]].tolist()[:3] == [2023, 1200, 0.0]
    assert row["licence"] == "Apache-2.0; none stated"


@pytest.mark.real_data
def test_what_cannot_be_read_is_told_by_judge_and_dimension(or_skip, monkeypatch):
    monkeypatch.setenv("DATA", "real")
    names = ["llm-summeval", "llmbar"]
    for name, load in (("llm-summeval", datasets.load), ("llmbar", datasets.pairs)):
        or_skip(name, load, name)
    found = benchmarks.judges(names).set_index(["judge", "dimension"])
    counts = (found["share_unreadable"] * found["n_answers"]).round().astype(int)
    assert counts[counts > 0].to_dict() == {
        ("gpt-3.5", "coherence"): 5,
        ("gpt-3.5", "fluency"): 2,
        ("PaLM2", "Natural"): 6,
        ("PaLM2", "Neighbor"): 2,
        ("LLaMA2", "GPTInst"): 1,
        ("PaLM2", "GPTInst"): 6,
        ("PaLM2", "Manual"): 2,
        ("PaLM2", "MT-Bench"): 15,
    }
