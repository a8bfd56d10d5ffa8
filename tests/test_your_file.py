"""A reader's own file in the page: its scripts, run by Node.js, against helpers' functions on the same file."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import shutil
import subprocess

import numpy as np
import pytest
from scipy import stats

from bookbuild.site.mime import file_words, scripts
from helpers.experiments import your_metric
from metaeval.analysis import margins, topk
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.core.paths import BOOK
from metaeval.own.words import lexicon
from metaeval.reporting.report import report
from metaeval.reporting.verdict import verdicts
from metaeval.stats.intervals import interval
from metaeval.stats.monte_carlo import quantile_error
from metaeval.stats.windows import closed_windows, draw_windows
from metaeval.tables.wording import SECOND_DIGIT

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="Node.js is not installed: the browser tests run these scripts too"
)

SCRIPTS = (
    "tools.js",
    "statistics.js",
    "your_file_csv.js",
    "your_file_statistics.js",
    "your_file_verdict.js",
)
EXACT = 1e-9
N_DRAWS = 999

# Reads texts from its input; what each says, or the sentence that refuses it.
HARNESS = """
const { texts, draws } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { bookStatistics: book, bookYourFile: mine } = window;
const spent = (generator) => { let step; do step = generator.next(); while (!step.done); return step.value; };
const plain = (value) => typeof value === "number" && Number.isNaN(value) ? null : value;
const answer = (text) => {
  const data = mine.matched(spent(mine.readScores(text)));
  const found = { ...data, exact: [], topK: {}, closest: data.metrics.map((_, m) => mine.closest(data, m)) };
  for (const coefficient of ["pearson", "kendall"]) {
    found.topK[coefficient] = [...mine.topK(data, coefficient)];
    for (const level of ["system", "summary"]) {
      const boot = mine.bootstrap(data, level, coefficient, { nDraws: draws });
      spent(boot.run);
      data.metrics.forEach((metric, m) => found.exact.push({
        level, coefficient, metric, value: mine.estimate(data, m, level, coefficient),
        ends: [0.025, 0.975].map((share) => book.quantile(boot.values[m], share)), draws: boot.values[m],
      }));
    }
  }
  found.pairs = data.metrics.map((_, m) => {
    const window = found.closest[m][Math.floor(found.closest[m].length / 2)];
    const boot = mine.bootstrapPairs(data, m, window.upper, { nDraws: draws });
    spent(boot.run);
    return [0.025, 0.975].map((share) => book.quantile(boot.values, share));
  });
  return found;
};
const all = texts.map((text) => {
  try { return answer(text); } catch (error) {
    if (!(error instanceof mine.Refused)) throw error;
    return { refused: error.message };
  }
});
console.log(JSON.stringify(all, (_, value) => plain(value)));
"""
RECORDS = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => {
  try { return [...window.bookYourFile.records(text)].map(({ line, cells }) => [line, cells]); }
  catch (error) { return null; }
})));
"""


# What the panel says of a file, once all is drawn, for each state.
PANEL = """
const { text, states } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { bookExplorable: book, bookYourFile: mine } = window;
let step; const reading = mine.readScores(text);
do step = reading.next(); while (!step.done);
const data = { ...mine.matched(step.value), name: "mine.csv" };
const kind = book.kinds.your_file(data, { refresh: () => {} });
const shown = async (state) => {
  const full = { k: 3, share: 1, ...state };
  await new Promise((drawn) => { data.onProgress = (done) => done && drawn(); kind.changed(full); });
  const answer = kind.answer(full);
  const [{ show }] = answer.columns.filter(({ key }) => key === "low");
  return { ...answer, intervals: answer.rows.map((row) => show(row.low, row)) };
};
(async () => {
  const all = [];
  for (const state of states) all.push(await shown(state));
  console.log(JSON.stringify(all));
})();
"""
OF_A_PAGE = ("tables.js", "your_file.js", "explorable.js")  # they need a browser's
PANEL_SCRIPTS = tuple(name for name in scripts("your_file") if name not in OF_A_PAGE)


