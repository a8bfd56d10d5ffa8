"""A block is moved as a reader moves it, and read as a reader reads it. No data but simulated ones."""

import threading

import pandas as pd
import plotly.graph_objects as go
import pytest

from helpers.experiments.topk import best_against_all
from helpers.kit.live.block import LiveBlock, defaults, papermill_command
from helpers.kit.live.controls import Choice, ChoiceAsList, FloatSlider, IntSlider, MultiChoice
from helpers.kit.live.experiment import Live
from metaeval import datasets
from tests.kit.live.pages import live

LONG_S = 60
DATASET = "simulated-realsumm"


@pytest.fixture
def topk(monkeypatch):
    """The block of the page on the best systems, after its first figure."""
    monkeypatch.delenv("DATA", raising=False)
    part = live("topk")
    given = {name: defaults("topk")[name] for name in part.parameters} | {"dataset": DATASET}
    block = LiveBlock(part, given, settle_s_for_tests=0)
    assert block.wait_for_tests(LONG_S)
    return block


def settled(block):
    assert block.wait_for_tests(LONG_S)
    return block


def engine(**changes):
    """The same table straight from the engine."""
    settings = {name: defaults("topk")[name] for name in live("topk").parameters} | changes
    benchmark = datasets.load(changes.get("dataset", DATASET)).select(metrics=settings["metrics"])
    chosen = {name: settings[name] for name in ("groups", "coefficients", "n_resamples", "confidence_level")}
    return best_against_all(benchmark, ks=[settings["k"]], rng=settings["seed"], **chosen)


def points(figure):
    """What a figure shows: name, x and y of each visible trace."""
    return [
        (trace.name, *zip(trace.x, trace.y, strict=True))
        for trace in figure.data
        if trace.visible is not False and trace.x[0] is not None  # an entry of the legend has no point
    ]


def points_of(table, coefficient):
    """The same from the table."""
    labels = {
        "abs": "abstractive",
        "ext": "extractive",
        "mix": "abstractive and extractive",
        "all": "all systems",
    }
    shown = table[table["coefficient"] == coefficient]
    return {
        labels[group]: dict(zip(r["metric"], r["value"], strict=True)) for group, r in shown.groupby("group")
    }


def assert_shows(block, table, coefficient="pearson"):
    wanted = points_of(table, coefficient)
    found = {name: {metric: x for x, metric in places} for name, *places in points(block.figure)}
    assert found == wanted


def same_numbers(block, table):
    pd.testing.assert_frame_equal(block.table.drop(columns="data"), table)


def test_starts_from_the_notebooks_parameters(topk):
    same_numbers(topk, engine())
    assert_shows(topk, engine())
    assert topk.command == f"papermill notebooks/topk.ipynb out.ipynb -p dataset {DATASET}"
    assert (topk.status, topk.busy) == ("", False)


def test_every_control_recomputes_through_the_engine(topk):
    topk.controls["k"].value = 6
    same_numbers(settled(topk), engine(k=6))
    topk.controls["groups"].tick_for_tests("ext", False)
    same_numbers(settled(topk), engine(k=6, groups=["abs", "mix"]))
    topk.controls["metrics"].value = ("JS-2", "MoverScore")
    table = engine(k=6, groups=["abs", "mix"], metrics=["JS-2", "MoverScore"])
    same_numbers(settled(topk), table)
    assert_shows(topk, table)
    settings = topk.settings
    assert topk.command == papermill_command("topk", settings)
    assert settings["groups"] == ["abs", "mix"]


def test_the_figures_own_menu_changes_only_what_is_shown(topk):
    table = topk.table
    topk.views["Coefficient"].value = "Kendall's τ"
    assert topk.table is table
    assert_shows(topk, engine(), "kendall")
    topk.controls["k"].value = 7
    assert_shows(settled(topk), engine(k=7), "kendall")  # the choice outlives the figure
    assert not topk.figure.layout.updatemenus
    assert not topk.figure.layout.sliders


def test_one_figure_is_updated_in_place(topk):
    figure, traces = topk.figure, [trace.uid for trace in topk.figure.data]
    topk.controls["k"].value = 5
    settled(topk)
    assert topk.figure is figure
    assert [trace.uid for trace in figure.data] == traces
    topk.controls["groups"].tick_for_tests("abs", False)
    settled(topk)
    assert [trace.uid for trace in figure.data] == traces[: len(figure.data)]
    # two groups, each with both coefficients; the others are entries of the legend
    assert len([trace for trace in figure.data if trace.x[0] is not None]) == 4


def test_an_error_is_a_sentence_and_takes_the_figure_away(topk):
    topk.controls["groups"].tick_for_tests("ext", False)
    topk.controls["groups"].tick_for_tests("mix", False)
    topk.controls["k"].value = 25
    settled(topk)
    assert topk.status == "k must be from 3 to the number of systems of the largest group (14), got 25."
    assert (topk.table, topk.command, len(topk.figure.data)) == (None, "", 0)
    with pytest.raises(ValueError, match="no table: k must be"):
        topk.csv()
    topk.controls["k"].value = 9
    table = engine(k=9, groups=["abs"])
    same_numbers(settled(topk), table)
    assert_shows(topk, table)
    assert topk.status == ""


