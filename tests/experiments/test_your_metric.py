"""A reader's scores: what does not match is said, and the words fit the numbers."""

import numpy as np
import pandas as pd
import pytest

import metaeval
from helpers.experiments import intervals
from helpers.experiments.your_metric import EXAMPLE_NOISE, answer, bring, example, match
from helpers.kit.display import rests_on_simulation
from metaeval.analysis import topk
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.reporting import reading
from metaeval.stats.correlation import correlate
from tests.builders import benchmark, matrix


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


RNG = np.random.default_rng(3)
HUMAN = RNG.normal(size=(6, 8))
NOISE = RNG.normal(size=(3, 6, 8))
MADE = benchmark(HUMAN, {"good": HUMAN + 0.3 * NOISE[0], "bad": -HUMAN + 0.1 * NOISE[1]})


def mine(values, *, name="mine", **labels):
    return matrix(values, **labels).expand_dims(metric=[name])


def test_only_common_summaries_count_and_the_rest_is_named():
    values = HUMAN + NOISE[2]
    values[1, 1] = np.nan
    given = mine(values[:5], documents=[*(f"d{j}" for j in range(7)), "elsewhere"])
    found = match(given, MADE, compare=["good"])
    coverage = found.coverage.set_index("of")
    counts = coverage[["n_benchmark", "n_yours", "n_common", "n_used"]].T.to_dict("list")
    # 5 of 6 systems and 7 of 8 documents; one summary of the 35 has no score, one of mine is of no document
    assert counts == {"systems": [6, 5, 5, 5], "documents": [8, 8, 7, 7], "summaries": [48, 39, 34, 34]}
    assert coverage["missing"].tolist() == ["'s5'", "'d7'", ""]
    assert coverage["unknown"].tolist() == ["", "'elsewhere'", ""]
    assert (found.yours, found.benchmark.metrics) == (("mine",), ["mine", "good"])
    # the established metric lacks what mine lacks, so both are judged on the same summaries
    assert found.benchmark.metric("good").isnull().to_numpy().nonzero() == (np.array([1]), np.array([1]))


def test_scores_are_matched_by_name_whatever_their_order():
    given = mine(HUMAN + NOISE[2])
    shuffled = given.isel(system=[3, 1, 5, 0, 2, 4], document=slice(None, None, -1))
    kind = {"level": "system", "coefficient": "pearson"}
    one, other = (match(scores, MADE, compare=[]).benchmark for scores in (given, shuffled))
    found = [correlate(b.metric("mine").to_numpy(), b.human.to_numpy(), **kind).value for b in (one, other)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("scores", "compare", "error", "message"),
    [
        (mine(HUMAN, systems=["s0", "S1", "s2", "s3", "s4", "s5"]), [], DataError, "systems that made-up does not have: 'S1'; it has 's0', 's1', 's2', 's3', 's4' and 's5'"),
        (mine(HUMAN, documents=list("abcdefgh")), [], DataError, "no document in common with made-up: yours are 'a', 'b', 'c', 'd', 'e' and 3 more"),
        (mine(HUMAN[:2]), [], DataError, "at least 3 systems with scores from every metric and from people, got 2: 's0' and 's1'"),
        (mine(np.full_like(HUMAN, 0.1)), [], DataError, "scores every summary alike has no correlation: 'mine'"),
        (mine(HUMAN, name="good"), ["good"], DataError, "metrics of the same name as yours: 'good'; rename yours"),
        (mine(HUMAN), ["goood"], UnknownNameError, "unknown metric of made-up 'goood'; known: bad, good. Did you mean 'good'?"),
    ],
)  # fmt: skip
def test_what_cannot_be_matched_is_an_error_that_says_what_to_do(scores, compare, error, message):
    with pytest.raises(error) as caught:
        match(scores, MADE, compare=compare)
    assert message in str(caught.value)


def test_people_of_ones_own_are_a_benchmark(written):
    scores = written("system,1,2,3\nb,1,3,1\na10,2,1,1\na9,4,0,2\n")
    people = written("system,2,1,4\na9,1,1,1\na10,2,5,2\nb,0,1,3\n", name="people.csv")
    own = {"dataset": "", "metrics": [], "example_of": "", "rng": 0}
    found = bring(scores=str(scores), human=str(people), **own)
    made = found.benchmark
    assert (made.systems, made.documents, made.metrics) == (["a9", "a10", "b"], ["1", "2"], ["mine"])
    assert made.human.sel(system="a10", document="1") == 5
    rows = found.coverage.set_index("of")[["n_benchmark", "n_yours", "n_common", "n_used"]]
    assert rows.loc["documents"].tolist() == [3, 3, 2, 2]
    assert found.coverage["missing"].tolist()[1] == "'4'"
    with pytest.raises(DataError, match="`human` is given without `scores`"):
        bring(scores="", human=str(people), **own)