def run(harness: str, given: object, names: tuple[str, ...] = SCRIPTS, *, page: str = "") -> list:
    code = "".join((BOOK / "_assets" / name).read_text(encoding="utf8") for name in names)
    code = f"globalThis.window = globalThis;\n{file_words()}\n{page}\n{code}\n{harness}"
    done = subprocess.run(
        [NODE, "-e", code], input=json.dumps(given), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def written(people: np.ndarray, metrics: dict[str, np.ndarray], *, end: str = "\n", raters: int = 0) -> str:
    """A tidy long file; a missing score is an empty cell, or no line where its document is even."""
    table = io.StringIO()
    lines = csv.writer(table, lineterminator=end)
    lines.writerow(["score", "document", "system", "rater", "metric"])
    for name, matrix in {"people": people, **metrics}.items():
        for i, row in enumerate(matrix):
            for j, score in enumerate(row):
                if math.isnan(score) and j % 2 == 0:
                    continue
                for rater in range(raters if name == "people" and raters else 1):
                    # raters differ, and their mean is the score
                    by, off = (
                        (f"r{rater}", rater - (raters - 1) / 2) if raters and name == "people" else ("", 0)
                    )
                    shown = "" if math.isnan(score) else repr(float(score) + off)
                    lines.writerow([shown, f"d,{j}", f'the "{i}"\nsystem', by, name])
    return table.getvalue()


def made(seed: int, n: int, m: int, *, gaps: float = 0.0, ties: bool = False) -> tuple[np.ndarray, dict]:
    rng = np.random.default_rng(seed)
    people = rng.normal(size=(n, m)) + rng.normal(size=(n, 1))
    metrics = {f"m {k}": people + (1 + k) * rng.normal(size=(n, m)) for k in range(2)}
    if ties:
        people, metrics = np.round(people), {name: np.round(matrix) for name, matrix in metrics.items()}
    for matrix in (people, *metrics.values()):
        matrix[rng.random(size=(n, m)) < gaps] = np.nan
    return people, metrics


FILES = {
    "plain": written(*made(1, 6, 12)),
    "gaps": written(*made(2, 7, 15, gaps=0.2)),
    "ties": written(*made(3, 6, 10, ties=True), end="\r\n"),
    # of one summary a score of all raters together stands beside theirs
    "raters": "\ufeff"
    + written(*made(4, 5, 8, gaps=0.1, ties=True), raters=3)
    + '4.5,"d,1","the ""0""\nsystem",,people\n',
    "three systems": written(*made(5, 3, 6)),
    # a and b tie on paper, and not in a plain sum of the three ratings
    "tie on paper": "system,document,metric,rater,score\n"
    + "".join(
        f"{system},1,m,,{metric}\n"
        + "".join(f"{system},1,people,{rater},{score}\n" for rater, score in enumerate(ratings))
        for metric, (system, ratings) in enumerate(
            {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1), "c": (0.5, 0.6, 0.7), "d": (0.7, 0.8, 0.9)}.items()
        )
    ),
}


@pytest.fixture(scope="module")
def answers():
    return dict(zip(FILES, run(HARNESS, {"texts": list(FILES.values()), "draws": N_DRAWS}), strict=True))


@pytest.fixture(params=FILES, scope="module")
def both(request, answers, tmp_path_factory):
    """What the page's scripts say of a file, and the benchmark that Python makes of it."""
    path = tmp_path_factory.mktemp("own") / "mine.csv"
    path.write_bytes(FILES[request.param].encode())
    own = your_metric.bring(scores=str(path), dataset="", metrics=[], example_of="", rng=0)
    return answers[request.param], own.benchmark


def near(one, other) -> bool:
    return np.allclose(
        np.array(one, dtype=float), np.array(other, dtype=float), rtol=0, atol=EXACT, equal_nan=True
    )


def test_the_same_summaries_are_compared(both):
    page, python = both
    assert sorted(page["systems"]) == sorted(python.systems)
    assert sorted(page["documents"]) == sorted(python.documents)
    assert page["nScored"] == int((python.scores.notnull().all("metric") & python.human.notnull()).sum())
    labels = {"system": page["systems"], "document": page["documents"]}
    assert near(page["people"], python.human.sel(labels))
    assert near(page["scores"], python.scores.sel(labels).sel(metric=page["metrics"]))


