"""From texts to scores to a report, and how much of it is done."""

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import xarray as xr

from metaeval import datasets
from metaeval.__main__ import main
from metaeval.core.paths import ROOT
from metaeval.metrics import registry
from metaeval.reporting import score, texts
from metaeval.reporting.reading import read
from tests.builders import benchmark, random_texts


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def made(monkeypatch):
    """A benchmark with texts and raters, in the place of every data set."""
    rng = np.random.default_rng(1)
    found = benchmark(rng.normal(size=(5, 6)), {"m": rng.normal(size=(5, 6))})
    text = random_texts()
    text = replace(text, sources={document: f"source of {document}" for document in text.references})
    rated = xr.concat([found.human + shift for shift in (-0.5, 0.5)], "rater")
    rated = rated.assign_coords(rater=np.array(["Ann", "Bob"], dtype=object)).drop_vars(
        "judgment", errors="ignore"
    )
    rated = rated.where((rated["document"] != "d0") | (rated["rater"] == "Ann"))
    found = replace(found, texts=text, ratings={"human": rated.transpose("rater", "system", "document")})
    monkeypatch.setattr(datasets, "load", lambda name: found)
    return found


def test_texts_scores_and_people_come_back_as_they_were(made, capsys):
    assert main(["texts", "made", "-o", "t.jsonl", "--people", "people.csv"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "t.jsonl: 30 summaries, columns system, document, summary, references and source",
        "t.licence.txt: licence (none), and what to cite",
        "people.csv: 85 scores by people (human)",
    ]
    assert main(["score", "length", "copied share", "--summaries", "t.jsonl", "-o", "s.csv"]) == 0
    assert "s.csv: length and copied share of 5 systems on 6 documents." in capsys.readouterr().out
    found = read(["s.csv", "people.csv"]).benchmark
    expected = score.kept_scores(made.texts, ["length", "copied share"])
    assert found.scores.sel(metric=expected.indexes["metric"]).equals(expected)
    assert found.human.to_numpy() == pytest.approx(made.human.to_numpy())
    rated = found.ratings["people"]
    assert rated.indexes["rater"].tolist() == ["rater 1", "rater 2"]  # by number, never by name
    np.testing.assert_allclose(rated, made.ratings["human"])
    assert "Ann" not in (pl.read_csv("people.csv").write_csv())


def test_what_the_release_lacks_is_said(made, monkeypatch, capsys):
    bare = replace(made, texts=replace(made.texts, references={}, sources={}))
    monkeypatch.setattr(datasets, "load", lambda name: bare)
    assert main(["texts", "made", "-o", "t.parquet"]) == 0
    assert "; the release has no references and no source\n" in capsys.readouterr().out
    assert main(["score", "novelty", "--summaries", "t.parquet", "-o", "s.csv"]) == 3
    assert capsys.readouterr().err == (
        "error: novelty: no source is given, and a document needs one: --sources FILE, or a column source in the "
        "table of summaries\n"
    )


def test_released_texts_stay_outside_of_the_checkout(made, capsys):
    inside = ROOT / "texts.jsonl"
    for arguments in (["-o", str(inside)], ["-o", "t.jsonl", "--people", str(ROOT / "p.csv")]):
        assert main(["texts", "made", *arguments]) == 3
        assert "is inside the checkout" in capsys.readouterr().err
    assert not inside.exists()


def test_what_cannot_be_written_is_said_before_anything_is(made, capsys):
    for more, said in (
        ("-o t.csv", "must end in .jsonl or .parquet"),
        ("-o t.jsonl --units u.jsonl", "units"),
    ):
        assert main(["texts", "simulated-realsumm", *more.split()]) == 3
        assert said in capsys.readouterr().err
    assert not any(Path().glob("t.*"))


def test_what_is_cited_is_an_entry(made):
    cited = replace(made, provenance=replace(made.provenance, citation=("bhandari2020reevaluating",)))
    said = texts.terms(cited)
    assert re.search(
        r"\nCite: bhandari2020reevaluating\n\n@inproceedings\{bhandari2020reevaluating,\n.*\n\}\n$",
        said,
        re.S,
    )
    assert said.count("@") == 1


def write(name, text):
    Path(name).write_text(text, encoding="utf8")


def test_a_document_that_cannot_be_scored_is_said_and_the_rest_written(capsys):
    write(
        "t.jsonl", '{"document": "a", "summary": "x y", "source": "x"}\n{"document": "b", "summary": "x"}\n'
    )
    assert main(["score", "length", "novelty", "--summaries", "t.jsonl", "-o", "s.csv"]) == 1
    error, count = capsys.readouterr().err.splitlines()[-2:]
    assert error.startswith("error: document b: ")
    assert count == "without scores: 1 document"
    rows = pl.read_csv("s.csv")
    assert rows.filter(pl.col("score").is_not_null()).select("document", "metric", "score").rows() == [
        ("a", "length", 2.0),
        ("a", "novelty", 1.0),
    ]
    write("t.jsonl", '{"document": "b", "summary": "x", "source": null}\n')
    write("r.jsonl", '{"document": "b", "source": "x", "reference": null}\n')
    assert main(["score", "novelty", "--summaries", "t.jsonl", "--sources", "r.jsonl", "-o", "n.csv"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["length", "--summaries", "t.txt", "-o", "."], "'.' must end in"),
        (
            ["length", "--summaries", "t.jsonl", "--col", "summary=answr", "-o", "s.csv"],
            "no table has a column 'answr'",
        ),
        ([], "name metrics and a file for their scores (-o scores.csv); --list names all metrics"),
        (["length", "-o", "s.csv"], "name the summaries: --summaries FILE ..."),
        (["lenght", "-o", "s.csv"], "unknown metric 'lenght'"),
        (
            ["length", "--summaries", "t.txt", "-o", "s.html"],
            "'s.html' must end in .csv, .tsv, .jsonl or .parquet",
        ),
        (
            ["length", "--summaries", "t.txt", "-o", "s.csv", "--option", "stem=no"],
            "unknown option of length 'stem'",
        ),
        (
            [
                "js-1",
                "--summaries",
                "t.jsonl",
                "--references",
                "t.txt",
                "-o",
                "s.csv",
                "--option",
                "stem=no",
                "--option",
                "stem=yes",
            ],
            "the option 'stem' is given twice; keep one",
        ),
        (
            ["js-1", "--summaries", "t.jsonl", "--references", "t.txt", "-o", "s.csv", "--option", "stem=7"],
            "the option 'stem' of JS-1 must be yes or no, got '7'",
        ),
    ],
)
def test_a_mistake_is_one_line(arguments, said, capsys):
    write("t.txt", "x\n")
    write("t.jsonl", '{"summary": "x"}\n')
    assert main(["score", *arguments]) == 3
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ")
    assert said in error
    assert not any(Path().glob("s.*"))


