"""Figures of SERA: variants beside other metrics, indexes that grow, sets of references, parts of speech."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    BLUE,
    COEFFICIENT_LABELS,
    GREEN,
    GREY,
    GROUP_LABELS,
    LEVEL_LABELS,
    OLIVE,
    ORANGE,
    PURPLE,
    SKY,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
)

QUERY_LABELS = {
    "raw": "raw: all words",
    "np": "noun phrases",
    "kw": "n-grams",
    "gesera": "GeSERA: nouns, verbs, adjectives",
}
_METRIC_OF = {"raw": "SERA", "np": "SERA-NP", "kw": "SERA-KW", "gesera": "GeSERA"}  # for its style
_PANEL_LABELS = {
    "level": {level: f"comparing {label}" for level, label in LEVEL_LABELS.items()},
    "group": GROUP_LABELS,
}
_CORPUS_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, OLIVE, GREY)


def interval_dots(results: pd.DataFrame, *, panel: str, sort_by: str) -> go.Figure:
    """A row a metric, its correlation and interval; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame with columns metric, coefficient, value, low, high and `panel`
    panel : {"level", "group"}
    sort_by : the panel whose first coefficient orders the metrics, best on top
    """
    leading = results[
        (results[panel] == sort_by) & (results["coefficient"] == results["coefficient"].iloc[0])
    ]
    metrics = leading.sort_values("value", na_position="first")["metric"].tolist()
    return _interval_panels(results, panel, metrics, {name: metric_style(name).colour for name in metrics})


def _interval_panels(results, panel, names, colours) -> go.Figure:
    panels, coefficients = results[panel].unique().tolist(), results["coefficient"].unique().tolist()
    figure = make_subplots(
        cols=len(panels),
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[_PANEL_LABELS[panel].get(name, name) for name in panels],
    )
    shown = []
    for coefficient in coefficients:
        for column, name in enumerate(panels, start=1):
            rows = results[(results[panel] == name) & (results["coefficient"] == coefficient)]
            rows = rows.set_index("metric").loc[names].reset_index()
            dots = _dots(rows, [colours[name] for name in names], visible=coefficient == coefficients[0])
            figure.add_trace(dots, row=1, col=column)
            shown.append(coefficient)
    figure.update_xaxes(**correlation_axis(results["low"]))
    figure.update_yaxes(automargin=True, showgrid=True)
    return layout(
        figure, height=150 + 24 * len(names), updatemenus=_menu("Coefficient", shown, COEFFICIENT_LABELS)
    )


def _dots(rows, colours, **settings) -> go.Scatter:
    """Points with an interval each, in a colour each: grey bars, as a trace has one colour of bars."""
    return go.Scatter(
        x=rows["value"],
        y=rows["metric"],
        mode="markers",
        marker={"size": 10, "color": colours},
        error_x=error_bars(rows["value"], rows["low"], rows["high"], thickness=2),
        customdata=rows[["low", "high"]],
        hovertemplate=(
            "%{y}: %{x:.3f}<br>interval %{customdata[0]:.3f} to %{customdata[1]:.3f}<extra></extra>"
        ),
        showlegend=False,
        **settings,
    )


def index_size_curves(bands: pd.DataFrame) -> go.Figure:
    """A panel a domain, a line a reformulation over the size of the index, a band over the random indexes.

    A dropdown picks the variant: SERA or SERA-DIS, cut at n, by each coefficient.

    Parameters
    ----------
    bands : DataFrame of `helpers.experiments.index_size.size_bands` for one group and level
    """
    domains, queries = bands["domain"].unique().tolist(), bands["query"].unique().tolist()
    bands = _with_family(bands)
    families = bands["family"].unique().tolist()
    figure = make_subplots(
        cols=len(domains), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=domains
    )
    shown = []
    for (family, domain, query), rows in bands.groupby(["family", "domain", "query"], sort=False):
        rows = rows.sort_values("size")
        style = metric_style(_METRIC_OF[query])
        colour = _QUERY_COLOURS[query]
        place = {"row": 1, "col": domains.index(domain) + 1}
        visible = family == families[0]
        figure.add_trace(
            go.Scatter(
                x=[*rows["size"], *rows["size"][::-1]],
                y=[*rows["high"], *rows["low"][::-1]],
                fill="toself",
                fillcolor=colour,
                opacity=0.18,
                mode="none",
                legendgroup=query,
                showlegend=False,
                hoverinfo="skip",
                visible=visible,
            ),
            **place,
        )
        figure.add_trace(
            go.Scatter(
                x=rows["size"],
                y=rows["value"],
                mode="lines+markers",
                name=QUERY_LABELS[query],
                legendgroup=query,
                legendrank=queries.index(query),
                showlegend=domain == domains[0],
                visible=visible,
                line={"color": colour, "dash": style.dash, "width": 2},
                marker={"symbol": style.symbol, "size": 7},
                customdata=rows[["low", "high", "subsets"]],
                hovertemplate=(
                    "%{x:,} stories: %{y:.2f}<br>%{customdata[0]:.2f} to %{customdata[1]:.2f} over "
                    "%{customdata[2]} random indexes<extra></extra>"
                ),
            ),
            **place,
        )
        shown += [family, family]
    figure.update_xaxes(
        type="log", title="stories in the index", tickvals=[500, 1000, 2000, 5000, 10000, 20000]
    )
    figure.update_yaxes(**correlation_axis(bands["low"]))
    return layout(figure, height=480, updatemenus=_menu("Variant", shown, {}))


# SERA's own colour is one metric's; here four of its queries stand side by side
_QUERY_COLOURS = {"raw": OLIVE, "np": ORANGE, "kw": SKY, "gesera": PURPLE}


def index_size_dots(table: pd.DataFrame) -> go.Figure:
    """Every random index of one size, which a slider moves; a dropdown picks variant and coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.index_size.index_size_table` for one group and level
    """
    table = _with_family(table)
    families, domains = table["family"].unique().tolist(), table["domain"].unique().tolist()
    queries = table["query"].unique().tolist()[::-1]
    labels = [_METRIC_OF[query] for query in queries]
    sizes = sorted(table.loc[~table["whole"], "size"].unique().tolist())
    steps = [(f"{size:,}", ~table["whole"] & (table["size"] == size)) for size in sizes]
    steps.append(("all", table["whole"]))
    traces = [(family, domain) for family in families for domain in domains]
    values = {}
    for label, chosen in steps:
        parts = dict(list(table[chosen].groupby(["family", "domain"], sort=False)))
        values[label] = [_places(parts.get(trace), labels) for trace in traces]
    figure = go.Figure()
    start = steps[0][0]
    for (family, domain), (x, y) in zip(traces, values[start], strict=True):
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                mode="markers",
                name=domain,
                visible=family == families[0],
                marker={
                    "size": 11,
                    "symbol": _DOMAIN_SYMBOLS[domains.index(domain) % len(_DOMAIN_SYMBOLS)],
                    "color": _CORPUS_COLOURS[domains.index(domain) % len(_CORPUS_COLOURS)],
                    "opacity": 0.75,
                },
                hovertemplate=f"{domain}<br>%{{y}}: %{{x:.2f}}<extra></extra>",
            )
        )
    figure.update_xaxes(title="correlation with people", **correlation_axis(table["value"]))
    figure.update_yaxes(automargin=True, showgrid=True, categoryorder="array", categoryarray=labels)
    slider = {
        "name": "size",
        "active": 0,
        "currentvalue": {"prefix": "Stories in the index: "},
        "steps": [
            {"label": label, "method": "restyle", "args": [{"x": [x for x, _ in v], "y": [y for _, y in v]}]}
            for label, v in values.items()
        ],
    }
    return layout(
        figure,
        height=380,
        sliders=[slider],
        updatemenus=_menu("Variant", [family for family, _ in traces], {}),
    )


_DOMAIN_SYMBOLS = ("circle", "diamond", "square", "cross", "x", "triangle-up")


def _with_family(table: pd.DataFrame) -> pd.DataFrame:
    """With a column family: variant and, where there are several, coefficient."""
    family = table["overlap"] + "-" + table["n"].astype(str)
    if table["coefficient"].nunique() > 1:
        family += ", " + table["coefficient"].map(COEFFICIENT_LABELS)
    return table.assign(family=family)


def _places(rows: pd.DataFrame | None, labels: list[str]) -> tuple[list, list]:
    if rows is None:
        return [None] * len(labels), labels
    return rows["value"].tolist(), [_METRIC_OF[query] for query in rows["query"]]


def annotator_dots(results: pd.DataFrame) -> go.Figure:
    """A row a set of references, its correlation and interval; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.annotators.annotator_table`
    """
    n_references = results.set_index("metric")["n_references"].to_dict()
    colours = {name: _CORPUS_COLOURS[(n - 1) % len(_CORPUS_COLOURS)] for name, n in n_references.items()}
    return _interval_panels(results, "level", results["metric"].unique().tolist()[::-1], colours)


def speech_bars(table: pd.DataFrame) -> go.Figure:
    """Shares of parts of speech, a bar a collection.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.speech.speech_table`
    """
    figure = go.Figure()
    for (corpus, rows), colour in zip(table.groupby("corpus", sort=False), _CORPUS_COLOURS, strict=False):
        figure.add_trace(
            go.Bar(
                x=rows["part"],
                y=100 * rows["share"],
                name=corpus,
                marker={"color": colour},
                hovertemplate=f"{corpus}<br>%{{x}}: %{{y:.1f}} % of the words<extra></extra>",
            )
        )
    figure.update_yaxes(title="share of the words", ticksuffix=" %")
    return layout(figure, height=400, barmode="group")


def _menu(name: str, of_trace: list[str], labels: dict[str, str]) -> list[dict]:
    """A dropdown that shows the traces of one choice."""
    choices = list(dict.fromkeys(of_trace))
    if len(choices) < 2:
        return []
    changes = [{"visible": [choice == of for of in of_trace]} for choice in choices]
    return [dropdown(name, [labels.get(choice, choice) for choice in choices], changes)]
