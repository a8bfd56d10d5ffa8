"""A small folder in the format of NIST's TAC 2008 and 2009 evaluation results, made here; nothing of it is NIST's."""

import pytest

from helpers.experiments import leaderboard
from metaeval import datasets
from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError
from metaeval.datasets.readers import tac
from metaeval.datasets.readers.tac import WeightedUnit, read_presence, read_pyramids, read_tac

PYRAMID = """<?xml version="1.0"?>
<pyramid><startDocumentRegEx/><text><line>A dam broke.</line></text>
 <scu uid="1" label="A dam broke"><contributor label="dam broke"><part label="dam broke" start="2" end="11"/></contributor></scu>
 <scu uid="2" label="In spring"><contributor label="a"/><contributor label="b"/></scu>
</pyramid>"""

# what people found in each system's summary; number 0 collects what is in no unit
PEER = """<?xml version="1.0"?>
<peerAnnotation><annotation><text><line>A dam broke.</line></text>
 <peerscu uid="0" label="All non-matching SCUs go here"><contributor label="x"/></peerscu>
 <peerscu uid="1" label="(1) A dam broke">{}</peerscu><peerscu uid="2" label="(2) In spring">{}</peerscu>
</annotation></peerAnnotation>"""
FOUND = {"0": (0, 0), "1": (1, 0), "2": (0, 1), "10": (1, 1)}


def folder(path, *, by_set=False, systems=("0", "1", "2", "10")):
    for kind in ("ROUGE/peers", "ROUGE/models", "manual/pyramids", "manual/peers"):
        (path / kind).mkdir(parents=True)
    tables, rouge = {"A": [], "B": []}, ["-" * 20]
    for document in ("D0801-A", "D0801-B"):
        (path / "manual/pyramids" / f"{document}.pyr").write_text(PYRAMID)
        for model in "CA":
            (path / f"ROUGE/models/{document}.M.100.H.{model}").write_text(f"Model {model}.\n")
        for i, system in enumerate((*systems, "99")):  # the last was scored by ROUGE and not judged
            name = f"{document}.M.100.H.{system}"
            (path / "ROUGE/peers" / name).write_bytes("A d\xe4m broke .\n\nIn spring .\n".encode("latin-1"))
            rouge += [
                f"{system} ROUGE-2 Eval {name} R:0.{i}1 P:0.{i}2 F:0.{i}3",
                f"{system} ROUGE-2 Average_R: 0.1",
            ]
            if system != "99":
                contributors = ['<contributor label="y"/>' if yes else "" for yes in FOUND[system]]
                (path / "manual/peers" / name).write_text(PEER.format(*contributors))
                tables[document[-1]].append(f"{document}\t{system}\t0.{i}5\t{i}\t0\tH\t0.{i}4\t3\t{i + 1}")
    files = {"manual.peer.A": tables["A"], "manual.peer.B": tables["B"]}
    for name, lines in (files if by_set else {"manual.peer": [*tables["A"], *tables["B"]]}).items():
        (path / "manual" / name).write_text("\n".join(lines) + "\n")
    (path / "ROUGE/rouge.m.out").write_text("\n".join(rouge))
    return path


@pytest.mark.parametrize(("name", "by_set"), [("tac2008", False), ("tac2009", True)])
def test_systems_texts_scores_and_judgments(tmp_path, name, by_set):
    benchmark = datasets.load(f"{name}:{folder(tmp_path / 'eval', by_set=by_set)}")
    assert (benchmark.name, benchmark.systems, benchmark.documents) == (
        name,
        ["0", "1", "2", "10"],
        ["D0801-A", "D0801-B"],
    )
    assert benchmark.judgments == [
        "Pyramid (4 models)",
        "Pyramid (3 models)",
        "linguistic quality",
        "responsiveness",
    ]
    last = benchmark.humans.sel(system="10", document="D0801-B")
    assert last.to_numpy().tolist() == [0.35, 0.34, 3, 4]
    assert benchmark.scores.sel(system="1", document="D0801-A").to_numpy().tolist() == [0.11, 0.12, 0.13]
    assert benchmark.metrics == ["ROUGE-2 recall", "ROUGE-2 precision", "ROUGE-2 F1"]
    assert (
        benchmark.texts.summaries.sel(system="2", document="D0801-A").item()
        == "<t> A däm broke . </t> <t> In spring . </t>"
    )
    assert benchmark.texts.references["D0801-B"] == ("<t> Model A. </t>", "<t> Model C. </t>")


def test_content_units_with_their_weights(tmp_path):
    units = read_pyramids(folder(tmp_path / "eval"))
    assert units["D0801-A"] == (WeightedUnit("2", "In spring", 2), WeightedUnit("1", "A dam broke", 1))
    assert set(units) == {"D0801-A", "D0801-B"}