def close_by_chance(end: float | None, share: float, draws: np.ndarray) -> bool:
    """Whether an end of another run of as many draws can be the `share`-quantile of these, which may be few values."""
    draws = draws[~np.isnan(draws)]
    if not len(draws):
        return end is None
    allowed = 5 * math.sqrt(2 * share * (1 - share) / len(draws))
    below, up_to = (draws < end - EXACT).mean(), (draws <= end + EXACT).mean()
    return below <= share + allowed and up_to >= share - allowed


def test_correlations_are_pythons_and_intervals_differ_by_chance_only(both):
    page, python = both
    scores, human = python.scores.sel(metric=page["metrics"]).to_numpy(), python.human.to_numpy()
    for level, coefficient in itertools.product(("system", "summary"), ("pearson", "kendall")):
        drawn = interval(
            scores,
            human,
            level=level,
            coefficient=coefficient,
            method="Boot-Both",
            n_resamples=N_DRAWS,
            rng=5,
        )
        rows = [row for row in page["exact"] if (row["level"], row["coefficient"]) == (level, coefficient)]
        assert [row["metric"] for row in rows] == page["metrics"]
        for row, estimate, draws in zip(rows, drawn.estimate, drawn.distribution, strict=True):
            assert near(row["value"], estimate)
            for end, share in zip(row["ends"], (0.025, 0.975), strict=True):
                assert close_by_chance(end, share, draws), (row["metric"], level, coefficient, end)
            theirs = np.array(row["draws"], dtype=float)
            undefined = [int(np.isnan(values).sum()) for values in (theirs, draws)]
            assert abs(undefined[0] - undefined[1]) <= 5 * math.sqrt(sum(undefined) + 1)
            # the whole distributions, not only their ends; rounding parts equal values
            pair = [np.round(values[~np.isnan(values)], 9) for values in (theirs, draws)]
            assert stats.ks_2samp(*pair).pvalue > 1e-6


def test_the_best_systems_are_pythons(both):
    page, python = both
    ks = range(3, len(python.systems) + 1)
    table = topk.table(python, groups=["all"], ks=ks).set_index(["coefficient", "k", "metric"])["value"]
    found = {
        (coefficient, row["k"], metric): value
        for coefficient, rows in page["topK"].items()
        for row in rows
        for metric, value in zip(page["metrics"], row["values"], strict=True)
    }
    assert found.keys() == set(table.index)
    assert near([found[key] for key in table.index], table)