ONE_FILE = """system,document,metric,rater,score
a,1,m,,1
a,1,people,x,2
a,1,people,y,3
b,1,m,,2
b,1,people,x,1
c,1,m,,
c,2,m,,4
c,2,people,x,5
d,1,m,,3
d,1,people,y,4
"""


def test_one_file_holds_metrics_and_people(written):
    path = str(written(ONE_FILE))
    made = metaeval.as_benchmark(path)
    assert (made.metrics, made.judgments) == (["m"], ["people"])
    assert made.human.sel(system="a", document="1") == 2.5
    own = {"dataset": "", "metrics": [], "example_of": "", "rng": 0}
    found = bring(scores=path, **own).benchmark
    # of the two documents of c only the second has both scores
    assert found.human.sel(system=["a", "b", "d"], document="1").to_numpy().tolist() == [2.5, 1, 4]
    assert found.metric("m").sel(system="c").isnull().to_numpy().tolist() == [True, False]
    with pytest.raises(DataError, match="come twice: `human` is given, and a metric is called 'people'"):
        bring(scores=path, human=path, **own)
    with pytest.raises(DataError, match=r"no metric is called 'people' among 'm' and 'others'; give `human`"):
        metaeval.as_benchmark(str(written("system,document,m,others\na,1,1,2\n")))
    half = written(ONE_FILE.replace("c,2,people,x,5", "c,2,people,x,"))
    with pytest.raises(DataError, match=r"same systems; leave out, or add to the other, 'c'"):
        bring(scores=str(half), **own)


def test_a_score_of_people_together_beside_raters_is_theirs_however_the_file_is_read(written):
    cells = [(system, value) for system in "abc" for value in ("", "x", "y")]
    people = [f"{system},1,people,{rater},{ord(system) + bool(rater) * 7}\n" for system, rater in cells]
    path = written(
        "system,document,metric,rater,score\n" + "".join(["a,1,m,,1\nb,1,m,,2\nc,1,m,,5\n", *people])
    )
    made, read = metaeval.as_benchmark(path), reading.read(path).benchmark
    assert made.human.to_numpy().tolist() == read.human.to_numpy().tolist() == [[97], [98], [99]]
    assert made.ratings["people"].equals(read.ratings["people"])
    assert made.ratings["people"].sel(rater="x", system="a").item() == 104


@pytest.mark.parametrize("parted", [False, True], ids=["one file", "two files"])
def test_single_raters_are_kept_so_that_the_page_holds_a_metric_against_one_as_the_command_does(
    written, parted
):
    rng = np.random.default_rng(5)
    cells = [(f"s{i}", f"d{j}", i + rng.normal()) for i in range(6) for j in range(9)]
    of_judge = [f"{s},{d},m,,{value:.3f}" for s, d, value in cells]
    of_people = [f"{s},{d},people,r{k},{value + rng.normal():.3f}" for s, d, value in cells for k in range(3)]
    head, lines = "system,document,metric,rater,score\n", "\n".join
    scores, people = written(head + lines(of_judge)), written(head + lines(of_people), name="people.csv")
    both = written(head + lines(of_judge + of_people), name="both.csv")
    files = {"scores": str(scores), "human": str(people)} if parted else {"scores": str(both)}
    matched = bring(**files, dataset="", metrics=[], example_of="", rng=0).benchmark
    by_command = metaeval.report(both, n_resamples=39, rng=1).verdicts.printed()
    pd.testing.assert_frame_equal(
        metaeval.report(matched, n_resamples=39, rng=1).verdicts.printed(), by_command
    )
    assert "a rater" in by_command


def test_a_judge_may_be_called_as_peoples_judgment_is(written):
    text = "system,document,coherence,human_coherence\na,1,1,5\nb,1,2,4\nc,1,3,3\n"
    made = metaeval.as_benchmark(str(written(text)))
    assert (made.metrics, made.judgments) == (["coherence"], ["coherence"])
    assert made.metric("coherence").to_numpy().tolist() == [[1], [2], [3]]
    assert made.human.to_numpy().tolist() == [[5], [4], [3]]