def test_nothing_chosen_is_an_error_of_its_own(topk):
    topk.controls["metrics"].value = ()
    assert settled(topk).status == "Choose at least one of: Metrics."


def test_another_data_set_brings_its_own_choices(topk):
    topk.controls["dataset"].value = "simulated-tac2009"
    settled(topk)
    benchmark = datasets.load("simulated-tac2009")
    assert topk.controls["k"].max == len(benchmark.systems)
    assert [choice for _, choice in topk.controls["metrics"].options] == benchmark.metrics
    assert ("simulated TAC 2009", "simulated-tac2009") in topk.controls["dataset"].options
    assert topk.settings["groups"] == ["all"]  # types of systems are not known there
    assert topk.settings["metrics"] == ["ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall"]
    same_numbers(topk, engine(dataset="simulated-tac2009", groups=["all"], metrics=topk.settings["metrics"]))
    assert topk.command == papermill_command("topk", topk.settings)


def test_the_table_is_named_after_the_settings_it_was_drawn_with(topk):
    topk.controls["k"].value = 6
    name, text = settled(topk).csv()
    assert name == "topk-dataset-simulated-realsumm-k-6.csv"
    assert text == topk.table.to_csv(index=False, lineterminator="\n")
    assert set(topk.table["data"]) == {"simulated"}


def test_the_footer_sends_the_table_when_asked(topk, monkeypatch):
    sent = []
    monkeypatch.setattr(topk._footer, "send", sent.append)
    topk._footer._handle_custom_msg({"ask": "table"}, [])
    assert sent == [dict(zip(("name", "text"), topk.csv(), strict=True))]


def test_labels_and_descriptions(topk):
    assert topk.controls["k"].description == "Best systems, k"
    assert topk.controls["k"].tooltip == "the table shows the correlations on the k best systems"


class Slow:
    """A computation that ends when it is allowed to."""

    def __init__(self):
        self.begun, self.may_end = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, *, n):
        self.begun.release()
        assert self.may_end.acquire(timeout=LONG_S)
        return pd.DataFrame({"n": [n]})


def line_of(column):
    return lambda table, _settings: go.Figure(go.Scatter(x=table[column], y=table[column]))


line = line_of("n")


def sketch(compute, draw=line, **settings):
    """An experiment with one number, under the name of a notebook that has such a parameter."""
    number = {"names": ["n"], "offer": {"n": IntSlider("n", "Number", 0, 100)}}
    return Live(notebook="annotations", question="?", compute=compute, draw=draw, **number | settings)


def test_an_old_result_is_never_shown_and_the_sign_stays_until_the_new_one():
    slow = Slow()
    block = LiveBlock(sketch(slow), {"n": 1}, settle_s_for_tests=0)
    assert slow.begun.acquire(timeout=LONG_S)
    assert block.busy
    assert "live-busy" in block._dom_classes
    block.controls["n"].value = 2
    slow.may_end.release()  # the result for 1 comes, too late
    assert slow.begun.acquire(timeout=LONG_S)  # and 2 is worked on
    assert block.table is None
    assert len(block.figure.data) == 0
    assert block.busy
    slow.may_end.release()
    settled(block)
    assert block.table["n"].tolist() == [2]
    assert list(block.figure.data[0].x) == [2]
    assert not block.busy
    assert "live-busy" not in block._dom_classes


def test_an_error_of_old_settings_is_not_shown_either():
    slow = Slow()

    def fails_on_one(*, n):
        table = slow(n=n)
        if n == 1:
            raise ValueError("one is no number")
        return table

    block = LiveBlock(sketch(fails_on_one), {"n": 1}, settle_s_for_tests=0)
    assert slow.begun.acquire(timeout=LONG_S)
    block.controls["n"].value = 2
    slow.may_end.release(2)
    settled(block)
    assert block.status == ""
    assert block.table["n"].tolist() == [2]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("`n` must not be 3"), "n must not be 3."),
        (OSError("cannot get\nthe file."), "Cannot get the file."),
        (KeyError("x"), "KeyError: 'x'."),
    ],
)
def test_errors_are_sentences(error, sentence):
    def fails(*, n):
        raise error

    block = LiveBlock(sketch(fails), {"n": 3}, settle_s_for_tests=0)
    assert settled(block).status == sentence


def counting(stop=None):
    """A share of ever more trials, up to `n`."""

    def compute(*, n):
        for done in range(1, n + 1):
            if stop:
                stop(done)
            yield pd.DataFrame({"n": [done], "value": [done / 10]})

    return sketch(compute, progressive="n")


def test_draws_in_parts_are_shown_with_how_many_there_are():
    seen = []
    block = settled(LiveBlock(counting(), {"n": 3}, settle_s_for_tests=0))
    deliver = block._worker._deliver

    def look(outcome):
        deliver(outcome)
        sign, dim = "live-growing" in block._dom_classes, "live-busy" in block._dom_classes
        seen.append((block.table["n"].item(), block.progress, block.busy, sign, dim))

    block._worker._deliver = look
    block.controls["n"].value = 2
    settled(block)
    assert seen == [
        (1, "1 of 2 number", True, True, False),
        (2, "", True, True, False),
        (2, "", False, False, False),
    ]
    assert block._says.value == ""


