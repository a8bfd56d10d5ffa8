"""Every registered live part: its defaults compute, every choice of every dropdown draws.

On simulated data, so that nothing but the project is needed. What takes long is marked slow.
"""

from itertools import count

import pandas as pd
import plotly.graph_objects as go
import pytest

from helpers.kit.live import choices
from helpers.kit.live.block import LiveBlock, defaults
from helpers.kit.live.controls import Choice, ChoiceAsList, FloatSlider, IntSlider, MultiChoice, control_of
from helpers.kit.live.experiment import live as make_live
from helpers.kit.parameters import declared_parameters, notebook_path
from metaeval import analysis
from metaeval.datasets import load
from tests.each import each
from tests.kit.live.pages import LIVE_PAGES, live

LONG_S = 600
# a part that is not named here is tested in every run of the fast tests
SLOW_AT_FIRST = {
    "agreement",
    "annotations",
    "annotators",
    "coverage",
    "index_size",
    "intervals",
    "leaderboard",
    "likeness",
    "lite2",
    "lite2x",
    "lite3",
    "measures",
    "old_metrics",  # metrics on vectors
    "power",
    "rescored",
    "sampling",
    "sera",
    "tests",
    "truth",
    "variance",
}
SLOW_IN_ALL = SLOW_AT_FIRST - {"old_metrics"} | {
    "judges", "one_system", "pairs", "summaries", "systems", "tiers",
}  # fmt: skip


def each_part(slow=frozenset()):
    """Every registered part, marked slow where it is."""
    names = [pytest.param(name, marks=[pytest.mark.slow] * (name in slow)) for name in LIVE_PAGES]
    return pytest.mark.parametrize("name", names)


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")


def small(part):
    """Settings near the notebook's with as little to compute as the controls allow: few draws, two of each list."""
    settings = part.start({name: defaults(part.notebook)[name] for name in part.parameters})
    fitted = part.fit(settings)
    settings = settings | {name: control.value for name, control in fitted.items()}
    for control in part.controls:
        if isinstance(control, IntSlider) and control.name.startswith("n_"):
            settings[control.name] = fitted[control.name].choices[0]
        elif isinstance(control, MultiChoice):
            settings[control.name] = settings[control.name][:2]
    return settings


@each("name", LIVE_PAGES)
def test_parameters_are_those_of_the_notebook(name):
    part = live(name)
    declared = declared_parameters(notebook_path(name))
    assert part.notebook == name
    assert set(part.parameters) <= set(declared)
    assert len(set(part.parameters)) == len(part.parameters)
    assert set(part.initial) <= set(part.parameters)


@pytest.mark.processes
@each_part(SLOW_AT_FIRST)
def test_starts_with_a_figure_that_a_keyboard_reaches(name, simulated):
    part = live(name)
    given = small(part)
    block = LiveBlock(
        part, {parameter: given[parameter] for parameter in part.parameters}, settle_s_for_tests=0
    )
    assert block.wait_for_tests(LONG_S)
    assert block.status == ""
    assert block.figure.data
    assert not block.figure.layout.updatemenus
    assert not block.figure.layout.sliders
    assert len(block.csv()[1].splitlines()) == len(block.table) + 1


@pytest.mark.processes
@each_part(SLOW_IN_ALL)
def test_every_choice_draws(name, simulated):
    part = live(name)
    settings = small(part)
    for control in part.controls:
        for choice in chosen_once(control, part.fit(settings)[control.name]):
            changed = settings | {control.name: choice}
            changed |= {key: fitted.value for key, fitted in part.fit(changed).items()}
            table, figure = part.run(changed)
            assert isinstance(figure, go.Figure)
            assert len(table)


def chosen_once(control, fitted):
    """Each choice of a dropdown, each member of a short list alone, and both ends of a slider."""
    if isinstance(control, ChoiceAsList):
        return [[choice] for choice in fitted.choices]
    if isinstance(control, Choice):
        return list(fitted.choices)
    if isinstance(control, MultiChoice):
        alone = [[choice] for choice in fitted.choices]
        return alone if len(alone) <= 5 else [alone[0], alone[-1]]
    return [fitted.value, fitted.choices[0]]


