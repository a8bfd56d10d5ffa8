"""A number or a word that a function of `experiments` has by default is what its page asks with."""

import ast

from helpers.kit.parameters import default_parameters
from metaeval.core.paths import NOTEBOOKS, ROOT

# where a page asks for more draws, or for fewer to be quick, or for another view than the function has
OF_ITS_OWN = {
    ("agreement", "strata", "grade"): "nominal",
    ("index_size", "table", "n_subsets"): 5,
    ("power", "table", "n_resamples"): 1000,
    ("sampling", "compare_designs", "n_samples"): 1000,
    ("test_set", "interval_bounds", "n_repeats"): 5,
    ("test_set", "width_reduction", "n_repeats"): 5,
    ("truth", "coverage", "n_resamples"): 500,
    ("truth", "coverage", "n_trials"): 200,
    ("truth", "rejections", "n_resamples"): 500,
    ("truth", "rejections", "n_trials"): 200,
    ("variance", "ranking_stability", "n_draws"): 1000,
    ("variance", "sizes_up_to", "a_decade"): 12,
}


def defaults(function):
    """The names and values of a function's defaults that are plain numbers or words."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    for argument, value in pairs:
        if isinstance(value, ast.Constant) and isinstance(value.value, int | float | str):
            yield argument.arg, value.value


def test_functions_ask_by_default_as_their_pages_do():
    others, n = {}, 0
    for page in NOTEBOOKS.glob("*.ipynb"):
        module = ROOT / "helpers" / "experiments" / f"{page.stem}.py"
        if not module.exists():
            continue
        asked = default_parameters(page)
        for node in ast.parse(module.read_text(encoding="utf8")).body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            for name, value in defaults(node):
                n += name in asked
                if name in asked and value != asked[name]:
                    others[page.stem, node.name, name] = value
    assert n > 100
    assert others == OF_ITS_OWN