def test_the_page_takes_one_kind_of_judgment_and_python_takes_several(written):
    scores = str(written("system,1\na,1\nb,2\nc,4\n"))
    people = str(written("metric,system,1\none,a,1\none,b,2\none,c,2\ntwo,a,1\n", name="people.csv"))
    assert metaeval.as_benchmark(scores, people).judgments == ["one", "two"]
    with pytest.raises(DataError, match=r"people.csv: .* and there are 'one' and 'two'; keep one"):
        bring(scores=scores, human=people, dataset="", metrics=[], example_of="", rng=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,1\na,1\nb,2\n", "must cover the same systems; leave out, or add to the other, 'c'"),
        ("system,2\na,1\nb,2\nc,3\n", "no document in common: '1' and '2'"),
    ],
)  # fmt: skip
def test_own_files_are_held_to_the_same_on_the_page_and_in_python(written, text, message):
    scores, people = str(written("system,1\na,1\nb,2\nc,4\n")), str(written(text, name="people.csv"))
    for call in (
        lambda: metaeval.as_benchmark(scores, people),
        lambda: bring(scores=scores, human=people, dataset="", metrics=[], example_of="", rng=0),
    ):
        with pytest.raises(DataError) as caught:
            call()
        assert message in str(caught.value)


def test_the_example_is_a_metric_with_noise_of_a_third_of_its_variance():
    wide = benchmark(RNG.normal(size=(40, 500)), {"m": RNG.normal(scale=5, size=(40, 500))})
    made = example(wide, of="m", rng=1)
    noise = made.sel(metric="example metric", drop=True) - wide.metric("m").drop_vars("metric")
    # 20,000 draws: the variance is known to about one percent
    assert float(noise.var()) == pytest.approx(25 * EXAMPLE_NOISE, rel=0.05)
    assert made.identical(example(wide, of="m", rng=1))
    assert not made.equals(example(wide, of="m", rng=2))


def test_of_three_systems_the_best_three_are_all():
    small = benchmark(HUMAN[:3], {"mine": HUMAN[:3]})
    table = topk.table(small, groups=["all"], coefficients=["kendall"])
    assert table[["k", "value"]].to_numpy().tolist() == [[3, 1.0]]


def test_data_of_ones_own_are_not_called_simulated(written, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    rows = [(s, d, i * j % 5) for i, s in enumerate("abcd") for j, d in enumerate("xyz", start=1)]
    text = "system,document,score\n" + "\n".join(f"{s},{d},{score}" for s, d, score in rows)
    mine, people = written(text), written(text.replace("d,z,4", "d,z,3"), name="people.csv")
    own = bring(scores=str(mine), human=str(people), dataset="", metrics=[], example_of="", rng=0).benchmark
    made = bring(
        scores="", dataset="realsumm", metrics=["MoverScore"], example_of="JS-2", rng=0
    ).benchmark.select(metrics=["MoverScore"])
    settings = {"levels": ["system"], "methods": ["Fisher"], "rng": 0}
    assert not rests_on_simulation(intervals.table(own, **settings))
    assert rests_on_simulation(intervals.table(made, **settings))


def test_people_who_score_all_alike_are_an_error_that_names_them():
    made = benchmark(np.full(HUMAN.shape, 3.0), {"m": HUMAN})
    with pytest.raises(DataError, match="people score every summary alike"):
        match(made.scores.assign_coords(metric=["mine"]), made, compare=[])


def test_default_metrics_that_a_benchmark_lacks_are_left_out(monkeypatch, capsys):
    monkeypatch.setenv("DATA", "simulated")
    found = bring(scores="", dataset="summeval", metrics=["JS-2", "METEOR"], example_of="MoverScore", rng=1)
    assert found.benchmark.metrics == [*found.yours, "METEOR"]
    assert "SummEval has no scores of JS-2: left out." in capsys.readouterr().out


def test_the_answer_has_the_words_and_digits_of_the_table():
    made = benchmark(HUMAN, {"mine": HUMAN + 1, "other": -HUMAN})
    found = metaeval.report(made, n_resamples=39, rng=1).verdicts
    said = answer(found, ["mine"])
    assert said.startswith("Is a judge better than a score that judges nothing? (Kendall's τ over systems")
    (row,) = found.printed().query("judge == 'mine'").to_dict("records")
    assert f"with people [95 %] {row['with people [95 %]']}" in said
    assert f"mine: {row['answer']}; " in said
    assert "other" not in said