def test_the_extra_that_a_pyramid_metric_names_is_the_one_that_is_asked_for(monkeypatch, capsys):
    """Nothing is installed: what is missed first comes with smaller extras too, which would not be enough."""
    write("t.jsonl", '{"summary": "x y", "reference": "x y"}\n')
    monkeypatch.setattr("metaeval.core.errors.find_spec", lambda package: None)
    assert main(["score", "lite3pyramid", "--summaries", "t.jsonl", "-o", "s.csv"]) == 3
    assert f"[{registry.metric('lite3pyramid').extra}]" in capsys.readouterr().err


def test_columns_of_other_names_are_named(capsys):
    write("t.jsonl", '{"answer": "x y", "summary": "no", "gold": ["x"]}\n')
    given = ["--summaries", "t.jsonl", "--col", "summary=answer", "--col", "source=gold", "-o", "s.csv"]
    assert main(["score", "length", "coverage", *given]) == 0
    assert pl.read_csv("s.csv").get_column("score").to_list() == [2.0, 0.5]
    with pytest.raises(SystemExit):
        main(["score", "length", "--summaries", "t.jsonl", "--col", "summry=answer"])
    assert "unknown role 'summry'" in capsys.readouterr().err


def test_a_language_that_metrics_do_not_cut_is_said(capsys):
    pytest.importorskip("rouge_score")
    write("t.txt", "猫坐在垫子上\na cat\n12\n")
    write("r.txt", "кошка\na cat\n\n")
    given = ["--summaries", "t.txt", "--references", "r.txt", "-o", "s.csv"]
    assert main(["score", "rouge-1", "length", *given]) == 0
    said = capsys.readouterr().err
    assert (
        "ROUGE-1 F1: made for English; of texts with letters and none of them a to z there are 2, such as"
        in said
    )
    assert "the summary of t, 1. ROUGE finds no word there and gives 0" in said
    assert main(["score", "chrf", "length", *given]) == 0
    assert "English" not in capsys.readouterr().err