def test_groups_are_those_that_the_data_have():
    assert choices.groups({"dataset": "simulated-realsumm"}) == ["abs", "ext", "mix", "all"]
    assert choices.groups({"dataset": "simulated-tac2009"}) == ["all"]


def test_metrics_of_several_data_sets_are_those_that_all_have():
    found = [load("simulated-realsumm"), load("simulated-tac2009")]
    shared = choices.shared_metrics(found)
    assert shared == [metric for metric in found[0].metrics if metric in found[1].metrics]
    assert shared
    assert choices.shared_metrics([]) == []


def test_no_data_set_chosen_is_said_and_mended(simulated):
    part = live("variance")
    given = {name: defaults("variance")[name] for name in part.parameters} | {"n_resamples": 20}
    block = LiveBlock(part, given, settle_s_for_tests=0)
    assert block.wait_for_tests(LONG_S)
    offered = list(block.controls["datasets"].value)
    for name in offered:
        block.controls["datasets"].tick_for_tests(name, False)
    assert block.wait_for_tests(LONG_S)
    assert block.status == "Choose at least one of: Data sets."
    block.controls["datasets"].tick_for_tests(offered[0], True)
    assert block.wait_for_tests(LONG_S)
    assert block.status == ""
    assert set(block.table["dataset"]) == {offered[0]}


def test_data_sets_present_and_likenesses_can_be_chosen(simulated):
    offered = choices.one_of(("realsumm",))({"dataset": "bhandari2020"})
    assert offered == ["realsumm", "simulated-realsumm", "bhandari2020"]


@pytest.fixture
def margins_block(simulated):
    return block_of_margins()


def block_of_margins(**more):
    """The block of margins on as many systems and documents as REALSumm has."""
    part = live("margins")
    given = {name: defaults("margins")[name] for name in part.parameters}
    block = LiveBlock(part, given | {"datasets": ["re-examining-realsumm"]} | more, settle_s_for_tests=0)
    assert block.wait_for_tests(LONG_S)
    return block


def moved(block, **values):
    for name, value in values.items():
        block.controls[name].value = value
        assert block.wait_for_tests(LONG_S)
    assert block.status == ""
    return block.table.iloc[0]


def marked(block):
    """The middle of the frame around the chosen window: its place across and down."""
    (frame,) = [trace for trace in block.figure.data if trace.type == "scatter" and trace.mode == "lines"]
    return (max(frame.x) + min(frame.x)) / 2, (max(frame.y) + min(frame.y)) / 2


def test_the_ends_of_a_window_move_it_in_the_heatmap(margins_block):
    row = moved(margins_block, lower=20.0, upper=70.0)
    grid = margins_block.table.query("windows == 'all' and from_percent == 20 and to_percent == 70").iloc[0]
    assert row["n_pairs"] == grid["n_pairs"]
    assert row["value"] == grid["value"]
    assert marked(margins_block) == (6, 2)  # the column of 60 to 70 %, the row from 20 %
    moved(margins_block, lower=30.0)
    assert marked(margins_block) == (6, 3)


SEEDS = count(10**6)


def test_the_windows_of_the_heatmap_are_counted_once_while_the_ends_move(simulated, monkeypatch):
    block = block_of_margins(seed=next(SEEDS))  # so that no other test has filled the cache
    counted, grid = [], analysis.margins.grid
    monkeypatch.setattr(
        analysis.margins, "grid", lambda *given, **settings: counted.append(1) or grid(*given, **settings)
    )
    moved(block, lower=10.0, upper=80.0)
    assert not counted
    before = block.table
    moved(block, coefficient="pearson")
    assert len(counted) == 1
    assert set(block.table["coefficient"]) == {"pearson"}
    moved(block, coefficient="kendall")
    assert len(counted) == 1
    pd.testing.assert_frame_equal(block.table, before)