def test_the_closest_pairs_are_pythons(both):
    page, python = both
    n_windows = len(page["closest"][0])
    table = margins.closest([python], n_windows=n_windows, n_resamples=0)
    columns = {
        "percent": "percent",
        "upper": "upper",
        "n_pairs": "n",
        "value": "value",
        "agreement": "agreement",
    }
    for metric, rows, ends in zip(page["metrics"], page["closest"], page["pairs"], strict=True):
        part = table[table["metric"] == metric]
        for column, key in columns.items():
            assert near([row[key] for row in rows], part[column]), column
        window = closed_windows([(0, part["upper"].iloc[n_windows // 2])])
        scores, human = python.metric(metric).to_numpy(), python.human.to_numpy()
        _, agreement = draw_windows(scores, human, window, n_resamples=N_DRAWS, rng=3)
        for end, share in zip(ends, (0.025, 0.975), strict=True):
            assert close_by_chance(end, share, agreement[:, 0]), (metric, end)


# people's mean alone; raters beside each other; a metric that is a length; one that people contradict
ANSWERED = {
    "mean": made(1, 6, 12),
    "many": made(7, 14, 30, ties=True),
    "raters": made(8, 9, 20),
    "length": (lambda people, metrics: (people, {**metrics, "n_words": metrics["m 1"] + people}))(
        *made(9, 12, 25)
    ),
    "turned": (lambda people, metrics: (people, {"m": -people, **metrics}))(*made(10, 10, 16)),
}
ANSWERS = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => {
  let step; const reading = bookYourFile.readScores(text);
  do step = reading.next(); while (!step.done);
  const found = bookYourFile.answers(bookYourFile.matched(step.value));
  do step = found.run.next(); while (!step.done);
  return { values: found.values, question: found.ask("a judge"), lack: found.lack };
})));
"""


def raters_of(people: np.ndarray) -> np.ndarray:
    """Ratings by three raters who differ, so that they agree with each other as people do."""
    return people + np.random.default_rng(3).normal(size=(3, *people.shape))


def test_the_answers_are_those_of_the_report():
    texts = []
    for name, (people, metrics) in ANSWERED.items():
        own = raters_of(people) if name == "raters" else people[None]
        planes = {"people": own} | {metric: plane[None] for metric, plane in metrics.items()}
        lines = [
            f"{i},{j},{metric},{rater if len(raters) > 1 else ''},{float(plane[i, j])!r}\n"
            for metric, raters in planes.items()
            for rater, plane in enumerate(raters)
            for i, j in np.ndindex(people.shape)
        ]
        texts.append("".join(["system,document,metric,rater,score\n", *lines]))
    words = set()
    for (name, (people, metrics)), answer in zip(ANSWERED.items(), run(ANSWERS, texts, SCRIPTS), strict=True):
        judges = {metric: plane for metric, plane in metrics.items() if metric != "n_words"}
        planes, ratings = np.stack([*judges.values()]), raters_of(people) if name == "raters" else None
        human = people if ratings is None else ratings.mean(axis=0)
        lengths = {metric: metrics[metric] for metric in metrics.keys() - judges.keys()}
        expected = verdicts([*judges], planes, human, ratings, sentinels=lengths, n_resamples=9_999, rng=1)
        assert answer["question"] == expected.question
        table = expected.table.set_index("metric").loc[[*judges]]
        assert [value is None for value in answer["values"]] == [metric not in judges for metric in metrics]
        for found, row in zip(filter(None, answer["values"]), table.itertuples(), strict=True):
            assert near(found["value"], row.value)
            # other draws of documents
            assert found["low"] == pytest.approx(row.low, abs=5 * row.low_mc_error + 0.004)
            assert found["high"] == pytest.approx(row.high, abs=5 * row.high_mc_error + 0.004)
            assert found["word"] == row.verdict
            words.add((name, found["word"]))
    assert {word for _, word in words} == {"yes", "no", "open"}


def test_signs_and_raters_are_those_of_the_command(tmp_path):
    """A metric of which lower is better is turned, and a score of all raters together is no rater."""
    people, metrics = made(11, 8, 12)
    rows = {"people": raters_of(people), "ter": -metrics["m 0"][None], "bleu": metrics["m 1"][None]}
    text = "system,document,metric,rater,score\n" + "".join(
        f"{i},{j},{metric},{rater if metric == 'people' else ''},{float(plane[i, j])!r}\n"
        for metric, planes in rows.items()
        for rater, plane in enumerate(planes)
        for i, j in np.ndindex(people.shape)
    )
    mean = rows["people"].mean(axis=0)
    text += "".join(f"{i},{j},people,,{float(mean[i, j])!r}\n" for i, j in np.ndindex(people.shape))
    path = tmp_path / "mine.csv"
    path.write_text(text)
    table = report(path).verdicts.table.set_index("metric").loc[["ter", "bleu"]]
    (answer,) = run(ANSWERS, [text], SCRIPTS)
    assert near([found["value"] for found in answer["values"]], table["value"])
    assert [found["word"] for found in answer["values"]] == table["verdict"].tolist()


@pytest.mark.parametrize(
    ("size", "gaps", "lack"),
    [((5, 9), 0.0, "open: 5 systems; it takes 6"), ((7, 9), 0.2, "not here: some scores are missing")],
)
def test_no_answer_without_enough_systems_or_with_gaps(size, gaps, lack):
    (answer,) = run(ANSWERS, [written(*made(2, *size, gaps=gaps))], SCRIPTS)
    assert answer["lack"] == lack
    assert not any(answer["values"])


GOOD = "system,document,metric,score\n" + "".join(
    f"{s},{d},{m},{i + k * d}\n"
    for i, s in enumerate("abc")
    for d in (1, 2)
    for k, m in enumerate(["m", "people"])
)
REFUSED = [
    ("", "the file is empty"),
    ("system;document;metric;score\n", "holds column names and no scores"),
    ("system,document,human,note\na,1,2,good\n", "line 2: the score must be a finite number, got “good”"),
    ("system,document,annotator,score\n", "no column “metric”"),
    ("system,document,score\na,1,2\n", "line 1: no column “metric”, found “system”, “document” and “score”"),
    ("system,d1,d2\na,1,2\n", "no column “document”, “metric” and “score”"),
    ('{"system": "a"}\n', "no column “system”"),
    ("system,document,metric,score,score\n", "line 1: no place for the column “score”; leave it out"),
    ("system,document,metric,score,note\n", "line 1: no place for the column “note”; leave it out"),
    ("system,document,metric,score\n", "holds column names and no scores"),
    (GOOD + "a,3,m\n", "line 14: 3 cells, but the first line has 4"),
    (GOOD + "a,3,m,1,2\n", "line 14: 5 cells"),
    (GOOD + "a,3,m,about 3\n", "line 14: the score must be a finite number, got “about 3”; leave the cell empty"),
    (GOOD + 'a,3,m,"0,5"\n', "line 14: the score must be a finite number, got “0,5”; write decimals with a point"),
    (GOOD + "a,3,m,pass\n", "line 14: the score must be a finite number, got “pass”"),
    ("system,document,metric,score\na,1,m,pass\nb,1,m,maybe so\n", "line 3: the score must be one of the words that pass and fail, as before, got “maybe so”"),
    ("system,document,metric,score\na,1,m,pass\nb,1,m,0.5\n", "line 3: the score must be one of the words"),
    ("model,system,document,metric,score\n", "line 1: no place for the column “model”"),
    (GOOD + "a,3,m,inf\n", "got “inf”"),
    (GOOD + "a,3,m,0x10\n", "got “0x10”"),
    (GOOD + "a,3,m,1e999\n", "got “1e999”"),
    (GOOD + ",3,m,1\n", "line 14: the name of the system is empty"),
    (GOOD + "a,,m,1\n", "line 14: the name of the document is empty"),
    (GOOD + "a,1,m,7\n", "line 14: “m” scores system “a”, document “1” a second time, after line 2; keep one"),
    (GOOD + '\n"a\nb",3,m,1\na,1,m,7\n', "line 17:"),
    (GOOD + '"a,3,m,1\n', "line 14: a quote is opened and never closed"),
    (GOOD + '"a"b,3,m,1\n', "line 14: something follows a closing quote"),
    (GOOD.replace("people", "n"), "no row has the metric “people”, found “m” and “n”"),
    ("system,document,metric,score\na,1,people,2\n", "every row has the metric “people”"),
    (GOOD + "d,1,m,7\n", "must score the same systems; leave out, or add to the other, “d”"),
    ("\n".join(line for line in GOOD.splitlines() if not line.startswith("c,")), "at least 3 systems with scores from every metric and from people, got 2: “a” and “b”"),
    ("\n".join(line for line in GOOD.splitlines() if line[:2] not in ("b,", "c,")), "got 1: “a”; score more systems"),
    ("system,document,metric,score\na,1,m,3\nb,1,m,3\nc,1,m,3\na,1,people,1\nb,1,people,2\nc,1,people,3\n", "scores every summary alike has no correlation: “m”"),
]  # fmt: skip


def test_what_is_refused_is_refused_in_a_sentence():
    found = run(HARNESS, {"texts": [text for text, _ in REFUSED], "draws": 9})
    for (text, expected), answer in zip(REFUSED, found, strict=True):
        assert expected in answer.get("refused", "accepted"), (text, answer)


# GOOD with a line for each summary, and with other signs between its cells
WIDE = "system,document,m,human\n" + "".join(
    f"{s},{d},{i},{i + d}\n" for i, s in enumerate("abc") for d in (1, 2)
)


def test_a_column_for_each_metric_and_other_separators_are_read_as_the_long_file():
    numbers = [",".join(line.split(",")[:3] + [f"{float(line.split(',')[3]) + off}" for off in (-0.5, 0.5)])
               for line in WIDE.splitlines()[1:]]  # fmt: skip
    two = "\n".join(["system,document,m,human_1,human_2", *numbers])
    halves = GOOD.replace(",0\n", ",0.0\n")
    texts = [
        GOOD, WIDE, GOOD.replace(",", ";"), GOOD.replace(",", "\t"), WIDE.replace(",", ";"), two,
        two.replace(",", ";").replace(".", ","), halves.replace(",", ";").replace(".", ","),
        WIDE.replace("human", "human_score").replace("system", "model"),
    ]  # fmt: skip
    long, *others = run(HARNESS, {"texts": texts, "draws": 9})
    assert "refused" not in long
    for text, other in zip(texts[1:], others, strict=True):
        assert {**other, "metrics": long["metrics"], "ratings": long["ratings"]} == long, text


def test_what_other_programs_write_where_there_is_no_score_is_none_in_the_page_too():
    empty, *marked = run(
        HARNESS,
        {"texts": [GOOD + f"a,3,m,{mark}\n" for mark in ("", *sorted(lexicon().missing))], "draws": 9},
    )
    assert "refused" not in empty
    assert len(marked) > 10
    assert all(found == empty for found in marked)


def test_names_and_words_of_the_page_are_the_readers():
    """Every name of a column, of people and of a label in data/roles.yml is read as the book's own is."""
    names, labels = lexicon().names, lexicon().labels
    roles = {"system": "system", "document": "item", "metric": "judge", "score": "score"}
    heading, *rows = GOOD.splitlines()
    texts = [
        "\n".join([heading.replace(column, spelling), *rows])
        for column, role in roles.items()
        for name in names[role]
        for spelling in (name, name.upper().replace("_", " "))
    ]
    texts += [GOOD.replace("people", name) for name in names["human"]]
    plain, *others = run(HARNESS, {"texts": [GOOD, *texts], "draws": 9})
    assert len(texts) > 200
    assert "refused" not in plain
    assert [text for text, answer in zip(texts, others, strict=True) if answer != plain] == []
    scored = [
        f"{heading}\n"
        + "".join(
            f"{s},{d},{m},{word if s == 'a' else end}\n"
            for s in "abc"
            for d in (1, 2)
            for m in ("m", "people")
        )
        for word, end in ((word, "fail" if value else "pass") for word, value in labels.items())
    ]
    answers = run(HARNESS, {"texts": scored, "draws": 9})
    assert [answer["people"][0][0] for answer in answers] == [*labels.values()]


def test_python_refuses_the_same_files(tmp_path):
    path = tmp_path / "mine.csv"
    for text, expected in REFUSED:
        path.write_text(text)
        # wide files, people's scores in a second one, and people by other names are what Python reads besides
        if "“metric”" in expected:
            continue
        if "line 14: 3 cells" in expected or "“0,5”" in expected:  # filled, and read, with a note
            continue
        with pytest.raises((DataError, UnknownNameError)):  # without people it looks for a benchmark
            your_metric.bring(scores=str(path), human="", dataset="", metrics=[], example_of="", rng=0)


STATES = [
    {"metric": "m 0", "level": level, "coefficient": coefficient}
    for level in ("system", "summary")
    for coefficient in ("kendall", "pearson")
]


@pytest.mark.parametrize(("n", "shows"), [(3, False), (4, False), (5, True)])
def test_few_systems_have_no_interval_over_them(n, shows):
    text = written(*made(5, n, 6))
    caution = f"These are only {n} systems, and chance alone puts them into people’s order once in {math.factorial(n)} times"
    for state, shown in zip(STATES, run(PANEL, {"text": text, "states": STATES}, PANEL_SCRIPTS), strict=True):
        has = shows or state["level"] == "summary"
        assert [" to " in text for text in shown["intervals"]] == [has, has]
        assert [row["low"] is not None for row in shown["rows"]] == [has, has]
        assert (caution in shown["note"]) == (not shows)
        # documents are drawn for the pairs, and there are enough of them
        assert all(row["agreement_low"] is not None for row in shown["rows"])


def test_the_ends_of_an_interval_have_the_digits_that_other_draws_leave_alone():
    told = set()
    for size in ((6, 6), (10, 30)):
        for shown in run(PANEL, {"text": written(*made(5, *size)), "states": STATES}, PANEL_SCRIPTS):
            row = shown["rows"][0]
            ends = shown["intervals"][0].split(" to ")
            for end, error in zip(ends, (row["low_mc_error"], row["high_mc_error"]), strict=True):
                digits = len(end.split(".")[1])
                assert digits == (1 if error > SECOND_DIGIT else 2)
                told.add(digits)
    assert told == {1, 2}


def test_the_error_of_an_end_is_the_engines(answers):
    page = answers["plain"]
    harness = """
    const lists = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(JSON.stringify(lists.map((values) => [0.025, 0.975].map((q) => bookYourFile.quantileError(values, q)))));
    """
    lists = [row["draws"] for row in page["exact"]]
    found = run(harness, lists)
    expected = [[float(quantile_error(np.array(values), q)) for q in (0.025, 0.975)] for values in lists]
    assert near(found, expected)


def test_people_who_score_all_alike_are_refused_in_pythons_sentence(tmp_path):
    text = "system,document,metric,score\n" + "".join(
        f"{s},{d},{m},{i + d if m == 'm' else 2.5}\n"
        for i, s in enumerate("abcd")
        for d in (1, 2)
        for m in ("m", "people")
    )
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(DataError, match="people score every summary alike") as told:
        your_metric.bring(scores=str(path), human="", dataset="", metrics=[], example_of="", rng=0)
    (found,) = run(HARNESS, {"texts": [text], "draws": 9})
    assert found == {"refused": str(told.value)}


def test_ratings_are_added_as_fsum_adds_them():
    rng = np.random.default_rng(9)
    many = [rng.normal(size=n) * 10.0 ** rng.integers(-18, 18, size=n) for n in rng.integers(1, 9, size=300)]
    many += [
        [1.0, 2.0**-53, 2.0**-106],
        [1.0, 2.0**-53],
        [1e16, 1.0, 1e-16],
        [0.1] * 10,
        [1e100, 1.0, -1e100],
    ]
    lists = [[float(value) for value in values] for values in many]
    text = "system,document,metric,rater,score\n" + "".join(
        f"{system},{document},{metric},{rater},{value!r}\n"
        for document, values in enumerate(lists)
        for rater, value in enumerate(values)
        for system in "abc"
        for metric in ("m", "people")
    )
    harness = """
    let step; const reading = bookYourFile.readScores(JSON.parse(require("fs").readFileSync(0, "utf8")));
    do step = reading.next(); while (!step.done);
    console.log(JSON.stringify(bookYourFile.matched(step.value).people[0]));
    """
    found = [float(value) for value in run(harness, text)]
    assert found == [math.fsum(values) / len(values) for values in lists]


def test_lines_are_split_as_pythons_csv_splits_them():
    rng = np.random.default_rng(8)
    signs = np.array(list('aé,,""\n\n\r 1'))
    texts = ["".join(rng.choice(signs, size=rng.integers(1, 25))) for _ in range(400)]
    texts += ['"a""b",c\r\nd', "a\rb", ",\n", "\n\n", '""']
    for text, found in zip(texts, run(RECORDS, texts), strict=True):
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            expected = [[reader.line_num, cells] for cells in reader if cells and cells != [""]]
        except csv.Error:
            expected = None
        assert found == expected, repr(text)


def test_blanks_around_names_make_no_other_system():
    rows = GOOD.splitlines(keepends=True)
    spaced = "".join([rows[0], *(f" {row}" if i % 2 else row for i, row in enumerate(rows[1:]))])
    plain, blanks = run(HARNESS, {"texts": [GOOD, spaced], "draws": 9})
    assert "refused" not in plain
    assert blanks == plain


def test_a_file_that_would_freeze_the_page_is_refused_with_the_command():
    lines = [f"s{i},d{i},{metric},{i}\n" for i in range(501) for metric in ("m", "people")]
    (answer,) = run(HARNESS, {"texts": ["system,document,metric,score\n" + "".join(lines)], "draws": 9})
    assert answer["refused"].startswith("501 systems and 501 documents are too many for a page")
    assert answer["refused"].endswith("metaeval FILE")


def test_a_text_that_is_a_formula_is_guarded_in_the_csv_and_numbers_are_not():
    harness = """
    const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(JSON.stringify(window.bookExplorable.csv([{ key: "name" }, { key: "value" }], rows)));
    """
    rows = [
        {"name": '=HYPERLINK("x")', "value": -0.5},
        {"name": "@SUM", "value": 1},
        {"name": "a-b", "value": 2},
    ]
    page = "globalThis.document = { readyState: 'loading', addEventListener() {} };"
    found = run(harness, rows, ("tools.js", "explorable_parts.js"), page=page)
    assert found == 'name,value\n"\'=HYPERLINK(""x"")",-0.5\n\'@SUM,1\na-b,2\n'
