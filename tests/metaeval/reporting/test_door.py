"""The door as a user meets it: ``metaeval FILE``, ``metaeval doctor FILE``, and every option that a message names."""

import itertools
import json
import re
import shlex

import pandas as pd
import pytest

from metaeval.__main__ import main
from metaeval.core.errors import OpenQuestion
from metaeval.reporting.reading import read
from metaeval.reporting.report import report
from tests.metaeval.own.test_layouts import ASKED, READ, written

QUICK = ["--draws", "49"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in a folder of files; its status, and what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(words, files=()):
        written(tmp_path, dict(files))
        status = main(shlex.split(words) if isinstance(words, str) else words)
        out = capsys.readouterr()
        return status, out.out + out.err

    return run


def ranking(offset=0, groups=("news",), people="human"):
    """A metric and people, in groups with systems and documents of their own; the metric falls from group to group."""
    lines = [f"dataset,system,document,metric,{people}"]
    for k, group in enumerate(groups):
        lines += [
            f"{group},{group}-s{i},{group}-{d},{i + d / 10 - 20 * k},{i + (d + i) % 2 / 2 + 10 * k + offset}"
            for i, d in itertools.product(range(6), range(4))
        ]
    return "\n".join(lines) + "\n"


def test_files_without_a_command_are_told_and_answered(run):
    status, shown = run("a.csv --draws 49", {"a.csv": ranking()})
    assert status == 0
    assert shown.startswith("a.csv: 1 judge and people; a ranking of 6 systems on 4 documents (")
    assert "metric" in shown.partition("\n")[2]


def test_half_of_a_pair_of_files_says_what_the_other_holds(run):
    text = ranking().replace(",human", ",m2")
    for words in ("a.csv", "doctor a.csv"):
        status, shown = run(words, {"a.csv": text})
        assert (
            "Add the other file, with people's scores or labels of the same items: metaeval a.csv OTHER.csv"
            in shown
        )
        assert status == (0 if "doctor" in words else 2)


# of all layouts `test_layouts` proves the readings and their options; how a command shows and takes them is one place
@pytest.mark.parametrize("name", [*ASKED][::6])
def test_what_is_asked_is_a_command_that_works(name, run):
    files, _ = ASKED[name]
    status, shown = run(["doctor", *files], files)
    asked = re.findall(r"^  (--.*?)   ", shown, re.MULTILINE)
    assert status == (0 if "whose a column is" in shown else 2)
    assert 0 < len(asked) <= 3
    for options in asked:
        status, answer = run(f"doctor {' '.join(map(shlex.quote, files))} {options}")
        assert status == 0, answer
    assert run([*files, *QUICK])[0] == 2


def test_what_all_readings_share_is_answered(run):
    """Of 60 items a judge agrees with people on all, and another on half: as grades and as choices."""
    lines = ["item_id,human,gpt,coin", *(f"q{i},{1 + i % 2},{1 + i % 2},{1 + i // 2 % 2}" for i in range(60))]
    status, shown = run("a.csv --draws 99", {"a.csv": "\n".join(lines)})
    assert status == 2
    words = {
        options: run(f"report a.csv --draws 199 --json {options}")[1]
        for options in ("--col choice=human", "--col human=human")
    }
    verdicts = [
        {row["metric"]: row["verdict"] for row in json.loads(text)["tables"]["verdicts"]}
        for text in words.values()
    ]
    shared = "; ".join(f"{name}: {word}" for name, word in verdicts[0].items() if verdicts[1][name] == word)
    assert (f"However they are read, {shared}." in shown) == bool(shared)
    assert bool(shared)


@pytest.mark.parametrize("name", [*READ][::8])
def test_doctor_shows_every_column_and_the_same_in_options(name, run):
    files, _ = READ[name]
    status, shown = run(["doctor", *files, "--save-roles", "roles.yml"], files)
    assert status == 0
    options = re.search(r"The same in words: (.*)   \(kept", shown)[1]
    body = re.split("Notes|kind:", shown.partition("What it can")[2])[0]
    for words in (
        f"doctor {' '.join(map(shlex.quote, files))} {options}",
        f"doctor {' '.join(map(shlex.quote, files))} --roles roles.yml",
    ):
        status, again = run(words)
        assert (status, re.split("Notes|kind:", again.partition("What it can")[2])[0]) == (0, body), words


def test_options_from_a_file_are_those_of_the_command_line_and_of_one_run(run):
    rows = [f"s{i},d{d},{-i},{d},{i}" for i in range(6) for d in range(4)]
    files = {
        "a.csv": "\n".join(["system,document,one,other,human", *rows]),
        "roles.yml": "lower: one\nignore: [other]\n",
    }
    plain = run("doctor a.csv", files)
    assert run("doctor a.csv --roles roles.yml") == run("doctor a.csv --lower one --ignore other")
    assert run("doctor a.csv") == plain
    assert "other" in plain[1]


def test_systems_without_a_common_item_are_answered_apart(run):
    files = {"a.csv": ranking(groups=("news", "chat"))}
    _, shown = run("doctor a.csv", files)
    assert "Answered one by one: dataset chat; dataset news\n" in shown
    assert "--lower" not in shown
    status, shown = run("report a.csv --draws 49", files)
    assert (status, "== dataset chat ==" in shown, "== dataset news ==" in shown) == (0, True, True)
    assert "--lower" not in shown  # pooled, the metric falls as people rise
    assert run("report a.csv --draws 49 --pool")[1].count("--lower 'metric'") == 1
    status, shown = run("report a.csv --draws 49 --by dataset")
    assert re.findall("== (.*) ==", shown) == [
        "dataset chat",
        "dataset news",
        "all together, dataset chat",
        "all together, dataset news",
    ]
    assert sorted(json.loads(run("report a.csv --draws 49 --json")[1])) == ["dataset chat", "dataset news"]
    with pytest.raises(OpenQuestion) as caught:
        read("a.csv")
    assert [*caught.value.readings] == ["--by dataset", "--pool"]
    assert read("a.csv", pool=True).kind == "ranking"


def test_criteria_are_answered_one_by_one(run):
    lines = ["system,document,gpt_fluency,gpt_focus,human_fluency,human_focus"]
    lines += [f"s{i},d{d},{i},{5 - i},{i + d % 2},{d}" for i in range(6) for d in range(4)]
    status, shown = run("report a.csv --draws 49 --json", {"a.csv": "\n".join(lines)})
    found = json.loads(shown)
    assert status == 0
    assert [*found] == ["fluency", "focus"]
    assert all([row["metric"] for row in of["tables"]["verdicts"]] == ["gpt"] for of in found.values())


def test_options_that_are_no_columns_say_what_there_is(run):
    run("doctor a.csv", {"a.csv": ranking()})
    for words, message in (
        ("doctor a.csv --ignore sistem", "unknown column, to be ignored, 'sistem'"),
        ("doctor a.csv --by sistem", "unknown column, given for groups, 'sistem'"),
        ("doctor a.csv --col item=dokument", "Did you mean 'document'?"),
    ):
        status, shown = run(words)
        assert status == 3
        assert message in shown
    run("doctor a.csv", {"bad.yml": "columnz: {}\n"})
    assert "got 'columnz'; --save-roles FILE writes one" in run("doctor a.csv --roles bad.yml")[1]


def test_a_named_index_is_columns():
    rows = [(f"s{i}", f"d{d}", i + d / 9, i) for i in range(7) for d in range(5)]
    flat = pd.DataFrame(rows, columns=["system", "document", "m", "human"])
    for frame in (flat, flat.set_index(["system", "document"]), flat.groupby(["system", "document"]).mean()):
        assert report(frame, n_resamples=49).verdicts.table["value"].tolist() == [1.0]
        assert read(frame).benchmark.scores.shape == (1, 7, 5)
    with pytest.raises(OpenQuestion, match="--mean"):
        report(pd.concat([flat, flat.assign(m=flat["m"] + 1)]), n_resamples=49)
    twice = pd.concat([flat, flat.assign(m=flat["m"] + 1)])
    assert read(twice, mean=True).benchmark.metric("m").to_numpy()[0].tolist() == pytest.approx(
        [0.5 + d / 9 for d in range(5)]
    )


def test_groups_are_answered_and_all_of_them(run):
    lines = ["turn_of,system,document,gpt,human"]
    lines += [f"{t},s{i},d{d}{t},{i + d % 2},{i}" for t in ("x", "y") for i in range(6) for d in range(3)]
    files = {"a.csv": "\n".join(lines)}
    assert [*json.loads(run("report a.csv --draws 49 --json --by turn_of", files)[1])] == [
        "turn_of x",
        "turn_of y",
        "all together",
    ]


def test_criteria_of_nobody_are_peoples_by_the_option_that_is_printed(run):
    """As data sets of ratings are released: no word says that people gave them, and no metric stands beside."""
    text = "prompt,coherence,verbosity\n" + "".join(f"p{i},{i % 5},{i % 3}\n" for i in range(20))
    status, shown = run("a.csv", {"a.csv": text})
    options, *alone = re.findall(r"^  (--.*?)   ", shown, re.MULTILINE)
    assert (status, options) == (2, "--col human=coherence --col human=verbosity")
    assert alone == ["--people coherence --ignore verbosity", "--people verbosity --ignore coherence"]
    status, shown = run(f"a.csv {options}")
    assert status == 2
    assert "== coherence ==\nAdd the other file, with scores of a judge" in shown
    status, shown = run("b.csv", {"b.csv": text.replace("verbosity", "rouge")})
    assert status == 2
    assert "--people rouge" not in shown


def test_texts_alone_name_the_command_that_scores_them(run):
    text = "system,document,summary\n" + "".join(f"{s},{d},a cat sat\n" for s in "ab" for d in range(3))
    status, shown = run("texts.csv", {"texts.csv": text})
    assert status == 3
    assert "metaeval score METRIC --summaries texts.csv" in shown
