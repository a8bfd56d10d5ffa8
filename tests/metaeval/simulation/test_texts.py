"""Texts say the units they should, and no others."""

import hashlib

import numpy as np
import pytest

from metaeval.simulation.raters import cast_votes, present_units
from metaeval.simulation.texts import grammar, index_documents, topics, write_story, write_texts
from metaeval.stats.streams import stream

SYSTEMS = {"a": "abs", "b": "abs", "e": "ext"}


@pytest.fixture(scope="module")
def world():
    n_units = np.array([3, 6, 10, 16] * 5)
    scores = np.random.default_rng(0).integers(0, n_units + 1, size=(3, 20)) / n_units
    present = present_units(scores, n_units, rng=1)
    documents = [f"d{j}" for j in range(20)]
    return (
        present,
        n_units,
        scores,
        write_texts(present, n_units, systems=SYSTEMS, documents=documents, rng=2),
    )


def test_the_score_is_the_share_of_present_units(world):
    present, n_units, scores, _ = world
    assert np.allclose(present.sum(axis=-1) / n_units, scores)
    assert not present[:, 0, 3:].any()


def _contains(text, fact):
    return any(form[1:-1] in text for form in fact)


def test_a_summary_contains_a_unit_exactly_where_it_is_present(world):
    present, n_units, _, texts = world
    checked = 0
    for j, n in enumerate(n_units):
        story = write_story(int(n), rng=stream(2, f"d{j}", "story"))
        assert [fact[0] for fact in story.facts[:n]] == list(texts.scus[f"d{j}"])
        for i, system in enumerate(SYSTEMS):
            summary = texts.summaries[system, f"d{j}"]
            assert summary
            for u in range(n):
                assert _contains(summary, story.facts[u]) == present[i, j, u], (system, j, u)
                checked += 1
    assert checked == 3 * n_units.sum()


def test_abstracts_add_what_references_leave_out_true_or_not(world):
    _, n_units, _, texts = world
    stories = [write_story(int(n), rng=stream(2, f"d{j}", "story")) for j, n in enumerate(n_units)]
    for ours, others in (("facts", "false_facts"), ("false_facts", "facts")):
        assert any(
            _contains(texts.summaries[system, f"d{j}"], fact)
            for j, story in enumerate(stories)
            for fact in getattr(story, ours)[story.n_units :]
            for system, kind in SYSTEMS.items()
            if kind == "abs" and fact not in getattr(story, others)
        )


def test_references_hold_every_unit_and_documents_every_fact(world):
    _, n_units, _, texts = world
    for j, n in enumerate(n_units):
        assert len(texts.scus[f"d{j}"]) == n
        assert len(set(texts.scus[f"d{j}"])) == n
        assert all(scu[:-1] in texts.sources[f"d{j}"] for scu in texts.scus[f"d{j}"])
        assert texts.stus[f"d{j}"]
    assert len(set(texts.references.values())) == len(n_units)
    n_machine_units = sum(map(len, texts.stus.values()))  # some are left out, some cut in two
    assert n_units.sum() / 2 < n_machine_units < 2 * n_units.sum()


def test_extracts_are_sentences_of_the_document(world):
    *_, texts = world
    for j in range(20):
        sentences = texts.summaries["e", f"d{j}"].split(". ")
        assert all(sentence.rstrip(".") in texts.sources[f"d{j}"] for sentence in sentences)


def test_one_seed_one_text(world):
    present, n_units, _, texts = world
    again = write_texts(present, n_units, systems=SYSTEMS, documents=[f"d{j}" for j in range(20)], rng=2)
    assert again == texts
    content = "\n".join(texts.sources.values()).encode()
    assert (
        hashlib.sha256(content).hexdigest()
        == "a0749a6c2a205f311986cfe7691fc3d3344cc7b652e50790c8203a646112c2df"
    )


def test_the_grammar_is_whole():
    words = grammar()
    assert set(words["relations"]) == set(words["organisations"])
    slots = dict.fromkeys("PQOLDF", "x")
    for relation in [*words["common"], *(r for relations in words["relations"].values() for r in relations)]:
        assert len(relation) == 3
        assert len({form.format_map(slots) for form in relation}) == 3
        assert all(form.endswith(".") for form in relation)
        used = [{c for c in "PQOLDF" if f"{{{c}}}" in form} for form in relation]
        assert used[0] == used[1] == used[2], relation  # each way of saying it names the same things


def test_index_documents_are_many_different_and_the_same_whatever_their_number():
    short, longer = (list(index_documents(n, rng=0)) for n in (50, 9_000))
    assert longer[:50] == short
    assert len({name for name, _, _ in longer}) == 9_000
    assert len({text for _, _, text in longer}) > 8_990
    assert {topic for _, topic, _ in longer} == set(topics())
    assert {topic for _, topic, _ in index_documents(50, among=["music"], rng=0)} == {"music"}


def test_votes_have_the_error_rates_of_the_pool():
    n_units = np.array([3, *np.full(199, 10)])
    present = np.random.default_rng(0).random((20, 200, 10)) < 0.5
    ids = {"systems": [f"s{i}" for i in range(20)], "documents": [f"d{j}" for j in range(200)]}
    votes = cast_votes(present, n_units, rng=3, **ids)
    assert [*votes] == [(s, d) for s in ids["systems"] for d in ids["documents"]]
    assert (votes["s0", "d0"].shape, votes["s1", "d7"].shape) == ((4, 3), (4, 10))
    whole = np.stack([[votes[s, d] for d in ids["documents"][1:]] for s in ids["systems"]])
    truth = np.broadcast_to(present[:, 1:, None], whole.shape)
    # 54 of 60 workers miss 12 % and invent 8 % in the mean; 6 answer at random
    assert 1 - whole[truth].mean() == pytest.approx((54 * 0.12 + 6 * 0.5) / 60, abs=0.015)
    assert whole[~truth].mean() == pytest.approx((54 * 0.08 + 6 * 0.5) / 60, abs=0.015)