def test_the_window_stays_where_its_unit_changes(margins_block):
    percent = moved(margins_block, lower=20.0, upper=70.0)
    points = moved(margins_block, unit="points")
    step = margins_block.controls["lower"].step
    assert abs(points["lower"] - percent["lower"]) <= step / 2 + 1e-9
    assert abs(points["upper"] - percent["upper"]) <= step / 2 + 1e-9
    assert margins_block.settings["lower"] == pytest.approx(points["lower"])
    assert margins_block.controls["upper"].max >= percent["upper"]
    back = moved(margins_block, unit="percent")
    assert abs(back["from_percent"] - 20) < 5
    assert margins_block.controls["upper"].max == 100


def test_the_upper_end_gives_way_to_the_lower(margins_block):
    row = moved(margins_block, upper=40.0, lower=60.0)
    assert (row["from_percent"], row["to_percent"]) == (60, 61)
    assert margins_block.controls["upper"].min == 61


def test_an_empty_window_is_said(margins_block):
    row = moved(margins_block, lower=99.0)
    assert row["n_pairs"] == 0
    assert row["remark"].startswith("empty: no pair differs by")


def test_controls_are_those_that_the_table_declares():
    assert control_of("topk", "k") == IntSlider("k", "Best systems, k", 3, choices.n_systems)
    assert control_of("sera", "k1") == FloatSlider("k1", "BM25's k1", 0.1, 3.0, 0.1)
    assert control_of("sera", "repeats") == Choice(
        "repeats", "A repeated word counts each time", (False, True)
    )
    assert control_of("systems", "metrics") == MultiChoice("metrics", "Metrics", choices.metrics)
    assert control_of("margins", "metrics") == ChoiceAsList("metrics", "Metric", choices.metrics_of_all)
    assert control_of("judges", "levels") == MultiChoice("levels", "Levels", ["system", "summary"])


def test_a_page_narrows_what_is_offered_and_says_nothing_else():
    assert control_of("systems", "metrics", ("a", "b")) == MultiChoice("metrics", "Metrics", ("a", "b"))
    assert control_of("topk", "k", (4, 9)) == IntSlider("k", "Best systems, k", 4, 9)


def test_a_block_that_starts_with_fewer_draws_says_how_many_the_notebook_takes():
    part = live("power")
    given = {name: defaults("power")[name] for name in part.parameters}
    assert part.remark(given) == "Starts with 10 trials and 199 draws; the notebook takes 1,000 and 499."
    assert part.remark(given | {"n_trials": 10, "n_resamples": 99}) == ""
    fewer = live("old_metrics")
    given = {name: defaults("old_metrics")[name] for name in fewer.parameters}
    assert fewer.remark(given) == f"Starts with 199 draws; the notebook takes 2,000. {fewer.note}"


def test_figures_get_the_settings_that_they_name():
    part = make_live(
        "topk",
        lambda *, k, seed: pd.DataFrame({"k": [k + seed]}),
        lambda table, k: (table["k"].item(), k),
        "k",
        question="?",
    )
    table = part.compute(k=3, seed=4)
    assert part.parameters == ["k", "seed"]
    assert part.draw(table, {"k": 3, "seed": 4}) == (7, 3)


@each("name", LIVE_PAGES)
def test_a_slider_can_be_moved_back_to_where_it_stands_first(name):
    block, parameters = live(name), defaults(name)
    start = block.start({parameter: parameters[parameter] for parameter in block.parameters})
    sliders = [control for control in block.controls if isinstance(control, IntSlider)]
    fixed = [control for control in sliders if isinstance(control.low, int) and isinstance(control.high, int)]
    places = {control.name: (start[control.name] - control.low) / control.step for control in fixed}
    assert {name: place for name, place in places.items() if place != int(place)} == {}