def test_pyramid_scores_are_computed_anew_from_the_units_of_each_summary(tmp_path):
    place = folder(tmp_path / "eval", by_set=True)
    name = f"tac2009:{place}"
    presence = datasets.pyramids(name)[1]
    assert presence["2", "D0801-A"].tolist() == [1, 0]  # the heavier first
    # two models with three contributors: a model has two units (of 1.5), so 3 is the best; official are 0.05 to 0.35
    for label, official in zip(("0", "1", "2", "10"), ("0", ".333", ".667", "1"), strict=True):
        for by_set in "AB":
            path = place / f"manual/manual.peer.{by_set}"
            lines = [line.split() for line in path.read_text().splitlines()]
            path.write_text(
                "\n".join("\t".join([*f[:2], official, *f[3:]] if f[1] == label else f) for f in lines)
            )
    table = leaderboard.official_pyramid([name, f"tac2008:{place}"]).set_index(["quantity", "level"])["value"]
    assert table["official Pyramid scores that come out", ""] == 1
    equation_2 = table["all units with the official Pyramid scores"]
    assert equation_2.to_dict() == pytest.approx({"system": 1, "summary": 1}, abs=1e-6)
    assert leaderboard.official_pyramid([]).empty


def test_a_unit_that_the_pyramid_lacks_is_named(tmp_path):
    place = folder(tmp_path / "eval")
    units = read_pyramids(place)
    path = place / "manual/peers/D0801-A.M.100.H.1"
    path.write_text(
        PEER.format("", "").replace('uid="1" label="(1) A dam broke">', 'uid="7" label="x"><contributor/>')
    )
    with pytest.raises(DataError, match=r"pyramid of D0801-A has no units '7'"):
        read_presence(place, units)
    with pytest.raises(SourceUnavailableError, match="holds no manual/peers"):
        read_presence(tmp_path, units)


def without(path, *names):
    for name in names:
        (path / name).unlink()


def append(path, name, line):
    (path / name).write_text((path / name).read_text() + line)


@pytest.mark.parametrize(
    ("spoil", "error", "text"),
    [
        (lambda p: without(p, "manual/manual.peer"), SourceUnavailableError, "holds no manual/manual.peer, nor"),
        (lambda p: without(p, "ROUGE/rouge.m.out"), SourceUnavailableError, "rouge.m.out is not there"),
        (lambda p: without(p, "ROUGE/peers/D0801-B.M.100.H.10"), DataError, "1 summaries are missing: '10/D0801-B'"),
        (lambda p: without(p, *(f"ROUGE/models/D0801-A.M.100.H.{m}" for m in "AC")), DataError, "no model summary of 'D0801-A'"),
        (lambda p: append(p, "manual/manual.peer", "D0801-A 1 .5 3"), DataError, "manual.peer, line 9: must have at least 9 columns, got 4"),
        (lambda p: append(p, "manual/manual.peer", "D0801-A 1 .5 3 0 H .4 2 1"), DataError, "of system 1, document D0801-A comes twice"),
        (lambda p: append(p, "manual/manual.peer", "D0801-A 3 x 3 0 H .4 2 1"), DataError, "line 9, Pyramid (4 models): must be a number, got 'x'"),
        (lambda p: append(p, "ROUGE/rouge.m.out", "\n1 ROUGE-2 Eval there R:1 P:1 F:1"), DataError, "'there' does not name a document and a system"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_folder_is_named(tmp_path, spoil, error, text):
    place = folder(tmp_path / "eval")
    spoil(place)
    with pytest.raises(error) as caught:
        read_tac("tac2008", place)
    assert text in str(caught.value)


def test_only_these_two_years_and_only_pyramids_of_units(tmp_path):
    with pytest.raises(
        UnknownNameError, match="unknown TAC evaluation that can be read from a folder 'tac2010'"
    ):
        datasets.load(f"tac2010:{tmp_path}")
    with pytest.raises(SourceUnavailableError, match="holds no manual/pyramids"):
        read_pyramids(tmp_path)
    place = folder(tmp_path / "eval")
    for content, text in (
        ("<pyramid/>", "holds no content unit"),
        ("<pyramid>", "is not XML"),
        ('<p><scu label="x"/></p>', "unit 1 must have"),
    ):
        (place / "manual/pyramids/D0801-A.pyr").write_text(content)
        with pytest.raises(DataError, match=text):
            read_pyramids(place)


def test_the_error_names_nists_terms(tmp_path):
    provenance = read_tac("tac2008", folder(tmp_path / "eval")).provenance
    assert "NIST" in provenance.licence
    assert set(tac.TITLES) == {"tac2008", "tac2009"}
