"""What the data page says of judges."""

import pandas as pd
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


def test_sizes_of_releases_stand_in_a_panel_each_with_most_documents_on_top():
    table = pd.DataFrame({"dataset": ["a", "b", "c"], "n_systems": [4, 9, 7], "n_documents": [100, 50, 100]})
    figure = benchmarks.size_dots(table)
    drawn = {trace.xaxis: dict(zip(trace.y, trace.x, strict=True)) for trace in figure.data}
    assert drawn == {"x": {"a": 4, "b": 9, "c": 7}, "x2": {"a": 100, "b": 50, "c": 100}}
    assert figure.layout.yaxis.categoryarray == ("b", "a", "c")  # from below
