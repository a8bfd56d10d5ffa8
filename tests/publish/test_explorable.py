"""A panel's way from a notebook's output to its place on a page."""

import json
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from helpers import mime
from helpers.notebook import display
from helpers.publish.explorable import KINDS, explorable, explorable_html, scripts
from helpers.publish.mime import PlotlyMimeRenderer

PANEL = {
    "kind": "topk",
    "alt": "A panel <b>.",
    "tables": {"topk": {"columns": ["a"], "rows": [["</script>"]]}},
}


def rendered(content, *, inline=False):
    data = SimpleNamespace(mime_type=mime.EXPLORABLE, content=content, output_metadata={})
    return PlotlyMimeRenderer.handle_mime(None, data, inline)


@pytest.mark.parametrize("content", [PANEL, json.dumps(PANEL)])
def test_an_output_becomes_a_panel_that_cannot_close_its_script(content):
    (node,) = rendered(content)
    assert isinstance(node, explorable)
    html = explorable_html(kind=node["kind"], json=node["json"], alt=node["alt"])
    box = BeautifulSoup(html, "html.parser").find(class_="explorable")
    assert box["data-kind"] == "topk"
    assert json.loads(box.find("script").string) == PANEL
    assert "A panel <b>." in box.find(class_="explorable-still").get_text()
    assert "JavaScript" in box.get_text()


def test_in_a_line_of_text_its_words_stand_for_it():
    (text,) = rendered(PANEL, inline=True)
    assert text.astext() == "A panel <b>."


def test_scripts_come_in_the_order_in_which_they_need_each_other():
    for kind in KINDS:
        names = scripts(kind)
        assert names[0] == "tools.js"
        assert names[-1] == "explorable.js"
        assert names.index("explorable_parts.js") < names.index("explorable_chart.js")
        assert names.index("explorable_chart.js") < names.index(f"explorable_{kind}.js")


@pytest.mark.parametrize(("data", "simulated"), [("real", False), ("simulated", True)])
def test_a_panel_says_whether_its_run_was_on_simulated_data(monkeypatch, data, simulated):
    shown = []
    monkeypatch.setenv("DATA", data)
    monkeypatch.setattr(display, "display", lambda bundle, raw: shown.append(bundle))
    display.show_explorable(PANEL)
    (bundle,) = shown
    assert bundle[mime.EXPLORABLE] == PANEL | {"simulated": simulated}
    assert bundle["text/plain"] == PANEL["alt"]
