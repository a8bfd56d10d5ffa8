"""A panel's way from a notebook's output to its place on a page."""

import json
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from bookbuild.site import sphinx_ext
from bookbuild.site.mime import KINDS, PlotlyMimeRenderer, explorable, explorable_html, file_words, scripts
from helpers.kit import display, mime
from metaeval.core.paths import NOTEBOOKS

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
        assert names.index("tables.js") < names.index("explorable_parts.js")
        assert names.index("explorable_parts.js") < names.index("explorable_chart.js")
        assert names.index("explorable_chart.js") < names.index(f"explorable_{kind}.js")


@pytest.mark.parametrize(("data", "simulated"), [("real", False), ("simulated", True)])
def test_a_panel_is_marked_if_its_run_was_on_simulated_data(monkeypatch, data, simulated):
    outputs = []
    monkeypatch.setenv("DATA", data)
    monkeypatch.setattr(display, "display", lambda bundle, raw: outputs.append(bundle))
    display.show_explorable(PANEL)
    (bundle,) = outputs
    assert bundle[mime.EXPLORABLE] == PANEL | {"simulated": simulated}
    assert bundle["text/plain"] == PANEL["alt"]


def test_a_page_with_a_place_for_a_file_gets_its_scripts_and_no_other_page_does():
    class App:
        def __init__(self):
            self.styles, self.scripts = [], []

        def add_css_file(self, name, priority):
            self.styles.append(name)

        def add_js_file(self, name, loading_method="", body=""):
            self.scripts.append(name or body)

    with_place, without = App(), App()
    sphinx_ext.add_assets(with_place, "p", "page.html", {"body": '<div class="your-file">'}, None)
    sphinx_ext.add_assets(without, "p", "page.html", {"body": "<p>your-file</p>"}, None)
    assert with_place.scripts == [file_words(), *scripts("your_file")]
    assert with_place.styles == ["explorable.css", "your_file.css"]
    assert not without.scripts
    assert 'class="your-file"' in (NOTEBOOKS / "your_metric.ipynb").read_text(encoding="utf8").replace(
        '\\"', '"'
    )
