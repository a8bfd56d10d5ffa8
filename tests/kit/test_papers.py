import pytest

from helpers.kit.papers import printed_half_point, published_gains, survey_results
from metaeval.core.errors import DataError, UnknownNameError

ROW = {
    "paper": "A 2020", "year": 2020, "first": "m", "first_score": "40.10", "second": "n",
    "second_score": "39.80", "difference": "0.40",
}  # fmt: skip


def write(folder, rows):
    lines = ["metric: ROUGE-1", "papers:"] + [
        "  - {" + ", ".join(f'{key}: "{value}"' for key, value in row.items()) + "}" for row in rows
    ]
    (folder / "mine.yml").write_text("\n".join(lines), encoding="utf8")


def test_gains_come_from_the_scores_and_not_from_the_printed_difference(tmp_path):
    write(tmp_path, [ROW, ROW | {"paper": "B 2021", "first_score": "40.00", "difference": "0.20"}])
    gains = published_gains("mine", folder=tmp_path)
    assert gains["gain"].tolist() == [0.3, 0.2]
    assert gains["printed"].tolist() == [0.4, 0.2]
    results = survey_results(gains).set_index(["paper", "quantity"])["value"]
    assert results["all papers", "mean of printed differences"] == pytest.approx(0.3)
    assert results["all papers", "mean of gains"] == pytest.approx(0.25)
    assert results["B 2021", "gain"] == 0.2


@pytest.mark.parametrize(
    ("rows", "name", "error", "text"),
    [
        ([ROW], "yours", UnknownNameError, "unknown survey 'yours'; known: mine"),
        ([ROW, ROW], "mine", DataError, "names a paper twice: 'A 2020'"),
        ([{k: v for k, v in ROW.items() if k != "second"}], "mine", DataError, "'A 2020' lacks 'second'"),
    ],
)
def test_mistakes_are_named(tmp_path, rows, name, error, text):
    write(tmp_path, rows)
    with pytest.raises(error) as caught:
        published_gains(name, folder=tmp_path)
    assert text in str(caught.value)


def test_the_survey_that_is_shipped_holds_the_papers_of_the_table():
    gains = published_gains()
    assert len(gains) == 23
    assert (gains["first_score"] > gains["second_score"]).all()


def test_the_papers_own_estimate_for_half_a_point_is_that_of_its_text():
    assert printed_half_point() == {"summeval": "0.08", "realsumm": "0.0"}  # §4.2
