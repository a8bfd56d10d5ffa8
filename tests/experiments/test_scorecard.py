import pandas as pd

from helpers.experiments import scorecard
from helpers.kit.claims.claim import counts_by_paper
from helpers.kit.verdicts import verdict_bars
from tests.kit.figures import menus

VERDICTS = pd.DataFrame(
    {
        "paper": ["zhang2021lite"] * 20 + ["<b>"],
        "verdict": ["exact"] * 12 + ["differs"] * 7 + ["not run", "holds"],
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