def test_stopped_draws_stay_and_say_how_many_they_are():
    block = LiveBlock(counting(lambda done: done == 2 and block.stop()), {"n": 1}, settle_s_for_tests=0)
    settled(block)
    block.controls["n"].value = 50
    settled(block)
    assert block.table["n"].tolist() == [2]
    assert not block.busy
    assert block._says.value == '<span role="status">Stopped after 2 of 50 number.</span>'
    assert block.csv()[1] == "n,value\n2,0.2\n"
    assert list(block.figure.data[0].x) == [2]


def test_only_a_block_that_draws_in_parts_has_a_button_to_stop():
    def labels(block):
        return [getattr(child, "description", "") for child in block.children[0].children]

    assert "Stop" in labels(settled(LiveBlock(counting(), {"n": 1}, settle_s_for_tests=0)))
    whole = sketch(lambda *, n: pd.DataFrame({"n": [n]}))
    assert "Stop" not in labels(settled(LiveBlock(whole, {"n": 1}, settle_s_for_tests=0)))


def test_the_numbers_stand_below_the_figure_in_the_words_of_the_book():
    part = sketch(
        lambda *, n: pd.DataFrame({"n_pairs": range(n), "x": [f"<i>{i}" for i in range(n)], "y": 0}),
        line_of("n_pairs"),
        columns=("n_pairs", "x"),
    )
    shown = settled(LiveBlock(part, {"n": 42}, settle_s_for_tests=0))._footer.numbers
    assert "<th>pairs</th>" in shown
    assert "&lt;i&gt;" in shown
    assert "<th>y</th>" not in shown
    assert shown.count("<td>&lt;i&gt;") == 40
    assert "2 more rows are in the CSV file." in shown


def test_other_controls_can_follow_the_one_that_is_moved():
    def doubled(before, now):
        return now if before["n"] == now["n"] else {**now, "n": 2 * now["n"]}

    part = sketch(lambda *, n: pd.DataFrame({"n": [n]}), on_change=doubled)
    block = LiveBlock(part, {"n": 3}, settle_s_for_tests=0)
    assert settled(block).table["n"].item() == 3
    block.controls["n"].value = 5
    assert settled(block).table["n"].item() == 10
    assert block.controls["n"].value == block.settings["n"] == 10


def test_a_figure_that_cannot_be_drawn_leaves_none_standing():
    def draw(table, settings):
        if settings["n"] == 2:
            raise ValueError("two cannot be drawn")
        return line(table, settings)

    block = LiveBlock(sketch(lambda *, n: pd.DataFrame({"n": [n]}), draw), {"n": 1}, settle_s_for_tests=0)
    settled(block)
    block.controls["n"].value = 2
    assert settled(block).status == "Two cannot be drawn."
    assert len(block.figure.data) == 0
    block.controls["n"].value = 3
    assert list(settled(block).figure.data[0].x) == [3]


def test_parameters_have_to_be_the_blocks():
    part = sketch(lambda *, n: pd.DataFrame({"n": [n]}))
    with pytest.raises(TypeError, match="takes n; missing: n; not its own: m"):
        LiveBlock(part, {"m": 1})


def test_a_slow_part_starts_smaller():
    part = sketch(lambda *, n: pd.DataFrame({"n": [n]}), initial={"n": 10})
    assert part.start({"n": 50}) == {"n": 10}
    assert part.start({"n": 5}) == {"n": 5}
    lists = sketch(len, names=["m"], offer={"m": MultiChoice("m", "M", "abc")}, initial={"m": ("a", "b")})
    assert lists.start({"m": ["c", "b"]}) == {"m": ["b"]}
    assert lists.start({"m": ["c"]}) == {"m": ["c"]}


def test_values_that_are_no_choice_become_one():
    few, many = ("a", "b"), tuple("abcdefgh")
    assert Choice("x", "X", few).fit("c", {}).value == "a"
    assert MultiChoice("x", "X", few).fit(["c", "b"], {}).value == ["b"]
    assert MultiChoice("x", "X", many).fit(["z"], {}).value == list("abcdef")
    assert MultiChoice("x", "X", few).fit([], {}).value == []
    assert Choice("x", "X", ()).fit("c", {}).value == "c"
    assert MultiChoice("x", "X", ()).fit(["c"], {}).value == ["c"]
    assert IntSlider("x", "X", 3, lambda above: above["most"]).fit(9, {"most": 5}).value == 5
    assert FloatSlider("x", "X", 0, 1, 0.1).fit(2, {}).value == 1
    assert FloatSlider("x", "X", 0, lambda above: above["most"], 1).fit(9, {"most": 5}).choices == (0, 5, 1)
    assert ChoiceAsList("x", "X", few).fit(["c", "b"], {}).value == ["b"]
    assert ChoiceAsList("x", "X", few).fit(["c"], {}).value == ["a"]
    assert ChoiceAsList("x", "X", ()).fit(["c"], {}).value == ["c"]
