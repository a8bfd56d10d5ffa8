import pandas as pd

from helpers.experiments import scorecard
from helpers.kit.claims.claim import counts_by_paper
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


def test_a_bar_says_what_it_cannot_show():
    below = scorecard.verdict_counts(counts_by_paper(VERDICTS), {"zhang2021lite": "not run: Ours"}).data[0].y
    assert below[0] == "Zhang and Bansal 2021<br><i>not run: Ours</i>"


def test_what_is_not_listed_is_told_of_papers_that_have_it():
    table = scorecard.not_listed(["zhang2021lite", "zeng2024evaluating"])
    assert table["paper"].tolist() == ["Zeng et al. 2024"]
