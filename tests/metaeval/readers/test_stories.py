"""Collections of documents: the pinned ones on small files of their formats, the user's own, made-up text."""

import io
import tarfile

import pytest

from metaeval import datasets
from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError
from metaeval.datasets.readers.gesera import read_printed, read_rankings
from metaeval.datasets.readers.stories import (
    COLLECTIONS,
    LICENSED,
    Stories,
    join_stories,
    load_own,
    load_stories,
    read_folder,
    read_jsonl,
    split_names,
)
from metaeval.datasets.readers.tables import utf8_or_latin1

SGML = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" OLDID="9" NEWID="11">
<TEXT><TITLE>WHEAT</TITLE><BODY>Wheat rose 3 pct &amp; fell.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" NEWID="12"><TEXT TYPE="BRIEF"><TITLE>only a title</TITLE></TEXT></REUTERS>
<REUTERS NEWID="13"><BODY>Reuters Holdings rose.</BODY></REUTERS>
"""


def test_reuters_stories_with_a_body(write_text):
    assert list(COLLECTIONS["reuters"].read((), [write_text("a.sgm", SGML)])) == [
        ("reuters/11", "Wheat rose 3 pct & fell."),
        ("reuters/13", "Reuters Holdings rose."),
    ]


def test_bbc_stories_in_either_encoding(tmp_path):
    for name, encoding in (("a", "utf-8"), ("b", "latin-1")):
        (tmp_path / name).write_bytes("A £5 ticket".encode(encoding))
        assert utf8_or_latin1(tmp_path / name) == "A £5 ticket"


def archive(path, members, *, mode="w:gz"):
    with tarfile.open(path, mode) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return path


def test_an_archive_is_read_without_unpacking(tmp_path):
    place = archive(tmp_path / "w.tar.gz", [("wiki/id_2_Rain.txt", b"rain"), ("wiki/id_1_Snow.txt", "Schneefälle".encode()), ("wiki/README", b"-")])  # fmt: skip
    assert list(COLLECTIONS["wiki10000"].read((), [place])) == [
        ("id_2_Rain", "rain"),
        ("id_1_Snow", "Schneefälle"),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["w.tar.gz"]


def test_a_folder_and_a_file_of_ones_own(tmp_path, write_text):
    write_text("own/b/2.txt", "two")
    write_text("own/a.txt", "one")
    write_text("own/a.md", "no")
    assert list(read_folder(tmp_path / "own")) == [("a", "one"), ("b/2", "two")]
    lines = write_text("own.jsonl", '{"id": 7, "text": "seven"}\n\n{"id": "x", "text": ""}\n')
    assert list(read_jsonl(lines)) == [("7", "seven"), ("x", "")]


def test_samples_are_drawn_without_replacement_and_with_a_seed():
    stories = Stories("s", tuple("abcdefgh"), tuple("ABCDEFGH"))
    drawn = stories.sample(5, rng=0)
    assert len(set(drawn.ids)) == 5
    assert all(story.upper() == content for story, content in drawn)
    assert drawn == stories.sample(5, rng=0) != stories.sample(5, rng=1)


def test_a_readers_own_by_name_and_place(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.jsonl").write_text('{"id": "7", "text": "seven"}')
    for place in (tmp_path, tmp_path / "b.jsonl"):
        assert load_own(f"aquaint2:{place}").name == "aquaint2"
        assert split_names(f"bbc+aquaint2:{place}") == ["bbc", f"aquaint2:{place}"]
    assert datasets.stories(f"own:{tmp_path}").texts == ("one",)
    with pytest.raises(SourceUnavailableError, match="there is no"):
        load_own(f"own:{tmp_path / 'none'}")


@pytest.mark.parametrize("name", sorted(LICENSED))
def test_a_licensed_collection_is_an_error_with_a_remedy(name):
    with pytest.raises(SourceUnavailableError, match="If you have it, give its place"):
        split_names(name)


def test_every_collection_has_its_files():
    pinned = {name: len(collection.files()) for name, collection in COLLECTIONS.items()}
    assert pinned == {"reuters": 22, "bbc": 2225, "wiki10000": 1, "wiki30000": 1}


def test_a_name_may_join_collections():
    assert split_names("reuters") == ["reuters"]
    assert split_names("reuters+bbc") == ["reuters", "bbc"]


@pytest.mark.real_data
def test_the_news_stories(or_skip):
    reuters = or_skip("Reuters-21578", load_stories, "reuters")
    bbc = or_skip("BBC news", load_stories, "bbc")
    assert (len(reuters), len(bbc)) == (19_043, 2_225)
    assert min(len(content.split()) for content in bbc.texts) > 50
    assert not any("&lt;" in content or "\x03" in content for content in reuters.texts)
    assert load_stories("bbc") is bbc


VECTORS = "D1-A.M.100.A.1\t('x', 'y')\nD1-A.M.100.A.B\t('y', 'z')\n\nD1-A.M.100.A.2\t('z',)\nD1-A.M.100.A.B\t('y', 'z')\n\n"


def test_rankings_and_printed_scores(write_text):
    assert read_rankings(write_text("v.txt", VECTORS)) == {
        "D1-A.1": (("x", "y"), {"D1-A.B": ("y", "z")}),
        "D1-A.2": (("z",), {"D1-A.B": ("y", "z")}),
    }
    assert read_printed(write_text("s.txt", "D1-A.1\t0.1 0.20 0 1 0.33\n")) == {
        "D1-A.1": ("0.1", "0.20", "0", "1", "0.33")
    }


def read_from(name, content, read):
    def call(folder):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(folder / name)

    return call


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda folder: read_folder(folder / "none"), SourceUnavailableError, "is not a folder"),
        (read_folder, DataError, "holds no file that ends in '.txt'"),
        (read_from("a.txt", b"ok \xff", lambda path: read_folder(path.parent)), DataError, "a.txt is not UTF-8: byte 3"),
        (read_from("a.jsonl", "{", read_jsonl), DataError, "a.jsonl, line 1: must be JSON with id and text (JSONDecodeError"),
        (read_from("a.jsonl", '{"id": 1}', read_jsonl), DataError, "a.jsonl, line 1: must be JSON with id and text (KeyError('text'))"),
        (read_from("a.jsonl", '{"id": 1, "text": 2}', read_jsonl), DataError, "a.jsonl, line 1: text must be a text, got 2"),
        (read_from("a.jsonl", '{"id": 1, "text": ""}\n{"id": "1", "text": ""}', read_jsonl), DataError, "a: two documents have one id: '1'"),
        (read_from("a.jsonl", "", read_jsonl), DataError, "a: holds no document"),
        (lambda _: Stories("s", ("a",), ()), DataError, "s: 1 ids for 0 texts"),
        (lambda _: join_stories([Stories("s", ("a",), ("x",))] * 2, name="both"), DataError, "both: two documents have one id: 'a'"),
        (lambda _: Stories("s", ("a",), ("x",)).sample(2, rng=0), ValueError, "`n` must be from 1 to the number of documents (1), got 2"),
        (lambda _: load_stories("reuter"), UnknownNameError, "unknown collection of stories 'reuter'"),
        (lambda _: split_names("bbc+bcc"), UnknownNameError, "unknown collection of stories 'bcc'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, call, error, text):
    with pytest.raises(error) as caught:
        call(tmp_path)
    assert text in str(caught.value)