def test_metrics_are_listed_and_named_ones_with_their_options(capsys):
    assert main(["score", "--list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + len(score.registry.names())
    assert re.search(r"^length +- +0 and more +-$", "\n".join(rows), re.M)
    assert re.search(r"^ROUGE-1 F1 +reference +0 to 1 +texts$", "\n".join(rows), re.M)
    pytest.importorskip("rouge_score")
    assert main(["score", "rouge-1", "--list"]) == 0
    assert "stem=yes references=mean" in capsys.readouterr().out


def test_a_model_and_options_reach_the_metrics(monkeypatch):
    given = {}

    def taken(texts, names, *, jobs, progress, lost, unkept, **options):
        given.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(score, "kept_scores", taken)
    write("t.csv", "document,summary,ref_1,ref_2\na,x,y,z\nb,x,w,\n")
    options = [
        "--model",
        "folder",
        "--option",
        "layer=3",
        "--option",
        "references=mean",
        "--option",
        "stem=no",
    ]
    main(["score", "bertscore", "rouge-1", "--summaries", "t.csv", "-o", "s.csv", *options])
    assert given == {
        "layer": 3,
        "references": "mean",
        "stem": False,
        "model": "folder",
    }


def test_ctrl_c_says_how_to_go_on(monkeypatch, capsys):
    def stopped(texts, names, *, progress, **how):
        progress(0, 10)
        progress(4, 10)
        raise KeyboardInterrupt

    monkeypatch.setattr(score, "kept_scores", stopped)
    write("t.txt", "x\n")
    assert main(["score", "length", "--summaries", "t.txt", "-o", "s.csv"]) == 130
    *_, said = capsys.readouterr().err.splitlines()
    assert said == "stopped after 4 of 10 summaries; the same command continues from there"


UNKEPT = (
    "scores are not cached, since {} cannot be written (Not a directory): the same command computes them again; "
    "META_EVALUATION_CACHE names another folder"
)


def test_a_cache_that_cannot_be_written_is_named_once(monkeypatch, capsys):
    score_it = ["score", "length", "copied share", "--summaries", "t.jsonl", "-o", "s.csv"]
    write("t.jsonl", '{"document": "a", "summary": "x y", "source": "x"}\n')
    write("file", "not a folder")
    monkeypatch.setenv("META_EVALUATION_CACHE", "file")
    assert main(score_it) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "cached" in line] == [UNKEPT.format(Path("file").resolve())]
    assert len(pl.read_csv("s.csv")) == 2
    monkeypatch.setenv("META_EVALUATION_CACHE", "folder")
    for before in (False, True):
        assert main(score_it) == 0
        told = capsys.readouterr().err
        assert "kept" not in told
        assert ("1 of 1 summary scored before" in told) == before


def test_ctrl_c_without_a_cache_does_not_promise_to_go_on(monkeypatch, capsys):
    def stopped(texts, names, *, progress, unkept, **how):
        progress(0, 10)
        unkept(NotADirectoryError(20, "Not a directory"))
        raise KeyboardInterrupt

    monkeypatch.setattr(score, "kept_scores", stopped)
    monkeypatch.setenv("META_EVALUATION_CACHE", "file")
    write("t.txt", "x\n")
    assert main(["score", "length", "--summaries", "t.txt", "-o", "s.csv"]) == 130
    *_, said = capsys.readouterr().err.splitlines()
    assert said == f"stopped after 0 of 10 summaries; {UNKEPT.format(Path('file').resolve())}"


def test_progress_is_printed_by_tenths():
    progress = score.Progress(to := io.StringIO())
    for done in (20, 25, 30, 100):
        progress(done, 100)
    assert to.getvalue() == "20 of 100 summaries scored before\n30 of 100 summaries\n100 of 100 summaries\n"
