import pandas as pd

from helpers.experiments import lite2x


def test_random_orders_have_a_band_and_panels_their_own_axes():
    shares = [0, 0.5, 1]
    curve = pd.concat(
        pd.DataFrame(
            {"share": shares, "value": [1, 0.5, 0], "q2.5": [1, 0.4, 0], "q97.5": [1, 0.6, 0]}
        ).assign(order=order, level=level, dataset=dataset, coefficient="pearson")
        for dataset in ("lite-realsumm", "lite-pyrxsum")
        for level in ("system", "summary")
        for order in ("easiest first", "hardest first", "random")
    )
    figure = lite2x.replacement_curves(curve)
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert len(bands) == 4
    assert len(figure.data) == 4 + 12
    assert max(bands[0].y) == 1
    assert "matches" not in figure.layout.yaxis2.to_plotly_json()


def test_sentences_are_points_with_their_names():
    table = pd.DataFrame(
        {
            "dataset": ["lite-realsumm", "lite-pyrxsum"],
            "document": ["d", "e"],
            "sentence": [0, 1],
            "easiness": [0.4, 0.5],
            "predicted": [0.6, 0.7],
        }
    )
    figure = lite2x.easiness_scatter(table)
    first, second = figure.data[-2:]
    assert (first.x[0], first.y[0], first.text[0]) == (0.6, 0.4, "d, sentence 1")
    assert (second.x[0], second.text[0], second.xaxis) == (0.7, "e, sentence 2", "x2")
    assert [note.text for note in figure.layout.annotations] == ["REALSumm", "PyrXSum"]
