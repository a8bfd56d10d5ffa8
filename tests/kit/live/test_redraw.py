"""A figure turned into another in place is the other, and is never empty in between."""

import plotly.graph_objects as go
import pytest

from helpers.kit.live.redraw import redraw, seen_through, views_of, widget_of


def scatter(n, **settings):
    figure = go.Figure([go.Scatter(x=[0, i], y=[i, 1], name=f"line {i}") for i in range(n)])
    return figure.update_layout(**settings)


def shown(figure):
    traces = [trace.to_plotly_json() for trace in figure.data]
    return [
        {key: trace[key] for key in ("name", "x", "y", "type")} | {"visible": trace.get("visible", True)}
        for trace in traces
    ]


@pytest.mark.parametrize(("before", "after"), [(0, 2), (2, 2), (3, 1), (1, 3), (2, 0)])
def test_shows_the_other_figure(before, after):
    widget, figure = go.FigureWidget(), scatter(after, height=300, xaxis_title="x")
    redraw(widget, scatter(before, height=500, yaxis_title="y"))
    redraw(widget, figure)
    assert str(shown(widget)) == str(shown(figure))
    assert widget.layout.height == 300
    assert widget.layout.xaxis.title.text == "x"
    assert widget.layout.yaxis.title.text is None


def test_a_new_widget_needs_no_further_message():
    figure = scatter(2, height=300, updatemenus=[{"buttons": [{"label": "a"}]}])
    made, turned = widget_of(figure), widget_of(go.Figure())
    redraw(turned, figure)
    assert str(shown(made)) == str(shown(figure))
    states = [widget.get_state() for widget in (made, turned)]
    assert [len(state["_widget_data"]) for state in states] == [2, 2]
    one, other = ({k: v for k, v in state["_widget_layout"].items() if k != "template"} for state in states)
    assert one == other
    assert not made.layout.updatemenus


def test_a_page_that_is_loaded_again_gets_the_figure():
    widget = go.FigureWidget()
    redraw(widget, scatter(3, height=500))
    redraw(widget, scatter(2, height=300))
    state = widget.get_state()
    assert [trace["name"] for trace in state["_widget_data"]] == ["line 0", "line 1"]
    assert state["_widget_layout"]["height"] == 300


def test_what_only_the_old_trace_had_goes():
    widget = go.FigureWidget()
    redraw(widget, go.Figure(go.Scatter(x=[1], y=[2], text=["old"], marker={"size": 3, "color": "red"})))
    redraw(widget, go.Figure(go.Scatter(x=[1], y=[2], marker={"size": 4})))
    assert widget.data[0].text is None
    assert widget.data[0].marker.to_plotly_json() == {"size": 4}


def test_another_type_of_trace_takes_the_place():
    widget = go.FigureWidget()
    redraw(widget, scatter(2))
    redraw(widget, go.Figure(go.Heatmap(z=[[1, 2]])))
    assert [trace.type for trace in widget.data] == ["heatmap"]


def test_the_figure_is_left_alone():
    figure = scatter(2, updatemenus=[{"buttons": [{"label": "a", "method": "restyle", "args": [{}]}]}])
    before = figure.to_json()
    redraw(go.FigureWidget(), figure)
    assert figure.to_json() == before


def with_menu():
    choices = [
        {"label": "first", "method": "restyle", "args": [{"visible": [True, False], "base": 1}]},
        {"label": "second", "method": "restyle", "args": [{"x": [[5, 6]]}, [1]]},
        {"label": "third", "method": "relayout", "args": [{"xaxis.range": [2, 3]}]},
    ]
    steps = [{"label": "only", "method": "restyle", "args": [{}]}]
    menus = [{"name": "What", "buttons": choices, "active": 1}]
    return scatter(2, updatemenus=menus, sliders=[{"name": "One", "steps": steps}])


def test_menus_become_views_where_there_is_a_choice():
    (view,) = views_of(with_menu())
    assert (view.name, view.labels, view.start) == ("What", ("first", "second", "third"), "second")


@pytest.mark.parametrize(
    ("label", "look", "wanted"),
    [
        ("first", lambda f: [trace.visible for trace in f.data], [True, False]),
        ("second", lambda f: [tuple(trace.x) for trace in f.data], [(0, 0), (5, 6)]),
        ("third", lambda f: f.layout.xaxis.range, (2, 3)),
    ],
)
def test_a_view_changes_a_copy(label, look, wanted):
    figure = with_menu()
    before = figure.to_json()
    assert look(seen_through(figure, views_of(figure), {"What": label})) == wanted
    assert figure.to_json() == before
