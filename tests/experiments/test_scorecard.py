import pandas as pd

from helpers.experiments import scorecard
from helpers.kit.claims.claim import counts_by_paper
from helpers.kit.verdicts import verdict_bars
from tests.kit.figures import menus

VERDICTS = pd.DataFrame(
    {
        "paper": ["zhang2021lite"] * 20 + ["<b>"],
        "verdict": ["exact"] * 12 + ["differs"] * 7 + ["not run", "holds"],
        "role": "first",
        "basis": "experiment",
        "proposed": False,
    }
)


def test_bars_of_verdicts_count_what_the_scorecard_holds():
    figure = scorecard.verdict_counts(counts_by_paper(VERDICTS))
    counted = {trace.name: dict(zip(trace.y, trace.x, strict=True)) for trace in figure.data}
    assert counted["differs"] == {"Zhang and Bansal 2021": 7, "<b>": 0}
    assert list(menus(figure)["Bars"]) == ["shares", "numbers"]
    assert figure.layout.barnorm == "percent"
    text = verdict_bars(VERDICTS)
    assert 'aria-label="12 exact, 7 differs, 1 not run"' in text
    assert "Zhang and Bansal 2021</span><span>20 claims" in text
    assert "&lt;b&gt;</span><span>1 claim</span>" in text
    # a segment for each verdict; one of 20 is too short for its number
    assert [f"flex-grow:{n};" in text for n in (12, 7, 1)] == [True] * 3
    assert ">7</span>" in text
    assert ">1</span>" in text.partition("&lt;b&gt;")[2]
    assert ">1</span>" not in text.partition("&lt;b&gt;")[0]
    assert "within" not in text


def test_a_bar_counts_sentences_and_says_what_it_cannot_show():
    roles = ["first"] * 18 + ["stricter", "stricter", "first"]  # of the stricter ones one differs
    frame = VERDICTS.assign(role=roles, proposed=[True] * 20 + [False], basis="print")
    text = verdict_bars(frame)
    assert 'aria-label="12 exact, 6 differs"' in text
    assert "stricter readings that hold: 0 of 1" in text
    assert "not run on its data: Lite" in text
    below = scorecard.verdict_counts(counts_by_paper(frame), {"zhang2021lite": "not run: Ours"}).data[0].y
    assert below[0] == "Zhang and Bansal 2021<br><i>not run: Ours</i>"


def test_what_is_not_listed_is_told_of_papers_that_have_it():
    table = scorecard.not_listed(["zhang2021lite", "zeng2024evaluating"])
    assert table["paper"].tolist() == ["Zeng et al. 2024"]
